r"""What the claims of ``thm:lowerbound`` compute: both sides of each, on trees and on games.

On a tree the left side of a claim about rewards is the package's exact evaluation of a policy, the right side
the closed form of the law of the holding times.  On a game (see
:mod:`proofs_checks.checks.lower_bound_game`) both sides are finite sums over all histories, in rationals, for
arbitrary laws of the holding times and arbitrary adaptive algorithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil
from typing import Any

from flint import arb
from hypothesis import strategies as st

from ctucbvi.exact import evaluate, solve
from ctucbvi.policy import Policy
from proofs_checks.checks.common import cases, scaled
from proofs_checks.checks.lower_bound_game import (
    BITS,
    GOOD,
    Game,
    History,
    Moment,
    Tape,
    coin_divergence,
    distance,
)
from proofs_checks.checks.lower_bound_instances import (
    BINARY,
    SMALLEST,
    Tree,
    erlang_excess,
    excess_by_recursion,
    with_self_jumps,
    with_turns,
)
from verify.claims import Effort
from verify.provers.balls import precision, rational
from verify.provers.comparison import enclosing
from verify.provers.computed import Case
from verify.provers.search import Search

SAME = Fraction(1, 10**20)  # sides computed to more digits than this count as equal if they differ by less
REWARD_LINE = "from math import exp; print(exp(-1)+exp(-2) > 4*exp(-2)*(1-exp(-1)) + 0.16)"
RJ_LINE = (  # Δ/9 times what the product misses, times the chance of going on with pair 1 or without it
    "from math import exp; print((exp(-1)+exp(-2)-4*exp(-2)*(1-exp(-1)))/4/9*(1-3*exp(-2))/4 > 0.00066)"
)
OBSERVED_LINE = "from math import exp, log; print(((1-exp(-2)) - (1-3*exp(-2)))*-log(3/4)/2 > 0.0389)"
RATE_LINE = "l, p = 1, 0; print(l*(1 - p) > 0)"  # without self-jumps a state of rate 1 is left: not absorbing
TREES = (SMALLEST, BINARY, Tree(2, 3, Fraction(1, 8), Fraction(3), Fraction(5, 2), Fraction(1, 2)))
Example = tuple[Game, int, int]  # a game, a number of episodes, an instance


# --- trees ---------------------------------------------------------------------------------


@cases("rates", "the rates of the instances as the paper describes them")
def rates(*, self_jumps: bool) -> list[Case]:
    """Every rate of an instance is positive, as it is between λmin > 0 and λmax."""
    found = []
    for tree in (SMALLEST, BINARY):
        model = tree.model(1)
        if self_jumps:
            model = with_self_jumps(model, tree.rate)
        for pair in model.pairs:
            what = f"A={tree.actions}, d={tree.depth}: the rate of {model.states[pair.state]!r} is positive"
            found.append(Case(what, pair.rate, Fraction(0), ">", line=RATE_LINE))
    return found


@cases("values", "exact values with absorbing states and with self-jumps")
def same_values() -> list[Case]:
    """Self-jumps in the absorbing states change no value of a policy and no optimal value."""
    found = []
    follow = partial(evaluate, digits=25)
    for tree in TREES:
        model, policy = with_self_jumps(tree.model(1), tree.rate), tree.policy(1, 1, 2)
        rules = dict(zip(model.states, policy.rules, strict=True))
        values = {
            "optimal": (tree.optimal(1), solve(model, digits=25).value("n1")),
            "threshold policy": (tree.value(1, 1, 2), follow(Policy.of(model, rules)).value("n1")),
        }
        for name, (left, right) in values.items():
            what = f"A={tree.actions}, d={tree.depth}, {name}: |value absorbing - value with self-jumps|"
            found.append(Case(what, distance(left, right), SAME))
    return found


@scaled("nodes", "the states of the instances but the good and the bad one")
def nodes(effort: Effort, more: int = 0) -> list[Case]:
    """The nodes of the instances' trees, counted, against ``(A^d - 1)/(A - 1) + more``."""
    found = []
    for actions, depth in product(range(2, effort.scaled(5, 7)), range(1, 4)):
        count = len(Tree(actions, depth).model(0).states) - 2
        what = f"A={actions}, d={depth}: nodes of the tree"
        found.append(Case(what, count, Fraction(actions**depth - 1, actions - 1) + more, "=="))
    return found


