"""Changes of variables, after which a goal has fewer variables, a simpler formula or a plain box.

With x = φ(w), w = g(x), the goal f >= 0 is F(w) = f(φ(w)) >= 0 wherever w may be: the rule ``compose`` puts
the new variables in, and what the ranges and hypotheses say of them are their ranges and facts, each shown by
intervals or by ``combine``.

* *Scaling.*  f(λx) = λ^k f(x): of the variables only ratios count, w = x/y, and f = y^k F(x/y).
* *Translation.*  f(x + λ) = e^(kλ) f(x): only differences count, w = x - y, and f = e^(ky) F(x - y).
* *Turns.*  Angles that are compared with pi: w = 2x/pi has rational ends.
* *Cones.*  As many linear inequalities as there are variables, and independent: their gaps are the new
  variables, each >= 0 (the sides of a triangle, variables in an order).
* *Bases.*  Powers of sums, and nothing else of their variables: w = the sum, and which of two sums is larger.
* *Squares.*  Polynomials in x², in each variable: w = x².
* *Roots.*  Roots of one linear expression u: w = u^(1/n).
* *Circles.*  Sines and cosines of sums of the variables, and nothing else: w = (sin x, cos x), with w·w = 1.

That f scales is seen in its formula (:mod:`weights`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from math import inf, lcm
from typing import Any

import sympy

from verify.claims import Hypothesis, Range, text_of
from verify.provers.expressions import attempt, length, put, variables_of
from verify.provers.goals import Goal, Node
from verify.provers.proof.combining import shown
from verify.provers.proof.polynomials import fraction, written_powers
from verify.provers.proof.state import ProofSearch, fat, loose, proper
from verify.provers.proof.weights import degree_of
from verify.provers.ranges import opened, range_of

_LONGEST, _LONG = 100, 400  # operations of a goal whose variables are changed, and of a polynomial
_MOST = 4  # variables
_SUMS = 3  # whose powers are compared
_CONES = 3  # that are tried
_TRIED = 3  # changed goals


@dataclass(frozen=True)
class Change:
    """New variables: what each stands for, and what the old ones are in terms of them; f = factor * F."""

    inner: Mapping[str, Any]
    old: Mapping[Any, Any]  # by symbol, or what else is replaced
    factor: Any = sympy.S.One
    equations: tuple[Any, ...] = ()  # what is 0, in the new variables
    ranges: Mapping[str, Range] = field(default_factory=dict)  # narrower ones, still to be shown
    used: tuple[Hypothesis, ...] = ()  # what these ranges say already
    facts: tuple[Hypothesis, ...] = ()  # about the new variables


@dataclass(frozen=True)
class Changed:
    """The goal in the new variables, and the proof of the old one but for that of the new one."""

    goal: Goal
    node: Node
    factor: Any
    quotient: str
    outer: Changed | None = None  # the change before it

    def around(self, proof: Node) -> Node:
        """The proof of the old goal."""
        node = {**self.node, "proof": proof}
        if "rewritten" in node:
            node["proof"] = {"by": "rewrite", "expression": node.pop("rewritten"), "proof": proof}
        if self.factor != 1:
            product = {"by": "multiply", "factor": text_of(self.factor), "positive": {"by": "range"}}
            node = {**product, "quotient": self.quotient, "proof": node}
        return node if self.outer is None else self.outer.around(node)


Kind = Callable[[ProofSearch, Goal], Iterator[Change]]


def changes(search: ProofSearch, goal: Goal, kinds: tuple[Kind, ...] = ()) -> list[Changed]:
    """The goal in other variables, in a few ways; one kind of change after the other; the simplest first."""
    found = _in_turn(search, goal.trimmed(), kinds or _KINDS)

    def difficulty(new: Changed) -> tuple[int, int, int]:
        left = len(new.goal.known) if kinds else 0
        return left, len(new.goal.variables), length(new.goal.expression)

    return sorted(found, key=difficulty)[:_TRIED]


def in_orthants(search: ProofSearch, goal: Goal) -> Iterator[Changed]:
    """A polynomial in squares of the variables, and in the gaps of linear inequalities."""
    return _in_turn(search, goal.trimmed(), (_evens, cones), _LONG)


def _in_turn(
    search: ProofSearch, goal: Goal, kinds: tuple[Kind, ...], longest: int = _LONGEST
) -> Iterator[Changed]:
    if length(goal.expression) > longest or not 1 <= len(goal.variables) <= _MOST:
        return
    for k, kind in enumerate(kinds):
        for change in attempt(list[Change], kind(search, goal)) or ():
            new = attempt(changed, goal, change)
            if new is not None and search.plausible(new.goal):
                yield new
                for more in _in_turn(search, new.goal, kinds[k + 1 :], longest):
                    yield replace(more, outer=new if more.outer is None else replace(more.outer, outer=new))


def changed(goal: Goal, change: Change) -> Changed | None:
    """What the change makes of the goal, as far as it can be shown."""
    e = put(goal.expression, change.old)
    values = {n: _values(inner, goal) for n, inner in change.inner.items()}
    if e is None or not proper(e) or any(v is None or v.singular for v in values.values()):
        return None
    ranges = {n: change.ranges.get(n) or _range(v) for n, v in values.items()}
    facts = list(change.facts)
    for h in goal.known if not change.facts else ():
        gap = put(h.right - h.left, change.old)
        gap = gap if gap is None or not gap.has(sympy.pi) else attempt(sympy.expand, gap / sympy.pi)
        if gap is None or h.relation == "==" or h in change.used:
            continue
        narrower = _narrowed(ranges, gap, h.relation == "<")
        if narrower is None:
            facts.append(Hypothesis(sympy.Integer(0), h.relation, gap))
        else:
            ranges = narrower
    back = {symbol_of(n): inner for n, inner in change.inner.items()}
    variables = [_variable(goal, n, inner, ranges[n], values[n]) for n, inner in change.inner.items()]
    known = [(h, shown(goal.about(h.right.xreplace(back), strict=h.relation == "<"))) for h in facts]
    if any(v is None for v in variables):
        return None
    kept: list[tuple[Hypothesis, Node | None]] = [one for one in known if one[1] is not None]
    kept += [(Hypothesis(zero, "==", sympy.Integer(0)), None) for zero in change.equations]
    own = {n: symbol_of(n, r) for n, r in ranges.items()}
    swap = {symbol_of(n): own[n] for n in own}
    given = [Hypothesis(h.left.xreplace(swap), h.relation, h.right.xreplace(swap)) for h, _ in kept]
    node: Node = {"by": "compose", "variables": variables, "expression": text_of(_joined(e))}
    if kept:
        node["facts"] = [
            {
                "expression": text_of(h.right - h.left),
                "relation": h.relation,
                **({} if proof is None else {"proof": proof}),
            }
            for h, proof in kept
        ]
    plain = attempt(sympy.expand_log, e.xreplace(swap))
    new = Goal(plain, goal.strict, ranges, (*(None for _ in goal.given), *given), own)
    if plain != e.xreplace(swap):
        node["rewritten"] = text_of(plain)
    return Changed(new, node, change.factor, text_of(_joined(e).xreplace(back)))


def _joined(e: Any) -> Any:
    """With one root of a product for a product of roots: these need more to be defined."""
    return e.replace(
        lambda m: m.is_Mul and sum(_is_root(a) for a in m.args) > 1,
        lambda m: sympy.Mul(
            *(a for a in m.args if not _is_root(a)),
            sympy.sqrt(sympy.Mul(*(a.base for a in m.args if _is_root(a)))),
        ),
    )


def _is_root(a: Any) -> bool:
    return bool(a.is_Pow and a.exp == sympy.Rational(1, 2))


def _values(inner: Any, goal: Goal) -> Any:
    """The interval of an expression on the box, or on its inner points where they are enough."""
    found = range_of(inner, goal.ranges, finite=True)
    inside = {n: opened(r) for n, r in goal.ranges.items()}
    return range_of(inner, inside) if found is None and loose(goal) else found


def symbol_of(name: str, r: Range | None = None) -> Any:
    """A new variable."""
    if r is not None and r.lower is not None and r.lower >= 0:
        positive = r.lower > 0 or r.lower_open
        return sympy.Symbol(name, positive=True) if positive else sympy.Symbol(name, nonnegative=True)
    return sympy.Symbol(name, real=True)


def _range(i: Any) -> Range:
    low, high = (None if abs(end) == inf else Fraction(end) for end in (i.low, i.high))
    return Range(low, high, i.low_open, i.high_open)


def _narrowed(ranges: Mapping[str, Range], gap: Any, strict: bool) -> dict[str, Range] | None:
    """With the part of a range on which a linear gap in one variable is not negative."""
    names = variables_of(gap)
    line = attempt(sympy.Poly, gap, *gap.free_symbols) if len(names) == 1 else None
    if line is None or line.degree() != 1 or not all(c.is_Rational for c in line.all_coeffs()):
        return None
    a, b = (fraction(c) for c in line.all_coeffs())
    r = ranges[names[0]].narrowed((">" if strict else ">=") if a > 0 else ("<" if strict else "<="), -b / a)
    return None if r.empty else {**ranges, names[0]: r}


def _variable(goal: Goal, name: str, inner: Any, r: Range, seen: Any) -> Node | None:
    """One variable of the node, with the proofs of the ends that intervals do not show."""
    node: Node = {"variable": name, "inner": text_of(inner), "range": [r.text(name)]}
    if _range(seen).within(r):
        return node
    for key, end, side, is_open in (
        ("lower", r.lower, 1, r.lower_open),
        ("upper", r.upper, -1, r.upper_open),
    ):
        if end is not None:
            proof = shown(goal.about(side * (inner - sympy.Rational(end)), strict=is_open))
            if proof is None:
                return None
            node[key] = proof
    return node


# ---------------------------------------------------------------- scaling and translation


def scalings(search: ProofSearch, goal: Goal) -> Iterator[Change]:
    """Ratios, or differences, for the variables."""
    names = goal.variables
    if len(names) < 2:
        return
    k = (
        degree_of(search, goal)
        if all(r.lower is not None and r.lower >= 0 for r in goal.ranges.values())
        else None
    )
    if k is not None and set(names) == set(goal.ranges):
        for pivot in names:
            r, y = goal.ranges[pivot], goal.symbols[pivot]
            if r.lower is None or r.lower < 0 or not (loose(goal) or r.lower > 0 or r.lower_open):
                continue
            inner = {f"{n}_": goal.symbols[n] / y for n in names if n != pivot}
            old = {goal.symbols[n]: symbol_of(f"{n}_") for n in names if n != pivot}
            yield Change(inner, {**old, y: sympy.Integer(1)}, y ** sympy.Rational(k))
    k = degree_of(search, goal, shifted=True)
    if k is not None and all(r.lower is None and r.upper is None for r in goal.ranges.values()):
        for pivot in names:
            y = goal.symbols[pivot]
            inner = {f"{n}_": goal.symbols[n] - y for n in names if n != pivot}
            old = {goal.symbols[n]: symbol_of(f"{n}_") for n in names if n != pivot}
            yield Change(inner, {**old, y: sympy.Integer(0)}, sympy.exp(sympy.Rational(k) * y))


# ---------------------------------------------------------------- cones


def cones(search: ProofSearch, goal: Goal) -> Iterator[Change]:
    """As many independent linear gaps as variables, the hypotheses first."""
    del search
    names = sorted(goal.ranges)
    symbols = [goal.symbols[n] for n in names]
    gaps = [h.right - h.left for h in goal.known if h.relation != "=="]
    gaps = [g for g in gaps if _linear(g, symbols) and not g.has(sympy.pi)]
    wanted = len(gaps)
    for n in names:
        r = goal.ranges[n]
        gaps += [] if r.lower is None else [goal.symbols[n] - sympy.Rational(r.lower)]
        gaps += [] if r.upper is None else [sympy.Rational(r.upper) - goal.symbols[n]]
    left = _CONES
    for chosen in combinations(range(len(gaps)), len(names)) if wanted and len(gaps) <= 2 * _MOST else ():
        matrix = sympy.Matrix([[sympy.diff(gaps[k], x) for x in symbols] for k in chosen])
        if not any(k < wanted for k in chosen) or matrix.det() == 0:
            continue
        new = [f"{n}_" for n in names]
        zero = dict.fromkeys(symbols, sympy.Integer(0))
        shift = [symbol_of(w) - gaps[k].xreplace(zero) for w, k in zip(new, chosen, strict=True)]
        old = dict(zip(symbols, matrix.inv() * sympy.Matrix(shift), strict=True))
        inner = {w: sympy.expand(gaps[k]) for w, k in zip(new, chosen, strict=True)}
        yield Change(inner, old)
        left -= 1
        if not left:
            return


def _linear(gap: Any, symbols: Sequence[Any]) -> bool:
    found = attempt(sympy.Poly, gap, *symbols)
    if found is None or found.total_degree() != 1:
        return False
    return all((c / sympy.pi ** int(c.has(sympy.pi))).is_Rational for c in found.coeffs())


# ---------------------------------------------------------------- powers of sums


def _bases(search: ProofSearch, goal: Goal) -> Iterator[Change]:
    """High powers of two or three sums that are compared by the hypotheses."""
    del search
    e = sympy.sympify(goal.expression)
    sums = {p.base for p in e.atoms(sympy.Pow) if p.base.is_Add and p.exp.is_Integer and p.exp > 2}
    outer = sorted((b for b in sums if not any(b is not c and c.has(b) for c in sums)), key=text_of)
    names = [f"{chr(ord('p') + k)}_" for k in range(len(outer))]
    old = dict(zip(outer, map(symbol_of, names), strict=True))
    if not 2 <= len(outer) <= _SUMS or e.xreplace(old).free_symbols & e.free_symbols:
        return
    ranges = {}
    for n, base in zip(names, outer, strict=True):
        for end in (1, 0):
            if shown(goal.about(base - end, strict=True)) is not None:
                ranges[n] = Range(Fraction(end), None, True, True)
                break
    gaps = [(w, v) for v in outer for w in outer if v is not w and shown(goal.about(w - v, strict=True))]
    facts = tuple(Hypothesis(sympy.Integer(0), "<", old[w] - old[v]) for w, v in gaps)
    if facts:
        inner = dict(zip(names, outer, strict=True))
        yield Change(inner, {e: e.xreplace(old)}, ranges=ranges, facts=facts)


# ---------------------------------------------------------------- angles, roots, and the circle


def turns(search: ProofSearch, goal: Goal) -> Iterator[Change]:
    """Angles that are compared with pi: multiples of a right angle, with rational ends."""
    del search
    symbols = [goal.symbols[n] for n in sorted(goal.ranges)]
    if any((h.right - h.left).has(sympy.pi) and _linear(h.right - h.left, symbols) for h in goal.known):
        inner = {f"{x.name}_": 2 * x / sympy.pi for x in symbols}
        yield Change(inner, {x: sympy.pi * symbol_of(f"{x.name}_") / 2 for x in symbols})


def _evens(search: ProofSearch, goal: Goal) -> Iterator[Change]:
    """Even powers of every variable, in the goal and in its hypotheses."""
    del search
    symbols = [goal.symbols[n] for n in sorted(goal.ranges)]
    parts = [written_powers(e, symbols) for e in (goal.expression, *(h.right - h.left for h in goal.known))]
    if any(p is None or any(a % 2 for m in p for a in m) for p in parts):
        return
    inner = {f"{x.name}_": x**2 for x in symbols}
    old = {x: sympy.sqrt(symbol_of(f"{x.name}_")) for x in symbols}
    yield Change(inner, {goal.expression: sympy.expand(goal.expression).xreplace(old), **old})


def _roots(search: ProofSearch, goal: Goal) -> Iterator[Change]:
    """Roots of one linear expression in a variable: their common root is the new variable."""
    del search
    e = sympy.sympify(goal.expression)
    powers = [p for p in e.atoms(sympy.Pow) if p.exp.is_Rational and not p.exp.is_Integer and not p.is_number]
    bases = {p.base for p in powers}
    if len(bases) != 1 or len(variables_of(next(iter(bases)))) != 1:
        return
    (base,) = bases
    (symbol,) = base.free_symbols
    if not _linear(base, [symbol]) or not fat(goal):
        return
    n = lcm(*(int(p.exp.q) for p in powers))
    a, b = sympy.Poly(base, symbol).all_coeffs()
    new = {m: symbol_of(f"{m}_") for m in goal.ranges}
    inner = {f"{m}_": goal.symbols[m] for m in goal.ranges} | {
        f"{symbol.name}_": base ** sympy.Rational(1, n)
    }
    root = new[symbol.name]
    old = {goal.symbols[m]: w for m, w in new.items()} | {p: root ** (n * p.exp) for p in powers}
    yield Change(inner, {**old, symbol: (root**n - b) / a})


def _circles(search: ProofSearch, goal: Goal) -> Iterator[Change]:
    """Sines and cosines of sums of the variables, and nothing else of them: points of circles."""
    del search
    e = sympy.sympify(goal.expression)
    waves = e.atoms(sympy.sin, sympy.cos)
    if not waves or goal.known or any(not _linear(t.args[0], [*e.free_symbols]) for t in waves):
        return
    plain = attempt(sympy.expand_trig, e)
    inner, old, equations = dict[str, Any](), dict[Any, Any](), list[Any]()
    for n in goal.variables:
        x, s, c = goal.symbols[n], f"{n}_s", f"{n}_c"
        inner |= {s: sympy.sin(x), c: sympy.cos(x)}
        old |= {sympy.sin(x): symbol_of(s), sympy.cos(x): symbol_of(c)}
        equations.append(symbol_of(s) ** 2 + symbol_of(c) ** 2 - 1)
    if plain is not None and not plain.xreplace(old).free_symbols & e.free_symbols:
        yield Change(inner, {e: plain.xreplace(old), **old}, equations=tuple(equations))


_KINDS = (_bases, turns, cones, scalings, _roots, _circles)
