"""Shares of fixed topics, and blocks of documents."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crisptopics import Corpus
from crisptopics.baselines import base
from crisptopics.blocks import Workers

PSI = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.25, 0.75, 0.0]])  # no topic has the last word


def test_one_iteration_by_hand():
    # Tokens of the shared word 1 are split 2 : 1 by psi (0.5 against 0.25), so the topics expect 1 + 2 and 1 + 3.
    shares = base.mixture_shares(Corpus.from_counts([[1, 3, 3, 9]]), PSI, alpha=0.0, n_iter=1)
    assert_allclose(shares, [[3 / 7, 4 / 7]], rtol=1e-14)
    shares = base.mixture_shares(Corpus.from_counts([[1, 3, 3, 9]]), PSI, alpha=0.5, n_iter=1)
    assert_allclose(shares, [[3.5 / 8, 4.5 / 8]], rtol=1e-14)


@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_documents_without_known_words_get_zeros(alpha):
    shares = base.mixture_shares(Corpus.from_counts([[0, 0, 0, 5], [0, 0, 0, 0]]), PSI, alpha, n_iter=3)
    assert_array_equal(shares, np.zeros((2, 2)))


def test_the_likelihood_never_falls_and_ends_where_the_bound_is_tight():
    random = np.random.RandomState(0)
    psi, counts = random.dirichlet(np.full(20, 0.3), size=4), random.poisson(1.0, size=(30, 20))
    corpus = Corpus.from_counts(counts)
    values = []
    for n_iter in (0, 1, 2, 5, 20, 2000):
        shares = base.mixture_shares(corpus, psi, 0.0, n_iter)
        values.append((counts * np.log(shares @ psi)).sum(axis=1))
    assert np.diff(values, axis=0).min() >= -1e-10
    slopes = (counts / (shares @ psi)) @ psi.T / counts.sum(axis=1, keepdims=True)
    assert slopes.max() < 1.01  # 1 at the maximum, for every topic in use


def test_blocks_and_threads_do_not_change_the_shares(monkeypatch):
    random = np.random.RandomState(1)
    psi, corpus = random.dirichlet(np.ones(20), size=3), Corpus.from_counts(random.poisson(0.3, size=(200, 20)))
    whole = base.mixture_shares(corpus, psi, 0.01, 10)
    monkeypatch.setattr(base, "CELLS_PER_BLOCK", 3)
    with Workers(3) as workers:
        assert_allclose(base.mixture_shares(corpus, psi, 0.01, 10, workers), whole, rtol=1e-12)


def test_tiny_probabilities_give_finite_shares():
    shares = base.mixture_shares(Corpus.from_counts([[2**31 - 1, 1]]), np.array([[5e-324, 1.0], [5e-324, 1.0]]), 0.0, 5)
    assert_allclose(shares, [[0.5, 0.5]], rtol=1e-12)


def test_block_matrix_gives_the_rows():
    counts = np.array([[0, 2], [0, 0], [3, 1], [4, 0]])
    assert_array_equal(base.block_matrix(Corpus.from_counts(counts), (1, 3)).toarray(), counts[1:3])
