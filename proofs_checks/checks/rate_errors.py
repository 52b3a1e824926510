"""The weighted sums of 1/√T, in balls."""

from __future__ import annotations

from fractions import Fraction

from flint import arb
from hypothesis import strategies

from proofs_checks.checks.common import cases, scaled
from proofs_checks.checks.poisson import weight
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.computed import Case
from verify.provers.search import Search

_BITS = 128


def mean_inverse_roots(factor: Fraction = Fraction(1)) -> Search:
    """(E N)^(-1/2) against E N^(-1/2), times ``factor``, for N uniform on a list of numbers."""

    def sides(numbers: list[int]) -> tuple[arb, arb]:
        with precision(_BITS):
            mean = sum((1 / arb(n).sqrt() for n in numbers), arb(0)) / len(numbers)
            left = 1 / arb(rational(Fraction(sum(numbers), len(numbers)))).sqrt()
            return left, rational(factor) * mean + arb(2) ** -40  # equal if the numbers are

    numbers = strategies.lists(strategies.integers(1, 50), min_size=1, max_size=8)
    return Search((150, 2000), numbers, sides, title="uniform laws")


@scaled("exact sums")
def mean_of_larger(effort: Effort, shift: int = 0) -> list[Case]:
    """E max(N, 1) for N Poisson, a finite sum with its remainder, against exp(-μ) + μ (+ ``shift``)."""
    found = []
    for mean in [Fraction(n, 10) for n in range(1, effort.scaled(40, 200), 13)]:
        with precision(_BITS):
            exact = arb(rational(mean))
            last = int(2 * mean) + 60  # beyond it the terms j w_j fall by halves at least
            total = sum((max(j, 1) * weight(exact, j) for j in range(last)), arb(0))
            total += (2 * last * weight(exact, last)).union(arb(0))
            error = total - (-exact).exp() - exact - shift
        found.append(Case(f"μ = {mean}: |difference|", abs(error), Fraction(1, 10**12)))
    return found


@cases("best of several actions")
def best_of(actions: int = 40) -> list[Case]:
    """E max(1, N)^{-1/2} for the action with the most jumps, each played for one episode, against 1/√2.

    Two states take turns: N = ⌈J/2⌉ jumps leave the first one, J Poisson(1), so that N <= n iff J <= 2n.
    """
    with precision(_BITS):
        below = total = arb(0)
        law = arb(0)
        for n in range(20):
            law += weight(arb(1), 2 * n) + (weight(arb(1), 2 * n - 1) if n else 0)
            total += (law**actions - below) / arb(max(1, n)).sqrt()
            below = law**actions
        total += (1 - below).nonnegative_part().union(arb(0))
        right = arb(rational(Fraction(1, 2))).sqrt()
    again = (
        "from math import exp, factorial, sqrt; F = lambda n: sum(exp(-1)/factorial(j) for j in "
        "range(2*n "
        f"+ 1)); print(sum((F(n)**{actions} - F(n - 1)**{actions})/sqrt(max(1, n)) "
        "for n in range(20)) < sqrt(1/2))"
    )
    text = f"two states, {actions} actions, λ = λmax = H = 1, k = {actions + 1}, m = 0"
    return [Case(text, total, right, ">=", line=again)]


@cases("one state, 𝒢 by the count of jumps")
def given_all_episodes(episodes: int = 2) -> list[Case]:
    """P(no jump in episode 1 | 𝒢) over P(no jump in episode 1), λ = λmax = 12, H = 1, δ = 1/(2KH), K <= 2.

    One state that jumps to itself and one action: T² = 1 surely, and N² is the Poisson number of jumps in
    episode 1.  Before it λ̂ = 0 and β = λmax, so that 𝒢 is about λ̂ = min{N², 12} of episode 2, if there is
    one; p̂ is 1, or 0 without a jump, where α > 1.
    """
    rate, delta = 12, Fraction(1, 2 * episodes)
    with precision(_BITS):
        confidence = 4 * arb(rational(2 * episodes / delta)).log()
        beta = (rate * confidence / arb(1).max(confidence / rate)).sqrt()
        outside = [n for n in range(rate) if episodes > 1 and rate - n > beta]  # jumps: not on 𝒢
        ratio = arb(0) if 0 in outside else 1 / (1 - sum((weight(arb(rate), n) for n in outside), arb(0)))
    again = (
        f"from math import exp, log, sqrt; print(12 - 0 > sqrt(12*4*log({2 * episodes / delta})) "
        "and exp(-12) > 0)"
    )
    text = f"S = A = H = 1, λ = λmax = 12, K = {episodes}, δ = {delta}, P(τ_0 > H | 𝒢)/P(τ_0 > H)"
    return [Case(text, ratio, 1, "==", line=again)]


@cases("one state, exactly")
def one_state(factor: Fraction = Fraction(1)) -> list[Case]:
    """One state with a self-loop: T^k = (k-1)H surely, and Σ_m (H - t_m)^+ has mean H + λH²/2; δ = 1/10."""
    grid = [(v, h, k) for v in (1, 4) for h in (1, 3) for k in (2, 20, 400)]
    return [_one_state_case(Fraction(v), Fraction(h), k, factor) for v, h, k in grid]


def _one_state_case(mean: Fraction, horizon: Fraction, episodes: int, factor: Fraction) -> Case:
    rate = mean / horizon
    with precision(_BITS):
        floor = 4 * arb(20 * episodes).log() / arb(rational(rate))
        inverse = sum((1 / arb(rational(k * horizon)).max(floor).sqrt() for k in range(episodes)), arb(0))
        left = arb(rational(horizon + rate * horizon**2 / 2)) * inverse
        k = arb(episodes).log()
        size = arb(rational(3 * factor * (horizon + 1 / rate) * (mean + 1)))
        right = (2 * arb(rational(rate)) * episodes).sqrt() * size * k / (1 + k).log()
    return Case(f"S = A = 1, K = {episodes}, λH = {mean}, H = {horizon}, δ = 1/10", left, right)
