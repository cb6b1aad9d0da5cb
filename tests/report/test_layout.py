"""The places of topics on the map."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisptopics.report.layout import topic_map


def affinity_of(topics):
    roots = np.sqrt(topics / topics.sum(axis=1, keepdims=True))
    return np.clip(roots @ roots.T, 0, 1)


@given(seed=st.integers(0, 2**32 - 1), n_topics=st.integers(1, 60), alike=st.booleans())
def test_circles_are_inside_do_not_overlap_and_have_their_areas(seed, n_topics, alike):
    random = np.random.default_rng(seed)
    topics = random.dirichlet(np.full(40, 0.1), size=n_topics) + 1e-9
    if alike:
        topics[:] = topics[0]
    shares = random.dirichlet(np.full(n_topics, 0.7))
    places, radii = topic_map(affinity_of(topics), shares)
    assert np.isfinite(places).all()
    assert (np.abs(places) + radii[:, np.newaxis]).max() <= 1 + 1e-9
    shares = np.maximum(shares, 1e-4)
    np.testing.assert_allclose(radii**2 / radii.max() ** 2, shares / shares.max(), rtol=1e-9)
    distances = np.sqrt(((places[:, np.newaxis] - places) ** 2).sum(axis=2))
    overlap = (radii[:, np.newaxis] + radii - distances)[~np.eye(n_topics, dtype=bool)]
    assert n_topics == 1 or overlap.max() < 0.1 * radii.max()


def test_like_topics_stand_near_each_other():
    themes = np.kron(np.eye(3), np.ones(5)) + 0.01
    topics = np.repeat(themes, 4, axis=0) + np.random.default_rng(8).random((12, 15)) * 0.02
    places, _ = topic_map(affinity_of(topics), np.full(12, 1 / 12))
    distances = np.sqrt(((places[:, np.newaxis] - places) ** 2).sum(axis=2))
    same = np.kron(np.eye(3), np.ones((4, 4))).astype(bool)
    assert np.median(distances[same & ~np.eye(12, dtype=bool)]) < 0.6 * np.median(distances[~same])


@pytest.mark.parametrize("n_topics", [1, 2, 7])
def test_the_same_places_every_time(n_topics):
    topics = np.random.default_rng(n_topics).dirichlet(np.full(9, 0.3), size=n_topics) + 1e-9
    shares = np.full(n_topics, 1 / n_topics)
    for one, other in zip(topic_map(affinity_of(topics), shares), topic_map(affinity_of(topics), shares), strict=True):
        assert (one == other).all()
