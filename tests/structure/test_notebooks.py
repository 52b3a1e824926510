"""The notebooks of docs/notebooks: their cells run, one after the other, and are kept without outputs."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def cells(file: Path) -> list[dict]:
    return json.loads(file.read_text(encoding="utf-8"))["cells"]


def executed(sources: list[str]) -> list[object]:
    """What the cells show: the value of a last line that is an expression, as a notebook takes it."""
    names: dict[str, object] = {"__name__": "__main__"}
    shown = []
    for number, source in enumerate(sources):
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"cell {number}", "exec"), names)
        if last is not None:
            shown.append(eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names))
    return shown


def test_there_are_three():
    assert [file.stem for file in NOTEBOOKS] == ["claims", "learn", "plan"]


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_kept_without_outputs(file):
    document = json.loads(file.read_text(encoding="utf-8"))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"])
    code = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    assert code
    assert all((cell["outputs"], cell["execution_count"]) == ([], None) for cell in code)


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_its_cells_run_and_show_something_short(file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shown = executed(["".join(cell["source"]) for cell in cells(file) if cell["cell_type"] == "code"])
    assert len(shown) >= 3
    for thing in (one for one in shown if type(one).__module__.split(".")[0] in ("ctucbvi", "verify")):
        assert len(repr(thing)) < 500, repr(thing)
        for view in ("_repr_html_", "_repr_latex_", "_repr_svg_"):
            assert not hasattr(thing, view) or getattr(thing, view)()
    capsys.readouterr()


def test_a_cell_that_fails_is_noticed():
    assert executed(["x = 1", "x + 1"]) == [2]
    with pytest.raises(AssertionError):
        executed(["x = 1", "assert x == 2"])
