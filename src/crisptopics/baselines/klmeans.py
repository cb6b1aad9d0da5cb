"""KL k-means: every document in one topic, by the divergence of its words from the topic's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import xlogy
from sklearn.utils import check_random_state

from crisptopics.baselines.base import Matrix, TopicBaseline, block_matrix
from crisptopics.blocks import Block, Workers, cut, thread_count
from crisptopics.corpus import Corpus
from crisptopics.errors import CorpusError
from crisptopics.kernels import MAX_TOPICS
from crisptopics.parameters import check_number, check_size, check_whole

Labels = npt.NDArray[np.int64]

NO_LABEL = -1


class KLMeans(TopicBaseline):
    """Clusters of documents: k-means with the Kullback-Leibler divergence (Banerjee et al., 2005).

    The fit seeks the clusters that make the sum over documents of (tokens) * KL(words of the document || words of its
    cluster) small, by turns assigning documents and averaging words. A start is chosen as in k-means++.

    Parameters
    ----------
    n_components
        Number of clusters.
    max_iter
        Most iterations of one start.
    n_init
        Number of starts; the best result is kept.
    tol
        Stop when the inertia falls by no more than this part of itself.
    smoothing
        Added to each count of a word in a cluster: without it, a document could never join a cluster that lacks one
        of its words.
    random_state
        Seed of the starts.
    n_jobs
        Threads; None or -1 for all processors. The result is the same for any number.

    Attributes
    ----------
    components_ : array of shape (K, V)
        Share of each word in each cluster, smoothed: each row sums to 1.
    labels_ : array of shape (n_documents,)
        Cluster of each training document; -1 for a document without words.
    inertia_ : float
        The sum of divergences, in nats.
    n_iter_ : int
        Iterations of the best start.

    Notes
    -----
    A cluster that loses all documents gets the document that fits its own cluster worst.

    Examples
    --------
    >>> model = KLMeans(2, random_state=0).fit([[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 5, 1], [0, 1, 2, 4]])
    >>> model.predict([[1, 1, 0, 0], [0, 0, 1, 1]]).tolist() in ([0, 1], [1, 0])
    True
    """

    def __init__(
        self,
        n_components: int = 20,
        *,
        max_iter: int = 100,
        n_init: int = 1,
        tol: float = 1e-4,
        smoothing: float = 0.01,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.n_init = n_init
        self.tol = tol
        self.smoothing = smoothing
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn passes y)
        """Find clusters.

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
        n_filled = np.count_nonzero(np.diff(corpus.indptr))
        if n_filled < self.n_components:
            raise CorpusError(
                f"n_components={self.n_components} is more than the {n_filled} documents with words of X "
                f"(n_samples = {len(corpus)}); ask for fewer topics or pass more documents"
            )
        random = check_random_state(self.random_state)
        with Workers(thread_count(self.n_jobs)) as workers:
            clustering = _Clustering(corpus, self.n_components, self.smoothing, workers)
            results = [clustering.run(random, self.max_iter, self.tol) for _ in range(self.n_init)]
        best = min(results, key=lambda result: result.inertia)
        self._known = clustering.known
        self.components_, self.labels_ = best.psi, best.labels
        self.inertia_, self.n_iter_ = best.inertia, best.n_iter
        return self

    def predict(self, X: Any) -> Labels:
        """Return the cluster of each document; -1 for a document without a word that the model knows.

        Parameters
        ----------
        X
            Counts, with the columns of the training matrix.
        """
        corpus = self._new_corpus(X)
        with Workers(thread_count(self.n_jobs)) as workers:
            return nearest(corpus, np.where(self._known, self.components_, 1.0), self._known, workers)[0]

    def transform(self, X: Any) -> Matrix:
        """Return a 1 for each document's cluster and 0 for the others.

        The row of a document without a word that the model knows is zero.

        Parameters
        ----------
        X
            Counts, with the columns of the training matrix.
        """
        labels = self.predict(X)
        shares = np.zeros((len(labels), len(self.components_)))
        rows = np.flatnonzero(labels != NO_LABEL)
        shares[rows, labels[rows]] = 1.0
        return shares

    def _check_parameters(self) -> None:
        check_whole("n_components", self.n_components, 1, MAX_TOPICS)
        check_whole("max_iter", self.max_iter, 1)
        check_whole("n_init", self.n_init, 1)
        check_number("tol", self.tol, 0.0, 1.0)
        check_number("smoothing", self.smoothing, 0.0, 1e6, open_below=True)
        thread_count(self.n_jobs)


