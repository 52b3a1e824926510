"""Worlds of the lower bound's setting, and clauses judged there at drawn values and functions.

Three kinds of world: enumerated runs of a few decisions, drawn runs of K episodes with the gap D of one of
the theorems, and chains that run on.  A clause is tried where its symbols have a meaning.
"""

# ruff: noqa: N803, N806 - the letters of the paper

from __future__ import annotations

from collections import Counter
from typing import Any
from zlib import crc32

import numpy as np

from proofs_checks.derivations.lower_setting import FULL, SETTING, SIZES
from tests.kernel import balls
from tests.kernel.balls import Ball
from tests.kernel.clauses import Clause, judged, tally
from tests.kernel.lower_runs import Instance, Learner, Tree, Walk, chain, joined
from tests.kernel.lower_worlds import LowerWorld, Meaning, near, whole
from tests.kernel.numeric import OUTCOME, Env, Evaluator, Value, parsed

MOST_OUTCOMES = 16_000
_CHAIN = {"pz", "pa", "coin", "lc", "gZ", "gl"}
_RUN = {"X", "act", "rem", "ep", "jump", "spent", "l", "lk", "vis", "T", "glaw", "gM"}
_KINDS = ("any", "stays", "leaves", "any")


# --- worlds ---


def _tree(rng: np.random.Generator, setting: str, A: int, d: int, low: int) -> Tree:
    """A tree of the setting: with any last level, a full one, or one filled as far as the states go."""
    room = A ** (d - 1)
    if setting == FULL.name:
        return Tree.draw(rng, A, d, low)
    if setting == SETTING.name:
        return Tree.draw(rng, A, d, low, int(rng.integers(1, room + 1)))
    upper = sum(A**k for k in range(d - 1))
    return Tree.sized(rng, 2 + upper + int(rng.integers(room // A, 2 * room)), A)


def _learner(rng: np.random.Generator, tree: Tree) -> Learner:
    return Learner(str(rng.choice(_KINDS)), int(rng.integers(0, tree.A**tree.d)), tree)


def enumerated(seed: int, setting: str = SETTING.name, **changed: Any) -> LowerWorld:
    """A small tree and all runs of four to six decisions; of every sixth kind, one or two short episodes."""
    rng = np.random.default_rng([seed, 0])
    A, d, low = *((2, 1), (2, 2), (3, 2), (2, 3), (3, 1), (3, 2))[seed % 6], int(rng.integers(2, 5))
    if setting == SIZES.name and (d == 1 or seed % 6 == 5):
        A, d = 2, 3  # no fewer than seven states
    rate, H, D, K = (
        rng.uniform(0.5, 2),
        rng.uniform(0.5, 1.5),
        (0.05, 0.25, 0.2, 0.45)[seed % 4],
        1 + seed % 3,
    )
    if seed % 6 == 5:  # the supremum is known, and the gap is that of thm:lowerbound/every-K
        rate, H, D, K, low = rng.uniform(0.3, 0.6), 1.0, np.sqrt(2) / 4, 1 + seed // 6 % 2, 2
    tree = _tree(rng, setting, A, d, low)
    instance = Instance(tree, rate, H, float(D), K)
    ends = [0, *H * rng.uniform(0.2, 0.8, rng.integers(2)), H]
    walk = Walk(instance, _learner(rng, tree), np.array(ends))
    decisions, space = 4, walk.enumerated(4, 3)
    while decisions < 6 and len(space.weights) < MOST_OUTCOMES / 6:  # a step has some six ways
        decisions += 1
        space = walk.enumerated(decisions, 3)
    return LowerWorld(rng, instance, joined(space, walk.enumerated(decisions, 2)), changed)


def drawn(seed: int, setting: str = SETTING.name, number: int = 6000, **changed: Any) -> LowerWorld:
    """A tree with few states (six or more where it is full), a theorem's gap, and runs of K episodes."""
    rng = np.random.default_rng([seed, 1])
    kind = seed % 4
    tree = _tree(rng, setting, *((3, 2), (2, 3))[rng.integers(2)], 4 if kind == 2 else 2)
    pairs, size = len(tree.leaves) * tree.A, tree.S * tree.A
    K = int(rng.integers(1, 6)) if kind == 3 else (size + 1) // 2 + int(rng.integers(0, 3))
    D = 0.3 * np.sqrt(pairs / K) if kind == 1 else min(np.sqrt(size / K), np.sqrt(2)) / 4
    load = tree.d + rng.uniform(0.3, 1.2)
    H = rng.uniform(0.5, 2)
    instance = Instance(tree, load / H, H, float(D), K)
    walk = Walk(instance, _learner(rng, tree), H * np.array([0, rng.uniform(0.2, 0.8), 1]))
    return LowerWorld(rng, instance, walk.drawn(rng, number), changed)


def chained(seed: int, **changed: Any) -> LowerWorld:
    """Chains that run on, six episodes."""
    rng = np.random.default_rng([seed, 2])
    tree = _tree(rng, SETTING.name, 2, int(rng.integers(1, 3)), 2)
    instance = Instance(tree, 1.0, 1.0, float(rng.choice([0.03, 0.1, 0.25, 0.4])), 6)
    return LowerWorld(rng, instance, chain(tree, Learner("any", int(rng.integers(99)), tree), 6), changed)


def sized(S: int, A: int, **changed: Any) -> LowerWorld:
    """The tree with that many states, and no run: one chain of one episode."""
    rng = np.random.default_rng([S, A])
    tree = Tree.sized(rng, S, A)
    one = chain(tree, Learner("any", 0, tree), 1)
    return LowerWorld(rng, Instance(tree, 1.0, 1.0, 0.25, 1), one, changed)


# --- values and functions ---


def understood(world: LowerWorld, clause: Clause) -> bool:
    """Whether its symbols have a meaning there, and its means can be computed."""
    names, rows = clause.names, world.space.rows
    if names & _CHAIN:
        return "coin" in rows
    if names & _RUN and "X" not in rows:
        return False
    return world.space.nodes is not None or not clause.levelled


class LowerDraw:
    """Values of the variables, and functions for the generic symbols."""

    def __init__(self, world: LowerWorld, clause: Clause, size: int) -> None:
        self.world, self.clause, self.size, self.rng = world, clause, size, world.rng
        self.tree, self.rows = world.instance.tree, world.space.rows
        self.evaluator = Evaluator(world)
        self.env: Env = {OUTCOME: self.rng.choice(np.flatnonzero(world.space.weights), size)}
        for name in sorted(clause.names & set(SETTING.variables)):
            self.env[name] = self._value(name, SETTING.variables[name])
        functions = {"glaw": self._law, "gf": self._function, "gM": self._store, "gl": self._density}
        world.generic = {name: made() for name, made in functions.items() if name in clause.names}
        if "gZ" in clause.names:
            world.generic["gZ"] = self._event()
        if {"gl", "u"} <= clause.names:  # the hypothesis that determines u
            self.env["u"] = self.evaluator.of(parsed("E(-gl)/(-log(1 + 2*D)/2 - log(1 - 2*D)/2)"), self.env)

    def verdicts(self) -> Counter[str]:
        """How often it held, was vacuous, undecided, or false."""
        return judged(self.evaluator, self.clause, self.env, self.size)

    def _value(self, name: str, sort: str) -> Value:
        rng, m, size = self.rng, self.world.instance, self.size
        match sort:
            case "State":
                leaf = (rng.random(size) < 0.5) & (name == "z")
                return np.where(leaf, rng.choice(self.tree.leaves, size), rng.integers(0, self.tree.S, size))
            case "Action":
                return rng.integers(0, self.tree.A, size)
            case "Nat":
                long = self.world.space.decisions
                if "E" in self.clause.names and "Sup" not in self.clause.names:
                    long = min(long, 12)
                most = {"n": long, "k": min(m.K, 3) + 2}.get(name, self.tree.d + 2)
                return Ball.of(rng.integers(0, most, size))
        times = [-0.3 * m.H, 0, m.H / 2, m.H, *rng.uniform(m.H / 8, 2 * m.H, 3)]
        shares = rng.choice([0.1, 1], size) * rng.uniform(0, 1.1, size) ** 2
        return Ball.of(shares if name == "c" else rng.choice(times, size))

    def _law(self) -> Meaning:
        """A cubic in the holding time, whose coefficients depend on what is known."""
        table = self.rng.normal(size=(self.tree.S, self.tree.S, 4))

        def value(args: list[Value], env: Env) -> Ball:
            w, n = env[OUTCOME], whole(args[0])
            now, known = table[self.rows["X"][w, n], args[2]], Ball.of(self.rows["rem"][w, n])
            parts = [Ball.of(now[..., k]) * balls.power(args[1], k) for k in range(4)]
            return known * (parts[0] + parts[1]) + parts[2] + parts[3]

        return value

    def _function(self) -> Meaning:
        """With a kink; of two jumps in one cell the integral would not know."""
        a, b, c = self.rng.normal(size=3)
        place = self.rng.uniform(0, self.world.instance.H)
        return lambda args, _: near(a + b * args[0].m + c * np.abs(args[0].m - place))

    def _store(self) -> Meaning:
        """A number >= 0 that stays when episode k begins: a likelihood, or a wave of what was seen."""
        rng, rows, world = self.rng, self.rows, self.world
        z, b = rng.choice(self.tree.leaves), rng.integers(self.tree.A)
        seen = rng.normal(size=self.tree.S)[rows["X"]] + rng.normal() * rows["rem"]
        wave = rng.random() < 0.5
        table = 1 + np.sin(seen.cumsum(1)) if wave else np.exp(world.log((..., z, b)).m)
        return lambda args, env: near(table[env[OUTCOME], world.before(args[0], env["k"], env)])

    def _density(self) -> Meaning:
        """The logarithm of a density: of a chain in an instance, or any."""
        rng, size, world = self.rng, self.world.size, self.world
        match rng.integers(3):
            case 0:
                logs = world.log((..., -1, rng.integers(self.tree.S), rng.integers(self.tree.A))).m
            case 1:
                logs = rng.choice([0.1, 1, 3]) * rng.normal(size=size)
            case _:
                logs = rng.choice([0.1, 1, 3]) * rng.integers(0, 2, size)
        self.logs = logs - np.log((np.exp(logs) * world.space.weights).sum())
        return lambda _, env: near(self.logs[env[OUTCOME]])

    def _event(self) -> Meaning:
        """Within [0, 1]: any, or whether the density is large."""
        rng = self.rng
        table = (
            rng.random(self.world.size) if rng.random() < 0.3 else self.logs > rng.choice([0, 0, -0.5, 0.5])
        )
        return lambda _, env: Ball.of(table[env[OUTCOME]])


def tried(world: LowerWorld, text: str, draws: int, size: int, salt: int = 0) -> Counter[str]:
    """Verdicts on every clause that is understood in the world; on means of runs at few values."""
    world.rng = np.random.default_rng([crc32(text.encode()), salt])

    def judge(clause: Clause) -> Counter[str]:
        if not understood(world, clause):
            return Counter()
        means = "E" in clause.names and "coin" not in world.space.rows
        return LowerDraw(world, clause, min(size, 2) if means else size).verdicts()

    return tally(text, judge, draws)
