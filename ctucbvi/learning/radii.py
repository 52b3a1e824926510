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
is one, balls are another (on the exact side), SymPy's expressions a third (:mod:`ctucbvi.bounds`).  So
:func:`factor_of_bonus`, :func:`log_confidence` and :func:`jump_bracket`, which are the only place where
:math:`C`, :math:`L(\delta)` and the bracket of :math:`\alpha_k` are written, take exact numbers or symbols.
The known :math:`\lambda_{\min}` of the paper's remark changes the estimator of the rate
(:mod:`ctucbvi.learning.statistics`), not the radii.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from ctucbvi.learning.settings import Settings
    from ctucbvi.model import CTMDP

_DOUBLINGS = 5000  # with more of them 2^n is not formed
_SMALLEST, _LARGEST = Fraction(1, 2**1000), Fraction(2**1000)  # doubles in between are as exact as any

N = TypeVar("N", bound=Any)  # a number that can be added, multiplied, divided and negated


class Arithmetic(Protocol[N]):
    """What the formulas need of numbers besides ``+ - * /``."""

    def number(self, value: Fraction, /) -> N:
        """The rational ``value``."""
        ...

    def sqrt(self, x: N, /) -> N:
        """The square root."""
        ...

    def log(self, x: N, /) -> N:
        """The natural logarithm."""
        ...

    def log_of(self, value: Fraction, doublings: int = 0) -> N:
        """``ln(2^doublings value)`` of a rational that is positive, however large or small."""
        ...

    def exp(self, x: N, /) -> N:
        """The exponential."""
        ...

    def expm1(self, x: N, /) -> N:
        """``exp(x) - 1``."""
        ...

    def maximum(self, x: N, y: N, /) -> N:
        """The larger one."""
        ...

    def waiting(self, z: N, /) -> N:
        r""":math:`\varphi(z) = (1-e^{-z})/z`, and 1 at 0, for :math:`z \ge 0`."""
        ...


class Doubles:
    """Double precision."""

    number, sqrt, log = staticmethod(float), staticmethod(math.sqrt), staticmethod(math.log)
    exp, expm1, maximum = staticmethod(math.exp), staticmethod(math.expm1), staticmethod(max)

    def log_of(self, value: Fraction, doublings: int = 0) -> float:
        """``ln(2^doublings value)``, also where the number itself is beyond doubles."""
        if doublings < _DOUBLINGS:
            value, doublings = value * 2**doublings, 0
            if _SMALLEST < value < _LARGEST:
                return math.log(float(value))
        return math.log(value.numerator) - math.log(value.denominator) + doublings * math.log(2)

    def waiting(self, z: float) -> float:
        r""":math:`(1-e^{-z})/z`, and 1 at 0."""
        return -math.expm1(-z) / z if z > 0 else 1.0


DOUBLES = Doubles()


@dataclass(frozen=True)
class Constants(Generic[N]):
    """Everything in the radii and the bonus that the data do not change."""

    horizon: N  # H
    factor: N  # C of the paper's bonus; 0 for the greedy learner
    rate_constant: N  # λmax L(δ)
    floor: N  # L(δ)/λmax, below which a time counts as this
    jump_constant: N  # 2 [S ln 2 + ln(SAHK²/δ)]

    def rate_radius(self, time: N, numbers: Arithmetic[N]) -> N:
        r""":math:`\beta_k` after ``time`` spent at the pair (``eq:beta-k``)."""
        return numbers.sqrt(self.rate_constant / numbers.maximum(time, self.floor))

    def jump_radius(self, n_plus: N, numbers: Arithmetic[N]) -> N:
        r""":math:`\alpha_k` after ``n_plus`` observed jumps from the pair (``eq:alpha-k``)."""
        return numbers.sqrt(self.jump_constant / numbers.maximum(numbers.number(Fraction(1)), n_plus))

    def bonus(self, time: N, n_plus: N, numbers: Arithmetic[N]) -> N:
        r""":math:`b^k` (``eq:bonus-k``)."""
        rate_part = self.horizon * self.horizon * self.rate_radius(time, numbers)
        found: N = self.factor * (rate_part + self.horizon * self.jump_radius(n_plus, numbers))
        return found


def log_confidence(states: Any, actions: Any, episodes: Any, delta: Any, numbers: Arithmetic[N]) -> N:
    r""":math:`L(\delta) = 4 \ln(2SAK/\delta)`."""
    found: N = numbers.number(Fraction(4)) * numbers.log_of(2 * states * actions * episodes / delta)
    return found


def factor_of_bonus(lambda_max: Any, horizon: Any, numbers: Arithmetic[N]) -> N:
    r""":math:`C = \lambda_{\max}/(1 - e^{-\lambda_{\max}H}) \vee 1`."""
    jumped = -numbers.expm1(numbers.number(-lambda_max * horizon))
    return numbers.maximum(numbers.number(lambda_max) / jumped, numbers.number(Fraction(1)))


def jump_bracket(
    states: Any, actions: Any, horizon: Any, episodes: Any, delta: Any, numbers: Arithmetic[N]
) -> N:
    r""":math:`S\ln 2 + \ln(SAHK^2/\delta)`, the bracket of ``eq:alpha-k``."""
    return numbers.log_of(states * actions * horizon * episodes * episodes / delta, states)


def constants(model: CTMDP, settings: Settings, numbers: Arithmetic[N]) -> Constants[N]:
    """The constants of the radii for one model and one run's settings."""
    states, actions = len(model.states), len(model.actions)
    confidence = log_confidence(states, actions, settings.episodes, settings.delta, numbers)
    bracket = jump_bracket(states, actions, model.horizon, settings.episodes, settings.delta, numbers)
    lambda_max = numbers.number(settings.lambda_max)
    factor = factor_of_bonus(settings.lambda_max, model.horizon, numbers)
    return Constants(
        numbers.number(model.horizon),
        numbers.number(Fraction(0)) if settings.bonus == "none" else factor,
        lambda_max * confidence,
        confidence / lambda_max,
        numbers.number(Fraction(2)) * bracket,
    )
