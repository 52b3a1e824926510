"""Derivations for people: what claims take for granted, and the steps one by one.

What is granted are the facts of the settings that the derivations use, those of the claims they rest on
included (:mod:`rests`).  A claim that is argued in words, or cited, grants itself, and is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from verify.claims import Claim, ClaimError, ClaimSet, Effort, Kind
from verify.kernel.language import Fact, show
from verify.kernel.terms import KernelError
from verify.kernel.theorems import Theorem
from verify.progress import note_if_slow
from verify.provers.derived import derived, granted
from verify.running.rests import Rest
from verify.running.results import Result

_SHOWN = ("variable", "bound", "at", "term", "terms", "formula", "symbol", "params", "body", "binder")


@dataclass(frozen=True)
class Granted:
    """A fact of a setting, and the claims whose derivations use it."""

    name: str
    setting: str
    kind: str
    says: str
    why: str
    claim: str  # that proves it
    means: str  # the claim that it is what it is called
    used_by: tuple[str, ...]

    @property
    def rest(self) -> Rest:
        """To be counted."""
        return Rest(self.name, self.kind, self.says, self.claim)


def theorem_of(claim: Claim, effort: Effort) -> Theorem:
    """The theorem of the claim, built now; whatever goes wrong is one line."""
    if claim.derivation is None:
        raise ClaimError(f"claim {claim.label}: has no derivation")
    try:
        with note_if_slow(f"building the derivation of {claim.label}"):
            return derived(claim, effort)
    except KernelError as error:
        raise ClaimError(f"claim {claim.label}: {error}") from None
    except Exception as error:  # a derivation is anybody's code
        text = " ".join(f"{type(error).__name__}: {error}".split())
        raise ClaimError(f"claim {claim.label}: its derivation fails: {text}") from None


def all_granted(
    claims: ClaimSet, labels: Iterable[str], effort: Effort, kept: Mapping[str, Result]
) -> tuple[list[Granted], list[str]]:
    """The facts, and the claims in words, of the labels and all that they rest on.

    What is kept of earlier runs is used; other derivations are built, nothing is checked.
    """
    users: dict[tuple[str, Fact], list[str]] = {}  # a fact of several settings is one
    places: dict[tuple[str, Fact], str] = {}
    words = []
    for claim in map(claims.__getitem__, claims.closure(labels)):
        if claim.argued or claim.kind is Kind.CITED:
            words.append(claim.label)
        if claim.setting is not None and claim.derivation is not None:
            for name in _names(claim, effort, kept.get(claim.label)):
                one = name, claim.setting.facts[name]
                users.setdefault(one, []).append(claim.label)
                places.setdefault(one, claim.setting.name)
    found = []
    for (name, fact), used_by in users.items():
        place = places[name, fact]
        links = fact.claim, fact.means
        found.append(Granted(name, place, fact.kind, fact.says, fact.why, *links, tuple(used_by)))
    return found, words


def _names(claim: Claim, effort: Effort, kept: Result | None) -> list[str]:
    own = kept.evidence.get("rests") if kept is not None else None
    return [name for names in (own or granted(theorem_of(claim, effort))).values() for name in names]


# --- the steps -------------------------------------------------------------------------------


def step_lines(theorem: Theorem) -> Iterator[str]:
    """Each step with its conclusion, what that is given, and the reason."""
    number: dict[int, int] = {}
    facts = theorem.setting.facts
    for one in _in_order(theorem):
        number[id(one)] = k = len(number)
        yield f"{k:>4}. {_readable(show(one.says))}"
        if one.given:
            yield f"      given {'; '.join(sorted(_readable(show(g)) for g in one.given))}"
        why = reason(one.step.rule, one.step.fields)
        if one.step.rule == "fact":
            fact = facts[one.step.fields["name"]]
            why = f"{fact.kind} {one.step.fields['name']}: {fact.why}"
        places = ", ".join(str(number[id(p)]) for p in one.step.premises)
        yield f"      {_readable(why)}{f', from {places}' if places else ''}"


def _readable(text: str) -> str:
    """With the signs of people: u - v for u + (-1)*v."""
    text = re.sub(r"\(-1\)\*", "-", text)
    return re.sub(r"\+ (?:\((-[\d/]+)\)|(-))", lambda match: f"- {(match[1] or match[2])[1:]}", text)


def _in_order(theorem: Theorem) -> list[Theorem]:
    """Every theorem once, premises before their use: numbered as the steps of the document."""
    done: dict[int, Theorem] = {}
    stack = [(theorem, False)]
    while stack:
        one, ready = stack.pop()
        if ready:
            done.setdefault(id(one), one)
        elif id(one) not in done:
            stack.append((one, True))
            stack.extend((premise, False) for premise in reversed(one.step.premises))
    return list(done.values())


def reason(rule: str, fields: Mapping[str, Any]) -> str:
    """The rule and what it was applied to."""
    match rule:
        case "lemma":
            return f"theorem of {fields['label']}"
        case "pointwise":
            values = ", ".join(f"{name} = {text}" for name, text in fields["with"].items())
            whose = f"formula of {fields['label']}" if "label" in fields else "proved on the spot"
            return f"{whose}: {fields['relation']}{f', with {values}' if values else ''}"
        case "assume":
            return "assumed"
        case "combine":
            factors = (m if isinstance(m, str) else m["term"] for m in fields["multipliers"])
            return f"combine with multipliers {', '.join(factors)}" if fields["multipliers"] else "combine"
        case "known":
            return f"elementary: {fields['name']}"
    shown = [f"{key} {_text(fields[key])}" for key in _SHOWN if key in fields]
    return f"{rule} ({', '.join(shown)})" if shown else rule


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
