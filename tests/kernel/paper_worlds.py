"""The symbols of the paper's setting, on random small models with simulated runs of CT-UCBVI.

V, V* and the values of policies are tables of ``paper_runs``, known up to second differences of the table
times exp(λmax H) (what interpolation errors can add up to under a contraction).  A mean E(u) is one over
simulated runs, with Hoeffding's radius for the range of u that was seen, and not beyond what u can be at all;
E(u, n) is one over branches from decision n, where what is known at n + 1 is integrated over strata, with
second differences as radius.
"""

# ruff: noqa: N806 - the letters of the paper

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np

from proofs_checks.derivations.setting import PAPER
from tests.kernel import balls
from tests.kernel.balls import Array, Ball
from tests.kernel.numeric import OUTCOME, Env, Evaluator, Value, contracted, deeper
from tests.kernel.paper_runs import CELLS, DECISIONS, ITERATES, Model, Runs, image
from verify.kernel.terms import Symbol

RUNS = 500
STRATA = 80
MOST_BRANCHES = 40
RISK = 1e-6  # of one mean; a test has some thousand
_COUNTS = ("pos", "top", "pl", "N", "Nf", "T", "Tf", "M", "Mf")
_PROCESSES = ("X", "act", "rem", "ep", "new", "jump", "spent", *_COUNTS)
_AFTER = ("jump", "spent")
_UNRANGED = ("X", "act", "pol", "earn", "hops", "Vh", "nk", "Vp", "Vpi", "bo")
LEVEL = "#level"
ANYTHING = np.array(-1)  # no outcome: symbols have their ranges


@dataclass(frozen=True)
class Chance:
    """A generic function of the outcome, on a finite space: as likely each of its first arguments."""

    values: Array  # (outcome, ...)

    def __call__(self, world: PaperWorld, args: list[Value], env: Env) -> Ball:
        """The value."""
        plain = [_whole(a) if isinstance(a, Ball) else a for a in args]
        plain = [np.minimum(a, n - 1) for a, n in zip(plain, self.values.shape[1:], strict=True)]
        return Ball.of(self.values[(env[OUTCOME] % len(self.values), *plain)])


@dataclass(frozen=True)
class Table:
    """A function: whole and finite arguments first, then a real one on the grid if ``timed``."""

    values: Array
    radius: Array | float = 0.0
    timed: bool = True

    @staticmethod
    def computed(values: Array, growth: float, keep: int = 0, iterated: bool = True) -> Table:
        """Of a smooth function: what interpolation loses, added up; a radius for each of the first axes."""
        bends = np.abs(np.diff(values, 2, axis=-1)).max(tuple(range(keep, values.ndim)), initial=0) / 4
        return Table(
            values, growth * (np.maximum.accumulate(bends, keep - 1) if keep and iterated else bends)
        )


