"""The evaluation and the figure of the paper's simulation."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from flint import arb
from hypothesis import strategies as st

from ctucbvi import Policy, ValueIteration, evaluate
from ctucbvi.exact.iteration_bounds import erlang_bound
from ctucbvi.learning import Settings
from ctucbvi.model import CTMDP
from ctucbvi.second_opinion import as_fraction, bellman
from proofs_checks.checks.common import cases, scaled
from proofs_checks.checks.optimality import COMMITTED, TOLERANCE, paper_example, played
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.comparison import as_ball
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

BITS = 128
RAW = {("0", "a1"): 5, ("0", "a2"): 8, ("1", "a1"): -4, ("1", "a2"): -12}
PRINTED = {pair: Fraction(n, 20) for pair, n in zip(RAW, (17, 20, 8, 0), strict=True)}


@cases("rewards", "exact fractions", complete=True)
def rescaled(lowest: int = -12, highest: int = 8) -> list[Case]:
    """(r - lowest)/(highest - lowest) against the printed rewards."""
    return [
        Case(f"r{pair}", Fraction(raw - lowest, highest - lowest), PRINTED[pair], "==")
        for pair, raw in RAW.items()
    ]


@scaled("parameters", "exact fractions and balls of 128 bits")
def parameters(effort: Effort, first: int) -> list[Case]:
    """What alg: CTUCB requires of its inputs, with the accuracies from episode ``first`` on."""
    rates = sorted({row.rate for row in paper_example().transitions})
    found = [Case("δ > 0", 0, Fraction(1, 20), "<"), Case("δ < 1", Fraction(1, 20), 1, "<")]
    found += [Case(f"rate {rate} <= λmax", rate, 7, "<=") for rate in rates]
    found += [Case(f"reward {r} <= 1", r, 1, "<=") for r in PRINTED.values()]
    for k in range(first, effort.scaled(100, 10_000)):
        with precision(BITS):
            epsilon = arb(1) / arb(k).sqrt()
        found.append(Case(f"ε_{k} < 1", epsilon, 1, "<", line="print(not 1/1**0.5 < 1)"))
    return found


# --- evaluation of a policy --------------------------------------------------------------------


def own_equation(semantics: str = COMMITTED) -> Search:
    """V^π at H against T^π V^π by quadrature of the definition (a mutant: V^π of another problem)."""

    def sides(policy: Policy) -> tuple[Any, Any]:
        model, value = policy.model, evaluate(policy, semantics, digits=15)
        state, t = model.initial_state, model.horizon
        chosen = policy.action(state, t)
        rows = tuple(row for row in model.transitions if row.state != state or row.action == chosen)
        held = CTMDP("held", model.states, model.actions, t, state, rows, model.terminal)

        def known(y: str, s: Any) -> Any:
            return value.value(y, min(max(as_fraction(s), Fraction(0)), t)).mid

        right = as_fraction(bellman(held, known, state, t, digits=12, breakpoints=policy.breakpoints))
        left = value.value(state)
        gap = max(abs(left.lower - right), abs(left.upper - right))
        return gap, TOLERANCE * t * (1 + model.max_rate * t)

    return Search(examples=(12, 100), given=played(COMMITTED), sides=sides, title="quadrature")


def held_at_first(policy: Policy) -> Policy:
    """The policy that always takes the actions at H, in the model that offers no others."""
    model, rules = policy.model, {x: policy.action(x, policy.model.horizon) for x in policy.model.states}
    rows = tuple(row for row in model.transitions if rules[row.state] == row.action)
    return Policy.of(replace(model, name="own", transitions=rows), rules)


def iterated(sooner: int = 0) -> Search:
    """V^π - u_n for policies that are constant in time, against E(t - Γ_n)⁺ (a mutant promises it early)."""

    def sides(example: tuple[Policy, int]) -> tuple[Any, Any]:
        policy, n = example
        held = held_at_first(policy)
        own, value = held.model, evaluate(held)
        iterate = ValueIteration(own, bits=64)[n - sooner]
        gaps = [value.value(x) - iterate.value(x, own.horizon) for x in own.states]
        bound = erlang_bound(own, n, own.horizon)
        return max(gaps, key=lambda gap: gap.mid), bound + TOLERANCE * own.horizon

    given = st.tuples(played(COMMITTED), st.integers(1, 4))
    return Search(examples=(20, 200), given=given, sides=sides, title="iteration")


def stopped(share: Fraction = Fraction(1)) -> Search:
    """What is left of V^π at u_n, the older of two iterates that differ by ε at H, against ε exp(λmax H)."""

    def sides(example: tuple[Policy, int]) -> tuple[Any, Any]:
        policy, n = example
        held = held_at_first(policy)
        own, value, iterates = held.model, evaluate(held), ValueIteration(held.model, bits=64)
        epsilon = iterates[n].distance(iterates[n + 1]).upper
        gaps = [value.value(x) - iterates[n].value(x, own.horizon) for x in own.states]
        with precision(BITS):
            growth = arb(rational(own.max_rate * own.horizon)).exp()
            bound = rational(share * epsilon) * growth + rational(TOLERANCE * own.horizon)
        return max(gaps, key=lambda gap: gap.mid), bound

    given = st.tuples(played(COMMITTED), st.integers(0, 4))
    return Search(examples=(20, 200), given=given, sides=sides, title="stopped")


# --- the figure --------------------------------------------------------------------------------


@cache
def average_regret(episodes: int, runs: int) -> Fraction:
    """The average regret of ``runs`` seeded runs of CT-UCBVI, told ``episodes``, on the paper's example."""
    from ctucbvi.study import Study, StudyResult, contestant, run_study  # compiled: slow to load

    model = paper_example()
    study = Study(model, Settings.for_model(model, episodes=episodes), 1, (contestant("ct-ucbvi"),))
    regrets = [run[-1] for run in StudyResult.of(run_study(study, runs)).curves[0].regrets]
    return Fraction(sum(Fraction(regret) for regret in regrets)) / runs


