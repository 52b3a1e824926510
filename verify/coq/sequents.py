"""What Coq has to show at a node, and the lines that several rules write: another form, functions at a place.

The goal that Coq has before a node is ``0 <= f`` (``0 < f`` if strict), with f printed folded; in its context
are the ranges of the variables and the hypotheses as ``G0``, ``G1``, ... in the form ``0 <= gap``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from verify.coq.text import NotExportedError, expanded, folded, rational_text, variable_name
from verify.recheck.algebra import Algebra
from verify.recheck.identities import same
from verify.recheck.intervals import INF, Interval, UnknownError
from verify.recheck.reading import read
from verify.recheck.series import Box, range_of
from verify.recheck.terms import HALF, Term, number, power, put, variable

Node = Mapping[str, Any]
Lines = list[str]


@dataclass(frozen=True)
class Sequent:
    """What a node has to show: ``f >= 0`` (``> 0`` if strict) on a box, with the relations of hypotheses."""

    f: Term
    strict: bool
    box: Box
    given: Mapping[int, str]  # index, and <=, < or ==
    gaps: Mapping[int, Term]  # what is >= 0, > 0 or 0

    def about(self, f: Term, strict: bool | None = None) -> Sequent:
        """The same box with another expression."""
        return replace(self, f=expanded(f, self.box), strict=self.strict if strict is None else strict)

    def on(self, name: str, x: Interval) -> Sequent:
        """With another range of one variable."""
        return replace(self, box={**self.box, name: x})

    def read(self, node: Node, key: str) -> Term:
        """A formula of the node."""
        return expanded(read(field(node, key), self.box), self.box)

    @property
    def mode(self) -> str:
        """The end of a lemma's name."""
        return "_strict" if self.strict else ""


def field(node: Node, key: str) -> Any:
    """A field that must be there."""
    if key not in node:
        raise NotExportedError(f"a proof without the field {key!r}")
    return node[key]


def block(lines: Lines) -> Lines:
    """A block for one child."""
    if len(lines) == 1:
        return [f"{{ {lines[0]} }}"]
    first, *rest = lines
    return [f"{{ {first}", *(f"  {line}" for line in rest[:-1]), f"  {rest[-1]} }}"]


def facts(children: Sequence[tuple[Sequent, Lines]]) -> Lines:
    """What several children show, as T0, T1, ...: names that are free for what a child shows on its way."""
    lines: Lines = []
    for k, (child, proof) in enumerate(children):
        taken = k > 0 and any("assert (T" in line for line in proof)
        alone = [f"clear {' '.join(f'T{i}' for i in range(k))}."] if taken else []
        lines += [f"assert (T{k} : 0 {'<' if child.strict else '<='} {folded(child.f)})."]
        lines += block([*alone, *proof])
    return lines


def empty_goal(goal: Sequent, index: Any, side: Any) -> Sequent:
    """What no point of the box may satisfy, since a hypothesis says otherwise; an equation has two sides."""
    relation = goal.given.get(index)
    if relation is None:
        raise NotExportedError(f"a use of the hypothesis {index!r}, which is not there")
    gap = goal.gaps[index]
    return goal.about(gap if relation == "==" and side == "-" else -gap, relation != "<")


def absurd(wrong: Sequent, proof: Lines) -> Lines:
    """The goal, from what a hypothesis denies."""
    sign = "<" if wrong.strict else "<="
    return [f"exfalso. assert (No : 0 {sign} {folded(wrong.f)}).", *block(proof), "lra."]


def ends_of(name: str, x: Interval) -> list[str]:
    """A range as comparisons."""
    shown, found = variable_name(name), []
    if x.low > -INF:
        found.append(f"{rational_text(Fraction(x.low)).within(1)} {'<' if x.low_open else '<='} {shown}")
    if x.high < INF:
        found.append(f"{shown} {'<' if x.high_open else '<='} {rational_text(Fraction(x.high)).within(1)}")
    return found


def at_numbers(goal: Sequent) -> tuple[Lines, Sequent, Mapping[str, Term]]:
    """Variables whose range is a number have it put in everywhere: the lines, the goal, and the numbers."""
    points = {name: number(x.low) for name, x in goal.box.items() if x.single}
    if not points:
        return [], goal, points
    box = {name: x for name, x in goal.box.items() if name not in points}
    gaps = {k: expanded(put(gap, points), box) for k, gap in goal.gaps.items()}
    there = Sequent(expanded(put(goal.f, points), box), goal.strict, box, goal.given, gaps)
    lines = [f"put_number {variable_name(n)} ({folded(value)})." for n, value in points.items()]
    return [*lines, *rewriting(there, goal.f)], there, points


