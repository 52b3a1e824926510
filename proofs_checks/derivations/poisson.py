"""The tails of a Poisson variable: Chernoff's bound from its moment generating function.

X is the number of jumps before time t of a process that jumps at rate 1, Poisson with mean t, and ``weight(n,
t)`` is the probability of n jumps: the first comes at s with density e^(-s), and the others follow in the
time that is left. So Σ v^n weight(n, t) <= e^(t(v-1)) for every v >= 0, by induction.
"""

from __future__ import annotations

from proofs_checks.derivations.crossings import rises
from proofs_checks.derivations.unions import times_strictly
from verify.kernel.authoring import Derivation
from verify.kernel.language import Fact, Setting
from verify.kernel.terms import Symbol
from verify.kernel.theorems import Theorem

POISSON = Setting.of(
    "poisson",
    "",
    {"Nat": "m n", "Real": "c d q s t u v"},
    [
        Symbol("weight", ("Nat", "Real"), "Real"),
        Symbol("gv", ("Nat",), "Real", generic=True),
    ],
    {
        "none": Fact("weight(0, t) == exp(-t)", "no jump before t, at rate 1"),
        "more": Fact(
            "weight(n + 1, t) == Int(s, t, exp(-s)*weight(n, t - s))",
            "the first jump at s, and n more in the time that is left: Poisson with mean t",
        ),
    },
)

_FAR = "Sum(m, n, Ind(q < Abs(m - c))*weight(m, c))"
_BOUND = "exp(-q**2/(2*(c + q)))"
POISSON_REPAIRED = f"Imp(0 < c, Imp(0 < q, {_FAR} <= 2*{_BOUND}))"
ONE_SIDED = f"Imp(0 < c, Imp(c <= q, {_FAR} <= {_BOUND}))"
_UP, _DOWN = "c + q < m", "m < c - q"


def repaired(D: Derivation) -> Theorem:
    """P(|X - λ| > x) <= 2 exp(-x²/(2(λ + x)))."""
    tails = _Tails(D, D.assume("0 < c"), D.assume("0 < q"))
    parts = D.sum(D.times(_parts(D), tails.weight), "m", "n")
    both = D.linear(f"{_FAR} <= 2*{_BOUND}", parts, tails.upper(), tails.lower())
    return D.imply(both, "0 < c", "0 < q")


def one_sided(D: Derivation) -> Theorem:
    """P(|X - λ| > x) <= exp(-x²/(2(λ + x))) for x >= λ: there is no lower tail."""
    mean, large = D.assume("0 < c"), D.assume("c <= q")
    tails = _Tails(D, mean, D.linear("0 < q", mean, large))
    never = D.decide(f"Ind({_DOWN}) <= 0", ["c - q <= m"], large, D.whole("m"))
    one = D.linear(f"Ind(q < Abs(m - c)) <= Ind({_UP})", _parts(D), never)
    total = D.sum(D.times(one, tails.weight), "m", "n")
    return D.imply(D.linear(f"{_FAR} <= {_BOUND}", total, tails.upper()), "0 < c", "c <= q")


def _parts(D: Derivation) -> Theorem:
    """|m - c| > q only if m is too large or too small."""
    goal, events = (
        f"Ind(q < Abs(m - c)) <= Ind({_UP}) + Ind({_DOWN})",
        ["Abs(m - c) <= q", "m <= c + q", "c - q <= m"],
    )

    def case(size: Theorem) -> Theorem:
        return D.decide(goal, events, size)

    return D.split(D.known("abs-cases", "m - c"), case, case)


# --- the moment generating function -------------------------------------------------------------------


def _positive(D: Derivation) -> Theorem:
    """0 <= t ⊢ 0 <= weight(n, t)."""
    claim = "All(t, Imp(0 <= t, 0 <= weight({n}, t)))"
    none = D.linear("0 <= weight(0, t)", D.fact("none"), D.known("exp", "-t"))

    def step(before: Theorem) -> Theorem:
        left = D.mp(D.special(before, "t - s"), D.linear("0 <= t - s", D.assume("s <= t")))
        later = D.integral(D.times(left, D.known("exp", "-s")), "s", "t")
        return D.all(D.imply(D.linear("0 <= weight(n + 1, t)", D.fact("more"), later), "0 <= t"), "t")

    every = D.induction("n", claim.format(n="n"), D.all(D.imply(none, "0 <= t"), "t"), step)
    return D.mp(D.special(every, "t"), D.assume("0 <= t"))


