r"""Markov automata as committed problems.

A Markov automaton has *Markovian* states, which wait for an exponential time and jump, and
*probabilistic* ones, which choose at once.  The committed problem has the shape

.. math:: x \xrightarrow{\;a\;} (x,a) \xrightarrow{\;\lambda,\ p\;} y :

a probabilistic state chooses among Markovian ones, each of which jumps to states that choose again, or
wait without any choice.  Four reductions bring other automata into it, each without loss:

* *No choice.*  A probabilistic state with a single action that does not simply lead to waiting is dissolved:
  whoever jumps to it arrives where chance leads from there.  What its action earns is a lump at that jump.
* *Choosing again.*  If action :math:`a` of a probabilistic state comes back to it at once with probability
  :math:`q_a < 1`, earns :math:`c_a` and else leads to what is worth :math:`w_a`, then the state is worth
  :math:`v = \max_a [c_a + q_a v + (1 - q_a) w_a]`.  This map contracts, so that
  :math:`v = \max_a [c_a/(1 - q_a) + w_a]` is the only solution: the action leads on for sure, and earns
  :math:`c_a/(1 - q_a)`.
* *Choices in a row.*  All that is chosen at one moment is one choice: an action of :math:`x` says what is
  done there and in every probabilistic state that chance may lead to before time passes.
* *Chance before the holding time.*  Let the action of :math:`x` lead to the Markovian state :math:`m` with
  probability :math:`\mu(m)`.  With :math:`\Lambda = \max_m \lambda_m` waiting in :math:`m` is a chain of
  periods of rate :math:`\Lambda`, after each of which the wait goes on with probability
  :math:`1 - \lambda_m/\Lambda`.  The first period does not depend on :math:`m`, so that the pair has

  .. math:: \lambda(x,a) = \Lambda,\quad r(x,a) = \sum_m \mu(m) r(m),\quad
     p(y) = \sum_m \mu(m)\Big[\frac{\lambda_m}{\Lambda}\,p_m(y) + \Big(1-\frac{\lambda_m}{\Lambda}\Big)
     1_{y=m}\Big],

  and :math:`m` becomes a state that waits.  Nothing is decided in it, so that nothing is lost or won.

An action of a state that chooses earns its reward for choosing, :math:`c(x,a)`, by chance what follows at the
same moment included.  A goal that a choice is at without any time is a state that waits for ever: with
:math:`\mu(m)` the chance of being there at once, the pair has the terminal reward
:math:`g(x,a) = \sum_m \mu(m) g(m)`, and is there for good after its first period.

What is refused, with the line and the reason: a cycle of several states that choose at once, an action that
surely comes back without any time to where it was chosen, several initial states (Storm knows no
probabilities of them, and the values of all are its answer).  A state's reward is per unit of time, the
action's of a state that waits is a lump at the jump; a state that jumps to itself for sure is never left.
Only what can be reached from the initial state becomes part of the model, with the values of Storm's
variables for names where the file has them for all states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import NoReturn

from ctucbvi.errors import ModelError
from ctucbvi.model import CTMDP, Number, Transition
from ctucbvi.model.rationals import Reader, Rounded
from ctucbvi.modelfile.reader import one_line
from ctucbvi.numbers import shown

CHAIN = "CTMC"
_ROUNDING = Fraction(1, 10**4)  # Storm prints six digits of a double
_MOST = 1000  # ways to choose at one moment
_ONE = Fraction(1)

Chances = dict[int, Fraction]  # by state
Arrivals = dict[int, tuple[Fraction, Fraction]]  # by state: chances, and what is earned by chance
Plan = tuple[str, Chances, Fraction]  # what is chosen at one moment, where it leads, and what that earns


@dataclass
class Offer:
    """An action, as it is written."""

    line: int
    name: str
    rewards: list[str]
    row: dict[int, str] = field(default_factory=dict)


@dataclass
class Node:
    """A state, as it is written."""

    line: int
    rate: str | None
    rewards: list[str]
    labels: frozenset[str]
    choices: list[Offer] = field(default_factory=list)
    name: str = ""  # the values of Storm's variables, if they are there


@dataclass(frozen=True)
class Automaton:
    """The file, line by line: nothing is interpreted yet."""

    where: str
    kind: str
    rewards: tuple[str, ...]  # the names of the reward models
    nodes: list[Node]

    def fail(self, line: int, what: str) -> NoReturn:
        """Refuse the file."""
        raise ModelError(one_line(f"{self.where}: line {line}: {what}"))


@dataclass(frozen=True)
class Translation:
    """From nodes to a model; see the first lines of the module."""

    found: Automaton
    column: int | None  # of the rewards
    goal: str | None  # a label
    avoid: str | None  # a label: there is nothing to be won any more
    reader: Reader
    read: dict[int, list[tuple[Chances, Fraction]]] = field(default_factory=dict)  # actions that take no time
    arrived: dict[int, Arrivals] = field(default_factory=dict)  # where jumps lead before anything is chosen

    def model(self, horizon: Number, objective: str, name: str) -> CTMDP:
        """The model of what can be reached."""
        first = [i for i, node in enumerate(self.found.nodes) if "init" in node.labels]
        if len(first) != 1:
            at = self.found.nodes[first[1]].line if first else 1
            why = "; DRN has no probabilities of them" if first else ""
            self.found.fail(at, f"{len(first)} states have the label 'init'; one is needed{why}")
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
        at_once = any(row.terminal for x in order for row in rows[x])
        if self.goal is not None and not reached and not at_once:
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

    # --- states -------------------------------------------------------------------------------

    def _is_goal(self, x: int) -> bool:
        return self.goal is not None and self.goal in self.found.nodes[x].labels

    def _is_over(self, x: int) -> bool:
        """Whether nothing that happens after ``x`` counts: the goal is reached, or missed."""
        return self._is_goal(x) or (self.avoid is not None and self.avoid in self.found.nodes[x].labels)

    def _waits(self, x: int) -> bool:
        """Whether time passes in ``x``, or nothing counts any more."""
        return self._is_over(x) or self.found.kind == CHAIN or self._rate(x) > 0

    def _rows(self, x: int) -> Iterator[Transition]:
        """The transitions of state ``x``."""
        if self._is_over(x):
            yield Transition(str(x), "stay", Fraction(0), Fraction(0), ())
        elif self._waits(x):
            yield self._pair(x, "wait", {x: _ONE})
        else:
            taken = dict[str, int]()
            for action, chances, earned in self._plans(x):
                again = taken[action] = taken.get(action, -1) + 1
                row = self._pair(x, f"{action}#{again}" if again else action, chances)
                there = sum((p for m, p in chances.items() if self._is_goal(m)), Fraction(0))
                yield replace(row, choice=earned, terminal=there if there else None)

    # --- what happens at once -----------------------------------------------------------------

    def _plans(self, x: int) -> list[Plan]:
        """All that can be chosen in ``x`` and on until time passes, and the chances of where it does."""
        order = self._in_order(x, self._chooses_next)
        last = {y: z for z in order for y in self._chooses_next(z)}  # who asks for the plans of ``y`` last
        known: dict[int, list[Plan]] = {}
        for z in order:
            known[z] = self._combined(z, known)
            for y in self._chooses_next(z):
                if last[y] == z:  # a long row of choices would fill the memory otherwise
                    known.pop(y, None)
        return known[x]

    def _combined(self, x: int, known: Mapping[int, list[Plan]]) -> list[Plan]:
        """What can be chosen in ``x``, with what can be chosen where that leads."""
        found: list[Plan] = []
        for choice, (row, earned) in zip(self.found.nodes[x].choices, self._actions(x), strict=True):
            after = [
                [("", {y: _ONE}, Fraction(0))] if self._waits(y) else known[y] for y in row
            ]  # by what is chosen there
            if len(found) + prod(map(len, after)) > _MOST:
                self.found.fail(
                    choice.line, f"more than {_MOST} ways to choose at one moment; decide less at a time"
                )
            for chosen in product(*after):
                parts = zip(row.values(), (chances for _, chances, _ in chosen), strict=True)
                then = "+".join(plan[0] for plan, ways in zip(chosen, after, strict=True) if len(ways) > 1)
                later = sum((p * plan[2] for p, plan in zip(row.values(), chosen, strict=True)), earned)
                found.append((f"{choice.name}/{then}" if then else choice.name, _mixed(parts), later))
        return found

    def _chooses_next(self, x: int) -> list[int]:
        """The states that choose at the same moment, after an action of ``x``."""
        return [y for row, _ in self._actions(x) for y in row if not self._waits(y)]

    def _arrivals(self, y: int) -> Arrivals:
        """Where a jump to ``y`` leads before anything is chosen: chances, and what is earned on the way.

        What is earned counts by chance: a lump is an expectation in the end.
        """
        if y not in self.arrived:
            order = self._in_order(y, self._passes_to)
            found: Arrivals = {y: (_ONE, Fraction(0))}
            for z in reversed(order):  # whoever leads to ``z`` comes before it
                for w in self._passes_to(z):
                    ((row, lump),) = self._actions(z)
                    q, c = found[z]
                    chance, earned = found.get(w, (Fraction(0), Fraction(0)))
                    found[w] = chance + q * row[w], earned + row[w] * (c + q * lump)
            self.arrived[y] = {z: found[z] for z in order if not self._passes_to(z)}
        return self.arrived[y]

    def _passes_to(self, x: int) -> list[int]:
        """Where chance leads on from ``x`` at once, if nothing is chosen there; nothing where it ends."""
        if self._waits(x) or len(self.found.nodes[x].choices) > 1:
            return []
        ((row, lump),) = self._actions(x)
        if not lump and len(row) == 1 and self._waits(next(iter(row))) and not self._is_over(next(iter(row))):
            return []  # it has the shape of the committed problem already
        return list(row)

    def _in_order(self, x: int, follow: Callable[[int], list[int]]) -> list[int]:
        """All states that follow ``x`` without any time, each after those that follow it; ``x`` is last.

        They may be as many in a row as they like: nothing calls itself.  A cycle is refused.
        """
        order: list[int] = []
        under_way, done = {x: iter(follow(x))}, set[int]()
        while under_way:
            last = next(reversed(under_way))
            y = next(under_way[last], None)
            if y is None:
                under_way.popitem()
                done.add(last)
                order.append(last)
            elif y in under_way:
                self._zeno(y)
            elif y not in done:
                under_way[y] = iter(follow(y))
        return order

    def _actions(self, x: int) -> list[tuple[Chances, Fraction]]:
        """Where each action of a state that chooses leads at once, and what it earns; read once."""
        if x not in self.read:
            self.read[x] = [self._at_once(x, choice) for choice in self.found.nodes[x].choices]
        return self.read[x]

    def _at_once(self, x: int, choice: Offer) -> tuple[Chances, Fraction]:
        """Where an action that takes no time leads in the end, and what it earns until then."""
        row, earned = self._row(x, choice), self._earned(choice.rewards, choice.line)
        leaves = 1 - row.pop(x, Fraction(0))
        if not leaves:
            self._zeno(x)
        return {y: p / leaves for y, p in row.items()}, earned / leaves

    def _zeno(self, x: int) -> NoReturn:
        node = self.found.nodes[x]
        self.found.fail(
            node.line, f"state {x} comes back to itself without any time; let time pass on the way"
        )

    # --- what takes time ----------------------------------------------------------------------

    def _pair(self, x: int, action: str, chances: Chances) -> Transition:
        """Waiting in a Markovian state, as an action of state ``x``; which one is left to chance."""
        waits = {m: self._wait(m) for m in chances}
        rate = max(wait[0] for wait in waits.values())
        reward = sum((chances[m] * wait[1] for m, wait in waits.items()), Fraction(0))
        flow, lumps = Chances(), Chances()  # lumps by chance
        for m, (pace, _, row) in waits.items():
            for y, (p, earned) in row.items():
                flow[y] = flow.get(y, Fraction(0)) + chances[m] * pace * p
                lumps[y] = lumps.get(y, Fraction(0)) + chances[m] * pace * earned
            if pace < rate:
                flow[m] = flow.get(m, Fraction(0)) + chances[m] * (rate - pace)
        if not rate:
            return Transition(str(x), action, rate, reward, ())
        to = {str(y): q / rate for y, q in flow.items()}
        lump = {str(y): q / flow[y] for y, q in lumps.items() if q}
        return Transition.of(str(x), action, rate=rate, reward=reward, to=to, lump=lump)

    def _wait(self, m: int) -> tuple[Fraction, Fraction, Arrivals]:
        """Rate and reward of a Markovian state, and where it jumps to, with what is earned by that."""
        node = self.found.nodes[m]
        if self._is_over(m):
            return Fraction(0), Fraction(0), {}
        if len(node.choices) != 1:
            self.found.fail(
                node.line, f"state {m} has a rate and {len(node.choices)} actions; choose first, then wait"
            )
        (choice,) = node.choices
        reward, lump = self._earned(node.rewards, node.line), self._earned(choice.rewards, choice.line)
        rate, row = self._jumps(m, choice)
        if row == {m: 1}:  # never left
            return Fraction(0), reward + rate * lump, {}
        found: Arrivals = {}
        for y, p in row.items():
            for z, (q, c) in self._arrivals(y).items():
                chance, earned = found.get(z, (Fraction(0), Fraction(0)))
                found[z] = chance + p * q, earned + p * (c + q * lump)
        return rate, reward, found

    def _jumps(self, m: int, choice: Offer) -> tuple[Fraction, Chances]:
        """Exit rate and probabilities; a chain's file has the rates of its jumps instead."""
        if self.found.kind != CHAIN:
            return self._rate(m), self._row(m, choice)
        flow = {y: self._positive(q, choice.line) for y, q in choice.row.items()}
        rate, given = sum(flow.values(), Fraction(0)), self.found.nodes[m].rate
        if given is not None and abs(self._exact(given, choice.line) - rate) > _ROUNDING * rate:
            self.found.fail(
                choice.line,
                f"the jumps of state {m} have rates that sum to {shown(rate)}, not to !{given}",
            )
        return rate, {y: q / rate for y, q in flow.items()}

    # --- numbers ------------------------------------------------------------------------------

    def _row(self, x: int, choice: Offer) -> Chances:
        """Probabilities, which sum to 1."""
        cells = {str(y): _rounded(p) for y, p in choice.row.items()}
        for p in choice.row.values():
            self._positive(p, choice.line)
        row = self.reader.row(cells, f"{self.found.where}: line {choice.line}: state {x}")
        total = sum(row.values(), Fraction(0))
        if total != 1:
            self.found.fail(
                choice.line,
                f"the probabilities of state {x} sum to {shown(total)}, not exactly 1; "
                "pass rationalize=1e-5, or write fractions",
            )
        return {int(y): p for y, p in row.items()}

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


def _mixed(parts: Iterable[tuple[Fraction, Chances]]) -> Chances:
    """The mixture of several laws."""
    found = Chances()
    for share, chances in parts:
        for y, p in chances.items():
            found[y] = found.get(y, Fraction(0)) + share * p
    return found


def _renamed(row: Transition, names: Mapping[str, str]) -> Transition:
    to, lump = (tuple((names[y], n) for y, n in numbers) for numbers in (row.to, row.lump))
    return replace(row, state=names[row.state], to=to, lump=lump)


def _rounded(text: str) -> str:
    """A decimal is somebody's rounding; a whole number and a fraction are what they say."""
    return Rounded(text) if set(text) & set(".eE") else text
