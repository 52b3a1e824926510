"""Trees of the lower bound, learners, and runs in the reference instance with their probabilities.

**Enumerated** runs are a finite probability space: next states, horizons that end a sojourn and coins of
the learner have their own probabilities, and a holding time is at the nodes of Gauss's rule for its density,
on each cell of the remaining time that the learner tells apart.  So every fact of the setting is exact there,
``law`` for polynomials in the holding time; means of other smooth functions are compared with those of a
coarser rule.

**Drawn** runs go on until K episodes are over.  As many come from each instance (z, b) as from the reference:
with the weights 1/(mean likelihood ratio) the means are those of the reference, and no exp(l) is large.

**Chains that run on** are enumerated too: any pair in each episode, and a fair coin.
"""

# ruff: noqa: N802, N803, N806 - the letters of the paper

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
Layer = dict[str, Array]
_STEP = ("jump", "spent", "coin")  # of the step that leads to a layer


@dataclass(frozen=True)
class Tree:
    """The tree with its states in any order; what the setting does not say of it is anything."""

    A: int
    d: int
    ht: Array  # (x)
    gd: Array  # (x)
    mate: Array  # (x)
    child: Array  # (x, a)
    anc: Array  # (z, h)
    via: Array  # (z, h)
    root: int
    good: int
    bad: int

    @staticmethod
    def draw(rng: np.random.Generator, A: int, d: int, low: int, leaves: int | None = None) -> Tree:
        """With that many states below the leaves; of four each jumps to the other that pays the same.

        Of the pairs just above the leaves some have a leaf of their own, and the others share any of these.
        """
        above, pairs = sum(A**k for k in range(d - 1)), A ** (d - 1)
        leaves = leaves or pairs
        assert leaves <= pairs
        nodes = above + leaves
        S = nodes + low
        name = rng.permutation(S)
        ht, gd, mate = np.zeros(S, int), np.zeros(S, int), rng.integers(0, S, S)
        child, anc, via = (rng.integers(0, m, (S, n)) for m, n in ((S, A), (S, d + 3), (A, d + 3)))
        own = rng.permutation(pairs)  # which pair just above has which leaf
        shared = np.where(own < leaves, own, rng.integers(0, leaves, pairs))
        first = 0
        for k in range(d):
            level = np.arange(first, first + A**k)
            if k + 1 == d:
                level = level[:leaves]
            ht[name[level]] = d - k
            if k + 2 < d:
                child[name[level]] = name[level[:, None] * A + 1 + np.arange(A)]
            elif k + 2 == d:
                child[name[level]] = name[above + shared.reshape(len(level), A)]
            first += A**k
        for place in np.flatnonzero(own < leaves):
            z, x = name[above + own[place]], above + place  # as if the last level were full
            anc[z, 1] = z
            for h in range(1, d):
                via[z, h], x = (x - 1) % A, (x - 1) // A
                anc[z, h + 1] = name[x]
        below = name[nodes:]
        gd[below[[0, 2] if low == 4 else [0]]] = 1
        for x in below:
            same = below[gd[below] == gd[x]]
            mate[x] = same[same != x][0] if low == 4 else rng.choice(same)
        return Tree(A, d, ht, gd, mate, child, anc, via, *map(int, (name[0], below[0], below[1])))

    @staticmethod
    def sized(rng: np.random.Generator, S: int, A: int) -> Tree:
        """With that many states: levels are filled while the next one has no fewer nodes."""
        d, above, room = 2, 1, A  # room of the last level
        while above + room + room <= S - 2:
            d, above, room = d + 1, above + room, room * A
        leaves = min(room, S - 2 - above)
        return Tree.draw(rng, A, d, S - above - leaves, leaves)

    @property
    def S(self) -> int:
        """The number of states."""
        return len(self.ht)

    @property
    def leaves(self) -> Array:
        """The leaves."""
        return np.flatnonzero(self.ht == 1)

    def under(self, z: int) -> Array:
        """(x): whether z is x or below it."""
        found = (np.arange(self.S) == z) & (self.ht == 1)
        for h in range(2, self.d + 1):
            found |= (self.ht == h) & found[self.child].any(1)
        return found

    def next(self, X: Array, act: Array) -> tuple[Array, Array]:
        """Two states to jump to, and their probabilities."""
        leaf = self.ht[X] == 1
        to = np.where(self.ht[X] >= 2, self.child[X, act], self.mate[X])
        states = np.stack([np.where(leaf, self.good, to), np.full_like(X, self.bad)], -1)
        return states, np.stack([np.where(leaf, 0.5, 1.0), np.where(leaf, 0.5, 0.0)], -1)

    def law(self) -> tuple[Array, Array]:
        """(x, a, y): the probabilities of jumps in the reference, and what a gap of 1 would add to them."""
        jumps, tilt = np.zeros((2, self.S, self.A, self.S))
        pairs = np.indices((self.S, self.A))
        states, shares = self.next(*pairs)
        for k in range(2):
            jumps[(*pairs, states[..., k])] += shares[..., k]
        tilt[self.leaves, :, self.good], tilt[self.leaves, :, self.bad] = 1, -1
        return jumps, tilt


