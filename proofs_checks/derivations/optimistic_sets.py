r"""Where the sets contain the model it is no better than the maximum, and wrong rates and rows have prices.

Two rates of an interval differ by at most its width, and :math:`|\tilde p\hat V - \hat Q| \le t`.  Two rows
within α of the estimate differ by at most 2α in ℓ¹, and :math:`|\hat V - t/2| \le t/2`, so that
:math:`(\tilde p - p)\hat V \le \alpha t`; without a jump seen all rows are in the set, and α >= 1.
"""

from __future__ import annotations

from proofs_checks.derivations.nearby import chain, conditional, ordered
from proofs_checks.derivations.operators import part
from proofs_checks.derivations.optimistic_levels import UNIFORM, sized
from proofs_checks.derivations.optimistic_values import BELOW, NEAR
from proofs_checks.derivations.runs import equal, settled
from proofs_checks.derivations.setting_optimistic import GAIN, WITHIN
from proofs_checks.derivations.unions import whole_cases
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_GAIN = GAIN.format(u="t", t="t")
RATE_IN = "And(rlo(n, x, a) <= lam(x, a), lam(x, a) <= rhi(n, x, a))"
ROW_IN = "SumOver(y, Abs(ph(n, x, a, y) - p(x, a, y))) <= au(n, x, a)"
WIDTH = "(rhi(n, x, a) - rlo(n, x, a))"
WIDE = chain(f"(lt(n, x, a, t) - lam(x, a))*{_GAIN} <= {WIDTH}*t", RATE_IN, WITHIN)
INSIDE = chain(f"And({BELOW}, {NEAR})".format(n="n"), RATE_IN, ROW_IN, WITHIN)


def here(D: Derivation) -> Theorem:
    """And(0 <= t, t <= H), given both."""
    return theorems.both(D.assume("0 <= t"), D.assume("t <= H"))


def bounds(D: Derivation, state: str) -> tuple[Theorem, Theorem]:
    """0 <= t <= H ⊢ 0 <= V and V <= t in that state."""
    own = f"Qh(n, {state}, a, t)"
    both = D.mp(D.lemma("lem:optimism/equation/bounds", x=state), here(D))
    low, high = (part(D, both, one) for one in (f"0 <= {own}", f"{own} <= t"))
    defined, value = D.fact("Vq", x=state), f"Vq(n, {state}, t)"
    above = calculus.least(high, D.variable("a"))
    return D.linear(f"0 <= {value}", low, D.most("a", own, "a"), defined), D.linear(
        f"{value} <= t", above, defined
    )


def gains(D: Derivation) -> tuple[Theorem, Theorem]:
    """0 <= t <= H ⊢ p̃V - Q <= t, and Q - p̃V <= t."""
    both = D.mp(D.lemma("lem:optimism/equation/bounds"), here(D))
    low, high = (part(D, both, one) for one in ("0 <= Qh(n, x, a, t)", "Qh(n, x, a, t) <= t"))
    rows = [D.over(D.times(one, D.fact("pt-low")), "y") for one in bounds(D, "y")]
    total = D.scaled(D.fact("pt-sum"), "t")
    facts = [low, high, *rows, total]
    return D.linear(f"{_GAIN} <= t", *facts), D.linear(f"-{_GAIN} <= t", *facts)


def wide(D: Derivation) -> Theorem:
    """(λ̃ - λ)(p̃V - Q) <= (rhi - rlo) t."""
    up, down = gains(D)
    within, start = D.assume(RATE_IN), D.assume("0 <= t")
    rates = [theorems.part(within, one) for one in within.says.parts]
    rates += [D.fact("lt-low"), D.fact("lt-high")]
    goal, rate, model = f"(lt(n, x, a, t) - lam(x, a))*{_GAIN} <= {WIDTH}*t", "lt(n, x, a, t)", "lam(x, a)"

    def way(low: str, high: str, gain: Theorem, less: Theorem) -> Theorem:
        near = D.times(D.linear(f"{high} - {low} <= {WIDTH}", *rates), start)
        return D.linear(goal, D.times(gain, D.linear(f"0 <= {high} - {low}", less)), near)

    found = ordered(
        D,
        model,
        rate,
        lambda less: way(model, rate, up, less),
        lambda less: way(rate, model, down, less),
    )
    return D.imply(conditional(D, found, WITHIN), RATE_IN)


