r"""From which number of episodes on a bound says more than the trivial one.

No regret exceeds :math:`KH`.  Let :math:`B(K)` be a version of the bound at :math:`K`, all other parameters
fixed (:math:`\delta = 1/(2KH)` moves with :math:`K`).  :func:`threshold` finds the smallest :math:`K_0` with
:math:`B(K) < KH` for **all** :math:`K \ge K_0`, and proves it:

* :math:`B(K_0-1) \ge (K_0-1)H` and :math:`B(K_0) < K_0H`, in balls.
* :math:`B(K)/K` decreases from :math:`K_1 \le K_0` on.  It is the sum of up to four things.  The product,
  and what there is of lower order, over :math:`K` have logarithmic derivatives that
  :attr:`~ctucbvi.bounds.versions.Version.growth` bounds from above; that bound decreases in :math:`K`, and
  :math:`K_1` is the first :math:`K \ge 2` at which it is proved negative, so it is for every larger
  :math:`K`.  The mean :math:`\frac1K\sum_{k\le K}\epsilon_k` decreases because :math:`\epsilon_k` does.  The
  last term over :math:`K` decreases, or is the constant :math:`2\delta H`.

*The growth decreases.*  The part of a root does, being :math:`n/(2(c+nk))` with :math:`k = \ln K`.  The part
of :math:`\ln K/\ln(\ln K+1)` is :math:`\frac1k - \frac1{(1+k)u}` with :math:`u = \ln(1+k)`; its derivative
is negative if :math:`(1-e^{-u})\sqrt{1+u} < u`, which holds as :math:`1-e^{-u} < 2u/(2+u)` and
:math:`\sqrt{1+u} \le 1+u/2`.

The domain of a version is an interval of :math:`K` that ends nowhere (:mod:`ctucbvi.bounds.conditions`), so
that the bound holds from its first number on.  The two ends are found by bisection and the
crossing by the Illinois variant of regula falsi on :math:`\ln(B/(KH))` over :math:`\ln K`, which is almost a
straight line; numbers with thousands of digits are no obstacle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from flint import arb

from ctucbvi.bounds.arithmetics import BALLS
from ctucbvi.bounds.conditions import check
from ctucbvi.bounds.parameters import Parameters
from ctucbvi.bounds.versions import Version
from ctucbvi.errors import UndecidedError
from ctucbvi.exact.precision import point, precision

LARGEST = 2**4096  # no larger number of episodes is looked at
_MOST_STEPS = 400  # of regula falsi
_WALK = 1000  # numbers looked at below the place from which on the bound over K decreases
_MOST_BITS = 1 << 15


@dataclass(frozen=True)
class Threshold:
    """The first K from which on a bound is below K H; or why there is none."""

    episodes: int | None
    reason: str = ""


def threshold(version: Version, p: Parameters) -> Threshold:
    """The smallest K from which on ``version`` is below the trivial bound; the K of ``p`` is not used."""
    if version.own_delta and p.delta is not None and 2 * p.delta >= 1:
        return Threshold(None, "2 delta K H is not below K H for delta >= 1/2")
    failing = check(version.conditions, replace(p, episodes=LARGEST)).failing
    if failing:
        return Threshold(None, f"needs {failing[0]}")
    start = first(lambda k: _falling(version, replace(p, episodes=k)), 2, LARGEST)
    if start is None:
        return Threshold(None, "the bound is not known to grow more slowly than K")
    try:
        if excess(version, p, start) < 0:
            return _walk_down(version, p, start)
        above, below = start, start
        while not excess(version, p, below) < 0:
            above, below = below, below * below
            if below > LARGEST:
                return Threshold(None, "K would have more than a thousand digits")
        return Threshold(_crossing(lambda k: excess(version, p, k), above, below))
    except UndecidedError as error:
        return Threshold(None, str(error))


def first(holds: Callable[[int], bool], low: int, high: int) -> int | None:
    """The smallest number in ``[low, high]`` where a condition holds that never ceases to hold."""
    if not holds(high):
        return None
    step, known = 1, low
    while not holds(min(known, high)):  # gallop up, then halve
        low, known, step = known + 1, known + step, 2 * step
    high = min(known, high)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def excess(version: Version, p: Parameters, episodes: int) -> arb:
    """``ln(B(K)/(K H))``, certainly negative or certainly not."""
    at = replace(p, episodes=episodes)
    bits = episodes.bit_length() + 64
    while bits <= _MOST_BITS:
        with precision(bits):
            found = (version.bound(at, BALLS) / BALLS.number(episodes * p.horizon)).log()
            if found < 0 or found >= 0:
                return found
        if not found.is_finite():  # beyond any arithmetic: more bits would not help
            break
        bits *= 2
    raise UndecidedError(f"the bound at K = {episodes} is not told apart from K H with {_MOST_BITS} bits")


def _falling(version: Version, at: Parameters) -> bool:
    """Whether the version is defined there and its product over K decreases from there on, for certain."""
    if not check(version.conditions, at).hold:
        return False
    with precision(128):
        return bool(version.growth(at, BALLS) < 0)


def _walk_down(version: Version, p: Parameters, start: int) -> Threshold:
    """The bound is below K H where it begins to decrease: look at the numbers before, one by one."""
    for k in range(start - 1, max(start - _WALK, 0), -1):
        defined = check(version.conditions, replace(p, episodes=k)).hold
        if not defined or excess(version, p, k) >= 0:
            return Threshold(k + 1)
    return Threshold(1) if start <= _WALK else Threshold(None, f"undecided below K = {start}")


def _crossing(value: Callable[[int], arb], above: int, below: int) -> int:
    """The number in ``(above, below]`` at which a decreasing function becomes negative."""
    bits = 2 * below.bit_length() + 64
    with precision(bits):
        ends = [arb(above).log(), arb(below).log()]
        heights = [value(above), value(below)]
        last = -1
        for step in range(_MOST_STEPS + 2 * below.bit_length()):
            if below - above <= 1:
                return below
            share = heights[0] / (heights[0] - heights[1])
            guess = ends[0] + share * (ends[1] - ends[0])
            middle = (above + below) // 2 if step % 8 == 7 else int(point(guess.exp().mid()).floor())
            middle = min(max(middle, above + 1), below - 1)
            height, place = value(middle), arb(middle).log()
            side = 1 if height < 0 else 0
            ends[side], heights[side] = place, height
            above, below = (above, middle) if side else (middle, below)
            if side == last:
                heights[1 - side] /= 2  # Illinois: the end that stays counts for less
            last = side
    raise UndecidedError(f"the crossing is between K = {above} and {below}")
