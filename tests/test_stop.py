"""When a fit ends: the fall in proportion to the objective, or the number of iterations."""

import pytest

from crisptopics.stop import Stopping


@pytest.mark.parametrize(
    ("tol", "before", "after", "reason"),
    [
        (0.01, 1000.0, 980.0, None),
        (0.25, 1024.0, 768.0, "converged"),  # a fall of just tol counts as converged
        (0.25, 1024.0, 767.0, None),
        (0.01, 1000.0, 1000.0, "converged"),
        (0.0, 1000.0, 1000.0, "converged"),
        (0.0, 1000.0, 999.999, None),
        (0.0, 10**18, 10**18 - 1, None),  # fixed point: whole numbers, compared exactly
        (1.0, 1000.0, 1.0, "converged"),
        (0.1, 0.0, 0.0, "converged"),
    ],
)
def test_converged(tol, before, after, reason):
    assert Stopping(max_iter=50, tol=tol).reason(1, before, after) == reason


def test_max_iter_counts_from_one():
    stopping = Stopping(max_iter=3, tol=0.0)
    assert [stopping.reason(iteration, 10.0, 5.0) for iteration in (1, 2, 3, 4)] == [None, None, "max_iter", "max_iter"]


def test_a_last_iteration_that_converged_says_so():
    assert Stopping(max_iter=1, tol=0.0).reason(1, 10.0, 10.0) == "converged"