@dataclass
class PaperWorld:
    """A model, its runs, and functions for the generic symbols."""

    rng: np.random.Generator
    model: Model
    changed: dict[str, Any] = field(default_factory=dict)  # planted: other meanings of symbols
    generic: dict[str, Any] = field(default_factory=dict)

    symbols = PAPER.symbols
    learner = Runs

    def __post_init__(self) -> None:
        m = self.model
        self.S, self.A = m.lam.shape
        self.contraction = float(-np.expm1(-m.lmax * m.grid[-1]))
        self.growth = float(np.exp(m.lmax * m.grid[-1]))
        V = [np.zeros((self.S, CELLS + 1))]
        for _ in range(2 * ITERATES):
            V.append(image(m.lam, m.p, m.r, V[-1], m.grid).max(-2))
        best = image(m.lam, m.p, m.r, V[-1], m.grid)
        self.tables = {
            "V": Table.computed(np.stack(V[: ITERATES + 1]), self.growth, 1),
            "Vs": Table.computed(V[-1], self.growth),
            "opt": Table(best),
            "tail": Table.computed(_tails(m.lmax * m.grid), 1.0, 1),
        }
        u, got = np.zeros((self.S, CELLS + 1)), []
        for _ in range(ITERATES):
            got.append(image(m.lam, m.p, m.r, u, m.grid))
            u = np.take_along_axis(got[-1], best.argmax(-2)[:, None], -2)[:, 0]
        self.tables["Vo"] = Table.computed(np.stack(got), self.growth, 1)
        self.runs = self.learner(m, self.rng)
        self.runs.begin(RUNS)
        self.plans = len(self.runs.plans["nk"])
        self.branches: dict[tuple[int, int], tuple[Array, Array]] = {}
        self.final: dict[int, Array] = {}
        self.times = np.zeros(0)  # others that are looked at
        self.ahead = 0  # how far beyond the level a mean looks
        self.constants = self._constants()

    def begin(self, text: str, salt: int = 0) -> None:
        """Draws for a text, whatever was drawn before; the branches that were made are forgotten."""
        self.rng = self.runs.rng = np.random.default_rng([crc32(text.encode()), salt])
        self.forget()

    def forget(self) -> None:
        """The branches that were made."""
        self.runs.forget(RUNS, self.plans)
        self.branches.clear()
        self.final = {k: v for k, v in self.final.items() if k < self.plans}

    def _constants(self) -> dict[str, float]:
        m = self.model
        L = 4 * np.log(2 * self.S * self.A * m.episodes / m.delta)
        C = max(m.lmax / -np.expm1(-m.lmax * m.horizon), 1.0)
        return {
            "eta": self.learner.eta,
            "lmin": m.lmin,
            "lmax": m.lmax,
            "H": m.horizon,
            "delta": m.delta,
            "L": L,
            "C": C,
        } | {
            "K": m.episodes,
            "S": self.S,
            "A": self.A,
        }

    # --- what the evaluator asks ---

    def sort_of(self, name: str) -> str:
        """The sort of a variable."""
        return PAPER.variables.get(name) or name.rpartition("_")[0]

    def outcomes(self, env: Env) -> Array:
        """Where it is looked whether something is sure: at the outcome itself."""
        return env[OUTCOME][..., None]

    def supremum(self, got: Ball, body: ast.expr) -> Ball:
        """Of value iteration, or of what looks like it."""
        return contracted(got, self.contraction)

    def elements(self, sort: str, body: ast.expr | None = None) -> Array:
        """All of a finite sort, samples of numbers."""
        sizes = {"State": self.S, "Action": self.A, "Subset": 2**self.S}
        if sort == "Real":
            return np.append(self.model.horizon * np.array([0, 0.13, 1 / 3, 0.5, 0.77, 1]), self.times)
        return np.arange(float(ITERATES - 2)) if sort == "Nat" else np.arange(sizes[sort])

    def apply(self, symbol: Symbol, args: list[Value], env: Env) -> Value:
        """The value of a symbol."""
        name, m = symbol.name, self.model
        if name in self.changed:
            return self.changed[name](self, args, env)
        if name in self.generic:
            made = self.generic[name]
            return made(self, args, env) if callable(made) else self.look(made, args, symbol.value)
        if name in self.constants:
            return Ball.of(self.constants[name], 1e-14 if name in "LC" else 0)
        if name == "x0":
            return np.array(0)
        if name in ("lam", "r", "p"):
            return Ball.of(getattr(m, name)[tuple(args)], 1e-16 if name == "p" else 0)
        if name == "eps":
            return Ball.of(m.eps[np.minimum(_whole(args[0]), 63)])
        if name == "inB":
            return Ball.of((args[0] >> args[1]) & 1)
        if name in ("V", "Vs", "tail"):
            return self.look(self.tables[name], args, "Real")
        if name in ("opt", "Vo"):
            return self._optimal(name, args)
        return self._random(name, args, env)

    def look(self, table: Table, args: list[Value], value: str) -> Value:
        """A value of a table."""
        plain = [_whole(a) if isinstance(a, Ball) else a for a in (args[:-1] if table.timed else args)]
        plain = [np.minimum(a, n - 1) for a, n in zip(plain, table.values.shape, strict=False)]
        if not table.timed:
            got = table.values[tuple(plain)]
            return Ball.of(got, table.radius) if value in ("Real", "Nat") else got
        j, w = self._place(args[-1])
        if value not in ("Real", "Nat"):
            return table.values[(*plain, np.where(w < 0.5, j, j + 1))]
        here, there = table.values[(*plain, j)], table.values[(*plain, j + 1)]
        slope = np.abs(there - here) / self.model.grid[1]
        radius = table.radius
        if np.ndim(radius) == table.values.ndim:  # one for each point
            radius = np.maximum(radius[(*plain, j)], radius[(*plain, j + 1)])
        elif np.ndim(radius):
            radius = radius[tuple(plain[: radius.ndim])]
        got = here * (1 - w) + there * w
        return Ball(*np.broadcast_arrays(got, radius + slope * args[-1].r + 4e-16 * np.abs(got)))

    def _place(self, t: Ball) -> tuple[Array, Array]:
        place = np.clip(t.m / self.model.grid[1], 0, CELLS)
        j = np.minimum(place.astype(int), CELLS - 1)
        return j, place - j

    def _optimal(self, name: str, args: list[Value]) -> Value:
        x, t = args[-2:]
        j, w = self._place(t)
        q = np.moveaxis(self.tables["opt"].values, -2, -1)
        pick = (q[x, j] * (1 - w[..., None]) + q[x, j + 1] * w[..., None]).argmax(-1)
        return pick if name == "opt" else self._after_one(self.tables["Vo"], args[0], [x, pick, t])

    def _after_one(self, table: Table, m: Ball, args: list[Value]) -> Ball:
        """The m-th iterate, table m - 1; 0 for m = 0."""
        got = self.look(table, [Ball.of(np.maximum(m.m - 1, 0)), *args], "Real")
        return Ball(np.where(m.m == 0, 0, got.m), np.where(m.m == 0, 0, got.r))

    # --- the run ---

    def _random(self, name: str, args: list[Value], env: Env) -> Value:
        w, n = env[OUTCOME], _whole(args[0])
        if np.all(w < 0):
            return self._possible(name, n)
        level = n + 1 if name in _AFTER else n
        if name in ("earn", "hops"):
            self.look_ahead(n + _whole(args[1]), env)
            return self._collected(name, w, n, _whole(args[1]))
        self.look_ahead(level, env)
        over = level > self.runs.known[w]
        n = np.minimum(n, DECISIONS - (name in _AFTER))
        if name in _PROCESSES:
            got = self.runs.rows[name][(w, n, *args[1:])]
            return got if name in ("X", "act") else Ball.of(got, np.where(over, np.inf, 0.0))
        if name in ("lh", "lt", "ph", "al", "be", "bo"):
            w, n = np.broadcast_arrays(w, n)
            n = self.runs.rows["pl"][w, n] if name == "bo" else n
            flat = self.runs.estimates(w.ravel(), n.ravel())[name]
            places = np.arange(w.size).reshape(w.shape)
            got = flat[(places, *args[1:])]
            return Ball.of(got, np.where(over, np.inf, 1e-13 * (1 + np.abs(got))))
        return self._planned(name, self.runs.rows["plan"][w, n], args)

    def _possible(self, name: str, n: Array) -> Ball:
        """What it can be at decision n, whatever happened."""
        m, zero = self.model, np.zeros(n.shape)
        most = {"rem": m.horizon, "spent": m.horizon, "lh": m.lmax, "new": 1, "jump": 1, "ph": 1}
        if name in most:
            return balls.between(zero, zero + most[name])
        if name in ("ep", "pos", "top", "pl", "N", "Nf", "M", "Mf"):
            return balls.between(zero, n)
        if name in ("T", "Tf"):
            return balls.between(zero, n * m.horizon)
        ends = [self.runs.radii(*(v + 0.0 for v in counts)) for counts in ((zero, zero), (n, n * m.horizon))]
        return balls.between(ends[1][name], ends[0][name])

    def _planned(self, name: str, plan: Array, args: list[Value]) -> Value:
        if name == "nk":
            return Ball.of(self.runs.plans["nk"][plan])
        x, t = args[-2:]
        if name == "Vh":
            used, place = np.unique(plan, return_inverse=True)
            tables = self.runs.iterates(used, int(args[1].m.max(initial=0)))
            return self.look(
                Table.computed(tables, self.growth, 2), [place.reshape(plan.shape), *args[1:]], "Real"
            )
        plan, x, time = np.broadcast_arrays(plan, x, t.m)
        pick = self.runs.policy(plan, x, time)
        if name == "pol":
            return pick
        used, place = np.unique(plan, return_inverse=True)
        if name == "Vpi":
            table = Table.computed(self._values(used), self.growth, 1, False)
            return self.look(table, [place.reshape(plan.shape), x, pick, t], "Real")
        table = Table.computed(self.runs.evaluations(used), self.growth, 2)
        got = self.look(
            table, [place.reshape(plan.shape), Ball.of(np.maximum(args[1].m - 1, 0)), x, pick, t], "Real"
        )
        none = np.broadcast_to(args[1].m == 0, got.m.shape)
        return Ball(np.where(none, 0, got.m), np.where(none, 0, got.r))

    def _values(self, plans: Array) -> Array:
        """T^a of the values of the policies of these plans, kept."""
        missing = np.array([k for k in plans.tolist() if k not in self.final], int)
        for some in np.array_split(missing, 1 + len(missing) // 300):
            self.final |= dict(zip(some.tolist(), self.runs.evaluations(some)[:, -1], strict=True))
        return np.stack([self.final[k] for k in plans.tolist()])

    def _collected(self, name: str, w: Array, n: Array, m: Array) -> Ball:
        """What the sojourns n, ..., n + m - 1 of the episode earn, or how many of them a jump ends."""
        rows = self.runs.rows
        w, n, m = np.broadcast_arrays(w, n, m)
        total, alive = np.zeros(w.shape), np.ones(w.shape)
        for k in range(int(m.max(initial=0))):
            i = np.minimum(n + k, DECISIONS - 1)
            jump = rows["jump"][w, i]
            own = (
                jump
                if name == "hops"
                else self.model.r[rows["X"][w, i], rows["act"][w, i]] * rows["spent"][w, i]
            )
            total = total + (k < m) * alive * own
            alive = alive * jump
        return Ball.of(total, np.where(n + m > self.runs.known[w], np.inf, 1e-14 if name == "earn" else 0.0))

    # --- means ---

    def mean(self, body: ast.expr, level: ast.expr | None, env: Env, evaluator: Evaluator) -> Ball:
        """E(body), or E(body, level)."""
        inside = deeper(env)
        if not self._looks(body) or np.all(env[OUTCOME] < 0):
            return evaluator.of(body, env)
        if level is None and self._soon(body):
            level, env = ast.Constant(0), {**env, OUTCOME: np.zeros_like(env[OUTCOME])}
        if level is None:
            got = evaluator.of(body, {**inside, OUTCOME: np.arange(RUNS)})
            if self._invented(body):
                return Ball(got.m.mean(-1), got.r.mean(-1) + 1e-15)
            return self._within(_averaged(got, np.full(RUNS, 1 / RUNS), body), body, env, evaluator)
        n = _whole(evaluator.of(level, env))
        w, n = np.broadcast_arrays(env[OUTCOME], n)
        if w.size > MOST_BRANCHES:
            return Ball.of(np.zeros(w.shape), np.inf)
        ids, weights = self._branches(w, n)
        before, self.ahead = self.ahead, 0
        flat = ids.reshape(*w.shape, -1)
        got = evaluator.of(body, {**inside, OUTCOME: flat, LEVEL: n[..., None]})
        shape = np.broadcast_shapes(got.m.shape, flat.shape)
        got = Ball(np.broadcast_to(got.m, shape), np.broadcast_to(got.r, shape))
        ahead, self.ahead = self.ahead, before
        if ahead <= 1:
            m, r = (v.reshape(*shape[:-1], *ids.shape[-2:]) for v in (got.m, got.r))
            with np.errstate(invalid="ignore"):  # numbers of which nothing is known
                bends = (np.abs(np.diff(m, 2, axis=-1)) * weights[..., :1] / 2).sum((-1, -2))
                return Ball((m * weights).sum((-1, -2)), (r * weights).sum((-1, -2)) + bends + 1e-14)
        return _averaged(got, weights.reshape(flat.shape), body)

    def _within(self, got: Ball, body: ast.expr, env: Env, evaluator: Evaluator) -> Ball:
        """Not beyond what the body can be, whatever the run does."""
        if self._asked(body) & {*self.generic, *self.changed, *_UNRANGED}:
            return got
        hull = evaluator.of(body, {**env, OUTCOME: ANYTHING})
        low, high = np.maximum(got.low, hull.low), np.minimum(got.high, hull.high)
        fits = (low <= high) & (high - low < 2 * got.r)
        return Ball(np.where(fits, (low + high) / 2, got.m), np.where(fits, (high - low) / 2, got.r))

    def _asked(self, body: ast.expr) -> set[str]:
        """The symbols in it that depend on the outcome."""
        names = {n.id for n in ast.walk(body) if isinstance(n, ast.Name)} & set(self.symbols)
        return {n for n in names if self.symbols[n].random and not isinstance(self.generic.get(n), Table)}

    def _looks(self, body: ast.expr) -> bool:
        """Whether it depends on the run."""
        return bool(self._asked(body))

    def _invented(self, body: ast.expr) -> bool:
        """Whether it depends on functions of a finite space only."""
        return all(isinstance(self.generic.get(n), Chance) for n in self._asked(body))

    def _soon(self, body: ast.expr) -> bool:
        """Whether it looks at the first sojourn only: before it, everything is certain."""
        asked, first = self._asked(body), ast.dump(ast.Constant(0))
        calls = [n for n in ast.walk(body) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
        return asked <= {"jump", "spent"} and all(
            ast.dump(n.args[0]) == first for n in calls if isinstance(n.func, ast.Name) and n.func.id in asked
        )

    def look_ahead(self, level: Array, env: Env) -> None:
        """What is known at that level is asked for."""
        if LEVEL in env:
            self.ahead = max(self.ahead, int((level - env[LEVEL]).max(initial=0)))

    def _branches(self, w: Array, n: Array) -> tuple[Array, Array]:
        found = []
        for row, k in zip(w.ravel().tolist(), n.ravel().tolist(), strict=True):
            if (row, k) not in self.branches:
                self.branches[row, k] = self.runs.branch(row, min(k, DECISIONS - 1), STRATA)
            found.append(self.branches[row, k])
        shape = (*w.shape, self.S + 1, STRATA)
        return np.stack([a for a, _ in found]).reshape(shape), np.stack([b for _, b in found]).reshape(shape)


def _tails(means: Array) -> Array:
    """P(N >= n) for N Poisson with these means."""
    weights = [np.exp(-means)]
    for k in range(1, ITERATES):
        weights.append(weights[-1] * means / k)
    return np.stack([1 - sum(weights[:n], np.zeros_like(means)) for n in range(ITERATES + 1)])


def _whole(n: Ball) -> Array:
    return np.rint(n.m).astype(int)


def _averaged(got: Ball, weights: Array, body: ast.expr) -> Ball:
    """The mean, with Hoeffding's radius for the range that was seen, of an indicator 1."""
    m = np.broadcast_to(got.m, np.broadcast_shapes(got.m.shape, weights.shape))
    mean = (m * weights).sum(-1)
    spread = m.max(-1) - m.min(-1)
    if ast.unparse(body).startswith("Ind("):
        spread = np.maximum(spread, 1.0)
    radius = spread * np.sqrt(np.log(2 / RISK) / 2 * (weights**2).sum(-1))
    return Ball(mean, np.where(spread == 0, 0.0, radius) + (got.r * weights).sum(-1))
