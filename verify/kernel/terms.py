"""Terms and formulas: all of ``numbers`` and ``formulas``, binders, and what puts one term into another.

Bound variables are called ``#h``, h the number of binders that may be nested in the body, so that names never
matter and nothing is ever captured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from verify.kernel.formulas import implication, indicator, junction, negation, relation, sure
from verify.kernel.numbers import (
    BINDERS,
    NAT,
    NUMBERS,
    ONE,
    REAL,
    TRUTH,
    ZERO,
    CaptureError,
    KernelError,
    Monomial,
    Polynomial,
    Symbol,
    Term,
    add,
    app,
    exp,
    fresh,
    function,
    inverse,
    mul,
    node,
    num,
    number,
    polynomial,
    power,
    require_sort,
    scale,
    sub,
    var,
)

__all__ = [
    "BINDERS",
    "NAT",
    "NUMBERS",
    "ONE",
    "REAL",
    "TRUTH",
    "ZERO",
    "CaptureError",
    "KernelError",
    "Monomial",
    "Polynomial",
    "Symbol",
    "Term",
    "add",
    "app",
    "bound",
    "changed",
    "exp",
    "forall",
    "fresh",
    "function",
    "implication",
    "indicator",
    "instantiated",
    "inverse",
    "junction",
    "mean",
    "mul",
    "negation",
    "num",
    "number",
    "opened",
    "polynomial",
    "power",
    "relation",
    "renamed",
    "require_sort",
    "scale",
    "sub",
    "substitute",
    "sure",
    "var",
]

# --- binders ------------------------------------------------------------------------------------


def bound(tag: str, variable: Term, *parts: Term, sort: str = REAL) -> Term:
    """A binder; the last part is its body, in which the variable becomes nameless."""
    *ranges, body = parts
    hidden = var(f"#{body.height}", variable.sort)
    return node(tag, hidden, *ranges, renamed(body, variable, hidden), sort=sort)


def opened(t: Term, variable: Term | None = None) -> tuple[Term, Term]:
    """A variable nobody has (or the given one) and the body with it."""
    x = fresh(t.parts[0].sort) if variable is None else variable
    return x, renamed(t.parts[-1], t.parts[0], x)


def mean(body: Term, level: Term | None) -> Term:
    """The bare node of E; see ``operators.expectation``."""
    return node("E", body, level)


def forall(x: Term, a: Term) -> Term:
    """All."""
    require_sort(a, TRUTH, "the body of All")
    return bound("All", x, a, sort=TRUTH)


# --- substitution -------------------------------------------------------------------------------

Change = Callable[[Term], Term | None]


def substitute(t: Term, values: Mapping[Term, Term]) -> Term:
    """The free variables replaced.

    A mean runs over all outcomes, so a random value must not move under it: ``E(X(m))`` is a function of
    m, and putting N for m does not make it ``E(X(N))``; unless N is known at the level of the mean.
    """
    names = frozenset(values)
    _not_captured(t, {x: v for x, v in values.items() if v.random})
    return changed(t, values.get, lambda u: not (u.free & names))


def _not_captured(t: Term, values: Mapping[Term, Term]) -> None:
    if not values or not (t.free & values.keys()):
        return
    if t.tag in ("E", "Sure"):
        from verify.kernel.measure import known  # the two are one notion of what is random

        body, level = t.parts if t.tag == "E" else (*t.parts, None)
        if any(not known(values[x], level) for x in body.free & values.keys()):
            raise CaptureError("a random term cannot be put under a mean at whose level it is not known")
        if level is not None and level.free & values.keys():
            raise CaptureError("a random term cannot be put into the level of a mean")
    for child in t.children:
        _not_captured(child, values)


def changed(t: Term, change: Change, untouched: Callable[[Term], bool]) -> Term:
    """The term with ``change`` made wherever it gives something, and normalised again."""
    memo: dict[Term, Term] = {}

    def go(u: Term) -> Term:
        if untouched(u):
            return u
        if u not in memo:
            new = change(u)
            memo[u] = rebuilt(u, go) if new is None else new
        return memo[u]

    return go(t)


def renamed(t: Term, x: Term, y: Term) -> Term:
    """A variable replaced by one that occurs nowhere in it, free or bound.

    What is in normal form stays so, but for the order of things: no binder has to be taken apart.
    """
    memo: dict[Term, Term] = {x: y}

    def go(u: Term) -> Term:
        if x not in u.free:
            return u
        if u not in memo:
            memo[u] = again(u)
        return memo[u]

    def again(u: Term) -> Term:
        if u.tag == "poly":
            return _sum_again(u, go)
        if u.tag in BINDERS:
            return node(u.tag, u.parts[0], *map(go, u.parts[1:]), sort=u.sort)
        if u.tag == "E":
            return mean(go(u.parts[0]), None if u.parts[1] is None else go(u.parts[1]))
        return rebuilt(u, go)

    return go(t)


def _sum_again(t: Term, go: Callable[[Term], Term]) -> Term:
    """A sum whose factors have other names: it only has to be put in order."""
    found: Polynomial = {}
    for monomial, c in t.parts:
        powers = {go(f): e for f, e in monomial}
        if len(powers) < len(monomial) or any(f.tag in ("num", "poly") for f in powers):
            return rebuilt(t, go)
        found[tuple(sorted(powers.items(), key=lambda item: item[0].rank))] = c
    return number(found) if len(found) == len(t.parts) else rebuilt(t, go)


def rebuilt(t: Term, go: Callable[[Term], Term]) -> Term:
    """The term made again from changed parts."""
    from verify.kernel import operators  # the two are one normal form; a binder's is next door

    parts = t.parts
    match t.tag:
        case "num" | "var":
            return t
        case "poly":
            return add(*(mul(num(c), *(power(go(f), e) for f, e in m)) for m, c in parts))
        case "inv":
            return inverse(go(parts[0]))
        case "exp":
            return exp(go(parts[0]))
        case "log" | "sqrt" | "Abs" | "Max" | "Min":
            return function(t.tag, *map(go, parts))
        case "app":
            return app(parts[0], *map(go, parts[1:]))
        case "Ind":
            return indicator(go(parts[0]))
        case "<=" | "<" | "==":
            return relation(t.tag, *map(go, parts))
        case "And" | "Or":
            return junction(t.tag, *map(go, parts))
        case "Not":
            return negation(go(parts[0]))
        case "Imp":
            return implication(*map(go, parts))
        case "Sure":
            return sure(go(parts[0]))
        case "E":
            return operators.expectation(go(parts[0]), None if parts[1] is None else go(parts[1]))
    x, body = opened(t)
    return operators.binder(t.tag, x, [go(r) for r in parts[1:-1]], go(body))


def instantiated(t: Term, symbol: Symbol, params: Iterable[Term], body: Term) -> Term:
    """A generic symbol replaced by a function of its arguments."""
    names = list(params)

    def go(u: Term) -> Term:
        return changed(u, change, lambda v: symbol not in v.symbols)

    def change(u: Term) -> Term | None:
        if u.tag != "app" or u.parts[0] != symbol:
            return None
        return substitute(body, dict(zip(names, map(go, u.parts[1:]), strict=True)))

    return go(t)
