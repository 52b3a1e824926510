"""How much the maps of value iteration contract."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy
from flint import arb, fmpq
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ctucbvi import ValueIteration, algorithm2, solve
from ctucbvi.exact.exppoly import ExpPoly
from ctucbvi.exact.iteration import commit
from ctucbvi.model import CTMDP, Transition
from proofs_checks.checks.common import scaled, vanishes
from proofs_checks.checks.optimality import paper_example
from proofs_checks.checks.perturbed import Place, places
from proofs_checks.checks.poisson import weight
from proofs_checks.checks.setting import ELAPSED, RATE, TIME, class_models
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.computed import Case, Computed
from verify.provers.search import Search

NOISE = Fraction(1, 2**40)  # equal norms are told from unequal ones by this much
BITS = 128


def contracted(share: Fraction = Fraction(1), model: CTMDP | None = None) -> Search:
    """``T^{a,k}`` on two functions in closed form: their distance after, against ``share``·ρ times before.

    The estimates lie around the rows of random models, or of this one.
    """
    one, line = ExpPoly.constant(1), ExpPoly.monomial(1, 1)
    shapes = (
        *(one, ExpPoly.zero()) * 3,  # whose difference is contracted least
        line,
        ExpPoly.monomial(1, 1, 1),
        one - ExpPoly.monomial(1, 0, 3),
        line * line,
    )
    # A constant stands for its value on (0, H]; what happens at 0 alone does not enter the integral.
    shape = st.sampled_from(shapes)

    @st.composite
    def given(draw: Any) -> tuple[Place, list[Any], list[Any]]:
        place = draw(places(model=model))
        count = range(len(place.case.model.states))
        alike = draw(st.booleans())  # one function in all states: then nothing averages out
        u, v = ([draw(shape)] * len(count) if alike else [draw(shape) for _ in count] for _ in range(2))
        return place, u, v

    def sides(example: tuple[Place, list[Any], list[Any]]) -> tuple[Any, Any]:
        place, u, v = example
        case, horizon = place.case, place.case.model.horizon
        pair = case.believed(place.pair)
        before = max((f - g).sup_norm(0, horizon).lower for f, g in zip(u, v, strict=True))
        ahead = [sum((f[y] * p for y, p in pair.to), ExpPoly.zero()) for f in (u, v)]
        after = commit(pair, ahead[0], fmpq(0)) - commit(pair, ahead[1], fmpq(0))
        with precision(BITS):
            factor = 1 - (-arb(rational(case.load))).exp()
            right = arb(rational(share * before)) * factor + arb(rational(NOISE))
        return after.sup_norm(0, horizon, NOISE / 4).upper, right

    return Search(examples=(200, 2000), given=given(), sides=sides, title="functions in closed form")


def _drawn() -> SearchStrategy[CTMDP]:
    """Random models and the paper's."""
    return st.one_of(st.just(paper_example()), class_models())


def contracted_iterates(
    *, truncate: bool, share: Fraction = Fraction(1), model: CTMDP | None = None
) -> Search:
    """‖V_{n+1} - V_n‖ against ``share``·ρ‖V_n - V_{n-1}‖: the map with its maximum, and with its minimum."""

    def sides(example: tuple[CTMDP, int]) -> tuple[Any, Any]:
        model, n = example
        model = model.with_rewards(3) if truncate else model  # with a bonus, so that min{t, ·} matters
        iterates = ValueIteration(model, truncate=truncate, bits=64)
        after, before = iterates[n + 1].distance(iterates[n]), iterates[n].distance(iterates[n - 1])
        with precision(BITS):
            factor = 1 - (-arb(rational(model.max_rate * model.horizon))).exp()
            right = arb(rational(share * before.upper)) * factor + arb(rational(NOISE * model.horizon))
        return after.lower, right

    given = [(model, n) for n in (1, 2)] if model else st.tuples(_drawn(), st.integers(1, 2))
    return Search(examples=(15, 150), given=given, sides=sides, title="iterates")


def coefficient_attained(slower: Any = 1) -> Computed:
    """One state with a self-loop at λmax, u = 1 and v = 0: T u - T v is 1 - exp(-λmax H) at H."""
    density = slower * RATE * sympy.exp(-slower * RATE * ELAPSED)
    return vanishes(
        "integrated",
        (
            "∫ λmax exp(-λmax s)·1 ds over [0, H] = (1 - exp(-λmax H))·1",
            lambda: sympy.integrate(density, (ELAPSED, 0, TIME)) - (1 - sympy.exp(-RATE * TIME)),
        ),
    )


