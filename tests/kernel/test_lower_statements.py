"""The lower bound's setting, the Poisson weights, and every statement that is derived in them, evaluated.

Nothing may be false, and every clause must have held; a changed fact and a changed statement are found.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from proofs_checks import SOURCE
from proofs_checks.derivations.lower_setting import FULL, SETTING, SIZES, TREE
from proofs_checks.derivations.poisson import POISSON
from tests.kernel import poisson_worlds
from tests.kernel.balls import Ball
from tests.kernel.clauses import missing
from tests.kernel.lower_draws import chained, drawn, enumerated, sized, tried
from tests.kernel.lower_worlds import RULE, LowerWorld
from tests.kernel.numeric import OUTCOME, Evaluator, parsed
from verify.running.loading import load_claims

SEEDS = range(6)


SETTINGS = {s.name: s for s in (SETTING, FULL, SIZES)}
OWN = {name: set(s.facts) - set(SETTING.facts) for name, s in SETTINGS.items()} | {
    SETTING.name: set(SETTING.facts)
}


def some_worlds(seeds: range, setting: str = SETTING.name) -> list[LowerWorld]:
    """Enumerated runs of each seed; drawn runs and chains, which are longer, of fewer."""
    few = range(seeds.start, seeds.start + len(seeds) // 2)
    made = [enumerated(seed, setting) for seed in seeds] + [drawn(seed, setting) for seed in few]
    return made + [chained(seed) for seed in few if setting == SETTING.name]


@pytest.fixture(scope="module")
def every_world() -> dict[str, list[LowerWorld]]:
    return {name: some_worlds(SEEDS, name) for name in SETTINGS}


@pytest.fixture(scope="module")
def worlds(every_world) -> list[LowerWorld]:
    return every_world[SETTING.name]


@pytest.fixture(scope="module")
def statements() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {name: {} for name in (*SETTINGS, POISSON.name)}
    for c in load_claims(SOURCE):
        if c.theorem and c.setting.name in found:
            found[c.setting.name][c.label] = c.theorem
    return found


def verdicts(worlds: list[LowerWorld], text: str, draws: int = 1, salt: int = 0) -> Counter[str]:
    """On all its clauses, in all the worlds."""
    total: Counter[str] = Counter()
    for world in worlds:
        total += tried(world, text, draws, 16, salt)
    return total


def unheld(worlds: list[LowerWorld], texts: dict[str, str], draws: int = 1) -> dict[str, Counter[str]]:
    """The texts with a clause that was false or that never held."""
    found = {label: verdicts(worlds, text, draws) for label, text in texts.items()}
    return {label: got for label, got in found.items() if got["false"] or missing(texts[label], got)}


# --- what is true ---


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_facts_of_the_lower_bound_are_true(setting, every_world):
    assert unheld(every_world[setting], facts(setting)) == {}


def facts(setting: str) -> dict[str, str]:
    """Those that the setting adds."""
    return {name: SETTINGS[setting].facts[name].says for name in OWN[setting]}


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_statement_of_the_lower_bound_is_false(setting, every_world, statements):
    assert len(statements[setting]) >= {SETTING.name: 23, FULL.name: 9, SIZES.name: 4}[setting]
    assert unheld(every_world[setting], statements[setting], 1 if setting == SETTING.name else 4) == {}


@pytest.mark.parametrize("actions", range(2, 5))
def test_every_number_of_states_has_a_tree(actions, statements):
    """No fact of the tree is false there, nor what is derived of sizes; the paper's sizes have full trees."""
    full = {2 + sum(actions**k for k in range(d)) for d in range(2, 6)}
    texts = {name: SIZES.facts[name].says for name in (*TREE, *OWN[SIZES.name])}
    texts["relaxed"] = statements[SIZES.name]["assume:LB/relaxed"]
    for states in range(4, 46):
        world = sized(states, actions)
        assert world.instance.tree.ht.shape == (states,)
        found = {label: tried(world, text, 1, 12) for label, text in texts.items()}
        assert {label for label, got in found.items() if got["false"]} == set()
        assert not tried(world, FULL.facts["full"].says, 4, 40)["false"] or states not in full


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("first", range(6, 126, 12))
def test_no_statement_of_the_lower_bound_is_false_often(first, statements):
    for setting in SETTINGS:
        worlds = some_worlds(range(first, first + 12), setting)
        texts = statements[setting] | facts(setting)
        found = {label: verdicts(worlds, text, 4, first) for label, text in texts.items()}
        bad = {label: got for label, got in found.items() if got["false"] or missing(texts[label], got)}
        assert bad == {}


