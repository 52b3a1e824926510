"""The data of the page: complete, cut to size, and true to the verdicts."""

from __future__ import annotations

import json
import re

import pytest

from ctucbvi.commands.report import PRINTED, REPAIRED
from ctucbvi.commands.report_words import sentences
from proofs_checks import SOURCE
from tests.page.pages import DEFECTS, PAPER, SUPPLEMENT, large, made, small, small_page, written
from verify import Paper, Verdict
from verify.claims import ClaimSet
from verify.report import Supplement, supplement_of
from verify.report.evidence import STEPS, plain, witness_of
from verify.report.facts import numbered
from verify.report.page import ASSETS, LIBRARIES, PROGRAM
from verify.running.graph import Graph
from verify.running.loading import load_claims


def data_of(file):
    text = file.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


def test_every_claim_is_there_with_what_was_found(tmp_path):
    found = data_of(small_page(tmp_path))
    by_label = {one["label"]: one for one in found["claims"]}
    assert list(by_label) == [one.label for one, _ in small()]
    main = by_label["thm:main"]
    assert (main["verdict"], main["transitive"], main["number"]) == ("proved", "refuted", "Theorem 1")
    assert by_label["thm:other"]["rests"] == "1 law, 1 property of the model"
    assert by_label["lem:a/step"]["command"].endswith("| python -m verify.recheck -")
    deep = by_label["lem:a/deep"]
    assert [check["name"] for check in deep["checks"]] == ["proof", "search"]
    assert ["asked", "400"] in deep["checks"][1]["facts"]
    assert deep["checks"][0]["proof"]["rules"] == [["range", 1]]
    kept = by_label["lem:b"]["derivation"]
    assert (kept["count"], len(kept["steps"])) == (61, STEPS)
    assert kept["steps"][0]["by"] == "fact: short"
    assert found["graph"] == {
        "printed": ["thm:main", "thm:other", "lem:a", "lem:b"],
        "repaired": ["thm:main/repaired", "thm:other", "lem:a", "lem:b"],
    }
    assert [(one["name"], one["kind"]) for one in found["granted"]["facts"]] == [
        ("short", "law"),
        ("duration", "model"),
    ]
    assert [one["label"] for one in found["granted"]["words"]] == ["cited"]


def test_without_defects_of_their_own_claims_that_fail_have_cards(tmp_path):
    found = data_of(written(tmp_path, small()))["defects"]
    assert [(one["severity"], one["claims"]) for one in found] == [("proof", ["lem:a/step"])]
    assert found[0]["repair"] == "lem:a/repaired"
    plain_one = data_of(written(tmp_path, [made("lem:x", "undecided"), made("lem:y")]))["defects"]
    assert [(one["title"], one["severity"]) for one in plain_one] == [("lem:x is undecided", "statement")]


def test_without_words_of_the_owner_the_page_counts(tmp_path):
    found = data_of(written(tmp_path, small(), supplement=Supplement()))
    assert found["sentences"] == [
        "Of 12 claims 11 hold, as far as their own checks go.",
        "Refuted, with a witness that anybody can check again: lem:a/step.",
        "Themselves in order, but resting on something that is not: thm:main, lem:a, lem:z, lem:z/deep.",
        "What is derived rests on 1 law (short) and 1 property of the model.",
    ]
    assert found["panels"] == []
    assert len(data_of(written(tmp_path, large(40), supplement=Supplement()))["graph"]["printed"]) == 12


def test_numbers_go_on_below_the_number_of_the_paper():
    paper = Paper("On x", numbers={"lem:x": "Lemma 3"})
    assert [numbered(paper, label) for label in ("lem:x", "lem:x/a/b", "lem:xy", "x")] == [
        "Lemma 3", "Lemma 3/a/b", "", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("[0.279197972311 +/- 7.89e-13]", "0.2791979723"),
        ("1763804957123/10000000000000", "0.1763804957"),
        ("0.885801294358845486662199660571", "0.8858012944"),
        ("1/2", "1/2"),
        ({"a": [1, True]}, "a = 1, yes"),
        ({}, "none"),
        ("x" * 400, "x" * 319 + "…"),
    ],
)
def test_numbers_are_shown_with_ten_digits(value, text):
    assert plain(value) == text


