r"""``sec:episodicRL``: the model, its rates, the rescaling of rewards, the space of functions, simple bounds.

Two findings.  *Self-jumps*: either they are excluded, as "another state" and :math:`q(x\mid x,a) = -\lambda`
with rows that sum to 0 say, and then :math:`q` and :math:`(\lambda,p)` do determine each other, but the
absorbing states of the lower bound, with a positive rate, are outside the class.  Or they are allowed, and
then :math:`\sum_z q(z\mid x,a) = -\lambda p(x\mid x,a)`; and with :math:`q(x\mid x,a)` minus the sum of the
others, :math:`q` no longer determines :math:`(\lambda, p)`: rate 1 with a self-jump of probability 1/2 and
rate 1/2 without one have the same :math:`q`.  They are different problems, since a self-jump is a decision
epoch.  The proofs of the upper bound hold in both readings, and the lower bound, with two more states, too
(``thm:lowerbound/no-self-jumps``).  *The space* :math:`\mathbb M` of non-negative functions is closed under
sums but not under differences: a complete metric space, which is all that the fixed-point argument needs, and
not a Banach space.

The bounds :math:`0 \le V \le t` and the rescaling are statements about one step of the operator
:math:`\mathcal T^a`; its integrals are :math:`\int_0^t e^{-\lambda s}ds = (1-e^{-\lambda t})/\lambda` and
:math:`\int_0^t \lambda e^{-\lambda s}(t-s)\,ds = t - (1-e^{-\lambda t})/\lambda`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import sympy

from proofs_checks.variants import changed, vanishes
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.proof import Proof
from verify.provers.search import Search

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from ctucbvi.model import CTMDP

PROOF = (Proof(), Search(examples=(60, 2000)))
_PARTS = (Fraction(1, 7), Fraction(1, 2), Fraction(1))
RATE, TIME, ELAPSED, PROBABILITY, SHARE = sympy.symbols("l t s p c", positive=True)


@cache
def class_models(max_states: int = 3, max_actions: int = 2) -> SearchStrategy[CTMDP]:
    """Models of the paper's class: every rate positive, rewards in [0, 1], every action everywhere."""
    from hypothesis import strategies as st

    from ctucbvi.model import CTMDP, Transition
    from ctucbvi.strategies import probability_rows, reward_rates

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


def _joint_law(law: Any = _PRINTED_LAW) -> Computed:
    density = RATE * sympy.exp(-RATE * ELAPSED) * PROBABILITY
    return vanishes(
        "integrated",
        (
            "∫ λ exp(-λs) p(y) ds up to t is the printed law",
            lambda: sympy.integrate(density, (ELAPSED, 0, TIME)) - law * PROBABILITY,
        ),
    )


JOINT_LAW = claim(
    "sec:episodicRL/joint-law",
    "The holding time is at most t and the next state is y with probability (1 - exp(-λt)) p(y|x,a): the "
    "density λ exp(-λs) p(y|x,a) integrated over [0, t], for all λ, t > 0.",
    source="sec:episodicRL",
    checks=_joint_law(),
    expected="proved",
    latex=r"P(\tau \le t, Y = y) = (1-e^{-\lambda(x,a)t})\,p(y\mid x,a)",
)

_RATES = Domain.of("l > 0", "0 <= p <= 1")
RATES = claim(
    "eq:M/rates",
    "With q(y|x,a) = λp(y|x,a) for y ≠ x and q(x|x,a) = -λ the rates sum to 0, also if self-jumps are "
    "allowed: λ(1 - p) - λ = 0, p = p(x|x,a) being any probability. (If they are excluded, p = 0, it holds.)",
    says="l*(1 - p) - l == 0",
    domain=_RATES,
    source="eq:M",
    checks=tuple(reversed(PROOF)),  # the search finds the simplest counterexample
    expected="refuted",
    latex=r"\textstyle\sum_{z} q(z\mid x,a) = 0",
)
RATES_REPAIRED = claim(
    "eq:M/rates/repaired",
    "With q(x|x,a) = -λ(1 - p(x|x,a)) the rates sum to 0: λ(1 - p) for the other states together, whatever "
    "the self-loop p. The printed form is the case p(x|x,a) = 0.",
    says="l*y + l*(1 - p - y) - l*(1 - p) == 0",
    domain=Domain.of("l > 0", "0 <= p <= 1", "0 <= y <= 1", "p + y <= 1"),
    source="eq:M",
    kind=Kind.REPAIR,
    checks=PROOF,
    expected="proved",
)

_SAME_Q = (
    "from fractions import Fraction as F; (l, p), (m, q) = (F(1), F(1, 2)), (F(1, 2), F(0)); "
    "print(l*(1 - p) == m*(1 - q) and l != m)"
)


def _recovered(loops: tuple[Fraction, ...]) -> Computed:
    """λ from the rates to other states, as if there were no self-loop, for a rate 1 with the given ones."""

    def compute(effort: Effort) -> Outcome:
        del effort
        cases = [
            Case(f"λ = 1 and p(x|x,a) = {loop}: λ recovered from q", (1 - loop) * 1, 1, "==", line=_SAME_Q)
            for loop in loops
        ]
        return Outcome(cases, box="λ = 1")

    return Computed(compute, "recovered rate")


