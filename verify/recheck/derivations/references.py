"""Derivations in a document: each for what its claim says, resting on claims of the document that are proved.

A lemma has to be a claim with a derivation of the same formula in the same setting, or in one that is part
of it, and no chain of lemmas may return.  So has a claim that proves that something exists which a fact is
about.  A relation that is used ``pointwise`` has to be that of a claim which certificates prove.  What a
claim says to rest on is what its steps take.  One name means one setting in the whole document: a fact that
one derivation adds would be an assumption.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from verify.recheck.derivations.axioms import AXIOMS
from verify.recheck.derivations.checking import Findings, examine, theorem_of
from verify.recheck.derivations.definitions import KINDS, Taken, taken
from verify.recheck.derivations.trees import Nameless
from verify.recheck.intervals import UnknownError
from verify.recheck.statements import Statement
from verify.recheck.witnesses import FAILURES, reason

Claim = Mapping[str, Any]


class Book:
    """The claims of a document by their labels, and their derivations."""

    def __init__(self, claims: Iterable[Claim], whole: Callable[[Claim], Claim]):
        self._claims: dict[str, list[Claim]] = {}
        for claim in claims:
            self._claims.setdefault(str(claim.get("label")), []).append(claim)
        self._whole = whole  # the text of a derivation, where the document holds only its digest
        self._derivations: dict[str, Claim] = {}
        self._settings: dict[str, Any] = {}
        self._theorems: dict[str, Nameless] = {}
        self._taken: dict[str, frozenset[Taken]] = {}

    def complaints(self, claim: Claim, path: str, axioms: Mapping[str, Claim] = AXIOMS) -> list[str]:
        """What is wrong with the derivation of a claim."""
        label = str(claim.get("label"))
        try:
            data = self._derivation(label)
            if data.get("label") != label:
                raise UnknownError(f"the derivation is for {data.get('label')!r}")
            if not isinstance(claim.get("theorem"), str) or data.get("theorem") != claim["theorem"]:
                raise UnknownError(f"the derivation is for {data.get('theorem')!r}, not the claim's theorem")
            self._require_one_setting(data.get("setting"))
            self._require_no_circle(label)
        except (*FAILURES, OSError) as error:
            return [f"{path}: {reason(error)}"]
        found = examine(data, axioms)
        self._require_rests(claim, data, found)
        for step, rule, other, what in found.references:
            try:
                if rule == "lemma":
                    self._require_lemma(other, what, data.get("setting"))
                elif rule == "fact":
                    self._require_derived(other, data.get("setting"))
                else:
                    self._require_relation(other, what)
            except (*FAILURES, OSError) as error:
                found.complain(reason(error), step, rule)
        return found.complaints

    def _require_rests(self, claim: Claim, data: Claim, found: Findings) -> None:
        """Complain if the claim says to rest on other facts than its steps take."""
        evidence = claim.get("evidence")
        said = evidence.get("rests") if isinstance(evidence, Mapping) else None
        own = {kind: [f.name for f in sorted(taken(data)) if f.kind == kind] for kind in KINDS}
        if said != own:
            found.complain(f"its steps rest on {own}, not {said}")
        if "rests" in claim and claim["rests"] != (every := self._rests(str(claim.get("label")))):
            found.complain(f"with all it uses it rests on {every}, not {claim['rests']}")

    def _rests(self, label: str) -> dict[str, Any]:
        """What a claim and all that it uses rest on: names by kind, and what is proved by which claim."""
        seen: set[str] = set()
        facts: set[Taken] = set()
        stack = [label]
        while stack:
            if (one := stack.pop()) in seen or one not in self._claims:
                continue
            seen.add(one)
            rows = [row.get("uses") for row in self._claims[one]]
            stack += [str(label) for uses in rows if isinstance(uses, list) for label in uses]
            stack += self._named(one, "lemma", "pointwise", "fact")
            if one not in self._taken:
                try:
                    self._taken[one] = taken(self._derivation(one))
                except (*FAILURES, OSError):  # it has none, or that is complained about there
                    self._taken[one] = frozenset()
            facts |= self._taken[one]
        proofs = {f: self._claims.get(f.claim, []) for f in sorted(facts) if f.claim}
        proved = [f for f, some in proofs.items() if [row.get("transitive") for row in some] == ["proved"]]
        names = {
            kind: [f.name for f in sorted(facts) if f.kind == kind and f not in proved] for kind in KINDS
        }
        return {**names, "proved": {f.name: f.claim for f in proved}}

    def _claim(self, label: str) -> Claim:
        found = self._claims.get(label, [])
        if len(found) != 1:
            raise UnknownError(f"there is not one claim {label} in the document")
        return found[0]

    def _proved(self, label: str) -> Claim:
        found = self._claim(label)
        if found.get("verdict") != "proved":
            raise UnknownError(f"the claim {label} is {found.get('verdict')!r}, not proved")
        return found

    def _derivation(self, label: str) -> Claim:
        if label not in self._derivations:
            evidence = self._claim(label).get("evidence")
            data = evidence.get("derivation") if isinstance(evidence, Mapping) else None
            if not isinstance(data, Mapping):
                raise UnknownError(f"the claim {label} has no derivation")
            self._derivations[label] = self._whole(data)
        return self._derivations[label]

    def _require_one_setting(self, setting: Any) -> None:
        name = str(setting.get("name"))
        if self._settings.setdefault(name, setting) != setting:
            raise UnknownError(f"the setting {name!r} is another one elsewhere in the document")

    def with_premises(self, labels: Iterable[str]) -> set[str]:
        """The claims, and all those of the document that their derivations rest on."""
        seen: set[str] = set()
        stack = list(labels)
        while stack:
            label = stack.pop()
            if label in self._claims and label not in seen:
                seen.add(label)
                stack += self._named(label, "lemma", "pointwise", "fact")
        return seen

    def _named(self, label: str, *rules: str) -> list[str]:
        """The claims that the steps of a derivation name by these rules."""
        try:
            steps = self._derivation(label).get("steps")
        except (*FAILURES, OSError):  # complained about where it is used
            return []
        found = [s for s in steps if isinstance(s, Mapping)] if isinstance(steps, list) else []
        named = [str(s.get("label")) for s in found if s.get("rule") in rules and s.get("rule") != "fact"]
        proofs = {f.claim for f in taken(self._derivation(label)) if f.claim} if "fact" in rules else ()
        return [*named, *sorted(proofs)]

    def _require_no_circle(self, label: str) -> None:
        seen: set[str] = set()
        stack = self._named(label, "lemma", "fact")
        while stack:
            other = stack.pop()
            if other == label:
                raise UnknownError(f"a chain of lemmas returns to {label}")
            if other not in seen:
                seen.add(other)
                stack += self._named(other, "lemma", "fact")

    def _require_derived(self, label: str, setting: Any) -> tuple[Claim, Claim]:
        """The claim and its derivation: proved, and of what is spoken of here."""
        claim, data = self._proved(label), self._derivation(label)
        if not _is_part(data.get("setting"), setting):
            raise UnknownError(f"the lemma {label} is derived in another setting")
        return claim, data

    def _require_lemma(self, label: str, formula: Nameless, setting: Any) -> None:
        claim, data = self._require_derived(label, setting)
        if label not in self._theorems:
            self._theorems[label] = theorem_of({**data, "theorem": claim.get("theorem")})
        if self._theorems[label] != formula:
            raise UnknownError(f"the claim {label} says {claim.get('theorem')!r}, not {formula}")

    def _require_relation(self, label: str, said: Claim) -> None:
        claim = self._proved(label)
        evidence = claim.get("evidence")
        check = (evidence if isinstance(evidence, Mapping) else claim).get("check", claim.get("check"))
        statement = Statement.of(claim)
        if not statement.is_formula(check) or statement.monotone or statement.limit:
            raise UnknownError(f"the claim {label} is not a relation that is proved by certificates")
        statement.require_about(said, f"premise from {label}")


def _is_part(small: Any, large: Any) -> bool:
    """Whether sorts, variables, symbols and facts of a setting are all in another one, as they are."""

    def kept(what: str) -> bool:
        less, more = small.get(what, ()), large.get(what, ())
        if isinstance(less, Mapping) and isinstance(more, Mapping):
            return all(name in more and more[name] == value for name, value in less.items())
        return isinstance(less, list) and isinstance(more, list) and all(row in more for row in less)

    return small == large or all(map(kept, ("sorts", "variables", "symbols", "facts")))
