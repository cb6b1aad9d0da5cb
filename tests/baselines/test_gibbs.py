"""The Gibbs sampler: right frequencies, the same bits at any number of threads, and every way to start."""

import warnings

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from crisptopics import Corpus, CrispTopics, chain, datasets, kernels, metrics
from crisptopics.baselines import GibbsLDA
from crisptopics.blocks import Workers

PLANTED = np.random.default_rng(0).poisson(np.repeat(np.eye(3) * 2 + 0.02, 8, axis=1), size=(20, 3, 24)).reshape(60, 24)


def make(**parameters):
    return GibbsLDA(**({"n_components": 3, "n_iter": 60, "random_state": 0} | parameters))


def test_scikit_learns_own_checks_all_pass():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(GibbsLDA(2, n_iter=20, random_state=0), on_fail=None)
    assert len(results) > 40
    assert [(result["check_name"], result["status"]) for result in results if result["status"] != "passed"] == []


def test_planted_topics_are_found():
    model = make().fit(PLANTED)
    assert sorted(np.argmax(model.components_.reshape(3, 3, 8).sum(axis=2), axis=1)) == [0, 1, 2]
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0)
    shares = model.transform(PLANTED)
    assert len(set(shares[0::3].argmax(axis=1))) == 1
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_it_reaches_the_topics_of_lda():
    data = datasets.synth_a(1500, random_state=3)
    model = GibbsLDA(20, alpha=0.04, beta=0.05, n_iter=150, n_samples=5, random_state=0).fit(data.counts)
    start = metrics.topic_l1(GibbsLDA(20, alpha=0.04, beta=0.05, n_iter=1).fit(data.counts).components_, data.psi)
    assert metrics.topic_l1(model.components_, data.psi) < 0.4 < 1.5 < start
    entry_order = np.repeat(data.counts.indices, data.counts.data)
    counts = np.zeros((20, 2000), dtype=np.int64)
    np.add.at(counts, (model.token_topics_, entry_order), 1)
    np.testing.assert_array_equal(counts, model.topic_word_counts_)


def test_the_posterior_of_two_tokens():
    # One document with the words a and b, two topics, alpha = beta = 1. By the two Dirichlet-multinomials, a state with
    # both words in one topic has weight 2/6 x 1/6, one with the words apart 1/6 x 1/4; there are two states of each.
    alike, apart = 2 * (2 / 6) * (1 / 6), 2 * (1 / 6) * (1 / 4)
    corpus, together = Corpus.from_counts([[1, 1]]), 0
    states = chain.Chain(corpus, 2, 1.0, 1.0, seed=1)
    with Workers(1) as workers:
        for _ in range(40_000):
            states.sweep(workers)
            together += states.token_topics[0] == states.token_topics[1]
    assert together / 40_000 == pytest.approx(alike / (alike + apart), abs=0.015)


def test_same_bits_at_any_number_of_threads_and_instruction_set(monkeypatch):
    monkeypatch.setattr(chain, "TOKENS_PER_GROUP", 200)
    expected = make(n_iter=10).fit(PLANTED)
    for parameters in ({"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": 7}):
        found = make(n_iter=10, **parameters).fit(PLANTED)
        np.testing.assert_array_equal(found.token_topics_, expected.token_topics_)
        np.testing.assert_array_equal(found.transform(PLANTED), expected.transform(PLANTED))
    for name in kernels.instruction_sets():
        kernels.choose_instruction_set(name)
        np.testing.assert_array_equal(make(n_iter=10).fit(PLANTED).token_topics_, expected.token_topics_)
    assert np.any(make(n_iter=10, random_state=1).fit(PLANTED).token_topics_ != expected.token_topics_)


