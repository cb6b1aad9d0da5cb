"""From rows to a Corpus: words are counted while the texts pass by, then chosen, then the counts are put together."""

from __future__ import annotations

import sys
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress, islice, repeat
from typing import Any

import numpy as np

from crisptopics.corpus import Corpus
from crisptopics.details import Details, Spans
from crisptopics.errors import CorpusError
from crisptopics.read.batches import divided, in_batches
from crisptopics.read.counting import Joint, Tokens, counts_of
from crisptopics.read.dates import iso_date
from crisptopics.read.dividing import Division
from crisptopics.read.languages import UNSPACED, is_unsegmented, stop_words_of
from crisptopics.read.phrases import JOINT, find_phrases, join_phrases
from crisptopics.read.places import spans_of
from crisptopics.read.recipe import Pairs, Recipe, choices_of, read_recipe
from crisptopics.read.rows import Row
from crisptopics.read.split import splitter
from crisptopics.read.vocabulary import (
    SHOWN,
    Choice,
    Gathered,
    assemble,
    choose_words,
    gather,
    known_words,
    limits,
    too_common,
)
from crisptopics.read.words import Words

UNSEGMENTED_SHARE = 0.2


def corpus_of_rows(
    rows: Iterable[Row],
    choices: Words | None = None,
    recipe: Mapping[str, Any] | None = None,
    *,
    split: str | int | None = None,
    keep_texts: bool = False,
    n_jobs: int | None = None,
    told: Callable[[], Mapping[str, Any]] = dict,
) -> Corpus:
    """Make a corpus of rows, which are read once, one at a time.

    Parameters
    ----------
    rows
        The texts and what is known of them.
    choices
        What counts as a word, and which words are kept.
    recipe
        How an earlier corpus was made; of `choices` only the tokenizer matters then.
    split
        Cut texts into parts, as `read_corpus` says.
    keep_texts
        Keep the texts and the places of the words in them.
    n_jobs
        Processes.
    told
        What is to be said of the rows when all are read, for `details.reading`.

    Examples
    --------
    >>> corpus_of_rows([Row("The cat sat."), Row("The dog sat.")], Words(max_share=0.5)).vocabulary
    ('cat', 'dog')
    """
    plan = None if recipe is None else read_recipe(recipe)
    choices = (choices or Words()) if plan is None else choices_of(plan, choices)
    stop_words = stop_words_of(choices) if plan is None else frozenset(plan.stop_words)
    documents = _Documents(splitter(split), keep_texts)
    division = _division(choices, plan, stop_words, keep_texts)
    batches = divided(division, in_batches(documents.taken(rows)), n_jobs)
    ordered = None
    if division.output == "counts":
        gathered = gather(batches)
    else:
        ordered = _Ordered(batches)
        ordered.join(choices, plan, stop_words)
        gathered = ordered.gathered()
    if not gathered.n_documents:
        raise CorpusError("there is no document; pass a file with documents")
    choice, new_plan = _chosen(gathered, choices, plan, stop_words, () if ordered is None else ordered.phrases)
    reading = {**told(), **_reading(gathered, choice, new_plan), **documents.remarks()}
    if division.language is None and division.tokenizer is None:
        _warn_of_unsegmented(gathered, reading)
    spans = None if ordered is None or not keep_texts else ordered.spans(choice.vocabulary)
    counts = assemble(gathered, choice.columns, len(choice.vocabulary))
    kept = int(counts.counts.sum(dtype=np.int64))
    reading["tokens"] = {"kept": kept, "dropped": reading["tokens"] - kept}
    reading["documents_without_words"] = int((np.diff(counts.indptr) == 0).sum())
    details = documents.details(spans, new_plan.to_json(), reading)
    n_words, names = len(choice.vocabulary), documents.all_names()
    return Corpus(counts.indptr, counts.ids, counts.counts, n_words, choice.vocabulary, names, details)


def _division(choices: Words, plan: Recipe | None, stop_words: frozenset[str], keep_texts: bool) -> Division:
    lemmas, known = choices.lemmas, {}
    phrases = choices.phrases
    if plan is not None:
        lemmas, known, phrases = plan.lemmas is not None, dict(plan.lemmas or {}), bool(plan.phrases)
    is_vectorizer = hasattr(choices.tokenizer, "transform")
    output = "places" if keep_texts and not is_vectorizer else "tokens" if phrases else "counts"
    return Division(choices.language, choices.tokenizer, lemmas, known, stop_words, output)  # type: ignore[arg-type]


