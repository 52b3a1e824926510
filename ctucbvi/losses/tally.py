r"""What the proof of ``thm:CT-UCB`` adds up, added up along the episodes that a learner played.

A visit is the :math:`m`-th decision of episode :math:`k`: the pair :math:`(x_m,a_m)`, the remaining time
:math:`u = (H - t_m^k)^+`, and whether the jump that ends it was observed, :math:`t_{m+1}^k \le H`.  With the
statistics :math:`N = N^{k,+}` and :math:`T = T^k` at the start of the episode, :math:`\alpha`, :math:`\beta`
and :math:`b` of ``eq:alpha-k``, ``eq:beta-k`` and ``eq:bonus-k``, and :math:`N_m` the count of the observed
:math:`m`-th jumps alone, the sums over all visits are

========  ====================================================  ====================================
PAID      :math:`b\int_0^u e^{-\hat\lambda s}ds`                what the recursion pays for a visit
BONUS     :math:`b\,u`                                          what ``eq:reward-disc`` puts for it
ALPHA     :math:`\alpha u`                                      the jumps in ``lem:error-model``
BETA      :math:`\beta u^2`                                     the rates, there and in the reward
JUMP      :math:`u/\sqrt{\max\{1,N\}}`                          ``prop:proberror``
RATE      :math:`u/\sqrt{\max\{T,L/\lambda_{\max}\}}`           ``prop:rateerror``
SLOW      :math:`(1-e^{-\lambda_{\min}u})/\sqrt{\max\{1,N\}}`   ``eq:CS1``
TRUE      :math:`(1-e^{-\lambda u})/\sqrt{\max\{1,N\}}`         with the pair's own rate
SEEN      :math:`1\{t_{m+1}\le H\}/\sqrt{\max\{1,N\}}`          ``eq:CS2``
OWN       :math:`1\{t_{m+1}\le H\}/\sqrt{\max\{1,N_m\}}`        the first step of ``eq:CS3``
========  ====================================================  ====================================

and over the episodes VALUE, :math:`\hat V_{n_k}(x_0,H)`, planned anew.  Beside the sums: the final
:math:`N_m(x,a)` for every :math:`m`; in how many episodes an estimate was outside its radii (the event of
``eq:G`` failed); and the largest :math:`\max\{1,N\}/(2\max\{\lambda_{\max}T, L\})`, which is at most 1 where
``prop:rateerror`` compares path by path.

The learner is not touched: its recorded visits are gone through again by a compiled loop of its own, which
counts, estimates and plans as :mod:`ctucbvi.learning.fast.episodes` does.
"""

from __future__ import annotations

from math import expm1, sqrt
from typing import ClassVar, NamedTuple

import numpy as np

from ctucbvi.kernels import compiled
from ctucbvi.learning.fast.episodes import CUT, N_PLUS, NEW, TICKS, Desk, Scene, accuracy, estimate
from ctucbvi.learning.fast.preparation import make_desk, make_scene
from ctucbvi.learning.fast.sweeps import iterate, slot
from ctucbvi.losses.packing import packed, unpacked
from ctucbvi.numeric.arrays import Arrays, Floats, Integers
from ctucbvi.study.plan import Contestant, Study

# Places in `Sums.total`.
PAID, BONUS, ALPHA, BETA, JUMP, RATE, SLOW, TRUE, SEEN, OWN, VALUE, TOTALS = range(12)
# Places in `Sums.clock`; OUTSIDE counts episodes that began outside of 𝒢.
EPISODE, VISITS, OUTSIDE, CLOCK = range(4)
# Of a pair: α, β, b, 1/√max(1, N), 1/√max(T, L/λmax), and whether its estimates are within the radii.
_ALPHA, _BETA, _BONUS, _COUNT, _TIME, _INSIDE, _RADII = range(7)
_ROOM = 16  # jumps of an episode that the counts by m begin with


class Sums(NamedTuple):
    """What has been added up so far; all there is to know for going on."""

    total: Floats  # (TOTALS,) see PAID and the others
    own: Integers  # (room, pairs) N_m, one row per m
    counts: Integers  # (4, pairs) as in the learner's memory
    jumps: Integers  # (non-zeros,) N(x,a,y)
    clock: Integers  # (CLOCK,) see EPISODE and the others
    crowd: Floats  # (1,) the largest max(1, N)/(2 max(λmax T, L))


class Tally:
    """Adds up the visits of one run, in the order in which they were made: an observer of a study."""

    kind: ClassVar[str] = "losses"

    def __init__(self, study: Study, contestant: Contestant, kept: bytes | None = None) -> None:
        initial, arrays = dict(study.initial), Arrays.of(study.model)
        self._scene = make_scene(study.model, study.settings, contestant.steps, initial)
        self._desk = make_desk(self._scene, deep=False)
        self._truth = _Truth(arrays.rate, arrays.probability, float(min(arrays.rate)))
        self._opening = np.array([float(p) for p in initial.values()])
        pairs = len(arrays.rate)
        self._radii = np.zeros((_RADII, pairs))
        new = Sums(
            total=np.zeros(TOTALS),
            own=np.zeros((_ROOM, pairs), np.int64),
            counts=np.zeros((4, pairs), np.int64),
            jumps=np.zeros(len(arrays.target), np.int64),
            clock=np.zeros(CLOCK, np.int64),
            crowd=np.zeros(1),
        )
        self.sums = new if kept is None else unpacked(Sums, kept)
        self.sums.counts[NEW] = 1  # estimates are found again, here as after a pause

    def see(self, visits: Integers) -> None:
        """Add whole episodes: ``visits`` are rows ``pair, ticks, place of the target or -1``."""
        longest = _longest(visits)
        short = longest - len(self.sums.own)
        if short > 0:
            more = np.zeros((short + _ROOM, self.sums.own.shape[1]), np.int64)
            self.sums = self.sums._replace(own=np.concatenate([self.sums.own, more]))
        _replay(self._scene, self._truth, self._desk, self._opening, self._radii, self.sums, visits)

    def keep(self) -> bytes:
        """The sums, as they are kept."""
        return packed(self.sums)


