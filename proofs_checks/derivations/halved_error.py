r"""What the proof of ``lem:error-model`` gives beyond it: half of the jump term.

A row that is a probability differs from the true one by numbers that add up to 0, so u/2 can be taken from u.
With the *estimated* rate in the jump term, :math:`\hat g\hat m - gm = (\hat g-g)m + \hat g(\hat m-m)`, this
term vanishes where :math:`\hat\lambda = 0`, which is where a row may be empty.
"""

from __future__ import annotations

from proofs_checks.derivations.model_error import (
    DENSITIES,
    JUMPS_APART,
    MEANS,
    radius,
    two_bounds,
)
from proofs_checks.derivations.model_error import THEOREMS as MODEL_ERROR
from proofs_checks.derivations.nearby import (
    HAT,
    RATES,
    ROW,
    ROW_HAT,
    ROWS,
    SEEN,
    TRUE,
    chain,
    density,
    density_low,
    estimate,
    inside,
    mean,
    modulus,
    parts_of_time,
    rate_low,
    small,
    triangle,
    wait,
    wait_low,
)
from proofs_checks.derivations.operators import ESTIMATES, RATES_LOW
from proofs_checks.derivations.values import SMALL
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_BOUNDS = "All(y, And(0 <= gu(y, s), gu(y, s) <= s))"
_PROBABILITY = f"SumOver(y, {ROW_HAT}) == 1"
_CHANGE = f"{ROW_HAT} - {ROW}"

HALF_JUMP = chain(f"Abs({MEANS.format('s')}) <= s/2*gal(x, a)", ROWS, _PROBABILITY, _BOUNDS)


def error2_halved(D: Derivation) -> Theorem:
    """|Σ_y u(y, s)(p̂(y) - p(y))| <= sα/2, if p̂ is a probability."""
    low, high = two_bounds(D, _BOUNDS)
    rest = D.linear("0 <= s - gu(y, s)", high)
    up, down = D.known("abs", _CHANGE), D.known("abs-", _CHANGE)
    same = D.linear(f"SumOver(y, {_CHANGE}) == 0", D.fact("jump-sum"), D.assume(_PROBABILITY))
    row = D.times(D.special(D.assume(ROWS), "x", "a"), D.linear("0 <= s", low, high))
    sums = []
    for sign, one, other in (("", up, down), ("-", down, up)):
        facts = D.times(one, low), D.times(other, rest)
        goal = f"{sign}(gu(y, s) - s/2)*({_CHANGE}) <= s/2*Abs({_CHANGE})"
        sums.append(D.over(D.linear(goal, *facts), "y"))
    bound = modulus(D, MEANS.format("s"), "s/2*gal(x, a)", *sums, row, D.scaled(same, "s"))
    return D.imply(bound, ROWS, _PROBABILITY, _BOUNDS)


# --- a pair that was never left -----------------------------------------------------------------

_NEVER = f"{HAT} == 0"
UNSEEN = chain(f"Abs({JUMPS_APART}) <= t**2/2*gbe(x, a)", RATES, SMALL, "0 <= t", _NEVER)


def unseen(D: Derivation) -> Theorem:
    """|∫ĝm̂ - ∫gm| <= t²β/2 where λ̂ = 0, without α."""
    zero = D.assume(_NEVER)
    low, high = small(D)
    row, g = D.fact("jump-low"), density_low(D, TRUE, rate_low(D))
    positive = D.integral(D.times(D.over(D.times(low, row), "y"), g), "s", "t")
    decay = D.closed(
        D.pointwise("exp(-d) <= 1", "d >= 0", d=f"{TRUE}*s"), D.times(rate_low(D), D.assume("0 <= s"))
    )
    below = D.times(D.times(decay, rate_low(D)), inside(D)[0])
    mean_high = D.linear(
        f"{mean(ROW)} <= t - s", D.over(D.times(high, row), "y"), D.scaled(D.fact("jump-sum"), "t - s")
    )
    above = D.integral(
        D.linear(f"{density(TRUE)}*{mean(ROW)} <= {TRUE}*(t - s)", D.times(mean_high, g), below), "s", "t"
    )
    gap = f"{HAT} - {TRUE}"
    near = D.linear(f"{TRUE} <= gbe(x, a)", zero, D.special(D.assume(RATES), "x", "a"), D.known("abs-", gap))
    wide = D.times(near, D.linear("0 <= t**2/2", D.known("square", "t")))
    hat = f"SumOver(y, {ROW_HAT}*Int(s, t, exp(-{HAT}*s)*gu(y, t - s)))"
    facts = [positive, above, wide, D.scaled(triangle(D), TRUE), D.scaled(zero, hat)]
    bound = modulus(D, JUMPS_APART, "t**2/2*gbe(x, a)", *facts)
    return D.imply(bound, RATES, SMALL, "0 <= t", _NEVER)


