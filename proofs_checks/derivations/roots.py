"""Sums of roots: the root lies below its tangents, so Σ √g <= √(S A Σ g) and E √Z <= √(E Z)."""

from __future__ import annotations

from proofs_checks.derivations.runs import equal, settled
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

CAUCHY_SCHWARZ = (
    "Imp(All(x, All(a, 0 <= gbe(x, a))), "
    "SumOver(x, SumOver(a, sqrt(gbe(x, a)))) <= sqrt(S*A*SumOver(x, SumOver(a, gbe(x, a)))))"
)
_SUM = "SumOver(x, SumOver(a, gbe(x, a)))"
_ROOTS = "SumOver(x, SumOver(a, sqrt(gbe(x, a))))"


def tangent(D: Derivation, x: str, c: str, *facts: Theorem) -> Theorem:
    """2 √x <= c x + 1/c, for x >= 0 and c > 0 by the facts."""
    return settled(D, D.pointwise("2*sqrt(x) <= c*x + 1/c", "x >= 0", "c > 0", x=x, c=c), *facts)


def over_pairs(D: Derivation, theorem: Theorem) -> Theorem:
    """Summed over all pairs."""
    return D.over(D.over(theorem, "a"), "x")


def pairs(D: Derivation) -> Theorem:
    """SumOver(x, SumOver(a, 1)) == S*A."""
    return D.linear(
        "SumOver(x, SumOver(a, 1)) == S*A",
        D.scaled(D.fact("actions"), "SumOver(x, 1)"),
        D.scaled(D.fact("states"), "A"),
    )


def cauchy_schwarz(D: Derivation) -> Theorem:
    """Σ √g <= √(S A Σ g): tangents at √(S A/Σ g), or steeper and steeper ones where Σ g = 0."""
    hypothesis = "All(x, All(a, 0 <= gbe(x, a)))"
    one = D.special(D.assume(hypothesis), "x", "a")
    some = D.linear("0 <= S*A - 1", D.times(D.fact("actions-some"), D.whole("S")), D.fact("states-some"))
    sums = over_pairs(D, tangent(D, "gbe(x, a)", "c", one, D.assume("0 < c")))
    sums = D.linear(f"2*{_ROOTS} <= c*{_SUM} + S*A/c", sums, D.scaled(pairs(D), "1/c"))
    nonnegative = over_pairs(D, one)
    goal = f"{_ROOTS} <= sqrt(S*A*{_SUM})"

    def positive(more: Theorem) -> Theorem:
        r, w = "sqrt(S*A)", f"sqrt({_SUM})"
        signs = [D.linear("0 < S*A", some), more]
        root = [settled(D, D.pointwise("sqrt(x) > 0", "x > 0", x=t), *signs) for t in ("S*A", _SUM)]
        slope = settled(D, D.pointwise("r/w > 0", "r > 0", "w > 0", r=r, w=w), *root)
        at = D.closed(D.at(sums, c=f"{r}/{w}"), slope)
        same = settled(D, D.pointwise("r*w**2/w + r**2*w/r == 2*r*w", "r > 0", "w > 0", r=r, w=w), *root)
        product = D.pointwise("sqrt(x*y) == sqrt(x)*sqrt(y)", "x > 0", "y > 0", x="S*A", y=_SUM)
        product = settled(D, product, *signs, D.times(more, signs[0]))
        squares = [D.positive("sqrt-square", t, D.linear(f"0 <= {t}", *signs)) for t in ("S*A", _SUM)]
        facts = (same, product, D.scaled(squares[0], f"{w}/{r}"), D.scaled(squares[1], f"{r}/{w}"))
        return D.linear(goal, at, *facts)

    def nothing(less: Theorem) -> Theorem:
        none = equal(D, less, nonnegative)
        claim = f"n*(2*{_ROOTS}) <= S*A"

        def case(assumed: Theorem) -> Theorem:
            if assumed.says is D.formula("n <= 0"):
                return D.by_value(claim, [equal(D, assumed, D.whole("n"))], D.whole("S*A"))
            steep = D.closed(D.at(sums, c="n"), assumed)
            one = D.positive("inverse", "n", D.linear("0 < n", assumed))
            return D.linear(claim, D.times(steep, D.whole("n")), D.scaled(one, "S*A"), D.scaled(none, "n**2"))

        zero = D.archimedes(D.split(D.known("discrete", "n", "0"), case, case), "n")
        return D.linear(goal, zero, D.known("sqrt", f"S*A*{_SUM}"))

    whole = D.cases(f"0 < {_SUM}", positive, nothing)
    return D.imply(whole, hypothesis)
