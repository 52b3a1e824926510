"""What doubles lose has one name in one place, and costs no more than that name says."""

from __future__ import annotations

import ast
import random
from fractions import Fraction
from pathlib import Path

import ctucbvi
from ctucbvi.numbers import ROUNDING, UNIT


def nearby(seed: int) -> Fraction:
    """A number whose double is nearly as far away as can be: just above a power of two."""
    draw = random.Random(seed)
    off = Fraction(1, 2**53) - Fraction(draw.randrange(1000), 2**73)
    return (1 + off) * Fraction(2) ** draw.randrange(-200, 200)


def test_a_rounding_costs_a_unit_and_no_less():
    losses = [abs(Fraction(float(x)) / x - 1) for x in map(nearby, range(2000))]
    assert max(losses) <= Fraction(UNIT)
    assert max(losses) > Fraction(UNIT) * Fraction(999, 1000)


def test_many_roundings_cost_no_more_than_they_are_counted_for():
    for n in (1, 2, 10, 1000, 10**5):
        # As large as n factors of 1 + u can be: by Bernoulli for 1 - u, exactly.
        grown = (1 + Fraction(UNIT)) ** n - 1 if n <= 1000 else n * Fraction(UNIT) / (1 - n * Fraction(UNIT))
        assert n * Fraction(UNIT) <= grown <= n * Fraction(ROUNDING)


def units(tree: ast.AST) -> list[str]:
    """The assignments of what is made of 2^-52, 2^-53 or 2^53 to a name."""
    unit = {ast.unparse(ast.parse(text, mode="eval")) for text in ("2.0**-52", "2.0**-53", "2**53", "2**52")}
    return [
        ast.unparse(name)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and unit & {ast.unparse(part) for part in ast.walk(node.value)}
        for name in node.targets
    ]


def test_it_has_one_name():
    package = Path(ctucbvi.__file__).parent
    found = {
        path.relative_to(package).as_posix(): names
        for path in package.rglob("*.py")
        if (names := units(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert found == {"numbers.py": ["UNIT"], "model/columns.py": ["_EXACT"]}
    assert units(ast.parse("_U = 2.0**-53")) == units(ast.parse("_U = Fraction(1, 2**53)")) == ["_U"]
