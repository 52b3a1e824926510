r"""The solution of the HJB equation is at least V*: holding an action earns at most what changing it may.

V* satisfies the equation as an inequality, up to errors of order h²: with m the mean of V* over the next
state and q the value of holding a, :math:`q(t+h) = \int_0^he^{-\lambda s}(r+\lambda m(t+h-s))ds +
e^{-\lambda h}q(t) \le q(t) + h\,(r-\lambda q(t)+\lambda m(t)) + O(h^2)`, and q <= V*.  So it stays below
the solution.
"""

from __future__ import annotations

from proofs_checks.derivations.comparison import (
    earning,
    largest_rate,
    ordered,
    speed,
)
from proofs_checks.derivations.euler import BOUNDED, ERROR, SOLVES, STARTS, crude_steps, everywhere, room
from proofs_checks.derivations.operators import WITHIN, decays, part
from proofs_checks.derivations.setting import operator
from proofs_checks.derivations.shifts import shift
from proofs_checks.derivations.values import within
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_RATE, _VALUES = "lam(x, a)", "Vs({y}, {s})"
_MEAN = "SumOver(y, p(x, a, y)*Vs(y, {}))"
_DECAY = f"exp(-{_RATE}*s)"
_HELD, _LATER_HELD = operator("a", _VALUES), operator("a", _VALUES, time="(h + t)")
_NOW = "Vs({y}, t)"
_CONSTANT = "(lmax + lmax**2*H/2 + lmax*(1 + lmax*H))"


def rises(D: Derivation, t: str, u: str, *facts: Theorem) -> tuple[Theorem, Theorem]:
    """V*(y, t) <= V*(y, u), and V*(y, u) <= V*(y, t) + u - t, for 0 <= t <= u by the facts."""
    name, limit, later = D.variable("n"), D.fact("Vs", x="y"), D.assume("And(0 <= t, t <= u)")
    first, last = (part(D, later, one) for one in ("0 <= t", "t <= u"))
    bounds = []
    for time, start in (("t", first), ("u", D.linear("0 <= u", first, last))):
        one = D.mp(D.lemma("lem:optimism/value-bound", x="y", t=time), start)
        bounds.append(part(D, one, f"V(n, y, {time}) <= Vs(y, {time})"))
    up = D.mp(D.lemma("lem:optimism/rising/values", m="n", x="y"), later)
    slow = D.mp(D.lemma("lem:optimism/sharp/slope", x="y"), later)
    ends = [
        D.linear("V(n, y, t) <= Vs(y, u)", up, bounds[1]),
        D.linear("V(n, y, u) <= Vs(y, t) + u - t", slow, bounds[0]),
    ]
    found = []
    for one, time, goal in zip(
        ends, "tu", ("Vs(y, t) <= Vs(y, u)", "Vs(y, u) <= Vs(y, t) + u - t"), strict=True
    ):
        found.append(D.linear(goal, calculus.bounded(one, name), D.at(limit, t=time)))
    order = theorems.both(D.linear(f"0 <= {t}", *facts), D.linear(f"{t} <= {u}", *facts))
    first, second = (theorems.cut(order, D.at(one, t=t, u=u)) for one in found)
    return first, second


def small(D: Derivation, state: str, time: str, *facts: Theorem) -> tuple[Theorem, Theorem]:
    """0 <= V*(state, time), and V*(state, time) <= time."""
    one = D.mp(D.lemma("lem:optimism/value-bound", n="0", x=state, t=time), D.linear(f"0 <= {time}", *facts))
    at = f"Vs({state}, {time})"
    parts = [part(D, one, text) for text in (f"0 <= V(0, {state}, {time})", f"V(0, {state}, {time}) <= {at}")]
    return D.linear(f"0 <= {at}", *parts), part(D, one, f"{at} <= {time}")


def _speed_sign(D: Derivation) -> Theorem:
    return D.linear(f"0 <= {_RATE}", D.fact("rate"))


def _inner(time: str) -> str:
    return f"(r(x, a) + {_RATE}*{_MEAN.format(time)})"


