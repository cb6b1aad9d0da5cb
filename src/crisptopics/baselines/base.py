"""What the baselines share: their topics, and shares of fixed topics in documents."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics.base import TopicEstimator
from crisptopics.blocks import ENTRIES_PER_BLOCK, Block, Workers, cut
from crisptopics.corpus import Corpus

Matrix = npt.NDArray[np.float64]

CELLS_PER_BLOCK = 2**20  # of a dense array with a row for each (document, word) entry
LEAST_MIXTURE = 1e-290  # a count divided by it is still finite


class TopicBaseline(TopicEstimator):
    """Base of the baselines; a subclass adds `fit`, which sets `components_`, and `transform`.

    Examples
    --------
    >>> from crisptopics.baselines import KLMeans
    >>> isinstance(KLMeans(n_components=2), TopicBaseline)
    True
    """

    n_components: int
    components_: Matrix

    def __sklearn_is_fitted__(self) -> bool:
        return "components_" in self.__dict__

    def _fitted_shape(self) -> tuple[int, int]:
        return self.components_.shape

    def _top_columns(self, top: int) -> list[list[int]]:
        columns: list[list[int]] = np.argsort(-self.components_, axis=1, kind="stable")[:, :top].tolist()
        return columns


def block_matrix(corpus: Corpus, block: Block) -> sparse.csr_array:
    """Return the counts of a block of documents as float64.

    Examples
    --------
    >>> block_matrix(Corpus.from_counts([[0, 2], [1, 1], [4, 0]]), (1, 3)).toarray()
    array([[1., 1.],
           [4., 0.]])
    """
    first, last = block
    indptr = corpus.indptr[first : last + 1]
    entries = slice(indptr[0], indptr[-1])
    parts = corpus.counts[entries].astype(np.float64), corpus.words[entries], indptr - indptr[0]
    return sparse.csr_array(parts, shape=(last - first, corpus.n_words))


def mixture_shares(corpus: Corpus, psi: Matrix, alpha: float, n_iter: int, workers: Workers | None = None) -> Matrix:
    """Return the shares of fixed topics that make each document likeliest.

    A document's words come from the mixture of the topics in its shares; expectation-maximisation from equal shares
    climbs to their most likely values. Words that no topic has do not count; a document without others gets zeros.

    Parameters
    ----------
    corpus
        The documents.
    psi
        Topics, one a row: the probability of each word.
    alpha
        Added to each topic's expected tokens: 0 for the likeliest shares, more for more even ones.
    n_iter
        Number of iterations.
    workers
        Threads to share the documents.

    Examples
    --------
    >>> corpus = Corpus.from_counts([[3, 1, 0], [0, 0, 2], [0, 0, 0]])
    >>> mixture_shares(corpus, np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]), alpha=0.0, n_iter=10)
    array([[0.75, 0.25],
           [0.  , 1.  ],
           [0.  , 0.  ]])
    """
    columns = np.ascontiguousarray(psi.T)
    entries = max(1, min(ENTRIES_PER_BLOCK, CELLS_PER_BLOCK // len(psi)))
    shares = np.zeros((len(corpus), len(psi)))

    def fill(block: Block) -> None:
        shares[slice(*block)] = _block_shares(block_matrix(corpus, block), columns, alpha, n_iter)

    (workers or Workers(1)).map(fill, cut(corpus.indptr, entries))
    return shares


def _block_shares(counts: sparse.csr_array, columns: Matrix, alpha: float, n_iter: int) -> Matrix:
    """Return the shares of the topics, whose words are the rows of `columns`, for a block of documents."""
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    inside = columns[counts.indices]
    known = inside.any(axis=1)
    weights = np.where(known, counts.data, 0.0)
    shares = np.zeros((counts.shape[0], columns.shape[1]))
    shares[rows[known]] = 1.0 / columns.shape[1]
    has_words = shares.any(axis=1, keepdims=True)
    responsible = counts.copy()
    for _ in range(n_iter):
        mixture = np.einsum("ek,ek->e", shares[rows], inside)
        responsible.data = weights / np.maximum(mixture, LEAST_MIXTURE)
        shares *= responsible @ columns
        shares += alpha * has_words
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), LEAST_MIXTURE)
    return shares
