"""Theorems for Coq: what they say is what the claim says, whatever the proof tree; no Coq is needed here."""

from __future__ import annotations

import ast
import json
import math
import random
from fractions import Fraction

import pytest

from tests.coq_reading import value
from tests.unit import test_recheck, test_recheck_polynomials
from verify.coq import judging
from verify.coq.combining import squares
from verify.coq.export import Stated, _renamed, identifier, theorem
from verify.coq.folders import LIBRARIES, file_of, write_folder
from verify.coq.judging import foreign_axioms
from verify.coq.nodes import uses_hypotheses
from verify.coq.polynomials import shifted, squarefree
from verify.coq.text import AsWritten, NotExportedError, folded
from verify.errors import UserError
from verify.recheck.intervals import INF, Interval, UnknownError
from verify.recheck.reading import read
from verify.recheck.terms import Term, add, mul, number, put, variable

ACCEPTED = {**test_recheck.ACCEPTED, **test_recheck_polynomials.ACCEPTED}

LOG_CUBIC = """\
Lemma defined : forall (x : R),
  1 / 100 <= x -> x <= 3 ->
  0 < 1 + x.
Proof.
  intros x.
  intros H0 H1.
  defined.
Qed.

Theorem taylor : forall (x : R),
  1 / 100 <= x -> x <= 3 ->
  ln (1 + x) <= x - x ^ 2 / 2 + x ^ 3 / 3.
Proof.
  intros x.
  intros H0 H1.
  folds (ln (1 + x)) (ln (x + 1)).
  apply (at_most (x ^ 3 / 3 + x - ln (x + 1) - x ^ 2 / 2)); [same | ].
  taylor x.
Qed.

Print Assumptions taylor.
"""

TANGENT = """\
Theorem monotone : forall (x : R),
  0 <= x ->
  1 + x <= exp x.
Proof.
  intros x.
  intros H0.
  apply (at_most (exp x - x - 1)); [same | ].
  apply (from_lower (fun x => exp x - x - 1)
    (fun x => exp x - 1) (0) x).
  { lra. }
  { follow x. derive. }
  { follow x. continuous. }
  { cbv beta.
    folds (exp 0) (1).
    apply (rewriting _ (0)); [same | ].
    range. }
  { follow x.
    apply (rewriting _ (exp x - 1)); [same | ].
    range. }
Qed.

Print Assumptions monotone.
"""

GIVEN = """\
Theorem given : forall (x y : R),
  0 <= x -> 0 <= y -> x <= y ->
  x <= y + 1.
Proof.
  intros x y.
  intros H0 H1 G0.
  as_gap G0 (y - x).
  apply (at_most (y + 1 - x)); [same | ].
  apply (given _ (1) (1) _ G0).
  { same. }
  { range. }
  { range. }
Qed.

Print Assumptions given.
"""

COMBINED = """\
Theorem squares : forall (x y : R),
  2 * x * y <= x ^ 2 + y ^ 2.
Proof.
  intros x y.
  apply (at_most (x ^ 2 + y ^ 2 - 2 * x * y)); [same | ].
  apply (combined _ (1) ((x - y) ^ 2)).
  { balance. }
  { products. }
  { products. }
Qed.

Print Assumptions squares.
"""

BOXES = """\
Theorem bernstein : forall (x y : R),
  0 <= x -> x <= 1 -> 0 <= y -> y <= 1 ->
  x * (1 - x) * (1 + y) <= 1 / 2.
Proof.
  intros x y.
  intros H0 H1 H2 H3.
  apply (at_most (1 / 2 - (1 - x) * (y + 1) * x)); [same | ].
  on_parts 2%nat [(false, [[2; 0]; [-2; -2]; [1; 1]])]%Z
    [Within (0) (2) false false; Within (0) (1) false false] [2 * x; y]
    (Cut 0 (1) (Here 0) (Here 0)).
  { apply (scaled _ (4) _ Sign); [lra | written; balance]. }
Qed.

Print Assumptions bernstein.
"""


def stated(name: str) -> Stated:
    data = ACCEPTED[name]
    return Stated(data["relation"], tuple(data["domain"]), tuple(data["integers"]))


def body(text: str) -> str:
    return text.partition("Open Scope R_scope.\n\n")[2]


def statement(text: str) -> str:
    return text.partition("Theorem ")[2].partition("Proof.")[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("taylor", LOG_CUBIC),
        ("monotone", TANGENT),
        ("given", GIVEN),
        ("squares", COMBINED),
        ("bernstein", BOXES),
    ],
)
def test_the_whole_text(name, expected):
    assert body(theorem(name, stated(name), ACCEPTED[name]["proof"]).text) == expected


