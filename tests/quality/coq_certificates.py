"""Certificates for Coq: of each of the last rules at least ten true ones, and false ones beside them.

A false one is one of those that the checker refuses, or a mutation of a true one (``hostile.forging``):
what it claims is a little more, or on a wider domain, or its proof is another.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.quality import test_changes_mutants as changes
from tests.quality import test_generality_mutants as generality
from tests.quality import test_polynomial_mutants as polynomials
from tests.quality.hostile.forging import failure, mutated
from tests.quality.test_changes_mutants import concave
from tests.quality.test_generality_mutants import compose, contact, given, signs
from tests.unit import test_recheck_polynomials
from tests.unit.test_recheck import RANGE, certificate, monotone, multiply
from tests.unit.test_recheck_polynomials import bernstein, block, combine

ORTHANT = ["x >= 0", "y >= 0"]
APART = ["1 <= x <= 2", "y >= 3"]  # x < y
SQUARE = ["-1 <= x <= 1", "-1 <= y <= 1"]
HALVES = given("1/2", "0"), given("1/2", "0")


def rises(function: str, domain: list[str] = APART, **more: str) -> dict:
    """That F(x) < F(y)."""
    q = more.get("exponent")
    left, right = (f"{v}**({q})" if q else f"{function}({v})" for v in "xy")
    node = {"by": "increasing", "function": function, "larger": "y", "smaller": "x", "proof": RANGE}
    return certificate(f"{left} < {right}", domain, node | more)


def known(relation: str, of: str, domain: list[str] = ORTHANT) -> dict:
    return certificate(relation, domain, {"by": "known", "of": of})


MORE = {
    "boxes: a quartic": certificate("4*x**3 - 3*x**4 <= 1", ["0 <= x <= 2"], bernstein("x", "", "")),
    "boxes: three variables": certificate(
        "x + y + z <= 2 + x*y*z", ["0 <= x <= 1", "0 <= y <= 1", "0 <= z <= 1"], bernstein("")
    ),
    "boxes: ends that are fractions": certificate(
        "x**2 <= 7*x/6 - 1/3", ["1/2 <= x <= 2/3"], bernstein("")
    ),
    "boxes: strict between open ends": certificate(
        "0 < (1 + x)*(1 - y)", ["-1 < x < 1", "-1 < y < 1"], bernstein("")
    ),
    "boxes: an equation that fails": certificate(
        "1 <= 0", ["0 <= x <= 1", "2 <= y <= 3", "x == y"], bernstein("+0")
    ),
    "known: three in a maximum": known("y <= Max(x, y, 1)", "Max(x, y, 1)"),
    "known: a minimum": known("Min(x, y, 2) <= 2", "Min(x, y, 2)"),
    "known: a size": known("x - y <= Abs(x - y)", "Abs(x - y)"),
    "known: a tangent at a square": known("1 - x**2 <= exp(-x**2)", "exp(-x**2)"),
    "known: a logarithm of a sum": known("log(1 + x*y) <= x*y", "log(1 + x*y)"),
    "known: a quotient": known("log(x/y) <= x/y - 1", "log(x/y)", ["x > 0", "y > 0"]),
    "signs: a sum of squares": certificate(
        "x**2 - y <= Abs(x**2 - y)", SQUARE, signs("x**2 - y", RANGE, given("2", "0"))
    ),
    "signs: a half": certificate("Abs(x - y) <= 2*Max(x, y) - x - y", SQUARE, signs("x - y", RANGE, RANGE)),
    "signs: Max and Min": certificate(
        "Min(x, y) <= Max(x, y)", SQUARE, signs("x - y", given("1", "0"), given("1", "0"))
    ),
    "signs: twice": certificate(
        "0 <= Abs(x) + Abs(y) - x - y", SQUARE,
        signs("x", signs("y", RANGE, given("2", "0", 1)),
              signs("y", given("2", "0"), combine(block("hypothesis 0", gram=[["2"]]),
                                                  block("hypothesis 1", gram=[["2"]])))),
    ),
    "signs: strict": certificate("x - y < 1 + Abs(x - y)", SQUARE, signs("x - y", RANGE, given("2", "1"))),
    "signs: a square": certificate(
        "Abs(x**2 - y) <= x**2 + 1", SQUARE, signs("x**2 - y", RANGE, RANGE)
    ),
    "compose: a square": certificate(
        "1 - x**2 <= exp(-x**2)", ["x"], compose("-x**2", "exp(w) - 1 - w", contact(2))
    ),
    "compose: a polynomial": certificate(
        "2*x*y <= x**2*y**2 + 1", ["x", "y"], compose("x*y", "w**2 - 2*w + 1", {"by": "sturm"})
    ),
    "compose: a function": certificate(
        "2*exp(x) <= exp(2*x) + 1", ["-1 <= x <= 1"], compose("exp(x)", "w**2 - 2*w + 1", {"by": "sturm"})
    ),
    "compose: an end by a hypothesis": certificate(
        "0 <= (y - x)**3", ["x", "y", "x <= y"],
        compose("y - x", "w**3", RANGE, range=["w >= 0"], lower=given("1", "0")),
    ),
    "compose: an upper end": certificate(
        "(x - y)**3 <= 1", ["x", "y", "x <= 1 + y"],
        compose("x - y", "1 - w**3", bernstein("w", "", ""), range=["w <= 1"], upper=given("1", "0")),
    ),
    "range: a product on a half-line": certificate(
        "Abs(x + 2*y)*exp(w) < 7", ["-3 < x < 3", "-2 < y < 2", "w <= 0"], signs("x + 2*y", RANGE, RANGE)
    ),
    "a limit at 0": certificate(
        "sin(x)/x <= 1", ["0 <= x <= 1"],
        multiply("1/x", "x - sin(x)", proof=monotone("0")),
    ),
    "range: a sine": certificate("0 <= sin(pi*x/2)", ["0 <= x <= 1"], RANGE),
    "hessian: one variable": certificate(
        "1 + x <= exp(x)", ["-1 <= x <= 1"], {"by": "hessian", "at": {"x": "0"}}
    ),
    "hessian: off the origin": certificate(
        "2*x*y + 2*log(x) + 2 <= 2*x + x**2 + y**2", ["1/2 <= x <= 1", "1/2 <= y <= 3/2"],
        {"by": "hessian", "at": {"x": "1", "y": "1"}},
    ),
    "concave: strict at an end": certificate(
        "x < sin(pi*x/2) + 1/8", ["0 < x <= 1"], concave("x", strict_by="curve")
    ),
    "concave: a logarithm": certificate("(x - 1)/2 <= log(x)", ["1 <= x <= 2"], concave("x")),
    **{f"rises: {f}": rises(f) for f in ("exp", "log", "atan", "sinh", "tanh")},
    **{f"rises: {q}": rises("power", exponent=q) for q in ("5", "2", "3/2", "5/2", "1/3")},
    "rises: a cube anywhere": rises("power", ["-2 <= x <= -1", "y >= 0"], exponent="3"),
}  # fmt: skip

TRUE = {**test_recheck_polynomials.ACCEPTED, **generality.ACCEPTED, **changes.ACCEPTED, **MORE}


def forgeries(rng: random.Random) -> Iterator[dict[str, Any]]:
    """False statements with the proofs of true ones, without end."""
    refused = [*polynomials.REJECTED.values(), *generality.REJECTED.values(), *changes.REJECTED.values()]
    for data in rng.sample(refused, len(refused)):
        if failure(data, rng) is not None:
            yield data
    pool = list(TRUE.values())
    while True:
        _, data = mutated(rng, pool)
        if isinstance(data, dict) and failure(data, rng) is not None:
            yield data
