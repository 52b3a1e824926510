"""What is wrong with the paper: every finding has one root cause, and every label its number."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from proofs_checks import SOURCE
from proofs_checks.inventory import DEFINITIONS
from proofs_checks.paper import PAPER
from tests.claims.test_coverage import LABELS
from verify.claims import SEVERITIES
from verify.running.loading import load_claims, load_commentary


@pytest.fixture(scope="module")
def claims():
    return load_claims(SOURCE)


@pytest.fixture(scope="module")
def defects():
    return load_commentary(SOURCE).defects


def homeless(claims, defects):
    """The refuted claims, and those with a finding, that are not in exactly one defect."""
    labels = [label for one in defects for label in one.claims]
    wanted = [c.label for c in claims if c.finding or "refuted" in set(c.expected.values())]
    return [label for label in wanted if labels.count(label) != 1]


def misjudged(claims, defects):
    """The defects whose severity is not that of the gravest finding among their claims."""

    def gravest(one):
        grades = [claims[x].finding.breaks for x in one.claims if claims[x].finding]
        return min(grades, key=SEVERITIES.index, default=None)

    return [one.name for one in defects if gravest(one) != one.severity]


def test_every_finding_belongs_to_one_defect(claims, defects):
    assert homeless(claims, defects) == []
    assert homeless(claims, defects[1:]) == list(dict.fromkeys(homeless(claims, defects[1:])))
    assert "lem:CI-p" in homeless(claims, defects[1:])
    assert "lem:CI-p" in homeless(claims, [*defects, defects[0]])


def test_a_defect_is_as_grave_as_its_gravest_finding(claims, defects):
    assert misjudged(claims, defects) == []
    lighter = replace(defects[0], severity="erratum")
    assert misjudged(claims, [lighter]) == [lighter.name]


def test_the_theorem_comes_after_what_is_broken(defects):
    """Its domain is degenerate where it is false; what fails in earnest stands before it."""
    order = [label for one in defects for label in one.claims]
    grave = ("lem:CI-p", "lem:rateUCB/conditional-poisson", "eq:cond-exp", "thm:lowerbound/reward",
             "thm:lowerbound/delta")  # fmt: skip
    assert [label for label in grave if order.index(label) > order.index("thm:CT-UCB")] == []
    assert next(one.severity for one in defects if "thm:CT-UCB" in one.claims) == "erratum"


def test_what_is_proposed_is_whole(claims, defects):
    for one in defects:
        assert one.proposed, one.name
        assert one.repair in claims, one.name
        for text in (one.says, one.wrong, one.consequence, one.reading, one.proposed):
            assert text.count("$") % 2 == 0, one.name
            assert balanced(text), one.name


def balanced(text):
    """Whether braces close in LaTeX, and displays that are opened."""
    plain = re.sub(r"\\[{}]", "", text)
    depth, low = 0, 0
    for c in plain:
        depth += (c == "{") - (c == "}")
        low = min(low, depth)
    return depth == low == 0 and text.count(r"\[") == text.count(r"\]")


def test_unbalanced_texts_are_noticed():
    assert balanced(r"\{ x^{2} \[ \]")
    assert not any(map(balanced, (r"x^{2", "x}{", r"\[ x")))


def test_restated_claims_stand_in_the_fair_reading(claims):
    """Where a footnote or usual language covers the paper, nothing is refuted."""
    fair = ("alg:VI/linear-rate", "eq:Qa/first-n", "remark:integral/grid", "eq:empirical-P/probability",
            "eq:Nkplus/truncated", "lem:CI-p/union")  # fmt: skip
    assert {claims[label].expects("quick").value for label in fair} == {"proved"}


# --- numbers -------------------------------------------------------------------------------------


def unnumbered(labels):
    return [label for label in labels if not PAPER.number(label)]


def test_every_label_has_its_number(claims):
    assert unnumbered([*LABELS, *DEFINITIONS, *(c.label for c in claims)]) == []
    assert unnumbered(["lem:nowhere"]) == ["lem:nowhere"]


def gaps(numbers, words):
    """Whether the parts of a kind are not numbered 1, 2, 3, ... without a gap."""
    found = [int(m[1]) for text in numbers if (m := re.fullmatch(rf"{words} \(?(\d+)\)?", text))]
    return sorted(set(range(1, max(found) + 1)) ^ set(found)) or (len(found) != len(set(found)))


def test_each_kind_is_counted_without_a_gap():
    counted = [text for label, text in PAPER.numbers.items() if label != "alg: CTUCB"]
    kinds = ("Section", "Assumption", "Theorem", "Proposition", "Lemma", "Remark", "Algorithm", r"Eq\.")
    assert [kind for kind in kinds if gaps(counted, kind)] == []
    assert gaps([text for text in counted if text != "Eq. (12)"], r"Eq\.") == [12]
    assert gaps([*counted, "Lemma 2"], "Lemma")


def test_numbers_are_those_of_the_printed_paper():
    """Read off the file that LaTeX writes, for one label of each kind."""
    some = {"eq:sumTj": "Eq. (53)", "lem:CI-p": "Lemma 3", "thm:lowerbound": "Theorem 2", "eq:G": "Eq. (27)",
            "prop:rateerror": "Proposition 2", "alg:VI": "Algorithm 2", "sec:simulation": "Section 5",
            "eq:CS1": "Eq. (45)", "assume:LB": "Assumption 2",
            "remark:lambda-min/order": "Remark 4"}  # fmt: skip
    assert {label: PAPER.number(label) for label in some} == some
