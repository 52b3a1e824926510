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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ctucbvi.model import CTMDP, Pair

# Rate, reward, jumps by class, and the value at remaining time 0.
Effect = tuple[Fraction, Fraction, tuple[tuple[int, Fraction], ...], Fraction]


@dataclass(frozen=True)
class Quotient:
    """A model with equivalent states and actions made one."""

    model: CTMDP
    class_of: tuple[int, ...]  # the class of each state of the model
    terminal: tuple[Fraction, ...]  # one per class: of its best action
    pairs: tuple[Pair, ...]  # by class; `action` is the index of the first action that does this
    twins: dict[tuple[int, int], tuple[int, ...]]  # (state, pair) -> the state's actions that do this

    @property
    def size(self) -> int:
        """The number of classes."""
        return len(self.terminal)

    @cached_property
    def idle(self) -> frozenset[int]:
        """The classes from which no reward can be reached: whatever is done, their value is exactly 0."""
        earning = {pair.state for pair in self.pairs if pair.reward != 0 or pair.start != 0}
        sources: dict[int, set[int]] = {}
        for pair in self.pairs:
            for y, _ in pair.to if pair.rate > 0 else ():
                sources.setdefault(y, set()).add(pair.state)
        new = list(earning)
        while new:
            fresh = sources.get(new.pop(), set()) - earning
            earning |= fresh
            new += fresh
        return frozenset(range(self.size)) - earning


def lump(model: CTMDP) -> Quotient:
    """The coarsest quotient of ``model``.

    After the first round only states that jump into a class which was split are looked at again.
    """
    partition = _Partition(_number(list(model.ends)))
    sources: list[list[int]] = [[] for _ in model.states]
    pairs: list[list[Pair]] = [[] for _ in model.states]
    for pair in model.pairs:
        pairs[pair.state].append(pair)
        for y, _ in pair.to if pair.rate > 0 else ():
            sources[y].append(pair.state)
    seen: list[frozenset[Effect]] = [frozenset()] * len(pairs)  # what the actions of each state did last
    dirty = set(range(len(pairs)))
    while dirty:
        changed: dict[tuple[int, frozenset[Effect]], list[int]] = {}
        for x in dirty:
            effects = frozenset(_effect(pair, partition.class_of) for pair in pairs[x])
            if effects != seen[x]:
                seen[x] = effects
                changed.setdefault((partition.class_of[x], effects), []).append(x)
        dirty = {x for y in partition.split(changed) for x in sources[y]}
    class_of = _number(list(partition.class_of))
    effects_of = [[(pair.action, _effect(pair, class_of)) for pair in acts] for acts in pairs]
    return _quotient(model, tuple(class_of), effects_of)


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
    return Quotient(model, tuple(range(len(model.states))), model.ends, model.pairs, twins)


def _number(keys: list[object]) -> list[int]:
    """Equal keys get equal numbers, in the order in which they first appear."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _effect(pair: Pair, class_of: Sequence[int]) -> Effect:
    """What an action does as seen from the classes."""
    jumps: dict[int, Fraction] = {}
    if pair.rate > 0:
        for y, p in pair.to:
            jumps[class_of[y]] = jumps.get(class_of[y], Fraction(0)) + p
    return pair.rate, pair.reward, tuple(sorted(jumps.items())), pair.start


def _quotient(model: CTMDP, class_of: tuple[int, ...], effects: list[list[tuple[int, Effect]]]) -> Quotient:
    pairs: list[Pair] = []
    index: dict[tuple[int, Effect], int] = {}
    twins: dict[tuple[int, int], tuple[int, ...]] = {}
    for x, acts in enumerate(effects):
        for action, effect in acts:
            key = (class_of[x], effect)
            if key not in index:
                index[key] = len(pairs)
                pairs.append(Pair(class_of[x], action, *effect))
            twins[x, index[key]] = (*twins.get((x, index[key]), ()), action)
    terminal = dict(zip(class_of, model.ends, strict=True))
    return Quotient(model, class_of, tuple(terminal[c] for c in range(len(terminal))), tuple(pairs), twins)
