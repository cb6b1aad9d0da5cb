"""The paper's table 1: agreement of the tokens' topics with the truth, by penalty."""

from __future__ import annotations

from crisptopics.experiments.cells import Cell, Results
from crisptopics.experiments.charts import Chart
from crisptopics.experiments.engines import ENGINES, Engine, available
from crisptopics.experiments.planted import SYNTH_A, SYNTH_B, Planted, planted_cell
from crisptopics.experiments.presets import Preset
from crisptopics.experiments.tables import Entry, Table, entry

PENALTIES = {"SynthA": (8, 9, 10, 11, 12), "SynthB": (6, 7, 8, 9, 10)}
PENALISED = tuple(name for name, engine in ENGINES.items() if engine.has_penalty)
WITHOUT_PENALTY = ("Search, penalty auto", "CGS", "tomotopy")

# NMI and adjusted Rand index with 5,000 documents, in the order of the penalties.
PAPER: dict[tuple[str, str], list[tuple[float, float]]] = {
    ("SynthA", "Basic"): [(0.027, 0.009)] * 5,
    ("SynthA", "Word"): [(0.724, 0.669), (0.730, 0.660), (0.786, 0.750), (0.786, 0.745), (0.784, 0.737)],
    ("SynthA", "Word+Refine"): [(0.828, 0.838), (0.839, 0.850), (0.825, 0.810), (0.847, 0.859), (0.848, 0.859)],
    ("SynthA", "CGS"): [(0.829, 0.839)],
    ("SynthB", "Basic"): [(0.043, 0.007)] * 5,
    ("SynthB", "Word"): [(0.850, 0.737), (0.854, 0.743), (0.855, 0.752), (0.855, 0.750), (0.850, 0.743)],
    ("SynthB", "Word+Refine"): [(0.922, 0.886), (0.926, 0.901), (0.913, 0.860), (0.923, 0.899), (0.914, 0.876)],
    ("SynthB", "CGS"): [(0.917, 0.873)],
}


def _cells(kind: Planted, engine: Engine, preset: Preset, penalty: float = 10.0) -> list[Cell]:
    return [
        planted_cell(kind, preset.n_documents, engine, preset, seed, float(penalty)) for seed in range(preset.n_seeds)
    ]


def cells(preset: Preset) -> list[Cell]:
    """Return what must be computed."""
    return [
        cell
        for kind in (SYNTH_A, SYNTH_B)
        for engine in available((*PENALISED, *WITHOUT_PENALTY))
        for penalty in (PENALTIES[kind.name] if engine.has_penalty else (10.0,))
        for cell in _cells(kind, engine, preset, penalty)
    ]


def tables(preset: Preset, results: Results) -> list[Table]:
    """Return a table for each corpus."""
    return [_table(kind, preset, results) for kind in (SYNTH_A, SYNTH_B)]


def charts(preset: Preset, results: Results) -> list[Chart]:
    """Return NMI by penalty for each corpus."""
    return [_chart(kind, preset, results) for kind in (SYNTH_A, SYNTH_B)]


def _entries(kind: Planted, engine: Engine, place: int, preset: Preset, results: Results) -> list[Entry]:
    """Return NMI and adjusted Rand index at one of the penalties."""
    penalty = PENALTIES[kind.name][place] if engine.has_penalty else 10.0
    of_paper = PAPER.get((kind.name, engine.paper_name), [])
    nmi, ari = of_paper[place] if place < len(of_paper) else (None, None)
    found = _cells(kind, engine, preset, penalty)
    return [entry(results, found, "nmi", nmi), entry(results, found, "ari", ari)]


def _table(kind: Planted, preset: Preset, results: Results) -> Table:
    penalties = PENALTIES[kind.name]
    rows: list[tuple[str, list[list[Entry] | str]]] = []
    for engine in available(PENALISED):
        rows.append((engine.name, [_entries(kind, engine, place, preset, results) for place in range(len(penalties))]))
    for engine in available(WITHOUT_PENALTY):
        rows.append((engine.name, [_entries(kind, engine, 0, preset, results), *[""] * (len(penalties) - 1)]))
    notes = [
        f"{preset.n_documents:,} documents; the mean over the seeds ± standard deviation, and in brackets the paper's "
        "(5,000 documents). Each seed has its own corpus and start.",
        f"CGS: the best of {preset.sampling.n_samples} samples, {preset.sampling.thin} sweeps apart, after "
        f"{preset.sampling.burn_in:,}. tomotopy: {preset.tomotopy:,} sweeps, its last state, priors optimised.",
    ]
    columns = ("NMI / ARI", *(f"penalty {penalty}" for penalty in penalties))
    return Table(f"nmi-{kind.name}".lower(), f"Topics of tokens, {kind.name}", columns, rows, notes)


def _chart(kind: Planted, preset: Preset, results: Results) -> Chart:
    penalties = PENALTIES[kind.name]
    lines, paper = [], []
    for engine in available((*PENALISED, "CGS")):
        entries = [_entries(kind, engine, place if engine.has_penalty else 0, preset, results)[0] for place in range(5)]
        known = [(penalty, one.mean) for penalty, one in zip(penalties, entries, strict=True) if one.mean is not None]
        lines.append((engine.name, [float(x) for x, _ in known], [y for _, y in known]))
        if engine.in_paper:
            continue
        theirs = [(float(penalty), one.paper) for penalty, one in zip(penalties, entries, strict=True)]
        if all(y is not None for _, y in theirs):
            paper.append((f"{engine.name}, paper", [x for x, _ in theirs], [y or 0.0 for _, y in theirs]))
    title = f"Topics of tokens by penalty, {kind.name}"
    return Chart(f"nmi-{kind.name}".lower(), title, "penalty", "NMI with the true topics", lines, paper=paper)
