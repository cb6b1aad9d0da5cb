"""The figures of docs/decisions/: `python benchmarks/decisions.py batches` (decision 3) or `closing` (decision 4)."""

from __future__ import annotations

import sys

import numpy as np

from crisptopics import CrispTopics, datasets, metrics, solve
from crisptopics.blocks import Workers, available_threads
from crisptopics.corpus import Corpus
from crisptopics.start import random_topics
from crisptopics.stop import Stopping

SYNTHETIC = {"SynthA": (datasets.synth_a, 20), "SynthB": (datasets.synth_b, 50)}


def batches() -> None:
    """Print mean NMI over five starts of Word+Refine, 10 iterations, by the number of documents in a batch."""
    own_size = solve.batch_size
    for name, (make, n_topics) in SYNTHETIC.items():
        data = make(5000, random_state=1)
        corpus = Corpus.from_counts(data.counts)
        for size in (1, 16, 64, own_size(5000), 512):
            solve.batch_size = lambda _, size=size: size
            scores = []
            for seed in range(5):
                start = random_topics(corpus.n_entries, n_topics, seed)
                with Workers(1) as workers:
                    found = solve.solve(corpus, start, n_topics, 10.0, "word+refine", Stopping(10, 0.0), seed, workers)
                scores.append(metrics.nmi(data.topics, data.token_topics(found.topics)))
            print(f"{name}, batches of {size}: NMI {np.mean(scores):.3f}", flush=True)
    solve.batch_size = own_size


def closing() -> None:
    """Print how `assignments_` differs from the solution that the topics were counted from."""
    sotu, synth_a = datasets.load_sotu(), Corpus.from_counts(datasets.synth_a(5000, random_state=1).counts)
    for name, corpus, penalty in (("SynthA", synth_a, 10.0), ("sotu", sotu, 10.0), ("sotu", sotu, 24.0)):
        model = CrispTopics(20, penalty=penalty, random_state=0).fit(corpus)
        start = random_topics(corpus.n_entries, 20, model._seed)
        with Workers(available_threads()) as workers:
            arguments = (20, penalty, "word+refine", Stopping(50, 1e-4), model._seed, workers)
            solution = solve.solve(corpus, start, *arguments)
        elsewhere = corpus.counts[solution.topics != model.assignments_.data].sum() / corpus.n_tokens
        worse = metrics.objective(corpus, model.assignments_, penalty, 20) / solution.objective - 1
        print(
            f"{name}, penalty {penalty:g}: {elsewhere:.1%} of the tokens elsewhere, objective {worse:+.2%}", flush=True
        )


if __name__ == "__main__":
    {"batches": batches, "closing": closing}[sys.argv[1]]()
