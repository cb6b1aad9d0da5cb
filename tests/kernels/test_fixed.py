"""The logarithm in whole numbers: close to the true one, and the same in C++ and NumPy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisptopics import kernels
from crisptopics.kernels import fixed


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_natural_log_is_within_a_few_units_in_the_last_place(x):
    assert fixed.natural_log(x) == pytest.approx(math.log(x), rel=1e-15, abs=2e-16)


@given(st.integers(2, 2**42))
def test_xlogx(n):
    assert fixed.fixed_xlogx(n) == pytest.approx(n * math.log(n) * fixed.UNIT, rel=1e-14, abs=1.0)


def test_small_cases():
    assert fixed.fixed_xlogx([0, 1, 2]).tolist() == [0, 0, round(2 * math.log(2) * fixed.UNIT)]
    assert fixed.fixed_log([1.0, math.e]).tolist() == [0, fixed.UNIT]
    assert fixed.fixed_penalty(10) == 10 * fixed.UNIT
    assert fixed.fixed_penalty(1e-9) == 1


@pytest.mark.parametrize("name", kernels.instruction_sets())
def test_cpp_equals_numpy_beyond_the_table(name):
    # One topic with one word of n tokens costs n log n - n log n = 0, so the logarithm of C++ is seen by difference:
    # two words in one topic, words_cost = -sum n log n.
    kernels.choose_instruction_set(name)
    numbers = np.unique(np.geomspace(1, 2**40, 5000).astype(np.int64))
    words = len(numbers)
    lengths = np.ones(words, dtype=np.int32)
    rows = kernels.TopicCounts._of(
        np.arange(words + 1), lengths, np.zeros(words, np.uint16), numbers, np.array([numbers.sum()])
    )
    costs = [kernels.words_cost(rows.rows, w, w + 1) for w in range(words)]
    np.testing.assert_array_equal(costs, -fixed.fixed_xlogx(numbers))
    by_cost = kernels.TopicCosts.of(rows)
    by_cost.update(0, words)
    np.testing.assert_array_equal(by_cost.costs, fixed.fixed_log(numbers.sum()) - fixed.fixed_log(numbers))
    kernels.choose_instruction_set(kernels.instruction_sets()[-1])
