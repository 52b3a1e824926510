r"""``alg:VI`` and the iteration of ``eq:Qa``: increasing, convergent, and where it stops.

:math:`V_{n+1} = G V_n` increases from :math:`V_0 = 0` because :math:`G` is monotone, and :math:`V^* - V_n`
is what is earned after the n-th jump: at most :math:`\mathbb E(t - \Gamma_n)^+`, with :math:`\Gamma_n` the
time of the n-th jump at the rate :math:`\lambda_{\max}`. The paper's :math:`\varrho^n`, :math:`\varrho = 1
- e^{-\lambda_{\max}H}`, is far larger
(:mod:`proofs_checks.iteration_speed`).

The model that counts its jumps (a state is a state and the number of jumps that still count) has the value
:math:`V_n` exactly. Its policies know that number. Those of the paper know only the state and the remaining
time, and where the best actions with one and with two jumps to go differ, no such policy is best for both.
By hand: in each of three states, that lead to both others alike, :math:`a` earns 1 and is left at rate 10,
:math:`b` earns 1/2 and is left at rate 1/1000. With time 1/2 and one jump to go :math:`b` earns 0.2499 and
:math:`a` 0.0993; with two to go :math:`a` and then :math:`b` earn at least 0.299, :math:`b` at most 0.2503.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from flint import arb

from proofs_checks.optimality_equation import paper_example
from proofs_checks.setting import PROOF, class_models
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.balls import precision, rational
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP

NOISE = Fraction(
    1, 2**40
)  # relative to the horizon: equal enclosures are told from unequal ones by this much

BITS = 128


@cache
def _moments() -> Any:
    """A model, a number of iterations and a remaining time."""
    from hypothesis import strategies as st

    models = st.one_of(st.just(paper_example()), class_models())
    return st.tuples(
        models, st.integers(1, 3), st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 9)])
    )


def increasing_iterates(*, truncate: bool, steps: int = 1) -> Search:
    """``V_n <= V_{n+steps}`` everywhere (a mutant looks backwards)."""
    from ctucbvi import ValueIteration

    def sides(example: tuple[CTMDP, int, Fraction]) -> tuple[Any, Any]:
        model, n, share = example
        model = model.with_rewards(3) if truncate else model  # with a bonus, so that min{t, ·} matters
        iterates, t = ValueIteration(model, truncate=truncate, bits=64), model.horizon * share
        gaps = [iterates[n].value(x, t) - iterates[n + steps].value(x, t) for x in model.states]
        return max(gaps, key=lambda gap: gap.mid), NOISE * model.horizon

    return Search(examples=(20, 200), given=_moments(), sides=sides, title="iterates increase")


def convergent_iterates(sooner: int = 0) -> Search:
    """``V* - V_n <= E(t - Γ_n)⁺`` everywhere (a mutant promises the bound for n - ``sooner`` iterations)."""
    from ctucbvi import ValueIteration, solve
    from ctucbvi.exact.iteration_bounds import erlang_bound

    def sides(example: tuple[CTMDP, int, Fraction]) -> tuple[Any, Any]:
        model, n, share = example
        t = model.horizon * share
        best, iterate = solve(model, resolve_policy=False), ValueIteration(model, bits=64)[n - sooner]
        gaps = [best.value(x, t) - iterate.value(x, t) for x in model.states]
        return max(gaps, key=lambda gap: gap.mid), erlang_bound(model, n, t) + NOISE * model.horizon

    return Search(examples=(20, 200), given=_moments(), sides=sides, title="iterates converge")


ITERATION = claim(
    "eq:Qa/iteration",
    "V*_n increases to V*, uniformly: it increases because T^a is monotone and V*_1 >= 0 = V*_0; and if "
    "the distance c of V*_n is at most b = ρⁿH, that of V*_{n+1}, d <= ρc, is at most ρb = ρⁿ⁺¹H, which "
    "tends to 0.",
    says="d <= rho*b",
    domain=Domain.of("0 < rho < 1", "b >= 0", "c >= 0", "d <= rho*c", "c <= b", reals="d"),
    source="eq:Qa",
    uses=("eq:Qa/monotone", "lem:optimism/contraction-max", "eq:Qa/optimality"),
    checks=(increasing_iterates(truncate=False), convergent_iterates(), *PROOF),
    argued="both inductions, and that ρⁿ tends to 0",
    expected="tested",
    latex=r"V^*_{n+1} \ge V^*_n, \quad \|V^*_n - V^*\|_\infty \to 0",
)


def counted(levels_more: int = 0) -> Search:
    """V_n against the value of the model that counts its jumps and earns nothing after the n-th."""
    from ctucbvi import ValueIteration, solve
    from ctucbvi.learning.estimated import layered

    def sides(example: tuple[CTMDP, int, Fraction]) -> tuple[Any, Any]:
        model, n, share = example
        t, levels = model.horizon * share, n + levels_more
        counting, iterate = (
            solve(layered(model, levels), resolve_policy=False),
            ValueIteration(model, bits=64)[n],
        )
        gaps = [counting.value(f"{i}.{levels}", t) - iterate.value(x, t) for i, x in enumerate(model.states)]
        return max(abs(end) for gap in gaps for end in (gap.lower, gap.upper)), NOISE * model.horizon

    return Search(examples=(20, 200), given=_moments(), sides=sides, title="jumps counted")


COUNT_LINE = "from math import exp; w = (1 - exp(-5))/10; print(w < 0.249 and w + 0.499*(1/2 - w) > 0.2503)"


@cache
def three_states() -> CTMDP:
    """The model of the module's text: a fast action that earns much, and a slow one."""
    from ctucbvi.model import CTMDP, Transition

    rows = [
        Transition.of(x, action, rate=rate, reward=reward, to={y: "1/2" for y in "xyz" if y != x})
        for x in "xyz"
        for action, rate, reward in (("a", 10, 1), ("b", "1/1000", "1/2"))
    ]
    return CTMDP.of("fast-and-slow", horizon=1, initial="x", transitions=rows)


