"""The rules about numbers: linear combinations, sums, integrals and means of inequalities, limits."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verify.recheck.derivations.polynomials import Poly, difference, product, total, tree, value_of
from verify.recheck.derivations.putting import put_bound
from verify.recheck.derivations.reading import indicator, require_level, require_sort
from verify.recheck.derivations.sight import OMEGA, Moving
from verify.recheck.derivations.trees import Nameless, closed, fresh, make, minus, num, opened, replaced
from verify.recheck.derivations.workbench import Judgement, RuleStep, not_free
from verify.recheck.intervals import UnknownError

_SUMS = ("Sum", "SumOver", "Int")


def combine(step: RuleStep) -> Judgement:
    """The goal is a sum of multiples of the premises, and a number that helps."""
    goal, multipliers = step.formula("goal"), step.items("multipliers")
    low, high = step.bench.relation(goal)
    if len(multipliers) != len(step.premises):
        raise UnknownError("there is not one multiplier for each premise")
    parts: list[Poly] = []
    strict = False
    for k, data in enumerate(multipliers):
        gap, strictly = _multiple(step, data, k, goal.op)
        parts.append(gap)
        strict = strict or strictly
    rest = difference(step.bench.canon.poly(minus(high, low)), total(parts))
    left = value_of(rest)
    if left is None:
        raise UnknownError(f"the goal and the combination differ by {tree(rest)}")
    if left < 0 or (goal.op == "==" and left != 0):
        raise UnknownError(f"the goal and the combination differ by the number {left}")
    if goal.op == "<" and not strict and left == 0:
        raise UnknownError("the goal is strict, the combination is not")
    return step.judge(goal, *(p.given for p in step.premises))


def _multiple(step: RuleStep, data: Any, k: int, order: str) -> tuple[Poly, bool]:
    """The multiple of a premise's gap, and whether it is strictly positive."""
    bench, premise = step.bench, step.premises[k]
    sign = data.get("sign") if isinstance(data, Mapping) else None
    words = data.get("term") if isinstance(data, Mapping) else str(data) if type(data) is int else data
    term = bench.reader.term(words)
    require_sort(term, "Real", "a multiplier")
    factor = bench.canon.poly(term)
    if not factor:
        return {}, False
    low, high = bench.relation(premise.formula)
    gap = product(factor, bench.canon.poly(minus(high, low)))
    kind, number = premise.formula.op, value_of(factor)
    if kind == "==":
        return gap, False
    if order == "==":
        raise UnknownError(f"an equation does not follow from premise {k}, {premise.formula}")
    if number is not None:
        if number < 0:
            raise UnknownError(f"the multiplier {number} of the inequality {k} is negative")
        return gap, kind == "<"
    if type(sign) is not int or not 0 <= sign < len(step.premises):
        raise UnknownError(f"no premise shows that the multiplier {term} is not negative")
    shown = step.premises[sign].formula
    if shown not in [bench.canon.normal(make(op, num(0), term)) for op in ("<=", "<")]:
        raise UnknownError(f"premise {sign} says {shown}, not 0 <= {tree(factor)}")
    return gap, kind == "<" and shown.op == "<"


def monotone(step: RuleStep) -> Judgement:
    """Sums, maxima, integrals and means keep order."""
    binder, (a,) = step.data.get("binder"), step.premises
    low, high = step.bench.relation(a.formula)
    order = "==" if a.formula.op == "==" else "<="
    if binder == "E":
        return _mean_of(step, a, order)
    if binder not in ("Sum", "SumOver", "MaxOver", "Int"):
        raise UnknownError(f"{binder!r} is not a binder that keeps order")
    sort = {"Sum": "Nat", "Int": "Real"}.get(str(binder), "finite")
    x, given = step.variable(sort), a.given
    bound: tuple[Nameless, ...] = ()
    if binder in ("Sum", "Int"):
        end = step.whole("bound") if binder == "Sum" else step.number("bound")
        # The x of the bound is another one: i < i + 1 would say nothing about the range.
        not_free(x, end)
        bound = (end,)
        inside = [make("<", x, end)] if binder == "Sum" else [make("<=", num(0), x), make("<=", x, end)]
        given = given - {step.normal(g) for g in inside}
    not_free(x, given)
    if binder == "Int":
        _require_tame((low, high), Moving(frozenset((x,))), step, f"in {x}")
    value = x.sort
    sides = [make(str(binder), *bound, closed(u, x), value=value) for u in (low, high)]
    return step.judge(make(order, *sides), given)


