r"""Certified evaluation of a policy that is piecewise constant in remaining time.

Between two breakpoints of the policy its value solves a linear system, the same as that of a
regime (:mod:`ctucbvi.exact.regimes`) with the policy's actions in the place of the best ones:

* committed: :math:`q_{x,a}' = r - \lambda q_{x,a} + \lambda\sum_y p(y)\,q_{y,\pi(y,t)}`, and
  :math:`V^\pi(x,t) = q_{x,\pi(x,t)}(t)`, which jumps where :math:`\pi(x,\cdot)` does;
* adjustable: :math:`v_x' = r - \lambda v_x + \lambda\sum_y p(y)\,v_y` with
  :math:`a = \pi(x,t)`.

There is nothing to decide, so the only errors are those of rounding and of the cut-off, and
they add up as in :mod:`ctucbvi.exact.trajectory`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from flint import arb, fmpq

from ctucbvi.errors import UndecidedError
from ctucbvi.exact.certain import certain_values
from ctucbvi.exact.lumping import Quotient, unlumped
from ctucbvi.exact.planner import ZERO_ROUNDS, starting_bits
from ctucbvi.exact.poisson import Basis
from ctucbvi.exact.precision import largest, point, precision, to_fmpq, to_fraction
from ctucbvi.exact.problem import Problem, Regime
from ctucbvi.exact.regimes import RegimeStep
from ctucbvi.exact.solution import Values
from ctucbvi.exact.trajectory import Budget, BudgetError, PassPiece
from ctucbvi.model import CTMDP, Number, Semantics
from ctucbvi.policy import Policy
from ctucbvi.solutions import Segment, Switch, computed_segments, switches_of
from ctucbvi.views import Viewed

_STRIDE = 256  # in units of x = Λ·time


@dataclass(frozen=True, repr=False)
class PolicyValue(Viewed, Values):
    """The value of ``policy`` at every remaining time in ``[0, H]``."""

    policy: Policy
    times_proved: ClassVar[bool] = True  # they are given

    @property
    def optimal(self) -> bool:
        """Whether the values are the optimal ones, and not those of a given policy."""
        return False

    @cached_property
    def certain(self) -> dict[int, Fraction]:
        """The states whose value the graph alone tells, with that value, in the plain form."""
        pair, rules = _pairs(self.quotient, self.model), self.policy.rules
        held = {pair[x, action] for x, rule in enumerate(rules) for _, action in rule}
        return certain_values(self.quotient, self.semantics, held=held)

    @cached_property
    def switches(self) -> list[Switch]:
        """Where the policy changes its action, in increasing remaining time."""
        return switches_of((state, self.segments(state)) for state in self.model.states)

    def segments(self, state: str) -> list[Segment]:
        """The actions of ``state`` in increasing remaining time, as the policy has them."""
        return computed_segments(self.policy.rules[self.model.state_index(state)], self.model.horizon)


def evaluate(
    policy: Policy,
    semantics: Semantics | str = Semantics.COMMITTED,
    *,
    digits: int = 15,
    at: Iterable[tuple[str, Number]] = (),
    budget: Budget | None = None,
) -> PolicyValue:
    """The value of ``policy``, with ``digits`` guaranteed digits at the horizon and at ``at``."""
    model, semantics = policy.model, Semantics(semantics)
    spending = (budget or Budget()).begin()
    points = [(x, model.horizon) for x in model.states] + list(at)
    quotient = unlumped(model.plain(semantics=semantics))
    problem = Problem.of(quotient, semantics, truncate=False)
    bits = starting_bits(model, digits)
    most_bits, rounds_for_zeros = spending.most_bits(bits), ZERO_ROUNDS
    while True:
        try:
            pieces = _follow(problem, policy, bits, spending)
        except BudgetError as error:
            message = f"undecided: {error} for a policy of model {model.name!r}; raise the budget"
            raise UndecidedError(message) from None
        values = PolicyValue(model, semantics, digits, bits, quotient, pieces, (), policy)
        missing = values.missing_digits(points)
        hopeless = rounds_for_zeros == 0 and all(values.perhaps_zero(*p) for p in missing)
        if not missing or hopeless or 2 * bits > most_bits or spending.expired:
            return replace(values, undecided=tuple(missing.values()))
        rounds_for_zeros -= 1 if rounds_for_zeros else 0
        bits *= 2


def _follow(problem: Problem, policy: Policy, bits: int, budget: Budget) -> list[PassPiece]:
    """One pass: a step for every piece of the policy, long ones cut into strides."""
    ends = [*(to_fmpq(t) for t in policy.breakpoints), problem.horizon]
    time, error = fmpq(0), arb(0)
    carried: Sequence[fmpq] = problem.initial_values
    pieces: list[PassPiece] = []
    calm = tuple(arb(0) for _ in problem.menu)
    with precision(bits):
        while time < problem.horizon:
            budget.check(len(pieces))
            reach = min((min(t for t in ends if t > time) - time) * problem.clock, fmpq(_STRIDE))
            regime, basis = _regime(problem, policy, time), Basis(reach, bits)
            step = RegimeStep(problem, regime, time, carried, basis, lambda: budget.check(len(pieces)))
            end = time + reach / problem.clock
            balls = step.carried_at(reach)
            step.forget()
            pieces.append(PassPiece(time, end, step, error, calm, {}, frozenset()))
            carried = [point(ball) for ball in balls]
            error = (error + largest([ball - ball.mid() for ball in balls])).upper()
            time = end
    return pieces


def _regime(problem: Problem, policy: Policy, time: fmpq) -> Regime:
    """The policy's actions on the piece that starts at ``time``, as pairs."""
    model = policy.model
    pair = _pairs(problem.quotient, model)
    moment = to_fraction(time)
    best = tuple(pair[x, policy.action(state, moment)] for x, state in enumerate(model.states))
    return Regime(best, (False,) * len(best))


def _pairs(quotient: Quotient, model: CTMDP) -> dict[tuple[int, str], int]:
    """The pair of each state and action."""
    return {(p.state, model.actions[p.action]): i for i, p in enumerate(quotient.pairs)}
