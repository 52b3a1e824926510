"""Successive differences, comparisons by squares, powers of sums: what they prove, and what they must not."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from functools import partial

import pytest
import sympy

from verify.claims import Domain, Relation
from verify.provers.feasible import simple_points
from verify.provers.goals import Goal, certificate
from verify.provers.points import at_point
from verify.provers.proof import signs
from verify.provers.proof.changes import changes
from verify.provers.proof.combining import shown
from verify.provers.proof.identities import derivation
from verify.provers.proof.leaves import Work
from verify.provers.proof.polynomials import Atoms
from verify.provers.proof.powers import compared
from verify.provers.proof.state import ProofSearch
from verify.provers.proof.units import ordered
from verify.recheck import recheck

everywhere = partial(ordered, at_length=True)
POSITIVE = ("a > 0", "b > 0", "c > 0")
# method, relation, domain, reals
PROVED = [
    (ordered, "a*b + b*c + c*a <= a**2 + b**2 + c**2", POSITIVE, ""),
    (ordered, "3/2 <= a/(b + c) + b/(c + a) + c/(a + b)", POSITIVE, ""),
    (ordered, "2*x*y < x**2 + y**2 + x*y", ("x > 1", "y >= 2"), ""),  # shifted, with a variable for 1
    (everywhere, "x**2*y**2 <= x**4 + y**4", (), "x y"),  # on both sides of 0
    (ordered, "a**2*b*(b - a) + b**2*c*(c - b) + c**2*a*(a - c) <= 0",
     (*POSITIVE, "a < b + c", "b < a + c", "c < a + b"), ""),  # the gaps of the hypotheses
    (ordered, "b**4 - 2*b**2*c**2 + c**4 <= a**4",
     (*POSITIVE, "b**2 < a**2 + c**2", "c**2 < a**2 + b**2"), ""),  # in squares
    (ordered, "a + b + c >= 3", (*POSITIVE, "a*b*c == 1"), ""),
    (ordered, "(a - 1 + 1/b)*(b - 1 + 1/c)*(c - 1 + 1/a) <= 1", (*POSITIVE, "a*b*c == 1"), ""),  # in products
    (ordered, "3*x**2*y <= x**3*y**3 + x**3 + 1", ("x > 0", "y > 0"), ""),
    (compared, "1/sqrt(x) < 2*(sqrt(x) - sqrt(x - 1))", ("x >= 1",), ""),  # strict
    (compared, "sqrt(x*y) < x + y", ("x > 0", "y > 0"), ""),
    (compared, "sqrt(x*y) <= (x + y)/2", ("x >= 0", "y >= 0"), ""),
    (compared, "x*u + y*v <= sqrt(x**2 + y**2)*sqrt(u**2 + v**2)", (), "u v x y"),
    (compared, "a*c <= y*x",
     ("b >= 0", "c >= 0", "x >= 0", "y >= 0", "x**2 == c", "y**2 == a**2*c + b"), "a"),
]  # fmt: skip
# The same by a little too much, or with an equation that says something else.
NOT_PROVED = [
    (ordered, "1.001*(a*b + b*c + c*a) <= a**2 + b**2 + c**2", POSITIVE, ""),
    (ordered, "1.501 <= a/(b + c) + b/(c + a) + c/(a + b)", POSITIVE, ""),
    (ordered, "a + b + c >= 3.001", (*POSITIVE, "a*b*c == 1"), ""),
    (ordered, "(a - 1 + 1/b)*(b - 1 + 1/c)*(c - 1 + 1/a) <= 0.999", (*POSITIVE, "a*b*c == 1"), ""),
    (ordered, "(a - 1 + 1/b)*(b - 1 + 1/c)*(c - 1 + 1/a) <= 1", (*POSITIVE, "a*b*c == 2"), ""),
    (ordered, "(a - 1 + 1/b)*(b - 1 + 1/c)*(c - 1 + 1/a) < 1", (*POSITIVE, "a*b*c == 1"), ""),
    (ordered, "3.001*x**2*y <= x**3*y**3 + x**3 + 1", ("x > 0", "y > 0"), ""),
    (compared, "1/sqrt(x) <= 1.999*(sqrt(x) - sqrt(x - 1))", ("x >= 1",), ""),
    (compared, "sqrt(x*y) < x + y", ("x >= 0", "y >= 0"), ""),  # equal at 0
    (compared, "2*sqrt(x*y) < x + y", ("x > 0", "y > 0"), ""),
    (ordered, "a + b + c >= 3", (*POSITIVE, "a*b*c == 2"), ""),
    (ordered, "2*x*y < x**2 + y**2", ("x > 0", "y > 0"), ""),  # equal where x = y
    (compared, "1.001*sqrt(x*y) <= (x + y)/2", ("x >= 0", "y >= 0"), ""),
    (compared, "a*c + 1/1000 <= y*x", ("x >= 0", "y >= 0", "c >= 0", "x**2 == c", "y**2 == a**2*c"), "a"),
]  # fmt: skip


def problem(relation: str, domain: tuple[str, ...], reals: str) -> tuple[Relation, Domain, Goal]:
    where = Domain.of(*domain, reals=reals)
    says = Relation.of(relation, where)
    return says, where, Goal.of(says, where)


def complaints(says: Relation, where: Domain, node: dict) -> list[str]:
    return recheck(json.loads(json.dumps(certificate("x", says, where, dict(where.ranges), node))))


@pytest.mark.parametrize(("method", "relation", "domain", "reals"), PROVED)
def test_proved_and_accepted(method, relation, domain, reals):
    says, where, goal = problem(relation, domain, reals)
    node = method(goal)
    assert node is not None
    assert complaints(says, where, node) == []


@pytest.mark.parametrize(("method", "relation", "domain", "reals"), NOT_PROVED)
def test_what_is_false_is_not_proved(method, relation, domain, reals):
    assert method(problem(relation, domain, reals)[2]) is None


def random_polynomial(chance: random.Random, names: str) -> str:
    """Squares of differences minus something: about half of them change their sign on the orthant."""
    x = list(names)
    terms = [f"{chance.randint(0, 3)}*({a} - {b})**2" for a in x for b in x if a < b]
    terms += [f"{chance.randint(-2, 3)}*{a}*{b}" for a in x for b in x if a <= b]
    if chance.random() < 0.5:
        terms += [f"{chance.randint(-1, 3)}*{a}" for a in x] + [str(chance.randint(0, 2))]
    return " + ".join(terms)


@pytest.mark.parametrize("count", [60, pytest.param(2000, marks=pytest.mark.thorough)])
def test_generated_polynomials_are_not_proved_where_they_fail(count):
    chance, proved, failing = random.Random(7), 0, 0
    for k in range(count):
        says, where, goal = problem(
            f"{random_polynomial(chance, 'abc')} >= 0", ("a >= 0", "b > 0", "c > 0"), ""
        )
        f = sympy.lambdify(sympy.symbols("a b c"), sympy.sympify(str(goal.expression)))
        draws = [[Fraction(chance.randint(1, 40), chance.randint(1, 9)) for _ in range(3)] for _ in range(20)]
        fails = any(f(*at) < 0 for at in draws)
        node = ordered(goal) if goal.expression.has(sympy.Symbol) and len(goal.variables) > 1 else None
        failing += fails
        assert not (fails and node)
        proved += node is not None
        if node is not None and k % 20 == 0:
            assert complaints(says, where, node) == []
    assert proved > count // 4
    assert failing > count // 8


@pytest.mark.parametrize("count", [12, pytest.param(600, marks=pytest.mark.thorough)])
def test_generated_roots_are_proved_only_where_they_are_true(count):
    """p |v| + q v_1 + r v_2 >= 0 for all v in the plane, where p >= |(q, r)|; sharp at (5, 3, -4)."""
    chance, proved = random.Random(3), 0
    for k in range(count):
        p, q, r = (
            (5, 3, -4) if k == 0 else [chance.randint(-2, 6), *(chance.randint(-4, 4) for _ in range(2))]
        )
        says, where, goal = problem(f"{p}*sqrt(x**2 + y**2) + {q}*x + {r}*y >= 0", (), "x y")
        node = compared(goal) if len(goal.variables) > 1 else None
        assert node is None or (p >= 0 and p * p >= q * q + r * r)
        assert node is None or complaints(says, where, node) == []
        proved += node is not None
    assert proved > count // 6


def test_a_changed_certificate_is_rejected():
    """Mutants of one proof: sides exchanged, the other sign, another coefficient, a case that is missing."""
    says, where, goal = problem(*PROVED[0][1:])
    text = json.dumps(certificate("x", says, where, dict(where.ranges), ordered(goal)))
    assert recheck(json.loads(text)) == []
    whole = json.loads(text)
    for change in (
        lambda node: node["parts"].reverse(),
        lambda node: node["parts"].pop(),
        lambda node: node.update(expression="-(" + node["expression"] + ")"),
        lambda node: node["parts"][0].update(expression=node["parts"][0]["expression"] + " + 1"),
        lambda node: node["parts"][0].update(inner="-(" + node["parts"][0]["inner"] + ")"),
        lambda node: node["parts"][0]["lower"].update(hypothesis=1),
    ):
        mutant = json.loads(json.dumps(whole))
        change(mutant["proof"])
        assert recheck(mutant)


def test_powers_of_sums_are_compared_as_variables():
    says, where, goal = problem(
        "(u + v + z)**33 < (u + v + w + 1)**55", ("0 < u < v", "0 < z", "z + 1 < w"), ""
    )
    del says, where
    first = changes(ProofSearch((), 0, 0, Work(0)), goal)[0]
    assert set(first.goal.ranges) == {"p_", "q_"}
    assert first.goal.ranges["p_"].lower == 1
    assert [str(h.right) for h in first.goal.known] == ["p_ - q_"]


def test_hypotheses_keep_their_numbers_below_a_sign_that_was_not_needed():
    relation = "Abs(x + y) + Abs(y + z) + Abs(z + x) <= Abs(x) + Abs(y) + Abs(z) + Abs(x + y + z)"
    says, where, goal = problem(relation, (), "x y z")
    node = signs.by_signs(ProofSearch((), 0, 0, Work(0)), goal, shown)
    assert node is not None
    assert complaints(says, where, node) == []


def test_small_points_on_equations_are_exact():
    where = Domain.of("x >= 0", "y >= 0", "z >= 0", "x + y + z == 1", "x <= y")
    found = list(simple_points(where.ranges, where.given))
    assert {"x": Fraction(1, 3), "y": Fraction(1, 3), "z": Fraction(1, 3)} in found
    assert all(sum(at.values()) == 1 and at["x"] <= at["y"] for at in found)
    thin = Domain.of("x > 0", "x**2 == 2")
    assert not list(simple_points(thin.ranges, thin.given))


def test_a_denominator_and_its_multiple_are_one_atom():
    atoms = Atoms()
    x = sympy.Symbol("x", positive=True)
    half, whole = atoms.of(1 / (2 * x + 2)), atoms.of(1 / (x + 1))
    assert {m: 2 * c for m, c in half.items()} == whole
    assert atoms.of(1 / (2 * x + 3)) != half


def test_maxima_and_minima_in_identities():
    where = Domain.of(reals="x y")
    says = Relation.of("Min(x, y) + Max(x, y) == x + y", where)
    assert derivation(says.left - says.right, where) is not None
    false = Relation.of("Min(x, y) + Max(x, y) == x - y", where)
    assert derivation(false.left - false.right, where) is None
    assert at_point(false.left - false.right, {"x": Fraction(1), "y": Fraction(2)}) != 0
