"""What is seen of terms from their form, and substitution, against values on finite probability trees."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.derivation_files import SETTING
from tests.finite_trees import DEPTH, OUTCOMES, RandomTerms, Structure, evaluate
from verify.recheck.derivations import putting
from verify.recheck.derivations.canon import Canon
from verify.recheck.derivations.putting import put, put_function
from verify.recheck.derivations.reading import TextReader, read_setting
from verify.recheck.derivations.sight import OMEGA, Moving, Sight
from verify.recheck.derivations.trees import Nameless, make, var
from verify.recheck.intervals import UnknownError

LANGUAGE = read_setting(SETTING)
VALUES = {"x": 0, "y": 1, "n": 1, "m": 2, "u": Fraction(1, 2), "v": Fraction(-3, 2)}
U, X, N = var("u", "Real"), var("x", "State"), var("n", "Nat")


def cases(count: int):
    """Terms, a structure and somebody who draws more."""
    for seed in range(count):
        terms = RandomTerms(LANGUAGE, seed)
        yield terms, terms.real(terms.chance.randint(2, 4), []), Structure(LANGUAGE, seed), Sight(LANGUAGE)


def wrong_substitutions(count: int) -> int:
    """How often a term put in for a variable is not the value of the variable; at least some are put in."""
    done = wrong = 0
    for terms, term, structure, sight in cases(count):
        kind, variable = terms.chance.choice([(terms.real, U), (terms.state, X), (terms.natural, N)])
        value = kind(2, [])
        term = terms.chance.choice([term, make("E", term), make("En", terms.level(1, []), term)])
        try:
            found = put(term, variable, value, sight)
        except UnknownError:
            continue
        done += sight.random(value) and variable in term.free
        for outcome in OUTCOMES:
            at = VALUES | {variable.value: evaluate(value, structure, VALUES, outcome)}
            wrong += evaluate(found, structure, VALUES, outcome) != evaluate(term, structure, at, outcome)
    assert done > 10
    return wrong


def test_a_term_that_is_put_in_is_the_value_of_the_variable():
    assert wrong_substitutions(1200) == 0


def test_without_its_condition_it_is_not(monkeypatch):
    monkeypatch.setattr(putting, "_require_places", lambda *_: None)
    assert wrong_substitutions(400) > 0


@pytest.mark.parametrize(("name", "param"), [("p", X), ("Y", N), ("f", U)])
def test_a_function_that_is_put_in_is_the_value_of_the_symbol(name, param):
    done = 0
    for seed, (terms, term, plain, sight) in enumerate(cases(700)):
        body = terms.real(2, [])
        sign = LANGUAGE.signs[name]
        if sight.random(body) and not sign.random:
            continue
        try:
            found = put_function(term, sign, (param,), body, sight)
        except UnknownError:
            continue
        done += found != term
        for outcome in OUTCOMES[::3]:
            left = evaluate(found, plain, VALUES, outcome)
            right = evaluate(term, _defined(plain, name, param, body), VALUES, outcome)
            assert left == right, (seed, term.text, body.text)
    assert done >= 40


def _defined(plain: Structure, name: str, param: Nameless, body: Nameless) -> Structure:
    """The structure with another meaning of one symbol."""
    other = Structure.__new__(Structure)
    other.__dict__ |= plain.__dict__

    def symbol(node: Nameless, args: list, outcome):
        if node.value != name:
            return plain.symbol(node, args, outcome)
        return evaluate(body, plain, VALUES | {param.value: args[0]}, outcome)

    other.symbol = symbol
    return other


def test_what_is_known_does_not_depend_on_the_rest():
    done = 0
    for terms, term, structure, sight in cases(1500):
        level, normal = terms.level(1, []), Canon(LANGUAGE).normal(term)
        if not sight.random(normal):
            assert len({evaluate(normal, structure, VALUES, o) for o in OUTCOMES}) == 1
        elif sight.known(normal, level):
            done += 1
            kept = min(int(evaluate(level, structure, VALUES, OUTCOMES[0])) + 1, DEPTH)
            found: dict = {}
            for outcome in OUTCOMES:
                value = evaluate(normal, structure, VALUES, outcome)
                assert found.setdefault(outcome[:kept], value) == value, (term.text, level.text)
    assert done >= 40


def test_floors_are_below():
    done = 0
    for _, term, structure, sight in cases(1500):
        for t in (term, Canon(LANGUAGE).normal(term)):
            floor = sight.floor(t)
            if floor is not None:
                done += 1
                assert all(floor <= evaluate(t, structure, VALUES, outcome) for outcome in OUTCOMES)
    assert done > 100


S = Moving(frozenset((var("s", "Real"),)))
BOTH = Moving(S.reals, omega=True)
TAME = [
    ("f(s)*exp(s)*sqrt(s)*Abs(s)", S, True),
    ("1/s", S, False),
    ("1/(1 + s**2)", S, True),
    ("1/(1 + s)", S, False),
    ("1/W + log(W) + Sup(n, Y(n))", S, True),  # nothing moves
    ("log(s)", S, False),
    ("s**(1/2)", S, False),
    ("sqrt(s)", S, True),
    ("Ind(1/s <= log(s))", S, True),
    ("f(1/s)", S, False),
    ("Int(r, s, f(r))", S, True),
    ("Int(r, 1/s, f(r))", S, False),
    ("Int(r, 1, 1/r)", S, True),
    ("Int(r, 1, 1/(r + s))", S, False),
    ("Sum(i, n, f(s + i))", S, True),
    ("SumOver(y, p(y)*s)", S, True),
    ("E(exp(s*W))", S, True),
    ("E(exp(-s*W)/W)", S, False),  # bounded in s for each ω, and in ω for each s
    ("E(f(s)*log(W))", S, False),
    ("W*Y(n)*Z(n, X(0))", OMEGA, True),
    ("1/W", OMEGA, False),
    ("1/(1 + Abs(W))", OMEGA, True),
    ("1/N(0)", OMEGA, True),
    ("log(N(0) + a(N(1)))", OMEGA, True),
    ("log(p(X(0)))", OMEGA, True),
    ("log(E(W))", OMEGA, True),
    ("log(E(W, 0))", OMEGA, False),
    ("log(E(N(1), 0))", OMEGA, False),
    ("1/Int(s, 1, M(0, s))", OMEGA, False),
    ("Sup(n, N(n))", OMEGA, False),
    ("Sup(n, Sum(i, n, N(i)))", OMEGA, False),
    ("Sup(n, a(n + N(0)))", OMEGA, False),
    ("Sup(n, Y(0))", OMEGA, False),
    ("1/(Max(1, W) + N(0)*exp(W))", OMEGA, True),
    ("1/Min(1, W)", OMEGA, False),
    ("1/sqrt(1/4 + W**2)", OMEGA, True),
    ("f(s*W)", BOTH, True),
    ("1/(s - W)", BOTH, False),
]


@pytest.mark.parametrize(("text", "moving", "tame"), TAME)
def test_tame(text, moving, tame):
    read = TextReader(LANGUAGE).term(text)
    assert Sight(LANGUAGE).tame(read, moving) == tame
    assert Sight(LANGUAGE).tame(Canon(LANGUAGE).normal(read), moving) == tame
