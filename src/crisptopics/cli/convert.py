"""`crisptopics convert`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from crisptopics.cli.options import Command, input_argument, jobs_option, option, quiet_option
from crisptopics.cli.reading import FORMATS, read_input, reading_options
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
@jobs_option
@quiet_option
@reading_options
def convert(
    source: str, output: str, output_format: str | None, jobs: int | None, quiet: bool, read: dict[str, Any]
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
        form = output_format or format_of(Path(output))
        corpus = read_input(source, jobs, keep_texts=form in TEXT_FORMATS, **read)
        files = write_corpus(corpus, output, format=form)
    except CorpusError as error:
        raise CorpusError(str(error).replace("format=...", "--output-format")) from error
    if not quiet:
        click.echo(f"{len(corpus):,} documents, {corpus.n_words:,} words, {corpus.n_tokens:,} tokens, written to")
        for file in files:
            click.echo(f"  {file}")
