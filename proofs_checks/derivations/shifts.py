r"""The integral of a falling function over a later interval is that of the shifted function.

:math:`\int_u^{u+t}f(s)\,ds = \int_0^tf(u+s)\,ds`: on a grid of step h the two grow, from u + kh to u +
(k+1)h, by something between h f(u + (k+1)h) and h f(u + kh).  So they differ by at most :math:`h\,(f(u) -
f(u+t))` after all steps, however small h is.
"""

from __future__ import annotations

from proofs_checks.derivations.operators import part
from proofs_checks.derivations.runs import equal, product
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_BETWEEN = "All(s, Imp(And(c <= s, s <= d), And(gf(d) <= gf(s), gf(s) <= gf(c))))"


def growth(D: Derivation) -> tuple[Theorem, Theorem]:
    """_BETWEEN, 0 <= c <= d ⊢ (d - c) f(d) <= ∫ f over [c, d], and that <= (d - c) f(c)."""
    start, order = D.assume("0 <= c"), D.assume("c <= d")
    end = D.linear("0 <= d", start, order)
    whole = [
        D.mp(D.at(D.instantiate(D.fact("shorter"), "gf", "s", body), t="c", u="d"), order)
        for body in ("1", "gf(s)")
    ]
    areas = [D.closed(D.primitive("s", one, "s"), start, end) for one in ("c", "d")]
    found = [D.integral(_beyond(D, *one), "s", "d") for one in (("gf(d)", "gf(s)"), ("gf(s)", "gf(c)"))]
    lengths = [
        D.scaled(D.linear("Int(s, d, Ind(s <= c)) == c", whole[0], areas[0]), f"gf({k})") for k in "cd"
    ]
    wide = [D.scaled(areas[1], f"gf({k})") for k in "cd"]
    rest = "Int(s, d, gf(s)) - Int(s, c, gf(s))"
    return (
        D.linear(f"(d - c)*gf(d) <= {rest}", found[0], whole[1], lengths[1], wide[1]),
        D.linear(f"{rest} <= (d - c)*gf(c)", found[1], whole[1], lengths[0], wide[0]),
    )


def _beyond(D: Derivation, u: str, v: str) -> Theorem:
    """u <= v after c, and 0 <= 0 before."""
    goal = f"(1 - Ind(s <= c))*{u} <= (1 - Ind(s <= c))*{v}"

    def late(no: Theorem) -> Theorem:
        inside = theorems.both(D.linear("c <= s", no), D.assume("s <= d"))
        there = part(D, D.mp(D.special(D.assume(_BETWEEN), "s"), inside), f"{u} <= {v}")
        return D.by_value(goal, [D.fails("s <= c")], there)

    return D.cases("s <= c", lambda _: D.by_value(goal, [D.holds("s <= c")]), late)


FALLS = "All(s, All(q, Imp(And(0 <= s, s <= q, q <= u + t), gf(q) <= gf(s))))"
_A, _B = "Int(s, {m}*h, gf(u + s))", "(Int(s, u + {m}*h, gf(s)) - Int(s, u, gf(s)))"


def _falls(D: Derivation, later: str, earlier: str, *facts: Theorem) -> Theorem:
    """f(later) <= f(earlier)."""
    texts = f"0 <= {earlier}", f"{earlier} <= {later}", f"{later} <= u + t"
    return D.mp(
        D.special(D.assume(FALLS), earlier, later), theorems.both(*(D.linear(one, *facts) for one in texts))
    )


def _grid(D: Derivation) -> Theorem:
    """FALLS, 0 <= u, 0 < h ⊢ Imp(m h <= t, the two differ by at most h (f(u) - f(u + m h)))."""
    start, positive, room = D.assume("0 <= u"), D.assume("0 < h"), D.assume("(m + 1)*h <= t")
    begin = D.times(D.linear("0 <= h", positive), D.whole("m"))
    facts = [start, positive, room, begin]
    steps = []
    for shift, body in (("", "gf(u + s)"), ("u + ", "gf(s)")):
        c, d = f"{shift}m*h", f"{shift}(m + 1)*h"
        where = "u + {}" if not shift else "{}"
        bounds = [D.linear(one.format(c=c, d=d), *facts) for one in ("0 <= {c}", "{c} <= {d}")]
        time = [D.assume(f"{c} <= s"), D.assume(f"s <= {d}")]
        sides = [
            _falls(D, where.format(f"({d})"), where.format("s"), *facts, *time, *bounds),
            _falls(D, where.format("s"), where.format(f"({c})"), *facts, *time, *bounds),
        ]
        both = theorems.both(*sides)
        condition = D.assume(f"And({c} <= s, s <= {d})")
        for text in (f"{c} <= s", f"s <= {d}"):
            both = theorems.cut(part(D, condition, text), both)
        every = D.all(D.imply(both, f"And({c} <= s, s <= {d})"), "s")
        for one in growth(D):
            one = D.at(D.instantiate(one, "gf", "s", body), c=c, d=d)
            steps.append(D.closed(theorems.cut(every, one), *bounds))
    error = "h*(gf(u) - gf(u + {m}*h))"
    a, b = _A.format(m="m"), _B.format(m="m")
    texts = [f"{a} <= {b} + {error.format(m='m')}", f"{b} <= {a} + {error.format(m='m')}"]
    says = f"Imp(m*h <= t, And({texts[0]}, {texts[1]}))"

    def step(before: Theorem) -> Theorem:
        here = D.mp(before, D.linear("m*h <= t", room, positive))
        found = [D.linear(D.at(D.assume(one), m="m + 1").says, part(D, here, one), *steps) for one in texts]
        return D.imply(theorems.both(*found), "(m + 1)*h <= t")

    return D.induction("m", says, D.imply(_nothing(D, texts), "0 <= t"), step)


