"""`read_corpus`: from files of any kind to a Corpus that knows what was read and what was left out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from crisptopics.corpus import Corpus
from crisptopics.details import Details
from crisptopics.errors import CorpusError
from crisptopics.read.account import Account, describe_bad_row
from crisptopics.read.beside import stem_of
from crisptopics.read.build import corpus_of_rows
from crisptopics.read.columns import Column, Wanted
from crisptopics.read.counts import read_counts
from crisptopics.read.formats import COUNT_FORMATS, check_format, guess_format
from crisptopics.read.plain import read_folder, read_lines, read_text
from crisptopics.read.rows import Reading, Row, read_csv, read_json, read_jsonl, read_parquet
from crisptopics.read.sources import STDIN, Source, open_source
from crisptopics.read.vocabulary import keep_words
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
        the text also as the only column of running text. Files without columns may have a file of labels, one a line.
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
    account = Account(max_bad_rows)
    reading = Reading(Wanted(text, label, id, date), account, encoding)
    with _opened(places[0]) as first:
        form = format if format or first is None else guess_format(first)
        if form in COUNT_FORMATS and first is not None:
            _refuse_for_counts(first, len(places), split)
            return _counts(first, form, words, recipe, reading)
        run = _Run(reading, format, split is not None, first)
        told = partial(_told, places, run.formats, reading)
        rows = run.rows(places)
        return corpus_of_rows(rows, words, recipe, split=split, keep_texts=keep_texts, n_jobs=n_jobs, told=told)


def _told(places: Sequence[Place], formats: Sequence[str], reading: Reading) -> dict[str, Any]:
    return {
        "source": [os.fspath(place) for place in places],
        "format": ", ".join(dict.fromkeys(formats)),
        "columns": reading.columns,
    } | reading.account.as_json()


@contextmanager
def _opened(place: Place) -> Iterator[Source | None]:
    if os.fspath(place) != STDIN and Path(place).is_dir():
        yield None
    else:
        with open_source(place) as source:
            yield source


@dataclass(slots=True, eq=False)
class _Run:
    """The rows of all files of one call, the first of which is open already."""

    reading: Reading
    format: str | None
    is_split: bool
    first: Source | None
    formats: list[str] = field(default_factory=list)

    def rows(self, places: list[Place]) -> Iterator[Row]:
        for place in places:
            number = 0
            for number, row in enumerate(self._rows_of(place, is_first=place is places[0]), 1):
                self.reading.account.rows_used += 1
                is_named = row.name is not None or len(places) == 1
                yield row if is_named else row._replace(name=f"{stem_of(os.fspath(place))}:{number}")
        account = self.reading.account
        account.close()
        if not account.rows_used:
            bad = f": {describe_bad_row(account.first_bad[0])}" if account.first_bad else ""
            names = ", ".join(str(place) for place in places[:3])
            raise CorpusError(f"there is no document in {names} ({account.rows_in} rows{bad}); pass a file with texts")

    def _rows_of(self, place: Place, *, is_first: bool) -> Iterator[Row]:
        if is_first and self.first is not None:
            yield from self._rows_in(self.first)
            return
        with _opened(place) as source:
            if source is not None:
                yield from self._rows_in(source)
            elif self.format in (None, "folder", "text"):
                self.formats.append("folder")
                yield from read_folder(Path(place), self.reading)
            else:
                raise CorpusError(f"{place} is a folder; accepted for format {self.format!r} is a file")

    def _rows_in(self, source: Source) -> Iterator[Row]:
        form = self.format or guess_format(source)
        if form == "lines" and self.is_split and self.format is None:
            form = "text"  # who asks for paragraphs has a book
        if form not in ROW_READERS:
            raise CorpusError(
                f"{source.name} has the format {form!r}; accepted here are {', '.join(ROW_READERS)}; counts are read"
                " from one file at a time, a folder is passed as a folder"
            )
        self.formats.append(form)
        try:
            yield from ROW_READERS[form](source, self.reading)
        except UnicodeError as error:  # of encodings whose bad bytes cannot be passed on
            raise CorpusError(
                f"{source.name} is not {self.reading.encoding}: {error}; pass the file's encoding=..."
            ) from error


def _counts(
    source: Source, form: str, words: Words | None, recipe: Mapping[str, Any] | None, reading: Reading
) -> Corpus:
    """Read counts, and keep the words that are asked for."""
    corpus = read_counts(source, form)
    reading.account.rows_used = len(corpus)
    labels = reading.label_file(source, len(corpus))
    details = corpus.details or Details()
    if labels is not None:
        details = replace(details, labels=tuple(labels))
    report = _told([STDIN if source.path is None else source.path], [form], reading)
    report |= {"documents": len(corpus), "words": {"kept": corpus.n_words, "cut": {}}}
    n_tokens = corpus.n_tokens
    if words not in (None, Words()) or recipe is not None:
        corpus, report["words"] = keep_words(corpus, words or Words(), recipe)
    report["tokens"] = {"kept": corpus.n_tokens, "dropped": n_tokens - corpus.n_tokens}
    report["documents_without_words"] = int((np.diff(corpus.indptr) == 0).sum())
    return replace(corpus, details=replace(details, reading=report))


def _refuse_for_counts(source: Source, n_places: int, split: str | int | None) -> None:
    if n_places > 1:
        raise CorpusError(f"{source.name} holds counts, which are read from one file at a time; received {n_places}")
    if split is not None:
        raise CorpusError(f"{source.name} holds counts, which cannot be split; received split={split!r}; leave it out")
