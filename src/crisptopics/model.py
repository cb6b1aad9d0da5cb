"""What a fit leaves behind: everything that new documents need, and nothing of the training documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"

MAX_WORDS = 2**31 - 1  # word ids are int32


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Model:
    """
    Topics found in a corpus, and how they came about.

    Parameters
    ----------
    topic_word_counts
        Tokens of each word in each topic: shape (K, V), int64, sorted, only counts of at least 1 are stored.
    vocabulary
        The V words in the order of the columns, or None when the columns have no names.
    parameters
        The parameters of the fit as plain JSON values.
    fit
        How the fit went (penalty, objective, stop reason, history) as plain JSON values.
    soft_counts
        Expected tokens of each word in each topic, in parts of a token, where the fit ended softly.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> Model(csr_array([[2, 0], [0, 5]]), ("sun", "rain"), {}, {})
    Model(n_topics=2, n_words=2)
    """

    topic_word_counts: csr_array
    vocabulary: tuple[str, ...] | None
    parameters: dict[str, JSON]
    fit: dict[str, JSON]
    soft_counts: csr_array | None = None

    def __post_init__(self) -> None:
        _check_counts(self.topic_word_counts)
        if self.soft_counts is not None:
            _check_counts(self.soft_counts)
            if self.soft_counts.shape != self.topic_word_counts.shape:
                raise ValueError(
                    f"soft_counts has shape {self.soft_counts.shape}; pass one of {self.topic_word_counts.shape}, as "
                    "topic_word_counts has"
                )
        if self.vocabulary is not None:
            _check_vocabulary(self.vocabulary, self.n_words)

    def __repr__(self) -> str:
        return f"Model(n_topics={self.n_topics}, n_words={self.n_words})"

    @property
    def n_topics(self) -> int:
        """Number of topics, K."""
        return int(self.topic_word_counts.shape[0])

    @property
    def n_words(self) -> int:
        """Number of words in the vocabulary, V."""
        return int(self.topic_word_counts.shape[1])


def _check_counts(counts: csr_array) -> None:
    if not isinstance(counts, csr_array) or counts.ndim != 2 or counts.dtype != np.int64:
        got = f"{type(counts).__name__} of {getattr(counts, 'dtype', 'no dtype')}"
        raise TypeError(f"topic_word_counts is a {got}; pass a two-dimensional scipy.sparse.csr_array of int64")
    if counts.shape[0] < 1 or not 1 <= counts.shape[1] <= MAX_WORDS:
        raise ValueError(
            f"topic_word_counts has shape {counts.shape}; pass at least 1 topic and between 1 and {MAX_WORDS} words"
        )
    counts.check_format(full_check=True)  # before the next check, which trusts indptr
    if not counts.has_canonical_format:
        raise ValueError("topic_word_counts has repeated or unsorted words in a topic; call its sum_duplicates() first")
    if counts.nnz and counts.data.min() < 1:
        raise ValueError(
            f"topic_word_counts stores the count {counts.data.min()}; stored counts are at least 1: "
            "call its eliminate_zeros() and look for negative counts"
        )


def _check_vocabulary(vocabulary: tuple[str, ...], n_words: int) -> None:
    if not isinstance(vocabulary, tuple) or not all(isinstance(word, str) for word in vocabulary):
        raise TypeError(f"vocabulary is a {type(vocabulary).__name__}; pass a tuple of str with one word per column")
    if len(vocabulary) != n_words:
        raise ValueError(f"vocabulary has {len(vocabulary)} words for {n_words} columns; pass one word per column")
    if len(set(vocabulary)) != n_words:
        raise ValueError(f"vocabulary has {n_words - len(set(vocabulary))} repeated words; make every word unique")
    try:
        "".join(vocabulary).encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"vocabulary holds {error.object[error.start]!r}; pass words that UTF-8 can encode") from None
