"""Models from arrays, from generators and from tables: the transitions that they describe.

Everything is read by one :class:`~ctucbvi.model.rationals.Reader`; what is wrong is named by state and
action.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ctucbvi.errors import ModelError
from ctucbvi.model.beginning import Initial, initial_from
from ctucbvi.model.columns import Heading, array_of, column
from ctucbvi.model.rationals import Reader, plain
from ctucbvi.model.reaching import Asked
from ctucbvi.model.rows import Number, Transition
from ctucbvi.model.sparse import Sparse, SparseReader, two_lists
from ctucbvi.numbers import shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

COLUMNS = ("state", "action", "rate", "reward", "to", "probability", "lump", "choice", "terminal")
_OF_PAIR = ("rate", "reward", "choice", "terminal")  # columns that are the same for all targets
_DIAGONAL = Fraction(1, 10**9)  # of the rate: what rounding may have done to a diagonal of doubles


class ArrayOptions(Asked, total=False):
    """What else a model from arrays may be told."""

    terminal: ArrayLike | None  # g[x]
    pair_terminal: ArrayLike | None  # g[x, a], or one for each pair
    choice: ArrayLike | None  # c[x, a], or one for each pair
    initial: int | Sequence[Number]  # an index, or probabilities of all states
    states: Sequence[str] | None
    actions: Sequence[str] | None
    name: str
    objective: str


class TableOptions(Asked, total=False):
    """What else a model from a table may be told: the same, by name."""

    terminal: Mapping[str, Number] | None
    initial: str | Mapping[str, Number] | None
    states: Sequence[str] | None
    actions: Sequence[str] | None
    name: str
    objective: str


class Named:
    """Names, terminal rewards and what is on offer, checked against the sizes of the arrays."""

    def __init__(self, count: int, width: int, available: Any, options: ArrayOptions) -> None:
        if count == 0 or width == 0:
            raise ModelError("arrays: no states or no actions; a model needs at least one of each")
        self.states = _names(options.get("states"), "s", count)
        self.actions = _names(options.get("actions"), "a", width)
        if len(self.states) != count or len(self.actions) != width:
            raise ModelError(f"arrays: {count} states and {width} actions, but other numbers of names")
        self.initial = self._start(options.get("initial", 0))
        offered = np.ones((count, width)) if available is None else array_of(available, "available")
        self.offered = offered.astype(bool)
        ends = options.get("terminal")
        self.terminal = np.zeros(count) if ends is None else array_of(ends, "terminal")
        if self.offered.shape != (count, width) or self.terminal.shape != (count,):
            raise ModelError(f"arrays: available must have shape {(count, width)}, terminal {(count,)}")

    def _start(self, given: Any) -> Initial:
        """Where an episode begins: an index, or a probability for each state."""
        count = len(self.states)
        if isinstance(given, int | np.integer):
            if not 0 <= given < count:
                raise ModelError(f"initial: {given} is not the index of a state; write 0 to {count - 1}")
            return self.states[given]
        chances = array_of(given, "initial")
        if chances.shape != (count,):
            raise ModelError(
                f"initial: {given!r} is neither an index (0 to {count - 1}) nor a probability for each state"
            )
        return initial_from({x: plain(p) for x, p in zip(self.states, chances, strict=True) if p != 0})

    def of_pairs(self, given: Any, what: str) -> Any:
        """What is told of every state and action, as an array; None if nothing is."""
        cells = None if given is None else array_of(given, what)
        if cells is not None and cells.shape != self.offered.shape:
            raise ModelError(f"arrays: {what} {cells.shape}; need {self.offered.shape}")
        return cells

    def pairs(self) -> Iterable[tuple[int, int, str]]:
        """What is on offer: state, action, and the place for a message."""
        for i, j in np.argwhere(self.offered).tolist():
            yield i, j, f"state {self.states[i]!r}, action {self.actions[j]!r}"

    def given(self, reader: Reader) -> dict[str, Any]:
        """What a model is told besides its transitions."""
        ends = zip(self.states, self.terminal, strict=True)
        terminal = {x: reader.number(g, f"terminal reward of {x!r}") for x, g in ends}
        return {"states": self.states, "actions": self.actions, "initial": self.initial, "terminal": terminal}


def _names(given: Sequence[str] | None, letter: str, size: int) -> tuple[str, ...]:
    return tuple(f"{letter}{i}" for i in range(size)) if given is None else tuple(given)


def array_rows(
    rates: ArrayLike, rewards: ArrayLike, probabilities: ArrayLike, lumps: ArrayLike | None, available: Any,
    reader: Reader, options: ArrayOptions,
) -> tuple[list[Transition], dict[str, Any]]:  # fmt: skip
    """The transitions of ``rates[x,a]``, ``rewards[x,a]``, ``probabilities[x,a,y]``, and all else."""
    lam, rew, prob = (
        array_of(cells, what)
        for cells, what in ((rates, "rates"), (rewards, "rewards"), (probabilities, "probabilities"))
    )
    if lam.ndim != 2 or rew.shape != lam.shape or prob.shape != (*lam.shape, lam.shape[0]):
        raise ModelError(
            f"arrays: rates {lam.shape}, rewards {rew.shape}, probabilities {prob.shape}; "
            "need (S, A), (S, A), (S, A, S)"
        )
    named = Named(lam.shape[0], lam.shape[1], available, options)
    paid = _Paid.of(named, rew, lumps, options)
    rows = []
    for i, j, where in named.pairs():
        rate = reader.number(lam[i, j], f"transition of {where}: rate")
        to = reader.row(dict(zip(named.states, prob[i, j], strict=True)), where)
        rows.append(paid.row((i, j), rate, to, reader, where))
    return rows, named.given(reader)


def sparse_model(
    pairs: Any, jumps: Any, numbers: tuple[Any, Any, Any, Any], reader: Reader, options: ArrayOptions
) -> tuple[Sparse, dict[str, Any]]:
    """The arrays of pairs, jumps and their numbers (rates, rewards, probabilities, lumps), and all else."""
    state, action = two_lists(pairs, "pairs", ("state", "action"))
    count = len(options.get("states") or ()) or 1 + int(state.max(initial=-1))
    width = len(options.get("actions") or ()) or 1 + int(action.max(initial=-1))
    named = Named(count, width, None, options)
    last = options.get("choice"), options.get("pair_terminal")
    found = SparseReader(pairs, jumps, named.states, named.actions).read(numbers, last, reader)
    heading = Heading("terminal reward", "state", count, lambda i: repr(named.states[i]))
    ends = column(named.terminal, reader, heading)
    told = {"states": named.states, "actions": named.actions, "initial": named.initial}
    return found, {**told, "terminal": tuple(ends.fractions())}


def generator_rows(
    generators: ArrayLike, rewards: ArrayLike, lumps: ArrayLike | None, available: Any,
    reader: Reader, options: ArrayOptions,
) -> tuple[list[Transition], dict[str, Any]]:  # fmt: skip
    """The transitions of generators ``Q[a,x,y]`` and rewards ``r[x,a]``, and all else.

    The rate is the sum of the entries off the diagonal, exactly; the diagonal only has to agree with it.
    """
    flows, rew = array_of(generators, "generators"), array_of(rewards, "rewards")
    if flows.ndim != 3 or flows.shape[1] != flows.shape[2] or rew.shape != (flows.shape[1], flows.shape[0]):
        raise ModelError(f"generators: Q {flows.shape}, rewards {rew.shape}; need (A, S, S), (S, A)")
    if available is None:  # a row without numbers is an action that the state does not offer
        available = ~np.array([[all(cell != cell for cell in row) for row in q] for q in flows]).T
    named = Named(flows.shape[1], flows.shape[0], available, options)
    paid = _Paid.of(named, rew, lumps, options)
    rows = []
    for i, j, where in named.pairs():
        flow = {
            y: reader.number(cell, f"rate from {named.states[i]!r} to {y!r} at {where}")
            for y, cell in zip(named.states, flows[j, i], strict=True)
        }
        diagonal = flow.pop(named.states[i])
        rate = _checked_rate(flow, diagonal, isinstance(plain(flows[j, i, i]), float), where)
        to = {y: q / rate for y, q in flow.items() if q}
        rows.append(paid.row((i, j), rate, to, reader, where))
    return rows, named.given(reader)


def _checked_rate(flow: Mapping[str, Fraction], diagonal: Fraction, rounded: bool, where: str) -> Fraction:
    for y, q in flow.items():
        if q < 0:
            raise ModelError(f"{where}: the rate to {y!r} is {shown(q)}, negative; write 0 or more")
    rate = sum(flow.values(), Fraction(0))
    if abs(diagonal + rate) > (_DIAGONAL * rate if rounded else 0):
        raise ModelError(
            f"{where}: the diagonal is {shown(diagonal)}, but the rates to other states sum to {shown(rate)}"
            f"; write {shown(-rate)} (a generator has no jumps back: use from_arrays for those)"
        )
    return rate


def _lumps(lumps: ArrayLike | None, shape: tuple[int, ...]) -> Any:
    """Lumps ``ϱ[x,a]`` or ``ϱ[x,a,y]`` for every target, or None."""
    if lumps is None:
        return None
    found = array_of(lumps, "lumps")
    if found.shape not in (shape, shape[:2]):
        raise ModelError(f"arrays: lumps {found.shape}; need {shape[:2]} or {shape}")
    return np.broadcast_to(found if found.ndim == 3 else found[:, :, None], shape)


class _Paid(NamedTuple):
    """What is earned, as arrays; None where nothing is told."""

    named: Named
    rewards: Any  # r[x, a]
    lumps: Any  # ϱ[x, a, y]
    choice: Any  # c[x, a]
    terminal: Any  # g[x, a]

    @classmethod
    def of(cls, named: Named, rewards: Any, lumps: Any, options: ArrayOptions) -> _Paid:
        """What somebody gives, checked against the sizes."""
        told = (named.of_pairs(options.get(key), key) for key in ("choice", "pair_terminal"))
        return cls(named, rewards, _lumps(lumps, (*rewards.shape, rewards.shape[0])), *told)

    def row(
        self, at: tuple[int, int], rate: Fraction, to: Mapping[str, Fraction], reader: Reader, where: str
    ) -> Transition:
        """One transition; lumps at jumps that do not happen are left out: arrays have an entry for each."""
        named, earned = self.named, {}
        if self.lumps is not None and rate:
            cells = zip(named.states, self.lumps[at], strict=True)
            earned = {y: reader.number(c, f"lump to {y!r} at {where}") for y, c in cells if to.get(y)}
        worth = reader.number(self.rewards[at], f"transition of {where}: reward")
        told: dict[str, Fraction] = {}
        for key, cells in (("choice", self.choice), ("terminal", self.terminal)):
            if cells is not None:
                told[key] = reader.number(cells[at], f"transition of {where}: {key}")
        x, a = named.states[at[0]], named.actions[at[1]]
        return Transition.of(x, a, rate=rate, reward=worth, to=to, lump=earned, **told)


# --- tables -----------------------------------------------------------------------------------


def table_rows(records: Iterable[Mapping[str, Any]], reader: Reader) -> list[Transition]:
    """The transitions of a long table: one record for every state, action and target.

    A pair that never jumps has one record without a target.
    """
    pairs: dict[tuple[str, str], list[tuple[int, Mapping[str, Any]]]] = {}
    for number, record in enumerate(records, start=1):
        absent = [name for name in COLUMNS[:4] if name not in record]
        if absent:
            raise ModelError(f"table: no column {absent[0]!r}; the columns are {', '.join(COLUMNS)}")
        unknown = [str(name) for name in record if name not in COLUMNS]
        if unknown:
            raise ModelError(f"table: unknown column {unknown[0]!r}; the columns are {', '.join(COLUMNS)}")
        pairs.setdefault((str(record["state"]), str(record["action"])), []).append((number, record))
    return [_table_row(pair, records, reader) for pair, records in pairs.items()]


def _table_row(
    pair: tuple[str, str], records: list[tuple[int, Mapping[str, Any]]], reader: Reader
) -> Transition:
    where, first = f"state {pair[0]!r}, action {pair[1]!r}", records[0][1]
    cells: dict[str, Any] = {}
    earned: dict[str, Fraction] = {}
    for number, record in records:
        line = f"table: row {number} ({where})"
        for name in _OF_PAIR:
            here, there = record.get(name), first.get(name)
            if here != there and not (_nothing(here) and _nothing(there)):
                raise ModelError(f"{line}: {name} {here} is not that of row {records[0][0]}; write it alike")
        if _nothing(record.get("to")):
            if len(records) > 1:
                raise ModelError(f"{line}: no target, beside rows with one; name it in the column 'to'")
            continue
        target = str(record["to"])
        if target in cells:
            raise ModelError(f"{line}: jumps to {target!r} twice; add the probabilities up")
        if _nothing(record.get("probability")):
            raise ModelError(f"{line}: no probability of {target!r}; write it in the column 'probability'")
        cells[target] = record["probability"]
        if not _nothing(record.get("lump")):
            earned[target] = reader.number(record["lump"], f"{line}: lump")
    told = {
        name: reader.number(first[name], f"table: {name} of {where}")
        for name in _OF_PAIR
        if name in COLUMNS[:4] or not _nothing(first.get(name))
    }
    to = reader.row(cells, where) if cells else {}
    return Transition.of(
        *pair, rate=told["rate"], reward=told["reward"], to=to, lump=earned,
        choice=told.get("choice", 0), terminal=told.get("terminal"),
    )  # fmt: skip


def _nothing(cell: Any) -> bool:
    """Whether a cell of a table is empty: None, NaN or pandas' NA."""
    return cell is None or type(cell).__name__ == "NAType" or (isinstance(cell, float) and cell != cell)


def records_of(transitions: Iterable[Transition]) -> list[dict[str, Any]]:
    """The records of a long table, numbers as fractions."""
    found = []
    for row in transitions:
        lumps = dict(row.lump)
        for target, probability in row.to or ((None, None),):
            numbers = (row.rate, row.reward, target, probability)
            lump = None if target is None else lumps.get(target, Fraction(0))
            cells = (row.state, row.action, *numbers, lump, row.choice, row.terminal)
            found.append(dict(zip(COLUMNS, cells, strict=True)))
    return found
