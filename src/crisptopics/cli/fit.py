"""`crisptopics fit`."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import Any

import click

from crisptopics.cli.options import (
    PENALTY,
    TOPICS,
    Command,
    input_argument,
    jobs_option,
    option,
    quiet_option,
    seed_option,
)
from crisptopics.cli.reading import check_model, check_topics, command_of, read_input, reading_options
from crisptopics.cli.report import title_of
from crisptopics.cli.show import form_option, show_facts, status
from crisptopics.cli.summary import fit_facts, fit_lines


@click.command(
    cls=Command,
    short_help="Find topics in documents.",
    examples=(
        "crisptopics fit reviews.csv -k 20 -o reviews.crisp",
        "crisptopics fit books/ --split 300 -k 10,20,50 --report books.html",
        "zcat talks.jsonl.gz | crisptopics fit - -k auto --text speech --label party",
    ),
)
@input_argument
@option(
    "-k",
    "n_components",
    type=TOPICS(("auto",)),
    default="20",
    show_default=True,
    help="Number of topics; of several, the one that fits best.",
)
@option(
    "--penalty",
    type=PENALTY(several=False),
    default="auto",
    show_default=True,
    help="Cost of one more topic in a document: the higher, the fewer topics a document has.",
)
@option("-o", "--output", type=click.Path(), help="Model file to write.  [default: INPUT's name, .crisp]")
@option("--report", type=click.Path(), help="HTML file to write a report to.")
@seed_option
@form_option(("table", "json"), "How to print the summary.")
@jobs_option
@quiet_option
@reading_options
def fit(
    source: str,
    n_components: Any,
    penalty: Any,
    output: str | None,
    report: str | None,
    seed: int,
    form: str,
    jobs: int | None,
    quiet: bool,
    read: dict[str, Any],
) -> None:
    """Find topics in the documents of INPUT, and write them to a model file.

    At the end it says what was read and left out, what was found, and what to do next.
    """
    started = time.perf_counter()
    target = output or default_output(source)
    from crisptopics.save import check_target

    for path in filter(None, (target, report)):
        check_target(path)

    began = time.perf_counter()
    with status("reading", visible=not quiet):
        corpus = read_input(source, jobs, keep_texts=report is not None, tell_bad_rows=quiet, **read)
    seconds_reading = time.perf_counter() - began
    check_topics(n_components, corpus, source)
    from crisptopics.estimator import CrispTopics  # takes a second, which mistakes of reading need not wait for

    model = CrispTopics(n_components, penalty=penalty, random_state=seed, n_jobs=jobs, verbose=int(not quiet))
    check_model(model)
    model.fit(corpus)
    model.save(target)
    if report:
        model.report(corpus, report, title=title_of(source))
    if not quiet:
        facts = fit_facts(model, corpus) | {
            "seconds_reading": seconds_reading,
            "seconds": time.perf_counter() - started,
            "memory": peak_memory(),
            "model": target,
            "report": report,
        }
        if form == "json":
            show_facts(facts, form)
        else:
            _print_summary(facts, command_of(source, read), penalty != "auto")


def default_output(source: str) -> str:
    """Name the model after the input, in the folder where the command runs.

    Examples
    --------
    >>> default_output("data/reviews.csv.gz"), default_output("-")
    ('reviews.crisp', 'model.crisp')
    """
    name = "model" if source == "-" else Path(source).resolve().name
    for suffix in (".gz", ".xz", ".zst", ".bz2", ".zip"):
        name = name.removesuffix(suffix)
    return f"{Path(name).stem}.crisp"


def peak_memory() -> int | None:
    """Return the most bytes that this process has held, where the system tells."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # elsewhere it is in kB


def _print_summary(facts: dict[str, Any], source: str, penalty_given: bool) -> None:
    """Print what was done, and what to do next; `source` is the input as a command takes it."""
    lines = fit_lines(facts, penalty_given)
    lines.append(("seconds", f"{facts['seconds']:.1f}, of which {facts['seconds_reading']:.1f} for reading"))
    if facts["memory"]:
        lines.append(("memory", f"{facts['memory'] / 1e6:,.0f} MB at most"))
    model = facts["model"]
    lines.append(("model", f"{model} ({Path(model).stat().st_size / 1e6:.1f} MB)"))
    if facts["report"]:
        lines.append(("report", facts["report"]))
    for name, value in lines:
        click.echo(f"{name:<10}  {value}")
    click.echo(f"\nTo see the topics:  crisptopics topics {shlex.quote(model)}")
    topics = shlex.quote(f"{Path(model).stem}-topics.csv")
    click.echo(f"For each document:  crisptopics assign {shlex.quote(model)} {source} -o {topics}")
