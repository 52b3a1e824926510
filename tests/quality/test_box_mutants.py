"""False claims are never proved, and the conditions that keep them out are each needed.

The first half plants false claims.  The second removes one condition of the prover at a time and shows
that a planted claim then *is* proved: every guard is there for a reason, and the list would notice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from verify.claims import Domain, Effort, Finding, claim
from verify.provers.box import Box, leaves, rewriting, rules, tactics, vacuous
from verify.provers.intervals import Interval

FALSE = [
    ("1/x >= 0", ["-1 <= x <= 1"], ""),
    ("x*(1 - x) > 0", ["0 <= x <= 1"], ""),
    ("(x - 1/3)**2 >= 1e-13", ["0 <= x <= 1"], ""),
    ("abs(x - 0.3141592) >= 1e-6", ["0 <= x <= 1"], ""),
    ("x**2 <= x", ["0 <= x <= 1.000001"], ""),
    ("exp(x) >= 1 + x + x**2*0.505", ["0 <= x <= 1"], ""),
    ("exp(x) >= 1 + x + x**2*(1/2 + 1e-9)", ["0 <= x <= 1"], ""),
    ("log(x) < x - 1", ["0 < x <= 5"], ""),
    ("x/(exp(x) - 1) < 1", ["0 <= x <= 1"], ""),
    ("x**2 + y**2 - 2*x*y + 1e-9*(x - y) >= 0", ["0 <= x <= 1", "0 <= y <= 1"], ""),
    ("Max(x, 1 - x) > 1/2", ["0 <= x <= 1"], ""),
    ("x <= y", ["0 <= x <= 1", "0 <= y <= 1"], ""),
    ("(n - 17)**2 > 0", ["0 <= n <= 40"], "n"),
    ("n**2 - 7*n + 11.99 >= 0", ["n >= 0"], "n"),
    ("sqrt(x) >= x", ["0 <= x <= 1.0001"], ""),
    ("exp(-x) > 0.0000453999298", ["0 <= x <= 10"], ""),
    ("x*log(x) >= -0.3678", ["0 < x <= 1"], ""),
    ("p*log(p/q) + (1 - p)*log((1 - p)/(1 - q)) >= 2.02*(p - q)**2", ["0 < p < 1", "0 < q < 1"], ""),
]


def found(says: str, domain: list[str], integers: str = "") -> Finding:
    area = Domain.of(*domain, integers=integers)
    one = claim("c", "c", says=says, domain=area, checks=[Box(boxes=(600, 600))])
    return one.checks[0].run(one, Effort())


@pytest.mark.parametrize(("says", "domain", "integers"), FALSE, ids=[f[0] for f in FALSE])
def test_a_false_claim_is_refuted_or_undecided(says: str, domain: list[str], integers: str) -> None:
    finding = found(says, domain, integers)
    assert finding.verdict in ("refuted", "undecided")
    assert (finding.witness is not None) == (finding.verdict == "refuted")


def test_contradictory_hypotheses_prove_nothing() -> None:
    finding = found("x + y >= 10", ["0 <= x <= 1", "0 <= y <= 1", "x >= y + 2"])
    assert finding.verdict == "undecided"
    assert "hypotheses" in finding.evidence["reason"]


def test_a_hypothesis_is_not_used_along_a_line_that_leaves_it() -> None:
    # True at 0, rising where the hypothesis holds, falling in the gap between.
    gap = "(x - 1/4)*(x - 3/4) >= 0"
    finding = found("(x - 1/4)*(x - 3/4)*2 - x + 1/2 >= 0", ["0 <= x <= 1", gap])
    assert finding.verdict == "refuted"


# One guard less each: the planted claim goes through.

MUTANTS: list[tuple[str, Any, str, Callable[..., Any], tuple[str, list[str]]]] = [
    (
        "smoothness is taken for granted",
        rules,
        "smooth",
        lambda goal: True,
        ("1/x >= -10**9", ["-1 <= x <= 1"]),
    ),
    (
        "a ball that is not finite counts",
        leaves,
        "shows",
        lambda value, *, strict: not value < 0,
        ("log(x) >= -5", ["0 <= x <= 1"]),
    ),
    (
        "an open end counts for a strict goal at a closed one",
        Interval,
        "positive",
        lambda self, *, strict: self.low >= 0,
        ("x > 0", ["0 <= x <= 1"]),
    ),
    (
        "the sign of a factor is not looked at",
        rewriting,
        "positive_factor",
        lambda factor, goal: True,
        ("(x - 1/10000)*exp(x) >= 0", ["0 <= x <= 1"]),
    ),
    (
        "the integers are left out",
        tactics.Prover,
        "_case",
        lambda self, goal, name, value, depth: {"by": "range"},
        ("(n - 3)**2 >= 1", ["n >= 0"]),
    ),
    (
        "a contact is used for strict goals",
        rules,
        "_contact_sign",
        lambda goal, contact, r: 1 if contact.order % 2 == 0 else 0,
        ("log(x) < x - 1", ["1/2 <= x <= 5"]),
    ),
]


@pytest.mark.parametrize(
    ("reason", "place", "name", "wrong", "planted"), MUTANTS, ids=[m[0] for m in MUTANTS]
)
def test_without_its_guard_the_prover_would_be_wrong(
    reason: str,
    place: Any,
    name: str,
    wrong: Callable[..., Any],
    planted: tuple[str, list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    says, domain = planted
    integers = "n" if "n >= 0" in domain else ""
    assert found(says, domain, integers).verdict != "proved", "the planted claim must be false"
    monkeypatch.setattr(place, name, wrong)
    assert found(says, domain, integers).verdict == "proved", reason


def test_a_proof_with_one_real_leaf_is_not_vacuous() -> None:
    empty = {"by": "empty", "hypothesis": 0, "proof": {"by": "range"}}
    assert vacuous({"by": "split", "variable": "x", "at": "1", "parts": [empty, empty]})
    assert not vacuous({"by": "split", "variable": "x", "at": "1", "parts": [empty, {"by": "range"}]})
