"""Trees that are read, shared and looked at once are those that are read, made and looked at every time."""

from __future__ import annotations

import random
from copy import deepcopy

import pytest

from tests.unit.test_recheck import ACCEPTED
from verify.recheck.derivations import checking
from verify.recheck.derivations.canon import Canon
from verify.recheck.derivations.reading import TextReader, read_setting
from verify.recheck.derivations.trees import Nameless, bound, closed, forget, make, num, var
from verify.recheck.intervals import UnknownError

LANGUAGE = read_setting(
    {
        "sorts": ["State"],
        "variables": {"i": "Nat", "j": "Nat", "s": "Real", "x": "State"},
        "symbols": [{"name": "f", "args": ["Nat", "Real", "State"], "value": "Real"}],
    }
)
NATS, REALS, STATES = (var("i", "Nat"), var("j", "Nat")), (var("s", "Real"),), (var("x", "State"),)


def drawn(rng: random.Random, depth: int) -> tuple[str, Nameless]:
    """A number with binders of few names, as a text, and as the tree in which each body is closed."""
    kind = rng.randrange(6) if depth else 0
    if kind == 0:
        i, s, x = rng.choice(NATS), rng.choice(REALS), rng.choice(STATES)
        return f"f({i}, {s}, {x})", Nameless("sym", (i, s, x), "f", "Real")
    (text, tree), (other, second) = (drawn(rng, depth - 1) for _ in range(2))
    if kind == 1:
        return f"({text} + {other})", make("+", tree, second)
    if kind == 2:
        i, n = rng.choice(NATS), rng.choice(NATS)
        return f"Sum({i}, {n}, {text})", make("Sum", n, closed(tree, i))
    if kind == 3:
        return f"Int(s, {other}, {text})", make("Int", second, closed(tree, REALS[0]))
    if kind == 4:
        return f"SumOver(x, {text})", make("SumOver", closed(tree, STATES[0]), value="State")
    i = rng.choice(NATS)
    return f"Sup({i}, {text})", make("Sup", closed(tree, i), value="Nat")


def misread(count: int) -> list[str]:
    rng, reader = random.Random(5), TextReader(LANGUAGE)
    pairs = [drawn(rng, rng.randrange(1, 6)) for _ in range(count)]
    return [text for text, tree in pairs if reader.term(text) != tree]


def test_a_body_is_read_as_one_that_is_closed():
    assert misread(2000) == []


def test_a_reader_that_counts_binders_from_outside_is_noticed(monkeypatch):
    under = TextReader._under

    def outside_first(self, x, body, read):
        self._around.reverse()
        try:
            return under(self, x, body, read)
        finally:
            self._around.reverse()

    monkeypatch.setattr(TextReader, "_under", outside_first)
    assert misread(300)


def test_a_text_that_cannot_be_read_leaves_nothing_behind():
    reader = TextReader(LANGUAGE)
    for _ in range(2):
        with pytest.raises(UnknownError, match="no meaning"):
            reader.term("Sum(i, j, f(i, s, x) + y)")
    assert reader.term("f(i, s, x)") == Nameless("sym", (NATS[0], REALS[0], STATES[0]), "f", "Real")


def apart(t: Nameless) -> Nameless:
    """The same tree, nothing of it shared."""
    return Nameless(t.op, tuple(map(apart, t.args)), t.value, t.sort)


def test_what_is_shared_does_not_matter():
    rng = random.Random(6)
    for _ in range(200):
        _, tree = drawn(rng, 4)
        copy = apart(tree)
        assert (copy, hash(copy), copy.text) == (tree, hash(tree), tree.text)
        before = Canon(LANGUAGE).normal(tree)
        forget()
        assert Canon(LANGUAGE).normal(copy) == before


def test_nodes_of_different_parts_are_different():
    one = [
        num(1),
        num(-1),
        bound(1, "Nat"),
        bound(1, "Real"),
        bound(0, "Nat"),
        var("i", "Nat"),
        var("i", "Real"),
    ]
    one += [
        var("i", "Nat", num(1)),
        make("^", var("i", "Nat"), value=1),
        make("exp", num(1)),
        make("log", num(1)),
    ]
    assert len(set(one)) == len(one)
    assert len({id(t) for t in one}) == len(one)
    assert num(1) is num(1)


def test_a_certificate_is_known_by_all_of_it():
    good = ACCEPTED["given"]
    assert checking._certify(good) == []
    forged = deepcopy(good)
    forged["relation"] = "x + 2 <= y + 1"
    assert checking._certify(forged) != []
    assert checking._certify(good) == []
