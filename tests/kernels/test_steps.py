"""Each kernel equals its twin in plain NumPy exactly, on every instruction set of the machine."""

import numpy as np
import pytest
from corpora import assigned, costs_of, counts_of, dense_costs, documents_of, gains_of, penalties, read_only
from hypothesis import given
from hypothesis import strategies as st

from crisptopics import kernels
from crisptopics.corpus import Corpus
from crisptopics.kernels import reference
from crisptopics.kernels.fixed import GAIN_SHIFT, fixed_xlogx, least_counts

smoothings = st.sampled_from([0.0, 0.0, 0.001, 0.01, 0.5, 3.0])
cuts = st.integers(1, 3)  # documents in a block


pytestmark = pytest.mark.usefixtures("instruction_set")


def blocks_of(corpus, size):
    return [(first, min(first + size, len(corpus))) for first in range(0, len(corpus), size)]


@given(assigned())
def test_counts(case):
    corpus, n_topics, topics = case
    counts = counts_of(corpus, n_topics, topics)
    expected = reference.count_topics(corpus, topics, n_topics, corpus.n_words)
    np.testing.assert_array_equal(counts.to_matrix().toarray(), expected)
    np.testing.assert_array_equal(counts.totals, expected.sum(axis=1))


@given(assigned(), st.randoms(use_true_random=False))
def test_recounting_equals_counting(case, random):
    corpus, n_topics, before = case
    after = np.array([random.randrange(n_topics) for _ in before], dtype=np.uint16)
    counts = counts_of(corpus, n_topics, before)
    moved = kernels.recount_topics(documents_of(corpus), *read_only(before, after), counts.rows)
    np.testing.assert_array_equal(
        counts.to_matrix().toarray(), reference.count_topics(corpus, after, n_topics, corpus.n_words)
    )
    assert moved == corpus.counts[before != after].sum()


@given(assigned(), smoothings)
def test_costs(case, smoothing):
    corpus, n_topics, topics = case
    counts = counts_of(corpus, n_topics, topics)
    costs = costs_of(counts, smoothing)
    expected = reference.word_costs(reference.count_topics(corpus, topics, n_topics, corpus.n_words), smoothing)
    np.testing.assert_array_equal(dense_costs(counts, costs), expected)
    assert np.all(costs.costs[: counts.lengths[0]] <= costs.largest)


@given(assigned(), penalties, cuts)
def test_basic_step(case, penalty, size):
    corpus, n_topics, topics = case
    counts = counts_of(corpus, n_topics, topics)
    costs = costs_of(counts)
    result = np.zeros_like(topics)
    for block in blocks_of(corpus, size):
        kernels.basic_step(documents_of(corpus), *block, costs.rows, penalty, *read_only(topics), result)
    np.testing.assert_array_equal(result, reference.basic_step(corpus, dense_costs(counts, costs), penalty, topics))


@given(assigned(max_documents=8), penalties, smoothings, cuts, st.booleans())
def test_word_step(case, penalty, smoothing, size, dense):
    corpus, n_topics, topics = case
    counts = counts_of(corpus, n_topics, topics)
    costs = costs_of(counts, smoothing, dense)
    result = np.zeros_like(topics)
    for block in blocks_of(corpus, size):
        kernels.word_step(documents_of(corpus), *block, costs.rows, penalty, costs.largest, result)
    np.testing.assert_array_equal(result, reference.word_step(corpus, dense_costs(counts, costs), penalty))


@given(assigned(max_documents=8), assigned(max_documents=8), penalties, smoothings, st.booleans())
def test_word_step_on_new_documents(case, new_case, penalty, smoothing, dense):
    corpus, n_topics, topics = case
    new, _, _ = new_case
    width = min(corpus.n_words, new.n_words)
    corpus, new, topics = narrowed(corpus, width), narrowed(new, width), topics[corpus.words < width]
    counts = counts_of(corpus, n_topics, topics)
    costs = costs_of(counts, smoothing, dense)
    result = np.zeros(new.n_entries, dtype=np.uint16)
    kernels.word_step(documents_of(new), 0, len(new), costs.rows, penalty, costs.largest, result)
    np.testing.assert_array_equal(result, reference.word_step(new, dense_costs(counts, costs), penalty))


def narrowed(corpus, n_words):
    return Corpus.from_counts(corpus.counts_matrix()[:, :n_words])


