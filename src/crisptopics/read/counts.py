"""Files of counts: UCI, LDA-C, svmlight, Matrix Market and SciPy's npz."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics.corpus import Corpus
from crisptopics.errors import CorpusError
from crisptopics.read.sources import COMPRESSED_SUFFIXES, Source, open_source

LARGEST = 2**31 - 1


def read_uci(source: Source) -> sparse.csr_array:
    r"""Read the numbers of documents, words and entries, and a line "document word count" for each entry, from 1.

    Examples
    --------
    >>> import io
    >>> file = io.BufferedReader(io.BytesIO(b"2\n3\n3\n1 1 2\n1 3 1\n2 2 4\n"))
    >>> read_uci(Source("docword.txt", None, file)).toarray()
    array([[2, 0, 1],
           [0, 4, 0]], dtype=int32)
    """
    sizes = [_whole_number(source, line, source.file.readline(100)) for line in (1, 2, 3)]
    n_documents, n_words, n_entries = sizes
    parts, line = [np.empty((0, 3), np.int64)], 4
    while lines := source.file.readlines(1 << 22):
        parts.append(_triples(source, lines, line))
        line += len(lines)
    entries = np.concatenate(parts)
    if len(entries) != n_entries:
        raise CorpusError(
            f"{source.name}: line 3 announces {n_entries} entries; received {len(entries)}; the file is cut short or"
            " was changed; fetch it again"
        )
    for column, (what, most) in enumerate((("document", n_documents), ("word", n_words), ("count", LARGEST))):
        outside = (entries[:, column] < 1) | (entries[:, column] > most)
        if outside.any():
            row = int(np.argmax(outside))
            raise CorpusError(
                f"{source.name}, line {row + 4}: {what} {entries[row, column]}; accepted are 1 to {most}; mend it"
            )
    documents, words, counts = entries.T
    return sparse.coo_array((counts.astype(np.int32), (documents - 1, words - 1)), shape=(n_documents, n_words)).tocsr()


def _whole_number(source: Source, line: int, text: bytes) -> int:
    if text.strip().isdigit() and int(text) <= LARGEST:
        return int(text)
    raise CorpusError(
        f"{source.name}, line {line}: {text[:40]!r}; a UCI file begins with the numbers of documents, words and"
        " entries, a line each; mend it, or name another format"
    )


def _triples(source: Source, lines: list[bytes], first: int) -> npt.NDArray[np.int64]:
    values = b"".join(lines).split()
    try:
        numbers = np.array(values, dtype=np.int64) if len(values) == 3 * len(lines) else None
    except (ValueError, OverflowError):
        numbers = None
    if numbers is not None:
        return numbers.reshape(-1, 3)
    good = []
    for line, text in enumerate(lines, first):
        fields = text.split()
        if len(fields) == 3 and all(field.isdigit() and len(field) < 19 for field in fields):
            good.append([int(field) for field in fields])
        elif fields:
            raise CorpusError(
                f"{source.name}, line {line}: {text[:60].rstrip()!r}; accepted are three whole numbers: document, word,"
                " count; mend it"
            )
    return np.array(good, dtype=np.int64).reshape(-1, 3)


def read_npz(source: Source) -> Any:
    """Read what scipy.sparse.save_npz has written.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> sparse.save_npz(file, sparse.csr_array([[0, 2]]))
    >>> _ = file.seek(0)
    >>> read_npz(Source("a.npz", None, io.BufferedReader(file))).toarray()
    array([[0, 2]])
    """
    import io

    try:
        matrix = sparse.load_npz(io.BytesIO(source.file.read()))
    except CorpusError:
        raise
    except Exception as error:  # whatever zipfile, NumPy and SciPy say of broken files
        raise CorpusError(
            f"{source.name} is no .npz of a sparse matrix ({error}); write it with scipy.sparse.save_npz"
        ) from error
    return matrix


COUNT_READERS: dict[str, Callable[[Source], Any]] = {"uci": read_uci, "npz": read_npz}


def read_counts(source: Source, form: str) -> Corpus:
    r"""Read a file of counts, and the words beside it if there is such a file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "docword.a.txt").write_text("1\n2\n1\n1 2 5\n")
    ...     _ = Path(folder, "vocab.a.txt").write_text("cat\ndog\n")
    ...     with open_source(Path(folder, "docword.a.txt")) as source:
    ...         read_counts(source, "uci").vocabulary
    ('cat', 'dog')
    """
    matrix = COUNT_READERS[form](source)
    beside = _vocabulary_file(source)
    if beside is None:
        return Corpus.from_counts(matrix)
    words = read_word_list(beside)
    if len(words) != matrix.shape[1]:
        raise CorpusError(
            f"{beside.name} has {len(words)} words for the {matrix.shape[1]} columns of {source.name}; put the words"
            f" that belong to it there, or move {beside.name} away"
        )
    return Corpus.from_counts(matrix, words)


def _vocabulary_file(source: Source) -> Path | None:
    """Find the file of words beside a file of counts: vocab.X.txt beside docword.X.txt, else X.vocab, or vocab.txt."""
    if source.path is None:
        return None
    stem = Path(source.stem).stem
    names = [f"{stem}.vocab.txt", f"{stem}.vocab", f"{stem}.tokens", f"vocab.{stem}.txt", "vocab.txt"]
    if "docword" in source.stem:
        names.insert(0, source.stem.replace("docword", "vocab"))
    for name in names:
        for suffix in ("", *sorted(COMPRESSED_SUFFIXES)):
            path = source.path.with_name(name + suffix)
            if path.is_file() and path != source.path:
                return path
    return None


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
        raise CorpusError(f"{path.name} is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
