"""Values of policies by either clock, and greedy policies on grids."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import floor
from typing import Any

from hypothesis import strategies as st

from ctucbvi import Policy, evaluate, solve
from ctucbvi.enclosure import Enclosure
from ctucbvi.model import CTMDP, Transition
from ctucbvi.second_opinion import as_fraction, bellman
from proofs_checks.checks.common import cases, scaled
from proofs_checks.checks.optimality import TOLERANCE, paper_example
from proofs_checks.checks.setting import class_models
from verify.claims import Effort
from verify.provers.computed import Case
from verify.provers.search import Search

CLOCK_LINE = "from math import exp; print(2/5 > exp(-2/5) - 3/5 + 0.3)"


# --- the clock ---------------------------------------------------------------------------------


@cache
def early_bird() -> Policy:
    """The policy of :mod:`proofs_checks.setting.model`: ``a`` while at least 1/2 remains, then ``b``."""
    rows = [
        Transition.of(here, action, rate=1, reward=reward, to={there: 1})
        for here, there in (("x", "y"), ("y", "x"))
        for action, reward in (("a", 1), ("b", 0))
    ]
    model = CTMDP.of("turns", horizon=1, initial="x", transitions=rows)
    return Policy.of(model, {state: [(0, "b"), ("1/2", "a")] for state in "xy"})


def value_by_clock(policy: Policy, state: str, t: Fraction, *, printed: bool) -> Enclosure:
    """``V^π(state, t)`` with ``a_n = π(x_n, H - t_n)`` as printed, or with ``t - t_n``."""
    model, ahead = policy.model, policy.model.horizon - t if printed else Fraction(0)
    rules: dict[str, list[tuple[Fraction, str]]] = {}
    for x in model.states:
        starts = [start - ahead for start in policy.breakpoints if 0 < start - ahead < t]
        rules[x] = [(s, policy.action(x, s + ahead)) for s in (Fraction(0), *starts)]
    return evaluate(Policy.of(replace(model, horizon=t), rules), digits=15).value(state)


@scaled("clock", "exact evaluation against quadrature of the definition")
def clocks(effort: Effort, *, printed: bool) -> list[Case]:
    """``V^π`` against one application of ``T^π``, by quadrature of its definition."""
    policy = early_bird()
    model, found = policy.model, []

    @cache
    def value(y: str, s: Fraction) -> Enclosure:
        return value_by_clock(policy, y, s, printed=printed)

    def known(y: str, s: Any) -> Fraction:
        time = as_fraction(s)
        return value(y, time).mid if time > 0 else Fraction(0)

    for share in (Fraction(2, 5), Fraction(1), Fraction(7, 10))[: effort.scaled(2, 3)]:
        chosen = policy.action("x", share)
        rows = tuple(
            row for row in model.transitions if (row.state, row.action) in {("x", chosen), ("y", "a")}
        )
        held = replace(model, transitions=rows)
        kinks = (*policy.breakpoints, 1 - share if printed else Fraction(0))
        right = as_fraction(bellman(held, known, "x", share, digits=12, breakpoints=kinks))
        gap = abs(value("x", share).mid - right)
        found.append(Case(f"t = {share}: |V^π - T^π V^π|", gap, TOLERANCE, "<=", line=CLOCK_LINE))
    return found


def nearly_greedy(share: Fraction = Fraction(1)) -> Search:
    """What the action of the last or the nearest grid point lacks at t, against ``share``·2(1 + λmax H)·step.

    At 0 all actions are worth the same: there the nearest is the first one above, as for the learner.
    """

    def sides(example: tuple[CTMDP, int, Fraction]) -> tuple[Any, Any]:
        model, steps, part = example
        solution, step, t = solve(model, resolve_policy=False), model.horizon / steps, model.horizon * part
        points, lost = {floor(t / step), max(floor(t / step + Fraction(1, 2)), 1)}, []
        for x, i in product(model.states, sorted(points)):
            scores = {a: solution.commitment_value(x, a, step * i).mid for a in model.actions_of(x)}
            taken = max(scores, key=lambda a: scores[a])
            lost.append(solution.value(x, t) - solution.commitment_value(x, taken, t))
        bound = share * 2 * (1 + model.max_rate * model.horizon) * step
        return max(lost, key=lambda gap: gap.mid), bound + TOLERANCE * model.horizon

    models = st.one_of(st.just(paper_example()), class_models())
    parts = st.sampled_from([Fraction(49, 50), Fraction(3, 10), Fraction(1), Fraction(1, 7)])
    given = st.tuples(models, st.sampled_from([3, 10, 100]), parts)
    return Search(examples=(60, 600), given=given, sides=sides, title="grids")


@cases("ties", "15 certified digits", complete=True)
def ties(rewards: tuple[Fraction, Fraction]) -> list[Case]:
    """Values of the policies that are greedy in the first episode, where the scores are (r + b)t.

    In ``x`` the actions lead to ``y``, which earns 1, and to ``z``, which earns nothing; both lead back.
    """
    rows = [
        Transition.of("x", a, rate=1, reward=r, to={y: 1})
        for a, r, y in zip("ab", rewards, "yz", strict=True)
    ]
    rows += [
        Transition.of(y, a, rate=1, reward=r, to={"x": 1}) for y, r in (("y", 1), ("z", 0)) for a in "ab"
    ]
    model = CTMDP.of("tied", horizon=1, initial="x", transitions=rows)
    greedy = [a for a, r in zip("ab", rewards, strict=True) if r == max(rewards)]
    values = [
        evaluate(Policy.of(model, {"x": a, "y": "a", "z": "a"}), digits=15).value("x").mid for a in greedy
    ]
    gap = max(values) - min(values)
    what = f"rewards {rewards[0]} and {rewards[1]}: values of greedy policies of episode 1 differ by"
    return [Case(what, gap, Fraction(1, 4), ">=")]
