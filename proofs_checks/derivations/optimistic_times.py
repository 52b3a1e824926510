r"""Prices that fall with the time spent in a pair, paid on time: on every path.

τ = ``spent(n)`` and :math:`u\tau - \tau^2/2`, u = ``rem(n)``, are the time of a sojourn, and the remaining
time integrated over it.  An episode has H of the first and H²/2 of the second, and what a pair has of them
is at most its time, or H times its time.  So with the pigeon-holes for counts that are known late, for every
e > 0,

.. math:: \sum\frac{u\tau-\tau^2/2}{\sqrt{\max\{eT^+,1\}}} &\le H\sqrt{2SAKH/e} + \tfrac12SAH^2 ,\\
          \sum\frac{u\tau-\tau^2/2}{\max\{eT^+,1\}} &\le SAH\Bigl(\frac H2 + \frac1e\Bigl(1 +
          \ln\Bigl(1+\frac{eKH}{2SA}\Bigr)\Bigr)\Bigr) ;

and likewise for τ, and for :math:`H\tau + u\tau - \tau^2/2`.
"""

from __future__ import annotations

from dataclasses import dataclass

from proofs_checks.derivations.counting import exchanged
from proofs_checks.derivations.every_horizon import pair_number
from proofs_checks.derivations.nearby import either_way
from proofs_checks.derivations.number_of_jumps import left_over
from proofs_checks.derivations.optimistic_run import AREA
from proofs_checks.derivations.roots import over_pairs, pairs
from proofs_checks.derivations.runs import ACTIVE, by_jump, decided, product, remaining, settled, start
from proofs_checks.derivations.unions import square_below
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

HERE = "Ind(X({n}) == x)*Ind(act({n}) == a)"


@dataclass(frozen=True)
class Clock:
    """What is counted of a sojourn, at most ``ratio`` times its time, and of an episode, ``whole`` in all."""

    counted: str  # of decision n
    used: str  # of the episode when t remains
    ratio: str
    whole: str

    def own(self, n: str) -> str:
        """Of one pair, in the first K episodes."""
        return f"Ind(ep({n}) + 1 <= K)*{HERE.format(n=n)}*{self.counted.format(n=n)}"

    def total(self, n: str) -> str:
        """The same, before decision n."""
        return f"Sum(i, {n}, {self.own('i')})"

    def says(self, e: str = "e") -> str:
        """The bound."""
        price = f"sqrt(Max({e}*Tf(n, X(n), act(n)), 1))"
        paid = f"Sum(n, m, {ACTIVE}*{self.counted.format(n='n')}/{price})"
        return f"{paid} <= 2*sqrt({self.ratio}/({e}))*sqrt(S*A*K*({self.whole})) + S*A*({self.whole})"

    def says_log(self, e: str = "e") -> str:
        """The bound without the root."""
        paid = f"Sum(n, m, {ACTIVE}*{self.counted.format(n='n')}/Max({e}*Tf(n, X(n), act(n)), 1))"
        size, mean = f"({self.ratio})/({e})", f"(1 + {e}*K*({self.whole})/(({self.ratio})*S*A))"
        return f"{paid} <= S*A*({self.whole} + {size}*(1 + log{mean}))"


TIME = Clock("spent({n})", "(H - {t})", "1", "H")
REMAINING = Clock(AREA, "((H**2 - ({t})**2)/2)", "H", "H**2/2")
BOTH = Clock(f"(H*spent({{n}}) + {AREA})", "(H*(H - ({t})) + (H**2 - ({t})**2)/2)", "2*H", "3*H**2/2")
TIMES = f"Imp(0 < e, And({TIME.says()}, {REMAINING.says()}, {BOTH.says()}))"
TIMES_LOG = f"Imp(0 < e, {REMAINING.says_log()})"


