"""Claims as data: formulas, domains, claims and verdicts."""

from verify.claims.assertions import Assertion, LimitOf, Monotone, Relation
from verify.claims.claim import (
    BREAKS,
    DERIVATION,
    PROFILES,
    Check,
    Claim,
    ClaimSet,
    Effort,
    Kind,
    Mutant,
    Remark,
    claim,
    decreasing,
    increasing,
    limit,
)
from verify.claims.domains import Domain, Hypothesis, Range
from verify.claims.formulas import ClaimError, expression, text_of
from verify.claims.sections import Section
from verify.claims.verdicts import ContradictionError, Finding, Verdict, combined, weakest

__all__ = [
    "BREAKS",
    "DERIVATION",
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
    "Mutant",
    "Range",
    "Relation",
    "Remark",
    "Section",
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
