r"""The mean of what remains after h holding times, by Poisson probabilities.

With :math:`p_i(t) = P(N=i)`, N Poisson(λt), :math:`f_i(t) = e^{\lambda t}p_i(t) = (\lambda t)^i/i!` satisfies

.. math:: \int_0^u \lambda f_i(t-s)\,ds = f_{i+1}(t) - f_{i+1}(t-u) \qquad (0 \le u \le t),

by induction over i: integrate over a triangle in both orders.  So :math:`p_{i+1}(t)` is the integral of
:math:`\lambda e^{-\lambda s}p_i(t-s)` over [0, t], and :math:`e_h - e_{h+1} = P(N > h)/\lambda`, which sums
to the closed form.
"""

from __future__ import annotations

from proofs_checks.derivations.lower_cases import by_value, off, on, settle, when
from proofs_checks.derivations.lower_values import first_wait, unfolded
from proofs_checks.derivations.lower_visits import product
from verify.kernel import calculus, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.calculus import Operator
from verify.kernel.theorems import Theorem

_F = "(exp(rate*({1}))*po({0}, {1}))"
_AT_LEAST = "(1 - Sum(i, {0}, po(i, t)))"
ERLANG_VALUE = f"Imp(0 <= t, er(h, t) == t*{_AT_LEAST.format('h')} - h/rate*{_AT_LEAST.format('h + 1')})"


def corner(D: Derivation) -> Theorem:
    """∫_0^u Ind(w <= s) ds = u - w, given 0 <= w <= u."""
    low, high = D.assume("0 <= w"), D.assume("w <= u")
    whole = D.closed(D.primitive("s", "u", "s"), D.linear("0 <= u", low, high))
    total = "Int(s, u, Ind(w <= s))"
    rest = D.linear("Int(s, u, Ind(s <= w)) == w", _length(D, "w", high), D.primitive("s", "w", "s"))
    cover = settle(D, "1 <= Ind(w <= s) + Ind(s <= w)", ["w <= s", "s <= w"])
    below = D.linear(f"u - w <= {total}", D.integral(cover, "s", "u"), whole, rest)
    above = D.cases(
        "w <= 0", lambda flat: _flat(D, total, flat, whole), lambda some: _some(D, total, some, whole)
    )
    return D.mp(D.known("antisymmetric", total, "u - w"), theorems.both(above, below))


def _length(D: Derivation, end: str, high: Theorem) -> Theorem:
    """∫_0^u Ind(s <= end) ds = ∫_0^end ds."""
    return when(D, D.at(D.instantiate(D.fact("shorter"), "gf", "s", "1"), t=end), high)


def _flat(D: Derivation, total: str, flat: Theorem, whole: Theorem) -> Theorem:
    most = D.integral(D.indicator("w <= s")[1], "s", "u")
    return D.linear(f"{total} <= u - w", most, whole, flat)


def _some(D: Derivation, total: str, some: Theorem, whole: Theorem) -> Theorem:
    """A little less than w: as little less as may be."""
    count = D.linear("0 < n + 1", D.whole("n"))
    part, unit = (
        D.positive("inverse-positive", "n + 1", count),
        D.scaled(D.positive("inverse", "n + 1", count), "w"),
    )
    near = "w*n/(n + 1)"
    less = D.linear(f"{near} < w", product(D, some, part), unit)
    inside = D.linear(f"{near} <= u", less, D.assume("w <= u"))
    zero = D.linear(
        f"0 <= {near}",
        D.times(D.times(D.linear("0 <= w", some), D.whole("n")), D.linear("0 <= 1/(n + 1)", part)),
    )
    length = D.linear(
        f"Int(s, u, Ind(s <= {near})) == {near}",
        _length(D, near, inside),
        D.closed(D.primitive("s", near, "s"), zero),
    )
    goal = f"Ind(w <= s) + Ind(s <= {near}) <= 1"
    apart = D.cases(
        f"s <= {near}",
        lambda yes: by_value(D, goal, [on(D, yes), off(D, D.linear("s < w", yes, less))]),
        lambda no: by_value(D, goal, [off(D, no)], D.indicator("w <= s")[1]),
    )
    bound = D.linear(f"{total} + {near} <= u", D.integral(apart, "s", "u"), length, whole)
    scaled = D.times(bound, D.linear("0 <= n + 1", count))
    small = D.linear(f"n*({total} - u + w) <= u - {total}", scaled, D.scaled(unit, "n"))
    return D.linear(f"{total} <= u - w", calculus.archimedes(small, D.variable("n")))