def _nothing(D: Derivation, texts: list[str]) -> Theorem:
    """The two integrals over nothing, for m = 0."""
    facts = [D.assume(one) for one in ("0 <= u", "0 <= t", "0 <= s", "s <= 0")]
    sides = [_falls(D, "u + s", "u", *facts), _falls(D, "u", "u + s", *facts)]
    length = D.scaled(D.closed(D.primitive("s", "0", "s")), "gf(u)")
    zero = [length, *(D.integral(one, "s", "0") for one in sides)]
    return theorems.both(*(D.linear(D.at(D.assume(one), m="0").says, *zero) for one in texts))


SHIFT = (
    f"Imp(And(0 <= u, 0 <= t), Imp({FALLS}, Int(s, u + t, gf(s)) == Int(s, u, gf(s)) + Int(s, t, gf(u + s))))"
)


def shift(D: Derivation) -> Theorem:
    """FALLS, 0 <= u, 0 <= t ⊢ ∫ f over [0, u + t] == ∫ f over [0, u] + ∫ f(u + s) ds over [0, t]."""
    start, size = D.assume("0 <= u"), D.assume("0 <= t")
    a, b = "Int(s, t, gf(u + s))", "(Int(s, u + t, gf(s)) - Int(s, u, gf(s)))"

    def some(yes: Theorem) -> Theorem:
        number = D.linear("0 < n + 1", D.whole("n"))
        unit, part_of = (
            D.positive("inverse", "n + 1", number),
            D.positive("inverse-positive", "n + 1", number),
        )
        whole = D.scaled(unit, "t")
        there = theorems.cut(product(D, yes, part_of), D.at(_grid(D), h="t/(n + 1)", m="n + 1"))
        ends = whole, D.linear("u + (n + 1)*(t/(n + 1)) == u + t", whole)
        both = D.valued(D.mp(there, D.linear("(n + 1)*(t/(n + 1)) <= t", whole)), *ends)
        drop = _falls(D, "u + t", "u", start, size)
        found = []
        for one, other in ((a, b), (b, a)):
            close = part(D, both, f"{one} <= {other} + t/(n + 1)*(gf(u) - gf(u + t))")
            times = D.times(close, number)
            more = D.scaled(whole, "gf(u) - gf(u + t)")
            sign = D.times(D.linear("0 <= gf(u) - gf(u + t)", drop), size)
            every = _cases_of(D, one, other, times, more, sign)
            found.append(D.linear(f"{one} <= {other}", D.archimedes(every, "n")))
        return D.linear(SAYS, equal(D, *found))

    def none(no: Theorem) -> Theorem:
        zero = D.mp(D.known("antisymmetric", "0", "t"), theorems.both(size, D.linear("t <= 0", no)))
        facts = [start, D.assume("0 <= s"), D.assume("s <= 0"), size]
        sides = [_falls(D, "u + s", "u", *facts), _falls(D, "u", "u + s", *facts)]
        length = D.scaled(D.closed(D.primitive("s", "0", "s")), "gf(u)")
        both = [D.integral(one, "s", "0") for one in sides]
        at = equal(
            D,
            D.linear("Int(s, 0, gf(u + s)) <= 0", length, *both),
            D.linear("0 <= Int(s, 0, gf(u + s))", length, *both),
        )
        begin = D.linear("Int(s, u + 0, gf(s)) == Int(s, u, gf(s)) + Int(s, 0, gf(u + s))", at)
        template = "Int(s, u + Real_1, gf(s)) == Int(s, u, gf(s)) + Int(s, Real_1, gf(u + s))"
        return D.rewrite(zero, begin, "Real_1", template)

    return D.cases("0 < t", some, none)


SAYS = "Int(s, u + t, gf(s)) == Int(s, u, gf(s)) + Int(s, t, gf(u + s))"


def _cases_of(D: Derivation, one: str, other: str, times: Theorem, *facts: Theorem) -> Theorem:
    """n (one - other) <= t (f(u) - f(u + t)), whichever is larger."""
    bound = "t*(gf(u) - gf(u + t))"
    goal = f"n*({one} - {other}) <= {bound}"
    return D.cases(
        f"{one} <= {other}",
        lambda yes: D.linear(goal, D.times(yes, D.whole("n")), *facts),
        lambda no: D.linear(goal, times, no, *facts),
    )
