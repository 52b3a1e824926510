r"""Radii by a number of jumps that is not the last one: rows whose learner keeps its plans.

For a level g as in :mod:`optimistic_rows` and whole numbers :math:`1 \le i \le n \le ci`,

.. math:: \sqrt{g(i)/i} \le \sqrt{\min\{c\,g(n),\ n\,g(1)\}/n} ,

as g rises and g(i)/i falls.  The minimum is a level again: it is g(1) at 1, and below c times the line of g.
So what is paid with it has the factor :math:`\sqrt c` in its main term, and no factor elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_checks.derivations.nearby import chain, either_way
from proofs_checks.derivations.optimistic_rows import (
    BELOW,
    FALLS,
    HERE,
    MEAN,
    RISES,
    SHAPE,
    bound,
    level,
    of,
    paid,
)
from proofs_checks.derivations.optimistic_times import root_below
from proofs_checks.derivations.runs import equal, product
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem


def least(g: Callable[[str], str], n: str, c: str = "c") -> str:
    """The smaller one of c g(n) and n g(1)."""
    return f"Min({c}*{g(n)}, {n}*{g('1')})"


def kept_radius(g: Callable[[str], str], n: str, c: str = "c") -> str:
    """What the radius by at least n/c jumps is at most."""
    return f"sqrt({least(g, n, c)}/{n})"


def lagging(g: Callable[[str], str]) -> str:
    """That it is."""
    return f"All(i, All(n, Imp(And(1 <= i, i <= n, n <= c*i), sqrt({g('i')}/i) <= {kept_radius(g, 'n')})))"


def costs(g: Callable[[str], str], square: str) -> str:
    """That, and what rows with this radius cost; ``square`` is a²."""
    most = bound(f"sqrt(c*{square})", f"sqrt({g('1')})")
    return f"And({lagging(g)}, {paid(kept_radius(g, HERE))} <= {most})"


KEPT = chain(costs(level, "v"), "0 <= w", SHAPE, "1 <= c")


def _lags(D: Derivation) -> Theorem:
    """√(g(i)/i) <= √(min{c g(n), n g(1)}/n), for 1 <= i <= n <= ci."""
    given = D.assume("And(1 <= i, i <= n, n <= c*i)")
    some, more, few = (theorems.part(given, D.formula(one)) for one in ("1 <= i", "i <= n", "n <= c*i"))
    positive, number = D.linear("0 < i", some), D.linear("0 < n", some, more)
    over, unit = D.positive("inverse-positive", "i", positive), D.positive("inverse", "i", positive)
    share, small = f"{level('i')}/i", least(level, "n")
    sign = D.linear(f"0 <= {share}", product(D, of(D, "0 < glevel(n)", "i", some), over))
    rises = D.mp(D.special(of(D, RISES, "i", some), "n"), more)
    wide = D.linear("0 <= c", D.assume("1 <= c"))
    early = D.linear(f"n*({share}) <= c*{level('n')}", *(
        D.times(few, sign), D.scaled(unit, f"c*{level('i')}"), D.times(rises, wide),
    ))  # fmt: skip
    first = D.times(of(D, FALLS, "i", some), product(D, over, number))
    late = D.linear(f"n*({share}) <= n*{level('1')}", first, D.scaled(unit, f"n*{level('1')}"))
    cases = D.known("min-cases", f"c*{level('n')}", f"n*{level('1')}")
    below = D.times(
        either_way(D, cases, f"n*({share}) <= {small}", early, late),
        D.positive("inverse-positive", "n", number),
    )
    below = D.linear(f"{share} <= {small}/n", below, D.scaled(D.positive("inverse", "n", number), share))
    found = root_below(D, share, f"{small}/n", below, sign)
    return D.all(D.imply(found, given.says), "i", "n")


def _first(D: Derivation) -> Theorem:
    """min{c g(1), g(1)} == g(1)."""
    wide, positive = D.assume("1 <= c"), of(D, "0 < glevel(n)", "1", D.linear("1 <= 1"))
    sides = f"c*{level('1')}", level("1")
    above = either_way(
        D, D.known("min-cases", *sides), f"{sides[1]} <= Min({', '.join(sides)})", D.times(wide, positive)
    )
    return equal(D, D.known("min-right", *sides), above)


def _shape(D: Derivation) -> Theorem:
    """SHAPE of the minimum, with c times the line."""
    some, wide, more = D.assume("1 <= n"), D.assume("1 <= c"), D.assume("n <= m")
    sides = {n: (f"c*{level(n)}", f"{n}*{level('1')}") for n in ("n", "m")}
    cases = {n: D.known("min-cases", *sides[n]) for n in sides}
    tops = [D.known(one, *sides["n"]) for one in ("min", "min-right")]
    here, one = of(D, "0 < glevel(n)", "n", some), of(D, "0 < glevel(n)", "1", D.linear("1 <= 1"))
    factor, number = D.linear("0 < c", wide), D.linear("0 < n", some)
    low = [product(D, factor, here), product(D, number, one)]
    positive = either_way(D, cases["n"], f"0 < {least(level, 'n')}", *low)
    grown = D.times(D.mp(D.special(of(D, RISES, "n", some), "m"), more), factor)
    rises = either_way(
        D, cases["m"], f"{least(level, 'n')} <= {least(level, 'm')}", *tops, grown, D.times(more, one)
    )
    falls = D.by_value(f"{least(level, 'n')} <= n*{least(level, '1')}", [_first(D)], tops[1])
    line = D.times(of(D, BELOW, "n", some), factor)
    below = D.linear(f"{least(level, 'n')} <= c*v + c*w*(n - {MEAN})", tops[0], line)
    each = theorems.both(positive, D.all(D.imply(rises, "n <= m"), "m"), falls, below)
    return D.all(D.imply(each, "1 <= n"), "n")


def kept(D: Derivation) -> Theorem:
    """KEPT: the bound for g, of the minimum."""
    wide = D.assume("1 <= c")
    found = D.lemma("prop:proberror/rows/falling", v="c*v", w="c*w")
    found = D.instantiate(found, "glevel", "n", least(level, "n"))
    steep = D.times(D.assume("0 <= w"), D.linear("0 <= c", wide))
    found = D.valued(D.mp(found, steep, _shape(D)), _first(D))
    return D.imply(theorems.both(_lags(D), found), "0 <= w", SHAPE, "1 <= c")
