"""Blocks cover the documents once and evenly; threads return results in order and end with their task."""

import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisptopics import blocks
from crisptopics.blocks import Workers, available_threads, cut, thread_count


def indptr_of(sizes):
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


@given(st.lists(st.integers(0, 12), min_size=1, max_size=60), st.integers(1, 30))
def test_blocks_cover_the_documents_once_in_even_parts(sizes, entries):
    indptr = indptr_of(sizes)
    parts = cut(indptr, entries)
    assert [row for first, last in parts for row in range(first, last)] == list(range(len(sizes)))
    assert all(first < last for first, last in parts)
    assert len(parts) <= max(1, -(-indptr[-1] // entries))
    for first, last in parts[:-1]:
        size = indptr[last] - indptr[first]
        assert entries - max(sizes) < size < entries + max(sizes)
    assert indptr[parts[-1][1]] - indptr[parts[-1][0]] < entries + max(sizes)


def test_no_documents_no_blocks():
    assert cut(np.array([0])) == []


def test_empty_documents_are_one_block():
    assert cut(np.zeros(6, dtype=np.int64)) == [(0, 5)]


def test_a_huge_document_is_one_block():
    assert cut(indptr_of([2**40]), entries=2**38) == [(0, 1)]
    assert cut(indptr_of([1, 100, 1, 1]), entries=4) == [(0, 2), (2, 4)]


def test_offsets_beyond_32_bits():
    assert cut(indptr_of([2**33, 2**33, 2**33]), entries=2**33) == [(0, 1), (1, 2), (2, 3)]


def test_the_usual_block_has_about_sixteen_thousand_entries():
    sizes = np.diff(indptr_of(np.full(1000, 100))[[first for first, _ in cut(indptr_of(np.full(1000, 100)))]])
    assert len(sizes) == 6
    assert np.abs(sizes - 16_384).max() <= 100


def test_thread_count(monkeypatch):
    monkeypatch.setattr(blocks, "available_threads", lambda: 8)
    asked = [None, 1, 3, 100, np.int64(5), -1, -2, -8, -9, -1000]
    assert [thread_count(n_jobs) for n_jobs in asked] == [8, 1, 3, 100, 5, 8, 7, 1, 1, 1]


@pytest.mark.parametrize("n_jobs", [0, 1.0, True, False, "2", float("nan"), [2], 1025])
def test_no_number_of_threads(n_jobs):
    with pytest.raises(ValueError, match="is no number of threads; give 1 to 1024, or None for all") as refusal:
        thread_count(n_jobs)
    assert str(refusal.value).startswith(f"n_jobs={n_jobs!r} ")


def test_available_threads_without_affinity(monkeypatch):
    assert available_threads() >= 1
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 6)
    assert available_threads() == 6
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert available_threads() == 1


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_results_come_in_the_order_of_the_items(threads):
    def slow_first(item):
        time.sleep(0.02 if item == 0 else 0.0)
        return item * item

    with Workers(threads) as workers:
        assert workers.map(slow_first, range(20)) == [item * item for item in range(20)]
        assert workers.map(slow_first, iter([3])) == [9]
        assert workers.map(slow_first, []) == []


def test_threads_run_side_by_side():
    barrier = threading.Barrier(3, timeout=20)
    with Workers(3) as workers:
        assert sorted(workers.map(lambda _: barrier.wait(), range(3))) == [0, 1, 2]


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_an_error_passes_through_and_no_task_still_runs(threads):
    begun, ended = [], []

    def fail_at_two(item):
        begun.append(item)
        if item == 2:
            raise RuntimeError("two")
        time.sleep(0.01)
        ended.append(item)

    with Workers(threads) as workers:
        with pytest.raises(RuntimeError, match="two"):
            workers.map(fail_at_two, range(100))
        assert len(begun) == len(ended) + 1
        assert len(begun) < 100
        time.sleep(0.05)
        assert len(begun) == len(ended) + 1
        assert workers.map(abs, [-1, -2]) == [1, 2]


@pytest.mark.parametrize("threads", [2, 7])
def test_an_interrupt_leaves_no_task_running(threads):
    """What Ctrl-C does: the main thread is interrupted while it waits for results."""
    running, seen = set(), []

    def work(item):
        running.add(item)
        time.sleep(0.01)
        running.discard(item)
        return item

    class Interrupting(Workers):
        def interrupt(self):
            futures_of = self._pool.submit

            def submit(function, item):
                future = futures_of(function, item)
                if item == 5:
                    future.result = interrupted
                return future

            self._pool.submit = submit

    def interrupted():
        seen.append(len(running))
        raise KeyboardInterrupt

    with Interrupting(threads) as workers:
        workers.interrupt()
        with pytest.raises(KeyboardInterrupt):
            workers.map(work, range(50))
        assert running == set()
    assert len(seen) == 1


def test_threads_end_with_the_with_statement():
    before = threading.active_count()
    with Workers(4) as workers:
        workers.map(lambda _: time.sleep(0.01), range(8))
        assert threading.active_count() > before
    assert threading.active_count() == before


@pytest.mark.parametrize("n_values", [0, 1, 2, 3, 10])
def test_split_keeps_order_and_gives_no_empty_part(n_values):
    values = np.arange(n_values)
    with Workers(3) as workers:
        parts = workers.split(values)
    assert [value for part in parts for value in part] == values.tolist()
    assert all(len(part) for part in parts)
    assert len(parts) == min(3, n_values)
