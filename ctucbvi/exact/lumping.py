r"""Lumping: states and actions that cannot differ are made one before anything is computed.

Two states are *equivalent* if their actions do the same: to every action of one there is an action of the
other with the same rate, the same reward, the same terminal reward and, for every class of equivalent
states, the same probability of jumping into it.
The coarsest such partition is found by refinement, in exact arithmetic.  Equivalent states
have equal values at all times, under both semantics, and actions that do the same in one
state are exactly tied for ever; so ties of this kind are *proved*, and the planner never
meets them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple, TypeVar

from ctucbvi.model import CTMDP, Pair

_OFTEN = 1 << 11  # states between two looks at the clock
Item = TypeVar("Item")
Head = tuple[int, ...]  # rate, reward and the value at remaining time 0: numerators and denominators
Effect = tuple[Head, int, tuple[tuple[int, int], ...]]  # head, denominator of the jumps, numerators by class


@dataclass(frozen=True)
class Quotient:
    """A model with equivalent states and actions made one; it does not hold the model."""

    horizon: Fraction
    max_rate: Fraction
    class_of: tuple[int, ...]  # the class of each state of the model
    terminal: tuple[Fraction, ...]  # one per class: of its best action
    pairs: tuple[Pair, ...]  # by class; `action` is the index of the first action that does this
    twins: dict[tuple[int, int], tuple[int, ...]]  # (state, pair) -> the state's actions that do this

    @property
    def size(self) -> int:
        """The number of classes."""
        return len(self.terminal)


def lump(model: CTMDP, check: Callable[[], None] = lambda: None) -> Quotient:
    """The coarsest quotient of ``model``; ``check`` is called now and then, and may raise.

    Where rates, rewards and ends tell all states apart, nothing else is looked at.  Of the others only those
    are looked at that are not alone in their class, and after the first round only those that jump into a
    class which was split.
    """
    if _all_differ(model):
        return unlumped(model)
    acts: list[list[_Act]] = [[] for _ in model.states]
    for pair in watched(model.pairs, check):
        acts[pair.state].append(_Act.of(pair))
    class_of = _number([frozenset(act.head for act in some) for some in acts])
    if max(class_of) + 1 < len(acts):
        class_of = _refined(acts, class_of, check)
    if max(class_of) + 1 == len(acts) and all(len({act.head for act in some}) == len(some) for some in acts):
        return unlumped(model)
    return _quotient(model, tuple(class_of), acts, check)


def watched(items: Iterable[Item], check: Callable[[], None]) -> Iterator[Item]:
    """The same, with a look at the clock now and then."""
    for i, item in enumerate(items):
        if i % _OFTEN == 0:
            check()
        yield item


def _all_differ(model: CTMDP) -> bool:
    """Whether rates tell all states apart, and all actions of a state differ; no says nothing."""
    rates: list[dict[tuple[int, int], list[Pair]]] = [{} for _ in model.states]
    for pair in model.pairs:
        rates[pair.state].setdefault(pair.rate.as_integer_ratio(), []).append(pair)
    if len({frozenset(some) for some in rates}) < len(rates):
        return False
    alike = [some for by_rate in rates for some in by_rate.values() if len(some) > 1]
    # Where an action never jumps, where to does not matter.
    what = [[(_head(p), frozenset(p.to if p.rate else ())) for p in some] for some in alike]
    return all(len(set(some)) == len(some) for some in what)


def _head(pair: Pair) -> Head:
    """What an action does but for its jumps, in whole numbers."""
    return (*pair.rate.as_integer_ratio(), *pair.reward.as_integer_ratio(), *pair.start.as_integer_ratio())


def _refined(acts: list[list[_Act]], class_of: list[int], check: Callable[[], None]) -> list[int]:
    """Classes that are split until the actions of equivalent states do the same."""
    partition = _Partition(class_of)
    together = [x for x in range(len(acts)) if not partition.alone(x)]  # the others stay what they are
    sources: list[list[int]] = [[] for _ in acts]
    for x in watched(together, check):
        for act in acts[x]:
            for y, _ in act.jumps:
                sources[y].append(x)
    seen: list[frozenset[Effect]] = [frozenset()] * len(acts)  # what the actions of each state did last
    dirty = set(together)
    while dirty:
        changed: dict[tuple[int, frozenset[Effect]], list[int]] = {}
        for x in watched(dirty, check):
            effects = frozenset(act.effect(partition.class_of) for act in acts[x])
            if effects != seen[x]:
                seen[x] = effects
                changed.setdefault((partition.class_of[x], effects), []).append(x)
        dirty = {x for y in partition.split(changed) for x in sources[y]}
    return _number(list(partition.class_of))


class _Act(NamedTuple):
    """A pair in whole numbers: those of Fractions are slow to add, to compare and to hash."""

    pair: Pair
    head: Head
    scale: int  # the common denominator of the jumps
    jumps: list[tuple[int, int]]  # targets and numerators; none for an action that never jumps

    @classmethod
    def of(cls, pair: Pair) -> _Act:
        """The numbers of ``pair``."""
        head = _head(pair)
        if not head[0]:
            return cls(pair, head, 1, [])
        parts = [(y, p.numerator, p.denominator) for y, p in pair.to]
        scale = lcm(*[d for _, _, d in parts])
        return cls(pair, head, scale, [(y, n * (scale // d)) for y, n, d in parts])

    def effect(self, class_of: Sequence[int]) -> Effect:
        """What the action does as seen from the classes."""
        total: dict[int, int] = {}
        for y, n in self.jumps:
            c = class_of[y]
            total[c] = total.get(c, 0) + n
        common = gcd(self.scale, *total.values())
        return self.head, self.scale // common, tuple(sorted((c, n // common) for c, n in total.items()))


class _Partition:
    """Classes of states that are split again and again.

    The largest part of a split class keeps its number, so that a state changes its number no more
    often than its class can be halved.
    """

    def __init__(self, class_of: list[int]) -> None:
        self.class_of = class_of
        self._members: list[set[int]] = [set() for _ in range(max(class_of) + 1)]
        for x, c in enumerate(class_of):
            self._members[c].add(x)

    def alone(self, x: int) -> bool:
        """Whether no other state is in its class."""
        return len(self._members[self.class_of[x]]) == 1

    def split(self, changed: Mapping[tuple[int, frozenset[Effect]], list[int]]) -> list[int]:
        """Take the lists in ``changed``, by class and mark, apart; returns the states with a new number."""
        parts: dict[int, list[set[int]]] = {}
        for (c, _), states in changed.items():
            self._members[c].difference_update(states)
            parts.setdefault(c, []).append(set(states))
        moved: list[int] = []
        for c, split_off in parts.items():
            largest, *others = sorted([self._members[c], *split_off], key=len, reverse=True)
            self._members[c] = largest
            for part in filter(None, others):
                for x in part:
                    self.class_of[x] = len(self._members)
                self._members.append(part)
                moved += part
        return moved


def unlumped(model: CTMDP) -> Quotient:
    """The model itself, every state and action on its own."""
    twins: dict[tuple[int, int], tuple[int, ...]]
    twins = {(pair.state, i): (pair.action,) for i, pair in enumerate(model.pairs)}
    states = tuple(range(len(model.states)))
    return Quotient(model.horizon, model.max_rate, states, model.ends, model.pairs, twins)


def _number(keys: Sequence[object]) -> list[int]:
    """Equal keys get equal numbers, in the order in which they first appear."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _quotient(
    model: CTMDP, class_of: tuple[int, ...], acts: list[list[_Act]], check: Callable[[], None]
) -> Quotient:
    pairs: list[Pair] = []
    index: dict[tuple[int, Effect], int] = {}
    twins: dict[tuple[int, int], tuple[int, ...]] = {}
    bare = len(set(class_of)) == len(class_of)  # then classes are states, and jumps stay as they are
    for x, some in enumerate(watched(acts, check)):
        for act in some:
            effect, pair = act.effect(class_of), act.pair
            place = index.setdefault((class_of[x], effect), len(pairs))
            if place == len(pairs):
                _, scale, jumps = effect
                to = pair.to if bare and jumps else tuple((c, Fraction(n, scale)) for c, n in jumps)
                pairs.append(Pair(class_of[x], pair.action, pair.rate, pair.reward, to, pair.start))
            twins[x, place] = (*twins.get((x, place), ()), pair.action)
    by_class = dict(zip(class_of, model.ends, strict=True))
    terminal = tuple(by_class[c] for c in range(len(by_class)))
    return Quotient(model.horizon, model.max_rate, class_of, terminal, tuple(pairs), twins)
