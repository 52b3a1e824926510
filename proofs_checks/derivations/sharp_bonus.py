r"""``lem:optimism/sharp``: the smallest bonus, constant in time, that the proof of optimism gives.

**The cost** for a function that rises from 0 by at most 1 per unit of time.  If :math:`\lambda \le \hat\lambda`,
:math:`\int\hat g\hat m \ge \int g\hat m` (``opposite``), and :math:`\int g(m-\hat m) \le (t-w(\lambda))\alpha/2`.
If :math:`\lambda \ge \hat\lambda`, :math:`\int(g-\hat g)m \le \int(g-\hat g)(t-s) = w(\hat\lambda)-w(\lambda)`
because :math:`s - m(s)` rises, and :math:`\int\hat g(m-\hat m) \le (t-w(\hat\lambda))\alpha/2`.

**In time.**  With c the density of a cost and :math:`e = e^{-\hat\lambda s}`, :math:`c(s)e(v) \le c(v)e(s)` for
:math:`s \le v`; integrated over :math:`s \le t` and :math:`t \le v \le H` this is
:math:`\int_0^tc\int_0^He \le \int_0^Hc\int_0^te`.
"""

from __future__ import annotations

from proofs_checks.derivations.half_bonus import PLAIN
from proofs_checks.derivations.half_bonus import THEOREMS as HALF
from proofs_checks.derivations.halved_error import half_jumps, hat_density, seen_jumps
from proofs_checks.derivations.model_error import MEANS
from proofs_checks.derivations.nearby import (
    HAT,
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
    jumps,
    mean,
    parts_of_time,
    rate_low,
    small,
    wait,
)
from proofs_checks.derivations.operators import ESTIMATES, RATES_LOW, ROWS_HIGH, ROWS_LOW, U
from proofs_checks.derivations.opposite import RISING, SLOPE, dominated, hat_row, least, sooner
from proofs_checks.derivations.setting import operator
from proofs_checks.derivations.values import SMALL
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_REACH = "Min(gal(x, a), 2)"


def slower(low: str, time: str, reach: str) -> str:
    """The cost where the true rate is l <= λ̂."""
    return f"r(x, a)*({wait(low, time)} - {wait(HAT, time)}) + ({time} - {wait(low, time)})*{reach}/2"


def faster(high: str, time: str, reach: str) -> str:
    """The cost where the true rate is m >= λ̂."""
    return f"(1 - r(x, a))*({wait(HAT, time)} - {wait(high, time)}) + ({time} - {wait(HAT, time)})*{reach}/2"


def _costs(reach: str) -> str:
    over = f"{operator('a', U)} <= {PLAIN}"
    return (
        f"And(Imp({TRUE} <= {HAT}, {over} + {slower(TRUE, 't', reach)}), "
        f"Imp({HAT} <= {TRUE}, {over} + {faster(TRUE, 't', reach)}))"
    )


COST = chain(_costs(_REACH), ESTIMATES, ROWS, SEEN, SMALL, RISING, SLOPE, "0 <= t")


def _slower_cost(D: Derivation) -> Theorem:  # noqa: N803
    """λ <= λ̂ ⊢ T^a u <= T^{a,k}u + r[w(λ) - w(λ̂)] + (t - w(λ))α/2."""
    less = D.assume(f"{TRUE} <= {HAT}")
    g, change = density_low(D, TRUE, rate_low(D)), MEANS.format("t - s")

    def case(one: Theorem) -> Theorem:
        if one.says is D.formula(f"{HAT} == 0"):
            some = D.linear(f"0 < {HAT}", less, D.fact("lmin"), D.fact("rate-low"))
            return theorems.absurd(some, D.linear(f"{HAT} <= 0", one), D.formula(f"SumOver(y, {ROW_HAT}) == 1"))
        return one

    row = D.split(D.special(D.assume(SEEN), "x", "a"), case, case)
    error = theorems.cut(row, half_jumps(D, g))
    whole = D.integral(D.linear(
        f"{density(TRUE)}*{mean(ROW)} <= {density(TRUE)}*{mean(ROW_HAT)} + {density(TRUE)}*(t - s)*gal(x, a)/2",
        error, D.times(D.known("abs-", change), g)), "s", "t")
    sooner_left = sooner(D, ROW_HAT, hat_row(D), TRUE, HAT, less)
    time = D.scaled(parts_of_time(D, TRUE), "gal(x, a)")
    goal = f"{operator('a', U)} <= {PLAIN} + {slower(TRUE, 't', 'gal(x, a)')}"
    return D.imply(D.linear(goal, whole, sooner_left, time), f"{TRUE} <= {HAT}")


