"""How far the values of a term reach, seen from its form and from what is assumed of its symbols.

A *span* is an interval of numbers in which all values of a term lie, whatever its variables are.  *Bounded*
is a term that stays in a bounded set while real variables (and ω) do; *away* is one that stays above a
positive number then.  More is seen here than is tame (:mod:`sight`): ``Min(N/T, c)`` is bounded where T is
never negative.  Of each symbol a span may be told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from verify.recheck.derivations.sight import Moving, Sight
from verify.recheck.derivations.trees import Nameless, fresh, opened

Bound = Fraction | None  # None: no bound


@dataclass(frozen=True)
class Span:
    """All values are at least ``low`` and at most ``high``; ``positive``: none is 0 or less."""

    low: Bound = None
    high: Bound = None
    positive: bool = False

    @staticmethod
    def of(low: Bound, high: Bound, positive: bool = False) -> Span:
        """With what one part says of the others."""
        if low is not None and low > 0:
            positive = True
        return Span(Fraction(0) if positive and (low is None or low < 0) else low, high, positive)

    @property
    def natural(self) -> bool:
        """Whether nothing is negative."""
        return self.low is not None and self.low >= 0

    def inside(self, other: Span) -> bool:
        """Whether the other says no more than this one."""
        low = other.low is None or (self.low is not None and self.low >= other.low)
        high = other.high is None or (self.high is not None and self.high <= other.high)
        return low and high and (self.positive or not other.positive)

    def meet(self, other: Span) -> Span:
        """What both say."""
        low = max((x for x in (self.low, other.low) if x is not None), default=None)
        high = min((x for x in (self.high, other.high) if x is not None), default=None)
        return Span.of(low, high, self.positive or other.positive)

    def hull(self, other: Span) -> Span:
        """What either allows."""
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Span(low, high, self.positive and other.positive)


ALL, WHOLE = Span(), Span(Fraction(0))
_BIT, _ZERO = Span(Fraction(0), Fraction(1)), Span(Fraction(0), Fraction(0))


def point(x: Fraction) -> Span:
    """One number."""
    return Span.of(x, x)


def plus(a: Span, b: Span) -> Span:
    """Of a sum."""
    low = None if a.low is None or b.low is None else a.low + b.low
    high = None if a.high is None or b.high is None else a.high + b.high
    return Span.of(low, high, (a.positive and b.natural) or (b.positive and a.natural))


def negative(a: Span) -> Span:
    """Of -u."""
    return Span.of(None if a.high is None else -a.high, None if a.low is None else -a.low)


def times(a: Span, b: Span) -> Span:
    """Of a product."""
    if a.natural and b.natural:
        assert a.low is not None
        assert b.low is not None
        high = None if a.high is None or b.high is None else a.high * b.high
        zero = Fraction(0) in (a.high, b.high)
        return Span.of(a.low * b.low, Fraction(0) if zero else high, a.positive and b.positive)
    if _ZERO in (a, b):
        return _ZERO
    if a.high is not None and a.high <= 0:
        return negative(times(negative(a), b))
    if b.high is not None and b.high <= 0:
        return negative(times(a, negative(b)))
    if None in (a.low, a.high, b.low, b.high):
        return ALL
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high) if x is not None and y is not None]
    return Span.of(min(ends), max(ends))


class Extents:
    """The questions about terms of one language, where ``told`` gives the span of a symbol by its name."""

    def __init__(self, sight: Sight, told: Callable[[str], Span]):
        self.sight, self.told = sight, told

    # ------------------------------------------------------------ spans

    def span(self, t: Nameless) -> Span:
        """An interval of all values; of a natural number without negative ones."""
        found = self._span(t)
        return found.meet(WHOLE) if t.sort == "Nat" else found

    def _span(self, t: Nameless) -> Span:
        match t.op:
            case "num" if t.number is not None:
                return point(t.number)
            case "var":  # a real one that was bound is that of an integral
                return WHOLE if str(t.value).startswith("#") else ALL
            case "sym":
                return self.told(str(t.value))
            case "Ind":
                return _BIT
            case "Sum" | "SumOver" | "MaxOver" | "Int":
                return self._ranged(t)
            case "E" | "En":  # a mean that is not finite is 0
                return self.span(t.args[-1]).hull(_ZERO)
            case "Sup":
                return WHOLE if self.span(inner(t)[1]).natural else ALL
        parts = [self.span(a) for a in t.args] if t.op in _ARITHMETIC else []
        return self._computed(t, parts) if parts else ALL

    def _computed(self, t: Nameless, parts: list[Span]) -> Span:
        first = parts[0]
        match t.op:
            case "+" | "*":
                for other in parts[1:]:
                    first = plus(first, other) if t.op == "+" else times(first, other)
                return first
            case "^" if isinstance(t.value, int):
                return self._power(first, t.value)
            case "inv" if first.natural:
                low = 1 / first.high if first.high and first.positive else Fraction(0)
                return Span.of(low, 1 / first.low if first.low else None, first.positive)
            case "exp":
                return Span.of(Fraction(1) if first.natural else Fraction(0), None, True)
            case "log" if first.low is not None and first.low >= 1:
                return Span.of(1 - 1 / first.low, None)
            case "sqrt":
                low = min(Fraction(1), first.low) if first.natural and first.low else Fraction(0)
                return Span.of(low, None, first.positive)
            case "Abs":
                return first if first.natural else WHOLE
            case "Max":
                lows = [p.low for p in parts if p.low is not None]
                highs = [p.high for p in parts if p.high is not None]
                high = max(highs) if len(highs) == len(parts) else None
                return Span.of(max(lows, default=None), high, any(p.positive for p in parts))
            case "Min":
                lows = [p.low for p in parts if p.low is not None]
                highs = [p.high for p in parts if p.high is not None]
                low_ = min(lows) if len(lows) == len(parts) else None
                return Span.of(low_, min(highs, default=None), all(p.positive for p in parts))
        return ALL

    @staticmethod
    def _power(base: Span, k: int) -> Span:
        found = point(Fraction(1))
        if base.natural:
            for _ in range(min(k, 64)):
                found = times(found, base)
            return found if k <= 64 else Span.of(Fraction(0), None, base.positive)
        return WHOLE if k % 2 == 0 else ALL

    def _ranged(self, t: Nameless) -> Span:
        body = self.span(inner(t)[1])
        if t.op == "MaxOver":
            return body
        if t.op == "SumOver":  # there is one at least
            return Span.of(body.low, None, body.positive) if body.natural else ALL
        return WHOLE if body.natural else ALL

    # ------------------------------------------------------------ bounded

    def bounded(self, t: Nameless, moving: Moving) -> bool:
        """Whether it stays in a bounded set while these do."""
        if self.sight.tame(t, moving) or not _moves(t, moving, self.sight):
            return True
        span = self.span(t)
        if span.low is not None and span.high is not None:
            return True
        if t.op in ("Sum", "SumOver", "MaxOver", "Int"):
            x, body = inner(t)
            more = moving.reals | {x} if t.op == "Int" else moving.reals
            ranges = all(self.bounded(a, moving) for a in t.args[:-1])
            return ranges and self.bounded(body, Moving(more, moving.omega))
        match t.op:
            case "inv":
                return self.away(t.args[0], moving)
            case "log":
                return self.bounded(t.args[0], moving) and self.away(t.args[0], moving)
            case "exp" | "sqrt":
                return self.above(t.args[0], moving)
            case "Max" | "Min":
                return self.above(t, moving) and self.below(t, moving)
            case "E" | "En":
                return all(self.bounded(a, Moving(moving.reals, True)) for a in t.args)
            case "+" | "*" | "^" | "Abs" | "sym":
                return all(self.bounded(a, moving) for a in t.args)
        return False

    def above(self, t: Nameless, moving: Moving) -> bool:
        """Whether it has an upper bound then."""
        return self._one_side(t, moving, "Min", "high")

    def below(self, t: Nameless, moving: Moving) -> bool:
        """Whether it has a lower bound then."""
        return self._one_side(t, moving, "Max", "low")

    def _one_side(self, t: Nameless, moving: Moving, best: str, end: str) -> bool:
        if getattr(self.span(t), end) is not None:
            return True
        if t.op in ("Max", "Min", "+"):
            parts = (self._one_side(a, moving, best, end) for a in t.args)
            return any(parts) if t.op == best else all(parts)
        return self.bounded(t, moving)

    def away(self, t: Nameless, moving: Moving) -> bool:
        """Whether it stays above a positive number while these move in a bounded set."""
        span = self.span(t)
        if (span.low is not None and span.low > 0) or (span.positive and not _moves(t, moving, self.sight)):
            return True
        parts = (self.away(a, moving) for a in t.args)
        match t.op:
            case "exp":
                return self.below(t.args[0], moving)
            case "inv":
                return span.positive and self.above(t.args[0], moving)
            case "Max":
                return any(parts)
            case "Min" | "*" | "^" | "sqrt":
                return all(parts)
            case "+":
                return all(self.span(a).natural for a in t.args) and any(parts)
            case "SumOver" | "MaxOver":
                return self.away(inner(t)[1], moving)
            case "Int":
                s, body = inner(t)
                inside = Moving(moving.reals | {s}, moving.omega)
                finite = self.bounded(body, inside) and self.above(t.args[0], moving)
                return finite and self.away(t.args[0], moving) and self.away(body, inside)
        return False


_ARITHMETIC = frozenset({"+", "*", "^", "inv", "exp", "log", "sqrt", "Abs", "Max", "Min"})


def inner(t: Nameless) -> tuple[Nameless, Nameless]:
    """A fresh variable, and the body of a binder with it."""
    x = fresh(str(t.value), t)
    return x, opened(t.args[-1], x)


def _moves(t: Nameless, moving: Moving, sight: Sight) -> bool:
    return not t.free.isdisjoint(moving.reals) or (moving.omega and sight.random(t))
