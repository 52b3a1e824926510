"""Proofs of false claims, grown with the rules themselves: none is accepted; a weaker checker accepts one."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from tests.quality.coq_certificates import TRUE
from tests.quality.hostile import traps
from tests.quality.hostile.growing import altered_forgeries, forgeries
from tests.quality.hostile.trees import MAKERS
from tests.quality.hostile.truth import holds
from tests.quality.test_recheck_forgeries import _nested
from tests.quality.test_vanishing_divisors import _anything, _hides
from tests.unit.test_recheck import ACCEPTED
from verify.recheck import (
    algebra,
    bernstein,
    functions,
    generality,
    identities,
    putting,
    rules,
    series,
    terms,
)
from verify.recheck.algebra import Algebra
from verify.recheck.intervals import INF, ZERO, dyadic
from verify.recheck.terms import mapped

QUICK = 10  # claims
EVERY = [*ACCEPTED.values(), *TRUE.values()]


def test_no_proof_of_a_false_claim_is_accepted():
    assert list(forgeries(0, QUICK, Counter())) == []


def test_no_altered_proof_of_a_false_statement_is_accepted():
    tried: Counter[str] = Counter()
    assert list(altered_forgeries(0, 150, EVERY, tried)) == []
    assert tried["altered"] == 150


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(1, 11))
def test_no_altered_proof_is_accepted_among_thousands(seed):
    assert list(altered_forgeries(seed, 5000, EVERY, Counter())) == []


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(1, 21))
def test_no_proof_of_a_false_claim_is_accepted_among_thousands(seed):
    tried: Counter[str] = Counter()
    assert list(forgeries(seed, 1000, tried)) == []
    assert set(MAKERS) - {"leaf"} <= set(tried)  # every rule was taken for some goal


def _first_part(e):
    return e.args[0] if e.op in ("Abs", "Max", "Min") else e


def _no_corners(self, sign, strict, closed):
    return min(sign * c for c in self.cells) >= 0


# A seed with which it is found soon, the depth and the kinds of nodes, and what is left out.
MUTANTS = {
    "formulas that differ": (0, 1, ("rewrite", "sum", "multiply"), rules, "require_same", lambda *_: None),
    "one half of a range": (2, 1, ("split",), rules, "halves", lambda x, at: (replace(x, high=at),) * 2),
    "a slope of the wrong sign": (0, 1, ("monotone",), rules, "slope_of", lambda f, name: -_slope(f, name)),
    "ends of a new variable": (8, 2, ("compose",), generality, "_ends", lambda *_: iter(())),
    "facts without a proof": (
        *(7, 2, ("compose", "empty", "empty")),
        *(generality, "_fact", lambda *_: iter(())),
    ),
    "either part of a kink": (1, 1, ("signs",), generality, "decided", lambda f, g: mapped(f, _first_part)),
    "no corner looked at": (7, 1, ("leaf",), bernstein._Tensor, "has_sign", _no_corners),
}

_slope = identities.slope_of


@pytest.mark.parametrize("name", MUTANTS)
def test_a_checker_without_the_condition_accepts_one(name, monkeypatch):
    seed, depth, kinds, *gap = MUTANTS[name]
    assert list(forgeries(seed, 3, Counter(), depth, kinds)) == []
    monkeypatch.setattr(*gap)
    assert next(forgeries(seed, 60, Counter(), depth, kinds), None) is not None


# ---------------------------------------------------------------- the holes there were, put back


def _rounded(x, length, up):
    """A bit more than mpmath keeps."""
    return dyadic(x, length + 1, up)


def _short_psi(n, x):
    """Digamma with as many bits as any function."""
    first, last = (-INF, INF) if n == 0 else (INF, ZERO) if n % 2 else (-INF, ZERO)
    return functions._Curve(lambda t: functions._MP.psi(n, t), first, last, ZERO).of(x)


def _second_variable(self, t, of=Algebra._function):
    """Max(x, x) in disguise as an atom, which has the name of x."""
    if t.op not in ("Max", "Min"):
        return of(self, t)
    parts = [self._written(self.of(a)) for a in t.args]
    key = (t.op, frozenset(algebra._frozen(part) for part in parts))
    return self._single(key, terms.call(t.op, *map(self.term_of, parts)))


def _by_name(f, names):
    """The coefficients by the names of variables, the last of two that are alike."""
    forms = Algebra({})
    powers = {m: {forms.atoms[a].term.name: q for a, q in m} for m in forms.of(f)}
    return {tuple(int(powers[m].get(n, 0)) for n in names): c for m, c in forms.of(f).items()}


def _believed(*_):
    return True


def _placed_and_folded(f, new):
    return mapped(f, lambda e: new.get(e, e))


SEEN = (identities, "generic", _believed)  # a second look, which is taken away with the first
UNKINKED = (identities, "without_kinks", lambda f, box, fold: f)  # a third
HOLES = {  # the claims, the nodes, and what is put back
    "a maximum of equals": (
        *("equals", ("leaf",)),
        *((Algebra, "_function", _second_variable), (bernstein, "polynomial", _by_name)),
    ),
    "a root of a power with a variable exponent": ("an even root", ("cases",), (terms, "_nested", _nested)),
    "a logarithm of a power": ("an even root", ("rewrite",), (Algebra, "sign", lambda self, t: 1)),
    "gamma at its pole": ("a pole", ("cases",), (putting, "_POLES", ("log",))),
    "log next to 1": ("next to one", ("leaf",), (functions, "dyadic", _rounded)),
    "digamma next to its zero": ("the valley", ("monotone",), (series, "polygamma", _short_psi)),
    "the end of a half-line": ("a half-line", ("leaf",), (bernstein, "_closed", lambda x: (False, False))),
    "a divisor that is 0 beside a kink": ("a kink", ("two-faced",), SEEN),
    "a sign put in": ("a kink", ("late",), SEEN, UNKINKED, (identities, "placed", _placed_and_folded)),
    "a root of what is 0": ("a kink", ("late",), SEEN, (Algebra, "_power", _hides)),
    "an expression put in": ("a kink", ("composed",), (generality, "range_of", _anything)),
    "an integer put in": ("one integer", ("counted",), (rules, "divides", _believed)),
}


@pytest.mark.parametrize("name", HOLES)
def test_the_generator_finds_every_hole_there_was(name, monkeypatch):
    trap, kinds, *holes = HOLES[name]
    assert list(forgeries(0, 2, Counter(), 2, kinds, trap)) == []
    for hole in holes:
        monkeypatch.setattr(*hole)
    assert next(forgeries(0, 30, Counter(), 2, kinds, trap), None) is not None


@pytest.mark.parametrize("trap", traps.FALSE)
def test_a_trap_is_a_false_claim(trap):
    """Where it has a point; the others are false by construction, by less than is worth computing here."""
    for seed in range(5):
        data = traps.FALSE[trap](random.Random(seed))
        at = {name: Fraction(x) for name, x in data["fails"].items()}
        assert not at or trap == "a pole" or holds(data["relation"], at) is False
