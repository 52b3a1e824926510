"""A derivation, step by step: each conclusion is computed, and the last one compared with the theorem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verify.recheck.certificates import check_certificate
from verify.recheck.derivations import analysis, elementary, logic
from verify.recheck.derivations.canon import Canon
from verify.recheck.derivations.definitions import complaints
from verify.recheck.derivations.reading import TextReader, read_setting
from verify.recheck.derivations.trees import Nameless
from verify.recheck.derivations.workbench import Judgement, RuleStep, Workbench, open_workbench
from verify.recheck.intervals import UnknownError
from verify.recheck.witnesses import FAILURES, reason

FORMAT = "ctucbvi-derivation-1"
_STEPS = 20_000
_FAILURES = (*FAILURES, MemoryError)
_RULES: Mapping[str, tuple[Callable[[RuleStep], Judgement], int | None]] = {
    **logic.RULES,
    **analysis.RULES,
    **elementary.RULES,
}


@dataclass
class Findings:
    """The complaints about a derivation, and the claims on which it rests."""

    label: str
    complaints: list[str] = field(default_factory=list)
    references: list[tuple[int, str, str, Any]] = field(default_factory=list)  # step, rule, label, what

    def complain(self, what: str, step: int | None = None, rule: object = None) -> None:
        """One line."""
        place = self.label if step is None else f"{self.label}: step {step} ({rule})"
        self.complaints.append(" ".join(f"{place}: {what}".split()))


def check_derivation(document: Any) -> list[str]:
    """The complaints about a derivation by itself; so is a claim that it rests on, which is not here."""
    found = examine(document)
    for step, rule, label, _ in found.references:
        found.complain(f"rests on the claim {label}, which is not here", step, rule)
    return found.complaints


def examine(document: Any) -> Findings:
    """A derivation re-computed."""
    found = Findings("derivation")
    if not isinstance(document, Mapping):
        found.complain("not an object")
        return found
    found.label = str(document.get("label", "derivation"))
    try:
        for one in complaints(document.get("setting")):
            found.complain(one)
        if document.get("format") != FORMAT:
            raise UnknownError(f"format {document.get('format')!r} is not {FORMAT!r}")
        bench = open_workbench(document, _certify)
        steps = document.get("steps")
        if not isinstance(steps, list) or not 0 < len(steps) <= _STEPS:
            raise UnknownError(f"'steps' is not a list of at most {_STEPS}, or empty")
        theorem = bench.canon.normal(bench.reader.formula(document.get("theorem")))
    except _FAILURES as error:
        found.complain(reason(error))
        return found
    last = _run(steps, bench, found)
    found.references = bench.references
    if last is None:
        return found
    if last.given:
        found.complain(f"the last step still has the given '{min(g.text for g in last.given)}'")
    if last.formula != theorem:
        found.complain(f"the last step shows {last.formula}, the theorem is {theorem}")
    return found


def theorem_of(document: Mapping[str, Any]) -> Nameless:
    """The normal form of what a derivation is for."""
    language = read_setting(document.get("setting"))
    return Canon(language).normal(TextReader(language).formula(document.get("theorem")))


def _run(steps: list[Any], bench: Workbench, found: Findings) -> Judgement | None:
    """The last conclusion; a step whose premises failed is left out, they are complained about already."""
    shown: list[Judgement | None] = []
    for k, step in enumerate(steps):
        rule = step.get("rule") if isinstance(step, Mapping) else step
        try:
            bench.now = k
            shown.append(conclusion(step, shown, bench))
        except _FAILURES as error:
            found.complain(reason(error), k, rule)
            shown.append(None)
    return shown[-1]


def conclusion(step: Any, shown: list[Judgement | None], bench: Workbench) -> Judgement | None:
    """What a step shows; nothing, if one of its premises failed."""
    if not isinstance(step, Mapping) or not isinstance(step.get("rule"), str) or step["rule"] not in _RULES:
        raise UnknownError("no rule of the language")
    rule, number = _RULES[step["rule"]]
    places = step.get("from", [])
    if not isinstance(places, list) or not all(type(j) is int and 0 <= j < len(shown) for j in places):
        raise UnknownError("'from' is not a list of earlier steps")
    if number is not None and len(places) != number:
        raise UnknownError(f"{number} premises are needed, {len(places)} are given")
    premises = [p for p in (shown[j] for j in places) if p is not None]
    return rule(RuleStep(step, premises, bench)) if len(premises) == len(places) else None


_certified: dict[str, list[str]] = {}  # by the whole certificate, statement and proof: what is wrong with it
_KEPT = 500  # certificates; derivations name the same ones again and again


def _certify(data: Mapping[str, Any]) -> list[str]:
    words = repr(data)
    if words not in _certified:
        if len(_certified) >= _KEPT:
            _certified.clear()
        _certified[words] = check_certificate(data, "certificate", lambda _: None, whole=True)
    return _certified[words]