class Counted:
    """What is derived of a clock."""

    def __init__(self, D: Derivation, clock: Clock) -> None:
        self.D, self.clock = D, clock
        self.low, self.high = remaining(D)
        counted, spent = clock.counted.format(n="n"), D.fact("spent-low")
        left = D.linear("0 <= rem(n) - spent(n)", D.fact("spent-high"))
        self.left = [left, D.times(left, D.fact("horizon")), D.known("square", "rem(n) - spent(n)")]
        facts = [spent, D.times(left, spent), D.times(self.high, spent), D.times(spent, spent)]
        self.sign = D.linear(f"0 <= {counted}", *facts)
        self.slow = D.linear(f"{counted} <= {clock.ratio}*spent(n)", *facts)
        self.ratio = D.linear(f"0 < {clock.ratio}", D.fact("horizon"))
        self.scale = D.assume("0 < e")
        self.share = product(D, self.ratio, D.positive("inverse-positive", "e", self.scale))
        self.events = ["ep(n) + 1 <= K", "X(n) == x", "act(n) == a"]
        self.own_sign = D.decide(f"0 <= {clock.own('n')}", self.events, self.sign)
        horizon = D.fact("horizon")
        self.most = D.linear(f"0 <= {clock.whole}", horizon, D.times(horizon, horizon))

    def lag(self) -> Theorem:
        """Z(n + 1) - whole <= ratio Tf(n): Z(n) is at most ratio Tf(n) and what the episode has used."""
        D, clock = self.D, self.clock
        own, events = clock.own("n"), self.events
        share = f"{clock.ratio}*{HERE.format(n='n')}*spent(n)"
        facts = [self.sign, self.slow, D.times(D.fact("spent-low"), self.ratio)]
        slow = D.decide(f"{own} <= {share}", events, *facts)
        few = D.decide(f"{own} <= {clock.counted.format(n='n')}", events, *facts)

        def claims(n: str) -> tuple[str, str]:
            z = clock.total(n)
            used = clock.used.format(t=f"rem({n})")
            return f"{z} <= {clock.ratio}*T({n}, x, a)", f"{z} <= {clock.ratio}*Tf({n}, x, a) + {used}"

        def step(before: Theorem) -> Theorem:
            now = [theorems.part(before, D.formula(one)) for one in claims("n")]
            first = D.linear(claims("n + 1")[0], now[0], slow, D.scaled(D.fact("T-step"), clock.ratio))
            second = by_jump(
                D,
                lambda values, _: D.by_value(
                    claims("n + 1")[1], [D.fact("Tf-step"), *values], now[1], few, first
                ),
            )
            return theorems.both(first, second)

        zero = [D.fact("T-0"), D.fact("Tf-0"), start(D, "rem(0) == H")]
        begin = theorems.both(*(D.by_value(one, zero) for one in claims("0")))
        says = "And({}, {})".format(*claims("n"))
        found = D.induction("n", says, begin, step)
        known = theorems.part(found, D.formula(claims("n")[1]))
        goal = f"{clock.total('n + 1')} - ({clock.whole}) <= {clock.ratio}*Tf(n, x, a)"
        return D.linear(goal, known, few, *self.left)

    def of_all(self) -> Theorem:
        """Σ over n < m of what is counted in the first K episodes <= K whole."""
        D, clock = self.D, self.clock
        rest = (
            f"Ind(ep({{n}}) + 1 <= K)*((K - ep({{n}}))*({clock.whole}) - {clock.used.format(t='rem({n})')})"
        )

        def claim(n: str) -> str:
            counted = f"Ind(ep(i) + 1 <= K)*{clock.counted.format(n='i')}"
            return f"Sum(i, {n}, {counted}) + {rest.format(n=n)} <= K*({clock.whole})"

        events = ["ep(n) + 1 <= K", "ep(n) + 2 <= K"]
        first = [start(D, "ep(0) == 0"), start(D, "rem(0) == H")]
        begin = decided(D, claim("0"), first, ["1 <= K"], D.fact("episodes"))
        later = D.times(left_over(D), self.most)
        total = D.induction(
            "n",
            claim("n"),
            begin,
            lambda below: by_jump(D, lambda case, _: decided(D, claim("n + 1"), case, events, below, later)),
        )
        goal = f"0 <= {clock.whole} - {clock.used.format(t='rem(n)')}"
        signs = self.low, D.times(self.low, D.fact("horizon")), D.known("square", "rem(n)")
        used = D.linear(goal, *signs)
        left = D.linear(f"0 <= {rest.format(n='n')}", later, D.times(used, D.whole(ACTIVE)))
        counted = f"Ind(ep(i) + 1 <= K)*{clock.counted.format(n='i')}"
        return D.at(D.linear(f"Sum(i, n, {counted}) <= K*({clock.whole})", total, left), n="m")

    def paid_by_pair(self) -> Theorem:
        """0 < e ⊢ Σ over n < m of a pair's own/√max(e Tf, 1) <= whole + 2 √(ratio/e) √Z(m)."""
        D, clock = self.D, self.clock
        width, late = "Max(e*Tf(n, x, a), 1)", clock.total("n + 1") + f" - ({clock.whole})"
        one, more = D.known("max-right", "e*Tf(n, x, a)", "1"), D.known("max", "e*Tf(n, x, a)", "1")
        below = self._lags(width, late, more, one)
        behind, low = f"Max({late}, 0)", D.known("max-right", late, "0")
        wide = D.linear(f"0 < {width}", one)
        lags = root_ratio(D, behind, f"{clock.ratio}/e", width, below, low, self.share, wide)
        root = D.pointwise("1/sqrt(x) <= 1", "x >= 1", x=width)
        price = D.positive("inverse-positive", f"sqrt({width})", _root(D, width, wide))
        prices = theorems.both(
            self.own_sign, D.linear(f"0 <= 1/sqrt({width})", price), settled(D, root, one, wide), lags
        )
        share = f"sqrt({clock.ratio}/e)"
        hole = D.at(D.lemma("prop:proberror/pigeon-hole/late"), q=clock.whole, v="1", w=share)
        hole = D.instantiate(D.instantiate(hole, "gx", "n", clock.own("n")), "gy", "n", f"1/sqrt({width})")
        signs = self.most, D.linear("0 <= 1"), D.known("sqrt", f"{clock.ratio}/e")
        return D.mp(hole, *signs, D.all(D.imply(prices, "n < m"), "n"))

    def _lags(self, width: str, late: str, more: Theorem, one: Theorem) -> Theorem:
        """max{Z(n + 1) - whole, 0} <= (ratio/e) max{e Tf, 1}."""
        D = self.D
        facts = [*self._share(more), D.times(one, self.share), self.share]
        goal = f"Max({late}, 0) <= {self.clock.ratio}/e*{width}"
        return either_way(D, D.known("max-cases", late, "0"), goal, *facts)

    def paid(self) -> Theorem:
        """0 < e ⊢ the bound."""
        D, clock = self.D, self.clock
        each = over_pairs(D, self.paid_by_pair())
        turned = exchanged(D, f"{clock.own('n')}/sqrt(Max(e*Tf(n, x, a), 1))")
        roots = D.instantiate(D.lemma("prop:proberror/cauchy-schwarz"), "gbe", "x a", clock.total("m"))
        sign = D.sum(self.own_sign, "n", "m")
        roots = D.mp(roots, D.all(sign, "x", "a"))
        inner, outer = f"S*A*SumOver(x, SumOver(a, {clock.total('m')}))", f"S*A*K*({clock.whole})"
        all_pairs = D.times(
            D.linear(self._all_pairs(), exchanged(D, clock.own("n")), self.of_all()), D.whole("S*A")
        )
        low = D.times(over_pairs(D, sign), D.whole("S*A"))
        share = D.known("sqrt", f"{clock.ratio}/e")
        facts = D.times(roots, share), D.times(root_below(D, inner, outer, all_pairs, low), share)
        return D.linear(clock.says(), each, turned, *facts, D.scaled(pairs(D), clock.whole))

    def _all_pairs(self) -> str:
        return f"SumOver(x, SumOver(a, {self.clock.total('m')})) <= K*({self.clock.whole})"

    # --- without the root ---

    def log_by_pair(self) -> Theorem:
        """0 < e ⊢ Σ over n < m of own/max(e Tf, 1) <= whole + (ratio/e)(1 + ln(1 + Z(m) e/ratio))."""
        D, clock = self.D, self.clock
        width, late = "Max(e*Tf(n, x, a), 1)", clock.total("n + 1") + f" - ({clock.whole})"
        one, more = D.known("max-right", "e*Tf(n, x, a)", "1"), D.known("max", "e*Tf(n, x, a)", "1")
        wide = D.linear(f"0 < {width}", one)
        over, unit = D.positive("inverse-positive", width, wide), D.positive("inverse", width, wide)
        low = D.linear(f"0 <= 1/{width}", over)
        known = D.times(D.linear(f"{late} <= {clock.ratio}/e*{width}", *self._share(more)), over)
        lags = D.linear(f"1/{width}*({late}) <= {clock.ratio}/e", known, D.scaled(unit, f"{clock.ratio}/e"))
        small = D.linear(f"1/{width} <= 1", D.times(one, over), unit)
        hole = D.at(D.lemma("prop:proberror/pigeon-hole/late-log"), q=clock.whole, w=f"{clock.ratio}/e")
        hole = D.instantiate(D.instantiate(hole, "gx", "n", clock.own("n")), "gy", "n", f"1/{width}")
        prices = D.all(D.imply(theorems.both(self.own_sign, low, small, lags), "n < m"), "n")
        return D.mp(hole, self.most, self.share, prices)

    def _share(self, more: Theorem) -> list[Theorem]:
        """What gives Z(n + 1) - whole <= (ratio/e) max{e Tf, 1}."""
        D, clock = self.D, self.clock
        unit = D.scaled(D.positive("inverse", "e", self.scale), f"{clock.ratio}*Tf(n, x, a)")
        return [self.lag(), D.times(more, self.share), unit]

    def log(self) -> Theorem:
        """0 < e ⊢ the bound without the root: ln(1 + z) is below its tangent at the mean d of the pairs."""
        D, clock = self.D, self.clock
        size, total = f"({clock.ratio}/e)", clock.total("m")
        share, large = f"S*A*d == S*A + K*({clock.whole})/{size}", D.assume("1 <= d")
        over = D.positive("inverse-positive", size, self.share)
        z = D.times(D.sum(self.own_sign, "n", "m"), over)
        tangent = D.pointwise(
            "log(1 + z) <= log(M) + (1 + z - M)/M", "z >= 0", "M > 0", z=f"{total}/{size}", M="d"
        )
        positive = D.linear("0 < d", large)
        tangent = settled(D, tangent, z, positive, D.linear(f"0 < 1 + {total}/{size}", z))
        line = f"{clock.whole} + {size}*(1 + log(d) + (1 + {total}/{size} - d)/d)"
        pair = self.log_by_pair()
        pair = D.linear(
            terms.relation("<=", pair.says.parts[0], D.term(line)), pair, D.times(tangent, self.share)
        )
        steep = D.times(D.times(self.share, over), D.positive("inverse-positive", "d", positive))
        few = D.times(D.linear(self._all_pairs(), exchanged(D, clock.own("n")), self.of_all()), steep)
        fixed = f"{clock.whole} + {size}*(1 + log(d) + (1 - d)/d)"
        turned = exchanged(D, f"{clock.own('n')}/Max(e*Tf(n, x, a), 1)")
        says = clock.says_log().replace(self._mean, "(d)")
        found = D.linear(
            says,
            *(over_pairs(D, pair), turned, few, D.scaled(pairs(D), fixed)),
            D.scaled(D.assume(share), f"{size}/d"),
        )
        number = D.linear("0 < S*A", pair_number(D))
        inverse = D.positive("inverse-positive", "S*A", number)
        more = D.times(D.times(D.times(self.most, D.whole("K")), over), inverse)
        unit = D.scaled(D.positive("inverse", "S*A", number), f"K*({clock.whole})/{size}")
        found = theorems.cut(
            D.linear(D.at(D.assume(share), d=self._mean).says, unit), D.at(found, d=self._mean)
        )
        return theorems.cut(D.linear(f"1 <= {self._mean}", more), found)

    @property
    def _mean(self) -> str:
        return f"(1 + e*K*({self.clock.whole})/(({self.clock.ratio})*S*A))"