def nearest(
    corpus: Corpus, psi: Matrix, known: npt.NDArray[np.bool_], workers: Workers
) -> tuple[Labels, npt.NDArray[np.float64]]:
    """Return each document's likeliest cluster, and minus the log-likelihood of its words there.

    Examples
    --------
    >>> corpus, psi = Corpus.from_counts([[1, 0], [0, 3], [0, 0]]), np.array([[0.25, 0.75], [0.5, 0.5]])
    >>> nearest(corpus, psi, np.array([True, True]), Workers(1))[0]
    array([ 1,  0, -1])
    """
    logs = np.ascontiguousarray(np.log(psi).T)
    labels, costs = np.full(len(corpus), NO_LABEL), np.zeros(len(corpus))

    def fill(block: Block) -> None:
        counts = block_matrix(corpus, block)
        likelihoods = counts @ logs
        has_words = counts @ known.astype(np.float64) > 0
        labels[slice(*block)] = np.where(has_words, likelihoods.argmax(axis=1), NO_LABEL)
        costs[slice(*block)] = -likelihoods.max(axis=1)

    workers.map(fill, cut(corpus.indptr))
    return labels, costs


@dataclass(frozen=True)
class _Result:
    """Where one start has led."""

    psi: Matrix
    labels: Labels
    inertia: float
    n_iter: int


class _Clustering:
    """The documents and what every start needs of them."""

    def __init__(self, corpus: Corpus, n_clusters: int, smoothing: float, workers: Workers) -> None:
        self.corpus, self.n_clusters, self.smoothing, self.workers = corpus, n_clusters, smoothing, workers
        self.matrix = block_matrix(corpus, (0, len(corpus)))
        self.known = np.bincount(corpus.words, minlength=corpus.n_words) > 0
        self.lengths = np.asarray(self.matrix.sum(axis=1))
        # Divergence = cost minus entropy: what the document's own shares would cost.
        rows = corpus.document_of
        logs = xlogy(self.matrix.data, self.matrix.data)
        self.entropies = xlogy(self.lengths, self.lengths) - np.bincount(rows, logs, minlength=len(corpus))

    def run(self, random: np.random.RandomState, max_iter: int, tol: float) -> _Result:
        """Alternate assigning documents and averaging words, from a random start."""
        psi = self.seeds(random)
        previous = np.inf
        for n_iter in range(1, max_iter + 1):  # noqa: B007 (read below)
            labels, divergences = self.assign(psi)
            psi = self.average(self.fill_empty(labels, divergences))
            inertia = divergences.sum()
            if previous - inertia <= tol * inertia:
                break
            previous = inertia
        labels, divergences = self.assign(psi)
        return _Result(psi, labels, float(divergences.sum()), n_iter)

    def assign(self, psi: Matrix) -> tuple[Labels, npt.NDArray[np.float64]]:
        """Return each document's nearest cluster and its divergence from it, times its tokens."""
        labels, costs = nearest(self.corpus, psi, self.known, self.workers)
        return labels, np.maximum(costs - self.entropies, 0.0)

    def average(self, labels: Labels) -> Matrix:
        """Return the smoothed shares of the words in each cluster."""
        members = np.flatnonzero(labels != NO_LABEL)
        places = (np.ones(len(members)), (labels[members], members))
        clusters = sparse.csr_array(places, shape=(self.n_clusters, len(labels)))
        return self.smoothed((clusters @ self.matrix).toarray())

    def smoothed(self, counts: Matrix) -> Matrix:
        """Turn counts into shares, none of them 0."""
        shares: Matrix = counts + self.smoothing
        shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def fill_empty(self, labels: Labels, divergences: npt.NDArray[np.float64]) -> Labels:
        """Move the worst document of all into each empty cluster, and never the last one out of another."""
        sizes = np.bincount(labels[labels != NO_LABEL], minlength=self.n_clusters)
        badness = np.where(labels == NO_LABEL, -np.inf, divergences)
        for cluster in np.flatnonzero(sizes == 0):
            worst = np.where(sizes[labels] > 1, badness, -np.inf).argmax()
            sizes[labels[worst]] -= 1
            labels[worst], sizes[cluster], badness[worst] = cluster, 1, -np.inf
        return labels

    def seeds(self, random: np.random.RandomState) -> Matrix:
        """Choose documents to start the clusters from: far ones are likelier, and the best of a few draws is kept."""
        n_draws = 2 + int(np.log(self.n_clusters))
        chosen = [int(random.choice(len(self.lengths), p=self.lengths / self.lengths.sum()))]
        divergences = self.divergences_from(chosen)[:, 0]
        while len(chosen) < self.n_clusters:
            weights = divergences * (self.lengths > 0)
            weights[chosen] = 0.0
            if not weights.any():  # all other documents repeat the chosen ones
                weights = (self.lengths > 0).astype(np.float64)
                weights[chosen] = 0.0
            draws = random.choice(len(weights), n_draws, p=weights / weights.sum())
            nearer = np.minimum(divergences[:, np.newaxis], self.divergences_from(draws))
            best = int(nearer.sum(axis=0).argmin())
            chosen.append(int(draws[best]))
            divergences = nearer[:, best]
        return self.smoothed(self.matrix[chosen].toarray())

    def divergences_from(self, documents: Any) -> Matrix:
        """Return the divergences of all documents from some of them, a column each."""
        psi = self.smoothed(self.matrix[documents].toarray())
        divergences: Matrix = -(self.matrix @ np.log(psi).T) - self.entropies[:, np.newaxis]
        return np.maximum(divergences, 0.0, out=divergences)
