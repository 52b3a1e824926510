r"""Rewards in [0, 1] are no restriction: another scale and another zero change every value alike.

Where rewards are c + (d - c) r, the function (d - c) V^π + c t solves the equation of the policy, which has
one bounded solution.
"""

from __future__ import annotations

from proofs_checks.derivations.operators import WITHIN, part
from proofs_checks.derivations.optimality import ahead
from proofs_checks.derivations.setting import operator
from proofs_checks.derivations.values import POLICY, Iterates, vanishing, within
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_OTHER = operator("gpi(x, t)", "gv({y}, {s})").replace("r(x, gpi(x, t))", "gal(x, gpi(x, t))", 1)
_OWN = operator("gpi(x, t)", "gw({y}, {s})")
_REWARDS = "All(x, All(a, gal(x, a) == c + (d - c)*r(x, a)))"


def _solves(name: str, image: str) -> str:
    return f"All(x, All(t, Imp({WITHIN}, And({name}(x, t) == {image}, Abs({name}(x, t)) <= e))))"


_SCALED = "((d - c)*gw({y}, {s}) + c*({s}))"
RESCALED = (
    f"Imp({_REWARDS}, Imp(c <= d, Imp({_solves('gw', _OWN)}, Imp({_solves('gv', _OTHER)}, Imp({WITHIN}, "
    "gv(x, t) == (d - c)*gw(x, t) + c*t)))))"
)


def _image(D: Derivation, own: Theorem) -> list[Theorem]:
    """That (d - c) V^π + c t solves the equation with the other rewards, in parts."""
    rate = "lam(x, gpi(x, t))"
    wait, left = f"Int(s, t, exp(-{rate}*s))", f"Int(s, t, {rate}*exp(-{rate}*s)*(t - s))"
    return [
        D.scaled(own, "d - c"),
        D.scaled(D.primitive("s", "t", f"-(t - s)*exp(-{rate}*s)"), "c"),
        D.scaled(D.fact("jump-sum", a="gpi(x, t)"), f"c*{left}"),
        D.scaled(D.special(D.assume(_REWARDS), "x", "gpi(x, t)"), wait),
    ]


def rescaled(D: Derivation) -> Theorem:
    """V = (d - c) V' + c t."""
    of, here = Iterates(D, POLICY), theorems.both(D.assume("0 <= t"), D.assume("t <= H"))
    conditions = _REWARDS, "c <= d", _solves("gw", _OWN), _solves("gv", _OTHER), WITHIN
    own, sizes = [], []
    for name, image in (("gw", _OWN), ("gv", _OTHER)):
        solves = D.mp(D.special(D.assume(_solves(name, image)), "x", "t"), here)
        own.append(part(D, solves, f"{name}(x, t) == {image}"))
        size = part(D, solves, f"Abs({name}(x, t)) <= e")
        sizes.append(
            [
                D.linear(f"{sign}{name}(x, t) <= e", size, D.known(one, f"{name}(x, t)"))
                for one, sign in (("abs", ""), ("abs-", "-"))
            ]
        )
    gap = D.linear("0 <= d - c", D.assume("c <= d"))
    zero = [D.times(D.linear("0 <= e", *sizes[0]), gap), D.linear("0 <= e", *sizes[0])]
    shift = [D.known(one, "c") for one in ("abs", "abs-")]
    absolute = D.linear("0 <= Abs(c)", *shift)
    facts = [
        *(D.times(one, gap) for one in sizes[0]),
        *sizes[1],
        *(D.times(one, D.assume("0 <= t")) for one in shift),
    ]
    facts += [D.times(D.assume("t <= H"), absolute), *zero]
    sign = D.linear("0 <= e + (d - c)*e + Abs(c)*H", *zero, D.times(of.horizon, absolute))
    found, scaled = [], _SCALED.format(y="x", s="t")
    for u, v in (("gv({y}, {s})", _SCALED), (_SCALED, "gv({y}, {s})")):
        u_at, v_at = (one.format(y="x", s="t") for one in (u, v))
        first = D.linear(f"{u_at} <= {v_at} + e + (d - c)*e + Abs(c)*H", *facts)
        close = ahead(of, u, v, sign, first, own[1], *_image(D, own[0]))
        found.append(vanishing(D, close, u_at, v_at, sign))
    same = D.mp(D.known("antisymmetric", "gv(x, t)", scaled), theorems.both(*found))
    return D.imply(within(D, same), *conditions)


DERIVED = {"eq:assume/rescaling": (RESCALED, rescaled)}
