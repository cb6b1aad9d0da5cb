"""What the tests of kernels share."""

import pytest

from crisptopics import kernels


@pytest.fixture(params=kernels.instruction_sets())
def instruction_set(request):
    """Run a test once with each instruction set of the machine."""
    kernels.choose_instruction_set(request.param)
    yield
    kernels.choose_instruction_set(kernels.instruction_sets()[-1])
