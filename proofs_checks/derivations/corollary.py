"""The corollary of ``thm:CT-UCB`` with explicit constants: eq:regret-b1."""

from __future__ import annotations

from proofs_checks.derivations.every_horizon import pair_number
from proofs_checks.derivations.longest import FACTOR
from proofs_checks.derivations.potentials import rate_bound
from proofs_checks.derivations.probabilities import WAIT, waits
from proofs_checks.derivations.rates import factor_at_least
from proofs_checks.derivations.regret import WHOLE_REGRET
from proofs_checks.derivations.runs import either, product, settled
from proofs_checks.derivations.theorem import CHOICE, LOGARITHM, PRINTED, ROOTS, logarithm
from proofs_checks.derivations.unions import square_below
from verify.kernel import terms
from verify.kernel.authoring import Derivation
from verify.kernel.theorems import Theorem

ACCURACIES = "Imp(1/2 <= u, Sum(k, m, exp(-u*log(k + 1))) <= 2*sqrt(m))"
POWERS = "All(k, eps(k) == exp(-u*log(k + 1) - lmax*H))"
LOGS = f"(2 + 16*{LOGARITHM})"
REST = f"lmax**2*H**2*{WAIT}*sqrt(S*A*K)*(sqrt(S) + lmax*H)"  # all but constants and logarithms
ORDER = f"(16*sqrt({LOGS})*{FACTOR} + 3)*{REST}"
CONDITIONS = ("1 < lmax", "1 < H", "1/2 <= u", POWERS)


def given(text: str, *more: str) -> str:
    """The text for λmax, H > 1 and these accuracies."""
    for one in reversed((*CONDITIONS, *more)):
        text = f"Imp({one}, {text})"
    return text


BOUND = given(f"{PRINTED} <= {ORDER}")
REPAIRED = given(f"{WHOLE_REGRET} <= {ORDER}", "delta == 1/(2*K*H)")


def accuracies(D: Derivation) -> Theorem:
    """Σ_{k <= m} k^(-u) <= 2√m for u >= 1/2, by induction."""
    number = D.linear("1 <= m + 1", D.whole("m"))
    spare = D.linear("0 <= u - 1/2", D.assume("1/2 <= u"))
    small = D.pointwise("exp(-(1/2 + y)*log(x)) <= 1/sqrt(x)", "x >= 1", "y >= 0", x="m + 1", y="u - 1/2")
    small = settled(D, small, number, spare)
    step = settled(D, D.claim("eq:regret-b1/epsilon", k="m"), number, D.whole("m"))

    def claim(m: str) -> str:
        return f"Sum(k, {m}, exp(-u*log(k + 1))) <= 2*sqrt({m})"

    shown = D.induction(
        "m", claim("m"), D.linear(claim("0")), lambda below: D.linear(claim("m + 1"), below, small, step)
    )
    return D.imply(shown, "1/2 <= u")


class Large:
    """What λmax, H > 1 gives."""

    def __init__(self, D: Derivation) -> None:
        self.D = D
        self.rate, self.horizon = D.assume("1 < lmax"), D.assume("1 < H")
        self.value = product(D, rate_bound(D), D.fact("horizon"))
        self.v = D.linear("1 < lmax*H", D.times(self.rate, D.fact("horizon")), self.horizon)
        some = pair_number(D)
        pairs = D.times(D.times(some, D.whole("K")), D.fact("horizon"))
        long = D.times(self.horizon, D.whole("K"))
        self.volume = D.linear("1 <= 2*S*A*K*H", pairs, long, D.fact("episodes"))
        self.real = logarithm(D, self.volume)
        self.wait = D.linear(
            f"1 <= {WAIT}", self.horizon, D.positive("inverse-positive", "lmin", D.fact("lmin"))
        )

    def share(self) -> Theorem:
        """CH <= 8/5 v."""
        D, ratio = self.D, "lmax/(1 - exp(-lmax*H))"
        below = D.linear(
            "0 < 1 - exp(-lmax*H)", D.closed(D.pointwise("exp(-v) < 1", "v > 0", v="lmax*H"), self.value)
        )
        claim = settled(D, D.claim("eq:regret-b1/bonus", v="lmax*H"), self.v, below)
        inverse = D.positive("inverse-positive", "1 - exp(-lmax*H)", below)
        unit = D.positive("inverse", "1 - exp(-lmax*H)", below)
        least = D.times(D.times(D.known("exp", "-lmax*H"), inverse), rate_bound(D))
        large = D.linear(f"1 <= {ratio}", least, D.scaled(unit, "lmax"), self.rate)
        cases = D.known("max-cases", ratio, "1")
        goal = f"C <= {ratio}"
        most = D.split(
            cases,
            lambda one: D.linear(goal, one, D.fact("C"), large),
            lambda one: D.linear(goal, one, D.fact("C"), large),
        )
        return D.linear("C*H <= 8/5*(lmax*H)", D.times(most, D.fact("horizon")), claim)

    def bonus(self) -> Theorem:
        """3 (CH + 1)(v + 1) <= 16 v²."""
        D, share = self.D, self.share()
        up = D.times(share, D.linear("0 <= lmax*H + 1", self.value))
        square = D.times(self.v, D.linear("0 <= lmax*H - 1", self.v))
        return D.linear("3*(C*H + 1)*(lmax*H + 1) <= 16*(lmax*H)**2", up, square, self.v)

    def roots(self) -> Theorem:
        """ROOTS <= √(2 + 16l) (√S + v)."""
        D, target = self.D, f"(2*S + 6*{LOGARITHM})"
        squares = [
            D.positive("sqrt-square", text, D.linear(f"0 <= {text}", self.real, D.whole("S")))
            for text in (target, LOGS, "S", LOGARITHM)
        ]
        more = D.times(D.linear("0 <= S - 1", D.fact("states-some")), self.real)
        first = D.linear(
            f"sqrt({target})**2 <= (sqrt({LOGS})*sqrt(S))**2",
            squares[0], D.scaled(squares[1], "sqrt(S)**2"), D.scaled(squares[2], LOGS), more, self.real,
        )  # fmt: skip
        sign = D.times(D.known("sqrt", LOGS), D.known("sqrt", "S"))
        first = square_below(D, first, sign, f"sqrt({target})", f"sqrt({LOGS})*sqrt(S)")
        second = D.linear(f"(4*sqrt({LOGARITHM}))**2 <= sqrt({LOGS})**2", squares[1], squares[3])
        second = square_below(D, second, D.known("sqrt", LOGS), f"4*sqrt({LOGARITHM})", f"sqrt({LOGS})")
        return D.linear(f"{ROOTS} <= sqrt({LOGS})*(sqrt(S) + lmax*H)", first, D.times(second, self.value))


