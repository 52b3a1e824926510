"""The rows of the optimistic learner: three kinds of sets, and what its theorems ask of each.

That the row of the model is in the set that the data of a decision make (``cover``) is so with probability
1 - δ, for all pairs at all decisions; at the decision of the plan it gives BELOW, and NEAR; and the radius
``au`` is √(g(N)/N) at most, for a level g (:mod:`optimistic_levels`) and the jumps N of the plan.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from proofs_checks.derivations.jump_cover import uniform_radius
from proofs_checks.derivations.jump_repaired import at_decision
from proofs_checks.derivations.jump_sets import DISTANCE, jumps_seen
from proofs_checks.derivations.jump_tilts import least_radius, tilt_level, zeta
from proofs_checks.derivations.laplace import COVER, LEVEL, PENALTY
from proofs_checks.derivations.nearby import either_way
from proofs_checks.derivations.optimistic_levels import (
    KL,
    UNIFORM,
    Level,
    binomial_low,
    large_level,
    sized,
    tilted,
)
from proofs_checks.derivations.optimistic_sets import BEST_IN, ROW_IN, ROWS_IN, here
from proofs_checks.derivations.rate_peels import sizes
from proofs_checks.derivations.runs import either, equal, maximum, product, settled
from proofs_checks.derivations.setting_optimistic import LARGER
from proofs_checks.derivations.unions import order, square_below, whole_cases
from verify.kernel import theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_MODEL, _SEEN = "p(x, a, y)", "1 <= Nf({n}, x, a)"
_PLAN = "Nf(pl(n), x, a)"


class RowSets(ABC):
    """A kind of sets."""

    level: Level
    near: str
    """That the row of the model is in the set, a pattern of the decision n."""

    @property
    def cover(self) -> str:
        """The same, or no jump was seen."""
        return f"Imp({_SEEN}, {self.near})"

    @abstractmethod
    def event(self, D: Derivation) -> Theorem:
        """That the rows of the model are in the sets, with probability at least 1 - δ."""

    @abstractmethod
    def paid(self, D: Derivation) -> Theorem:
        """1 <= c, and then what they cost, if their numbers of jumps lag behind by a factor c."""

    @abstractmethod
    def covered(self, D: Derivation, event: Theorem) -> Theorem:
        """Of decision i < n, ep(i) < K, 1 <= Nf(i): the row of the model is in the set, by the event."""

    def planned(self, D: Derivation, cover: Theorem) -> Theorem:
        """That the row of the model is in the set of decision n, from the cover at decision pl(n)."""
        del D
        return cover

    @abstractmethod
    def within(self, D: Derivation, row: Theorem) -> tuple[Theorem, Theorem]:
        """1 <= Nf(pl(n)) ⊢ BEST_IN and ROW_IN, from ``planned``."""

    @abstractmethod
    def unseen(self, D: Derivation, zero: Theorem) -> Theorem:
        """Min(1, S - 1) <= au, from Nf == 0."""

    @abstractmethod
    def radius(self, D: Derivation) -> Theorem:
        """That ``au`` is at most √(g(N)/N), N = max{1, Nf} at decision pl(n)."""

    def priced(self, D: Derivation, row: Theorem) -> Theorem:
        """0 <= t <= H ⊢ NEAR, from ``planned``."""
        rows = whole_cases(
            D,
            _PLAN,
            lambda none: either(D, self.unseen(D, equal(D, none, D.whole(_PLAN))), ROWS_IN),
            lambda _: either(D, theorems.both(*self.within(D, row)), ROWS_IN),
        )
        return D.mp(D.lemma("eq:error2/equation"), rows, here(D))

    def everywhere(self, D: Derivation, event: Theorem) -> Theorem:
        """The cover at decision i, given i < n and ep(i) < K, from the event."""
        return D.imply(self.covered(D, event), _SEEN.format(n="i"))


# --- balls ------------------------------------------------------------------------------------------

_COUNT = "Max(1, Nf({n}, x, a))"


def _ball(radius: str) -> str:
    """That the row of the model is within the radius of the estimate."""
    return f"{DISTANCE.replace('(i,', '({n},')} <= {radius}"


class RowBalls(RowSets):
    """Rows within ``au`` of the estimate."""

    def planned(self, D: Derivation, cover: Theorem) -> Theorem:
        """``au`` is the radius by the data of the plan."""
        some = D.assume(_SEEN.format(n="pl(n)"))
        return D.imply(D.linear(ROW_IN, D.mp(cover, some), D.fact("au")), some.says)

    def within(self, D: Derivation, row: Theorem) -> tuple[Theorem, Theorem]:
        """As the sets are defined."""
        some = D.assume(_SEEN.format(n="pl(n)"))
        return D.mp(D.fact("pt-near"), some), D.mp(row, some)


class Uniform(RowBalls):
    """The radius of lem:CI-p/uniform."""

    level, near = UNIFORM, _ball(uniform_radius(_COUNT))

    def event(self, D: Derivation) -> Theorem:
        """lem:CI-p/uniform."""
        return D.lemma("lem:CI-p/uniform")

    def paid(self, D: Derivation) -> Theorem:
        """prop:proberror/rows."""
        return D.lemma("prop:proberror/rows")

    def covered(self, D: Derivation, event: Theorem) -> Theorem:
        """As they are defined."""
        return at_decision(D, event, "x", "a")

    def unseen(self, D: Derivation, zero: Theorem) -> Theorem:
        """The first radius is at least 1."""
        large = sized(D, "2*(S*log(2) + log(2*S*A/d)) >= 1", facts=(sized(D, "0 < 2*S*A/d"),))
        root = settled(D, D.pointwise("sqrt(x) >= 1", "x >= 1", x=self.level.at("1")), large)
        return _one(D, D.by_value("1 <= au(n, x, a)", [D.fact("au"), zero], root))

    def radius(self, D: Derivation) -> Theorem:
        """It is."""
        return D.linear(f"au(n, x, a) <= {self.level.radius(LARGER)}", D.fact("au"))


def _one(D: Derivation, large: Theorem) -> Theorem:
    """Min(1, S - 1) <= au, from 1 <= au."""
    return D.linear("Min(1, S - 1) <= au(n, x, a)", large, D.known("min", "1", "S - 1"))


class Tilts(RowBalls):
    """The radius of lem:CI-p/tilts/radius."""

    level, near = tilted("nr"), _ball(least_radius("nr", _COUNT))

    def event(self, D: Derivation) -> Theorem:
        """lem:CI-p/tilts with the tilts 2^(2-m)."""
        rows = D.instantiate(D.lemma("lem:CI-p/tilts", k="nr"), "gtilt", "m", zeta("m"))
        positive = D.linear(f"0 < {zeta('m')}", D.known("exp", "-m*log(2)"))
        return D.mp(rows, D.all(positive, "m"), _few(D))

    def paid(self, D: Derivation) -> Theorem:
        """prop:proberror/rows/tilts."""
        return D.mp(D.lemma("prop:proberror/rows/tilts", k="nr"), D.fact("nr"))

    def covered(self, D: Derivation, event: Theorem) -> Theorem:
        """The least radius of the tilts, and of 2, is that at most."""
        some = D.assume("1 <= Nf(i, x, a)")
        inside = D.special(D.mp(D.special(event, "i"), D.assume("i < n")), "x", "a")
        count = D.linear("0 < Nf(i, x, a)", some)
        level = D.linear(f"0 < {tilt_level('nr')}", large_level(D, "nr", _few(D)))
        values = {"k": "nr", "c": tilt_level("nr"), "q": "Nf(i, x, a)", "d": DISTANCE}
        least = D.lemma("lem:CI-p/tilts/radius", **values)
        given = theorems.both(level, count, _at_most_two(D, count))
        found = D.mp(least, given, _few(D), D.mp(inside, some))
        larger = maximum(D, "1", "Nf(i, x, a)", some)
        return D.by_value(self.near.format(n="i"), [larger], found)

    def unseen(self, D: Derivation, zero: Theorem) -> Theorem:
        """The first radius is at least 1."""
        level = tilt_level("nr")
        large = large_level(D, "nr", _few(D))
        root = settled(D, D.pointwise("3/2*sqrt(x) >= 1", "x >= 1/2", x=level), large)
        most = D.known("max", f"3/2*sqrt({level})", "3*exp(-nr*log(2))")
        return _one(D, D.by_value("1 <= au(n, x, a)", [D.fact("au"), zero], root, most))

    def radius(self, D: Derivation) -> Theorem:
        """The root of a sum of squares is no less than each of the two."""
        level, number = tilt_level("nr"), D.linear(f"0 < {LARGER}", D.known("max", "1", _PLAN))
        over = D.positive("inverse-positive", LARGER, number)
        large = D.linear(f"0 < {level}", large_level(D, "nr", _few(D)))
        share, power = product(D, large, over), D.known("exp", "-2*nr*log(2)")
        square, small = f"{self.level.at(LARGER)}/{LARGER}", "3*exp(-nr*log(2))"
        unit = D.scaled(D.positive("inverse", LARGER, number), "9*exp(-2*nr*log(2))")
        sides = D.linear(f"0 <= {level}/{LARGER}", share)
        both = D.linear(f"{square} == 9/4*({level}/{LARGER}) + 9*exp(-2*nr*log(2))", unit)
        own = D.positive("sqrt-square", square, D.linear(f"0 <= {square}", both, sides, power))
        root = D.scaled(D.positive("sqrt-square", f"{level}/{LARGER}", sides), "9/4")
        sign = D.known("sqrt", square)
        above = [
            square_below(
                D,
                D.linear(f"({one})**2 <= sqrt({square})**2", own, both, root, sides, power),
                sign,
                one,
                f"sqrt({square})",
            )
            for one in (f"3/2*sqrt({level}/{LARGER})", small)
        ]
        goal = f"au(n, x, a) <= sqrt({square})"
        cases = D.known("max-cases", f"3/2*sqrt({level}/{LARGER})", small)
        return either_way(D, cases, goal, *above, D.fact("au"))


def _few(D: Derivation) -> Theorem:
    """1 <= nr."""
    return theorems.part(D.fact("nr"), D.formula("1 <= nr"))


def _at_most_two(D: Derivation, count: Theorem) -> Theorem:
    """Two rows of probabilities are at most 2 apart."""
    unit = D.positive("inverse", "Nf(i, x, a)", count)
    low = D.times(D.whole("Mf(i, x, a, y)"), D.positive("inverse-positive", "Nf(i, x, a)", count))
    estimate, model = D.fact("ph", n="i"), D.fact("jump-low")
    one = either_way(
        D,
        D.known("abs-cases", "ph(i, x, a, y) - p(x, a, y)"),
        "Abs(ph(i, x, a, y) - p(x, a, y)) <= ph(i, x, a, y) + p(x, a, y)",
        *(low, estimate, model),
    )
    total = D.scaled(D.at(jumps_seen(D)[1], n="i"), "1/Nf(i, x, a)")
    return D.linear(
        f"{DISTANCE} <= 2", D.over(one, "y"), D.over(estimate, "y"), total, unit, D.fact("jump-sum")
    )


# --- divergences ------------------------------------------------------------------------------------


class Divergences(RowSets):
    """The sets of lem:CI-p/kl."""

    level, near = KL, COVER.replace("(i,", "({n},")

    def event(self, D: Derivation) -> Theorem:
        """lem:CI-p/kl."""
        return D.lemma("lem:CI-p/kl")

    def paid(self, D: Derivation) -> Theorem:
        """prop:proberror/rows/kl."""
        return D.lemma("prop:proberror/rows/kl")

    def covered(self, D: Derivation, event: Theorem) -> Theorem:
        """As the sets are defined."""
        return D.special(D.mp(D.special(event, "i"), D.assume("i < n")), "x", "a")

    def within(self, D: Derivation, row: Theorem) -> tuple[Theorem, Theorem]:
        """Pinsker's inequality."""
        some = D.assume(_SEEN.format(n="pl(n)"))
        level = f"{LEVEL} + {PENALTY.replace('(i,', '(pl(n),')}"
        pinsker = D.lemma("lem:CI-p/kl/pinsker", i="pl(n)", c=level)
        larger = maximum(D, "1", _PLAN, some)
        ways = D.at(D.lemma("lem:CI-p/kl/binomial"), n=_PLAN)
        radius = D.by_value(f"sqrt(2*({level})/{_PLAN}) == au(n, x, a)", [D.fact("au"), larger, ways])

        def one(row: str, low: str, total: str, near: Theorem, says: str) -> Theorem:
            given = theorems.both(some, D.all(D.fact(low), "y"), D.fact(total))
            return D.linear(
                says, D.mp(D.instantiate(pinsker, "gd", "y", row), given, D.mp(near, some)), radius
            )

        return (
            one("pt(n, x, a, y, t)", "pt-low", "pt-sum", D.fact("pt-near"), BEST_IN),
            one(_MODEL, "jump-low", "jump-sum", row, ROW_IN),
        )

    def unseen(self, D: Derivation, zero: Theorem) -> Theorem:
        """With two states or more the first radius is at least 1; with one there is one row."""
        goal, first = "Min(1, S - 1) <= au(n, x, a)", self.level.at("1")
        few = D.known("min-right", "1", "S - 1")

        def more(two: Theorem) -> Theorem:
            values, domain = {"S": "S", "A": "A", "d": "delta"}, ("S >= 2", "A >= 1", "0 < d", "d < 1")
            low = D.pointwise("2*log(S*A/d) >= 1", *domain, integers="S A", **values)
            low = D.closed(low, two, *sizes(D), sized(D, "0 < S*A/d"))
            large = D.linear(f"1 <= {first}", low, binomial_low(D, "1", D.linear("1 <= 1")))
            root = settled(D, D.pointwise("sqrt(x) >= 1", "x >= 1", x=first), large)
            return D.by_value(goal, [D.fact("au"), zero], root, D.known("min", "1", "S - 1"))

        return order(
            D,
            "S",
            "1",
            lambda one: D.by_value(goal, [D.fact("au"), zero], D.known("sqrt", first), few, one),
            more,
        )

    def radius(self, D: Derivation) -> Theorem:
        """It is."""
        return D.linear(f"au(n, x, a) <= {self.level.radius(LARGER)}", D.fact("au"))
