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
from itertools import pairwise
from typing import Any

from verify.coq.nodes import Goal, Lines, block, steps, used
from verify.coq.text import NotExportedError, Text, Written, expanded, folded, variable_name
from verify.recheck.intervals import UnknownError
from verify.recheck.reading import domain_of, names_in, relation_of, tree_of
from verify.recheck.series import range_of

HEAD = """From Coq Require Import Reals Lra Psatz ZArith List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Verify Require Import Rules.
Import ListNotations.
Open Scope R_scope.
"""

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
    return name if name[:1].isalpha() else f"claim_{name}"


@dataclass(frozen=True)
class Said:
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

    def __init__(self, said: Said) -> None:
        self.said = said
        self.ranges, self.given = domain_of(said.conditions, said.names)
        self.printer = Written(set(said.names), self.ranges, frozenset(said.integers))
        count = 0
        self.conditions: list[_Condition] = []
        for text in said.conditions:
            if isinstance(tree_of(text), ast.Name):
                continue
            for one in self._comparisons(text):
                known = self._is_range(one[3], one[4])
                self.conditions.append(
                    _Condition(one[0], one[1], one[5], one[2], None if known else count)
                )
                count += not known
        ((self.relation, self.left, self.right, *_, self.sign),) = self._comparisons(said.relation)
        self.assumed, self.defined = list[str](), list[str]()
        for condition, t in self.printer.needs.items():
            try:
                x = range_of(t, self.ranges)
            except UnknownError:
                seen = False
            else:
                strict = "<=" not in condition
                seen = x.positive(strict) or ("<>" in condition and (-x).positive(True))
            (self.defined if seen else self.assumed).append(condition)

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

    def premises(self) -> list[str]:
        return [*(c.written for c in self.conditions), *self.assumed]

    def lemma(self, kind: str, name: str, conclusion: str, extra: Sequence[str]) -> Lines:
        premises = [c.written for c in self.conditions] + list(extra)
        lines = [f"{kind} {name} : {self.binders()}".rstrip()]
        lines += [f"  {' -> '.join(premises)} ->"] if premises else []
        return [*lines, f"  {conclusion}."]

    def opening(self, cases: bool) -> Lines:
        """From the statement to variables and hypotheses by name."""
        order = [n for n in self.said.names if n in self.said.integers]
        order += [n for n in self.said.names if n not in self.said.integers]
        lines = [f"intros {' '.join(map(variable_name, order))}."] if order else []
        lines += [f"whole_number {variable_name(n)}." for n in self.said.names if n in self.said.integers]
        names = [f"G{c.given}" if c.given is not None else f"H{k}" for k, c in enumerate(self.conditions)]
        names += [f"D{k}" for k in range(len(self.assumed))]
        return [*lines, *([f"intros {' '.join(names)}."] if names else [])]


def theorem(label: str, said: Said, proof: Any, words: str = "") -> str:
    """The text of the file."""
    statement = _Statement(said)
    if statement.sign == "=":
        raise NotExportedError("an identity has no proof tree")
    name = identifier(label)
    left, relation, right = relation_of(said.relation, said.names)
    box = statement.ranges
    f = expanded(right - left, box)
    given = {c.given: c.sign.replace("=", "==") if c.sign == "=" else c.sign for c in statement.conditions if c.given is not None}
    goal = Goal(f, relation == "<", box, given)
    body = statement.opening("cases" in set(used(proof)))
    for part, same in statement.printer.changes:
        body.append(f"folds ({part}) ({same}).")
    for condition in statement.conditions:
        if condition.given is not None:
            gap = expanded(statement.given[condition.given][0], box)
            body.append(f"as_gap G{condition.given} ({folded(gap)}).")
    body.append(f"apply ({'less_than' if goal.strict else 'at_most'} ({folded(f)})); [same | ].")
    body += steps(proof, goal)
    lines = [f"(** {words or label}: {said.relation} *)".replace("(*)", "( * )"), "", HEAD]
    if statement.defined:
        conclusion = " /\\ ".join(statement.defined)
        lines += [*statement.lemma("Lemma", "defined", conclusion, statement.assumed), "Proof."]
        lines += [f"  {line}" for line in statement.opening(False)]
        lines += ["  defined.", "Qed.", ""]
    lines += [*statement.lemma("Theorem", name, statement.relation, statement.assumed), "Proof."]
    lines += [f"  {line}" for line in body]
    return "\n".join([*lines, "Qed.", "", f"Print Assumptions {name}.", ""])


__all__ = ["NotExportedError", "Said", "block", "identifier", "theorem"]
