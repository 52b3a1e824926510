"""When to plan again (:mod:`ctucbvi.learning.replanning`), decided without error.

Counts and times are exact.  Where :math:`T_0`, a logarithm, comes in, it is a ball whose precision is raised
until it does not contain the time that it is compared with; as the two are never equal, that ends.  Should it
not within the bits that are allowed, the comparison is reported as undecided and never taken as false.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ctucbvi.errors import UndecidedError
from ctucbvi.exact.precision import BALLS, precision
from ctucbvi.learning.replanning import unknown_time

if TYPE_CHECKING:
    from ctucbvi.learning import Settings, Statistics


def due(before: Statistics, now: Statistics, settings: Settings, *, max_bits: int = 512) -> bool:
    """Whether the next episode is to be planned, if the last plan was made from ``before``."""
    factor = 1 + settings.replan
    if settings.replan == 0:
        return True
    if settings.bonus != "optimistic" and now.episodes + 1 > factor * (before.episodes + 1):
        return True
    jumped = zip(before.n_plus, now.n_plus, strict=True)
    stayed = zip(before.time, now.time, strict=True)
    return any(new > factor * max(1, old) for old, new in jumped) or any(
        new > factor * old and _known(new / factor, now, settings, max_bits) for old, new in stayed
    )


def _known(time: Fraction, now: Statistics, settings: Settings, max_bits: int) -> bool:
    """Whether ``time`` is beyond T₀."""
    bits = 64
    while bits <= max_bits:
        with precision(bits):
            ball, floor = BALLS.number(time), unknown_time(now.model, settings, BALLS)
            if ball > floor:
                return True
            if ball < floor:
                return False
        bits *= 2
    raise UndecidedError(
        f"episode {now.episodes + 1}: whether to plan again cannot be told with {max_bits} bits"
    )
