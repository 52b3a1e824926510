"""Worlds of the optimistic learner: its equation solved on a grid, its sets as they are defined.

Q̂ is a table of Runge-Kutta's method; between the points it is linear, and what attains the maximum at a time
is computed from the values there.  There are two kinds of sets of rates, and three of rows.
"""

# ruff: noqa: N803, N806 - the letters of the paper

from __future__ import annotations

import ast
from collections import Counter
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from proofs_checks.derivations import optimistic_poisson, optimistic_theorem
from proofs_checks.derivations.optimistic_row_sets import Divergences, RowSets, Tilts, Uniform
from proofs_checks.derivations.setting_optimistic import (
    LAZY,
    LAZY_POISSON,
    LAZY_POISSON_KL,
    LAZY_TILTED,
    OPTIMISTIC,
    OPTIMISTIC_KL,
    OPTIMISTIC_TILTED,
    POISSON,
    POISSON_KL,
    POISSON_TILTED,
)
from proofs_checks.derivations.so_far import always
from tests.kernel import balls
from tests.kernel.balls import Array, Ball
from tests.kernel.numeric import OUTCOME, Env, Evaluator, Value, parsed
from tests.kernel.paper_runs import CELLS, DECISIONS, Keeping, Model, Runs, slow
from tests.kernel.paper_worlds import PaperWorld, Table
from tests.kernel.statements import Draw, clauses

STEPS = 2  # of Runge and Kutta, in a cell; with divergences one
_INSIDE = 1e-9
_STILL = 1e-9  # a step of Newton's method: what the next one would change is its square
_BETWEEN = 0.6  # of a quarter of second differences: more than a half is what a line errs by
OWN = ("Qh", "Vq", "ham", "lt", "pt", "rlo", "rhi", "au", "cap")


def best_rows(sets: dict[str, Array], V: Array) -> Array:
    """(y, a, x, ...): the row of the set with the largest mean of V; all rows are in it without data."""
    order = np.argsort(-V, 0)[:, None, None]
    row = np.take_along_axis(sets["row"], order, 0)  # the best state first
    more = np.minimum(sets["au"] / 2, 1 - row[0])
    got = np.where(sets["seen"], row, 0)
    got[0] = np.where(sets["seen"], got[0] + more, 1)
    for k in range(len(row) - 1, 0, -1):
        less = np.minimum(more, got[k])
        got[k], more = got[k] - less, more - less
    return np.take_along_axis(got, np.argsort(order, 0), 0)


def best_divergent(sets: dict[str, Array], V: Array) -> Array:
    """The same for rows with KL(p̂‖p) <= ``most``, short of ``_INSIDE`` of that.

    The row is p̂/(ν - V) up to a factor, and the best state has a share though it was never seen, if ν is its
    value.
    """
    shape, spread = sets["row"].shape, np.ptp(V, 0)
    best = np.broadcast_to(np.moveaxis(np.eye(len(V))[V.argmax(0)], -1, 0)[:, None, None], shape)
    got = np.where(sets["seen"], sets["row"], best)
    at = sets["seen"] & (spread > 1e-12)
    row, most = sets["row"][:, at], sets["most"][at] * (1 - _INSIDE)
    W = (V - V.min(0)) / np.maximum(spread, 1e-300)
    W = np.broadcast_to(W[:, None, None], shape)[:, at]
    top = np.where(row > 0, W, 0).max(0)
    below = np.where(row > 0, top - W, 1)
    found, apart, _ = shares(row, below, np.maximum(W.max(0) - top, 1e-80))
    new = np.where((W.max(0) > top) & (apart < most), -np.expm1(apart - most), 0)
    found = np.where(new > 0, (1 - new) * found + new * best[:, at], row)
    ask = (new == 0) & ((row > 0) & (below > 0)).any(0)  # elsewhere no seen state is better than another
    found[:, ask] = nearest(row[:, ask], below[:, ask], most[ask])
    got[:, at] = found
    return got


def shares(row: Array, below: Array, more: Array) -> tuple[Array, Array, Array]:
    """The row without a new state for ν = top + more, its divergence, and how that falls with ν.

    ``below`` is how far the values of the states that were seen are below the top; others have no share.
    """
    gap = below + more
    share = row / gap
    total = share.sum(0)
    apart = (row * np.log(gap)).sum(0) + np.log(total)
    return share / total, apart, total - (share / gap).sum(0) / total


