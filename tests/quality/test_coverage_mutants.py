"""Confidence sets that are too small, in the package: the suite ``coverage`` must see it.

An experiment sees what makes sets miss more often than their lemma allows.  All sets have something to spare,
those of the paper most of all, and what is less than that stays unseen: ``SEEN`` says what experiments see.
The formulas see the rest.  ``python -m tests.quality.test_coverage_mutants`` prints counts and trials.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ctucbvi.learning import Constants, Sets
from ctucbvi.learning.fast import optimistic, preparation, used_sets
from ctucbvi.learning.fast.episodes import NEW, VISITED, choose, full
from ctucbvi.learning.fast.optimistic_loop import play_episode
from ctucbvi.learning.fast.optimistic_march import march
from proofs_checks import suites
from tests.fast_learners import plain_kernels
from verify.claims import Effort, Verdict
from verify.running.engine import run_claim
from verify.running.results import Result
from verify.streams import writing

EFFORT = Effort(error=Fraction(1, 12 * 10**6), seed=1)  # of one of twelve experiments
KINDS, WHO = ("rates", "jumps", "paper", "poisson", "l1", "kl"), ("learner", "adversary")
FEW = 336  # trials: those that fail every time are refuted by the first 21


def judged(label: str, trials: int | None = None) -> Result:
    """What the suite says of the package as it is now."""
    (claim,) = (c for c in suites.coverage(suites.Subject()) if c.label == f"coverage/{label}")
    if trials is not None:
        (check,) = claim.checks
        claim = replace(claim, checks=(replace(check, trials=(trials, trials)),))  # type: ignore[type-var]
    return run_claim(claim, EFFORT)


# --- mistakes in the package --------------------------------------------------------------------


@contextmanager
def constants_with(**factors: Fraction) -> Iterator[None]:
    """The constants of the learners with a bonus, times some factors."""
    true = preparation.constants

    def wrong(model: Any, settings: Any, numbers: Any) -> Any:
        found = true(model, settings, numbers)
        return replace(found, **{name: getattr(found, name) * float(by) for name, by in factors.items()})

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(preparation, "constants", wrong)
        yield


@contextmanager
def kernel_with(old: str, new: str) -> Iterator[None]:
    """A line of the kernels of the optimistic learner's sets is another one, whoever plays."""
    with plain_kernels(("optimistic_sets",), optimistic_sets=(old, new)) as kernels:
        renew = kernels.optimistic_sets.renew

        def played(*parts: Any) -> int:
            scene, constants, memory, sets, room, policy, _, _, log, count, _ = parts
            for done in range(count):
                if full(log):
                    return int(done)
                renew(np.arange(len(scene.reward)), scene, constants, memory.counts, memory.jumps, sets)
                memory.counts[NEW], memory.clock[VISITED] = 0, 0
                march(scene, constants, sets, room)
                play_episode(scene, memory, policy, log, bool(choose(scene.first, room.table, policy)))
            return int(count)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(used_sets, "renew", renew)
            patched.setattr(optimistic, "run_optimistic", played)
            yield


_RATES = "low[k], high[k] = rate_interval(numbers, tilts, log_rates, n_plus, time)"
_L1 = "radius = sqrt(2.0 * ((log_jumps + logarithm(n * (n + 1.0))) / n))"
_KL = "return bracket / n"


def shrunk(kind: str, factor: float) -> AbstractContextManager[None]:
    """The sets of a kind with radii over ``factor``: logarithms, and divergences, over its square."""
    share = 1 / Fraction(factor) ** 2
    match kind:
        case "rates":
            return constants_with(rate_constant=share, floor=share)
        case "jumps":
            return constants_with(jump_constant=share)
        case "l1":
            return kernel_with(_L1, f"{_L1} / {factor}")
        case "kl":
            return kernel_with(_KL, f"{_KL} / {factor} ** 2")
    return kernel_with(_RATES, _RATES.replace("log_rates", f"log_rates / {factor} ** 2"))


