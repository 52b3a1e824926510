"""Beside each claim stands a changed one that the same kind of check tells from it."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import proofs_checks
from verify.claims import Effort
from verify.running.engine import run_claim
from verify.running.loading import load_claims


def mutants():
    for info in pkgutil.iter_modules(proofs_checks.__path__, "proofs_checks."):
        module = importlib.import_module(info.name)
        originals = {claim.label: claim for claim in getattr(module, "CLAIMS", ())}
        for label, mutant in getattr(module, "MUTANTS", {}).items():
            yield pytest.param(originals[label], mutant, id=label)


def test_every_claim_that_is_checked_has_a_mutant():
    have = {param.id for param in mutants()}
    checked = [c.label for c in load_claims(proofs_checks.SOURCE) if c.expects("quick") != "assumed"]
    assert [label for label in checked if label not in have] == []


@pytest.mark.parametrize(("original", "mutant"), list(mutants()))
def test_the_check_tells_the_mutant_from_the_claim(original, mutant):
    expected = original.expects("quick")
    found = run_claim(mutant, Effort())
    assert found.error is None
    if expected.holds:
        assert not found.verdict.holds, "a changed claim must not hold"
    else:
        assert found.verdict != "refuted", "a correct variant must not be refuted"
