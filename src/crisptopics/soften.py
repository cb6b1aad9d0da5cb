"""A soft ending: a few Gibbs sweeps from the crisp solution, for topics that tell how likely words are.

The crisp solution counts a word in its best topic alone. A sampler that starts there moves words of two topics to and
fro; the counts of its last states, summed, are the topics of a mixture: better at foretelling new documents, with
fuller lists of words.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics.blocks import Workers
from crisptopics.chain import Chain
from crisptopics.corpus import Corpus

SAMPLES = 5  # of the last states, or all where there are fewer
ALPHA_EVERY = 5  # sweeps between two fits of the prior
ALPHA_STEPS = 20
LEAST_ALPHA = 1e-4

IntArray = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float64]
TopicArray = npt.NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class SoftTopics:
    """Topics of a mixture.

    Parameters
    ----------
    counts
        Tokens of each word in each topic, summed over some states of the sampler: shape (K, V).
    alpha
        Prior weight of each topic in a document.
    """

    counts: sparse.csr_array
    alpha: Matrix


def soften(
    corpus: Corpus, topics: TopicArray, n_topics: int, beta: float, n_sweeps: int, seed: int, workers: Workers
) -> SoftTopics:
    """Sample from one topic for each entry; the prior of each topic is fitted on the way.

    Examples
    --------
    >>> corpus = Corpus.from_counts([[4, 2, 0], [0, 1, 5]])
    >>> with Workers(1) as workers:
    ...     soft = soften(corpus, np.array([0, 0, 1, 1], np.uint16), 2, 0.01, 10, 0, workers)
    >>> int(soft.counts.sum()) == SAMPLES * corpus.n_tokens
    True
    """
    documents = np.repeat(np.repeat(np.arange(len(corpus)), np.diff(corpus.indptr)), corpus.counts)
    tokens = np.repeat(topics, corpus.counts)
    alpha = fitted_alpha(documents, tokens, n_topics, np.full(n_topics, 0.1))
    chain = Chain(corpus, n_topics, alpha, beta, seed, tokens)
    summed = np.zeros((n_topics, corpus.n_words), dtype=np.int64)
    for sweep in range(1, n_sweeps + 1):
        chain.sweep(workers)
        if sweep % ALPHA_EVERY == 0 and sweep < n_sweeps:
            alpha = fitted_alpha(documents, chain.token_topics, n_topics, alpha)
            chain.set_alpha(alpha)
        if n_sweeps - sweep < SAMPLES:
            summed += chain.topic_word_counts
    return SoftTopics(sparse.csr_array(summed), alpha)


def fitted_alpha(documents: IntArray, topics: TopicArray, n_topics: int, start: Matrix) -> Matrix:
    """Return the prior weights under which the documents' topic counts are likelier: Minka's fixed point.

    The digamma differences of whole numbers are sums of reciprocals, added in order, so the result has the same bits
    on every machine (Wallach 2008).

    Parameters
    ----------
    documents
        Document of each token.
    topics
        Topic of each token.
    n_topics
        Number of topics.
    start
        Weights to begin with.

    Examples
    --------
    >>> alpha = fitted_alpha(np.repeat(np.arange(30), 2), np.arange(60) % 3 // 2, 2, np.ones(2))
    >>> bool(alpha[0] > alpha[1])
    True
    """
    pairs, counts = np.unique(documents * n_topics + topics, return_counts=True)
    lengths = np.bincount(documents)
    more_in_all = _more_than(lengths[lengths > 0])
    more = [_more_than(counts[pairs % n_topics == topic]) for topic in range(n_topics)]
    alpha = start.copy()
    for _ in range(ALPHA_STEPS):
        below = _sum(more_in_all / (_sum(alpha) + np.arange(len(more_in_all))))
        above = np.array([_sum(some / (alpha[topic] + np.arange(len(some)))) for topic, some in enumerate(more)])
        alpha = np.maximum(LEAST_ALPHA, alpha * above / below)
    return alpha


def _more_than(counts: IntArray) -> IntArray:
    """Return how many of the counts are more than 0, 1, 2 and so on."""
    return len(counts) - np.cumsum(np.bincount(counts))[:-1]


def _sum(values: npt.NDArray[np.generic]) -> float:
    """Add in order: the fast sums of NumPy may round otherwise on another processor."""
    return float(np.cumsum(values)[-1]) if values.size else 0.0
