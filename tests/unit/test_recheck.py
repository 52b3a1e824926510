"""The independent checker: what it accepts, its arithmetic, witnesses, documents and the command line."""

from __future__ import annotations

import ast
import hashlib
import json
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verify.recheck
from verify.recheck import recheck
from verify.recheck.__main__ import main
from verify.recheck.intervals import INF, Interval, UnknownError, point, precision
from verify.recheck.reading import domain_of, names_in, rational, read, tree_of
from verify.recheck.series import Series, range_of, sturm

RANGE = {"by": "range"}
STURM = {"by": "sturm"}
CUBIC = "log(1 + x) <= x - x**2/2 + x**3/3"


def certificate(relation: str, domain: list[str], proof: dict, *, box=None, integers=()) -> dict:
    return {
        "format": "ctucbvi-proof-1",
        "label": "example",
        "relation": relation,
        "domain": domain,
        "integers": list(integers),
        "box": [t for t in domain if len(names_in(tree_of(t))) == 1] if box is None else box,
        "proof": proof,
    }


def monotone(value: str, end: dict = RANGE, slope: dict = RANGE, **more: str) -> dict:
    return {
        "by": "monotone",
        "variable": "x",
        "from": "lower",
        "value": value,
        "end": end,
        "slope": slope,
    } | more


def contact(at: str, order: int, proof: dict = RANGE, variable: str = "x") -> dict:
    return {"by": "contact", "variable": variable, "at": at, "order": order, "proof": proof}


def multiply(factor: str, quotient: str, proof: dict = RANGE) -> dict:
    return {"by": "multiply", "factor": factor, "positive": RANGE, "quotient": quotient, "proof": proof}


TAYLOR = {"by": "taylor", "order": 2, "bits": 64}
POWERS = {
    "by": "cases",
    "variable": "n",
    "parts": [RANGE],
    "tail": {
        "by": "logarithm",
        "larger": "2**n",
        "smaller": "n**2",
        "expression": "n*log(2) - 2*log(n)",
        "proof": monotone("5*log(2) - 2*log(5)") | {"variable": "n"},
    },
}
GIVEN = {"by": "given", "hypothesis": 0, "multiplier": "1", "positive": RANGE, "rest": "1", "proof": RANGE}
UNIT = ["0 <= x <= 1"]
FRACTION = {"by": "rewrite", "expression": "x/(1 + x)**2", "proof": RANGE}
KINKS = {
    "by": "sum",
    "terms": [{"expression": t, "proof": RANGE} for t in ("Abs(y)", "Max(y, 1) - Min(x, 1)")],
}

