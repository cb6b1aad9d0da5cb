"""How well topics foretell documents they were not fitted to: mean log-likelihood per token."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from crisptopics.assign import Assigner
from crisptopics.blocks import Workers, cut, thread_count
from crisptopics.corpus import Corpus
from crisptopics.kernels import MAX_TOPICS
from crisptopics.metrics.topics import topic_rows
from crisptopics.parameters import check_number, check_whole

NUMBERS_PER_BLOCK = 2**21  # (entry, topic) pairs worked on at once by a thread
TOKENS_PER_BLOCK = 2**20


def hard_log_likelihood(counts: Any, topic_word_counts: Any, penalty: float, smoothing: float = 0.01) -> float:
    r"""Compute the mean log psi per token of documents, each word in the topic that one Word pass gives it.

    .. math::
        \frac{1}{N} \sum_{dw} n_{dw} \log \psi_{z_{dw} w}, \quad
        \psi_{kw} = \frac{n_{kw} + \beta}{N_k + V \beta}

    with :math:`n_{dw}` tokens of word w in document d, :math:`n_{kw}` in topic k of the training documents, and the
    topics z that the Word step assigns under this psi and the penalty. Words that no topic has do not count, neither
    in the sum nor in N. The penalty itself is no part of it: the lower it is, the better words are explained, so
    compare models of the same penalty only.

    Parameters
    ----------
    counts
        Documents, best held-out ones: anything `Corpus.from_counts` accepts.
    topic_word_counts
        Tokens of each word in each topic, shape (K, V), dense or sparse: a model's ``topic_word_counts_``.
    penalty
        Cost of one more topic in a document.
    smoothing
        The beta that smooths psi.

    Returns
    -------
    The mean in nats, at most 0.

    Examples
    --------
    >>> from crisptopics.metrics import hard_log_likelihood
    >>> print(round(hard_log_likelihood([[2, 0], [0, 1]], [[3, 1], [0, 4]], penalty=1.0, smoothing=1.0), 6))
    -0.331084
    """
    check_number("penalty", penalty, 0.0, 1e12, open_below=True)
    check_number("smoothing", smoothing, 0.0, 1e6, open_below=True)
    corpus = Corpus.from_counts(counts)
    topics = topic_rows("topic_word_counts", topic_word_counts)
    check_whole("number of topics", topics.shape[0], 1, MAX_TOPICS)
    if not np.array_equal(topics.data, np.floor(topics.data)):
        value = topics.data[np.argmax(topics.data != np.floor(topics.data))]
        raise ValueError(
            f"topic_word_counts must be whole numbers, got {value}: pass topic_word_counts_, not probabilities"
        )
    corpus = _known(corpus, topics)
    assigner = Assigner(topics.astype(np.int64), float(penalty), float(smoothing))
    with Workers(thread_count(None)) as workers:
        entry_topics = assigner.assign(corpus, workers)
    return float(corpus.counts @ assigner.log_likelihoods(corpus, entry_topics) / corpus.n_tokens)


def predictive_log_likelihood(
    counts: Any,
    topic_word_counts: Any,
    alpha: ArrayLike = 0.1,
    smoothing: float = 0.01,
    n_iter: int = 50,
    random_state: int | RandomState | None = None,
    *,
    completion: bool = False,
) -> float:
    r"""Compute the mean log-likelihood per token of documents as mixtures of topics.

    .. math::
        \frac{1}{N} \sum_{dw} n_{dw} \log \sum_k \theta_{dk} \psi_{kw}, \quad
        \psi_{kw} = \frac{n_{kw} + \beta}{N_k + V \beta}

    where each document's theta is the limit of

    .. math::
        \theta_{dk} \leftarrow \frac{\alpha_k + \sum_w n_{dw} r_{dwk}}{\sum_l \alpha_l + N_d}, \quad
        r_{dwk} = \frac{\theta_{dk} \psi_{kw}}{\sum_l \theta_{dl} \psi_{lw}}

    from equal shares: EM for the greatest of :math:`\sum_w n_{dw} \log \sum_k \theta_{dk} \psi_{kw} + \sum_k \alpha_k
    \log \theta_{dk}`, which is concave, so that there is one answer and nothing is drawn at random, unlike by the
    sampler. With this offset of alpha by 1, EM comes close to collapsed sampling (Asuncion et al. 2009). Words that no
    topic has do not count, neither in the sums nor in N.

    Parameters
    ----------
    counts
        Documents, best held-out ones: anything `Corpus.from_counts` accepts.
    topic_word_counts
        Tokens of each word in each topic, shape (K, V), dense or sparse; fractions, as of averaged samples, will do.
    alpha
        Prior of a document's topics: one number, or one for each topic.
    smoothing
        The beta that smooths psi.
    n_iter
        Number of EM iterations.
    random_state
        Seed of the halves of `completion`; without effect otherwise.
    completion
        Infer theta from a random half of each document's tokens (rounded down), and score only the other half; else
        the tokens that are scored have told theta.

    Returns
    -------
    The mean in nats, at most 0.

    Examples
    --------
    >>> from crisptopics.metrics import predictive_log_likelihood
    >>> print(round(predictive_log_likelihood([[2, 0], [0, 1]], [[1, 1]], smoothing=0.5), 6))
    -0.693147
    """
    check_number("smoothing", smoothing, 0.0, 1e6)
    check_whole("n_iter", n_iter, 1)
    with Workers(thread_count(None)) as workers:
        return foretold(
            counts, topic_word_counts, alpha, smoothing, n_iter, random_state, completion=completion, workers=workers
        )


def foretold(
    counts: Any,
    topic_word_counts: Any,
    alpha: ArrayLike,
    smoothing: float,
    n_iter: int,
    random_state: int | RandomState | None,
    *,
    completion: bool,
    workers: Workers,
) -> float:
    """Compute `predictive_log_likelihood` on threads that are there.

    Examples
    --------
    >>> with Workers(1) as workers:
    ...     print(round(foretold([[2, 1]], [[1, 1]], 0.1, 0.5, 50, 0, completion=False, workers=workers), 6))
    -0.693147
    """
    corpus = Corpus.from_counts(counts)
    topics = topic_rows("topic_word_counts", topic_word_counts)
    priors = _priors(alpha, topics.shape[0])
    corpus = _known(corpus, topics)
    seen = _half(corpus, check_random_state(random_state)) if completion else corpus.counts
    scored = corpus.counts - seen if completion else corpus.counts
    score = partial(_block_score, corpus, seen, scored, _Psi(topics, float(smoothing)), priors, int(n_iter))
    sums = workers.map(score, cut(corpus.indptr, max(1, NUMBERS_PER_BLOCK // len(priors))))
    return float(sum(sums) / scored.sum(dtype=np.int64))


class _Psi:
    """Smoothed probabilities of words in topics, made for the words asked for only."""

    def __init__(self, topics: sparse.csr_array, smoothing: float) -> None:
        totals = topics.sum(axis=1) + topics.shape[1] * smoothing
        self._rooms = np.where(totals > 0, totals, 1.0)  # without smoothing an empty topic gives no word a chance
        self._columns, self._smoothing = topics.tocsc(), smoothing

    def rows(self, words: NDArray[np.int32]) -> NDArray[np.float64]:
        """Give a row for each word with its probability in each topic."""
        counts = self._columns[:, words].T.toarray()
        return np.asarray((counts + self._smoothing) / self._rooms)


def _block_score(
    corpus: Corpus,
    seen: NDArray[np.int32],
    scored: NDArray[np.int32],
    psi: _Psi,
    priors: NDArray[np.float64],
    n_iter: int,
    block: tuple[int, int],
) -> float:
    """Sum the log-likelihood of the scored tokens of a block of documents, theta inferred from the seen ones."""
    first, last = block
    entries = slice(int(corpus.indptr[first]), int(corpus.indptr[last]))
    offsets = corpus.indptr[first : last + 1] - corpus.indptr[first]
    rows = np.repeat(np.arange(last - first), np.diff(offsets))
    chances, tokens = psi.rows(corpus.words[entries]), seen[entries].astype(np.float64)
    theta = np.full((last - first, len(priors)), 1.0 / len(priors))
    shape, places = (last - first, len(rows)), np.arange(len(rows))
    rooms = priors.sum() + np.bincount(rows, tokens, minlength=last - first)
    for _ in range(n_iter):
        shares = tokens / np.einsum("ek,ek->e", theta[rows], chances)
        theta *= sparse.csr_array((shares, places, offsets), shape=shape) @ chances
        theta = (theta + priors) / rooms[:, None]
    return float(scored[entries] @ np.log(np.einsum("ek,ek->e", theta[rows], chances)))


def _known(corpus: Corpus, topics: sparse.csr_array) -> Corpus:
    """Leave out the words that no topic has."""
    if corpus.n_words != topics.shape[1]:
        raise ValueError(
            f"counts and topic_word_counts must have the same words, got {corpus.n_words} and {topics.shape[1]} "
            "columns: count the documents with the vocabulary of the model"
        )
    has_topic = np.zeros(corpus.n_words, dtype=np.bool_)
    has_topic[topics.indices] = True
    counts = np.where(has_topic[corpus.words], corpus.counts, 0)
    known = Corpus(corpus.indptr, corpus.words, counts, corpus.n_words)  # drops what is zero
    if not known.n_tokens:
        raise ValueError(
            f"counts must have tokens of words that a topic has, got {corpus!r} without any: count the documents with "
            "the vocabulary of the model"
        )
    return known


def _priors(alpha: ArrayLike, n_topics: int) -> NDArray[np.float64]:
    """Check alpha and give one number for each topic."""
    priors = np.asarray(alpha)
    if priors.dtype.kind not in "iuf" or priors.shape not in ((), (n_topics,)):
        raise ValueError(
            f"alpha must be one number or one for each of {n_topics} topics, got {priors.dtype} of shape "
            f"{priors.shape}: pass for example 0.1"
        )
    good = (priors > 0) & np.isfinite(priors)
    if not good.all():
        raise ValueError(f"alpha must be above 0 and finite, got {priors[~good][0]}: pass for example 0.1")
    return np.broadcast_to(priors, n_topics).astype(np.float64)


def _half(corpus: Corpus, random: RandomState) -> NDArray[np.int32]:
    """Draw half of each document's tokens without replacement, rounded down, and count them in each entry."""
    chosen = np.zeros(corpus.n_entries, dtype=np.int32)
    ends = np.concatenate([[0], np.cumsum(corpus.counts, dtype=np.int64)])[corpus.indptr]  # tokens before a document
    for first, last in cut(ends, TOKENS_PER_BLOCK):
        entries = np.arange(corpus.indptr[first], corpus.indptr[last])
        tokens = np.repeat(entries, corpus.counts[entries])
        lengths = np.diff(ends[first : last + 1])
        documents = np.repeat(np.arange(last - first), lengths)
        order = np.lexsort((random.random_sample(len(tokens)), documents))  # shuffles inside documents
        place = np.arange(len(tokens)) - np.repeat(ends[first:last] - ends[first], lengths)
        drawn = tokens[order[place < (lengths // 2)[documents]]]
        chosen[entries] = np.bincount(drawn - corpus.indptr[first], minlength=len(entries))
    return chosen
