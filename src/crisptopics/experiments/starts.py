"""What the paper leaves open: where Word and Word+Refine start, and how low the objective could be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crisptopics.blocks import Workers
from crisptopics.corpus import Corpus
from crisptopics.datasets import LDACorpus
from crisptopics.experiments.cells import Cell, Record, Results
from crisptopics.experiments.engines import Problem, Topics, crisp, crisp_answer, document_topics
from crisptopics.experiments.planted import SYNTH_A, SYNTH_B, Planted, drawn, measured, true_topics
from crisptopics.experiments.presets import Preset
from crisptopics.experiments.tables import Entry, Table, entry
from crisptopics.solve import Algorithm
from crisptopics.start import random_topics, starting_topics

PENALTIES = (8, 10, 12)
SHOWN = 10  # the penalty whose L1 error and objective are shown
ALGORITHMS: tuple[Algorithm, ...] = ("word", "word+refine")
STARTS = {
    "entries": "a random topic for each word of a document (ours)",
    "tokens": "a random topic for each token",
    "documents": "a random topic for each document",
    "truth": "the true topics",
}


@dataclass(frozen=True)
class OfPaper:
    """The paper's numbers: NMI and adjusted Rand index by penalty, and the objective in millions."""

    agreement: dict[int, tuple[float, float]]
    objective: float


PAPER = {
    ("SynthA", "word"): OfPaper({8: (0.724, 0.669), 10: (0.786, 0.750), 12: (0.784, 0.737)}, 4.06),
    ("SynthA", "word+refine"): OfPaper({8: (0.828, 0.838), 10: (0.825, 0.810), 12: (0.848, 0.859)}, 3.98),
    ("SynthB", "word"): OfPaper({8: (0.855, 0.752), 10: (0.850, 0.743)}, 3.79),
    ("SynthB", "word+refine"): OfPaper({8: (0.913, 0.860), 10: (0.914, 0.876)}, 3.61),
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
        return document_topics(corpus, n_topics, seed)
    if name == "truth":  # equal words of a document may come from different topics: the first one's is taken
        first: Topics = true_topics(data)[np.concatenate([[0], np.cumsum(corpus.counts)[:-1]])]
        return first
    counts = np.zeros((n_topics, corpus.n_words))
    np.add.at(counts, (random_topics(corpus.n_tokens, n_topics, seed), np.repeat(corpus.words, corpus.counts)), 1.0)
    with Workers(1) as workers:  # equal words share a topic as soon as Word has assigned them
        return starting_topics(corpus, counts, n_topics, seed, {}, float(SHOWN), workers)


def _cell(kind: Planted, start: str, algorithm: Algorithm, penalty: int, preset: Preset, seed: int) -> Cell:
    def run(_: object) -> Record:
        data, corpus = drawn(kind, preset.n_documents, seed)
        problem = Problem(corpus, kind.n_topics, kind.alpha, kind.beta, seed, preset, float(penalty))
        topics = start_topics(start, data, corpus, kind.n_topics, seed)
        return measured(data, corpus, crisp_answer(problem, crisp(problem, algorithm, topics)))

    key: dict[str, str | int | float] = {"experiment": "starts", "corpus": kind.name, "documents": preset.n_documents}
    seconds = 1.5e-6 * preset.n_documents * kind.doc_length
    return Cell.of(run, seconds, **key, start=start, engine=algorithm, penalty=penalty, seed=seed)


def cells(preset: Preset) -> list[Cell]:
    """Return what must be computed."""
    return [
        _cell(kind, start, algorithm, penalty, preset, seed)
        for kind in (SYNTH_A, SYNTH_B)
        for start in STARTS
        for algorithm in ALGORITHMS
        for penalty in PENALTIES
        for seed in range(preset.n_seeds)
    ]


def tables(preset: Preset, results: Results) -> list[Table]:
    """Return the table."""
    rows: list[tuple[str, list[list[Entry] | str]]] = [
        (f"{kind.name}, {algorithm}", [description, *_columns(kind, start, algorithm, preset, results)])
        for kind in (SYNTH_A, SYNTH_B)
        for algorithm in ALGORITHMS
        for start, description in STARTS.items()
    ]
    notes = [
        f"{preset.n_documents:,} documents; the mean over the seeds ± standard deviation. In brackets the paper's, "
        "which does not say where its algorithms start. Objective in millions.",
    ]
    agreement = (f"NMI / ARI, penalty {penalty}" for penalty in PENALTIES)
    columns = ("corpus, algorithm", "start", *agreement, f"L1, penalty {SHOWN}", f"objective, penalty {SHOWN}")
    return [Table("starts", "Where Word and Word+Refine start", columns, rows, notes)]


def _columns(kind: Planted, start: str, algorithm: Algorithm, preset: Preset, results: Results) -> list[list[Entry]]:
    """Return agreement with the truth at each penalty, then L1 error and objective at one of them."""
    paper, columns = PAPER[kind.name, algorithm], []
    for penalty in PENALTIES:
        found = [_cell(kind, start, algorithm, penalty, preset, seed) for seed in range(preset.n_seeds)]
        nmi, ari = paper.agreement.get(penalty, (None, None))
        columns.append([entry(results, found, "nmi", nmi), entry(results, found, "ari", ari)])
    found = [_cell(kind, start, algorithm, SHOWN, preset, seed) for seed in range(preset.n_seeds)]
    return [
        *columns,
        [entry(results, found, "l1")],
        [entry(results, found, "objective", paper.objective, scale=1e-6)],
    ]
