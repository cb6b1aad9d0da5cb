"""`crisptopics reproduce`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crisptopics.cli.options import Command
from crisptopics.experiments import NAMES, PAPER_NAMES

if TYPE_CHECKING:
    from crisptopics.experiments.cells import Cell

FILE = click.Path(path_type=Path)


@click.command(
    cls=Command,
    short_help="Compute the paper's tables and figures.",
    examples=(
        "crisptopics reproduce all --quick -o out/",
        "crisptopics reproduce likelihood --enron docword.enron.txt.gz -o results/",
    ),
)
@click.argument("experiment", type=click.Choice(["all", *NAMES, *PAPER_NAMES]), default="all")
@click.option("--quick", is_flag=True, help="Small sizes, one seed: minutes instead of hours.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder for tables and figures.")
@click.option("--enron", type=FILE, help="UCI docword file of Enron, or the folder with it and its vocabulary.")
@click.option("--nytimes", type=FILE, help="The same of NYTimes.")
def reproduce(experiment: str, quick: bool, output: Path, enron: Path | None, nytimes: Path | None) -> None:
    """Compute the paper's tables and figures, with the paper's numbers beside ours.

    Writes CSV, markdown and figures. A run that was ended goes on where it stopped: a finished cell is never computed
    again. Without --enron and --nytimes, the likelihood of new documents is that of the corpus that ships.
    """
    from crisptopics.experiments import run
    from crisptopics.experiments.presets import FULL, QUICK
    from crisptopics.experiments.real import real_corpora

    names = NAMES if experiment == "all" else (PAPER_NAMES.get(experiment, experiment),)
    preset = QUICK if quick else FULL
    files = {name: path for name, path in (("Enron", enron), ("NYTimes", nytimes)) if path is not None}
    with_corpora = {"likelihood", "pairs", "gibbs-start"} & set(names)
    corpora = real_corpora(preset, files) if with_corpora else ()
    with _progress() as watch:
        notes = run.reproduce(names, output, preset, corpora, watch)
    for note in notes:
        click.echo(note, err=True)


@contextmanager
def _progress() -> Iterator[Callable[[Cell, float, float], None]]:
    """Give a function that draws how far the run is and how long it still takes; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(bar_width=16), TextColumn("{task.fields[state]}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task, began = bar.add_task("reproduce", total=1.0, state="starting"), time.monotonic()

        def draw(cell: Cell, done: float, total: float) -> None:
            left = (time.monotonic() - began) * (total - done) / done if done else total
            label = " ".join(str(value) for _, value in cell.key)
            bar.update(task, completed=done / total, state=f"{time_left(left)} left: {label:.40}")

        yield draw


def time_left(seconds: float) -> str:
    """Write a time as people say it.

    Examples
    --------
    >>> time_left(40), time_left(200), time_left(7300)
    ('40 s', '3 min', '2 h 2 min')
    """
    if seconds < 99:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
