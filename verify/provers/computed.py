"""Claims that only code can state: the code computes both sides, the harness compares them.

A :class:`Computed` check calls a function that returns an :class:`Outcome`: cases, each with its two sides
and the relation between them, and whether the cases exhaust the domain.  The function never says whether
the claim holds.  One case that certainly fails refutes; one that cannot be told leaves the claim undecided;
if all hold, the verdict is as strong as the cases are complete.  No cases at all decide nothing.

:class:`Assumed` marks what is cited from elsewhere and not checked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from verify.claims import Claim, ClaimError, Effort, Finding, Verdict
from verify.provers.comparison import holds, line, text
from verify.provers.slack import Tightest

_SHOWN = 3  # undecided cases in the evidence


@dataclass(frozen=True)
class Case:
    """One instance of the claim: ``left relation right``."""

    description: str
    left: Any  # exact numbers or enclosures; see verify.provers.comparison
    right: Any
    relation: str = "<="
    line: str = ""  # one line of Python that prints True if the case fails; made up if left out


@dataclass(frozen=True)
class Outcome:
    """What the code of a claim computed.

    ``complete`` says that the cases exhaust the domain; ``box`` says which part of it they exhaust;
    with neither they are examples.
    """

    cases: Iterable[Case]
    complete: bool = False
    box: str = ""
    method: str = ""  # one sentence for the reader of the evidence


@dataclass(frozen=True)
class Computed:
    """The claim as the user's code computes it."""

    function: Callable[[Effort], Outcome]
    title: str = ""
    random: bool = False

    @property
    def name(self) -> str:
        """``computed``, with its title if it has one."""
        return f"computed ({self.title})" if self.title else "computed"

    @property
    def of_formula(self) -> bool:
        """Whether it looks at the claim's formula."""
        return False

    def run(self, claim: Claim, effort: Effort) -> Finding:
        """Compare the two sides of every case."""
        outcome = self.function(effort)
        if not isinstance(outcome, Outcome):
            raise ClaimError(
                f"claim {claim.label}: the computed check returned {type(outcome).__name__}, not an Outcome"
            )
        count = 0
        undecided: list[Case] = []
        tightest = Tightest()
        for case in outcome.cases:
            count += 1
            decided = holds(case.left, case.relation, case.right)
            if decided is False:
                evidence = self._evidence(outcome, count, undecided)
                return Finding(self.name, Verdict.REFUTED, evidence, witness=_witness(case))
            if decided is None:
                undecided.append(case)
            else:
                tightest.see(case.left, case.relation, case.right, {"case": case.description})
        verdict = _verdict(outcome, count, bool(undecided))
        slack = tightest.report() if verdict.holds else None
        return Finding(self.name, verdict, self._evidence(outcome, count, undecided), slack=slack)

    def _evidence(self, outcome: Outcome, count: int, undecided: list[Case]) -> dict[str, Any]:
        evidence: dict[str, Any] = {"cases": count, "complete": outcome.complete}
        if outcome.box:
            evidence["box"] = outcome.box
        if outcome.method:
            evidence["method"] = outcome.method
        if undecided:
            shown = [{"case": c.description, "left": text(c.left), "relation": c.relation,
                      "right": text(c.right)} for c in undecided[:_SHOWN]]  # fmt: skip
            evidence["undecided"] = {"count": len(undecided), "first": shown}
        return evidence


def _verdict(outcome: Outcome, count: int, undecided: bool) -> Verdict:
    if undecided or not count:
        return Verdict.UNDECIDED
    if outcome.complete:
        return Verdict.PROVED
    return Verdict.PROVED_ON_BOX if outcome.box else Verdict.TESTED


def _witness(case: Case) -> dict[str, Any]:
    witness = {
        "case": case.description,
        "left": text(case.left),
        "comparison": case.relation,
        "right": text(case.right),
    }
    again = case.line or line(case.left, case.relation, case.right)
    return {**witness, "line": again} if again else witness


@dataclass(frozen=True)
class Assumed:
    """Cited, not checked here."""

    reason: str  # who proved it, and where

    @property
    def random(self) -> bool:
        """No."""
        return False

    @property
    def name(self) -> str:
        """``assumed``."""
        return "assumed"

    @property
    def of_formula(self) -> bool:
        """Whether it looks at the claim's formula."""
        return False

    def run(self, claim: Claim, effort: Effort) -> Finding:
        """Say so."""
        del claim, effort
        return Finding(self.name, Verdict.ASSUMED, {"reason": self.reason})
