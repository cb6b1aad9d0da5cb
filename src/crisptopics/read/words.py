"""What a word is: texts into words, and the choices that make a vocabulary of them."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import regex  # the package brings no types

from crisptopics.errors import CorpusError

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}_]{2,}")
# What ASCII text needs of the above: lower-case what belongs to words, blank what does not.
_ASCII = bytes(ord(chr(code).lower()) if re.match(r"\w", chr(code)) else ord(" ") for code in range(128)) + bytes(128)
ONE_LETTER_WORDS = tuple("0123456789_abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True, slots=True)
class Words:
    """What counts as a word, and which words are kept.

    Parameters
    ----------
    min_documents
        Words in fewer documents than this are left out. By default 1, 2, 5 or 10, for corpora of fewer than 50,
        5,000, 50,000 or of more documents.
    max_share
        Words in a greater share of the documents than this are left out. By default a tenth, more where documents
        are long, and never words in fewer than 20 documents.
    stop_words
        Words to leave out: a language such as "en", a file with a word a line, a list, or True for `language`.
    phrases
        Whether to join words that stand together more often than by chance ("new_york").
    lemmas
        Whether to count inflected forms as their dictionary form, of the words of `language`.
    language
        Language of the texts as an ISO 639 code; "zh", "ja" and "th" are divided into words by extra packages.
    tokenizer
        Your own division of a text into words, or a fitted CountVectorizer.

    Examples
    --------
    >>> Words(min_documents=2).min_documents
    2
    """

    min_documents: int | None = None
    max_share: float | None = None
    stop_words: bool | str | os.PathLike[str] | Collection[str] | None = None
    phrases: bool = False
    lemmas: bool = False
    language: str | None = None
    tokenizer: Any = None

    def __post_init__(self) -> None:
        least, most = self.min_documents, self.max_share
        if least is not None and not (isinstance(least, int) and least >= 1):
            raise CorpusError(
                f"min_documents must be a number of documents, at least 1; received {least!r}; 1 keeps all words"
            )
        if most is not None and not (isinstance(most, float | int) and 0 < most <= 1):
            raise CorpusError(
                f"max_share must be a share of the documents, above 0 and at most 1; received {most!r};"
                " 1 keeps all words"
            )
        chosen = (least, most, self.stop_words, self.phrases or None, self.lemmas or None)
        if hasattr(self.tokenizer, "transform") and any(choice is not None for choice in chosen):
            raise CorpusError(
                f"the tokenizer {type(self.tokenizer).__name__} has its own vocabulary; leave min_documents, max_share,"
                " stop_words, phrases and lemmas out, or pass its build_analyzer() as the tokenizer"
            )
        if self.tokenizer is not None and not (callable(self.tokenizer) or hasattr(self.tokenizer, "transform")):
            raise CorpusError(
                f"tokenizer must be a function from a text to its words, or a fitted CountVectorizer; received"
                f" {self.tokenizer!r:.60}"
            )
        if self.language is None and (self.lemmas or self.stop_words is True):
            raise CorpusError(
                f"{'lemmas' if self.lemmas else 'stop_words=True'} needs the language of the texts; name it, for"
                " example Words(language='en')"
            )


class Numbering(dict[str, int]):
    """Numbers of words in the order of their first appearance.

    A defaultdict that numbers by its own length would be a reference cycle, and stay in memory.

    Examples
    --------
    >>> numbers = Numbering()
    >>> [numbers[word] for word in ("cat", "dog", "cat")]
    [0, 1, 0]
    """

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


def tokenize(text: str) -> list[str]:
    """Find the words of a text: runs of two or more letters, marks, digits and underscores, in lower case.

    Parameters
    ----------
    text
        The text, in any script; composed and decomposed accents give the same words (NFC).

    Examples
    --------
    >>> tokenize("A naïve cat's 9 lives")
    ['naïve', 'cat', 'lives']
    """
    return list(_WORD.findall(unicodedata.normalize("NFC", text).lower()))


def split_ascii(text: str) -> list[str]:
    """Find the words of a text of ASCII alone, six times faster than `tokenize`, but with words of one letter.

    Examples
    --------
    >>> split_ascii("A cat's 9 lives")
    ['a', 'cat', 's', '9', 'lives']
    """
    return text.encode("ascii").translate(_ASCII).decode("ascii").split()


def ascii_places(text: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Say where the words of `split_ascii` start and end.

    Examples
    --------
    >>> ascii_places("A cat's 9 lives")
    (array([ 0,  2,  6,  8, 10]), array([ 1,  5,  7,  9, 15]))
    """
    inside = np.frombuffer(text.encode("ascii").translate(_ASCII), np.uint8) != ord(" ")
    edges = np.flatnonzero(np.diff(inside, prepend=False, append=False))
    return edges[::2], edges[1::2]


def places(text: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Say where the words of `tokenize` start and end in a text of the Unicode form NFC.

    Examples
    --------
    >>> places("A naïve cat")
    (array([2, 8]), array([ 7, 11]))
    """
    lowered = text.lower()
    found = np.array([match.span() for match in _WORD.finditer(lowered)], dtype=np.int64).reshape(-1, 2)
    starts, ends = found.T
    if len(lowered) == len(text):
        return starts, ends
    # The Turkish capital I with a dot becomes two characters.
    origin = np.array([place for place, letter in enumerate(text) for _ in letter.lower()])
    return origin[starts], origin[ends - 1] + 1