def nearest(row: Array, below: Array, most: Array) -> Array:
    """The row whose divergence is ``most``: ln(ν - top) by Newton's method, of small ones' logarithm."""
    place = np.zeros(most.shape)
    for _ in range(16):
        more = np.exp(place)
        _, apart, slope = shares(row, below, more)
        apart, slope = np.maximum(apart, 1e-300), np.minimum(slope * more, -1e-300)
        gain = np.where(apart > most, most - apart, (np.log(most) - np.log(apart)) * apart)
        before, place = place, np.clip(place + np.clip(gain / slope, -60, 4), -200, 14)
        if np.abs(place - before).max(initial=0) < _STILL:
            break
    return shares(row, below, np.exp(place))[0]


def attained(best: Any, sets: dict[str, Array], Q: Array, V: Array) -> tuple[Array, Array, Array]:
    """The rate, the row and the maximum, for Q of (a, x, ...) and V of (y, ...).

    Sums over few states are quick if states are the first axis, and what is planned for the last.
    """
    rows = best(sets, V)
    gain = (rows * V[:, None, None]).sum(0) - Q
    rate = np.where(gain > 0, sets["rhi"], sets["rlo"])
    return rate, rows, rate * gain


def turned(sets: dict[str, Array]) -> dict[str, Array]:
    """With the axes in the other order."""
    return {name: np.ascontiguousarray(made.T) for name, made in sets.items()}


class OptimisticRuns(Runs):
    """Plans by the optimistic equation."""

    best, steps = staticmethod(best_rows), STEPS

    @property
    def tilts(self) -> int:
        """As many as are enough, for rates and for rows."""
        m = self.model
        return 2 + int(np.ceil(np.log2(m.episodes * (1 + m.lmax * m.horizon)) / 2))

    def row_sets(self, k: Array) -> dict[str, Array]:
        """The radius of the rows after k jumps."""
        S, A = self.model.lam.shape
        level = S * np.log(2) + np.log(S * A * k * (k + 1) / self.model.delta)
        return {"au": np.sqrt(2 * level / k)}

    def rates(self, got: dict[str, Array], N: Array, T: Array) -> tuple[Array, Array]:
        """The ends of the rate sets: within β."""
        del N, T
        return got["lh"] - got["be"], got["lh"] + got["be"]

    def sets(self, ids: Array, n: int) -> dict[str, Array]:
        """The sets of all pairs."""
        m, got = self.model, self.estimates(ids, n)
        N, T = self.rows["Nf"][ids, n], self.rows["Tf"][ids, n]
        low, high = self.rates(got, N, T)
        low = np.minimum(np.maximum(low, m.lmin), m.lmax)
        high = np.maximum(np.minimum(high, m.lmax), low)
        rows = self.row_sets(np.maximum(N, 1))
        return {"rlo": low, "rhi": high, **rows, "row": got["ph"], "seen": N >= 1}

    def _plan(self, ids: Array, n: int) -> Array:
        made, h = self.sets(ids, n), self.model.grid[1] / self.steps
        sets, r = turned(made), self.model.r.T[..., None]

        def slope(Q: Array) -> Array:
            return r + attained(self.best, sets, Q, Q.max(0))[2]

        Q = np.zeros((*self.model.lam.T.shape, len(ids)))
        table = [Q]
        for _ in range(CELLS):
            for _ in range(self.steps):
                a = slope(Q)
                b = slope(Q + h / 2 * a)
                c = slope(Q + h / 2 * b)
                Q = Q + h / 6 * (a + 2 * b + 2 * c + slope(Q + h * c))
            table.append(Q)
        made |= {"nk": np.zeros(len(ids), int), "q": np.stack(table).T}
        first = len(self.plans["nk"]) if self.plans else 0
        self.plans = {k: np.concatenate([self.plans[k], v]) if self.plans else v for k, v in made.items()}
        return first + np.arange(len(ids))


class TiltedRuns(OptimisticRuns):
    """The same with the rate sets of the tilts."""

    @property
    def least_time(self) -> float:
        """By the level of the tilts."""
        m = self.model
        return 3 * np.log(2 * m.lam.size * self.tilts / m.delta) / m.lmax

    def rates(self, got: dict[str, Array], N: Array, T: Array) -> tuple[Array, Array]:
        """The ends, as the tilts have them."""
        del got
        m, tilt = self.model, 2.0 ** (1 - np.arange(self.tilts))
        level = np.log(2 * m.lam.size * self.tilts / m.delta)
        spent, N, T = T > 0, N[..., None], np.where(T > 0, T, 1)[..., None]
        low = ((tilt * N - level) / (np.expm1(tilt) * T)).max(-1)
        high = ((tilt * N + level) / (-np.expm1(-tilt) * T)).min(-1)
        return np.where(spent, low, 0), np.where(spent, high, m.lmax)


