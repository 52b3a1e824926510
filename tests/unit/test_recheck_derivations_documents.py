"""Derivations in documents of a run, and input that means harm: complaints, never an exception."""

from __future__ import annotations

import copy
import json
import random
import time

import pytest

from tests.derivation_files import CERTIFICATE, SETTING, derivation, same, step
from tests.unit.test_recheck_derivations import RIGHT
from tests.written_documents import by_certificates, by_code, derived, document, row
from verify.recheck import recheck
from verify.recheck.__main__ import main
from verify.recheck.derivations import check_derivation
from verify.recheck.derivations.checking import examine

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
SHOWN = {"point": {"b": "1"}, "proof": by_certificates(CERTIFICATE | {"label": "inverse"})}
RELATION = row("1/b <= 1", ["b >= 1"], label="inverse", **SHOWN)


def run(*claims: dict) -> list[str]:
    return recheck(document(*claims))


def test_lemmas_and_relations_of_a_document_are_found():
    assert run(derived(POSITIVE), derived(USES)) == []
    assert run(derived(USES), derived(POSITIVE)) == []
    assert run(derived(POINTWISE), RELATION) == []


def test_a_claim_is_checked_with_the_claims_that_it_rests_on():
    """A lemma that its derivation does not show is no lemma, also where only its use is asked for."""
    assumed = derivation("0 <= p(y) - 1", step("assume", formula="0 <= p(y) - 1"), label="lem:y")
    uses = derivation("0 <= p(y) - 1", step("lemma", label="lem:y", formula="0 <= p(y) - 1"))
    both = document(derived(uses), derived(assumed))
    assert any("lem:x: rests on lem:y, which is not shown here" in one for one in recheck(both, ["lem:x"]))
    assert recheck(document(derived(USES), derived(POSITIVE)), ["lem:x"]) == []
    wrong = RELATION | {
        "proof": by_certificates({**CERTIFICATE, "label": "inverse", "proof": {"by": "sturm"}})
    }
    about = {**POINTWISE, "label": "lem:x"}
    assert recheck(document(derived(about), RELATION), ["lem:x"]) == []
    assert recheck(document(derived(about), wrong), ["lem:x"]) != []


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
HALF = row("1/b <= 2", ["b >= 1"], label="inverse", **SHOWN)


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
    assert run(derived(USES), derived(changed(POSITIVE, setting=part))) == []


@pytest.mark.parametrize(
    "other",
    [
        without("facts", more={"kind": "model", "says": "0 <= c", "why": "more"}),
        without("facts", positive={"kind": "model", "says": "0 <= p(x)", "why": "another reason"}),
        without("facts", positive={"kind": "law", "says": "0 <= p(x)", "why": "a probability"}),
        without("symbols", "Y", Y={"name": "Y", "args": ["Nat"], "value": "Real", "known": "any"})
        | {"facts": {"positive": SETTING["facts"]["positive"]}},
        without("symbols", more={"name": "q", "args": [], "value": "Real"}),
        without("variables", b="Real"),
        {**SETTING, "name": "part", "sorts": ["State", "Action"]},
    ],
)
def test_a_lemma_does_not_come_from_a_setting_with_anything_else_in_it(other):
    complaints = run(derived(USES), derived(changed(POSITIVE, setting=other)))
    assert any("the lemma lem:y is derived in another setting" in one for one in complaints)


