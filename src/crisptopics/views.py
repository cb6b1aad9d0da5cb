"""What a fitted model shows to people: the report, figures for notebooks, and itself as a small table."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from crisptopics import plots
from crisptopics.base import TopicEstimator
from crisptopics.parameters import check_whole
from crisptopics.report import write_report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROWS = 20  # topics in a notebook's table


class Views(TopicEstimator):
    """Methods that show a fitted model.

    Examples
    --------
    >>> from crisptopics import CrispTopics
    >>> isinstance(CrispTopics(), Views)
    True
    """

    def report(self, corpus: Any, path: str | os.PathLike[str], *, title: str = "Topics") -> None:
        """Write a report to one HTML file that needs no network: topics, documents, time, labels.

        Parameters
        ----------
        corpus
            Documents with the columns of the training matrix, usually those of the fit. A `Corpus` that `read_corpus`
            made shows texts, dates and labels too.
        path
            The file; it appears whole or not at all.
        title
            What the report is about.
        """
        write_report(self, corpus, path, title=title)

    def plot_topics(self, top: int = 8, topics: list[int] | None = None) -> npt.NDArray[Any]:
        """Draw the most frequent words of topics with matplotlib, and return the axes.

        Parameters
        ----------
        top
            How many words.
        topics
            Which topics; by default the twenty largest, in the order of their numbers.
        """
        check_is_fitted(self)
        check_whole("top", top, 1)
        counts = self.topic_word_counts_
        tokens = counts.sum(axis=1)
        if topics is None:
            topics = sorted(np.argsort(-tokens, kind="stable")[: plots.PANELS].tolist())
        if not topics:
            raise ValueError("topics must name at least one topic; received []; leave it out for the largest ones")
        for topic in topics:
            check_whole("topics", topic, 0, len(counts) - 1)
        columns, words = self._top_columns(top), self.top_words(top)
        heights = [counts[topic, columns[topic]].tolist() for topic in topics]
        return plots.plot_topics([words[topic] for topic in topics], heights, tokens[topics] / tokens.sum(), topics)

    def plot_history(self, ax: Axes | None = None) -> Axes:
        """Draw the objective by iteration with matplotlib, and return the axes.

        Parameters
        ----------
        ax
            Where to draw; by default a new figure.
        """
        check_is_fitted(self)
        return plots.plot_history(self.history_, ax)

    def plot_sweep(self, ax: Axes | None = None) -> Axes:
        """Draw the integrated likelihood of all that was tried for penalty and number of topics; return the axes.

        Parameters
        ----------
        ax
            Where to draw; by default a new figure.
        """
        check_is_fitted(self)
        choice = getattr(self, "choice_", None)
        if not choice:
            raise ValueError(
                f"nothing was tried: this model was fitted with penalty={self.penalty!r} and "
                f"n_components={self.n_components!r}; fit with 'auto' or a list of numbers"
            )
        return plots.plot_sweep(choice, ax)

    def _html_repr(self) -> str:
        """Show a fitted model in a notebook as a table, one that is not as scikit-learn does."""
        if not self.__sklearn_is_fitted__():
            return str(super()._html_repr())
        counts = self.topic_word_counts_
        shares = counts.sum(axis=1) / max(1, counts.sum())
        left = "<td style='text-align: left'>"
        rows = [
            f"<tr><th>{topic}</th><td>{share:.1%}</td>{left}{html.escape(' '.join(words))}</td></tr>"
            for topic, (share, words) in enumerate(zip(shares[:ROWS], self.top_words(10), strict=False))
        ]
        more = f"<p>and {len(shares) - ROWS} more topics</p>" if len(shares) > ROWS else ""
        about = f"{len(shares)} topics, penalty {self.penalty_:g}, objective {self.objective_:,.0f}"
        head = "<tr><th>topic</th><th>tokens</th><th style='text-align: left'>most frequent words</th></tr>"
        title = f"<p><b>{type(self).__name__}</b>: {about}</p>"
        return f"{title}<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>{more}"
