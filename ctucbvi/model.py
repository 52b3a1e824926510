r"""The model: a finite-horizon continuous-time Markov decision process, in exact rationals.

In state :math:`x` an action :math:`a` is chosen from those that :math:`x` offers.  The
process stays for an exponential time with rate :math:`\lambda(x,a) \ge 0` (0: for ever),
earns at rate :math:`r(x,a)` meanwhile, and then jumps to :math:`y` with probability
:math:`p(y\mid x,a)`.  A jump back to :math:`x` is a jump: a new decision epoch.  After
time :math:`H` the process stops and earns :math:`g(x)`, the terminal reward (0 unless
given).  ``t`` always means *remaining* time.

One model poses two problems that differ (:class:`Semantics`):

``committed``
    the action is held until the next jump.  The value is the fixed point :math:`V = GV` of

    .. math:: (\mathcal T^a u)(x,t) = r\!\int_0^t\! e^{-\lambda s}ds
              + \int_0^t\! \lambda e^{-\lambda s} \sum_y p(y)\,u(y,t-s)\,ds + e^{-\lambda t} g(x),
              \qquad G = \max_a \mathcal T^a .
``adjustable``
    the action may change at any moment.  The value solves the HJB system

    .. math:: v' = \max_a\bigl[\, r - \lambda v + \lambda \textstyle\sum_y p(y)\,v(y)\bigr],
              \qquad v(\cdot,0) = g .

Raising a rate and adding the self-loop that compensates for it (uniformisation) changes
nothing in the second problem and *changes* the first, where a self-jump is a decision
epoch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from numbers import Rational
from typing import TYPE_CHECKING, Any

from ctucbvi.errors import InputError, ModelError
from ctucbvi.numbers import exact, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

Number = Rational | int | float | str


class Semantics(StrEnum):
    """Which of the two problems is meant; see the module's text."""

    COMMITTED = "committed"
    ADJUSTABLE = "adjustable"

    @classmethod
    def _missing_(cls, value: object) -> Semantics:
        raise InputError(f"semantics {value!r} is unknown; write 'committed' or 'adjustable'")


@dataclass(frozen=True, slots=True)
class Transition:
    """What one action does in one state."""

    state: str
    action: str
    rate: Fraction  # λ(x,a) ≥ 0
    reward: Fraction  # r(x,a)
    to: tuple[tuple[str, Fraction], ...]  # p(·|x,a), positive entries only; () if the rate is 0

    @classmethod
    def of(
        cls,
        state: str,
        action: str,
        *,
        rate: Number,
        reward: Number,
        to: Mapping[str, Number] | None = None,
    ) -> Transition:
        """A transition from numbers of any exact kind: ``Fraction``, ``int``, ``"17/20"``, ``"0.85"``."""
        where = f"transition of state {state!r}, action {action!r}"
        if to is not None and not isinstance(to, Mapping):
            raise ModelError(f"{where}: to is not a mapping; write {{target: probability}}")
        row = {y: exact(p, f"{where}: probability of {y!r}") for y, p in (to or {}).items()}
        return cls(
            state,
            action,
            exact(rate, f"{where}: rate"),
            exact(reward, f"{where}: reward"),
            tuple((y, p) for y, p in row.items() if p != 0),
        )


