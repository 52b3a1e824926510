r"""What a policy earns, and what is earned if its reward is read at the points of a grid only.

Let H = mh.  Read at the remaining times h, 2h, …, mh, a sojourn with t left earns r times
:math:`h\sum_{c\le t}e^{-\lambda(t-c)}`, c = h, 2h, …, in the place of :math:`\int_0^te^{-\lambda s}ds`.  With
the sawtooth :math:`\psi(t) = t - h\sum_c1_{c\le t} \ge 0` the difference is :math:`\psi(t) -
\int_0^t\lambda e^{-\lambda s}\psi(t-s)ds`, and with :math:`\Psi(t) = \lambda_{\max}\int_0^t\psi`

.. math:: \int_0^t\lambda e^{-\lambda s}(\psi+\Psi)(t-s)\,ds
          = \Psi(t) - (\lambda_{\max}-\lambda)\int_0^te^{-\lambda s}\psi(t-s)\,ds \le \Psi(t) .

So the two values differ by something between :math:`-\Psi` and :math:`\psi + \Psi`, by induction over the
number of sojourns; and :math:`\psi(H) = 0`, :math:`\Psi(H) = \lambda_{\max}Hh/2`.
"""

from __future__ import annotations

import re

from proofs_checks.derivations.nearby import chain
from proofs_checks.derivations.operators import modulus, part
from proofs_checks.derivations.runs import product
from proofs_checks.derivations.setting import operator
from proofs_checks.derivations.values import (
    EVALUATED,
    POLICY,
    POLICY_STARTS,
    POLICY_STEPS,
    Iterates,
    always,
)
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_RATE = "lam(x, a)"
_DECAY = f"exp(-{_RATE}*s)"
_POINT = "(i + 1)*h"  # the remaining time at a grid point


def _psi(t: str) -> str:
    """The time since the last grid point before t, as remaining times go."""
    return f"({t} - h*Sum(i, m, Ind({_POINT} <= {t})))"


def _area(t: str) -> str:
    """λmax times the integral of it."""
    return f"lmax*(({t})**2/2 - h*Sum(i, m, Ind({_POINT} <= {t})*({t} - {_POINT})))"


def _sampled(action: str, values: str) -> str:
    """T^a with the reward read at grid points."""
    rate = f"lam(x, {action})"
    read = f"h*Sum(i, m, Ind({_POINT} <= t)*exp(-{rate}*(t - {_POINT})))"
    later = f"Int(s, t, {rate}*exp(-{rate}*s)*SumOver(y, p(x, {action}, y)*{values}))"
    return f"r(x, {action})*({read}) + {later}"


_STARTS = "All(x, All(t, gr(0, x, t) == 0))"
_STEPS = f"All(n, All(x, All(t, gr(n + 1, x, t) == {_sampled('gpi(x, t)', 'gr(n, y, t - s)')})))"
_SAMPLED = f"And({_STARTS}, {_STEPS})"
_LIMITS = "Abs(Sup(n, gq(n, x, H)) - Sup(n, gr(n, x, H))) <= lmax*H*h/2"


def _fine(text: str) -> str:
    """With l grid points, h = H/l."""
    for letter, value in (("m", "l"), ("h", "(H/l)")):
        text = re.sub(rf"\b{letter}\b", value, text)
    return text


ERROR = chain(
    _fine(f"And(Abs(gq(n, x, H) - gr(n, x, H)) <= lmax*H*h/2, {_LIMITS})"),
    EVALUATED,
    _fine(_SAMPLED),
    "1 <= l",
)


# --- one point of the grid ----------------------------------------------------------------------


