"""The command ``ctucbvi verify``."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from ctucbvi.cli import main
from tests.fake_claims import write
from verify import progress
from verify.recheck.__main__ import main as recheck_main


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    for name in ("CTUCBVI_CACHE", "VERIFY_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / "cache"))


@pytest.fixture
def verify(tmp_path, capsys):
    """Run the command on claims with this body, in this process."""

    def run(body, *arguments):
        command = ["verify", "--claims", str(write(tmp_path, body)), "--workers", "0", *map(str, arguments)]
        status = main(command)
        return (status, *capsys.readouterr())

    return run


GOOD = """
CLAIMS = [
    fake("thm:main", "proved", ["lem:a", "lem:b"], expected="proved", source="thm:main", latex="x \\\\le 1"),
    fake("lem:a", "proved-on-box", expected={"quick": "proved-on-box", "thorough": "proved"}),
    fake("lem:b", "refuted", ["ass:c"], expected="refuted", kind="step"),
    claim("ass:c", "from elsewhere", kind="cited", checks=[]),
    claim("chance", "words", checks=[Fake("supported", random=True)]),
]
"""


def test_expected_verdicts_are_status_0_also_refuted_ones(verify):
    status, out, err = verify(GOOD)
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["label", "kind", "verdict", "transitive", "expected", "slack", "seconds"]
    assert lines[1][:6] == ["thm:main", "statement", "proved", "refuted", "proved", "-"]
    assert lines[3][:6] == ["lem:b", "step", "refuted", "refuted", "refuted", "-"]
    assert lines[4][:6] == ["ass:c", "cited", "assumed", "assumed", "-", "-"]
    assert out.splitlines()[-4:] == [
        "5 claims (quick): 1 proved, 1 proved-on-box, 1 supported, 1 assumed, 1 refuted; all as expected",
        "error budget: 1e-06 for the whole run, shared by 1 random check",
        "assumed, cited or argued in words: ass:c",
        "1 proved: 0 by certificate, identity or limit, 0 by derivation, 1 by code (named), 0 by nothing; "
        "1 more on a part of the domain",
    ]
    kept = "3 of them, and of the refuted, kept from earlier runs; --recheck keeps none"
    assert verify(GOOD)[1].splitlines()[-1].endswith(f"on a part of the domain ({kept})")
    for option in ("--recheck", "--fresh"):
        assert verify(GOOD, option)[1].splitlines()[-1].endswith("on a part of the domain")


def test_json_follows_the_contract(verify):
    status, out, err = verify(GOOD, "--json", "--seed", 7)
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert set(document) == {"claims", "settings", "summary", "profile", "seed", "versions"}
    assert (document["profile"], document["seed"]) == ("quick", 7)
    assert {"python", "sympy", "python-flint", "mpmath", "numpy", "hypothesis", "numba"} <= set(
        document["versions"]
    )
    first, _, third, *_ = document["claims"]
    assert {
        "label", "kind", "source", "statement", "domain", "uses", "verdict", "transitive", "expected",
        "evidence", "witness", "slack", "seconds", "latex", "says", "formula", "area", "symbols", "theorem",
        "setting", "rests", "elementary", "point", "proof",
    } == set(first)  # fmt: skip
    assert (first["label"], first["uses"], first["source"]) == ("thm:main", ["lem:a", "lem:b"], "thm:main")
    assert (first["verdict"], first["transitive"], first["expected"]) == ("proved", "refuted", "proved")
    assert (first["latex"], first["evidence"]) == (
        "x \\le 1",
        {"complete": True, "cases": 1, "seed": 7, "check": "fake"},
    )
    assert first["proof"] == {"code": {"check": "fake", "complete": True, "cases": 1}}
    assert third["witness"] == {"line": "print(True)"}
    summary = document["summary"]
    assert (summary["total"], summary["unexpected"], summary["assumed"]) == (5, [], ["ass:c"])
    holding = dict.fromkeys(["proved", "proved-on-box", "supported", "assumed"], 1)
    assert summary["verdicts"] == {**holding, "tested": 0, "undecided": 0, "refuted": 1}
    assert summary["transitive"]["refuted"] == 2
    assert summary["error_budget"] == {"total": "1/1000000", "random_checks": 1, "each": "1/1000000"}


def test_what_is_elementary_is_counted_apart(verify, tmp_path):
    body = """
