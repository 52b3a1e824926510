"""``report``: a page and the errata, for anybody's claims; one line for what goes wrong."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from ctucbvi.cli import main
from tests.fake_claims import write
from verify.__main__ import main as verify_main

BODY = """
from verify import Defect, Paper
CLAIMS = [
    fake("thm:main", "proved", uses=["lem:a"], expected="proved"),
    fake("lem:a", "refuted", expected="refuted"),
]
PAPER = Paper("On x", ("A. Author",), numbers={"thm:main": "Theorem 1", "lem:a": "Lemma 1"})
DEFECTS = [Defect("a-step", "It fails", "proof", ("lem:a",), "All.", "Not all.", "None.", proposed="$x<1$")]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CTUCBVI_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("VERIFY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    write(tmp_path, BODY)
    return tmp_path


def data_of(file):
    return json.loads(re.search(r'id="data">(.*?)</script>', Path(file).read_text("utf-8"), re.DOTALL)[1])


@pytest.mark.parametrize("command", [main, verify_main], ids=["ctucbvi", "python -m verify"])
def test_page_and_errata_are_written(folder, command, capsys):
    assert command(["report", "out/deep", "--claims", "mine.py", "--workers", "0", "--seed", "3"]) == 0
    out, err = capsys.readouterr()
    assert (out, err.splitlines()[-1].partition(": ")[2]) == (
        "", "wrote out/deep/index.html and out/deep/errata.tex",
    )  # fmt: skip
    data = data_of("out/deep/index.html")
    assert (data["title"], data["about"]["seed"], data["about"]["date"]) == ("On x", 3, "1 January 1970")
    assert [one["title"] for one in data["defects"]] == ["It fails"]
    assert data["panels"] == []
    errata = Path("out/deep/errata.tex").read_text("utf-8")
    assert data["errata"] == errata
    assert "$x<1$" in errata


def test_the_same_run_gives_the_same_page(folder):
    for name in ("one", "two"):
        assert main(["report", name, "--claims", "mine.py", "--workers", "0"]) == 0
    assert Path("one/index.html").read_bytes() == Path("two/index.html").read_bytes()


def test_what_is_known_is_not_run_again(folder, monkeypatch):
    monkeypatch.setenv("FAKE_LOG", str(folder / "log"))
    write(folder, BODY)
    for _ in range(2):
        assert main(["report", "out", "--claims", "mine.py", "--workers", "0"]) == 0
    assert len(Path("log").read_text().splitlines()) == 3  # what code has proved it proves again
    assert main(["report", "out", "--claims", "mine.py", "--workers", "0", "--fresh"]) == 0
    assert len(Path("log").read_text().splitlines()) == 5


def test_an_unexpected_verdict_is_status_1_and_on_the_page(folder, capsys):
    write(folder, BODY.replace('"refuted", expected="refuted"', '"proved", expected="refuted"'))
    assert main(["report", "out", "--claims", "mine.py", "--workers", "0"]) == 1
    assert "lem:a: expected refuted, found proved" in capsys.readouterr().err
    assert list(data_of("out/index.html")["about"]["unexpected"]) == ["lem:a"]


def test_without_defects_there_is_no_errata(folder):
    write(folder, BODY.partition("DEFECTS")[0])
    assert main(["report", "out", "--claims", "mine.py", "--workers", "0"]) == 0
    assert sorted(path.name for path in Path("out").iterdir()) == ["index.html"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["file/out", "--claims", "mine.py"], "file/out: no folder can be made there: Not a directory; name"),
        (["file", "--claims", "mine.py"], "file: no folder can be made there: File exists; name another"),
        (["out", "--claims", "none.py"], "none.py: no such file; write a file like mine.py"),
        (["out", "--claims", "mine.py", "--seed", "-1"], "--seed -1: write a number from 0"),
        ([], "the following arguments are required: DIR; see ctucbvi report --help"),
    ],
)
def test_bad_input_is_one_line_and_status_2(folder, arguments, message, capsys):
    Path("file").write_text("")
    try:
        status = main(["report", *arguments])
    except SystemExit as end:
        status = end.code
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_what_the_page_needs_is_in_the_package():
    """An installed toolkit has the assets and the kept studies: they are package data."""
    root = Path(__file__).parents[2]
    told = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"]
    shipped = {
        path for package, globs in told.items() for glob in globs for path in (root / package).glob(glob)
    }
    needed = [path for place in ("verify/report/assets", "ctucbvi/commands/assets", "ctucbvi/study/kept")
              for path in (root / place).rglob("*") if path.is_file()]  # fmt: skip
    assert len(needed) > 40
    assert not set(needed) - shipped
    assert not [path for path in needed if path.is_symlink()]
