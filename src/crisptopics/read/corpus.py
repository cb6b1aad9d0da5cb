"""`read_corpus`: from files of any kind to a Corpus that knows what was read and what was left out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from crisptopics.corpus import Corpus
from crisptopics.details import Details
from crisptopics.errors import CorpusError
from crisptopics.read.account import Account
from crisptopics.read.build import corpus_of_rows
from crisptopics.read.columns import Column, Wanted
from crisptopics.read.counts import read_counts
from crisptopics.read.formats import COUNT_FORMATS, check_format, guess_format
from crisptopics.read.plain import read_folder, read_lines, read_text
from crisptopics.read.rows import Reading, Row, read_csv, read_json, read_jsonl, read_parquet
from crisptopics.read.sources import Source, open_source
from crisptopics.read.words import Words

Place = str | os.PathLike[str]

ROW_READERS: dict[str, Callable[[Source, Reading], Iterator[Row]]] = {
    "csv": read_csv,
    "tsv": partial(read_csv, delimiter="\t"),
    "jsonl": read_jsonl,
    "json": read_json,
    "parquet": read_parquet,
    "lines": read_lines,
    "text": read_text,
}


def read_corpus(
    source: Place | Sequence[Place],
    *,
    text: Column | None = None,
    label: Column | None = None,
    id: Column | None = None,  # noqa: A002 (it is the column's name in most files)
    date: Column | None = None,
    format: str | None = None,  # noqa: A002
    encoding: str = "utf-8",
    split: str | int | None = None,
    words: Words | None = None,
    recipe: Mapping[str, Any] | None = None,
    keep_texts: bool = False,
    max_bad_rows: int | None = None,
    n_jobs: int | None = None,
) -> Corpus:
    r"""Read documents from files, and count their words.

    Parameters
    ----------
    source
        A file, a folder of .txt files, a list of files, or "-" for standard input. Tables: CSV, TSV, JSON, JSONL,
        Parquet. Text: a document a line. Counts: UCI, LDA-C, svmlight, Matrix Market, .npz. All but Parquet may be
        compressed by gzip, xz, zstd, bzip2 or zip.
    text, label, id, date
        Columns of a table, by name, or by number from 0 when it has no header. They are guessed by their usual names;
        the text also as the only column of running text.
    format
        One of "csv", "tsv", "json", "jsonl", "parquet", "lines", "text" (one document a file), "uci", "ldac",
        "svmlight", "mtx", "npz"; by default guessed from the file's name or first bytes.
    encoding
        Encoding of text files.
    split
        Cut documents into parts: "paragraph" at empty lines, or a number: about so many words, at ends of sentences.
    words
        What counts as a word, and which words are kept.
    recipe
        The `details.recipe` of an earlier corpus: the same words as there are read in the same way.
    keep_texts
        Keep the texts and the places of the words in them, as `details.texts` and `details.spans`.
    max_bad_rows
        More rows than this that cannot be read stop the run; by default 0.1 % of all, and never more than 100.
    n_jobs
        Processes; None for this one alone, -1 for as many as there are processors.

    Returns
    -------
    The counts; `details.reading` says what was read and what was left out.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("id,text\n7,The cat sat.\n8,The dog sat.\n")
    ...     corpus = read_corpus(Path(folder, "a.csv"))
    >>> corpus.names, corpus.vocabulary
    (('7', '8'), ('cat', 'dog', 'sat', 'the'))
    """
    places: list[Place] = [source] if isinstance(source, str | os.PathLike) else list(source)
    check_format(format)
    if not places:
        raise CorpusError("source is an empty list; accepted are one file or more; pass a path")
    reading = Reading(Wanted(text, label, id, date), Account(max_bad_rows), encoding)
    run = _Run(reading, format, split is not None)
    if run.counts_format(places) is not None:
        return run.counts(places)
    corpus = corpus_of_rows(run.rows(places), words, recipe, split=split, keep_texts=keep_texts, n_jobs=n_jobs)
    return run.with_report(corpus, places)


@dataclass(slots=True, eq=False)
class _Run:
    """One call of read_corpus: which files, in which format."""

    reading: Reading
    format: str | None
    is_split: bool
    formats: list[str] = field(default_factory=list)

    def counts_format(self, places: list[Place]) -> str | None:
        if self.format in COUNT_FORMATS:
            return self.format
        if self.format is not None or len(places) > 1 or os.fspath(places[0]) == "-" or Path(places[0]).is_dir():
            return None
        with open_source(places[0]) as source:
            found = guess_format(source)
        return found if found in COUNT_FORMATS else None

    def counts(self, places: list[Place]) -> Corpus:
        with open_source(places[0]) as source:
            form = self.format or guess_format(source)
            corpus = read_counts(source, form)
        report = {
            "source": [source.name],
            "format": form,
            "rows": {"in": corpus.n_documents, "used": corpus.n_documents, "bad": 0},
            "documents": corpus.n_documents,
        }
        details = Details(reading=report)
        return Corpus(
            corpus.indptr, corpus.words, corpus.counts, corpus.n_words, corpus.vocabulary, corpus.names, details
        )

    def rows(self, places: list[Place]) -> Iterator[Row]:
        for place in places:
            for row in self._rows_of(place):
                self.reading.account.rows_used += 1
                yield row
        self.reading.account.close()

    def _rows_of(self, place: Place) -> Iterator[Row]:
        if os.fspath(place) != "-" and Path(place).is_dir():
            self.formats.append("folder")
            yield from read_folder(Path(place), self.reading)
            return
        with open_source(place) as source:
            form = self.format or guess_format(source)
            if form == "lines" and self.is_split and self.format is None:
                form = "text"  # who asks for paragraphs has a book
            self.formats.append(form)
            if form not in ROW_READERS:
                raise CorpusError(f"{source.name} has format {form}; accepted in a list are files of text")
            yield from ROW_READERS[form](source, self.reading)

    def with_report(self, corpus: Corpus, places: list[Place]) -> Corpus:
        assert corpus.details is not None
        reading = self.report(places) | dict(corpus.details.reading or {})
        return replace(corpus, details=replace(corpus.details, reading=reading))

    def report(self, places: list[Place]) -> dict[str, Any]:
        account = self.reading.account
        return {
            "source": [os.fspath(place) for place in places],
            "format": ", ".join(dict.fromkeys(self.formats)),
            "columns": self.reading.columns,
            "rows": {"in": account.rows_in, "used": account.rows_used, "bad": account.rows_bad},
            "bad_rows": account.first_bad,
        }