class _Truth(NamedTuple):
    """What the learner does not know."""

    rate: Floats  # (pairs,) λ
    probability: Floats  # (non-zeros,) p
    lambda_min: float  # λmin


def _longest(visits: Integers) -> int:
    """The largest number of observed jumps in an episode."""
    ends = np.flatnonzero(visits[:, 2] < 0)
    return int(np.diff(ends, prepend=-1).max()) - 1 if ends.size else 0


@compiled()
def _replay(
    scene: Scene,
    truth: _Truth,
    desk: Desk,
    opening: Floats,
    radii: Floats,
    sums: Sums,
    visits: Integers,
) -> None:
    counts, clock, total = sums.counts, sums.clock, sums.total
    at = 0
    while at < visits.shape[0]:
        clock[EPISODE] += 1
        inside = True
        for k in range(counts.shape[1]):
            if counts[NEW, k]:
                counts[NEW, k] = 0
                estimate(k, scene, counts, sums.jumps, desk)
                _renew(k, scene, truth, desk, radii, sums)
            inside &= radii[_INSIDE, k] > 0.0
        clock[OUTSIDE] += not inside
        total[VALUE] += _value(scene, desk, opening, clock[EPISODE])
        at = _episode(scene, truth, desk.rate, radii, sums, visits, at)


@compiled()
def _value(scene: Scene, desk: Desk, opening: Floats, episode: int) -> float:
    """The computed value at the initial states, planned as the learner plans."""
    n = iterate(scene, desk, accuracy(scene.numbers, episode))
    values, found = desk.values[slot(n, desk.values.shape[0])], 0.0
    for j in range(opening.size):
        found += opening[j] * values[scene.opening[j], -1]
    return float(found)


@compiled()
def _renew(k: int, scene: Scene, truth: _Truth, desk: Desk, radii: Floats, sums: Sums) -> None:
    """The radii of pair ``k``, and whether its estimates are within them."""
    numbers, row, counts, crowd = scene.numbers, scene.row, sums.counts, sums.crowd
    horizon, n_plus = numbers.horizon, max(1.0, float(counts[N_PLUS, k]))
    time = max(counts[TICKS, k] * numbers.tick + counts[CUT, k] * numbers.rest, numbers.floor)
    alpha, beta = desk.jump_radius[k], desk.rate_radius[k]
    radii[_ALPHA, k], radii[_BETA, k] = alpha, beta
    radii[_BONUS, k] = numbers.factor * (horizon * horizon * beta + horizon * alpha)
    radii[_COUNT, k], radii[_TIME, k] = 1.0 / sqrt(n_plus), 1.0 / sqrt(time)
    distance = 0.0
    for e in range(row[k], row[k + 1]):
        distance += abs(desk.chance[e] - truth.probability[e])
    radii[_INSIDE, k] = distance <= alpha and abs(desk.rate[k] - truth.rate[k]) <= beta
    crowd[0] = max(crowd[0], n_plus / (2.0 * numbers.lambda_max * time))


@compiled()
def _episode(
    scene: Scene, truth: _Truth, rate: Floats, radii: Floats, sums: Sums, visits: Integers, at: int
) -> int:
    """Add the episode that begins at row ``at``; returns where the next one begins."""
    counts, own, total, numbers = sums.counts, sums.own, sums.total, scene.numbers
    remaining, m = scene.reach[0], 0
    while True:
        k, ticks, place = visits[at, 0], visits[at, 1], visits[at, 2]
        u = remaining * numbers.tick + numbers.rest
        wait = -expm1(-rate[k] * u) / rate[k] if rate[k] > 0.0 else u
        root = radii[_COUNT, k]
        total[PAID] += radii[_BONUS, k] * wait
        total[BONUS] += radii[_BONUS, k] * u
        total[ALPHA] += radii[_ALPHA, k] * u
        total[BETA] += radii[_BETA, k] * u * u
        total[JUMP] += root * u
        total[RATE] += radii[_TIME, k] * u
        total[SLOW] -= root * expm1(-truth.lambda_min * u)
        total[TRUE] -= root * expm1(-truth.rate[k] * u)
        sums.clock[VISITS] += 1
        counts[TICKS, k] += ticks
        counts[NEW, k] = 1
        at += 1
        if place < 0:
            counts[CUT, k] += 1
            return at
        total[SEEN] += root
        total[OWN] += 1.0 / sqrt(max(1.0, float(own[m, k])))
        own[m, k] += 1
        counts[N_PLUS, k] += 1
        sums.jumps[place] += 1
        remaining -= ticks
        m += 1
