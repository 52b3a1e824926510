r"""The space 𝕄 of bounded functions u >= 0 with u(·,0) = 0: the operators map into it, and it is closed."""

from __future__ import annotations

from proofs_checks.derivations.operators import U, after_jump, maximum, part
from proofs_checks.derivations.setting import operator
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_IMAGE = operator("a", U)
_BEST = f"MaxOver(a, {_IMAGE})"
_SMALL = "All(y, All(s, Imp(And(0 <= s, s <= t), And(0 <= gu(y, s), gu(y, s) <= c))))"
_AT_ZERO = _SMALL.replace("<= t", "<= 0")
_NOTHING = f"And({operator('a', U, time='0')} == 0, MaxOver(a, {operator('a', U, time='0')}) == 0)"
INTO = (
    f"And(Imp({_SMALL}, Imp(0 <= t, And(0 <= {_IMAGE}, {_IMAGE} <= t + c, 0 <= {_BEST}, {_BEST} <= t + c))), "
    f"Imp({_AT_ZERO}, {_NOTHING}))"
)


def _bounds(D: Derivation) -> tuple[Theorem, Theorem]:
    """_SMALL, 0 <= t ⊢ 0 <= T^a u, and T^a u <= t + c (1 - exp(-λt))."""
    rate, row = "lam(x, a)", D.fact("jump-low")
    small = after_jump(D, D.assume(_SMALL))
    positive = D.linear(f"0 <= {rate}", D.fact("rate"))
    decay = D.known("exp", f"-{rate}*s")
    below, above = (
        D.integral(
            D.times(D.over(D.times(part(D, small, one), row), "y"), D.times(positive, decay)), "s", "t"
        )
        for one in ("0 <= gu(y, t - s)", "gu(y, t - s) <= c")
    )
    wait = D.integral(decay, "s", "t")
    less = theorems.cut(
        D.times(positive, D.assume("0 <= s")), D.pointwise("exp(-d) <= 1", "d >= 0", d=f"{rate}*s")
    )
    facts = [
        above,
        D.times(D.fact("reward-high"), wait),
        D.integral(less, "s", "t"),
        D.primitive("s", "t", "s"),
        D.scaled(D.primitive("s", "t", f"-exp(-{rate}*s)"), "c"),
        D.scaled(D.fact("jump-sum"), f"c*Int(s, t, {rate}*exp(-{rate}*s))"),
    ]
    low = D.linear(f"0 <= {_IMAGE}", below, D.times(D.fact("reward-low"), wait))
    return low, D.linear(f"{_IMAGE} <= t + c*(1 - exp(-{rate}*t))", *facts)


def into(D: Derivation) -> Theorem:
    """0 <= T^a u <= t + c for 0 <= u <= c, and 0 at t = 0; the same of the maximum."""
    low, sharp = _bounds(D)
    size = D.mp(D.special(D.assume(_SMALL), "x", "t"), theorems.both(D.assume("0 <= t"), D.linear("t <= t")))
    room = D.linear("0 <= c", *(part(D, size, one) for one in ("0 <= gu(x, t)", "gu(x, t) <= c")))
    high = D.linear(f"{_IMAGE} <= t + c", sharp, D.times(D.known("exp", "-lam(x, a)*t"), room))
    tops = maximum(D, low, "0", _IMAGE), maximum(D, high, _IMAGE, "t + c")
    inside = D.imply(theorems.both(low, high, *tops), _SMALL, "0 <= t")
    begin = [D.closed(D.at(one, t="0")) for one in (low, sharp)]
    image = operator("a", U, time="0")
    zero = D.mp(D.known("antisymmetric", image, "0"), theorems.both(begin[1], begin[0]))
    nothing = D.imply(theorems.both(zero, D.largest(zero, "a")), _AT_ZERO)
    return theorems.both(inside, nothing)


_NEAR = (
    "All(n, All(x, All(t, Imp(0 <= t, And(0 <= gq(n, x, t), gq(n, x, 0) == 0, "
    "n*Abs(gu(x, t) - gq(n, x, t)) <= 1)))))"
)
CLOSED = f"Imp({_NEAR}, Imp(0 <= t, And(0 <= gu(x, t), gu(x, 0) == 0)))"


def _sign(D: Derivation, time: str, sign: str, *more: Theorem) -> Theorem:
    """sign*gu(x, time) <= 0, as n times it is at most 1."""
    start = D.linear(f"0 <= {time}", D.assume("0 <= t"))
    near = D.mp(D.special(D.assume(_NEAR), "n", "x", time), start)
    difference = f"gu(x, {time}) - gq(n, x, {time})"
    facts = [
        part(D, near, f"n*Abs({difference}) <= 1"),
        D.times(part(D, near, f"0 <= gq(n, x, {time})"), D.whole("n")),
    ]
    facts += [D.times(D.known(name, difference), D.whole("n")) for name in ("abs", "abs-")]
    facts += [D.scaled(one, "n") for one in more]
    return D.archimedes(D.linear(f"n*({sign}gu(x, {time})) <= 1", *facts), "n")


def closed(D: Derivation) -> Theorem:
    """What is within 1/n of an element of 𝕄, for every n, is in 𝕄."""
    start = D.assume("0 <= t")
    at_zero = part(D, D.mp(D.special(D.assume(_NEAR), "n", "x", "t"), start), "gq(n, x, 0) == 0")
    low = D.linear("0 <= gu(x, t)", _sign(D, "t", "-"))
    sides = [_sign(D, "0", sign, at_zero) for sign in ("", "-")]
    zero = D.mp(
        D.known("antisymmetric", "gu(x, 0)", "0"),
        theorems.both(sides[0], D.linear("0 <= gu(x, 0)", sides[1])),
    )
    return D.imply(theorems.both(low, zero), _NEAR, "0 <= t")


DERIVED = {
    "eq:Qa/into": (INTO, into),
    "sec:episodicRL/banach/repaired": (CLOSED, closed),
}
