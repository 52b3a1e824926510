"""``thm:CT-UCB`` for every horizon: with its own constants, and wherever the printed bound is real."""

from __future__ import annotations

from proofs_checks.derivations.bound import MAIN, RADICAND, core_theorem, trivial
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.probabilities import LEVELED, WAIT
from proofs_checks.derivations.rates import enough, leveled_enough
from proofs_checks.derivations.regret import LOAD, REGRET
from proofs_checks.derivations.runs import product, settled
from proofs_checks.derivations.theorem import (
    Choice,
    accuracies,
    bonus_factor,
    positive_product,
    radicand,
    sets_cover,
)
from proofs_checks.derivations.unions import square_below
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_MAIN = MAIN.format(D=LEVELED)
SHARP = f"Imp(0 < h, Imp(delta == 1/(2*K*H), {REGRET.format(m='m')} <= {_MAIN} + {LOAD} + 1))"
_X = f"({WAIT}*sqrt(S*A*K)*({LEVELED}))"
_FEW = "K <= 22*S**2*A*(lmax*H + 1)**2"


def pair_number(D: Derivation) -> Theorem:
    """1 <= S A."""
    return D.linear("1 <= S*A", D.times(D.fact("actions-some"), D.whole("S")), D.fact("states-some"))


class LongRun:
    """What holds for δ = 1/(2KH) and 1 < KH."""

    def __init__(self, D: Derivation, choice: Choice) -> None:
        self.D, self.choice, self.long = D, choice, D.assume("1 < K*H")
        self.some = pair_number(D)
        self.value = product(D, rate_bound(D), D.fact("horizon"))
        self.exact = radicand(D, choice)
        self.text = "2*S*A*K**3*H**2"
        square = D.times(self.long, D.linear("0 <= K*H", self.long))
        big = D.linear("1 <= K*H*(K*H)", square, self.long)
        episodes = D.times(self.some, D.whole("K"))
        self.volume = D.linear(f"2*K <= {self.text}", D.times(big, D.whole("S*A*K")), episodes)
        self.factor = D.linear("0 <= C*H + 1", bonus_factor(D))

    @property
    def root(self) -> Theorem:
        """2 S ln 2 + 2 ln(2K) <= RADICAND."""
        D = self.D
        positive = D.linear("0 < 2*K", D.fact("episodes"))
        more = D.pointwise("log(x) <= log(x + d)", "x > 0", "d >= 0", x="2*K", d=f"{self.text} - 2*K")
        more = D.closed(more, positive, self.volume, positive_product(D)["2*S*A*H**2*K**3"])
        return D.linear(f"2*S*log(2) + 2*log(2*K) <= {RADICAND}", self.exact, more)

    @property
    def real(self) -> Theorem:
        """0 <= ln(2K)."""
        D = self.D
        large = D.linear("1 <= 2*K", D.fact("episodes"))
        return settled(D, D.pointwise("log(x) >= 0", "x >= 1", x="2*K"), large)

    @property
    def low(self) -> Theorem:
        """2 S ln 2 <= RADICAND."""
        return self.D.linear(f"2*S*log(2) <= {RADICAND}", self.root, self.real)

    @property
    def positive(self) -> Theorem:
        """0 <= RADICAND."""
        D = self.D
        return D.linear(f"0 <= {RADICAND}", self.low, D.times(D.pointwise("log(2) >= 0"), D.whole("S")))


def wide_enough(D: Derivation) -> Theorem:
    """0 < h ⊢ H (v + 1) √(SAK) <= WAIT √(SAK) LEVELED."""
    narrow = theorems.cut(leveled_enough(D), D.at(enough(D), q=LEVELED))
    return D.linear(f"H*(lmax*H + 1)*sqrt(S*A*K) <= {_X}", D.times(narrow, D.known("sqrt", "S*A*K")))


def paid_for(D: Derivation, run: LongRun, episodes: Theorem) -> Theorem:
    """K H <= MAIN, from K <= 4 (v + 1) √(SAK) √RADICAND."""
    wide, root = wide_enough(D), D.known("sqrt", RADICAND)
    first = D.times(wide, root)
    sign = D.linear(
        f"0 <= {_X}",
        wide,
        D.times(D.times(D.linear("0 <= lmax*H + 1", run.value), D.fact("horizon")), D.known("sqrt", "S*A*K")),
    )
    second = D.times(D.known("sqrt", "2*L"), run.value)
    rest = D.times(D.times(second, sign), run.factor)
    twice = D.times(D.linear("0 <= C*H + 1 - 2", bonus_factor(D)), D.times(sign, root))
    return D.linear(f"K*H <= {_MAIN}", D.times(episodes, D.fact("horizon")), first, twice, rest)