@scaled("excess", "closed form in balls")
def long_enough(effort: Effort, factor: Fraction = Fraction(1)) -> list[Case]:
    """``E(H - γ_d)^+ >= c2 H`` with the largest c2 that is allowed, 1 - d/(λH) (times ``factor``)."""
    found = []
    for depth, load in product(range(1, effort.scaled(5, 20)), (Fraction(11, 10), Fraction(2), Fraction(9))):
        tree = Tree(2, depth, rate=depth * load / 2)  # H = 2, so that λH = d·load
        what = f"d={depth}, λH={depth * load}: E(H - γ_d)^+"
        found.append(Case(what, tree.excess, factor * 2 * (1 - 1 / load), ">="))
    return found


@scaled("planner", "the exact planner on whole trees against the closed form")
def optimal(effort: Effort, factor: Fraction = Fraction(1)) -> list[Case]:
    """``V* = E(H - γ_d)^+ (1/2 + Δ)``; ``factor`` multiplies the gap, for a wrong formula."""
    found = []
    shapes = [(2, 1), (2, 2), (2, 3), (3, 2), (5, 2)] + [(2, 4), (3, 3), (2, 6)] * effort.scaled(0, 1)
    for actions, depth in shapes:
        for gap, rate, horizon in (("1/8", 1, 2), ("1/3", "5/2", "7/3")):
            tree = Tree(actions, depth, Fraction(gap), Fraction(rate), Fraction(horizon))
            with precision(BITS):
                right = tree.excess * (arb(1) / 2 + rational(factor * tree.gap))
            what = f"A={actions}, d={depth}, Δ={gap}, λ={rate}, H={horizon}: |V* - closed form|"
            found.append(Case(what, distance(tree.optimal(1), right), SAME))
    return found


@scaled("functions", "exponential polynomials with exact coefficients, for all t at once")
def erlang(effort: Effort, shift: int = 0) -> list[Case]:
    """The closed form of ``E(t - γ_h)^+`` against h convolutions; ``shift`` spoils h."""
    found = []
    for rate in (Fraction(1), Fraction(2, 3), Fraction(7)):
        for stages in range(1, effort.scaled(10, 40)):
            same = erlang_excess(rate, stages + shift) == excess_by_recursion(rate, stages)
            what = f"λ={rate}, h={stages}: the two functions of t are the same"
            found.append(Case(what, Fraction(same), Fraction(1), "=="))
    return found


@cases("episodes", "exact evaluation of time-dependent policies on whole trees")
def reward(*, biased: bool) -> list[Case]:
    """``E[reward of an episode]`` against ``E(H - γ_d)^+ (1/2 + Δ P(pair j is visited))``."""
    found = []
    for tree in TREES:
        for early, late in ((1, 2), (2, 1), (1, 1), (2, 2)):
            game = Game(tree.moments, tree.pairs, rational(tree.gap), _Always((early, late)))
            with precision(BITS):
                visited = game.visit(1, 1, 1, biased=biased)
                right = tree.excess * (arb(1) / 2 + rational(tree.gap) * visited)
            what = (
                f"{tree}, j=1: pair {early} if the leaf is entered by time {tree.early}, "
                f"else pair {late}: |reward - product|"
            )
            found.append(Case(what, distance(tree.value(1, early, late), right), SAME, line=REWARD_LINE))
    return found


@dataclass(frozen=True)
class _Always:
    """Whatever was seen, these pairs."""

    pairs: tuple[int, ...]

    def __call__(self, history: History) -> tuple[int, ...]:
        del history
        return self.pairs


def stay_if_good(history: History) -> tuple[int, ...]:
    """Pair 1 first; then pair 1 again if it was good and the leaf is entered early, else pair 2."""
    if not history:
        return 1, 1
    return (1, 2) if history[-1][2] == GOOD else (2, 2)


