from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from time import sleep

import pytest

import ctucbvi
from ctucbvi.cli import main
from ctucbvi.commands import crosscheck
from ctucbvi.library import machine_repair
from ctucbvi.solutions import document


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def refused(capsys, *arguments: str) -> str:
    """The one line of a refusal: status 2, nothing on stdout."""
    try:
        status = main(list(arguments))
    except SystemExit as stop:
        status = stop.code
    out, err = capsys.readouterr()
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1, err
    assert err.startswith("ctucbvi")
    return err


def test_json_follows_the_contract(capsys):
    status, out, err = run(capsys, "plan", "machine-repair", "--digits", "40", "--json")
    plan = json.loads(out)
    assert (status, err) == (0, "")
    assert {"model", "semantics", "engine", "digits", "values", "policy", "switches", "seconds"} <= set(plan)
    assert (plan["model"], plan["semantics"], plan["engine"], plan["digits"]) == (
        "machine-repair",
        "committed",
        "exact",
        40,
    )
    for value in plan["values"]:
        lower, middle, upper = (Fraction(value[key]) for key in ("lower", "value", "upper"))
        assert lower <= middle <= upper
        assert upper - lower < Fraction(1, 10**40)
        assert value["t"] == "1"
    assert plan["values"][0]["value"] == "0.6410555698399219868250844896086176967943"
    assert [s["action"] for s in plan["policy"]["operating"]] == ["fast", "slow"]
    first = plan["switches"][0]
    assert set(first) == {"state", "t", "lower", "upper", "before", "after"}
    assert (first["state"], first["before"], first["after"]) == ("repair", "slow", "fast")
    times = [Fraction(s["lower"]) for s in plan["switches"]]
    assert times == sorted(times)


def test_printed_enclosures_contain_the_certified_ones(capsys):
    _, out, _ = run(capsys, "plan", "machine-repair", "--digits", "12", "--json")
    solution = ctucbvi.solve(machine_repair(), digits=12)
    for value in json.loads(out)["values"]:
        certified = solution.value(value["state"])
        assert Fraction(value["lower"]) <= certified.lower
        assert Fraction(value["upper"]) >= certified.upper


def test_text_shows_values_and_policy_by_intervals(capsys):
    status, out, _ = run(capsys, "plan", "machine-repair", "--digits", "10")
    assert status == 0
    assert "0.6410555698" in out
    assert "0.6253156955" in out


def test_values_at_chosen_points(capsys):
    _, out, _ = run(capsys, "plan", "machine-repair", "--at", "repair@1/3", "--at", "operating@0", "--json")
    values = json.loads(out)["values"]
    assert [(v["state"], v["t"]) for v in values] == [("repair", "1/3"), ("operating", "0")]
    assert Fraction(values[1]["lower"]) <= 0 <= Fraction(values[1]["upper"])


def test_both_semantics_side_by_side(capsys):
    _, out, _ = run(capsys, "plan", "machine-repair", "--semantics", "both", "--json")
    document = json.loads(out)
    assert document["committed"]["semantics"] == "committed"
    assert document["adjustable"]["semantics"] == "adjustable"
    gap = document["gap"][0]
    assert Fraction("0.0037") < Fraction(gap["lower"]) <= Fraction(gap["upper"]) < Fraction("0.0039")
    _, text, _ = run(capsys, "plan", "machine-repair", "--semantics", "both")
    assert "gap: adjustable value minus committed value" in text


def test_ties_are_lists(capsys, tmp_path):
    file = tmp_path / "tie.json"
    rows = [{"state": "x", "action": a, "rate": 1, "reward": 1, "to": {"x": 1}} for a in "ab"]
    document = {"name": "tie", "horizon": 1, "initial": "x", "states": ["x"], "actions": ["a", "b"]}
    file.write_text(json.dumps({**document, "transition": rows}))
    _, out, _ = run(capsys, "plan", str(file), "--json")
    assert json.loads(out)["policy"]["x"] == [{"from": "0", "to": "1", "action": ["a", "b"], "proved": True}]
    _, text, _ = run(capsys, "plan", str(file))
    assert "a = b  (tied)" in text


