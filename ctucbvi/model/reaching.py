r"""A goal that is reached within the horizon, and what is to be avoided on the way, as terminal rewards.

The probability of :math:`\neg\text{avoid}\ U^{\le H}\ \text{goal}` is the value of a model in which
nothing is earned but at the end, 1 in a goal and 0 elsewhere, and in which goals and states to be avoided are
never left.  An episode that is at a goal has won, one that is at a state to be avoided cannot win any more,
and neither depends on what would have happened next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypedDict

from ctucbvi.errors import ModelError
from ctucbvi.model.rows import Number, Transition, choices

if TYPE_CHECKING:
    from ctucbvi.model.ctmdp import CTMDP

States = str | Iterable[str]  # one, or several
_NOTHING = Fraction(0)


class Asked(TypedDict, total=False):
    """What else a model may be told, and becomes part of its transitions."""

    discount: Number  # as in ctucbvi.discounted
    goal: States
    avoid: States


def reaching(model: CTMDP, goal: States, avoid: States = ()) -> CTMDP:
    """The model whose value is the probability to reach ``goal`` within the horizon.

    With states to ``avoid``, only what comes there without meeting one of them counts.  A model with rewards
    is refused: they are another problem.
    """
    paid = dict(zip(model.states, model.terminal, strict=True))
    rows, ends = reaching_parts(model.states, model.actions, model.transitions, paid, goal, avoid)
    return replace(model, transitions=rows, terminal=tuple(ends.get(x, _NOTHING) for x in model.states))


def reaching_parts(
    states: Sequence[str],
    actions: Sequence[str],
    rows: Iterable[Transition],
    terminal: Mapping[str, Fraction],
    goal: States,
    avoid: States = (),
    discount: Fraction = _NOTHING,
) -> tuple[tuple[Transition, ...], dict[str, Fraction]]:
    """Transitions and terminal rewards of :func:`reaching`; a state that is never left needs none before."""
    goals, avoided = _named(goal, "goal", states), _named(avoid, "avoid", states)
    if not goals:
        what = "what is to be avoided on the way needs one" if avoided else "the list is empty"
        raise ModelError(f"goal: {what}; name at least one state")
    if both := [x for x in goals if x in avoided]:
        raise ModelError(f"avoid: {both[0]!r} is a goal; name it once")
    if discount:
        raise ModelError(
            "discount: a goal asks for a probability, which is not discounted; leave one of them out"
        )
    kept = tuple(rows)
    paid = [x for x, g in terminal.items() if g]
    paid += [row.state for row in kept if row.reward or row.lump or row.choice or row.terminal]
    if paid:
        raise ModelError(
            f"goal: a reward in state {paid[0]!r}, and a goal and rewards are two problems; "
            "write 0, or leave the goal out"
        )
    first: dict[str, str] = {}
    for row in kept:
        first.setdefault(row.state, row.action)
    ended = goals | avoided  # dictionaries, so that the order is that of the lists
    stay = [Transition(x, first.get(x, actions[0]), _NOTHING, _NOTHING, ()) for x in ended]
    return (*(row for row in kept if row.state not in ended), *stay), dict.fromkeys(goals, Fraction(1))


def _named(given: States, what: str, states: Sequence[str]) -> dict[str, None]:
    """The states that are named, in their order."""
    found = dict.fromkeys([given] if isinstance(given, str) else given)
    known = set(states) if found else set()
    for x in found:
        if x not in known:
            raise ModelError(f"{what}: {x!r} is not a state; {choices(states, x)}")
    return found
