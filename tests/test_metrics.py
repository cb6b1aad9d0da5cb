import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from crisptopics.metrics import adjusted_rand, labels, nmi, objective, topic_l1

SCORES = [nmi, adjusted_rand]
LABELLINGS = st.integers(1, 60).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 5), min_size=n, max_size=n) for _ in range(2)))
)


def random_labels(seed, n=500, n_labels=8):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, n_labels, n)
    return a, np.where(rng.random(n) < 0.6, a, rng.integers(0, n_labels + 3, n))


@st.composite
def corpora_with_topics(draw):
    """Small count matrices, at least one token, with one topic per entry."""
    shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 7)))
    counts = np.array(draw(st.lists(st.integers(0, 3), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])))
    counts[draw(st.integers(0, counts.size - 1))] += 1
    n_entries = int((counts > 0).sum())
    topics = draw(st.lists(st.integers(0, 4), min_size=n_entries, max_size=n_entries))
    return counts.reshape(shape), np.array(topics)


def objective_by_tokens(counts, topics, penalty):
    """Sum -log psi[topic, word] over single tokens, and the penalty over the topics each document uses."""
    tokens = []
    for entry, (document, word) in enumerate(np.argwhere(counts)):
        tokens += [(int(document), int(word), int(topics[entry]))] * int(counts[document, word])
    word_in_topic = Counter((topic, word) for _, word, topic in tokens)
    in_topic = Counter(topic for _, _, topic in tokens)
    fit = sum(-math.log(word_in_topic[topic, word] / in_topic[topic]) for _, word, topic in tokens)
    return fit + penalty * len({(document, topic) for document, _, topic in tokens})


def test_nmi_by_hand():
    # a halves the tokens, b cuts one half in two: I = log 2, H(a) = log 2, H(b) = 1.5 log 2.
    assert_allclose(nmi([0, 0, 1, 1], [0, 0, 1, 2]), 0.8, rtol=1e-14)


