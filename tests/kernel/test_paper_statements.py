"""The paper's setting and every statement that is derived in it, evaluated on random small models.

Nothing may be false; what could not be evaluated at all is named, with the reason; and changed facts and
statements are found to be false.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from proofs_checks import SOURCE
from proofs_checks.derivations.setting import PAPER
from tests.kernel.balls import Ball
from tests.kernel.numeric import Evaluator, parsed
from tests.kernel.paper_worlds import PaperWorld
from tests.kernel.statements import Clause, Draw, clauses, tried, world_of
from verify.running.loading import load_claims

WORLDS = (0, 1, 2, 3)
_MARGIN = "a probability that is smaller than the margin of the simulation"
NOT_EVALUATED: dict[str, tuple[list[int], str]] = {  # clauses that were never decided, and why
    "remark:homogeneous/finite": ([1], "the probability that all of infinitely many jumps come is 0"),
    "sec:introduction/not-poisson": ([0, 2], "an equation with a mean, within the margin of the simulation"),
    "lem:rateUCB/union": ([0], _MARGIN),
    "lem:CI-p/subsets": ([1], "an indicator of an equation between numbers that are known up to rounding"),
    "prop:rateerror/event": ([0], _MARGIN),
    "sec:introduction/unbounded": ([1], _MARGIN),
    "eq:r2/indicator": ([0], "two means that are nearly equal, within the margin of the simulation"),
    "thm:CT-UCB/whole/jumps": ([0], _MARGIN),
    "eq:hjb-pde/repaired": ([0, 1], "no drawn function solves the equation of its hypotheses"),
    "prop:rateerror/mean": ([0], "no drawn function has the recursion of its hypotheses"),
    **dict.fromkeys(
        ("thm:CT-UCB/half", "thm:CT-UCB/whole/event", "eq:regret-b1", "eq:regret-b1/repaired"),
        ([0], "its conditions ask for longer horizons or more episodes than the small models have"),
    ),
}


def fact_verdicts(world: PaperWorld, says: str, size: int = 8, salt: int = 0) -> Counter[str]:
    """The fact as it stands, at sampled outcomes, decisions and arguments."""
    size = 2 if "E(" in says else size
    world.begin(says, salt)
    draw = Draw(world, Clause((), parsed(says)), size)
    got = np.broadcast_to(Evaluator(world).of(parsed(says), draw.env), (size,))
    return Counter({1: "held", 0: "undecided", -1: "false"}[int(v)] for v in got)


@pytest.fixture(scope="module")
def worlds() -> list[PaperWorld]:
    return [world_of(seed) for seed in WORLDS]


@pytest.fixture(scope="module")
def statements() -> dict[str, str]:
    return {c.label: c.theorem for c in load_claims(SOURCE) if c.theorem and c.setting is PAPER}


@pytest.mark.parametrize("name", PAPER.facts)
def test_a_fact_of_the_setting_is_true(name, worlds):
    total: Counter[str] = Counter()
    for world in worlds:
        total += fact_verdicts(world, PAPER.facts[name].says)
    assert not total["false"]
    assert total["held"]


def survey(statements: dict[str, str], worlds: list[PaperWorld]) -> dict[str, Counter[str]]:
    """Verdicts on every statement, from as many worlds as it takes until each of its clauses held."""
    found: dict[str, Counter[str]] = {}
    for label, text in statements.items():
        total: Counter[str] = Counter()
        for world in worlds:
            total += tried(world, text, 1, 8)
            if total["false"] or not missing(text, total):
                break
        found[label] = total
    return found


def missing(text: str, got: Counter[str]) -> list[int]:
    """The clauses that never held."""
    return [k for k in range(len(clauses(parsed(text)))) if not got[f"clause {k}"]]


def test_no_statement_is_false(statements, worlds):
    found = survey(statements, worlds)
    assert {label: got for label, got in found.items() if got["false"]} == {}
    left = {label: missing(text, found[label]) for label, text in statements.items()}
    listed = {label: which for label, (which, _) in NOT_EVALUATED.items()}
    assert {
        label: which for label, which in left.items() if not set(which) <= set(listed.get(label, ()))
    } == {}
    assert set(listed) <= set(left)


def test_what_is_not_interpreted():
    """The lower bound's setting (its tree, its likelihoods) and the Poisson weights have no world here."""
    others = Counter(c.setting.name for c in load_claims(SOURCE) if c.theorem and c.setting is not PAPER)
    assert set(others) == {"lower bound", "poisson"}


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(4, 16))
def test_no_statement_is_false_often(seed, statements):
    found = survey(statements, [world_of(seed)])
    assert {label: got for label, got in found.items() if got["false"]} == {}


