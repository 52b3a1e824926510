r"""How many episodes have more than l jumps: K P(Z > l) in the mean at most, Z Poisson of mean v = λmax H.

No coupling is needed.  ``tail(j, t)`` is P(Poisson(λmax t) >= j), and the mean of

    (episodes seen with more than l jumps) + tail(l + 1 - pos(n), rem(n)) where pos(n) <= l
    + (episodes to come) tail(l + 1, H),

of the first K episodes, does not rise with n, and it begins with K tail(l + 1, H): the next jump comes at
rate λ <= λmax, and ∫ λe^{-λs} tail(j, t - s) ds <= tail(j + 1, t) (by parts, as tails rise in t).
"""

from __future__ import annotations

from proofs_checks.derivations.counting import LEVEL
from proofs_checks.derivations.number_of_jumps import left_over
from proofs_checks.derivations.potentials import picked
from proofs_checks.derivations.powers import regular, slower
from proofs_checks.derivations.runs import ACTIVE, by_jump, decided, law, remaining, start
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

FAR = "tail(l + 1, H)"
_WAIT = "Sum(i, l + 1, Ind(pos({n}) + i == l)*tail(i + 1, rem({n})))"
_LEFT = "Ind(ep({n}) + 1 <= K)*(K - ep({n}) - 1)"
_POTENTIAL = f"{LEVEL} + Ind(ep({{n}}) + 1 <= K)*{_WAIT} + {_LEFT}*{FAR}"
_AFTER = "tail(i + 1, rem(n) - spent(n))"
TAILS = f"E({LEVEL.format(n='n')}) <= K*{FAR}"


def nonnegative(D: Derivation, n: str, t: str, sign: Theorem) -> Theorem:
    """0 <= tail(n, t), from 0 <= t."""
    order = theorems.both(sign, D.linear(f"{t} <= {t}"))
    both = D.mp(D.special(D.at(regular(D), n="k"), t, t), order)
    return D.at(theorems.part(both, D.formula(f"0 <= tail(k, {t})")), k=n)


def next_jump(D: Derivation) -> Theorem:
    """E(jump(n) tail(i, rem(n) - spent(n)), n) <= tail(i + 1, rem(n))."""
    low, _ = remaining(D)
    pair = {"x": "X(n)", "a": "act(n)"}
    wait = slower(D, "lam(x, a)", D.fact("rate"), D.fact("rate-high"))
    wait = D.closed(D.at(D.at(wait, n="i"), t="rem(n)", **pair), low)
    goal = "E(jump(n)*tail(i, rem(n) - spent(n)), n) <= tail(i + 1, rem(n))"
    return D.linear(goal, law(D, "tail(i, rem(n) - s)"), wait)


def shifted(D: Derivation) -> Theorem:
    """Sum(i, m + 1, gx(i)) == gx(0) + Sum(i, m, gx(i + 1))."""
    goal = "Sum(i, {m} + 1, gx(i)) == gx(0) + Sum(i, {m}, gx(i + 1))"
    first = D.linear(goal.format(m="0"))
    return D.induction(
        "m", goal.format(m="m"), first, lambda below: D.linear(goal.format(m="(m + 1)"), below)
    )


def one_step(D: Derivation) -> Theorem:
    """The next jump, if it is the one, and what is waited for after it, are no more than was waited for."""
    pair = "Ind(pos(n) + 1 + i == l)"
    later = D.times(D.at(next_jump(D), i="i + 1"), D.whole(pair))
    sure = D.mean(D.scaled(D.fact("tail-0", t="rem(n) - spent(n)"), "jump(n)"), "n")
    now = D.linear("E(jump(n), n) <= tail(1, rem(n))", D.at(next_jump(D), i="0"), sure)
    now = D.times(now, D.whole("Ind(pos(n) == l)"))
    body = "Ind(pos(n) + i == l)*tail(i + 1, rem(n))"
    order = D.at(D.instantiate(shifted(D), "gx", "i", body), m="l")
    never = D.closed(D.fails("pos(n) + 1 + l == l"), _never(D))
    goal = f"E(jump(n)*(Ind(pos(n) == l) + Sum(i, l + 1, {pair}*{_AFTER})), n) <= {_WAIT.format(n='n')}"
    return D.by_value(goal, [never], D.sum(later, "i", "l"), now, order)


def _never(D: Derivation) -> Theorem:
    """The number of a jump is not larger than l and l at once."""
    more, same = D.linear("0 < pos(n) + 1", D.whole("pos(n)")), "pos(n) + 1 + l == l"
    return D.cases(same, lambda yes: D.absurd(D.linear("0 < 0", yes, more), f"Not({same})"), lambda no: no)


def begins(D: Derivation) -> Theorem:
    """Sum(i, l + 1, Ind(i == l)*tail(i + 1, H)) == tail(l + 1, H)."""
    found = D.at(D.instantiate(picked(D), "gx", "k", "tail(k + 1, H)"), i="l", m="l + 1")
    return D.closed(D.valued(found, D.closed(D.holds("l + 1 <= l + 1"))))


def levels(D: Derivation) -> Theorem:
    """prop:proberror/levels."""
    here, after = _POTENTIAL.format(n="n"), _POTENTIAL.format(n="n + 1")
    far = nonnegative(D, "l + 1", "H", D.linear("0 <= H", D.fact("horizon")))
    left = D.times(left_over(D), far)
    wait = _WAIT.format(n="n")
    pair = "Ind(pos(n) + 1 + i == l)"
    jumps = f"jump(n)*(Ind(pos(n) == l) + Sum(i, l + 1, {pair}*{_AFTER}))"
    step = by_jump(
        D,
        lambda values, _: decided(
            D,
            f"{after} <= {here} + {ACTIVE}*({jumps} - {wait})",
            [D.fact("pos-step"), *values],
            ["ep(n) + 1 <= K", "ep(n) + 2 <= K"],
            left,
            begins(D),
        ),
    )
    down = D.times(one_step(D), D.whole(ACTIVE))
    fall = D.mean(D.linear(f"E({after}, n) <= {here}", D.mean(step, "n"), down))
    begin, bound = _POTENTIAL.format(n="0"), f"K*{FAR}"
    values = (start(D, "rem(0) == H"), start(D, "ep(0) == 0"), D.fact("pos-0"), D.holds("1 <= K"))
    first = D.mean(D.closed(D.by_value(f"{begin} <= {bound}", values, begins(D)), D.fact("episodes")))
    means = D.induction(
        "n", f"E({here}) <= {bound}", first, lambda below: D.linear(f"E({after}) <= {bound}", below, fall)
    )
    low, _ = remaining(D)
    each = D.times(
        nonnegative(D, "i + 1", "rem(n)", D.linear("0 <= rem(n)", low)), D.whole("Ind(pos(n) + i == l)")
    )
    waits = D.times(D.sum(each, "i", "l + 1"), D.whole(ACTIVE))
    part = D.mean(D.linear(f"{LEVEL.format(n='n')} <= {here}", waits, left))
    return D.linear(TAILS, means, part)
