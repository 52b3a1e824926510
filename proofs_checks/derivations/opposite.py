r"""The two errors of the rate have opposite signs, for values that rise.

A larger rate leaves the state sooner: :math:`\int_0^s\lambda e^{-\lambda u}du = 1-e^{-\lambda s}` rises in λ,
so that by parts :math:`\int_0^t\lambda e^{-\lambda s}m(t-s)\,ds` rises in λ if m rises from
:math:`m(0)\ge0`, while :math:`w(\lambda)` falls.  If m rises by at most 1 per
unit of time, then :math:`s - m(s)` rises too, and the first gains at most what the second loses.
"""

from __future__ import annotations

from proofs_checks.derivations.by_parts import THEOREMS as BY_PARTS
from proofs_checks.derivations.halved_error import THEOREMS as HALVED_ERROR
from proofs_checks.derivations.model_error import DENSITIES, RATE_TERM_INTEGRAL
from proofs_checks.derivations.nearby import (
    HAT,
    RATES,
    ROW_HAT,
    TRUE,
    chain,
    conditional,
    density,
    density_low,
    either_way,
    estimate,
    inside,
    jumps,
    mean,
    modulus,
    ordered,
    parts_of_time,
    rate_low,
    small,
    wait,
    wait_high,
    wait_low,
)
from proofs_checks.derivations.operators import ESTIMATES, RATES_LOW, ROWS_HIGH, ROWS_LOW, decays, part
from proofs_checks.derivations.optimism import THEOREMS as OPTIMISM
from proofs_checks.derivations.optimism import waits_less
from proofs_checks.derivations.values import SMALL
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_RANGE = "And(0 <= s, s <= u, u <= t)"
RISING = f"All(y, All(s, All(u, Imp({_RANGE}, gu(y, s) <= gu(y, u)))))"
SLOPE = f"All(y, All(s, All(u, Imp({_RANGE}, gu(y, u) <= gu(y, s) + u - s))))"
"""u rises on [0, t], and by at most 1 per unit of time."""

_JUMPS = f"({jumps(HAT, ROW_HAT)}) - ({jumps(TRUE, ROW_HAT)})"
_WAITS = f"{wait(HAT)} - {wait(TRUE)}"
OPPOSITE = chain(
    f"And(Imp({TRUE} <= {HAT}, And(0 <= {_JUMPS}, {_WAITS} <= 0)), "
    f"Imp({HAT} <= {TRUE}, And({_JUMPS} <= 0, 0 <= {_WAITS})), "
    f"Abs(r(x, a)*({_WAITS}) + {_JUMPS}) <= Min(t**2/2*gbe(x, a), t))",
    ESTIMATES,
    RATES,
    SMALL,
    RISING,
    "0 <= t",
)


def dominated(D: Derivation, low: str, high: str, less: Theorem, rising: str, *facts: Theorem) -> Theorem:
    """l <= m ⊢ ∫ l exp(-ls) f(t - s) ds <= ∫ m exp(-ms) f(t - s) ds, for f that rises; ``rising`` is f(s).

    The facts are All(s, All(u, Imp(0 <= s <= u <= t, f(s) <= f(u)))) and 0 <= f(0).
    """
    parts = D.at(D.lemma("lem:optimism/opposite/by-parts"), c=f"{low} + {high}")
    for name, body in (("gg", density(low)), ("gh", density(high)), ("gf", rising)):
        parts = D.instantiate(parts, name, "s", body)
    s0 = D.assume("0 <= s")
    sooner = decays(D, D.linear(f"{low}*s <= {high}*s", D.times(less, s0)))
    masses = [D.primitive("u", "s", f"-exp(-{one}*u)") for one in (low, high)]
    mass = D.linear(f"Int(u, s, {density(low, 'u')}) <= Int(u, s, {density(high, 'u')})", sooner, *masses)
    sizes = [fact for rate in (low, high) for fact in _density_size(D, rate)]
    near = modulus(D, f"{density(high)} - {density(low)}", f"{low} + {high}", *sizes)
    inside = [conditional(D, _also(D, one, "s <= t"), "And(0 <= s, s <= t)", "s") for one in (near, mass)]
    return D.mp(parts, D.assume("0 <= t"), *inside, *facts)


def _density_size(D: Derivation, rate: str) -> tuple[Theorem, Theorem]:
    """ESTIMATES, 0 <= s ⊢ 0 <= λ exp(-λs), and λ exp(-λs) <= λ."""
    sign = rate_low(D) if rate == TRUE else estimate(D, RATES_LOW)
    small = D.pointwise("exp(-d) <= 1", "d >= 0", d=f"{rate}*s")
    small = D.closed(small, D.times(sign, D.assume("0 <= s")))
    return density_low(D, rate, sign), D.times(small, sign)


def _also(D: Derivation, theorem: Theorem, text: str) -> Theorem:
    """The theorem, also given that."""
    return D.mp(D.imply(theorem, text), D.assume(text))


def mean_rises(D: Derivation, row: str, low: Theorem) -> tuple[Theorem, Theorem]:
    """RISING, SMALL, 0 <= t ⊢ Σ_y p(y) u(y, s) rises, and is not negative at 0."""
    up = D.mp(D.special(D.assume(RISING), "y", "s", "u"), D.assume(_RANGE))
    rises = D.over(D.times(up, low), "y")
    rises = D.all(D.imply(rises, _RANGE), "s", "u")
    return rises, _at_zero(D, row, low)


