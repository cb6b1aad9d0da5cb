"""When to stop, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

StopReason = Literal["converged", "max_iter", "callback", "interrupted"]


@dataclass(frozen=True)
class Stopping:
    """Stop after `max_iter` iterations, or when the objective falls by no more than `tol` of itself.

    Examples
    --------
    >>> Stopping(max_iter=50, tol=1e-4).reason(iteration=3, before=1000.0, after=999.95)
    'converged'
    """

    max_iter: int
    tol: float

    def reason(self, iteration: int, before: float, after: float) -> StopReason | None:
        """Return why to stop after this iteration (the first is 1), or None to go on."""
        if before - after <= self.tol * abs(before):
            return "converged"
        return "max_iter" if iteration >= self.max_iter else None
