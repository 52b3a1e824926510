"""Sines and cosines of sums and of multiples, written out by the addition theorems.

    sin(u + v) = sin u cos v + cos u sin v,      cos(u + v) = cos u cos v - sin u sin v

and n u = (n-1) u + u for whole n; sine and cosine of n pi/2 are 0, 1 or -1.  They hold for all u and v, so a
formula and what is written out are equal wherever either is defined; nothing is cancelled on the way.
"""

from __future__ import annotations

from verify.recheck.terms import ONE, PI, ZERO, Term, call, mapped, number, raw, split_coefficient

_HIGHEST = 8  # multiple of an argument that is taken apart
_SUMMANDS = 4  # of an argument
_LONG = 60  # parts of an argument: what is written out doubles with every summand
_WAVES = 40  # sines and cosines of a formula that is written out
_RIGHT = ((ZERO, ONE), (ONE, ZERO), (ZERO, number(-1)), (number(-1), ZERO))  # sines, cosines of right angles


def written_out(f: Term) -> Term:
    """The formula with simple arguments of sin and cos, as far as these are sums of few multiples."""
    return mapped(f, _wave, fold=False)


def has_waves(f: Term) -> bool:
    """Whether there are sines or cosines in it, and not too many."""
    return 0 < sum(e.op in ("sin", "cos") for e in f.walk()) <= _WAVES


def _wave(e: Term) -> Term:
    if e.op not in ("sin", "cos"):
        return e
    u = e.args[0]
    parts: list[Term] = []
    quarters = 0  # turns by a right angle
    for part in u.args if u.is_sum else (u,):
        c, rest = split_coefficient(part)
        if rest == PI and (2 * c).denominator == 1:
            quarters += int(2 * c)
            continue
        if abs(c) > _HIGHEST:
            return e
        whole = c.denominator == 1  # a half of an angle stays as it is
        parts += [rest if c > 0 else number(-1) * rest] * abs(int(c)) if whole else [part]
    if len(u.args if u.is_sum else (u,)) > _SUMMANDS or len(parts) > _HIGHEST or u.size > _LONG:
        return e
    sine, cosine = _RIGHT[quarters % 4]
    for v in parts:
        s, c_ = call("sin", v), call("cos", v)
        sine, cosine = _sum(sine, c_, cosine, s), _sum(cosine, c_, raw("*", number(-1), sine), s)
    return sine if e.op == "sin" else cosine


def _sum(a: Term, b: Term, c: Term, d: Term) -> Term:
    """The sum of a b and c d, as it stands."""
    return raw("+", raw("*", a, b), raw("*", c, d))
