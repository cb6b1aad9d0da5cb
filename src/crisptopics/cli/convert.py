"""`crisptopics convert`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from crisptopics.cli.options import Command, input_argument, jobs_option, option, quiet_option
from crisptopics.cli.reading import FORMATS, read_input, reading_options
from crisptopics.cli.show import form_option, show_facts
from crisptopics.cli.summary import document_lines, reading_facts, reading_lines
from crisptopics.errors import CorpusError

WRITTEN = tuple(name for name in FORMATS if name not in ("json", "text"))


@click.command(
    cls=Command,
    short_help="Change the format of documents.",
    examples=(
        "crisptopics convert reviews.csv docword.reviews.txt.gz",
        "crisptopics convert docword.kos.txt.gz kos.npz",
        "crisptopics convert books/ paragraphs.jsonl --split paragraph",
    ),
)
@input_argument
@click.argument("output", type=click.Path())
@option(
    "--output-format",
    metavar="FORMAT",
    type=click.Choice(WRITTEN),
    help=f"One of {', '.join(WRITTEN)}.  [default: as OUTPUT is named]",
)
@form_option(("table", "json"), "How to print what was read and written.")
@jobs_option
@quiet_option
@reading_options
def convert(
    source: str,
    output: str,
    output_format: str | None,
    form: str,
    jobs: int | None,
    quiet: bool,
    read: dict[str, Any],
) -> None:
    """Read INPUT, and write it to OUTPUT.

    OUTPUT's name tells the format. Texts: NAME.csv, .tsv, .jsonl, .parquet, or .txt with a document a line. Counts of
    words: docword.NAME.txt (UCI), NAME.ldac, .svmlight, .mtx (Matrix Market), .npz; what these cannot hold, such as the
    words, goes into files beside them. It may also end in .gz, .xz, .zst or .bz2.
    """
    from crisptopics.read.write import TEXT_FORMATS, format_of, write_corpus
    from crisptopics.save import check_target

    check_target(output)
    try:
        written_as = output_format or format_of(Path(output))
        has_texts = written_as in TEXT_FORMATS
        corpus = read_input(source, jobs, keep_texts=has_texts, tell_bad_rows=quiet, **read)
        files = write_corpus(corpus, output, format=written_as)
    except CorpusError as error:
        raise CorpusError(str(error).replace("format=...", "--output-format")) from error
    if quiet:
        return
    facts = reading_facts(corpus)
    if form == "json":
        show_facts(facts | {"files": [str(file) for file in files]}, form)
        return
    lines = document_lines(facts) if has_texts else reading_lines(facts)  # texts are written with all their words
    lines += zip(["written", *[""] * len(files)], map(str, files), strict=False)
    for name, value in lines:
        click.echo(f"{name:<10}  {value}")
