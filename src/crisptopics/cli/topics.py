"""`crisptopics topics`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from crisptopics.cli.options import Command, model_argument, option
from crisptopics.cli.show import format_option, show

if TYPE_CHECKING:
    from crisptopics.estimator import CrispTopics


@click.command(
    cls=Command,
    short_help="Show the topics of a model.",
    examples=("crisptopics topics reviews.crisp", "crisptopics topics reviews.crisp --top 5 --format csv > topics.csv"),
)
@model_argument
@option(
    "--top", metavar="N", type=click.IntRange(1), default=10, show_default=True, help="Words to show of each topic."
)
@format_option
def topics(model: str, top: int, form: str) -> None:
    """Show the topics of MODEL: their share of all tokens and their most frequent words."""
    from crisptopics.estimator import load

    show(topic_rows(load(model), top, as_list=form == "json"), form)


def topic_rows(model: CrispTopics, top: int, as_list: bool = False) -> list[dict[str, Any]]:
    """Return a row for each topic: its tokens, their share of all, and its most frequent words.

    Examples
    --------
    >>> from crisptopics import CrispTopics
    >>> topic_rows(CrispTopics(1, penalty=2.0).fit([[1, 3]]), 2)
    [{'topic': 0, 'tokens': 4, 'share': 1.0, 'words': 'w1, w0'}]
    """
    tokens = model.topic_word_counts_.sum(axis=1).tolist()
    return [
        {
            "topic": topic,
            "tokens": count,
            "share": count / max(1, sum(tokens)),
            "words": words if as_list else ", ".join(words),
        }
        for topic, (count, words) in enumerate(zip(tokens, model.top_words(top), strict=True))
    ]
