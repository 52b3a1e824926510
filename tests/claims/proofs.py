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


@cache
def found(label: str) -> Result:
    """By the provers alone; of the evidence only what is taken for granted."""
    claim = CLAIMS[label]
    result = run_claim(replace(claim, checks=provers(claim)), Effort())
    granted = {key: result.evidence[key] for key in ("axioms", "facts") if key in result.evidence}
    return replace(result, evidence=granted)


def found_below(labels: list[str]) -> dict[str, Result]:
    """About the labels and all that they rest on, where there is a derivation."""
    return {label: found(label) for label in CLAIMS.closure(labels) if CLAIMS[label].derivation is not None}


def in_turn(labels):
    """All of them; two of three are thorough: ``make verify`` decides every claim anyway."""
    return [
        label if k % 3 == 0 else pytest.param(label, marks=pytest.mark.thorough)
        for k, label in enumerate(labels)
    ]