@pytest.mark.parametrize(
    ("witness", "says"),
    [
        ({"left": "2", "right": "1", "comparison": "<="}, "2 ≤ 1, which is false"),
        ({"left": "2", "right": "1", "comparison": "=="}, "2 = 1, which is false"),
        ({"left": "2", "right": "1", "relation": "y >= x"}, "2 ≤ 1, which is false"),
        ({"left": "2", "right": "1", "relation": "x < y"}, "2 < 1, which is false"),
    ],
)
def test_a_witness_says_what_the_claim_would_say(witness, says):
    assert witness_of({"case": "one", **witness}) == [["case", "one"], ["would say", says]]


# --- the paper's ---------------------------------------------------------------------------------


def paper_graph(**changed):
    """The graph of the paper with the recorded verdicts, but for these."""
    claims = load_claims(SOURCE)
    recorded = {one.label: one.expects("quick") or Verdict.PROVED for one in claims}
    verdicts = {**recorded, **{label: Verdict(verdict) for label, verdict in changed.items()}}
    return Graph.of(claims, verdicts, None, {"thm:CT-UCB/repaired": {"law": ["law", "shorter"]}})


@pytest.fixture(scope="module")
def graph():
    return paper_graph()


def test_five_sentences_as_the_verdicts_are(graph):
    said = sentences(graph)
    assert len(said) == 5
    assert not [text for text in said if "Not established" in text]
    assert "it rests on 2 laws. All" in said[3]
    labels = {label for text in said for label in re.findall(r"\]\(([^)]+)\)", text)}
    assert labels <= {claim.label for claim in graph.claims}


@pytest.mark.parametrize(
    ("label", "verdict", "which"),
    [
        ("thm:CT-UCB/repaired", "undecided", 0),
        ("thm:CT-UCB/any-delta", "undecided", 0),
        ("prop:rateerror/pathwise", "tested", 1),
        ("lem:CI-p", "proved", 1),
        ("thm:lowerbound/repaired", "refuted", 2),
        ("thm:CT-UCB/half", "tested", 4),
    ],
)
def test_a_sentence_that_is_not_borne_out_says_so(label, verdict, which):
    said = sentences(paper_graph(**{label: verdict}))[which]
    assert said.startswith("Not established by this run (")
    assert f"{label} is {verdict}" in said


def test_the_graph_starts_with_claims_of_the_paper(graph):
    known = {claim.label for claim in graph.claims}
    assert set(PRINTED) | set(REPAIRED) <= known
    assert 10 <= len(PRINTED) <= 16
    assert 10 <= len(REPAIRED) <= 16
    assert not [label for label in REPAIRED if graph.transitive[label] is not Verdict.PROVED]


def test_claims_of_a_file_have_no_panels_of_the_paper(graph):
    assert supplement_of(SOURCE.at("mine.py"), graph) == Supplement()
    assert [panel.name for panel in supplement_of(SOURCE, graph).panels] == ["losses", "bounds", "studies"]


# --- what it is made of --------------------------------------------------------------------------


def test_the_program_names_no_tenant_and_nothing_is_left_out():
    scripts = sorted((ASSETS / "js").glob("*.js"))
    assert {path.stem for path in scripts} == {*PROGRAM, "main"}
    for path in [*scripts, ASSETS / "page.css", ASSETS / "page.html"]:
        assert not re.search("ctucbvi|proofs_checks", path.read_text(encoding="utf-8"), re.IGNORECASE), path
        assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function",
                             path.read_text(encoding="utf-8")), path  # fmt: skip


def test_libraries_come_with_their_licences(tmp_path):
    text = small_page(tmp_path).read_text(encoding="utf-8")
    for folder, _ in LIBRARIES:
        licence = (ASSETS / "vendor" / folder / "LICENSE").read_text(encoding="utf-8")
        assert "Permission is hereby granted" in licence
        assert licence.strip() in text
    assert "sourceMappingURL" not in text
    assert not re.findall(r"url\((?!data:|#)", text)


def test_fixtures_fit_together():
    assert len(ClaimSet(one for one, _ in small())) == 12
    assert {label for one in DEFECTS for label in one.labels} <= {one.label for one, _ in small()}
    assert PAPER.numbers
    assert SUPPLEMENT.panels
