"""The check ``Derived``: the theorem of a claim, built by the rules of the kernel.

A derivation shows a claim if its last step is given nothing, says the same as the claim's theorem, and
rests on exactly the claims that the claim says it uses: on their formulas (``pointwise``) and their theorems
(``lemma``).  A formula that is no claim, or only a part of one (of this claim, or of another with a theorem
or words), is proved on the spot; its certificate is part of the derivation.  What the setting takes
for granted is listed by kind; where a claim proves that something exists, it is used like a lemma.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from verify.claims import DERIVATION, Claim, ClaimError, Domain, Effort, Finding, Relation, Verdict, claim
from verify.claims.formulas import names_in, tree_of
from verify.kernel.authoring import Derivation
from verify.kernel.goals import Pointwise
from verify.kernel.language import KINDS, show
from verify.kernel.terms import KernelError
from verify.kernel.theorems import Theorem, document


@dataclass(frozen=True)
class Derived:
    """Build the theorem of the claim, and compare; a claim with a derivation has this check, as its last."""

    @property
    def name(self) -> str:
        """For reports."""
        return DERIVATION

    @property
    def random(self) -> bool:
        """It cannot be wrong by bad luck."""
        return False

    @property
    def of_formula(self) -> bool:
        """It looks at the theorem; the formula is a part of it, or stands beside it."""
        return False

    def run(self, claim: Claim, effort: Effort) -> Finding:
        """Proved, or the reason why not in one line."""
        try:
            theorem = derived(claim, effort)
        except KernelError as error:
            return Finding(self.name, Verdict.UNDECIDED, {"why": str(error)})
        evidence = {
            "derivation": document(theorem, claim.label, claim.theorem),
            "rests": granted(theorem),
        }
        return Finding(self.name, Verdict.PROVED, evidence)


def derived(claim: Claim, effort: Effort) -> Theorem:
    """The theorem of the claim; ``KernelError`` says why it is none."""
    assert claim.setting is not None  # as every claim with a derivation
    assert claim.derivation is not None
    claim.setting.read()
    wanted, others = claim.setting.formula(claim.theorem), _Others(claim, effort)
    theorem = claim.derivation(Derivation(claim.setting, others.formula, others.proved, others.theorem))
    if not isinstance(theorem, Theorem):
        raise KernelError(f"the derivation gives a {type(theorem).__name__}, not a theorem")
    if theorem.setting is not claim.setting:
        raise KernelError(f"the derivation is in {theorem.setting.name}, the claim in {claim.setting.name}")
    if theorem.given:
        raise KernelError(f"still given: {'; '.join(sorted(map(show, theorem.given)))}")
    if theorem.says is not wanted:
        raise KernelError(f"derived is {show(theorem.says)!r}, not {show(wanted)!r}")
    facts = [claim.setting.facts[name] for names in granted(theorem).values() for name in names]
    proofs = {fact.claim for fact in facts if fact.claim}
    _require_uses(claim, labels(theorem.steps()) | proofs, others.asked)
    for label in sorted(proofs):  # of a setting that is part of this one: what it says, it says of this
        others.theorem(label)
    for label in sorted({fact.means for fact in facts} - {""}):
        if claim.among is None or label not in claim.among:
            raise KernelError(f"a fact means what {label} says, which is no claim")
    return theorem


def _require_uses(claim: Claim, used: set[str], asked: set[str]) -> None:
    """The derivation and the claim name the same others; asking for one is using it."""
    if missing := sorted(used.difference(claim.uses)):
        raise KernelError(f"the derivation uses {', '.join(missing)}; write that into uses")
    if idle := sorted(set(claim.uses) - used - asked):
        raise KernelError(f"the derivation does not use {', '.join(idle)}; take that out of uses")


def labels(steps: Iterable[Mapping[str, Any]]) -> set[str]:
    """The claims that the steps name."""
    return {step["label"] for step in steps if step["rule"] in ("lemma", "pointwise") and "label" in step}


def granted(theorem: Theorem) -> dict[str, list[str]]:
    """The names of the facts that a derivation takes from its setting, by kind."""
    facts = theorem.setting.facts
    named = {step["name"] for step in theorem.steps() if step["rule"] == "fact"}
    return {kind: sorted(name for name in named if facts[name].kind == kind) for kind in KINDS}


@dataclass(frozen=True)
class _Others:
    """What a derivation can ask for: formulas and theorems of claims, and proofs of formulas."""

    claim: Claim
    effort: Effort
    asked: set[str] = field(
        default_factory=set
    )  # others that it asked for, whether they are in its steps or not

    def formula(self, label: str) -> Pointwise:
        """The formula of a claim, to be believed if that is proved; if it is a part only, proved here."""
        one = self.claim if label == self.claim.label else self._other(label)
        if not isinstance(one.says, Relation):
            raise KernelError(f"claim {label}: has no formula with <=, < or ==")
        texts = one.says.text(), tuple(one.domain.texts()), tuple(one.domain.integers)
        if not one.theorem and not one.argued:
            return Pointwise(*texts, label=label)
        own: Any = next((check for check in one.checks if check.name == "proof"), None)
        return _proved(*texts, self.effort.profile, own)

    def theorem(self, label: str) -> str:
        """The theorem of another claim, in this setting or in one that it extends."""
        one = self._other(label)
        if not one.theorem:
            raise KernelError(f"lemma {label}: the claim has no theorem")
        here, there = self.claim.setting, one.setting
        if here is None or there is None or not (here is there or here.extends(there)):
            raise KernelError(f"lemma {label}: is in another setting, {there and there.name}")
        return one.theorem

    def proved(self, relation: str, domain: tuple[str, ...], integers: tuple[str, ...]) -> Pointwise:
        """By the prover, with its certificate."""
        return _proved(relation, domain, integers, self.effort.profile)

    def _other(self, label: str) -> Claim:
        """Of those that the claim uses: which others there are may not matter."""
        among = self.claim.among
        if among is None or label == self.claim.label:
            raise KernelError(f"claim {self.claim.label}: there is no other claim {label!r}")
        if label not in self.claim.uses:
            raise KernelError(f"the derivation uses {label}; write that into uses")
        self.asked.add(label)
        return among[label]


@lru_cache(maxsize=2_000)
def _proved(
    relation: str, domain: tuple[str, ...], integers: tuple[str, ...], profile: str, by: Any = None
) -> Pointwise:
    from verify.provers.goals import certificate  # as the next one
    from verify.provers.proof import Proof  # slow to load, and many derivations ask for no proof

    check = Proof() if by is None else by
    try:
        area = Domain.of(*domain, integers=integers, reals=names_in(tree_of(relation)))
        asked = claim("pointwise", "", says=relation, domain=area, checks=check)
    except ClaimError as error:
        raise KernelError(f"pointwise {relation}: {error}") from None
    assert isinstance(asked.says, Relation)
    found = check.run(asked, Effort(profile))
    if found.verdict is not Verdict.PROVED:
        point = found.witness["point"] if found.witness is not None else {}
        at = "".join(f", at {name} = {value}" for name, value in point.items())
        where = f" on {', '.join(area.texts())}" if area.texts() else ""
        raise KernelError(f"pointwise {relation}: {found.verdict}{where}{at}, not proved")
    identity = certificate(asked.label, asked.says, area, area.ranges, {"chain": []})
    data = dict(found.evidence.get("certificate", identity))
    return Pointwise(data["relation"], tuple(data["domain"]), tuple(data["integers"]), certificate=data)
