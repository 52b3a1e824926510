"""Inequalities of the provers, at the terms of a derivation.

A claim that is proved, or a relation with a certificate that the independent checker accepts, holds at all
numbers of its domain: so at these terms, given that they are in the domain and that everything in the
relation is defined there (as x/0 has a value here, and none in a claim).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verify.kernel import terms as T  # noqa: N812 - the letter of every term
from verify.kernel.language import Setting, show
from verify.kernel.reading import tree_of
from verify.kernel.terms import NAT, ONE, ZERO, KernelError, Term
from verify.kernel.theorems import Theorem, made, named, require
from verify.recheck.certificates import check_certificate

_NAMES = {"ln": "log", "abs": "Abs", "max": "Max", "min": "Min"}


@dataclass(frozen=True)
class Pointwise:
    """An inequality of the claims' language: a claim, or one with a certificate of its own."""

    relation: str
    domain: tuple[str, ...]
    integers: tuple[str, ...] = ()
    label: str = ""
    certificate: Mapping[str, Any] | None = None


@named("pointwise")
def pointwise(setting: Setting, goal: Pointwise, values: Mapping[str, Term]) -> Theorem:
    """A proved inequality at these terms, given its domain and that everything in it is defined there."""
    rule = f"pointwise {goal.label or goal.relation}"
    _certified(goal, rule)
    for name in goal.integers:
        if name in values:
            T.require_sort(values[name], NAT, f"{rule}: {name}")
    reader = _Elementary(values, rule)
    says = reader.relations(goal.relation)
    require(len(says) == 1, rule, "the relation has one <=, <, >=, > or ==")
    given = [one for text in goal.domain for one in reader.relations(text)]
    fields: dict[str, Any] = {
        "relation": goal.relation,
        "domain": list(goal.domain),
        "integers": list(goal.integers),
        "with": {name: show(t) for name, t in values.items()},
        **({"label": goal.label} if goal.label else {"certificate": dict(goal.certificate or {})}),
    }
    return made("pointwise", fields, (), (*given, *reader.defined), says[0], setting)


def _certified(goal: Pointwise, rule: str) -> None:
    """Without a label the certificate must be for exactly this."""
    if goal.label:
        return
    data = goal.certificate or {}
    require(
        data.get("relation") == goal.relation
        and list(data.get("domain", ())) == list(goal.domain)
        and set(data.get("integers", ())) == set(goal.integers),
        rule,
        "the certificate is for something else",
    )
    complaints = _complaints(data)
    require(not complaints, rule, "; ".join(complaints[:1]))


_known: dict[str, list[str]] = {}  # by the whole certificate: what the checker said of it
_KEPT = 500


def _complaints(data: Mapping[str, Any]) -> list[str]:
    words = repr(data)
    if words not in _known:
        if len(_known) >= _KEPT:
            _known.clear()
        _known[words] = check_certificate(data, "certificate", lambda _: None, whole=True)
    return _known[words]


class _Elementary:
    """Formulas of the claims' language at given terms, and what makes them defined."""

    def __init__(self, values: Mapping[str, Term], rule: str) -> None:
        self.values, self.rule = values, rule
        self.defined: list[Term] = []

    def relations(self, text: str) -> list[Term]:
        try:
            tree = tree_of(text)
        except KernelError as error:
            raise KernelError(f"{self.rule}: {error}") from None
        require(isinstance(tree, ast.Compare), self.rule, f"{text!r} is no comparison")
        assert isinstance(tree, ast.Compare)
        sides = [self._of(side, text) for side in (tree.left, *tree.comparators)]
        found = []
        for op, a, b in zip(tree.ops, sides[:-1], sides[1:], strict=True):
            names = {ast.LtE: "<=", ast.Lt: "<", ast.Eq: "==", ast.GtE: ">=", ast.Gt: ">"}
            name = names.get(type(op), "")
            require(name != "", self.rule, f"{text!r} is no comparison")
            found.append(
                T.relation(name[0] + name[1:], a, b) if name[0] != ">" else T.relation("<" + name[1:], b, a)
            )
        return found

    def _of(self, node: ast.expr, text: str) -> Term:
        match node:
            case ast.Constant(value=int() as n) if not isinstance(n, bool):
                return T.num(n)
            case ast.Constant(value=float()):
                return T.num(Fraction(ast.get_source_segment(text.strip(), node) or ""))
            case ast.Name(id=name) if name in self.values:
                return self.values[name]
            case ast.Name(id="E"):
                return T.exp(ONE)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return T.scale(self._of(operand, text), -1)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(op, self._of(left, text), self._of(right, text))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self._function(_NAMES.get(name, name), [self._of(a, text) for a in args])
        raise KernelError(
            f"{self.rule}: {ast.unparse(node)!r} has no value here; give a term for each variable"
        )

    def _operation(self, op: ast.operator, a: Term, b: Term) -> Term:
        match op:
            case ast.Add():
                return T.add(a, b)
            case ast.Sub():
                return T.sub(a, b)
            case ast.Mult():
                return T.mul(a, b)
            case ast.Div():
                self._needs("<", b)
                return T.mul(a, T.inverse(b))
            case ast.Pow():
                whole = b.tag == "num" and b.parts[0].denominator == 1
                if not whole or b.parts[0] < 0:
                    self._needs("<", a)
                return T.power(a, int(b.parts[0])) if whole else T.exp(T.mul(b, T.function("log", a)))
        raise KernelError(f"{self.rule}: there is no {type(op).__name__} here")

    def _function(self, name: str, values: list[Term]) -> Term:
        if name == "exp" and len(values) == 1:
            return T.exp(values[0])
        if name in ("log", "sqrt") and len(values) == 1:
            self._needs("<" if name == "log" else "<=", values[0])
            return T.function(name, *values)
        if (name == "Abs" and len(values) == 1) or (name in ("Max", "Min") and len(values) >= 2):
            return T.function(name, *values)
        raise KernelError(f"{self.rule}: the language of derivations has no {name} of {len(values)}")

    def _needs(self, op: str, t: Term) -> None:
        if t.tag != "num":
            self.defined.append(T.relation(op, ZERO, t))
        else:
            positive = t.parts[0] > 0 or (op == "<=" and t.parts[0] == 0)
            require(positive, self.rule, f"divides by {t.parts[0]}, or takes its root or logarithm")
