"""Texts into words and numbers of words, a batch at a time."""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from crisptopics.errors import CorpusError
from crisptopics.read.languages import divider_of, lemma_of
from crisptopics.read.words import ONE_LETTER_WORDS, Numbering, ascii_places, places, split_ascii, tokenize

Divide: TypeAlias = Callable[[str], Iterable[str]]
Ints: TypeAlias = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The words of some documents, in the order of the texts.

    Parameters
    ----------
    words
        The different words.
    indptr
        Where each document's tokens start, and after the last one where they end.
    ids
        Word of each token.
    starts, ends
        First character of each token, and the one after its last, where they were asked for.
    lemmas
        Dictionary forms that took the place of words.

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

    @property
    def documents(self) -> npt.NDArray[np.int64]:
        """Document of each token."""
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    def only(self, kept: npt.NDArray[np.bool_]) -> Tokens:
        """Leave out tokens."""
        indptr = np.concatenate([[0], np.cumsum(kept)])[self.indptr]
        starts, ends = (None if part is None else part[kept] for part in (self.starts, self.ends))
        return Tokens(self.words, indptr, self.ids[kept], starts, ends, self.lemmas)


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


@dataclass(frozen=True, slots=True)
class Division:
    """The work on a batch of texts, the same in every process.

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
    >>> Division()(["The cat, the cat", "A dog"]).counts
    array([2, 2, 1], dtype=int32)
    """

    language: str | None = None
    tokenizer: Any = None
    lemmas: bool = False
    known_lemmas: Mapping[str, str] = field(default_factory=dict)
    stop_words: frozenset[str] = frozenset()
    output: Literal["counts", "tokens", "places"] = "counts"

    def __call__(self, texts: list[str]) -> Any:
        """Return the Counts of texts, or their Tokens."""
        if hasattr(self.tokenizer, "transform"):
            return vectorized(texts, self.tokenizer)
        divide = self.tokenizer or divider_of(self.language)
        tokens = tokens_of(texts, divide, with_places=self.output == "places")
        if self.lemmas:
            tokens = self._lemmatized(tokens)
        return counts_of(tokens) if self.output == "counts" else tokens

    def _lemmatized(self, tokens: Tokens) -> Tokens:
        lemma = lemma_of(self.language or "")
        ids = Numbering()
        changed, places_of = {}, []
        for word in tokens.words:
            form = word if word in self.stop_words else self.known_lemmas.get(word) or lemma(word)
            if form != word:
                changed[word] = form
            places_of.append(ids[form])
        renumbered = np.array(places_of, np.int32)[tokens.ids] if places_of else tokens.ids
        return Tokens(list(ids), tokens.indptr, renumbered, tokens.starts, tokens.ends, changed)


def tokens_of(texts: Sequence[str], divide: Divide | None = None, *, with_places: bool = False) -> Tokens:
    """Divide texts into words.

    Parameters
    ----------
    texts
        The texts; in the Unicode form NFC if places are wanted.
    divide
        Divides a text into its words; by default `tokenize`, or for ASCII something equal and faster.
    with_places
        Whether to note where the words stand.

    Examples
    --------
    >>> tokens_of(["The cat", "A dog"]).words
    ['the', 'cat', 'dog']
    """
    if divide is not None:
        ids = Numbering()
        flat, ends, stands = _flat(texts, lambda text: _checked(divide(_nfc(text))), ids, with_places, _found)
        return Tokens(list(ids), ends, flat, *stands)
    # The words of one letter come first, so that one comparison leaves them out.
    ids = Numbering({word: number for number, word in enumerate(ONE_LETTER_WORDS)})
    n_short = len(ONE_LETTER_WORDS)
    flat, ends, stands = _flat(
        texts, lambda text: split_ascii(text) if text.isascii() else tokenize(text), ids, with_places, _own_places
    )
    tokens = Tokens(list(islice(ids, n_short, None)), ends, flat - np.int32(n_short), *stands)
    return tokens.only(tokens.ids >= 0)


def _flat(
    texts: Sequence[str],
    divide: Divide,
    ids: Numbering,
    with_places: bool,
    places_of: Callable[[str, Sequence[str]], tuple[Any, Any]],
) -> tuple[Ints, npt.NDArray[np.int64], tuple[Ints | None, Ints | None]]:
    """Give the words of texts numbers; `places_of` says where they stand."""
    flat, indptr = array("i"), [0]
    starts: list[Any] = []
    ends: list[Any] = []
    for text in texts:
        words = divide(text)
        flat.extend(list(map(ids.__getitem__, words)))
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


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _checked(words: Any) -> list[str]:
    if isinstance(words, str | bytes):
        raise CorpusError(f"the tokenizer gave the text {words!r:.60}; accepted is a list of words")
    words = list(words)
    for word in words:
        if not isinstance(word, str):
            raise CorpusError(f"the tokenizer gave {word!r:.60} ({type(word).__name__}); accepted are strings")
    return [word for word in words if word]


def counts_of(tokens: Tokens) -> Counts:
    """Count the words of each document.

    Examples
    --------
    >>> counts_of(tokens_of(["The cat, the cat", "A dog"])).counts
    array([2, 2, 1], dtype=int32)
    """
    n_words = max(len(tokens.words), 1)
    keys = np.sort(tokens.documents * n_words + tokens.ids)
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.diff(firsts, append=len(keys)).astype(np.int32)
    keys = keys[firsts]
    indptr = np.searchsorted(keys, np.arange(len(tokens.indptr)) * n_words)
    return Counts(tokens.words, indptr, (keys % n_words).astype(np.int32), counts, tokens.lemmas)


def vectorized(texts: list[str], vectorizer: Any) -> Counts:
    """Count the words of texts by a fitted CountVectorizer, or what has its methods.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> vectorized(["a cat and a cat"], CountVectorizer().fit(["cat dog"])).counts
    array([2], dtype=int32)
    """
    matrix = vectorizer.transform(texts).tocsr()
    if matrix.dtype.kind == "f" and (matrix.data != np.floor(matrix.data)).any():
        raise CorpusError(
            f"the tokenizer {type(vectorizer).__name__} gives weights; accepted are counts, as CountVectorizer gives"
        )
    words = list(map(str, vectorizer.get_feature_names_out()))
    return Counts(words, matrix.indptr.astype(np.int64), matrix.indices, matrix.data.astype(np.int32))


def local(tokens: Tokens, words: Sequence[str]) -> Tokens:
    """Give the words of a batch numbers of its own, instead of those in a longer list.

    Examples
    --------
    >>> local(Tokens([], np.array([0, 2]), np.array([7, 5])), list("abcdefgh")).words
    ['f', 'h']
    """
    used, ids = np.unique(tokens.ids, return_inverse=True)
    own = [words[number] for number in used]
    return Tokens(own, tokens.indptr, ids.astype(np.int32), tokens.starts, tokens.ends, tokens.lemmas)


def numbered(batches: Iterable[Tokens], ids: Numbering) -> list[Tokens]:
    """Give all batches one numbering of words, which grows.

    Examples
    --------
    >>> ids = Numbering()
    >>> [batch.ids.tolist() for batch in numbered([tokens_of(["cat"]), tokens_of(["dog cat"])], ids)]
    [[0], [1, 0]]
    """
    blocks = []
    for batch in batches:
        places_of = np.array([ids[word] for word in batch.words], dtype=np.int32)
        renumbered = places_of[batch.ids] if len(places_of) else batch.ids
        blocks.append(Tokens([], batch.indptr, renumbered, batch.starts, batch.ends, batch.lemmas))
    return blocks
