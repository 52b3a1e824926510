"""Limits at an end of a range, for every value of the other variables, with a reason for each step.

The variable is written with X -> oo: x = ±X, or x = end ± 1/X.  Near the end a function is a *germ*

    f = Σ_{i<n} c_i m_i + O(m_n),     m_0 >> m_1 >> ... >> m_n,

a finite sum of *scales* m = X^a (log X)^b (log log X)^d e^h with coefficients c and exponents a, b, d that
are formulas in the other variables, and h a sum of scales that tend to oo; the O-term may be missing.  The
constants in O and in >> may depend on the other variables: only limits at each of their values are claimed.

*Order.*  A scale tends to 0 or oo as its logarithm h + a log X + b log log X + d log log log X tends to -oo
or oo: the largest of these terms decides, by the sign of its coefficient, which intervals have to show for
*every* value of the other variables.  Whether a coefficient vanishes is decided by the normal form.  Where
either stays open there is no answer.

*Steps.*  Sums and products; 1/f, f^q and log f from the first term c_0 m_0 (c_0 of one sign) and the series
in the rest divided by it; e^f from the terms that do not tend to 0, which become a scale, and the series in
those that do; a smooth function of a germ with a finite limit, by its Taylor polynomial; atan and erf of one
that tends to ±oo, by atan f = ±pi/2 - atan(1/f) and by erf f = ±1 + O(e^(-f²)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verify.recheck.algebra import Algebra
from verify.recheck.derivatives import derivative
from verify.recheck.intervals import INF, UnknownError
from verify.recheck.series import Box, range_of
from verify.recheck.terms import HALF, ONE, PI, ZERO, Term, call, number, plain, put, variable

_ORDERS = 5  # terms of a power series
_TERMS = 24  # of a germ
_X = "X -> oo"  # a name that no formula has


@dataclass(frozen=True)
class Scale:
    """X^a (log X)^b (log log X)^d e^h."""

    a: Term = ZERO
    b: Term = ZERO
    d: Term = ZERO
    h: tuple[tuple[Scale, Term], ...] = ()  # the largest first


@dataclass(frozen=True)
class Germ:
    """The terms, the largest first, and the scale of what is left out."""

    terms: tuple[tuple[Scale, Term], ...] = ()
    rest: Scale | None = None


_UNIT = Scale()
_LOG, _LOGLOG = Scale(b=ONE), Scale(d=ONE)


def limit(f: Term, name: str, lower: bool, box: Box) -> Term:
    """The limit at that end of the variable's range, a formula in the others; raises where none is shown."""
    x, big = box[name], variable(_X)
    end = x.low if lower else x.high
    side = 1 if lower else -1
    near = -side * big if abs(end) == INF else number(end) + side / big
    germs = _Germs({n: r for n, r in box.items() if n != name})
    return germs.limit(germs.of(plain(put(f, {name: near}))))


