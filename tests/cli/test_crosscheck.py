"""The command ``ctucbvi crosscheck``."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import ctucbvi
from ctucbvi import peers, second_opinion
from ctucbvi.cli import main
from ctucbvi.commands import crosscheck
from ctucbvi.library import machine_repair
from tests.hostile import contact


def run(capsys, *arguments) -> tuple[int, str, str]:
    status = main([str(a) for a in ("crosscheck", *arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def test_one_model_both_problems(capsys):
    status, out, _ = run(capsys, "machine-repair", "--json")  # stderr may tell that compiling takes a while
    document = json.loads(out)
    assert (status, document["agree"]) == (0, True)
    assert [r["semantics"] for r in document["results"]] == ["committed", "adjustable"]
    for result in document["results"]:
        assert result["verdict"] == "agree"
        assert result["difference"] <= result["claimed"] == 1e-9
        assert result["difference"] <= result["proved"] < 1e-9
        assert result["second_difference"] <= result["stated"] < 1e-20
        assert result["switch_difference"] < 1e-7
        assert [set(s) for s in result["switches"]] == [
            {"state", "t", "lower", "upper", "before", "after"}
        ] * 2
        assert (result["undecided"], result["doubts"]) == ([], [])


def test_text_shows_bounds_and_switching_times(capsys):
    status, out, _ = run(capsys, "machine-repair", "--semantics", "committed", "--tolerance", "1e-6")
    assert status == 0
    assert "0.64105556983992198683" in out
    assert "0.62531569552720888285" in out
    assert "1.0e-06" in out
    assert out.endswith("1 of 1 agree\n")


def test_random_models_by_seed(capsys):
    arguments = ("machine-repair", "--random", "2", "--semantics", "committed", "--json", "--seed")
    names = []
    for seed in (1, 1, 2):
        status, out, _ = run(capsys, *arguments, seed)
        assert status == 0
        names.append([(r["model"], r["value"]) for r in json.loads(out)["results"]])
    assert names[0] == names[1] != names[2]
    assert len(names[0]) == 3


def test_without_models_the_bundled_ones_and_corners(capsys, monkeypatch):
    monkeypatch.setattr(crosscheck, "bundled_models", lambda: {"machine-repair": machine_repair()})
    status, out, _ = run(capsys, "--random", "1", "--semantics", "committed")
    assert status == 0
    for name in ("machine-repair", "touching-at-zero", "random-0-1"):
        assert name in out
    assert out.endswith("14 of 14 agree\n")
    _, out, _ = run(capsys, "--random", "0", "--semantics", "committed")
    assert out.endswith("1 of 1 agree\n")


def test_a_failure_is_written_as_a_small_model_that_plan_reads(capsys, monkeypatch, tmp_path):
    solve = ctucbvi.solve

    def wrong(model, *rest, **options):
        return solve(model.with_rewards(scale=Fraction(10**12 + 1, 10**12)), *rest, **options)

    monkeypatch.setattr(crosscheck, "solve", wrong)
    file = tmp_path / "failure.toml"
    status, out, err = run(capsys, "reachability", "--semantics", "committed", "--failing", file)
    assert status == 1
    assert "DISAGREE" in out
    assert "reachability, committed: second opinion: V(" in out
    assert out.endswith("0 of 1 agree: NOT ALL\n")
    assert err.endswith(f"; smallest failing model in {file}\n")
    blamed = err.split(": ")[2]
    small = ctucbvi.load_model(file)
    assert len(small.transitions) <= 2
    assert "starting from reachability" in small.source
    assert small.shows.startswith(f"committed: {blamed}: ")
    monkeypatch.undo()
    assert main(["plan", str(file)]) == 0


def test_too_little_budget_is_undecided_and_the_others_go_on(capsys, monkeypatch):
    solve = ctucbvi.solve

    def tired(model, semantics, **options):
        if semantics == "committed":
            raise ctucbvi.UndecidedError("undecided: no time")
        return solve(model, semantics, **options)

    monkeypatch.setattr(crosscheck, "solve", tired)
    status, out, err = run(capsys, "machine-repair")
    assert (status, err) == (1, "ctucbvi: machine-repair, committed: undecided: no time\n")
    assert out.endswith("1 of 2 agree: NOT ALL\n")


# --- tables of values ----------------------------------------------------------------------


def table(tmp_path, text: str, name: str = "values.csv"):
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def good_rows(digits: int = 25) -> list[tuple[str, str, str, str]]:
    solution = ctucbvi.solve(machine_repair(), digits=digits)
    rows = []
    for state, action in (("operating", "slow"), ("repair", "fast")):
        for t in ("0", "7/10", "1"):
            rows.append((state, t, solution.value(state, t).decimals(digits)[0], action))
    return rows


def csv_text(rows) -> str:
    return "state,t,value,action\n" + "".join(",".join(row) + "\n" for row in rows)


def test_good_values_pass_exactly(capsys, tmp_path):
    file = table(tmp_path, csv_text(good_rows()))
    status, out, err = run(capsys, "machine-repair", "--values", file, "--tolerance", "1e-24")
    assert (status, err) == (0, "")
    assert out.endswith("6 of 6 rows within 1e-24\n")


def test_json_values_with_bare_numbers(capsys, tmp_path):
    rows = [f'{{"state": "{s}", "t": "{t}", "value": {v}}}' for s, t, v, _ in good_rows()]
    file = table(tmp_path, "[" + ",".join(rows) + "]", "values.json")
    status, out, _ = run(capsys, "machine-repair", "--values", file, "--tolerance", "1e-24", "--json")
    document = json.loads(out)
    assert (status, document["agree"], document["rows"], document["outside"]) == (0, True, 6, 0)


@pytest.mark.parametrize(
    ("row", "change"),
    [
        (2, {2: "0.6410556"}),  # a value with few digits
        (1, {1: "3/5"}),  # a value of another time
        (2, {3: "fast"}),  # a wrong action
        (5, {0: "operating", 3: "slow"}),  # a value of another state
        (2, {2: "1e900"}),  # beyond all doubles
    ],
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_wrong_row_is_shown_first_and_status_1(capsys, tmp_path, row, change, form):
    rows = [list(r) for r in good_rows()]
    for column, text in change.items():
        rows[row][column] = text
    arguments = ("machine-repair", "--values", table(tmp_path, csv_text(rows)))
    status, out, _ = run(capsys, *arguments, *(["--json"] if form == "json" else []))
    assert status == 1
    if form == "json":
        document = json.loads(out)
        assert (document["agree"], document["outside"]) == (False, 1)
        assert document["worst"][0]["state"] == rows[row][0]
        assert [r["within"] for r in document["worst"]] == [False] + [True] * 5
    else:
        assert out.splitlines()[3].endswith("OUTSIDE")
        assert out.endswith("5 of 6 rows within 1e-9: NOT ALL\n")


def test_the_values_of_the_other_problem_are_outside(capsys, tmp_path):
    file = table(tmp_path, csv_text(good_rows()))
    assert run(capsys, "machine-repair", "--values", file, "--semantics", "adjustable")[0] == 1


def test_values_that_cannot_be_judged_are_status_1(capsys, monkeypatch, tmp_path):
    from ctucbvi.crosscheck import answers

    def tired(*arguments, **options):
        raise ctucbvi.UndecidedError("undecided: no time")

    monkeypatch.setattr(answers, "solve", tired)
    file = table(tmp_path, csv_text([("operating", "1", "0", ""), ("repair", "1", "0", "")]))
    assert run(capsys, "machine-repair", "--values", file) == (1, "", "ctucbvi: undecided: no time\n")


HEAD = "state,t,value,action\n"
FULL = HEAD + "operating,1,0.64,slow\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("v.csv", "", "v.csv: empty"),
        ("v.csv", HEAD, "v.csv: no rows"),
        ("v.csv", FULL, "v.csv: no row for repair"),
        ("v.csv", FULL + "broken,1,0,\n", "v.csv: row 2: state 'broken' is not in model 'machine-repair'"),
        ("v.csv", FULL + "repair,1.01,0,\n", "v.csv: row 2: remaining time 101/100 is outside [0, 1]"),
        ("v.csv", FULL + "repair,-1/2,0,\n", "v.csv: row 2: remaining time -1/2 is outside [0, 1]"),
        ("v.csv", FULL + "repair,1,nan,\n", "v.csv: row 2: value: nan is not finite"),
        ("v.csv", FULL + "repair,1,-inf,\n", "v.csv: row 2: value: -inf is not finite"),
        ("v.csv", FULL + "repair,inf,0,\n", "v.csv: row 2: t: inf is not finite"),
        ("v.csv", FULL + "repair,1,about 1,\n", "v.csv: row 2: value: 'about 1' is not a number"),
        ("v.csv", FULL + "repair,1,1/0,\n", "v.csv: row 2: value: '1/0' divides by zero"),
        ("v.csv", FULL + "repair,1,1e99999,\n", "v.csv: row 2: value: '1e99999' has an exponent beyond"),
        ("v.csv", FULL + "repair,1,,\n", "v.csv: row 2: value: '' is not a number"),
        ("v.csv", FULL + "repair,1,0,medium\n", "row 2: state 'repair' does not offer 'medium'; choose from"),
        ("v.csv", FULL + "repair,1\n", "v.csv: row 2 does not have 4 columns"),
        ("v.csv", FULL + "repair,1,0,slow,x\n", "v.csv: row 2 does not have 4 columns"),
        ("v.csv", "state,value\noperating,1\n", "v.csv: column 't' is missing"),
        ("v.csv", "operating,1,0.64\n", "v.csv: column 'state' is missing"),
        ("v.csv", "state,t,t,value\n", "v.csv: a column is given twice"),
        ("v.csv", 'state,t,value\n"operating,1,1\n', "v.csv: line 2: not CSV"),
        ("v.csv", b"\xff\xfe\x00", "v.csv: not UTF-8 text"),
        ("v.json", '[{"state": "operating"', "v.json: line 1: not JSON"),
        ("v.json", '{"state": "operating"}', "v.json: not a list"),
        ("v.json", "[1]", "v.json: row 1 is not an object"),
        ("v.json", '[{"state": "operating", "t": 1}]', "v.json: row 1: 'value' is missing"),
        ("v.json", '[{"state": "operating", "t": 1, "value": NaN}]', "row 1: value: NaN is not finite"),
        ("v.json", '[{"state": "operating", "t": true, "value": 1}]', "row 1: t: True is not a number"),
        ("v.json", '[{"state": ["operating"], "t": 1, "value": 1}]', "row 1: state ['operating'] is not in"),
        ("v.json", '[{"state": "operating", "t": 1, "value": 1, "action": 3}]', "does not offer '3'"),
        ("v.json", "[" * 10**5, "v.json: nested too deeply"),
        ("v.txt", "state,t,value\n", "v.txt: its name does not tell the format"),
    ],
)
def test_a_bad_table_is_one_line_and_status_2(capsys, tmp_path, name, text, message):
    status, out, err = run(capsys, "machine-repair", "--values", table(tmp_path, text, name))
    assert (status, out) == (2, "")
    assert err.count("\n") == 1, err
    assert message in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--values", "no-such.csv"], "name exactly one MODEL"),
        (["machine-repair", "queue", "--values", "no-such.csv"], "name exactly one MODEL"),
        (["machine-repair", "--values", "no-such.csv"], "no-such.csv: cannot be read"),
        (["machine-repair", "--values", "v.csv", "--semantics", "both"], "write committed or adjustable"),
        (["machine-repair", "--tolerance", "0"], "--tolerance 0: write a number above 0"),
        (["machine-repair", "--tolerance", "1e900"], "write a number above 0, for example 1e-9"),
        (["machine-repair", "--tolerance", "small"], "--tolerance: 'small' is not a number"),
        (["machine-repair", "--tolerance", "1e-30"], "is not between 1e-14 and 1"),
        (["--random", "-1"], "--random -1: write a number from 0"),
        (["machine-repair", "--failing", "failure.txt"], "end it in .toml or .json"),
        (["machine-repair", "--digits", "4"], "write a number from 5 to 200"),
    ],
)
def test_bad_requests_are_one_line_and_status_2(capsys, arguments, message):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err


def test_actions_that_touch_are_compared_and_where_there_is_no_second_opinion_it_says_so(
    capsys, tmp_path, monkeypatch
):
    file = tmp_path / "touching.toml"
    ctucbvi.save_model(contact(3), file)
    status, out, _ = run(capsys, file, "--semantics", "committed", "--json")
    (result,) = json.loads(out)["results"]
    assert (status, result["verdict"]) == (0, "agree")
    assert result["second_difference"] <= result["stated"] < 1e-20
    monkeypatch.setattr(second_opinion, "_SEARCH_BUDGET", 10)
    status, out, _ = run(capsys, file, "--semantics", "committed", "--json")
    (result,) = json.loads(out)["results"]
    assert (status, result["verdict"], result["complaints"]) == (1, "undecided", [])
    assert result["second_difference"] is result["stated"] is result["second_switch_difference"] is None
    assert result["difference"] <= result["proved"]
    (why,) = result["undecided"]
    assert why.startswith("second opinion on 'contact' at remaining time 0.6")
    assert why.endswith("two actions stay too close; ask for other digits")
    status, out, err = run(capsys, file, "--semantics", "committed")
    assert (status, why in out) == (1, True)
    assert "0 of 1 agree: NOT ALL" in out
    assert "Traceback" not in err


def test_peers_are_asked_or_left_out_with_the_reason(capsys):
    status, out, _ = run(capsys, "reachability", "--peers", "--json")
    document = json.loads(out)
    assert status == 0
    assert {entry["peer"] for entry in document["peers"]} == {"quantecon", "stormpy"}
    missing = {peer for peer, reason in peers.available().items() if reason is not None}
    assert {entry["peer"] for entry in document["peers"] if "model" not in entry} == missing
    assert all(entry["agree"] for entry in document["peers"] if "agree" in entry)
    assert "third opinions" in run(capsys, "reachability", "--peers")[1]


def test_a_peer_that_agrees_is_listed_with_its_difference(capsys, monkeypatch):
    """With a peer that is always there: the second opinion, disguised."""

    def disguised(model, semantics, *, peer, epsilon):
        found = second_opinion.solve(model, semantics, digits=15)
        return peers.Opinion(
            peer, {x: float(found.value(x).mid) + epsilon / 2 for x in model.states}, epsilon
        )

    monkeypatch.setattr(peers, "available", lambda: {"stormpy": None, "quantecon": "not installed"})
    monkeypatch.setattr(peers, "third_opinion", disguised)
    status, out, _ = run(capsys, "reachability", "--peers", "--json")
    *asked, left_out = json.loads(out)["peers"]
    assert status == 0
    assert [(e["peer"], e["model"], e["semantics"], e["agree"]) for e in asked] == [
        ("stormpy", "reachability", semantics, True) for semantics in ("committed", "adjustable")
    ]
    assert all(abs(e["difference"] - e["stated"] / 2) < 1e-9 for e in asked)
    assert left_out == {"peer": "quantecon", "left_out": "not installed"}


def test_a_peer_that_disagrees_is_status_1(capsys, monkeypatch):
    def wrong(model, semantics, *, peer, epsilon):
        return peers.Opinion(peer, dict.fromkeys(model.states, 0.123), epsilon)

    monkeypatch.setattr(peers, "available", lambda: {"stormpy": None})
    monkeypatch.setattr(peers, "third_opinion", wrong)
    status, out, _ = run(capsys, "reachability", "--peers")
    assert status == 1
    assert "DISAGREE" in out
