"""The normal form of derivations: what it identifies, what it must not, and that it keeps all values."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from tests.derivation_files import SETTING
from tests.finite_trees import OUTCOMES, RandomTerms, Structure, evaluate
from tests.unit.test_recheck_derivations import RIGHT
from verify.recheck.derivations import canon as canon_module
from verify.recheck.derivations.canon import Canon
from verify.recheck.derivations.checking import examine
from verify.recheck.derivations.reading import TextReader, read_setting
from verify.recheck.derivations.sight import Sight
from verify.recheck.derivations.trees import Nameless, make, opened, replaced
from verify.recheck.intervals import UnknownError

LANGUAGE = read_setting(SETTING)


def same(left: str, right: str) -> bool:
    canon, read = Canon(LANGUAGE), TextReader(LANGUAGE)
    is_formula = any(mark in left.partition("(")[0] for mark in ("Not", "And", "All", "Sure", "=", "<"))
    kind = read.formula if is_formula else read.term
    return canon.normal(kind(left)) == canon.normal(kind(right))


SAME = [
    ("(u + v)**2", "u**2 + 2*u*v + v**2"),
    ("u/2 + u/2", "u"),
    ("0.25*u", "u/4"),
    ("exp(u)*exp(v)", "exp(v + u)"),
    ("1/exp(u)", "exp(-u)"),
    ("exp(u)**3*exp(-3*u)", "1"),
    ("1/(u*v)", "(1/u)*(1/v)"),
    ("1/(1/u)", "u"),
    ("1/0", "0"),
    ("1/(2*u + 2*v)", "1/(u + v)/2"),
    ("1/(-u - v)", "-(1/(v + u))"),
    ("u**(-2)", "1/u**2"),
    ("u**(1/2)", "exp(log(u)/2)"),
    ("sqrt(4/9) + log(1) + Abs(-2) + Max(1, 3) + Min(1, 3)", "2/3 + 0 + 2 + 3 + 1"),
    ("Ind(u <= v)**3", "Ind(u <= v)"),
    ("Ind(And(u <= v, x == y))", "Ind(y == x)*Ind(0 <= v - u)"),
    ("Ind(Or(u <= v, x == y))", "Ind(u <= v) + Ind(x == y) - Ind(u <= v)*Ind(x == y)"),
    ("Ind(Imp(u <= v, x == y))", "1 - Ind(u <= v) + Ind(u <= v)*Ind(x == y)"),
    ("Ind(u < v)", "1 - Ind(v <= u)"),
    ("Ind(2*u <= 2*v)", "Ind(u <= v)"),
    ("Ind(u == v)", "Ind(-3*v == -3*u)"),
    ("Ind(1 <= 2) + Ind(x == x)", "2"),
    ("Ind(1 <= n + 1)", "1"),
    ("Sum(i, n, 2*a(i) + c)", "2*Sum(k, n, a(k)) + n*c"),
    ("Sum(i, n + 2, a(i))", "Sum(i, n, a(i)) + a(n) + a(n + 1)"),
    ("Sum(i, 3, a(i))", "a(0) + a(1) + a(2)"),
    ("SumOver(y, Ind(y == z)*p(y))", "p(z)"),
    ("SumOver(y, Ind(X(0) == y)*p(y)*W)", "p(X(0))*W"),
    ("SumOver(x, p(x))", "SumOver(y, p(y))"),
    ("MaxOver(y, p(z))", "p(z)"),
    ("Int(s, t, 2*f(s) + c)", "2*Int(r, t, f(r)) + c*Int(s, t, 1)"),
    ("Int(s, t, exp(-c*(t - s)))", "exp(-c*t)*Int(s, t, exp(c*s))"),
    ("Int(s, t, Sum(i, n, a(i)*f(s + i)))", "Sum(i, n, a(i)*Int(s, t, f(s + i)))"),
    ("E(2*W + c)", "2*E(W) + c"),
    ("E(Sum(i, n, Y(i)*W))", "Sum(i, n, E(Y(i)*W))"),
    ("E(W*Sum(i, n, a(i)*Y(i)))", "Sum(i, n, a(i)*E(Y(i)*W))"),
    ("E(SumOver(y, p(y)*Z(n, y)))", "SumOver(y, p(y)*E(Z(n, y)))"),
    ("E(Y(n)*W, n)", "Y(n)*E(W, n)"),
    ("E(Z(n, X(n))*W, n + 1)", "Z(n, X(n))*E(W, n + 1)"),
    ("E(E(W, n))", "E(W)"),
    ("E(E(W, n + 1), n)", "E(W, n)"),
    ("E(E(W, n), n + 1)", "E(W, n)"),
    ("E(Y(n)*E(W, n))", "E(Y(n)*W)"),
    ("E(E(Y(n)*W, n))", "E(Y(n)*W)"),
    ("E(Sum(i, n, Y(i))*W, n)", "Sum(i, n, Y(i))*E(W, n)"),
    ("Sum(i, n, E(E(W, i), n))", "Sum(i, n, E(W, i))"),
    ("u >= v", "v <= u"),
    ("Not(u <= v)", "v < u"),
    ("Not(Not(x == y))", "x == y"),
    ("And(u <= v, And(v <= u, u <= v))", "And(v <= u, u <= v)"),
    ("All(u, u <= c)", "All(v, v <= c)"),
    ("Sure(u <= c)", "u <= c"),
    ("Sure(E(W) <= c)", "E(W) <= c"),
    ("E(1/(1 + W**2) + c)", "E(1/(W**2 + 1)) + c"),
    ("E(1/(1 + Ind(u < W)) + c)", "E(1/(1 + Ind(Not(W <= u)))) + c"),
    ("Ind(0 <= Ind(u < v))", "1"),
    ("E(1/(1 + N(0)) + log(N(0)))", "E(1/(1 + N(0))) + E(log(N(0)))"),
]

OTHER = [
    ("u*(1/u)", "1"),
    ("u**2*(1/u)", "u"),
    ("sqrt(u)", "u**(1/2)"),
    ("sqrt(u**2)", "u"),
    ("Max(u, v)", "Max(v, u)"),  # true, but none of the identities
    ("Ind(u <= v)", "Ind(-u <= -v)"),
    ("Ind(u <= v)", "1 - Ind(v <= u)"),
    ("Ind(0 <= n - 1)", "1"),
    ("Ind(0 <= n - Ind(u < v))", "1"),
    ("Ind(0 <= 1 - Ind(u < v) - Ind(x == y))", "1"),
    ("E(1/(1 - Ind(u < W)*N(0)) + c*W)", "0"),
    ("Ind(x == y)", "Ind(x == z)"),
    ("Sum(i, n, a(i))", "Sum(i, n, a(i + 1))"),
    ("Sum(i, Ind(n < m), a(i))", "a(0)"),
    ("SumOver(y, Ind(y == X(0))*E(Ind(X(1) == y)))", "E(Ind(X(1) == X(0)))"),
    ("Sum(i, N(0) + 1, E(a(i)*Y(i)))", "Sum(i, N(0), E(a(i)*Y(i))) + E(a(N(0))*Y(N(0)))"),
    ("SumOver(y, Ind(y == z)*p(y))", "p(y)"),
    ("Int(s, t, 1)", "t"),
    ("Int(s, t, 1/s + 1)", "Int(s, t, 1/s) + Int(s, t, 1)"),
    ("Int(s, t, Sum(i, h(n), f(s)))", "h(n)*t*f(0)"),
    ("E(W**2)", "E(W)**2"),
    ("E(Y(0)*W)", "Y(0)*E(W)"),
    ("E(log(W) + 1)", "E(log(W)) + 1"),
    ("E(1/W + 1)", "E(1/W) + 1"),
    ("E(Sup(n, N(n)) + 1)", "E(Sup(n, N(n))) + 1"),
    ("E(1/Int(s, 1, M(0, s)) + 1)", "E(1/Int(s, 1, M(0, s))) + 1"),
    ("Int(s, t, E(exp(-s*W)/W) + 1)", "Int(s, t, E(exp(-s*W)/W)) + Int(s, t, 1)"),
    ("E(Y(n + 1)*W, n)", "Y(n + 1)*E(W, n)"),
    ("E(Y(N(0))*W, n)", "Y(N(0))*E(W, n)"),
    ("E(E(W, n), n + 1)", "E(W, n + 1)"),
    ("E(E(W, m), n)", "E(W, n)"),
    ("E(Y(n + 1)*E(W, n))", "E(Y(n + 1)*W)"),
    ("E(Sum(i, n + 2, Y(i))*W, n)", "Sum(i, n + 2, Y(i))*E(W, n)"),
    ("E(Sum(i, N(0), Y(i)))", "Sum(i, N(0), E(Y(i)))"),
    ("u <= v", "0 <= v - u"),  # a relation keeps its sides
    ("u == v", "v == u"),
    ("Not(u == v)", "u < v"),
    ("Sure(W <= c)", "W <= c"),
    ("And(u <= v, v <= u)", "Or(u <= v, v <= u)"),
    ("All(u, u <= c)", "All(n, n <= c)"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_the_same(left, right):
    assert same(left, right)


@pytest.mark.parametrize(("left", "right"), OTHER)
def test_not_the_same(left, right):
    assert not same(left, right)


def random_term(seed: int) -> Nameless:
    """A term, half of them under a mean or a sum."""
    terms = RandomTerms(LANGUAGE, seed)
    if seed % 8 == 2:
        return make("SumOver", terms.real(4, ["State"]), value="State")
    if seed % 8 == 6:  # a value picked by an indicator, inside a mean
        picks = make("Ind", make("==", Nameless("bound", (), 0, "State"), terms.state(2, [])))
        mean = make("En", terms.level(1, []), terms.real(2, ["State"]))
        return make("SumOver", make("*", picks, mean), value="State")
    found = terms.real(terms.chance.randint(3, 5), [])
    if seed % 4 == 0:
        return make("E", found)
    return make("En", terms.level(1, []), found) if seed % 4 == 1 else found


def keeps_values(term: Nameless, seed: int) -> bool:
    """Whether a term and its normal form agree on random structures, and the normal form is its own."""
    normal = Canon(LANGUAGE).normal(term)
    for k in range(2):
        structure, chance = Structure(LANGUAGE, 10 * seed + k), random.Random(k)
        at = {name: chance.randrange(2) for name in "xy"} | {name: chance.randint(0, 2) for name in "nm"}
        at |= {name: Fraction(chance.randint(-2, 2), 2) for name in "uv"}
        for outcome in OUTCOMES[::3]:
            if evaluate(term, structure, at, outcome) != evaluate(normal, structure, at, outcome):
                return False
    return Canon(LANGUAGE).normal(normal) == normal


def test_the_normal_form_keeps_every_value():
    assert [seed for seed in range(400) if not keeps_values(random_term(seed), seed)] == []


MUTANTS = {
    "a random value inside means": lambda m: (
        m.setattr(canon_module, "put", lambda t, x, value, _: replaced(t, {x: value})),
        m.setattr(canon_module, "put_bound", lambda body, value, _: opened(body, value)),
    ),
    "everything is known": lambda m: m.setattr(Sight, "known", lambda *_: True),
    "nothing is random": lambda m: m.setattr(Sight, "random", lambda *_: False),
    "all levels are in order": lambda m: m.setattr(Sight, "seen", lambda *_: True),
    "every bound is natural": lambda m: m.setattr(canon_module, "natural", lambda _: True),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_identity_is_found(name, monkeypatch):
    MUTANTS[name](monkeypatch)
    for seed in range(3000):
        try:
            if not keeps_values(random_term(seed), seed):
                return
        except (AssertionError, UnknownError):  # a sum up to a negative number
            return
    raise AssertionError(f"nobody noticed: {name}")


WORDS = [
    *(
        "W",
        "Y(0)",
        "Y(n)",
        "Y(1)",
        "N(0)",
        "c",
        "u",
        "v",
        "n",
        "m",
        "n + 1",
        "0",
        "1",
        "2",
        "i",
        "x",
        "y",
        "z",
    ),
    *("X(0)", "X(1)", "X(n)", "<=", "<", "==", "p(x)", "p(y)", "E(", "SumOver(y, ", "MaxOver(y, ", "-", "+"),
]
_BEYOND = frozenset({"Int", "exp", "log", "sqrt", "Sup"})  # not evaluated on finite trees


def false_somewhere(formula: Nameless) -> bool:
    """Whether it fails at some outcome of some structure."""
    for k in range(8):
        structure, chance = Structure(LANGUAGE, k), random.Random(k)
        values = {"State": chance.randrange(2), "Nat": chance.randint(0, 2)}
        at = {v.value: values.get(v.sort, Fraction(chance.randint(-4, 4), 2)) for v in formula.free}
        if not all(evaluate(formula, structure, at, outcome) for outcome in OUTCOMES):
            return True
    return False


def exchanged(data: object, words: tuple) -> Any:
    """The data with one word exchanged for another in every text."""
    if isinstance(data, dict):
        return {key: value if key == "rule" else exchanged(value, words) for key, value in data.items()}
    if isinstance(data, list):
        return [exchanged(item, words) for item in data]
    return data.replace(*words) if isinstance(data, str) else data


def test_what_is_still_accepted_with_words_exchanged_is_true():
    """Derivations without facts in which words are exchanged for others, everywhere or at some places."""
    chance, accepted = random.Random(14), 0
    names = [n for n, d in RIGHT.items() if not {"fact", "lemma"} & {s["rule"] for s in d["steps"]}]
    for _ in range(600):
        document = RIGHT[chance.choice(names)]
        words = (*chance.sample(WORDS, 2), chance.choice((-1, -1, 1)))
        theorem, steps = exchanged([document["theorem"], document["steps"]], words)
        if examine(document | {"theorem": theorem, "steps": steps}).complaints:
            continue
        formula = TextReader(LANGUAGE).formula(theorem)
        beyond = any(t.op in _BEYOND or (t.op == "All" and t.value != "State") for t in formula.walk())
        accepted += not beyond
        assert beyond or not false_somewhere(formula), theorem
    assert accepted > 50
