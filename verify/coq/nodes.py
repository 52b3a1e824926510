"""The nodes of a proof tree as steps in Coq: for each rule the lemma of ``Rules.v``, and a block per child.

A node is believed in everything: what it says is written down, and whether it is so is for Coq to decide.
The goal that Coq has before a node is ``0 <= f`` (``0 < f`` if strict), with f printed folded; in its context
are the ranges of the variables and the hypotheses as ``G0``, ``G1``, ... in the form ``0 <= gap``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from verify.coq.polynomials import shifted, squarefree
from verify.coq.text import NotExportedError, expanded, folded, rational_text, variable_name
from verify.recheck.algebra import Algebra
from verify.recheck.derivatives import derivative
from verify.recheck.identities import same, without_kinks
from verify.recheck.intervals import INF, Interval, UnknownError
from verify.recheck.reading import rational, read
from verify.recheck.series import Box, Series, range_of
from verify.recheck.terms import HALF, ZERO, Term, add, call, number, power, put, together, variable

Node = Mapping[str, Any]
Lines = list[str]


@dataclass(frozen=True)
class Goal:
    """What a node has to show: ``f >= 0`` (``> 0`` if strict) on a box, with the relations of hypotheses."""

    f: Term
    strict: bool
    box: Box
    given: Mapping[int, str]  # index, and <=, < or ==
    gaps: Mapping[int, Term]  # what is >= 0, > 0 or 0

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


def same_block(terms: Sequence[Term], box: Box) -> Lines:
    """That expressions agree: the functions in them in normal form first, where they differ."""
    return block([*_normalised(terms, box), "same."])


def _normalised(terms: Sequence[Term], box: Box) -> Lines:
    atoms = [{folded(part) for part, _ in _functions(t)} for t in terms]
    if all(one == atoms[0] for one in atoms):
        return []
    found: dict[str, str] = {}
    for t in terms:
        for part, before in _functions(t):
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


def apart(goal: Goal, parts: list[Term], name: str = "", at: Term | None = None) -> tuple[Lines, Goal]:
    """Ends of ranges at which a part is not defined, looked at by themselves, and the goal without them.

    The parts are followed along the variable ``name`` as far as ``at``.
    """
    lines: Lines = []
    along, reach = name, at
    for name, x in goal.box.items():
        for end, opened in ((x.low, replace(x, low_open=True)), (x.high, replace(x, high_open=True))):
            if opened == x or x.single or _all_defined(parts, goal.box, along, reach):
                continue
            around = {n: r if n == name else r.inner() for n, r in goal.box.items()}
            without = {**around, name: opened}
            if _all_defined(parts, without, along, reach) and not _all_defined(parts, around, along, reach):
                lines.append(f"apart {variable_name(name)} ({rational_text(Fraction(end)).text}).")
                x = opened
                goal = goal.on(name, opened)
    return lines, goal


def _all_defined(parts: list[Term], box: Box, along: str = "", reach: Term | None = None) -> bool:
    try:
        if reach is not None:
            box = {**box, along: box[along].hull(range_of(reach, box))}
        for part in parts:
            range_of(part, box)
    except UnknownError:
        return False
    return True


def block(lines: Lines) -> Lines:
    """A block for one child."""
    if len(lines) == 1:
        return [f"{{ {lines[0]} }}"]
    first, *rest = lines
    return [f"{{ {first}", *(f"  {line}" for line in rest[:-1]), f"  {rest[-1]} }}"]


# ---------------------------------------------------------------- leaves


def _range(node: Node, goal: Goal) -> Lines:
    del node
    return [*_logarithms(goal), "range."]


def _logarithms(goal: Goal) -> Lines:
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


def _bounded(goal: Goal) -> list[str]:
    names = sorted(n for n in goal.f.names if not goal.box[n].single)
    return [variable_name(n) for n in names if goal.box[n].bounded]


def _taylor(node: Node, goal: Goal) -> Lines:
    del node
    names = _bounded(goal)
    return [f"taylor {names[0]}."] if len(names) == 1 else ["range."] if not names else [_boxes(names)]


def _boxes(names: list[str]) -> str:
    bisect = ", ".join(f"i_bisect {n}" for n in names)
    return f"interval with ({bisect}, i_autodiff {names[0]}, i_prec 60)."


def _sturm(node: Node, goal: Goal) -> Lines:
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


# ---------------------------------------------------------------- parts of the box


def _split(node: Node, goal: Goal) -> Lines:
    name, at, parts = str(_field(node, "variable")), rational(_field(node, "at")), _field(node, "parts")
    x = goal.box[name]
    left = replace(x, high=at, high_open=False)
    right = replace(x, low=at, low_open=False)
    shown, point = variable_name(name), rational_text(at).within(1)
    lines = [f"destruct (Rle_or_lt {shown} ({point})) as [? | ?]."]
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
        child = Goal(f, goal.strict, box, goal.given, {k: put(g, here) for k, g in goal.gaps.items()})
        functions = _put_in(goal.f, name, Fraction(value), box)
        put_in = [f"put_in {shown}.", *functions, *rewriting(child)]
        lines += [f"next_value {shown} ({value})%Z.", *block([*put_in, *steps(part, child)])]
        value += 1
    if tail is None:
        return [*lines, "exfalso; lra."]
    return [*lines, *steps(tail, goal.on(name, replace(x, low=Fraction(value), low_open=False)))]


# ---------------------------------------------------------------- hypotheses


def _empty(node: Node, goal: Goal) -> Lines:
    index = _field(node, "hypothesis")
    relation = goal.given.get(index)
    if relation is None:
        raise NotExportedError(f"a use of the hypothesis {index!r}, which is not there")
    gap = goal.gaps[index]
    wrong = goal.about(gap if relation == "==" and node.get("side") == "-" else -gap, relation != "<")
    sign = "<" if wrong.strict else "<="
    return [
        f"exfalso. assert (No : 0 {sign} {folded(wrong.f)}).",
        *block(steps(_field(node, "proof"), wrong)),
        "lra.",
    ]


def _given(node: Node, goal: Goal) -> Lines:
    index = _field(node, "hypothesis")
    relation = goal.given.get(index)
    if relation is None:
        raise NotExportedError(f"a use of the hypothesis {index!r}, which is not there")
    m, rest = goal.read(node, "multiplier"), goal.read(node, "rest")
    kind = {"<=": "given", "<": "given_less", "==": "given_equal"}[relation]
    lines, goal = apart(goal, [m, rest])
    lines += [f"apply ({kind}{goal.mode} _ ({folded(m)}) ({folded(rest)}) _ G{index})."]
    lines += same_block([goal.f, m * goal.gaps[index] + rest], goal.box)
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
        return _limit(node, goal, f, slope)
    where = f"from_{'lower' if lower else 'upper'}"
    lemma = where + {"": "", "end": "_strict", "slope": "_rising"}[by]
    at_end = Goal(value, by == "end", rest, goal.given, goal.gaps)
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
                *_put_in(f, name, Fraction(end), rest),
                *rewriting(at_end, expanded(put(f, {name: number(Fraction(end))}), rest)),
                *steps(_field(node, "end"), at_end),
            ]
        ),
        *block([f"follow {shown}.", *rewriting(way), *steps(_field(node, "slope"), way)]),
    ]


def _at_reciprocal(f: Term, g: Term, name: str, box: Box) -> Lines:
    """Functions in g of the reciprocal, as they are in f, or all of them in normal form."""
    x = variable(name)
    if box[name].low <= 0:
        box = {**box, name: Interval(Fraction(0), INF, True, True)}
    known = [part for part, _ in _functions(f)]
    found = [
        (before, put(part, {name: 1 / x}))
        for part, before in _functions(g, name, f"(/ {variable_name(name)})")
    ]
    alike = [next((q for q in known if same(there, q, box)), None) for _, there in found]
    if all(q is not None for q in alike):
        pairs = [(before, folded(q)) for (before, _), q in zip(found, alike, strict=True) if q is not None]
    else:
        pairs = [(before, folded(_normal(there, box))) for before, there in found]
        pairs += [(folded(q), folded(_normal(q, box))) for q in known if q.op != "exp"]
    return [f"folds ({before}) ({after})." for before, after in pairs if before != after]


def _functions(f: Term, name: str = "", instead: str = "") -> Iterator[tuple[Term, str]]:
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


def _put_in(f: Term, name: str, end: Fraction, rest: Box) -> Lines:
    """Functions of the variable at the end of its range, the innermost first."""
    found: dict[str, str] = {}
    for part, before in _functions(f, name, rational_text(end).within(3)):
        for old, new in found.items():
            before = before.replace(old, f"({new})")
        after = folded(expanded(put(part, {name: number(end)}), rest))
        if before != after:
            found.setdefault(before, after)
    return [f"folds ({old}) ({new})." for old, new in found.items()]


def rewriting(goal: Goal, before: Term | None = None) -> Lines:
    """Another form of the same goal."""
    hints = _normalised([before, goal.f], goal.box) if before is not None else []
    if not hints:
        return [f"apply (rewriting{goal.mode} _ ({folded(goal.f)})); [same | ]."]
    return [f"apply (rewriting{goal.mode} _ ({folded(goal.f)})).", *block([*hints, "same."])]


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


def _limit(node: Node, goal: Goal, f: Term, slope: Term) -> Lines:
    """A limit at infinity, as the value at 0 of a function of the reciprocal, or of its slope there."""
    name = str(_field(node, "variable"))
    if node.get("from") != "upper" or goal.box[name].high != INF:
        raise NotExportedError("a limit at a finite end or at minus infinity")
    lines, goal = apart(goal, [f, slope])
    x, shown, rest = goal.box[name], variable_name(name), {n: r for n, r in goal.box.items() if n != name}
    by = node.get("strict_by", "end") if goal.strict else ""
    there = {**goal.box, name: x.inverse() if x.low > 0 else Interval(Fraction(0), INF, True, True)}
    u = variable(name)
    g = _normal(put(f, {name: 1 / u}), there)
    order = 0 if _at_zero(g, name, there) is not None else 1
    g = g if order == 0 else _normal(u * put(f, {name: 1 / u}), there)
    value = _at_zero(g, name, there)
    if value is None or (order and not same(value, ZERO, rest)):
        raise NotExportedError(
            "a limit at infinity that is neither a value nor a slope at 0 in the reciprocal"
        )
    at_end = Goal(expanded(read(_field(node, "value"), rest), rest), by == "end", rest, goal.given, goal.gaps)
    way = goal.on(name, x.inner()).about(-slope, by == "slope")
    kind = {"": "", "end": "_strict", "slope": "_rising"}[by]
    end_lines = [*rewriting(at_end), *steps(_field(node, "end"), at_end)]
    put_in = _put_in(g, name, Fraction(0), rest)
    if order == 0:
        limit = ["{ continuous. }", *block(["cbv beta.", *put_in, *end_lines])]
    else:
        limit = [*block(["cbv beta.", *put_in, "same."]), "{ derive. }", *block(end_lines)]
    more = f" ({folded(at_end.f)})" if order else ""
    return [
        *lines,
        f"apply (from_infinity{'_slope' if order else ''}{kind} (fun {shown} => {folded(f)})",
        f"  (fun {shown} => {folded(slope)}) (fun {shown} => {folded(g)}){more} {shown}).",
        f"{{ follow {shown}. derive. }}",
        *block([f"follow {shown}.", *_at_reciprocal(f, g, name, goal.box), "same."]),
        *limit,
        *block([f"follow {shown}.", *rewriting(way), *steps(_field(node, "slope"), way)]),
    ]


def _normal(t: Term, box: Box) -> Term:
    algebra = Algebra(box)
    try:
        return algebra.term_of(algebra.of(t))
    except UnknownError as error:
        raise NotExportedError(f"a limit at infinity ({error})") from None


def _at_zero(g: Term, name: str, box: Box) -> Term | None:
    """The value at 0, if g is continuous there."""
    try:
        zero = Interval(Fraction(0), Fraction(0))
        Series({**box, name: zero.hull(box[name])}, "", 0).of(g)
        return put(g, {name: number(0)})
    except UnknownError:
        return None


def _contact(node: Node, goal: Goal) -> Lines:
    name, order = str(_field(node, "variable")), _field(node, "order")
    x, shown = goal.box[name], variable_name(name)
    rest = {n: r for n, r in goal.box.items() if n != name}
    at = expanded(read(_field(node, "at"), rest), rest)
    if type(order) is not int or not 1 <= order <= 6:
        raise NotExportedError(f"a contact of order {order}")
    lower = at.value is not None and at.value == x.low
    first = without_kinks(goal.f, goal.box)
    inner = {n: r if n == name else r.inner() for n, r in goal.box.items()}
    if not _all_defined([first], inner, name, at) and _all_defined([together(first)], inner, name, at):
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
        *block([f"follow {shown}.", *rewriting(way), *steps(_field(node, "proof"), way)]),
        *(["{ easy. }"] if goal.strict else []),
    ]


def _at_contact(chain: list[Term], name: str, at: Term, rest: Box) -> Lines:
    """Functions at the contact, as they are folded there."""
    lines = []
    for g in chain:
        for part, before in _functions(g, name, f"({folded(at)})"):
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


# ---------------------------------------------------------------- other forms


def _rewrite(node: Node, goal: Goal) -> Lines:
    child = goal.about(goal.read(node, "expression"))
    return [*rewriting(child, goal.f), *steps(_field(node, "proof"), child)]


def _multiply(node: Node, goal: Goal) -> Lines:
    factor, quotient = goal.read(node, "factor"), goal.read(node, "quotient")
    lines, goal = apart(goal, [factor, quotient])
    return [
        *lines,
        f"apply (multiply{goal.mode} _ ({folded(factor)}) ({folded(quotient)})).",
        *same_block([goal.f, factor, quotient], goal.box),
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
    hints = same_block([goal.f, add(*expressions)], goal.box)
    return [*lines, f"apply (rewriting{goal.mode} _ ({total})).", *hints, "lra."]


def _reciprocal(node: Node, goal: Goal) -> Lines:
    """With v = 1/u, for every u of the reciprocal range; u keeps the name of v."""
    name = str(_field(node, "variable"))
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
    ends = [
        f"{rational_text(Fraction(end)).within(1)} {'<' if is_open else '<='} {shown}"
        if low
        else f"{shown} {'<' if is_open else '<='} {rational_text(Fraction(end)).within(1)}"
        for end, is_open, low in (
            (inverse.low, inverse.low_open, True),
            (inverse.high, inverse.high_open, False),
        )
        if abs(end) < INF
    ]
    premises = "".join(f"{end} -> " for end in ends)
    factor = folded(power(u, number(power_of)))
    sign = "<" if goal.strict else "<="
    names = " ".join(f"Inv{k}" for k in range(len(ends)))
    there_text = re.sub(rf"\b{re.escape(shown)}\b", f"(/ {shown})", folded(child.f))
    return [
        *lines,
        f"assert (Inverse : forall {shown}, {premises}0 {sign} {folded(child.f)}).",
        *block([f"clear dependent {shown}. intros {shown} {names}.", *steps(_field(node, "proof"), child)]),
        f"specialize (Inverse (/ {shown})).",
        f"apply (multiply{goal.mode} _ ({factor}) ({there_text}));",
        "  [ | range | apply Inverse; reciprocal_end ].",
        *block([*_at_reciprocal(goal.f, child.f, name, goal.box), "same."]),
    ]


def _logarithm(node: Node, goal: Goal) -> Lines:
    larger, smaller, e = (goal.read(node, key) for key in ("larger", "smaller", "expression"))
    return [
        f"apply (logarithm_rule{goal.mode} _ ({folded(larger)}) ({folded(smaller)}) ({folded(e)})).",
        *same_block([goal.f, larger - smaller], goal.box),
        "{ range. }",
        "{ range. }",
        *same_block([call("log", larger) - call("log", smaller), e], goal.box),
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
