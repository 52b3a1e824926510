"""Worlds of learners with other bonuses, a lump sum, a known least rate, plans kept; draws for any one."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import numpy as np

from proofs_checks.derivations.episode import GOOD
from proofs_checks.derivations.setting import HALVED, LUMP, RAISED
from proofs_checks.derivations.setting_learners import (
    LAZY_HALVED,
    LAZY_LUMP,
    LAZY_PAPER,
    LAZY_RAISED,
    LAZY_SHARPENED,
    SHARPENED,
)
from proofs_checks.derivations.so_far import always
from tests.kernel.balls import Array, Ball
from tests.kernel.numeric import Env, Evaluator, parsed
from tests.kernel.paper_runs import Keeping, Model, Runs, slow
from tests.kernel.paper_worlds import PaperWorld
from tests.kernel.statements import KINDS, Draw


class HalvedRuns(Runs):
    """With half of the bonus."""

    def estimates(self, ids: Array, n: Array) -> dict[str, Array]:
        """The same, but for the bonus."""
        got = super().estimates(ids, n)
        return {**got, "bo": got["bo"] / 2}


class LumpRuns(Runs):
    """With a lump sum in the place of the bonus."""

    def taken(self, got: dict[str, Array]) -> dict[str, Array]:
        """Rates, rows, rewards, and B on the grid."""
        grid, rate = self.model.grid, got["lh"][..., None]
        wait = np.where(rate > 0, -np.expm1(-rate * grid) / np.where(rate > 0, rate, 1), grid)
        al, be = got["al"][..., None], got["be"][..., None]
        lump = np.minimum(grid**2 / 2 * be, grid) + np.minimum(al, 2) / 2 * (grid - wait)
        paid = np.broadcast_to(self.model.r, got["lh"].shape)
        return {"rate": got["lh"], "row": got["ph"], "paid": paid, "lump": lump}

    def backup(self, known: dict[str, Array], u: Array) -> Array:
        """T^{a,k}u + B."""
        return super().backup(known, u) + known["lump"]


class RaisedRuns(Runs):
    """With rates of at least the least one."""

    def estimates(self, ids: Array, n: Array) -> dict[str, Array]:
        """The same, and the raised rates."""
        got = super().estimates(ids, n)
        return {**got, "lt": np.maximum(got["lh"], self.model.lmin)}

    def taken(self, got: dict[str, Array]) -> dict[str, Array]:
        """With the raised rates."""
        return {**super().taken(got), "rate": got["lt"]}


class SharpRuns(Runs):
    """With the sharp bonus."""

    def estimates(self, ids: Array, n: Array) -> dict[str, Array]:
        """The same, but for the bonus."""
        got, m = super().estimates(ids, n), self.model
        low, high = np.maximum(got["lh"] - got["be"], 0), np.minimum(got["lh"] + got["be"], m.lmax)
        here, slow, fast = (_wait(rate, m.horizon) for rate in (got["lh"], low, high))
        reach = np.minimum(got["al"], 2) / 2
        slower = m.r * (slow - here) + (m.horizon - slow) * reach
        faster = (1 - m.r) * (here - fast) + (m.horizon - here) * reach
        return {**got, "bo": np.maximum(slower, faster) / here}


def _wait(rate: Array, time: float) -> Array:
    """w(λ, t)."""
    return np.where(rate > 0, -np.expm1(-rate * time) / np.where(rate > 0, rate, 1), time)


class Lazy(Keeping):
    """Plans are kept while the data of no pair, nor the number of the episode, have more than doubled."""

    watched = ("N", "T", "k")


class LazyRuns(Lazy, Runs):
    """CT-UCBVI."""


class LazyHalvedRuns(Lazy, HalvedRuns):
    """With half of the bonus."""


class LazySharpRuns(Lazy, SharpRuns):
    """With the sharp bonus."""


class LazyLumpRuns(Lazy, LumpRuns):
    """With a lump sum."""


class LazyRaisedRuns(Lazy, RaisedRuns):
    """With rates of at least the least one."""


class TimelessRuns(LazyRuns):
    """Planted: a rule that forgets the time."""

    watched = ("N", "k")


class CountlessRuns(LazyRuns):
    """Planted: a rule that forgets the jumps."""

    watched = ("T", "k")


class EndlessRuns(LazyRuns):
    """Planted: a rule that forgets the episodes."""

    watched = ("N", "T")


class HalvedWorld(PaperWorld):
    """Runs of the learner with half of the bonus."""

    symbols, learner = HALVED.symbols, HalvedRuns


class LumpWorld(PaperWorld):
    """Runs of the learner with the lump sum."""

    symbols, learner = LUMP.symbols, LumpRuns


class RaisedWorld(PaperWorld):
    """Runs of the learner that knows the least rate."""

    symbols, learner = RAISED.symbols, RaisedRuns


class SharpWorld(PaperWorld):
    """Runs of the learner with the sharp bonus."""

    symbols, learner = SHARPENED.symbols, SharpRuns


class LazyWorld(PaperWorld):
    """Runs of CT-UCBVI, plans kept."""

    symbols, learner = LAZY_PAPER.symbols, LazyRuns


class LazyHalvedWorld(PaperWorld):
    """Half of the bonus, plans kept."""

    symbols, learner = LAZY_HALVED.symbols, LazyHalvedRuns


class LazySharpWorld(PaperWorld):
    """The sharp bonus, plans kept."""

    symbols, learner = LAZY_SHARPENED.symbols, LazySharpRuns


class LazyLumpWorld(PaperWorld):
    """The lump sum, plans kept."""

    symbols, learner = LAZY_LUMP.symbols, LazyLumpRuns


class LazyRaisedWorld(PaperWorld):
    """The least rate is known, plans kept."""

    symbols, learner = LAZY_RAISED.symbols, LazyRaisedRuns


class TimelessWorld(LazyWorld):
    """Planted: a rule that forgets the time."""

    learner = TimelessRuns


class CountlessWorld(LazyWorld):
    """Planted: a rule that forgets the jumps."""

    learner = CountlessRuns


class EndlessWorld(LazyWorld):
    """Planted: a rule that forgets the episodes."""

    learner = EndlessRuns


def world_of(kind: type[PaperWorld], seed: int) -> PaperWorld:
    """A random world; where plans are kept, one with jumps so rare that times grow without them."""
    rng = np.random.default_rng(seed)
    model = Model.draw(rng, KINDS[seed % len(KINDS)])
    if issubclass(kind.learner, Keeping) and seed % len(KINDS) == 0:
        model = slow(model)
    if kind is LumpWorld and KINDS[seed % len(KINDS)] == "b1":  # its corollary has other accuracies
        load = model.lmax * model.horizon
        model = replace(model, eps=model.eps * np.exp(load) / load)
    return kind(rng, model)


_OWN = {  # of CT-UCBVI, what is said of any learner
    "glaw": (("n", "t", "x"), "Vh(n, nk(n) + 1, x, t)"),
    "gok": (("n",), f"Ind({always(GOOD)})"),
    "gM": (("n",), "(bo(n, X(n), act(n)) + al(n, X(n), act(n)) + rem(n)*be(n, X(n), act(n)))*rem(n)"),
}


class LearnerDraw(Draw):
    """The value of any learner is that of CT-UCBVI, and the cost of its decisions."""

    def _function(self, name: str, args: tuple[str, ...], value: str) -> Any:
        if name not in _OWN:
            return super()._function(name, args, value)
        names, text = _OWN[name]

        def own(world: PaperWorld, values: list[Any], env: Env) -> Ball:
            return Evaluator(world).of(parsed(text), {**env, **dict(zip(names, values, strict=True))})

        return own

    def _solve(self, atom: ast.expr) -> None:
        """Nothing of it is to be solved, but for bounds: v, of what is paid or of accuracies, and g."""
        if isinstance(atom, ast.Compare) and ast.unparse(atom.comparators[0]) in ("g", "v", "v * eps(ep(n))"):
            super()._solve(atom)
