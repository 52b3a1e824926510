"""A claim in words and as data: what it says, without any evidence."""

from __future__ import annotations

from typing import Any

from verify.claims.claim import Claim
from verify.claims.domains import Domain


def describe(claim: Claim) -> dict[str, Any]:
    """What a claim says, without any evidence: in words for people, as data for the checker."""
    return {
        "label": claim.label,
        "kind": str(claim.kind),
        "source": str(claim.source),
        "statement": str(claim.statement),
        "latex": str(claim.latex),
        "says": None if claim.says is None else claim.says.text(),
        "domain": domain_texts(claim.domain),
        "formula": None if claim.says is None else claim.says.data(),
        "area": claim.domain.data(),
        "theorem": claim.theorem or None,
        "setting": claim.setting.name if claim.setting is not None and claim.theorem else None,
        "symbols": {str(name): str(meaning) for name, meaning in claim.symbols.items()},
        "elementary": bool(claim.elementary),
        "uses": list(claim.uses),
    }


def domain_texts(domain: Domain) -> list[str]:
    """One condition each; a variable without a range and an integer are said to be that."""
    free = [f"{name} real" for name in domain.data()["reals"]]
    return [*domain.texts(), *free, *(f"{name} integer" for name in domain.integers)]


def symbol_text(claim: Claim) -> str:
    """What the variables stand for, where the paper calls them otherwise."""
    return ", ".join(f"{name} = {meaning}" for name, meaning in claim.symbols.items())


def mutant_text(claim: Claim) -> str:
    """What the mutant changes."""
    if claim.mutant is None:
        return ""
    given, changed, parts = claim.mutant, claim.mutant.applied(claim), []
    if given.says is not None and changed.says is not None:
        parts.append(changed.says.text())
    if given.domain is not None:
        parts.append(f"on {', '.join(domain_texts(changed.domain))}")
    if given.checks is not None:
        parts.append(f"checked otherwise: {', '.join(check.name for check in changed.checks)}")
    return "; ".join(parts)


def finding_text(claim: Claim) -> str:
    """What its author says about a claim that does not hold as it is printed."""
    if claim.finding is None:
        return ""
    repair = f" Repair: {claim.finding.repair}." if claim.finding.repair else ""
    return f"({claim.finding.breaks}) {claim.finding.text()}{repair}"
