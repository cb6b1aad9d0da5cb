"""`crisptopics sweep`."""

from __future__ import annotations

from typing import Any

import click

from crisptopics.cli.files import TABLE_SUFFIXES, check_table, write_columns
from crisptopics.cli.options import (
    PENALTY,
    TOPICS,
    Command,
    input_argument,
    jobs_option,
    option,
    seed_option,
)
from crisptopics.cli.reading import check_topics, read_input, reading_options
from crisptopics.cli.show import format_option, show


@click.command(
    cls=Command,
    short_help="Compare numbers of topics and penalties.",
    examples=(
        "crisptopics sweep reviews.csv -k 10,20,50",
        "crisptopics sweep reviews.csv -k 20 --penalty 6,12,24 -o sweep.csv",
    ),
)
@input_argument
@option("-k", "n_components", type=TOPICS(), required=True, help="Numbers of topics to try.")
@option(
    "--penalty",
    type=PENALTY(),
    default="auto",
    show_default=True,
    help="Costs of one more topic in a document to try.",
)
@option("-o", "--output", type=click.Path(), help=f"File to write: {', '.join(TABLE_SUFFIXES)}.  [default: print]")
@seed_option
@format_option
@jobs_option
@reading_options
def sweep(
    source: str,
    n_components: int | list[int],
    penalty: Any,
    output: str | None,
    seed: int,
    form: str,
    jobs: int | None,
    read: dict[str, Any],
) -> None:
    """Fit INPUT with each number of topics and each penalty, and compare the fits.

    icl: integrated likelihood of the words and their topics, the higher the better, comparable over all rows.
    stability: how alike the topics of several seeds are, from 0 to 1.
    """
    import crisptopics

    check_table(output)
    corpus = read_input(source, **read)
    check_topics(n_components, corpus, source)
    penalties = [penalty] if isinstance(penalty, float | str) else penalty
    numbers = [n_components] if isinstance(n_components, int) else n_components
    table = crisptopics.sweep(corpus, n_components=numbers, penalty=penalties, random_state=seed, n_jobs=jobs)
    if output:
        write_columns([table.to_dict("list")], output)
    else:
        show(table.to_dict("records"), form)
