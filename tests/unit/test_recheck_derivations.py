"""The independent checker of derivations: what it accepts, one right use of every rule."""

from __future__ import annotations

import pytest

from tests.derivation_files import CERTIFICATE, derivation, same, step
from verify.recheck.derivations import check_derivation
from verify.recheck.derivations.checking import _RULES, examine

UNION = "E(Ind(Or(X(0) == x, X(1) == x))) <= E(Ind(X(0) == x)) + E(Ind(X(1) == x))"
MARKOV = "Imp(0 < u, E(Ind(u <= Abs(W))) <= E(Abs(W))/u)"

RIGHT = {
    "union": derivation(
        UNION,
        step("whole", term="Ind(X(0) == x)*Ind(X(1) == x)"),
        step("monotone", 0, binder="E"),
        step("combine", 1, goal=UNION, multipliers=["1"]),
    ),
    "markov": derivation(
        MARKOV,
        step("assume", formula="u <= Abs(W)"),
        step("holds", formula="u <= Abs(W)"),
        # u*Ind <= Abs(W), by cases
        step("assume", formula="0 < u"),
        step("combine", 1, 0, goal="u*Ind(u <= Abs(W)) <= Abs(W)", multipliers=["u", "1"]),
        step("fails", formula="u <= Abs(W)"),
        step("assume", formula="Abs(W) < u"),
        step("known", name="abs", terms=["W"]),
        step("known", name="abs-", terms=["W"]),
        step("combine", 6, 7, 4, goal="u*Ind(u <= Abs(W)) <= Abs(W)", multipliers=["1/2", "1/2", "u"]),
        step("cases", 3, 8, formula="u <= Abs(W)"),
        step("monotone", 9, binder="E"),
        step("known", name="inverse-positive", terms=["u"]),
        step("mp", 11, 2),
        step("known", name="inverse", terms=["u"]),
        step("mp", 13, 2),
        step(
            "combine",
            *(10, 12, 14),
            goal="E(Ind(u <= Abs(W))) <= E(Abs(W))/u",
            multipliers=[{"term": "1/u", "sign": 1}, "0", "-E(Ind(u <= Abs(W)))"],
        ),
        step("discharge", 15, formula="0 < u"),
    ),
    "tower": derivation(
        "E(Y(n + 2), n) <= Y(n)",
        step("fact", name="fair"),
        step("substitute", 0, variable="n", term="n + 1"),
        step("monotone", 1, binder="E", bound="n"),
        step("combine", 2, 0, goal="E(Y(n + 2), n) <= Y(n)", multipliers=["1", "1"]),
    ),
    "induction": derivation(
        "a(n) <= n*c",
        step("fact", name="start"),
        step("combine", 0, goal="a(0) <= 0*c", multipliers=["1"]),
        step("assume", formula="a(n) <= n*c"),
        step("fact", name="steps"),
        step("combine", 2, 3, goal="a(n + 1) <= (n + 1)*c", multipliers=["1", "1"]),
        step("induction", 1, 4, variable="n", formula="a(n) <= n*c"),
    ),
    "sum": derivation(
        "Sum(i, n, a(i + 1) - a(i)) <= n*c",
        step("fact", name="steps"),
        step("substitute", 0, variable="n", term="i"),
        step("combine", 1, goal="a(i + 1) - a(i) <= c", multipliers=["1"]),
        step("monotone", 2, binder="Sum", variable="i", bound="n"),
    ),
    "sum by induction": derivation(
        "Sum(i, n, 2*i + 1) == n**2",
        same("Sum(i, 0, 2*i + 1) == 0**2"),
        step("assume", formula="Sum(i, n, 2*i + 1) == n**2"),
        step("combine", 1, goal="Sum(i, n + 1, 2*i + 1) == (n + 1)**2", multipliers=["1"]),
        step("induction", 0, 2, variable="n", formula="Sum(i, n, 2*i + 1) == n**2"),
    ),
    "range of a sum": derivation(
        "Sum(i, n, i) <= n*n",
        step("assume", formula="i < n"),
        step("combine", 0, goal="i <= n", multipliers=["1"]),
        step("monotone", 1, binder="Sum", variable="i", bound="n"),
    ),
    "maximum contracts": derivation(
        "MaxOver(y, p(y)) <= MaxOver(y, p(y) + c**2)",
        step("known", name="square", terms=["c"]),
        step("combine", 0, goal="p(y) <= p(y) + c**2", multipliers=["1"]),
        step("monotone", 1, binder="MaxOver", variable="y"),
    ),
    "most and least": derivation(
        "MaxOver(y, p(y) - p(z)) <= MaxOver(y, p(y)) - p(z)",
        step("most", term="MaxOver(y, p(y))", at="y"),
        step("combine", 0, goal="p(y) - p(z) <= MaxOver(y, p(y)) - p(z)", multipliers=["1"]),
        step("least", 1, variable="y"),
    ),
    "supremum": derivation(
        "Imp(All(n, a(n) <= c), And(a(m) <= Sup(n, a(n)), Sup(n, a(n)) <= c))",
        step("assume", formula="All(k, a(k) <= c)"),
        step("specialize", 0, term="n"),
        step("supremum", 1, variable="n", at="m"),
        step("bounded", 1, variable="n"),
        step("both", 2, 3),
        step("discharge", 4, formula="All(n, a(n) <= c)"),
    ),
    "sure": derivation(
        "Imp(Sure(W <= c), And(E(W) <= c, W <= c))",
        step("assume", formula="Sure(W <= c)"),
        step("unsure", 0),
        step("monotone", 1, binder="E"),
        step("both", 1, 2),
        step("discharge", 3, formula="Sure(W <= c)"),
    ),
    "surely": derivation("Sure(0 <= W**2)", step("known", name="square", terms=["W"]), step("sure", 0)),
    "a known bound, tame or not": derivation(
        "E(Int(s, 1/Y(0), f(s)*W), 0) == Int(s, 1/Y(0), f(s)*E(W, 0))",
        step("exchange", term="E(Int(s, 1/Y(0), f(s)*W), 0)"),
    ),
    "a known value, tame or not": derivation(
        "Imp(Y(0) == c, E(log(W)*Y(0), 0) == E(log(W)*c, 0))",
        step("assume", formula="Y(0) == c"),
        same("E(log(W)*Y(0), 0) == E(log(W)*Y(0), 0)"),
        step("rewrite", 0, 1, variable="w", template="E(log(W)*Y(0), 0) == E(log(W)*w, 0)"),
        step("discharge", 2, formula="Y(0) == c"),
    ),
    "discrete": derivation("Or(n <= m, m + 1 <= n)", step("known", name="discrete", terms=["n", "m"])),
    "right": derivation("v <= Max(u, v)", step("known", name="max-right", terms=["u", "v"])),
    "part and generalize": derivation(
        "All(u, Imp(And(0 <= u, u <= 1), u <= 1))",
        step("assume", formula="And(0 <= u, u <= 1)"),
        step("part", 0, formula="u <= 1"),
        step("discharge", 1, formula="And(u <= 1, 0 <= u)"),
        step("generalize", 2, variable="u"),
    ),
    "absurd": derivation(
        "Imp(And(u < v, v <= u), 0 == 1)",
        step("assume", formula="And(u < v, v <= u)"),
        step("part", 0, formula="u < v"),
        step("part", 0, formula="v <= u"),
        step("absurd", 1, 2, formula="0 == 1"),
        step("discharge", 3, formula="And(u < v, v <= u)"),
    ),
    "cut": derivation(
        "0 <= p(y)",
        step("fact", name="positive"),
        step("assume", formula="0 <= p(x)"),
        step("cut", 0, 1),
        step("substitute", 2, variable="x", term="y"),
    ),
    "integral": derivation(
        "Int(s, 1, s**2) <= Int(s, 1, s)",
        step("assume", formula="0 <= s"),
        step("assume", formula="s <= 1"),
        step("combine", 0, 0, 1, goal="s**2 <= s", multipliers=["0", "0", {"term": "s", "sign": 0}]),
        step("monotone", 2, binder="Int", variable="s", bound="1"),
    ),
    "primitive": derivation(
        "Imp(0 <= t, Int(s, t, c*exp(c*s) + 2*s) == exp(c*t) + t**2 - 1)",
        step("primitive", variable="s", bound="t", term="exp(c*s) + s**2"),
        step("combine", 0, goal="Int(s, t, c*exp(c*s) + 2*s) == exp(c*t) + t**2 - 1", multipliers=["1"]),
        step("discharge", 1, formula="0 <= t"),
    ),
    "exchange": derivation(
        "E(Int(s, t, f(s)*Y(0)), n) == Int(s, t, E(f(s)*Y(0), n))",
        step("exchange", term="E(Int(s, t, f(s)*Y(0)), n)"),
    ),
    "exchange back": derivation(
        "Int(s, t, E(f(s)*W)) == E(Int(s, t, f(s)*W))",
        step("exchange", term="Int(s, t, E(f(s)*W))"),
    ),
    "exchange integrals": derivation(
        "Int(s, t, Int(r, u, f(s + r))) == Int(r, u, Int(s, t, f(s + r)))",
        step("exchange", term="Int(s, t, Int(r, u, f(s + r)))"),
    ),
    "exchange sums": derivation(
        "Sum(i, n, SumOver(y, p(y)*a(i) + Z(i, y))) == SumOver(y, Sum(i, n, p(y)*a(i) + Z(i, y)))",
        step("exchange", term="Sum(i, n, SumOver(y, p(y)*a(i) + Z(i, y)))"),
    ),
    "archimedes": derivation(
        "c - p(x) <= 0", step("fact", name="contracts"), step("archimedes", 0, variable="n")
    ),
    "rewrite": derivation(
        "Imp(X(0) == x, E(p(X(0))*Y(1), 0) == p(x)*E(Y(1), 0))",
        step("assume", formula="X(0) == x"),
        same("E(p(X(0))*Y(1), 0) == p(X(0))*E(Y(1), 0)"),
        step("rewrite", 0, 1, variable="y", template="E(p(X(0))*Y(1), 0) == p(y)*E(Y(1), 0)"),
        step("discharge", 2, formula="X(0) == x"),
    ),
    "rewrite inside": derivation(
        "Imp(X(0) == x, E(p(x)*Y(1), 0) == E(p(X(0))*Y(1), 0))",
        step("assume", formula="X(0) == x"),
        same("E(p(X(0))*Y(1), 0) == E(p(X(0))*Y(1), 0)"),
        step("rewrite", 0, 1, variable="y", template="E(p(y)*Y(1), 0) == E(p(X(0))*Y(1), 0)"),
        step("discharge", 2, formula="X(0) == x"),
    ),
    "instantiate": derivation(
        "SumOver(y, Ind(y == z)*E(Ind(X(1) == y))) == E(Ind(X(1) == z))",
        same("SumOver(y, Ind(y == z)*g(y)) == g(z)"),
        step("instantiate", 0, symbol="g", params=["x"], body="E(Ind(X(1) == x))"),
    ),
    "instantiate at a level": derivation(
        "E(E(W, n + 1), n) == E(E(Y(m), n)*0 + W, n)",
        same("E(R, n) == E(Y(m), n)*0 + E(R, n)"),
        step("instantiate", 0, symbol="R", params=[], body="W"),
    ),
    "instantiate what is known": derivation(
        "E(E(W, n)*W, n) == E(W, n)**2",
        same("E(G(n)*W, n) == G(n)*E(W, n)"),
        step("instantiate", 0, symbol="G", params=["m"], body="E(W, m)"),
    ),
    "a random value outside of means": derivation(
        "Imp(All(u, u*c <= 1), W*c <= 1)",
        step("assume", formula="All(u, u*c <= 1)"),
        step("specialize", 0, term="W"),
        step("discharge", 1, formula="All(u, u*c <= 1)"),
    ),
    "a known value inside a mean": derivation(
        "Imp(All(u, E(f(u + W), n) <= c), E(f(Y(n) + W), n) <= c)",
        step("assume", formula="All(u, E(f(u + W), n) <= c)"),
        step("specialize", 0, term="Y(n)"),
        step("discharge", 1, formula="All(u, E(f(u + W), n) <= c)"),
    ),
    "pointwise": derivation(
        "1/(1 + c**2) <= 1",
        step("pointwise", relation="1/b <= 1", domain=["b >= 1"], integers=[], certificate=CERTIFICATE)
        | {"with": {"b": "1 + c**2"}},
        step("known", name="square", terms=["c"]),
        step("combine", 1, goal="1 <= 1 + c**2", multipliers=["1"]),
        step("combine", 1, goal="0 < 1 + c**2", multipliers=["1"]),
        step("cut", 2, 0),
        step("cut", 3, 4),
    ),
    "e, and any power": derivation(
        "exp(n*log(2))*exp(1) <= 2**n*exp(1)",
        step("pointwise", label="same", relation="2**k*E <= 2**k*E", domain=["k >= 0"], integers=["k"])
        | {"with": {"k": "n"}},
        step("whole", term="n"),
        step("cut", 1, 0),
    ),
    "lemma": derivation("0 <= p(y) + 1", step("lemma", label="lem:y", formula="0 <= p(y) + 1")),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_derivations_are_accepted(name):
    assert examine(RIGHT[name]).complaints == []


def test_every_rule_has_a_right_use():
    used = {s["rule"] for d in RIGHT.values() for s in d["steps"]}
    assert used == set(_RULES)


@pytest.mark.parametrize("name", RIGHT)
def test_another_theorem_is_not_shown(name):
    for theorem in ("0 == 1", f"And({RIGHT[name]['theorem']}, 0 == 1)"):
        found = examine(RIGHT[name] | {"theorem": theorem}).complaints
        assert any("the theorem is" in one for one in found)


@pytest.mark.parametrize("name", RIGHT)
def test_the_last_step_is_needed(name):
    shorter = RIGHT[name] | {"steps": RIGHT[name]["steps"][:-1]}
    assert examine(shorter).complaints != []


@pytest.mark.parametrize("name", ["lemma"])
def test_what_a_derivation_rests_on_is_listed(name):
    assert len(check_derivation(RIGHT[name])) == 1
