"""Megabytes of CSV per second into counts, and memory: read_corpus beside CountVectorizer and polars.

    python benchmarks/reading.py [megabytes] [reader ...]

The texts are the paragraphs of the State of the Union addresses, again and again, a digit added to each word of some so
that the vocabulary grows. Each reader runs in a process of its own, and reads the file: the first time tells the memory
(the most that the main process needed, less what it needed for a file of a few lines and for the counts), the best of
three more the speed, when all is imported: by the clock, by the processor time of all threads and processes, which a
busy machine disturbs less, and by that of the first process alone, which has most to do. "2 files at once" is one
process for each of two files: more than that, two processes cannot do on the machine.
"""

from __future__ import annotations

import csv
import functools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path


def read_here(path: Path, jobs: int = 1) -> int:
    """Read by read_corpus; returns the bytes of the counts."""
    from crisptopics import Words, read_corpus

    corpus = read_corpus(path, words=Words(min_documents=2, max_share=1.0), n_jobs=jobs)
    return corpus.indptr.nbytes + corpus.words.nbytes + corpus.counts.nbytes


def read_by_two(path: Path) -> int:
    """Read by two processes."""
    return read_here(path, 2)


@functools.cache
def _two_processes() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(2, get_context("spawn"))


def read_two_files(path: Path) -> int:
    """Read the file by each of two processes at the same time."""
    return max(_two_processes().map(read_here, [path, path]))


def read_by_sklearn(path: Path) -> int:
    """Read by the csv module and scikit-learn's CountVectorizer."""
    from sklearn.feature_extraction.text import CountVectorizer

    with path.open(encoding="utf-8", newline="") as lines:
        counts = CountVectorizer(min_df=2).fit_transform(row["text"] for row in csv.DictReader(lines))
    return counts.indptr.nbytes + counts.indices.nbytes + counts.data.nbytes


def read_by_polars(path: Path) -> int:
    """Read by polars: words by its regular expressions, counted by group_by, on all processors."""
    import polars as pl

    words = pl.col("text").str.to_lowercase().str.extract_all(r"[\p{L}\p{M}\p{N}_]{2,}")
    counted = pl.read_csv(path).with_row_index("document").select("document", word=words)
    return int(counted.explode("word").group_by("document", "word").len().estimated_size())


READERS = {
    "crisptopics": read_here,
    "crisptopics, 2 processes": read_by_two,
    "crisptopics, 2 files at once": read_two_files,
    "CountVectorizer": read_by_sklearn,
    "polars, 2 threads": read_by_polars,
}


def write_texts(path: Path, megabytes: float) -> None:
    """Write a CSV file of this size."""
    from crisptopics.datasets import load_sotu

    details = load_sotu().details
    assert details is not None
    assert details.texts is not None
    size, copy = 0, 0
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("id", "text"))
        while size < megabytes * 1e6:
            for number, text in enumerate(details.texts):
                changed = text.replace(" ", f"{copy} ") if number % 50 == 0 else text
                size += len(changed)
                rows.writerow((f"{copy}:{number}", changed))
                if size >= megabytes * 1e6:
                    break
            copy += 1


def _peak() -> float:
    """Return the megabytes that this process needed at most (Linux; getrusage would begin with its parent's)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def measure(name: str, warm: Path, path: Path) -> dict[str, float]:
    """Read a file in this process: seconds, and megabytes beside the counts."""
    READERS[name](warm)
    before = _peak()
    counts = READERS[name](path)
    most = _peak()
    rounds = [_timed(READERS[name], path) for _ in range(3)]
    seconds, used, here = (min(times) for times in zip(*rounds, strict=True))
    return {
        "seconds": seconds,
        "used": used,
        "here": here,
        "memory": most - before - counts / 2**20,
        "counts": counts / 2**20,
    }


def _timed(read: Callable[[Path], int], path: Path) -> tuple[float, float, float]:
    """Return seconds by the clock, of processors (also for processes that have ended), and of them for this process."""
    start, before = time.perf_counter(), os.times()
    read(path)
    seconds, after = time.perf_counter() - start, os.times()
    return seconds, sum(after[:4]) - sum(before[:4]), sum(after[:2]) - sum(before[:2])


def main(megabytes: float, readers: Sequence[str]) -> None:
    """Print a table."""
    with tempfile.TemporaryDirectory() as folder:
        warm, path = Path(folder, "warm.csv"), Path(folder, "texts.csv")
        write_texts(warm, 0.1)
        write_texts(path, megabytes)
        size = path.stat().st_size / 1e6
        print(f"{size:.0f} MB of CSV\n")
        print(f"{'':30}{'MB/s':>7}{'per CPU s':>12}{'of the first':>14}{'MB beside counts':>18}{'MB of counts':>15}")
        for name in readers or READERS:
            command = [sys.executable, __file__, "--one", name, str(warm), str(path)]
            told = subprocess.run(command, check=True, capture_output=True, text=True)
            found = json.loads(told.stdout)
            if name == "crisptopics, 2 files at once":  # in processes that live on, and are not in the other figures
                print(f"{name:30}{2 * size / found['seconds']:7.1f}")
                continue
            speeds = f"{size / found['seconds']:7.1f}{size / found['used']:12.1f}{size / found['here']:14.1f}"
            print(f"{name:30}{speeds}{found['memory']:18.0f}{found['counts']:15.0f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))))
    else:
        main(float(sys.argv[1]) if len(sys.argv) > 1 else 100.0, sys.argv[2:])
