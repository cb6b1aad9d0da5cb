"""The paper's table of topic reconstruction errors on SynthB."""

from __future__ import annotations

from dataclasses import replace

from crisptopics.experiments.cells import Cell, Results
from crisptopics.experiments.charts import Chart
from crisptopics.experiments.engines import Engine, available
from crisptopics.experiments.planted import SYNTH_B, planted_cell
from crisptopics.experiments.presets import Preset
from crisptopics.experiments.tables import Entry, Table, entry

PENALTIES = tuple(range(6, 13))
ROWS = (
    "CGS",
    "VB",
    "Anchor",
    "Basic",
    "Word",
    "Word+Refine",
    "Word+Refine from documents",
    "Search",
    "Search, penalty auto",
    "KMeans",
    "tomotopy",
)
MANY = 10_000  # documents; on more, only Search and those engines run that the paper gives a number for
PAPER = {
    "CGS": {6000: 0.098, 8000: 0.338, 10_000: 0.276},
    "VB": {6000: 0.448, 8000: 0.443, 10_000: 0.392},
    "Anchor": {6000: 0.118, 8000: 0.118, 10_000: 0.112, 20_000: 0.103},
    "Basic": {6000: 1.805, 8000: 1.796, 10_000: 1.794},
    "Word": {6000: 0.582, 8000: 0.537, 10_000: 0.504},
    "Word+Refine": {6000: 0.155, 8000: 0.110, 10_000: 0.105, 20_000: 0.095},
    "KMeans": {6000: 1.022, 8000: 0.921, 10_000: 0.952},
}


def _runs(engine: Engine, n_documents: int) -> bool:
    return n_documents <= MANY or engine.name.startswith("Search") or n_documents in PAPER.get(engine.paper_name, {})


def _cells(engine: Engine, n_documents: int, preset: Preset, penalty: float = 10.0) -> list[Cell]:
    n_seeds = preset.variational_seeds if engine.name == "VB" else preset.n_seeds
    return [planted_cell(SYNTH_B, n_documents, engine, preset, seed, float(penalty)) for seed in range(n_seeds)]


def cells(preset: Preset) -> list[Cell]:
    """Return what must be computed."""
    return [
        cell
        for n_documents in preset.sizes
        for engine in available(ROWS)
        if _runs(engine, n_documents)
        for penalty in (PENALTIES if engine.has_penalty else (10.0,))
        for cell in _cells(engine, n_documents, preset, penalty)
    ]


def tables(preset: Preset, results: Results) -> list[Table]:
    """Return the table, with the best penalty of each cell, as in the paper."""
    columns = ("engine", *(f"{size:,}" for size in preset.sizes))
    rows = [
        (engine.name, [_entries(engine, size, preset, results) for size in preset.sizes]) for engine in available(ROWS)
    ]
    sampling = preset.sampling
    notes = [
        "Mean L1 distance of the topics from the true ones, by number of documents; the mean over the seeds ± standard "
        "deviation, the best of the penalties 6 to 12 in round brackets, the paper's number in square ones.",
        f"CGS: {sampling.n_samples} samples {sampling.thin} sweeps apart, averaged, after {sampling.burn_in:,}. VB: "
        f"{preset.variational} iterations, {preset.variational_seeds} seed. tomotopy: {preset.tomotopy:,} sweeps, its "
        "last state, priors optimised.",
    ]
    return [Table("reconstruction", "Topic reconstruction error, SynthB", columns, rows, notes)]


def charts(preset: Preset, results: Results) -> list[Chart]:
    """Return the errors by number of documents."""
    lines, paper = [], []
    for engine in available(ROWS):
        means = [(size, best_entry(engine, size, preset, results).mean) for size in preset.sizes]
        known = [(float(size), mean) for size, mean in means if mean is not None]
        lines.append((engine.name, [size for size, _ in known], [mean for _, mean in known]))
        theirs = PAPER.get(engine.name, {})
        if engine.name in ("CGS", "Word+Refine"):
            paper.append((f"{engine.name}, paper", [float(size) for size in theirs], list(theirs.values())))
    title = "Topic reconstruction error, SynthB"
    return [Chart("reconstruction", title, "documents", "mean L1 distance of topics", lines, paper=paper)]


def best_entry(engine: Engine, n_documents: int, preset: Preset, results: Results) -> Entry:
    """Return the error at the penalty where it is least, on average over the seeds."""
    paper = PAPER.get(engine.paper_name, {}).get(n_documents)
    if not engine.has_penalty:
        return entry(results, _cells(engine, n_documents, preset), "l1", paper)
    tried = [(entry(results, _cells(engine, n_documents, preset, one), "l1", paper), one) for one in PENALTIES]
    ran = [(one, penalty) for one, penalty in tried if one.mean is not None]
    best, penalty = min(ran, key=lambda pair: pair[0].mean or 0.0, default=(Entry("l1", (), paper), None))
    return best if penalty is None else replace(best, note=", ".join(filter(None, [f"{penalty}", best.note])))


def _entries(engine: Engine, n_documents: int, preset: Preset, results: Results) -> list[Entry] | str:
    return [best_entry(engine, n_documents, preset, results)] if _runs(engine, n_documents) else ""
