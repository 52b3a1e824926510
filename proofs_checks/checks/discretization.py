"""The discretised problem on grids, exactly."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any

from flint import arb
from hypothesis import strategies as st

from ctucbvi import solve
from ctucbvi.model import CTMDP
from proofs_checks.checks.common import scaled
from proofs_checks.checks.hjb import one_speed
from proofs_checks.checks.optimality import ADJUSTABLE, paper_example
from proofs_checks.checks.setting import class_models
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.computed import Case
from verify.provers.search import Search

BITS = 128


def most_jumps(share: Fraction = Fraction(1)) -> Search:
    """The largest expected number of jumps, as the value with the reward rate λ, against ``share``·λmax H."""

    def sides(model: CTMDP) -> tuple[Any, Any]:
        rows = tuple(replace(row, reward=row.rate) for row in model.transitions)
        counting = CTMDP(
            "jumps", model.states, model.actions, model.horizon, model.initial, rows, model.terminal
        )
        values = [solve(counting, resolve_policy=False).value(x) for x in model.states]
        mean = model.max_rate * model.horizon
        return max(values, key=lambda value: value.mid), share * mean + mean / 2**40

    return Search(examples=(40, 500), given=class_models(), sides=sides, title="expected jumps")


def best_on_grid(model: CTMDP, steps: int) -> Fraction:
    """The value of the initial state in the discretised model, to first order in Δ = H/steps, rounded down.

    One step keeps the state with probability 1 - λΔ; sums are rounded down to multiples of 2^-80, which costs
    at most 2^-80 each.
    """
    unit = 2**80
    delta = model.horizon / steps
    index = {x: i for i, x in enumerate(model.states)}
    rows = [
        (
            index[row.state],
            int(row.reward * delta * unit),
            row.rate * delta,
            [(index[y], p) for y, p in row.to],
        )
        for row in model.transitions
    ]
    values = [0] * len(model.states)
    for _ in range(steps):
        new = [0] * len(values)
        for x, reward, part, law in rows:
            later = sum(p * values[y] for y, p in law)
            new[x] = max(new[x], reward + int((1 - part) * values[x] + part * later))
        values = new
    return Fraction(values[index[model.initial_state]], unit)


GRID_LINE = (
    "from functools import reduce; M = [(.85, 3, 1), (1, 5, 1), (.4, 2, 0), (0, 7, 0)]; d = 1/2000; "
    "top = lambda z: [max(z[:2]), max(z[2:])]; "
    "v = reduce(lambda v, _: top([d*r + (1 - d*l)*v[1-y] + d*l*v[y] for r, l, y in M]), range(2000), [0]*2); "
    "print(v[0] > 0.64106 + 0.003)"
)


@scaled("discretised values", "exact recursion, rounded to 2^-80 per step")
def grid_limit(effort: Effort, semantics: str) -> list[Case]:
    """The discretised value of the paper's example against that of a problem in continuous time."""
    model = paper_example()
    goal = solve(model, semantics, digits=15).value(model.initial_state)
    listed = []
    for steps in (1000, 2000, *((20_000,) if effort.profile != "quick" else ())):
        found = best_on_grid(model, steps)
        # An explicit Euler scheme for the HJB equation, off by at most 7Δ/2 (eq:hjb-pde/euler).
        gap = max(abs(found - goal.lower), abs(found - goal.upper))
        description = f"Δ = 1/{steps}: distance of the discretised value from the {semantics} one"
        allowed = Fraction(1, 1000) if steps >= 2000 else Fraction(1, 500)
        listed.append(Case(description, gap, allowed, "<=", line=GRID_LINE))
    return listed


@scaled("one policy sampled", "closed form in balls of 128 bits")
def sampled_policy(effort: Effort, share: Fraction = Fraction(1)) -> list[Case]:
    """The paper's example under 'always slow', in closed form: its value, sampled and not, against the bound.

    Operating at time u has probability 2/5 + 3/5 exp(-5u); rewards 17/20 and 8/20.
    """
    found = []
    for steps in range(1, effort.scaled(40, 400)):
        with precision(BITS):
            decay, delta = (-arb(5) / steps).exp(), arb(1) / steps
            held = delta * (1 - (-arb(5)).exp()) / (1 - decay)  # Δ Σ exp(-5jΔ)
            exact = (1 - (-arb(5)).exp()) / 5
            gap = arb(rational(Fraction(9, 20) * Fraction(3, 5))) * (held - exact)
            bound = share * Fraction(3, 2) / steps  # λmax H Δ/2: the rates are 3 and 2
        found.append(Case(f"always slow, Δ = 1/{steps}", abs(gap), bound, "<="))
    return found


def euler_errors(share: Fraction = Fraction(1)) -> Search:
    """The distance of the Euler scheme from the solution, against ``share``·λmax H h/2."""

    def sides(example: tuple[CTMDP, int]) -> tuple[Any, Any]:
        model, more = example
        steps = ceil(model.max_rate * model.horizon) * more  # so that λmax h <= 1
        exact, found = (
            solve(model, ADJUSTABLE, digits=15).value(model.initial_state),
            best_on_grid(model, steps),
        )
        bound = share * model.max_rate * model.horizon * (model.horizon / steps) / 2
        rounding = Fraction(steps, 2**70) + model.horizon / 10**12
        return max(abs(exact.lower - found), abs(exact.upper - found)), bound + rounding

    short = replace(one_speed(), horizon=Fraction(1, 2))  # one step is off by 3/4 of the bound
    models = st.one_of(st.sampled_from([short, paper_example()]), class_models())
    given = st.tuples(models, st.sampled_from([1, 2, 10]))
    return Search(examples=(40, 400), given=given, sides=sides, title="Euler steps")