class _Germs:
    """The arithmetic of germs over a box of the other variables."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.algebra = Algebra(box)

    # ------------------------------------------------------------ coefficients and scales

    def reduced(self, c: Term) -> Term:
        """A coefficient in normal form: 0 if it vanishes."""
        found = self.algebra.of(c)
        return ZERO if self.algebra.vanishes(found) else self.algebra.term_of(found)

    def sign(self, c: Term) -> int:
        """The sign that a coefficient has for every value of the variables."""
        if c == ZERO:
            return 0
        x = range_of(c, self.box)
        if x.positive(True):
            return 1
        if (-x).positive(True):
            return -1
        raise UnknownError(f"the sign of {c} is not the same, or not seen, for all parameters")

    def joined(self, m: Scale, n: Scale, q: Term = ONE) -> Scale:
        """The scale m * n**q."""
        h = self.add(Germ(m.h), self.scaled(Germ(n.h), q))
        if h.rest is not None:
            raise UnknownError("an exponent has too many terms")
        a, b, d = (self.reduced(x + q * y) for x, y in ((m.a, n.a), (m.b, n.b), (m.d, n.d)))
        return Scale(a, b, d, h.terms)

    def grows(self, m: Scale) -> int:
        """1 if it tends to oo, -1 if to 0, 0 if it is 1."""
        for own, other in ((m.a, _LOG), (m.b, _LOGLOG), (m.d, None)):
            if own == ZERO:
                continue
            if m.h and (other is None or self.compare(m.h[0][0], other) > 0):
                break
            return self.sign(own)
        return self.sign(m.h[0][1]) if m.h else 0

    def compare(self, m: Scale, n: Scale) -> int:
        """1 if m >> n, -1 if n >> m, 0 if they are equal."""
        return 0 if m == n else self.grows(self.joined(m, n, number(-1)))

    # ------------------------------------------------------------ sums and products

    def _sorted(self, terms: Sequence[tuple[Scale, Term]], rests: Sequence[Scale | None]) -> Germ:
        """The sum of these terms; what is not above the largest remainder is left to it."""
        rest = None
        for r in rests:
            if r is not None and (rest is None or self.compare(r, rest) > 0):
                rest = r
        found: list[tuple[Scale, Term]] = []
        for m, c in terms:
            if c == ZERO or (rest is not None and self.compare(m, rest) <= 0):
                continue
            for k, (n, d) in enumerate(found):
                order = self.compare(m, n)
                if order == 0:
                    found[k] = (n, self.reduced(c + d))
                    break
                if order > 0:
                    found.insert(k, (m, c))
                    break
            else:
                found.append((m, c))
        found = [(m, c) for m, c in found if c != ZERO]
        if len(found) > _TERMS:
            found, rest = found[:_TERMS], found[_TERMS][0]
        return Germ(tuple(found), rest)

    def add(self, f: Germ, g: Germ) -> Germ:
        """The sum."""
        return self._sorted([*f.terms, *g.terms], [f.rest, g.rest])

    def scaled(self, f: Germ, c: Term, m: Scale = _UNIT) -> Germ:
        """The product c * m * f."""
        c = self.reduced(c)
        if c == ZERO:
            return Germ()
        terms = tuple((n if m == _UNIT else self.joined(m, n), self.reduced(c * d)) for n, d in f.terms)
        return Germ(terms, None if f.rest is None else self.joined(m, f.rest))

    def times(self, f: Germ, g: Germ) -> Germ:
        """The product."""
        terms = [(self.joined(m, n), self.reduced(c * d)) for m, c in f.terms for n, d in g.terms]
        rests: list[Scale | None] = []
        for one, other in ((f, g), (g, f)):
            top = other.terms[0][0] if other.terms else other.rest
            if one.rest is not None and top is not None:
                rests.append(self.joined(one.rest, top))
        return self._sorted(terms, rests)

    def series(self, coefficients: Sequence[Term], small: Germ) -> Germ:
        """Σ c_k small^k for a germ that tends to 0, of an analytic function with these first coefficients."""
        if not small.terms and small.rest is None:
            return self.constant(coefficients[0])
        total, powers = self.constant(coefficients[0]), self.constant(ONE)
        for c in coefficients[1:]:
            powers = self.times(powers, small)
            total = self.add(total, self.scaled(powers, c))
        top = small.terms[0][0] if small.terms else small.rest
        assert top is not None
        left_out = self.joined(_UNIT, top, number(len(coefficients)))
        return self.add(total, Germ((), left_out))

    def constant(self, c: Term) -> Germ:
        """A formula in the other variables, which has to be defined for all of their values."""
        range_of(c, self.box)
        c = self.reduced(c)
        return Germ(((_UNIT, c),)) if c != ZERO else Germ()

    def leading(self, f: Germ) -> tuple[Scale, Term, int, Germ]:
        """m_0, c_0, its sign, and f/(c_0 m_0) - 1."""
        if not f.terms:
            raise UnknownError("the first term is not found")
        m, c = f.terms[0]
        sign = self.sign(c)
        tail = self.scaled(Germ(f.terms[1:], f.rest), 1 / c, self.joined(_UNIT, m, number(-1)))
        return m, c, sign, tail

    # ------------------------------------------------------------ formulas

    def of(self, t: Term) -> Germ:
        """The germ of a formula."""
        if _X not in t.names:
            return self.constant(t)
        if t.name:
            return Germ(((Scale(a=ONE), ONE),))
        if t.is_sum or t.is_product:
            found = Germ() if t.is_sum else self.constant(ONE)
            for part in t.args:
                found = self.add(found, self.of(part)) if t.is_sum else self.times(found, self.of(part))
            return found
        if t.is_power:
            b, e = t.args
            if _X in e.names:
                return self.exp(self.times(self.of(e), self.log(self.of(b))))
            range_of(e, self.box)  # raises where it is not defined for all parameters
            return self.power(self.of(b), e)
        if t.op in ("Max", "Min"):
            return self._extremum(t)
        u = t.args[-1]
        if t.op in ("sinh", "cosh", "tanh"):
            up, down = call("exp", u), call("exp", -u)
            waves = {"sinh": (up - down) / 2, "cosh": (up + down) / 2, "tanh": (up - down) / (up + down)}
            return self.of(waves[t.op])
        f = self.of(u)
        if t.op in ("exp", "log"):
            return self.exp(f) if t.op == "exp" else self.log(f)
        if t.op == "Abs":
            return (
                f
                if (not f.terms and f.rest is None) or self.leading(f)[2] > 0
                else self.scaled(f, number(-1))
            )
        return self._smooth(t, f)

    def power(self, f: Germ, q: Term) -> Germ:
        """The power f**q, for an exponent that does not depend on X."""
        n = q.whole
        if n is not None and 0 <= n <= _ORDERS:
            found = self.constant(ONE)
            for _ in range(n):
                found = self.times(found, f)
            return found
        m, c, sign, tail = self.leading(f)
        if sign < 0 and n is None:
            raise UnknownError("a broken power of what is negative next to the end")
        binomial = [ONE]
        for k in range(1, _ORDERS):
            binomial.append(binomial[-1] * (q - (k - 1)) / k)
        return self.scaled(self.series(binomial, tail), c**q, self.joined(_UNIT, m, q))

    def log(self, f: Germ) -> Germ:
        """The logarithm."""
        m, c, sign, tail = self.leading(f)
        if sign < 0 or m.d != ZERO:
            raise UnknownError("the logarithm of what is negative next to the end, or of log log")
        parts = [*m.h, (_LOG, m.a), (_LOGLOG, m.b)]
        found = self._sorted(parts, [])
        found = self.add(found, self.constant(call("log", c)))
        steps = [ZERO, *(number((-1) ** (k + 1)) / k for k in range(1, _ORDERS))]
        return self.add(found, self.series(steps, tail))

    def exp(self, f: Germ) -> Germ:
        """The exponential."""
        if f.rest is not None and self.grows(f.rest) >= 0:
            raise UnknownError("an exponent is not known up to what tends to 0")
        scale, c, small = _UNIT, ZERO, list[tuple[Scale, Term]]()
        for m, d in f.terms:
            order = self.grows(m)
            if order < 0:
                small.append((m, d))
            elif order == 0:
                c = d
            elif m in (_LOG, _LOGLOG):
                scale = self.joined(scale, Scale(a=ONE) if m == _LOG else _LOG, d)
            else:
                scale = self.joined(scale, Scale(h=((m, d),)))
        steps, factorial = [ONE], 1
        for k in range(1, _ORDERS):
            factorial *= k
            steps.append(number(1) / factorial)
        return self.scaled(self.series(steps, Germ(tuple(small), f.rest)), call("exp", c), scale)

    def _extremum(self, t: Term) -> Germ:
        best = self.of(t.args[0])
        for part in t.args[1:]:
            other = self.of(part)
            gap = self.add(other, self.scaled(best, number(-1)))
            if gap.terms or gap.rest is not None:
                best = other if (self.leading(gap)[2] > 0) == (t.op == "Max") else best
        return best

    def _smooth(self, t: Term, f: Germ) -> Germ:
        """A smooth function of what tends to a finite limit; atan and erf also where it does not."""
        if f.terms and self.grows(f.terms[0][0]) > 0 and t.op == "erf":  # 1 - erf z <= e^(-z²) for z >= 0
            far = self.exp(self.scaled(self.times(f, f), number(-1)))
            return self._sorted([(_UNIT, number(self.leading(f)[2]))], [self.leading(far)[0]])
        if f.terms and self.grows(f.terms[0][0]) > 0 and t.op == "atan":
            turn = self.constant(self.leading(f)[2] * PI * HALF)
            inverse = self._smooth(t, self.power(f, number(-1)))
            return self.add(turn, self.scaled(inverse, number(-1)))
        c = self.limit(f)
        small = self.add(f, self.scaled(self.constant(c), number(-1)))
        u, factorial, g = variable(_X), 1, call(t.op, *t.args[:-1], variable(_X))
        steps = []
        for k in range(_ORDERS):
            factorial *= max(k, 1)
            steps.append(put(g, {u.name: c}) / factorial)
            range_of(steps[-1], self.box)
            g = derivative(g, u.name)
        return self.series(steps, small)

    def limit(self, f: Germ) -> Term:
        """The limit of a germ, if it is finite."""
        if f.rest is not None and self.grows(f.rest) >= 0:
            raise UnknownError("the limit is not seen: too many terms cancel")
        if not f.terms:
            return ZERO
        m, c = f.terms[0]
        order = self.grows(m)
        if order > 0:
            raise UnknownError("the limit is infinite, or not the same for all parameters")
        return c if order == 0 else ZERO
