"""What is wrong with a paper, by root cause: one defect, however many claims fail by it.

A verdict is about one claim; a reader of a paper asks what is wrong with it, how bad that is, and what to
write instead.  A defect gathers the claims that fail for one reason, with what the paper says, what is wrong
about that and what follows from it.  Like a remark it is commentary: verdicts are computed, this is not.
A text may have LaTeX between dollar signs; what is proposed is LaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from verify.claims.claim import SEVERITIES
from verify.claims.claimset import ClaimSet
from verify.claims.formulas import ClaimError
from verify.claims.verdicts import Verdict


@dataclass(frozen=True)
class Defect:
    """One root cause, and the claims that show it; see the module's first lines."""

    name: str  # a slug: lower-case words with hyphens between them
    title: str
    severity: str  # one of SEVERITIES
    claims: tuple[str, ...]  # labels, the main one first
    says: str  # what the paper says
    wrong: str  # what is wrong about it
    consequence: str  # what follows for the rest of the paper
    repair: str = ""  # the label of the claim that repairs it
    proposed: str = ""  # the proposed text, as LaTeX
    reading: str = ""  # what speaks for the paper
    witness: str = ""  # the label of the claim whose witness is shown; else the first refuted one

    def __post_init__(self) -> None:
        where = f"defect {self.name}"
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name):
            raise ClaimError(f"defect {self.name!r}: write a name like 'unit-of-time'")
        if self.severity not in SEVERITIES:
            raise ClaimError(f"{where}: severity {self.severity!r}: write {', '.join(SEVERITIES)}")
        given: object = self.claims  # a text in its place would be read letter by letter
        if not isinstance(given, tuple) or not given:
            raise ClaimError(f"{where}: claims {given!r}: write the labels as a tuple, at least one")
        for field in ("title", "says", "wrong", "consequence"):
            if not getattr(self, field).strip():
                raise ClaimError(f"{where}: its {field} is empty; say it in plain words")

    @property
    def labels(self) -> tuple[str, ...]:
        """All claims that it names."""
        more = (label for label in (self.repair, self.witness) if label)
        return tuple(dict.fromkeys((*self.claims, *more)))

    def shown(self, verdicts: Mapping[str, Verdict]) -> str:
        """The label of the claim whose witness is shown, if any of them is refuted."""
        refuted = (label for label in self.claims if verdicts.get(label) is Verdict.REFUTED)
        return self.witness or next(refuted, "")


def gravest_first(defects: Iterable[Defect]) -> list[Defect]:
    """By severity; among equals as they are written."""
    return sorted(defects, key=lambda defect: SEVERITIES.index(defect.severity))


def fitting(defects: Iterable[Defect], claims: ClaimSet) -> list[Defect]:
    """The defects, gravest first, if they fit the claims: every label is one, and none has two defects."""
    every = gravest_first(defects)
    owner: dict[str, str] = {}
    names: set[str] = set()
    for defect in every:
        if defect.name in names:
            raise ClaimError(f"defect {defect.name}: the name is used twice; give each its own")
        names.add(defect.name)
        for label in defect.labels:
            if label not in claims:
                raise ClaimError(f"defect {defect.name}: {label!r} is no claim; correct the label")
        for label in defect.claims:
            if label in owner:
                raise ClaimError(f"defect {defect.name}: {label} is one of {owner[label]} already; choose")
            owner[label] = defect.name
    return every
