"""Roots of the numbers of long episodes: their means (tangents), and a series that is above their sum."""

from __future__ import annotations

from proofs_checks.derivations.counting import LEVEL
from proofs_checks.derivations.poisson_levels import FAR, nonnegative
from proofs_checks.derivations.roots import tangent
from proofs_checks.derivations.runs import equal, product, settled
from proofs_checks.derivations.tail_series import ROOT
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

SERIES = "Imp(0 <= u, Imp(0 < d, Sum(l, m, Min(1, exp(u - d*(l + 1)))) <= u/d + 1/(exp(d) - 1)))"
ROOTS = f"E(Sum(l, m, sqrt({LEVEL.format(n='n')}))) <= sqrt(K)*Sum(l, m, {ROOT})"


def series(D: Derivation) -> Theorem:
    """1 at first, and then a geometric series: what is left from Y = u - d m on is at most Ψ(Y)."""
    g = "1/(exp(d) - 1)"
    rest = f"Ind(0 <= {{y}})*({{y}}/d + {g}) + Ind({{y}} < 0)*exp({{y}})*{g}"
    positive = D.assume("0 < d")
    base = D.linear("0 < exp(d) - 1", D.closed(D.pointwise("exp(d) > 1", "d > 0", d="d"), positive))
    one, unit = D.positive("inverse", "exp(d) - 1", base), D.positive("inverse", "d", positive)
    goal = f"Min(1, exp(v - d)) + {rest.format(y='(v - d)')} <= {rest.format(y='v')}"
    small, other = D.known("min", "1", "exp(v - d)"), D.known("min-right", "1", "exp(v - d)")
    scaled = D.scaled(one, "exp(v - d)")

    def flat(above: Theorem) -> Theorem:
        def between(below: Theorem) -> Theorem:
            convex = D.pointwise(
                "(y + e)*(exp(y) - 1) <= y*(exp(y + e) - 1)", "y >= 0", "e >= 0", y="v", e="d - v"
            )
            convex = D.closed(convex, above, D.linear("0 <= d - v", below))
            divided = D.times(
                D.times(convex, D.positive("inverse-positive", "d", positive)),
                D.positive("inverse-positive", "exp(d) - 1", base),
            )
            signs = [D.holds("0 <= v"), D.fails("0 <= v - d")]
            facts = (D.scaled(one, "v/d"), D.scaled(unit, f"(exp(v) - 1)*{g}"))
            return D.by_value(goal, signs, other, scaled, divided, *facts)

        def first(_: Theorem) -> Theorem:
            return D.by_value(goal, [D.holds("0 <= v"), D.holds("0 <= v - d")], small, unit)

        return D.cases("0 <= v - d", first, between)

    def steep(below: Theorem) -> Theorem:
        gone = D.closed(D.fails("0 <= v - d"), D.linear("v - d < 0", below, positive))
        return D.by_value(goal, [D.fails("0 <= v"), gone], other, scaled)

    step = D.cases("0 <= v", flat, steep)
    left = D.positive("inverse-positive", "exp(d) - 1", base)
    y = "(u - d*{m})"

    def claim(m: str) -> str:
        return f"Sum(l, {m}, Min(1, exp(u - d*(l + 1)))) + {rest.format(y=y.format(m=m))} <= u/d + {g}"

    first = D.by_value(claim("0"), [D.holds("0 <= u")])
    total = D.induction(
        "m",
        claim("m"),
        D.closed(first),
        lambda below: D.linear(claim("(m + 1)"), below, D.at(step, v=y.format(m="m"))),
    )
    end = rest.format(y="v")

    def nonnegative(above: Theorem) -> Theorem:
        quotient = D.times(above, D.positive("inverse-positive", "d", positive))
        return D.by_value(f"0 <= {end}", [D.holds("0 <= v")], quotient, left)

    tail_of = D.times(left, D.known("exp", "v"))
    sign = D.cases("0 <= v", nonnegative, lambda _: D.by_value(f"0 <= {end}", [D.fails("0 <= v")], tail_of))
    bound = f"Sum(l, m, Min(1, exp(u - d*(l + 1)))) <= u/d + {g}"
    return D.imply(D.linear(bound, total, D.at(sign, v=y.format(m="m"))), "0 <= u", "0 < d")


