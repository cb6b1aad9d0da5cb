"""Starting topics near the optimum: a falling penalty and split-merge of topics on a sample, then all documents.

The paper starts at random and ends in the first valley. Here the landscape is smoothed first: under a high penalty a
document has one topic, and topics find their places as clusters of documents do; then the penalty falls to its value.
What is wrong after that are topics that hold two subjects while others share one. No move of single documents mends
it, so whole topics are merged and split, wherever both together lower the objective.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from crisptopics import kernels
from crisptopics.assign import Assigner
from crisptopics.blocks import Workers
from crisptopics.corpus import Corpus
from crisptopics.details import take_rows
from crisptopics.solve import Iteration, State, improve, iterate, record, refine_step
from crisptopics.split_merge import NEIGHBOURS, Merges, disjoint, exchange, merge, merges, split, splits
from crisptopics.start import random_order, random_topics
from crisptopics.stop import StopReason

IntArray = npt.NDArray[np.int64]
TopicArray = npt.NDArray[np.uint16]
Watch = Callable[[Iteration], object]

# Multiples of the penalty, one iteration of Word+Refine each. Below 1, documents open the topics again that they lost
# under higher penalties; the last iteration closes what does not pay.
CLUSTERING = (16.0, 8.0)
DESCENT = (3.0, 1.0)
SETTLING = (5.0, 0.65, 1.0)
FINISHING = (0.8, 1.0)  # after a settling on a part of the documents
SPLITTING = (4.0, 1.0)
HIGHEST_PENALTY = 1e12

SAMPLE_SHARE = 0.4  # of all entries, within these bounds
SAMPLE_ENTRIES = 200_000, 600_000
SAMPLE_ENTRIES_PER_TOPIC = 5_000
GROWTH = 8  # a part is settled that is so many times the sample, where all documents are more than twice as many still
ROUNDS = 8  # of split-merge, at most
WORTHWHILE = 1e-4  # part of the objective that a merge and a split must lower it by
SMOOTHING = 0.01  # documents outside the sample have words that its topics lack

SAMPLE, SPLIT, STEP = 1 << 33, 1 << 34, 1 << 35  # streams of random numbers


@dataclass(eq=False)
class Search:
    """A search for good topics under a given penalty; its steps share threads, random numbers and an onlooker.

    Parameters
    ----------
    penalty
        Cost of one more topic in a document.
    seed
        Seed of all random choices.
    workers
        Threads.
    seeds
        Columns of words by the number of the topic that shall have them: they start in it, and the topic found that has
        most of them gets the number.
    watch
        Called with a record of each iteration; when it returns something true, the search ends where it is.

    Examples
    --------
    >>> corpus = Corpus.from_counts([[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 5, 1], [0, 0, 2, 4]])
    >>> with Workers(1) as workers:
    ...     topics = Search(1.0, 0, workers).run(corpus, random_topics(corpus.n_entries, 2, 0), 2)
    >>> bool(topics[0] == topics[1] != topics[-1])
    True
    """

    penalty: float
    seed: int
    workers: Workers
    seeds: Mapping[int, Sequence[int]] = field(default_factory=dict)
    watch: Watch = lambda _: None
    n_iterations: int = 0
    stop_reason: StopReason | None = None

    def run(self, corpus: Corpus, start: TopicArray, n_topics: int) -> TopicArray:
        """Return topics of all entries: found on a sample from `start`, spread to all documents and settled there."""
        order = random_order(len(corpus), self.seed, SAMPLE)
        size = sample_size(np.diff(corpus.indptr)[order], n_topics)
        sample, topics = take(corpus, start, order[:size])
        state = State.of(sample, topics, n_topics, self.penalty, self.workers)
        try:
            self.descend(state, CLUSTERING)
            self.rearrange(state, CLUSTERING[-1])
            self.descend(state, DESCENT)
            self.rearrange(state)
            if 2 * GROWTH * size < len(corpus):
                part, _ = take(corpus, start, order[: GROWTH * size])
                state = self.spread(state, part)
                self.descend(state, SETTLING)
                state = self.spread(state, corpus)
                self.descend(state, FINISHING)
            else:
                state = self.spread(state, corpus)
                self.descend(state, SETTLING)
        except Stopped:
            self.stop_reason = "callback"
        except KeyboardInterrupt:
            self.stop_reason = "interrupted"
        return named_topics(corpus, self.spread(state, corpus).topics, n_topics, self.seeds)

    def descend(self, state: State, multiples: Sequence[float]) -> None:
        """Run one iteration of Word+Refine for each multiple of the penalty."""
        for multiple in multiples:
            began, before = time.perf_counter(), state.topics.copy()
            state.penalty = self._fixed(multiple)
            iterate(state, "word+refine", self._next_order(state))
            self._report(state, before, began)

    def rearrange(self, state: State, multiple: float = 1.0) -> None:
        """Merge and split whole topics as long as that lowers the objective at a multiple of the penalty."""
        state.penalty = self._fixed(multiple)
        if 2 * state.counts.n_topics > kernels.MAX_TOPICS:
            return
        few = state.counts.n_topics <= NEIGHBOURS
        for round_ in range(ROUNDS):
            merging = merges(state)
            topics = self.exchanged(state, merging, round_)
            if topics is None and few:  # that leave little to exchange
                topics = self.divided_anew(state, merging, round_)
            if topics is None:
                return
            state.assign(topics)
            for _ in range(2):
                began, before = time.perf_counter(), state.topics.copy()
                improve(state, "word+refine", self._next_order(state), before)
                self._report(state, before, began)

    def exchanged(self, state: State, merging: Merges, round_: int) -> TopicArray | None:
        """Merge two topics and split a third, wherever that pays; None if nowhere."""
        splitting = splits(state, self.seed, SPLIT + 2 * round_, self.sort_halves)
        chosen = np.array(exchange(merging, splitting, WORTHWHILE * state.objective)).T
        if not chosen.size:
            return None
        kept, freed, halved = chosen
        merged = merge(state.topics, kept, freed)
        return split(merged, halved, freed, splitting.second)

    def divided_anew(self, state: State, merging: Merges, round_: int) -> TopicArray | None:
        """Merge two topics and split the union in another way, wherever that pays; None if nowhere."""
        merging = disjoint(merging)
        union = State.of(
            state.corpus,
            merge(state.topics, merging.kept, merging.freed),
            state.counts.n_topics,
            state.penalty / kernels.UNIT,
            self.workers,
        )
        splitting = splits(union, self.seed, SPLIT + 2 * round_ + 1, self.sort_halves)
        pays = merging.changes + splitting.changes[merging.kept] < -WORTHWHILE * state.objective
        if not pays.any():
            return None
        kept, freed = merging.kept[pays], merging.freed[pays]
        merged = merge(state.topics, kept, freed)
        return split(merged, kept, freed, splitting.second)

    def spread(self, state: State, corpus: Corpus) -> State:
        """Return a state of all documents: the rest get topics by a Word pass under the sample's, smoothed."""
        if len(state.corpus) == len(corpus):
            return state
        n_topics = state.counts.n_topics
        state.assign(state.topics)  # an interrupt may have left counts behind that belong to no topics
        topics = Assigner(state.counts.to_matrix(), self.penalty * SETTLING[0], SMOOTHING).assign(corpus, self.workers)
        unseen = topics == kernels.NO_TOPIC
        topics[unseen] = random_topics(corpus.n_entries, n_topics, self.seed)[unseen]
        return State.of(corpus, topics, n_topics, self.penalty, self.workers)

    def sort_halves(self, halves: State) -> None:
        """Refine a state whose documents are parts of one topic each, with two topics to choose from."""
        penalty = halves.penalty
        for multiple in SPLITTING:
            halves.penalty = int(multiple * penalty)
            refine_step(halves, self._next_order(halves))
        halves.penalty = penalty

    def _fixed(self, multiple: float) -> int:
        return kernels.fixed_penalty(min(self.penalty * multiple, max(self.penalty, HIGHEST_PENALTY)))

    def _next_order(self, state: State) -> IntArray:
        self.n_iterations += 1
        return random_order(len(state.corpus), self.seed, STEP + self.n_iterations)

    def _report(self, state: State, before: TopicArray, began: float) -> None:
        penalty = state.penalty / kernels.UNIT
        if self.watch(record(state, before, "search", penalty, time.perf_counter() - began)):
            raise Stopped


