"""Penalty and number of topics are found where there is a truth, and chosen by a stated rule where there is none."""

import numpy as np
import pytest

from crisptopics import Corpus, CrispTopics, datasets, load
from crisptopics.blocks import Workers
from crisptopics.choose import PRICE, choose, climb, topics_wanted


@pytest.fixture(scope="module")
def drawn():
    return datasets.synth_a(1000, random_state=7)


def test_the_true_number_of_topics_is_found(drawn):
    model = CrispTopics("auto", random_state=0).fit(drawn.counts)
    assert model.n_components_ == 20 == len(model.components_)
    assert 8 < model.penalty_ < 20
    best = max(model.choice_, key=lambda candidate: candidate.icl)
    assert best.n_components == 20
    seconds = [candidate.seconds for candidate in model.choice_]
    assert seconds == sorted(seconds)
    assert {candidate.n_components for candidate in model.choice_} > {20}


def test_one_of_a_list_is_chosen(drawn):
    model = CrispTopics([5, 20, 40], penalty=12.0, random_state=1).fit(drawn.counts)
    assert (model.n_components_, model.penalty_) == (20, 12.0)
    assert [candidate.n_components for candidate in model.choice_] == [5, 20, 40]


def test_the_choice_is_the_same_at_any_number_of_threads(drawn):
    tried = [
        [
            (tried.penalty, tried.icl)
            for tried in CrispTopics(5, random_state=2, n_jobs=n_jobs).fit(drawn.counts).choice_
        ]
        for n_jobs in (1, 3)
    ]
    assert tried[0] == tried[1]


def test_a_number_of_topics_is_judged_by_held_out_words(drawn):
    model = CrispTopics([10, 20, 30], penalty=12.0, random_state=1).fit(drawn.counts)
    completions = {tried.n_components: tried.completion for tried in model.choice_}
    assert completions[20] > completions[10] + 0.1
    assert abs(completions[30] - completions[20]) < 30 * PRICE
    assert all(tried.completion is None for tried in CrispTopics(10, random_state=1).fit(drawn.counts).choice_)


def test_documents_that_share_no_word_with_others_can_be_judged():
    model = CrispTopics([1, 2], penalty=1.0, random_state=0).fit(np.eye(60, dtype=int))
    assert all(np.isfinite(tried.completion) for tried in model.choice_)


def test_a_given_number_of_topics_is_kept_where_documents_are_few():
    counts = np.zeros((60, 3), dtype=int)
    counts[np.arange(60), np.arange(60) % 3] = 1
    assert CrispTopics(60, random_state=0).fit(counts).n_components_ == 60


def test_what_was_tried_is_saved(drawn, tmp_path):
    model = CrispTopics([10, 20], random_state=1).fit(drawn.counts)
    model.save(tmp_path / "m.crisp")
    assert load(tmp_path / "m.crisp").choice_ == model.choice_


def test_given_values_are_not_chosen(drawn):
    model = CrispTopics(5, penalty=9.0, random_state=0).fit(drawn.counts)
    assert (model.choice_, model.penalty_, model.n_components_) == ([], 9.0, 5)
    assert -9.0 < model.icl_ < -5.0


@pytest.mark.parametrize("stop", ["callback", "interrupted"])
@pytest.mark.parametrize("last", [1, 4, 30])
def test_a_choice_can_be_stopped_and_leaves_a_usable_model(drawn, stop, last):
    def end(record):
        seen.append(record)
        if len(seen) == last and stop == "interrupted":
            raise KeyboardInterrupt
        return len(seen) == last

    seen = []
    model = CrispTopics("auto", random_state=0, callback=end).fit(drawn.counts)
    assert (model.stop_reason_, model.history_) == (stop, [])
    assert model.topic_word_counts_.sum() == drawn.counts.sum()
    assert model.transform(drawn.counts).sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("counts", [[[5, 1, 2, 7]], [[4], [2]], np.tile([1, 0, 2], (30, 1)), [[1, 0], [0, 1]]])
@pytest.mark.parametrize("n_components", ["auto", 1, [1, 2]])
def test_odd_corpora_end_well(counts, n_components):
    model = CrispTopics(n_components, random_state=0).fit(counts)
    assert model.stop_reason_ == "converged"
    assert model.topic_word_counts_.sum() == np.sum(counts)


def test_short_documents_need_not_have_two_topics():
    assert topics_wanted(Corpus.from_counts([[10, 10], [0, 0], [5, 15]])) == pytest.approx(1.04)
    assert topics_wanted(Corpus.from_counts([[500, 700]])) == 2.0


@pytest.mark.parametrize(
    ("top", "first", "most"), [(37, 20, 500), (1, 20, 500), (500, 20, 500), (3, 1, 3), (20, 20, 20)]
)
def test_climbing_finds_the_top_of_a_hill(top, first, most):
    asked = []

    def value(n):
        asked.append(n)
        return -abs(n - top)

    assert climb(value, first, most) == top
    assert min(asked) >= 1
    assert max(asked) <= most


def test_a_seed_gives_the_same_choice(drawn):
    corpus = Corpus.from_counts(drawn.counts)
    with Workers(2) as workers:
        one, two = (choose(corpus, [20], None, 5, workers, lambda _: None) for _ in range(2))
    assert (one.n_topics, one.penalty) == (two.n_topics, two.penalty)
