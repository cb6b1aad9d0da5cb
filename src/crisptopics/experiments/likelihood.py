"""The paper's table of real corpora: likelihood of new documents, hard and mixed, and how far topics are apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from crisptopics import metrics
from crisptopics.baselines.gibbs import Inference
from crisptopics.blocks import Workers
from crisptopics.experiments.cells import Cell, Record, Results
from crisptopics.experiments.engines import (
    ENGINES,
    Engine,
    Problem,
    available,
    crisp,
    shares,
    topics_per_document,
)
from crisptopics.experiments.presets import Preset
from crisptopics.experiments.real import Real
from crisptopics.experiments.tables import Entry, Table, finished
from crisptopics.solve import Solution

ALPHA = 0.1  # the paper says only that it is fixed
BETAS = (0.1, 0.01, 0.001)
INFERENCE_SWEEPS = 100
TOP_WORDS = 30
TUNING = 5  # fits of Word+Refine to find the penalty
PENALTIES = 0.5, 500.0  # between which it is sought
ROWS = ("CGS", "VB", "Word+Refine", "Search", "tomotopy")
MEASURES = (("hard", 3), ("original", 3), ("kl", 3), ("mean_log", 3), ("topics_per_document", 1))

PAPER = {
    ("Enron", "CGS"): ((-5.932, -8.583, 3.899), (-5.484, -10.781, 7.084), (-5.091, -13.296, 10.000)),
    ("Enron", "VB"): ((-6.007, -8.803, 4.528), (-5.610, -10.202, 7.010), (-5.334, -11.472, 9.010)),
    ("Enron", "Word+Refine"): ((-5.434, -9.843, 4.541), (-5.147, -11.673, 7.225), (-4.918, -13.737, 9.769)),
    ("NYTimes", "CGS"): ((-6.594, -9.361, 4.374), (-6.205, -11.381, 7.379), (-5.891, -13.716, 10.135)),
    ("NYTimes", "VB"): ((-6.470, -10.077, 5.666), (-6.269, -11.509, 7.803), (-6.023, -12.832, 9.691)),
    ("NYTimes", "Word+Refine"): ((-6.105, -10.612, 5.059), (-5.941, -12.225, 7.315), (-5.633, -14.524, 9.939)),
}


def _problem(real: Real, beta: float, seed: int, preset: Preset, penalty: float = 10.0) -> Problem:
    return Problem(real.train, preset.real_topics, ALPHA, beta, seed, _shortened(preset), penalty)


def _shortened(preset: Preset) -> Preset:
    return replace(preset, sampling=preset.real_sampling, variational=preset.real_variational)


def tuned(problem: Problem, target: float) -> tuple[float, Solution]:
    """Return the penalty under which Word+Refine uses about as many topics in a document as asked for.

    Examples
    --------
    >>> from crisptopics.experiments.planted import SYNTH_A, drawn
    >>> from crisptopics.experiments.presets import QUICK
    >>> problem = Problem(drawn(SYNTH_A, 50, 0)[1], 20, 0.04, 0.05, 0, QUICK)
    >>> 1.0 < tuned(problem, 3.0)[0] < 100.0
    True
    """
    low, high = map(math.log, PENALTIES)
    found: list[tuple[float, float, Solution]] = []
    for _ in range(TUNING):
        penalty = math.exp((low + high) / 2)
        solution = crisp(replace(problem, penalty=penalty), "word+refine")
        used = solution.history[-1].topics_per_document
        found.append((abs(math.log(used / target)), penalty, solution))
        low, high = (math.log(penalty), high) if used > target else (low, math.log(penalty))
    _, penalty, solution = min(found, key=lambda one: one[0])
    return penalty, solution


def mixed(real: Real, psi: NDArray[np.float64], seed: int) -> tuple[float, float]:
    r"""Return the likelihood per token of the held-out documents as mixtures of topics, in two readings.

    First the mean of :math:`\log \sum_k \theta_k \psi_{kw}`, what the paper's words say; then the mean of
    :math:`\sum_k \theta_k \log \psi_{kw}`, which its numbers resemble more. theta is sampled, the topics fixed.

    Examples
    --------
    >>> from crisptopics.corpus import Corpus
    >>> documents = Corpus.from_counts([[2, 0], [0, 1]])
    >>> original, mean_log = mixed(Real("", documents, documents, "", ""), np.array([[0.9, 0.1], [0.1, 0.9]]), seed=0)
    >>> original > mean_log
    True
    """
    corpus = real.held_out
    with Workers(1) as workers:
        theta = Inference(psi, ALPHA, INFERENCE_SWEEPS, seed).shares(corpus, workers)
    documents = corpus.document_of
    inside = psi[:, corpus.words]
    mixture = np.einsum("ek,ke->e", theta[documents], inside)
    logs = np.einsum("ek,ke->e", theta[documents], np.log(inside))
    return float(corpus.counts @ np.log(mixture) / corpus.n_tokens), float(corpus.counts @ logs / corpus.n_tokens)


def judged(real: Real, counts: sparse.csr_array, beta: float, penalty: float, seed: int) -> Record:
    """Return how well topics foretell the held-out documents, how far they are apart, and their first words.

    Examples
    --------
    >>> from crisptopics.corpus import Corpus
    >>> documents = Corpus.from_counts([[2, 0], [0, 1]])
    >>> real = Real("sun and rain", documents, documents, "made up", "")
    >>> record = judged(real, sparse.csr_array([[9, 1], [1, 9]]), 0.1, 1.0, seed=0)
    >>> record["hard"] > record["original"] > record["mean_log"]
    True
    """
    psi, names = shares(counts.toarray(), beta), real.held_out.word_names
    original, mean_log = mixed(real, psi, seed)
    first = np.argsort(-psi, axis=1, kind="stable")[:, :TOP_WORDS]
    return {
        "hard": metrics.hard_log_likelihood(real.held_out, counts, penalty, beta),
        "original": original,
        "mean_log": mean_log,
        "kl": metrics.symmetric_kl(counts, beta),
        "top_words": [[names[word] for word in row] for row in first],
    }


def pair_cell(real: Real, beta: float, seed: int, preset: Preset) -> Cell:
    """Return the cell of the sampler and of Word+Refine, its penalty tuned to the sampler's topics per document."""
    sampler = ENGINES["CGS"]

    def run(_: object) -> Record:
        problem = _problem(real, beta, seed, preset)
        answer = sampler.find(problem)
        used = topics_per_document(real.train, answer.states[-1])
        penalty, solution = tuned(problem, used)
        counts = solution.counts.to_matrix()
        assert answer.counts is not None
        return {
            "penalty": penalty,
            "CGS": judged(real, answer.counts, beta, penalty, seed) | {"topics_per_document": used},
            "Word+Refine": judged(real, counts, beta, penalty, seed)
            | {"topics_per_document": solution.history[-1].topics_per_document},
        }

    size = real.train.n_tokens * preset.real_topics
    seconds = 1e-9 * size * (preset.real_sampling.n_iter + 25 * TUNING)
    return Cell.of(run, seconds, **_key("CGS, Word+Refine", sampler, real, beta, seed, preset))


