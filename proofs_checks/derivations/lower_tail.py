r"""All that is earned in K episodes is earned by a decision n, up to a constant divided by n.

In each decision the mean of what ends (an episode, or a share ``rate`` of the time) is 1, and K episodes
have K + rate K H of it: K episodes take K (1 + rate H) decisions on the average, in every instance.
"""

from __future__ import annotations

from proofs_checks.derivations.lower_cases import by_value, off, on, settle
from proofs_checks.derivations.lower_reward import EARNED
from proofs_checks.derivations.lower_run import jump_or_not, moved
from proofs_checks.derivations.lower_setting import PAIR
from verify.kernel import calculus, terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.operators import expectation
from verify.kernel.theorems import Theorem

_RUNS = "Ind(ep({0}) + 1 <= K)"
_LAM = "exp(l({0}, z, b))"
_LEFT = "Ind(ep({0}) + 1 <= K)*(rem({0}) + (K - ep({0}) - 1)*H)"
_STORE = "Ind(ep({0}) + 1 <= K)*((K - ep({0})) + rate*(rem({0}) + (K - ep({0}) - 1)*H))"
_EARN = "Sum(i, {0}, Ind(ep(i) + 1 <= K)*gd(X(i))*spent(i))"
_NOW = "Ind(ep({0}) + 1 <= K)*gd(X({0}))*spent({0})"
IN_ALL = "Sup(m, E(exp(l(m, z, b))*Sum(i, m, Ind(ep(i) + 1 <= K)*gd(X(i))*spent(i))))"
TAIL = f"Imp(ht(z) == 1, n*{IN_ALL} <= n*{EARNED} + K*H*(K + rate*K*H))"


def tail(D: Derivation) -> Theorem:
    """What is earned after decision n."""
    leaf = D.assume("ht(z) == 1")
    law = D.mp(D.lemma("thm:lowerbound/likelihood"), leaf)
    still = theorems.part(law, D.formula("E(exp(l(n + 1, z, b)), n) == exp(l(n, z, b))"))
    few = D.times(_few(D, law, still), _time(D))
    later = D.times(_later(D, still), D.whole("n"))
    says = f"n*{IN_ALL} <= n*{EARNED} + K*H*(K + rate*K*H)"
    return D.imply(D.linear(says, later, few), "ht(z) == 1")


def _time(D: Derivation) -> Theorem:
    """0 <= K H."""
    return D.times(D.linear("0 <= H", D.fact("horizon")), D.whole("K"))


def _falls(D: Derivation, still: Theorem, path: Theorem) -> Theorem:
    """E(Λ(n + 1) u) <= E(Λ(n) v) from u <= v, v known at n."""
    u, v = path.says.parts
    then, now = D.term(_LAM.format("n + 1")), D.term(_LAM.format("n"))
    size = D.linear("0 <= exp(l(n + 1, z, b))", D.known("exp", "l(n + 1, z, b)"))
    weighed = D.mean(D.times(path, size), "n")
    goal = terms.relation("<=", expectation(terms.mul(then, u), D.term("n")), terms.mul(now, v))
    return D.mean(D.linear(goal, weighed, D.scaled(still, v)))


# --- few decisions ------------------------------------------------------------------------------


def _few(D: Derivation, law: Theorem, still: Theorem) -> Theorem:
    """N E(Λ(n) Ind(ep(n) < K)) <= K + rate K H."""
    runs = f"E({_LAM}*{_RUNS})"
    less = _falls(D, still, _runs_on(D))
    a = f"n*{runs.format('n')} <= Sum(i, n, {runs.format('i')})"

    def step(below: Theorem) -> Theorem:
        more = D.times(less, D.linear("0 <= n + 1", D.whole("n")))
        return D.linear(
            f"(n + 1)*{runs.format('n + 1')} <= Sum(i, n, {runs.format('i')}) + {runs.format('n')}",
            more,
            below,
        )

    first = D.induction("n", a, D.linear("0 <= 0"), step)
    used = D.mean(_used(D, law, still))
    kept = f"E({_LAM}*{_STORE})"
    b = f"Sum(i, n, {runs.format('i')}) + {kept.format('n')} == K + rate*K*H"
    after = f"Sum(i, n, {runs.format('i')}) + {runs.format('n')} + {kept.format('n + 1')} == K + rate*K*H"
    total = D.induction("n", b, D.mean(_whole(D)), lambda below: D.linear(after, below, used))
    return D.linear(f"n*{runs.format('n')} <= K + rate*K*H", first, total, D.mean(_store_positive(D)))


def _runs_on(D: Derivation) -> Theorem:
    """Ind(ep(n + 1) < K) <= Ind(ep(n) < K)."""
    goal = f"{_RUNS.format('n + 1')} <= {_RUNS.format('n')}"
    conditions = ["ep(n) + 1 <= K", "ep(n) + 2 <= K"]
    return jump_or_not(D, lambda jumped: settle(D, goal, conditions, equations=moved(D, jumped)))