@given(assigned(), penalties, st.randoms(use_true_random=False))
def test_keep_cheaper(case, penalty, random):
    corpus, n_topics, topics = case
    penalty = min(penalty, 2**50)
    counts = counts_of(corpus, n_topics, topics)
    costs = costs_of(counts)
    proposed = np.array([random.randrange(n_topics) for _ in topics], dtype=np.uint16)
    result = proposed.copy()
    kernels.keep_cheaper(documents_of(corpus), 0, len(corpus), costs.rows, penalty, *read_only(topics), result)
    expected = reference.keep_cheaper(corpus, dense_costs(counts, costs), penalty, topics, proposed)
    np.testing.assert_array_equal(result, expected)


widths = st.sampled_from([1, 2, 3, 5, 15, 16, 17, 64, 65, 128, 129])  # topics: around the kernels' lanes and limits
large = st.sampled_from([1, 2, 70_000, 2**31 - 1])  # tokens: beyond the tables, and where bids need a larger unit


@given(assigned(max_documents=8, n_topics=widths, scale=large), penalties, st.booleans(), st.randoms())
def test_refine(case, penalty, dense, random):
    corpus, n_topics, topics = case
    order = np.array(random.sample(range(len(corpus)), len(corpus)), dtype=np.int64)
    counts = counts_of(corpus, n_topics, topics)
    gains = gains_of(counts, dense)
    topic_words = reference.count_topics(corpus, topics, n_topics, corpus.n_words)
    documents, start, wishes = documents_of(corpus), topics.copy(), topics.copy()
    expected_topics, total = topics.copy(), np.zeros(2, dtype=object)
    for batch in np.array_split(order, 2):
        for part in np.array_split(batch, 2):
            kernels.refine_propose(documents, part, gains.rows, penalty, *read_only(topics), wishes)
        expected = reference.refine_propose(corpus, batch, topic_words, penalty, topics)
        entries = np.isin(np.repeat(np.arange(len(corpus)), np.diff(corpus.indptr)), batch)
        np.testing.assert_array_equal(wishes[entries], expected[entries])

        before = topics.copy()
        *change, moved = kernels.refine_apply(documents, batch, gains.rows, penalty, topics, *read_only(wishes))
        expected_change = reference.refine_apply(corpus, batch, topic_words, penalty, expected_topics, wishes)
        np.testing.assert_array_equal(topics, expected_topics)
        np.testing.assert_array_equal(counts.to_matrix().toarray(), topic_words)
        np.testing.assert_array_equal(filled(counts, gains), filled(counts, gains_of(counts, dense)))
        assert tuple(change) == expected_change
        assert moved == corpus.counts[topics != before].sum(dtype=np.int64)
        assert change[0] + penalty * change[1] <= 0
        total += change
    terms = [reference.objective_terms(corpus, z, n_topics) for z in (start, topics)]
    assert tuple(total) == tuple(np.subtract(terms[1], terms[0], dtype=object))


def filled(counts, gains):
    """Return the gains that are in use: all of dense rows, those of the topics that a word has of sparse ones."""
    if len(gains.cells) != len(counts.topics):
        return gains.cells
    return np.concatenate(
        [gains.cells[a : a + n] for a, n in zip(counts.starts, counts.lengths, strict=False)] or [gains.cells]
    )


