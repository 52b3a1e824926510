"""The fast side: double precision, compiled, with a proof of its own accuracy.

Nothing here calls the exact side, and the certificate knows nothing about how a solution was
made.
"""

from ctucbvi.numeric.budget import NumericBudget
from ctucbvi.numeric.certificate import Certificate, certify
from ctucbvi.numeric.grid import GridSolution, grid_iteration
from ctucbvi.numeric.planner import evaluate_numeric, solve_numeric
from ctucbvi.numeric.refinement import solve_certified
from ctucbvi.numeric.solution import Excerpt, NumericSolution

__all__ = [
    "Certificate",
    "Excerpt",
    "GridSolution",
    "NumericBudget",
    "NumericSolution",
    "certify",
    "evaluate_numeric",
    "grid_iteration",
    "solve_certified",
    "solve_numeric",
]
