"""The three arithmetics that a constant is computed in: balls, doubles and expressions.

A formula takes :class:`ctucbvi.bounds.parameters.Parameters` and an arithmetic.  Whatever is rational
in it is computed exactly, on the parameters; roots, logarithms and the special functions below
are the arithmetic's.  With symbols for parameters the same formula is a SymPy expression.

The special functions of the doubles are those of the balls, rounded: they are sums that nobody
wants to write twice.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from flint import ctx

from ctucbvi.bounds.parameters import symbol
from ctucbvi.bounds.poisson_tails import expected_maximum, root_sum
from ctucbvi.bounds.sums import accuracy_sum
from ctucbvi.exact.precision import Balls, precision
from ctucbvi.learning.radii import Arithmetic, Doubles, N

if TYPE_CHECKING:
    from collections.abc import Callable

    from flint import arb

    from ctucbvi.bounds.parameters import Parameters

_BITS = 96  # of the balls behind a double
_SPARE = 32  # bits


class Numbers(Arithmetic[N], Protocol[N]):
    """What the constants need besides what the radii and the bonus need."""

    def minimum(self, x: N, y: N) -> N:
        """The smaller one."""
        ...

    def lambert(self, x: N) -> N:
        """Lambert's W, the principal branch."""
        ...

    def log_binomial(self, n: Fraction, states: int) -> N:
        """``ln C(n + S - 1, S - 1)``, for real n."""
        ...

    def at_least(self, mean: Fraction, count: int) -> N:
        """``P(Z >= count)`` for Z Poisson of this ``mean``."""
        ...

    def mean_maximum(self, p: Parameters) -> N:
        """The mean of the largest of K Poisson variables of mean λmax H."""
        ...

    def levels(self, p: Parameters) -> N:
        """``Σ_m √P(Z > m)`` for Z Poisson of mean λmax H."""
        ...

    def accuracies(self, p: Parameters) -> N:
        """``Σ_{k <= K} ε_k``."""
        ...


class BallNumbers(Balls):
    """Balls, at the precision of the moment."""

    def minimum(self, x: arb, y: arb) -> arb:
        """The smaller one."""
        return x.min(y)

    def lambert(self, x: arb) -> arb:
        """Lambert's W, the principal branch."""
        return x.lambertw()

    def log_binomial(self, n: Fraction, states: int) -> arb:
        """By logarithms of Γ, with digits to spare: two of them are about n ln n, their difference is not."""
        with precision(ctx.prec + 2 * int(n + states).bit_length() + _SPARE):
            above, below = (self.number(n + shift).lgamma() for shift in (states, 1))
            found: arb = above - below - self.number(Fraction(states)).lgamma()
            return found

    def at_least(self, mean: Fraction, count: int) -> arb:
        """The regularised lower incomplete gamma function; 1 for a count of 0."""
        if count == 0:
            return self.number(Fraction(1))
        return self.number(mean).gamma_lower(self.number(Fraction(count)), regularized=1)

    def mean_maximum(self, p: Parameters) -> arb:
        """The mean of the largest of K Poisson variables of mean λmax H."""
        return expected_maximum(p.load, p.episodes)

    def levels(self, p: Parameters) -> arb:
        """``Σ_m √P(Z > m)`` for Z Poisson of mean λmax H."""
        return root_sum(p.load)

    def accuracies(self, p: Parameters) -> arb:
        """``Σ_{k <= K} ε_k``."""
        return accuracy_sum(p)


def _rounded(of_balls: Callable[..., arb]) -> Callable[..., float]:
    """The same function in doubles."""

    def function(*given: Any) -> float:
        with precision(_BITS):
            return float(of_balls(*given).mid())

    return function


BALLS = BallNumbers()


class DoubleNumbers(Doubles):
    """Double precision."""

    minimum = staticmethod(min)
    lambert = staticmethod(_rounded(lambda x: BALLS.lambert(BALLS.number(Fraction(x)))))
    at_least = staticmethod(_rounded(BALLS.at_least))
    log_binomial = staticmethod(_rounded(BALLS.log_binomial))
    mean_maximum = staticmethod(_rounded(BALLS.mean_maximum))
    levels, accuracies = staticmethod(_rounded(BALLS.levels)), staticmethod(_rounded(BALLS.accuracies))


class Expressions:
    """SymPy expressions; parameters are symbols."""

    def number(self, value: Any) -> Any:
        """A rational, or an expression in the parameters."""
        return _sympy().sympify(value)

    def sqrt(self, x: Any) -> Any:
        """The square root."""
        return _sympy().sqrt(x)

    def log(self, x: Any) -> Any:
        """The natural logarithm."""
        return _sympy().log(x)

    def log_of(self, value: Any, doublings: Any = 0) -> Any:
        """``ln(2^doublings value)``, as a sum."""
        sympy = _sympy()
        return doublings * sympy.log(2) + sympy.log(value)

    def exp(self, x: Any) -> Any:
        """The exponential."""
        return _sympy().exp(x)

    def expm1(self, x: Any) -> Any:
        """``exp(x) - 1``."""
        return _sympy().exp(x) - 1

    def maximum(self, x: Any, y: Any) -> Any:
        """The larger one."""
        return _sympy().Max(x, y)

    def minimum(self, x: Any, y: Any) -> Any:
        """The smaller one."""
        return _sympy().Min(x, y)

    def lambert(self, x: Any) -> Any:
        """Lambert's W, the principal branch."""
        return _sympy().LambertW(x)

    def log_binomial(self, n: Any, states: Any) -> Any:
        """``ln C(n + S - 1, S - 1)``."""
        sympy = _sympy()
        return sympy.log(sympy.binomial(n + states - 1, states - 1))

    def at_least(self, mean: Any, count: Any) -> Any:
        """The regularised lower incomplete gamma function."""
        sympy = _sympy()
        return sympy.lowergamma(count, mean) / sympy.gamma(count)

    def mean_maximum(self, p: Parameters) -> Any:
        """``Σ_m 1 - P(Z <= m)^K``, with the regularised upper incomplete gamma function."""
        sympy, m = _sympy(), symbol("m")
        below = sympy.uppergamma(m + 1, p.load) / sympy.gamma(m + 1)
        return sympy.Sum(1 - below**p.episodes, (m, 0, sympy.oo))

    def levels(self, p: Parameters) -> Any:
        """``Σ_m √P(Z > m)``, with the regularised lower incomplete gamma function."""
        sympy, m = _sympy(), symbol("m")
        return sympy.Sum(sympy.sqrt(self.at_least(p.load, m + 1)), (m, 0, sympy.oo))

    def waiting(self, z: Any) -> Any:
        """``φ(z) = (1 - e^-z)/z``, by name."""
        return _sympy().Function("phi")(z)

    def accuracies(self, p: Parameters) -> Any:
        """``Σ_{k <= K} ε_k``."""
        sympy, k = _sympy(), symbol("k")
        if p.epsilon.zero:
            return sympy.Integer(0)
        term = k ** -sympy.Rational(p.epsilon.exponent)
        total = sympy.Sum(term, (k, 1, p.episodes))
        return total * sympy.exp(-p.load) if p.epsilon.scaled else total


def _sympy() -> Any:
    import sympy  # slow to load, and few ask for expressions

    return sympy


DOUBLES = DoubleNumbers()
EXPRESSIONS = Expressions()
