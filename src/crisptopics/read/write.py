"""A Corpus into files: its texts where it has them, or its counts in the formats that others read."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from crisptopics.corpus import Corpus
from crisptopics.details import Details
from crisptopics.errors import CorpusError, MissingExtraError
from crisptopics.read.beside import stem_of, vocabulary_name
from crisptopics.read.formats import SUFFIXES
from crisptopics.read.sources import COMPRESSED_SUFFIXES
from crisptopics.save import write_atomically

ROWS_AT_ONCE = 1 << 16


def write_corpus(corpus: Corpus, path: str | os.PathLike[str], *, format: str | None = None) -> list[Path]:  # noqa: A002
    """Write a corpus to a file, and what that cannot hold to files beside it.

    Texts go to CSV, TSV, JSONL, Parquet, or lines; counts to UCI, LDA-C, svmlight, Matrix Market or .npz, with the
    words in NAME.vocab.txt (vocab.NAME.txt for docword.NAME.txt), and names, labels and dates in NAME.names.txt and so
    on. Each file appears whole or not at all, the one that was asked for last.

    Parameters
    ----------
    corpus
        The corpus.
    path
        The file; its name says the format and the compression: .gz, .xz, .zst or .bz2.
    format
        The format, where the name does not say it.

    Returns
    -------
    The files written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> corpus = Corpus.from_tokens([["cat", "dog"], ["cat"]])
    >>> with TemporaryDirectory() as folder:
    ...     [file.name for file in write_corpus(corpus, f"{folder}/docword.pets.txt.gz")]
    ['vocab.pets.txt', 'docword.pets.txt.gz']
    """
    target = Path(path)
    form = format or format_of(target)
    if form not in _WRITERS:
        raise CorpusError(f"cannot write the format {form!r}; accepted are {', '.join(_WRITERS)}")
    has_texts = corpus.details is not None and corpus.details.texts is not None
    if form in TEXT_FORMATS and not has_texts:
        raise CorpusError(
            f"this corpus has counts but no texts, which {form} needs; write it as uci, ldac, svmlight, mtx or npz, or"
            " read it with keep_texts=True"
        )
    files = {} if form in TEXT_FORMATS else _beside(corpus, target, form)
    for file, lines in files.items():
        write_atomically(file, lambda raw, lines=lines: _write_lines(raw, lines))  # type: ignore[misc]
    write_atomically(target, lambda raw: _packed(corpus, target, raw, _WRITERS[form]))
    return [*files, target]


def format_of(path: Path) -> str:
    """Name the format that a file to be written shall have.

    Examples
    --------
    >>> format_of(Path("docword.kos.txt.gz")), format_of(Path("a.jsonl"))
    ('uci', 'jsonl')
    """
    inner = Path(path.stem) if path.suffix.lower() in COMPRESSED_SUFFIXES else path
    if inner.name.startswith("docword"):
        return "uci"
    suffix = inner.suffix.lower()
    form = "lines" if suffix == ".txt" else SUFFIXES.get(suffix)
    if form is None or path.suffix.lower() == ".zip":
        raise CorpusError(
            f"{path.name} does not say its format; accepted are names such as a.csv, a.tsv, a.jsonl, a.parquet, a.txt,"
            " docword.a.txt, a.ldac, a.svmlight, a.mtx, a.npz, also with .gz, .xz, .zst or .bz2; or pass format=..."
        )
    return form


def _packed(corpus: Corpus, path: Path, raw: BinaryIO, write: Callable[[Corpus, BinaryIO], None]) -> None:
    opener = _PACKERS.get(path.suffix.lower())
    if opener is None:
        write(corpus, raw)
        return
    with opener(raw) as file:
        write(corpus, file)


def _zstd(raw: BinaryIO) -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.ZstdFile(raw, "wb")
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError("writing .zst needs zstandard; pip install 'crisptopics[io]'") from error
    return zstandard.ZstdCompressor().stream_writer(raw, closefd=False)


_PACKERS: dict[str, Callable[[BinaryIO], AbstractContextManager[Any]]] = {
    ".gz": lambda raw: gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0),
    ".xz": lambda raw: lzma.LZMAFile(raw, "wb"),  # noqa: SIM115 (opened here, closed where it is used)
    ".bz2": lambda raw: bz2.BZ2File(raw, "wb"),
    ".zst": _zstd,
}


def _beside(corpus: Corpus, target: Path, form: str) -> dict[Path, list[str]]:
    """Name the files beside a file of counts, and what they hold."""
    details = corpus.details or Details()
    files = {}
    if corpus.vocabulary is not None or form in ("ldac", "svmlight"):  # these do not say how many words there are
        files[target.with_name(vocabulary_name(target.name))] = list(corpus.word_names)
    for part, values in (("names", corpus.names), ("labels", details.labels), ("dates", details.dates)):
        if values is not None:
            files[target.with_name(f"{stem_of(target.name)}.{part}.txt")] = list(values)
    for path, lines in files.items():
        for number, line in enumerate(lines, 1):
            if "\n" in line or line.endswith("\r"):
                raise CorpusError(
                    f"{line!r:.60} cannot be line {number} of {path.name}, for it has a line break; rename it"
                )
    return files


def _write_lines(raw: BinaryIO, lines: list[str]) -> None:
    raw.write("".join(f"{line}\n" for line in lines).encode("utf-8"))


def _rows(corpus: Corpus) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the words and counts of each document."""
    for start in range(0, corpus.n_documents, ROWS_AT_ONCE):
        bounds = corpus.indptr[start : start + ROWS_AT_ONCE + 1]
        words = corpus.words[bounds[0] : bounds[-1]].tolist()
        counts = corpus.counts[bounds[0] : bounds[-1]].tolist()
        for first, last in pairwise((bounds - bounds[0]).tolist()):
            yield words[first:last], counts[first:last]


