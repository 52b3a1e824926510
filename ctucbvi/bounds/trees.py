r"""Formulas as trees: the fourth arithmetic, for programs in another language.

A formula that is evaluated over trees writes itself down, as nested lists such as
``["*", ["sqrt", "K"], 2]``: numbers are numbers, names are parameters, and everything else is one of
:data:`OPERATIONS`.  So a program elsewhere needs these few operations and no formula: it cannot have
another one than the toolkit has.  The special cases of :math:`K = 1` are not in it: it is for
:math:`K \ge 2`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ctucbvi.bounds.catalogue import Constant
from ctucbvi.bounds.parameters import Parameters

OPERATIONS = (
    "+", "-", "*", "/", "sqrt", "log", "exp", "expm1", "max", "min", "lambert", "log_binomial", "at_least",
    "mean_maximum", "levels", "accuracies", "waiting",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Written:
    """A formula that has been written down; ``+ - * /`` write more."""

    data: Any  # a number, the name of a parameter, or a list that begins with an operation

    def __add__(self, other: Any) -> Written:
        return _made("+", self, other)

    def __radd__(self, other: Any) -> Written:
        return _made("+", other, self)

    def __sub__(self, other: Any) -> Written:
        return _made("-", self, other)

    def __rsub__(self, other: Any) -> Written:
        return _made("-", other, self)

    def __mul__(self, other: Any) -> Written:
        return _made("*", self, other)

    def __rmul__(self, other: Any) -> Written:
        return _made("*", other, self)

    def __truediv__(self, other: Any) -> Written:
        return _made("/", self, other)

    def __rtruediv__(self, other: Any) -> Written:
        return _made("/", other, self)

    def __neg__(self) -> Written:
        return _made("-", 0, self)


def _made(operation: str, *parts: Any) -> Written:
    return Written([operation, *map(_data, parts)])


def _data(part: Any) -> Any:
    if isinstance(part, Written):
        return part.data
    if part.denominator == 1:  # an int, or a Fraction
        return int(part)
    return ["/", part.numerator, part.denominator]


class Trees:
    """The arithmetic."""

    def number(self, value: Fraction | Written) -> Written:
        """The number, or what is written down already."""
        return Written(_data(value))

    def sqrt(self, x: Written) -> Written:
        """The square root."""
        return _made("sqrt", x)

    def log(self, x: Written) -> Written:
        """The natural logarithm."""
        return _made("log", x)

    def log_of(self, value: Fraction | Written, doublings: int | Written = 0) -> Written:
        """``ln(2^doublings value)``, as a sum."""
        found = _made("log", value)
        return found if isinstance(doublings, int) and not doublings else found + doublings * _made("log", 2)

    def exp(self, x: Written) -> Written:
        """The exponential."""
        return _made("exp", x)

    def expm1(self, x: Written) -> Written:
        """``exp(x) - 1``."""
        return _made("expm1", x)

    def maximum(self, x: Written, y: Written) -> Written:
        """The larger one."""
        return _made("max", x, y)

    def minimum(self, x: Written, y: Written) -> Written:
        """The smaller one."""
        return _made("min", x, y)

    def waiting(self, z: Written) -> Written:
        """``(1 - e^-z)/z``, and 1 at 0."""
        return _made("waiting", z)

    def lambert(self, x: Written) -> Written:
        """Lambert's W, the principal branch."""
        return _made("lambert", x)

    def log_binomial(self, n: Fraction | Written, states: int | Written) -> Written:
        """``ln C(n + S - 1, S - 1)``."""
        return _made("log_binomial", n, states)

    def at_least(self, mean: Fraction | Written, count: int | Written) -> Written:
        """``P(Z >= count)`` for Z Poisson of this ``mean``."""
        return _made("at_least", mean, count)

    def mean_maximum(self, p: Parameters) -> Written:
        """The mean of the largest of K Poisson variables of mean λmax H."""
        return _made("mean_maximum", p.load, p.episodes)

    def levels(self, p: Parameters) -> Written:
        """``Σ_m √P(Z > m)`` for Z Poisson of mean λmax H."""
        return _made("levels", p.load)

    def accuracies(self, p: Parameters) -> Written:
        """``Σ_{k <= K} ε_k`` for ``ε_k = k^-a``; the factor of a scaled schedule is a part of the tree."""
        total = _made("accuracies", p.episodes, p.epsilon.exponent)
        return total * self.exp(-p.load * Written(1)) if p.epsilon.scaled else total


@dataclass(frozen=True)
class TreeParameters(Parameters):
    """Names in place of numbers; each depth has a name of its own."""

    @property
    def depth(self) -> Any:
        """That of assume:LB."""
        return Written("depth")

    @property
    def depth_with_turns(self) -> Any:
        """That of the trees without self-jumps."""
        return Written("depth_with_turns")

    @property
    def depth_of_any_size(self) -> Any:
        """That of assume:LB/relaxed."""
        return Written("depth_of_any_size")


TREES = Trees()


def tree(constant: Constant) -> Any:
    """The formula of a constant as nested lists, with the default accuracies and the δ of its proof."""
    names = ("S", "A", "H", "K", "lambda_max", "lambda_min")
    sizes: list[Any] = [Written(name) for name in names]
    return constant.formula(TreeParameters(*sizes), TREES).data