EQUIVALENT = claim(
    "eq:M/equivalent",
    "The transition rates q, with rows that sum to 0, and (λ, p) determine each other, also if self-jumps "
    "are allowed: λ is the sum of the rates to the other states. (If they are excluded it holds.)",
    source="eq:M",
    uses="eq:M/rates",
    checks=_recovered((Fraction(0), Fraction(1, 2))),
    expected="refuted",
)
EQUIVALENT_REPAIRED = claim(
    "eq:M/equivalent/repaired",
    "Without self-loops, p(x|x,a) = 0, and with λ > 0, q determines (λ, p): λ is the sum of q(y|x,a) over "
    "y ≠ x, and p(y|x,a) = q(y|x,a)/λ (y is the probability of one state, 1 - y that of all the others).",
    says="l*y/(l*y + l*(1 - y)) == y",
    domain=Domain.of("l > 0", "0 <= y <= 1"),
    source="eq:M",
    kind=Kind.REPAIR,
    checks=PROOF,
    expected="proved",
)


def _affine(mass: Any = 1) -> Computed:
    """``T`` with reward ``r + c``, applied to ``u + cs``, exceeds ``T u`` by ``ct``: what ``c`` adds."""
    survival = sympy.exp(-RATE * ELAPSED)

    def difference() -> Any:
        stay = SHARE * sympy.integrate(survival, (ELAPSED, 0, TIME))
        jump = sympy.integrate(RATE * survival * SHARE * (TIME - ELAPSED), (ELAPSED, 0, TIME))
        return stay + mass * jump - SHARE * TIME

    return vanishes("integrated", ("a constant reward adds its multiple of t to every value", difference))


SHIFTED = claim(
    "eq:assume/rescaling/shift",
    "A constant c added to the reward rate adds ct to T^a, if the function it is applied to has cs added: "
    "c∫exp(-λs)ds + ∫λexp(-λs)c(t - s)ds = ct, for all λ, t, c > 0.",
    source="eq:assume",
    kind=Kind.STEP,
    checks=_affine(),
    expected="proved",
    latex=r"c\int_0^t e^{-\lambda s}ds + \int_0^t \lambda e^{-\lambda s}c(t-s)\,ds = ct",
)


def rescaled_values(scale: Fraction = Fraction(1)) -> Search:
    """V^π with rewards 3r - 1 (a mutant scales the 3) against 3V^π - t, for drawn models and policies."""
    from ctucbvi import Policy, evaluate
    from ctucbvi.strategies import policies

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


RESCALING = claim(
    "eq:assume/rescaling",
    "Rewards in [0,1] are no restriction: with r' = (r - m)/(M - m), m and M the smallest and the largest "
    "reward, every policy has the value V' = (V - mt)/(M - m) (if M = m every policy earns mt), so that "
    "regret is divided by M - m. T^a is linear in (r, u), and eq:assume/rescaling/shift says what a "
    "constant adds.",
    source="eq:assume",
    uses=("eq:assume/rescaling/shift", "sec:simulation/evaluation"),
    checks=rescaled_values(),
    expected="tested",
    latex=r"V'^\pi(x,t) = (V^\pi(x,t) - mt)/(M-m)",
)


def _closed_under(scalars: tuple[Fraction, ...]) -> Computed:
    def compute(effort: Effort) -> Outcome:
        del effort
        cases = [
            Case(f"u(x,t) = t multiplied by {c}, at t = 1", 0, c, "<=", line=f"print(not 0 <= {c})")
            for c in scalars
        ]
        return Outcome(cases, method="𝕄 contains u(x,t) = t; its multiples must be non-negative")

    return Computed(compute, "multiples of one element")


def limits(shift: int = 0) -> Search:
    """The limit of value iteration is an element of 𝕄 (a mutant has rewards r + ``shift``)."""
    from ctucbvi import solve

    def sides(model: CTMDP) -> tuple[Any, Any]:
        solution = solve(model.with_rewards(1, shift), resolve_policy=False)
        lowest = [-solution.value(x, model.horizon * part).upper for x in model.states for part in _PARTS]
        start = [abs(solution.value(x, 0).mid) for x in model.states]
        return max(lowest + start), Fraction(0)

    return Search(examples=(30, 300), given=class_models(), sides=sides, title="a limit")


