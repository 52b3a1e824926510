"""Whether two formulas agree on a box, and what Abs, Max and Min are there.

Two formulas agree where their difference has no monomial left in normal form (``algebra``), for every choice
of the signs inside Abs, Max and Min that an open set allows.  What is accepted is compared at points of the
box as well, in intervals: a second look, which shares nothing with the first but the reading.  For each
choice every pole is seen to have values: a divisor that is 0 on one side of a kink is nothing there, and
algebra may take it for something.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from verify.recheck.algebra import UNIT, Algebra, Monomial, Sum, constant, plus
from verify.recheck.derivatives import derivative
from verify.recheck.intervals import INF, UnknownError
from verify.recheck.putting import KINKS, generic, placed, poles, samples
from verify.recheck.series import Box, range_of
from verify.recheck.terms import ZERO, Term, call, mapped, mul, number, power, raw, rebuilt, variable
from verify.recheck.waves import has_waves, written_out
from verify.recheck.work import work

_LONG = 6000  # terms of a formula that is still looked at
_CASES = 1000  # of the signs inside Abs, Max and Min
_PAIR = 20  # what it costs to join two inequalities
_ROWS = 400  # inequalities that are looked at, when one case after the other is excluded


def require_same(a: Term, b: Term, box: Box, what: str) -> None:
    """Complain unless the two expressions are identically equal on the box."""
    if a == b:
        return
    if not vanishes(a - b, box):
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


def same(a: Term, b: Term, box: Box) -> bool:
    """Whether the two are seen to be equal."""
    try:
        require_same(a, b, box, "")
    except UnknownError:
        return False
    return True


def vanishes(f: Term, box: Box) -> bool:
    """Whether it is seen to be 0 at every inner point of the box where it is defined."""
    if f.size > _LONG:
        return False
    algebra = Algebra(box)
    try:
        points = {variable(name): number(x.low) for name, x in box.items() if x.single}
        f = placed(f, points)
        g = without_kinks(f, algebra.box, fold=False)
        left = _CASES - (f != g)  # one is decided already
        if _vanishes_by_cases(g, algebra, (), [left]):
            return True
        waves = written_out(g) if has_waves(g) else g
        return g != waves and waves.size <= _LONG and _vanishes_by_cases(waves, algebra, (), [left])
    except UnknownError:
        return False


def exact(f: Term) -> Fraction | None:
    """The rational number that a formula without variables is seen to be."""
    try:
        found = Algebra({}).of(f)
    except UnknownError:
        return None
    return found.get(UNIT, Fraction(0)) if not set(found) - {UNIT} else None


def written(f: Term) -> Term:
    """A formula without variables, written out in normal form."""
    algebra = Algebra({})
    return algebra.term_of(algebra.of(f))


def shown(at: Box) -> str:
    """A point in words."""
    return ", ".join(f"{name} = {x.low}" for name, x in at.items())


def _vanishes_by_cases(f: Term, algebra: Algebra, facts: tuple[Sum, ...], left: list[int]) -> bool:
    """Whether it is 0 for every choice of the signs inside Abs, Max and Min that an open set allows."""
    kinks = [
        e for e in f.walk() if e.op in KINKS and not any(p.op in KINKS for a in e.args for p in a.walk())
    ]
    if not kinks or f == ZERO:
        meant = left[0] == _CASES or all(generic(t, algebra.box) for t in poles(f))
        return meant and algebra.vanishes(algebra.of(f))
    left[0] -= 1
    if left[0] < 0:
        return False
    kink = min(kinks, key=str)
    first = kink.args[0]
    second = raw("*", number(-1), first) if kink.op == "Abs" else kink.args[1]
    gap = second - first if kink.op == "Min" else first - second
    written = plus(algebra.of(first), algebra.of(second), -1)  # raises where either divides by 0
    choices: list[tuple[Term, tuple[Sum, ...]]] = []
    for chosen, sign in ((first, 1), (second, -1)):
        fact = plus({}, written, -sign if kink.op == "Min" else sign)
        if algebra.sign(-sign * gap) == 1 and algebra.sign(sign * gap) != 1:
            continue  # the box excludes it
        if _possible([*facts, fact], algebra):
            choices.append((chosen, (*facts, fact)))
    for chosen, known in choices or [(first, facts)]:  # neither: the gap is 0, and both are the same
        value = chosen if kink.op == "Abs" else call(kink.op, chosen, *kink.args[2:])
        if not _vanishes_by_cases(placed(f, {kink: value}), algebra, known, left):
            return False
    return True


Row = tuple[Sum, bool]  # is > 0, or (False) >= 0


def _possible(facts: Iterable[Sum], algebra: Algebra) -> bool:
    """Whether all facts > 0 may hold at once in the box: Fourier and Motzkin, each monomial a variable."""
    rows: list[Row] = [(fact, True) for fact in facts]
    names = {m for row, _ in rows for m in row} - {UNIT}
    rows += [(bound, False) for m in sorted(names) for bound in _bounds(m, algebra)]
    while names:
        rows = _once(rows)
        pairs = {n: [sum(sign * r.get(n, 0) > 0 for r, _ in rows) for sign in (1, -1)] for n in names}
        name = min(sorted(names), key=lambda n: pairs[n][0] * pairs[n][1])
        names.remove(name)
        if pairs[name][0] * pairs[name][1] > _ROWS:
            return True
        work(len(rows) * len(names) + _PAIR * pairs[name][0] * pairs[name][1])
        up, down = ([r for r in rows if sign * r[0].get(name, 0) > 0] for sign in (1, -1))
        rows = [r for r in rows if not r[0].get(name)]
        for u, first in up:
            for v, second in down:
                joined = {n: u.get(n, 0) / u[name] - v.get(n, 0) / v[name] for n in {*u, *v}}
                rows.append(({n: Fraction(c) for n, c in joined.items() if c}, first or second))
    return all(r.get(UNIT, 0) > 0 or (not strict and not r) for r, strict in rows)


def _once(rows: list[Row]) -> list[Row]:
    """Each of the inequalities once, up to a positive factor."""
    found: dict[tuple[tuple[Monomial, Fraction], ...], Row] = {}
    for row, strict in rows:
        size = abs(row[max(row)]) if row else Fraction(1)
        key = tuple(sorted((m, c / size) for m, c in row.items()))
        found[key] = (row, strict or (key in found and found[key][1]))
    return list(found.values())


def _bounds(m: Monomial, algebra: Algebra) -> Iterable[Sum]:
    """What the box says of a monomial: m - low >= 0, high - m >= 0."""
    try:
        x = range_of(mul(*(power(algebra.atoms[atom].term, number(q)) for atom, q in m)), algebra.box)
    except UnknownError:
        return
    if abs(x.low) != INF:
        yield plus({m: Fraction(1)}, constant(Fraction(x.low)), -1)
    if abs(x.high) != INF:
        yield plus(constant(Fraction(x.high)), {m: Fraction(1)}, -1)


def slope_of(f: Term, name: str) -> Term:
    """The derivative in a variable, if it is not too long."""
    slope = derivative(f, name)
    if slope.size > _LONG:
        raise UnknownError(f"the derivative in {name} is too large")
    return slope


def without_kinks(f: Term, box: Box, *, fold: bool = True) -> Term:
    """With Abs, Max and Min replaced by the part that counts, where the box decides it."""

    def at_least(a: Term, b: Term) -> bool:
        try:
            if (a.op == "Max" and b in a.args) or (b.op == "Min" and a in b.args):
                return range_of(a + b, box) is not None  # whatever they are, if they have values
            return range_of(a - b, box).positive(False)
        except UnknownError:
            return False

    def decided(e: Term) -> Term:
        if e.op == "Abs":
            u = e.args[0]
            return u if at_least(u, ZERO) else -u if at_least(-u, ZERO) else e
        if e.op not in KINKS:
            return e
        kept: list[Term] = []
        for a in e.args:
            up = e.op == "Max"
            if not any(at_least(b, a) if up else at_least(a, b) for b in kept):
                kept = [b for b in kept if not (at_least(a, b) if up else at_least(b, a))] + [a]
        return rebuilt(e, tuple(kept))

    return mapped(f, decided, fold=fold) if any(e.op in KINKS for e in f.walk()) else f
