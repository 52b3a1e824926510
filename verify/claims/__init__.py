"""Claims as data: formulas, domains, claims and verdicts."""

from verify.claims.assertions import Assertion, LimitOf, Monotone, Relation
from verify.claims.claim import (
    PROFILES,
    Check,
    Claim,
    ClaimSet,
    Effort,
    Kind,
    claim,
    decreasing,
    increasing,
    limit,
)
from verify.claims.domains import Domain, Hypothesis, Range
from verify.claims.formulas import ClaimError, expression, text_of
from verify.claims.verdicts import ContradictionError, Finding, Verdict, combined, weakest

__all__ = [
    "PROFILES",
    "Assertion",
    "Check",
    "Claim",
    "ClaimError",
    "ClaimSet",
    "ContradictionError",
    "Domain",
    "Effort",
    "Finding",
    "Hypothesis",
    "Kind",
    "LimitOf",
    "Monotone",
    "Range",
    "Relation",
    "Verdict",
    "claim",
    "combined",
    "decreasing",
    "expression",
    "increasing",
    "limit",
    "text_of",
    "weakest",
]
