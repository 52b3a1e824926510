"""Derivations in documents of a run, and input that means harm: complaints, never an exception."""

from __future__ import annotations

import copy
import json
import random
import time
from contextlib import suppress

import pytest

from tests.derivation_files import CERTIFICATE, SETTING, derivation, same, step
from tests.unit.test_recheck_derivations import AXIOMS, RIGHT
from verify.recheck import recheck
from verify.recheck.__main__ import main
from verify.recheck.derivations import check_derivation


def rests(document: dict) -> dict[str, list[str]]:
    """The facts that the steps name, by kind; of what is damaged, nothing."""
    found: dict[str, list[str]] = {kind: [] for kind in ("law", "existence", "definition", "model")}
    with suppress(AttributeError, KeyError, TypeError):
        facts = document["setting"]["facts"]
        for name in sorted({step["name"] for step in document["steps"] if step["rule"] == "fact"}):
            found[facts[name]["kind"]].append(name)
    return found


def claim(document: dict, **more: object) -> dict:
    evidence = {"check": "derivation", "derivation": document, "rests": rests(document)}
    return {
        "label": document["label"],
        "theorem": document["theorem"],
        "verdict": "proved",
        "evidence": evidence,
        **more,
    }


POSITIVE = derivation("0 <= p(y)", *RIGHT["cut"]["steps"], label="lem:y")
USES = derivation(
    "0 <= p(x) + p(y)",
    step("lemma", label="lem:y", formula="p(y) >= 0"),
    step("substitute", 0, variable="y", term="x"),
    step("combine", 0, 1, goal="0 <= p(x) + p(y)", multipliers=["1", "1"]),
)
POINTWISE = copy.deepcopy(RIGHT["pointwise"])
del POINTWISE["steps"][0]["certificate"]
POINTWISE["steps"][0]["label"] = "inverse"
RELATION = {
    "label": "inverse",
    "verdict": "proved",
    "formula": {"relation": "1/b <= 1"},
    "area": {"conditions": ["b >= 1"], "integers": [], "reals": []},
    "evidence": {"check": "proof", "certificate": CERTIFICATE},
}


def run(*claims: dict) -> list[str]:
    return recheck({"claims": list(claims)})


def test_lemmas_and_relations_of_a_document_are_found():
    assert run(claim(POSITIVE), claim(USES)) == []
    assert run(claim(USES), claim(POSITIVE)) == []
    assert run(claim(POINTWISE), RELATION) == []


def test_a_claim_is_checked_with_the_claims_that_it_rests_on():
    """A lemma that its derivation does not show is no lemma, also where only its use is asked for."""
    assumed = derivation("0 <= p(y) - 1", step("assume", formula="0 <= p(y) - 1"), label="lem:y")
    uses = derivation("0 <= p(y) - 1", step("lemma", label="lem:y", formula="0 <= p(y) - 1"))
    document = {"claims": [claim(uses), claim(assumed), claim(POINTWISE) | {"label": "alone"}]}
    assert any("lem:y" in one for one in recheck(document, ["lem:x"]))
    assert recheck({"claims": [claim(USES), claim(POSITIVE)]}, ["lem:x"]) == []
    wrong = changed(RELATION, evidence={"check": "proof", "certificate": {**CERTIFICATE, "proof": {}}})
    about = {**POINTWISE, "label": "lem:x"}
    assert recheck({"claims": [claim(about), RELATION]}, ["lem:x"]) == []
    assert recheck({"claims": [claim(about), wrong]}, ["lem:x"]) != []


def test_lines_about_a_proof_of_a_formula_are_no_derivation():
    """The prover tells its proof in lines under the same name; the certificate is what counts."""
    told = {**RELATION["evidence"], "derivation": ["b >= 1: its range"]}
    assert run(claim(USES), claim(POSITIVE), changed(RELATION, evidence=told)) == run(
        claim(USES), claim(POSITIVE), RELATION
    )


def changed(document: dict, **fields: object) -> dict:
    return copy.deepcopy(document) | fields


def with_step(document: dict, number: int, **fields: object) -> dict:
    other = copy.deepcopy(document)
    other["steps"][number] |= fields
    return other


SMALLER = changed(
    SETTING, facts={**SETTING["facts"], "false": {"kind": "model", "says": "0 == 1", "why": ""}}
)
TURNS = derivation("0 <= p(y)", step("lemma", label="lem:x", formula="0 <= p(x) + p(y)"), label="lem:y")
HALF = changed(RELATION, formula={"relation": "1/b <= 2"})


def without(what: str, *names: str, **changes: object) -> dict:
    """The setting without some of its names, and with others changed."""
    rows = SETTING[what]
    if isinstance(rows, dict):
        less: object = {**{k: v for k, v in rows.items() if k not in names}, **changes}
    else:
        less = [row for row in rows if row["name"] not in names] + list(changes.values())
    return {**SETTING, "name": "part", what: less}


