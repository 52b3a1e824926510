"""One claim, all its checks, one result.

The checks run in the order in which the claim names them, until one is decisive: nothing that
comes after a proof for the whole domain or a confirmed counterexample could change the verdict.
Otherwise the strongest finding counts (:func:`verify.claims.combined`).

What a prover calls proved or refuted counts only if the independent checker, which shares no code
with it, accepts the proof or the witness; otherwise the claim stays undecided and the complaint is shown.
(Here the checker is asked so that another check of the claim has its turn; what is printed a fresh process
decides, see :mod:`verify.running.accepted`.)  Code that does not look at the formula proves none: it tests.

Where a claim says that its formula leaves something to an argument in words, a proof of the formula does
not make the claim proved: the claim is as strong as what else was found about the whole, else assumed.
Where a claim has a theorem, the formula is a part of it as well, and the derivation decides: a claim with
both is as strong as the weaker of the two.

Every claim starts from the same state (precisions, random generators, SymPy's memory), so that its
result does not depend on which claims ran before it in the same process.
"""

from __future__ import annotations

import contextlib
import random
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any

import flint
import mpmath
import numpy
from sympy.core.cache import clear_cache
from sympy.core.random import rng

from verify.claims import (
    DERIVATION,
    Check,
    Claim,
    ClaimSet,
    Effort,
    Finding,
    Kind,
    LimitOf,
    Relation,
    Verdict,
    combined,
)
from verify.claims.texts import describe
from verify.provers.feasible import somewhere
from verify.provers.proof.check import part_of
from verify.provers.slack import slack_of
from verify.provers.statistical import Statistical
from verify.recheck.claims import about_formula, about_point, about_refutation
from verify.recheck.work import TooLongError, limited
from verify.running.results import Result, plain

ERROR_BUDGET = Fraction(1, 10**6)  # of a whole run, for all random checks together
_DIGITS = 3  # of the seconds
_CHECKING = (5_000_000, 500_000_000)  # units of work of the checker, for one claim; quick and thorough
_PROVED = (Verdict.PROVED, Verdict.PROVED_ON_BOX)
_CERTIFICATES = ("certificate", "certificates")  # where evidence holds proofs: one, or several


def random_checks(claims: ClaimSet) -> int:
    """How many checks of all these claims can be wrong by bad luck."""
    return sum(check.random for claim in claims for check in claim.checks)


def effort_for(claims: ClaimSet, profile: str, seed: int) -> Effort:
    """The effort of each check: the budget is shared by all random checks of the set.

    It is shared equally, and by those that are not selected too, so that a selection of claims
    gives the same results as the whole.
    """
    return Effort(profile, seed, ERROR_BUDGET / max(1, random_checks(claims)))


def too_few(claims: Iterable[Claim], effort: Effort) -> tuple[str, int] | None:
    """The first claim whose statistical check has too few trials to support it, and how many it needs."""
    for claim in claims:
        for check in claim.checks:
            least = check.needed(effort) if isinstance(check, Statistical) else None
            if isinstance(check, Statistical) and least and effort.scaled(*check.trials) < least:
                return claim.label, least
    return None


def run_claim(claim: Claim, effort: Effort) -> Result:
    """Run the checks and say what they found; a check that crashes is shown, not raised."""
    with standard_state(effort.seed), contextlib.redirect_stdout(sys.stderr):
        began = perf_counter()
        result = _run(claim, effort)
        return replace(result, seconds=round(perf_counter() - began, _DIGITS))


def _run(claim: Claim, effort: Effort) -> Result:
    findings: list[Finding] = []
    step = "none"
    try:
        for check in claim.checks:
            if check.of_formula and _formula_settled(findings):
                continue
            step = check.name
            findings.append(_weighed(_found(check, claim, effort), check, claim))
            if _settled(findings[-1].verdict, claim):
                break
        if not findings:
            return _unchecked(claim)
        step = "combination"
        decided = _decided(findings, claim)
        step = "slack"
        slack = decided.slack if decided.slack is not None else _slack(claim, decided.verdict, effort)
    except Exception as error:  # checks are anybody's code: one that fails must not end the run
        return _crash(claim, step, error)
    others = [_brief(finding) for finding in findings if finding is not decided]
    evidence = {**decided.evidence, "check": decided.check, **({"others": others} if others else {})}
    return Result(claim.label, decided.verdict, evidence, decided.witness, slack)


