"""Corners: singular ends, branches, 0**0, strictness, hypotheses, integers, and numbers no double holds.

Each template says what is false and where, with numbers drawn anew: {a}, {b} small fractions (0 < a < b), {n}
a whole number, {e} a number from 10^-3 to 10^-40, {M} one from 10^30 to 10^400.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from tests.quality.hostile.claims import Hostile, NotFalseError, middle, number
from tests.quality.hostile.sharp import EXPONENTS
from tests.quality.hostile.truth import BlurredError, UndefinedError


class Corner(NamedTuple):
    """Templates of what is said, the domain, and the witness."""

    family: str
    says: str
    domain: str
    witness: str  # x=..., formulas in the drawn numbers
    integers: str = ""


FALSE = [
    # strictness: equality is attained at a closed end, in a corner, at an inner point
    Corner("strict", "(x - {a})*({b} - x) > 0", "{a} <= x <= {b}", "x={b}"),
    Corner("strict", "sqrt(x - {a}) > 0", "{a} <= x <= {b}", "x={a}"),
    Corner("strict", "Abs(x - {a})**(1/3) > 0", "0 <= x <= {b}", "x={a}"),
    Corner("strict", "exp(-(x - {a})**2) < 1", "x >= 0", "x={a}"),
    Corner("strict", "Max(x, {a}) > {a}", "0 <= x <= {b}", "x=0"),
    Corner("strict", "x/(x + {a}) > 0", "x >= 0", "x=0"),
    Corner("strict", "x**y > 0", "0 <= x <= {b}; 1 <= y <= {n}", "x=0 y=1"),
    Corner("strict", "(x - {a})**2 + (y - {b})**2 > 0", "0 <= x <= 99; 0 <= y <= 99", "x={a} y={b}"),
    Corner("strict", "x*log(1 + x) > 0", "x >= 0", "x=0"),
    Corner("strict", "log(x/{a})**2 > 0", "x > 0", "x={a}"),
    Corner("strict", "Abs(x - {a}) + Abs(y - {a}) > Abs(x - y)", "0 <= x <= {a}; {a} <= y <= 99",
           "x={a} y={a}"),
    Corner("strict", "(x - y)**2*exp(-x) > 0", "0 <= x <= {b}; 0 <= y <= {b}", "x={a} y={a}"),
    # infinity reached, but not by a bound
    Corner("far", "x/(x + {a}) <= 1 - {e}", "x >= 0", "x=10*{a}/{e}"),
    Corner("far", "{e} <= exp(-{a}*x)", "x >= 0", "x=200/{a}"),
    Corner("far", "{e} <= 1/(1 + x)**{n}", "x >= 0", "x=2/{e}"),
    Corner("far", "log(1 + x) <= {n}", "x >= 0", "x=10**{n}"),
    Corner("far", "log(1 + log(1 + x)) <= 6", "x >= 0", "x=10**300"),
    Corner("far", "sqrt(x) <= {M} + log(1 + x)", "x >= 0", "x={M}**2*9"),
    Corner("far", "x <= {M}", "x >= 0", "x={M} + 1"),
    Corner("far", "x**2 <= {M}*x + {M}", "x >= 0", "x=3*{M}"),
    Corner("far", "tanh(x) <= 1 - {e}", "x >= 0", "x=200"),
    Corner("far", "x/sqrt(1 + x**2) < 1 - {e}", "x >= 0", "x=1/{e}"),
    Corner("far", "atan(x) <= 157/100", "x >= 0", "x=10**6"),
    Corner("far", "exp(x) <= {M} + exp(x)/2", "x >= 0", "x=1500"),
    Corner("far", "(1 + {a}/x)**x <= exp({a}) - {e}", "x >= 1", "x=10**90"),
    Corner("far", "x*(exp({a}/x) - 1) >= {a} + {e}", "x >= 1", "x=10**90"),
    Corner("far", "-{M} <= log(x)*{M}", "0 < x <= 1", "x=1/10**9"),
    Corner("far", "1/x <= {M}", "0 < x <= 1", "x=1/(10*{M})"),
    Corner("far", "{e}*x <= {n}", "x >= 0", "x=10*{n}/{e}"),
    # huge and tiny numbers
    Corner("magnitude", "x/{M} <= x**2", "0 <= x <= 1", "x=1/(10*{M})"),
    Corner("magnitude", "x*y <= {M}", "x >= 0; y >= 0", "x={M} y=2"),
    Corner("magnitude", "exp(-x) >= 1/{M}", "x >= 0", "x=1000"),
    Corner("magnitude", "exp(x)/{M} <= 1 + x**{n}", "x >= 0", "x=10**5"),
    Corner("magnitude", "x**(1/{n}) <= {n}", "x >= 0", "x={n}**{n}*10**{n}"),
    Corner("magnitude", "{M}*(x - {a})**2 <= x + {M}*{b}**2", "0 <= x <= 9*{b}", "x=9*{b}"),
    Corner("magnitude", "Min(x, {M}) <= {M} - 1", "x >= 0", "x={M}"),
    Corner("magnitude", "x <= x*(1 - {e}) + {M}", "x >= 0", "x=2*{M}/{e}"),
    Corner("magnitude", "(x + 1/{M})**2 <= x**2 + x/{M}", "0 <= x <= 1", "x=1"),
    Corner("magnitude", "exp(exp(x)) <= {M}*exp(x**2)", "x >= 0", "x=9"),
    Corner("magnitude", "log(x + {M}) - log({M}) <= 0", "0 <= x <= 1", "x=1"),
    Corner("magnitude", "sqrt(x**2 + 1/{M}) <= x", "0 <= x <= 1", "x=1"),
    # branches
    Corner("branch", "sqrt((x - {a})**2) == x - {a}", "0 <= x <= {b}", "x=0"),
    Corner("branch", "sqrt(x)*sqrt(x - {b}) == sqrt(x*(x - {b})) + {e}", "x >= {b}", "x={b}"),
    Corner("branch", "Abs(x - {M}) == {M} - x", "x >= 0", "x=2*{M}"),
    Corner("branch", "Max(x, {n}) == {n}", "0 <= x <= {n} + {e}", "x={n} + {e}"),
    Corner("branch", "Min(x, {M}) == x", "x >= 0", "x=2*{M}"),
    Corner("branch", "(x**2)**(1/2) <= x", "-{e} <= x <= {b}", "x=-{e}"),
    Corner("branch", "exp(log(Abs(x - {a}))) == x - {a}", "0 <= x <= {b}", "x=0"),
    Corner("branch", "Abs(x)*Abs(x - {a}) == x*(x - {a})", "x >= 0", "x={a}/2"),
    Corner("branch", "sqrt(y) == x", "-{b} <= x <= {b}; 0 <= y <= 10**6; y == x**2", "x=-{a} y={a}**2"),
    Corner("branch", "x == y", "x*x == y*y; -{b} <= x <= {b}; -{b} <= y <= {b}", "x={a} y=-{a}"),
    # identities that are off by little
    Corner("identity", "(x + {a})**2 == x**2 + 2*{a}*x + {a}**2 + {e}", "x >= 0", "x=0"),
    Corner("identity", "exp(x)*exp({a}) == exp(x + {a} + {e})", "x >= 0", "x=0"),
    Corner("identity", "log(x*{b}) == log(x) + log({b}) + {e}*x", "x > 0", "x=1"),
    Corner("identity", "(x - {a})*(x + {a}) == x**2 - {a}**2 + {e}*x*(x - 1)*(x - 2)", "x >= 0", "x=3"),
    Corner("identity", "cosh(x)**2 - sinh(x)**2 == 1 + {e}", "x >= 0", "x=0"),
    Corner("identity", "sqrt(x + 2*sqrt(x - 1)) == 1 + sqrt(x - 1) + {e}", "x >= 1", "x=1"),
    Corner("identity", "x == x + 1/{M}", "x >= 0", "x=1"),
    Corner("identity", "Max(x, -{M}) == x", "x <= 0", "x=-2*{M}"),
    # 0**0
    Corner("zero", "0**x == 0", "x >= 0", "x=0"),
    Corner("zero", "x**y <= 1 - {e}", "0 <= x <= 1/2; 0 <= y <= {n}", "x=0 y=0"),
    Corner("zero", "x**y <= x", "0 <= x <= 1; 0 <= y <= {n}", "x=0 y=0"),
    Corner("zero", "x**x <= 1 - {e}", "0 <= x <= 1", "x=0"),
    Corner("zero", "0**Abs(x - {a}) == 0", "x >= 0", "x={a}"),
    Corner("zero", "x**(y*y) <= 9/10", "0 <= x <= 1/2; -1 <= y <= 1", "x=0 y=0"),
    Corner("zero", "(x - {a})**n <= 1/2", "x == {a}; 0 <= n <= {n}", "x={a} n=0", "n"),
    # hypotheses
    Corner("hypothesis", "x < y", "0 <= x <= {b}; 0 <= y <= {b}; x <= y", "x={a} y={a}"),
    Corner("hypothesis", "x >= {b}", "x >= 0; (x - {a})*(x - {b}) == 0", "x={a}"),
    Corner("hypothesis", "x <= y - {e}", "0 <= x <= 1; 0 <= y <= 1; x**2 <= y**2", "x=1 y=1"),
    Corner("hypothesis", "x + y <= 2*{a} - {e}", "x >= 0; y >= 0; x*y <= {a}**2; x <= 2*{a}", "x={a} y={a}"),
    Corner("hypothesis", "y <= {n}", "0 < x <= 1; y >= 0; x*y <= 1", "x=1/(2*{n}) y=2*{n}"),
    Corner("hypothesis", "x*y >= {e}", "0 <= x <= 1; 0 <= y <= 1; x + y >= 1", "x=1 y=0"),
    Corner("hypothesis", "exp(-x) - exp(-y) <= (1 - {e})*(y - x)", "0 <= x; x <= y; y <= 5", "x=0 y={e}/2"),
    Corner("hypothesis", "x <= {b}", "x >= 0; Abs(x - {a}) <= {b} - {a} + {e}", "x={b} + {e}"),
    Corner("hypothesis", "Max(x, y) < {b}", "0 <= x <= {b}; 0 <= y <= {b}; x + y <= {b}", "x={b} y=0"),
    # integers
    Corner("integer", "(n - {n})**2 > 0", "n >= 0", "n={n}", "n"),
    Corner("integer", "Abs(n - {M}) >= 1", "n >= 0", "n={M}", "n"),
    Corner("integer", "2**n > n**2 + {e}", "n >= 4", "n=4", "n"),
    Corner("integer", "n*(n - 1)*(n - {n}) > 0", "n >= {n}", "n={n}", "n"),
    Corner("integer", "(n - m)**2 >= 1", "0 <= n; 0 <= m", "n={n} m={n}", "n m"),
    Corner("integer", "(2*n - 3*m)**2 >= 1", "n >= 1; m >= 1", "n=3*{n} m=2*{n}", "n m"),
    Corner("integer", "(n - x)**2 >= {e}", "n >= 0; 0 <= x <= {n}", "n=1 x=1", "n"),
    Corner("integer", "n <= {M}", "n >= 1", "n={M} + 1", "n"),
    Corner("integer", "1/n >= {e}", "n >= 1", "n=1 + 10**50", "n"),
    Corner("integer", "x**n <= x", "0 <= x <= 1; 0 <= n", "x=0 n=0", "n"),
    Corner("integer", "(n**2 - 2*m**2)**2 >= 2", "n >= 1; m >= 1", "n=99 m=70", "n m"),
    Corner("integer", "(1 + 1/n)**n <= E - {e}", "n >= 1", "n=10**90", "n"),
    Corner("integer", "n**2 - n - {n} + {n}*{n} >= {n}**2 + {e} - {n}", "n >= 0", "n=1", "n"),
    # poles inside the domain
    Corner("pole", "1/(x - {a}) >= -{M}", "0 <= x <= {b}", "x={a} - 1/(10*{M})"),
    Corner("pole", "1/(x - {a}) >= 0", "{a} - {e} < x <= {b}", "x={a} - {e}/2"),
    Corner("pole", "x/(x - {a})**2 <= {M}", "0 <= x <= {b}", "x={a} - 1/(10*{M})"),
    Corner("pole", "log(Abs(x - {a})) >= -{n}", "0 <= x <= {b}", "x={a} - 1/10**{n}"),
    Corner("pole", "1/(x**2 - 2) <= 0", "0 <= x <= 142/100", "x=142/100"),
    Corner("pole", "1/(exp(x) - 1 - {a}) >= -{n}", "0 <= x <= {b}", "x=log(1 + {a}) - 1/10**{n}"),
    Corner("pole", "Max(1/(x - {a}), -{n}) >= 0", "0 <= x <= {b}", "x={a}/2"),
    Corner("pole", "1/x - 1/(x + {e}) <= {n}", "0 < x <= 1", "x={e}/(10*{n})"),
]  # fmt: skip

TRUE = [
    Corner("strict", "(x - {a})*({b} - x) >= 0", "{a} <= x <= {b}", ""),
    Corner("strict", "exp(-(x - {a})**2) <= 1", "x >= 0", ""),
    Corner("strict", "x*log(1 + x) >= 0", "x >= 0", ""),
    Corner("strict", "x/(x + {a}) < 1", "x >= 0", ""),
    Corner("far", "x/sqrt(1 + x**2) <= 1", "x >= 0", ""),
    Corner("far", "(1 + {a}/x)**x <= exp({a})", "x >= 1", ""),
    Corner("far", "{a} <= x*(exp({a}/x) - 1)", "x >= 1", ""),
    Corner("magnitude", "log({M}) <= log(x + {M})", "0 <= x <= 1", ""),
    Corner("magnitude", "exp(x)/{M} >= x/{M}", "x >= 0", ""),
    Corner("branch", "sqrt((x - {a})**2) == Abs(x - {a})", "0 <= x <= {b}", ""),
    Corner("identity", "(x + {a})**2 == x**2 + 2*{a}*x + {a}**2", "x >= 0", ""),
    Corner("hypothesis", "exp(-x) - exp(-y) <= y - x", "0 <= x; x <= y; y <= 5", ""),
    Corner("hypothesis", "x <= {b}", "x >= 0; Abs(x - {a}) <= {b} - {a}", ""),
    Corner("hypothesis", "Max(x, y) <= {b}", "0 <= x <= {b}; 0 <= y <= {b}; x + y <= {b}", ""),
    Corner("integer", "(n - {n})**2 >= 0", "n >= 0", "", "n"),
    Corner("integer", "(1 + 1/n)**n <= E", "n >= 1", "", "n"),
    Corner("integer", "n <= n**2", "n >= 0", "", "n"),
    Corner("pole", "1/(x - {a})**2 >= 0", "0 <= x <= {b}", ""),
    Corner("zero", "x**y <= 1", "0 < x <= 1/2; 0 <= y <= {n}", ""),
]


def _drawn(rng: random.Random) -> dict[str, str]:
    a = Fraction(rng.randint(1, 40), rng.randint(1, 12))
    return {
        "a": number(a),
        "b": number(a + Fraction(rng.randint(1, 60), rng.randint(1, 9))),
        "n": str(rng.choice((2, 3, 5, 7, 11, 17, 30, 60, 100))),
        "e": f"(1/10**{rng.choice(EXPONENTS)})",
        "M": f"10**{rng.choice((30, 50, 100, 160, 200, 300, 309, 400))}",
    }


def _filled(of: Corner, parts: dict[str, str]) -> Hostile:
    says, domain = of.says.format(**parts), tuple(of.domain.format(**parts).split("; "))
    at = {}
    for part in of.witness.split(" "):
        name, formula = part.split("=", 1) if "=" in part else ("", part)
        if name:
            last, at[name] = name, formula
        elif formula:
            at[last] += " " + formula  # a formula with spaces
    point = {name: middle(formula.format(**parts), {}, 450) for name, formula in at.items()}
    return Hostile(f"corner, {of.family}", says, domain, (point,) if point else (), of.integers)


def false_claims(rng: random.Random) -> Iterator[Hostile]:
    """Without end, each template in turn."""
    while True:
        for corner in rng.sample(FALSE, len(FALSE)):
            try:
                yield _filled(corner, _drawn(rng)).require_false()
            except (NotFalseError, UndefinedError, BlurredError):
                continue  # these numbers do not show it


def true_claims(rng: random.Random) -> Iterator[Hostile]:
    """Without end."""
    while True:
        for corner in rng.sample(TRUE, len(TRUE)):
            yield _filled(corner, _drawn(rng))