# What experiments see.
SEEN = {
    ("rates", 2): (),
    ("jumps", 2): (),
    ("paper", 2): (),
    ("poisson", 2): WHO,
    ("l1", 2): ("adversary",),
    ("kl", 2): WHO,
    **{(kind, factor): WHO for kind in KINDS for factor in (4, 10, 100)},
}
# A part that is forgotten, in the kernels: the kind of sets, a line, the line without it, and who sees it.
FORGOTTEN = {
    "n(n+1)": ("l1", "log_jumps + logarithm(n * (n + 1.0))", "log_jumps", ()),
    "all but n(n+1)": (
        "l1",
        "log_jumps + logarithm(n * (n + 1.0))",
        "logarithm(n * (n + 1.0))",
        ("learner",),
    ),
    "the binomial": ("kl", "bracket += logarithm((n + j) / j)", "bracket += 0.0", ("adversary",)),
    "all but the binomial": ("kl", "bracket = log_jumps", "bracket = 0.0", WHO),
    "half of l": ("poisson", _RATES, _RATES.replace("log_rates", "log_rates / 2"), ("adversary",)),
    "one exponential": ("poisson", "/ tilts[j, 2] / time", "/ tilts[j, 1] / time", WHO),
    "half of L": ("paper", _RATES, _RATES.replace("log_rates", "log_rates / 2"), ()),
}
_LONG = [pytest.param(k, f, marks=pytest.mark.thorough) for k in KINDS for f in (2, 4, 10)]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_the_package_as_it_is_passes(kind: str) -> None:
    with kernel_with(_KL, _KL):  # and so do its kernels as plain Python
        assert [judged(f"{kind}-{who}").verdict for who in WHO] == [Verdict.SUPPORTED] * 2
        assert judged("formulas").verdict is Verdict.TESTED


@pytest.mark.parametrize("kind", KINDS)
def test_sets_a_hundredth_of_their_size_are_refuted_on_every_run(kind: str) -> None:
    with shrunk(kind, 100):
        assert [judged(f"{kind}-{who}", FEW).verdict for who in WHO] == [Verdict.REFUTED] * 2


@pytest.mark.parametrize("factor", [1.000001, pytest.param(0.999999, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("kind", KINDS)
def test_a_millionth_is_seen_by_the_formulas(kind: str, factor: float) -> None:
    with shrunk(kind, factor):
        assert judged("formulas").verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("owner", "name"), [(Constants, "rate_radius"), (Constants, "jump_radius"), (Sets, "jump_radius")]
)
def test_a_millionth_is_seen_where_no_kernel_has_it(owner: Any, name: str, monkeypatch: Any) -> None:
    """The formulas over an arithmetic, which the exact learner uses."""
    true = getattr(owner, name)

    def wrong(self: Any, *given: Any) -> Any:
        radius, numbers = true(self, *given), given[1] if owner is Constants else self.numbers
        return None if radius is None else radius * numbers.number(1 + Fraction(1, 10**6))

    monkeypatch.setattr(owner, name, wrong)
    assert judged("formulas").verdict is Verdict.REFUTED


def test_a_single_rate_where_an_interval_belongs_is_seen(monkeypatch: Any) -> None:
    monkeypatch.setattr(Sets, "rates", lambda self, rate, time, n: (rate, rate))
    assert judged("formulas").verdict is Verdict.REFUTED


@pytest.mark.parametrize("name", FORGOTTEN)
def test_what_is_forgotten_is_seen_by_the_formulas(name: str) -> None:
    _, old, new, _ = FORGOTTEN[name]
    with kernel_with(old, new):
        assert judged("formulas").verdict is Verdict.REFUTED


@pytest.mark.parametrize(("kind", "factor"), _LONG)
def test_experiments_see_what_they_can(kind: str, factor: int) -> None:
    with shrunk(kind, factor):
        assert refuting(kind) == SEEN[kind, factor]


@pytest.mark.thorough
@pytest.mark.parametrize("name", FORGOTTEN)
def test_experiments_see_what_is_forgotten_where_they_can(name: str) -> None:
    kind, old, new, seen = FORGOTTEN[name]
    with kernel_with(old, new):
        assert refuting(kind) == seen


def refuting(kind: str) -> tuple[str, ...]:
    """Which of the two experiments refute."""
    return tuple(who for who in WHO if judged(f"{kind}-{who}").verdict is Verdict.REFUTED)


def _print(name: str, kind: str) -> None:
    for who in WHO:
        found = judged(f"{kind}-{who}")
        counts = f"{found.evidence['successes']} of {found.evidence['trials']} runs cover"
        print(f"{kind:8} {name:24} {who:10} {found.verdict!s:10} {counts}")


if __name__ == "__main__":
    with writing("python -m tests.quality.test_coverage_mutants"):
        for kind, factor in SEEN:
            with shrunk(kind, factor):
                _print(f"over {factor}", kind)
        for name, (kind, old, new, _) in FORGOTTEN.items():
            with kernel_with(old, new):
                _print(f"without {name}", kind)
