r"""The upper bound of ``thm:CT-UCB`` (``eq:regret-bound``), in doubles.

.. math:: 3(CH+1)\sqrt{SAK}\,\Bigl(H + \frac1{\lambda_{\min}}\Bigr)(\lambda_{\max}H + 1)
          \frac{\ln K}{\ln(\ln K + 1)}
          \Bigl(\sqrt{2S + 6\ln(2SAKH)} + 4\lambda_{\max}H\sqrt{\ln(2SAKH)}\Bigr)
          + e^{\lambda_{\max}H}\sum_{k\le K}\epsilon_k + 1,

with :math:`C = \lambda_{\max}/(1-e^{-\lambda_{\max}H}) \vee 1`.  Over the number of episodes it is the dashed
line of the paper's figure.  Two things to know when reading it:

* The theorem speaks about the algorithm that was told :math:`K` (it enters the bonus) and takes
  :math:`\delta = 1/(2KH)`, the choice made in its proof.  The line at :math:`k < K` therefore bounds
  another run of the algorithm than the one whose regret is drawn, as it does in the paper.
* It is not defined for :math:`K = 1`, where :math:`\ln K/\ln(\ln K + 1)` is 0/0, nor where a pair is
  never left (:math:`\lambda_{\min} = 0`), nor where :math:`2SAKH < 1`.  It is not claimed for other
  learners than CT-UCBVI, nor for the variant that knows :math:`\lambda_{\min}`, for which the paper
  gives no constants.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ctucbvi.learning.settings import Settings
from ctucbvi.model import CTMDP

_LARGEST = 600  # of λmax H, so that e^{λmax H} and what it is multiplied by are doubles
_CHUNK = 1_000_000  # accuracies added up at a time


@dataclass(frozen=True)
class Bound:
    """The bound at several numbers of episodes; None where it is not defined."""

    values: tuple[float | None, ...]
    missing: str  # why some or all values are missing; empty if none is


def regret_bound(model: CTMDP, settings: Settings, episodes: Sequence[int]) -> Bound:
    """The bound of ``thm:CT-UCB`` at increasing numbers of episodes."""
    reason = _never(model, settings)
    if reason:
        return Bound((None,) * len(episodes), reason)
    found: list[float | None] = []
    missing = ""
    for k, accuracies in zip(episodes, _sums(settings, float(model.horizon), episodes), strict=True):
        why = _not_at(model, k)
        missing = missing or why
        found.append(None if why else _value(model, settings, k, accuracies))
    return Bound(tuple(found), missing)


def _never(model: CTMDP, settings: Settings) -> str:
    """Why the bound is defined for no number of episodes; empty if it is for some."""
    if not settings.bonus:
        return "the theorem is about the learner with the bonus"
    if settings.slowest is not None:
        return "the paper states no constants for the variant with a known lambda_min"
    if min(row.rate for row in model.transitions) == 0:
        return "the bound needs lambda_min > 0, and some pair has rate 0"
    if settings.fastest * model.horizon > _LARGEST:
        return "exp(lambda_max H) is beyond double precision"
    return ""


def _not_at(model: CTMDP, episodes: int) -> str:
    if episodes < 2:
        return "ln K / ln(ln K + 1) is 0/0 at K = 1"
    if 2 * len(model.states) * len(model.actions) * episodes * model.horizon < 1:
        return "ln(2SAKH) is negative for a horizon as short as this"
    return ""


def _value(model: CTMDP, settings: Settings, episodes: int, accuracies: float) -> float:
    states, actions = len(model.states), len(model.actions)
    horizon, fastest = float(model.horizon), float(settings.fastest)
    slowest = float(min(row.rate for row in model.transitions))
    load, log_k = fastest * horizon, math.log(episodes)
    factor = max(fastest / -math.expm1(-load), 1.0)
    log_all = math.log(2 * states * actions * episodes * horizon)
    radii = math.sqrt(2 * states + 6 * log_all) + 4 * load * math.sqrt(log_all)
    learning = 3 * (factor * horizon + 1) * math.sqrt(states * actions * episodes)
    learning *= (horizon + 1 / slowest) * (load + 1) * log_k / math.log1p(log_k) * radii
    return learning + math.exp(load) * accuracies + 1


def _sums(settings: Settings, horizon: float, episodes: Sequence[int]) -> list[float]:
    """Σ_{j ≤ k} ε_j for every k of ``episodes``, added up in pieces so that memory stays small."""
    exponent = float(settings.epsilon.exponent)
    factor = math.exp(-float(settings.fastest) * horizon) if settings.epsilon.scaled else 1.0
    found, total, at = [], 0.0, 0
    for k in episodes:
        while at < k:
            end = min(at + _CHUNK, k)
            total += float(np.sum(np.arange(at + 1, end + 1, dtype=float) ** -exponent))
            at = end
        found.append(factor * total)
    return found