ACCEPTED = {
    "range": certificate("exp(-x) <= 1", ["x >= 0"], RANGE),
    "range, strict at an open end": certificate("1 < 1/(1 - exp(-x))", ["x > 0"], RANGE),
    "range, limit at a closed end": certificate("0 <= -x*log(x)", UNIT, RANGE),
    "range, strict by a margin at a pole": certificate("0 < 1/x", UNIT, RANGE),
    "range of kinks": certificate("Min(x, 1) - Abs(y) <= Max(y, 1)", ["x", "y"], KINKS),
    "taylor": certificate(CUBIC, ["1/100 <= x <= 3"], TAYLOR, box=["1 <= x <= 2"]),
    "taylor in two variables": certificate(
        "exp(x)*sin(y) <= 3", [*UNIT, "0 <= y <= 1"], {"by": "taylor", "order": 1, "bits": 64}
    ),
    "sturm": certificate("2*x <= x**2 + 1", ["x"], {"by": "sturm"}),
    "split": certificate(
        CUBIC, ["1/2 <= x <= 2"], {"by": "split", "variable": "x", "at": "1", "parts": [TAYLOR, TAYLOR]}
    ),
    "empty": certificate(
        "1 <= 0", [*UNIT, "2 <= y <= 3", "y <= x"], {"by": "empty", "hypothesis": 0, "proof": RANGE}
    ),
    "empty, of an equation": certificate(
        "1 <= 0",
        [*UNIT, "2 <= y <= 3", "y == x"],
        {"by": "empty", "hypothesis": 0, "side": "+", "proof": RANGE},
    ),
    "given": certificate("x <= y + 1", ["x >= 0", "y >= 0", "x <= y"], GIVEN),
    "monotone": certificate("1 + x <= exp(x)", ["x >= 0"], monotone("0")),
    "monotone, limit": certificate("atan(x) <= pi/2", ["x >= 0"], monotone("0", **{"from": "upper"})),
    "monotone, strict by its slope": certificate(
        "atan(x) < pi/2", ["x >= 0"], monotone("0", **{"from": "upper", "strict_by": "slope"})
    ),
    "monotone, hypothesis on the way": certificate(
        "0 <= 2*x*y - x**2",
        ["x >= 0", "y >= 0", "x <= y"],
        monotone("0", slope=GIVEN | {"multiplier": "2", "rest": "0"}),
    ),
    "contact": certificate("1 + x <= exp(x)", ["x"], contact("0", 2)),
    "contact at an expression": certificate("2*x*y <= x**2 + y**2", ["x", "y"], contact("y", 2)),
    "contact at an end": certificate("sin(x) <= x", ["0 <= x <= 3"], contact("0", 1)),
    "contact, strict": certificate("sin(x) < x", ["0 < x < 3"], contact("0", 1)),
    "hessian": certificate(
        "0 <= exp(x) + exp(-x) - 2 + y**2 + x*y/2",
        ["-1 <= x <= 1", "-1 <= y <= 1"],
        {"by": "hessian", "at": {"x": "0", "y": "0"}, "bits": 64},
    ),
    "multiply": certificate("x <= x**2", ["1 <= x <= 5"], multiply("x", "x - 1")),
    "sum": certificate(
        "0 < x**2 + exp(x)",
        ["x"],
        {
            "by": "sum",
            "terms": [{"expression": t, "proof": RANGE} for t in ("x**2", "exp(x)")],
            "strict_term": 1,
        },
    ),
    "rewrite": certificate(
        "1 <= x/(1 - exp(-x))",
        ["x >= 0"],
        {"by": "rewrite", "expression": "1/expm1r(-x) - 1", "proof": RANGE},
    ),
    "rewrite, log1pr": certificate(
        "log(1 + x) <= x", ["x >= 0"], multiply("x", "1 - log1pr(x)")
    ),
    "rewrite, kinks": certificate(
        "Abs(x + y) <= Abs(x) + Abs(y)",
        ["x", "y"],
        {
            "by": "rewrite",
            "expression": "Max(0, Min(Max(-2*x, -2*y, -2*x - 2*y), Max(2*x, 2*y, 2*x + 2*y)))",
            "proof": RANGE,
        },
    ),
    "reciprocal": certificate(
        "1/x <= 1 + 1/x**2",
        ["x >= 1"],
        {"by": "reciprocal", "variable": "x", "expression": "x**2 - x + 1", "proof": STURM},
    ),
    "reciprocal with a power": certificate(
        "x <= x**2 + 1",
        ["x > 0"],
        {"by": "reciprocal", "variable": "x", "power": 2, "expression": "x**2 - x + 1", "proof": STURM},
    ),
    "logarithm": certificate(
        "x**5 <= exp(5*x)",
        ["x >= 1"],
        {
            "by": "logarithm",
            "larger": "exp(5*x)",
            "smaller": "x**5",
            "expression": "5*x - 5*log(x)",
            "proof": monotone("5"),
        },
    ),
    "contact where one denominator is needed": certificate(
        "1/(1 + 1/x) <= log(1 + x)", ["0 < x <= 1"], contact("0", 1, FRACTION)
    ),
    "cases": certificate("n**2 <= 2**n", ["n >= 4"], POWERS, integers=["n"]),
    "identity": certificate("sinh(x)**2 + 1 == cosh(x)**2", ["x"], {}),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepts(name):
    assert recheck(ACCEPTED[name]) == []


# ---------------------------------------------------------------- arithmetic

SAMPLES = {
    "exp": mpmath.exp, "log": mpmath.log, "sqrt": mpmath.sqrt, "sin": mpmath.sin, "cos": mpmath.cos,
    "atan": mpmath.atan, "sinh": mpmath.sinh, "cosh": mpmath.cosh, "tanh": mpmath.tanh, "erf": mpmath.erf,
    "gamma": mpmath.gamma, "loggamma": lambda x: mpmath.loggamma(x).real, "factorial": mpmath.factorial,
    "expm1r": lambda x: mpmath.expm1(x) / x if x else mpmath.mpf(1),
    "log1pr": lambda x: mpmath.log1p(x) / x if x else mpmath.mpf(1),
}  # fmt: skip
TINY = Fraction(1, 10**50)  # what the symbolic derivative of expm1r loses by cancellation
fractions = st.fractions(min_value=-20, max_value=20, max_denominator=1000)


def exactly(x: mpmath.mpf) -> Fraction:
    sign, mantissa, exponent, _ = x._mpf_
    return (-1) ** sign * Fraction(mantissa) * Fraction(2) ** exponent


def inside(x: Interval, y: Fraction) -> bool:
    """In the interval, up to the rounding of the point sample (600 bits)."""
    slack = abs(y) / 2**500
    return x.low - slack <= y <= x.high + slack if x.bounded else x.low <= y <= x.high


@pytest.mark.parametrize("name", SAMPLES)
@given(a=fractions, b=fractions, share=st.fractions(min_value=0, max_value=1, max_denominator=50))
def test_functions_enclose_their_values(name, a, b, share):
    low, high = sorted((a, b))
    if name in ("log", "sqrt", "gamma", "loggamma", "log1pr", "factorial"):
        low, high = sorted((abs(a) + Fraction(1, 1000), abs(b) + Fraction(1, 1000)))
    x = low + share * (high - low)
    with mpmath.workprec(600):
        value = exactly(mpmath.mpf(SAMPLES[name](mpmath.mpf(x.numerator) / x.denominator)))
    f = read(f"{name}(x)", ["x"])
    assert inside(range_of(f, {"x": Interval(low, high)}), value)
    assert inside(range_of(f, {"x": point(x)}), value)


FORMULAS = [
    "exp(x)*sin(x)", "log(2 + x**2)", "sqrt(3 + x)", "atan(x**2)", "tanh(x)/(2 + cos(x))", "erf(x)*x**3",
    "(2 + x**2)**x", "expm1r(x)", "log1pr(x**2)", "gamma(x + 4)", "loggamma(x + 4)", "cosh(x)**(1/3)",
]  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_coefficients_enclose_the_derivatives(text):
    """Against a symbolic derivative, evaluated over the same points by order 0 only."""
    import sympy

    f = read(text, ["x"])
    symbol = next(iter(f.free_symbols))
    box = {"x": Interval(Fraction(-3, 2), Fraction(1, 3))}
    series = Series(box, "x", 3).of(f)
    for k in range(4):
        derivative = sympy.diff(f, symbol, k).doit() / sympy.factorial(k)
        for x in (Fraction(-3, 2), Fraction(-1, 7), Fraction(1, 3)):
            value = range_of(derivative, {"x": point(x)})
            assert series[k].low - TINY <= value.low
            assert value.high <= series[k].high + TINY


@given(a=fractions, b=fractions, c=fractions, d=fractions, s=st.booleans(), t=st.booleans())
def test_products_and_sums_contain_their_corners_with_the_right_ends(a, b, c, d, s, t):
    x = Interval(*sorted((a, b)), s and a != b, t and a != b)
    y = Interval(*sorted((c, d)), t and c != d, s and c != d)
    for p in (x.low, x.high, (x.low + x.high) / 2):
        for q in (y.low, y.high, (y.low + y.high) / 2):
            if p in x and q in y:
                assert p * q in x * y
                assert p + q in x + y
                assert p**2 in x.power(2)
                assert abs(p) in x.size()


@pytest.mark.parametrize(
    ("text", "x", "expected"),
    [
        ("1/(1 - exp(-x))", Interval(Fraction(0), INF, True, True), (1, INF, True, True)),
        ("exp(-x)", Interval(Fraction(0), INF, False, True), (0, 1, True, False)),
        ("x**2", Interval(Fraction(-1), Fraction(2), True, False), (0, 4, False, False)),
        ("x*exp(-x)", Interval(Fraction(0), INF, False, True), (0, INF, False, True)),
        ("sqrt(x)", Interval(Fraction(0), Fraction(4), False, True), (0, 2, False, True)),
        ("Max(x, 0)", Interval(Fraction(-1), Fraction(1), False, True), (0, 1, False, True)),
        ("x**2 - x + 1", Interval(Fraction(0), INF, False, True), (0, INF, True, True)),
    ],
)
def test_ends_are_exact_and_open_or_closed(text, x, expected):
    found = range_of(read(text, ["x"]), {"x": x})
    assert (found.low, found.high, found.low_open, found.high_open) == expected


@pytest.mark.parametrize(
    "text",
    ["1/x", "log(x)", "x/(1 - exp(-x))", "x**x", "sqrt(x - 1)", "gamma(x)", "log1pr(-1 - x)", "log(-x)"],
)
def test_what_is_not_defined_everywhere_is_unknown(text):
    with pytest.raises(UnknownError):
        range_of(read(text, ["x"]), {"x": Interval(Fraction(0), Fraction(1, 2))})


@pytest.mark.parametrize("text", ["Abs(x)", "Max(x, 0)", "sqrt(x**2)", "sqrt(x + 1)", "Min(x, x**2)"])
def test_a_kink_has_no_derivative(text):
    with pytest.raises(UnknownError):
        Series({"x": Interval(Fraction(-1), Fraction(1))}, "x", 1).of(read(text, ["x"]))


def test_huge_and_tiny_values_become_ends_of_the_right_kind():
    huge = range_of(read("exp(x)", ["x"]), {"x": point(10**9)})
    assert huge.high == INF
    assert huge.low > 10**1000
    tiny = range_of(read("exp(x)", ["x"]), {"x": point(-(10**9))})
    assert tiny.low == 0
    assert tiny.low_open
    assert 0 < tiny.high < Fraction(1, 10**1000)


def test_the_precision_is_restored():
    f = read("exp(1)", ())
    wide = range_of(f, {})
    with precision(2048):
        narrow = range_of(f, {})
    assert narrow.high - narrow.low < (wide.high - wide.low) / 2**1000
    assert range_of(f, {}) == wide


def test_sturm_counts_roots_at_the_ends():
    f = read("x*(1 - x)", ["x"])
    closed, opened = Interval(Fraction(0), Fraction(1)), Interval(Fraction(0), Fraction(1), True, True)
    assert sturm(f, "x", closed, False)
    assert not sturm(f, "x", closed, True)
    assert sturm(f, "x", opened, True)
    assert not sturm(f, "x", Interval(Fraction(0), Fraction(2)), False)


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize(
    "text",
    ["__import__('os')", "x.real", "[x]", "x if x else 1", "f(x)", "y", "2**10**10", "1/0", "'x'", "x <= 1"],
)
def test_only_the_language_is_read(text):
    with pytest.raises(UnknownError):
        read(text, ["x"])


def test_a_decimal_means_its_decimal_value():
    assert rational("0.1") == Fraction(1, 10)


def test_domains():
    ranges, given = domain_of(["0 < x <= 1/3", "y >= x", "n", "2 >= y"], ["x", "y", "n"])
    assert ranges["x"] == Interval(Fraction(0), Fraction(1, 3), True, False)
    assert ranges["n"] == Interval(-INF, INF, True, True)
    assert ranges["y"].high == 2
    assert [relation for _, relation in given] == ["<="]


# ---------------------------------------------------------------- witnesses, documents, command line

WITNESS = {
    "relation": "exp(x) <= 1 + x + x**2/2",
    "domain": ["0 <= x <= 2", "x <= y", "y <= 2"],
    "integers": [],
    "point": {"x": "1", "y": "1"},
    "left": "2.71828182845904523536",
    "right": "2.5",
    "line": "python -m verify.recheck FILE",
}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"relation": "exp(x - y) < 1", "left": "1", "right": "1"},
        {"relation": "sqrt(2)*sqrt(2)*x < 2*y", "left": "2", "right": "2"},
        {"relation": "exp(x) == 1 + y", "right": "2"},
        {"relation": "exp(x)*(1 + 10**(-100)) <= exp(y)", "right": "2.7182818284590452353"},
    ],
)
def test_accepts_a_witness(change):
    assert recheck({**WITNESS, **change}) == []


