"""The independent checker of derivations: wrong uses of every rule, refused with rule and reason."""

from __future__ import annotations

import pytest

from tests.derivation_files import CERTIFICATE, SETTING, derivation, same, step
from verify.recheck.derivations import check_derivation
from verify.recheck.derivations.checking import examine


def assume(formula: str) -> dict:
    return step("assume", formula=formula)


def pointwise(**change: object) -> dict:
    fields = {"relation": "1/b <= 1", "domain": ["b >= 1"], "integers": [], "certificate": CERTIFICATE}
    return step("pointwise", **{**fields, "with": {"b": "1 + c**2"}, **change})


def combine(goal: str, *premises: int, multipliers: list) -> dict:
    return step("combine", *premises, goal=goal, multipliers=multipliers)


def monotone(binder: str, premise: int = 0, **fields: str) -> dict:
    return step("monotone", premise, binder=binder, **fields)


def rewrite(variable: str, template: str) -> dict:
    return step("rewrite", 0, 1, variable=variable, template=template)


def instantiate(symbol: str, params: list, body: str) -> dict:
    return step("instantiate", 0, symbol=symbol, params=params, body=body)


# The words of the complaint about the last step, and the steps.
WRONG: list[tuple[str, list[dict]]] = [
    # ---- texts and names
    ("no rule of the language", [step("hope")]),
    ("'from' is not a list of earlier steps", [step("discharge", 0, formula="0 <= 1")]),
    ("'from' is not a list of earlier steps", [assume("0 <= 1"), step("generalize", -1, variable="u")]),
    ("2 premises are needed, 1 are given", [assume("0 <= 1"), step("mp", 0)]),
    ("missing or no text", [step("assume")]),
    ("is not a formula", [assume("0 <=")]),
    ("is a term", [assume("c")]),
    ("the name b has no meaning", [assume("b <= 1")]),
    ("is of sort Real, not Nat", [assume("a(c) <= 1")]),
    ("is of sort State, not Nat", [assume("a(x) <= 1")]),
    ("is not a number", [assume("x + 1 <= 1")]),
    ("cannot be compared", [assume("x <= y")]),
    ("cannot be compared", [assume("x == 1")]),
    ("with 2 arguments is not in the language", [assume("a(1, 2) <= 1")]),
    ("is not in the language", [assume("0 <= u <= 1")]),
    ("is not in the language", [assume("[u for u in v] <= 1")]),
    ("is not in the language", [assume("Max(u) <= 1")]),
    ("is too large", [assume("u**1000000000 <= 1")]),
    ("too long", [assume("u <= 1e999999999")]),
    ("the level N(0) is random", [assume("E(W, N(0)) <= 1")]),
    ("the level c is not of sort Nat", [assume("E(W, c) <= 1")]),
    ("Sum runs through numbers of sort Nat", [assume("Sum(i, c, 1) <= 1")]),
    ("Sum runs through numbers of sort Nat", [assume("Sum(s, n, 1) <= 1")]),
    ("Int runs through numbers of sort Real", [assume("Int(i, t, 1) <= 1")]),
    ("SumOver cannot run through", [assume("SumOver(n, 1) <= 1")]),
    ("Sup cannot run through", [assume("Sup(u, u) <= 1")]),
    ("All over a real variable", [assume("Ind(All(u, u <= 1)) <= 1")]),
    # ---- facts, axioms, lemmas
    ("has no fact", [step("fact", name="rates")]),
    ("no rule of the language", [step("axiom", name="ville")]),
    ("missing or no text", [step("lemma", formula="0 <= 1")]),
    # ---- logic
    ("is no implication", [assume("0 <= 1"), assume("0 <= 1"), step("mp", 0, 1)]),
    ("is needed", [assume("Imp(0 <= u, 0 <= v)"), assume("0 <= v"), step("mp", 0, 1)]),
    ("u is free in the given", [assume("0 <= u"), step("generalize", 0, variable="u")]),
    ("is not a variable", [same("0 == 0"), step("generalize", 0, variable="c")]),
    ("is no All", [assume("0 <= u"), step("specialize", 0, term="v")]),
    ("is of sort Real, not Nat", [assume("All(n, 0 <= a(n))"), step("specialize", 0, term="c")]),
    (
        "W is random, and",
        [assume("All(u, E(f(u + W)) <= 1)"), step("specialize", 0, term="W")],
    ),
    ("stands in the level", [assume("All(n, E(W, n) <= 1)"), step("specialize", 0, term="N(0)")]),
    ("two or more premises", [assume("0 <= 1"), step("both", 0)]),
    ("is no part of", [assume("And(0 <= u, 0 <= v)"), step("part", 0, formula="u <= 0")]),
    ("is no part of", [assume("Or(0 <= u, 0 <= v)"), step("part", 0, formula="0 <= u")]),
    ("the two cases show", [assume("0 <= u"), assume("0 <= v"), step("cases", 0, 1, formula="u <= v")]),
    ("is not the contrary", [assume("u <= v"), assume("v <= u"), step("absurd", 0, 1, formula="0 == 1")]),
    # ---- substitute
    ("is of sort Real, not Nat", [assume("0 <= a(n)"), step("substitute", 0, variable="n", term="c")]),
    ("stands inside E(", [assume("E(f(u + W)) <= u"), step("substitute", 0, variable="u", term="W")]),
    ("stands inside E(", [assume("E(f(u + W)) <= u"), step("substitute", 0, variable="u", term="Y(0)")]),
    ("stands in the level", [assume("E(W, n) <= 1"), step("substitute", 0, variable="n", term="N(0)")]),
    (
        "not seen to be known at 0",
        [assume("E(f(u + W), 0) <= 1"), step("substitute", 0, variable="u", term="Y(1)")],
    ),
    (
        "not seen to be known at n",
        [assume("E(f(u + W), n) <= 1"), step("substitute", 0, variable="u", term="W")],
    ),
    # ---- instantiate
    ("is not a generic symbol", [assume("0 <= p(x)"), instantiate("p", ["x"], "0")]),
    ("different variables", [assume("0 <= g(x)"), instantiate("g", [], "0")]),
    ("is of sort Nat, not State", [assume("0 <= g(x)"), instantiate("g", ["n"], "0")]),
    ("is of sort Real, not Nat", [assume("0 <= C(n)"), instantiate("C", ["n"], "c")]),
    ("is random, g is not", [assume("0 <= g(x)"), instantiate("g", ["x"], "W")]),
    ("not seen to be tame", [assume("0 <= F(c)"), instantiate("F", ["u"], "1/u")]),
    ("not seen to be tame", [assume("0 <= F(c)"), instantiate("F", ["u"], "log(u)")]),
    ("not seen to be tame", [assume("0 <= R"), instantiate("R", [], "1/W")]),
    ("not seen to be tame", [assume("0 <= R"), instantiate("R", [], "Sup(n, N(n))")]),
    ("not seen to be known at m", [assume("0 <= G(n)"), instantiate("G", ["m"], "Y(m + 1)")]),
    ("not seen to be known at m", [assume("0 <= G(n)"), instantiate("G", ["m"], "W")]),
    ("not seen to be known at m", [assume("0 <= G(n)"), instantiate("G", ["m"], "Y(N(0))")]),
    ("not seen to be known at m", [assume("0 <= G(n)"), instantiate("G", ["m"], "Sum(i, m + 2, Y(i))")]),
    ("stands inside E(", [assume("g(X(0)) <= 1"), instantiate("g", ["x"], "E(Ind(X(1) == x))")]),
    # ---- rewrite
    ("is no equation", [assume("u <= v"), assume("u <= 1"), rewrite("w", "w <= 1")]),
    ("the template gives", [assume("u == v"), assume("u <= 1"), rewrite("w", "w <= 2")]),
    ("not seen to be of sort Nat", [assume("n == u"), assume("a(n) <= 1"), rewrite("m", "a(m) <= 1")]),
    ("not seen to be of sort State", [assume("n == u"), assume("p(x) <= 1"), rewrite("y", "p(y) <= 1")]),
    ("is random, and w stands inside E(", [assume("W == c"), assume("E(W) <= 1"), rewrite("w", "E(w) <= 1")]),
    (
        "not seen to be known at 0",
        [assume("Y(1) == c"), assume("E(Y(1), 0) <= 1"), rewrite("w", "E(w, 0) <= 1")],
    ),
    (
        "is random, and w stands inside Sure(",
        [assume("W == c"), assume("Sure(W <= 1)"), rewrite("w", "Sure(w <= 1)")],
    ),
    # ---- sure
    ("the given 'W <= 1' is random", [assume("W <= 1"), step("sure", 0)]),
    ("is no Sure", [assume("W <= 1"), step("unsure", 0)]),
    ("stands inside Sure(", [assume("All(u, Sure(W <= u))"), step("specialize", 0, term="W")]),
    ("Ind of a formula with Sure", [assume("Ind(Sure(W <= 1)) <= 1")]),
    # ---- induction
    (
        "n is free in the given",
        [
            assume("0 <= a(n)"),
            assume("0 <= a(n + 1)"),
            step("induction", 0, 1, variable="n", formula="0 <= a(n)"),
        ],
    ),
    (
        "n is free in the given",
        [same("0 == 0*n"), assume("a(n) <= 0"), step("induction", 0, 1, variable="n", formula="0 == 0*n")],
    ),
    (
        "is needed",
        [same("0 == 0"), assume("0 <= a(1)"), step("induction", 0, 1, variable="n", formula="0 <= a(n)")],
    ),
    (
        "is needed",
        [
            assume("0 <= a(0)"),
            assume("0 <= a(0)"),
            step("induction", 0, 1, variable="n", formula="0 <= a(n)"),
        ],
    ),
    (
        "is of sort Real, not Nat",
        [assume("0 <= 0"), assume("0 <= 1"), step("induction", 0, 1, variable="u", formula="0 <= u")],
    ),
    # ---- combine
    ("one multiplier for each premise", [assume("u <= v"), combine("u <= v", 0, multipliers=[])]),
    ("differ by", [assume("u <= v"), combine("v <= u", 0, multipliers=["1"])]),
    ("differ by the number -1", [assume("u <= v"), combine("u + 1 <= v", 0, multipliers=["1"])]),
    ("differ by the number 1", [assume("u == v"), combine("u == v + 1", 0, multipliers=["1"])]),
    ("is negative", [assume("u <= v"), combine("-u <= -v", 0, multipliers=["-1"])]),
    ("an equation does not follow", [assume("u <= v"), combine("u == v", 0, multipliers=["1"])]),
    ("the goal is strict", [assume("u <= v"), combine("u < v", 0, multipliers=["1"])]),
    ("the goal is strict", [assume("u < v"), combine("0 < 0", 0, multipliers=["0"])]),
    ("no premise shows that the multiplier", [assume("u <= v"), combine("c*u <= c*v", 0, multipliers=["c"])]),
    (
        "says u <= v, not 0 <= c",
        [assume("u <= v"), combine("c*u <= c*v", 0, multipliers=[{"term": "c", "sign": 0}])],
    ),
    (
        "no premise shows that the multiplier",
        [assume("u <= v"), combine("c*u <= c*v", 0, multipliers=[{"term": "c", "sign": 7}])],
    ),
    (
        "the goal is strict",
        [
            assume("u < v"),
            assume("0 <= c"),
            combine("c*u < c*v", 0, 1, multipliers=[{"term": "c", "sign": 1}, "0"]),
        ],
    ),
    ("is not a relation", [assume("x == y"), combine("0 <= 1", 0, multipliers=["1"])]),
    ("is not a relation", [assume("Or(u <= v, v <= u)"), combine("0 <= 1", 0, multipliers=["1"])]),
    ("differ by", [same("u*(1/u) == 1")]),
    ("differ by", [same("E(W**2) == E(W)**2")]),
    # ---- monotone
    ("is not a binder that keeps order", [assume("u <= v"), monotone("Sup", variable="n")]),
    ("is not a relation", [assume("And(u <= v, v <= u)"), monotone("E")]),
    ("i is free in the given", [assume("a(i) <= 1"), monotone("Sum", variable="i", bound="n")]),
    ("i is free in the given", [assume("i <= n"), monotone("Sum", variable="i", bound="n")]),
    (
        "i is free in",
        [
            assume("i < 2*i"),
            combine("0 <= i", 0, multipliers=["1"]),
            monotone("Sum", 1, variable="i", bound="2*i"),
        ],
    ),
    ("is of sort Real, not Nat", [assume("0 <= 1"), monotone("Sum", variable="i", bound="c")]),
    ("is of sort Nat, not Real", [assume("0 <= 1"), monotone("Int", variable="i", bound="t")]),
    ("is of sort Nat, not finite", [assume("0 <= 1"), monotone("SumOver", variable="n")]),
    ("y is free in the given", [assume("p(y) <= 1"), monotone("MaxOver", variable="y")]),
    ("s is free in the given", [assume("f(s) <= 1"), monotone("Int", variable="s", bound="t")]),
    ("s is free in the given", [assume("s < t"), monotone("Int", variable="s", bound="t")]),
    ("s is free in", [assume("s <= 2*s"), monotone("Int", variable="s", bound="2*s")]),
    ("not seen to be tame in s", [same("1/s == 1/s"), monotone("Int", variable="s", bound="t")]),
    (
        "not seen to be tame in s",
        [same("E(W*exp(-s*W)/W) == E(W*exp(-s*W)/W)"), monotone("Int", variable="s", bound="t")],
    ),
    ("the given 'W <= 1' is random", [assume("W <= 1"), monotone("E")]),
    ("not seen to be known at n", [assume("Y(n + 1) <= 1"), monotone("E", bound="n")]),
    ("not seen to be tame in ω", [same("log(W) == log(W)"), monotone("E")]),
    ("not seen to be tame in ω", [same("Sup(n, N(n)) == Sup(n, N(n))"), monotone("E")]),
    (
        "not seen to be tame in ω",
        [same("1/Int(s, 1, M(0, s)) == 1/Int(s, 1, M(0, s))"), monotone("E", bound="n")],
    ),
    ("the level N(0) is random", [same("0 == 0"), monotone("E", bound="N(0)")]),
    # ---- exchange
    ("no two binders", [step("exchange", term="Sum(i, n, a(i))")]),
    ("no two binders", [step("exchange", term="E(Sup(n, a(n)))")]),
    ("is free in", [step("exchange", term="Sum(i, n, Sum(k, i, a(k)))")]),
    ("is free in", [step("exchange", term="Int(s, t, Int(r, s, f(r)))")]),
    ("not seen to be tame", [step("exchange", term="Int(s, t, Int(r, u, 1/(s - r)))")]),
    ("is random", [step("exchange", term="E(Int(s, W, f(s)))")]),
    ("is random", [step("exchange", term="Int(s, W, E(f(s)*W))")]),
    ("not seen to be known at 0", [step("exchange", term="E(Int(s, Y(1), f(s)), 0)")]),
    ("not seen to be known at 0", [step("exchange", term="Int(s, Y(1), E(f(s), 0))")]),
    ("not seen to be tame", [step("exchange", term="E(Int(s, t, 1/(s + W)))")]),
    ("is free in", [step("exchange", term="Int(s, t, E(W, h(Ind(s <= 1))))")]),
    # ---- most, least, supremum, bounded
    ("is no MaxOver", [step("most", term="SumOver(y, p(y))", at="x")]),
    ("is of sort Nat, not State", [step("most", term="MaxOver(y, p(y))", at="n")]),
    ("stands inside E(", [step("most", term="MaxOver(y, E(Ind(X(1) == y)))", at="X(0)")]),
    ("y is free in the given", [assume("p(y) <= c"), step("least", 0, variable="y")]),
    (
        "y is free in 'p(y)'",
        [same("p(y) == p(y)"), combine("p(y) <= p(y)", multipliers=[]), step("least", 1, variable="y")],
    ),
    ("is of sort Nat, not finite", [assume("a(n) <= c"), step("least", 0, variable="n")]),
    ("is not a relation <=", [assume("p(x) == c"), step("least", 0, variable="y")]),
    ("n is free in the given", [assume("a(n) <= c"), step("supremum", 0, variable="n", at="0")]),
    ("n is free in 'n'", [combine("n <= n", multipliers=[]), step("supremum", 0, variable="n", at="0")]),
    (
        "is of sort State, not Nat",
        [same("0 == 0"), combine("0 <= 1", multipliers=[]), step("supremum", 1, variable="y", at="0")],
    ),
    (
        "is of sort Real, not Nat",
        [combine("0 <= 1", multipliers=[]), step("supremum", 0, variable="n", at="c")],
    ),
    (
        "stands inside E(",
        [
            assume("All(n, E(a(n)*N(n)) <= c)"),
            step("specialize", 0, term="n"),
            step("supremum", 1, variable="n", at="N(0)"),
        ],
    ),
    ("n is free in the given", [assume("a(n) <= c"), step("bounded", 0, variable="n")]),
    ("n is free in 'n'", [combine("n <= n", multipliers=[]), step("bounded", 0, variable="n")]),
    # ---- primitive, archimedes
    ("is not made of s", [step("primitive", variable="s", bound="t", term="log(s)")]),
    ("is not made of s", [step("primitive", variable="s", bound="t", term="1/s")]),
    ("is not made of s", [step("primitive", variable="s", bound="t", term="f(s)")]),
    ("is not made of s", [step("primitive", variable="s", bound="t", term="s**(1/2)")]),
    ("is of sort Nat, not Real", [step("primitive", variable="n", bound="t", term="n")]),
    ("n is free in the given", [assume("n*u <= c"), step("archimedes", 0, variable="n")]),
    ("n is free in", [combine("n*u <= n*u", multipliers=[]), step("archimedes", 0, variable="n")]),
    ("is not n times a term", [combine("u <= u", multipliers=[]), step("archimedes", 0, variable="n")]),
    (
        "is of sort Real, not Nat",
        [combine("u*v <= u*v", multipliers=[]), step("archimedes", 0, variable="u")],
    ),
    # ---- elementary facts
    ("All over a real variable", [step("holds", formula="All(u, u <= 1)")]),
    ("All over a real variable", [step("fails", formula="All(u, u <= 1)")]),
    ("is of sort Real, not Nat", [step("whole", term="c")]),
    ("is of sort Real, not Nat", [step("whole", term="n - 1")]),
    ("is not in the list", [step("known", name="fermat", terms=["u"])]),
    ("is about 1 terms", [step("known", name="square", terms=["u", "v"])]),
    ("is of sort State, not Real", [step("known", name="square", terms=["x"])]),
    ("is of sort Real, not Nat", [step("known", name="discrete", terms=["u", "1"])]),
    ("is about two formulas", [step("known", name="either", terms=["0 <= u"])]),
    ("is a term", [step("known", name="either", terms=["u", "v"])]),
    # ---- pointwise
    ("does not give a term for each of b", [pointwise(**{"with": {}})]),
    ("does not give a term for each of b", [pointwise(**{"with": {"b": "1", "d": "1"}})]),
    ("is of sort State, not Real", [pointwise(**{"with": {"b": "x"}})]),
    ("is of sort Real, not Nat", [pointwise(integers=["b"], certificate=CERTIFICATE | {"integers": ["b"]})]),
    ("another relation, domain or integers", [pointwise(domain=["b >= 1/2"])]),
    ("another relation, domain or integers", [pointwise(relation="1/b < 1")]),
    ("another relation, domain or integers", [pointwise(integers=["b"], **{"with": {"b": "n"}})]),
    (
        "is not seen to be",
        [pointwise(relation="1/b <= 1/2", certificate=CERTIFICATE | {"relation": "1/b <= 1/2"})],
    ),
    ("smaller than the domain", [pointwise(certificate=CERTIFICATE | {"box": ["b >= 2"]})]),
    ("is not an object", [pointwise(certificate="proved")]),
    (
        "missing or no text",
        [step("pointwise", relation="0 <= b**2", domain=["b"], integers=[]) | {"with": {"b": "u"}}],
    ),
]


