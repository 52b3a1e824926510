r"""The HJB equation by explicit Euler steps: an error of at most λmax H h/2.

v solves the equation if :math:`v(x,t+h) - v(x,t) = \int_0^hF(v(\cdot,t+s))(x)\,ds`.  By comparison with 0,
with t, and with itself at a later time, 0 <= v(x,t) <= t and 0 <= v(x,t+s) - v(x,t) <= s.  So F moves by at
most λmax s within time s, one step errs by at most λmax h²/2, and n steps by n times that.
"""

from __future__ import annotations

from proofs_checks.derivations.comparison import STEP, earning, largest_rate, ordered, speed, step_keeps
from proofs_checks.derivations.operators import WITHIN, maximum, part
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

# --- the solution -------------------------------------------------------------------------------

_U, _UT = "gu({y}, t)", "gu({y}, t + s)"
_PIECE = "And(0 <= t, 0 <= h, t + h <= H)"
SOLVES = f"All(x, All(t, All(h, Imp({_PIECE}, gu(x, t + h) == gu(x, t) + Int(s, h, {speed(_UT)})))))"
STARTS = "All(x, gu(x, 0) == 0)"
BOUNDED = f"All(x, All(t, Imp({WITHIN}, Abs(gu(x, t)) <= c)))"
_MOST = "(1 + 2*lmax*c)"
_NEAR = (
    "All(y, All(s, Imp(And(0 <= s, s <= h), "
    "And(gu(y, t) <= gu(y, t + s) + v*s, gu(y, t + s) <= gu(y, t) + e*s))))"
)
_TIMES = ("0 <= t", "0 <= h", "t + h <= H")


ACTION = "gpi(x, t + s)"
FOLLOWS = SOLVES.replace(speed(_UT), earning(_UT, ACTION))
"""gu is the value of a policy gpi whose action may change at any time."""


def _piece(D: Derivation, equation: str = SOLVES) -> Theorem:
    """SOLVES (or FOLLOWS), 0 <= t, 0 <= h, t + h <= H ⊢ v(t + h) == v(t) + ∫ F ds."""
    return D.mp(D.special(D.assume(equation), "x", "t", "h"), theorems.both(*map(D.assume, _TIMES)))


def _sides(D: Derivation, error: str, up: Theorem, down: Theorem, *facts: Theorem) -> tuple[Theorem, Theorem]:
    """v(t + h) <= v(t) + h F(v(t)) + error and the reverse, from the integrals of F(v(t + s))."""
    whole = f"gu(x, t) + h*{speed(_U)}"
    return (
        D.linear(f"gu(x, t + h) <= {whole} + {error}", _piece(D), up, *facts),
        D.linear(f"{whole} <= gu(x, t + h) + {error}", _piece(D), down, *facts),
    )


def local(D: Derivation) -> tuple[Theorem, Theorem]:
    """SOLVES, _NEAR, 0 <= v, 0 <= e ⊢ one Euler step errs by at most lmax (v + e) h²/2, up and down."""
    return _sides(D, "lmax*(v + e)*h**2/2", *_drifts(D))


def _drifts(D: Derivation) -> list[Theorem]:
    """_NEAR, 0 <= v, 0 <= e ⊢ ∫ F(v(t + s)) ds is within lmax (v + e) h²/2 of h F(v(t)); and two areas."""
    rate = D.fact("rate")
    inside = theorems.both(D.assume("0 <= s"), D.assume("s <= h"))
    below, above = "gu({y}, t) <= gu({y}, t + s) + v*s", "gu({y}, t + s) <= gu({y}, t) + e*s"
    near = {y: D.mp(D.special(D.assume(_NEAR), y, "s"), inside) for y in "xy"}
    here, there = ({y: part(D, near[y], one.format(y=y)) for y in "xy"} for one in (below, above))
    most = D.times(
        D.times(D.fact("rate-high"), D.assume("0 <= s")),
        D.linear("0 <= v + e", D.assume("0 <= v"), D.assume("0 <= e")),
    )
    row = [D.scaled(D.fact("jump-sum"), f"lam(x, a)*{k}*s") for k in "ve"]
    found = []
    for u, w, first, second in ((_UT, _U, here, there), (_U, _UT, there, here)):
        jumps = D.times(D.over(D.times(second["y"], D.fact("jump-low")), "y"), rate)
        goal = f"{earning(u)} <= {earning(w)} + lmax*(v + e)*s"
        one = D.linear(goal, D.times(first["x"], rate), jumps, *row, most)
        found.append(D.integral(maximum(D, one, earning(u), earning(w), "lmax*(v + e)*s"), "s", "h"))
    areas = [
        D.scaled(D.primitive("s", "h", "s"), speed(_U)),
        D.scaled(D.primitive("s", "h", "s**2/2"), "lmax*(v + e)"),
    ]
    return [*found, *areas]


