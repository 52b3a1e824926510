r"""Hypothesis strategies for models, policies and times.

Everything is built valid; nothing is filtered.  A probability row is a tuple of integer
counts, at least one of them positive, divided by its sum.  Rates are drawn relative to the
horizon: the draw :math:`w(x,a) \le` ``max_load`` is the expected number of jumps in
:math:`[0,H]` and the rate is :math:`w/H`, so that :math:`\lambda_{\max} H \le` ``max_load`` at
every horizon.

The corners are drawn on purpose, because chance would not find them: rates :math:`10^6`
apart, rates that differ by :math:`10^{-9}`, equal rates, rates of 0, self-loops, actions
that tie exactly, equal rewards, states that offer fewer actions, horizons from
:math:`10^{-6}` to :math:`10^3`.

Examples shrink towards one state, one action, rate 1 and horizon 1.  Hypothesis prefers
whatever takes fewer choices, so every number is *one* choice from a pool whose first entry is
the simplest, and a pattern (all rates equal, say) overrides numbers that are drawn all the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from hypothesis import strategies as st

from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP, Initial, Objective, Transition
from ctucbvi.policy import Policy

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

Rewards = Literal["any", "nonnegative", "unit"]

SHORTEST_HORIZON, LONGEST_HORIZON = Fraction(1, 10**6), Fraction(1000)
_NANO, _MICRO = Fraction(1, 10**9), Fraction(1, 10**6)
_COUNTS = st.sampled_from((0, 0, 0, 0, 1, 1, 2, 3, 6))  # rows of real models are sparse
# What a row of a model is, simplest first (see _row): of all kinds in most models, moving in some.
_MIXED = st.sampled_from(("plain", "plain", "plain", "kept", "stays", "moves", "tied"))
_MOVING = st.sampled_from(("moves", "moves", "tied"))
_KINDS = st.sampled_from((_MIXED, _MIXED, _MIXED, _MOVING))
# How the rates of a model, or its rewards, hang together; see _patterned.
_PATTERNS = st.sampled_from(("free", "free", "free", "equal", "near", "apart", "zero"))


def _shares(largest: int) -> tuple[Fraction, ...]:
    """List the fractions ``p/q`` with ``p, q <= largest``, each once, the simplest first."""
    found = {Fraction(p, q) for p in range(1, largest + 1) for q in range(1, largest + 1)}
    return tuple(sorted(found, key=lambda share: (share.denominator, share.numerator)))


_SHARES = _shares(12)
_ENDS = (Fraction(0), Fraction(1))
_TIMES = (*_ENDS, *(share for share in _shares(20) if share < 1), *_ENDS * 8)  # as shares of the horizon


@cache
def horizons() -> SearchStrategy[Fraction]:
    """Horizons from ``10**-6`` to ``1000``; 1 is the simplest."""
    powers = tuple(Fraction(10) ** k for k in (-6, -5, -4, -3, -2, 2, 3))
    return st.sampled_from(_SHARES + powers * 8 + (Fraction(500), Fraction(999)))


@cache
def rates(largest: Fraction | int = 10) -> SearchStrategy[Fraction]:
    """Rates from 0 to ``largest``; 1 is the simplest, or ``largest`` where that is less.

    Among them 0, rates within a few ``10**-9`` of each other, and rates ``10**6`` times smaller.
    """
    top = Fraction(largest)
    if top <= 0:
        raise InputError(f"rates: the largest is {top}; write a number above 0")
    middle = min(Fraction(1), top / 2)  # so that the corners are not cut off by a small bound
    special = (Fraction(0), Fraction(0), middle * (1 - _NANO), middle * (1 + _NANO), middle * _MICRO, top)
    return st.sampled_from(tuple(min(share, top) for share in _SHARES) + special * 6)


@cache
def reward_rates(rewards: Rewards = "any") -> SearchStrategy[Fraction]:
    """Rewards of either sign, of at least 0, or in ``[0, 1]`` (``"unit"``); 0 is the simplest."""
    if rewards not in ("any", "nonnegative", "unit"):
        raise InputError(f"rewards: {rewards!r} is unknown; write 'any', 'nonnegative' or 'unit'")
    pool = (Fraction(0), Fraction(1), *_SHARES, 1 - _NANO, 1 - 2 * _NANO, _NANO)
    if rewards == "unit":
        return st.sampled_from(tuple(reward for reward in pool if reward <= 1))
    if rewards == "nonnegative":
        return st.sampled_from(pool)
    return st.sampled_from(pool + tuple(-reward for reward in pool[1:]))


@cache
def probability_rows(size: int) -> SearchStrategy[tuple[Fraction, ...]]:
    """Rows of ``size`` probabilities that sum to exactly 1; ``(1, 0, ..., 0)`` is the simplest."""
    if size < 1:
        raise InputError(f"probability_rows: size is {size}; write at least 1")
    return st.builds(_normalised, st.integers(0, size - 1), st.tuples(*(_COUNTS for _ in range(size))))


def _normalised(sure: int, drawn: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Divide by the sum, which is positive whatever was drawn, since entry ``sure`` gets one more."""
    counts = [count + (y == sure) for y, count in enumerate(drawn)]
    return tuple(Fraction(count, sum(counts)) for count in counts)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A transition as drawn, before the patterns."""

    state: str
    action: str
    load: Fraction
    reward: Fraction
    kind: str
    jump: tuple[Fraction, ...]


def _patterned(pattern: str, numbers: list[Fraction]) -> list[Fraction]:
    """Make the numbers equal, nearly equal, ``10**6`` apart or zero; none becomes larger than the first."""
    first = numbers[0]
    if pattern == "zero":
        return [Fraction(0) for _ in numbers]
    if pattern == "equal":
        return [first for _ in numbers]
    if pattern == "near":
        return [first * (1 - i * _NANO) for i in range(len(numbers))]
    if pattern == "apart":
        return [first * (_MICRO if i % 2 else 1) for i in range(len(numbers))]
    return numbers


def _elsewhere(jump: tuple[Fraction, ...], own: int) -> tuple[Fraction, ...]:
    """Take the self-loop out of a row; a row that is nothing else goes to the next state."""
    rest = [Fraction(0) if y == own else p for y, p in enumerate(jump)]
    if not any(rest):
        rest[(own + 1) % len(rest)] = Fraction(1)
    return tuple(p / sum(rest) for p in rest)


def _row(draft: _Draft, load: Fraction, reward: Fraction, states: tuple[str, ...]) -> Transition:
    """Build the transition, with the load in place of the rate.

    ``stays``: it jumps back for sure.  ``moves``: it does not jump back, if there is another
    state.  ``kept``: it has probabilities even if its rate is 0, where they mean nothing.
    """
    jump = draft.jump
    if draft.kind == "stays":
        jump = tuple(Fraction(y == draft.state) for y in states)
    if draft.kind == "moves":
        jump = _elsewhere(jump, states.index(draft.state))
    if load == 0 and draft.kind != "kept":
        jump = tuple(Fraction(0) for _ in states)
    to = tuple((y, p) for y, p in zip(states, jump, strict=True) if p > 0)
    return Transition(draft.state, draft.action, load, reward, to)


@cache  # a strategy that is new has to be looked through before the first draw
@st.composite
def _transitions(
    draw: DrawFn, states: tuple[str, ...], actions: tuple[str, ...], rewards: Rewards, max_load: Fraction
) -> tuple[Transition, ...]:
    """Draw the transitions, with loads in place of rates."""
    loads_of, rewards_of, jumps_of = rates(max_load), reward_rates(rewards), probability_rows(len(states))
    offers = st.integers(1, 2 ** len(actions) - 1)  # a non-empty set of actions, as bits
    kinds = draw(_KINDS)
    drafts = [
        _Draft(state, action, draw(loads_of), draw(rewards_of), draw(kinds), draw(jumps_of))
        for state in states
        for bits in (draw(offers),)
        for j, action in enumerate(actions)
        if bits >> j & 1
    ]
    loads = _patterned(draw(_PATTERNS), [draft.load for draft in drafts])
    earned = _patterned(draw(_PATTERNS), [draft.reward for draft in drafts])
    rows: list[Transition] = []
    for draft, load, reward in zip(drafts, loads, earned, strict=True):
        if draft.kind == "tied" and rows and rows[-1].state == draft.state:
            rows.append(replace(rows[-1], action=draft.action))
        else:
            rows.append(_row(draft, load, reward, states))
    return tuple(rows)


@st.composite
def models(
    draw: DrawFn,
    *,
    max_states: int = 4,
    max_actions: int = 3,
    rewards: Rewards = "any",
    terminal: bool = True,
    max_load: Fraction | int = 10,
    lumps: bool = False,
    choices: bool = False,
    ends: bool = False,
    starts: bool = False,
    objectives: tuple[str, ...] = ("max",),
) -> CTMDP:
    """Draw valid models with ``max_rate * horizon <= max_load``.

    ``rewards`` bounds the rewards and the terminal rewards; ``terminal=False`` leaves the
    latter 0.  ``lumps=True`` draws lumps at jumps besides, ``choices=True`` rewards for choosing,
    ``ends=True`` terminal rewards of actions, ``starts=True`` several initial states,
    ``objectives=("max", "min")`` costs, too.
    """
    if max_states < 1 or max_actions < 1:
        raise InputError(f"models: {max_states} states and {max_actions} actions; write at least 1 of each")
    load = Fraction(max_load)
    states = tuple(f"s{i}" for i in range(draw(st.integers(1, max_states))))
    actions = tuple(f"a{i}" for i in range(draw(st.integers(1, max_actions))))
    horizon = draw(horizons())
    loads = draw(_transitions(states, actions, rewards, load))
    last = tuple(draw(reward_rates(rewards)) if terminal else Fraction(0) for _ in states)
    rows = tuple(replace(row, rate=row.rate / horizon) for row in loads)
    rows = tuple(draw(_paid(row, rewards)) for row in rows) if lumps else rows
    rows = tuple(draw(_chosen(row, rewards, choices, ends)) for row in rows) if choices or ends else rows
    initial: Initial = draw(st.sampled_from(states))
    if starts:
        initial = tuple((x, p) for x, p in zip(states, draw(probability_rows(len(states))), strict=True) if p)
    return CTMDP(
        name="drawn",
        states=states,
        actions=actions,
        horizon=horizon,
        initial=initial,
        transitions=rows,
        terminal=last if draw(st.booleans()) else tuple(Fraction(0) for _ in states),
        objective=Objective(draw(st.sampled_from(objectives)) if len(objectives) > 1 else objectives[0]),
    )


@st.composite
def _paid(draw: DrawFn, row: Transition, rewards: Rewards) -> Transition:
    """The transition with a lump at each of its jumps; 0 for many of them."""
    lumps = st.sampled_from((Fraction(0),)) | reward_rates(rewards)
    paid = tuple((y, c) for y, _ in row.to if row.rate and (c := draw(lumps)))
    return replace(row, lump=paid)


@st.composite
def _chosen(draw: DrawFn, row: Transition, rewards: Rewards, choices: bool, ends: bool) -> Transition:
    """The transition with a reward for choosing it, or at the end; many have none."""
    paid = draw(st.sampled_from((Fraction(0),)) | reward_rates(rewards)) if choices else Fraction(0)
    last = draw(st.none() | reward_rates(rewards)) if ends else None
    return replace(row, choice=paid, terminal=last)


@st.composite
def policies(draw: DrawFn, model: CTMDP, *, max_pieces: int = 4) -> Policy:
    """Policies of ``model`` that are constant between rational breakpoints; one piece is the simplest."""
    if max_pieces < 1:
        raise InputError(f"policies: max_pieces is {max_pieces}; write at least 1")
    rules: dict[str, list[tuple[Fraction, str]]] = {}
    for state in model.states:
        # Positive gaps give increasing breakpoints below the horizon, without a rejected draw.
        gaps = draw(st.lists(st.integers(1, 9), min_size=1, max_size=max_pieces))
        starts = [0, *accumulate(gaps)][:-1]
        action = st.sampled_from(model.actions_of(state))
        rules[state] = [(model.horizon * Fraction(start, sum(gaps)), draw(action)) for start in starts]
    return Policy.of(model, rules)


def times(model: CTMDP) -> SearchStrategy[Fraction]:
    """Remaining times in ``[0, H]``, both ends among them; 0 is the simplest."""
    return st.sampled_from(_TIMES).map(model.horizon.__mul__)


# --- corners that are always there ---------------------------------------------------------

_Row = tuple[str, str, str, str, dict[str, str]]  # state, action, rate, reward, jump probabilities


def _model(name: str, horizon: str, *rows: _Row, terminal: dict[str, str] | None = None) -> CTMDP:
    return CTMDP.of(
        name,
        horizon=horizon,
        terminal=terminal,
        transitions=[Transition.of(x, a, rate=rate, reward=r, to=to) for x, a, rate, r, to in rows],
    )


def corner_models() -> dict[str, CTMDP]:
    """Return hand-made corner models by name."""
    to_x, to_y = {"x": "1"}, {"y": "1"}
    back: _Row = ("y", "a", "1", "0", to_x)
    found = (
        _model("one-state", "1", ("x", "a", "1", "1", to_x)),
        _model("one-action", "2", ("x", "a", "3", "1", to_y), ("y", "a", "2", "-1", to_x)),
        _model(
            "all-rates-zero",
            "3",
            ("x", "a", "0", "1", {}),
            ("x", "b", "0", "2", {}),
            ("y", "a", "0", "-1", {}),
            terminal={"x": "1/2", "y": "5"},
        ),
        _model("equal-actions", "1", ("x", "a", "2", "1", to_y), ("x", "b", "2", "1", to_y), back),
        _model(
            "nearly-equal-rates", "1", ("x", "a", "1", "1", to_y), ("x", "b", "1.000000001", "1", to_y), back
        ),
        _model("rates-far-apart", "1", ("x", "a", "10", "1", to_y), ("x", "b", "1e-5", "1/2", to_y), back),
        _model("self-loop-only", "2", ("x", "a", "5", "1", to_x), ("x", "b", "1", "1", to_x)),
        _model(
            # V(t) = t - λ t²/2 + ...: the two actions differ only in the second order of t.
            "touching-at-zero",
            "2",
            ("x", "a", "3", "1", to_y),
            ("x", "b", "1", "1", to_y),
            ("y", "a", "0", "0", {}),
        ),
        _model(
            "huge-horizon",
            "1000",
            ("x", "a", "1/100", "1", to_y),
            ("x", "b", "1/50", "2", to_y),
            ("y", "a", "1/100", "0", to_x),
        ),
        _model("tiny-horizon", "1e-6", ("x", "a", "1e6", "1", to_y), ("x", "b", "1", "1/2", to_y), back),
        _model(
            "partial-self-loops",
            "2",
            ("x", "a", "3", "1", {"x": "1/2", "y": "1/2"}),
            ("x", "b", "4", "4/3", {"x": "1/3", "y": "2/3"}),
            ("y", "a", "2", "0", {"y": "9/10", "x": "1/10"}),
        ),
        _model("state-dependent-actions", "1", ("x", "a", "1", "1", to_y), ("y", "b", "2", "0", to_x)),
    )
    return {model.name: model for model in found}
