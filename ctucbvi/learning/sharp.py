r"""The smallest constant bonus, and the stopping rule, that the proof of optimism gives (``bonus="sharp"``).

Let :math:`w(\lambda,t) = \int_0^t e^{-\lambda s}ds`, hats for estimates, and
:math:`\underline\lambda = \max\{\hat\lambda-\beta, 0\}`, :math:`\bar\lambda = \min\{\hat\lambda+\beta,
\lambda_{\max}\}` the ends of the confidence interval, :math:`\alpha' = \min\{\alpha, 2\}`.  The paper's bonus
makes up for three errors, each bounded by its largest possible size.  Looked at together, and as
:math:`V^*_n` rises in :math:`t` by at most 1 per unit of time (``lem:optimism/sharp/slope``), they cost at
most (``lem:optimism/sharp/cost``)

* :math:`r\,[w(\lambda,t) - w(\hat\lambda,t)] + \frac{\alpha'}2(t - w(\lambda,t))` where
  :math:`\lambda \le \hat\lambda`, and
* :math:`(1-r)[w(\hat\lambda,t) - w(\lambda,t)] + \frac{\alpha'}2(t - w(\hat\lambda,t))` where
  :math:`\lambda \ge \hat\lambda`,

and the ends of the interval decide (``lem:optimism/sharp/ends``).  The bonus earns
:math:`b\,w(\hat\lambda,t)`, with the estimated rate, not with :math:`\lambda_{\max}`.  Divided by
:math:`w(\hat\lambda,t)` all costs increase in :math:`t` (``lem:optimism/sharp/time``), so that :math:`t = H`
decides.  With :math:`\varphi(z) = (1-e^{-z})/z` and :math:`\hat\varphi = \varphi(\hat\lambda H)`,

.. math:: b = \max\Bigl\{r\Bigl(\frac{\varphi(\underline\lambda H)}{\hat\varphi} - 1\Bigr)
          + \frac{\alpha'}2\,\frac{1-\varphi(\underline\lambda H)}{\hat\varphi},\
          (1-r)\Bigl(1 - \frac{\varphi(\bar\lambda H)}{\hat\varphi}\Bigr)
          + \frac{\alpha'}2\Bigl(\frac1{\hat\varphi} - 1\Bigr)\Bigr\},

which is never more than half of the paper's (``lem:optimism/sharp/size``), and is attained
(``lem:optimism/sharp/needed``).  For small :math:`\beta` the part of the rate is about
:math:`\max\{r,1-r\}\,\beta` times the mean of an exponential time of rate :math:`\hat\lambda` that is cut off
at :math:`H`, where the paper has :math:`CH^2\beta`.  A pair that was never left has
:math:`\hat\lambda = 0` and gets :math:`(1-r)(1-\varphi(\bar\lambda H))`, :math:`\bar\lambda =
\min\{\beta, \lambda_{\max}\}`: less than what would raise its reward to 1.

**Stopping.**  Where :math:`\|V_n - V_{n-1}\| < \epsilon` all further iterations together move the value by at
most :math:`\epsilon\lambda_{\max}H`, not :math:`\epsilon e^{\lambda_{\max}H}` (``eq:error-vi/load``).  The
iteration is stopped at :math:`\epsilon_k/(\lambda_{\max}H)`: optimism then holds up to :math:`\epsilon_k`.

The radii are the paper's.  A known :math:`\lambda_{\min}` bounds :math:`\underline\lambda`; a pair that was
never left then has :math:`\hat\lambda > 0` and no row, which costs what :math:`\alpha' = 2` does.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ctucbvi.learning.radii import Arithmetic, Constants, N

if TYPE_CHECKING:
    from ctucbvi.learning.settings import Settings


def bonus_of(
    settings: Settings, radii: Constants[N], *, rate: N, reward: N, time: N, n_plus: N, numbers: Arithmetic[N]
) -> N:
    """The bonus that ``settings`` ask for; ``radii`` are their constants, 0 in the place of C for none."""
    if settings.bonus != "sharp":
        return radii.bonus(time, n_plus, numbers)
    one, two = numbers.number(Fraction(1)), numbers.number(Fraction(2))
    radius = radii.rate_radius(time, numbers)
    low = numbers.maximum(rate - radius, numbers.number(settings.lambda_min or Fraction(0)))
    high = -numbers.maximum(-(rate + radius), -numbers.number(settings.lambda_max))
    reach = -numbers.maximum(-radii.jump_radius(n_plus, numbers), -two) if n_plus >= one else two
    found: N = sharp_bonus(
        rate, low=low, high=high, reach=reach, reward=reward, horizon=radii.horizon, numbers=numbers
    )
    return found


def sharp_bonus(rate: N, *, low: N, high: N, reach: N, reward: N, horizon: N, numbers: Arithmetic[N]) -> N:
    """The bonus of the module's text; ``reach`` is α'."""
    one, two = numbers.number(Fraction(1)), numbers.number(Fraction(2))
    here = numbers.waiting(rate * horizon)
    slower, faster = numbers.waiting(low * horizon), numbers.waiting(high * horizon)
    above = reward * (slower / here - one) + reach / two * ((one - slower) / here)
    below = (one - reward) * (one - faster / here) + reach / two * (one / here - one)
    return numbers.maximum(above, below)
