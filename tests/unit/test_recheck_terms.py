"""The checker's own terms: folding keeps every value, derivatives are slopes, one denominator is the same."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hostile_formulas import (
    NAMES,
    UndefinedError,
    any_text,
    close,
    mpf,
    somewhere,
    value,
    value_of_term,
)
from verify.recheck import derivatives, terms
from verify.recheck.derivatives import derivative
from verify.recheck.intervals import UnknownError
from verify.recheck.quotients import together
from verify.recheck.reading import read
from verify.recheck.terms import Term, call, number, power, variable

seeds = st.integers(0, 2**32)


def drawn(seed: int) -> Iterator[tuple[str, Term, dict[str, Fraction], object]]:
    """A text, what it is read as, points at which it is defined, and its values there."""
    random = Random(seed)
    text = any_text(random)
    try:
        t = read(text, NAMES)
    except UnknownError:
        return
    for _ in range(4):
        at = somewhere(random)
        try:
            truth = value(text, at)
        except (UndefinedError, OverflowError):
            continue
        yield text, t, at, truth


def badly_folded(seed: int) -> list[str]:
    """Where the folded one has another value, or none."""
    found = []
    for text, t, at, truth in drawn(seed):
        try:
            kept = close(value_of_term(t, at), truth)
        except UndefinedError:
            kept = False
        found += [] if kept else [f"{text} at {at}"]
    return found


@given(seed=seeds)
def test_folding_keeps_the_value_wherever_the_text_has_one(seed):
    assert not badly_folded(seed)


def badly_derived(seed: int) -> list[str]:
    """Against the difference of five points."""
    found = []
    for text, t, at, truth in drawn(seed):
        try:
            slope = value_of_term(derivative(t, "x"), at)
            h = Fraction(1, 10**12)
            near = [value(text, {**at, "x": at["x"] + k * h}) for k in (-2, -1, 1, 2)]
        except (UnknownError, UndefinedError, OverflowError):
            continue
        expected = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / mpf(12 * h)
        if abs(slope - expected) > 1e-9 * (1 + abs(slope)) * (1 + abs(truth)):
            found.append(f"{text} at {at}")
    return found


@given(seed=seeds)
def test_the_derivative_is_the_slope(seed):
    assert not badly_derived(seed)


@given(seed=seeds)
def test_one_denominator_keeps_the_value(seed):
    for text, t, at, truth in drawn(seed):
        try:
            joined = value_of_term(together(t), at)
        except (UndefinedError, UnknownError):  # a product of denominators that is 0, or a long number
            continue
        assert close(joined, truth), text


def test_what_is_folded():
    x, n = variable("x"), variable("n")
    assert power(x**2, number(Fraction(1, 2))) == call("Abs", x)
    assert call("exp", 2 * call("log", x) + n) == x**2 * call("exp", n)
    assert power(x**n, number(2)) == x ** (2 * n)
    assert power(number(2) ** n, number(Fraction(1, 2))) == number(2) ** (n / 2)
    assert power(x**n, number(Fraction(1, 2))) != x ** (n / 2)  # n may be 2, and x negative


def _without_number(u, _):
    inside = terms.split_coefficient(u)[1]
    return inside.args[0] if inside.op == "log" else None


MUTANTS = {
    "a root that forgets |x|": (
        badly_folded, "_nested", lambda b, e: power(b.args[0], b.args[1] * e) if b.is_power else None,
    ),
    "a size that forgets signs": (badly_folded, "_abs", lambda u, _: u),
    "an exponential that loses the number before a logarithm": (badly_folded, "_exp", _without_number),
    "the slope of log1pr without its second part": (
        badly_derived, "_outer",
        lambda name, u, outer=derivatives._outer: 1 / u if name == "log1pr" else outer(name, u),
    ),
    "cos with the slope of cosh": (
        badly_derived, "_outer",
        lambda name, u, outer=derivatives._outer: -outer(name, u) if name == "cos" else outer(name, u),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_found(name, monkeypatch):
    wrong, *change = MUTANTS[name]
    monkeypatch.setattr(derivatives if wrong is badly_derived else terms, *change)
    assert any(wrong(seed) for seed in range(600))
