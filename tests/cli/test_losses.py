from __future__ import annotations

import json
from itertools import pairwise

import pytest

from tests.cli.test_plan import refused, run

SMALL = ["losses", "machine-repair", "--episodes", "2000", "--runs", "2", "--seed", "4", "--workers", "1"]


def test_json_is_one_document(capsys):
    status, out, err = run(capsys, *SMALL, "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert (document["runs"], document["seed"], document["settings"]["delta"]) == (2, 4, "1/4000")
    rows = document["links"]
    assert (rows[0]["label"], rows[-1]["label"]) == ("eq:regret", "eq:regret-bound")
    assert rows[0]["factor"] is None
    for before, row in pairwise(rows):
        assert row["factor"] == pytest.approx(row["value"] / before["value"], rel=1e-8)
        if row["kind"] == "on every path":
            assert row["held_in_runs"] == 2
    assert document["trivial"] == 2000
    assert document["apart"]["outside"] == pytest.approx(1)


def test_the_table_has_a_row_and_a_sentence_for_every_link(capsys, tmp_path):
    figure = tmp_path / "losses.svg"
    status, out, err = run(capsys, *SMALL, "--figure", str(figure))
    assert (status, err) == (0, "")
    labels = "lem:optimism lem:v-v-continuoustime eq:r2 prop:rateerror eq:CS1 eq:CS2 eq:CS3 pigeon-hole"
    for label in (*labels.split(), "cauchy-schwarz", "eq:JM-eq", "eq:term1-3", "eq:regret-bound"):
        assert label in out
    assert "all factors together" in out
    assert figure.read_text().lstrip().startswith("<?xml")


def test_another_delta_is_taken(capsys):
    _, out, _ = run(capsys, *SMALL, "--delta", "1/20", "--json")
    assert json.loads(out)["apart"]["outside"] == pytest.approx(200)


def test_status_1_if_an_inequality_of_every_path_fails(capsys, monkeypatch):
    from ctucbvi.losses import Chain, LinkKind

    monkeypatch.setattr(
        Chain, "broken", lambda self: tuple(link for link in self.links if link.kind is LinkKind.PATH)[:1]
    )
    status, _, err = run(capsys, *SMALL)
    assert status == 1
    assert err == "ctucbvi: horizon for remaining time: eq:r2 did not hold on every path\n"


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["machine-repair", "--episodes", "0"], "episodes: 0"),
        (["machine-repair", "--episodes", "1"], "K = 1"),
        (["machine-repair", "--episodes", "9", "--lambda-min", "2"], "lambda_min"),
        (["machine-repair", "--episodes", "9", "--runs", "0"], "runs"),
        (["machine-repair", "--episodes", "9", "--workers", "0"], "--workers"),
        (["machine-repair", "--episodes", "9", "--figure", "x.txt"], "unknown kind of picture"),
        (["no-such-model", "--episodes", "9"], "no-such-model"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, fragment):
    assert fragment in refused(capsys, "losses", *arguments)


def test_it_resumes_like_a_regret_study(capsys, tmp_path):
    short = [*SMALL, "--out", str(tmp_path), "--block", "300"]
    plain = json.loads(run(capsys, *SMALL, "--json")[1])
    assert run(capsys, *short, "--runs", "1")[0] == 0
    (file,) = tmp_path.rglob("run-*.json")
    assert json.loads(file.read_text())["identity"]["kind"] == "losses"
    kept = file.stat().st_mtime_ns
    found = json.loads(run(capsys, *short, "--json")[1])
    assert file.stat().st_mtime_ns == kept  # what was there is not computed again
    for document in (plain, found):
        document.pop("seconds")
    assert found == plain
    assert "seed is 4 there and 5 here" in refused(capsys, *short, "--seed", "5")


def test_a_pair_of_rate_0_is_named_where_it_leaves_no_bound(capsys):
    queue = ["losses", "queue", "--episodes", "50", "--rescale=1/14,4/7"]
    assert "0/reject never jumps (rate 0)" in refused(capsys, *queue)


OPTIMISTIC = [*SMALL, "--bonus", "optimistic", "--steps", "20"]


@pytest.mark.parametrize(
    ("rates", "label"), [("paper", "thm:CT-UCB/optimistic"), ("poisson", "thm:CT-UCB/optimistic/poisson")]
)
def test_the_optimistic_learner_has_its_own_theorem(capsys, tmp_path, rates, label):
    kept = ["--rates", rates, "--out", str(tmp_path / "kept"), "--block", "700"]
    plain = json.loads(run(capsys, *OPTIMISTIC, "--rates", rates, "--json")[1])
    assert run(capsys, *OPTIMISTIC, *kept, "--runs", "1")[0] == 0
    status, out, err = run(capsys, *OPTIMISTIC, *kept, "--json")  # one run from there, one new
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert found.pop("seconds") >= 0 <= plain.pop("seconds")
    assert found == plain
    assert (found["settings"]["delta"], found["apart"]) == ("1/4000", {"outside": pytest.approx(1)})
    assert found["links"][-1]["label"] == label
    status, out, _ = run(capsys, *OPTIMISTIC, *kept, "--figure", str(tmp_path / "losses.png"))
    assert status == 0
    assert "terms apart: estimates outside their radii 1\n" in out
    for row in found["links"]:
        assert row["name"] in out


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["--jumps", "kl"], "the proof for kl is not drawn"),
        (["--lambda-min", "2"], "the learner that knows no lambda_min"),
        (["--epsilon", "k^-2/3"], "epsilon"),
    ],
)
def test_the_optimistic_learner_without_a_theorem_is_refused_in_one_line(capsys, arguments, fragment):
    assert fragment in refused(capsys, *OPTIMISTIC, *arguments)


def test_the_optimistic_learner_needs_no_least_rate(capsys):
    queue = ["losses", "queue", "--episodes", "50", "--runs", "1", "--workers", "1", "--rescale=1/14,4/7"]
    document = json.loads(run(capsys, *queue, "--bonus", "optimistic", "--steps", "20", "--json")[1])
    assert document["settings"]["delta"] == "1/100"
