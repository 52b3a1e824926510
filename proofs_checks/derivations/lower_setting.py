r"""The setting of the lower bound: the tree, its instances, and a learner's run in the reference instance.

**The tree.** ``ht(x)`` is the number of jumps from x to a state below the leaves: d at the root, 1 in a
leaf, 0 below. Above the leaves action a leads to ``child(x, a)``; from a leaf the jump leads to ``good``
with probability 1/2 + c, else to ``bad``, where c = D (the paper's Δ) for the leaf z and the action b of
instance (z, b) and 0 elsewhere: ``p(c, x, a, y)``. A state x below the leaves jumps to ``mate(x)``:
itself, if self-jumps are allowed (then ``low`` = 2 states are there), or another one that pays the same
(then 4). ``gd(x)`` is 1 for the good ones. Every rate is ``rate``. ``anc(z, h)`` are the nodes on the way
up from z. Above its L leaves the tree is full: every node there but the root is the child of one node, by
one action. Nothing is said of the leaves here: several actions may lead to one of them.

Two settings say more. In :data:`FULL`, the paper's, the last level is full as well. In :data:`SIZES` it is
filled as far as the states go: L lies between A^(d-2) and A^(d-1), and only if it is A^(d-1) states may be
left over, fewer than the leaves. These idle states are of height 0 and never reached. So every S >= 4 and
A >= 2 has a tree of that kind, with one d.

**The run** is that of the reference instance, c = 0 everywhere: one sequence of decisions through all
episodes, as in :mod:`proofs_checks.derivations.setting`, for any learner: ``act(n)`` is whatever is known
at decision n.

**The instances** have no probabilities of their own.  ``l(n, z, b)`` is the logarithm of the factor by which
the jumps that were seen before decision n are more likely in instance (z, b) than in the reference: the mean
of X there is the reference's mean of exp(l(n, z, b)) X, for X known at n.  That the law of a step is then the
instance's is a theorem (``thm:lowerbound/likelihood``).  ``lk`` counts the episodes before the k-th only.

**Chains that run on** after the horizon, as the printed proof has them, decide a pair ``pz(n)``,
``pa(n)`` in every episode n and show the jump, ``coin(n)``; their log-likelihood is ``lc``. Here one step
is one episode.
"""

from __future__ import annotations

from verify.kernel.language import Fact, Setting
from verify.kernel.terms import Symbol

PAIR = "Ind(X({n}) == z)*Ind(act({n}) == b)"
_MINE = PAIR.format(n="n")
_SEEN = f"jump(n)*{_MINE}*(Ind(X(n + 1) == good)*log(1 + 2*D) + Ind(X(n + 1) == bad)*log(1 - 2*D))"
_CHANCE = "D*Ind(x == z)*Ind(a == b)"
_BACKED = f"SumOver(y, p({_CHANCE}, x, a, y)*V(n, z, b, y, t - s))"

_PARENTS = "SumOver(x, SumOver(a, Ind(2 <= ht(x))*Ind(child(x, a) == y)))"

