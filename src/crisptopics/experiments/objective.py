"""The paper's table of objectives at penalty 10."""

from __future__ import annotations

from crisptopics.experiments.cells import Cell, Results
from crisptopics.experiments.engines import ENGINES, Engine, available
from crisptopics.experiments.planted import SYNTH_A, SYNTH_B, Planted, planted_cell
from crisptopics.experiments.presets import Preset
from crisptopics.experiments.tables import Entry, Table, entry

PENALTY = 10.0
KINDS = (SYNTH_A, SYNTH_B)
PENALISED = tuple(name for name, engine in ENGINES.items() if engine.has_penalty)

# Millions.
PAPER = {
    ("SynthA", "Basic"): 5.07,
    ("SynthA", "Word"): 4.06,
    ("SynthA", "Word+Refine"): 3.98,
    ("SynthB", "Basic"): 5.45,
    ("SynthB", "Word"): 3.79,
    ("SynthB", "Word+Refine"): 3.61,
}


def _cells(kind: Planted, engine: Engine, preset: Preset) -> list[Cell]:
    return [planted_cell(kind, preset.n_documents, engine, preset, seed, PENALTY) for seed in range(preset.n_seeds)]


def cells(preset: Preset) -> list[Cell]:
    """Return what must be computed: cells that the table of NMI has, too."""
    return [cell for kind in KINDS for engine in available(PENALISED) for cell in _cells(kind, engine, preset)]


def tables(preset: Preset, results: Results) -> list[Table]:
    """Return the table."""
    rows = [
        (engine.name, [[_entry(kind, engine, preset, results)] for kind in KINDS]) for engine in available(PENALISED)
    ]
    notes = [
        f"Millions of nats; {preset.n_documents:,} documents; the mean over the seeds ± standard deviation, and in "
        "brackets the paper's (5,000 documents)."
    ]
    return [Table("objective", "Objective at penalty 10", ("objective", "SynthA", "SynthB"), rows, notes)]


def _entry(kind: Planted, engine: Engine, preset: Preset, results: Results) -> Entry:
    paper = PAPER.get((kind.name, engine.paper_name))
    return entry(results, _cells(kind, engine, preset), "objective", paper, scale=1e-6)
