"""Costs as integers in units of 2**-16 nat: `cpp/fixed.hpp` in NumPy, the same to the bit.

Sums of integers do not depend on their order, so neither the number of threads nor the instruction set can change a
result. The logarithm uses only IEEE additions, multiplications and divisions, which every machine rounds alike.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

UNIT = 65536
FAR = 1 << 30  # the cost of a word in a topic that lacks it
NO_TOPIC = 65535  # the topic of a word that no topic has ever seen
TABLE_SIZE = 1 << 16
GAIN_SHIFT = 5

IntArray = npt.NDArray[np.int64]


def natural_log(x: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the natural logarithm of positive numbers, with the same bits on every machine."""
    m, exponent = np.frexp(np.asarray(x, dtype=np.float64))
    low = m < 0.70710678118654752
    m = np.where(low, m + m, m)
    exponent = np.where(low, exponent - 1, exponent)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    p = np.full_like(s, 1.0 / 23.0)
    for odd in range(21, 0, -2):
        p = p * z + 1.0 / odd
    return np.asarray(2.0 * s * p + exponent * 0.69314718055994531)


def fixed_log(x: npt.ArrayLike) -> IntArray:
    """Return log x in units of 2**-16."""
    return np.rint(natural_log(x) * UNIT).astype(np.int64)


def fixed_xlogx(n: npt.ArrayLike) -> IntArray:
    """Return n log n of whole numbers in units of 2**-16; 0 for 0."""
    x = np.asarray(n, dtype=np.float64)
    return np.rint(x * natural_log(np.maximum(x, 1.0)) * UNIT).astype(np.int64)


def fixed_penalty(penalty: float) -> int:
    """Return a penalty in units of 2**-16, at least one unit."""
    return max(1, round(penalty * UNIT))


@cache
def log_table(smoothing: float) -> npt.NDArray[np.int32]:
    """Return log(n + smoothing) of all small n, for the kernels."""
    n = np.arange(TABLE_SIZE) + smoothing
    n[0] = n[0] or 1.0  # log 0 is never looked up
    return fixed_log(n).astype(np.int32)


@cache
def xlogx_table() -> IntArray:
    """Return n log n of all small n, for the kernels."""
    return fixed_xlogx(np.arange(TABLE_SIZE))


@cache
def gain_table() -> npt.NDArray[np.uint16]:
    """Return what one token more saves beside n others, for all small n, in units of 2**-11 nat and rounded up.

    That is f(n + 1) - f(n), f(n) = n log n. As whole numbers round each f, two units more make it a bound.
    """
    gains = (np.diff(fixed_xlogx(np.arange(TABLE_SIZE + 1))) + 2 + (1 << GAIN_SHIFT) - 1) >> GAIN_SHIFT
    gains[0] = 0
    return gains.astype(np.uint16)


@cache
def least_counts() -> npt.NDArray[np.int32]:
    """Return for each gain the least count that has it; a little less where counts are large."""
    gains = np.arange(TABLE_SIZE)
    small = np.searchsorted(np.maximum.accumulate(gain_table()), gains)
    large = np.exp(np.minimum(((gains - 3) << GAIN_SHIFT) / UNIT - 1, 21.0)) - 2
    return np.where(small < TABLE_SIZE, small, np.maximum(large, TABLE_SIZE)).astype(np.int32)
