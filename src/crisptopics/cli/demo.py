"""`crisptopics demo`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from crisptopics.estimator import CrispTopics


@click.command()
def demo() -> None:
    """Fit 20 topics to the State of the Union addresses, 1790 to 2021, and show them.

    The corpus comes with crisptopics: 233 addresses, cut into paragraphs of about 100 words.
    """
    began = time.perf_counter()
    from crisptopics.datasets import load_sotu
    from crisptopics.estimator import CrispTopics

    corpus = load_sotu()
    read = time.perf_counter()
    model = CrispTopics(20, penalty=12.0, random_state=0, verbose=1).fit(corpus)
    done = time.perf_counter()
    _print_topics(model)
    click.echo(
        f"Read {len(corpus):,} paragraphs, {corpus.n_words:,} words, {corpus.n_tokens:,} tokens "
        f"in {read - began:.1f} s.\n"
        f"Found 20 topics in {done - read:.1f} s: {model.n_iter_} iterations, {model.stop_reason_}."
    )


def _print_topics(model: CrispTopics) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table("topic", "tokens", "most frequent words", box=box.SIMPLE_HEAD)
    table.columns[0].justify = table.columns[1].justify = "right"
    frequent = model.top_words(10)
    shares = model.topic_word_counts_.sum(axis=1) / model.topic_word_counts_.sum()
    for topic, (share, words) in enumerate(zip(shares, frequent, strict=True)):
        table.add_row(str(topic), f"{share:.1%}", ", ".join(words))
    Console().print(table)
