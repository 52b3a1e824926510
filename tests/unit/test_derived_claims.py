"""Claims with a theorem and its derivation: what makes them proved, and everything that does not."""

from __future__ import annotations

import pytest

from verify import Computed, Derivation, Fact, Search, Section, Setting, Symbol, claim
from verify.claims import ClaimError, ClaimSet, Effort, Mutant, Verdict
from verify.running import run_claim

TIMES = Setting.of(
    "times",
    "",
    {"Nat": "n"},
    [Symbol("T", ("Nat",), "Real", known="_1")],
    {
        "duration": Fact("0 <= T(n)", "a duration is not negative", "model"),
        "short": Fact("E(T(n)) <= 1", "Somebody, Theorem 1", "axiom"),
    },
)
OTHER = Setting.of("other", "", {"Nat": "n"}, [Symbol("T", ("Nat",), "Real", known="_1")], {})
THEOREM = "1 - E(T(n)) <= E(exp(-T(n)))"
FORMULA = {"says": "1 - x <= exp(-x)", "domain": "x >= 0", "expected": "proved"}


def by_tangent(d):
    return d.mean(d.closed(d.claim("tangent", x="T(n)"), d.fact("duration")))


def tangent(**more):
    return claim("tangent", "exp is above its tangent", **FORMULA, **more)


def survival(**more):
    fields = {"theorem": THEOREM, "derivation": by_tangent, "setting": TIMES, "uses": "tangent"}
    return claim("survival", "The mean survival is at least 1 - E T.", **{**fields, **more})


def positive(**more):
    def by_survival(d):
        return d.linear("0 <= E(exp(-T(n)))", d.lemma("survival"), d.fact("short"))

    fields = {"theorem": "0 <= E(exp(-T(n)))", "derivation": by_survival, "setting": TIMES}
    return claim("positive", "It is not negative.", **{**fields, "uses": "survival", **more})


def found(label, *claims):
    return run_claim(ClaimSet(claims)[label], Effort())


def test_a_claim_is_proved_by_its_derivation():
    result = found("survival", tangent(), survival())
    assert result.verdict is Verdict.PROVED
    assert result.evidence["check"] == "derivation"
    assert result.evidence["axioms"] == []
    assert result.evidence["facts"] == ["duration"]
    steps = result.evidence["derivation"]["steps"]
    assert [step["rule"] for step in steps] == ["fact", "pointwise", "cut", "monotone"]
    assert steps[1]["label"] == "tangent"


def test_axioms_and_lemmas():
    result = found("positive", tangent(), survival(), positive())
    assert result.verdict is Verdict.PROVED
    assert result.evidence["axioms"] == ["short"]
    assert result.evidence["facts"] == []


def test_the_own_formula_is_proved_on_the_spot():
    def own(d):
        return d.mean(d.closed(d.claim("survival", x="T(n)"), d.fact("duration")))

    result = found("survival", survival(**FORMULA, derivation=own, uses=()))
    assert result.verdict is Verdict.PROVED
    assert result.evidence["formula"] == "proved"
    assert result.evidence["certificate"]["label"] == "survival"
    assert "certificate" in result.evidence["derivation"]["steps"][1]