def triangle(D: Derivation) -> Theorem:
    """∫_0^u ∫_0^s g(w) dw ds = ∫_0^u (u - w) g(w) dw."""
    inner = when(D, D.at(D.fact("shorter"), t="s"), D.assume("s <= u"))
    outer = D.integral(inner, "s", "u")
    s, w = (Operator("Int", D.variable(v), D.term("u")) for v in "sw")
    swapped = D.exchange(s, w, "Ind(w <= s)*gf(w)")
    corners = D.integral(D.scaled(corner(D), "gf(w)"), "w", "u")
    return D.linear("Int(s, u, Int(w, s, gf(w))) == Int(w, u, (u - w)*gf(w))", outer, swapped, corners)


def next_power(D: Derivation, at: str, time: str) -> Theorem:
    """(i + 1) f_{i+1} == rate t f_i."""
    unit = D.positive("inverse", f"{at} + 1", D.linear(f"0 < {at} + 1", D.whole(at)))
    step = D.scaled(D.fact("po-step", i=at, t=time), f"exp(rate*({time}))*({at} + 1)")
    share = D.scaled(unit, f"rate*({time})*{_F.format(at, time)}")
    return D.linear(
        f"({at} + 1)*{_F.format(f'{at} + 1', time)} == rate*({time})*{_F.format(at, time)}", step, share
    )


def powers(D: Derivation) -> Theorem:
    """All(t, All(u, Imp(0 <= u <= t, ∫_0^u rate f_i(t - s) ds == f_{i+1}(t) - f_{i+1}(t - u))))."""
    inside = "And(0 <= u, u <= t)"
    says = (
        "Int(s, u, rate*"
        + _F.format("{0}", "t - s")
        + ") == "
        + _F.format("{0} + 1", "t")
        + " - "
        + _F.format("{0} + 1", "t - u")
    )
    low = theorems.part(D.assume(inside), D.formula("0 <= u"))
    ones = D.scaled(D.scaled(D.fact("po-0", t="t - s"), "exp(rate*(t - s))"), "rate")
    first = D.integral(ones, "s", "u")
    ends = [
        D.linear(
            f"{_F.format('1', v)} == rate*({v})",
            next_power(D, "0", v),
            D.scaled(D.fact("po-0", t=v), f"exp(rate*({v}))*rate*({v})"),
        )
        for v in ("t", "t - u")
    ]
    length = D.closed(D.primitive("s", "u", "s"), low)
    start = D.linear(says.format("0"), first, *ends, D.scaled(length, "rate"))

    def step(below: Theorem) -> Theorem:
        return D.all(D.imply(_next(D, below, inside, says), inside), "t", "u")

    a = f"All(t, All(u, Imp({inside}, {says.format('i')})))"
    return D.induction("i", a, D.all(D.imply(start, inside), "t", "u"), step)


def _next(D: Derivation, below: Theorem, inside: str, says: str) -> Theorem:
    """The step from i to i + 1: the triangle."""
    low, high = (theorems.part(D.assume(inside), D.formula(f)) for f in ("0 <= u", "u <= t"))
    known = D.mp(D.special(below, "t", "u"), D.assume(inside))
    short = theorems.both(D.assume("0 <= s"), D.linear("s <= t", D.assume("s <= u"), high))
    each = D.integral(D.mp(D.special(below, "t", "s"), short), "s", "u")
    both_ways = D.instantiate(triangle(D), "gf", "w", f"rate*{_F.format('i', 't - w')}")
    moments = D.integral(next_power(D, "i", "t - s"), "s", "u")
    length = D.scaled(D.closed(D.primitive("s", "u", "s"), low), _F.format("i + 1", "t"))
    x = f"Int(s, u, {_F.format('i + 1', 't - s')})"
    later = [next_power(D, "i + 1", v) for v in ("t", "t - u")]
    total = D.linear(
        f"(i + 2)*{x} == t*{_F.format('i + 1', 't')} - (t - u)*{_F.format('i + 1', 't - u')}",
        each, both_ways, moments, length, D.scaled(known, "u"), D.scaled(known, "t"),
    )  # fmt: skip
    unit = D.positive("inverse", "i + 2", D.linear("0 < i + 2", D.whole("i")))
    ends = [_F.format("i + 2", v) for v in ("t", "t - u")]
    return D.linear(
        says.format("(i + 1)"), D.scaled(total, "rate/(i + 2)"), D.scaled(unit, f"rate*{x}"),
        *(D.scaled(one, "1/(i + 2)") for one in later), *(D.scaled(unit, end) for end in ends),
    )  # fmt: skip


