"""The constants and bounds of the paper: with guaranteed digits, on their domain, in their parts.

``Parameters`` says for what; ``CATALOGUE`` lists every constant as data and ``value`` computes one;
``VERSIONS`` are the versions of the bound of ``thm:CT-UCB``, ``threshold`` says from which number of
episodes on one of them beats the trivial bound, and ``sweep`` follows them over a parameter.
"""

from ctucbvi.bounds.arithmetics import BALLS, DOUBLES, EXPRESSIONS, Numbers
from ctucbvi.bounds.catalogue import CATALOGUE, Constant, Value, value
from ctucbvi.bounds.conditions import Checked, Condition, check
from ctucbvi.bounds.parameters import Parameters, symbolic
from ctucbvi.bounds.parts import BoundParts
from ctucbvi.bounds.poisson_tails import expected_maximum
from ctucbvi.bounds.report import document
from ctucbvi.bounds.sums import power_sum
from ctucbvi.bounds.sweep import Sweep, SweepRange, sweep
from ctucbvi.bounds.thresholds import Threshold, threshold
from ctucbvi.bounds.versions import VERSIONS, Version

__all__ = [
    "BALLS",
    "CATALOGUE",
    "DOUBLES",
    "EXPRESSIONS",
    "VERSIONS",
    "BoundParts",
    "Checked",
    "Condition",
    "Constant",
    "Numbers",
    "Parameters",
    "Sweep",
    "SweepRange",
    "Threshold",
    "Value",
    "Version",
    "check",
    "document",
    "expected_maximum",
    "power_sum",
    "sweep",
    "symbolic",
    "threshold",
    "value",
]