class DivergentRows:
    """Rows within divergences."""

    best, steps = staticmethod(best_divergent), 1

    def row_sets(self, k: Array) -> dict[str, Array]:
        """The largest divergence after k jumps, and the radius by Pinsker's inequality."""
        S, A = self.model.lam.shape
        ways = np.log(np.stack([np.ones(k.shape), *(1 + k / j for j in range(1, S))])).sum(0)
        most = (np.log(S * A / self.model.delta) + ways) / k
        return {"au": np.sqrt(2 * most), "most": most}


class TiltedRows:
    """Rows within the radius of tilts."""

    def row_sets(self, k: Array) -> dict[str, Array]:
        """The radius after k jumps."""
        S, A = self.model.lam.shape
        level = S * np.log(2) + np.log(S * A * self.tilts / self.model.delta)
        return {"au": np.maximum(1.5 * np.sqrt(level / k), 3 / 2**self.tilts)}


class DivergentRuns(DivergentRows, OptimisticRuns):
    """Rates of the paper, rows within divergences."""


class DivergentTiltedRuns(DivergentRows, TiltedRuns):
    """Rates of tilts, rows within divergences."""


class TiltedRowsRuns(TiltedRows, OptimisticRuns):
    """Rates of the paper, rows of tilts."""


class AllTiltedRuns(TiltedRows, TiltedRuns):
    """Rates and rows of tilts."""


class LazyRuns(Keeping, OptimisticRuns):
    """Rates of the paper, rows within the uniform radius."""


class LazyTiltedRuns(Keeping, TiltedRuns):
    """Rates of tilts."""


class LazyDivergentTiltedRuns(Keeping, DivergentTiltedRuns):
    """Rates of tilts, rows within divergences."""


class LazyTiltedRowsRuns(Keeping, TiltedRowsRuns):
    """Rows of tilts."""


class TimelessRuns(LazyRuns):
    """Planted: a rule that forgets the time."""

    watched = ("N",)


class CountlessRuns(LazyRuns):
    """Planted: a rule that forgets the jumps."""

    watched = ("T",)


def own_functions(theorem: Any, rows: RowSets) -> dict[str, tuple[str, str]]:
    """What the generic event and prices are, for a theorem and its rows."""
    return {**theorem.PRICES, "gok": ("n", f"Ind({always(theorem.good(rows))})")}


class OptimisticWorld(PaperWorld):
    """Runs of the optimistic learner with the rate sets of the paper."""

    symbols, learner = OPTIMISTIC.symbols, OptimisticRuns
    own: ClassVar = own_functions(optimistic_theorem, Uniform())
    margin = 0.0  # of the maximum, over the horizon

    def _constants(self) -> dict[str, float]:
        tilts = OptimisticRuns(self.model, self.rng).tilts
        own = {"llow": self.model.lmin, "nt": tilts, "nr": tilts}
        return {**super()._constants(), **own}

    def _random(self, name: str, args: list[Value], env: Env) -> Value:
        if name not in OWN:
            return super()._random(name, args, env)
        n = np.rint(args[0].m).astype(int)
        self.look_ahead(n, env)
        plan = self.runs.rows["plan"][env[OUTCOME], np.minimum(n, DECISIONS)]
        if name == "cap":
            return Ball.of(np.full(plan.shape, self.model.horizon))
        if name in ("rlo", "rhi", "au"):
            got = self.runs.plans[name][(plan, *args[1:])]
            return Ball.of(got, 1e-13 * (1 + np.abs(got)))
        if name == "Qh":
            return self._solution(plan, args[1], args[2], args[3])
        if name == "Vq":
            return self._best(plan, args[1], args[2])
        return self._attained(name, plan, args)

    def _solution(self, plan: Array, x: Array, a: Array, t: Ball) -> Ball:
        plan, x, a, _ = np.broadcast_arrays(plan, x, a, t.m)
        used, place = np.unique(plan, return_inverse=True)
        table = Table.computed(self.runs.plans["q"][used], _BETWEEN, 1, False)
        return self.look(table, [place.reshape(plan.shape), x, a, t], "Real")

    def _best(self, plan: Array, x: Array, t: Ball) -> Ball:
        return reduce(balls.larger, [self._solution(plan, x, np.array(a), t) for a in range(self.A)])

    def _attained(self, name: str, plan: Array, args: list[Value]) -> Value:
        x, a, t = args[1], args[2], args[-1]
        plan, x, a, _ = np.broadcast_arrays(plan, x, a, t.m)
        sets = turned({k: v[plan] for k, v in self.runs.plans.items() if k not in ("nk", "q")})
        values = [self._best(plan, np.array(y), t) for y in range(self.S)]
        V = np.stack([one.m.T for one in values])
        Q = np.stack(
            [
                [self._solution(plan, np.array(s), np.array(b), t).m.T for s in range(self.S)]
                for b in range(self.A)
            ]
        )
        rate, rows, most = (got.T for got in attained(self.learner.best, sets, Q, V))
        at = (*np.indices(plan.shape), x, a)
        if name == "lt":
            return Ball.of(rate[at])
        if name == "pt":
            at = tuple(np.broadcast_arrays(*at, args[3]))
            return Ball.of(rows[at], 1e-15)
        radius = self._solution(plan, x, a, t).r + max(np.max(one.r, initial=0) for one in values)
        return Ball.of(most[at], self.model.lmax * (radius + self.margin * self.model.horizon) + 1e-13)