@pytest.mark.parametrize(
    "part",
    [
        {**SETTING, "name": "same"},
        without("facts", "steps", "start", "fair", "contracts"),
        without("symbols", "X", "Y", "Z", "N", "M", "W", "f", "h", "F", "G", "C", "R")
        | {"facts": {name: SETTING["facts"][name] for name in ("positive",)}},
    ],
)
def test_a_lemma_may_come_from_a_part_of_the_setting(part):
    assert run(claim(USES), claim(changed(POSITIVE, setting=part))) == []


@pytest.mark.parametrize(
    "other",
    [
        without("facts", more={"kind": "model", "says": "0 <= c", "why": "more"}),
        without("facts", positive={"kind": "model", "says": "0 <= p(x)", "why": "another reason"}),
        without("facts", positive={"kind": "axiom", "says": "0 <= p(x)", "why": "a probability"}),
        without("symbols", "Y", Y={"name": "Y", "args": ["Nat"], "value": "Real", "known": "any"})
        | {"facts": {"positive": SETTING["facts"]["positive"]}},
        without("symbols", more={"name": "q", "args": [], "value": "Real"}),
        without("variables", b="Real"),
        {**SETTING, "name": "part", "sorts": ["State", "Action"]},
    ],
)
def test_a_lemma_does_not_come_from_a_setting_with_anything_else_in_it(other):
    complaints = run(claim(USES), claim(changed(POSITIVE, setting=other)))
    assert any("the lemma lem:y is derived in another setting" in one for one in complaints)


WRONG = {
    "there is not one claim lem:y": [claim(USES)],
    "is 'tested', not proved": [claim(USES), claim(POSITIVE, verdict="tested")],
    "the claim lem:y has no derivation": [
        claim(USES),
        claim(POSITIVE) | {"evidence": {"check": "derivation"}},
    ],
    "the lemma lem:y is derived in another setting": [
        claim(USES),
        claim(changed(POSITIVE, setting={**SMALLER, "name": "other"})),
    ],
    "is another one elsewhere in the document": [claim(POSITIVE), claim(changed(USES, setting=SMALLER))],
    "the claim lem:y says": [claim(with_step(USES, 0, formula="p(y) >= 1")), claim(POSITIVE)],
    "a chain of lemmas returns to lem:x": [claim(USES), claim(TURNS)],
    "the derivation is for 'lem:z'": [claim(changed(POSITIVE, label="lem:z")) | {"label": "lem:y"}],
    "not the claim's theorem": [claim(POSITIVE, theorem="0 <= p(x)")],
    "lem:y has no derivation": [claim(POSITIVE) | {"evidence": {"check": "derivation", "derivation": []}}],
    "the theorem is proved without a derivation": [claim(POSITIVE) | {"evidence": {"check": "sampled"}}],
    "there is not one claim inverse": [claim(POINTWISE)],
    "the premise from inverse is for '1/b <= 1'": [claim(POINTWISE), HALF],
    "is for another domain than the claim": [
        claim(POINTWISE),
        changed(RELATION, area={"conditions": ["b >= 2"], "integers": [], "reals": []}),
    ],
    "another domain": [
        claim(POINTWISE),
        changed(RELATION, area={"conditions": ["b >= 1"], "integers": ["b"], "reals": []}),
    ],
    "the claim inverse is 'undecided', not proved": [
        claim(POINTWISE),
        changed(RELATION, verdict="undecided"),
    ],
    "not a relation that is proved by certificates": [
        claim(POINTWISE),
        changed(RELATION, evidence={"check": "sampled"}),
    ],
}


@pytest.mark.parametrize("words", WRONG)
def test_a_wrong_document_is_refused(words):
    found = run(*WRONG[words])
    assert any(words in one for one in found), found


def test_a_derivation_shows_no_formula():
    both = claim(POSITIVE) | {key: RELATION[key] for key in ("formula", "area")}
    assert any("shows the theorem, not" in one for one in run(both))
    identity = both | {"formula": {"relation": "b + b == 2*b"}}  # which the checker decides itself
    assert run(identity) == run(claim(POSITIVE))
    wrong = both | {"formula": {"relation": "b + b == 3*b"}}
    assert any("shows the theorem, not" in one for one in run(wrong))


def test_a_single_derivation_is_read_from_a_file(tmp_path, capsys):
    file = tmp_path / "one.json"
    file.write_text(json.dumps(POSITIVE), encoding="utf-8")
    assert main([str(file)]) == 0
    file.write_text(json.dumps(USES), encoding="utf-8")
    assert main([str(file)]) == 1
    assert "rests on the claim lem:y, which is not here" in capsys.readouterr().out


AXIOM_CHANGES = {
    "is not one of the permitted ones": {"square": AXIOMS["squares"]},
    "does not say what the permitted one says": {"squares": AXIOMS["squares"] | {"says": "0 < B**2"}},
    "does not say what the permitted one": {"squares": AXIOMS["squares"] | {"symbols": []}},
}