@dataclass(frozen=True, slots=True)
class Pair:
    """A state–action pair by index, the form the planners compute with."""

    state: int
    action: int
    rate: Fraction
    reward: Fraction
    to: tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class CTMDP:
    """A model.  Immutable, hashable, and valid by construction.

    ``CTMDP.of`` builds one from plain Python numbers, ``CTMDP.from_arrays`` from NumPy
    arrays, :func:`ctucbvi.load_model` from a TOML or JSON file.
    """

    name: str
    states: tuple[str, ...]
    actions: tuple[str, ...]
    horizon: Fraction
    initial: str
    transitions: tuple[Transition, ...]  # sorted by state, then action
    terminal: tuple[Fraction, ...]  # g, one per state
    source: str = field(default="", compare=False)  # where the model comes from
    shows: str = field(default="", compare=False)  # one sentence on what it shows

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ModelError(f"name: {self.name!r} is not a text; write a name")
        _check_names("state", self.states)
        _check_names("action", self.actions)
        if not isinstance(self.horizon, Fraction):
            raise ModelError(f"horizon: {self.horizon!r} is not a fraction; build the model with CTMDP.of")
        if self.horizon <= 0:
            raise ModelError(f"horizon: {shown(self.horizon)} is not positive; write a number above 0")
        if self.initial not in self.states:
            raise ModelError(f"initial: {self.initial!r} is not a state; {choices(self.states)}")
        if len(self.terminal) != len(self.states) or not all(isinstance(g, Fraction) for g in self.terminal):
            raise ModelError("terminal: give one reward per state, as a fraction")
        states = {x: i for i, x in enumerate(self.states)}
        actions = {a: i for i, a in enumerate(self.actions)}
        seen: set[tuple[str, str]] = set()
        for row in self.transitions:
            _check_transition(row, states, actions)
            if (row.state, row.action) in seen:
                raise ModelError(
                    f"transition of state {row.state!r}, action {row.action!r}: given twice; keep one"
                )
            seen.add((row.state, row.action))
        idle = set(self.states) - {state for state, _ in seen}
        if idle:
            first = min(idle, key=lambda x: states[x])
            raise ModelError(
                f"state {first!r} has no actions; add a transition for it (rate 0 if it is absorbing)"
            )
        order = sorted(self.transitions, key=lambda row: (states[row.state], actions[row.action]))
        object.__setattr__(self, "transitions", tuple(order))

    @classmethod
    def of(
        cls,
        name: str,
        *,
        horizon: Number,
        transitions: Iterable[Transition],
        initial: str | None = None,
        states: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        terminal: Mapping[str, Number] | None = None,
        source: str = "",
        shows: str = "",
    ) -> CTMDP:
        """Build a model; states and actions default to the order in which they first appear."""
        rows = tuple(transitions)
        listed = tuple(states if states is not None else dict.fromkeys(row.state for row in rows))
        offered = tuple(actions if actions is not None else dict.fromkeys(row.action for row in rows))
        if not listed:
            raise ModelError("states: none given; a model needs at least one state")
        given = dict(terminal or {})
        for state in given:
            if state not in listed:
                raise ModelError(f"terminal: {state!r} is not a state; {choices(listed)}")
        return cls(
            name=name,
            states=listed,
            actions=offered,
            horizon=exact(horizon, "horizon"),
            initial=listed[0] if initial is None else initial,
            transitions=rows,
            terminal=tuple(exact(given.get(x, 0), f"terminal reward of {x!r}") for x in listed),
            source=source,
            shows=shows,
        )

    @classmethod
    def from_arrays(
        cls,
        rates: ArrayLike,
        rewards: ArrayLike,
        probabilities: ArrayLike,
        *,
        horizon: Number,
        terminal: ArrayLike | None = None,
        available: ArrayLike | None = None,
        initial: int = 0,
        states: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        normalize: bool = False,
        name: str = "arrays",
    ) -> CTMDP:
        """Build a model from arrays ``rates[x,a]``, ``rewards[x,a]``, ``probabilities[x,a,y]``.

        A float means the shortest decimal that prints as it: 0.85 is 17/20, not the
        nearest double.  Rows must then sum to exactly 1; ``normalize=True`` divides each
        row by its exact sum instead.  ``available[x,a]`` is False where ``x`` does not
        offer ``a``.
        """
        import numpy as np  # slow to load, and most models come from files

        lam, rew, prob = np.asarray(rates), np.asarray(rewards), np.asarray(probabilities)
        if lam.ndim != 2 or rew.shape != lam.shape or prob.shape != (*lam.shape, lam.shape[0]):
            raise ModelError(
                f"arrays: rates {lam.shape}, rewards {rew.shape}, probabilities {prob.shape}; "
                "need (S, A), (S, A), (S, A, S)"
            )
        count, width = lam.shape
        if count == 0 or width == 0:
            raise ModelError("arrays: no states or no actions; a model needs at least one of each")
        xs = tuple(states) if states is not None else tuple(f"s{i}" for i in range(count))
        acts = tuple(actions) if actions is not None else tuple(f"a{i}" for i in range(width))
        if len(xs) != count or len(acts) != width:
            raise ModelError(f"arrays: {count} states and {width} actions, but other numbers of names")
        if not isinstance(initial, int) or not 0 <= initial < count:
            raise ModelError(f"initial: {initial!r} is not the index of a state; write 0 to {count - 1}")
        offered = np.ones((count, width), bool) if available is None else np.asarray(available, bool)
        g = np.zeros(count) if terminal is None else np.asarray(terminal)
        if offered.shape != (count, width) or g.shape != (count,):
            raise ModelError(f"arrays: available must have shape {(count, width)}, terminal {(count,)}")
        rows = [
            Transition.of(
                xs[i],
                acts[j],
                rate=_plain(lam[i, j]),
                reward=_plain(rew[i, j]),
                to=_row(prob[i, j], xs, normalize, f"state {xs[i]!r}, action {acts[j]!r}"),
            )
            for i in range(count)
            for j in range(width)
            if offered[i, j]
        ]
        return cls.of(
            name,
            horizon=horizon,
            transitions=rows,
            initial=xs[initial],
            states=xs,
            actions=acts,
            terminal={x: _plain(g[i]) for i, x in enumerate(xs)},
        )

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The state–action pairs by index, in the order of :attr:`transitions`."""
        state = {x: i for i, x in enumerate(self.states)}
        action = {a: i for i, a in enumerate(self.actions)}
        return tuple(
            Pair(state[t.state], action[t.action], t.rate, t.reward, tuple((state[y], p) for y, p in t.to))
            for t in self.transitions
        )

    @cached_property
    def max_rate(self) -> Fraction:
        """λmax, the largest rate in the model."""
        return max(t.rate for t in self.transitions)

    @cached_property
    def max_reward(self) -> Fraction:
        """The largest reward per unit of time, in size."""
        return max(abs(t.reward) for t in self.transitions)

    @cached_property
    def value_scale(self) -> Fraction:
        """An a-priori bound: every value of the model is at most ``H max|r| + max|g|`` in size."""
        return self.horizon * self.max_reward + max(map(abs, self.terminal))

    def actions_of(self, state: str) -> tuple[str, ...]:
        """The actions that ``state`` offers."""
        return self._offers.get(state, ())

    def state_index(self, state: str) -> int:
        """The position of ``state``; a clear error for an unknown name."""
        index = self._indices.get(state)
        if index is None:
            raise InputError(f"state {state!r} is not in model {self.name!r}; {choices(self.states)}")
        return index

    def remaining(self, t: Number | None = None, where: str = "") -> Fraction:
        """A remaining time, exactly, the whole horizon if none is given; a clear error outside [0, H]."""
        time = self.horizon if t is None else exact(t, f"{where}remaining time")
        if not 0 <= time <= self.horizon:
            raise InputError(f"{where}remaining time {shown(time)} is outside [0, {shown(self.horizon)}]")
        return time

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {x: i for i, x in enumerate(self.states)}

    @cached_property
    def _offers(self) -> dict[str, tuple[str, ...]]:
        offers: dict[str, list[str]] = {x: [] for x in self.states}
        for t in self.transitions:
            offers[t.state].append(t.action)
        return {x: tuple(actions) for x, actions in offers.items()}

    def with_horizon(self, horizon: Number) -> CTMDP:
        """The same model with another horizon."""
        return replace(self, horizon=exact(horizon, "horizon"))

    def with_rewards(self, scale: Number = 1, shift: Number = 0) -> CTMDP:
        """Rewards ``scale * r + shift`` and terminal rewards ``scale * g``.

        With a positive scale the optimal policy stays what it was and the value becomes
        ``scale * V + shift * t``.
        """
        c, d = exact(scale, "scale"), exact(shift, "shift")
        rows = tuple(replace(t, reward=c * t.reward + d) for t in self.transitions)
        return replace(self, transitions=rows, terminal=tuple(c * g for g in self.terminal))


def _plain(cell: Any) -> Number:
    """An array's entry as a plain Python number."""
    number: Number = cell.item() if hasattr(cell, "item") else cell
    return number


