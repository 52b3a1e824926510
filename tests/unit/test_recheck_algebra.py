"""The normal form has the value of the formula, and nothing unequal is seen to be equal."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hostile_formulas import (
    MP,
    NAMES,
    OutsideError,
    UndefinedError,
    any_text,
    close,
    rewritten,
    somewhere,
    value,
    value_of_term,
)
from verify.recheck import identities
from verify.recheck.algebra import Algebra
from verify.recheck.identities import same, vanishes
from verify.recheck.intervals import Interval, UnknownError
from verify.recheck.reading import read

seeds = st.integers(0, 2**32)
ENDS = (Fraction(0), Fraction(-3), Fraction(1, 2))
WHOLE = tuple(Interval(Fraction(a), Fraction(b)) for a, b in ((1, 4), (-3, 4), (2, 2)))


def box_of(random: Random) -> dict[str, Interval]:
    x = Interval(random.choice(ENDS), Fraction(3))
    return {"x": x, "y": x, "n": random.choice(WHOLE)}


def points(random: Random, box: dict[str, Interval], count: int) -> list[dict[str, Fraction]]:
    """Inner points, with n whole more often than not."""
    found = [somewhere(random, box["x"].low) for _ in range(count)]
    if box["n"].single:
        found = [{**at, "n": box["n"].low} for at in found]
    return [at for at in found if at["n"] in box["n"].inner()]


def badly_written(seed: int) -> list[str]:
    """Normal forms with another value than the text."""
    random = Random(seed)
    text, box, found = any_text(random), box_of(random), []
    algebra = Algebra(box)
    try:
        t = algebra.term_of(algebra.of(read(text, NAMES)))
    except UnknownError:
        return []
    for at in points(random, box, 5):
        try:
            truth = value(text, at)
        except (UndefinedError, OverflowError):
            continue
        try:
            kept = close(truth, value_of_term(t, at))
        except OutsideError:
            kept = False
        except UndefinedError:  # 0 or a long number, which the text had not
            kept = True
        found += [] if kept else [f"{text} at {at}"]
    return found


@given(seed=seeds)
def test_a_normal_form_keeps_the_value(seed):
    assert not badly_written(seed)


def badly_equal(seed: int, accept=same) -> list[str]:
    """Pairs that are accepted as equal and differ somewhere, by as little as 10^-200."""
    random = Random(seed)
    a, b = rewritten(random, random.choice((1, 1, 2)))
    box = box_of(random)
    try:
        accepted = accept(read(a, NAMES), read(b, NAMES), box)
    except UnknownError:
        return []
    if not accepted:
        return []
    with mpmath.workdps(15), MP.workdps(450):
        for at in points(random, box, 12):
            try:
                v, w = value(a, at), value(b, at)
            except (UndefinedError, OverflowError):
                continue
            if abs(v - w) > MP.mpf(10) ** -300 * (1 + abs(v)):
                return [f"{a} and {b} at {at}"]
    return []


@given(seed=seeds)
def test_what_is_seen_to_be_equal_is_equal(seed):
    assert not badly_equal(seed)


def zero(a, b, box):
    """Without the second look at points."""
    return vanishes(a - b, box)


@given(seed=seeds)
def test_the_zero_test_needs_no_second_look(seed):
    assert not badly_equal(seed, zero)


EQUAL = [
    ("(x**2 + 2*x + 1)/sqrt(x + 1)", "sqrt(x + 1)**3"), ("1/(x - 1) - 1/(x + 1)", "2/(x**2 - 1)"),
    ("gamma(x + 3)", "(x + 2)*(x + 1)*x*gamma(x)"), ("Max(x, y) + Min(x, y)", "x + y"),
    ("(x**n)**2", "x**(2*n)"), ("log(x*y) - log(x)", "log(y)"), ("tanh(x)", "sinh(x)/cosh(x)"),
    ("sqrt(12)", "2*sqrt(3)"), ("exp(n*log(x))", "x**n"), ("(sqrt(x) + 1)**2 - 2*sqrt(x)", "x + 1"),
    ("1/(1 + 1/sqrt(1 + x))", "sqrt(1 + x)/(1 + sqrt(1 + x))"), ("2**(n/2)*2**(n/2)", "2**n"),
]  # fmt: skip
POSITIVE = {name: Interval(Fraction(2), Fraction(5)) for name in NAMES}


@pytest.mark.parametrize(("a", "b"), EQUAL)
def test_equal_ones_are_seen(a, b):
    assert same(read(a, NAMES), read(b, NAMES), POSITIVE)


def _first_class_only(self, a, depth=9, full=Algebra.vanishes):
    """Looks at the monomials that share the broken part of an exponent with the first, not at the others."""
    broken = {m: tuple(q % 1 for n, q in m if self.atoms[n].parts is not None) for m in a}
    return full(self, {m: c for m, c in a.items() if broken[m] == next(iter(broken.values()))}, depth)


MUTANTS = {
    "a zero test that drops a class": (badly_equal, Algebra, "vanishes", _first_class_only),
    "signs that are not looked at": (badly_written, Algebra, "sign", lambda self, t: 1),
    "signs that are not looked at, in pairs": (badly_equal, Algebra, "sign", lambda self, t: 1),
    "only one case of a kink": (badly_equal, identities, "_possible", lambda facts, _: len(facts) < 2),
    "no case of a kink": (badly_equal, identities, "_vanishes_by_cases", lambda *_: True),
    "primes whose whole powers are lost": (
        badly_written, Algebra, "_number_power", lambda self, c, q: {(): Fraction(1)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_found(name, monkeypatch):
    wrong, *change = MUTANTS[name]
    monkeypatch.setattr(*change)
    more = () if wrong is badly_written else (zero,)
    assert any(wrong(seed, *more) for seed in range(1500))


@pytest.mark.parametrize(
    "text", ["((1 + x)**2 - 1 - x**2)**(10**12)", "(2 + 2*x)**(-10**12)", "(8 + 8*x)**(10**12/3)"]
)
def test_what_would_be_too_long_is_refused_at_once(text):
    with pytest.raises(UnknownError):
        Algebra(POSITIVE).of(read(text, NAMES))
