"""The generator of starts and orders: the same numbers for ever, and even enough."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from crisptopics.blocks import Workers
from crisptopics.corpus import Corpus
from crisptopics.start import ORDER, START, mix, random_order, random_topics, seed_columns, starting_topics

CORPUS = Corpus.from_counts([[2, 1, 0, 0], [0, 0, 3, 0], [0, 0, 0, 0], [1, 0, 1, 5]])


def start(init, n_topics=2, seed=0, seeds=None, penalty=0.1):
    with Workers(1) as workers:
        return starting_topics(CORPUS, init, n_topics, seed, seeds or {}, penalty, workers)


def test_golden_values():
    """Written down once: whoever changes the generator changes every fit, and must say so in the change log."""
    three = np.arange(3, dtype=np.uint64)
    assert mix(0, START, three).tolist() == [5197578548964807871, 12035550249420947055, 12935080325729570654]
    assert mix(0, ORDER, three).tolist() == [15916886550466581944, 6791897765849424158, 17405687883870564846]
    assert random_topics(12, 5, seed=0).tolist() == [1, 3, 3, 1, 3, 3, 0, 3, 1, 1, 2, 2]
    assert random_order(8, seed=0, iteration=0).tolist() == [3, 5, 1, 7, 6, 4, 0, 2]
    assert random_order(8, seed=0, iteration=1).tolist() == [7, 2, 1, 4, 6, 3, 0, 5]


@pytest.mark.parametrize("n_entries", [0, 1, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1])
def test_fewer_topics_are_the_first_of_more(n_entries):
    """The numbers are made a million at a time; nothing may show where one million ends."""
    more = random_topics((1 << 20) + 100, 65_534, seed=3)
    assert more.dtype == np.uint16
    np.testing.assert_array_equal(random_topics(n_entries, 65_534, seed=3), more[:n_entries])


def test_the_numbers_depend_on_the_place_and_not_on_the_company():
    indices = np.array([7, 2**63, 0, 7], dtype=np.uint64)
    together = mix(1, 2, indices)
    assert [mix(1, 2, index[None])[0] for index in indices] == together.tolist()
    assert together[0] == together[3]


@pytest.mark.parametrize("n_topics", [1, 2, 7, 1000])
@pytest.mark.parametrize("seed", [0, 1, 2**31 - 2])
def test_topics_are_about_even(n_topics, seed):
    n_entries = 200_000
    counts = np.bincount(random_topics(n_entries, n_topics, seed), minlength=n_topics)
    assert len(counts) == n_topics
    expected = n_entries / n_topics
    # Chi-squared has mean K - 1 and variance 2 (K - 1); five standard deviations either way.
    chi_squared = ((counts - expected) ** 2 / expected).sum()
    assert abs(chi_squared - (n_topics - 1)) <= 5 * np.sqrt(2 * (n_topics - 1))


def test_neighbours_and_neighbouring_seeds_are_unrelated():
    topics = [random_topics(40_000, 4, seed) for seed in (0, 1, 2)]
    for one, other in ((topics[0], topics[1]), (topics[1], topics[2]), (topics[0][1:], topics[0][:-1])):
        pairs = np.bincount(one.astype(int) * 4 + other, minlength=16)
        assert np.abs(pairs - len(one) / 16).max() < 5 * np.sqrt(len(one) / 16)


@pytest.mark.parametrize("n_documents", [0, 1, 2, 1000])
def test_orders_are_permutations(n_documents):
    order = random_order(n_documents, seed=5, iteration=2)
    assert order.dtype == np.int64
    np.testing.assert_array_equal(np.sort(order), np.arange(n_documents))
    np.testing.assert_array_equal(random_order(n_documents, seed=5, iteration=2), order)


def test_orders_differ_by_iteration_and_by_seed():
    orders = [random_order(1000, seed, iteration) for seed in range(4) for iteration in range(20)]
    assert len({tuple(order.tolist()) for order in orders}) == 80
    # Two random permutations agree in one place on average (Poisson).
    agreements = [np.count_nonzero(one == other) for one, other in pairwise(orders)]
    assert max(agreements) < 10
    assert 0.4 < np.mean(agreements) < 1.8


def test_a_random_start_is_that_of_the_generator():
    np.testing.assert_array_equal(start("random", n_topics=5, seed=9), random_topics(CORPUS.n_entries, 5, seed=9))


def test_a_given_start_is_copied():
    given = np.array([1, 0, 1, 0, 0, 1], dtype=np.uint16)
    got = start(given, seeds={0: [0]})
    assert got.tolist() == [0, 0, 1, 0, 0, 1]
    assert given.tolist() == [1, 0, 1, 0, 0, 1]
    matrix = sparse.csr_array((given, CORPUS.words, CORPUS.indptr), shape=CORPUS.shape)
    np.testing.assert_array_equal(start(matrix), given)
    assert start(given.tolist()).dtype == np.uint16


def test_a_start_by_topics_puts_words_where_they_belong():
    assert start([[1, 1, 0, 0], [0, 0, 1, 1]]).tolist() == [0, 0, 1, 0, 1, 1]
    assert start([[0, 0, 0.3, 0.1], [1e9, 1e9, 0, 0]]).tolist() == [1, 1, 0, 1, 0, 0]


def test_words_of_no_given_topic_start_at_random():
    anywhere = random_topics(CORPUS.n_entries, 2, seed=4)
    got = start([[1, 0, 0, 0], [0, 0, 1, 0]], seed=4)
    assert got[[0, 2, 3, 4]].tolist() == [0, 1, 0, 1]
    np.testing.assert_array_equal(got[[1, 5]], anywhere[[1, 5]])


@pytest.mark.parametrize("init", ["random", [[1, 1, 1, 9], [9, 1, 1, 1]], [0, 0, 0, 0, 0, 0]])
def test_seed_words_start_in_their_topic_wherever_they_occur(init):
    got = start(init, seeds={1: [0, 3], 0: [2]})
    assert got[CORPUS.words == 0].tolist() == [1, 1]
    assert got[CORPUS.words == 3].tolist() == [1]
    assert got[CORPUS.words == 2].tolist() == [0, 0]
    assert got[1] == start(init)[1]


def test_seed_columns():
    assert seed_columns(None, ["sun"], 2) == {}
    assert seed_columns({}, ["sun"], 2) == {}
    found = seed_columns({np.int64(1): ("rain", "sun"), 0: []}, ["sun", "rain"], 2)
    assert found == {1: [1, 0], 0: []}
    with pytest.raises(
        ValueError,
        match="seed_words of topic 1: 'snow' is not a column of X",
    ):
        seed_columns({1: ["sun", "snow"]}, ["sun", "rain"], 2)
    with pytest.raises(ValueError, match="a topic of seed_words=2 is not accepted; give a whole number from 0 to 1"):
        seed_columns({2: ["sun"]}, ["sun"], 2)


def test_unknown_starts_are_refused():
    with pytest.raises(ValueError, match="init='k-means' is unknown; use 'search', 'random', an array"):
        start("k-means")
