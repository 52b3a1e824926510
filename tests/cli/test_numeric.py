from __future__ import annotations

import json
from fractions import Fraction

import pytest

import ctucbvi
from tests.cli.test_plan import refused, run


def test_the_numeric_engine_encloses_the_exact_values(capsys):
    for semantics in ("committed", "adjustable"):
        status, out, _ = run(
            capsys, "plan", "machine-repair", "--engine", "numeric", "--semantics", semantics, "--json"
        )
        plan = json.loads(out)
        assert (status, plan["engine"], plan["digits"]) == (0, "numeric", 9)
        exact = ctucbvi.solve(ctucbvi.bundled_model("machine-repair"), semantics, digits=20)
        for value in plan["values"]:
            lower, upper = Fraction(value["lower"]), Fraction(value["upper"])
            assert lower <= exact.value(value["state"]).mid <= upper
            assert upper - lower < Fraction(1, 10**8)
        assert [s["action"] for s in plan["policy"]["operating"]] == ["fast", "slow"]
        assert len(plan["switches"]) == 2


def test_without_a_certificate_there_are_no_enclosures(capsys):
    _, out, _ = run(capsys, "plan", "machine-repair", "--engine", "numeric", "--no-certificate", "--json")
    plan = json.loads(out)
    assert plan["bound"] is None
    assert all(v["lower"] is None and v["upper"] is None for v in plan["values"])


def test_both_semantics_with_the_numeric_engine(capsys):
    _, out, _ = run(capsys, "plan", "machine-repair", "--engine", "numeric", "--semantics", "both", "--json")
    (gap,) = [g for g in json.loads(out)["gap"] if g["state"] == "operating"]
    assert Fraction("0.0037") < Fraction(gap["lower"]) <= Fraction(gap["upper"]) < Fraction("0.0039")


@pytest.mark.parametrize("model", ["machine-repair", "queue"])
def test_a_certificate_goes_round(capsys, tmp_path, model):
    for semantics in ("committed", "adjustable"):
        file = str(tmp_path / f"{semantics}.json")
        options = ["--engine", "numeric", "--semantics", semantics, "--truncate", "--certificate", file]
        assert run(capsys, "plan", model, *options)[0] == 0
        status, out, _ = run(capsys, "certify", model, file, "--json")
        proof = json.loads(out)
        assert (status, proof["holds"], proof["truncate"]) == (0, True, True)
        assert proof["bound"] == proof["claimed"] < 1e-7
        assert "proved: every value is within" in run(capsys, "certify", model, file)[1]


def test_a_certificate_that_claims_too_much_or_belongs_elsewhere(capsys, tmp_path):
    file = tmp_path / "claim.json"
    run(capsys, "plan", "machine-repair", "--engine", "numeric", "--certificate", str(file))
    document = json.loads(file.read_text())
    document["bound"] /= 2
    file.write_text(json.dumps(document))
    status, out, _ = run(capsys, "certify", "machine-repair", str(file))
    assert status == 1
    assert "which is not proved by it" in out
    # Against another model with the same shape the bound is honest, and large.
    document["bound"] = None
    file.write_text(json.dumps(document))
    _, out, _ = run(capsys, "certify", "machine-repair-raw", str(file), "--json")
    assert json.loads(out)["bound"] > 0.1


def _change(document: dict, **changes: object) -> str:
    return json.dumps({**document, **changes})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: "not json", "is not JSON"),
        (lambda d: "[]", "is not a certificate"),
        (lambda d: _change(d, format="other"), "is not a certificate"),
        (lambda d: _change(d, semantics="greedy"), "semantics 'greedy' is unknown"),
        (lambda d: _change(d, truncate="yes"), "neither true nor false"),
        (lambda d: _change(d, times=[]), "'times' has shape"),
        (lambda d: _change(d, times=["a"]), "'times' is not an array of numbers"),
        (lambda d: _change(d, values=d["values"][:1]), "'values' has shape"),
        (lambda d: _change(d, scores=[]), "'scores' has shape"),
        (lambda d: _change(d, bound="tiny"), "is not a number of at least 0"),
        (
            lambda d: _change(d, times=[t / 2 for t in d["times"]]),
            "times must increase from 0 to the horizon",
        ),
        (lambda d: _change(d, best=[[3, 3] for _ in d["best"]]), "not on offer"),
        (lambda d: json.dumps({k: v for k, v in d.items() if k != "best"}), "'best' is missing"),
        (lambda d: _change(d).replace("[0.0", "[NaN", 1), "not a finite number"),
    ],
)
def test_bad_certificates_are_one_line(capsys, tmp_path, change, message):
    file = tmp_path / "bad.json"
    run(capsys, "plan", "machine-repair", "--engine", "numeric", "--certificate", str(file))
    file.write_text(change(json.loads(file.read_text())))
    assert message in refused(capsys, "certify", "machine-repair", str(file))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "numeric", "--digits", "13"], "use --engine exact for more"),
        (["--engine", "numeric", "--plot", "x.svg"], "belong to the exact engine"),
        (["--engine", "numeric", "--semantics", "both", "--certificate", "x"], "one certificate is for one"),
        (["--certificate", "x.json"], "belong to --engine numeric"),
        (["--engine", "numeric", "--certificate", "no/such/folder/x.json"], "cannot be written"),
    ],
)
def test_bad_combinations_are_one_line(capsys, options, message):
    assert message in refused(capsys, "plan", "machine-repair", *options)


def test_a_missing_certificate_is_one_line(capsys):
    assert "cannot be read" in refused(capsys, "certify", "machine-repair", "no-such-file.json")