def test_adjusted_rand_by_hand():
    # Pairs: 2 in a, 1 in b, 1 in both, 6 in all: (1 - 2/6) / (3/2 - 2/6).
    assert_allclose(adjusted_rand([0, 0, 1, 1], [0, 0, 1, 2]), 4 / 7, rtol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_scores_equal_those_of_scikit_learn(seed):
    a, b = random_labels(seed)
    assert_allclose(nmi(a, b), normalized_mutual_info_score(a, b), rtol=1e-12)
    assert_allclose(adjusted_rand(a, b), adjusted_rand_score(a, b), rtol=1e-12)


@given(LABELLINGS)
def test_scores_equal_those_of_scikit_learn_on_small_labellings(labellings):
    a, b = labellings
    assert_allclose(nmi(a, b), normalized_mutual_info_score(a, b), rtol=0, atol=1e-12)
    assert_allclose(adjusted_rand(a, b), adjusted_rand_score(a, b), rtol=0, atol=1e-12)


@given(LABELLINGS)
def test_scores_are_symmetric_and_bounded(labellings):
    a, b = labellings
    assert nmi(a, b) == nmi(b, a)
    assert adjusted_rand(a, b) == adjusted_rand(b, a)
    assert 0.0 <= nmi(a, b) <= 1.0
    assert -0.5 <= adjusted_rand(a, b) <= 1.0


@pytest.mark.parametrize("score", SCORES)
def test_names_of_labels_and_order_of_tokens_do_not_matter(score):
    a, b = random_labels(0)
    rng = np.random.default_rng(1)
    order = rng.permutation(a.size)
    names = rng.permutation(1000)
    assert score(a[order], b[order]) == score(a, b)
    assert score(names[a], names[b] - 500) == score(a, b)
    assert score(a.astype(np.uint16), b.astype(np.uint64)) == score(a, b)
    assert score(a, np.array([f"label {label}" for label in b])) == score(a, b)


@pytest.mark.parametrize("score", SCORES)
def test_renamed_labels_score_exactly_one(score):
    for n_labels in (1, 2, 7, 97, 499):
        labels = random_labels(n_labels, n_labels=n_labels)[0]
        assert score(labels, (labels + 3) * 11) == 1.0
    assert score([4], [9]) == 1.0
    assert score([0, 1, 2], [2, 0, 1]) == 1.0


@pytest.mark.parametrize("score", SCORES)
def test_one_label_says_nothing_of_many(score):
    assert score([0, 0, 0, 0], [0, 1, 2, 3]) == 0.0
    assert score([0, 0, 0, 0], [0, 1, 0, 1]) == 0.0


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("spread", [1, 10_000])
def test_weights_equal_repeats(score, spread):
    a, b = random_labels(4)
    a, b = a * spread, b * spread  # spread labels do not fit a dense table
    weights = np.random.default_rng(5).integers(0, 4, a.size)
    assert score(a, b, weights) == score(np.repeat(a, weights), np.repeat(b, weights))
    assert score(a, b, np.full(a.size, 7)) == pytest.approx(score(a, b), abs=0.01)
    assert score(a, b, weights * 0 + 1) == score(a, b)


@pytest.mark.parametrize("score", SCORES)
def test_blocks_do_not_change_a_score(score, monkeypatch):
    a, b = random_labels(6)
    weights = np.random.default_rng(7).integers(0, 4, a.size)
    expected = score(a, b), score(a, b, weights)
    monkeypatch.setattr(labels, "TOKENS_PER_BLOCK", 64)
    assert (score(a, b), score(a, b, weights)) == expected
    monkeypatch.setattr(labels, "MAX_TABLE_CELLS", 0)
    assert (score(a, b), score(a, b, weights)) == expected


def test_adjusted_rand_is_exact_where_int64_would_overflow():
    weights = np.array([3, 1, 1, 3], dtype=np.int64) * 10**12
    labels = [0, 0, 1, 1], [0, 1, 0, 1]
    # With many tokens the index tends to that of shares: (20/64 - 1/4) / (1/2 - 1/4).
    assert_allclose(adjusted_rand(*labels, weights), 0.25, rtol=1e-10)


@pytest.mark.parametrize("score", SCORES)
def test_scores_refuse_what_they_cannot_compare(score):
    with pytest.raises(ValueError, match="a and b must label the same tokens, got 2 and 3 labels"):
        score([0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match=r"b must be one label per token, got shape \(1, 2\)"):
        score([0, 1], [[0, 1]])
    with pytest.raises(ValueError, match="a and b label no token"):
        score([], [])
    with pytest.raises(ValueError, match="a and b label no token"):
        score([0, 1], [0, 1], [0, 0])
    with pytest.raises(
        ValueError, match=r"weights must be one integer per label, shape \(2,\), got int64 of shape \(1,\)"
    ):
        score([0, 1], [0, 1], [1])
    with pytest.raises(ValueError, match=r"weights must be one integer per label.* got float64"):
        score([0, 1], [0, 1], [1.0, 2.0])
    with pytest.raises(ValueError, match="weights must not be negative, got -2"):
        score([0, 1], [0, 1], [1, -2])


def test_topic_l1_by_hand():
    true = [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]
    assert topic_l1(true, true) == 0.0
    assert topic_l1(true[::-1], true) == 0.0
    assert topic_l1([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], true) == 0.5
    assert topic_l1([[0.0, 1.0]], [[1.0, 0.0]]) == 2.0


def test_topic_l1_matches_all_topics_at_once():
    # Each one's nearest is the same topic; the best matching gives it to the one that gains most by it.
    true = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    found = np.array([[0.9, 0.1, 0.0], [0.6, 0.0, 0.4]])
    assert_allclose(topic_l1(found, true), (0.2 + 1.2) / 2, rtol=1e-12)


def test_topic_l1_does_not_depend_on_the_order_of_topics_or_words():
    rng = np.random.default_rng(0)
    found, true = rng.dirichlet(np.full(30, 0.1), size=(2, 6))
    expected = topic_l1(found, true)
    words = rng.permutation(30)
    assert_allclose(topic_l1(found[rng.permutation(6)][:, words], true[:, words]), expected, rtol=1e-12)
    assert_allclose(topic_l1(true, found), expected, rtol=1e-12)
    assert 0.0 < expected < 2.0


def test_topic_l1_refuses_topics_that_do_not_match():
    with pytest.raises(ValueError, match=r"same number of topics and words, got shapes \(3, 4\) and \(2, 4\)"):
        topic_l1(np.ones((3, 4)), np.ones((2, 4)))
    with pytest.raises(ValueError, match=r"got shapes \(2, 5\) and \(2, 4\)"):
        topic_l1(np.ones((2, 5)), np.ones((2, 4)))
    with pytest.raises(ValueError, match=r"got shapes \(4,\) and \(4,\)"):
        topic_l1(np.ones(4), np.ones(4))
    with pytest.raises(ValueError, match=r"true must hold finite numbers, got nan at \(0, 1\)"):
        topic_l1([[1.0, 0.0]], [[1.0, math.nan]])


def test_objective_by_hand():
    counts = np.array([[2, 0], [1, 3], [0, 0]])
    assert objective(counts, [0, 0, 1], penalty=10.0) == 30.0
    assert_allclose(objective(counts, [0, 0, 0], penalty=10.0), 6 * math.log(2) + 20.0, rtol=1e-14)
    assert_allclose(objective(counts, [1, 0, 0], penalty=0.0), 4 * math.log(4) - 3 * math.log(3), rtol=1e-14)


@given(corpora_with_topics(), st.sampled_from([0.0, 1.0, 9.5]))
@settings(deadline=None)
def test_objective_equals_the_sum_over_tokens(corpus, penalty):
    counts, topics = corpus
    expected = objective_by_tokens(counts, topics, penalty)
    assert_allclose(objective(counts, topics, penalty), expected, rtol=1e-12, atol=1e-12)
    given_topics = topics.copy()
    given_topics.flags.writeable = False
    assert_allclose(objective(sparse.csr_array(counts), given_topics, penalty), expected, rtol=1e-12, atol=1e-12)


@given(corpora_with_topics())
@settings(deadline=None)
def test_objective_reads_topics_in_the_structure_of_counts(corpus):
    counts, topics = corpus
    expected = objective(counts, topics, 3.0)
    canonical = sparse.csr_array(counts)
    of_entries = sparse.csr_array((topics, canonical.indices, canonical.indptr), shape=counts.shape)
    assert objective(canonical, of_entries, 3.0) == expected
    assert objective(canonical, of_entries.astype(np.uint16), 3.0) == expected
    # The last column first: the same matrices, with the entries of each document in another order.
    reverse = np.argsort(-np.repeat(np.arange(counts.shape[0]), np.diff(canonical.indptr)), kind="stable")[::-1]
    shuffled, shuffled_topics = (
        sparse.csr_array((data[reverse], canonical.indices[reverse], canonical.indptr), shape=counts.shape)
        for data in (canonical.data, topics)
    )
    assert objective(shuffled, shuffled_topics, 3.0) == expected
    assert objective(canonical, shuffled_topics, 3.0) == expected


def test_objective_skips_stored_zeros_of_counts():
    structure = np.array([0, 1, 0, 1]), np.array([0, 2, 4])
    counts = sparse.csr_array((np.array([2, 0, 1, 3]), *structure), shape=(2, 2))
    topics = sparse.csr_array((np.array([0, 4, 0, 1]), *structure), shape=(2, 2))
    assert objective(counts, topics, 10.0) == 30.0


@pytest.mark.parametrize("n_documents", [0, 2])
def test_objective_of_no_tokens_is_zero(n_documents):
    assert objective(np.zeros((n_documents, 3), dtype=int), np.empty(0, dtype=int), 10.0) == 0.0


def test_objective_of_topics_without_a_name_in_the_order_is_the_same():
    counts = np.random.default_rng(0).poisson(0.5, size=(20, 15))
    topics = np.random.default_rng(1).integers(0, 4, int((counts > 0).sum()))
    renamed = np.array([70_000, 3, 9, 0])[topics]
    assert_allclose(objective(counts, renamed, 5.0), objective(counts, topics, 5.0), rtol=1e-14)


def test_objective_refuses_bad_topics_and_penalties():
    counts = np.array([[2, 0], [1, 3]])
    with pytest.raises(ValueError, match="penalty must be a finite number of at least 0, got -1"):
        objective(counts, [0, 0, 1], -1)
    with pytest.raises(ValueError, match="penalty must be a finite number of at least 0, got nan"):
        objective(counts, [0, 0, 1], math.nan)
    with pytest.raises(ValueError, match=r"topics must be one integer per entry of counts, shape \(3,\), got int64"):
        objective(counts, [0, 1], 1.0)
    with pytest.raises(ValueError, match=r"topics must be one integer per entry of counts.* got float64"):
        objective(counts, [0.0, 0.0, 1.0], 1.0)
    with pytest.raises(ValueError, match="topics must lie from 0 to 16777215, got -1 to 1"):
        objective(counts, [0, -1, 1], 1.0)
    with pytest.raises(ValueError, match="topics must lie from 0 to 1, got 0 to 2: give every entry a topic, or"):
        objective(counts, [0, 2, 1], 1.0, n_topics=2)


@pytest.mark.parametrize(
    "topics", [np.ones((2, 3), dtype=int), np.array([[1, 1], [0, 1]]), np.eye(2, dtype=int), np.ones((2, 2), dtype=int)]
)
def test_objective_refuses_topics_of_other_entries(topics):
    counts = sparse.csr_array(np.array([[2, 0], [1, 3]]))
    with pytest.raises(ValueError, match=r"topics must have the entries of counts, shape \(2, 2\) with 3 entries"):
        objective(counts, sparse.csr_array(topics), 1.0)
