"""What depends on the language, from extra packages: stop words, dictionary forms, words of texts without spaces."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import regex

from crisptopics.errors import CorpusError, MissingExtraError
from crisptopics.read.beside import read_word_list
from crisptopics.read.words import Words, tokenize

UNSPACED = {"zh": "rjieba", "ja": "fugashi", "th": "pythainlp"}  # language: the package that divides it
_WHOLE_WORD = regex.compile(r"[\p{L}\p{M}\p{N}_]{2,}")
_LONG_RUN = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]{5,}|[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{M}]{16,}"
)


def stop_words_of(choices: Words) -> frozenset[str]:
    """Return the words to leave out, divided as texts are: "don't" means "don".

    Examples
    --------
    >>> sorted(stop_words_of(Words(stop_words=["The", "don't"])))
    ['don', 'the']
    """
    wanted = choices.stop_words
    if wanted is None or wanted is False:
        return frozenset()
    if wanted is True:
        wanted = choices.language or ""
    if isinstance(wanted, str) and re.fullmatch("[a-z]{2,3}", wanted):
        wanted = _listed(wanted)
    elif isinstance(wanted, str | os.PathLike):
        wanted = read_word_list(Path(wanted))
    if not isinstance(wanted, Collection) or not all(isinstance(word, str) for word in wanted):
        raise CorpusError(
            f"stop_words must be a language such as 'en', a file with a word a line, or a list; received {wanted!r:.60}"
        )
    return frozenset(part for word in wanted for part in (tokenize(word) if choices.tokenizer is None else [word]))


def _listed(language: str) -> Collection[str]:
    stopwordsiso = _extra("stopwordsiso", "lang", "lists of stop words need")
    if not stopwordsiso.has_lang(language):
        known = ", ".join(sorted(stopwordsiso.langs()))
        raise CorpusError(
            f"there is no list of stop words for {language!r}; accepted are {known}, or a file with a word a line"
        )
    words: Collection[str] = stopwordsiso.stopwords(language)
    return words


def lemma_of(language: str) -> Callable[[str], str]:
    """Return what gives the dictionary form of a word.

    Examples
    --------
    >>> lemma_of("en")("treaties")
    'treaty'
    """
    simplemma = _extra("simplemma", "lang", "lemmas need")
    try:
        simplemma.lemmatize("test", language)
    except ValueError as error:
        raise CorpusError(f"there are no lemmas for the language {language!r}: {error}; leave lemmas out") from error
    return lambda word: simplemma.lemmatize(word, language).lower()


@lru_cache
def divider_of(language: str | None) -> Callable[[str], list[str]] | None:
    """Return what divides a text of a language that sets no spaces between words; None for other languages.

    Examples
    --------
    >>> divider_of("zh")("我来到北京清华大学")
    ['来到', '北京', '清华大学']
    """
    if language not in UNSPACED:
        return None
    package = _extra(UNSPACED[language], language, f"texts of language {language!r} need")
    if language == "zh":
        divide: Callable[[str], list[str]] = package.cut
    elif language == "ja":
        tagger = package.GenericTagger(_extra("ipadic", language, "texts of language 'ja' need").MECAB_ARGS)
        divide = partial(_surfaces, tagger)
    else:
        divide = _extra("pythainlp.tokenize", language, "texts of language 'th' need").word_tokenize
    return lambda text: [word for word in divide(text.lower()) if _WHOLE_WORD.fullmatch(word)]


def _surfaces(tagger: Any, text: str) -> list[str]:
    return [word.surface for word in tagger(text)]


def is_unsegmented(word: str) -> bool:
    """Tell a clause of Chinese, Japanese, Thai and the like from a word.

    Examples
    --------
    >>> is_unsegmented("我来到北京清华大学"), is_unsegmented("清华大学")
    (True, False)
    """
    return not word.isascii() and _LONG_RUN.fullmatch(word) is not None


def _extra(package: str, extra: str, need: str) -> Any:
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise MissingExtraError(f"{need} {package}; install it with pip install 'crisptopics[{extra}]'") from error
