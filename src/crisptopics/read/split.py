"""Long texts cut into parts, each of which becomes a document."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from crisptopics.errors import CorpusError

SENTENCE_END = re.compile(r"""[.!?]["'\u2019\u201d)\]]*\s+""")
PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n\s*")


def splitter(split: str | int | None) -> Callable[[str], list[str]] | None:
    r"""Return what cuts a text: "paragraph" at empty lines, a number at sentences into parts of so many words.

    Examples
    --------
    >>> splitter("paragraph")("One.\n\nTwo.")
    ['One.', 'Two.']
    """
    if split is None:
        return None
    if split == "paragraph":
        return _paragraphs
    if isinstance(split, int) and not isinstance(split, bool) and split >= 1:
        return lambda text: _runs(text, split)
    raise CorpusError(f"split must be 'paragraph' or a number of words, at least 1; received {split!r}")


def sentence_runs(text: str, n_words: int) -> list[str]:
    """Cut a text into runs of whole sentences of at least so many words; a last run that is shorter joins another.

    Examples
    --------
    >>> sentence_runs("One two. Three? Four five six! Seven.", 3)
    ['One two. Three?', 'Four five six! Seven.']
    """
    ends = [match.end() for match in SENTENCE_END.finditer(text)]
    starts = [0]
    sentence, size = 0, 0
    for end in [*ends, len(text)]:
        size += len(text[sentence:end].split())
        sentence = end
        if size >= n_words:
            starts.append(end)
            size = 0
    # The last start opens the rest: too short for a run of its own, it belongs to the run before.
    bounds = [*(starts[:-1] or starts), len(text)]
    runs = [text[start:end].strip() for start, end in pairwise(bounds)]
    return [run for run in runs if run]


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in PARAGRAPH_END.split(text) if part.strip()]


def _runs(text: str, n_words: int) -> list[str]:
    """Cut at sentences, and where there are none, at words."""
    parts = []
    for run in sentence_runs(text, n_words):
        words = run.split()
        if len(words) < 3 * n_words:
            parts.append(run)
        else:
            parts += [" ".join(words[start : start + n_words]) for start in range(0, len(words), n_words)]
    return parts
