"""Running experiments: which cells, in which order, and what is written when they are finished."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from crisptopics.errors import MissingExtraError
from crisptopics.experiments import nmi, objective, reconstruction, starts, timing
from crisptopics.experiments.cells import Cell, Results, in_order
from crisptopics.experiments.charts import Chart, draw
from crisptopics.experiments.presets import Preset
from crisptopics.experiments.tables import Table
from crisptopics.save import write_atomically


class Experiment(Protocol):
    """What a module of this folder offers, some with charts, too."""

    def cells(self, preset: Preset) -> list[Cell]:
        """Return what must be computed."""

    def tables(self, preset: Preset, results: Results) -> list[Table]:
        """Return the tables, as far as their cells are finished."""


def experiments() -> dict[str, Experiment]:
    return {"nmi": nmi, "objective": objective, "reconstruction": reconstruction, "starts": starts, "time": timing}
