"""A thousand random models, corners included: the true error is below the proved bound in every case."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import ctucbvi
from ctucbvi import CTMDP, Semantics, Transition
from ctucbvi.numeric import certify, solve_numeric
from ctucbvi.numeric.planner import smallest_tolerance

_CHUNKS, _MODELS = 8, 1000


def draw_model(seed: int) -> CTMDP:
    """Any shape: horizons from 1e-6 to 1e3, rates up to 1e6 apart or nearly equal, ties, self-loops."""
    draw = random.Random(seed)
    states = [f"s{i}" for i in range(draw.randint(1, 4))]
    horizon = draw.choice([Fraction(1), Fraction(1, 10**6), Fraction(1000), Fraction(7, 3)])
    load = draw.choice([Fraction(1, 10), Fraction(2), Fraction(12)])
    base = draw.choice([Fraction(1), Fraction(1, 3)])
    rows: list[Transition] = []
    for x in states:
        for a in range(draw.randint(1, 3)):
            if rows and rows[-1].state == x and draw.random() < 0.15:
                last = rows[-1]
                rows.append(Transition(x, f"a{a}", last.rate, last.reward, last.to))
                continue
            share = draw.choice(
                [
                    base,
                    base,
                    base * (1 + Fraction(1, 10**9)),
                    Fraction(0),
                    Fraction(1, 10**6),
                    Fraction(draw.randint(0, 20), 20),
                ]
            )
            counts = [draw.randint(0, 2) for _ in states]
            counts[draw.randrange(len(states))] += 1
            row = {y: Fraction(c, sum(counts)) for y, c in zip(states, counts, strict=True)}
            reward = Fraction(draw.randint(-10, 20), 10)
            rows.append(Transition.of(x, f"a{a}", rate=share * load / horizon, reward=reward, to=row))
    ends = {x: Fraction(draw.randint(-4, 4), 4) for x in states} if draw.random() < 0.5 else None
    return CTMDP.of(f"drawn-{seed}", horizon=horizon, transitions=rows, terminal=ends)


@pytest.mark.parametrize(
    "chunk", [*range(4), *(pytest.param(k, marks=pytest.mark.thorough) for k in range(4, _CHUNKS))]
)
def test_the_true_error_is_below_the_proved_bound(chunk):
    for seed in range(chunk, _MODELS, _CHUNKS):
        model, semantics = draw_model(seed), list(Semantics)[seed % 2]
        truncate = seed % 3 == 0
        tolerance = max((1e-4, 1e-8, 1e-11)[seed % 5 % 3], smallest_tolerance(model))
        proof = certify(solve_numeric(model, semantics, tolerance=tolerance, truncate=truncate))
        exact = ctucbvi.solve(model, semantics, digits=16, truncate=truncate, resolve_policy=False)
        for state in model.states:
            for t in (Fraction(0), model.horizon / 7, model.horizon * Fraction(2, 3), model.horizon):
                error = abs(proof.value(state, t).mid - exact.value(state, t).mid)
                assert error <= proof.bound + exact.value(state, t).radius, (seed, state, t)
                allowed = tolerance + Fraction(1, 10**12) * max(model.value_scale, 1)
                assert error <= allowed, (seed, state, t)
