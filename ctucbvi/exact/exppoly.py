r"""Exponential polynomials: finite sums :math:`f(t) = \sum_\mu P_\mu(t)\,e^{-\mu t}`.

The exponents :math:`\mu` are exact rationals.  The coefficients of the polynomials
:math:`P_\mu` are exact rationals or balls, and the code is the same for both: FLINT's
``fmpq_poly`` and ``arb_poly`` have the same operations, and a sum or product of the two is
a polynomial over balls.  The class is closed under everything value iteration does.  All of
it rests on one equation: the primitive of :math:`P(u)\,e^{\delta u}` is
:math:`R(u)\,e^{\delta u}` with

.. math:: R' + \delta R = P, \qquad\text{so}\quad
          R = \tfrac1\delta P - \tfrac1{\delta^2} P' + \tfrac1{\delta^3} P'' - \dots
          \ (\delta \ne 0), \qquad R = \textstyle\int P \ (\delta = 0),

the partial fractions, and the case in which the degree rises.  Convolution with the density
of a holding time is then

.. math:: \int_0^t \lambda e^{-\lambda s} P(t-s)\,e^{-\mu(t-s)}\,ds
          = \lambda\bigl[R(t)\,e^{-\mu t} - R(0)\,e^{-\lambda t}\bigr], \qquad \delta = \lambda - \mu .

**Zero is decidable.**  With rational coefficients and rational :math:`t \ne 0` the value
:math:`\sum_\mu P_\mu(t)\,e^{-\mu t}` is a combination of exponentials of distinct rationals
with rational coefficients: by Lindemann and Weierstrass it is 0 only if every
:math:`P_\mu(t)` is.  At :math:`t = 0` it is a sum of rationals.  So the sign of such a value
is always found by raising the precision, and the search for it ends.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from flint import arb, arb_poly, ctx, fmpq, fmpq_poly

from ctucbvi.enclosure import Enclosure
from ctucbvi.errors import InputError
from ctucbvi.exact.piecewise import Expansion, Poly, cuts, expand, supremum
from ctucbvi.exact.precision import enclosure, point, precision, to_fmpq, to_fraction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Coefficient = fmpq | arb
Rational = int | Fraction | fmpq
Scalar = int | Fraction | fmpq | arb


def coefficient(number: Scalar) -> Coefficient:
    """``number`` as FLINT writes it; balls and rationals stay what they are."""
    return number if isinstance(number, arb | fmpq) else to_fmpq(number)


def rational(number: Rational) -> fmpq:
    """``number`` as FLINT's rational."""
    return number if isinstance(number, fmpq) else to_fmpq(number)


@dataclass(frozen=True)
class ExpNumber:
    r"""The number :math:`\sum_i c_i e^{-\kappa_i}`, with rational :math:`c_i \ne 0` and :math:`\kappa_i`."""

    terms: tuple[tuple[fmpq, fmpq], ...]  # (κ, c), increasing κ

    @classmethod
    def of(cls, terms: Iterable[tuple[fmpq, fmpq]]) -> ExpNumber:
        """Collect equal exponents and leave out zeros."""
        return cls(tuple((kappa, c) for kappa, c in _added(terms) if c != 0))

    @property
    def is_zero(self) -> bool:
        """Whether the number is 0: decided exactly (Lindemann and Weierstrass)."""
        return not self.terms

    def ball(self) -> arb:
        """An enclosure at the current precision."""
        return sum((c * (-arb(kappa)).exp() for kappa, c in self.terms), arb(0))

    def sign(self) -> int:
        """-1, 0 or +1: exact, since a number that is not 0 is told from 0 by finitely many bits."""
        bits = 64
        while self.terms:
            with precision(bits):
                value = self.ball()
            if value > 0 or value < 0:
                return 1 if value > 0 else -1
            bits *= 2
        return 0

    def accurate(self, bits: int) -> arb:
        """A ball of relative radius about ``2**-bits``: the precision is raised where terms cancel."""
        work = bits + 16
        while True:
            with precision(work):
                value = self.ball()
            if self.is_zero or value.rel_accuracy_bits() >= bits:
                return value
            work *= 2

    def enclosure(self, bits: int = 64) -> Enclosure:
        """An enclosure of relative width about ``2**-bits``; the number itself where it is rational."""
        if any(kappa != 0 for kappa, _ in self.terms):
            return enclosure(self.accurate(bits))
        exact = to_fraction(sum((c for _, c in self.terms), fmpq(0)))
        return Enclosure(exact, exact)