@pytest.mark.parametrize(
    ("words", "steps"), WRONG, ids=[f"{k}-{s[-1]['rule']}" for k, (_, s) in enumerate(WRONG)]
)
def test_a_wrong_step_is_refused_with_its_reason(words, steps):
    last = len(steps) - 1
    found = examine(derivation("0 == 1", *steps)).complaints
    about = [one for one in found if one.startswith(f"lem:x: step {last} ({steps[-1]['rule']}): ")]
    assert about, found
    assert words in about[0]
    assert "\n" not in about[0]


def test_there_are_enough_wrong_ones():
    assert len(WRONG) >= 150


HALF = CERTIFICATE | {"relation": "2 <= b", "domain": ["b >= 0", "1/b <= 1/2"], "box": ["b >= 0"]}


def test_a_condition_has_to_be_defined_too():
    """On b >= 0, 1/b <= 1/2 a claim may say 2 <= b; here 1/0 is 0, so b = 0 satisfies the conditions."""
    step_ = pointwise(relation=HALF["relation"], domain=HALF["domain"], label="half", **{"with": {"b": "0"}})
    del step_["certificate"]
    found = examine(derivation("2 <= 0", step_)).complaints
    assert any("still has the given '0 < 0'" in one for one in found)


SETTINGS = {
    "is not a sort": {"variables": {"b": "Colour"}},
    "is used for something else": {
        "symbols": [*SETTING["symbols"], {"name": "c", "args": [], "value": "Real"}]
    },
    "is that of a variable": {"symbols": [{"name": "Nat_1", "args": [], "value": "Real"}]},
    "the name E is used": {"symbols": [{"name": "E", "args": [], "value": "Real"}]},
    "by its name": {"variables": {"Nat_1": "Real"}},
    "is not a symbol": {"symbols": ["b"]},
    "has no meaning": {"symbols": [{"name": "b", "args": ["Real"], "value": "Real", "known": "_1"}]},
    "not Nat": {"symbols": [{"name": "b", "args": ["Nat"], "value": "Real", "known": "_1 - 1"}]},
    "is not a name": {"sorts": ["not a name"]},
}


@pytest.mark.parametrize("words", SETTINGS)
def test_a_wrong_setting_is_refused(words):
    found = check_derivation(derivation("0 == 0", same("0 == 0"), setting=SETTING | SETTINGS[words]))
    assert len(found) == 1
    assert words in found[0]
