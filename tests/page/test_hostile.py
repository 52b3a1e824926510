"""Whatever claims say stays text: no markup, no script, no link of theirs, in any place of the page."""

from __future__ import annotations

import re

import pytest

from tests.page.browser import opened
from tests.page.pages import KEPT, made, written
from verify import Defect, Fact, Paper, Remark, Setting, Symbol
from verify.report import Supplement
from verify.report import page as page_module

ATTACKS = (
    '<img src=x onerror="window.owned=1">',
    "</script><script>window.owned=2</script>",
    "<!--<script>",
    "'\"><svg onload=window.owned=3>",
    "$\\href{javascript:window.owned=4}{x}$ $\\htmlData{a=b}{y}$ $<b>z</b>$",
    "[click](javascript:window.owned=5) `<i>code</i>`",
    "\u2028\u2029 \x00 {{script}} ${7*7}",
)
BAD = " ".join(ATTACKS)
SETTING = Setting.of(
    f"times {BAD}",
    "",
    {"Nat": "n"},
    [Symbol("T", ("Nat",), "Real", known="_1")],
    {"short": Fact("E(T(n)) <= 1", BAD, "law")},
)


def hostile(folder):
    label = "lem:<img/src=x/onerror=window.owned=6>"
    found = [
        made(label, "refuted", statement=BAD, latex=BAD, source=BAD, finding=Remark("proof", BAD, "", BAD),
             witness={"case": BAD, "left": BAD, "right": BAD, "comparison": BAD, "line": BAD},
             evidence={"check": BAD, BAD: BAD, "derivation": [BAD], "others": [
                 {"check": BAD, "verdict": "tested", "evidence": {BAD: [BAD, {BAD: BAD}]}}]}),
        made("thm:a", "proved", label, statement=BAD, says="d <= exp(d)", domain="0 < d", symbols={"d": BAD},
             slack={"ratio": BAD, "at": {"case": BAD}}, argued=BAD),
        made("thm:b", "proved", theorem="0 <= E(T(n))", derivation=lambda d: d, setting=SETTING, evidence={
            **KEPT, "rests": {"law": ["short"]},
            "derivation": {"steps": [{"rule": BAD}, {"rule": "assume", "formula": BAD}]}}),
    ]  # fmt: skip
    paper = Paper(BAD, (BAD, BAD), BAD, f"javascript:{BAD}", {"thm:a": BAD, label: BAD})
    proposed = f"{BAD} \\begin{{{BAD}}}"
    defect = Defect("bad", BAD, "proof", (label, "thm:a"), BAD, BAD, BAD, "thm:a", proposed, BAD)
    said = Supplement((BAD,), printed=(label, "thm:a"))
    return written(folder, found, paper=paper, defects=(defect,), supplement=said, errata=BAD)


def intrusions(one):
    """What of the attacks has become more than text."""
    return one.page.evaluate(
        """() => [window.owned ?? null, ...[...document.querySelectorAll('body *')].filter((e) =>
            ['IMG', 'IFRAME', 'OBJECT', 'FORM', 'I', 'B'].includes(e.tagName)
            || (e.tagName === 'SCRIPT' && e.parentElement !== document.body)
            || [...e.attributes].some((a) => a.name.startsWith('on') || /^\\s*javascript:/i.test(a.value))
            ).map((e) => e.outerHTML.slice(0, 80))]"""
    )


def test_nothing_becomes_markup(browser, tmp_path):
    with opened(browser, hostile(tmp_path)) as one:
        one.page.locator("details").evaluate_all("els => els.forEach(e => { e.open = true; })")
        for node in one.page.locator(".node").all():
            node.press("Enter")
        for link in one.page.locator(".claims .claim-link").all():
            link.click()
            assert intrusions(one) == [None]
            one.page.keyboard.press("Escape")
        text = one.page.locator("main").inner_text()
        for attack in ('<img src=x onerror="window.owned=1">', "</script><script>window.owned=2</script>"):
            assert attack in text  # it is there, to be read
        assert one.page.evaluate("document.scripts.length") == 2


@pytest.mark.parametrize("address", ["#%E0%A4%A&claim=<img>", "#claim=no&severity=<b>&sort=x&node=y&graph=z"])
def test_a_damaged_address_is_harmless(browser, paper, address):
    with opened(browser, paper, hash=address) as one:
        assert intrusions(one) == [None]
        assert not one.page.locator("dialog.claim").is_visible()


def test_the_data_cannot_end_their_block(tmp_path):
    text = hostile(tmp_path).read_text(encoding="utf-8")
    assert len(re.findall("</script", text)) == 2
    assert "<script>window" not in text
    policy = re.search('http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert "default-src &#x27;none&#x27;" in policy[1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("element.append(...", "element.innerHTML += children.flat(9).join(''); element.append(..."),
        ("trust: false", "trust: true"),
    ],
)
def test_a_page_that_lets_markup_in_is_caught(browser, tmp_path, monkeypatch, old, new):
    asset = page_module.__globals__["_asset"]
    monkeypatch.setitem(page_module.__globals__, "_asset", lambda name: asset(name).replace(old, new))
    with opened(browser, hostile(tmp_path)) as one:
        caught = bool(one.errors) or intrusions(one) != [None]
        one.errors.clear()
        one.requests.clear()
        assert caught
