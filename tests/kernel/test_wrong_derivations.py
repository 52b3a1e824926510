"""Wrong derivations of every kind: each is refused in one line that names the rule and the reason."""

from __future__ import annotations

import pytest

from tests.kernel.texts import SETTING
from tests.kernel.wrong_calculus import NUMBERS, OPERATORS
from tests.kernel.wrong_logic import FUNCTIONS, LOGIC
from tests.kernel.wrong_steps import Wrong, a, f, t
from verify.kernel.terms import KernelError
from verify.kernel.theorems import Theorem

TEXTS: list[Wrong] = [
    (".*is not a formula", lambda: f("s <= ")),
    (".*there is no Foo", lambda: t("Foo(s)")),
    (".*is no variable of worlds", lambda: t("unknown")),
    (".*Sum takes 3 arguments", lambda: t("Sum(i, n)")),
    (".*Sum begins with its variable", lambda: t("Sum(2, n, 1)")),
    (".*mentions its variable", lambda: t("Sum(i, i, 1)")),
    (".*is no term", lambda: f("s <= t <= r")),
    (".*is a formula, not a term", lambda: t("s <= t")),
    (".*is of sort Real, not truth", lambda: f("s")),
    (".*the level of E is random", lambda: t("E(W, N(0))")),
    (".*X takes 1 arguments, not 2", lambda: t("X(0, 1)")),
    (".*an argument of X is of sort Real, not Nat", lambda: t("X(s)")),
    (".*an argument of gs is of sort Action", lambda: t("gs(A(0))")),
    (".*is no number", lambda: t("z + 1")),
    (".*All over a real variable", lambda: t("Ind(All(s, s <= 1))")),
    (".*All over a real variable", lambda: t("Ind(All(n, All(s, s <= n)))")),
    (".*a power 1000; at most 64", lambda: t("s**1000")),
    (".*at most 64", lambda: t("Sum(i, 1000, f(i))")),
    (".*there is no FloorDiv here", lambda: t("n//2")),
    (".*is no term", lambda: t("True")),
    (".*is no term", lambda: t("(lambda: 1)()")),
    (".*is no term", lambda: t("s if s else t")),
]

WRONG = [*LOGIC, *FUNCTIONS, *NUMBERS, *OPERATORS]


@pytest.mark.parametrize(("reason", "build"), WRONG, ids=[f"{n}-{r[:40]}" for n, (r, _) in enumerate(WRONG)])
def test_a_wrong_derivation_is_refused(reason, build):
    with pytest.raises(KernelError, match=f"^({reason})") as complaint:
        build()
    assert "\n" not in str(complaint.value)


@pytest.mark.parametrize(("reason", "build"), TEXTS, ids=[f"{n}-{r[:40]}" for n, (r, _) in enumerate(TEXTS)])
def test_a_wrong_text_is_refused(reason, build):
    with pytest.raises(KernelError, match=f"^({reason})"):
        build()


def test_there_are_many():
    assert len(WRONG) >= 200


def test_theorems_are_made_by_rules_only():
    theorem = a("s <= t")
    with pytest.raises(KernelError, match="only rules make theorems"):
        Theorem(object(), SETTING, frozenset(), f("0 == 1"), theorem.step)
    with pytest.raises(KernelError, match="a theorem does not change"):
        theorem.says = f("0 == 1")
