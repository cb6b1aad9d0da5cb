"""Collapsed Gibbs sampling for latent Dirichlet allocation, the same bits at any number of threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import check_random_state

from crisptopics import kernels
from crisptopics.baselines.base import Matrix, TopicBaseline
from crisptopics.blocks import Workers, cut, thread_count
from crisptopics.chain import Chain, deal_tokens, padded_prior
from crisptopics.corpus import Corpus
from crisptopics.kernels import GibbsTokens
from crisptopics.parameters import check_number, check_size, check_whole
from crisptopics.start import given_topics, random_topics, stream_key

INFERENCE = 1 << 32  # streams of random numbers for new documents begin here

TopicArray = npt.NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class Inference:
    """Sampling the topics of new documents, the topics' words fixed."""

    components: Matrix
    alpha: float
    n_iter: int
    seed: int

    def shares(self, corpus: Corpus, workers: Workers) -> Matrix:
        """Return each document's topic shares, averaged over the second half of the sweeps; zeros without words."""
        n_topics = len(self.components)
        prior = padded_prior(self.alpha, n_topics)
        psi = np.zeros((corpus.n_words, len(prior)), dtype=np.float32)
        psi[:, :n_topics] = self.components.T
        _, cuts, words = deal_tokens(corpus, 1)
        tokens = GibbsTokens(1, cuts, words, prior, 0.0, 0.0)
        topics = random_topics(corpus.n_tokens, n_topics, self.seed)
        burn_in, sums = self.n_iter // 2, np.zeros((len(corpus), len(prior)), dtype=np.float32)

        def infer(block: tuple[int, int]) -> None:
            for iteration in range(self.n_iter):
                if iteration == burn_in:
                    sums[slice(*block)] = 0
                key = stream_key(self.seed, INFERENCE + iteration)
                kernels.gibbs_infer(tokens, *block, key, psi.ravel(), topics, sums.ravel())

        workers.map(infer, cut(corpus.indptr))
        lengths = np.diff(cuts)[:, None]
        expected = sums[:, :n_topics].astype(np.float64) / (self.n_iter - burn_in) + self.alpha
        return np.where(lengths > 0, expected / expected.sum(axis=1, keepdims=True), 0.0)


class GibbsLDA(TopicBaseline):
    """Latent Dirichlet allocation by collapsed Gibbs sampling (Griffiths and Steyvers 2004).

    The result depends on the data, the parameters and the seed, not on the number of threads or the processor.

    Parameters
    ----------
    n_components
        Number of topics.
    alpha
        Prior weight of each topic in a document.
    beta
        Prior weight of each word in a topic.
    n_iter
        Sweeps over all tokens.
    n_samples
        States over which `components_` is averaged; the last of them is the end.
    thin
        Sweeps between these states.
    init
        Where to start: None (each token in a random topic), a fitted CrispTopics, or a topic for each entry of the
        training matrix (a sparse matrix of its structure, or a vector).
    infer_iter
        Sweeps over a new document in `transform`, the second half of which count.
    n_jobs
        Threads; None or -1 for all processors.
    random_state
        Seed.
    callback
        Called with the `Chain` after each sweep; the fit stops when it returns something true.

    Attributes
    ----------
    components_ : array of shape (K, V)
        The topics, averaged over the samples; rows sum to 1.
    topic_word_counts_ : array of shape (K, V)
        Tokens of each word in each topic, at the end.
    token_topics_ : array
        Topic of each training token at the end: documents in order, words in order of columns.
    n_iter_ : int
        Sweeps done.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 5, 1], [0, 0, 2, 4]]
    >>> model = GibbsLDA(2, n_iter=50, random_state=0).fit(X)
    >>> model.transform(X).argmax(axis=1).tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """

    def __init__(
        self,
        n_components: int = 20,
        *,
        alpha: float = 0.1,
        beta: float = 0.01,
        n_iter: int = 1000,
        n_samples: int = 10,
        thin: int = 10,
        init: Any = None,
        infer_iter: int = 50,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        callback: Callable[[Chain], object] | None = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.n_iter = n_iter
        self.n_samples = n_samples
        self.thin = thin
        self.init = init
        self.infer_iter = infer_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.callback = callback

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn passes y)
        """Sample topics.

        Parameters
        ----------
        X
            Counts: sparse or dense, a data frame, or a Corpus.
        y
            Ignored.
        """
        self._check_parameters()
        corpus = self._training_corpus(X)
        check_size(corpus, self.n_components)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        start = None if self.init is None else self._start(corpus)
        chain = Chain(corpus, self.n_components, float(self.alpha), float(self.beta), seed, start)
        components, n_summed = np.zeros((self.n_components, corpus.n_words)), 0
        with Workers(thread_count(self.n_jobs)) as workers:
            for iteration in range(1, self.n_iter + 1):
                chain.sweep(workers)
                to_go = self.n_iter - iteration
                stop = bool(self.callback and self.callback(chain))
                if stop or (to_go % self.thin == 0 and to_go < self.n_samples * self.thin):
                    components += chain.components
                    n_summed += 1
                if stop:
                    break
        self.components_ = components / n_summed
        self.topic_word_counts_ = chain.topic_word_counts
        self.token_topics_ = chain.token_topics
        self.n_iter_ = chain.iteration
        self._seed = seed
        return self

    def transform(self, X: Any) -> Matrix:
        """Return the share of each topic in each document, sampled with the topics' words fixed.

        Rows sum to 1; the row of an empty document is zero.

        Parameters
        ----------
        X
            Counts, with the columns of the training matrix.
        """
        corpus = self._new_corpus(X)
        inference = Inference(self.components_, float(self.alpha), self.infer_iter, self._seed)
        with Workers(thread_count(self.n_jobs)) as workers:
            return inference.shares(corpus, workers)

    def _check_parameters(self) -> None:
        check_whole("n_components", self.n_components, 1, kernels.MAX_TOPICS)
        for name in ("n_iter", "n_samples", "thin", "infer_iter"):
            check_whole(name, getattr(self, name), 1)
        for name in ("alpha", "beta"):
            check_number(name, getattr(self, name), 0.0, 1e6, open_below=True)

    def _start(self, corpus: Corpus) -> TopicArray:
        """Return the topic of each token, from a fitted model or a topic for each entry."""
        entries = getattr(self.init, "assignments_", self.init)
        if sparse.issparse(entries) or np.ndim(entries) == 1:
            return np.repeat(given_topics(corpus, entries, self.n_components), corpus.counts)
        raise ValueError(
            f"init={self.init!r:.60} is not accepted; give None, a fitted CrispTopics, or a topic for each entry of X"
        )
