"""What a claim may cost, in counts: whatever takes long draws on one meter; a search ends when it is empty.

A unit is about a microsecond of an idle core, but nobody looks at a clock: a computation has a price by the
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
    """What may still be spent, while its block runs."""

    def __init__(self, units: int) -> None:
        self.left = units
        self._given = units

    @property
    def empty(self) -> bool:
        """Whether it ran out."""
        return self.left < 0

    def __enter__(self) -> Meter:
        _METERS.append(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        _METERS.pop()
        _METERS[-1].left -= self._given - max(self.left, 0)
        return kind is SpentError and self.empty


_METERS = [Meter(UNLIMITED)]


def spend(units: int) -> None:
    """Draw on the meter; raises :class:`SpentError` when it is empty."""
    meter = _METERS[-1]
    meter.left -= units
    if meter.left < 0:
        raise SpentError


def metered(units: int) -> Meter:
    """Everything in the block together may cost so much, and no more than the block around it has left.

    The block ends where the meter is empty; whoever opened it asks ``empty``, or has what was found before.
    """
    return Meter(min(units, _METERS[-1].left))


@contextmanager
def unmetered() -> Iterator[None]:
    """For what was paid as a whole."""
    _METERS.append(Meter(UNLIMITED))
    try:
        yield
    finally:
        _METERS.pop()
