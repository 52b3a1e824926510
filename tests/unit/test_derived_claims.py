"""Claims with a theorem and its derivation: what makes them proved, and everything that does not."""

from __future__ import annotations

import json

import pytest

from tests.fake_claims import without_seconds
from verify import Computed, Derivation, Fact, Search, Section, Setting, Symbol, claim
from verify.__main__ import main
from verify.claims import ClaimError, ClaimSet, Effort, Mutant, Verdict
from verify.kernel.terms import KernelError
from verify.recheck import recheck
from verify.running import run_claim

TIMES = Setting.of(
    "times",
    "",
    {"Nat": "n"},
    [Symbol("T", ("Nat",), "Real", known="_1")],
    {
        "duration": Fact("0 <= T(n)", "a duration is not negative", "model"),
        "short": Fact("E(T(n)) <= 1", "Somebody, Theorem 1", "law"),
    },
)
PART = Setting.of("part", "", {"Nat": "n"}, [Symbol("T", ("Nat",), "Real", known="_1")], {})
OTHER = PART.extended("other", [], {"duration": Fact("1 <= T(n)", "another one", "model")})
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
    assert result.evidence["rests"] == {"law": [], "existence": [], "definition": [], "model": ["duration"]}
    steps = result.evidence["derivation"]["steps"]
    assert [step["rule"] for step in steps] == ["fact", "pointwise", "cut", "monotone"]
    assert steps[1]["label"] == "tangent"


def test_laws_and_lemmas():
    result = found("positive", tangent(), survival(), positive())
    assert result.verdict is Verdict.PROVED
    assert result.evidence["rests"] == {"law": ["short"], "existence": [], "definition": [], "model": []}


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
        ({"derivation": lambda d: d.claim("absent", x="T(n)")}, "uses absent; write that into uses"),
        (
            {"derivation": lambda d: d.claim("words", x="T(n)"), "uses": "words"},
            "claim words: has no formula",
        ),
        ({"derivation": lambda d: d.lemma("tangent")}, "lemma tangent: the claim has no theorem"),
        ({"derivation": lambda d: d.lemma("survival")}, "there is no other claim 'survival'"),
        (
            {"derivation": lambda d: d.lemma("elsewhere"), "uses": "elsewhere"},
            "lemma elsewhere: is in another setting, other",
        ),
        ({"derivation": lambda d: d.fact("long")}, "fact: times has no fact 'long'"),
        (
            {"derivation": lambda d: d.pointwise("x <= 1", "x >= 0", x="T(n)")},
            "x <= 1: refuted on 0 <= x, at x = 2",
        ),
        ({"derivation": lambda d: d.pointwise("x <= ", x="T(n)")}, "pointwise x <= : "),
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


def test_what_is_asked_for_is_used_whether_or_not_it_is_in_the_steps():
    def asks(d):
        d.claim("idle", x="T(n)")
        return by_tangent(d)

    others = [tangent(), claim("idle", "-", **FORMULA)]
    result = found("survival", *others, survival(derivation=asks, uses="tangent idle"))
    assert result.verdict is Verdict.PROVED
    result = found("survival", *others, survival(derivation=asks))
    assert "the derivation uses idle; write that into uses" in result.evidence["why"]


def test_what_is_derived_in_a_part_of_the_setting_is_a_lemma():
    split = claim(
        "split", "-", theorem="0 <= T(n)**2", setting=PART, derivation=lambda d: d.known("square", "T(n)")
    )
    uses = survival(theorem="0 <= T(n)**2", derivation=lambda d: d.lemma("split"), uses="split")
    assert found("survival", split, uses).verdict is Verdict.PROVED
    back = claim(
        "split", "-", theorem="0 <= T(n)**2", setting=TIMES, derivation=lambda d: d.known("square", "T(n)")
    )
    less = survival(theorem="0 <= T(n)**2", derivation=lambda d: d.lemma("split"), uses="split", setting=PART)
    assert found("survival", back, less).evidence["why"] == "lemma split: is in another setting, times"


MORE = PART.extended("more", [Symbol("c", (), "Real")], {"size": Fact("0 <= c", "-")}, sorts="State")


