"""Files of counts: UCI, LDA-C, svmlight, Matrix Market and SciPy's npz."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn
from zipfile import is_zipfile

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics.corpus import Corpus
from crisptopics.details import Details
from crisptopics.errors import CorpusError
from crisptopics.mapped import open_npz
from crisptopics.read.beside import PARTS, find_vocabulary, read_beside, read_word_list
from crisptopics.read.dates import iso_date
from crisptopics.read.sources import Source

LARGEST = 2**31 - 1
CHUNK = 1 << 22
MOST_EMPTY = 1000  # more empty documents or unused words for each entry are a mistake, or made to fill memory
_END = rb"[ \t]*+\r?+\n"
_TRIPLES = re.compile(rb"(?:[ \t]*+\d{1,18}+[ \t]++\d{1,18}+[ \t]++\d{1,18}+" + _END + rb"|[ \t]*+\r?+\n)*+")
_HEADS = re.compile(rb"(?m)^[ \t]*+\d++")
_PAIRS = re.compile(rb"(?:[ \t]*+\d{1,18}+(?:[ \t]++\d{1,18}+:\d{1,18}+)*+" + _END + rb")*+")


def read_uci(source: Source) -> sparse.coo_array:
    r"""Read the numbers of documents, words and entries, then a line "document word count" for each entry, from 1.

    Examples
    --------
    >>> file = io.BufferedReader(io.BytesIO(b"2\n3\n3\n1 1 2\n1 3 1\n2 2 4\n"))
    >>> read_uci(Source("docword.txt", None, file)).toarray()
    array([[2, 0, 1],
           [0, 4, 0]], dtype=int32)
    """
    n_documents, n_words, n_entries = (_size(source, line, source.file.readline(100)) for line in (1, 2, 3))
    parts, line = [np.empty((3, 0), np.int32)], 4
    for chunk in _chunks(source):
        if not _TRIPLES.fullmatch(chunk):
            _refuse_line(source, chunk, line, _TRIPLES, "three whole numbers: document, word, count")
        triples = _numbers(chunk).reshape(-1, 3)
        for column, (what, most) in enumerate((("document", n_documents), ("word", n_words), ("count", LARGEST))):
            outside = (triples[:, column] < 1) | (triples[:, column] > most)
            if outside.any():
                row = int(np.argmax(outside))
                raise CorpusError(
                    f"{source.name}, about line {line + row}: {what} {triples[row, column]}; accepted are 1 to {most};"
                    " mend it"
                )
        parts.append(triples.T.astype(np.int32))
        line += chunk.count(b"\n")
    documents, words, counts = np.concatenate(parts, axis=1)
    if len(counts) != n_entries:
        raise CorpusError(
            f"{source.name}: line 3 announces {n_entries} entries; received {len(counts)}; the file is cut short or"
            " was changed; fetch it again"
        )
    return sparse.coo_array((counts, (documents - 1, words - 1)), shape=(n_documents, n_words))


def _size(source: Source, line: int, text: bytes) -> int:
    if text.strip().isdigit() and int(text) <= LARGEST:
        return int(text)
    raise CorpusError(
        f"{source.name}, line {line}: {text[:40].strip()!r}; a UCI file begins with the numbers of documents, words and"
        " entries, a line each; mend it, or name another format"
    )


def read_ldac(source: Source) -> sparse.csr_array:
    r"""Read a line for each document: how many different words, then "word:count" for each, from 0.

    Examples
    --------
    >>> file = io.BufferedReader(io.BytesIO(b"2 0:2 2:1\n1 1:4\n"))
    >>> read_ldac(Source("a.ldac", None, file)).toarray()
    array([[2, 0, 1],
           [0, 4, 0]], dtype=int32)
    """
    expected = "a number of words, then as many pairs word:count"
    lengths: list[int] = []
    parts, line = [np.empty((2, 0), np.int32)], 1
    for chunk in _chunks(source):
        if not _PAIRS.fullmatch(chunk):
            _refuse_line(source, chunk, line, _PAIRS, expected)
        for number, text in enumerate(chunk.removesuffix(b"\n").split(b"\n"), line):
            lengths.append(text.count(b":"))
            if int(text.split(maxsplit=1)[0]) != lengths[-1]:
                raise CorpusError(
                    f"{source.name}, line {number}: {text[:40]!r} has {lengths[-1]} pairs; accepted is {expected};"
                    " mend it"
                )
        line += chunk.count(b"\n")
        pairs = _numbers(_HEADS.sub(b"", chunk).replace(b":", b" ")).reshape(-1, 2)
        if (pairs >= (LARGEST, LARGEST + 1)).any():
            raise CorpusError(f"{source.name}, before line {line}: a word or a count is above {LARGEST}; mend it")
        parts.append(pairs.T.astype(np.int32))
    words, counts = np.concatenate(parts, axis=1)
    indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return sparse.csr_array((counts, words, indptr), shape=(len(lengths), int(words.max(initial=-1)) + 1))


def read_svmlight(source: Source) -> tuple[Any, list[str]]:
    r"""Read a line for each document: its label, then "word:count" for each word, from 1 (or 0, if any word is 0).

    Examples
    --------
    >>> file = io.BufferedReader(io.BytesIO(b"7 1:2 3:1\n9 2:4\n"))
    >>> read_svmlight(Source("a.svm", None, file))[1]
    ['7', '9']
    """
    from sklearn.datasets import load_svmlight_file

    if not source.head().strip():
        return sparse.csr_array((0, 0), dtype=np.int32), []
    try:
        matrix, labels = load_svmlight_file(source.file)
    except (ValueError, OverflowError) as error:
        raise CorpusError(
            f"{source.name} is no svmlight file: {error}; accepted are lines such as '1 3:2 17:1'; mend it"
        ) from error
    return matrix, [f"{label:g}" for label in labels] if len(set(labels)) > 1 else []


def read_mtx(source: Source) -> Any:
    r"""Read a Matrix Market file with a row for each document.

    Examples
    --------
    >>> text = b"%%MatrixMarket matrix coordinate integer general\n2 3 1\n1 3 5\n"
    >>> read_mtx(Source("a.mtx", None, io.BufferedReader(io.BytesIO(text)))).toarray()
    array([[0, 0, 5],
           [0, 0, 0]])
    """
    from scipy.io import mmread

    try:
        return mmread(io.BytesIO(source.file.read()))
    except (ValueError, OverflowError, MemoryError) as error:
        raise CorpusError(f"{source.name} is no Matrix Market file: {error}; write it with scipy.io.mmwrite") from error


def read_npz(source: Source) -> Any:
    """Read what scipy.sparse.save_npz has written; from an uncompressed file counts are mapped, not read.

    Examples
    --------
    >>> file = io.BytesIO()
    >>> sparse.save_npz(file, sparse.csr_array([[0, 2]]))
    >>> _ = file.seek(0)
    >>> read_npz(Source("a.npz", None, io.BufferedReader(file))).toarray()
    array([[0, 2]])
    """
    try:
        if source.path is not None and source.path.name == source.name and is_zipfile(source.path):
            return open_npz(source.path)
        return sparse.load_npz(io.BytesIO(source.file.read()))
    except Exception as error:  # whatever zipfile, NumPy and SciPy raise for broken files
        raise CorpusError(
            f"{source.name} is no .npz of a sparse matrix ({error}); write it with scipy.sparse.save_npz"
        ) from error


COUNT_READERS: dict[str, Callable[[Source], Any]] = {
    "uci": read_uci,
    "ldac": read_ldac,
    "svmlight": read_svmlight,
    "mtx": read_mtx,
    "npz": read_npz,
}


def read_counts(source: Source, form: str) -> Corpus:
    r"""Read a file of counts, and the words, names, labels and dates in files beside it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from crisptopics.read.sources import open_source
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "docword.a.txt").write_text("1\n2\n1\n1 2 5\n")
    ...     _ = Path(folder, "vocab.a.txt").write_text("cat\ndog\n")
    ...     with open_source(Path(folder, "docword.a.txt")) as source:
    ...         read_counts(source, "uci").vocabulary
    ('cat', 'dog')
    """
    found = COUNT_READERS[form](source)
    matrix, labels = found if isinstance(found, tuple) else (found, [])
    words = _words(source, matrix.shape[1], can_grow=form in ("ldac", "svmlight"))
    if words is not None and len(words) > matrix.shape[1]:
        matrix.resize(matrix.shape[0], len(words))
    _check_shape(source, matrix)
    try:
        corpus = Corpus.from_counts(matrix, words)
    except CorpusError as error:
        raise CorpusError(f"{source.name}: {error}") from error
    names, labels_beside, dates = (read_beside(source, part, len(corpus)) for part in PARTS)
    labels = labels_beside or labels
    details = Details(
        tuple(labels) if labels else None, None if dates is None else tuple(iso_date(date) for date in dates)
    )
    return Corpus(
        corpus.indptr,
        corpus.words,
        corpus.counts,
        corpus.n_words,
        corpus.vocabulary,
        None if names is None else tuple(names),
        details,
    )


def _check_shape(source: Source, matrix: Any) -> None:
    """Refuse what only claims to be large, before arrays of that length are made."""
    n_entries = getattr(matrix, "nnz", matrix.size)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise CorpusError(f"{source.name} holds counts of shape {matrix.shape}; accepted are documents with words")
    if max(matrix.shape) > MOST_EMPTY * (n_entries + MOST_EMPTY):
        raise CorpusError(
            f"{source.name} announces {matrix.shape[0]:,} documents of {matrix.shape[1]:,} words, and has {n_entries:,}"
            " entries; these sizes must be wrong; mend them"
        )


def _words(source: Source, n_columns: int, *, can_grow: bool) -> list[str] | None:
    """Read the vocabulary; LDA-C and svmlight do not say how many words there are beyond those that occur."""
    path = find_vocabulary(source)
    if path is None:
        return None
    words = read_word_list(path)
    if len(words) != n_columns and not (can_grow and len(words) > n_columns):
        raise CorpusError(
            f"{path.name} has {len(words)} words for the {n_columns} columns of {source.name}; put the words that"
            f" belong to it there, or move {path.name} away"
        )
    return words


def _chunks(source: Source) -> Iterator[bytes]:
    """Yield some megabytes of whole lines at a time; the last one ends as the others do."""
    while chunk := source.file.read(CHUNK):
        chunk += source.file.readline()
        yield chunk if chunk.endswith(b"\n") else chunk + b"\n"


def _numbers(text: bytes) -> npt.NDArray[np.int64]:
    """Parse numbers between white space; NumPy finds one in white space alone."""
    return np.fromstring(text, dtype=np.int64, sep=" ") if text.strip() else np.empty(0, np.int64)


def _refuse_line(source: Source, chunk: bytes, first: int, pattern: re.Pattern[bytes], expected: str) -> NoReturn:
    lines = chunk.split(b"\n")
    number = next(number for number, line in enumerate(lines) if not pattern.fullmatch(line + b"\n"))
    shown = lines[number][:60].rstrip(b"\r")
    raise CorpusError(f"{source.name}, line {first + number}: {shown!r}; accepted are {expected}; mend it")
