"""`crisptopics demo`."""

from __future__ import annotations

import time
from pathlib import Path

import click

from crisptopics.cli.show import show
from crisptopics.cli.topics import topic_rows


@click.command(short_help="Find topics in the corpus that ships.")
def demo() -> None:
    """Fit 20 topics to the State of the Union addresses, 1790 to 2021, show them, and write report.html.

    The corpus comes with crisptopics: 233 addresses, cut into paragraphs of about 100 words.
    """
    began = time.perf_counter()
    from crisptopics.datasets import load_sotu
    from crisptopics.estimator import CrispTopics

    corpus = load_sotu()
    read = time.perf_counter()
    model = CrispTopics(20, random_state=0, verbose=1).fit(corpus)
    done = time.perf_counter()
    path = Path("report.html").resolve()
    model.report(corpus, path, title="State of the Union, 1790 to 2021")
    written = time.perf_counter()
    show(topic_rows(model, top=10), "table")
    click.echo(
        f"\nRead {len(corpus):,} paragraphs, {corpus.n_words:,} words, {corpus.n_tokens:,} tokens "
        f"in {read - began:.1f} s.\n"
        f"Found 20 topics in {done - read:.1f} s; penalty {model.penalty_:.1f}, chosen by itself; "
        f"{model.n_iter_} iterations after the search, {model.stop_reason_}.\n"
        f"Wrote a report in {written - done:.1f} s; open {path.as_uri()}"
    )
