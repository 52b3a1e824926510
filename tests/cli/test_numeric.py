from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

import ctucbvi
from ctucbvi.numeric import solve_certified
from tests.cli.test_plan import refused, run
from tests.unit.test_numeric_refinement import hostile


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


@pytest.mark.parametrize("model", ["machine-repair", "queue", "sis"])
def test_what_is_printed_does_not_depend_on_what_is_kept(capsys, tmp_path, model, monkeypatch):
    """A file of the certificate needs all pieces; without it, they are forgotten as they come."""
    monkeypatch.setattr("ctucbvi.numeric.rooms._AT_ONCE", 0)
    horizon, states = (getattr(ctucbvi.bundled_model(model), key) for key in ("horizon", "states"))
    at = [part for k in (0, 1, 3) for part in ("--at", f"{states[k % len(states)]}@{horizon * k / 3}")]
    for asked in ([], at):
        options = ["plan", model, "--engine", "numeric", "--json", *asked]
        kept = json.loads(run(capsys, *options, "--certificate", str(tmp_path / "all.json"))[1])
        forgotten = json.loads(run(capsys, *options)[1])
        assert forgotten | {"seconds": 0} == kept | {"seconds": 0}


def test_pieces_are_kept_only_for_files_and_pictures(capsys, tmp_path, monkeypatch):
    asked = []

    def watched(*rest, at, **options):
        asked.append(at)
        return solve_certified(*rest, at=at, **options)

    monkeypatch.setattr("ctucbvi.commands.plan_numeric.solve_certified", watched)
    options = ["plan", "machine-repair", "--engine", "numeric"]
    run(capsys, *options, "--at", "repair@1/2")
    assert set(map(tuple, asked)) == {(Fraction(1, 2),)}
    asked.clear()
    run(capsys, *options, "--certificate", str(tmp_path / "all.json"))
    run(capsys, *options, "--plot", str(tmp_path / "all.svg"))
    assert set(asked) == {None}


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
        (lambda d: _change(d, semantics=["committed"]), "is unknown"),
        (lambda d: json.dumps({k: v for k, v in d.items() if k != "truncate"}), "'truncate' is missing"),
        (lambda d: _change(d)[:-1] + ', "truncate": true}', "given twice"),
        (lambda d: _change(d, capped=[[1, 0] for _ in d["best"]]), "'capped' has an entry that is not 0"),
        (lambda d: _change(d, truncate=True, capped=[[2, 0] for _ in d["best"]]), "'capped' has an entry"),
        (lambda d: _change(d, best=[[float("nan"), 2] for _ in d["best"]]), "'best' is not an array"),
        (lambda d: _change(d, best=[[0.0, 2.0] for _ in d["best"]]), "not a whole number"),
        (lambda d: _change(d, best=[[10**400, 2] for _ in d["best"]]), "'best' is not an array of numbers"),
        (lambda d: _change(d, times=[0, 10**400]), "'times' is not an array of numbers"),
        (lambda d: _change(d, times=["0", "1"]), "'times' has an entry that is not a number"),
        (lambda d: _change(d, times=[False, True]), "'times' has an entry that is not a number"),
        (lambda d: _change(d, times=[0, None]), "'times' has an entry that is not a number"),
        (lambda d: _change(d, values=[[[0.0, 0.0]] * 65] * len(d["best"])), "at most 64 are allowed"),
        (lambda d: _change(d, values=[[[0.0, 0.0], [0.0]]] * len(d["best"])), "'values' is not an array"),
        (lambda d: _change(d, semantics="adjustable"), "'scores' belong to the committed problem"),
        (lambda d: _change(d, bound=float("inf")), "is not a number of at least 0"),
        (lambda d: _change(d, bound=True), "is not a number of at least 0"),
        (lambda d: _change(d, bound=10**400), "is not a number of at least 0"),
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


def test_values_and_policy_are_drawn(capsys, tmp_path):
    file = tmp_path / "x.svg"
    run(capsys, "plan", "machine-repair", "--engine", "numeric", "--semantics", "both", "--plot", str(file))
    assert "adjustable" in file.read_text()