TREE = {
    "levels": Fact("1 <= d", "the number of levels", "existence"),
    "root": Fact("ht(root) == d", "the root has all levels below it", "existence"),
    "top": Fact("Imp(d <= ht(x), x == root)", "nothing is as high as the root", "existence"),
    "good": Fact("ht(good) == 0", "the good state is below the leaves", "existence"),
    "bad": Fact("ht(bad) == 0", "the bad state is below the leaves", "existence"),
    "two": Fact("Not(good == bad)", "they are two", "existence"),
    "low": Fact("SumOver(x, Ind(ht(x) == 0)) == low", "the number of states below the leaves"),
    "gd-good": Fact("gd(good) == 1", "the reward rate of the good state", "existence"),
    "gd-bad": Fact("gd(bad) == 0", "that of the bad state", "existence"),
    "gd-node": Fact("Imp(1 <= ht(x), gd(x) == 0)", "that of the nodes", "existence"),
    "gd-most": Fact("gd(x) <= 1", "a reward rate is 0 or 1", "existence"),
    "mate": Fact(
        "Imp(ht(x) == 0, And(ht(mate(x)) == 0, gd(mate(x)) == gd(x)))",
        "where a state below the leaves jumps to: itself, or another one that is worth the same",
        "existence",
    ),
    "child": Fact(
        "Imp(2 <= ht(x), ht(child(x, a)) + 1 == ht(x))", "an action leads one level down", "existence"
    ),
    "parent": Fact(
        f"Imp(And(2 <= ht(y), ht(y) + 1 <= d), {_PARENTS} == 1)",
        "every node above the leaves but the root is the child of one node, by one action",
        "existence",
    ),
    "anc-1": Fact(
        "Imp(ht(z) == 1, anc(z, 1) == z)", "the way up from the leaf z: its nodes of height h", "existence"
    ),
    "anc": Fact(
        "Imp(And(ht(z) == 1, 1 <= h, h + 1 <= d), "
        "And(ht(anc(z, h + 1)) == h + 1, child(anc(z, h + 1), via(z, h)) == anc(z, h)))",
        "the next node up, and the action that leads down from it",
        "existence",
    ),
    "leaves": Fact("SumOver(x, Ind(ht(x) == 1)) == L", "L is the number of leaves"),
    "leaf": Fact("1 <= SumOver(x, Ind(ht(x) == 1))", "there is a leaf", "existence"),
    "states": Fact("SumOver(x, 1) == S", "S is the number of states"),
    "actions": Fact("SumOver(a, 1) == A", "A is the number of actions"),
    "choice": Fact("2 <= A", "there is a choice", "model"),
    "pw-0": Fact("pw(0) == 1", "powers of A"),
    "pw-step": Fact("pw(i + 1) == A*pw(i)", "powers of A"),
}

INSTANCES = {
    "rate": Fact("0 < rate", "λmax, the rate of every state", "model"),
    "horizon": Fact("0 < H", "the horizon", "model"),
    "gap": Fact("And(0 < D, D < 1/2)", "Δ: both jumps of a leaf are possible", "model"),
    "episodes": Fact("1 <= K", "at least one episode", "model"),
    "p": Fact(
        "p(c, x, a, y) == Ind(2 <= ht(x))*Ind(y == child(x, a))"
        " + Ind(ht(x) == 1)*((1/2 + c)*Ind(y == good) + (1/2 - c)*Ind(y == bad))"
        " + Ind(ht(x) == 0)*Ind(y == mate(x))",
        "the jumps, where good ones have probability 1/2 + c in a leaf",
    ),
    "er-0": Fact("er(0, t) == t", "E(t - γ_0)^+, γ_h the sum of h holding times"),
    "er-step": Fact(
        "er(h + 1, t) == Int(s, t, rate*exp(-rate*s)*er(h, t - s))", "E(t - γ_{h+1})^+, the first of them s"
    ),
    "po-0": Fact("po(0, t) == exp(-rate*t)", "P(N = 0), N Poisson(rate t)"),
    "po-step": Fact("po(i + 1, t) == po(i, t)*rate*t/(i + 1)", "P(N = i + 1)"),
    "shorter": Fact(
        "Imp(t <= u, Int(s, t, gf(s)) == Int(s, u, Ind(s <= t)*gf(s)))",
        "an integral over [0, t] is that of the integrand times the indicator of [0, t] (additivity over "
        "intervals: Rudin, Principles of Mathematical Analysis, 3rd ed., Theorem 6.12)",
        "law",
    ),
    "V-0": Fact("V(0, z, b, x, t) == 0", "value iteration in instance (z, b) begins with 0"),
    "V-step": Fact(
        "V(n + 1, z, b, x, t) == MaxOver(a, gd(x)*Int(s, t, exp(-rate*s)) "
        f"+ Int(s, t, rate*exp(-rate*s)*{_BACKED}))",
        "value iteration; a good state pays 1",
    ),
    "Vs": Fact(
        "Vs(z, b, x, t) == Sup(n, V(n, z, b, x, t))",
        "the optimal value of instance (z, b), eq:Qa/optimality",
        "existence",
    ),
}

