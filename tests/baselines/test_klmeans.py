"""KL k-means: the divergence by hand, seeding, empty clusters, and an inertia that falls."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from planted import N_TOPICS, planted

from crisptopics import Corpus
from crisptopics.baselines import KLMeans
from crisptopics.baselines.klmeans import _Clustering
from crisptopics.blocks import Workers


def test_hand_case():
    counts = np.array([[3, 1, 0], [1, 3, 0], [0, 0, 4], [0, 0, 0]])
    model = KLMeans(2, smoothing=1e-9, n_init=5, random_state=0).fit(counts)
    first = model.labels_[0]
    assert model.labels_.tolist() == [first, first, 1 - first, -1]
    assert_allclose(model.components_[first], [0.5, 0.5, 0.0], atol=1e-8)
    # Twice 4 tokens * KL((3/4, 1/4) || (1/2, 1/2)); the third document is its cluster's mean.
    assert model.inertia_ == pytest.approx(8 * (0.75 * np.log(1.5) + 0.25 * np.log(0.5)), rel=1e-6)


def test_planted_clusters_are_found():
    model = KLMeans(N_TOPICS, random_state=0).fit(planted())
    assert len(set(model.labels_[:N_TOPICS])) == N_TOPICS
    assert_array_equal(model.labels_, np.tile(model.labels_[:N_TOPICS], 100))


def test_inertia_falls_with_more_iterations_and_more_starts():
    counts = np.random.RandomState(0).poisson(1.0, size=(300, 20))
    by_iterations = [KLMeans(8, max_iter=n, tol=0.0, random_state=0).fit(counts).inertia_ for n in (1, 2, 4, 8, 100)]
    assert np.diff(by_iterations).max() <= 0.01 * by_iterations[-1]  # smoothing may cost a little
    assert by_iterations[-1] < by_iterations[0]
    by_starts = [KLMeans(8, n_init=n, random_state=0).fit(counts).inertia_ for n in (1, 3, 9)]
    assert np.diff(by_starts).max() <= 0


def test_predict_of_the_training_documents_is_labels():
    counts = np.random.RandomState(1).poisson(0.5, size=(200, 15))
    counts[:, 4] = 0
    model = KLMeans(5, random_state=0).fit(counts)
    assert_array_equal(model.predict(counts), model.labels_)
    assert_array_equal(model.transform(counts).argmax(axis=1)[model.labels_ >= 0], model.labels_[model.labels_ >= 0])
    assert_array_equal(model.transform(counts).sum(axis=1), model.labels_ >= 0)


def test_unseen_words_do_not_count():
    counts = planted()
    counts[:, 29] = 0
    model = KLMeans(N_TOPICS, random_state=0).fit(counts)
    new = np.zeros((2, 30), dtype=int)
    new[:, 29] = 1000
    new[0, 3] = 1
    assert model.predict(new).tolist() == [model.labels_[0], -1]
    assert_array_equal(model.transform(new)[1], 0.0)


def clustering(counts, n_clusters, workers):
    return _Clustering(Corpus.from_counts(counts), n_clusters, 0.01, workers)


def test_an_empty_cluster_gets_the_worst_document():
    with Workers(1) as workers:
        problem = clustering([[1, 0], [0, 1], [1, 1], [0, 0]], 3, workers)
    labels = problem.fill_empty(np.array([0, 0, 1, -1]), np.array([0.5, 2.0, 9.0, 0.0]))
    assert labels.tolist() == [0, 2, 1, -1]  # document 2 is worse, but alone in its cluster


def test_seeds_are_different_documents():
    counts = np.array([[4, 0, 0]] * 50 + [[0, 4, 0], [0, 0, 4]])
    with Workers(1) as workers:
        problem = clustering(counts, 3, workers)
        for seed in range(10):
            assert set(problem.seeds(np.random.RandomState(seed)).argmax(axis=1)) == {0, 1, 2}


def test_as_many_clusters_as_documents_even_when_they_repeat():
    model = KLMeans(3, random_state=0).fit([[2, 1], [2, 1], [2, 1], [0, 0]])
    assert_allclose(model.components_.sum(axis=1), 1.0, rtol=1e-12)
    assert model.labels_[3] == -1


def test_more_clusters_than_documents_with_words_are_refused():
    with pytest.raises(ValueError, match="n_components=3 is more than the 2 documents with words of X"):
        KLMeans(3).fit([[2, 1], [4, 5], [0, 0]])
