"""What is said of any learner, and of the variants of CT-UCBVI, evaluated on random small models."""

from __future__ import annotations

from collections import Counter

import pytest

from proofs_checks import SOURCE
from proofs_checks.derivations.setting import HALVED, LEARNS, LUMP, PAPER, RAISED
from proofs_checks.derivations.setting_learners import (
    LAZY_HALVED,
    LAZY_LUMP,
    LAZY_PAPER,
    LAZY_RAISED,
    LAZY_SHARPENED,
    SHARPENED,
)
from tests.kernel.clauses import clauses, missing
from tests.kernel.numeric import parsed
from tests.kernel.paper_worlds import PaperWorld
from tests.kernel.statements import tried
from tests.kernel.test_paper_statements import fact_verdicts
from tests.kernel.variant_worlds import (
    CountlessWorld,
    EndlessWorld,
    HalvedWorld,
    LazyHalvedWorld,
    LazyLumpWorld,
    LazyRaisedWorld,
    LazySharpWorld,
    LazyWorld,
    LearnerDraw,
    LumpWorld,
    RaisedWorld,
    SharpWorld,
    TimelessWorld,
    world_of,
)
from verify.running.loading import load_claims

SETTINGS = {
    HalvedWorld: HALVED,
    LumpWorld: LUMP,
    RaisedWorld: RAISED,
    SharpWorld: SHARPENED,
    LazyWorld: LAZY_PAPER,
    LazyHalvedWorld: LAZY_HALVED,
    LazySharpWorld: LAZY_SHARPENED,
    LazyLumpWorld: LAZY_LUMP,
    LazyRaisedWorld: LAZY_RAISED,
}
WORLDS = (0, 1, 2, 3, 5)
OWN = [
    (kind, name) for kind, setting in SETTINGS.items() for name in setting.facts if name not in LEARNS.facts
]


@pytest.fixture(scope="module")
def worlds() -> dict[type[PaperWorld], list[PaperWorld]]:
    return {kind: [world_of(kind, seed) for seed in WORLDS] for kind in (*SETTINGS, PaperWorld)}


@pytest.fixture(scope="module")
def claims():
    return load_claims(SOURCE)


@pytest.mark.parametrize(("kind", "name"), [*OWN, *((kind, "acts") for kind in SETTINGS)])
def test_a_fact_of_the_learner_is_true(kind, name, worlds):
    says = SETTINGS[kind].facts[name].says
    total = sum((fact_verdicts(world, says) for world in worlds[kind]), Counter())
    assert not total["false"]
    assert total["held"]


PLANTED = [
    (HalvedWorld, "bo", "/2", ""),
    (HalvedWorld, "Vh-step", "Min(t, ", "(t + "),
    (LumpWorld, "Vh-step", "Min(al(n, x, a), 2)/2", "Min(al(n, x, a), 2)"),
    (LumpWorld, "Vh-step", "Min(t**2/2*be(n, x, a), t) + ", ""),
    (RaisedWorld, "lt", "Max(lh(n, x, a), lmin)", "lh(n, x, a)"),
    (RaisedWorld, "Vh-step", "Min(t, ", "(t + "),
    (SharpWorld, "bo", "Min(al(n, x, a), 2)", "al(n, x, a)"),
    (SharpWorld, "bo", "(1 - r(x, a))*", ""),
    (SharpWorld, "bo", "Min(lh(n, x, a) + be(n, x, a), lmax)", "(lh(n, x, a) + be(n, x, a))"),
    (LazyWorld, "bo", "be(pl(n), ", "be(n, "),
    (LazyWorld, "stop", "eps(ep(pl(n)))", "-eps(ep(pl(n)))"),
    (LazyWorld, "frozen-pl", "jump(n) == 1", "jump(n) == 0"),
    (LazyHalvedWorld, "bo", "/2", ""),
    (LazySharpWorld, "bo", "al(pl(n), ", "al(n, "),
    (LazySharpWorld, "Vh-step", "lh(pl(n), ", "lh(n, "),
    (LazyLumpWorld, "Vh-step", "al(pl(n), ", "al(n, "),
    (LazyRaisedWorld, "Vh-step", "Min(t, ", "(t + "),
    *((LazyWorld, f"kept-{name}", "(1 + eta)*", "") for name in "NTk"),
]


