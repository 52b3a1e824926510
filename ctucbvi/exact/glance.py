r"""Simple steps, surveyed at a glance: doubles prove how margins run, balls where the one falls that does.

Most steps of a small problem are simple: every margin stays positive, but for one that falls through zero
and ends the regime.  Then no series is needed in balls.  The coefficients of all margins are computed in
doubles, next to a bound :math:`\delta` on what rounding can have done; the fall is found in balls from
the carried values at one point near it, by Taylor's formula.  Whatever is not simple is left to
:mod:`ctucbvi.exact.survey`.

**Rounding.**  The carried values with a 1 at the end obey :math:`z_{k+1} = \hat P z_k`, where
:math:`\hat P` is a stochastic matrix and a column of rewards; all :math:`n` coefficients are found by
doubling, from :math:`\hat P, \hat P^2, \hat P^4, \dots`  With :math:`d` rows a product of doubles is wrong by
:math:`(d+1)u` at most, relative to the sum of its sizes, :math:`u = 2^{-53}`; errors of :math:`\hat P^j` add
up and are not amplified, so they are below :math:`(2d+10)ju`, those of the column of rewards
below that times :math:`j/2` rewards, and those of the coefficients below :math:`4n(d+8)u` of the
bound :math:`\sigma` for all of them.  Twice that for a difference, and twice again to be safe.

**Positive.**  Let :math:`c_k` be the coefficients of a margin made smaller by :math:`\delta`, the first m of
them 0 (they are 0, or known not to be negative); with :math:`t_k = x^k/k!` the margin is
:math:`f(x) \ge e^{-x} (\sum_k c_k t_k - \text{tail})`.  It has to exceed the noise :math:`\nu`.  On
:math:`0 < x \le R` both the tail and :math:`\nu e^x` are at most :math:`x^m/m!` times some number
(:math:`\nu e^x \le \nu + \nu e^R x` where the coefficient of order 0 is known to exceed :math:`\nu`), which
is taken from :math:`c_m`.  If then :math:`c_m > 0` and the sequence changes sign at most once, Descartes'
rule says that the sum has one positive zero at most, and if it is positive at R it is so before.

**Falling.**  The one margin that is negative at R has a zero near some :math:`x^*`.  Since
:math:`|f''| \le 4\sigma_f`, its slope on :math:`[x^*-h, x^*+h]` is between half and twice that at
:math:`x^*` for :math:`h = |f'(x^*)|/16\sigma_f`; up to :math:`x^*-h` it is positive as above, and within it
falls.  So two signs that are proved in balls, one on each side, enclose the switch.  With
:math:`z' = Gz` in x and :math:`\|G\| \le 2` the derivatives obey :math:`|z^{(N)}| \le 2^{N-1}\max|z'|`,
which bounds the remainder of Taylor's formula about a point (and :math:`e^{2D}` times that at distance D).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, factorial, inf, log2

import numpy as np
from flint import arb, arb_poly, ctx, fmpq
from numpy.typing import NDArray

from ctucbvi.exact.precision import largest, point
from ctucbvi.exact.problem import MarginKey
from ctucbvi.exact.regimes import RegimeStep
from ctucbvi.exact.signs import Region
from ctucbvi.exact.start import Opening
from ctucbvi.exact.survey import Survey
from ctucbvi.numbers import ROUNDING

Doubles = NDArray[np.float64]

_LARGE, _SMALL = 1e200, 1e-200  # beyond these sizes doubles might overflow or lose digits
_LEAST = 1e-290  # more than underflow can do
_SHORT, _LONG = 1e-9, 32.0  # reaches of steps between which nothing overflows or takes long
_TAIL = 2.0**-46  # where the terms x^k/k! are cut off
_ORDERS = 8  # beyond which a margin that vanishes is not looked at
_NEAR = 2.0**-30  # how far from the point near the switch Taylor's formula is used
_MORE = 1 + 2.0**-40  # more than a few roundings


def glance(step: RegimeStep, error: arb, first: Opening | None) -> Survey | None:
    """The survey of a simple step; nothing where the step is not simple."""
    problem = step.problem
    if not problem.small or problem.truncate or (first and (first.ties or first.open)):
        return None
    if not step.keys:
        return _calm(step)
    sketch = _Sketch.of(step, first)
    if sketch is None:
        return None
    reserve = arb(sketch.size) / 2**ctx.prec  # for the damage of this very step
    noise = (error + reserve).upper()
    if not sketch.prepare(step, noise, first):
        return None
    falls = [n for n, end in enumerate(sketch.ends(1.0)) if not end > 0]
    if not falls:
        return _calm(step)
    fall = sketch.fall(falls, float(noise) * _MORE + _LEAST, exact=first is not None)
    return _cut(step, fall, noise, reserve) if fall else None


def _calm(step: RegimeStep) -> Survey:
    """Nothing happens."""
    return Survey(step.basis.reach, [], {}, arb(0), (arb(0),) * len(step.regime.best))


@dataclass(frozen=True, slots=True)
class _Fall:
    """A margin that falls between ``near - room`` and ``near + room``, beyond which no other one does."""

    key: MarginKey
    near: float
    room: float
    size: float  # of all values
    slope: float  # at least this is how fast it falls


class _Sketch:
    """The coefficients of all margins of a step in doubles, a column for each margin."""

    margins: Doubles

    def __init__(self, step: RegimeStep, reach: float, orders: list[int]) -> None:
        numbers, best = step.problem.doubles, step.regime.best
        self.keys, self.orders = step.keys, orders
        self.reach, self.growth = reach, exp(reach) * _MORE
        powers = _powers(reach, max(orders) + 6)
        self.powers, terms = np.array(powers), len(powers)
        self.start = [float(c) for c in step.carried]
        self.size = (max(map(abs, self.start)) + (terms + 1) * numbers.drift) * _MORE
        self.rivals = [i for _, i in self.keys if i is not None]
        self.leaders = [best[x] for x, _ in self.keys]
        if step.problem.committed:
            self.sensitivity = [2.0] * len(self.rivals)
            self.sizes = [2 * self.size] * len(self.rivals)
        else:
            rate, reward = numbers.rate, numbers.reward
            both = list(zip(self.leaders, self.rivals, strict=True))
            self.sensitivity = [2 * (rate[b] + rate[a]) * _MORE for b, a in both]
            spread = [abs(reward[b]) + abs(reward[a]) for b, a in both]
            self.sizes = [(s * self.size + r) * _MORE for s, r in zip(self.sensitivity, spread, strict=True)]
        coarse = 8 * terms * (len(self.start) + 9) * ROUNDING
        self.doubt = [size * coarse + _LEAST for size in self.sizes]
        self.rounding = self.growth * 4 * terms * ROUNDING  # of e^x f, relative to the size
        self.cut_off = 4 * powers[-3] * terms / (terms - 1 - reach)  # the same for the tail

    @classmethod
    def of(cls, step: RegimeStep, first: Opening | None) -> _Sketch | None:
        """The sketch, where the numbers of the step are of bearable sizes."""
        reach, numbers, best = _double(step.basis.reach), step.problem.doubles, step.regime.best
        orders = [first.order.get(key, 0) for key in step.keys] if first else [0] * len(step.keys)
        if not (_SHORT < reach <= _LONG and max(orders) <= _ORDERS and numbers.usable):
            return None
        found = cls(step, reach, orders)
        start, terms = found.start, len(found.powers)
        if not (_SMALL < found.size < _LARGE and max(found.sizes) < _LARGE):
            return None
        if step.problem.committed:
            values = _sequences(numbers.powers(best, committed=True), start, terms)
            found.margins = values.take(found.leaders, 1) - values.take(found.rivals, 1)
        else:
            values = _sequences(numbers.powers(best, committed=False), start, terms)
            found.margins = values @ numbers.slopes(found.leaders, found.rivals)
        return found

    def prepare(self, step: RegimeStep, noise: arb, first: Opening | None) -> bool:
        """Make the coefficients that Descartes' rule is about; False where it does not apply."""
        self.low = low = self.margins - np.array(self.doubt)
        level = float(noise) * _MORE + _LEAST if first is None else 0.0  # at first the values are exact
        heads = low[: max(2, max(self.orders) + 1)].tolist()
        self.leads = []
        for n, order in enumerate(self.orders):
            taken = level * self.growth * self.sensitivity[n]
            tail = self.cut_off * self.sizes[n]
            if first is None and heads[0][n] <= taken + tail:  # at the last switch, that is
                if not step.lead(self.keys[n]) > noise * self.sensitivity[n] * _MORE:
                    return False
                order = self.orders[n] = 1
            if order:
                tail *= factorial(order) / self.reach**order * _MORE
            lead = heads[order][n] - taken - tail
            if not lead > 0:
                return False
            self.leads.append(lead)
        if len(set(self.orders)) == 1:
            low[: self.orders[0]] = 0.0
            low[self.orders[0]] = self.leads
        else:
            for n, order in enumerate(self.orders):
                low[:order, n] = 0.0
                low[order, n] = self.leads[n]
        negative = low < 0
        return not np.count_nonzero(negative[:-1] > negative[1:])

    def ends(self, share: float) -> list[float]:
        """Lower bounds of ``e^x f`` at this share of the reach."""
        powers = self.powers if share == 1 else self.powers * share ** np.arange(len(self.powers))
        found: list[float] = (powers @ self.low).tolist()
        return [end - size * self.rounding for end, size in zip(found, self.sizes, strict=True)]

    def fall(self, falls: list[int], noise: float, *, exact: bool) -> _Fall | None:
        """The first fall, if it is a simple one and happens alone."""
        roots = [(*_root((self.margins[:, n] * self.powers).tolist(), self.reach), n) for n in falls]
        share, slope, n = min(roots)
        if not 0 < share < 1:
            return None
        near = share * self.reach
        slope *= -exp(-near) / self.reach  # how fast it falls
        size, terms = self.sizes[n], len(self.powers)
        doubt = 2 * self.doubt[n] + (8 * terms * ROUNDING + self.cut_off) * size
        if not slope > 16 * doubt + 8 * noise * self.sensitivity[n]:
            return None
        room = min(slope / (16 * size), near / 2)
        left, right = near - room, min(near + room, self.reach)
        ends = self.ends(right / self.reach)
        ends[n] = self.ends(left / self.reach)[n]
        for end, lead, order, sensitivity in zip(
            ends, self.leads, self.orders, self.sensitivity, strict=True
        ):
            # At first there is no noise before the fall, where margins may vanish.
            above = noise * self.growth * sensitivity * _MORE if exact else 0.0
            if not (end > above * (right / left) ** order and lead > above * factorial(order) / left**order):
                return None
        return _Fall(self.keys[n], near, min(room, self.reach - near) / 2, self.size, slope / 2)


