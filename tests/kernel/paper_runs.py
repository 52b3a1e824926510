"""Small models, their planning on a grid, and simulated runs of CT-UCBVI by its definitions.

A function of remaining time is a table on a grid, linear in between.  ``image`` is T^a u, exact for such
functions (cell by cell).  Runs are rows of arrays over decisions; ``branch`` continues one of them from
decision n, the first holding time at the middles of equal strata for every next state.
"""

# ruff: noqa: N803, N806 - the letters of the paper

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

Array = Any
CELLS, ENDS = 40, 32  # of the grid, and where the horizon is
DECISIONS = 14
ITERATES = 14
AHEAD = 6  # decisions of a branch
_KINDS = {"X": int, "act": int, "rem": float, "ep": int, "new": int, "jump": int, "spent": float, "pos": int}


@dataclass(frozen=True)
class Model:
    """Rates, rows and rewards of pairs; the horizon, the number of episodes, δ and the accuracies."""

    lam: Array  # (S, A)
    p: Array  # (S, A, S)
    r: Array  # (S, A)
    horizon: float
    episodes: int
    delta: float
    eps: Array
    lmin: float
    lmax: float

    @staticmethod
    def draw(rng: np.random.Generator, kind: str = "") -> Model:
        """A random one; some rows are degenerate, some rates equal, some rewards 0 or 1.

        Of a kind: two rates, all rewards 1 and many episodes, one long episode with a large δ; or with the
        conditions of thm:CT-UCB/half and of eq:regret-b1.
        """
        shape = {"long": (2, 2), "b1": (2, 2), "half": (2, 1)}.get(kind)
        shape = shape or ((2, 2), (2, 1), (3, 1), (3, 2))[rng.integers(4)]
        lam = rng.uniform(0.2, 2, shape)
        if rng.random() < 0.3:
            lam[:] = lam[0, 0]
        counts = rng.integers(0, 4, (*shape, shape[0])) + 0.0
        counts[..., 0] += counts.sum(-1) == 0
        r = np.clip(rng.uniform(-0.3, 1.3, shape), 0, 1)
        if kind == "ones":
            r[:] = 1
        horizon, episodes = float(rng.uniform(0.3, 1.2)), int(rng.choice([2, 3, 3, 60]))
        if kind == "ones":
            episodes = 60
        if kind == "long":
            horizon, episodes = 1.5, 1
        if kind == "half":
            horizon, episodes = 0.5, 120
        if kind == "b1":  # what is better at first sight leads to a state without reward
            horizon, lam, r = 1.25, 1.05 + lam / 4, np.array([[0.6, 0.7], [0, 0]])
            counts = np.eye(2)[[[0, 1], [1, 1]]]
        rows = counts / counts.sum(-1, keepdims=True)
        if kind == "two rates":  # the start has the slow one, and is left
            lam[0], lam[1:] = sorted([lam[0, 0], lam[-1, -1] + 0.1])
            rows[0] = np.eye(shape[0])[1]
        delta = float(rng.choice([0.2, 0.9]))
        if episodes * horizon > 0.6 and kind != "long":
            delta = float(rng.choice([delta, 1 / (2 * episodes * horizon)]))
        slack, eps = rng.choice([1, 1, 1.2]), rng.uniform(0.001, 0.1, 64)
        low, high = float(lam.min() / slack), float(lam.max() * slack)
        if kind in ("half", "b1"):
            delta = 1 / (2 * episodes * horizon)
        if kind == "b1":
            eps = np.exp(-high * horizon) / np.arange(1.0, 65) ** (horizon / 2)
        return Model(lam, rows, r, horizon, episodes, delta, eps, low, high)

    @property
    def grid(self) -> Array:
        """Remaining times, somewhat beyond the horizon."""
        return self.horizon / ENDS * np.arange(CELLS + 1)


def slow(model: Model) -> Model:
    """Jumps so rare that times grow without them."""
    rate, rows = np.full((2, 1), 0.3), np.full((2, 1, 2), 0.5)
    sizes = {"horizon": 1.0, "episodes": 2, "delta": 0.9, "lmin": 0.3, "lmax": 4.0}
    return replace(model, lam=rate, p=rows, r=rate, **sizes)


