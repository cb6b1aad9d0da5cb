"""The figures of docs/decisions/: `python benchmarks/decisions.py NAME`.

Names: batches (decision 3), closing (4), tables (35), maps (41), hues (43).
"""

from __future__ import annotations

import sys
import time
import timeit
from tempfile import TemporaryDirectory

import numpy as np
from scipy.spatial.distance import pdist, squareform
from scipy.stats import spearmanr

from crisptopics import CrispTopics, datasets, metrics, solve
from crisptopics.blocks import Workers, available_threads
from crisptopics.corpus import Corpus
from crisptopics.report.study import Study
from crisptopics.report.topics import PALETTE, hues_and_patterns
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


def maps() -> None:
    """Print how like the Hellinger distances of topics are to the Jensen-Shannon ones, and what both take."""
    sotu = datasets.load_sotu()
    for n_topics in (20, 200):
        model = CrispTopics(n_topics, penalty=12.0, max_iter=10, random_state=0).fit(sotu)
        study = Study.of(model, sotu)
        began = time.perf_counter()
        ours = np.sqrt(1 - study.affinity)
        middle = time.perf_counter()
        theirs = squareform(pdist(model.components_, metric="jensenshannon"))
        ratio = (time.perf_counter() - middle) / (middle - began)
        above = np.triu_indices(n_topics, k=1)
        alike = spearmanr(ours[above], theirs[above]).statistic
        print(f"sotu, {n_topics} topics: rank correlation {alike:.3f}, Jensen-Shannon takes {ratio:.0f} times as long")


def hues() -> None:
    """Print how many documents have two topics of one hue, of those with more than one topic."""
    sotu = datasets.load_sotu()
    for n_topics in (20, 50, 200):
        model = CrispTopics(n_topics, penalty=12.0, max_iter=10, random_state=0).fit(sotu)
        study = Study.of(model, sotu)
        tokens = study.document_tokens
        for name, hue in (("chosen", hues_and_patterns(study)[0]), ("in turn", np.arange(n_topics) % PALETTE)):
            used = np.zeros((len(sotu), PALETTE), dtype=np.int64)
            np.add.at(used, (np.repeat(np.arange(len(sotu)), np.diff(tokens.indptr)), hue[tokens.indices]), 1)
            several = used.sum(axis=1) > 1
            print(
                f"sotu, {n_topics} topics, hues {name}: {(used[several] > 1).any(axis=1).mean():.1%} of the documents"
            )


if __name__ == "__main__":
    {"batches": batches, "closing": closing, "tables": tables, "maps": maps, "hues": hues}[sys.argv[1]]()
