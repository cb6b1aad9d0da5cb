"""Which columns hold the text, the label, the name and the date of a document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from crisptopics.errors import CorpusError

Column: TypeAlias = str | int

TEXT_NAMES = (
    "text", "body", "content", "contents", "document", "doc", "review", "review_text", "reviewtext", "abstract",
    "message", "comment", "tweet", "description", "article", "sentence", "post", "full_text", "raw_text", "utterance",
    "summary", "texte", "texto", "testo", "tekst",
)  # fmt: skip
LABEL_NAMES = (
    "label", "labels", "class", "category", "categories", "target", "topic", "group", "section", "genre", "party",
    "author", "speaker", "source",
)  # fmt: skip
ID_NAMES = ("id", "doc_id", "docid", "document_id", "uuid", "key", "name", "title", "filename", "file", "url")
DATE_NAMES = ("date", "datetime", "timestamp", "created_at", "created", "published", "published_at", "year", "time")

SAMPLE = 50


@dataclass(frozen=True, slots=True)
class Wanted:
    """The columns that the caller asked for; None where they are to be guessed.

    Examples
    --------
    >>> Wanted(text="review").by_number
    False
    """

    text: Column | None = None
    label: Column | None = None
    id: Column | None = None
    date: Column | None = None

    @property
    def by_number(self) -> bool:
        """Whether columns are given by their number, so that the file has no header."""
        return any(isinstance(column, int) for column in (self.text, self.label, self.id, self.date))


@dataclass(frozen=True, slots=True)
class Columns:
    """Where the parts of a row stand; None where there is no such part.

    Examples
    --------
    >>> Columns(0, id=2).as_names(["words", "year", "key"])
    {'text': 'words', 'id': 'key'}
    """

    text: int
    label: int | None = None
    id: int | None = None
    date: int | None = None

    def as_names(self, header: Sequence[str]) -> dict[str, str]:
        """Name the columns that are used."""
        places = {"text": self.text, "label": self.label, "id": self.id, "date": self.date}
        return {part: header[place] for part, place in places.items() if place is not None}


def choose_columns(wanted: Wanted, header: Sequence[str], sample: Sequence[Sequence[Any]], file: str) -> Columns:
    """Find the columns that were asked for, and guess those that were not.

    Parameters
    ----------
    wanted
        What the caller asked for.
    header
        Names of all columns.
    sample
        Some rows.
    file
        The file's name, for messages.

    Examples
    --------
    >>> choose_columns(Wanted(), ["id", "year", "speech"], [["7", "1790", "In meeting you again I feel much"]], "a.csv")
    Columns(text=2, label=None, id=0, date=1)
    """
    given = {part: _place(part, getattr(wanted, part), header, file) for part in ("text", "label", "id", "date")}
    text = given["text"]
    if text is None:
        text = _guess_text(header, sample, file, {place for place in given.values() if place is not None})
    free = {_plain(name): place for place, name in reversed(list(enumerate(header))) if place != text}
    for part, names in (("label", LABEL_NAMES), ("id", ID_NAMES), ("date", DATE_NAMES)):
        if given[part] is None:
            given[part] = next((free[name] for name in names if name in free), None)
    return Columns(text, given["label"], given["id"], given["date"])


def _plain(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def _place(part: str, column: Column | None, header: Sequence[str], file: str) -> int | None:
    if column is None:
        return None
    if isinstance(column, int) and not isinstance(column, bool) and 0 <= column < len(header):
        return column
    if column in header:
        return list(header).index(str(column))
    raise CorpusError(f"{file} has no column {column!r} for {part}; it has {_listed(header)}; name one of these")


def _listed(header: Sequence[str]) -> str:
    names = ", ".join(f"{name!r:.40}" for name in header[:12])
    return names + (f" and {len(header) - 12} more" if len(header) > 12 else "")


def _guess_text(header: Sequence[str], sample: Sequence[Sequence[Any]], file: str, taken: set[int]) -> int:
    free = [place for place in range(len(header)) if place not in taken]
    if len(free) == 1:
        return free[0]
    called_text = [place for place in free if _plain(header[place]) == "text"]
    named = [place for place in free if _plain(header[place]) in TEXT_NAMES]
    wordy = [place for place in free if _is_wordy([row[place] for row in sample if place < len(row)])]
    both = [place for place in named if place in wordy]
    for candidates in (called_text, both, named, wordy):
        if len(candidates) == 1:
            return candidates[0]
    options = [header[place] for place in both or named or wordy]
    found = f"could be any of {_listed(options)}" if options else f"is none of {_listed(header)} for certain"
    raise CorpusError(f"{file}: the text {found}; name its column with text=...")


def _is_wordy(values: Sequence[Any]) -> bool:
    """Tell running text from names, numbers, dates and addresses: long, and of words or of letters beyond ASCII."""
    texts = [value for value in values if isinstance(value, str) and value]
    running = [text for text in texts if len(text) >= 15 and (len(text.split()) >= 3 or not text.isascii())]
    lettered = [text for text in running if sum(map(str.isalpha, text)) > len(text) / 2]
    return len(lettered) > len(texts) / 2
