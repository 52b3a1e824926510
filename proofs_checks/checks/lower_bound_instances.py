r"""The instances of ``thm:lowerbound`` as models, and the law of their holding times in closed form.

Let :math:`\gamma_h` be the sum of :math:`h` exponential times of rate :math:`\lambda` and :math:`N_t` the
number of jumps of the Poisson process up to :math:`t`.  Then

.. math:: e_h(t) := E[(t-\gamma_h)^+] = t\,P(N_t \ge h) - \tfrac h\lambda P(N_t \ge h+1),

which the tests compare with the definition by recursion :math:`e_0(t) = t`,
:math:`e_{h+1}(t) = \int_0^t \lambda e^{-\lambda s} e_h(t-s)\,ds`, both as exact functions of :math:`t`.

A *threshold policy* goes to one leaf and takes one action there if the leaf is entered by time :math:`a`, and
another one if it is entered later.  With :math:`g = \gamma_{d-1}` the time of entrance,

.. math:: P(g \le a,\ \gamma_d \le H) = P(g \le a) - e^{-\lambda H}\frac{(\lambda a)^{d-1}}{(d-1)!}, \qquad
   E[(H-\gamma_d)^+;\ g \le a] = \bigl(H - \tfrac1\lambda\bigr) P(g \le a)
   - \tfrac{d-1}\lambda P(\gamma_d \le a) + \tfrac1\lambda e^{-\lambda H}\frac{(\lambda a)^{d-1}}{(d-1)!} .

Values of policies come from the package's exact evaluation, which knows nothing of these formulas.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property

from flint import arb, fmpq

from ctucbvi.enclosure import Enclosure
from ctucbvi.exact import ExpPoly, evaluate, solve
from ctucbvi.exact.iteration_bounds import poisson_at_least
from ctucbvi.library import lower_bound_tree
from ctucbvi.model import CTMDP, Transition
from ctucbvi.policy import Policy
from proofs_checks.checks.lower_bound_game import BITS, Moment
from verify.provers.balls import precision, rational

DIGITS = 25


def erlang_excess(rate: Fraction, stages: int) -> ExpPoly:
    """``E[(t - γ_h)^+]`` for ``h`` stages, by the closed form, exactly as a function of ``t``."""
    late = poisson_at_least(rate, stages + 1) * (stages / rate)
    return ExpPoly.monomial(1, 1) * poisson_at_least(rate, stages) - late


def excess_by_recursion(rate: Fraction, stages: int) -> ExpPoly:
    """The same by its definition: ``h`` convolutions with the density of a holding time."""
    function = ExpPoly.monomial(1, 1)
    for _ in range(stages):
        function = function.convolve(fmpq(rate.numerator, rate.denominator))
    return function


@dataclass(frozen=True)
class Tree:
    """A tree with its threshold: leaves entered by time ``early`` count as entered early."""

    actions: int
    depth: int
    gap: Fraction = Fraction(1, 4)
    rate: Fraction = Fraction(1)
    horizon: Fraction = Fraction(2)
    early: Fraction = Fraction(1)

    def __str__(self) -> str:
        return f"A={self.actions}, d={self.depth}, λ={self.rate}, H={self.horizon}, Δ={self.gap}"

    @property
    def states(self) -> int:
        """``S = 2 + (A^d - 1)/(A - 1)``."""
        return 2 + sum(math.prod([self.actions] * i) for i in range(self.depth))

    @property
    def pairs(self) -> int:
        """``L A``, the pairs of a leaf and an action."""
        return math.prod([self.actions] * self.depth)

    def model(self, instance: int) -> CTMDP:
        """The instance with that good pair; none is good in instance 0."""
        return lower_bound_tree(
            self.actions, self.depth, self.gap, instance, rate=self.rate, horizon=self.horizon
        )

    def optimal(self, instance: int) -> Enclosure:
        """The optimal value of the root, from the exact planner."""
        model = self.model(instance)
        return solve(model, digits=DIGITS).value(model.initial_state)

    def value(self, instance: int, early: int, late: int) -> Enclosure:
        """The value of the threshold policy that visits these pairs, from the exact evaluation."""
        return _value(self, instance, early, late)

    @cached_property
    def excess(self) -> arb:
        """``E[(H - γ_d)^+]``."""
        with precision(BITS):
            return erlang_excess(self.rate, self.depth)(self.horizon)

    @cached_property
    def moments(self) -> tuple[Moment, Moment]:
        """Entering the leaf early and late, by the formulas at the top of the module."""
        with precision(BITS):
            d, rate, horizon = self.depth, arb(rational(self.rate)), arb(rational(self.horizon))
            by = arb(rational(self.early))
            entered = self.jumps(d - 1, self.early)
            held = (-rate * horizon).exp() * (rate * by) ** (d - 1) / arb(d).gamma()
            weight = (horizon - 1 / rate) * entered - (d - 1) / rate * self.jumps(d, self.early) + held / rate
            seen = entered - held
            late_seen = self.jumps(d, self.horizon) - seen
            return (
                Moment(seen, held, weight),
                Moment(late_seen, 1 - entered - late_seen, self.excess - weight),
            )

    def jumps(self, least: int, by: Fraction) -> arb:
        """``P(γ_least <= by)``."""
        return poisson_at_least(self.rate, least)(by)

    def policy(self, instance: int, early: int, late: int) -> Policy:
        """The threshold policy; both pairs must be of one leaf, which is chosen at time 0."""
        leaf, first = divmod(early - 1, self.actions)
        other, second = divmod(late - 1, self.actions)
        if leaf != other:
            raise ValueError(f"pairs {early} and {late} are of two leaves; give two pairs of one leaf")
        model = self.model(instance)
        rules: dict[str, str | list[tuple[Fraction | int, str]]] = dict.fromkeys(model.states, "a1")
        node = 1
        for level in reversed(range(self.depth - 1)):
            child = leaf // self.actions**level % self.actions
            rules[f"n{node}"] = f"a{child + 1}"
            node = (node - 1) * self.actions + 2 + child
        rules[f"n{node}"] = [(0, f"a{second + 1}"), (self.horizon - self.early, f"a{first + 1}")]
        return Policy.of(model, rules)


@cache
def _value(tree: Tree, instance: int, early: int, late: int) -> Enclosure:
    policy = tree.policy(instance, early, late)
    return evaluate(policy, digits=DIGITS).value(policy.model.initial_state)


def with_self_jumps(model: CTMDP, rate: Fraction) -> CTMDP:
    """Absorbing states replaced by states that jump to themselves with the given rate."""
    rows = []
    for pair in model.pairs:
        state, action = model.states[pair.state], model.actions[pair.action]
        to = {model.states[y]: p for y, p in pair.to}
        if pair.rate == 0:
            rows.append(Transition.of(state, action, rate=rate, reward=pair.reward, to={state: 1}))
        else:
            rows.append(Transition.of(state, action, rate=pair.rate, reward=pair.reward, to=to))
    built = CTMDP.of(
        model.name, horizon=model.horizon, initial=model.initial, states=model.states, actions=model.actions,
        transitions=rows,
    )  # fmt: skip
    return replace(built, source=model.source, shows=model.shows)


def with_turns(model: CTMDP, rate: Fraction) -> CTMDP:
    """Absorbing states replaced by two that take turns at the given rate and earn the same."""
    rows = []
    for pair in model.pairs:
        state, action = model.states[pair.state], model.actions[pair.action]
        if pair.rate == 0:
            for here, there in ((state, f"{state}'"), (f"{state}'", state)):
                rows.append(Transition.of(here, action, rate=rate, reward=pair.reward, to={there: 1}))
        else:
            to = {model.states[y]: p for y, p in pair.to}
            rows.append(Transition.of(state, action, rate=pair.rate, reward=pair.reward, to=to))
    built = CTMDP.of(model.name, horizon=model.horizon, initial=model.initial, transitions=rows)
    return replace(built, source=model.source, shows=model.shows)


SMALLEST = Tree(actions=3, depth=2)  # S = 6
BINARY = Tree(actions=2, depth=3)  # S = 9
