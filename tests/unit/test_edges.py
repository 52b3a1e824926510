"""Edges of hypotheses and minima on them: where what is false by very little fails, and nowhere else."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random

import pytest
import sympy

from verify.claims import Domain, Effort, Relation, Verdict, claim
from verify.provers.goals import Goal
from verify.provers.points import at_point
from verify.provers.proof import Proof, descents, edges, nearby

# False by so little, on the edge of a hypothesis, or on a curve of contact.
CUBE = ["0 <= x <= 3", "0 <= y <= 3", "0 <= z <= 3"]
NEARLY = [
    (
        "sqrt(x) - sqrt(u) + Max(0, 1/10**20 - Abs(u - 4123/1009)) <= sqrt(x - u)",
        ["1 <= x <= 9", "1 <= u <= 9", "u <= x"],
    ),
    ("x*y*z <= (1 - 1/(10**40*(1 + z**2)))*2/2619", [*CUBE, "97*x + y/2 + z <= 1"]),
    ("2*sqrt(6) + 1/10**30 <= 2*x + 3*y", ["0 < x", "0 < y", "x*y >= 1"]),
    ("x + y <= sqrt(2) - 1/10**20", ["0 <= x <= 1", "0 <= y <= 1", "x**2 + y**2 <= 1"]),
    ("x + y <= 179/429 - 1/10**20", ["0 <= x", "0 <= y", "x + 2*y <= 7/11", "2*x + y <= 8/13"]),  # both edges
    ("x*y + y*z + z*x + Max(0, 1/10**25 - Abs(z - 1271/1009)) <= x**2 + y**2 + z**2", CUBE),
    ("x*(3*y/7 + 5) < exp(x) + (3*y/7 + 5)*log(3*y/7 + 5) - 3*y/7 - 5", ["0 <= x <= 5", "-35/3 < y <= 28/3"]),
]
BRIEF = Proof(goals=2, boxes=(5, 5))


def run(relation: str, domain: list[str]) -> Verdict:
    return BRIEF.run(claim("edge", "", says=relation, domain=Domain.of(*domain)), Effort()).verdict


@pytest.mark.parametrize(("relation", "domain"), NEARLY)
def test_they_are_refuted(relation, domain):
    assert run(relation, domain) is Verdict.REFUTED


@pytest.mark.thorough
@pytest.mark.parametrize(("relation", "domain"), NEARLY[:6])
def test_they_are_true_without_the_little(relation, domain):
    assert run(re.sub(r"\b10\*\*(20|25|30|40)", "(-10**40)", relation), domain) is not Verdict.REFUTED


@pytest.mark.parametrize("lost", [2, *(pytest.param(k, marks=pytest.mark.thorough) for k in (0, 1, 3, 4))])
def test_without_the_edges_they_stay_open(lost, monkeypatch):
    monkeypatch.setattr(nearby, "edges", lambda goal: iter(()))
    assert run(*NEARLY[lost]) is Verdict.UNDECIDED


@pytest.mark.thorough
def test_without_steps_of_all_variables_together(monkeypatch):
    monkeypatch.setattr(descents, "_together", lambda *a: None)
    monkeypatch.setattr(nearby, "_simple", lambda goal, place: place)
    assert run(*NEARLY[5]) is not Verdict.REFUTED


def test_without_stops_no_point_of_a_curve_is_exact(monkeypatch):
    monkeypatch.setattr(nearby, "_stops", lambda goal: iter(()))
    assert run(*NEARLY[6]) is Verdict.UNDECIDED


PARTS = (
    "a*{}",
    "{} + b",
    "{}**2",
    "1/({})",
    "exp({})",
    "log({})",
    "sqrt({})",
    "3 - {}",
    "{}/(1 + b**2)",
    "({})**3",
)


def nested(rng: Random) -> str:
    """A text in which x occurs once."""
    text = "x"
    for _ in range(rng.randint(1, 3)):
        text = rng.choice(PARTS).format(f"({text})")
    return text


def misses() -> tuple[int, list[str]]:
    """How many edges were lifted to a point, and those that are not on the edge."""
    rng, lifted, wrong = Random(5), 0, []
    for _ in range(60):
        text = nested(rng)
        area = Domain.of("x <= 100", "a >= 1/2", "b >= 1/2", f"{text} <= 2 + a*b")
        goal = Goal.of(Relation.of("0 <= x + a + b", area), area)
        gap = goal.given[0].right - goal.given[0].left
        for edge in edges.edges(goal):
            place = {n: Fraction(rng.randint(1, 40), 7) for n in edge.goal.ranges}
            whole = edge.lifted(place) if len(edge.solved) == 1 else None
            value = None if whole is None else at_point(gap, whole, 2000)
            if value is not None:  # an even power has a second root, that the root around it does not know
                lifted += 1
                size = 1 + abs(at_point(goal.given[0].right, whole, 2000))
                wrong += [] if abs(value) < 1e-40 * size or "sqrt" in text else [text]
    return lifted, wrong


def test_a_point_of_an_edge_is_on_it():
    lifted, wrong = misses()
    assert lifted > 80
    assert wrong == []


def test_a_wrong_inverse_is_found(monkeypatch):
    true = sympy.log
    monkeypatch.setattr(edges.sympy, "log", lambda s: true(s) + 1)
    assert misses()[1]
