"""How much a check may cost, by the checker's own count: what takes longer is not checked, and nothing else.

A unit is about a microsecond of an idle core, but nobody looks at a clock: terms that are built, intervals
and products that are computed and coefficients that are turned have a price, whoever asks for them.  Where
all is spent, :class:`TooLongError` ends the whole check, with a complaint that says so; no rule may take it
for an answer, so it is not among the errors that they catch.

>>> with limited(10):
...     for _ in range(3):
...         work(4)
Traceback (most recent call last):
verify.recheck.work.TooLongError: too long to be checked here: more than 10 units of work
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_LEFT = [10**18]
_GIVEN = [10**18]


class TooLongError(Exception):
    """The work that was allowed is done, and the check is not."""


def work(units: int) -> None:
    """Count; raises :class:`TooLongError` when nothing is left."""
    _LEFT[-1] -= units
    if _LEFT[-1] < 0:
        raise TooLongError(f"too long to be checked here: more than {_GIVEN[-1]} units of work")


@contextmanager
def limited(units: int | None) -> Iterator[None]:
    """Everything in the block may cost so much; ``None``: as much as there is."""
    given = _LEFT[-1] if units is None else min(units, _LEFT[-1])
    _LEFT.append(given)
    _GIVEN.append(given)
    try:
        yield
    finally:
        _LEFT[-2] -= given - max(_LEFT[-1], 0)
        _LEFT.pop()
        _GIVEN.pop()