def _cell(D: Derivation) -> tuple[Theorem, Theorem]:
    """0 <= c, 0 <= t ⊢ ∫ λe^{-λs} 1{c <= t - s} ds, and the same with t - s - c under it."""
    here, spot = "Ind(c <= t)", "Ind(c <= t - s)"
    goals = (
        f"Int(s, t, {_RATE}*{_DECAY}*{spot}) == {here}*(1 - exp(-{_RATE}*(t - c)))",
        f"Int(s, t, {_RATE}*{_DECAY}*{spot}*(t - s - c)) == {here}*(t - c) - Int(s, t, {_DECAY}*{spot})",
    )
    size, positive = D.assume("0 <= c"), D.assume("0 <= s")

    def yes(inside: Theorem) -> Theorem:
        end = D.linear("0 <= t - c", inside)
        cuts = [
            D.mp(
                D.at(D.instantiate(D.at(D.fact("shorter"), t="w"), "gf", "s", body), w="t - c", u="t"),
                D.linear("t - c <= t", size),
            )
            for body in (f"{_RATE}*{_DECAY}", _DECAY, f"{_RATE}*{_DECAY}*(t - c - s)")
        ]
        areas = [
            D.closed(D.primitive("s", "t - c", whole), end)
            for whole in (f"-{_DECAY}", f"-(t - c - s)*{_DECAY}")
        ]
        return theorems.both(*(D.by_value(goal, [D.holds("c <= t")], *cuts, *areas) for goal in goals))

    def no(outside: Theorem) -> Theorem:
        never = theorems.cut(D.linear("t - s < c", outside, positive), D.fails("c <= t - s"))
        zero = [
            D.integral(D.scaled(never, body), "s", "t")
            for body in (f"{_RATE}*{_DECAY}", _DECAY, f"{_RATE}*{_DECAY}*(t - s - c)")
        ]
        return theorems.both(*(D.by_value(goal, [D.fails("c <= t")], *zero) for goal in goals))

    both = D.cases("c <= t", yes, no)
    first, second = (theorems.part(both, D.formula(goal)) for goal in goals)
    return first, second


# --- all of them --------------------------------------------------------------------------------


def _beyond(D: Derivation) -> Theorem:
    """0 < h ⊢ 0 <= c, at a grid point."""
    return D.linear(f"0 <= {_POINT}", D.times(D.assume("0 < h"), D.linear("0 <= i + 1", D.whole("i"))))


def _identities(D: Derivation) -> tuple[Theorem, Theorem]:
    """0 < h, 0 <= t ⊢ ∫ λe^{-λs} ψ(t - s) ds, and ∫ λe^{-λs} Ψ(t - s) ds."""
    points = [D.sum(D.closed(D.at(one, c=_POINT), _beyond(D)), "i", "m") for one in _cell(D)]
    wholes = [D.primitive("s", "t", f"-{one}*{_DECAY}") for one in ("(t - s)", "(t - s)**2/2")]
    read = f"h*Sum(i, m, Ind({_POINT} <= t)*exp(-{_RATE}*(t - {_POINT})))"
    first = D.linear(
        f"Int(s, t, {_RATE}*{_DECAY}*{_psi('(t - s)')}) == {_psi('t')} - Int(s, t, {_DECAY}) + {read}",
        wholes[0],
        D.scaled(points[0], "h"),
    )
    slowly = f"Int(s, t, {_DECAY}*{_psi('(t - s)')})"
    second = D.linear(
        f"Int(s, t, {_RATE}*{_DECAY}*{_area('(t - s)')}) == {_area('t')} - lmax*{slowly}",
        D.scaled(wholes[1], "lmax"),
        D.scaled(points[1], "lmax*h"),
    )
    return first, second


def _positive(D: Derivation) -> Theorem:
    """0 < h, 0 <= t ⊢ 0 <= ψ(t): there are at most t/h grid points."""
    step, start = D.assume("0 < h"), D.assume("0 <= t")
    count = "Sum(i, m, Ind((i + 1)*h <= t))"
    few = D.sum(D.indicator("(i + 1)*h <= t")[1], "i", "m")
    room = D.times(few, D.linear("0 <= h", step))

    def following(below: Theorem) -> Theorem:
        goal, last = f"0 <= t - h*({count} + Ind((m + 1)*h <= t))", "(m + 1)*h <= t"
        return D.cases(
            last,
            lambda yes: D.by_value(goal, [D.holds(last)], room, yes),
            lambda _: D.by_value(goal, [D.fails(last)], below),
        )

    return D.induction("m", f"0 <= {_psi('t')}", D.linear("0 <= t", start), following)


