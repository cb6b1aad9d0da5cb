"""Cells: the pieces of an experiment that are computed one by one, each stored as soon as it is finished."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from crisptopics.save import write_atomically

Record: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[tuple[str, str | int | float], ...]


@dataclass(frozen=True)
class Cell:
    """A computation that is done once.

    Parameters
    ----------
    key
        All that its result depends on, as named values.
    run
        Computes the result, a dictionary that JSON can hold; it may ask the results for other cells.
    seconds
        About how long it takes: for the time left, never for what is computed.

    Examples
    --------
    >>> Cell.of(lambda results: {"nmi": 1.0}, 2.0, corpus="SynthA", seed=0).file_name
    'synth-a_0.json'
    """

    key: Key
    run: Callable[[Results], Record] = field(compare=False, repr=False)
    seconds: float = field(compare=False, default=1.0)

    @classmethod
    def of(cls, run: Callable[[Results], Record], seconds: float, **key: str | int | float) -> Cell:
        """Make a cell from the named values of its key."""
        return cls(tuple(key.items()), run, seconds)

    @property
    def seed(self) -> int:
        """Seed of the cell: those of the first seed are computed first."""
        return int(dict(self.key).get("seed", 0))

    @property
    def file_name(self) -> str:
        """Where the result is stored."""
        words = (re.sub(r"(?<=[a-z])(?=[A-Z])", "-", str(value)).lower() for _, value in self.key)
        return "_".join(re.sub(r"[^a-z0-9.+]+", "-", word).strip("-") for word in words) + ".json"


class Results:
    """The finished cells in a folder.

    A result is written whole or not at all, and never computed again; a file that cannot be read, or belongs to
    another cell, counts as missing.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> cell = Cell.of(lambda results: {"nmi": 1.0}, 2.0, corpus="SynthA", seed=0)
    >>> with TemporaryDirectory() as folder:
    ...     computed = Results(Path(folder)).need(cell)
    ...     Results(Path(folder)).get(cell)
    {'nmi': 1.0}
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Key, Record] = {}

    def get(self, cell: Cell) -> Record | None:
        """Return the result of a finished cell, None for others."""
        if cell.key not in self._known:
            try:
                stored = json.loads((self._folder / cell.file_name).read_text(encoding="utf-8"))
            except (FileNotFoundError, ValueError):
                return None
            if not isinstance(stored, dict) or stored.get("cell") != dict(cell.key) or "result" not in stored:
                return None
            self._known[cell.key] = stored["result"]
        return self._known[cell.key]

    def need(self, cell: Cell) -> Record:
        """Return the result of a cell, computed now if it was not before."""
        known = self.get(cell)
        if known is not None:
            return known
        content = {"cell": dict(cell.key), "result": cell.run(self)}
        text = json.dumps(content, indent=1, allow_nan=False) + "\n"
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._folder / cell.file_name, lambda file: file.write(text.encode()))
        self._known[cell.key] = content["result"]
        return self._known[cell.key]


def in_order(cells: list[Cell]) -> list[Cell]:
    """Return different cells, all of the first seed before any of the second: a run cut short then has full tables.

    Examples
    --------
    >>> cells = [Cell.of(dict, 1.0, engine=name, seed=seed) for name in "ab" for seed in (0, 1)]
    >>> [cell.file_name for cell in in_order(cells + cells)]
    ['a_0.json', 'b_0.json', 'a_1.json', 'b_1.json']
    """
    return sorted(dict.fromkeys(cells), key=lambda cell: cell.seed)
