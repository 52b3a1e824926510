r"""Exact sums for a learner whose choice depends on its data.

One state, actions of different rates that lead back to it, horizon :math:`H`.  Each action is tried for the
same number of episodes, then the one with the most (or the fewest) jumps is played to the end.  Within an
episode the action is fixed, so that :math:`\sum_m(H-t_m)^+` has mean :math:`H+\lambda H^2/2`,
:math:`\sum_m1\{t_{m+1}\le H\}` has mean :math:`\lambda H`, and both are independent of the counts.
:math:`T` of the action that is played is the time it was played; its count :math:`N` is *not* Poisson: it
was chosen for being large or small.  This is where the printed proof of ``prop:rateerror`` (``eq:cond-exp``)
fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from flint import arb

from proofs_checks.checks.poisson import weight
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.computed import Case, Computed, Outcome

_BITS = 128
_SIZE = 160  # counts beyond have no weight to speak of: their probability is added up and widens the result


@dataclass(frozen=True)
class Plan:
    """How long each action is tried, and how it goes on."""

    rates: tuple[Fraction, ...]
    horizon: Fraction
    trial: int  # episodes for each action
    rest: int  # episodes for the chosen one
    fewest: bool  # choose the action with the fewest jumps, else with the most

    @property
    def episodes(self) -> int:
        """``K``."""
        return len(self.rates) * self.trial + self.rest

    def __str__(self) -> str:
        rule = "fewest" if self.fewest else "most"
        rates = ", ".join(map(str, self.rates))
        return f"rates {rates}, H = {self.horizon}, {self.trial} + {self.rest} episodes, {rule} jumps"


PLANS = tuple(
    Plan((Fraction(1), Fraction(1, 2), Fraction(1)), Fraction(2), trial, 6, fewest)
    for trial in (1, 6)
    for fewest in (False, True)
)
LONG = tuple(
    Plan((Fraction(1), Fraction(1, 2)), Fraction(4), 12, 12, fewest) for fewest in (False, True)
)  # where T exceeds L(δ)/λmax


@dataclass(frozen=True)
class Part:
    """An episode played with one action: its chance, and the law of the counts N of this action before it."""

    rate: Fraction
    played: int  # episodes with this action before: T = played·H
    law: list[arb]  # P(this action is played, N = n)


def _poisson(mean: Fraction) -> list[arb]:
    exact = arb(rational(mean))
    return [weight(exact, n) for n in range(_SIZE)] if mean else [arb(1)] + [arb(0)] * (_SIZE - 1)


def _chosen(plan: Plan, i: int) -> list[arb]:
    """P(action i is chosen, N_i = n); the first one of several."""
    laws = [_poisson(rate * plan.horizon * plan.trial) for rate in plan.rates]

    def others(n: int) -> arb:
        return prod(
            (_beaten(law, n, plan.fewest, j < i) for j, law in enumerate(laws) if j != i), start=arb(1)
        )

    return [laws[i][n] * others(n) for n in range(_SIZE)]


def _beaten(law: list[arb], n: int, fewest: bool, strictly: bool) -> arb:
    """P(the other count is smaller than n), or larger, or also equal."""
    below = sum(law[: n if strictly != fewest else n + 1], arb(0))
    return 1 - below if fewest else below


def _sum(a: list[arb], b: list[arb]) -> list[arb]:
    return [sum((a[i] * b[n - i] for i in range(n + 1)), arb(0)) for n in range(_SIZE)]


def parts(plan: Plan) -> list[Part]:
    """All episodes, by action."""
    with precision(_BITS):
        found = [
            Part(rate, k, _poisson(rate * plan.horizon * k)) for rate in plan.rates for k in range(plan.trial)
        ]
        for i, rate in enumerate(plan.rates):
            law, step = _chosen(plan, i), _poisson(rate * plan.horizon)
            for k in range(plan.rest):
                found.append(Part(rate, plan.trial + k, law))
                law = _sum(law, step)
        return found


def mean_sum(
    plan: Plan, of: Sequence[Part], factor: Callable[[Fraction], Fraction], size: Callable[[int, int], arb]
) -> arb:
    """``Σ_k E[factor(λ) size(N, played)]`` over all episodes; sizes are at most 1."""
    with precision(_BITS):
        total = arb(0)
        for part in of:
            mean = sum((chance * size(n, part.played) for n, chance in enumerate(part.law)), arb(0))
            total += rational(factor(part.rate)) * mean
        missing = plan.episodes - sum((sum(part.law, arb(0)) for part in of), arb(0))
        most = max(factor(rate) for rate in plan.rates)
        return total + (arb(rational(most)) * missing.nonnegative_part()).union(arb(0))


def waited(plan: Plan) -> Callable[[Fraction], Fraction]:
    """``E Σ_m (H - t_m)^+`` as a function of the rate."""
    return lambda rate: plan.horizon + rate * plan.horizon**2 / 2


def jumps(plan: Plan) -> Callable[[Fraction], Fraction]:
    """``E Σ_m 1{t_{m+1} <= H}`` as a function of the rate."""
    return lambda rate: rate * plan.horizon


def inverse_count(n: int, played: int) -> arb:
    """``1/√max(1, N)``."""
    del played
    return 1 / arb(max(1, n)).sqrt()


# --- the sums of the two propositions ---------------------------------------------------------


def observed(factor: Fraction = Fraction(1)) -> Computed:
    """``eq:CS2``: the sum over decisions against ``factor (H + 1/λmin)`` times that over observed jumps."""

    def case(plan: Plan) -> Case:
        of = parts(plan)
        scale = factor * (plan.horizon + 1 / min(plan.rates))
        right = rational(scale) * mean_sum(plan, of, jumps(plan), inverse_count)
        return Case(str(plan), mean_sum(plan, of, waited(plan), inverse_count), right)

    return _each(case, PLANS)


def jump_errors(factor: Fraction = Fraction(1)) -> Computed:
    """``prop:proberror``: the sum against its bound, times ``factor``."""

    def case(plan: Plan) -> Case:
        left = mean_sum(plan, parts(plan), waited(plan), inverse_count)
        return Case(str(plan), left, rational(factor) * _bound(plan))

    return _each(case, PLANS)


def rate_errors(factor: Fraction = Fraction(1), delta: Fraction = Fraction(1, 2)) -> Computed:
    """``prop:rateerror``: the sum against its bound, times ``factor``; T exceeds L(δ)/λmax in the end."""

    def case(plan: Plan) -> Case:
        most = max(plan.rates)
        with precision(_BITS):
            floor = 4 * arb(rational(2 * len(plan.rates) * plan.episodes / delta)).log() / rational(most)

            def inverse_time(n: int, played: int) -> arb:
                del n
                return 1 / arb(rational(played * plan.horizon)).max(floor).sqrt()

            left = mean_sum(plan, parts(plan), waited(plan), inverse_time)
            right = rational(factor) * (2 * arb(rational(most))).sqrt() * _bound(plan)
        return Case(f"{plan}, δ = {delta}", left, right)

    return _each(case, LONG)


def _each(case: Callable[[Plan], Case], plans: Sequence[Plan]) -> Computed:
    def compute(effort: Effort) -> Outcome:
        del effort
        return Outcome([case(plan) for plan in plans], method="exact laws")

    return Computed(compute, "a learner that adapts")


def _bound(plan: Plan) -> arb:
    """``3(H + 1/λmin)√(SAK)(λmax H + 1) ln K/ln(ln K + 1)``, S = 1."""
    with precision(_BITS):
        k = arb(plan.episodes).log()
        most = max(plan.rates) * plan.horizon
        size = rational(3 * (plan.horizon + 1 / min(plan.rates)) * (most + 1))
        return size * arb(len(plan.rates) * plan.episodes).sqrt() * k / (1 + k).log()
