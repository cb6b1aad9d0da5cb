"""Starting topics and document orders, from a counter-based generator.

Every number depends only on the seed, the stream and its own index: whoever computes a part of them, on any machine
and with any version of NumPy, gets the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics.assign import Assigner
from crisptopics.blocks import Workers
from crisptopics.corpus import Corpus
from crisptopics.kernels import NO_TOPIC
from crisptopics.parameters import check_whole

TopicArray = npt.NDArray[np.uint16]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
START, ORDER = 0, 1  # streams: starting topics; document orders, one more for each iteration


def mix(seed: int, stream: int, indices: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return 64 random bits for each index (the finalizer of SplitMix64 over seed, stream and index).

    Examples
    --------
    >>> import numpy as np
    >>> mix(0, 0, np.arange(2, dtype=np.uint64)).tolist() == mix(0, 0, np.arange(5, dtype=np.uint64)).tolist()[:2]
    True
    """
    return _scramble(np.uint64(stream_key(seed, stream)) + indices * GOLDEN)


def stream_key(seed: int, stream: int) -> int:
    """Return where a stream begins; the kernels that draw numbers themselves take it.

    Examples
    --------
    >>> stream_key(0, 1) != stream_key(1, 0)
    True
    """
    return int(_scramble(np.array([seed], dtype=np.uint64) * GOLDEN + np.uint64(stream) + GOLDEN)[0])


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


def starting_topics(
    corpus: Corpus,
    init: Any,
    n_topics: int,
    seed: int,
    seed_columns: Mapping[int, Sequence[int]],
    penalty: float,
    workers: Workers,
) -> TopicArray:
    """Return one topic for each entry: at random (for a search too), by given topics, or as given; then seed words.

    Examples
    --------
    >>> with Workers(1) as workers:
    ...     starting_topics(Corpus.from_counts([[2, 1]]), [1, 0], 2, 0, {}, 10.0, workers)
    array([1, 0], dtype=uint16)
    """
    if isinstance(init, str):
        if init not in ("search", "random"):
            raise ValueError(
                f"init={init!r} is unknown; use 'search', 'random', an array of topics, or a topic for each entry"
            )
        topics = random_topics(corpus.n_entries, n_topics, seed)
    elif sparse.issparse(init) or np.ndim(init) == 1:
        topics = given_topics(corpus, init, n_topics)
    else:
        topics = _topics_by_components(corpus, init, n_topics, seed, penalty, workers)
    for topic, columns in seed_columns.items():
        topics[np.isin(corpus.words, columns)] = topic
    return topics


def given_topics(corpus: Corpus, init: Any, n_topics: int) -> TopicArray:
    """Check one topic for each entry, in a vector or in a sparse matrix of the corpus's structure.

    Examples
    --------
    >>> given_topics(Corpus.from_counts([[2, 1]]), [1, 0], n_topics=2)
    array([1, 0], dtype=uint16)
    """
    if sparse.issparse(init):
        matrix = sparse.csr_array(init, copy=True)
        matrix.sort_indices()
        same = matrix.shape == corpus.shape and np.array_equal(matrix.indptr, corpus.indptr)
        if not (same and np.array_equal(matrix.indices, corpus.words)):
            raise ValueError("init has another structure than X; give a topic for each stored entry of X")
        init = matrix.data
    topics = np.asarray(init)
    if topics.shape != (corpus.n_entries,) or topics.dtype.kind not in "iu":
        raise ValueError(
            f"init has shape {topics.shape} and type {topics.dtype}; X needs {corpus.n_entries} whole numbers"
        )
    if topics.min(initial=0) < 0 or topics.max(initial=0) >= n_topics:
        raise ValueError(f"init has topics from {topics.min()} to {topics.max()}; give 0 to {n_topics - 1}")
    return topics.astype(np.uint16)


def _topics_by_components(
    corpus: Corpus, init: Any, n_topics: int, seed: int, penalty: float, workers: Workers
) -> TopicArray:
    """Assign the documents under given topics; words that none of these has go anywhere."""
    components = np.asarray(init)
    if components.dtype.kind not in "biuf":
        raise ValueError(f"init has the type {components.dtype}; give an array of numbers")
    components = components.astype(np.float64)
    if components.shape != (n_topics, corpus.n_words):
        raise ValueError(f"init has shape {components.shape}; topics for X have shape {(n_topics, corpus.n_words)}")
    peaks = components.max(axis=1, keepdims=True)
    if not (np.isfinite(components).all() and (components >= 0).all() and (peaks > 0).all()):
        raise ValueError("init has a topic with negative, infinite or no weights; give rows of non-negative numbers")
    components /= peaks  # before they are summed, which might overflow
    scaled = np.rint(components / components.sum(axis=1, keepdims=True) * 2.0**40).astype(np.int64)
    assigner = Assigner(sparse.csr_array(scaled), penalty, smoothing=1.0)
    topics = assigner.assign(corpus, workers)
    lost = topics == NO_TOPIC
    topics[lost] = random_topics(corpus.n_entries, n_topics, seed)[lost]
    return topics


def seed_columns(
    seed_words: Mapping[int, Sequence[str]] | None, words: Sequence[str], n_topics: int
) -> dict[int, list[int]]:
    """Return the columns of the seed words of each topic.

    Examples
    --------
    >>> seed_columns({1: ["rain"]}, ["sun", "rain"], n_topics=2)
    {1: [1]}
    """
    if seed_words is None:
        return {}
    lists = seed_words.values() if isinstance(seed_words, Mapping) else [None]
    if not all(isinstance(chosen, Sequence) and not isinstance(chosen, str) for chosen in lists):
        raise ValueError(
            f"seed_words={seed_words!r} is not accepted; give lists of words by topic, {{0: ['sun', 'rain']}}"
        )
    columns = {word: column for column, word in enumerate(words)}
    seeds: dict[int, list[int]] = {}
    for topic, chosen in seed_words.items():
        check_whole("a topic of seed_words", topic, 0, n_topics - 1)
        unknown = [word for word in chosen if word not in columns]
        if unknown:
            raise ValueError(
                f"seed_words of topic {topic}: {unknown[0]!r} is not a column of X, or a seed word already; "
                "correct it or leave it out"
            )
        seeds[int(topic)] = [columns.pop(word) for word in chosen]
    return seeds
