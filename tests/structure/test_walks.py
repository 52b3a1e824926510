"""The walks of docs/architecture.md: their modules exist, hang together, and none is passed twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.structure.test_imports import imports

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Six walks")[2].partition("\n## ")[0]
WALKS = [re.findall(r"`([\w.]+)`", text) for text in SECTION.split("\n\n") if " → " in text]


def source(module: str) -> str:
    path = ROOT / Path(*module.split("."))
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")


def strays(walk: list[str]) -> list[str]:
    """The modules that neither name nor are named by one passed before; a package stands for its modules."""

    def names(one: str, other: str) -> bool:
        wanted = {other, other.rpartition(".")[0]} - {"ctucbvi", "verify"}
        return bool(wanted & imports(source(one), module_level=False)) or f'"{other}"' in source(one)

    return [
        module
        for i, module in enumerate(walk)
        if i and not any(names(other, module) or names(module, other) for other in walk[:i])
    ]


def test_there_are_six():
    assert len(WALKS) == 6


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk[0])
def test_a_walk_hangs_together_and_does_not_go_back(walk):
    assert len(set(walk)) == len(walk) > 5
    assert strays(walk) == []


def test_a_stray_is_noticed():
    assert strays(["ctucbvi.commands.plan", "ctucbvi.losses.tally"]) == ["ctucbvi.losses.tally"]
