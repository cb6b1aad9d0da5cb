"""Soft endings: topics of a mixture beside crisp assignments, with the same bits everywhere."""

import numpy as np
import pytest
from scipy.special import digamma

from crisptopics import Corpus, CrispTopics, datasets, kernels, load, metrics, soften
from crisptopics.blocks import Workers
from crisptopics.soften import Mixture, fitted_alpha


@pytest.fixture(scope="module")
def drawn():
    return datasets.synth_a(600, random_state=3)


def make(**parameters):
    return CrispTopics(**({"n_components": 20, "penalty": 12.0, "random_state": 0} | parameters))


def test_assignments_stay_crisp_and_topics_become_soft(drawn):
    crisp, soft = make(soften=0).fit(drawn.counts), make().fit(drawn.counts)
    np.testing.assert_array_equal(soft.topic_word_counts_, crisp.topic_word_counts_)
    np.testing.assert_array_equal(soft.assignments_.data, crisp.assignments_.data)
    np.testing.assert_array_equal(soft.transform(drawn.counts), crisp.transform(drawn.counts))
    assert not np.array_equal(soft.components_, crisp.components_)
    np.testing.assert_allclose(soft.components_.sum(axis=1), 1, rtol=1e-12)
    assert metrics.topic_l1(soft.components_, drawn.psi) < 0.95 * metrics.topic_l1(crisp.components_, drawn.psi)


def test_soft_topics_foretell_new_documents_better(drawn):
    new = datasets.synth_a(900, random_state=3).counts[600:]
    soft = make().fit(drawn.counts)
    crisp_counts = soft.topic_word_counts_
    soft_counts = soft.components_ * crisp_counts.sum(axis=1, keepdims=True)
    scores = [
        metrics.predictive_log_likelihood(new, counts, alpha=soft.alpha_, random_state=0, completion=True)
        for counts in (soft_counts, crisp_counts)
    ]
    assert scores[0] > scores[1]


def test_short_documents_keep_their_topics():
    """With few words a document must not be drawn to all topics alike, as plain EM does."""
    random = np.random.RandomState(0)
    topics = random.randint(4, size=400)
    counts = np.zeros((400, 40), dtype=int)
    for row, topic in enumerate(topics):
        np.add.at(counts[row], 10 * topic + random.randint(10, size=3), 1)
        counts[row, random.randint(40)] += 1
    model = CrispTopics(4, penalty=3.0, random_state=0).fit(counts)
    assert metrics.nmi(topics, model.mixture(counts).argmax(axis=1)) > 0.6
    assert np.sort(model.components_, axis=1)[:, -10:].sum(axis=1).min() > 0.75


@pytest.mark.parametrize("most_work", [soften.MOST_WORK, 32 * 8000])
def test_same_bits_at_any_number_of_threads(drawn, monkeypatch, most_work):
    monkeypatch.setattr(soften, "MOST_WORK", most_work)
    monkeypatch.setattr(soften, "SAMPLE_ENTRIES_PER_TOPIC", 1)
    one, three = (make(soften=6, n_jobs=n_jobs).fit(drawn.counts) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one.components_, three.components_)
    np.testing.assert_array_equal(one.alpha_, three.alpha_)
    np.testing.assert_array_equal(one.mixture(drawn.counts), three.mixture(drawn.counts))


def test_a_sample_ends_near_where_all_documents_do(monkeypatch):
    drawn = datasets.synth_a(2000, random_state=1)
    whole = make().fit(drawn.counts)
    monkeypatch.setattr(soften, "MOST_WORK", 32 * 60_000)
    monkeypatch.setattr(soften, "SAMPLE_ENTRIES_PER_TOPIC", 1)
    sampled = make().fit(drawn.counts)
    assert not np.array_equal(whole.components_, sampled.components_)
    assert metrics.topic_l1(sampled.components_, whole.components_) < 0.03


def test_expected_counts_add_up_to_the_words(drawn):
    soft, crisp = make().fit(drawn.counts), make(soften=0).fit(drawn.counts)
    np.testing.assert_allclose(soft.expected_counts_.sum(axis=0), drawn.counts.sum(axis=0), atol=0.7)
    np.testing.assert_array_equal(crisp.expected_counts_, crisp.topic_word_counts_)


def test_tokens_are_neither_lost_nor_made(drawn):
    corpus = Corpus.from_counts(drawn.counts)
    topics = np.random.RandomState(0).randint(20, size=corpus.n_entries).astype(np.uint16)
    mixture = Mixture.of(corpus, topics, 20, 0.01)
    with Workers(2) as workers:
        mixture.settle(3, workers)
    lengths = np.asarray(corpus.counts_matrix().sum(axis=1))
    frequencies = np.asarray(corpus.counts_matrix().sum(axis=0))
    np.testing.assert_allclose(mixture.documents.sum(axis=1), lengths, rtol=1e-4)
    np.testing.assert_allclose(mixture.words.sum(axis=1), frequencies, rtol=1e-4)
    assert not mixture.words[:, 20:].any()


