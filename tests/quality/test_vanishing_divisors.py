"""Divisors that are 0 where a proof does not look: each certificate here is of a false statement.

A divisor may be 0 on an open set and not look like it, (x+1)² - x² - 2x - 1.  Then u/d is nothing, but
u/d - v/d is written 0 once u and v are alike, and u/d is written 1 once u is d.  Whatever is put into a
formula (a value, an expression, the sign inside Abs) must not cancel such a divisor.
"""

from __future__ import annotations

import random

import pytest

from tests.quality.test_generality_mutants import compose
from tests.unit.test_recheck import RANGE, certificate
from verify.recheck import algebra, generality, identities, recheck, rules
from verify.recheck.terms import mapped

UNIT = ["0 <= x <= 1"]


def rewrite(expression: str, proof: dict = RANGE) -> dict:
    return {"by": "rewrite", "expression": expression, "proof": proof}


def cases(variable: str, *parts: dict, tail: dict | None = None) -> dict:
    return {"by": "cases", "variable": variable, "parts": list(parts), "tail": tail}


def nothing(x: str, a: str) -> str:
    """0 in all x and a, which only multiplying out shows."""
    return f"(({x} + {a})**2 - {x}**2 - 2*({a})*{x} - ({a})**2)"


def composed(c: str, a: str) -> dict:
    """0 <= -c: the new variable is x in disguise, and only away from x the expression is 1 - c."""
    inner = f"({nothing('x', a)} + x)"
    proof = compose(inner, f"-{c} + w/(w - x) - {inner}/(w - x)", rewrite(f"1 - {c}"))
    return certificate(f"0 <= -{c}", UNIT, proof)


def counted(k: int, a: str) -> dict:
    """1/2 <= (n - k)², which fails at n = k, where 0/(0 + n - k) is written 1."""
    f, zero = f"(n - {k})**2 - 1/2", nothing("y", a)
    parts = [*[rewrite("1/2")] * (k > 1), RANGE]
    proof = rewrite(f"{f} + {zero}/({zero} + n - {k})", cases("n", *parts, tail=rewrite(f, {"by": "sturm"})))
    domain = [f"{max(k - 1, 1)} <= n <= {k + 2}", "0 <= y <= 1"]
    return certificate(f"1/2 <= (n - {k})**2", domain, proof, integers=["n"])


def excluded(k: int, a: str) -> dict:
    """The same, by a hypothesis that is 0 <= 1/2 at every n but k, where it would be written 1 <= 1/2."""
    zero, by = nothing("y", a), {"by": "empty", "hypothesis": 0, "proof": RANGE}
    proof = cases("n", *[RANGE] * (k > 1), by, tail={"by": "sturm"})
    domain = [f"{max(k - 1, 1)} <= n <= {k + 2}", "0 <= y <= 1", f"{zero}/({zero} + n - {k}) <= 1/2"]
    return certificate(f"1/2 <= (n - {k})**2", domain, proof, box=domain[:2], integers=["n"])


def around(c: str, expression: str) -> dict:
    """x <= c on [0, 1]: what is added is 0 below c, nothing above it, and seen as 2(x - c) there."""
    above = {"by": "monotone", "variable": "x", "from": "lower", "value": "0", "end": RANGE, "slope": RANGE}
    parts = [rewrite(f"{c} - x"), above]
    split = {"by": "split", "variable": "x", "at": c, "parts": parts}
    return certificate(f"x <= {c}", UNIT, rewrite(f"{c} - x + {expression}", split))


def kinked(c: str, a: str) -> dict:
    """Min of two that are equal above c: either may be taken, and the divisor is their difference."""
    v = f"(x - {c})"
    square = f"(Abs({v}) - {v} - {nothing('x', a)})**2"
    return around(c, f"(1 - (Min(x, x + {square}) - x)/{square})*(Abs({v}) + {v})")


def waves(c: str, a: str) -> dict:
    """The same with a divisor that is 0 by sin² + cos² = 1."""
    v, zero = f"(x - {c})", f"(sin({a}*x)**2 + cos({a}*x)**2 - 1)"
    return around(c, f"{zero}/({zero} + Abs({v}) - {v})*2*(Abs({v}) + {v})")