def _first(D: Derivation) -> Theorem:
    """Σ over n + 1 weights: the first, and the others."""

    def says(n: str) -> str:
        others = f"Sum(m, {n}, gv(m + 1)*weight(m + 1, t))"
        return f"Sum(m, {n} + 1, gv(m)*weight(m, t)) == gv(0)*weight(0, t) + {others}"

    return D.induction("n", says("n"), D.linear(says("0")), lambda before: D.linear(says("n + 1"), before))


def _moments(D: Derivation) -> Theorem:
    """0 <= t, v, d ⊢ Σ d v^m weight(m, t) <= d exp(t(v - 1)), with gv(m) = d v^m."""
    start, power = D.assume("gv(0) == d"), D.assume("All(m, gv(m + 1) == v*gv(m))")
    total = "Sum(m, {n}, gv(m)*weight(m, {t}))"
    claim = f"All(t, Imp(0 <= t, {total} <= d*exp(t*(v - 1))))"

    def step(before: Theorem) -> Theorem:
        left = D.mp(D.special(before, "t - s"), D.linear("0 <= t - s", D.assume("s <= t")))
        later = D.integral(D.times(left, D.known("exp", "-s")), "s", "t")
        later = D.times(later, D.assume("0 <= v"))
        whole = D.scaled(D.primitive("s", "t", "-exp(t*(v - 1) - s*v)"), "d")
        each = D.linear(
            "gv(m + 1)*weight(m + 1, t) == v*gv(m)*Int(s, t, exp(-s)*weight(m, t - s))",
            D.scaled(D.special(power, "m"), "weight(m + 1, t)"),
            D.scaled(D.fact("more", n="m"), "v*gv(m)"),
        )
        first = D.scaled(start, "weight(0, t)")
        goal = f"{total.format(n='n + 1', t='t')} <= d*exp(t*(v - 1))"
        found = D.linear(
            goal, D.sum(each, "m", "n"), later, whole, _first(D), first, D.scaled(D.fact("none"), "d")
        )
        return D.all(D.imply(found, "0 <= t"), "t")

    none = D.times(D.assume("0 <= d"), D.known("exp", "t*(v - 1)"))
    none = D.linear(f"{total.format(n='0', t='t')} <= d*exp(t*(v - 1))", none)
    every = D.induction("n", claim.format(n="n", t="t"), D.all(D.imply(none, "0 <= t"), "t"), step)
    return D.mp(D.special(every, "t"), D.assume("0 <= t"))


# --- Chernoff's bound ---------------------------------------------------------------------------------


