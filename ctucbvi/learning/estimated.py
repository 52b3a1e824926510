r"""The model that a learner plans with, and the layers that make value iteration a planning problem.

**The estimated model** has the rates :math:`\hat\lambda_k`, the jump probabilities :math:`\hat p_k` and
the rewards :math:`r + b^k`.  Rows of :math:`\hat p_k` that do not add up to 1 (the empty row of a pair
that was never left, where :math:`\hat\lambda_k > 0` because :math:`\lambda_{\min}` is known) lead to
:data:`NOWHERE` with what is missing: an absorbing state that earns nothing.

**Layers.**  The iterates of ``alg:VI`` satisfy :math:`V_{j} = \min\{t, \max_a \mathcal T^a V_{j-1}\}`,
:math:`V_0 = 0`.  Give a state a level: :math:`(x, j)` has the actions of :math:`x` and jumps to level
:math:`j - 1`, and level 0 is nowhere.  This is a model like any other, and its committed value with
truncation is :math:`V(x,j;t) = V_j(x,t)`, no more a limit: planners that solve a model at once solve
all iterates at once.  The best action of :math:`(x, n+1)` is the policy of ``eq:pi-k`` after
:math:`n` iterations, since :math:`Q` of level :math:`n+1` is :math:`\mathcal T^a V_n`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ctucbvi.model import CTMDP, Transition

if TYPE_CHECKING:
    from ctucbvi.learning.settings import Settings
    from ctucbvi.learning.statistics import Statistics

NOWHERE = "(nowhere)"  # no name of a state: of a model's own states one may be called so all the same


def estimated_model(
    statistics: Statistics,
    settings: Settings,
    bonus: Sequence[Fraction],
    rates: Sequence[Fraction] | None = None,
) -> CTMDP:
    """The model of the estimates, with the rewards raised by ``bonus``; states keep their positions."""
    model = statistics.model
    nowhere = _free_name(NOWHERE, model.states)
    known = statistics.rates(settings) if rates is None else rates
    rows = []
    for k, row in enumerate(model.transitions):
        to = {y: p for y, p in zip(model.states, statistics.probability(k), strict=True) if p}
        missing = 1 - sum(to.values(), Fraction(0))
        if missing:
            to[nowhere] = missing
        law = tuple(to.items()) if known[k] else ()
        rows.append(Transition(row.state, row.action, known[k], row.reward + bonus[k], law))
    lost = any(y == nowhere for row in rows for y, _ in row.to)
    if lost:
        rows.append(Transition(nowhere, model.actions[0], Fraction(0), Fraction(0), ()))
    states = (*model.states, nowhere) if lost else model.states
    return CTMDP(
        f"{model.name}, estimated", states, model.actions, model.horizon, model.initial, tuple(rows),
        (Fraction(0),) * len(states),
    )  # fmt: skip


def layered(model: CTMDP, levels: int) -> CTMDP:
    """Levels ``levels, ..., 1`` of ``model`` above nowhere: see :func:`layer` for their places."""
    count = len(model.states)
    name = {(x, j): f"{i}.{j}" for i, x in enumerate(model.states) for j in range(1, levels + 1)}
    states = [name[x, j] for j in range(levels, 0, -1) for x in model.states]
    rows = [
        Transition(
            name[row.state, j],
            row.action,
            row.rate,
            row.reward,
            tuple((name[y, j - 1], p) for y, p in row.to)
            if j > 1
            else (((NOWHERE, Fraction(1)),) if row.to else ()),
        )
        for j in range(levels, 0, -1)
        for row in model.transitions
    ]
    rows.append(Transition(NOWHERE, model.actions[0], Fraction(0), Fraction(0), ()))
    return CTMDP(
        f"{model.name}, {levels} levels",
        (*states, NOWHERE),
        model.actions,
        model.horizon,
        states[0],
        tuple(rows),
        (Fraction(0),) * (levels * count + 1),
    )


def layer(model: CTMDP, levels: int, level: int) -> slice:
    """Where the states of ``level`` are in ``layered(model, levels)``; level 0 has none."""
    count = len(model.states)
    return slice((levels - level) * count, (levels - level + 1) * count)


def _free_name(wanted: str, taken: Sequence[str]) -> str:
    while wanted in taken:
        wanted = f"({wanted})"
    return wanted