def _crude(D: Derivation, equation: str = SOLVES) -> tuple[Theorem, Theorem]:
    """SOLVES or FOLLOWS, BOUNDED, times ⊢ v(t) <= v(t + h) + B h, and v(t + h) <= v(t) + B h."""
    facts = [D.assume(one) for one in (*_TIMES, "0 <= s", "s <= h")]
    within = theorems.both(D.linear("0 <= t + s", *facts), D.linear("t + s <= H", *facts))
    size = {y: D.mp(D.special(D.assume(BOUNDED), y, "t + s"), within) for y in "xy"}
    signs = {
        y: [
            D.linear(f"{k}gu({y}, t + s) <= c", size[y], D.known(one, f"gu({y}, t + s)"))
            for one, k in (("abs", ""), ("abs-", "-"))
        ]
        for y in "xy"
    }
    rate = D.fact("rate")
    room = D.linear("0 <= c", *signs["x"])
    most = D.times(D.fact("rate-high"), room)
    row = D.scaled(D.fact("jump-sum"), "lam(x, a)*c")
    rates = [D.times(one, rate) for one in signs["x"]]
    jumps = [D.times(D.over(D.times(one, D.fact("jump-low")), "y"), rate) for one in signs["y"]]
    high = D.linear(f"{earning(_UT)} <= {_MOST}", rates[1], jumps[0], row, most, D.fact("reward-high"))
    low = D.linear(f"-{_MOST} <= {earning(_UT)}", rates[0], jumps[1], row, most, D.fact("reward-low"))
    top = maximum(D, high, earning(_UT), _MOST)
    bottom = D.linear(f"-{_MOST} <= {speed(_UT)}", low, D.most("a", earning(_UT), "a"))
    if equation == FOLLOWS:
        bottom, top = D.at(low, a=ACTION), D.at(high, a=ACTION)
    length = D.scaled(D.primitive("s", "h", "s"), _MOST)
    ends = [D.integral(one, "s", "h") for one in (bottom, top)]
    return (
        D.linear(f"gu(x, t) <= gu(x, t + h) + {_MOST}*h", _piece(D, equation), ends[0], length),
        D.linear(f"gu(x, t + h) <= gu(x, t) + {_MOST}*h", _piece(D, equation), ends[1], length),
    )


def crude_steps(D: Derivation) -> tuple[Theorem, Theorem]:
    """SOLVES, BOUNDED, times ⊢ one Euler step errs by at most K h², K = lmax B, up and down."""
    facts = _near(D, SOLVES)
    up, down = (_at_crude(D, one, *facts) for one in local(D))
    return up, down


def policy_step(D: Derivation) -> Theorem:
    """FOLLOWS, BOUNDED, times ⊢ v(t + h) <= v(t) + h F(v(t)) + K h²: no policy earns more than the best."""
    up, _, *areas = _drifts(D)
    less = D.integral(D.most("a", earning(_UT), ACTION), "s", "h")
    whole = f"gu(x, t) + h*{speed(_U)} + lmax*(v + e)*h**2/2"
    one = D.linear(f"gu(x, t + h) <= {whole}", _piece(D, FOLLOWS), less, up, *areas)
    return _at_crude(D, one, *_near(D, FOLLOWS))


def _at_crude(D: Derivation, theorem: Theorem, near: Theorem, sign: Theorem) -> Theorem:
    """An Euler step, with the crude bounds of the slope."""
    return theorems.cut(sign, theorems.cut(near, D.at(theorem, v=_MOST, e=_MOST)))


