r"""What the proof of ``thm:CT-UCB/optimistic`` adds up, added up along the episodes that a learner played.

A decision is made at a pair with the remaining time u, and the time τ is spent there until the jump, or the
horizon; :math:`A = u\tau - \tau^2/2 = \int_{u-\tau}^u t\,dt` is the remaining time integrated over it, and
:math:`Z = u - \tau` is left after a jump that was seen (0 if none was).  With what the pair had when the
episode began, the jumps :math:`N`, the time :math:`T`, the rates :math:`[\underline\lambda, \bar\lambda]` of
its set and :math:`\alpha^2 = g(n)/n`, :math:`n = \max\{1,N\}`, the sums over all decisions are

========  ==================================================  ===========================================
RATES     :math:`\int_{u-\tau}^u c(t)\,dt`                    what a wrong rate costs, paid on time
ROWS      :math:`\alpha Z`                                    what a wrong row costs, paid on jumps
ROOT      :math:`(f\tau + A)/\sqrt{\max\{eT,1\}}`             of ``prop:rateerror/times``
LOG       :math:`A/\max\{eT,1\}`                              of ``prop:rateerror/times/log``
========  ==================================================  ===========================================

and over the episodes VALUE, :math:`\hat V(x_0,H)`, planned anew.  :math:`c(t) = (\bar\lambda-\underline
\lambda)t` with the rates of the paper (``eq:error1/equation``), :math:`e = \lambda_{\max}/L`, f = 0; and with
those from Poisson tails the least of that and :math:`3(\sqrt{lt/T} + lt/T)` (``lem:rateUCB/tilts/cost``),
:math:`e = \lambda_{\max}/(3l)`, f = H.  Beside them, for every pair: the jumps, and the sums of τ, A and Z;
the most jumps of an episode; and in how many episodes a set missed the model.

The learner is not touched: its recorded visits are gone through again, with its own kernels for the sets and
the plan.
"""

from __future__ import annotations

from math import inf, sqrt
from math import log as logarithm
from typing import ClassVar, NamedTuple

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import CUT, N_PLUS, NEW, TICKS, Scene
from ctucbvi.learning.fast.optimistic import OptimisticLearner, set_constants
from ctucbvi.learning.fast.optimistic_march import MarchRoom, march
from ctucbvi.learning.fast.optimistic_sets import GridSets, SetConstants, renew
from ctucbvi.losses.packing import packed, unpacked
from ctucbvi.numeric.arrays import Arrays, Floats, Integers
from ctucbvi.study.plan import Contestant, Study

# Places in `OptimisticSums.total`.
RATES, ROWS, ROOT, LOG, VALUE, TOTALS = range(6)
# Places in `OptimisticSums.own`.
TIME, AREA, LEFT, OWN = range(4)
# Places in `OptimisticSums.clock`; OUTSIDE counts episodes that began with a set that misses the model.
EPISODE, VISITS, OUTSIDE, LONGEST, CLOCK = range(5)
# Of a pair: λ̄ - λ̲, l/T, α, max(eT, 1), and whether the model is in its set.
_WIDTH, _LEVEL, _ALPHA, _SHARE, _INSIDE, _PRICES = range(6)


class OptimisticSums(NamedTuple):
    """What has been added up so far; all there is to know for going on."""

    total: Floats  # (TOTALS,) see RATES and the others
    own: Floats  # (OWN, pairs) the sums of τ, A and Z
    counts: Integers  # (4, pairs) as in the learner's memory
    jumps: Integers  # (non-zeros,) N(x,a,y)
    clock: Integers  # (CLOCK,) see EPISODE and the others


class Rates(NamedTuple):
    """What a wrong rate costs when t remains, at most: w (f + t)/√max(eT, 1) + w' t/max(eT, 1)."""

    level: float  # l of the price by Poisson tails; infinite where there is none
    scale: float  # e
    flat: float  # f
    root_weight: float  # w
    log_weight: float  # w'

    @classmethod
    def of(cls, study: Study) -> Rates:
        """Those of the learner's sets."""
        model, settings = study.model, study.settings
        log_rates = set_constants(model, settings, 1).log_rates  # L, or l
        most, horizon = float(settings.lambda_max), float(model.horizon)
        if settings.rates == "paper":
            return cls(inf, most / log_rates, 0.0, 2 * most, 0.0)
        return cls(log_rates, most / (3 * log_rates), horizon, sqrt(3 * most / horizon) / 2, most)


class OptimisticTally:
    """Adds up the visits of one run, in the order in which they were made: an observer of a study."""

    kind: ClassVar[str] = "losses"

    def __init__(self, study: Study, contestant: Contestant, kept: bytes | None = None) -> None:
        model, initial, arrays = study.model, dict(study.initial), Arrays.of(study.model)
        # A learner that does not play lends its room.
        lent = OptimisticLearner(model, study.settings, seed=0, steps=contestant.steps, initial=initial)
        self._scene, self._sets, self._room = lent.scene, lent.sets, lent.room
        self._constants = set_constants(model, study.settings, contestant.steps)
        self._rates = Rates.of(study)
        self._truth = _TrueModel(arrays.rate, arrays.probability)
        self._opening = np.array([float(p) for p in initial.values()])
        pairs = len(arrays.rate)
        self._prices = np.zeros((_PRICES, pairs))
        new = OptimisticSums(
            total=np.zeros(TOTALS),
            own=np.zeros((OWN, pairs)),
            counts=np.zeros((4, pairs), np.int64),
            jumps=np.zeros(len(arrays.target), np.int64),
            clock=np.zeros(CLOCK, np.int64),
        )
        self.sums = new if kept is None else unpacked(OptimisticSums, kept)
        self.sums.counts[NEW] = 1  # sets are found again, here as after a pause

    def see(self, visits: Integers) -> None:
        """Add whole episodes: ``visits`` are rows ``pair, ticks, place of the target or -1``."""
        known = self._scene, self._constants, self._truth, self._rates, self._opening
        _replay(*known, self._sets, self._room, self._prices, self.sums, visits)

    def keep(self) -> bytes:
        """The sums, as they are kept."""
        return packed(self.sums)


