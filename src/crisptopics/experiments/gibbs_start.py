"""The paper's figures of the Gibbs sampler started from Word+Refine: topic errors, and likelihood of new documents."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from crisptopics import metrics
from crisptopics.blocks import Workers
from crisptopics.chain import Chain
from crisptopics.experiments.cells import Cell, Record, Results
from crisptopics.experiments.charts import Chart
from crisptopics.experiments.engines import Problem, crisp, document_topics
from crisptopics.experiments.likelihood import ALPHA, mixed
from crisptopics.experiments.planted import SYNTH_B, drawn
from crisptopics.experiments.presets import Preset
from crisptopics.experiments.real import Real
from crisptopics.experiments.tables import Entry, Table, finished

ITERATIONS = 3  # of Word+Refine
REAL_BETA, SEED = 0.01, 0
SLACK, REAL_SLACK = 0.05, 0.01  # a chain has arrived when it is this close to where the random one ends
COLUMNS = (
    "start",
    "at the start",
    "at the end",
    "start, in sweeps",
    "sweeps",
    "times fewer sweeps",
    "times faster",
)
PAPER = 5.0  # "more than 5-fold speed-up"


@dataclass(frozen=True)
class Start:
    """Where a chain starts: after a few iterations of Word+Refine at a penalty, or, without one, at random.

    Word+Refine itself starts from random topics of "entries" or "documents", as in the experiment `starts`.
    """

    penalty: float | None = None
    of: str = "entries"

    def __str__(self) -> str:
        if self.penalty is None:
            return "random"
        return f"W+R, penalty {self.penalty:g}" + ("" if self.of == "entries" else f", from {self.of}")


STARTS = (Start(), *(Start(penalty) for penalty in (6.0, 10.0)), Start(10.0, "documents"))
REAL_STARTS = (Start(), Start(10.0), Start(10.0, "documents"))

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


def trace(problem: Problem, start: Start, n_sweeps: int, measure: Measure) -> Record:
    """Measure a chain of the sampler at some of its sweeps.

    Examples
    --------
    >>> from crisptopics.experiments.presets import QUICK
    >>> data, corpus = drawn(SYNTH_B, 50, 0)
    >>> problem = Problem(corpus, 50, 0.02, 0.01, 0, QUICK)
    >>> record = trace(problem, Start(), 3, lambda psi, counts: metrics.topic_l1(psi, data.psi))
    >>> record["sweeps"]
    [0, 1, 2, 3]
    """
    corpus, seconds, tokens = problem.corpus, 0.0, None
    if start.penalty is not None:
        began = time.perf_counter()
        entries = document_topics(corpus, problem.n_topics, problem.seed) if start.of == "documents" else None
        solution = crisp(replace(problem, penalty=start.penalty), "word+refine", entries, ITERATIONS)
        seconds = time.perf_counter() - began
        tokens = np.repeat(solution.topics, corpus.counts)
    chain = Chain(corpus, problem.n_topics, problem.alpha, problem.beta, problem.seed, tokens)
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


def _planted_cell(start: Start, preset: Preset) -> Cell:
    def run(_: object) -> Record:
        data, corpus = drawn(SYNTH_B, preset.n_documents, SEED)
        problem = Problem(corpus, SYNTH_B.n_topics, SYNTH_B.alpha, SYNTH_B.beta, SEED, preset)
        return trace(problem, start, preset.trace_sweeps, lambda psi, _: metrics.topic_l1(psi, data.psi))

    key: dict[str, str | int | float] = {
        "experiment": "gibbs-start",
        "corpus": SYNTH_B.name,
        "documents": preset.n_documents,
    }
    seconds = 5e-8 * preset.n_documents * SYNTH_B.doc_length * preset.trace_sweeps
    return Cell.of(run, seconds, **key, start=str(start), sweeps=preset.trace_sweeps, seed=SEED)


def _real_cell(real: Real, start: Start, preset: Preset) -> Cell:
    n_sweeps = preset.trace_sweeps // 2

    def run(_: object) -> Record:
        problem = Problem(real.train, preset.real_topics, ALPHA, REAL_BETA, SEED, preset)

        def original(psi: NDArray[np.float64], _: sparse.csr_array) -> float:
            return mixed(real, psi, SEED)[0]

        return trace(problem, start, n_sweeps, original)

    key: dict[str, str | int | float] = {
        "experiment": "gibbs-start",
        "corpus": real.name,
        "digest": real.digest,
        "topics": preset.real_topics,
    }
    seconds = 1e-9 * real.train.n_tokens * preset.real_topics * n_sweeps
    return Cell.of(run, seconds, **key, start=str(start), sweeps=n_sweeps, seed=SEED)


def cells(corpora: Sequence[Real], preset: Preset) -> list[Cell]:
    """Return what must be computed."""
    planted = [_planted_cell(start, preset) for start in STARTS]
    return planted + [_real_cell(real, start, preset) for real in corpora for start in REAL_STARTS]


def arrival(record: Record, target: float, rising: bool) -> int | None:
    """Return the first measured sweep at which a chain is as good as the target; None if never.

    Examples
    --------
    >>> arrival({"sweeps": [0, 1, 2], "values": [1.8, 0.4, 0.2]}, 0.5, rising=False)
    1
    """
    for sweep, value in zip(record["sweeps"], record["values"], strict=True):
        if (value >= target) if rising else (value <= target):
            return int(sweep)
    return None


def start_cost(record: Record) -> float:
    """Return what the start took, as a number of sweeps of the same run.

    Examples
    --------
    >>> start_cost({"sweeps": [0, 10], "seconds": [3.0, 13.0]})
    3.0
    """
    first, last = record["seconds"][0], record["seconds"][-1]
    return float(first * record["sweeps"][-1] / (last - first))


def _chains(found: Sequence[Cell], results: Results) -> list[tuple[str, Record]]:
    return [(str(dict(cell.key)["start"]), record) for cell in found for record in finished(results, [cell])]


def _rows(chains: list[tuple[str, Record]], rising: bool) -> list[tuple[str, list[list[Entry] | str]]]:
    """Return, for each chain, when it arrives where the random one ends, and how much sooner."""
    ends = [record for start, record in chains if start == "random"]
    if not ends:
        return [("random", ["not run", *[""] * (len(COLUMNS) - 2)])]
    last = ends[0]["values"][-1]
    target = last - REAL_SLACK if rising else last * (1 + SLACK)
    slow = arrival(ends[0], target, rising)
    rows: list[tuple[str, list[list[Entry] | str]]] = []
    for start, record in chains:
        ours, cost = arrival(record, target, rising), start_cost(record)
        columns: list[list[Entry] | str] = [
            [Entry("at the start", (record["values"][0],))],
            [Entry("at the end", (record["values"][-1],))],
            [Entry("start, in sweeps", (cost,), None, 1)],
        ]
        if ours is None or slow is None:
            rows.append((start, [*columns, "never", "", ""]))
            continue
        faster = None if start == "random" else PAPER
        columns.append([Entry("sweeps", (float(ours),), None, 0)])
        columns.append([Entry("times fewer sweeps", (slow / max(1, ours),), faster, 1)])
        columns.append([Entry("times faster", (slow / max(1.0, ours + cost),), faster, 1)])
        rows.append((start, columns))
    return rows


def tables(corpora: Sequence[Real], preset: Preset, results: Results) -> list[Table]:
    """Return how much sooner a chain arrives, for SynthB and for each real corpus."""
    return [_planted_table(preset, results), *(_real_table(real, preset, results) for real in corpora)]


def _planted_table(preset: Preset, results: Results) -> Table:
    chains = _chains([_planted_cell(start, preset) for start in STARTS], results)
    notes = [
        f"{preset.n_documents:,} documents, one seed, {preset.trace_sweeps:,} sweeps from random topics and from "
        f"{ITERATIONS} iterations of Word+Refine, which count, too. A chain has arrived when its L1 error is at most "
        f"{SLACK:.0%} above the random chain's last. In brackets the paper's: more than 5-fold.",
    ]
    title = "Gibbs sampling from Word+Refine, topic errors on SynthB"
    return Table("gibbs-start-synthb", title, COLUMNS, _rows(chains, rising=False), notes)


def _real_table(real: Real, preset: Preset, results: Results) -> Table:
    chains = _chains([_real_cell(real, start, preset) for start in REAL_STARTS], results)
    notes = [
        f"{real.name} ({real.source}), {preset.real_topics} topics, beta {REAL_BETA}, one seed, "
        f"{preset.trace_sweeps // 2:,} sweeps; the original likelihood, theta sampled. A chain has arrived when it is "
        f"at most {REAL_SLACK} below the random chain's last.",
    ]
    title = f"Gibbs sampling from Word+Refine, likelihood of new documents, {real.name}"
    return Table(f"gibbs-start-{real.slug}", title, COLUMNS, _rows(chains, rising=True), notes)


def charts(corpora: Sequence[Real], preset: Preset, results: Results) -> list[Chart]:
    """Return the traces."""
    planted = [_planted_cell(start, preset) for start in STARTS]
    found = [_chart("gibbs-start-synthb", "SynthB", "mean L1 distance of topics", _chains(planted, results))]
    for real in corpora:
        chains = _chains([_real_cell(real, start, preset) for start in REAL_STARTS], results)
        found.append(_chart(f"gibbs-start-{real.slug}", real.name, "log-likelihood of held-out words", chains))
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