@pytest.mark.parametrize(
    ("goal", "domain"),
    [("1 - x <= exp(-x)", ()), ("1 - x <= exp(-x)", ("x >= -1", "x < 5")), ("x*(x - 1) == x**2 - x", ())],
    ids=["everywhere", "box", "identity"],
)
def test_formulas_without_a_claim_are_proved_on_the_spot(goal, domain):
    def derivation(d):
        theorem = d.pointwise(goal, *domain, x="1/2")
        return d.closed(theorem)

    shown = "1/2 <= exp(-1/2)" if "exp" in goal else "-1/4 == -1/4"
    result = found("survival", survival(theorem=shown, derivation=derivation, uses=()))
    assert (result.verdict, result.evidence.get("why")) == (Verdict.PROVED, None)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"theorem": "1 - 2*E(T(n)) <= E(exp(-T(n)))"}, "derived is '1 + (-1)*E(T(n)) <= E(exp((-1)*T(n)))'"),
        ({"theorem": "1 - E(T(n)) <= E(exp(-T(n))"}, "is not a formula"),
        ({"theorem": "1 - E(S(n)) <= 1"}, "there is no S in times"),
        ({"derivation": lambda d: d.claim("tangent", x="T(n)")}, "still given: 0 <= T(n)"),
        ({"derivation": lambda d: d.mean(d.claim("tangent", x="T(n)"))}, "monotone E: the given '0 <= T(n)'"),
        ({"derivation": lambda d: THEOREM}, "the derivation gives a str, not a theorem"),
        ({"uses": ()}, "the derivation uses tangent; write that into uses"),
        ({"uses": "tangent idle"}, "the derivation does not use idle; take that out of uses"),
        ({"derivation": lambda d: d.claim("absent", x="T(n)")}, "there is no other claim 'absent'"),
        ({"derivation": lambda d: d.claim("words", x="T(n)")}, "claim words: has no formula"),
        ({"derivation": lambda d: d.lemma("tangent")}, "lemma tangent: the claim has no theorem"),
        ({"derivation": lambda d: d.lemma("survival")}, "there is no other claim 'survival'"),
        ({"derivation": lambda d: d.lemma("elsewhere")}, "lemma elsewhere: is in another setting, other"),
        ({"derivation": lambda d: d.fact("long")}, "fact: times has no fact 'long'"),
        ({"derivation": lambda d: d.pointwise("x <= 1", "x >= 0", x="T(n)")}, "pointwise x <= 1: refuted on"),
    ],
)
def test_what_is_no_derivation_of_the_claim_leaves_it_undecided(change, reason):
    others = [
        tangent(),
        claim("idle", "-", **FORMULA),
        claim("words", "-", checks=Computed(lambda effort: None)),
        claim("elsewhere", "-", theorem=THEOREM, derivation=by_tangent, setting=OTHER),
    ]
    result = found("survival", *others, survival(**change))
    assert result.verdict is Verdict.UNDECIDED
    assert reason in result.evidence["why"]
    assert "\n" not in result.evidence["why"]
    assert result.error is None


def test_a_theorem_of_another_setting_does_not_count():
    theirs = Derivation(OTHER).linear("0 <= 1")
    ours = survival(theorem="0 <= 1", derivation=lambda d: theirs, uses=())
    assert found("survival", ours).evidence["why"] == "the derivation is in other, the claim in times"


def test_a_proof_of_the_formula_is_a_part_and_a_refutation_is_decisive():
    wrong = found("survival", tangent(), survival(**FORMULA, theorem="1 <= E(T(n))"))
    assert wrong.verdict is Verdict.UNDECIDED
    assert wrong.evidence["check"] == "derivation"
    assert [other["evidence"]["formula"] for other in wrong.evidence["others"]] == ["tested", "proved"]
    refuted = found("survival", tangent(), survival(says="1 - x/2 <= exp(-x)", domain="x >= 0"))
    assert refuted.verdict is Verdict.REFUTED


def test_a_formula_that_is_only_tested_makes_the_claim_no_more():
    tested = found("survival", tangent(), survival(**FORMULA, checks=Search()))
    assert tested.verdict is Verdict.TESTED
    nobody = found("survival", tangent(), survival(**FORMULA, checks=()))
    assert nobody.verdict is Verdict.UNDECIDED
    assert "the formula of the claim is not proved" in nobody.evidence["why"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"derivation": None}, "a theorem has a derivation; give both, or none"),
        ({"theorem": ""}, "a theorem has a derivation; give both, or none"),
        ({"setting": None}, "its theorem has no setting; give setting=Setting.of(...)"),
        ({"setting": "times"}, "setting 'times': write Setting.of(...)"),
        ({"derivation": "tangent"}, "derivation 'tangent': write a function of a Derivation"),
        ({"theorem": 1}, "theorem 1: write text"),
        ({"argued": "Integrate."}, "is argued in words, and derived; leave out one of them"),
    ],
)
def test_a_mistake_is_one_line(change, message):
    with pytest.raises(ClaimError, match="claim survival: ") as error:
        survival(**{**FORMULA, **change})
    assert message in str(error.value)


def test_a_setting_is_said_once():
    section = Section(setting=TIMES)
    section.claim("tangent", "-", **FORMULA)
    section.claim("survival", "-", theorem=THEOREM, derivation=by_tangent, uses="tangent")
    assert [check.name for check in section.claims[0].checks] == ["search", "proof"]
    assert [check.name for check in section.claims[1].checks] == ["derivation"]
    assert found("survival", *section.claims).verdict is Verdict.PROVED


def test_a_mutant_has_no_theorem():
    changed = Mutant(says="1 - x/2 <= exp(-x)").applied(survival(**FORMULA))
    assert (changed.theorem, changed.derivation) == ("", None)
    assert [check.name for check in changed.checks] == ["search", "proof"]
    assert run_claim(changed, Effort()).verdict is Verdict.REFUTED
    with pytest.raises(ClaimError, match="claim survival: mutant: a derivation has none"):
        Mutant(says="1 <= x", domain="x >= 0").applied(survival())
