"""What results look like in one line, in a notebook, as a table and as a picture."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction

import pytest

import ctucbvi
from ctucbvi import CTMDP, Enclosure, InputError, Policy, Transition
from ctucbvi.figures import Picture, shortened, symbols, told_apart
from ctucbvi.numeric import certify, solve_numeric
from verify.claims import Verdict
from verify.errors import UserError
from verify.running.results import Result
from verify.tables import frame

MODEL = ctucbvi.bundled_model("machine-repair")


@pytest.fixture(scope="module")
def solution():
    return ctucbvi.solve(MODEL, digits=30)


def many(count: int) -> CTMDP:
    """A ring of states whose names differ in the middle only."""
    names = [f"a waiting room that is numbered {i} of many, with a long name" for i in range(count)]
    rows = [
        Transition.of(x, a, rate=1 + j, reward=Fraction(i % 3, 2 + j), to={names[i - 1]: 1})
        for i, x in enumerate(names)
        for j, a in enumerate(("stay <calm>", "hurry"))
    ]
    return CTMDP.of("ring", horizon=1, transitions=rows)


def test_the_version_is_that_of_the_command():
    from importlib.metadata import version

    assert ctucbvi.__version__ == version("ctucbvi")


def test_an_enclosure_says_what_it_knows():
    assert repr(Enclosure(Fraction(1, 3), Fraction(1, 3))) == "Enclosure(1/3)"
    wide = Enclosure(Fraction(1, 2), Fraction(1, 2) + Fraction(1, 1000))
    assert repr(wide) == "Enclosure(0.500, radius < 1e-3)"
    assert wide._repr_latex_() == r"$0.500$ ($\text{radius} < 10^{-3}$)"
    assert eval("1e-3") >= wide.radius


def test_answers_are_a_line(solution):
    assert repr(solution) == (
        "Solution('machine-repair', committed: V(operating, 1) = 0.641055569840, 2 switches)"
    )
    numeric = solve_numeric(MODEL)
    policy = Policy.of(MODEL, {"operating": [(0, "fast"), ("1/2", "slow")], "repair": "fast"})
    assert repr(policy) == "Policy('machine-repair', operating: fast, slow; repair: fast)"
    for thing in (
        numeric,
        certify(numeric),
        ctucbvi.evaluate(policy),
        Policy.of(many(9), dict.fromkeys(many(9).states, "hurry")),
    ):
        assert len(repr(thing)) < 400
        assert "\n" not in repr(thing)
    result = Result("a", Verdict.PROVED, {"check": "proof", "certificate": ["long"] * 1000})
    assert repr(result) == "Result('a': proved by proof, 0.00 s)"
    assert "failed: why" in repr(replace(result, error="why"))


def test_a_notebook_shows_names_as_text():
    text = certify(solve_numeric(many(40)))._repr_html_()
    assert "stay &lt;calm&gt;" in text or "hurry" in text
    assert "<calm>" not in text
    assert "and 10 more states" in text


def test_tables_have_a_row_for_each_state_and_time(solution):
    pytest.importorskip("pandas")
    table = solution.to_frame(times=[0, "1/2", 1])
    assert list(table["t"]) == [0.0, 0.5, 1.0] * 2
    assert list(table["action"]) == ["fast", "fast", "slow", "slow", "slow", "fast"]
    assert (table["lower"] <= table["value"]).all()
    assert (table["value"] <= table["upper"]).all()
    assert len(solution.to_frame(times=11)) == 22
    policy = Policy.of(MODEL, {"operating": [(0, "fast"), ("1/2", "slow")], "repair": "fast"})
    assert policy.to_frame().values.tolist()[1] == ["operating", 0.5, 1.0, "slow"]


def test_without_pandas_a_table_is_an_error_of_one_line(solution, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"^to_frame: pandas is not installed; write pip install pandas$"):
        solution.to_frame()
    with pytest.raises(UserError, match="pip install pandas"):
        frame([])


def test_a_picture_is_shown_and_saved(solution, tmp_path):
    picture = solution.plot()
    assert isinstance(picture, Picture)
    picture.save(str(tmp_path / "a.svg"))
    assert (tmp_path / "a.svg").read_text() == solution.plot()._repr_svg_()  # the same bytes
    with pytest.raises(InputError, match="unknown kind of picture"):
        picture.save(str(tmp_path / "a.gif"))


def test_actions_differ_without_colour_and_every_state_has_its_row():
    picture = certify(solve_numeric(many(30))).plot()
    *_, policy, _ = picture.figure.axes  # the last is the bar of shades
    hatches = {(patch.get_hatch(), patch.get_facecolor()) for patch in policy.patches}
    assert len({hatch for hatch, _ in hatches}) == len(hatches)
    names = [label.get_text() for label in policy.get_yticklabels()]
    assert len(set(names)) == 30
    assert max(map(len, names)) < 40


def test_names_are_shortened_and_told_apart():
    assert shortened("short", 10) == "short"
    assert shortened("a very long name", 9) == "a v… name"
    assert told_apart(["aaaaaxbbbbb", "aaaaaybbbbb", "c"], 8) == ["1: aaa…bbbb", "2: aaa…bbbb", "c"]
    assert symbols("exp(-lambda_max*H), delta") == "exp(-λmax*H), δ"
