"""Formulas as trees: evaluated, they are what the doubles give; all operations in them are known."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from ctucbvi.bounds import DOUBLES, Parameters
from ctucbvi.bounds.catalogue import CATALOGUE
from ctucbvi.bounds.trees import OPERATIONS, tree

GIVEN = {"states": 9, "actions": 2, "horizon": 3, "episodes": 10**6, "lambda_max": 4, "lambda_min": "1/2"}
AT = Parameters.of(**GIVEN)
NAMED = {"S": 9, "A": 2, "H": 3, "K": 10**6, "lambda_max": 4, "lambda_min": 0.5, "depth": AT.depth,
         "depth_with_turns": AT.depth_with_turns, "depth_of_any_size": AT.depth_of_any_size}  # fmt: skip
PLAIN = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "sqrt": math.sqrt, "log": math.log, "exp": math.exp, "expm1": math.expm1, "max": max, "min": min,
    "lambert": DOUBLES.lambert, "log_binomial": lambda n, s: DOUBLES.log_binomial(Fraction(n), int(s)),
    "at_least": lambda m, c: DOUBLES.at_least(Fraction(m), int(c)), "levels": lambda _: DOUBLES.levels(AT),
    "mean_maximum": lambda *_: DOUBLES.mean_maximum(AT), "accuracies": lambda *_: DOUBLES.accuracies(AT),
    "waiting": DOUBLES.waiting,
}  # fmt: skip
WITHOUT_DATA = [c for c in CATALOGUE if c.name not in ("beta", "alpha", "b", "b-sharp", "lower-turns")
                and not c.name.endswith("-delta") and c.name != "delta"]  # fmt: skip


def evaluated(data):
    if isinstance(data, str):
        return NAMED[data]
    return data if isinstance(data, int | float) else PLAIN[data[0]](*map(evaluated, data[1:]))


@pytest.mark.parametrize("constant", WITHOUT_DATA, ids=lambda c: c.name)
def test_a_tree_is_the_formula(constant):
    assert evaluated(tree(constant)) == pytest.approx(constant.formula(AT, DOUBLES), rel=1e-12)


def test_all_operations_are_known():
    assert set(PLAIN) == set(OPERATIONS)

    def used(data):
        if isinstance(data, list):
            yield data[0]
            for part in data[1:]:
                yield from used(part)

    assert {name for constant in WITHOUT_DATA for name in used(tree(constant))} <= set(OPERATIONS)
