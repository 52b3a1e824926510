r"""The confidence sets of the optimistic learner (``bonus="optimistic"``), written once over an arithmetic.

The learner plans with the best model in its sets (:mod:`ctucbvi.learning.exact.optimistic`); there is no
bonus.  The set of a pair :math:`(x,a)` is an interval of rates times a convex set of probability vectors.
From the :math:`N` jumps and the time :math:`T` that were observed there, with
:math:`\hat\lambda, \hat p` of :mod:`ctucbvi.learning.statistics`:

**Rates**, one of

* ``paper``: :math:`|\tilde\lambda - \hat\lambda| \le \beta` of ``eq:beta-k``;
* ``poisson``: for tilts :math:`\zeta_j = 2^{1-j}`, :math:`0 \le j < J`, and
  :math:`\ell = \ln(2SAJ/\delta)`,

  .. math:: \frac{\zeta_j N - \ell}{(e^{\zeta_j}-1)\,T} \le \tilde\lambda
            \le \frac{\zeta_j N + \ell}{(1-e^{-\zeta_j})\,T}\quad\text{for all } j,

  as :math:`\exp(\pm\zeta N - \lambda(e^{\pm\zeta}-1)T)` is a martingale: it holds at all times at once.  No
  unit of time enters :math:`J = 2 + \lceil m/2\rceil`, :math:`m` the least integer with
  :math:`2^m \ge K(1+\lambda_{\max}H)`.

Both are cut to :math:`[\lambda_{\min}, \lambda_{\max}]` (:math:`\lambda_{\min} = 0` where it is not known).
On unlucky data nothing is left of a ``poisson`` set; its lower end then counts, a single rate.

**Jumps**, one of

* ``l1``: :math:`\|\tilde p-\hat p\|_1 \le \alpha`, :math:`\alpha^2 = 2[S\ln2 + \ln(SAN(N+1)/\delta)]/N`
  (``lem:CI-p/uniform``: for all :math:`N` at once);
* ``kl``: :math:`\mathrm{KL}(\hat p\|\tilde p) \le [\ln(SA/\delta) + \ln\binom{N+S-1}{S-1}]/N`, as
  :math:`\prod (M(y)+1)/((N+S)p(y))` over the jumps seen, by Laplace's rule of succession, is a
  supermartingale, and at least :math:`e^{N\,\mathrm{KL}(\hat p\|p)}/\binom{N+S-1}{S-1}`.

Before the first jump from a pair they hold all probability vectors.  :math:`\delta` is the error of either
kind, over all pairs and episodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import comb
from typing import TYPE_CHECKING, Generic

from ctucbvi.learning.radii import Arithmetic, N, log_confidence

if TYPE_CHECKING:
    from ctucbvi.learning.settings import Settings
    from ctucbvi.model import CTMDP


@dataclass(frozen=True)
class PairSet(Generic[N]):
    """The set of one pair, as numbers; the centre of the jumps is p̂."""

    low: N  # ≥ λmin, the least rate
    high: N  # ≤ λmax, the largest rate; at least `low`
    radius: N | None  # α of l1, the divergence of kl; None: all probability vectors


@dataclass(frozen=True)
class Sets(Generic[N]):
    """Everything in the sets that the data do not change."""

    numbers: Arithmetic[N]
    lambda_min: N  # 0 where it is not known
    lambda_max: N
    log_rates: N  # L(δ) of the paper's rates, or ℓ
    tilts: tuple[tuple[N, N, N], ...]  # (ζ, e^ζ − 1, 1 − e^{−ζ}) of each tilt; none for the paper's rates
    divergence: bool  # whether jumps are a kl set
    states: int  # S
    log_jumps: N  # ln(2^S SA/δ) for l1, ln(SA/δ) for kl

    def pair(self, rate: N, time: N, n: int) -> PairSet[N]:
        """The set after ``n`` jumps and ``time`` at the pair; ``rate`` is λ̂."""
        low, high = self.rates(rate, time, n)
        return PairSet(low, high, self.jump_radius(n))

    def rates(self, rate: N, time: N, n: int) -> tuple[N, N]:
        """The least and the largest rate."""
        low, high = self._poisson(time, n) if self.tilts else self._within_radius(rate, time)
        low, high = self._cut(low), self._cut(high)
        if high is self.lambda_max or low is self.lambda_min:
            return low, high
        return low, low if high <= low else self.numbers.maximum(high, low)

    def _cut(self, rate: N) -> N:
        """``rate`` between the bounds on all rates: a bound itself, the very object, where it is beyond."""
        if rate is self.lambda_min or rate <= self.lambda_min:
            return self.lambda_min
        if rate is self.lambda_max or rate >= self.lambda_max:
            return self.lambda_max
        return self._least(self.numbers.maximum(rate, self.lambda_min), self.lambda_max)

    def jump_radius(self, n: int) -> N | None:
        """α of an l1 set, or the largest divergence of a kl set; None where nothing is known."""
        if n == 0:
            return None
        grows = comb(n + self.states - 1, self.states - 1) if self.divergence else n * (n + 1)
        bracket: N = self.log_jumps + self.numbers.log_of(Fraction(grows))
        mean: N = bracket / self.numbers.number(Fraction(n))
        return mean if self.divergence else self.numbers.sqrt(self.numbers.number(Fraction(2)) * mean)

    def _within_radius(self, rate: N, time: N) -> tuple[N, N]:
        numbers, top = self.numbers, self.lambda_max
        floor = self.log_rates / top
        if time < floor:  # the radius is λmax, so that every rate is within it
            return self.lambda_min, top
        radius = numbers.sqrt(top * self.log_rates / numbers.maximum(time, floor))
        return rate - radius, rate + radius

    def _poisson(self, time: N, n: int) -> tuple[N, N]:
        if time == self.numbers.number(Fraction(0)):
            return self.lambda_min, self.lambda_max
        jumps = self.numbers.number(Fraction(n))
        lows = [(tilt * jumps - self.log_rates) / up / time for tilt, up, _ in self.tilts]
        highs = [(tilt * jumps + self.log_rates) / down / time for tilt, _, down in self.tilts]
        return reduce(self.numbers.maximum, lows), reduce(self._least, highs)

    def _least(self, one: N, other: N) -> N:
        found: N = -self.numbers.maximum(-one, -other)
        return found


def confidence_sets(model: CTMDP, settings: Settings, numbers: Arithmetic[N]) -> Sets[N]:
    """The constants of the sets for one model and one run's settings."""
    pairs, count = len(model.states) * len(model.actions), tilt_count(model, settings)
    tilts = [numbers.number(Fraction(2, 2**j)) for j in range(count)]
    poisson, divergence = settings.rates == "poisson", settings.jumps == "kl"
    return Sets(
        numbers,
        numbers.number(settings.lambda_min or Fraction(0)),
        numbers.number(settings.lambda_max),
        numbers.log_of(2 * pairs * count / settings.delta)
        if poisson
        else log_confidence(
            len(model.states), len(model.actions), settings.episodes, settings.delta, numbers
        ),
        tuple((tilt, numbers.expm1(tilt), -numbers.expm1(-tilt)) for tilt in tilts) if poisson else (),
        divergence,
        len(model.states),
        numbers.log_of(pairs / settings.delta, 0 if divergence else len(model.states)),
    )


def tilt_count(model: CTMDP, settings: Settings) -> int:
    """The number J of tilts."""
    scale = settings.episodes * (1 + settings.lambda_max * model.horizon)
    return 2 + -(-(_ceiling(scale) - 1).bit_length() // 2)


def _ceiling(number: Fraction) -> int:
    return -(-number.numerator // number.denominator)
