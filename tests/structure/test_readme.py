"""The README's examples, run: what it shows is what one gets."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from ctucbvi import parse_model
from ctucbvi.cli import main
from ctucbvi.errors import ModelError

TEXT = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)


@pytest.mark.parametrize("block", blocks("console"))
def test_console_examples_print_what_is_shown(block, capsys):
    command, _, expected = block.partition("\n")
    assert command.startswith("$ ctucbvi ")
    assert main(shlex.split(command)[2:]) == 0
    printed = re.sub(r", \d+\.\d+ s$", "", capsys.readouterr().out, flags=re.MULTILINE)
    assert printed.strip() == expected.strip()


def test_python_examples_run_one_after_the_other(capsys):
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), names)
    assert "repair ('slow',) ('fast',) 0.592313074780552772192830460420" in capsys.readouterr().out


def test_the_model_of_the_readme_is_read_up_to_its_missing_rows():
    (block,) = blocks("toml")
    with pytest.raises(ModelError, match="state 'repair' has no actions"):
        parse_model(block, format="toml")


def test_the_two_commands_are_named_and_exist():
    makefile = (Path(__file__).parents[2] / "Makefile").read_text(encoding="utf-8")
    for target in ("verify", "test"):
        assert f"make {target}" in TEXT
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)


def test_the_claims_example_finds_what_is_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CTUCBVI_CACHE", str(tmp_path / "cache"))
    (example,) = (block for block in blocks("python") if block.startswith("# information.py"))
    assert len(example.splitlines()) <= 11
    Path("information.py").write_text(example, encoding="utf-8")
    (shown,) = (block for block in blocks("text") if "information.py" in block)
    command, *expected = shown.splitlines()
    assert main(shlex.split(command)[2:]) == 0

    def without_seconds(lines: list[str]) -> list[str]:
        return [re.sub(r" +(\d+\.\d+|seconds)$", "", line) for line in lines]

    assert without_seconds(capsys.readouterr().out.splitlines()) == without_seconds(expected)
