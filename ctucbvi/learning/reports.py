r"""What a learner says of itself: estimates, sets, bonuses, values, of the plan that it plays in an episode.

A report is a JSON object (or a Python dictionary), and everything in it may be left out::

    {"planned": true, "iterations": 2,
     "pairs": [{"state": x, "action": a, "time": T, "n_plus": N+, "rate": λ̂, "bonus": b,
                "low": λ, "high": λ, "radius": α, "jumps": {y: N}, "probability": {y: p̂}}],
     "values": [[x, t, V̂(x,t)]]}

All of it belongs to the plan in force: a learner that plans lazily reports what its last plan was made
from.  ``t`` is the remaining time.  A number is a number of JSON, which counts as the double it is, or a
string, which counts as what it says: ``"0x1.8p-1"``, ``"1/3"``, ``"0.1"``.

``low``, ``high`` and ``radius`` are the confidence set of the optimistic learner, which has no bonus
(:class:`~ctucbvi.learning.sets.PairSet`); a ``radius`` of None (null) is for all probability vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational, Real
from typing import TYPE_CHECKING, Any

from ctucbvi.errors import InputError
from ctucbvi.numbers import exact

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP

PER_PAIR, PER_TARGET = ("time", "n_plus", "rate", "low", "high", "radius", "bonus"), ("jumps", "probability")
_LARGEST = 10**300  # it has to be a double
_KEYS = ("planned", "iterations", "pairs", "values")


@dataclass(frozen=True, slots=True)
class Said:
    """One number about one pair."""

    pair: int  # its place in model.transitions
    what: str  # one of PER_PAIR or PER_TARGET
    to: str | None  # the target, for what is counted per target
    number: Fraction | None  # None: a radius that holds all vectors


@dataclass(frozen=True, slots=True)
class Report:
    """What a learner says at the start of an episode; see the module's text."""

    planned: bool | None = None  # whether it made a plan for this episode
    iterations: int | None = None  # n_k
    pairs: tuple[Said, ...] = ()
    values: tuple[tuple[str, Fraction, Fraction], ...] = ()  # (state, remaining time, value)

    @classmethod
    def of(cls, model: CTMDP, document: object) -> Report:
        """Read a report about ``model``; what is not one is refused."""
        found = _object(document, "report", _KEYS)
        for key, kind, words in (("planned", bool, "true or false"), ("iterations", int, "a whole number")):
            if key in found and type(found[key]) is not kind:
                raise InputError(f"{key}: {found[key]!r} is not {words}; write one, or leave it out")
        pairs = [said for row in _list(found, "pairs") for said in _pair(model, row)]
        values = [_value(model, row) for row in _list(found, "values")]
        return cls(found.get("planned"), found.get("iterations"), tuple(pairs), tuple(values))


def real(number: object, where: str) -> Fraction:
    """A number as it was computed: a double, also in hexadecimal, is the rational it is."""
    if isinstance(number, str) and "0x" in number:
        try:
            number = float.fromhex(number)
        except (ValueError, OverflowError):
            raise InputError(f"{where}: {brief(number)} is not a double; write one, as 0x1.8p-1") from None
    if isinstance(number, Real) and not isinstance(number, Rational):
        number = float(number)  # those of NumPy, too
    finite = isinstance(number, float) and number - number == 0
    found = Fraction(number) if finite and isinstance(number, float) else exact(number, where)
    if abs(found) > _LARGEST:
        raise InputError(f"{where}: a number beyond {float(_LARGEST):g}; write a smaller one")
    return found


def _object(document: object, where: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(document, Mapping):
        raise InputError(f"{where}: {brief(document)} is not an object; write {', '.join(keys)} by name")
    for key in document:
        if key not in keys:
            raise InputError(f"{where}: {brief(key)} is unknown; write {', '.join(keys)}")
    return document


def _list(found: Mapping[str, Any], key: str) -> list[Any]:
    rows = found.get(key, ())
    if not isinstance(rows, list | tuple):
        raise InputError(f"{key}: {brief(rows)} is not a list; write one")
    return list(rows)


def _pair(model: CTMDP, document: object) -> Iterator[Said]:
    found = _object(document, "pairs", ("state", "action", *PER_PAIR, *PER_TARGET))
    names = (found.get("state"), found.get("action"))
    rows = {(row.state, row.action): k for k, row in enumerate(model.transitions)}
    if not all(isinstance(name, str) for name in names) or names not in rows:
        raise InputError(f"pairs: {model.name!r} has no {brief(names[1])} in state {brief(names[0])}")
    pair = rows[names]
    for what in PER_PAIR:
        if what in found:
            everything = what == "radius" and found[what] is None
            yield Said(pair, what, None, None if everything else real(found[what], what))
    for what in PER_TARGET:
        targets = found.get(what, {})
        for y, number in _object(targets, what, model.states).items():
            yield Said(pair, what, y, real(number, f"{what} to {y}"))


def _value(model: CTMDP, row: Any) -> tuple[str, Fraction, Fraction]:
    if not isinstance(row, list | tuple) or len(row) != 3 or row[0] not in model.states:
        raise InputError(f"values: {brief(row)} is not one; write [state, remaining time, value]")
    t = real(row[1], "values: remaining time")
    if not 0 <= t <= model.horizon:
        raise InputError(f"values: a remaining time of {float(t):.6g} is not within the horizon")
    return row[0], t, real(row[2], "values")


def brief(thing: object) -> str:
    """A thing for a message."""
    text = repr(thing)
    return text if len(text) <= 40 else f"{text[:37]}..."
