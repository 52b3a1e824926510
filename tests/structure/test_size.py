"""Imports stand at the top or say why not; a function has few parameters; one name is one class."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_INSIDE = 60  # imports inside functions, in the whole product
MOST_PARAMETERS = 12
FILES = sorted(path for top in ("ctucbvi", "verify", "proofs_checks") for path in (ROOT / top).rglob("*.py"))


def inside(source: str) -> list[str]:
    """The lines of imports inside functions."""
    found, lines = set(), source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found |= {n.lineno for n in ast.walk(node) if isinstance(n, ast.Import | ast.ImportFrom)}
    return [lines[number - 1] for number in sorted(found)]


def long_lists(source: str) -> Iterator[str]:
    """The functions with too many parameters."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            taken = node.args
            every = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg]
            if len([one for one in every if one is not None]) > MOST_PARAMETERS:
                yield node.name


def test_imports_inside_functions_are_few_and_say_why():
    found = {path: inside(path.read_text(encoding="utf-8")) for path in FILES}
    assert sum(map(len, found.values())) <= MOST_INSIDE
    assert [f"{path}: {line}" for path, lines in found.items() for line in lines if "  # " not in line] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_functions_take_few_parameters(path):
    assert list(long_lists(path.read_text(encoding="utf-8"))) == []


def twice(sources: Iterable[str]) -> list[str]:
    """The names that more than one class has."""
    trees = (ast.parse(source) for source in sources)
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return [name for name, number in names.items() if number > 1]


def test_one_name_is_one_class():
    checker = [path for path in FILES if "recheck" in path.parts]  # has its own of what the kernel has
    others = [path for path in FILES if "recheck" not in path.parts]
    for files in (checker, others):
        assert twice(path.read_text(encoding="utf-8") for path in files) == []


def test_all_checks_notice():
    assert twice(["class A: ...", "class A: ..."]) == ["A"]
    assert inside("import a\ndef f():\n    import b\n    def g():\n        from c import d") == [
        "    import b",
        "        from c import d",
    ]
    assert list(long_lists(f"def f(x, *, {', '.join(f'a{i}' for i in range(12))}): ...")) == ["f"]
    assert list(long_lists(f"def f({', '.join(f'a{i}' for i in range(12))}): ...")) == []