def test_the_statement_is_made_from_the_claim_and_not_from_the_proof():
    said = Stated("2**n <= x*y", ("1 <= n <= 5", "x >= 1/2", "n < x*y", "y"), ("n",))
    honest = theorem("t", said, {"by": "range"})
    forged = theorem("t", said, ACCEPTED["given"]["proof"])
    assert statement(honest.text) == statement(forged.text)
    expected = (
        "t : forall (n : Z) (x y : R), 1 <= IZR n -> IZR n <= 5 -> 1 / 2 <= x -> IZR n < x * y -> "
        "Rpower 2 (IZR n) <= x * y."
    )
    assert statement(honest.text).split() == expected.split()


@pytest.mark.parametrize(
    ("relation", "domain", "only_where", "shown"),
    [
        ("0 <= -x*log(x)", ("0 <= x <= 1",), ("0 < x",), ""),
        ("0 < 1/x", ("0 <= x <= 1",), ("x <> 0",), ""),
        ("0 < 1/x", ("0 < x <= 1",), (), "x <> 0"),
        ("0 <= sqrt(1 + x)", ("-2 <= x",), ("0 <= 1 + x",), ""),
        ("0 <= sqrt(1 - x)", ("0 <= x <= 1",), (), "0 <= 1 - x"),
        ("0 <= x**y", ("0 <= x", "1 <= y"), ("0 < x",), ""),
        ("0 <= (x**2 - 1)/(x - 1)", ("0 <= x <= 3",), ("x - 1 <> 0",), ""),
        ("x <= y", ("x/(y - 1) <= 2", "0 <= y", "1 <= x"), ("y - 1 <> 0",), ""),
    ],
)
def test_conventions_for_undefined_values_do_not_count(relation, domain, only_where, shown):
    file = theorem("t", Stated(relation, domain, ()), {"by": "range"})
    assert file.only_where == only_where
    assert all(f"{one} ->" in statement(file.text) for one in only_where)
    assert ("Theorem t_limits" in file.text) == (
        bool(only_where) and "<=" in relation
    )  # strict ones have none
    assert ("Lemma defined" in file.text) == bool(shown)
    assert shown in file.text


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("rewrite", "the function expm1r"),
        ("identity", "an identity has no proof tree"),
        ("monotone, limit", "a limit at infinity that is neither a value nor a slope at 0 in the reciprocal"),
    ],
)
def test_what_has_no_counterpart_is_told(name, why):
    with pytest.raises(NotExportedError, match=why):
        theorem("t", stated(name), ACCEPTED[name]["proof"])


# ---------------------------------------------------------------- formulas, read back


def formula(rng: random.Random, depth: int) -> str:
    """A formula in x and y, which are positive; most are defined."""
    if depth == 0 or rng.random() < 0.1:
        return rng.choice(("x", "y", "2", "3", "1/2", "0.25", "pi", "E", "7"))
    a, b = formula(rng, depth - 1), formula(rng, depth - 1)
    return rng.choice(
        (
            f"({a}) + ({b})",
            f"({a}) - ({b})",
            f"({a})*({b})",
            f"({a})/({b})",
            f"-({a})",
            f"-{a}" if a.isalnum() else f"-({a})",
            f"({a})**2",
            f"({a})**(-3)",
            f"exp(({a})/4)",
            f"log({a})",
            f"sqrt({a})",
            f"({a})**(3/2)",
            f"({a})**(-1/2)",
            f"({a})**({b})",
            f"Max({a}, {b}, 1)",
            f"Min({a}, {b})",
            f"Abs({a})",
            f"{rng.choice(('sin', 'cos', 'atan', 'tanh'))}({a})",
        )
    )


def plain(tree: ast.expr, at: dict[str, float]) -> float:
    """The value by Python's own reading of the text."""
    names = {
        **at,
        "pi": math.pi,
        "E": math.e,
        "exp": math.exp,
        "log": math.log,
        "sqrt": math.sqrt,
        "Abs": abs,
    }
    names |= {"Max": max, "Min": min, "sin": math.sin, "cos": math.cos, "atan": math.atan, "tanh": math.tanh}
    result = eval(compile(ast.Expression(tree), "", "eval"), {"__builtins__": {}}, names)
    if isinstance(result, complex):
        raise ValueError
    return float(result)


