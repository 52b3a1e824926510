r"""Functions that satisfy the HJB equation up to errors of order h² are ordered as they begin.

:math:`F(v)(x) = \max_a[r-\lambda v(x)+\lambda\sum pv]`.  A step :math:`v \mapsto v + hF(v)` with λmax h <= 1
averages values, so it keeps order and does not spread differences.  The errors of q/h steps add up to
something of order h, and h may be as small as one likes.
"""

from __future__ import annotations

from proofs_checks.derivations.operators import maximum
from proofs_checks.derivations.runs import product
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem


def earning(values: str, action: str = "a") -> str:
    """What an action earns per unit of time, and loses or gains by jumps; values is a pattern of y."""
    here, there = (values.format(y=y) for y in "xy")
    pair = f"x, {action}"
    return f"(r({pair}) - lam({pair})*{here} + lam({pair})*SumOver(y, p({pair}, y)*{there}))"


def speed(values: str) -> str:
    """F(v)(x)."""
    return f"MaxOver(a, {earning(values)})"


# --- a step keeps order -------------------------------------------------------------------------

_BELOW = "All(y, gv(y, t) <= gw(y, t) + d)"
_V, _W = "gv({y}, t)", "gw({y}, t)"


def largest_rate(D: Derivation) -> Theorem:
    """0 < λmax."""
    return D.fact("lmax")


def step_keeps(D: Derivation) -> Theorem:
    """_BELOW, 0 < h, lmax h <= 1 ⊢ v + h F(v) <= w + h F(w) + d at x."""
    positive = D.assume("0 < h")
    share = D.linear("0 <= 1 - h*lam(x, a)", D.times(D.fact("rate-high"), positive), D.assume("lmax*h <= 1"))
    weight = D.times(D.fact("rate"), positive)
    here = D.times(D.special(D.assume(_BELOW), "x"), share)
    jumps = D.over(D.times(D.special(D.assume(_BELOW), "y"), D.fact("jump-low")), "y")
    there = D.times(jumps, weight)
    row = D.scaled(D.fact("jump-sum"), "h*lam(x, a)*d")
    one = D.linear(f"gv(x, t) + h*{earning(_V)} <= gw(x, t) + h*{earning(_W)} + d", here, there, row)
    inverse, unit = D.positive("inverse-positive", "h", positive), D.positive("inverse", "h", positive)
    more = "(gw(x, t) - gv(x, t) + d)/h"
    ones = [D.scaled(unit, earning(one)) for one in (_V, _W)]
    divided = D.linear(f"{earning(_V)} <= {earning(_W)} + {more}", D.times(one, inverse), *ones)
    top = D.times(maximum(D, divided, earning(_V), earning(_W), more), positive)
    back = D.scaled(unit, "gw(x, t) - gv(x, t) + d")
    return D.linear(f"gv(x, t) + h*{speed(_V)} <= gw(x, t) + h*{speed(_W)} + d", top, back)


# --- what begins in order stays so --------------------------------------------------------------

STEP = "And(0 <= t, 0 <= h, t + h <= q)"
SUB = f"All(x, All(t, All(h, Imp({STEP}, gv(x, t + h) <= gv(x, t) + h*{speed(_V)} + w*h**2))))"
SUPER = f"All(x, All(t, All(h, Imp({STEP}, gw(x, t) + h*{speed(_W)} <= gw(x, t + h) + w*h**2))))"
BEGINS = "All(x, gv(x, 0) <= gw(x, 0) + d)"
SIZE = "All(x, Abs(gv(x, q) - gw(x, q)) <= c)"


