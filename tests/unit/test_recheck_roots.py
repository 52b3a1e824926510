"""Root counting against known roots, simple and multiple, inside, at and beside the ends of a range."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.recheck import roots
from verify.recheck.intervals import INF, Interval
from verify.recheck.reading import read
from verify.recheck.roots import polynomial, sturm, value
from verify.recheck.terms import number, variable

seeds = st.integers(0, 2**32)
X = variable("x")
GRID = [Fraction(k, 2) for k in range(-6, 7)]


def wrong(seed: int) -> str:
    """What is answered against the truth, for one polynomial and one range."""
    random = Random(seed)
    at = {random.choice(GRID): random.randint(1, 3) for _ in range(random.randint(0, 4))}
    squares = [random.choice((2, 3, 5)) for _ in range(random.randint(0, 2))]  # x**2 - k has roots ±sqrt(k)
    scale = random.choice((-3, -1, Fraction(1, 7), 2))
    t = number(scale)
    for r, m in at.items():
        t = t * (X - r) ** m
    for k in squares:
        t = t * (X**2 - k)
    if random.random() < 0.3:
        t = t * (X**2 + 1)
    if random.random() < 0.5:  # written out
        p = polynomial(t, "x")
        t = sum((c * X**k for k, c in enumerate(p)), start=number(0))
    a, b = random.choice([-INF, *GRID]), random.choice([INF, *GRID])
    if not a < b:
        return ""
    x = Interval(a, b, a == -INF or random.random() < 0.5, b == INF or random.random() < 0.5)
    strict = random.random() < 0.5
    truth = _truth(scale, at, squares, x, strict)
    found = sturm(t, "x", x, strict)
    return "" if found == truth else f"{t} on {x}, strict {strict}: {found}"


def _truth(scale, at, squares, x, strict):
    """The sign at one point between each two neighbouring roots, and the roots themselves."""
    cuts = sorted([*at, *(Fraction(s * round(k**0.5 * 10**9), 10**9) for k in squares for s in (-1, 1))])

    def sign(y):
        found = Fraction(scale)
        for r, m in at.items():
            found *= (y - r) ** m
        for k in squares:
            found *= y * y - k
        return found

    if strict and (any(r in x for r in at) or any(c in x for c in cuts if c not in at)):
        return False
    marks = [max(x.low, Fraction(-100)), *(c for c in cuts if x.low < c < x.high), min(x.high, Fraction(100))]
    gaps = [(u, v) for u, v in pairwise(marks) if v - u > Fraction(1, 10**6)]
    return all(sign((u + v) / 2) >= 0 for u, v in gaps)


@given(seed=seeds)
def test_the_answer_is_the_truth(seed):
    assert not wrong(seed)


def test_a_polynomial_is_read():
    assert polynomial(read("(x - 1)*(x + 2)**2/3", ["x"]), "x") == [Fraction(c, 3) for c in (-4, 0, 3, 1)]
    for text in ("1/x", "x**(1/2)", "x*pi", "x*y", "exp(x)", "x**61"):
        assert polynomial(read(text, ["x", "y"]), "x") is None
    assert value([Fraction(1), Fraction(2)], Fraction(3)) == 7


def _even(p, x, sign=roots._sign):
    return sign(p, abs(x)) if isinstance(x, float) else sign(p, x)


MUTANTS = {
    "multiplicity forgotten": ("_parts", lambda p, parts=roots._parts: [(q, 1) for q, _ in parts(p)]),
    "even roots forgotten": ("_parts", lambda p, parts=roots._parts: [(q, m) for q, m in parts(p) if m % 2]),
    "roots at the upper end counted as inside": (
        "_roots_inside", lambda p, a, b, inside=roots._roots_inside: inside(p, a, b)
        + (not isinstance(b, float) and value(p, b) == 0),
    ),
    "a sign far out with the wrong parity": ("_sign", _even),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_found(name, monkeypatch):
    monkeypatch.setattr(roots, *MUTANTS[name])
    assert any(wrong(seed) for seed in range(2000))
