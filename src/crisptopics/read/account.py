"""What was read and what was left out: every row in is a row used or a row reported."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from crisptopics.errors import CorpusError

BAD_SHARE = 0.001
BAD_ROWS = 100
SHOWN = 5


@dataclass(slots=True, eq=False)
class Account:
    """The rows of a run, counted while they are read.

    Parameters
    ----------
    max_bad_rows
        More bad rows than this stop the run; by default 100, or 0.1 % of the rows if that is less.

    Examples
    --------
    >>> account = Account()
    >>> account.rows_used += 1
    >>> account.rows_in
    1
    """

    max_bad_rows: int | None = None
    rows_used: int = 0
    rows_bad: int = 0
    first_bad: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        limit = self.max_bad_rows
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
            raise CorpusError(
                f"max_bad_rows must be a number of rows, at least 0; received {limit!r}; leave it out for the default,"
                f" {BAD_ROWS} rows or {BAD_SHARE:.1%} of them"
            )

    @property
    def rows_in(self) -> int:
        """All rows, used or reported."""
        return self.rows_used + self.rows_bad

    def bad(self, file: str, line: int, reason: str, *, unit: str = "line") -> None:
        """Note a row that cannot be used; stop the run when there are too many."""
        self.rows_bad += 1
        if len(self.first_bad) < SHOWN:
            self.first_bad.append({"file": file, unit: line, "reason": reason})
        if self.rows_bad > (BAD_ROWS if self.max_bad_rows is None else self.max_bad_rows):
            self._stop()

    def close(self) -> None:
        """Stop a run that had too large a share of bad rows."""
        if self.max_bad_rows is None and self.rows_bad > BAD_SHARE * self.rows_in:
            self._stop()

    def as_json(self) -> dict[str, Any]:
        """Give the numbers of rows, and the first bad ones."""
        rows = {"in": self.rows_in, "used": self.rows_used, "bad": self.rows_bad}
        return {"rows": rows, "bad_rows": self.first_bad}

    def _stop(self) -> None:
        first = "; ".join(describe_bad_row(row) for row in self.first_bad[:3])
        allowed = self.max_bad_rows
        limit = f"{BAD_SHARE:.1%} of the rows, {BAD_ROWS} at most" if allowed is None else f"{allowed}"
        raise CorpusError(
            f"{self.rows_bad} of {self.rows_in} rows cannot be read, accepted are {limit}: {first}; mend them, or leave"
            " them out with max_bad_rows=N, where N is how many may be bad"
        )


def describe_bad_row(row: dict[str, Any]) -> str:
    """Say in words where a bad row stands and what is wrong with it.

    Examples
    --------
    >>> describe_bad_row({"file": "a.csv", "line": 3, "reason": "1 field where the header has 2"})
    'a.csv, line 3: 1 field where the header has 2'
    """
    place = ", ".join(f"{key} {value}" for key, value in row.items() if key not in ("file", "reason"))
    return f"{row['file']}{', ' if place else ''}{place}: {row['reason']}"
