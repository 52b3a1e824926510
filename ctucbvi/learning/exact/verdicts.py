r"""Did the confidence sets hold in an episode, and was the value optimistic?  Decided, or said not to be.

**The event** :math:`\mathcal G` (``eq:G``) at episode :math:`k`: for every pair
:math:`|\lambda - \hat\lambda_k| \le \beta_k` and :math:`\|p - \hat p_k\|_1 \le \alpha_k`.  The left sides are
exact.  So is :math:`\beta_k = \lambda_{\max}` while :math:`T^k < L(\delta)/\lambda_{\max}`, where
equality is common (:math:`\lambda = \lambda_{\max}`, not yet seen).

**Optimism** (``eq:optimism``): :math:`V^*(x,t) \le \hat V_{n_k}(x,t) + \epsilon_k e^{\lambda_{\max}H}` for
all :math:`x` and :math:`t`.  Rewards are not negative, so both sides increase with :math:`t`; on an
interval :math:`[s,t]` it is enough that :math:`V^*(x,t) \le \hat V(x,s) + \dots`, and it fails if it fails
at a point.  Intervals are halved until one of the two is proved.

**The optimistic learner** has sets in the place of radii: the true rate must be in its interval, and the
true jumps within the distance or the divergence.  Then :math:`V^* \le \hat V` follows, since the equation is
monotone in its sets; no enclosure could show it where both are equal.  So it counts as held where the sets
hold, unless values at some remaining times refute it, which would show a mistake in the planner; where the
sets fail, or are undecided, the enclosures decide as above.

Answers are True, False, or None where the budget ends before the answer is known.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from ctucbvi.enclosure import Enclosure
from ctucbvi.exact.precision import BALLS, enclosure, precision, to_fmpq
from ctucbvi.learning import jump_distance
from ctucbvi.learning.exact.learner import ExactPlan
from ctucbvi.learning.exact.optimistic import OptimisticPlan
from ctucbvi.learning.exact.plan import CertifiedPlan

if TYPE_CHECKING:
    from ctucbvi.exact.solution import Solution

Verdict = bool | None
_TIMES = 8  # remaining times at which optimism is looked at, whatever else is known


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


def within_rates(plan: OptimisticPlan, pair: int) -> Verdict:
    """Whether the true rate of a pair is in its set."""
    with precision(plan.bits + 64):
        true, here = BALLS.number(plan.model.transitions[pair].rate), plan.sets[pair]
        return every([at_most(here.low, true), at_most(true, here.high)])


def within_jumps(plan: OptimisticPlan, pair: int) -> Verdict:
    """Whether the true jump probabilities of a pair are in their set."""
    radius, centre = plan.sets[pair].radius, plan.statistics.probability(pair)
    if radius is None:
        return True
    with precision(plan.bits + 64):
        if plan.settings.jumps == "l1":
            return at_most(BALLS.number(jump_distance(plan.model, pair, centre)), radius)
        true = dict(plan.model.transitions[pair].to)
        seen = [(p, true.get(y, Fraction(0))) for y, p in zip(plan.model.states, centre, strict=True) if p]
        if not all(q for _, q in seen):
            return False
        return at_most(sum((BALLS.number(p) * BALLS.log_of(p / q) for p, q in seen), arb(0)), radius)


def confident(plan: CertifiedPlan) -> Verdict:
    r"""Whether the event :math:`\mathcal G` holds as far as this episode is concerned."""
    pairs = range(len(plan.statistics.n_plus))
    if isinstance(plan, OptimisticPlan):
        return every([test(plan, k) for k in pairs for test in (within_rates, within_jumps)])
    assert isinstance(plan, ExactPlan)
    return every([test(plan, k) for k in pairs for test in (rate_confidence, jump_confidence)])


def optimistic(plan: CertifiedPlan, optimum: Solution, *, budget: int = 2000) -> Verdict:
    """Whether ``eq:optimism`` holds for all states and remaining times; ``optimum`` is V*.

    For the sharp learner the stopping error is ε_k itself (``eq:error-vi/load``).
    """
    model = plan.statistics.model
    if isinstance(plan, OptimisticPlan):
        if _refuted(plan, optimum):
            return False
        margin = Enclosure(Fraction(0), Fraction(0))
        return confident(plan) or every([_dominates(plan, optimum, x, margin, budget) for x in model.states])
    assert isinstance(plan, ExactPlan)
    margin = _stopping_error(plan)
    if margin.lower >= model.horizon:  # V* ≤ t ≤ H and V̂ ≥ 0: nothing to look at
        return True
    return every([_dominates(plan, optimum, x, margin, budget) for x in model.states])


def _stopping_error(plan: ExactPlan) -> Enclosure:
    """What the iteration may be short of its limit by."""
    settings, horizon = plan.settings, plan.statistics.model.horizon
    with precision(plan.bits + 64):
        load = arb(to_fmpq(settings.lambda_max * horizon))
        growth = load if settings.bonus == "sharp" else load.exp()
        least, most = (arb(to_fmpq(end)) * growth for end in (plan.epsilon.lower, plan.epsilon.upper))
        return enclosure(least.lower().union(most.upper()))


def _refuted(plan: OptimisticPlan, optimum: Solution) -> bool:
    """Whether values at some remaining times contradict optimism."""
    times = [plan.model.horizon * i / _TIMES for i in range(1, _TIMES + 1)]
    return any(optimum.value(x, t).lower > plan.value(x, t).upper for x in plan.model.states for t in times)


def _dominates(plan: CertifiedPlan, optimum: Solution, state: str, margin: Enclosure, budget: int) -> Verdict:
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
