"""Discounted models: the equations with the discount in them have the values of the model without it."""

from __future__ import annotations

import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction as Q

import numpy as np
import pytest

import ctucbvi
from ctucbvi import CTMDP, ModelError, Semantics, Transition, discounted, parse_model
from ctucbvi.crosscheck import compare
from ctucbvi.model import discounting
from ctucbvi.numeric import solve_numeric


def drawn(seed: int) -> CTMDP:
    chance = random.Random(seed)
    states = [f"s{i}" for i in range(chance.randint(1, 3))]
    rows = []
    for x in states:
        for a in ("a", "b")[: chance.randint(1, 2)]:
            rate = Q(chance.randint(0, 8), 2)
            y = chance.choice(states)
            lump = Q(chance.randint(-2, 2), 4) if rate else Q(0)
            reward = Q(chance.randint(0, 8), 4)
            rows.append(Transition.of(x, a, rate=rate, reward=reward, to={y: 1} if rate else {}, lump=lump))
    terminal = {x: Q(chance.randint(-2, 2), 2) for x in states}
    return CTMDP.of("drawn", horizon=1, transitions=rows, states=states, terminal=terminal)


def integrated(model: CTMDP, beta: float, semantics: str) -> dict[str, float]:
    """Values at the horizon by Runge and Kutta's method, from the discounted equations.

    Committed: Q' = r + λ Σ p (ϱ + V) - (λ + β) Q for every pair, with V the largest Q; adjustable: with V in
    the place of Q the largest of these slopes is that of V.
    """
    g = dict(zip(model.states, map(float, model.terminal), strict=True))

    def slopes(values: dict[str, float], own: list[float]) -> list[float]:
        found = []
        for row, q in zip(model.transitions, own, strict=True):
            flow = sum(float(p) * (float(dict(row.lump).get(y, 0)) + values[y]) for y, p in row.to)
            found.append(float(row.reward) + float(row.rate) * flow - (float(row.rate) + beta) * q)
        return found

    def best(numbers: list[float]) -> dict[str, float]:
        return {
            x: max(q for row, q in zip(model.transitions, numbers, strict=True) if row.state == x) for x in g
        }

    def field(now: np.ndarray) -> np.ndarray:
        if semantics == "committed":
            return np.array(slopes(best(list(now)), list(now)))
        values = dict(zip(model.states, now, strict=True))
        return np.array(list(best(slopes(values, [values[row.state] for row in model.transitions])).values()))

    now = np.array(
        [g[row.state] for row in model.transitions] if semantics == "committed" else list(g.values())
    )
    steps = 200
    for _ in range(steps):
        a = field(now)
        b = field(now + a / (2 * steps))
        c = field(now + b / (2 * steps))
        now = now + (a + 2 * b + 2 * c + field(now + c / steps)) / (6 * steps)
    return best(list(now)) if semantics == "committed" else dict(zip(model.states, now, strict=True))


def worst(seeds: range) -> float:
    gap = 0.0
    for seed in seeds:
        model, beta = drawn(seed), Q(1 + seed % 5, 2)
        for semantics in ("committed", "adjustable"):
            found = ctucbvi.solve(discounted(model, beta), semantics, digits=8)
            truth = integrated(model, float(beta), semantics)
            gap = max(gap, *(abs(float(found.value(x).mid) - truth[x]) for x in model.states))
    return gap


def test_the_discounted_equations_have_these_values():
    assert worst(range(25)) < 5e-5


@pytest.mark.parametrize("gap", ["rate", "to"])
def test_a_gap_is_seen(monkeypatch, gap):
    def broken(row, beta, ended):
        whole = leaving(row, beta, ended)
        if gap == "rate":  # leaves too slowly
            return replace(whole, rate=max(row.rate, beta))
        return whole if row.rate else row  # absorbing states stay

    leaving = discounting._leaving
    monkeypatch.setattr(discounting, "_leaving", broken)
    assert worst(range(12)) > 1e-2


def test_a_file_may_have_one():
    text = (
        'name = "m"\nhorizon = 1\ninitial = "ended"\nstates = ["ended"]\nactions = ["a"]\ndiscount = "1/2"\n'
    )
    text += '[[transition]]\nstate = "ended"\naction = "a"\nrate = 0\nreward = 1\n'
    model = parse_model(text)
    assert model.states == ("ended", "ended'")
    assert model.transitions[0].to == (("ended'", Q(1)),)
    assert parse_model(text.replace("1/2", "0")).states == ("ended",)
    with pytest.raises(ModelError, match="discount: -1/2 is negative; write a rate of 0 or more"):
        parse_model(text.replace("1/2", "-1/2"))


def test_a_pair_of_rate_0_may_say_where_to():
    """Nothing ever gets there, and values are those of the equations, by hand."""
    text = 'name = "m"\nhorizon = 2\ninitial = "on"\nstates = ["on", "off"]\nactions = ["a"]\n'
    text += 'discount = "1/10"\n'
    text += '[[transition]]\nstate = "on"\naction = "a"\nrate = 2\nreward = 1\nto = { off = 1 }\n'
    text += '[[transition]]\nstate = "off"\naction = "a"\nrate = 0\n'
    for reward in (0, 1):
        model = parse_model(f"{text}reward = {reward}\nto = {{ off = 1 }}\n")
        assert model == parse_model(f"{text}reward = {reward}\n")
        gone, slow = (Decimal(-21) / 5).exp(), (Decimal(-1) / 5).exp()
        off = reward * 10 * (1 - slow)
        # After a jump at s what is left is worth 10 (e^{-s/10} - e^{-1/5}): the integral with 2 e^{-2s}.
        later = reward * 10 * (Decimal(20) / 21 * (1 - gone) - slow * (1 - (Decimal(-4)).exp()))
        on = (1 - gone) * 10 / 21 + later
        for semantics in ("committed", "adjustable"):
            found = ctucbvi.solve(model, semantics, digits=20)
            for x, value in (("on", on), ("off", off)):
                assert abs(Q(value) - found.value(x).mid) < Q(1, 10**19), (x, reward)


def test_the_state_that_ends_it_all_has_the_rate_of_others_and_is_worth_nothing():
    """So that the largest rate and the least are those of the pairs that are written down."""
    for seed in range(25):
        model, beta = drawn(seed), Q(1 + seed % 5, 2)
        found = discounted(model, beta)
        rates = [row.rate + beta for row in model.transitions]
        assert (found.max_rate, min(row.rate for row in found.transitions)) == (max(rates), min(rates))
        assert found.transitions[-1].to == (("ended", Q(1)),)
        for semantics in ("committed", "adjustable"):
            assert ctucbvi.solve(found, semantics, digits=8).value("ended").contains(Q(0))
            assert solve_numeric(found, semantics).value("ended") == 0


def test_the_planners_and_the_second_opinion_agree():
    for seed in range(6):
        model = discounted(drawn(seed), Q(1 + seed, 2))
        for semantics in Semantics:
            assert not compare(model, semantics).complaints
