"""The model itself, valid by construction; its mathematics is the text of :mod:`ctucbvi.model`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from ctucbvi.errors import InputError, ModelError
from ctucbvi.frames import frame as table
from ctucbvi.model.rationals import Reader
from ctucbvi.model.rows import Number, Pair, Transition, check_row, choices
from ctucbvi.model.views import digest, html, line
from ctucbvi.numbers import exact, shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ctucbvi.enclosure import Enclosure
    from ctucbvi.model.arrays import ArrayOptions, TableOptions
    from ctucbvi.model.sparse import Sparse

Signed = TypeVar("Signed", Fraction, float, "Enclosure")


class Semantics(StrEnum):
    """Which of the two problems is meant; see the module's text."""

    COMMITTED = "committed"
    ADJUSTABLE = "adjustable"

    @classmethod
    def _missing_(cls, value: object) -> Semantics:
        raise InputError(f"semantics {value!r} is unknown; write 'committed' or 'adjustable'")


class Objective(StrEnum):
    """Whether rewards are to be as large as possible, or costs as small."""

    MAX = "max"
    MIN = "min"

    @classmethod
    def _missing_(cls, value: object) -> Objective:
        short = repr(value) if len(repr(value)) <= 40 else repr(value)[:37] + "..."
        raise ModelError(f"objective: {short} is unknown; write 'max' or 'min'")

    def turned(self, number: Signed) -> Signed:
        """``number``, or minus it if costs are minimised: from a model to its plain form and back."""
        return number if self is Objective.MAX else -number


