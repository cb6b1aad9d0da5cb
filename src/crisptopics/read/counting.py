"""The words of some documents as numbers, in order or counted, and one numbering for those of all processes."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from crisptopics.read.words import Numbering

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The words of some documents, in the order of the texts.

    Parameters
    ----------
    words
        The words that are new in the numbering.
    indptr
        Where each document's tokens start, and after the last one where they end.
    ids
        Word of each token.
    starts, ends
        First character of each token, and the one after its last, where they were asked for.
    lemmas
        Dictionary forms that took the place of words, those that are new.
    numbering
        Whose numbers these are: each process gives its own, and tells each word once.

    Examples
    --------
    >>> Tokens(["cat"], np.array([0, 2]), np.array([0, 0])).words
    ['cat']
    """

    words: list[str]
    indptr: npt.NDArray[np.int64]
    ids: Ints
    starts: Ints | None = None
    ends: Ints | None = None
    lemmas: Mapping[str, str] = field(default_factory=dict)
    numbering: str = ""

    @property
    def documents(self) -> npt.NDArray[np.int64]:
        """Document of each token."""
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    def only(self, kept: npt.NDArray[np.bool_]) -> Tokens:
        """Leave out tokens."""
        indptr = np.concatenate([[0], np.cumsum(kept)])[self.indptr]
        starts, ends = (None if part is None else part[kept] for part in (self.starts, self.ends))
        return replace(self, indptr=indptr, ids=self.ids[kept], starts=starts, ends=ends)


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How often some documents have which words; the words of a document are in no order.

    Examples
    --------
    >>> Counts(["cat"], np.array([0, 1]), np.array([0]), np.array([2])).counts
    array([2])
    """

    words: list[str]
    indptr: npt.NDArray[np.int64]
    ids: Ints
    counts: Ints
    lemmas: Mapping[str, str] = field(default_factory=dict)
    numbering: str = ""


def counts_of(tokens: Tokens) -> Counts:
    """Count the words of each document.

    Examples
    --------
    >>> counts_of(Tokens(["cat", "dog"], np.array([0, 3, 4]), np.array([1, 0, 1, 0]))).counts
    array([1, 2, 1], dtype=int32)
    """
    n_words = int(tokens.ids.max(initial=0)) + 1
    keys = np.sort(tokens.documents * n_words + tokens.ids)
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.diff(firsts, append=len(keys)).astype(np.int32)
    keys = keys[firsts]
    indptr = np.searchsorted(keys, np.arange(len(tokens.indptr)) * n_words)
    return Counts(tokens.words, indptr, (keys % n_words).astype(np.int32), counts, tokens.lemmas, tokens.numbering)


@dataclass(slots=True, eq=False)
class Joint:
    """One numbering for the words of batches that come with several.

    Words are numbered as they first appear in the batches, whichever process read these.

    Examples
    --------
    >>> joint = Joint()
    >>> of_one, of_other = np.array([0, 1]), np.array([0])
    >>> joint.numbers(Counts(["cat", "dog"], np.array([0, 2]), of_one, np.array([1, 1]), numbering="one")).tolist()
    [0, 1]
    >>> joint.numbers(Counts(["dog"], np.array([0, 1]), of_other, np.array([1]), numbering="other")).tolist()
    [1]
    """

    ids: Numbering = field(default_factory=Numbering)
    numberings: dict[str, array[int]] = field(default_factory=dict)

    def numbers(self, batch: Counts | Tokens) -> Ints:
        """Give the words of a batch, the next one of its numbering, their numbers."""
        places = self.numberings.setdefault(batch.numbering, array("i"))
        places.extend(map(self.ids.__getitem__, batch.words))
        return np.frombuffer(places, np.int32)[batch.ids] if places else batch.ids
