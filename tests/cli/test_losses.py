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
    from ctucbvi.losses import Chain, Kind

    monkeypatch.setattr(
        Chain, "broken", lambda self: tuple(link for link in self.links if link.kind is Kind.PATH)[:1]
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
