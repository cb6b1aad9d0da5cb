"""A progress bar for people at a terminal; nothing in a pipe or a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from crisptopics.solve import Iteration


@contextmanager
def progress(max_iter: int, *, visible: bool) -> Iterator[Callable[[Iteration], None]]:
    """Give a function that draws an iteration's record: objective, moved tokens, topics per document.

    Examples
    --------
    >>> with progress(50, visible=False) as draw:
    ...     draw(Iteration("word", 10.0, 123.4, 5, 1.5, 0.1))
    """
    if not (visible and sys.stderr.isatty()):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(bar_width=12), TextColumn("{task.fields[state]}"), TimeElapsedColumn())  # fits 80 columns
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("fit", total=max_iter, state="starting")

        def draw(iteration: Iteration) -> None:
            state = (
                f"objective {iteration.objective:,.0f}, moved {iteration.moved:,}, "
                f"topics/document {iteration.topics_per_document:.2f}"
            )
            bar.update(task, advance=iteration.stage != "search", state=state)

        yield draw
