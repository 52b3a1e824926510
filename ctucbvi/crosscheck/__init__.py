r"""Three planners, one answer: how far apart they are, measured in exact arithmetic.

The exact planner encloses :math:`V(x,t)` in an interval with centre :math:`c` and radius
:math:`\varrho`.  An answer :math:`\tilde v` that claims an error of at most :math:`\tau` is

.. math:: \text{outside its claim}\quad\text{if}\quad |\tilde v - c| > \tau + \varrho,

which refutes the claim (or the enclosure) whatever V is.  Three claims are tested so, at remaining
times spread over :math:`[0, H]` and crowded around the switches, where planners go wrong:
the tolerance of the numeric planner, the bound that its certificate proves (at each point, for
the polynomial evaluated exactly), and the stated error of the second opinion.  All numbers
are fractions; a double counts as the fraction that it is.

A planner of one's own is tested by :func:`crosscheck`, a table of values by
:func:`check_values`.  An action is judged by what it loses.  Committed, that is
:math:`\max_b Q(x,b,t) - Q(x,a,t)`; adjustable, :math:`H\,(\max_b D(x,b,t) - D(x,a,t))` with
the slopes :math:`D = r - \lambda v(x) + \lambda \sum_y p(y) v(y)`, because losing at rate
:math:`\delta` throughout costs at most :math:`H\delta`.

:func:`smallest_failure` makes a failing model small: it tries one simplification after
another and keeps those under which the model still fails.
"""

from ctucbvi.crosscheck.answers import PlannerCheck, RowCheck, check_values, crosscheck
from ctucbvi.crosscheck.comparison import Comparison, Complaint, Routes, compare, comparison_times
from ctucbvi.crosscheck.shrinking import random_models, smallest_failure
from ctucbvi.crosscheck.tables import read_values

__all__ = [
    "Comparison",
    "Complaint",
    "PlannerCheck",
    "Routes",
    "RowCheck",
    "check_values",
    "compare",
    "comparison_times",
    "crosscheck",
    "random_models",
    "read_values",
    "smallest_failure",
]