def _after_steps(D: Derivation) -> Theorem:
    """SUB, SUPER, BEGINS, 0 < h, lmax h <= 1 ⊢ Imp(m h <= q, v(m h) <= w(m h) + d + 2 m w h²)."""
    positive, room = D.assume("0 < h"), D.assume("(m + 1)*h <= q")
    begin = D.times(D.linear("0 <= h", positive), D.whole("m"))
    error = "d + 2*m*w*h**2"
    says = f"Imp(m*h <= q, All(x, gv(x, m*h) <= gw(x, m*h) + {error}))"
    inside = theorems.both(
        D.linear("0 <= m*h", begin), D.linear("0 <= h", positive), D.linear("m*h + h <= q", room)
    )
    low, high = (D.mp(D.special(D.assume(one), "x", "m*h", "h"), inside) for one in (SUB, SUPER))
    keeps = D.at(step_keeps(D), t="m*h", d=error)

    def step(before: Theorem) -> Theorem:
        here = D.special(D.mp(before, D.linear("m*h <= q", room, positive)), "x")
        order = theorems.cut(D.all(here, "x"), keeps)
        goal = "gv(x, (m + 1)*h) <= gw(x, (m + 1)*h) + d + 2*(m + 1)*w*h**2"
        return D.imply(D.all(D.linear(goal, order, low, high), "x"), "(m + 1)*h <= q")

    first = D.imply(D.assume(BEGINS), "0 <= q")
    return D.induction("m", says, first, step)


def ordered(D: Derivation) -> Theorem:
    """SUB, SUPER, BEGINS, SIZE, 0 <= q, 0 <= w ⊢ v(x, q) <= w(x, q) + d."""
    far = "gv(x, q) - gw(x, q) - d"
    start, error = D.assume("0 <= q"), D.assume("0 <= w")
    largest, number = D.linear("0 <= lmax", largest_rate(D)), D.linear("0 < n + 1", D.whole("n"))
    size = D.special(D.assume(SIZE), "x")
    sizes = [size, *(D.known(one, "gv(x, q) - gw(x, q)") for one in ("abs", "abs-"))]
    sizes += [D.known(one, "d") for one in ("abs", "abs-")]
    most = "(c + Abs(d))"
    bounds = [D.linear(f"{sign}({far}) <= {most}", *sizes) for sign in ("", "-")]
    positive_size = D.linear(f"0 <= {most}", *bounds)
    spread = D.times(D.times(start, largest), positive_size)
    errors = D.times(D.known("square", "q"), error)
    total = f"2*w*q**2 + {most} + lmax*q*{most}"

    def shrinks(yes: Theorem) -> Theorem:
        unit = D.positive("inverse", "n + 1", number)
        part_of = D.positive("inverse-positive", "n + 1", number)
        step = "q/(n + 1)"
        there = D.at(_after_steps(D), h=step, m="n + 1")
        there = theorems.cut(product(D, yes, part_of), there)

        def fine(enough: Theorem) -> Theorem:
            short = D.linear(f"lmax*({step}) <= 1", D.times(enough, part_of), unit)
            whole = D.scaled(unit, "q")
            found = D.mp(theorems.cut(short, there), D.linear(f"(n + 1)*({step}) <= q", whole))
            found = D.valued(D.special(found, "x"), whole)
            one = D.linear(f"{far} <= 2*w*q**2/(n + 1)", found, D.scaled(unit, "2*w*q**2/(n + 1)"))
            many = D.linear(f"(n + 1)*({far}) <= 2*w*q**2", D.times(one, number), D.scaled(unit, "2*w*q**2"))
            return D.linear(f"n*({far}) <= {total}", many, bounds[1], spread)

        def few(no: Theorem) -> Theorem:
            less = D.times(D.linear("n <= lmax*q", no), positive_size)
            return D.linear(
                f"n*({far}) <= {total}", D.times(bounds[0], D.whole("n")), less, errors, positive_size
            )

        every = D.cases("lmax*q <= n + 1", fine, few)
        return D.linear("gv(x, q) <= gw(x, q) + d", D.archimedes(every, "n"))

    def at_once(no: Theorem) -> Theorem:
        zero = D.mp(D.known("antisymmetric", "0", "q"), theorems.both(start, D.linear("q <= 0", no)))
        return D.rewrite(
            zero, D.special(D.assume(BEGINS), "x"), "Real_1", "gv(x, Real_1) <= gw(x, Real_1) + d"
        )

    return D.cases("0 < q", shrinks, at_once)
