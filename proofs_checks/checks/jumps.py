"""Exact laws of empirical frequencies: how often the jump sets miss."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod

from flint import arb

from proofs_checks.checks.common import cases, scaled
from proofs_checks.checks.poisson import weight
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.computed import Case

_BITS = 128


def bracket(states: int, actions: int, episodes: int, horizon: Fraction, delta: Fraction) -> arb:
    """Λ at the precision that is set."""
    return arb(rational(2**states * states * actions * horizon * episodes**2 / delta)).log()


# --- no data ----------------------------------------------------------------------------------


_SMALL = (  # S, A, K, H, δ
    (2, 1, 1, Fraction(3, 80), Fraction(1, 4)),
    (2, 2, 10, Fraction(1), Fraction(1, 20)),
    (2, 1, 1, Fraction(3, 10), Fraction(1, 4)),
)


@cases("first episode")
def without_data(*, region: bool = False) -> list[Case]:
    """‖p - 0‖² = 1 against α² = 2Λ; with ``region`` only where 2^S SAHK² >= 2δ, which is above √e δ."""
    found = []
    for states, actions, episodes, horizon, delta in _SMALL:
        ratio = 2**states * states * actions * horizon * episodes**2 / delta
        if ratio >= 2 or not region:
            with precision(_BITS):
                right = 2 * bracket(states, actions, episodes, horizon, delta)
            text = f"S={states}, A={actions}, K={episodes}, H={horizon}, δ={delta}"
            again = f"from math import log; print(1 > 2*log({ratio.numerator}/{ratio.denominator}))"
            found.append(Case(text, 1, right, line=again))
    return found


# --- the union over the values of N -----------------------------------------------------------


def visits(mean: Fraction, n: int) -> arb:
    """P(N = n) in an episode from state 0 of 0 -> {1, 2} -> 0, one rate, λH = ``mean``: N = ⌈J/2⌉."""
    exact = arb(rational(mean))
    return weight(exact, 0) if n == 0 else weight(exact, 2 * n - 1) + weight(exact, 2 * n)


@cases("exact law", complete=True)
def more_than(episodes: int = 2) -> list[Case]:
    """P(more than K² jumps in K - 1 episodes), H = 1, all rates 1, is at least 1/300."""
    text, tail = _beyond(episodes)
    return [Case(text, tail, Fraction(1, 300), ">=")]


@cases("exact law")
def rarely_more_than(episodes: int) -> list[Case]:
    """The same probability is at most exp(-K²)."""
    text, tail = _beyond(episodes)
    with precision(_BITS * 4):
        return [Case(text, tail, (-arb(episodes**2)).exp())]


def _beyond(episodes: int) -> tuple[str, arb]:
    limit, mean = episodes**2, Fraction(episodes - 1)
    with precision(_BITS * 4):
        exact = arb(rational(mean))
        tail = 1 - sum((weight(exact, j) for j in range(limit + 1)), arb(0))
    return f"K = {episodes}, H = 1, one state, rate 1: P(N > HK² = {limit})", tail


# --- the lemma --------------------------------------------------------------------------------


@cases("exact law")
def short_and_fast(
    horizon: Fraction = Fraction(1, 480), draws: int = 12, *, uniform: bool = False, sets: int = 1
) -> list[Case]:
    """P(miss at k = 2) against ``sets``·δ, δ = 1/10.

    S = 3, A = 1, K = 2, from state 0 to 1 or 2 evenly and back, all rates 4/H.
    ``uniform``: with n(n + 1), n = max{1, N}, in the place of HK² in the radius.
    """
    delta = Fraction(1, 10)
    with precision(_BITS):
        missed, seen = arb(0), arb(0)
        for n in range(draws + 1):
            here, steps = visits(Fraction(4), n), Fraction(max(1, n) * (max(1, n) + 1), 4)
            level = 2 * bracket(3, 1, 2, steps if uniform else horizon, delta)
            seen += here
            for b in range(n + 1):
                square = (2 * abs(Fraction(b, n) - Fraction(1, 2))) ** 2 if n else Fraction(1)
                if arb(rational(square * max(1, n))) > level:  # certain, so the sum is a lower bound
                    missed += here * arb(rational(Fraction(comb(n, b), 2**n)))
        total = missed + arb(0).union(1 - seen)
    again = (  # two or three jumps are seen, and all lead to the same state
        "from math import exp, log; print(2*log(2) >= 1 and 2*log(2)/2 < 1 and exp(-4)*((4**3/6 + "
        "4**4/24)/2 "
        f"+ (4**5/120 + 4**6/720)/4) > {sets}/10)"
    )
    text = f"H = {horizon}, λ = {4 / horizon}: P(miss)"
    return [Case(text, total, sets * delta, line=again)]


# --- Weissman's inequality --------------------------------------------------------------------


_LAWS = tuple(
    tuple(Fraction(n, sum(row)) for n in row)
    for row in ((1, 1), (1, 2), (1, 9), (1, 1, 1), (2, 1, 1), (8, 1, 1))
)


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """The ways to write ``total`` as an ordered sum of ``parts`` counts."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in compositions(total - first, parts - 1))