@pytest.mark.parametrize(("kind", "name", "old", "new"), PLANTED)
def test_a_changed_fact_is_found(kind, name, old, new, worlds):
    says = SETTINGS[kind].facts[name].says
    assert old in says
    changed = says.replace(old, new)
    assert any(fact_verdicts(world, changed, 40, k)["false"] for world in worlds[kind] for k in range(3))


@pytest.mark.parametrize(
    ("kind", "name"), [(TimelessWorld, "kept-T"), (CountlessWorld, "kept-N"), (EndlessWorld, "kept-k")]
)
def test_a_rule_that_forgets_is_found(kind, name):
    says = LAZY_PAPER.facts[name].says
    assert any(fact_verdicts(world_of(kind, seed), says, 1000)["false"] for seed in range(6))


NOT_EVALUATED = (  # they ask for longer horizons than the small models have
    "eq:regret-b1/lump-sum",
    "remark:lambda-min/order",
)


@pytest.mark.parametrize("kind", SETTINGS)
def test_no_statement_of_the_learner_is_false(kind, worlds, claims):
    own = {c.label: c.theorem for c in claims if c.theorem and c.setting is SETTINGS[kind]}
    assert len(own) >= 2
    for label, text in own.items():
        total = sum((tried(world, text, 1, 8) for world in worlds[kind]), Counter())
        assert not total["false"], label
        assert not missing(text, total), label


PLANTED_STATEMENTS = [
    (HalvedWorld, "thm:CT-UCB/halved/learner", "((C*H + 1)/2)*rem(n)", "(-(C*H + 1)/2)*rem(n)"),
    (HalvedWorld, "thm:CT-UCB/halved/learner", "+ eps(ep(n))*lmax*H", "- H"),
    (HalvedWorld, "thm:CT-UCB/halved", "((C*H + 1)/2) + (0)", "(-(C*H + 1)/2) + (0)"),
    (LumpWorld, "thm:CT-UCB/lump-sum/learner", "(1)*rem(n)", "(-1)*rem(n)"),
    (LumpWorld, "thm:CT-UCB/lump-sum/learner", "+ eps(ep(n))*lmax*H", "- H"),
    (LumpWorld, "thm:CT-UCB/lump-sum", "(1) + (0)", "(-1) + (0)"),
    (RaisedWorld, "remark:lambda-min/learner", "(1)*rem(n) + (C*H/lmin)", "(-1)*rem(n) + (-C*H/lmin)"),
    (RaisedWorld, "remark:lambda-min/learner", "+ eps(ep(n))*lmax*H", "- H"),
    (RaisedWorld, "remark:lambda-min/regret", "(1) + (C*H/lmin)", "(-1) + (-C*H/lmin)"),
    (SharpWorld, "thm:CT-UCB/sharp-bonus/learner", "((C*H + 1)/2)*rem(n)", "(-(C*H + 1)/2)*rem(n)"),
    (SharpWorld, "thm:CT-UCB/sharp-bonus", "((C*H + 1)/2) + (0)", "(-(C*H + 1)/2) + (0)"),
    (LazyWorld, "lem:v-v-continuoustime/learner/lazy", "(C*H + 1)*rem(n)", "(-(C*H + 1))*rem(n)"),
    (LazyWorld, "lem:v-v-continuoustime/learner/lazy", "+ eps(ep(pl(n)))*lmax*H", "- H"),
    (LazyWorld, "thm:CT-UCB/sharp/lazy", "<= sqrt(1 + eta)*", "<= -sqrt(1 + eta)*"),
    (LazyHalvedWorld, "thm:CT-UCB/halved/learner/lazy", "((C*H + 1)/2)*rem(n)", "(-(C*H + 1)/2)*rem(n)"),
    (LazyHalvedWorld, "thm:CT-UCB/halved/lazy", "<= sqrt(1 + eta)*", "<= -sqrt(1 + eta)*"),
    (LazySharpWorld, "thm:CT-UCB/sharp-bonus/learner/lazy", "((C*H + 1)/2)*rem(n)", "(-(C*H + 1)/2)*rem(n)"),
    (LazySharpWorld, "thm:CT-UCB/sharp-bonus/lazy", "<= sqrt(1 + eta)*", "<= -sqrt(1 + eta)*"),
    (LazyLumpWorld, "thm:CT-UCB/lump-sum/learner/lazy", "(1)*rem(n)", "(-1)*rem(n)"),
    (LazyLumpWorld, "thm:CT-UCB/lump-sum/lazy", "<= sqrt(1 + eta)*", "<= -sqrt(1 + eta)*"),
    (
        LazyRaisedWorld,
        "remark:lambda-min/learner/lazy",
        "(1)*rem(n) + (C*H/lmin)",
        "(-1)*rem(n) + (-C*H/lmin)",
    ),
    (LazyRaisedWorld, "remark:lambda-min/regret/lazy", "<= sqrt(1 + eta)*", "<= -sqrt(1 + eta)*"),
]


