"""The search: near the optimum from any seed, the same bits everywhere, and a good end for odd corpora."""

import numpy as np
import pytest

from crisptopics import Corpus, CrispTopics, datasets, kernels, metrics, search
from crisptopics.blocks import Workers
from crisptopics.search import Search, named_topics, sample_size, take
from crisptopics.solve import solve
from crisptopics.start import random_topics
from crisptopics.stop import Stopping


def entry_truth(drawn):
    """The commonest true topic of the tokens of each entry."""
    corpus, n_topics = Corpus.from_counts(drawn.counts), len(drawn.psi)
    tokens = np.repeat(np.arange(len(corpus)), drawn.doc_length) * corpus.n_words + drawn.words
    entries = np.repeat(np.arange(len(corpus)), np.diff(corpus.indptr)) * corpus.n_words + corpus.words
    counts = np.zeros((corpus.n_entries, n_topics), dtype=np.int64)
    np.add.at(counts, (np.searchsorted(entries, tokens), drawn.topics), 1)
    return counts.argmax(axis=1).astype(np.uint16)


@pytest.mark.parametrize("make", [datasets.synth_a, datasets.synth_b])
def test_it_ends_as_low_as_from_the_truth(make):
    for seed in (0, 1):
        drawn = make(2000, random_state=seed)
        n_topics = len(drawn.psi)
        model = CrispTopics(n_topics, penalty=12.0, random_state=seed).fit(drawn.counts)
        with Workers(2) as workers:
            corpus = Corpus.from_counts(drawn.counts)
            best = solve(corpus, entry_truth(drawn), n_topics, 12.0, "word+refine", Stopping(30, 1e-4), 0, workers)
        assert model.objective_ < 1.002 * best.objective
        random = CrispTopics(n_topics, penalty=12.0, random_state=seed, init="random").fit(drawn.counts)
        assert model.objective_ < random.objective_


def test_the_whole_recipe_on_a_growing_sample(monkeypatch):
    """A part is settled between sample and all documents where these are many times more."""
    monkeypatch.setattr(search, "SAMPLE_ENTRIES", (10_000, 10_000))
    monkeypatch.setattr(search, "SAMPLE_ENTRIES_PER_TOPIC", 100)
    drawn = datasets.synth_a(2500, random_state=3)
    records = []
    model = CrispTopics(20, penalty=12.0, random_state=0, callback=lambda record: records.append(record) and None)
    model.fit(drawn.counts)
    assert len({round(record.objective, -6) for record in records}) > 2
    assert metrics.nmi(drawn.topics, drawn.token_topics(model.assignments_)) > 0.75


def test_same_bits_at_any_number_of_threads_and_instruction_set():
    counts = datasets.synth_a(400, random_state=1).counts
    expected = CrispTopics(10, penalty=8.0, random_state=4, n_jobs=1).fit(counts)
    for n_jobs in (2, 7):
        assert CrispTopics(10, penalty=8.0, random_state=4, n_jobs=n_jobs).fit(counts).objective_ == expected.objective_
    for name in kernels.instruction_sets():
        kernels.choose_instruction_set(name)
        try:
            model = CrispTopics(10, penalty=8.0, random_state=4).fit(counts)
        finally:
            kernels.choose_instruction_set(kernels.instruction_sets()[-1])
        np.testing.assert_array_equal(model.topic_word_counts_, expected.topic_word_counts_)


def test_history_never_rises_and_ends_with_the_objective():
    for seed in range(3):
        model = CrispTopics(5, penalty=6.0, random_state=seed, tol=0.0).fit(
            datasets.synth_a(200, random_state=seed).counts
        )
        objectives = [record.objective for record in model.history_]
        assert np.diff(objectives).max(initial=0.0) <= 0.0
        assert objectives[-1] == model.objective_


@pytest.mark.parametrize(
    "counts",
    [
        np.tile([3, 0, 2, 1], (50, 1)),  # identical documents
        [[5, 1, 2, 7]],  # one document
        [[4], [2], [9]],  # one word
        np.eye(6, dtype=int) * 4,  # documents without a common word
    ],
)
@pytest.mark.parametrize("penalty", [1e-9, 2.0, 1e9])
def test_odd_corpora_end_well(counts, penalty):
    n_tokens = int(np.sum(counts))
    for n_topics in (1, 2, min(9, n_tokens)):
        model = CrispTopics(n_topics, penalty=penalty, random_state=0).fit(counts)
        assert model.stop_reason_ == "converged"
        assert model.topic_word_counts_.sum() == n_tokens
        assert model.transform(counts).sum(axis=1) == pytest.approx(1)
        # One topic for all is what any fit may have.
        assert model.objective_ <= CrispTopics(1, penalty=penalty).fit(counts).objective_ + 1e-3 * n_tokens


def test_a_high_penalty_leaves_one_topic_a_document():
    counts = datasets.synth_a(200, random_state=2).counts
    model = CrispTopics(5, penalty=1e9, random_state=0).fit(counts)
    assert model.history_[-1].topics_per_document == 1.0


def test_seed_words_name_topics():
    corpus = Corpus.from_counts([[2, 3, 0], [0, 1, 0], [0, 0, 4]])
    topics = np.array([2, 2, 2, 0], dtype=np.uint16)
    assert named_topics(corpus, topics, 3, {0: [0], 2: [2]}).tolist() == [0, 0, 0, 2]
    assert named_topics(corpus, topics, 3, {}).tolist() == topics.tolist()


def test_a_sample_is_a_part_of_the_documents():
    corpus = Corpus.from_counts(datasets.synth_a(50, random_state=0).counts)
    topics = random_topics(corpus.n_entries, 3, 0)
    part, of_part = take(corpus, topics, np.array([7, 3]))
    np.testing.assert_array_equal(part.counts_matrix().toarray(), corpus.select([3, 7]).counts_matrix().toarray())
    ends = corpus.indptr
    assert of_part.tolist() == [*topics[ends[3] : ends[4]], *topics[ends[7] : ends[8]]]
    assert take(corpus, topics, np.arange(50))[0] is corpus
    assert sample_size(np.full(1_000_000, 100), 20) == 6000
    assert sample_size(np.full(1_000_000, 100), 1000) == 50_000


def test_too_many_topics_to_split_are_left_as_they_are():
    corpus = Corpus.from_counts([[3, 2], [1, 4]])
    with Workers(1) as workers:
        topics = Search(1.0, 0, workers).run(corpus, np.array([0, 1, 2, 3], np.uint16), kernels.MAX_TOPICS)
    assert topics.shape == (4,)
