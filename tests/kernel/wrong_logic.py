"""Wrong steps of logic, substitution and induction, and how each is refused."""

from __future__ import annotations

from tests.kernel.texts import SETTING
from tests.kernel.wrong_steps import OTHER, Wrong, a, f, ind, inst, put, rew, t, v
from verify.kernel import theorems

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
