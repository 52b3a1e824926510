"""The two problems on models small enough to be worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from hypothesis import strategies as st

from ctucbvi import evaluate, solve
from ctucbvi.enclosure import Enclosure
from ctucbvi.exact import Solution
from ctucbvi.model import CTMDP, Transition
from proofs_checks.checks.common import cases, scaled
from proofs_checks.checks.optimality import ADJUSTABLE, COMMITTED, TOLERANCE, paper_example
from proofs_checks.checks.setting import class_models
from verify.claims import Effort
from verify.provers.computed import Case
from verify.provers.search import Search

# Explicit Euler steps for both systems of the paper's example: off by at most 7h/2 (eq:hjb-pde/euler).
EULER_LINE = (
    "from functools import reduce; M = [(.85, 3, 1), (1, 5, 1), (.4, 2, 0), (0, 7, 0)]; h, n = 5e-5, "
    "range(20000); top = lambda z: [max(z[:2]), max(z[2:])]; q = reduce(lambda q, _: [x + h*(r - l*x + "
    "l*top(q)[y]) for x, (r, l, y) in zip(q, M)], n, [0]*4); v = reduce(lambda v, _: [u + h*w for u, w in "
    "zip(v, top([r - l*v[1-y] + l*v[y] for r, l, y in M]))], n, [0]*2); print(v[0] - top(q)[0] > 0.003)"
)


HAND_LINE = (
    "from math import exp; V = (1 - exp(-2))/2; print(V > 1 - exp(-1/2) and 1/2 - V/2 > 1/4 > exp(-2))"
)


@cache
def two_speeds() -> CTMDP:
    """The model of :mod:`proofs_checks.planning.hjb`, H = 2; two states that earn nothing take turns."""
    fast = Transition.of("x", "a", rate=2, reward=1, to={"y": 1})
    slow = Transition.of("x", "b", rate="1/2", reward="1/2", to={"y": 1})
    idle = [
        Transition.of(here, action, rate=1, reward=0, to={there: 1})
        for here, there in (("y", "z"), ("z", "y"))
        for action in "ab"
    ]
    return CTMDP.of("two-speeds", horizon=2, initial="x", transitions=[fast, slow, *idle])


@cache
def one_speed() -> CTMDP:
    """The same with one action: there is nothing to change, and both conditions describe one value."""
    model = two_speeds()
    rows = tuple(row for row in model.transitions if row.action == "a")
    return CTMDP(
        "one-speed",
        model.states,
        ("a",),
        model.horizon,
        model.initial_state,
        rows,
        (Fraction(0),) * len(model.states),
    )


def slopes(solution: Solution, state: str, t: Fraction) -> tuple[Enclosure, Enclosure]:
    """``∂V*`` and the right side of the HJB equation, where one action is best to commit to."""
    model = solution.model
    found: dict[str, Enclosure] = {}
    for row in (row for row in model.transitions if row.state == state):
        later = [(solution.value(y, t), p) for y, p in row.to]
        own = solution.value(state, t)
        low = row.reward - row.rate * own.upper + row.rate * sum(v.lower * p for v, p in later)
        high = row.reward - row.rate * own.lower + row.rate * sum(v.upper * p for v, p in later)
        found[row.action] = Enclosure(Fraction(low), Fraction(high))
    best = max(found, key=lambda action: solution.commitment_value(state, action, t).mid)
    top = Enclosure(max(s.lower for s in found.values()), max(s.upper for s in found.values()))
    return found[best], top


@scaled("slopes", "V* of the committed problem with 20 certified digits")
def hjb_residual(effort: Effort, *names: str) -> list[Case]:
    """The right side of the HJB equation at V* against ∂V*, at times where the best action is unique."""
    models = {"two-speeds": two_speeds, "one-speed": one_speed, "machine-repair": paper_example}
    found = []
    for name in names:
        solution = solve(models[name](), digits=20)
        points = effort.scaled(10, 100)
        for i in range(points // 2, points):
            t = solution.model.horizon * Fraction(i, points)
            slope, top = slopes(solution, solution.model.initial_state, t)
            again = HAND_LINE if name == "two-speeds" else ""
            found.append(
                Case(
                    f"{name}, {solution.model.initial_state}, t = {t}",
                    top,
                    slope + TOLERANCE,
                    "<=",
                    line=again,
                )
            )
    return found


@cases("two values", "both problems with 20 certified digits")
def two_values(*names: str) -> list[Case]:
    """The value of the HJB equation against the fixed point of G, at the horizon."""
    models = {"two-speeds": two_speeds, "one-speed": one_speed, "machine-repair": paper_example}
    found = []
    for name in names:
        model = models[name]()
        hjb, fixed = (
            solve(model, kind, digits=20).value(model.initial_state) for kind in (ADJUSTABLE, COMMITTED)
        )
        again = EULER_LINE if name == "machine-repair" else ""
        gap = hjb - fixed
        found.append(Case(f"{name}: HJB value minus fixed point of G", gap, TOLERANCE, "<=", line=again))
    return found


POLICY_LINE = "from math import exp; V = (1 - exp(-2))/2; print(V > 1/3 and 1 - exp(-1/2) < V)"


@cases("greedy policies", "both values with 20 certified digits")
def greedy_policies(*times: tuple[str, Fraction]) -> list[Case]:
    """What the policy that maximises the right side of the HJB equation earns, played at jumps, and V*."""
    models = {"two-speeds": two_speeds, "one-speed": one_speed, "machine-repair": paper_example}
    found = []
    for name, t in times:
        model = models[name]()
        greedy = evaluate(solve(model, ADJUSTABLE, digits=20).policy(), COMMITTED, digits=20)
        lost = solve(model, COMMITTED, digits=20).value(model.initial_state, t) - greedy.value(
            model.initial_state, t
        )
        again = POLICY_LINE if name == "two-speeds" else ""
        found.append(Case(f"{name}, t = {t}: V* minus its value", lost, TOLERANCE, "<=", line=again))
    return found


def constant_maximisers(known: bool = True) -> Search:
    """Whether the two values agree exactly where every state has an action that is always best."""

    def holds(model: CTMDP) -> bool | None:
        hjb, fixed = solve(model, ADJUSTABLE, digits=20), solve(model, resolve_policy=False, digits=20)
        if hjb.undecided:
            return None
        constant = [bool(set.intersection(*(set(s.actions) for s in hjb.segments(x)))) for x in model.states]
        gaps = [hjb.value(x) - fixed.value(x) for x in model.states]
        if all(constant) is known:
            return all(abs(end) < TOLERANCE for gap in gaps for end in (gap.lower, gap.upper))
        return True if any(gap.lower > 0 for gap in gaps) else None

    def line(model: CTMDP) -> str:
        return (
            "from fractions import Fraction; from ctucbvi.model import CTMDP, Transition; "
            f"from proofs_checks.checks.hjb import differ; print(differ({model!r}))"
        )

    drawn = st.one_of(st.sampled_from([one_speed(), paper_example(), two_speeds()]), class_models())
    return Search(examples=(60, 600), given=drawn, holds=holds, line=line, title="constant maximisers")


def differ(model: CTMDP) -> bool:
    """Whether the two values of some state are certainly different."""
    hjb, fixed = solve(model, ADJUSTABLE, digits=20), solve(model, digits=20)
    return any(not hjb.value(x).overlaps(fixed.value(x)) for x in model.states)


def exceeds(smaller: str = COMMITTED, larger: str = ADJUSTABLE) -> Search:
    """The values of one problem against those of the other."""

    def sides(model: CTMDP) -> tuple[Any, Any]:
        low = solve(model, smaller, resolve_policy=False)
        high = solve(model, larger, resolve_policy=False)
        worst = max((low.value(x) - high.value(x) for x in model.states), key=lambda gap: gap.mid)
        return worst, TOLERANCE * model.horizon

    drawn = st.one_of(st.just(paper_example()), class_models())
    return Search(examples=(60, 600), given=drawn, sides=sides, title="both values")
