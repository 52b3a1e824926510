"""The README: short, with two commands, three uses and the paper; test_pages follows it."""

from __future__ import annotations

import re
import tomllib

from tests.pages import ROOT

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
CITED = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_it_is_read_in_two_minutes():
    assert len(TEXT.splitlines()) <= 75


def test_the_two_commands_are_named_and_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("verify", "test", "docs"):
        assert f"make {target}" in TEXT
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)


def test_each_of_the_three_uses_has_a_command_and_a_page():
    rows = re.findall(r"^\| .+ \| `ctucbvi (\w+) .+` \| \[docs/([\w-]+)\.md\]", TEXT, flags=re.MULTILINE)
    assert rows == [("verify", "property-suites"), ("crosscheck", "crosscheck"), ("constants", "constants")]


def test_the_paper_is_the_one_that_is_cited():
    (doi,) = re.findall(r"^    doi: (\S+)$", CITED, flags=re.MULTILINE)
    for page in (TEXT, (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")):
        assert f"https://doi.org/{doi}" in page
        assert "Xuefeng Gao and Xun Yu Zhou" in page
        assert set(re.findall(r"\d{4}\.\d{5}", page)) == set(re.findall(r"arXiv:(\S+)", CITED))


def test_the_version_that_is_cited_is_this_one():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"\nversion: {project['version']}\n" in CITED
