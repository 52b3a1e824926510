"""False claims and steps that lead into the holes which a checker of formulas may have.

*Poles.*  Something is 0 on an open set and does not look like it (:func:`zeros`), or is a pole that folding
loses; what it divides is anything.  The steps here work for every goal f, however false: each adds a quotient
that is nothing, and takes it for something.

*Claims* (:data:`FALSE`) fail by construction, though nearly everything about them is true: at one integer, on
one side of a kink, next to a zero of log or digamma, at the end of a half-line.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath

from verify.recheck.goals import Obligation
from verify.recheck.intervals import INF

Node = dict[str, Any]
RANGE = {"by": "range"}

# where digamma is 0, and log Γ smallest
_VALLEY = Fraction("1.4616321449683623412626595423257213284681962040064463512959884085987864")


def zeros(rng: random.Random, v: str) -> tuple[str, str]:
    """The same number 0 twice: as one sees that it is 0, and as nobody does."""
    a = rng.randint(1, 3)
    hidden = f"{a}*({v} + 1)**2 - {a}*{v}**2 - {a}*{v} - {a}"  # a*v
    plain = f"sin({2 * a}*{v}) - 2*sin({a}*{v})*cos({a}*{v})"
    return plain, plain.replace(
        f"sin({2 * a}*{v})", f"sin(2*({hidden}))" if a < 3 else f"sin(2*{hidden[2:]})"
    )


def expanded_zero(rng: random.Random, v: str) -> str:
    """0, once it is multiplied out."""
    a = rng.choice(("1", "2", "1/2", "3"))
    return f"(({v} + {a})**2 - {v}**2 - 2*{a}*{v} - ({a})**2)"


def _rewrite(expression: str, proof: Node) -> Node:
    return {"by": "rewrite", "expression": expression, "proof": proof}


def two_faced(rng: random.Random, goal: Obligation) -> Node:
    """f = Max(f, 0) - Max(-f, 0) N/D, where N = D is 0 as soon as f < 0; seen as 0, N leaves Max(f, 0)."""
    f, v = f"({goal.f})", rng.choice(sorted(goal.box))
    plain, hidden = zeros(rng, v)
    top, below = f"Max({f}, 0) + {plain}", f"Max({f}, 0) + {hidden}"
    first = f"Max({f}, 0) - Max(-{f}, 0)*({top})/({below})"
    return _rewrite(first, _rewrite(f"Max({f}, 0)", {}))


def late(rng: random.Random, goal: Obligation) -> Node:
    """What is added is 0 below c, nothing above it, and seen as 2 (x - c) there by those who divide by 0."""
    f, v = f"({goal.f})", rng.choice(sorted(goal.box))
    c = next((t.value for t in goal.f.walk() if t.value is not None and t.value > 0), Fraction(1, 2))
    d, way = f"({v} - {c})", rng.randrange(3)
    kink = f"(Abs({d}) + {d})"
    if way == 0:
        square = f"(Abs({d}) - {d} - {expanded_zero(rng, v)})**2"
        more = f"(1 - (Min({v}, {v} + {square}) - {v})/{square})*{kink}"
    elif way == 1:
        zero = f"(sin({v})**2 + cos({v})**2 - 1)"
        more = f"{zero}/({zero} + Abs({d}) - {d})*2*{kink}"
    else:
        squares = " + ".join(f"(1/({b} + {v}) + ({b} - 1 + {v})/({b} + {v}) - 1)**2" for b in (2, 3))
        more = f"({squares})/(sqrt({squares}) + Abs({d}) - {d})**2*2*{kink}"
    above = {"by": "monotone", "variable": v, "from": "lower", "value": "0", "end": RANGE, "slope": RANGE}
    split = {"by": "split", "variable": v, "at": str(c), "parts": [_rewrite(f, RANGE), above]}
    return _rewrite(f"{f} + {more}", split)


def composed(rng: random.Random, goal: Obligation) -> Node:
    """With w for x in disguise f + (w - x)/(w - x): f where w is x, and f + 1 anywhere else."""
    f, v = f"({goal.f})", rng.choice(sorted(goal.box))
    inner = f"({v} + {expanded_zero(rng, v)})"
    return {
        "by": "compose", "variable": "w", "inner": inner,
        "expression": f"{f} + w/(w - {v}) - {inner}/(w - {v})", "proof": _rewrite(f"{f} + 1", RANGE),
    }  # fmt: skip


def counted(rng: random.Random, goal: Obligation) -> Node:
    """f + d/(d + n - k), where d is 0: f for every integer but k, where it is written f + 1."""
    n = next(iter(sorted(goal.integers)), "n")
    low = int(goal.box[n].low) if n in goal.box and goal.box[n].low > -INF else 1
    f, v = f"({goal.f})", rng.choice([name for name in sorted(goal.box) if name not in (n, "w")] or [n])
    zero = expanded_zero(rng, v)
    tail = _rewrite(f, {"by": "sturm"})
    if "w" in goal.integers:
        divided, here = f"{zero}*exp(-w*log({zero} + {n} - {low}))", _cases("w", RANGE)
    else:
        divided, here = f"{zero}/({zero} + {n} - {low})", RANGE
    return _rewrite(f"{f} + {divided}", _cases(n, here, tail=tail))


def _cases(name: str, *parts: Node, tail: Node | None = None) -> Node:
    return {"by": "cases", "variable": name, "parts": list(parts), "tail": tail}


MAKERS: dict[str, Callable[[random.Random, Obligation], Node]] = {
    "two-faced": two_faced, "late": late, "composed": composed, "counted": counted,
}  # fmt: skip


# ---------------------------------------------------------------- claims


def _claim(
    says: str, domain: list[str], at: dict[str, Fraction | int], integers: tuple[str, ...] = ()
) -> Node:
    point = {name: str(x) for name, x in at.items()}
    data = {"relation": says, "domain": domain, "box": list(domain), "integers": list(integers)}
    return {"format": "ctucbvi-proof-1", "label": "forged", **data, "fails": point}


def _one_integer(rng: random.Random) -> Node:
    k = rng.randint(1, 4)
    domain, at, more = [f"{k} <= n <= {k + 2}", "0 <= y <= 1"], {"n": k, "y": 0}, ("n",)
    if rng.random() < 0.5:
        domain, at, more = [*domain, "1 <= w <= 1"], {**at, "w": 1}, ("n", "w")
    return _claim(f"1/2 <= (n - {k})**2", domain, at, more)


def _pole(rng: random.Random) -> Node:
    k = rng.randint(1, 4)
    d = f"(n - {k})"
    says = rng.choice((f"{d}*gamma{d} <= 1/2", f"loggamma{d} - loggamma(2*n - {2 * k}) <= 1/2"))
    return _claim(says, [f"{k} <= n <= {k}"], {"n": k}, ("n",) if rng.random() < 0.5 else ())


def _even_root(rng: random.Random) -> Node:
    a, n = rng.randint(1, 4), rng.choice((2, 4))
    says = rng.choice((f"sqrt((-{a})**n) <= -{a ** (n // 2)}", f"exp(log((-{a})**n)/n) <= -{a}"))
    if rng.random() < 0.5:
        says = rng.choice(("sqrt(x**n) <= x**(n/2)", "exp(log(x**n)/n) <= x"))
        return _claim(says, ["-1 <= x <= 2", "2 <= n <= 3"], {"x": -1, "n": 2}, ("n",))
    return _claim(says, [f"{n} <= n <= {n}"], {"n": n}, ("n",))


def _equals(rng: random.Random) -> Node:
    k, a = rng.randint(2, 4), rng.randint(1, 3)
    same = f"(x + {a})**2 - x**2 - {2 * a - 1}*x - {a * a}"
    return _claim(f"{k}*x <= Max(x, {same})", ["0 <= x <= 1"], {"x": 1})


def _next_to_one(rng: random.Random) -> Node:
    """x - 1 < log x is false, by less than the last bit that mpmath is given of x when haste is made."""
    k, low = rng.randint(68, 90), rng.choice((3, 7, 11, 19))
    x, y = (f"2**(-{k}) + ({3 * low + j}/3)*2**(-112)" for j in (1, 2))
    return _claim(f"{y} <= log(x)", [f"x == 1 + {x}"], {})


def _valley(rng: random.Random) -> Node:
    """log Γ(x) - c x falls at first: c is more than digamma, by less than mpmath loses next to its zero."""
    while True:
        k = rng.randint(80, 111)
        low = Fraction(int(_VALLEY * 2**k), 2**k)
        slopes = []
        for bits in (112, 600):
            with mpmath.workprec(bits):
                slopes.append(mpmath.psi(0, mpmath.mpf(low.numerator) / low.denominator))
        with mpmath.workprec(600):
            scaled = int((slopes[0] + slopes[1]) / 2 * 2**135)
            c, between = Fraction(scaled, 2**135), slopes[1] * 2**135 < scaled < slopes[0] * 2**135
        if between:
            return _claim(f"loggamma({low}) - {c}*{low} <= loggamma(x) - {c}*x", [f"{low} <= x <= 2"], {})


def _half_line(rng: random.Random) -> Node:
    a, up = rng.randint(-2, 2), rng.random() < 0.5
    gap = f"x - ({a})" if up else f"({a}) - x"
    says = rng.choice((f"0 < {gap}", f"0 < ({gap})*(1 + ({gap}))", f"0 < ({gap})**2"))
    return _claim(says, [f"x {'>=' if up else '<='} {a}"], {"x": a})


def _kinked(rng: random.Random) -> Node:
    return _claim(f"x <= {rng.randint(880, 990)}/1000", ["0 <= x <= 1"], {"x": 1})  # late: beyond the samples


FALSE: dict[str, Callable[[random.Random], Node]] = {
    "one integer": _one_integer, "a pole": _pole, "an even root": _even_root, "equals": _equals,
    "next to one": _next_to_one, "the valley": _valley, "a half-line": _half_line, "a kink": _kinked,
}  # fmt: skip
