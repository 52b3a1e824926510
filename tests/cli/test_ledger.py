"""The ledger: findings first, the gravest before the others, each with what re-checks it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ctucbvi.cli import main

CLAIMS = """
from fractions import Fraction
from verify import Case, Computed, Domain, Outcome, claim

area = Domain.of("x >= 0")
def two_is_one(effort):
    return Outcome([Case("one", 2, 1, line="print(2 > 1)")])
CLAIMS = [
    claim("fine", "the exponential is above its tangent", says="1 + x <= exp(x)", domain=area),
    claim("light", "a wrong name", checks=Computed(two_is_one), expected="refuted"),
    claim("lemma", "a statement that rests on nothing", checks=Computed(two_is_one), expected="refuted"),
    claim("grave", "too good", says="1 + 2*x <= exp(x)", domain=area, expected="refuted", uses="fine"),
    claim("grave/repaired", "what is true", says="1 + x <= exp(x)", domain=area, kind="repair"),
]
FINDINGS = {
    "fine": {"breaks": "constant", "summary": "One could say more."},
    "light": {"breaks": "erratum", "summary": "Two is not one.", "details": "Nor is three."},
    "lemma": {"breaks": "statement", "summary": "Two is not one here either."},
    "grave": {"breaks": "statement", "summary": "The slope at 0 is 1.", "repair": "grave/repaired"},
}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CTUCBVI_CACHE", str(tmp_path / "cache"))
    Path("mine.py").write_text(CLAIMS, encoding="utf-8")
    return tmp_path


def test_findings_come_first_and_the_gravest_before_the_others(folder, capsys):
    assert main(["verify", "--claims", "mine.py", "--workers", "0", "--ledger", "ledger.md"]) == 0
    first, _, second, blank, *_ = capsys.readouterr().out.splitlines()
    assert first == "refuted: grave (breaks the statement): The slope at 0 is 1."
    assert second == "refuted: light (an erratum): Two is not one."
    assert blank == ""
    page = Path("ledger.md").read_text(encoding="utf-8")
    heads = re.findall(r"^##+ (.*)$", page, flags=re.MULTILINE)
    assert heads == [
        "Findings",
        "`grave`: refuted, breaks the statement",
        "`lemma`: refuted, breaks the statement",
        "`light`: refuted, an erratum",
        "What stands, and what is to be said about it",
        "`fine`: proved, stands, with a constant that can be better",
        "All claims",
    ]
    assert "Two is not one. Nor is three." in page
    assert "**Repair** `grave/repaired` (proved, transitive proved)" in page
    assert not re.search(r"\d\.\d+ s", page)


DEFECTS = """
from verify import Defect, Paper
DEFECTS = [
    Defect("small", "A wrong name", "erratum", ("light",), "Two is one.", "It is two, by lem:x.", "None.",
           proposed=r"``\\[ 1 \\]''"),
    Defect("root", "The slope is too large", "proof", ("grave",), "See grave.", "The slope at 0 is 1.",
           "Nothing holds.", repair="grave/repaired", proposed="$1+x$", reading="It is nearly right."),
    Defect("loose", "More could be said", "constant", ("fine",), "One.", "One could say more.", "None."),
]
PAPER = Paper("On slopes", ("A. Author",), "A Journal", "https://example.org",
              {"grave": "Theorem 4", "lem:x": "Lemma 8"})
"""


def test_defects_come_first_by_severity_and_errata_are_small(folder, capsys):
    Path("mine.py").write_text(CLAIMS + DEFECTS, encoding="utf-8")
    assert main(["verify", "--claims", "mine.py", "--ledger", "ledger.md"]) == 0
    lines = [re.split(r"  +", line) for line in capsys.readouterr().out.splitlines()]
    assert lines[:5] == [
        ["breaks", "claim", "paper", "repair", "what is wrong"],
        ["proof", "grave", "Theorem 4", "proved", "The slope is too large"],
        ["erratum", "light", "-", "-", "A wrong name"],
        ["refuted: lemma (breaks the statement): Two is not one here either."],
        [""],
    ]
    page = Path("ledger.md").read_text(encoding="utf-8")
    heads = re.findall(r"^##+ (.*)$", page, flags=re.MULTILINE)
    assert heads == [
        "Proofs that do not hold as printed",
        "The slope is too large",
        "Constants",
        "More could be said",
        "Errata",
        "Findings",
        "`lemma`: refuted, breaks the statement",
        "All claims",
    ]
    assert "About A. Author, *On slopes*, A Journal. https://example.org" in page
    assert "| proof | Theorem 4 | The slope is too large | proved |" in page
    assert "| constant |  | More could be said (it stands) | - |" in page
    assert "**In its favour.** It is nearly right." in page
    assert "```latex\n$1+x$\n```" in page
    assert "- `grave` (Theorem 4), refuted: The slope at 0 is 1." in page
    (small,) = re.findall(r"^- \*\*A wrong name.*(?:\n  .*)*", page, flags=re.MULTILINE)
    assert small == "- **A wrong name**. It is two, by Lemma 8. *Read:* “$1$” [`light`]"
    assert len(re.findall(r"```sh\n(.*)\n```", page)) == 2  # of grave and of lemma


def test_errata_are_counted_apart(folder, capsys):
    plain = 'claim("light", "a wrong name",'
    text = CLAIMS.replace(plain, f'{plain} finding=Remark("erratum", "A slip."),')
    Path("mine.py").write_text(text.replace("Outcome, claim", "Outcome, Remark, claim"), encoding="utf-8")
    main(["verify", "--claims", "mine.py"])
    assert "2 proved, 3 refuted (errata: 1); all as expected" in capsys.readouterr().out


def test_every_line_of_the_page_rechecks_in_a_fresh_process(folder):
    main(["verify", "--claims", "mine.py", "--workers", "0", "--ledger", "ledger.md"])
    page = Path("ledger.md").read_text(encoding="utf-8")
    lines = re.findall(r"```sh\n(.*)\n```", page)
    assert len(lines) == 3
    for line in lines:
        command = line.replace("python", shlex.quote(sys.executable))
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=folder, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == "True" or "0 complaints" in done.stdout


def test_a_page_that_cannot_be_written_is_one_line(folder, capsys):
    assert main(["verify", "--claims", "mine.py", "--workers", "0", "--ledger", "no/such/ledger.md"]) == 2
    assert (
        capsys.readouterr().err == "ctucbvi: --ledger no/such/ledger.md: no folder no/such; make it first\n"
    )
    assert main(["verify", "--claims", "mine.py", "--workers", "0", "--ledger", "."]) == 2
    assert "ctucbvi: --ledger .: cannot be written" in capsys.readouterr().err


def test_a_finding_that_breaks_nothing_known_is_refused(folder, capsys):
    Path("mine.py").write_text(
        CLAIMS.replace('"statement", "summary"', '"my heart", "summary"'), encoding="utf-8"
    )
    assert main(["verify", "--claims", "mine.py", "--workers", "0"]) == 2
    assert "breaks 'my heart': write statement, proof, constant, remark, erratum" in capsys.readouterr().err