def one_action_for(levels: tuple[int, int]) -> Computed:
    """What the best single action lacks, at remaining time 1/2, to the best with either number of jumps."""

    def compute(effort: Effort) -> Outcome:
        del effort
        from ctucbvi import solve
        from ctucbvi.learning.estimated import layered

        model, time = three_states(), Fraction(1, 2)
        solution = solve(layered(model, 3), digits=12)

        def lacks(action: str, left: int) -> Fraction:
            own = solution.commitment_value(f"1.{left}", action, time)
            return solution.value(f"1.{left}", time).lower - own.upper

        least = min(max(lacks(action, left) for left in levels) for action in model.actions)
        what = f"time 1/2, {levels[0]} or {levels[1]} transitions left: what one action for both lacks"
        return Outcome([Case(what, least, NOISE, "<=", line=COUNT_LINE)], method="12 certified digits")

    return Computed(compute, "one action for both")


FIRST_N = claim(
    "eq:Qa/first-n",
    "V*_n(x,t) is the largest expected reward up to the n-th transition or the end over the policies of the "
    "paper, maps of (x,t). (A state may be entered with one and with two transitions left at the same "
    "remaining times, whatever is played; then one action must be best for both.)",
    source="eq:Qa",
    checks=one_action_for((1, 2)),
    expected="refuted",
)
FIRST_N_REPAIRED = claim(
    "eq:Qa/first-n/repaired",
    "V*_n(x,t) is the largest expected reward up to the n-th transition or the end, over policies that may "
    "depend on the number of transitions made.",
    source="eq:Qa",
    kind=Kind.REPAIR,
    uses="eq:Qa/optimality",
    checks=counted(),
    expected="tested",
)


def undefined_reads(*, looks_back: bool, rounds: int) -> int:
    """How often the loop of alg:VI reads a V not yet computed: as printed, or with V_n from V_{n-1}."""
    defined, n, missing = {0}, 0, 0
    for _ in range(rounds):
        n = n + 1
        read, written = (n - 1, n) if looks_back else (n, n + 1)
        missing += read not in defined
        missing += n not in defined | {written}  # the stopping rule compares V_n with V_{n-1}
        defined.add(written)
    return missing


def indices(*, looks_back: bool) -> Computed:
    """The loop run on its indices alone."""

    def compute(effort: Effort) -> Outcome:
        rounds = effort.scaled(1000, 100_000)
        count = undefined_reads(looks_back=looks_back, rounds=rounds)
        line = "V = {0: 0}; n = 0; n = n + 1; print(n not in V)"
        case = Case("functions read before they are computed", count, 0, "==", line=line)
        return Outcome([case], box=f"the first {rounds} rounds")

    return Computed(compute, "indices")


INDICES = claim(
    "alg:VI/indices",
    "The iteration of alg:VI is well defined as printed: n is raised from 0 to 1, V_2 is computed from "
    "V_1, and so on.",
    source="alg:VI",
    checks=indices(looks_back=False),
    expected="refuted",
)

INDICES_REPAIRED = claim(
    "alg:VI/indices/repaired",
    "With V_n = min{t, max_a T^a V_{n-1}} after raising n, every function that is read has been computed.",
    source="alg:VI",
    kind=Kind.REPAIR,
    checks=indices(looks_back=True),
    expected="proved-on-box",
)


