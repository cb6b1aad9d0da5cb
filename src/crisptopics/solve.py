"""The algorithm: Basic, Word and Word+Refine (the paper's section 3), over kernels that run on blocks of documents."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from crisptopics import kernels
from crisptopics.blocks import Block, Workers, cut
from crisptopics.corpus import Corpus
from crisptopics.kernels import TopicCosts, TopicCounts, TopicGains
from crisptopics.start import random_order
from crisptopics.stop import Stopping, StopReason

Algorithm = Literal["basic", "word", "word+refine"]
TopicArray = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class Iteration:
    """What one iteration did: a line of the history."""

    stage: str
    penalty: float
    objective: float
    moved: int
    topics_per_document: float
    seconds: float


@dataclass(eq=False)
class State:
    """An assignment of the corpus, its counts, and its objective in two whole numbers."""

    corpus: Corpus
    topics: TopicArray  # z, one topic per entry
    counts: TopicCounts  # n_kw and N_k
    penalty: int  # lambda, in fixed point
    workers: Workers
    words_cost: int = 0
    topics_used: int = 0
    documents: kernels.Documents = field(init=False)
    blocks: list[Block] = field(init=False)
    costs: TopicCosts = field(init=False)
    spare: TopicArray = field(init=False)
    gains: TopicGains = field(init=False)

    @classmethod
    def of(cls, corpus: Corpus, topics: TopicArray, n_topics: int, penalty: float, workers: Workers) -> State:
        """Return the state of a corpus with these topics, which are copied."""
        frequencies = np.bincount(corpus.words, minlength=corpus.n_words)
        counts = TopicCounts.empty(n_topics, frequencies)
        return cls(corpus, topics.copy(), counts, kernels.fixed_penalty(penalty), workers)

    def __post_init__(self) -> None:
        self.documents = kernels.Documents(self.corpus.indptr, self.corpus.words, self.corpus.counts)
        self.blocks = cut(self.corpus.indptr)
        self.costs = TopicCosts.of(self.counts)
        self.spare = np.empty_like(self.topics)
        self.gains = TopicGains.fitting(self.counts, len(self.topics))
        self.assign(self.topics)

    def assign(self, topics: TopicArray) -> None:
        """Take an assignment as it is and count it from the beginning."""
        self.topics[:] = topics
        self.counts.clear()
        kernels.count_topics(self.documents, self.topics, self.counts.rows)
        self.measure()

    def adopt(self, topics: TopicArray) -> None:
        """Go over to a new assignment; the old one's memory is free for the next."""
        kernels.recount_topics(self.documents, self.topics, topics, self.counts.rows)
        self.topics, self.spare = topics, self.topics
        self.measure()

    def measure(self) -> None:
        """Compute the objective from the counts and the assignment alone."""
        self.words_cost, self.topics_used = measure(self)

    @property
    def objective(self) -> int:
        """The objective in fixed point, exact."""
        return self.words_cost + self.penalty * self.topics_used

    @property
    def topics_per_document(self) -> float:
        """How many topics a document uses on average; empty ones use none and do not count."""
        return self.topics_used / max(1, int(np.count_nonzero(np.diff(self.corpus.indptr))))


@dataclass(frozen=True)
class Solution:
    """The best assignment found, and how it came about."""

    topics: TopicArray
    counts: TopicCounts
    objective: float
    history: list[Iteration]
    stop_reason: StopReason


def solve(
    corpus: Corpus,
    start: TopicArray,
    n_topics: int,
    penalty: float,
    algorithm: Algorithm,
    stopping: Stopping,
    seed: int,
    workers: Workers,
    watch: Callable[[Iteration], object] = lambda _: None,
    reason: StopReason | None = None,
) -> Solution:
    """Improve the starting topics until the objective falls no more; not at all where there is a reason to stop.

    `watch` sees each iteration; when it returns something true the run ends. An interrupt ends it too; the solution
    then is the last complete iteration's.
    """
    state = State.of(corpus, start, n_topics, penalty, workers)
    best, best_objective = start.copy(), state.objective
    history: list[Iteration] = []
    try:
        while reason is None:
            began = time.perf_counter()
            improve(state, algorithm, random_order(corpus.n_documents, seed, len(history)), best)
            history.append(record(state, best, algorithm, penalty, time.perf_counter() - began))
            reason = stopping.reason(len(history), best_objective, state.objective)
            best[:], best_objective = state.topics, state.objective
            if watch(history[-1]):
                reason = "callback"
    except KeyboardInterrupt:
        state.assign(best)
        reason = "interrupted"
    return Solution(best, state.counts, state.objective / kernels.UNIT, history, reason)


