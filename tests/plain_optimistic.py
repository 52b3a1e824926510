"""The optimistic learner, plainly: sets by their formulas, maxima by search, the equation by scipy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import linprog, minimize_scalar

from ctucbvi.learning import Settings, Statistics


def rate_interval(statistics: Statistics, settings: Settings, pair: int) -> tuple[float, float]:
    """The ends of the rates, from the text of the definition."""
    model = statistics.model
    top, bottom = float(settings.lambda_max), float(settings.lambda_min or 0)
    time, n = float(statistics.time[pair]), statistics.n_plus[pair]
    both, delta = len(model.states) * len(model.actions), float(settings.delta)
    if settings.rates == "paper":
        estimate = 0.0 if n == 0 else top if time == 0 else min(n / time, top)
        log = 4 * math.log(2 * both * settings.episodes / delta)
        radius = math.sqrt(top * log / max(time, log / top))
        estimate = max(estimate, bottom)
        low, high = estimate - radius, estimate + radius
    else:
        m = 0
        while 2**m < settings.episodes * (1 + settings.lambda_max * model.horizon):
            m += 1
        tilts = [2.0 ** (1 - j) for j in range(2 + math.ceil(m / 2))]
        log = math.log(2 * both * len(tilts) / delta)
        low, high = 0.0, math.inf
        if time > 0:
            low = max((z * n - log) / (math.expm1(z) * time) for z in tilts)
            high = min((z * n + log) / ((1 - math.exp(-z)) * time) for z in tilts)
    low = min(max(low, bottom), top)
    return low, max(min(high, top), low)


def jump_radius(statistics: Statistics, settings: Settings, pair: int) -> float:
    """α, or the divergence; infinite before the first jump."""
    n, states = statistics.n_plus[pair], len(statistics.model.states)
    both, delta = states * len(statistics.model.actions), float(settings.delta)
    if n == 0:
        return math.inf
    if settings.jumps == "l1":
        return math.sqrt(2 * (states * math.log(2) + math.log(both * n * (n + 1) / delta)) / n)
    return (math.log(both / delta) + math.log(math.comb(n + states - 1, states - 1))) / n


def largest_mean_l1(centre: Sequence[float], radius: float, values: Sequence[float]) -> float:
    """By linear programming: p = centre + up - down."""
    n = len(values)
    if radius >= 2:
        return max(values)
    cost = [-v for v in values] + list(values)
    identity = np.eye(n)
    sums = [[1.0] * n + [-1.0] * n]
    found = linprog(
        cost,
        A_ub=np.vstack([[1.0] * (2 * n), np.hstack([-identity, identity])]),
        b_ub=[radius, *centre],
        A_eq=sums,
        b_eq=[0.0],
        bounds=[(0, None)] * (2 * n),
    )
    return float(np.dot(centre, values) - found.fun)


def largest_mean_kl(centre: Sequence[float], radius: float, values: Sequence[float]) -> float:
    """By brute force, for three states: all vectors of a grid, which is refined about the best one."""
    p, v = np.array(centre), np.array(values)
    middle, width, best = p[:2].copy(), 1.0, float(p @ v)
    for _ in range(24):
        steps = np.linspace(-width, width, 81)
        a, b = (np.clip(middle[i] + steps, 0.0, 1.0) for i in (0, 1))
        q = np.stack([*np.meshgrid(a, b, indexing="ij"), np.zeros((81, 81))])
        q[2] = 1 - q[0] - q[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = [x * np.log(x / y) for x, y in zip(p, q, strict=True) if x > 0]
        allowed = (q[2] >= 0) & (np.nan_to_num(sum(terms), nan=np.inf) <= radius)
        means = np.where(allowed, np.tensordot(v, q, 1), -np.inf)
        place = np.unravel_index(int(np.argmax(means)), means.shape)
        if means[place] > best:
            best, middle = float(means[place]), np.array([a[place[0]], b[place[1]]])
        width /= 2
    return best


def mean_kl(centre: Sequence[float], radius: float, values: Sequence[float]) -> float:
    """The smallest of the upper bounds that duality gives, by search."""
    top, spread = max(values), max(values) - min(values)
    if spread == 0 or radius == math.inf:
        return top
    pairs = [(p, (top - v) / spread) for p, v in zip(centre, values, strict=True) if p > 0]

    def bound(z: float) -> float:
        x = math.exp(z)
        return x - math.exp(sum(p * math.log(x + d) for p, d in pairs) - radius)

    found = minimize_scalar(bound, bounds=(-60, 25), method="bounded", options={"xatol": 1e-9})
    edge = -math.exp(sum(p * math.log(d) for p, d in pairs) - radius) if all(d > 0 for _, d in pairs) else 0.0
    return top + spread * min(float(found.fun), edge)


def solve_plainly(statistics: Statistics, settings: Settings, tolerance: float = 1e-10) -> np.ndarray:
    """Q at the horizon, one per pair, by an explicit method of high order."""
    model = statistics.model
    pairs = range(len(model.transitions))
    ends = [rate_interval(statistics, settings, k) for k in pairs]
    radii = [jump_radius(statistics, settings, k) for k in pairs]
    centres = [[float(p) for p in statistics.probability(k)] for k in pairs]
    menu = [[k for k in pairs if model.transitions[k].state == x] for x in model.states]
    rewards = [float(row.reward) for row in model.transitions]
    mean = mean_l1 if settings.jumps == "l1" else mean_kl

    def slope(_t: float, q: np.ndarray) -> list[float]:
        values = [max(q[k] for k in line) for line in menu]
        found = []
        for k in pairs:
            m = max(values) if radii[k] == math.inf else mean(centres[k], radii[k], values)
            low, high = ends[k]
            found.append(rewards[k] + max(low * (m - q[k]), high * (m - q[k])))
        return found

    answer = solve_ivp(
        slope, (0, float(model.horizon)), np.zeros(len(rewards)), method="DOP853", rtol=tolerance,
        atol=tolerance * float(model.horizon), max_step=float(model.horizon) / 50,
    )  # fmt: skip
    return np.asarray(answer.y[:, -1])


def mean_l1(centre: Sequence[float], radius: float, values: Sequence[float]) -> float:
    """The largest of finitely many: each vertex takes from the worst and gives to one state."""
    if radius >= 2:
        return max(values)
    best, order = -math.inf, sorted(range(len(values)), key=lambda y: values[y])
    for target, moved in product(range(len(values)), (radius / 2, 0.0)):
        p, left = list(centre), min(moved, 1 - centre[target])
        p[target] += left
        for y in order:
            if y != target:
                taken = min(p[y], left)
                p[y], left = p[y] - taken, left - taken
        best = max(best, sum(a * b for a, b in zip(p, values, strict=True)))
    return best
