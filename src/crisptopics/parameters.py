"""Checks of what a caller may set; each refusal says what was given and what is accepted."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from typing import Any

from crisptopics.blocks import thread_count
from crisptopics.corpus import Corpus
from crisptopics.errors import CorpusError
from crisptopics.kernels import MAX_TOPICS

ALGORITHMS = ("basic", "word", "word+refine")
MAX_TOKENS = 2**42  # beyond, the objective in fixed point would not fit 64 bits


def check_parameters(parameters: dict[str, Any]) -> None:
    """Refuse parameters of `CrispTopics` that no fit could use.

    Examples
    --------
    >>> from crisptopics import CrispTopics
    >>> check_parameters(CrispTopics(n_components=5).get_params())
    """
    for n_components in numbers_of_topics(parameters["n_components"]) or [1]:
        check_whole("n_components", n_components, 1, MAX_TOPICS)
    check_whole("max_iter", parameters["max_iter"], 1)
    check_whole("soften", parameters["soften"], 0)
    if not is_auto(parameters["penalty"]):
        check_number("penalty", parameters["penalty"], 0.0, 1e12, open_below=True)
    check_number("tol", parameters["tol"], 0.0, 1.0)
    check_number("smoothing", parameters["smoothing"], 0.0, 1e6, open_below=True)
    check_number("verbose", int(verbose) if isinstance(verbose := parameters["verbose"], bool) else verbose, 0.0, 100.0)
    thread_count(parameters["n_jobs"])
    algorithm, callback = parameters["algorithm"], parameters["callback"]
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm={algorithm!r} is unknown; choose one of {', '.join(map(repr, ALGORITHMS))}")
    if callback is not None and not callable(callback):
        raise ValueError(f"callback={callback!r} cannot be called; pass a function of one record, or None")


def is_auto(value: object) -> bool:
    """Tell whether a parameter is to be chosen by the fit.

    Examples
    --------
    >>> is_auto("auto"), is_auto(10.0)
    (True, False)
    """
    return isinstance(value, str) and value == "auto"


def numbers_of_topics(n_components: Any) -> list[Any] | None:
    """Return the numbers of topics to choose from; None for any number.

    Examples
    --------
    >>> numbers_of_topics(20), numbers_of_topics([50, 20]), numbers_of_topics("auto")
    ([20], [50, 20], None)
    """
    if is_auto(n_components):
        return None
    several = isinstance(n_components, Iterable) and not isinstance(n_components, str)
    return list(n_components) or [0] if several else [n_components]


def check_size(corpus: Corpus, n_topics: int) -> None:
    """Refuse a corpus that cannot be fitted.

    Examples
    --------
    >>> check_size(Corpus.from_counts([[3, 1]]), n_topics=2)
    """
    if corpus.n_tokens == 0:
        raise CorpusError(f"X has no tokens ({corpus!r}); pass documents with at least one word")
    if corpus.n_tokens < n_topics:
        raise CorpusError(
            f"n_components={n_topics} is more than the {corpus.n_tokens} tokens of X (n_samples = {len(corpus)}); "
            "ask for fewer topics or pass more documents"
        )
    if corpus.n_tokens > MAX_TOKENS:
        raise CorpusError(f"X has {corpus.n_tokens} tokens; at most {MAX_TOKENS} are accepted; fit a part of them")


def check_vocabulary(given: Sequence[str], fitted: Sequence[str]) -> None:
    """Refuse a vocabulary that is not the one of the fit.

    Examples
    --------
    >>> check_vocabulary(["sun", "rain"], ["sun", "rain"])
    """
    for column, (word, known) in enumerate(zip(given, fitted, strict=True)):
        if word != known:
            raise CorpusError(
                f"the vocabulary of X differs from that at fit: column {column} is {word!r} and was {known!r}; "
                "count the new documents with the old vocabulary"
            )


def check_whole(name: str, value: object, least: int, most: float = float("inf")) -> None:
    """Refuse what is not a whole number from `least` to `most`.

    Examples
    --------
    >>> check_whole("top", 10, 1)
    """
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and least <= int(value) <= most:
        return
    accepted = f"from {least} to {most}" if most < float("inf") else f"of at least {least}"
    raise ValueError(f"{name}={value!r} is not accepted; give a whole number {accepted}")


def check_number(name: str, value: object, least: float, most: float, *, open_below: bool = False) -> None:
    """Refuse what is not a number from `least` (or just above it) to `most`.

    Examples
    --------
    >>> check_number("tol", 1e-4, 0.0, 1.0)
    """
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:  # a whole number beyond all floats
            number = math.inf
    else:
        number = math.nan
    if least <= number <= most and not (open_below and number == least):
        return
    accepted = f"above {least:g} and at most {most:g}" if open_below else f"from {least:g} to {most:g}"
    raise ValueError(f"{name}={value!r} is not accepted; give a number {accepted}")
