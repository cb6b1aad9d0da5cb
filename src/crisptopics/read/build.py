"""From rows to a Corpus: words are counted while the texts pass by, then chosen, then the counts are put together."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crisptopics.corpus import Corpus
from crisptopics.details import Details
from crisptopics.errors import CorpusError
from crisptopics.read.counting import Counts, counts_of, in_batches, on_processes, tokens_of
from crisptopics.read.dates import iso_date
from crisptopics.read.rows import Row
from crisptopics.read.split import splitter
from crisptopics.read.vocabulary import assemble, choose_words, gather, known_words
from crisptopics.read.words import Words

RECIPE_VERSION = 1


def corpus_of_rows(
    rows: Iterable[Row],
    choices: Words,
    recipe: Mapping[str, Any] | None = None,
    *,
    split: str | int | None = None,
    keep_texts: bool = False,
    n_jobs: int | None = None,
) -> Corpus:
    """Make a corpus of rows, which are read once, one at a time.

    Parameters
    ----------
    rows
        The texts and what is known of them.
    choices
        What counts as a word, and which words are kept.
    recipe
        How an earlier corpus was made; then `choices` do not matter.
    split
        Cut texts into parts, as `read_corpus` says.
    keep_texts
        Keep the texts and the places of the words in them.
    n_jobs
        Processes.

    Examples
    --------
    >>> corpus_of_rows([Row("The cat sat."), Row("The dog sat.")], Words(max_share=0.5)).vocabulary
    ('cat', 'dog')
    """
    documents = _Documents(splitter(split), keep_texts)
    gathered = gather(on_processes(_count, in_batches(documents.taken(rows)), n_jobs))
    if not gathered.n_documents:
        raise CorpusError("there is no document; pass a file with documents")
    if recipe is None:
        choice = choose_words(gathered, choices)
        recipe = {"version": RECIPE_VERSION, "vocabulary": list(choice.vocabulary)}
    else:
        choice = known_words(gathered, recipe["vocabulary"])
    n_tokens = int(gathered.tokens.sum())
    csr = assemble(gathered, choice.columns, len(choice.vocabulary))
    kept = int(csr.data.sum())
    reading = {
        "documents": csr.shape[0],
        "words": {"kept": len(choice.vocabulary), "cut": choice.cut} | choice.used,
        "tokens": {"kept": kept, "dropped": n_tokens - kept},
    }
    details = documents.details(recipe, reading)
    return Corpus(csr.indptr, csr.indices, csr.data, csr.shape[1], choice.vocabulary, documents.all_names(), details)


def _count(texts: list[str]) -> Counts:
    return counts_of(tokens_of(texts))


@dataclass(slots=True, eq=False)
class _Documents:
    """What is kept of the rows while their texts pass by."""

    cut: Callable[[str], list[str]] | None
    keep_texts: bool
    names: list[str | None] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def taken(self, rows: Iterable[Row]) -> Iterator[str]:
        for number, row in enumerate(rows, 1):
            date = iso_date(row.date) if row.date else ""
            parts = [row.text] if self.cut is None else self.cut(row.text) or [""]
            for place, part in enumerate(parts, 1):
                self.names.append(row.name if self.cut is None else f"{row.name or number}:{place}")
                self.labels.append(row.label)
                self.dates.append(date)
                if self.keep_texts:
                    self.texts.append(unicodedata.normalize("NFC", part))
                yield part

    def all_names(self) -> tuple[str, ...] | None:
        if not any(name is not None for name in self.names):
            return None
        return tuple(str(number) if name is None else name for number, name in enumerate(self.names, 1))

    def details(self, recipe: Mapping[str, Any], reading: Mapping[str, Any]) -> Details:
        return Details(
            tuple(self.labels) if any(self.labels) else None,
            tuple(self.dates) if any(self.dates) else None,
            tuple(self.texts) if self.keep_texts else None,
            None,
            recipe,
            reading,
        )