@scaled("Poisson tails", "finite sums in balls of 512 bits")
def several_steps(effort: Effort, power: int = 0) -> list[Case]:
    """P(Poisson(z) >= n), what n steps with u - v = 1 leave, against ρ^(n + ``power``)."""
    found = []
    with precision(4 * BITS):  # tails are differences from 1
        for z in (Fraction(1, 10), Fraction(1), Fraction(7), Fraction(20)):
            ball = arb(rational(z))
            factor = 1 - (-ball).exp()
            for n in range(2, effort.scaled(12, 60)):
                tail = 1 - sum((weight(ball, j) for j in range(n)), arb(0))
                found.append(Case(f"λmax H = {z}, n = {n}", tail, factor ** (n + power), "<="))
    return found


Factor = Callable[[arb], arb]  # of ε, as a function of λmax H


def stopped_error(
    factor: Factor = arb.exp, share: Fraction = Fraction(1), model: CTMDP | None = None, finest: int = 3
) -> Search:
    """‖V̂_∞ - V̂_n‖ where alg:VI stopped, at several times, against a share of ε·``factor``(λmax H).

    ε is H/2, H/10 or H/50, the first ``finest`` of them; the smaller, the more iterations.
    """

    def sides(example: tuple[CTMDP, Fraction]) -> tuple[Any, Any]:
        model, part = example
        model = model.with_rewards(3)  # with a bonus, so that min{t, ·} matters
        epsilon = model.horizon * part
        stopped = algorithm2(model, epsilon).value
        limit = solve(model, truncate=True, resolve_policy=False)
        times = [model.horizon * Fraction(i, 4) for i in range(1, 5)]
        worst = max(limit.value(x, t).lower - stopped.value(x, t).upper for x in model.states for t in times)
        with precision(BITS):
            load = arb(rational(model.max_rate * model.horizon))
            return worst, arb(rational(share * epsilon)) * factor(load)

    shares = [Fraction(1, 2), Fraction(1, 10), Fraction(1, 50)][:finest]
    given = [(model, s) for s in shares] if model else st.tuples(_drawn(), st.sampled_from(shares))
    return Search(examples=(15, 150), given=given, sides=sides, title="where it stopped")


@scaled("long horizons", "certified values")
def long_horizon(effort: Effort, share: Fraction = Fraction(1)) -> list[Case]:
    """‖V̂_∞ - V̂_1‖ = H - w, w = (1 - exp(-λH))/λ, for one state, r = 1; ‖V̂_1 - 0‖ = w < ε = 1/λ stops it.

    The error is 1 - 1/(λH) of ελH: on long horizons no smaller factor will do.
    """
    found = []
    for load in (Fraction(2), Fraction(20))[: effort.scaled(2, 2)]:
        row = Transition("x", "a", load, Fraction(1), (("x", Fraction(1)),))
        model = CTMDP("alone", ("x",), ("a",), Fraction(1), "x", (row,), (Fraction(0),))
        stopped = algorithm2(model, 1 / load).value.value("x", 1)
        error = solve(model, truncate=True, resolve_policy=False).value("x", 1) - stopped
        again = f"from math import exp; print(1 - (1 - exp(-{load}))/{load} > {share})"
        found.append(Case(f"one state, λ = {load}, H = r = 1, ε = {1 / load}", error, share, line=again))
    return found


def poisson_steps(jump: Any = 1) -> Computed:
    """Both identities for all j, by G(z,t) = Σ_{j>=0} z^j P(N_t >= j) = (1 - z exp(λt(z-1)))/(1-z)."""
    z = sympy.Symbol("z", positive=True)

    def tails(t: Any) -> Any:
        return 1 - z * sympy.exp(RATE * t * (z - 1))  # (1-z) G

    def step() -> Any:
        density = sympy.powsimp(sympy.expand(RATE * sympy.exp(-RATE * ELAPSED) * tails(TIME - ELAPSED)))
        return jump * z * sympy.integrate(sympy.expand(density), (ELAPSED, 0, TIME)) - tails(TIME) + (1 - z)

    def together() -> Any:
        return sympy.limit(tails(TIME) / (1 - z) - 1, z, 1) - RATE * TIME

    return vanishes(
        "generating functions",
        ("z ∫ λ exp(-λs) G(z, t-s) ds over [0, t] = G(z, t) - 1", step),
        ("G(z, t) - 1 -> λt as z -> 1", together),
    )
