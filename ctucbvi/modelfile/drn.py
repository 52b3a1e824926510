r"""Storm's explicit format (DRN): continuous-time chains and Markov automata as models.

A Markov automaton has *Markovian* states, which wait for an exponential time and jump, and
*probabilistic* ones, which choose at once.  The committed problem has this shape and no other:

.. math:: x \xrightarrow{\;a\;} (x,a) \xrightarrow{\;\lambda,\ p\;} y :

a probabilistic state chooses among Markovian ones, each of which jumps to states that choose again, or
wait without any choice.  What differs is refused, with the line and the reason: a choice after a choice
without time in between, a chance that decides before the holding time begins (which would then not be
exponential), a reward for choosing (it would be earned at once, not over time), states without any way
out, several initial states, parameters.

A state's reward is per unit of time, an action's is a lump at the jump; a state that jumps to itself for
sure is never left.  Only what can be reached from the initial state becomes part of the model, with the
values of Storm's variables for names where the file has them for all states.  DRN has no horizon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ctucbvi.errors import InputError, ModelError
from ctucbvi.model import CTMDP, Number, Transition, choices
from ctucbvi.model.rationals import Reader, Rounded
from ctucbvi.modelfile.reader import one_line
from ctucbvi.numbers import shown

if TYPE_CHECKING:
    from os import PathLike

_KINDS = ("CTMC", "Markov Automaton")
_STATE = re.compile(r"state\s+(\d{1,9})(?:\s+!(\S+))?(?:\s+\[([^\]]*)\])?((?:\s.*)?)")
_ACTION = re.compile(r"action\s+(\S+)(?:\s+\[([^\]]*)\])?")
_JUMP = re.compile(r"(\d{1,9})\s*:\s*(\S+)")
_LABEL = re.compile(r'"([^"]*)"|(\S+)')
_ROUNDING = Fraction(1, 10**4)  # Storm prints six digits of a double


@dataclass
class _Offer:
    line: int
    name: str
    rewards: list[str]
    row: dict[int, str] = field(default_factory=dict)


@dataclass
class _Stop:
    line: int
    rate: str | None
    rewards: list[str]
    labels: frozenset[str]
    choices: list[_Offer] = field(default_factory=list)
    name: str = ""  # the values of Storm's variables, if they are there


@dataclass(frozen=True)
class _Automaton:
    """The file, line by line: nothing is interpreted yet."""

    where: str
    kind: str
    rewards: tuple[str, ...]  # the names of the reward models
    nodes: list[_Stop]

    def fail(self, line: int, what: str) -> NoReturn:
        raise ModelError(one_line(f"{self.where}: line {line}: {what}"))


def load_drn(path: str | PathLike[str], **options: Any) -> CTMDP:
    """Read the model in the DRN file ``path``; options as for :func:`parse_drn`."""
    where = one_line(str(path))
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{where}: cannot be read ({one_line(str(reason))}); name a readable file") from None
    return parse_drn(text, where=where, **{"name": Path(path).stem, **options})


def parse_drn(
    text: str,
    *,
    horizon: Number,
    reward: str | None = None,
    goal: str | None = None,
    objective: str = "max",
    rationalize: Number | None = None,
    name: str = "drn",
    where: str = "drn",
) -> CTMDP:
    """Read the model that a DRN text describes.

    ``reward`` names one of its reward models (if there is one only, and no goal, it is taken).  ``goal`` is a
    label: what is earned is then 1 if such a state is reached within the horizon.  ``rationalize`` as in
    :meth:`CTMDP.from_arrays`, for decimals, of which Storm prints six or ten digits: 1e-5 makes a third 1/3.
    """
    found = _read(text, one_line(where))
    if goal is not None and reward is not None:
        raise InputError(f"{found.where}: a goal and a reward model are two problems; name one of them")
    column = _column(found, reward, goal)
    if goal is not None and not any(goal in node.labels for node in found.nodes):
        labels = sorted({label for node in found.nodes for label in node.labels})
        raise InputError(f"{found.where}: no state has the label {goal!r}; {choices(labels)}")
    return _Translation(found, column, goal, Reader(rationalize)).model(horizon, objective, name)


def _column(found: _Automaton, reward: str | None, goal: str | None) -> int | None:
    """The place of the reward model that counts, if any."""
    if reward is None and (goal is not None or not found.rewards):
        return None
    if reward is None and len(found.rewards) == 1:
        return 0
    if reward not in found.rewards:
        known = f"; {choices(found.rewards)}" if found.rewards else "; there is none"
        asked = (
            "several reward models, and none is named" if reward is None else f"no reward model {reward!r}"
        )
        raise InputError(f"{found.where}: {asked}{known}")
    return found.rewards.index(reward)


# --- from characters to nodes -----------------------------------------------------------------


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines without comments, but for those that say what a state stands for."""
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped.startswith("//") or stripped.startswith("//["):
            yield number, stripped


