"""What the paper leaves open: where Word and Word+Refine start, and how low the objective could be."""

from __future__ import annotations

import numpy as np

from crisptopics import metrics
from crisptopics.blocks import Workers
from crisptopics.corpus import Corpus
from crisptopics.datasets import LDACorpus
from crisptopics.experiments.cells import Cell, Record, Results
from crisptopics.experiments.engines import Problem, Topics, crisp, crisp_answer
from crisptopics.experiments.planted import SYNTH_A, SYNTH_B, Planted, drawn, measured, true_topics
from crisptopics.experiments.presets import Preset
from crisptopics.experiments.tables import Entry, Table, entry
from crisptopics.solve import Algorithm
from crisptopics.start import random_topics, starting_topics

PENALTY = 10.0
ALGORITHMS: tuple[Algorithm, ...] = ("word", "word+refine")
MEASURES = (("nmi", 3, 1.0), ("ari", 3, 1.0), ("l1", 3, 1.0), ("objective", 3, 1e-6))
STARTS = {
    "entries": "a random topic for each word of a document (ours)",
    "tokens": "a random topic for each token",
    "documents": "a random topic for each document",
    "truth": "the true topics",
}
PAPER = {
    ("SynthA", "word"): (0.786, 0.750, None, 4.06),
    ("SynthA", "word+refine"): (0.825, 0.810, None, 3.98),
    ("SynthB", "word"): (0.850, 0.743, None, 3.79),
    ("SynthB", "word+refine"): (0.914, 0.876, None, 3.61),
}


def start_topics(name: str, data: LDACorpus, corpus: Corpus, n_topics: int, seed: int) -> Topics:
    """Return the topics of the entries that a start gives.

    Examples
    --------
    >>> data, corpus = drawn(SYNTH_A, 10, 0)
    >>> start_topics("documents", data, corpus, 20, seed=0)[:3].tolist() in [[topic] * 3 for topic in range(20)]
    True
    """
    if name == "entries":
        return random_topics(corpus.n_entries, n_topics, seed)
    if name == "documents":
        return np.repeat(random_topics(len(corpus), n_topics, seed), np.diff(corpus.indptr))
    if name == "truth":  # equal words of a document may come from different topics: the first one's is taken
        return true_topics(data)[np.concatenate([[0], np.cumsum(corpus.counts)[:-1]])]
    counts = np.zeros((n_topics, corpus.n_words))
    np.add.at(counts, (random_topics(corpus.n_tokens, n_topics, seed), np.repeat(corpus.words, corpus.counts)), 1.0)
    with Workers(1) as workers:  # equal words share a topic as soon as Word has assigned them
        return starting_topics(corpus, counts, n_topics, seed, {}, PENALTY, workers)


def _cell(kind: Planted, start: str, algorithm: Algorithm, preset: Preset, seed: int) -> Cell:
    def run(_: object) -> Record:
        data, corpus = drawn(kind, preset.n_documents, seed)
        problem = Problem.of(corpus, kind.n_topics, kind.alpha, kind.beta, seed, preset, PENALTY)
        topics = start_topics(start, data, corpus, kind.n_topics, seed)
        record = measured(data, corpus, crisp_answer(problem, crisp(problem, algorithm, topics)))
        tokens = np.repeat(topics, corpus.counts)
        start_objective = metrics.objective(corpus, topics, PENALTY, kind.n_topics)
        return record | {"start_objective": start_objective, "start_nmi": metrics.nmi(true_topics(data), tokens)}

    key = {"experiment": "starts", "corpus": kind.name, "documents": preset.n_documents}
    return Cell.of(run, 3e-7 * preset.n_documents * kind.doc_length, **key, start=start, engine=algorithm, seed=seed)


def cells(preset: Preset) -> list[Cell]:
    """Return what must be computed."""
    return [
        _cell(kind, start, algorithm, preset, seed)
        for kind in (SYNTH_A, SYNTH_B)
        for start in STARTS
        for algorithm in ALGORITHMS
        for seed in range(preset.n_seeds)
    ]


def tables(preset: Preset, results: Results) -> list[Table]:
    """Return the table."""
    rows: list[tuple[str, list[list[Entry] | str]]] = []
    for kind in (SYNTH_A, SYNTH_B):
        for algorithm in ALGORITHMS:
            for start, description in STARTS.items():
                found = [_cell(kind, start, algorithm, preset, seed) for seed in range(preset.n_seeds)]
                papers = PAPER[kind.name, algorithm]
                columns: list[list[Entry] | str] = [
                    [entry(results, found, measure, paper, digits, scale)]
                    for (measure, digits, scale), paper in zip(MEASURES, papers, strict=True)
                ]
                rows.append((f"{kind.name}, {algorithm}", [description, *columns]))
    notes = [
        f"{preset.n_documents:,} documents, penalty 10; the mean over the seeds ± standard deviation. In brackets the "
        "paper's, which does not say where its algorithms start. Objective in millions.",
    ]
    columns_of = ("corpus, algorithm", "start", "NMI", "ARI", "L1", "objective")
    return [Table("starts", "Where Word and Word+Refine start", columns_of, rows, notes)]
