"""A statement in clauses, each judged at values: it held, was vacuous there, undecided, or false."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tests.kernel.numeric import Env, Evaluator, parsed


@dataclass(frozen=True)
class Clause:
    """If the hypotheses, then the conclusion."""

    given: tuple[ast.expr, ...]
    says: ast.expr

    @cached_property
    def text(self) -> str:
        """All of it."""
        return " ; ".join(map(ast.unparse, (*self.given, self.says)))

    @cached_property
    def names(self) -> set[str]:
        """Of its symbols, functions and variables."""
        return {node.id for node in self._nodes() if isinstance(node, ast.Name)}

    @cached_property
    def levelled(self) -> bool:
        """Whether there is a mean given what is known at some decision."""
        return any(len(called(node, "E") or []) == 2 for node in self._nodes())

    def _nodes(self) -> Iterator[ast.AST]:
        return (node for one in (*self.given, self.says) for node in ast.walk(one))


def called(node: ast.AST, *names: str) -> list[ast.expr] | None:
    """The arguments, if it is a call of one of these."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
        return node.args
    return None


def clauses(node: ast.expr, given: tuple[ast.expr, ...] = ()) -> list[Clause]:
    """The clauses of a statement."""
    if parts := called(node, "And"):
        return [one for part in parts for one in clauses(part, given)]
    if parts := called(node, "Imp"):
        return clauses(parts[1], (*given, parts[0]))
    return [Clause(given, node)]


def judged(evaluator: Evaluator, clause: Clause, env: Env, size: int) -> Counter[str]:
    """How often it held, was vacuous, undecided, or false."""
    holds = np.ones(size, int)
    for one in clause.given:
        holds = np.minimum(holds, evaluator.of(one, env))
        if not np.any(holds > 0):
            return Counter({"vacuous": size})
    says = np.broadcast_to(evaluator.of(clause.says, env), (size,))
    return Counter(
        "vacuous" if h <= 0 else {1: "held", 0: "undecided", -1: "false"}[int(s)]
        for h, s in zip(holds, says, strict=True)
    )


def missing(text: str, got: Counter[str]) -> list[int]:
    """The clauses that never held."""
    return [k for k in range(len(clauses(parsed(text)))) if not got[f"clause {k}"]]


def tally(text: str, judge: Callable[[Clause], Counter[str]], draws: int) -> Counter[str]:
    """Verdicts on every clause of a statement, each with several draws; a clause counts apart."""
    total: Counter[str] = Counter()
    for number, clause in enumerate(clauses(parsed(text))):
        for _ in range(draws):
            got = judge(clause)
            total.update(got)
            total[f"clause {number}"] += got["held"]
            if got["false"]:
                total[f"false in {clause.text[:300]}"] += 1
    return total