@pytest.mark.parametrize(
    "other",
    [
        Setting.of("sort", "State Action", {"Nat": "n"}, [*MORE.symbols.values()], {}),
        Setting.of("variable", "", {"Nat": "n", "Real": "t"}, [*MORE.symbols.values()], {}),
        Setting.of("another variable", "", {"Real": "n"}, [*MORE.symbols.values()], {}),
        Setting.of("symbol", "", {}, [Symbol("d", (), "Real")], {}),
        Setting.of("earlier", "", {}, [Symbol("T", ("Nat",), "Real", known="0")], {}),
        Setting.of("for all", "", {}, [Symbol("c", (), "Real", generic=True)], {}),
        Setting.of("fact", "", {}, [Symbol("c", (), "Real")], {"large": Fact("1 <= c", "-")}),
        Setting.of("another fact", "", {}, [Symbol("c", (), "Real")], {"size": Fact("1 <= c", "-")}),
        Setting.of("law", "", {}, [Symbol("c", (), "Real")], {"size": Fact("0 <= c", "-", "law")}),
    ],
    ids=lambda s: s.name,
)
def test_a_setting_extends_only_what_it_has_unchanged(other):
    assert MORE.extends(PART)
    assert MORE.extends(MORE)
    assert not MORE.extends(other)


def test_a_setting_is_not_extended_by_a_fact_of_a_name_that_it_has():
    with pytest.raises(KernelError, match="more has a fact size already"):
        MORE.extended("again", [], {"size": Fact("0 <= c", "-")})
    with pytest.raises(KernelError, match="used twice"):
        MORE.extended("again", [Symbol("c", (), "Nat")], {})


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


# --- the command line ------------------------------------------------------------------------

FILE = """
from verify import Fact, Section, Setting, Symbol

section = Section(expected="proved", setting=Setting.of(
    "times", "", {"Nat": "n"}, [Symbol("T", ("Nat",), "Real", known="_1")], {
        "duration": Fact("0 <= T(n)", "a duration is not negative", "model"),
        "short": Fact("E(T(n)) <= 1", "Somebody, Theorem 1", "law")}))
section.claim("tangent", "-", says="1 - x <= exp(-x)", domain="x >= 0", mutant="1 - x/2 <= exp(-x)")
section.claim("survival", "-", uses="tangent", theorem="1 - E(T(n)) <= E(exp(-T(n)))",
    derivation=lambda d: d.mean(d.closed(d.claim("tangent", x="T(n)"), d.fact("duration"))))
section.claim("positive", "-", uses="survival", theorem="0 <= E(exp(-T(n)))",
    derivation=lambda d: d.linear("0 <= E(exp(-T(n)))", d.lemma("survival"), d.fact("short")))
section.claim("words", "-", uses="positive", says="x <= 2*x", domain="x >= 0", argued="Integrate.",
    expected="assumed")
"""


