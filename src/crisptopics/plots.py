"""Figures for notebooks, drawn by matplotlib: topics, the course of a fit, what was tried for penalty and number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from crisptopics.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANELS = 20
COLOUR = "#4477aa"


def plot_topics(
    words: Sequence[Sequence[str]], counts: Sequence[Sequence[int]], shares: npt.ArrayLike, topics: Sequence[int]
) -> npt.NDArray[Any]:
    """Draw the most frequent words of topics as bars, a panel for each topic.

    Parameters
    ----------
    words
        The words of each topic to draw.
    counts
        How often the topic has each.
    shares
        Each topic's share of all tokens.
    topics
        Numbers of the topics.

    Returns
    -------
    The panels' axes, one for each topic.

    Examples
    --------
    >>> len(plot_topics([["rain", "sun"]], [[5, 3]], [1.0], [0]))
    1
    """
    n_columns = min(5, len(topics))
    n_rows = -(-len(topics) // n_columns)
    size = (2.6 * n_columns, 0.7 + n_rows * (0.5 + 0.19 * max(len(row) for row in words)))
    _, grid = _pyplot().subplots(n_rows, n_columns, figsize=size, squeeze=False, layout="constrained")
    panels = grid.ravel()
    for ax, topic, row, heights, share in zip(panels, topics, words, counts, np.asarray(shares), strict=False):
        ax.barh(range(len(row)), heights, color=COLOUR)
        ax.set_yticks(range(len(row)), [_plain(word) for word in row], fontsize=8)
        ax.invert_yaxis()
        ax.set_xticks([])
        ax.set_title(f"{topic}  ({share:.1%})", fontsize=9, loc="left")
        ax.spines[["top", "right", "bottom"]].set_visible(False)
    for ax in panels[len(topics) :]:
        ax.remove()
    return np.asarray(panels[: len(topics)])


def plot_history(history: Sequence[Any], ax: Axes | None = None) -> Axes:
    """Draw the objective by iteration, a line for each penalty.

    Parameters
    ----------
    history
        Records with the attributes penalty and objective, such as `history_`.
    ax
        Where to draw; by default a new figure.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> plot_history([SimpleNamespace(penalty=8.0, objective=o) for o in (9.0, 7.0)]).get_xlabel()
    'iteration'
    """
    ax = _axes(ax)
    penalties = list(dict.fromkeys(step.penalty for step in history))
    for penalty in penalties:
        points = [(place, step.objective) for place, step in enumerate(history, 1) if step.penalty == penalty]
        ax.plot(*zip(*points, strict=True), marker="o", markersize=3, label=f"{penalty:g}")
    ax.set_xlabel("iteration")
    ax.set_ylabel("objective")
    if len(penalties) > 1:
        ax.legend(title="penalty")
    return ax


def plot_sweep(candidates: Sequence[Any], ax: Axes | None = None) -> Axes:
    """Draw the integrated likelihood of candidates: by penalty, a line for each number of topics, or by that number.

    Parameters
    ----------
    candidates
        Records with the attributes n_components, penalty and icl, such as `choice_`.
    ax
        Where to draw; by default a new figure.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> tried = [SimpleNamespace(n_components=k, penalty=8.0, icl=-100.0 + k) for k in (5, 10)]
    >>> plot_sweep(tried).get_xlabel()
    'number of topics'
    """
    ax = _axes(ax)
    by_penalty = len({candidate.penalty for candidate in candidates}) > 1
    numbers = sorted({candidate.n_components for candidate in candidates}) if by_penalty else [None]
    for number in numbers:
        points = sorted(
            (candidate.penalty if by_penalty else candidate.n_components, candidate.icl)
            for candidate in candidates
            if number in (None, candidate.n_components)
        )
        ax.plot(*zip(*points, strict=True), marker="o", label=f"{number}")
    ax.set_xlabel("penalty" if by_penalty else "number of topics")
    ax.set_ylabel("integrated likelihood")
    if len(numbers) > 1:
        ax.legend(title="topics")
    return ax


def _axes(ax: Axes | None) -> Axes:
    return _pyplot().subplots(layout="constrained")[1] if ax is None else ax


def _plain(word: str) -> str:
    """Keep a word from being read as a formula, and from filling the panel."""
    return (word if len(word) <= 24 else word[:23] + "…").replace("$", r"\$")


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtraError("plots need matplotlib; install it with: pip install 'crisptopics[plot]'") from error
    return pyplot