def functions(f: Term, name: str = "", instead: str = "") -> Iterator[tuple[Term, str]]:
    """The functions (of a variable) in a term, innermost first, with their text when it is replaced."""
    shown = re.compile(rf"\b{re.escape(variable_name(name)) if name else '(?!)'}\b")
    met = set()
    for part in f.walk():
        if (name and name not in part.names) or not part.args or part.op in ("+", "*"):
            continue
        if part.is_power and part.args[1].value is not None:
            if part.args[1].value.denominator != 2:
                continue
            part = power(part.args[0], number(HALF))
            if not part.is_power:
                continue
        if part not in met:
            met.add(part)
            yield part, shown.sub(instead, folded(part))


def normalised(terms: Sequence[Term], box: Box) -> Lines:
    """The functions of the terms in normal form, unless they are the same in all of them."""
    atoms = [{folded(part) for part, _ in functions(t)} for t in terms]
    if all(one == atoms[0] for one in atoms):
        return []
    found: dict[str, str] = {}
    for t in terms:
        for part, before in functions(t):
            if part.op in ("exp", "Max", "Min"):
                continue
            for old, new in found.items():
                before = before.replace(old, f"({new})")
            try:
                algebra = Algebra(box)
                after = folded(algebra.term_of(algebra.of(part)))
            except UnknownError:
                continue
            if before != after:
                found.setdefault(before, after)
    return [f"folds ({old}) ({new})." for old, new in found.items()]


def same_block(terms: Sequence[Term], box: Box) -> Lines:
    """That expressions agree: the functions in them in normal form first, where they differ."""
    return block([*normalised(terms, box), "same."])


def rewriting(goal: Sequent, before: Term | None = None) -> Lines:
    """Another form of the same goal."""
    hints = normalised([before, goal.f], goal.box) if before is not None else []
    if not hints:
        return [f"apply (rewriting{goal.mode} _ ({folded(goal.f)})); [same | ]."]
    return [f"apply (rewriting{goal.mode} _ ({folded(goal.f)})).", *block([*hints, "same."])]


def put_in(f: Term, name: str, end: Fraction, rest: Box) -> Lines:
    """Functions of the variable at the end of its range, the innermost first."""
    found: dict[str, str] = {}
    for part, before in functions(f, name, rational_text(end).within(3)):
        for old, new in found.items():
            before = before.replace(old, f"({new})")
        after = folded(expanded(put(part, {name: number(end)}), rest))
        if before != after:
            found.setdefault(before, after)
    return [f"folds ({old}) ({new})." for old, new in found.items()]


def normal(t: Term, box: Box) -> Term:
    """A term in normal form."""
    algebra = Algebra(box)
    try:
        return algebra.term_of(algebra.of(t))
    except UnknownError as error:
        raise NotExportedError(f"a limit at infinity ({error})") from None


def at_reciprocal(f: Term, g: Term, name: str, box: Box) -> Lines:
    """Functions in g of the reciprocal, as they are in f, or all of them in normal form."""
    x = variable(name)
    if box[name].low <= 0:
        box = {**box, name: Interval(Fraction(0), INF, True, True)}
    known = [part for part, _ in functions(f)]
    found = [
        (before, put(part, {name: 1 / x}))
        for part, before in functions(g, name, f"(/ {variable_name(name)})")
    ]
    alike = [next((q for q in known if same(there, q, box)), None) for _, there in found]
    if all(q is not None for q in alike):
        pairs = [(before, folded(q)) for (before, _), q in zip(found, alike, strict=True) if q is not None]
    else:
        pairs = [(before, folded(normal(there, box))) for before, there in found]
        pairs += [(folded(q), folded(normal(q, box))) for q in known if q.op != "exp"]
    return [f"folds ({before}) ({after})." for before, after in pairs if before != after]


def apart(goal: Sequent, parts: list[Term], name: str = "", at: Term | None = None) -> tuple[Lines, Sequent]:
    """Ends of ranges at which a part is not defined, looked at by themselves, and the goal without them.

    The parts are followed along the variable ``name`` as far as ``at``.
    """
    lines: Lines = []
    along, reach = name, at
    for name, x in goal.box.items():
        for end, opened in ((x.low, replace(x, low_open=True)), (x.high, replace(x, high_open=True))):
            if opened == x or x.single or all_defined(parts, goal.box, along, reach):
                continue
            around = {n: r if n == name else r.inner() for n, r in goal.box.items()}
            without = {**around, name: opened}
            if all_defined(parts, without, along, reach) and not all_defined(parts, around, along, reach):
                lines.append(f"apart {variable_name(name)} ({rational_text(Fraction(end)).text}).")
                x = opened
                goal = goal.on(name, opened)
    return lines, goal


def all_defined(parts: list[Term], box: Box, along: str = "", reach: Term | None = None) -> bool:
    """Whether the parts are seen to be defined, along a variable as far as it reaches."""
    try:
        if reach is not None:
            box = {**box, along: box[along].hull(range_of(reach, box))}
        for part in parts:
            range_of(part, box)
    except UnknownError:
        return False
    return True