def test_the_poisson_weights_and_their_statements_are_true(statements):
    texts = statements[POISSON.name] | {name: fact.says for name, fact in POISSON.facts.items()}
    assert len(texts) >= 4
    found = {label: poisson_worlds.tried(text, 20, 50) for label, text in texts.items()}
    assert {label: got for label, got in found.items() if got["false"] or missing(texts[label], got)} == {}


@pytest.mark.parametrize("h", range(4))
def test_means_of_enumerated_runs_are_those_of_the_law(h, worlds):
    """h jumps come before the horizon, and the time that is left then: exact, and within the radius."""
    jumps = f"Ind(Sum(i, {h}, jump(i)) == {h})"
    for mean, closed in (
        (f"E({jumps})", f"1 - Sum(i, {h}, po(i, H))"),
        (f"E({jumps}*rem({h}))", f"er({h}, H)"),
    ):
        for world in worlds:
            if "jump" in world.space.rows:
                a, b = (
                    Evaluator(world).of(parsed(text), {OUTCOME: np.zeros((), int)}) for text in (mean, closed)
                )
                assert np.abs(a.m - b.m) <= a.r + b.r
                assert np.abs(a.m - b.m) <= RULE or world.space.nodes is None


# --- what is changed is found ---

PLANTED_FACTS = {
    "root": ("== d", "== d + 1"),
    "low": ("Ind(ht(x) == 0)", "Ind(ht(x) <= 1)"),
    "mate": ("gd(mate(x)) == gd(x)", "mate(x) == x"),
    "child": ("ht(child(x, a)) + 1 == ht(x)", "ht(child(x, a)) == ht(x) + 1"),
    "parent": ("child(x, a) == y", "child(y, a) == x"),
    "anc": ("child(anc(z, h + 1), via(z, h)) == anc(z, h)", "child(anc(z, h), via(z, h)) == anc(z, h + 1)"),
    "leaves": ("ht(x) == 1", "ht(x) <= 1"),
    "full": ("== 1)", "== 2)"),
    "wide": ("pw(i) <= L", "A*pw(i) <= L"),  # a full last level
    "narrow": ("L <= pw(i)", "A*L <= pw(i)"),
    "idle": ("low <= L + 1", "low <= L"),
    "p": ("(1/2 + c)*Ind(y == good)", "(1/2 - c)*Ind(y == good)"),
    "er-step": ("rate*exp", "exp"),
    "po-step": ("/(i + 1)", "/(i + 2)"),
    "V-step": ("gd(x)*", ""),
    "Vs": ("Sup(n, V(n, z, b, x, t))", "V(2, z, b, x, t)"),
    "shorter": ("Ind(s <= t)*", ""),
    "stays-ep": ("ep(n + 1) == ep(n)", "ep(n + 1) == ep(n) + 1"),
    "possible": ("p(0, X(n), act(n), X(n + 1))", "p(0, X(n + 1), act(n), X(n))"),
    "law": ("Int(s, rem(n), rate", "Int(s, rem(n), 2*rate"),
    "l-step": ("Ind(X(n + 1) == good)*log(1 + 2*D)", "Ind(X(n + 1) == good)*log(1 - 2*D)"),
    "lk-step": ("Ind(ep(n) + 1 <= k)", "Ind(ep(n) <= k)"),
    "vis": ("*Ind(act(n) == b)", ""),
    "T-step": ("jump(n)*", ""),
    "coin-law": ("== 1/2", "== 1/2 + D"),
    "lc-step": ("(1 - coin(n))*log(1 - 2*D)", "log(1 - 2*D)"),
}

