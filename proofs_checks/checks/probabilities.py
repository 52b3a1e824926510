"""The weighted sums of 1/√N⁺, in balls."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy
from flint import arb

from proofs_checks.checks.common import cases, vanishes
from proofs_checks.checks.poisson import weight
from verify.provers.balls import precision, rational
from verify.provers.computed import Case, Computed

_BITS = 128


def observed_jump(rate: int = 1) -> Computed:
    """∫ λ exp(-λs) ds over [0, u], integrated, against 1 - exp(-``rate``·λu)."""
    fast, left, s = sympy.symbols("l u s", positive=True)

    def difference() -> sympy.Expr:
        density = fast * sympy.exp(-fast * s)
        return sympy.integrate(density, (s, 0, left)) - (1 - sympy.exp(-rate * fast * left))

    return vanishes("integrated", ("P(τ <= u) - (1 - exp(-λu))", difference))


@cases("one state, exactly", "exact means")
def observed(factor: Fraction = Fraction(1)) -> list[Case]:
    """Both sums of ``eq:CS2`` for one state with a self-loop, where N is independent of the episode.

    Σ_m (H - t_m)^+ has mean H + λH²/2 and Σ_m 1{t_{m+1} <= H} has mean λH; the counts enter both alike.
    """
    found = []
    for mean, horizon, episodes in product((1, 4), (1, 3), (2, 20)):
        rate = Fraction(mean, horizon)
        with precision(_BITS):
            inverse = sum((inverse_root(Fraction(mean * k)) for k in range(episodes)), arb(0))
            left = rational(horizon + rate * horizon**2 / 2) * inverse
            right = rational(factor * (horizon + 1 / rate) * mean) * inverse
        found.append(Case(f"K = {episodes}, λH = {mean}, H = {horizon}", left, right))
    return found


# --- the proposition --------------------------------------------------------------------------


@cases("one state, exactly")
def one_state(factor: Fraction = Fraction(1)) -> list[Case]:
    """One state with a self-loop: N^k is Poisson of mean λ(k-1)H, and Σ_m (H - t_m)^+ has mean H + λH²/2."""
    grid = [(v, h, k) for v in (1, 4) for h in (1, 3) for k in (2, 20)]
    return [_one_state_case(Fraction(v), Fraction(h), k, factor) for v, h, k in grid]


def _one_state_case(mean: Fraction, horizon: Fraction, episodes: int, factor: Fraction) -> Case:
    rate = mean / horizon
    with precision(_BITS):
        inverse = sum((inverse_root(mean * k) for k in range(episodes)), arb(0))
        left = arb(rational(horizon + rate * horizon**2 / 2)) * inverse
        k = arb(episodes).log()
        size = rational(3 * factor * (horizon + 1 / rate) * (mean + 1))
        right = arb(size) * arb(episodes).sqrt() * k / (1 + k).log()
    return Case(f"S = A = 1, K = {episodes}, λH = {mean}, H = {horizon}", left, right)


def inverse_root(mean: Fraction) -> arb:
    """``E max(1, N)^{-1/2}`` for N Poisson, the tail bounded by its probability."""
    with precision(_BITS):
        exact = arb(rational(mean))
        total = mass = arb(0)
        j = 0
        while j <= mean or not 1 - mass < arb(2) ** -60:
            total += weight(exact, j) / arb(max(1, j)).sqrt()
            mass += weight(exact, j)
            j += 1
        return total + (1 - mass).nonnegative_part().union(arb(0))
