"""Certificates, witnesses and whole documents: from JSON data to complaints.

A complaint is one line: where, and what is wrong.  No complaint means that everything was re-checked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from verify.recheck.certificates import check_certificate
from verify.recheck.derivations.checking import FORMAT as DERIVATION
from verify.recheck.derivations.checking import check_derivation
from verify.recheck.derivations.references import Book
from verify.recheck.intervals import UnknownError
from verify.recheck.statements import Statement
from verify.recheck.witnesses import FAILURES, Say, about_witness, reason
from verify.recheck.work import TooLongError, limited

_OTHERS = ("others", "findings")  # where evidence holds the findings that did not decide


def recheck(
    document: Any, labels: Iterable[str] = (), say: Say = lambda _: None, limit: int | None = None
) -> list[str]:
    """The complaints about a certificate, a witness or a document of claims; ``say`` is told what is done.

    Each is one line, whatever the document holds; what cannot even be shown, for its depth, is one too, and
    so is what takes more work than ``limit`` (:mod:`work`).
    """
    try:
        with limited(limit):
            found = _complaints(document, set(labels), say)
    except (*FAILURES, OSError, MemoryError) as error:
        return [f"the document {reason(error)}"]
    except TooLongError as error:
        return [f"the document is {error}"]
    return [" ".join(one.split()) if len(one.splitlines()) != 1 else one for one in found]


def _complaints(document: Any, wanted: set[str], say: Say) -> list[str]:
    if not isinstance(document, Mapping):
        return ["the document is not an object"]
    if isinstance(document.get("claims"), list):
        claims = [c for c in document["claims"] if isinstance(c, Mapping)]
        if any(c.get("says") is not None and "formula" not in c and "theorem" not in c for c in claims):
            return ["the claims are there in words only; make the document again: verify --json"]
        missing = sorted(wanted - {str(c.get("label")) for c in claims})
        found = [f"{label}: there is no such claim" for label in missing]
        book = Book(claims, _whole_text)
        needed = book.with_premises(wanted)  # a lemma is no truer for its verdict
        for claim in claims:
            if not wanted or claim.get("label") in needed:
                found += _claim(claim, book, say)
        return found
    if document.get("format") == DERIVATION or "steps" in document:
        say(f"{document.get('label')}: derivation of {document.get('theorem')}")
        return check_derivation(document)
    if "format" in document or "proof" in document:
        return check_certificate(document, str(document.get("label", "certificate")), say)
    if "relation" in document or "line" in document:
        return about_witness(document, str(document.get("label", "witness")), say)
    return ["neither a certificate nor a derivation nor a witness nor a document of claims"]


def _claim(claim: Mapping[str, Any], book: Book, say: Say) -> list[str]:
    """Every witness and every certificate of a claim, each for what the claim says."""
    label = str(claim.get("label"))
    try:
        statement = Statement.of(claim)
    except FAILURES as error:
        return [f"{label}: {reason(error)}"]
    found: list[str] = []
    if claim.get("verdict") == "refuted" and not claim.get("witness"):
        found.append(f"{label}: refuted without a witness")
    found += _derived(claim, statement, book, label, say)
    for path, finding in _findings(claim, label):
        found += _finding(finding, statement, label, path, say)
    return found


def _derived(claim: Mapping[str, Any], statement: Statement, book: Book, label: str, say: Say) -> list[str]:
    """The derivation of a claim that says it has one, or that has a theorem and is proved."""
    evidence = claim.get("evidence")
    evidence = evidence if isinstance(evidence, Mapping) else {}
    lines = isinstance(evidence.get("derivation"), list)  # a proof of a formula, told to people
    if ("derivation" in evidence and not lines) or evidence.get("check") == "derivation":
        say(f"{label}: derivation of {claim.get('theorem')}")
        shown = not statement.says or any(True for _ in _certificates(evidence, label))
        if not shown and _by_itself(statement, label, say):
            return [f"{label}: the derivation shows the theorem, not {statement.says}"]
        return book.complaints(claim, label)
    if claim.get("theorem") is not None and claim.get("verdict") in ("proved", "proved-on-box"):
        return [f"{label}: the theorem is proved without a derivation"]
    return []


def _findings(data: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The finding that decides, and the others beside it; a verdict counts nowhere else."""
    yield path, data
    evidence = data.get("evidence")
    for key in _OTHERS:
        others = evidence.get(key) if isinstance(evidence, Mapping) else None
        for k, other in enumerate(others if isinstance(others, list) else []):
            if isinstance(other, Mapping):
                yield from _findings(other, f"{path}.evidence.{key}[{k}]")


