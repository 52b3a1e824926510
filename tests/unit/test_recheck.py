"""The independent checker: what it accepts, witnesses, documents and the command line."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import verify.recheck
from tests.written_documents import by_certificates, document, rises, row, tends
from verify.recheck import recheck
from verify.recheck.__main__ import main
from verify.recheck.reading import names_in, tree_of

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


def pair() -> dict:
    """A claim that is proved, and one that is refuted."""
    proved = row(
        "1 + x <= exp(x)",
        ["x >= 0"],
        label="a",
        point={"x": "0"},
        proof=by_certificates({**ACCEPTED["monotone"], "label": "a"}),
    )
    domain, says = WITNESS["domain"], WITNESS["relation"]
    refuted = row(says, domain, label="b", verdict="refuted", expected="refuted", witness=WITNESS)
    return document(proved, refuted)


def test_a_whole_document():
    said: list[str] = []
    assert recheck(pair(), say=said.append) == []
    assert len(said) == 2
    said.clear()
    assert recheck(pair(), ["b"], said.append) == []
    assert len(said) == 1
    assert recheck(pair(), ["c"]) == ["c: there is no such claim"]


def test_a_document_with_one_wrong_part():
    part = {**ACCEPTED["taylor"], "label": "a"}
    facts = {"label": "a", "point": {"x": "1"}, "proof": by_certificates(part)}
    assert recheck(document(row(CUBIC, part["domain"], **facts, verdict="proved-on-box"))) == []
    (complaint,) = recheck(document(row(CUBIC, part["domain"], **facts)))
    assert complaint.startswith("a.proof.formula.certificates[0]: proved, but the box is smaller")
    first, second = pair()["claims"]
    assert recheck(document(first, second | {"witness": None})) == ["b.witness: refuted without a witness"]
    other = by_certificates({**ACCEPTED["monotone"], "label": "z"})
    assert len(recheck(document(first | {"proof": other}, second))) == 1


@pytest.mark.parametrize(
    "facts",
    [
        row("2 + x <= exp(x)", ["x >= 0"]),
        row("1 + x <= exp(x)", ["x >= -1"]),
        row("1 + x <= exp(x)", ["x >= 0"], integers=["x"]),
        row("1 + x <= exp(x)", ["x >= 0"], label="z"),
    ],
)
def test_a_certificate_for_another_claim(facts):
    shown = {"proof": by_certificates(ACCEPTED["monotone"]), "point": {"x": "0"}}
    right = row("1 + x <= exp(x)", ["x >= 0"], reals=["y"], **shown | {"point": {"x": "0", "y": "0"}})
    assert recheck(document(right)) == []
    assert len(recheck(document(facts | shown))) == 1


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        ("1 + x <= exp(x)", "1 + x <= exp(x)"),
        (rises("exp(x)"), "exp(x) is non-decreasing in x"),
        (rises("-x", increasing=False), "-x is non-increasing in x"),
        (tends("exp(x)", "1", "x", "0"), "exp(x) -> 1 as x -> 0"),
    ],
)
def test_the_words_of_a_claim_are_those_of_its_formula(formula, says):
    claim = row(formula, ["x >= 0"], ["n"], ["y"], verdict="tested")
    assert (claim["says"], claim["domain"]) == (says, ["x >= 0", "y real", "n integer"])
    assert recheck(document(claim)) == []
    for change in (
        {"says": f"{says} "},
        {"domain": ["x >= 0"]},
        {"domain": ["x > 0", *claim["domain"][1:]]},
        {"says": None},
        {"formula": None},
    ):
        assert len(recheck(document(claim | change))) == 1


def test_the_command_line_prints_what_no_encoding_has(tmp_path, capsys):
    file = tmp_path / "strange.json"
    file.write_text(json.dumps(ACCEPTED["range"] | {"label": "\ud800", "proof": {"by": "\ud800"}}))
    assert main([str(file)]) == 1
    assert "\\ud800: no rule" in capsys.readouterr().out


def test_the_command_line(tmp_path, capsys):
    file = tmp_path / "run.json"
    file.write_text(json.dumps(pair()))
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
                printed = (path.name, name) == ("__main__.py", "verify.streams")  # what is checked is not
                assert not name.startswith("verify") or name.startswith("verify.recheck") or printed