@pytest.mark.parametrize("words", AXIOM_CHANGES)
def test_another_axiom_is_refused(words):
    found = check_derivation(RIGHT["axiom"] | {"axioms": AXIOM_CHANGES[words]}, axioms=AXIOMS)
    assert any(words in one for one in found)


def test_a_symbol_of_an_axiom_means_one_thing():
    symbols = [*SETTING["symbols"], {"name": "B", "args": [], "value": "Real"}]
    found = check_derivation(RIGHT["axiom"] | {"setting": SETTING | {"symbols": symbols}}, axioms=AXIOMS)
    assert any("means something else" in one for one in found)


HOSTILE = [
    *(None, 1, [], "x", {}, {"format": "ctucbvi-derivation-1"}, {"claims": [1, None]}),
    derivation("0 == 0", setting=None),
    derivation("0 == 0", setting={"sorts": 3}),
    derivation("0 == 0", setting={"symbols": {}}),
    derivation("0 == 0", setting={"variables": []}),
    derivation("0 == 0", same("0 == 0"), setting={**SETTING, "facts": []}),
    derivation("0 == 0", same("0 == 0"), axioms=[]),
    derivation("0 == 0"),
    derivation("0 == 0", steps={}),
    derivation("0 == 0", steps=[None]),
    derivation("0 == 0", steps=[{"rule": []}]),
    derivation("0 == 0", steps=[{"rule": "mp", "from": 3}]),
    derivation("0 == 0", steps=[{"rule": "mp", "from": [True, 0.0]}]),
    derivation("0 == 0", step("combine", goal="0 == 0", multipliers={})),
    derivation("0 == 0", step("combine", goal=7)),
    derivation("0 == 0", step("fact", name=[])),
    derivation("0 == 0", same("(" * 300 + "u" + ")" * 300 + " == u")),
    derivation("0 == 0", same("-" * 3000 + "u == u")),
    derivation("0 == 0", same("+".join(["u"] * 3000) + " == u")),
    derivation("0 == 0", same("exp(" * 90 + "u" + ")" * 90 + " == u")),
    derivation("0 == 0", same("(u + v + w + c + s + t + r)**100 == 0")),
    derivation("0 == 0", same("(((2**100)**100)**100)**100 == 0")),
    derivation("0 == 0", same("Sum(i, 10**9, a(i)) == 0")),
    derivation("0 == 0", same("Sum(i, 99, Sum(k, 99, Sum(m, 99, a(i)*a(k)*a(m)))) == 0")),
    derivation("0 == 0", same(f"Ind(Or({', '.join(f'Y({k}) <= c' for k in range(40))})) == 0")),
    derivation("0 == 0", same("9" * 5000 + " == 0")),
    derivation("0 == 0", same("u\0 == u")),
    derivation("0 == 0", same("__import__('os').abort() == 0")),
    derivation("0 == 0", same("(lambda: u)() == 0")),
    derivation("0 == 0", step("known", name="square", terms=[None])),
    derivation("0 == 0", step("pointwise", relation="b <= b", domain=3, integers=None)),
    derivation("0 == 0", step("instantiate", 0, symbol="g", params=[[]], body="1")),
]


@pytest.mark.parametrize("document", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_input_is_a_complaint(document):
    start = time.process_time()
    found = check_derivation(document)
    assert found
    assert all("\n" not in one for one in found)
    assert time.process_time() - start < 60
    if isinstance(document, dict) and "label" in document:
        assert run(claim(document)) != []


def mutated(data: object, chance: random.Random) -> object:
    """The same data with one leaf, field or item made wrong."""
    if isinstance(data, dict) and data:
        key = chance.choice(sorted(data))
        if chance.random() < 0.1:
            return {k: v for k, v in data.items() if k != key}
        return data | {key: mutated(data[key], chance)}
    if isinstance(data, list) and data:
        k = chance.randrange(len(data))
        if chance.random() < 0.2:
            return data[:k] + data[k + 1 :]
        return [*data[:k], mutated(data[k], chance), *data[k + 1 :]]
    if isinstance(data, str) and data and chance.random() < 0.8:
        k = chance.randrange(len(data))
        return data[:k] + chance.choice("01nuWY()*+-<=, ") + data[k + 1 :]
    return chance.choice([None, 0, -1, "", "u", [], {}, True, 10**30])


def test_damaged_derivations_never_raise():
    chance = random.Random(14)
    names = sorted(RIGHT)
    refused = 0
    for _ in range(1500):
        document = mutated(RIGHT[chance.choice(names)], chance)
        found = check_derivation(document, trusted=True, axioms=AXIOMS)
        assert all(isinstance(one, str) and "\n" not in one for one in found)
        refused += bool(found)
    assert refused > 500
