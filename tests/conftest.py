"""Settings shared by all tests: processes, Hypothesis profiles, and a guard on global precision."""

from __future__ import annotations

import os

# Matrices here are small, and the processes of the tests share the cores: threads that wait for each other in
# turns cost twenty times what one does.  Read when NumPy is loaded, so before anything else is.
os.environ.update({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})

import gc
import signal
from collections.abc import Iterator

import flint
import mpmath
import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.scheduling import pytest_xdist_make_scheduler as pytest_xdist_make_scheduler

# A shell lets what it runs in the background ignore Ctrl-C, and the processes of the tests inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Millions of objects live as long as the tests; to look through all of them often costs a tenth of the time.
gc.set_threshold(100_000, 20, 20)

# Laws are run by one class per planner, on purpose.
shared_laws = [HealthCheck.differing_executors]

# Deterministic by default: a red test is red for everybody.  The thorough profile looks further.
settings.register_profile(
    "default",
    derandomize=True,
    deadline=None,
    max_examples=40,
    database=None,
    suppress_health_check=shared_laws,
)
settings.register_profile(
    "thorough",
    derandomize=False,
    deadline=None,
    max_examples=500,
    database=None,
    print_blob=True,
    suppress_health_check=[*shared_laws, HealthCheck.too_slow],
)
# For planners that are wrong on purpose: finding one failure is enough, it need not be the smallest.
settings.register_profile(
    "mutants",
    settings.get_profile("default"),
    phases=[Phase.explicit, Phase.generate],
    max_examples=100,
    report_multiple_bugs=False,
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
