"""Pages that are broken on purpose: the tests of the page must see it."""

from __future__ import annotations

import pytest

from tests.page import test_page
from tests.page.browser import opened
from tests.page.pages import small_page
from verify.report import page as page_module

BROKEN = {
    "a filter that does nothing": ("rows.get(claim.label).hidden = !hit", "0", "test_sorting_and_filter"),
    "no state in the address": ('history[step ? "pushState" : "replaceState"]', "(() => {})", "address"),
    "the graph stays closed": ('opened[opened.has(label) ? "delete" : "add"](label)', "0", "graph"),
    "the longest way": ("waiting.shift()", "waiting.pop()", "why"),
    "no zoom": ("view.scale = scale;", "", "zoom"),
    "pale letters": ("light-dark(#57606b, #a9b0ba)", "light-dark(#a7b0bb, #59606a)", "contrast"),
    "wider than a phone": ("body { margin: 0;", "body { margin: 0; min-width: 60rem;", "contrast"),
    "cards stay closed on paper": ("one.open = true;", "", "print"),
    "an error": ("GraphView.start();", 'GraphView.start(); console.error("no");', "errors"),
    "a request": (
        "GraphView.start();",
        'GraphView.start(); fetch("https://a.org/").catch(() => {});',
        "errors",
    ),
    "severities that do not filter": ("cards.get(one.name).hidden = chosen", "void chosen", "severity"),
    "no focus to be seen": (":focus-visible { outline: 3px", ":focus-visible { outline: 0px", "tab"),
}


def look(browser, file, kind):
    """The test of the page that looks at this."""
    with opened(browser, file) as one:
        if kind == "test_sorting_and_filter":
            test_page.test_each_filter(one, "verdict", "assumed", ["cited"])
        elif kind == "address":
            test_page.test_a_click_shows_one_severity_only(one)
        elif kind == "graph":
            test_page.test_it_starts_with_the_main_statements_and_opens_on_a_click(one)
        elif kind == "why":
            test_page.test_why_it_is_not_proved(one)
        elif kind == "zoom":
            test_page.test_zoom_and_pan_by_mouse_buttons_and_keys(one)
        elif kind == "severity":
            test_page.test_a_click_shows_one_severity_only(one)
        elif kind == "tab":
            test_page.test_everything_is_reached_by_tab_and_can_be_seen_there(one)
    if kind == "contrast":
        test_page.test_nothing_is_wider_than_the_screen_and_all_is_legible(browser, file, 390, "light")
    elif kind == "print":
        test_page.test_on_paper_all_cards_are_open_and_it_is_light(browser, file)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_page_is_noticed(browser, tmp_path, monkeypatch, name):
    old, new, kind = BROKEN[name]
    asset = page_module.__globals__["_asset"]
    changed = []

    def broken(path):
        text = asset(path)
        changed.append(old in text)
        return text.replace(old, new)

    monkeypatch.setitem(page_module.__globals__, "_asset", broken)
    file = small_page(tmp_path)
    assert any(changed)
    with pytest.raises(AssertionError):
        look(browser, file, kind)
