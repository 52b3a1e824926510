r"""What is known of an estimated model near the true one, and the integrals that all errors are made of.

The estimates of one pair are a rate ``glam``, a row ``gp``, a bonus ``gbon`` and the radii ``gbe`` of the
rate and ``gal`` of the row; ``gu`` is a function of state and remaining time.  With
:math:`w(\lambda) = \int_0^te^{-\lambda s}ds`, in this form because it is defined for λ = 0 too,

.. math:: w(\lambda) + \int_0^t\lambda e^{-\lambda s}(t-s)\,ds = t .
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.operators import ESTIMATES, part
from proofs_checks.derivations.values import SMALL
from verify.kernel import theorems
from verify.kernel.authoring import Derivation, Text
from verify.kernel.theorems import Theorem

RATES = "All(x, All(a, Abs(glam(x, a) - lam(x, a)) <= gbe(x, a)))"
ROWS = "All(x, All(a, SumOver(y, Abs(gp(x, a, y) - p(x, a, y))) <= gal(x, a)))"
SEEN = "All(x, All(a, Or(glam(x, a) == 0, SumOver(y, gp(x, a, y)) == 1)))"
"""The two confidence sets; and that a row is a probability wherever the rate is not 0."""

HAT, TRUE = "glam(x, a)", "lam(x, a)"
ROW_HAT, ROW = "gp(x, a, y)", "p(x, a, y)"


def chain(conclusion: str, *conditions: str) -> str:
    """Imp(A, Imp(B, … conclusion))."""
    for condition in reversed(conditions):
        conclusion = f"Imp({condition}, {conclusion})"
    return conclusion


def density(rate: str, time: str = "s") -> str:
    """λ exp(-λs)."""
    return f"{rate}*exp(-{rate}*{time})"


def wait(rate: str, time: str = "t") -> str:
    """w(λ), the mean of the holding time up to t."""
    return f"Int(s, {time}, exp(-{rate}*s))"


def mean(row: str, values: str = "gu", time: str = "t - s") -> str:
    """Σ_y p(y) u(y, t - s)."""
    return f"SumOver(y, {row}*{values}(y, {time}))"


def jumps(rate: str, row: str, values: str = "gu") -> str:
    """Σ_y ∫ λ exp(-λs) p(y) u(y, t - s) ds, the part of the operator after a jump."""
    return f"Int(s, t, {density(rate)}*{mean(row, values)})"


def estimate(D: Derivation, what: str, *at: str) -> Theorem:
    """One of the properties of the estimates at a pair."""
    return D.special(part(D, D.assume(ESTIMATES), what), *(at or ("x", "a")))


def rate_low(D: Derivation) -> Theorem:
    """0 <= λ."""
    return D.linear(f"0 <= {TRUE}", D.fact("rate"))


def inside(D: Derivation) -> tuple[Theorem, Theorem]:
    """0 <= s <= t ⊢ 0 <= t - s, and t - s <= t."""
    facts = D.assume("0 <= s"), D.assume("s <= t")
    return D.linear("0 <= t - s", *facts), D.linear("t - s <= t", *facts)


def small(D: Derivation) -> tuple[Theorem, Theorem]:
    """SMALL, 0 <= s <= t ⊢ 0 <= u(y, t - s), and u(y, t - s) <= t - s."""
    pair = D.mp(D.special(D.assume(SMALL), "y", "t - s"), theorems.both(*inside(D)))
    return part(D, pair, "0 <= gu(y, t - s)"), part(D, pair, "gu(y, t - s) <= t - s")


def density_low(D: Derivation, rate: str, low: Theorem) -> Theorem:
    """0 <= λ ⊢ 0 <= λ exp(-λs)."""
    return D.times(low, D.known("exp", f"-{rate}*s"))


def modulus(D: Derivation, of: str, most: str, *facts: Theorem) -> Theorem:
    """|u| <= v, where both u <= v and -u <= v follow."""
    return either_way(D, D.known("abs-cases", of), f"Abs({of}) <= {most}", *facts)


def either_way(D: Derivation, either: Theorem, goal: Text, *facts: Theorem) -> Theorem:
    """The goal, linear in each part of the Or and the facts."""
    return D.split(either, *[lambda one: D.linear(goal, one, *facts)] * 2)


def conditional(D: Derivation, theorem: Theorem, condition: str, *names: str) -> Theorem:
    """All(names, Imp(And(A, B, …), C)) from C, given A, B and so on."""
    whole = D.formula(condition)
    for one in whole.parts:
        theorem = theorems.cut(theorems.part(D.assume(whole), one), theorem)
    return D.all(D.imply(theorem, whole), *names)


def ordered(
    D: Derivation,
    u: str,
    v: str,
    build: Callable[[Theorem], Theorem],
    other: Callable[[Theorem], Theorem],
) -> Theorem:
    """The same from u <= v and from v <= u."""
    return D.split(
        D.known("total", u, v),
        *(
            (build, other)
            if D.known("total", u, v).says.parts[0] is D.formula(f"{u} <= {v}")
            else (other, build)
        ),
    )


# --- the two integrals --------------------------------------------------------------------------


def parts_of_time(D: Derivation, rate: str) -> Theorem:
    """0 <= t ⊢ ∫ λ exp(-λs)(t - s) ds == t - w(λ)."""
    area = D.primitive("s", "t", f"-(t - s)*exp(-{rate}*s)")
    return D.linear(f"Int(s, t, {density(rate)}*(t - s)) == t - {wait(rate)}", area)


def wait_low(D: Derivation, rate: str) -> Theorem:
    """0 <= w(λ)."""
    return D.integral(D.linear(f"0 <= exp(-{rate}*s)", D.known("exp", f"-{rate}*s")), "s", "t")


def wait_high(D: Derivation, rate: str, positive: Theorem) -> Theorem:
    """0 <= λ, 0 <= t ⊢ w(λ) <= t."""
    below = D.closed(
        D.pointwise("exp(-d) <= 1", "d >= 0", d=f"{rate}*s"), D.times(positive, D.assume("0 <= s"))
    )
    return D.linear(f"{wait(rate)} <= t", D.integral(below, "s", "t"), D.primitive("s", "t", "s"))


def triangle(D: Derivation) -> Theorem:
    """0 <= t ⊢ ∫ (t - s) ds == t²/2."""
    area = D.primitive("s", "t", "t*s - s**2/2")
    return D.linear("Int(s, t, t - s) == t**2/2", area)
