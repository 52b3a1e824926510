"""Certificates, witnesses and whole documents: from JSON data to complaints.

A complaint is one line: where, and what is wrong.  No complaint means that everything was re-checked.  A
document is looked at as a whole first (:mod:`schema`, one claim of a label, no circles, the sums), then each
of its claims by itself (:func:`own`), and last what rests on what: a lemma is no truer for its verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from verify.recheck.certificates import check_certificate
from verify.recheck.claims import about_formula, about_point, about_refutation
from verify.recheck.derivations.checking import FORMAT as DERIVATION
from verify.recheck.derivations.checking import check_derivation
from verify.recheck.derivations.definitions import Taken, taken
from verify.recheck.derivations.references import about_derivation
from verify.recheck.derivations.trees import Nameless
from verify.recheck.intervals import UnknownError
from verify.recheck.schema import CLAIM, DOCUMENT, KINDS, VERDICTS, require
from verify.recheck.statements import Statement
from verify.recheck.witnesses import FAILURES, Say, about_witness, reason
from verify.recheck.work import TooLongError, limited

FORMULA, THEOREM, CODE = "certificate, identity or limit", "derivation", "code"
PART = "on a part of the domain"
HOWS = ("", FORMULA, THEOREM, CODE, PART)
_BEYOND = (*FAILURES, OSError, MemoryError)


@dataclass(frozen=True)
class Found:
    """What a check of a claim by itself found."""

    how: str  # what proves it; nothing, if it is not said to be proved
    complaints: tuple[str, ...]
    needs: tuple[str, ...] = ()  # the claims that its derivation names


class Document:
    """The claims by their labels; ``UnknownError`` says what is wrong with the whole."""

    def __init__(self, data: Any) -> None:
        require(data, DOCUMENT, "the document")
        self.claims: dict[str, Mapping[str, Any]] = {}
        self.settings: Mapping[str, Any] = data["settings"]
        self._theorems: dict[str, Nameless] = {}  # of lemmas, once they are read
        self._sound: dict[str, Mapping[str, Any]] = {}  # those that are as the schema has it
        self._faults: dict[str, str] = {}
        for claim in data["claims"]:
            label = claim["label"]
            if label in self.claims:
                raise UnknownError(f"there is not one claim {label} in the document")
            self.claims[label] = claim
            try:
                require(claim, CLAIM, label)
                self._sound[label] = claim
            except _BEYOND as error:
                self._faults[label] = reason(error)
        for name, setting in self.settings.items():
            if setting["name"] != name:
                raise UnknownError(f"the setting {name!r} calls itself {setting['name']!r}")
        for label, claim in self.claims.items():
            if missing := [used for used in claim["uses"] if used not in self.claims]:
                raise UnknownError(f"{label}: uses {missing[0]}, which is not in the document")
        try:
            self.order = list(
                TopologicalSorter({k: c["uses"] for k, c in self.claims.items()}).static_order()
            )
        except CycleError as error:
            raise UnknownError(f"a chain of claims returns to {error.args[1][0]}") from None
        self._require_transitive()
        _require_sums(data)
        self._below: dict[str, frozenset[Taken]] = {}  # the facts that a claim and all that it uses take
        for label in self.order:
            below = (self._below[used] for used in self.claims[label]["uses"])
            self._below[label] = self._facts(label).union(*below)

    def _require_transitive(self) -> None:
        """Each transitive verdict is the weakest of all that a claim rests on."""
        for label in self.order:
            claim = self.claims[label]
            below = [claim["verdict"], *(self.claims[used]["transitive"] for used in claim["uses"])]
            if claim["transitive"] != (weakest := max(below, key=VERDICTS.index)):
                raise UnknownError(f"{label}: rests on {weakest}, not on {claim['transitive']}")

    def _facts(self, label: str) -> frozenset[Taken]:
        """The facts that the derivation of a claim takes."""
        try:  # of a claim that is not as the schema has it, too: those that use it are no worse for it
            derivation = self.claims[label]["proof"]["theorem"]["derivation"]
            return taken({**derivation, "setting": self.settings[derivation["setting"]]})
        except FAILURES:
            return frozenset()

    def rests(self, label: str) -> dict[str, Any]:
        """What a claim and all that it uses rest on: names by kind, and what is proved by which claim."""
        facts = sorted(self._below[label])
        known = {f.claim for f in facts if self.claims.get(f.claim, {}).get("transitive") == "proved"}
        proved = [f for f in facts if f.claim in known]
        names = {kind: [f.name for f in facts if f.kind == kind and f not in proved] for kind in KINDS}
        return {**names, "proved": {f.name: f.claim for f in proved}}

    def closure(self, labels: Iterable[str]) -> set[str]:
        """The claims, and all that they rest on."""
        seen: set[str] = set()
        stack = list(labels)
        while stack:
            if (label := stack.pop()) not in seen:
                seen.add(label)
                stack += self.claims[label]["uses"]
        return seen

    def own(self, label: str, say: Say = lambda _: None, *, run: bool = True) -> Found:
        """What is wrong with a claim by itself; ``run``: with the code of its witness."""
        if label in self._faults:
            return Found("nothing", (self._faults[label],))
        claim, complaints, needs = self.claims[label], list[str](), set[str]()
        verdict, proof = claim["verdict"], claim["proof"] or {}
        whole = verdict != "proved-on-box"
        said = [key for key in ("formula", "theorem") if claim[key] is not None]
        shown = said or ["code"] if verdict in ("proved", "proved-on-box") else []
        part = "formula" if claim["evidence"].get("formula") == "proved" or "formula" in proof else ""
        for key in dict.fromkeys([*shown, part]):
            if key and key not in proof:
                complaints.append(
                    f"{label}: its {key} is proved by nothing" if said else _UNSHOWN.format(label)
                )
        for key in proof:
            if key not in (*shown, part) or (key == "formula" and claim[key] is None):
                complaints.append(f"{label}: a {verdict} claim without a {key} has a proof of one")
        try:
            Statement.of(claim)
            if claim["formula"] is None and (
                claim["domain"] or any(claim["area"].values()) or claim["point"]
            ):
                raise UnknownError("a domain is said for a formula, and there is none")
            if (claim["setting"] is None) != (claim["theorem"] is None):
                raise UnknownError("a theorem has a setting, and nothing else has")
            if claim["rests"] != (rests := self.rests(label)):
                raise UnknownError(f"rests on {rests}, not on {claim['rests']}")
        except FAILURES as error:
            complaints.append(f"{label}: {reason(error)}")
        if complaints:
            return Found("nothing" if shown else "", tuple(complaints))
        if "formula" in proof:
            path = f"{label}.proof.formula"
            complaints += about_formula(claim, proof["formula"], path, say, whole=whole)
            complaints += about_point(claim, label, _box(proof["formula"]))
        if "theorem" in proof:
            say(f"{label}: derivation of {claim['theorem']}")
            found, needs = about_derivation(claim, self._sound, self.settings, self._theorems)
            complaints += found
        if (code := proof.get("code")) and not _goes_through(code, whole=whole):
            complaints.append(_UNSHOWN.format(label))
        if verdict == "refuted":
            complaints += about_refutation(claim, say, run=run)
        elif claim["witness"] is not None:
            complaints.append(f"{label}: a {verdict} claim has a witness against it")
        how = "" if not shown else {"theorem": THEOREM, "formula": FORMULA, "code": CODE}[shown[-1]]
        how = PART if how and not whole else how
        return Found(how, tuple(complaints), tuple(sorted(needs)))


_UNSHOWN = "{}: proved by nothing: neither formula nor theorem, nor code that says it goes through all cases"


def _box(proof: Mapping[str, Any]) -> list[str]:
    """The part of the domain that certificates are for."""
    return [text for one in proof.get("certificates", ()) for text in one["box"]]


def _goes_through(code: Mapping[str, Any], *, whole: bool) -> bool:
    """Whether code says that it has looked at all cases, of the whole or of a part."""
    named = bool(code["check"].strip()) and code["cases"] > 0
    return named and ((code["complete"] and "box" not in code) if whole else bool(code.get("box")))


def _require_sums(data: Mapping[str, Any]) -> None:
    """What the document says of itself at its end."""
    claims, summary = data["claims"], data["summary"]
    sums = {
        "total": len(claims),
        "verdicts": {v: sum(c["verdict"] == v for c in claims) for v in VERDICTS},
        "transitive": {v: sum(c["transitive"] == v for c in claims) for v in VERDICTS},
        "elementary": sum(c["elementary"] and c["verdict"] == "proved" for c in claims),
        "assumed": [c["label"] for c in claims if c["verdict"] == "assumed"],
    }
    for key, value in sums.items():
        if summary[key] != value:
            raise UnknownError(f"summary.{key}: is {value}, not {summary[key]}")
    weak = VERDICTS.index("undecided")
    told = {(row["label"], row["verdict"], row["expected"]) for row in summary["unexpected"]}
    for c in claims:
        as_it_is = c["verdict"] == c["expected"] or (
            c["expected"] is None and VERDICTS.index(c["verdict"]) < weak
        )
        if not as_it_is and (c["label"], c["verdict"], c["expected"]) not in told:
            raise UnknownError(f"summary.unexpected: {c['label']} is {c['verdict']}, and is not listed")


def settled(document: Document, found: Mapping[str, Found]) -> dict[str, Found]:
    """What each of the claims comes to, with all that it rests on; the ones that were looked at."""
    final: dict[str, Found] = {}
    for label in document.order:
        if label not in found:
            continue
        own, more = found[label], []
        for other in own.needs:
            if other not in final or final[other].complaints or not final[other].how:
                more.append(f"{label}: rests on {other}, which is not shown here")
        final[label] = Found(own.how, (*own.complaints, *more), own.needs)
    return final


def tally(final: Iterable[Found]) -> str:
    """How many claims are proved by what: the one sentence that a reader has to believe."""
    counts = Counter("refused" if one.complaints else one.how for one in final if one.how)
    proved = counts[FORMULA] + counts[THEOREM] + counts[CODE]
    part = f"; {counts[PART]} more {PART}" if counts[PART] else ""
    refused = f"; {counts['refused']} refused" if counts["refused"] else ""
    return (
        f"{proved} proved: {counts[FORMULA]} by {FORMULA}, {counts[THEOREM]} by {THEOREM}, "
        f"{counts[CODE]} by {CODE} (named), 0 by nothing{part}{refused}"
    )


# ---------------------------------------------------------------- any file


def recheck(
    document: Any, labels: Iterable[str] = (), say: Say = lambda _: None, limit: int | None = None
) -> list[str]:
    """The complaints about a certificate, a witness or a document of claims; ``say`` is told what is done.

    Each is one line, whatever the document holds; what cannot even be shown, for its depth, is one too, and
    so is what takes more work than ``limit`` (:mod:`work`).
    """
    return examined(document, labels, say, limit)[0]


def examined(
    document: Any, labels: Iterable[str] = (), say: Say = lambda _: None, limit: int | None = None
) -> tuple[list[str], str]:
    """The complaints, and the tally of a document."""
    try:
        with limited(limit):
            found, last = _complaints(document, set(labels), say)
    except UnknownError as error:
        return [_line(str(error))], ""
    except _BEYOND as error:
        return [_line(f"the document {reason(error)}")], ""
    except TooLongError as error:
        return [f"the document is {error}"], ""
    return [_line(one) for one in found], last


def _line(text: str) -> str:
    return " ".join(text.split()) if len(text.splitlines()) != 1 else text


def _complaints(data: Any, wanted: set[str], say: Say) -> tuple[list[str], str]:
    if not isinstance(data, Mapping):
        return ["the document is not an object"], ""
    if "claims" in data:
        document = Document(data)
        missing = sorted(wanted - set(document.claims))
        chosen = document.closure((wanted or set(document.claims)) - set(missing))
        found = {label: document.own(label, say) for label in document.claims if label in chosen}
        final = settled(document, found)
        complaints = [f"{label}: there is no such claim" for label in missing]
        complaints += [one for label in found for one in final[label].complaints]
        named = [
            f"{label}: by the code {document.claims[label]['proof']['code']['check']!r}"
            for label in found
            if final[label].how == CODE and not final[label].complaints
        ]
        return complaints, "\n".join([*named, tally(final.values())])
    if data.get("format") == DERIVATION or "steps" in data:
        say(f"{data.get('label')}: derivation of {data.get('theorem')}")
        return check_derivation(data), ""
    if "format" in data or "proof" in data:
        return check_certificate(data, str(data.get("label", "certificate")), say, whole=False), ""
    if "relation" in data or "line" in data:
        return about_witness(data, str(data.get("label", "witness")), say), ""
    return ["neither a certificate nor a derivation nor a witness nor a document of claims"], ""
