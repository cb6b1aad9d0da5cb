"""Topics, documents and words as data frames of pandas, polars or Arrow, for people to read."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics import kernels
from crisptopics.corpus import Corpus
from crisptopics.errors import MissingExtraError

FrameKind: TypeAlias = Literal["pandas", "polars", "pyarrow"]


def topics_frame(topic_words: sparse.csr_array, top_words: Sequence[Sequence[str]], kind: FrameKind = "pandas") -> Any:
    """Return one row for each topic: its tokens, their share of all, and its most frequent words.

    Examples
    --------
    >>> topics_frame(sparse.csr_array([[2, 7], [1, 0]]), [["rain", "sun"], ["sun"]])["words"].tolist()
    ['rain sun', 'sun']
    """
    tokens = np.asarray(topic_words.sum(axis=1))
    lists = [" ".join(words) for words in top_words]
    columns = {"tokens": tokens, "share": tokens / max(1, tokens.sum()), "words": lists}
    return make_frame(columns, kind, {"topic": range(len(lists))})


def top_words(topic_words: sparse.csr_array, topic: int, top: int) -> list[int]:
    """Return the columns of a topic's most frequent words; among equals the first columns.

    Examples
    --------
    >>> top_words(sparse.csr_array([[2, 7, 2]]), 0, 2)
    [1, 0]
    """
    row = slice(topic_words.indptr[topic], topic_words.indptr[topic + 1])
    order = np.argsort(-topic_words.data[row], kind="stable")[:top]
    return [int(column) for column in topic_words.indices[row][order]]


def documents_frame(corpus: Corpus, shares: sparse.csr_array, kind: FrameKind = "pandas") -> Any:
    """Return one row for each document: its tokens, main topic (-1 if none), topics used, and share of each topic.

    Examples
    --------
    >>> documents_frame(Corpus.from_counts([[3, 1]]), sparse.csr_array([[0.25, 0.75]]))["topic"].tolist()
    [1]
    """
    rows = corpus.document_of
    dense = shares.toarray()
    used = np.diff(shares.indptr)
    columns = {
        "tokens": np.bincount(rows, weights=corpus.counts, minlength=len(corpus)).astype(np.int64),
        "topic": np.where(used > 0, dense.argmax(axis=1), -1),
        "n_topics": used,
    } | {f"topic{topic}": dense[:, topic] for topic in range(dense.shape[1])}
    return make_frame(columns, kind, {"document": _document_names(corpus)})


def words_frame(
    corpus: Corpus, topics: npt.NDArray[np.uint16], words: Sequence[str], kind: FrameKind = "pandas"
) -> Any:
    """Return one row for each word of each document: document, word, count and topic (-1 if none).

    Examples
    --------
    >>> words_frame(Corpus.from_counts([[3, 1]]), np.array([0, 1], dtype=np.uint16), ["sun", "rain"])["topic"].tolist()
    [0, 1]
    """
    rows = corpus.document_of
    columns = {
        "document": np.asarray(_document_names(corpus))[rows],
        "word": np.asarray(words, dtype=object)[corpus.words],
        "count": corpus.counts,
        "topic": np.where(topics == kernels.NO_TOPIC, -1, topics.astype(np.int32)),
    }
    return make_frame(columns, kind)


def _document_names(corpus: Corpus) -> Any:
    return range(len(corpus)) if corpus.names is None else np.asarray(corpus.names, dtype=object)


def make_frame(columns: Mapping[str, Any], kind: FrameKind, index: Mapping[str, Any] | None = None) -> Any:
    """Make a frame; the index is pandas' own, and the first column elsewhere.

    Examples
    --------
    >>> make_frame({"topic": [0, 1]}, "polars").columns
    ['topic']
    """
    if kind not in get_args(FrameKind):
        known = ", ".join(map(repr, get_args(FrameKind)))
        raise ValueError(f"kind={kind!r} is no kind of data frame; choose one of {known}")
    try:
        package = importlib.import_module(kind)
    except ImportError as error:
        install = "'crisptopics[frames]'" if kind == "pandas" else kind
        raise MissingExtraError(f"data frames need {kind}; install it with: pip install {install}") from error
    if kind == "pandas":
        named = [package.Index(values, name=name) for name, values in (index or {}).items()]
        return package.DataFrame(columns, index=named[0] if named else None)
    import narwhals as nw

    return nw.from_dict({**(index or {}), **columns}, backend=kind).to_native()