PLANTED_STATEMENTS = {
    "assume:LB/tree": ("low + Sum(i, d, pw(i))", "low + Sum(i, d + 1, pw(i))"),  # one level too many
    "thm:lowerbound/optimal": ("er(d, H)", "er(d + 1, H)"),
    "thm:lowerbound/erlang-value": ("Sum(i, h + 1, po(i, t))", "Sum(i, h, po(i, t))"),
    "thm:lowerbound/data-processing": ("<= E(-gl)", "<= E(exp(gl)*gl)"),  # the other divergence
    "thm:lowerbound/divergence": ("E(-lc(n, z, b))", "E(lc(n, z, b))"),
    "thm:lowerbound/visits": ("sqrt(2)*D*sqrt(u)", "sqrt(2)*D*sqrt(u)/2"),
    "eq:sumTj": ("<= K*(1 +", "<= K*(1/2 +"),
    "thm:lowerbound/erlang": ("t - h/rate <=", "t - h/(2*rate) <="),
    "thm:lowerbound": ("/(12*sqrt(2))", "/2"),
    "eq:regret-lowerbound2": ("c*H*sqrt(S*A*K)/(12*sqrt(2))", "(c + 1)*H*sqrt(S*A*K)/2"),
    "thm:lowerbound/instances/repaired": ("gd(x)*t", "t"),
    "thm:lowerbound/reward/repaired": ("Sum(i, n, Ind(ep(i) + 1 <= K)*gd", "Sum(i, n, gd"),  # every episode
    "eq:Rj/repaired": ("(L*A - 1 -", "(L*A -"),
    "thm:lowerbound/divergence/repaired": ("-log(1 + 2*D)/2", "-log(1 + 2*D)"),
    "thm:lowerbound/roots": ("2*n*sqrt(n)/3", "n*sqrt(n)/2"),
    "eq:sumTj/repaired": ("<= er(d, H)*(K +", "<= er(d + 1, H)*(K +"),
    "thm:lowerbound/pairs": ("8 <= L*A", "9 <= L*A"),
    "thm:lowerbound/repaired": ("/7 <=", "/2 <="),
    "eq:regret-lowerbound2/repaired": ("c*H*sqrt(S*A*K)/7", "(c + 1)*H*sqrt(S*A*K)/2"),
    "thm:lowerbound/likelihood": ("p(D*Ind(X(n) == z)", "p(-D*Ind(X(n) == z)"),
    "thm:lowerbound/seen": ("<= k", "<= k/2"),
    "thm:lowerbound/store": ("<= er(d, H)", "<= er(d + 1, H)"),
    "thm:lowerbound/same": ("Ind(ht(X(n)) == 1)*", ""),
    "thm:lowerbound/income": ("(1/2 + D*", "(1/2 - D*"),
    "thm:lowerbound/tail": ("+ K*H*(K + rate*K*H)", "+ K*H/8"),
    "thm:lowerbound/found": ("+ er(d, H)*(c/2", "- er(d, H)*(c/2"),
    "thm:lowerbound/all-found": ("<= er(d, H)*(1 +", "<= er(d + 1, H)*(1 +"),
    "thm:lowerbound/every-K": ("/7 <=", "/3 <="),
    "thm:lowerbound/maximum/stands": ("/(4*sqrt(2))", "/2"),
    "thm:lowerbound/turns": ("== gd(x)*t", "== gd(x)*t/2"),
    "thm:lowerbound/no-self-jumps": ("/8 <=", "/2 <="),
    "assume:LB/levels": ("S == low + L +", "S == low +"),
    "assume:LB/relaxed": ("S <= 3*L + 1", "S <= 3*L"),
    "thm:lowerbound/every-size": ("/11 <=", "/2 <="),
    "thm:lowerbound/every-size/every-K": ("/11 <=", "/3 <="),
    "eq:regret-lowerbound2/every-size": ("c*H*sqrt(S*A*K)/11", "(c + 1)*H*sqrt(S*A*K)/2"),
}


