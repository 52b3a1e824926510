"""Models of the class, and what the claims about the setting compute."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import sympy
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ctucbvi import Policy, bundled_model, evaluate, solve
from ctucbvi.model import CTMDP, Transition
from ctucbvi.strategies import policies, probability_rows, reward_rates
from proofs_checks.checks.common import cases, vanishes
from verify.claims import Effort
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

_PARTS = (Fraction(1, 7), Fraction(1, 2), Fraction(1))
RATE, TIME, ELAPSED, PROBABILITY, SHARE = sympy.symbols("l t s p c", positive=True)


@cache
def class_models(max_states: int = 3, max_actions: int = 2) -> SearchStrategy[CTMDP]:
    """Models of the paper's class: every rate positive, rewards in [0, 1], every action everywhere."""
    # Expected numbers of jumps in [0, H], some of them far apart; draws often coincide.
    loads = st.sampled_from([Fraction(n, d) for n, d in ((1, 1), (2, 1), (1, 2), (5, 1), (7, 2), (1, 1000))])
    horizons = st.sampled_from([Fraction(1), Fraction(2), Fraction(1, 2), Fraction(1, 100), Fraction(30)])

    def sizes(most: int) -> SearchStrategy[int]:
        return st.sampled_from(
            [1, *range(2, most + 1), most, most, most]
        )  # with one action nothing is decided

    @st.composite
    def built(draw: Any) -> CTMDP:
        states = tuple(f"s{i}" for i in range(draw(sizes(max_states))))
        actions = tuple(f"a{i}" for i in range(draw(sizes(max_actions))))
        horizon = draw(horizons)
        rows = []
        for x in states:
            for a in actions:
                law = zip(states, draw(probability_rows(len(states))), strict=True)
                rate, reward = draw(loads) / horizon, draw(reward_rates("unit"))
                rows.append(Transition(x, a, rate, reward, tuple((y, p) for y, p in law if p)))
        return CTMDP("drawn", states, actions, horizon, states[0], tuple(rows), (Fraction(0),) * len(states))

    return built()


_PRINTED_LAW = 1 - sympy.exp(-RATE * TIME)


def joint_law(law: Any = _PRINTED_LAW) -> Computed:
    """The density of holding time and next state, integrated, against the printed law."""
    density = RATE * sympy.exp(-RATE * ELAPSED) * PROBABILITY
    return vanishes(
        "integrated",
        (
            "∫ λ exp(-λs) p(y) ds up to t is the printed law",
            lambda: sympy.integrate(density, (ELAPSED, 0, TIME)) - law * PROBABILITY,
        ),
    )


_SAME_Q = (
    "from fractions import Fraction as F; (l, p), (m, q) = (F(1), F(1, 2)), (F(1, 2), F(0)); "
    "print(l*(1 - p) == m*(1 - q) and l != m)"
)


def rates_recovered(loops: tuple[Fraction, ...]) -> Computed:
    """λ from the rates to other states, as if there were no self-loop, for a rate 1 with the given ones."""

    def compute(effort: Effort) -> Outcome:
        del effort
        found = [
            Case(f"λ = 1 and p(x|x,a) = {loop}: λ recovered from q", (1 - loop) * 1, 1, "==", line=_SAME_Q)
            for loop in loops
        ]
        return Outcome(found, box="λ = 1")

    return Computed(compute, "recovered rate")


@cases("uniformised", "15 certified digits", complete=True)
def uniformised(*, loops: bool = True) -> list[Case]:
    """The optimal value of machine repair with all rates made equal by self-jumps, against without."""
    model = bundled_model("machine-repair")
    top, rows = model.max_rate, []
    for row in model.transitions:
        to = {y: p * row.rate / top for y, p in row.to}
        to[row.state] = to.get(row.state, Fraction(0)) + 1 - row.rate / top
        rows.append(Transition.of(row.state, row.action, rate=top, reward=row.reward, to=to))
    other = replace(model, transitions=tuple(rows)) if loops else model
    new, old = (solve(one, digits=15).value("operating") for one in (other, model))
    return [
        Case(
            "value of state 0, uniformised against committed + 9/5000",
            new.lower,
            old.upper + Fraction(9, 5000),
            ">=",
        )
    ]


def affine(mass: Any = 1) -> Computed:
    """``T`` with reward ``r + c``, applied to ``u + cs``, exceeds ``T u`` by ``ct``: what ``c`` adds."""
    survival = sympy.exp(-RATE * ELAPSED)

    def difference() -> Any:
        stay = SHARE * sympy.integrate(survival, (ELAPSED, 0, TIME))
        jump = sympy.integrate(RATE * survival * SHARE * (TIME - ELAPSED), (ELAPSED, 0, TIME))
        return stay + mass * jump - SHARE * TIME

    return vanishes("integrated", ("a constant reward adds its multiple of t to every value", difference))


def rescaled_values(scale: Fraction = Fraction(1)) -> Search:
    """V^π with rewards 3r - 1 (a mutant scales the 3) against 3V^π - t, for drawn models and policies."""

    def sides(policy: Any) -> tuple[Any, Any]:
        model = policy.model
        other = model.with_rewards(3 * scale, -1)
        rules = dict(zip(model.states, policy.rules, strict=True))
        first, second = evaluate(policy), evaluate(Policy.of(other, rules))
        defects = [
            abs(getattr(second.value(x), end) - 3 * getattr(first.value(x), end) + model.horizon)
            for x in model.states
            for end in ("lower", "upper")
        ]
        return max(defects), model.horizon / 2**30  # far above the widths of the enclosures

    given = class_models().flatmap(policies)
    return Search(examples=(40, 600), given=given, sides=sides, title="rescaled policies")


@cases("multiples of one element", "𝕄 contains u(x,t) = t; its multiples must be non-negative")
def closed_under(scalars: tuple[Fraction, ...]) -> list[Case]:
    """Whether multiples of a function in 𝕄 are in 𝕄."""
    return [
        Case(f"u(x,t) = t multiplied by {c}, at t = 1", 0, c, "<=", line=f"print(not 0 <= {c})")
        for c in scalars
    ]


def limits(shift: int = 0) -> Search:
    """The limit of value iteration is an element of 𝕄 (a mutant has rewards r + ``shift``)."""

    def sides(model: CTMDP) -> tuple[Any, Any]:
        solution = solve(model.with_rewards(1, shift), resolve_policy=False)
        lowest = [-solution.value(x, model.horizon * part).upper for x in model.states for part in _PARTS]
        start = [abs(solution.value(x, 0).mid) for x in model.states]
        return max(lowest + start), Fraction(0)

    return Search(examples=(30, 300), given=class_models(), sides=sides, title="a limit")


def bounded(excess: Fraction = Fraction(0)) -> Search:
    """``0 <= V^π <= V* <= t - excess`` for drawn models and policies, as the largest of the three defects."""

    def sides(example: tuple[Any, Fraction]) -> tuple[Fraction, Fraction]:
        policy, share = example
        model, t = policy.model, policy.model.horizon * share
        best, own = solve(model, resolve_policy=False), evaluate(policy)
        defects = []
        for x in model.states:
            v, w = best.value(x, t), own.value(x, t)
            defects += [-w.upper, w.lower - v.upper, v.lower - t + excess]
        return max(defects), Fraction(0)

    shares = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 7)])
    given = st.tuples(class_models().flatmap(policies), shares)
    return Search(examples=(40, 600), given=given, sides=sides, title="policies")
