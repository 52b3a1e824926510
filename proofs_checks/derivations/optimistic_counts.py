r"""Pigeon-holes for counts that are known late, when the episode begins.

Let z_n >= 0 be increments, :math:`Z_n` their sum before n, and :math:`g_n` a price that is paid by a count
which lags behind Z by at most q:

.. math:: g_n \le v,\quad g_n\sqrt{(Z_{n+1}-q)^+} \le w &\implies \sum_{n<m}g_nz_n \le v\,q + 2w\sqrt{Z_m},\\
          g_n \le 1,\quad g_n(Z_{n+1}-q) \le w &\implies \sum_{n<m}g_nz_n \le q + w\,(1 + \ln(1 + Z_m/w)) .

With :math:`x = \min(Z, q+b)` and :math:`y = \max(Z-q, b)`, x + y = Z + b, for b = 0 and b = w, the part x
costs at most v (or 1), and :math:`y_1 - y_0 \le 2\sqrt{y_1}(\sqrt{y_1}-\sqrt{y_0})`, :math:`y_1(\ln y_1-\ln
y_0)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proofs_checks.derivations.nearby import chain, either_way
from proofs_checks.derivations.operators import part
from proofs_checks.derivations.runs import settled
from proofs_checks.derivations.unions import square_below
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_TOTAL = "Sum(i, {n}, gx(i))"
_AFTER = _TOTAL.format(n="(n + 1)")


@dataclass(frozen=True)
class Late:
    """A price g <= top with ``lags``, and the function of y, for y >= base, that pays for it."""

    base: str
    top: str
    lags: str
    pays: str  # a pattern of y
    signs: tuple[str, ...]
    grows: Callable[[Derivation, Theorem, Theorem, str, str, list[Theorem]], Theorem]

    @property
    def price(self) -> str:
        """What is assumed of decision n."""
        return f"And(0 <= gx(n), 0 <= gy(n), gy(n) <= {self.top}, {self.lags})"

    @property
    def prices(self) -> str:
        """The same of all."""
        return f"All(n, Imp(n < m, {self.price}))"

    def parts(self, z: str) -> tuple[str, str]:
        """x and y."""
        return f"Min({z}, q + {self.base})", f"Max({z} - q, {self.base})"

    def bound(self, z: str) -> str:
        """What has been paid at most."""
        x, y = self.parts(z)
        return f"{self.top}*{x} + w*({self.pays.format(y=y)} - {self.pays.format(y=self.base)})"


def _grows_root(
    D: Derivation, price: Theorem, lags: Theorem, y0: str, y1: str, facts: list[Theorem]
) -> Theorem:
    """g (y1 - y0) <= 2 w (√y1 - √y0), for 0 <= y0 <= y1; 0 <= g and g √y1 <= w."""
    squares = [D.positive("sqrt-square", y, D.linear(f"0 <= {y}", *facts)) for y in (y0, y1)]
    less = D.linear(f"sqrt({y0})**2 <= sqrt({y1})**2", *squares, *facts)
    less = square_below(D, less, D.known("sqrt", y1), f"sqrt({y0})", f"sqrt({y1})")
    gap = f"(sqrt({y1}) - sqrt({y0}))"
    return D.linear(
        f"gy(n)*({y1} - {y0}) <= 2*w*{gap}",
        D.times(lags, D.linear(f"0 <= {gap}", less)),
        D.times(D.known("square", gap), price),
        *(D.scaled(one, "gy(n)") for one in squares),
    )


def _grows_log(
    D: Derivation, price: Theorem, lags: Theorem, y0: str, y1: str, facts: list[Theorem]
) -> Theorem:
    """g (y1 - y0) <= w (ln y1 - ln y0), for 0 < w <= y0 <= y1; 0 <= g and g y1 <= w."""
    positive = [D.linear(f"0 < {y}", D.assume("0 < w"), *facts) for y in (y0, y1)]
    less = settled(
        D, D.pointwise("log(x) <= log(x + d)", "x > 0", "d >= 0", x=y0, d=f"{y1} - {y0}"), *positive, *facts
    )
    tangent = D.pointwise("y - x <= y*(log(y) - log(x))", "x > 0", "y > 0", x=y0, y=y1)
    gap = f"(log({y1}) - log({y0}))"
    below = D.split(
        D.known("max-cases", f"{_AFTER} - q", "w"),
        *[lambda one: D.linear(f"gy(n)*{y1} <= w", D.scaled(one, "gy(n)"), lags, _small(D))] * 2,
    )
    return D.linear(
        f"gy(n)*({y1} - {y0}) <= w*{gap}",
        D.times(settled(D, tangent, *positive), price),
        D.times(below, D.linear(f"0 <= {gap}", less)),
    )


def _small(D: Derivation) -> Theorem:
    """g w <= w, from g <= 1."""
    here = D.mp(D.special(D.assume(LOG.prices), "n"), D.assume("n < m"))
    return D.times(part(D, here, "gy(n) <= 1"), D.assume("0 < w"))


_LAGS = f"gy(n)*sqrt(Max({_AFTER} - q, 0)) <= w"
ROOT = Late("0", "v", _LAGS, "2*sqrt({y})", ("0 <= q", "0 <= v", "0 <= w"), _grows_root)
LOG = Late("w", "1", f"gy(n)*({_AFTER} - q) <= w", "log({y})", ("0 <= q", "0 < w"), _grows_log)
_PAID = "Sum(n, m, gy(n)*gx(n))"
_ALL = _TOTAL.format(n="m")
LATE = chain(f"{_PAID} <= v*q + 2*w*sqrt({_ALL})", *ROOT.signs, ROOT.prices)
LATE_LOG = chain(f"{_PAID} <= q + w*(1 + log(1 + {_ALL}/w))", *LOG.signs, LOG.prices)


def _whole(D: Derivation, z: str, kind: Late) -> list[Theorem]:
    """x + y == Z + base, and the bounds of a minimum and a maximum."""
    x, y = kind.parts(z)
    tops = [D.known(one, z, f"q + {kind.base}") for one in ("min", "min-right")]
    tops += [D.known(one, f"{z} - q", kind.base) for one in ("max", "max-right")]

    def both(goal: str) -> Theorem:
        return D.split(
            D.known("min-cases", z, f"q + {kind.base}"),
            *[lambda one: either_way(D, D.known("max-cases", f"{z} - q", kind.base), goal, one, *tops)] * 2,
        )

    return [both(f"{x} + {y} <= {z} + {kind.base}"), both(f"{z} + {kind.base} <= {x} + {y}"), *tops]


def paid(D: Derivation, kind: Late) -> tuple[Theorem, Theorem]:
    """Σ g z <= what the price is paid with; and 0 <= Z."""
    signs = [D.assume(one) for one in kind.signs]
    z = _TOTAL.format(n="n")
    here = D.mp(D.special(D.assume(kind.prices), "n"), D.assume("n < m"))
    says = ("0 <= gx(n)", "0 <= gy(n)", f"gy(n) <= {kind.top}", kind.lags)
    some, price, most, lags = (part(D, here, one) for one in says)
    now, then = _whole(D, z, kind), _whole(D, _AFTER, kind)
    (x0, y0), (x1, y1) = kind.parts(z), kind.parts(_AFTER)
    facts = [*now, *then, some]
    first = either_way(D, D.known("min-cases", _AFTER, f"q + {kind.base}"), f"{x0} <= {x1}", *facts)
    second = either_way(D, D.known("max-cases", f"{z} - q", kind.base), f"{y0} <= {y1}", *facts)
    early = D.times(D.linear(f"0 <= {kind.top} - gy(n)", most), D.linear(f"0 <= {x1} - {x0}", first))
    pays = kind.grows(D, price, lags, y0, y1, [second, *now[-1:]])
    whole = [D.times(one, price) for one in (*now[:2], *then[:2])]

    def claim(n: str) -> str:
        return f"Sum(i, {n}, gy(i)*gx(i)) <= {kind.bound(_TOTAL.format(n=n))}"

    def step(before: Theorem) -> Theorem:
        soon = D.assume("n + 1 <= m")
        below = D.mp(before, D.linear("n <= m", soon))
        found = D.linear(claim("(n + 1)"), below, early, pays, *whole)
        return D.imply(theorems.cut(D.linear("n < m", soon), found), "n + 1 <= m")

    x, y = kind.parts("0")
    zero = either_way(D, D.known("min-cases", "0", f"q + {kind.base}"), f"0 <= {x}", *signs)
    least = either_way(D, D.known("max-cases", "-q", kind.base), f"{y} <= {kind.base}", *signs)
    least = D.mp(
        D.known("antisymmetric", y, kind.base), theorems.both(least, D.known("max-right", "-q", kind.base))
    )
    top = D.linear(f"0 <= {kind.top}", *signs)
    start = D.by_value(claim("0"), [least], D.times(zero, top))
    shown = D.induction("n", f"Imp(n <= m, {claim('n')})", D.imply(start, "0 <= m"), step)
    return D.mp(D.at(shown, n="m"), D.linear("m <= m")), D.sum(some, "n", "m")


def _largest(D: Derivation, kind: Late, *facts: Theorem) -> Theorem:
    """max(Z - q, base) <= Z + base."""
    goal = f"{kind.parts(_ALL)[1]} <= {_ALL} + {kind.base}"
    return either_way(D, D.known("max-cases", f"{_ALL} - q", kind.base), goal, *facts)


def late(D: Derivation) -> Theorem:
    """Σ g z <= v q + 2 w √Z."""
    shown, positive = paid(D, ROOT)
    lag, high, wide = (D.assume(one) for one in ROOT.signs)
    most = ROOT.parts(_ALL)[1]
    squares = [D.positive("sqrt-square", _ALL, positive)]
    squares += [D.positive("sqrt-square", most, D.known("max-right", f"{_ALL} - q", "0"))]
    less = D.linear(f"sqrt({most})**2 <= sqrt({_ALL})**2", *squares, _largest(D, ROOT, lag, positive))
    root = square_below(D, less, D.known("sqrt", _ALL), f"sqrt({most})", f"sqrt({_ALL})")
    first = D.times(D.known("min-right", _ALL, "q"), high)
    found = D.linear(f"{_PAID} <= v*q + 2*w*sqrt({_ALL})", shown, first, D.times(root, wide))
    return D.imply(found, *ROOT.signs, ROOT.prices)


def late_log(D: Derivation) -> Theorem:
    """Σ g z <= q + w (1 + ln(1 + Z/w))."""
    shown, positive = paid(D, LOG)
    lag, wide = (D.assume(one) for one in LOG.signs)
    most = LOG.parts(_ALL)[1]
    low = D.linear(f"0 < {most}", wide, D.known("max-right", f"{_ALL} - q", "w"))
    rest = D.linear(f"0 <= {_ALL} + w - {most}", _largest(D, LOG, lag, positive, wide))
    grown = D.pointwise("log(x) <= log(x + d)", "x > 0", "d >= 0", x=most, d=f"{_ALL} + w - {most}")
    grown = settled(D, grown, low, rest, D.linear(f"0 < {_ALL} + w", positive, wide))
    ratio = D.pointwise("log(x + w) - log(w) == log(1 + x/w)", "x >= 0", "w > 0", x=_ALL, w="w")
    share = D.times(positive, D.positive("inverse-positive", "w", wide))
    ratio = settled(D, ratio, positive, wide, D.linear(f"0 < {_ALL} + w", positive, wide), share)
    facts = D.known("min-right", _ALL, "q + w"), D.times(grown, wide), D.scaled(ratio, "w")
    found = D.linear(f"{_PAID} <= q + w*(1 + log(1 + {_ALL}/w))", shown, *facts)
    return D.imply(found, *LOG.signs, LOG.prices)