def rooted(c: str, a: str) -> dict:
    """The same with the root of a sum of squares of quotients, of which each is 0."""
    v = f"(x - {c})"
    squares = " + ".join(f"(1/({b} + x) + ({b} - 1 + x)/({b} + x) - 1)**2" for b in (a, f"1 + {a}"))
    return around(c, f"({squares})/(sqrt({squares}) + Abs({v}) - {v})**2*2*(Abs({v}) + {v})")


def powered(k: int, a: str) -> dict:
    """1/2 <= (n - k)², with a divisor that is e^(w log(n - k)), written as a power when w is put in."""
    f, zero = f"(n - {k})**2 - 1/2", nothing("y", a)
    here = cases("w", RANGE)
    proof = rewrite(
        f"{f} + {zero}*exp(-w*log({zero} + n - {k}))", cases("n", here, tail=rewrite(f, {"by": "sturm"}))
    )
    domain = [f"{k} <= n <= {k + 2}", "0 <= y <= 1", "1 <= w <= 1"]
    return certificate(f"1/2 <= (n - {k})**2", domain, proof, integers=["n", "w"])


QUOTIENT = "(w - 2*n)/(w - n)"  # has no limit at (0, 0)


def two_ways(c: str) -> dict:
    """1 <= c (n + w) at (0, 0): the quotient is 2 along one axis and 1 along the other."""
    terms = [
        {"expression": f"{QUOTIENT} - 2", "proof": cases("w", RANGE)},
        {"expression": f"1 - {QUOTIENT} + {c}*(n + w)", "proof": cases("n", RANGE)},
    ]
    domain = ["0 <= n <= 1/2", "0 <= w <= 1/2"]
    return certificate(f"1 <= {c}*(n + w)", domain, {"by": "sum", "terms": terms}, integers=["n", "w"])


def along_a_line(c: str) -> dict:
    """1/4 <= c n at 0: the quotient is 1/2 along w = 3n, and 1 along n = 0."""
    proof = compose("3*n", f"-3/4 + {c}*n + {QUOTIENT}", cases("n", RANGE))
    return certificate(f"1/4 <= {c}*n", ["0 <= n <= 1/2"], proof, integers=["n"])


def made(rng: random.Random) -> dict[str, dict]:
    """One of each kind, with other numbers."""
    a, c = str(rng.randint(1, 9)), str(rng.randint(1, 9))
    late = f"{rng.randint(880, 990)}/1000"  # beyond the points at which formulas are compared
    return {
        "an expression put in": composed(f"{rng.randint(1, 9)}/10", a),
        "an integer put in": counted(rng.randint(1, 4), a),
        "an integer put into a hypothesis": excluded(rng.randint(1, 4), a),
        "a sign put in": kinked(late, a),
        "a sum of squares of waves": waves(late, a),
        "a root of what is 0": rooted(late, a),
        "a logarithm, and then its factor": powered(rng.randint(1, 4), a),
        "two integers put in": two_ways(c),
        "an expression put in beside an integer": along_a_line(c),
    }


KINDS = list(made(random.Random(0)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_divisor_that_vanishes_proves_nothing(kind):
    rng = random.Random(kind)
    for _ in range(8):
        assert recheck(made(rng)[kind])


def _anything(f, box, of=generality.range_of):
    return None if "w" in f.names else of(f, box)


def _hides(self, a, q, t, of=algebra.Algebra._power):
    """Powers of sums, whether they vanish or not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(algebra.Algebra, "vanishes", lambda *_: False)
        return of(self, a, q, t)


MUTANTS = {
    "an expression put in": (generality, "range_of", _anything),
    "an integer put in": (rules, "divides", lambda *_: True),
    "an integer put into a hypothesis": (rules, "divides", lambda *_: True),
    "two integers put in": (rules, "divides", lambda *_: True),
    "a sign put in": (identities, "placed", lambda f, new: mapped(f, lambda e: new.get(e, e))),
    "a sum of squares of waves": (algebra.Algebra, "_power", _hides),
    "a root of what is 0": (algebra.Algebra, "_power", _hides),
    "a logarithm, and then its factor": (rules, "divides", lambda *_: True),
}


@pytest.mark.parametrize("kind", MUTANTS)
def test_a_checker_without_the_condition_is_deceived(kind, monkeypatch):
    monkeypatch.setattr(identities, "generic", lambda *_: True)  # a second look, which sees some of them too
    monkeypatch.setattr(identities, "without_kinks", lambda f, box, fold: f)  # a third
    monkeypatch.setattr(*MUTANTS[kind])
    assert recheck(made(random.Random(kind))[kind]) == []
