"""The symbols of the lower bound's setting, on a random tree with a random learner.

Values are Poisson tails: in instance (z, b) a state x of height h is worth P(a good jump) times the mean time
after h jumps, E(t - γ_h)^+ = (1/rate) Σ_{i >= h} P(N >= i + 1), of which n iterations have the summands
i < n.  A mean over enumerated runs has the distance to that of the coarser rule as radius; one over drawn
runs what Bernstein's inequality gives (Maurer, Pontil) for the variance and the range that were seen.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from proofs_checks.derivations.lower_setting import SETTING
from tests.kernel.balls import Array, Ball
from tests.kernel.clauses import called
from tests.kernel.lower_runs import Instance, Space, seen, summed
from tests.kernel.numeric import OUTCOME, Env, Evaluator, Value, contracted, deeper
from verify.kernel.terms import Symbol

TERMS = 48  # of the sums for Poisson variables; their means are below 9
RISK = 1e-6  # of one mean
RULE = 1e-4  # what Gauss's rule with three nodes leaves of a mean, relatively; a test looks at it
Meaning = Callable[[list[Value], Env], Value]


@dataclass
class LowerWorld:
    """An instance, outcomes, and functions for the generic symbols."""

    rng: np.random.Generator
    instance: Instance
    space: Space
    changed: dict[str, Any] = field(default_factory=dict)  # planted: other meanings of symbols

    symbols = SETTING.symbols

    def __post_init__(self) -> None:
        m, tree = self.instance, self.instance.tree
        self.contraction = float(-np.expm1(-2 * m.rate * m.H))  # times are up to 2 H
        self.size = len(self.space.weights)
        self.reach = np.stack([tree.under(z) for z in range(tree.S)])  # (z, x)
        self.jumps, self.tilt = tree.law()
        self.seen = seen(tree, self.space.rows)
        if "ep" in (rows := self.space.rows):
            self.counts = summed(tree, (rows["X"][:, :-1], rows["act"][:, :-1]), rows["jump"])
            self.left, ep = self._left(), rows["ep"][:, :, None]
            self.begins = (ep < np.arange(ep.max() + 2)).sum(1)  # (outcome, k): where episode k begins
        self.meaning = self._numbers() | self._functions() | self._run()
        self.generic: dict[str, Meaning] = {}

    def _left(self) -> float:
        """The most that the first K episodes could still earn after the last decision, in any instance."""
        m, rows, ends = self.instance, self.space.rows, self.space.decisions
        episodes = m.K - 1 - rows["ep"][:, ends]
        time = np.where(episodes >= 0, rows["rem"][:, ends] + episodes * m.H, 0)
        ratios = np.exp(self.log((slice(None), ends, m.tree.leaves)).m)  # (outcome, leaf, action)
        return float(np.einsum("w,wzb->zb", self.space.weights * time, ratios).max())

    # --- what the evaluator asks ---

    def sort_of(self, name: str) -> str:
        """The sort of a variable."""
        return SETTING.variables.get(name) or name.rpartition("_")[0]

    def elements(self, sort: str, body: ast.expr) -> Array:
        """All of a finite sort, samples of numbers; drawn runs are over at the last decision."""
        if sort == "Real":
            return self.instance.H * np.array([0, 0.13, 1 / 3, 0.5, 0.77, 1])
        if sort == "Nat":
            if not self._looks(body):
                return np.arange(24.0)
            last = float(self.space.decisions)
            return np.array([last]) if called(body, "E") else np.arange(last)
        return np.arange(self.instance.tree.S if sort == "State" else self.instance.tree.A)

    def outcomes(self, env: Env) -> Array:
        """All of them."""
        return np.arange(self.size)

    def supremum(self, got: Ball, body: ast.expr) -> Ball:
        """Of value iteration; or of means of what K episodes earn, at the last decision and what is left."""
        if not self._looks(body):
            return contracted(got, self.contraction)
        return Ball(got.m[..., -1] + self.left / 2, got.r[..., -1] + self.left / 2)

    def apply(self, symbol: Symbol, args: list[Value], env: Env) -> Value:
        """The value of a symbol."""
        name = symbol.name
        if name in self.changed:
            return self.changed[name](self, args, env)
        return (self.generic if symbol.generic else self.meaning)[name](args, env)

    def _numbers(self) -> dict[str, Meaning]:
        m, tree = self.instance, self.instance.tree
        low, leaves = (int((tree.ht == h).sum()) for h in range(2))
        numbers = {"rate": m.rate, "H": m.H, "D": m.D, "d": tree.d, "K": m.K, "S": tree.S, "A": tree.A}
        named = {"root": tree.root, "good": tree.good, "bad": tree.bad}
        return {name: _constant(Ball.of(v)) for name, v in (numbers | {"low": low, "L": leaves}).items()} | {
            name: _constant(np.array(v)) for name, v in named.items()
        }

    def _functions(self) -> dict[str, Meaning]:
        tree = self.instance.tree
        return {
            "ht": lambda a, _: Ball.of(tree.ht[a[0]]),
            "gd": lambda a, _: Ball.of(tree.gd[a[0]]),
            "mate": lambda a, _: tree.mate[a[0]],
            "child": lambda a, _: tree.child[a[0], a[1]],
            "anc": lambda a, _: tree.anc[a[0], np.minimum(whole(a[1]), tree.d + 2)],
            "via": lambda a, _: tree.via[a[0], np.minimum(whole(a[1]), tree.d + 2)],
            "pw": lambda a, _: Ball.of(float(tree.A) ** whole(a[0])),
            "p": lambda a, _: Ball.of(self.jumps[tuple(a[1:])]) + a[0] * Ball.of(self.tilt[tuple(a[1:])]),
            "er": lambda a, _: self._erlang(*a),
            "po": lambda a, _: self._poisson(*a),
            "V": lambda a, _: self._worth(a[0], *a[1:]),
            "Vs": lambda a, _: self._worth(Ball.of(TERMS), *a),
        }

    def _run(self) -> dict[str, Meaning]:
        rows = self.space.rows

        def row(name: str) -> Meaning:
            numbers = self.symbols[name].value in ("Real", "Nat")
            return lambda a, env: (Ball.of if numbers else np.asarray)(rows[name][env[OUTCOME], whole(a[0])])

        return {name: row(name) for name in rows} | {
            "l": lambda a, env: self.log((env[OUTCOME], whole(a[0]), a[1], a[2])),
            "lc": lambda a, env: self.log((env[OUTCOME], whole(a[0]), a[1], a[2])),
            "lk": lambda a, env: self.log((env[OUTCOME], self.before(a[0], a[1], env), a[2], a[3])),
            "T": lambda a, env: Ball.of(self.counts[env[OUTCOME], self.before(a[0], a[1], env), a[2], a[3]]),
            "vis": lambda a, env: Ball.of(
                (rows["X"][env[OUTCOME], whole(a[0])] == a[1])
                & (rows["act"][env[OUTCOME], whole(a[0])] == a[2])
            ),
        }

    def log(self, place: tuple[Array, ...]) -> Ball:
        """The logarithm of the likelihood ratio at (outcome, decision, z, b)."""
        up, down = (count[place] for count in self.seen)
        return near(up * np.log1p(2 * self.instance.D) + down * np.log1p(-2 * self.instance.D))

    def before(self, n: Ball, k: Ball, env: Env) -> Array:
        """Decision n, or the first of episode k if that is earlier."""
        episode = np.minimum(whole(k), self.begins.shape[1] - 1)
        return np.minimum(whole(n), self.begins[env[OUTCOME], episode])

    # --- Poisson variables ---

    def _tails(self, t: Ball) -> Array:
        """(..., i): P(N >= i), N Poisson with mean rate t."""
        load = self.instance.rate * np.maximum(t.m, 0)[..., None]
        steps = load / np.arange(1, TERMS)
        weights = np.concatenate([np.ones(load.shape), steps], -1).cumprod(-1) * np.exp(-load)
        return weights[..., ::-1].cumsum(-1)[..., ::-1]

    def _erlang(self, h: Ball, t: Ball) -> Ball:
        sums = self._tails(t)[..., ::-1].cumsum(-1)[..., ::-1] / self.instance.rate
        got = entry(sums, whole(h) + 1)
        return Ball(np.where(h.m == 0, t.m, got), t.r + 1e-14)

    def _poisson(self, i: Ball, t: Ball) -> Ball:
        load, i = self.instance.rate * t.m, whole(i)
        steps = np.concatenate([np.ones((*load.shape, 1)), load[..., None] / np.arange(1, TERMS)], -1)
        m = entry(steps.cumprod(-1), i) * np.exp(-load)
        return Ball(m, 1e-13 * np.exp(2 * np.abs(load)) + t.r * 4 * np.exp(2 * np.abs(load)))

    def _worth(self, n: Ball, z: Array, b: Array, x: Array, t: Ball) -> Ball:
        tree = self.instance.tree
        sums = np.pad(self._tails(t)[..., 1:], [(0, 0)] * t.m.ndim + [(1, 0)]).cumsum(-1) / self.instance.rate
        n, h = np.minimum(whole(n), TERMS - 1), tree.ht[x]
        chance = np.where(h == 0, tree.gd[x], 0.5 + self.instance.D * self.reach[z, x])
        got = chance * np.maximum(entry(sums, n) - entry(sums, np.minimum(h, n)), 0)
        return Ball(got, np.broadcast_to(t.r + 1e-14, got.shape))

    # --- means ---

    def mean(self, body: ast.expr, level: ast.expr | None, env: Env, evaluator: Evaluator) -> Ball:
        """E(body), or E(body, level)."""
        if not self._looks(body):
            return evaluator.of(body, env)
        got = evaluator.of(body, {**deeper(env), OUTCOME: np.arange(self.size)})
        shape = np.broadcast_shapes(got.m.shape, (self.size,))
        m, r = np.broadcast_to(got.m, shape), np.broadcast_to(got.r, shape)
        weights = self.space.weights
        if level is not None:
            return self._given(m, r, env[OUTCOME], whole(evaluator.of(level, env)))
        mean, radius = (m * weights).sum(-1), (r * weights).sum(-1) + 1e-14
        if self.space.coarse is not None:
            return Ball(mean, radius + np.abs((m * self.space.coarse).sum(-1) - mean))
        if self.space.nodes is None:
            each, risk = m * weights * self.size, np.log(3 / RISK) / self.size
            spread = each.max(-1) - each.min(-1)
            radius = radius + np.sqrt(2 * each.var(-1) * risk) + 3 * spread * risk
        return Ball(mean, radius)

    def _given(self, m: Array, r: Array, w: Array, n: Array) -> Ball:
        nodes = self.space.nodes
        assert nodes is not None
        same = nodes.T[n] == nodes[w, n][..., None]
        weights = np.where(same, self.space.weights, 0)
        weights = weights / weights.sum(-1, keepdims=True)
        return Ball((m * weights).sum(-1), (r * weights).sum(-1) + RULE * np.abs(m * same).max(-1))

    def _looks(self, body: ast.expr) -> bool:
        """Whether it speaks of the run."""
        names = {n.id for n in ast.walk(body) if isinstance(n, ast.Name)} & set(self.symbols)
        return any(self.symbols[n].random for n in names)


def _constant(value: Value) -> Meaning:
    return lambda *_: value


def whole(n: Ball) -> Array:
    return np.rint(n.m).astype(int)


def near(values: Array) -> Ball:
    return Ball.of(values, 1e-14 * (1 + np.abs(values)))


def entry(table: Array, k: Array) -> Array:
    """The k-th on the last axis."""
    shape = np.broadcast_shapes(table.shape[:-1], k.shape)
    table = np.broadcast_to(table, (*shape, table.shape[-1]))
    return np.take_along_axis(table, np.broadcast_to(k, shape)[..., None], -1)[..., 0]