@dataclass(frozen=True)
class Instance:
    """A tree with its numbers."""

    tree: Tree
    rate: float
    H: float
    D: float
    K: int


@dataclass(frozen=True)
class Learner:
    """Any function of the past, with coins of its own; or one that keeps a pair while it likes it."""

    kind: str  # any, stays, leaves
    salt: int
    tree: Tree

    def remember(self, memo: Array, now: Layer, to: Array, jump: Array, cell: Array) -> Array:
        """What it remembers after a step."""
        if self.kind == "any":
            for seen in (now["X"], now["act"], to, jump, cell):
                memo = _mixed(memo, seen)
            return memo
        bad = (jump == 1) & (self.tree.ht[now["X"]] == 1) & (to == self.tree.bad)
        return memo + np.where(bad & (self.kind == "leaves"), 1, 0).astype(np.uint64)

    def choose(self, memo: Array, X: Array) -> tuple[Array, Array]:
        """Two actions, and their probabilities."""
        A = self.tree.A
        if self.kind == "any":
            drawn = _mixed(memo, np.array(self.salt))
            share = np.where(drawn >> np.uint64(20) & np.uint64(3) == 0, 1 / 3, 1.0)
            first = (drawn >> np.uint64(30)).astype(int) % A
        else:
            level = A ** np.maximum(self.tree.ht[X] - 1, 0)
            first, share = (memo.astype(int) + self.salt) // level % A, np.ones(memo.shape)
        return np.stack([first, (first + 1) % A], -1), np.stack([share, 1 - share], -1)


def _mixed(memo: Array, value: Array) -> Array:
    got = (memo ^ value.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x632BE59B)
    return got ^ (got >> np.uint64(29))


@dataclass(frozen=True)
class Space:
    """Outcomes with weights; ``rows`` are (outcome, decision)."""

    rows: dict[str, Array]
    weights: Array
    nodes: Array | None = None  # (outcome, decision): what is known there; none for drawn runs
    coarse: Array | None = None  # weights of the outcomes of a coarser rule
    decisions: int = 0


def gauss(rate: float, low: Array, high: Array, q: int) -> tuple[Array, Array]:
    """Nodes and weights (..., q) of Gauss's rule for rate exp(-rate s) on [low, high], by its recurrence."""
    x, w = np.polynomial.legendre.leggauss(16)
    low, half = low[..., None], (high - low)[..., None] / 2
    s = low + half * (1 + x)
    w = w * half * rate * np.exp(-rate * s)
    before, now, size = np.zeros(s.shape), np.ones(s.shape), np.ones(s.shape[:-1])
    jacobi = np.zeros((*s.shape[:-1], q, q))
    for k in range(q):
        norm = (w * now**2).sum(-1)
        jacobi[..., k, k] = (w * s * now**2).sum(-1) / norm
        if k:
            jacobi[..., k, k - 1] = jacobi[..., k - 1, k] = np.sqrt(norm / size)
        step = (s - jacobi[..., k, k, None]) * now - (norm / size)[..., None] * before
        before, now, size = now, step, norm
    nodes, vectors = np.linalg.eigh(jacobi)
    return nodes, w.sum(-1)[..., None] * vectors[..., 0, :] ** 2