PLANTED_FACTS = {
    "law": ("*exp(-lam(X(n), act(n))*s)", "*2*exp(-lam(X(n), act(n))*s)"),
    "spent-high": ("spent(n) <= rem(n)", "rem(n) < spent(n)"),
    "Nf-step": ("jump(n)*Nf(n, x, a) + (1 - jump(n))*N(n + 1, x, a)", "N(n + 1, x, a)"),
    "jump-sum": ("== 1", "== 2"),
    "V-step": ("r(x, a)*", "2*r(x, a)*"),
    "Vp-step": ("lam(x, pol(n, x, t))*exp", "2*lam(x, pol(n, x, t))*exp"),
    "ends-rem": ("== H", "== H/2"),
    "M-step": ("*jump(n)*", "*"),
    "Vs": ("Sup(n, V(n, x, t))", "V(1, x, t)"),
    "lh": ("Min(Nf(n, x, a)/Tf(n, x, a), lmax)", "Nf(n, x, a)/Tf(n, x, a)"),
    "be": ("lmax*L/", "L/"),
    "Vh-step": ("Min(t, ", "(t + "),
    "earn-step": ("+ jump(n)*earn(n + 1, m)", "+ earn(n + 1, m)"),
    "top-step": ("Ind(ep(n) + 1 <= K)*", ""),
    "subsets": ("2**S", "2*S + 1"),
}


@pytest.mark.parametrize("name", PLANTED_FACTS)
def test_a_changed_fact_is_found(name, worlds):
    old, new = PLANTED_FACTS[name]
    says = PAPER.facts[name].says
    assert old in says
    assert any(
        fact_verdicts(world, says.replace(old, new), 40)["false"] for world in worlds for _ in range(3)
    )


def test_a_changed_model_is_found():
    world = world_of(0, p=lambda w, args, env: Ball.of(2 * w.model.p[tuple(args)]))
    assert fact_verdicts(world, PAPER.facts["jump-sum"].says)["false"]
    assert fact_verdicts(world, PAPER.facts["law"].says)["false"]


PLANTED_STATEMENTS = {
    "lem:optimism/contraction": ("<= (1 - exp(-lmax*H))*w", "<= (1 - exp(-lmax*H))*w/8"),
    "lem:optimism/bonus": ("t**2*c + t*d <=", "2*(t**2*c + t*d) <="),
    "lem:optimism/reward": ("t**2/2*gbe(x, a)", "t**2/4*gbe(x, a)"),
    "eq:error2/halved": ("s/2*gal(x, a)", "s/4*gal(x, a)"),
    "lem:optimism/value-bound": ("Vs(x, t) <= t", "Vs(x, t) <= t/2"),
    "lem:optimism/sharp/slope": ("V(n, x, t) + u - t", "V(n, x, t) + (u - t)/2"),
    "alg:VI/infinite": ("Vs(x, t) == t", "Vs(x, t) == t/2"),
    "lem:rateUCB/martingale": ("(exp(d) - 1)", "2*(exp(d) - 1)"),
    "eq:Qa/optimality": ("Sup(n, Vo(n, x, t)) == Vs(x, t)", "Sup(n, Vo(n, x, t)) == Vs(x, t)/2"),
    "prop:proberror/pigeon-hole/sharp": ("2*sqrt(", "sqrt("),
    "lem:CI-p/subsets": ("== 2*MaxOver", "== MaxOver"),
    "eq:term1-3/levels": ("u/d + 1/(exp(d) - 1)", "(u/d + 1/(exp(d) - 1))/2"),
    "thm:CT-UCB/long": ("<= 3*(C*H + 1)*", "<= -3*(C*H + 1)*"),
}


@pytest.mark.parametrize("label", PLANTED_STATEMENTS)
def test_a_changed_statement_is_found(label, statements, worlds):
    old, new = PLANTED_STATEMENTS[label]
    text = statements[label]
    assert old in text
    assert any(tried(world, text.replace(old, new), 3, 40, k)["false"] for k in range(4) for world in worlds)
