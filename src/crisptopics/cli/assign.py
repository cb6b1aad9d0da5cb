"""`crisptopics assign`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from crisptopics.cli.files import TABLE_SUFFIXES, check_table, write_columns
from crisptopics.cli.options import Command, input_argument, jobs_option, model_argument, option
from crisptopics.cli.reading import read_like, source_options
from crisptopics.cli.show import FORMATS, Columns, as_rows, print_csv, show

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from crisptopics.corpus import Corpus

BATCH = 10_000  # documents whose rows are in memory at one time


@click.command(
    cls=Command,
    short_help="Give documents, or their words, their topics.",
    examples=(
        "crisptopics assign reviews.crisp new.csv -o topics.csv",
        "crisptopics assign reviews.crisp new.csv --words -o words.parquet",
        "cat letter.txt | crisptopics assign letters.crisp - --format table",
    ),
)
@model_argument
@input_argument
@option("-o", "--output", type=click.Path(), help=f"File to write: {', '.join(TABLE_SUFFIXES)}.  [default: print]")
@option("--words", is_flag=True, help="A row for each word instead of each document.")
@option(
    "--format", "form", type=click.Choice(FORMATS), default="csv", show_default=True, help="How to print without -o."
)
@jobs_option
@source_options
def assign(
    model: str, source: str, output: str | None, words: bool, form: str, jobs: int | None, read: dict[str, Any]
) -> None:
    """Give the documents of INPUT their topics, and with --words each of their words its topic.

    A row has a document's name, its tokens, its main topic (-1 if it has no known word), how many topics it has, and
    the share of each topic. INPUT is read just as the documents of MODEL were.
    """
    from crisptopics.estimator import load

    check_table(output)
    fitted = load(model).set_params(n_jobs=jobs)
    corpus = read_like(fitted, source, keep_texts=words, **read)
    topics = fitted.assign(corpus).data
    if words:
        names = list(getattr(fitted, "feature_names_in_", corpus.word_names))
        batches = word_columns(corpus, topics, names)
    elif output is None and form in ("table", "markdown"):
        batches = compact_columns(corpus, topics)
    else:
        batches = document_columns(corpus, topics, fitted.n_components_)
    if output:
        write_columns(batches, output)
    elif form == "csv":
        for number, batch in enumerate(batches):
            print_csv(batch, header=number == 0)
    else:
        show([row for batch in batches for row in as_rows(batch)], form)


def document_columns(corpus: Corpus, topics: npt.NDArray[np.int32], n_topics: int) -> Iterator[Columns]:
    """Yield documents in batches: tokens, main topic, number of topics, and the share of each topic.

    Examples
    --------
    >>> import numpy as np
    >>> from crisptopics import Corpus
    >>> next(document_columns(Corpus.from_counts([[3, 1]]), np.array([0, 1]), 2))["topic1"]
    [0.25]
    """
    import numpy as np

    for first, last, rows, entries in _batches(corpus):
        known = topics[entries] >= 0
        cells = rows[known] * n_topics + topics[entries][known]
        tokens = np.bincount(cells, corpus.counts[entries][known], (last - first) * n_topics)
        table = tokens.reshape(last - first, n_topics).astype(np.float64)
        table /= np.maximum(table.sum(axis=1, keepdims=True), 1)
        used = (table > 0).sum(axis=1)
        columns = {
            "document": _names(corpus)[first:last].tolist(),
            "tokens": np.bincount(rows, corpus.counts[entries], last - first).astype(np.int64).tolist(),
            "topic": np.where(used > 0, table.argmax(axis=1), -1).tolist(),
            "n_topics": used.tolist(),
        }
        yield columns | {f"topic{topic}": table[:, topic].tolist() for topic in range(n_topics)}


def compact_columns(corpus: Corpus, topics: npt.NDArray[np.int32]) -> Iterator[Columns]:
    """Yield documents in batches: tokens, and the topics that they have, the greatest first.

    Examples
    --------
    >>> import numpy as np
    >>> from crisptopics import Corpus
    >>> next(compact_columns(Corpus.from_counts([[1, 3]]), np.array([0, 1])))["topics"]
    ['1: 75%, 0: 25%']
    """
    n_topics = int(topics.max(initial=0)) + 1
    for batch in document_columns(corpus, topics, n_topics):
        shares = zip(*(batch[f"topic{topic}"] for topic in range(n_topics)), strict=True)
        used = [sorted((-share, topic) for topic, share in enumerate(row) if share) for row in shares]
        told = [", ".join(f"{topic}: {-share:.0%}" for share, topic in row) for row in used]
        yield {"document": batch["document"], "tokens": batch["tokens"], "topics": told}


def word_columns(corpus: Corpus, topics: npt.NDArray[np.int32], words: Sequence[str]) -> Iterator[Columns]:
    """Yield words in batches of documents: each token where the texts are known, else each entry with its count.

    Examples
    --------
    >>> import numpy as np
    >>> from crisptopics import Corpus
    >>> next(word_columns(Corpus.from_counts([[3, 1]]), np.array([0, 1]), ["sun", "sea"]))["word"]
    ['sun', 'sea']
    """
    import numpy as np

    spans = None if corpus.details is None else corpus.details.spans
    names, vocabulary = _names(corpus), np.array(words, dtype=object)
    for first, last, rows, entries in _batches(corpus):
        if spans is None:
            places = np.arange(entries.start, entries.stop)
            order = {"count": corpus.counts[entries].tolist()}
        else:
            tokens = slice(spans.indptr[first], spans.indptr[last])
            rows = np.repeat(np.arange(last - first), np.diff(spans.indptr[first : last + 1]))
            places = spans.entries[tokens] + corpus.indptr[first:last][rows]
            order = {"position": spans.starts[tokens].tolist()}
        found = {"word": vocabulary[corpus.words[places]].tolist(), "topic": topics[places].tolist()}
        columns = {"document": names[first:last][rows].tolist()} | order | found
        yield {name: columns[name] for name in ("document", "position", "word", "count", "topic") if name in columns}


def _batches(corpus: Corpus) -> Iterator[tuple[int, int, npt.NDArray[np.int64], slice]]:
    """Yield the first document of each batch, its end, and of its entries the row in the batch, and the place."""
    import numpy as np

    for first in range(0, len(corpus), BATCH):
        last = min(first + BATCH, len(corpus))
        rows = np.repeat(np.arange(last - first), np.diff(corpus.indptr[first : last + 1]))
        yield first, last, rows, slice(int(corpus.indptr[first]), int(corpus.indptr[last]))


def _names(corpus: Corpus) -> npt.NDArray[Any]:
    import numpy as np

    return np.arange(len(corpus)) if corpus.names is None else np.array(corpus.names, dtype=object)
