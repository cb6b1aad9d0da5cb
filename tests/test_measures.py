"""Measures of topics and of fits, beyond the agreement of labels and the objective."""

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import minimize
from scipy.stats import hypergeom
from sklearn.metrics import mutual_info_score

from crisptopics import Corpus, CrispTopics, metrics
from crisptopics.metrics import likelihood
from crisptopics.metrics.objective import PRIORS

LABELS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1, 3)), min_size=1, max_size=40)


def random_corpus(seed, shape=(12, 9), mean=0.8):
    counts = np.random.RandomState(seed).poisson(mean, size=shape)
    counts[0, 0] += 1
    return counts


def random_topics(counts, n_topics, seed=0):
    return np.random.RandomState(seed).randint(0, n_topics, int((counts > 0).sum()))


def read_only(array):
    array.flags.writeable = False
    return array


# Labels


def test_purity_by_hand():
    # Topic 0 holds labels a, a, b, topic 1 holds b, b, a, a: 2 + 2 of 7.
    assert_allclose(metrics.purity(list("aabbbaa"), [0, 0, 0, 1, 1, 1, 1]), 4 / 7, rtol=1e-14)
    assert metrics.purity([0, 1], [0, 0], weights=[1, 3]) == 0.75
    assert metrics.purity([0, 1, 2], [0, 0, 0]) == 1 / 3
    assert metrics.purity([0, 0, 0], [0, 1, 2]) == 1.0  # not symmetric


@given(LABELS)
def test_purity_equals_the_sum_over_topics(items):
    labels, topics, weights = map(np.array, zip(*items, strict=True))
    best = sum(np.bincount(labels[topics == topic], weights[topics == topic]).max() for topic in set(topics))
    assert_allclose(metrics.purity(labels, topics, weights), best / weights.sum(), rtol=1e-14)
    repeated = metrics.purity(np.repeat(labels, weights) * 1_000_000, np.repeat(topics, weights) + 7)
    assert repeated == metrics.purity(labels, topics, weights)


def test_variation_of_information_by_hand():
    # b cuts one half of a in two: H(b | a) = log(2) / 2, H(a | b) = 0.
    assert_allclose(metrics.variation_of_information([0, 0, 1, 1], [0, 0, 1, 2]), math.log(2) / 2, rtol=1e-14)
    assert_allclose(metrics.variation_of_information([0, 0, 1, 1], [0, 1, 0, 1]), 2 * math.log(2), rtol=1e-14)


@given(LABELS)
def test_variation_of_information_equals_that_of_scikit_learn(items):
    a, b, weights = map(np.array, zip(*items, strict=True))
    whole = np.repeat(a, weights), np.repeat(b, weights)
    entropies = [mutual_info_score(labels, labels) for labels in whole]
    found = metrics.variation_of_information(a, b, weights)
    assert_allclose(found, sum(entropies) - 2 * mutual_info_score(*whole), rtol=0, atol=1e-12)
    assert found == metrics.variation_of_information(b, a, weights)
    assert metrics.variation_of_information(a, 9 - a, weights) == 0.0