UNPROVED = {"verdict": "tested", "proof": None}
WRONG = {
    "uses lem:y, which is not in the document": [derived(USES)],
    "is 'tested', not proved": [derived(USES), derived(POSITIVE, **UNPROVED)],
    "the claim lem:y has no derivation": [derived(USES), row(label="lem:y", proof=by_code())],
    "the lemma lem:y is derived in another setting": [
        derived(USES),
        derived(changed(POSITIVE, setting={**SMALLER, "name": "other"})),
    ],
    "derivation.setting: {'name': 'example'": [derived(POSITIVE), derived(changed(USES, setting=SMALLER))],
    "not in the setting 'other' of the claim": [derived(POSITIVE, setting="other")],
    "a theorem has a setting, and nothing else has": [derived(POSITIVE, setting=None)],
    "the claim lem:y says": [derived(with_step(USES, 0, formula="p(y) >= 1")), derived(POSITIVE)],
    "a chain of claims returns to lem:": [derived(USES), derived(TURNS)],
    "the claim does not say that it uses lem:y": [derived(USES, uses=[]), derived(POSITIVE)],
    "there is not one claim lem:y": [derived(USES), derived(POSITIVE), derived(POSITIVE)],
    "the derivation is for 'lem:z'": [derived(changed(POSITIVE, label="lem:z")) | {"label": "lem:y"}],
    "not the claim's theorem": [derived(POSITIVE, theorem="0 <= p(x)")],
    "lem:y: its theorem is proved by nothing": [derived(POSITIVE, proof=None)],
    "lem:y: a proved claim without a code has a proof of one": [derived(POSITIVE, proof=by_code())],
    "lem:y.proof.theorem.derivation: the field 'format' is missing": [
        derived(POSITIVE, proof={"theorem": {"by": "derivation", "derivation": {}}})
    ],
    "uses inverse, which is not in the document": [derived(POINTWISE)],
    "the premise from inverse is for '1/b <= 1'": [derived(POINTWISE), HALF],
    "is for another domain than the claim": [
        derived(POINTWISE),
        row("1/b <= 1", ["b >= 2"], label="inverse", **SHOWN),
    ],
    "another domain": [derived(POINTWISE), row("1/b <= 1", ["b >= 1"], ["b"], label="inverse", **SHOWN)],
    "the claim inverse is 'undecided', not proved": [
        derived(POINTWISE),
        RELATION | {"verdict": "undecided", "proof": None},
    ],
    "inverse.proof.formula: a relation has one certificate": [
        derived(POINTWISE),
        RELATION | {"proof": by_certificates()},
    ],
    "not a relation that is proved": [derived(POINTWISE), row(label="inverse", proof=by_code())],
}


@pytest.mark.parametrize("words", WRONG)
def test_a_wrong_document_is_refused(words):
    found = run(*WRONG[words])
    assert any(words in one for one in found), found


def test_a_derivation_shows_no_formula():
    def both(says: str, **proof: object) -> list[str]:
        one = derived(POSITIVE)
        told = {key: one[key] for key in ("label", "theorem", "setting", "uses", "evidence")}
        return run(row(says, ["b >= 1"], **told, point={"b": "1"}, proof=one["proof"] | proof))

    assert any("lem:y: its formula is proved by nothing" in one for one in both("1/b <= 1"))
    assert both("b + b == 2*b", formula={"by": "identity"}) == []  # which the checker decides itself
    assert any("the identity" in one for one in both("b + b == 3*b", formula={"by": "identity"}))


def test_a_single_derivation_is_read_from_a_file(tmp_path, capsys):
    file = tmp_path / "one.json"
    file.write_text(json.dumps(POSITIVE), encoding="utf-8")
    assert main([str(file)]) == 0
    file.write_text(json.dumps(USES), encoding="utf-8")
    assert main([str(file)]) == 1
    assert "rests on the claim lem:y, which is not here" in capsys.readouterr().out


HOSTILE = [
    *(None, 1, [], "x", {}, {"format": "ctucbvi-derivation-1"}, {"claims": [1, None]}),
    derivation("0 == 0", setting=None),
    derivation("0 == 0", setting={"sorts": 3}),
    derivation("0 == 0", setting={"symbols": {}}),
    derivation("0 == 0", setting={"variables": []}),
    derivation("0 == 0", same("0 == 0"), setting={**SETTING, "facts": []}),
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
    if (
        isinstance(document, dict)
        and isinstance(document.get("setting"), dict)
        and "name" in document["setting"]
    ):
        assert run(derived(document)) != []


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
        found = examine(document).complaints
        assert all(isinstance(one, str) and "\n" not in one for one in found)
        refused += bool(found)
    assert refused > 500
