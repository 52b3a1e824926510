"""Worlds of the learner with half of the bonus, a lump sum, a known least rate; draws for any learner."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import numpy as np

from proofs_checks.derivations.setting import HALVED, LUMP, RAISED
from tests.kernel.balls import Array, Ball
from tests.kernel.numeric import Env, Evaluator, parsed
from tests.kernel.paper_runs import Model, Runs
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


class HalvedWorld(PaperWorld):
    """Runs of the learner with half of the bonus."""

    symbols, learner = HALVED.symbols, HalvedRuns


class LumpWorld(PaperWorld):
    """Runs of the learner with the lump sum."""

    symbols, learner = LUMP.symbols, LumpRuns


class RaisedWorld(PaperWorld):
    """Runs of the learner that knows the least rate."""

    symbols, learner = RAISED.symbols, RaisedRuns


def world_of(kind: type[PaperWorld], seed: int) -> PaperWorld:
    """A random world."""
    rng = np.random.default_rng(seed)
    model = Model.draw(rng, KINDS[seed % len(KINDS)])
    if kind is LumpWorld and KINDS[seed % len(KINDS)] == "b1":  # its corollary has other accuracies
        load = model.lmax * model.horizon
        model = replace(model, eps=model.eps * np.exp(load) / load)
    return kind(rng, model)


_OWN = {  # of CT-UCBVI, what is said of any learner
    "glaw": (("n", "t", "x"), "Vh(n, nk(n) + 1, x, t)"),
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
        """Nothing of it is to be solved, but for a bound v."""
        if isinstance(atom, ast.Compare) and ast.unparse(atom.comparators[0]) == "v":
            super()._solve(atom)
