"""Numbers of transitions, and initial states that are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy
from flint import arb
from hypothesis import strategies as st

from ctucbvi import Policy, evaluate
from ctucbvi.exact.iteration_bounds import poisson_at_least
from ctucbvi.model import CTMDP
from proofs_checks.checks.common import scaled, vanishes
from proofs_checks.checks.optimality import paper_example
from proofs_checks.checks.perturbed import Perturbed, Place, mistaken, places
from proofs_checks.checks.perturbed_values import Shares, regret
from proofs_checks.checks.setting import ELAPSED, RATE, TIME, class_models
from verify.claims import Effort
from verify.provers.balls import precision
from verify.provers.comparison import enclosing
from verify.provers.computed import Case, Computed
from verify.provers.search import Search

BITS = 128


def _counting(model: CTMDP) -> CTMDP:
    """The model with the rates as rewards: values are expected numbers of jumps."""
    return replace(model, transitions=tuple(replace(row, reward=row.rate) for row in model.transitions))


# --- the number of transitions -----------------------------------------------------------------


@scaled("tails", "closed form in balls of 128 bits")
def tails(effort: Effort, share: Fraction = Fraction(1)) -> list[Case]:
    """``P(N >= m)`` for N Poisson with mean λmax H, which no episode exceeds, against ``share``·λmax H/m."""
    found = []
    for mean in (Fraction(1, 10), Fraction(2), Fraction(7)):
        for m in range(1, effort.scaled(20, 60)):
            with precision(BITS):
                tail = poisson_at_least(mean, m)(1)
            found.append(Case(f"λmax H = {mean}, m = {m}", tail, share * mean / m, "<="))
    return found


def windows(share: Fraction = Fraction(1)) -> Search:
    """Jumps expected in a window, under a policy that does not look at the time, against ``share``·λmax e."""

    def sides(example: tuple[CTMDP, Fraction, Fraction]) -> tuple[Any, Any]:
        model, start, length = example
        counting = _counting(model)
        held = Policy.of(counting, {x: model.actions_of(x)[0] for x in model.states})
        first, last = model.horizon * start, model.horizon * (start + length)
        value = evaluate(held)
        seen = [value.value(x, last) - value.value(x, first) for x in model.states]
        bound = share * model.max_rate * (last - first)
        return max(seen, key=lambda jumps: jumps.mid), bound + Fraction(1, 2**30)

    models = st.one_of(st.just(paper_example()), class_models())
    parts = st.sampled_from([Fraction(1, 2), Fraction(1, 100), Fraction(1, 10**6)])
    given = st.tuples(models, st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2)]), parts)
    return Search(examples=(40, 400), given=given, sides=sides, title="windows")


def one_jump(rate_after: Any) -> Computed:
    """P(J = 1) with rate λ before the first jump and another after it, against the formula of the module."""
    more = sympy.Symbol("m", positive=True)

    def difference() -> Any:
        density = RATE * sympy.exp(-RATE * ELAPSED - rate_after(more) * (TIME - ELAPSED))
        found = sympy.integrate(density, (ELAPSED, 0, TIME))
        x = more * TIME
        return found - RATE * TIME * sympy.exp(-RATE * TIME) * (1 - sympy.exp(-x)) / x

    return vanishes("P(J = 1)", ("P(J = 1) = λH exp(-λH) (1 - exp(-x))/x", difference))


# --- the initial state -------------------------------------------------------------------------


def _drawn(case: Perturbed, epsilon: Fraction, shares: Shares) -> tuple[arb, arb]:
    """Regret of an episode and its bound in the mean over an initial state that is drawn evenly."""
    both = [regret(case, x, epsilon, shares) for x in case.model.states]
    with precision(BITS):
        left, right = (sum((enclosing(pair[i]) for pair in both), arb(0)) / len(both) for i in (0, 1))
    return left, right


def drawn_starts(shares: Shares) -> Search:
    """The bound of one episode on drawn models, from a drawn state."""

    def sides(place: Place) -> tuple[arb, arb]:
        return _drawn(place.case, place.case.model.horizon / 10**place.steps, shares)

    return Search(examples=(10, 300), given=places(), sides=sides, title="drawn initial states")


@scaled("a missed action", "certified values")
def mistaken_starts(effort: Effort, shares: Shares) -> Iterator[Case]:
    """The same where a better action is missed."""
    for beta in (Fraction(1, 10), Fraction(1), Fraction(3))[: effort.scaled(2, 3)]:
        sides = _drawn(mistaken(Fraction(1), beta), Fraction(1, 1000), shares)
        yield Case(f"λ = 1, β = {beta}, an initial state drawn evenly", *sides)
