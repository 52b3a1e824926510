r"""What an algorithm earns in instance (z, b): half of what it could, and the rest where it finds the pair.

Time in the good state is earned as it passes; when the good state is entered what remains of the episode
is as good as earned. A leaf that is entered with er(1, rem(n)) in store therefore gives half of that, and
D of it more if the pair is (z, b).
"""

from __future__ import annotations

from proofs_checks.derivations.lower_cases import (
    by_value,
    chain,
    denied,
    off,
    on,
    put,
    settle,
    sharp,
    towards,
    when,
)
from proofs_checks.derivations.lower_measure import jumps_of
from proofs_checks.derivations.lower_run import by_height, heights, jump_or_not, mate, moved, support
from proofs_checks.derivations.lower_setting import PAIR
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

EARNED = "E(exp(l(n, z, b))*Sum(i, n, Ind(ep(i) + 1 <= K)*gd(X(i))*spent(i)))"
_LEAF = "Ind(ep({0}) + 1 <= K)*Ind(ht(X({0})) == 1)*er(1, rem({0}))"
_SHARE = "exp(l({0}, z, b))*" + _LEAF + "*(1/2 + D*" + PAIR.replace("{n}", "{0}") + ")"
INCOME = f"Imp(ht(z) == 1, {EARNED} <= Sum(i, n, E({_SHARE.format('i')})))"
_DURING = "(Ind(ep({0}) + 1 <= k) + Ind(ep({0}) == k)*Ind(1 <= ht(X({0}))))"
_HERE = "Ind(ep(n) == k)*Ind(ht(X(n)) == 1)"
SAME = f"Imp(ht(z) == 1, {_HERE}*exp(l(n, z, b)) == {_HERE}*exp(lk(n, k, z, b)))"


def income(D: Derivation) -> Theorem:
    """What is earned, by what the leaves had in store."""
    earned = "Sum(i, {0}, Ind(ep(i) + 1 <= K)*gd(X(i))*spent(i))"
    secured = "Ind(ep({0}) + 1 <= K)*gd(X({0}))*rem({0})"
    enters = "Ind(ep(n) + 1 <= K)*(1 - gd(X(n)))*jump(n)*gd(X(n + 1))*(rem(n) - spent(n))"
    after = f"{earned.format('n')} + Ind(ep(n) + 1 <= K)*gd(X(n))*spent(n) + {secured.format('n + 1')}"
    path = _path(D, after, f"{earned.format('n')} + {secured.format('n')} + {enters}")
    size = D.linear("0 <= exp(l(n + 1, z, b))", D.known("exp", "l(n + 1, z, b)"))
    means = D.mean(D.times(path, size), "n")
    law = D.mp(D.lemma("thm:lowerbound/likelihood"), D.assume("ht(z) == 1"))
    still = theorems.part(law, D.formula("E(exp(l(n + 1, z, b)), n) == exp(l(n, z, b))"))
    kept = D.scaled(still, f"{earned.format('n')} + {secured.format('n')}")
    gain = D.scaled(_gain(D, law), "Ind(ep(n) + 1 <= K)")
    total = "exp(l({0}, z, b))*({1} + {2})"
    now = total.format("n", earned.format("n"), secured.format("n"))
    then = f"exp(l(n + 1, z, b))*({earned.format('n + 1')} + {secured.format('n + 1')})"
    step = D.mean(D.linear(f"E({then}, n) <= {now} + {_SHARE.format('n')}", means, kept, gain))
    shares = f"Sum(i, n, E({_SHARE.format('i')}))"
    start = D.mean(_start(D))
    rises = D.induction(
        "n",
        f"E({now}) <= {shares}",
        start,
        lambda below: D.linear(f"E({then}) <= {shares} + E({_SHARE.format('n')})", below, step),
    )
    return D.imply(D.linear(f"{EARNED} <= {shares}", rises, D.mean(_secured(D))), "ht(z) == 1")


