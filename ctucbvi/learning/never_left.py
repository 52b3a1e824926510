r"""Pairs that are never left, and what the paper's bonus makes of them.

A pair of rate 0 is held until the horizon, so that its :math:`N^{k,+}` stays 0, and with it :math:`\alpha_k
= \sqrt{2[S\ln2 + \ln(SAHK^2/\delta)]}` (``eq:alpha-k``), however often the pair is taken.  Its bonus
``eq:bonus-k`` is at least :math:`CH\alpha_k` for ever.  With :math:`\hat\lambda = 0` the pair is worth
:math:`(r+b)t`; where :math:`r + b \ge 1` the value of its state is therefore cut off at :math:`t`, the most
that there can be.  Unless the pair is optimal, every learner that can reach it goes on taking it, and the
regret is linear in the number of episodes.  The sharp bonus (:mod:`ctucbvi.learning.sharp`) of such a pair
depends on :math:`\beta_k` alone, and vanishes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctucbvi.learning.radii import DOUBLES, constants

if TYPE_CHECKING:
    from ctucbvi.learning.settings import Settings
    from ctucbvi.model import CTMDP


@dataclass(frozen=True)
class NeverLeft:
    """A pair of rate 0 that keeps its bonus."""

    state: str
    action: str
    bonus: float  # what it keeps at least

    def to_json(self) -> dict[str, Any]:
        """The pair as a JSON object."""
        return {"state": self.state, "action": self.action, "bonus_at_least": float(f"{self.bonus:.10g}")}


def never_left(model: CTMDP, settings: Settings, initial: Iterable[str]) -> tuple[NeverLeft, ...]:
    """The pairs within reach that keep a bonus with which their state counts as worth all there is."""
    if settings.bonus != "paper":
        return ()
    radii = constants(model, settings, DOUBLES)
    kept = radii.factor * radii.horizon * radii.jump_radius(0.0, DOUBLES)
    reached = _reached(model, initial)
    return tuple(
        NeverLeft(row.state, row.action, kept)
        for row in model.transitions
        if row.rate == 0 and row.state in reached and float(row.reward) + kept >= 1
    )


def _reached(model: CTMDP, initial: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(initial)
    while waiting:
        x = waiting.pop()
        if x not in found:
            found.add(x)
            waiting += [y for row in model.transitions if row.state == x and row.rate for y, _ in row.to]
    return found
