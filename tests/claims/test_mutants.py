"""Beside each claim stands a changed one that the same kind of check tells from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofs_checks import SOURCE
from tests.claims.proofs import in_turn
from verify.claims import DERIVATION, Effort
from verify.provers import search
from verify.provers.examples import run_examples
from verify.running.engine import run_claim
from verify.running.loading import load_claims

CLAIMS = load_claims(SOURCE)
MUTANTS = load_claims(replace(SOURCE, mutants=True))


def test_every_claim_that_is_checked_has_a_mutant():
    """But for those that are derived and nothing else: rules and derivations have mutants of their own."""
    checked = [c for c in CLAIMS if c.expects("quick") != "assumed"]
    assert [c.label for c in checked if c.mutant is None and {x.name for x in c.checks} != {DERIVATION}] == []


def require_told_apart(mutant):
    found = run_claim(mutant, Effort())
    assert found.error is None
    if CLAIMS[mutant.label].expects("quick").holds:
        assert found.verdict == "refuted", "a changed claim must be refuted: not to hold is not enough"
    else:
        assert found.verdict != "refuted", "a correct variant must not be refuted"


def first_failure(strategy, body, *, seed, examples, shrink=False):
    """It need not be the simplest."""
    return run_examples(strategy, body, seed=seed, examples=examples)


@pytest.mark.parametrize("mutant", in_turn(MUTANTS, 2), ids=lambda c: c.label)
def test_the_check_tells_the_mutant_from_the_claim(mutant, monkeypatch):
    monkeypatch.setattr(search, "run_examples", first_failure)
    require_told_apart(mutant)


@pytest.mark.thorough
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda c: c.label)
def test_it_does_so_with_the_simplest_failure(mutant):
    require_told_apart(mutant)
