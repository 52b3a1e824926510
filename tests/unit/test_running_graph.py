"""What rests on what: verdicts that pass upwards, and the pictures of it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.claims import Claim, ClaimSet, Verdict
from verify.running import drawing, layout
from verify.running import graph as graphs
from verify.running.drawing import svg
from verify.running.graph import COLOURS, Graph, dot, edge_colour, text_tree, transitive_verdicts

SVG = "{http://www.w3.org/2000/svg}"


@st.composite
def judged_claims(draw) -> tuple[ClaimSet, dict[str, Verdict]]:
    """Claims that use earlier ones, in any order of writing, with verdicts."""
    count = draw(st.integers(1, 12))
    claims = []
    for i in range(count):
        uses = draw(st.lists(st.integers(0, i - 1), unique=True, max_size=3)) if i else []
        claims.append(Claim(f"lem:{i}", f"words <{i}> & more", uses=tuple(f"lem:{j}" for j in uses)))
    verdicts = {c.label: draw(st.sampled_from(list(Verdict))) for c in claims}
    return ClaimSet(draw(st.permutations(claims))), verdicts


def broken_rules(claims, verdicts, transitive) -> list[str]:
    """Where the transitive verdicts are not the weakest of the own and those below."""
    broken = []
    for claim in claims:
        below = [verdicts[label] for label in claims.closure([claim.label])]  # with the claim itself
        if transitive[claim.label].rank != max(verdict.rank for verdict in below):
            broken.append(claim.label)
    return broken


@given(judged_claims())
def test_a_claim_is_as_strong_as_the_weakest_it_rests_on(judged):
    claims, verdicts = judged
    assert broken_rules(claims, verdicts, transitive_verdicts(claims, verdicts)) == []


CHAIN = ClaimSet(
    [
        Claim("thm", "the theorem", uses=("lem:a", "lem:b")),
        Claim("lem:a", "a lemma", uses=("eq",)),
        Claim("lem:b", "another", uses=("eq", "cited")),
        Claim("eq", "an equation"),
        Claim("cited", "from elsewhere"),
        Claim("alone", "a remark"),
    ]
)
FOUND = {
    "thm": Verdict.PROVED,
    "lem:a": Verdict.PROVED,
    "lem:b": Verdict.TESTED,
    "eq": Verdict.REFUTED,
    "cited": Verdict.ASSUMED,
    "alone": Verdict.SUPPORTED,
}


@pytest.mark.parametrize(
    "mutant",
    [
        lambda claims, verdicts: dict(verdicts),  # ignores what is used
        lambda claims, verdicts: {  # looks one step down only
            c.label: graphs.weakest([verdicts[x] for x in (c.label, *c.uses)]) for c in claims
        },
        lambda claims, verdicts: {  # takes the strongest
            c.label: min((verdicts[x] for x in claims.closure([c.label])), key=lambda v: v.rank)
            for c in claims
        },
    ],
)
def test_wrong_rules_are_caught(mutant):
    assert broken_rules(CHAIN, FOUND, mutant(CHAIN, FOUND))
    assert not broken_rules(CHAIN, FOUND, transitive_verdicts(CHAIN, FOUND))


def test_what_was_not_checked_has_no_verdict_and_nothing_above_it_has():
    some = {label: verdict for label, verdict in FOUND.items() if label != "cited"}
    transitive = transitive_verdicts(CHAIN, some)
    assert transitive == {
        "eq": Verdict.REFUTED,
        "lem:a": Verdict.REFUTED,
        "cited": None,
        "lem:b": None,
        "thm": None,
        "alone": Verdict.SUPPORTED,
    }
    graph = Graph.of(CHAIN, some)
    assert graph.verdict_text("thm") == "proved, rests on not checked"


def test_what_a_theorem_rests_on():
    graph = Graph.of(CHAIN, FOUND, ["thm"])
    assert [claim.label for claim in graph.claims] == ["thm", "lem:a", "lem:b", "eq", "cited"]
    assert [claim.label for claim in graph.roots] == ["thm"]
    assert graph.assumed == ["cited"]


def test_the_tree():
    assert text_tree(Graph.of(CHAIN, FOUND)).splitlines() == [
        "thm  [proved, rests on refuted]",
        "├─ lem:a  [proved, rests on refuted]",
        "│  └─ eq  [refuted]",
        "└─ lem:b  [tested, rests on refuted]",
        "   ├─ eq  [refuted]",
        "   └─ cited  [assumed]",
        "alone  [supported]",
    ]
    twice = ClaimSet(
        [
            Claim("a", "", uses=("c",)),
            Claim("b", "", uses=("c",)),
            Claim("c", "", uses=("d",)),
            Claim("d", ""),
        ]
    )
    assert text_tree(Graph.of(twice, {})).count("(above)") == 1


def test_dot_is_coloured_and_quoted():
    claims = ClaimSet([Claim('q"', 'says "so"\\', uses=("b",)), Claim("b", "words")])
    text = dot(Graph.of(claims, {'q"': Verdict.PROVED, "b": Verdict.UNDECIDED}))
    fill, frame = COLOURS[Verdict.PROVED], edge_colour(Verdict.UNDECIDED)
    assert f'"q\\"" [label="q\\"\\nproved, rests on undecided", fillcolor="{fill}", color="{frame}"' in text
    assert 'tooltip="says \\"so\\"\\\\"];' in text
    assert '"q\\"" -> "b";' in text
    assert len(set(COLOURS.values())) == len(COLOURS) == len(Verdict) + 1


# --- the picture ---------------------------------------------------------------------------


def boxes(root) -> dict[str, tuple[float, float, float, float, str, str]]:
    """By label: left, top, right, bottom, fill, frame."""
    found = {}
    for group in root.iter(f"{SVG}g"):
        rect, label = group.find(f"{SVG}rect"), group.find(f"{SVG}text").text
        x, y, w, h = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
        found[label] = (x, y, x + w, y + h, rect.get("fill"), rect.get("stroke"))
    return found


def paths(root) -> list[list[tuple[float, float]]]:
    """The corners of every arrow; a curve between columns stays between the heights of its ends."""
    found = []
    for path in root.findall(f"{SVG}path"):
        points: list[tuple[float, float]] = []
        for kind, text in re.findall(r"([MCH])([^MCH]*)", path.get("d")):
            numbers = [float(n) for n in re.split(r"[ ,]+", text.strip())]
            points.append((numbers[0], points[-1][1]) if kind == "H" else tuple(numbers[-2:]))
        found.append(points)
    return found


def overlap(a, b) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def drawing_faults(graph: Graph, text: str) -> list[str]:
    """What is missing from the picture, or in the way of something else."""
    root = ET.fromstring(text)
    width, height = float(root.get("width")), float(root.get("height"))
    placed, faults = boxes(root), []
    if set(placed) != {claim.label for claim in graph.claims}:
        return ["claims are missing"]
    for label, (x, y, right, bottom, fill, frame) in placed.items():
        if not (0 <= x < right <= width and 0 <= y < bottom <= height):
            faults.append(f"{label} is not on the paper")
        if (fill, frame) != (COLOURS[graph.own[label]], edge_colour(graph.transitive[label])):
            faults.append(f"{label} has a wrong colour")
    if any(overlap(a, b) for a, b in combinations(placed.values(), 2)):
        faults.append("boxes overlap")
    joined = [(placed[claim.label], placed[used]) for claim in graph.claims for used in claim.uses]
    wanted = {rounded(((a[2], middle(a)), (b[0], middle(b)))) for a, b in joined}
    if {rounded((p[0], p[-1])) for p in paths(root)} != wanted:
        faults.append("arrows do not join what they should")
    for (x, y), (right, end) in (pair for corners in paths(root) for pair in pairwise(corners)):
        if x >= right:
            faults.append("an arrow goes back")
        # Straight through a column there must be nothing; between columns there is nothing anyway.
        inside = (x + 0.2, y, right - 0.2, y)  # the ends are rounded
        if y == end and any(overlap(inside, box) for box in placed.values()):
            faults.append("an arrow goes through a box")
    return faults


@given(judged_claims())
def test_the_picture_shows_every_claim_and_use_and_nothing_overlaps(judged):
    claims, verdicts = judged
    text = svg(Graph.of(claims, verdicts))
    assert drawing_faults(Graph.of(claims, verdicts), text) == []
    assert text == svg(Graph.of(claims, verdicts))


@pytest.mark.parametrize(
    ("module", "name", "wrong", "fault"),
    [
        (layout, "_increasing", list, "boxes overlap"),
        (drawing, "_THIN", -40.0, "an arrow goes through a box"),
        (drawing, "_BETWEEN", -100.0, "boxes overlap"),
        (drawing, "COLOURS", {**COLOURS, Verdict.PROVED: COLOURS[Verdict.TESTED]}, "thm has a wrong colour"),
        (drawing, "_arrow", lambda ends: "", "arrows do not join what they should"),
    ],
)
def test_a_wrong_picture_is_caught(monkeypatch, module, name, wrong, fault):
    claims = ClaimSet(
        [
            Claim("thm", "words", uses=("a", "b", "c", "d")),
            Claim("a", "words", uses=("d",)),
            Claim("b", "words", uses=("d",)),
            Claim("c", "words", uses=("d",)),
            Claim("d", "words"),
        ]
    )
    graph = Graph.of(claims, dict.fromkeys("abcd", Verdict.TESTED) | {"thm": Verdict.PROVED})
    assert drawing_faults(graph, svg(graph)) == []
    monkeypatch.setattr(module, name, wrong)
    assert fault in drawing_faults(graph, svg(graph))


def middle(box) -> float:
    return (box[1] + box[3]) / 2


def rounded(arrow):
    return tuple(round(number * 5) for point in arrow for number in point)


def test_text_fits_its_box():
    root = ET.fromstring(svg(Graph.of(CHAIN, FOUND)))
    for group in root.iter(f"{SVG}g"):
        rect = group.find(f"{SVG}rect")
        right = float(rect.get("x")) + float(rect.get("width"))
        for text in group.findall(f"{SVG}text"):
            # 0.61 em is as wide as letters get in the usual fixed-width faces
            assert float(text.get("x")) + 0.61 * float(text.get("font-size")) * len(text.text) < right - 4


def test_the_legend_names_what_occurs():
    text = svg(Graph.of(CHAIN, {"eq": Verdict.REFUTED, "alone": Verdict.PROVED}))
    words = [e.text for e in ET.fromstring(text).findall(f"{SVG}text")]
    assert words[:3] == ["proved", "refuted", "not checked"]
    assert "standing alone" in words
    assert "<title>thm: the theorem</title>" in text
