"""Texts in batches, and the work on them in this process or in several."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from crisptopics.blocks import thread_count
from crisptopics.read.dividing import Divider, Division
from crisptopics.read.helpers import AT_ONCE, Helpers

BATCH_CHARACTERS = 1 << 19
BATCH_TEXTS = 4096
FIRST_BATCHES = 4  # read here before processes are started, each of which takes a fifth of a second to start
MOST_WAITING = 32  # results that wait for an earlier one


def in_batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Cut texts into lists of about half a million characters.

    Examples
    --------
    >>> [len(batch) for batch in in_batches(["word"] * 5000)]
    [4096, 904]
    """
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= BATCH_CHARACTERS or len(batch) >= BATCH_TEXTS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def divided(division: Division, batches: Iterator[list[str]], n_jobs: int | None) -> Iterator[Any]:
    """Divide the texts of batches, and give what comes of it in their order.

    Parameters
    ----------
    division
        How to divide.
    batches
        Lists of texts.
    n_jobs
        Processes, this one included; None for this one alone, -1 for all processors.

    Examples
    --------
    >>> [batch.words for batch in divided(Division(), iter([["The cat"], ["The dog"]]), None)]
    [['the', 'cat'], ['dog']]
    """
    divide = Divider(division)
    if n_jobs in (None, 1):
        yield from map(divide, batches)
        return
    n_helpers = thread_count(n_jobs) - 1
    yield from map(divide, islice(batches, FIRST_BATCHES) if n_helpers else batches)
    first = next(batches, None)
    if first is not None:
        with Helpers(division, n_helpers) as helpers:
            yield from _shared(divide, helpers, chain([first], batches))


def _shared(divide: Divider, helpers: Helpers, batches: Iterable[list[str]]) -> Iterator[Any]:
    """Divide here what the helpers have no time for."""
    waiting: deque[tuple[Path | None, Any]] = deque()
    for batch in batches:
        task = helpers.give(batch)
        waiting.append((task, divide(batch) if task is None else None))
        while waiting and (
            len(waiting) > max(MOST_WAITING, 2 * AT_ONCE * helpers.number) or helpers.is_done(waiting[0][0])
        ):
            yield _outcome(helpers, *waiting.popleft())
    while waiting:
        yield _outcome(helpers, *waiting.popleft())


def _outcome(helpers: Helpers, task: Path | None, found: Any) -> Any:
    return found if task is None else helpers.result(task)
