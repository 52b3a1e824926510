"""Kinks and hypotheses as cases: what a sign decides is taken out, what a hypothesis excludes is cut off.

* *Kinks.*  Abs(u), Max(a, b) and Min(a, b) are smooth where the sign of u, or of a - b, is known.  Where the
  box decides it, the goal is rewritten; where u has a rational zero in the only variable it has, the box is
  split there; else both signs are tried as hypotheses (the rule ``signs``).
* *Hypotheses.*  One that mentions a single variable, like Abs(x) < 1 or 2*x <= pi, is a range in disguise:
  the part of the box on which it fails is ``empty``, and the rest needs it no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from verify.claims import Hypothesis, Range, text_of
from verify.provers.expressions import attempt, length, variables_of
from verify.provers.goals import Goal, Node, halved
from verify.provers.points import at_point
from verify.provers.proof.leaves import impossible
from verify.provers.proof.rewriting import KINKS
from verify.provers.proof.state import ProofSearch, Prove
from verify.provers.ranges import range_of

_LONGEST = 120  # operations of a goal whose kinks are looked at
_FAR = Fraction(2) ** 40  # a hypothesis that holds farther out is no range
_STEPS = 120  # halvings that look for the end of the points where a hypothesis holds
_SLACK = Fraction(1, 2**24)  # of the distance: by so much the box is left larger than the hypothesis


def by_signs(search: ProofSearch, goal: Goal, prove: Prove) -> Node | None:
    """The goal in cases without kinks and without hypotheses of one variable, each shown by ``prove``."""
    goal = goal.trimmed()
    if not search.plausible(goal):
        return None

    def again(part: Goal) -> Node | None:
        return by_signs(search, part, prove)

    for index, h in enumerate(goal.given):
        names = () if h is None else variables_of(h.right - h.left)
        if h is not None and len(names) == 1:
            cuts = search.once(_cuts, goal, h, names[0], key=(goal.ranges[names[0]], h))
            if cuts:
                return _narrowed(goal, names[0], cuts, index, again)
    e = sympy.sympify(goal.expression)
    if not e.has(*KINKS) or length(e) > _LONGEST:
        return prove(goal)
    plain = _decided(e, goal)
    if plain != e:
        proof = again(goal.about(plain))
        return proof and {"by": "rewrite", "expression": text_of(plain), "proof": proof}
    return _by_kink(search, goal, again)


def _by_kink(search: ProofSearch, goal: Goal, again: Prove) -> Node | None:
    """Both sides of the zero of what decides a kink."""
    for gap in _gaps(goal.expression):
        root = _root(gap, goal)
        if root is not None:
            name, at = root
            parts = _all([goal.on(name, half) for half in halved(goal.ranges[name], at)], again)
            return {"by": "split", "variable": name, "at": str(at), "parts": parts} if parts else None
        if range_of(gap, goal.ranges, finite=True) is not None:
            parts = []
            for side in (_where(goal, gap), _where(goal, -gap)):
                free = replace(side, given=(*goal.given, None))  # often the hypothesis is not needed
                part = (again(free) if search.plausible(free) else None) or again(side)
                if part is None:
                    return None
                if len(goal.expression.atoms(*KINKS)) > 1:  # what SymPy makes of the others is said
                    part = {"by": "rewrite", "expression": text_of(side.expression), "proof": part}
                parts.append(part)
            return {"by": "signs", "expression": text_of(gap), "parts": parts}
    return None


def _where(goal: Goal, gap: Any) -> Goal:
    """The goal where the gap is not negative."""
    fact = Hypothesis(sympy.Integer(0), "<=", gap)
    return replace(goal, expression=_chosen(goal.expression, gap), given=(*goal.given, fact))


def _all(goals: list[Goal], prove: Prove) -> list[Node] | None:
    """A proof of each, or None."""
    parts: list[Node] = []
    for goal in goals:
        node = prove(goal)
        if node is None:
            return None
        parts.append(node)
    return parts


def _decided(e: Any, goal: Goal) -> Any:
    """Without the kinks that the box decides, from the innermost outwards."""
    if e.is_Atom or not e.has(*KINKS):
        return e
    e = e.func(*[_decided(a, goal) for a in e.args])
    if isinstance(e, sympy.Abs):
        sign = _sign(e.args[0], goal)
        return sign * e.args[0] if sign else e
    if isinstance(e, sympy.Max | sympy.Min):
        side = 1 if isinstance(e, sympy.Max) else -1
        kept = list(e.args)
        for a in e.args:
            if len(kept) > 1 and any(b is not a and _sign(side * (b - a), goal) == 1 for b in kept):
                kept.remove(a)
        return e.func(*kept)
    return e


def _sign(e: Any, goal: Goal) -> int:
    """1 or -1 if the box shows that it is >= 0 or <= 0."""
    i = range_of(e, goal.ranges)
    if i is None or i.singular:
        return 0
    return 1 if i.positive(strict=False) else -1 if (-i).positive(strict=False) else 0


def _gaps(e: Any) -> Iterator[Any]:
    """The expressions whose sign decides an innermost kink, the simplest first."""
    found = []
    for kink in e.atoms(*KINKS):
        if any(a.has(*KINKS) for a in kink.args):
            continue
        if isinstance(kink, sympy.Abs):
            found += [f for f in sympy.Mul.make_args(kink.args[0]) if not f.is_number][:1]
        else:
            found.append(kink.args[0] - kink.args[1])
    yield from sorted(found, key=lambda g: (len(variables_of(g)), length(g), text_of(g)))


def _chosen(e: Any, gap: Any) -> Any:
    """The expression where gap >= 0."""
    if e.is_Atom or not e.has(*KINKS):
        return e
    e = e.func(*[_chosen(a, gap) for a in e.args])
    if isinstance(e, sympy.Abs):
        factors = list(sympy.Mul.make_args(e.args[0]))
        for k, factor in enumerate(factors):
            if factor == gap or sympy.expand(factor + gap) == 0:
                rest = sympy.Mul(*factors[:k], *factors[k + 1 :])
                return (factor if factor == gap else -factor) * sympy.Abs(rest)
    if isinstance(e, sympy.Max | sympy.Min):
        losing = 1 if isinstance(e, sympy.Max) else 0
        gone = {
            (a, b)[losing] for a in e.args for b in e.args if a is not b and sympy.expand(a - b - gap) == 0
        }
        return e.func(*[a for a in e.args if a not in gone])
    return e


def _root(gap: Any, goal: Goal) -> tuple[str, Fraction] | None:
    """A rational zero inside the range of the only variable of the gap."""
    names = variables_of(gap)
    if len(names) != 1:
        return None
    (name,) = names
    polynomial = attempt(sympy.Poly, gap, goal.symbols[name]) if length(gap) <= 40 else None
    if polynomial is None or polynomial.degree() > 4 or not all(c.is_Rational for c in polynomial.coeffs()):
        return None
    r = goal.ranges[name]
    for root in sorted(attempt(sympy.ground_roots, polynomial) or ()):
        at = Fraction(int(root.p), int(root.q))
        if at in r and at not in (r.lower, r.upper):
            return name, at
    return None


# ---------------------------------------------------------------- hypotheses that are ranges


Cut = tuple[Fraction, bool, Node]  # where, whether the part above is the empty one, and its proof


def _narrowed(goal: Goal, name: str, cuts: list[Cut], index: int, prove: Prove) -> Node | None:
    """One cut after the other, the hypothesis dropped at the end."""
    if not cuts:
        return prove(goal.dropping(index))
    (at, above, empty), *rest = cuts
    inner = goal.on(name, halved(goal.ranges[name], at)[0 if above else 1])
    proof = _narrowed(inner, name, rest, index, prove)
    parts = [proof, empty] if above else [empty, proof]
    return proof and {"by": "split", "variable": name, "at": str(at), "parts": parts}


def _cuts(goal: Goal, h: Hypothesis, name: str) -> list[Cut]:
    """The cuts at both ends of the range of the variable."""
    gap = sympy.sympify(h.right - h.left)
    inside = [x for x in _places(goal.ranges[name]) if (v := at_point(gap, {name: x})) is not None and v >= 0]
    found: list[Cut] = []
    if not inside or h.relation == "==":
        return found
    ranges = goal.ranges
    for above in (True, False):
        now = replace(goal, ranges=ranges)
        cut = _cut(now, gap, h, name, max(inside) if above else min(inside), above)
        if cut is not None:
            found.append(cut)
            ranges = {**ranges, name: halved(ranges[name], cut[0])[0 if above else 1]}
    return found


def _places(r: Range) -> list[Fraction]:
    """Points of a range, dense enough to meet what a hypothesis leaves of it."""
    low = r.lower if r.lower is not None else -_FAR if r.upper is None else r.upper - _FAR
    high = r.upper if r.upper is not None else low + _FAR
    if r.bounded:
        return [low + (high - low) * Fraction(k, 33) for k in range(1, 33)]
    middle = Fraction(0) if Fraction(0) in r else low if r.lower is not None else high
    steps = [Fraction(2) ** k for k in range(-12, 13)]
    return [x for x in (middle, *(middle + s for s in steps), *(middle - s for s in steps)) if x in r]


def _cut(goal: Goal, gap: Any, h: Hypothesis, name: str, good: Fraction, above: bool) -> Cut | None:
    """Where the hypothesis begins to fail beyond a point at which it holds."""
    r = goal.ranges[name]
    end = r.upper if above else r.lower
    bad = good + (_FAR if above else -_FAR) if end is None else end
    value = at_point(gap, {name: bad})
    if value is None or not value < 0:
        return None
    for _ in range(_STEPS):
        middle = _simple((good + bad) / 2)
        value = at_point(gap, {name: middle})
        if value is None:
            return None
        good, bad = (middle, bad) if value >= 0 else (good, middle)
        if abs(bad - good) <= _SLACK * max(abs(bad), _SLACK):
            break
    for at in _candidates(gap, h, name, good, bad):
        if at in r and at not in (r.lower, r.upper):
            half = halved(r, at)[1 if above else 0]
            alone = Goal(sympy.Integer(0), False, {name: half}, goal.given, goal.symbols)
            only = replace(alone, given=tuple(g if g is h else None for g in goal.given))
            empty = impossible(only)
            if empty is not None:
                return at, above, empty
    return None


def _candidates(gap: Any, h: Hypothesis, name: str, good: Fraction, bad: Fraction) -> Iterator[Fraction]:
    """Places for a cut: the exact end if the hypothesis is strict and it is simple, then points beyond it."""
    near = [((good + bad) / 2).limit_denominator(n) for n in (1, 12, 1000)]
    for at in near:
        value = at_point(gap, {name: at})
        if h.relation == "<" and value is not None and value.is_zero():
            yield at
    away = bad - good
    for factor in (1, 16, 256, 1 << 14):
        yield _simple(bad + factor * away)


def _simple(x: Fraction) -> Fraction:
    """About 40 bits of it."""
    shift = 40 + x.denominator.bit_length() - x.numerator.bit_length()
    if x == 0 or max(x.denominator.bit_length(), x.numerator.bit_length()) <= 48:
        return x
    return Fraction(round(x * Fraction(2) ** shift)) / Fraction(2) ** shift