CLAIMS = [
    fake("a", "proved", expected="proved", elementary=True),
    fake("b", "proved", expected="proved"),
    fake("c", "tested", expected="tested", elementary=True),
]
"""
    page = tmp_path / "page.md"
    status, out, _ = verify(body, "--ledger", page)
    counts = "2 proved (of which 1 elementary), 1 tested"
    assert (status, f"3 claims (quick): {counts}; all as expected" in out) == (0, True)
    assert f"3 claims: {counts}." in page.read_text(encoding="utf-8")
    document = json.loads(verify(body, "--json")[1])
    assert document["summary"]["elementary"] == 1
    assert [one["elementary"] for one in document["claims"]] == [True, False, True]


@pytest.mark.parametrize(
    ("verdict", "expected", "message"),
    [
        ("refuted", "'proved'", "expected proved, found refuted"),
        ("proved", "'tested'", "expected tested, found proved"),  # better is another verdict too
        ("undecided", "{'thorough': 'undecided'}", "nothing expected, found undecided"),
        ("refuted", "None", "nothing expected, found refuted"),
        ("crash", "'undecided'", "check fake failed: ZeroDivisionError: no such number (mine.py, line 27)"),
    ],
)
def test_a_changed_verdict_is_status_1_and_says_which(verify, verdict, expected, message):
    body = f"CLAIMS = [fake('good', 'proved'), fake('bad', {verdict!r}, expected={expected})]"
    status, out, err = verify(body)
    assert (status, err) == (1, f"ctucbvi: bad: {message}\n")
    assert "1 NOT AS EXPECTED" in out
    status, out, _ = verify(body, "--json")
    (wrong,) = json.loads(out)["summary"]["unexpected"]
    assert (status, wrong["label"], wrong["message"]) == (1, "bad", message)


@pytest.mark.parametrize("verdict", ["proved", "proved-on-box", "supported", "tested", "assumed"])
def test_nothing_expected_is_fine_when_the_claim_holds(verify, verdict):
    assert verify(f"CLAIMS = [fake('a', {verdict!r})]")[0] == 0


def test_the_expectation_is_that_of_the_profile(verify):
    body = "CLAIMS = [fake('a', 'proved', expected={'quick': 'proved', 'thorough': 'tested'})]"
    assert verify(body)[0] == 0
    status, _, err = verify(body, "--profile", "thorough")
    assert (status, err) == (1, "ctucbvi: a: expected tested, found proved\n")


def test_slack_is_shown_as_a_ratio_or_a_difference(verify):
    body = """
@dataclass(frozen=True)
class Slack(Fake):
    def run(self, claim, effort):
        return Finding(self.name, Verdict.PROVED, {"complete": True, "cases": 1}, None, self.evidence)
CLAIMS = [
    claim("a", "words", checks=[Slack("proved", evidence={"ratio": "0.020000001", "difference": "1"})]),
    claim("b", "words", checks=[Slack("proved", evidence={"difference": "1.00e-30"})]),
    claim("c", "words", checks=[Slack("proved", evidence={"ratio": "tiny"})]),
    claim("d", "words", checks=[Slack("proved", evidence={})]),
]
"""
    rows = [line.split("  ") for line in verify(body)[1].splitlines()[1:5]]
    assert [[cell for cell in row if cell][5].strip() for row in rows] == ["0.02", "gap 1e-30", "tiny", "-"]


def test_labels_and_patterns_select_with_what_they_use(verify):
    def selected(*wanted):
        return [claim["label"] for claim in json.loads(verify(GOOD, "--json", *wanted)[1])["claims"]]

    assert selected("chance") == ["chance"]
    assert selected("lem:b") == ["lem:b", "ass:c"]
    assert selected("lem:*") == ["lem:a", "lem:b", "ass:c"]
    assert selected("chance", "thm:main") == ["thm:main", "lem:a", "lem:b", "ass:c", "chance"]


def test_a_selection_gives_the_results_of_the_whole(verify):
    body = """
