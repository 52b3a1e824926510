"""``thm:CT-UCB`` for every horizon, with the constants it has, and for every learner that is an optimist."""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.derivations.bound import (
    ANY_LOAD,
    RADICAND,
    RIGHT_SO_FAR,
    WIDE,
    core_theorem,
    main_term,
    paid_by,
    trivial,
)
from proofs_checks.derivations.learners import for_paper
from proofs_checks.derivations.nearby import chain
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.probabilities import LEVELED
from proofs_checks.derivations.rates import enough, leveled_enough
from proofs_checks.derivations.regret import LOAD, REGRET, WHOLE_REGRET
from proofs_checks.derivations.runs import product, settled
from proofs_checks.derivations.tail_series import BELOW
from proofs_checks.derivations.theorem import (
    Choice,
    accuracies,
    positive_product,
    radicand,
    sets_cover,
)
from proofs_checks.derivations.unions import square_below
from verify.kernel import terms, theorems
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

_CHOICE = "delta == 1/(2*K*H)"


def sharp_theorem(payment: str, *conditions: str, load: str = LOAD) -> str:
    """The regret of all decisions, for a learner with that payment."""
    text = f"{WHOLE_REGRET} <= {main_term(payment, LEVELED)} + {load} + 1"
    return chain(text, *conditions, BELOW, _CHOICE)


_SIZES = ("1 <= c", "0 <= w", "0 <= e")
ANY_SHARP = sharp_theorem(paid_by("c", "w"), *RIGHT_SO_FAR, *_SIZES, load=ANY_LOAD)
SHARP = sharp_theorem(paid_by("C*H + 1"))
_X = f"({WIDE.format(D=LEVELED)})"
_FEW = "K <= 11/2*S**2*A*(lmax*H + 1)**2"
_PAID = f"K*H <= 2*{_X}*sqrt({RADICAND})"
FEW, FORTY = (chain(_PAID, BELOW, _CHOICE, "1 < K*H", few) for few in (_FEW, "K <= 40"))


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
    """BELOW ⊢ H (v + 1) √(SAK) <= WAIT √(SAK) LEVELED."""
    narrow = theorems.cut(leveled_enough(D), D.at(enough(D), q=LEVELED))
    return D.linear(f"H*(lmax*H + 1)*sqrt(S*A*K) <= {_X}", D.times(narrow, D.known("sqrt", "S*A*K")))


def paid_for(D: Derivation, run: LongRun, *facts: Theorem) -> Theorem:
    """K H <= 2 WAIT √(SAK) LEVELED √RADICAND, from K <= 4 (v + 1)² SA RADICAND."""
    bound = f"2*(lmax*H + 1)*sqrt(S*A*K)*sqrt({RADICAND})"
    square = D.positive("sqrt-square", "S*A*K", D.whole("S*A*K"))
    other = D.positive("sqrt-square", RADICAND, run.positive)
    squared = D.linear(
        f"({bound})**2 == 4*(lmax*H + 1)**2*S*A*K*{RADICAND}",
        D.scaled(square, f"4*(lmax*H + 1)**2*sqrt({RADICAND})**2"),
        D.scaled(other, "4*(lmax*H + 1)**2*S*A*K"),
    )
    few = D.linear(f"K <= 4*(lmax*H + 1)**2*S*A*{RADICAND}", *facts)
    root = D.known("sqrt", RADICAND)
    sign = D.times(D.times(D.known("sqrt", "S*A*K"), root), D.linear("0 <= lmax*H + 1", run.value))
    below = D.linear(f"K**2 <= ({bound})**2", squared, D.times(few, D.whole("K")))
    episodes = square_below(D, below, D.linear(f"0 <= {bound}", sign), "K", bound)
    return D.linear(_PAID, D.times(episodes, D.fact("horizon")), D.times(wide_enough(D), root))


def few_are_paid(D: Derivation) -> Theorem:
    """K H <= the main term for K <= 11/2 S²A(v + 1)²."""
    run, few = LongRun(D, Choice(D, D.assume(_CHOICE))), D.assume(_FEW)
    whole = D.linear("0 <= (lmax*H + 1)**2", D.known("square", "lmax*H + 1"))
    half = D.times(D.pointwise("log(2) >= 11/16"), D.times(whole, D.whole("S**2*A")))
    low = D.times(D.times(run.low, D.whole("S*A")), whole)
    return D.imply(paid_for(D, run, few, half, low), BELOW, _CHOICE, "1 < K*H", _FEW)