def test_what_is_not_finished_is_not_drawn(capsys, tmp_path):
    model, file = tmp_path / "fast.toml", tmp_path / "x.svg"
    text = ctucbvi.dump_model(ctucbvi.bundled_model("machine-repair"))
    model.write_text(text.replace('rate = "7"', 'rate = "70000000"'))
    options = ["--engine", "numeric", "--seconds", "0.2", "--plot", str(file)]
    status, _, err = run(capsys, "plan", str(model), *options)
    assert status == 1
    assert "x.svg is not written: the plan is not finished" in err
    assert not file.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "numeric", "--digits", "13"], "use --engine exact for more"),
        (["--engine", "numeric", "--symbolic", "1"], "belongs to the exact engine"),
        (["--engine", "numeric", "--plot", "x.gif"], "unknown kind of picture"),
        (["--engine", "numeric", "--semantics", "both", "--certificate", "x"], "one certificate is for one"),
        (["--certificate", "x.json"], "belong to --engine numeric"),
        (["--engine", "numeric", "--certificate", "no/such/folder/x.json"], "cannot be written"),
    ],
)
def test_bad_combinations_are_one_line(capsys, options, message):
    assert message in refused(capsys, "plan", "machine-repair", *options)


def test_a_missing_certificate_is_one_line(capsys):
    assert "cannot be read" in refused(capsys, "certify", "machine-repair", "no-such-file.json")


def test_what_is_proved_names_the_problem(capsys, tmp_path):
    file = str(tmp_path / "c.json")
    options = ["--engine", "numeric", "--semantics", "adjustable", "--truncate", "--certificate", file]
    run(capsys, "plan", "machine-repair", *options)
    _, out, _ = run(capsys, "certify", "machine-repair", file)
    assert "adjustable problem" in out
    assert "values capped at the remaining time" in out
    assert run(capsys, "certify", "machine-repair", file, "--semantics", "adjustable", "--truncate")[0] == 0
    message = refused(capsys, "certify", "machine-repair", file, "--semantics", "committed")
    assert "is about the adjustable problem, not the committed" in message
    assert "are truncated" in refused(capsys, "certify", "machine-repair", file, "--no-truncate")


def test_a_printed_bound_is_not_rounded_down(capsys, tmp_path):
    file = tmp_path / "c.json"
    run(capsys, "plan", "queue", "--engine", "numeric", "--certificate", str(file))
    _, out, _ = run(capsys, "certify", "queue", str(file))
    proved = float(out.split("is within ")[1].split(" of the optimal")[0])
    assert json.loads(file.read_text())["bound"] <= proved


def test_numbers_too_large_to_prove_anything(capsys, tmp_path):
    file = tmp_path / "c.json"
    run(capsys, "plan", "machine-repair", "--engine", "numeric", "--certificate", str(file))
    document = json.loads(file.read_text())
    document["scores"][0][0][0] = 1.7e308
    file.write_text(json.dumps(document))
    status, out, _ = run(capsys, "certify", "machine-repair", str(file))
    assert status == 1
    assert "nothing is proved" in out
    status, out, _ = run(capsys, "certify", "machine-repair", str(file), "--json")
    assert (status, json.loads(out)["bound"], json.loads(out)["holds"]) == (1, None, False)


MODEL = """
name = "small"
horizon = "{horizon}"
initial = "x"
states = ["x", "y"]
actions = ["a", "b"]
terminal = {{ y = "{end}" }}
[[transition]]
state = "x"
action = "a"
rate = "{rate}"
reward = "{reward}"
to = {{ y = "1" }}
[[transition]]
state = "x"
action = "b"
rate = "1"
reward = "1/2"
to = {{ y = "1" }}
[[transition]]
state = "y"
action = "a"
rate = "0"
reward = "0"
"""


