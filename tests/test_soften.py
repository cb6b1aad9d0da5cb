"""Soft endings: topics of a mixture beside crisp assignments, with the same bits everywhere."""

import numpy as np
import pytest
from scipy.special import digamma

from crisptopics import Corpus, CrispTopics, datasets, load, metrics
from crisptopics.soften import fitted_alpha


@pytest.fixture(scope="module")
def drawn():
    return datasets.synth_a(600, random_state=3)


def make(**parameters):
    return CrispTopics(**({"n_components": 20, "penalty": 12.0, "random_state": 0} | parameters))


def test_assignments_stay_crisp_and_topics_become_soft(drawn):
    crisp, soft = make().fit(drawn.counts), make(soften=10).fit(drawn.counts)
    np.testing.assert_array_equal(soft.topic_word_counts_, crisp.topic_word_counts_)
    np.testing.assert_array_equal(soft.assignments_.data, crisp.assignments_.data)
    np.testing.assert_array_equal(soft.transform(drawn.counts), crisp.transform(drawn.counts))
    assert not np.array_equal(soft.components_, crisp.components_)
    np.testing.assert_allclose(soft.components_.sum(axis=1), 1, rtol=1e-12)
    assert metrics.topic_l1(soft.components_, drawn.psi) < metrics.topic_l1(crisp.components_, drawn.psi)


def test_soft_topics_foretell_new_documents_better(drawn):
    new = datasets.synth_a(900, random_state=3).counts[600:]
    soft = make(soften=20).fit(drawn.counts)
    crisp_counts = soft.topic_word_counts_
    soft_counts = soft.components_ * crisp_counts.sum(axis=1, keepdims=True)
    scores = [
        metrics.predictive_log_likelihood(new, counts, alpha=soft.alpha_, random_state=0)
        for counts in (soft_counts, crisp_counts)
    ]
    assert scores[0] > scores[1]


def test_same_bits_at_any_number_of_threads(drawn):
    one, three = (make(soften=6, n_jobs=n_jobs).fit(drawn.counts) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one.components_, three.components_)
    np.testing.assert_array_equal(one.alpha_, three.alpha_)


@pytest.mark.parametrize("sweeps", [1, 7])
def test_a_soft_model_is_saved_whole(drawn, tmp_path, sweeps):
    model = make(soften=sweeps).fit(drawn.counts)
    model.save(tmp_path / "m.crisp")
    loaded = load(tmp_path / "m.crisp")
    np.testing.assert_array_equal(loaded.components_, model.components_)
    np.testing.assert_array_equal(loaded.alpha_, model.alpha_)
    assert loaded.top_words(5) == model.top_words(5)
    assert loaded.soften == sweeps


def test_the_prior_is_the_likeliest():
    """At the maximum Minka's gradient is zero."""
    random = np.random.RandomState(0)
    for true in ([0.5, 0.2, 1.5], [0.1, 0.1, 0.1]):
        shares = random.dirichlet(true, size=400)
        topics = np.concatenate([random.choice(3, size=20, p=share) for share in shares]).astype(np.uint16)
        documents = np.repeat(np.arange(400), 20)
        alpha = np.ones(3)
        for _ in range(40):
            alpha = fitted_alpha(documents, topics, 3, alpha)
        np.testing.assert_allclose(alpha, true, rtol=0.3)
        counts = np.zeros((400, 3))
        np.add.at(counts, (documents, topics), 1)
        gradient = (digamma(counts + alpha) - digamma(alpha)).sum(axis=0) - (
            digamma(20 + alpha.sum()) - digamma(alpha.sum())
        ) * 400
        np.testing.assert_allclose(gradient, 0, atol=0.05)


def test_topics_without_tokens_keep_a_little_weight():
    alpha = fitted_alpha(np.repeat(np.arange(5), 4), np.zeros(20, dtype=np.uint16), 3, np.full(3, 0.1))
    assert (alpha > 0).all()
    assert alpha[0] > 10 * alpha[1] == 10 * alpha[2]


def test_documents_without_words_are_no_trouble():
    corpus = Corpus.from_counts([[3, 1, 0], [0, 0, 0], [0, 2, 5], [0, 0, 0]])
    model = CrispTopics(2, penalty=1.0, soften=3, random_state=0).fit(corpus)
    assert np.isfinite(model.components_).all()
