r"""Policies that are piecewise constant in remaining time.

A policy names an action for every state and every remaining time :math:`t \in [0, H]`.
Its pieces are half open: an action given from :math:`t_i` on holds on
:math:`[t_i, t_{i+1})`, the last one up to and including :math:`H`.  Under the committed
semantics the convention matters at the breakpoints themselves, since the value of a
policy jumps there: a state entered with remaining time exactly :math:`t_i` commits to the
action of the piece that starts at :math:`t_i`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ctucbvi.errors import PolicyError
from ctucbvi.frames import frame
from ctucbvi.model import CTMDP, Number
from ctucbvi.numbers import exact

Rule = tuple[tuple[Fraction, str], ...]  # (from which remaining time, action), increasing, first at 0

_SHOWN = 4  # states in one line


@dataclass(frozen=True)
class Policy:
    """An action for every state of ``model`` and every remaining time in ``[0, H]``."""

    model: CTMDP
    rules: tuple[Rule, ...]  # one per state

    @classmethod
    def of(cls, model: CTMDP, rules: Mapping[str, str | Sequence[tuple[Number, str]]]) -> Policy:
        """Build from ``{state: action}`` or ``{state: [(0, action), ("1/3", other), ...]}``."""
        for state in rules:
            model.state_index(state)
        missing = [x for x in model.states if x not in rules]
        if missing:
            raise PolicyError(f"policy: no action for state {missing[0]!r}; give one for every state")
        return cls(model, tuple(_rule(model, x, rules[x]) for x in model.states))

    def __repr__(self) -> str:
        parts = [
            f"{x}: {', '.join(a for _, a in rule)}"
            for x, rule in zip(self.model.states, self.rules, strict=True)
        ]
        more = "; ..." if len(parts) > _SHOWN else ""
        return f"Policy({self.model.name!r}, {'; '.join(parts[:_SHOWN])}{more})"

    def to_frame(self) -> Any:
        """A pandas table: state, start, end, action."""
        return frame(
            {"state": state, "start": float(start), "end": float(end), "action": action}
            for state, rule in zip(self.model.states, self.rules, strict=True)
            for (start, action), end in zip(
                rule, [*(t for t, _ in rule[1:]), self.model.horizon], strict=True
            )
        )

    def action(self, state: str, t: Number) -> str:
        """The action at remaining time ``t``."""
        rule = self.rules[self.model.state_index(state)]
        time = self.model.remaining(t)
        return rule[bisect_right([start for start, _ in rule], time) - 1][1]

    @property
    def breakpoints(self) -> tuple[Fraction, ...]:
        """The times strictly inside ``(0, H)`` at which the action of some state changes."""
        return tuple(sorted({start for rule in self.rules for start, _ in rule if start > 0}))


def _rule(model: CTMDP, state: str, given: str | Sequence[tuple[Number, str]]) -> Rule:
    where = f"policy of state {state!r}"
    pieces: Sequence[tuple[Number, str]] = [(0, given)] if isinstance(given, str) else given
    rule: list[tuple[Fraction, str]] = []
    for start, action in pieces:
        time = exact(start, f"{where}: time")
        if action not in model.actions_of(state):
            raise PolicyError(
                f"{where}: {action!r} is not on offer; choose from: {', '.join(model.actions_of(state))}"
            )
        if rule and time <= rule[-1][0]:
            raise PolicyError(f"{where}: times must increase, but {time} follows {rule[-1][0]}")
        if time >= model.horizon:
            raise PolicyError(f"{where}: time {time} is not below the horizon {model.horizon}")
        if not rule or rule[-1][1] != action:
            rule.append((time, action))
    if not rule or rule[0][0] != 0:
        raise PolicyError(f"{where}: the first piece must start at remaining time 0")
    return tuple(rule)
