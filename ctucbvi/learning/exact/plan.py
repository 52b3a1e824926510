r"""What the plans of certified learners have in common: values of actions, and what follows of them.

The policy is the action with the largest value at the remaining time :math:`t`, of several the first in the
model's order.  At a given :math:`t` an action is excluded when another one is proved better.  Several that
remain are *tied* if they are equal by their data; otherwise the precision is raised, and what then is still
not told apart is reported so.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from ctucbvi.exact.precision import enclosure, precision

if TYPE_CHECKING:
    from ctucbvi.enclosure import Enclosure
    from ctucbvi.exact.iteration import Breakpoint
    from ctucbvi.learning import Settings, Statistics
    from ctucbvi.model import Number


@dataclass(frozen=True)
class CertifiedPlan(ABC):
    """What a learner computes at the start of an episode, certified."""

    statistics: Statistics
    settings: Settings
    bits: int

    @property
    def episode(self) -> int:
        """The number k of the episode that the plan was made for."""
        return self.statistics.episodes + 1

    @property
    @abstractmethod
    def iterations(self) -> int | None:
        """The number n_k of iterations; None where nothing is iterated."""

    @property
    @abstractmethod
    def switches(self) -> Sequence[Breakpoint]:
        """The switches of the policy in increasing remaining time, each proved at both ends of a bracket."""

    @abstractmethod
    def value(self, state: str, t: Number | None = None) -> Enclosure:
        """An enclosure of V̂(state, t); ``t`` is the remaining time (default: the horizon)."""

    @abstractmethod
    def commitment(self, pair: int, t: Fraction) -> arb:
        """A ball around the value of committing to a pair of the model, with remaining time ``t``."""

    @abstractmethod
    def _data(self, pair: int) -> tuple[object, ...]:
        """All that the value of a pair depends on: pairs of a state with equal data are equally good."""

    def best(self, state: str, t: Fraction) -> tuple[tuple[int, ...], bool]:
        """The pairs of ``state`` that may be best at ``t``, in order; and whether they are proved so."""
        pairs = [k for k, row in enumerate(self.statistics.model.transitions) if row.state == state]
        scores = {k: self.commitment(k, t) for k in pairs}
        left = tuple(k for k in pairs if not any(scores[k] < scores[j] for j in pairs))
        return left, all(self._tied(left[0], k, t) for k in left[1:])

    def action(self, state: str, t: Fraction) -> str:
        """The action that :meth:`best` lists first."""
        return self.statistics.model.transitions[self.best(state, t)[0][0]].action

    def lead(self, state: str, action: str, other: str, t: Fraction) -> Enclosure:
        """By how much committing to ``action`` is worth more than committing to ``other``."""
        row = {(r.state, r.action): k for k, r in enumerate(self.statistics.model.transitions)}
        with precision(self.bits + 64):
            return enclosure(self.commitment(row[state, action], t) - self.commitment(row[state, other], t))

    def _tied(self, one: int, other: int, t: Fraction) -> bool:
        """Whether two pairs of a state are proved to be equally good."""
        return t == 0 or self._data(one) == self._data(other)