@pytest.mark.parametrize(("kind", "label", "old", "new"), PLANTED_STATEMENTS)
def test_a_changed_statement_is_found(kind, label, old, new, worlds, claims):
    text = claims[label].theorem
    assert old in text
    assert any(
        tried(world, text.replace(old, new), 3, 8, salt)["false"]
        for salt in range(3)
        for world in worlds[kind]
    )


# --- any learner ----------------------------------------------------------------------------------


def of_any_learner(worlds: list[PaperWorld], text: str, salt: int = 0) -> Counter[str]:
    """Verdicts with the value of CT-UCBVI."""
    total: Counter[str] = Counter()
    for world in worlds:
        world.begin(text, salt)
        for clause in clauses(parsed(text)):
            for _ in range(6):
                total += LearnerDraw(world, clause, 3).verdicts()
                world.forget()
    return total


OF_ANY = {  # each with a change of its conclusion that is noticed
    "eq:r1/any-learner": ("+ q*K*H", "- H"),
    "eq:r2/sum/any-learner": ("+ H*E(", "- H*E("),
    "eq:r2/any-learner": ("<= v + e*Sum(k", "<= -v - e*Sum(k"),
    "thm:CT-UCB/main/any-learner": ("(c) + (w)", "(-c) + (-w)"),
    "thm:CT-UCB/any-learner": ("(c) + (w)", "(-c) + (-w)"),
    "thm:CT-UCB/any-learner/lazy": ("<= sqrt(1 + eta)*", "<= -sqrt(1 + eta)*"),
}


def test_these_are_all(claims):
    assert [c.label for c in claims if c.theorem and "any-learner" in c.label] == list(OF_ANY)


@pytest.mark.parametrize("label", OF_ANY)
def test_no_statement_of_any_learner_is_false(label, worlds, claims):
    text, (old, new) = claims[label].theorem, OF_ANY[label]
    kind = LazyWorld if label.endswith("/lazy") else PaperWorld
    assert (LAZY_PAPER if kind is LazyWorld else PAPER).extends(claims[label].setting)
    total = of_any_learner(worlds[kind], text)
    assert not total["false"]
    assert total["held"]
    before, _, after = text.rpartition(old)
    changed = f"{before}{new}{after}"
    assert any(of_any_learner(worlds[kind], changed, salt)["false"] for salt in range(6))
