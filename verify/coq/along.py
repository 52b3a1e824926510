"""Rules that follow a variable: to an end of its range, to infinity, or to a place where everything vanishes.

*Limits.*  At infinity Coq is given the function of the reciprocal, g(u) = f(1/u), in a form continuous
at 0, and its value there; or, where there is none, u f(1/u), which vanishes at 0, and its slope there.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from verify.coq.sequents import (
    Lines,
    Node,
    Sequent,
    all_defined,
    apart,
    at_reciprocal,
    block,
    field,
    functions,
    normal,
    put_in,
    rewriting,
)
from verify.coq.text import NotExportedError, expanded, folded, rational_text, variable_name
from verify.recheck.derivatives import derivative
from verify.recheck.identities import same, without_kinks
from verify.recheck.intervals import INF, Interval, UnknownError
from verify.recheck.quotients import together
from verify.recheck.reading import read
from verify.recheck.series import Box, Series, range_of
from verify.recheck.terms import ZERO, Term, number, put, variable

Prove = Callable[[Any, Sequent], Lines]  # the lines for a child


def monotone(node: Node, goal: Sequent, prove: Prove) -> Lines:
    """From an end of the range on, by the sign of the slope."""
    name, lower = str(field(node, "variable")), node.get("from") == "lower"
    x, shown = goal.box[name], variable_name(name)
    end = x.low if lower else x.high
    rest = {n: r for n, r in goal.box.items() if n != name}
    value = expanded(read(field(node, "value"), rest), rest)
    f = without_kinks(goal.f, goal.box)
    slope = expanded(derivative(f, name), goal.box)
    by = node.get("strict_by", "end") if goal.strict else ""
    if abs(end) == INF or not _reached(f, name, Fraction(end), goal):
        return _limit(node, goal, prove, f, slope)
    where = f"from_{'lower' if lower else 'upper'}"
    lemma = where + {"": "", "end": "_strict", "slope": "_rising"}[by]
    at_end = Sequent(value, by == "end", rest, goal.given, goal.gaps)
    way = goal.on(name, x.inner()).about(slope if lower else -slope, by == "slope")
    shown_slope = folded(slope)
    return [
        *(rewriting(goal.about(f)) if f != goal.f else []),
        f"apply ({lemma} (fun {shown} => {folded(f)})",
        f"  (fun {shown} => {shown_slope}) ({rational_text(Fraction(end)).text}) {shown}).",
        "{ lra. }",
        f"{{ follow {shown}. derive. }}",
        f"{{ follow {shown}. continuous. }}",
        *block(
            [
                "cbv beta.",
                *put_in(f, name, Fraction(end), rest),
                *rewriting(at_end, expanded(put(f, {name: number(Fraction(end))}), rest)),
                *prove(field(node, "end"), at_end),
            ]
        ),
        *block([f"follow {shown}.", *rewriting(way), *prove(field(node, "slope"), way)]),
    ]


def _reached(f: Term, name: str, end: Fraction, goal: Sequent) -> bool:
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


def _limit(node: Node, goal: Sequent, prove: Prove, f: Term, slope: Term) -> Lines:
    """A limit at infinity, as the value at 0 of a function of the reciprocal, or of its slope there."""
    name = str(field(node, "variable"))
    if node.get("from") != "upper" or goal.box[name].high != INF:
        raise NotExportedError("a limit at a finite end or at minus infinity")
    lines, goal = apart(goal, [f, slope])
    x, shown, rest = goal.box[name], variable_name(name), {n: r for n, r in goal.box.items() if n != name}
    by = node.get("strict_by", "end") if goal.strict else ""
    there = {**goal.box, name: x.inverse() if x.low > 0 else Interval(Fraction(0), INF, True, True)}
    u = variable(name)
    g = normal(put(f, {name: 1 / u}), there)
    order = 0 if _at_zero(g, name, there) is not None else 1
    g = g if order == 0 else normal(u * put(f, {name: 1 / u}), there)
    value = _at_zero(g, name, there)
    if value is None or (order and not same(value, ZERO, rest)):
        raise NotExportedError(
            "a limit at infinity that is neither a value nor a slope at 0 in the reciprocal"
        )
    at_end = Sequent(
        expanded(read(field(node, "value"), rest), rest), by == "end", rest, goal.given, goal.gaps
    )
    way = goal.on(name, x.inner()).about(-slope, by == "slope")
    kind = {"": "", "end": "_strict", "slope": "_rising"}[by]
    end_lines = [*rewriting(at_end), *prove(field(node, "end"), at_end)]
    placed = put_in(g, name, Fraction(0), rest)
    if order == 0:
        limit = ["{ continuous. }", *block(["cbv beta.", *placed, *end_lines])]
    else:
        limit = [*block(["cbv beta.", *placed, "same."]), "{ derive. }", *block(end_lines)]
    more = f" ({folded(at_end.f)})" if order else ""
    return [
        *lines,
        f"apply (from_infinity{'_slope' if order else ''}{kind} (fun {shown} => {folded(f)})",
        f"  (fun {shown} => {folded(slope)}) (fun {shown} => {folded(g)}){more} {shown}).",
        f"{{ follow {shown}. derive. }}",
        *block([f"follow {shown}.", *at_reciprocal(f, g, name, goal.box), "same."]),
        *limit,
        *block([f"follow {shown}.", *rewriting(way), *prove(field(node, "slope"), way)]),
    ]


def _at_zero(g: Term, name: str, box: Box) -> Term | None:
    """The value at 0, if g is continuous there."""
    try:
        zero = Interval(Fraction(0), Fraction(0))
        Series({**box, name: zero.hull(box[name])}, "", 0).of(g)
        return put(g, {name: number(0)})
    except UnknownError:
        return None


def contact(node: Node, goal: Sequent, prove: Prove) -> Lines:
    """From a place where the function and its first derivatives vanish."""
    name, order = str(field(node, "variable")), field(node, "order")
    x, shown = goal.box[name], variable_name(name)
    rest = {n: r for n, r in goal.box.items() if n != name}
    at = expanded(read(field(node, "at"), rest), rest)
    if type(order) is not int or not 1 <= order <= 6:
        raise NotExportedError(f"a contact of order {order}")
    lower = at.value is not None and at.value == x.low
    first = without_kinks(goal.f, goal.box)
    inner = {n: r if n == name else r.inner() for n, r in goal.box.items()}
    if not all_defined([first], inner, name, at) and all_defined([together(first)], inner, name, at):
        first = expanded(together(first), goal.box)  # 1/(1 + 1/x) is nothing special at 0
    chain = [first]
    for _ in range(order):
        chain.append(expanded(derivative(chain[-1], name), goal.box))
    lines, goal = apart(goal, chain, name, at)
    functions = "; ".join(f"fun {shown} => {folded(g)}" for g in chain)
    sign = -1 if order % 2 and not lower else 1
    way = goal.on(name, x.inner()).about(sign * chain[-1])
    if goal.strict and not lower:
        raise NotExportedError("a strict contact at an upper end")
    side = "_right" if lower and (goal.strict or order % 2) else "" if order % 2 == 0 else "_left"
    start = [
        f"apply (contact{side}{goal.mode} [{functions}] ({folded(at)}) {shown});",
        "  cbn [first_of chained vanish final sign_of].",
    ]
    return [
        *lines,
        *_inside(at, x, goal.box),
        *(rewriting(goal.about(first)) if first != goal.f else []),
        *start,
        *(["{ lra. }"] * (2 if side == "_left" else 1)),
        f"{{ touching {shown}. }}",
        *block([*_at_contact(chain[:-1], name, at, rest), "vanishing."]),
        *block([f"follow {shown}.", *rewriting(way), *prove(field(node, "proof"), way)]),
        *(["{ easy. }"] if goal.strict else []),
    ]


def _at_contact(chain: list[Term], name: str, at: Term, rest: Box) -> Lines:
    """Functions at the contact, as they are folded there."""
    lines = []
    for g in chain:
        for part, before in functions(g, name, f"({folded(at)})"):
            after = folded(expanded(put(part, {name: at}), rest))
            line = f"folds ({before}) ({after})."
            if line not in lines:
                lines.append(line)
    return lines


def _inside(at: Term, x: Interval, box: Box) -> Lines:
    """That the contact is in the range, where it is not a number."""
    lines = []
    for k, (end, sign) in enumerate(((x.low, 1), (x.high, -1))):
        if at.value is not None or abs(end) == INF:
            continue
        try:
            strict = range_of(sign * (at - Fraction(end)), box).positive(True)
        except UnknownError:
            strict = False
        low, high = rational_text(Fraction(end)).text, folded(at)
        low, high = (low, high) if sign > 0 else (high, low)
        lines.append(f"assert (At{k} : {low} {'<' if strict else '<='} {high}) by range.")
    return lines