def _integral_positive(D: Derivation) -> Theorem:
    """0 < h, 0 <= t ⊢ 0 <= Ψ(t): as large as λmax times the integral of ψ."""
    start, size = D.assume("0 <= t"), D.assume("0 <= c")
    goal = "Ind(c <= t)*(t - c) <= Int(s, t, Ind(c <= s))"

    def inside(yes: Theorem) -> Theorem:
        late = D.decide("1 - Ind(s <= c) <= Ind(c <= s)", ["s <= c", "c <= s"])
        cut = D.mp(D.instantiate(D.fact("shorter", t="c", u="t"), "gf", "s", "1"), yes)
        areas = [D.closed(D.primitive("s", end, "s"), start, size) for end in "ct"]
        return D.by_value(goal, [D.holds("c <= t")], D.integral(late, "s", "t"), cut, *areas)

    def outside(_: Theorem) -> Theorem:
        return D.by_value(goal, [D.fails("c <= t")], D.integral(D.whole("Ind(c <= s)"), "s", "t"))

    point = D.closed(D.at(D.cases("c <= t", inside, outside), c=_POINT), _beyond(D))
    points = D.times(D.sum(point, "i", "m"), D.linear("0 <= h", D.assume("0 < h")))
    sawtooth = D.integral(D.at(_positive(D), t="s"), "s", "t")
    whole = D.primitive("s", "t", "s**2/2")
    inner = _area("t").removeprefix("lmax*")
    return D.times(D.linear(f"0 <= {inner}", sawtooth, points, whole), D.linear("0 <= lmax", D.fact("lmax")))


def _at_horizon(D: Derivation) -> list[Theorem]:
    """0 < h, m h = H ⊢ ψ(H) == 0, and Ψ(H) == λmax H h/2."""
    whole, step = D.assume("m*h == H"), D.linear("0 <= h", D.assume("0 < h"))
    near = D.mp(
        D.known("either", "m <= i", "i + 1 <= m"),
        theorems.both(D.known("discrete", "m", "i"), D.assume("i < m")),
    )
    seen = theorems.cut(D.linear(f"{_POINT} <= H", D.times(near, step), whole), D.holds(f"{_POINT} <= H"))
    counts = [D.sum(one, "i", "m") for one in (seen, D.scaled(seen, f"H - {_POINT}"))]
    numbers = D.induction(
        "m", "2*Sum(i, m, i) == m**2 - m", D.linear("0 == 0"),
        lambda below: D.linear("2*Sum(i, m + 1, i) == (m + 1)**2 - (m + 1)", below),
    )  # fmt: skip
    squares = [D.scaled(whole, one) for one in ("h*m", "H", "h")]
    return [
        D.linear(f"{_psi('H')} == 0", D.scaled(counts[0], "h"), whole),
        D.linear(
            f"{_area('H')} == lmax*H*h/2",
            *(
                D.scaled(one, "lmax")
                for one in (D.scaled(counts[1], "h"), D.scaled(numbers, "h**2"), *squares)
            ),
        ),
    ]


# --- the two values -------------------------------------------------------------------------------

_BELOW, _ABOVE = (
    "{r} <= {q} + " + _area("t"),
    "{q} <= {r} + " + _psi("t") + " + " + _area("t"),
)


def _bounds(q: str, r: str) -> list[str]:
    return [one.format(q=q, r=r) for one in (_BELOW, _ABOVE)]


def _paid(D: Derivation, sawtooth: Theorem) -> list[Theorem]:
    """0 <= r ψ <= ψ, from 0 <= ψ."""
    shares = ("r(x, a)", "reward-low"), ("1 - r(x, a)", "reward-high")
    return [D.times(sawtooth, D.linear(f"0 <= {share}", D.fact(name))) for share, name in shares]


