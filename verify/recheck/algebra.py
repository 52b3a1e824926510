"""A normal form, and the zero test that follows from it: no other program is asked if formulas agree.

On a given box a formula becomes a *sum of monomials* Σ c · a_1^{q_1} ... a_n^{q_n}: rational coefficients c,
rational exponents q, and *atoms* a that are taken as independent of each other:

* variables and pi; primes, whose exponents lie in (0, 1);
* e^m for a monomial m, since e^(Σ c m) = Π (e^m)^c; the logarithm of an atom, since that of a product of
  positive numbers is a sum;
* a sum of monomials, where it has a negative or a broken exponent, divided by its content;
* any other function of a sum of monomials (sinh, cosh and tanh are written with e^m; Γ(s + n) with Γ(s)).

A broken exponent is split over a product only where intervals show each factor to be positive inside the box.
Every step is an identity at each inner point where the formula is defined, so two formulas whose difference
has no monomial left agree there; that the atoms *are* independent is nowhere used.  For the zero test a sum
with exponents k_1 < k_2 < ... (apart by whole numbers) is written out, after division by the power k_1 of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor, gcd, lcm

from verify.recheck.intervals import UnknownError
from verify.recheck.series import Box, range_of
from verify.recheck.terms import HALF, PI, Term, add, call, mul, number, plain, power
from verify.recheck.work import work

_MOST = 60000  # monomials of a sum
_POWER = 64  # exponent of a sum that is written out
_PRIMES = 1000  # those below are looked for in a number
_DEEPEST = 40  # sums within sums

Monomial = tuple[tuple[int, Fraction], ...]  # atom and exponent, by atom
Sum = Mapping[Monomial, Fraction]

UNIT: Monomial = ()


@dataclass(frozen=True)
class Atom:
    """What is not taken apart: a term, and for a sum its monomials."""

    term: Term
    parts: Sum | None = None  # a sum: it may be written out
    prime: int = 0


def constant(c: Fraction | int) -> Sum:
    """A number."""
    return {UNIT: Fraction(c)} if c else {}


def plus(a: Sum, b: Sum, factor: Fraction | int = 1) -> Sum:
    """The sum a + factor*b."""
    found = dict(a)
    for m, c in b.items():
        total = found.get(m, 0) + factor * c
        if total:
            found[m] = Fraction(total)
        else:
            del found[m]
    return found


class Algebra:
    """Normal forms on one box; its atoms are numbered as they are met."""

    def __init__(self, box: Box) -> None:
        self.box = {name: x.inner() for name, x in box.items()}
        self.atoms: list[Atom] = []
        self._numbers: dict[object, int] = {}
        self._inside: dict[int, int] = {}  # of a logarithm: the atom it is the logarithm of
        self._exponent: dict[int, Monomial] = {}  # of an exponential
        self._known: dict[Term, Sum] = {}
        self._signs: dict[Term, int] = {}

    # ------------------------------------------------------------ atoms and monomials

    def _atom(self, key: object, term: Term, parts: Sum | None = None, prime: int = 0) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self.atoms)
            self.atoms.append(Atom(term, parts, prime))
        return self._numbers[key]

    def _single(self, key: object, term: Term) -> Sum:
        return {((self._atom(key, term), Fraction(1)),): Fraction(1)}

    def sign(self, t: Term) -> int:
        """1 if it is >= 0 inside the box, -1 if <= 0, 0 if that is not seen."""
        if t not in self._signs:
            try:
                x = range_of(t, self.box)
                self._signs[t] = 1 if x.positive(False) else -1 if (-x).positive(False) else 0
            except UnknownError:
                self._signs[t] = 0
        return self._signs[t]

    def _joined(self, a: Monomial, b: Monomial) -> tuple[Fraction, Monomial]:
        """The product of two monomials; whole powers of primes are numbers."""
        powers = dict(a)
        for atom, q in b:
            powers[atom] = powers.get(atom, Fraction(0)) + q
        c, found = Fraction(1), []
        for atom, q in sorted(powers.items()):
            prime = self.atoms[atom].prime
            if prime:
                c, q = c * _whole_power(Fraction(prime), floor(q)), q - floor(q)
            if q:
                found.append((atom, q))
        return c, tuple(found)

    def times(self, a: Sum, b: Sum) -> Sum:
        """Their product."""
        if len(a) * len(b) > _MOST:
            raise UnknownError("a product has too many terms to be written out")
        work(8 * len(a) * len(b))
        found: dict[Monomial, Fraction] = {}
        for m, c in a.items():
            for n, d in b.items():
                e, joined = self._joined(m, n)
                found[joined] = found.get(joined, Fraction(0)) + c * d * e
        return {m: c for m, c in found.items() if c}

    def _raised(self, a: Sum, n: int) -> Sum:
        """A whole power >= 0, written out."""
        if n > _POWER and len(a) > 1:
            raise UnknownError(f"the power {n} of a sum is not written out")
        found = constant(1)
        for _ in range(n):
            found = self.times(found, a)
        return found

    def term_of(self, a: Sum) -> Term:
        """The formula of a sum of monomials."""
        return add(*(mul(number(c), self.term_of_monomial(m)) for m, c in a.items()))

    def term_of_monomial(self, m: Monomial) -> Term:
        """The formula of a monomial."""
        return mul(*(power(self.atoms[atom].term, number(q)) for atom, q in m))

    # ------------------------------------------------------------ normal forms

    def of(self, t: Term) -> Sum:
        """The normal form of a formula."""
        if t not in self._known:
            self._known[t] = self._new(t)
        return self._known[t]

    def _new(self, t: Term) -> Sum:
        if t.value is not None:
            return constant(t.value)
        if t.name or t.op == "pi":
            return self._single(t, t)
        if t.is_sum:
            found: Sum = {}
            for part in t.args:
                found = plus(found, self.of(part))
            return found
        if t.is_product:
            found = constant(1)
            for part in t.args:
                found = self.times(found, self.of(part))
            return found
        if t.is_power:
            b, e = t.args
            if e.value is not None:
                return self._power(self.of(b), e.value, b)
            if self.sign(b) != 1:  # (-2)^n is defined where n is whole, its logarithm is not
                raise UnknownError(f"{b} has a variable exponent and is not seen to be >= 0")
            return self._exp(self.times(self.of(e), self._log(self.of(b), b)))
        return self._function(t)

    def _function(self, t: Term) -> Sum:
        u = t.args[-1]
        if t.op == "exp":
            return self._exp(self.of(u))
        if t.op == "log":
            return self._log(self.of(u), u)
        if t.op in ("sinh", "cosh", "tanh"):
            up, down = call("exp", u), call("exp", -u)
            wave = {"sinh": (up - down) / 2, "cosh": (up + down) / 2, "tanh": (up - down) / (up + down)}
            return self.of(wave[t.op])
        if t.op in ("expm1r", "log1pr"):
            return self.of(plain(t))
        if t.op in ("gamma", "loggamma", "polygamma"):
            return self._gamma(t)
        arguments = [self._written(self.of(a)) for a in t.args]
        sign = 1
        if t.op in ("sin", "cos", "atan", "erf") and _leading(arguments[0]) < 0:
            arguments, sign = [plus({}, arguments[0], -1)], 1 if t.op == "cos" else -1
        if t.op == "Abs" and _leading(arguments[0]) < 0:
            arguments = [plus({}, arguments[0], -1)]
        if t.op == "atan" and arguments[0] == constant(1):
            return self.of(number(Fraction(sign, 4)) * PI)
        folded = call(t.op, *map(self.term_of, arguments))
        if folded.op != t.op:  # Max(x, x) is x: a second atom for it would be taken for another variable
            return plus({}, self.of(folded), sign)
        return plus({}, self._single((t.op, frozenset(_frozen(a) for a in arguments)), folded), sign)

    def _gamma(self, t: Term) -> Sum:
        """Γ(s + n) = s (s + 1) ... (s + n - 1) Γ(s), with the number in s in (0, 1]; likewise the others."""
        u = self._written(self.of(t.args[-1]))
        c = u.get(UNIT, Fraction(0))
        n = -floor(-c) - 1
        if abs(n) > _POWER:
            raise UnknownError("gamma of so large a shift")
        s = plus(u, constant(n), -1)
        low = self.term_of(s)
        if s == constant(HALF) and t.op == "gamma":
            base = self.of(power(PI, number(HALF)))
        elif s == constant(1) and t.op != "polygamma":
            base = constant(1 if t.op == "gamma" else 0)
        else:
            base = self._single((t.op, *t.args[:-1], _frozen(s)), call(t.op, *t.args[:-1], low))
        shifts = [low + j for j in range(n)] if n >= 0 else [low - j for j in range(1, -n + 1)]
        side = 1 if n >= 0 else -1
        for x in shifts:
            if t.op == "gamma":
                base = self.times(base, self._power(self.of(x), Fraction(side), x))
            elif t.op == "loggamma":
                base = plus(base, self._log(self.of(x), x), side)
            else:  # the k-th derivative of log x
                k = t.args[0].whole or 0
                step = power(x, number(-k - 1)) * number((-1) ** k * _factorial(k))
                base = plus(base, self.of(step), side)
        return base

    # ------------------------------------------------------------ powers

    def _power(self, a: Sum, q: Fraction, t: Term) -> Sum:
        """a**q, where a is the normal form of t."""
        if not a:
            if q > 0:
                return {}
            raise UnknownError("divides by 0")
        if q.denominator == 1 and (len(a) == 1 or q >= 0):
            if len(a) > 1:
                return self._raised(a, int(q))
            ((m, c),) = a.items()
            return {m2: c2 * _whole_power(c, q.numerator) for m2, c2 in self._scaled(m, q).items()}
        if q.denominator != 1 and self.sign(t) != 1:
            raise UnknownError(f"{t} has a broken exponent and is not seen to be >= 0")
        c, m, rest = self._content(a, broken=q.denominator != 1)
        front = self._scaled(m, q)
        front = self.times(front, self._number_power(abs(c), q))
        if c < 0:
            if q.denominator != 1:
                rest = plus({}, rest, -1)
            elif q.numerator % 2:
                front = plus({}, front, -1)
        if rest == constant(1):
            return front
        if rest == constant(-1):
            raise UnknownError(f"{t} is not positive")
        if self.vanishes(rest):  # as an atom it would be taken for something else than 0
            return self._power({}, q, t)
        return self.times(front, self._sum_power(rest, q))

    def _scaled(self, m: Monomial, q: Fraction) -> Sum:
        """A monomial raised to q; primes are kept below 1."""
        c, found = self._joined(UNIT, tuple((atom, e * q) for atom, e in m))
        return {found: c}

    def _sum_power(self, a: Sum, q: Fraction) -> Sum:
        atom = self._atom(("sum", _frozen(a)), self.term_of(a), a)
        return {((atom, q),): Fraction(1)}

    def _content(self, a: Sum, broken: bool) -> tuple[Fraction, Monomial, Sum]:
        """Such that a = c * m * rest, the atoms of m positive if it will be broken."""
        lowest: dict[int, Fraction] = {}
        every = [dict(m) for m in a]
        for atom in {atom for m in every for atom in m}:
            if broken and self.sign(self.atoms[atom].term) != 1:
                continue
            least = min(m.get(atom, Fraction(0)) for m in every)
            if least:
                lowest[atom] = least
        m = tuple(sorted(lowest.items()))
        inverse = tuple((atom, -e) for atom, e in m)
        rest = self._written(self.times(a, {inverse: Fraction(1)}))
        top = gcd(*(c.numerator for c in rest.values()))
        c = Fraction(top, lcm(*(c.denominator for c in rest.values())))
        c = c if _leading(rest) > 0 else -c
        return c, m, {n: d / c for n, d in rest.items()}

    def _written(self, a: Sum) -> Sum:
        """With whole powers of sums written out, so that equal sums look equal."""
        for m, c in a.items():
            for atom, q in m:
                parts = self.atoms[atom].parts
                if parts is not None and q >= 1:
                    rest = tuple((n, e - floor(q) if n == atom else e) for n, e in m)
                    rest = tuple((n, e) for n, e in rest if e)
                    others = {n: d for n, d in a.items() if n != m}
                    return self._written(plus(others, self.times({rest: c}, self._raised(parts, floor(q)))))
        return a

    def _number_power(self, c: Fraction, q: Fraction) -> Sum:
        """c**q for c > 0: a product of powers of primes."""
        if q.denominator == 1:
            return constant(_whole_power(c, q.numerator))
        found: Sum = constant(1)
        for prime, n in (*_factors(c.numerator), *((p, -n) for p, n in _factors(c.denominator))):
            atom = self._atom(("prime", prime), number(prime), None, prime)
            found = self.times(found, self._scaled(((atom, Fraction(1)),), n * q))
        return found

    # ------------------------------------------------------------ exponentials and logarithms

    def _exp(self, a: Sum) -> Sum:
        """e^a = Π (e^m)^c; a monomial that is a logarithm gives what it is the logarithm of."""
        found: Sum = constant(1)
        for m, c in self._written(a).items():
            atom: int | None = self._inside.get(m[0][0]) if len(m) == 1 and m[0][1] == 1 else None
            if atom is None:
                atom = self._atom(("exp", m), call("exp", self.term_of_monomial(m)))
                self._exponent[atom] = m
            found = self.times(found, self._scaled(((atom, Fraction(1)),), c))
        return found

    def _log(self, a: Sum, t: Term) -> Sum:
        """The logarithm of a sum that is positive wherever it has one."""
        if self.vanishes(a):
            raise UnknownError("the logarithm of 0")
        c, m, rest = self._content(a, broken=True)
        if rest in (constant(1), constant(-1)) and c * rest[UNIT] < 0:
            raise UnknownError(f"{t} is not positive")
        found: Sum = {}
        if c < 0:
            rest = plus({}, rest, -1)
        for p, k in (*_factors(abs(c).numerator), *((p, -n) for p, n in _factors(abs(c).denominator))):
            found = plus(found, self._log_atom(self._atom(("prime", p), number(p), None, p)), k)
        for atom, e in m:
            found = plus(found, self._log_atom(atom), e)
        if rest != constant(1):
            if len(rest) == 1:  # one monomial, with atoms of unknown signs
                ((single, d),) = rest.items()
                if len(single) == 1 and single[0][1] == 1 and d == 1:
                    return plus(found, self._log_atom(single[0][0]))
            found = plus(found, self._log_atom(self._atom(("sum", _frozen(rest)), self.term_of(rest), rest)))
        return found

    def _log_atom(self, atom: int) -> Sum:
        if atom in self._exponent:
            return {self._exponent[atom]: Fraction(1)}
        log = self._atom(("log", atom), call("log", self.atoms[atom].term))
        self._inside[log] = atom
        return {((log, Fraction(1)),): Fraction(1)}

    # ------------------------------------------------------------ zero

    def vanishes(self, a: Sum, depth: int = _DEEPEST) -> bool:
        """Whether it is identically 0; False says nothing."""
        if not a:
            return True
        sums = [atom for atom in {n for m in a for n, _ in m} if self.atoms[atom].parts is not None]
        waves = self._squares(a)
        if waves is not None:
            return self.vanishes(waves, depth - 1) if depth else False
        if not sums or depth == 0:
            return False
        last = max(sums)  # its parts have smaller numbers
        classes: dict[Fraction, list[tuple[Fraction, Monomial, Fraction]]] = {}
        for m, c in a.items():
            q = dict(m).get(last, Fraction(0))
            rest = tuple((n, e) for n, e in m if n != last)
            classes.setdefault(q - floor(q), []).append((q, rest, c))
        parts = self.atoms[last].parts
        assert parts is not None
        for group in classes.values():
            least = min(q for q, _, _ in group)
            total: Sum = {}
            for q, rest, c in group:
                written = self._raised(parts, int(q - least))
                total = plus(total, self.times({rest: c}, written))
            if not self.vanishes(total, depth - 1):
                return False
        return True

    def _squares(self, a: Sum) -> Sum | None:
        """With sin² written as 1 - cos², or ``None`` if there is none."""
        for m in a:
            for atom, q in m:
                t = self.atoms[atom].term
                if t.op == "sin" and q >= 2:
                    cosine = self.of(call("cos", t.args[0]))
                    square = plus(constant(1), self.times(cosine, cosine), -1)
                    rest = tuple((n, e - 2 if n == atom else e) for n, e in m)
                    rest = tuple((n, e) for n, e in rest if e)
                    return plus({k: c for k, c in a.items() if k != m}, self.times({rest: a[m]}, square))
        return None


def _frozen(a: Sum) -> frozenset[tuple[Monomial, Fraction]]:
    return frozenset(a.items())


def _leading(a: Sum) -> Fraction:
    """The coefficient of the last monomial, in an order that does not depend on how it was found."""
    return a[max(a)] if a else Fraction(0)


def _factors(n: int) -> Iterable[tuple[int, int]]:
    """Small prime factors with their powers; what remains counts as one factor."""
    p = 2
    while p < _PRIMES and p * p <= n:
        k = 0
        while n % p == 0:
            n, k = n // p, k + 1
        if k:
            yield p, k
        p += 1
    if n > 1:
        yield n, 1


def _whole_power(c: Fraction, n: int) -> Fraction:
    """c**n for c other than 0; refused where it is too long to be written out."""
    value = power(number(c), number(n)).value
    assert value is not None
    return value


def _factorial(n: int) -> int:
    return n * _factorial(n - 1) if n > 1 else 1
