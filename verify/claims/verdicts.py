"""What a check can find, and how findings combine.

From the strongest to the weakest: ``proved`` (for the whole domain), ``proved-on-box`` (for a
stated box), ``supported`` (a statistical test with an exact bound), ``tested`` (no counterexample
in a number of examples), ``assumed`` (cited, not checked here), ``undecided``, ``refuted`` (a
witness that anybody can re-check).  A claim is never stronger than the weakest claim it uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """The status of a claim; computed, never typed."""

    PROVED = "proved"
    PROVED_ON_BOX = "proved-on-box"
    SUPPORTED = "supported"
    TESTED = "tested"
    ASSUMED = "assumed"
    UNDECIDED = "undecided"
    REFUTED = "refuted"

    @property
    def rank(self) -> int:
        """0 for the strongest; larger is weaker."""
        return list(Verdict).index(self)

    @property
    def decisive(self) -> bool:
        """Whether no further check can change it."""
        return self in (Verdict.PROVED, Verdict.REFUTED)

    @property
    def holds(self) -> bool:
        """Whether the claim may be relied on, as far as this verdict goes."""
        return self not in (Verdict.UNDECIDED, Verdict.REFUTED)


def weakest(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict of a chain: as strong as its weakest link."""
    return max(verdicts, key=lambda verdict: verdict.rank)


class ContradictionError(Exception):
    """Two checks of one claim exclude each other: one of the provers is wrong."""


@dataclass(frozen=True)
class Finding:
    """What one check found.  ``evidence``, ``witness`` and ``slack`` are plain JSON data."""

    check: str  # the name of the check
    verdict: Verdict
    evidence: Mapping[str, Any] = field(default_factory=dict)
    witness: Mapping[str, Any] | None = None  # of a refutation, enough to re-check it
    slack: Mapping[str, Any] | None = None  # how close the two sides come, and where


def combined(findings: Iterable[Finding]) -> Finding:
    """The finding that decides: a refutation if there is one, else the strongest.

    A refutation beside a proof is a defect of a prover and raises; it is never averaged away.
    """
    every = list(findings)
    refuted = [f for f in every if f.verdict is Verdict.REFUTED]
    proved = [f for f in every if f.verdict in (Verdict.PROVED, Verdict.PROVED_ON_BOX)]
    if refuted and any(p.verdict is Verdict.PROVED for p in proved):
        raise ContradictionError(
            f"{proved[0].check} proves what {refuted[0].check} refutes: {refuted[0].witness}"
        )
    return refuted[0] if refuted else min(every, key=lambda f: f.verdict.rank)
