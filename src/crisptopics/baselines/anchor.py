"""Anchor words: topics recovered from which words occur together, with no iteration over the documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.random_projection import SparseRandomProjection
from sklearn.utils import check_random_state

from crisptopics.baselines.base import Matrix, TopicBaseline, block_matrix, mixture_shares
from crisptopics.blocks import Workers, thread_count
from crisptopics.corpus import Corpus
from crisptopics.errors import CorpusError
from crisptopics.kernels import MAX_TOPICS
from crisptopics.parameters import check_number, check_size, check_whole

Words = npt.NDArray[np.int64]
Objective = Callable[[Words, Matrix], tuple[npt.NDArray[np.float64], Matrix]]

RECOVERIES = ("l2", "kl")
CELLS_PER_BLOCK = 2**22  # of a dense array with a column for each word or document
LEAST_WEIGHT = 1e-300
EVERY = slice(None)
LARGEST_STEP = 1e6


class AnchorTopics(TopicBaseline):
    """Topics by anchor words (Arora et al., 2013: A Practical Algorithm for Topic Modeling with Provable Guarantees).

    An anchor is a word of one topic only. Words are points, given by the words they occur with; those that lie farthest
    out are the anchors, and every other word is a mixture of them.

    Parameters
    ----------
    n_components
        Number of topics.
    recovery
        What the mixtures minimise: "l2", the squared distance, or "kl", the divergence (much slower).
    min_documents
        An anchor must be in this many documents, since rare words lie far out by chance. None for 1 % of the
        documents but at least 5, or fewer when there would be fewer candidates than topics.
    n_projections
        Dimensions of the random projection in which the anchors are sought; with fewer words there is none.
    max_iter
        Most steps of the recovery.
    tol
        A word's mixture is done when it is at most this far from the best, as a part of the anchors' mean square ("l2")
        or in nats ("kl").
    alpha
        Added to each topic's expected tokens in `transform`.
    transform_iter
        Iterations of `transform`.
    random_state
        Seed of the projection.
    n_jobs
        Threads of "kl" and `transform`; None or -1 for all processors.

    Attributes
    ----------
    components_ : array of shape (K, V)
        The topics: each row sums to 1.
    anchors_ : array of shape (K,)
        Column of each topic's anchor word.
    n_iter_ : int
        Steps of the recovery, of the words that took the most.

    Notes
    -----
    Documents of fewer than two tokens say nothing about words that occur together, and are left out of the fit.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 5, 1], [0, 1, 2, 4]]
    >>> AnchorTopics(2, random_state=0).fit(X).transform(X).round(1).tolist() in (
    ...     [[1, 0], [1, 0], [0, 1], [0, 1]], [[0, 1], [0, 1], [1, 0], [1, 0]]
    ... )
    True
    """

    def __init__(
        self,
        n_components: int = 20,
        *,
        recovery: str = "l2",
        min_documents: int | None = None,
        n_projections: int = 1000,
        max_iter: int = 500,
        tol: float = 1e-4,
        alpha: float = 0.01,
        transform_iter: int = 50,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.recovery = recovery
        self.min_documents = min_documents
        self.n_projections = n_projections
        self.max_iter = max_iter
        self.tol = tol
        self.alpha = alpha
        self.transform_iter = transform_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn passes y)
        """Find topics.

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
        random = check_random_state(self.random_state)
        pairs = CoOccurrence.of(corpus)
        candidates = candidate_words(corpus, pairs.frequencies, self.n_components, self.min_documents)
        points = pairs.projected(candidates, self.n_projections, random)
        anchors = candidates[farthest_points(points, self.n_components)]
        with Workers(thread_count(self.n_jobs)) as workers:
            recover = recover_l2 if self.recovery == "l2" else recover_kl
            mixtures, self.n_iter_ = recover(pairs, anchors, self.max_iter, self.tol, workers)
        joint = (mixtures * pairs.frequencies[:, np.newaxis]).T
        self.components_ = joint / joint.sum(axis=1, keepdims=True)
        self.anchors_ = anchors
        return self

    def transform(self, X: Any) -> Matrix:
        """Return the likeliest shares of the topics in each document, given `components_`.

        The row of a document without a word that the model knows is zero.

        Parameters
        ----------
        X
            Counts, with the columns of the training matrix.
        """
        corpus = self._new_corpus(X)
        with Workers(thread_count(self.n_jobs)) as workers:
            return mixture_shares(corpus, self.components_, self.alpha, self.transform_iter, workers)

    def _check_parameters(self) -> None:
        check_whole("n_components", self.n_components, 1, MAX_TOPICS)
        check_whole("n_projections", self.n_projections, 1)
        check_whole("max_iter", self.max_iter, 1)
        check_whole("transform_iter", self.transform_iter, 1)
        check_number("tol", self.tol, 0.0, 1.0)
        check_number("alpha", self.alpha, 0.0, 1e6)
        thread_count(self.n_jobs)
        if self.min_documents is not None:
            check_whole("min_documents", self.min_documents, 1)
        if self.recovery not in RECOVERIES:
            choice = " or ".join(map(repr, RECOVERIES))
            raise ValueError(f"recovery={self.recovery!r} is unknown; choose {choice}")


