"""Squares completed one after the other, and goals with room up to infinity: what is proved, what not."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from tests.unit.test_orders import complaints, problem
from verify.provers.proof.completing import WORK, completed
from verify.provers.proof.leaves import Work
from verify.provers.proof.polynomials import Powers
from verify.provers.proof.rounding import times
from verify.provers.proof.rules import _with_room
from verify.provers.proof.squares import by_squares
from verify.provers.proof.state import ProofSearch

# (w³ + z²)² + (x² + w + z + 1)² + x² + y⁴: 0 at points with irrational coordinates
ZENG = (
    "w**6 + 2*z**2*w**3 + x**4 + y**4 + z**4 + 2*x**2*w + 2*x**2*z + 3*x**2 + w**2 + 2*z*w + z**2"
    " + 2*z + 2*w + 1"
)


def summed(squares: list[tuple[Fraction, Powers]]) -> Powers:
    total: Powers = {}
    for c, p in squares:
        for m, a in times(p, p).items():
            total[m] = total.get(m, Fraction(0)) + c * a
    return {m: c for m, c in total.items() if c}


def squared(goal) -> dict | None:
    return by_squares(ProofSearch((), 0, 0, Work(0)), goal, 1)


def test_a_sum_of_squares_on_the_boundary():
    says, where, goal = problem(f"{ZENG} >= 0", (), "w x y z")
    node = squared(goal)
    assert node is not None
    assert complaints(says, where, node) == []


@pytest.mark.parametrize(
    "relation",
    [f"{ZENG} >= 1/1000", f"{ZENG} > 0", f"{ZENG.replace('3*x**2', '1.999*x**2')} >= 0"],
)
def test_the_same_by_a_little_too_much(relation):
    assert squared(problem(relation, (), "w x y z")[2]) is None


@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=pytest.mark.thorough)])
def test_generated_sums_of_squares(count):
    """What is found is the polynomial itself, with positive numbers; a third of them are made too small."""
    chance, found = random.Random(5), 0
    for _ in range(count):
        n = chance.randint(2, 4)
        parts = [
            (
                Fraction(chance.randint(1, 4)),
                {
                    tuple(chance.randint(0, 2) for _ in range(n)): Fraction(chance.choice((-2, -1, 1, 3)))
                    for _ in range(chance.randint(1, 3))
                },
            )
            for _ in range(chance.randint(1, 3))
        ]
        f = summed(parts)
        if chance.random() < 1 / 3:
            m = chance.choice(list(f))
            f[m] -= Fraction(1, 10**6)
        squares = completed(f, [WORK])
        assert squares is None or (summed(squares) == f and all(c > 0 for c, _ in squares))
        found += squares is not None
    assert found > count // 4


def test_what_it_costs_is_counted():
    left = [10]
    assert completed({(2, 0): Fraction(1), (1, 1): Fraction(-2), (0, 2): Fraction(1)}, left) is None
    assert left[0] < 0


# ---------------------------------------------------------------- room up to infinity

ROOM = [
    ("exp(1/sqrt(x - 1)) - 2*exp(1/sqrt(x)) + exp(1/sqrt(x + 1)) >= -2/3", "x > 2"),
    ("exp(x) + 1/(1 - x) <= 2.001", "x <= -1/100"),
]
NO_ROOM = [
    ("exp(1/sqrt(x - 1)) - 2*exp(1/sqrt(x)) + exp(1/sqrt(x + 1)) >= 1/3", "x > 2"),
    ("exp(-x) >= 1/10**6", "x > 0"),
    ("exp(x) + 1/(1 - x) <= 1.9", "x <= 0"),
]


def with_room(relation: str, domain: str):
    says, where, goal = problem(relation, (domain,), "")
    return says, where, _with_room(goal, Work(500))


@pytest.mark.parametrize(("relation", "domain"), ROOM)
def test_a_tail_is_seen_at_once(relation, domain):
    says, where, node = with_room(relation, domain)
    assert node is not None
    assert complaints(says, where, node) == []


@pytest.mark.parametrize(("relation", "domain"), NO_ROOM)
def test_a_tail_without_room_is_not(relation, domain):
    assert with_room(relation, domain)[2] is None