def written(folder, **numbers: str) -> str:
    values = {"horizon": "1", "rate": "2", "reward": "1", "end": "0", **numbers}
    file = folder / "small.toml"
    file.write_text(MODEL.format(**values))
    return str(file)


@pytest.mark.parametrize("numbers", [{"rate": "1e400"}, {"reward": "1e400"}, {"horizon": "1e-400"}])
def test_numbers_beyond_doubles_are_one_line(capsys, tmp_path, numbers):
    assert "use --engine exact" in refused(
        capsys, "plan", written(tmp_path, **numbers), "--engine", "numeric"
    )


def test_time_is_limited_and_what_is_known_then_is_printed(capsys, tmp_path):
    file = written(tmp_path, rate="1e6", horizon="1e6")
    options = ("--engine", "numeric", "--seconds", "0.5", "--certificate", str(tmp_path / "c.json"))
    status, out, err = run(capsys, "plan", file, *options, "--json")
    assert status == 1
    assert "is not finished in 0.5 s" in err
    assert not (tmp_path / "c.json").exists()
    found = json.loads(out)["values"]
    assert 0 < Fraction(found[0]["t"]) < 10**6
    short = replace(ctucbvi.load_model(file), horizon=Fraction(found[0]["t"]))
    whole = solve_certified(short, tolerance=1e-6)
    for v in found:
        value = whole.value(v["state"])
        assert Fraction(v["lower"]) <= value.upper
        assert value.lower <= Fraction(v["upper"])
    assert "above 0" in refused(capsys, "plan", file, "--engine", "numeric", "--seconds", "nan")


def test_digits_that_doubles_do_not_have_are_said_to_be_missing(capsys, tmp_path):
    # With a terminal reward of 10^7 in one state, the value of 10^-5 in the other has few digits.
    file = tmp_path / "tiny.toml"
    file.write_text(
        'name = "tiny"\nhorizon = "1"\ninitial = "x"\nstates = ["x", "y"]\nactions = ["a"]\n'
        'terminal = { y = "10000000" }\n'
        '[[transition]]\nstate = "x"\naction = "a"\nrate = "1"\nreward = "1e-5"\nto = { x = "1" }\n'
        '[[transition]]\nstate = "y"\naction = "a"\nrate = "1"\nreward = "0.1"\nto = { x = "1" }\n'
    )
    status, out, err = run(capsys, "plan", str(file), "--engine", "numeric", "--digits", "9", "--json")
    assert status == 1
    assert "V(x, 1) has fewer than 9 digits in double precision" in err
    (reason,) = json.loads(out)["undecided"]
    assert reason.startswith("V(x, 1)")
    assert run(capsys, "plan", str(file), "--engine", "numeric", "--at", "y@1")[0] == 0


def test_hostile_models_have_enclosures_that_are_true_or_one_line(capsys, tmp_path):
    file, seen = tmp_path / "hostile.toml", set()
    for seed in range(40):
        model = hostile(seed)
        ctucbvi.save_model(model, file)
        semantics = ("committed", "adjustable")[seed % 2]
        options = ["--engine", "numeric", "--semantics", semantics, "--digits", str(3 + 3 * (seed % 4))]
        status, out, err = run(capsys, "plan", str(file), *options, "--seconds", "2", "--json")
        seen.add(status)
        if not out:
            assert status in (1, 2)
            assert err.count("\n") == 1
            continue
        exact = ctucbvi.solve(model, semantics, digits=14, resolve_policy=False)
        for value in json.loads(out)["values"]:
            assert Fraction(value["lower"]) <= exact.value(value["state"]).upper
            assert Fraction(value["upper"]) >= exact.value(value["state"]).lower
    assert {0, 1} <= seen


def test_times_are_marked_as_not_certified(capsys):
    _, out, _ = run(capsys, "plan", "machine-repair", "--engine", "numeric")
    assert "0.625316" in out
    assert "0.6253156" not in out
    assert "not certified" in out
    _, out, _ = run(capsys, "plan", "machine-repair", "--engine", "numeric", "--json")
    assert json.loads(out)["times"] == "not certified"
