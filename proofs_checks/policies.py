r"""Policies as functions of state and time: which clock they read, whether they are measurable, and grids.

*The clock.* The paper lets a policy choose :math:`a_n = \pi(x_n, (H - t_n)^+)` also in :math:`V^\pi(x,t)`
with :math:`t < H`.  There :math:`t - t_n` remains, not :math:`H - t_n`, and :math:`V^\pi = \mathcal T^\pi
V^\pi` fails. By hand: two states that take turns at rate 1, :math:`H = 1`, action :math:`a` earns 1 and
:math:`b` nothing, and :math:`\pi` takes :math:`a` while more than 1/2 remains.  At :math:`t = 2/5` every
decision is made with :math:`H - t_n \ge 3/5`, so :math:`V^\pi(x,2/5) = 2/5`; but :math:`\mathcal T^\pi` takes
:math:`b` there and gives :math:`\int_0^{2/5}e^{-s}(2/5-s)ds = e^{-2/5}-3/5 < 0.08`.  With :math:`a_n =
\pi(x_n, (t - t_n)^+)` it holds, and all proofs mean this.  :math:`V^*`, a supremum for each :math:`t`, is the
same in both readings.

*Grids.* :math:`f_a(t) = \mathcal T^au(x,t)` has slope :math:`re^{-\lambda t} + \lambda(m - n)`, with
:math:`m` the mean of :math:`u` over the next state at remaining time :math:`t`, and :math:`n` an average of
such means.  So it moves by at most :math:`(r + \lambda\sup u)` per unit of time: the best of finitely many
actions can be chosen measurably, and the best action of a grid point is nearly best within a step of it.
Its *value* need not be near: where two actions tie in the estimated model, as in the first episode, rounding
decides between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import floor
from typing import TYPE_CHECKING, Any

from proofs_checks.optimality_equation import TOLERANCE, paper_example
from proofs_checks.setting import PROOF, class_models
from proofs_checks.variants import changed
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

if TYPE_CHECKING:
    from ctucbvi.enclosure import Enclosure
    from ctucbvi.model import CTMDP
    from ctucbvi.policy import Policy

CLOCK_LINE = "from math import exp; print(2/5 > exp(-2/5) - 3/5 + 0.3)"
TIE_LINE = "from math import exp; print(1/2 - (1 - exp(-2))/4 > 0.28)"


# --- the clock ---------------------------------------------------------------------------------


@cache
def early_bird() -> Policy:
    """The policy of the module's text: ``a`` while at least 1/2 remains, then ``b``."""
    from ctucbvi import Policy
    from ctucbvi.model import CTMDP, Transition

    rows = [
        Transition.of(here, action, rate=1, reward=reward, to={there: 1})
        for here, there in (("x", "y"), ("y", "x"))
        for action, reward in (("a", 1), ("b", 0))
    ]
    model = CTMDP.of("turns", horizon=1, initial="x", transitions=rows)
    return Policy.of(model, {state: [(0, "b"), ("1/2", "a")] for state in "xy"})


def value_by_clock(policy: Policy, state: str, t: Fraction, *, printed: bool) -> Enclosure:
    """``V^π(state, t)`` with ``a_n = π(x_n, H - t_n)`` as printed, or with ``t - t_n``."""
    from ctucbvi import Policy, evaluate

    model, ahead = policy.model, policy.model.horizon - t if printed else Fraction(0)
    rules: dict[str, list[tuple[Fraction, str]]] = {}
    for x in model.states:
        starts = [start - ahead for start in policy.breakpoints if 0 < start - ahead < t]
        rules[x] = [(s, policy.action(x, s + ahead)) for s in (Fraction(0), *starts)]
    return evaluate(Policy.of(replace(model, horizon=t), rules), digits=15).value(state)


