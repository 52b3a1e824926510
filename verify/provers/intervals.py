"""Intervals with open and closed, finite and infinite ends.

An infinite end that is *open* means values without bound, each of them finite; one that is *closed*
means that the infinite value itself may be met, at a pole or as a limit.  So [0, 1] times [0, oo) is
[0, oo), but a closed zero times a closed infinity is everything between, and a closed oo - oo
everything at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf

from verify.claims import Range

End = Fraction | float  # a rational, or ±inf


@dataclass(frozen=True)
class Span:
    """From ``low`` to ``high``; see the module's first lines for what an open end means."""

    low: End
    high: End
    low_open: bool = False
    high_open: bool = False

    @staticmethod
    def of(r: Range) -> Span:
        """A variable's range."""
        return Span(
            -inf if r.lower is None else r.lower,
            inf if r.upper is None else r.upper,
            r.lower is None or r.lower_open,
            r.upper is None or r.upper_open,
        )

    @staticmethod
    def at(number: End) -> Span:
        """One point."""
        return Span(number, number)

    @property
    def singular(self) -> bool:
        """Whether an infinite value may be met."""
        return self._falls or self._rises

    def positive(self, *, strict: bool) -> bool:
        """Whether everything in it is >= 0 (> 0)."""
        return self.low > 0 or (self.low == 0 and (self.low_open or not strict))

    def within(self, other: Span) -> Span:
        """What two intervals share; they must share something."""
        low, low_open = max(ends_of(self)[0], ends_of(other)[0])
        (high, closed) = min((self.high, not self.high_open), (other.high, not other.high_open))
        return Span(low, high, low_open, not closed)

    def __contains__(self, number: End) -> bool:
        low = self.low < number or (self.low == number and not self.low_open)
        return low and (number < self.high or (self.high == number and not self.high_open))

    def __neg__(self) -> Span:
        return Span(-self.high, -self.low, self.high_open, self.low_open)

    @property
    def _falls(self) -> bool:
        return self.low == -inf and not self.low_open

    @property
    def _rises(self) -> bool:
        return self.high == inf and not self.high_open

    def __add__(self, other: Span) -> Span:
        if (self._falls and other._rises) or (self._rises and other._falls):
            return WHOLE
        low, low_open = _added((self.low, self.low_open), (other.low, other.low_open))
        high, high_open = _added((self.high, self.high_open), (other.high, other.high_open))
        return Span(low, high, low_open, high_open)

    def __mul__(self, other: Span) -> Span:
        a, b = self, other
        pairs = [
            _multiplied(x, y)
            for x in ((a.low, a.low_open), (a.high, a.high_open))
            for y in ((b.low, b.low_open), (b.high, b.high_open))
        ]
        product = hull(pairs)
        for zero, other_ in ((a, b), (b, a)):
            if 0 in zero and other_.singular:
                product = hull([*ends_of(product), *_indeterminate(zero, other_)])
        return product

    def inverse(self) -> Span:
        """1/it; a pole inside makes it everything, and 1/0 alone raises ZeroDivisionError."""
        if self.low >= 0:
            high, high_open = (inf, self.low_open) if self.low == 0 else (_one_over(self.low), self.low_open)
            return Span(_one_over(self.high), high, self.high_open, high_open)
        if self.high <= 0:
            return -(-self).inverse()
        return WHOLE

    def magnitude(self) -> Span:
        """The absolute value."""
        if self.low >= 0:
            return self
        if self.high <= 0:
            return -self
        high, high_open = max((-self.low, not self.low_open), (self.high, not self.high_open))
        return Span(Fraction(0), high, False, not high_open)


WHOLE = Span(-inf, inf)
Ended = tuple[End, bool]  # an end, and whether it is open


def _one_over(end: End) -> End:
    return Fraction(0) if abs(end) == inf else 1 / Fraction(end)


def _added(x: Ended, y: Ended) -> Ended:
    if abs(x[0]) == inf or abs(y[0]) == inf:
        return (x[0] if abs(x[0]) == inf else y[0]), all(o for e, o in (x, y) if abs(e) == inf)
    return x[0] + y[0], x[1] or y[1]


def _multiplied(x: Ended, y: Ended) -> Ended:
    if x[0] == 0 or y[0] == 0:
        return Fraction(0), all(o for e, o in (x, y) if e == 0)
    if abs(x[0]) == inf or abs(y[0]) == inf:
        sign = (1 if x[0] > 0 else -1) * (1 if y[0] > 0 else -1)
        return sign * inf, all(o for e, o in (x, y) if abs(e) == inf)
    return x[0] * y[0], x[1] or y[1]


def ends_of(i: Span) -> list[Ended]:
    """Both ends, each with whether it is open."""
    return [(i.low, i.low_open), (i.high, i.high_open)]


def hull(ends: list[Ended]) -> Span:
    """The smallest interval with these ends in its closure."""
    low = min(e for e, _ in ends)
    high = max(e for e, _ in ends)
    return Span(low, high, all(o for e, o in ends if e == low), all(o for e, o in ends if e == high))


def _indeterminate(zero: Span, infinite: Span) -> list[Ended]:
    """What a closed zero times a closed infinity adds: everything from 0 to the infinities of these signs."""
    found: list[Ended] = [(Fraction(0), False)]
    for end, is_open in ends_of(infinite):
        if abs(end) == inf and not is_open:
            found += [(end, False)] if zero.high > 0 or zero.low == zero.high else []
            found += [(-end, False)] if zero.low < 0 else []
    return found
