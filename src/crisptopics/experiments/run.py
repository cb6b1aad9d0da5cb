"""Running experiments: which cells, in which order, and what is written when they are finished."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from crisptopics import __version__
from crisptopics.errors import MissingExtraError
from crisptopics.experiments import (
    NAMES,
    gibbs_start,
    likelihood,
    nmi,
    objective,
    pairs,
    reconstruction,
    starts,
    timing,
)
from crisptopics.experiments.cells import Cell, Results, in_order
from crisptopics.experiments.charts import Chart, draw
from crisptopics.experiments.engines import ENGINES, available
from crisptopics.experiments.presets import Preset
from crisptopics.experiments.real import Real
from crisptopics.experiments.tables import Table
from crisptopics.save import write_atomically

HEADER = f"""# The paper's tables and figures

Written by `crisptopics reproduce` of crisptopics {__version__}. The paper is *Combinatorial Topic Models using
Small-Variance Asymptotics* (Jiang, Sra, Kulis); its numbers are in square brackets, beside ours.
"""


def _no_charts(_: Preset, __: Results) -> list[Chart]:
    return []


@dataclass(frozen=True)
class Experiment:
    """A table or figure of the paper: what to compute, and how to show it."""

    cells: Callable[[Preset], list[Cell]]
    tables: Callable[[Preset, Results], list[Table]]
    charts: Callable[[Preset, Results], list[Chart]] = _no_charts


def experiments(corpora: Sequence[Real]) -> dict[str, Experiment]:
    """Return the experiments by name, in the order in which they are shown.

    Examples
    --------
    >>> tuple(experiments([])) == NAMES
    True
    """
    found = {
        "nmi": Experiment(nmi.cells, nmi.tables, nmi.charts),
        "objective": Experiment(objective.cells, objective.tables),
        "reconstruction": Experiment(reconstruction.cells, reconstruction.tables, reconstruction.charts),
        "time": Experiment(timing.cells, timing.tables, timing.charts),
        "likelihood": Experiment(partial(likelihood.cells, corpora), partial(likelihood.tables, corpora)),
        "pairs": Experiment(partial(pairs.cells, corpora), partial(pairs.tables, corpora)),
        "gibbs-start": Experiment(
            partial(gibbs_start.cells, corpora),
            partial(gibbs_start.tables, corpora),
            partial(gibbs_start.charts, corpora),
        ),
        "starts": Experiment(starts.cells, starts.tables),
    }
    return {name: found[name] for name in NAMES}


def reproduce(
    names: Iterable[str],
    folder: Path,
    preset: Preset,
    corpora: Sequence[Real],
    watch: Callable[[Cell, float, float], object] = lambda *_: None,
) -> list[str]:
    """Compute the missing cells of experiments, and write their tables and figures.

    Parameters
    ----------
    names
        Of the experiments.
    folder
        Where everything is written; finished cells are in its folder `cells`.
    preset
        Sizes, iterations and seeds.
    corpora
        Real corpora for those experiments that need them.
    watch
        Called before each missing cell, and with the last one at the end: the cell, and the estimated seconds of the
        missing cells that are done, and of all.

    Returns
    -------
    What is worth saying: lines for people.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from tempfile import TemporaryDirectory
    >>> from crisptopics.experiments.presets import QUICK
    >>> with TemporaryDirectory() as folder:
    ...     notes = reproduce(["time"], Path(folder), replace(QUICK, timed_sizes=(100,)), [])
    ...     sorted(path.name for path in Path(folder).glob("*.csv"))
    ['time.csv']
    """
    chosen = {name: experiment for name, experiment in experiments(corpora).items() if name in set(names)}
    results = Results(folder / "cells")
    cells = in_order([cell for experiment in chosen.values() for cell in experiment.cells(preset)])
    missing = [cell for cell in cells if results.get(cell) is None]
    total, done = sum(cell.seconds for cell in missing), 0.0
    try:
        for cell in missing:
            watch(cell, done, total)
            results.need(cell)
            done += cell.seconds
            watch(cell, done, total)
    finally:  # also when interrupted: what is finished is shown
        notes = write(chosen, folder, preset, results)
    return [*notes, f"{len(missing)} cells computed, {len(cells) - len(missing)} were finished before: {folder}"]


def write(chosen: dict[str, Experiment], folder: Path, preset: Preset, results: Results) -> list[str]:
    """Write the tables and figures of experiments as far as their cells are finished; returns lines for people."""
    notes = []
    folder.mkdir(parents=True, exist_ok=True)
    if len(available(tuple(ENGINES))) < len(ENGINES):
        notes.append("no column for tomotopy, which is not installed; pip install tomotopy")
    for name, experiment in chosen.items():
        tables = experiment.tables(preset, results)
        charts = [chart for chart in experiment.charts(preset, results) if any(x for _, x, _ in chart.lines)]
        for table in tables:
            _write_text(folder / f"{table.name}.csv", table.csv())
        try:
            for chart in charts:
                draw(chart, folder)
        except MissingExtraError as error:
            charts, notes = [], [*notes, str(error)]
        parts = [table.markdown() for table in tables] + [f"![{chart.title}]({chart.name}.svg)\n" for chart in charts]
        _write_text(folder / f"{name}.md", "\n".join(parts))
    pages = [folder / f"{name}.md" for name in NAMES]
    _write_text(
        folder / "README.md", "\n".join([HEADER, *(page.read_text("utf-8") for page in pages if page.exists())])
    )
    return list(dict.fromkeys(notes))


def _write_text(path: Path, text: str) -> None:
    write_atomically(path, lambda file: file.write(text.encode()))