def forty_are_paid(D: Derivation) -> Theorem:
    """K H <= the main term for K <= 40."""
    run, few = LongRun(D, Choice(D, D.assume(_CHOICE))), D.assume("K <= 40")
    episodes = D.fact("episodes")
    some = D.linear("0 < K", episodes)
    claim = D.closed(D.claim("thm:CT-UCB/lump-sum/few-episodes/any", K="K"), episodes, few, some)
    twice = D.pointwise("log(2*x) == log(2) + log(x)", "x > 0", x="2*K")
    twice = D.closed(twice, some)
    states = D.times(D.fact("states-some"), D.pointwise("log(2) >= 0"))
    base = D.linear(f"2*log(4*K) <= {RADICAND}", run.root, states, twice)
    whole = D.linear("0 <= (lmax*H + 1)**2 - 1", D.known("square", "lmax*H"), run.value)
    once = D.times(run.some, run.positive)
    again = D.times(D.times(whole, D.whole("S*A")), run.positive)
    return D.imply(paid_for(D, run, claim, base, once, again), BELOW, _CHOICE, "1 < K*H", "K <= 40")


def covered(D: Derivation, choice: Choice, few: Theorem, many: Theorem) -> Theorem:
    """P(𝒢^c) <= 2δ for K >= 40 and K > 11/2 S²A(v + 1)², whatever the horizon."""
    twice = D.linear("1/(K*H) == 2*delta", choice.chosen)

    def short(less: Theorem) -> Theorem:
        event = D.lemma("thm:CT-UCB/whole/event")
        event = D.mp(event, D.linear("S*A*H <= 1", less), D.assume("1 < K*H"), few, many, choice.chosen)
        event = D.at(event, n="m")
        return D.linear(terms.relation("<=", D.term("1 - 2*delta"), event.says.parts[1]), event, twice)

    tails = "thm:CT-UCB/lump-sum/tail"
    return D.cases("1 <= S*A*H", lambda _: sets_cover(D, choice, Fraction(11, 2), tails), short)


def any_sharp(D: Derivation) -> Theorem:
    """thm:CT-UCB/any-learner."""
    choice, given = Choice(D, D.assume(_CHOICE)), (D.assume(BELOW), D.assume(_CHOICE))
    payment = paid_by("c", "w")
    goal = f"{REGRET.format(m='m')} <= {main_term(payment, LEVELED)} + {ANY_LOAD} + 1"
    value = product(D, rate_bound(D), D.fact("horizon"))
    large, seen, error = (D.assume(one) for one in _SIZES)
    load = D.times(D.times(accuracies(D)[1], value), error)
    factor = D.linear("0 <= c", large)
    base = D.times(D.times(D.linear("0 <= lmax*H + 1", value), D.fact("horizon")), D.known("sqrt", "S*A*K"))
    sign = D.linear(f"0 <= {_X}", wide_enough(D), base)
    narrow = D.times(D.linear(f"0 <= {LEVELED}", leveled_enough(D), value), D.known("sqrt", "S*A*K"))
    roots = D.known("sqrt", RADICAND), D.times(D.known("sqrt", "2*L"), value)
    main = [
        D.times(one, k)
        for root in roots
        for one, k in ((D.times(root, sign), factor), (D.times(root, narrow), seen))
    ]
    more = D.times(D.times(roots[0], sign), D.linear("0 <= c - 1", large))

    def paid(label: str, few: Theorem) -> Theorem:
        few_paid = D.mp(D.lemma(label), *given, D.assume("1 < K*H"), few)
        return D.linear(goal, trivial(D), few_paid, more, *main, load)

    def enough_episodes(late: Theorem) -> Theorem:
        core = D.mp(D.lemma("thm:CT-UCB/main/any-learner"), *map(D.assume, RIGHT_SO_FAR), factor, seen, error)
        core = theorems.part(core, D.formula(core_theorem(payment, LEVELED, BELOW, load=ANY_LOAD)))
        event = covered(D, choice, D.linear("40 <= K", late), D.assume(terms.negation(D.formula(_FEW))))
        core = D.mp(D.at(core, q="2*delta"), given[0], LongRun(D, choice).positive, event)
        return D.linear(goal, core, choice.weight)

    def many(_: Theorem) -> Theorem:
        label = "thm:CT-UCB/lump-sum/few-episodes/any"
        return D.cases("K <= 40", lambda few: paid(label, few), enough_episodes)

    def long(_: Theorem) -> Theorem:
        return D.cases(_FEW, lambda few: paid("thm:CT-UCB/lump-sum/few-episodes", few), many)

    def short(one: Theorem) -> Theorem:
        return D.linear(goal, trivial(D), one, *main, load)

    every = D.bounded(D.cases("K*H <= 1", short, long), "m")
    return D.imply(every, *RIGHT_SO_FAR, *_SIZES, BELOW, _CHOICE)


def sharp(D: Derivation) -> Theorem:
    """thm:CT-UCB/sharp."""
    return for_paper(D, "thm:CT-UCB/any-learner", "1 <= C*H + 1")