def _below(D: Derivation) -> Theorem:
    """RATE_IN, ROW_IN, 0 <= t <= H ⊢ the model is no better than the maximum."""
    within = D.assume(RATE_IN)
    rates = [theorems.part(within, one) for one in D.formula(RATE_IN).parts]
    most = D.instantiate(D.fact("maximum", w="lam(x, a)"), "gd", "y", "p(x, a, y)")
    rows = D.all(D.fact("jump-low"), "y"), D.fact("jump-sum"), D.imply(D.assume(ROW_IN), "1 <= Nf(n, x, a)")
    return D.mp(most, theorems.both(*rates, *rows, D.assume("0 <= t"), D.assume("t <= H")))


def _near(D: Derivation) -> Theorem:
    """ROW_IN, 0 <= t <= H, 1 <= Nf ⊢ (p̃ - p)V <= α t."""
    low, high = bounds(D, "y")
    half, start = "(Vq(n, y, t) - t/2)", D.linear("0 <= t/2", D.assume("0 <= t"))
    first, second = "ph(n, x, a, y) - pt(n, x, a, y, t)", "ph(n, x, a, y) - p(x, a, y)"
    apart = f"(Abs({first}) + Abs({second}))"
    moduli = [D.known(name, one) for one in (first, second) for name in ("abs", "abs-")]
    gap = "(pt(n, x, a, y, t) - p(x, a, y))"
    ways = [D.linear(f"{sign}{gap} <= {apart}", *moduli) for sign in ("", "-")]
    sides = [D.linear(f"0 <= t/2 - {half}", high), D.linear(f"0 <= t/2 + {half}", low)]
    # (p̃ - p)(V - t/2) <= |p̃ - p| t/2, as a sum of products of what is not negative
    products = [D.times(ways[0], sides[1]), D.times(ways[1], sides[0])]
    one = D.over(D.linear(f"{gap}*{half} <= {apart}*t/2", *products), "y")
    rows = D.mp(D.fact("pt-near"), D.assume("1 <= Nf(n, x, a)")), D.assume(ROW_IN)
    sums = [D.scaled(D.fact(name), "t/2") for name in ("pt-sum", "jump-sum")]
    return D.linear(NEAR.format(n="n"), one, *(D.times(row, start) for row in rows), *sums)


def _unseen(D: Derivation, none: Theorem) -> Theorem:
    """Nf == 0, 0 <= t <= H ⊢ (p̃ - p)V <= α t, as α >= 1."""
    low, high = bounds(D, "y")
    model = D.over(D.times(low, D.fact("jump-low")), "y")
    row = D.over(D.times(high, D.fact("pt-low")), "y")
    base = sized(D, "0 < 2*S*A/d", facts=())
    large = sized(D, "2*(S*log(2) + log(2*S*A/d)) >= 1", facts=(base,))
    root = settled(D, D.pointwise("sqrt(x) >= 1", "x >= 1", x=UNIFORM.at("1")), large)
    radius = D.by_value("1 <= au(n, x, a)", [D.fact("au"), equal(D, none, D.whole("Nf(n, x, a)"))], root)
    total = D.scaled(D.fact("pt-sum"), "t")
    return D.linear(NEAR.format(n="n"), model, row, total, D.times(radius, D.assume("0 <= t")))


def inside(D: Derivation) -> Theorem:
    """Both, where the sets of a pair contain its model."""
    near = whole_cases(D, "Nf(n, x, a)", lambda none: _unseen(D, none), lambda _: _near(D))
    both = conditional(D, theorems.both(_below(D), near), WITHIN)
    return D.imply(both, RATE_IN, ROW_IN)