@scaled("regret", "exact values of the policies of every history, in every instance")
def average_regret(effort: Effort, *, biased: bool) -> list[Case]:
    """The average of ``R_j`` against ``K W Δ (1 - Σ_j visits to j in instance j/(K L A))``."""
    found = []
    for tree in TREES:
        for episodes in range(1, effort.scaled(3, 4)):
            game = Game(tree.moments, tree.pairs, rational(tree.gap), stay_if_good)
            with precision(BITS):
                share = game.own_visits(episodes, biased=biased) / (episodes * tree.pairs)
                right = episodes * tree.excess * rational(tree.gap) * (1 - share)
                left = sum((_regret(tree, game, j, episodes) for j in range(1, tree.pairs + 1)), arb(0))
                left /= tree.pairs
            what = (
                f"{tree}, K={episodes}: pair 1, after a good jump again if early, else pair 2: "
                "|average of R_j - formula|"
            )
            found.append(Case(what, distance(left, right), SAME, line=RJ_LINE))
    return found


def _regret(tree: Tree, game: Game, instance: int, episodes: int) -> arb:
    total, best = arb(0), enclosing(tree.optimal(instance))
    for k in range(episodes):
        for history, chance in game.histories(instance, k).items():
            early, late = game.algorithm(history)
            total += enclosing(chance) * (best - enclosing(tree.value(instance, early, late)))
    return total


@cases("observed", "finite sums in balls over all outcomes of an episode")
def observed_divergence(*, all_visits: bool) -> list[Case]:
    """One episode that goes to pair j: what is seen in [0, H] against visits times the coin's divergence."""
    found = []
    for tree in (SMALLEST, BINARY):
        game = Game(tree.moments, tree.pairs, rational(tree.gap), _Always((1, 1)))
        with precision(BITS):
            entered = tree.jumps(tree.depth - 1, tree.horizon)
            visits = entered if all_visits else game.seen_visits(1, 1)
            left, right = game.divergence(1, 1), visits * coin_divergence(tree.gap)
        what = f"{tree}, K=1: |KL - E_0 T_j kl|"
        found.append(Case(what, distance(left, right), SAME, line=OBSERVED_LINE))
    return found


@scaled("trees", "small trees, each at the smallest K that is allowed")
def largest_gap(effort: Effort, *, repaired: bool) -> list[Case]:
    """``Δ^2 <= 1/16`` for the proof's Δ, at the smallest K >= SA/2 (or at the repaired threshold)."""
    found = []
    for depth, actions in product(range(2, effort.scaled(5, 9)), range(2, effort.scaled(6, 20))):
        tree = Tree(actions, depth)
        if tree.states < 6:
            continue
        n = Fraction(tree.pairs)
        episodes = ceil(2 * n * (1 - 1 / n) ** 2 if repaired else Fraction(tree.states * actions, 2))
        what = f"A={actions}, d={depth}, S={tree.states}, K={episodes}: the square of Δ is at most 1/16"
        found.append(Case(what, (1 - 1 / n) ** 2 * n / (8 * episodes), Fraction(1, 16)))
    return found


@cases("turns", "exact values with absorbing states and with turns")
def turns(factor: Fraction = Fraction(1)) -> list[Case]:
    """Rates, and values with turns against those with absorbing states (``factor`` spoils the rate)."""
    found = []
    for tree in TREES:
        model = with_turns(tree.model(1), tree.rate * factor)
        lowest = min(row.rate for row in model.transitions if all(y != row.state for y, _ in row.to))
        found.append(
            Case(f"{tree}: the smallest rate, of a state that jumps to others", lowest, tree.rate, "==")
        )
        policy = tree.policy(1, 1, 2)
        rules = dict(zip(policy.model.states, policy.rules, strict=True))
        rules |= {f"{x}'": rules[x] for x in policy.model.states if f"{x}'" in model.states}
        follow = evaluate(Policy.of(model, rules), digits=25).value("n1")
        values = {
            "optimal": (tree.optimal(1), solve(model, digits=25).value("n1")),
            "threshold policy": (tree.value(1, 1, 2), follow),
        }
        for name, (left, right) in values.items():
            found.append(
                Case(f"{tree}, {name}: |value absorbing - value with turns|", distance(left, right), SAME)
            )
    return found