class _TrueModel(NamedTuple):
    """What the learner does not know."""

    rate: Floats  # (pairs,) λ
    probability: Floats  # (non-zeros,) p


@compiled()
def _replay(
    scene: Scene,
    constants: SetConstants,
    truth: _TrueModel,
    rates: Rates,
    opening: Floats,
    sets: GridSets,
    room: MarchRoom,
    prices: Floats,
    sums: OptimisticSums,
    visits: Integers,
) -> None:
    counts, clock, pairs = sums.counts, sums.clock, np.arange(sums.counts.shape[1])
    at = 0
    while at < visits.shape[0]:
        clock[EPISODE] += 1
        inside = True
        for k in range(counts.shape[1]):
            if counts[NEW, k]:
                counts[NEW, k] = 0
                renew(pairs[k : k + 1], scene, constants, counts, sums.jumps, sets)
                _price(k, scene, constants, truth, rates, sets, prices, counts)
            inside &= prices[_INSIDE, k] > 0.0
        clock[OUTSIDE] += not inside
        march(scene, constants, sets, room)
        sums.total[VALUE] += _value(scene, room, opening)
        at = _episode(scene, rates, prices, sums, visits, at)


@compiled()
def _value(scene: Scene, room: MarchRoom, opening: Floats) -> float:
    """V̂ at the initial states."""
    found = 0.0
    for j in range(opening.size):
        x = scene.opening[j]
        found += opening[j] * room.table[scene.first[x] : scene.first[x + 1], -1].max()
    return found


@compiled()
def _price(
    k: int,
    scene: Scene,
    constants: SetConstants,
    truth: _TrueModel,
    rates: Rates,
    sets: GridSets,
    prices: Floats,
    counts: Integers,
) -> None:
    """What pair ``k`` costs until it is renewed, and whether its model is in the set."""
    n = max(1.0, float(counts[N_PLUS, k]))
    time = counts[TICKS, k] * scene.numbers.tick + counts[CUT, k] * scene.numbers.rest
    alpha = sqrt(2.0 * (constants.log_jumps + logarithm(n * (n + 1.0))) / n)
    prices[_WIDTH, k] = sets.high[k] - sets.low[k]
    prices[_LEVEL, k] = rates.level / time if time > 0.0 else inf
    prices[_ALPHA, k] = alpha
    prices[_SHARE, k] = max(rates.scale * time, 1.0)
    distance = 0.0
    for e in range(scene.row[k], scene.row[k + 1]):
        distance += abs(sets.chance[e] - truth.probability[e])
    near = counts[N_PLUS, k] == 0 or distance <= alpha
    prices[_INSIDE, k] = near and sets.low[k] <= truth.rate[k] <= sets.high[k]


@compiled()
def _cost(width: float, level: float, t: float) -> float:
    """The integral from 0 to t of the least of ``width s`` and ``3(√(level s) + level s)``."""
    root, line = 3.0 * sqrt(level), 3.0 * level
    edge = (root / (width - line)) ** 2 if width > line else inf  # where the second becomes the lesser one
    if t <= edge:
        return 0.5 * width * t * t
    beyond = root * (t * sqrt(t) - edge * sqrt(edge)) / 1.5 + 0.5 * line * (t * t - edge * edge)
    return float(0.5 * width * edge * edge + beyond)


@compiled()
def _episode(
    scene: Scene, rates: Rates, prices: Floats, sums: OptimisticSums, visits: Integers, at: int
) -> int:
    """Add the episode that begins at row ``at``; returns where the next one begins."""
    counts, own, total, clock, numbers = sums.counts, sums.own, sums.total, sums.clock, scene.numbers
    remaining, jumped = scene.reach[0], 0
    while True:
        k, ticks, place = visits[at, 0], visits[at, 1], visits[at, 2]
        u = remaining * numbers.tick + numbers.rest
        left = (remaining - ticks) * numbers.tick + numbers.rest if place >= 0 else 0.0
        area, share = 0.5 * (u - left) * (u + left), prices[_SHARE, k]
        width, level = prices[_WIDTH, k], prices[_LEVEL, k]
        total[RATES] += _cost(width, level, u) - _cost(width, level, left)
        total[ROWS] += prices[_ALPHA, k] * left
        total[ROOT] += (rates.flat * (u - left) + area) / sqrt(share)
        total[LOG] += area / share
        own[TIME, k] += u - left
        own[AREA, k] += area
        own[LEFT, k] += left
        clock[VISITS] += 1
        counts[TICKS, k] += ticks
        counts[NEW, k] = 1
        at += 1
        if place < 0:
            counts[CUT, k] += 1
            clock[LONGEST] = max(clock[LONGEST], jumped)
            return at
        counts[N_PLUS, k] += 1
        sums.jumps[place] += 1
        remaining -= ticks
        jumped += 1