def _near(D: Derivation, equation: str) -> tuple[Theorem, Theorem]:
    """_NEAR with the crude bounds of the slope, which are not negative."""
    near = D.at(theorems.both(*_crude(D, equation)), x="y", h="s")
    facts = [D.assume(one) for one in (*_TIMES, "0 <= s", "s <= h")]
    near = D.closed(near, D.linear("t + s <= H", *facts))
    condition = D.assume("And(0 <= s, s <= h)")
    for text in ("0 <= s", "s <= h"):
        near = theorems.cut(part(D, condition, text), near)
    every = D.all(D.imply(near, "And(0 <= s, s <= h)"), "y", "s")
    start = theorems.both(D.assume("0 <= t"), D.linear("t <= H", *facts[:3]))
    size = D.mp(D.special(D.assume(BOUNDED), "x", "t"), start)
    room = D.linear("0 <= c", size, D.known("abs", "gu(x, t)"), D.known("abs-", "gu(x, t)"))
    return every, D.linear(f"0 <= {_MOST}", D.times(room, largest_rate(D)))


# --- the solution rises, by at most 1 per unit of time -------------------------------------------

ERROR = f"lmax*{_MOST}"
_AREA = ("0 <= q", "0 <= u", "u + q <= H")


def everywhere(D: Derivation, theorem: Theorem) -> Theorem:
    """For all x, t, h of a step within [0, q]."""
    for text in ("0 <= t", "0 <= h", "t + h <= q"):
        theorem = theorems.cut(part(D, D.assume(STEP), text), theorem)
    return D.all(D.imply(theorem, STEP), "x", "t", "h")


def room(D: Derivation) -> Theorem:
    """BOUNDED ⊢ 0 <= c."""
    here = D.mp(
        D.special(D.assume(BOUNDED), "x", "0"),
        theorems.both(D.linear("0 <= 0"), D.linear("0 <= H", D.fact("horizon"))),
    )
    return D.linear("0 <= c", here, D.known("abs", "gu(x, 0)"), D.known("abs-", "gu(x, 0)"))


class _Comparison:
    """Functions of x and t that satisfy the equation up to errors of order h², on [0, q]."""

    def __init__(self, D: Derivation) -> None:
        self.D = D
        self.area = [D.assume(one) for one in _AREA]
        self.error = D.times(
            D.linear(f"0 <= {_MOST}", D.times(room(D), largest_rate(D)), D.linear("0 < 1")),
            D.linear("0 <= lmax", largest_rate(D)),
        )
        self.ordered = D.at(ordered(D), w=ERROR, c="2*c + H", d="d")
        self.steps = crude_steps(D)

    def solution(self, shift: str) -> tuple[Theorem, Theorem]:
        """SUB and SUPER of v(x, shift), a time like t or u + t."""
        D, found = self.D, []
        facts = [*self.area, *(D.assume(one) for one in ("0 <= t", "0 <= h", "t + h <= q"))]
        for one in self.steps:
            at = D.at(one, t=shift)
            found.append(
                everywhere(
                    D, D.closed(at, D.linear(f"0 <= {shift}", *facts), D.linear(f"{shift} + h <= H", *facts))
                )
            )
        return found[0], found[1]

    def square(self) -> Theorem:
        """0 <= K h²."""
        return self.D.times(self.D.known("square", "h"), self.error)

    def time(self) -> Theorem:
        """SUPER of the function t."""
        D = self.D
        row = D.scaled(D.fact("jump-sum"), "lam(x, a)*t")
        top = maximum(D, D.linear(f"{earning('t')} <= 1", D.fact("reward-high"), row), earning("t"), "1")
        goal = f"t + h*{speed('t')} <= t + h + {ERROR}*h**2"
        return everywhere(D, D.linear(goal, D.times(top, D.assume("0 <= h")), self.square()))

    def nothing(self) -> Theorem:
        """SUB of the function 0."""
        D = self.D
        low = D.linear(f"0 <= {speed('0')}", D.fact("reward-low"), D.most("a", earning("0"), "a"))
        return everywhere(
            D,
            D.linear(f"0 <= h*{speed('0')} + {ERROR}*h**2", D.times(low, D.assume("0 <= h")), self.square()),
        )

    def size(self, v: str, w: str) -> Theorem:
        """Both are at most c in size, or t."""
        D = self.D
        facts = [*self.area, room(D)]
        for time in ("q", "u + q"):
            there = D.mp(
                D.special(D.assume(BOUNDED), "x", time),
                theorems.both(D.linear(f"0 <= {time}", *self.area), D.linear(f"{time} <= H", *self.area)),
            )
            facts += [there, D.known("abs", f"gu(x, {time})"), D.known("abs-", f"gu(x, {time})")]
        goal, difference = f"Abs(({v}) - ({w})) <= 2*c + H", f"({v}) - ({w})"
        return D.all(
            D.split(
                D.known("abs-cases", difference),
                lambda one: D.linear(goal, one, *facts),
                lambda one: D.linear(goal, one, *facts),
            ),
            "x",
        )

    def compare(self, v: str, w: str, d: str, sub: Theorem, above: Theorem, begins: Theorem) -> Theorem:
        """V(x, q) <= w(x, q) + d; v and w are texts in x and t."""
        D = self.D
        found = D.at(self.ordered, d=d)
        for name, body in (("gv", v), ("gw", w)):
            found = D.instantiate(found, name, "x t", body)
        at_end = [one.replace("t)", "q)") if "(" in one else one.replace("t", "q") for one in (v, w)]
        for fact in (sub, above, D.all(begins, "x"), self.size(*at_end), self.error):
            found = theorems.cut(fact, found)
        return found


