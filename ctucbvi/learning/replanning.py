r"""When to plan again, for a learner that does so lazily (``replan`` :math:`\eta > 0` of its settings).

At the start of episode :math:`k` such a learner compares what it has seen with what it had seen when it
planned last, in episode :math:`k^\circ`.  It plans again, with the present data of *all* pairs, if and only
if for some pair

.. math:: \max\{1, N^+\} > (1+\eta)\max\{1, N^{+\circ}\} \qquad\text{or}\qquad
          \max\{T, T_0\} > (1+\eta)\max\{T^\circ, T_0\} ;

otherwise estimates, sets, values and policy stay those of the last plan, whatever was seen since.  A learner
that iterates down to :math:`\epsilon_k` also plans again if :math:`k > (1+\eta)k^\circ`.  The first episode
is always planned.  So the data of a plan in force are never older than a factor :math:`1+\eta` in their
counts, and the number of plans grows like :math:`\ln K`.

:math:`T_0` is the time up to which the rates are as good as unknown: :math:`L(\delta)/\lambda_{\max}` of
``eq:beta-k``, and :math:`3\ell/\lambda_{\max}` with the rates from Poisson tails.

**Without maxima.**  As :math:`(1+\eta)T_0 > T_0`, the second condition says that :math:`T > (1+\eta)T^\circ`
and :math:`T > (1+\eta)T_0`.  Here :math:`T_0` is a logarithm of a rational number other than 1, times a
rational, hence irrational, and never equal to a time that was observed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ctucbvi.learning.radii import Arithmetic, N, constants
from ctucbvi.learning.sets import confidence_sets

if TYPE_CHECKING:
    from ctucbvi.learning.settings import Settings
    from ctucbvi.model import CTMDP


def unknown_time(model: CTMDP, settings: Settings, numbers: Arithmetic[N]) -> N:
    """T₀."""
    if settings.rates != "poisson":
        return constants(model, settings, numbers).floor
    log_rates = confidence_sets(model, settings, numbers).log_rates
    found: N = numbers.number(Fraction(3)) * log_rates / numbers.number(settings.lambda_max)
    return found
