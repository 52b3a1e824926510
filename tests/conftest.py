"""Settings shared by all tests: Hypothesis profiles, and a guard on global precision."""

from __future__ import annotations

import os
from collections.abc import Iterator

import flint
import mpmath
import pytest
from hypothesis import HealthCheck, settings

# Deterministic by default: a red test is red for everybody.  The thorough profile looks further.
settings.register_profile("default", derandomize=True, deadline=None, max_examples=40, database=None)
settings.register_profile(
    "thorough",
    derandomize=False,
    deadline=None,
    max_examples=500,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("CTUCBVI_HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=True)
def precision_is_left_alone() -> Iterator[None]:
    """No code under test may leave a global precision changed."""
    before = flint.ctx.prec, mpmath.mp.prec
    yield
    after = flint.ctx.prec, mpmath.mp.prec
    flint.ctx.prec, mpmath.mp.prec = before
    assert after == before
