"""Wrong derivations of every kind: each is refused in one line that names the rule and the reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.kernel.texts import SETTING, SYMBOLS, VARIABLES
from verify.kernel import calculus, terms, theorems
from verify.kernel.calculus import Operator, Pointwise
from verify.kernel.language import Setting
from verify.kernel.terms import KernelError
from verify.kernel.theorems import Theorem

t, f, v = SETTING.term, SETTING.formula, SETTING.variable
OTHER = Setting.of("other", "State Action", VARIABLES, SYMBOLS, {})


def a(text: str) -> Theorem:
    """A ⊢ A."""
    return theorems.assume(SETTING, f(text))


def k(name: str, *words: str) -> Theorem:
    """An elementary fact."""
    return calculus.elementary(SETTING, name, *map(t, words))


def comb(goal: str, *rows: tuple[Theorem, object]) -> Theorem:
    """combine."""
    many = [t(m) if isinstance(m, str) else (t(m[0]), m[1]) for _, m in rows]  # type: ignore[index]
    return calculus.combine(SETTING, f(goal), [p for p, _ in rows], many)


def mono(theorem: Theorem, tag: str, x: str | None = None, end: str | None = None) -> Theorem:
    """monotone."""
    return calculus.monotone(theorem, tag, v(x) if x else None, t(end) if end else None)


def op(tag: str, x: str | None = None, end: str | None = None) -> Operator:
    """An operator of exchange."""
    return Operator(tag, v(x) if x else None, t(end) if end else None)


def exch(outer: Operator, inner: Operator, body: str) -> Theorem:
    """exchange."""
    return calculus.exchange(SETTING, outer, inner, t(body))


def put(theorem: Theorem, x: str, value: str) -> Theorem:
    """substitute."""
    return theorems.substitute(theorem, v(x), t(value))


def inst(theorem: Theorem, name: str, params: str, body: str) -> Theorem:
    """instantiate."""
    return theorems.instantiate(theorem, SETTING.symbols[name], [v(x) for x in params.split()], t(body))


def point(relation: str, *domain: str, **values: str) -> Theorem:
    """pointwise with a label."""
    goal = Pointwise(relation, domain, (), "claim")
    return calculus.pointwise(SETTING, goal, {x: t(u) for x, u in values.items()})


def ind(n: str, formula: str, start: Theorem, step: Theorem) -> Theorem:
    """induction."""
    return theorems.induction(v(n), f(formula), start, step)


def rew(equation: Theorem, theorem: Theorem, x: str, template: str) -> Theorem:
    """rewrite."""
    return theorems.rewrite(equation, theorem, v(x), f(template))


def prim(s: str, end: str, whole: str) -> Theorem:
    """primitive."""
    return calculus.primitive(SETTING, v(s), t(end), t(whole))


Wrong = tuple[str, Callable[[], object]]

LOGIC: list[Wrong] = [
    ("fact: worlds has no fact 'nothing'", lambda: theorems.fact(SETTING, "nothing")),
    ("lemma: .* is not a formula", lambda: theorems.lemma(SETTING, "x", "1 <")),
    ("lemma: .* is of sort Nat, not truth", lambda: theorems.lemma(SETTING, "x", "1 + 1")),
    ("assume: .*", lambda: theorems.assume(SETTING, t("1"))),
    ("discharge: a part of Imp", lambda: theorems.discharge(t("s"), a("s <= t"))),
    ("mp: .* is no Imp", lambda: theorems.mp(a("s <= t"), a("s <= t"))),
    ("mp: needs 's <= t', has 't <= s'", lambda: theorems.mp(a("Imp(s <= t, t <= r)"), a("t <= s"))),
    ("mp: needs 's <= t', has 's < t'", lambda: theorems.mp(a("Imp(s <= t, t <= r)"), a("s < t"))),
    ("mp: needs", lambda: theorems.mp(a("Imp(s <= t, t <= r)"), a("t <= r"))),
    (
        "mp: premises of different settings",
        lambda: theorems.mp(a("Imp(s <= t, t <= r)"), theorems.assume(OTHER, f("s <= t"))),
    ),
    ("generalize: s is free in 's <= t'", lambda: theorems.generalize(v("s"), a("s <= t"))),
    ("generalize: n is free in", lambda: theorems.generalize(v("n"), a("N(n) <= 1"))),
    ("generalize: .* is no variable", lambda: theorems.generalize(t("c"), a("s <= t"))),
    ("generalize: .* is no variable", lambda: theorems.generalize(t("X(0)"), a("s <= t"))),
    ("specialize: 's <= t' is no All", lambda: theorems.specialize(a("s <= t"), t("1"))),
    (
        "specialize: the value is of sort Real, not Nat",
        lambda: theorems.specialize(a("All(n, N(n) <= 1)"), t("1/2")),
    ),
    (
        "specialize: the value is of sort State, not Nat",
        lambda: theorems.specialize(a("All(n, N(n) <= 1)"), t("z")),
    ),
    (
        "specialize: the value is of sort Action",
        lambda: theorems.specialize(a("All(y, gs(y) <= 1)"), t("A(0)")),
    ),
    (
        "specialize: a random term cannot be put under a mean",
        lambda: theorems.specialize(a("All(y, E(M(1, y)) <= 1)"), t("X(1)")),
    ),
    (
        "specialize: a random term cannot be put under a mean",
        lambda: theorems.specialize(a("All(y, E(M(2, y), 0) <= 1)"), t("X(1)")),
    ),
    (
        "specialize: a random term cannot be put under a mean",
        lambda: theorems.specialize(a("All(y, Sure(M(1, y) <= 1))"), t("X(0)")),
    ),
    (
        "specialize: a random term cannot be put into the level",
        lambda: theorems.specialize(a("All(n, E(W, n) <= 1)"), t("N(0)")),
    ),
    ("sure: the given .* is random", lambda: theorems.sure(a("W <= 1"))),
    ("sure: the given .* is random", lambda: theorems.sure(a("E(W, 0) <= 1"))),
    ("unsure: .* is no Sure", lambda: theorems.unsure(a("W <= 1"))),
    ("both: needs two theorems or more", lambda: theorems.both(a("s <= t"))),
    ("both: needs two theorems or more", lambda: theorems.both()),
    (
        "both: premises of different settings",
        lambda: theorems.both(a("s <= t"), theorems.assume(OTHER, f("s <= t"))),
    ),
    ("part: 's <= r' is no part", lambda: theorems.part(a("And(s <= t, t <= r)"), f("s <= r"))),
    ("part: .* is no part", lambda: theorems.part(a("Or(s <= t, t <= r)"), f("s <= t"))),
    ("part: .* is no part", lambda: theorems.part(a("Not(And(s <= t, t <= r))"), f("s <= t"))),
    ("cases: .* is not", lambda: theorems.cases(f("s <= t"), a("s <= t"), a("t <= s"))),
    (
        "cases: premises of different settings",
        lambda: theorems.cases(f("s <= t"), a("s <= t"), theorems.assume(OTHER, f("s <= t"))),
    ),
    ("absurd: .* denies something else", lambda: theorems.absurd(a("s <= t"), a("t <= s"), f("0 == 1"))),
    ("absurd: .* denies something else", lambda: theorems.absurd(a("s == t"), a("t < s"), f("0 == 1"))),
    (
        "absurd: .* denies something else",
        lambda: theorems.absurd(a("s <= t"), a("Imp(s <= t, 0 == 1)"), f("0 == 1")),
    ),
    ("absurd: a conclusion", lambda: theorems.absurd(a("s <= t"), a("t < s"), t("1"))),
    ("substitute: the term is of sort Real, not Nat", lambda: put(a("N(n) <= 1"), "n", "1/2")),
    ("substitute: the term is of sort Real, not Nat", lambda: put(a("N(n) <= 1"), "n", "n - 1")),
    ("substitute: the term is of sort Nat, not State", lambda: put(a("gs(y) <= 1"), "y", "1")),
    ("substitute: a random term cannot be put under a mean", lambda: put(a("E(M(1, y)) <= 1"), "y", "X(0)")),
    (
        "substitute: a random term cannot be put under a mean",
        lambda: put(a("E(M(2, y), 1) <= 1"), "y", "X(2)"),
    ),
    (
        "substitute: a random term cannot be put under a mean",
        lambda: put(a("E(Max(s, Y(2)), 1) <= 1"), "s", "Y(1)"),
    ),
    (
        "substitute: a random term cannot be put under a mean",
        lambda: put(a("E(Max(s, Y(2)), n) <= 1"), "s", "W"),
    ),
    (
        "substitute: a random term cannot be put under a mean",
        lambda: put(a("Sum(i, n, E(Max(s, Y(i)), i)) <= 1"), "s", "M(1, z)"),
    ),
    ("substitute: a random term cannot be put into the level", lambda: put(a("E(W, n) <= 1"), "n", "N(0)")),
    ("substitute: a random term cannot be put under a mean", lambda: put(a("Sure(Y(0) <= s)"), "s", "Y(0)")),
    ("substitute: .* is no variable", lambda: theorems.substitute(a("c <= 1"), t("c"), t("2"))),
    ("substitute: .* is no variable", lambda: theorems.substitute(a("W <= 1"), t("W"), t("2"))),
]

FUNCTIONS: list[Wrong] = [
    ("instantiate h: the symbol is not generic", lambda: inst(a("h(s) <= 1"), "h", "s", "s")),
    ("instantiate W: the symbol is not generic", lambda: inst(a("W <= 1"), "W", "", "1")),
    ("instantiate gd: write 1 parameters", lambda: inst(a("gd(s) <= 1"), "gd", "s t", "s")),
    ("instantiate gd: write 1 parameters", lambda: inst(a("gd(s) <= 1"), "gd", "", "1")),
    (
        "instantiate gd: the parameter n is of sort Nat, not Real",
        lambda: inst(a("gd(s) <= 1"), "gd", "n", "n"),
    ),
    ("instantiate gs: the parameter a", lambda: inst(a("gs(y) <= 1"), "gs", "a", "1")),
    ("instantiate gn: the body is of sort Real, not Nat", lambda: inst(a("gn(n) <= 1"), "gn", "n", "n - 1")),
    ("instantiate gn: the body is of sort State", lambda: inst(a("gn(n) <= 1"), "gn", "n", "z")),
    ("instantiate gd: .* is not seen to be bounded", lambda: inst(a("gd(s) <= 1"), "gd", "s", "1/s")),
    ("instantiate gd: .* is not seen to be bounded", lambda: inst(a("gd(s) <= 1"), "gd", "s", "log(s)")),
    (
        "instantiate gd: .* is not seen to be bounded",
        lambda: inst(a("gd(s) <= 1"), "gd", "s", "Int(r, s, 1/r)"),
    ),
    ("instantiate gd: .* is not seen to be deterministic", lambda: inst(a("gd(s) <= 1"), "gd", "s", "s*W")),
    (
        "instantiate gd: .* is not seen to be deterministic",
        lambda: inst(a("gd(s) <= 1"), "gd", "s", "E(Y(1), 0)"),
    ),
    (
        "instantiate gs: .* is not seen to be deterministic",
        lambda: inst(a("gs(y) <= 1"), "gs", "y", "Ind(X(0) == y)"),
    ),
    ("instantiate gk: .* is not seen to be known at n", lambda: inst(a("gk(n) <= 1"), "gk", "n", "Y(n)")),
    ("instantiate gk: .* is not seen to be known at n", lambda: inst(a("gk(n) <= 1"), "gk", "n", "W")),
    ("instantiate gk: .* is not seen to be known at n", lambda: inst(a("gk(n) <= 1"), "gk", "n", "M(1, z)")),
    (
        "instantiate gk: .* is not seen to be known at n",
        lambda: inst(a("gk(n) <= 1"), "gk", "n", "E(W, n + 1)"),
    ),
    (
        "instantiate gk: .* is not seen to be known at n",
        lambda: inst(a("gk(n) <= 1"), "gk", "n", "Sum(i, n + 1, Y(i))"),
    ),
    (
        "instantiate gk: .* is not seen to be known at n",
        lambda: inst(a("gk(n) <= 1"), "gk", "n", "Sum(i, n, M(f(i), z))"),
    ),
    (
        "instantiate gk: .* is not seen to be known at n",
        lambda: inst(a("gk(n) <= 1"), "gk", "n", "M(N(n), z)"),
    ),
    ("instantiate ga: .* is not seen to be bounded", lambda: inst(a("ga(y) <= 1"), "ga", "y", "1/W")),
    (
        "instantiate ga: .* is not seen to be bounded",
        lambda: inst(a("ga(y) <= 1"), "ga", "y", "Sup(n, N(n))"),
    ),
    ("instantiate: .* cannot be put under a mean", lambda: inst(a("gs(X(1)) <= 1"), "gs", "y", "E(M(1, y))")),
    ("rewrite: .* is no equation", lambda: rew(a("s <= t"), a("s <= 1"), "r", "r <= 1")),
    ("rewrite: the template gives", lambda: rew(a("s == t"), a("s <= 1"), "r", "r <= 2")),
    ("rewrite: the template gives", lambda: rew(a("s == t"), a("t <= 1"), "r", "r <= 1")),
    (
        "rewrite: a side of the equation is of sort Real, not Nat",
        lambda: rew(a("s == 1"), a("N(1) <= 1"), "n", "N(n) <= 1"),
    ),
    (
        "rewrite: a side of the equation is of sort State",
        lambda: rew(a("X(0) == z"), a("s <= 1"), "r", "r <= 1"),
    ),
    ("rewrite: .* is no variable", lambda: theorems.rewrite(a("s == t"), a("s <= 1"), t("c"), f("c <= 1"))),
    (
        "rewrite: a random term cannot be put under a mean",
        lambda: rew(a("W == 1"), a("E(Max(W, Y(0))) <= 2"), "r", "E(Max(r, Y(0))) <= 2"),
    ),
    (
        "rewrite: a random term cannot be put under a mean",
        lambda: rew(a("X(1) == z"), a("E(M(1, X(1)), 0) <= 2"), "y", "E(M(1, y), 0) <= 2"),
    ),
    (
        "rewrite: what the equation is given is not known at 0",
        lambda: rew(
            theorems.mp(a("Imp(W <= 1, M(0, z) == 1)"), a("W <= 1")),
            a("E(Max(M(0, z), W), 0) <= 2"),
            "r",
            "E(Max(r, W), 0) <= 2",
        ),
    ),
    ("induction: .* is no variable of sort Nat", lambda: ind("s", "s <= 1", a("0 <= 1"), a("s + 1 <= 1"))),
    ("induction: the start says", lambda: ind("n", "f(n) <= 1", a("f(1) <= 1"), a("f(n + 1) <= 1"))),
    ("induction: the step says", lambda: ind("n", "f(n) <= 1", a("f(0) <= 1"), a("f(n + 2) <= 1"))),
    ("induction: the step says", lambda: ind("n", "f(n) <= 1", a("f(0) <= 1"), a("f(n) <= 1"))),
    ("induction: n is free in", lambda: ind("n", "f(n) <= 1", a("f(0) <= 1"), a("f(n + 1) <= 1"))),
    (
        "induction: n is free in",
        lambda: ind(
            "n",
            "f(n) <= 1",
            theorems.mp(a("Imp(n <= 3, f(0) <= 1)"), a("n <= 3")),
            theorems.mp(a("Imp(f(m) <= 1, f(n + 1) <= 1)"), a("f(m) <= 1")),
        ),
    ),
    (
        "induction: m is free in",
        lambda: ind(
            "m", "f(m) <= 1", a("f(0) <= 1"), theorems.mp(a("Imp(m <= 5, f(m + 1) <= 1)"), a("m <= 5"))
        ),
    ),
]

NUMBERS: list[Wrong] = [
    ("combine: .* is no comparison", lambda: comb("And(s <= t, t <= s)")),
    (
        "combine: one multiplier for each premise",
        lambda: calculus.combine(SETTING, f("s <= t"), [a("s <= t")], []),
    ),
    ("combine: the multiplier \\(-1\\) is not seen", lambda: comb("t <= s", (a("s <= t"), "0 - 1"))),
    ("combine: the multiplier c is not seen", lambda: comb("c*s <= c*t", (a("s <= t"), "c"))),
    ("combine: the multiplier .* is not seen", lambda: comb("n*s <= n*t", (a("s <= t"), "n"))),
    ("combine: the multiplier .* is not seen", lambda: comb("W*s <= W*t", (a("s < t"), "W"))),
    ("combine: no premise 5", lambda: comb("c*s <= c*t", (a("s <= t"), ("c", 5)))),
    ("combine: premise 1 says", lambda: comb("c*s <= c*t", (a("s <= t"), ("c", 1)), (a("0 <= r"), "0"))),
    ("combine: premise 1 says", lambda: comb("c*s <= c*t", (a("s <= t"), ("c", 1)), (a("c <= 0"), "0"))),
    ("combine: premise 1 says", lambda: comb("c*s <= c*t", (a("s <= t"), ("c", 1)), (a("0 == c"), "0"))),
    ("combine: premise 1 says", lambda: comb("c*s <= c*t", (a("s <= t"), ("c", 1)), (a("0 <= 2*c"), "0"))),
    ("combine: the premises leave", lambda: comb("s <= r", (a("s <= t"), "1"))),
    ("combine: the premises leave", lambda: comb("s**2 <= t**2", (a("s <= t"), "1"))),
    ("combine: the premises leave", lambda: comb("1/t <= 1/s", (a("s <= t"), "1"))),
    ("combine: the premises leave", lambda: comb("s*(1/s) == 1")),
    ("combine: the premises leave", lambda: comb("E(s*W, 0) <= E(t*W, 0)", (a("s <= t"), "1"))),
    ("combine: the premises leave", lambda: comb("E(Y(1)**2) == E(Y(1))**2")),
    ("combine: the premises leave", lambda: comb("E(Y(0)*Y(2)) == E(Y(0))*E(Y(2))")),
    ("combine: the premises leave", lambda: comb("E(Ind(Or(W <= 1, Y(0) <= 1))) <= E(Ind(W <= 1))")),
    ("combine: the premises leave", lambda: comb("E(Sup(n, M(n, z))) == Sup(n, E(M(n, z)))")),
    ("combine: the premises leave", lambda: comb("Int(s, t, Sup(n, h(s))) == Sup(n, Int(s, t, h(s)))")),
    ("combine: the premises leave", lambda: comb("Int(s, t, 1) == t")),
    ("combine: the premises leave", lambda: comb("sqrt(s)**2 == s")),
    ("combine: the premises leave", lambda: comb("exp(log(s)) == s")),
    ("combine: the premises leave", lambda: comb("E(E(Y(3), 1), 2) == E(Y(3), 2)")),
    ("combine: the premises leave", lambda: comb("E(Y(1), 1) == Y(1)")),
    ("combine: the premises leave", lambda: comb("E(Ind(X(2) == z)*W, 1) == Ind(X(2) == z)*E(W, 1)")),
    ("combine: the premises leave", lambda: comb("E(1/W + 1) == E(1/W) + 1")),
    ("combine: the premises leave", lambda: comb("Int(s, 1, 1/s + 1) == Int(s, 1, 1/s) + Int(s, 1, 1)")),
    ("combine: the premises leave", lambda: comb("Sum(i, n + m, f(i)) == Sum(i, n, f(i)) + Sum(i, m, f(i))")),
    ("combine: the premises leave -1", lambda: comb("s + 1 <= t", (a("s <= t"), "1"))),
    ("combine: the premises leave 0", lambda: comb("s < t", (a("s <= t"), "1"))),
    ("combine: the premises leave 0", lambda: comb("c*s < c*t", (a("s < t"), ("c", 1)), (a("0 <= c"), "0"))),
    ("combine: the premises leave 0", lambda: comb("0 < 0")),
    ("combine: the premises leave -1", lambda: comb("1 <= 0")),
    ("combine: .* needs equations, and no rest", lambda: comb("s == t", (a("s <= t"), "1"))),
    ("combine: .* needs equations, and no rest", lambda: comb("s == t + 1", (a("s == t"), "1"))),
    ("combine: .* needs equations, and no rest", lambda: comb("0 == 1")),
    ("combine: .* is no comparison", lambda: comb("s <= t", (a("Or(s <= t, t <= s)"), "1"))),
    ("combine: .* is no number", lambda: comb("s <= s", (a("X(0) == z"), "1"))),
    ("combine: .* is no number", lambda: comb("X(0) == z")),
    (
        "combine: premises of different settings",
        lambda: calculus.combine(SETTING, f("s <= t"), [theorems.assume(OTHER, f("s <= t"))], [terms.ONE]),
    ),
    ("known: there is no elementary fact 'jensen'", lambda: k("jensen", "s")),
    ("known: square takes 1 terms", lambda: k("square", "s", "t")),
    ("known: .*max takes 2 terms", lambda: k("max", "s")),
    ("known discrete: a term is of sort Real, not Nat", lambda: k("discrete", "s", "n")),
    ("known: .*", lambda: k("square", "z")),
    ("known: .*", lambda: k("total", "s", "z")),
    ("known: .*", lambda: k("either", "s", "t")),
    ("whole: the term is of sort Real, not Nat", lambda: calculus.whole(SETTING, t("n - 1"))),
    ("whole: the term is of sort Real, not Nat", lambda: calculus.whole(SETTING, t("s"))),
    ("whole: the term is of sort Real, not Nat", lambda: calculus.whole(SETTING, t("E(N(1))"))),
    ("whole: the term is of sort State", lambda: calculus.whole(SETTING, t("z"))),
    ("holds: .*", lambda: calculus.holds(SETTING, f("All(s, s <= 1)"))),
    ("holds: .*", lambda: calculus.holds(SETTING, t("s"))),
    ("fails: .*", lambda: calculus.fails(SETTING, f("Not(All(s, s <= 1))"))),
    ("pointwise.*has no value here; give a term for each variable", lambda: point("x <= y", x="s")),
    ("pointwise.*one <=", lambda: point("x <= y <= x", x="s", y="t")),
    ("pointwise.*is no comparison", lambda: point("x + y", x="s", y="t")),
    ("pointwise.*is no comparison", lambda: point("x != y", x="s", y="t")),
    ("pointwise.*is not a formula", lambda: point("x <=", x="s")),
    ("pointwise.*divides by 0", lambda: point("x/0 <= 1", x="s")),
    ("pointwise.*divides by -1", lambda: point("log(0 - 1) <= x", x="s")),
    ("pointwise.*has no sin of 1", lambda: point("sin(x) <= 1", x="s")),
    ("pointwise.*no Mod here", lambda: point("x % 2 <= 1", x="s")),
    ("pointwise.*", lambda: point("x <= x + 1", x="z")),
    (
        "pointwise.*n is of sort Real, not Nat",
        lambda: calculus.pointwise(SETTING, Pointwise("n <= n + 1", (), ("n",), "claim"), {"n": t("s")}),
    ),
    (
        "pointwise.*the certificate is for something else",
        lambda: calculus.pointwise(SETTING, Pointwise("x <= x", ()), {"x": t("s")}),
    ),
    (
        "pointwise.*the certificate is for something else",
        lambda: calculus.pointwise(
            SETTING,
            Pointwise("x <= 2*x", (), (), "", {"relation": "x <= 2*x", "domain": ["x >= 0"]}),
            {"x": t("s")},
        ),
    ),
    (
        "pointwise.*",
        lambda: calculus.pointwise(
            SETTING,
            Pointwise("x <= 2*x", ("x >= 0",), (), "", {"relation": "x <= 2*x", "domain": ["x >= 0"]}),
            {"x": t("s")},
        ),
    ),
]

OPERATORS: list[Wrong] = [
    ("monotone Sup: there is no such operator", lambda: mono(k("square", "n"), "Sup", "n")),
    ("monotone All: there is no such operator", lambda: mono(k("square", "n"), "All", "n")),
    ("monotone E: .* is no comparison", lambda: mono(a("Or(s <= t, t <= s)"), "E")),
    ("monotone Sum: .* is no comparison", lambda: mono(a("Not(s == t)"), "Sum", "n", "m")),
    ("monotone Sum: needs a variable", lambda: mono(a("s <= t"), "Sum", None, "n")),
    ("monotone Sum: needs a range for Sum and Int", lambda: mono(k("square", "n"), "Sum", "n")),
    (
        "monotone SumOver: needs a range for Sum and Int",
        lambda: mono(k("square", "gs(y)"), "SumOver", "y", "n"),
    ),
    ("monotone Sum: i is free in", lambda: mono(a("f(i) <= 1"), "Sum", "i", "n")),
    ("monotone Sum: i is free in", lambda: mono(a("i < m"), "Sum", "i", "n")),
    ("monotone Sum: i is free in", lambda: mono(a("i <= n"), "Sum", "i", "n")),
    ("monotone SumOver: y is free in", lambda: mono(a("gs(y) <= 1"), "SumOver", "y")),
    ("monotone MaxOver: y is free in", lambda: mono(a("gs(y) <= 1"), "MaxOver", "y")),
    ("monotone Int: s is free in", lambda: mono(a("h(s) <= 1"), "Int", "s", "t")),
    ("monotone Int: s is free in", lambda: mono(a("t <= s"), "Int", "s", "t")),
    ("monotone Int: s is free in", lambda: mono(a("s < t"), "Int", "s", "t")),
    ("monotone Int: .* is not seen to be bounded", lambda: mono(k("square", "1/s"), "Int", "s", "t")),
    ("monotone Int: .* is not seen to be bounded", lambda: mono(k("abs", "log(s)"), "Int", "s", "t")),
    (
        "monotone: the variable of Int is of sort Real|monotone.*",
        lambda: mono(k("square", "n"), "Int", "n", "t"),
    ),
    (
        "monotone.*the variable of Sum is of sort Real, not Nat",
        lambda: mono(k("square", "s"), "Sum", "s", "n"),
    ),
    ("monotone.*the number of summands is of sort Real", lambda: mono(k("square", "i"), "Sum", "i", "s")),
    ("monotone.*runs over a finite sort", lambda: mono(k("square", "i"), "SumOver", "i")),
    ("monotone.*runs over a finite sort", lambda: mono(k("square", "s"), "MaxOver", "s")),
    ("monotone.*the range of Sum mentions its variable", lambda: mono(k("square", "i"), "Sum", "i", "i + 1")),
    ("monotone.*the range of Int mentions its variable", lambda: mono(k("square", "s"), "Int", "s", "2*s")),
    ("monotone E: the given .* is not seen to be deterministic", lambda: mono(a("W <= 1"), "E")),
    (
        "monotone E: the given .* is not seen to be deterministic",
        lambda: mono(theorems.mp(a("Imp(X(0) == z, s <= t)"), a("X(0) == z")), "E"),
    ),
    ("monotone E: the given .* is not seen to be known at 1", lambda: mono(a("Y(1) <= 1"), "E", None, "1")),
    (
        "monotone E: the given .* is not seen to be known at n",
        lambda: mono(a("M(n + 1, z) <= 1"), "E", None, "n"),
    ),
    ("monotone E: the given .* is not seen to be known at n", lambda: mono(a("W <= 1"), "E", None, "n")),
    (
        "monotone E: the given .* is not seen to be known at n",
        lambda: mono(a("M(m, z) <= 1"), "E", None, "n"),
    ),
    ("monotone E: .* is not seen to be bounded", lambda: mono(k("square", "1/W"), "E")),
    ("monotone E: .* is not seen to be bounded", lambda: mono(k("abs", "log(W)"), "E", None, "0")),
    ("monotone E: .* is not seen to be bounded", lambda: mono(k("abs", "Sup(n, M(n, z))"), "E")),
    ("monotone.*the level of E is of sort Real", lambda: mono(k("square", "W"), "E", None, "s")),
    ("monotone.*the level of E is random", lambda: mono(k("square", "W"), "E", None, "N(0)")),
    ("monotone.*", lambda: mono(a("y == z"), "E")),
    ("exchange: there is no MaxOver here", lambda: exch(op("MaxOver", "y"), op("Int", "s", "t"), "gs(y)*s")),
    ("exchange: there is no Sup here", lambda: exch(op("Sup", "n"), op("E"), "M(n, z)")),
    ("exchange: a mean is exchanged with Int only", lambda: exch(op("E"), op("E", None, "0"), "W")),
    (
        "exchange: a mean is exchanged with Int only",
        lambda: exch(op("E", None, "1"), op("Sum", "i", "n"), "Y(i)"),
    ),
    ("exchange: .* is not seen to be bounded", lambda: exch(op("E"), op("Int", "s", "t"), "1/(s + W)")),
    (
        "exchange: .* is not seen to be bounded",
        lambda: exch(op("Int", "s", "t"), op("Int", "r", "t"), "1/(s - r)"),
    ),
    ("exchange: .* is not seen to be bounded", lambda: exch(op("Int", "s", "1"), op("Sum", "i", "n"), "i/s")),
    (
        "exchange: a range mentions the other variable",
        lambda: exch(op("Int", "s", "t"), op("Int", "r", "s"), "s*r"),
    ),
    (
        "exchange: a range mentions the other variable",
        lambda: exch(op("Sum", "i", "n"), op("Sum", "j", "i"), "i*j"),
    ),
    (
        "exchange: a range mentions the other variable",
        lambda: exch(op("Sum", "i", "n"), op("Int", "s", "i"), "i*s"),
    ),
    (
        "exchange: a range mentions the other variable",
        lambda: exch(op("SumOver", "y"), op("Int", "s", "gs(y)"), "lam(y, a)*s"),
    ),
    (
        "exchange: the two operators bind the same variable",
        lambda: exch(op("Sum", "i", "1"), op("Sum", "i", "2"), "i"),
    ),
    (
        "exchange: the two operators bind the same variable",
        lambda: exch(op("SumOver", "y"), op("SumOver", "y"), "gs(y)"),
    ),
    ("exchange: .* is random", lambda: exch(op("E"), op("Int", "s", "W"), "s")),
    ("exchange: .* is random", lambda: exch(op("Int", "s", "N(0)"), op("E"), "R(1, s)")),
    ("exchange: .* is random", lambda: exch(op("E", None, "1"), op("Int", "s", "Y(1)"), "R(1, s)")),
    ("most: the value is of sort Action", lambda: calculus.most(SETTING, v("y"), t("gs(y)"), t("A(0)"))),
    ("most: MaxOver runs over a finite sort", lambda: calculus.most(SETTING, v("n"), t("f(n)"), t("1"))),
    (
        "most: a random term cannot be put under a mean",
        lambda: calculus.most(SETTING, v("y"), t("E(M(1, y))"), t("X(0)")),
    ),
    ("least: y is free in", lambda: calculus.least(a("gs(y) <= 1"), v("y"))),
    ("least: y is free in", lambda: calculus.least(k("max", "gs(y)", "1"), v("y"))),
    ("least: .*runs over a finite sort", lambda: calculus.least(k("min-right", "f(n)", "1"), v("n"))),
    ("least: .* is no comparison", lambda: calculus.least(a("Or(s <= t, t <= s)"), v("y"))),
    ("supremum: n is free in", lambda: calculus.supremum(a("f(n) <= 1"), v("n"), t("1"))),
    ("supremum: n is free in", lambda: calculus.supremum(k("abs", "n"), v("n"), t("1"))),
    (
        "supremum: the value is of sort Real, not Nat",
        lambda: calculus.supremum(k("min-right", "n", "1"), v("n"), t("s")),
    ),
    (
        "supremum: .*the variable of Sup is of sort State",
        lambda: calculus.supremum(k("min-right", "1", "2"), v("y"), t("1")),
    ),
    (
        "supremum: a random term cannot be put under a mean",
        lambda: calculus.supremum(k("min-right", "E(M(n, z), 0)", "1"), v("n"), t("N(1)")),
    ),
    ("bounded: n is free in", lambda: calculus.bounded(a("f(n) <= 1"), v("n"))),
    ("bounded: n is free in", lambda: calculus.bounded(k("max", "f(n)", "1"), v("n"))),
    ("bounded: .* is no comparison", lambda: calculus.bounded(a("Not(s == 1)"), v("n"))),
    (
        "bounded: .*the variable of Sup is of sort Real",
        lambda: calculus.bounded(k("min-right", "s", "1"), v("s")),
    ),
    ("primitive: n is no real variable", lambda: prim("n", "t", "n")),
    ("primitive: the end of the integral mentions its variable", lambda: prim("s", "s + 1", "s")),
    ("primitive: .* is not made of s", lambda: prim("s", "t", "h(s)")),
    ("primitive: .* is not made of s", lambda: prim("s", "t", "1/s")),
    ("primitive: .* is not made of s", lambda: prim("s", "t", "log(s)")),
    ("primitive: .* is not made of s", lambda: prim("s", "t", "Ind(s <= 1)*s")),
    ("primitive: .* is not made of s", lambda: prim("s", "t", "Max(s, 1)")),
    ("primitive: .* is not made of s", lambda: prim("s", "t", "E(Max(s, W))")),
    ("primitive: the end is of sort State", lambda: prim("s", "z", "s")),
    ("archimedes: s is no variable of sort Nat", lambda: calculus.archimedes(a("s*c <= 1"), v("s"))),
    ("archimedes: .* is no multiple of n", lambda: calculus.archimedes(k("min-right", "n", "1"), v("n"))),
    ("archimedes: .* is no multiple of n", lambda: calculus.archimedes(a("n*c + 1 <= 2"), v("n"))),
    (
        "archimedes: .* is no multiple of n|archimedes: n is free",
        lambda: calculus.archimedes(a("n**2 <= 2"), v("n")),
    ),
    ("archimedes: n is free in", lambda: calculus.archimedes(a("n*c <= 1"), v("n"))),
    ("archimedes: n is free in", lambda: calculus.archimedes(k("abs", "n*c"), v("n"))),
]

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
