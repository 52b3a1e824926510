"""``thm:CT-UCB`` with every step in place, for S A H >= 1: short horizons, few episodes, many episodes."""

from __future__ import annotations

from proofs_checks.derivations.bound import CORE, MAIN, RADICAND, core_theorem, trivial
from proofs_checks.derivations.bound import THEOREMS as BOUND
from proofs_checks.derivations.optimism import factor_low
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.probabilities import LONG, WAIT, waits
from proofs_checks.derivations.rate_sets import sizes
from proofs_checks.derivations.rates import enough, level, long_enough
from proofs_checks.derivations.regret import EVENT, REGRET, _LOAD
from proofs_checks.derivations.runs import equal, product, settled
from proofs_checks.derivations.unions import square_below
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

PEELS = "lmax*(K - 1)*H <= 25**K*L"
DATA, FEW = "exp(1/2)*delta <= 2**S*S*A*H*K**2", "exp(2)*lmax*(K - 1) <= K**2"
TAIL = "(S - 1)*log(2) - log(delta) <= H*K**2"
COVERED = f"1 - 2*delta <= E(Ind({EVENT.format(m='n')}))"
SETS = f"Imp({PEELS}, Imp({DATA}, Imp({FEW}, Imp({TAIL}, {COVERED}))))"

LOGARITHM = "log(2*S*A*K*H)"
ROOTS = f"(sqrt(2*S + 6*{LOGARITHM}) + 4*lmax*H*sqrt({LOGARITHM}))"
WIDE = f"({WAIT}*sqrt(S*A*K)*({LONG}))"
PRINTED = f"3*(C*H + 1)*{WIDE}*{ROOTS} + Sum(k, K, eps(k))*exp(lmax*H) + 1"
CHOICE = "Or(delta == 1/(2*K*H), K*H <= 1/2)"
LONG_HORIZON = f"Imp(1 <= S*A*H, Imp({CHOICE}, {REGRET.format(m='m')} <= {PRINTED}))"
THEOREMS = {**BOUND, "eq:G/repaired": SETS, "thm:CT-UCB/main": CORE, "thm:CT-UCB/long": LONG_HORIZON}


def bonus_factor(D: Derivation) -> Theorem:  # noqa: N803
    """2 <= C H + 1."""
    value = product(D, rate_bound(D), D.fact("horizon"))
    below = D.linear("0 < 1 - exp(-lmax*H)", D.closed(D.pointwise("exp(-v) < 1", "v > 0", v="lmax*H"), value))
    large = settled(D, D.claim("thm:CT-UCB/bonus-factor", v="lmax*H"), value, below)
    most = D.linear("lmax/(1 - exp(-lmax*H)) <= C", D.fact("C"), D.known("max", "lmax/(1 - exp(-lmax*H))", "1"))
    return D.linear("2 <= C*H + 1", large, D.times(most, D.fact("horizon")))


def accuracies(D: Derivation) -> Theorem:  # noqa: N803
    """Σ ε v <= Σ ε e^v, and 0 <= Σ ε."""
    total = D.sum(D.linear("0 <= eps(k)", D.fact("accuracy")), "k", "K")
    larger = D.pointwise("v <= exp(v)", v="lmax*H")
    return D.times(larger, total), total


def wide_enough(D: Derivation) -> Theorem:  # noqa: N803
    """H (v + 1) √(S A K) <= WIDE."""
    narrow = theorems.cut(long_enough(D), D.at(enough(D), q=LONG))
    return D.linear(f"H*(lmax*H + 1)*sqrt(S*A*K) <= {WIDE}", D.times(narrow, D.known("sqrt", "S*A*K")))


def logarithm(D: Derivation, large: Theorem) -> Theorem:  # noqa: N803
    """0 <= ln(2SAKH), from 1 <= 2SAKH."""
    return settled(D, D.claim("eq:regret-bound/real/repaired", x="2*S*A*K*H"), large)


def few_episodes(D: Derivation, large: Theorem) -> Theorem:  # noqa: N803
    """K <= 72 S²A(v + 1)² ⊢ K H <= 3 (CH + 1) WIDE ROOTS."""
    few, value = D.assume("K <= 72*S**2*A*(lmax*H + 1)**2"), product(D, rate_bound(D), D.fact("horizon"))
    root, states = "sqrt(S*A*K)", "sqrt(2*S)"
    square = D.positive("sqrt-square", "S*A*K", D.whole("S*A*K"))
    other = D.positive("sqrt-square", "2*S", D.whole("2*S"))
    bound = f"6*(lmax*H + 1)*{root}*{states}"
    squared = D.linear(
        f"({bound})**2 == 72*S**2*A*(lmax*H + 1)**2*K",
        D.scaled(square, f"36*(lmax*H + 1)**2*{states}**2"), D.scaled(other, "36*(lmax*H + 1)**2*S*A*K"),
    )
    sign = D.times(D.known("sqrt", "S*A*K"), D.known("sqrt", "2*S"))
    sign = D.times(sign, D.linear("0 <= lmax*H + 1", value))
    below = D.linear(f"K**2 <= ({bound})**2", squared, D.times(few, D.whole("K")))
    episodes = square_below(D, below, D.linear(f"0 <= {bound}", sign), "K", bound)
    return paid_for(D, D.times(episodes, D.fact("horizon")), large)


def paid_for(D: Derivation, enough_roots: Theorem, large: Theorem) -> Theorem:  # noqa: N803
    """K H <= 3 (CH + 1) WIDE ROOTS, from K H <= 6 H (v + 1) √(SAK) √(2S)."""
    states = "sqrt(2*S)"
    more = D.pointwise("sqrt(x) <= sqrt(x + d)", "x >= 0", "d >= 0", x="2*S", d=f"6*{LOGARITHM}")
    real = logarithm(D, large)
    more = settled(D, more, D.whole("2*S"), real)
    wide = wide_enough(D)
    positive = nonnegative(D)
    second = D.times(D.known("sqrt", LOGARITHM), product(D, rate_bound(D), D.fact("horizon")))
    roots = D.linear(f"{states} <= {ROOTS}", more, second)
    large_roots = D.times(roots, positive)
    first = D.times(wide, D.known("sqrt", "2*S"))
    twice = D.times(D.linear("0 <= C*H + 1 - 2", bonus_factor(D)), D.times(positive, D.linear(f"0 <= {ROOTS}", roots, D.known("sqrt", "2*S"))))
    return D.linear(f"K*H <= 3*(C*H + 1)*{WIDE}*{ROOTS}", enough_roots, first, large_roots, twice)


def nonnegative(D: Derivation) -> Theorem:  # noqa: N803
    """0 <= WIDE."""
    value = D.linear(f"0 <= {LONG}", long_enough(D), product(D, rate_bound(D), D.fact("horizon")))
    return D.times(D.times(value, D.known("sqrt", "S*A*K")), waits(D))


def zz(D):
    large = D.assume("1 <= 2*S*A*K*H")
    return [few_episodes(D, large)]