def _over(D: Derivation, one: Theorem) -> Theorem:
    """An inequality of values, for λ times their means."""
    return D.times(D.over(D.times(one, D.fact("jump-low")), "y"), _speed_sign(D))


def _positive(D: Derivation, time: str, *facts: Theorem) -> Theorem:
    """0 <= r + λ m(time)."""
    return D.linear(f"0 <= {_inner(time)}", _over(D, small(D, "y", time, *facts)[0]), D.fact("reward-low"))


def _falls(D: Derivation) -> Theorem:
    """FALLS, for what is earned at time s of a sojourn that began with h + t remaining."""
    condition = D.assume("And(0 <= s, s <= q, q <= h + t)")
    facts = [part(D, condition, one) for one in ("0 <= s", "s <= q", "q <= h + t")]
    up, _ = rises(D, "h + t - q", "h + t - s", *facts)
    slower = decays(D, D.linear(f"{_RATE}*s <= {_RATE}*q", D.times(facts[1], _speed_sign(D))))
    less = D.times(_over(D, up), D.known("exp", f"-{_RATE}*s"))
    shrinks = D.times(slower, _positive(D, "h + t - q", *facts))
    goal = f"exp(-{_RATE}*q)*{_inner('h + t - q')} <= {_DECAY}*{_inner('h + t - s')}"
    return D.all(D.imply(D.linear(goal, less, shrinks), "And(0 <= s, s <= q, q <= h + t)"), "s", "q")


def _renewed(D: Derivation) -> Theorem:
    """0 <= t, 0 <= h ⊢ q(h + t) == ∫ over [0, h] + exp(-λh) q(t)."""
    body = f"{_DECAY}*{_inner('h + t - s')}"
    split = D.instantiate(D.at(shift(D), u="h"), "gf", "s", body)
    split = theorems.cut(_falls(D), split)
    later = D.scaled(D.assume(f"exp(-{_RATE}*h) == e"), f"{_DECAY}*{_inner('t - s')}")
    rest = D.integral(later, "s", "t")
    found = D.linear(f"{_LATER_HELD} == Int(s, h, {body}) + e*({_HELD})", split, rest)
    return D.closed(D.at(found, e=f"exp(-{_RATE}*h)"))


def _one_step(D: Derivation) -> Theorem:
    """0 <= t, 0 <= h, h + t <= H ⊢ q(h + t) <= q(t) + h (r - λ q(t) + λ m(t)) + h² (lmax + lmax² H/2)."""
    start, size, end = (D.assume(one) for one in ("0 <= t", "0 <= h", "h + t <= H"))
    facts = [start, size, end, D.assume("0 <= s"), D.assume("s <= h")]
    up, _ = rises(D, "h + t - s", "h + t", *facts)
    _, slow = rises(D, "t", "h + t", *facts)
    means = _over(D, D.linear("Vs(y, h + t - s) <= Vs(y, t) + h", up, slow))
    row = D.scaled(D.fact("jump-sum"), f"{_RATE}*h")
    most = f"({_inner('t')} + {_RATE}*h)"
    decay = theorems.cut(
        D.times(_speed_sign(D), D.assume("0 <= s")), D.pointwise("exp(-d) <= 1", "d >= 0", d=f"{_RATE}*s")
    )
    shrinks = D.times(decay, _positive(D, "h + t - s", *facts))
    inside = D.linear(f"{_DECAY}*{_inner('h + t - s')} <= {most}", shrinks, means, row)
    begin = D.integral(inside, "s", "h")
    length = D.scaled(D.primitive("s", "h", "s"), most)
    load = D.times(_speed_sign(D), size)
    series = theorems.cut(load, D.pointwise("exp(-u) <= 1 - u + u**2/2", "u >= 0", u=f"{_RATE}*h"))
    held, below = _held(D)
    square = D.known("square", "h")
    largest = D.linear("0 <= lmax", largest_rate(D))
    fast = D.times(D.fact("rate-high"), square)
    faster = [D.times(D.times(D.fact("rate-high"), _speed_sign(D)), square), D.times(fast, largest)]
    high = D.linear(
        f"{_HELD} <= H", below, small(D, "x", "t", start)[1], D.linear("t <= H", start, size, end)
    )
    weight = D.linear("0 <= lmax**2*h**2", D.times(D.times(square, largest), largest))
    quadratic = D.linear(f"{_RATE}**2*h**2 <= lmax**2*h**2", *faster)
    drift = f"(r(x, a) - {_RATE}*({_HELD}) + {_RATE}*{_MEAN.format('t')})"
    goal = f"{_LATER_HELD} <= {_HELD} + h*{drift} + h**2*(lmax + lmax**2*H/2)"
    return D.linear(
        goal,
        _renewed(D),
        begin,
        length,
        D.times(series, held),
        D.times(quadratic, held),
        D.times(high, weight),
        fast,
    )


