r"""Confidence radii and the exploration bonus, written once over an arithmetic.

With :math:`L(\delta) = 4\ln(2SAK/\delta)`,

.. math:: \beta_k = \sqrt{\frac{\lambda_{\max}L(\delta)}{\max\{T^k,\ L(\delta)/\lambda_{\max}\}}}, \qquad
          \alpha_k = \sqrt{\frac{2[S\ln 2 + \ln(SAHK^2/\delta)]}{\max\{1, N^{k,+}\}}}, \qquad
          b^k = C\,(H^2\beta_k + H\alpha_k), \qquad
          C = \frac{\lambda_{\max}}{1-e^{-\lambda_{\max}H}} \vee 1

(``eq:beta-k``, ``eq:alpha-k``, ``eq:bonus-k``).  :math:`S` and :math:`A` count the model's states and
actions, also where a state offers only some of them.  Everything that does not depend on the
data is a number in :class:`Constants`, so that a compiled loop needs six numbers:

.. math:: b = C\Bigl(H^2\sqrt{\text{rate\_constant}/\max(T, \text{floor})}
              + H\sqrt{\text{jump\_constant}/\max(1, N^+)}\Bigr).

An arithmetic is an object with the handful of functions of :class:`Arithmetic`; :data:`DOUBLES`
is one, balls are another (on the exact side).  The known :math:`\lambda_{\min}` of the paper's
remark changes the estimator of the rate (:mod:`ctucbvi.learning.statistics`), not the radii.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ctucbvi.learning.settings import jump_ratio

if TYPE_CHECKING:
    from ctucbvi.learning.settings import Settings
    from ctucbvi.model import CTMDP

N = TypeVar("N", bound=Any)  # a number that can be added, multiplied, divided and negated


class Arithmetic(Protocol[N]):
    """What the formulas need of numbers besides ``+ - * /``."""

    def number(self, value: Fraction) -> N:
        """The rational ``value``."""
        ...

    def sqrt(self, x: N) -> N:
        """The square root."""
        ...

    def log(self, x: N) -> N:
        """The natural logarithm."""
        ...

    def exp(self, x: N) -> N:
        """The exponential."""
        ...

    def expm1(self, x: N) -> N:
        """``exp(x) - 1``."""
        ...

    def maximum(self, x: N, y: N) -> N:
        """The larger one."""
        ...


class Doubles:
    """Double precision."""

    def number(self, value: Fraction) -> float:
        """The nearest double."""
        return float(value)

    def sqrt(self, x: float) -> float:
        """The square root."""
        return math.sqrt(x)

    def log(self, x: float) -> float:
        """The natural logarithm."""
        return math.log(x)

    def exp(self, x: float) -> float:
        """The exponential."""
        return math.exp(x)

    def expm1(self, x: float) -> float:
        """``exp(x) - 1``."""
        return math.expm1(x)

    def maximum(self, x: float, y: float) -> float:
        """The larger one."""
        return max(x, y)


DOUBLES = Doubles()


@dataclass(frozen=True)
class Constants(Generic[N]):
    """Everything in the radii and the bonus that the data do not change."""

    horizon: N  # H
    factor: N  # C of the bonus; 0 for the greedy learner
    rate_constant: N  # λmax L(δ)
    floor: N  # L(δ)/λmax, below which a time counts as this
    jump_constant: N  # 2 [S ln 2 + ln(SAHK²/δ)]

    def rate_radius(self, time: N, numbers: Arithmetic[N]) -> N:
        r""":math:`\beta_k` after ``time`` spent at the pair (``eq:beta-k``)."""
        return numbers.sqrt(self.rate_constant / numbers.maximum(time, self.floor))

    def jump_radius(self, left: N, numbers: Arithmetic[N]) -> N:
        r""":math:`\alpha_k` after ``left`` observed jumps from the pair (``eq:alpha-k``)."""
        return numbers.sqrt(self.jump_constant / numbers.maximum(numbers.number(Fraction(1)), left))

    def bonus(self, time: N, left: N, numbers: Arithmetic[N]) -> N:
        r""":math:`b^k` (``eq:bonus-k``)."""
        rate_part = self.horizon * self.horizon * self.rate_radius(time, numbers)
        found: N = self.factor * (rate_part + self.horizon * self.jump_radius(left, numbers))
        return found


def log_confidence(model: CTMDP, settings: Settings, numbers: Arithmetic[N]) -> N:
    r""":math:`L(\delta) = 4 \ln(2SAK/\delta)`."""
    ratio = 2 * len(model.states) * len(model.actions) * settings.episodes / settings.delta
    found: N = numbers.number(Fraction(4)) * numbers.log(numbers.number(ratio))
    return found


def stretch_factor(model: CTMDP, settings: Settings, numbers: Arithmetic[N]) -> N:
    r""":math:`C = \lambda_{\max}/(1 - e^{-\lambda_{\max}H}) \vee 1`."""
    fastest = numbers.number(settings.fastest)
    left = -numbers.expm1(numbers.number(-settings.fastest * model.horizon))
    return numbers.maximum(fastest / left, numbers.number(Fraction(1)))


def constants(model: CTMDP, settings: Settings, numbers: Arithmetic[N]) -> Constants[N]:
    """The constants of the radii for one model and one run's settings."""
    confidence = log_confidence(model, settings, numbers)
    fastest = numbers.number(settings.fastest)
    ratio = numbers.number(jump_ratio(model, settings))
    return Constants(
        numbers.number(model.horizon),
        stretch_factor(model, settings, numbers) if settings.bonus else numbers.number(Fraction(0)),
        fastest * confidence,
        confidence / fastest,
        numbers.number(Fraction(2)) * numbers.log(ratio),
    )
