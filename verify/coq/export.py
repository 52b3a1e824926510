"""A certificate as a file for Coq: the theorem from what the claim says, the proof from the proof tree.

The statement is made from the relation, the conditions and the integers of the claim, sign by sign, and from
nothing else; so whatever a certificate holds, what Coq accepts is what the claim says.  Where a part of the
formula is not defined at every point of the domain (a denominator that may be 0), the theorem has that as
one more hypothesis; that the other parts are defined is a lemma of its own (``defined``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, product
from typing import Any

from verify.coq.limits import limits
from verify.coq.nodes import steps, uses_hypotheses
from verify.coq.sequents import Lines, Sequent, apart, block, rewriting
from verify.coq.text import AsWritten, NotExportedError, Text, expanded, folded, variable_name
from verify.recheck.derivatives import derivative
from verify.recheck.intervals import UnknownError, point
from verify.recheck.reading import domain_of, names_in, relation_of, tree_of
from verify.recheck.series import inside, range_of
from verify.recheck.terms import Term

HEAD = """From Coq Require Import Reals Lra Psatz ZArith List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Verify Require Import Rules.
Import ListNotations.
Open Scope R_scope.
"""

_POINTS = 1024  # of a box at which a condition is looked at

_SIGNS: Mapping[type[ast.cmpop], tuple[str, bool]] = {
    ast.LtE: ("<=", False),
    ast.Lt: ("<", False),
    ast.GtE: ("<=", True),
    ast.Gt: ("<", True),
    ast.Eq: ("=", False),
}


def identifier(label: str) -> str:
    """The name of the theorem of a claim, and of its file."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_")
    return (
        name if name[:1].isalpha() and name != "defined" and name == variable_name(name) else f"claim_{name}"
    )


@dataclass(frozen=True)
class Stated:
    """What a claim says: a relation, the conditions of its domain, its integers and other variables."""

    relation: str
    conditions: tuple[str, ...]
    integers: tuple[str, ...]
    reals: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """All variables."""
        texts = [*self.conditions, self.relation]
        return sorted(set(self.integers).union(self.reals, *map(names_in, map(tree_of, texts))))


@dataclass(frozen=True)
class _Condition:
    """One comparison: as written, with its functions folded, and its index if it is a hypothesis."""

    written: str
    left: Text
    sign: str
    right: Text
    given: int | None


