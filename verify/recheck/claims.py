"""One claim of a document by itself: what shows its formula, the point that it speaks of, its witness."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from verify.recheck.certificates import check_certificate
from verify.recheck.intervals import UnknownError
from verify.recheck.reading import domain_of
from verify.recheck.statements import Statement
from verify.recheck.witnesses import FAILURES, Say, about_witness, reason, require_in

Claim = Mapping[str, Any]


def about_formula(claim: Claim, proof: Mapping[str, Any], path: str, say: Say, *, whole: bool) -> list[str]:
    """The complaints about what is given for the formula of a claim, on its whole domain or on a part.

    An identity and a limit are decided from the claim alone; anything else has certificates.
    """
    try:
        statement = Statement.of(claim)
        if proof["by"] != "certificate":
            say(f"{path}: {statement.says}")
            if (proof["by"] == "limit") != (statement.limit is not None):
                raise UnknownError(f"{statement.says} is no {proof['by']}")
            statement.require_by_itself()
            return []
    except FAILURES as error:
        return [f"{path}: {reason(error)}"]
    return _shown(proof["certificates"], statement, str(claim["label"]), path, say, whole=whole)


def _shown(
    certificates: list[Any], statement: Statement, label: str, path: str, say: Say, *, whole: bool
) -> list[str]:
    """The complaints about certificates that together show what the claim says."""
    found = []
    try:
        if not certificates or (statement.monotone is None and len(certificates) > 1):
            raise UnknownError("a relation has one certificate")
        for data in certificates:
            if data["label"] != label:
                raise UnknownError(f"the certificate is for {data['label']!r}")
            statement.require_domain(data)
        statement.require_shown([data["relation"] for data in certificates])
    except FAILURES as error:
        return [f"{path}: {reason(error)}"]
    for k, data in enumerate(certificates):
        found += check_certificate(data, f"{path}.certificates[{k}]", say, whole, statement.along)
    return found


def about_point(claim: Claim, path: str, within: Iterable[str] = ()) -> list[str]:
    """The complaints about the point that shows that the claim, or a part of it, speaks of something."""
    try:
        area, at = claim["area"], claim["point"]
        if at is None:
            raise UnknownError("no point of the domain is given: the claim may say nothing")
        names = Statement.of(claim).area().ranges
        ranges, given = domain_of([*area["conditions"], *within], names, fold=False)
        require_in(at, ranges, given, area["integers"])
    except FAILURES as error:
        return [f"{path}.point: {reason(error)}"]
    return []


def about_refutation(claim: Claim, say: Say, *, run: bool = True) -> list[str]:
    """The complaints about the witness against a claim; ``run``: code that is a witness is run."""
    data, path = claim["witness"], f"{claim['label']}.witness"
    try:
        statement = Statement.of(claim)
        if not isinstance(data, Mapping) or not data:
            raise UnknownError("refuted without a witness")
        if "relation" not in data:
            if statement.says or claim["theorem"] is not None:
                raise UnknownError("a line of code refutes no formula; give a point")
            return about_witness(data, path, say) if run else []
        if not statement.says and claim["theorem"] is not None:
            raise UnknownError("a relation refutes no theorem")
        if "point" not in data:
            statement.require_away(data)
            certificate = data.get("certificate")
            if not isinstance(certificate, Mapping):
                raise UnknownError("neither a point nor a certificate")
            other = any(certificate.get(key) != data.get(key) for key in ("relation", "domain"))
            if other or certificate.get("integers") or certificate.get("label") != claim["label"]:
                raise UnknownError("the certificate is for something else than the witness")
            return check_certificate(certificate, f"{path}.certificate", say, whole=True)
        data = statement.refuted_by(data)
    except FAILURES as error:
        return [f"{path}: {reason(error)}"]
    return about_witness(data, path, say)
