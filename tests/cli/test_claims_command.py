"""The command ``ctucbvi claims``."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from ctucbvi.cli import main
from tests.fake_claims import write

BODY = """
from verify.claims import Domain
CLAIMS = [
    fake("thm:main", "proved", ["lem:a", "lem:b"], expected="proved"),
    fake("lem:a", "tested"),
    claim("lem:b", "a bound", says="n*x <= n*exp(y)", uses=["eq"], source="eq:b", kind="step",
          domain=Domain.of("0 <= x <= 1/2", "x <= y", integers="n", reals="y"),
          checks=[Fake("refuted", name="first"), Fake("tested", name="second")]),
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
                "",
            ]
        ),
        "",
    )
    assert "  expected:  proved (quick), proved (thorough)\n" in claims("thm:main")[1]
    assert "  rests on:  lem:a, eq, lem:b\n" in claims("thm:main")[1]


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