def found(worlds: list[LowerWorld], text: str) -> bool:
    """Whether some world shows that it is false."""
    return any(tried(world, text, 2, 40, salt)["false"] for salt in range(4) for world in worlds)


def all_of(every_world: dict[str, list[LowerWorld]], setting: str) -> list[LowerWorld]:
    """The worlds of the setting and of those that extend it."""
    return [w for name, s in SETTINGS.items() if s.extends(SETTINGS[setting]) for w in every_world[name]]


@pytest.mark.parametrize("name", PLANTED_FACTS)
def test_a_changed_fact_is_found(name, every_world):
    old, new = PLANTED_FACTS[name]
    setting = owner(name, OWN)
    says = SETTINGS[setting].facts[name].says
    assert old in says
    assert found(all_of(every_world, setting), says.replace(old, new))


def owner(name: str, table: dict[str, set[str]] | dict[str, dict[str, str]]) -> str:
    """The setting that has it."""
    return next(setting for setting in SETTINGS if name in table[setting])


@pytest.mark.parametrize("label", PLANTED_STATEMENTS)
def test_a_changed_statement_is_found(label, statements, every_world):
    old, new = PLANTED_STATEMENTS[label]
    setting = owner(label, statements)
    text = statements[setting][label]
    assert old in text
    assert found(all_of(every_world, setting), text.replace(old, new))


def test_every_statement_was_changed(statements):
    assert set(PLANTED_STATEMENTS) == {label for setting in SETTINGS for label in statements[setting]}


PLANTED_MEANINGS = {  # another world, and a fact that is false there
    "l": (lambda w, a, env: -w.meaning["l"](a, env), "l-step"),
    "er": (lambda w, a, env: w.meaning["er"]([a[0] + Ball.of(1), a[1]], env), "er-0"),
    "child": (lambda w, a, env: w.instance.tree.mate[a[0]], "parent"),
    "rem": (lambda w, a, env: w.meaning["rem"](a, env) * Ball.of(0.5), "law"),
    "X": (
        lambda w, a, env: np.roll(w.space.rows["X"], 1, 0)[env[OUTCOME], np.rint(a[0].m).astype(int)],
        "possible",
    ),
    "coin": (lambda w, a, env: w.meaning["coin"](a, env) * w.meaning["coin"]([Ball.of(0)], env), "coin-law"),
}


@pytest.mark.parametrize("symbol", PLANTED_MEANINGS)
def test_a_changed_meaning_is_found(symbol):
    changed, fact = PLANTED_MEANINGS[symbol]
    make = chained if symbol == "coin" else enumerated
    assert found([make(seed, **{symbol: changed}) for seed in (2, 3)], SETTING.facts[fact].says)


PLANTED_POISSON = {
    "lem:poisson/repaired": ("2*exp", "exp"),
    "lem:poisson/one-sided": ("c <= q", "c <= 4*q"),
    "none": ("exp(-t)", "exp(t)"),
    "more": ("exp(-s)*", ""),
}


@pytest.mark.parametrize("label", PLANTED_POISSON)
def test_a_changed_statement_on_poisson_weights_is_found(label, statements):
    old, new = PLANTED_POISSON[label]
    text = statements[POISSON.name].get(label) or POISSON.facts[label].says
    assert old in text
    assert poisson_worlds.tried(text.replace(old, new), 20, 50)["false"]