@pytest.fixture
def command(tmp_path, capsys, monkeypatch):
    """Run a command on this file, or on another."""
    monkeypatch.setenv("VERIFY_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "mine.py"

    def run(name, *arguments, text=FILE):
        file.write_text(text, encoding="utf-8")
        status = main([name, "--claims", str(file), *arguments])
        return (status, *capsys.readouterr())

    return run


def test_a_file_of_claims_with_derivations(command):
    status, out, _ = command("verify", "--workers", "2")
    assert status == 0
    assert "positive  statement  proved   proved (1 law, 1 property of the model)" in out
    assert "words     statement  assumed  assumed (1 law, 1 property of the model)" in out
    assert "3 proved, 1 assumed; all as expected" in out


def test_the_document_is_rechecked_and_does_not_depend_on_what_ran_before(command):
    status, first, _ = command("verify", "--workers", "0", "--json")
    document = json.loads(first)
    assert status == 0
    positive = next(one for one in document["claims"] if one["label"] == "positive")
    assert (positive["theorem"], positive["setting"]) == ("0 <= E(exp(-T(n)))", "times")
    rests = {"law": ["short"], "existence": [], "definition": [], "model": ["duration"], "proved": {}}
    assert positive["rests"] == rests
    assert recheck(document, ["survival", "positive"]) == []
    positive["rests"] = {**rests, "law": []}
    assert "positive: rests on {" in recheck(document, ["positive"])[0]
    positive["rests"] = rests
    positive["theorem"] = "1 <= E(exp(-T(n)))"
    assert recheck(document, ["positive"])
    again = json.loads(command("verify", "--workers", "0", "--json", "--fresh", "positive")[1])
    known = {one["label"]: without_seconds(one) for one in json.loads(first)["claims"]}
    assert all(without_seconds(one) == known[one["label"]] for one in again["claims"])


def test_a_change_of_a_claim_that_is_used_is_noticed(command):
    command("verify", "positive", "--workers", "0")
    changed = FILE.replace("1 - x <= exp(-x)", "1 - 2*x <= exp(-x)")
    status, _, err = command("verify", "positive", "--workers", "0", text=changed)
    assert status == 1
    assert "survival: expected proved, found undecided: derived is '1 - 2*E(T(n))" in err.replace(
        "1 + (-2)*", "1 - 2*"
    )


def test_nothing_is_derived_before_it_is_asked_for(command):
    status, out, _ = command("claims", text=FILE.replace("d.mean(", "d.means("))
    assert (status, out.splitlines()[-1]) == (0, "4 claims")


def test_mutants_of_a_file_with_derivations(command):
    status, out, _ = command("verify", "--mutants", "--workers", "0")
    assert status == 0
    assert "1 mutants (quick): 1 told from their claims" in out


def test_certificates_and_the_ledger(command, tmp_path):
    page = tmp_path / "ledger.md"
    command("verify", "--workers", "0", "--certificates", str(tmp_path / "proofs"), "--ledger", str(page))
    written = json.loads((tmp_path / "proofs" / "positive.derivation.json").read_text(encoding="utf-8"))
    assert written["steps"][-1]["rule"] == "combine"
    assert "| `positive` | statement | proved | proved (1 law, 1 property of the model) |" in page.read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("checked", [False, True], ids=["built", "kept"])
def test_what_is_taken_for_granted_is_listed(command, checked):
    if checked:
        command("verify", "--workers", "0")
    status, out, _ = command("claims", "words", "--axioms")
    assert status == 0
    assert out.splitlines() == [
        "words rests on 1 law (short) and 1 property of the model.",
        "law: 1",
        "  short (times): E(T(n)) <= 1",
        "      Somebody, Theorem 1; used by positive",
        "existence: none",
        "definition: none",
        "model: 1",
        "  duration (times): 0 <= T(n)",
        "      a duration is not negative; used by survival",
        "cited or argued in words: words",
    ]
    assert command("claims", "tangent", "--axioms")[1].splitlines()[0] == (
        "tangent rests on nothing that is assumed."
    )
    data = json.loads(command("claims", "--axioms", "--json")[1])
    assert data["rests"]["law"] == ["short"]
    assert {one["name"]: (one["kind"], one["used_by"]) for one in data["facts"]} == {
        "short": ("law", ["positive"]),
        "duration": ("model", ["survival"]),
    }
    assert data["in_words"] == ["words"]


def test_the_steps_are_printed(command):
    status, out, _ = command("claims", "survival", "--derivation")
    assert status == 0
    assert out.splitlines() == [
        "survival: 1 - E(T(n)) <= E(exp(-T(n)))",
        "   0. 0 <= T(n)",
        "      model duration: a duration is not negative",
        "   1. 1 - T(n) <= exp(-T(n))",
        "      given 0 <= T(n)",
        "      formula of tangent: 1 - x <= exp(-x), with x = T(n)",
        "   2. 1 - T(n) <= exp(-T(n))",
        "      cut, from 0, 1",
        "   3. 1 - E(T(n)) <= E(exp(-T(n)))",
        "      monotone (binder E), from 2",
    ]
    steps = json.loads(command("claims", "survival", "--derivation", "--json")[1])["steps"]
    assert steps[3] == {"rule": "monotone", "binder": "E", "from": [2]}
    assert "  theorem:   1 - E(T(n)) <= E(exp(-T(n)))\n" in command("claims", "survival")[1]


@pytest.mark.parametrize(
    ("arguments", "change", "message"),
    [
        (["--derivation"], (), "--derivation is of one claim; write its label"),
        (["tangent", "--derivation"], (), "claim tangent: has no derivation"),
        (["survival", "--derivation", "--axioms"], (), "are three answers; ask for one of them"),
        (["survival", "--axioms"], ('"duration")', '"absent")'), "claim survival: fact: times has no fact"),
        (["survival", "--axioms"], ("d.mean(", "d.means("), "its derivation fails: AttributeError"),
        (["none", "--axioms"], (), "no claim 'none'"),
    ],
)
def test_errors_are_one_line(command, arguments, change, message):
    text = FILE.replace(*change) if change else FILE
    status, out, err = command("claims", *arguments, text=text)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_eulers_number_keeps_its_name_in_formulas():
    def by_number(d):
        return d.closed(d.pointwise("x <= E*x", "x >= 0", x="T(n)"), d.fact("duration"))

    one = claim("euler", "e is above 1.", theorem="T(n) <= exp(1)*T(n)", derivation=by_number, setting=TIMES)
    result = found("euler", one)
    assert result.verdict is Verdict.PROVED
    assert recheck(result.evidence["derivation"]) == []
