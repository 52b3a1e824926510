"""Property suites by name: on random models, on the user's own, with a seed and a number of examples."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from ctucbvi import find_model
from ctucbvi.cli import main
from proofs_checks import SOURCE, suites
from proofs_checks.checks.contraction import contracted
from proofs_checks.checks.model_error import ONE, operator_error
from proofs_checks.checks.optimism import iterates
from proofs_checks.checks.perturbed import looks, places, tempting
from verify.claims import Claim, Effort, Verdict
from verify.provers.examples import run_examples
from verify.provers.statistical import Statistical
from verify.running.engine import run_claim
from verify.running.loading import load_claims, suite_names

MODEL = """
name = "mine"
horizon = "1/2"
initial = "on"
states = ["on", "off"]
actions = ["go"]
transition = [
  { state = "on", action = "go", rate = "2", reward = "5", to = { off = "1/3", on = "2/3" } },
  { state = "off", action = "go", rate = "0", reward = "-1" },
]
"""
EFFORT = Effort(error=Fraction(1, 10**6))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CTUCBVI_CACHE", str(tmp_path / "cache"))
    Path("mine.toml").write_text(MODEL, encoding="utf-8")
    return tmp_path


def _run(capsys, *arguments):
    status = main(["verify", *arguments, "--json", "--workers", "0"])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("suite", ["contraction", "optimism", "lipschitz", "coverage"])
def test_every_suite_runs_on_a_model_of_one_s_own(folder, capsys, suite):
    """Rewards outside [0, 1] and a state that is never left are no obstacle."""
    count = "200" if suite == "coverage" else "12"
    status, found = _run(capsys, suite, "--model", "mine.toml", "--examples", count, "--seed", "3")
    assert status == 0
    assert found["seed"] == 3
    for one in found["claims"]:
        assert one["label"].startswith(f"{suite}/")
        assert "'mine'" in one["statement"]
        assert one["verdict"] in ("tested", "proved", "supported")


def test_suites_run_on_random_models_and_several_at_once(folder, capsys):
    status, found = _run(capsys, "contraction", "lipschitz", "--examples", "8")
    assert status == 0
    assert {one["label"].split("/")[0] for one in found["claims"]} == {"contraction", "lipschitz"}
    operator = next(one for one in found["claims"] if one["label"] == "contraction/operator")
    assert operator["evidence"]["examples"] <= 8
    assert "random models" in operator["statement"]


def test_as_many_examples_are_run_as_were_asked_for_and_few_cases_all(folder, capsys):
    arguments = ["contraction", "lipschitz", "--model", "mine.toml", "--examples", "40", "--workers", "0"]
    assert main(["verify", *arguments]) == 0
    head, *rows = capsys.readouterr().out.split("\n\n")[0].splitlines()
    start = head.index("examples"), head.index("seconds")
    assert {row.split()[0]: row[slice(*start)].strip() for row in rows} == {
        "contraction/operator": "40",
        "contraction/maximum": "all 2 cases",
        "contraction/truncated": "all 2 cases",
        "contraction/stopping": "all 3 cases",
        "lipschitz/density": "all (proof)",
        "lipschitz/waiting": "all (proof)",
        "lipschitz/rows": "40",
        "lipschitz/operator": "40",
    }


def test_too_few_trials_are_refused_in_advance_with_the_number_needed(folder, capsys):
    assert main(["verify", "coverage", "--examples", "20", "--workers", "0"]) == 2
    error = capsys.readouterr().err
    assert "--examples 20: too few trials to decide coverage/rates-learner; write at least " in error
    least = error.split()[-1]
    assert main(["verify", "coverage", "--examples", least, "--workers", "0"]) != 2
    (row,) = (row for row in capsys.readouterr().out.splitlines() if row.startswith("coverage/rates-learner"))
    assert "supported" in row
    assert f"{least} trials" in row
    assert main(["verify", "coverage", "--examples", str(int(least) - 1), "--workers", "0"]) == 2


def test_examples_of_large_models_ask_for_fewer_iterations():
    """The cost of an example grows with pairs, λmax H and iterations."""
    small, middle, large = (
        suites.Subject(find_model(n)) for n in ("machine-repair", "lower-bound-tree", "sis")
    )
    assert [s.steps(3) for s in (suites.Subject(), small, middle, large)] == [3, 3, 2, 1]
    for subject, cases in ((small, 3), (large, 2)):
        stopping = _named(suites.contraction(subject), "contraction/stopping").checks[0]
        assert len(stopping.given) == cases
        seen: list[int] = []
        check = _named(suites.optimism(subject), "optimism/values").checks[0]
        run_examples(check.given, lambda e, seen=seen: seen.append(e.steps), seed=1, examples=30)
        assert max(seen) == subject.steps(3)


def test_costs_are_checked_as_rewards_and_lumps_are_refused(folder):
    costs = MODEL.replace('name = "mine"', 'name = "costs"\nobjective = "min"')
    Path("costs.toml").write_text(costs, encoding="utf-8")
    (operator, *_) = suites.SUITES["contraction"]("costs.toml", None)
    assert "'costs'" in operator.statement
    model = suites._subject("costs.toml", None).model
    assert model.is_plain
    assert [row.reward for row in model.transitions] == [0, 1]  # costs 5 and -1
    Path("lumps.toml").write_text(MODEL.replace("to = { off", 'lump = "1", to = { off'), encoding="utf-8")
    assert main(["verify", "contraction", "--model", "lumps.toml", "--workers", "0"]) == 2


@pytest.mark.parametrize("name", ["contraction", "optimism", "lipschitz", "coverage"])
def test_every_check_of_a_suite_looks_at_the_model(name):
    model = find_model("machine-repair")
    for claim in suites.SUITES[name]("machine-repair", None):
        for check in claim.checks:
            if isinstance(check, Statistical):
                assert check.trial.look.world.model == model
            elif check.of_formula:
                bounds = claim.domain.ranges["l"].upper, claim.domain.ranges["t"].upper
                assert bounds == (model.max_rate, model.horizon)
            else:
                if isinstance(check.given, list):
                    assert all(example[0] == model for example in check.given)
                    continue
                seen: list[str] = []
                run_examples(check.given, lambda e, seen=seen: seen.append(repr(e)), seed=1, examples=5)
                assert seen
                assert all("name='machine-repair'" in text for text in seen)


def test_the_help_names_the_suites_that_there_are():
    assert sorted(SOURCE.offers) == suite_names(SOURCE)


def test_a_changed_model_is_checked_again(folder):
    def statements() -> list[str]:
        source = replace(SOURCE, suites=("contraction",), subject="mine.toml")
        return [claim.statement for claim in load_claims(source)]

    before = statements()
    Path("mine.toml").write_text(MODEL.replace('rate = "2"', 'rate = "3"'), encoding="utf-8")
    assert not set(before) & set(statements())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--model", "mine.toml"], "--model is for the property suites; name one of contraction, coverage"),
        (["lem:poisson", "--examples", "5"], "--examples is for the property suites"),
        (["contraction", "lem:poisson"], "contraction is a property suite and lem:poisson is not"),
        (["optimism", "--examples", "0"], "--examples 0: write a number from 1"),
        (["optimism", "--model", "nothing.toml"], "nothing.toml"),
        (["optimism", "--model", "reachability"], "terminal reward"),
    ],
)
def test_bad_input_is_one_line(folder, capsys, arguments, says):
    assert main(["verify", *arguments, "--workers", "0"]) == 2
    error = capsys.readouterr().err.strip()
    assert says in error
    assert "\n" not in error


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.thorough) for k in range(2, 6))])
@pytest.mark.parametrize("model", ["machine-repair", "queue", "maintenance", "lower-bound-tree", "sis"])
def test_optimism_is_decided_on_bundled_models(model, seed):
    """The search is drawn to small slack, and no example is the truth itself, which has none."""
    claim = _named(suites.SUITES["optimism"](model, None), "optimism/iterates")
    found = run_claim(claim, replace(EFFORT, seed=seed))
    assert found.verdict is Verdict.TESTED
    undecided = found.evidence.get("undecided", {"count": 0})["count"]
    assert undecided <= found.evidence["examples"] / 3  # where V = t, beyond the first piece


# --- each suite can fail on a model of the user's -------------------------------------------


def _refuted(claim: Claim) -> bool:
    return run_claim(claim, EFFORT).verdict is Verdict.REFUTED


def _named(claims, label: str) -> Claim:
    return next(claim for claim in claims if claim.label == label)


def test_a_smaller_coefficient_is_refuted():
    model = find_model("machine-repair")
    claim = _named(suites.contraction(suites.Subject(model)), "contraction/operator")
    assert _refuted(replace(claim, checks=(contracted(Fraction(9, 10), model),)))


def test_a_tenth_of_the_bonus_is_refuted():
    model = tempting(Fraction(1, 100), Fraction(1), Fraction(1, 2), up=True).model
    claim = _named(suites.optimism(suites.Subject(model)), "optimism/iterates")
    less = replace(iterates(Fraction(1, 10)), given=places(model=model), examples=(200, 200))
    assert _refuted(replace(claim, checks=(less,)))


def test_a_smaller_lipschitz_constant_is_refuted():
    model = find_model("machine-repair")
    claim = _named(suites.lipschitz(suites.Subject(model)), "lipschitz/operator")
    less = replace(operator_error(Fraction(1, 20), ONE), given=looks(model=model), examples=(300, 300))
    assert _refuted(replace(claim, checks=(less,)))
