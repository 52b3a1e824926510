"""What a claim may cost is counted: a search ends when it is spent, and spends the same every time."""

from __future__ import annotations

import pytest

from verify.claims import Domain, Effort, Verdict, claim
from verify.provers.expressions import attempt
from verify.provers.meter import SpentError, metered, spend, unmetered
from verify.provers.proof import Proof, rules
from verify.provers.search import Search

HOPELESS = (  # true, by Hoeffding's lemma, and an equality at 0
    "log((exp(x) + exp(y) + exp(z))/3) <= (x + y + z)/3 + (x**2 + y**2 + z**2)/4",
    ["-1 <= x <= 3", "-1 <= y <= 3", "-1 <= z <= 3"],
)


def hopeless() -> object:
    says, domain = HOPELESS
    return claim("hopeless", "", says=says, domain=Domain.of(*domain))


def test_a_block_ends_where_its_meter_is_empty() -> None:
    reached = []
    with metered(100) as meter:
        for k in range(5):
            spend(40)
            reached.append(k)
    assert reached == [0, 1]
    assert meter.empty


def test_what_an_inner_block_spends_is_spent_for_the_outer_one() -> None:
    with metered(100) as outer:
        with metered(30) as inner:
            spend(31)
        assert inner.empty
        assert outer.left == 70
        with metered(1000) as inner:  # no more than there is
            spend(71)
        assert inner.empty
        assert outer.left == 0
        spend(1)
        raise AssertionError("there was nothing left")
    assert outer.empty


def test_what_was_paid_as_a_whole_is_not_paid_again() -> None:
    with metered(10) as meter:
        with unmetered():
            spend(1000)
        spend(10)
    assert not meter.empty


def test_an_empty_meter_is_no_answer_of_the_computer_algebra() -> None:
    def dear() -> None:
        spend(2)

    with metered(1) as meter:
        attempt(dear)
        raise AssertionError("the block goes on")
    assert meter.empty
    with pytest.raises(SpentError), unmetered():
        spend(10**19)


def _spent(check: Proof | Search) -> tuple[int, Verdict]:
    with metered(10**12) as meter:
        finding = check.run(hopeless(), Effort())  # type: ignore[arg-type]
    return 10**12 - meter.left, finding.verdict


def test_a_hopeless_goal_is_given_up_when_it_has_cost_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "_METER", 2_000)
    monkeypatch.setattr(rules, "_PER_BOX", 0)
    spent, verdict = _spent(Proof())
    assert verdict is Verdict.UNDECIDED
    assert 2_000 * rules.GOALS <= spent <= 2_000 * rules.GOALS + 2_100_000  # and looking for points


def test_what_is_spent_does_not_depend_on_what_was_computed_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "_METER", 4_000)
    monkeypatch.setattr(rules, "_PER_BOX", 0)
    once = [_spent(check) for check in (Search(), Proof())]
    again = [_spent(check) for check in (Search(), Proof())]
    assert once == again


def test_a_search_that_costs_too_much_ends_with_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.provers.search._POINT", 50)
    spent, verdict = _spent(Search())
    assert verdict is Verdict.TESTED
    assert spent <= 50 * 400 + 1_100_000
