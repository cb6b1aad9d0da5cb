"""Topics for documents when the topics of words are fixed: one Word pass, the same for old documents and new ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics import kernels
from crisptopics.blocks import Workers, cut
from crisptopics.corpus import Corpus
from crisptopics.kernels import TopicCosts, TopicCounts

TopicArray = npt.NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class Assigner:
    """Topics ready to take documents.

    Examples
    --------
    >>> topics = sparse.csr_array(np.array([[9, 1, 0], [0, 1, 9]]))
    >>> with Workers(1) as workers:
    ...     Assigner(topics, penalty=2.0, smoothing=0.01).assign(Corpus.from_counts([[3, 1, 0]]), workers)
    array([0, 0], dtype=uint16)
    """

    topic_words: sparse.csr_array
    penalty: float
    smoothing: float

    def assign(self, corpus: Corpus, workers: Workers) -> TopicArray:
        """Return the topic of each entry; `NO_TOPIC` for a word that no topic has ever seen."""
        counts = TopicCounts.from_matrix(self.topic_words)
        costs = TopicCosts.of(counts, self.smoothing)
        workers.map(lambda block: costs.update(*block), cut(counts.starts))
        documents = kernels.Documents(corpus.indptr, corpus.words, corpus.counts)
        penalty, topics = kernels.fixed_penalty(self.penalty), np.empty(corpus.n_entries, dtype=np.uint16)
        workers.map(
            lambda block: kernels.word_step(documents, *block, costs.rows, penalty, costs.largest, topics),
            cut(corpus.indptr),
        )
        return topics

    def log_likelihoods(self, corpus: Corpus, topics: TopicArray) -> npt.NDArray[np.float64]:
        """Return log psi of each entry's word in its topic, smoothed; 0 for a word that no topic has ever seen."""
        known = topics != kernels.NO_TOPIC
        totals = np.asarray(self.topic_words.sum(axis=1), dtype=np.float64)
        inside = np.zeros(corpus.n_entries)
        inside[known] = np.asarray(self.topic_words[topics[known], corpus.words[known]]).ravel()
        result = np.zeros(corpus.n_entries)
        room = totals + self.topic_words.shape[1] * self.smoothing
        result[known] = np.log((inside[known] + self.smoothing) / room[topics[known]])
        return result


def topic_shares(corpus: Corpus, topics: TopicArray, n_topics: int) -> sparse.csr_array:
    """Return the share of each document's tokens in each topic; words without a topic do not count.

    Examples
    --------
    >>> topic_shares(Corpus.from_counts([[3, 1], [0, 0]]), np.array([0, 1], dtype=np.uint16), 2).toarray()
    array([[0.75, 0.25],
           [0.  , 0.  ]])
    """
    known = topics != kernels.NO_TOPIC
    rows = corpus.document_of[known]
    entries = (corpus.counts[known].astype(np.float64), (rows, topics[known].astype(np.int64)))
    shares = sparse.csr_array(sparse.coo_array(entries, shape=(len(corpus), n_topics)))
    sums = np.asarray(shares.sum(axis=1))
    shares.data /= np.repeat(sums, np.diff(shares.indptr))
    return shares


def entry_matrix(corpus: Corpus, topics: TopicArray) -> sparse.csr_array:
    """Return the topics in a matrix of the corpus's structure; -1 for a word without a topic.

    Examples
    --------
    >>> entry_matrix(Corpus.from_counts([[3, 1]]), np.array([0, 1], dtype=np.uint16)).data
    array([0, 1], dtype=int32)
    """
    data = topics.astype(np.int32)
    data[topics == kernels.NO_TOPIC] = -1
    offsets = corpus.indptr.astype(np.int32 if corpus.n_entries < 2**31 else np.int64)
    return sparse.csr_array((data, corpus.words.copy(), offsets), shape=corpus.shape)