def test_label_measures_name_what_they_refuse():
    with pytest.raises(ValueError, match="labels and topics must label the same tokens, got 2 and 3 labels"):
        metrics.purity([0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match=r"topics must be one label per token, got shape \(1, 2\)"):
        metrics.purity([0, 1], [[0, 1]])
    with pytest.raises(ValueError, match="labels and topics label no token"):
        metrics.purity([], [])
    with pytest.raises(ValueError, match="a and b label no token"):
        metrics.variation_of_information([], [])


# Integrated likelihood


def evidence_by_tokens(counts, topics, n_topics, alpha, beta):
    """Multiply the chance of each token's topic and word, given those of the tokens before it."""
    in_documents, in_topics = np.zeros((len(counts), n_topics)), np.zeros((n_topics, counts.shape[1]))
    total = 0.0
    for entry, (document, word) in enumerate(np.argwhere(counts)):
        topic = topics[entry]
        for _ in range(counts[document, word]):
            mine, ours = in_documents[document], in_topics[topic]
            total += math.log((mine[topic] + alpha) / (mine.sum() + n_topics * alpha))
            total += math.log((ours[word] + beta) / (ours.sum() + len(ours) * beta))
            mine[topic] += 1
            ours[word] += 1
    return total


def test_integrated_likelihood_by_hand():
    # Uniform on (topic of the first token) and (word of it), then 2/3 for the same topic and 1/3 for the other word.
    expected = math.log(1 / 2 * 1 / 2 * 2 / 3 * 1 / 3)
    assert_allclose(metrics.integrated_likelihood([[1, 1]], [0, 0], 2, alpha=1.0, beta=1.0), expected, rtol=1e-12)


@pytest.mark.parametrize(("alpha", "beta"), [(0.1, 0.01), (1.0, 5.0), (1e-4, 30.0)])
@pytest.mark.parametrize("seed", range(3))
def test_integrated_likelihood_equals_the_product_over_tokens(seed, alpha, beta):
    counts = read_only(random_corpus(seed))
    counts_csr, topics = sparse.csr_array(counts), read_only(random_topics(counts, 3, seed))
    expected = evidence_by_tokens(counts, topics, 5, alpha, beta)  # topics 3 and 4 are empty
    assert_allclose(metrics.integrated_likelihood(counts, topics, 5, alpha, beta), expected, rtol=1e-11)
    entries = sparse.csr_array((topics, counts_csr.indices, counts_csr.indptr), shape=counts.shape)
    assert_allclose(metrics.integrated_likelihood(counts_csr, entries, 5, alpha, beta), expected, rtol=1e-11)


def test_integrated_likelihood_finds_the_best_priors():
    counts = random_corpus(3, shape=(60, 20))
    topics = random_topics(counts, 4)
    grid = np.geomspace(*PRIORS, 1501)
    by_alpha = [metrics.integrated_likelihood(counts, topics, 4, alpha, 0.1) for alpha in grid]
    by_beta = [metrics.integrated_likelihood(counts, topics, 4, 0.1, beta) for beta in grid]
    assert 0 < np.argmax(by_alpha) < 1500
    assert 0 < np.argmax(by_beta) < 1500
    assert_allclose(metrics.integrated_likelihood(counts, topics, 4, beta=0.1), max(by_alpha), rtol=0, atol=1e-2)
    assert metrics.integrated_likelihood(counts, topics, 4, beta=0.1) >= max(by_alpha)
    assert metrics.integrated_likelihood(counts, topics, 4, alpha=0.1) >= max(by_beta)
    separate = max(by_alpha) + max(by_beta) - metrics.integrated_likelihood(counts, topics, 4, 0.1, 0.1)
    assert_allclose(metrics.integrated_likelihood(counts, topics, 4), separate, rtol=0, atol=2e-2)


def test_integrated_likelihood_of_one_topic_a_document_takes_the_least_alpha():
    counts = np.full((6, 3), 4)
    topics = np.repeat([0, 1, 0, 1, 0, 1], 3)
    found = metrics.integrated_likelihood(counts, topics, 2, beta=1.0)
    assert found == metrics.integrated_likelihood(counts, topics, 2, alpha=PRIORS[0], beta=1.0)


def test_integrated_likelihood_does_not_depend_on_the_order_of_documents_or_topics():
    counts = random_corpus(5)
    topics = sparse.csr_array(counts)
    topics.data = random_topics(counts, 4) + 0
    expected = metrics.integrated_likelihood(counts, topics, 4)
    order = np.random.RandomState(0).permutation(len(counts))
    assert_allclose(metrics.integrated_likelihood(counts[order], topics[order], 4), expected, rtol=1e-12)
    renamed = sparse.csr_array((np.array([3, 1, 0, 2])[topics.data], topics.indices, topics.indptr), topics.shape)
    assert_allclose(metrics.integrated_likelihood(counts, renamed, 4), expected, rtol=1e-12)


def test_integrated_likelihood_refuses_bad_topics_and_priors():
    with pytest.raises(ValueError, match=r"alpha=0\.0 is not accepted"):
        metrics.integrated_likelihood([[1]], [0], 1, alpha=0.0)
    with pytest.raises(ValueError, match="beta=nan is not accepted"):
        metrics.integrated_likelihood([[1]], [0], 1, beta=math.nan)
    with pytest.raises(ValueError, match="n_topics=0 is not accepted; give a whole number of at least 1"):
        metrics.integrated_likelihood([[1]], [0], 0)
    with pytest.raises(ValueError, match="topics must lie from 0 to 1, got 2 to 2"):
        metrics.integrated_likelihood([[1]], [2], 2)


# Topics


def test_symmetric_kl_by_hand():
    # KL(p | q) = log(2) / 2 - log(3/2) / 2 + ... : p = (1/2, 1/2), q = (1/4, 3/4), the mean of both directions.
    one, other = 0.5 * math.log(2) + 0.5 * math.log(2 / 3), 0.25 * math.log(1 / 2) + 0.75 * math.log(3 / 2)
    assert_allclose(metrics.symmetric_kl([[0.5, 0.5], [0.25, 0.75]]), (one + other) / 2, rtol=1e-12)
    assert_allclose(metrics.symmetric_kl([[1, 1], [0, 2]], smoothing=1.0), (one + other) / 2, rtol=1e-12)


@pytest.mark.parametrize("n_topics", [2, 3, 7])
def test_symmetric_kl_equals_the_mean_over_pairs(n_topics):
    counts = read_only(np.random.RandomState(n_topics).poisson(1.0, (n_topics, 30)))
    p = (counts + 0.1) / (counts + 0.1).sum(axis=1, keepdims=True)
    expected = np.mean([(p[a] * np.log(p[a] / p[b])).sum() for a, b in permutations(range(n_topics), 2)])
    assert_allclose(metrics.symmetric_kl(counts, smoothing=0.1), expected, rtol=1e-12)
    assert_allclose(metrics.symmetric_kl(sparse.csr_array(counts), smoothing=0.1), expected, rtol=1e-12)
    assert_allclose(metrics.symmetric_kl(p[::-1, ::-1]), expected, rtol=1e-12)


def test_symmetric_kl_without_smoothing():
    assert metrics.symmetric_kl([[1, 0], [1, 1]]) == math.inf
    assert metrics.symmetric_kl([[1, 0, 2], [2, 0, 4]]) == pytest.approx(0.0, abs=1e-15)  # no topic has word 1
    assert metrics.symmetric_kl(np.ones((3, 4))) == 0.0


def test_symmetric_kl_refuses_what_are_no_topics():
    with pytest.raises(ValueError, match="topics must be at least two, got 1 row"):
        metrics.symmetric_kl([[1, 2]])
    with pytest.raises(ValueError, match="topics must have words, got only zeros in row 1"):
        metrics.symmetric_kl([[1, 2], [0, 0]])
    with pytest.raises(ValueError, match=r"topics must be a table of numbers, got int64 of shape \(2,\)"):
        metrics.symmetric_kl([1, 2])
    with pytest.raises(ValueError, match=r"topics must hold finite numbers of at least 0, got -2.0 at \(1, 0\)"):
        metrics.symmetric_kl([[1.0, 1.0], [-2.0, 1.0]])
    with pytest.raises(ValueError, match=r"topics must hold finite numbers of at least 0, got nan at \(0, 1\)"):
        metrics.symmetric_kl([[1.0, math.nan], [2.0, 1.0]])
    with pytest.raises(ValueError, match="smoothing=-1 is not accepted"):
        metrics.symmetric_kl([[1, 2], [2, 1]], smoothing=-1)


REFERENCE = np.array([[1, 2, 0, 0, 1], [1, 0, 1, 0, 1], [3, 1, 0, 0, 1], [0, 0, 1, 0, 1]])  # no document has word 3


def test_npmi_by_hand():
    # Words 0 and 1: 3 and 2 of 4 documents, both in 2: log(0.5 / 0.375) / log 2. 1 and 2 never meet.
    expected = math.log(4 / 3) / math.log(2)
    assert_allclose(metrics.npmi([[0, 1]], REFERENCE), expected, rtol=1e-14)
    assert metrics.npmi([[1, 2]], REFERENCE) == -1.0
    assert_allclose(metrics.npmi([[0, 1], [1, 2]], REFERENCE), (expected - 1) / 2, rtol=1e-14)
    assert metrics.npmi([[0, 1]], np.eye(2, dtype=int)[[0, 0, 1]] * 3 + np.ones((3, 2), dtype=int)) == 1.0
    assert metrics.npmi([[0, 4]], REFERENCE) == 0.0  # word 4 is everywhere, and says nothing
    assert metrics.npmi([[0, 1]], [[1, 5], [1, 1], [0, 0]]) == 1.0


def npmi_of_pair(present, a, b):
    p_a, p_b, both = present[:, a].mean(), present[:, b].mean(), (present[:, a] & present[:, b]).mean()
    if both in (0.0, 1.0):
        return 2 * both - 1
    return math.log(both / (p_a * p_b)) / -math.log(both)


def test_npmi_equals_the_mean_over_pairs():
    counts = read_only(random_corpus(0, shape=(40, 12), mean=0.4))
    topics = [[3, 0, 7, 11], [1, 2], [5, 4, 6]]
    expected = [np.mean([npmi_of_pair(counts > 0, *pair) for pair in combinations(topic, 2)]) for topic in topics]
    assert_allclose(metrics.npmi(topics, counts, per_topic=True), expected, rtol=1e-12)
    assert_allclose(metrics.npmi([topic[::-1] for topic in topics], counts[::-1]), np.mean(expected), rtol=1e-12)
    corpus = Corpus.from_counts(counts, vocabulary=list("abcdefghijkl"))
    names = [[corpus.vocabulary[column] for column in topic] for topic in topics]
    assert metrics.npmi(names, corpus) == metrics.npmi(topics, corpus)
    assert metrics.npmi(np.array([[0, 1], [2, 3]]), corpus) == metrics.npmi([[0, 1], [2, 3]], corpus)


def test_npmi_skips_words_that_the_reference_lacks():
    corpus = Corpus.from_counts(REFERENCE, vocabulary=["sun", "rain", "goal", "team", "day"])
    expected = metrics.npmi([["sun", "rain"]], corpus)
    assert metrics.npmi([["sun", "snow", "rain", "team"]], corpus) == expected
    scores = metrics.npmi([["sun", "snow"], ["sun", "rain"], []], corpus, per_topic=True)
    assert np.isnan(scores).tolist() == [True, False, True]
    assert metrics.npmi([["sun", "snow"], ["sun", "rain"], []], corpus) == expected
    assert math.isnan(metrics.npmi([["sun"]], corpus))


def test_npmi_refuses_words_it_cannot_look_up():
    with pytest.raises(ValueError, match="top_words are words, but corpus has no vocabulary"):
        metrics.npmi([["sun", "rain"]], REFERENCE)
    with pytest.raises(ValueError, match="top_words must be columns from 0 to 4, got 5"):
        metrics.npmi([[0, 5]], REFERENCE)
    with pytest.raises(ValueError, match="top_words must be columns from 0 to 4, got -1"):
        metrics.npmi([[0, -1]], REFERENCE)
    with pytest.raises(ValueError, match="corpus must have documents"):
        metrics.npmi([[0, 1]], np.zeros((0, 3), dtype=int))


@pytest.mark.parametrize("measure", [metrics.diversity, lambda words: metrics.npmi(words, REFERENCE)])
def test_top_words_must_be_lists_of_words(measure):
    for bad in (["sun", "rain"], [0, 1], [], 5):
        with pytest.raises(ValueError, match="top_words must be a list of words for each topic, got"):
            measure(bad)
    with pytest.raises(ValueError, match=r"top_words must hold words or column numbers, got 1\.5 in topic 1"):
        measure([[0, 1], [1.5]])
    with pytest.raises(ValueError, match=r"top_words must name a word once in a topic, got \[1, 1\] for topic 0"):
        measure([[1, 1]])


def test_diversity_by_hand():
    assert metrics.diversity([["sun", "rain"], ["sun", "goal"], ["team"]]) == 0.8
    assert metrics.diversity(np.array([[1, 2], [3, 4]])) == 1.0
    assert metrics.diversity([[1, 2], [2, 1], [1, 2], []]) == 1 / 3
    with pytest.raises(ValueError, match="top_words must hold words, got 2 empty topics"):
        metrics.diversity([[], []])


def test_stability_by_hand():
    a = [["sun", "rain", "snow"], ["goal", "team"]]
    assert metrics.stability(a, a[::-1]) == 1.0
    assert metrics.stability(a, [["goal", "team", "sun"], ["sun", "rain"]]) == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert metrics.stability(a, [["tax"], ["vote"]]) == 0.0
    assert metrics.stability([[1, 2], []], [[], [2, 1]]) == 1.0


def test_stability_is_the_best_matching():
    rng = np.random.RandomState(0)
    a, b = ([rng.choice(12, 5, replace=False).tolist() for _ in range(4)] for _ in range(2))
    jaccard = [[len(set(x) & set(y)) / len(set(x) | set(y)) for y in b] for x in a]
    expected = max(sum(jaccard[i][j] for i, j in enumerate(order)) / 4 for order in permutations(range(4)))
    assert_allclose(metrics.stability(a, b), expected, rtol=1e-12)
    assert_allclose(metrics.stability(b[::-1], a), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="top_words_a and top_words_b must have equally many topics, got 4 and 3"):
        metrics.stability(a, b[:3])
    with pytest.raises(ValueError, match="top_words_b must be a list of words for each topic"):
        metrics.stability(a, ["sun"] * 4)


# Likelihood of documents

TOPICS = read_only(np.array([[90, 9, 1, 0], [0, 10, 90, 0], [0, 0, 0, 0]]))  # no topic has word 3


def test_hard_log_likelihood_by_hand():
    # Words 0 and 1 go to topic 0, word 2 to topic 1, and word 3 does not count.
    psi = [(90 + 0.5) / 102, (9 + 0.5) / 102, (90 + 0.5) / 102]
    expected = (3 * math.log(psi[0]) + math.log(psi[1]) + 5 * math.log(psi[2])) / 9
    counts = [[3, 1, 0, 7], [0, 0, 5, 0], [0, 0, 0, 0]]
    assert_allclose(metrics.hard_log_likelihood(counts, TOPICS, 2.0, smoothing=0.5), expected, rtol=1e-12)
    assert_allclose(
        metrics.hard_log_likelihood(counts, sparse.csr_array(TOPICS), 2.0, smoothing=0.5), expected, rtol=1e-12
    )


def test_hard_log_likelihood_is_the_score_of_the_model():
    counts = random_corpus(1, shape=(50, 20))
    model = CrispTopics(3, penalty=2.0, random_state=0).fit(counts[:30])
    found = metrics.hard_log_likelihood(counts[30:], model.topic_word_counts_, model.penalty_, model.smoothing)
    assert_allclose(found, model.score(counts[30:]), rtol=1e-12)


def predictive_by_optimiser(counts, topics, alpha, beta):
    """Maximise the concave function of theta that EM maximises, document by document."""
    psi = (topics + beta) / (topics + beta).sum(axis=1, keepdims=True)
    total = 0.0
    for row in counts * (topics.sum(axis=0) > 0):

        def theta(x):
            return np.exp(x - np.logaddexp.reduce(x))

        def loss(x, row=row):
            return -(row @ np.log(theta(x) @ psi) + alpha @ np.log(theta(x)))

        total += row @ np.log(theta(minimize(loss, np.zeros(len(topics)), tol=1e-10).x) @ psi)
    return total / (counts * (topics.sum(axis=0) > 0)).sum()


@pytest.mark.parametrize("alpha", [0.1, 2.0, np.array([0.1, 0.5, 3.0])], ids=["small", "large", "one a topic"])
def test_predictive_log_likelihood_equals_that_of_an_optimiser(alpha):
    counts = read_only(random_corpus(2, shape=(8, 4), mean=3.0))
    expected = predictive_by_optimiser(counts, TOPICS, np.broadcast_to(alpha, 3), 0.5)
    found = metrics.predictive_log_likelihood(counts, TOPICS, alpha, smoothing=0.5, n_iter=3000)
    assert_allclose(found, expected, rtol=1e-6)


def test_predictive_log_likelihood_of_one_topic_is_that_of_its_words():
    counts = np.array([[2, 1], [0, 4]])
    expected = (2 * math.log(0.75) + 5 * math.log(0.25)) / 7
    assert_allclose(metrics.predictive_log_likelihood(counts, [[3.0, 1.0]], smoothing=0.0), expected, rtol=1e-12)


def test_predictive_log_likelihood_does_not_depend_on_blocks_or_on_the_order(monkeypatch):
    counts, topics = random_corpus(3, shape=(40, 30)), random_corpus(4, shape=(3, 30))
    expected = metrics.predictive_log_likelihood(counts, topics)
    order = np.random.RandomState(0).permutation(30)
    again = metrics.predictive_log_likelihood(sparse.csr_array(counts[::-1, order]), topics[::-1, order])
    assert_allclose(again, expected, rtol=1e-10)
    assert_allclose(metrics.predictive_log_likelihood(np.tile(counts, (2, 1)), topics), expected, rtol=1e-12)
    monkeypatch.setattr(likelihood, "NUMBERS_PER_BLOCK", 60)
    assert_allclose(metrics.predictive_log_likelihood(counts, topics), expected, rtol=1e-12)
    assert metrics.predictive_log_likelihood(counts, topics) == metrics.predictive_log_likelihood(counts, topics)


def test_completion_scores_tokens_that_theta_has_not_seen():
    counts = np.array([[1, 0], [0, 1]])  # a half of one token, rounded down, is none: theta is the prior's
    topics = [[1, 0], [0, 1]]
    whole = metrics.predictive_log_likelihood(counts, topics, alpha=0.1, smoothing=0.01)
    halves = metrics.predictive_log_likelihood(counts, topics, alpha=0.1, smoothing=0.01, completion=True)
    assert_allclose(halves, math.log(0.5), rtol=1e-12)
    assert whole > -0.2
    counts, topics = random_corpus(3, shape=(40, 30)), random_corpus(4, shape=(3, 30))
    first, again, other = (
        metrics.predictive_log_likelihood(counts, topics, random_state=seed, completion=True) for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other


def test_halves_are_drawn_without_replacement(monkeypatch):
    corpus = Corpus.from_counts(np.tile([[4, 0, 3], [0, 1, 0], [0, 0, 0], [1, 1, 2]], (2000, 1)))
    halves = likelihood._half(corpus, np.random.RandomState(0))
    assert (halves >= 0).all()
    assert (halves <= corpus.counts).all()
    matrix = sparse.csr_array((halves, corpus.words, corpus.indptr), shape=corpus.shape)
    assert matrix.sum(axis=1).tolist() == [3, 0, 0, 2] * 2000
    chosen = np.bincount(matrix[::4, [0]].toarray().ravel(), minlength=4) / 2000
    assert_allclose(chosen, hypergeom(7, 4, 3).pmf(range(4)), rtol=0, atol=0.04)
    monkeypatch.setattr(likelihood, "TOKENS_PER_BLOCK", 100)
    np.testing.assert_array_equal(likelihood._half(corpus, np.random.RandomState(0)), halves)


@pytest.mark.parametrize(
    "measure", [lambda *args: metrics.hard_log_likelihood(*args, penalty=1.0), metrics.predictive_log_likelihood]
)
def test_likelihoods_refuse_what_does_not_fit(measure):
    with pytest.raises(ValueError, match="counts and topic_word_counts must have the same words, got 3 and 4 columns"):
        measure(np.ones((2, 3), dtype=int), TOPICS)
    with pytest.raises(ValueError, match="counts must have tokens of words that a topic has, got Corpus"):
        measure([[0, 0, 0, 9]], TOPICS)
    with pytest.raises(ValueError, match="topic_word_counts must be a table of numbers"):
        measure([[1]], [["a"]])


def test_likelihoods_refuse_bad_settings():
    counts = [[1, 1, 1, 1]]
    with pytest.raises(ValueError, match="penalty=0 is not accepted"):
        metrics.hard_log_likelihood(counts, TOPICS, 0)
    with pytest.raises(ValueError, match="smoothing=0 is not accepted"):
        metrics.hard_log_likelihood(counts, TOPICS, 1.0, smoothing=0)
    with pytest.raises(ValueError, match=r"topic_word_counts must be whole numbers, got 45.5: pass topic_word_counts_"):
        metrics.hard_log_likelihood(counts, TOPICS / 2 + 0.5, 1.0)
    with pytest.raises(ValueError, match="n_iter=0 is not accepted"):
        metrics.predictive_log_likelihood(counts, TOPICS, n_iter=0)
    with pytest.raises(ValueError, match=r"alpha must be one number or one for each of 3 topics, got .* shape \(2,\)"):
        metrics.predictive_log_likelihood(counts, TOPICS, alpha=[0.1, 0.2])
    with pytest.raises(ValueError, match=r"alpha must be above 0 and finite, got 0.0"):
        metrics.predictive_log_likelihood(counts, TOPICS, alpha=[0.1, 0.0, 1.0])
    with pytest.raises(ValueError, match=r"smoothing=-0\.1 is not accepted"):
        metrics.predictive_log_likelihood(counts, TOPICS, smoothing=-0.1)


def test_every_public_measure_is_there():
    assert {"nmi", "adjusted_rand", "topic_l1", "objective"} < set(metrics.__all__)
    assert all(callable(getattr(metrics, name)) for name in metrics.__all__)
