"""What a claim may cost is counted: a search ends when it is spent, and spends the same every time."""

from __future__ import annotations

import pytest
import sympy
from sympy.core.random import rng

from verify.claims import Domain, Effort, Verdict, claim
from verify.provers import expressions
from verify.provers.expressions import attempt
from verify.provers.meter import SpentError, metered, spend, unmetered
from verify.provers.proof import Proof, rules, state
from verify.provers.search import Search
from verify.recheck import algebra, bernstein, functions, recheck, series, terms
from verify.recheck.witnesses import FAILURES
from verify.recheck.work import TooLongError
from verify.running import engine
from verify.running.results import Result

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


# ---------------------------------------------------------------- what the computer algebra is not asked


def test_factoring_is_asked_for_in_the_same_way_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """SymPy draws numbers where it factors; a mutant that does not begin them anew draws others."""
    x, y = sympy.symbols("x y")

    def drawn() -> list[int]:
        seen: list[int] = []

        def factor(e: object) -> object:
            seen.append(rng.randrange(10**9))
            return e

        monkeypatch.setattr(expressions, "_DRAWING", (factor,))
        for _ in range(2):
            attempt(factor, x**2 - y**2)
        return seen

    first, second = drawn()
    assert first == second
    monkeypatch.setattr(expressions, "seed", lambda _: None)
    first, second = drawn()
    assert first != second


STEEP = ("x**30*y + x + 1", "x*y + 10**90*x + 7", "a*b*c*x**9 + y")
FLAT = ("x**30 + 10**90*x + 1", "x**20*y + 3**100", "a*b*c + x**8")


def refused() -> list[bool]:
    return [expressions.steep(sympy.sympify(text)) for text in (*STEEP, *FLAT)]


@pytest.mark.parametrize("lost", ["_STEEP", "_WIDE"])
def test_factoring_that_may_not_end_is_not_asked_for(lost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(sympy, "factor", asked.append)
    assert refused() == [True] * len(STEEP) + [False] * len(FLAT)
    for text in STEEP:
        assert state.algebra(sympy.factor, sympy.sympify(text)) is None
    assert asked == []
    monkeypatch.setattr(expressions, lost, 10**9)
    assert refused() != [True] * len(STEEP) + [False] * len(FLAT)


# ---------------------------------------------------------------- the checker counts its own work

LONG = {"says": "x**2 + y**2 >= 2*x*y", "domain": ["x >= 0", "y >= 0"]}


def checked(monkeypatch: pytest.MonkeyPatch, units: int) -> Result:
    monkeypatch.setattr(engine, "_CHECKING", (units, units))
    made = claim("long", "", says=LONG["says"], domain=Domain.of(*LONG["domain"]), checks=(Proof(),))
    return engine.run_claim(made, Effort())


def test_what_takes_too_long_to_be_checked_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checked(monkeypatch, 10**6).verdict is Verdict.PROVED
    result = checked(monkeypatch, 10)
    assert result.verdict is Verdict.UNDECIDED
    assert "too long to be checked" in result.evidence["rejected"][0]


def test_work_that_is_not_counted_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (terms, series, algebra, bernstein, functions):
        monkeypatch.setattr(module, "work", lambda units: None)
    assert checked(monkeypatch, 10).verdict is Verdict.PROVED


def test_no_rule_takes_the_end_of_the_work_for_an_answer() -> None:
    assert not issubclass(TooLongError, FAILURES)
    relation = "x**2 + y**2 + Abs(x) >= 2*x*y"
    for units in range(0, 400, 20):  # wherever it ends, it is said, and nothing is accepted
        forged = {
            "format": "ctucbvi-proof-1",
            "relation": relation,
            "domain": LONG["domain"],
            "box": LONG["domain"],
        }
        found = recheck({**forged, "proof": {"by": "range"}}, limit=units)
        assert len(found) == 1
    assert "too long" in recheck({**forged, "proof": {"by": "range"}}, limit=20)[0]
