"""Limits with parameters: which of two terms is the larger one far out depends on a parameter.

With T of larger order than U for every value of the parameters, R = T/(T + U) tends to 1 and S = U/(T +
U) to 0, where computer algebra that looks at one sign of a parameter only is led to the opposite. So
``R/c <= d`` is false far out for every d that tends to 0, and so is ``c <= S + d``. The far end may be
infinity on either side, 0 from above (x = 1/u), or a finite number from below. Where the formula first
fails is looked for among powers of ten (:func:`claims.search`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from tests.quality.hostile.claims import Hostile, NotFalseError, put, search
from tests.quality.hostile.truth import holds, inside

Place = dict[str, Fraction]


class Duel(NamedTuple):
    """``top`` is of larger order than ``other`` as x grows, for all parameters."""

    top: str
    other: str
    parameters: tuple[str, ...]


_BELOW = (
    "1/4 <= a <= 1/2",
    "0 <= a <= 1/2",
    "-1 <= a <= 1/2",
    "0 < a <= 9/10",
    "1/10 <= a < 1",
    "-2 <= a <= -1",
)
_ABOVE = ("2 <= a <= 3", "3/2 <= a <= 2", "a >= 2", "11/10 <= a <= 5", "2 <= a <= 100")
_BETWEEN = ("1/2 <= a <= 2", "1 <= a <= 3", "1/4 <= a <= 1/2")
_DUELS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("exp(x)", "exp(a*x)", _BELOW),
    ("exp(a*x)", "exp(x)", _ABOVE),
    ("x", "x**a", _BELOW),
    ("x**a", "x", _ABOVE),
    ("x**a", "sqrt(x)", _ABOVE),
    ("exp(x)", "x**a", _BETWEEN),
    ("exp(a*x)", "x**3", _BETWEEN),
    ("exp(x)", "exp(x**a)", ("1/4 <= a <= 1/2", "0 < a <= 9/10")),
    ("exp(x**a)", "exp(x)", ("3/2 <= a <= 2",)),
    ("2**x", "a**x", ("1 <= a <= 3/2", "1/2 <= a <= 1")),
    ("a**x", "2**x", ("3 <= a <= 4",)),
    ("x", "log(2 + x)**a", _BETWEEN),
    ("x**a", "log(2 + x)**2", _BETWEEN),
    ("cosh(x)", "cosh(a*x)", ("1/4 <= a <= 1/2", "-1/2 <= a <= 1/2")),
    ("cosh(a*x)", "cosh(x)", ("2 <= a <= 3",)),
    ("exp(x)", "sinh(a*x)", ("1/4 <= a <= 1/2",)),
    ("exp(x)", "exp(a*x + b)", ("1/4 <= a <= 1/2; 0 <= b <= 5", "0 <= a <= 3/4; -1 <= b <= 1")),
    ("exp((a + b)*x)", "exp(a*x)", ("-1 <= a <= 1; 1 <= b <= 2", "0 <= a <= 3; 1/10 <= b <= 1")),
    ("exp(a*x)", "exp(b*x)", ("1 <= a <= 4; 0 <= b <= 3; b + 1/2 <= a", "2 <= a <= 3; 0 <= b <= 1")),
    ("x**a", "x**b", ("1 <= a <= 4; 0 <= b <= 3; b + 1/2 <= a", "2 <= a <= 3; 0 <= b <= 1")),
    ("x**2*exp(a*x)", "exp(a*x)", _BETWEEN),
    ("exp(a*x)", "a*x*exp(x)", ("2 <= a <= 3",)),
    ("exp(x)", "a*x**5", ("0 <= a <= 100", "a >= 1")),
    ("x*log(2 + x)", "a*x", ("0 <= a <= 3",)),
    ("log(2 + x)", "log(2 + log(2 + x))**a", _BETWEEN),
    ("exp(x - a*sqrt(x))", "exp(x/2)", ("0 <= a <= 2",)),
    ("exp(x)", "exp(x/(1 + a))", ("1/2 <= a <= 2",)),
    ("x**x", "exp(a*x)", ("1/2 <= a <= 2",)),
    ("exp(x**2)", "exp(a*x)", ("1 <= a <= 4",)),
    ("exp(x)", "x**a*exp(x/2)", ("1 <= a <= 2",)),
    ("exp(a*x)", "1", _BETWEEN),
    ("exp(a*x)", "exp(-a*x)", _BETWEEN),
    ("x**a", "x**(-a)", _BETWEEN),
    ("(1 + x)**a", "(2 + x)", _ABOVE),
    ("exp(a*x) + x", "exp(x) + log(2 + x)", ("2 <= a <= 3",)),
    ("exp(a*log(2 + x)**2)", "x**3", ("1 <= a <= 2",)),
)  # fmt: skip
DUELS = [Duel(top, other, tuple(area.split("; "))) for top, other, areas in _DUELS for area in areas]

# What tends to 0, from fast to slow.
_DECAYS = (
    "exp(-x)",
    "1/x",
    "1/x**2",
    "1/sqrt(x)",
    "1/(1 + x)",
    "10/log(2 + x)",
    "1/log(2 + x)",
    "x*exp(-x/10)",
)
_CONSTANTS = ("1", "10", "1000", "10**4", "10**6", "10**12", "10**40", "10**300")

# {R} -> 1, {S} -> 0, {d} -> 0, {c} a large constant, {e} a small positive number: each is false far out.
_FALSE = (
    "{R}/{c} <= {d}",
    "{T}/({c}*({T} + {U})) <= {d}",
    "1/{c} <= {S} + {d}",
    "1/{c} <= {U}/({c}*({T} + {U})) + {d}/{c}",
    "1/{c} <= {U}/(2*{c}*({T} + {U})) + {d}/1000",
    "{R} <= 1 - {e} + {d}",
    "sqrt({R}) <= 1 - {e} + {d}",
    "{R}**2 <= 1 - {e} + {d}",
    "{e} <= -log({R}) + {d}",
    "{e} <= Max({S}, {d})",
    "Min({R}, 1/2) <= 1/2 - {e} + {d}",
    "{R}*{R2}/{c} <= {d}",
    "{R} + {R2} <= 2 - {e} + {d}",
    "{R}/{c} <= {S2} + {d}",
    "{e} <= Abs({R} - {R2}) + {d}",
    "{T} <= {c}*{U}",
    "log(1 + {T}/{U}) <= {c}/1000",
    "{R}/{c} < {d}",
)
# Close to the end both sides are small, so that only the limit of a quotient tells them apart.
_CLOSE = (
    "{T}/({c}*({T} + {U})) <= {d}",
    "1/{c} <= {U}/(2*{c}*({T} + {U})) + {d}/1000",
    "{T}/({c}*({T} + {U})) <= {d} + {U}/({T} + {U})",
    "{T}/({c}*({T} + {U})) <= {d} + {U}/({c}*({T} + 2*{U}))",
    "{T}/({c}*(2*{T} + {U})) <= {d}",
    "{T}*{d} + {T}/{c} <= ({T} + {U})*2*{d}",
    "{T}/{c} <= {d}*({T} + {U})",
    "{d} + 1/{c} <= 2*{d} + {U}/({c}*({T} + {U}))",
)
# True for the same terms where T, U and d are positive.
_TRUE = (
    "{R}/{c} <= 1",
    "0 <= {S} + {d}",
    "{R} <= 1 + {d}",
    "{R}*{R2} <= 1",
    "{R} + {S} <= 1 + {d}",
    "-{d} <= Min({R}, {S})",
    "0 <= log(1 + {T}/{U})",
    "{R}**2 <= {R} + {d}",
)
# x, its domain, a map of the far end.
_ENDS = (
    ("x", "x >= 1"),
    ("x", "x >= 1"),
    ("x", "x > 2"),
    ("1/x", "0 < x <= 1"),
    ("-x", "x <= -1"),
    ("1/(1 - x)", "0 <= x < 1"),
    ("x**2", "x >= 1"),
    ("x/1000", "x >= 1000"),
    ("10**6*x", "x >= 1"),
)


def _renamed(duel: Duel) -> Duel:
    """Over other parameters, if it stands beside another one."""
    what = {"a": "p", "b": "q"}
    return Duel(
        put(duel.top, what),
        put(duel.other, what),
        tuple(put(t, what).replace("(", "").replace(")", "") for t in duel.parameters),
    )


def _filled(rng: random.Random, template: str) -> tuple[str, tuple[str, ...]]:
    """The formula and its domain."""
    first, second = rng.choice(DUELS), rng.choice(DUELS)
    decay, (end, area) = rng.choice(_DECAYS), rng.choice(_ENDS)
    both = "2}" in template
    other = _renamed(second)
    ratio = "({T})/({T} + {U})"
    parts = {
        "T": f"({first.top})", "U": f"({first.other})", "d": f"({decay})",
        "c": rng.choice(_CONSTANTS), "e": f"1/10**{rng.choice((1, 2, 3, 6, 9, 15, 30))}",
        "R": "(" + ratio.format(T=f"({first.top})", U=f"({first.other})") + ")",
        "S": "(" + ratio.format(T=f"({first.other})", U=f"({first.top})") + ")",
        "R2": "(" + ratio.format(T=f"({other.top})", U=f"({other.other})") + ")",
        "S2": "(" + ratio.format(T=f"({other.other})", U=f"({other.top})") + ")",
    }  # fmt: skip
    says = template.format(**parts)
    domain = (area, *first.parameters, *(other.parameters if both else ()))
    return (says if end == "x" else put(says, {"x": end})), domain


def false_claims(rng: random.Random) -> Iterator[Hostile]:
    """Without end."""
    while True:
        template = rng.choice(_CLOSE if rng.random() < 0.5 else _FALSE)
        says, domain = _filled(rng, template)
        at = search(rng, says, domain, count=40)
        if at is not None:
            try:
                yield Hostile(
                    f"growth, {template}", says, domain, (simpler(says, domain, at),)
                ).require_false()
            except NotFalseError:
                continue


def simpler(says: str, domain: tuple[str, ...], at: Place) -> Place:
    """The same witness with x rounded to a power of ten, if that is one too."""
    exponent = len(str(int(at["x"]))) - 1
    other = {**at, "x": Fraction(10) ** exponent}
    return other if at["x"] > 1 and inside(domain, (), other) and holds(says, other) is False else at


def true_claims(rng: random.Random) -> Iterator[Hostile]:
    """Without end."""
    while True:
        template = rng.choice(_TRUE)
        says, domain = _filled(rng, template)
        yield Hostile(f"growth, {template}", says, domain)