def _finding(finding: Mapping[str, Any], statement: Statement, label: str, path: str, say: Say) -> list[str]:
    """The witness and the certificates of one finding, and others that its evidence may hold."""
    evidence = finding.get("evidence")
    evidence = evidence if isinstance(evidence, Mapping) else {}
    check, verdict = evidence.get("check", finding.get("check")), finding.get("verdict")
    found: list[str] = []
    if (data := finding.get("witness")) is not None:
        found += _witness_of(data, statement, label, check, f"{path}.witness", say)
    certificates = dict(_certificates(evidence, f"{path}.evidence"))
    if certificates or evidence.get("certificates") == []:
        whole = "proved" in (verdict, evidence.get("formula"))
        found += _shown(certificates, statement, label, whole, f"{path}.evidence", say)
    elif path == label and verdict in ("proved", "proved-on-box") and statement.is_formula(check):
        found += _by_itself(statement, path, say)
    rest = {
        k: v for k, v in evidence.items() if k not in (*_OTHERS, "certificate", "certificates", "derivation")
    }
    for where, key, data in _strays(rest, f"{path}.evidence"):
        if not isinstance(data, Mapping):
            found.append(f"{where}: not an object")
        else:
            found += (
                about_witness(data, where, say) if key == "witness" else check_certificate(data, where, say)
            )
    return found


def _by_itself(statement: Statement, path: str, say: Say) -> list[str]:
    """Identities and limits are decided here, from the claim alone; the rest needs a certificate."""
    say(f"{path}: {statement.says}")
    try:
        statement.require_by_itself()
    except FAILURES as error:
        return [f"{path}: {reason(error)}"]
    return []


def _certificates(evidence: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    if evidence.get("certificate") is not None:
        yield f"{path}.certificate", evidence["certificate"]
    every = evidence.get("certificates")
    for k, data in enumerate(every if isinstance(every, list) else [] if every is None else [every]):
        yield f"{path}.certificates[{k}]", data


def _shown(
    certificates: Mapping[str, Any], statement: Statement, label: str, whole: bool, path: str, say: Say
) -> list[str]:
    """The complaints about certificates that together show what the claim says."""
    found, relations = [], []
    for where, data in certificates.items():
        try:
            if not isinstance(data, Mapping):
                raise UnknownError("not an object")
            data = _whole_text(data)
            if data.get("label") != label:
                raise UnknownError(f"the certificate is for {data.get('label')!r}")
            statement.require_domain(data)
        except (*FAILURES, OSError) as error:
            found.append(f"{where}: {reason(error)}")
            continue
        relations.append(data.get("relation"))
        found += check_certificate(data, where, say, whole, statement.along)
    if len(relations) == len(certificates):
        try:
            statement.require_shown(relations)
        except FAILURES as error:
            found.append(f"{path}: {reason(error)}")
    return found


def _whole_text(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The certificate itself, where the document holds only its digest and the name of its file."""
    if "sha256" not in data or "format" in data:
        return data
    if not data.get("file"):
        raise UnknownError("too long for the document; write it to a file with --certificates FOLDER")
    content = Path(data["file"]).read_bytes()
    if hashlib.sha256(content).hexdigest() != data["sha256"]:
        raise UnknownError(f"{data['file']} is not the file that the document names")
    loaded = json.loads(content)
    return loaded if isinstance(loaded, Mapping) else {}


def _strays(data: Any, path: str) -> Iterator[tuple[str, str, Any]]:
    """Where, which of the two, and the data, of what stands deeper in the evidence."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key in ("certificate", "witness"):
                if value is not None:
                    yield f"{path}.{key}", key, value
            else:
                yield from _strays(value, f"{path}.{key}")
    elif isinstance(data, list):
        for k, value in enumerate(data):
            yield from _strays(value, f"{path}[{k}]")


# ---------------------------------------------------------------- witnesses


def _witness_of(data: Any, statement: Statement, label: str, check: Any, path: str, say: Say) -> list[str]:
    """The complaints about the witness of a claim."""
    if not isinstance(data, Mapping):
        return [f"{path}: not an object"]
    if "relation" not in data:
        if statement.is_formula(check):
            return [f"{path}: a line of code refutes no formula; give a point"]
        return about_witness(data, path, say)
    try:
        if "point" not in data:
            statement.require_away(data)
            certificate = data.get("certificate")
            if not isinstance(certificate, Mapping):
                raise UnknownError("neither a point nor a certificate")
            other = any(certificate.get(key) != data.get(key) for key in ("relation", "domain"))
            if other or certificate.get("integers"):
                raise UnknownError("the certificate is for something else than the witness")
            return _shown({f"{path}.certificate": certificate}, Statement(), label, True, path, say)
        data = statement.refuted_by(data)
    except FAILURES as error:
        return [f"{path}: {reason(error)}"]
    return about_witness(data, path, say)
