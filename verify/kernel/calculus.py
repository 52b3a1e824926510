"""The rules about numbers, sums, integrals and means.

Inequalities are put together by ``combine``: the conclusion must be a combination of the premises with
multipliers that are not negative.  Operators keep order (``monotone``); their linearity is part of the normal
form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from verify.kernel import terms as T  # noqa: N812 - the letter of every term
from verify.kernel.language import Setting, show
from verify.kernel.measure import known as is_known
from verify.kernel.measure import tame
from verify.kernel.operators import binder, expectation
from verify.kernel.terms import NAT, ONE, REAL, ZERO, Term
from verify.kernel.theorems import Theorem, given_by, made, named, not_free, require

# --- combining ----------------------------------------------------------------------------------

Multiplier = (
    Term | tuple[Term, int]
)  # a numeral (any term for ==), or a term and the premise that gives its sign


@named("combine")
def combine(
    setting: Setting, goal: Term, premises: Sequence[Theorem], multipliers: Sequence[Multiplier]
) -> Theorem:
    """The goal, if right - left is a sum of multiples of those of the premises, and a number >= 0."""
    require(goal.tag in ("<=", "<", "=="), "combine", f"{show(goal)!r} is no comparison")
    require(len(premises) == len(multipliers), "combine", "one multiplier for each premise")
    total, strict, equal = T.sub(goal.parts[1], goal.parts[0]), False, True
    for theorem, m in zip(premises, multipliers, strict=True):
        factor, positive = _factor(m, theorem, premises)
        if factor is ZERO:
            continue
        says = theorem.says
        require(says.tag in ("<=", "<", "=="), "combine", f"{show(says)!r} is no comparison")
        strict = strict or (says.tag == "<" and positive)
        equal = equal and says.tag == "=="
        total = T.sub(total, T.mul(factor, T.sub(says.parts[1], says.parts[0])))
    require(total.tag == "num", "combine", f"the premises leave {show(total)!r} of {show(goal)!r}")
    rest = total.parts[0]
    if goal.tag == "==":
        require(equal and rest == 0, "combine", f"{show(goal)!r} needs equations, and no rest")
    else:
        enough = rest > 0 or (rest == 0 and (strict or goal.tag == "<="))
        require(enough, "combine", f"the premises leave {rest} of {show(goal)!r}")
    rows = [show(m) if isinstance(m, Term) else {"term": show(m[0]), "sign": m[1]} for m in multipliers]
    return made(
        "combine", {"goal": show(goal), "multipliers": rows}, premises, given_by(premises), goal, setting
    )


def _factor(m: Multiplier, theorem: Theorem, premises: Sequence[Theorem]) -> tuple[Term, bool]:
    """The factor, and whether it is positive."""
    if isinstance(m, Term):
        T.require_sort(m, REAL, "combine: a multiplier")
        if theorem.says.tag == "==":
            return m, False
        require(
            m.tag == "num" and m.parts[0] >= 0, "combine", f"the multiplier {show(m)} is not seen to be >= 0"
        )
        return m, m.parts[0] > 0
    term, j = m
    require(0 <= j < len(premises), "combine", f"no premise {j}")
    sign = premises[j].says
    fits = sign.tag in ("<=", "<") and sign.parts[0] is ZERO and sign.parts[1] is term
    require(fits, "combine", f"premise {j} says {show(sign)!r}, not 0 <= {show(term)}")
    return term, sign.tag == "<"


# --- operators ----------------------------------------------------------------------------------


@named("monotone")
def monotone(theorem: Theorem, tag: str, x: Term | None = None, limit: Term | None = None) -> Theorem:
    """U <= v becomes operator(u) <= operator(v), == stays ==."""
    rule = f"monotone {tag}"
    require(theorem.says.tag in ("<=", "<", "=="), rule, f"{show(theorem.says)!r} is no comparison")
    require(tag in ("Sum", "SumOver", "MaxOver", "Int", "E"), rule, "there is no such operator")
    u, v = theorem.says.parts
    if tag == "E":
        given = theorem.given
        when = "deterministic" if limit is None else f"known at {show(limit)}"
        for g in given:
            require(is_known(g, limit), rule, f"the given {show(g)!r} is not seen to be {when}")
        for side in (u, v):
            require(tame(side, frozenset(), omega=True), rule, f"{show(side)!r} is not seen to be bounded")
        sides = [expectation(side, limit) for side in (u, v)]
    else:
        require(x is not None and x.tag == "var", rule, "needs a variable")
        assert x is not None
        ranges = [] if limit is None else [limit]
        require(
            bool(ranges) == (tag in ("Sum", "Int")), rule, "needs a range for Sum and Int, and only there"
        )
        given = theorem.given - _range(tag, x, limit)
        not_free(rule, x, given)
        if tag == "Int":
            for side in (u, v):
                require(
                    tame(side, frozenset([x]), omega=False), rule, f"{show(side)!r} is not seen to be bounded"
                )
        sides = [binder(tag, x, ranges, side) for side in (u, v)]
    op = "==" if theorem.says.tag == "==" else "<="
    fields = {"binder": tag, **({} if x is None else {"variable": show(x)})}
    fields |= {} if limit is None else {"bound": show(limit)}
    return made("monotone", fields, (theorem,), given, T.relation(op, *sides))


def _range(tag: str, x: Term, limit: Term | None) -> set[Term]:
    """What may be given of the variable of a sum or an integral."""
    if limit is None:
        return set()
    if tag == "Sum":
        return {T.relation("<", x, limit)}
    return {T.relation("<=", ZERO, x), T.relation("<=", x, limit)}


@dataclass(frozen=True)
class Operator:
    """A sum, an integral or a mean around something."""

    tag: str
    variable: Term | None = None
    limit: Term | None = None

    def around(self, body: Term) -> Term:
        """The term."""
        if self.tag == "E":
            return expectation(body, self.limit)
        assert self.variable is not None
        return binder(self.tag, self.variable, [] if self.limit is None else [self.limit], body)

    def text(self, body: str) -> str:
        """As it is written."""
        parts = [t for t in (self.variable, self.limit) if t is not None]
        shown = [show(t) for t in parts]
        return (
            f"E({', '.join([body, *shown])})"
            if self.tag == "E"
            else f"{self.tag}({', '.join([*shown, body])})"
        )


@named("exchange")
def exchange(setting: Setting, outer: Operator, inner: Operator, body: Term) -> Theorem:
    """The two operators in the other order (Tonelli; everything is bounded)."""
    for one in (outer, inner):
        require(one.tag in ("Sum", "SumOver", "Int", "E"), "exchange", f"there is no {one.tag} here")
        whole = (one.variable is None) == (one.tag == "E")
        whole = whole and (one.tag == "E" or (one.limit is None) == (one.tag == "SumOver"))
        require(whole, "exchange", f"{one.tag} needs its variable and its range, and no other")
    same = outer.variable is not None and outer.variable is inner.variable
    require(not same, "exchange", "the two operators bind the same variable")
    tags = {outer.tag, inner.tag}
    require("E" not in tags or tags == {"E", "Int"}, "exchange", "a mean is exchanged with Int only")
    moving = frozenset(o.variable for o in (outer, inner) if o.tag == "Int" and o.variable is not None)
    require(tame(body, moving, omega="E" in tags), "exchange", f"{show(body)!r} is not seen to be bounded")
    for one, other in ((outer, inner), (inner, outer)):
        if one.tag != "E" and other.limit is not None:
            require(one.variable not in other.limit.free, "exchange", "a range mentions the other variable")
        if one.tag == "E" and other.limit is not None:
            require(is_known(other.limit, one.limit), "exchange", f"{show(other.limit)} is random")
    says = T.relation("==", outer.around(inner.around(body)), inner.around(outer.around(body)))
    term = outer.text(inner.text(show(body)))
    return made("exchange", {"term": term}, (), (), says, setting)


@named("most")
def most(setting: Setting, y: Term, body: Term, at: Term) -> Theorem:
    """u[z] <= MaxOver(y, u)."""
    T.require_sort(at, y.sort, "most: the value")
    term = f"MaxOver({show(y)}, {show(body)})"
    says = T.relation("<=", T.substitute(body, {y: at}), binder("MaxOver", y, [], body))
    return made("most", {"term": term, "at": show(at)}, (), (), says, setting)


@named("least")
def least(theorem: Theorem, y: Term) -> Theorem:
    """U <= v for all y, v without y: MaxOver(y, u) <= v."""
    u, v = _inequality("least", theorem)
    not_free("least", y, (*theorem.given, v))
    says = T.relation("<=", binder("MaxOver", y, [], u), v)
    return made("least", {"variable": show(y)}, (theorem,), theorem.given, says)


@named("supremum")
def supremum(theorem: Theorem, n: Term, at: Term) -> Theorem:
    """U <= v for all n, v without n: u[at] <= Sup(n, u)."""
    u, v = _inequality("supremum", theorem)
    not_free("supremum", n, (*theorem.given, v))
    T.require_sort(at, NAT, "supremum: the value")
    says = T.relation("<=", T.substitute(u, {n: at}), binder("Sup", n, [], u))
    return made("supremum", {"variable": show(n), "at": show(at)}, (theorem,), theorem.given, says)


@named("bounded")
def bounded(theorem: Theorem, n: Term) -> Theorem:
    """U <= v for all n, v without n: Sup(n, u) <= v."""
    u, v = _inequality("bounded", theorem)
    not_free("bounded", n, (*theorem.given, v))
    says = T.relation("<=", binder("Sup", n, [], u), v)
    return made("bounded", {"variable": show(n)}, (theorem,), theorem.given, says)


def _inequality(rule: str, theorem: Theorem) -> tuple[Term, Term]:
    require(theorem.says.tag in ("<=", "<", "=="), rule, f"{show(theorem.says)!r} is no comparison")
    u, v = theorem.says.parts
    return u, v


@named("primitive")
def primitive(setting: Setting, s: Term, t: Term, whole: Term) -> Theorem:
    """Int(s, t, U') == U[t] - U[0], given 0 <= t."""
    require(s.tag == "var" and s.sort == REAL, "primitive", f"{show(s)} is no real variable")
    require(s not in t.free, "primitive", "the end of the integral mentions its variable")
    T.require_sort(t, REAL, "primitive: the end")
    ends = T.sub(T.substitute(whole, {s: t}), T.substitute(whole, {s: ZERO}))
    says = T.relation("==", binder("Int", s, [t], _slope(whole, s)), ends)
    fields = {"variable": show(s), "bound": show(t), "term": show(whole)}
    return made("primitive", fields, (), (T.relation("<=", ZERO, t),), says, setting)


def _slope(u: Term, s: Term) -> Term:
    """The derivative of what is made of s by + * and exp."""
    if s not in u.free:
        return ZERO
    if u is s:
        return ONE
    if u.tag == "exp":
        return T.mul(u, _slope(u.parts[0], s))
    require(u.tag == "poly", "primitive", f"{show(u)!r} is not made of {show(s)} by +, * and exp")
    slopes = []
    for monomial, c in u.parts:
        for place, (factor, e) in enumerate(monomial):
            others = [T.power(f, k) for j, (f, k) in enumerate(monomial) if j != place]
            slopes.append(T.mul(T.num(c * e), T.power(factor, e - 1), _slope(factor, s), *others))
    return T.add(*slopes)


@named("archimedes")
def archimedes(theorem: Theorem, n: Term) -> Theorem:
    """N u <= v for all n: u <= 0."""
    left, v = _inequality("archimedes", theorem)
    require(n.tag == "var" and n.sort == NAT, "archimedes", f"{show(n)} is no variable of sort Nat")
    u = T.substitute(left, {n: ONE})
    require(T.mul(n, u) is left, "archimedes", f"{show(left)!r} is no multiple of {show(n)}")
    not_free("archimedes", n, (*theorem.given, u, v))
    return made("archimedes", {"variable": show(n)}, (theorem,), theorem.given, T.relation("<=", u, ZERO))


# --- indicators, and what is true of all numbers ------------------------------------------------


@named("holds")
def holds(setting: Setting, a: Term) -> Theorem:
    """A ⊢ Ind(A) == 1."""
    says = T.relation("==", T.indicator(a), ONE)
    return made("holds", {"formula": show(a)}, (), (a,), says, setting)


@named("fails")
def fails(setting: Setting, a: Term) -> Theorem:
    """Not(A) ⊢ Ind(A) == 0."""
    says = T.relation("==", T.indicator(a), ZERO)
    return made("fails", {"formula": show(a)}, (), (T.negation(a),), says, setting)


@named("whole")
def whole(setting: Setting, u: Term) -> Theorem:
    """0 <= u for u of sort Nat."""
    T.require_sort(u, NAT, "whole: the term")
    return made("whole", {"term": show(u)}, (), (), T.relation("<=", ZERO, u), setting)


@named("known")
def elementary(setting: Setting, name: str, *terms: Term) -> Theorem:
    """One of the elementary facts."""
    require(name in _FACTS, "known", f"there is no elementary fact {name!r}")
    arity, make = _FACTS[name]
    require(len(terms) == arity, "known", f"{name} takes {arity} terms")
    if name == "discrete":
        for t in terms:
            T.require_sort(t, NAT, "known discrete: a term")
    fields = {"name": name, "terms": [show(t) for t in terms]}
    return made("known", fields, (), (), make(*terms), setting)


def _le(a: Term, b: Term) -> Term:
    return T.relation("<=", a, b)


def _eq(a: Term, b: Term) -> Term:
    return T.relation("==", a, b)


def _if(*parts: Term) -> Term:
    *conditions, conclusion = parts
    return T.implication(T.junction("And", *conditions), conclusion)


def _or(a: Term, b: Term) -> Term:
    return T.junction("Or", a, b)


def _positive(x: Term) -> Term:
    return T.relation("<", ZERO, x)


def _f(name: str, *x: Term) -> Term:
    return T.function(name, *x)


_FACTS: dict[str, tuple[int, Any]] = {
    "square": (1, lambda x: _le(ZERO, T.power(x, 2))),
    "exp": (1, lambda x: _positive(T.exp(x))),
    "abs": (1, lambda x: _le(x, _f("Abs", x))),
    "abs-": (1, lambda x: _le(T.scale(x, -1), _f("Abs", x))),
    "abs-cases": (1, lambda x: _or(_eq(_f("Abs", x), x), _eq(_f("Abs", x), T.scale(x, -1)))),
    "max": (2, lambda x, y: _le(x, _f("Max", x, y))),
    "max-right": (2, lambda x, y: _le(y, _f("Max", x, y))),
    "max-cases": (2, lambda x, y: _or(_eq(_f("Max", x, y), x), _eq(_f("Max", x, y), y))),
    "min": (2, lambda x, y: _le(_f("Min", x, y), x)),
    "min-right": (2, lambda x, y: _le(_f("Min", x, y), y)),
    "min-cases": (2, lambda x, y: _or(_eq(_f("Min", x, y), x), _eq(_f("Min", x, y), y))),
    "inverse": (1, lambda x: _if(_positive(x), _eq(T.mul(x, T.inverse(x)), ONE))),
    "inverse-positive": (1, lambda x: _if(_positive(x), _positive(T.inverse(x)))),
    "sqrt": (1, lambda x: _le(ZERO, _f("sqrt", x))),
    "sqrt-square": (1, lambda x: _if(_le(ZERO, x), _eq(T.power(_f("sqrt", x), 2), x))),
    "total": (2, lambda x, y: _or(_le(x, y), _le(y, x))),
    "log": (1, lambda x: _if(_positive(x), _eq(T.exp(_f("log", x)), x))),
    "discrete": (2, lambda n, m: _or(_le(n, m), _le(T.add(m, ONE), n))),
    "antisymmetric": (2, lambda x, y: _if(_le(x, y), _le(y, x), _eq(x, y))),
    "either": (2, lambda a, b: _if(_or(a, b), T.negation(a), b)),
}
