"""Witnesses: a point where a relation fails, certainly, or a line of code that shows a violation."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from verify.recheck.identities import exact, written
from verify.recheck.intervals import INF, ZERO, Interval, UnknownError, point, precision
from verify.recheck.magnitudes import magnitude
from verify.recheck.reading import Hypothesis, domain_of, names_in, rational, relation_of, tree_of
from verify.recheck.series import Box, range_of
from verify.recheck.terms import Term, number, put, raw

SECONDS = 120  # for the code of a witness
_DIGITS = Fraction(1, 10**6)  # to which the decimals beside a witness have to be right

# What malformed data may raise; each is a complaint.
FAILURES = (
    *(ArithmeticError, AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError),
    UnknownError,
)

Say = Callable[[str], None]


def reason(error: BaseException) -> str:
    """One line."""
    text = " ".join(str(error).split())
    return text if isinstance(error, UnknownError) else f"cannot be checked ({type(error).__name__}: {text})"


def texts_of(data: Mapping[str, Any], key: str) -> list[Any]:
    """A list of the document; the letters of a word and the names of an object are none."""
    found = data.get(key, [])
    if not isinstance(found, list | tuple):
        raise UnknownError(f"{key!r} is not a list")
    return list(found)


def about_witness(data: Mapping[str, Any], path: str, say: Say) -> list[str]:
    """The complaints about a witness by itself."""
    if "relation" not in data:
        return _code(data.get("line"), path, say)
    say(f"{path}: witness against {data.get('relation')} at {data.get('point')}")
    try:
        _require_witness(data)
    except FAILURES as error:
        return [f"{path}: {reason(error)}"]
    return []


def _require_witness(data: Mapping[str, Any]) -> None:
    """Complain unless the point is in the domain and the relation certainly fails there."""
    texts, integers = texts_of(data, "domain"), texts_of(data, "integers")
    names = set(integers).union(*map(names_in, map(tree_of, [*texts, data.get("relation")])))
    # Read as they stand: nothing may cancel before it is seen to be defined.
    ranges, given = domain_of(texts, names, fold=False)
    left, relation, right = relation_of(data["relation"], names, fold=False)
    at = _placed(data["point"], ranges, integers)
    _certainly(lambda: _doubt(left, relation, right, given, at, data))


def require_in(
    point_: Mapping[str, Any], ranges: Box, given: Iterable[Hypothesis], integers: Iterable[str]
) -> None:
    """Complain unless the point is certainly in the domain; formulas are read as they stand."""
    at = _placed(point_, ranges, integers)
    if unknown := sorted(set(at) - set(ranges)):
        raise UnknownError(f"{unknown[0]} is not a variable of the domain")
    _certainly(lambda: _outside(given, at))


def _placed(point_: Mapping[str, Any], ranges: Box, integers: Iterable[str]) -> dict[str, Interval]:
    """The point, which is in all ranges, and whole where it has to be."""
    at = {str(name): point(rational(text)) for name, text in point_.items()}
    if missing := sorted(set(ranges) - set(at)):
        raise UnknownError(f"the point has no {missing[0]}")
    for name, x in ranges.items():
        if at[name].low not in x or (name in integers and at[name].low.denominator != 1):
            raise UnknownError(f"{name} = {at[name].low} is not in the domain")
    return at


def _certainly(doubt_of: Callable[[], str | None]) -> None:
    """Ask with more and more bits, until there is no doubt."""
    doubts: list[str] = []
    for bits in (256, 1024, 4096, 16384):
        try:
            with precision(bits):
                doubt = doubt_of()
        except UnknownError as error:
            doubt = str(error)
        if doubt is None:
            return
        doubts.append(doubt)
    raise UnknownError(doubts[0])


_Gap = Callable[[Interval], bool]
_HOLDS: Mapping[str, _Gap] = {
    "<=": lambda gap: gap.positive(False),
    "<": lambda gap: gap.positive(True),
    "==": lambda gap: gap.single and gap.low == 0,
}
_FAILS: Mapping[str, _Gap] = {
    "<=": lambda gap: (-gap).positive(True),
    "<": lambda gap: (-gap).positive(False),
    "==": lambda gap: gap.positive(True) or (-gap).positive(True),
}


def _doubt(
    left: Term, relation: str, right: Term, given: Iterable[Hypothesis], at: Box, data: Any
) -> str | None:
    """Why the point does not refute the relation; ``None`` if it does."""
    if (outside := _outside(given, at)) is not None:
        return outside
    gap = _value(raw("+", right, raw("*", number(-1), left)), at)
    if not _FAILS[relation](gap):
        return f"the relation is not seen to fail: right - left is about {_decimal(gap)}"
    for key, side in (("left", left), ("right", right)):
        value = _value(side, at)
        if key in data and value.bounded and not _agrees(str(data[key]), value):
            return f"{key} is about {_decimal(value)}, not {data[key]}"
    return None


def _outside(given: Iterable[Hypothesis], at: Box) -> str | None:
    """Why the point may not be in the domain."""
    for k, (h, kind) in enumerate(given):
        if not _HOLDS[kind](_value(h, at)):
            return f"hypothesis {k} is not seen to hold at the point"
    return None


_SIGNS = {1: Interval(ZERO, INF, True, True), 0: point(0), -1: Interval(-INF, ZERO, True, True)}
_SMALL = Fraction(1, 2**4000)
_LONG = 400
_EXPONENT, _DECIMALS = 18, 30_000  # characters of an exponent, and the largest that is written out


def _value(f: Term, at: Box) -> Interval:
    """Its value at a point: in intervals, exactly where the normal form is a rational number, or its sign.

    Each of the first and the last raises where the formula is not defined.  A sign may be that of what is
    left of the formula when the point is put in, once intervals have seen that it is defined.
    """
    try:
        x = range_of(f, at)
    except UnknownError:
        return _SIGNS[magnitude(f, at).sign]
    if x.single or x.low > 0 or x.high < 0 or f.size > _LONG:
        return x
    try:
        there = put(f, {name: number(value.low) for name, value in at.items()})
        found = exact(there)
    except UnknownError:  # too long to write out
        there, found = f, None
    if found is not None and found in x:
        return point(found)
    if not x.bounded or max(abs(x.low), abs(x.high)) < _SMALL:  # too large or small to be written out
        try:
            return _SIGNS[magnitude(f, at).sign]
        except UnknownError:  # 1 - 1 + e^(-10^9), say
            return _SIGNS[magnitude(written(there), at).sign]
    return x


def require_defined(formulas: Iterable[Term], at: Box) -> None:
    """Complain unless formulas that are read as they stand are seen to be defined at a point."""
    with precision(1024):
        for f in formulas:
            _value(f, at)


def _agrees(decimal: str, x: Interval) -> bool:
    exponent = decimal.lower().partition("e")[2]
    far = int(exponent) if len(exponent) <= _EXPONENT and exponent else 0
    if len(exponent) > _EXPONENT or far > _DECIMALS:
        return False  # too long to write out
    number = Fraction(0) if far < -_DECIMALS else Fraction(decimal)  # too small to matter
    near = _DIGITS * max(abs(x.low), abs(x.high))
    return bool(x.low - near <= number <= x.high + near)


def _decimal(x: Interval) -> str:
    size = max(abs(x.low), abs(x.high))
    moderate = x.bounded and (size == 0 or _SMALL < size < 2**1000)
    return f"{float((x.low + x.high) / 2):.10g}" if moderate else "too large or small to be written"


def _code(line: Any, path: str, say: Say) -> list[str]:
    """Run the one line of Python that prints True when the violation is confirmed."""
    if not isinstance(line, str):
        return [f"{path}: neither a relation nor a line of code"]
    say(f"{path}: running {line!r} in a fresh Python, for at most {SECONDS} s")
    try:
        done = subprocess.run(
            [sys.executable, "-c", line], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return [f"{path}: {line!r} does not end within {SECONDS} s"]
    if done.returncode != 0 or done.stdout.split()[-1:] != ["True"]:
        last = (done.stdout + done.stderr).strip().splitlines()[-1:] or ["nothing"]
        return [f"{path}: {line!r} does not print True but {last[0]!r}"]
    return []