def test_groups_deal_every_token_once_and_keep_counts(monkeypatch):
    monkeypatch.setattr(chain, "TOKENS_PER_GROUP", 100)
    corpus = Corpus.from_counts(np.vstack([np.zeros((2, 24), int), PLANTED, np.zeros((1, 24), int)]))
    order, cuts, words = chain.deal_tokens(corpus, 5)
    assert sorted(order.tolist()) == list(range(corpus.n_tokens))
    assert cuts[-1] == corpus.n_tokens
    assert len(cuts) == 5 * len(corpus) + 1
    np.testing.assert_array_equal(np.sort(words), np.sort(np.repeat(corpus.words, corpus.counts)))
    states = chain.Chain(corpus, 4, 0.1, 0.1, seed=0)
    with Workers(2) as workers:
        for _ in range(3):
            before = states.token_topics
            states.sweep(workers)
            assert np.any(states.token_topics != before)
            frequencies = np.asarray(corpus.counts_matrix().sum(axis=0))
            np.testing.assert_array_equal(states.topic_word_counts.sum(axis=0), frequencies)
            np.testing.assert_array_equal(states._totals[:4], states.topic_word_counts.sum(axis=1))


def test_starting_from_a_crisp_model_and_from_entries():
    crisp = CrispTopics(3, penalty=10.0, random_state=0).fit(PLANTED)
    seen = []
    make(init=crisp, n_iter=1, callback=lambda chain: seen.append(chain.topic_word_counts)).fit(PLANTED)
    nearby = np.abs(seen[0] - crisp.topic_word_counts_).sum() / PLANTED.sum()
    assert nearby < 0.2
    as_matrix = make(init=crisp.assignments_, n_iter=5).fit(PLANTED)
    as_vector = make(init=crisp.assignments_.data, n_iter=5).fit(PLANTED)
    as_model = make(init=crisp, n_iter=5).fit(PLANTED)
    np.testing.assert_array_equal(as_matrix.token_topics_, as_model.token_topics_)
    np.testing.assert_array_equal(as_vector.token_topics_, as_model.token_topics_)


def test_samples_are_averaged():
    states = []
    model = make(n_iter=11, n_samples=3, thin=2, callback=lambda chain: states.append(chain.components)).fit(PLANTED)
    np.testing.assert_allclose(model.components_, (states[6] + states[8] + states[10]) / 3)
    only = make(n_iter=5, n_samples=1).fit(PLANTED)
    smoothed = only.topic_word_counts_ + only.beta
    np.testing.assert_allclose(only.components_, smoothed / smoothed.sum(axis=1, keepdims=True))


def test_a_callback_stops_the_sampler():
    model = make(callback=lambda chain: chain.iteration == 4).fit(PLANTED)
    assert model.n_iter_ == 4
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0)


def test_new_documents():
    model = make().fit(PLANTED)
    shares = model.transform(np.vstack([PLANTED[:2], np.zeros((1, 24), int)]))
    np.testing.assert_array_equal(shares[2], np.zeros(3))
    np.testing.assert_array_equal(shares[:2], model.transform(PLANTED[:2])[:2])
    with pytest.raises(ValueError, match="X has 23 features"):
        model.transform(PLANTED[:, 1:])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 0.0}, "alpha=0.0 is not accepted; give a number above 0"),
        ({"beta": -1.0}, "beta=-1.0 is not accepted"),
        ({"n_iter": 0}, "n_iter=0 is not accepted; give a whole number of at least 1"),
        ({"n_samples": 0}, "n_samples=0"),
        ({"thin": 1.5}, "thin=1.5"),
        ({"infer_iter": 0}, "infer_iter=0"),
        ({"n_components": 70_000}, "n_components=70000 is not accepted; give a whole number from 1 to 65534"),
        ({"init": "random"}, "init='random' is not accepted; give None, a fitted CrispTopics"),
        ({"init": np.zeros((3, 24))}, "a topic for each entry of X$"),
        ({"init": [0, 1]}, "init has shape"),
    ],
)
def test_refusals(parameters, message):
    with pytest.raises(ValueError, match=message):
        make(**parameters).fit(PLANTED)
