"""Statements at sampled values: their hypotheses solved or drawn, their conclusions evaluated.

A statement is split into clauses: hypotheses and one conclusion.  Generic functions are drawn; then each
hypothesis that determines one (a recursion, a fixed point, a greedy choice, a bound by it) is solved, in
the order of the text, and a bound by a variable is made sharp.  A clause counts at values
where no hypothesis is refuted or undecided.
"""

# ruff: noqa: N806 - the letters of the paper

from __future__ import annotations

import ast
from collections import Counter
from typing import Any

import numpy as np

from tests.kernel import balls
from tests.kernel.balls import Array, Ball
from tests.kernel.clauses import Clause, called, clauses, judged
from tests.kernel.numeric import OUTCOME, Env, Evaluator, parsed
from tests.kernel.paper_runs import CELLS, DECISIONS, ENDS, ITERATES, Model, adjusted
from tests.kernel.paper_worlds import RUNS, Chance, PaperWorld, Table

FIXED = ("c", "d", "e", "g", "q", "w", "h", "v", "l")  # one value for a whole draw; the others are sampled
KINDS = ("", "two rates", "ones", "long", "half", "b1")  # of models
_ITERATIONS = 12


def atoms(node: ast.expr) -> list[ast.expr]:
    """What a hypothesis says, without quantifiers and guards."""
    if parts := called(node, "And"):
        return [one for part in parts for one in atoms(part)]
    if parts := called(node, "All", "Imp", "Sure", "Or"):
        return atoms(parts[-1])
    return [node]