class TiltedWorld(OptimisticWorld):
    """Runs of the optimistic learner with the rate sets of the tilts."""

    symbols, learner = POISSON.symbols, TiltedRuns
    own: ClassVar = own_functions(optimistic_poisson, Uniform())


class DivergentWorld(OptimisticWorld):
    """Rows within divergences."""

    symbols, learner, margin = OPTIMISTIC_KL.symbols, DivergentRuns, 10 * _INSIDE
    own: ClassVar = own_functions(optimistic_theorem, Divergences())


class DivergentTiltedWorld(DivergentWorld):
    """Rows within divergences, rates of the tilts."""

    symbols, learner = POISSON_KL.symbols, DivergentTiltedRuns
    own: ClassVar = own_functions(optimistic_poisson, Divergences())


class TiltedRowsWorld(OptimisticWorld):
    """Rows of the tilts."""

    symbols, learner = OPTIMISTIC_TILTED.symbols, TiltedRowsRuns
    own: ClassVar = own_functions(optimistic_theorem, Tilts())


class AllTiltedWorld(OptimisticWorld):
    """Rows and rates of the tilts."""

    symbols, learner = POISSON_TILTED.symbols, AllTiltedRuns
    own: ClassVar = own_functions(optimistic_poisson, Tilts())


class LazyWorld(OptimisticWorld):
    """Plans are kept."""

    symbols, learner = LAZY.symbols, LazyRuns


class LazyTiltedWorld(TiltedWorld):
    """Plans are kept, rates of the tilts."""

    symbols, learner = LAZY_POISSON.symbols, LazyTiltedRuns


class LazyDivergentTiltedWorld(DivergentTiltedWorld):
    """Plans are kept, rates of the tilts and rows within divergences."""

    symbols, learner = LAZY_POISSON_KL.symbols, LazyDivergentTiltedRuns


class LazyTiltedRowsWorld(TiltedRowsWorld):
    """Plans are kept, rows of the tilts."""

    symbols, learner = LAZY_TILTED.symbols, LazyTiltedRowsRuns


class TimelessWorld(LazyWorld):
    """Planted: a rule that forgets the time."""

    learner = TimelessRuns


class CountlessWorld(LazyWorld):
    """Planted: a rule that forgets the jumps."""

    learner = CountlessRuns


class OptimisticDraw(Draw):
    """The generic event and prices are those of the learner's sets."""

    def _function(self, name: str, args: tuple[str, ...], value: str) -> Any:
        own = self.world.own if isinstance(self.world, OptimisticWorld) else {}
        if name not in own:
            return super()._function(name, args, value)
        names, text = own[name]

        def learned(world: PaperWorld, values: list[Any], env: Env) -> Ball:
            return Evaluator(world).of(parsed(text), {**env, **dict(zip(names.split(), values, strict=True))})

        return learned

    def _sharp(self, left: ast.expr, name: str) -> None:
        super()._sharp(left, name)
        self.env[name] = Ball.of(self.env[name].m * (1 + 1e-9))  # whatever the order of a sum


def verdicts(world: OptimisticWorld, text: str, draws: int, salt: int = 0) -> Counter[str]:
    """Verdicts on every clause of a statement, for the event and the prices of the learner."""
    total: Counter[str] = Counter()
    world.begin(text, salt)
    for number, clause in enumerate(clauses(parsed(text))):
        for _ in range(draws):
            got = OptimisticDraw(world, clause, 3 if "E(" in clause.text else 8).verdicts()
            world.forget()
            total += got
            total[f"clause {number}"] += got["held"] > 0
    return total


def world_of(kind: type[OptimisticWorld], seed: int) -> OptimisticWorld:
    """A random world; where plans are kept, one with jumps so rare that times grow without them."""
    rng = np.random.default_rng(seed)
    model = Model.draw(rng, ("", "two rates", "ones", "long")[seed % 4])
    if issubclass(kind.learner, Keeping) and seed % 4 == 0:
        model = slow(model)
    return kind(rng, model)