BANACH = claim(
    "sec:episodicRL/banach",
    "𝕄, the bounded measurable functions u >= 0 with u(·,0) = 0, is a Banach space: with u it contains "
    "every real multiple of u.",
    source="sec:episodicRL",
    checks=_closed_under((Fraction(2), Fraction(-1))),
    expected="refuted",
)
BANACH_REPAIRED = claim(
    "sec:episodicRL/banach/repaired",
    "𝕄 is closed in the distance sup|u - v|: a function within e of an element of 𝕄 is at least -e "
    "everywhere, for every e > 0. (So it is a complete metric space, as the bounded measurable functions "
    "are.)",
    says="-e <= u",
    domain=Domain.of("e > 0", "v >= 0", "v - u <= e", "u - v <= e", reals="u"),
    source="sec:episodicRL",
    kind=Kind.REPAIR,
    checks=(limits(), *PROOF),
    argued="that e may be any positive number, and that uniform limits of measurable functions are "
    "measurable",
    expected="tested",
)


def bounded(excess: Fraction = Fraction(0)) -> Search:
    """``0 <= V^π <= V* <= t - excess`` for drawn models and policies, as the largest of the three defects."""
    from hypothesis import strategies as st

    from ctucbvi import evaluate, solve
    from ctucbvi.strategies import policies

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


BOUNDS = claim(
    "eq:FH-control2/bounds",
    "0 <= V^π(x,t) <= V*(x,t) <= t. The middle one is the definition of a supremum; if u(·,s) is in [0,s] "
    "then so is T^a u, as r(1 - exp(-λt))/λ + ∫λexp(-λs)(t - s)ds <= t, so that all iterates are, and "
    "their limits.",
    says="r*(1 - exp(-l*t))/l + t - (1 - exp(-l*t))/l <= t",
    domain=Domain.of("l > 0", "t >= 0", "0 <= r <= 1"),
    source="eq:FH-control2",
    uses=("eq:Qa/iteration", "sec:simulation/evaluation"),
    checks=(bounded(), *PROOF),
    argued="the middle inequality is the definition of a supremum, the others pass from one step to "
    "the values by induction and limits",
    expected="tested",
    latex=r"0 \le V^\pi(x,t) \le V^*(x,t) \le t",
)

CLAIMS = (
    JOINT_LAW,
    RATES,
    RATES_REPAIRED,
    EQUIVALENT,
    EQUIVALENT_REPAIRED,
    SHIFTED,
    RESCALING,
    BANACH,
    BANACH_REPAIRED,
    BOUNDS,
)

MUTANTS: Mapping[str, Claim] = {
    "sec:episodicRL/joint-law": replace(JOINT_LAW, checks=(_joint_law(sympy.exp(-RATE * TIME)),)),
    "eq:M/rates": changed(RATES, "l*(1 - p) - l*(1 - p) == 0"),  # true: must not be refuted
    "eq:M/rates/repaired": changed(RATES_REPAIRED, "l*y + l*(1 - p - y) - l == 0"),
    "eq:M/equivalent": replace(EQUIVALENT, checks=(_recovered((Fraction(0),)),)),  # without self-loops: true
    "eq:M/equivalent/repaired": changed(EQUIVALENT_REPAIRED, "l*y/(l*y + 2*l*(1 - y)) == y"),
    "eq:assume/rescaling/shift": replace(
        SHIFTED, checks=(_affine(sympy.Rational(1, 2)),)
    ),  # half the mass is lost
    "eq:assume/rescaling": replace(RESCALING, checks=(rescaled_values(Fraction(2)),)),
    "sec:episodicRL/banach": replace(
        BANACH, checks=(_closed_under((Fraction(2), Fraction(1, 2))),)
    ),  # a cone
    "sec:episodicRL/banach/repaired": changed(BANACH_REPAIRED, "0 <= u"),
    "eq:FH-control2/bounds": changed(
        BOUNDS,
        "r*(1 - exp(-l*t))/l + t - (1 - exp(-l*t))/l <= t",
        domain=Domain.of("l > 0", "t >= 0", "r >= 0"),
    ),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {
    "eq:M/rates": {
        "breaks": "notation",
        "summary": "Either self-jumps are excluded, and this holds: then the absorbing states of the lower "
        "bound, whose rate must be at least λmin > 0, are not in the class (thm:lowerbound/instances). Or "
        "they are allowed, and the rates sum to -λ p(x|x,a). The text excludes them where it defines the "
        "model; its lower bound needs them or two more states (thm:lowerbound/no-self-jumps).",
        "repair": "eq:M/rates/repaired",
    },
    "eq:M/equivalent": {
        "breaks": "notation",
        "summary": "Either self-jumps are excluded, and this holds; or they are allowed, and rates q whose "
        "rows sum to 0 do not determine (λ, p): λ = 1 with p(x|x,a) = 1/2 and λ = 1/2 without a self-jump "
        "have the same q. A self-jump is a decision epoch, so the two are different problems. (With "
        "q(x|x,a) = -λ as printed (λ, p) can be read off, but then the rows do not sum to 0.)",
        "repair": "eq:M/equivalent/repaired",
    },
    "sec:episodicRL/banach": {
        "breaks": "notation",
        "summary": "Non-negative functions are no vector space, so 𝕄 is no Banach space, and sup u without "
        "absolute values is no norm of a difference. A complete metric space is all that the "
        "contraction argument needs.",
        "repair": "sec:episodicRL/banach/repaired",
    },
}