@dataclass(frozen=True)
class CTMDP:
    """A model.  Immutable, hashable, and valid by construction.

    ``CTMDP.of`` builds one from plain Python numbers, ``from_arrays``, ``from_generator`` and
    ``from_frame`` from NumPy arrays and tables, :func:`ctucbvi.load_model` from a TOML or JSON file.
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
    objective: Objective = Objective.MAX

    def __post_init__(self) -> None:
        self._check_head()
        self._check_rows()

    def _check_head(self) -> None:
        """Refuse everything but transitions that cannot be those of a model."""
        if not isinstance(self.name, str):
            raise ModelError(f"name: {self.name!r} is not a text; write a name")
        object.__setattr__(self, "objective", Objective(self.objective))
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

    def _check_rows(self) -> None:
        """Refuse transitions that cannot be those of a model, and sort the others."""
        states, actions = self._indices, {a: i for i, a in enumerate(self.actions)}
        places: dict[int, Transition] = {}
        for row in self.transitions:
            check_row(row, states, actions)
            place = states[row.state] * len(actions) + actions[row.action]
            if place in places:
                raise ModelError(
                    f"transition of state {row.state!r}, action {row.action!r}: given twice; keep one"
                )
            places[place] = row
        idle = len(states) - len({place // len(actions) for place in places})
        if idle:
            first = next(x for x in self.states if all(row.state != x for row in self.transitions))
            raise ModelError(
                f"state {first!r} has no actions; add a transition for it (rate 0 if it is absorbing)"
            )
        object.__setattr__(self, "transitions", tuple([places[place] for place in sorted(places)]))

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
        objective: str = Objective.MAX,
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
                raise ModelError(f"terminal: {state!r} is not a state; {choices(listed, state)}")
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
            objective=Objective(objective),
        )

    @classmethod
    def from_arrays(
        cls,
        rates: ArrayLike,
        rewards: ArrayLike,
        probabilities: ArrayLike,
        *,
        horizon: Number,
        lumps: ArrayLike | None = None,
        available: ArrayLike | None = None,
        normalize: bool = False,
        rationalize: Number | None = None,
        **options: Unpack[ArrayOptions],
    ) -> CTMDP:
        """Build a model from arrays ``rates[x,a]``, ``rewards[x,a]``, ``probabilities[x,a,y]``.

        A float means the shortest decimal that prints as it: 0.85 is 17/20, not the nearest double.
        Rows must then sum to exactly 1; ``normalize=True`` divides each row by its exact sum instead.
        With ``rationalize=1e-12`` a float means the simplest fraction within this share of it (a third is
        1/3), rows sum to 1, and no number moves farther (:mod:`ctucbvi.model.rationals`).

        ``lumps[x,a]`` or ``lumps[x,a,y]`` are earned at the jump.  ``available[x,a]`` is False where ``x``
        does not offer ``a``.  Further options: ``terminal[x]``, ``initial`` (an index), ``states``,
        ``actions``, ``name``, ``objective``.
        """
        from ctucbvi.model.arrays import array_rows  # NumPy is slow to load, and most models come from files

        reader = Reader(rationalize, normalize=normalize)
        rows, rest = array_rows(rates, rewards, probabilities, lumps, available, reader, options)
        return cls._told(options, "arrays", horizon=horizon, transitions=rows, **rest)

    @classmethod
    def from_sparse(
        cls,
        pairs: tuple[ArrayLike, ArrayLike],
        rates: ArrayLike,
        rewards: ArrayLike,
        jumps: tuple[ArrayLike, ArrayLike],
        probabilities: ArrayLike,
        *,
        horizon: Number,
        lumps: ArrayLike | None = None,
        normalize: bool = False,
        rationalize: Number | None = None,
        **options: Unpack[ArrayOptions],
    ) -> CTMDP:
        """Build a model from lists: ``pairs`` of states and actions, and ``jumps`` from pairs to states.

        ``pairs = (state, action)`` are indices, with a rate and a reward for each; ``jumps = (pair, target)``
        likewise, ``pair`` being the place in ``pairs``, with a probability (and a lump) for each.  Numbers as
        in :meth:`from_arrays`, or exactly: a tuple ``(numerators, denominators)`` of lists of whole numbers.
        Whole numbers with ``normalize=True`` are weights.  Fractions are made when somebody asks for them,
        which the fast planner does not.  Options as in :meth:`from_arrays`.
        """
        from ctucbvi.model.arrays import sparse_model  # NumPy, as above

        reader = Reader(rationalize, normalize=normalize)
        numbers = rates, rewards, probabilities, lumps
        found, rest = sparse_model(pairs, jumps, numbers, reader, options)
        cls._check_options(options)
        given = {"name": options.get("name", "sparse"), "objective": options.get("objective", Objective.MAX)}
        return cls._lazily(found, horizon=exact(horizon, "horizon"), **given, **rest)

    @classmethod
    def _lazily(cls, found: Sparse, **told: Any) -> CTMDP:
        """A model whose transitions are made of arrays when somebody asks for them."""
        model = object.__new__(cls)
        model.__dict__.update({"source": "", "shows": "", **told, "sparse": found})
        model._check_head()
        return model

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The transitions, when they are asked for first; nothing else is missing."""
            found = self.__dict__.get("sparse")
            if name != "transitions" or found is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            rows = found.transitions(self.states, self.actions)
            self.__dict__["transitions"] = rows
            return rows

    @property
    def _is_lazy(self) -> bool:
        return "transitions" not in self.__dict__

    @cached_property
    def sparse(self) -> Sparse:
        """The pairs and their numbers as flat arrays, exactly."""
        from ctucbvi.model.sparse import Sparse  # NumPy, as above

        return Sparse.of(self)

    @classmethod
    def from_generator(
        cls,
        generators: Mapping[str, ArrayLike] | ArrayLike,
        rewards: ArrayLike,
        *,
        horizon: Number,
        lumps: ArrayLike | None = None,
        available: ArrayLike | None = None,
        rationalize: Number | None = None,
        **options: Unpack[ArrayOptions],
    ) -> CTMDP:
        """Build a model from generators, one for every action: ``{action: Q[x,y]}`` or ``Q[a,x,y]``.

        Off the diagonal stand rates of jumps from x to y; the diagonal is minus their sum, which is checked
        (of doubles: up to rounding, 1e-9 of the rate; it is not used).  ``rewards[x,a]`` as in
        :meth:`from_arrays`, as all else.  A row of NaN is an action that the state does not offer.
        """
        from ctucbvi.model.arrays import generator_rows  # NumPy, as above

        matrices: Any = generators
        if isinstance(generators, Mapping):
            options = {**options, "actions": tuple(generators)}
            matrices = list(generators.values())
        rows, rest = generator_rows(matrices, rewards, lumps, available, Reader(rationalize), options)
        return cls._told(options, "generator", horizon=horizon, transitions=rows, **rest)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        horizon: Number,
        normalize: bool = False,
        rationalize: Number | None = None,
        **options: Unpack[TableOptions],
    ) -> CTMDP:
        """Build a model from a pandas frame with the columns of :meth:`to_frame`, in any order.

        ``to`` and ``probability`` are empty where a pair never jumps; ``lump`` may be missing.  Numbers
        as in :meth:`from_arrays`, options as in :meth:`of`.
        """
        from ctucbvi.model.arrays import table_rows  # NumPy, as above

        if not hasattr(frame, "to_dict"):
            raise ModelError(f"frame: {type(frame).__name__} is not a pandas frame; use from_arrays or of")
        rows = table_rows(frame.to_dict("records"), Reader(rationalize, normalize=normalize))
        named = {key: options.get(key) for key in ("states", "actions", "initial", "terminal")}
        return cls._told(options, "frame", horizon=horizon, transitions=rows, **named)

    @staticmethod
    def _check_options(options: Mapping[str, Any]) -> None:
        known = {"terminal", "initial", "states", "actions", "name", "objective"}
        for key in set(options) - known:
            raise ModelError(f"option {key!r} is unknown; {choices(sorted(known))}")

    @classmethod
    def _told(cls, options: Mapping[str, Any], name: str, **rest: Any) -> CTMDP:
        cls._check_options(options)
        return cls.of(options.get("name", name), objective=options.get("objective", Objective.MAX), **rest)

    def to_frame(self) -> Any:
        """The transitions as a pandas frame: state, action, rate, reward, to, probability, lump.

        One row for every state, action and target; numbers are exact fractions.
        """
        from ctucbvi.model.arrays import COLUMNS, records_of  # NumPy, as above

        return table(records_of(self.transitions), columns=list(COLUMNS), dtype=object)

    def __repr__(self) -> str:
        return line(self)

    @property
    def digest(self) -> str:
        """SHA-256 of all of the model: what is kept about one model is not taken for another's."""
        return digest(self)

    def _repr_html_(self) -> str:
        return html(self)

    # --- the problem that planners solve -------------------------------------------------------

    def plain(self, *, truncate: bool = False) -> CTMDP:
        """The same problem in rewards per unit of time that are to be maximised: what planners solve.

        Lumps become part of the rate (:mod:`ctucbvi.model.rows`, exactly), costs become rewards by their
        sign.  Policies and their order are the same; values are :meth:`Objective.turned`.
        """
        if truncate and self.objective is Objective.MIN:
            raise InputError(
                f"model {self.name!r} minimises costs, and truncation caps rewards to be maximised at the "
                "remaining time; leave it out"
            )
        return self if self.is_plain else self._plain

    @cached_property
    def is_plain(self) -> bool:
        """Whether there are neither lumps nor costs."""
        paid = self.sparse.lump is not None if self._is_lazy else any(row.lump for row in self.transitions)
        return self.objective is Objective.MAX and not paid

    @cached_property
    def _plain(self) -> CTMDP:
        turned = self.objective.turned
        if self._is_lazy and self.sparse.lump is None:  # and costs, or it would be plain
            found = replace(self.sparse, reward=-self.sparse.reward)
            ends = tuple(turned(g) for g in self.terminal)
            return self._again(sparse=found, terminal=ends, objective=Objective.MAX)
        rows = tuple(replace(row, reward=turned(row.gain), lump=()) for row in self.transitions)
        ends = tuple(turned(g) for g in self.terminal)
        return replace(self, transitions=rows, terminal=ends, objective=Objective.MAX)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The state–action pairs by index, in the order of :attr:`transitions`."""
        state = {x: i for i, x in enumerate(self.states)}
        action = {a: i for i, a in enumerate(self.actions)}
        return tuple(
            Pair(state[t.state], action[t.action], t.rate, t.gain, tuple((state[y], p) for y, p in t.to))
            for t in self.transitions
        )

    @cached_property
    def max_rate(self) -> Fraction:
        """λmax, the largest rate in the model."""
        return self.sparse.rate.largest() if self._is_lazy else max(t.rate for t in self.transitions)

    @cached_property
    def max_reward(self) -> Fraction:
        """The largest reward per unit of time, lumps included, in size."""
        if self._is_lazy and self.sparse.lump is None:
            return self.sparse.reward.largest()
        return max(abs(t.gain) for t in self.transitions)

    @cached_property
    def value_scale(self) -> Fraction:
        """An a-priori bound: every value of the model is at most ``H max|r| + max|g|`` in size."""
        return self.horizon * self.max_reward + max(map(abs, self.terminal))

    def actions_of(self, state: str) -> tuple[str, ...]:
        """The actions that ``state`` offers."""
        return self._offers.get(state, ())

    def action_of(self, pair: int) -> str:
        """The action of a state–action pair, by its place in :attr:`transitions`."""
        return self.actions[self.sparse.action[pair]] if self._is_lazy else self.transitions[pair].action

    def state_index(self, state: str) -> int:
        """The position of ``state``; a clear error for an unknown name."""
        index = self._indices.get(state)
        if index is None:
            raise InputError(f"state {state!r} is not in model {self.name!r}; {choices(self.states, state)}")
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
        return self._again(horizon=exact(horizon, "horizon"))

    def _again(self, **changes: Any) -> CTMDP:
        """The same model but for these fields; transitions are not checked again."""
        kept = {f.name: self.__dict__[f.name] for f in fields(self) if f.name in self.__dict__}
        arrays = {"sparse": self.__dict__["sparse"]} if "sparse" in self.__dict__ else {}
        model = object.__new__(type(self))
        model.__dict__.update({**kept, **arrays, **changes})
        model._check_head()
        return model

    def with_rewards(self, scale: Number = 1, shift: Number = 0) -> CTMDP:
        """Rewards ``scale * r + shift``, lumps and terminal rewards times ``scale``.

        With a positive scale the optimal policy stays what it was and the value becomes
        ``scale * V + shift * t``.
        """
        c, d = exact(scale, "scale"), exact(shift, "shift")
        rows = tuple(
            replace(t, reward=c * t.reward + d, lump=tuple((y, c * n) for y, n in t.lump if c))
            for t in self.transitions
        )
        return replace(self, transitions=rows, terminal=tuple(c * g for g in self.terminal))


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
