"""What is expected to be proved is proved, by the provers alone and with proofs that the checker accepts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofs_checks import SOURCE
from verify.claims import Effort
from verify.provers.derived import Derived
from verify.provers.proof import Proof
from verify.running.engine import run_claim
from verify.running.loading import load_claims


def with_proofs():
    """The claims of the paper that are to be proved, each with its provers only."""
    for claim in load_claims(SOURCE):
        provers = tuple(check for check in claim.checks if isinstance(check, Proof | Derived))
        if provers and claim.expects("quick") == "proved":
            yield replace(claim, checks=provers)


@pytest.mark.parametrize("claim", list(with_proofs()), ids=lambda claim: claim.label)
def test_it_is_proved(claim):
    found = run_claim(claim, Effort())
    assert (found.verdict, found.error) == ("proved", None)


def test_there_are_many():
    assert len(list(with_proofs())) > 120
