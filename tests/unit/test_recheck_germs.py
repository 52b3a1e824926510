"""Limits for every value of the parameters, against numbers with hundreds of digits next to the end."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hostile_formulas import MP, UndefinedError, arguments_up_to, value, value_of_term
from verify.recheck import germs
from verify.recheck.germs import Germ, _Germs, limit
from verify.recheck.identities import same
from verify.recheck.intervals import INF, Interval, UnknownError
from verify.recheck.reading import read

NAMES = ("x", "a", "b")
FAR = Interval(Fraction(1), INF, False, True)
seeds = st.integers(0, 2**32)


def between(a: int | str, b: int | str) -> Interval:
    return Interval(Fraction(a), Fraction(b))


# ---------------------------------------------------------------- known ones

QUARTER, UP = between("1/4", "1/2"), between(2, 3)
SHOWN = [
    ("exp(x)/(exp(x) + exp(a*x))", QUARTER, "1"), ("exp(x)/(exp(x) + exp(a*x))", UP, "0"),
    ("x/(x + x**a)", UP, "0"), ("x/(x + x**a)", between(0, "1/2"), "1"), ("(1 + a/x)**x", UP, "exp(a)"),
    ("x**a*exp(-x)", UP, "0"), ("log(x)**a/x", UP, "0"),
    ("x*(a**(1/x) - 1)", UP, "log(a)"), ("sqrt(x**2 + a*x) - x", between(-1, 1), "a/2"),
    ("x - log(exp(x) + x**a)", UP, "0"), ("x*atan(a/x)", between(-1, 1), "a"), ("atan(x)*a", UP, "a*pi/2"),
    ("Max(a*x, x)/x", UP, "a"), ("Abs(1 - a*x)/x", UP, "a"), ("tanh(a*x)", UP, "1"), ("x*sin(a/x)", UP, "a"),
    ("log(x + x**a)/log(x)", UP, "a"), ("log(log(x**a))/log(log(x))", UP, "1"),
    ("erf(a/x)*x", UP, "2*a/sqrt(pi)"), ("erf(a*x)", UP, "1"), ("a*erf(-x)", UP, "-a"),
    ("a*x*(1 - erf(x))", UP, "0"), ("exp(3*x**2)*(1 - erf(a*x))", UP, "0"),
    ("x**a*(erf(sqrt(x)) - 1)", UP, "0"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "a", "expected"), SHOWN)
def test_a_limit_is_shown(text, a, expected):
    found = limit(read(text, NAMES), "x", False, {"x": FAR, "a": a})
    assert same(found, read(expected, NAMES), {"a": a})


NOT_SHOWN = [
    ("x/(x + x**a)", between("1/2", 2)), ("exp(a*x)", between(-1, 0)), ("x**a", between(0, 1)),
    ("sin(x)", UP), ("exp(3*x**2/2)*(1 - erf(x))", UP), ("exp(x**2)*(1 - erf(x))*x", UP),
    ("x**2*erf(x - a*x)", UP),
    ("(1 + 1/x)**(1/a)", between(0, 1)), ("a*x/(a*x + 1)", between(0, 1)), ("1/(a - 1/x)", between(0, 1)),
    ("log(a + 1/x)", between(0, 1)), ("x*(sqrt(1 + 1/x) - 1 - 1/(2*x))*x**5", UP), ("gamma(x)", UP),
    ("(x**a + x)**(1/a) - x", UP),  # 1/2 at a = 2, 0 elsewhere

    ("x**5*(exp(1/x) - 1 - 1/x - 1/(2*x**2) - 1/(6*x**3) - 1/(24*x**4))", UP), ("Max(a, 1)*x", between(0, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "a"), NOT_SHOWN)
def test_where_it_is_infinite_or_not_the_same_for_all_there_is_no_answer(text, a):
    with pytest.raises(UnknownError):
        limit(read(text, NAMES), "x", False, {"x": FAR, "a": a})


# ---------------------------------------------------------------- random ones

NUMBERS = ("1", "2", "1/2", "a", "b", "(a + 1)", "(b - a)", "a*b", "-1", "3", "(1 - a)")
EXPONENTS = ("a", "b", "2", "1/2", "-1", "-a", "a + b", "-b", "a - b", "1 - a")
SCALES = (
    "t",
    "t",
    "1",
    "1",
    "log(1 + t)",
    "exp({c}*t)",
    "exp({c}*sqrt(t))",
    "t**({e})",
    "t**({e})",
    "exp(t**a)",
)
KINDS = (
    *("({u} + {v})", "({u} - {v})", "({u})/({v} + {w})", "({u})/({v} + {w})", "({u})*({v})", "({u})**({e})"),
    *(
        "log({u})",
        "exp({u})",
        "Abs({u})",
        "atan({u})",
        "tanh({u})",
        "sqrt({u})",
        "Max({u}, {v})",
        "log1pr({u})",
    ),
)
WAYS = {"oo": "x", "-oo": "(-x)", "0": "(1/x)", "1": "(1/(x - 1))"}


def text_of(random: Random, depth: int) -> str:
    """A formula in t -> oo and the parameters."""
    c, e = random.choice(NUMBERS), random.choice(EXPONENTS)
    if depth == 0:
        return f"{random.choice(NUMBERS)}*{random.choice(SCALES).format(c=c, e=e)}"
    u, v, w = (text_of(random, depth - 1) for _ in range(3))
    return random.choice(KINDS).format(u=u, v=v, w=w, e=e)


def wrong(seed: int) -> str:
    """A limit that the values do not come near, at parameters inside and at the ends of their ranges."""
    random = Random(seed)
    text = text_of(random, random.choice((1, 1, 2)))
    end = random.choice(("oo", "oo", *WAYS))
    way = {
        "oo": FAR,
        "-oo": Interval(-INF, Fraction(-1), True, False),
        "0": between(0, 1),
        "1": between(1, 2),
    }[end]
    ranges = {
        "a": random.choice((between(0, 1), QUARTER, UP)),
        "b": random.choice((between(1, 2), between(3, 4))),
    }
    formula = text.replace("t**", "T**").replace("*t", "*T").replace("(t", "(T").replace(" t", " T")
    formula = formula.replace("T", WAYS[end])
    try:
        found = limit(read(formula, NAMES), "x", end != "oo", {"x": way, **ranges})
    except UnknownError:
        return ""
    for _ in range(3):
        at = {n: random.choice((x.low, x.high, (3 * x.low + x.high) / 4)) for n, x in ranges.items()}
        if far := _stays_away(formula, found, end, at):
            return f"{formula} -> {found} as x -> {end} at {at}: {far}"
    return ""


def _stays_away(formula, found, end, at) -> list:
    """The distances at t = 30, 300, ..., where neither the last is small nor they fall."""
    gaps = []
    with MP.workdps(400), arguments_up_to(10**40):
        for t in (Fraction(10) ** k for k in (2, 3, 10, 30)):
            x = {"oo": t, "-oo": -t, "0": 1 / t, "1": 1 + 1 / t}[end]
            try:
                gaps.append(abs(value(formula, {**at, "x": x}) - value_of_term(found, at)))
            except (UndefinedError, OverflowError):
                continue
    near = not gaps or gaps[-1] < 0.01 or gaps[-1] < gaps[0] / 2 or sorted(gaps, reverse=True) == gaps
    return [] if near else [MP.nstr(g, 5) for g in gaps]


@settings(max_examples=40)
@given(seed=seeds)
def test_values_next_to_the_end_are_near_the_limit(seed):
    assert not wrong(seed)


# ---------------------------------------------------------------- mutants


def missed() -> bool:
    """Whether one of the tests above fails."""

    def answer(text, a):
        try:
            return limit(read(text, NAMES), "x", False, {"x": FAR, "a": a})
        except UnknownError:
            return None

    wrongly_shown = any(answer(text, a) is not None for text, a in NOT_SHOWN)
    return wrongly_shown or any(wrong(seed) for seed in range(70))


def _exact(germ: Germ) -> Germ:
    return Germ(germ.terms)


def _somewhere(self, c):
    """The sign in the middle of the parameters' ranges."""
    middle = {n: (x.low + x.high) / 2 for n, x in self.box.items()}
    return int(MP.sign(value_of_term(c, middle)))


def _inside(c, box, whole=germs.range_of):
    """Over the inner points of the parameters only."""
    return whole(c, {n: x.inner() for n, x in box.items()})


def _falling_faster(self, t, f, smooth=_Germs._smooth):
    """With e^(-2f²) for what is left of an error function."""
    return smooth(self, t, self.scaled(f, read("sqrt(2)", ()))) if t.op == "erf" else smooth(self, t, f)


MUTANTS = {
    "a tail of erf that falls faster": (_Germs, "_smooth", _falling_faster),
    "a remainder that is forgotten": (
        _Germs, "series", lambda self, c, small, series=_Germs.series: _exact(series(self, c, small)),
    ),
    "a sign at one parameter only": (_Germs, "sign", _somewhere),
    "the first term of a sum as the largest": (
        _Germs, "compare", lambda self, m, n: 0 if m == n else -1,
    ),
    "constants that need not be defined": (germs, "range_of", _inside),
}  # fmt: skip


def test_nothing_is_missed_without_a_mutant():
    assert not missed()


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_found(name, monkeypatch):
    monkeypatch.setattr(*MUTANTS[name])
    assert missed()
