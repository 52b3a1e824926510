r"""``lem:error-model``: what wrong rates and rows cost in one application of the operator.

The density λ exp(-λs) moves by at most the change of λ: with :math:`U(q) = (l+q)e^{-(l+q)s}`,
:math:`U(d) - U(0) = \int_0^d (1-z)e^{-z}dq` with z = (l + q)s, and ``lem:error-model/lipschitz`` bounds the
integrand.
"""

from __future__ import annotations

from proofs_checks.derivations.nearby import (
    HAT,
    RATES,
    ROW,
    ROW_HAT,
    ROWS,
    TRUE,
    density,
    density_low,
    estimate,
    inside,
    jumps,
    mean,
    modulus,
    ordered,
    parts_of_time,
    rate_low,
    small,
    triangle,
    wait,
    wait_low,
)
from proofs_checks.derivations.operators import ESTIMATES, RATES_LOW, ROWS_HIGH, ROWS_LOW, part
from proofs_checks.derivations.values import SMALL
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_RATE = f"{HAT} - {TRUE}"
DENSITIES = f"{density(HAT)} - {density(TRUE)}"
MEANS = f"SumOver(y, gu(y, {{}})*({ROW_HAT} - {ROW}))"
RATE_TERM_INTEGRAL = f"Int(s, t, Abs({DENSITIES})*(t - s))"
_JUMP_TERM = f"Int(s, t, {density(TRUE)}*Abs({MEANS.format('t - s')}))"
JUMPS_APART = f"({jumps(HAT, ROW_HAT)}) - ({jumps(TRUE, ROW)})"

SPLIT = (
    f"Imp({ESTIMATES}, Imp({SMALL}, Imp(0 <= t, Abs({JUMPS_APART}) <= {RATE_TERM_INTEGRAL} + {_JUMP_TERM})))"
)
RATE_TERM = f"Imp({ESTIMATES}, Imp({RATES}, Imp(0 <= t, {RATE_TERM_INTEGRAL} <= t**2/2*gbe(x, a))))"
JUMP_TERM = (
    f"Imp({ROWS}, Imp(All(y, And(0 <= gu(y, s), gu(y, s) <= s)), Abs({MEANS.format('s')}) <= s*gal(x, a)))"
)
ERROR = (
    f"Imp({ESTIMATES}, Imp({RATES}, Imp({ROWS}, Imp({SMALL}, Imp(0 <= t, And("
    f"Abs({JUMPS_APART}) <= t**2/2*gbe(x, a) + gal(x, a)*(t - {wait(TRUE)}), "
    f"Abs({JUMPS_APART}) <= t**2/2*gbe(x, a) + t*gal(x, a)))))))"
)


def model_error(D: Derivation) -> Theorem:
    """|∫ĝm̂ - ∫gm| <= ∫|ĝ - g|(t - s) + ∫ g |m̂ - m|."""
    g = density_low(D, TRUE, rate_low(D))
    low, high = small(D)
    row = estimate(D, ROWS_LOW)
    row = D.special(row, "y")
    m_low = D.over(D.times(low, row), "y")
    m_high = D.over(D.times(high, row), "y")
    mass = D.times(estimate(D, ROWS_HIGH), inside(D)[0])
    hat, true = mean(ROW_HAT), mean(ROW)
    m_high = D.linear(f"{hat} <= t - s", m_high, mass)
    change = MEANS.format("t - s")
    up, down = D.known("abs", DENSITIES), D.known("abs-", DENSITIES)
    size = D.linear(f"0 <= Abs({DENSITIES})", up, down)
    over = D.times(m_high, size)
    first = [D.times(one, m_low) for one in (up, down)]
    second = [D.times(D.known(one, change), g) for one in ("abs", "abs-")]
    bound = f"Abs({DENSITIES})*(t - s) + {density(TRUE)}*Abs({change})"
    ways = [
        D.linear(f"{u} <= {v} + {bound}", over, first[j], second[j])
        for j, (u, v) in enumerate(
            [
                (f"{density(HAT)}*{hat}", f"{density(TRUE)}*{true}"),
                (f"{density(TRUE)}*{true}", f"{density(HAT)}*{hat}"),
            ]
        )
    ]
    whole = [D.integral(one, "s", "t") for one in ways]
    return D.imply(
        modulus(D, JUMPS_APART, f"{RATE_TERM_INTEGRAL} + {_JUMP_TERM}", *whole), ESTIMATES, SMALL, "0 <= t"
    )


