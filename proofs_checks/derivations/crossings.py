"""How often a learner sees an exponential supermartingale become large, and the steps of unions.

The learner sees the counts as they were when the episode began (``gx``), the supermartingale exp(``gM``) is
that of the counts themselves. Each value that the learner sees is one that the supermartingale has had.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proofs_checks.derivations.unions import equal, ever_below, times_strictly, whole_cases
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_FALLS, _STARTS = "All(n, E(exp(gM(n + 1) - gM(n)), n) <= 1)", "And(gM(0) == 0, gx(0) == 0)"
_FROZEN = "All(n, gx(n + 1) == jump(n)*gx(n) + (1 - jump(n))*gM(n + 1))"
FROZEN = (
    f"Imp(Sure({_FALLS}), Imp(Sure({_STARTS}), Imp(Sure({_FROZEN}), "
    "E(Ind(1 <= Sum(i, n, Ind(c <= gx(i))))) <= exp(-c))))"
)


def frozen(D: Derivation) -> Theorem:
    """P(c <= F(i) for some i < n) <= e^(-c) for values F that exp(M) has had."""
    starts = D.surely(_STARTS)
    zero, first = (theorems.part(starts, D.formula(f"{name}(0) == 0")) for name in ("gM", "gx"))
    seen = _seen(D, D.surely(_FROZEN), D.linear("gx(0) == gM(0)", zero, first))
    ville = D.instantiate(D.at(D.lemma("lem:rateUCB/ville"), c="exp(c)"), "gM", "n", "exp(gM(n))")
    not_negative = theorems.sure(D.all(D.linear("0 <= exp(gM(n))", D.known("exp", "gM(n)")), "n"))
    falls = theorems.sure(D.all(_falls(D, D.surely(_FALLS)), "n"))
    bound = D.mp(ville, not_negative, falls, D.known("exp", "c"))
    rarely = D.times(D.mean(seen), D.known("exp", "c"))
    one = D.mean(D.by_value("exp(gM(0)) == 1", [zero]))
    below = D.linear("exp(c)*E(Ind(1 <= Sum(i, n, Ind(c <= gx(i))))) <= 1", rarely, bound, one)
    result = D.times(below, D.known("exp", "-c"))
    return D.imply(result, *(f"Sure({text})" for text in (_FALLS, _STARTS, _FROZEN)))


def _falls(D: Derivation, factor: Theorem) -> Theorem:
    """E(exp(M(n + 1)), n) <= exp(M(n)): what is known at n comes out of the mean of the factor."""
    known = D.surely("gG(n) == exp(-gM(n))")
    apart = D.mean(D.scaled(known, "exp(gM(n + 1))"), "n")
    itself = theorems.sure(D.linear("exp(-gM(n)) == exp(-gM(n))"))
    apart = theorems.cut(itself, D.instantiate(apart, "gG", "n", "exp(-gM(n))"))
    one = D.linear("exp(-gM(n))*E(exp(gM(n + 1)), n) <= 1", apart, D.special(factor, "n"))
    return D.times(one, D.known("exp", "gM(n)"))


def _seen(D: Derivation, frozen: Theorem, first: Theorem) -> Theorem:
    """F was at least c only if exp(M) was at least exp(c)."""
    now, past, late = "c <= gM(n)", "Sum(i, n, Ind(c <= gM(i)))", "c <= gM(n + 1)"
    shown = f"Ind(c <= gx(n)) <= Ind(1 <= {past} + Ind({now}))"
    later = f"<= Ind(1 <= {past} + Ind({now}) + Ind({late}))"
    early = "1 <= Ind(c <= gM(0))"
    start = D.decide(f"Ind(c <= gM(0)) <= Ind({early})", ["c <= gM(0)", early])
    start = D.by_value("Ind(c <= gx(0)) <= Ind(1 <= Ind(c <= gM(0)))", [first], start)

    def step(before: Theorem) -> Theorem:
        events = [f"1 <= {past} + Ind({now})", f"1 <= {past} + Ind({now}) + Ind({late})"]
        same = D.decide(f"Ind(c <= gx(n)) {later}", events, before, D.whole(f"Ind({late})"))
        new = D.decide(f"Ind({late}) {later}", [events[1], late], D.whole(f"{past} + Ind({now})"))
        goal = f"Ind(c <= gx(n + 1)) {later}"
        kept = D.special(frozen, "n")
        return by_jump(D, lambda equations: D.by_value(goal, [kept, *equations], same, new))

    each = D.induction("n", shown, start, step)
    ever = "Ind(1 <= Sum(i, n, Ind(c <= gx(i)))) <= Ind(1 <= Sum(i, n, Ind(c <= gM(i))))"
    seen = ["c <= gx(n)", "1 <= Sum(i, n, Ind(c <= gx(i)))", f"1 <= {past}"]
    ends = ["1 <= Sum(i, n, Ind(c <= gx(i))) + Ind(c <= gx(n))", f"1 <= {past} + Ind({now})"]
    together = D.induction(
        "n",
        ever,
        D.linear("Ind(1 <= 0) <= Ind(1 <= 0)"),
        lambda before: D.decide(
            f"Ind({ends[0]}) <= Ind({ends[1]})", [*ends, *seen], before, each, D.whole(f"Ind({now})")
        ),
    )
    return D.linear(
        ever.replace("Ind(c <= gM(i))", "Ind(exp(c) <= exp(gM(i)))"), together, ever_below(D, _reached(D))
    )


def _reached(D: Derivation) -> Theorem:
    """Exponentials are in the order of the numbers."""
    low = "c <= gM(i)"
    high = rises(D, D.assume(low))
    goal, seen = f"Ind({low}) <= Ind(exp(c) <= exp(gM(i)))", D.whole("Ind(exp(c) <= exp(gM(i)))")
    return D.cases(
        low,
        lambda _: D.by_value(goal, [D.holds(low), theorems.cut(high, D.holds(high.says))]),
        lambda _: D.by_value(goal, [D.fails(low)], seen),
    )


def frozen_at(
    D: Derivation,
    exponents: tuple[str, str],
    falls: Theorem,
    starts: Theorem,
    kept: Theorem,
) -> Theorem:
    """``lem:rateUCB/frozen`` for these exponents."""
    lemma = D.instantiate(
        D.instantiate(D.lemma("lem:rateUCB/frozen"), "gM", "n", exponents[0]), "gx", "n", exponents[1]
    )
    return D.mp(
        lemma, theorems.sure(D.all(falls, "n")), theorems.sure(starts), theorems.sure(D.all(kept, "n"))
    )


# --- steps ----------------------------------------------------------------------------------------


def rises(D: Derivation, low: Theorem) -> Theorem:
    """exp(u) <= exp(v) from u <= v: exp is above its tangent at u."""
    u, v = low.says.parts
    tangent = D.pointwise("exp(u)*(1 + v - u) <= exp(v)", u=u, v=v)
    goal = terms.relation("<=", terms.exp(u), terms.exp(v))
    return D.linear(goal, tangent, D.times(low, D.known("exp", u)))


def falls(D: Derivation, high: Theorem, u: str, v: str) -> Theorem:
    """U <= v from exp(u) <= exp(v)."""
    goal, less = f"{u} <= {v}", D.assume(f"{v} < {u}")
    tangent = D.pointwise("exp(u)*(1 + v - u) <= exp(v)", u=v, v=u)
    steep = times_strictly(D, less, D.known("exp", v))
    return D.cases(goal, lambda yes: yes, lambda _: D.absurd(D.linear("0 < 0", high, tangent, steep), goal))


def exp_equal(D: Derivation, equation: Theorem) -> Theorem:
    """exp(u) == exp(v) from u == v."""
    u, hole = equation.says.parts[0], D.variable("Real_900")
    same = D.linear(terms.relation("==", terms.exp(u), terms.exp(u)))
    return D.rewrite(equation, same, "Real_900", terms.relation("==", terms.exp(u), terms.exp(hole)))


def by_jump(D: Derivation, build: Callable[[Sequence[Theorem]], Theorem]) -> Theorem:
    """The same conclusion with a jump after decision n and without; ``build`` gets what is equal there."""

    def with_jump(seen: Theorem) -> Theorem:
        one = equal(D, D.fact("jump"), seen)
        return build([one, *(D.mp(D.fact(name), one) for name in ("stays-rem", "stays-ep"))])

    def without(none: Theorem) -> Theorem:
        zero = equal(D, none, D.whole("jump(n)"))
        return build([zero, *(D.mp(D.fact(name), zero) for name in ("ends-spent", "ends-rem", "ends-ep"))])

    return whole_cases(D, "jump(n)", without, with_jump)
