"""Starting topics and document orders, from a counter-based generator.

Every number depends only on the seed, the stream and its own index: whoever computes a part of them, on any machine
and with any version of NumPy, gets the same.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

START, ORDER = 0, 1  # streams: starting topics; document orders, one more for each iteration


def mix(seed: int, stream: int, indices: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return 64 random bits for each index (the finalizer of SplitMix64 over seed, stream and index).

    Examples
    --------
    >>> import numpy as np
    >>> mix(0, 0, np.arange(2, dtype=np.uint64)).tolist() == mix(0, 0, np.arange(5, dtype=np.uint64)).tolist()[:2]
    True
    """
    golden = np.uint64(0x9E3779B97F4A7C15)
    key = _scramble(np.array([seed], dtype=np.uint64) * golden + np.uint64(stream) + golden)
    return _scramble(key + indices * golden)


def _scramble(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def random_topics(n_entries: int, n_topics: int, seed: int) -> npt.NDArray[np.uint16]:
    """Give each entry a topic at random: the paper's start.

    Examples
    --------
    >>> random_topics(1000, 3, seed=0).max()
    np.uint16(2)
    """
    topics = np.empty(n_entries, dtype=np.uint16)
    for first in range(0, n_entries, 1 << 20):
        indices = np.arange(first, min(first + (1 << 20), n_entries), dtype=np.uint64)
        high_bits = mix(seed, START, indices) >> np.uint64(32)
        topics[first : first + len(indices)] = (high_bits * np.uint64(n_topics)) >> np.uint64(32)
    return topics


def random_order(n_documents: int, seed: int, iteration: int) -> npt.NDArray[np.int64]:
    """Return the documents in a random order, another one in each iteration.

    Examples
    --------
    >>> sorted(random_order(4, seed=0, iteration=0).tolist())
    [0, 1, 2, 3]
    """
    return np.argsort(mix(seed, ORDER + iteration, np.arange(n_documents, dtype=np.uint64)), kind="stable")