def lipschitz(D: Derivation, low: str, high: str, positive: Theorem, less: Theorem) -> Theorem:
    """0 <= l <= m, 0 <= s ⊢ |m exp(-ms) - l exp(-ls)| <= m - l, as two inequalities."""
    rate = f"({low} + q)"
    z, q = f"{rate}*s", D.assume("0 <= q")
    sign = D.times(D.linear(f"0 <= {rate}", positive, q), D.assume("0 <= s"))
    square = D.closed(D.claim("lem:error-model/lipschitz", z=z), sign)
    slope = f"(1 - {z})*exp(-{z})"
    gap = f"{high} - {low}"
    area = D.primitive("q", gap, density(rate))
    area = D.closed(area, D.linear(f"0 <= {gap}", less))
    above = D.linear(f"{slope} <= 1", square, D.known("square", f"1 - {slope}"))
    below = D.linear(f"-{slope} <= 1", square, D.known("square", f"1 + {slope}"))
    length = D.closed(D.primitive("q", gap, "q"), D.linear(f"0 <= {gap}", less))
    whole = [D.integral(one, "q", gap) for one in (above, below)]
    u, v = density(high), density(low)
    return theorems.both(
        D.linear(f"{u} - {v} <= {gap}", area, length, *whole),
        D.linear(f"{v} - {u} <= {gap}", area, length, *whole),
    )


def error1(D: Derivation) -> Theorem:
    """∫|ĝ - g|(t - s) ds <= t²β/2."""
    near = D.special(D.assume(RATES), "x", "a")
    signs = estimate(D, RATES_LOW), rate_low(D)
    distance = [D.known("abs", _RATE), D.known("abs-", _RATE)]

    def way(low: str, high: str, positive: Theorem, less: Theorem) -> Theorem:
        pair = lipschitz(D, low, high, positive, less)
        two = [theorems.part(pair, one) for one in pair.says.parts]
        return modulus(D, DENSITIES, "gbe(x, a)", *two, near, *distance)

    one = ordered(
        D, TRUE, HAT, lambda less: way(TRUE, HAT, signs[1], less), lambda less: way(HAT, TRUE, signs[0], less)
    )
    under = D.integral(D.times(one, inside(D)[0]), "s", "t")
    bound = D.linear(f"{RATE_TERM_INTEGRAL} <= t**2/2*gbe(x, a)", under, D.scaled(triangle(D), "gbe(x, a)"))
    return D.imply(bound, ESTIMATES, RATES, "0 <= t")


def two_bounds(D: Derivation, both: str) -> tuple[Theorem, Theorem]:
    """0 <= u(y, s), and u(y, s) <= s."""
    pair = D.special(D.assume(both), "y")
    return part(D, pair, "0 <= gu(y, s)"), part(D, pair, "gu(y, s) <= s")


def error2(D: Derivation) -> Theorem:
    """|Σ_y u(y, s)(p̂(y) - p(y))| <= sα."""
    bounds = "And(0 <= gu(y, s), gu(y, s) <= s)"
    low, high = two_bounds(D, f"All(y, {bounds})")
    difference = f"{ROW_HAT} - {ROW}"
    ways = [D.known(one, difference) for one in ("abs", "abs-")]
    size = D.linear(f"0 <= Abs({difference})", *ways)
    over = D.times(high, size)
    sums = [
        D.over(
            D.linear(f"{sign}gu(y, s)*({difference}) <= s*Abs({difference})", D.times(one, low), over), "y"
        )
        for sign, one in zip(("", "-"), ways, strict=True)
    ]
    positive = D.linear("0 <= s", low, high)
    row = D.times(D.special(D.assume(ROWS), "x", "a"), positive)
    bound = modulus(D, MEANS.format("s"), "s*gal(x, a)", *sums, row)
    return D.imply(bound, ROWS, f"All(y, {bounds})")


def error_model(D: Derivation) -> Theorem:
    """The two expectations differ by at most t²β/2 + α(t - w)."""
    start, values = D.assume("0 <= t"), D.assume(SMALL)
    split = D.mp(D.lemma("eq:model-error"), D.assume(ESTIMATES), values, start)
    rate = D.mp(D.lemma("eq:error1"), D.assume(ESTIMATES), D.assume(RATES), start)
    at = D.all(D.mp(D.special(values, "y", "t - s"), theorems.both(*inside(D))), "y")
    rows = D.mp(D.at(D.lemma("eq:error2"), s="t - s"), D.assume(ROWS), at)
    jump = D.integral(D.times(rows, density_low(D, TRUE, rate_low(D))), "s", "t")
    time = D.scaled(parts_of_time(D, TRUE), "gal(x, a)")
    first = D.linear(
        f"Abs({JUMPS_APART}) <= t**2/2*gbe(x, a) + gal(x, a)*(t - {wait(TRUE)})", split, rate, jump, time
    )
    spare = D.times(radius(D), wait_low(D, TRUE))
    second = D.linear(f"Abs({JUMPS_APART}) <= t**2/2*gbe(x, a) + t*gal(x, a)", first, spare)
    return D.imply(theorems.both(first, second), ESTIMATES, RATES, ROWS, SMALL, "0 <= t")


def radius(D: Derivation) -> Theorem:
    """ROWS ⊢ 0 <= α."""
    difference = f"{ROW_HAT} - {ROW}"
    size = D.linear(f"0 <= Abs({difference})", D.known("abs", difference), D.known("abs-", difference))
    return D.linear("0 <= gal(x, a)", D.over(size, "y"), D.special(D.assume(ROWS), "x", "a"))


THEOREMS = {"eq:model-error": SPLIT, "eq:error1": RATE_TERM, "eq:error2": JUMP_TERM, "lem:error-model": ERROR}