class _Statement:
    """The parts of a theorem."""

    def __init__(self, said: Stated) -> None:
        self.said = said
        self.ranges, self.given = domain_of(said.conditions, said.names)
        self.printer = AsWritten(set(said.names), self.ranges, frozenset(said.integers))
        count = 0
        self.conditions: list[_Condition] = []
        for text in said.conditions:
            if isinstance(tree_of(text), ast.Name):
                continue
            for one in self._comparisons(text):
                known = self._is_range(one[3], one[4])
                self.conditions.append(_Condition(one[0], one[1], one[5], one[2], None if known else count))
                count += not known
        ((self.relation, self.left, self.right, *_, self.sign),) = self._comparisons(said.relation)
        self.assumed, self.defined = list[str](), list[str]()
        for condition, t in self.printer.needs.items():
            (self.assumed if self._fails(condition, t) else self.defined).append(condition)

    def _fails(self, condition: str, t: Term) -> bool:
        """Whether it is seen not to hold at a point of the ranges: ends that belong to them, and inner ones.

        What is positive at one point and negative at another is 0 on the way.
        """
        names = sorted(t.names)
        ends = [
            [
                *(e for e, is_open in ((x.low, x.low_open), (x.high, x.high_open)) if not is_open),
                *inside(x, 2),
            ]
            for x in (self.ranges[n] for n in names)
        ]
        signs = set()
        for place in islice(product(*ends), _POINTS):
            try:
                x = range_of(t, {n: point(e) for n, e in zip(names, place, strict=True)})
            except UnknownError:
                continue
            if x.single and x.low == 0 and "<=" not in condition:
                return True
            if "<>" not in condition and (-x).positive(True):
                return True
            signs |= {sign for sign, y in ((1, x), (-1, -x)) if y.positive(True)}
        return "<>" in condition and len(signs) > 1

    def _is_range(self, left: ast.expr, right: ast.expr) -> bool:
        known = self.ranges
        return any(
            isinstance(a, ast.Name) and a.id in known and not names_in(b)
            for a, b in ((left, right), (right, left))
        )

    def _comparisons(self, text: str) -> list[tuple[str, Text, Text, ast.expr, ast.expr, str]]:
        text = text.strip()
        tree = tree_of(text)
        if not isinstance(tree, ast.Compare) or any(type(op) not in _SIGNS for op in tree.ops):
            raise NotExportedError(f"{text!r} is not a comparison")
        found = []
        for op, (a, b) in zip(tree.ops, pairwise([tree.left, *tree.comparators]), strict=True):
            sign, turned = _SIGNS[type(op)]
            a, b = (b, a) if turned else (a, b)
            (left, left_mixed), (right, right_mixed) = (self.printer.formula(text, side) for side in (a, b))
            found.append((f"{left.text} {sign} {right.text}", left_mixed, right_mixed, a, b, sign))
        return found

    def binders(self) -> str:
        whole = [variable_name(n) for n in self.said.names if n in self.said.integers]
        real = [variable_name(n) for n in self.said.names if n not in self.said.integers]
        both = [f"({' '.join(group)} : {kind})" for group, kind in ((whole, "Z"), (real, "R")) if group]
        return f"forall {' '.join(both)}," if both else ""

    def lemma(self, kind: str, name: str, conclusion: str) -> Lines:
        """A statement on the domain."""
        premises = [*(c.written for c in self.conditions), *self.assumed]
        lines = [f"{kind} {name} : {self.binders()}".rstrip()]
        lines += [f"  {' -> '.join(premises)} ->"] if premises else []
        return [*lines, f"  {conclusion}."]

    def limits(self, name: str, last: str) -> Lines:
        """What follows where a formula has no value (``limits``), from the theorem of this name."""
        whole = [variable_name(n) for n in self.said.names if n in self.said.integers]
        real = [variable_name(n) for n in self.said.names if n not in self.said.integers]
        premises = [*(c.written for c in self.conditions), *self.assumed]
        return limits(name, last, premises, self.relation, {"Z": whole, "R": real})

    def opening(self) -> Lines:
        """From the statement to variables and hypotheses by name."""
        whole = [variable_name(n) for n in self.said.names if n in self.said.integers]
        real = [variable_name(n) for n in self.said.names if n not in self.said.integers]
        lines = [f"intros {' '.join((*whole, *real))}."] if whole or real else []
        lines += [f"whole_number {n}." for n in whole]
        names = [f"G{c.given}" if c.given is not None else f"H{k}" for k, c in enumerate(self.conditions)]
        names += [f"D{k}" for k in range(len(self.assumed))]
        return [*lines, *([f"intros {' '.join(names)}."] if names else [])]

    def goal(self) -> Sequent:
        """What the root of the proof tree has to show."""
        left, relation, right = relation_of(self.said.relation, self.said.names)
        given = {c.given: "==" if c.sign == "=" else c.sign for c in self.conditions if c.given is not None}
        gaps = {k: expanded(gap, self.ranges) for k, (gap, _) in enumerate(self.given)}
        return Sequent(expanded(right - left, self.ranges), relation == "<", self.ranges, given, gaps)

    def first(self, goal: Sequent) -> Lines:
        """The way to that goal: everything folded."""
        lines = self.opening()
        lines += [f"folds ({part}) ({same})." for part, same in self.printer.changes]
        lines += [f"as_gap G{k} ({folded(gap)})." for k, gap in goal.gaps.items()]
        lemma = "less_than" if goal.strict else "at_most"
        return [*lines, f"apply ({lemma} ({folded(goal.f)})); [same | ]."]


