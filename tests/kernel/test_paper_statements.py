"""The paper's setting and every statement that is derived in it, evaluated on random small models.

Nothing may be false; what could not be evaluated at all is named, with the reason; and changed facts and
statements are found to be false.
"""

from __future__ import annotations

import ast
from collections import Counter

import numpy as np
import pytest

from proofs_checks import SOURCE
from proofs_checks.derivations.lower_setting import FULL, SIZES
from proofs_checks.derivations.lower_setting import SETTING as LOWER
from proofs_checks.derivations.poisson import POISSON
from proofs_checks.derivations.setting import HALVED, LUMP, PAPER, RAISED
from proofs_checks.derivations.setting_learners import (
    KEPT,
    LAZY_HALVED,
    LAZY_LUMP,
    LAZY_PAPER,
    LAZY_RAISED,
    LAZY_SHARPENED,
    SHARPENED,
)
from proofs_checks.derivations.setting_optimistic import (
    EQUATION,
    LAZY,
    LAZY_KL,
    LAZY_POISSON,
    LAZY_POISSON_KL,
    LAZY_POISSON_TILTED,
    LAZY_TILTED,
    OPTIMISTIC,
    OPTIMISTIC_KL,
    OPTIMISTIC_TILTED,
    PLANS,
    POISSON_KL,
    POISSON_TILTED,
)
from proofs_checks.derivations.setting_optimistic import POISSON as TILTED
from tests.kernel.balls import Ball
from tests.kernel.clauses import Clause, missing
from tests.kernel.numeric import Evaluator, parsed
from tests.kernel.paper_worlds import PaperWorld
from tests.kernel.statements import Draw, tried, world_of
from verify.running.loading import load_claims

WORLDS = (0, 1, 2, 3, 4, 5)
PARTS = 12  # of all statements, one test each
NOT_EVALUATED: dict[str, tuple[list[int], str]] = {  # clauses that were never decided, and why
    "remark:homogeneous/finite": ([1], "the probability that all of infinitely many jumps come is 0"),
    "lem:CI-p/kl/impossible": ([0], "a probability that is 0, within the margin of the simulation"),
    "alg:VI/indices/repaired": ([0], "no sequence that is drawn is 1 from its beginning on"),
    "eq:FH-control-discrete/error": ([0, 1], "values that jump at the points where they are compared"),
    "sec:result/gap/regret": ([0], "its conditions ask for longer horizons than the small models have"),
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
    told = {c.label: c.theorem for c in load_claims(SOURCE) if c.theorem and PAPER.extends(c.setting)}
    return {label: text for label, text in told.items() if "any-learner" not in label}  # see test_learners


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


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[pytest.mark.thorough] * (part % 2)) for part in range(PARTS)]
)
def test_no_statement_is_false(part, statements, worlds):
    some = dict(list(statements.items())[part::PARTS])
    found = survey(some, worlds)
    assert {label: got for label, got in found.items() if got["false"]} == {}
    left = {label: missing(text, found[label]) for label, text in some.items()}
    listed = {label: which for label, (which, _) in NOT_EVALUATED.items()}
    assert {
        label: which for label, which in left.items() if not set(which) <= set(listed.get(label, ()))
    } == {}


def test_only_statements_are_listed_as_not_evaluated(statements):
    assert set(NOT_EVALUATED) <= set(statements)


def test_every_setting_has_a_world():
    """Those of the others are in ``variant_worlds``, ``optimistic_worlds``, ``lower_worlds``, ..."""
    others = {c.setting.name for c in load_claims(SOURCE) if c.theorem and not PAPER.extends(c.setting)}
    rows = (OPTIMISTIC_KL, POISSON_KL, OPTIMISTIC_TILTED, POISSON_TILTED)
    lazy = (LAZY, LAZY_POISSON, LAZY_KL, LAZY_POISSON_KL, LAZY_TILTED, LAZY_POISSON_TILTED)
    bonuses = (LAZY_PAPER, LAZY_HALVED, LAZY_SHARPENED, LAZY_LUMP, LAZY_RAISED, SHARPENED, KEPT)
    learners = (HALVED, LUMP, RAISED, EQUATION, PLANS, OPTIMISTIC, TILTED, *rows, *lazy, *bonuses)
    assert others == {one.name for one in (*learners, LOWER, FULL, SIZES, POISSON)}


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
    "tail-step": ("lmax*exp", "lmax/2*exp"),
    "subsets": ("2**S", "2*S + 1"),
}


