"""`crisptopics sweep`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from crisptopics.cli.reading import check_model, check_topics, read_input, reading_options
from crisptopics.cli.show import Row, format_option, show, status

if TYPE_CHECKING:
    from crisptopics.corpus import Corpus

SEEDS = 2
SHORT_NAMES = {"n_components": "topics", "topics_per_document": "per_document"}


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
    per_document: topics in a document on average. stability: how alike the topics of two seeds are, from 0 to 1.
    seconds: of both fits.
    """
    check_table(output)
    corpus = read_input(source, jobs, **read)
    check_topics(n_components, corpus, source)
    numbers = [n_components] if isinstance(n_components, int) else n_components
    penalties = penalty if isinstance(penalty, list) else [penalty]
    rows = [sweep_row(corpus, number, cost, seed, jobs) for number in numbers for cost in penalties]
    if output:
        write_columns([{name: [row[name] for row in rows] for name in rows[0]}], output)
    else:
        show(rows, form)


def sweep_row(corpus: Corpus, n_components: int, penalty: Any, seed: int, jobs: int | None) -> Row:
    """Compare the fits of two seeds, under names that fit a terminal.

    Examples
    --------
    >>> from crisptopics import Corpus
    >>> corpus = Corpus.from_counts([[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 5, 1], [0, 0, 2, 4]])
    >>> sweep_row(corpus, 2, 2.0, seed=0, jobs=1)["stability"]
    1.0
    """
    from crisptopics.estimator import CrispTopics
    from crisptopics.sweeping import compare_seeds

    check_model(CrispTopics(n_components, penalty=penalty, n_jobs=jobs))
    with status(f"fitting {n_components} topics, penalty {penalty}"):
        row = compare_seeds(corpus, n_components, penalty, range(seed, seed + SEEDS), jobs)
    return {SHORT_NAMES.get(name, name): value for name, value in row.items()}
