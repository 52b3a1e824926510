r"""Values that the graph alone tells: a probability that is 0 or 1, a state in which nothing is earned.

Let c be a number.  In the plain form, where rows sum to 1,

* V <= c at all times if no pair that can be reached, whatever is done, earns anything or starts above c;
* V >= c at all times if somebody can stay for ever among pairs that lose nothing and start from c at least.

Where both hold V = c.  Of a probability to reach a goal this finds every 0 and every 1 there is: a state from
which every choice may lead to the goal reaches it, in whatever time, with a probability above 0.  (This is
the precomputation of model checkers, Prob0, for least and greatest values; within finite time the states of
probability 1 are those that are at the goal already and cannot leave it.)  No number is computed, so that
zeros stay zeros at any precision.

Under the adjustable semantics a state starts from the best of its pairs, whichever is held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from ctucbvi.exact.lumping import Quotient
from ctucbvi.model import Pair, Semantics


def certain_values(
    quotient: Quotient,
    semantics: Semantics,
    *,
    truncate: bool = False,
    held: Iterable[int] | None = None,
) -> dict[int, Fraction]:
    """The classes whose value is the same at all times by the graph alone, with these values.

    They are those of an optimal policy, or of one that is given by the pairs that it ever has ``held``.
    """
    pairs = quotient.pairs if held is None else tuple(quotient.pairs[i] for i in held)
    committed = semantics is Semantics.COMMITTED
    starts = [pair.start if committed else quotient.terminal[pair.state] for pair in pairs]
    into = _into(pairs, quotient.size)
    found: dict[int, Fraction] = {}
    for c in {Fraction(0), min(starts), max(starts)}:
        if truncate and c > 0:
            continue  # the cap, which is the remaining time, is below it at first
        more = [pair.reward > 0 or start > c for pair, start in zip(pairs, starts, strict=True)]
        less = [pair.reward < 0 or start < c for pair, start in zip(pairs, starts, strict=True)]
        above = _fallen(pairs, quotient.size, into, more, any)
        below = _fallen(pairs, quotient.size, into, less, all if held is None else any)
        found.update((x, c) for x in range(quotient.size) if not above[x] and not below[x])
    return found


def _into(pairs: Sequence[Pair], size: int) -> list[list[int]]:
    """The pairs that may jump into each class."""
    found: list[list[int]] = [[] for _ in range(size)]
    for i, pair in enumerate(pairs):
        if pair.rate:
            for y, _ in pair.to:
                found[y].append(i)
    return found


def _fallen(
    pairs: Sequence[Pair],
    size: int,
    into: list[list[int]],
    bad: list[bool],
    which: Callable[[Iterable[object]], bool],
) -> list[bool]:
    """The classes of which ``any`` or ``all`` pairs are bad, or may lead to such a class."""
    left = [0] * size  # pairs that have to be bad yet
    for pair in pairs:
        left[pair.state] = left[pair.state] + 1 if which is all else 1
    bad, fallen, new = list(bad), [False] * size, [i for i, one in enumerate(bad) if one]
    while new:
        x = pairs[new.pop()].state
        left[x] -= 1
        if left[x] or fallen[x]:
            continue
        fallen[x] = True
        for i in into[x]:
            if not bad[i]:
                bad[i] = True
                new.append(i)
    return fallen
