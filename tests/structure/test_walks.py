"""The walks of docs/architecture.md: each module is asked by one passed before, and none is passed twice."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib import import_module
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


# Where control is inverted: not called by what was passed before, but given its result.
INVERTED = {
    "ctucbvi.commands.certify": "a command of its own, on the file that the first has written",
    "verify.running.loading": "claims are data; it is the loader that imports them",
    "verify.running.runs": "the command asks it for a run, and it asks the loader",
    "verify.running.report": "the command hands it the finished run",
    "verify.running.ledger": "the command hands it the finished run",
}


@cache
def passed_to(module: str) -> set[str]:
    """The modules that one imports, those from which its imported names come, and those named in a text."""
    found = imports(source(module))
    for node in ast.walk(ast.parse(source(module))):
        if isinstance(node, ast.ImportFrom) and node.module in found:
            face = import_module(node.module)
            found |= {getattr(getattr(face, alias.name, None), "__module__", "") for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found


def strays(walk: list[str]) -> list[str]:
    """The modules that none passed before imports."""
    return [m for i, m in enumerate(walk) if i and not any(m in passed_to(before) for before in walk[:i])]


def test_there_are_six():
    assert len(WALKS) == 6


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk[0])
def test_a_walk_hangs_together_and_does_not_go_back(walk):
    assert len(set(walk)) == len(walk) > 5
    assert strays(walk) == [module for module in walk if module in INVERTED]


@pytest.mark.parametrize("module", INVERTED)
def test_where_control_is_inverted_the_later_one_knows_an_earlier(module):
    (walk,) = [walk for walk in WALKS if module in walk]
    assert passed_to(module) & set(walk[: walk.index(module)])


def test_a_stray_is_noticed():
    assert strays(["ctucbvi.commands.plan", "ctucbvi.losses.tally"]) == ["ctucbvi.losses.tally"]


def test_a_walk_the_wrong_way_is_noticed():
    there = ["ctucbvi.exact.planner", "ctucbvi.exact.trajectory"]
    assert strays(there) == []
    assert strays(there[::-1]) == there[:1]
