"""Texts into words, and into a Corpus without the rarest and the commonest words."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt
import regex  # the package brings no types

from crisptopics.corpus import Corpus
from crisptopics.errors import CorpusError

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}_]{2,}")


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


def corpus_of_texts(
    texts: Iterable[str],
    names: Iterable[Any] | None = None,
    *,
    tokenizer: Callable[[str], Iterable[str]] = tokenize,
    min_documents: int = 1,
    max_share: float = 1.0,
) -> Corpus:
    """Make a corpus of texts, which are read once, one at a time.

    Parameters
    ----------
    texts
        One string for each document.
    names
        Names of the documents.
    tokenizer
        Divides a text into its words.
    min_documents
        Words in fewer documents than this are left out.
    max_share
        Words in a greater share of the documents than this are left out.

    Examples
    --------
    >>> corpus = corpus_of_texts(["The cat sat.", "The dog sat."], max_share=0.5)
    >>> corpus.vocabulary
    ('cat', 'dog')
    """
    if not min_documents >= 1:
        raise CorpusError(
            f"min_documents must be a number of documents, at least 1; received {min_documents!r}; 1 keeps all words"
        )
    if not 0 < max_share <= 1:
        raise CorpusError(
            f"max_share must be a share of the documents, above 0 and at most 1; received {max_share!r};"
            " 1 keeps all words"
        )
    corpus = Corpus.from_tokens(_token_lists(texts, tokenizer), names=names)
    used_in = np.bincount(corpus.words, minlength=corpus.n_words)
    kept = (used_in >= min_documents) & (used_in / corpus.n_documents <= max_share)
    if kept.all():
        return corpus
    if not kept.any():
        raise CorpusError(
            f"no word is left of {corpus.n_words}: none is in at least min_documents={min_documents!r} documents and in"
            f" at most max_share={max_share!r} of all {corpus.n_documents}; lower min_documents or raise max_share"
        )
    return _keep_words(corpus, kept)


def _token_lists(texts: Iterable[str], tokenizer: Callable[[str], Iterable[str]]) -> Iterator[Iterable[str]]:
    if isinstance(texts, str):
        raise CorpusError(f"texts must be a list of strings; received the one text {texts!r:.60}; put it into a list")
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise CorpusError(
                f"text {row} is {text!r:.60} ({type(text).__name__}); accepted are strings; leave it out"
                " or put '' there"
            )
        yield tokenizer(text)


def _keep_words(corpus: Corpus, kept: npt.NDArray[np.bool_]) -> Corpus:
    """Leave out words, and number the others anew."""
    entries = kept[corpus.words]
    indptr = np.concatenate([[0], np.cumsum(entries)])[corpus.indptr]
    words = (np.cumsum(kept) - 1)[corpus.words[entries]]
    vocabulary = tuple(compress(corpus.word_names, kept))
    return Corpus(indptr, words, corpus.counts[entries], len(vocabulary), vocabulary, corpus.names)