@dataclass(frozen=True)
class Walk:
    """An instance, a learner, and the ends of the cells of remaining time that it tells apart."""

    instance: Instance
    learner: Learner
    ends: Array

    def first(self, number: int) -> Layer:
        """Before the first decision."""
        full = np.zeros(number, int)
        start = {"X": full + self.instance.tree.root, "rem": full + self.instance.H, "ep": full}
        return start | {"memo": full.astype(np.uint64), "parent": np.arange(number), "chance": full + 1.0}

    def after(self, now: Layer, parent: Array, held: Array, to: Array, chance: Array) -> Layer:
        """The next decisions, before the learner chooses."""
        now = {name: v[parent] for name, v in now.items()}
        jump = (held < now["rem"]).astype(int)
        rem = np.where(jump == 1, now["rem"] - held, self.instance.H)
        X = np.where(jump == 1, to, self.instance.tree.root)
        cell = np.searchsorted(self.ends[1:-1], rem)
        made = {"X": X, "rem": rem, "ep": now["ep"] + 1 - jump, "parent": parent, "chance": chance}
        made |= {"jump": jump, "spent": np.where(jump == 1, held, now["rem"])}
        return made | {"memo": self.learner.remember(now["memo"], now, X, jump, cell)}

    def split(self, layer: Layer) -> Layer:
        """The learner chooses, in all ways that have a probability."""
        acts, shares = self.learner.choose(layer["memo"], layer["X"])
        who, option = np.nonzero(shares)
        made = {name: v[who] for name, v in layer.items()}
        return made | {"act": acts[who, option], "chance": made["chance"] * shares[who, option]}

    def sojourns(self, now: Layer, q: int) -> tuple[Array, Array, Array, Array]:
        """All next steps: who makes it, its time, where to, its probability."""
        rate, rem = self.instance.rate, now["rem"]
        states, shares = self.instance.tree.next(now["X"], now["act"])
        found = [(np.arange(len(rem)), rem, states[:, 0], np.exp(-rate * rem))]
        for low, high in zip(self.ends[:-1], self.ends[1:], strict=True):
            who, option = np.nonzero(shares * (rem > low)[:, None])
            times, weights = gauss(rate, rem[who] - np.minimum(high, rem[who]), rem[who] - low, q)
            weights = weights * shares[who, option, None]
            found += [(who, times[:, k], states[who, option], weights[:, k]) for k in range(q)]
        who, times, to, chance = (np.concatenate(part) for part in zip(*found, strict=True))
        return who, times, to, chance

    def enumerated(self, decisions: int, q: int) -> Space:
        """All runs of that many steps, with q nodes for a holding time in a cell."""
        layers = [self.split(self.first(1))]
        for _ in range(decisions):
            layers.append(self.split(self.after(layers[-1], *self.sojourns(layers[-1], q))))
        return _followed(layers)

    def drawn(self, rng: np.random.Generator, number: int) -> Space:
        """As many runs from the reference and each instance, until K episodes are over."""
        tree, D = self.instance.tree, self.instance.D
        pairs = [(-1, -1), *((z, b) for z in tree.leaves for b in range(tree.A))]
        mine = np.array(pairs)[np.arange(number) % len(pairs)]
        layers = [self._picked(rng, self.first(number))]
        while layers[-1]["ep"].min() < self.instance.K:
            now = layers[-1]
            states, shares = tree.next(now["X"], now["act"])
            good = shares[:, 0] + D * np.all(np.stack([now["X"], now["act"]], -1) == mine, -1)
            to = np.where(rng.random(number) < good, *states.T)
            held = rng.exponential(1 / self.instance.rate, number)
            made = self.after(now, np.arange(number), held, to, np.ones(number))
            layers.append(self._picked(rng, made))
        space = _followed(layers)
        up, down = (count[:, -1] for count in seen(tree, space.rows))
        last = up * np.log1p(2 * D) + down * np.log1p(-2 * D)
        ratios = np.stack([np.ones(number), *(np.exp(last[:, z, b]) for z, b in pairs[1:])])
        return Space(space.rows, 1 / (number * ratios.mean(0)), decisions=space.decisions)

    def _picked(self, rng: np.random.Generator, layer: Layer) -> Layer:
        acts, shares = self.learner.choose(layer["memo"], layer["X"])
        return layer | {"act": np.where(rng.random(len(acts)) < shares[:, 0], *acts.T)}