def _held(D: Derivation) -> tuple[Theorem, Theorem]:
    """0 <= t <= H ⊢ 0 <= q(t), and q(t) <= V*(x, t)."""
    facts = [D.assume("0 <= t"), D.assume("0 <= s"), D.assume("s <= t")]
    low = D.integral(D.times(_positive(D, "t - s", *facts), D.known("exp", f"-{_RATE}*s")), "s", "t")
    fixed = part(D, D.lemma("eq:Qa/optimality"), f"Imp({WITHIN}, Vs(x, t) == MaxOver(a, {_HELD}))")
    times = [D.assume(one) for one in ("0 <= t", "0 <= h", "h + t <= H")]
    here = D.mp(fixed, theorems.both(times[0], D.linear("t <= H", *times)))
    return D.linear(f"0 <= {_HELD}", low), D.linear(f"{_HELD} <= Vs(x, t)", here, D.most("a", _HELD, "a"))


def _short_step(D: Derivation, yes: Theorem) -> Theorem:
    """lmax h <= 1 ⊢ V*(x, h + t) <= V*(x, t) + h F(V*(t))(x) + K h²."""
    times = [D.assume(one) for one in ("0 <= t", "0 <= h", "h + t <= H")]
    _, below = _held(D)
    share = D.linear(f"0 <= 1 - h*{_RATE}", D.times(D.fact("rate-high"), times[1]), yes)
    less = D.times(below, share)
    best = D.times(D.most("a", earning(_NOW), "a"), times[1])
    largest, square = D.linear("0 <= lmax", largest_rate(D)), D.known("square", "h")
    spare = D.linear("0 <= lmax*(1 + lmax*H)", D.times(D.times(D.fact("horizon"), largest), largest), largest)
    goal = f"{_LATER_HELD} <= Vs(x, t) + h*{speed(_NOW)} + {_CONSTANT}*h**2"
    one = D.linear(goal, _one_step(D), less, best, D.times(square, spare))
    fixed = part(D, D.lemma("eq:Qa/optimality"), f"Imp({WITHIN}, Vs(x, t) == MaxOver(a, {_HELD}))")
    after = D.mp(D.at(fixed, t="h + t"), theorems.both(D.linear("0 <= h + t", *times), times[2]))
    top = calculus.least(one, D.variable("a"))
    return D.linear(f"Vs(x, h + t) <= Vs(x, t) + h*{speed(_NOW)} + {_CONSTANT}*h**2", top, after)


