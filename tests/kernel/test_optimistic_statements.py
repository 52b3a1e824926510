"""The settings of the optimistic learner, and what is derived in them, evaluated on random small models.

Nothing may be false, and changed facts and statements are found to be false.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from proofs_checks import SOURCE
from proofs_checks.derivations.optimistic_row_sets import Divergences, Tilts, Uniform
from proofs_checks.derivations.setting import POLICIES
from proofs_checks.derivations.setting_optimistic import (
    LAZY,
    LAZY_POISSON,
    LAZY_POISSON_KL,
    LAZY_TILTED,
    OPTIMISTIC,
    OPTIMISTIC_KL,
    OPTIMISTIC_TILTED,
    POISSON,
    POISSON_KL,
    POISSON_TILTED,
)
from proofs_checks.derivations.setting_plans import MORE
from tests.kernel.balls import Ball
from tests.kernel.numeric import Evaluator, parsed
from tests.kernel.optimistic_worlds import (
    AllTiltedWorld,
    CountlessWorld,
    DivergentTiltedWorld,
    DivergentWorld,
    LazyDivergentTiltedWorld,
    LazyTiltedRowsWorld,
    LazyTiltedWorld,
    LazyWorld,
    OptimisticWorld,
    TiltedRowsWorld,
    TiltedWorld,
    TimelessWorld,
    verdicts,
    world_of,
)
from tests.kernel.statements import Clause, Draw, clauses
from tests.kernel.test_paper_statements import fact_verdicts
from verify.running.loading import load_claims

SETTINGS = {
    OptimisticWorld: OPTIMISTIC,
    TiltedWorld: POISSON,
    DivergentWorld: OPTIMISTIC_KL,
    DivergentTiltedWorld: POISSON_KL,
    TiltedRowsWorld: OPTIMISTIC_TILTED,
    AllTiltedWorld: POISSON_TILTED,
    LazyWorld: LAZY,
    LazyTiltedWorld: LAZY_POISSON,
    LazyDivergentTiltedWorld: LAZY_POISSON_KL,
    LazyTiltedRowsWorld: LAZY_TILTED,
}
WORLDS = (0, 1, 2, 3)
OWN = [
    (kind, name)
    for kind, setting in SETTINGS.items()
    for name in setting.facts
    if name not in POLICIES.facts or name == "acts"
]


def first_kind(fits):
    """The first of the worlds that fits: what several speak of is looked at in the others thoroughly."""
    return next(kind for kind, setting in SETTINGS.items() if fits(setting))


def in_turn(kind, name):
    """A fact in a world, thorough if the same stands in one before."""
    fact = SETTINGS[kind].facts[name]
    again = first_kind(lambda setting: setting.facts.get(name) == fact) is not kind
    return pytest.param(kind, name, marks=pytest.mark.thorough) if again else (kind, name)


class Worlds(dict[type[OptimisticWorld], list[OptimisticWorld]]):
    """Made when they are needed."""

    def __missing__(self, kind: type[OptimisticWorld]) -> list[OptimisticWorld]:
        self[kind] = [world_of(kind, seed) for seed in WORLDS]
        return self[kind]


@pytest.fixture(scope="module")
def worlds() -> Worlds:
    return Worlds()


@pytest.fixture(scope="module")
def claims():
    return load_claims(SOURCE)


# --- facts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "name"), [in_turn(*one) for one in OWN])
def test_a_fact_of_the_learner_is_true(kind, name, worlds):
    says = SETTINGS[kind].facts[name].says
    total = sum((fact_verdicts(world, says) for world in worlds[kind]), Counter())
    assert not total["false"]
    assert total["held"]


PLANTED = {
    "Qh-0": ("== 0", "== 1"),
    "Qh-step": ("exp(-c*h)*Qh", "exp(-2*c*h)*Qh"),
    "Qh-size": ("<= cap(n)", "<= cap(n)/2"),
    "Vq": ("MaxOver(a, Qh(n, x, a, t))", "MaxOver(a, Qh(n, x, a, t/2))"),
    "attained": ("== lt(n, x, a, t)*", "== 2*lt(n, x, a, t)*"),
    "candidates": ("<= ham(n, x, a, t)", "<= ham(n, x, a, t)/2"),
    "lt-low": ("rlo(n, x, a) <= ", "rhi(n, x, a) <= "),
    "lt-high": ("<= rhi(n, x, a)", "<= rlo(n, x, a)"),
    "rhi-high": ("<= lmax", "<= lmax/2"),
    "pt-low": ("0 <= ", "1/2 <= "),
    "pt-sum": ("== 1", "== 2"),
    "greedy": ("== Vq(n, x, t)", "== Vq(n, x, t)/2"),
    "frozen-Qh": ("== Qh(n, x, a, t)", "== Qh(n, x, a, t)/2"),
    "au": ("Max(1, Nf(pl(n), x, a))", "Max(2, Nf(pl(n), x, a))"),
    "pt-near": ("<= au(n, x, a)", "<= au(n, x, a)/4"),
    "rlo": ("lh(pl(n), x, a) - be(pl(n), x, a)", "lh(pl(n), x, a)"),
    "rhi": ("+ be(pl(n), x, a)", "- be(pl(n), x, a)"),
    "llow": ("llow <= lam(x, a)", "lam(x, a) < llow"),
    "nt": ("2 <= nt", "nt <= 2"),
    "rates": ("w <= rhi(n, x, a)", "w < rlo(n, x, a)"),
    "eta": ("0 <= eta", "0 < eta"),
    "planned": ("<= n", "< n"),
    "planned-new": ("== 1", "== 0"),
    "eager": ("ep(pl(n)) ==", "ep(pl(n)) + 1 =="),
    "eager-eta": ("== 0", "== 1"),
}


def changed(says: str, old: str, new: str) -> str:
    assert old in says
    return says.replace(old, new)


PLANTED_ROWS = [
    (DivergentWorld, "pt-near", "<= log(S*A/delta)", "<= log(S*A/delta)/9"),
    (DivergentWorld, "pt-near", "0 < pt(n, x, a, y, t)", "1 < pt(n, x, a, y, t)"),
    (DivergentWorld, "au", "Ind(1 <= l)*log", "2*Ind(1 <= l)*log"),
    (TiltedRowsWorld, "au", "3/2*sqrt", "sqrt"),
    (TiltedRowsWorld, "nr", "16*K*", "16*K*2**nr*"),
    (LazyWorld, "kept-N", "(1 + eta)*", ""),
    (LazyWorld, "kept-T", "(1 + eta)*", ""),
    (LazyWorld, "kept-T", "L/lmax", "0"),
    (LazyTiltedWorld, "kept-T", "(1 + eta)*", ""),
    (LazyTiltedRowsWorld, "au", "Nf(pl(n), x, a)", "Nf(n, x, a)"),
]


@pytest.mark.parametrize(
    ("kind", "name", "old", "new"),
    [
        *(
            (next(k for k, s in SETTINGS.items() if name in s.facts), name, *PLANTED[name])
            for name in PLANTED
        ),
        *PLANTED_ROWS,
    ],
)
def test_a_changed_fact_is_found(kind, name, old, new, worlds):
    wrong = changed(SETTINGS[kind].facts[name].says, old, new)
    assert any(fact_verdicts(world, wrong, 60, salt)["false"] for world in worlds[kind] for salt in range(3))


# --- plans that are kept ----------------------------------------------------------------------------

WIDTH = "be(pl(n), x, a) <= 1.000001*lmax/sqrt(Max(lmax/({more}L)*Tf(n, x, a), 1))"  # and rounding
ROW = "au(n, x, a) <= {radius}"
_JUMPS = "Max(1, Nf(n, x, a))"
_ROWS = ((LazyWorld, Uniform()), (LazyDivergentTiltedWorld, Divergences()), (LazyTiltedRowsWorld, Tilts()))
_KEPT = [(LazyWorld, WIDTH.format(more=f"{MORE}*"), WIDTH.format(more=""))]
_KEPT += [
    (kind, *(ROW.format(radius=one) for one in (rows.level.kept(_JUMPS, MORE), rows.level.radius(_JUMPS))))
    for kind, rows in _ROWS
]


def of_fact(worlds, says, draws=1000):
    return sum((fact_verdicts(world, says, draws, salt) for world in worlds for salt in range(3)), Counter())


@pytest.mark.parametrize(("kind", "says", "wrong"), _KEPT)
def test_the_price_of_a_plan_has_a_factor_by_the_data_of_the_decision(kind, says, wrong, worlds):
    found = of_fact(worlds[kind], says)
    assert found["held"]
    assert not found["false"]
    assert of_fact(worlds[kind], wrong)["false"]


def test_plans_are_kept(worlds):
    assert of_fact(worlds[LazyWorld], OPTIMISTIC.facts["eager"].says)["false"]


@pytest.mark.parametrize(
    ("kind", "seed", "name"), [(TimelessWorld, 0, "kept-T"), (CountlessWorld, 3, "kept-N")]
)
def test_a_rule_that_forgets_is_found(kind, seed, name):
    assert of_fact([world_of(kind, seed)], LAZY.facts[name].says)["false"]


def test_a_plan_of_a_later_episode_is_found():
    world = world_of(LazyWorld, 1)
    world.changed["pl"] = lambda world, args, env: Ball.of(args[0].m + 1)
    assert fact_verdicts(world, LAZY.facts["planned"].says)["false"]


# --- the maximum over the sets ----------------------------------------------------------------------

RATES = ("rlo(n, x, a)", "rhi(n, x, a)", "(rlo(n, x, a) + 2*rhi(n, x, a))/3", "lt(n, x, a, H/3)", "lam(x, a)")
ROWS = ("pt(n, x, a, y, H/2)", "(p(x, a, y) + pt(n, x, a, y, H))/2", "p(x, a, y)")


def candidate(says: str, rate: str, row: str) -> str:
    """The fact for one rate and one row."""
    return (
        says.replace("gd(y)", row)
        .replace("w*(", f"({rate})*(")
        .replace("<= w", f"<= {rate}")
        .replace("w <=", f"{rate} <=")
    )


def of_candidate(world: OptimisticWorld, says: str, salt: int) -> Counter[str]:
    """How often a candidate was in the set, and gave no more, or more."""
    world.begin(says, salt)
    draw = Draw(world, Clause((), parsed(says)), 12)
    inside, most = parsed(says).args
    evaluator = Evaluator(world)
    known = np.broadcast_to(evaluator.of(inside, draw.env), (12,))
    got = np.broadcast_to(evaluator.of(most, draw.env), (12,))
    return Counter(
        {1: "held", 0: "undecided", -1: "false"}[int(g)] for k, g in zip(known, got, strict=True) if k > 0
    )


@pytest.mark.parametrize("kind", [OptimisticWorld, DivergentWorld])
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("row", ROWS)
def test_no_candidate_gives_more_than_the_maximum(kind, rate, row, worlds):
    says = candidate(SETTINGS[kind].facts["maximum"].says, rate, row)
    total = sum((of_candidate(world, says, 0) for world in worlds[kind]), Counter())
    assert total["held"]
    assert not total["false"]


@pytest.mark.parametrize("kind", [OptimisticWorld, DivergentWorld])
def test_a_smaller_maximum_is_found(kind, worlds):
    says = changed(SETTINGS[kind].facts["maximum"].says, "<= ham(n, x, a, t)", "<= ham(n, x, a, t) - t/10")
    ways = [candidate(says, rate, row) for rate in RATES for row in ROWS[:1]]
    assert any(of_candidate(world, one, 0)["false"] for one in ways for world in worlds[kind])


# --- statements -------------------------------------------------------------------------------------

NEVER_CHOSEN = {  # clauses that were never decided: δ = 1/(2K) is not drawn
    f"thm:CT-UCB/optimistic{sets}{plans}": [1]
    for sets in ("", "/poisson", "/kl", "/kl-poisson", "/tilts", "/tilts-poisson")
    for plans in ("", "/lazy")
}


def of_setting(claims, kind):
    """What is said of the learner."""
    setting = SETTINGS[kind]
    mine = [c for c in claims if c.theorem and setting.extends(c.setting) and not POLICIES.extends(c.setting)]
    return {c.label: c.theorem for c in mine}


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("kind", SETTINGS)
def test_no_statement_of_the_learner_is_false(kind, every, worlds, claims):
    found = of_setting(claims, kind)
    assert len(found) >= 10
    for label, text in found.items():
        own = claims[label].setting
        if not every and first_kind(lambda setting, own=own: setting.extends(own)) is not kind:
            continue
        total = sum((verdicts(world, text, 3) for world in worlds[kind]), Counter())
        never = [k for k in range(len(clauses(parsed(text)))) if not total[f"clause {k}"]]
        assert not total["false"], label
        assert never == NEVER_CHOSEN.get(label, []), label


PLANTED_STATEMENTS = [
    ("lem:optimism/equation/bounds", "<= t)", "<= t/2)"),
    ("lem:optimism/equation", "Vs(x, t) <= Vq(n, x, t)", "Vs(x, t) + t/2 <= Vq(n, x, t)"),
    ("lem:optimism/equation/rises", "Qh(n, x, a, t) + h)", "Qh(n, x, a, t) + h/4)"),
    ("lem:optimism/equation/slopes", "<= 1,", "<= 1/4,"),
    ("lem:v-v-continuoustime/equation/step", "+ gpay(n, x, a)*Int(s, t", "- t + gpay(n, x, a)*Int(s, t"),
    ("lem:v-v-continuoustime/equation", "+ H*E(Ind(ep(m)", "- H*E(Ind(ep(m)"),
    ("thm:CT-UCB/equation", "<= v + q*K*H", "<= -v - q*K*H"),
    ("eq:error1/equation", "<= (rhi(n, x, a) - rlo(n, x, a))*t", "<= -(rhi(n, x, a) - rlo(n, x, a))*t"),
    ("eq:error2/equation", "<= au(n, x, a)*t", "<= -au(n, x, a)*t"),
    ("thm:CT-UCB/optimistic", "<= sqrt(2)*H*", "<= -sqrt(2)*H*"),
    ("thm:CT-UCB/optimistic/poisson", "<= sqrt(2)*H*", "<= -99*sqrt(2)*H*"),
    ("thm:CT-UCB/optimistic/kl", "<= sqrt(2)*H*", "<= -sqrt(2)*H*"),
    ("thm:CT-UCB/optimistic/kl-poisson", "<= sqrt(2)*H*", "<= -99*sqrt(2)*H*"),
    ("thm:CT-UCB/optimistic/tilts", "<= sqrt(2)*H*", "<= -sqrt(2)*H*"),
    ("thm:CT-UCB/optimistic/tilts-poisson", "<= sqrt(2)*H*", "<= -99*sqrt(2)*H*"),
    ("thm:CT-UCB/optimistic/lazy", "<= sqrt(2)*H*", "<= -sqrt(2)*H*"),
    ("thm:CT-UCB/optimistic/poisson/lazy", "<= sqrt(2)*H*", "<= -99*sqrt(2)*H*"),
    ("thm:CT-UCB/optimistic/kl/lazy", "<= sqrt(2)*H*", "<= -sqrt(2)*H*"),
    ("thm:CT-UCB/optimistic/kl-poisson/lazy", "<= sqrt(2)*H*", "<= -99*sqrt(2)*H*"),
    ("thm:CT-UCB/optimistic/tilts/lazy", "<= sqrt(2)*H*", "<= -sqrt(2)*H*"),
    ("thm:CT-UCB/optimistic/tilts-poisson/lazy", "<= sqrt(2)*H*", "<= -99*sqrt(2)*H*"),
]


@pytest.mark.parametrize(("label", "old", "new"), PLANTED_STATEMENTS)
def test_a_changed_statement_is_found(label, old, new, worlds, claims):
    own = claims[label].setting
    kinds = [k for k, setting in SETTINGS.items() if own is setting]
    kind = (kinds or [k for k, setting in SETTINGS.items() if setting.extends(own)])[0]
    wrong = changed(claims[label].theorem, old, new)
    assert any(verdicts(world, wrong, 3, salt)["false"] for salt in range(3) for world in worlds[kind])
