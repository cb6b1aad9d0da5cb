"""`crisptopics report`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from crisptopics.cli.options import Command, input_argument, jobs_option, model_argument, option, quiet_option
from crisptopics.cli.reading import read_like, source_options
from crisptopics.cli.show import form_option, status


@click.command(
    cls=Command,
    short_help="Write a page that shows a model and its documents.",
    examples=(
        "crisptopics report reviews.crisp reviews.csv -o reviews.html",
        "crisptopics report reviews.crisp reviews.csv --title 'What guests write'",
        "crisptopics report reviews.crisp reviews.csv --format json -o reviews.json",
    ),
)
@model_argument
@input_argument
@option("-o", "--output", type=click.Path(), help="File to write.  [default: MODEL's name, .html or .json]")
@option("--title", metavar="TEXT", help="Title of the page.  [default: INPUT's name]")
@form_option(("html", "json"), "A page to open, or what it shows for programs.")
@jobs_option
@quiet_option
@source_options
def report(
    model: str,
    source: str,
    output: str | None,
    title: str | None,
    form: Any,
    jobs: int | None,
    quiet: bool,
    read: dict[str, Any],
) -> None:
    """Write one file that shows the topics of MODEL in the documents of INPUT.

    It needs no network: a map of the topics, their words, documents with each word in the colour of its topic, topics
    over time and by label. INPUT is read just as the documents of MODEL were; pass the same for the topics' own corpus.
    """
    target = output or f"{Path(model).stem}.{form}"
    from crisptopics.estimator import load
    from crisptopics.report import write_report
    from crisptopics.save import check_target

    check_target(target)
    fitted = load(model).set_params(n_jobs=jobs)
    with status("reading", visible=not quiet):
        corpus = read_like(fitted, source, keep_texts=True, **read)
    with status("writing", visible=not quiet):
        write_report(fitted, corpus, target, title=title or title_of(source), format=form)
    if not quiet:
        path = Path(target).resolve()
        click.echo(f"report  {target} ({path.stat().st_size / 1e6:.1f} MB)")
        if form == "html":
            click.echo(f"open    {path.as_uri()}")


def title_of(source: str) -> str:
    """Name a report after its input.

    Examples
    --------
    >>> title_of("data/guest_reviews.csv.gz"), title_of("-")
    ('guest reviews', 'Topics')
    """
    if source == "-":
        return "Topics"
    name = Path(source).resolve().name
    return name.split(".")[0].replace("_", " ") or name
