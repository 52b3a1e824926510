"""Formulas as trees: built and put into one another.

A :class:`Term` is a number, a variable, ``pi``, a sum, a product, a power or a function of terms.  Building
one *folds* it: sums and products are flattened, equal terms collected, numbers computed, and

    b^d b^e = b^(d+e),   (ab)^n = a^n b^n,   (b^d)^n = b^(dn),   e^(u + c log v) = v^c e^u,   log e^u = u

(n whole).  Each of these holds wherever the left side is defined, and the right side is its continuous
extension to more points; that is what the language means by a removable singularity.  :func:`raw` builds
without folding, for whoever has to see where a formula is defined.

What would be too long to write out is refused (:class:`UnknownError`), never approximated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from verify.recheck.intervals import UnknownError
from verify.recheck.work import work

_BITS = 1 << 17  # of a number that is written out
_LARGEST = 1000  # argument of a factorial that is written out

Number = int | Fraction


class Term:
    """One node: what it is, its parts, and for a number or a variable its value or name."""

    __slots__ = ("_hash", "_text", "args", "name", "names", "op", "size", "value")

    def __init__(self, op: str, args: tuple[Term, ...] = (), value: Fraction | None = None, name: str = ""):
        self.op, self.args, self.name = op, args, name
        self.value = value  # of a number
        self.names: frozenset[str] = frozenset((name,) if name else ()).union(*(a.names for a in args))
        self.size: int = 1 + sum(a.size for a in args)
        self._hash = hash((op, args, value, name))
        self._text = ""

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, int | Fraction):
            return self.value == other
        return (
            isinstance(other, Term)
            and self._hash == other._hash
            and (self.op, self.value, self.name) == (other.op, other.value, other.name)
            and self.args == other.args
        )

    def __add__(self, other: Term | Number) -> Term:
        return add(self, _term(other))

    def __radd__(self, other: Number) -> Term:
        return add(number(other), self)

    def __neg__(self) -> Term:
        return mul(number(-1), self)

    def __sub__(self, other: Term | Number) -> Term:
        return add(self, -_term(other))

    def __rsub__(self, other: Number) -> Term:
        return add(number(other), -self)

    def __mul__(self, other: Term | Number) -> Term:
        return mul(self, _term(other))

    def __rmul__(self, other: Number) -> Term:
        return mul(number(other), self)

    def __truediv__(self, other: Term | Number) -> Term:
        return mul(self, power(_term(other), number(-1)))

    def __rtruediv__(self, other: Number) -> Term:
        return number(other) / self

    def __pow__(self, other: Term | Number) -> Term:
        return power(self, _term(other))

    def __str__(self) -> str:
        if not self._text:
            self._text = _text(self)
        return self._text

    def __repr__(self) -> str:
        return f"Term({self})"

    @property
    def is_sum(self) -> bool:
        """Whether it is one."""
        return self.op == "+"

    @property
    def is_product(self) -> bool:
        """Whether it is one."""
        return self.op == "*"

    @property
    def is_power(self) -> bool:
        """Whether it is one."""
        return self.op == "**"

    @property
    def whole(self) -> int | None:
        """The integer that it is, or ``None``."""
        return int(self.value) if self.value is not None and self.value.denominator == 1 else None

    def walk(self) -> Iterator[Term]:
        """All the terms in it, itself last."""
        for part in self.args:
            yield from part.walk()
        yield self


def _text(t: Term) -> str:
    if t.value is not None:
        return str(t.value) if t.value >= 0 and t.value.denominator == 1 else f"({t.value})"
    if t.name:
        return t.name
    if t.op in ("+", "*", "**"):
        return f"({t.op.join(map(str, t.args))})"
    return f"{t.op}({', '.join(map(str, t.args))})" if t.args else t.op


def _term(x: Term | Number) -> Term:
    return x if isinstance(x, Term) else number(x)


def number(x: Number) -> Term:
    """A rational number."""
    value = Fraction(x)
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _BITS:
        raise UnknownError("so long a number is not in the language")
    return Term("number", value=value)


def variable(name: str) -> Term:
    """A variable, real and nothing more."""
    return Term("variable", name=name)


ZERO, ONE = number(0), number(1)
PI = Term("pi")
HALF = Fraction(1, 2)


def raw(op: str, *args: Term) -> Term:
    """A node as it is, without folding."""
    return Term(op, args)


# ---------------------------------------------------------------- folding


def split_coefficient(t: Term) -> tuple[Fraction, Term]:
    """The number in front of a term, and the rest."""
    if t.value is not None:
        return t.value, ONE
    if t.is_product and t.args[0].value is not None:
        rest = t.args[1:]
        return t.args[0].value, rest[0] if len(rest) == 1 else Term("*", rest)
    return Fraction(1), t


def add(*terms: Term) -> Term:
    """Their sum."""
    total, parts = Fraction(0), dict[Term, Fraction]()
    stack = list(reversed(terms))
    while stack:
        t = stack.pop()
        if t.is_sum:
            stack += reversed(t.args)
            continue
        c, rest = split_coefficient(t)
        if rest == 1:
            total += c
        else:
            parts[rest] = parts.get(rest, Fraction(0)) + c
    work(20 * len(parts))
    found = sorted((_scaled(c, rest) for rest, c in parts.items() if c), key=str)
    if total or not found:
        found.append(number(total))
    return found[0] if len(found) == 1 else Term("+", tuple(found))


def _scaled(c: Fraction, rest: Term) -> Term:
    """A number times what is not a sum."""
    if c == 1:
        return rest
    return Term("*", (number(c), *(rest.args if rest.is_product else (rest,))))


def mul(*terms: Term) -> Term:
    """Their product."""
    c, powers, exponents = Fraction(1), dict[Term, Term](), list[Term]()
    stack = list(reversed(terms))
    while stack:
        t = stack.pop()
        if t.value is not None:
            c *= t.value
        elif t.is_product:
            stack += reversed(t.args)
        elif t.op == "exp":
            exponents.append(t.args[0])
        else:
            base, e = (t.args[0], t.args[1]) if t.is_power else (t, ONE)
            powers[base] = powers[base] + e if base in powers else e
    if c == 0:
        return ZERO
    work(20 * len(powers))
    factors = [power(base, e) for base, e in powers.items()]
    if exponents:
        factors.append(call("exp", add(*exponents)))
    if any(f.value is not None or f.is_product for f in factors):
        return mul(number(c), *factors)
    if len(factors) == 1 and factors[0].is_sum and c != 1:
        return add(*(mul(number(c), part) for part in factors[0].args))
    factors.sort(key=str)
    if c != 1 or not factors:
        factors.insert(0, number(c))
    return factors[0] if len(factors) == 1 else Term("*", tuple(factors))


def power(base: Term, exponent: Term) -> Term:
    """``base ** exponent``."""
    if base.op == "exp":
        return call("exp", base.args[0] * exponent)
    if exponent.value is None:
        return ONE if base == 1 else _nested(base, exponent) or Term("**", (base, exponent))
    e = exponent.value
    if e == 0 or e == 1:
        return base if e else ONE
    if base.value is not None:
        return _number_power(base.value, e)
    if base.is_product:
        if e.denominator == 1:
            return mul(*(power(part, exponent) for part in base.args))
        c, rest = split_coefficient(base)
        if abs(c) != 1:
            sign = number(1 if c > 0 else -1)
            return mul(_number_power(abs(c), e), power(mul(sign, rest), exponent))
    return _nested(base, exponent) or Term("**", (base, exponent))


def _nested(base: Term, e: Term) -> Term | None:
    """(b^d)^e, where it is b^(de) or |b|^(de)."""
    if not base.is_power:
        return None
    b, d = base.args
    broken = d.value is not None and d.whole is None  # such a power has a base >= 0; a variable may be whole
    if e.whole is not None or broken or (b.value is not None and b.value > 0):
        return power(b, d * e)
    return power(call("Abs", b), d * e) if d.whole is not None and d.whole % 2 == 0 else None


def _number_power(b: Fraction, e: Fraction) -> Term:
    if b == 0 and e < 0:
        raise UnknownError("divides by 0")
    if b in (0, 1):
        return number(b)
    bits = max(b.numerator.bit_length(), b.denominator.bit_length())
    if bits * abs(e) > _BITS:
        raise UnknownError(f"so large a power ({e}) is not in the language")
    if e.denominator == 1:
        return number(b ** int(e))
    if b < 0:
        raise UnknownError("the root of a negative number is not real")
    roots = [integer_root(part, e.denominator) for part in (b.numerator, b.denominator)]
    if roots[0] is not None and roots[1] is not None:
        return number(Fraction(roots[0], roots[1]) ** e.numerator)
    return Term("**", (number(b), number(e)))


def integer_root(n: int, k: int) -> int | None:
    """The k-th root of n >= 0 if it is a whole number."""
    if k > n.bit_length():
        return n if n < 2 else None
    low, high = 0, 1 << (n.bit_length() // k + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**k <= n else (low, middle - 1)
    return low if low**k == n else None


_AT_ZERO = {
    "sin": 0,
    "atan": 0,
    "sinh": 0,
    "tanh": 0,
    "erf": 0,
    "cos": 1,
    "cosh": 1,
    "expm1r": 1,
    "log1pr": 1,
}


def call(name: str, *args: Term) -> Term:
    """A function of terms."""
    if name in ("Max", "Min"):
        return _extremum(name, args)
    u = args[-1]
    if name in _AT_ZERO and u == 0:
        return number(_AT_ZERO[name])
    folded = {"exp": _exp, "log": _log, "Abs": _abs, "gamma": _gamma, "loggamma": _gamma}.get(name)
    folded = _wave if name in ("sin", "cos") else folded
    found = folded(u, name) if folded else None
    return found if found is not None else Term(name, args)


def _exp(u: Term, _: str) -> Term | None:
    """e^(c log v + ...) = v^c e^..."""
    parts = u.args if u.is_sum else (u,)
    logs, rest = list[Term](), list[Term]()
    for part in parts:
        c, t = split_coefficient(part)
        if t.op == "log":
            logs.append(power(t.args[0], number(c)))
        else:
            rest.append(part)
    if u == 0:
        return ONE
    if not logs:
        return None
    return mul(*logs, call("exp", add(*rest)))


def _log(u: Term, _: str) -> Term | None:
    if u.value is not None and u.value <= 0:
        raise UnknownError(f"log({u.value}) is not real")
    return ZERO if u == 1 else u.args[0] if u.op == "exp" else None


def _abs(u: Term, _: str) -> Term | None:
    if u.value is not None:
        return number(abs(u.value))
    if u.op in ("Abs", "exp"):
        return u
    if u.is_product:
        return mul(*(call("Abs", part) for part in u.args))
    if u.is_power and u.args[1].whole is not None:
        return u if u.args[1].whole % 2 == 0 else power(call("Abs", u.args[0]), u.args[1])
    return Term("Abs", (-u,)) if u.is_sum and str(-u) < str(u) else None


def _gamma(u: Term, name: str) -> Term | None:
    n = u.whole
    if n is None or not 0 < n <= _LARGEST:
        return None
    if name == "gamma":
        return number(math.factorial(n - 1))
    return ZERO if n <= 2 else None


def _wave(u: Term, name: str) -> Term | None:
    """Sin and cos of a rational multiple q of pi, by their symmetries with 0 <= q <= 1/2."""
    q, rest = split_coefficient(u)
    if rest != PI:
        return None
    q %= 2
    q, sign = (q - 1, -1) if q >= 1 else (q, 1)  # half a turn changes the sign of both
    if q > HALF:
        q, sign = 1 - q, sign if name == "sin" else -sign
    turned = q if name == "sin" else HALF - q
    squares = {Fraction(0): 0, Fraction(1, 6): 1, Fraction(1, 4): 2, Fraction(1, 3): 3, HALF: 4}
    if turned in squares:  # the sine is sqrt(square)/2
        return mul(number(Fraction(sign, 2)), power(number(squares[turned]), number(HALF)))
    return mul(number(sign), Term(name, (mul(number(q), PI),)))


def _extremum(name: str, args: tuple[Term, ...]) -> Term:
    parts: dict[Term, None] = {}
    for a in args:
        parts.update(dict.fromkeys(a.args if a.op == name else (a,)))
    numbers = [a.value for a in parts if a.value is not None]
    found = [a for a in parts if a.value is None]
    if numbers:
        found.append(number((max if name == "Max" else min)(numbers)))
    return found[0] if len(found) == 1 else Term(name, tuple(sorted(found, key=str)))


def rebuilt(t: Term, args: tuple[Term, ...]) -> Term:
    """The same operation on other parts, folded."""
    if t.op in ("+", "*"):
        return (add if t.op == "+" else mul)(*args)
    return power(*args) if t.op == "**" else call(t.op, *args)


def put(t: Term, values: Mapping[str, Term]) -> Term:
    """With terms in the place of variables."""
    if not any(name in values for name in t.names):
        return t
    if t.name:
        return values[t.name]
    return rebuilt(t, tuple(put(a, values) for a in t.args))


def mapped(t: Term, change: Callable[[Term], Term], *, fold: bool = True) -> Term:
    """With every term in it changed, from the innermost outwards."""
    if not t.args:
        return change(t)
    args = tuple(mapped(a, change, fold=fold) for a in t.args)
    return change(t if args == t.args else rebuilt(t, args) if fold else raw(t.op, *args))


def plain(t: Term) -> Term:
    """Without expm1r and log1pr."""

    def change(e: Term) -> Term:
        if e.op == "expm1r":
            return (call("exp", e.args[0]) - 1) / e.args[0]
        return call("log", 1 + e.args[0]) / e.args[0] if e.op == "log1pr" else e

    return mapped(t, change)