@dataclass(frozen=True)
class File:
    """The text, and the conditions that the theorem has beyond those of the claim: where it has a value."""

    text: str
    only_where: tuple[str, ...] = ()


def theorem(name: str, said: Stated, proof: Any, words: str = "") -> File:
    """The file of an inequality."""
    statement = _Statement(said)
    if statement.sign == "=":
        raise NotExportedError("an identity has no proof tree")
    goal = statement.goal()
    return _file(name, statement, [*statement.first(goal), *steps(proof, goal)], words or said.relation)


def monotone_theorem(
    name: str,
    said: Stated,
    monotone: tuple[str, str, bool],
    proofs: Sequence[tuple[str, Any]],
    words: str = "",
) -> File:
    """That a function is monotone in x: its values at two points x0 <= x, by the sign of its slope."""
    f, x, up = monotone
    if len(proofs) != 1:
        raise NotExportedError("a monotonicity that is shown in several parts")
    ((relation, proof),) = proofs
    if uses_hypotheses(proof):
        raise NotExportedError("a monotonicity under hypotheses")
    other = f"{x}0"
    while other in said.names:
        other += "0"
    before = _renamed(f, x, other)
    ends = (before, f) if up else (f, before)
    more = [_renamed(text, x, other) for text in said.conditions if x in names_in(tree_of(text))]
    statement = _Statement(
        Stated(
            f"{ends[0]} <= {ends[1]}", (*said.conditions, *more, f"{other} <= {x}"), said.integers, said.reals
        )
    )
    goal = statement.goal()
    lines, goal = apart(goal, [goal.f])
    at, shown = variable_name(other), variable_name(x)
    slope = expanded(derivative(goal.f, x), goal.box)
    _, _, right = relation_of(relation, said.names)
    way = goal.on(x, goal.box[x].inner()).about(right)
    body = [
        *statement.first(goal),
        *lines,
        f"apply (from_lower (fun {shown} => {folded(goal.f)})",
        f"  (fun {shown} => {folded(slope)}) {at} {shown}).",
        "{ lra. }",
        f"{{ follow {shown}. derive. }}",
        f"{{ follow {shown}. continuous. }}",
        "{ right; same. }",
        *block([f"follow {shown}.", *rewriting(way, slope), *steps(proof, way)]),
    ]
    return _file(name, statement, body, words or said.relation)


def _renamed(text: str, old: str, new: str) -> str:
    """With another name for a variable, and everything else as it stands."""
    text = text.strip()
    tree = tree_of(text)
    called = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    names = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == old and id(n) not in called]
    places = [n.col_offset for n in names]
    raw = text.encode()
    for place in sorted(places, reverse=True):
        raw = raw[:place] + new.encode() + raw[place + len(old) :]
    return raw.decode()


def _file(name: str, statement: _Statement, body: Lines, words: str) -> File:
    comment = words.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
    lines = [f"(** {comment} *)", "", HEAD]
    if statement.defined:
        lines += [*statement.lemma("Lemma", "defined", " /\\ ".join(statement.defined)), "Proof."]
        lines += [f"  {line}" for line in statement.opening()]
        lines += ["  defined.", "Qed.", ""]
    if statement.assumed:
        lines += [f"(* Where {' or '.join(statement.assumed)} fails, the formula has no value. *)"]
    lines += [*statement.lemma("Theorem", name, statement.relation), "Proof."]
    lines += [*(f"  {line}" for line in body), "Qed.", ""]
    last = f"{name}_limits" if statement.assumed and statement.sign == "<=" else name
    lines += statement.limits(name, last) if last != name else []
    return File("\n".join([*lines, f"Print Assumptions {last}.", ""]), tuple(statement.assumed))