def _start(D: Derivation) -> Theorem:
    """Nothing is secured at the beginning."""
    root = D.fact("begins")
    goal = "exp(l(0, z, b))*(Ind(ep(0) + 1 <= K)*gd(X(0))*rem(0)) <= 0"
    return by_value(D, goal, [towards(D, root, "X(0)"), unpaid(D, "root", _high(D))])


def _secured(D: Derivation) -> Theorem:
    """What is secured is not negative."""
    left = D.linear("0 <= rem(n)", D.fact("spent-low"), D.fact("spent-high"))
    some = D.times(left, D.linear("0 <= exp(l(n, z, b))", D.known("exp", "l(n, z, b)")))
    goal = "0 <= exp(l(n, z, b))*Ind(ep(n) + 1 <= K)*gd(X(n))*rem(n)"
    return settle(D, goal, ["ep(n) + 1 <= K"], D.times(some, D.whole("gd(X(n))")))


def _gain(D: Derivation, law: Theorem) -> Theorem:
    """The mean of what is secured by a jump into the good state."""
    body = "gd(y)*(rem(n) - s)"
    here = D.instantiate(law, "glaw", "n s y", body)
    (gain,) = [f for f in here.says.parts if f not in law.says.parts]
    mine = PAIR.format(n="n")
    jumps = D.scaled(jumps_of(D, body, f"D*{mine}"), "exp(l(n, z, b))")
    paid = [D.fact("gd-good"), D.fact("gd-bad")]
    mean = put(chain(D, theorems.part(here, gain), jumps), *paid)
    enters = "exp(l(n + 1, z, b))*jump(n)*gd(X(n + 1))*(rem(n) - spent(n))"
    goal = (
        f"(1 - gd(X(n)))*E({enters}, n) == exp(l(n, z, b))*Ind(ht(X(n)) == 1)*er(1, rem(n))*(1/2 + D*{mine})"
    )

    def above(high: Theorem) -> Theorem:
        down = when(D, D.fact("child", x="X(n)", a="act(n)"), high)
        child = unpaid(D, "child(X(n), act(n))", D.linear("1 <= ht(child(X(n), act(n)))", down, high))
        return by_value(
            D, goal, [child, unpaid(D, "X(n)", D.linear("1 <= ht(X(n))", high)), *heights(D, high)], mean
        )

    def leaf(flat: Theorem) -> Theorem:
        share = D.scaled(_unfold(D), f"exp(l(n, z, b))*(1/2 + D*{mine})")
        here = unpaid(D, "X(n)", D.linear("1 <= ht(X(n))", flat))
        return by_value(D, goal, [here, *heights(D, flat)], mean, share)

    def ends(flat: Theorem) -> Theorem:
        same = mate(D, flat, "gd(mate(X(n))) == gd(X(n))")
        most = D.fact("gd-most", x="X(n)")
        return settle(
            D, goal, ["gd(X(n)) == 0", "gd(X(n)) == 1"], most, mean, equations=[same, *heights(D, flat)]
        )

    return by_height(D, "X(n)", above, leaf, ends)


def _unfold(D: Derivation) -> Theorem:
    """er(1, t) as an integral."""
    inner = D.scaled(D.fact("er-0", t="t - s"), "rate*exp(-rate*s)")
    one = D.linear(
        "er(1, t) == Int(s, t, rate*exp(-rate*s)*(t - s))",
        D.fact("er-step", h="0"),
        D.integral(inner, "s", "t"),
    )
    return D.at(one, t="rem(n)")