def _step(D: Derivation, before: Theorem) -> list[Theorem]:
    """0 < h, 0 <= t ⊢ the bounds for T^a of what satisfies them."""
    later = D.linear("0 <= t - s", D.assume("s <= t"))
    near = D.mp(D.special(before, "y", "t - s"), later)
    sawtooth = D.closed(D.at(_positive(D), t="t - s"), later)
    decay = D.known("exp", f"-{_RATE}*s")
    jumps = [D.over(D.times(theorems.part(near, one), D.fact("jump-low")), "y") for one in near.says.parts]
    rows = [D.scaled(D.fact("jump-sum"), one("(t - s)")) for one in (_psi, _area)]
    gap = "SumOver(y, p(x, a, y)*(gq(n, y, t - s) - gr(n, y, t - s)))"
    read, most = f"r(x, a)*{_psi('(t - s)')}", f"{_psi('(t - s)')} + {_area('(t - s)')}"
    sides = [
        D.linear(f"{one} <= {most}", *jumps, *rows, *_paid(D, sawtooth))
        for one in (f"{read} - {gap}", f"{gap} - {read}")
    ]
    spread = [D.integral(D.times(one, D.times(D.fact("rate"), decay)), "s", "t") for one in sides]
    slower = D.linear(f"0 <= lmax - {_RATE}", D.fact("rate-high"))
    less = D.times(D.integral(D.times(sawtooth, decay), "s", "t"), slower)
    first, second = _identities(D)
    facts = [D.scaled(first, "r(x, a)"), second, less, *_paid(D, _positive(D))]
    images = operator("a", "gq(n, {y}, {s})"), _sampled("a", "gr(n, y, t - s)")
    return [D.linear(goal, *spread, *facts) for goal in _bounds(*images)]


def _close(D: Derivation) -> Theorem:
    """EVALUATED, _SAMPLED, 0 < h ⊢ All(x, All(t, Imp(0 <= t, the bounds)))."""
    values, samples = D.assume(EVALUATED), D.assume(_SAMPLED)
    iterates = "gq({n}, x, t)", "gr({n}, x, t)"

    def all_of(n: str, *facts: Theorem) -> Theorem:
        goals = _bounds(*(one.format(n=n) for one in iterates))
        return always(D, theorems.both(*(D.linear(goal, *facts) for goal in goals)))

    starts = [
        D.special(part(D, values, POLICY_STARTS), "x", "t"),
        D.special(part(D, samples, _STARTS), "x", "t"),
    ]
    steps = [
        D.special(part(D, values, POLICY_STEPS), "n", "x", "t"),
        D.special(part(D, samples, _STEPS), "n", "x", "t"),
    ]

    def following(before: Theorem) -> Theorem:
        return all_of("n + 1", *steps, *(D.at(one, a="gpi(x, t)") for one in _step(D, before)))

    says = f"All(x, All(t, Imp(0 <= t, And({', '.join(_bounds('gq(n, x, t)', 'gr(n, x, t)'))}))))"
    return D.induction("n", says, all_of("0", *starts, _positive(D), _integral_positive(D)), following)


def error(D: Derivation) -> Theorem:
    """eq:FH-control-discrete/error."""
    horizon = D.linear("0 <= H", D.fact("horizon"))
    here = D.mp(D.special(_close(D), "x", "H"), horizon)
    most, ends = "lmax*H*h/2", _at_horizon(D)
    up, down = (
        D.linear(f"{u} <= {v} + {most}", *(theorems.part(here, one) for one in here.says.parts), *ends)
        for u, v in (("gq(n, x, H)", "gr(n, x, H)"), ("gr(n, x, H)", "gq(n, x, H)"))
    )
    name, sups = D.variable("n"), {one: f"Sup(n, {one}(n, x, H))" for one in ("gq", "gr")}
    top = D.closed(D.at(Iterates(D, POLICY).bounds[1], t="H"), horizon)
    limits = []
    for u, v, one, bound in (
        ("gq", "gr", up, D.linear(f"gr(n, x, H) <= H + {most}", down, top)), ("gr", "gq", down, top)
    ):  # fmt: skip
        below = D.linear(f"{u}(n, x, H) <= {sups[v]} + {most}", one, calculus.supremum(bound, name, name))
        limits.append(D.linear(f"{sups[u]} <= {sups[v]} + {most}", calculus.bounded(below, name)))
    both = D.at(theorems.both(modulus(D, up, down), modulus(D, *limits)), h="H/l", m="l")
    number = D.linear("0 < l", D.assume("1 <= l"))
    step = product(D, D.fact("horizon"), D.positive("inverse-positive", "l", number))
    both = D.closed(both, step, D.scaled(D.positive("inverse", "l", number), "H"))
    return D.imply(both, EVALUATED, _fine(_SAMPLED), "1 <= l")