def image(rate: Array, rows: Array, reward: Array, u: Array, grid: Array) -> Array:
    """(..., x, a, grid): T^a u of (..., y, grid)."""
    h, rate = grid[1], rate[..., None]
    load = np.maximum(rate * h, 1e-12)
    old = np.where(rate * h > 1e-6, (1 - np.exp(-load) * (1 + load)) / load, load / 2)
    new = np.where(rate > 0, 1 - np.exp(-load) - old, 0)
    old = np.where(rate > 0, old, 0)
    backed = np.einsum("...xay,...yj->...xaj", rows, u)
    parts = old * backed[..., :-1] + new * backed[..., 1:]
    keep, got = np.exp(-rate * h)[..., 0], np.zeros(backed.shape)
    for j in range(len(grid) - 1):
        got[..., j + 1] = keep * got[..., j] + parts[..., j]
    held = np.where(rate > 0, -np.expm1(-rate * grid) / np.where(rate > 0, rate, 1), grid)
    return reward[..., None] * held + got


def adjusted(model: Model, policy: Array | None = None) -> Array:
    """(x, grid): the value if actions change while the process stays, by Runge and Kutta.

    The best one, or that of a policy (x, grid), which has at each time the action of the nearest grid point.
    """
    step = model.grid[1] / 8

    def slope(u: Array, pick: Array | None) -> Array:
        gains = model.r - model.lam * u[:, None] + model.lam * (model.p @ u)
        return gains.max(-1) if pick is None else np.take_along_axis(gains, pick[:, None], -1)[:, 0]

    values = [np.zeros(len(model.lam))]
    for j in range(CELLS):
        u = values[-1]
        for k in range(8):
            pick = None if policy is None else policy[:, j + k // 4]
            first = slope(u, pick)
            second = slope(u + step / 2 * first, pick)
            third = slope(u + step / 2 * second, pick)
            u = u + step / 6 * (first + 2 * second + 2 * third + slope(u + step * third, pick))
        values.append(u)
    return np.stack(values, -1)


@dataclass
class Runs:
    """Rows of decisions 0, ..., DECISIONS, and the plans that they use."""

    model: Model
    rng: np.random.Generator
    rows: dict[str, Array] = field(default_factory=dict)
    plans: dict[str, Array] = field(default_factory=dict)
    known: Array = None  # the last decision of each row

    eta: ClassVar = 0.0  # what part more of data plans are kept for

    @property
    def least_time(self) -> float:
        """From which on times count, if plans are kept."""
        m = self.model
        return 4 * np.log(2 * m.lam.size * m.episodes / m.delta) / m.lmax

    def begin(self, number: int) -> None:
        """That many runs from the start."""
        S, A = self.model.lam.shape
        shape = (number, DECISIONS + 1)
        self.rows = {name: np.zeros(shape, kind) for name, kind in _KINDS.items()}
        self.rows |= {name: np.zeros(shape, int) for name in ("plan", "pl", "top")}
        for name in ("N", "Nf", "T", "Tf"):
            self.rows[name] = np.zeros((*shape, S, A))
        for name in ("M", "Mf"):
            self.rows[name] = np.zeros((*shape, S, A, S))
        first, self.known = np.arange(number), np.full(number, DECISIONS)
        self.rows["rem"][:, 0], self.rows["new"][:, 0] = self.model.horizon, 1
        self._decide(first, 0)
        for n in range(DECISIONS):
            self._step(first, n, *self._drawn(first, n))

    def forget(self, number: int, plans: int) -> None:
        """Everything but the first rows and plans."""
        self.rows = {k: v[:number] for k, v in self.rows.items()}
        self.plans = {k: v[:plans] for k, v in self.plans.items()}
        self.known = self.known[:number]

    def _drawn(self, ids: Array, n: int) -> tuple[Array, Array]:
        """Holding times and next states."""
        X, act = self.rows["X"][ids, n], self.rows["act"][ids, n]
        held = self.rng.exponential(1 / self.model.lam[X, act])
        sums = self.model.p[X, act].cumsum(-1)
        after = (self.rng.random(len(ids))[:, None] * sums[:, -1:] >= sums).sum(-1)
        return held, after

    def branch(self, row: int, n: int, strata: int) -> tuple[Array, Array]:
        """New rows that begin as this one until decision n, and weights: (next state or end, stratum)."""
        model, rows = self.model, self.rows
        S = model.lam.shape[0]
        first = len(rows["X"])
        ids = first + np.arange((S + 1) * strata)
        for name, v in rows.items():
            rows[name] = np.concatenate([v, np.repeat(v[row : row + 1], len(ids), axis=0)])
        X, act, rem = rows["X"][row, n], rows["act"][row, n], rows["rem"][row, n]
        seen = -np.expm1(-model.lam[X, act] * rem)
        middles = -np.log1p(-seen * (np.arange(strata) + 0.5) / strata) / model.lam[X, act]
        held = np.concatenate([np.tile(middles, S), np.full(strata, 2 * rem)])
        weights = np.outer(np.append(seen * model.p[X, act], 1 - seen), np.full(strata, 1 / strata))
        self._step(ids, n, held, np.repeat(np.append(np.arange(S), 0), strata))
        last = min(DECISIONS, n + AHEAD)
        for k in range(n + 1, last):
            self._step(ids, k, *self._drawn(ids, k))
        self.known = np.append(self.known, np.full(len(ids), last))
        return ids.reshape(S + 1, strata), weights

    def _step(self, ids: Array, n: int, held: Array, after: Array) -> None:
        v, R = self.rows, ids
        rem, X, act = v["rem"][R, n], v["X"][R, n], v["act"][R, n]
        jump = (held < rem).astype(int)
        v["jump"][R, n], v["spent"][R, n] = jump, np.where(jump, held, rem)
        v["rem"][R, n + 1] = np.where(jump, rem - held, self.model.horizon)
        v["X"][R, n + 1] = np.where(jump, after, 0)
        v["ep"][R, n + 1], v["new"][R, n + 1] = v["ep"][R, n] + 1 - jump, 1 - jump
        for name in ("N", "T", "M"):
            v[name][R, n + 1] = v[name][R, n]
        v["N"][R, n + 1, X, act] += jump
        v["T"][R, n + 1, X, act] += v["spent"][R, n]
        v["M"][R, n + 1, X, act, v["X"][R, n + 1]] += jump
        for name in ("N", "T", "M"):
            old, fresh = v[f"{name}f"][R, n], v[name][R, n + 1]
            v[f"{name}f"][R, n + 1] = np.where(jump.reshape(-1, *[1] * (old.ndim - 1)), old, fresh)
        v["pos"][R, n + 1] = jump * (v["pos"][R, n] + 1)
        counted = (v["ep"][R, n] < self.model.episodes) * jump * (v["pos"][R, n] + 1)
        v["top"][R, n + 1] = np.maximum(v["top"][R, n], counted)
        v["plan"][R, n + 1], v["pl"][R, n + 1] = v["plan"][R, n], v["pl"][R, n]
        self._decide(R, n + 1)

    def estimates(self, ids: Array, n: Array) -> dict[str, Array]:
        """What the learner has at decision n: rates, rows, radii, bonus."""
        N, T, M = (self.rows[f"{name}f"][ids, n] for name in "NTM")
        lh = np.minimum(N / np.where(T > 0, T, 1), self.model.lmax)
        ph = M / np.maximum(N, 1)[..., None]
        return {"lh": lh, "ph": ph, **self.radii(N, T)}

    def radii(self, N: Array, T: Array) -> dict[str, Array]:
        """The radii and the bonus, with these counts and times."""
        m = self.model
        S, A = m.lam.shape
        K, H = m.episodes, m.horizon
        L = 4 * np.log(2 * S * A * K / m.delta)
        C = max(m.lmax / -np.expm1(-m.lmax * H), 1.0)
        radicand = 2 * (S * np.log(2) + np.log(S * A * H * K**2 / m.delta))
        al = np.sqrt(np.maximum(radicand / np.maximum(1, N), 0))
        be = np.sqrt(m.lmax * L / np.maximum(T, L / m.lmax))
        return {"al": al, "be": be, "bo": C * (H**2 * be + H * al)}

    def _decide(self, ids: Array, n: int) -> None:
        """New plans where episodes begin and plans are due, and actions."""
        fresh = ids[self.rows["new"][ids, n] == 1]
        fresh = fresh[self.due(fresh, n)]
        if len(fresh):  # one plan for all that know the same
            known = [self.rows[name][fresh, n].reshape(len(fresh), -1) for name in ("ep", "Nf", "Tf", "Mf")]
            _, one, place = np.unique(np.hstack(known), axis=0, return_index=True, return_inverse=True)
            self.rows["plan"][fresh, n] = self._plan(fresh[one], n)[place.reshape(-1)]
            self.rows["pl"][fresh, n] = n
        X, rem, plan = (self.rows[name][ids, n] for name in ("X", "rem", "plan"))
        self.rows["act"][ids, n] = self.policy(plan, X, rem)

    def due(self, ids: Array, n: int) -> Array:
        """Where a plan is made before an episode: everywhere."""
        del n
        return np.ones(len(ids), bool)

    def taken(self, got: dict[str, Array]) -> dict[str, Array]:
        """What value iteration uses of the estimates."""
        return {"rate": got["lh"], "row": got["ph"], "paid": self.model.r + got["bo"]}

    def backup(self, known: dict[str, Array], u: Array) -> Array:
        """What value iteration maximises."""
        return image(known["rate"], known["row"], known["paid"], u, self.model.grid)

    def _plan(self, ids: Array, n: int) -> Array:
        m, grid = self.model, self.model.grid
        got = self.estimates(ids, n)
        made = self.taken(got)
        allowed = m.eps[self.rows["ep"][ids, n]] * 0.9  # room for the error between grid points
        u, nk, open_ = np.zeros((len(ids), m.lam.shape[0], len(grid))), np.zeros(len(ids), int), True
        last = u
        for k in range(ITERATES):
            after = np.minimum(grid, self.backup(made, u).max(-2))
            open_ = open_ & (np.abs(after - u)[..., : ENDS + 1].max((-1, -2)) > allowed)
            last = np.where(np.reshape(k <= nk, (-1, 1, 1)), after, last)
            if not np.any(open_):
                break
            u, nk = after, nk + open_
        made |= {"nk": nk, "q": self.backup(made, last)}
        first = len(self.plans["nk"]) if self.plans else 0
        self.plans = {k: np.concatenate([self.plans[k], v]) if self.plans else v for k, v in made.items()}
        return first + np.arange(len(ids))

    def iterates(self, plans: Array, number: int) -> Array:
        """(plan, m, x, grid): the first iterates of the learner's value iteration."""
        got = [np.zeros((len(plans), len(self.model.lam), CELLS + 1))]
        known = {name: made[plans] for name, made in self.plans.items()}
        for _ in range(number):
            got.append(np.minimum(self.model.grid, self.backup(known, got[-1]).max(-2)))
        return np.stack(got, 1)

    def evaluations(self, plans: Array) -> Array:
        """(plan, m, x, a, grid): T^a of the m-th iterate of the policy's value."""
        m, pick = self.model, self.plans["q"][plans].argmax(-2)
        u, got = np.zeros((len(plans), m.lam.shape[0], CELLS + 1)), []
        for _ in range(ITERATES):
            got.append(image(m.lam, m.p, m.r, u, m.grid))
            u = np.take_along_axis(got[-1], pick[..., None, :], -2)[..., 0, :]
        return np.stack(got, 1)

    def policy(self, plan: Array, x: Array, t: Array) -> Array:
        """The action that is greedy between grid points as well."""
        place = np.clip(t / self.model.grid[1], 0, CELLS - 1e-9)
        j, q = place.astype(int), self.plans["q"]
        w = (place - j)[..., None]
        at = np.moveaxis(q, -2, -1)  # (plan, x, grid, a)
        return (at[plan, x, j] * (1 - w) + at[plan, x, j + 1] * w).argmax(-1)


class Keeping:
    """Plans are kept while the data of no pair have more than doubled."""

    eta = 1.0
    watched = ("N", "T")

    def due(self, ids: Array, n: int) -> Array:
        """Where there are more jumps, or more time, than a plan is kept for; and at the beginning."""
        found = np.full(len(ids), n == 0)
        for name, least in (("N", 1), ("T", self.least_time)):
            now, then = (self.rows[f"{name}f"][ids, k] for k in (n, self.rows["pl"][ids, n]))
            more = (now > (1 + self.eta) * np.maximum(then, least)).any((-1, -2))
            found |= more & (name in self.watched)
        now, then = (self.rows["ep"][ids, k] + 1 for k in (n, self.rows["pl"][ids, n]))
        return found | ((now > (1 + self.eta) * then) & ("k" in self.watched))