def below_roots(D: Derivation, run: LongRun, *facts: Theorem) -> Theorem:
    """K <= 4 (v + 1) √(SAK) √RADICAND, from K <= 16 (v + 1)² SA RADICAND."""
    bound = f"4*(lmax*H + 1)*sqrt(S*A*K)*sqrt({RADICAND})"
    square = D.positive("sqrt-square", "S*A*K", D.whole("S*A*K"))
    other = D.positive("sqrt-square", RADICAND, run.positive)
    squared = D.linear(
        f"({bound})**2 == 16*(lmax*H + 1)**2*S*A*K*{RADICAND}",
        D.scaled(square, f"16*(lmax*H + 1)**2*sqrt({RADICAND})**2"),
        D.scaled(other, "16*(lmax*H + 1)**2*S*A*K"),
    )
    few = D.linear(f"K <= 16*(lmax*H + 1)**2*S*A*{RADICAND}", *facts)
    sign = D.times(
        D.times(D.known("sqrt", "S*A*K"), D.known("sqrt", RADICAND)), D.linear("0 <= lmax*H + 1", run.value)
    )
    below = D.linear(f"K**2 <= ({bound})**2", squared, D.times(few, D.whole("K")))
    return square_below(D, below, D.linear(f"0 <= {bound}", sign), "K", bound)


def few_are_paid(D: Derivation, run: LongRun, few: Theorem) -> Theorem:
    """K <= 22 S²A(v + 1)² ⊢ K H <= MAIN."""
    whole = D.linear("0 <= (lmax*H + 1)**2", D.known("square", "lmax*H + 1"))
    half = D.times(D.pointwise("log(2) >= 11/16"), D.times(whole, D.whole("S**2*A")))
    low = D.times(D.times(run.low, D.whole("S*A")), whole)
    return paid_for(D, run, below_roots(D, run, few, half, low))


def forty_are_paid(D: Derivation, run: LongRun, few: Theorem) -> Theorem:
    """K <= 40 ⊢ K H <= MAIN."""
    claim = D.closed(
        D.pointwise("K <= 32*log(2*K) + 22", "1 <= K", "K <= 40", K="K"), D.fact("episodes"), few
    )
    whole = D.linear("1 <= (lmax*H + 1)**2", D.known("square", "lmax*H"), run.value)
    states = D.times(D.fact("states-some"), D.pointwise("log(2) >= 0"))
    base = D.linear(f"11/8 + 2*log(2*K) <= {RADICAND}", run.root, states, D.pointwise("log(2) >= 11/16"))
    once = D.times(run.some, run.positive)
    again = D.times(D.times(D.linear("0 <= (lmax*H + 1)**2 - 1", whole), D.whole("S*A")), run.positive)
    return paid_for(D, run, below_roots(D, run, claim, base, once, again))


def covered(D: Derivation, choice: Choice, few: Theorem, many: Theorem) -> Theorem:
    """P(𝒢^c) <= 2δ for K >= 40 and K > 22 S²A(v + 1)², whatever the horizon."""
    twice = D.linear("1/(K*H) == 2*delta", choice.chosen)

    def short(less: Theorem) -> Theorem:
        square = D.times(D.known("square", "lmax*H + 1"), D.whole("S**2*A"))
        enough_of = D.linear("11/2*S**2*A*(lmax*H + 1)**2 < K", many, square)
        event = D.lemma("thm:CT-UCB/whole/event")
        event = D.mp(event, D.linear("S*A*H <= 1", less), D.assume("1 < K*H"), few, enough_of, choice.chosen)
        event = D.at(event, n="m")
        return D.linear(terms.relation("<=", D.term("1 - 2*delta"), event.says.parts[1]), event, twice)

    return D.cases("1 <= S*A*H", lambda _: sets_cover(D, choice, 22), short)


def sharp(D: Derivation) -> Theorem:
    """thm:CT-UCB/sharp."""
    choice = Choice(D, D.assume("delta == 1/(2*K*H)"))
    goal = f"{REGRET.format(m='m')} <= {_MAIN} + {LOAD} + 1"
    value = product(D, rate_bound(D), D.fact("horizon"))
    load = D.times(accuracies(D)[1], value)
    wide = wide_enough(D)
    sign = D.linear(
        f"0 <= {_X}",
        wide,
        D.times(D.times(D.linear("0 <= lmax*H + 1", value), D.fact("horizon")), D.known("sqrt", "S*A*K")),
    )
    sums = D.linear(
        f"0 <= 2*sqrt({RADICAND}) + 7/3*lmax*H*sqrt(2*L)",
        D.known("sqrt", RADICAND),
        D.times(D.known("sqrt", "2*L"), value),
    )
    main = D.times(D.times(sums, sign), D.linear("0 <= C*H + 1", bonus_factor(D)))

    def long(_: Theorem) -> Theorem:
        run = LongRun(D, choice)

        def many(more: Theorem) -> Theorem:
            def enough_episodes(late: Theorem) -> Theorem:
                few = D.linear("40 <= K", late)
                core = theorems.part(D.lemma("thm:CT-UCB/main"), D.formula(core_theorem(LEVELED, "0 < h")))
                event = covered(D, choice, few, more)
                core = D.mp(D.at(core, q="2*delta"), D.assume("0 < h"), run.positive, event)
                return D.linear(goal, core, choice.weight)

            return D.cases(
                "K <= 40",
                lambda few: D.linear(goal, trivial(D), forty_are_paid(D, run, few), load),
                enough_episodes,
            )

        return D.cases(_FEW, lambda few: D.linear(goal, trivial(D), few_are_paid(D, run, few), load), many)

    def short(one: Theorem) -> Theorem:
        return D.linear(goal, trivial(D), one, main, load)

    return D.imply(D.cases("K*H <= 1", short, long), "0 < h", "delta == 1/(2*K*H)")