def _mean_of(step: RuleStep, a: Judgement, order: str) -> Judgement:
    """E(u) <= E(v); what is given has to hold for all ω of the mean, or for none."""
    sight, level = step.sight, None
    if step.data.get("bound") is not None:
        level = step.whole("bound")
        require_level(level, step.bench.language)
        level = step.normal(level)
    for g in sorted(a.given, key=lambda g: g.text):
        if level is None and sight.random(g):
            raise UnknownError(f"the given '{g}' is random")
        if level is not None and not sight.known(g, level):
            raise UnknownError(f"the given '{g}' is not seen to be known at {level}")
    _require_tame(a.formula.args, OMEGA, step, "in ω")
    sides = [make("E", u) if level is None else make("En", level, u) for u in a.formula.args]
    return step.judge(make(order, *sides), a.given)


def _require_tame(terms: tuple[Nameless, ...], moving: Moving, step: RuleStep, what: str) -> None:
    for u in terms:
        if not step.sight.tame(u, moving):
            raise UnknownError(f"{u} is not seen to be tame {what}")


def exchange(step: RuleStep) -> Judgement:
    """The term is the same with its two outermost binders exchanged."""
    term = step.term()
    if term.op in _SUMS and term.args[-1].op in _SUMS:
        other = _exchanged_sums(term, step)
    elif term.op in ("E", "En") and term.args[-1].op == "Int":
        bound, body = term.args[-1].args
        _require_mean_inside(term.args[:-1], bound, body, step)
        other = make("Int", bound, make(term.op, *term.args[:-1], body))
    elif term.op == "Int" and term.args[-1].op in ("E", "En"):
        bound, inner = term.args
        s = fresh("Real", term)
        *level, body = (opened(part, s) for part in inner.args)
        not_free(s, *level)
        _require_mean_inside(tuple(level), bound, closed(body, s), step)
        other = make(inner.op, *level, make("Int", bound, closed(body, s)))
    else:
        raise UnknownError(f"{term} has no two binders that may be exchanged")
    return step.judge(make("==", term, other))


def _exchanged_sums(term: Nameless, step: RuleStep) -> Nameless:
    x = fresh(str(term.value), term)
    inner = opened(term.args[-1], x)
    not_free(x, *inner.args[:-1])
    y = fresh(str(inner.value), inner, x)
    body = opened(inner.args[-1], y)
    reals = frozenset(v for v, op in ((x, term.op), (y, inner.op)) if op == "Int")
    _require_tame((body,), Moving(reals), step, "in the variables of integration")
    outer = make(term.op, *term.args[:-1], closed(body, x), value=term.value)
    return make(inner.op, *inner.args[:-1], closed(outer, y), value=inner.value)


def _require_mean_inside(
    level: tuple[Nameless, ...], bound: Nameless, body: Nameless, step: RuleStep
) -> None:
    """Tonelli for a mean and Int(s, t, u): t is the same for all ω of the mean, u is bounded."""
    sight = step.sight
    if not level and sight.random(bound):
        raise UnknownError(f"the bound {bound} is random")
    if level and not sight.known(bound, level[0]):
        raise UnknownError(f"the bound {bound} is not seen to be known at {level[0]}")
    s = fresh("Real", body, bound)
    _require_tame((opened(body, s),), Moving(frozenset((s,)), omega=True), step, "in ω and the variable")


def most(step: RuleStep) -> Judgement:
    """No value is above the maximum."""
    term, at = step.term(), step.term("at")
    if term.op != "MaxOver":
        raise UnknownError(f"{term} is no MaxOver")
    require_sort(at, str(term.value), "'at'")
    return step.judge(make("<=", put_bound(term.args[0], at, step.sight), term))


