"""Topics, documents and words as pandas data frames, for people to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics import kernels
from crisptopics.corpus import Corpus
from crisptopics.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd


def topics_frame(topic_words: sparse.csr_array, top_words: Sequence[Sequence[str]]) -> pd.DataFrame:
    """Return one row for each topic: its tokens, their share of all, and its most frequent words.

    Examples
    --------
    >>> topics_frame(sparse.csr_array([[2, 7], [1, 0]]), [["rain", "sun"], ["sun"]])["words"].tolist()
    ['rain sun', 'sun']
    """
    tokens = np.asarray(topic_words.sum(axis=1))
    lists = [" ".join(words) for words in top_words]
    frame = _pandas().DataFrame({"tokens": tokens, "share": tokens / max(1, tokens.sum()), "words": lists})
    frame.index.name = "topic"
    return frame


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


def documents_frame(corpus: Corpus, shares: sparse.csr_array) -> pd.DataFrame:
    """Return one row for each document: its tokens, main topic (-1 if none), topics used, and share of each topic.

    Examples
    --------
    >>> documents_frame(Corpus.from_counts([[3, 1]]), sparse.csr_array([[0.25, 0.75]]))["topic"].tolist()
    [1]
    """
    rows = np.repeat(np.arange(len(corpus)), np.diff(corpus.indptr))
    dense = shares.toarray()
    used = np.diff(shares.indptr)
    columns = {
        "tokens": np.bincount(rows, weights=corpus.counts, minlength=len(corpus)).astype(np.int64),
        "topic": np.where(used > 0, dense.argmax(axis=1), -1),
        "n_topics": used,
    } | {f"topic{topic}": dense[:, topic] for topic in range(dense.shape[1])}
    return _pandas().DataFrame(columns, index=_document_index(corpus))


def words_frame(corpus: Corpus, topics: npt.NDArray[np.uint16], words: Sequence[str]) -> pd.DataFrame:
    """Return one row for each word of each document: document, word, count and topic (-1 if none).

    Examples
    --------
    >>> words_frame(Corpus.from_counts([[3, 1]]), np.array([0, 1], dtype=np.uint16), ["sun", "rain"])["topic"].tolist()
    [0, 1]
    """
    rows = np.repeat(np.arange(len(corpus)), np.diff(corpus.indptr))
    columns = {
        "document": np.asarray(_document_index(corpus))[rows],
        "word": np.asarray(words, dtype=object)[corpus.words],
        "count": corpus.counts,
        "topic": np.where(topics == kernels.NO_TOPIC, -1, topics.astype(np.int32)),
    }
    return _pandas().DataFrame(columns)


def _document_index(corpus: Corpus) -> Any:
    return _pandas().Index(range(len(corpus)) if corpus.names is None else corpus.names, name="document")


def _pandas() -> Any:
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError(
            "data frames need pandas; install it with: pip install 'crisptopics[frames]'"
        ) from error
    return pd