@pytest.mark.parametrize("name", PLANTED_FACTS)
def test_a_changed_fact_is_found(name, worlds):
    old, new = PLANTED_FACTS[name]
    says = PAPER.facts[name].says
    assert old in says
    assert any(
        fact_verdicts(world, says.replace(old, new), 40, k)["false"] for world in worlds for k in range(3)
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
    "lem:CI-p/kl/bet": ("- log(N(n, X(n), act(n)) + S)", "- log(N(n, X(n), act(n)) + 1)"),
    "lem:CI-p/kl/entropy": ("(Sum(m, Nf(n, x, a), log(m + 1))", "(2*Sum(m, Nf(n, x, a), log(m + 1))"),
    "lem:CI-p/kl/price": ("(S - 1)*log(n + 1)", "(S - 1)*log(n + 1)/2"),
    "lem:CI-p/kl/binomial": ("log(1 + n/l)", "log(1 + n/(2*l))"),
    "prop:proberror/rows/falling": ("<= sqrt(2)*H*", "<= -9*sqrt(2)*H*"),
    "prop:proberror/rows/kept": ("<= sqrt(Min(c*glevel(n), ", "<= sqrt(Min(glevel(n), "),
    "prop:proberror/rows": ("<= sqrt(Min(c*", "<= sqrt(Min(1/9*"),
    "prop:proberror/rows/kl": ("<= sqrt(2)*H*", "<= -sqrt(2)*H*"),
    "lem:CI-p/tilts/radius": ("Max(3/2*sqrt(c/q), 3*", "Max(1/2*sqrt(c/q), "),
    "lem:rateUCB/union": ("<= delta)", "<= delta/2)"),
    "prop:rateerror/mean": ("exp(-u) + u", "u"),
    "eq:hjb-pde/repaired": ("gw(x, t) <= gu(x, t)", "gw(x, t) <= gu(x, t)/2"),
    "sec:introduction/not-poisson": ("== exp(-c*H)", "== exp(-d*H)"),
    # bounds on means of the run, by how much they can be sharper until short runs violate them
    "eq:FH-control-discrete/steps": ("<= lmax*rem(n)", "<= lmax*rem(n)/9"),
    "eq:FH-control/clock/repaired": (
        "E(earn(n, m), n) <= Vpi(n, x, t)",
        "E(earn(n, m), n) <= Vpi(n, x, t)/2",
    ),
    "eq:Qa/first-n": ("E(earn(n, m), n) <= V(", "E(earn(n, m), n) <= 1/2*V("),
    "remark:homogeneous/no-atom": ("<= lmax*e", "<= lmax*e/9"),
    "lem:CI-p/supermartingale": ("d**2/8", "d**2/80"),
    "eq:CS2": ("<= (H + 1/lmin)*", "<= (H + 1/lmin)/9*"),
    "eq:CS3": ("<= 3*sqrt(S*A)*E(", "<= 1/20*sqrt(S*A)*E("),
    "eq:CS4": ("<= 3*sqrt(S*A*K)*E(", "<= 1/20*sqrt(S*A*K)*E("),
    "prop:proberror": ("<= 3*(H", "<= 1/20*(H"),
    "prop:proberror/sharp": ("<= 2*(H", "<= 1/20*(H"),
    "prop:proberror/coupling": ("<= K*exp(c*H)", "<= K*exp(c*H)/9"),
    "eq:term1-3": ("<= (lmax*H + 1)*", "<= (lmax*H + 1)/9*"),
    "eq:JM-eq/sharp": ("<= sqrt(K)*", "<= 1/20*sqrt(K)*"),
    "prop:proberror/levels": ("<= K*tail(l + 1, H)", "<= K*tail(l + 2, H)"),
    "eq:term1-3/levels/poisson": ("+ 2*sqrt(lmax*H) + 1/4", "/4"),
    "eq:term1-3/levels/mean": ("lmax*H <= g", "lmax*H <= g/4"),
    "prop:rateerror/jumps": ("<= lmax*H*E(", "<= lmax*H/9*E("),
    "prop:rateerror/decisions": ("<= (1 + lmax*H)*E(", "<= (1 + lmax*H)/4*E("),
}


@pytest.mark.parametrize("label", PLANTED_STATEMENTS)
def test_a_changed_statement_is_found(label, statements, worlds):
    old, new = PLANTED_STATEMENTS[label]
    text = statements[label]
    assert old in text
    assert any(tried(world, text.replace(old, new), 3, 40, k)["false"] for k in range(4) for world in worlds)


# --- bounds on means, divided by a million ---

NEVER_VIOLATED = {  # by short runs, however the right side is divided
    "prop:rateerror/event": "its event needs more jumps than the runs have",
    "prop:rateerror/complement": "likewise",
    **{label: NOT_EVALUATED[label][1] for label in ("lem:CI-p/kl/impossible", "sec:result/gap/regret")},
}
DIVIDED = (  # the bounds of the theorem and of what it is made of
    "lem:rateUCB/repaired",
    "lem:CI-p/repaired",
    "lem:CI-p/weissman",
    "eq:G/uniform",
    "eq:G/all-decisions",
    "prop:rateerror",
    "prop:rateerror/repaired",
    "eq:r2/sum",
    "eq:regret-b1/repaired",
    "thm:CT-UCB/long",
    "thm:CT-UCB/whole/jumps",
    "thm:CT-UCB/whole/event",
    "thm:CT-UCB/repaired",
    "thm:CT-UCB/sharp",
)


def divided(node: ast.expr, factor: int) -> ast.expr:
    """The statement with a smaller right side wherever it bounds a mean."""
    match node:
        case ast.Call(func=ast.Name(id="And")):
            return ast.Call(node.func, [divided(part, factor) for part in node.args], [])
        case ast.Call(func=ast.Name(id="Imp")):
            return ast.Call(node.func, [node.args[0], divided(node.args[1], factor)], [])
        case ast.Compare(ops=[ast.LtE()], comparators=[right]) if "E(" in ast.unparse(node):
            return ast.Compare(node.left, node.ops, [ast.BinOp(right, ast.Div(), ast.Constant(factor))])
    return node


def small(text: str) -> str:
    """The statement with its bounds on means divided by a million."""
    return ast.unparse(divided(parsed(text), 10**6))


def violated(text: str, worlds: list[PaperWorld]) -> bool:
    """Whether some run violates the bounds that are divided."""
    return any(tried(world, small(text), 2, 16, k)["false"] for k in range(3) for world in reversed(worlds))


@pytest.mark.parametrize("label", DIVIDED)
def test_a_bound_on_a_mean_can_fail(label, statements, worlds):
    assert violated(statements[label], worlds)


@pytest.mark.thorough
@pytest.mark.timeout(3600)
def test_all_bounds_on_means_can_fail(statements):
    worlds = [world_of(seed) for seed in range(18)]
    bounds = [label for label, text in statements.items() if small(text) != ast.unparse(parsed(text))]
    assert {label for label in bounds if not violated(statements[label], worlds)} == set(NEVER_VIOLATED)