def test_two_thousand_formulas_mean_in_coq_what_they_mean_here():
    rng = random.Random(18)
    box = {name: Interval(Fraction(0), INF, True, True) for name in "xy"}
    compared = 0
    for _ in range(2000):
        text, at = formula(rng, 3), {"x": rng.uniform(0.2, 3), "y": rng.uniform(0.2, 3)}
        tree = ast.parse(text, mode="eval").body
        try:
            expected = plain(tree, at)
            printer = AsWritten({"x", "y"}, box)
            written, mixed = printer.formula(text, tree)
            again = folded(read(text, "xy"))
        except (ArithmeticError, ValueError, TypeError, UnknownError):  # undefined there, or not real
            continue
        for shown in (written.text, mixed.text, again):
            try:
                found = value(shown, at)
            except (ArithmeticError, ValueError):
                continue
            compared += 1
            assert math.isclose(found, expected, rel_tol=1e-6, abs_tol=1e-6), (text, shown, at)
    assert compared > 3000


def test_a_variable_is_renamed_and_nothing_else():
    assert _renamed("exp(-l*s) + log(l)/(l + 1)", "l", "l0") == "exp(-l0*s) + log(l0)/(l0 + 1)"
    assert _renamed(" 0.1000000000000000001*e <= exp(e)", "e", "e0") == "0.1000000000000000001*e0 <= exp(e0)"


def test_names_are_ones_that_coq_allows():
    labels = ("lem:a/b", "2nd", "defined", "forall", "PI")
    assert [identifier(x) for x in labels] == [
        "lem_a_b",
        "claim_2nd",
        "claim_defined",
        "claim_forall",
        "claim_PI",
    ]
    text = theorem("t", Stated("R + at <= R + at + 1", ("0 <= R", "at"), ()), {"by": "range"}).text
    assert "forall (R_ at_ : R)" in text
    text = theorem("t", Stated("H0 <= G1 + H", ("H0 <= G1", "0 <= H"), ()), {"by": "range"}).text
    assert "forall (G1_ H H0_ : R)" in text


def test_factors_that_are_there_twice():
    rng = random.Random(5)
    for _ in range(300):
        roots = [rng.randint(-4, 4) for _ in range(rng.randint(1, 5))]
        text = "*".join(f"(x - {r})" for r in roots) + f"*{rng.randint(1, 9)}"
        found = squarefree(read(text, "x"))
        assert (found is None) == (len(set(roots)) == len(roots) or len(roots) < 2)
        if found is not None:
            assert value_at(found, 11) == value_at(read(text, "x"), 11)
        around = shifted(read(text, "x"), "x", Fraction(5))
        assert around is not None
        assert value_at(around, 11) == value_at(read(text, "x"), 11)
    assert shifted(read("x**2 - 3*x + 1", "x"), "x", Fraction(1)) is None


def value_at(t: Term, x: int) -> float:
    return value(folded(t), {"x": float(x)})


def test_a_thousand_forms_are_the_sums_of_their_squares():
    rng = random.Random(3)
    for _ in range(1000):
        n = rng.randint(1, 4)
        rows = [
            [Fraction(rng.randint(-3, 3), rng.randint(1, 3)) for _ in range(n)]
            for _ in range(rng.randint(1, n))
        ]
        gram = [[sum((r[i] * r[j] for r in rows), Fraction(0)) for j in range(i + 1)] for i in range(n)]
        basis = [read(text, "xy") for text in rng.sample(("x", "y", "x*y", "2", "x**2"), n)]
        form = squares(basis, gram)
        at = {"x": Fraction(rng.randint(-5, 5), 3), "y": Fraction(rng.randint(-5, 5), 2)}
        m = [number_at(b, at) for b in basis]
        entries = ((i, j, c if i == j else 2 * c) for i, row in enumerate(gram) for j, c in enumerate(row))
        assert sum(d * number_at(e, at) ** 2 for d, e in form) == sum(c * m[i] * m[j] for i, j, c in entries)
        assert all(d > 0 for d, _ in form)
        if len(form) == n and any(b.value for b in basis):
            assert form[-1][1].value
        gram[0][0] -= 100
        with pytest.raises(NotExportedError, match="not positive semidefinite"):
            squares(basis, gram)


