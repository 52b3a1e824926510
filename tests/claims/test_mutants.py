"""Beside each claim stands a changed one that the same kind of check tells from it."""

from __future__ import annotations

import pytest

from verify.claims import Effort
from verify.running.engine import run_claim
from verify.running.loading import Source, load_claims

CLAIMS = load_claims(Source())


def test_every_claim_that_is_checked_has_a_mutant():
    assert [c.label for c in CLAIMS if c.mutant is None and c.expects("quick") != "assumed"] == []


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.mutant is not None], ids=lambda c: c.label)
def test_the_check_tells_the_mutant_from_the_claim(claim):
    found = run_claim(claim.mutant.applied(claim), Effort())
    assert found.error is None
    if claim.expects("quick").holds:
        assert not found.verdict.holds, "a changed claim must not hold"
    else:
        assert found.verdict != "refuted", "a correct variant must not be refuted"
