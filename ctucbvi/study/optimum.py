r"""What policies can be worth: the optimum, and between which numbers the regret of an episode lies.

:math:`V^*` comes from the exact planner, or, for large models, from the fast planner with its certificate;
either way it is an enclosure.  What policies can be worth bounds the regret of one episode; the worst value
is minus the best value of the model with rewards negated.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from ctucbvi.enclosure import Enclosure
from ctucbvi.exact.planner import solve
from ctucbvi.model import CTMDP, Semantics
from ctucbvi.numbers import ROUNDING
from ctucbvi.numeric.certificate import certify
from ctucbvi.numeric.planner import smallest_tolerance, solve_numeric
from ctucbvi.study.evaluation import Evaluator
from ctucbvi.study.plan import Contestant, Study

_DIGITS = 20  # of V*
_SMALL = 40  # pairs up to which the exact planner is asked: by size, as time would make results differ


def optimal_value(study: Study) -> Enclosure:
    """V*(x_0, H) of the committed problem, averaged over the initial states."""
    return _mixed(study, study.model, Semantics.COMMITTED)


def possible_losses(study: Study, contestant: Contestant) -> tuple[Fraction, Fraction]:
    """Between which numbers the regret of one episode lies, whatever the policy.

    A sampled policy need not wait for a jump: the adjustable problem bounds what it is worth, and its
    regret may be negative.  So may that of a learner that is judged by what it earns.
    """
    optimal = optimal_value(study)
    if contestant.asked:
        rewards, horizon = [row.reward for row in study.model.transitions], study.model.horizon
        return optimal.lower - horizon * max(rewards), optimal.upper - horizon * min(rewards)
    semantics = Semantics.ADJUSTABLE if contestant.sampled else Semantics.COMMITTED
    best = _mixed(study, study.model, semantics)
    worst = -_mixed(study, study.model.with_rewards(-1), semantics)
    least = optimal.lower - best.upper if contestant.sampled else Fraction(0)
    return least, optimal.upper - worst.lower


def value_error(study: Study, contestant: Contestant) -> Fraction:
    """The proved error of the value that a policy of ``contestant`` is given; what is earned is exact."""
    model = study.model
    if contestant.asked:
        return Fraction(0)
    # S products with rounded probabilities, added up: S + 1 roundings of no more than the largest value.
    mixing = (len(model.states) + 4) * model.value_scale * Fraction(ROUNDING)
    bound = Fraction(Evaluator(model, contestant.steps, sampled=contestant.sampled).bound)
    return bound + mixing if len(study.initial) > 1 else bound


def _mixed(study: Study, model: CTMDP, semantics: Semantics) -> Enclosure:
    """The optimal value of ``model``, averaged over the initial states of ``study``."""
    values = _values(model, semantics, tuple(x for x, _ in study.initial))
    lower = sum((p * v.lower for (_, p), v in zip(study.initial, values, strict=True)), Fraction(0))
    upper = sum((p * v.upper for (_, p), v in zip(study.initial, values, strict=True)), Fraction(0))
    return Enclosure(lower, upper)


@lru_cache(maxsize=16)
def _values(model: CTMDP, semantics: Semantics, states: tuple[str, ...]) -> tuple[Enclosure, ...]:
    """Certified optimal values of ``states`` at H."""
    if len(model.transitions) <= _SMALL:
        solution = solve(model, semantics, digits=_DIGITS)
        return tuple(solution.value(x) for x in states)
    proof = certify(solve_numeric(model, semantics, tolerance=100 * smallest_tolerance(model)))
    return tuple(proof.value(x) for x in states)
