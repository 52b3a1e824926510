"""A bound on the regret in its parts: a product of factors and the sum of two roots, and terms beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from ctucbvi.learning.radii import N


@dataclass(frozen=True)
class BoundParts(Generic[N]):
    """A bound in its parts."""

    factors: tuple[tuple[str, N], ...]  # of the product, but for the roots
    jump_root: N
    rate_root: N
    accuracy: N  # what the iterations cost: e^{λmax H} Σ ε_k, λmax H Σ ε_k, or 0 without iterations
    off_event: N  # what the complement of 𝒢 may cost
    lower_order: N | None = None  # what grows with K as its logarithm only

    @property
    def product(self) -> N:
        """The factors and the sum of the roots, multiplied."""
        found: N = self.jump_root + self.rate_root
        for _, factor in reversed(self.factors):
            found = factor * found
        return found

    @property
    def total(self) -> N:
        """The bound."""
        found: N = self.product + self.accuracy + self.off_event
        if self.lower_order is not None:
            found = found + self.lower_order
        return found