class CoOccurrence:
    """How likely two tokens of a document are to be these two words: Q of the paper, never formed as a whole.

    With n tokens in a document and H = counts / sqrt(n (n - 1)), Q = H^T H minus a diagonal that takes out the pairs of
    a token with itself. Rows are divided by their sums, which are the words' frequencies.

    Examples
    --------
    >>> CoOccurrence.of(Corpus.from_counts([[2, 1], [0, 2]])).rows(np.array([0, 1]))
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """

    def __init__(self, pairs: sparse.csr_array, diagonal: npt.NDArray[np.float64]) -> None:
        self.pairs = pairs
        self.transposed = pairs.T.tocsr()
        self.diagonal = diagonal
        self.frequencies = self.transposed @ (pairs @ np.ones(pairs.shape[1])) - diagonal
        self.scale = 1.0 / np.where(self.frequencies > 0, self.frequencies, 1.0)

    @classmethod
    def of(cls, corpus: Corpus) -> CoOccurrence:
        """Count the pairs of a corpus."""
        matrix = block_matrix(corpus, (0, len(corpus)))
        lengths = np.asarray(matrix.sum(axis=1))
        rows = np.repeat(lengths, np.diff(matrix.indptr))
        n_pairs = np.where(rows > 1, rows * (rows - 1), np.inf)
        diagonal = np.bincount(matrix.indices, matrix.data / n_pairs, corpus.n_words).astype(np.float64)
        matrix.data /= np.sqrt(n_pairs)
        matrix.eliminate_zeros()
        return cls(matrix, diagonal)

    @property
    def n_words(self) -> int:
        """Number of words."""
        return len(self.frequencies)

    def times(self, columns: Matrix, words: Words | slice = EVERY) -> Matrix:
        """Multiply the rows of some words by columns, a few columns at a time to bound the memory."""
        scale = self.scale[words, np.newaxis]
        result = np.empty((len(scale), columns.shape[1]))
        width = max(1, CELLS_PER_BLOCK // max(1, self.pairs.shape[0]))
        for first in range(0, columns.shape[1], width):
            run = np.ascontiguousarray(columns[:, first : first + width])
            product = self.transposed @ (self.pairs @ run) - self.diagonal[:, np.newaxis] * run
            result[:, first : first + width] = product[words] * scale
        return result

    def rows(self, words: Words) -> Matrix:
        """Return the rows of some words."""
        rows: Matrix = (self.transposed[words] @ self.pairs).toarray()
        rows[np.arange(len(words)), words] -= self.diagonal[words]
        rows *= self.scale[words, np.newaxis]
        return np.maximum(rows, 0.0, out=rows)  # the subtraction may leave less than nothing of the last digits

    def projected(self, words: Words, n_dimensions: int, random: np.random.RandomState) -> Matrix:
        """Return the rows of some words, by sparse random signs in fewer dimensions if there are more words."""
        if self.n_words <= n_dimensions:
            return self.rows(words)
        projection = SparseRandomProjection(n_dimensions, random_state=random).fit(self.pairs)
        return self.times(projection.components_.T.toarray(), words)


def candidate_words(
    corpus: Corpus, frequencies: npt.NDArray[np.float64], n_topics: int, min_documents: int | None
) -> Words:
    """Return the words that may be anchors: those in enough documents.

    Examples
    --------
    >>> candidate_words(Corpus.from_counts([[2, 1, 0], [0, 2, 0], [0, 1, 1]]), np.array([0.2, 0.7, 0.1]), 1, 2)
    array([1])
    """
    documents = np.where(frequencies > 0, np.bincount(corpus.words, minlength=corpus.n_words), 0)
    largest = np.sort(documents)[::-1]
    n_found = int(np.count_nonzero(documents >= (min_documents or 1)))
    if n_found < n_topics:
        least = "documents of two or more tokens" if min_documents is None else f"at least {min_documents} documents"
        raise CorpusError(
            f"n_components={n_topics} is more than the {n_found} words of X in {least}, one of which is each topic's "
            f"anchor (n_samples = {len(corpus)}, n_features = {corpus.n_words}); ask for fewer topics"
            + ("" if min_documents is None else " or a lower min_documents")
        )
    if min_documents is None:
        min_documents = min(max(5, len(corpus) // 100), int(largest[n_topics - 1]))
    return np.flatnonzero(documents >= min_documents)


def farthest_points(points: Matrix, n_points: int) -> Words:
    """Choose points one after another, each the farthest from the space that the ones before it span.

    Examples
    --------
    >>> farthest_points(np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 2.0]]), 2)
    array([2, 0])
    """
    chosen = [int(np.einsum("ij,ij->i", points, points).argmax())]
    rest = points - points[chosen[0]]
    left = np.ones(len(points), dtype=np.bool_)
    while len(chosen) < n_points:
        left[chosen[-1]] = False
        distances = np.where(left, np.einsum("ij,ij->i", rest, rest), -1.0)
        farthest = int(distances.argmax())
        chosen.append(farthest)
        if distances[farthest] > 0:
            direction = rest[farthest] / np.sqrt(distances[farthest])
            rest = rest - np.outer(rest @ direction, direction)
    return np.array(chosen)


def recover_l2(pairs: CoOccurrence, anchors: Words, max_iter: int, tol: float, workers: Workers) -> tuple[Matrix, int]:
    """Return each word's mixture of the anchors, the nearest by squared distance, and the number of steps.

    Examples
    --------
    >>> pairs = CoOccurrence.of(Corpus.from_counts([[2, 0, 1], [0, 2, 1]]))
    >>> with Workers(1) as workers:
    ...     recover_l2(pairs, np.array([0, 1]), 100, 1e-6, workers)[0].round(2)
    array([[1. , 0. ],
           [0. , 1. ],
           [0.5, 0.5]])
    """
    del workers  # matrix products only: NumPy's own threads
    rows = pairs.rows(anchors)
    gram, toward = rows @ rows.T, pairs.times(rows.T)
    size = max(np.trace(gram) / len(anchors), LEAST_WEIGHT)
    gram, toward = gram / size, toward / size

    def squared_distance(words: Words, mixtures: Matrix) -> tuple[npt.NDArray[np.float64], Matrix]:
        products, targets = mixtures @ gram, toward[words]
        return np.einsum("ik,ik->i", mixtures, products - 2 * targets), 2 * (products - targets)

    return minimise_on_simplex(squared_distance, pairs.n_words, len(anchors), max_iter, tol)


def recover_kl(pairs: CoOccurrence, anchors: Words, max_iter: int, tol: float, workers: Workers) -> tuple[Matrix, int]:
    """Return each word's mixture of the anchors, the nearest by divergence, and the number of steps.

    Examples
    --------
    >>> pairs = CoOccurrence.of(Corpus.from_counts([[2, 0, 1], [0, 2, 1]]))
    >>> with Workers(1) as workers:
    ...     recover_kl(pairs, np.array([0, 1]), 100, 1e-6, workers)[0].round(2)
    array([[1. , 0. ],
           [0. , 1. ],
           [0.5, 0.5]])
    """
    rows = pairs.rows(anchors)
    shared = rows.any(axis=0)  # a word that no anchor occurs with has no say
    rows = np.ascontiguousarray(rows[:, shared])
    size = max(1, CELLS_PER_BLOCK // pairs.n_words)

    def block_mixtures(first: int) -> tuple[Matrix, int]:
        block = np.arange(first, min(first + size, pairs.n_words))
        targets = np.ascontiguousarray(pairs.rows(block)[:, shared])

        def divergence(words: Words, mixtures: Matrix) -> tuple[npt.NDArray[np.float64], Matrix]:
            mixed, wanted = np.maximum(mixtures @ rows, LEAST_WEIGHT), targets[words]
            return -np.einsum("ij,ij->i", wanted, np.log(mixed)), -(wanted / mixed) @ rows.T

        return minimise_on_simplex(divergence, len(block), len(anchors), max_iter, tol)

    mixtures, steps = zip(*workers.map(block_mixtures, range(0, pairs.n_words, size)), strict=True)
    return np.concatenate(mixtures), max(steps)


def minimise_on_simplex(
    objective: Objective, n_rows: int, n_columns: int, max_iter: int, tol: float
) -> tuple[Matrix, int]:
    """Minimise a convex function of each row of weights that are at least 0 and sum to 1, by exponentiated gradient.

    Each row has a step of its own, halved when its function would rise, else made half as long again. A row is done
    when its function is at most `tol` above the least, by the bound gradient . weights - least gradient.

    Parameters
    ----------
    objective
        Gives values and gradients for some rows (their numbers and their weights).
    n_rows, n_columns
        Shape of the weights; they start equal.
    max_iter
        Most steps.
    tol
        How far from the least value a row may stay.

    Returns
    -------
    The weights, and the number of steps.

    Examples
    --------
    >>> targets = np.array([[0.2, 0.8], [1.0, 0.0]])
    >>> def distance(rows, weights):
    ...     return ((weights - targets[rows]) ** 2).sum(axis=1), 2 * (weights - targets[rows])
    >>> minimise_on_simplex(distance, 2, 2, 200, 1e-9)[0].round(3)
    array([[0.2, 0.8],
           [1. , 0. ]])
    """
    weights = np.full((n_rows, n_columns), 1.0 / n_columns)
    rows = np.arange(n_rows)
    current, steps = weights.copy(), np.ones(n_rows)
    values, gradients = objective(rows, current)
    for n_iter in range(1, max_iter + 1):  # noqa: B007 (read below)
        least = gradients.min(axis=1)
        trial = current * np.exp(-steps[:, np.newaxis] * (gradients - least[:, np.newaxis]))
        trial = np.maximum(trial / trial.sum(axis=1, keepdims=True), LEAST_WEIGHT)
        trial_values, trial_gradients = objective(rows, trial)
        better = trial_values <= values
        steps = np.minimum(np.where(better, 1.5 * steps, 0.5 * steps), LARGEST_STEP)
        current[better], values[better] = trial[better], trial_values[better]
        gradients[better] = trial_gradients[better]
        weights[rows] = current
        going = np.einsum("ik,ik->i", gradients, current) - gradients.min(axis=1) > tol
        if not going.any():
            break
        rows, current, steps, values, gradients = (array[going] for array in (rows, current, steps, values, gradients))
    return weights, n_iter
