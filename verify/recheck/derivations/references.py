"""The derivation of a claim of a document: for what the claim says, resting on what other claims say.

A lemma has to be a claim with a derivation of the same formula in the same setting, or in one that is part
of it; so has a claim that proves that something exists which a fact is about.  A relation that is used
``pointwise`` has to be that of a claim whose formula is shown.  All have to be among those that the claim
says it uses.  A setting is written down once in a document, under its name: a fact that one derivation adds
would be an assumption.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verify.recheck.derivations.checking import examine, theorem_of
from verify.recheck.derivations.trees import Nameless
from verify.recheck.intervals import UnknownError
from verify.recheck.statements import Statement
from verify.recheck.witnesses import FAILURES, reason

Claim = Mapping[str, Any]


def about_derivation(
    claim: Claim,
    claims: Mapping[str, Claim],
    settings: Mapping[str, Any],
    theorems: dict[str, Nameless],
) -> tuple[list[str], set[str]]:
    """The complaints about a derivation, and the claims that it rests on; whether they hold is their affair.

    ``theorems`` are those of lemmas that were read before.
    """
    label, needs = claim["label"], set[str]()
    try:
        data = claim["proof"]["theorem"]["derivation"]
        setting = _setting(claim, settings)
        if data["label"] != label:
            raise UnknownError(f"the derivation is for {data['label']!r}")
        if data["theorem"] != claim["theorem"]:
            raise UnknownError(f"the derivation is for {data['theorem']!r}, not the claim's theorem")
    except FAILURES as error:
        return [f"{label}: {reason(error)}"], needs
    found = examine({**data, "setting": setting})
    for step, rule, other, what in found.references:
        needs.add(other)
        try:
            if other not in claim["uses"]:
                raise UnknownError(f"the claim does not say that it uses {other}")
            if other not in claims:
                raise UnknownError(f"the claim {other} is not as the schema has it")
            if claims[other]["verdict"] != "proved":
                raise UnknownError(f"the claim {other} is {claims[other]['verdict']!r}, not proved")
            if rule == "lemma":
                _require_lemma(claims[other], what, setting, settings, theorems)
            elif rule == "fact":
                _require_about(claims[other], what, setting, settings)
            else:
                _require_relation(claims[other], what)
        except FAILURES as error:
            found.complain(reason(error), step, rule)
    return found.complaints, needs


def _setting(claim: Claim, settings: Mapping[str, Any]) -> Any:
    """The setting of a claim with a theorem."""
    name = claim["setting"]
    if name != claim["proof"]["theorem"]["derivation"]["setting"]:
        raise UnknownError(f"the derivation is not in the setting {name!r} of the claim")
    if name not in settings:
        raise UnknownError(f"the setting {name!r} is not in the document")
    return settings[name]


def _require_derived(claim: Claim, setting: Any, settings: Mapping[str, Any]) -> Any:
    """The setting of a claim with a derivation, which speaks of what is spoken of here."""
    if claim["theorem"] is None or "theorem" not in (claim["proof"] or {}):
        raise UnknownError(f"the claim {claim['label']} has no derivation")
    if not _is_part(own := _setting(claim, settings), setting):
        raise UnknownError(f"the lemma {claim['label']} is derived in another setting")
    return own


def _require_about(claim: Claim, fact: Nameless, setting: Any, settings: Mapping[str, Any]) -> None:
    """A claim that shows that what a fact is about exists speaks of something that the fact speaks of.

    Or of whatever there is, by generic symbols.  That it shows just this is for people to read.
    """
    own = _require_derived(claim, setting, settings)
    theorem = _symbols(theorem_of({"setting": own, "theorem": claim["theorem"]}))
    generic = {row["name"] for row in own["symbols"] if row.get("generic")}
    if not theorem & (_symbols(fact) | generic):
        raise UnknownError(f"the claim {claim['label']} does not speak of what the fact is about: {fact}")


def _symbols(t: Nameless) -> set[Any]:
    return {node.value for node in t.walk() if node.op == "sym"}


def _require_lemma(
    claim: Claim,
    formula: Nameless,
    setting: Any,
    settings: Mapping[str, Any],
    theorems: dict[str, Nameless],
) -> None:
    label, own = claim["label"], _require_derived(claim, setting, settings)
    if label not in theorems:
        theorems[label] = theorem_of({"setting": own, "theorem": claim["theorem"]})
    if theorems[label] != formula:
        raise UnknownError(f"the claim {label} says {claim['theorem']!r}, not {formula}")


def _require_relation(claim: Claim, said: Claim) -> None:
    statement, proof = Statement.of(claim), (claim["proof"] or {}).get("formula")
    if proof is None or statement.monotone or statement.limit:
        raise UnknownError(f"the claim {claim['label']} is not a relation that is proved")
    statement.require_about(said, f"premise from {claim['label']}")


def _is_part(small: Any, large: Any) -> bool:
    """Whether sorts, variables, symbols and facts of a setting are all in another one, as they are."""

    def kept(what: str) -> bool:
        less, more = small.get(what, ()), large.get(what, ())
        if isinstance(less, Mapping) and isinstance(more, Mapping):
            return all(name in more and more[name] == value for name, value in less.items())
        return isinstance(less, list) and isinstance(more, list) and all(row in more for row in less)

    return small == large or all(map(kept, ("sorts", "variables", "symbols", "facts")))