def _row(row: np.ndarray, states: Sequence[str], normalize: bool, where: str) -> dict[str, Fraction]:
    """One row of an array of probabilities, exactly; divided by its sum where that is asked for."""
    numbers = {
        y: exact(_plain(p), f"probability of {y!r} at {where}") for y, p in zip(states, row, strict=True)
    }
    total = sum(numbers.values(), Fraction(0))
    if normalize and total > 0:
        return {y: p / total for y, p in numbers.items()}
    if total != 1 and abs(total - 1) < Fraction(1, 10**9):
        raise ModelError(
            f"{where}: probabilities sum to {float(total)!r}, not exactly 1; pass normalize=True or fractions"
        )
    return numbers


def _check_names(kind: str, names: tuple[str, ...]) -> None:
    if not names:
        raise ModelError(f"{kind}s: none given; a model needs at least one {kind}")
    seen: set[str] = set()
    for i, name in enumerate(names):
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise ModelError(f"{kind}s: entry {i + 1} is {name!r}; write a non-empty printable name")
        if name in seen:
            raise ModelError(f"{kind}s: {name!r} is listed twice; names must differ")
        seen.add(name)


def choices(names: Iterable[str]) -> str:
    """What to write instead of a name that is none of these."""
    listed = [name if name.isprintable() else repr(name) for name in names]
    return "choose from: " + ", ".join(listed[:8]) + (", ..." if len(listed) > 8 else "")


def _check_transition(row: Transition, states: Mapping[str, int], actions: Mapping[str, int]) -> None:
    where = f"transition of state {row.state!r}, action {row.action!r}"
    if row.state not in states:
        raise ModelError(f"{where}: {row.state!r} is not a state; {choices(states)}")
    if row.action not in actions:
        raise ModelError(f"{where}: {row.action!r} is not an action; {choices(actions)}")
    if not all(isinstance(n, Fraction) for n in (row.rate, row.reward, *(p for _, p in row.to))):
        raise ModelError(f"{where}: its numbers are not all fractions; build it with Transition.of")
    if row.rate < 0:
        raise ModelError(f"{where}: rate {shown(row.rate)} is negative; write 0 or more")
    for y, p in row.to:
        if y not in states:
            raise ModelError(f"{where}: jumps to {y!r}, which is not a state; {choices(states)}")
        if p < 0:
            raise ModelError(f"{where}: probability of {y!r} is {shown(p)}; write a number from 0 to 1")
        if p == 0:
            raise ModelError(f"{where}: probability of {y!r} is 0; leave it out")
    if len({y for y, _ in row.to}) != len(row.to):
        raise ModelError(f"{where}: a target state is listed twice; add the probabilities up")
    total = sum((p for _, p in row.to), Fraction(0))
    if total != 1 and (row.rate > 0 or row.to):
        raise ModelError(f"{where}: probabilities sum to {shown(total)}, not exactly 1; correct one of them")