def _settled(verdict: Verdict, claim: Claim) -> bool:
    """Whether no further check is needed; a theorem is built even if something else proves the claim."""
    return verdict is Verdict.REFUTED or (verdict.decisive and claim.derivation is None)


def _formula_settled(findings: list[Finding]) -> bool:
    """Whether the formula is proved, where that is not yet the claim: to search on would find nothing."""
    return any(finding.evidence.get("formula") == str(Verdict.PROVED) for finding in findings)


def _found(check: Check, claim: Claim, effort: Effort) -> Finding:
    """What the check finds, as the plain data that it has to be."""
    finding = check.run(claim, effort)
    if not isinstance(finding, Finding):
        raise TypeError(f"returned a {type(finding).__name__}, not a Finding")
    if finding.verdict == Verdict.REFUTED and not finding.witness:
        raise ValueError("refutes without a witness")
    finding = replace(
        finding,
        verdict=Verdict(finding.verdict),
        evidence=plain(dict(finding.evidence)),
        witness=None if finding.witness is None else plain(dict(finding.witness)),
        slack=None if finding.slack is None else plain(dict(finding.slack)),
    )
    if finding.verdict in _PROVED and claim.says is not None and check.of_formula:
        finding = _somewhere(finding, claim)
    return _rechecked(finding, check, claim, effort.scaled(*_CHECKING))


def _somewhere(finding: Finding, claim: Claim) -> Finding:
    """With a point of the domain, which shows that a proved claim speaks of something."""
    box = finding.evidence.get("box") if finding.verdict is Verdict.PROVED_ON_BOX else None
    ranges = claim.domain.ranges if box is None else part_of(claim.domain, box)
    at = somewhere(ranges, claim.domain.given)
    if at is None:
        why = "no exact point is found that satisfies the hypotheses: the claim may say nothing"
        return replace(finding, verdict=Verdict.UNDECIDED, evidence={**finding.evidence, "why": why})
    return replace(finding, evidence={**finding.evidence, "point": {n: str(x) for n, x in at.items()}})


def _weighed(finding: Finding, check: Check, claim: Claim) -> Finding:
    """What it means for the whole claim: a part that holds, with the rest argued or derived, is no proof."""
    says = claim.says is not None or claim.derivation is not None
    if says and finding.verdict in _PROVED and not check.of_formula and check.name != DERIVATION:
        why = "code that does not look at what the claim says in formulas does not prove it"
        return replace(finding, verdict=Verdict.TESTED, evidence={**finding.evidence, "why": why})
    if not (check.of_formula and finding.verdict.holds and (claim.argued or claim.derivation)):
        return finding
    evidence = {**finding.evidence, "formula": str(finding.verdict)}
    if claim.derivation is not None:
        return replace(finding, verdict=Verdict.UNDECIDED, evidence=evidence)
    return replace(finding, verdict=Verdict.ASSUMED, evidence={**evidence, "argued": claim.argued})


def _decided(findings: list[Finding], claim: Claim) -> Finding:
    """The finding that counts; among equals the derivation, whose reason says more than a part does."""
    decided = combined(sorted(findings, key=lambda finding: finding.check != DERIVATION))
    if decided.check == DERIVATION and claim.says is not None and decided.verdict.holds:
        decided = _with_formula(decided, findings)
    return _undisputed(decided, findings)


def _with_formula(derived: Finding, findings: list[Finding]) -> Finding:
    """Theorem and formula: as strong as the weaker, with the proof of the formula beside the derivation."""
    parts = [finding for finding in findings if "formula" in finding.evidence]
    if not parts:
        why = "the theorem is derived, the formula of the claim is not proved"
        return Finding(derived.check, Verdict.UNDECIDED, {"why": why})
    part = min(parts, key=lambda finding: Verdict(finding.evidence["formula"]).rank)
    kept = {key: part.evidence[key] for key in ("formula", "point", *_CERTIFICATES) if key in part.evidence}
    verdict = Verdict(part.evidence["formula"])
    return replace(derived, verdict=verdict, evidence={**derived.evidence, **kept})


def _rechecked(finding: Finding, check: Check, claim: Claim, limit: int) -> Finding:
    """A proof or a witness of a formula counts when the independent checker accepts it for this claim.

    A witness that is a line of Python is left to ``python -m verify.recheck``, in a process of its own.
    """
    row = {**describe(claim), "evidence": {"check": check.name}, "witness": finding.witness}
    try:
        with limited(limit):
            complaints = _complaints(finding, check, claim, row)
    except TooLongError as error:
        complaints = [f"{claim.label}: {error}"]
    if complaints is None:
        return finding
    if complaints:
        doubtful = {} if finding.witness is None else {"point": finding.witness.get("point")}
        evidence = {
            **finding.evidence,
            "rejected": complaints[:3],
            "claimed": str(finding.verdict),
            **doubtful,
        }
        return Finding(finding.check, Verdict.UNDECIDED, evidence)
    return replace(finding, evidence={**finding.evidence, "rechecked": True})


