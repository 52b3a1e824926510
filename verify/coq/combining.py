"""The rules ``combine``, ``increasing`` and ``known`` as steps in Coq.

A quadratic form mᵀ Q m is written out as squares: Q = L D Lᵀ by elimination in rational numbers, so that
mᵀ Q m = Σ d_i (Lᵀ m)_i², with a number in m taken last: then the last square is a number, and positive.

    s f = Σ g_1 g_2 ... (d_1 l_1² + d_2 l_2² + ...)

is an identity that Coq checks, all numbers made whole, and the signs of both sums are seen factor by factor.

*Where s may vanish* (a polynomial): from a point x straight to a point q of the box at which s is not 0, s is
a polynomial in t that is not 0 at t = 1, so it is not 0 at points next to x, and f >= 0 passes to the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from math import gcd, lcm
from typing import Any

from verify.coq.sequents import (
    Lines,
    Node,
    Sequent,
    at_numbers,
    block,
    ends_of,
    facts,
    field,
    normalised,
    rewriting,
    same_block,
)
from verify.coq.text import NotExportedError, expanded, folded, rational_text, variable_name
from verify.recheck.bernstein import polynomial
from verify.recheck.intervals import INF
from verify.recheck.reading import rational, read
from verify.recheck.series import inside
from verify.recheck.terms import Term, add, call, mul, number, power, put, variable

Prove = Callable[[Any, Sequent], Lines]  # the lines for a child

_POINTS = 1024  # of a box at which a multiplier is looked at


@dataclass(frozen=True)
class _Factor:
    """A factor: what it is, and whether it is > 0, or 0."""

    term: Term
    strict: bool
    vanishes: bool = False


@dataclass(frozen=True)
class _Product:
    """Factors, and a form: squares with numbers in front; or a factor that is 0, and the rest."""

    factors: tuple[_Factor, ...]
    form: tuple[tuple[Fraction, Term], ...]
    rest: Term | None = None
    strict: bool = False

    @property
    def numbers(self) -> Iterator[Fraction]:
        """What has to be made whole."""
        yield from (d for d, _ in self.form)

    def text(self, scale: int) -> str:
        """In Coq, times a number."""
        texts = [f"({folded(one.term)})" for one in self.factors]
        if self.rest is not None:
            return f"{texts[0]} * ({folded(scale * self.rest)})"
        shown = " + ".join(_square(scale * d, e) for d, e in self.form) or "0"
        return " * ".join(texts if shown == "1" else [*texts, f"({shown})"]) if texts else shown

    def term(self, scale: int) -> Term:
        """The same as a term."""
        form = add(*(number(scale * d) * e**2 for d, e in self.form))
        return mul(*(one.term for one in self.factors), form if self.rest is None else scale * self.rest)


def combine(node: Node, goal: Sequent, prove: Prove) -> Lines:
    """The goal, times something positive, is a sum of products of what is known."""
    parts = node.get("facts", [])
    children = [goal.about(read(field(t, "expression"), goal.box), t.get("strict") is True) for t in parts]
    lines = facts(
        [(child, prove(field(t, "proof"), child)) for t, child in zip(parts, children, strict=True)]
    )
    placed, goal, points = at_numbers(goal)
    known = [_Factor(put(child.f, points), child.strict) for child in children]
    right = _products(field(node, "blocks"), goal, known, points)
    left = _products(node["multiplier"], goal, known, points) if "multiplier" in node else [_ONE]
    scale = lcm(*(c.denominator for one in (*left, *right) for c in one.numbers))
    s, r = (" + ".join(one.text(scale) for one in side) for side in (left, right))
    terms = [goal.f * add(*(one.term(scale) for one in left)), add(*(one.term(scale) for one in right))]
    identity = block([*normalised(terms, goal.box), "balance."])
    lines += placed
    if goal.strict or any(one.strict for one in left):
        signs = ["{ products. }", "{ products. }"]
        return [*lines, f"apply (combined{goal.mode} _ ({s}) ({r})).", *identity, *signs]
    apply = [f"apply (combined_apart _ ({s}) ({r})).", *identity]
    return [*lines, *_almost_everywhere(goal, s, add(*(one.term(scale) for one in left)), apply)]


_ONE = _Product((), ((Fraction(1), number(1)),), strict=True)


def _products(data: Any, goal: Sequent, known: list[_Factor], points: Mapping[str, Term]) -> list[_Product]:
    """The summands, one that is > 0 last."""
    found = []
    for one in data:
        if not isinstance(one, Mapping):
            raise NotExportedError("a product without factors and a matrix")
        factors = [_factor(word, goal, known) for word in one.get("factors", [])]
        basis = [_formula(text, goal, points) for text in one.get("basis", ["1"])]
        gram = [[rational(c) for c in row] for row in field(one, "gram")]
        if [len(row) for row in gram] != list(range(1, len(basis) + 1)):
            raise NotExportedError("a matrix that does not fit")
        found.append(_product(factors, basis, gram))
    return sorted(found, key=lambda one: one.strict)


def _formula(text: Any, goal: Sequent, points: Mapping[str, Term]) -> Term:
    return expanded(put(read(text, {*goal.box, *points}), points), goal.box)


def _factor(word: Any, goal: Sequent, known: list[_Factor]) -> _Factor:
    kind, _, name = str(word).partition(" ")
    if kind in ("lower", "upper") and name in goal.box:
        x, lower = goal.box[name], kind == "lower"
        end, is_open = (x.low, x.low_open) if lower else (x.high, x.high_open)
        if abs(end) < INF:
            return _Factor(variable(name) - end if lower else end - variable(name), is_open)
    index = int(name) if name.isdigit() else -1
    if kind == "hypothesis" and index in goal.given:
        return _Factor(goal.gaps[index], goal.given[index] == "<", goal.given[index] == "==")
    if kind == "fact" and 0 <= index < len(known):
        return known[index]
    raise NotExportedError(f"{word!r} in a combination, which is nothing that is known there")


def _product(factors: list[_Factor], basis: list[Term], gram: list[list[Fraction]]) -> _Product:
    zero = next((one for one in factors if one.vanishes), None)
    if zero is not None:  # 0, whatever it is multiplied by
        others = [one.term for one in factors if one is not zero]
        terms = [
            number(c if i == j else 2 * c) * basis[i] * basis[j]
            for i, row in enumerate(gram)
            for j, c in enumerate(row)
        ]
        return _Product((zero,), (), mul(*others, add(*terms)))
    form = squares(basis, gram)
    positive = len(form) == len(basis) and bool(form[-1][1].value) and all(one.strict for one in factors)
    return _Product(tuple(factors), tuple(form), strict=positive)


def squares(basis: Sequence[Term], gram: list[list[Fraction]]) -> list[tuple[Fraction, Term]]:
    """The form as Σ d l², d > 0, l in whole multiples of the basis; the lower half of its matrix is given."""
    order = sorted(range(len(basis)), key=lambda i: basis[i].value is not None)
    m = [[gram[max(i, j)][min(i, j)] for j in order] for i in order]
    found = []
    for k, row in enumerate(m):
        pivot = row[k]
        if pivot < 0 or (pivot == 0 and any(row[k:])):
            raise NotExportedError("a matrix that is not positive semidefinite")
        if pivot == 0:
            continue
        whole = Fraction(lcm(*(c.denominator for c in row[k:])), gcd(*(c.numerator for c in row[k:])))
        parts = [number(whole * c) * basis[order[j]] for j, c in enumerate(row) if j >= k]
        found.append((1 / (pivot * whole**2), add(*parts)))
        for lower in m[k + 1 :]:
            scale = lower[k] / pivot
            lower[k:] = [c - scale * a for c, a in zip(lower[k:], row[k:], strict=True)]
    return found


def _square(d: Fraction, e: Term) -> str:
    if e.value is not None:
        return rational_text(d * e.value**2).text
    front = "" if d == 1 else f"{rational_text(d).within(1)} * "
    return f"{front}({folded(e)}) ^ 2"


def _almost_everywhere(goal: Sequent, text: str, s: Term, apply: Lines) -> Lines:
    """First where the multiplier is not 0, then on the way from a point where it is not."""
    names = sorted(goal.f.names | s.names)
    shown = [variable_name(n) for n in names]
    at = _where_positive(s, names, goal)
    time = next(t for t in ("t", "s", "u", "time", "time_") if t not in goal.box)
    moved = {n: variable(n) + variable(time) * (at[n] - variable(n)) for n in names}
    ends = [end for n in names for end in ends_of(n, goal.box[n])]
    premises = "".join(f"{end} -> " for end in [*ends, f"{text} <> 0"])
    places = " ".join(f"({folded(moved[n])})" for n in names)
    line = [folded(c) for c in _powers(put(s, moved), time, names)]
    return [
        f"assert (Apart : forall {' '.join(shown)}, {premises}0 <= {folded(goal.f)}).",
        *block(
            [
                f"clear. intros {' '.join(shown)}; intros.",
                *apply,
                "{ products. }",
                "{ products. }",
                "assumption.",
            ]
        ),
        f"apply (almost_everywhere (fun {time} => (fun {' '.join(shown)} => {folded(goal.f)}) {places})",
        f"  [{'; '.join(line)}]); cbv beta.",
        "{ balance. }",
        "{ continuous. }",
        "{ cbn [horner]. lra. }",
        *block(
            [
                f"intros {time} Time No. apply (Apart {places}); [{'nra | ' * len(ends)}].",
                "intros E. apply No. rewrite <- E. cbn [horner]. balance.",
            ]
        ),
    ]


def _where_positive(s: Term, names: list[str], goal: Sequent) -> dict[str, Term]:
    places = [inside(goal.box[n], 3) for n in names]
    for place in islice(product(*places), _POINTS):
        at = {n: number(x) for n, x in zip(names, place, strict=True)}
        value = put(s, at).value
        if value is not None and value > 0:
            return at
    raise NotExportedError("a multiplier that is not seen to be positive anywhere")


def _powers(s: Term, time: str, names: list[str]) -> list[Term]:
    """The coefficients of a polynomial by the powers of one variable."""
    found: dict[int, list[Term]] = {}
    for (k, *rest), c in polynomial(s, [time, *names]).items():
        part = [power(variable(n), number(e)) for n, e in zip(names, rest, strict=True) if e]
        found.setdefault(k, []).append(mul(number(c), *part))
    return [add(*found.get(k, [])) for k in range(max(found, default=0) + 1)]


# ---------------------------------------------------------------- functions

_INCREASING = ("exp", "log", "atan", "sinh", "tanh")


def increasing(node: Node, goal: Sequent, prove: Prove) -> Lines:
    """F(v) - F(u) for an increasing function F, from v - u."""
    name = field(node, "function")
    v, u = goal.read(node, "larger"), goal.read(node, "smaller")
    if name != "power" and name not in _INCREASING:
        raise NotExportedError(f"the growth of the function {name}")
    exponent = rational(field(node, "exponent")) if name == "power" else Fraction(1)

    def function(t: Term) -> Term:
        return power(t, number(exponent)) if name == "power" else call(name, t)

    child = goal.about(v - u)
    bound = variable("s")
    return [
        f"apply (increasing{goal.mode} (fun s => {folded(function(bound))}) _ ({folded(v)}) ({folded(u)})).",
        *same_block([goal.f, function(v) - function(u)], goal.box),
        "{ rises. }",
        *rewriting(child),
        *prove(field(node, "proof"), child),
    ]


def known(node: Node, goal: Sequent) -> Lines:
    """A fact about one function."""
    t = goal.read(node, "of")
    if goal.strict:
        raise NotExportedError("a strict goal, of which nothing is known")
    shown = [folded(a) for a in t.args]
    if t.op == "exp":
        return [f"apply (known_exp _ ({shown[0]})); same."]
    if t.op == "log":
        return [f"apply (known_ln _ ({shown[0]})); [same | range]."]
    if t.op == "Abs":
        opposite = goal.f != t - t.args[0]
        return [f"apply (known_size{'_opposite' if opposite else ''} _ ({shown[0]})); same."]
    if t.op in ("Max", "Min"):
        for a in t.args:
            low, high = (a, t) if t.op == "Max" else (t, a)
            if goal.f == high - low:
                return [f"apply (known_order _ ({folded(low)}) ({folded(high)})); [same | among]."]
    raise NotExportedError(f"{goal.f}, which is not what is known about {t}")
