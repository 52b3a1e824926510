"""The page in a real browser: every interaction, in both sizes and both lights, without any network."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.page.browser import opened

CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def one(browser, paper):
    """The small paper, wide and light; a test leaves it as it found it."""
    with opened(browser, paper) as found:
        yield found


@pytest.fixture(autouse=True)
def fresh(request):
    yield
    if "one" in request.fixturenames:
        page = request.getfixturevalue("one").page
        page.keyboard.press("Escape")
        page.evaluate("location.hash = ''")
        page.reload()


def filtered(one):
    return one.shown(".claims tbody tr .claim-link")


# --- what stands where ---------------------------------------------------------------------------


def test_the_top_says_what_it_is_about(one):
    assert one.page.title() == "On regret & <bounds>"
    assert one.page.locator("h1").text_content() == "On regret & <bounds>"
    top = one.page.locator("header.top").text_content()
    for words in ("A. Author, B. Writer", "A Journal 3 (2024)", "profile quick", "seed 0", "1 January 2026"):
        assert words in top
    assert one.page.locator("header.top a").get_attribute("href") == "https://example.org/paper"


def test_sentences_link_to_claims(one):
    first, second = one.page.locator(".sentences li").all()
    assert first.text_content() == "Theorem 1 rests on lem:a/step."
    assert [link.text_content() for link in first.locator("a").all()] == ["Theorem 1", "lem:a/step"]
    assert second.text_content() == "The other stands: Theorem 2."


def test_the_menu_goes_to_each_section(one):
    links = one.page.locator(".menu a").all()
    assert [link.text_content() for link in links] == [
        "Summary", "Defects", "Graph", "Own", "Claims", "Assumed", "Errata",
    ]  # fmt: skip
    links[5].click()
    assert one.state()["at"] == "assumed"
    assert one.page.evaluate("document.activeElement.id") == "assumed"


def test_the_tenants_panel_is_shown(one):
    assert one.page.locator("#panel-own .own").text_content() == "from the tenant"


# --- defects -------------------------------------------------------------------------------------


def test_a_click_shows_one_severity_only(one):
    rows = [row.text_content() for row in one.page.locator(".severities tbody td.number").all()]
    assert rows == ["1", "1", "0", "0", "1"]
    titles = one.shown(".card h3")
    assert [title[:15] for title in titles] == ["A statement is ", "A step fails at", "A sign"]
    proof = one.page.get_by_role("button", name="breaks a proof")
    proof.click()
    assert len(one.shown(".card h3")) == 1
    assert (proof.get_attribute("aria-pressed"), one.state()) == ("true", {"severity": "proof"})
    proof.click()
    assert (len(one.shown(".card h3")), one.state()) == (3, {})
    assert one.page.get_by_role("button", name="a constant").is_disabled()


def test_a_card_has_all_of_it(one):
    card = one.page.locator("#defect-a-step")
    assert not card.evaluate("e => e.open")
    card.locator("summary").click()
    text = card.inner_text()
    for words in ("Lemma 1", "lem:a/step", "The paper says", "What is wrong", "Proposed text", "Consequence",
                  "A fair reading", "How sure is this?", "would say", "1 ≤ 0.8858012944, which is false",
                  "δ = 1/2", "Theorem 1 rests on it."):  # fmt: skip
        assert words in text, words
    assert card.locator(".typeset .katex").count() >= 3
    assert card.locator(".typeset li").count() == 2
    assert card.locator(".formula code, .inline-formula code").count() == 0  # each formula is set
    assert card.locator(".support .badge").all_text_contents() == ["✗ refuted", "✓ proved"]


def test_commands_and_latex_are_copied(browser, paper):
    allowed = ["clipboard-read", "clipboard-write"]
    with opened(browser, paper, permissions=allowed, hash="#defect=a-step") as one:
        card = one.page.locator("#defect-a-step")
        assert card.evaluate("e => e.open")  # the address opens it
        card.get_by_role("button", name="Copy the re-check command").click()
        copied = one.page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith('echo \'{"relation": "1 <= d"')
        assert copied.endswith("| python -m verify.recheck -")
        card.get_by_role("button", name="Copy LaTeX").click()
        assert one.page.evaluate("navigator.clipboard.readText()").startswith("\\begin{lemma}")
        one.page.get_by_role("button", name="Copy the file").click()
        assert one.page.evaluate("navigator.clipboard.readText()") == "\\documentclass{article}\n"


# --- the graph -----------------------------------------------------------------------------------


def nodes(one):
    return one.page.locator("svg.graph .node").evaluate_all("els => els.map(e => e.dataset.label)")


def node(one, label):
    return one.page.locator(f'svg.graph .node[data-label="{label}"]')


def test_it_starts_with_the_main_statements_and_opens_on_a_click(one):
    assert sorted(nodes(one)) == ["lem:a", "lem:b", "thm:main", "thm:other"]
    node(one, "lem:a").click()
    assert set(nodes(one)) == {"lem:a", "lem:b", "thm:main", "thm:other", "lem:a/step", "lem:a/other"}
    assert one.state()["node"] == "lem:a"
    script = "els => els.map(e => [e.dataset.label, e.classList.value])"
    classes = dict(one.page.locator(".node").evaluate_all(script))
    assert "selected" in classes["lem:a"]
    assert "above" in classes["thm:main"]
    assert "below" in classes["lem:a/step"]
    assert "dim" in classes["thm:other"]
    node(one, "lem:a").click()
    assert sorted(nodes(one)) == ["lem:a", "lem:b", "thm:main", "thm:other"]


def test_printed_and_repaired(one):
    one.page.get_by_label("repaired", exact=True).check()
    assert one.state() == {"graph": "repaired"}
    assert sorted(nodes(one)) == ["lem:a", "lem:b", "thm:main/repaired", "thm:other"]
    one.page.get_by_label("as printed").check()
    assert one.state() == {}


def test_why_it_is_not_proved(one):
    node(one, "thm:main").click()
    one.page.get_by_role("button", name="Why is this not proved?").click()
    assert one.page.locator(".way li .claim-link").all_text_contents() == ["thm:main", "lem:a", "lem:a/step"]
    assert "lem:a/step" in nodes(one)
    node(one, "lem:a/step").click()
    one.page.get_by_role("button", name="Why is this not proved?").click()
    assert "it is itself the weakest claim" in one.page.locator(".info").text_content()
    node(one, "lem:b").click()
    assert one.page.get_by_role("button", name="Why is this not proved?").count() == 0
    assert "null" not in one.page.locator(".info").text_content()


def view(one):
    return one.page.evaluate("({...Report.graph})")


def test_zoom_and_pan_by_mouse_buttons_and_keys(one):
    picture = one.page.locator("svg.graph")
    picture.scroll_into_view_if_needed()
    first = view(one)
    one.page.get_by_role("button", name="Zoom in").click()
    assert view(one)["scale"] > first["scale"]
    one.page.get_by_role("button", name="Show all of it").click()
    assert view(one) == pytest.approx(first)
    picture.focus()
    one.page.keyboard.press("+")
    one.page.keyboard.press("ArrowRight")
    zoomed = view(one)
    assert zoomed["scale"] > first["scale"]
    one.page.keyboard.press("0")
    box = picture.bounding_box()
    x, y = box["x"] + 20, box["y"] + 20
    one.page.mouse.move(x, y)
    one.page.mouse.down()
    one.page.mouse.move(x + 50, y + 30)
    one.page.mouse.up()
    assert view(one)["x"] == pytest.approx(first["x"] + 50)
    one.page.keyboard.down("Control")
    one.page.mouse.wheel(0, -200)
    one.page.keyboard.up("Control")
    assert view(one)["scale"] > first["scale"]


def test_two_fingers_zoom(one):
    script = """e => { const box = e.getBoundingClientRect();
        const at = (kind, id, x, y) => e.dispatchEvent(new PointerEvent(kind, {bubbles: true, pointerId: id,
            pointerType: "touch", clientX: box.left + x, clientY: box.top + y}));
        e.setPointerCapture = () => {};
        at("pointerdown", 11, 100, 100); at("pointerdown", 12, 200, 100);
        at("pointermove", 12, 300, 100); at("pointerup", 12, 300, 100); at("pointerup", 11, 100, 100); }"""
    before = view(one)["scale"]
    one.page.locator("svg.graph").evaluate(script)
    assert view(one)["scale"] == pytest.approx(2 * before)


def test_nodes_by_keyboard(one):
    node(one, "lem:a").focus()
    one.page.keyboard.press("Enter")
    assert "lem:a/step" in nodes(one)
    assert one.page.evaluate("document.activeElement.dataset.label") == "lem:a"
    assert node(one, "lem:a").get_attribute("aria-expanded") == "true"


# --- the table -----------------------------------------------------------------------------------


def test_filters_are_in_the_address_and_back(browser, paper, one):
    one.page.select_option("#filter-verdict", "proved")
    one.page.select_option("#filter-kind", "repair")
    one.page.fill("#q", "MAIN")
    assert filtered(one) == ["thm:main/repaired"]
    assert one.state() == {"verdict": "proved", "kind": "repair", "q": "MAIN"}
    assert one.page.locator(".shown").text_content() == "1 of 12 claims"
    with opened(browser, paper, hash=one.page.evaluate("location.hash")) as again:
        assert filtered(again) == ["thm:main/repaired"]
        assert again.page.input_value("#q") == "MAIN"
    one.page.locator(".filters").get_by_role("button", name="Clear").click()
    assert (len(filtered(one)), one.state()) == (12, {})


@pytest.mark.parametrize(
    ("which", "value", "found"),
    [
        ("transitive", "refuted", ["thm:main", "lem:a", "lem:a/step", "lem:z", "lem:z/deep"]),
        ("checker", "derivation", ["lem:b"]),
        ("section", "mine", []),
        ("verdict", "assumed", ["cited"]),
    ],
)
def test_each_filter(one, which, value, found):
    options = one.page.locator(f"#filter-{which} option").all_text_contents()
    if value not in options:
        assert found == []
        return
    one.page.select_option(f"#filter-{which}", value)
    assert filtered(one) == found


def test_sorting(one):
    head = one.page.locator("th.c-verdict")
    head.get_by_role("button").click()
    assert one.page.locator(".c-verdict .badge").first.text_content() == "✓ proved"
    assert head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").click()
    assert filtered(one)[0] == "lem:a/step"
    assert one.state() == {"sort": "-verdict"}


# --- a claim -------------------------------------------------------------------------------------


def test_a_claim_in_full(one):
    one.page.locator(".claims .claim-link", has_text="lem:a/deep").click()
    dialog = one.page.locator("dialog.claim")
    assert one.state() == {"claim": "lem:a/deep"}
    text = dialog.inner_text()
    for words in ("Lemma 1/deep", "0 < δ < 1", "398 run, 400 asked for", "1 × range", "0.731", "δ = 1/2",
                  "Used by (2)", "accepted by the second checker"):  # fmt: skip
        assert words in text, words
    assert dialog.locator(".katex-display").count() == 1
    assert r"\delta" in dialog.locator("annotation").first.text_content()
    assert "rests on" not in text
    dialog.locator(".claim-link", has_text="lem:a/step").click()
    assert "d <= 2*exp(d)" in dialog.inner_text()  # the mutant
    one.page.go_back()
    assert one.state() == {"claim": "lem:a/deep"}
    one.page.keyboard.press("Escape")
    assert (dialog.is_visible(), one.state()) == (False, {})


def test_a_derivation_is_cut_and_counted(browser, paper):
    with opened(browser, paper, hash="#claim=lem:b") as one:
        dialog = one.page.locator("dialog.claim")
        assert "61 steps" in dialog.inner_text()
        assert (
            "✓ proved (rests on 1 law, 1 property of the model)" in dialog.locator(".verdicts").inner_text()
        )
        assert not one.shown(".steps li")
        dialog.locator("summary", has_text="The first 24 of 61 steps").click()
        assert len(one.shown(".steps li")) == 24
        assert "check claims 'lem:b' --derivation" in dialog.inner_text()


def test_laws_come_first_with_their_statements(one):
    section = one.page.locator("#assumed")
    assert section.locator("ol.granted > li strong").all_text_contents() == ["short", "duration"]
    assert section.locator("ol.granted pre").first.text_content() == "E(T(n)) <= 1"
    assert section.locator(".words .claim-link").all_text_contents() == ["cited"]


# --- keyboard, sizes, paper ----------------------------------------------------------------------


def test_everything_is_reached_by_tab_and_can_be_seen_there(one):
    one.page.evaluate("document.body.focus(); scrollTo(0, 0)")
    seen = []
    for _ in range(140):
        one.page.keyboard.press("Tab")
        script = """() => { const e = document.activeElement, name = e.tagName.toLowerCase();
            const mark = e.matches('.node') ? getComputedStyle(e.querySelector('rect')).strokeWidth
              : getComputedStyle(e).outlineWidth;
            return [`${name}.${e.getAttribute('class') ?? ''}`, mark, e === document.body]; }"""
        name, mark, ended = one.page.evaluate(script)
        if ended:
            break
        assert float(mark.removesuffix("px")) >= 3, name
        seen.append(name)
    for kind in ("a.skip", "button.filter", "summary.", "g.node", "input.", "select.", "button.sort",
                 "a.claim-link label", "svg.graph"):  # fmt: skip
        assert kind in seen, kind


def test_the_window_of_a_claim_keeps_the_keyboard(one):
    link = one.page.locator(".claims .claim-link").first
    link.focus()
    one.page.keyboard.press("Enter")
    for _ in range(40):
        one.page.keyboard.press("Tab")
        assert one.page.evaluate(
            "document.activeElement === document.body || Boolean(document.activeElement.closest('dialog'))"
        )
    one.page.keyboard.press("Escape")
    assert one.page.evaluate("document.activeElement.textContent") == "thm:main"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_screen_and_all_is_legible(browser, paper, width, scheme):
    for hash in ("", "#claim=lem:a/step"):  # noqa: A001 -- likewise
        with opened(browser, paper, width=width, color_scheme=scheme, hash=hash) as one:
            one.page.locator(".cards > details").evaluate_all("els => els.forEach(e => { e.open = true; })")
            assert one.page.evaluate("document.documentElement.scrollWidth") <= width
            assert one.page.evaluate(CONTRAST) == []


def test_the_button_switches_light_and_dark(one):
    before = one.page.evaluate("getComputedStyle(document.body).backgroundColor")
    one.page.locator("button.theme").click()
    assert one.page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def test_on_paper_all_cards_are_open_and_it_is_light(browser, paper):
    with opened(browser, paper, color_scheme="dark") as one:
        one.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        one.page.emulate_media(media="print", color_scheme="dark")
        assert one.shown(".card .part h4").count("What is wrong") == 3
        for hidden in (".menu", ".filters", ".copy", ".zoom"):
            assert one.shown(hidden) == []
        assert one.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert one.page.evaluate(CONTRAST) == []
        one.page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert not one.page.locator("#defect-a-step").evaluate("e => e.open")
        assert one.page.pdf(format="A4").count(b"/Type /Page\n") >= 2


# --- speed ---------------------------------------------------------------------------------------


def test_a_filter_over_500_claims_takes_less_than_a_tenth_of_a_second(browser, many):
    with opened(browser, many) as one:
        meter = one.page.context.new_cdp_session(one.page)
        meter.send("Performance.enable", {"timeDomain": "threadTicks"})  # its own time, whoever else is busy

        def spent():
            found = {m["name"]: m["value"] for m in meter.send("Performance.getMetrics")["metrics"]}
            return found["ScriptDuration"] + found["LayoutDuration"] + found["RecalcStyleDuration"]

        script = """value => { const select = document.getElementById('filter-verdict');
            select.value = value;
            select.dispatchEvent(new Event('change'));
            return document.body.offsetHeight; }"""
        times = []
        for value in ("refuted", "", "tested", "proved"):
            before = spent()
            one.page.evaluate(script, value)
            times.append(spent() - before)
        assert 0 < max(times) < 0.1
        assert len(filtered(one)) == 168
