"""The formulas of the page against the toolkit's, in the browser, at hundreds of random parameters."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest

from ctucbvi.bounds import Parameters, value
from ctucbvi.bounds.catalogue import CATALOGUE
from ctucbvi.commands.report import supplement
from ctucbvi.commands.report_bounds import bounds_panel
from tests.page.browser import opened
from tests.page.pages import made, written
from verify.report import Supplement
from verify.running.graph import Graph

CONSTANTS = {constant.name: constant for constant in CATALOGUE}
NAMES = [bound["name"] for bound in bounds_panel().data["bounds"]]


@pytest.fixture(scope="module")
def one(browser, tmp_path_factory):
    panels = supplement(Graph((), {}, {}, {})).panels
    file = written(tmp_path_factory.mktemp("panels"), [made("thm:a")], supplement=Supplement(panels=panels))
    with opened(browser, file) as found:
        yield found


def drawn(rng):
    """Sizes and rates over the whole range of the sliders, trees of the lower bound among them."""
    actions = rng.randrange(1, 12)
    full = 2 + sum(actions**i for i in range(rng.randrange(1, 5)))
    lambda_max = round(10 ** rng.uniform(-2, 2), 3)
    return {
        "S": full if rng.random() < 0.5 and full < 500 else rng.randrange(1, 60),
        "A": actions,
        "H": round(10 ** rng.uniform(-1, 1.5), 3),
        "K": round(10 ** rng.uniform(0.4, 15)),
        "lambda_min": round(lambda_max * rng.uniform(0.001, 1), 6),
        "lambda_max": lambda_max,
    }


def exact(name, p):
    sizes = {key: Fraction(str(p[key])) for key in ("H", "lambda_min", "lambda_max")}
    whole = {"states": p["S"], "actions": p["A"], "episodes": p["K"], "horizon": sizes["H"]}
    rates = {"lambda_max": sizes["lambda_max"], "lambda_min": sizes["lambda_min"]}
    ball = value(CONSTANTS[name], Parameters.of(**whole, **rates), digits=15).ball
    return None if ball is None else float(ball.mid())


BOUNDS = "Report.data.panels.find((p) => p.name === 'bounds').data.bounds"
SCRIPT = f"""places => places.map((p) => Object.fromEntries({BOUNDS}.map(
    (bound) => [bound.name, Report.formulas.bound(bound, p)])))"""


def disagreements(one, places):
    """Where page and toolkit differ in the tenth digit, or in whether there is a value."""
    wrong = []
    for p, found in zip(places, one.page.evaluate(SCRIPT, places), strict=True):
        for name in NAMES:
            here, there = found[name], exact(name, p)
            if there is not None and there > 1e300:
                continue  # beyond doubles
            if (here is None) != (there is None) or (here and abs(here / there - 1) > 1e-10):
                wrong.append((name, p, here, there))
    return wrong


def test_formulas_agree_to_ten_digits(one):
    rng = random.Random(1)
    places = [drawn(rng) for _ in range(300)]
    assert disagreements(one, places) == []
    values = [exact(name, p) for p in places[:60] for name in NAMES]
    assert sum(v is None for v in values) > 20  # outside the domain of some
    assert sum(v is not None for v in values) > 200


def test_another_formula_is_noticed(one):
    places = [drawn(random.Random(2)) for _ in range(3)]
    one.page.evaluate(f"""() => {{ const first = {BOUNDS}[0];
        window.kept = first.tree; first.tree = ["*", first.tree, 1.000001]; }}""")
    assert {name for name, *_ in disagreements(one, places)} <= {NAMES[0]}
    assert disagreements(one, [{**places[0], "H": 1, "K": 1000}])
    one.page.evaluate(f"() => {{ {BOUNDS}[0].tree = window.kept; }}")


def test_sliders_change_the_table_and_the_picture(one):
    cell = one.page.locator('tr[data-name="printed"] td[data-value]')
    shown = float(cell.get_attribute("data-value"))
    model = {"S": 2, "A": 2, "H": 1, "K": 10**7, "lambda_min": 2, "lambda_max": 7}
    assert shown == pytest.approx(exact("printed", model), rel=1e-10)
    line = one.page.locator("#panel-bounds path.line.tone-1").first.get_attribute("d")
    slider = one.page.locator("#slider-lambda_max")
    slider.focus()
    one.page.keyboard.press("ArrowRight")
    assert float(cell.get_attribute("data-value")) > shown
    assert one.page.locator("#panel-bounds path.line.tone-1").first.get_attribute("d") != line
    one.page.select_option("#preset", "1")
    assert one.page.locator('tr[data-name="lower-every-K"] td[data-value]').get_attribute("data-value")
    for key in ("S", "A", "H", "K", "lambda_min"):
        before = one.page.locator("#panel-bounds tbody").text_content()
        one.page.locator(f"#slider-{key}").focus()
        for _ in range(20):
            one.page.keyboard.press("ArrowRight")
        assert one.page.locator("#panel-bounds tbody").text_content() != before, key


def test_what_was_measured_is_what_is_kept(one):
    losses = one.page.locator("#panel-losses tbody tr")
    assert losses.count() == 16
    assert "× 113" in losses.nth(1).text_content()
    studies = one.page.locator("#panel-studies figure")
    assert studies.count() == 3
    assert "2,251 ± 16" in studies.nth(0).text_content()
    assert "497.2 ± 11" in studies.nth(2).text_content()
    assert studies.nth(1).locator("path.line").count() == 12  # six learners, and their names


def test_data_are_plain_json():
    for panel in supplement(Graph((), {}, {}, {})).panels:
        assert json.loads(json.dumps(panel.data)) == panel.data
