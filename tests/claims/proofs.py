"""What the provers find about the claims of the paper: once in a process, for all tests that ask."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from proofs_checks import SOURCE
from verify.claims import Claim, Effort
from verify.provers.derived import Derived
from verify.provers.proof import Proof
from verify.running.engine import run_claim
from verify.running.loading import load_claims
from verify.running.results import Result

CLAIMS = load_claims(SOURCE)


def provers(claim: Claim) -> tuple[Proof | Derived, ...]:
    """The checks of the claim that prove."""
    return tuple(check for check in claim.checks if isinstance(check, Proof | Derived))


PROVED = [c.label for c in CLAIMS if provers(c) and c.expects("quick") == "proved"]


def found(label: str) -> Result:
    """By the provers alone."""
    claim = CLAIMS[label]
    return run_claim(replace(claim, checks=provers(claim)), Effort())


@cache
def granted(label: str) -> Result:
    """What the derivation takes for granted; that the checker accepts it is another question."""
    finding = Derived().run(CLAIMS[label], Effort())
    assert finding.verdict == "proved", finding.evidence
    return Result(label, finding.verdict, {"rests": finding.evidence["rests"]})


def granted_below(labels: list[str]) -> dict[str, Result]:
    """For the labels and all that they rest on, where there is a derivation."""
    return {label: granted(label) for label in CLAIMS.closure(labels) if CLAIMS[label].derivation is not None}


def in_turn(labels, every=3):
    """All of them; but for one of every three (or so) thorough ones: ``make verify`` decides them anyway."""
    return [
        label if k % every == 0 else pytest.param(label, marks=pytest.mark.thorough)
        for k, label in enumerate(labels)
    ]
