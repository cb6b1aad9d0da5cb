"""A fitted model in the forms of other tools: pyLDAvis, MALLET and ProxAnn."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics.assign import topic_shares
from crisptopics.corpus import Corpus
from crisptopics.errors import CorpusError
from crisptopics.kernels import NO_TOPIC
from crisptopics.save import write_atomically

Path_ = str | os.PathLike[str]


class FittedModel(Protocol):
    """What an export needs of a fitted `CrispTopics`."""

    smoothing: float

    @property
    def topic_word_counts_(self) -> npt.NDArray[np.int64]:
        """Tokens of each word in each topic."""

    @property
    def expected_counts_(self) -> npt.NDArray[np.float64]:
        """The same, or what is expected of them in a mixture."""

    @property
    def components_(self) -> npt.NDArray[np.float64]:
        """The topics."""

    def assign(self, X: Any) -> sparse.csr_array:
        """Return the topic of each entry, -1 for none."""


def pyldavis_arguments(model: FittedModel, corpus: Any) -> dict[str, Any]:
    """Return the arguments of `pyLDAvis.prepare`; `CrispTopics.to_pyldavis` is the same.

    Topics keep their numbers and their order. They are smoothed as for new documents, because pyLDAvis takes
    logarithms of them, and documents without a known word are left out, because it refuses rows of zeros.

    Parameters
    ----------
    model
        A fitted model.
    corpus
        Counts, with the columns of the training matrix.

    Examples
    --------
    >>> from crisptopics import CrispTopics
    >>> model = CrispTopics(2, penalty=2.0, random_state=0).fit([[4, 2, 0], [0, 0, 5]])
    >>> pyldavis_arguments(model, [[4, 2, 0], [0, 0, 5], [0, 0, 0]])["doc_lengths"].tolist()
    [6, 5]
    """
    corpus, topics = _assigned(model, corpus)
    smoothed = model.expected_counts_ + model.smoothing
    shares = topic_shares(corpus, topics, len(smoothed)).toarray()
    matrix = corpus.counts_matrix()
    kept = shares.any(axis=1)
    known = sparse.csr_array((corpus.counts * (topics != NO_TOPIC), matrix.indices, matrix.indptr), shape=matrix.shape)
    return {
        "topic_term_dists": smoothed / smoothed.sum(axis=1, keepdims=True),
        "doc_topic_dists": shares[kept],
        "doc_lengths": np.asarray(known.sum(axis=1))[kept],
        "vocab": _words(model, corpus),
        "term_frequency": np.asarray(known.sum(axis=0)),
        "sort_topics": False,
        "start_index": 0,
    }


def write_mallet_state(model: FittedModel, corpus: Any, path: Path_) -> None:
    """Write the topic of every token as MALLET's `--output-state` does, compressed by gzip.

    Tokens stand in the order of the text where the corpus knows it, else in the order of the columns. Words without a
    topic are left out; white space in names becomes an underscore. The line of alpha has zeros, since the shares of
    topics in a document are not smoothed; beta is the model's `smoothing`.

    Parameters
    ----------
    model
        A fitted model.
    corpus
        Counts, with the columns of the training matrix.
    path
        The file, such as "state.gz"; it appears whole or not at all.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from crisptopics import CrispTopics
    >>> model = CrispTopics(1, penalty=2.0, random_state=0).fit([[2, 0], [0, 1]])
    >>> with TemporaryDirectory() as folder:
    ...     write_mallet_state(model, [[2, 0]], f"{folder}/state.gz")
    ...     print(gzip.open(f"{folder}/state.gz", "rt").read().splitlines()[-1])
    0 0 1 0 w0 0
    """
    corpus, topics = _assigned(model, corpus)
    pieces = _state_pieces(corpus, topics, _words(model, corpus), len(model.topic_word_counts_), model.smoothing)

    def write(file: BinaryIO) -> None:
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:  # no time: equal contents give equal files
            _write_text(packed, pieces)

    write_atomically(path, write)


def write_mallet_doc_topics(model: FittedModel, corpus: Any, path: Path_) -> None:
    r"""Write the shares of topics in documents as MALLET's `--output-doc-topics` does.

    A line has the number of a document, its name, and the share of each topic, separated by tabs.

    Parameters
    ----------
    model
        A fitted model.
    corpus
        Counts, with the columns of the training matrix.
    path
        The file; it appears whole or not at all.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from crisptopics import CrispTopics
    >>> model = CrispTopics(1, penalty=2.0, random_state=0).fit([[2, 0], [0, 1]])
    >>> with TemporaryDirectory() as folder:
    ...     write_mallet_doc_topics(model, [[2, 0]], f"{folder}/topics.txt")
    ...     Path(f"{folder}/topics.txt").read_text()
    '0\t0\t1.0\n'
    """
    corpus, topics = _assigned(model, corpus)
    shares = topic_shares(corpus, topics, len(model.topic_word_counts_))
    names = _without_spaces(_names(corpus))

    def lines() -> Iterator[str]:
        for row, name in enumerate(names):
            yield "\t".join([str(row), name, *map(repr, shares[[row]].toarray()[0].tolist())]) + "\n"

    write_atomically(path, lambda file: _write_text(file, lines()))


def write_proxann(model: FittedModel, corpus: Any, folder: Path_) -> None:
    """Write what ProxAnn reads of a model that it did not train: thetas.npy, betas.npy, vocab.json and corpus.jsonl.

    In corpus.jsonl `text` is a document's text and `tokenized_text` its words; name these columns in ProxAnn's
    configuration as `text_column_disp` and `text_column`.

    Parameters
    ----------
    model
        A fitted model.
    corpus
        A corpus that has the texts of its documents.
    folder
        Where the four files go; it is made where it is missing.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from crisptopics import CrispTopics
    >>> from crisptopics.details import Details
    >>> model = CrispTopics(1, penalty=2.0, random_state=0).fit([[2, 0], [0, 1]])
    >>> corpus = Corpus([0, 1], [0], [2], n_words=2, details=Details(texts=("sun, sun!",)))
    >>> with TemporaryDirectory() as folder:
    ...     write_proxann(model, corpus, folder)
    ...     np.load(f"{folder}/thetas.npy").tolist()
    [[1.0]]
    """
    corpus, topics = _assigned(model, corpus)
    details = corpus.details
    if details is None or details.texts is None:
        raise CorpusError(
            f"{corpus!r} has no texts, which ProxAnn shows; read it with read_corpus(..., keep_texts=True)"
        )
    words, names, texts = _words(model, corpus), _names(corpus), details.texts
    thetas = topic_shares(corpus, topics, len(model.topic_word_counts_)).toarray()

    def lines() -> Iterator[str]:
        for row, (name, text) in enumerate(zip(names, texts, strict=True)):
            tokens = " ".join(words[corpus.words[entry]] for entry in _token_entries(corpus, row))
            line = {"id": name, "text": text, "tokenized_text": tokens}
            yield json.dumps(line, ensure_ascii=False) + "\n"

    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    ids = {word: column for column, word in enumerate(words)}
    write_atomically(target / "thetas.npy", lambda file: np.save(file, thetas))
    write_atomically(target / "betas.npy", lambda file: np.save(file, model.components_))
    write_atomically(target / "vocab.json", lambda file: _write_text(file, [json.dumps(ids, ensure_ascii=False)]))
    write_atomically(target / "corpus.jsonl", lambda file: _write_text(file, lines()))


def _assigned(model: FittedModel, corpus: Any) -> tuple[Corpus, npt.NDArray[np.uint16]]:
    """Return the documents and the topic of each entry."""
    corpus = Corpus.from_counts(corpus)
    topics = model.assign(corpus).data
    return corpus, np.where(topics < 0, NO_TOPIC, topics).astype(np.uint16)


def _token_entries(corpus: Corpus, row: int) -> npt.NDArray[np.int64]:
    """Return the entry of each token of a document, in the order of the text where it is known."""
    first, last = corpus.indptr[row], corpus.indptr[row + 1]
    spans = None if corpus.details is None else corpus.details.spans
    if spans is None:
        return np.repeat(np.arange(first, last), corpus.counts[first:last])
    entries: npt.NDArray[np.int64] = spans.entries[spans.indptr[row] : spans.indptr[row + 1]] + first
    return entries


def _state_pieces(
    corpus: Corpus, topics: npt.NDArray[np.uint16], words: Sequence[str], n_topics: int, beta: float
) -> Iterator[str]:
    """Yield the head of the file, then the lines of each document."""
    yield f"#doc source pos typeindex type topic\n#alpha : {'0.0 ' * n_topics}\n#beta : {beta}\n"
    types = _without_spaces(words)
    for row, name in enumerate(_without_spaces(_names(corpus))):
        entries = _token_entries(corpus, row)
        entries = entries[topics[entries] != NO_TOPIC]
        tokens = enumerate(zip(corpus.words[entries].tolist(), topics[entries].tolist(), strict=True))
        yield "".join(
            f"{row} {name} {position} {column} {types[column]} {topic}\n" for position, (column, topic) in tokens
        )


def _words(model: FittedModel, corpus: Corpus) -> list[str]:
    return list(getattr(model, "feature_names_in_", corpus.word_names))


def _names(corpus: Corpus) -> Sequence[str]:
    return [str(row) for row in range(len(corpus))] if corpus.names is None else corpus.names


def _without_spaces(names: Sequence[str]) -> list[str]:
    return [re.sub(r"\s+", "_", name) or "_" for name in names]


def _write_text(file: Any, pieces: Iterable[str]) -> None:
    for piece in pieces:
        file.write(piece.encode("utf-8", "backslashreplace"))  # a name may hold what UTF-8 cannot
