"""Texts in batches, and the work on them in this process or in several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

BATCH_CHARACTERS = 1 << 20
BATCH_TEXTS = 4096
FIRST_BATCHES = 8  # read here before processes are started, which takes about a second


def in_batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Cut texts into lists of about a million characters.

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


def on_processes(work: Callable[[list[str]], Any], batches: Iterator[list[str]], n_jobs: int | None) -> Iterator[Any]:
    """Do the work for each batch, in order; on several processes when there is much of it.

    Parameters
    ----------
    work
        The work.
    batches
        Lists of texts.
    n_jobs
        Processes; None for this one alone, -1 for all processors.

    Examples
    --------
    >>> list(on_processes(len, iter([["a", "b"], ["c"]]), None))
    [2, 1]
    """
    if n_jobs in (None, 1):
        yield from map(work, batches)
        return
    yield from map(work, islice(batches, FIRST_BATCHES))
    first = next(batches, None)
    if first is None:
        return
    from joblib import Parallel, delayed  # comes with scikit-learn

    run = Parallel(n_jobs=n_jobs, return_as="generator", pre_dispatch="2 * n_jobs", batch_size=1)
    yield from run(delayed(work)(batch) for batch in chain([first], batches))
