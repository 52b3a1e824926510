r"""Weissman's inequality, which ``lem:CI-p`` rests on: how far empirical frequencies are from the law.

For :math:`n` independent draws from :math:`p` on :math:`S` states, with :math:`d = \hat p - p`:
:math:`\|d\|_1 = 2\max_B d(B)`.  For a set :math:`B` the number of draws in it is binomial, and by
Hoeffding's lemma :math:`P(d(B) \ge \epsilon/2) \le e^{n(-s\epsilon/2 + s^2/8)}`, which is
:math:`e^{-n\epsilon^2/2}` at :math:`s = 2\epsilon`.  The empty set and the whole one have
:math:`d(B) = 0`, so that :math:`2^S-2` sets remain.

Beside the proof stand exact multinomial probabilities in fractions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import factorial, prod

from flint import arb

from proofs_checks.variants import changed
from verify.claims import Claim, Domain, Effort, Kind, claim
from verify.provers.balls import precision, rational
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.proof import Proof
from verify.provers.search import Search

_BITS = 128
_PROOF = (Proof(), Search(examples=(60, 2000)))

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


def weissman(speed: Fraction = Fraction(1, 2)) -> Computed:
    """P(‖p - p̂‖₁ >= ε) against (2^S - 2) exp(-speed·nε²), at every ε that occurs."""

    def compute(effort: Effort) -> Outcome:
        cases = []
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
                    cases.append(Case(text, tail, bound, line=again))
        return Outcome(cases, method="multinomial probabilities in fractions")

    return Computed(compute, "exact multinomial")


def best_subset(factor: int = 2) -> Computed:
    """‖p - p̂‖₁ against ``factor`` times the best p̂(B) - p(B), over all sets B."""

    def compute(effort: Effort) -> Outcome:
        cases = []
        for law in _LAWS:
            for counts in compositions(effort.scaled(6, 15), len(law)):
                d = [Fraction(c, sum(counts)) - p for p, c in zip(law, counts, strict=True)]
                sets = product((0, 1), repeat=len(law))
                best = max(
                    sum((x for x, chosen in zip(d, s, strict=True) if chosen), Fraction(0)) for s in sets
                )
                cases.append(Case(f"p = {law}, counts {counts}", sum(map(abs, d)), factor * best, "=="))
        return Outcome(cases, method="all subsets, in fractions")

    return Computed(compute, "exact")


SUBSETS = claim(
    "lem:CI-p/subsets",
    "‖p̂ - p‖₁ = 2 max_B (p̂(B) - p(B)) for probability vectors: termwise |d| <= 2 max(d, 0) - d (equal), "
    "the d add up to 0, and the best B are the states with d > 0.",
    says="Abs(d) <= 2*Max(d, 0) - d",
    domain=Domain.of("-1 <= d <= 1"),
    source="lem:CI-p/weissman",
    kind=Kind.REPAIR,
    checks=(best_subset(), *_PROOF),
    argued="summing over the states, where the d add up to 0",
    expected="tested",
    latex=r"\|\hat p-p\|_1 = 2\max_B(\hat p(B)-p(B))",
)

HOEFFDING = claim(
    "lem:CI-p/hoeffding",
    "ln E exp(s(X - p)) <= s²/8 for X = 1 with probability p and 0 otherwise, s >= 0 (Hoeffding's lemma).",
    says="log(1 - p + p*exp(s)) - s*p <= s**2/8",
    domain=Domain.of("0 <= p <= 1", "s >= 0"),
    source="lem:CI-p/weissman",
    kind=Kind.REPAIR,
    checks=_PROOF,
    expected="proved",
)

WEISSMAN = claim(
    "lem:CI-p/weissman",
    "For n independent draws and ε > 0: P(‖p - p̂‖₁ >= ε) <= (2^S - 2) exp(-nε²/2). Each set B other than "
    "none and all costs exp(n(-sε/2 + s²/8)), s = 2ε.",
    says="(2**S - 2)*exp(n*(-(2*e)*e/2 + (2*e)**2/8)) == (2**S - 2)*exp(-n*e**2/2)",
    domain=Domain.of("S >= 1", "n >= 1", "e > 0", integers="S n"),
    source="lem:CI-p",
    kind=Kind.STEP,
    uses=("lem:CI-p/subsets", "lem:CI-p/hoeffding"),
    checks=(weissman(), *_PROOF),
    argued="Markov's inequality for each set B, and the union over them",
    expected="tested",
    latex=r"\mathbb P(\|p-\hat p\|_1 \ge \epsilon) \le (2^S-2)e^{-n\epsilon^2/2}",
)

CLAIMS = (SUBSETS, HOEFFDING, WEISSMAN)

MUTANTS: Mapping[str, Claim] = {
    "lem:CI-p/weissman": replace(WEISSMAN, checks=(weissman(Fraction(1)),)),
    "lem:CI-p/subsets": replace(SUBSETS, checks=(best_subset(1),)),
    "lem:CI-p/hoeffding": changed(HOEFFDING, "log(1 - p + p*exp(s)) - s*p <= s**2/9"),
}

FINDINGS: Mapping[str, Mapping[str, str]] = {}