@dataclass(frozen=True, eq=False)
class ExpPoly:
    r"""The function :math:`\sum_\mu P_\mu(t) e^{-\mu t}`.  Immutable."""

    terms: tuple[tuple[fmpq, Poly], ...]  # (μ, P_μ), increasing μ, no P_μ that is exactly 0

    @classmethod
    def of(cls, terms: Mapping[Any, Sequence[Scalar]]) -> ExpPoly:
        """Build from ``{μ: [c_0, c_1, ...]}``: coefficients by increasing power of ``t``."""
        return _collect((rational(mu), _polynomial([coefficient(c) for c in cs])) for mu, cs in terms.items())

    @classmethod
    def zero(cls) -> ExpPoly:
        """The function 0."""
        return cls(())

    @classmethod
    def constant(cls, c: Scalar) -> ExpPoly:
        """The constant function ``c``."""
        return cls.of({0: [c]})

    @classmethod
    def monomial(cls, c: Scalar, power: int = 0, rate: Rational = 0) -> ExpPoly:
        """``c t^power e^{-rate t}``."""
        return cls.of({rate: [0] * power + [c]})

    @classmethod
    def waiting(cls, rate: Rational) -> ExpPoly:
        """``∫_0^t e^{-rate s} ds``, the expected time spent before a jump or the end."""
        return cls.monomial(1, 0, rate).integral()

    @property
    def is_exact(self) -> bool:
        """Whether all coefficients are rationals."""
        return all(isinstance(p, fmpq_poly) for _, p in self.terms)

    @property
    def is_zero(self) -> bool:
        """Whether nothing is left; for exact coefficients, whether the function is 0."""
        return not self.terms

    @property
    def degree(self) -> int:
        """The highest power of ``t``; -1 for the function 0."""
        return max((p.degree() for _, p in self.terms), default=-1)

    def coefficients(self) -> Iterable[tuple[fmpq, int, Coefficient]]:
        """All ``(μ, j, c)`` of the sum of ``c t^j e^{-μt}``."""
        return ((mu, j, p[j]) for mu, p in self.terms for j in range(p.length()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExpPoly):
            return NotImplemented
        if not (self.is_exact and other.is_exact):
            raise TypeError("functions over balls cannot be compared: bound their difference instead")
        return (self - other).is_zero

    __hash__ = None  # type: ignore[assignment]  # equality of balls has no truth value

    def __add__(self, other: ExpPoly) -> ExpPoly:
        return _collect((*self.terms, *other.terms))

    def __neg__(self) -> ExpPoly:
        return self * -1

    def __sub__(self, other: ExpPoly) -> ExpPoly:
        return self + -other

    def __mul__(self, other: Scalar | ExpPoly) -> ExpPoly:
        if isinstance(other, ExpPoly):
            return _collect((mu + nu, p * q) for mu, p in self.terms for nu, q in other.terms)
        c = _polynomial([coefficient(other)])
        return _collect((mu, p * c) for mu, p in self.terms)

    __rmul__ = __mul__

    def derivative(self) -> ExpPoly:
        """``f'``."""
        return _collect((mu, p.derivative() - p * mu) for mu, p in self.terms)

    def integral(self) -> ExpPoly:
        """``∫_0^t f``."""
        parts: list[tuple[fmpq, Poly]] = []
        for mu, p in self.terms:
            r = _primitive(p, -mu)
            parts += [(mu, r), (fmpq(0), _polynomial([-r[0]]))]
        return _collect(parts)

    def convolve(self, rate: Rational) -> ExpPoly:
        """``∫_0^t λ e^{-λs} f(t-s) ds`` for the rate λ of a holding time."""
        lam = rational(rate)
        parts: list[tuple[fmpq, Poly]] = []
        for mu, p in self.terms:
            r = _primitive(p, lam - mu)
            parts += [(mu, r * lam), (lam, _polynomial([-r[0] * lam]))]
        return _collect(parts)

    def shift(self, b: Scalar) -> ExpPoly:
        """The function ``t -> f(t + b)``; coefficients with ``μb ≠ 0`` become balls."""
        step = coefficient(b)
        if step == 0:
            return self
        move = _polynomial([step, fmpq(1)])
        return _collect((mu, _moved(p, move, mu, step)) for mu, p in self.terms)

    def __call__(self, t: Scalar) -> arb:
        """An enclosure of ``f(t)``; the precision is raised where exact coefficients cancel."""
        x = coefficient(t)
        if self.is_exact and isinstance(x, fmpq) and self.terms:
            return self.at(x).accurate(ctx.prec)
        return sum((arb_poly(p)(x) * (-mu * arb(x)).exp() for mu, p in self.terms), arb(0))

    def at(self, t: Rational) -> ExpNumber:
        """``f(t)`` as an exact symbolic number, for rational coefficients."""
        x = rational(t)
        return ExpNumber.of((mu * x, p(x)) for mu, p in self._rational_terms())

    def is_zero_at(self, t: Rational) -> bool:
        """Whether ``f(t) = 0``, decided exactly, for rational coefficients."""
        return self.at(t).is_zero

    def vanishing_order_at(self, t: Rational) -> int | None:
        """The least ``k`` with ``f^{(k)}(t) ≠ 0``, exactly; None for the function 0."""
        order, f = 0, self
        while not f.is_zero:
            if not f.is_zero_at(t):
                return order
            order, f = order + 1, f.derivative()
        return None

    def expand(self, lower: fmpq, upper: fmpq) -> Expansion:
        """The Taylor expansion on ``[lower, upper]`` with a proved remainder."""
        return expand(self.terms, lower, upper)

    def enclosure(
        self,
        lower: Rational,
        upper: Rational,
        tolerance: Fraction = Fraction(1, 2**30),
    ) -> Enclosure:
        """The range of ``f`` on ``[lower, upper]``, each end too far out by at most about ``tolerance``."""
        top = self._extreme(lower, upper, tolerance, lambda v: v)
        bottom = (-self)._extreme(lower, upper, tolerance, lambda v: v)
        return Enclosure(enclosure(-bottom).lower, enclosure(top).upper)

    def sup_norm(
        self,
        lower: Rational,
        upper: Rational,
        tolerance: Fraction = Fraction(1, 2**30),
    ) -> Enclosure:
        """An enclosure of ``sup |f|`` on ``[lower, upper]``, about ``tolerance`` wide if precision allows."""
        found = enclosure(self._extreme(lower, upper, tolerance, abs))
        return Enclosure(max(found.lower, Fraction(0)), max(found.upper, Fraction(0)))

    def _extreme(
        self, lower: Rational, upper: Rational, tolerance: Fraction, measure: Callable[[arb], arb]
    ) -> arb:
        a, b = _interval(lower, upper)
        if self.is_zero or a == b:
            return measure(self(a)) if self.terms else arb(0)
        best: arb | None = None
        ends = cuts(self.terms, a, b)
        for left, right in pairwise(ends):
            chart = self.expand(left, right)
            best = supremum(
                chart, left, right, tolerance=arb(to_fmpq(tolerance)), measure=measure, floor=best
            )
        assert best is not None
        return best

    def _rational_terms(self) -> list[tuple[fmpq, fmpq_poly]]:
        terms = [(mu, p) for mu, p in self.terms if isinstance(p, fmpq_poly)]
        if len(terms) < len(self.terms):
            raise InputError("coefficients: some are balls; an exact decision needs rational coefficients")
        return terms

    def to_sympy(self, symbol: Any, digits: int = 15) -> Any:
        """The function as a SymPy expression; a ball shows ``digits`` digits of its centre."""
        import sympy  # slow to load, and few ask for expressions

        parts = [
            _sympy_number(c, digits) * symbol**j * sympy.exp(-_sympy_number(mu, digits) * symbol)
            for mu, j, c in self.coefficients()
        ]
        return sympy.Add(*parts)

    def __str__(self) -> str:
        parts = [
            " ".join(filter(None, (f"({c})", _power("t", j), f"exp(-({mu}) t)" if mu != 0 else "")))
            for mu, j, c in self.coefficients()
            if c != 0
        ]
        return " + ".join(parts) or "0"


def _interval(lower: Rational, upper: Rational) -> tuple[fmpq, fmpq]:
    a, b = rational(lower), rational(upper)
    if a > b:
        raise InputError(f"interval: lower end {a} exceeds upper end {b}; write the smaller one first")
    return a, b


def _power(name: str, j: int) -> str:
    return "" if j == 0 else name if j == 1 else f"{name}^{j}"


def _sympy_number(c: Coefficient, digits: int) -> Any:
    import sympy  # slow to load, and few ask for expressions

    centre = c if isinstance(c, fmpq) else point(c)
    number = sympy.Rational(int(centre.p), int(centre.q))
    return number if isinstance(c, fmpq) else sympy.Float(number, digits)


def _polynomial(coefficients: list[Coefficient]) -> Poly:
    exact = [c for c in coefficients if isinstance(c, fmpq)]
    return fmpq_poly(exact) if len(exact) == len(coefficients) else arb_poly(coefficients)


def _collect(terms: Iterable[tuple[fmpq, Poly]]) -> ExpPoly:
    """Add up the polynomials of equal exponents."""
    return ExpPoly(tuple((mu, p) for mu, p in _added(terms) if p.degree() >= 0))


def _added(terms: Iterable[tuple[fmpq, Any]]) -> Iterable[tuple[fmpq, Any]]:
    """By increasing exponents, the values of equal ones added up: comparing them is quicker than hashing."""
    exponents: list[fmpq] = []
    sums: list[Any] = []
    for mu, p in terms:
        k = bisect_left(exponents, mu)
        if k < len(exponents) and exponents[k] == mu:
            sums[k] += p
        else:
            exponents.insert(k, mu)
            sums.insert(k, p)
    return zip(exponents, sums, strict=True)


def _primitive(p: Poly, delta: fmpq) -> Poly:
    """The polynomial ``R`` with ``R' + δR = P`` (and ``R(0) = 0`` if δ = 0)."""
    if delta == 0:
        return p.integral()
    inverse = 1 / delta
    r: list[Coefficient] = [fmpq(0)] * p.length()
    above: Coefficient = fmpq(0)  # (j + 1) r_{j+1}
    for j in reversed(range(p.length())):
        r[j] = (p[j] - above) * inverse
        above = r[j] * j
    return _polynomial(r)


def _moved(p: Poly, move: Poly, mu: fmpq, step: Coefficient) -> Poly:
    if mu == 0:
        return (
            p(move)
            if isinstance(p, fmpq_poly) and isinstance(move, fmpq_poly)
            else arb_poly(p)(arb_poly(move))
        )
    return arb_poly(p)(arb_poly(move)) * (-mu * arb(step)).exp()