def _powers(reach: float, least: int) -> list[float]:
    """``R^k/k!`` up to where it is negligible."""
    power, found = 1.0, [1.0]
    while power > _TAIL or len(found) < least:
        power *= reach / len(found)
        found.append(power)
    return found


def _sequences(powers: list[Doubles], start: list[float], terms: int) -> Doubles:
    """The rows ``z, zP, zPP, ...`` by doubling, ``z`` being ``start`` with a 1 at its end.

    Of P, P^2, P^4, ... those that are missing are added.
    """
    found = np.empty((terms, len(start) + 1))
    found[0] = [*start, 1.0]
    have = doublings = 1
    while have < terms:
        if doublings > len(powers):
            powers.append(np.dot(powers[-1], powers[-1]))
        more = min(have, terms - have)
        np.dot(found[:more], powers[doublings - 1], out=found[have : have + more])
        have, doublings = have + more, doublings + 1
    return found


def _root(coefficients: list[float], reach: float) -> tuple[float, float]:
    """A zero in [0, 1] of a polynomial P that is negative at 1, and ``P' - R P`` there; else (inf, 0).

    By Newton's method for ``e^-Rx P``, which is less steep.
    """
    low, high, x, slope = 0.0, 1.0, 1.0, 0.0
    backwards = coefficients[::-1]
    for _ in range(60):
        value = slope = 0.0
        for c in backwards:
            slope = slope * x + value
            value = value * x + c
        if value > 0:
            low = x
        else:
            high = x
        if low == 1:
            return inf, 0.0
        slope -= reach * value
        new = x - value / slope if slope < 0 else low
        if abs(new - x) <= 2.0**-48 * x:
            break
        x = new if low < new < high else (low + high) / 2
    return x, slope


