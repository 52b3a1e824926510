"""The nodes of a proof tree as steps in Coq: for each rule the lemma of ``Rules.v``, and a block per child.

A node is believed in everything: what it says is written down, and whether it is so is for Coq to decide.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from verify.coq.along import contact, monotone
from verify.coq.boxes import bernstein
from verify.coq.combining import combine, increasing, known
from verify.coq.convex import concave, hessian
from verify.coq.polynomials import shifted, squarefree
from verify.coq.sequents import (
    Lines,
    Node,
    Sequent,
    absurd,
    apart,
    at_reciprocal,
    block,
    empty_goal,
    ends_of,
    facts,
    field,
    functions,
    normalised,
    put_in,
    rewriting,
    same_block,
)
from verify.coq.text import NotExportedError, expanded, folded, rational_text, variable_name
from verify.recheck.generality import decided
from verify.recheck.intervals import INF, Interval, UnknownError
from verify.recheck.reading import domain_of, rational, read
from verify.recheck.series import range_of
from verify.recheck.terms import Term, add, call, number, power, put, variable

_BITS = 40  # of the ends of a range that nobody has stated


def steps(node: Any, goal: Sequent) -> Lines:
    """The lines that prove the goal."""
    rule = _RULES.get(node.get("by")) if isinstance(node, Mapping) else None
    if rule is None:
        raise NotExportedError(f"the rule {node.get('by') if isinstance(node, Mapping) else node!r}")
    return rule(node, goal)


def _range(node: Node, goal: Sequent) -> Lines:
    del node
    signs = [f"destruct (Rle_or_lt 0 ({folded(u)}))" for u in _factors(goal)]
    return [*_logarithms(goal), f"first [ range | {'; '.join(signs)}; range ]." if signs else "range."]


def _factors(goal: Sequent) -> list[Term]:
    """Sums in a product that have either sign, on a box that is not bounded."""
    if all(goal.box[n].bounded for n in goal.f.names):
        return []
    found: list[Term] = []
    for u in (u for t in goal.f.walk() if t.is_product for u in t.args if u.is_sum and u not in found):
        try:
            x = range_of(u, goal.box)
        except UnknownError:
            continue
        if x.low < 0 < x.high:
            found.append(u)
    return found[:3]


def _logarithms(goal: Sequent) -> Lines:
    """Lower bounds of logarithms on a box that is not bounded, where they are not 0."""
    if all(goal.box[n].bounded for n in goal.f.names):
        return []
    lines = []
    for part in goal.f.walk():
        if part.op != "log" or not part.names:
            continue
        try:
            low = range_of(part.args[0], goal.box).low
        except UnknownError:
            continue
        if 0 < low < INF and low != 1 and Fraction(low).denominator < 10**6:
            line = f"at_least_ln ({folded(part.args[0])}) ({rational_text(Fraction(low)).text})."
            lines += [line] if line not in lines else []
    return lines


def _bounded(goal: Sequent) -> list[str]:
    names = sorted(n for n in goal.f.names if not goal.box[n].single)
    return [variable_name(n) for n in names if goal.box[n].bounded]


def _taylor(node: Node, goal: Sequent) -> Lines:
    del node
    names = _bounded(goal)
    return [f"taylor {names[0]}."] if len(names) == 1 else ["range."] if not names else [_boxes(names)]


def _boxes(names: list[str]) -> str:
    bisect = ", ".join(f"i_bisect {n}" for n in names)
    return f"interval with ({bisect}, i_autodiff {names[0]}, i_prec 60)."


def _sturm(node: Node, goal: Sequent) -> Lines:
    del node
    (name,) = goal.f.names or {""}
    factors = squarefree(goal.f)
    if factors is not None:
        return [*rewriting(goal.about(factors)), "polynomial."]
    x = goal.box.get(name)
    if x is not None and x.bounded:
        return [f"first [ polynomial | taylor {variable_name(name)} ]."]
    around = shifted(goal.f, name, Fraction(x.low)) if x is not None and x.low > -INF else None
    return ["polynomial."] if around is None else [*rewriting(goal.about(around)), "polynomial."]


def _split(node: Node, goal: Sequent) -> Lines:
    name, at, parts = str(field(node, "variable")), rational(field(node, "at")), field(node, "parts")
    x = goal.box[name]
    left = replace(x, high=at, high_open=False)
    right = replace(x, low=at, low_open=False)
    shown, point = variable_name(name), rational_text(at).within(1)
    lines = [f"destruct (Rle_or_lt {shown} ({point})) as [? | ?]."]
    for half, part in zip((left, right), parts, strict=True):
        lines += block(steps(part, goal.on(name, half)))
    return lines


def _cases(node: Node, goal: Sequent) -> Lines:
    name, parts, tail = str(field(node, "variable")), field(node, "parts"), node.get("tail")
    x, shown = goal.box[name], variable_name(name)
    value = math.floor(x.low) + 1 if x.low_open else math.ceil(x.low)
    lines = [f"start_at {shown} ({value})%Z."]
    for part in parts:
        here = {name: number(value)}
        box = {n: r for n, r in goal.box.items() if n != name}
        f = expanded(put(goal.f, here), box)
        child = Sequent(f, goal.strict, box, goal.given, {k: put(g, here) for k, g in goal.gaps.items()})
        placed = [f"put_in {shown}.", *put_in(goal.f, name, Fraction(value), box), *rewriting(child)]
        lines += [f"next_value {shown} ({value})%Z.", *block([*placed, *steps(part, child)])]
        value += 1
    if tail is None:
        return [*lines, "exfalso; lra."]
    rest = goal.on(name, replace(x, low=Fraction(value), low_open=False))
    return [*lines, *_powers(rest, name, value), *steps(tail, rest)]


def _powers(goal: Sequent, name: str, least: int) -> Lines:
    """Lower bounds of powers of numbers whose exponent is the variable of the cases."""
    parts = (part for f in (goal.f, *goal.gaps.values()) for part in f.walk() if part.is_power)
    bases = {b.value for b, e in (part.args for part in parts) if e.name == name and b.value is not None}
    shown = variable_name(name)
    return [
        f"at_least_power ({rational_text(b).text}) {least}%nat {shown} ({rational_text(b**least).text})."
        for b in sorted(bases)
        if b > 1 and 0 <= least <= 30
    ]


# ---------------------------------------------------------------- hypotheses


def _empty(node: Node, goal: Sequent) -> Lines:
    wrong = empty_goal(goal, field(node, "hypothesis"), node.get("side"))
    return absurd(wrong, steps(field(node, "proof"), wrong))


def _given(node: Node, goal: Sequent) -> Lines:
    index = field(node, "hypothesis")
    relation = goal.given.get(index)
    if relation is None:
        raise NotExportedError(f"a use of the hypothesis {index!r}, which is not there")
    m, rest = goal.read(node, "multiplier"), goal.read(node, "rest")
    kind = {"<=": "given", "<": "given_less", "==": "given_equal"}[relation]
    lines, goal = apart(goal, [m, rest])
    lines += [f"apply ({kind}{goal.mode} _ ({folded(m)}) ({folded(rest)}) _ G{index})."]
    lines += same_block([goal.f, m * goal.gaps[index] + rest], goal.box)
    if relation != "==":
        lines += block(steps(field(node, "positive"), goal.about(m, False)))
    return [*lines, *block(steps(field(node, "proof"), goal.about(rest)))]


def _rewrite(node: Node, goal: Sequent) -> Lines:
    child = goal.about(goal.read(node, "expression"))
    return [*rewriting(child, goal.f), *steps(field(node, "proof"), child)]


def _multiply(node: Node, goal: Sequent) -> Lines:
    factor, quotient = goal.read(node, "factor"), goal.read(node, "quotient")
    lines, goal = apart(goal, [factor, quotient])
    return [
        *lines,
        f"apply (multiply{goal.mode} _ ({folded(factor)}) ({folded(quotient)})).",
        *same_block([goal.f, factor, quotient], goal.box),
        *block(steps(field(node, "positive"), goal.about(factor))),
        *block(steps(field(node, "proof"), goal.about(quotient))),
    ]


def _sum(node: Node, goal: Sequent) -> Lines:
    terms = field(node, "terms")
    expressions = [expanded(read(field(term, "expression"), goal.box), goal.box) for term in terms]
    strict = node.get("strict_term") if goal.strict else None
    children = [goal.about(e, k == strict) for k, e in enumerate(expressions)]
    lines = facts([(c, steps(field(t, "proof"), c)) for t, c in zip(terms, children, strict=True)])
    total = " + ".join(f"({folded(e)})" for e in expressions)
    hints = same_block([goal.f, add(*expressions)], goal.box)
    return [*lines, f"apply (rewriting{goal.mode} _ ({total})).", *hints, "lra."]


def _reciprocal(node: Node, goal: Sequent) -> Lines:
    """With v = 1/u, for every u of the reciprocal range; u keeps the name of v."""
    name = str(field(node, "variable"))
    x, shown, u = goal.box[name], variable_name(name), variable(name)
    if any(name in gap.names for gap in goal.gaps.values()):
        raise NotExportedError("a reciprocal under a hypothesis about the variable")
    if x.low < 0:
        raise NotExportedError("a reciprocal of a variable that is not positive")
    lines, goal = apart(goal, [1 / u])
    inverse = replace(goal.box[name], low_open=x.low_open or x.low == 0).inverse()
    there = goal.on(name, inverse)
    child = there.about(there.read(node, "expression"))
    power_of = rational(node.get("power", 0))
    ends = ends_of(name, inverse)
    premises = "".join(f"{end} -> " for end in ends)
    factor = folded(power(u, number(power_of)))
    sign = "<" if goal.strict else "<="
    names = " ".join(f"Inv{k}" for k in range(len(ends)))
    there_text = re.sub(rf"\b{re.escape(shown)}\b", f"(/ {shown})", folded(child.f))
    return [
        *lines,
        f"assert (Inverse : forall {shown}, {premises}0 {sign} {folded(child.f)}).",
        *block([f"clear dependent {shown}. intros {shown} {names}.", *steps(field(node, "proof"), child)]),
        f"specialize (Inverse (/ {shown})).",
        f"apply (multiply{goal.mode} _ ({factor}) ({there_text}));",
        "  [ | range | apply Inverse; reciprocal_end ].",
        *block([*at_reciprocal(goal.f, child.f, name, goal.box), "same."]),
    ]


def _logarithm(node: Node, goal: Sequent) -> Lines:
    larger, smaller, e = (goal.read(node, key) for key in ("larger", "smaller", "expression"))
    return [
        f"apply (logarithm_rule{goal.mode} _ ({folded(larger)}) ({folded(smaller)}) ({folded(e)})).",
        *same_block([goal.f, larger - smaller], goal.box),
        "{ range. }",
        "{ range. }",
        *same_block([call("log", larger) - call("log", smaller), e], goal.box),
        *steps(field(node, "proof"), goal.about(e)),
    ]


def _signs(node: Node, goal: Sequent) -> Lines:
    """The goal where an expression is >= 0, and where it is <= 0."""
    g, parts, index = goal.read(node, "expression"), field(node, "parts"), len(goal.gaps)
    if len(parts) != 2:
        raise NotExportedError("the signs of an expression in other than two parts")
    sides = [expanded(side, goal.box) for side in (g, -g)]
    name = f"G{index}"
    lines = [
        f"destruct (either_sign ({folded(sides[0])}) ({folded(sides[1])})) as [{name} | {name}]; [same | | ]."
    ]
    for side, part in zip(sides, parts, strict=True):
        given, gaps = {**goal.given, index: "<="}, {**goal.gaps, index: side}
        child = replace(goal, f=expanded(decided(goal.f, side), goal.box), given=given, gaps=gaps)
        lines += block([*(rewriting(child) if child.f != goal.f else []), *steps(part, child)])
    return lines


def _wider(x: Interval) -> Interval:
    """With ends that can be written: about 40 bits of them, rounded outward."""

    def rounded(end: Fraction, up: bool) -> Fraction:
        if abs(end) == INF or end.denominator.bit_length() <= _BITS:
            return end
        scale = Fraction(2) ** (_BITS + end.denominator.bit_length() - end.numerator.bit_length())
        return (math.ceil(end * scale) if up else math.floor(end * scale)) / scale

    return replace(x, low=rounded(x.low, False), high=rounded(x.high, True))


@dataclass(frozen=True)
class _New:
    """A new variable: what it stands for, the range that is said of it, and what intervals say of it."""

    name: str
    inner: Term
    stated: Interval
    values: Interval

    @staticmethod
    def of(part: Node, goal: Sequent) -> _New:
        """As a node writes it."""
        name, inner = str(field(part, "variable")), goal.read(part, "inner")
        try:
            values = range_of(inner, goal.box)
        except UnknownError:
            values = range_of(inner, {n: x.inner() for n, x in goal.box.items()})
        stated = domain_of(part["range"], {name})[0][name] if "range" in part else _wider(values)
        return _New(name, inner, stated, values)

    def ends(self, part: Node, goal: Sequent) -> Lines:
        """A block for each end of its range."""
        lines = []
        for key, end, is_open, side in (
            ("lower", self.stated.low, self.stated.low_open, 1),
            ("upper", self.stated.high, self.stated.high_open, -1),
        ):
            if abs(end) == INF:
                continue
            gap = goal.about(side * (self.inner - number(end)), is_open)
            lemma = "less_than" if is_open else "at_most"
            inside = self.values.within(self.stated)
            sharp = Fraction(end).denominator.bit_length() > _BITS
            seen = "first [ range | interval with (i_prec 200) ]." if sharp else "range."
            proof = [seen] if inside else steps(field(part, key), gap)
            lines += block([f"apply ({lemma} ({folded(gap.f)})); [same | ].", *proof])
        return lines


def _put_in(f: Term, inner: Mapping[str, Term], goal: Sequent) -> Lines:
    """The functions of f with the expressions in the places of variables, as they are folded."""
    shown = {variable_name(name): f"({folded(e)})" for name, e in inner.items()}
    lines = []
    for part, text in functions(f) if shown else ():
        before = re.sub(rf"\b({'|'.join(map(re.escape, shown))})\b", lambda m: shown[m[0]], text)
        after = folded(expanded(put(part, inner), goal.box))
        if before != after:
            lines.append(f"folds ({before}) ({after}).")
    return [*lines, *normalised([goal.f, put(f, inner)], goal.box)]


def _compose(node: Node, goal: Sequent) -> Lines:
    """New variables in the places of expressions, for all their values of which the facts are true."""
    parts, told = node.get("variables", [node]), node.get("facts", [])
    new = [_New.of(part, goal) for part in parts]
    inner = {one.name: one.inner for one in new}
    there = replace(goal, box={**goal.box, **{one.name: one.stated for one in new}})
    child = there.about(there.read(node, "expression"))
    first, relations = len(goal.gaps), [str(field(fact, "relation")) for fact in told]
    said = {first + k: there.read(fact, "expression") for k, fact in enumerate(told)}
    child = replace(
        child,
        gaps={**goal.gaps, **said},
        given={**goal.given, **{first + k: relation for k, relation in enumerate(relations)}},
    )
    sign = {"<=": "<=", "<": "<", "==": "="}
    premises = [end for one in new for end in ends_of(one.name, one.stated)]
    names = [f"Inv{k}" for k in range(len(premises))] + [f"G{k}" for k in said]
    premises += [f"0 {sign[r]} {folded(e)}" for r, e in zip(relations, said.values(), strict=True)]
    shown = " ".join(variable_name(one.name) for one in new)
    values = " ".join(f"({folded(one.inner)})" for one in new)
    every, of = (f"forall {shown}, ", f"(fun {shown} => {folded(child.f)}) {values}") if new else ("", "")
    lines = [
        f"assert (Composed : {every}{''.join(f'{p} -> ' for p in premises)}"
        f"0 {'<' if goal.strict else '<='} {folded(child.f)}).",
        *block([f"intros {' '.join((shown, *names))}.", *steps(field(node, "proof"), child)]),
        f"apply (rewriting{goal.mode} _ ({of or folded(child.f)})).",
        *block(["cbv beta.", *_put_in(child.f, inner, goal), "same."]),
        f"apply (Composed {values})." if new else "apply Composed.",
    ]
    for one, part in zip(new, parts, strict=True):
        lines += one.ends(part, goal)
    for fact, relation, e in zip(told, relations, said.values(), strict=True):
        true = goal.about(put(e, inner), relation == "<")
        same = [*normalised([true.f, put(e, inner)], goal.box), "same."]
        if relation == "==":
            lines += block(["symmetry.", *same])
            continue
        lines += block(
            [
                f"apply (rewriting{true.mode} _ ({folded(true.f)})).",
                *block(same),
                *steps(field(fact, "proof"), true),
            ]
        )
    return lines


_RULES: Mapping[Any, Callable[[Node, Sequent], Lines]] = {
    "range": _range,
    "taylor": _taylor,
    "sturm": _sturm,
    "hessian": hessian,
    "split": _split,
    "cases": _cases,
    "empty": _empty,
    "given": _given,
    "monotone": lambda node, goal: monotone(node, goal, steps),
    "concave": lambda node, goal: concave(node, goal, steps),
    "contact": lambda node, goal: contact(node, goal, steps),
    "rewrite": _rewrite,
    "multiply": _multiply,
    "sum": _sum,
    "reciprocal": _reciprocal,
    "logarithm": _logarithm,
    "signs": _signs,
    "compose": _compose,
    "bernstein": bernstein,
    "combine": lambda node, goal: combine(node, goal, steps),
    "increasing": lambda node, goal: increasing(node, goal, steps),
    "known": known,
}


def uses_hypotheses(node: Any) -> bool:
    """Whether a proof rests on a hypothesis, or makes one."""
    if isinstance(node, list):
        return any(map(uses_hypotheses, node))
    if not isinstance(node, Mapping):
        return False
    words = [*node.get("factors", ()), *node.get("halves", ())]
    here = node.get("by") in ("given", "empty", "signs")
    return (
        here
        or any(re.match(r"[-+]|hypothesis ", str(w)) for w in words)
        or any(map(uses_hypotheses, node.values()))
    )


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
