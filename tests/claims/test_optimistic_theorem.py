"""What the theorems of the optimistic learner rest on, and how large they are."""

from __future__ import annotations

from math import exp, log, sqrt

import pytest

from proofs_checks.derivations import optimistic_poisson, optimistic_theorem
from proofs_checks.derivations.optimistic_row_sets import Divergences, Tilts, Uniform
from proofs_checks.derivations.optimistic_rows import MEAN
from proofs_checks.derivations.pinsker import binomial
from tests.claims.proofs import CLAIMS, granted_below
from verify.claims import Effort
from verify.running.derivations import all_granted

THEOREM = "thm:CT-UCB/optimistic"
EAGER = (
    THEOREM,
    *(f"{THEOREM}/{sets}" for sets in ("poisson", "kl", "kl-poisson", "tilts", "tilts-poisson")),
)
THEOREMS = (*EAGER, *(f"{label}/lazy" for label in EAGER))
UNIFORM, KL, TILTS = Uniform(), Divergences(), Tilts()
_MISSING = ("lmin", "rate-low", "accuracy", "C", "stop", "Vh-step")  # λmin, ε, the bonus, value iteration


@pytest.mark.parametrize("label", THEOREMS)
def test_it_rests_on_the_law_of_a_sojourn_and_on_definitions(label):
    below = CLAIMS.closure([label])
    assert [one for one in below if not CLAIMS[one].expects("quick").holds] == []
    facts, words = all_granted(CLAIMS, [label], Effort(), granted_below([label]))
    laws = {"law", "shorter", "jump", "spent-low", "spent-high", "ends-spent"}
    assert {one.name for one in facts if one.kind == "law"} <= laws
    assert words == []
    assert not {one.name for one in facts} & set(_MISSING)
    assert {"Qh-step", "maximum", "attained", "kept-N", "kept-T"} <= {one.name for one in facts}
    assert ("eager-eta" in {one.name for one in facts}) == (label in EAGER)


def value(text: str, **sizes: float) -> float:
    """A bound of the derivations, in doubles; of two states C(M+1, 1) is M + 1."""
    text = text.replace(binomial(MEAN), f"log(1 + {MEAN})").replace(binomial("1"), "log(2)")
    return eval(text, {"exp": exp, "log": log, "sqrt": sqrt, **sizes})


def machine_repair(episodes: int) -> dict[str, float]:
    """Two states, two actions, rates up to 7, horizon 1; δ = 1/(2K)."""
    delta = 1 / (2 * episodes)
    return {
        "S": 2,
        "A": 2,
        "K": episodes,
        "H": 1,
        "lmax": 7,
        "delta": delta,
        "h": 1,
        "nt": 15,
        "nr": 15,
        "L": 4 * log(8 * episodes / delta),
    }


@pytest.mark.parametrize(
    ("bound", "episodes", "least", "most"),
    [
        (optimistic_theorem.bound(UNIFORM, ""), 10**6, 2.36e5, 2.38e5),
        (optimistic_theorem.bound(UNIFORM, ""), 50_000, 4.5e4, 5e4),
        (optimistic_theorem.bound(KL, ""), 10**6, 2.22e5, 2.24e5),
        (optimistic_theorem.bound(TILTS, ""), 10**6, 2.14e5, 2.17e5),
        (optimistic_poisson.bound(UNIFORM, ""), 10**6, 1.18e5, 1.21e5),
        (optimistic_poisson.bound(UNIFORM, ""), 14_000, 1.3e4, 1.4e4),
        (optimistic_poisson.bound(KL, ""), 11_500, 1.08e4, 1.15e4),
        (optimistic_poisson.bound(TILTS, ""), 10_500, 1e4, 1.05e4),
    ],
)
def test_they_say_something_about_machine_repair(bound, episodes, least, most):
    got = value(bound, **machine_repair(episodes)) + 1
    assert least < got < most
    assert got < episodes


@pytest.mark.parametrize("module", [optimistic_theorem, optimistic_poisson])
@pytest.mark.parametrize("rows", [UNIFORM, KL, TILTS])
def test_plans_that_are_kept_cost_the_root_of_what_data_may_grow(module, rows):
    sizes = machine_repair(10**6)
    eager, kept = (
        value(module.bound(rows, ""), **sizes),
        [value(module.bound(rows), **sizes, eta=eta) for eta in (0, 0.01, 1)],
    )
    assert kept[0] == pytest.approx(eager)
    assert eager < kept[1] < 1.0052 * eager
    assert 1.3 * eager < kept[2] < 1.5 * eager