def _whole(D: Derivation) -> Theorem:
    """At the beginning all is left."""
    start = [theorems.part(D.fact("start"), D.formula(f)) for f in ("rem(0) == H", "ep(0) == 0")]
    goal = f"{_LAM.format('0')}*{_STORE.format('0')} == K + rate*K*H"
    return by_value(D, goal, [*start, D.fact("l-0"), on(D, D.fact("episodes"))])


def _store_positive(D: Derivation) -> Theorem:
    """What is left is not negative."""
    size = D.linear("0 <= exp(l(n, z, b))", D.known("exp", "l(n, z, b)"))
    rate = D.linear("0 <= rate", D.fact("rate"))

    def runs(yes: Theorem) -> Theorem:
        later = D.linear("0 <= K - ep(n) - 1", yes)
        time = D.times(D.times(later, D.linear("0 <= H", D.fact("horizon"))), rate)
        here = D.times(D.linear("0 <= rem(n)", D.fact("spent-low"), D.fact("spent-high")), rate)
        left = D.linear("0 <= (K - ep(n)) + rate*(rem(n) + (K - ep(n) - 1)*H)", later, time, here)
        return by_value(D, goal, [on(D, yes)], D.times(left, size))

    goal = f"0 <= {_LAM.format('n')}*{_STORE.format('n')}"
    return D.cases("ep(n) + 1 <= K", runs, lambda no: by_value(D, goal, [off(D, no)]))


def _used(D: Derivation, law: Theorem, still: Theorem) -> Theorem:
    """E(Λ(n + 1) store(n + 1), n) == Λ(n) (store(n) - runs(n))."""
    used = "((1 - jump(n))*(1 + rate*rem(n)) + rate*jump(n)*spent(n))"
    goal = f"{_STORE.format('n + 1')} == {_STORE.format('n')} - {_RUNS.format('n')}*{used}"
    conditions = ["ep(n) + 1 <= K", "K == ep(n) + 1", "ep(n) + 2 <= K"]
    path = jump_or_not(
        D, lambda jumped: settle(D, goal, conditions[: 1 if jumped else 3], equations=moved(D, jumped))
    )
    weighed = D.mean(D.scaled(path, _LAM.format("n + 1")), "n")
    one = D.scaled(_one(D, law, still, used), _RUNS.format("n"))
    kept = D.scaled(still, _STORE.format("n"))
    left = f"({_STORE.format('n')} - {_RUNS.format('n')})"
    says = f"E({_LAM.format('n + 1')}*{_STORE.format('n + 1')}, n) == {_LAM.format('n')}*{left}"
    return D.linear(says, weighed, one, kept)


def _one(D: Derivation, law: Theorem, still: Theorem, used: str) -> Theorem:
    """E(Λ(n + 1) used, n) == Λ(n)."""
    time = D.linear("0 <= rem(n)", D.fact("spent-low"), D.fact("spent-high"))
    integrals = [
        D.closed(D.primitive("s", "rem(n)", whole), time)
        for whole in ("-exp(-rate*s)", "-(1 + rate*s)*exp(-rate*s)")
    ]
    jumps, times = (_some_jump(D, law, body) for body in ("1", "s"))
    lam = _LAM.format("n")
    return D.linear(
        f"E({_LAM.format('n + 1')}*{used}, n) == {lam}",
        jumps, D.scaled(jumps, "rate*rem(n)"), D.scaled(times, "rate"), still, D.scaled(still, "rate*rem(n)"),
        *(D.scaled(one, f"{lam}*{factor}") for one in integrals for factor in ("1", "rate*rem(n)")),
    )  # fmt: skip


def _some_jump(D: Derivation, law: Theorem, body: str) -> Theorem:
    """E(Λ(n + 1) jump(n) g(spent(n)), n): wherever it leads."""
    here = D.instantiate(law, "glaw", "n s y", body)
    (mean,) = [f for f in here.says.parts if f not in law.says.parts]
    chance = f"D*{PAIR.format(n='n')}"
    kinds = settle(
        D,
        "Ind(2 <= ht(X(n))) + Ind(ht(X(n)) == 1) + Ind(ht(X(n)) == 0) == 1",
        ["2 <= ht(X(n))", "ht(X(n)) == 1", "ht(X(n)) == 0"],
    )
    total = D.linear(
        f"SumOver(y, p({chance}, X(n), act(n), y)) == 1",
        D.over(D.fact("p", c=chance, x="X(n)", a="act(n)"), "y"),
        kinds,
    )
    integral = f"rate*Int(s, rem(n), exp(-rate*s)*{body})"
    lam = _LAM.format("n")
    return D.linear(
        f"E({_LAM.format('n + 1')}*jump(n)*{body.replace('s', 'spent(n)')}, n) == {lam}*{integral}",
        theorems.part(here, mean), D.scaled(total, f"{lam}*{integral}"),
    )  # fmt: skip


# --- little is earned later ---------------------------------------------------------------------