def test_a_line_of_code_is_run_after_it_is_shown():
    said: list[str] = []
    assert recheck({"line": "print(2 + 2 == 4)"}, say=said.append) == []
    assert "print(2 + 2 == 4)" in said[0]
    assert recheck({"line": "print(2 + 2 == 5)"}) != []
    assert recheck({"line": "raise SystemExit('no')"}) != []


def document() -> dict:
    proved = {**ACCEPTED["monotone"], "label": "a"}
    part = {**ACCEPTED["taylor"], "label": "a"}
    findings = [{"check": "box", "verdict": "proved-on-box", "evidence": {"certificate": part}}]
    evidence = {"certificate": proved, "findings": findings}
    return {
        "claims": [
            {"label": "a", "verdict": "proved", "evidence": evidence, "witness": None},
            {"label": "b", "verdict": "refuted", "evidence": {}, "witness": WITNESS},
        ]
    }


def test_a_whole_document():
    said: list[str] = []
    assert recheck(document(), say=said.append) == []
    assert len(said) == 3
    said.clear()
    assert recheck(document(), ["b"], said.append) == []
    assert len(said) == 1
    assert recheck(document(), ["c"]) != []


def test_a_document_with_one_wrong_part():
    wrong = document()
    wrong["claims"][0]["evidence"]["findings"][0]["verdict"] = "proved"
    (complaint,) = recheck(wrong)
    assert complaint.startswith("a.evidence.findings[0].evidence.certificate: proved, but the box is smaller")
    wrong = document()
    wrong["claims"][1]["witness"] = None
    assert recheck(wrong) == ["b: refuted without a witness"]
    wrong = document()
    wrong["claims"][0]["evidence"]["certificate"]["label"] = "z"
    assert len(recheck(wrong)) == 1


