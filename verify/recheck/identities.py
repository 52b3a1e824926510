"""What is left to SymPy, each answer cross-checked in intervals: identities, derivatives, limits.

Symbols carry the signs that hold inside the box.  An identity is accepted only if SymPy reduces the
difference to exactly 0 *and* the two sides overlap at points of the box.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import sympy

from verify.recheck.intervals import INF, Interval, UnknownError, point
from verify.recheck.series import Box, expm1r, inside, log1pr, range_of, symbol_of

# What SymPy raises where it has no answer; without one nothing is accepted.
GIVES_UP = (
    ArithmeticError,
    AttributeError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
    sympy.PoleError,
    sympy.PolynomialError,
)

_OPERATIONS = 300  # larger expressions are not given to simplify or limit
_LONG = 3000  # nor these to anything
_CASES = 200  # of the signs inside Abs, Max and Min
_KINKS = (sympy.Abs, sympy.Max, sympy.Min)
_NO_NUMBERS = (sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.I, sympy.AccumBounds)
_NO_FORMULAS = (sympy.Derivative, sympy.Subs, sympy.DiracDelta, sympy.Piecewise, sympy.Limit)


def _signs(box: Box) -> dict[Any, Any]:
    """Each symbol with what holds of it inside its range."""
    table = {}
    for name, x in box.items():
        facts = {"positive": True} if x.low >= 0 and not x.single else {}
        facts = {"negative": True} if x.high <= 0 and not x.single else facts
        table[symbol_of(name)] = sympy.Symbol(name, real=True, **facts)
    return table


def plain(f: Any) -> Any:
    """Without expm1r and log1pr."""
    f = f.replace(expm1r, lambda z: (sympy.exp(z) - 1) / z)
    return f.replace(log1pr, lambda z: sympy.log(1 + z) / z)


def proper(f: Any, what: str) -> Any:
    """The same expression, if it is a real formula."""
    if f.has(*_NO_NUMBERS, *_NO_FORMULAS):
        raise UnknownError(f"{what} is not a real formula: {f}")
    return f


def require_same(a: Any, b: Any, box: Box, what: str) -> None:
    """Complain unless the two expressions are identically equal on the box."""
    if a == b:
        return
    difference = plain(a - b).xreplace(_signs(box))
    if difference.has(*_NO_NUMBERS) or not _vanishes_by_cases(difference, (), [_CASES]):
        raise UnknownError(f"{what}: {a} and {b} are not seen to be equal")
    compared = 0
    for at in samples(box):
        try:
            x, y = range_of(a, at), range_of(b, at)
        except UnknownError:
            continue
        compared += 1
        if x.high < y.low or y.high < x.low:
            raise UnknownError(f"{what}: {a} and {b} differ at {shown(at)}")
    if not compared:
        raise UnknownError(f"{what}: {a} and {b} could not be compared at any point")


def samples(box: Box, count: int = 6) -> Iterator[Box]:
    """Some inner points of the box, with the variables in different orders."""
    for i in range(count):
        yield {
            name: point(inside(x, 7)[(3 * i + 2 * j + 1) % 7 if not x.single else 0])
            for j, (name, x) in enumerate(sorted(box.items()))
        }


def shown(at: Box) -> str:
    """A point in words."""
    return ", ".join(f"{name} = {x.low}" for name, x in at.items())


def steep(d: Any) -> bool:
    """Whether a sum has too high a power to be expanded."""
    return any(p.exp.is_Integer and abs(p.exp) > 40 and p.base.is_Add for p in d.atoms(sympy.Pow))


def _vanishes(d: Any) -> bool:
    """Whether SymPy reduces it to exactly 0, by one of several ways."""
    if d == 0 or d.count_ops() > _LONG:
        return bool(d == 0)
    light: list[Callable[[Any], Any]] = (
        []
        if steep(d)
        else [
            sympy.expand,
            lambda e: sympy.expand(sympy.expand_log(e)),
            lambda e: sympy.expand(sympy.fraction(sympy.together(sympy.expand_log(e)))[0]),
            lambda e: sympy.powsimp(sympy.expand(e)),
            lambda e: sympy.expand(sympy.fraction(sympy.together(e.rewrite(sympy.exp)))[0]),
        ]
    )
    heavy = [sympy.simplify, sympy.gammasimp, lambda e: sympy.simplify(sympy.expand(e, power_base=True))]
    for way in light + (heavy if d.count_ops() <= _OPERATIONS else []):
        try:
            if way(d) == 0:
                return True
        except GIVES_UP:
            continue
    return False


def _vanishes_by_cases(d: Any, facts: tuple[Any, ...], left: list[int]) -> bool:
    """Whether it is 0 for every choice of the signs inside Abs, Max and Min that an open set allows."""
    kinks = [e for e in d.atoms(*_KINKS) if not any(part.has(*_KINKS) for part in e.args)]
    if not kinks or d == 0:
        return _vanishes(d)
    left[0] -= 1
    if left[0] < 0:
        return False
    kink = min(kinks, key=sympy.default_sort_key)
    first, second = (kink.args[0], -kink.args[0]) if isinstance(kink, sympy.Abs) else kink.args[:2]
    gap = second - first if isinstance(kink, sympy.Min) else first - second
    for chosen, fact in ((first, gap), (second, -gap)):
        if _possible([*facts, fact]):
            value = chosen if isinstance(kink, sympy.Abs) else kink.func(chosen, *kink.args[2:])
            if not _vanishes_by_cases(d.xreplace({kink: value}), (*facts, fact), left):
                return False
    return True


def _possible(facts: list[Any]) -> bool:
    """Whether all facts > 0 may hold at once: Fourier and Motzkin for those that are linear."""
    names = sorted({s for fact in facts for s in fact.free_symbols}, key=sympy.default_sort_key)
    rows = []
    for fact in facts:
        poly = sympy.Poly(fact, *names) if names and fact.is_polynomial(*names) else None
        if poly is not None and poly.total_degree() <= 1 and all(c.is_Rational for c in poly.coeffs()):
            rows.append([poly.coeff_monomial(n) for n in (*names, 1)])
    for k in range(len(names)):
        up, down = [r for r in rows if r[k] > 0], [r for r in rows if r[k] < 0]
        joined = [[a / u[k] - b / v[k] for a, b in zip(u, v, strict=True)] for u in up for v in down]
        rows = [r for r in rows if r[k] == 0] + joined
    return all(r[-1] > 0 for r in rows)


def slope_of(f: Any, name: str, box: Box) -> Any:
    """The derivative in a variable; of Abs, Max and Min away from their kinks."""
    signs = _signs(box)
    slope = sympy.diff(f.xreplace(signs), signs[symbol_of(name)]).xreplace({v: k for k, v in signs.items()})
    if slope.count_ops() > _LONG:
        raise UnknownError(f"the derivative in {name} is too large")
    return proper(slope, f"the derivative in {name}")


def without_kinks(f: Any, box: Box) -> Any:
    """With Abs, Max and Min replaced by the part that counts, where the box decides it."""

    def at_least(a: Any, b: Any) -> bool:
        try:
            return range_of(a - b, box).positive(False)
        except UnknownError:
            return False

    def decided(e: Any) -> Any:
        if isinstance(e, sympy.Abs):
            u = e.args[0]
            return u if at_least(u, 0) else -u if at_least(-u, 0) else e
        kept: list[Any] = []
        for a in e.args:
            up = isinstance(e, sympy.Max)
            if not any(at_least(b, a) if up else at_least(a, b) for b in kept):
                kept = [b for b in kept if not (at_least(a, b) if up else at_least(b, a))] + [a]
        return type(e)(*kept)

    return f.replace(lambda e: isinstance(e, sympy.Abs | sympy.Max | sympy.Min), decided)


def require_limit(f: Any, name: str, lower: bool, value: Any, box: Box) -> None:
    """Complain unless f tends to the value as the variable goes to that end of its range."""
    x = box[name]
    end = x.low if lower else x.high
    others = {n: r for n, r in box.items() if n != name}
    f = plain(f)
    if f.count_ops() > _OPERATIONS:
        raise UnknownError(f"the limit in {name} of so large an expression is not tried")
    signs = _signs(box)
    target = (-sympy.oo if lower else sympy.oo) if abs(end) == INF else sympy.Rational(end)
    try:
        limit = sympy.limit(f.xreplace(signs), signs[symbol_of(name)], target, "+" if lower else "-")
    except GIVES_UP:
        raise UnknownError(f"the limit of {f} at the end {target} of {name} is not found") from None
    limit = proper(limit.xreplace({v: k for k, v in signs.items()}), "the limit")
    if symbol_of(name) in limit.free_symbols:
        raise UnknownError(f"the limit of {f} at the end {target} of {name} is not found")
    require_same(limit, value, others, f"the limit at {name} -> {target}")
    for at in list(samples(others, 2)) or [{}]:
        _require_approach(f, name, lower, value, x, at)


def _require_approach(f: Any, name: str, lower: bool, value: Any, x: Interval, at: Box) -> None:
    """Complain unless the values come nearer to the limit along points that tend to the end."""
    end, way = (x.low, 1) if lower else (x.high, -1)
    width = x.high - x.low if x.bounded else Fraction(1)
    start = (x.high if lower else x.low) if abs(end) == INF else end
    start = Fraction(0) if abs(start) == INF else start
    gaps = []
    for k in (4, 8, 16, 32, 64, 128):
        v = start - way * Fraction(2) ** k if abs(end) == INF else end + way * width / Fraction(2) ** k
        try:
            gap = range_of(f - value, {**at, name: point(v)}).size()
        except UnknownError:
            continue
        if gap.bounded:
            gaps.append(gap)
    near = [g for g in gaps[1:] if g.high < max(gaps[0].high * Fraction(3, 4), Fraction(1, 10**9))]
    if not near or gaps[-1].low > gaps[0].high:
        raise UnknownError(f"the values of {f} do not come near {value} at {shown(at)}")