def _write_uci(corpus: Corpus, file: BinaryIO) -> None:
    file.write(f"{corpus.n_documents}\n{corpus.n_words}\n{corpus.n_entries}\n".encode("ascii"))
    for document, (words, counts) in enumerate(_rows(corpus), 1):
        pairs = zip(words, counts, strict=True)
        file.write("".join(f"{document} {word + 1} {count}\n" for word, count in pairs).encode("ascii"))


def _write_ldac(corpus: Corpus, file: BinaryIO) -> None:
    for words, counts in _rows(corpus):
        pairs = "".join(f" {word}:{count}" for word, count in zip(words, counts, strict=True))
        file.write(f"{len(words)}{pairs}\n".encode("ascii"))


def _write_svmlight(corpus: Corpus, file: BinaryIO) -> None:
    labels = (corpus.details and corpus.details.labels) or ("",) * corpus.n_documents
    numbers = {label: number for number, label in enumerate(sorted(set(labels)))}
    for label, (words, counts) in zip(labels, _rows(corpus), strict=True):
        pairs = "".join(f" {word + 1}:{count}" for word, count in zip(words, counts, strict=True))
        file.write(f"{numbers[label]}{pairs}\n".encode("ascii"))


def _write_mtx(corpus: Corpus, file: BinaryIO) -> None:
    head = f"%%MatrixMarket matrix coordinate integer general\n{corpus.n_documents} {corpus.n_words} "
    file.write(f"{head}{corpus.n_entries}\n".encode("ascii"))
    for document, (words, counts) in enumerate(_rows(corpus), 1):
        pairs = zip(words, counts, strict=True)
        file.write("".join(f"{document} {word + 1} {count}\n" for word, count in pairs).encode("ascii"))


def _write_npz(corpus: Corpus, file: BinaryIO) -> None:
    from scipy import sparse

    sparse.save_npz(file, corpus.counts_matrix())


def _table(corpus: Corpus) -> dict[str, tuple[str, ...]]:
    """Give the columns of a table of texts, those that there are."""
    details = corpus.details or Details()
    columns = {"id": corpus.names, "label": details.labels, "date": details.dates, "text": details.texts}
    return {name: values for name, values in columns.items() if values is not None}


def _as_text(file: BinaryIO, write: Callable[[TextIO], None]) -> None:
    text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
    write(text)
    text.detach()


def _write_csv(corpus: Corpus, file: BinaryIO, delimiter: str = ",") -> None:
    def write(text: TextIO) -> None:
        table = _table(corpus)
        # A lone carriage return ends a line for every reader that is not strict, so it must be quoted as well.
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))

    _as_text(file, write)


def _write_tsv(corpus: Corpus, file: BinaryIO) -> None:
    _write_csv(corpus, file, "\t")


def _write_jsonl(corpus: Corpus, file: BinaryIO) -> None:
    table = _table(corpus)
    for values in zip(*table.values(), strict=True):
        line = json.dumps(dict(zip(table, values, strict=True)), ensure_ascii=False)
        file.write(f"{line}\n".encode())


def _write_lines_of_text(corpus: Corpus, file: BinaryIO) -> None:
    for text in _table(corpus)["text"]:
        file.write(f"{' '.join(text.split())}\n".encode())


def _write_parquet(corpus: Corpus, file: BinaryIO) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("writing Parquet needs pyarrow; pip install 'crisptopics[io]'") from error
    parquet.write_table(pyarrow.table({name: list(values) for name, values in _table(corpus).items()}), file)


_WRITERS: dict[str, Callable[[Corpus, BinaryIO], None]] = {
    "csv": _write_csv,
    "tsv": _write_tsv,
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
    "lines": _write_lines_of_text,
    "uci": _write_uci,
    "ldac": _write_ldac,
    "svmlight": _write_svmlight,
    "mtx": _write_mtx,
    "npz": _write_npz,
}
TEXT_FORMATS = ("csv", "tsv", "jsonl", "parquet", "lines")
