"""Model files: written whole or not at all, read back checked to the last bit, never by pickle.

A `.crisp` file is an ordinary zip of `manifest.json` and uncompressed `.npy` arrays, ended by a seal: the zip's comment
is the SHA-256 of every byte before it. The seal finds accidents (flipped bits, cut or grown files), also in those zip
fields that no CRC covers; all other checks are against files that somebody made on purpose.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import reprlib
import secrets
import shutil
import zipfile
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from crisptopics import __version__
from crisptopics.errors import ModelFileError
from crisptopics.model import Model

FORMAT = "crisptopics model"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
MANIFEST_LIMIT = 64 << 20
MANIFEST_TYPES = {
    "format": str,
    "format_version": int,
    "library_version": str,
    "n_topics": int,
    "n_words": int,
    "parameters": dict,
    "fit": dict,
    "arrays": dict,
}
COUNT_ARRAYS = {"counts_indptr": "<i8", "counts_indices": "<i4", "counts_data": "<i8"}
SOFT_ARRAYS = {f"soft_{name}": dtype for name, dtype in COUNT_ARRAYS.items()}
VOCABULARY_ARRAYS = {"vocabulary_bytes": "|u1", "vocabulary_offsets": "<i8"}
NPY_HEADER_SIZE = 128
SEAL = b"crisptopics sha256 "
DIGEST_SIZE = 64
REPAIR = "fetch another copy of the file or save the model again"


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """
    Write a model to a file; the same model always gives the same bytes.

    Parameters
    ----------
    model
        The model to write.
    path
        The file to make, or to replace once the new one is whole.

    Raises
    ------
    ValueError
        If `parameters` or `fit` hold something that JSON cannot give back unchanged.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_model(Model(csr_array([[2, 0], [0, 5]]), ("sun", "rain"), {}, {}), f"{folder}/m.crisp")
    """
    arrays = _model_arrays(model)
    npys = {name: _npy_header(array) + array.tobytes() for name, array in arrays.items()}
    entries = {name: _describe(array, npys[name]) for name, array in arrays.items()}
    members = {MANIFEST: _manifest_bytes(model, entries)} | {f"{name}.npy": npy for name, npy in npys.items()}
    write_atomically(path, lambda file: _write_sealed_zip(file, members))


def load_model(path: str | os.PathLike[str]) -> Model:
    """
    Read a model file; a file that `save_model` did not write just so is refused.

    Parameters
    ----------
    path
        A file written by `save_model`.

    Returns
    -------
    The model, equal to the one that was saved.

    Raises
    ------
    ModelFileError
        If the file is damaged, not a model, or made by a newer version.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     save_model(Model(csr_array([[2, 0], [0, 5]]), ("sun", "rain"), {}, {}), f"{folder}/m.crisp")
    ...     load_model(f"{folder}/m.crisp")
    Model(n_topics=2, n_words=2)
    """
    with Path(path).open("rb") as file:
        try:
            return _read_model(file)
        except ModelFileError as error:
            raise ModelFileError(f"{os.fspath(path)!r} {error}") from None
        # A hostile file makes zipfile, json, NumPy and SciPy raise nearly anything, MemoryError and RecursionError too.
        except Exception as error:
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise ModelFileError(f"{os.fspath(path)!r} is not a valid model file ({reason}); {REPAIR}") from error


def write_atomically(path: str | os.PathLike[str], write: Callable[[BinaryIO], object]) -> None:
    """
    Make a file appear whole or not at all, whatever fails or is killed on the way.

    Parameters
    ----------
    path
        The file to make or replace. A symbolic link stays, its target is replaced.
    write
        Writes the contents to the binary file it is given, which it may also seek and read.

    Raises
    ------
    OSError
        If the file cannot be written; what was there before is still there.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_atomically(f"{folder}/a.txt", lambda file: file.write(b"whole"))
    """
    target = check_target(path)
    temporary = target.with_name(f".crisptopics-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("x+b") as file:  # gives the permissions of any new file, where mkstemp would give 0o600
            if target.exists():
                shutil.copymode(target, temporary)
            write(file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def check_target(path: str | os.PathLike[str]) -> Path:
    """
    Refuse what cannot be written as a file, so that long work need not be lost for it.

    Parameters
    ----------
    path
        The file that is to be made or replaced.

    Returns
    -------
    The path with symbolic links followed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     check_target(f"{folder}/a.txt").name
    'a.txt'
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder; make it first", str(target.parent))
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(errno.EACCES, "this folder is read-only; write elsewhere", str(target.parent))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder; choose the name of a file", str(target))
    if target.exists() and not target.is_file():  # a rename would replace /dev/null by a file
        raise FileExistsError(errno.EEXIST, "this is a device or a pipe; choose the name of a file", str(target))
    return target


