"""A soft ending: topics of a mixture, found from the crisp solution by sharing out words among topics.

The crisp solution counts a word of a document in its best topic alone. Here each token is shared out over the topics,
in proportion to how much the document and the word have of them, and both are counted anew from the shares: in the
manner of collapsed variational inference (CVB0; Asuncion, Welling, Smyth, Teh 2009), without a random number. It starts
where the crisp solution ended, so it keeps its topics, fills their lists of words, and foretells new documents better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics import kernels
from crisptopics.blocks import Workers, cut
from crisptopics.chain import padded_prior
from crisptopics.corpus import Corpus
from crisptopics.search import take
from crisptopics.start import random_order

MOST_WORK = 1 << 28  # entries times topics in an iteration; of larger corpora a sample is softened first
SAMPLE_ENTRIES_PER_TOPIC = 1_000  # at least, in such a sample
LAST_ITERATIONS = 2  # over all documents after a sample
SETTLED = 1e-3  # part of the tokens; when fewer go to another topic, it ends
ALPHA_EVERY = 5  # iterations between two fits of the prior
ALPHA_STEPS = 20
FIRST_ALPHA, LEAST_ALPHA = 0.1, 1e-4
LEAST_BETA = 1e-12  # below, shares in float32 vanish
MOST_TOKENS = 1 << 16  # of a document in a topic that the prior takes note of
SHARE_ITERATIONS = 30  # of new documents
UNIT = 16  # soft counts are kept in parts of a token
SAMPLE = 1 << 37  # stream of random numbers

IntArray = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float64]
Table = npt.NDArray[np.float32]
TopicArray = npt.NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class SoftTopics:
    """Topics of a mixture.

    Parameters
    ----------
    counts
        Expected tokens of each word in each topic, in parts of a token: shape (K, V).
    alpha
        Prior weight of each topic in a document.
    """

    counts: sparse.csr_array
    alpha: Matrix


def soften(
    corpus: Corpus, topics: TopicArray, n_topics: int, beta: float, n_iter: int, seed: int, workers: Workers
) -> SoftTopics:
    """Share out words among topics, from one topic for each entry, until hardly any moves or `n_iter` are done.

    Examples
    --------
    >>> corpus = Corpus.from_counts([[4, 2, 0], [0, 1, 5]])
    >>> with Workers(1) as workers:
    ...     soft = soften(corpus, np.array([0, 0, 1, 1], np.uint16), 2, 0.01, 10, 0, workers)
    >>> int(soft.counts.sum()) == UNIT * corpus.n_tokens
    True
    """
    mixture = Mixture.of(corpus, topics, n_topics, beta)
    most = max(MOST_WORK // mixture.n_padded, SAMPLE_ENTRIES_PER_TOPIC * n_topics)
    if corpus.n_entries > most:
        order = random_order(len(corpus), seed, SAMPLE)
        entries = np.cumsum(np.diff(corpus.indptr)[order])
        part = Mixture.of(*take(corpus, topics, order[: np.searchsorted(entries, most)]), n_topics, beta)
        mixture.words -= part.words
        part.settle(n_iter, workers)
        mixture.words += part.words
        mixture.alpha = part.alpha
        n_iter = min(n_iter, LAST_ITERATIONS)
    mixture.settle(n_iter, workers)
    return SoftTopics(mixture.counts(), mixture.alpha)


@dataclass(eq=False)
class Mixture:
    """Expected tokens of documents and of words in topics, which are made of each other by turns.

    Parameters
    ----------
    corpus
        The documents.
    documents, words
        Expected tokens of each in each topic; topics are padded.
    n_topics
        Number of topics.
    alpha
        Prior weight of each topic in a document.
    beta
        Prior weight of each word in a topic.

    Examples
    --------
    >>> corpus = Corpus.from_counts([[4, 2, 0], [0, 1, 5]])
    >>> mixture = Mixture.of(corpus, np.array([0, 0, 1, 1], np.uint16), 2, 0.01)
    >>> with Workers(1) as workers:
    ...     mixture.share_documents(workers)
    >>> mixture.documents.sum(axis=1).round(3).tolist()
    [6.0, 6.0]
    """

    corpus: Corpus
    documents: Table
    words: Table
    n_topics: int
    alpha: Matrix
    beta: float

    @classmethod
    def of(cls, corpus: Corpus, topics: TopicArray, n_topics: int, beta: float) -> Mixture:
        """Return the mixture in which each entry has its one topic."""
        rows = corpus.document_of
        n_padded = kernels.padded(n_topics)
        documents = _table(rows, topics, corpus.counts, (len(corpus), n_padded))
        words = _table(corpus.words, topics, corpus.counts, (corpus.n_words, n_padded))
        alpha = fitted_alpha(documents, np.full(n_topics, FIRST_ALPHA))
        return cls(corpus, documents, words, n_topics, alpha, beta)

    @property
    def n_padded(self) -> int:
        """Number of topics, padded."""
        return int(self.words.shape[1])

    def settle(self, n_iter: int, workers: Workers) -> None:
        """Iterate until hardly any token moves, at most so many times."""
        columns = self.corpus.counts_matrix().tocsc()
        occurrences = kernels.Documents(
            columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data.astype(np.int32)
        )
        blocks = cut(columns.indptr.astype(np.int64))
        for iteration in range(1, n_iter + 1):
            before = self.words.copy()
            self.share_documents(workers)
            if iteration % ALPHA_EVERY == 0:
                self.alpha = fitted_alpha(self.documents, self.alpha)
            self._share(occurrences, blocks, self.words, self.documents, self._priors()[::-1], workers)
            moved = np.abs(self.words - before).sum(axis=0, dtype=np.float64)
            if _sum(moved) / 2 < SETTLED * self.corpus.n_tokens:
                break

    def share_documents(self, workers: Workers) -> None:
        """Share out the tokens of documents, by the words' topics."""
        entries = kernels.Documents(self.corpus.indptr, self.corpus.words, self.corpus.counts)
        self._share(entries, cut(self.corpus.indptr), self.documents, self.words, self._priors(), workers)

    def counts(self) -> sparse.csr_array:
        """Return the words' tokens in topics as whole numbers, in parts of a token."""
        kept = np.flatnonzero(self.words >= 0.5 / UNIT)
        words, topics = kept // self.n_padded, kept % self.n_padded
        data = np.rint(self.words.ravel()[kept].astype(np.float64) * UNIT).astype(np.int64)
        order = np.lexsort((words, topics))
        shape = self.n_topics, len(self.words)
        return sparse.csr_array(sparse.coo_array((data[order], (topics[order], words[order])), shape=shape))

    def _priors(self) -> tuple[Table, Table]:
        """Return the prior of a document's topics, and that of a word's."""
        return padded_prior(self.alpha, self.n_topics), np.full(
            self.n_padded, max(self.beta, LEAST_BETA), dtype=np.float32
        )

    def _share(
        self,
        entries: kernels.Documents,
        blocks: list[tuple[int, int]],
        rows: Table,
        columns: Table,
        priors: tuple[Table, Table],
        workers: Workers,
    ) -> None:
        weights = np.zeros(self.n_padded, dtype=np.float32)
        totals = self.words[:, : self.n_topics].sum(axis=0, dtype=np.float64)
        weights[: self.n_topics] = 1.0 / (totals + len(self.words) * self.beta)
        workers.map(
            lambda block: kernels.mixture_step(entries, *block, rows.ravel(), columns.ravel(), *priors, weights), blocks
        )