def clocks(*, printed: bool) -> Computed:
    """``V^π`` against one application of ``T^π``, by quadrature of its definition."""

    def compute(effort: Effort) -> Outcome:
        from ctucbvi.second_opinion import as_fraction, bellman

        policy = early_bird()
        model, cases = policy.model, []

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
            cases.append(Case(f"t = {share}: |V^π - T^π V^π|", gap, TOLERANCE, "<=", line=CLOCK_LINE))
        return Outcome(cases, method="exact evaluation against quadrature of the definition")

    return Computed(compute, "clock")


CLOCK = claim(
    "eq:FH-control/clock",
    "V^π of eq:FH-control, with the actions a_n = π(x_n, (H - t_n)⁺) as printed, satisfies V^π = T^π V^π at "
    "every remaining time t <= H.",
    source="eq:FH-control",
    kind=Kind.STEP,
    checks=clocks(printed=True),
    expected="refuted",
    latex=r"a_n = \pi(x_n,(H-t_n)^+) \implies V^\pi(x,t) = \mathcal T^\pi V^\pi(x,t)",
)
CLOCK_REPAIRED = claim(
    "eq:FH-control/clock/repaired",
    "With a_n = π(x_n, (t - t_n)⁺) in V^π(x,t), V^π = T^π V^π holds at every remaining time. This is what "
    "eq:Vpik, the verification of eq:Qa and the evaluation of policies mean; at t = H the readings agree.",
    source="eq:FH-control",
    kind=Kind.REPAIR,
    uses="sec:simulation/evaluation",
    checks=clocks(printed=False),
    expected="tested",
    latex=r"a_n = \pi(x_n,(t-t_n)^+) \implies V^\pi(x,t) = \mathcal T^\pi V^\pi(x,t)",
)

# --- grids -------------------------------------------------------------------------------------

_SLOPES = Domain.of("l >= 0", "t >= 0", "r >= 0", "M >= 0", "m >= 0", "m <= M", "n >= 0", "n <= M")
RISE = claim(
    "remark:integral/rise",
    "As a function of t, T^a u has a slope of at most r + λM for 0 <= u <= M: the slope is r exp(-λt) + λ(m "
    "- n), with m and n in [0, M].",
    says="r*exp(-l*t) + l*m - l*n <= r + l*M",
    domain=_SLOPES,
    source="eq:Tak",
    kind=Kind.STEP,
    checks=PROOF,
    expected="proved",
)
FALL = claim(
    "remark:integral/fall",
    "And of at least -λM.",
    says="-l*M <= r*exp(-l*t) + l*m - l*n",
    domain=_SLOPES,
    source="eq:Tak",
    kind=Kind.STEP,
    checks=PROOF,
    expected="proved",
)


def nearly_greedy(share: Fraction = Fraction(1)) -> Search:
    """What the action of the last or the nearest grid point lacks at t, against ``share``·2(1 + λmax H)·step.

    At 0 all actions are worth the same: there the nearest is the first one above, as for the learner.
    """
    from hypothesis import strategies as st

    from ctucbvi import solve

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


GRID = claim(
    "remark:integral/grid",
    "A policy that keeps the best action of a grid point at most a step away, the last or the nearest one, "
    "is nearly greedy: with step s and L = r + b + λmax sup u it lacks at most 2Ls. From the grid point to t "
    "the score of its action falls from v by at most Ls to x, that of another rises from w <= v by at most "
    "Ls to y.",
    says="y - x <= 2*L*s",
    domain=Domain.of("L >= 0", "s >= 0", "v - x <= L*s", "y - w <= L*s", "w <= v", reals="v w x y"),
    source="eq:Tak",
    uses=("remark:integral/rise", "remark:integral/fall"),
    checks=(nearly_greedy(), *PROOF),
    argued="that a bound on the slope bounds a difference",
    expected="tested",
)


