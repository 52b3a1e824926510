"""A document proves what it says, or is refused: what was accepted once, and thousands of changed ones."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from tests.quality.hostile.rewriting import CHANGES, FREE, accepted, rewritten
from tests.unit.test_recheck import ACCEPTED, CUBIC, WITNESS, pair
from tests.unit.test_recheck_claims import GROWS
from tests.unit.test_recheck_derivations_documents import POINTWISE, POSITIVE, RELATION, USES
from tests.written_documents import by_certificates, by_code, derived, document, rises, row, summary, tends
from verify.recheck import certificates, documents, recheck, schema
from verify.recheck.__main__ import main
from verify.recheck.documents import examined

CASES = ACCEPTED["cases"] | {"label": "powers"}
PART = ACCEPTED["taylor"] | {"label": "part"}
IDENTITY = {"formula": {"by": "identity"}}
# One of each: every kind of proof, a claim with both, every verdict.
WHOLE = document(
    *pair()["claims"],
    GROWS | {"label": "example"},
    row(tends("sin(x)/x", "1", "x", "0"), ["0 < x <= 1"], label="sinc", point={"x": "1"},
        proof={"formula": {"by": "limit"}}),
    row("x + x == 2*x", ["x >= 0"], label="twice", point={"x": "0"}, proof=IDENTITY),
    row("n**2 <= 2**n", ["n >= 4"], ["n"], label="powers", point={"n": "4"}, proof=by_certificates(CASES)),
    row(CUBIC, ["1/100 <= x <= 3"], label="part", verdict="proved-on-box", point={"x": "1"},
        proof=by_certificates(PART)),
    row("b + b == 2*b", ["b >= 1"], **{k: derived(POSITIVE)[k] for k in ("label", "theorem", "setting")},
        point={"b": "1"}, proof=derived(POSITIVE)["proof"] | IDENTITY),
    derived(USES),
    derived(POINTWISE | {"label": "lem:z"}),
    RELATION,
    row(label="code", proof=by_code(), evidence={"check": "computed"}),
    row("x >= 0", ["x >= 0"], label="tests", verdict="tested"),
    row(label="open", verdict="undecided"),
    row("x <= 1", ["x >= 0"], label="cited", verdict="assumed", kind="cited", elementary=True),
)  # fmt: skip


def test_the_whole_document_is_accepted_and_counted():
    complaints, last = examined(WHOLE)
    assert complaints == []
    assert last == (
        "code: by the code 'computed'\n"
        "10 proved: 6 by certificate, identity or limit, 3 by derivation, 1 by code (named), 0 by nothing; "
        "1 more on a part of the domain"
    )


def one(*args, **fields) -> list[str]:
    return recheck(document(row(*args, **fields)))


LETTERS = {"point": {"θ": "0", "ϑ": "1"}, "proof": IDENTITY}
FIRST, *OTHERS = WHOLE["claims"]
ONCE_PROVED = {
    "a list of no certificates": lambda: one(
        "exp(x) <= x", ["x >= 0"], point={"x": "0"}, proof=by_certificates()
    ),
    "a verdict that is none": lambda: one("x <= x", ["x >= 0"], verdict="proved ", transitive="proved"),
    "proved without a formula": lambda: one(label="a"),
    "an unknown check": lambda: one("1 <= 0", evidence={"check": "no such check"}),
    "a label that is a number": lambda: one("1 <= 0", label=7),
    "a wrong transitive verdict": lambda: recheck(
        WHOLE | {"claims": [FIRST | {"transitive": "tested"}, *OTHERS]}
    ),
    "code that does not look at the formula": lambda: one("1 <= 0", proof=by_code()),
    "a field that nobody reads": lambda: one("x <= x", ["x >= 0"], trusted=True),
    "an empty domain of integers": lambda: one(
        "n <= -1", ["0 <= n <= 10", "n**2 == 7"], ["n"], point={"n": "3"}, proof=by_certificates(NOTHING)
    ),
    "look-alike letters": lambda: one("θ == ϑ", ["θ >= 0", "ϑ >= 0"], **LETTERS),
    "0**0 in a hypothesis": lambda: one(
        "m >= 1", _POWER, ["m", "n"], point={"m": "1", "n": "0"}, proof=by_certificates(ZERO)
    ),
}  # fmt: skip
_FRAME = {"format": "ctucbvi-proof-1", "label": "example", "integers": []}
NOTHING = _FRAME | {
    "relation": "n <= -1",
    "domain": ["0 <= n <= 10", "n**2 == 7"],
    "integers": ["n"],
    "box": ["0 <= n <= 10"],
    "proof": {"by": "cases", "variable": "n", "tail": None, "parts": [
        {"by": "empty", "hypothesis": 0, "side": "-" if n < 3 else "+", "proof": {"by": "range"}}
        for n in range(11)
    ]},
}  # fmt: skip
_POWER = ["0 <= m", "n == 0", "n**m == 0"]
ZERO = _FRAME | {
    "relation": "m >= 1",
    "domain": _POWER,
    "integers": ["m", "n"],
    "box": _POWER[:2],
    "proof": {
        "by": "cases",
        "variable": "m",
        "tail": {"by": "range"},
        "parts": [{"by": "given", "hypothesis": 0, "multiplier": "1", "rest": "0", "proof": {"by": "range"}}],
    },
}


def test_a_proof_about_nothing_is_one_and_proves_nothing(monkeypatch):
    assert recheck(NOTHING) == []
    assert "may be 0**0" in recheck(ZERO)[0]
    monkeypatch.setattr(certificates, "require_no_jump", lambda *_: None)
    assert recheck(ZERO) == []  # 0**0 is 1: it is no point of the domain, and then 0 >= 1 was shown there


@pytest.mark.parametrize("name", ONCE_PROVED)
def test_what_was_accepted_once_is_refused(name):
    assert ONCE_PROVED[name]()


def test_nothing_follows_from_a_claim_that_does_not_say_it():
    """``1 <= 0`` followed, pointwise, from a claim with no certificates, or with code for its proof."""
    for proof in (by_certificates(), by_code()):
        false = row("1/b <= 1", ["b >= 1"], label="inverse", point={"b": "1"}, proof=proof)
        found = recheck(document(derived(POINTWISE | {"label": "lem:z"}), false), ["lem:z"])
        assert any(line.startswith("inverse") for line in found)


def test_one_label_is_checked_with_the_whole_around_it():
    """A wrong claim elsewhere is not looked at, a document that is none is refused."""
    rows = [*WHOLE["claims"], row("1 <= 0", label="wrong")]
    assert recheck(document(*rows), ["a"]) == []
    assert recheck(document(*rows))
    assert recheck(document(*rows) | {"summary": summary(rows[:-1])}, ["a"])
    assert recheck(WHOLE | {"claims": [*WHOLE["claims"], {}]}, ["a"])
    assert recheck(WHOLE, ["nobody"]) == ["nobody: there is no such claim"]


def test_a_proof_is_no_truer_than_the_lemma_that_it_names():
    rows = {c["label"]: c for c in WHOLE["claims"]}
    lemma = rows["lem:y"] | {"proof": None}
    complaints, last = examined(document(*(rows | {"lem:y": lemma}).values(), settings=WHOLE["settings"]))
    assert "lem:x: rests on lem:y, which is not shown here" in complaints
    assert last.endswith(
        "1 by derivation, 1 by code (named), 0 by nothing; 1 more on a part of the domain; 2 refused"
    )


def test_what_nobody_reads_may_be_anything():
    """Or else to refuse everything would do."""
    rng = random.Random(1)
    values = {"source": ["thm:1"], "statement": ["ϵ ≤ ℓ"], "latex": ["x"], "slack": [None, {"ratio": "1"}],
              "seconds": [1, 0.5], "kind": ["step", "cited"], "symbols": [{"x": "λ"}],
              "evidence": [{"check": "proof", "boxes": [1]}]}  # fmt: skip
    assert set(values) < set(FREE)
    for _ in range(10):
        rows = [dict(c) for c in WHOLE["claims"]]
        for _ in range(5):
            key = rng.choice(sorted(values))
            rng.choice(rows)[key] = rng.choice(values[key])
        assert recheck(document(*rows, settings=WHOLE["settings"])) == []


def test_every_change_of_a_document_is_refused():
    assert next(accepted(0, 500, WHOLE), None) is None


def test_all_changes_are_made():
    rng = random.Random(2)
    made = Counter(rewritten(rng, WHOLE)[0] for _ in range(1500))
    assert {way.__name__ for way in CHANGES} <= set(made)
    assert len(made) == len(CHANGES) + 7


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(1, 9))
def test_thousands_of_changes_are_refused(seed):
    assert next(accepted(seed, 4000, WHOLE), None) is None


MISTAKES = {
    "any key will do": (schema, "_require_record", lambda value, shape, where: None),
    "the sums are believed": (documents, "_require_sums", lambda data: None),
    "what a claim rests on is believed": (documents.Document, "_require_transitive", lambda self: None),
    "points are believed": (documents, "about_point", lambda *_: []),
    "formulas are believed": (documents, "about_formula", lambda *_, **__: []),
    "derivations are believed": (documents, "about_derivation", lambda *_: ([], set())),
    "witnesses are believed": (documents, "about_refutation", lambda *_, **__: []),
    "lemmas are believed": (documents, "settled", lambda document, found: dict(found)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_checker_with_a_mistake_accepts_some(name, monkeypatch):
    monkeypatch.setattr(*MISTAKES[name])
    if name == "lemmas are believed":
        lemma = next(c for c in WHOLE["claims"] if c["label"] == "lem:y") | {"proof": None}
        rows = [lemma if c["label"] == "lem:y" else c for c in WHOLE["claims"]]
        found = recheck(document(*rows, settings=WHOLE["settings"]))
        assert not any("rests on" in line for line in found)
    elif name == "witnesses are believed":
        assert recheck(document(row("x <= 1", ["x >= 0"], verdict="refuted", witness=WITNESS))) == []
    else:
        assert next(accepted(0, 1500, WHOLE), None) is not None


def test_a_document_is_the_same_after_it_was_written_down():
    assert recheck(json.loads(json.dumps(WHOLE))) == []


# What fresh eyes made it accept; every one is false, or says something else than is shown.
FOUND = {
    "a variable with a look-alike letter": lambda: one(
        rises("-ε", "ϵ"), ["0 <= ε <= 1"], reals=["ϵ"], point={"ε": "0", "ϵ": "0"}, proof=SLOPE
    ),
    "a variable with a space": lambda: one(
        rises("-x", "x "), ["0 <= x <= 1"], reals=["x "], point={"x": "0", "x ": "0"}, proof=SLOPE
    ),
    "an integer with a space": lambda: one(
        "n <= n**2", ["n >= 0"], ["n "], verdict="refuted",
        witness={"relation": "n <= n**2", "domain": ["n >= 0"], "point": {"n": "1/2", "n ": "0"}},
    ),
    "a comment": lambda: one("x <= x + 2 # and so 2 <= 1", ["x >= 0"], point={"x": "0"}, proof=IDENTITY),
    "backspaces": lambda: one("x == x\b\b", ["x >= 0"], point={"x": "0"}, proof=IDENTITY),
    "a label that nobody sees": lambda: recheck(
        document(row(label="a", verdict="tested"), row(label="a\u200b", verdict="tested"))
    ),
    "a limit tied by inequalities": lambda: one(
        tends("x/y", "0", "x", "0"), ["0 < x <= 1", "0 < y <= 1", "y <= x", "x <= y"],
        point={"x": "1", "y": "1"}, proof={"formula": {"by": "limit"}},
    ),
    "a part without a point": lambda: one(
        "x <= 1", ["x >= 0", "y >= 5", "x >= y"], verdict="proved-on-box", point={"x": "6", "y": "5"},
        proof=by_certificates(_FRAME | {
            "relation": "x <= 1", "domain": ["x >= 0", "y >= 5", "x >= y"], "box": ["x == 0", "y >= 5"],
            "proof": {"by": "range"},
        }),
    ),
    "code without a name": lambda: one(proof=by_code(check=" ")),
    "code without cases": lambda: one(proof=by_code(cases=0)),
    "code for a part": lambda: one(proof=by_code(box="n <= 3")),
    "code that says nothing": lambda: one(proof={"code": {"check": "computed"}}),
    "a line against a formula": lambda: one(
        "x <= x", ["x >= 0"], verdict="refuted", evidence={"check": "code"}, witness={"line": "print(True)"}
    ),
    "a line against a theorem": lambda: recheck(
        document(derived(POSITIVE, verdict="refuted", proof=None, witness={"line": "print(True)"}))
    ),
    "a relation against a theorem": lambda: recheck(
        document(derived(POSITIVE, verdict="refuted", proof=None, witness={"relation": "1 <= 0"}))
    ),
    "a domain of nothing": lambda: one(None, ["x is complex"], proof=by_code()),
}  # fmt: skip
SLOPE = by_certificates(
    _FRAME | {"relation": "0 <= 1", "domain": ["0 <= x <= 1"], "box": [], "proof": {"by": "range"}}
)


@pytest.mark.parametrize("name", FOUND)
def test_what_fresh_eyes_had_accepted_is_refused(name):
    assert FOUND[name]()


@pytest.mark.parametrize("text", ['{"claims": [], "claims": []}', '{"seed": NaN}', '{"seed": Infinity}'])
def test_what_people_and_programs_read_differently_is_no_document(text, tmp_path, capsys):
    file = tmp_path / "run.json"
    file.write_text(text)
    assert main([str(file)]) == 2
    assert "is not JSON" in capsys.readouterr().err