def mixture_shares(corpus: Corpus, crisp: sparse.csr_array, soft: SoftTopics, beta: float, workers: Workers) -> Matrix:
    """Return the expected share of each document's tokens in each topic.

    Words that no crisp topic has do not count; a document without others has zeros.

    Examples
    --------
    >>> crisp = sparse.csr_array([[9, 0], [0, 9]])
    >>> soft = SoftTopics(sparse.csr_array([[9 * UNIT, 1], [1, 9 * UNIT]]), np.array([0.1, 0.1]))
    >>> with Workers(1) as workers:
    ...     mixture_shares(Corpus.from_counts([[2, 2], [0, 0]]), crisp, soft, 0.01, workers).round(2)
    array([[0.5, 0.5],
           [0. , 0. ]])
    """
    known = np.bincount(crisp.indices, minlength=corpus.n_words) > 0
    counts = np.where(known[corpus.words], corpus.counts, 0)
    corpus = Corpus(corpus.indptr, corpus.words, counts, corpus.n_words)  # drops what is zero
    n_topics, n_padded = len(soft.alpha), kernels.padded(len(soft.alpha))
    words = np.zeros((corpus.n_words, n_padded), dtype=np.float32)
    words[:, :n_topics] = soft.counts.T.toarray() / UNIT
    rows = corpus.document_of
    lengths = np.bincount(rows, corpus.counts, minlength=len(corpus))
    documents = np.zeros((len(corpus), n_padded), dtype=np.float32)
    documents[:, :n_topics] = lengths[:, None] / n_topics
    mixture = Mixture(corpus, documents, words, n_topics, soft.alpha, beta)
    for _ in range(SHARE_ITERATIONS):
        mixture.share_documents(workers)
    shares: Matrix = mixture.documents[:, :n_topics].astype(np.float64)
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return shares


