"""From a point to a simple one nearby with the same property: what a reader can check by hand.

In every interval there is one fraction with the smallest denominator (the first one met in the Stern–Brocot
tree); it is found by continued fractions.  A coordinate is replaced by the simplest fraction of a wide
neighbourhood, then of narrower ones, until the property survives.  For very small and very large numbers a
power of ten is simpler than any such fraction, so numbers with few decimal digits are tried as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from verify.claims import Domain, Range

_ROUNDS = 3
_WIDTHS = 40  # neighbourhoods per coordinate, each half as wide as the one before
_DECIMALS = 3
_ANCHORS = 6
_LONGEST = 1000  # digits; of longer numbers a tail of zeros is not looked for


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the smallest denominator in [low, high] (and the smallest size among those)."""
    if low > high:
        low, high = high, low
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest_between(-high, -low)
    (a, b), (c, d) = low.as_integer_ratio(), high.as_integer_ratio()
    terms = []  # the continued fraction that both ends, a/b and c/d, begin with
    while True:
        whole = -(-a // b)
        if whole * d <= c:
            break
        whole -= 1
        terms.append(whole)
        a, b, c, d = d, c - whole * d, b, a - whole * b
    above, below = whole, 1
    for term in reversed(terms):
        above, below = term * above + below, above
    return Fraction(above, below)


def complexity(number: Fraction) -> tuple[int, int, int]:
    """How much there is to read: digits (a tail of zeros counts as its length is written), size, sign."""
    cost = _digits(number.numerator) + (_digits(number.denominator) if number.denominator > 1 else 0)
    written = _length(number.numerator) + (_length(number.denominator) + 1 if number.denominator > 1 else 0)
    return cost, written + (number < 0), number < 0


def _digits(number: int) -> int:
    length = _length(number)
    if length > _LONGEST:
        return length
    zeros = length - len(str(abs(number)).rstrip("0") or "0")
    return length - zeros + (len(str(zeros)) if zeros else 0)


def _length(number: int) -> int:
    """The number of decimal digits; counted without writing down a number longer than Python writes."""
    size = abs(number)
    if size.bit_length() < 3 * _LONGEST:
        return len(str(size))
    length = int(size.bit_length() * math.log10(2)) - 1  # at most one or two too small
    power = 10**length
    while power <= size:
        length, power = length + 1, power * 10
    return length


Whole = dict[str, Fraction]  # a point


def simpler(
    point: Whole,
    domain: Domain,
    keeps: Callable[[Whole], bool],
    fitted: Callable[[Whole, list[str]], Whole] | None = None,
) -> Whole:
    """A point of simpler coordinates for which ``keeps`` still holds (it holds for ``point``).

    ``fitted(point, names)`` may move the other coordinates after those named have changed, for the sake
    of equations between them.
    """
    for _ in range(_ROUNDS):
        before = point
        for group in _groups(point, domain):
            point = _with_simpler(point, group, domain, keeps, fitted)
        if point == before:
            break
    return point


def _cost(point: Whole) -> tuple[int, ...]:
    return tuple(sum(parts) for parts in zip(*(complexity(value) for value in point.values()), strict=True))


def _groups(point: Whole, domain: Domain) -> Iterator[list[str]]:
    """Variables to change together: those that agree (a hypothesis may want it), then each alone."""
    for value in sorted(set(point.values())):
        equal = [name for name in point if point[name] == value]
        if len(equal) > 1 and domain.given:
            yield equal
    yield from ([name] for name in point)


def _with_simpler(
    point: Whole,
    names: list[str],
    domain: Domain,
    keeps: Callable[[Whole], bool],
    fitted: Callable[[Whole, list[str]], Whole] | None,
) -> Whole:
    value = point[names[0]]
    ranges = [domain.ranges[name] for name in names]
    for candidate in sorted(set(candidates(value, ranges[0])) - {value}, key=complexity):
        if complexity(candidate) >= complexity(value):
            break
        if all(candidate in r for r in ranges):
            changed = {**point, **dict.fromkeys(names, candidate)}
            changed = changed if fitted is None else fitted(changed, names)
            if _cost(changed) < _cost(point) and keeps(changed):
                return changed
    return point


def candidates(value: Fraction, r: Range) -> Iterator[Fraction]:
    """Simple numbers: near ``value``, a simple step from something simple near it, and powers of ten."""
    anchors = {Fraction(0)} | {end for end in (r.lower, r.upper) if end is not None}
    span = abs(value) or Fraction(1)
    for k in range(_WIDTHS):
        near = simplest_between(value - span / 2**k, value + span / 2**k)
        anchors |= {near} if len(anchors) < _ANCHORS else set()
        yield near
        yield simplest_between(value - span / 2**k, value)
        yield simplest_between(value, value + span / 2**k)
    yield from (Fraction(k) for k in (1, -1, 2, -2, 10))
    for anchor in sorted(anchors):
        yield anchor
        if anchor != value:
            step, sign = value - anchor, 1 if value > anchor else -1
            yield from (anchor + _decimal(step, digits) for digits in range(1, _DECIMALS + 1))
            yield from (anchor + sign * Fraction(10) ** k for k in _powers(step))


def _powers(step: Fraction) -> list[int]:
    """Exponents from 0 to that of the step, not all of them when it is very large or small."""
    last = _length(step.numerator) - _length(step.denominator)
    every = [*range(24), *range(24, 100, 4), *range(100, 1000, 20)]
    return [k if last > 0 else -k for k in every if k <= abs(last)]


def _decimal(value: Fraction, digits: int) -> Fraction:
    """The value rounded to so many significant digits."""
    size = abs(value)
    exponent = _length(size.numerator) - _length(size.denominator)
    exponent -= size < Fraction(10) ** exponent
    unit = Fraction(10) ** (exponent - digits + 1)
    return round(value / unit) * unit
