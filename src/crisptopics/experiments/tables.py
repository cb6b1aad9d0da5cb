"""Tables as markdown for people and CSV for programs: the mean and spread over seeds, the paper's number beside it."""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from crisptopics.experiments.cells import Cell, Record, Results


@dataclass(frozen=True)
class Entry:
    """A number of a table.

    Parameters
    ----------
    measure
        What it is.
    values
        Ours, one for each seed; none when no cell is finished.
    paper
        The paper's.
    digits
        Digits behind the point.
    note
        What else to say about it, in brackets.

    Examples
    --------
    >>> str(Entry("nmi", (0.8, 0.9), 0.829))
    '0.850 ± 0.071 [0.829]'
    """

    measure: str
    values: tuple[float, ...] = ()
    paper: float | None = None
    digits: int = 3
    note: str = ""

    @property
    def mean(self) -> float | None:
        """Mean over the seeds."""
        return statistics.fmean(self.values) if self.values else None

    @property
    def spread(self) -> float | None:
        """Standard deviation over the seeds; None for a single one."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    def __str__(self) -> str:
        parts = [f"{self.mean:,.{self.digits}f}" if self.values else "not run"]
        if self.spread is not None:
            parts[0] += f" ± {self.spread:,.{self.digits}f}"
        if self.note:
            parts.append(f"({self.note})")
        if self.paper is not None:
            parts.append(f"[{self.paper:,.{self.digits}f}]")
        return " ".join(parts)


@dataclass(frozen=True)
class Table:
    """Rows of entries under a title, with notes.

    Parameters
    ----------
    name
        Of the files.
    title
        What the table shows.
    columns
        Heading of the labels, then of each column of entries.
    rows
        A label, and for each column the entries that share it; text where a column has no numbers.
    notes
        Sizes, iterations, and whatever must be known to read it.

    Examples
    --------
    >>> table = Table("t", "Table", ("engine", "NMI"), [("CGS", [[Entry("nmi", (0.8,), 0.9)]])], ["One seed."])
    >>> print(table.csv(), end="")
    row,column,measure,mean,sd,seeds,paper
    CGS,NMI,nmi,0.8,,1,0.9
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, Sequence[Sequence[Entry] | str]]]
    notes: Sequence[str]

    def markdown(self) -> str:
        """Return the table for people."""
        lines = [f"## {self.title}", ""]
        lines += ["| " + " | ".join(self.columns) + " |", "|" + " --- |" * len(self.columns)]
        for label, columns in self.rows:
            lines.append("| " + " | ".join([label, *map(_joined, columns)]) + " |")
        return "\n".join([*lines, "", *self.notes]) + "\n"

    def csv(self) -> str:
        """Return one line for each entry."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["row", "column", "measure", "mean", "sd", "seeds", "paper"])
        for label, columns in self.rows:
            for column, entries in zip(self.columns[1:], columns, strict=True):
                if isinstance(entries, str):
                    writer.writerow([label, column, entries, "", "", "", ""])
                    continue
                for entry in entries:
                    numbers = [_plain(entry.mean), _plain(entry.spread), len(entry.values), _plain(entry.paper)]
                    writer.writerow([label, column, entry.measure, *numbers])
        return text.getvalue()


def entry(
    results: Results,
    cells: Iterable[Cell],
    measure: str,
    paper: float | None = None,
    digits: int = 3,
    scale: float = 1.0,
) -> Entry:
    """Return the entry of some cells, those of the seeds that are finished.

    Examples
    --------
    >>> from pathlib import Path
    >>> str(entry(Results(Path("none")), [Cell.of(dict, 1.0, seed=0)], "nmi", 0.9))
    'not run [0.900]'
    """
    cells = list(cells)
    values = [record[measure] for record in finished(results, cells) if record[measure] is not None]
    note = f"{len(values)} of {len(cells)} seeds" if 0 < len(values) < len(cells) else ""
    return Entry(measure, tuple(scale * value for value in values), paper, digits, note)


def finished(results: Results, cells: Iterable[Cell]) -> list[Record]:
    """Return the results of the finished cells."""
    return [record for record in map(results.get, cells) if record is not None]


def _joined(entries: Sequence[Entry] | str) -> str:
    """Write entries that share a column as the paper does: ours with slashes between, then the paper's."""
    if isinstance(entries, str):
        return entries
    ours = " / ".join(str(replace(one, paper=None, note="")) for one in entries)
    theirs = " / ".join(f"{one.paper:,.{one.digits}f}" for one in entries if one.paper is not None)
    if not any(one.values for one in entries):
        ours = "not run"
    notes = dict.fromkeys(f"({one.note})" for one in entries if one.note)
    return " ".join([ours, *notes, *([f"[{theirs}]"] if theirs else [])])


def _plain(number: float | None) -> str:
    return "" if number is None else f"{number:.6g}"