def _sync_folder(folder: Path) -> None:
    """Make the rename last through a power cut, where folders can be synced (not on Windows, nor on some networks)."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _model_arrays(model: Model) -> dict[str, npt.NDArray[Any]]:
    counts = model.topic_word_counts
    arrays = {"counts_indptr": counts.indptr, "counts_indices": counts.indices, "counts_data": counts.data}
    if model.vocabulary is not None:
        words = [word.encode("utf-8") for word in model.vocabulary]
        arrays["vocabulary_bytes"] = np.frombuffer(b"".join(words), dtype=np.uint8)
        arrays["vocabulary_offsets"] = np.cumsum([0, *map(len, words)], dtype=np.int64)
    if model.soft_counts is not None:
        soft = model.soft_counts
        arrays |= dict(zip(SOFT_ARRAYS, (soft.indptr, soft.indices, soft.data), strict=True))
    types = COUNT_ARRAYS | VOCABULARY_ARRAYS | SOFT_ARRAYS
    return {name: np.asarray(array, dtype=types[name]) for name, array in arrays.items()}


def _npy_header(array: npt.NDArray[Any]) -> bytes:
    """Make the one header for a type and length (NumPy's padding varies), so that reading compares, not parses."""
    text = f"{{'descr': '{array.dtype.str}', 'fortran_order': False, 'shape': ({len(array)},), }}"
    start = b"\x93NUMPY\x01\x00" + (NPY_HEADER_SIZE - 10).to_bytes(2, "little")
    return start + text.ljust(NPY_HEADER_SIZE - 11).encode("ascii") + b"\n"


def _describe(array: npt.NDArray[Any], npy: bytes) -> dict[str, Any]:
    digest = hashlib.sha256(npy).hexdigest()
    return {"dtype": array.dtype.str, "shape": [len(array)], "bytes": len(npy), "sha256": digest}


def _manifest_bytes(model: Model, entries: dict[str, dict[str, Any]]) -> bytes:
    _check_plain("parameters", model.parameters)
    _check_plain("fit", model.fit)
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "library_version": __version__,
        "n_topics": model.n_topics,
        "n_words": model.n_words,
        "parameters": model.parameters,
        "fit": model.fit,
        "arrays": entries,
    }
    data = json.dumps(manifest, allow_nan=False, sort_keys=True, indent=1).encode("ascii")
    if len(data) > MANIFEST_LIMIT:
        raise ValueError(
            f"parameters and fit take {len(data)} bytes; a model file allows {MANIFEST_LIMIT}: shorten them"
        )
    return data


def _check_plain(name: str, value: object) -> None:
    """Refuse what JSON would change in silence (tuples, number keys) as well as what it cannot write."""
    try:
        plain = isinstance(value, dict) and json.loads(json.dumps(value, allow_nan=False, sort_keys=True)) == value
        reason = "" if plain else "it reads back changed"
    except (TypeError, ValueError, RecursionError) as error:
        reason = str(error)
    if reason:
        raise ValueError(
            f"cannot save {name} {reprlib.repr(value)} ({reason}); "
            "pass a dict of None, bool, int, finite float, str, and lists and dicts with str keys of these"
        )


def _write_sealed_zip(file: BinaryIO, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)  # always dated 1980; system and rights fixed too, so that bytes are the same
            info.create_system = 3
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)
        archive.comment = SEAL + b"0" * DIGEST_SIZE
    end = file.seek(-DIGEST_SIZE, os.SEEK_END)
    digest = _digest(file, end)
    file.seek(end)
    file.write(digest)


def _digest(file: BinaryIO, size: int) -> bytes:
    digest = hashlib.sha256()
    file.seek(0)
    while chunk := file.read(min(size, 1 << 20)):
        digest.update(chunk)
        size -= len(chunk)
    return digest.hexdigest().encode("ascii")


def _read_model(file: BinaryIO) -> Model:
    size = _check_seal(file)
    with zipfile.ZipFile(file) as archive:
        manifest = _read_manifest(archive, size)
        arrays = _read_arrays(archive, manifest["arrays"], size)
    shape = manifest["n_topics"], manifest["n_words"]
    counts = _build_counts([arrays[name] for name in COUNT_ARRAYS], *shape)
    soft = _build_counts([arrays[name] for name in SOFT_ARRAYS], *shape) if "soft_counts_data" in arrays else None
    vocabulary = _build_vocabulary(arrays, manifest["n_words"])
    return Model(counts, vocabulary, manifest["parameters"], manifest["fit"], soft)


def _check_seal(file: BinaryIO) -> int:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if file.read(4) != b"PK\x03\x04":
        raise ModelFileError("is not a model file: it is no zip archive; pass a file written by save()")
    file.seek(max(0, size - len(SEAL) - DIGEST_SIZE))
    seal = file.read()
    if not seal.startswith(SEAL):
        raise ModelFileError(f"is cut short, or not a model file: the checksum at its end is missing; {REPAIR}")
    if _digest(file, size - DIGEST_SIZE) != seal[len(SEAL) :]:
        raise ModelFileError(f"is damaged: its bytes do not match the checksum at its end; {REPAIR}")
    return size


