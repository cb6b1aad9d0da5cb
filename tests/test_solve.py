"""What must hold of the solver whatever the data: the objective falls, threads do not matter, symmetries are kept."""

import hashlib
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.append(str(Path(__file__).parent / "kernels"))

from corpora import assigned

from crisptopics import blocks, datasets, kernels, metrics, solve
from crisptopics.blocks import Workers
from crisptopics.corpus import Corpus
from crisptopics.kernels import reference
from crisptopics.start import mix, random_topics
from crisptopics.stop import Stopping

ALGORITHMS = ("basic", "word", "word+refine")


def run(corpus, start, n_topics, penalty=3.0, algorithm="word+refine", max_iter=10, tol=0.0, seed=0, threads=1):
    with Workers(threads) as workers:
        return solve.solve(corpus, start, n_topics, penalty, algorithm, Stopping(max_iter, tol), seed, workers)


def synthetic(n_documents=300, n_topics=8, seed=0):
    """A corpus with planted topics, from the generator that has the same bits everywhere."""
    n_words, length = 120, 40
    numbers = mix(seed, 99, np.arange(n_documents * length, dtype=np.uint64)).reshape(n_documents, length)
    main = np.arange(n_documents)[:, None] % n_topics
    other = (main + 1 + np.arange(n_documents)[:, None] // 7) % n_topics
    topics = np.where(numbers % np.uint64(4) == 0, other, main)
    words = topics * 15 + ((numbers >> np.uint64(8)) % np.uint64(15) * (numbers >> np.uint64(16)) % np.uint64(15))
    rows = np.repeat(np.arange(n_documents), length)
    dense = np.zeros((n_documents, n_words), dtype=np.int64)
    np.add.at(dense, (rows, words.ravel().astype(np.int64)), 1)
    return Corpus.from_counts(dense)


@pytest.fixture(scope="module")
def synth_a():
    return datasets.synth_a(5000, random_state=1)


@given(assigned(max_documents=6), st.sampled_from(ALGORITHMS), st.sampled_from([1e-9, 0.5, 3.0, 20.0, 1e9]))
def test_the_objective_never_rises_and_is_the_independent_one(case, algorithm, penalty):
    corpus, n_topics, start = case
    previous = metrics.objective(corpus, start, penalty, n_topics) if corpus.n_tokens else 0.0
    whole = run(corpus, start, n_topics, penalty, algorithm, max_iter=4)
    for n, record in enumerate(whole.history, 1):
        partial = run(corpus, start, n_topics, penalty, algorithm, max_iter=n)
        assert partial.history[-1].objective == record.objective
        assert partial.objective == record.objective
        independent = metrics.objective(corpus, partial.topics, penalty, n_topics) if corpus.n_tokens else 0.0
        # Units of 2^-16 nat, at most half a unit off for each count and each use of the penalty.
        assert record.objective == pytest.approx(independent, rel=1e-12, abs=100 / kernels.UNIT)
        assert record.objective <= previous + 100 / kernels.UNIT * (n == 1)
        previous = record.objective


@pytest.mark.parametrize("penalty", [10.0, 24.0])
def test_it_falls_on_real_text_too_where_word_overshoots(penalty):
    corpus = datasets.load_sotu().select(np.arange(0, 14_000, 7))
    history = run(corpus, random_topics(corpus.n_entries, 20, 0), 20, penalty, max_iter=40).history
    objectives = np.array([record.objective for record in history])
    assert np.diff(objectives).max() <= 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_same_bits_at_any_number_of_threads_block_size_and_instruction_set(algorithm, monkeypatch):
    corpus = synthetic(seed=3)
    start = random_topics(corpus.n_entries, 8, 3)
    expected = run(corpus, start, 8, algorithm=algorithm)
    for threads in (2, 7):
        assert_same(run(corpus, start, 8, algorithm=algorithm, threads=threads), expected)
    for entries in (1, 100, 10**9):
        monkeypatch.setattr(blocks.cut, "__defaults__", (entries,))
        assert_same(run(corpus, start, 8, algorithm=algorithm, threads=2), expected)
    for name in kernels.instruction_sets():
        kernels.choose_instruction_set(name)
        assert_same(run(corpus, start, 8, algorithm=algorithm), expected)


def assert_same(found, expected):
    np.testing.assert_array_equal(found.topics, expected.topics)
    assert found.objective == expected.objective
    assert [record.objective for record in found.history] == [record.objective for record in expected.history]


def test_same_bits_on_every_machine():
    corpus = synthetic()
    solution = run(corpus, random_topics(corpus.n_entries, 8, 0), 8)
    digest = hashlib.sha256(solution.topics.astype("<u2").tobytes()).hexdigest()
    assert digest == "263673f04eca9f321d9a07ba082e1014c9d85216767d1e4b8d90bff934d90ee2"


def test_another_seed_takes_another_way():
    corpus = synthetic()
    first, second = (run(corpus, random_topics(corpus.n_entries, 8, s), 8, seed=s, max_iter=1) for s in (0, 1))
    assert np.any(first.topics != second.topics)


def test_the_start_is_not_changed():
    corpus = synthetic()
    start = random_topics(corpus.n_entries, 8, 0)
    start.flags.writeable = False
    run(corpus, start, 8, max_iter=2)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_permuting_the_words_permutes_the_answer(algorithm):
    corpus = synthetic(seed=5)
    order = np.random.default_rng(5).permutation(corpus.n_words)  # new column c holds old word order[c]
    permuted = Corpus.from_counts(corpus.counts_matrix()[:, order])
    start = random_topics(corpus.n_entries, 8, 5)
    matrix = corpus.counts_matrix().copy()
    matrix.data = start.astype(np.int32) + 1  # topic 0 must not look like an absent word
    permuted_start = (matrix[:, order].tocsr().sorted_indices().data - 1).astype(np.uint16)
    straight = run(corpus, start, 8, algorithm=algorithm)
    turned = run(permuted, permuted_start, 8, algorithm=algorithm)
    assert turned.objective == straight.objective
    np.testing.assert_array_equal(turned.counts.to_matrix().toarray(), straight.counts.to_matrix().toarray()[:, order])


def test_permuting_the_topics_permutes_the_answer():
    corpus = synthetic(seed=6)
    start = random_topics(corpus.n_entries, 8, 6)
    order = np.random.default_rng(6).permutation(8).astype(np.uint16)
    straight, turned = run(corpus, start, 8, penalty=3.3), run(corpus, order[start], 8, penalty=3.3)
    np.testing.assert_array_equal(turned.topics, order[straight.topics])


def test_permuting_the_documents_permutes_the_answer_of_word():
    # Refine visits documents in an order of their own, so there only the first step is symmetric.
    corpus = synthetic(seed=7)
    start = random_topics(corpus.n_entries, 8, 7)
    order = np.random.default_rng(7).permutation(len(corpus))
    entries = np.concatenate([np.arange(corpus.indptr[j], corpus.indptr[j + 1]) for j in order])
    straight = run(corpus, start, 8, algorithm="word")
    turned = run(corpus.select(order), start[entries], 8, algorithm="word")
    np.testing.assert_array_equal(turned.topics, straight.topics[entries])


def test_repeating_the_documents_repeats_the_answer_of_word():
    corpus = synthetic(seed=8)
    start = random_topics(corpus.n_entries, 8, 8)
    twice = corpus.select(np.tile(np.arange(len(corpus)), 2))
    once = run(corpus, start, 8, algorithm="word", max_iter=1)
    doubled = run(twice, np.tile(start, 2), 8, algorithm="word", max_iter=1)
    np.testing.assert_array_equal(doubled.topics, np.tile(once.topics, 2))


def test_planted_topics_are_found():
    corpus = synthetic(1000, seed=9)
    planted = (corpus.words // 15).astype(np.uint16)
    found = [run(corpus, random_topics(corpus.n_entries, 8, s), 8, penalty=8.0, seed=s, max_iter=30) for s in range(3)]
    assert np.median([metrics.nmi(planted, solution.topics, corpus.counts) for solution in found]) > 0.98


def test_the_paper_s_setting(synth_a):
    # SynthA, 5,000 documents, random start, penalty 10: the paper has Basic at 0.027, Word at 0.786, W+R at 0.825.
    corpus = Corpus.from_counts(synth_a.counts)

    def median_nmi(algorithm, iterations):
        solutions = [
            run(corpus, random_topics(corpus.n_entries, 20, s), 20, 10.0, algorithm, iterations, seed=s, threads=2)
            for s in range(3)
        ]
        return np.median([metrics.nmi(synth_a.topics, synth_a.token_topics(s.topics)) for s in solutions])

    assert median_nmi("basic", 20) < 0.05
    assert 0.68 < median_nmi("word", 20) < 0.80
    assert median_nmi("word+refine", 10) > 0.80


def test_many_topics_fit_their_narrow_type():
    n = 65_600
    corpus = Corpus(np.arange(n + 1), np.arange(n) % 40_000, np.ones(n, dtype=np.int32), 40_000)
    start = (np.arange(n) % kernels.MAX_TOPICS).astype(np.uint16)
    solution = run(corpus, start, kernels.MAX_TOPICS, penalty=0.001, max_iter=1)
    assert solution.topics.max() > 2**15
    assert solution.counts.totals.sum() == n


def test_more_tokens_than_32_bits_hold():
    largest = 2**31 - 1
    corpus = Corpus.from_counts([[largest, 0, 3], [largest, 5, 0], [0, 7, largest]])
    solution = run(corpus, np.array([0, 0, 0, 1, 1, 1], dtype=np.uint16), 2, max_iter=5)
    assert solution.counts.totals.sum() == corpus.n_tokens > 2**32
    # Each of the two frequent words has a topic of its own: nearly nothing is left to pay.
    assert solution.objective < 1000


def test_a_document_longer_than_a_block():
    random = np.random.default_rng(0)
    corpus = Corpus.from_counts(random.poisson(3.0, size=(3, 40_000)))
    assert corpus.n_entries > 3 * blocks.ENTRIES_PER_BLOCK
    solution = run(corpus, random_topics(corpus.n_entries, 3, 0), 3, penalty=5.0, threads=2, max_iter=3)
    assert solution.history[-1].objective == pytest.approx(metrics.objective(corpus, solution.topics, 5.0, 3), rel=1e-7)


@pytest.mark.parametrize(
    ("dense", "n_topics"),
    [([[3]], 1), ([[3]], 3), ([[1, 1]], 2), ([[0, 0], [1, 0], [0, 0]], 1), ([[2, 1]] * 9, 4)],
    ids=["one word", "more topics than words", "one document", "empty documents", "equal documents"],
)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_small_and_odd_corpora_end_well(dense, n_topics, algorithm):
    corpus = Corpus.from_counts(dense)
    solution = run(corpus, random_topics(corpus.n_entries, n_topics, 0), n_topics, algorithm=algorithm)
    assert solution.stop_reason == "converged"
    assert len(solution.topics) == corpus.n_entries


def test_history_tells_what_happened():
    corpus = synthetic()
    start = random_topics(corpus.n_entries, 8, 0)
    first, *_, last = run(corpus, start, 8, penalty=3.0, max_iter=50).history
    assert first.stage == "word+refine"
    assert first.penalty == 3.0
    assert 0 < first.moved <= corpus.n_tokens
    assert last.moved < first.moved
    assert 1 <= last.topics_per_document <= 8
    assert last.seconds > 0
    one = run(corpus, start, 8, max_iter=1)
    assert one.history[0].moved == corpus.counts[one.topics != start].sum()
    assert one.stop_reason == "max_iter"


def test_watching_sees_each_iteration_and_may_stop():
    corpus = synthetic()
    seen = []
    with Workers(1) as workers:
        solution = solve.solve(
            corpus,
            random_topics(corpus.n_entries, 8, 0),
            8,
            3.0,
            "word+refine",
            Stopping(50, 0.0),
            0,
            workers,
            lambda record: seen.append(record) or len(seen) == 2,
        )
    assert seen == solution.history
    assert len(seen) == 2
    assert solution.stop_reason == "callback"


def test_an_interrupt_leaves_the_last_complete_iteration(monkeypatch):
    corpus = synthetic()
    start = random_topics(corpus.n_entries, 8, 0)
    expected = run(corpus, start, 8, max_iter=2)
    real, calls = solve.refine_step, []

    def cut_short(state, order):
        calls.append(None)
        real(state, order)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(solve, "refine_step", cut_short)
    solution = run(corpus, start, 8, max_iter=9)
    assert solution.stop_reason == "interrupted"
    assert_same(solution, expected)
    np.testing.assert_array_equal(solution.counts.to_matrix().toarray(), expected.counts.to_matrix().toarray())


def test_the_guard_weighs_topics_by_the_costs_that_word_used(monkeypatch):
    """Going back reorders the rows of counts; the costs beside them must follow."""
    guarded = []

    def checked(documents, first, last, rows, penalty, present, proposed):
        expected = reference.keep_cheaper(corpus, costs_before[0], penalty, present, proposed)
        keep_cheaper(documents, first, last, rows, penalty, present, proposed)
        entries = slice(corpus.indptr[first], corpus.indptr[last])
        np.testing.assert_array_equal(proposed[entries], expected[entries])
        guarded.append(first)

    def noted(state, algorithm):
        costs_before[:] = [reference.word_costs(state.counts.to_matrix().toarray())]
        return propose(state, algorithm)

    keep_cheaper, propose, costs_before = kernels.keep_cheaper, solve.propose, []
    monkeypatch.setattr(kernels, "keep_cheaper", checked)
    monkeypatch.setattr(solve, "propose", noted)
    for seed in range(3):
        corpus = Corpus.from_counts(datasets.synth_a(200, random_state=seed).counts)
        run(corpus, random_topics(corpus.n_entries, 20, seed), 20, 10.0, "word", max_iter=25)
    assert guarded
