r"""``eq:Qa``: the operators, and that the fixed point of :math:`G` is the optimal value.

A policy chooses an action when a state is entered and holds it until the next jump. Its value satisfies
:math:`V^\pi = \mathcal T^\pi V^\pi \le G V^\pi`; :math:`G` is monotone and a contraction, so :math:`V^\pi`
is at most the fixed point of :math:`G`, and a policy that maximises :math:`\mathcal T^a V^*` earns that.
The steps are claims; the conclusion is tested on drawn models and policies with certified values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import sympy

from proofs_checks.setting import ELAPSED, PROOF, RATE, SHARE, TIME, class_models
from proofs_checks.variants import changed, vanishes
from verify.claims import Claim, Domain, Kind, claim
from verify.provers.computed import Computed
from verify.provers.search import Search

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP
    from ctucbvi.policy import Policy

TOLERANCE = Fraction(1, 10**9)  # against which equal enclosures are compared

COMMITTED, ADJUSTABLE = "committed", "adjustable"


@cache
def paper_example() -> CTMDP:
    """The machine of the paper's simulation."""
    from ctucbvi import bundled_model

    return bundled_model("machine-repair")


@cache
def played(semantics: str) -> Any:
    """Models with a policy; first of all the paper's example with the adjustable problem's best."""
    from hypothesis import strategies as st

    from ctucbvi import solve
    from ctucbvi.strategies import policies

    known = [solve(paper_example(), kind).policy() for kind in (ADJUSTABLE, semantics)]
    return st.one_of(st.sampled_from(known), class_models().flatmap(policies))


def dominated(semantics: str, by: str = "") -> Search:
    """The value of a policy against that of the problem (or, for a mutant, of the other problem)."""
    from ctucbvi import evaluate, solve

    def sides(policy: Policy) -> tuple[Any, Any]:
        own = evaluate(policy, semantics)
        best = solve(policy.model, by or semantics, resolve_policy=False)
        gaps = [own.value(x) - best.value(x) for x in policy.model.states]
        return max(gaps, key=lambda gap: gap.mid), TOLERANCE * policy.model.horizon

    return Search(examples=(60, 600), given=played(semantics), sides=sides, title="policies")


def attained(semantics: str, taken_from: str = "") -> Search:
    """What the maximising policy lacks to the value of the problem."""
    from hypothesis import strategies as st

    from ctucbvi import evaluate, solve

    def sides(model: CTMDP) -> tuple[Any, Any]:
        best = solve(model, semantics)
        own = evaluate(solve(model, taken_from or semantics).policy(), semantics)
        gaps = [best.value(x) - own.value(x) for x in model.states]
        return max(gaps, key=lambda gap: gap.mid), TOLERANCE * model.horizon

    drawn = st.one_of(st.just(paper_example()), class_models())
    return Search(examples=(60, 600), given=drawn, sides=sides, title="best policy")


def _two_forms(at_zero: int = 0) -> Computed:
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


TWO_FORMS = claim(
    "eq:Qa",
    "The two forms of T^a agree: E[min(t,τ)] = ∫exp(-λs)ds for τ exponential with rate λ, and for u(y,w) "
    "= 1 - exp(-cw), every c > 0, the expectation of u(Y,(t-τ)⁺) is the integral up to t. (Exponentials "
    "tell two measures on [0,t] apart. Without u(·,0) = 0 the expectation has exp(-λt)u(Y,0) more.)",
    source="eq:Qa",
    checks=_two_forms(),
    expected="proved",
)


@cache
def _applied() -> Any:
    """Two functions of 𝕄 in closed form, a rate, and the sum of a row."""
    from hypothesis import strategies as st

    from ctucbvi.exact.exppoly import ExpPoly

    one, line = ExpPoly.constant(1), ExpPoly.monomial(1, 1)
    shapes = st.sampled_from([line, ExpPoly.monomial(1, 1, 1), one - ExpPoly.monomial(1, 0, 3), line * line])
    rates = st.sampled_from([Fraction(1), Fraction(1, 100), Fraction(30)])
    return st.tuples(st.tuples(shapes, shapes), rates, st.sampled_from([Fraction(1), Fraction(1, 3)]))


def images(most: Fraction = Fraction(1)) -> Search:
    """``0 <= T^a u <= most·t + m`` on [0, 2], m the supremum of u there, and ``T^a u = 0`` at 0."""
    from flint import fmpq

    from ctucbvi.exact.iteration import commit
    from ctucbvi.model import Pair

    def sides(example: Any) -> tuple[Any, Any]:
        (u, _), rate, part = example
        image = commit(Pair(0, 0, rate, Fraction(1), ()), u * part, fmpq(0))
        top, defects = u.sup_norm(0, 2).upper, [abs(image.at(0).enclosure().upper)]
        for t in (Fraction(i, 4) for i in range(1, 9)):
            found = image.at(t).enclosure()
            defects += [-found.upper, found.lower - most * t - top]
        return max(defects), Fraction(0)

    return Search(examples=(60, 600), given=_applied(), sides=sides, title="images in closed form")


