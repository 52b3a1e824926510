"""Polynomials in several variables and several hypotheses together: what is proved, and what never is."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tests.quality.planted_claims import Planted
from verify import Effort, Proof, Verdict
from verify.claims import Domain
from verify.provers.feasible import point_of
from verify.provers.proof.linear import non_negative
from verify.provers.proof.semidefinite import most_definite
from verify.running.engine import run_claim

HEART = (
    "-x1*x6**3 + 3*x1*x6*x7**2 - x3*x7**3 + 3*x3*x7*x6**2 - x2*x5**3 + 3*x2*x5*x8**2 - x4*x8**3"
    " + 3*x4*x8*x5**2 - 0.9563453"
)
CHEST = (
    *("-0.1 <= x1 <= 0.4", "0.4 <= x2 <= 1", "-0.7 <= x3 <= -0.4", "-0.7 <= x4 <= 0.4"),
    *("0.1 <= x5 <= 0.2", "-0.1 <= x6 <= 0.2", "-0.3 <= x7 <= 1.1", "-1.1 <= x8 <= -0.3"),
)
ORTHANT = ("x >= 0", "y >= 0", "z >= 0")

# The dipole of the heart: Muñoz and Narkawicz (2013).  The forms that are no sums of squares: Motzkin (1967),
# Robinson (1973), Choi and Lam (1977).  Hypotheses: Avigad, Lewis and Roux (2016).
PROVED = {
    "heart": (f"{HEART} > -1.7436", CHEST, ""),
    "Caprasse": (
        "-x*z**3 + 4*y*z**2*w + 4*x*z*w**2 + 2*y*w**3 + 4*x*z + 4*z**2 - 10*y*w - 10*w**2 + 2 >= -3.5",
        tuple(f"-1/2 <= {v} <= 1/2" for v in "wxyz"), "",
    ),
    "Motzkin": ("3*x**2*y**2 <= x**4*y**2 + x**2*y**4 + 1", (), "x y"),
    "Robinson": (
        "x**4*(y**2 + z**2) + y**4*(x**2 + z**2) + z**4*(x**2 + y**2)"
        " <= x**6 + y**6 + z**6 + 3*x**2*y**2*z**2", (), "x y z",
    ),
    "Choi and Lam": ("4*x*y*z*w <= x**2*y**2 + y**2*z**2 + z**2*x**2 + w**4", (), "x y z w"),
    "means of three": ("3*x*y*z <= x**3 + y**3 + z**3", ORTHANT, ""),
    "means of four": ("256*x*y*z*w <= (x + y + z + w)**4", (*ORTHANT, "w >= 0"), ""),
    "Schur": ("0 <= x*(x - y)*(x - z) + y*(y - x)*(y - z) + z*(z - x)*(z - y)", ORTHANT, ""),
    "Nesbitt": ("3/2 <= x/(y + z) + y/(z + x) + z/(x + y)", ("x > 0", "y > 0", "z > 0"), ""),
    "a disk": ("2*x*y <= 1", ("x**2 + y**2 <= 1",), "x y"),
    "a product": ("x*y < x*z", ("x > 0", "y < z"), "y z"),
    "a quotient": ("y*z < w", ("x > 0", "x*y*z < 0", "x*w > 0"), "w y z"),
    "a chain": ("u + x*w < v + y**2*z", ("u > 0", "u < v", "x > 1", "x < y", "w > 0", "w < z"), "v y z"),
    "an order": ("u + exp(x) < v + exp(y)", ("u < v", "x <= y"), "u v x y"),
    "a minimum": ("u + Min(x + 2*u, y + 2*v) <= x + 3*v", ("x < y", "u <= v"), "u v x y"),
    "a logarithm": ("1 < x", ("u > 0", "v > 0", "x > 0", "2*u + v < log(x)"), ""),
    "an equation": ("0 < y", ("2*y < x", "x == 3*y"), "x y"),
}  # fmt: skip


def verdict(says: str, domain: tuple[str, ...], reals: str) -> Verdict:
    """With the checker's opinion: what it refuses is not proved."""
    claim = Planted("polynomial", says, domain, "", "", reals).claim()
    return run_claim(replace(claim, checks=(Proof(),)), Effort()).verdict


SLOW = ("a chain", "an equation")  # more than a second
EVERY = [pytest.param(name, marks=[pytest.mark.thorough] * (name in SLOW)) for name in PROVED]


@pytest.mark.parametrize("name", EVERY)
def test_proves(name):
    assert verdict(*PROVED[name]) == Verdict.PROVED


# Each is tight: with a little less on the larger side it is false.
SLOW = pytest.param("a disk", marks=pytest.mark.thorough)
TIGHT = ["Motzkin", "Robinson", "Choi and Lam", "means of three", SLOW, "Schur"]


@pytest.mark.parametrize("exponent", [4, 9, 16])
@pytest.mark.parametrize("name", TIGHT)
def test_what_is_a_little_less_is_not_proved(name, exponent):
    says, domain, reals = PROVED[name]
    assert verdict(f"{says} - 1/10**{exponent}", domain, reals) != Verdict.PROVED


def test_a_corner_of_a_box_refutes():
    assert verdict(f"{HEART} > -1.7434", CHEST, "") == Verdict.REFUTED


def test_a_linear_program_has_the_solution_or_none():
    columns = [
        {"x": Fraction(1), "y": Fraction(2)},
        {"x": Fraction(1), "y": Fraction(-1)},
        {"y": Fraction(-1)},
    ]
    found = non_negative(columns, {"x": Fraction(1), "y": Fraction(1, 3)})
    assert found is not None
    assert min(found) >= 0
    assert sum(c * x.get("y", 0) for c, x in zip(found, columns, strict=True)) == Fraction(1, 3)
    assert sum(c * x.get("x", 0) for c, x in zip(found, columns, strict=True)) == 1
    assert non_negative(columns, {"x": Fraction(-1)}) is None


@pytest.mark.parametrize(("middle", "sign"), [(0.5, 1), (1.0, 0), (1.1, -1)])
def test_a_semidefinite_program_tells_definite_singular_and_impossible(middle, sign):
    """1 - 2cx + x² in the squares of 1 and x."""
    equations = np.zeros((3, 2, 2))
    equations[0, 0, 0] = equations[2, 1, 1] = equations[1, 0, 1] = equations[1, 1, 0] = 1
    found = most_definite([equations], np.array([1, -2 * middle, 1]))
    assert found is not None
    assert (found[0] > 1e-6) - (found[0] < -1e-6) == sign


def test_a_point_of_a_thin_domain_is_found_and_of_an_empty_one_not():
    some = Domain.of("x > 0", "x < 3*y", "u < v", "v < -1", "v**2 < x", reals="u y")
    assert point_of(some.ranges, some.given) is not None
    none = Domain.of("x < y", "y < x", reals="x y")
    assert point_of(none.ranges, none.given) is None
