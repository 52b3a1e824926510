"""Monotonicities that fail on a tiny part or far out, and limits that are not the limit.

A monotonicity is refuted by two points of one line. A limit is refuted along three points that go to the
end, at one value of the parameters: often the only one for which it is wrong (exp(-a*x) -> 0 for a >= 0
fails at a = 0). The drawn numbers are those of :mod:`corners`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from tests.quality.hostile.claims import Hostile, NotFalseError, middle, search
from tests.quality.hostile.corners import _drawn
from tests.quality.hostile.growth import DUELS
from tests.quality.hostile.truth import BlurredError, UndefinedError


class Move(NamedTuple):
    """A function that is not increasing in x, and where it falls: x from, x to, and the others."""

    function: str
    domain: str
    start: str
    stop: str
    others: str = ""
    integers: str = ""


FALSE = [
    Move("x**3 - {e}*x", "-1 <= x <= 1", "0", "{e}"),
    Move("exp(x) - (1 + {e})*x", "x >= 0", "0", "{e}"),
    Move("x - {e}*x**2", "x >= 0", "1/{e}", "2/{e}"),
    Move("log(1 + x) - {e}*x", "x >= 0", "10/{e}", "10000/{e}"),
    Move("atan(x) - {e}*x", "x >= 0", "10/{e}", "20/{e}"),
    Move("x/(1 + x) - {e}*sqrt(x)", "x >= 0", "10/{e}**2", "1000/{e}**2"),
    Move("Min(x, {b}) - {e}*Max(x - {b}, 0)", "x >= 0", "{b}", "{b} + 1"),
    Move("Max(x, {b}) - {e}*x", "x >= 0", "0", "{b}"),
    Move("x*y", "0 <= x <= 1; -{e} <= y <= 1", "0", "1", "y=-{e}"),
    Move("x**y", "x >= 1; -{e} <= y <= 1", "1", "2", "y=-{e}"),
    Move("y**x", "x >= 0; 1 - {e} <= y <= 2", "0", "1", "y=1 - {e}"),
    Move("1/({a} - x)", "0 <= x <= {b}", "0", "{b}"),
    Move("-1/(x - {a})", "0 <= x <= {b}", "0", "{b}"),
    Move("Abs(x - {a})", "{a} - {e} <= x <= {b}", "{a} - {e}", "{a}"),
    Move("-atan(1/(x - {a}))", "0 <= x <= {b}", "0", "{b}"),
    Move("exp(-1/x)", "-1 <= x <= 1", "-1/{n}", "1/{n}"),
    Move("x + (1 + {e})*sin(x)", "x >= 0", "pi - {e}", "pi + {e}"),
    Move("2**n*0 + n**2 - 5*n", "n >= 0", "0", "1", "", "n"),
    Move("log(2 + x)**2/(1 + {e}*x)", "x >= 0", "1", "10**200"),
    Move("x*exp(-{e}*x)", "x >= 0", "10/{e}", "20/{e}"),
    Move("x**a/(1 + x**b)", "x >= 1; 1 <= a <= 2; 1 <= b <= 2 + {e}", "2", "4", "a=1 b=2"),
    Move("exp(a*x)/(exp(x) + exp(a*x))", "x >= 0; 1/4 <= a <= 1 + {e}", "0", "1", "a=1/4"),
    Move("x**a/(x + x**a)", "x >= 1; 1 - {e} <= a <= 3", "1", "2", "a=1 - {e}"),
    Move("x - y*log(x)", "x >= 1; 0 <= y <= 1 + {e}", "1", "1 + {e}/2", "y=1 + {e}"),
    Move("x**2 - 2*x*y", "0 <= x <= 1; 0 <= y <= {e}; y <= x + 1", "0", "{e}", "y={e}"),
    Move("sqrt(x) - {e}*x", "x >= 0", "1/{e}**2", "9/{e}**2"),
    Move("x/{M} - x**2", "0 <= x <= 1", "1/{M}", "1"),
    Move("Max(x - {M}, 0) - 2*Max(x - {M} - 1, 0)", "x >= 0", "{M} + 1", "{M} + 3"),
    Move("tanh(x) - {e}*x", "x >= 0", "100/{e}", "200/{e}"),
    Move("(x - {a})**3 - {e}*(x - {a})", "x >= 0", "{a}", "{a} + {e}"),
]  # fmt: skip

TRUE = [
    Move("x**3 + {e}*x", "-1 <= x <= 1", "", ""),
    Move("exp(x) - x", "x >= 0", "", ""),
    Move("log(1 + x)", "x >= 0", "", ""),
    Move("x/({a} + x)", "x >= 0", "", ""),
    Move("Min(x, {b})", "x >= 0", "", ""),
    Move("x**a", "x >= 1; 0 <= a <= 2", "", ""),
    Move("x + sin(x)", "x >= 0", "", ""),
    Move("x - log(x)", "x >= 1", "", ""),
    Move("sqrt(x - {a})", "{a} <= x <= {b}", "", ""),
    Move("exp(a*x)/(exp(x) + exp(a*x))", "x >= 0; 2 <= a <= 3", "", ""),
]


class Away(NamedTuple):
    """A function that does not tend to the value: the domain, the end, and a parameter where it does not."""

    function: str
    value: str
    domain: str
    towards: str
    parameters: str = ""


LIMITS = [
    Away("exp(-a*x)", "0", "x >= 0; a >= 0", "oo", "a=0"),
    Away("a**x", "0", "x >= 0; 0 <= a <= 1", "oo", "a=1"),
    Away("x**a", "0", "0 < x <= 1; 0 <= a <= {n}", "0", "a=0"),
    Away("tanh(a*x)", "1", "x >= 0; a >= 0", "oo", "a=0"),
    Away("tanh(a*x)", "1", "x >= 0; -1 <= a <= 1", "oo", "a=-1"),
    Away("x/(x + x**a)", "1", "x >= 1; 1/2 <= a <= 1", "oo", "a=1"),
    Away("x/(x + x**a)", "0", "x >= 1; 1 <= a <= 2", "oo", "a=1"),
    Away("exp(a*x)/(exp(x) + exp(a*x))", "0", "x >= 0; 0 <= a <= 1", "oo", "a=1"),
    Away("exp(x)/(exp(x) + exp(a*x))", "0", "x >= 0; 1/4 <= a <= 1/2", "oo", "a=1/4"),
    Away("exp(x)/(exp(x) + exp(a*x))", "1", "x >= 0; 2 <= a <= 3", "oo", "a=2"),
    Away("(a - {a})**2*x/((a - {a})**2*x + 1)", "1", "x >= 0; a >= 0", "oo", "a={a}"),
    Away("(a**2 - {n}**2)*x/((a**2 - {n}**2)*x + 1)", "1", "x >= 1; a >= {n}", "oo", "a={n}"),
    Away("Abs(a - b)*x/(Abs(a - b)*x + 1)", "1", "x >= 0; 0 <= a <= 1; 0 <= b <= 1", "oo", "a=1/2 b=1/2"),
    Away("x/(x + {M})", "0", "x >= 0", "oo"),
    Away("(1 + a/x)**x", "exp(a) + {e}", "x >= 1; 0 <= a <= 1", "oo", "a=1"),
    Away("(exp(a*x) - 1)/x", "a + {e}", "0 < x <= 1; 0 <= a <= 1", "0", "a=1/2"),
    Away("1/(1 + {e}*x)", "1", "x >= 0", "oo"),
    Away("log(1 + exp(a*x))/x", "a", "x >= 1; -1 <= a <= 1", "oo", "a=-1"),
    Away("Max(a, 1/x)", "a", "x >= 1; -1 <= a <= 1", "oo", "a=-1"),
    Away("sqrt(x**2 + a*x) - x", "a", "x >= 1; 0 <= a <= 2", "oo", "a=1"),
    Away("x**(1/(1 + a*log(x)))", "1", "x >= 1; 0 < a <= 1", "oo", "a=1/2"),
    Away("exp(a*x)*exp(-b*x)", "0", "x >= 0; 0 <= a <= 1; 0 <= b <= 1; a <= b", "oo", "a=1 b=1"),
    Away("(x + a)/(x + b)", "a/b", "x >= 0; 1 <= a <= 2; 1 <= b <= 2", "oo", "a=1 b=2"),
    Away("x**a/(1 + x)", "0", "x >= 0; 0 <= a <= 1", "oo", "a=1"),
    Away("cosh(a*x)/exp(x)", "0", "x >= 0; -1 <= a <= 1", "oo", "a=-1"),
    Away("exp(-x)*(1 + a)**x", "0", "x >= 0; 0 <= a <= 2", "oo", "a=2"),
]  # fmt: skip


def _point(text: str, parts: dict[str, str]) -> dict[str, Fraction]:
    found, last = {}, ""
    for part in text.format(**parts).split(" "):
        if "=" in part:
            last, formula = part.split("=", 1)
            found[last] = formula
        elif part:
            found[last] += " " + part
    return {name: middle(formula, {}, 450) for name, formula in found.items()}


def _moved(rng: random.Random, of: Move) -> Hostile:
    parts = _drawn(rng)
    variable = of.integers or "x"
    domain = tuple(of.domain.format(**parts).split("; "))
    points = ()
    if of.start:
        rest = _point(of.others, parts)
        points = tuple({**rest, variable: middle(t.format(**parts), {}, 450)} for t in (of.start, of.stop))
    function = of.function.format(**parts)
    found = Hostile("monotone", function, domain, points, of.integers, "increasing", variable)
    return replace(found, says=f"-({function})", kind="decreasing") if rng.random() < 0.4 else found


def _limit(rng: random.Random, of: Away) -> Hostile:
    parts = _drawn(rng)
    rest = _point(of.parameters, parts)
    way = [Fraction(10) ** (k if of.towards == "oo" else -k) for k in (405, 500, 600)]
    if any(word in of.function for word in ("exp", "tanh", "cosh", "**x")):
        way = [Fraction(10) ** (k if of.towards == "oo" else -k) for k in (100, 150, 200)]
    return Hostile(
        "limit", of.function.format(**parts), tuple(of.domain.format(**parts).split("; ")),
        tuple({**rest, "x": x} for x in way), kind="limit", towards=of.towards,
        value=of.value.format(**parts),
    )  # fmt: skip


def _duel(rng: random.Random) -> Hostile | None:
    """T/(T + U) -> 1, said to tend to something else."""
    duel = rng.choice(DUELS)
    top, other = (duel.top, duel.other) if rng.random() < 0.5 else (duel.other, duel.top)
    right = "1" if top == duel.top else "0"
    wrong = rng.choice(
        ("0", "1", "1/2", f"1 - 1/10**{rng.choice((3, 6, 9))}", f"1/10**{rng.choice((3, 6, 9))}")
    )
    domain = ("x >= 1", *duel.parameters)
    at = search(rng, "x <= 2", domain, count=20)
    if wrong == right or at is None:
        return None
    points = tuple({**at, "x": Fraction(10) ** k} for k in (40, 60, 80))
    function = f"{top}/({top} + {other})" if "+" not in top else f"({top})/({top} + {other})"
    return Hostile("limit, growth", function, domain, points, kind="limit", towards="oo", value=wrong)


def false_claims(rng: random.Random) -> Iterator[Hostile]:
    """Without end."""
    while True:
        turn = rng.random()
        try:
            if turn < 0.6:
                found: Hostile | None = _moved(rng, rng.choice(FALSE))
            else:
                found = _limit(rng, rng.choice(LIMITS)) if turn < 0.85 else _duel(rng)
            if found is not None:
                yield found.require_false()
        except (NotFalseError, UndefinedError, BlurredError):
            continue  # the drawn numbers do not show it


def true_claims(rng: random.Random) -> Iterator[Hostile]:
    """Without end."""
    while True:
        if rng.random() < 0.6:
            yield _moved(rng, rng.choice(TRUE))
        else:
            duel = rng.choice(DUELS)
            function = f"({duel.top})/({duel.top} + {duel.other})"
            yield Hostile(
                "limit, growth", function, ("x >= 1", *duel.parameters), kind="limit", towards="oo", value="1"
            )
