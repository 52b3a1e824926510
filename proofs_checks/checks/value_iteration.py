"""Iterates of value iteration, the printed loop, and how fast it converges."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

from flint import arb
from hypothesis import strategies as st

from ctucbvi import ValueIteration, algorithm2, solve
from ctucbvi.exact.iteration_bounds import erlang_bound, poisson_at_least
from ctucbvi.learning.estimated import layered
from ctucbvi.model import CTMDP, Transition
from proofs_checks.checks.common import cases, scaled
from proofs_checks.checks.optimality import paper_example
from proofs_checks.checks.setting import class_models
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.comparison import enclosing
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.search import Search

# relative to the horizon: equal enclosures are told from unequal ones by this much
NOISE = Fraction(1, 2**40)


BITS = 128


@cache
def _moments() -> Any:
    """A model, a number of iterations and a remaining time."""
    models = st.one_of(st.just(paper_example()), class_models())
    return st.tuples(
        models, st.integers(1, 3), st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 9)])
    )


def increasing_iterates(*, truncate: bool, steps: int = 1) -> Search:
    """``V_n <= V_{n+steps}`` everywhere (a mutant looks backwards)."""

    def sides(example: tuple[CTMDP, int, Fraction]) -> tuple[Any, Any]:
        model, n, share = example
        model = model.with_rewards(3) if truncate else model  # with a bonus, so that min{t, ·} matters
        iterates, t = ValueIteration(model, truncate=truncate, bits=64), model.horizon * share
        gaps = [iterates[n].value(x, t) - iterates[n + steps].value(x, t) for x in model.states]
        return max(gaps, key=lambda gap: gap.mid), NOISE * model.horizon

    return Search(examples=(20, 200), given=_moments(), sides=sides, title="iterates increase")


def convergent_iterates(sooner: int = 0) -> Search:
    """``V* - V_n <= E(t - Γ_n)⁺`` everywhere (a mutant promises the bound for n - ``sooner`` iterations)."""

    def sides(example: tuple[CTMDP, int, Fraction]) -> tuple[Any, Any]:
        model, n, share = example
        t = model.horizon * share
        best, iterate = solve(model, resolve_policy=False), ValueIteration(model, bits=64)[n - sooner]
        gaps = [best.value(x, t) - iterate.value(x, t) for x in model.states]
        return max(gaps, key=lambda gap: gap.mid), erlang_bound(model, n, t) + NOISE * model.horizon

    return Search(examples=(20, 200), given=_moments(), sides=sides, title="iterates converge")


def counted(levels_more: int = 0) -> Search:
    """V_n against the value of the model that counts its jumps and earns nothing after the n-th."""

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


@cache
def three_states() -> CTMDP:
    """The model of :mod:`proofs_checks.planning.value_iteration`: one action is fast and earns much."""
    rows = [
        Transition.of(x, action, rate=rate, reward=reward, to={y: "1/2" for y in "xyz" if y != x})
        for x in "xyz"
        for action, rate, reward in (("a", 10, 1), ("b", "1/1000", "1/2"))
    ]
    return CTMDP.of("fast-and-slow", horizon=1, initial="x", transitions=rows)


@cases("one action for both", "12 certified digits", complete=True)
def one_action_for(levels: tuple[int, int]) -> list[Case]:
    """What the best single action lacks, at remaining time 1/2, to the best with either number of jumps."""
    model, time = three_states(), Fraction(1, 2)
    solution = solve(layered(model, 3), digits=12)

    def lacks(action: str, left: int) -> Fraction:
        own = solution.commitment_value(f"1.{left}", action, time)
        return solution.value(f"1.{left}", time).lower - own.upper

    least = min(max(lacks(action, left) for left in levels) for action in model.actions)
    what = f"time 1/2, {levels[0]} or {levels[1]} transitions left: what one action for both lacks"
    return [Case(what, least, Fraction(1, 25), ">=")]


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


def rounds_needed(extra: int = 0) -> Search:
    """The rounds of alg:VI, with ε as a share of the horizon, against ln(H/ε)/(-ln ρ) + 2 - ``extra``."""

    def sides(example: tuple[CTMDP, Fraction]) -> tuple[Any, Any]:
        model, share = example
        rounds = algorithm2(model, model.horizon * share).iterations
        with precision(BITS):
            rate = -(1 - (-arb(rational(model.max_rate * model.horizon))).exp()).log()
            return rounds, -arb(rational(share)).log() / rate + 2 - extra

    shares = st.sampled_from([Fraction(1, 2), Fraction(1, 10), Fraction(1, 50)])
    given = st.tuples(st.one_of(st.just(paper_example()), class_models()), shares)
    return Search(examples=(15, 150), given=given, sides=sides, title="rounds")


@cases("ratios", "iterates in closed form")
def ratios(share: Fraction) -> list[Case]:
    """The errors of V_n for reward 1 and rate 1 on [0, 1], against ``share``·ρ times those before."""
    rows = [Transition.of(x, "a", rate=1, reward=1, to={y: 1}) for x, y in ("xy", "yx")]
    iterates = ValueIteration(CTMDP.of("turns", horizon=1, initial="x", transitions=rows), bits=BITS)
    with precision(BITS):
        errors = [1 - enclosing(iterates[n].value("x", 1)) for n in range(7)]
        rho = 1 - (-arb(1)).exp()
        return [
            Case(f"the error of V_{n + 1} over that of V_{n}",
                 errors[n + 1] / errors[n], rational(share) * rho)
            for n in range(6)
        ]  # fmt: skip


@scaled("tails", "closed forms in balls of 128 bits")
def falling_tails(effort: Effort, later: int = 2) -> list[Case]:
    """``E(H - Γ_{n+1})⁺`` against ``λH/(n + later)`` times ``E(H - Γ_n)⁺``, by closed forms."""
    found = []
    for mean in (Fraction(1, 10), Fraction(1), Fraction(7)):
        with precision(BITS):
            rest = [
                arb(rational(mean)) * poisson_at_least(mean, n)(1) - n * poisson_at_least(mean, n + 1)(1)
                for n in range(effort.scaled(12, 40))
            ]
        for n, (now, then) in enumerate(pairwise(rest)):
            with precision(BITS):
                bound = rational(mean / (n + later)) * now
            found.append(Case(f"λH = {mean}, n = {n}", then, bound, "<="))
    return found


@scaled("errors", "closed forms in balls of 512 bits")
def never_there(effort: Effort, rounds: tuple[int, int] = (12, 60), reward: int = 1) -> list[Case]:
    """``V* - V_n = r E(1 - Γ_n)⁺`` for the reward r and the rate 1 on [0, 1]."""
    found = []
    for n in range(1, effort.scaled(*rounds)):
        with precision(4 * BITS):
            rest = poisson_at_least(Fraction(1), n)(1) - n * poisson_at_least(Fraction(1), n + 1)(1)
        found.append(Case(f"reward {reward}: V* - V_{n} at t = 1", reward * rest, 0, ">"))
    return found
