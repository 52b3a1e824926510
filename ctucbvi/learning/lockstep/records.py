"""What is found where two learners are compared: differences, and the episodes they are of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING

from ctucbvi.learning.exact.verdicts import Verdict

if TYPE_CHECKING:
    from ctucbvi.learning import Episode
    from ctucbvi.learning.exact.plan import CertifiedPlan


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that the two sides do not agree on."""

    episode: int
    kind: str  # "plan", "estimate", "bonus", "set", "error", "iterations", "value" or "action"
    where: str
    fast: str
    exact: str
    gap: float  # how far apart, in the units of what is compared
    allowed: float  # how far apart they may be
    explained: bool


@dataclass(frozen=True, slots=True)
class LockstepEpisode:
    """One episode."""

    episode: int  # its number
    plan: CertifiedPlan  # of the exact side; made for this episode or, lazily, for an earlier one
    drawn: Episode
    error: float  # the proved error of the fast side
    confident: Verdict  # the event 𝒢
    optimistic: Verdict  # eq:optimism
    departures: int  # actions of a recorded episode that are not those of the exact policy
    differences: tuple[Difference, ...]

    @property
    def unexplained(self) -> tuple[Difference, ...]:
        """The differences that nothing excuses."""
        return tuple(d for d in self.differences if not d.explained)


class Differences:
    """Those of one episode, as they are found."""

    def __init__(self, episode: int) -> None:
        self.episode, self.found = episode, list[Difference]()

    def note(
        self,
        kind: str,
        where: str,
        fast: str,
        true: str,
        gap: Fraction | float = inf,
        allowed: Fraction | float = 0.0,
        *,
        explained: bool = False,
    ) -> None:
        """Add one."""
        self.found.append(
            Difference(self.episode, kind, where, fast, true, float(gap), float(allowed), explained)
        )

    def compare(self, kind: str, where: str, fast: float, true: Fraction, allowed: Fraction) -> None:
        """Add one if a number is further off than it may be."""
        gap = abs(Fraction(fast) - true)
        if gap > allowed:
            self.note(kind, where, repr(fast), repr(float(true)), gap, allowed)