class _Ordered:
    """The tokens of all documents in their order, for phrases and for the places of words."""

    def __init__(self, batches: Iterable[Tokens]) -> None:
        joint = Joint()
        self.blocks = [replace(batch, words=[], ids=joint.numbers(batch), numbering="") for batch in batches]
        self.ids = joint.ids
        self.phrases: tuple[Pairs, ...] = ()

    def gathered(self) -> Gathered:
        told = chain([list(self.ids)], repeat([]))
        return gather(counts_of(replace(block, words=words)) for block, words in zip(self.blocks, told, strict=False))

    def join(self, choices: Words, plan: Recipe | None, stop_words: frozenset[str]) -> None:
        """Make one word of each phrase: those of the plan, or those that are found."""
        if plan is not None:
            for pairs in plan.phrases:
                join_phrases(self.blocks, self.ids, pairs)
            self.phrases = plan.phrases
        elif choices.phrases and self.blocks:
            single = self.gathered()
            common = compress(single.words, too_common(single, limits(single, choices)[1]))
            self.phrases = find_phrases(self.blocks, self.ids, chain(stop_words, common))

    def spans(self, vocabulary: Sequence[str]) -> Spans:
        """Say where the words that are kept stand, as entries of their documents."""
        place = {word: column for column, word in enumerate(vocabulary)}
        columns = np.fromiter((place.get(word, -1) for word in self.ids), np.int32, len(self.ids))
        return spans_of(self.blocks, columns, len(vocabulary))


def _chosen(
    gathered: Gathered, choices: Words, plan: Recipe | None, stop_words: frozenset[str], phrases: tuple[Pairs, ...]
) -> tuple[Choice, Recipe]:
    if plan is not None:
        return known_words(gathered, plan.vocabulary), plan
    is_vectorizer = hasattr(choices.tokenizer, "transform")
    if is_vectorizer:
        choice = known_words(gathered, tuple(map(str, choices.tokenizer.get_feature_names_out())))
    else:
        choice = choose_words(gathered, *limits(gathered, choices), stop_words)
    division = "words" if choices.language not in UNSPACED else "language"
    if choices.tokenizer is not None:
        division = "vectorizer" if is_vectorizer else "tokenizer"
    lemmas = gathered.lemmas if choices.lemmas else None
    kept_stops = tuple(sorted(stop_words)) if choices.lemmas else ()
    return choice, Recipe(division, choices.language, choice.vocabulary, lemmas, kept_stops, phrases)


def _reading(gathered: Gathered, choice: Choice, plan: Recipe) -> dict[str, Any]:
    words: dict[str, Any] = {"kept": len(choice.vocabulary), "cut": choice.cut} | choice.used
    if plan.lemmas is not None:
        words["lemmas"] = {"number": len(plan.lemmas), "examples": dict(islice(plan.lemmas.items(), SHOWN))}
    joined = [JOINT.join(pair) for pairs in plan.phrases for pair in pairs]
    if joined:
        words["phrases"] = {"number": len(joined), "examples": joined[:SHOWN]}
    return {
        "documents": gathered.n_documents,
        "words": words,
        "tokens": int(gathered.tokens.sum()),
        "warnings": [],
    }


def _warn_of_unsegmented(gathered: Gathered, reading: dict[str, Any]) -> None:
    words = gathered.words
    beyond_ascii = np.flatnonzero(~np.fromiter(map(str.isascii, words), bool, len(words))).tolist()
    long_runs = [number for number in beyond_ascii if is_unsegmented(words[number])]
    share = gathered.tokens[long_runs].sum() / max(reading["tokens"], 1)
    if share > UNSEGMENTED_SHARE:
        example = words[long_runs[0]]
        message = (
            f"{share:.0%} of the words look like whole clauses, such as {example[:20]!r}: name the language, 'zh', 'ja'"
            " or 'th' (Words(language=...)), or pass a tokenizer that divides the text"
        )
        reading["warnings"].append(message)
        warnings.warn(message, UserWarning, stacklevel=4)


@dataclass(slots=True, eq=False)
class _Documents:
    """What is kept of the rows while their texts pass by."""

    cut: Callable[[str], list[str]] | None
    keep_texts: bool
    names: list[str | None] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    undated: list[str] = field(default_factory=list)
    repeated: Counter[str] = field(default_factory=Counter)

    def taken(self, rows: Iterable[Row]) -> Iterator[str]:
        seen = set()
        for number, row in enumerate(rows, 1):
            date = iso_date(row.date) if row.date else ""
            if row.date and not date:
                self.undated.append(row.date)
            if row.name is not None:
                if row.name in seen:
                    self.repeated[row.name] += 1
                seen.add(row.name)
            parts = [row.text] if self.cut is None else self.cut(row.text) or [""]
            for place, part in enumerate(parts, 1):
                self.names.append(row.name if self.cut is None else f"{row.name or number}:{place}")
                self.labels.append(sys.intern(row.label))
                self.dates.append(sys.intern(date))
                text = unicodedata.normalize("NFC", part) if self.keep_texts else part
                if self.keep_texts:
                    self.texts.append(text)
                yield text

    def all_names(self) -> tuple[str, ...] | None:
        if not any(name is not None for name in self.names):
            return None
        return tuple(str(number) if name is None else name for number, name in enumerate(self.names, 1))

    def remarks(self) -> dict[str, Any]:
        """Say what is odd about names and dates."""
        odd = {"names_repeated": list(self.repeated), "dates_not_understood": self.undated}
        return {what: {"number": len(found), "examples": found[:3]} for what, found in odd.items() if found}

    def details(self, spans: Spans | None, recipe: Mapping[str, Any], reading: Mapping[str, Any]) -> Details:
        return Details(
            tuple(self.labels) if any(self.labels) else None,
            tuple(self.dates) if any(self.dates) else None,
            tuple(self.texts) if self.keep_texts else None,
            spans,
            recipe,
            reading,
        )
