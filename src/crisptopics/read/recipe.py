"""How the words of a corpus were made, as plain JSON values, so that new texts are read in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from crisptopics.errors import CorpusError
from crisptopics.read.words import Words

VERSION = 1
DIVISIONS = ("words", "language", "tokenizer", "vectorizer")
Pairs: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides which words a text has.

    Parameters
    ----------
    division
        What divides a text: "words" (our own), "language" (an extra package), "tokenizer" or "vectorizer" (the
        caller's).
    language
        Language of the texts.
    vocabulary
        The words that are kept, in the order of the columns.
    lemmas
        Dictionary forms of words that differ from theirs, or None when words are counted as they are.
    stop_words
        Words that have no dictionary form because they were left out.
    phrases
        Rounds of pairs of words that become one.

    Examples
    --------
    >>> Recipe("words", None, ("cat", "dog")).to_json()["vocabulary"]
    ['cat', 'dog']
    """

    division: str
    language: str | None
    vocabulary: tuple[str, ...]
    lemmas: Mapping[str, str] | None = None
    stop_words: tuple[str, ...] = ()
    phrases: tuple[Pairs, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Give plain values."""
        return {
            "version": VERSION,
            "division": self.division,
            "language": self.language,
            "vocabulary": list(self.vocabulary),
            "lemmas": None if self.lemmas is None else dict(sorted(self.lemmas.items())),
            "stop_words": list(self.stop_words),
            "phrases": [[list(pair) for pair in pairs] for pairs in self.phrases],
        }


def read_recipe(plain: Any) -> Recipe:
    """Check a recipe of plain values.

    Examples
    --------
    >>> read_recipe(Recipe("words", None, ("cat", "dog")).to_json()).vocabulary
    ('cat', 'dog')
    """
    fields = {"version", "division", "language", "vocabulary", "lemmas", "stop_words", "phrases"}
    if not isinstance(plain, Mapping) or set(plain) != fields:
        raise _broken(f"its fields are {sorted(plain) if isinstance(plain, Mapping) else plain!r:.80}")
    if plain["version"] != VERSION:
        raise _broken(f"its version is {plain['version']!r}, this version of crisptopics reads {VERSION}")
    if plain["division"] not in DIVISIONS:
        raise _broken(f"division {plain['division']!r} is none of {', '.join(DIVISIONS)}")
    lemmas, phrases = plain["lemmas"], plain["phrases"]
    are_words = {
        "vocabulary": _are_words(plain["vocabulary"]) and len(set(plain["vocabulary"])) == len(plain["vocabulary"]),
        "stop_words": _are_words(plain["stop_words"]),
        "language": plain["language"] is None or isinstance(plain["language"], str),
        "lemmas": lemmas is None or (isinstance(lemmas, Mapping) and _are_words([*lemmas, *lemmas.values()])),
        "phrases": isinstance(phrases, list)
        and all(isinstance(pairs, list) for pairs in phrases)
        and all(_are_words(pair) and len(pair) == 2 for pairs in phrases for pair in pairs),
    }
    for name, good in are_words.items():
        if not good:
            raise _broken(f"{name} is {plain[name]!r:.60}")
    return Recipe(
        plain["division"],
        plain["language"],
        tuple(plain["vocabulary"]),
        None if lemmas is None else dict(lemmas),
        tuple(plain["stop_words"]),
        tuple(tuple((first, second) for first, second in pairs) for pairs in phrases),
    )


def choices_of(recipe: Recipe, given: Words | None) -> Words:
    """Return the choices that a recipe stands for; what divides texts must be given again where it is the caller's.

    Examples
    --------
    >>> choices_of(Recipe("words", "en", ("cat",)), None).language
    'en'
    """
    tokenizer = None if given is None else given.tokenizer
    if (tokenizer is not None) != (recipe.division in ("tokenizer", "vectorizer")):
        raise CorpusError(
            f"the recipe's texts were divided by {'your own ' if tokenizer is None else ''}{recipe.division};"
            + (" pass it again, as words=Words(tokenizer=...)" if tokenizer is None else " leave tokenizer out")
        )
    return replace(Words(tokenizer=tokenizer), language=recipe.language)


def _are_words(words: Any) -> bool:
    return isinstance(words, list) and all(isinstance(word, str) for word in words)


def _broken(reason: str) -> CorpusError:
    return CorpusError(f"this is no recipe of a corpus: {reason}; pass the details.recipe of a corpus as it is")