@dataclass(frozen=True)
class Share(Fake):
    def run(self, claim, effort):
        return Finding(self.name, Verdict.SUPPORTED, {"share": str(effort.error)})
CLAIMS = [claim(label, "words", checks=[Share("supported", random=True)]) for label in "abcd"]
"""
    whole = json.loads(verify(body, "--json")[1])
    part = json.loads(verify(body, "--json", "--fresh", "c")[1])
    assert (
        part["claims"][0]["evidence"]
        == whole["claims"][2]["evidence"]
        == {"share": "1/4000000", "check": "fake"}
    )
    assert part["summary"]["error_budget"] == whole["summary"]["error_budget"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lem:aa"], "no claim 'lem:aa'; did you mean lem:a"),
        (["zzz*"], "no claim 'zzz*'; see ctucbvi claims"),
        (["--workers", "-1"], "--workers -1: write a number from 0 to 1024"),
        (["--seed", "-1"], "--seed -1: write a number from 0"),
    ],
)
def test_bad_input_is_one_line_and_status_2(verify, arguments, message):
    status, out, err = verify(GOOD, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"ctucbvi: {message}")


def test_a_broken_file_is_one_line_and_status_2(verify):
    status, out, err = verify("CLAIMS = [fake('a', 'proved', ['b'])]")
    assert (status, out) == (2, "")
    assert err == "ctucbvi: claim a: uses 'b', which is no claim; correct the label\n"


def test_an_unwritable_cache_is_a_warning(verify, monkeypatch, tmp_path):
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("CTUCBVI_CACHE", str(tmp_path / "taken"))
    status, _, err = verify(GOOD)
    assert status == 0
    assert err.startswith("ctucbvi: results cannot be kept in ")


PROOFS = """
CLAIMS = [
    claim("lem:x", "words", says="0 <= x", domain="x >= 0", expected="proved"),
    claim("lem_X", "words", says="x <= exp(x)", domain="x >= 0", expected="proved"),
    fake("../no", "refuted", expected="refuted"),
]
"""


def test_certificates_are_written(verify, tmp_path):
    folder = tmp_path / "new" / "proofs"
    status, out, _ = verify(PROOFS, "--json", "--certificates", folder)
    assert status == 0
    assert sorted(file.name for file in folder.iterdir()) == [
        "_no.witness.json",
        "lem_X-2.json",
        "lem_x.json",
    ]
    for claim, name in zip(json.loads(out)["claims"], ("lem_x", "lem_X-2"), strict=False):
        assert (
            json.loads((folder / f"{name}.json").read_text()) == claim["proof"]["formula"]["certificates"][0]
        )
        assert recheck_main([str(folder / f"{name}.json")]) == 0
    assert json.loads((folder / "_no.witness.json").read_text()) == {"line": "print(True)"}


def test_a_folder_that_cannot_be_made_is_said(verify, tmp_path):
    (tmp_path / "taken").write_text("")
    status, out, err = verify(PROOFS, "--certificates", tmp_path / "taken")
    assert (status, out) == (2, "")
    assert err.splitlines()[-1].startswith(
        f"ctucbvi: --certificates {tmp_path / 'taken'}: cannot be written: "
    )


def test_progress_says_how_far_it_is(verify, monkeypatch):
    monkeypatch.setattr(progress, "_SILENT", 0)
    monkeypatch.setattr(progress, "_EVERY", 0)
    _, _, err = verify("CLAIMS = [fake('a', 'proved'), fake('b', 'proved')]")
    spent = re.sub(r"after \d+ s", "after 0 s", err)  # a busy machine may take longer
    read = "".join(
        f"verify: {k} of 2 proofs and witnesses read by a fresh process after 0 s\n" for k in range(3)
    )
    assert spent == f"verify: 0 of 2 claims after 0 s; now a\nverify: 1 of 2 claims after 0 s; now b\n{read}"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    _, _, err = verify("CLAIMS = [fake('a', 'tested')]")
    assert (
        re.sub(r"after \d+ s", "after 0 s", err) == "\rverify: 0 of 1 claims after 0 s; now a\x1b[K\r\x1b[K"
    )


def test_what_a_check_prints_does_not_disturb_the_document(tmp_path):
    body = """
