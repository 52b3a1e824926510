r"""``lem:optimism/sharp``: the smallest bonus, constant in time, that the proof of optimism gives.

**The cost** for a function that rises from 0 by at most 1 per unit of time.  If
:math:`\lambda \le \hat\lambda`, :math:`\int\hat g\hat m \ge \int g\hat m` (``opposite``), and
:math:`\int g(m-\hat m) \le (t-w(\lambda))\alpha/2`.  If :math:`\lambda \ge \hat\lambda`,
:math:`\int(g-\hat g)m \le \int(g-\hat g)(t-s) = w(\hat\lambda)-w(\lambda)` because :math:`s - m(s)`
rises, and :math:`\int\hat g(m-\hat m) \le (t-w(\hat\lambda))\alpha/2`.

**In time.**  With c the density of a cost and :math:`e = e^{-\hat\lambda s}`, :math:`c(s)e(v) \le c(v)e(s)`
for :math:`s \le v`; integrated over :math:`s \le t` and :math:`t \le v \le H` this is
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
    conditional,
    density,
    density_low,
    either_way,
    estimate,
    mean,
    parts_of_time,
    rate_low,
    wait,
)
from proofs_checks.derivations.operators import (
    ESTIMATES,
    ROWS_HIGH,
    ROWS_LOW,
    WITHIN,
    U,
    decays,
    part,
)
from proofs_checks.derivations.opposite import RISING, SLOPE, dominated, hat_row, least, sooner
from proofs_checks.derivations.optimism import within
from proofs_checks.derivations.setting import operator
from proofs_checks.derivations.values import SMALL
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

REACH = "Min(gal(x, a), 2)"


def slower(low: str, time: str, reach: str, hat: str = HAT) -> str:
    """The cost where the true rate is l <= λ̂."""
    return f"r(x, a)*({wait(low, time)} - {wait(hat, time)}) + ({time} - {wait(low, time)})*{reach}/2"


def faster(high: str, time: str, reach: str, hat: str = HAT) -> str:
    """The cost where the true rate is m >= λ̂."""
    return f"(1 - r(x, a))*({wait(hat, time)} - {wait(high, time)}) + ({time} - {wait(hat, time)})*{reach}/2"


def _costs(reach: str) -> str:
    over = f"{operator('a', U)} <= {PLAIN}"
    return (
        f"And(Imp({TRUE} <= {HAT}, {over} + {slower(TRUE, 't', reach)}), "
        f"Imp({HAT} <= {TRUE}, {over} + {faster(TRUE, 't', reach)}))"
    )


COST = chain(_costs(REACH), ESTIMATES, ROWS, SEEN, SMALL, RISING, SLOPE, "0 <= t")


def _rows_error(D: Derivation, rate: str, error: Theorem, g: Theorem) -> Theorem:
    """∫ g m <= ∫ g m̂ + ∫ g (t - s)α/2, from g |m̂ - m| <= g (t - s)α/2."""
    one = D.times(D.known("abs-", MEANS.format("t - s")), g)
    more = f"{density(rate)}*(t - s)*gal(x, a)/2"
    goal = f"{density(rate)}*{mean(ROW)} <= {density(rate)}*{mean(ROW_HAT)} + {more}"
    return D.integral(D.linear(goal, error, one), "s", "t")


def _slower_cost(D: Derivation) -> Theorem:
    """λ <= λ̂ ⊢ T^a u <= T^{a,k}u + r[w(λ) - w(λ̂)] + (t - w(λ))α/2."""
    less, probability = D.assume(f"{TRUE} <= {HAT}"), D.formula(f"SumOver(y, {ROW_HAT}) == 1")
    g = density_low(D, TRUE, rate_low(D))

    def case(one: Theorem) -> Theorem:
        if one.says is probability:
            return one
        some = D.linear(f"0 < {HAT}", less, D.fact("lmin"), D.fact("rate-low"))
        return theorems.absurd(some, D.linear(f"{HAT} <= 0", one), probability)

    row = D.split(D.special(D.assume(SEEN), "x", "a"), case, case)
    whole = _rows_error(D, TRUE, theorems.cut(row, half_jumps(D, g)), g)
    sooner_left = sooner(D, ROW_HAT, hat_row(D), TRUE, HAT, less)
    time = D.scaled(parts_of_time(D, TRUE), "gal(x, a)")
    goal = f"{operator('a', U)} <= {PLAIN} + {slower(TRUE, 't', 'gal(x, a)')}"
    return D.imply(D.linear(goal, whole, sooner_left, time), f"{TRUE} <= {HAT}")


def _faster_cost(D: Derivation) -> Theorem:
    """λ̂ <= λ ⊢ T^a u <= T^{a,k}u + (1 - r)[w(λ̂) - w(λ)] + (t - w(λ̂))α/2."""
    less = D.assume(f"{HAT} <= {TRUE}")
    whole = _rows_error(D, HAT, seen_jumps(D), hat_density(D))
    rest = f"s - {mean(ROW, time='s')}"
    shape = dominated(D, HAT, TRUE, less, rest, *_rest_rises(D))
    times = [parts_of_time(D, one) for one in (HAT, TRUE)]
    times.append(D.scaled(times[0], "gal(x, a)"))
    goal = f"{operator('a', U)} <= {PLAIN} + {faster(TRUE, 't', 'gal(x, a)')}"
    return D.imply(D.linear(goal, whole, shape, *times), f"{HAT} <= {TRUE}")


def _rest_rises(D: Derivation) -> tuple[Theorem, Theorem]:
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


def reach(D: Derivation) -> Theorem:
    """ESTIMATES, ROWS ⊢ ROWS with min{α, 2} for α."""
    change = f"{ROW_HAT} - {ROW}"
    low, row = D.special(estimate(D, ROWS_LOW), "y"), D.fact("jump-low")
    goal = f"Abs({change}) <= {ROW_HAT} + {ROW}"
    one = either_way(D, D.known("abs-cases", change), goal, low, row)
    total = f"SumOver(y, Abs({change}))"
    two = D.linear(f"{total} <= 2", D.over(one, "y"), estimate(D, ROWS_HIGH), D.fact("jump-sum"))
    return D.all(least(D, total, D.special(D.assume(ROWS), "x", "a"), two), "x", "a")


def cost(D: Derivation) -> Theorem:
    """What T^a u has more than T^{a,k}u, for a rate above and below its estimate."""
    both = D.instantiate(theorems.both(_slower_cost(D), _faster_cost(D)), "gal", "x a", REACH)
    found = theorems.cut(reach(D), both)
    return D.imply(found, ESTIMATES, ROWS, SEEN, SMALL, RISING, SLOPE, "0 <= t")


# --- in time ------------------------------------------------------------------------------------

_RATES = "And(0 <= c, c <= q, q <= d, 0 <= e)"
TIME = chain(
    f"And(({slower('c', 't', 'e', 'q')})*{wait('q', 'H')} <= ({slower('c', 'H', 'e', 'q')})*{wait('q')}, "
    f"({faster('d', 't', 'e', 'q')})*{wait('q', 'H')} <= ({faster('d', 'H', 'e', 'q')})*{wait('q')})",
    _RATES,
    WITHIN,
)


def longer(D: Derivation) -> Theorem:
    """0 <= q, 0 <= t <= H ⊢ w(q, H) == w(q, t) + ∫_0^{H-t} exp(-q(t + u)) du."""
    low, start, end = D.assume("0 <= q"), D.assume("0 <= t"), D.assume("t <= H")
    signs = [start, D.linear("0 <= H", start, end), D.linear("0 <= H - t", end)]
    later = "Int(u, H - t, exp(-q*(t + u)))"
    goal = f"{wait('q', 'H')} == {wait('q')} + {later}"

    def areas(*wholes: str) -> list[Theorem]:
        ends = (("s", "t"), ("s", "H"), ("u", "H - t"))
        return [
            D.closed(D.primitive(x, to, whole), *signs) for (x, to), whole in zip(ends, wholes, strict=True)
        ]

    def moving(positive: Theorem) -> Theorem:
        parts = areas("-exp(-q*s)", "-exp(-q*s)", "-exp(-q*(t + u))")
        many = D.linear(f"q*{wait('q', 'H')} == q*{wait('q')} + q*{later}", *parts)
        one = D.positive("inverse", "q", positive)
        facts = [D.scaled(one, text) for text in (wait("q"), wait("q", "H"), later)]
        return D.linear(goal, D.scaled(many, "1/q"), *facts)

    def still(none: Theorem) -> Theorem:
        zero = D.mp(D.known("antisymmetric", "0", "q"), theorems.both(low, none))
        template = goal.replace("q", "Real_1")
        first = D.linear(D.at(D.assume(template), Real_1="0").says, *areas("s", "s", "u"))
        return D.rewrite(zero, first, "Real_1", template)

    return D.cases("0 < q", moving, still)


def _sooner_later(D: Derivation, low: str, high: str, less: Theorem) -> Theorem:
    """l <= m, 0 <= s <= t, 0 <= u ⊢ exp(-ls - mv) <= exp(-lv - ms), v = t + u."""
    gap = D.linear("0 <= t + u - s", D.assume("s <= t"), D.assume("0 <= u"))
    size = D.times(gap, D.linear(f"0 <= {high} - {low}", less))
    return decays(D, D.linear(f"{low}*(t + u) + {high}*s <= {low}*s + {high}*(t + u)", size))


_INSIDE = "And(0 <= s, s <= t, 0 <= u, u <= H - t)"


def _in_time(D: Derivation, density_of: str, *facts: Theorem) -> Theorem:
    """∫_0^t c ∫_0^{H-t} e(t + u) du <= ∫_0^t e ∫_0^{H-t} c(t + u) du, from c(s)e(t + u) <= c(t + u)e(s).

    For functions without a form first: a product of two exponentials is one, and its integral no product.
    """
    order = D.assume(f"All(s, All(u, Imp({_INSIDE}, gf(s)*gg(t + u) <= gf(t + u)*gg(s))))")
    ranges = [D.assume(one) for one in ("0 <= s", "s <= t", "0 <= u", "u <= H - t")]
    one = D.mp(D.special(order, "s", "u"), theorems.both(*ranges))
    whole = D.integral(D.integral(one, "s", "t"), "u", "H - t")
    for name, body in (("gf", density_of.format("s")), ("gg", "exp(-q*s)")):
        whole = D.instantiate(whole, name, "s", body)
    now, then = density_of.format("s"), density_of.format("(t + u)")
    here = D.linear(f"({now})*exp(-q*(t + u)) <= ({then})*exp(-q*s)", *facts)
    return theorems.cut(conditional(D, here, _INSIDE, "s", "u"), whole)


def time(D: Derivation) -> Theorem:
    """The costs at the ends, divided by w(λ̂, t), increase in t."""
    rates = D.assume(_RATES)
    low, less, more, reach_low = (part(D, rates, one) for one in ("0 <= c", "c <= q", "q <= d", "0 <= e"))
    hat, high = D.linear("0 <= q", low, less), D.linear("0 <= d", low, less, more)
    end = D.assume("t <= H")
    gap = D.linear("s <= t + u", D.assume("s <= t"), D.assume("0 <= u"))
    falls = {
        rate: decays(D, D.linear(f"{rate}*s <= {rate}*(t + u)", D.times(gap, sign)))
        for rate, sign in (("c", low), ("q", hat))
    }
    below = D.closed(D.pointwise("exp(-d) <= 1", "d >= 0", d="c*s"), D.times(low, D.assume("0 <= s")))
    rest = D.linear("0 <= 1 - exp(-c*s)", below)
    jumps_slower = [
        D.times(falls["q"], rest),
        D.times(falls["c"], D.known("exp", "-q*s")),
    ]
    jumps_slower = [D.times(one, reach_low) for one in jumps_slower]
    cross_low, cross_high = _sooner_later(D, "c", "q", less), _sooner_later(D, "q", "d", more)
    spared = D.linear("0 <= 1 - r(x, a)", D.fact("reward-high"))
    slower_c = "r(x, a)*(exp(-c*{0}) - exp(-q*{0})) + (1 - exp(-c*{0}))*e/2"
    faster_c = "(1 - r(x, a))*(exp(-q*{0}) - exp(-d*{0})) + (1 - exp(-q*{0}))*e/2"
    first = _in_time(D, slower_c, *jumps_slower, D.times(cross_low, D.fact("reward-low")))
    second = _in_time(D, faster_c, D.times(falls["q"], reach_low), D.times(cross_high, spared))
    split = longer(D)
    rows = (("c", low), ("q", hat), ("d", high))
    splits = [theorems.cut(sign, D.at(split, q=one)) for one, sign in rows]
    ones = [D.primitive("s", "t", "s"), D.closed(D.primitive("u", "H - t", "u"), D.linear("0 <= H - t", end))]
    lengths = [D.scaled(one, by) for one in (*splits, *ones) for by in ("r(x, a)", "e", "1")]
    later = "Int(u, H - t, exp(-q*(t + u)))"
    found = []
    for cost_of, rate, density_of, whole in ((slower, "c", slower_c, first), (faster, "d", faster_c, second)):
        big, little = cost_of(rate, "H", "e", "q"), cost_of(rate, "t", "e", "q")
        now = D.linear(f"{little} == Int(s, t, {density_of.format('s')})", *lengths)
        then = D.linear(f"{big} == {little} + Int(u, H - t, {density_of.format('(t + u)')})", *lengths)
        facts = [D.scaled(now, later), D.scaled(then, wait("q")), D.scaled(splits[1], little)]
        found.append(D.linear(f"({little})*{wait('q', 'H')} <= ({big})*{wait('q')}", whole, *facts))
    both = theorems.both(*found)
    return D.imply(within(D, both), _RATES, WITHIN)


THEOREMS = {**HALF, "lem:optimism/sharp/cost": COST, "lem:optimism/sharp/time": TIME}
