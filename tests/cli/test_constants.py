from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from ctucbvi.bounds import CATALOGUE, VERSIONS
from ctucbvi.bounds.versions import LAZY
from tests.cli.test_plan import refused, run

SIZES = ["--S", "9", "--A", "2", "--H", "3", "--K", "1e15", "--lambda-max", "4", "--lambda-min", "1/2"]
REPAIR = ["constants", "machine-repair", "--K", "1e7", "--delta", "0.05"]
STUDY = str(Path(__file__).parents[2] / "docs" / "study" / "machine-repair.json")


def document(capsys, *arguments: str) -> dict:
    status, out, err = run(capsys, *arguments, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def test_json_has_every_constant_and_the_bounds_in_their_parts(capsys):
    found = document(capsys, "constants", *SIZES, "--digits", "25")
    assert set(found) >= {"parameters", "constants", "upper_bound", "lower_bound", "ratio"}
    assert found["parameters"]["K"] == str(10**15)
    assert [entry["name"] for entry in found["constants"]] == [constant.name for constant in CATALOGUE]
    for entry in found["constants"]:
        assert set(entry) >= {"name", "label", "expression", "value", "lower", "upper", "conditions"}
        assert all(set(condition) == {"condition", "holds"} for condition in entry["conditions"])
    upper = found["upper_bound"]
    assert set(upper) >= {"value", "factors", "epsilon_term", "trivial", "vacuous", "vacuous_until"}
    assert (Fraction(upper["trivial"]), upper["vacuous"]) == (3 * 10**15, False)
    product = Fraction(1)
    for factor in upper["factors"]:
        product *= Fraction(factor["value"])
    total = product + Fraction(upper["epsilon_term"]["value"]) + Fraction(upper["rest"]["value"])
    assert abs(total / Fraction(upper["value"]) - 1) < Fraction(1, 10**23)
    assert abs(product / Fraction(upper["value"]) - 1) > Fraction(1, 10**3)
    ratio = Fraction(upper["value"]) / Fraction(found["lower_bound"]["value"])
    assert abs(ratio / Fraction(found["ratio"]["value"]) - 1) < Fraction(1, 10**20)
    assert [version["name"] for version in upper["versions"]] == [version.name for version in VERSIONS[1:]]


def test_plans_that_are_kept_have_bounds_of_their_own(capsys):
    found = document(capsys, *REPAIR, "--replan", "1/100")
    assert found["parameters"]["eta"] == "1/100"
    versions = {one["name"]: one for one in found["upper_bound"]["versions"]}
    assert [version.name for version in LAZY] == list(versions)[-len(LAZY) :]
    assert versions["poisson-lazy"]["learner"].startswith("optimistic, plans kept")
    assert versions["poisson-lazy"]["label"] == "thm:CT-UCB/optimistic/poisson/lazy"
    assert Fraction(versions["poisson-lazy"]["value"]) > Fraction(versions["poisson"]["value"])
    assert "sqrt(1 + eta)" in [factor["name"] for factor in versions["poisson-lazy"]["factors"]]
    without = document(capsys, *REPAIR)
    assert "eta" not in without["parameters"]
    assert without["upper_bound"]["versions"] == found["upper_bound"]["versions"][: -len(LAZY)]


@pytest.mark.parametrize(("told", "says"), [("x", "replan"), ("1/0", "replan")])
def test_a_bad_factor_is_one_line(capsys, told, says):
    status, out, err = run(capsys, *REPAIR, "--replan", told)
    assert (status, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_machine_repair_as_in_the_paper(capsys):
    found = document(capsys, *REPAIR)
    upper = found["upper_bound"]
    assert (upper["value"], upper["vacuous"], upper["vacuous_until"]) == ("1352682337", True, "598775012164")
    assert upper["largest_factor"] == "sqrt(S A K)"
    assert found["lower_bound"]["value"] is None
    assert found["ratio"] is None
    by_name = {entry["name"]: entry["value"] for entry in found["constants"]}
    assert by_name["alpha"] == "8.718315468"  # for the delta given
    other = document(capsys, *REPAIR[:-2])
    assert {entry["name"]: entry["value"] for entry in other["constants"]}["alpha"] != by_name["alpha"]
    assert other["upper_bound"]["value"] == upper["value"]  # the theorem has a delta of its own


def test_the_report_names_values_conditions_and_expressions(capsys):
    status, out, err = run(capsys, *REPAIR)
    assert (status, err) == (0, "")
    assert re.search(r"^C +7\.006389000 +eq:bonus-k$", out, flags=re.MULTILINE)
    assert "      Max(1, lambda_max/(1 - exp(-H*lambda_max)))\n" in out
    assert "      if 0 < lambda_min <= lambda_max, K >= 2, 2 S A K H >= 1\n" in out
    assert re.search(r"^printed +1352682337 +598775012164 +1/\(2KH\) +CT-UCBVI$", out, flags=re.MULTILINE)
    assert re.search(
        r"^lump-sum +25165100\.82 +70381732 +1/\(2KH\) +lump-sum bonus$", out, flags=re.MULTILINE
    )
    assert re.search(r"^sharp-delta .* the one given ", out, flags=re.MULTILINE)
    assert out.count("where phi(z) = (1 - exp(-z))/z") == 1
    assert "no lower bound: thm:lowerbound needs S >= 6 and A >= 2" in out
    plain = run(capsys, *REPAIR[:-2])[1]
    assert "the one given" not in plain


def test_a_bound_outside_its_domain_names_the_condition(capsys):
    status, out, _ = run(capsys, "constants", "machine-repair", "--K", "1")
    assert status == 0
    assert re.search(r"^printed +no value: K >= 2 fails", out, flags=re.MULTILINE)
    assert "nan" not in out.replace("lambda_min", "")


def test_latex_is_a_table_of_all_constants(capsys):
    status, out, _ = run(capsys, *REPAIR, "--latex")
    lines = out.splitlines()
    assert (status, len(lines)) == (0, len(CATALOGUE) + 3)
    assert lines[0].startswith(r"\begin{longtable}")
    assert r"\max\left(1, \frac{\lambda_{\max}}{1 - e^{- H \lambda_{\max}}}\right)" in out
    assert r"\texttt{prop:rateerror/repaired}" in out
    assert all(line.endswith(r"\\") for line in lines[2:-1])
    words = re.sub(r"\$[^$]*\$", "", out)  # outside formulas
    assert not re.search(r"(?<!\\)[_^<>]", words)
    assert r"\left(C H + 1\right)" in out  # C has a row of its own


def test_a_sweep_marks_the_thresholds(capsys, tmp_path):
    picture = tmp_path / "bounds.svg"
    arguments = ["constants", "machine-repair", "--sweep", "K=1..1e14:40", "--study", STUDY]
    found = document(capsys, *arguments, "--plot", str(picture))
    assert found["sweep"]["parameter"] == "K"
    assert (found["sweep"]["values"][0], found["sweep"]["values"][-1]) == ("1", str(10**14))
    count = len(found["sweep"]["values"])
    assert all(len(column) == count for column in found["bounds"].values())
    assert found["vacuous_until"]["printed"] == "598775012164"
    columns = (found["bounds"][name] for name in ("printed", "trivial"))
    crossing = [b is not None and b < t for b, t in zip(*columns, strict=True)]
    values = [int(v) for v in found["sweep"]["values"]]
    assert [k >= 598775012164 for k in values] == crossing
    assert found["vacuous_until"]["lump-sum"] == "70381732"
    first = picture.read_bytes()
    assert b"<svg" in first
    drawn = re.findall(
        r'id="(printed|repaired|sharp|halved|lump-sum|delta|sharp-delta|trivial)"', first.decode()
    )
    assert drawn == ["printed", "sharp", "lump-sum", "trivial"]
    run(capsys, *arguments, "--plot", str(picture))
    assert picture.read_bytes() == first
    without = tmp_path / "without.svg"
    run(capsys, *arguments[:-2], "--plot", str(without))
    assert without.read_bytes() != first  # the measured regret is drawn


def test_a_picture_alone_sweeps_the_episodes(capsys, tmp_path):
    picture = tmp_path / "bounds.svg"
    found = document(capsys, "constants", "machine-repair", "--plot", str(picture), "--study", STUDY,
                     "--delta", "1/20")  # fmt: skip
    assert (found["sweep"]["values"][0], found["sweep"]["values"][-1]) == ("1", str(10**14))
    text = picture.read_text()
    assert all(f'id="{name}"' in text for name in ("delta", "sharp-delta"))  # a delta was given


def test_the_lower_bounds_that_hold_are_named(capsys):
    few = ["constants", "--A", "2", "--H", "2", "--lambda-max", "3", "--lambda-min", "1"]
    both = run(capsys, *few, "--S", "9", "--K", "100")[1]
    assert re.findall(r"^lower bound: \S+ (.*)$", both, flags=re.M) == [
        "as printed",
        "with the constant proved",
    ]
    one = run(capsys, *few, "--S", "9", "--K", "5")[1]
    assert re.findall(r"^lower bound: \S+ (.*)$", one, flags=re.M) == ["with the constant proved"]
    turns = run(capsys, *few, "--S", "11", "--K", "100")[1]
    every = "with the constant proved for every S and A"
    assert re.findall(r"^lower bound: \S+ (.*)$", turns, flags=re.M) == [
        every,
        "for models without self-jumps",
    ]
    other = run(capsys, *few, "--S", "10", "--K", "1")[1]
    assert re.findall(r"^lower bound: \S+ (.*)$", other, flags=re.M) == [every]
    assert "upper over lower bound: " in other
    lower = document(capsys, *few, "--S", "9", "--K", "5")["lower_bound"]
    assert lower["every_K"]["label"] == "thm:lowerbound/every-K"
    assert lower["value"] is None
    assert lower["repaired"]["value"] is None
    found = document(capsys, *few, "--S", "10", "--K", "5")
    lower = found["lower_bound"]["every_size"]
    assert lower["label"] == "thm:lowerbound/every-size/every-K"
    (best,) = (v for v in found["upper_bound"]["versions"] if v["name"] == "poisson")
    ratio = Fraction(best["value"]) / Fraction(lower["value"])
    assert abs(Fraction(found["ratio_optimistic"]["value"]) / ratio - 1) < Fraction(1, 10**6)


def test_a_sweep_as_text(capsys):
    status, out, err = run(capsys, *REPAIR, "--sweep", "H=1/10..2:5")
    assert (status, err) == (0, "")
    assert out.splitlines()[0].split()[:3] == ["H", "printed", "sharp"]
    assert len(out.splitlines()) == 6
    status, out, _ = run(capsys, "constants", "machine-repair", "--sweep", "K=1..100:5")
    assert "printed: below K H from K = 598775012164" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["machine-repair"], "--K is missing"),
        (["--S", "2", "--K", "5"], "--A, --H, --lambda-max: missing"),
        (["machine-repair", "--K", "5", "--H", "2"], "--H: the model has its own"),
        (["machine-repair", "--K", "5/2"], "K: 5/2 is not a whole number"),
        (["machine-repair", "--K", "5", "--delta", "small"], "delta: 'small' is not a number"),
        (["machine-repair", "--K", "5", "--epsilon", "1/k"], "epsilon: '1/k' is unknown"),
        (["machine-repair", "--K", "5", "--lambda-max", "3"], "--lambda-max 3: model 'machine-repair' has"),
        (["machine-repair", "--K", "5", "--lambda-min", "3"], "--lambda-min 3: model 'machine-repair' has"),
        (["machine-repair", "--K", "5", "--digits", "0"], "--digits 0"),
        (["machine-repair", "--K", "5", "--study", STUDY], "--study is drawn over K"),
        (
            ["machine-repair", "--K", "5", "--sweep", "H=1..2", "--plot", "x.svg", "--study", STUDY],
            "--study is drawn over K",
        ),
        (["machine-repair", "--sweep", "K=9..1"], "--sweep K: 9..1 is no range"),
        (["machine-repair", "--sweep", "K=1..9", "--plot", "x.gif"], "unknown kind of picture"),
        (["machine-repair", "--sweep", "K=1..9", "--latex"], "--latex prints the table"),
        (["machine-repair", "--sweep", "K=1..9", "--study", STUDY], "--study is drawn over K"),
        (["machine-repair", "--sweep", "K=1..9", "--plot", "x.svg", "--study", "no.json"], "cannot be read"),
        (["queue", "--sweep", "K=1..9", "--plot", "x.svg", "--study", STUDY], "is about 'machine-repair'"),
        (["no-such-model", "--K", "5"], "no-such-model"),
    ],
    ids=str,
)
def test_bad_input_is_one_line(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in refused(capsys, "constants", *arguments)


def test_a_file_that_is_no_study_is_refused(capsys, tmp_path):
    file = tmp_path / "other.json"
    file.write_text('{"format": "something else"}')
    arguments = [
        "machine-repair",
        "--sweep",
        "K=1..9",
        "--plot",
        str(tmp_path / "x.svg"),
        "--study",
        str(file),
    ]
    assert "is no regret study" in refused(capsys, "constants", *arguments)
