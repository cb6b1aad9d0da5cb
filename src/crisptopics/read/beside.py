"""Files of one line for each word or document, beside a file of counts: vocabulary, names, labels, dates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crisptopics.errors import CorpusError
from crisptopics.read.sources import COMPRESSED_SUFFIXES, Source, open_source

PARTS = ("names", "labels", "dates")


def stem_of(name: str) -> str:
    """Return a file name without its format and compression: "bow" for "bow.npz.gz".

    Examples
    --------
    >>> stem_of("docword.kos.txt.gz")
    'docword.kos'
    """
    path = Path(name)
    return Path(path.stem).stem if path.suffix.lower() in COMPRESSED_SUFFIXES else path.stem


def vocabulary_name(name: str) -> str:
    """Return what the file of words beside a file of counts is called when we write it.

    Examples
    --------
    >>> vocabulary_name("docword.kos.txt.gz"), vocabulary_name("bow.npz")
    ('vocab.kos.txt', 'bow.vocab.txt')
    """
    stem = stem_of(name)
    if stem.startswith("docword."):
        return f"vocab.{stem.removeprefix('docword.')}.txt"
    return f"{stem}.vocab.txt"


def find_vocabulary(source: Source) -> Path | None:
    """Find the file of words beside a file of counts: vocab.X.txt for docword.X.txt, X.vocab.txt, or vocab.txt.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "docword.a.txt").touch(), Path(folder, "vocab.a.txt").touch()
    ...     with open_source(Path(folder, "docword.a.txt")) as source:
    ...         find_vocabulary(source).name
    'vocab.a.txt'
    """
    stem = stem_of(source.name)
    names = [vocabulary_name(source.name), f"{stem}.vocab", f"{stem}.tokens", f"vocab.{stem}.txt", "vocab.txt"]
    return _find(source, names)


def _find(source: Source, names: Sequence[str]) -> Path | None:
    if source.path is None:
        return None
    for name in names:
        for suffix in ("", *sorted(COMPRESSED_SUFFIXES)):
            path = source.path.with_name(name + suffix)
            if path.is_file() and path != source.path:
                return path
    return None


def read_beside(source: Source, part: str, n_documents: int) -> list[str] | None:
    """Read names, labels or dates beside a file of counts, as `write_corpus` leaves them there.

    Examples
    --------
    >>> import io
    >>> read_beside(Source("standard input", None, io.BufferedReader(io.BytesIO())), "labels", 3)
    """
    path = _find(source, [f"{stem_of(source.name)}.{part}.txt"])
    return None if path is None else read_lines_of(path, n_documents, source.name)


def read_lines_of(path: Path, length: int, name: str) -> list[str]:
    r"""Read as many lines as there are documents or columns.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "labels.txt").write_text("sport\nnews\n")
    ...     read_lines_of(Path(folder, "labels.txt"), 2, "texts.txt")
    ['sport', 'news']
    """
    lines = read_word_list(path)
    if len(lines) != length:
        raise CorpusError(
            f"{path.name} has {len(lines)} lines; accepted are {length}, as {name} has; put there what belongs to it,"
            f" or move {path.name} away"
        )
    return lines


def read_word_list(path: Path) -> list[str]:
    r"""Read a file with a word a line.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "vocab.txt").write_text("cat\ndog\n")
    ...     read_word_list(Path(folder, "vocab.txt"))
    ['cat', 'dog']
    """
    with open_source(path) as source:
        data = source.file.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{path.name}, line {data.count(10, 0, error.start) + 1}: byte 0x{data[error.start]:02x} is not UTF-8;"
            " save the file as UTF-8"
        ) from error
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