def _read_manifest(archive: zipfile.ZipFile, size: int) -> dict[str, Any]:
    first = archive.infolist()[0]
    if first.orig_filename != MANIFEST:
        raise ModelFileError(f"begins with {reprlib.repr(first.orig_filename)}, not with {MANIFEST}; {REPAIR}")
    _check_stored(first, min(size, MANIFEST_LIMIT))
    manifest = json.loads(archive.read(first).decode("ascii"), parse_constant=_refuse_constant)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ModelFileError(f"has a manifest without the format {FORMAT!r}; pass a file written by save()")
    version = manifest.get("format_version")
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise ModelFileError(
            f"was made by a newer version, crisptopics {reprlib.repr(manifest.get('library_version'))} with format "
            f"{version}; this version reads up to format {FORMAT_VERSION}: upgrade crisptopics"
        )
    if {key: type(value) for key, value in manifest.items()} != MANIFEST_TYPES or version != FORMAT_VERSION:
        raise ModelFileError(f"has missing, unknown or mistyped fields in its manifest; {REPAIR}")
    return manifest


def _refuse_constant(constant: str) -> NoReturn:
    raise ModelFileError(f"holds the number {constant} in its manifest, where numbers are finite; {REPAIR}")


def _read_arrays(archive: zipfile.ZipFile, entries: dict[str, Any], size: int) -> dict[str, npt.NDArray[Any]]:
    types = COUNT_ARRAYS | (VOCABULARY_ARRAYS if "vocabulary_bytes" in entries else {})
    types |= SOFT_ARRAYS if "soft_counts_data" in entries else {}
    _, *infos = archive.infolist()
    _check_names([info.orig_filename for info in infos], [f"{name}.npy" for name in types])
    _check_names(sorted(entries), sorted(types))
    for info in infos:
        _check_stored(info, size)
    return {
        name: _read_array(archive, info, dtype, entries[name])
        for (name, dtype), info in zip(types.items(), infos, strict=True)
    }


def _check_names(found: list[str], expected: list[str]) -> None:
    if found != expected:
        raise ModelFileError(f"holds {reprlib.repr(found)} instead of {expected}; {REPAIR}")


def _check_stored(info: zipfile.ZipInfo, limit: int) -> None:
    if info.compress_type != zipfile.ZIP_STORED or info.flag_bits != 0:
        raise ModelFileError(f"holds {info.orig_filename!r} compressed or encrypted, not stored as it is; {REPAIR}")
    if info.compress_size != info.file_size or info.file_size > limit:
        raise ModelFileError(
            f"claims {info.file_size} bytes for {info.orig_filename!r}, where at most {limit} fit; {REPAIR}"
        )


def _read_array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, dtype: str, entry: dict[str, Any]) -> npt.NDArray[Any]:
    if not isinstance(entry, dict) or entry.get("bytes") != info.file_size:
        raise ModelFileError(f"holds {info.file_size} bytes of {info.orig_filename!r}, unlike its manifest; {REPAIR}")
    npy = archive.read(info)
    array = np.frombuffer(npy, dtype=dtype, offset=NPY_HEADER_SIZE)
    if npy[:NPY_HEADER_SIZE] != _npy_header(array):
        raise ModelFileError(f"holds {info.orig_filename!r} that is not {len(array)} numbers {dtype}; {REPAIR}")
    if entry != _describe(array, npy):
        raise ModelFileError(
            f"holds {info.orig_filename!r} with another type, shape or hash than its manifest; {REPAIR}"
        )
    return array.astype(array.dtype.newbyteorder("="))  # a copy, because frombuffer's array cannot be written to


def _build_counts(arrays: list[npt.NDArray[Any]], n_topics: int, n_words: int) -> csr_array:
    indptr, indices, data = arrays
    _check_cuts("counts", indptr, n_topics, len(indices))
    # SciPy itself makes int32 offsets wherever they fit, and int64 ones would turn the word ids into int64 too.
    indptr = indptr.astype(np.int32 if len(indices) < 2**31 else np.int64)
    return csr_array((data, indices, indptr), shape=(n_topics, n_words))


def _build_vocabulary(arrays: dict[str, npt.NDArray[Any]], n_words: int) -> tuple[str, ...] | None:
    if "vocabulary_bytes" not in arrays:
        return None
    text, offsets = arrays["vocabulary_bytes"].tobytes(), arrays["vocabulary_offsets"]
    _check_cuts("vocabulary", offsets, n_words, len(text))
    return tuple(text[start:end].decode("utf-8") for start, end in pairwise(offsets.tolist()))


def _check_cuts(name: str, offsets: npt.NDArray[Any], parts: int, size: int) -> None:
    whole = len(offsets) == parts + 1 and len(offsets) > 0 and offsets[0] == 0 and offsets[-1] == size
    if not whole or np.any(offsets[1:] < offsets[:-1]):
        raise ModelFileError(f"holds {name} whose offsets do not cut {size} entries into {parts} parts; {REPAIR}")