def test_the_mixture_of_documents(drawn):
    model = make().fit(drawn.counts)
    shares = model.mixture(drawn.counts)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(model.mixture(drawn.counts[[7, 3]]), shares[[7, 3]])
    true = np.zeros((600, 20))
    np.add.at(true, (np.repeat(np.arange(600), drawn.doc_length), drawn.topics), 1 / drawn.doc_length)
    distances = np.abs(model.components_[:, None] - drawn.psi[None]).sum(axis=2)
    error, crisp_error = (
        np.abs(found - true[:, distances.argmin(axis=1)]).sum(axis=1).mean()
        for found in (shares, model.transform(drawn.counts))
    )
    assert error < crisp_error < 0.5


def test_a_document_without_known_words_has_no_mixture():
    model = CrispTopics(2, penalty=2.0, random_state=0).fit([[4, 2, 0, 0], [0, 0, 5, 0]])
    np.testing.assert_array_equal(model.mixture([[0, 0, 0, 0], [0, 0, 0, 3]]), np.zeros((2, 2)))


def test_a_crisp_model_has_no_mixture():
    model = CrispTopics(2, penalty=2.0, soften=0, random_state=0).fit([[4, 2, 0], [0, 0, 5]])
    assert model.alpha_ is None
    with pytest.raises(ValueError, match="soften=0: this model has no mixture; fit with soften=50"):
        model.mixture([[1, 0, 0]])


@pytest.mark.parametrize("n_iter", [1, 7])
def test_a_soft_model_is_saved_whole(drawn, tmp_path, n_iter):
    model = make(soften=n_iter).fit(drawn.counts)
    model.save(tmp_path / "m.crisp")
    loaded = load(tmp_path / "m.crisp")
    np.testing.assert_array_equal(loaded.components_, model.components_)
    np.testing.assert_array_equal(loaded.alpha_, model.alpha_)
    np.testing.assert_array_equal(loaded.mixture(drawn.counts), model.mixture(drawn.counts))
    assert loaded.top_words(5) == model.top_words(5)
    assert loaded.soften == n_iter


def test_the_prior_is_the_likeliest():
    """At the maximum Minka's gradient is zero."""
    random = np.random.RandomState(0)
    for true in ([0.5, 0.2, 1.5], [0.1, 0.1, 0.1]):
        counts = np.array([random.multinomial(20, random.dirichlet(true)) for _ in range(400)])
        alpha = np.ones(3)
        for _ in range(40):
            alpha = fitted_alpha(counts, alpha)
        np.testing.assert_allclose(alpha, true, rtol=0.3)
        gradient = (digamma(counts + alpha) - digamma(alpha)).sum(axis=0) - (
            digamma(20 + alpha.sum()) - digamma(alpha.sum())
        ) * 400
        np.testing.assert_allclose(gradient, 0, atol=0.05)


def test_topics_without_tokens_keep_a_little_weight():
    alpha = fitted_alpha(np.array([[4, 0, 0]] * 5), np.full(3, 0.1))
    assert (alpha > 0).all()
    assert alpha[0] > 10 * alpha[1] == 10 * alpha[2]


def test_an_interrupt_leaves_the_crisp_model(drawn, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(kernels, "mixture_step", interrupted)
    model = make(n_jobs=1).fit(drawn.counts)
    assert (model.stop_reason_, model.alpha_) == ("interrupted", None)
    np.testing.assert_array_equal(model.components_, make(soften=0).fit(drawn.counts).components_)


def test_documents_without_words_are_no_trouble():
    corpus = Corpus.from_counts([[3, 1, 0], [0, 0, 0], [0, 2, 5], [0, 0, 0]])
    model = CrispTopics(2, penalty=1.0, soften=3, random_state=0).fit(corpus)
    assert np.isfinite(model.components_).all()


@pytest.mark.parametrize("smoothing", [1e-60, 1e-30, 1e6])
def test_odd_smoothing_gives_topics_all_the_same(smoothing):
    model = CrispTopics(2, penalty=2.0, smoothing=smoothing, random_state=0).fit([[4, 2, 0, 1], [0, 0, 5, 0]])
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-12)


def test_counts_of_millions_take_no_more_memory_than_others():
    counts = np.array([[2 * 10**9, 1, 0], [0, 3, 10**9]])
    alpha = fitted_alpha(counts, np.full(3, 0.1))
    assert (alpha > 0).all()


def test_more_topics_than_words_bear():
    model = CrispTopics(40, penalty=1.0, random_state=0).fit(np.eye(50, dtype=int))
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-12)
