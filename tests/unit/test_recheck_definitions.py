"""Definitions of settings: the true ones are accepted, every false one is refused, and said why."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.definitions import (
    EXTRA,
    FALSE,
    SPOIL,
    TRUE,
    chain,
    fact,
    holds,
    reach,
    setting,
    sized,
    term,
    theory,
    written,
)  # fmt: skip
from verify.recheck.derivations import definitions, extents
from verify.recheck.derivations.checking import check_derivation
from verify.recheck.derivations.definitions import complaints


@pytest.mark.parametrize("name", TRUE)
def test_a_definition_is_accepted(name):
    assert complaints(TRUE[name]) == []


@pytest.mark.parametrize(("words", "wrong"), FALSE, ids=range(len(FALSE)))
def test_what_is_none_is_refused_in_words(words, wrong):
    found = complaints(wrong)
    assert any(words in one for one in found), found
    assert all(len(one.splitlines()) == 1 for one in found)


def test_a_derivation_with_a_false_definition_is_refused():
    step = {"rule": "fact", "name": "one"}
    facts = {"one": fact("c == c + 1")}
    document = {
        "format": "ctucbvi-derivation-1", "label": "absurd", "theorem": "c == c + 1",
        "setting": setting([], facts), "steps": [step],
    }  # fmt: skip
    assert "c is what is defined" in check_derivation(document)[0]
    document["setting"] = setting([], {"one": fact("c == c + 1", "model")})
    assert check_derivation(document) == []  # assumed, and counted


def test_many_chains_are_accepted_and_no_spoiled_one_is():
    rng, kinds = random.Random(33), Counter[str]()
    for k in range(1_500):
        symbols, facts = chain(rng)
        if k % 5 == 0:
            assert complaints(setting(symbols, facts)) == [], facts
        how = rng.choice(sorted(SPOIL))
        spoiled = SPOIL[how](rng, facts)
        assert complaints(setting([*symbols, *EXTRA], spoiled)), (how, spoiled)
        kinds[how] += 1
    assert kinds.keys() == SPOIL.keys()


def accepted_theories(tries, seed=33):
    """Theories as they come that are accepted, with whether a solver of equations finds values for them."""
    rng = random.Random(seed)
    for _ in range(tries):
        rows = theory(rng)
        if not complaints(written(rows)):
            yield rows, all(holds(rows, rng) for _ in range(3))


def test_what_is_accepted_has_values():
    found = list(accepted_theories(2_500))
    assert [rows for rows, there in found if not there] == []
    assert len(found) > 300
    assert sum(len(rows) > 1 for rows, _ in found) > 60


@pytest.mark.parametrize("part", ["_order", "_overlaps"])
def test_without_a_part_of_the_check_a_theory_without_values_is_accepted(part, monkeypatch):
    monkeypatch.setattr(definitions._Book, part, lambda _: iter(()))
    assert not all(there for _, there in accepted_theories(2_000))


def test_without_earlier_a_theory_without_values_is_accepted(monkeypatch):
    monkeypatch.setattr(definitions, "_require_less", lambda *_: None)
    assert not all(there for _, there in accepted_theories(2_000))


def accepted_terms(tries, seed=7):
    """Terms that are accepted as values, and whether they grow near a point."""
    rng = random.Random(seed)
    for _ in range(tries):
        text = term(rng, 3)
        if not complaints(sized(text)):
            away, near = reach(text, rng)
            yield text, near > 30 * away + 30


def test_an_accepted_value_is_bounded():
    found = list(accepted_terms(1_500))
    assert [text for text, grows in found if grows] == []
    assert len(found) > 300


@pytest.mark.parametrize("name", ["away", "above", "below"])
def test_a_laxer_question_accepts_what_is_not(name, monkeypatch):
    monkeypatch.setattr(extents.Extents, name, lambda *_: True)
    assert any(grows for _, grows in accepted_terms(1_500))
