"""Certificates about polynomials and several hypotheses that are wrong on purpose.

Each is refused; a checker with the condition taken out accepts it; and mutations of the proofs of true
statements prove none of the statements next to them that are false.
"""

from __future__ import annotations

import copy
import random
from fractions import Fraction
from itertools import product
from math import prod

import pytest

from tests.quality.hostile.forging import mutated
from tests.unit.test_recheck import RANGE, certificate
from tests.unit.test_recheck_polynomials import ACCEPTED, bernstein, block, combine
from verify.recheck import bernstein as tensors
from verify.recheck import combining, recheck
from verify.recheck.terms import put

UNIT = ["0 <= x <= 1", "0 <= y <= 1"]
PLANE = ["x", "y"]
ORTHANT = ["x >= 0", "y >= 0"]
LINE = ["-1 <= x <= 1"]
MANY = [f"x{k}" for k in range(14)]


def fact(expression: str, proof: dict, strict: bool = False) -> dict:
    return {"expression": expression, "strict": strict, "proof": proof}


def increasing(function: str, larger: str, smaller: str, **more: str) -> dict:
    names = {"function": function, "larger": larger, "smaller": smaller}
    return {"by": "increasing", **names, "proof": RANGE} | more


# Each is a false statement, or a true one that this proof does not show.
REJECTED = {
    # bernstein
    "a negative coefficient": certificate("x*y <= 1/2", UNIT, bernstein("")),
    "a negative coefficient on one half": certificate("x*y <= 3/4", UNIT, bernstein("x", "", "")),
    "strict, 0 at a corner": certificate("x*y < 1", UNIT, bernstein("")),
    "strict, 0 on an edge": certificate("0 < x", ["0 <= x < 1", "0 < y < 1"], bernstein("")),
    "strict, 0 at the end of a half-line to the left": certificate("0 < -x", ["x <= 0"], bernstein("")),
    "strict, 0 there on a half of it": certificate("0 < x**2", ["x <= 0"], bernstein("x", "", "")),
    "strict, 0 all over": certificate("0 < x - x", ["0 < x < 1"], bernstein("")),
    "boxes are missing": certificate("x*y <= 1/2", UNIT, bernstein("x", "")),
    "no boxes": certificate("x*y <= 1/2", UNIT, bernstein()),
    "boxes that are not there": certificate("x*y <= 1", UNIT, bernstein("", "")),
    "halved across nothing": certificate("x*y <= 1", UNIT, bernstein("z", "", "")),
    "an entry that is no text": certificate("x*y <= 1", UNIT, {"by": "bernstein", "halves": [True]}),
    "entries that are no list": certificate("x*y <= 1", UNIT, {"by": "bernstein", "halves": ""}),
    "a half-line on which it falls": certificate("x <= 100", ORTHANT, bernstein("")),
    "the far end of a half-line": certificate("x <= 100", ORTHANT, bernstein("x", "", "")),
    "a line without ends": certificate("x <= x**2 + y**2 + 1", PLANE, bernstein("")),
    "no polynomial": certificate("0 <= exp(x)*y", UNIT, bernstein("")),
    "a negative power": certificate("0 <= 1/x - 1", ["1/2 <= x <= 1"], bernstein("")),
    "a hypothesis that may hold": certificate("1 <= 0", [*UNIT, "y <= x"], bernstein("-0")),
    "a hypothesis that holds at one point": certificate(
        "1 <= 0", ["0 <= x <= 1", "1 <= y <= 2", "y <= x"], bernstein("-0")
    ),
    "a hypothesis on the wrong side": certificate(
        "1 <= 0", ["2 <= x <= 3", "0 <= y <= 1", "y <= x"], bernstein("+0")
    ),
    "a hypothesis that is not there": certificate("1 <= 0", UNIT, bernstein("-0")),
    "too many coefficients": certificate(f"0 <= {'*'.join(f'{x}**2' for x in MANY)}",
                                         [f"0 <= {x} <= 1" for x in MANY], bernstein("")),
    "too many boxes": certificate("x**40*y**40 <= 2", UNIT, bernstein(*["x"] * 40_000)),
    # combine
    "a matrix that is not positive": certificate(
        "3*x*y <= x**2 + y**2", PLANE, combine(block(basis=["x", "y"], gram=[["1"], ["-3/2", "1"]]))
    ),
    "a pivot of 0 in a row that is not": certificate(
        "2*x*y <= y**2", PLANE, combine(block(basis=["x", "y"], gram=[["0"], ["-1", "1"]]))
    ),
    "another polynomial": certificate(
        "2*x*y <= x**2 + y**2 - 1/10**9", PLANE, combine(block(basis=["x", "y"], gram=[["1"], ["-1", "1"]]))
    ),
    "strict, by a square": certificate(
        "2*x*y < x**2 + y**2", PLANE, combine(block(basis=["x", "y"], gram=[["1"], ["-1", "1"]]))
    ),
    "strict, by a singular matrix with a number": certificate(
        "2*x < x**2 + 1", PLANE, combine(block(basis=["1", "x"], gram=[["1"], ["-1", "1"]]))
    ),
    "strict, by a closed end": certificate("0 < x", ORTHANT, combine(block("lower x"))),
    "strict, by a hypothesis that is not": certificate(
        "x < y", [*PLANE, "x <= y"], combine(block("hypothesis 0"))
    ),
    "a negative number": certificate(
        "y <= x", [*PLANE, "x <= y"], combine(block("hypothesis 0", gram=[["-1"]]))
    ),
    "an end that is not there": certificate("x <= 5", ORTHANT, combine(block("upper x"))),
    "a hypothesis out of the list": certificate("x <= y", PLANE, combine(block("hypothesis 0"))),
    "a hypothesis from the end of the list": certificate(
        "x <= y", [*PLANE, "x <= y"], combine(block("hypothesis -1"))
    ),
    "a word for nothing": certificate("x <= y", PLANE, combine(block("authority 0"))),
    "an equation as more than it is": certificate(
        "0 <= -1", [*LINE, "x == 0*x"], combine(block(gram=[["-1"]]), block("hypothesis 0")), box=LINE
    ),
    "no products": certificate("0 <= x - x", PLANE, {"by": "combine", "blocks": []}),
    "a multiplier of 0": certificate(
        "0 <= -1", PLANE, combine(block(gram=[["0"]]), multiplier=[block(gram=[["0"]])])
    ),
    "a multiplier that is negative": certificate(
        "0 <= -x**2", PLANE, combine(block(basis=["x"]), multiplier=[block(gram=[["-1"]])])
    ),
    "a multiplier that vanishes where the hypothesis holds": certificate(
        "0 <= -1", [*LINE, "x == 0*x"],
        combine(block("hypothesis 0", basis=["1", "x"], gram=[["0"], ["1/2", "0"]]),
                multiplier=[block(basis=["x"])]),
        box=LINE,
    ),
    "a multiplier that vanishes everywhere": certificate(
        "0 <= -1", LINE,
        combine(block(gram=[["0"]]), multiplier=[block(basis=["sin(x)**2 + cos(x)**2 - 1"])]),
    ),
    "a factor that is infinite at the only point": certificate(
        "0 <= -1", [*LINE, "x == 0*x"],
        combine(block("hypothesis 0", basis=["1", "1/x"], gram=[["0"], ["1/2", "0"]])), box=LINE,
    ),
    "a hypothesis that is infinite at a point": certificate(
        "0 <= -1", ["x >= 0", "0 < -1/x", "x <= 0*x"],
        combine(block("hypothesis 0", "lower x")), box=["x >= 0"],
    ),
    "a fact that is false": certificate(
        "x <= y", UNIT, combine(block("fact 0"), facts=[fact("y - x", RANGE)])
    ),
    "a fact that is not strict": certificate(
        "0 < x", UNIT, combine(block("fact 0"), facts=[fact("x", RANGE, strict=True)])
    ),
    "a fact without a proof": certificate(
        "x <= y", UNIT, combine(block("fact 0"), facts=[{"expression": "y - x"}])
    ),
    "a matrix that is too large": certificate(
        "0 <= 1", PLANE, combine(block(basis=["1"] * 90, gram=[["0"] * (k + 1) for k in range(90)]))
    ),
    "half a matrix": certificate("0 <= x*y", PLANE, combine(block(basis=["x", "y"], gram=[["0"], ["1/2"]]))),
    "a whole matrix": certificate(
        "0 <= x*y", PLANE, combine(block(basis=["x", "y"], gram=[["0", "1/2"], ["1/2", "0"]]))
    ),
    "numbers that are too long": certificate(
        "0 <= 1/10**400", PLANE, combine(block(gram=[["1/10**400"]]))
    ),
    # functions
    "a function that does not increase": certificate(
        "sin(x) <= sin(y)", ["0 <= x <= 1", "2 <= y <= 4"], increasing("sin", "y", "x")
    ),
    "arguments in the wrong order": certificate(
        "exp(y) <= exp(x)", ["0 <= x <= 1", "2 <= y <= 4"], increasing("exp", "x", "y")
    ),
    "an even power of negative numbers": certificate(
        "x**2 <= y**2", ["-5 <= x <= 0", "1 <= y <= 2"], increasing("power", "y", "x", exponent="2")
    ),
    "a negative power that increases": certificate(
        "1/x <= 1/y", ["1 <= x <= 2", "3 <= y <= 4"], increasing("power", "y", "x", exponent="-1")
    ),
    "a logarithm of what may be negative": certificate(
        "log(x) <= log(y)", ["-1 <= x <= 1", "2 <= y <= 4"], increasing("log", "y", "x")
    ),
    "a tangent, strict": certificate("1 + x < exp(x)", PLANE, {"by": "known", "of": "exp(x)"}),
    "a tangent of another function": certificate("1 + 2*x <= exp(x)", PLANE, {"by": "known", "of": "exp(x)"}),
    "the other side of Max": certificate("Max(x, y) <= x", PLANE, {"by": "known", "of": "Max(x, y)"}),
    "nothing is known": certificate("sin(x) <= x", PLANE, {"by": "known", "of": "sin(x)"}),
}  # fmt: skip


