"""Anchor words: co-occurrence, the choice of anchors, and both recoveries."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from crisptopics import Corpus, datasets, metrics
from crisptopics.baselines import AnchorTopics, anchor
from crisptopics.baselines.anchor import CoOccurrence, candidate_words, farthest_points, minimise_on_simplex
from crisptopics.blocks import Workers

RANDOM_COUNTS = np.random.RandomState(0).poisson(0.7, size=(40, 12))


def pairs_one_by_one(counts):
    """Q by its definition: the share of each ordered pair of two tokens, averaged over the documents."""
    total = np.zeros((counts.shape[1],) * 2)
    for row in counts:
        n = row.sum()
        if n > 1:
            total += (np.outer(row, row) - np.diag(row)) / (n * (n - 1))
    return total


def test_co_occurrence_is_that_of_the_definition():
    counts = np.vstack([RANDOM_COUNTS, np.eye(12, dtype=int)[:2], np.zeros((1, 12), dtype=int)])
    expected = pairs_one_by_one(counts)
    pairs = CoOccurrence.of(Corpus.from_counts(counts))
    assert_allclose(pairs.frequencies, expected.sum(axis=1), rtol=1e-12)
    normalised = expected / expected.sum(axis=1, keepdims=True)
    assert_allclose(pairs.rows(np.arange(12)), normalised, rtol=0, atol=1e-14)
    columns = np.random.RandomState(1).rand(12, 5)
    assert_allclose(pairs.times(columns), normalised @ columns, rtol=1e-12)
    assert_allclose(pairs.times(columns, np.array([3, 1])), (normalised @ columns)[[3, 1]], rtol=1e-12)


def test_narrow_runs_of_columns_give_the_same_products(monkeypatch):
    pairs, columns = CoOccurrence.of(Corpus.from_counts(RANDOM_COUNTS)), np.random.RandomState(1).rand(12, 5)
    expected = pairs.times(columns)
    monkeypatch.setattr(anchor, "CELLS_PER_BLOCK", 80)
    assert_allclose(pairs.times(columns), expected, rtol=1e-13)


def test_farthest_points_are_the_corners():
    corners = np.eye(4)[:3] * [3.0, 2.0, 1.0, 0.0]
    mixtures = np.random.RandomState(0).dirichlet(np.ones(3), size=50) @ corners
    found = farthest_points(np.vstack([mixtures, corners]), 3)
    assert sorted(found.tolist()) == [50, 51, 52]


def test_farthest_points_never_repeats_a_point():
    assert sorted(farthest_points(np.ones((4, 2)), 4).tolist()) == [0, 1, 2, 3]


def test_hand_case_of_separable_topics():
    # Word 0 is in topic 0 only, word 1 in topic 1 only; word 2 is shared, as often beside the one as the other.
    model = AnchorTopics(2, tol=1e-8, random_state=0).fit([[2, 0, 1], [2, 0, 1], [0, 2, 1], [0, 2, 1]])
    assert sorted(model.anchors_.tolist()) == [0, 1]
    assert_allclose(model.components_[model.anchors_.argsort()], [[2 / 3, 0, 1 / 3], [0, 2 / 3, 1 / 3]], atol=1e-3)


@pytest.mark.parametrize("recover", [anchor.recover_l2, anchor.recover_kl])
def test_recoveries_end_at_the_minimum(recover, monkeypatch):
    monkeypatch.setattr(anchor, "CELLS_PER_BLOCK", 60)
    pairs, chosen = CoOccurrence.of(Corpus.from_counts(RANDOM_COUNTS)), np.array([2, 5, 7])
    with Workers(2) as workers:
        mixtures, _ = recover(pairs, chosen, 20_000, 1e-7, workers)
    rows, anchors = pairs.rows(np.arange(12)), pairs.rows(chosen)

    def loss(weights):
        mixed = weights @ anchors
        if recover is anchor.recover_l2:
            return ((rows - mixed) ** 2).sum(axis=1)
        return -(rows * np.log(np.maximum(mixed, 1e-300))).sum(axis=1)

    assert_allclose(mixtures.sum(axis=1), 1.0, rtol=1e-12)
    assert_allclose(mixtures[chosen], np.eye(3), atol=1e-3)
    best = loss(mixtures)
    for weights in np.random.RandomState(2).dirichlet(np.full(3, 0.5), size=500):
        assert (loss(0.9 * mixtures + 0.1 * weights) - best).min() > -2e-7


def test_minimisation_stops_at_max_iter_and_never_rises():
    targets = np.random.RandomState(0).dirichlet(np.ones(5), size=20)

    def distance(rows, weights):
        return ((weights - targets[rows]) ** 2).sum(axis=1), 2 * (weights - targets[rows])

    steps = [minimise_on_simplex(distance, 20, 5, n, 0.0) for n in (1, 2, 5, 50)]
    assert [n for _, n in steps] == [1, 2, 5, 50]
    values = [distance(slice(None), weights)[0] for weights, _ in steps]
    assert np.diff(values, axis=0).max() <= 0
    assert values[-1].max() < 1e-4


def test_random_projection_finds_nearly_the_same_topics():
    data = datasets.make_lda_corpus(5000, 5, 400, 100, 0.05, 0.05, random_state=0)
    exact, projected, again = (
        AnchorTopics(5, n_projections=n, random_state=1).fit(data.counts) for n in (400, 200, 200)
    )
    assert metrics.topic_l1(exact.components_, data.psi) < 0.1
    assert metrics.topic_l1(projected.components_, data.psi) < 0.1
    assert_array_equal(projected.components_, again.components_)


def test_candidates_by_documents():
    corpus = Corpus.from_counts([[1, 1, 0, 0]] * 6 + [[1, 0, 1, 0]] * 2)
    frequencies = CoOccurrence.of(corpus).frequencies
    assert candidate_words(corpus, frequencies, 1, 2).tolist() == [0, 1, 2]
    assert candidate_words(corpus, frequencies, 2, None).tolist() == [0, 1]
    assert candidate_words(corpus, frequencies, 3, None).tolist() == [0, 1, 2]  # fewer documents than 5 will do


def test_too_few_candidates_are_refused():
    counts = [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    with pytest.raises(ValueError, match="n_components=3 is more than the 2 words of X in documents of two or more"):
        AnchorTopics(3).fit(counts)
    with pytest.raises(
        ValueError, match=r"the 0 words of X in at least 9 documents.*; ask .* or a lower min_documents"
    ):
        AnchorTopics(2, min_documents=9).fit(counts)


def test_transform_gives_the_shares_of_mixed_documents():
    model = AnchorTopics(2, alpha=0.0, random_state=0).fit([[600, 200, 0, 0]] * 5 + [[0, 0, 400, 400]] * 5)
    assert_allclose(np.sort(model.transform([[3, 1, 2, 10]])), [[0.25, 0.75]], atol=1e-2)