def _cell(engine: Engine, real: Real, beta: float, seed: int, preset: Preset) -> Cell:
    """Return the cell of another engine, with the penalty of the pair."""

    def run(results: Results) -> Record:
        penalty = results.need(pair_cell(real, beta, seed, preset))["penalty"]
        answer = engine.find(_problem(real, beta, seed, preset, penalty))
        assert answer.counts is not None
        used = topics_per_document(real.train, answer.states[-1]) if answer.states else None
        record = judged(real, answer.counts, beta, penalty, seed) | {"topics_per_document": used}
        return {"penalty": penalty, engine.name: record}

    seconds = engine.seconds(real.train.n_tokens, preset.real_topics, _shortened(preset))
    return Cell.of(run, seconds, **_key(engine.name, engine, real, beta, seed, preset))


def _key(name: str, engine: Engine, real: Real, beta: float, seed: int, preset: Preset) -> dict[str, str | int | float]:
    settings = engine.settings(_shortened(preset))
    key: dict[str, str | int | float] = {"experiment": "likelihood", "corpus": real.name, "digest": real.digest}
    return key | {"engine": name, "settings": settings, "topics": preset.real_topics, "beta": beta, "seed": seed}


def cell_of(engine: Engine, real: Real, beta: float, seed: int, preset: Preset) -> Cell:
    """Return the cell that an engine's numbers are in."""
    if engine.name in ("CGS", "Word+Refine"):
        return pair_cell(real, beta, seed, preset)
    return _cell(engine, real, beta, seed, preset)


def cells(corpora: Sequence[Real], preset: Preset) -> list[Cell]:
    """Return what must be computed."""
    return [
        cell_of(engine, real, beta, seed, preset)
        for engine in available(ROWS)
        for real in corpora
        for beta in BETAS
        for seed in range(preset.real_seeds)
    ]


def tables(corpora: Sequence[Real], preset: Preset, results: Results) -> list[Table]:
    """Return a table for each corpus."""
    return [_table(real, preset, results) for real in corpora]


def _table(real: Real, preset: Preset, results: Results) -> Table:
    rows: list[tuple[str, list[list[Entry] | str]]] = []
    for place, beta in enumerate(BETAS):
        for engine in available(ROWS):
            found = [cell_of(engine, real, beta, seed, preset) for seed in range(preset.real_seeds)]
            records = [record[engine.name] for record in finished(results, found)]
            papers = PAPER.get((real.name, engine.name), ((None,) * 3,) * 3)[place]
            columns: list[list[Entry] | str] = []
            for (measure, digits), paper in zip(MEASURES, (*papers, None, None), strict=True):
                values = tuple(record[measure] for record in records if record[measure] is not None)
                columns.append([Entry(measure, values, paper, digits)] if values or paper or not records else "")
            rows.append((f"{engine.name}, beta {beta}", columns))
    tokens = real.train.n_tokens + real.held_out.n_tokens
    sampling = preset.real_sampling
    notes = [
        f"{real.name} ({real.source}): {len(real.train) + len(real.held_out):,} documents, {real.train.n_words:,} "
        f"words, {tokens:,} tokens, of which {len(real.held_out):,} documents are held out; {preset.real_topics} "
        f"topics, alpha {ALPHA}; {preset.real_seeds} seed. In brackets the paper's numbers, on its own corpus.",
        f"CGS: the state after {sampling.n_iter:,} sweeps. VB: {preset.real_variational} iterations. tomotopy: "
        f"{preset.tomotopy:,} sweeps, alpha optimised. Word+Refine: the penalty under which it has as many topics in a "
        "document as CGS; hard likelihoods use it for all. Mean log: the mean of the logarithms instead of the "
        "logarithm of the mean (docs/reproduction.md).",
    ]
    columns_of = ("engine", "hard", "original", "KL", "mean log", "topics/document")
    return Table(f"likelihood-{real.slug}", f"Likelihood of new documents, {real.name}", columns_of, rows, notes)