RUN = {
    "begins": Fact("X(0) == root", "the first episode begins", "law"),
    "start": Fact("And(rem(0) == H, ep(0) == 0)", "the first episode begins"),
    "jump": Fact("jump(n) <= 1", "an indicator", "law"),
    "spent-low": Fact("0 < spent(n)", "holding times are positive", "law"),
    "spent-high": Fact("spent(n) <= rem(n)", "the horizon ends a sojourn", "law"),
    "stays-rem": Fact("Imp(jump(n) == 1, rem(n + 1) == rem(n) - spent(n))", "the episode goes on"),
    "stays-ep": Fact("Imp(jump(n) == 1, ep(n + 1) == ep(n))", "the episode goes on"),
    "ends-spent": Fact("Imp(jump(n) == 0, spent(n) == rem(n))", "the horizon is reached", "law"),
    "ends-rem": Fact("Imp(jump(n) == 0, rem(n + 1) == H)", "the next episode begins"),
    "ends-ep": Fact("Imp(jump(n) == 0, ep(n + 1) == ep(n) + 1)", "the next episode begins"),
    "ends-X": Fact("Imp(jump(n) == 0, X(n + 1) == root)", "the next episode begins", "law"),
    "possible": Fact(
        "Imp(jump(n) == 1, 0 < p(0, X(n), act(n), X(n + 1)))", "no jump of probability 0 is seen", "law"
    ),
    "law": Fact(
        "E(jump(n)*glaw(n, spent(n), X(n + 1)), n) == Int(s, rem(n), rate*exp(-rate*s)"
        "*SumOver(y, p(0, X(n), act(n), y)*glaw(n, s, y)))",
        "the holding time is exponential, the jump independent of it, both independent of the past given the "
        "pair. That such a run exists for every learner: Ionescu-Tulcea (Kallenberg, Foundations of Modern "
        "Probability, 3rd ed., Theorem 8.24)",
        "law",
    ),
    "l-0": Fact("l(0, z, b) == 0", "nothing was seen"),
    "l-step": Fact(
        f"l(n + 1, z, b) == l(n, z, b) + {_SEEN}", "a seen jump from z by b: 1/2 + D or 1/2 - D, to 1/2"
    ),
    "lk-0": Fact("lk(0, k, z, b) == 0", "nothing was seen"),
    "lk-step": Fact(
        "lk(n + 1, k, z, b) == lk(n, k, z, b) + Ind(ep(n) + 1 <= k)*(l(n + 1, z, b) - l(n, z, b))",
        "the same in the episodes before the k-th (counted from 0)",
    ),
    "vis": Fact(f"vis(n, z, b) == {_MINE}", "whether pair (z, b) is decided"),
    "T-0": Fact("T(0, k, z, b) == 0", "nothing was seen"),
    "T-step": Fact(
        f"T(n + 1, k, z, b) == T(n, k, z, b) + Ind(ep(n) + 1 <= k)*jump(n)*{_MINE}",
        "jumps from z by b that were seen in the episodes before the k-th",
    ),
}

RUN_ON = {
    "coin": Fact("coin(n) <= 1", "whether the jump from the leaf of episode n is good", "law"),
    "coin-law": Fact(
        "E(coin(n), n) == 1/2",
        "the law of a step of chains that run on: in the reference the jump is as often good as bad, "
        "whatever is known when the pair is decided (Ionescu-Tulcea, as for the law of the run)",
        "law",
    ),
    "lc-0": Fact("lc(0, z, b) == 0", "nothing was seen"),
    "lc-step": Fact(
        "lc(n + 1, z, b) == lc(n, z, b) + Ind(pz(n) == z)*Ind(pa(n) == b)"
        "*(coin(n)*log(1 + 2*D) + (1 - coin(n))*log(1 - 2*D))",
        "a jump from z by b: 1/2 + D or 1/2 - D, to 1/2",
    ),
}

