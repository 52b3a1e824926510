"""What is said of every learner, or of every policy, rests on nothing that CT-UCBVI decides."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatch

import pytest

from tests.claims.proofs import CLAIMS, granted_below, in_turn
from verify.claims import ClaimSet, Effort
from verify.running.derivations import all_granted

_EVERY = (
    "eq:Qa/first-n", "eq:FH-control-discrete/steps", "lem:rateUCB/martingale",
    "lem:rateUCB/repaired", "lem:rateUCB/tilts*", "lem:CI-p", "lem:CI-p/*", "eq:G/*",
    "prop:proberror*", "prop:rateerror*",
)  # fmt: skip
_DECIDED = ("acts", "greedy", "stop", "frozen-*")  # facts about CT-UCBVI: what it computes, keeps and does


def of_the_learner(claims, labels):
    """The facts about CT-UCBVI's decisions under the labels, each with the derivations that take it."""
    kept = granted_below(labels) if claims is CLAIMS else {}
    facts, _ = all_granted(claims, labels, Effort(), kept)
    decided = [one for one in facts if any(fnmatch(one.name, form) for form in _DECIDED)]
    return {one.name: one.used_by for one in decided}


def for_every_learner(claims):
    """The labels of the claims that are said of every learner, and hold."""
    named = [c for c in claims if any(fnmatch(c.label, form) for form in _EVERY)]
    return [c.label for c in named if c.expects("quick").holds]


@pytest.mark.parametrize("label", in_turn(for_every_learner(CLAIMS)))
def test_what_holds_for_every_learner_takes_nothing_from_ct_ucbvi(label):
    assert of_the_learner(CLAIMS, [label]) == {}


def test_there_are_many():
    assert sum(CLAIMS[label].derivation is not None for label in for_every_learner(CLAIMS)) >= 30


def test_a_planted_fact_of_the_learner_is_noticed_also_below():
    theirs = CLAIMS["eq:r2"].setting
    taken = {"theorem": theirs.facts["acts"].says, "derivation": lambda d: d.fact("acts"), "uses": ()}
    planted = {
        "lem:rateUCB/martingale": {**taken, "setting": theirs},
        "prop:proberror/ratio": {"uses": ("lem:rateUCB/martingale",)},
    }
    changed = ClaimSet(replace(c, **planted.get(c.label, {})) for c in CLAIMS)
    assert set(planted) <= set(for_every_learner(changed))
    for label in planted:
        assert of_the_learner(changed, [label]) == {"acts": ("lem:rateUCB/martingale",)}


def test_facts_of_the_learner_are_noticed_where_they_are_used():
    assert {"acts", "greedy", "frozen-nk"} <= set(of_the_learner(CLAIMS, ["eq:r2/sum"]))


def test_the_facts_are_those_of_the_setting():
    facts = CLAIMS["eq:r2"].setting.facts
    assert all(any(fnmatch(name, form) for name in facts) for form in _DECIDED)
