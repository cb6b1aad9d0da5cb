"""Blocks of documents of about equal work, and the threads that run them.

Blocks are cut from the data alone, never from the number of threads, and results come back in block order.
"""

from __future__ import annotations

import itertools
import numbers
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self, TypeVar

import numpy as np
import numpy.typing as npt

Item = TypeVar("Item")
Result = TypeVar("Result")
Block = tuple[int, int]

ENTRIES_PER_BLOCK = 1 << 14
MAX_THREADS = 1024


def cut(indptr: npt.NDArray[np.int64], entries: int = ENTRIES_PER_BLOCK) -> list[Block]:
    """Cut rows into (first, last) blocks that begin about `entries` entries apart.

    Examples
    --------
    >>> import numpy as np
    >>> cut(np.array([0, 3, 4, 9, 10]), entries=4)
    [(0, 2), (2, 3), (3, 4)]
    """
    marks = np.searchsorted(indptr, np.arange(0, indptr[-1], entries))
    edges = np.unique(np.concatenate([[0], marks, [len(indptr) - 1]])).tolist()
    return list(itertools.pairwise(edges))


def available_threads() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` asks for: None or -1 for all processors, -2 for all but one.

    Examples
    --------
    >>> thread_count(3)
    3
    """
    available = available_threads()
    if n_jobs is None:
        return available
    whole = isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool)
    if not whole or n_jobs == 0 or n_jobs > MAX_THREADS:
        raise ValueError(
            f"n_jobs={n_jobs!r} is no number of threads; give 1 to {MAX_THREADS}, or None for all processors"
        )
    return int(n_jobs) if n_jobs > 0 else max(1, available + 1 + int(n_jobs))


class Workers:
    """Threads that apply a function to items; a with-statement ends them.

    Examples
    --------
    >>> with Workers(2) as workers:
    ...     workers.map(abs, [-1, 2, -3])
    [1, 2, 3]
    """

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Return the function's values in the order of the items; when it is interrupted, no item still runs."""
        if self._pool is None:
            return [function(item) for item in items]
        futures: list[Future[Result]] = []
        try:
            futures.extend(self._pool.submit(function, item) for item in items)
            return [future.result() for future in futures]
        finally:
            for future in futures:
                future.cancel()
            for future in futures:
                if not future.cancelled():
                    future.exception()

    def split(self, values: npt.NDArray[np.int64]) -> Sequence[npt.NDArray[np.int64]]:
        """Split values into as many runs as there are threads."""
        return [part for part in np.array_split(values, self.n_threads) if len(part)]
