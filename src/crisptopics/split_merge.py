"""Merge two whole topics, split one in two: the moves that no sequence of single documents' moves replaces.

All changes of the objective are exact and in fixed point, so the same moves are chosen on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics import kernels
from crisptopics.corpus import Corpus
from crisptopics.solve import State
from crisptopics.start import mix

IntArray = npt.NDArray[np.int64]
TopicArray = npt.NDArray[np.uint16]

NEIGHBOURS = 8  # topics that a topic may be merged with: those most alike
PAIRS_AT_ONCE = 256
LIKENESS_UNIT = 1 << 12  # square roots of shares of words as whole numbers, whose sums have no rounding


@dataclass(frozen=True, eq=False)
class Merges:
    """Pairs of topics, and what the objective changes by when each is merged; the cheapest first.

    Parameters
    ----------
    kept
        The topic that both become.
    freed
        The topic that becomes empty.
    changes
        Change of the objective in fixed point.
    """

    kept: IntArray
    freed: IntArray
    changes: IntArray


@dataclass(frozen=True, eq=False)
class Splits:
    """How each topic would best be split in two.

    Parameters
    ----------
    changes
        Change of the objective by splitting each topic, in fixed point.
    second
        Whether each entry of the corpus would go to the second part of its topic.
    """

    changes: IntArray
    second: npt.NDArray[np.bool_]


def merges(state: State) -> Merges:
    """Return what merging costs, for each topic with those most like it.

    Merging a and b changes the objective by cost(a + b) - cost(a) - cost(b) - penalty x documents that use both, where
    a topic's cost is N log N - sum of n log n.
    """
    topic_words = state.counts.to_matrix()
    kept, freed = _candidates(topic_words)
    totals, costs = state.counts.totals, topic_costs(topic_words)
    uses = sparse.csc_array(_document_topics(state))
    changes = np.empty(len(kept), dtype=np.int64)
    for first in range(0, len(kept), PAIRS_AT_ONCE):
        some = slice(first, first + PAIRS_AT_ONCE)
        a, b = kept[some], freed[some]
        both = np.asarray(uses[:, a].multiply(uses[:, b]).sum(axis=0))
        merged = topic_costs(sparse.csr_array(topic_words[a] + topic_words[b]), totals[a] + totals[b])
        changes[some] = merged - costs[a] - costs[b] - state.penalty * both
    order = np.argsort(changes, kind="stable")
    return Merges(kept[order], freed[order], changes[order])


def splits(state: State, seed: int, stream: int, improve: Callable[[State], None]) -> Splits:
    """Return how each topic would be split, all topics at once.

    The words of one document in one topic become a document of their own, with a vocabulary for each topic; these
    documents start at random in one of the topic's two parts, and `improve` sorts them.
    """
    parts, order, parents = topic_parts(state)
    present, mothers = np.unique(parents, return_inverse=True)  # without halves of empty topics for others to go to
    coins = mix(seed, stream, np.arange(parts.n_documents, dtype=np.uint64)) >> np.uint64(63)
    sides = np.repeat(2 * mothers + coins.astype(np.int64), np.diff(parts.indptr)).astype(np.uint16)
    penalty = state.penalty / kernels.UNIT
    halves = State.of(parts, sides, 2 * len(present), penalty, state.workers)
    improve(halves)
    # Refine may have moved words into an empty half of another topic; they stay in the first half of their own.
    own = np.repeat(mothers, np.diff(parts.indptr))
    halves.assign(np.where(halves.topics >> 1 != own, 2 * own, halves.topics).astype(np.uint16))
    costs = topic_costs(state.counts.to_matrix())
    used = np.diff(_document_topics(halves).indptr)
    twice = np.bincount(parents[used > 1], minlength=state.counts.n_topics)
    changes = state.penalty * twice - costs
    changes[present] += topic_costs(halves.counts.to_matrix()).reshape(-1, 2).sum(axis=1)
    second = np.empty(len(order), dtype=np.bool_)
    second[order] = halves.topics & 1
    return Splits(changes, second)


def exchange(merging: Merges, splitting: Splits, least: float) -> list[tuple[int, int, int]]:
    """Return (kept, freed, split) topics, all different, whose merge and split lower the objective by over `least`."""
    taken: set[int] = set()
    by_gain = np.argsort(splitting.changes, kind="stable").tolist()
    chosen = []
    for a, b, cost in zip(merging.kept.tolist(), merging.freed.tolist(), merging.changes.tolist(), strict=True):
        if a in taken or b in taken:
            continue
        split = next((topic for topic in by_gain if topic not in taken and topic not in (a, b)), None)
        if split is None:
            break
        if cost + int(splitting.changes[split]) < -least:
            chosen.append((a, b, split))
            taken |= {a, b, split}
    return chosen


def disjoint(merging: Merges) -> Merges:
    """Return the cheapest merges that share no topic."""
    taken: set[int] = set()
    places = []
    for place, topics in enumerate(zip(merging.kept.tolist(), merging.freed.tolist(), strict=True)):
        if taken.isdisjoint(topics):
            taken.update(topics)
            places.append(place)
    return Merges(merging.kept[places], merging.freed[places], merging.changes[places])


def merge(topics: TopicArray, kept: IntArray, freed: IntArray) -> TopicArray:
    """Return the topics with each freed one in the one that is kept.

    Examples
    --------
    >>> merge(np.array([0, 1, 2, 1], dtype=np.uint16), np.array([0]), np.array([1])).tolist()
    [0, 0, 2, 0]
    """
    names = np.arange(max(int(topics.max(initial=0)), int(np.max(freed, initial=0))) + 1, dtype=np.uint16)
    names[freed] = kept
    return names[topics]


def split(topics: TopicArray, halved: IntArray, new: IntArray, second: npt.NDArray[np.bool_]) -> TopicArray:
    """Return the topics with the second half of each halved topic in a new one.

    Examples
    --------
    >>> second = np.array([False, True, True])
    >>> split(np.array([0, 0, 2], dtype=np.uint16), np.array([0]), np.array([1]), second).tolist()
    [0, 1, 2]
    """
    names = np.arange(max(int(topics.max(initial=0)), int(np.max(halved, initial=0))) + 1, dtype=np.uint16)
    names[halved] = new
    return np.where(second, names[topics], topics)


def topic_costs(topic_words: sparse.csr_array, totals: IntArray | None = None) -> IntArray:
    """Return N log N - sum of n log n of each topic, in fixed point.

    Examples
    --------
    >>> topic_costs(sparse.csr_array([[3, 0], [0, 0]]))
    array([0, 0])
    """
    totals = np.asarray(topic_words.sum(axis=1), dtype=np.int64) if totals is None else totals
    sums = np.concatenate([[0], np.cumsum(xlogx(topic_words.data))])
    result: IntArray = xlogx(totals) - np.diff(sums[topic_words.indptr])
    return result


def xlogx(n: IntArray) -> IntArray:
    """Return n log n in fixed point, of small numbers from the table.

    Examples
    --------
    >>> xlogx(np.array([0, 1, 100_000])).tolist() == kernels.fixed_xlogx([0, 1, 100_000]).tolist()
    True
    """
    table = kernels.xlogx_table()
    small = n < len(table)
    result: IntArray = table[np.where(small, n, 0)]
    result[~small] = kernels.fixed_xlogx(n[~small])
    return result


def topic_parts(state: State) -> tuple[Corpus, IntArray, IntArray]:
    """Return a corpus with a document for each (document, topic) pair in use and a vocabulary for each topic.

    Beside it, which entry of the old corpus each of its entries is, and the topic of each of its documents.
    """
    corpus, n_topics, topics = state.corpus, state.counts.n_topics, state.topics.astype(np.int64)
    documents = corpus.document_of
    keys = documents * n_topics + topics
    order = np.argsort(keys, kind="stable")  # words keep their order inside a pair
    pairs, starts = np.unique(keys[order], return_index=True)
    names, words = np.unique(topics[order] * corpus.n_words + corpus.words[order], return_inverse=True)
    parts = Corpus(np.append(starts, len(keys)), words, corpus.counts[order], max(1, len(names)))
    return parts, order, pairs % n_topics


def _candidates(topic_words: sparse.csr_array) -> tuple[IntArray, IntArray]:
    """Return pairs of topics: each topic and those most like it, by the overlap of their words."""
    n = min(NEIGHBOURS, topic_words.shape[0] - 1)
    totals = np.maximum(1, np.asarray(topic_words.sum(axis=1)))
    roots = topic_words.astype(np.float64)
    roots.data = np.sqrt(roots.data / np.repeat(totals, np.diff(roots.indptr)))
    whole = roots._with_data(np.rint(roots.data * LIKENESS_UNIT).astype(np.int64))
    alike = (whole @ whole.T).toarray()
    np.fill_diagonal(alike, -1)
    nearest = np.argsort(-alike, axis=1, kind="stable")[:, :n]
    pairs = np.stack([np.repeat(np.arange(len(nearest)), n), nearest.ravel()], axis=1)
    kept, freed = np.unique(np.sort(pairs, axis=1), axis=0).T
    return kept, freed


def _document_topics(state: State) -> sparse.csr_array:
    """Return a matrix with a one for each topic that a document uses."""
    corpus = state.corpus
    documents = corpus.document_of
    shape = corpus.n_documents, state.counts.n_topics
    keys = np.unique(documents * shape[1] + state.topics)
    ones = np.ones(len(keys), dtype=np.int64)
    return sparse.csr_array((ones, (keys // shape[1], keys % shape[1])), shape=shape)
