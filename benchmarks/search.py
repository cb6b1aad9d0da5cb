"""How near the optimum the search ends, what it costs, and what is chosen: `python benchmarks/search.py NAME`.

Names: optimum (decision 60), soft (62), cost (60), choice (61), curves (61; --corpora folder for more than the corpus
that ships), picture (docs/images/choosing.svg).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from quality import corpora

from crisptopics import CrispTopics, datasets, metrics, solve
from crisptopics.blocks import Workers, available_threads
from crisptopics.choose import choose
from crisptopics.corpus import Corpus
from crisptopics.datasets import LDACorpus
from crisptopics.search import Search
from crisptopics.start import random_topics
from crisptopics.stop import Stopping

GRID = (6.0, 8.0, 10.0, 12.0, 14.0, 16.0)
SYNTHETIC = {"SynthA": (datasets.synth_a, 20), "SynthB": (datasets.synth_b, 50)}


def entry_truth(drawn: LDACorpus, corpus: Corpus, n_topics: int) -> npt.NDArray[np.uint16]:
    """Return the commonest true topic of the tokens of each entry."""
    tokens = np.repeat(np.arange(len(corpus)), drawn.doc_length) * corpus.n_words + drawn.words
    entries = np.repeat(np.arange(len(corpus)), np.diff(corpus.indptr)) * corpus.n_words + corpus.words
    counts = np.zeros((corpus.n_entries, n_topics), dtype=np.int32)
    np.add.at(counts, (np.searchsorted(entries, tokens), drawn.topics), 1)
    return counts.argmax(axis=1).astype(np.uint16)


def fit(
    corpus: Corpus, start: npt.NDArray[np.uint16], n_topics: int, penalty: float, workers: Workers
) -> solve.Solution:
    """Run Word+Refine from a start."""
    return solve.solve(corpus, start, n_topics, penalty, "word+refine", Stopping(50, 1e-4), 0, workers)


def optimum(seeds: int) -> None:
    """Print objective, agreement and distance after the search, and from the true topics of words."""
    with Workers(available_threads()) as workers:
        for name, (make, n_topics) in SYNTHETIC.items():
            for penalty in (10.0, 12.0):
                rows = []
                for seed in range(seeds):
                    drawn = make(5000, random_state=seed)
                    corpus = Corpus.from_counts(drawn.counts)
                    best = fit(corpus, entry_truth(drawn, corpus, n_topics), n_topics, penalty, workers)
                    topics = random_topics(corpus.n_entries, n_topics, seed)
                    found = fit(
                        corpus, Search(penalty, seed, workers).run(corpus, topics, n_topics), n_topics, penalty, workers
                    )
                    tokens = drawn.token_topics(found.topics)
                    psi = found.counts.to_matrix().toarray() / np.maximum(1, found.counts.totals[:, None])
                    rows.append(
                        (
                            100 * (found.objective / best.objective - 1),
                            metrics.nmi(drawn.topics, tokens),
                            metrics.adjusted_rand(drawn.topics, tokens),
                            metrics.topic_l1(psi, drawn.psi),
                            metrics.nmi(drawn.topics, drawn.token_topics(best.topics)),
                        )
                    )
                excess, nmi, rand, distance, truth = np.array(rows).T
                print(
                    f"{name}, penalty {penalty:g}: objective {excess.min():+.3f} to {excess.max():+.3f} % of that from"
                    f" the truth; median NMI {np.median(nmi):.3f} (from the truth {np.median(truth):.3f}),"
                    f" adjusted Rand {np.median(rand):.3f}, L1 {np.median(distance):.3f}",
                    flush=True,
                )


def soft(seeds: int) -> None:
    """Print the L1 error of crisp and of soft topics."""
    for name, (make, n_topics) in SYNTHETIC.items():
        errors = []
        for seed in range(seeds):
            drawn = make(5000, random_state=seed)
            model = CrispTopics(n_topics, penalty=12.0, random_state=seed).fit(drawn.counts)
            counts = model.topic_word_counts_
            crisp = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
            errors.append([metrics.topic_l1(topics, drawn.psi) for topics in (crisp, model.components_)])
        print(f"{name}: L1 error of crisp topics {{:.3f}}, of soft ones {{:.3f}}".format(*np.median(errors, axis=0)))


def cost(seeds: int) -> None:
    """Print the time of a fit with the search in plain Word+Refine iterations over all documents."""
    with Workers(available_threads()) as workers:
        for name, (make, n_topics) in SYNTHETIC.items():
            for n_docs in (5_000, 100_000):
                ratios = []
                for seed in range(seeds if n_docs == 5_000 else 1):
                    corpus = Corpus.from_counts(make(n_docs, random_state=seed).counts)
                    start = random_topics(corpus.n_entries, n_topics, seed)
                    began = time.perf_counter()
                    solve.solve(corpus, start, n_topics, 12.0, "word+refine", Stopping(12, 0.0), seed, workers)
                    middle = time.perf_counter()
                    fit(corpus, Search(12.0, seed, workers).run(corpus, start, n_topics), n_topics, 12.0, workers)
                    ratios.append(12 * (time.perf_counter() - middle) / (middle - began))
                print(f"{name}, {n_docs:,} documents: {np.median(ratios):.1f} iterations", flush=True)


def choice(seeds: int) -> None:
    """Print what is chosen where there is a truth, how near the best of a grid that is, and what the choice costs."""
    for name, (make, n_topics) in SYNTHETIC.items():
        chosen, ratios, behind = [], [], []
        for seed in range(seeds):
            drawn = make(5000, random_state=seed)
            with Workers(available_threads()) as workers:
                began = time.process_time()
                found = choose(Corpus.from_counts(drawn.counts), None, None, seed, workers, lambda _: None)
                middle = time.process_time()
                agreement = agreement_at(drawn, n_topics, found.penalty, seed)
                ratios.append(1 + (middle - began) / (time.process_time() - middle))
            chosen.append((found.n_topics, round(found.penalty, 1)))
            behind.append(max(agreement_at(drawn, n_topics, penalty, seed) for penalty in GRID) - agreement)
        print(f"{name} ({n_topics} topics): {chosen}; {np.median(ratios):.1f} times a fit with both given", flush=True)
        print(f"  NMI behind the best of penalties {GRID}: {[round(one, 4) for one in behind]}", flush=True)


def agreement_at(drawn: LDACorpus, n_topics: int, penalty: float, seed: int) -> float:
    """Return the NMI of a fit's topics of tokens with the true ones."""
    model = CrispTopics(n_topics, penalty=penalty, random_state=seed).fit(drawn.counts)
    return metrics.nmi(drawn.topics, drawn.token_topics(model.assignments_.data.astype(np.uint16)))


