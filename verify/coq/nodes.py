"""The nodes of a proof tree as steps in Coq: for each rule the lemma of ``Rules.v``, and a block per child.

A node is believed in everything: what it says is written down, and whether it is so is for Coq to decide.
The goal that Coq has before a node is ``0 <= f`` (``0 < f`` if strict), with f printed folded; in its context
are the ranges of the variables and the hypotheses as ``G0``, ``G1``, ... in the form ``0 <= gap``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from verify.coq.text import NotExportedError, expanded, folded, rational_text, variable_name
from verify.recheck.derivatives import derivative
from verify.recheck.identities import without_kinks
from verify.recheck.intervals import INF, Interval, UnknownError
from verify.recheck.reading import rational, read
from verify.recheck.series import Box, Series
from verify.recheck.terms import Term, call, number, put, variable

Node = Mapping[str, Any]
Lines = list[str]


@dataclass(frozen=True)
class Goal:
    """What a node has to show: ``f >= 0`` (``> 0`` if strict) on a box, with the relations of hypotheses."""

    f: Term
    strict: bool
    box: Box
    given: Mapping[int, str]  # index, and <=, < or ==

    def about(self, f: Term, strict: bool | None = None) -> Goal:
        """The same box with another expression."""
        return replace(self, f=expanded(f, self.box), strict=self.strict if strict is None else strict)

    def on(self, name: str, x: Interval) -> Goal:
        """With another range of one variable."""
        return replace(self, box={**self.box, name: x})

    def read(self, node: Node, key: str) -> Term:
        """A formula of the node."""
        return expanded(read(_field(node, key), self.box), self.box)

    @property
    def mode(self) -> str:
        """The end of a lemma's name."""
        return "_strict" if self.strict else ""


def _field(node: Node, key: str) -> Any:
    if key not in node:
        raise NotExportedError(f"a proof without the field {key!r}")
    return node[key]


def steps(node: Any, goal: Goal) -> Lines:
    """The lines that prove the goal."""
    rule = _RULES.get(node.get("by")) if isinstance(node, Mapping) else None
    if rule is None:
        raise NotExportedError(f"the rule {node.get('by') if isinstance(node, Mapping) else node!r}")
    return rule(node, goal)


def block(lines: Lines) -> Lines:
    """A block for one child."""
    if len(lines) == 1:
        return [f"{{ {lines[0]} }}"]
    first, *rest = lines
    return [f"{{ {first}", *(f"  {line}" for line in rest[:-1]), f"  {rest[-1]} }}"]


# ---------------------------------------------------------------- leaves


def _range(node: Node, goal: Goal) -> Lines:
    del node, goal
    return ["range."]


def _bounded(goal: Goal) -> list[str]:
    names = sorted(n for n in goal.f.names if not goal.box[n].single)
    return [variable_name(n) for n in names if goal.box[n].bounded]


def _taylor(node: Node, goal: Goal) -> Lines:
    names = _bounded(goal)
    return [f"taylor {names[0]}."] if len(names) == 1 else ["range."] if not names else [_boxes(names)]


def _boxes(names: list[str]) -> str:
    bisect = ", ".join(f"i_bisect {n}" for n in names)
    return f"interval with ({bisect}, i_autodiff {names[0]}, i_prec 60)."


def _sturm(node: Node, goal: Goal) -> Lines:
    del node
    return ["polynomial."]


# ---------------------------------------------------------------- parts of the box


def _split(node: Node, goal: Goal) -> Lines:
    name, at, parts = str(_field(node, "variable")), rational(_field(node, "at")), _field(node, "parts")
    x = goal.box[name]
    left = replace(x, high=at, high_open=False)
    right = replace(x, low=at, low_open=False)
    shown, point = variable_name(name), rational_text(at).within(1)
    lines = [f"destruct (Rle_or_lt {shown} ({point})) as [Half | Half]."]
    for half, part in zip((left, right), parts, strict=True):
        lines += block(steps(part, goal.on(name, half)))
    return lines


