"""Multipliers for ``combine``: which multiples of the premises add up to the goal.

A linear programme over the monomials, solved exactly (simplex with Bland's rule).  Nothing here is trusted:
the kernel multiplies out what is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from verify.kernel.terms import Monomial, Polynomial

Row = list[Fraction]


def multipliers(
    goal: Polynomial, premises: Sequence[Polynomial], free: Sequence[bool]
) -> list[Fraction] | None:
    """Multipliers with goal = Σ m premise + c, c >= 0, and m >= 0 where not free; None if there are none."""
    monomials: list[Monomial] = sorted(
        {m for p in (goal, *premises) for m in p} | {()}, key=lambda m: [(f.rank, e) for f, e in m]
    )
    columns: list[list[Fraction]] = []
    owner: list[tuple[int, int]] = []
    for j, p in enumerate(premises):
        column = [p.get(m, Fraction(0)) for m in monomials]
        columns.append(column)
        owner.append((j, 1))
        if free[j]:
            columns.append([-c for c in column])
            owner.append((j, -1))
    columns.append([Fraction(not m) for m in monomials])  # the number that is left over
    solution = _feasible(columns, [goal.get(m, Fraction(0)) for m in monomials])
    if solution is None:
        return None
    found = [Fraction(0)] * len(premises)
    for (j, sign), value in zip(owner, solution, strict=False):
        found[j] += sign * value
    return found


def _feasible(columns: list[Row], right: Row) -> Row | None:
    """Some x >= 0 with Σ x column = right."""
    rows, n = len(right), len(columns)
    table: list[Row] = []
    for i in range(rows):
        sign = -1 if right[i] < 0 else 1
        table.append([*(sign * c[i] for c in columns), sign * right[i]])
    basis = [n + i for i in range(rows)]  # one slack for each row: what has left never comes back
    cost = [sum((row[j] for row in table), Fraction(0)) for j in range(n + 1)]
    while (entering := next((j for j in range(n) if cost[j] > 0), None)) is not None:
        ratios = [(row[-1] / row[entering], basis[i], i) for i, row in enumerate(table) if row[entering] > 0]
        if not ratios:
            return None
        _, _, leaving = min(ratios)
        _pivot(table, cost, leaving, entering)
        basis[leaving] = entering
    if cost[-1] != 0:
        return None
    solution = [Fraction(0)] * n
    for i, j in enumerate(basis):
        if j < n:
            solution[j] = table[i][-1]
    return solution


def _pivot(table: list[Row], cost: Row, i: int, j: int) -> None:
    pivot = table[i][j]
    table[i] = [v / pivot for v in table[i]]
    for k, row in enumerate(table):
        if k != i and row[j]:
            factor = row[j]
            table[k] = [a - factor * b for a, b in zip(row, table[i], strict=True)]
    if cost[j]:
        factor = cost[j]
        cost[:] = [a - factor * b for a, b in zip(cost, table[i], strict=True)]
