"""The exact side: exponential polynomials, value iteration, and the fixed point with guaranteed digits.

Everything here is exact rational arithmetic or ball arithmetic; nothing is rounded without
being accounted for, and nothing here calls the numeric side.
"""

from ctucbvi.exact.evaluation import PolicyValue, evaluate
from ctucbvi.exact.exppoly import ExpPoly
from ctucbvi.exact.iteration import ValueIteration, algorithm2
from ctucbvi.exact.planner import solve
from ctucbvi.exact.solution import Solution
from ctucbvi.exact.trajectory import Budget

__all__ = [
    "Budget",
    "ExpPoly",
    "PolicyValue",
    "Solution",
    "ValueIteration",
    "algorithm2",
    "evaluate",
    "solve",
]