def _read(text: str, where: str) -> _Automaton:
    head: dict[str, tuple[int, str]] = {}
    lines = _lines(text)
    key = ""
    for number, line in lines:
        if line == "@model":
            break
        if line.startswith("//"):
            continue
        if line.startswith("@"):
            key, _, rest = line.partition(":")
            head[key] = number, rest.strip()
        elif key and line:
            head[key] = number, f"{head[key][1]} {line}".strip()
        elif line:
            raise ModelError(f"{where}: line {number}: {line[:40]!r} before any key; begin with @type:")
    else:
        raise ModelError(f"{where}: there is no line @model; write Storm's explicit format (DRN)")
    at, kind = head.get("@type", (1, ""))
    if kind not in _KINDS:
        raise ModelError(
            f"{where}: line {at}: @type {kind!r} has no holding times; choose from: {', '.join(_KINDS)}"
        )
    for name in ("@parameters", "@placeholders"):
        if head.get(name, (0, ""))[1]:
            raise ModelError(
                f"{where}: line {head[name][0]}: parameters have no values; instantiate them first"
            )
    found = _Automaton(where, kind, tuple(head.get("@reward_models", (0, ""))[1].split()), [])
    for number, line in lines:
        if line:
            _take(found, number, line)
    _check_counts(found, head)
    return found


def _take(found: _Automaton, number: int, line: str) -> None:
    """One line of the model."""
    nodes = found.nodes
    if line.startswith("//"):
        if nodes and not nodes[-1].choices:
            nodes[-1].name = "".join(line[3:].removesuffix("]").split())
    elif at := _STATE.fullmatch(line):
        if int(at[1]) != len(nodes):
            found.fail(number, f"state {at[1]}, but state {len(nodes)} is next; number them from 0")
        labels = frozenset(a or b for a, b in _LABEL.findall(at[4]))
        nodes.append(_Stop(number, at[2], _rewards(found, number, at[3]), labels))
    elif (at := _ACTION.fullmatch(line)) and nodes:
        nodes[-1].choices.append(_Offer(number, at[1], _rewards(found, number, at[2])))
    elif (at := _JUMP.fullmatch(line)) and nodes and nodes[-1].choices:
        row, target = nodes[-1].choices[-1].row, int(at[1])
        if target in row:
            found.fail(number, f"state {target} is a target twice; add the numbers up")
        row[target] = at[2]
    else:
        found.fail(
            number, f"{one_line(line[:40])!r} is no state, action or jump; write 'TARGET : PROBABILITY'"
        )


def _rewards(found: _Automaton, number: int, text: str | None) -> list[str]:
    given = [] if text is None else [part.strip() for part in text.split(",")]
    if given and len(given) != len(found.rewards):
        found.fail(
            number, f"{len(given)} rewards, but {len(found.rewards)} reward models; write one for each"
        )
    return given


def _check_counts(found: _Automaton, head: dict[str, tuple[int, str]]) -> None:
    sizes = {"@nr_states": len(found.nodes), "@nr_choices": sum(len(n.choices) for n in found.nodes)}
    for key, size in sizes.items():
        at, given = head.get(key, (0, str(size)))
        if given != str(size):
            found.fail(
                at, f"{key} is {given[:20]!r}, but there are {size}; the file is cut off, or miscounted"
            )
    for i, node in enumerate(found.nodes):
        if not node.choices:
            found.fail(
                node.line, f"state {i} has no action: a deadlock; let it jump to itself if it is never left"
            )
        for choice in node.choices:
            wrong = [y for y in choice.row if y >= len(found.nodes)]
            if wrong or not choice.row:
                what = f"jumps to state {wrong[0]}, which is not there" if wrong else "leads nowhere"
                found.fail(choice.line, f"action {choice.name} of state {i} {what}; correct its targets")


# --- from nodes to a model --------------------------------------------------------------------


