"""One claim, all its checks, one result."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import flint
import mpmath
import numpy
import pytest
import sympy

from verify.claims import (
    Claim,
    ClaimSet,
    ContradictionError,
    Domain,
    Effort,
    Finding,
    Kind,
    Verdict,
    claim,
    limit,
)
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.proof import Proof
from verify.running import engine
from verify.running.engine import ERROR_BUDGET, effort_for, random_checks, run_claim
from verify.running.results import Result

WITNESS = {"line": "print(True)"}
POSITIVE, UNIT = Domain.of("x >= 0"), Domain.of("0 <= x <= 1")


@dataclass(frozen=True)
class Does:
    """A check that does what it is given."""

    what: Any  # called with the effort
    name: str = "does"
    random: bool = False
    of_formula: bool = False
    calls: list[str] = field(default_factory=list, compare=False)

    def run(self, claim, effort):
        self.calls.append(self.name)
        return self.what(effort)


def finds(verdict, name="does", *, of_formula=False, **evidence) -> Does:
    witness = WITNESS if verdict == "refuted" else None
    return Does(
        lambda effort: Finding(name, Verdict(verdict), evidence, witness), name, of_formula=of_formula
    )


def result(*checks, **more) -> Result:
    return run_claim(Claim("a", "words", checks=checks, **more), Effort())


@pytest.mark.parametrize(
    ("verdicts", "found", "ran"),
    [
        (["tested", "proved", "refuted"], "proved", 2),
        (["refuted", "proved"], "refuted", 1),
        (["tested", "undecided", "proved-on-box"], "proved-on-box", 3),
        (["proved-on-box", "refuted"], "refuted", 2),
        (["undecided", "undecided"], "undecided", 2),
    ],
)
def test_checks_run_until_one_is_decisive(verdicts, found, ran):
    checks = [finds(v, f"check{i}", number=i) for i, v in enumerate(verdicts)]
    got = result(*checks)
    assert got.verdict == found
    assert [len(check.calls) for check in checks] == [1] * ran + [0] * (len(verdicts) - ran)
    number = verdicts.index(found)
    assert (got.evidence["check"], got.evidence["number"]) == (f"check{number}", number)
    others = [o["check"] for o in got.evidence.get("others", [])]
    assert others == [f"check{i}" for i in range(ran) if i != number]
    assert (got.witness is not None) == (found == "refuted")
    assert got.error is None


def certificate(relation):
    area = ["0 <= x <= 1"]
    goal = {"format": "ctucbvi-proof-1", "label": "a", "relation": relation, "domain": area, "integers": []}
    return {**goal, "box": area, "proof": {"by": "range"}}


def test_certificates_of_findings_that_do_not_decide_are_dropped():
    shown = {"of_formula": True, "certificate": certificate("0 <= x")}
    box, whole = finds("proved-on-box", "part", boxes=3, **shown), finds("proved", "proof", **shown)
    got = run_claim(claim("a", "words", says="0 <= x", domain=UNIT, checks=[box, whole]), Effort())
    assert (got.verdict, got.evidence["point"]) == ("proved", {"x": "0"})
    evidence = {"boxes": 3, "point": {"x": "0"}, "rechecked": True}
    assert got.evidence["others"] == [{"check": "part", "verdict": "proved-on-box", "evidence": evidence}]


def test_a_proof_that_the_independent_checker_rejects_does_not_count():
    forged = finds("proved", "proof", of_formula=True, certificate=certificate("x <= 1/2"))
    got = run_claim(claim("a", "words", says="x <= 1/2", domain=UNIT, checks=[forged]), Effort())
    assert got.verdict == "undecided"
    assert got.evidence["claimed"] == "proved"
    assert "range" in got.evidence["rejected"][0]


def test_a_witness_that_the_independent_checker_rejects_does_not_count():
    witness = {"relation": "x <= 1/2", "domain": ["0 <= x <= 1"], "integers": [], "point": {"x": "1/3"}}
    refutes = Does(lambda effort: Finding("search", Verdict.REFUTED, {}, witness), "search")
    assert result(refutes).verdict == "undecided"


def crash(error):
    def what(effort):
        raise error

    return Does(what, "bad")


@pytest.mark.parametrize(
    ("says", "verdict"),
    [
        ("(x + 1)**2 == x**2 + 2*x + 1", "proved"),
        ("(x + 1)**2 == x**2 + 2*x + 1 + 1/10**40", "undecided"),
        (limit("x/(1 + x)", "x", "oo", "1", POSITIVE), "proved"),
        (limit("x/(1 + x)", "x", "oo", "1 + 1/10**40", POSITIVE), "undecided"),
        (limit("exp(-x)", "x", "0", "1", POSITIVE), "proved"),
        (limit("exp(-x)", "x", "0", "0", POSITIVE), "undecided"),  # that is the other end
        ("x <= 2*x", "undecided"),  # true, but an inequality needs its certificate
    ],
)
def test_what_a_check_calls_proved_is_decided_by_the_checker(says, verdict):
    believes = Does(lambda _: Finding("proof", Verdict.PROVED, {}), "proof", of_formula=True)
    assert (
        run_claim(claim("a", "words", says=says, domain=POSITIVE, checks=believes), Effort()).verdict
        == verdict
    )


def test_code_that_does_not_look_at_what_is_said_proves_nothing_of_it():
    """``1 <= 0`` was proved by a function that never saw it."""
    cheat = Computed(lambda _: Outcome([Case("one", 1, 2)], complete=True))
    got = run_claim(claim("a", "words", says="1 <= 0", checks=cheat), Effort())
    assert (got.verdict, got.evidence["why"]) == (
        "tested",
        "code that does not look at what the claim says in formulas does not prove it",
    )
    assert run_claim(claim("a", "words", checks=cheat), Effort()).verdict == "proved"


@pytest.mark.parametrize(
    ("says", "domain"),
    [
        ("n <= -1", Domain.of("0 <= n <= 10", "n**2 == 7", integers="n")),
        ("n <= -1", Domain.of("0 <= n", "0 <= m", "2*n == 2*m + 1", integers="n m")),
        ("x <= -1", Domain.of("x >= 0", "y >= 0", "x + y == -1")),
        ("m <= 0", Domain.of("m >= 1", "n == 0", "n**m == 1", integers="m n")),
    ],
)
def test_a_claim_about_nothing_is_not_proved(says, domain):
    got = run_claim(claim("a", "words", says=says, domain=domain), Effort())
    assert not got.verdict.holds or got.verdict == "tested"


def test_a_proved_formula_has_a_point_of_its_domain():
    area = Domain.of("0 <= n <= 10", "n**2 == 9", "x >= n", integers="n")
    got = run_claim(claim("a", "words", says="x >= 3", domain=area), Effort())
    assert (got.verdict, got.evidence["point"]["n"]) == ("proved", "3")


def disputed() -> Result:
    """A witness that the checker does not confirm, and a proof that it accepts."""
    bad = {"relation": "1 + x <= exp(x)", "domain": ["0 <= x"], "integers": [], "point": {"x": "0"}}
    doubt = Does(lambda _: Finding("hunt", Verdict.REFUTED, {}, bad), "hunt", of_formula=True)
    one = claim("a", "words", says="1 + x <= exp(x)", domain="x >= 0", checks=[doubt, Proof()])
    return run_claim(one, Effort())


def test_a_witness_that_is_not_confirmed_beside_a_proof_leaves_the_claim_undecided():
    found = disputed()
    assert found.verdict is Verdict.UNDECIDED
    assert found.evidence["witness not confirmed"]["point"] == {"x": "0"}
    assert found.evidence["against"]["verdict"] == "proved"


def test_it_would_be_proved_if_the_doubt_were_forgotten(monkeypatch):
    monkeypatch.setattr(engine, "_undisputed", lambda decided, findings: decided)
    assert disputed().verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (
            crash(ZeroDivisionError("two\nlines")),
            "ZeroDivisionError: two lines (test_running_engine.py, line ",
        ),
        (crash(ContradictionError("box proves what search refutes")), "ContradictionError: box proves"),
        (Does(lambda effort: "proved", "bad"), "TypeError: returned a str, not a Finding"),
        (finds("proved", "bad", value=float("nan")), "ValueError: Out of range float values"),
        (finds("proved", "bad", value={1}), "TypeError: Object of type set is not JSON"),
        (
            Does(lambda effort: Finding("bad", Verdict.REFUTED), "bad"),
            "ValueError: refutes without a witness",
        ),
    ],
)
def test_a_failed_check_is_shown_and_decides_nothing(check, message):
    later = finds("proved", "later")
    got = result(finds("tested", "first"), check, later)
    assert (got.verdict, later.calls) == (Verdict.UNDECIDED, [])
    assert got.error.startswith(f"check bad failed: {message}")
    assert got.evidence["check"] == "bad"
    assert "Traceback" in got.evidence["traceback"]


def test_evidence_is_the_same_before_and_after_it_was_written_down():
    got = result(finds("proved", pair=(1, 2), table={1: "x"}))
    assert got.evidence["pair"] == [1, 2]
    assert got.evidence["table"] == {"1": "x"}
    assert Result.from_json(got.to_json()) == got


def test_claims_without_checks():
    assert result(kind=Kind.CITED, source="Pinsker 1964").verdict is Verdict.ASSUMED
    assert result().verdict is Verdict.UNDECIDED


def test_a_cited_claim_that_is_checked_has_the_verdict_of_its_check():
    assert result(finds("refuted"), kind=Kind.CITED).verdict is Verdict.REFUTED


def test_the_error_budget_is_shared_by_all_random_checks():
    chance = Does(
        lambda effort: Finding("c", Verdict.SUPPORTED, {"share": str(effort.error)}), "c", random=True
    )
    claims = ClaimSet(Claim(label, "words", checks=(chance, finds("tested"))) for label in "abc")
    effort = effort_for(claims, "quick", 5)
    assert random_checks(claims) == 3
    assert (effort.error * 3, effort.seed) == (ERROR_BUDGET, 5)
    assert run_claim(claims["a"], effort).evidence["share"] == "1/3000000"
    none = ClaimSet([Claim("a", "words", checks=(finds("proved"),))])
    assert effort_for(none, "thorough", 0) == Effort("thorough", 0, Fraction(1, 10**6))


def throw(effort):
    """Uses every global generator and precision there is."""
    numbers = [random.random(), sympy.core.random.rng.random(), float(numpy.random.random())]
    facts = {"numbers": numbers, "bits": [flint.ctx.prec, mpmath.mp.prec]}
    flint.ctx.prec = mpmath.mp.prec = 300
    return Finding("throw", Verdict.TESTED, facts)


def test_a_result_does_not_depend_on_what_ran_before():
    state = random.getstate()
    first, second = result(Does(throw)), result(Does(throw))
    assert first.evidence == second.evidence
    assert first.evidence["bits"] == [53, 53]
    assert (flint.ctx.prec, mpmath.mp.prec, random.getstate()) == (53, 53, state)
    # without the standard state the same check gives itself away
    loose = [throw(None).evidence for _ in range(2)]
    flint.ctx.prec = mpmath.mp.prec = 53
    assert loose[0] != loose[1]


# --- slack ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("says", "verdict", "slack"),
    [
        ("x <= 1", "proved", {"ratio": "1"}),
        ("x < 1", "tested", {"ratio": "1"}),
        ("x == x", "proved", None),
        ("x <= 1", "refuted", None),
        ("x <= 1", "undecided", None),
    ],
)
def test_slack_is_of_inequalities_that_hold(monkeypatch, says, verdict, slack):
    monkeypatch.setattr(engine, "slack_of", lambda relation, domain, effort: {"ratio": "1"})
    one = claim("a", "words", says=says, domain="0 <= x <= 1", checks=[finds(verdict)])
    assert run_claim(one, Effort()).slack == slack
    assert result(finds(verdict)).slack is None


def test_a_crash_while_the_slack_is_found_is_a_failure(monkeypatch):
    monkeypatch.setattr(engine, "slack_of", lambda relation, domain, effort: {}[relation])
    one = claim("a", "words", says="x <= 1", domain="0 <= x <= 1", checks=[finds("proved")])
    assert run_claim(one, Effort()).error.startswith("check slack failed: KeyError")


def test_what_a_check_prints_goes_to_stderr(capsys):
    result(Does(lambda effort: print("here") or Finding("p", Verdict.PROVED)))
    assert capsys.readouterr() == ("", "here\n")


def test_a_proved_formula_is_no_proof_of_a_claim_that_leaves_something_to_words():
    part = Does(lambda effort: Finding("proof", Verdict.PROVED), "proof", of_formula=True)
    whole = Does(lambda effort: Finding("computed", Verdict.TESTED), "computed")
    one = claim("a", "words", checks=[part], argued="the sum over k")
    got = run_claim(one, Effort())
    assert got.verdict == "assumed"
    assert (got.evidence["formula"], got.evidence["argued"]) == ("proved", "the sum over k")
    assert run_claim(claim("a", "words", checks=[part, whole], argued="x"), Effort()).verdict == "tested"
    assert run_claim(claim("a", "words", checks=[part]), Effort()).verdict == "proved"


def test_where_the_formula_is_proved_nothing_searches_it_any_more():
    ran: list[str] = []

    def found(name: str, verdict: Verdict) -> Does:
        return Does(
            lambda effort: ran.append(name) or Finding(name, verdict), name, of_formula=name != "whole"
        )

    checks = [found("proof", Verdict.PROVED), found("search", Verdict.TESTED), found("whole", Verdict.TESTED)]
    assert run_claim(claim("a", "words", checks=checks, argued="x"), Effort()).verdict == "tested"
    assert ran == ["proof", "whole"]
    ran.clear()
    checks[0] = found("proof", Verdict.PROVED_ON_BOX)
    run_claim(claim("a", "words", checks=checks, argued="x"), Effort())
    assert ran == ["proof", "search", "whole"]
