r"""The numbers of the confidence sets, of each implementation, against their formulas in balls.

Experiments do not see a radius that is too small by less than what it has to spare, nor one that is too
large.  So the formulas stand here once more, as they are in ``eq:beta-k``, ``eq:alpha-k``,
``lem:CI-p/uniform``, ``lem:rateUCB/tilts`` and ``lem:CI-p/kl``, sharing no code with the package, and three
implementations are held against them: the kernels of the compiled learners, and the modules ``radii`` and
``sets`` of :mod:`ctucbvi.learning` in doubles and, for the exact learner, in balls.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from ctucbvi.exact.precision import BALLS, precision, to_fmpq
from ctucbvi.learning import DOUBLES, Arithmetic, Settings, Statistics, confidence_sets, constants
from ctucbvi.model import CTMDP
from ctucbvi.strategies import models
from proofs_checks.checks.coverage import BOTH, POISSON, UNIFORM, World
from proofs_checks.checks.perturbed import positive
from verify.provers.search import Search

_BITS = 128
_ROUNDING = Fraction(1, 2**40)
_DELTAS = tuple(Fraction(1, n) for n in (5, 2, 20, 1000, 10**9))
_EPISODES = (100, 1, 2, 40, 10**4, 10**6)
_KINDS = (BOTH, UNIFORM, POISSON)
_SHARES = tuple(Fraction(n, 10) for n in (5, 9, 1, 10, 20))  # λ̂ over λmax


@dataclass(frozen=True)
class SeenPair:
    """A learner, and what it has seen of the first pair that is ever left."""

    model: CTMDP
    settings: Settings
    n: int  # N
    time: Fraction  # T, to the nearest tick of the learner's clock

    @property
    def pair(self) -> int:
        """Which pair."""
        return next(k for k, pair in enumerate(self.model.pairs) if pair.rate)


@dataclass(frozen=True)
class SetNumbers:
    """The ends of the rates, and the radius or divergence of the jumps; none: all probability vectors."""

    low: arb
    high: arb
    reach: arb | None


def formulas(seen: SeenPair, time: Fraction, scale: Fraction = Fraction(1)) -> SetNumbers:
    """What the paper and the lemmas say; a squared radius is ``scale`` times its own."""
    settings, n = seen.settings, seen.n
    rates = _poisson(seen, time, scale) if settings.rates == "poisson" else _within(seen, time, scale)
    if n == 0 and settings.jumps:
        return SetNumbers(*rates, None)
    states = len(seen.model.states)
    share, n = states * len(seen.model.actions) / settings.delta, max(1, n)
    if settings.jumps == "kl":
        return SetNumbers(*rates, to_fmpq(scale) * (_log(share) + _log(comb(n + states - 1, n))) / n)
    steps = n * (n + 1) if settings.jumps else seen.model.horizon * settings.episodes**2
    return SetNumbers(*rates, (2 * to_fmpq(scale) * (states * _log(2) + _log(share * steps)) / n).sqrt())


def _within(seen: SeenPair, time: Fraction, scale: Fraction) -> tuple[arb, arb]:
    """λ̂ ± β."""
    settings, top = seen.settings, arb(to_fmpq(seen.settings.lambda_max))
    pairs = len(seen.model.states) * len(seen.model.actions)
    level = 4 * to_fmpq(scale) * _log(2 * pairs * settings.episodes / settings.delta)
    least = settings.lambda_min or Fraction(0)
    rate = arb(to_fmpq(max(min(seen.n / time, settings.lambda_max) if seen.n else Fraction(0), least)))
    beta = (top * level / to_fmpq(time)).sqrt() if to_fmpq(time) * top > level else top
    if settings.rates is None:
        return rate - beta, rate + beta
    return (rate - beta).max(arb(to_fmpq(least))), (rate + beta).min(top)


def _poisson(seen: SeenPair, time: Fraction, scale: Fraction) -> tuple[arb, arb]:
    """What all tilts ζ = 2, 1, 1/2, ... allow: ζN - l <= (e^ζ - 1)λT and (1 - e^{-ζ})λT <= ζN + l."""
    settings, n, doublings = seen.settings, seen.n, 0
    while 2**doublings < settings.episodes * (1 + settings.lambda_max * seen.model.horizon):
        doublings += 1
    count = 2 + (doublings + 1) // 2
    pairs = len(seen.model.states) * len(seen.model.actions)
    level = to_fmpq(scale) * _log(2 * pairs * count / settings.delta)
    least, top = arb(to_fmpq(settings.lambda_min or Fraction(0))), arb(to_fmpq(settings.lambda_max))
    low, high = least, top
    for tilt in (to_fmpq(Fraction(2, 2**m)) for m in range(count) if time):
        low = low.max((tilt * n - level) / ((arb(tilt).exp() - 1) * to_fmpq(time)))
        high = high.min((tilt * n + level) / ((1 - arb(-tilt).exp()) * to_fmpq(time)))
    low = low.min(top)
    return low, high.max(low)


def _log(number: Fraction | int) -> arb:
    return arb(to_fmpq(Fraction(number))).log()


# --- the package's ------------------------------------------------------------------------------


def compiled(seen: SeenPair) -> tuple[Fraction, SetNumbers]:
    """T, and what the kernels of the compiled learner make of the data."""
    from ctucbvi.learning.fast.used_sets import SideBySide  # compiled: slow to load

    data, pair = SideBySide(seen.model, seen.settings, 1), seen.pair
    ticks = max(1, round(seen.time / Fraction(data.tick)))
    pairs, _ = World(seen.model).places
    jumps = np.zeros((1, len(pairs)), np.int64)
    jumps[0, list(pairs).index(pair)] = seen.n
    data.add(np.array([pair]), np.array([ticks]), np.array([0]), jumps)
    used = data.used
    reach = float(used.reach[0, pair])
    ends = arb(float(used.low[0, pair])), arb(float(used.high[0, pair]))
    return ticks * Fraction(data.tick), SetNumbers(*ends, None if reach == np.inf else arb(reach))


def generic(seen: SeenPair, time: Fraction, numbers: Arithmetic[Any]) -> SetNumbers:
    """What the formulas of the package, which are written over an arithmetic, make of the data."""
    settings, t = seen.settings, numbers.number(time)
    jumps = [0] * len(seen.model.transitions)
    jumps[seen.pair] = seen.n
    times = tuple(time * (k == seen.pair) for k in range(len(jumps)))
    known = Statistics(seen.model, 0, times, ((0,) * len(seen.model.states),) * len(jumps), tuple(jumps))
    rate = numbers.number(known.rate(seen.pair, settings))
    if settings.rates is None:
        radii = constants(seen.model, settings, numbers)
        beta = arb(radii.rate_radius(t, numbers))
        alpha = arb(radii.jump_radius(numbers.number(Fraction(seen.n)), numbers))
        return SetNumbers(rate - beta, rate + beta, alpha)
    found = confidence_sets(seen.model, settings, numbers).pair(rate, t, seen.n)
    return SetNumbers(arb(found.low), arb(found.high), None if found.radius is None else arb(found.radius))


def deviation(seen: SeenPair, scale: Fraction = Fraction(1)) -> arb:
    """By how much a number of the package is off at most, relative to its size."""
    time, mine = compiled(seen)
    with precision(_BITS):
        true, top = formulas(seen, time, scale), seen.settings.lambda_max
        size = to_fmpq(top + (seen.n / time if time else 0))
        far = arb(0)
        for one in (mine, generic(seen, time, DOUBLES), generic(seen, time, BALLS)):
            far = far.max(abs(one.low - true.low) / size).max(abs(one.high - true.high) / size)
            far = far.max(_apart(one.reach, true.reach, distance=seen.settings.jumps == "l1"))
        return far


def _apart(one: arb | None, other: arb | None, *, distance: bool) -> arb:
    """The relative difference of two radii; a distance of 2 is no bound at all."""
    mine, true = (arb(2) if found is None and distance else found for found in (one, other))
    if mine is None or true is None:
        return arb(int(mine is not true))
    if distance:
        mine, true = mine.min(arb(2)), true.min(arb(2))
    return abs(mine - true) / true


@st.composite
def seen_pairs(draw: DrawFn, model: CTMDP | None = None) -> SeenPair:
    """Draw learners of a model, and data of a pair; rewards, which no set depends on, are 0."""
    known = draw(_MODELS) if model is None else model
    known = replace(known, transitions=tuple(replace(row, reward=Fraction(0)) for row in known.transitions))
    episodes, delta = draw(st.sampled_from(_EPISODES)), draw(st.sampled_from(_DELTAS))
    states, least = len(known.states), min(row.rate for row in known.transitions)
    real = 2**states * states * len(known.actions) * known.horizon * episodes**2 > delta  # α of the paper
    kind = draw(st.sampled_from(_KINDS if real else _KINDS[1:]))
    settings = Settings.for_model(
        known,
        episodes=episodes,
        delta=delta,
        lambda_max=known.max_rate * draw(st.sampled_from((1, 1, 3))),
        lambda_min=least or None if draw(st.booleans()) else None,
        bonus="paper" if kind.rates is None else "optimistic",
        rates=kind.rates,
        jumps=kind.jumps,
    )
    load = draw(st.integers(1, 16)) * Fraction(2) ** draw(st.integers(-6, 14))  # λmax T
    n = draw(st.sampled_from((1, 0, 2)) | st.sampled_from(_SHARES).map(lambda share: int(share * load)))
    return SeenPair(known, settings, n, min(load / known.max_rate, episodes * known.horizon))


_MODELS = models(max_states=3, max_actions=2, rewards="unit", terminal=False).map(
    lambda found: found if found.max_rate else positive(found)
)


def agreement(model: CTMDP | None = None, *, scale: Fraction = Fraction(1)) -> Search:
    """No number of a set is off by more than rounding, in any implementation; ``scale`` is for a mutant."""
    return Search(
        (60, 2000),
        given=seen_pairs(model),
        sides=lambda seen: (deviation(seen, scale), _ROUNDING),
        title="formulas",
    )
