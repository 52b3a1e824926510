"""Every assertion of the paper is a claim, and every claim knows where it stands."""

from __future__ import annotations

import pkgutil
import re
from dataclasses import replace
from pathlib import Path

import pytest

import proofs_checks
from proofs_checks import SOURCE
from proofs_checks.inventory import DEFINITIONS, NOT_CHECKED, PASSAGES
from verify.claims import ClaimSet, Kind
from verify.running.loading import load_claims

# The labels of the paper (sections aside), as a list of its own.
_PAPER = """
alg: CTUCB, alg:VI, assume:LB, eq:assume, eq:alpha-k, eq:b-sup, eq:beta-k, eq:bonus-k, eq:CI-p, eq:cond-exp,
eq:CS1, eq:CS2, eq:CS3, eq:CS4, eq:diff, eq:empirical-P, eq:error-vi, eq:error1, eq:error2, eq:FH-control,
eq:FH-control-discrete, eq:FH-control2, eq:G, eq:hjb-pde, eq:JM-eq, eq:m-VI, eq:M, eq:model-error,
eq:model-error1, eq:mono, eq:Nkplus, eq:optimism, eq:pi-k, eq:Qa, eq:r1, eq:r2, eq:rate-bound-1,
eq:rate-bound-2, eq:rate-est, eq:rateUCB, eq:rec-Vk, eq:regret, eq:regret-b1, eq:regret-bound,
eq:regret-lowerbound, eq:regret-lowerbound2, eq:reward-disc, eq:Rj, eq:sumK, eq:sumTj, eq:Tak, eq:term1-3,
eq:Timek, eq:vi-k, eq:Vpik, eq:xay, fig:1, lem:CI-p, lem:error-model, lem:optimism, lem:poisson, lem:rateUCB,
lem:v-v-continuoustime, prop:proberror, prop:rateerror, thm:CT-UCB, thm:lowerbound
"""
LABELS = {label.strip() for label in _PAPER.split(",")}
_LABEL = r"\b(?:alg|assume|eq|fig|lem|prop|remark|sec|thm):[\w/-]+"  # of a claim, in running text


@pytest.fixture(scope="module")
def claims():
    return load_claims(SOURCE)


def without(claims, label):
    """The claims, but for those of one label of the paper, which others use no longer."""
    rest = [c for c in claims if c.label.split("/")[0] != label]
    known = {c.label for c in rest}
    return ClaimSet(replace(c, uses=tuple(u for u in c.uses if u in known)) for c in rest)


def uncovered(claims):
    """The labels of the paper that are neither a definition nor those of a claim (a repair alone is none)."""
    covered = {c.label.split("/")[0] for c in claims if c.kind is not Kind.REPAIR}
    return sorted(LABELS - covered - set(DEFINITIONS))


def unfounded(claims, passages, not_checked):
    """What the inventory says of passages without a label and the claims do not bear out."""
    found = [label for label in passages if label not in claims]
    found += [words for words in not_checked if words in passages.values()]
    named = {label for reason in not_checked.values() for label in re.findall(_LABEL, reason)}
    return found + sorted(named - {c.label for c in claims})


def strangers(claims):
    """Statements that stand nowhere in the paper: under none of its labels, and in no passage without one."""
    mine = [c.label for c in claims if c.kind is Kind.STATEMENT and c.label not in PASSAGES]
    return [label for label in mine if label.split("/")[0] not in LABELS]


def test_every_label_of_the_paper_is_a_claim_or_a_definition(claims):
    assert uncovered(claims) == []
    assert sorted(set(DEFINITIONS) - LABELS) == []


def test_every_passage_without_a_label_is_a_claim_or_says_why_not(claims):
    assert unfounded(claims, PASSAGES, NOT_CHECKED) == []


def test_a_claim_that_is_not_in_the_paper_is_a_repair_or_a_step_towards_one(claims):
    assert strangers(claims) == []


def test_gaps_are_noticed(claims):
    assert uncovered(without(claims, "lem:poisson")) == ["lem:poisson"]
    fewer = without(claims, "eq:sumK")  # a reason names it
    assert unfounded(fewer, {}, NOT_CHECKED) == ["eq:sumK"]
    assert unfounded(fewer, PASSAGES, {}) == ["eq:sumK"]
    words = PASSAGES["lem:rateUCB/union"]
    assert unfounded(claims, PASSAGES, {words: "no reason"}) == [words]
    mine = replace(claims["lem:poisson"], label="lem:mine")
    assert strangers([*claims, mine]) == ["lem:mine"]


def test_every_claim_says_where_it_stands_and_what_is_expected(claims):
    assert [c.label for c in claims if not (c.source and c.statement and c.expects("quick"))] == []


def test_every_refuted_claim_has_a_finding_and_its_repair_exists(claims):
    assert [c.label for c in claims if c.expects("quick") == "refuted" and c.finding is None] == []
    repairs = [c.finding.repair for c in claims if c.finding is not None and c.finding.repair]
    assert [repair for repair in repairs if repair not in claims] == []


def test_claims_are_filed_in_the_order_of_the_paper():
    found = {info.name for info in pkgutil.iter_modules(proofs_checks.__path__)}
    assert set(proofs_checks.ORDER) == found - {
        "checks",
        "defects",
        "derivations",
        "inventory",
        "paper",
        "suites",
    }


def unexplained(claim):
    """The variables that are letters neither of the paper nor of the statement, and stand for none."""
    names = set(claim.domain.ranges) - set("SAKHLCTt") - set(claim.symbols)
    return [n for n in names if not re.search(rf"(?<![A-Za-z_]){n}(?![A-Za-z])", claim.statement)]


def test_every_variable_of_a_formula_is_in_the_statement_or_stands_for_something(claims):
    assert {c.label: found for c in claims if (found := unexplained(c))} == {}
    assert unexplained(replace(claims["lem:rateUCB/unseen"], symbols={"l": "λ"})) == ["m"]


def test_the_ledger_is_of_these_claims(claims):
    page = (Path(__file__).parents[2] / "docs" / "ledger.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)` \| (\w+) \| ([\w-]+) \|", page, flags=re.MULTILINE)
    assert {label: (kind, verdict) for label, kind, verdict in rows} == {
        c.label: (str(c.kind), str(c.expects("quick"))) for c in claims
    }