def improve(state: State, algorithm: Algorithm, order: npt.NDArray[np.int64], best: TopicArray) -> None:
    """Run one iteration that does not raise the objective; `best` holds the state's topics."""
    before = state.objective
    proposed = propose(state, algorithm).copy()
    follow(state, proposed, algorithm, order)
    if state.objective > before:  # Word is greedy and may overshoot: go back, and on with more care
        state.assign(best)
        costs = topic_costs(state)
        state.workers.map(
            lambda block: kernels.keep_cheaper(
                state.documents, *block, costs.rows, state.penalty, state.topics, proposed
            ),
            state.blocks,
        )
        follow(state, proposed, algorithm, order)
    if state.objective > before:
        state.assign(best)


def iterate(state: State, algorithm: Algorithm, order: npt.NDArray[np.int64]) -> None:
    """Run one iteration, whatever becomes of the objective."""
    follow(state, propose(state, algorithm), algorithm, order)


def propose(state: State, algorithm: Algorithm) -> TopicArray:
    """Return new topics for all words, the topics' words fixed; they lie in the state's spare memory."""
    return basic_step(state) if algorithm == "basic" else word_step(state)


def follow(state: State, proposed: TopicArray, algorithm: Algorithm, order: npt.NDArray[np.int64]) -> None:
    """Take the proposed topics, and refine them if the algorithm does."""
    state.spare[:] = proposed
    state.adopt(state.spare)
    if algorithm == "word+refine":
        refine_step(state, order)


def basic_step(state: State) -> TopicArray:
    """Each word to its cheapest topic, plus the penalty where the document has not used that topic."""
    costs = topic_costs(state)
    state.workers.map(
        lambda block: kernels.basic_step(state.documents, *block, costs.rows, state.penalty, state.topics, state.spare),
        state.blocks,
    )
    return state.spare


def word_step(state: State) -> TopicArray:
    """Greedy facility location in each document, psi fixed (the paper's Algorithm 1)."""
    costs = topic_costs(state)
    state.workers.map(
        lambda block: kernels.word_step(state.documents, *block, costs.rows, state.penalty, costs.largest, state.spare),
        state.blocks,
    )
    return state.spare


def refine_step(state: State, order: npt.NDArray[np.int64]) -> None:
    """Move mini-topics where that lowers the objective (the paper's Algorithm 2), batch by batch.

    All moves of a batch are proposed at once against the same counts, then made one after the other, each only if it
    lowers the objective as the counts are by then. So the result does not depend on the number of threads.
    """
    gains = state.gains.rows
    size = batch_size(len(order))
    state.workers.map(lambda block: state.gains.update(*block), cut(state.counts.starts))
    before = state.objective
    for first in range(0, len(order), size):
        batch = order[first : first + size]
        state.workers.map(
            lambda part: kernels.refine_propose(state.documents, part, gains, state.penalty, state.topics, state.spare),
            state.workers.split(batch),
        )
        cost, used, _ = kernels.refine_apply(state.documents, batch, gains, state.penalty, state.topics, state.spare)
        state.words_cost += cost
        state.topics_used += used
    if kernels.CHECKED:
        assert (state.words_cost, state.topics_used) == measure(state), "the running objective is off"
        assert state.objective <= before, "refining raised the objective"


def batch_size(n_documents: int) -> int:
    """Return how many documents propose moves together: a part of the corpus small enough to count as one step."""
    return max(1, min(4096, n_documents // 32))


def topic_costs(state: State) -> TopicCosts:
    """Bring the costs of all words up to date with the counts."""
    state.costs = state.costs.again(state.counts)
    state.workers.map(lambda block: state.costs.update(*block), cut(state.counts.starts))
    return state.costs


def measure(state: State) -> tuple[int, int]:
    """Return the words' cost and the number of topics used, from the counts and the assignment alone."""
    words = state.workers.map(lambda block: kernels.words_cost(state.counts.rows, *block), cut(state.counts.starts))
    used = state.workers.map(
        lambda block: kernels.topics_used(state.documents, *block, state.topics, state.counts.n_topics), state.blocks
    )
    return int(kernels.fixed_xlogx(state.counts.totals).sum()) + sum(words), sum(used)


def record(state: State, before: TopicArray, stage: str, penalty: float, seconds: float) -> Iteration:
    """Return the line of the history for the iteration that led from `before` to the state."""
    moved = int(state.corpus.counts[state.topics != before].sum(dtype=np.int64))
    return Iteration(stage, penalty, state.objective / kernels.UNIT, moved, state.topics_per_document, seconds)
