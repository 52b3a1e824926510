"""A formula over one denominator: 1/(1 + 1/u) is u/(1 + u), which is nothing special at 0."""

from __future__ import annotations

from verify.recheck.terms import Term, add, mul, number, power


def together(t: Term) -> Term:
    """The same as a quotient, with one denominator."""
    above, below = _fraction(t)
    return mul(above, *(power(b, number(-n)) for b, n in below.items()))


def _fraction(t: Term) -> tuple[Term, dict[Term, int]]:
    """Numerator and the powers of the denominator."""
    if t.is_sum:
        parts = [_fraction(a) for a in t.args]
        common: dict[Term, int] = {}
        for _, below in parts:
            for b, n in below.items():
                common[b] = max(n, common.get(b, 0))
        missing = [[power(b, number(n - below.get(b, 0))) for b, n in common.items()] for _, below in parts]
        return add(*(mul(above, *more) for (above, _), more in zip(parts, missing, strict=True))), common
    if t.is_product:
        tops, bottom = list[Term](), dict[Term, int]()
        for part in t.args:
            top, under = _fraction(part)
            tops.append(top)
            for b, n in under.items():
                bottom[b] = bottom.get(b, 0) + n
        return mul(*tops), bottom
    k = t.args[1].whole if t.is_power else None
    if k is not None:
        top, under = _fraction(t.args[0])
        if k > 0:
            return power(top, number(k)), {b: k * n for b, n in under.items()}
        return mul(*(power(b, number(-k * n)) for b, n in under.items())), {top: -k} if top != 1 else {}
    return t, {}
