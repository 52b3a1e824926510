r"""Did the confidence sets hold in an episode, and was the value optimistic?  Decided, or said not to be.

**The event** :math:`\mathcal G` (``eq:G``) at episode :math:`k`: for every pair
:math:`|\lambda - \hat\lambda_k| \le \beta_k` and :math:`\|p - \hat p_k\|_1 \le \alpha_k`.  The left sides are
exact.  So is :math:`\beta_k = \lambda_{\max}` while :math:`T^k < L(\delta)/\lambda_{\max}`, where
equality is common (:math:`\lambda = \lambda_{\max}`, not yet seen).

**Optimism** (``eq:optimism``): :math:`V^*(x,t) \le \hat V_{n_k}(x,t) + \epsilon_k e^{\lambda_{\max}H}` for
all :math:`x` and :math:`t`.  Rewards are not negative, so both sides increase with :math:`t`; on an
interval :math:`[s,t]` it is enough that :math:`V^*(x,t) \le \hat V(x,s) + \dots`, and it fails if it fails
at a point.  Intervals are halved until one of the two is proved.

Answers are True, False, or None where the budget ends before the answer is known.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from ctucbvi.exact.precision import BALLS, enclosure, precision, to_fmpq
from ctucbvi.learning import jump_distance
from ctucbvi.learning.exact.learner import ExactPlan

if TYPE_CHECKING:
    from ctucbvi.enclosure import Enclosure
    from ctucbvi.exact.solution import Solution

Verdict = bool | None


def at_most(one: arb, other: arb) -> Verdict:
    """Whether ``one <= other``; None where the balls do not tell."""
    if one <= other:
        return True
    return False if one > other else None


def every(verdicts: list[Verdict]) -> Verdict:
    """False if one is, else None if one is, else True."""
    return False if False in verdicts else None if None in verdicts else True


def rate_confidence(plan: ExactPlan, pair: int) -> Verdict:
    """``eq:rateUCB`` for one pair."""
    time, settings = plan.statistics.time[pair], plan.settings
    true = plan.statistics.model.transitions[pair].rate
    error = abs(true - plan.statistics.rate(pair, settings))
    with precision(plan.bits + 64):
        if BALLS.number(time) < plan.radii.floor:
            return error <= settings.lambda_max
        return at_most(BALLS.number(error), plan.radii.rate_radius(BALLS.number(time), BALLS))


def jump_confidence(plan: ExactPlan, pair: int) -> Verdict:
    """``eq:CI-p`` for one pair."""
    error = jump_distance(plan.statistics.model, pair, plan.statistics.probability(pair))
    with precision(plan.bits + 64):
        n_plus = BALLS.number(Fraction(plan.statistics.n_plus[pair]))
        return at_most(BALLS.number(error), plan.radii.jump_radius(n_plus, BALLS))


def confident(plan: ExactPlan) -> Verdict:
    r"""Whether the event :math:`\mathcal G` holds as far as this episode is concerned."""
    pairs = range(len(plan.statistics.n_plus))
    return every([test(plan, k) for k in pairs for test in (rate_confidence, jump_confidence)])


def optimistic(plan: ExactPlan, optimum: Solution, *, budget: int = 2000) -> Verdict:
    """Whether ``eq:optimism`` holds for all states and remaining times; ``optimum`` is V*.

    For the sharp learner the stopping error is ε_k itself (``eq:error-vi/load``).
    """
    model, settings = plan.statistics.model, plan.settings
    with precision(plan.bits + 64):
        load = arb(to_fmpq(settings.lambda_max * model.horizon))
        growth = load if settings.bonus == "sharp" else load.exp()
        least, most = (arb(to_fmpq(end)) * growth for end in (plan.epsilon.lower, plan.epsilon.upper))
        margin = enclosure(least.lower().union(most.upper()))
    if margin.lower >= model.horizon:  # V* ≤ t ≤ H and V̂ ≥ 0: nothing to look at
        return True
    return every([_dominates(plan, optimum, x, margin, budget) for x in model.states])


def _dominates(plan: ExactPlan, optimum: Solution, state: str, margin: Enclosure, budget: int) -> Verdict:
    """Whether ``V* <= V̂ + margin`` in one state, at all remaining times."""
    stack = [(Fraction(0), plan.statistics.model.horizon)]
    while stack:
        low, high = stack.pop()
        budget -= 1
        reach = optimum.value(state, high)
        if reach.upper <= plan.value(state, low).lower + margin.lower:
            continue
        if reach.lower > plan.value(state, high).upper + margin.upper:
            return False
        if budget < 0:
            return None
        middle = (low + high) / 2
        stack += [(middle, high), (low, middle)]
    return True