@given(assigned(), cuts)
def test_objective(case, size):
    corpus, n_topics, topics = case
    counts = counts_of(corpus, n_topics, topics)
    halves = [(0, corpus.n_words // 2), (corpus.n_words // 2, corpus.n_words)]
    cost = int(kernels.fixed_xlogx(counts.totals).sum()) + sum(kernels.words_cost(counts.rows, *h) for h in halves)
    used = sum(
        kernels.topics_used(documents_of(corpus), *block, *read_only(topics), n_topics)
        for block in blocks_of(corpus, size)
    )
    assert (cost, used) == reference.objective_terms(corpus, topics, n_topics)


def test_word_step_by_hand():
    # Topic 0 holds words 0 and 1, topic 1 words 1 and 2. Penalty 1 nat.
    corpus = Corpus.from_counts([[4, 0, 0], [4, 4, 0], [0, 1, 7], [0, 0, 0]])
    topics = np.array([0, 0, 0, 1, 1], dtype=np.uint16)
    counts = counts_of(corpus, 2, topics)
    costs = costs_of(counts)
    # Topic 0 has 8 and 4 tokens of words 0 and 1, topic 1 has 1 and 7 of words 1 and 2.
    np.testing.assert_allclose(
        dense_costs(counts, costs)[[0, 0, 1, 1], [0, 1, 1, 2]] / kernels.UNIT,
        -np.log([8 / 12, 4 / 12, 1 / 8, 7 / 8]),
        rtol=0,
        atol=2 / kernels.UNIT,
    )
    result = np.zeros_like(topics)
    kernels.word_step(documents_of(corpus), 0, 4, costs.rows, kernels.UNIT, costs.largest, result)
    # Third document: topic 1 opens for word 2 at (1 + 7 * 0.13) / 7 = 0.28 nat, before word 1 joins it at 2.08 nat;
    # opening topic 0 for word 1 alone would cost 1 + 1.10 = 2.10 nat.
    np.testing.assert_array_equal(result, [0, 0, 0, 1, 1])


@pytest.mark.parametrize("dense", [False, True])
def test_refine_brings_an_empty_topic_back_to_life(dense):
    corpus = Corpus.from_counts([[5, 5, 0, 0], [0, 0, 5, 5]])
    topics = np.zeros(4, dtype=np.uint16)
    counts = counts_of(corpus, 3, topics)
    order, documents = np.arange(2), documents_of(corpus)
    wishes, gains = topics.copy(), gains_of(counts, dense)
    kernels.refine_propose(documents, order, gains.rows, kernels.UNIT, topics, wishes)
    kernels.refine_apply(documents, order, gains.rows, kernels.UNIT, topics, wishes)
    assert len(set(topics[:2])) == len(set(topics[2:])) == 1
    assert topics[0] != topics[2]


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("smoothing", [0.0, 0.01])
def test_long_documents_take_the_wide_path_with_the_same_result(smoothing, dense):
    random = np.random.default_rng(5)
    table = random.poisson(0.7, size=(6, 40)) * random.choice([1, 3000], size=(6, 40))
    corpus = Corpus.from_counts(table)
    topics = random.integers(0, 4, corpus.n_entries).astype(np.uint16)
    counts = counts_of(corpus, 4, topics)
    costs = costs_of(counts, smoothing, dense)
    for penalty in (5 * kernels.UNIT, 10_000 * kernels.UNIT, 2**60):
        check_word_step(corpus, counts, costs, penalty)


def check_word_step(corpus, counts, costs, penalty):
    result = np.zeros(corpus.n_entries, dtype=np.uint16)
    kernels.word_step(documents_of(corpus), 0, len(corpus), costs.rows, penalty, costs.largest, result)
    np.testing.assert_array_equal(result, reference.word_step(corpus, dense_costs(counts, costs), penalty))


@pytest.mark.parametrize("n_topics", [1, 2, 15, 16, 17, 31, 32, 33, 48, 49, 63, 64, 65, 128, 129])
def test_word_step_at_every_width(n_topics):
    # Below and above the lanes of a vector, the topics of the table, and the candidates looked at together.
    random = np.random.default_rng(n_topics)
    corpus = Corpus.from_counts(random.poisson(0.7, size=(6, 40)) * random.choice([1, 1, 9], size=(6, 40)))
    topics = random.integers(0, n_topics, corpus.n_entries).astype(np.uint16)
    counts = counts_of(corpus, n_topics, topics)
    for smoothing in (0.0, 0.01):
        for dense in (True, False):
            costs = costs_of(counts, smoothing, dense)
            for penalty in (1, kernels.UNIT // 2, 6 * kernels.UNIT, 2**60):
                check_word_step(corpus, counts, costs, penalty)


@pytest.mark.parametrize("dense", [True, False])
def test_topics_that_are_all_alike(dense):
    # All of them are candidates at once, more than there are columns, and the lowest numbers win.
    corpus = Corpus.from_counts(np.ones((50, 7), dtype=np.int64))
    topics = np.repeat(np.arange(50), 7).astype(np.uint16)
    counts = counts_of(corpus, 50, topics)
    for smoothing in (0.0, 0.5):
        for penalty in (1, kernels.UNIT, 2**60):
            check_word_step(corpus, counts, costs_of(counts, smoothing, dense), penalty)


@given(assigned(st.integers(1, 80), max_documents=4, max_words=20, max_count=2), penalties, smoothings)
def test_word_step_with_many_topics(case, penalty, smoothing):
    corpus, n_topics, topics = case
    counts = counts_of(corpus, n_topics, topics)
    check_word_step(corpus, counts, costs_of(counts, smoothing), penalty)


@pytest.mark.parametrize("dense", [True, False])
def test_more_than_a_page_of_topics(dense):
    # Many topics and long word rows: padding, lists and bounds all grow past one vector.
    random = np.random.default_rng(7)
    corpus = Corpus.from_counts(random.poisson(1.0, size=(30, 60)))
    topics = random.integers(0, 25, corpus.n_entries).astype(np.uint16)
    counts = counts_of(corpus, 25, topics)
    for smoothing in (0.0, 0.01):
        for penalty in (kernels.UNIT, 8 * kernels.UNIT):
            check_word_step(corpus, counts, costs_of(counts, smoothing, dense), penalty)


def test_wrong_arrays_are_refused():
    corpus = Corpus.from_counts([[1, 2]])
    counts = counts_of(corpus, 2, np.zeros(2, dtype=np.uint16))
    with pytest.raises(ValueError, match="not one topic per entry"):
        kernels.count_topics(documents_of(corpus), np.zeros(3, dtype=np.uint16), counts.rows)
    with pytest.raises(TypeError):
        kernels.count_topics(documents_of(corpus), np.zeros(2, dtype=np.int64), counts.rows)
    costs = kernels.TopicCosts.of(counts)
    with pytest.raises(ValueError, match="the table of costs does not fit"):
        kernels._kernels.CostRows(counts.rows, costs.costs, costs.absent, costs.table[1:])
    with pytest.raises(ValueError, match="no such block"):
        kernels.topics_used(documents_of(corpus), 0, 2, np.zeros(2, dtype=np.uint16), 2)
    with pytest.raises(ValueError, match="no instruction set 'abacus'"):
        kernels.choose_instruction_set("abacus")


def test_gains_are_bounds():
    random = np.random.default_rng()
    n = np.unique(np.exp(random.uniform(0, 27, 3000)).astype(np.int64))
    more = np.exp(random.uniform(0, 20, n.shape)).astype(np.int64)
    counts = kernels.TopicCounts.empty(len(n), np.full(1, len(n)))  # one word, of which each topic has another count
    counts.lengths[:], counts.topics[:], counts.counts[:] = len(n), np.arange(len(n)), n
    gains = gains_of(counts, False).cells.astype(np.int64) << GAIN_SHIFT
    rounding = 2 + (fixed_xlogx(n + more) >> 48)
    assert np.all(more * gains + fixed_xlogx(more) + rounding >= fixed_xlogx(n + more) - fixed_xlogx(n))
    assert np.all(gains / kernels.UNIT < np.log(n + 1) + 1.001)
    least = least_counts()[gains >> GAIN_SHIFT]
    assert np.all(least <= n)
    np.testing.assert_array_equal(least[n < 500], n[n < 500])
    assert np.all(least[n < 10**9] > 0.99 * n[n < 10**9] - 3)


@pytest.mark.parametrize("smoothing", [0.0, 0.01])
def test_many_topics(smoothing):
    # Rows so long that they are sorted by a heap, and more topics than Refine considers without a test.
    n_topics, random = 70, np.random.default_rng()
    planted = random.dirichlet(np.full(25, 0.3), n_topics)
    shares = random.dirichlet(np.full(n_topics, 0.02), 30)
    corpus = Corpus.from_counts(np.array([random.multinomial(20, row) for row in shares @ planted]))
    topics = random.integers(0, n_topics, corpus.n_entries).astype(np.uint16)
    documents, penalty = documents_of(corpus), 3 * kernels.UNIT
    for _ in range(2):
        counts = counts_of(corpus, n_topics, topics)
        costs = costs_of(counts, smoothing)
        costs_sorted = [
            costs.costs[start : start + length]
            for start, length in zip(counts.starts[:-1], counts.lengths, strict=True)
        ]
        assert all(np.all(np.diff(row) >= 0) for row in costs_sorted)
        result = np.zeros_like(topics)
        kernels.word_step(documents, 0, len(corpus), costs.rows, penalty, costs.largest, result)
        np.testing.assert_array_equal(result, reference.word_step(corpus, dense_costs(counts, costs), penalty))

        topic_words = reference.count_topics(corpus, topics, n_topics, corpus.n_words)
        wishes, order, gains = topics.copy(), np.arange(len(corpus)), gains_of(counts, False)
        kernels.refine_propose(documents, order, gains.rows, penalty, topics, wishes)
        expected = reference.refine_propose(corpus, order, topic_words, penalty, topics)
        np.testing.assert_array_equal(wishes, expected)
        topics = np.where(random.random(len(topics)) < 0.5, result, wishes)