def bound_at(episodes: int) -> arb:
    """eq:regret-bound for the paper's example: S = A = 2, H = 1, λmin = 2, λmax = 7, ε_k = 1/√k.

    The sum of the accuracies is between 2√K - 2 and 2√K.
    """
    with precision(BITS):
        k, one = arb(episodes), arb(1)
        log_k, log_all = k.log(), (8 * k).log()
        radii = (4 + 6 * log_all).sqrt() + 28 * log_all.sqrt()
        learning = (
            3 * (7 / (one - (-7 * one).exp()) + 1) * (4 * k).sqrt() * 12 * log_k / (log_k + 1).log() * radii
        )
        sums = (2 * k.sqrt() - 2).union(2 * k.sqrt())
        return learning + (7 * one).exp() * sums + 1


def _slope(first: Fraction | arb, last: Fraction | arb) -> arb:
    """In the log-log plot, from one power of ten to the next."""
    with precision(BITS):
        return (as_ball(last) / as_ball(first)).log() / arb(10).log()


GROWTH_LINE = (
    "from proofs_checks.checks.simulation import average_regret as R, bound_at as b; "
    "print(R(10**4, 2)/R(10**3, 2) > 10**0.9 and b(10**4)/b(10**3) < 10**0.7)"
)


def growth(decades: tuple[int, ...], runs: tuple[int, int], thorough: tuple[int, ...] = ()) -> Computed:
    """The slopes of average regret and bound from 10^a to 10^(a+1) episodes, for several a."""

    def compute(effort: Effort) -> Outcome:
        found = []
        for low in decades if effort.profile == "quick" else (*decades, *thorough):
            high = low + 1
            ends = [average_regret(10**power, effort.scaled(*runs)) for power in (low, high)]
            measured = _slope(ends[0], ends[1])
            claimed = _slope(bound_at(10**low), bound_at(10**high))
            with precision(BITS):
                difference = abs(measured - claimed)
            description = (
                f"10^{low} to 10^{high} episodes: slopes {float(measured):.3f} and {float(claimed):.3f}"
            )
            found.append(Case(description, difference, Fraction(1, 5), "<=", line=GROWTH_LINE))
        return Outcome(found, method=f"averages of {effort.scaled(*runs)} seeded runs, each told its K")

    return Computed(compute, "slopes")
