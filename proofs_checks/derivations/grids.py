r"""A policy that keeps the best action of a grid point is nearly greedy.

The iterates of ``alg:VI`` rise by at most e per unit of time, e the largest reward with bonus, and so does
:math:`\mathcal T^a` of them: with w the time waited, the slope of :math:`\mathcal T^av` is between 0 and
:math:`(r+b)\,w' + e\,(1-w')`.  So an action that is best at a time g lacks at most e |t - g| at t.
"""

from __future__ import annotations

from proofs_checks.derivations.iterations import ITERATION, STARTS, STEPS, iterate, of_iteration
from proofs_checks.derivations.operators import (
    ESTIMATES,
    RATES_LOW,
    ROWS_HIGH,
    ROWS_LOW,
    U,
    maximum,
    part,
)
from proofs_checks.derivations.setting import estimated
from proofs_checks.derivations.slopes import by_cases, rising_step, shorter, waits_longer
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

LATER = "And(0 <= t, t <= u)"
_INSIDE = "And(0 <= s, s <= v)"
PAID = "All(x, All(a, r(x, a) + gbon(x, a) <= e))"
_SLOW = f"All(y, All(s, All(v, Imp({_INSIDE}, gu(y, v) <= gu(y, s) + e*(v - s)))))"
_SMALL = "All(y, All(s, Imp(0 <= s, gu(y, s) <= e*s)))"


def slope_step(D: Derivation) -> Theorem:
    """ESTIMATES, PAID, _SLOW, _SMALL, 0 <= e, 0 <= t <= u ⊢ T^a v(x, u) <= T^a v(x, t) + e (u - t)."""
    rate, size, model = "glam(x, a)", D.assume("0 <= e"), D.assume(ESTIMATES)
    low = D.special(part(D, model, RATES_LOW), "x", "a")
    row, sum_of_row = (
        D.special(part(D, model, ROWS_LOW), "x", "a", "y"),
        D.special(part(D, model, ROWS_HIGH), "x", "a"),
    )
    end, later, early, start = (D.assume(text) for text in ("s <= u", "t <= u", "s <= t", "0 <= t"))
    order = theorems.both(D.linear("0 <= t - s", early), D.linear("t - s <= u - s", later))
    slow = D.mp(D.special(D.assume(_SLOW), "y", "t - s", "u - s"), order)
    small = D.mp(D.special(D.assume(_SMALL), "y", "u - s"), D.linear("0 <= u - s", end))
    rest = "(Ind(s <= t)*e*(u - t) + (1 - Ind(s <= t))*e*(u - s))"
    one = by_cases(D, f"gu(y, u - s) <= Ind(s <= t)*gu(y, t - s) + {rest}", slow, small)
    gaps = [D.times(D.linear(f"0 <= {gap}", fact), size) for gap, fact in (("u - t", later), ("u - s", end))]
    sign = by_cases(D, f"0 <= {rest}", *gaps)
    at = "SumOver(y, gp(x, a, y)*gu(y, {} - s))"
    jumps = D.linear(
        f"{at.format('u')} <= Ind(s <= t)*{at.format('t')} + {rest}",
        D.over(D.times(one, row), "y"),
        D.times(sum_of_row, sign),
    )
    decay = f"exp(-{rate}*s)"
    moved = D.integral(D.times(jumps, D.times(low, D.known("exp", f"-{rate}*s"))), "s", "u")
    cuts = [
        shorter(D, f"{rate}*{decay}*{at.format('t')}"),
        D.scaled(shorter(D, decay), f"{rate}*t*e"),
        D.scaled(shorter(D, f"s*{decay}"), f"{rate}*e"),
    ]
    areas = [D.primitive("s", "t", f"-(t - s)*{decay}"), D.primitive("s", "u", f"-(u - s)*{decay}")]
    areas[1] = theorems.cut(D.linear("0 <= u", start, later), areas[1])
    paid = D.linear("0 <= e - r(x, a) - gbon(x, a)", D.special(D.assume(PAID), "x", "a"))
    less = D.times(waits_longer(D, rate), paid)
    goal = f"{estimated('a', U, time='u')} <= {estimated('a', U)} + e*(u - t)"
    return D.linear(goal, moved, *cuts, *(D.scaled(one, "e") for one in areas), less)


# --- the iterates -------------------------------------------------------------------------------

_RISES = f"All(x, All(t, All(u, Imp({LATER}, gq(n, x, t) <= gq(n, x, u)))))"
_SLOPES = f"All(x, All(t, All(u, Imp({LATER}, gq(n, x, u) <= gq(n, x, t) + e*(u - t)))))"
_VALUES = iterate("n")


