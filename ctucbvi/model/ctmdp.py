"""The model itself, valid by construction; its mathematics is the text of :mod:`ctucbvi.model`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, Unpack, cast

from ctucbvi.errors import InputError, ModelError
from ctucbvi.frames import frame as table
from ctucbvi.model.beginning import Initial, checked, initial_from
from ctucbvi.model.elsewhere import FromElsewhere
from ctucbvi.model.kinds import Objective, Semantics
from ctucbvi.model.reaching import Asked, reaching_parts
from ctucbvi.model.rows import Number, Numbers, Pair, Transition, check_names, check_row, choices, different
from ctucbvi.model.views import digest, html, line
from ctucbvi.numbers import exact, shown

if TYPE_CHECKING:
    from ctucbvi.model.sparse import Sparse


@dataclass(frozen=True)
class CTMDP(FromElsewhere):
    """A model.  Immutable, hashable, and valid by construction.

    ``CTMDP.of`` builds one from plain Python numbers, ``from_arrays``, ``from_generator`` and
    ``from_frame`` from NumPy arrays and tables, :func:`ctucbvi.load_model` from a TOML or JSON file.
    """

    name: str
    states: tuple[str, ...]
    actions: tuple[str, ...]
    horizon: Fraction
    initial: Initial  # a state, or several with their probabilities
    transitions: tuple[Transition, ...]  # sorted by state, then action
    terminal: tuple[Fraction, ...]  # g, one per state; a transition may have another one
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
        check_names("state", self.states)
        check_names("action", self.actions)
        if not isinstance(self.horizon, Fraction):
            raise ModelError(f"horizon: {self.horizon!r} is not a fraction; build the model with CTMDP.of")
        if self.horizon <= 0:
            raise ModelError(f"horizon: {shown(self.horizon)} is not positive; write a number above 0")
        object.__setattr__(self, "initial", checked(self.initial, self._indices))
        kinds = set(map(type, self.terminal))
        if len(self.terminal) != len(self.states) or not all(issubclass(kind, Fraction) for kind in kinds):
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
            own = row.terminal is not None and row.terminal == self.terminal[states[row.state]]
            places[place] = replace(row, terminal=None) if own else row
        busy = {place // len(actions) for place in places}
        if len(busy) < len(states):
            first = next(x for x, i in states.items() if i not in busy)
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
        initial: str | Mapping[str, Number] | Numbers | None = None,
        states: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        terminal: Mapping[str, Number] | None = None,
        source: str = "",
        shows: str = "",
        objective: str = Objective.MAX,
        **asked: Unpack[Asked],
    ) -> Self:
        """Build a model; states and actions default to the order in which they first appear.

        It begins in the state ``initial`` (by default the first one), or in one of ``{state: probability}``.
        ``discount`` as in :func:`ctucbvi.discounted`; with a ``goal`` (one state or several) nothing else is
        earned, and the value is the probability to be there in time, as in :func:`ctucbvi.reaching`.
        """
        from ctucbvi.model.discounting import discounted  # which makes models, too

        rows = tuple(transitions)
        listed = tuple(states if states is not None else dict.fromkeys(row.state for row in rows))
        offered = tuple(actions if actions is not None else dict.fromkeys(row.action for row in rows))
        if not listed:
            raise ModelError("states: none given; a model needs at least one state")
        given = dict(terminal or {})
        known = {x for x in listed if isinstance(x, str)} if given else set()
        for state in given:
            if state not in known:
                raise ModelError(f"terminal: {state!r} is not a state; {choices(listed, state)}")
        ends = {x: exact(g, f"terminal reward of {x!r}") for x, g in given.items()}
        if unknown := sorted(asked.keys() - Asked.__annotations__.keys()):
            raise TypeError(f"CTMDP.of() got an unexpected keyword argument {unknown[0]!r}")
        rate, goal, avoid = exact(asked.get("discount", 0), "discount"), asked.get("goal"), asked.get("avoid")
        if goal or avoid:
            rows, ends = reaching_parts(listed, offered, rows, ends, goal or (), avoid or (), rate)
        model = cls(
            name=name,
            states=listed,
            actions=offered,
            horizon=exact(horizon, "horizon"),
            initial=listed[0] if initial is None else initial_from(initial),
            transitions=rows,
            terminal=tuple(ends.get(x, Fraction(0)) for x in listed),
            source=source,
            shows=shows,
            objective=Objective(objective),
        )
        return cast("Self", discounted(model, rate))

    @classmethod
    def _built(cls, name: str, **told: Any) -> Self:
        return cls.of(name, **told)

    @classmethod
    def lazily(cls, found: Sparse, **told: Any) -> Self:
        """A model whose transitions are made of arrays when somebody asks for them."""
        model = object.__new__(cls)
        model.__dict__.update({"source": "", "shows": "", **told})
        model._check_head()
        model.__dict__["sparse"] = found.with_ends(model.terminal)
        return model

    def _once_more(self, **asked: Any) -> Self:
        """The same model, with what :meth:`of` makes part of its transitions."""
        ends = dict(zip(self.states, self.terminal, strict=True))
        told = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("name", "terminal")}
        return self.of(self.name, **told, terminal=ends, **asked)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The transitions, when they are asked for first; nothing else is missing."""
            found = self.__dict__.get("sparse")
            if name != "transitions" or found is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            rows = found.transitions(self.states, self.actions, self.terminal)
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

    def to_frame(self) -> Any:
        """The transitions as a pandas frame: one row for every state, action and target.

        Its columns are state, action, rate, reward, to, probability, lump, choice, terminal; numbers are
        exact fractions, ``terminal`` is empty where it is the state's.
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

    def plain(self, *, truncate: bool = False, semantics: Semantics | str = Semantics.COMMITTED) -> CTMDP:
        """The same problem in rewards per unit of time that are to be maximised: what planners solve.

        Lumps and rewards for choosing become part of the rate and of what a pair starts from
        (:mod:`ctucbvi.model.rows`, exactly), costs become rewards by their sign.  Policies and their order
        are the same; values are :meth:`Objective.turned`.  What the problem cannot have is refused.
        """
        if truncate and self.objective is Objective.MIN:
            raise InputError(
                f"model {self.name!r} minimises costs, and truncation caps rewards to be maximised at the "
                "remaining time; leave it out"
            )
        if self.pays_choices and Semantics(semantics) is Semantics.ADJUSTABLE:
            raise InputError(
                f"model {self.name!r} has rewards for choosing an action, and under the adjustable semantics "
                "it could be chosen again at every moment, so that there is no value; leave them out, or use "
                "the committed semantics"
            )
        return self if self.is_plain else self._plain

    @cached_property
    def pays_choices(self) -> bool:
        """Whether something is earned for choosing an action."""
        return (
            self.sparse.choice is not None if self._is_lazy else any(row.choice for row in self.transitions)
        )

    @cached_property
    def pays_at_moments(self) -> bool:
        """Whether jumps or choices earn something, whose worth per unit of time depends on rates."""
        paid = self.sparse.lump is not None if self._is_lazy else any(row.lump for row in self.transitions)
        return paid or self.pays_choices

    @cached_property
    def pays_at_end(self) -> bool:
        """Whether something is earned at the end."""
        if any(different(self.terminal)):
            return True
        if self._is_lazy:
            return self.sparse.terminal is not None and bool(self.sparse.terminal.top.any())
        return any(row.terminal for row in self.transitions)

    @cached_property
    def is_plain(self) -> bool:
        """Whether there are neither lumps nor rewards for choosing nor costs."""
        return self.objective is Objective.MAX and not self.pays_at_moments

    @cached_property
    def _plain(self) -> CTMDP:
        turned = self.objective.turned
        ends = tuple(turned(g) for g in self.terminal)
        if self._is_lazy and not self.pays_at_moments:  # costs, then
            last = self.sparse.terminal
            found = replace(self.sparse, reward=-self.sparse.reward, terminal=None if last is None else -last)
            return self._again(sparse=found, terminal=ends, objective=Objective.MAX)
        own = zip(self.transitions, self.pairs, strict=True)
        rows = tuple(
            replace(row, reward=turned(p.reward), lump=(), choice=Fraction(0), terminal=turned(p.start))
            for row, p in own
        )
        return replace(self, transitions=rows, terminal=ends, objective=Objective.MAX)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The state–action pairs by index, in the order of :attr:`transitions`."""
        if self._is_lazy and not self.pays_at_moments:
            return self.sparse.pairs(self.terminal)
        state = {x: i for i, x in enumerate(self.states)}
        action = {a: i for i, a in enumerate(self.actions)}
        return tuple(
            Pair(
                state[t.state], action[t.action], t.rate, t.gain, tuple([(state[y], p) for y, p in t.to]),
                t.start(self.terminal[state[t.state]]),
            )
            for t in self.transitions
        )  # fmt: skip

    @cached_property
    def max_rate(self) -> Fraction:
        """λmax, the largest rate in the model."""
        return self.sparse.rate.largest() if self._is_lazy else max(t.rate for t in self.transitions)

    @cached_property
    def max_reward(self) -> Fraction:
        """The largest reward per unit of time, lumps and choices included, in size."""
        if self._is_lazy and not self.pays_at_moments:
            return self.sparse.reward.largest()
        return max(abs(t.gain) for t in self.transitions)

    @cached_property
    def max_start(self) -> Fraction:
        """The largest value at remaining time 0 that a pair starts from, in size."""
        if self._is_lazy and self.sparse.choice is None and self.sparse.terminal is not None:
            return self.sparse.terminal.largest()
        if self.pays_choices or not self._ends_alike:
            return max(abs(pair.start) for pair in self.pairs)
        return max(map(abs, different(self.terminal)))

    @cached_property
    def ends(self) -> tuple[Fraction, ...]:
        """The best that is earned at the end in each state: what the adjustable problem begins with."""
        if self._ends_alike:
            return self.terminal
        best = max if self.objective is Objective.MAX else min
        found: dict[int, Fraction] = {}
        for pair in self.pairs:
            found[pair.state] = best(pair.start, found.get(pair.state, pair.start))
        return tuple(found[x] for x in range(len(self.states)))

    @cached_property
    def _ends_alike(self) -> bool:
        """Whether what is earned at the end does not depend on the action."""
        if self._is_lazy:
            return self.sparse.terminal is None
        return all(row.terminal is None for row in self.transitions)

    @property
    def start(self) -> Numbers:
        """The states in which an episode begins, with their probabilities."""
        return ((self.initial, Fraction(1)),) if isinstance(self.initial, str) else self.initial

    @property
    def initial_state(self) -> str:
        """The one state in which every episode begins; a clear error if there are several."""
        if not isinstance(self.initial, str):
            raise InputError(
                f"model {self.name!r} begins in {len(self.initial)} states by chance, and one is needed; "
                "write one under 'initial'"
            )
        return self.initial

    @cached_property
    def value_scale(self) -> Fraction:
        """An a-priori bound: every value of the model is at most ``H max|r| + max|g|`` in size.

        With the rewards and the starting values of the plain form.
        """
        return self.horizon * self.max_reward + self.max_start

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
        """Rewards ``scale * r + shift``; lumps, rewards for choosing and terminal rewards times ``scale``.

        With a positive scale the optimal policy stays what it was and the value becomes
        ``scale * V + shift * t``.
        """
        c, d = exact(scale, "scale"), exact(shift, "shift")
        rows = tuple(
            replace(
                t, reward=c * t.reward + d, lump=tuple((y, c * n) for y, n in t.lump if c),
                choice=c * t.choice, terminal=None if t.terminal is None else c * t.terminal,
            )
            for t in self.transitions
        )  # fmt: skip
        return replace(self, transitions=rows, terminal=tuple(c * g for g in self.terminal))
