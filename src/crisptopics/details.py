"""What is known of documents beside their word counts: labels, dates, texts, and where the words stand in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from crisptopics.errors import CorpusError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Spans:
    """Where each document's words stand in its text, in the order of the text.

    Parameters
    ----------
    indptr
        Where each document's spans start, and after the last one where they end.
    entries
        Which of its document's entries each span is an occurrence of, counted from 0 in each document.
    starts
        First character of each span.
    ends
        The character after each span's last.

    Examples
    --------
    >>> len(Spans([0, 2], [1, 0], [0, 4], [3, 7]))
    1
    """

    indptr: npt.NDArray[np.int64]
    entries: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int32]

    def __post_init__(self) -> None:
        for field in fields(self):
            dtype = np.int64 if field.name == "indptr" else np.int32
            values = np.ascontiguousarray(getattr(self, field.name), dtype=dtype).view()
            values.flags.writeable = False
            object.__setattr__(self, field.name, values)
        if not len(self.entries) == len(self.starts) == len(self.ends) == self.indptr[-1]:
            raise CorpusError(
                f"spans must have as many entries, starts and ends as indptr says, {self.indptr[-1]}; received"
                f" {len(self.entries)}, {len(self.starts)} and {len(self.ends)}"
            )

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __reduce__(self) -> tuple[type[Spans], tuple[Any, ...]]:
        """Unpickle through the constructor, which makes the arrays read-only again."""
        return Spans, (self.indptr, self.entries, self.starts, self.ends)

    def select(self, rows: npt.NDArray[np.int64]) -> Spans:
        """Give the spans of some documents, in the order asked for.

        Examples
        --------
        >>> Spans([0, 2, 3], [1, 0, 0], [0, 4, 0], [3, 7, 2]).select([1]).ends
        array([2], dtype=int32)
        """
        picked, indptr = take_rows(self.indptr, np.asarray(rows))
        return Spans(indptr, self.entries[picked], self.starts[picked], self.ends[picked])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Details:
    """What readers know of the documents of a corpus beside their counts; each part may be missing.

    Parameters
    ----------
    labels
        Label of each document, "" where it has none.
    dates
        Date of each document as in ISO 8601 ("2026", "2026-11" or "2026-11-19"), "" where it has none.
    texts
        Text of each document, in the Unicode form NFC.
    spans
        Where the words stand in the texts.
    recipe
        How the words were made, as plain JSON values; new documents are read by it in the same way.
    reading
        What was read and what was left out, as plain JSON values.

    Examples
    --------
    >>> Details(labels=("sport", "politics")).select(np.array([1])).labels
    ('politics',)
    """

    labels: tuple[str, ...] | None = None
    dates: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None
    spans: Spans | None = None
    recipe: Mapping[str, Any] | None = None
    reading: Mapping[str, Any] | None = None

    def check(self, n_documents: int) -> None:
        """Refuse parts that belong to another number of documents."""
        for name in ("labels", "dates", "texts", "spans"):
            part = getattr(self, name)
            if part is not None and len(part) != n_documents:
                raise CorpusError(
                    f"{name} must have {n_documents} items, one for each document; received {len(part)}; pass those"
                    " that belong to these counts"
                )

    def select(self, rows: npt.NDArray[np.int64]) -> Details:
        """Give what is known of some documents, in the order asked for."""

        def pick(part: tuple[str, ...] | None) -> tuple[str, ...] | None:
            return None if part is None else tuple(part[row] for row in rows)

        spans = None if self.spans is None else self.spans.select(rows)
        return Details(pick(self.labels), pick(self.dates), pick(self.texts), spans, self.recipe, self.reading)


def take_rows(
    indptr: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return where the items of some rows stand, and where each of these rows starts among them.

    Examples
    --------
    >>> take_rows(np.array([0, 2, 3]), np.array([1, 0]))
    (array([2, 0, 1]), array([0, 1, 3]))
    """
    lengths = np.diff(indptr)[rows]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return np.arange(starts[-1]) + np.repeat(indptr[rows] - starts[:-1], lengths), starts