def _symbol(node: ast.expr) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _mentions(node: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


class Draw:
    """One choice of generic functions and values for a clause."""

    def __init__(self, world: PaperWorld, clause: Clause, size: int) -> None:
        self.world, self.clause, self.size, self.rng = world, clause, size, world.rng
        self.evaluator = Evaluator(world)
        self.env: Env = {OUTCOME: self.rng.integers(0, RUNS, size)}
        for name in sorted(clause.names):
            if name in world.symbols or (name[:1].isupper() and name != "B") or not self._variable(name):
                continue
            self.env[name] = self._value(name, world.sort_of(name))
        world.generic = {}
        world.times = self._times()
        self.sharpened: set[str] = set()
        self.tilt = self.rng.uniform(-0.5, 0.5)
        for symbol in world.symbols.values():
            if symbol.generic and symbol.name in clause.text:
                world.generic[symbol.name] = self._function(symbol.name, symbol.args, symbol.value)
        again = any(text in clause.text for text in ("glam(x, a) == 0", "gw(x, t + h)"))
        for _ in range(2 if again else 1):
            for hypothesis in clause.given:
                for atom in atoms(hypothesis):
                    self._solve(atom)

    def _times(self) -> Array:
        """More times at which a hypothesis has to hold: where a policy is used, and between drawn curves."""
        if self.clause.names & {"gpi", "gpc"}:
            return np.unique(self.env["t"].m)
        grid = self.world.model.grid
        return grid[1:ENDS:2] if self.clause.names & {"gg", "gh"} else grid[:0]

    def _variable(self, name: str) -> bool:
        try:
            return bool(self.world.sort_of(name))
        except KeyError:
            return False

    def _value(self, name: str, sort: str) -> Any:
        size = () if name in FIXED else (self.size,)
        H = self.world.model.horizon
        if sort == "Real":
            choices = [  # no time but 0 is shorter than the cells of integrals
                0,
                H / 2,
                H,
                self.rng.uniform(H / 16, H),
                self.rng.uniform(H / 16, H),
                0.5,
                1,
                2.0,
                *([20.0] if name == "c" else []),
            ]
            choices = choices[:5] if name in ("t", "s", "u") else choices
            return Ball.of(self.rng.choice(choices, size))
        if sort == "Nat":
            return Ball.of(self.rng.integers(0, 6, size))
        return self.rng.choice(self.world.elements(sort), size)

    # --- functions ---

    def _function(self, name: str, args: tuple[str, ...], value: str) -> Any:
        world, rng = self.world, self.rng
        sizes = {"State": world.S, "Action": world.A, "Nat": ITERATES + 1, "Subset": 2**world.S}
        shape = tuple(sizes[a] for a in args if a != "Real")
        if name == "glaw":  # its time is in the middle
            table = Table(self._curves((sizes["Nat"], world.S)))
            return lambda w, a, env: w.look(table, [a[0], a[2], a[1]], "Real")
        if name == "gM" or (name == "gx" and "jump(n) * gx(n)" in self.clause.text):
            return self._process(name)
        if name == "gmiss":  # events apart, each almost as likely as the hypothesis allows
            m = world.model
            each = int(RUNS * m.delta / (world.S * world.A * m.episodes))
            place = np.arange(m.episodes * world.S * world.A).reshape(m.episodes, world.S, world.A)
            return Chance((np.arange(RUNS)[:, None, None, None] // max(each, 1) == place) & (each > 0))
        if name == "glevel":  # the line that the hypothesis allows, or a flatter one
            return lambda w, a, env: _level(w.model, a[0], env["v"], env["w"])
        if name == "gx" and "(n + 1) * gx(n + 1) == u * gx(n)" in self.clause.text:
            return lambda w, a, env: _poisson(a[0], env["u"])
        if name == "gq" and "n * Abs(gu" in self.clause.text:
            near = 1 + 0.5 / np.arange(1, sizes["Nat"] + 1)
            return Table(world.generic["gu"].values * near[:, None, None])
        if "Real" in args:
            values = rng.integers(0, world.A, (*shape, 1)) if value == "Action" else self._curves(shape)
            if value == "Action" and rng.random() < 0.5:
                values = rng.integers(0, world.A, (*shape, 2)).repeat([CELLS // 2, CELLS // 2 + 1], axis=-1)
            return Table(np.broadcast_to(values, (*shape, CELLS + 1)))
        m = world.model
        if name == "glam":
            got = np.clip(m.lam + rng.choice([0.05, 0.5, 3]) * rng.normal(size=shape), 0, m.lmax)
            return Table(np.where(rng.random(shape) < 0.15, 0.0, got), timed=False)
        if name == "gp":
            rows = m.p if rng.random() < 0.3 else rng.dirichlet(np.ones(world.S), shape[:-1])
            none = rng.random(shape[:-1]) < (0 if "SumOver(y, gp(x, a, y)) == 1" in self.clause.text else 0.1)
            if "glam" in world.generic:
                none |= world.generic["glam"].values == 0
            return Table(np.where(none[..., None], 0.0, rows), 1e-16, timed=False)
        if name == "gbon" and "<= gbon(x, a) * Int" in self.clause.text:
            return Table(rng.uniform(3, 9, shape), timed=False)
        if name == "gd" and "SumOver(y, gd(y)) == 1" in self.clause.text:
            return Table(rng.dirichlet(np.ones(world.S)), 1e-16, timed=False)
        if name == "gd":
            values = rng.integers(-3, 4, shape) + 0.0
            values[0] -= values.sum()
            return Table(values, timed=False)
        if value == "Nat":
            return Table(rng.integers(0, 2, shape) + 0.0, timed=False)
        return Table(rng.choice([0.0, 0.3, 1]) * np.abs(rng.normal(size=shape)), timed=False)

    def _curves(self, shape: tuple[int, ...]) -> Array:
        """Functions of time: rising with slope at most 1, within [0, t], smooth, or a line."""
        rng, grid = self.rng, self.world.model.grid
        match rng.integers(5):
            case 0:
                slopes = rng.integers(0, 2, (*shape, CELLS // 8)).repeat(8, axis=-1)
                return np.concatenate([np.zeros((*shape, 1)), slopes.cumsum(-1) * grid[1]], -1)
            case 1:
                return rng.uniform(0, 1, (*shape, 1)) * grid
            case 2:
                return grid * (0.5 + 0.5 * np.sin(rng.uniform(0, 6, (*shape, 1)) + rng.uniform(1, 6) * grid))
            case 3:
                return np.broadcast_to(rng.choice([0.0, 0.5]) * grid, (*shape, CELLS + 1))
        return rng.normal(size=(*shape, 1)) + rng.normal(size=(*shape, 1)) * np.cos(3 * grid)

    def _process(self, name: str) -> Any:
        """A random sequence made of the run: an exponential martingale or its logarithm, one per episode."""
        text, tilt = self.clause.text, self.tilt
        kind = (
            "logarithm"
            if "exp(gM(n + 1)" in text
            else "episode"
            if "gM(n + 1) == gM(n)" in text
            else "martingale"
        )

        def path(world: PaperWorld) -> Array:
            rows, m = world.runs.rows, world.model
            jump, spent = rows["jump"][:, :-1], rows["spent"][:, :-1]
            rate = m.lam[rows["X"], rows["act"]][:, :-1]
            steps = tilt * jump - rate * np.expm1(tilt) * spent
            log = np.concatenate([np.zeros((len(jump), 1)), steps.cumsum(1)], 1)
            if name == "gx":
                frozen = np.zeros(log.shape)
                for n in range(DECISIONS):
                    frozen[:, n + 1] = np.where(jump[:, n], frozen[:, n], log[:, n + 1])
                return frozen
            return {"martingale": np.exp(log), "logarithm": log, "episode": 1 / (1.0 + rows["ep"])}[kind]

        def value(world: PaperWorld, args: list[Any], env: Env) -> Ball:
            n = np.minimum(np.rint(args[0].m).astype(int), DECISIONS)
            world.look_ahead(n, env)
            over = n > world.runs.known[env[OUTCOME]]
            return Ball.of(path(world)[env[OUTCOME], n], np.where(over, np.inf, 1e-13))

        return value

    # --- hypotheses ---

    def _solve(self, atom: ast.expr) -> None:
        if not isinstance(atom, ast.Compare):
            return
        left, right, equation = atom.left, atom.comparators[0], isinstance(atom.ops[0], ast.Eq)
        name = _symbol(left)
        if ast.unparse(right).startswith("v * eps("):
            self.env["v"] = Ball.of(_fall(self.world.model.eps, 1 + self.world.learner.eta))
        elif (
            equation
            and isinstance(right, ast.Name)
            and right.id in self.env
            and not _mentions(left, right.id)
        ):
            bound = [n.id for n in ast.walk(left) if isinstance(n, ast.Name) and n.id in self.env]
            place = {k: self.env[k] for k in (*bound, OUTCOME)} | {"a": np.array(0), "y": np.array(1)}
            if right.id in ("x", "t", "c", "d"):
                self.env[right.id] = self.evaluator.of(left, place)
        elif equation and ast.unparse(right) == "exp(-q)":
            self.env["q"] = -balls.logarithm(self.evaluator.of(left, self.env))
        elif equation and name in self.world.generic and isinstance(left, ast.Call):
            self._define(name, left.args, right)
        elif equation and _symbol(right) == "MaxOver":
            self._greedy(left, right)
        elif (
            not equation
            and isinstance(right, ast.Name)
            and right.id in FIXED
            and not _mentions(left, right.id)
        ):
            if isinstance(atom.ops[0], ast.LtE) and (
                right.id in ("g", "v") or any(_mentions(left, g) for g in self.world.generic)
            ):
                self._sharp(left, right.id)
        elif (
            not equation
            and _symbol(right) in ("gbe", "gal", "gbon", "gv", "gw")
            and _symbol(left) != _symbol(right)
        ):
            assert isinstance(right, ast.Call)
            if not isinstance(left, ast.Constant):
                self._above(_symbol(right), right.args, left)

    def _mesh(self, args: list[ast.expr]) -> tuple[Env, list[Array]]:
        """All values of the arguments that are variables, each on its axis."""
        names = [a.id if isinstance(a, ast.Name) else "" for a in args]
        grids = []
        for name in names:
            sort = self.world.sort_of(name)
            grids.append(self.world.model.grid if sort == "Real" else self.world.elements(sort))
        axes = list(np.meshgrid(*grids, indexing="ij", sparse=True))
        fixed = {k: v for k, v in self.env.items() if k in FIXED}
        numbers = ("Real", "Nat")
        env = {
            n: Ball.of(g) if self.world.sort_of(n) in numbers else g for n, g in zip(names, axes, strict=True)
        }
        return {**fixed, **env, OUTCOME: np.zeros((), int)}, grids

    def _on_mesh(self, args: list[ast.expr], body: ast.expr) -> Ball:
        env, grids = self._mesh(args)
        got = self.evaluator.of(body, env)
        shape = tuple(len(g) for g in grids)
        return Ball(np.broadcast_to(got.m, shape), np.broadcast_to(got.r, shape))

    def _table(self, got: Ball, timed: bool) -> Table:
        """Of values; of a function of time also with what interpolation loses near each point."""
        return Table(got.m, got.r + _bends(got.m) if timed else got.r.max(initial=0), timed)

    def _define(self, name: str, args: list[ast.expr], body: ast.expr) -> None:
        symbol = self.world.symbols[name]
        timed = "Real" in symbol.args
        if all(isinstance(a, ast.Name) for a in args):
            if name == "gx" or symbol.args == ("Nat",):
                return
            rounds = 16 if _mentions(body, name) else 1
            if rounds > 1:
                self.world.generic[name] = Table(np.zeros(self._on_mesh(args, ast.Constant(0)).m.shape))
            for _ in range(rounds):
                self.world.generic[name] = self._table(self._on_mesh(args, body), timed)
        elif timed and ast.unparse(args[-1]) == "t + h":  # the differential equation
            policy = None if "MaxOver" in ast.unparse(body) else self.world.generic["gpi"].values
            # a policy that switches at grid points only loses what their distance allows, from there on
            self.world.generic[name] = Table.computed(adjusted(self.world.model, policy), self.world.growth)
        elif isinstance(args[0], ast.BinOp) and isinstance(args[0].left, ast.Name) and timed:
            number = args[0].left.id
            mesh = args[1:]
            rows = [self._on_mesh(mesh, ast.Constant(0))]
            for n in range(_ITERATIONS + 2):
                stacked = np.stack([row.m for row in rows])
                radius = np.stack([row.r for row in rows]) + _bends(stacked)
                self.world.generic[name] = Table(stacked, radius)
                env, grids = self._mesh(mesh)
                got = self.evaluator.of(body, {**env, number: Ball.of(n)})
                shape = tuple(len(g) for g in grids)
                rows.append(Ball(np.broadcast_to(got.m, shape), np.broadcast_to(got.r, shape)))

    def _greedy(self, left: ast.expr, right: ast.expr) -> None:
        """The policy that attains the maximum, at grid points; between them the nearer one."""
        for policy in ("gpi", "gpc"):
            if policy in self.world.generic and _mentions(left, policy):
                parts = called(right, "MaxOver")
                assert parts
                symbol = self.world.symbols[policy]
                names = ["n", "x", "t"] if len(symbol.args) == 3 else ["x", "t"]
                got = self._on_mesh([parsed(n) for n in ["a", *names]], parts[1])
                pick = got.m.argmax(0)
                pick[..., 0] = pick[..., 1]  # without time every action is as good
                self.world.generic[policy] = Table(pick)

    def _sharp(self, left: ast.expr, name: str) -> None:
        """The least number that bounds it at the points that are looked at."""
        used = sorted({n.id for n in ast.walk(left) if isinstance(n, ast.Name)})
        free = [n for n in used if n in self.env and n not in FIXED]
        if free:
            got = self._on_mesh([parsed(n) for n in free], left)
            least = float(self.env[name].m) if name in self.sharpened else 0.0
            top = float(got.high[np.isfinite(got.high)].max(initial=0)) * (1 + 1e-12)  # sums are rounded
            self.env[name] = Ball.of(max(least, top))
            self.sharpened.add(name)

    def _above(self, name: str, args: list[ast.expr], left: ast.expr) -> None:
        if all(isinstance(a, ast.Name) for a in args):
            got = self._on_mesh(args, left)
            more = self.rng.choice([0, 0, 1]) * np.abs(self.rng.normal(size=(*got.m.shape[:-1], 1)))
            self.world.generic[name] = Table(
                got.high
                + (more if "Real" not in self.world.symbols[name].args else more * self.world.model.grid),
                1e-15,
                "Real" in self.world.symbols[name].args,
            )

    def verdicts(self) -> Counter[str]:
        """How often it held, was vacuous, undecided, or false."""
        return judged(self.evaluator, self.clause, self.env, self.size)


def _bends(values: Array) -> Array:
    """Half of the second differences, at each point the largest near it."""
    bends = np.abs(np.diff(values, 2, axis=-1)) / 2
    return np.pad(bends, [(0, 0)] * (values.ndim - 1) + [(1, 1)], mode="edge")


def _fall(eps: Array, more: float) -> float:
    """By how much accuracies fall while the number of the episode grows by that factor."""
    number = np.arange(1, len(eps) + 1)
    last = np.minimum((more * number).astype(int), len(eps))
    return max((eps[i] / eps[i:k]).max() for i, k in enumerate(last))


def _level(model: Model, n: Ball, top: Ball, slope: Ball) -> Ball:
    first = top - slope * Ball.of(model.episodes * model.lmax * model.horizon / model.lam.size)
    return first * Ball.of(1 - 1e-12) + balls.smaller(slope, first) * Ball.of(1 - 1e-12) * (n - Ball.of(1))


def _poisson(n: Ball, u: Ball) -> Ball:
    steps = np.concatenate([np.ones((*u.m.shape, 1)), u.m[..., None] / np.arange(1, ITERATES + 1)], -1)
    values = steps.cumprod(-1) * np.exp(-u.m)[..., None]
    place = np.broadcast_to(np.rint(n.m).astype(int), np.broadcast_shapes(n.m.shape, u.m.shape))
    table = np.broadcast_to(values, (*place.shape, ITERATES + 1))
    return Ball.of(np.take_along_axis(table, place[..., None], -1)[..., 0], 1e-15)


def world_of(seed: int, **changed: Any) -> PaperWorld:
    """A random world."""
    rng = np.random.default_rng(seed)
    return PaperWorld(rng, Model.draw(rng, KINDS[seed % len(KINDS)]), changed)


def tried(world: PaperWorld, text: str, draws: int, size: int, salt: int = 0) -> Counter[str]:
    """Verdicts on every clause of a statement, each with several draws; a clause counts apart."""
    total: Counter[str] = Counter()
    world.begin(text, salt)
    for number, clause in enumerate(clauses(parsed(text))):
        means, levels = "E(" in clause.text, clause.levelled
        left = draws
        for _ in range(12 if levels else 8):
            got = Draw(world, clause, 1 if levels else 3 if means else size).verdicts()
            world.forget()
            total.update(got)
            left -= got["held"] > 0
            if got["held"]:
                total[f"clause {number}"] += 1
            if got["false"]:
                total[f"false in {clause.text[:300]}"] += 1
            if not left:
                break
    return total
