"""Both sides of the regret bounds, in balls."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from proofs_checks.checks.common import cases, scaled
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.computed import Case
from verify.provers.search import Search

_BITS = 128


@cases("one instance")
def larger_root(horizon: Fraction = Fraction(1, 5)) -> list[Case]:
    """Both radicands for S = A = 2 and K = 3, where 2KH > 1."""
    with precision(_BITS):
        left, right = 8 * arb(rational(144 * horizon)).log(), 16 * arb(rational(24 * horizon)).log()
    again = f"from math import log; print(8*log(4*2*2*3**2*{horizon}) > 16*log(2*2*2*3*{horizon}))"
    return [Case(f"S = A = 2, K = 3, H = {horizon}", left, right, line=again)]


@cases("one instance")
def defined(horizon: Fraction = Fraction(1, 8)) -> list[Case]:
    """The radicand ln(2SAKH) of the bound, for S = A = 1 and K = 2."""
    with precision(_BITS):
        radicand = arb(rational(4 * horizon)).log()
    again = f"from math import log; print(log(2*1*1*2*{horizon}) < 0)"
    text = f"S = A = 1, K = 2, H = {horizon}: ln(2SAKH)"
    return [Case(text, radicand, 0, ">=", line=again)]


_RATE = Fraction(1, 10)


def bound(episodes: int) -> arb:
    """The right-hand side of ``eq:regret-bound`` for the two states, with Σ ε_k exp(λmax H) + 1 <= 2."""
    with precision(_BITS):
        rate = arb(rational(_RATE))
        k, logarithm = arb(episodes).log(), arb(8 * episodes).log()
        factor = 3 * ((rate / (1 - (-rate).exp())).max(arb(1)) + 1)
        roots = (4 + 6 * logarithm).sqrt() + 4 * rate * logarithm.sqrt()
        return factor * arb(4 * episodes).sqrt() * (1 + 1 / rate) * (rate + 1) * k / (1 + k).log() * roots + 2


@cases("a bonus that never lets go", "in balls")
def stuck(episodes: int = 10**10) -> list[Case]:
    """What the regret is at least, K/3 - 100, against the printed bound."""
    again = (
        f"from math import exp, log, sqrt; K = {episodes}; l = log(8*K); C = max(.1/(1 - exp(-.1)), 1); "
        "print(3*(C + 1)*sqrt(4*K)*11*1.1*log(K)/log(log(K) + 1)*(sqrt(4 + 6*l) + .4*sqrt(l)) + 2 "
        "< K/3 - 100)"
    )
    text = f"two states, two actions, λ = 1/10, H = 1, K = {episodes}, ln(1/δ) = 10^13: regret"
    regret = Fraction(episodes, 3) - 100
    return [Case(text, regret, bound(episodes), line=again)]


# --- the corollary ----------------------------------------------------------------------------


def lump_sum_orders(factor: int = 8) -> Search:
    """The bound of thm:CT-UCB/lump-sum with Σ ε_k λmax H = 2√K against the order with its constants."""

    def sides(example: Any) -> tuple[arb, arb]:
        horizon, most, least, (states, actions, episodes) = example
        with precision(_BITS):
            h, r, m = (arb(rational(x)) for x in (horizon, most, most * least))
            v, size = r * h, arb(states * actions * episodes).sqrt()
            logarithm = (2 * size * size * h).log()
            first = (2 * states * arb(2).log() + 2 * (2 * size * size * (episodes * h) ** 2).log()).sqrt()
            second = (8 * (4 * size * size * episodes * h).log()).sqrt()
            levels = (arb(1).exp() - 1) * v + 1 / (arb(1).exp().sqrt() - 1)
            left = size * (h + 1 / m) * levels * (2 * first + 7 * v * second / 3)
            order = v * (h + 1 / m) * size * (arb(states).sqrt() + v)
            right = (factor * (2 + 16 * logarithm).sqrt() + 3) * order
            return left + 2 * arb(episodes).sqrt() + 1, right

    return Search((150, 2000), sizes_of_the_corollary(), sides, title="both bounds")


@scaled("partial sums", "partial sums in balls of 128 bits")
def accuracies(effort: Effort, factor: Fraction = Fraction(2)) -> list[Case]:
    """Σ_{k<=K} k^(-α) against ``factor``·√K, for α = 1/2 and 3/4."""
    found = []
    for power in (Fraction(1, 2), Fraction(3, 4)):
        total = arb(0)
        with precision(_BITS):
            for k in range(1, effort.scaled(100, 5000) + 1):
                total += arb(k) ** arb(rational(-power))
                found.append(Case(f"α = {power}, K = {k}", total, rational(factor) * arb(k).sqrt()))
    return found


def sizes_of_the_corollary() -> SearchStrategy[Any]:
    """H > 1, λmax > 1, λmin/λmax, and (S, A, K)."""
    above = st.fractions(Fraction(101, 100), 50, max_denominator=100)
    share = st.fractions(Fraction(1, 100), 1, max_denominator=100)
    sizes = st.tuples(st.integers(1, 30), st.integers(1, 9), st.integers(1, 10**6))
    return st.tuples(above, above, share, sizes)


def orders(factor: int = 16) -> Search:
    """eq:regret-bound with Σ ε_k exp(λmax H) = 2√K against the order with its constants."""

    def sides(example: Any) -> tuple[arb, arb]:
        horizon, most, least, (states, actions, episodes) = example
        with precision(_BITS):
            h, r, m = (arb(rational(x)) for x in (horizon, most, most * least))
            v, k, size = r * h, arb(episodes).log(), arb(states * actions * episodes).sqrt()
            logarithm = (2 * size * size * h).log()
            f = k / (1 + k).log() if episodes > 1 else arb(1)
            bracket = (2 * states + 6 * logarithm).sqrt() + 4 * v * logarithm.sqrt()
            left = 3 * (v / (1 - (-v).exp()) + 1) * size * (h + 1 / m) * (v + 1) * f * bracket
            order = v * v * (h + 1 / m) * size * (arb(states).sqrt() + v)
            right = (factor * (2 + 16 * logarithm).sqrt() * f + 3) * order
            return left + 2 * arb(episodes).sqrt() + 1, right

    return Search((150, 2000), sizes_of_the_corollary(), sides, title="both bounds")