@dataclass(frozen=True)
class _Translation:
    found: _Automaton
    column: int | None  # of the rewards
    goal: str | None
    reader: Reader

    def model(self, horizon: Number, objective: str, name: str) -> CTMDP:
        """The model of what can be reached."""
        first = [i for i, node in enumerate(self.found.nodes) if "init" in node.labels]
        if len(first) != 1:
            at = self.found.nodes[first[1]].line if first else 1
            self.found.fail(at, f"{len(first)} states have the label 'init'; one is needed")
        rows: dict[int, list[Transition]] = {}
        waiting = list(first)
        while waiting:
            x = waiting.pop()
            if x not in rows:
                rows[x] = list(self._rows(x))
                waiting += [int(y) for row in rows[x] for y, _ in row.to]
        order = sorted(rows)
        reached = [x for x in order if self._is_goal(x)]
        names = {str(x): self.found.nodes[x].name for x in order}
        if "" in names.values() or len(set(names.values())) < len(names):
            names = {x: x for x in names}
        if self.goal is not None and not reached:
            raise ModelError(f"{self.found.where}: no state with the label {self.goal!r} can be reached")
        try:
            return CTMDP.of(
                name,
                horizon=horizon,
                states=list(names.values()),
                initial=names[str(first[0])],
                transitions=[_renamed(row, names) for x in order for row in rows[x]],
                terminal={names[str(x)]: 1 for x in reached},
                objective=objective,
            )
        except ModelError as error:
            raise ModelError(f"{self.found.where}: {error}") from None

    def _is_goal(self, x: int) -> bool:
        return self.goal is not None and self.goal in self.found.nodes[x].labels

    def _rows(self, x: int) -> Iterator[Transition]:
        """The transitions of state ``x``."""
        node, taken = self.found.nodes[x], dict[str, int]()
        if self._is_goal(x):
            yield Transition(str(x), "stay", Fraction(0), Fraction(0), ())
        elif self.found.kind == "CTMC" or self._rate(x):
            yield self._pair(x, "wait", x)
        else:
            for choice in node.choices:
                taken[choice.name] = taken.get(choice.name, -1) + 1
                again = taken[choice.name]
                yield self._pair(
                    x, f"{choice.name}#{again}" if again else choice.name, self._chosen(x, choice)
                )

    def _chosen(self, x: int, choice: _Offer) -> int:
        """The Markovian state that an action of the probabilistic state ``x`` leads to."""
        what, fail = f"action {choice.name} of state {x}", self.found.fail
        if len(choice.row) != 1 or self._exact(next(iter(choice.row.values())), choice.line) != 1:
            fail(
                choice.line,
                f"{what} decides by chance before the holding time begins; let chance act at a jump",
            )
        (m,) = choice.row
        if self._earned(choice.rewards, choice.line):
            fail(choice.line, f"{what} is rewarded at once; reward states per unit of time, or jumps")
        if not self._rate(m):
            fail(choice.line, f"{what} leads to state {m}, which chooses again at once; join the two choices")
        if self._is_goal(m):
            fail(choice.line, f"{what} is at the goal at once; a goal must be reached by a jump")
        return m

    def _pair(self, x: int, action: str, m: int) -> Transition:
        """Waiting in the Markovian state ``m``, as an action of state ``x``."""
        node = self.found.nodes[m]
        if len(node.choices) != 1:
            self.found.fail(
                node.line, f"state {m} has a rate and {len(node.choices)} actions; choose first, then wait"
            )
        (choice,) = node.choices
        reward, lump = self._earned(node.rewards, node.line), self._earned(choice.rewards, choice.line)
        rate, row = self._jumps(m, choice)
        if row == {m: 1}:  # never left
            return Transition(str(x), action, Fraction(0), reward + rate * lump, ())
        to = {str(y): p for y, p in row.items()}
        return Transition.of(str(x), action, rate=rate, reward=reward, to=to, lump=lump)

    def _jumps(self, m: int, choice: _Offer) -> tuple[Fraction, dict[int, Fraction]]:
        """Exit rate and probabilities; a chain's file has the rates of its jumps instead."""
        where = f"{self.found.where}: line {choice.line}: state {m}"
        if self.found.kind == "CTMC":
            flow = {y: self._positive(q, choice.line) for y, q in choice.row.items()}
            rate, given = sum(flow.values(), Fraction(0)), self.found.nodes[m].rate
            if given is not None and abs(self._exact(given, choice.line) - rate) > _ROUNDING * rate:
                self.found.fail(
                    choice.line,
                    f"the jumps of state {m} have rates that sum to {shown(rate)}, not to !{given}",
                )
            return rate, {y: q / rate for y, q in flow.items()}
        cells = {str(y): _rounded(p) for y, p in choice.row.items()}
        for p in choice.row.values():
            self._positive(p, choice.line)
        row = self.reader.row(cells, where)
        total = sum(row.values(), Fraction(0))
        if total != 1:
            self.found.fail(
                choice.line,
                f"the probabilities of state {m} sum to {shown(total)}, not exactly 1; "
                "pass rationalize=1e-5, or write fractions",
            )
        return self._rate(m), {int(y): p for y, p in row.items()}

    def _rate(self, x: int) -> Fraction:
        """The exit rate of a state, 0 where it chooses at once."""
        node = self.found.nodes[x]
        if node.rate is None:
            self.found.fail(node.line, f"state {x} has no rate; write !0 where it chooses at once")
        rate = self._exact(node.rate, node.line)
        if rate < 0:
            self.found.fail(node.line, f"the rate {node.rate[:20]} is negative; write 0 or more")
        return rate

    def _positive(self, text: str, line: int) -> Fraction:
        number = self._exact(text, line)
        if number <= 0:
            self.found.fail(line, f"{text[:20]!r} is not positive; leave out what does not happen")
        return number

    def _earned(self, rewards: list[str], line: int) -> Fraction:
        if self.column is None or not rewards:
            return Fraction(0)
        return self._exact(rewards[self.column], line)

    def _exact(self, text: str, line: int) -> Fraction:
        return self.reader.number(_rounded(text), f"{self.found.where}: line {line}")


def _renamed(row: Transition, names: dict[str, str]) -> Transition:
    to, lump = (tuple((names[y], n) for y, n in numbers) for numbers in (row.to, row.lump))
    return replace(row, state=names[row.state], to=to, lump=lump)


def _rounded(text: str) -> str:
    """A decimal is somebody's rounding; a whole number and a fraction are what they say."""
    return Rounded(text) if set(text) & set(".eE") else text