def distances(law: tuple[Fraction, ...], draws: int) -> dict[Fraction, Fraction]:
    """The exact law of ‖p - p̂‖₁ after so many draws."""
    found: dict[Fraction, Fraction] = {}
    for counts in compositions(draws, len(law)):
        ways = factorial(draws) // prod(factorial(c) for c in counts)
        chance = ways * prod((p**c for p, c in zip(law, counts, strict=True)), start=Fraction(1))
        distance = sum((abs(p - Fraction(c, draws)) for p, c in zip(law, counts, strict=True)), Fraction(0))
        found[distance] = found.get(distance, Fraction(0)) + chance
    return found


@scaled("exact multinomial", "multinomial probabilities in fractions")
def weissman(effort: Effort, speed: Fraction = Fraction(1, 2)) -> list[Case]:
    """P(‖p - p̂‖₁ >= ε) against (2^S - 2) exp(-speed·nε²), at every ε that occurs."""
    found = []
    for law in _LAWS:
        for draws in range(1, effort.scaled(8, 20) + 1):
            chances = distances(law, draws)
            for epsilon in sorted(e for e in chances if e > 0):
                tail = sum((p for e, p in chances.items() if e >= epsilon), Fraction(0))
                with precision(_BITS):
                    exponent = arb(rational(-speed * draws * epsilon**2))
                    bound = (2 ** len(law) - 2) * exponent.exp()
                text = f"p = ({', '.join(map(str, law))}), n = {draws}, ε = {epsilon}"
                again = (
                    f"from math import exp; print({float(tail)!r} > {2 ** len(law) - 2}"
                    f"*exp(-{float(speed * draws * epsilon**2)!r}))"
                )
                found.append(Case(text, tail, bound, line=again))
    return found


@scaled("exact", "all subsets, in fractions")
def best_subset(effort: Effort, factor: int = 2) -> list[Case]:
    """‖p - p̂‖₁ against ``factor`` times the best p̂(B) - p(B), over all sets B."""
    found = []
    for law in _LAWS:
        for counts in compositions(effort.scaled(6, 15), len(law)):
            d = [Fraction(c, sum(counts)) - p for p, c in zip(law, counts, strict=True)]
            sets = product((0, 1), repeat=len(law))
            best = max(sum((x for x, chosen in zip(d, s, strict=True) if chosen), Fraction(0)) for s in sets)
            found.append(Case(f"p = {law}, counts {counts}", sum(map(abs, d)), factor * best, "=="))
    return found


# --- the jump sets, peel by peel --------------------------------------------------------------


def crossed(level: Fraction, steps: int) -> arb:
    """P(|S_m - m/2| > √(mΛ/2) for some m <= ``steps``) for a fair coin, by counting paths; Λ = ``level``."""
    with precision(_BITS):
        inside, gone = {0: arb(1)}, arb(0)  # heads minus tails
        for m in range(1, steps + 1):
            moved: dict[int, arb] = {}
            for place, chance in inside.items():
                for after in (place - 1, place + 1):
                    moved[after] = moved.get(after, arb(0)) + chance / 2
            gone += sum((c for z, c in moved.items() if z * z > 2 * m * level), arb(0))
            inside = {z: c for z, c in moved.items() if z * z <= 2 * m * level}
        return gone


@scaled("a fair coin", "paths counted in balls")
def coins(effort: Effort, speed: int = 1) -> list[Case]:
    """The exact probability of a miss among the first M draws of a fair coin, against 2J exp(1 - speed·Λ)."""
    found = []
    for level in (Fraction(3, 2), Fraction(3), Fraction(5), Fraction(8)):
        for steps in (4, 32, effort.scaled(100, 1000)):
            with precision(_BITS):
                w = arb(rational(level)).sqrt()
                number = 1 + (w + 1) * arb(steps).log() / 4
                bound = 2 * number * (1 - speed * arb(rational(level))).exp()
            found.append(Case(f"S = 2, Λ = {level}, M = {steps}", crossed(level, steps), bound))
    return found
