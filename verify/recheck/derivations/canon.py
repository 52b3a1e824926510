"""The normal form: two terms or formulas are the same if theirs is.

Every step is an identity for all values (``docs/derivations.md``, "The same").  A term of a finite sort is a
variable or a symbol of normal arguments; a number is a polynomial in atoms; a relation keeps its two sides.
Inside Int and E, sums and factors are taken apart only if every summand is tame: otherwise one integral may
be 0 by convention, and the others not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from verify.recheck.derivations.languages import Language
from verify.recheck.derivations.polynomials import (
    ONE,
    Monomial,
    Poly,
    atom,
    constant_poly,
    difference,
    natural,
    power,
    primitive_part,
    product,
    ring,
    scaled,
    signed_part,
    times,
    total,
    tree,
    value_of,
)
from verify.recheck.derivations.putting import put, put_bound
from verify.recheck.derivations.sight import OMEGA, Moving, Sight
from verify.recheck.derivations.trees import (
    FORMULA,
    RELATIONS,
    Nameless,
    closed,
    fresh,
    make,
    node,
    num,
    opened,
)
from verify.recheck.intervals import UnknownError

_WORK = 1_000_000  # about the nodes brought to normal form, and monomials multiplied, in one derivation
_MONOMIALS = 2_000  # of one polynomial
_UNROLLED = 100  # summands of a sum that are written out


@dataclass(frozen=True)
class Operator:
    """Int over a variable, E(...) or E(..., n), for what may be taken out of it and what it goes into."""

    wrap: Callable[[Nameless], Nameless]  # of a body
    leaves: Callable[[Nameless], bool]  # whether a factor comes out
    near: Nameless  # bounds and levels, for fresh names
    level: Nameless | None = None
    mean: bool = False


class Canon:
    """Normal forms in one language."""

    def __init__(self, language: Language):
        self.language, self.sight = language, Sight(language)
        self._polys: dict[Nameless, Poly] = {}
        self._normals: dict[Nameless, Nameless] = {}
        self._work = 0

    def spend(self, work: int) -> None:
        """Complain if too much is asked."""
        self._work += work
        if self._work > _WORK:
            raise UnknownError("too much work to bring the terms to normal form")

    def normal(self, t: Nameless) -> Nameless:
        """The normal form of a term or a formula."""
        found = self._normals.get(t)
        if found is None:
            self.spend(1 + t.size // 4)
            if t.sort == FORMULA:
                found = self._formula(t)
            elif self.language.numeric(t):
                found = tree(self.poly(t))
            else:
                found = node(t.op, tuple(map(self.normal, t.args)), t.value, t.sort)
            self._normals[t] = self._normals[found] = found
        return found

    def poly(self, t: Nameless) -> Poly:
        """The normal form of a number."""
        found = self._polys.get(t)
        if found is None:
            self.spend(1 + t.size // 4)
            found = self._poly(t)
            if len(found) > _MONOMIALS:
                raise UnknownError(f"a polynomial of {len(found)} monomials is too long")
            self.spend(len(found))
            self._polys[t] = found
        return found

    def _poly(self, t: Nameless) -> Poly:
        match t.op:
            case "num" | "var" | "bound":
                return ring(t)
            case "sym":
                return atom(node("sym", tuple(map(self.normal, t.args)), t.value, t.sort))
            case "+":
                return total(map(self.poly, t.args))
            case "*":
                return self._product([self.poly(a) for a in t.args])
            case "^" if isinstance(t.value, int):
                return self._power(self.poly(t.args[0]), t.value)
            case "inv":
                return self._inverse(t.args[0])
            case "exp":
                exponent = self.poly(t.args[0])
                return atom(make("exp", tree(exponent))) if exponent else constant_poly(1)
            case "Ind":
                return self._indicator(t.args[0])
            case "Sum":
                return self._sum(t)
            case "SumOver":
                return self._sum_over(t)
            case "MaxOver" | "Sup":
                return self._most(t)
            case "Int":
                return self._integral(t)
            case "E" | "En":
                return self._mean(t)
        return _folded(t.op, [self.normal(a) for a in t.args])

    # ------------------------------------------------------------ ring

    def _product(self, parts: list[Poly]) -> Poly:
        found = constant_poly(1)
        for p in parts:
            self.spend(len(found) * len(p) // 8)
            found = product(found, p)
        return found

    def _power(self, p: Poly, k: int) -> Poly:
        return power(p, k) if len(p) <= 1 else self._product([p] * k)

    def _inverse(self, t: Nameless) -> Poly:
        """1/t: of products and powers as they stand, and of what is left a sum without common factors."""
        if t.op == "*":
            return self._product([self._inverse(a) for a in t.args])
        if t.op == "^" and isinstance(t.value, int):
            return self._power(self._inverse(t.args[0]), t.value)
        p = self.poly(t)
        if not p:
            return {}  # 1/0 = 0
        common = {a: k for a, k in next(iter(p)) if a.op not in ("exp", "Ind")}
        for m in p:
            powers = dict(m)
            common = {a: min(k, powers[a]) for a, k in common.items() if a in powers}
        if len(p) == 1:
            common = dict(next(iter(p)))
        rest = {divided(m, common): c for m, c in p.items()}
        factors = [self._power(inverse_atom(a), k) for a, k in common.items()]
        c, q = signed_part(rest)
        inner = constant_poly(1) if value_of(q) == 1 else atom(make("inv", tree(q)))
        return self._product([scaled(inner, 1 / c), *factors])

    # ------------------------------------------------------------ formulas and indicators

    def _formula(self, t: Nameless) -> Nameless:
        if t.op in ("And", "Or"):
            parts: dict[Nameless, None] = {}
            for a in map(self.normal, t.args):
                parts.update(dict.fromkeys(a.args if a.op == t.op else (a,)))
            ordered = sorted(parts, key=lambda a: a.text)
            return make(t.op, *ordered) if len(ordered) > 1 else ordered[0]
        if t.op == "Not":
            return negated(self.normal(t.args[0]))
        if t.op == "Sure":
            inner = self.normal(t.args[0])
            return make("Sure", inner) if self.sight.random(inner) else inner
        if t.op == "All":
            x = fresh(str(t.value), t)
            return make("All", closed(self.normal(opened(t.args[0], x)), x), value=t.value)
        sides = [self.normal(a) for a in t.args]
        if t.op == "==" and not self.language.numeric(t.args[0]):  # numbers keep their side
            sides.sort(key=lambda a: a.text)
        return make(t.op, *sides)

    def _indicator(self, a: Nameless) -> Poly:
        one = constant_poly(1)
        match a.op:
            case "And":
                return self._product([self._indicator(b) for b in a.args])
            case "Or":  # some holds unless none does
                none = [difference(one, self._indicator(b)) for b in a.args]
                return difference(one, self._product(none))
            case "Not":
                return difference(one, self._indicator(a.args[0]))
            case "Imp":
                holds, then = (self._indicator(b) for b in a.args)
                return total([one, scaled(holds, -1), self._product([holds, then])])
            case "All":
                return atom(make("Ind", self.normal(a)))
        left, right = a.args
        if not self.language.numeric(left):
            sides = sorted((self.normal(left), self.normal(right)), key=lambda u: u.text)
            return one if sides[0] == sides[1] else atom(make("Ind", make("==", *sides)))
        if a.op == "<":
            return difference(one, self._relation("<=", difference(self.poly(left), self.poly(right))))
        return self._relation(a.op, difference(self.poly(right), self.poly(left)))

    def _relation(self, op: str, gap: Poly) -> Poly:
        """Ind(0 <= gap) or Ind(0 == gap)."""
        x = value_of(gap)
        if x is not None:
            return constant_poly(1 if (x >= 0 if op == "<=" else x == 0) else 0)
        if op == "==":
            gap = signed_part(gap)[1]
        else:
            gap = primitive_part(gap)[1]
            if natural(gap):
                return constant_poly(1)
        return atom(make("Ind", make(op, num(0), tree(gap))))

    # ------------------------------------------------------------ sums and maxima

    def _sum(self, t: Nameless) -> Poly:
        bound = self.poly(t.args[0])
        i = fresh("Nat", t.args[1], below=tree(bound))
        body = closed(self.normal(opened(t.args[1], i)), i)
        extra = bound.get(ONE, Fraction(0))
        rest = {m: c for m, c in bound.items() if m}
        pieces: list[Poly] = []
        # 1 - Ind(A) is natural, -Ind(A) is not: only a natural rest is a bound.
        if extra >= 1 and extra.denominator == 1 and natural(rest):
            try:
                put_bound(body, tree(rest), self.sight)
            except UnknownError:  # random, and i stands inside E(...): the last summands have no such form
                pass
            else:
                if extra > _UNROLLED:
                    raise UnknownError(f"a sum of {extra} summands is too long to be written out")
                at = [tree(total([rest, constant_poly(k)])) for k in range(int(extra))]
                pieces = [self.poly(put_bound(body, a, self.sight)) for a in at]
                bound = rest
        if bound:
            pieces.append(self._sum_of(tree(bound), body))
        return total(pieces)

    def _sum_of(self, bound: Nameless, body: Nameless) -> Poly:
        i = fresh("Nat", body, below=bound)
        pieces = []
        for m, c in self.poly(opened(body, i)).items():
            out, inside = parted(m, lambda a: i not in a.free)
            inner = (
                atom(make("Sum", bound, closed(tree({inside: Fraction(1)}), i))) if inside else ring(bound)
            )
            pieces.append(self._product([{out: c}, inner]))
        return total(pieces)

    def _sum_over(self, t: Nameless) -> Poly:
        y = fresh(str(t.value), t)
        pieces = []
        for m, c in self.poly(opened(t.args[0], y)).items():
            out, inside = parted(m, lambda a: y not in a.free)
            pieces.append(self._product([{out: c}, self._picked(inside, y)]))
        return total(pieces)

    def _picked(self, inside: Monomial, y: Nameless) -> Poly:
        """The sum over y of a monomial, by Ind(y == z) if there is one."""
        for a, _ in inside:
            if a.op == "Ind" and a.args[0].op == "==" and y in a.args[0].args:
                z = next(u for u in a.args[0].args if u != y)
                others = tree({tuple(item for item in inside if item[0] != a): Fraction(1)})
                if y in z.free:
                    continue
                try:
                    return self.poly(put(others, y, z, self.sight))
                except UnknownError:  # z is random and y stands inside E(...)
                    continue
        return atom(make("SumOver", closed(tree({inside: Fraction(1)}), y), value=y.sort))

    def _most(self, t: Nameless) -> Poly:
        x = fresh(str(t.value), t)
        body = self.normal(opened(t.args[0], x))
        if t.op == "MaxOver" and x not in body.free:
            return ring(body)
        return atom(make(t.op, closed(body, x), value=t.value))

    # ------------------------------------------------------------ integrals and means

    def _integral(self, t: Nameless) -> Poly:
        bound = self.normal(t.args[0])
        s = fresh("Real", t.args[1], bound)
        body = self.poly(opened(t.args[1], s))
        moving = Moving(frozenset((s,)))
        near = make("+", bound, s)
        wrap = Operator(lambda u: make("Int", bound, closed(u, s)), lambda a: s not in a.free, near)
        return self._linear(wrap, body, moving)

    def _mean(self, t: Nameless) -> Poly:
        body = self.poly(t.args[-1])
        if t.op == "E":
            wrap = Operator(lambda u: make("E", u), lambda a: not self.sight.random(a), num(0), mean=True)
        else:
            n = self.normal(t.args[0])
            wrap = Operator(lambda u: make("En", n, u), lambda a: self.sight.known(a, n), n, n, mean=True)
        return self._linear(wrap, body, OMEGA)

    def _linear(self, operator: Operator, body: Poly, moving: Moving) -> Poly:
        """Summand by summand, what does not move taken out, if all is tame."""
        if not all(self.sight.tame(a, moving) for m in body for a, _ in m):
            return atom(operator.wrap(tree(body)))
        pieces = []
        for m, c in body.items():
            out, inside = parted(m, operator.leaves)
            pieces.append(self._product([{out: c}, self._applied(operator, inside)]))
        return total(pieces)

    def _applied(self, operator: Operator, inside: Monomial) -> Poly:
        """The operator on one tame monomial all of whose factors stay inside."""
        if not inside:
            return constant_poly(1) if operator.mean else atom(operator.wrap(num(1)))
        for a, _ in inside:  # it goes inside a sum, with the other factors
            if a.op in ("Sum", "SumOver") and all(map(operator.leaves, a.args[:-1])):
                rest = _without(inside, a)
                i = fresh(str(a.value), rest, a, operator.near, below=a.args[0] if a.op == "Sum" else None)
                inner = operator.wrap(make("*", rest, opened(a.args[-1], i)))
                return self.poly(make(a.op, *a.args[:-1], closed(inner, i), value=a.value))
        for a, _ in inside:  # tower, with what is known at the inner level put back
            if operator.mean and a.op == "En":
                rest = _without(inside, a)
                later = operator.level is None or self.sight.seen(operator.level, a.args[0])
                if later and self.sight.known(rest, a.args[0]):
                    return self.poly(operator.wrap(make("*", rest, a.args[1])))
        return atom(operator.wrap(tree({inside: Fraction(1)})))


def negated(a: Nameless) -> Nameless:
    """Not(A) for a normal A."""
    if a.op == "Not":
        return a.args[0]
    if a.op in RELATIONS and a.op != "==":
        return make("<" if a.op == "<=" else "<=", a.args[1], a.args[0])
    return make("Not", a)


def inverse_atom(a: Nameless) -> Poly:
    """1/a for an atom a."""
    if a.op == "inv":
        return ring(a.args[0])
    if a.op == "exp":
        return atom(make("exp", tree(scaled(ring(a.args[0]), -1))))
    return atom(make("inv", a))


def parted(m: Monomial, out: Callable[[Nameless], bool]) -> tuple[Monomial, Monomial]:
    """The factors that come out, and the others; an exponential is taken apart for that."""
    outside: Monomial = ONE
    inside: Monomial = ONE
    for a, k in m:
        for b in _factors(a):
            if out(b):
                outside = times(outside, ((b, k),))
            else:
                inside = times(inside, ((b, k),))
    return outside, inside


def _factors(a: Nameless) -> list[Nameless]:
    """exp(u + v) is exp(u)*exp(v)."""
    if a.op != "exp":
        return [a]
    return [make("exp", tree({m: c})) for m, c in ring(a.args[0]).items()]


def divided(m: Monomial, by: dict[Nameless, int]) -> Monomial:
    """A monomial without factors that it has."""
    return tuple((a, k - by.get(a, 0)) for a, k in m if k > by.get(a, 0))


def _without(m: Monomial, a: Nameless) -> Nameless:
    """The monomial without one factor a."""
    return tree({divided(m, {a: 1}): Fraction(1)})


def _folded(op: str, args: list[Nameless]) -> Poly:
    """A function of normal arguments, computed if it is rational."""
    numbers = [a.number for a in args]
    x, every = numbers[0], [n for n in numbers if n is not None]
    if x is not None and len(every) == len(numbers):
        match op:
            case "Abs":
                return constant_poly(abs(x))
            case "Max" | "Min":
                return constant_poly(max(every) if op == "Max" else min(every))
            case "log" if x <= 0 or x == 1:
                return {}
            case "sqrt":
                root = Fraction(isqrt(max(x.numerator, 0)), isqrt(x.denominator))
                if root * root == max(x, 0):
                    return constant_poly(root)
    return atom(make(op, *args))
