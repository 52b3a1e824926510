"""What results look like in one line, in a notebook, as a table and as a picture."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction

import pytest

import ctucbvi
from ctucbvi import CTMDP, Enclosure, InputError, Policy, Transition, bounds
from ctucbvi.figures import Picture, shortened, symbols, told_apart
from ctucbvi.numeric import certify, evaluate_numeric, solve_numeric
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


def test_a_policy_and_doubles_have_the_same_views(solution):
    """What is a policy's is not called best or optimal; what is not enclosed has no ends."""
    rules = {"operating": [(0, "fast"), ("1/2", "slow")], "repair": "fast"}
    policy = Policy.of(MODEL, rules)
    exactly, doubles = ctucbvi.evaluate(policy), evaluate_numeric(policy)
    for found in (exactly, doubles, certify(doubles)):
        assert ">action by" in found._repr_html_()
        assert "fast until 0.5" in found._repr_html_()
        assert found.plot().figure.axes[0].get_ylabel() == "value of the policy V(x, t)"
    for found in (solution, solve_numeric(MODEL), certify(solve_numeric(MODEL))):
        assert ">best action by" in found._repr_html_()
        assert found.plot().figure.axes[0].get_ylabel() == "optimal value V*(x, t)"
    assert "double precision" in doubles._repr_html_()
    pytest.importorskip("pandas")
    assert list(doubles.to_frame(3)) == ["state", "t", "value", "action"]
    assert list(exactly.to_frame(3)["action"]) == ["fast", "slow", "slow", "fast", "fast", "fast"]
    gap = exactly.to_frame(3)["value"] - doubles.to_frame(3)["value"]
    assert gap.abs().max() < 1e-8


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


# --- every public object ----------------------------------------------------------------------

_SHORT = 240  # characters of a line


def _public():
    """An object of each public class that is made of a model with 24 pairs, by name."""
    model = ctucbvi.bundled_model("queue")
    small = ctucbvi.bundled_model("machine-repair")
    solution = ctucbvi.solve(model, digits=6, resolve_policy=False)
    yield from (model, model.transitions[1], model.pairs[1], solution, solution.value("3"), solution.policy())
    yield from (solution.segments("3")[0], solution.switches[0], ctucbvi.Budget())
    yield ctucbvi.evaluate(solution.policy(), digits=6)
    numeric = solve_numeric(model)
    yield from (numeric, certify(numeric), numeric.plot() if hasattr(numeric, "plot") else solution.plot())
    iteration = ctucbvi.ValueIteration(small, bits=64)
    yield from (iteration, iteration[2], ctucbvi.algorithm2(small, "1/2"), ctucbvi.ExpPoly.waiting(3))
    sizes = bounds.Parameters.of_model(model, episodes=10**6)
    yield from (sizes, *bounds.CATALOGUE, *bounds.VERSIONS, bounds.threshold(bounds.VERSIONS[7], sizes))
    yield from (bounds.value(constant, sizes) for constant in (bounds.CATALOGUE[0], bounds.CATALOGUE[-1]))
    yield bounds.sweep(sizes, bounds.SweepRange.parse("K=1..1e6:50"))


def test_every_public_object_is_a_short_line():
    shown = [repr(thing) for thing in _public()]
    assert [text for text in shown if len(text) > _SHORT or "\n" in text or " at 0x" in text] == []
    assert len({text.partition("(")[0] for text in shown}) > 15


def test_models_that_differ_are_told_apart_by_their_lines():
    """Results are kept by what lines say: another number is another line, also of a large model."""
    for model in (MODEL, ctucbvi.bundled_model("queue")):
        first, *others = model.transitions
        changed = replace(model, transitions=(replace(first, reward=first.reward + 1), *others))
        lines = {repr(m) for m in (model, changed, replace(model, horizon=model.horizon + 1))}
        assert len(lines) == 3
    assert "Fraction(17, 20)" in repr(MODEL)  # a small one is all there


def test_a_model_is_a_table_in_a_notebook():
    text = many(40)._repr_html_()
    assert "<td>stay &lt;calm&gt;</td>" in text
    assert "and 50 more rows" in text
    paid = replace(MODEL.transitions[0], lump=(("repair", Fraction(5, 7)),))
    model = replace(MODEL, transitions=(paid, *MODEL.transitions[1:]), objective="min")
    assert "<th>lump</th>" in model._repr_html_()
    assert "repair: 5/7" in model._repr_html_()
    assert "<th>cost</th>" in model._repr_html_()
    assert "terminal reward: goal: 1" in ctucbvi.bundled_model("reachability")._repr_html_()


def test_of_many_names_the_nearest_come_first():
    with pytest.raises(InputError, match="choose from: a waiting room that is numbered 17 of many"):
        many(20).state_index("a waiting room that is numbered 17 of many, with a long nam")
