"""What is said of every learner, or of every policy, rests on nothing that CT-UCBVI decides."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatch

import pytest

from proofs_checks import SOURCE
from verify.claims import ClaimSet, Effort
from verify.running.derivations import all_granted
from verify.running.loading import load_claims

_EVERY = (
    "eq:Qa/first-n/repaired", "eq:FH-control-discrete/steps", "lem:rateUCB/martingale",
    "lem:rateUCB/repaired", "lem:rateUCB/tilts*", "lem:CI-p", "lem:CI-p/*", "eq:G/*",
    "prop:proberror*", "prop:rateerror*",
)  # fmt: skip
_DECIDED = ("acts", "greedy", "stop", "frozen-*")  # facts about CT-UCBVI: what it computes, keeps and does


@pytest.fixture(scope="module")
def claims():
    return load_claims(SOURCE)


def of_the_learner(claims, labels):
    """The facts about CT-UCBVI's decisions under the labels, each with the derivations that take it."""
    axioms, facts, _ = all_granted(claims, labels, Effort(), {})
    decided = [one for one in (*axioms, *facts) if any(fnmatch(one.name, form) for form in _DECIDED)]
    return {one.name: one.used_by for one in decided}


def for_every_learner(claims):
    """The labels of the claims that are said of every learner, and hold."""
    named = [c for c in claims if any(fnmatch(c.label, form) for form in _EVERY)]
    return [c.label for c in named if c.expects("quick").holds]


def test_what_holds_for_every_learner_takes_nothing_from_ct_ucbvi(claims):
    labels = for_every_learner(claims)
    assert sum(claims[label].derivation is not None for label in labels) >= 30
    assert of_the_learner(claims, labels) == {}


def test_a_planted_fact_of_the_learner_is_noticed_also_below(claims):
    theirs = claims["eq:r2"].setting
    taken = {"theorem": theirs.facts["acts"].says, "derivation": lambda d: d.fact("acts"), "uses": ()}
    planted = {
        "lem:rateUCB/martingale": {**taken, "setting": theirs},
        "prop:proberror/ratio": {"uses": ("lem:rateUCB/martingale",)},
    }
    changed = ClaimSet(replace(c, **planted.get(c.label, {})) for c in claims)
    assert set(planted) <= set(for_every_learner(changed))
    for label in planted:
        assert of_the_learner(changed, [label]) == {"acts": ("lem:rateUCB/martingale",)}


def test_facts_of_the_learner_are_noticed_where_they_are_used(claims):
    assert {"acts", "greedy", "frozen-nk"} <= set(of_the_learner(claims, ["eq:r2/sum"]))


def test_the_facts_are_those_of_the_setting(claims):
    facts = claims["eq:r2"].setting.facts
    assert all(any(fnmatch(name, form) for name in facts) for form in _DECIDED)