_PAIR = ("State", "Action")
SYMBOLS = [
    *(Symbol(name, (), "Real") for name in ("rate", "H", "D")),
    *(Symbol(name, (), "Nat") for name in ("d", "K", "S", "A", "L", "low")),
    *(Symbol(name, (), "State") for name in ("root", "good", "bad")),
    Symbol("ht", ("State",), "Nat"),
    Symbol("gd", ("State",), "Nat"),
    Symbol("mate", ("State",), "State"),
    Symbol("child", _PAIR, "State"),
    Symbol("anc", ("State", "Nat"), "State"),
    Symbol("via", ("State", "Nat"), "Action"),
    Symbol("pw", ("Nat",), "Nat"),
    Symbol("p", ("Real", "State", "Action", "State"), "Real"),
    *(Symbol(name, ("Nat", "Real"), "Real") for name in ("er", "po")),
    Symbol("V", ("Nat", *_PAIR, "State", "Real"), "Real"),
    Symbol("Vs", (*_PAIR, "State", "Real"), "Real"),
    Symbol("X", ("Nat",), "State", "_1"),
    Symbol("act", ("Nat",), "Action", "_1"),
    Symbol("rem", ("Nat",), "Real", "_1"),
    Symbol("ep", ("Nat",), "Nat", "_1"),
    Symbol("jump", ("Nat",), "Nat", "_1 + 1"),
    Symbol("spent", ("Nat",), "Real", "_1 + 1"),
    Symbol("l", ("Nat", *_PAIR), "Real", "_1"),
    Symbol("lk", ("Nat", "Nat", *_PAIR), "Real", "_1"),
    Symbol("vis", ("Nat", *_PAIR), "Nat", "_1"),
    Symbol("T", ("Nat", "Nat", *_PAIR), "Nat", "_1"),
    Symbol("pz", ("Nat",), "State", "_1"),
    Symbol("pa", ("Nat",), "Action", "_1"),
    Symbol("coin", ("Nat",), "Nat", "_1 + 1"),
    Symbol("lc", ("Nat", *_PAIR), "Real", "_1"),
    Symbol("glaw", ("Nat", "Real", "State"), "Real", "_1", True),
    Symbol("gf", ("Real",), "Real", "any", True),
    Symbol("gM", ("Nat",), "Real", "_1", True),
    Symbol("gZ", (), "Real", "any", True),
    Symbol("gl", (), "Real", "any", True),
]

SETTING = Setting.of(
    "lower bound",
    "State Action",
    {"State": "x y z", "Action": "a b", "Nat": "n m i k h", "Real": "s t u v w c q"},
    SYMBOLS,
    {**TREE, **INSTANCES, **RUN, **RUN_ON},
)

FULL = SETTING.extended(
    "lower bound on full trees",
    [],
    {
        "full": Fact(
            f"Imp(And(ht(y) == 1, 2 <= d), {_PARENTS} == 1)",
            "every leaf but the root is the child of one node, by one action",
            "existence",
        )
    },
)

SIZES = SETTING.extended(
    "lower bound for every number of states",
    [],
    {
        "deep": Fact("2 <= d", "the root is no leaf", "existence"),
        "wide": Fact(
            "Imp(i + 2 == d, pw(i) <= L)", "no fewer leaves than nodes just above them", "existence"
        ),
        "narrow": Fact("Imp(i + 1 == d, L <= pw(i))", "no more leaves than a full tree has", "existence"),
        "idle": Fact(
            "Imp(And(3 <= low, i + 1 == d), And(L == pw(i), low <= L + 1))",
            "states are left over only if the last level is full, and fewer than its leaves",
            "existence",
        ),
    },
)
