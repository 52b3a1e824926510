r"""Lumping: states and actions that cannot differ are made one before anything is computed.

Two states are *equivalent* if they have the same terminal reward and their actions do the
same: to every action of one there is an action of the other with the same rate, the same
reward and, for every class of equivalent states, the same probability of jumping into it.
The coarsest such partition is found by refinement, in exact arithmetic.  Equivalent states
have equal values at all times, under both semantics, and actions that do the same in one
state are exactly tied for ever; so ties of this kind are *proved*, and the planner never
meets them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ctucbvi.model import CTMDP, Pair

Effect = tuple[Fraction, Fraction, tuple[tuple[int, Fraction], ...]]  # rate, reward, jumps by class


@dataclass(frozen=True)
class Quotient:
    """A model with equivalent states and actions made one."""

    model: CTMDP
    class_of: tuple[int, ...]  # the class of each state of the model
    terminal: tuple[Fraction, ...]  # one per class
    pairs: tuple[Pair, ...]  # by class; `action` is the index of the first action that does this
    twins: dict[tuple[int, int], tuple[int, ...]]  # (state, pair) -> the state's actions that do this

    @property
    def size(self) -> int:
        """The number of classes."""
        return len(self.terminal)


def lump(model: CTMDP) -> Quotient:
    """The coarsest quotient of ``model``."""
    class_of = _number(list(model.terminal))
    while True:
        effects = _effects(model, class_of)
        finer = _number(
            [(c, frozenset(e for _, e in acts)) for c, acts in zip(class_of, effects, strict=True)]
        )
        if max(finer) == max(class_of):
            return _quotient(model, tuple(class_of), effects)
        class_of = finer


def unlumped(model: CTMDP) -> Quotient:
    """The model itself, every state and action on its own."""
    twins: dict[tuple[int, int], tuple[int, ...]]
    twins = {(pair.state, i): (pair.action,) for i, pair in enumerate(model.pairs)}
    return Quotient(model, tuple(range(len(model.states))), model.terminal, model.pairs, twins)


def _number(keys: list[object]) -> list[int]:
    """Equal keys get equal numbers, in the order in which they first appear."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _effects(model: CTMDP, class_of: list[int]) -> list[list[tuple[int, Effect]]]:
    """For each state its actions, each with what it does as seen from the classes."""
    effects: list[list[tuple[int, Effect]]] = [[] for _ in model.states]
    for pair in model.pairs:
        jumps: dict[int, Fraction] = {}
        if pair.rate > 0:
            for y, p in pair.to:
                jumps[class_of[y]] = jumps.get(class_of[y], Fraction(0)) + p
        effects[pair.state].append((pair.action, (pair.rate, pair.reward, tuple(sorted(jumps.items())))))
    return effects


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
    terminal = dict(zip(class_of, model.terminal, strict=True))
    return Quotient(model, class_of, tuple(terminal[c] for c in range(len(terminal))), tuple(pairs), twins)