def test_the_certified_engine_and_truncation(capsys):
    status, out, _ = run(capsys, "plan", "machine-repair", "--engine", "certified", "--truncate", "--json")
    assert status == 0
    assert json.loads(out)["engine"] == "certified"


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_plot(capsys, tmp_path, suffix):
    file = tmp_path / f"values.{suffix}"
    status, _, _ = run(capsys, "plan", "machine-repair", "--semantics", "both", "--plot", str(file))
    assert status == 0
    assert file.stat().st_size > 2000
    if suffix == "svg":
        assert "<svg" in file.read_text()


def test_symbolic_iterates(capsys):
    status, out, _ = run(capsys, "plan", "machine-repair", "--symbolic", "1")
    assert status == 0
    assert "1/5 - exp(-5*t)/5" in out  # V_1 of the fast machine: (1 - e^{-5t})/5
    _, latex, _ = run(capsys, "plan", "machine-repair", "--symbolic", "1", "--latex")
    assert r"\frac{1}{5} - \frac{e^{- 5 t}}{5}" in latex
    _, text, _ = run(capsys, "plan", "machine-repair", "--symbolic", "2", "--json")
    document = json.loads(text)
    assert document["n"] == 2
    assert document["iterate"]["operating"][0]["exact"] is True
    assert Fraction(document["erlang_bound"]) < Fraction(document["contraction_bound"])


def test_a_model_file_goes_round(capsys, tmp_path):
    _, toml, _ = run(capsys, "models", "machine-repair")
    file = tmp_path / "mine.toml"
    file.write_text(toml)
    _, mine, _ = run(capsys, "plan", str(file), "--json")
    _, bundled, _ = run(capsys, "plan", "machine-repair", "--json")
    assert json.loads(mine)["values"] == json.loads(bundled)["values"]


@pytest.mark.parametrize("ending", ["toml", "json", "npz"])
def test_a_model_is_written_in_the_format_of_its_ending_and_read_from_there(capsys, tmp_path, ending):
    first, second = tmp_path / f"queue.{ending}", tmp_path / "again.toml"
    assert run(capsys, "models", "queue", "--out", str(first)) == (0, "", "")
    assert run(capsys, "models", str(first), "--out", str(second)) == (0, "", "")
    assert second.read_text() == run(capsys, "models", "queue")[1]


def test_models_lists_every_bundled_model_with_source(capsys):
    _, out, _ = run(capsys, "models")
    for name in ctucbvi.bundled_models():
        assert name in out
    _, text, _ = run(capsys, "models", "--json")
    assert all(entry["source"] and entry["shows"] for entry in json.loads(text))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plan", "machine-repiar"], "machine-repair"),
        (["plan", "machine-repair", "--at", "operating"], "write STATE@T"),
        (["plan", "machine-repair", "--at", "broken@1"], "state 'broken' is not in model"),
        (["plan", "machine-repair", "--at", "operating@2"], "outside [0, 1]"),
        (["plan", "machine-repair", "--at", "operating@soon"], "is not a number"),
        (["plan", "machine-repair", "--digits", "0"], "digits: 0 is not between"),
        (["plan", "machine-repair", "--digits", "many"], "invalid int value"),
        (["plan", "machine-repair", "--plot", "values.txt"], "unknown kind of picture"),
        (["plan", "machine-repair", "--plot", "no/such/folder/values.svg"], "does not exist"),
        (["plan", "machine-repair", "--seconds", "0"], "write a number above 0"),
        (["plan", "machine-repair", "--symbolic", "-1"], "write a number from 0"),
        (["plan", "machine-repair", "--symbolic", "1", "--semantics", "adjustable"], "committed semantics"),
        (["plan", "machine-repair", "--semantics", "greedy"], "invalid choice"),
        (["plan"], "MODEL"),
        ([], "COMMAND"),
        (["models", "nothing-like-it"], "nothing-like-it"),
        (["models", "--out", "large.npz"], "--out"),
        (["models", "queue", "--out", "large.npz", "--json"], "--json"),
        (
            ["models", "queue", "--out", "large.txt"],
            "large.txt: its name does not tell the format; end it in .toml",
        ),
        (
            ["models", "queue", "--out", "large.drn"],
            "large.drn: its name does not tell the format; end it in .toml",
        ),
        (["models", "queue", "--out", ""], "--out: the name is empty"),
        (["models", "--out", ""], "--out: the name is empty"),
        (["models", "mine.npz"], "write this one with --out FILE"),
        (["plan", "large.drn"], "large.drn: no such file"),
        (["crosscheck", "machine-repair", "--digits", "1000"], "write a number from 5 to 200"),
    ],
)
def test_bad_requests_are_one_line_and_status_2(capsys, arguments, message):
    assert message in refused(capsys, *arguments)


