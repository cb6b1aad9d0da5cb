"""A fitted model and documents, with the topic of every word: what all parts of a report are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics.corpus import Corpus
from crisptopics.errors import CorpusError


@dataclass(frozen=True, eq=False)
class Study:
    """Topics, documents, and the topic of each entry (-1 where the model does not know the word).

    Examples
    --------
    >>> topics = sparse.csr_array(np.array([[4, 0], [0, 5]]))
    >>> corpus = Corpus.from_counts([[3, 0], [1, 2]], vocabulary=["rain", "sun"])
    >>> Study(topics, corpus, np.array([0, 0, 1]), ("rain", "sun"), penalty=2.0).document_tokens.toarray()
    array([[3, 0],
           [1, 2]])
    """

    topic_words: sparse.csr_array
    corpus: Corpus
    entry_topics: npt.NDArray[np.int32]
    words: tuple[str, ...]
    penalty: float

    @classmethod
    def of(cls, model: Any, corpus: Any) -> Study:
        """Let a fitted model say the topic of each word of some documents."""
        assigned = model.assign(corpus)  # refuses a model without a fit, and documents with other columns
        corpus = Corpus.from_counts(corpus)
        if not corpus.n_entries:
            raise CorpusError(
                f"a report needs documents with words; received {corpus!r}; pass those that the model was fitted to"
            )
        named = getattr(model, "feature_names_in_", None)
        words = corpus.word_names if named is None else tuple(map(str, named))
        counts = sparse.csr_array(np.rint(model.expected_counts_).astype(np.int64))
        return cls(counts, corpus, assigned.data, words, float(model.penalty_))

    @property
    def n_topics(self) -> int:
        """Number of topics, K."""
        return int(self.topic_words.shape[0])

    @cached_property
    def topic_tokens(self) -> npt.NDArray[np.int64]:
        """Tokens that each topic was counted from."""
        return np.asarray(self.topic_words.sum(axis=1), dtype=np.int64)

    @cached_property
    def word_tokens(self) -> npt.NDArray[np.int64]:
        """Tokens of each word in all topics."""
        return np.asarray(self.topic_words.sum(axis=0), dtype=np.int64)

    @cached_property
    def document_of(self) -> npt.NDArray[np.int64]:
        """Document of each entry."""
        return self.corpus.document_of

    @cached_property
    def document_tokens(self) -> sparse.csr_array:
        """Tokens of each document in each topic: shape (D, K)."""
        known = self.entry_topics >= 0
        places = (self.document_of[known], self.entry_topics[known])
        table = sparse.coo_array(
            (self.corpus.counts[known].astype(np.int64), places), (len(self.corpus), self.n_topics)
        )
        return sparse.csr_array(table)

    @cached_property
    def together(self) -> npt.NDArray[np.int64]:
        """Documents that use both of two topics; on the diagonal, documents that use a topic: shape (K, K)."""
        used = self.document_tokens.astype(np.bool_).astype(np.int64)
        return np.asarray((used.T @ used).toarray(), dtype=np.int64)

    @cached_property
    def affinity(self) -> npt.NDArray[np.float64]:
        """Overlap of two topics, from 0 (no word in common) to 1 (equal): the sum of sqrt(p q) over words."""
        roots = self.topic_words.astype(np.float64)
        roots.data = np.sqrt(roots.data / np.repeat(self.topic_tokens, np.diff(roots.indptr)))
        return np.asarray(np.clip((roots @ roots.T).toarray(), 0.0, 1.0))
