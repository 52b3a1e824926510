r"""From runs to a curve: mean, standard error and a band that holds at all checkpoints together.

The sums of a run are exact whole numbers of :math:`2^{-60}`, so the regret of a run at a checkpoint is
known up to :math:`k` times the error of one episode, which is proved, and mean and variance over runs
are computed in fractions: no rounding depends on the order in which runs came in.

**Two bands**, each for the expected regret at all :math:`m` checkpoints together with confidence
:math:`1-\alpha` (the union bound gives :math:`\alpha/m` to each):

Both are cut to what the regret of :math:`k` episodes can be.

* ``band``: mean :math:`\pm` Student's quantile with :math:`R-1` degrees of freedom times the standard
  error.  It assumes that the mean over runs is close to normal.
* ``guaranteed``: the empirical Bernstein inequality (Maurer and Pontil), which assumes nothing but that
  the regret of one episode lies in a known range: from :math:`V^*` minus the best value to :math:`V^*`
  minus the worst that a policy of its kind can have.  It is much wider unless there are hundreds of runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import log, sqrt

import mpmath

from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import InputError
from ctucbvi.study.evaluation import UNITS
from ctucbvi.study.shards import RunState


@dataclass(frozen=True)
class Curve:
    """The regret of one contestant at the checkpoints, over its runs."""

    name: str
    checkpoints: tuple[int, ...]
    regrets: tuple[tuple[Fraction, ...], ...]  # (runs, checkpoints)
    losses: tuple[Fraction, Fraction]  # between which the regret of one episode lies
    error: Fraction  # proved: the regret after k episodes is within k times this
    confidence: Fraction

    @classmethod
    def of(
        cls,
        name: str,
        checkpoints: tuple[int, ...],
        runs: Sequence[RunState],
        *,
        optimal: Enclosure,
        losses: tuple[Fraction, Fraction],
        error: Fraction,
        confidence: Fraction = Fraction(95, 100),
    ) -> Curve:
        """The curve of complete runs.

        The regret of one episode is known to lie in ``losses``, and a policy's value up to ``error``.
        """
        if not 0 < confidence < 1:
            raise InputError(f"confidence: {confidence} is outside (0, 1); write for example 0.95")
        regrets = tuple(
            tuple(k * optimal.mid - earned * UNITS for k, earned in zip(checkpoints, run.curve, strict=True))
            for run in runs
        )
        return cls(name, checkpoints, regrets, losses, error + UNITS / 2 + optimal.radius, confidence)

    def __repr__(self) -> str:
        found = f"mean {float(self.mean[-1]):.6g} after {self.checkpoints[-1]} episodes"
        return f"Curve({self.name!r}: {len(self.regrets)} runs, {found})"

    @cached_property
    def mean(self) -> tuple[Fraction, ...]:
        """The mean over runs."""
        return tuple(sum(column, Fraction(0)) / len(column) for column in zip(*self.regrets, strict=True))

    @cached_property
    def variance(self) -> tuple[Fraction, ...] | None:
        """The unbiased variance over runs; None for a single run."""
        count = len(self.regrets)
        if count < 2:
            return None
        columns = zip(self.mean, zip(*self.regrets, strict=True), strict=True)
        return tuple(sum(((r - m) ** 2 for r in column), Fraction(0)) / (count - 1) for m, column in columns)

    @cached_property
    def standard_error(self) -> tuple[float, ...] | None:
        """Of the mean; None for a single run."""
        if self.variance is None:
            return None
        return tuple(sqrt(v / len(self.regrets)) for v in self.variance)

    @cached_property
    def band(self) -> tuple[tuple[float, float], ...] | None:
        """The band of Student's quantile; see the module's text."""
        if self.standard_error is None:
            return None
        share = float((1 - self.confidence) / len(self.checkpoints))
        times = student_quantile(share, len(self.regrets) - 1)
        return self._within([times * s for s in self.standard_error])

    @cached_property
    def guaranteed(self) -> tuple[tuple[float, float], ...] | None:
        """The band without assumptions; see the module's text."""
        if self.variance is None:
            return None
        wide = log(4.0 * len(self.checkpoints) / float(1 - self.confidence))
        count, widest = len(self.regrets), float(self.losses[1] - self.losses[0])
        return self._within(
            [
                sqrt(2.0 * float(v) * wide / count) + 7.0 * k * widest * wide / (3.0 * (count - 1))
                for k, v in zip(self.checkpoints, self.variance, strict=True)
            ]
        )

    def _within(self, radii: Sequence[float]) -> tuple[tuple[float, float], ...]:
        """Mean ± radius, with the proved error added, cut to the range that is known."""
        low, high = (float(end) for end in self.losses)
        error, found = float(self.error), []
        for k, mean, radius in zip(self.checkpoints, self.mean, radii, strict=True):
            ends = float(mean) - radius - k * error, float(mean) + radius + k * error
            found.append((max(ends[0], k * low), min(ends[1], k * high)))
        return tuple(found)


@lru_cache(maxsize=16)
def student_quantile(share: float, freedom: int) -> float:
    r"""The :math:`q` with :math:`P(|T| > q) =` ``share`` for Student's T with ``freedom`` degrees of freedom.

    :math:`P(|T| > q) = I_{\nu/(\nu+q^2)}(\nu/2, 1/2)`, found by bisection.
    """

    def beyond(q: mpmath.mpf) -> mpmath.mpf:
        nu = mpmath.mpf(freedom)
        return mpmath.betainc(nu / 2, 0.5, 0, nu / (nu + q * q), regularized=True)

    with mpmath.workprec(80):
        low, high = mpmath.mpf(0), mpmath.mpf(1)
        while beyond(high) > share:
            low, high = high, 2 * high
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if beyond(middle) > share else (low, middle)
        return float(high)