def test_a_bad_file_is_one_line_and_status_2(capsys, tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text(
        'name = "bad"\nhorizon = "1"\ninitial = "x"\nstates = ["x"]\nactions = ["a"]\n'
        '[[transition]]\nstate = "x"\naction = "a"\nrate = "-1"\nreward = "0"\nto = { x = "1" }\n'
    )
    line = refused(capsys, "plan", str(file))
    assert "bad.toml" in line
    assert "rate -1 is negative" in line


def test_too_little_time_is_undecided_and_status_1(capsys, tmp_path):
    file = tmp_path / "stiff.toml"
    file.write_text(
        'name = "stiff"\nhorizon = "1"\ninitial = "x"\nstates = ["x", "y"]\nactions = ["a"]\n'
        '[[transition]]\nstate = "x"\naction = "a"\nrate = "1"\nreward = "1"\nto = { y = "1" }\n'
        '[[transition]]\nstate = "y"\naction = "a"\nrate = "1e8"\nreward = "0"\nto = { x = "1" }\n'
    )
    status, out, err = run(capsys, "plan", str(file), "--seconds", "0.1")
    assert status == 1
    assert err.startswith("ctucbvi: undecided: 0.1 seconds are not enough\n")
    assert "V(x, 1) has fewer than 15 digits" in err
    # What is known is printed: both values are between 0 and 1.
    status, out, _ = run(capsys, "plan", str(file), "--seconds", "0.1", "--json")
    document = json.loads(out)
    assert document["undecided"][0] == "0.1 seconds are not enough"
    for value in document["values"]:
        assert -1 <= Fraction(value["lower"]) <= 0 < Fraction(value["upper"]) <= Fraction(101, 100)


def test_digits_of_a_value_that_nearly_cancels(capsys, tmp_path):
    file = tmp_path / "cancel.toml"
    text = (
        'name = "cancel"\nhorizon = "1"\ninitial = "x"\nstates = ["x", "p", "m"]\nactions = ["a"]\n'
        'terminal = { p = "1/3", m = "-1/3" }\n'
        '[[transition]]\nstate = "p"\naction = "a"\nrate = "0"\nreward = "0"\n'
        '[[transition]]\nstate = "m"\naction = "a"\nrate = "0"\nreward = "0"\n'
        '[[transition]]\nstate = "x"\naction = "a"\nrate = "3"\nreward = "0"\n'
    )
    # V = (1 - e^-3)/3 (p - m): 2e-40 of it with the first row, nothing with the second.
    tiny = Fraction(1, 10**40)
    file.write_text(text + f'to = {{ p = "{Fraction(1, 2) + tiny}", m = "{Fraction(1, 2) - tiny}" }}\n')
    status, out, _ = run(capsys, "plan", str(file))
    assert status == 0
    assert "x      1               0." + "0" * 40 + "633475287754757" in out
    file.write_text(text + 'to = { p = "1/2", m = "1/2" }\n')
    status, out, err = run(capsys, "plan", str(file))
    assert status == 1
    assert "V(x, 1) has fewer than 15 digits" in err
    assert "not told from 0" in err
    assert set(out.split("x      1 ")[1].split()[0]) == {"0", "."}


def test_crosscheck_agrees_and_notices_a_wrong_planner(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # the smallest failing model is written there
    status, out, _ = run(capsys, "crosscheck", "machine-repair", "--json")
    document = json.loads(out)
    assert (status, document["agree"]) == (0, True)
    assert len(document["results"]) == 2

    solve = ctucbvi.solve
    wrong = machine_repair().with_rewards(scale=Fraction(10**12 + 1, 10**12))
    monkeypatch.setattr(crosscheck, "solve", lambda model, *rest, **options: solve(wrong, *rest, **options))
    status, out, _ = run(capsys, "crosscheck", "machine-repair")
    assert status == 1
    assert "DISAGREE" in out


def test_help_imports_nothing_heavy():
    code = (
        "import sys, ctucbvi.cli; ctucbvi.cli.build_parser();"
        "print([m for m in ('flint', 'numpy', 'sympy', 'mpmath', 'matplotlib', 'hypothesis', 'ctucbvi.model')"
        " if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize("command", ["plan", "crosscheck", "models"])
def test_help_has_an_example(capsys, command):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert "example" in capsys.readouterr().out


def test_python_m_ctucbvi_is_the_command():
    command = [sys.executable, "-m", "ctucbvi", "plan", "machine-repair"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "0.641055569839922" in found.stdout


@pytest.mark.parametrize("command", ["plan", "learn"])
def test_a_file_that_takes_long_to_read_is_said_to_be_read(capsys, monkeypatch, command):
    def slowly(name):
        sleep(0.3)
        return machine_repair()

    monkeypatch.setattr("verify.progress._SILENT", 0.05)
    monkeypatch.setattr("ctucbvi.commands.plan.find_model", slowly)
    monkeypatch.setattr("ctucbvi.commands.learner_options.find_model", slowly)
    status, _, err = run(capsys, command, "large.json", *(["--episodes", "1"] if command == "learn" else []))
    assert status == 0
    assert err.startswith("ctucbvi: reading large.json\n")


def test_many_values_are_said_to_be_written(capsys, monkeypatch):
    def slowly(*arguments, **options):
        sleep(0.3)
        return document(*arguments, **options)

    run(capsys, "plan", "machine-repair", "--engine", "numeric")  # compiles
    monkeypatch.setattr("verify.progress._SILENT", 0.2)
    monkeypatch.setattr("ctucbvi.commands.plan_numeric.document", slowly)
    status, _, err = run(capsys, "plan", "machine-repair", "--engine", "numeric")
    assert status == 0
    assert "ctucbvi: 2 values are found, and written in digits\n" in err


def test_waiting_for_a_scheduler_is_said(capsys, monkeypatch):
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    monkeypatch.setattr("verify.clusters._PATIENCE", 1)
    monkeypatch.setattr("verify.progress._SILENT", 0.3)
    told = ["regret", "machine-repair", "--episodes", "5", "--runs", "1", "--cluster", "tcp://127.0.0.1:9"]
    status, _, err = run(capsys, *told)
    assert status == 2
    assert "waiting for the scheduler at tcp://127.0.0.1:9, for up to 1 s\n" in err


def test_an_interrupt_is_one_line(capsys, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(ctucbvi, "solve", interrupted)
    status, out, err = run(capsys, "plan", "machine-repair")
    assert (status, out, err) == (130, "", "ctucbvi: interrupted\n")


def test_a_defect_is_not_taken_for_bad_input(monkeypatch):
    def broken(*arguments, **options):
        raise ValueError("a defect")

    monkeypatch.setattr(ctucbvi, "solve", broken)
    with pytest.raises(ValueError, match="a defect"):
        main(["plan", "machine-repair"])


def test_a_reader_that_goes_away_is_not_an_error():
    command = f"{sys.executable} -m ctucbvi plan queue --json | head -n 1"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert found.stdout == "{\n"
    assert found.stderr == ""


def test_progress_is_shown_when_it_takes_long(capsys, monkeypatch):
    from verify import progress

    monkeypatch.setattr(progress, "_SILENT", 0.0)
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    run(capsys, "plan", "machine-repair")
    with progress.ProgressLine("work") as line:
        line(0.25)
    assert "work:  25% after" in capsys.readouterr().err


def test_many_states_are_all_shown(capsys, tmp_path):
    from ctucbvi.library import queue

    file = tmp_path / "long.json"
    ctucbvi.save_model(queue(20), file)
    status, _, _ = run(capsys, "plan", str(file), "--digits", "3", "--plot", str(tmp_path / "long.svg"))
    assert status == 0
    text = (tmp_path / "long.svg").read_text()
    assert text.count('id="ytick_') >= 2 * 21  # a row for each, of values and of actions
    assert "<image" in text
