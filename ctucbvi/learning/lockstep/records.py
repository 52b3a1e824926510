"""What is found where two learners are compared: differences, and the episodes they are of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING

from ctucbvi.learning.exact.verdicts import Verdict

if TYPE_CHECKING:
    from ctucbvi.enclosure import Enclosure
    from ctucbvi.learning import Episode
    from ctucbvi.learning.exact.learner import ExactLearner
    from ctucbvi.learning.exact.plan import CertifiedPlan


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that the two sides do not agree on."""

    episode: int
    kind: str  # "plan", "estimate", "bonus", "set", "error", "iterations", "value", "action" or "departure"
    where: str
    fast: str  # of the side that is compared with the exact one
    exact: str
    gap: float  # how far apart, in the units of what is compared
    allowed: float  # how far apart they may be
    explained: bool
    why: str = ""  # what explains it, where that is not its size


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
        why: str = "",
    ) -> None:
        """Add one."""
        self.found.append(
            Difference(self.episode, kind, where, fast, true, float(gap), float(allowed), explained, why)
        )

    def depart(
        self,
        exact: ExactLearner,
        visit: tuple[str, Fraction, str],
        allowed: Fraction = Fraction(0),
        kind: str = "departure",
    ) -> None:
        """Add one if the action taken, of (state, remaining time, action), is not the exact learner's.

        It is explained by a tie, by a comparison that stays undecided, or if at most ``allowed`` is lost.
        """
        state, t, taken = visit
        names, proved = exact.best(state, t)
        if taken == names[0]:
            return
        why = ("a tie" if proved else "undecided") if taken in names else ""
        gap = Fraction(0) if why == "a tie" else farthest(exact.plan().lead(state, names[0], taken, t))
        self.note(
            kind,
            f"{state}@{float(t):.17g}",
            taken,
            names[0],
            gap,
            allowed,
            explained=bool(why) or gap <= allowed,
            why=why,
        )

    def compare(self, kind: str, where: str, fast: float, true: Fraction, allowed: Fraction) -> None:
        """Add one if a number is further off than it may be."""
        gap = abs(Fraction(fast) - true)
        if gap > allowed:
            self.note(kind, where, repr(fast), repr(float(true)), gap, allowed)


def farthest(found: Enclosure) -> Fraction:
    """The largest absolute value in an enclosure."""
    return max(abs(found.lower), abs(found.upper))
