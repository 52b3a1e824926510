r"""How likely a Poisson process ever leaves the confidence set of its rate, computed with a proved error.

In the concatenated time of a pair, :math:`u = \lambda_{\max}T`, the observed jumps of the pair are a
Poisson process :math:`N_u` with rate :math:`\theta = \lambda/\lambda_{\max} \le 1`, and the set of
``lem:rateUCB`` is missed at :math:`u \ge L` when :math:`|N_u - \theta u| > \sqrt{Lu}`.  Whatever a policy
does, and whenever it looks, it looks at one path of this process at some times in :math:`[L, U]`,
:math:`U = \lambda_{\max}(K-1)H`.  So the probability of *ever* crossing in :math:`[L, U]` bounds what any
policy can do, adaptive or not.

**Recursion.**  Both boundaries increase, and so does the path.  While the integer part of the upper
boundary is constant it is enough to look at the end of the stretch, for the lower one at the beginning.
So carry the weights of the counts that are inside, from one time at which a boundary passes an integer to
the next, and drop what is outside.  The boundary :math:`\theta u \pm \sqrt{Lu}` is :math:`j` at

.. math:: \sqrt u = \frac{\sqrt{L + 4\theta j} \mp \sqrt L}{2\theta}.

**Error.**  All numbers are balls.  Poisson weights of a short stretch are cut off where they are
negligible; what is dropped is bounded by a geometric series and added to the result.  Times that cannot be
put in order raise the precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from flint import arb, arb_poly

from proofs_checks.checks.common import scaled
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.computed import Case

_BITS = (128, 256, 512)
_TINY = 2.0**-100  # what a cut-off of Poisson weights may leave out


@dataclass(frozen=True)
class CrossingCase:
    """What the radius depends on, and the rate of the pair as a share of the largest one."""

    states: int = 1
    actions: int = 1
    episodes: int = 2
    delta: Fraction = Fraction(1, 20)
    reach: Fraction = Fraction(100)  # λmax H
    share: Fraction = Fraction(1)  # θ = λ/λmax
    factor: Fraction = Fraction(4)  # of the logarithm in L(δ): the paper's is 4

    @property
    def ratio(self) -> Fraction:
        """2SAK/δ."""
        return 2 * self.states * self.actions * self.episodes / self.delta

    @property
    def end(self) -> Fraction:
        """λmax (K-1) H: no pair has more time, in units of 1/λmax."""
        return self.reach * (self.episodes - 1)

    def confidence(self) -> arb:
        """L(δ) at the precision that is set."""
        return arb(rational(self.factor)) * arb(rational(self.ratio)).log()

    def peels(self) -> int:
        """The least J with U <= L·25^J."""
        with precision(_BITS[0]):
            reached, count = self.confidence(), 0
            while not self.end_ball() <= reached:
                reached, count = 25 * reached, count + 1
        return count

    def end_ball(self) -> arb:
        """U as a ball."""
        return arb(rational(self.end))

    def __str__(self) -> str:
        return (
            f"S={self.states}, A={self.actions}, K={self.episodes}, δ={self.delta}, λmax·H={self.reach}, "
            f"λ/λmax={self.share}, L={self.factor}·ln(2SAK/δ)"
        )


class OrderError(Exception):
    """Two times could not be put in order at this precision."""


def crossing(setting: CrossingCase) -> arb:
    """``P(|N_u - θu| > √(Lu) for some u in [L, U])`` in a ball."""
    for bits in _BITS:
        with precision(bits):
            try:
                return _crossing(setting)
            except OrderError:
                continue
    raise OrderError(f"{setting}: times cannot be put in order with {_BITS[-1]} bits")


def _crossing(setting: CrossingCase) -> arb:
    start, end, share = setting.confidence(), setting.end_ball(), arb(rational(setting.share))
    if end <= start:
        return arb(0)
    return PoissonPath.at(start, share).leaves(_epochs(start, end, share), end)


def _epochs(start: arb, end: arb, share: arb) -> list[tuple[arb, bool]]:
    """The times in (L, U] at which the upper boundary reaches or the lower one passes an integer."""
    root, found = start.sqrt(), []
    for is_upper, turn in ((True, -1), (False, 1)):
        j = floor(share * start + start) + 1 if is_upper else 0
        while True:
            time = (((start + 4 * share * j).sqrt() + turn * root) / (2 * share)) ** 2
            if time > end:
                break
            if not time <= end:
                raise OrderError
            if is_upper or time > start:
                found.append((time, is_upper))
            elif not (j == 0 and share == 1):  # θL - √(L·L) = 0 for θ = 1: the lower boundary starts at 0
                raise OrderError
            else:
                found.append((start, is_upper))
            j += 1
    return in_order(found)


def in_order(epochs: list[tuple[arb, bool]]) -> list[tuple[arb, bool]]:
    """The epochs by their times."""
    found = sorted(epochs, key=lambda epoch: epoch[0].mid())
    if not all(a <= b or a is b for (a, _), (b, _) in pairwise(found)):
        raise OrderError
    return found


def floor(number: arb) -> int:
    """The integer part."""
    found = number.floor().unique_fmpz()
    if found is None:
        raise OrderError
    return int(found)


@dataclass
class PoissonPath:
    """The weights of the counts ``low, ..., high`` at ``time``, among paths that never crossed."""

    time: arb
    share: arb
    low: int
    high: int
    weights: list[arb]
    lost: arb  # mass that cut-offs dropped, at most

    @staticmethod
    def at(start: arb, share: arb) -> PoissonPath:
        """At u = L, where the boundaries begin; the lower one is not above 0 there."""
        high = floor(share * start + start)
        mean, weights = share * start, [(-share * start).exp()]
        for j in range(1, high + 1):
            weights.append(weights[-1] * mean / j)
        return PoissonPath(start, share, 0, high, weights, arb(0))

    def advance(self, time: arb) -> None:
        """To a later time, dropping the counts above ``high``."""
        mean = self.share * (time - self.time)
        room = self.high - self.low + 1
        steps, rest = _increments(mean, room)
        product = arb_poly(self.weights) * arb_poly(steps)
        kept = min(room, product.length())
        self.weights = [product[i] for i in range(kept)] + [arb(0)] * (room - kept)
        self.lost += rest
        self.time = time

    def drop_lowest(self) -> None:
        """The lower boundary passed ``low``."""
        self.low += 1
        self.weights = self.weights[1:]

    def leaves(self, epochs: list[tuple[arb, bool]], end: arb) -> arb:
        """The probability of crossing a boundary until ``end``, in a ball; both rise by 1 at their epochs."""
        for time, is_upper in epochs:
            self.advance(time)
            if is_upper:
                self.high += 1
            else:
                self.drop_lowest()
        self.advance(end)
        return 1 - (self.inside() + arb(0).union(self.lost))

    def inside(self) -> arb:
        """The probability of being there without ever having crossed."""
        return sum(self.weights, arb(0))


def _increments(mean: arb, room: int) -> tuple[list[arb], arb]:
    """Poisson weights as far as they matter, and a bound on what they leave out within ``room``."""
    weights = [(-mean).exp()]
    for j in range(1, room):
        term = weights[-1] * mean / j
        ratio = mean / (j + 1)
        if ratio < 0.5 and term < _TINY:
            return weights, 2 * term.abs_upper()
        weights.append(term)
    return weights, arb(0)


EXAMPLES = (
    CrossingCase(1, 1, 2, Fraction(9, 10), Fraction(50)),
    CrossingCase(1, 1, 2, Fraction(9, 10), Fraction(50), Fraction(1, 4)),
    CrossingCase(1, 1, 10, Fraction(1, 2), Fraction(10)),
    CrossingCase(2, 2, 30, Fraction(1, 20), Fraction(7)),
    CrossingCase(2, 2, 30, Fraction(1, 20), Fraction(7), Fraction(2, 7)),
)


LARGER = (
    CrossingCase(1, 1, 2, Fraction(9, 10), Fraction(1000)),
    CrossingCase(2, 2, 200, Fraction(1, 20), Fraction(7)),
    CrossingCase(2, 1, 100, Fraction(1, 100), Fraction(10), Fraction(1, 2)),
)


@scaled("crossing probabilities", "recursion over the counts inside the boundaries, in balls")
def covered(effort: Effort, factor: Fraction = Fraction(4)) -> Iterator[Case]:
    """The crossing probability against a pair's share of δ, with ``factor`` in L(δ)."""
    settings = EXAMPLES + (LARGER if effort.profile != "quick" else ())
    changed = [replace(setting, factor=factor) for setting in settings]
    return (Case(str(s), crossing(s), s.delta / (s.states * s.actions), line=_line(s)) for s in changed)