class _Tails:
    """The two tails at distance q = uc from the mean c."""

    def __init__(self, D: Derivation, mean: Theorem, distance: Theorem) -> None:
        self.D, self.mean, self.distance = D, mean, distance
        self.weight = D.closed(D.at(_positive(D), n="m", t="c"), D.linear("0 <= c", mean))
        self.unit = D.positive("inverse", "c", mean)
        self.over = D.positive("inverse-positive", "c", mean)
        self.share = times_strictly(D, distance, self.over)
        self.raised = D.linear("0 < 1 + q/c", self.share)
        same = D.pointwise("l*(x/l)**2/(2*(1 + x/l)) == x**2/(2*(l + x))", "l > 0", "x > 0", l="c", x="q")
        sums = [D.linear(text, mean, distance, self.raised) for text in ("0 < 2*(1 + q/c)", "0 < 2*(c + q)")]
        self.same, self.wide = D.closed(same, mean, distance, *sums), sums[0]

    def upper(self) -> Theorem:
        """P(X > c + q) <= exp(-q²/(2(c + q))), with e^ζ = 1 + u."""
        D, zeta = self.D, "log(1 + q/c)"
        sign = D.closed(D.pointwise("0 <= log(1 + u)", "u >= 0", u="q/c"), self.share, self.raised)
        reached = D.times(D.linear("0 <= m - (c + q)", D.assume(_UP)), sign)
        claim = D.closed(D.claim("lem:poisson/upper", u="q/c"), self.share, self.raised, self.wide)
        return self._tail(
            _UP, zeta, "(c + q)", reached, [D.times(claim, self.mean), self._power("1 + q/c", self.raised)]
        )

    def lower(self) -> Theorem:
        """P(X < c - q) <= exp(-q²/(2(c + q))), with e^ζ = 1 - u; X is not negative."""
        D, zeta, total = self.D, "log(1 - q/c)", f"Sum(m, n, Ind({_DOWN})*weight(m, c))"
        goal = f"{total} <= {_BOUND}"

        def some(less: Theorem) -> Theorem:
            share = D.linear("q/c < 1", times_strictly(D, less, self.over), self.unit)
            left = D.linear("0 < 1 - q/c", share)
            sign = D.closed(
                D.pointwise("log(1 - u) <= 0", "0 <= u", "u < 1", u="q/c"), self.share, share, left
            )
            below = D.linear("0 <= (c - q) - m", D.assume(_DOWN))
            reached = D.linear(f"0 <= {zeta}*(m - (c - q))", D.times(below, D.linear(f"0 <= -{zeta}", sign)))
            claim = D.closed(D.claim("lem:poisson/lower", u="q/c"), self.share, share, left, self.wide)
            return self._tail(
                _DOWN, zeta, "(c - q)", reached, [D.times(claim, self.mean), self._power("1 - q/c", left)]
            )

        def none(more: Theorem) -> Theorem:
            never = D.decide(f"Ind({_DOWN}) <= 0", ["c - q <= m"], more, D.whole("m"))
            return D.linear(
                goal, D.sum(D.times(never, self.weight), "m", "n"), D.known("exp", "-q**2/(2*(c + q))")
            )

        return D.cases("q < c", some, none)

    def _power(self, text: str, positive: Theorem) -> Theorem:
        return self.D.scaled(self.D.positive("log", text, positive), "c")

    def _tail(self, event: str, zeta: str, edge: str, reached: Theorem, facts: list[Theorem]) -> Theorem:
        """Markov's inequality for exp(ζX): from 0 <= ζ(m - edge) on the event."""
        D = self.D
        factor = f"exp({zeta}*(m - {edge}))"
        risen = rises(D, D.linear(f"0 <= {zeta}*(m - {edge})", reached))
        goal = f"Ind({event}) <= {factor}"
        one = D.cases(
            event,
            lambda _: D.by_value(goal, [D.holds(event)], risen),
            lambda _: D.by_value(goal, [D.fails(event)], D.known("exp", f"{zeta}*(m - {edge})")),
        )
        start = f"exp(-{zeta}*{edge})"
        moments = D.at(_moments(D), t="c", v=f"exp({zeta})", d=start)
        moments = D.instantiate(moments, "gv", "m", factor)
        powers = D.all(D.linear(f"exp({zeta}*(m + 1 - {edge})) == exp({zeta})*{factor}"), "m")
        known = [D.linear(f"{start} == {start}"), powers, D.linear("0 <= c", self.mean)]
        known += [D.known("exp", zeta), D.known("exp", f"-{zeta}*{edge}")]
        moments = D.closed(moments, *known)
        units = [D.scaled(self.unit, text) for text in ("q", f"q*{zeta}")]
        exponent = D.linear(
            f"-{zeta}*{edge} + c*(exp({zeta}) - 1) <= -q**2/(2*(c + q))", *facts, *units, self.same
        )
        total = D.sum(D.times(one, self.weight), "m", "n")
        return D.linear(
            f"Sum(m, n, Ind({event})*weight(m, c)) <= {_BOUND}", total, moments, rises(D, exponent)
        )
