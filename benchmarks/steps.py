"""Seconds per iteration of Basic, Word, Refine and our Gibbs sampler beside tomotopy's and `lda`'s: `make bench`.

Same corpora, same threads, one run; the contestants take turns in each round, and the table shows medians over rounds.
Whole steps are timed: bringing the counts and the objective up to date is part of each.
"""

from __future__ import annotations

import argparse
import logging
import platform
import statistics
import time
import warnings
from collections.abc import Callable

import lda
import numpy as np
import tomotopy

from crisptopics import datasets, kernels, solve
from crisptopics.blocks import Workers
from crisptopics.chain import Chain
from crisptopics.corpus import Corpus
from crisptopics.start import random_order, random_topics
from crisptopics.stop import Stopping

CORPORA = {"SynthA": (datasets.synth_a, 20, 0.04, 0.05), "SynthB": (datasets.synth_b, 50, 0.02, 0.01)}
WARM_UP = 10  # iterations before anything is timed: early ones are not typical
GIBBS_ITERATIONS = 10  # timed together


def sampler(data: datasets.LDACorpus, n_topics: int, alpha: float, beta: float, threads: int) -> Callable[[], float]:
    """Return a function that gives seconds per iteration of tomotopy."""
    model = tomotopy.LDAModel(k=n_topics, alpha=alpha, eta=beta, seed=1)
    for words in np.split(data.words, data.indptr[1:-1]):
        model.add_doc([str(word) for word in words])

    def train(iterations: int) -> float:
        began = time.perf_counter()
        with warnings.catch_warnings():  # it warns that several workers are not reproducible
            warnings.simplefilter("ignore", RuntimeWarning)
            model.train(iterations, workers=threads)
        return (time.perf_counter() - began) / iterations

    train(WARM_UP)
    return lambda: train(GIBBS_ITERATIONS)


def gibbs_chain(corpus: Corpus, n_topics: int, alpha: float, beta: float, workers: Workers) -> Callable[[], float]:
    """Return a function that gives seconds per sweep of our own Gibbs sampler."""
    chain = Chain(corpus, n_topics, alpha, beta, seed=1)

    def sweep(iterations: int) -> float:
        began = time.perf_counter()
        for _ in range(iterations):
            chain.sweep(workers)
        return (time.perf_counter() - began) / iterations

    sweep(WARM_UP)
    return lambda: sweep(GIBBS_ITERATIONS)


def plain_sampler(corpus: Corpus, n_topics: int, alpha: float, beta: float) -> Callable[[], float]:
    """Return a function that gives seconds per iteration of `lda`, which has one thread; its set-up is taken off."""
    logging.getLogger("lda").setLevel(logging.ERROR)
    counts = corpus.counts_matrix().toarray()

    def fit(iterations: int) -> float:
        model = lda.LDA(n_topics, n_iter=iterations, alpha=alpha, eta=beta, random_state=1, refresh=10**9)
        began = time.perf_counter()
        model.fit(counts)
        return time.perf_counter() - began

    return lambda: (fit(2 + GIBBS_ITERATIONS) - fit(2)) / GIBBS_ITERATIONS


def steps(corpus: Corpus, n_topics: int, workers: Workers) -> dict[str, Callable[[], float]]:
    """Return functions that give the seconds of one whole step from the state after a few iterations."""
    start = random_topics(corpus.n_entries, n_topics, seed=0)
    algorithm: solve.Algorithm = "word+refine"
    warm = solve.solve(corpus, start, n_topics, 10.0, algorithm, Stopping(WARM_UP, 0.0), 0, workers)
    state = solve.State(corpus, warm.topics.copy(), warm.counts, kernels.fixed_penalty(10.0), workers)
    order = random_order(len(corpus), seed=0, iteration=0)

    def timed(step: Callable[[], object], before: Callable[[], object]) -> float:
        state.assign(warm.topics)
        before()
        began = time.perf_counter()
        step()
        return time.perf_counter() - began

    def word() -> None:
        state.adopt(solve.word_step(state))

    return {
        "Basic": lambda: timed(lambda: state.adopt(solve.basic_step(state)), lambda: None),
        "Word": lambda: timed(word, lambda: None),
        "Refine": lambda: timed(lambda: solve.refine_step(state, order), word),
    }


def main() -> None:
    """Print a markdown table of milliseconds per iteration and ratios to tomotopy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}, {kernels.instruction_sets()[-1]}, ", end="")
    print(f"tomotopy {tomotopy.__version__} ({tomotopy.isa}); {options.documents:,} documents, ", end="")
    print(f"median of {options.rounds} rounds, milliseconds per iteration (times tomotopy's)\n")
    print("| corpus | threads | tomotopy | lda | our Gibbs | Basic | Word | Refine |\n" + "| --- " * 8 + "|")
    for name, (make, n_topics, alpha, beta) in CORPORA.items():
        data = make(options.documents, random_state=1)
        corpus = Corpus.from_counts(data.counts)
        for threads in (1, 2):
            with Workers(threads) as workers:
                contestants = {"tomotopy": sampler(data, n_topics, alpha, beta, threads)}
                contestants["lda"] = plain_sampler(corpus, n_topics, alpha, beta)
                contestants["our Gibbs"] = gibbs_chain(corpus, n_topics, alpha, beta, workers)
                contestants |= steps(corpus, n_topics, workers)
                rounds = [{who: run() for who, run in contestants.items()} for _ in range(options.rounds)]
            medians = {who: statistics.median(one[who] for one in rounds) for who in contestants}
            cells = [f"{1e3 * medians[who]:.1f} ({medians[who] / medians['tomotopy']:.2f})" for who in contestants]
            print(
                f"| {name} | {threads} | {1e3 * medians['tomotopy']:.1f} | " + " | ".join(cells[1:]) + " |", flush=True
            )


if __name__ == "__main__":
    main()