def _double(number: fmpq) -> float:
    """The nearest double; infinity where there is none."""
    try:
        return int(number.p) / int(number.q)
    except OverflowError:
        return inf


def _cut(step: RegimeStep, fall: _Fall, noise: arb, reserve: arb) -> Survey | None:
    """The survey that ends with ``fall``, which is located to the working precision."""
    problem, (x, _) = step.problem, fall.key
    sensitivity = step.sensitivity(fall.key)
    threshold = (noise * sensitivity).upper()
    found = _Taylor(step, fall, sensitivity).bracket(threshold, arb(fall.size) * (1 + sensitivity))
    if found is None or not fall.slope > 2 * threshold:
        return None
    region, carried = found
    violation = (-region.least).max(arb(0)).upper()
    length = arb(region.upper - region.lower)
    damage = (violation * (length if problem.committed else length / problem.clock)).upper()
    if not damage <= reserve:
        return None
    slack = [arb(0)] * len(step.regime.best)
    if problem.committed:
        slack[x] = violation
    step.know(region.upper, carried)
    return Survey(region.upper, [fall.key], {fall.key: [region]}, damage, tuple(slack))


class _Taylor:
    """The carried values and a margin about a point near its zero, in balls."""

    def __init__(self, step: RegimeStep, fall: _Fall, sensitivity: arb) -> None:
        self.near = fmpq(*fall.near.as_integer_ratio())
        self.distance = min(fall.room, _NEAR)
        terms = ceil(ctx.prec / -log2(2 * self.distance)) + 1
        motion = step.motion
        column = motion.column(step.carried_at(self.near))
        self.columns = [column]
        for k in range(1, terms):
            column = motion.generator * column / k
            self.columns.append(column)
        steepest = largest(self.columns[1].entries())
        self.rest = (steepest * arb(2 * self.distance) ** terms / arb(terms).fac()).upper()
        entries = [c.entries() for c in self.columns]
        coefficients = [step.margin_of(fall.key, some, some[-1]) for some in entries]
        coefficients[0] += arb(0, (self.rest * sensitivity).upper())
        self.margin = arb_poly(coefficients)

    def bracket(self, noise: arb, size: arb) -> tuple[Region, list[arb]] | None:
        """The two points nearest to the zero at which signs are proved, and what is carried at the second."""
        zero, slopes = arb(0), self.margin.derivative()
        for _ in range(ctx.prec.bit_length() - 4):  # from about 40 bits on they double
            zero = (zero - self.margin(zero) / slopes(zero).mid()).mid()
        blur, slope = self.margin(zero).abs_upper(), slopes(zero).abs_lower()
        drop = (4 * (noise + blur) + size * 2.0**15 / 2**ctx.prec).upper()
        left = (zero - 2 * (blur + noise) / slope).mid()
        right = (zero + 2 * (blur + drop) / slope).mid()
        within = -left < self.distance and right < self.distance and left < right
        above, below = self.margin(left), self.margin(right)
        if not (within and above > noise and below < -drop):
            return None
        region = Region(self.near + point(left), self.near + point(right), 0, below.lower(), -1)
        column = self.columns[-1]
        for c in self.columns[-2::-1]:
            column = column * right + c
        rest = arb(0, self.rest)
        return region, [value + rest for value in column.entries()[:-1]]
