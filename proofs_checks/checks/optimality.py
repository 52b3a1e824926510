"""The paper's example, and policies against the fixed point of the operator."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import sympy
from flint import fmpq
from hypothesis import strategies as st

from ctucbvi import bundled_model, evaluate, solve
from ctucbvi.exact.exppoly import ExpPoly
from ctucbvi.exact.iteration import commit
from ctucbvi.model import CTMDP, Pair
from ctucbvi.policy import Policy
from ctucbvi.strategies import policies
from proofs_checks.checks.common import vanishes
from proofs_checks.checks.setting import ELAPSED, RATE, SHARE, TIME, class_models
from verify.provers.computed import Computed
from verify.provers.search import Search

TOLERANCE = Fraction(1, 10**9)  # against which equal enclosures are compared
COMMITTED, ADJUSTABLE = "committed", "adjustable"


@cache
def paper_example() -> CTMDP:
    """The machine of the paper's simulation."""
    return bundled_model("machine-repair")


@cache
def played(semantics: str) -> Any:
    """Models with a policy; first of all the paper's example with the adjustable problem's best."""
    known = [solve(paper_example(), kind).policy() for kind in (ADJUSTABLE, semantics)]
    return st.one_of(st.sampled_from(known), class_models().flatmap(policies))


def dominated(semantics: str, by: str = "") -> Search:
    """The value of a policy against that of the problem (or, for a mutant, of the other problem)."""

    def sides(policy: Policy) -> tuple[Any, Any]:
        own = evaluate(policy, semantics)
        best = solve(policy.model, by or semantics, resolve_policy=False)
        gaps = [own.value(x) - best.value(x) for x in policy.model.states]
        return max(gaps, key=lambda gap: gap.mid), TOLERANCE * policy.model.horizon

    return Search(examples=(60, 600), given=played(semantics), sides=sides, title="policies")


def attained(semantics: str, taken_from: str = "") -> Search:
    """What the maximising policy lacks to the value of the problem."""

    def sides(model: CTMDP) -> tuple[Any, Any]:
        best = solve(model, semantics)
        own = evaluate(solve(model, taken_from or semantics).policy(), semantics)
        gaps = [best.value(x) - own.value(x) for x in model.states]
        return max(gaps, key=lambda gap: gap.mid), TOLERANCE * model.horizon

    drawn = st.one_of(st.just(paper_example()), class_models())
    return Search(examples=(60, 600), given=drawn, sides=sides, title="best policy")


def two_forms(at_zero: int = 0) -> Computed:
    """Both forms of T^a: the reward part, and the jump part for u(w) = 1 - exp(-cw), plus u(0) for a mutant.

    Two bounded measures on [0, t] that integrate exp(-cw) alike for all large c are the same, so this decides
    the jump part for every bounded measurable u.
    """
    decay, speed = sympy.exp(-RATE * ELAPSED), RATE + SHARE

    def reward() -> Any:
        truncated = sympy.integrate(ELAPSED * RATE * decay, (ELAPSED, 0, TIME)) + TIME * sympy.exp(
            -RATE * TIME
        )
        return sympy.integrate(decay, (ELAPSED, 0, TIME)) - truncated

    def jump() -> Any:
        later = at_zero + 1 - sympy.exp(-speed * (TIME - ELAPSED))
        integral = sympy.integrate(sympy.expand(RATE * decay * later), (ELAPSED, 0, TIME))
        # E u((t - τ)⁺) = u(0) + ∫ u'(w) P(τ < t - w) dw: from the tail of τ and not from its density.
        slope = speed * sympy.exp(-speed * ELAPSED)
        tail = 1 - sympy.exp(-RATE * (TIME - ELAPSED))
        return at_zero + sympy.integrate(sympy.expand(slope * tail), (ELAPSED, 0, TIME)) - integral

    return vanishes(
        "two forms",
        ("r E[min(t, τ)] = r ∫ exp(-λs) ds", reward),
        ("E u(Y, (t - τ)⁺) = ∫ λ exp(-λs) u(t - s) ds", jump),
    )


@cache
def _applied() -> Any:
    """Two functions of 𝕄 in closed form, a rate, and the sum of a row."""
    one, line = ExpPoly.constant(1), ExpPoly.monomial(1, 1)
    shapes = st.sampled_from([line, ExpPoly.monomial(1, 1, 1), one - ExpPoly.monomial(1, 0, 3), line * line])
    rates = st.sampled_from([Fraction(1), Fraction(1, 100), Fraction(30)])
    return st.tuples(st.tuples(shapes, shapes), rates, st.sampled_from([Fraction(1), Fraction(1, 3)]))


def images(most: Fraction = Fraction(1)) -> Search:
    """``0 <= T^a u <= most·t + m`` on [0, 2], m the supremum of u there, and ``T^a u = 0`` at 0."""

    def sides(example: Any) -> tuple[Any, Any]:
        (u, _), rate, part = example
        image = commit(Pair(0, 0, rate, Fraction(1), ()), u * part, fmpq(0))
        top, defects = u.sup_norm(0, 2).upper, [abs(image.at(0).enclosure().upper)]
        for t in (Fraction(i, 4) for i in range(1, 9)):
            found = image.at(t).enclosure()
            defects += [-found.upper, found.lower - most * t - top]
        return max(defects), Fraction(0)

    return Search(examples=(60, 600), given=_applied(), sides=sides, title="images in closed form")


def ordered(sign: int = 1) -> Search:
    """``T^a u <= T^a v`` for functions u <= v in closed form (a mutant has v <= u), at several times."""

    def sides(example: Any) -> tuple[Any, Any]:
        (low, more), rate, part = example
        pair, high = Pair(0, 0, rate, Fraction(1, 2), ()), low + more * sign
        gap = commit(pair, low * part, fmpq(0)) - commit(pair, high * part, fmpq(0))
        ends = [gap.at(Fraction(i, 4)).enclosure().upper for i in range(1, 9)]
        return max(ends), Fraction(0)

    return Search(examples=(60, 600), given=_applied(), sides=sides, title="functions in closed form")