def curves(folder: Path | None) -> None:
    """Print what is tried on real corpora, and the penalty and the number of topics that are chosen."""
    for name, corpus in corpora(folder).items():
        model = CrispTopics(20, random_state=0).fit(corpus)
        print(f"{name}: penalty {model.penalty_:.1f} at 20 topics")
        path = ", ".join(f"{one.penalty:.0f}: {one.icl:.3f} ({one.topics_per_document:.2f})" for one in model.choice_)
        print(f"  penalty: criterion per token (topics per document): {path}", flush=True)
        for seed in range(3):
            free = CrispTopics("auto", random_state=seed).fit(corpus)
            print(f"  seed {seed}: {free.n_components_} topics by itself, penalty {free.penalty_:.1f}")
        judged = sorted((one.n_components, one.completion) for one in free.choice_ if one.completion is not None)
        tried = ", ".join(f"{number}: {completion:.3f}" for number, completion in judged)
        print(f"  topics: completion per token: {tried}", flush=True)


def picture() -> None:
    """Draw the criterion by penalty, for documents drawn from a model and for real ones."""
    plt.rcParams["svg.hashsalt"] = "crisptopics"
    drawn = {"Drawn from 20 topics": Corpus.from_counts(datasets.synth_a(5000, random_state=0).counts)}
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for panel, (name, corpus) in zip(panels, (drawn | corpora(None)).items(), strict=True):
        model = CrispTopics(20, random_state=0).fit(corpus)
        penalties = [tried.penalty for tried in model.choice_]
        panel.plot(penalties, [tried.icl for tried in model.choice_], marker="o", markersize=3, color="#0b5394")
        panel.axvline(model.penalty_, color="#0b5394", linestyle=":")
        panel.set(xscale="log", xlabel="penalty", ylabel="criterion per token", title=name)
        panel.set_xticks([6, 12, 24, 48, 96], labels=["6", "12", "24", "48", "96"], minor=False)
        panel.minorticks_off()
        beside = panel.twinx()
        beside.plot(penalties, [tried.topics_per_document for tried in model.choice_], linestyle="--", color="#b45f06")
        beside.set_ylabel("topics in a document (dashed)", color="#b45f06")
    figure.savefig("docs/images/choosing.svg", metadata={"Date": None})


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=["optimum", "soft", "cost", "choice", "curves", "picture"])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--corpora", type=Path)
    args = parser.parse_args()
    if args.name == "curves":
        curves(args.corpora)
    elif args.name == "picture":
        picture()
    else:
        {"optimum": optimum, "soft": soft, "cost": cost, "choice": choice}[args.name](args.seeds)


if __name__ == "__main__":
    main()