def rounds_needed(extra: int = 0) -> Search:
    """The rounds of alg:VI, with ε as a share of the horizon, against ln(H/ε)/(-ln ρ) + 2 - ``extra``."""
    from hypothesis import strategies as st

    from ctucbvi import algorithm2

    def sides(example: tuple[CTMDP, Fraction]) -> tuple[Any, Any]:
        model, share = example
        rounds = algorithm2(model, model.horizon * share).iterations
        with precision(BITS):
            rate = -(1 - (-arb(rational(model.max_rate * model.horizon))).exp()).log()
            return rounds, -arb(rational(share)).log() / rate + 2 - extra

    shares = st.sampled_from([Fraction(1, 2), Fraction(1, 10), Fraction(1, 50)])
    given = st.tuples(st.one_of(st.just(paper_example()), class_models()), shares)
    return Search(examples=(15, 150), given=given, sides=sides, title="rounds")


STOPS = claim(
    "alg:VI/stops",
    "The iteration stops: ‖V_{n+1} - V_n‖ <= ρⁿH, and with ρ = exp(-c) this is at most ε = H exp(-g) as "
    "soon as cn >= g, that is after at most ln(H/ε)/(-ln ρ) + 2 rounds, for every ε > 0 (with λmax H = 7 "
    "and ε = H/10 that is 2525; 4 suffice).",
    says="exp(-c*n) <= exp(-g)",
    domain=Domain.of("c > 0", "n >= 1", "g <= c*n", integers="n", reals="g"),
    source="alg:VI",
    uses="lem:optimism/contraction-truncated",
    checks=(rounds_needed(), *PROOF),
    argued="that the distances are at most ρⁿH, by induction",
    expected="tested",
)

MONO = claim(
    "eq:mono",
    "H >= V̂_{n+1} >= V̂_n: V̂_1 >= 0 = V̂_0; if V̂_{n-1} <= V̂_n then a = max T^{a,k}V̂_{n-1} <= b = max "
    "T^{a,k}V̂_n, and u = min{t,a} is at most min{t,b}, that is at most t and at most b. And min{t,b} <= t "
    "<= H.",
    says="u <= s*t + (1 - s)*b",
    domain=Domain.of("0 <= s <= 1", "u <= t", "u <= a", "a <= b", reals="u t a b"),
    source="eq:mono",
    kind=Kind.STEP,
    uses="eq:Qa/monotone",
    checks=(increasing_iterates(truncate=True), *PROOF),
    argued="the induction over n, and that min{t,b} is the case s = 1 or s = 0",
    expected="tested",
    latex=r"H \ge \hat V^k_{n+1}(x,t) \ge \hat V^k_n(x,t)",
)

CLAIMS = (
    ITERATION,
    FIRST_N,
    FIRST_N_REPAIRED,
    INDICES,
    INDICES_REPAIRED,
    STOPS,
    MONO,
)

MUTANTS: Mapping[str, Claim] = {
    "eq:Qa/iteration": replace(ITERATION, checks=(convergent_iterates(sooner=1),)),
    "eq:Qa/first-n": replace(FIRST_N, checks=(one_action_for((2, 2)),)),  # true: one number of transitions
    "eq:Qa/first-n/repaired": replace(FIRST_N_REPAIRED, checks=(counted(levels_more=1),)),
    "alg:VI/indices": replace(INDICES, checks=(indices(looks_back=True),)),  # the repaired loop
    "alg:VI/indices/repaired": replace(INDICES_REPAIRED, checks=(indices(looks_back=False),)),
    "alg:VI/stops": replace(STOPS, checks=(rounds_needed(extra=100),)),
    "eq:mono": replace(MONO, checks=(increasing_iterates(truncate=True, steps=-1),)),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "eq:Qa/first-n": {
        "breaks": "remark",
        "summary": "The policies of the paper know the state and the remaining time, and not how many "
        "transitions are left. With a fast action (reward 1, rate 10) and a slow one (1/2, 1/1000) in each "
        "of three states, n = 3: at remaining time 1/2 the slow one is best with one transition left "
        "(0.2499 against 0.0993) and the fast one with two (0.299 against 0.2503), in the same state. So no "
        "policy earns V*_3; policies that count do. The paper offers it as an intuition; no proof uses it.",
        "repair": "eq:Qa/first-n/repaired",
    },
    "alg:VI/indices": {
        "breaks": "notation",
        "summary": "n is raised before V_{n+1} is computed from V_n, so the first round reads V_1, which "
        "nothing has defined, and V_0 is never used. What is meant is V_n from V_{n-1}.",
        "repair": "alg:VI/indices/repaired",
    },
}
