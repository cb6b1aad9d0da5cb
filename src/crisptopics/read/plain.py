"""Plain text: a document a line, a document a file, or a folder of files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from crisptopics.errors import CorpusError
from crisptopics.read.decoding import broken_byte, open_text
from crisptopics.read.rows import Reading, Row
from crisptopics.read.sources import COMPRESSED_SUFFIXES, Source, open_source


def read_lines(source: Source, reading: Reading) -> Iterator[Row]:
    r"""Read a document from each line, empty ones included.

    Examples
    --------
    >>> import io
    >>> from crisptopics.read.account import Account
    >>> from crisptopics.read.columns import Wanted
    >>> source = Source("a.txt", None, io.BufferedReader(io.BytesIO(b"One two\nThree\n")))
    >>> [row.text for row in read_lines(source, Reading(Wanted(), Account()))]
    ['One two', 'Three']
    """
    reading.refuse_columns(source.name, "text", "id", "date")
    labels = reading.label_file(source)
    number = 0
    with open_text(source, reading.encoding) as lines:
        for number, line in enumerate(lines, 1):
            text = line.rstrip("\n")
            if (byte := broken_byte(text)) is not None:
                reading.bad_byte(source, number, text, byte)
            elif labels is None:
                yield Row(text)
            else:
                yield Row(text, label=labels[number - 1] if number <= len(labels) else "")
    if labels is not None:
        reading.label_file(source, number)


def read_text(source: Source, reading: Reading, name: str | None = None, label: str = "") -> Iterator[Row]:
    """Read a whole file as one document.

    Examples
    --------
    >>> import io
    >>> from crisptopics.read.account import Account
    >>> from crisptopics.read.columns import Wanted
    >>> source = Source("a.txt", None, io.BufferedReader(io.BytesIO(b"One two")))
    >>> list(read_text(source, Reading(Wanted(), Account())))
    [Row(text='One two', name='a', label='', date='')]
    """
    reading.refuse_columns(source.name, "text", "label", "id", "date")
    with open_text(source, reading.encoding) as file:
        text = file.read()
    if (byte := broken_byte(text)) is None:
        yield Row(text, Path(source.stem).stem if name is None else name, label)
    else:
        reading.bad_byte(source, text.count("\n", 0, _first_broken(text)) + 1, text, byte)


def read_folder(folder: Path, reading: Reading) -> Iterator[Row]:
    """Read a document from each text file of a folder and of the folders in it, which give the labels.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from crisptopics.read.account import Account
    >>> from crisptopics.read.columns import Wanted
    >>> with TemporaryDirectory() as folder:
    ...     Path(folder, "sport").mkdir()
    ...     _ = Path(folder, "sport", "7.txt").write_text("One two")
    ...     list(read_folder(Path(folder), Reading(Wanted(), Account())))
    [Row(text='One two', name='sport/7', label='sport', date='')]
    """
    reading.refuse_columns(str(folder), "text", "label", "id", "date")
    found = 0
    for path in _text_files(folder):
        found += 1
        place = path.relative_to(folder)
        name = place.as_posix().removesuffix("".join(path.suffixes[-2:]) if _is_packed(path) else path.suffix)
        label = place.parent.as_posix()
        with open_source(path) as source:
            yield from read_text(source, reading, name, "" if label == "." else label)
    if not found:
        others = sorted(entry.name for entry in folder.iterdir())[:5]
        raise CorpusError(
            f"{folder} is a folder without .txt files ({'it holds ' + ', '.join(others) if others else 'it is empty'});"
            " pass a folder of .txt files, or the files themselves as a list"
        )


def _text_files(folder: Path) -> Iterator[Path]:
    """Yield the text files in the order of their names, folder by folder; hidden ones are left out."""
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(root, name)
            inner = Path(path.stem) if _is_packed(path) else path
            if inner.suffix.lower() == ".txt" and not name.startswith("."):
                yield path


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() in COMPRESSED_SUFFIXES


def _first_broken(text: str) -> int:
    return next(place for place, character in enumerate(text) if "\udc80" <= character <= "\udcff")