def convolution(D: Derivation) -> Theorem:
    """∫_0^t rate e^(-rate s) p_i(t - s) ds == p_{i+1}(t), given 0 <= t."""
    time = D.assume("0 <= t")
    total = D.mp(D.special(powers(D), "t", "t"), theorems.both(time, D.linear("t <= t")))
    body = "rate*exp(-rate*s)*po(i, t - s)"
    apart = D.integral(D.scaled(D.assume("q == exp(rate*t)"), body), "s", "t")
    apart = D.closed(D.at(apart, q="exp(rate*t)"), D.linear("exp(rate*t) == exp(rate*t)"))
    none = D.fact("po-step", t="0")
    return D.linear(
        f"Int(s, t, {body}) == po(i + 1, t)",
        D.scaled(total, "exp(-rate*t)"), D.scaled(apart, "exp(-rate*t)"), D.scaled(none, "exp(-rate*t)"),
    )  # fmt: skip


def _shift(D: Derivation) -> Theorem:
    """p_0 + p_1 + … + p_h."""
    a = "po(0, t) + Sum(i, h, po(i + 1, t)) == Sum(i, h + 1, po(i, t))"
    after = "po(0, t) + Sum(i, h + 1, po(i + 1, t)) == Sum(i, h + 2, po(i, t))"
    return D.induction("h", a, D.linear("po(0, t) == po(0, t)"), lambda below: D.linear(after, below))


def _gaps(D: Derivation) -> Theorem:
    """All(t, Imp(0 <= t, er(h, t) - er(h + 1, t) == P(N > h)/rate))."""
    time, rate = D.assume("0 <= t"), D.fact("rate")
    wait = D.closed(D.primitive("s", "t", "-exp(-rate*s)"), time)
    unit = D.positive("inverse", "rate", rate)
    says = "er({0}, t) - er({0} + 1, t) == (1 - Sum(i, {0} + 1, po(i, t)))/rate"
    length = D.linear(
        "Int(s, t, exp(-rate*s)) == (1 - exp(-rate*t))/rate",
        D.scaled(wait, "1/rate"),
        D.scaled(unit, "Int(s, t, exp(-rate*s))"),
    )
    none = D.scaled(D.fact("po-0"), "1/rate")
    start = D.linear(
        says.format("0"), D.fact("er-0"), unfolded(D), D.closed(first_wait(D), time), length, none
    )
    each = D.sum(D.scaled(convolution(D), "1/rate"), "i", "h + 1")

    def step(below: Theorem) -> Theorem:
        inner = D.mp(D.special(below, "t - s"), D.linear("0 <= t - s", D.assume("s <= t")))
        later = D.integral(D.scaled(inner, "rate*exp(-rate*s)"), "s", "t")
        shift = D.scaled(D.at(_shift(D), h="h + 1"), "1/rate")
        up = D.linear(
            says.format("(h + 1)"), later, D.fact("er-step"), D.fact("er-step", h="h + 1"), each, shift,
            length, none, D.scaled(unit, "Int(s, t, exp(-rate*s))"),
        )  # fmt: skip
        return D.all(D.imply(up, "0 <= t"), "t")

    a = f"All(t, Imp(0 <= t, {says.format('h')}))"
    return D.induction("h", a, D.all(D.imply(start, "0 <= t"), "t"), step)


def erlang_value(D: Derivation) -> Theorem:
    """E(t - γ_h)^+ = t P(N >= h) - (h/rate) P(N >= h + 1)."""
    time = D.assume("0 <= t")
    gap = D.mp(D.special(_gaps(D), "t"), time)
    unit = D.positive("inverse", "rate", D.fact("rate"))
    count = D.positive("inverse", "h + 1", D.linear("0 < h + 1", D.whole("h")))
    power = D.linear(
        "t*po(h, t) == (h + 1)/rate*po(h + 1, t)", D.scaled(D.fact("po-step", i="h"), "(h + 1)/rate"),
        D.scaled(unit, "t*po(h, t)*(h + 1)/(h + 1)"), D.scaled(count, "t*po(h, t)"),
    )  # fmt: skip
    says = "er({0}, t) == t*(1 - Sum(i, {0}, po(i, t))) - ({0})/rate*(1 - Sum(i, {0} + 1, po(i, t)))"
    closed = D.induction(
        "h",
        says.format("h"),
        D.fact("er-0"),
        lambda below: D.linear(says.format("(h + 1)"), below, gap, power),
    )
    return D.imply(closed, "0 <= t")