def _at_zero(D: Derivation, row: str, low: Theorem) -> Theorem:
    start = theorems.both(D.linear("0 <= 0"), D.assume("0 <= t"))
    first = D.mp(D.special(D.assume(SMALL), "y", "0"), start)
    first = part(D, first, "0 <= gu(y, 0)")
    return D.linear(f"0 <= {mean(row, time='0')}", D.over(D.times(first, low), "y"))


def hat_row(D: Derivation) -> Theorem:
    """ESTIMATES ⊢ 0 <= p̂(y)."""
    return D.special(estimate(D, ROWS_LOW), "y")


def sooner(D: Derivation, row: str, row_low: Theorem, low: str, high: str, less: Theorem) -> Theorem:
    """RISING, SMALL, 0 <= t, l <= m ⊢ ∫ l exp(-ls) m(t - s) ds <= the same for m."""
    rising = mean(row, time="s")
    one = dominated(D, low, high, less, rising, *mean_rises(D, row, row_low))
    return D.linear(f"{jumps(low, row)} <= {jumps(high, row)}", one)


def opposite(D: Derivation) -> Theorem:
    """The signs, and |r[w(λ̂) - w(λ)] + ∫(ĝ - g)m̂| <= min{t²β/2, t}."""
    start, model, rates = (D.assume(one) for one in ("0 <= t", ESTIMATES, RATES))
    earned = D.mp(D.lemma("lem:optimism/reward"), model, rates, start)
    rate = D.mp(D.lemma("eq:error1"), model, rates, start)
    moved = [*_rate_error(D), *_sizes(D), rate, earned]
    moved += [D.known(name, earned.says.parts[0].parts[0]) for name in ("abs", "abs-")]
    total = f"r(x, a)*({_WAITS}) + {_JUMPS}"
    signs: list[Theorem] = []

    def way(low: str, high: str, less: Theorem) -> Theorem:
        jump = sooner(D, ROW_HAT, hat_row(D), low, high, less)
        stay = waits_less(D, low, high, less)
        goals = ("0 <= {}", "{} <= 0") if low == TRUE else ("{} <= 0", "0 <= {}")
        both = theorems.both(D.linear(goals[0].format(_JUMPS), jump), D.linear(goals[1].format(_WAITS), stay))
        signs.append(D.imply(both, f"{low} <= {high}"))
        paid = D.times(stay, D.fact("reward-low"))
        facts = [jump, paid, *moved]
        return least(
            D, f"Abs({total})", *(modulus(D, total, one, *facts) for one in ("t**2/2*gbe(x, a)", "t"))
        )

    bound = ordered(D, TRUE, HAT, lambda less: way(TRUE, HAT, less), lambda less: way(HAT, TRUE, less))
    return D.imply(theorems.both(*signs, bound), ESTIMATES, RATES, SMALL, RISING, "0 <= t")


def _rate_error(D: Derivation) -> list[Theorem]:
    """±∫(ĝ - g)m̂ <= ∫|ĝ - g|(t - s)."""
    low, high = small(D)
    row = hat_row(D)
    m_low = D.over(D.times(low, row), "y")
    mass = D.times(estimate(D, ROWS_HIGH), inside(D)[0])
    m_high = D.linear(f"{mean(ROW_HAT)} <= t - s", D.over(D.times(high, row), "y"), mass)
    up, down = D.known("abs", DENSITIES), D.known("abs-", DENSITIES)
    over = D.times(m_high, D.linear(f"0 <= Abs({DENSITIES})", up, down))
    found = []
    for sign, one in (("", up), ("-", down)):
        goal = f"{sign}({DENSITIES})*{mean(ROW_HAT)} <= Abs({DENSITIES})*(t - s)"
        whole = D.integral(D.linear(goal, over, D.times(one, m_low)), "s", "t")
        found.append(D.linear(f"{sign}({_JUMPS}) <= {RATE_TERM_INTEGRAL}", whole))
    return found


def least(D: Derivation, of: str, one: Theorem, other: Theorem) -> Theorem:
    """u <= v and u <= w: u <= Min(v, w)."""
    v, w = one.says.parts[1], other.says.parts[1]
    goal = terms.relation("<=", D.term(of), terms.function("Min", v, w))
    return either_way(D, D.known("min-cases", v, w), goal, one, other)


def _sizes(D: Derivation) -> list[Theorem]:
    """0 <= r w <= t, and 0 <= ∫ g m <= t, for both rates."""
    found = []
    low, high = small(D)
    row = hat_row(D)
    m_low = D.over(D.times(low, row), "y")
    mass = D.times(estimate(D, ROWS_HIGH), inside(D)[0])
    m_high = D.linear(f"{mean(ROW_HAT)} <= t - s", D.over(D.times(high, row), "y"), mass)
    for rate, positive in ((HAT, estimate(D, RATES_LOW)), (TRUE, rate_low(D))):
        g = density_low(D, rate, positive)
        stays = wait_low(D, rate)
        found += [D.integral(D.times(one, g), "s", "t") for one in (m_low, m_high)]
        found += [stays, parts_of_time(D, rate)]
        found += [D.times(D.fact(name), stays) for name in ("reward-low", "reward-high")]
        found += [wait_high(D, rate, positive)]
    return found


THEOREMS = {**OPTIMISM, **HALVED_ERROR, **BY_PARTS, "lem:optimism/opposite": OPPOSITE}