INTO = claim(
    "eq:Qa/into",
    "T^a and G map 𝕄 into 𝕄: for 0 <= u <= m, T^a u is at least 0 (each term is), 0 at t = 0, and at most "
    "t + m; as an integral it is continuous in t; a maximum of finitely many such functions is one.",
    says="r*(1 - exp(-l*t))/l + m*(1 - exp(-l*t)) <= t + m",
    domain=Domain.of("l > 0", "t >= 0", "0 <= r <= 1", "m >= 0"),
    source="eq:Qa",
    uses="eq:Qa/into/lower",
    checks=(images(), *PROOF),
    argued="that an integral is continuous in t, and a maximum of finitely many functions of 𝕄 in 𝕄",
    expected="tested",
)

INTO_LOWER = claim(
    "eq:Qa/into/lower",
    "T^a u >= 0 for u >= 0 and r >= 0 (with m >= 0 a value of Σ_y u(y,·)p(y) in the mean).",
    says="0 <= r*(1 - exp(-l*t))/l + m*(1 - exp(-l*t))",
    domain=Domain.of("l > 0", "t >= 0", "0 <= r <= 1", "m >= 0"),
    source="eq:Qa",
    kind=Kind.STEP,
    checks=PROOF,
    expected="proved",
)


def ordered(sign: int = 1) -> Search:
    """``T^a u <= T^a v`` for functions u <= v in closed form (a mutant has v <= u), at several times."""
    from flint import fmpq

    from ctucbvi.exact.iteration import commit
    from ctucbvi.model import Pair

    def sides(example: Any) -> tuple[Any, Any]:
        (low, more), rate, part = example
        pair, high = Pair(0, 0, rate, Fraction(1, 2), ()), low + more * sign
        gap = commit(pair, low * part, fmpq(0)) - commit(pair, high * part, fmpq(0))
        ends = [gap.at(Fraction(i, 4)).enclosure().upper for i in range(1, 9)]
        return max(ends), Fraction(0)

    return Search(examples=(60, 600), given=_applied(), sides=sides, title="functions in closed form")


MONOTONE = claim(
    "eq:Qa/monotone",
    "T^a is monotone: u <= v everywhere gives T^a u <= T^a v, since under the integral u and v have the "
    "same weight λexp(-λs)p(y) >= 0. So are G and the truncated map, with any p >= 0.",
    says="l*exp(-l*s)*p*u <= l*exp(-l*s)*p*v",
    domain=Domain.of("l > 0", "s >= 0", "0 <= p <= 1", "u >= 0", "u <= v"),
    source="eq:Qa",
    checks=(ordered(), *PROOF),
    argued="integrating over s and summing over y, and that a maximum and a minimum of monotone maps "
    "are monotone",
    expected="tested",
)

UNIQUE = claim(
    "eq:Qa/optimality/unique",
    "V = GV has at most one solution in 𝕄: the distance d of two solutions satisfies d <= ρd with ρ < 1.",
    says="d <= 0",
    domain=Domain.of("d >= 0", "0 <= rho < 1", "d <= rho*d"),
    source="eq:Qa",
    kind=Kind.STEP,
    uses="lem:optimism/contraction-max",
    checks=PROOF,
    expected="proved",
)

OPTIMALITY = claim(
    "eq:Qa/optimality",
    "V* is the unique solution of V = GV in 𝕄: no policy earns more than the fixed point, and one earns as "
    "much. (V^π = T^π V^π <= G V^π, so V^π <= G^n V^π, which tends to the fixed point.)",
    source="eq:Qa",
    uses=(
        "eq:Qa/optimality/unique",
        "eq:Qa/monotone",
        "eq:Qa/into",
        "sec:episodicRL/banach/repaired",
        "sec:simulation/evaluation",
    ),
    checks=(dominated(COMMITTED), attained(COMMITTED)),
    expected="tested",
    latex="V^* = GV^*",
)

VERIFICATION = claim(
    "eq:Qa/verification",
    "A policy that takes an action maximising T^a V*(x,t) earns V*.",
    source="eq:Qa",
    uses="eq:Qa/optimality",
    checks=attained(COMMITTED),
    expected="tested",
)

CLAIMS = (TWO_FORMS, INTO, INTO_LOWER, MONOTONE, UNIQUE, OPTIMALITY, VERIFICATION)

MUTANTS: Mapping[str, Claim] = {
    "eq:Qa": replace(TWO_FORMS, checks=(_two_forms(at_zero=1),)),  # functions that do not vanish at 0
    "eq:Qa/into": replace(INTO, checks=(images(Fraction(-1)),)),
    "eq:Qa/into/lower": changed(  # rewards of either sign
        INTO_LOWER, domain=Domain.of("l > 0", "t >= 0", "-1 <= r <= 1", "m >= 0")
    ),
    "eq:Qa/monotone": changed(MONOTONE, "l*exp(-l*s)*p*v <= l*exp(-l*s)*p*u"),
    "eq:Qa/optimality/unique": changed(  # a map that is only non-expansive
        UNIQUE, domain=Domain.of("d >= 0", "0 <= rho <= 1", "d <= rho*d")
    ),
    "eq:Qa/optimality": replace(OPTIMALITY, checks=(dominated(ADJUSTABLE, by=COMMITTED),)),
    "eq:Qa/verification": replace(VERIFICATION, checks=(attained(COMMITTED, taken_from=ADJUSTABLE),)),
}