def fitted_alpha(documents: npt.NDArray[np.number], start: Matrix) -> Matrix:
    """Return the prior weights under which the documents' topic counts are likelier: Minka's fixed point.

    Counts are rounded: the digamma differences of whole numbers are sums of reciprocals, added in order, so the result
    has the same bits on every machine (Wallach 2008). Rounding also keeps the many small shares of topics that a
    document hardly has from raising all weights.

    Parameters
    ----------
    documents
        Tokens of each document in each topic; columns beyond the length of `start` do not count.
    start
        Weights to begin with.

    Examples
    --------
    >>> alpha = fitted_alpha(np.array([[2, 0], [0, 2], [2, 0], [1, 1]]), np.ones(2))
    >>> bool(alpha[0] > alpha[1])
    True
    """
    lengths = np.zeros(len(documents), dtype=np.int64)
    more = []
    for topic in range(len(start)):
        counts = np.rint(np.minimum(documents[:, topic], MOST_TOKENS)).astype(np.int64)
        lengths += counts
        more.append(_more_than(counts))
    more_in_all = _more_than(np.minimum(lengths, MOST_TOKENS))
    alpha = start.copy()
    for _ in range(ALPHA_STEPS if len(more_in_all) else 0):
        below = _sum(more_in_all / (_sum(alpha) + np.arange(len(more_in_all))))
        above = np.array([_sum(some / (alpha[topic] + np.arange(len(some)))) for topic, some in enumerate(more)])
        alpha = np.maximum(LEAST_ALPHA, alpha * above / below)
    return alpha


def _table(
    rows: npt.NDArray[np.integer], topics: TopicArray, counts: npt.NDArray[np.int32], shape: tuple[int, int]
) -> Table:
    """Count the tokens of each row in each topic."""
    matrix = sparse.csr_array(sparse.coo_array((counts.astype(np.float64), (rows, topics.astype(np.int32))), shape))
    return np.asarray(matrix.astype(np.float32).toarray())


def _more_than(counts: IntArray) -> IntArray:
    """Return how many of the counts are more than 0, 1, 2 and so on."""
    return len(counts) - np.cumsum(np.bincount(counts))[:-1]


def _sum(values: npt.NDArray[np.generic]) -> float:
    """Add in order: the fast sums of NumPy may round otherwise on another processor."""
    return float(np.cumsum(values)[-1]) if values.size else 0.0
