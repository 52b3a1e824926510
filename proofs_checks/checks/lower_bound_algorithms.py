r"""The best of all algorithms on the trees of ``thm:lowerbound``, against the bounds that are claimed.

By :func:`~proofs_checks.checks.lower_bound_game.least_average_regret` the least average regret over the
instances, in units of :math:`W = E[(H-\gamma_d)^+]`, that any algorithm reaches, for a law of the moments at
which the leaf is entered.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil, isqrt

from flint import arb

from proofs_checks.checks.common import scaled
from proofs_checks.checks.lower_bound_game import BITS, Moment, least_average_regret
from proofs_checks.checks.lower_bound_instances import BINARY, SMALLEST
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.computed import Case

METHOD = "dynamic programming over all algorithms, in rationals"
LAWS = {
    "time does not matter": (Moment(Fraction(1), Fraction(0), Fraction(1)),),
    "late jumps earn little": (
        Moment(Fraction(1, 2), Fraction(0), Fraction(99)),
        Moment(Fraction(1, 2), Fraction(0), Fraction(1)),
    ),
    "late jumps are often missed": (
        Moment(Fraction(2, 5), Fraction(1, 10), Fraction(3)),
        Moment(Fraction(1, 5), Fraction(3, 10), Fraction(1)),
    ),
}


@scaled("every algorithm", METHOD)
def every_algorithm(effort: Effort, constant: Fraction, more: int = 0) -> list[Case]:
    """The best of all algorithms: the square of its average regret over W against that of the bound.

    ``more`` states are added to those of the tree.
    """
    found = []
    everything = list(product((BINARY, SMALLEST), LAWS.items()))
    for tree, (law, moments) in everything[: effort.scaled(2, 6)]:
        size = (tree.states + more) * tree.actions
        first = ceil(Fraction(size, 2))
        last = first + effort.scaled(1, 1 if more else 4)  # work grows fast with K
        for episodes in range(first, last):
            gap = Fraction(isqrt(100 * size // episodes), 40)  # just below √(SA/K)/4
            least = least_average_regret(moments, tree.pairs, gap, episodes)
            what = f"A={tree.actions}, d={tree.depth}, K={episodes}, Δ={gap}, {law}: squared, over W^2"
            found.append(Case(what, least**2, constant**2 * size * episodes, ">="))
    return found


@scaled("few episodes", METHOD)
def few_episodes(effort: Effort, constant: Fraction) -> list[Case]:
    """For ``K < SA/2`` and Δ just below √2/4: against ``constant`` √2 K, both squared, in units of W."""
    found = []
    gap = Fraction(7, 20)
    for tree, (law, moments) in list(product((BINARY, SMALLEST), LAWS.items()))[: effort.scaled(2, 6)]:
        for episodes in range(1, ceil(Fraction(tree.states * tree.actions, 2))):
            least = least_average_regret(moments, tree.pairs, gap, episodes)
            what = f"A={tree.actions}, d={tree.depth}, K={episodes}, Δ={gap}, {law}: squared, over W^2"
            found.append(Case(what, least**2, 2 * (constant * episodes) ** 2, ">="))
    return found


@scaled("long horizons", METHOD)
def long_horizons(effort: Effort, constant: Fraction) -> list[Case]:
    """At ``K = SA/2``, with the largest c2 that is allowed, 1 - d/(λH): against ``constant`` c2 H √(SAK)."""
    found = []
    law = LAWS["time does not matter"]
    for tree in (BINARY, SMALLEST):
        size = tree.states * tree.actions
        episodes = ceil(Fraction(size, 2))
        gap = Fraction(isqrt(100 * size // episodes), 40)
        least = least_average_regret(law, tree.pairs, gap, episodes)
        for load in range(2, effort.scaled(6, 30)):
            long = replace(tree, gap=gap, rate=Fraction(tree.depth * load, 2))  # H = 2, so that λH = d·load
            with precision(BITS):
                share = constant * 2 * (1 - Fraction(1, load))
                right = rational(share) * arb(size * episodes).sqrt()
                left = long.excess * rational(least)
            found.append(Case(f"{long}, K={episodes}: average regret", left, right, ">="))
    return found


@scaled("another gap", METHOD)
def three_tenths(effort: Effort, share: Fraction) -> list[Case]:
    """With Δ = (3/10)√(n/K), rounded down: against ``share`` (1 - 1/n)√(nK)/(4√2), squared, in units of W."""
    found = []
    for tree, (law, moments) in list(product((BINARY, SMALLEST), LAWS.items()))[: effort.scaled(2, 6)]:
        n, episodes = tree.pairs, ceil(Fraction(tree.states * tree.actions, 2))
        gap = Fraction(3 * isqrt(10**4 * n // episodes), 1000)
        least = least_average_regret(moments, n, gap, episodes)
        right = (share * (1 - Fraction(1, n))) ** 2 * n * episodes / 32
        what = f"A={tree.actions}, d={tree.depth}, K={episodes}, Δ={gap}, {law}: squared, over W^2"
        found.append(Case(what, least**2, right, ">="))
    return found
