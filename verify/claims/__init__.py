"""Claims as data: formulas, domains, claims and verdicts."""

from verify.claims.assertions import Assertion, LimitOf, Monotone, Relation
from verify.claims.claim import (
    DERIVATION,
    PROFILES,
    SEVERITIES,
    Check,
    Claim,
    Effort,
    Kind,
    Mutant,
    Remark,
    claim,
    decreasing,
    increasing,
    limit,
)
from verify.claims.claimset import ClaimSet
from verify.claims.defects import Defect, fitting, gravest_first
from verify.claims.domains import Domain, Hypothesis, Range
from verify.claims.formulas import ClaimError, expression, text_of
from verify.claims.sections import Section
from verify.claims.verdicts import ContradictionError, Finding, Verdict, combined, weakest

__all__ = [
    "DERIVATION",
    "PROFILES",
    "SEVERITIES",
    "Assertion",
    "Check",
    "Claim",
    "ClaimError",
    "ClaimSet",
    "ContradictionError",
    "Defect",
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
    "fitting",
    "gravest_first",
    "increasing",
    "limit",
    "text_of",
    "weakest",
]