class _Step:
    """T^a of the n-th iterate at t and at u, given _RISES, _SLOPES and 0 <= t <= u."""

    def __init__(self, D: Derivation) -> None:
        self.D = D
        facts = D.mp(D.lemma("eq:mono"), *map(D.assume, ITERATION))
        there = D.mp(D.at(facts, x="y", t="s"), D.assume("0 <= s"))
        positive = D.all(D.imply(part(D, there, "0 <= gq(n, y, s)"), "0 <= s"), "y", "s")
        self.rises = theorems.cut(self._inner(_RISES), theorems.cut(positive, self._of(rising_step(D))))
        at_zero = part(D, D.mp(D.at(facts, x="y", t="0"), D.linear("0 <= 0")), "gq(n, y, 0) <= 0")
        whole = D.mp(
            D.special(D.assume(_SLOPES), "y", "0", "s"), theorems.both(D.linear("0 <= 0"), D.assume("0 <= s"))
        )
        small = D.all(D.imply(D.linear("gq(n, y, s) <= e*s", whole, at_zero), "0 <= s"), "y", "s")
        self.slopes = theorems.cut(self._inner(_SLOPES), theorems.cut(small, self._of(slope_step(D))))

    def _of(self, theorem: Theorem) -> Theorem:
        return self.D.instantiate(theorem, "gu", "y s", "gq(n, y, s)")

    def _inner(self, text: str) -> Theorem:
        D = self.D
        one = D.mp(D.special(D.assume(text), "y", "s", "v"), D.assume(_INSIDE))
        return D.all(D.imply(one, _INSIDE), "y", "s", "v")

    def least(self, theorem: Theorem, ends: tuple[str, str], more: str, *facts: Theorem) -> Theorem:
        """Min(i, A) <= Min(j, B) + more, from A <= B + more; i, j are the ends."""
        D = self.D
        tops = [f"MaxOver(a, {estimated('a', _VALUES, time=end)})" for end in ends]
        goal = f"Min({ends[0]}, {tops[0]}) <= Min({ends[1]}, {tops[1]}) + {more}"
        known = [D.known("min", ends[0], tops[0]), D.known("min-right", ends[0], tops[0]), theorem, *facts]
        return D.split(
            D.known("min-cases", ends[1], tops[1]),
            lambda one: D.linear(goal, one, *known),
            lambda one: D.linear(goal, one, *known),
        )


def regular(D: Derivation, step: _Step) -> Theorem:
    """PAID, 1 <= e, ITERATION ⊢ And(_RISES, _SLOPES), by induction over n."""
    unit, later = D.assume("1 <= e"), D.assume("t <= u")
    size = D.linear("0 <= e", unit)
    sides = [estimated("a", _VALUES, time=end) for end in ("t", "u")]
    now, then = (D.special(D.assume(STEPS), "n", "x", end) for end in ("t", "u"))
    rise = step.least(maximum(D, theorems.cut(size, step.rises), *sides), ("t", "u"), "0", later)
    gap = D.times(unit, D.linear("0 <= u - t", later))
    slope = step.least(
        maximum(D, theorems.cut(size, step.slopes), sides[1], sides[0], "e*(u - t)"),
        ("u", "t"),
        "e*(u - t)",
        later,
        gap,
    )
    nexts = [
        D.linear("gq(n + 1, x, t) <= gq(n + 1, x, u)", rise, now, then),
        D.linear("gq(n + 1, x, u) <= gq(n + 1, x, t) + e*(u - t)", slope, now, then),
    ]
    zero, zero_then = (D.special(D.assume(STARTS), "x", end) for end in ("t", "u"))
    firsts = [
        D.linear("gq(0, x, t) <= gq(0, x, u)", zero, zero_then),
        D.linear("gq(0, x, u) <= gq(0, x, t) + e*(u - t)", zero, zero_then, gap, later),
    ]
    both = f"And({_RISES}, {_SLOPES})"

    def next_one(before: Theorem) -> Theorem:
        found = theorems.both(*(_all_later(D, one) for one in nexts))
        for text in (_RISES, _SLOPES):
            found = theorems.cut(part(D, before, text), found)
        return found

    return D.induction("n", both, theorems.both(*(_all_later(D, one) for one in firsts)), next_one)


def _all_later(D: Derivation, theorem: Theorem) -> Theorem:
    for text in ("0 <= t", "t <= u"):
        theorem = theorems.cut(part(D, D.assume(LATER), text), theorem)
    return D.all(D.imply(theorem, LATER), "x", "t", "u")


# --- remark:integral/grid -----------------------------------------------------------------------


def score(action: str, time: str) -> str:
    """T^a of the n-th iterate."""
    return estimated(action, _VALUES, time=time)


def _chosen(time: str) -> str:
    return f"All(a, {score('a', time)} <= {score('b', time)})"


def _lacks(time: str) -> str:
    return f"{score('a', time)} <= {score('b', time)} + e*(u - t)"


GRID = of_iteration(
    f"Imp({PAID}, Imp(1 <= e, Imp({LATER}, And(Imp({_chosen('t')}, {_lacks('u')}), "
    f"Imp({_chosen('u')}, {_lacks('t')})))))"
)


def scores(D: Derivation) -> list[Theorem]:
    """PAID, 1 <= e, ITERATION, 0 <= t <= u ⊢ score(u) is between score(t) and score(t) + e (u - t)."""
    step = _Step(D)
    values, found = regular(D, step), []
    for one in (step.rises, step.slopes):
        for text in (_RISES, _SLOPES):
            one = theorems.cut(part(D, values, text), one)
        found.append(theorems.cut(D.linear("0 <= e", D.assume("1 <= e")), one))
    return found


def grid(D: Derivation) -> Theorem:
    """The action that is best at one of two times t <= u lacks at most e (u - t) at the other."""
    here, moves = D.assume(LATER), scores(D)
    facts = [*moves, *(D.at(one, a="b") for one in moves)]
    found = []
    for chosen, other in (("t", "u"), ("u", "t")):
        best_there = D.special(D.assume(_chosen(chosen)), "a")
        found.append(D.imply(D.linear(_lacks(other), best_there, *facts), _chosen(chosen)))
    both = theorems.both(*found)
    for text in ("0 <= t", "t <= u"):
        both = theorems.cut(part(D, here, text), both)
    return D.imply(both, *ITERATION, PAID, "1 <= e", LATER)


DERIVED = {"remark:integral/grid": (GRID, grid)}