def slopes(D: Derivation) -> tuple[Theorem, Theorem]:
    """SOLVES, STARTS, BOUNDED, 0 <= q, 0 <= u, u + q <= H ⊢ v(q) <= v(u + q), and v(u + q) <= v(q) + u."""
    of, zero = _Comparison(D), D.special(D.assume(STARTS), "x")
    plain, late = of.solution("t"), of.solution("u + t")
    at_zero = {"u": "0", "q": "u"}
    short = [D.linear("0 <= u", D.assume("0 <= u")), D.linear("u <= H", *of.area)]
    low = of.compare("0", "gu(x, t)", "0", of.nothing(), plain[1], D.linear("0 <= gu(x, 0) + 0", zero))
    high = of.compare("gu(x, t)", "t", "0", plain[0], of.time(), D.linear("gu(x, 0) <= 0 + 0", zero))
    begins = [D.closed(D.at(one, **at_zero), *short) for one in (low, high)]
    rises = of.compare(
        "gu(x, t)",
        "gu(x, u + t)",
        "0",
        plain[0],
        late[1],
        D.linear("gu(x, 0) <= gu(x, u) + 0", begins[0], zero),
    )
    grows = of.compare(
        "gu(x, u + t)",
        "gu(x, t)",
        "u",
        late[0],
        plain[1],
        D.linear("gu(x, u) <= gu(x, 0) + u", begins[1], zero),
    )
    return D.linear("gu(x, q) <= gu(x, u + q)", rises), grows


# --- eq:hjb-pde/euler ---------------------------------------------------------------------------

_ITERATE = "gq(n, {y}, h)"
SCHEME = (
    f"And(All(x, gq(0, x, h) == 0), All(n, All(x, gq(n + 1, x, h) == gq(n, x, h) + h*{speed(_ITERATE)})))"
)
_GRID = "And(0 < h, lmax*h <= 1, n*h <= H)"
_DISTANCE = "Abs(gu(x, n*h) - gq(n, x, h))"
EULER = (
    f"Imp({SOLVES}, Imp({STARTS}, Imp({BOUNDED}, Imp({SCHEME}, Imp({_GRID}, "
    f"And({_DISTANCE} <= n*(lmax*h**2/2), {_DISTANCE} <= lmax*H*h/2))))))"
)


def _sharp(D: Derivation) -> list[Theorem]:
    """One Euler step errs by at most lmax h²/2, up and down."""
    facts = [D.assume(one) for one in (*_TIMES, "0 <= s", "s <= h")]
    both = theorems.both(*(D.at(one, u="s", q="t", x="y") for one in slopes(D)))
    near = D.closed(both, D.linear("s + t <= H", *facts))
    low, high = (part(D, near, one) for one in ("gu(y, t) <= gu(y, s + t)", "gu(y, s + t) <= gu(y, t) + s"))
    near = theorems.both(
        D.linear("gu(y, t) <= gu(y, t + s) + 0*s", low), D.linear("gu(y, t + s) <= gu(y, t) + 1*s", high)
    )
    condition = D.assume("And(0 <= s, s <= h)")
    for text in ("0 <= s", "s <= h"):
        near = theorems.cut(part(D, condition, text), near)
    every = D.all(D.imply(near, "And(0 <= s, s <= h)"), "y", "s")
    return [theorems.cut(every, D.closed(D.at(one, v="0", e="1"))) for one in local(D)]