def number_at(t: Term, at: dict[str, Fraction]) -> Fraction:
    found = put(t, {name: number(x) for name, x in at.items()}).value
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("proof", "expected"),
    [
        ({"by": "range"}, False),
        ({"by": "sum", "terms": [{"expression": "x", "proof": {"by": "given"}}]}, True),
        ({"by": "signs", "parts": []}, True),
        ({"by": "bernstein", "halves": ["x", "", ""]}, False),
        ({"by": "bernstein", "halves": ["x", "", "-0"]}, True),
        ({"by": "combine", "blocks": [{"factors": ["lower h"], "gram": [["1"]]}]}, False),
        ({"by": "combine", "blocks": [], "multiplier": [{"factors": ["hypothesis 0"]}]}, True),
    ],
)
def test_proofs_that_use_hypotheses(proof, expected):
    assert uses_hypotheses(proof) is expected


# ---------------------------------------------------------------- folders


def claim(label: str, relation: str, conditions: list[str], proof: object, verdict: str = "proved") -> dict:
    return {
        "label": label,
        "statement": 'one (* "two" *)',
        "verdict": verdict,
        "formula": {"relation": relation},
        "area": {"conditions": conditions, "integers": [], "reals": []},
        "evidence": {"certificate": {"relation": relation, "proof": proof}},
    }


def test_a_folder_has_the_proved_inequalities_and_says_what_is_missing(tmp_path):
    hard = ACCEPTED["rewrite"]
    claims = [
        claim("a:b", "0 <= x", ["0 <= x"], {"by": "range"}),
        claim("A/b", "0 <= 1/x", ["0 <= x"], {"by": "range"}),
        claim("open", "0 <= x", ["0 <= x"], {"by": "range"}, "undecided"),
        claim("hard", hard["relation"], hard["domain"], hard["proof"]),
    ]
    index = write_folder(claims, tmp_path)
    assert index["written"] == {"a:b": "a_b", "A/b": "A_b_2"}
    assert index["only where"] == {"A/b": ["x <> 0"]}
    assert index["not exported"] == {"hard": "the function expm1r"}
    assert json.loads((tmp_path / "index.json").read_text()) == index
    assert (tmp_path / "_CoqProject").read_text().split()[-5:] == [
        *(f"{name}.v" for name in LIBRARIES),
        "a_b.v",
        "A_b_2.v",
    ]
    assert (tmp_path / "a_b.v").read_text().startswith("(** one ( * 'two' * ) *)")
    write_folder(claims[:1], tmp_path)
    assert not (tmp_path / "A_b_2.v").exists()


def test_a_folder_that_lacks_a_file_is_refused_in_one_line(tmp_path, monkeypatch):
    write_folder([claim("a:b", "0 <= x", ["0 <= x"], {"by": "range"})], tmp_path)
    (tmp_path / "a_b.v").unlink()
    monkeypatch.setattr(judging, "coqc", lambda: "coqc")
    monkeypatch.setattr(judging, "_library", lambda *_: "")
    with pytest.raises(UserError, match=r"a_b\.v, which index\.json names, cannot be read"):
        judging.judge(tmp_path, 1.0, 1)


def test_a_monotone_claim_is_about_two_points():
    data = claim("m", "", ["0 <= l", "0 <= s"], {"by": "range"})
    data["formula"] = {"monotone": "exp(-l*s)", "in": "l", "increasing": False}
    data["evidence"] = {"certificate": {"relation": "0 <= s*exp(-l*s)", "proof": {"by": "range"}}}
    expected = (
        "m : forall (l l0 s : R), 0 <= l -> 0 <= s -> 0 <= l0 -> l0 <= l -> exp (- l * s) <= exp (- l0 * s)."
    )
    assert statement(file_of(data).text).split() == expected.split()


@pytest.mark.parametrize(
    ("output", "foreign"),
    [
        ("Closed under the global context\n", []),
        ("Axioms:\nClassicalDedekindReals.sig_not_dec : forall P : Prop, x\nPrimInt63.add : y\n  : z\n", []),
        ("Axioms:\nt_admitted : False\nClassical_Prop.classic : x\n", ["t_admitted"]),
        ("Axioms:\nUint63.false : False\n", ["Uint63.false"]),
        ("", ["(the assumptions were not printed)"]),
    ],
)
def test_axioms_that_are_not_those_of_the_real_numbers(output, foreign):
    assert foreign_axioms(output) == foreign


def test_polynomials_of_huge_degrees_are_not_written_out():
    x = variable("x")
    assert squarefree(add(x ** number(10**12), number(1))) is None
    assert squarefree(mul(add(x, number(1)), add(x, number(1)))) is not None