# --- games ---------------------------------------------------------------------------------


def games(*, all_seen: bool = False) -> Any:
    """Games with rational numbers and arbitrary algorithms, a number of episodes and an instance."""

    @st.composite
    def build(draw: Any) -> Example:
        pairs, moments = draw(st.integers(2, 3)), draw(st.integers(1, 2))
        parts = [
            draw(st.tuples(st.integers(1, 6), st.integers(0, 4), st.integers(0, 6))) for _ in range(moments)
        ]
        total = sum(seen + missed for seen, missed, _ in parts)
        law = []
        for i, (seen, missed, weight) in enumerate(parts):
            chance = Fraction(seen + missed, total)
            lost = Fraction(0) if all_seen else Fraction(missed, total)
            law.append(Moment(chance - lost, lost, Fraction(weight + (i == 0))))
        cells = draw(st.lists(st.integers(1, pairs), min_size=5, max_size=23))
        gap = Fraction(draw(st.integers(1, 10)), 40)  # up to 1/4
        game = Game(tuple(law), pairs, gap, Tape(tuple(cells), moments))
        return game, draw(st.integers(1, 3)), draw(st.integers(1, pairs))

    return build()


def divergence(*, biased: bool, factor: int = 1) -> Search:
    """``KL(P_0, P_j)`` by its definition against ``E_0 T_j kl``; ``factor`` spoils the latter."""

    def sides(example: Example) -> tuple[Any, Any]:
        game, episodes, instance = example
        left = game.divergence(instance, episodes, then_biased=biased)
        with precision(BITS):
            right = coin_divergence(game.gap) * enclosing(game.seen_visits(instance, episodes)) * factor
        return distance(left, right), SAME

    return Search(examples=(60, 600), given=games(all_seen=not biased), sides=sides, title="games")


def sum_of_visits(*, biased: bool, share: Fraction = Fraction(1)) -> Search:
    """``(Σ_j E_j T_j - K)^2 <= 2 share^2 Δ^2 L A K^3``: squared, as it stands in rationals."""

    def sides(example: Example) -> tuple[Any, Any]:
        game, episodes, _ = example
        excess = max(game.own_visits(episodes, biased=biased) - episodes, Fraction(0))
        return excess**2, 2 * share**2 * game.gap**2 * game.pairs * Fraction(episodes) ** 3

    return Search(examples=(60, 200), given=games(), sides=sides, title="games")


# --- laws -----------------------------------------------------------------------------------


def processed(factor: Fraction = Fraction(1)) -> Search:
    """``kl(E_0 Z, E_j Z)`` against ``KL(P_0, P_j)``, times ``factor``, for finite laws and Z in [0, 1]."""

    def divergence_of(first: list[Fraction], second: list[Fraction]) -> arb:
        pairs = [(p, q) for p, q in zip(first, second, strict=True) if p]
        return sum((rational(p) * arb(rational(p / q)).log() for p, q in pairs), arb(0))

    def sides(outcomes: list[tuple[int, int, Fraction]]) -> tuple[arb, arb]:
        p, q = ([Fraction(o[i], sum(x[i] for x in outcomes)) for o in outcomes] for i in (0, 1))
        z = [o[2] for o in outcomes]
        means = [sum((w * v for w, v in zip(law, z, strict=True)), Fraction(0)) for law in (p, q)]
        with precision(BITS):
            coins = divergence_of(*([mean, 1 - mean] for mean in means))
            return coins, rational(factor) * divergence_of(p, q) + rational(SAME)

    parts = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1)])
    outcome = st.tuples(st.integers(1, 9), st.integers(1, 9), parts)
    given = st.lists(outcome, min_size=1, max_size=5).map(lambda found: [*found, (1, 1, Fraction(1, 2))])
    return Search(examples=(100, 2000), given=given, sides=sides, title="finite laws")
