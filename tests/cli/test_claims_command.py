"""The command ``ctucbvi claims``."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from ctucbvi.cli import main
from tests.fake_claims import write

BODY = """
from verify.claims import Domain
POINT = {"relation": "n*x <= n*exp(y)", "domain": ["0 <= x <= 1/2", "x <= y"], "integers": ["n"],
         "point": {"n": "-1", "x": "0", "y": "0"}}
CLAIMS = [
    fake("thm:main", "proved", ["lem:a", "lem:b"], expected="proved"),
    fake("lem:a", "tested"),
    claim("lem:b", "a bound", says="n*x <= n*exp(y)", uses=["eq"], source="eq:b", kind="step",
          domain=Domain.of("0 <= x <= 1/2", "x <= y", integers="n", reals="y"),
          checks=[Fake("refuted", name="first", witness=POINT), Fake("tested", name="second")]),
    fake("eq", "proved"),
]
"""


@pytest.fixture
def claims(tmp_path, capsys, monkeypatch):
    """Run a command on these claims; the results of checks are kept in a folder of the test's own."""
    monkeypatch.setenv("CTUCBVI_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    file = str(write(tmp_path, BODY))

    def run(*arguments, command="claims"):
        status = main([command, "--claims", file, *arguments])
        return (status, *capsys.readouterr())

    return run


def test_the_list(claims):
    status, out, err = claims()
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[:2] == ["thm:main  (statement)", "    thm:main in words"]
    assert lines[4:6] == ["lem:b  (step, eq:b)", "    a bound"]
    assert lines[-1] == "4 claims"
    assert claims("lem:*")[1].splitlines()[-1] == "2 claims"


def test_one_in_full(claims):
    assert claims("lem:b") == (
        0,
        "\n".join(
            [
                "lem:b",
                "  kind:      step",
                "  source:    eq:b",
                "  statement: a bound",
                "  says:      n*x <= n*exp(y)",
                "  domain:    0 <= x <= 1/2, x <= y, y real, n integer",
                "  latex:     n x \\leq n e^{y}",
                "  uses:      eq",
                "  used by:   thm:main",
                "  rests on:  eq",
                "  checks:    first, second",
                "  module:    mine.py",
                "  verdict:   not checked; run ctucbvi verify lem:b",
                "",
            ]
        ),
        "",
    )
    assert "  expected:  proved (quick), proved (thorough)\n" in claims("thm:main")[1]
    assert "  rests on:  lem:a, eq, lem:b\n" in claims("thm:main")[1]


DEFECTIVE = (
    BODY
    + """
from verify import Defect, Paper, Remark
CLAIMS += [
    fake("thm:main/repaired", "proved", kind="repair"),
    fake("rem", "refuted", finding=Remark("remark", "Not so.")),
]
DEFECTS = [Defect("root-cause", "It is not so", "proof", ("lem:b", "thm:main"), "By eq.", "It fails.",
                  "None.", repair="thm:main/repaired", reading="Read thm:main with care.")]
PAPER = Paper("On b", numbers={"thm:main": "Theorem 1", "lem:b": "Lemma 9"})
"""
)


@pytest.fixture
def known(claims, tmp_path):
    """The same with defects and a paper, after a run."""
    write(tmp_path, DEFECTIVE)
    claims("--workers", "0", command="verify")
    return claims


def test_one_in_full_with_what_earlier_runs_found(known):
    lines = known("lem:b")[1].splitlines()
    assert lines[1:4] == ["  kind:      step", "  paper:     Lemma 9", "  source:    eq:b"]
    found = lines[lines.index("  verdict:   refuted") :]
    assert found[1:4] == [
        "  defect:    root-cause (proof): It is not so",
        "  in favour: Read Theorem 1 with care.",
        "  repair:    thm:main/repaired (of Theorem 1)  [proved]",
    ]
    assert found[-1].startswith('  evidence:  {"seed": 0')
    assert any(line.startswith("  re-check:  ") and "verify.recheck" in line for line in found)
    assert "  verdict:   proved, rests on refuted\n" in known("thm:main")[1]
    assert "  finding:   (remark) Not so.\n" in known("rem")[1]
    assert "  verdict:   not checked; run ctucbvi verify lem:b\n" in known("lem:b", "--seed", "1")[1]


def test_json_of_one_has_what_is_known(known):
    (one,) = json.loads(known("lem:b", "--json")[1])["claims"]
    assert (one["verdict"], one["transitive"], one["number"]) == ("refuted", "refuted", "Lemma 9")
    assert one["witness"]["point"] == {"n": "-1", "x": "0", "y": "0"}
    assert one["defect"]["name"] == "root-cause"
    (other,) = json.loads(known("lem:b", "--json", "--seed", "1")[1])["claims"]
    assert "verdict" not in other


def test_numbers_stand_beside_labels(known):
    assert "lem:b  (step, Lemma 9)" in known()[1].splitlines()
    tree = known("--graph", "-")[1].splitlines()
    assert tree[0] == "Theorem 1 (thm:main)  [proved, rests on refuted]"
    assert "└─ Lemma 9 (lem:b)  [refuted]" in tree
    known("--graph", "g.svg")
    known("--graph", "g.dot")
    for name in ("g.svg", "g.dot"):
        assert "Lemma 9 (lem:b)" in Path(name).read_text(encoding="utf-8")
    table = known("--workers", "0", command="verify")[1]
    rows = [line.split() for line in table.splitlines()]
    assert ["label", "paper", "kind"] in [row[:3] for row in rows]
    assert ["lem:b", "Lemma", "9", "step"] in [row[:4] for row in rows]


def test_labels_of_property_suites_can_be_looked_up(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("CTUCBVI_CACHE", str(tmp_path / "cache"))
    assert main(["claims", "lipschitz/rows"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("lipschitz/rows\n")
    assert "  verdict:   not checked; run ctucbvi verify lipschitz\n" in out
    assert main(["verify", "lipschitz", "--examples", "5", "--workers", "0"]) in (0, 1)
    capsys.readouterr()
    assert main(["claims", "lipschitz/nothing"]) == 2
    assert "no claim 'lipschitz/nothing'" in capsys.readouterr().err
    assert main(["claims", "lipschitz/*"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "4 claims"


def test_json_has_the_statements_and_no_evidence(claims):
    document = json.loads(claims("--json")[1])
    assert [claim["label"] for claim in document["claims"]] == ["thm:main", "lem:a", "lem:b", "eq"]
    (one,) = json.loads(claims("lem:b", "--json")[1])["claims"]
    assert one["domain"] == ["0 <= x <= 1/2", "x <= y", "y real", "n integer"]
    assert (one["uses"], one["used_by"], one["checks"]) == (["eq"], ["thm:main"], ["first", "second"])
    assert not {"verdict", "evidence"} & set(one)


def test_the_tree_shows_what_verify_found(claims):
    status, out, err = claims("--graph", "-")
    assert status == 0
    assert out.splitlines()[0] == "thm:main  [not checked]"
    assert err == "ctucbvi: 4 of 4 claims are not checked; run ctucbvi verify\n"
    claims("lem:b", "--workers", "0", command="verify")
    status, out, err = claims("--graph", "-")
    assert out.splitlines() == [
        "thm:main  [not checked]",
        "├─ lem:a  [not checked]",
        "└─ lem:b  [refuted]",
        "   └─ eq  [proved]",
    ]
    assert err == "ctucbvi: 2 of 4 claims are not checked; run ctucbvi verify\n"
    claims("--workers", "0", command="verify")
    assert claims("thm:main", "--graph", "-")[1].splitlines()[0] == "thm:main  [proved, rests on refuted]"
    assert claims("lem:b", "--graph", "-")[1].splitlines()[0] == "lem:b  [refuted]"
    assert "not checked" in claims("--graph", "-", "--seed", "1")[1]


def test_graph_files(claims, tmp_path):
    claims("--workers", "0", command="verify")
    for name in ("g.svg", "g.dot", "g.txt"):
        assert claims("--graph", name) == (0, "", "")
    assert ET.parse(tmp_path / "g.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert '"thm:main" -> "lem:b";' in (tmp_path / "g.dot").read_text()
    assert "└─ lem:b  [refuted]" in (tmp_path / "g.txt").read_text(encoding="utf-8")
    status, out, _ = claims("--graph", "h.svg", "--json")
    assert (status, len(json.loads(out)["claims"])) == (0, 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lem:c"], "no claim 'lem:c'; did you mean lem:b, lem:a"),
        (["--graph", "g.png"], "--graph g.png: end the name in .svg, .dot or .txt, or write -"),
        (["--graph", "no/g.svg"], "--graph no/g.svg: cannot be written: No such file or directory"),
        (["--graph", "-", "--json"], "--graph - prints a text; leave out --json, or name a file"),
    ],
)
def test_bad_input_is_one_line_and_status_2(claims, arguments, message):
    status, out, err = claims(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"ctucbvi: {message}")
