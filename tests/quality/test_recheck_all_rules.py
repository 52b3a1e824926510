"""Proofs of false claims, grown with the rules themselves: none is accepted; a weaker checker accepts one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.quality.hostile.trees import MAKERS, forgeries
from verify.recheck import bernstein, generality, identities, rules
from verify.recheck.terms import mapped

QUICK = 10  # claims


def test_no_proof_of_a_false_claim_is_accepted():
    assert list(forgeries(0, QUICK, Counter())) == []


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
