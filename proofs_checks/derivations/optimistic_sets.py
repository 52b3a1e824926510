r"""Where the sets contain the model it is no better than the maximum, and wrong rates and rows have prices.

Two rates of an interval differ by at most its width, and :math:`|\tilde p\hat V - \hat Q| \le t`.  Two rows
within α of the estimate differ by at most 2α in ℓ¹, and :math:`|\hat V - t/2| \le t/2`, so that
:math:`(\tilde p - p)\hat V \le \alpha t`; where α is at least 1, or there is one state only, always.
"""

from __future__ import annotations

from proofs_checks.derivations.nearby import chain, conditional, ordered
from proofs_checks.derivations.operators import part
from proofs_checks.derivations.optimistic_values import NEAR
from proofs_checks.derivations.setting_optimistic import GAIN, WITHIN, within
from proofs_checks.derivations.unions import either
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_GAIN = GAIN.format(u="t", t="t")
RATE_IN = "And(rlo(n, x, a) <= lam(x, a), lam(x, a) <= rhi(n, x, a))"
ROW_IN, BEST_IN = within("p(x, a, y)"), within("pt(n, x, a, y, t)")
WIDTH = "(rhi(n, x, a) - rlo(n, x, a))"
WIDE = chain(f"(lt(n, x, a, t) - lam(x, a))*{_GAIN} <= {WIDTH}*t", RATE_IN, WITHIN)
_WIDE = "Min(1, S - 1) <= au(n, x, a)"
ROWS_IN = f"Or({_WIDE}, And({BEST_IN}, {ROW_IN}))"
INSIDE = chain(NEAR.format(n="n"), ROWS_IN, WITHIN)


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


def below(D: Derivation, rates: Theorem, row: Theorem) -> Theorem:
    """0 <= t <= H ⊢ the model is no better than the maximum, as its rate and row are in the sets."""
    most = D.instantiate(D.fact("maximum", w="lam(x, a)"), "gd", "y", "p(x, a, y)")
    model = (theorems.part(rates, one) for one in D.formula(RATE_IN).parts)
    rows = D.all(D.fact("jump-low"), "y"), D.fact("jump-sum"), row
    return D.mp(most, theorems.both(*model, *rows, D.assume("0 <= t"), D.assume("t <= H")))


def _near(D: Derivation, rows: Theorem) -> Theorem:
    """0 <= t <= H ⊢ (p̃ - p)V <= α t, where both rows are within α of the estimate."""
    low, high = bounds(D, "y")
    half, start = "(Vq(n, y, t) - t/2)", D.linear("0 <= t/2", D.assume("0 <= t"))
    first, second = "ph(pl(n), x, a, y) - pt(n, x, a, y, t)", "ph(pl(n), x, a, y) - p(x, a, y)"
    apart = f"(Abs({first}) + Abs({second}))"
    moduli = [D.known(name, one) for one in (first, second) for name in ("abs", "abs-")]
    gap = "(pt(n, x, a, y, t) - p(x, a, y))"
    ways = [D.linear(f"{sign}{gap} <= {apart}", *moduli) for sign in ("", "-")]
    sides = [D.linear(f"0 <= t/2 - {half}", high), D.linear(f"0 <= t/2 + {half}", low)]
    # (p̃ - p)(V - t/2) <= |p̃ - p| t/2, as a sum of products of what is not negative
    products = [D.times(ways[0], sides[1]), D.times(ways[1], sides[0])]
    one = D.over(D.linear(f"{gap}*{half} <= {apart}*t/2", *products), "y")
    near = [D.times(theorems.part(rows, each), start) for each in rows.says.parts]
    sums = [D.scaled(D.fact(name), "t/2") for name in ("pt-sum", "jump-sum")]
    return D.linear(NEAR.format(n="n"), one, *near, *sums)


def _far(D: Derivation, radius: Theorem) -> Theorem:
    """0 <= t <= H ⊢ (p̃ - p)V <= α t, where α is not small: (p̃ - p)V <= t, and (p̃ - p)V <= (S - 1)t."""
    (low, high), start = bounds(D, "y"), D.assume("0 <= t")
    model = D.over(D.times(low, D.fact("jump-low")), "y")
    row = D.over(D.times(high, D.fact("pt-low")), "y")
    most = [_chance(D, "p(x, a, {y})", "jump"), _chance(D, "pt(n, x, a, {y}, t)", "pt")]
    one = D.linear(
        "(pt(n, x, a, y, t) - p(x, a, y))*Vq(n, y, t) <= t - p(x, a, y)*t",
        D.times(most[1], low),
        D.times(high, D.linear("0 <= 1 - p(x, a, y)", most[0])),
    )
    facts = [D.over(one, "y"), model, row, D.times(radius, start)]
    facts += [D.scaled(D.fact(name), "t") for name in ("states", "pt-sum", "jump-sum")]
    return D.split(
        D.known("min-cases", "1", "S - 1"),
        *[lambda case: D.linear(NEAR.format(n="n"), D.scaled(case, "t"), *facts)] * 2,
    )


def _chance(D: Derivation, row: str, name: str) -> Theorem:
    """One entry of a row is at most 1."""
    low = D.fact(f"{name}-low", y="z")
    picked = D.decide(f"Ind(z == y)*{row.format(y='z')} <= {row.format(y='z')}", ["z == y"], low)
    return D.linear(f"{row.format(y='y')} <= 1", D.over(picked, "z"), D.fact(f"{name}-sum"))


def inside(D: Derivation) -> Theorem:
    """(p̃ - p)V <= α t."""
    both = either(D, D.assume(ROWS_IN), _WIDE, lambda one: _far(D, one), lambda two: _near(D, two))
    return D.imply(conditional(D, both, WITHIN), ROWS_IN)
