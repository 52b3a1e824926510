r"""A model, and an estimate of it on the boundary of the confidence set.

On the event :math:`\mathcal G` (``eq:G``) each pair has :math:`|\hat\lambda-\lambda| \le \beta` and
:math:`\|\hat p-p\|_1 \le \alpha`; everything that ``lem:error-model``, ``lem:optimism`` and
``lem:v-v-continuoustime`` say is said of such an estimate, whatever the data were.  So models and estimates
are drawn here directly, the estimates as far away as allowed: :math:`\hat\lambda = \lambda \pm \beta`
clipped to :math:`[0, \lambda_{\max}]`, and :math:`\hat p` with mass :math:`\alpha/2` moved to one state.  A
pair that was never left has :math:`\hat\lambda = 0` and :math:`\hat p = 0`, on :math:`\mathcal G` only if
:math:`\beta \ge \lambda` and :math:`\alpha \ge 1`.  A row that *leaks* sums to less than 1 although
:math:`\hat\lambda > 0`; the printed estimator has none, the proofs do not mind.

The bonus :math:`b = C(H^2\beta + H\alpha)`, :math:`C = \lambda_{\max}/(1-e^{-\lambda_{\max}H}) \vee 1`, is
rounded up to a fraction, by less than :math:`2^{-60}` of itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import product

from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ctucbvi.exact.exppoly import ExpPoly
from ctucbvi.exact.precision import enclosure, precision, to_fmpq
from ctucbvi.model import CTMDP, Pair, Transition
from ctucbvi.strategies import models, times

BITS = 128
NOWHERE = "(nowhere)"
_ZERO, _ONE = Fraction(0), Fraction(1)
_SHARES = tuple(Fraction(n, 100) for n in (5, 0, 1, 20, 50, 100))  # β as a share of λmax
_DISTANCES = tuple(Fraction(n, 100) for n in (10, 0, 1, 30, 100, 200))  # α
_MARGINS = (_ONE, _ONE, Fraction(5, 4), Fraction(4))  # λmax as a multiple of the largest rate
# Where an estimate lies: λ̂ above or below λ, never left, or with a row that sums to less than 1.
UNSEEN = ("unseen",)
PRINTED = ("up", "down", "up", "down", *UNSEEN)  # what the printed estimators give
EVERY = (*PRINTED, "leaks")


@dataclass(frozen=True)
class Estimate:
    """What the learner believes of one pair, and its radii."""

    rate: Fraction  # λ̂
    row: tuple[Fraction, ...]  # p̂, one per state; sums to at most 1
    rate_radius: Fraction  # β
    jump_radius: Fraction  # α


@dataclass(frozen=True)
class Perturbed:
    """A model and estimates of it that are possible on 𝒢."""

    model: CTMDP
    lambda_max: Fraction  # λmax, at least every rate
    estimates: tuple[Estimate, ...]  # one per pair of the model

    @property
    def load(self) -> Fraction:
        """``λmax H``."""
        return self.lambda_max * self.model.horizon

    @cached_property
    def constant(self) -> Fraction:
        """``C``, rounded up."""
        with precision(BITS):
            ratio = arb(to_fmpq(self.lambda_max)) / -arb(to_fmpq(-self.load)).expm1()
        return max(enclosure(ratio).upper, _ONE)

    def bonus(self, k: int, share: Fraction = _ONE) -> Fraction:
        """The bonus of pair ``k``, or a share of it."""
        found, horizon = self.estimates[k], self.model.horizon
        return share * self.constant * (horizon**2 * found.rate_radius + horizon * found.jump_radius)

    def growth(self) -> arb:
        """``exp(λmax H)``."""
        with precision(BITS):
            return arb(to_fmpq(self.load)).exp()

    def believed(self, k: int, reward: Fraction = _ZERO) -> Pair:
        """Pair ``k`` with the estimated rate and row, and this reward."""
        pair, found = self.model.pairs[k], self.estimates[k]
        to = tuple((y, p) for y, p in enumerate(found.row) if p)
        return replace(pair, rate=found.rate, reward=reward, to=to)

    def optimistic(self, share: Fraction = _ONE) -> CTMDP:
        """The model that the learner plans with: estimates, and rewards ``r + share * b``."""
        states, rows = self.model.states, []
        for k, row in enumerate(self.model.transitions):
            found = self.estimates[k]
            to = {y: p for y, p in zip(states, found.row, strict=True) if p} if found.rate else {}
            if found.rate and sum(to.values()) < 1:
                to[NOWHERE] = 1 - sum(to.values(), _ZERO)
            rows.append(
                replace(row, rate=found.rate, reward=row.reward + self.bonus(k, share), to=tuple(to.items()))
            )
        if any(y == NOWHERE for row in rows for y, _ in row.to):
            rows.append(Transition(NOWHERE, self.model.actions[0], _ZERO, _ZERO, ()))
            states = (*states, NOWHERE)
        return replace(
            self.model,
            name="optimistic",
            states=states,
            transitions=tuple(rows),
            terminal=(_ZERO,) * len(states),
        )


# --- drawing them --------------------------------------------------------------------------


def positive(model: CTMDP) -> CTMDP:
    """The model with rates above 0, as the assumption ``eq:assume`` wants them."""
    slow = 1 / (10 * model.horizon)
    rows = [
        row if row.rate else replace(row, rate=slow, to=row.to or ((row.state, _ONE),))
        for row in model.transitions
    ]
    return replace(model, transitions=tuple(rows))


def full_row(pair: Pair, size: int) -> tuple[Fraction, ...]:
    """``p(·|x,a)`` with its zeros."""
    to = dict(pair.to)
    return tuple(to.get(y, _ZERO) for y in range(size))


def moved(row: Sequence[Fraction], target: int, distance: Fraction) -> tuple[Fraction, ...]:
    """The row with mass ``distance/2`` moved to ``target``, or as much as there is elsewhere."""
    rest = 1 - row[target]
    mass = min(distance / 2, rest)
    kept = 1 - mass / rest if rest else _ONE
    return tuple(p + mass if y == target else p * kept for y, p in enumerate(row))


def estimate(
    pair: Pair, size: int, lambda_max: Fraction, kind: str, beta: Fraction, alpha: Fraction, target: int
) -> Estimate:
    """The estimate of a pair on the boundary of its confidence set."""
    row = full_row(pair, size)
    if kind == "unseen":
        return Estimate(_ZERO, (_ZERO,) * size, max(beta, pair.rate), max(alpha, _ONE))
    rate = min(pair.rate + beta, lambda_max) if kind != "down" else max(pair.rate - beta, _ZERO)
    if kind == "leaks":
        return Estimate(rate, tuple(p * max(1 - alpha, _ZERO) for p in row), beta, alpha)
    return Estimate(rate, moved(row, target, alpha), beta, alpha)


# Radii drawn for each pair on its own leave some pair with a large radius that its error does not use: the
# bonus then lifts all values to the truncation and hides what it is for.  So in most examples all pairs err
# alike, and in one respect only.  No set is a single point: it would be the truth, without a bonus, and where
# no action but such ones matters both sides are one number, which no enclosure of it tells from itself.
_RADII = {
    "rates": st.sampled_from([(share, _ZERO) for share in _SHARES if share]),
    "jumps": st.sampled_from([(_ZERO, distance) for distance in _DISTANCES if distance]),
    "free": st.sampled_from([radii for radii in product(_SHARES, _DISTANCES) if any(radii)]),
}
_FOCUS, _MARGIN = st.sampled_from(("rates", "jumps", "rates", "free")), st.sampled_from(_MARGINS)


@dataclass(frozen=True)
class _Aim:
    """Where the estimate of a pair is to lie."""

    kind: str
    beta: Fraction  # as a share of λmax
    alpha: Fraction
    target: int


@cache
def _small_models(max_load: Fraction | int) -> SearchStrategy[CTMDP]:
    return models(max_states=3, max_actions=2, rewards="unit", terminal=False, max_load=max_load)


@st.composite
def perturbed(
    draw: DrawFn,
    *,
    kinds: tuple[str, ...] = EVERY,
    max_load: Fraction | int = 2,
    model: CTMDP | None = None,
) -> Perturbed:
    """Draw models with rewards in [0, 1], or take this one, and estimates on the boundary of their sets."""
    if model is None:
        model = positive(draw(_small_models(max_load)))
    lambda_max = model.max_rate * draw(_MARGIN)
    size, count = len(model.states), len(model.pairs)
    focus = draw(_FOCUS)
    aims = [_Aim(draw(st.sampled_from(kinds)), *draw(_RADII[focus]), draw(st.integers(0, size - 1)))
            for _ in range(count if focus == "free" else 1)]  # fmt: skip
    aims *= count // len(aims)
    found = [estimate(p, size, lambda_max, a.kind, lambda_max * a.beta, a.alpha, a.target)
             for p, a in zip(model.pairs, aims, strict=True)]  # fmt: skip
    return Perturbed(model, lambda_max, tuple(found))


@dataclass(frozen=True)
class Place:
    """A perturbed model, a state, a pair of this state, a remaining time, and a number of iterations."""

    case: Perturbed
    pair: int
    time: Fraction
    steps: int

    @property
    def state(self) -> str:
        """The state of the pair."""
        return self.case.model.transitions[self.pair].state


@st.composite
def places(
    draw: DrawFn,
    *,
    kinds: tuple[str, ...] = EVERY,
    max_steps: int = 3,
    max_load: Fraction | int = 2,
    model: CTMDP | None = None,
) -> Place:
    """Draw where to look at a perturbed model."""
    case = draw(perturbed(kinds=kinds, max_load=max_load, model=model))
    pair = draw(st.integers(0, len(case.model.pairs) - 1))
    when = draw(times(case.model))
    return Place(case, pair, when or case.model.horizon, draw(st.integers(1, max_steps)))


_FACTOR = st.sampled_from((_ONE, _ONE, _ZERO, Fraction(1, 2), Fraction(9, 10)))
_LOAD = st.sampled_from((1, 3, 10, 100))
_SHAPE = st.sampled_from(("line", "line", "early", "late", "square", "held"))


@cache
@st.composite
def functions(draw: DrawFn, horizon: Fraction) -> ExpPoly:
    """Draw exact functions with ``0 <= f(t) <= t`` on ``[0, horizon]``; ``t`` itself is the simplest."""
    c, rate, kind = draw(_FACTOR), draw(_LOAD) / horizon, draw(_SHAPE)
    if kind == "early":  # rises first
        return ExpPoly.waiting(rate) * c
    if kind == "late":  # t (1 - e^{-μt})
        return ExpPoly.of({0: [0, c], rate: [0, -c]})
    if kind == "square":  # t²/H
        return ExpPoly.of({0: [0, 0, c / horizon]})
    if kind == "held":  # t e^{-μt}: not monotone
        return ExpPoly.of({rate: [0, c]})
    return ExpPoly.of({0: [0, c]})


@dataclass(frozen=True)
class Looked:
    """A place, and a function of ``lem:error-model`` for every state."""

    place: Place
    functions: tuple[ExpPoly, ...]


@st.composite
def looks(draw: DrawFn, *, kinds: tuple[str, ...] = EVERY, model: CTMDP | None = None) -> Looked:
    """Draw an example of ``lem:error-model``."""
    place = draw(places(kinds=kinds, max_load=3, model=model))
    known = place.case.model
    return Looked(place, tuple(draw(functions(known.horizon)) for _ in known.states))


# --- where the bonus is needed: estimates that make the good look bad ----------------------


def tempting(horizon: Fraction, rate: Fraction, beta: Fraction, up: bool) -> Perturbed:
    """Earn 1 until a jump to a state without reward (``up``: the rate is overestimated), or the reverse."""
    first, second = (_ONE, _ZERO) if up else (_ZERO, _ONE)
    rows = (
        Transition("x", "a", rate, first, (("y", _ONE),)),
        Transition("y", "a", rate, second, (("y", _ONE),)),
    )
    model = CTMDP("tempting", ("x", "y"), ("a",), horizon, "x", rows, (_ZERO,) * 2)
    lambda_max = rate + beta if up else rate
    return Perturbed(
        model,
        lambda_max,
        tuple(estimate(p, 2, lambda_max, "up" if up else "down", beta, _ZERO, 1) for p in model.pairs),
    )


def mistaken(rate: Fraction, beta: Fraction) -> Perturbed:
    """A good action that seems to be lost too soon, beside a safe one that is known."""
    rows = (
        Transition("x", "good", rate, _ONE, (("y", _ONE),)),
        Transition("x", "safe", rate, Fraction(1, 2), (("x", _ONE),)),
        Transition("y", "good", rate, _ZERO, (("y", _ONE),)),
    )
    model = CTMDP("mistaken", ("x", "y"), ("good", "safe"), _ONE, "x", rows, (_ZERO,) * 2)
    radii = (beta, _ZERO, _ZERO)
    found = (estimate(p, 2, rate + beta, "up", b, _ZERO, 1) for p, b in zip(model.pairs, radii, strict=True))
    return Perturbed(model, rate + beta, tuple(found))
