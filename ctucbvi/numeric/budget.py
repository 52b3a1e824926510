"""What the fast side may spend: time and memory, looked at between compiled calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from time import monotonic

from ctucbvi.errors import UndecidedError

_FAR, _NEAR = 10.0, 2.0  # times the room: no guess is so wrong; none is after an eighth of the work


@dataclass(frozen=True)
class NumericBudget:
    """Time and memory, counted from the moment the budget is made."""

    seconds: float = inf
    share: float = 1.0  # of the seconds, for this part of the work
    gigabytes: float = 4.0  # of a solution, while it grows
    began: float = field(default_factory=monotonic)
    progress: Callable[[float], None] | None = None  # is told the part of a march that is done, 0 to 1
    tell: Callable[[str], None] | None = None  # is told beforehand that memory will probably not suffice

    @property
    def spent(self) -> float:
        """The seconds that are over."""
        return monotonic() - self.began

    def check(self, what: Callable[[], str], numbers: int = 0, part: float = 1.0, instead: str = "") -> None:
        """Raise :class:`ctucbvi.UndecidedError` if time is over or so many doubles have no room.

        They are for ``part`` of the work: where all of it would take many times the room, an eighth is not
        filled first.  ``instead`` says what takes less.
        """
        if self.spent > self.share * self.seconds:
            raise UndecidedError(f"{what()} is not finished in {self.seconds:g} s")
        share = 8 * numbers / (self.gigabytes * 2**30)
        whole = share / part if part > 0 else share
        if share > 1 or (share > 1 / 8 and whole > (_NEAR if part > 1 / 8 else _FAR)):
            about = f"needs about {whole * self.gigabytes:.2g} GB, and {self.gigabytes:g} are allowed"
            raise UndecidedError(f"{what()} {about}" + (f"; {instead}" if instead else ""))

    def foresee(self, what: str, numbers: float, instead: str) -> None:
        """Say beforehand that about so many doubles will have no room; what there is room for is computed."""
        needed = 8 * numbers / 2**30
        if self.tell is not None and needed > self.gigabytes:
            self.tell(f"{what} needs about {needed:.2g} GB, and {self.gigabytes:g} are allowed; {instead}")


NO_HURRY = NumericBudget()  # the default: as long as it takes, in the memory that there is