# --- the whole ----------------------------------------------------------------------------------

HALVED = chain(
    f"And(Abs({JUMPS_APART}) <= t**2/2*gbe(x, a) + gal(x, a)/2*(t - {wait(HAT)}), "
    f"Abs({JUMPS_APART}) <= t**2/2*gbe(x, a) + t*gal(x, a)/2)",
    ESTIMATES,
    RATES,
    ROWS,
    SEEN,
    SMALL,
    "0 <= t",
)


def hat_density(D: Derivation) -> Theorem:
    """ESTIMATES ⊢ 0 <= λ̂ exp(-λ̂s)."""
    return density_low(D, HAT, estimate(D, RATES_LOW))


def half_jumps(D: Derivation, g: Theorem) -> Theorem:
    """ROWS, SMALL, 0 <= s <= t and that p̂ is a probability ⊢ g |m̂ - m| <= g (t - s)α/2."""
    values = D.assume(SMALL)
    at = D.all(D.mp(D.special(values, "y", "t - s"), theorems.both(*inside(D))), "y")
    rows = D.mp(D.at(D.lemma("eq:error2/halved"), s="t - s"), D.assume(ROWS), D.assume(_PROBABILITY), at)
    return D.times(rows, g)


def seen_jumps(D: Derivation) -> Theorem:
    """ESTIMATES, ROWS, SEEN, SMALL, 0 <= s <= t ⊢ ĝ |m̂ - m| <= ĝ (t - s)α/2."""
    change = MEANS.format("t - s")
    decay = f"exp(-{HAT}*s)"
    goal = f"{density(HAT)}*Abs({change}) <= {density(HAT)}*(t - s)*gal(x, a)/2"

    def case(one: Theorem) -> Theorem:
        if one.says is D.formula(_PROBABILITY):
            return D.linear(goal, half_jumps(D, hat_density(D)))
        none = [D.scaled(one, f"{decay}*Abs({change})"), D.scaled(one, f"{decay}*(t - s)*gal(x, a)")]
        return D.linear(goal, *none)

    return D.split(D.special(D.assume(SEEN), "x", "a"), case, case)


def halved(D: Derivation) -> Theorem:
    """|∫ĝm̂ - ∫gm| <= t²β/2 + (t - w(λ̂))α/2."""
    start = D.assume("0 <= t")
    low, high = small(D)
    row = D.fact("jump-low")
    m_low, m_high = (D.over(D.times(one, row), "y") for one in (low, high))
    mass = D.scaled(D.fact("jump-sum"), "t - s")
    m_high = D.linear(f"{mean(ROW)} <= t - s", m_high, mass)
    change, g = MEANS.format("t - s"), hat_density(D)
    up, down = D.known("abs", DENSITIES), D.known("abs-", DENSITIES)
    over = D.times(m_high, D.linear(f"0 <= Abs({DENSITIES})", up, down))
    jump = seen_jumps(D)
    hat, true = f"{density(HAT)}*{mean(ROW_HAT)}", f"{density(TRUE)}*{mean(ROW)}"
    more = f"Abs({DENSITIES})*(t - s) + {density(HAT)}*(t - s)*gal(x, a)/2"
    whole = []
    for u, v, rates, rows in ((hat, true, up, "abs"), (true, hat, down, "abs-")):
        facts = [over, D.times(rates, m_low), D.times(D.known(rows, change), g), jump]
        whole.append(D.integral(D.linear(f"{u} <= {v} + {more}", *facts), "s", "t"))
    rate = D.mp(D.lemma("eq:error1"), D.assume(ESTIMATES), D.assume(RATES), start)
    time = D.scaled(parts_of_time(D, HAT), "gal(x, a)")
    first = modulus(D, JUMPS_APART, f"t**2/2*gbe(x, a) + gal(x, a)/2*(t - {wait(HAT)})", *whole, rate, time)
    spare = D.times(radius(D), wait_low(D, HAT))
    second = D.linear(f"Abs({JUMPS_APART}) <= t**2/2*gbe(x, a) + t*gal(x, a)/2", first, spare)
    return D.imply(theorems.both(first, second), ESTIMATES, RATES, ROWS, SEEN, SMALL, "0 <= t")


THEOREMS = {
    **MODEL_ERROR,
    "eq:error2/halved": HALF_JUMP,
    "lem:error-model/unseen": UNSEEN,
    "lem:error-model/halved": HALVED,
}