def euler(D: Derivation) -> Theorem:
    """n steps err by at most n lmax h²/2."""
    grid = D.assume("And(0 < h, lmax*h <= 1)")
    positive, short = part(D, grid, "0 < h"), part(D, grid, "lmax*h <= 1")
    starts, steps = _parts(D)
    error, room = "n*(lmax*h**2/2)", D.assume("(n + 1)*h <= H")
    begin = D.times(D.linear("0 <= h", positive), D.whole("n"))
    inside = [D.linear("0 <= n*h", begin), D.linear("0 <= h", positive), D.linear("n*h + h <= H", room)]
    up, down = (D.closed(D.at(one, t="n*h"), *inside) for one in _sharp(D))
    keeps = D.closed(D.at(step_keeps(D), d=error), positive, short)
    texts = [f"gu(x, n*h) <= gq(n, x, h) + {error}", f"gq(n, x, h) <= gu(x, n*h) + {error}"]
    says = f"Imp(n*h <= H, All(x, And({texts[0]}, {texts[1]})))"

    def step(before: Theorem) -> Theorem:
        here = D.special(D.mp(before, D.linear("n*h <= H", room, positive)), "x")
        found = []
        for text, v, w, local_error in (
            (texts[0], "gu(y, n*h)", "gq(n, y, h)", up),
            (texts[1], "gq(n, y, h)", "gu(y, n*h)", down),
        ):
            one = D.instantiate(D.instantiate(keeps, "gv", "y s", v), "gw", "y s", w)
            one = theorems.cut(D.all(part(D, here, text), "x"), one)
            after = D.at(D.assume(text), n="n + 1").says
            found.append(D.linear(after, one, local_error, D.special(steps, "n", "x")))
        return D.imply(D.all(theorems.both(*found), "x"), "(n + 1)*h <= H")

    zero = [D.special(starts, "x"), D.special(D.assume(STARTS), "x")]
    first = theorems.both(
        D.linear("gu(x, 0) <= gq(0, x, h)", *zero), D.linear("gq(0, x, h) <= gu(x, 0)", *zero)
    )
    found = D.induction("n", says, D.imply(D.all(first, "x"), "0 <= H"), step)
    return _concluded(D, found, texts)


def _parts(D: Derivation) -> tuple[Theorem, Theorem]:
    starts = "All(x, gq(0, x, h) == 0)"
    whole = D.assume(SCHEME)
    (steps,) = [one for one in D.formula(SCHEME).parts if one is not D.formula(starts)]
    return part(D, whole, starts), theorems.part(whole, steps)


def _concluded(D: Derivation, found: Theorem, texts: list[str]) -> Theorem:
    """The distance, at most n lmax h²/2, which is at most lmax H h/2."""
    grid = D.assume(_GRID)
    positive, end = part(D, grid, "0 < h"), part(D, grid, "n*h <= H")
    both = D.special(D.mp(found, end), "x")
    sides = [part(D, both, one) for one in texts]
    goal = f"{_DISTANCE} <= n*(lmax*h**2/2)"
    near = D.split(
        D.known("abs-cases", "gu(x, n*h) - gq(n, x, h)"),
        lambda one: D.linear(goal, one, *sides),
        lambda one: D.linear(goal, one, *sides),
    )
    more = D.times(D.times(end, positive), D.linear("0 <= lmax", largest_rate(D)))
    result = theorems.both(near, D.linear(f"{_DISTANCE} <= lmax*H*h/2", near, more))
    small = theorems.both(positive, part(D, grid, "lmax*h <= 1"))
    return D.imply(theorems.cut(small, result), SOLVES, STARTS, BOUNDED, SCHEME, _GRID)


DERIVED = {"eq:hjb-pde/euler": (EULER, euler)}
