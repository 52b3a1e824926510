"""Every assertion of the paper is a claim, and every claim knows where it stands."""

from __future__ import annotations

import pytest

from proofs_checks import SOURCE
from proofs_checks.inventory import ASSERTIONS, DEFINITIONS, NOT_CHECKED, PASSAGES
from verify.claims import Kind
from verify.running.loading import load_claims, load_remarks

# The labels of the paper (sections aside), as a list of its own.
LABELS = """
alg: CTUCB, alg:VI, assume:LB, eq:assume, eq:alpha-k, eq:b-sup, eq:beta-k, eq:bonus-k, eq:CI-p, eq:cond-exp,
eq:CS1, eq:CS2, eq:CS3, eq:CS4, eq:diff, eq:empirical-P, eq:error-vi, eq:error1, eq:error2, eq:FH-control,
eq:FH-control-discrete, eq:FH-control2, eq:G, eq:hjb-pde, eq:JM-eq, eq:m-VI, eq:M, eq:model-error,
eq:model-error1, eq:mono, eq:Nkplus, eq:optimism, eq:pi-k, eq:Qa, eq:r1, eq:r2, eq:rate-bound-1,
eq:rate-bound-2, eq:rate-est, eq:rateUCB, eq:rec-Vk, eq:regret, eq:regret-b1, eq:regret-bound,
eq:regret-lowerbound, eq:regret-lowerbound2, eq:reward-disc, eq:Rj, eq:sumK, eq:sumTj, eq:Tak, eq:term1-3,
eq:Timek, eq:vi-k, eq:Vpik, eq:xay, fig:1, lem:CI-p, lem:error-model, lem:optimism, lem:poisson, lem:rateUCB,
lem:v-v-continuoustime, prop:proberror, prop:rateerror, thm:CT-UCB, thm:lowerbound
""".replace("\n", " ").split(",")


@pytest.fixture(scope="module")
def claims():
    return load_claims(SOURCE)


def test_every_label_of_the_paper_is_a_claim_or_a_definition():
    covered = {label.split("/")[0] for label in ASSERTIONS} | set(DEFINITIONS)
    assert [label for label in map(str.strip, LABELS) if label not in covered] == []


def test_every_assertion_is_a_claim(claims):
    assert [label for label in ASSERTIONS if label not in claims] == []


def test_every_passage_without_a_label_is_a_claim_or_says_why_not(claims):
    assert [label for label in PASSAGES if label not in claims] == []
    assert all(first_words and reason for first_words, reason in NOT_CHECKED.items())


def test_a_claim_that_is_not_in_the_paper_is_a_repair_or_a_step_towards_one(claims):
    strangers = [c.label for c in claims if c.label not in ASSERTIONS and c.kind is Kind.STATEMENT]
    assert strangers == []


def test_every_claim_says_where_it_stands_and_what_is_expected(claims):
    assert [c.label for c in claims if not (c.source and c.statement and c.expects("quick"))] == []


def test_every_refuted_claim_has_a_remark_and_its_repair_exists(claims):
    remarks = load_remarks(SOURCE)
    assert [c.label for c in claims if c.expects("quick") == "refuted" and c.label not in remarks] == []
    assert [label for label in remarks if label not in claims] == []
    assert [r.repair for r in remarks.values() if r.repair and r.repair not in claims] == []


def test_a_gap_is_noticed():
    covered = {label.split("/")[0] for label in ASSERTIONS if label != "lem:poisson"} | set(DEFINITIONS)
    assert [label for label in map(str.strip, LABELS) if label not in covered] == ["lem:poisson"]