def _long_step(D: Derivation, no: Theorem) -> Theorem:
    """1 < lmax h ⊢ the same, since V* rises by at most h."""
    times = [D.assume(one) for one in ("0 <= t", "0 <= h", "h + t <= H")]
    _, slow = (D.at(one, y="x") for one in rises(D, "t", "h + t", *times))
    largest, square = D.linear("0 <= lmax", largest_rate(D)), D.known("square", "h")
    _, high = small(D, "x", "t", times[0])
    value, _ = small(D, "x", "t", times[0])
    cost = [D.times(D.fact("rate-high"), value), D.times(D.linear("Vs(x, t) <= H", high, *times), largest)]
    low = D.linear(
        f"-lmax*H <= {earning(_NOW)}", *cost, _over(D, small(D, "y", "t", times[0])[0]), D.fact("reward-low")
    )
    least = D.times(D.linear(f"-lmax*H <= {speed(_NOW)}", low, D.most("a", earning(_NOW), "a")), times[1])
    many = D.times(D.linear("0 <= lmax*h - 1", no), times[1])
    size = D.linear("0 <= 1 + lmax*H", D.times(D.fact("horizon"), largest))
    more = D.times(many, size)
    spare = D.times(D.times(square, largest), D.linear("0 <= 1 + lmax*H/2", size))
    return D.linear(
        f"Vs(x, h + t) <= Vs(x, t) + h*{speed(_NOW)} + {_CONSTANT}*h**2", slow, least, more, spare
    )


_CONDITIONS = (SOLVES, STARTS, BOUNDED)
DOMINATES = f"Imp({SOLVES}, Imp({STARTS}, Imp({BOUNDED}, Imp({WITHIN}, Vs(x, t) <= gu(x, t)))))"


def dominates(D: Derivation) -> Theorem:
    """V* <= v."""
    start, end = D.assume("0 <= q"), D.assume("q <= H")
    times = [D.assume(one) for one in ("0 <= t", "0 <= h", "t + h <= q")]
    inside = [*times, start, end]
    error = f"({_CONSTANT} + {ERROR})"
    largest, square = D.linear("0 <= lmax", largest_rate(D)), D.known("square", "h")
    signs = [
        D.linear(f"0 <= {_CONSTANT}", largest, D.times(D.times(D.fact("horizon"), largest), largest)),
        D.times(D.linear("0 <= 1 + 2*lmax*c", D.times(room(D), largest)), largest),
    ]
    spare = [D.times(square, one) for one in signs]
    step = D.cases("lmax*h <= 1", lambda yes: _short_step(D, yes), lambda no: _long_step(D, no))
    step = D.closed(step, D.linear("h + t <= H", *inside))
    below = everywhere(
        D, D.linear(f"Vs(x, t + h) <= Vs(x, t) + h*{speed(_NOW)} + {error}*h**2", step, spare[1])
    )
    solution = D.closed(crude_steps(D)[1], D.linear("t + h <= H", *inside))
    whole = f"gu(x, t) + h*{speed('gu({y}, t)')} <= gu(x, t + h) + {error}*h**2"
    above = everywhere(D, D.linear(whole, solution, spare[0]))
    zero = D.special(D.assume(STARTS), "x")
    begins = D.all(D.linear("Vs(x, 0) <= gu(x, 0) + 0", zero, small(D, "x", "0")[1]), "x")
    found = D.at(ordered(D), w=error, c="c + H", d="0")
    for name, body in (("gv", "Vs(x, t)"), ("gw", "gu(x, t)")):
        found = D.instantiate(found, name, "x t", body)
    for fact in (below, above, begins, _apart(D), D.linear(f"0 <= {error}", *signs)):
        found = theorems.cut(fact, found)
    found = D.at(D.linear("Vs(x, q) <= gu(x, q)", found), q="t")
    return D.imply(within(D, found), *_CONDITIONS, WITHIN)


def _apart(D: Derivation) -> Theorem:
    """|V* - v| <= c + H at q."""
    start, end = D.assume("0 <= q"), D.assume("q <= H")
    there = D.mp(D.special(D.assume(BOUNDED), "x", "q"), theorems.both(start, end))
    facts = [
        there,
        D.known("abs", "gu(x, q)"),
        D.known("abs-", "gu(x, q)"),
        *small(D, "x", "q", start),
        start,
        end,
    ]
    goal = "Abs(Vs(x, q) - gu(x, q)) <= c + H"
    one = D.split(
        D.known("abs-cases", "Vs(x, q) - gu(x, q)"),
        lambda sign: D.linear(goal, sign, *facts),
        lambda sign: D.linear(goal, sign, *facts),
    )
    return D.all(one, "x")


DERIVED = {"eq:hjb-pde/dominates": (DOMINATES, dominates)}
