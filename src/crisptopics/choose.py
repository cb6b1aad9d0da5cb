"""Penalty and number of topics, chosen on a sample of the documents.

The penalty is chosen by `metrics.integrated_likelihood` at its best alpha and beta. On documents drawn from the LDA
model it is highest at the penalty that finds the true topics of words. On real documents it rises with the penalty
until every document has one topic, because the words of a document are more alike than topics explain; a topic model is
asked for mixtures, so the choice is among penalties under which documents have `topics_wanted` topics on average.

The number of topics is chosen by how well soft topics foretell half of the words of documents that were held out, from
their other half. Where documents are drawn from topics, that rises steeply up to their number and not beyond. On real
documents it rises ever more slowly; and every topic has to be read by somebody, so each has to be worth `PRICE`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from crisptopics import kernels
from crisptopics.blocks import Workers
from crisptopics.corpus import Corpus
from crisptopics.metrics import integrated_likelihood
from crisptopics.metrics.likelihood import foretold
from crisptopics.search import CLUSTERING, SAMPLE, SMOOTHING, Search, Stopped, Watch, sample_size, take
from crisptopics.soften import UNIT, soften
from crisptopics.solve import State
from crisptopics.split_merge import disjoint, merge, merges, split, splits
from crisptopics.start import random_order, random_topics
from crisptopics.stop import StopReason

TopicArray = npt.NDArray[np.uint16]

HIGHEST, LOWEST = 96.0, 4.0  # penalties that are tried
STEP, COARSE_STEP = 2.0**0.25, 2.0**0.5  # from one to the next; where a second look follows
FALLS = 3  # of the criterion in a row, after which lower penalties are not tried
FIRST_TOPICS = 20  # where the search for the number of topics begins
MOST_TOPICS = 500
MOST_PER_DOCUMENT = 5.0  # topics, on average, beyond which lower penalties are not tried
PRICE = 0.002  # nats per token of held-out documents that a topic must be worth
HELD_OUT = 5  # one document of so many
FEWEST_HELD_OUT = 10  # of fewer the words say little; then the documents themselves are foretold
SOFTENING = 5  # iterations, before a number of topics is judged
JUDGING = 20  # iterations, for the topics of held-out documents
LONG_DOCUMENT = 100  # tokens, from which on a document should have two topics
GROWTH = 0.5  # of the number of topics, a step until the criterion falls; then ever smaller ones
SPLIT = 1 << 36  # stream of random numbers


@dataclass(frozen=True)
class Candidate:
    """A number of topics and a penalty that were tried on the sample."""

    n_components: int
    penalty: float
    icl: float
    objective: float
    topics_per_document: float
    seconds: float
    completion: float | None = None  # where the number of topics was judged


@dataclass(frozen=True, eq=False)
class Choice:
    """What was chosen, and what was tried for it.

    Parameters
    ----------
    n_topics
        Number of topics.
    penalty
        Penalty.
    path
        All that was tried, in this order.
    stop_reason
        Why the choice ended early, if it did.
    topics
        Then, the topics of all entries as far as they were found.
    """

    n_topics: int
    penalty: float
    path: list[Candidate]
    stop_reason: StopReason | None
    topics: TopicArray | None


def choose(
    corpus: Corpus, numbers: Sequence[int] | None, penalty: float | None, seed: int, workers: Workers, watch: Watch
) -> Choice:
    """Choose a number of topics, one of `numbers` or any where None, and a penalty where None is given.

    Examples
    --------
    >>> from crisptopics.datasets import synth_a
    >>> corpus = Corpus.from_counts(synth_a(300, random_state=0).counts)
    >>> with Workers(1) as workers:
    ...     choice = choose(corpus, [20], None, 0, workers, lambda _: None)
    >>> choice.n_topics, 4 < choice.penalty < 40
    (20, True)
    """
    chooser = Chooser(corpus, seed, workers, watch)
    try:
        n_topics, chosen = chooser.choose(numbers, penalty)
        return Choice(n_topics, chosen, chooser.path, None, None)
    except Stopped:
        reason: StopReason = "callback"
    except KeyboardInterrupt:
        reason = "interrupted"
    state = chooser.state
    chosen = state.penalty / kernels.UNIT
    topics = Search(chosen, seed, workers).spread(state, corpus).topics
    return Choice(state.counts.n_topics, chosen, chooser.path, reason, topics)


@dataclass(eq=False)
class Chooser:
    """Tries penalties and numbers of topics on a sample, each from the topics of the one before.

    Parameters
    ----------
    corpus
        The documents.
    seed
        Seed of all random choices.
    workers
        Threads.
    watch
        Sees the iterations.

    Examples
    --------
    >>> from crisptopics.datasets import synth_a
    >>> corpus = Corpus.from_counts(synth_a(300, random_state=0).counts)
    >>> with Workers(1) as workers:
    ...     Chooser(corpus, 0, workers).choose([5], 10.0)
    (5, 10.0)
    """

    corpus: Corpus
    seed: int
    workers: Workers
    watch: Watch = lambda _: None
    path: list[Candidate] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)
    state: State = field(init=False)  # the newest
    held_out: Corpus = field(init=False)

    def choose(self, numbers: Sequence[int] | None, penalty: float | None) -> tuple[int, float]:
        """Return the number of topics and the penalty."""
        first = FIRST_TOPICS if numbers is None else sorted(numbers)[len(numbers) // 2]
        judging = numbers is None or len(numbers) > 1
        sample = self._sample(first, judging)
        highest = HIGHEST if penalty is None else penalty * CLUSTERING[-1]
        state = self._clustered(sample, min(first, sample.n_tokens), highest)
        if penalty is None:
            state, chosen = self._choose_penalty(state, highest, STEP if numbers and len(numbers) == 1 else COARSE_STEP)
        else:
            chosen = penalty
            self._settle(state, [4 * chosen, 2 * chosen, chosen])
        if judging:
            state = self._choose_number(state, chosen, numbers)
            if penalty is None:  # again near it, with the topics that there are now
                state, chosen = self._choose_penalty(state, COARSE_STEP * chosen, STEP)
        return state.counts.n_topics, chosen

    def _sample(self, n_topics: int, judging: bool) -> Corpus:
        """Return a sample of the documents, without those that numbers of topics are judged by."""
        order = random_order(len(self.corpus), self.seed, SAMPLE)
        size = sample_size(np.diff(self.corpus.indptr)[order], n_topics)
        rows, out = order[:size], np.arange(size) % HELD_OUT == 0
        if judging:
            fitted, self.held_out = self._documents(rows[~out]), self._documents(rows[out])
            if len(self.held_out) >= FEWEST_HELD_OUT and np.isin(self.held_out.words, fitted.words).any():
                return fitted
        self.held_out = self._documents(rows)
        return self.held_out

    def _documents(self, rows: npt.NDArray[np.int64]) -> Corpus:
        return take(self.corpus, np.empty(self.corpus.n_entries, dtype=np.uint16), rows)[0]

    def _clustered(self, sample: Corpus, n_topics: int, penalty: float) -> State:
        """Return a state at a penalty so high that documents have few topics."""
        state = self._state(sample, random_topics(sample.n_entries, n_topics, self.seed), n_topics, penalty)
        search = self._search(penalty)
        search.descend(state, [2.0, 1.0])
        search.rearrange(state)
        return state

    def _choose_penalty(self, state: State, penalty: float, step: float) -> tuple[State, float]:
        """Let the penalty fall, and return the best state on the way."""
        wanted = topics_wanted(state.corpus)
        best: tuple[float, float, TopicArray] | None = None
        falls = 0
        while penalty >= LOWEST and falls < FALLS:
            self._settle(state, [0.8 * penalty, penalty])  # as a search ends
            found = self._record(state, penalty)
            if found.topics_per_document > MOST_PER_DOCUMENT and best is not None:
                break
            if found.topics_per_document >= wanted:
                if best is None or found.icl > best[0]:
                    best, falls = (found.icl, penalty, state.topics.copy()), 0
                else:
                    falls += 1
            penalty /= step
        if best is None:  # documents too short, or too much of one kind, to have so many topics
            best = -np.inf, penalty * step, state.topics
        return self._state(state.corpus, best[2], state.counts.n_topics, best[1]), best[1]

    def _choose_number(self, state: State, penalty: float, numbers: Sequence[int] | None) -> State:
        """Return the best state over the given numbers of topics, or over all as far as the criterion rises."""
        tried: dict[int, tuple[float, State]] = {}

        def worth(n_topics: int) -> float:
            if n_topics not in tried:
                near = min(tried, key=lambda number: abs(number - n_topics)) if tried else None
                there = self._resized(state if near is None else tried[near][1], n_topics, penalty)
                completion = self._completion(there)
                self._record(there, penalty, completion)
                tried[n_topics] = completion - PRICE * n_topics, there
            return tried[n_topics][0]

        if numbers is not None:
            best = max(sorted(numbers), key=worth)
        else:
            best = climb(worth, state.counts.n_topics, min(MOST_TOPICS, state.corpus.n_tokens))
        return tried[best][1]

    def _resized(self, state: State, n_topics: int, penalty: float) -> State:
        """Return a state with another number of topics, by the best splits or the cheapest merges, settled again."""
        search = self._search(penalty)
        while state.counts.n_topics > n_topics:
            pairs = disjoint(merges(state))
            most = state.counts.n_topics - n_topics
            kept, freed = pairs.kept[:most], pairs.freed[:most]
            names = np.zeros(state.counts.n_topics, dtype=np.uint16)
            names[np.setdiff1d(np.arange(len(names)), freed)] = np.arange(len(names) - len(freed))
            topics = names[merge(state.topics, kept, freed)]
            state = self._state(state.corpus, topics, len(names) - len(freed), penalty)
        while state.counts.n_topics < n_topics:
            present = state.counts.n_topics
            splitting = splits(state, self.seed, SPLIT + n_topics, search.sort_halves)
            halved = np.argsort(splitting.changes, kind="stable")[: n_topics - present]
            new = np.arange(present, present + len(halved))
            topics = split(state.topics, halved, new, splitting.second)
            state = self._state(state.corpus, topics, present + len(halved), penalty)
        search.descend(state, [2.0, 0.8, 1.0])
        search.rearrange(state)
        return state

    def _state(self, sample: Corpus, topics: TopicArray, n_topics: int, penalty: float) -> State:
        self.state = State.of(sample, topics, n_topics, penalty, self.workers)
        return self.state

    def _settle(self, state: State, penalties: Sequence[float]) -> None:
        for penalty in penalties:
            self._search(penalty).descend(state, [1.0])

    def _search(self, penalty: float) -> Search:
        return Search(penalty, self.seed, self.workers, watch=self.watch)

    def _completion(self, state: State) -> float:
        """Return how well soft topics foretell half of each held-out document from its other half, per token."""
        n_topics, workers = state.counts.n_topics, self.workers
        soft = soften(state.corpus, state.topics, n_topics, SMOOTHING, SOFTENING, self.seed, workers)
        found = foretold(
            self.held_out,
            soft.counts / UNIT,
            soft.alpha,
            SMOOTHING,
            JUDGING,
            self.seed,
            completion=True,
            workers=workers,
        )
        return round(found, 6)  # what lies beyond may differ between processors

    def _record(self, state: State, penalty: float, completion: float | None = None) -> Candidate:
        icl = integrated_likelihood(state.corpus, state.topics, state.counts.n_topics)
        found = Candidate(
            n_components=state.counts.n_topics,
            penalty=penalty,
            icl=icl / state.corpus.n_tokens,
            objective=state.objective / kernels.UNIT,
            topics_per_document=state.topics_per_document,
            seconds=time.perf_counter() - self.began,
            completion=completion,
        )
        self.path.append(found)
        return found


def topics_wanted(corpus: Corpus) -> float:
    """Return how many topics a document should have at least, on average: two, or fewer where documents are short.

    Examples
    --------
    >>> topics_wanted(Corpus.from_counts([[60, 40], [50, 50]])), topics_wanted(Corpus.from_counts([[3, 2]]))
    (2.0, 1.0025)
    """
    documents = max(1, int(np.count_nonzero(np.diff(corpus.indptr))))
    return 1.0 + min(1.0, corpus.n_tokens / documents / LONG_DOCUMENT) ** 2


def climb(value: Callable[[int], float], first: int, most: int) -> int:
    """Return where a function of whole numbers from 1 is highest, climbing from `first` by ever smaller steps.

    Examples
    --------
    >>> climb(lambda n: -abs(n - 37), 20, 500)
    37
    """
    best, step, sides, rising = first, max(1, round(first * GROWTH)), (1, -1), True
    while True:
        near = [best + side * step for side in sides]
        higher = next((n for n in near if 1 <= n <= most and value(n) > value(best)), None)
        if higher is not None:
            sides = (1, -1) if higher > best else (-1, 1)
            best, step = higher, max(1, round(higher * GROWTH)) if rising else step
        elif step == 1:
            return best
        else:
            step, rising = max(1, step // 2), False