class Stopped(Exception):  # noqa: N818 (no error: the onlooker has seen enough)
    """Ends a search from inside."""


def sample_size(entries: IntArray, n_topics: int) -> int:
    """Return how many of the documents, which have so many entries each, are enough to find so many topics.

    Examples
    --------
    >>> sample_size(np.full(5_000, 100), n_topics=20), sample_size(np.full(10, 100), n_topics=20)
    (2000, 10)
    """
    ends = np.cumsum(entries)
    least, most = SAMPLE_ENTRIES
    wanted = max(min(SAMPLE_SHARE * int(entries.sum()), most), least, SAMPLE_ENTRIES_PER_TOPIC * n_topics)
    return min(len(entries), int(np.searchsorted(ends, wanted)) + 1)


def named_topics(corpus: Corpus, topics: TopicArray, n_topics: int, seeds: Mapping[int, Sequence[int]]) -> TopicArray:
    """Give the numbers of the seeds to the topics that have most of their words; the others keep their order.

    Examples
    --------
    >>> corpus = Corpus.from_counts([[2, 3, 0], [0, 1, 0], [0, 0, 4]])
    >>> named_topics(corpus, np.array([1, 1, 1, 0], np.uint16), 2, {1: [2]}).tolist()
    [0, 0, 0, 1]
    """
    seeded = list(seeds)
    tokens = np.zeros((len(seeded), n_topics))
    for row, topic in enumerate(seeded):
        inside = np.isin(corpus.words, seeds[topic])
        tokens[row] = np.bincount(topics[inside], weights=corpus.counts[inside], minlength=n_topics)
    found = linear_sum_assignment(tokens, maximize=True)[1]
    names = np.empty(n_topics, dtype=np.uint16)
    names[found] = seeded
    names[np.setdiff1d(np.arange(n_topics), found)] = np.setdiff1d(np.arange(n_topics), seeded)
    return names[topics]


def take(corpus: Corpus, topics: TopicArray, rows: IntArray) -> tuple[Corpus, TopicArray]:
    """Return some documents without their names and details, and the topics of their entries.

    Examples
    --------
    >>> sample, topics = take(Corpus.from_counts([[1, 2], [0, 3]]), np.array([0, 1, 2], np.uint16), np.array([1]))
    >>> topics
    array([2], dtype=uint16)
    """
    if len(rows) == len(corpus):
        return corpus, topics
    entries, indptr = take_rows(corpus.indptr, np.sort(rows))
    return Corpus(indptr, corpus.words[entries], corpus.counts[entries], corpus.n_words), topics[entries]
