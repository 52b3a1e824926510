"""Two things that are compared run in turns, in one process; a ratio has a median and a range.

Times vary with whatever else the machine is doing, so they are the processor's; each turn gives a ratio of
its own, and what a thing takes is its best time.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from math import ceil
from statistics import median
from time import process_time
from typing import Any

_MEASURABLE = 0.005  # seconds


def times_in_turns(*works: Callable[[], Any], rounds: int = 15) -> list[list[float]]:
    """The times of each of ``works``, turn by turn.

    As in timeit, garbage is not collected meanwhile, and what is quick is repeated until it can
    be measured.
    """
    repeats = [_repeats(work) for work in works]
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, repeat, taken in zip(works, repeats, times, strict=True):
            taken.append(_seconds(work, repeat))
    return times


def best_times(*works: Callable[[], Any], rounds: int = 15) -> list[float]:
    """The best time of each of ``works``, which take turns."""
    return [min(taken) for taken in times_in_turns(*works, rounds=rounds)]


def _repeats(work: Callable[[], Any]) -> int:
    """How often something has to be done to be measured; the first time is not like the others."""
    work()
    repeat = 1
    for _ in range(3):
        repeat = max(1, ceil(_MEASURABLE / max(_seconds(work, repeat), 1e-9)))
        if repeat == 1:
            break
    return repeat


def _seconds(work: Callable[[], Any], repeat: int) -> float:
    gc.collect()
    gc.disable()
    began = process_time()  # of the processor, as the peers that run elsewhere tell theirs
    for _ in range(repeat):
        work()
    ended = process_time()
    gc.enable()
    return (ended - began) / repeat


def ratios(slow: Sequence[float], fast: Sequence[float], less: float = 0.0) -> str:
    """The median of the ratios of the turns, and their range; ``less`` is taken off both."""
    return spread((a - less) / (b - less) for a, b in zip(slow, fast, strict=True))


def spread(found: Iterable[float]) -> str:
    """The median of some ratios, and their range."""
    ordered = sorted(found)
    middle = median(ordered)
    digits = 0 if middle >= 20 else 1 if middle >= 1 else 2
    return f"{middle:.{digits}f} ({ordered[0]:.{digits}f}-{ordered[-1]:.{digits}f})"
