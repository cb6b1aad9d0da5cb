"""Every engine gives topics that add up, the same for the same seed; measures of answers that are known."""

import sys

import numpy as np
import pytest
from scipy import sparse
from tiny import TINY

from crisptopics import Corpus, metrics
from crisptopics.experiments import engines
from crisptopics.experiments.engines import ENGINES, Answer, Problem, available
from crisptopics.experiments.planted import SYNTH_A, SYNTH_B, drawn, measured, planted_cell, true_topics

DATA, CORPUS = drawn(SYNTH_A, 60, 5)
# An empty document and a word that never occurs.
GAPS = Corpus.from_counts(np.pad(DATA.counts.toarray(), ((0, 1), (0, 1))))


def problem(corpus=CORPUS, seed=1):
    return Problem(corpus, 20, 0.04, 0.05, seed, TINY)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("corpus", [CORPUS, GAPS], ids=["full", "gaps"])
def test_answers_add_up(name, corpus):
    answer = ENGINES[name].find(problem(corpus))
    assert answer.components.shape == (20, corpus.n_words)
    np.testing.assert_allclose(answer.components.sum(axis=1), 1.0, rtol=1e-5)
    assert len(answer.states) == {"CGS": 2, "VB": 0, "Anchor": 0}.get(name, 1)
    assert all(state.shape == (corpus.n_tokens,) and state.max() < 20 for state in answer.states)
    frequencies = np.asarray(corpus.counts_matrix().sum(axis=0))
    if answer.states:
        counted = engines.count_tokens(corpus, answer.states[-1], 20)
        if name.startswith("Search"):  # its topics of tokens are one Word pass later, as those of any fitted model
            assert np.abs(counted - answer.counts).sum() < 0.2 * corpus.n_tokens
        else:
            np.testing.assert_array_equal(counted.toarray(), answer.counts.toarray())
        np.testing.assert_array_equal(answer.counts.toarray().sum(axis=0), frequencies)
        np.testing.assert_array_equal(counted.toarray().sum(axis=0), frequencies)
    elif name == "VB":
        assert answer.counts.sum() == pytest.approx(corpus.n_tokens, rel=0.02)
    else:
        assert answer.counts is None


@pytest.mark.parametrize("name", ENGINES)
def test_the_seed_decides(name):
    first, again, other = (ENGINES[name].find(problem(seed=seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.components, again.components)
    if name != "Anchor":  # with so few words nothing is projected, so nothing is drawn
        assert np.any(first.components != other.components)


@pytest.mark.parametrize("name", ["Basic", "Word", "Word+Refine"])
def test_the_penalty_and_the_objective_are_the_papers(name):
    low, high = (ENGINES[name].find(Problem(CORPUS, 20, 0.04, 0.05, 1, TINY, penalty)) for penalty in (6.0, 12.0))
    starts = np.concatenate([[0], np.cumsum(CORPUS.counts)[:-1]])
    assert high.objective == pytest.approx(metrics.objective(CORPUS, high.states[0][starts], 12.0), rel=1e-5)
    if name != "Basic":
        used = [engines.topics_per_document(CORPUS, answer.states[0]) for answer in (low, high)]
        assert used[0] > used[1]


def test_tomotopy_is_left_out_where_it_is_not_installed(monkeypatch):
    assert "tomotopy" in [engine.name for engine in available(tuple(ENGINES))]
    monkeypatch.setitem(sys.modules, "tomotopy", None)
    assert [engine.name for engine in available(tuple(ENGINES))] == [name for name in ENGINES if name != "tomotopy"]


def test_a_perfect_answer_is_measured_as_perfect():
    truth = true_topics(DATA)
    counts = engines.count_tokens(CORPUS, truth, 20)
    record = measured(DATA, CORPUS, Answer(DATA.psi[::-1], counts, (np.zeros_like(truth), truth), 5.0))
    assert (record["nmi"], record["ari"], record["l1"], record["objective"]) == (1.0, 1.0, 0.0, 5.0)
    assert record["topics_per_document"] == engines.topics_per_document(CORPUS, truth)
    words = np.repeat(CORPUS.words, CORPUS.counts)
    pairs = np.zeros((20, 2000), dtype=int)
    np.add.at(pairs, (DATA.topics, DATA.words), 1)  # in the order they were drawn
    np.testing.assert_array_equal(counts.toarray(), pairs)
    assert len(words) == len(truth)


def test_topics_per_document_counts_each_topic_once_and_no_empty_documents():
    corpus = Corpus.from_counts([[0, 0], [2, 1], [0, 3]])
    assert engines.topics_per_document(corpus, np.array([7, 7, 7, 1, 2, 1], dtype=np.uint16)) == 1.5


def test_shares_of_an_empty_topic_are_uniform():
    counts = sparse.csr_array([[2, 0], [0, 0]])
    np.testing.assert_array_equal(engines.shares(counts.toarray()), [[1.0, 0.0], [0.5, 0.5]])
    np.testing.assert_array_equal(engines.shares(counts.toarray(), 1.0), [[0.75, 0.25], [0.5, 0.5]])


def test_the_key_of_a_cell_has_what_its_result_depends_on():
    cells = [planted_cell(SYNTH_B, 60, ENGINES[name], TINY, 0, 8.0) for name in ENGINES]
    assert len({cell.file_name for cell in cells}) == len(ENGINES)
    assert dict(cells[0].key)["penalty"] == 8.0
    cgs = dict(planted_cell(SYNTH_B, 60, ENGINES["CGS"], TINY, 0, 8.0).key)
    assert cgs == {"corpus": "SynthB", "documents": 60, "engine": "CGS", "settings": "6+2x2", "seed": 0}
