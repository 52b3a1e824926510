"""The Poisson weights e^(-t) t^n / n! of the setting ``poisson``; its time may be negative."""

from __future__ import annotations

import ast
from collections import Counter
from typing import Any
from zlib import crc32

import numpy as np

from proofs_checks.derivations.poisson import POISSON
from tests.kernel.balls import Array, Ball
from tests.kernel.clauses import Clause, judged, tally
from tests.kernel.lower_worlds import entry
from tests.kernel.numeric import OUTCOME, Env, Evaluator, Value
from verify.kernel.terms import Symbol

_TERMS = 64


class PoissonWorld:
    """The weights; nothing is random, and nothing infinite is asked for."""

    symbols = POISSON.symbols

    def sort_of(self, name: str) -> str:
        """The sort of a variable."""
        return POISSON.variables[name]

    def apply(self, symbol: Symbol, args: list[Value], env: Env) -> Ball:
        """The weight; with a time t <= 0 the only one is the first."""
        n, t = np.rint(args[0].m).astype(int), args[1].m
        steps = np.maximum(t, 0)[..., None] / np.arange(1, _TERMS)
        table = np.concatenate([np.ones((*t.shape, 1)), steps], -1).cumprod(-1) * np.exp(-t)[..., None]
        got = entry(table, n)
        return Ball(got, 1e-14 * (1 + got) + 2 * args[1].r * np.exp(np.abs(t)))

    def elements(self, sort: str, body: ast.expr) -> Array:
        raise AssertionError(ast.unparse(body))

    def outcomes(self, env: Env) -> Array:
        raise AssertionError

    def supremum(self, got: Ball, body: ast.expr) -> Ball:
        raise AssertionError(ast.unparse(body))

    def mean(self, body: ast.expr, level: Any, env: Env, evaluator: Evaluator) -> Ball:
        raise AssertionError(ast.unparse(body))


def tried(text: str, draws: int, size: int, salt: int = 0) -> Counter[str]:
    """Verdicts on every clause at drawn numbers: small means and distances, and large ones."""
    rng = np.random.default_rng([crc32(text.encode()), salt])

    def judge(clause: Clause) -> Counter[str]:
        env: Env = {OUTCOME: np.zeros(size, int)}
        for name in clause.names & set(POISSON.variables):
            whole = POISSON.variables[name] == "Nat"
            drawn = (
                rng.integers(0, rng.choice([4, 50]), size) if whole else rng.choice([1, 8]) * rng.random(size)
            )
            env[name] = Ball.of(drawn - (rng.choice([0, 1]) if name == "t" else 0))
        return judged(Evaluator(PoissonWorld()), clause, env, size)

    return tally(text, judge, draws)
