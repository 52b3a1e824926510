"""Which of the problems of a model is meant: when actions may change, and whether rewards are costs."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from ctucbvi.errors import InputError, ModelError

if TYPE_CHECKING:
    from ctucbvi.enclosure import Enclosure

Signed = TypeVar("Signed", Fraction, float, "Enclosure")


class Semantics(StrEnum):
    """Which of the two problems is meant; see the text of :mod:`ctucbvi.model`."""

    COMMITTED = "committed"
    ADJUSTABLE = "adjustable"

    @classmethod
    def _missing_(cls, value: object) -> Semantics:
        raise InputError(f"semantics {value!r} is unknown; write 'committed' or 'adjustable'")


class Objective(StrEnum):
    """Whether rewards are to be as large as possible, or costs as small."""

    MAX = "max"
    MIN = "min"

    @classmethod
    def _missing_(cls, value: object) -> Objective:
        short = repr(value) if len(repr(value)) <= 40 else repr(value)[:37] + "..."
        raise ModelError(f"objective: {short} is unknown; write 'max' or 'min'")

    def turned(self, number: Signed) -> Signed:
        """``number``, or minus it if costs are minimised: from a model to its plain form and back."""
        return number if self is Objective.MAX else -number