def _cases(node: Node, goal: Goal) -> Lines:
    name, parts, tail = str(_field(node, "variable")), _field(node, "parts"), node.get("tail")
    x, shown = goal.box[name], variable_name(name)
    value = math.floor(x.low) + 1 if x.low_open else math.ceil(x.low)
    lines = [f"start_at {shown} ({value})%Z."]
    for part in parts:
        here = {name: number(value)}
        box = {n: r for n, r in goal.box.items() if n != name}
        f = expanded(put(goal.f, here), box)
        child = Goal(f, goal.strict, box, goal.given)
        put_in = [f"put_in {shown}.", *_rewriting(child)]
        lines += [f"next_value {shown} ({value})%Z.", *block([*put_in, *steps(part, child)])]
        value += 1
    if tail is None:
        return [*lines, "exfalso; lra."]
    return [*lines, *steps(tail, goal.on(name, replace(x, low=Fraction(value), low_open=False)))]


# ---------------------------------------------------------------- hypotheses


def _empty(node: Node, goal: Goal) -> Lines:
    raise NotExportedError("the rule empty")


def _given(node: Node, goal: Goal) -> Lines:
    index = _field(node, "hypothesis")
    relation = goal.given.get(index)
    if relation is None:
        raise NotExportedError(f"a use of the hypothesis {index!r}, which is not there")
    m, rest = goal.read(node, "multiplier"), goal.read(node, "rest")
    kind = {"<=": "given", "<": "given_less", "==": "given_equal"}[relation]
    lines = [f"apply ({kind}{goal.mode} _ ({folded(m)}) ({folded(rest)}) _ G{index})."]
    lines += ["{ same. }"]
    if relation != "==":
        lines += block(steps(_field(node, "positive"), goal.about(m, False)))
    return [*lines, *block(steps(_field(node, "proof"), goal.about(rest)))]


# ---------------------------------------------------------------- along a variable


def _monotone(node: Node, goal: Goal) -> Lines:
    name, lower = str(_field(node, "variable")), node.get("from") == "lower"
    x, shown = goal.box[name], variable_name(name)
    end = x.low if lower else x.high
    rest = {n: r for n, r in goal.box.items() if n != name}
    value = expanded(read(_field(node, "value"), rest), rest)
    f = without_kinks(goal.f, goal.box)
    slope = expanded(derivative(f, name), goal.box)
    by = node.get("strict_by", "end") if goal.strict else ""
    if abs(end) == INF or not _reached(f, name, Fraction(end), goal):
        return _limit(node, goal, f, slope, value)
    where = f"from_{'lower' if lower else 'upper'}"
    lemma = where + {"": "", "end": "_strict", "slope": "_rising"}[by]
    at_end = Goal(value, by == "end", rest, goal.given)
    way = goal.on(name, x.inner()).about(slope if lower else -slope, by == "slope")
    shown_slope = folded(slope)
    lines = [
        *(_rewriting(goal.about(f)) if f != goal.f else []),
        f"apply ({lemma} (fun {shown} => {folded(f)})",
        f"  (fun {shown} => {shown_slope}) ({rational_text(Fraction(end)).text}) {shown}).",
        "{ lra. }",
        f"{{ follow {shown}. derive. }}",
        "{ continuous. }",
        *block([*_rewriting(at_end, "cbv beta; "), *steps(_field(node, "end"), at_end)]),
        *block([f"follow {shown}.", *_slope(way), *steps(_field(node, "slope"), way)]),
    ]
    return lines


def _slope(way: Goal) -> Lines:
    return _rewriting(way)


def _rewriting(goal: Goal, before: str = "") -> Lines:
    """Another form of the same goal."""
    return [f"{before}apply (rewriting{goal.mode} _ ({folded(goal.f)})); [same | ]."]


def _reached(f: Term, name: str, end: Fraction, goal: Goal) -> bool:
    """Whether f is defined at the end: what is a limit to Coq is decided here, nothing else."""
    x = goal.box[name].inner()
    for change in (lambda r: r, Interval.inner):
        box = {n: change(r) for n, r in goal.box.items()}
        try:
            Series({**box, name: x.hull(Interval(end, end))}, "", 0).of(f)
        except UnknownError:
            continue
        return True
    return False


def _limit(node: Node, goal: Goal, f: Term, slope: Term, value: Term) -> Lines:
    raise NotExportedError("a limit at an open or infinite end")


