"""Files, folders and standard input as streams of plain bytes, whatever they are compressed with."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

from crisptopics.errors import CorpusError, MissingExtraError

STDIN = "-"
HEAD = 1 << 16
FREE_SIZE = 64 << 20
MAX_RATIO = 200  # text shrinks to a third or a tenth; what grows two-hundredfold was made to fill the memory
_SPREADSHEETS = dict.fromkeys((".xlsx", ".xls", ".ods"), "CSV")
_OFFICE = _SPREADSHEETS | dict.fromkeys((".docx", ".doc", ".odt", ".rtf", ".pdf"), "plain text")
COMPRESSED_SUFFIXES = {".gz", ".xz", ".zst", ".bz2", ".zip"}


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """One open file, decompressed.

    Parameters
    ----------
    name
        How messages call it.
    path
        Where it is; None for standard input.
    file
        Its bytes; `file.peek` shows the first ones without taking them.
    """

    name: str
    path: Path | None
    file: io.BufferedReader

    @property
    def stem(self) -> str:
        """The file name without what a compression added."""
        name = Path(self.name)
        return name.stem if name.suffix.lower() in COMPRESSED_SUFFIXES else name.name

    def head(self) -> bytes:
        """Return the first bytes, which stay to be read."""
        return self.file.peek(HEAD)[:HEAD]


@contextmanager
def open_source(path: str | os.PathLike[str]) -> Iterator[Source]:
    """Open a file, or "-" for standard input, and decompress what gzip, xz, zstd, bzip2 or zip packed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     packed = Path(folder, "a.txt.gz")
    ...     _ = packed.write_bytes(gzip.compress(b"some text"))
    ...     with open_source(packed) as source:
    ...         source.stem, source.file.read()
    ('a.txt', b'some text')
    """
    if os.fspath(path) == STDIN:
        with _decompressed("standard input", None, sys.stdin.buffer) as source:
            yield source
        return
    place = Path(path)
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder; a file is expected here", str(place))
    if place.suffix.lower() in _OFFICE:
        better = _OFFICE[place.suffix.lower()]
        raise CorpusError(f"{place.name}: {place.suffix} files are not read; save it as {better} and pass that")
    with place.open("rb") as file, _decompressed(place.name, place, file) as source:
        yield source


@contextmanager
def _decompressed(name: str, path: Path | None, file: IO[bytes]) -> Iterator[Source]:
    packed = _Counted(file)
    start = io.BufferedReader(packed, 1 << 16)
    magic = start.peek(8)[:8]
    for known, unpack in _UNPACKERS.items():
        if magic.startswith(known) and not (known == b"PK\x03\x04" and _is_numpy(name, start.peek(100))):
            name, plain = unpack(name, start)
            yield Source(name, path, io.BufferedReader(_Guarded(name, plain, packed), HEAD))
            return
    yield Source(name, path, io.BufferedReader(_Guarded(name, start, packed), HEAD))


def _is_numpy(name: str, head: bytes) -> bool:
    """Tell an .npz, which is a zip of .npy files, from a zip of texts."""
    first = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    return name.lower().endswith(".npz") or first.endswith(b".npy")


def _unzip(name: str, file: BinaryIO) -> tuple[str, Any]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(file.read()))
        members = [member for member in archive.infolist() if not member.is_dir()]
        if len(members) == 1:
            return f"{name}/{members[0].filename}", archive.open(members[0])
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise CorpusError(f"{name} is a zip archive that cannot be read: {error}; pack it again") from error
    raise CorpusError(
        f"{name} is a zip archive of {len(members)} files; accepted is an archive of one; unpack it and pass the folder"
    )


def _unzstd(name: str, file: BinaryIO) -> tuple[str, Any]:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return name, zstd.ZstdFile(file)
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError(
            f"{name} is compressed with zstd, which needs Python 3.14 or the package zstandard; install it with"
            " pip install 'crisptopics[io]'"
        ) from error
    return name, _ZstdFile(file, zstandard.ZstdDecompressor().decompressobj)


class _ZstdFile:
    """What Python 3.14 has: unlike zstandard's own reader, it notices that a file is cut short."""

    def __init__(self, file: BinaryIO, new_frame: Callable[[], Any]) -> None:
        self.file, self.new_frame = file, new_frame
        self.frame = new_frame()
        self.begun = False
        self.left = memoryview(b"")

    def read(self, size: int) -> bytes:
        while not self.left:
            packed = self.frame.unused_data or self.file.read(2048)  # of which at most 64 MB can come
            if not packed:
                if self.begun and not self.frame.eof:
                    raise EOFError("the last frame is not complete")
                break
            if self.frame.eof:
                self.frame = self.new_frame()
            self.begun = True
            self.left = memoryview(self.frame.decompress(packed))  # of which a slice is no copy
        data, self.left = self.left[:size], self.left[size:]
        return bytes(data)


_UNPACKERS: dict[bytes, Callable[[str, Any], tuple[str, Any]]] = {
    b"\x1f\x8b": lambda name, file: (name, gzip.GzipFile(fileobj=file)),
    b"\xfd7zXZ\x00": lambda name, file: (name, lzma.LZMAFile(file)),  # noqa: SIM115 (it closes no file of ours)
    b"BZh": lambda name, file: (name, bz2.BZ2File(file)),
    b"\x28\xb5\x2f\xfd": _unzstd,
    b"PK\x03\x04": _unzip,
}


class _Counted(io.RawIOBase):
    """A raw file that knows how many bytes were taken from it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(len(buffer))
        buffer[: len(data)] = data
        self.taken += len(data)
        return len(data)


class _Guarded(io.RawIOBase):
    """Decompressed bytes; damage and bombs become errors in one line."""

    def __init__(self, name: str, plain: Any, packed: _Counted) -> None:
        self.name, self.plain, self.packed = name, plain, packed
        self.given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self.plain.read(len(buffer))
        except Exception as error:
            damage = (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
            says_damage = isinstance(error, OSError) and error.errno is None  # as gzip and bzip2 raise it
            if isinstance(error, damage) or says_damage or type(error).__name__ == "ZstdError":
                raise self._damaged(error) from error
            raise
        buffer[: len(data)] = data
        self.given += len(data)
        if self.given > max(FREE_SIZE, MAX_RATIO * self.packed.taken):
            raise CorpusError(
                f"{self.name} grows more than {MAX_RATIO}-fold when it is decompressed, to {self.given >> 20} MB and"
                " more; such files are made to fill memory; decompress it yourself if you trust it"
            )
        return len(data)

    def _damaged(self, error: Exception) -> CorpusError:
        return CorpusError(
            f"{self.name} is cut short or damaged: after {self.given:,} bytes of text, {error}; fetch or pack it again"
        )
