"""Signs and sizes of numbers that are too long to write out, against mpmath's unbounded exponents."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hostile_formulas import MP, UndefinedError, arguments_up_to, mpf, value
from verify.recheck import witnesses
from verify.recheck.intervals import Interval, UnknownError, point, precision
from verify.recheck.magnitudes import Magnitude, magnitude
from verify.recheck.reading import read
from verify.recheck.witnesses import about_witness

seeds = st.integers(0, 2**32)
HUGE = ("10**5", "12345", "3*10**6", "(10**5 + 1/10**30)", "x", "-10**5", "-10**6", "(-x)", "7", "1/3")


KINDS = (
    *("({u} + {v})", "({u} - {v})", "{u}*{v}", "{u}/({v})", "({u})**3", "({u})**2", "({u})**(-1)"),
    *("Abs({u})", "log(Abs({u}))", "Max({u}, {v})", "Min({u}, {v})", "sqrt(Abs({u}))"),
    *("({u} + 1/10**200 - {u})", "({u} - {u} - exp(-10**9)/7)"),
)


def huge(random: Random, depth: int) -> str:
    """A text in x whose parts may be e^(10^6), or that many times smaller."""
    e = random.choice(HUGE)
    if depth == 0:
        return random.choice((f"exp({e})", f"2**({e})", "x", "2", "(-3)", "10**50"))
    return random.choice(KINDS).format(u=huge(random, depth - 1), v=huge(random, depth - 1))


def _inside(y, x: Interval) -> bool:
    """In the interval, up to the digits of the truth."""
    low, high = (MP.mpf(e) if isinstance(e, float) else mpf(e) for e in (x.low, x.high))
    slack = abs(y) / 10**200
    return low - slack <= y <= high + slack


def wrong(seed: int) -> str:
    """What is claimed against the truth, for one formula at one point."""
    random = Random(seed)
    text, x = huge(random, random.choice((1, 2, 2, 3))), Fraction(random.randint(1, 10**7), 7)
    try:
        with precision(1024):
            found = magnitude(read(text, ["x"], fold=False), {"x": point(x)})
        with MP.workdps(900), arguments_up_to(10**9):
            truth = value(text, {"x": x})
            sign = int(MP.sign(truth))
            if not sign or not found.sign:
                fits = sign == found.sign
            else:
                size = MP.log(abs(truth))
                fits = sign == found.sign and _inside(size, found.log)
    except (UnknownError, UndefinedError):
        return ""
    return "" if fits else f"{text} at {x}: {found}, not so"


@given(seed=seeds)
def test_sign_and_size_are_the_truth(seed):
    assert not wrong(seed)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("exp(10**6) - exp(10**6 - 1)", 1), ("exp(-10**6) - exp(-10**6 + 1)", -1), ("-(2**(-10**6))", -1),
        ("(-exp(10**5))**3 + exp(10**5)", -1), ("0*exp(10**6)", 0),
        ("Max(exp(10**6), exp(10**5)) - exp(10**6 + 1)", -1), ("Abs(-exp(10**6))", 1),
    ],
)  # fmt: skip
def test_signs(text, sign):
    assert magnitude(read(text, [], fold=False), {}).sign == sign


@pytest.mark.parametrize(
    "text", ["exp(10**6) - exp(10**6)", "log(-exp(10**6))", "(-exp(10**6))**(1/2)", "0**0", "0**(-1)"]
)
def test_what_is_not_seen_or_not_defined(text):
    with pytest.raises(UnknownError):
        magnitude(read(text, [], fold=False), {})


def refuted_wrongly(seed: int) -> str:
    """A witness that is accepted though the relation holds."""
    random = Random(seed)
    left, right = huge(random, random.choice((0, 1, 2))), huge(random, random.choice((0, 1, 2)))
    relation, x = random.choice(("<=", "<", ">=", "==")), Fraction(random.randint(1, 10**6), 7)
    text = f"{left} {relation} {right}"
    if about_witness({"relation": text, "domain": ["x >= 0"], "point": {"x": str(x)}}, "", lambda _: None):
        return ""
    try:
        with MP.workdps(900), arguments_up_to(10**9):
            gap = value(right, {"x": x}) - value(left, {"x": x})
    except UndefinedError:
        return f"{text} at {x} is not defined"
    holds = {"<=": gap >= 0, "<": gap > 0, ">=": gap <= 0, "==": gap == 0}[relation]
    return f"{text} at {x}" if holds else ""


@given(seed=seeds)
def test_an_accepted_witness_is_one(seed):
    assert not refuted_wrongly(seed)


def _careless_sum(self, other):
    """The larger of the two, whatever their signs."""
    return self if self.log.low > other.log.low else other


MUTANTS = {
    "a sum that leaves out the smaller": ("__add__", _careless_sum),
    "a product that forgets signs": ("__mul__", lambda self, other: Magnitude(1, self.log + other.log)),
    "a negative that is not": ("__neg__", lambda self: self),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_found(name, monkeypatch):
    monkeypatch.setattr(Magnitude, *MUTANTS[name])
    assert any(wrong(seed) for seed in range(1000))


ROOTS = "sqrt(x) - sqrt(y) + exp(-10**9*(y + 1)) <= sqrt(x - y)"


@pytest.mark.parametrize(
    ("relation", "at", "accepted"),
    [
        (ROOTS, "3", True),  # 0 and what is too small to be written, once the roots are seen to be equal
        (ROOTS.replace("+ exp", "- exp"), "3", False),
        (ROOTS.replace("10**9*(y + 1)", "10**9/(y - 3)"), "3", False),  # equal roots, and nothing beside them
    ],
)
def test_what_is_left_when_the_point_is_put_in(relation, at, accepted):
    witness = {"relation": relation, "domain": ["y <= x", "y >= 0"], "point": {"x": at, "y": at}}
    assert (about_witness(witness, "", lambda _: None) == []) == accepted


WRONG = ("1e-434294481", "1e434294481", "1e" + "9" * 5000, "1/2")


@pytest.mark.parametrize(("left", "accepted"), [("1.5", True), *((wrong, False) for wrong in WRONG)])
def test_decimals_that_are_too_long_to_be_written_out(left, accepted):
    witness = {"relation": "1/2 + x <= 0", "domain": ["x >= 0"], "point": {"x": "1"}, "left": left}
    assert (about_witness(witness, "", lambda _: None) == []) == accepted


def test_a_witness_against_what_holds_is_found(monkeypatch):
    """The mutant takes every number that is too long to be written for a negative one."""
    monkeypatch.setattr(witnesses, "magnitude", lambda t, at: Magnitude(-abs(magnitude(t, at).sign)))
    assert any(refuted_wrongly(seed) for seed in range(200))
