"""Numbers that code hands over, compared: exactly, or as enclosures, and never in doubles.

A value is an ``int``, a ``Fraction``, a FLINT number or ball, a SymPy rational, or an object with ends
``lower`` and ``upper`` (exact again).  ``left <= right`` is True when every number of the left enclosure is
at most every number of the right one, False when every one is larger, and ``None`` when they overlap:
undecided is never false.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from numbers import Rational
from typing import Any

from flint import arb, fmpq, fmpz

from verify.claims import ClaimError
from verify.provers.balls import precision, rational

End = Fraction | arb  # one end of an enclosure; a ball stays a ball, its exponent may be astronomic

_EXPONENT = 4000  # of two, in a line to be read
_BITS = 512  # for the difference of a ball and a rational; rounded outward, so only sharpness depends on it


def ends(value: Any, where: str = "value") -> tuple[End, End]:
    """The enclosure of a value; a clear error for what is not exact."""
    if isinstance(value, bool | float):
        raise ClaimError(f"{where}: {value!r} is not exact; give an int, a Fraction, a ball or an enclosure")
    if isinstance(value, arb):
        return value, value
    if isinstance(value, int | Rational):
        exact = Fraction(int(value.numerator), int(value.denominator))
        return exact, exact
    if isinstance(value, fmpz | fmpq):
        exact = Fraction(int(fmpq(value).p), int(fmpq(value).q))
        return exact, exact
    if getattr(value, "is_Rational", False):  # SymPy
        exact = Fraction(int(value.p), int(value.q))
        return exact, exact
    if hasattr(value, "lower") and hasattr(value, "upper"):
        return ends(value.lower, f"{where}.lower")[0], ends(value.upper, f"{where}.upper")[1]
    raise ClaimError(
        f"{where}: {value!r} is no exact number; give an int, a Fraction, a ball or an enclosure"
    )


def difference(high: End, low: End) -> End:
    """``high - low``, exact for rationals and enclosed in a ball otherwise."""
    if isinstance(high, Fraction) and isinstance(low, Fraction):
        return high - low
    with precision(_BITS):
        return as_ball(high) - as_ball(low)


def as_ball(number: End) -> arb:
    """A ball around the number, at the precision that is set."""
    return number if isinstance(number, arb) else arb(rational(number))


def _at_most(left: Any, right: Any) -> bool | None:
    (left_low, left_high), (right_low, right_high) = ends(left, "left"), ends(right, "right")
    if difference(right_low, left_high) >= 0:
        return True
    return False if difference(right_high, left_low) < 0 else None


def _below(left: Any, right: Any) -> bool | None:
    turned = _at_most(right, left)
    return None if turned is None else not turned


def _equal(left: Any, right: Any) -> bool | None:
    both = _at_most(left, right), _at_most(right, left)
    return True if both == (True, True) else False if False in both else None


_DECIDE: Mapping[str, Callable[[Any, Any], bool | None]] = {
    "<=": _at_most,
    "<": _below,
    "==": _equal,
    ">=": lambda left, right: _at_most(right, left),
    ">": lambda left, right: _below(right, left),
}


def holds(left: Any, relation: str, right: Any) -> bool | None:
    """Whether ``left relation right``, or ``None`` if the enclosures do not tell."""
    if relation not in _DECIDE:
        raise ClaimError(f"relation {relation!r}: write {', '.join(_DECIDE)}")
    return _DECIDE[relation](left, right)


def text(value: Any) -> str:
    """The value for a report: exact rationals as ``"1/3"``, an enclosure as ``"[1/3, 1/2]"``."""
    low, high = ends(value)
    if isinstance(low, arb) and low is high:
        return str(low.str(30))
    parts = [str(end.str(30)) if isinstance(end, arb) else str(end) for end in (low, high)]
    return parts[0] if low is high else f"[{parts[0]}, {parts[1]}]"


def line(left: Any, relation: str, right: Any) -> str | None:
    """One line of Python that prints True when ``left relation right`` is false; ``None`` if too long."""
    left_low, left_high = _fractions(left)
    right_low, right_high = _fractions(right)
    if None in (left_low, left_high, right_low, right_high):
        return None
    fails = {
        "<=": f"F('{left_low}') > F('{right_high}')",
        "<": f"F('{left_low}') >= F('{right_high}')",
        ">=": f"F('{left_high}') < F('{right_low}')",
        ">": f"F('{left_high}') <= F('{right_low}')",
    }
    fails["=="] = f"{fails['<=']} or {fails['>=']}"
    return f"from fractions import Fraction as F; print({fails[relation]})"


def _fractions(value: Any) -> tuple[Fraction | None, Fraction | None]:
    """The ends of a value as fractions; ``None`` for an end of a ball that is astronomic."""
    low, high = ends(value)
    return (
        low if isinstance(low, Fraction) else _fraction(low.lower()),
        high if isinstance(high, Fraction) else _fraction(high.upper()),
    )


def _fraction(number: arb) -> Fraction | None:
    """A ball without radius as a fraction."""
    if not number.is_finite():
        return None
    mantissa, exponent = number.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent) if abs(int(exponent)) < _EXPONENT else None


def enclosing(value: Any) -> arb:
    """One ball around the value, at the precision that is set."""
    low, high = ends(value)
    return as_ball(low) if low is high else as_ball(low).union(as_ball(high))


def relative_gap(left: Any, right: Any) -> float:
    """``(right - left)/(|left| + |right|)``, about; inf where it is not known."""
    with precision(128):
        low, high = enclosing(left), enclosing(right)
        size = abs(low) + abs(high)
        gap = (high - low) / size if not size.is_zero() else high - low
    return float(gap) if gap.is_finite() else math.inf
