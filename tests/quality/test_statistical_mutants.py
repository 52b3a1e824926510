"""Statistics that are wrong on purpose: the exact error of the whole procedure gives them away."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as Q
from math import comb

from verify.provers.statistical import Look, excludes_above, excludes_below, planned

P, ERROR, TRIALS = Q(1, 2), Q(1, 20), 64


def wrong_with(looks: tuple[Look, ...], p: Q, wrong: Callable[[int, int, Q], bool]) -> Q:
    """The exact probability that ``wrong`` is declared at some look, for a coin of probability p."""
    alive, before, total = {0: Q(1)}, 0, Q(0)
    for look in looks:
        more, after = look.trials - before, {}
        for k, chance in alive.items():
            for j in range(more + 1):
                step = comb(more, j) * p**j * (1 - p) ** (more - j)
                after[k + j] = after.get(k + j, Q(0)) + chance * step
        total += sum(c for k, c in after.items() if wrong(look.trials, k, look.error))
        alive = {k: c for k, c in after.items() if not wrong(look.trials, k, look.error)}
        before = look.trials
    return total


def supported(n: int, k: int, error: Q) -> bool:
    return excludes_below(n, k, P, error)


def refuted(n: int, k: int, error: Q) -> bool:
    return excludes_above(n, k, P, error)


def test_a_coin_at_the_claim_is_decided_wrongly_no_more_often_than_promised():
    looks = planned(TRIALS, ERROR)
    assert 0 < wrong_with(looks, P, refuted) <= ERROR
    assert 0 < wrong_with(looks, P, supported) <= ERROR
    assert wrong_with(looks, P - Q(1, 50), supported) <= ERROR
    assert wrong_with(looks, P + Q(1, 50), refuted) <= ERROR


def test_early_stopping_that_is_not_paid_for_breaks_the_promise():
    free = tuple(Look(look.trials, ERROR) for look in planned(TRIALS, ERROR))
    assert wrong_with(free, P, supported) > ERROR
    assert wrong_with(free, P, refuted) > ERROR


def test_a_bound_that_leaves_out_the_outcome_itself_breaks_the_promise():
    one_off = [Look(20, Q(1, 10))]
    assert wrong_with(tuple(one_off), P, lambda n, k, error: excludes_below(n, k + 1, P, error)) > Q(1, 10)


def test_the_normal_approximation_breaks_the_promise():
    """``k/n - z sqrt(k(n-k)/n^3) >= p`` in place of the exact bound, for a rare failure."""
    p, z = Q(99, 100), Q(1645, 1000)

    def approximately(n: int, k: int, error: Q) -> bool:
        share = Q(k, n)
        return share >= p and (share - p) ** 2 >= z**2 * share * (1 - share) / n

    looks = (Look(100, ERROR),)
    assert wrong_with(looks, p, approximately) > ERROR
    assert wrong_with(looks, p, lambda n, k, error: excludes_below(n, k, p, error)) <= ERROR
