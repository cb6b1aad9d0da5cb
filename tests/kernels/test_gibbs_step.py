"""The Gibbs kernels equal their twins in NumPy to the bit, on every instruction set of the machine."""

import numpy as np
import pytest
from corpora import corpora, read_only
from hypothesis import given
from hypothesis import strategies as st

from crisptopics import kernels
from crisptopics.chain import deal_tokens, padded_prior
from crisptopics.kernels import reference
from crisptopics.start import mix, random_topics, stream_key

pytestmark = pytest.mark.usefixtures("instruction_set")


def uniforms(seed, stream, n):
    bits = mix(seed, stream, np.arange(n, dtype=np.uint64))
    return (bits >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)


few_tokens = corpora(max_documents=6).filter(lambda corpus: corpus.n_tokens < 300)
priors = st.sampled_from([0.001, 0.1, 3.0])


@given(few_tokens, st.integers(1, 40), st.integers(1, 3), priors, priors, st.integers(0, 2**31))
def test_gibbs_step(corpus, n_topics, n_groups, alpha, beta, seed):
    _, cuts, words = deal_tokens(corpus, n_groups)
    prior = padded_prior(alpha, n_topics)
    topics = random_topics(corpus.n_tokens, n_topics, seed)
    counts = np.zeros((corpus.n_words, len(prior)), dtype=np.int32)
    np.add.at(counts, (words, topics), 1)
    totals = counts.sum(axis=0, dtype=np.int64)
    tokens = kernels.GibbsTokens(n_groups, cuts, words, prior, beta, beta * corpus.n_words)
    expected = topics.copy(), counts.copy(), totals.copy()
    rows = np.array([cuts[j * n_groups : (j + 1) * n_groups + 1] for j in range(len(corpus))])
    beta_sum = np.float32(beta * corpus.n_words)
    for group in range(n_groups):
        kernels.gibbs_step(tokens, 0, len(corpus), group, stream_key(seed, 1), counts.ravel(), totals, topics)
        reference.gibbs_step(
            rows.reshape(len(corpus), n_groups + 1),
            group,
            *read_only(words, prior),
            np.float32(beta),
            beta_sum,
            uniforms(seed, 1, corpus.n_tokens),
            expected[1],
            expected[2],
            expected[0],
        )
    for found, wanted in zip((topics, counts, totals), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


@given(few_tokens, st.integers(1, 40), priors, st.integers(0, 2**31))
def test_gibbs_infer(corpus, n_topics, alpha, seed):
    _, cuts, words = deal_tokens(corpus, 1)
    prior = padded_prior(alpha, n_topics)
    psi = np.zeros((corpus.n_words, len(prior)), dtype=np.float32)
    psi[:, :n_topics] = np.random.default_rng(seed).dirichlet(np.ones(corpus.n_words), n_topics).T
    topics = random_topics(corpus.n_tokens, n_topics, seed)
    sums = np.zeros((len(corpus), len(prior)), dtype=np.float32)
    expected = topics.copy(), sums.copy()
    tokens = kernels.GibbsTokens(1, cuts, words, prior, 0.0, 0.0)
    for sweep in range(2):
        kernels.gibbs_infer(
            tokens, 0, len(corpus), stream_key(seed, sweep), *read_only(psi.ravel()), topics, sums.ravel()
        )
        reference.gibbs_infer(cuts, words, prior, uniforms(seed, sweep, corpus.n_tokens), psi, expected[0], expected[1])
    np.testing.assert_array_equal(topics, expected[0])
    np.testing.assert_array_equal(sums, expected[1])


def test_a_draw_follows_its_weights():
    # One token in one document: its topic is drawn with probabilities proportional to psi.
    psi = np.zeros((1, 32), dtype=np.float32)
    psi[0, :20] = np.arange(20)
    prior, sums = padded_prior(1.0, 20), np.zeros(32, dtype=np.float32)
    tokens = kernels.GibbsTokens(1, np.array([0, 1]), np.zeros(1, np.int32), prior, 0.0, 0.0)
    topics, draws = np.zeros(1, np.uint16), np.zeros(20)
    for key in range(20_000):
        kernels.gibbs_infer(tokens, 0, 1, stream_key(key, 0), psi.ravel(), topics, sums)
        draws[topics[0]] += 1
    expected = 20_000 * np.arange(20) / 190
    assert draws[0] == 0
    assert np.sum((draws[1:] - expected[1:]) ** 2 / expected[1:]) < 50  # chi-square with 18 degrees of freedom


def test_wrong_arrays_are_refused():
    with pytest.raises(ValueError, match="padded to a multiple of 16"):
        kernels.GibbsTokens(1, np.array([0, 1]), np.zeros(1, np.int32), np.ones(5, np.float32), 0.1, 0.1)
    with pytest.raises(ValueError, match="cuts do not end"):
        kernels.GibbsTokens(1, np.array([0, 2]), np.zeros(1, np.int32), np.ones(16, np.float32), 0.1, 0.1)