def _followed(layers: list[Layer]) -> Space:
    """The rows that end in the last layer."""
    size = len(layers[-1]["parent"])
    place, weights = np.arange(size), np.ones(size)
    names = [name for name in layers[0] if name not in ("parent", "chance", "memo")]
    rows: dict[str, list[Array]] = {name: [] for name in (*names, *_STEP) if name in layers[-1]}
    nodes = []
    for layer in reversed(layers):
        nodes.append(place)
        for name, kept in rows.items():
            if name in layer:
                kept.append(layer[name][place])
        weights = weights * layer["chance"][place]
        place = layer["parent"][place]
    found = {name: np.stack(kept[::-1], 1) for name, kept in rows.items()}
    return Space(found, weights, np.stack(nodes[::-1], 1), decisions=len(layers) - 1)


def joined(fine: Space, coarse: Space) -> Space:
    """One space that has the means of the first, and those of the second to compare with."""
    none, other = np.zeros(len(fine.weights)), np.zeros(len(coarse.weights))
    rows = {name: np.concatenate([v, coarse.rows[name]]) for name, v in fine.rows.items()}
    assert fine.nodes is not None
    nodes = np.concatenate([fine.nodes, -1 - coarse.nodes])
    weights, rough = np.concatenate([fine.weights, other]), np.concatenate([none, coarse.weights])
    return Space(rows, weights, nodes, rough, fine.decisions)


def chain(tree: Tree, learner: Learner, decisions: int) -> Space:
    """All chains that run on: the pairs are the learner's, each coin is 0 or 1."""

    def decided(layer: Layer) -> Layer:
        acts, shares = learner.choose(layer["memo"], np.full(len(layer["memo"]), tree.root))
        who, option = np.nonzero(shares)
        made = {name: v[who] for name, v in layer.items()}
        pz = (made["memo"] >> np.uint64(9)).astype(int) % tree.S
        return made | {"pz": pz, "pa": acts[who, option], "chance": made["chance"] * shares[who, option]}

    memo = np.array([learner.salt], np.uint64)
    layers = [decided({"memo": memo, "parent": np.zeros(1, int), "chance": np.ones(1)})]
    for _ in range(decisions):
        now = layers[-1]
        who, coin = np.repeat(np.arange(len(now["pz"])), 2), np.tile([0, 1], len(now["pz"]))
        memo = _mixed(_mixed(now["memo"][who], now["pa"][who]), coin)
        made = {"memo": memo, "parent": who, "coin": coin, "chance": np.full(len(who), 0.5)}
        layers.append(decided(made))
    return _followed(layers)


def seen(tree: Tree, rows: dict[str, Array]) -> tuple[Array, Array]:
    """(outcome, decision, z, b): the good and the bad jumps from z by b before, or the coins of chains."""
    if "coin" in rows:
        pair, good = (rows["pz"][:, :-1], rows["pa"][:, :-1]), rows["coin"] == 1
        return summed(tree, pair, good), summed(tree, pair, ~good)
    pair, to = (rows["X"][:, :-1], rows["act"][:, :-1]), rows["X"][:, 1:]
    return tuple(summed(tree, pair, rows["jump"] * (to == y)) for y in (tree.good, tree.bad))


def summed(tree: Tree, pair: tuple[Array, Array], events: Array) -> Array:
    """(outcome, decision, z, b): how many of the events before were steps in which this pair was decided."""
    size, steps = events.shape
    assert steps < 2**7
    got = np.zeros((size, steps + 1, tree.S, tree.A), np.int8)
    got[np.arange(size)[:, None], np.arange(1, steps + 1), pair[0], pair[1]] = events
    return got.cumsum(1, dtype=np.int8)
