"""The page docs/add-a-claim.md: ten lines and ten, and one line per mistake; test_pages follows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ctucbvi.cli import main

TEXT = (Path(__file__).parents[2] / "docs" / "add-a-claim.md").read_text(encoding="utf-8")


@pytest.fixture
def example(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CTUCBVI_CACHE", str(tmp_path / "cache"))
    blocks = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    for name, lines in zip(("mine.py", "derived.py"), blocks, strict=True):
        Path(name).write_text(lines, encoding="utf-8")
    return blocks[0]


@pytest.mark.parametrize("name", ["mine.py", "derived.py"])
def test_it_is_ten_lines(example, name):
    lines = Path(name).read_text(encoding="utf-8").splitlines()
    assert sum(bool(line) for line in lines if not line.startswith("#")) == 10


def test_the_claim_is_printed_in_the_letters_of_the_paper(example, capsys):
    assert main(["claims", "--claims", "mine.py", "survival"]) == 0
    printed = capsys.readouterr().out
    assert "where:     l = λ\n" in printed
    assert r"\lambda t" in printed
    assert "mutant:    exp(-l*t) >= 1 - l*t/2\n" in printed


def test_a_mutant_that_nothing_notices_is_reported(example, capsys):
    Path("mine.py").write_text(example.replace("l*t/2", "2*l*t"), encoding="utf-8")
    assert main(["verify", "--claims", "mine.py", "--mutants"]) == 1
    assert "survival  proved    proved  NO" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ('    mutant="exp(-l*t) >= 1 - l*t/2",\n', ""),
            "mine.py: no mutants found; write claim(..., mutant='...')",
        ),
        (("l*t/2", "u"), "claim survival: mutant: formula 'exp(-l*t) >= 1 - u': 'u' is not a variable"),
        (
            ('mutant="exp(-l*t) >= 1 - l*t/2"', 'mutant=["exp(-l*t) >= 1"]'),
            "claim survival: mutant ['exp(-l*t)",
        ),
        (('    expected="proved",\n', ""), "claim survival: its mutant must not hold if it does"),
        (
            ('expected="proved"', 'checks="proof", expected="proved"'),
            "claim survival: checks 'p': is no check",
        ),
        (('says="exp(-l*t) >= 1 - l*t"', "says=[1]"), "claim survival: says [1]: write a formula as text"),
        (('domain=("l > 0", "t >= 0")', "domain=3"), "claim survival: domain 3: write conditions as text"),
        (("mutant=", "mutants="), "mine.py, line 5: claim survival: no field 'mutants'; write says, domain"),
    ],
    ids=["none", "unreadable", "list", "unexpected", "checks", "says", "domain", "misspelt"],
)
def test_a_mistake_in_a_mutant_is_one_line(example, change, message, capsys):
    Path("mine.py").write_text(example.replace(*change), encoding="utf-8")
    assert main(["verify", "--claims", "mine.py", "--mutants"]) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1


def test_mutants_are_for_claims(example, capsys):
    assert main(["verify", "--claims", "mine.py", "--mutants", "--json"]) == 2
    assert "--mutants is for claims, and prints a table only" in capsys.readouterr().err