def least(step: RuleStep) -> Judgement:
    """The maximum is at most what every value is at most."""
    y, (a,) = step.variable("finite"), step.premises
    low, high = step.bench.relation(a.formula, "<=")
    not_free(y, a.given, high)
    return step.judge(make("<=", make("MaxOver", closed(low, y), value=y.sort), high), a.given)


def _supremum(step: RuleStep, a: Judgement) -> tuple[Nameless, Nameless, Nameless]:
    n = step.variable("Nat")
    low, high = step.bench.relation(a.formula, "<=")
    not_free(n, a.given, high)
    body = closed(low, n)
    return body, make("Sup", body), high


def supremum(step: RuleStep) -> Judgement:
    """No value is above the supremum, if there is an upper bound (else it is 0)."""
    (a,) = step.premises
    body, whole, _ = _supremum(step, a)
    at = step.whole("at")
    return step.judge(make("<=", put_bound(body, at, step.sight), whole), a.given)


def bounded(step: RuleStep) -> Judgement:
    """The supremum is at most an upper bound."""
    (a,) = step.premises
    _, whole, high = _supremum(step, a)
    return step.judge(make("<=", whole, high), a.given)


def primitive(step: RuleStep) -> Judgement:
    """The integral of a derivative."""
    s, end, function = step.variable("Real"), step.number("bound"), step.number("term")
    left = make("Int", end, closed(_derivative(function, s), s))
    right = minus(replaced(function, {s: end}), replaced(function, {s: num(0)}))
    return step.judge(make("==", left, right), *undecided(step.normal(make("<=", num(0), end))))


def undecided(given: Nameless) -> list[Nameless]:
    """A given, unless it is a true relation between numerals."""
    low, high = (a.number for a in given.args)
    if low is None or high is None:
        return [given]
    true = {"<=": low <= high, "<": low < high, "==": low == high}
    return [] if true[given.op] else [given]


def _derivative(u: Nameless, s: Nameless) -> Nameless:
    if s not in u.free:
        return num(0)
    if u == s:
        return num(1)
    match u.op:
        case "+":
            return make("+", *(_derivative(a, s) for a in u.args))
        case "*":
            parts = [
                make("*", *(_derivative(b, s) if j == k else b for j, b in enumerate(u.args)))
                for k in range(len(u.args))
            ]
            return make("+", *parts)
        case "^" if isinstance(u.value, int) and u.value > 0:
            base = u.args[0]
            return make("*", num(u.value), make("^", base, value=u.value - 1), _derivative(base, s))
        case "^":
            return num(0)
        case "exp":
            return make("*", u, _derivative(u.args[0], s))
    raise UnknownError(f"{u} is not made of {s} by sums, products, whole powers and exp")


def archimedes(step: RuleStep) -> Judgement:
    """If n u stays below v for all n, then u <= 0."""
    n, (a,) = step.variable("Nat"), step.premises
    low, high = step.bench.relation(a.formula, "<=")
    not_free(n, a.given, high)
    u: Poly = {}
    for m, c in step.bench.canon.poly(low).items():
        if (n, 1) not in m:
            raise UnknownError(f"{low} is not {n} times a term")
        u[tuple(item for item in m if item != (n, 1))] = Fraction(c)
    not_free(n, tree(u))
    return step.judge(make("<=", tree(u), num(0)), a.given)


def holds(step: RuleStep) -> Judgement:
    """The indicator of what holds is 1."""
    a = step.formula()
    return step.judge(make("==", indicator(a), num(1)), a)


def fails(step: RuleStep) -> Judgement:
    """The indicator of what does not hold is 0."""
    a = step.formula()
    return step.judge(make("==", indicator(a), num(0)), make("Not", a))


def whole(step: RuleStep) -> Judgement:
    """A natural number is not negative."""
    return step.judge(make("<=", num(0), step.whole("term")))


RULES = {
    rule.__name__: (rule, number)
    for number, rules in (
        (0, (exchange, most, primitive, holds, fails, whole)),
        (1, (monotone, least, supremum, bounded, archimedes)),
        (None, (combine,)),
    )
    for rule in rules
}
