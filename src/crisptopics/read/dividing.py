"""Texts into words and numbers of words, a batch at a time."""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any, Literal, TypeAlias
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from crisptopics.errors import CorpusError
from crisptopics.read.counting import Counts, Ints, Tokens, counts_of
from crisptopics.read.languages import divider_of, lemma_of
from crisptopics.read.words import ONE_LETTER_WORDS, Numbering, ascii_places, places, split_ascii, tokenize

Divide: TypeAlias = Callable[[str], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Division:
    """How texts are divided into words, the same in every process.

    Parameters
    ----------
    language
        Language of the texts.
    tokenizer
        The caller's own division, or a fitted vectorizer.
    lemmas
        Whether to count dictionary forms.
    known_lemmas
        Dictionary forms that are settled, from an earlier corpus.
    stop_words
        Words that keep their form, because they are left out later.
    output
        "counts", or the tokens in order, or these with their places.

    Examples
    --------
    >>> Division().output
    'counts'
    """

    language: str | None = None
    tokenizer: Any = None
    lemmas: bool = False
    known_lemmas: Mapping[str, str] = field(default_factory=dict)
    stop_words: frozenset[str] = frozenset()
    output: Literal["counts", "tokens", "places"] = "counts"


class Divider:
    """Divides batches of texts in one process, and numbers the words as they come.

    Parameters
    ----------
    division
        How to divide.

    Examples
    --------
    >>> divide = Divider(Division())
    >>> [divide([text]).words for text in ("The cat, the cat", "The dog")]
    [['the', 'cat'], ['dog']]
    """

    def __init__(self, division: Division) -> None:
        self.division = division
        self.name = uuid4().hex  # as processes end and begin, their own numbers may come again
        self.divide = division.tokenizer or divider_of(division.language)
        # Our own words of one letter come first, so that one comparison leaves them out.
        own = () if self.divide else ONE_LETTER_WORDS
        self.ids = Numbering({word: number for number, word in enumerate(own)})
        self.n_short = len(own)
        self.lemma = lemma_of(division.language or "") if division.lemmas else None
        self.forms = Numbering()
        self.form_of = array("i")

    def __call__(self, texts: list[str]) -> Counts | Tokens:
        """Return the Counts of texts, or their Tokens."""
        if hasattr(self.division.tokenizer, "transform"):
            return self._vectorized(texts)
        tokens = self._tokens(texts)
        if self.lemma is not None:
            tokens = self._lemmatized(tokens, self.lemma)
        return counts_of(tokens) if self.division.output == "counts" else tokens

    def _tokens(self, texts: list[str]) -> Tokens:
        n_known = len(self.ids)
        with_places = self.division.output == "places"
        if self.divide is None:
            flat, ends, stands = _flat(texts, _own_words, self.ids, with_places, _own_places)
        else:
            flat, ends, stands = _flat(texts, partial(_their_words, self.divide), self.ids, with_places, _found)
        tokens = Tokens(_latest(self.ids, n_known), ends, flat - np.int32(self.n_short), *stands, numbering=self.name)
        return tokens.only(tokens.ids >= 0) if self.n_short else tokens

    def _lemmatized(self, tokens: Tokens, lemma: Callable[[str], str]) -> Tokens:
        n_known = len(self.forms)
        changed = {}
        for word in tokens.words:
            settled = word in self.division.stop_words
            form = word if settled else self.division.known_lemmas.get(word) or lemma(word)
            if form != word:
                changed[word] = form
            self.form_of.append(self.forms[form])
        ids = np.frombuffer(self.form_of, np.int32)[tokens.ids] if self.form_of else tokens.ids
        return replace(tokens, words=_latest(self.forms, n_known), ids=ids, lemmas=changed)

    def _vectorized(self, texts: list[str]) -> Counts:
        """Count the words of texts by a fitted CountVectorizer, or what has its methods."""
        vectorizer = self.division.tokenizer
        matrix = vectorizer.transform(texts).tocsr()
        if matrix.dtype.kind == "f" and (matrix.data != np.floor(matrix.data)).any():
            raise CorpusError(
                f"the tokenizer {type(vectorizer).__name__} gives weights; accepted are counts, as CountVectorizer"
                " gives"
            )
        words = [] if self.ids else list(map(str, vectorizer.get_feature_names_out()))
        self.ids.update({word: number for number, word in enumerate(words)})
        indptr, counts = matrix.indptr.astype(np.int64), matrix.data.astype(np.int32)
        return Counts(words, indptr, matrix.indices, counts, numbering=self.name)


def _latest(ids: Numbering, n_known: int) -> list[str]:
    """Return the words that came after so many others."""
    return list(islice(reversed(ids), len(ids) - n_known))[::-1]


def _their_words(divide: Divide, text: str) -> list[str]:
    return _checked(divide(unicodedata.normalize("NFC", text)))


def _own_words(text: str) -> list[str]:
    return split_ascii(text) if text.isascii() else tokenize(text)


def _flat(
    texts: Sequence[str],
    divide: Divide,
    ids: Numbering,
    with_places: bool,
    places_of: Callable[[str, Sequence[str]], tuple[Any, Any]],
) -> tuple[Ints, npt.NDArray[np.int64], tuple[Ints | None, Ints | None]]:
    """Give the words of texts numbers; `places_of` says where they stand."""
    flat: list[int] = []
    indptr = [0]
    starts: list[Any] = []
    ends: list[Any] = []
    for text in texts:
        words = divide(text)
        flat.extend(map(ids.__getitem__, words))
        indptr.append(len(flat))
        if with_places:
            first, last = places_of(text, list(words))
            starts.append(first)
            ends.append(last)
    stands = (_joined(starts), _joined(ends)) if with_places else (None, None)
    return np.array(flat, dtype=np.int32), np.array(indptr, dtype=np.int64), stands


def _joined(parts: list[Any]) -> Ints:
    return np.concatenate([[], *parts]).astype(np.int32)


def _own_places(text: str, words: Sequence[str]) -> tuple[Any, Any]:  # noqa: ARG001 (found anew, with their places)
    return ascii_places(text) if text.isascii() else places(text)


def _found(text: str, words: Sequence[str]) -> tuple[list[int], list[int]]:
    """Look for words that somebody else has found, one after the other; those that are not there have no length."""
    lowered = text.lower()
    texts = (text, lowered) if len(lowered) == len(text) else (text,)
    starts, ends, end = [], [], 0
    for word in words:
        start = next((place for where in texts if (place := where.find(word, end)) >= 0), -1)
        starts.append(max(start, 0))
        end = end if start < 0 else start + len(word)
        ends.append(0 if start < 0 else end)
    return starts, ends


def _checked(words: Any) -> list[str]:
    if isinstance(words, str | bytes):
        raise CorpusError(f"the tokenizer gave the text {words!r:.60}; accepted is a list of words")
    words = list(words)
    for word in words:
        if not isinstance(word, str):
            raise CorpusError(f"the tokenizer gave {word!r:.60} ({type(word).__name__}); accepted are strings")
    return [word for word in words if word]