def root_of_level(D: Derivation) -> Theorem:
    """E √LEVEL <= √K w, given E LEVEL <= K w² and w > 0."""
    level = LEVEL.format(n="n")
    few, positive = D.assume(f"E({level}) <= K*w**2"), D.assume("0 < w")
    root = settled(D, D.pointwise("sqrt(x) > 0", "x > 0", x="K"), D.fact("episodes"))
    slope = settled(
        D,
        D.pointwise("1/(r*w) > 0", "r > 0", "w > 0", r="sqrt(K)", w="w"),
        root,
        positive,
        product(D, positive, root),
    )
    mean = D.mean(tangent(D, level, "1/(sqrt(K)*w)", D.whole(level), slope))
    same = settled(
        D,
        D.pointwise("1/(r*w)*(r**2*w**2) == r*w", "r > 0", "w > 0", r="sqrt(K)", w="w"),
        root,
        positive,
        product(D, positive, root),
    )
    square = D.positive("sqrt-square", "K", D.whole("K"))
    facts = (same, D.times(few, slope), D.scaled(square, "w**2/(sqrt(K)*w)"))
    return D.linear(f"E(sqrt({level})) <= sqrt(K)*w", mean, *facts)


def root_of_none(D: Derivation) -> Theorem:
    """E √LEVEL <= 0, given E LEVEL <= 0: it is a whole number."""
    level = LEVEL.format(n="n")

    def case(assumed: Theorem) -> Theorem:
        goal = f"sqrt({level}) <= {level}"
        if assumed.says is D.formula(f"{level} <= 0"):
            return D.by_value(goal, [equal(D, assumed, D.whole(level))])
        return D.closed(D.pointwise("sqrt(x) <= x", "x >= 1", x=level), assumed, D.whole(level))

    one = D.split(D.known("discrete", level, "0"), case, case)
    return D.linear(f"E(sqrt({level})) <= 0", D.mean(one), D.assume(f"E({level}) <= 0"))


def mean_roots(D: Derivation) -> Theorem:
    """eq:JM-eq/sharp."""
    few, level = D.lemma("prop:proberror/levels"), LEVEL.format(n="n")
    square = D.positive(
        "sqrt-square", FAR, nonnegative(D, "l + 1", "H", D.linear("0 <= H", D.fact("horizon")))
    )
    square = D.scaled(square, "K")
    goal = f"E(sqrt({level})) <= sqrt(K)*{ROOT}"

    def some(positive: Theorem) -> Theorem:
        return D.closed(
            D.at(root_of_level(D), w=ROOT), D.linear(f"E({level}) <= K*{ROOT}**2", few, square), positive
        )

    def none(less: Theorem) -> Theorem:
        nothing = equal(D, less, D.known("sqrt", FAR))
        zero = D.linear(f"E({level}) <= 0", few, square, D.scaled(nothing, f"K*{ROOT}"))
        return D.linear(goal, theorems.cut(zero, root_of_none(D)), D.scaled(nothing, "sqrt(K)"))

    return D.sum(D.cases(f"0 < {ROOT}", some, none), "l", "m")


_STEP = "(1 + 1/sqrt(v))"  # e^{h/2}
_LEADING = "Min(1, exp((v*({e}**2 - 1) - 2*log({e})*(l + 1))/2))"
LEADING = f"Imp(0 < v, Sum(l, m, {_LEADING.format(e=_STEP)}) <= v + 2*sqrt(v) + 1/4)"


def leading(D: Derivation) -> Theorem:
    """The series at e^{h/2} = 1 + 1/√v."""
    positive = D.assume("0 < v")
    root = settled(D, D.pointwise("sqrt(x) > 0", "x > 0", x="v"), positive)
    inverse = D.positive("inverse-positive", "sqrt(v)", root)
    step = "1/sqrt(v)"
    base = D.positive("log", f"1 + {step}", D.linear(f"0 < 1 + {step}", inverse))
    grows = D.closed(D.pointwise("log(1 + x) > 0", "x > 0", x=step), inverse)
    size = D.linear(
        f"0 <= v*({_STEP}**2 - 1)/2", product(D, positive, inverse), product(D, positive, inverse, inverse)
    )
    total = D.mp(D.lemma("eq:term1-3/levels", u=f"v*({_STEP}**2 - 1)/2", d=f"log{_STEP}"), size, grows)
    claim = D.claim("eq:term1-3/levels/leading", h=step)
    bound = settled(
        D, claim, inverse, D.linear(f"0 < 1 + {step}", inverse), D.linear(f"0 < 2*log{_STEP}", grows)
    )
    first = D.times(bound, positive)
    unit, square = (
        D.positive("inverse", "sqrt(v)", root),
        D.positive("sqrt-square", "v", D.linear("0 <= v", positive)),
    )
    facts = [D.scaled(square, "1/sqrt(v)"), D.scaled(square, "1/sqrt(v)**2")]
    units = [D.scaled(unit, "sqrt(v)"), D.scaled(unit, "sqrt(v)/sqrt(v)"), unit]
    goal = f"Sum(l, m, {_LEADING.format(e=_STEP)}) <= v + 2*sqrt(v) + 1/4"
    return D.imply(D.linear(goal, D.valued(total, base), first, *facts, *units), "0 < v")
