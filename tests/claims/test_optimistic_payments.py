r"""Optimism and the payments of the optimistic learner, on random models and sets, in plain NumPy.

On a grid of remaining times: :math:`\hat Q` by Heun's method; V*, :math:`V^\pi` and the expected payments
P(x,t) = (rhi - rlo) ∫_0^t e^(-λs)(t - s) ds + α(t - ∫_0^t e^(-λs) ds) + ∫_0^t λe^(-λs) pP(t - s) ds, an
action chosen when a state is entered and held, by integrals of piecewise linear functions.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

CELLS = 200
Array = np.ndarray
Pick = Callable[[Array, int], Array]


class World:
    """A model, and for every pair a set with the model in it."""

    def __init__(self, chance: np.random.Generator):
        states, actions = (int(n) for n in chance.integers(1, 4, 2))
        pairs = (states, actions)
        self.top, self.horizon = chance.choice([0.2, 1, 4]), chance.choice([0.2, 1, 3])
        self.times = np.linspace(0, self.horizon, CELLS + 1)
        self.rate = self.top * chance.choice([0, 1, chance.random()], pairs)
        self.row = chance.dirichlet(np.full(states, 0.5), pairs)
        self.reward = chance.choice([0, 0.5, 1], pairs)
        wide = chance.choice([0.02, 0.3, 1])
        self.low = np.maximum(self.rate - wide * self.top * chance.random(pairs), 0)
        self.high = np.minimum(self.rate + wide * self.top * chance.random(pairs), self.top)
        self.centre = self.row + wide * (chance.dirichlet(np.full(states, 0.5), pairs) - self.row)
        self.radius = np.abs(self.centre - self.row).sum(2)

    def slope(self, q: Array) -> Array:
        """r + max over the sets."""
        v = q.max(1)
        order = np.argsort(v)
        best = order[-1]
        moved = np.minimum(self.radius / 2, 1 - self.centre[:, :, best])
        row, left = self.centre.copy(), moved.copy()
        row[:, :, best] += moved
        for y in order[:-1]:
            cut = np.minimum(left, row[:, :, y])
            row[:, :, y] -= cut
            left -= cut
        gain = row @ v - q
        return self.reward + np.where(gain > 0, self.high, self.low) * gain

    def solved(self) -> Array:
        """Q̂, by time."""
        step, q = self.horizon / CELLS, np.zeros((CELLS + 1, *self.rate.shape))
        for i in range(CELLS):
            ahead = q[i] + step * self.slope(q[i])
            q[i + 1] = (q[i] + ahead + step * self.slope(ahead)) / 2
        return q

    def waits(self) -> tuple[Array, Array]:
        """∫ e^(-λs) ds and ∫ e^(-λs)(t - s) ds."""
        rate, t = self.rate[:, :, None], self.times
        some = np.where(rate > 0, rate, 1)
        wait = np.where(rate > 0, -np.expm1(-rate * t) / some, t)
        return wait, np.where(rate > 0, (t - wait) / some, t**2 / 2)

    def fixed(self, paid: Array, pick: Pick) -> Array:
        """u = pick(paid + ∫ λe^(-λs) pu(t - s) ds)."""
        step, rate = self.horizon / CELLS, self.rate
        stays = np.exp(-rate * step)
        new = np.where(rate > 0, 1 - (1 - stays) / np.where(rate > 0, rate * step, 1), 0)
        old, held, u = 1 - stays - new, np.zeros_like(rate), np.zeros((len(rate), CELLS + 1))
        for i in range(CELLS):
            u[:, i + 1] = u[:, i]
            for _ in range(4):  # contracts by λ times the step
                after = stays * held + new * (self.row @ u[:, i + 1]) + old * (self.row @ u[:, i])
                u[:, i + 1] = pick(paid[:, :, i + 1] + after, i + 1)
            held = after
        return u


def shortfalls(seed: int, rates: float = 1, rows: float = 1) -> tuple[float, float]:
    """The largest V* - V̂ and V̂ - V^π - P, over H, for prices that are multiplied so."""
    world = World(np.random.default_rng(seed))
    q = world.solved()
    value, policy, states = q.max(2).T, q.argmax(2).T, np.arange(q.shape[1])

    def played(images: Array, i: int) -> Array:
        return images[states, policy[:, i]]

    wait, left = world.waits()
    earned = world.reward[:, :, None] * wait
    price = rates * (world.high - world.low)[:, :, None] * left
    price += rows * world.radius[:, :, None] * (world.times - wait)
    best = world.fixed(earned, lambda images, _: images.max(1))
    lost = value - world.fixed(earned, played) - world.fixed(price, played)
    return float((best - value).max() / world.horizon), float(lost.max() / world.horizon)


GRID = 1e-5  # what the grid may be wrong by


def test_the_value_is_optimistic_and_the_payments_cover_what_it_promises():
    found = np.array([shortfalls(seed) for seed in range(30)])
    assert found.max() < GRID


@pytest.mark.parametrize("prices", [{"rates": 0.5}, {"rows": 0.5}])
def test_half_of_either_price_is_not_enough(prices):
    assert any(shortfalls(seed, **prices)[1] > 10 * GRID for seed in range(30))
