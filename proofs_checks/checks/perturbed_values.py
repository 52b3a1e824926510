r"""Exact values of perturbed models: operators, policies and sums along a path.

Values are exponential polynomials on pieces (:mod:`ctucbvi.exact.iteration`), so that both sides of a claim
are enclosures.  The policy ``eq:pi-k`` is that of the computed iterate: its choices are best up to a proved
amount, and what that costs over an episode is added to the claim that is tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from flint import arb, arb_mat, fmpq

from ctucbvi import CTMDP, Enclosure, ExpPoly, Policy, algorithm2, evaluate, solve
from ctucbvi.exact.iteration import Iterate, commit, improve
from ctucbvi.exact.precision import enclosure, hull, precision, symmetric, to_fmpq, to_fraction
from ctucbvi.model import Number, Pair
from proofs_checks.checks.perturbed import BITS, Perturbed

TERMS = 3  # of the sum of lem:v-v-continuoustime, computed exactly
_ZERO, _ONE = Fraction(0), Fraction(1)


def waiting(rate: Fraction, t: Fraction) -> arb:
    """``∫_0^t e^{-rate s} ds``."""
    with precision(BITS):
        return ExpPoly.waiting(to_fmpq(rate))(to_fmpq(t))


def expected(rate: Fraction, row: Sequence[Fraction], after: Sequence[ExpPoly], t: Fraction) -> arb:
    """``Σ_y p(y) ∫_0^t λ e^{-λs} f(y, t-s) ds``, for exact functions."""
    ahead = sum((f * p for f, p in zip(after, row, strict=True)), ExpPoly.zero())
    with precision(BITS):
        return ahead.convolve(to_fmpq(rate))(to_fmpq(t))


def applied(iterate: Iterate, pair: Pair, t: Fraction) -> Enclosure:
    """``(T^a V)(x, t)`` for the function ``V`` of the iterate and the data of ``pair``."""
    at = to_fmpq(t)
    start: fmpq | arb = fmpq(0)
    with precision(iterate.bits):
        for i, (a, b) in enumerate(pairwise(iterate.joints)):
            ahead = sum((iterate.bodies[y][i] * p for y, p in pair.to), ExpPoly.zero())
            q = commit(pair, ahead, start)
            if at <= b:
                return enclosure(q(at - a) + symmetric(iterate.slack if i else arb(0)))
            start = q(b - a)
    raise ValueError(f"remaining time {t} is beyond the horizon")


def ball(found: Enclosure) -> arb:
    """A ball around an enclosure."""
    return hull(to_fmpq(found.lower), to_fmpq(found.upper))


def largest(values: Sequence[Enclosure]) -> Enclosure:
    """The maximum."""
    return Enclosure(max(v.lower for v in values), max(v.upper for v in values))


def pairs_of(model: CTMDP, state: str) -> list[int]:
    """The pairs of a state."""
    x = model.state_index(state)
    return [k for k, pair in enumerate(model.pairs) if pair.state == x]


def greedy(iterate: Iterate, state: str, t: Fraction) -> list[int]:
    """The pairs with the largest ``T^a V(state, t)``: all that are not proved to be worse than another."""
    pairs = iterate.model.pairs
    scores = {k: applied(iterate, pairs[k], t) for k in pairs_of(iterate.model, state)}
    best = max(score.lower for score in scores.values())
    return [k for k, score in scores.items() if score.upper >= best]


def greedy_policy(iterate: Iterate, model: CTMDP) -> tuple[Policy, Fraction]:
    """``argmax_a T^a V`` (``eq:pi-k``) as a policy of ``model``, and how far its choices may be from best."""
    better = improve(iterate, truncate=False)
    rules: dict[str, list[tuple[Number, str]]] = {}
    for state in model.states:
        rules[state] = [(piece.lower, str(piece.branch)) for piece in better.pieces(state)]
    with precision(better.bits):
        return Policy.of(model, rules), 2 * enclosure(better.slack).upper


def forward_value(policy: Policy, state: str, t: Fraction) -> arb:
    r"""``V^π(state, t)`` by its definition: expected reward of the pairs occupied, followed forward in time.

    Between two breakpoints of the policy the pair :math:`(x,a)` that is held moves as a Markov chain, from
    :math:`(x,a)` to :math:`(y, \pi(y))` at rate :math:`\lambda p(y)`: matrix exponentials in balls.
    """
    model = policy.model
    held = {(model.states[p.state], model.actions[p.action]): k for k, p in enumerate(model.pairs)}
    ends = [t, *(b for b in reversed(policy.breakpoints) if b < t), _ZERO]
    with precision(BITS):
        law = arb_mat(
            1, len(held), [int(k == held[state, policy.action(state, t)]) for k in range(len(held))]
        )
        total = arb(0)
        for upper, lower in pairwise(ends):
            goes = {y: held[x, policy.action(x, lower)] for y, x in enumerate(model.states)}
            law, earned = _carried(law, model.pairs, goes, upper - lower)
            total += earned
    return total


def _carried(
    law: arb_mat, pairs: Sequence[Pair], goes: dict[int, int], time: Fraction
) -> tuple[arb_mat, arb]:
    """The law of the held pair after ``time``, and the reward earned meanwhile."""
    n = len(pairs)
    rates = [[_ZERO] * (n + 1) for _ in range(n + 1)]
    for k, pair in enumerate(pairs):
        rates[k][k] -= pair.rate
        rates[k][n] = pair.reward  # the last column collects the reward
        for y, p in pair.to:
            rates[k][goes[y]] += pair.rate * p
    power = arb_mat([[arb(to_fmpq(q * time)) for q in row] for row in rates]).exp()
    after = [sum((law[0, i] * power[i, j] for i in range(n)), arb(0)) for j in range(n + 1)]
    return arb_mat(1, n, after[:n]), after[n]


def lump_sum(policy: Policy, costs: Sequence[Sequence[Fraction]], state: str, steps: int) -> Enclosure:
    """``E Σ_{m < steps} c(x_m, a_m, (H - t_m)^+)`` from ``state``.

    ``costs`` are the polynomials ``c(x, a, ·)``, one per pair.  Remaining times at which the policy changes
    are joints; between them everything is an exponential polynomial.
    """
    model = policy.model
    joints = [to_fmpq(b) for b in (_ZERO, *policy.breakpoints, model.horizon)]
    spans = list(pairwise(joints))
    chosen = [_chosen(policy, to_fraction(a)) for a, _ in spans]
    with precision(2 * BITS):
        value = [[ExpPoly.zero()] * len(spans) for _ in model.states]
        for _ in range(steps):
            value = _one_more(model, spans, chosen, costs, value)
        x = model.state_index(state)
        return enclosure(value[x][-1](spans[-1][1] - spans[-1][0]))


def _chosen(policy: Policy, t: Fraction) -> list[int]:
    model = policy.model
    pair = {(model.states[p.state], model.actions[p.action]): k for k, p in enumerate(model.pairs)}
    return [pair[x, policy.action(x, t)] for x in model.states]


def _one_more(
    model: CTMDP,
    spans: Sequence[tuple[fmpq, fmpq]],
    chosen: Sequence[Sequence[int]],
    costs: Sequence[Sequence[Fraction]],
    value: Sequence[Sequence[ExpPoly]],
) -> list[list[ExpPoly]]:
    """The sum with one decision more, on every piece."""
    found: list[list[ExpPoly]] = [[] for _ in model.states]
    start: list[fmpq | arb] = [fmpq(0)] * len(model.pairs)
    for i, (a, b) in enumerate(spans):
        parts = []
        for k, pair in enumerate(model.pairs):
            ahead = sum((value[y][i] * p for y, p in pair.to), ExpPoly.zero())
            q = commit(replace(pair, reward=_ZERO), ahead, start[k])
            start[k] = q(b - a)
            parts.append(q + ExpPoly.of({0: list(costs[k])}).shift(a))
        for x, k in enumerate(chosen[i]):
            found[x].append(parts[k])
    return found


# --- the regret of an episode ----------------------------------------------------------------


def cost(case: Perturbed, k: int, bonus: Fraction, radii: Fraction, t: Fraction) -> Fraction:
    """``(bonus b + radii (α + tβ)) t``: what a decision at pair ``k`` adds to the sum."""
    found = case.estimates[k]
    return (case.bonus(k, bonus) + radii * (found.jump_radius + t * found.rate_radius)) * t


@dataclass(frozen=True)
class Shares:
    """Which share of the bonus is planned with, and which of bonus and radii stand in the sum."""

    planned: Fraction = _ONE
    bonus: Fraction = _ONE
    radii: Fraction = _ONE
    load: bool = False  # whether stopping costs ε λmax H; else ε exp(λmax H)


def regret(case: Perturbed, state: str, epsilon: Fraction, shares: Shares) -> tuple[Enclosure, Enclosure]:
    """The regret from a state, and the bound: its first terms exactly, the others widen the enclosure."""
    horizon, steps = case.model.horizon, range(len(case.estimates))
    stopped = algorithm2(case.optimistic(shares.planned), epsilon)
    policy, missed = greedy_policy(stopped.value, case.model)
    best = solve(case.model, digits=12, resolve_policy=False).value(state)
    lost = best - evaluate(policy, digits=12).value(state)
    costs = [
        [
            _ZERO,
            case.bonus(k, shares.bonus) + shares.radii * e.jump_radius,
            shares.radii * e.rate_radius,
        ]
        for k, e in enumerate(case.estimates)
    ]
    first = lump_sum(policy, costs, state, TERMS)
    rest = max(cost(case, k, shares.bonus, shares.radii, horizon) for k in steps) * case.load
    with precision(BITS):
        growth = arb(to_fmpq(case.load)) if shares.load else case.growth()
        more = enclosure(to_fmpq(epsilon) * growth + to_fmpq(missed * (1 + case.load)))
    return lost, Enclosure(first.lower + more.lower, first.upper + more.upper + rest)
