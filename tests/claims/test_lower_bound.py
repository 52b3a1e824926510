"""The lower bound: the law of its holding times, its games, and what the paper's claims rest on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given

from proofs_checks import SOURCE
from proofs_checks.checks import lower_bound_algorithms as best
from proofs_checks.checks import lower_bound_sizes as partly_filled
from proofs_checks.checks.lower_bound import TREES, games, stay_if_good
from proofs_checks.checks.lower_bound_game import BITS, Game, History, Moment, distance, least_average_regret
from proofs_checks.checks.lower_bound_instances import (
    SMALLEST,
    Tree,
    erlang_excess,
    excess_by_recursion,
    with_turns,
)
from proofs_checks.checks.lower_bound_sizes import Filled
from verify.claims import Effort
from verify.provers.balls import precision
from verify.provers.comparison import holds
from verify.running.engine import run_claim
from verify.running.loading import load_claims

TINY = Fraction(1, 10**20)


@pytest.mark.parametrize("stages", range(1, 7))
def test_the_erlang_excess_is_what_convolutions_give(stages: int) -> None:
    rate = Fraction(5, 3)
    assert erlang_excess(rate, stages) == excess_by_recursion(rate, stages)
    assert erlang_excess(rate, stages + 1) != excess_by_recursion(rate, stages)


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_moments_are_a_law_and_give_the_values_of_policies(tree: Tree) -> None:
    early, late = tree.moments
    with precision(BITS):
        assert holds(distance(early.chance + late.chance, 1), "<=", TINY)
        right = tree.excess / 2 + early.weight * tree.gap.numerator / tree.gap.denominator
    assert holds(distance(tree.value(1, 1, 2), right), "<=", TINY)
    assert holds(distance(tree.value(1, 2, 1), right), "<=", TINY) is False


@given(games())
def test_histories_are_a_law_and_every_episode_visits_one_pair(example: tuple[Game, int, int]) -> None:
    game, episodes, instance = example
    assert sum(game.histories(instance, episodes).values()) == 1
    for biased in (True, False):
        pairs = range(1, game.pairs + 1)
        assert sum(game.visit(instance, j, episodes, biased=biased) for j in pairs) == 1


def two_episode_algorithms(pairs: int) -> Iterator[Game]:
    """Every algorithm for two episodes and one moment: a pair, then one for each outcome."""
    law = (Moment(Fraction(4, 5), Fraction(1, 5), Fraction(1)),)
    for first, *then in product(range(1, pairs + 1), repeat=4):

        def algorithm(history: History, first: int = first, then: list[int] = then) -> tuple[int, ...]:
            return (then[history[0][2]] if history else first,)

        yield Game(law, pairs, Fraction(1, 5), algorithm)


def test_dynamic_programming_finds_the_best_of_all_algorithms() -> None:
    every = list(two_episode_algorithms(3))
    regrets = [g.gap * (2 - g.own_visits(2, biased=True) / g.pairs) for g in every]
    assert least_average_regret(every[0].moments, 3, Fraction(1, 5), 2) == min(regrets)
    assert min(regrets) < max(regrets)


def test_the_paper_formula_overstates_the_regret_of_a_policy_that_looks_at_the_time() -> None:
    with precision(BITS):
        game = Game(SMALLEST.moments, SMALLEST.pairs, distance(Fraction(1, 4), 0), stay_if_good)
        assert game.own_visits(2, biased=True) > game.own_visits(2, biased=False)


WRONG = {
    "thm:lowerbound/every-K": best.few_episodes(Fraction(1, 3)),
    "eq:regret-lowerbound2": best.long_horizons(Fraction(1, 3)),
    "assume:LB/relaxed": partly_filled.sizes(0),
}


@pytest.mark.parametrize("label", WRONG)
def test_check_beside_a_proof_catches_a_wrong_constant(label: str) -> None:
    claim = load_claims(SOURCE)[label]
    assert run_claim(replace(claim, checks=(WRONG[label],)), Effort()).verdict == "refuted"


@pytest.mark.parametrize("tree", [*TREES, Tree(4, 3)], ids=str)
def test_a_full_tree_is_the_one_of_its_size(tree: Tree) -> None:
    filled = Filled(tree.states, tree.actions)
    assert (len(filled.levels), filled.pairs) == (tree.depth, tree.pairs)


@pytest.mark.parametrize(
    ("states", "levels"), [(6, [1, 2]), (7, [1, 2, 2]), (10, [1, 2, 4]), (13, [1, 2, 4, 4])]
)
def test_the_last_level_is_filled_as_far_as_the_states_go(states: int, levels: list[int]) -> None:
    tree = Filled(states, 2)
    assert tree.levels == levels
    *nodes, ends = partly_filled.walks(tree.model())
    assert list(map(len, nodes)) == levels
    assert ends == {"good", "bad"}


def test_two_states_that_take_turns_replace_an_absorbing_one() -> None:
    model = with_turns(SMALLEST.model(1), SMALLEST.rate)
    assert len(model.states) == SMALLEST.states + 2
    assert all(row.state not in dict(row.to) for row in model.transitions)