def _complaints(finding: Finding, check: Check, claim: Claim, row: dict[str, Any]) -> list[str] | None:
    """What the checker says of the evidence for or against the formula; nothing if there is none."""
    if finding.verdict in _PROVED and claim.says is not None and check.of_formula:
        proof = proof_of_formula(claim, finding.evidence)
        if proof is None:
            return [f"{claim.label}: proved without a certificate"]
        whole = finding.verdict is Verdict.PROVED
        row["point"] = finding.evidence.get("point")
        found = about_formula(row, proof, claim.label, lambda _: None, whole=whole)
        within = [text for one in proof.get("certificates", ()) for text in one["box"]]
        return found or about_point(row, claim.label, within)
    if finding.verdict is Verdict.REFUTED and finding.witness is not None and "relation" in finding.witness:
        return about_refutation(row, lambda _: None)
    formal = claim.says is not None and check.of_formula
    return (
        [f"{claim.label}: refuted without a point"] if finding.verdict is Verdict.REFUTED and formal else None
    )


def proof_of_formula(claim: Claim, evidence: Mapping[str, Any]) -> dict[str, Any] | None:
    """What shows the formula of a claim, as a document has it; an identity and a limit show themselves."""
    certificates = [evidence["certificate"]] if "certificate" in evidence else evidence.get("certificates")
    if certificates:
        return {"by": "certificate", "certificates": certificates}
    if isinstance(claim.says, LimitOf):
        return {"by": "limit"}
    if isinstance(claim.says, Relation) and claim.says.relation == "==":
        return {"by": "identity"}
    return None


def _undisputed(decided: Finding, findings: list[Finding]) -> Finding:
    """Undecided where one check holds a witness that the checker could not confirm, and another a proof."""
    doubts = [f for f in findings if f.evidence.get("claimed") == str(Verdict.REFUTED)]
    if not doubts or not decided.verdict.holds:
        return decided
    reason = f"{doubts[0].check} has a witness that is not confirmed, {decided.check} says {decided.verdict}"
    evidence = {"why": reason, "witness not confirmed": dict(doubts[0].evidence), "against": _brief(decided)}
    return Finding(decided.check, Verdict.UNDECIDED, evidence)


def _unchecked(claim: Claim) -> Result:
    if claim.kind is Kind.CITED:
        return Result(claim.label, Verdict.ASSUMED, {"check": "none", "cited": claim.source})
    return Result(claim.label, Verdict.UNDECIDED, {"check": "none", "reason": "the claim names no check"})


def _slack(claim: Claim, verdict: Verdict, effort: Effort) -> Any:
    """How close the two sides of an inequality come, if it holds."""
    if not verdict.holds or not isinstance(claim.says, Relation) or claim.says.relation == "==":
        return None
    slack = slack_of(claim.says, claim.domain, effort)
    return None if slack is None else plain(dict(slack))


def _brief(finding: Finding) -> dict[str, Any]:
    """A finding that did not decide, without its certificate."""
    evidence = {key: value for key, value in finding.evidence.items() if key not in _CERTIFICATES}
    return {"check": finding.check, "verdict": str(finding.verdict), "evidence": evidence}


def _crash(claim: Claim, check: str, error: Exception) -> Result:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    text = " ".join(f"{type(error).__name__}: {error}".split())
    message = f"{text} ({Path(frame.filename).name}, line {frame.lineno})"
    return Result.failed(claim.label, check, message, trace="".join(traceback.format_exception(error)))


@contextlib.contextmanager
def standard_state(seed: int) -> Iterator[None]:
    """Global state that code under a check might use, set for the check and put back after it."""
    generators = random.getstate(), rng.getstate(), numpy.random.get_state()
    with flint.ctx.workprec(53), mpmath.workprec(53):
        clear_cache()
        random.seed(seed)
        rng.seed(seed)
        numpy.random.seed(seed % 2**32)
        try:
            yield
        finally:
            random.setstate(generators[0])
            rng.setstate(generators[1])
            numpy.random.set_state(generators[2])