def test_a_certificate_in_a_file_of_its_own(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(json.dumps({**ACCEPTED["monotone"], "label": "a"}))
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    whole = document()
    whole["claims"][0]["evidence"]["certificate"] = {"nodes": 3, "sha256": digest, "file": str(file)}
    assert recheck(whole) == []
    file.write_text(json.dumps({**ACCEPTED["range"], "label": "a"}))
    assert len(recheck(whole)) == 1
    whole["claims"][0]["evidence"]["certificate"]["file"] = None
    assert len(recheck(whole)) == 1


@pytest.mark.parametrize(
    "facts",
    [
        {"says": "2 + x <= exp(x)"},
        {"domain": ["x >= -1"]},
        {"domain": ["x >= 0", "x integer"]},
        {"label": "z"},
    ],
)
def test_a_certificate_for_another_claim(facts):
    right = {
        "says": "1 + x <= exp(x)",
        "domain": ["x >= 0", "y real"],
        "label": "example",
        "verdict": "proved",
    }
    right["evidence"] = {"certificate": ACCEPTED["monotone"]}
    assert recheck({"claims": [right]}) == []
    assert len(recheck({"claims": [right | facts]})) == 1


def test_the_command_line(tmp_path, capsys):
    file = tmp_path / "run.json"
    file.write_text(json.dumps(document()))
    assert main([str(file)]) == 0
    file.write_text(json.dumps(ACCEPTED["cases"] | {"relation": "n**2 < 2**n"}))
    assert main([str(file)]) == 1
    assert "example.proof.parts[0]: range:" in capsys.readouterr().out
    file.write_text("{")
    assert main([str(file)]) == 2
    assert main([str(tmp_path / "none.json")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_it_imports_nothing_of_ours_but_itself():
    for path in Path(verify.recheck.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] not in ("ctucbvi", "proofs_checks", "tests", "flint")
                assert not name.startswith("verify") or name.startswith("verify.recheck")
