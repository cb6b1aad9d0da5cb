"""Texts in batches, and the work on them in this process or in several."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from signal import SIG_IGN, SIGINT, signal
from threading import current_thread, main_thread
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
    with _without_interrupts():
        results = run(delayed(work)(batch) for batch in chain([first], batches))
    try:
        for result in results:  # noqa: UP028 (`yield from` would close it before the warning is turned off)
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of work that nobody waits for
            results.close()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Start processes that do not hear Ctrl-C, which this one hears, and ends them; else each prints a traceback."""
    if current_thread() is not main_thread():  # only there may Python say what a signal does
        yield
        return
    before = signal(SIGINT, SIG_IGN)
    try:
        yield
    finally:
        signal(SIGINT, before)