@dataclass(frozen=True)
class Loud(Fake):
    def run(self, claim, effort):
        print("noise")
        os.write(1, b"more noise")
        return super().run(claim, effort)
CLAIMS = [claim("a", "words", checks=[Loud("proved")])]
"""
    command = [sys.executable, "-m", "verify", "verify", "--claims", str(write(tmp_path, body)), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["claims"][0]["verdict"] == "proved"
    assert "noise" in done.stderr


def test_without_a_tenant_the_claims_are_named(tmp_path):
    """``python -m verify`` knows of no package of claims, and says nothing about one."""
    file, environment = str(write(tmp_path, "CLAIMS = [fake('a', 'tested')]")), {**os.environ}
    environment["VERIFY_CACHE"] = str(tmp_path / "kept")

    def run(*arguments):
        command = [sys.executable, "-m", "verify", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert "ctucbvi" not in done.stdout + done.stderr
        return done

    for arguments in ([], ["verify"], ["claims"]):
        assert run(*arguments, "--help").returncode == 0
    assert (run("verify").returncode, run("claims", "--claims", file).returncode) == (2, 0)
    assert run("verify", "--claims", file).returncode == 0
    assert list((tmp_path / "kept" / "results").iterdir())
    missing = run("claims", "z", "--claims", file)
    assert re.fullmatch(
        r"python -m verify: no claim 'z'; see python -m verify claims --claims \S*mine.py\n", missing.stderr
    )
    assert run("claims", "--claims", file, "--graph", "-").stderr == ""


def test_help_is_fast_and_has_an_example(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["verify", "--help"])
    assert stop.value.code == 0
    assert "ctucbvi verify --claims mine.py --json" in capsys.readouterr().out
    code = (
        "import sys; from ctucbvi.cli import build_parser; build_parser()\n"
        "sys.exit(bool({'sympy', 'numpy', 'flint', 'verify.claims', 'verify.running'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


THEOREMS = """
from verify import Section
section = Section(source="notes")
section.claim("survival", "One.", says="exp(-l*t) >= 1 - l*t", domain=("l > 0", "t >= 0"), expected="proved")
section.claim("entropy", "0 by a limit.", says="0 <= -x*log(x)", domain="0 <= x <= 1", expected="proved")
section.claim("half", "False.", says="exp(-t) >= 1 - t/2", domain="t >= 0", expected="refuted")
section.claim("wave", "No erf there.", says="erf(x) <= 1", domain="x >= 0", expected="proved")
CLAIMS = section.claims
"""


def test_theorems_for_coq_are_written_and_what_is_not_is_said(verify, tmp_path):
    folder = tmp_path / "new" / "theorems"
    status, out, err = verify(THEOREMS, "--coq", folder)
    assert status == 0
    assert "4 claims (quick)" in out
    assert "--coq: wave is not exported: the function erf\n" in err
    assert f"--coq: 2 inequalities and 0 derivations in {folder}; let Coq judge them: python -m" in err
    libraries = {"Boxes.v", "Derivations.v", "Rules.v"}
    assert {p.name for p in folder.glob("*.v")} == {*libraries, "entropy.v", "survival.v"}
    assert "1 - l * t <= exp (- l * t)." in (folder / "survival.v").read_text()
    assert "only where" in (folder / "index.json").read_text()


def test_a_folder_for_coq_that_cannot_be_made_is_said(verify, tmp_path):
    (tmp_path / "taken").write_text("")
    status, out, err = verify(THEOREMS, "--coq", tmp_path / "taken")
    assert (status, out) == (2, "")
    assert f"ctucbvi: --coq {tmp_path / 'taken'}: cannot be written: " in err
