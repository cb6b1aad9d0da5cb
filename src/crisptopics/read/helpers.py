"""Processes that divide texts beside this one.

Texts and counts go through files, which stay in the memory of the operating system: through pipes, threads of this
process would have to wait for its own work, a few milliseconds for each piece of 64 KB.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

from crisptopics.errors import CorpusError
from crisptopics.read.dividing import Divider, Division

AT_ONCE = 4  # batches of each helper, which must last while the other process does one itself
_START = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer);"
    "from crisptopics.read.helpers import help_out; help_out()"
)


class Helpers:
    """Processes, each of which divides the batches that it is given, in their order.

    Parameters
    ----------
    division
        How to divide.
    number
        How many processes.

    Examples
    --------
    >>> with Helpers(Division(), 1) as helpers:
    ...     task = helpers.give(["The cat"])
    ...     helpers.result(task).words
    ['the', 'cat']
    """

    def __init__(self, division: Division, number: int) -> None:
        from joblib import wrap_non_picklable_objects  # comes with scikit-learn

        # A tokenizer may be a function that is in no module.
        self.start = pickle.dumps(sys.path) + pickle.dumps(wrap_non_picklable_objects(division, keep_wrapper=False))
        self.number = number

    def __enter__(self) -> Helpers:
        self.folder = TemporaryDirectory(prefix="crisptopics-", ignore_cleanup_errors=True)
        self.processes: list[subprocess.Popen[bytes]] = []
        start = [sys.executable, "-c", _START]
        try:
            for _ in range(self.number):  # in sessions of their own: Ctrl-C is for this process, which ends the others
                self.processes.append(subprocess.Popen(start, stdin=subprocess.PIPE, start_new_session=True))
                self._send(self.processes[-1], self.start)
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        self.tasks: dict[Path, subprocess.Popen[bytes]] = {}
        self.n_given = 0
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.communicate()
        self.folder.cleanup()

    def give(self, texts: list[str]) -> Path | None:
        """Give texts to the process with least to do; None if all have enough."""
        doing = dict.fromkeys(self.processes, 0)
        for task, process in self.tasks.items():
            doing[process] += not task.exists()
        process = min(doing, key=lambda process: doing[process])
        if doing[process] >= AT_ONCE:
            return None
        self.n_given += 1
        place = Path(self.folder.name, str(self.n_given))
        place.write_bytes(pickle.dumps(texts, pickle.HIGHEST_PROTOCOL))
        self._send(process, f"{place}\n".encode())
        task = _result_of(place)
        self.tasks[task] = process
        return task

    def is_done(self, task: Path | None) -> bool:
        """Tell whether the outcome of a task is there; no task is none to wait for."""
        return task is None or task.exists()

    def result(self, task: Path) -> Any:
        """Wait for the outcome of a task."""
        process = self.tasks[task]
        while not task.exists():
            if process.poll() is not None and not task.exists():
                raise self._ended(process)
            time.sleep(0.001)
        del self.tasks[task]
        found = pickle.loads(task.read_bytes())
        task.unlink()
        if isinstance(found, Exception):
            raise found
        return found

    def _send(self, process: subprocess.Popen[bytes], order: bytes) -> None:
        assert process.stdin is not None
        try:
            process.stdin.write(order)
            process.stdin.flush()
        except OSError as error:  # the pipe has no reader
            raise self._ended(process) from error

    def _ended(self, process: subprocess.Popen[bytes]) -> CorpusError:
        return CorpusError(
            f"a process that reads texts ended with status {process.wait()}, perhaps for want of memory; read with one"
            " process, n_jobs=1"
        )


def help_out() -> None:
    """Divide the batches that are named on standard input, until it ends."""
    divide = Divider(pickle.load(sys.stdin.buffer))
    for line in sys.stdin.buffer:
        place = Path(line.decode().removesuffix("\n"))
        texts = pickle.loads(place.read_bytes())
        place.unlink()
        try:
            outcome: Any = divide(texts)
        except Exception as error:  # the other process raises it
            outcome = _sendable(error)
        part = place.with_suffix(".part")
        part.write_bytes(pickle.dumps(outcome, pickle.HIGHEST_PROTOCOL))
        part.rename(_result_of(place))  # which appears whole


def _sendable(error: Exception) -> Exception:
    """Return an error that another process can read: the same, or one that says what it says."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return CorpusError(f"{type(error).__name__}: {error}")
    return error


def _result_of(place: Path) -> Path:
    return place.with_suffix(".done")
