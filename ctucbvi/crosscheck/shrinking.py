"""Models to try a planner on, and how to make one smaller on which it fails."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from ctucbvi.model import CTMDP, Initial, Transition


def random_models(count: int, seed: int = 0, *, ends: bool = False, choices: bool = False) -> list[CTMDP]:
    """``count`` models of no particular shape; the same for the same seed.

    With ``ends`` every second one has terminal rewards of actions and several initial states; with
    ``choices`` half of these have rewards for choosing, too, which the committed problem alone can have.
    """
    draw, more = random.Random(seed), random.Random(f"more {seed}")
    found = [_random_model(draw, f"random-{seed}-{i + 1}") for i in range(count)]
    if not (ends or choices):
        return found
    return [
        _with_more(more, model, choices and i % 4 == 1) if i % 2 else model for i, model in enumerate(found)
    ]


def _with_more(draw: random.Random, model: CTMDP, choices: bool) -> CTMDP:
    """The model with what an action earns at its beginning and at the end, and several initial states."""
    rows = []
    for row in model.transitions:
        ends = Fraction(draw.randint(-4, 4), 4) if draw.random() < 0.5 else None
        paid = Fraction(draw.randint(-4, 4), 8) if draw.random() < 0.5 else Fraction(0)
        rows.append(replace(row, terminal=ends, choice=paid if choices else Fraction(0)))
    counts = [draw.randint(0, 3) for _ in model.states]
    counts[0] += 1
    start = tuple((x, Fraction(c, sum(counts))) for x, c in zip(model.states, counts, strict=True))
    return replace(model, transitions=tuple(rows), initial=start)


def _random_model(draw: random.Random, name: str) -> CTMDP:
    names = [f"s{i}" for i in range(draw.randint(1, 5))]
    rows = []
    for x in names:
        for a in range(draw.randint(1, 3)):
            counts = [draw.choice((0, 0, 1, 2, 3)) for _ in names]
            counts[draw.randrange(len(names))] += 1
            rows.append(
                Transition.of(
                    x,
                    f"a{a}",
                    rate=Fraction(draw.randint(0, 32), 4),
                    reward=Fraction(draw.randint(-10, 20), 10),
                    to={y: Fraction(c, sum(counts)) for y, c in zip(names, counts, strict=True)},
                )
            )
    terminal = {x: Fraction(draw.randint(-4, 4), 4) for x in names} if draw.random() < 0.5 else None
    horizon = draw.choice((Fraction(1, 3), Fraction(1), Fraction(5, 2)))
    return CTMDP.of(name, horizon=horizon, transitions=rows, terminal=terminal)


def smallest_failure(fails: Callable[[CTMDP], bool], model: CTMDP, *, tries: int = 200) -> CTMDP:
    """A simpler model for which ``fails`` holds as it does for ``model``; ``tries`` calls at most."""
    left = tries
    while left > 0:
        for simpler in _simpler(model):
            left -= 1
            if fails(simpler):
                model = simpler
                break
            if left == 0:
                return model
        else:
            return model
    return model


def _simpler(model: CTMDP) -> Iterator[CTMDP]:
    """Models that are simpler in one respect, the boldest changes first; no chain of them is endless."""
    if len(model.states) > 1:
        for state in model.states:
            yield _without_state(model, state, redirect=False)
            yield _without_state(model, state, redirect=True)
    for row in model.transitions:
        if len(model.actions_of(row.state)) > 1:
            yield _with_rows(model, [other for other in model.transitions if other != row])
    for horizon in _shorter(model):
        yield model.with_horizon(horizon)
    for x, _ in model.start if len(model.start) > 1 else ():
        yield replace(model, initial=x)
    if any(model.terminal):
        yield replace(model, terminal=(Fraction(0),) * len(model.terminal))
    for i, row in enumerate(model.transitions):
        changed = [replace(row, lump=())] if row.lump else []
        changed += [replace(row, terminal=None)] if row.terminal is not None else []
        changed += [
            replace(row, to=((y, Fraction(1)),), lump=tuple(paid for paid in row.lump if paid[0] == y))
            for y, _ in row.to
            if len(row.to) > 1
        ]
        changed += [replace(row, rate=rate, lump=row.lump if rate else ()) for rate in _rounder(row.rate)]
        changed += [replace(row, reward=reward) for reward in _rounder(row.reward)]
        changed += [replace(row, choice=choice) for choice in _rounder(row.choice)]
        changed += [replace(row, terminal=ends) for ends in _rounder(row.terminal or Fraction(0))]
        for new in changed:
            yield _with_rows(model, [*model.transitions[:i], new, *model.transitions[i + 1 :]])
    for i, g in enumerate(model.terminal):
        for new_g in _rounder(g):
            yield replace(model, terminal=(*model.terminal[:i], new_g, *model.terminal[i + 1 :]))


def _with_rows(model: CTMDP, rows: Sequence[Transition]) -> CTMDP:
    offered = {row.action for row in rows}
    return replace(model, transitions=tuple(rows), actions=tuple(a for a in model.actions if a in offered))


def _without_state(model: CTMDP, state: str, *, redirect: bool) -> CTMDP:
    """Drop ``state``; what jumped to it goes to another state, or is shared among the other targets."""
    states = tuple(x for x in model.states if x != state)
    rows = []
    for row in (row for row in model.transitions if row.state != state):
        to = {y: p for y, p in row.to if y != state}
        rest = 1 - sum(to.values(), Fraction(0))
        if row.to and (redirect or not to):
            heir = states[0] if redirect else row.state
            to[heir] = to.get(heir, Fraction(0)) + rest
        total = sum(to.values(), Fraction(0))
        targets = tuple((y, p / total) for y, p in to.items() if p)
        rows.append(replace(row, to=targets, lump=tuple(paid for paid in row.lump if paid[0] in to)))
    offered = {row.action for row in rows}
    return replace(
        model,
        states=states,
        actions=tuple(a for a in model.actions if a in offered),
        initial=_start_without(model, state) or states[0],
        transitions=tuple(rows),
        terminal=tuple(g for x, g in zip(model.states, model.terminal, strict=True) if x != state),
    )


def _start_without(model: CTMDP, state: str) -> Initial:
    """Where an episode begins if not in ``state``; empty if nowhere."""
    kept = [(x, p) for x, p in model.start if x != state]
    return tuple((x, p / sum(q for _, q in kept)) for x, p in kept)


def _shorter(model: CTMDP) -> Iterator[Fraction]:
    """Shorter horizons: rounded down, or half as long while something still happens in it."""
    horizon = model.horizon
    plain = Fraction(horizon.__floor__()) if horizon >= 1 else 1 / Fraction((1 / horizon).__ceil__())
    if plain != horizon:
        yield plain
    if 4 * horizon * max(model.max_rate, Fraction(1)) > 1:
        yield horizon / 2


def _rounder(number: Fraction) -> list[Fraction]:
    """Numbers close to ``number`` that are shorter to write, the shortest first."""
    sign = -1 if number < 0 else 1
    near = [Fraction(0), Fraction(sign), *(number.limit_denominator(d) for d in (1, 2, 10, 100))]

    def length(n: Fraction) -> int:
        return abs(n.numerator) + n.denominator

    return sorted({n for n in near if length(n) < length(number)}, key=length)