@scaled("crossing probabilities")
def peeled(effort: Effort, spare: Fraction = Fraction(1, 4)) -> list[Case]:
    """The crossing probability against 2J exp(-L·spare)."""
    settings = EXAMPLES + (LARGER if effort.profile != "quick" else ())
    return [Case(str(s), crossing(s), _peel_bound(s, spare), line=_line(s)) for s in settings]


def _peel_bound(setting: CrossingCase, spare: Fraction) -> arb:
    with precision(_BITS[0]):
        return 2 * setting.peels() * (-setting.confidence() * arb(rational(spare))).exp()


def _line(setting: CrossingCase) -> str:
    arguments = (
        f"{setting.states}, {setting.actions}, {setting.episodes}, F('{setting.delta}'), "
        f"F('{setting.reach}'), F('{setting.share}'), F('{setting.factor}')"
    )
    return (
        "from fractions import Fraction as F; "
        "from proofs_checks.checks.crossing import CrossingCase, missed; "
        f"print(missed(CrossingCase({arguments})))"
    )


def missed(setting: CrossingCase) -> bool:
    """Whether the crossing probability certainly exceeds the share δ/(SA): the re-check of a witness."""
    return bool(crossing(setting) > arb(rational(setting.delta / (setting.states * setting.actions))))
