"""Where the topics stand on the map: near each other where they share words, and without overlapping."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh

FILL = 0.34  # part of the map that the circles cover together
GAP = 0.45  # between circles, divided by the square root of their number
LARGEST = 0.4  # radius, however few topics there are
ROUNDS = 300
STEPS = 10_000_000  # of pairs of circles in all rounds, which bounds the time for many topics


def topic_map(
    affinity: npt.NDArray[np.float64], shares: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Place topics as circles in the square from -1 to 1.

    Classical scaling of the Hellinger distances, sqrt(1 - affinity), which is exact for them; then circles that
    overlap push each other apart. Nothing is random, and the sign of each axis is fixed.

    Parameters
    ----------
    affinity
        Overlap of each two topics, from 0 to 1.
    shares
        Each topic's share of the tokens, which its area is proportional to.

    Returns
    -------
    Positions (K, 2) and radii (K,).

    Examples
    --------
    >>> places, radii = topic_map(np.eye(3), np.array([0.5, 0.25, 0.25]))
    >>> bool(np.abs(places).max() <= 1), bool(radii[0] > radii[1])
    (True, True)
    """
    shares = np.maximum(shares, 1e-4)
    radii = np.sqrt(4.0 * FILL * shares / shares.sum() / np.pi)
    places = _push_apart(_classical_scaling(affinity), radii)
    centre = (np.max(places + radii[:, None], axis=0) + np.min(places - radii[:, None], axis=0)) / 2
    places = places - centre
    extent = max(float(np.max(np.abs(places) + radii[:, None])), float(radii.max()) / LARGEST)
    return places / extent, radii / extent


def _classical_scaling(affinity: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Find two coordinates; each axis turned so that its largest coordinate is positive."""
    centred = affinity - affinity.mean(axis=0) - affinity.mean(axis=1)[:, None] + affinity.mean()
    n_topics = len(affinity)
    if n_topics == 1:
        return np.zeros((1, 2))
    values, vectors = eigh(centred / 2, subset_by_index=[n_topics - 2, n_topics - 1])
    places = vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0.0))
    places *= np.where(places[np.abs(places).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    return np.asarray(_spread(places))


def _spread(places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Stretch each axis halfway to equal steps, for a few far topics would press all others together."""
    ranks = np.argsort(np.argsort(places, axis=0, kind="stable"), axis=0, kind="stable")
    steps = 2.0 * ranks / (len(places) - 1) - 1.0
    turns = np.arange(len(places)) * np.pi * (3.0 - np.sqrt(5.0))
    aside = 0.05 * np.stack([np.cos(turns), np.sin(turns)], axis=1)  # what stands in one line could not give way
    return np.asarray((places / np.maximum(np.abs(places).max(axis=0), 1e-12) + steps) / 2 + aside)


def _push_apart(places: npt.NDArray[np.float64], radii: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Move overlapping circles away from each other, round after round, until none overlaps or the rounds are over."""
    places = places.copy()
    room = radii[:, None] + radii + GAP / np.sqrt(len(radii))
    np.fill_diagonal(room, 0.0)
    for _ in range(int(np.clip(STEPS // len(places) ** 2, 20, ROUNDS))):
        apart = places[:, None] - places
        distance = np.sqrt((apart**2).sum(axis=2))
        overlap = np.maximum(room - distance, 0.0)
        if not overlap.any():
            break
        places += 0.5 * (apart * (overlap / np.maximum(distance, 1e-9))[:, :, None]).sum(axis=1)
    return places