def _faster_cost(D: Derivation) -> Theorem:  # noqa: N803
    """λ̂ <= λ ⊢ T^a u <= T^{a,k}u + (1 - r)[w(λ̂) - w(λ)] + (t - w(λ̂))α/2."""
    less = D.assume(f"{HAT} <= {TRUE}")
    g, change = hat_density(D), MEANS.format("t - s")
    whole = D.integral(D.linear(
        f"{density(HAT)}*{mean(ROW)} <= {density(HAT)}*{mean(ROW_HAT)} + {density(HAT)}*(t - s)*gal(x, a)/2",
        seen_jumps(D), D.times(D.known("abs-", change), g)), "s", "t")
    rest = f"s - {mean(ROW, time='s')}"
    shape = dominated(D, HAT, TRUE, less, rest, *_rest_rises(D))
    times = [parts_of_time(D, one) for one in (HAT, TRUE)]
    times.append(D.scaled(times[0], "gal(x, a)"))
    goal = f"{operator('a', U)} <= {PLAIN} + {faster(TRUE, 't', 'gal(x, a)')}"
    return D.imply(D.linear(goal, whole, shape, *times), f"{HAT} <= {TRUE}")


def _rest_rises(D: Derivation) -> tuple[Theorem, Theorem]:  # noqa: N803
    """SLOPE, SMALL, 0 <= t ⊢ s - Σ_y p(y)u(y, s) rises, and is not negative at 0."""
    condition = "And(0 <= s, s <= u, u <= t)"
    up = D.mp(D.special(D.assume(SLOPE), "y", "s", "u"), D.assume(condition))
    row = D.fact("jump-low")
    mass = D.scaled(D.fact("jump-sum"), "u - s")
    rises = D.linear(
        f"s - {mean(ROW, time='s')} <= u - {mean(ROW, time='u')}", D.over(D.times(up, row), "y"), mass
    )
    start = theorems.both(D.linear("0 <= 0"), D.assume("0 <= t"))
    first = D.mp(D.special(D.assume(SMALL), "y", "0"), start)
    first = theorems.part(first, D.formula("gu(y, 0) <= 0"))
    zero = D.linear(f"0 <= 0 - {mean(ROW, time='0')}", D.over(D.times(first, row), "y"))
    return D.all(D.imply(rises, condition), "s", "u"), zero


def reach(D: Derivation) -> Theorem:  # noqa: N803
    """ESTIMATES, ROWS ⊢ ROWS with min{α, 2} for α."""
    change = f"{ROW_HAT} - {ROW}"
    low, row = D.special(estimate(D, ROWS_LOW), "y"), D.fact("jump-low")
    goal = f"Abs({change}) <= {ROW_HAT} + {ROW}"
    one = D.split(
        D.known("abs-cases", change),
        lambda case: D.linear(goal, case, low, row),
        lambda case: D.linear(goal, case, low, row),
    )
    total = f"SumOver(y, Abs({change}))"
    two = D.linear(f"{total} <= 2", D.over(one, "y"), estimate(D, ROWS_HIGH), D.fact("jump-sum"))
    return D.all(least(D, total, D.special(D.assume(ROWS), "x", "a"), two), "x", "a")


def cost(D: Derivation) -> Theorem:  # noqa: N803
    """What T^a u has more than T^{a,k}u, for a rate above and below its estimate."""
    both = D.instantiate(theorems.both(_slower_cost(D), _faster_cost(D)), "gal", "x a", _REACH)
    found = theorems.cut(reach(D), both)
    return D.imply(found, ESTIMATES, ROWS, SEEN, SMALL, RISING, SLOPE, "0 <= t")


THEOREMS = {**HALF, "lem:optimism/sharp/cost": COST}
