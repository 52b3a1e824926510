r"""How far the iterates of value iteration are from the fixed point.

Three bounds for :math:`V^* - V_n`, where :math:`V_0 = 0`, :math:`R = \max|r|`, :math:`G = \max|g|` (both of
the plain form), :math:`\varrho = 1 - e^{-\lambda_{\max} H}`.  All hold with and without the truncation
:math:`\min\{t, \cdot\}`, which is non-expansive and does not raise :math:`|V|`.

* **Erlang.**  :math:`V^*` and :math:`V_n` differ only by what is earned after the
  :math:`n`-th jump, and no :math:`n` jumps are faster than :math:`\Gamma_n \sim
  \mathrm{Erlang}(n, \lambda_{\max})`:

  .. math:: |V^*(x,t) - V_n(x,t)| \le R\,\mathbb E[(t - \Gamma_n)^+] + G\,P(\Gamma_n < t) .

  With :math:`N \sim \mathrm{Poisson}(\lambda_{\max} t)`, :math:`P(\Gamma_n < t) = P(N \ge n)` and
  :math:`\mathbb E[(t - \Gamma_n)^+] = t\,P(N \ge n) - \tfrac n{\lambda_{\max}} P(N \ge n+1)`:
  the bound falls faster than any power.
* **Contraction, a priori** (the paper's): :math:`\varrho^n/(1-\varrho)\cdot\|V_1 - V_0\|`.
* **Contraction, a posteriori** (``eq:error-vi``): :math:`\varrho/(1-\varrho)\cdot\|V_n - V_{n-1}\|`,
  which is at most the paper's :math:`\epsilon\,e^{\lambda_{\max}H}`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from ctucbvi.exact.exppoly import ExpPoly
from ctucbvi.exact.iteration import ValueIteration
from ctucbvi.exact.precision import enclosure, precision, to_fmpq
from ctucbvi.numbers import exact

if TYPE_CHECKING:
    from ctucbvi.enclosure import Enclosure
    from ctucbvi.model import CTMDP, Number


def poisson_at_least(rate: Fraction, n: int) -> ExpPoly:
    """``P(N >= n)`` as a function of ``t``, for ``N`` Poisson with mean ``rate * t``, exactly."""
    weights = [to_fmpq(Fraction(1))]
    for k in range(1, n):
        weights.append(weights[-1] * to_fmpq(rate) / k)
    return ExpPoly.constant(1) - (ExpPoly.of({rate: weights}) if n > 0 else ExpPoly.zero())


def erlang_function(model: CTMDP, n: int) -> ExpPoly:
    """The Erlang bound after ``n`` iterations as an exact function of the remaining time."""
    rate, reward = model.max_rate, max(abs(pair.reward) for pair in model.pairs)
    reached = poisson_at_least(rate, n)
    late = ExpPoly.monomial(1, 1) * reached
    if rate > 0:
        late -= poisson_at_least(rate, n + 1) * Fraction(n, 1) * (1 / rate)
    return late * reward + reached * model.max_start


def erlang_bound(model: CTMDP, n: int, t: Number, bits: int = 64) -> Enclosure:
    """``R E[(t - Γ_n)^+] + G P(Γ_n < t)``, which bounds ``|V* - V_n|`` at remaining time ``t``."""
    return erlang_function(model, n).at(exact(t, "remaining time")).enclosure(bits)


def contraction_factor(model: CTMDP, bits: int = 64) -> Enclosure:
    """``1 - e^{-λmax H}``, the paper's rate of convergence."""
    with precision(bits):
        return enclosure(-(-arb(to_fmpq(model.max_rate * model.horizon))).expm1())


def contraction_bound(model: CTMDP, n: int, first: Enclosure | None = None, bits: int = 64) -> Fraction:
    """An upper bound for ``ρ^n/(1-ρ)·‖V_1 - V_0‖``; ``first`` encloses the norm if it is known."""
    if first is None:
        iterates = ValueIteration(model, bits=bits)
        first = iterates[1].distance(iterates[0])
    factor = contraction_factor(model, bits).upper
    return factor**n / (1 - factor) * first.upper
