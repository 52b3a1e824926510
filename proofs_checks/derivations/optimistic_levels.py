r"""The radii √(g(N)/N) of the rows: g for each of the three kinds of sets, and that ``SHAPE`` holds for it.

* ``UNIFORM``, of ``lem:CI-p/uniform``: :math:`g(n) = 2[S\ln2 + \ln(SA\,n(n+1)/\delta)]`, a² = g(M).
* ``KL``, of ``lem:CI-p/kl`` by Pinsker's inequality: :math:`g(n) = 2[\ln(SA/\delta) +
  \ln\binom{n+S-1}{S-1}]`, where the binomial coefficient is :math:`\prod_{1\le j<S}(1 + n/j)`, of real
  numbers n too, and a² = g(M).
* ``tilted(k)``, of ``lem:CI-p/tilts`` with k tilts: :math:`g(n) = \tfrac94(l + 4^{1-k}n)`, :math:`l = S\ln2 +
  \ln(SAk/\delta)`, and :math:`a^2 = \tfrac94(l + \tfrac14)`, where :math:`4^k \ge 16K(1+v)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proofs_checks.derivations.every_horizon import pair_number
from proofs_checks.derivations.jump_cover import uniform_level
from proofs_checks.derivations.jump_tilts import tilt_level
from proofs_checks.derivations.optimistic_kept import costs, kept_radius
from proofs_checks.derivations.optimistic_rows import MEAN, mean_large
from proofs_checks.derivations.pinsker import kl_level
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.rate_peels import sizes
from proofs_checks.derivations.runs import product
from proofs_checks.derivations.setting_optimistic import enough
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_DOMAIN = ("S >= 1", "A >= 1", "0 < d", "d < 1")


def sized(
    D: Derivation, relation: str, *domain: str, facts: tuple[Theorem, ...] = (), **values: str
) -> Theorem:
    """A relation between S, A, d = δ and more, which the facts describe."""
    theorem = D.pointwise(relation, *_DOMAIN, *domain, integers="S A", S="S", A="A", d="delta", **values)
    return D.closed(theorem, *sizes(D), *facts)


def times(text: str, c: str) -> str:
    """The same c times, if c is given."""
    return f"({c}*{text})" if c else text


@dataclass(frozen=True)
class Level:
    """g, its value a² at the mean, and the slope of a line through that which is above g."""

    at: Callable[[str], str]
    square: str
    slope: str
    steep: Callable[[Derivation], Theorem]
    """0 <= slope."""
    shape: Callable[[Derivation, Theorem, Theorem], tuple[Theorem, Theorem, Theorem, Theorem]]
    """0 < g(n), g(n) <= g(m), g(n) <= n g(1), and g(n) <= a² + slope (n - M), from 1 <= n and n <= m."""
    condition: str = ""  # of the numbers in it

    def radius(self, n: str) -> str:
        """√(g(n)/n)."""
        return f"sqrt({self.at(n)}/{n})"

    def kept(self, n: str, c: str) -> str:
        """What the radius by at least n/c jumps is at most."""
        return kept_radius(self.at, n, c)

    def root(self, c: str = "") -> str:
        """a, or √c a."""
        return f"sqrt({times(self.square, c)})"

    @property
    def first(self) -> str:
        """a1, the radius after one jump, the largest one."""
        return f"sqrt({self.at('1')})"

    @property
    def says(self) -> str:
        """What rows cost with these radii, by numbers of jumps that lag behind by a factor c."""
        says = f"Imp(1 <= c, {costs(self.at, self.square)})"
        return f"Imp({self.condition}, {says})" if self.condition else says

    def rows(self, D: Derivation) -> Theorem:
        """The same, derived."""
        some, more = D.assume("1 <= n"), D.assume("n <= m")
        positive, rises, falls, below = self.shape(D, some, more)
        each = theorems.both(positive, D.all(D.imply(rises, "n <= m"), "m"), falls, below)
        found = D.lemma("prop:proberror/rows/kept", v=self.square, w=self.slope)
        found = D.instantiate(found, "glevel", "n", self.at("n"))
        found = D.mp(found, self.steep(D), D.all(D.imply(each, "1 <= n"), "n"))
        return D.imply(found, self.condition) if self.condition else found


# --- uniform in the number of jumps -----------------------------------------------------------------


def _inside(D: Derivation, n: str, some: Theorem) -> Theorem:
    """0 < SA n(n + 1)/δ, from 1 <= n."""
    return sized(D, "0 < S*A*n*(n + 1)/d", "n >= 1", facts=(some,), n=n)


def _uniform_shape(D: Derivation, some: Theorem, more: Theorem) -> tuple[Theorem, Theorem, Theorem, Theorem]:
    here, mean = _inside(D, "n", some), mean_large(D)
    there = _inside(D, "m", D.linear("1 <= m", some, more))
    one = sized(D, "S*log(2) + log(S*A*n*(n + 1)/d) >= 1", "n >= 1", facts=(some, here), n="n")
    grown = sized(
        D,
        "log(S*A*n*(n + 1)/d) <= log(S*A*(n + k)*(n + k + 1)/d)",
        *("n >= 1", "k >= 0"),
        facts=(some, more, here, there),
        n="n",
        k="m - n",
    )
    half = D.linear("0 < n*(n + 1)/2", D.times(some, D.linear("0 <= n", some)), some)
    slower = D.closed(D.claim("lem:CI-p/uniform/falls", n="n"), some, half)
    base = sized(D, "0 < 2*S*A/d")
    split = D.pointwise("log(x*y) == log(x) + log(y)", "x > 0", "y > 0", x="2*S*A/delta", y="n*(n + 1)/2")
    low = sized(D, "S*log(2) + log(2*S*A/d) >= 2*log(2)", facts=(base,))
    below = D.claim("lem:CI-p/uniform/tangent", S="S", A="A", n="n", M=MEAN, d="delta")
    return (
        D.linear(f"0 < {uniform_level('n')}", one),
        D.linear(f"{uniform_level('n')} <= {uniform_level('m')}", grown),
        D.linear(
            f"{uniform_level('n')} <= n*{uniform_level('1')}",
            *(D.closed(split, base, half, here), slower, D.times(low, D.linear("0 <= n - 1", some))),
        ),
        D.linear(
            f"{uniform_level('n')} <= {uniform_level(MEAN)} + {_UNIFORM_SLOPE}*(n - {MEAN})",
            D.closed(below, *sizes(D), some, mean, here, _inside(D, MEAN, mean)),
        ),
    )


_UNIFORM_SLOPE = f"(2*(1/{MEAN} + 1/({MEAN} + 1)))"


def _uniform_steep(D: Derivation) -> Theorem:
    mean = mean_large(D)
    over = (
        D.positive("inverse-positive", one, D.linear(f"0 < {one}", mean)) for one in (MEAN, f"({MEAN} + 1)")
    )
    return D.linear(f"0 <= {_UNIFORM_SLOPE}", *over)


UNIFORM = Level(uniform_level, uniform_level(MEAN), _UNIFORM_SLOPE, _uniform_steep, _uniform_shape)


# --- Kullback and Leibler ---------------------------------------------------------------------------


_KL_SLOPE = f"(2*Sum(l, S, Ind(1 <= l)/(l + {MEAN})))"


def _each(D: Derivation, goal: str, *facts: Theorem) -> Theorem:
    """Σ over 1 <= l < S of what the facts say, given 1 <= l."""
    seen = D.cases(
        "1 <= l",
        lambda _: D.by_value(goal, [D.holds("1 <= l")], *facts),
        lambda _: D.by_value(goal, [D.fails("1 <= l")]),
    )
    return D.sum(seen, "l", "S")


def binomial_low(D: Derivation, n: str, some: Theorem) -> Theorem:
    """0 <= ln C(n + S - 1, S - 1), from 1 <= n."""
    one = D.assume("1 <= l")
    over = D.positive("inverse-positive", "l", D.linear("0 < l", one))
    room = D.times(D.linear(f"0 <= {n}", some), over)
    low = D.closed(D.pointwise("log(1 + n/l) >= 0", "n >= 1", "l >= 1", n=n, l="l"), some, one, room, over)
    return _each(D, f"0 <= Ind(1 <= l)*log(1 + {n}/l)", low)


def _kl_shape(D: Derivation, some: Theorem, more: Theorem) -> tuple[Theorem, Theorem, Theorem, Theorem]:
    one, mean = D.assume("1 <= l"), mean_large(D)
    over = D.positive("inverse-positive", "l", D.linear("0 < l", one))
    late = D.linear("1 <= m", some, more)
    room = [
        D.times(D.linear(f"0 <= {n}", fact), over) for n, fact in (("n", some), ("m", late), (MEAN, mean))
    ]
    facts = [some, more, one, mean, over, *room]
    level = sized(D, "log(S*A/d) > 0", facts=(sized(D, "0 < S*A/d"),))
    grown = D.pointwise(
        "log(1 + n/l) <= log(1 + (n + k)/l)", "n >= 1", "l >= 1", "k >= 0", n="n", l="l", k="m - n"
    )
    slower = D.closed(D.claim("lem:CI-p/kl/falls", n="n", l="l"), *facts)
    below = D.claim("lem:CI-p/kl/tangent", n="n", l="l", M=MEAN)
    below = D.closed(below, *facts, D.linear(f"0 < l + {MEAN}", one, mean))
    each = "Ind(1 <= l)*log(1 + {}/l)"
    here = each.format("n")
    return (
        D.linear(f"0 < {kl_level('n')}", level, binomial_low(D, "n", some)),
        D.linear(
            f"{kl_level('n')} <= {kl_level('m')}",
            _each(D, f"{here} <= {each.format('m')}", D.closed(grown, *facts)),
        ),
        D.linear(
            f"{kl_level('n')} <= n*{kl_level('1')}",
            _each(D, f"{here} <= n*{each.format('1')}", slower),
            D.times(level, D.linear("0 <= n - 1", some)),
        ),
        D.linear(
            f"{kl_level('n')} <= {kl_level(MEAN)} + {_KL_SLOPE}*(n - {MEAN})",
            _each(D, f"{here} <= {each.format(MEAN)} + Ind(1 <= l)/(l + {MEAN})*(n - {MEAN})", below),
        ),
    )


def _kl_steep(D: Derivation) -> Theorem:
    positive = D.linear(f"0 < l + {MEAN}", D.whole("l"), mean_large(D))
    over = D.times(D.whole("Ind(1 <= l)"), D.positive("inverse-positive", f"l + {MEAN}", positive))
    return D.linear(f"0 <= {_KL_SLOPE}", D.sum(over, "l", "S"))


KL = Level(kl_level, kl_level(MEAN), _KL_SLOPE, _kl_steep, _kl_shape)


# --- tilts ------------------------------------------------------------------------------------------


def tilted(k: str) -> Level:
    """The level of k tilts."""
    level, small = tilt_level(k), f"2**(-2*{k})"

    def g(n: str) -> str:
        return f"(9/4*({level} + 4*{n}*{small}))"

    slope = f"(9*{small})"

    def shape(D: Derivation, some: Theorem, more: Theorem) -> tuple[Theorem, Theorem, Theorem, Theorem]:
        given = D.assume(enough(k))
        few, much = (theorems.part(given, one) for one in D.formula(enough(k)).parts)
        positive = large_level(D, k, few)
        power = D.known("exp", f"-2*{k}*log(2)")
        most = D.times(D.linear(f"16*{MEAN} <= 2**(2*{k})", much, _most(D)), power)
        return (
            D.linear(f"0 < {g('n')}", positive, D.times(D.linear("0 <= n", some), power)),
            D.linear(f"{g('n')} <= {g('m')}", D.times(more, power)),
            D.linear(f"{g('n')} <= n*{g('1')}", D.times(positive, D.linear("0 <= n - 1", some)), some),
            D.linear(f"{g('n')} <= 9/4*({level} + 1/4) + {slope}*(n - {MEAN})", most),
        )

    def steep(D: Derivation) -> Theorem:
        return D.linear(f"0 <= {slope}", D.known("exp", f"-2*{k}*log(2)"))

    return Level(g, f"(9/4*({level} + 1/4))", slope, steep, shape, enough(k))


def large_level(D: Derivation, k: str, few: Theorem) -> Theorem:
    """1/2 <= l, from 1 <= k."""
    domain = (*_DOMAIN, "J >= 1")
    values = {"S": "S", "A": "A", "J": k, "d": "delta"}
    room = D.closed(D.pointwise("0 < S*A*J/d", *domain, integers="S A J", **values), *sizes(D), few)
    low = D.pointwise("S*log(2) + log(S*A*J/d) >= 1/2", *domain, integers="S A J", **values)
    return D.closed(low, *sizes(D), few, room)


def _most(D: Derivation) -> Theorem:
    """M <= K(1 + v)."""
    number, rate, horizon = pair_number(D), rate_bound(D), D.fact("horizon")
    value = product(D, D.linear("0 < K", D.fact("episodes")), rate, horizon)
    over = D.positive("inverse-positive", "S*A", D.linear("0 < S*A", number))
    unit = D.scaled(D.positive("inverse", "S*A", D.linear("0 < S*A", number)), "K*lmax*H")
    more = D.times(D.times(D.linear("0 <= S*A - 1", number), over), D.linear("0 <= K*lmax*H", value))
    return D.linear(f"{MEAN} <= K*(1 + lmax*H)", unit, more, D.fact("episodes"))