def _contact(node: Node, goal: Goal) -> Lines:
    name, order = str(_field(node, "variable")), _field(node, "order")
    x, shown = goal.box[name], variable_name(name)
    rest = {n: r for n, r in goal.box.items() if n != name}
    at = expanded(read(_field(node, "at"), rest), rest)
    if type(order) is not int or not 1 <= order <= 6:
        raise NotExportedError(f"a contact of order {order}")
    lower = at.value is not None and at.value == x.low
    chain = [without_kinks(goal.f, goal.box)]
    for _ in range(order):
        chain.append(expanded(derivative(chain[-1], name), goal.box))
    functions = "; ".join(f"fun {shown} => {folded(g)}" for g in chain)
    sign = -1 if order % 2 and not lower else 1
    way = goal.on(name, x.inner()).about(sign * chain[-1])
    side = "" if order % 2 == 0 else "_right" if lower else "_left"
    start = [f"apply (contact{side}{goal.mode} [{functions}] ({folded(at)}) {shown}); cbn [first_of chained vanish final sign_of]."]
    return [
        *start,
        *(["{ lra. }"] * (2 if side == "_left" else 1)),
        f"{{ touching {shown}. }}",
        "{ vanishing. }",
        *block([f"follow {shown}.", *_slope(way), *steps(_field(node, "proof"), way)]),
    ]


# ---------------------------------------------------------------- other forms


def _rewrite(node: Node, goal: Goal) -> Lines:
    child = goal.about(goal.read(node, "expression"))
    return [*_rewriting(child), *steps(_field(node, "proof"), child)]


def _multiply(node: Node, goal: Goal) -> Lines:
    factor, quotient = goal.read(node, "factor"), goal.read(node, "quotient")
    return [
        f"apply (multiply{goal.mode} _ ({folded(factor)}) ({folded(quotient)})).",
        "{ same. }",
        *block(steps(_field(node, "positive"), goal.about(factor))),
        *block(steps(_field(node, "proof"), goal.about(quotient))),
    ]


def _sum(node: Node, goal: Goal) -> Lines:
    terms = _field(node, "terms")
    expressions = [expanded(read(_field(term, "expression"), goal.box), goal.box) for term in terms]
    strict = node.get("strict_term") if goal.strict else None
    lines = []
    for k, (term, e) in enumerate(zip(terms, expressions, strict=True)):
        child = goal.about(e, k == strict)
        lines += [f"assert (T{k} : 0 {'<' if child.strict else '<='} {folded(child.f)})."]
        lines += block(steps(_field(term, "proof"), child))
    total = " + ".join(f"({folded(e)})" for e in expressions)
    return [*lines, f"apply (rewriting{goal.mode} _ ({total})); [same | lra]."]


def _reciprocal(node: Node, goal: Goal) -> Lines:
    raise NotExportedError("the rule reciprocal")


def _logarithm(node: Node, goal: Goal) -> Lines:
    larger, smaller, e = (goal.read(node, key) for key in ("larger", "smaller", "expression"))
    return [
        f"apply (logarithm_rule{goal.mode} _ ({folded(larger)}) ({folded(smaller)}) ({folded(e)})).",
        "{ same. }",
        "{ range. }",
        "{ range. }",
        "{ same. }",
        *steps(_field(node, "proof"), goal.about(e)),
    ]


_RULES: Mapping[Any, Callable[[Node, Goal], Lines]] = {
    "range": _range,
    "taylor": _taylor,
    "sturm": _sturm,
    "split": _split,
    "cases": _cases,
    "empty": _empty,
    "given": _given,
    "monotone": _monotone,
    "contact": _contact,
    "rewrite": _rewrite,
    "multiply": _multiply,
    "sum": _sum,
    "reciprocal": _reciprocal,
    "logarithm": _logarithm,
}


def used(node: Any) -> Iterator[str]:
    """The rules of a proof."""
    if isinstance(node, Mapping):
        if isinstance(node.get("by"), str):
            yield node["by"]
        for part in node.values():
            yield from used(part)
    elif isinstance(node, list):
        for part in node:
            yield from used(part)