def _later(D: Derivation, still: Theorem) -> Theorem:
    """What is earned in all, by what is earned up to decision n and what is left then."""
    earned, left = f"E({_LAM}*{_EARN})", f"E({_LAM}*{_LEFT})"
    falls = _falls(D, still, _passes(D))
    now = f"{earned.format('n')} + {left.format('n')}"
    a = f"{earned.format('n + m')} + {left.format('n + m')} <= {now}"
    after = f"{earned.format('n + m + 1')} + {left.format('n + m + 1')} <= {now}"
    fall = D.at(falls, n="n + m")
    down = D.induction(
        "m",
        a,
        D.linear(f"{earned.format('n')} + {left.format('n')} <= {earned.format('n')} + {left.format('n')}"),
        lambda below: D.linear(after, below, fall),
    )
    rise = D.at(_rises(D, still), n="n + m")
    up = D.induction(
        "n",
        f"{earned.format('m')} <= {earned.format('n + m')}",
        D.linear(f"{earned.format('m')} <= {earned.format('m')}"),
        lambda below: D.linear(f"{earned.format('m')} <= {earned.format('n + m + 1')}", below, rise),
    )
    some = D.at(D.mean(_left_positive(D)), n="n + m")
    runs = f"E({_LAM.format('n')}*{_RUNS.format('n')})"
    bound = D.linear(
        f"{earned.format('m')} <= {earned.format('n')} + K*H*{runs}", up, down, some, D.mean(_left_at_most(D))
    )
    return calculus.bounded(bound, D.variable("m"))


def _passes(D: Derivation) -> Theorem:
    """What is earned and what is left does not grow."""
    earned = _EARN.format("n")
    goal = f"{earned} + {_NOW.format('n')} + {_LEFT.format('n + 1')} <= {earned} + {_LEFT.format('n')}"
    conditions = ["gd(X(n)) == 0", "gd(X(n)) == 1", "ep(n) + 1 <= K", "K == ep(n) + 1", "ep(n) + 2 <= K"]
    spent = D.fact("spent-low"), D.fact("spent-high")
    good = D.fact("gd-most", x="X(n)")
    return jump_or_not(
        D,
        lambda jumped: settle(
            D, goal, conditions[: 3 if jumped else 5], *spent, good, equations=moved(D, jumped)
        ),
    )


def _rises(D: Derivation, still: Theorem) -> Theorem:
    """What is earned grows."""
    goal = f"{_EARN.format('n')} <= {_EARN.format('n')} + {_NOW.format('n')}"
    paid = D.times(D.linear("0 <= spent(n)", D.fact("spent-low")), D.whole("gd(X(n))"))
    path = settle(D, goal, ["ep(n) + 1 <= K"], paid)
    size = D.linear("0 <= exp(l(n + 1, z, b))", D.known("exp", "l(n + 1, z, b)"))
    weighed = D.mean(D.times(path, size), "n")
    return D.mean(
        D.linear(
            f"{_LAM.format('n')}*{_EARN.format('n')} <= E({_LAM.format('n + 1')}*{_EARN.format('n + 1')}, n)",
            weighed,
            D.scaled(still, _EARN.format("n")),
        )
    )


def _left_positive(D: Derivation) -> Theorem:
    """The time that is left is not negative."""
    size = D.linear("0 <= exp(l(n, z, b))", D.known("exp", "l(n, z, b)"))
    goal = f"0 <= {_LAM.format('n')}*{_LEFT.format('n')}"

    def runs(yes: Theorem) -> Theorem:
        later = D.times(D.linear("0 <= K - ep(n) - 1", yes), D.linear("0 <= H", D.fact("horizon")))
        left = D.linear("0 <= rem(n) + (K - ep(n) - 1)*H", later, D.fact("spent-low"), D.fact("spent-high"))
        return by_value(D, goal, [on(D, yes)], D.times(left, size))

    return D.cases("ep(n) + 1 <= K", runs, lambda no: by_value(D, goal, [off(D, no)]))


def _left_at_most(D: Derivation) -> Theorem:
    """The time that is left is at most K H."""
    size = D.linear("0 <= exp(l(n, z, b))", D.known("exp", "l(n, z, b)"))
    before = D.times(D.whole("ep(n)"), D.linear("0 <= H", D.fact("horizon")))
    left = D.linear("rem(n) + (K - ep(n) - 1)*H <= K*H", before, _within(D))
    goal = f"{_LAM.format('n')}*{_LEFT.format('n')} <= K*H*{_LAM.format('n')}*{_RUNS.format('n')}"
    return settle(D, goal, ["ep(n) + 1 <= K"], D.times(left, size))


def _within(D: Derivation) -> Theorem:
    """rem(n) <= H."""
    start = D.linear("rem(0) <= H", theorems.part(D.fact("start"), D.formula("rem(0) == H")))

    def step(below: Theorem) -> Theorem:
        return jump_or_not(
            D, lambda jumped: by_value(D, "rem(n + 1) <= H", moved(D, jumped), below, D.fact("spent-low"))
        )

    return D.induction("n", "rem(n) <= H", start, step)
