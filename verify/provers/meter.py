"""What a claim may cost, in counts: whatever takes long draws on one meter, and a search ends when it is empty.

A unit is about a microsecond of an idle core, but nobody looks at a clock: each computation has a price by the
size of what it is given, or by the steps that it takes.  So a hopeless claim ends after a while, and on every
machine at the same place.  What is drawn must not depend on what was computed before, for another claim: a
function that remembers its answers draws before it looks.

>>> with metered(100) as meter:
...     for _ in range(3):
...         spend(40)
>>> meter.empty
True
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

UNLIMITED = 10**18


class SpentError(Exception):
    """A meter is empty; the block of :func:`metered` that it belongs to ends."""


class Meter:
    """What may still be spent."""

    def __init__(self, units: int) -> None:
        self.left = units

    @property
    def empty(self) -> bool:
        """Whether it ran out."""
        return self.left < 0


_METERS = [Meter(UNLIMITED)]


def spend(units: int) -> None:
    """Draw on the meter; raises :class:`SpentError` when it is empty."""
    meter = _METERS[-1]
    meter.left -= units
    if meter.left < 0:
        raise SpentError


@contextmanager
def metered(units: int) -> Iterator[Meter]:
    """Everything in the block together may cost so much, and no more than the block around it has left.

    The block ends where the meter is empty; whoever opened it asks ``empty``, or has what was found until then.
    """
    outer = _METERS[-1]
    meter = Meter(min(units, outer.left))
    before = meter.left
    _METERS.append(meter)
    try:
        yield meter
    except SpentError:
        pass
    finally:
        _METERS.pop()
        outer.left -= before - max(meter.left, 0)


@contextmanager
def unmetered() -> Iterator[None]:
    """For what was paid as a whole."""
    _METERS.append(Meter(UNLIMITED))
    try:
        yield
    finally:
        _METERS.pop()
