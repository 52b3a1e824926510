"""All families in turn, each from a generator of its own, so that a claim does not depend on the others."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import count

from tests.quality.hostile import corners, grown, growth, movement, sharp
from tests.quality.hostile.claims import Hostile

Family = Callable[[random.Random], Iterator[Hostile]]
FALSE: tuple[Family, ...] = (
    sharp.false_claims,
    growth.false_claims,
    corners.false_claims,
    movement.false_claims,
    grown.false_claims,
)
TRUE: tuple[Family, ...] = (
    sharp.true_claims,
    growth.true_claims,
    corners.true_claims,
    movement.true_claims,
    grown.true_claims,
)


def hostile(families: tuple[Family, ...], seed: int) -> Iterator[Hostile]:
    """Without end, and without repetition; the same for the same seed."""
    running = [family(random.Random(f"{seed}/{k}")) for k, family in enumerate(families)]
    seen: set[str] = set()
    for turn in count():
        for of in running[turn % len(running)]:
            if (text := of.text()) not in seen:
                seen.add(text)
                yield of
                break
