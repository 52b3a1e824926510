"""The page docs/models.md, tried: its files are read, its commands print what it shows, its lines run."""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest

from ctucbvi import load_model
from ctucbvi.cli import main

TEXT = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """The files that the page shows, under the names that they have there."""
    monkeypatch.chdir(tmp_path)
    for block in blocks("toml") + blocks("text"):
        name, _, text = block.partition("\n")
        Path(name.split()[1]).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("block", blocks("console"), ids=lambda block: block.split("\n")[0])
def test_commands_print_what_is_shown(block, capsys):
    command, _, expected = block.partition("\n")
    assert main(shlex.split(command)[2:]) == 0
    printed = re.sub(r", \d+\.\d+ s$", "", capsys.readouterr().out, flags=re.MULTILINE)
    assert printed.strip() == expected.strip()


def test_python_examples_run_one_after_the_other():
    names: dict[str, object] = {}
    left_out = []
    for block in blocks("python"):
        needs = re.match(r"# needs (\w+)\n", block)
        if needs and find_spec(needs[1]) is None:
            left_out.append(needs[1])
            continue
        exec(compile(block, "docs/models.md", "exec"), names)
    assert set(left_out) <= {"pandas", "stormpy", "gymnasium"}
    assert load_model("shop.toml").transitions[0].gain == -0.5 + 3 * (2 * 2 - 1) / 3


def test_a_block_that_is_wrong_is_noticed():
    """The mutant: one number of the page changed."""
    (block,) = (block for block in blocks("python") if "from_generator" in block)
    names: dict[str, object] = {}
    exec(compile(blocks("python")[0], "docs/models.md", "exec"), names)
    with pytest.raises(AssertionError):
        exec(compile(block.replace("[7, -7]", "[8, -8]"), "docs/models.md", "exec"), names)
