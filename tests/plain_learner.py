"""CT-UCBVI as one would write it down: what the compiled learner must agree with, bit for bit."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, expm1, log

import mpmath
import numpy as np

from ctucbvi.learning import DOUBLES, Episode, Settings, Statistics, constants
from ctucbvi.learning.fast import preparation
from ctucbvi.model import CTMDP


class Words:
    """xoshiro256++ in whole numbers."""

    def __init__(self, seed: int, run: int) -> None:
        self.s = [int(w) for w in np.random.SeedSequence(seed, spawn_key=(run,)).generate_state(4, np.uint64)]

    def word(self) -> int:
        s, full = self.s, 2**64 - 1

        def rotated(w: int, by: int) -> int:
            return ((w << by) | (w >> (64 - by))) & full

        found = (rotated((s[0] + s[3]) & full, 23) + s[0]) & full
        shifted = (s[1] << 17) & full
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotated(s[3], 45)
        return found

    def uniform(self) -> float:
        return (2 * (self.word() >> 12) + 1) / 2**53

    def pick(self, weights: list[Fraction]) -> int:
        if len(weights) == 1:
            return 0
        mark, total = self.uniform(), Fraction(0)
        for i, p in enumerate(weights):
            total += p
            if mark < float(total):
                return i
        raise AssertionError


def plainly_due(before: Statistics, now: Statistics, given: Settings) -> bool:
    """Whether to plan again, by the rule of ``replan`` word for word; logarithms have 60 digits."""
    model, factor = now.model, 1 + given.replan
    pairs = len(model.states) * len(model.actions)
    if given.replan == 0:
        return True
    if given.bonus != "optimistic" and now.episodes + 1 > factor * (before.episodes + 1):
        return True
    with mpmath.workdps(60):
        if given.rates == "poisson":
            m = 0
            while 2**m < given.episodes * (1 + given.lambda_max * model.horizon):
                m += 1
            ratio, times = 2 * pairs * (2 + ceil(m / 2)) / given.delta, 3
        else:
            ratio, times = 2 * pairs * given.episodes / given.delta, 4
        floor = times * mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)
        floor *= mpmath.mpf(given.lambda_max.denominator) / given.lambda_max.numerator
        least = Fraction(int(floor * 2**180), 2**180)
    return any(
        max(1, now.n_plus[k]) > factor * max(1, before.n_plus[k])
        or max(now.time[k], least) > factor * max(before.time[k], least)
        for k in range(len(model.transitions))
    )


class PlainLearner:
    """The algorithm as one would write it down, one list at a time."""

    def __init__(self, model: CTMDP, given: Settings, seed: int, run: int, steps: int, initial=None) -> None:
        self.model, self.settings, self.steps = model, given, steps
        self.random, self.k = Words(seed, run), 0
        self.initial = {model.initial: Fraction(1)} if initial is None else initial
        self.statistics = Statistics.empty(model)
        self.radii = constants(model, given, DOUBLES)
        self.known, self.planned = None, None  # what the last plan knew, and what it was
        self.tick, self.cut = preparation._tick(model.horizon, given.episodes), [0] * len(model.transitions)

    def weights(self, pair: int) -> tuple[float, ...]:
        """e, g, α, β of a pair: the formulas of the estimates in doubles, those of grid.py for the cell."""
        left = self.statistics.n_plus[pair]
        # T in whole ticks and cut-off visits, each with the horizon's rest, and only then in doubles.
        rest = self.model.horizon % self.tick
        ticks = (self.statistics.time[pair] - self.cut[pair] * rest) / self.tick
        time = int(ticks) * float(self.tick) + self.cut[pair] * float(rest)
        rate = min(left / time, float(self.settings.lambda_max)) if left else 0.0
        rate = max(rate, float(self.settings.lambda_min or 0))
        bonus = self.radii.bonus(time, float(left), DOUBLES)
        h = float(self.model.horizon) / self.steps
        z, gain = rate * h, float(self.model.transitions[pair].reward) + bonus
        if z < 1:
            beta = 0.0
            for k in range(11 if z < 0.125 else 20, 0, -1):
                beta = z / (k + 1) * (1.0 - beta)
            phi = 1.0 - beta
            return 1.0 - z * phi, gain * h * phi, z * phi - beta, beta
        phi = -expm1(-z) / z
        return exp(-z), gain * h * phi, phi - exp(-z), 1.0 - phi

    def action_values(self, values: list[list[float]]) -> list[list[float]]:
        found = []
        for k, pair in enumerate(self.model.pairs):
            e, g, alpha, beta = self.weights(k)
            n, jumps = max(1, self.statistics.n_plus[k]), self.statistics.jumps[k]
            inflow = [0.0] * (self.steps + 1)
            for y, _ in pair.to if pair.rate else ():
                inflow = [u + jumps[y] / n * v for u, v in zip(inflow, values[y], strict=True)]
            column = [0.0]
            for i in range(1, self.steps + 1):
                column.append(e * column[-1] + (g + alpha * inflow[i - 1] + beta * inflow[i]))
            found.append(column)
        return found

    def plan(self) -> tuple[np.ndarray, int]:
        times = [float(self.model.horizon * i / self.steps) for i in range(self.steps + 1)]
        owners = [p.state for p in self.model.pairs]
        epsilon = self.settings.epsilon.at(self.k, self.settings.lambda_max * self.model.horizon, DOUBLES)
        values = [[0.0] * (self.steps + 1) for _ in self.model.states]
        distance, n = float("inf"), 0
        while True:
            q = self.action_values(values)
            if distance < epsilon or distance == 0:
                break
            new = [
                [min(t, max(q[k][i] for k in range(len(q)) if owners[k] == x)) for i, t in enumerate(times)]
                for x in range(len(values))
            ]
            distance = max(
                abs(a - b) for r, s in zip(new, values, strict=True) for a, b in zip(r, s, strict=True)
            )
            values, n = new, n + 1
        best = [
            [
                max((k for k in range(len(q)) if owners[k] == x), key=lambda k: (q[k][i], -k))
                for i in (1, *range(1, len(times)))
            ]
            for x in range(len(values))
        ]
        return np.array(best), n

    def episode(self) -> tuple[np.ndarray, int]:
        self.k += 1
        if self.known is None or plainly_due(self.known, self.statistics, self.settings):
            self.known, self.planned = self.statistics, self.plan()
        policy, n = self.planned
        model, elapsed, jumps = self.model, Fraction(0), []
        states = list(self.initial)
        x = model.state_index(states[self.random.pick(list(self.initial.values()))])
        while True:
            i = int((model.horizon - elapsed) * self.steps / model.horizon + Fraction(1, 2))
            row = model.transitions[policy[x, i]]
            unit = -log(self.random.uniform())
            held = unit * (float(1 / self.tick) / float(row.rate)) if row.rate else None
            if held is None or held > (model.horizon - elapsed) / self.tick:
                break
            y, _ = row.to[self.random.pick([p for _, p in row.to])]
            jumps.append((row.state, row.action, ceil(held) * self.tick, y))
            elapsed += ceil(held) * self.tick
            x = model.state_index(y)
        self.cut[policy[x, i]] += 1
        self.statistics = self.statistics.after(Episode.of(model, jumps, (row.state, row.action)))
        return policy, n
