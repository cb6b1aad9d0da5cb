"""Merges and splits of whole topics: their changes of the objective are exact, and moves do what they say."""

import sys
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

sys.path.append(str(Path(__file__).parent / "kernels"))

from corpora import assigned

from crisptopics import kernels
from crisptopics.blocks import Workers
from crisptopics.corpus import Corpus
from crisptopics.solve import State
from crisptopics.split_merge import (
    Merges,
    Splits,
    disjoint,
    exchange,
    merge,
    merges,
    split,
    splits,
    topic_costs,
    topic_parts,
)

PENALTIES = st.sampled_from([0.5, 3.0, 20.0])


def state_of(corpus, topics, n_topics, penalty, workers):
    return State.of(corpus, topics, n_topics, penalty, workers)


def objective(corpus, topics, n_topics, penalty, workers):
    return state_of(corpus, topics.astype(np.uint16), n_topics, penalty, workers).objective


@given(assigned(n_topics=st.integers(1, 6)), PENALTIES)
def test_a_merge_changes_the_objective_by_just_what_it_says(case, penalty):
    corpus, n_topics, topics = case
    with Workers(1) as workers:
        state = state_of(corpus, topics, n_topics, penalty, workers)
        found = merges(state)
        assert found.changes.tolist() == sorted(found.changes.tolist())
        for kept, freed, change in zip(found.kept, found.freed, found.changes, strict=True):
            merged = merge(topics, np.array([kept]), np.array([freed]))
            assert not (merged == freed).any()
            assert objective(corpus, merged, n_topics, penalty, workers) - state.objective == change


@given(assigned(), PENALTIES, st.integers(0, 3))
def test_a_split_changes_the_objective_by_just_what_it_says(case, penalty, seed):
    corpus, n_topics, topics = case
    with Workers(1) as workers:
        state = state_of(corpus, topics, n_topics, penalty, workers)
        found = splits(state, seed, 0, lambda halves: halves.assign(halves.topics ^ (np.arange(len(topics)) % 3 == 0)))
        for topic in range(n_topics):
            halved = split(topics, np.array([topic]), np.array([n_topics]), found.second)
            change = objective(corpus, halved, n_topics + 1, penalty, workers) - state.objective
            assert change == found.changes[topic]


@given(assigned())
def test_parts_hold_every_word_once_and_share_no_words_across_topics(case):
    corpus, n_topics, topics = case
    with Workers(1) as workers:
        parts, order, parents = topic_parts(state_of(corpus, topics, n_topics, 1.0, workers))
    assert sorted(order.tolist()) == list(range(corpus.n_entries))
    assert parts.counts.tolist() == corpus.counts[order].tolist()
    of_entries = np.repeat(parents, np.diff(parts.indptr))
    assert of_entries.tolist() == topics[order].tolist()
    assert all(len(set(of_entries[parts.words == word])) == 1 for word in set(parts.words.tolist()))


def test_a_split_finds_the_two_subjects_of_a_topic():
    counts = np.zeros((40, 8), dtype=np.int64)
    counts[:20, :4] = counts[20:, 4:] = 3
    corpus = Corpus.from_counts(counts)
    topics = np.zeros(corpus.n_entries, dtype=np.uint16)
    for seed in range(5):
        with Workers(1) as workers:
            state = state_of(corpus, topics, 2, 1.0, workers)

            def refine(halves, seed=seed):
                from crisptopics.search import Search

                Search(1.0, seed, halves.workers).sort_halves(halves)

            found = splits(state, seed, 0, refine)
        first = found.second[corpus.words < 4]
        assert len(set(first)) == 1
        assert (found.second[corpus.words >= 4] != first[0]).all()


def test_exchange_takes_different_topics_and_only_what_pays():
    merging = Merges(np.array([0, 0, 3]), np.array([1, 2, 4]), np.array([5, 6, 50]))
    splitting = Splits(np.array([-9, 0, -3, -40, -45]), np.zeros(1, dtype=np.bool_))
    assert exchange(merging, splitting, least=0) == [(0, 1, 4)]
    assert exchange(merging, splitting, least=41) == []
    assert disjoint(merging).freed.tolist() == [1, 4]


def test_costs_beyond_the_table_are_computed():
    from scipy import sparse

    n = 10 * 65_536
    counts = sparse.csr_array(np.array([[n, 1, 0], [0, 0, 0]]))
    expected = kernels.fixed_xlogx(n + 1) - kernels.fixed_xlogx(n)
    assert topic_costs(counts).tolist() == [int(expected), 0]
