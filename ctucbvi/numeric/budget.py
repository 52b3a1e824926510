"""What the fast side may spend: time and memory, looked at between compiled calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from time import monotonic

from ctucbvi.errors import UndecidedError

_FAR = 10.0  # times the room: no guess is so wrong


@dataclass(frozen=True)
class NumericBudget:
    """Time and memory, counted from the moment the budget is made."""

    seconds: float = inf
    share: float = 1.0  # of the seconds, for this part of the work
    gigabytes: float = 4.0  # of a solution, while it grows
    began: float = field(default_factory=monotonic)

    @property
    def spent(self) -> float:
        """The seconds that are over."""
        return monotonic() - self.began

    def check(self, what: Callable[[], str], numbers: int = 0, part: float = 1.0) -> None:
        """Raise :class:`ctucbvi.UndecidedError` if time is over or so many doubles have no room.

        They are for ``part`` of the work: where all of it would take many times the room, an eighth is not
        filled first.
        """
        if self.spent > self.share * self.seconds:
            raise UndecidedError(f"{what()} is not finished in {self.seconds:g} s")
        if 8 * numbers > self.gigabytes * 2**30:
            raise UndecidedError(f"{what()} needs more than {self.gigabytes:g} GB")
        share = 8 * numbers / (self.gigabytes * 2**30)
        if share > 1 / 8 and share > _FAR * part:
            about = f"about {share / part * self.gigabytes:.0e} GB, and {self.gigabytes:g} are allowed"
            raise UndecidedError(f"{what()} needs {about}; take a shorter horizon or smaller rates")


NO_HURRY = NumericBudget()  # the default: as long as it takes, in the memory that there is
