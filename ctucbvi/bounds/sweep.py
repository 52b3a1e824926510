r"""The bounds over a range of one parameter.

Values are spaced evenly in the logarithm, whole numbers for :math:`S`, :math:`A` and :math:`K`.  Bounds are
evaluated in balls of 64 bits, which is as fast as anything, and given as doubles; where one is not
defined, or is beyond doubles, it is None.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ctucbvi.bounds.arithmetics import BALLS
from ctucbvi.bounds.catalogue import LOWER, LOWER_EVERY, LOWER_EVERY_SIZE, LOWER_TURNS, Constant, of_version
from ctucbvi.bounds.conditions import check
from ctucbvi.bounds.parameters import SWEPT, WHOLE, Parameters, whole
from ctucbvi.bounds.thresholds import Threshold, threshold
from ctucbvi.bounds.versions import versions_of
from ctucbvi.errors import InputError
from ctucbvi.exact.precision import precision
from ctucbvi.numbers import exact, shown

_BITS = 64
_MOST_VALUES = 100_000
TRIVIAL = "trivial"


@dataclass(frozen=True)
class SweepRange:
    """``PARAMETER=A..B[:N]``: N values from A to B."""

    parameter: str
    values: tuple[Fraction, ...]  # strictly increasing

    def __repr__(self) -> str:
        low, high = (shown(value) for value in (self.values[0], self.values[-1]))
        return f"SweepRange({self.parameter} = {low}..{high}, {len(self.values)} values)"

    @classmethod
    def parse(cls, text: str, count: int = 200) -> SweepRange:
        """Read ``K=1..1e14`` or ``H=1/10..10:50``."""
        name, equals, rest = text.partition("=")
        ends, colon, number = rest.partition(":")
        low, dots, high = ends.partition("..")
        if not (equals and dots) or name.replace("-", "_") not in SWEPT:
            raise InputError(
                f"--sweep {text!r}: write PARAMETER=A..B[:N], for example K=1..1e14:200; "
                f"parameters are {', '.join(SWEPT)}"
            )
        if colon:
            count = whole(number, f"--sweep {name}: number of values")
        return cls.of(
            name.replace("-", "_"), exact(low, f"--sweep {name}"), exact(high, f"--sweep {name}"), count
        )

    @classmethod
    def of(cls, parameter: str, low: Fraction, high: Fraction, count: int) -> SweepRange:
        """``count`` values, evenly spaced in the logarithm; equal whole numbers are one."""
        if not 0 < low <= high:
            raise InputError(
                f"--sweep {parameter}: {shown(low)}..{shown(high)} is no range of positive numbers; "
                "write the smaller one first"
            )
        if not 2 <= count <= _MOST_VALUES:
            raise InputError(f"--sweep {parameter}: {count} values; write a number from 2 to {_MOST_VALUES}")
        found = [_between(low, high, Fraction(i, count - 1)) for i in range(count)]
        if parameter in WHOLE:
            found = [Fraction(round(value)) for value in found]
        return cls(parameter, tuple(sorted({value for value in found if value > 0})))


def _between(low: Fraction, high: Fraction, share: Fraction) -> Fraction:
    """``low^(1-share) high^share`` to about 15 digits; the ends exactly."""
    if share in (0, 1):
        return high if share else low
    with precision(_BITS):
        start, end = BALLS.log_of(low), BALLS.log_of(high)
        found = (start + BALLS.number(share) * (end - start)).exp().mid()
        text: str = found.str(15, radius=False)
    return min(max(Fraction(text), low), high)


@dataclass(frozen=True)
class Sweep:
    """Bounds over a parameter; one number, or None, per value."""

    parameters: Parameters
    range: SweepRange
    bounds: dict[str, tuple[float | None, ...]]
    thresholds: dict[str, Threshold]  # per version of the upper bound; of K, the other parameters fixed

    def __repr__(self) -> str:
        return f"Sweep({self.range!r}: {', '.join(self.bounds)})"

    def to_json(self) -> dict[str, Any]:
        """The document of ``ctucbvi constants --sweep --json``."""
        return {
            "parameters": self.parameters.to_json(),
            "sweep": {
                "parameter": self.range.parameter,
                "values": [str(value) for value in self.range.values],
            },
            "bounds": {name: list(values) for name, values in self.bounds.items()},
            "vacuous_until": {
                name: None if found.episodes is None else str(found.episodes)
                for name, found in self.thresholds.items()
            },
        }


def sweep(p: Parameters, over: SweepRange) -> Sweep:
    """Upper bounds (every version), lower bounds and the trivial bound at every value of the range."""
    versions = [version for version in versions_of(p) if not version.own_delta or _has_delta(p, over)]
    constants = [*map(of_version, versions), LOWER, LOWER_EVERY, LOWER_EVERY_SIZE, LOWER_TURNS]
    places = [p.at(over.parameter, value) for value in over.values]
    bounds = {constant.name: tuple(_double(constant, at) for at in places) for constant in constants}
    bounds[TRIVIAL] = tuple(_finite(at.episodes * at.horizon) for at in places)
    thresholds = {}
    if over.parameter == "K":
        thresholds = {version.name: threshold(version, p) for version in versions}
    return Sweep(p, over, bounds, thresholds)


def _has_delta(p: Parameters, over: SweepRange) -> bool:
    return p.delta is not None or over.parameter == "delta"


def _double(constant: Constant, p: Parameters) -> float | None:
    if not check(constant.conditions, p).hold:
        return None
    with precision(_BITS):
        return _finite(constant.formula(p, BALLS).mid())


def _finite(number: Any) -> float | None:
    try:
        found = float(number)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None
