"""The paper's figures of the Gibbs sampler started from Word+Refine: topic errors, and likelihood of new documents."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from crisptopics import metrics
from crisptopics.baselines.gibbs import Chain
from crisptopics.blocks import Workers
from crisptopics.experiments.cells import Cell, Record, Results
from crisptopics.experiments.charts import Chart
from crisptopics.experiments.engines import Problem, crisp
from crisptopics.experiments.likelihood import ALPHA, judged
from crisptopics.experiments.planted import SYNTH_B, drawn
from crisptopics.experiments.presets import Preset
from crisptopics.experiments.real import Real
from crisptopics.experiments.tables import Entry, Table, finished

PENALTIES = (6.0, 8.0, 10.0, 12.0)
ITERATIONS = 3  # of Word+Refine
REAL_PENALTY, REAL_BETA, REAL_SEED = 10.0, 0.01, 0
SLACK = 0.05  # a chain has arrived when it is this close to where the random one ends
PAPER = 5.0  # "more than 5-fold speed-up"

Measure = Callable[[NDArray[np.float64], sparse.csr_array], float]


def marks(n_sweeps: int) -> list[int]:
    """Return the sweeps at which a chain is measured, closer together at the beginning.

    Examples
    --------
    >>> marks(20)
    [0, 1, 2, 3, 5, 7, 10, 14, 20]
    """
    steps = (int(base * 10**power) for power in range(6) for base in (1, 1.4, 2, 3, 5, 7))
    return [0, *sorted({step for step in steps if step < n_sweeps}), n_sweeps]


def trace(problem: Problem, penalty: float | None, n_sweeps: int, measure: Measure) -> Record:
    """Measure a chain of the sampler that starts from Word+Refine, or at random without a penalty.

    Examples
    --------
    >>> from crisptopics.experiments.presets import QUICK
    >>> data, corpus = drawn(SYNTH_B, 50, 0)
    >>> problem = Problem.of(corpus, 50, 0.02, 0.01, 0, QUICK)
    >>> record = trace(problem, None, 3, lambda psi, counts: metrics.topic_l1(psi, data.psi))
    >>> record["sweeps"]
    [0, 1, 2, 3]
    """
    corpus, seconds, start = problem.corpus, 0.0, None
    if penalty is not None:
        began = time.perf_counter()
        solution = crisp(replace(problem, penalty=penalty), "word+refine", n_iter=ITERATIONS)
        seconds = time.perf_counter() - began
        start = np.repeat(solution.topics, corpus.counts)
    chain = Chain(corpus, problem.n_topics, problem.alpha, problem.beta, problem.seed, start)
    sweeps = marks(n_sweeps)
    times, values = [], []
    with Workers(1) as workers:
        for mark in sweeps:
            began = time.perf_counter()
            while chain.iteration < mark:
                chain.sweep(workers)
            seconds += time.perf_counter() - began
            times.append(seconds)
            values.append(measure(chain.components, sparse.csr_array(chain.topic_word_counts)))
    return {"sweeps": sweeps, "seconds": times, "values": values}


def _label(penalty: float | None) -> str:
    return "random" if penalty is None else f"W+R, penalty {penalty:g}"


def _planted_cell(penalty: float | None, seed: int, preset: Preset) -> Cell:
    def run(_: object) -> Record:
        data, corpus = drawn(SYNTH_B, preset.n_documents, seed)
        problem = Problem.of(corpus, SYNTH_B.n_topics, SYNTH_B.alpha, SYNTH_B.beta, seed, preset)
        return trace(problem, penalty, preset.trace_sweeps, lambda psi, _: metrics.topic_l1(psi, data.psi))

    key = {"experiment": "gibbs-start", "corpus": SYNTH_B.name, "documents": preset.n_documents}
    seconds = 5e-8 * preset.n_documents * SYNTH_B.doc_length * preset.trace_sweeps
    return Cell.of(run, seconds, **key, start=_label(penalty), sweeps=preset.trace_sweeps, seed=seed)


def _real_cell(real: Real, penalty: float | None, preset: Preset) -> Cell:
    n_sweeps = preset.trace_sweeps // 2

    def run(_: object) -> Record:
        problem = Problem.of(real.train, preset.real_topics, ALPHA, REAL_BETA, REAL_SEED, preset)

        def original(_: NDArray[np.float64], counts: sparse.csr_array) -> float:
            return float(judged(real, counts, REAL_BETA, REAL_PENALTY, REAL_SEED)["original"])

        return trace(problem, penalty, n_sweeps, original)

    key = {"experiment": "gibbs-start", "corpus": real.name, "digest": real.digest, "topics": preset.real_topics}
    seconds = 1e-9 * real.train.n_tokens * preset.real_topics * n_sweeps
    return Cell.of(run, seconds, **key, start=_label(penalty), sweeps=n_sweeps, seed=REAL_SEED)


def cells(corpora: Sequence[Real], preset: Preset) -> list[Cell]:
    """Return what must be computed."""
    starts = (None, *PENALTIES)
    planted = [_planted_cell(start, seed, preset) for start in starts for seed in range(preset.real_seeds)]
    return planted + [_real_cell(real, start, preset) for real in corpora for start in (None, REAL_PENALTY)]


def arrival(record: Record, target: float, rising: bool) -> tuple[int, float] | None:
    """Return the first measured sweep, and its seconds, at which a chain is as good as the target; None if never.

    Examples
    --------
    >>> arrival({"sweeps": [0, 1, 2], "seconds": [0.0, 0.5, 1.0], "values": [1.8, 0.4, 0.2]}, 0.5, rising=False)
    (1, 0.5)
    """
    for sweep, seconds, value in zip(record["sweeps"], record["seconds"], record["values"], strict=True):
        if (value >= target) if rising else (value <= target):
            return sweep, seconds
    return None


def _chains(found: Sequence[Cell], results: Results) -> list[tuple[str, Record]]:
    return [(str(dict(cell.key)["start"]), record) for cell in found for record in finished(results, [cell])]


def _rows(chains: list[tuple[str, Record]], rising: bool) -> list[tuple[str, list[list[Entry] | str]]]:
    """Return, for each chain, when it arrives where the random one ends, and how much sooner."""
    ends = [record for start, record in chains if start == "random"]
    if not ends:
        return []
    last = ends[0]["values"][-1]
    target = last - SLACK * abs(last) * 0.2 if rising else last * (1 + SLACK)
    slow = arrival(ends[0], target, rising)
    rows: list[tuple[str, list[list[Entry] | str]]] = []
    for start, record in chains:
        ours = arrival(record, target, rising)
        values = [[Entry("at the start", (record["values"][0],))], [Entry("at the end", (record["values"][-1],))]]
        if ours is None or slow is None:
            rows.append((start, [*values, "never", "", "", ""]))
            continue
        faster = None if start == "random" else PAPER
        ratios = [
            [Entry("sweeps", (float(ours[0]),), None, 0)],
            [Entry("seconds", (ours[1],), None, 1)],
            [Entry("times fewer sweeps", (slow[0] / max(1, ours[0]),), faster, 1)],
            [Entry("times faster", (slow[1] / max(1e-9, ours[1]),), faster, 1)],
        ]
        rows.append((start, [*values, *ratios]))
    return rows


def tables(corpora: Sequence[Real], preset: Preset, results: Results) -> list[Table]:
    """Return how much sooner a chain arrives, for SynthB and for each real corpus."""
    columns = ("start", "at the start", "at the end", "sweeps", "seconds", "times fewer sweeps", "times faster")
    planted = [_planted_cell(start, 0, preset) for start in (None, *PENALTIES)]
    found = [
        Table(
            "gibbs-start-synthb",
            "Gibbs sampling from Word+Refine, topic errors on SynthB",
            columns,
            _rows(_chains(planted, results), rising=False),
            [
                f"{preset.n_documents:,} documents, one seed, {preset.trace_sweeps:,} sweeps from random topics and from "
                f"{ITERATIONS} iterations of Word+Refine, whose time counts. A chain has arrived when its L1 error is at "
                f"most {SLACK:.0%} above the random chain's last. In brackets the paper's: more than 5-fold.",
            ],
        )
    ]
    for real in corpora:
        chains = _chains([_real_cell(real, start, preset) for start in (None, REAL_PENALTY)], results)
        found.append(
            Table(
                f"gibbs-start-{real.name}".lower().replace(" ", "-"),
                f"Gibbs sampling from Word+Refine, likelihood of new documents, {real.name}",
                columns,
                _rows(chains, rising=True),
                [
                    f"{real.name} ({real.source}), {preset.real_topics} topics, beta {REAL_BETA}, penalty "
                    f"{REAL_PENALTY:g}, one seed, {preset.trace_sweeps // 2:,} sweeps; the original likelihood, theta "
                    f"sampled. A chain has arrived when it is at most {SLACK * 0.2:.0%} below the random chain's last.",
                ],
            )
        )
    return found


def charts(corpora: Sequence[Real], preset: Preset, results: Results) -> list[Chart]:
    """Return the traces."""
    planted = [_planted_cell(start, 0, preset) for start in (None, *PENALTIES)]
    found = [_chart("gibbs-start-synthb", "SynthB", "mean L1 distance of topics", _chains(planted, results))]
    for real in corpora:
        chains = _chains([_real_cell(real, start, preset) for start in (None, REAL_PENALTY)], results)
        name = f"gibbs-start-{real.name}".lower().replace(" ", "-")
        found.append(_chart(name, real.name, "log-likelihood of held-out words", chains))
    return found


def _chart(name: str, corpus: str, y_label: str, chains: list[tuple[str, Record]]) -> Chart:
    lines = [
        (start, [max(0.7, float(sweep)) for sweep in record["sweeps"]], record["values"]) for start, record in chains
    ]
    return Chart(
        name,
        f"Gibbs sampling by start, {corpus}",
        "sweeps (at the left end, before the first)",
        y_label,
        lines,
        log_x=True,
    )