def _path(D: Derivation, after: str, before: str) -> Theorem:
    """What is secured changes only when the good state is entered."""
    goal = f"{after} <= {before}"

    def one(jumped: bool) -> Theorem:
        ways = moved(D, jumped)
        states = ["X(n)", "X(n + 1)"] if jumped else ["X(n)"]
        conditions = [f"gd({x}) == {v}" for x in states for v in (0, 1)]
        facts = D.fact("spent-low"), D.fact("spent-high"), *(D.fact("gd-most", x=x) for x in states)
        ends = [] if jumped else [unpaid(D, "root", _high(D))]
        return settle(D, goal, ["ep(n) + 1 <= K", *conditions], *facts, equations=[*ways, *ends])

    return jump_or_not(D, one)


def unpaid(D: Derivation, state: str, high: Theorem) -> Theorem:
    """A node pays nothing."""
    return when(D, D.fact("gd-node", x=state), high)


def _high(D: Derivation) -> Theorem:
    """1 <= ht(root)."""
    return D.linear("1 <= ht(root)", D.fact("root"), D.fact("levels"))


def same(D: Derivation) -> Theorem:
    """Until the jump from the leaf of episode k, what was seen was seen before that episode."""
    a = f"{_DURING.format('n')}*(l(n, z, b) - lk(n, k, z, b)) == 0"
    after = f"{_DURING.format('n + 1')}*(l(n + 1, z, b) - lk(n + 1, k, z, b)) == 0"
    start = by_value(
        D, f"{_DURING.format('0')}*(l(0, z, b) - lk(0, k, z, b)) == 0", [D.fact("l-0"), D.fact("lk-0")]
    )
    steps = [D.fact("lk-step"), D.fact("l-step")]

    def build(below: Theorem) -> Theorem:
        def one(jumped: bool) -> Theorem:
            ways = [*steps, *moved(D, jumped)]
            if not jumped:
                conditions = ["ep(n) + 1 == k", "ep(n) + 1 <= k", "ep(n) + 2 <= k", "ep(n) == k"]
                return settle(D, after, conditions, below, equations=[*ways, on(D, D.fact("levels"))])
            conditions = ["ep(n) == k", "ep(n) + 1 <= k"]
            down = support(D)
            flat = settle(D, "Ind(1 <= ht(X(n + 1))) == 0", ["1 <= ht(X(n + 1))"], down)
            return D.cases(
                "ht(X(n)) <= 1",
                lambda _: settle(D, after, conditions, below, equations=[*ways, flat]),
                lambda high: settle(
                    D,
                    after,
                    [*conditions, "1 <= ht(X(n + 1))"],
                    below,
                    equations=[*ways, off(D, _elsewhere(D, high)), on(D, D.linear("1 <= ht(X(n))", high))],
                ),
            )

        return jump_or_not(D, one)

    return D.imply(_in_leaf(D, D.induction("n", a, start, build)), "ht(z) == 1")


def _in_leaf(D: Derivation, during: Theorem) -> Theorem:
    """In a leaf of episode k the two likelihoods are one."""
    goal = f"{_HERE}*exp(l(n, z, b)) == {_HERE}*exp(lk(n, k, z, b))"

    def episode(yes: Theorem) -> Theorem:
        def leaf(flat: Theorem) -> Theorem:
            values = [
                on(D, yes),
                on(D, D.linear("1 <= ht(X(n))", flat)),
                off(D, D.linear("k < ep(n) + 1", yes)),
            ]
            equal = D.linear("l(n, z, b) == lk(n, k, z, b)", put(during, *values))
            return by_value(D, goal, [equal])

        return D.cases("ht(X(n)) == 1", leaf, lambda no: by_value(D, goal, [off(D, no)]))

    return D.cases("ep(n) == k", episode, lambda no: by_value(D, goal, [off(D, no)]))


def _elsewhere(D: Derivation, high: Theorem) -> Theorem:
    """Above the leaves the state is not z."""
    leaf = D.assume("ht(z) == 1")
    return denied(
        D,
        "X(n) == z",
        lambda e: (
            D.linear("1 <= 0", sharp(D, put(high, towards(D, e, "X(n)"))), leaf),
            D.linear("0 < 1"),
        ),
    )
