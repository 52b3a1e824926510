"""Claims that code states: the harness compares, the code does not."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction as Q

import pytest
import sympy
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from verify.claims import Claim, ClaimError, Effort, Verdict
from verify.provers import comparison, computed
from verify.provers.comparison import holds
from verify.provers.computed import Assumed, Case, Computed, Outcome


@dataclass(frozen=True)
class Interval:
    lower: Q
    upper: Q


def run(*cases: Case, **more):
    return Computed(lambda effort: Outcome(cases, **more)).run(Claim("c", "code"), Effort())


GOOD = [Case("first", 1, Q(3, 2)), Case("second", Q(1, 3), arb(1) / 2), Case("third", 2, 2, "==")]

numbers = st.fractions(-3, 3, max_denominator=6)
intervals = st.tuples(numbers, numbers).map(lambda ends: Interval(min(ends), max(ends)))
relations = {"<=": Q.__le__, "<": Q.__lt__, "==": Q.__eq__, ">=": Q.__ge__, ">": Q.__gt__}


@given(intervals, intervals, st.sampled_from(sorted(relations)))
def test_a_comparison_of_enclosures_is_what_holds_for_all_their_numbers(left, right, relation):
    ends = [relations[relation](x, y) for x in (left.lower, left.upper) for y in (right.lower, right.upper)]
    answer = holds(left, relation, right)
    if answer is None:
        assert left.lower <= right.upper or relation == "=="
        assert len(set(ends)) == 2 or relation == "=="
    elif answer:
        assert all(ends)
    else:
        assert not any(ends)


@given(intervals, intervals, st.sampled_from(sorted(relations)))
def test_balls_never_contradict_their_ends(left, right, relation):
    exact = holds(left, relation, right)
    rough = holds(_ball(left), relation, _ball(right))
    assert rough is None or rough == exact


def _ball(interval: Interval) -> arb:
    low, high = (arb(fmpq(end.numerator, end.denominator)) for end in (interval.lower, interval.upper))
    return low.union(high)


def test_numbers_of_all_kinds_compare():
    values = [1, Q(1), fmpq(1), arb(1), sympy.Integer(1), Interval(Q(1), Q(1))]
    assert all(holds(a, "==", b) is True for a in values for b in values)
    assert holds(arb("1e-999999999999"), ">", 0) is True
    assert holds(arb.nan(), "<=", 1) is None
    assert holds(arb.nan(), ">", 1) is None


@pytest.mark.parametrize("value", [0.1, True, "1/2", None])
def test_what_is_not_exact_is_refused(value):
    with pytest.raises(ClaimError, match="exact"):
        holds(value, "<=", 1)
    with pytest.raises(ClaimError, match="relation '!='"):
        holds(1, "!=", 1)


def test_cases_that_hold_are_as_strong_as_they_are_complete():
    assert run(*GOOD).verdict is Verdict.TESTED
    assert run(*GOOD, complete=True).verdict is Verdict.PROVED
    boxed = run(*GOOD, box="n <= 3")
    assert (boxed.verdict, boxed.evidence["box"]) == (Verdict.PROVED_ON_BOX, "n <= 3")


def test_the_tightest_case_is_reported():
    found = run(Case("loose", 1, 50), Case("tight", 3, 4), Case("turned", 9, 8, ">="))
    assert found.slack == {
        "ratio": "0.888888888888889",
        "difference": "1.00000000000000",
        "at": {"case": "turned"},
    }
    assert run(Case("signs", -1, 1)).slack == {"difference": "2.00000000000000", "at": {"case": "signs"}}


def test_one_failing_case_refutes_whatever_else_is_said():
    found = run(*GOOD, Case("bad", Q(2, 3), Interval(Q(1, 3), Q(1, 2))), complete=True)
    assert found.verdict is Verdict.REFUTED
    assert found.witness["case"] == "bad"
    assert "relation" not in found.witness  # that would make it a witness of a formula
    assert found.witness["right"] == "[1/3, 1/2]"
    printed = subprocess.run([sys.executable, "-c", found.witness["line"]], capture_output=True, text=True)
    assert printed.stdout == "True\n"


@pytest.mark.parametrize(
    ("left", "relation", "right"),
    [(2, "<=", 1), (1, "<", 1), (1, "==", 2), (2, "==", 1), (1, ">=", 2), (1, ">", 1)],
)
def test_the_line_of_every_relation_confirms_the_violation_and_only_it(left, relation, right, capsys):
    exec(comparison.line(left, relation, right))
    good = {"<=": (1, 1), "<": (1, 2), "==": (1, 1), ">=": (1, 1), ">": (2, 1)}[relation]
    exec(comparison.line(good[0], relation, good[1]))
    assert capsys.readouterr().out == "True\nFalse\n"


def test_balls_have_a_line_too_unless_they_are_astronomic(capsys):
    exec(comparison.line(arb(1) / 3, "<=", arb(1) / 4))
    exec(comparison.line(arb(1) / 3, "<=", arb(1, 1)))
    assert capsys.readouterr().out == "True\nFalse\n"
    assert comparison.line(arb("1e-99999"), "<=", 0) is None


def test_a_line_of_ones_own_is_kept():
    assert run(Case("bad", 2, 1, line="print(2 > 1)")).witness["line"] == "print(2 > 1)"


def test_an_overlap_leaves_the_claim_undecided_never_false():
    found = run(*GOOD, Case("open", Interval(Q(0), Q(2)), 1), complete=True)
    assert found.verdict is Verdict.UNDECIDED
    assert found.evidence["undecided"]["first"][0]["case"] == "open"


def test_no_cases_decide_nothing():
    assert run(complete=True).verdict is Verdict.UNDECIDED


def test_the_function_sees_the_effort_and_must_return_cases():
    seen = []
    Computed(lambda effort: seen.append(effort.profile) or Outcome(GOOD)).run(
        Claim("c", "code"), Effort("thorough")
    )
    assert seen == ["thorough"]
    with pytest.raises(ClaimError, match="claim c: the computed check returned bool"):
        Computed(lambda effort: True).run(Claim("c", "code"), Effort())


def test_a_harness_that_takes_undecided_for_true_is_caught(monkeypatch):
    monkeypatch.setattr(computed, "holds", lambda *sides: holds(*sides) is not False)
    with pytest.raises(AssertionError):
        test_an_overlap_leaves_the_claim_undecided_never_false()


def test_assumed_says_why():
    found = Assumed("Puterman, theorem 6.2.10").run(Claim("c", "cited"), Effort())
    assert (found.verdict, found.evidence) == (Verdict.ASSUMED, {"reason": "Puterman, theorem 6.2.10"})


def test_names_tell_checks_apart():
    assert Computed(lambda effort: Outcome(GOOD), title="by hand").name == "computed (by hand)"
    assert Assumed("x").name == "assumed"
    assert not Assumed("x").random