def times(D: Derivation) -> Theorem:
    """The bounds with roots."""
    found = (Counted(D, clock).paid() for clock in (TIME, REMAINING, BOTH))
    return D.imply(theorems.both(*found), "0 < e")


def times_log(D: Derivation) -> Theorem:
    """The bound without the root."""
    return D.imply(Counted(D, REMAINING).log(), "0 < e")


def root_below(D: Derivation, u: str, v: str, below: Theorem, low: Theorem) -> Theorem:
    """√u <= √v, from u <= v and 0 <= u."""
    squares = [D.positive("sqrt-square", one, D.linear(f"0 <= {one}", low, below)) for one in (u, v)]
    less = D.linear(f"sqrt({u})**2 <= sqrt({v})**2", *squares, below)
    return square_below(D, less, D.known("sqrt", v), f"sqrt({u})", f"sqrt({v})")


def root_ratio(
    D: Derivation, y: str, c: str, x: str, below: Theorem, low: Theorem, ratio: Theorem, wide: Theorem
) -> Theorem:
    """√y/√x <= √c, from y <= c x, 0 <= y, 0 < c and 0 < x."""
    squares = [D.positive("sqrt-square", one, D.linear(f"0 <= {one}", low, ratio, wide)) for one in (y, c, x)]
    product = f"sqrt({c})*sqrt({x})"
    less = D.linear(
        f"sqrt({y})**2 <= ({product})**2",
        *(squares[0], D.scaled(squares[1], f"sqrt({x})**2"), D.scaled(squares[2], c), below),
    )
    sign = D.times(D.known("sqrt", c), D.known("sqrt", x))
    less = square_below(D, less, sign, f"sqrt({y})", product)
    root = _root(D, x, wide)
    unit = D.scaled(D.positive("inverse", f"sqrt({x})", root), f"sqrt({c})")
    over = D.times(less, D.positive("inverse-positive", f"sqrt({x})", root))
    return D.linear(f"sqrt({y})/sqrt({x}) <= sqrt({c})", over, unit)


def _root(D: Derivation, text: str, positive: Theorem) -> Theorem:
    """0 < √u."""
    return settled(D, D.pointwise("sqrt(x) > 0", "x > 0", x=text), positive)