def ties(rewards: tuple[Fraction, Fraction]) -> Computed:
    """Values of the policies that are greedy in the first episode, where the scores are (r + b)t.

    In ``x`` the actions lead to ``y``, which earns 1, and to ``z``, which earns nothing; both lead back.
    """

    def compute(effort: Effort) -> Outcome:
        del effort
        from ctucbvi import Policy, evaluate
        from ctucbvi.model import CTMDP, Transition

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
        return Outcome([Case(what, gap, TOLERANCE, "<=", line=TIE_LINE)], method="15 certified digits")

    return Computed(compute, "ties")


GRID_POLICY = claim(
    "remark:integral/policy",
    "The approximation error tends to 0 with the grid size also in this sense: the value of a policy that "
    "is greedy at the grid points up to a rounding error tends to that of π^k with ties broken in a fixed "
    "order. (In episode 1 all λ̂ are 0 "
    "and all bonuses equal, so actions of equal reward tie at every t, and rounding picks one of them.)",
    source="eq:Tak",
    kind=Kind.STEP,
    checks=ties((Fraction(0), Fraction(0))),
    expected="refuted",
)

MEASURABLE = claim(
    "eq:pi-k/measurable",
    "π^k, and the policy of the verification of eq:Qa, can be chosen measurable in t, as V^π needs: take "
    "the first maximising action in some order. Its set of times is where finitely many functions that are "
    "continuous (a change of t by e moves them by at most d = Le, L = r + λM, which is below any c > 0 for "
    "small e) are ordered in one way.",
    says="d < c",
    domain=Domain.of("c > 0", "L >= 0", "e >= 0", "d <= L*e", "(L + 1)*e < c", reals="d"),
    source="eq:pi-k",
    uses=("remark:integral/rise", "remark:integral/fall"),
    checks=PROOF,
    argued="that sets on which continuous functions are ordered in one way are Borel sets",
    expected="assumed",
)

CLAIMS = (CLOCK, CLOCK_REPAIRED, RISE, FALL, GRID, GRID_POLICY, MEASURABLE)

MUTANTS: Mapping[str, Claim] = {
    "eq:FH-control/clock": replace(CLOCK, checks=(clocks(printed=False),)),  # true: must not be refuted
    "eq:FH-control/clock/repaired": replace(CLOCK_REPAIRED, checks=(clocks(printed=True),)),
    "remark:integral/rise": changed(RISE, "r*exp(-l*t) + l*m - l*n <= r + l*M/2"),
    "remark:integral/fall": changed(FALL, "-l*M/2 <= r*exp(-l*t) + l*m - l*n"),
    "remark:integral/grid": changed(GRID, "y - x <= L*s"),
    "remark:integral/policy": replace(  # no tie: true
        GRID_POLICY, checks=(ties((Fraction(1, 2), Fraction(0))),)
    ),
    "eq:pi-k/measurable": changed(MEASURABLE, "d < c/2"),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "eq:FH-control/clock": {
        "breaks": "notation",
        "summary": "In V^π(x,t) with t < H the action is read off at H - t_n, although only t - t_n "
        "remains. As written V^π = T^π V^π, which eq:Vpik and sec:simulation use for t < H, fails: two "
        "states that take turns at rate 1, H = 1, reward 1 while more than 1/2 remains and 0 after: "
        "V^π(x,2/5) = 2/5 and T^π V^π(x,2/5) = exp(-2/5) - 3/5 = 0.07. Read a_n = π(x_n, (t - t_n)⁺); V* "
        "and the regret, at t = H, are not affected.",
        "repair": "eq:FH-control/clock/repaired",
    },
    "remark:integral/policy": {
        "breaks": "remark",
        "summary": "A policy computed on a grid is greedy up to 2(r + b + λmax H) times the step, but its "
        "value need not be near that of π^k: where two actions tie exactly in the estimated model, as "
        "actions of equal reward do in the first episode, any rounding decides between them. (The paper "
        "does not mention rounding, and every such policy is a π^k.) No proof uses it, and every greedy "
        "policy has the regret bound.",
        "repair": "remark:integral/grid",
    },
}
