"""Figures by matplotlib, which is optional: the same bytes for the same numbers."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crisptopics.errors import MissingExtraError
from crisptopics.save import write_atomically

WAYS = ("o-", "s--", "^-.", "D:", "v-", "x--", "P-.", "*:")  # lines tell themselves apart without colours, too


@dataclass(frozen=True)
class Chart:
    """Lines in a pair of axes.

    Parameters
    ----------
    name
        Of the files.
    title, x_label, y_label
        What it shows.
    lines
        Label, abscissas and ordinates of each line.
    log_x
        Whether the abscissa is logarithmic.
    paper
        Lines of the paper's numbers, drawn in grey.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    lines: Sequence[tuple[str, Sequence[float], Sequence[float]]]
    log_x: bool = False
    paper: Sequence[tuple[str, Sequence[float], Sequence[float]]] = ()


def draw(chart: Chart, folder: Path) -> list[Path]:
    """Draw a chart as SVG and PNG.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> chart = Chart("c", "Chart", "sweeps", "L1", [("random", [1, 2], [1.5, 1.0])])
    >>> with TemporaryDirectory() as folder:
    ...     [path.name for path in draw(chart, Path(folder))]
    ['c.svg', 'c.png']
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("no figures without matplotlib; pip install 'crisptopics[plot]'") from error
    with matplotlib.rc_context({"svg.hashsalt": "crisptopics", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(7.6, 4), layout="constrained")
        axes = figure.add_subplot()
        for (label, x, y), way in zip(chart.lines, WAYS * len(chart.lines), strict=False):
            axes.plot(x, y, way, label=label, markersize=4, linewidth=1.2)
        for (label, x, y), way in zip(chart.paper, WAYS * len(chart.paper), strict=False):
            axes.plot(x, y, way, label=label, markersize=4, linewidth=1.2, color="0.6")
        if chart.log_x:
            axes.set_xscale("log")
        axes.set(title=chart.title, xlabel=chart.x_label, ylabel=chart.y_label)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
        paths = []
        for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
            content = io.BytesIO()
            figure.savefig(content, format=kind, dpi=110, metadata=metadata)
            paths.append(folder / f"{chart.name}.{kind}")
            write_atomically(paths[-1], lambda file, content=content: file.write(content.getvalue()))  # type: ignore[misc]
    return paths