def room(D: Derivation, large: Large, *factors: tuple[str, Theorem]) -> Theorem:
    """2√K + 1 <= 3 √(SAK) (√S + v) times all factors, each with 1 <= factor."""
    root = settled(D, D.pointwise("sqrt(n) >= 1", "n >= 1", n="K"), D.fact("episodes"))
    count = D.pointwise("sqrt(x) <= sqrt(x + d)", "x >= 0", "d >= 0", x="K", d="S*A*K - K")
    more = D.linear("0 <= S*A*K - K", D.times(pair_number(D), D.whole("K")))
    count = D.closed(count, D.whole("K"), more, D.whole("S*A*K"))
    sides = D.linear("1 <= sqrt(S) + lmax*H", large.v, D.known("sqrt", "S"))
    pairs = D.linear("1 <= sqrt(S*A*K)", root, count)
    steps: list[Theorem] = []
    left = "sqrt(S*A*K)"
    for text, one in (*factors, ("(sqrt(S) + lmax*H)", sides)):
        sign = D.linear(f"0 <= {left}", pairs, *steps)
        steps.append(D.linear(f"{left} <= {left}*{text}", D.times(D.linear(f"0 <= {text} - 1", one), sign)))
        left = f"{left}*{text}"
    return D.linear(f"2*sqrt(K) + 1 <= 3*{left}", root, count, *steps)


def powers(D: Derivation) -> Theorem:
    """1/2 <= u ⊢ Σ_{k <= K} k^(-u) <= 2√K."""
    return D.at(D.mp(D.lemma("eq:regret-b1/epsilon"), D.assume("1/2 <= u")), m="K")


def errors(D: Derivation, large: Large) -> Theorem:
    """Σ ε e^v + 1 <= 3 v² WAIT √(SAK) (√S + v)."""
    each = D.sum(D.scaled(D.special(D.assume(POWERS), "k"), "exp(lmax*H)"), "k", "K")
    square = D.linear("1 <= lmax**2*H**2", D.times(large.v, D.linear("0 <= lmax*H", large.value)), large.v)
    more = room(D, large, ("lmax**2*H**2", square), (WAIT, large.wait))
    goal = terms.relation("<=", D.term("Sum(k, K, eps(k))*exp(lmax*H) + 1"), more.says.parts[1])
    return D.linear(goal, each, powers(D), more)


def bound(D: Derivation) -> Theorem:
    """eq:regret-b1."""
    large = Large(D)
    roots, bonus = large.roots(), large.bonus()
    factor = D.linear(f"0 <= {FACTOR}", factor_at_least(D))
    wide = D.times(D.times(factor, D.known("sqrt", "S*A*K")), waits(D))
    top = D.linear(
        f"0 <= {ROOTS}",
        D.known("sqrt", f"2*S + 6*{LOGARITHM}"),
        D.times(D.known("sqrt", LOGARITHM), large.value),
    )
    first = D.times(D.times(bonus, wide), top)
    second = D.times(D.times(roots, wide), D.linear("0 <= 16*(lmax*H)**2", D.known("square", "4*lmax*H")))
    return D.imply(D.linear(f"{PRINTED} <= {ORDER}", first, second, errors(D, large)), *CONDITIONS)


def repaired(D: Derivation) -> Theorem:
    """eq:regret-b1/repaired."""
    large, choice = Large(D), either(D, D.assume("delta == 1/(2*K*H)"), CHOICE)
    regret = D.mp(D.lemma("thm:CT-UCB/repaired"), large.volume, choice)
    order = D.mp(D.lemma("eq:regret-b1"), *map(D.assume, CONDITIONS))
    shown = D.linear(f"{WHOLE_REGRET} <= {ORDER}", regret, order)
    return D.imply(shown, *CONDITIONS, "delta == 1/(2*K*H)")
