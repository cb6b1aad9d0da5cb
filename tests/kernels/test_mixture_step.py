"""The mixture kernel equals its twin in NumPy to the bit, on every instruction set of the machine."""

import numpy as np
import pytest
from corpora import corpora, documents_of, read_only
from hypothesis import given
from hypothesis import strategies as st

from crisptopics import Corpus, kernels
from crisptopics.kernels import reference

pytestmark = pytest.mark.usefixtures("instruction_set")


def tables(corpus, n_topics, seed):
    """Tables of rows and columns, their priors, and the weights of topics; padding has none."""
    random = np.random.RandomState(seed)
    n_padded = -(-n_topics // 16) * 16
    sizes = ((len(corpus), n_padded), (corpus.n_words, n_padded), n_padded, n_padded, n_padded)
    made = [(3 * random.rand(*np.atleast_1d(size)) ** 3).astype(np.float32) for size in sizes]
    for table in (*made[:3], made[4]):
        table[..., n_topics:] = 0
    return made


@given(corpora(), st.integers(1, 40), st.integers(0, 2**31))
def test_mixture_step(corpus, n_topics, seed):
    rows, *others = tables(corpus, n_topics, seed)
    expected = reference.mixture_step(corpus, rows, *others)
    columns, *priors = read_only(*others)
    found = rows.copy()
    middle = len(corpus) // 2
    for first, last in ((middle, len(corpus)), (0, middle)):
        kernels.mixture_step(documents_of(corpus), first, last, found.ravel(), columns.ravel(), *priors)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_words", [4096, 4097, 9000])
def test_long_rows_are_added_up_in_parts(n_words):
    corpus = Corpus.from_counts(np.random.RandomState(0).randint(1, 4, (1, n_words)))
    rows, *others = tables(corpus, 5, seed=n_words)
    found = rows.copy()
    kernels.mixture_step(documents_of(corpus), 0, 1, found.ravel(), others[0].ravel(), *others[1:])
    np.testing.assert_array_equal(found, reference.mixture_step(corpus, rows, *others))
    np.testing.assert_allclose(found.sum(), corpus.n_tokens, rtol=1e-5)


def test_a_case_by_hand():
    """One token of one word: by itself it has no reason to be in topic 0 but the priors."""
    corpus = Corpus.from_counts([[1]])
    rows, columns = np.zeros((1, 16), np.float32), np.zeros((1, 16), np.float32)
    rows[0, 0] = columns[0, 0] = 1
    prior, weights = np.zeros(16, np.float32), np.zeros(16, np.float32)
    prior[:2], weights[:2] = 0.5, 1
    # First shares: 1.5 * 1.5 and 0.5 * 0.5, so 0.9 and 0.1; then (0.1 + 0.5)^2 and (0 + 0.5)^2 remain.
    kernels.mixture_step(documents_of(corpus), 0, 1, rows.ravel(), columns.ravel(), prior, prior, weights)
    np.testing.assert_allclose(rows[0, :2], [0.36 / 0.61, 0.25 / 0.61], rtol=1e-6)
    assert not rows[0, 2:].any()


def test_wrong_arrays_are_refused():
    corpus, ones = Corpus.from_counts([[1]]), np.ones(16, np.float32)
    with pytest.raises(ValueError, match="padded to a multiple of 16"):
        kernels.mixture_step(documents_of(corpus), 0, 1, ones[:5], ones, ones, ones, ones[:5])
    with pytest.raises(ValueError, match="not one prior"):
        kernels.mixture_step(documents_of(corpus), 0, 1, ones, ones, ones[:8], ones, ones)
    with pytest.raises(ValueError, match="tables do not fit"):
        kernels.mixture_step(documents_of(corpus), 0, 1, np.ones(32, np.float32), ones, ones, ones, ones)
    with pytest.raises(ValueError, match="no such block"):
        kernels.mixture_step(documents_of(corpus), 0, 2, ones, ones, ones, ones, ones)
