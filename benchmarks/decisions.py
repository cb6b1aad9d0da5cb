"""The figures of docs/decisions/: `python benchmarks/decisions.py NAME`.

NAME is batches (decision 3), closing (decision 4) or tables (decision 35).
"""

from __future__ import annotations

import sys
import timeit
from tempfile import TemporaryDirectory

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


def tables() -> None:
    """Print how long `assign` needs for its CSV files, as a share of what pandas needs."""
    from crisptopics.cli.assign import document_columns, word_columns
    from crisptopics.cli.files import write_columns

    corpus = Corpus.from_counts(datasets.synth_a(20_000, random_state=1).counts)
    model = CrispTopics(20, penalty=10.0, random_state=0, max_iter=3).fit(corpus)
    topics = model.assignments_.data
    ours = {
        "documents": lambda path: write_columns(document_columns(corpus, topics, 20), path),
        "words": lambda path: write_columns(word_columns(corpus, topics, corpus.word_names), path),
    }
    of_pandas = {
        "documents": lambda path: model.documents_frame(corpus).to_csv(path),
        "words": lambda path: model.words_frame(corpus).to_csv(path, index=False),
    }
    with TemporaryDirectory() as folder:
        for name, write in ours.items():
            own, theirs = (
                min(timeit.repeat(lambda task=task: task(f"{folder}/a.csv"), number=1, repeat=3))
                for task in (write, of_pandas[name])
            )
            print(f"{name}: {own / theirs:.2f} of the time of pandas", flush=True)


if __name__ == "__main__":
    {"batches": batches, "closing": closing, "tables": tables}[sys.argv[1]]()
