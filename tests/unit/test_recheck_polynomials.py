"""What the checker accepts of polynomials in several variables and of several hypotheses together."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.test_recheck import RANGE, certificate
from verify.recheck import recheck
from verify.recheck.bernstein import _tensor
from verify.recheck.combining import positive
from verify.recheck.intervals import INF, Interval, UnknownError
from verify.recheck.reading import read

SQUARE = ["0 <= x <= 1", "0 <= y <= 1"]


def bernstein(*entries: str) -> dict:
    return {"by": "bernstein", "halves": list(entries)}


def block(*factors: str, basis=("1",), gram=(("1",),)) -> dict:
    return {"factors": list(factors), "basis": list(basis), "gram": [list(row) for row in gram]}


def combine(*blocks: dict, **more: list[dict]) -> dict:
    return {"by": "combine", "blocks": list(blocks), **more}


# (1 + x² + y²) times Motzkin's polynomial
MOTZKIN = combine(
    block(basis=["x**2*y**2 - 1"]),
    block(basis=["y - x**2*y"]),
    block(basis=["x - x*y**2"]),
    block(basis=["x*y - x**3*y", "x*y**3 - x**3*y"], gram=[["3"], ["-3/2", "1"]]),
    multiplier=[block(), block(basis=["x"]), block(basis=["y"])],
)


def increasing(function: str, proof: dict = RANGE, **more: str) -> dict:
    """Of y, compared with x."""
    return {"by": "increasing", "function": function, "larger": "y", "smaller": "x", "proof": proof} | more


ORDER = increasing("exp", combine(block("hypothesis 1")))

ACCEPTED = {
    "bernstein": certificate("x*(1 - x)*(1 + y) <= 1/2", SQUARE, bernstein("x", "", "")),
    "bernstein, strict at open ends": certificate("x*y < 1", ["0 <= x < 1", "0 <= y <= 1"], bernstein("")),
    "bernstein, strict on half-lines": certificate("0 < x*y", ["x > 0", "y > 0"], bernstein("")),
    "bernstein on half-lines": certificate(
        "x**3 + y**3 <= (x + y)**3", ["x >= 0", "y >= 0"], bernstein("x", "", "y", "", "")
    ),
    "bernstein on a half-line to the left": certificate("x**3 <= y", ["x <= 0", "y >= 0"], bernstein("")),
    "bernstein with a hypothesis": certificate(
        "x <= y", [*SQUARE, "x + 3/4 <= y"], bernstein("x", "y", "-0", "", "-0"), box=SQUARE
    ),
    "bernstein at a number": certificate("x*y <= 3", ["0 <= x <= 1", "3 <= y <= 3"], bernstein("")),
    "squares": certificate(
        "2*x*y <= x**2 + y**2", ["x", "y"], combine(block(basis=["x", "y"], gram=[["1"], ["-1", "1"]]))
    ),
    "squares, strict": certificate(
        "x*y < x**2 + y**2 + 1", ["x", "y"],
        combine(block(basis=["1", "x", "y"], gram=[["1"], ["0", "1"], ["0", "-1/2", "1"]])),
    ),
    "Motzkin": certificate("3*x**2*y**2 <= x**4*y**2 + x**2*y**4 + 1", ["x", "y"], MOTZKIN),
    "a multiplier that vanishes at a point": certificate(
        "0 <= x**2", ["x"], combine(block(basis=["x**2"]), multiplier=[block(basis=["x"])])
    ),
    "hypotheses": certificate(
        "x*y <= x*z", ["x >= 0", "y", "z", "y <= z"], combine(block("lower x", "hypothesis 0"))
    ),
    "hypotheses, strict": certificate(
        "x*y < x*z", ["x > 0", "y", "z", "y < z"], combine(block("lower x", "hypothesis 0"))
    ),
    "a multiplier": certificate(
        "y*z <= w", ["x > 0", "y", "z", "w", "x*y*z <= 0", "x*w >= 0"],
        combine(block("hypothesis 0"), block("hypothesis 1"), multiplier=[block("lower x")]),
    ),
    "an equation": certificate(
        "x*y <= z*w", ["x", "y", "z", "w", "x == z", "y == w"],
        combine(block("hypothesis 0", basis=["1", "w"], gram=[["0"], ["1/2", "0"]]),
                block("hypothesis 1", basis=["1", "x"], gram=[["0"], ["1/2", "0"]])),
    ),
    "facts": certificate(
        "u + exp(x) < v + exp(y)", ["u", "v", "x", "y", "u < v", "x <= y"],
        combine(block("hypothesis 0"), block("fact 0"),
                facts=[{"expression": "exp(y) - exp(x)", "strict": False, "proof": ORDER}]),
    ),
    "an odd power": certificate(
        "x**3 <= y**3", ["-2 <= x <= 0", "y >= 1"],
        increasing("power", exponent="3"),
    ),
    "a root": certificate(
        "sqrt(x) < sqrt(y)", ["0 <= x <= 1", "y >= 2"],
        increasing("power", exponent="1/2"),
    ),
    "a tangent": certificate("1 + x*y <= exp(x*y)", ["x", "y"], {"by": "known", "of": "exp(x*y)"}),
    "a tangent of the logarithm": certificate("log(x) <= x - 1", ["x > 0"], {"by": "known", "of": "log(x)"}),
    "a maximum": certificate("y <= Max(x, y)", ["x", "y"], {"by": "known", "of": "Max(x, y)"}),
    "a size": certificate("-x - y <= Abs(x + y)", ["x", "y"], {"by": "known", "of": "Abs(x + y)"}),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepts(name):
    assert recheck(ACCEPTED[name]) == []


fractions = st.fractions(min_value=-4, max_value=4, max_denominator=6)


@given(
    st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 2)), fractions, min_size=1, max_size=5),
    st.sampled_from([(0, 1), (-2, 3), (1, INF), (-INF, 2)]),
    st.sampled_from([(Fraction(1, 3), 2), (0, INF)]),
)
def test_coefficients_give_the_values(terms, xs, ys):
    """Σ b_i B_i(t) is the polynomial, up to one positive factor; on a half-line times a power of 1 - t."""
    f = read(" + ".join(f"({c})*x**{i}*y**{j}" for (i, j), c in terms.items()), ["x", "y"])
    box = {"x": Interval(*xs), "y": Interval(*ys)}
    tensor = _tensor(f, {name: box[name] for name in sorted(f.names)})
    names = sorted(f.names)
    ratios = set()
    for at in product((Fraction(1, 5), Fraction(2, 3)), repeat=len(names)):
        x, weight = {}, Fraction(1)
        for name, t, d in zip(names, at, tensor.degrees, strict=True):
            low, high = box[name].low, box[name].high
            x[name] = low + (high - low) * t if box[name].bounded else 0
            if not box[name].bounded:
                x[name] = low + t / (1 - t) if low > -INF else high - t / (1 - t)
                weight *= (1 - t) ** d
        value = sum(
            c * x.get("x", Fraction(1)) ** i * x.get("y", Fraction(1)) ** j for (i, j), c in terms.items()
        )
        found = Fraction(0)
        for index, c in zip(product(*(range(d + 1) for d in tensor.degrees)), tensor.cells, strict=True):
            for i, d, t in zip(index, tensor.degrees, at, strict=True):
                c *= comb(d, i) * t**i * (1 - t) ** (d - i)
            found += c
        assert (found > 0) == (value > 0)
        assert (found < 0) == (value < 0)
        ratios |= {found / (weight * value)} if value else set()
    assert len(ratios) <= 1


@given(st.lists(st.lists(fractions, min_size=3, max_size=3), min_size=1, max_size=3), fractions)
def test_a_matrix_of_squares_is_positive_and_less_is_not(rows, less):
    """Σ v vᵀ is positive semidefinite; with what exceeds v_1² taken from its corner it is not."""
    gram = [[sum((v[i] * v[j] for v in rows), Fraction(0)) for j in range(i + 1)] for i in range(3)]
    definite = positive(gram)
    assert not definite or len(rows) == 3
    gram[0][0] -= gram[0][0] + abs(less) + 1
    with pytest.raises(UnknownError):
        positive(gram)