@pytest.mark.parametrize("name", REJECTED)
def test_complains(name):
    complaints = recheck(REJECTED[name])
    assert complaints
    assert all("\n" not in complaint for complaint in complaints)


def loose(self, sign, strict, closed):
    return min(sign * c for c in self.cells) >= 0


MUTANTS = {
    "coefficients are believed": (
        tensors._Tensor, "has_sign", lambda *_: True, "a negative coefficient",
    ),
    "strict is not looked at": (tensors._Tensor, "has_sign", loose, "strict, 0 at a corner"),
    "a hypothesis fails where it is 0": (
        tensors, "_polynomial_of",
        lambda leaf, goal, of=tensors._polynomial_of: (*of(leaf, goal)[:2], False),
        "a hypothesis that holds at one point",
    ),
    "either side of a hypothesis": (
        tensors, "_polynomial_of", lambda leaf, goal: (goal.given[0][0], 1, True),
        "a hypothesis on the wrong side",
    ),
    "matrices are believed": (combining, "positive", lambda gram: True, "a matrix that is not positive"),
    "identities are believed": (combining, "_require_equal", lambda *_: None, "another polynomial"),
    "a sum of squares is positive": (
        combining, "positive", lambda gram: True, "strict, by a singular matrix with a number",
    ),
    "all that is known is strict": (combining._Block, "strict", lambda self: True, "strict, by a closed end"),
    "multipliers are believed": (
        combining, "_require_dense", lambda *_: None, "a multiplier that vanishes where the hypothesis holds",
    ),
    "everything is defined": (
        combining._Reading, "defined", lambda self, f: put(f, self.points),
        "a factor that is infinite at the only point",
    ),
    "every function increases": (combining, "_INCREASING", ("sin",), "a function that does not increase"),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_the_examples_catch_a_wrong_checker(name, monkeypatch):
    place, attribute, mutant, example = MUTANTS[name]
    monkeypatch.setattr(place, attribute, mutant)
    assert recheck(REJECTED[example]) == []


# ---------------------------------------------------------------- mutations

# Statements next to those of ACCEPTED that are false.
FALSE = {
    "bernstein": "x*(1 - x)*(1 + y) <= 1/2 - 1/10**9",
    "bernstein with a hypothesis": "x <= y - 1/10**9",
    "bernstein on half-lines": "x**3 + y**3 <= (x + y)**3 - 1/10**9",
    "squares": "2*x*y <= x**2 + y**2 - 1/10**12",
    "squares, strict": "x*y < x**2 + y**2 - (x**2 + y**2)/2 - 1/10**9",
    "Motzkin": "3*x**2*y**2 <= x**4*y**2 + x**2*y**4 + 1 - 1/10**9",
    "hypotheses": "x*y <= x*z - 1/10**9",
    "a multiplier": "y*z <= w - 1/10**9",
    "an equation": "x*y <= z*w - 1/10**9",
    "facts": "u + exp(x) < v + exp(y) - 1/10**9",
}


@pytest.mark.parametrize("name", FALSE)
def test_no_mutation_proves_what_is_false(name):
    true = {**copy.deepcopy(ACCEPTED[name]), "relation": FALSE[name]}
    pool = [copy.deepcopy(data) for data in ACCEPTED.values()]
    rng, frame = random.Random(name), {key: true[key] for key in ("relation", "domain", "integers", "box")}
    for _ in range(150):
        _, wrong = mutated(rng, [true, *pool[:1], true])
        if isinstance(wrong, dict):
            assert recheck({"format": "ctucbvi-proof-1", **wrong, **frame}), wrong


def _range(rng: random.Random, name: str) -> tuple[list[str], list[Fraction]]:
    """A range of any kind, and points of it: its ends, if they belong to it, and others."""
    a = Fraction(rng.randint(-3, 2))
    b = a + rng.randint(1, 3)
    left, right = rng.choice(["<", "<=", "no"]), rng.choice(["<", "<=", "no"])
    if left == right == "no":
        left = "<="
    texts = ([] if left == "no" else [f"{a} {left} {name}"]) + (
        [] if right == "no" else [f"{name} {right} {b}"]
    )
    low, high = (a if left != "no" else b - 5), (b if right != "no" else a + 5)
    ends = [e for e, sign in ((a, left), (b, right)) if sign == "<="]
    return texts, [*ends, *(low + (high - low) * Fraction(k, 16) for k in range(1, 16))]


def _walk(rng: random.Random, names: list[str], depth: int = 0) -> list[str]:
    if depth == 3 or rng.random() < 0.5:
        return [""]
    return [rng.choice(names), *_walk(rng, names, depth + 1), *_walk(rng, names, depth + 1)]


Values = list[tuple[dict[str, Fraction], Fraction]]  # points of the box, and the values there


def on_ranges(rng: random.Random) -> tuple[dict, Values]:
    """A product that may vanish at ends and inside, on closed, open and half-infinite ranges, and a walk."""
    names = ["x", "y"][: rng.randint(1, 2)]
    texts, points = zip(*(_range(rng, name) for name in names), strict=True)
    sign, relation = rng.choice((1, -1)), rng.choice(("<", "<="))
    roots = [(rng.choice(names), rng.randint(-4, 5), rng.randint(1, 2)) for _ in range(rng.randint(1, 3))]
    says = f"0 {relation} {sign}" + "".join(f"*({x} - ({r}))**{k}" for x, r, k in roots)
    proof = certificate(says, [t for part in texts for t in part], bernstein(*_walk(rng, names)))
    places = [dict(zip(names, at, strict=True)) for at in product(*points)]
    return proof, [(at, sign * prod((at[x] - r) ** k for x, r, k in roots)) for at in places]


def test_the_sign_on_ranges_of_every_kind():
    rng, accepted = random.Random(5), 0
    for _ in range(1500):
        proof, values = on_ranges(rng)
        if recheck(proof):
            continue
        accepted += 1
        strict = "<=" not in proof["relation"]
        for at, value in values:
            assert value > 0 or (value == 0 and not strict), (proof, at)
    assert accepted > 100


def test_the_generator_notices_ends_that_are_mistaken(monkeypatch):
    monkeypatch.setattr(tensors, "_closed", lambda x: (not x.low_open, not x.high_open))
    with pytest.raises(AssertionError):
        test_the_sign_on_ranges_of_every_kind()
