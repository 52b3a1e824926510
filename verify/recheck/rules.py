"""The rules of ``docs/proofs.md`` that lead to other goals, each as strict as soundness asks.

A rule looks at one node and its goal, checks what is to be checked here, and returns the goals its
children have to show.

*Moving along a variable* (``monotone``, ``contact``) needs a function that is continuous all the way,
and leaves behind the hypotheses that mention the variable, unless they are seen to hold all the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from verify.recheck import generality, goals
from verify.recheck.bernstein import by_bernstein
from verify.recheck.combining import by_combine, by_increasing, by_known
from verify.recheck.derivatives import derivative
from verify.recheck.germs import limit
from verify.recheck.goals import Child, Node, Obligation, Rule, field, halves, shown, where
from verify.recheck.identities import require_same, slope_of, without_kinks
from verify.recheck.intervals import INF, Interval, UnknownError, point
from verify.recheck.putting import divides, try_range
from verify.recheck.quotients import together
from verify.recheck.reading import Hypothesis, rational, read
from verify.recheck.series import Box, Series, range_of
from verify.recheck.terms import ZERO, Term, add, call, number, put, variable

_HIGHEST = 20  # order of a contact


def _variable(node: Node, goal: Obligation) -> str:
    name = field(node, "variable")
    if name not in goal.box:
        raise UnknownError(f"{name!r} is not a variable of the box")
    return str(name)


def _by_split(node: Node, goal: Obligation) -> list[Child]:
    name, at, parts = _variable(node, goal), rational(field(node, "at")), field(node, "parts")
    x = goal.box[name]
    if not x.low < at < x.high or len(parts) != 2:
        raise UnknownError(f"{at} does not divide the range of {name} into two parts")
    return [(f"parts[{k}]", parts[k], goal.on(name, half)) for k, half in enumerate(halves(x, at))]


def _hypothesis(node: Node, goal: Obligation) -> Hypothesis:
    index = field(node, "hypothesis")
    found = goal.given[index] if type(index) is int and 0 <= index < len(goal.given) else None
    if found is None:
        raise UnknownError(f"hypothesis {index!r} does not exist or does not hold here")
    return found


def _by_empty(node: Node, goal: Obligation) -> list[Child]:
    gap, relation = _hypothesis(node, goal)
    if relation == "==" and node.get("side") not in ("+", "-"):
        raise UnknownError("'side' is not + or -")
    wrong = gap if relation == "==" and node["side"] == "-" else -gap
    return [("proof", field(node, "proof"), goal.about(wrong, relation != "<"))]


def _by_given(node: Node, goal: Obligation) -> list[Child]:
    gap, relation = _hypothesis(node, goal)
    multiplier, rest = (read(field(node, key), goal.box) for key in ("multiplier", "rest"))
    require_same(goal.f, multiplier * gap + rest, goal.box, "use of the hypothesis")
    range_of(gap, goal.box)  # raises where it may be infinite: 0 times infinity proves nothing
    goal = goal.beside()
    children = [("proof", field(node, "proof"), goal.about(rest))]
    if relation == "==":
        range_of(multiplier, goal.box)
        return children
    return [("positive", field(node, "positive"), goal.about(multiplier, False)), *children]


def _by_cases(node: Node, goal: Obligation) -> list[Child]:
    name, parts = _variable(node, goal), field(node, "parts")
    x = goal.box[name]
    if name not in goal.integers or x.low == -INF:
        raise UnknownError(f"{name} is not an integer with a lower end")
    first = math.floor(x.low) + 1 if x.low_open else math.ceil(x.low)
    children: list[Child] = []
    for value, part in enumerate(parts, start=first):
        if value not in x:
            raise UnknownError(f"{name} = {value} is not in the range")
        here = {name: number(value)}
        box = {n: r for n, r in goal.box.items() if n != name}
        inner = {n: r.inner() for n, r in box.items()}
        f = put(goal.f, here)
        if not divides(goal.f, here, box if goal.held else inner):
            raise UnknownError(f"a divisor may be 0 for {name} = {value}")
        given = tuple(
            (put(h[0], here), h[1]) if h and divides(h[0], here, inner) else None for h in goal.given
        )
        children.append(
            (
                f"parts[{value - first}]",
                part,
                Obligation(f, goal.strict, box, given, goal.integers - {name}, goal.held),
            )
        )
    following = first + len(parts)
    if node.get("tail") is not None:
        if following not in x:
            raise UnknownError(f"nothing is left for the tail from {name} = {following}")
        tail = goal.on(name, replace(x, low=Fraction(following), low_open=False))
        children.append(("tail", node["tail"], replace(tail, integers=goal.integers - {name})))
    elif following in x:
        raise UnknownError(f"the cases end before {name} = {following}")
    return children


# ---------------------------------------------------------------- following a variable


def _evaluable(f: Term, boxes: Iterator[Box], variable: str = "", order: int = 0) -> bool:
    for box in boxes:
        try:
            Series(box, variable, order).of(f)
        except UnknownError:
            continue
        return True
    return False


def _by_monotone(node: Node, goal: Obligation) -> list[Child]:
    name = _variable(node, goal)
    x = goal.box[name]
    if node.get("from") not in ("lower", "upper"):
        raise UnknownError("'from' is not lower or upper")
    lower = node["from"] == "lower"
    end, is_open = (x.low, x.low_open) if lower else (x.high, x.high_open)
    by = node.get("strict_by", "end") if goal.strict else ""
    if goal.strict and (by not in ("end", "slope") or (by == "slope" and not is_open)):
        raise UnknownError("a strict goal needs strict_by end, or slope with an open end")
    f = next((g for g in _forms(goal) if _evaluable(g, goal.ground(name, x.inner()))), None)
    if f is None:
        raise UnknownError(f"{goal.f} is not seen to be continuous in {name}")
    rest = {n: r for n, r in goal.box.items() if n != name}
    value = read(field(node, "value"), rest)
    reached = abs(end) < INF and _evaluable(f, goal.ground(name, x.inner().hull(point(end))))
    if reached:
        require_same(put(f, {name: number(end)}), value, rest, f"the value at {name} = {end}")
    else:
        _require_limit(f, name, lower, value, goal)
    slope = slope_of(without_kinks(goal.f, goal.box), name)
    at_end, on_way = _left_of(goal.given, name, end if reached else None, -1 if lower else 1)
    whole = goal.integers - {name}
    way = Obligation(slope if lower else -slope, by == "slope", {**goal.box, name: x.inner()}, on_way, whole)
    return [
        ("end", field(node, "end"), Obligation(value, by == "end", rest, at_end, whole)),
        ("slope", field(node, "slope"), way),
    ]


def _by_concave(node: Node, goal: Obligation) -> list[Child]:
    """Above the chord: where f is concave in a variable, it is at least its smaller value at the two ends."""
    name = _variable(node, goal)
    x = goal.box[name]
    if not x.bounded or x.single:
        raise UnknownError(f"the range of {name} has not two finite ends")
    f, closed = without_kinks(goal.f, goal.box), replace(x, low_open=False, high_open=False)
    if not (
        _evaluable(f, goal.ground(name, closed)) and _evaluable(f, goal.ground(name, x.inner()), name, 2)
    ):
        raise UnknownError(
            f"{goal.f} is not seen to be continuous, and twice differentiable inside, in {name}"
        )
    curve = node.get("strict_by") == "curve" if goal.strict else False
    rest = {n: r for n, r in goal.box.items() if n != name}
    given = tuple(None if h is None or name in h[0].names else h for h in goal.given)
    whole = goal.integers - {name}
    ends = [
        (
            key,
            field(node, key),
            Obligation(put(f, {name: number(end)}), strict, rest, given, whole, goal.held),
        )
        for key, end, strict in (
            ("lower", x.low, goal.strict and not (curve and x.low_open)),
            ("upper", x.high, goal.strict and not (curve and x.high_open)),
        )
    ]
    bend = -slope_of(slope_of(f, name), name)
    return [
        *ends,
        ("curve", field(node, "curve"), Obligation(bend, curve, {**goal.box, name: x.inner()}, given, whole)),
    ]


def _require_limit(f: Term, name: str, lower: bool, value: Term, goal: Obligation) -> None:
    """Complain unless f tends to the value, at every point of the other variables that counts."""
    reasons = []
    for box in goal.ground(name, goal.box[name]):
        rest = {n: r for n, r in box.items() if n != name}
        try:
            require_same(limit(f, name, lower, box), value, rest, f"the limit in {name}")
        except UnknownError as error:
            reasons.append(str(error))
        else:
            return
    raise UnknownError(reasons[0])


def _left_of(
    given: tuple[Hypothesis | None, ...], name: str, end: Fraction | None, sign: int
) -> tuple[tuple[Hypothesis | None, ...], tuple[Hypothesis | None, ...]]:
    """The hypotheses that still hold at the end, and on the way to it (end None: a limit)."""
    at_end: list[Hypothesis | None] = []
    on_way: list[Hypothesis | None] = []
    for h in given:
        if h is None or name not in h[0].names:
            at_end.append(h)
            on_way.append(h)
            continue
        steep = _steep(h, name)  # the gap grows towards the end, so it stays positive
        kept = end is not None and h[1] != "==" and steep is not None and steep * sign >= 0
        at_end.append((put(h[0], {name: number(end)}), h[1]) if kept and end is not None else None)
        on_way.append(h if kept else None)
    return tuple(at_end), tuple(on_way)


def _steep(h: Hypothesis, name: str) -> Fraction | None:
    """The slope of the gap of a hypothesis that is linear in a variable."""
    try:
        return derivative(h[0], name).value
    except UnknownError:
        return None


def _by_contact(node: Node, goal: Obligation) -> list[Child]:
    name, order = _variable(node, goal), field(node, "order")
    x = goal.box[name]
    if type(order) is not int or not 1 <= order <= _HIGHEST:
        raise UnknownError(f"the order {order!r} is not between 1 and {_HIGHEST}")
    rest = {n: r for n, r in goal.box.items() if n != name}
    at = read(field(node, "at"), rest)
    f, reach = _smooth_reach(at, name, order, goal)
    at_lower, at_upper = reach.single and reach.low == x.low, reach.single and reach.high == x.high
    if order % 2 and not (at_lower or at_upper):
        raise UnknownError(f"an odd order needs the contact at an end of the range of {name}")
    if goal.strict and not ((at_lower and x.low_open) or (at_upper and x.high_open)):
        raise UnknownError("a strict goal cannot touch 0 inside the box")
    highest = f
    for k in range(order):
        require_same(put(highest, {name: at}), ZERO, rest, f"derivative {k} at the contact")
        highest = slope_of(highest, name)
    highest = without_kinks(goal.f, goal.box)  # the child is about the form the certificate has
    for _ in range(order):
        highest = slope_of(highest, name)
    sign = -1 if order % 2 and not at_lower else 1
    given = tuple(h if h is None or _on_segment(h, name, at) else None for h in goal.given)
    way = Obligation(
        sign * highest, goal.strict, {**goal.box, name: x.inner()}, given, goal.integers - {name}
    )
    return [("proof", field(node, "proof"), way)]


def _forms(goal: Obligation) -> Iterator[Term]:
    """The expression without decided kinks, and over one denominator: 1/(1 + 1/u) is nothing special at 0."""
    f = without_kinks(goal.f, goal.box)
    yield f
    joined = together(f)
    if joined != f:
        require_same(f, joined, goal.box, "one denominator")
        yield joined


def _smooth_reach(at: Term, name: str, order: int, goal: Obligation) -> tuple[Term, Interval]:
    """A form of f that is smooth enough from the contact to everywhere, and the range of the contact."""
    x = goal.box[name]
    reasons = []
    for f in _forms(goal):
        for box in goal.ground(name, x.inner()):
            reach = try_range(at, box)
            if reach is None or not (x.low <= reach.low and reach.high <= x.high):
                reasons.append(f"{at} is not seen to be in the range of {name}")
            elif _evaluable(f, iter([{**box, name: box[name].hull(reach)}]), name, order - 1) and _evaluable(
                f, iter([box]), name, order
            ):
                return f, reach
            else:
                reasons.append(f"{f} is not seen to have {order} derivatives in {name}")
    raise UnknownError(reasons[0])


def _on_segment(h: Hypothesis, name: str, at: Term) -> bool:
    """Whether a hypothesis that holds at a point holds between it and the contact: it is linear there."""
    gap, relation = h
    if name not in gap.names:
        return True
    try:
        at_contact = put(gap, {name: at}).value
        linear = name not in derivative(gap, name).names
    except UnknownError:
        return False
    return bool(linear and relation != "==" and at_contact is not None and at_contact >= 0)


# ---------------------------------------------------------------- other forms of the goal


def _by_rewrite(node: Node, goal: Obligation) -> list[Child]:
    expression = read(field(node, "expression"), goal.box)
    require_same(goal.f, expression, goal.box, "rewriting")
    return [("proof", field(node, "proof"), goal.about(expression))]


def _by_multiply(node: Node, goal: Obligation) -> list[Child]:
    factor, quotient = (read(field(node, key), goal.box) for key in ("factor", "quotient"))
    require_same(goal.f, factor * quotient, goal.box, "the product")
    goal = goal.beside()
    return [
        ("positive", field(node, "positive"), goal.about(factor)),
        ("proof", field(node, "proof"), goal.about(quotient)),
    ]


def _by_sum(node: Node, goal: Obligation) -> list[Child]:
    terms = field(node, "terms")
    expressions = [read(field(term, "expression"), goal.box) for term in terms]
    require_same(goal.f, add(*expressions), goal.box, "the sum")
    goal = goal.beside()
    strict = node.get("strict_term") if goal.strict else None
    if goal.strict and not (type(strict) is int and 0 <= strict < len(terms)):
        raise UnknownError("a strict goal needs a strict term")
    return [
        (f"terms[{k}]", field(term, "proof"), goal.about(expressions[k], k == strict))
        for k, term in enumerate(terms)
    ]


def _by_reciprocal(node: Node, goal: Obligation) -> list[Child]:
    name = _variable(node, goal)
    x, u = goal.box[name], variable(name)
    x = x.inner() if x.low == 0 and not goal.thin and not goal.strict else x
    if not x.positive(True):
        raise UnknownError(f"the range of {name} is not within (0, oo)")
    swap = {name: 1 / u}
    expression, power = read(field(node, "expression"), goal.box), rational(node.get("power", 0))
    there = {**goal.box, name: x.inverse()}
    require_same(put(goal.f, swap) * u**power, expression, there, "the reciprocal")
    given = tuple(h and (put(h[0], swap), h[1]) for h in goal.given)
    over = Obligation(expression, goal.strict, there, given, goal.integers - {name}, goal.held)
    return [("proof", field(node, "proof"), over)]


def _by_logarithm(node: Node, goal: Obligation) -> list[Child]:
    larger, smaller, expression = (
        read(field(node, key), goal.box) for key in ("larger", "smaller", "expression")
    )
    require_same(goal.f, larger - smaller, goal.box, "the difference")
    for part in (larger, smaller):
        if not (shown(goal.about(part, True), 0) or _positive_inside(goal.about(part))):
            raise UnknownError(f"{part} is not seen to be > 0{where(goal)}")
    difference = call("log", larger) - call("log", smaller)
    try:
        require_same(expression, difference, goal.box, "the logarithm")
    except UnknownError:  # e^expression = larger/smaller says the same of a real expression
        require_same(call("exp", expression) * smaller, larger, goal.box, "the logarithm")
    return [("proof", field(node, "proof"), goal.beside().about(expression))]


def _positive_inside(goal: Obligation) -> bool:
    """Whether it is > 0 at the inner points, which is enough for a goal that passes to the limit."""
    found = try_range(goal.f, {n: x.inner() for n, x in goal.box.items()})
    return found is not None and found.positive(True) and not goal.thin and not goal.strict


RULES: Mapping[str, Rule] = {
    "range": goals.by_range,
    "taylor": goals.by_taylor,
    "sturm": goals.by_sturm,
    "hessian": goals.by_hessian,
    "split": _by_split,
    "empty": _by_empty,
    "given": _by_given,
    "cases": _by_cases,
    "monotone": _by_monotone,
    "concave": _by_concave,
    "contact": _by_contact,
    "rewrite": _by_rewrite,
    "multiply": _by_multiply,
    "sum": _by_sum,
    "reciprocal": _by_reciprocal,
    "logarithm": _by_logarithm,
    "bernstein": by_bernstein,
    "combine": by_combine,
    "increasing": by_increasing,
    "known": by_known,
    "signs": generality.by_signs,
    "compose": generality.by_compose,
}
