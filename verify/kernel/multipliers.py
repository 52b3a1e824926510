"""Multipliers for ``combine``: which multiples of the premises add up to the goal.

A linear programme over the monomials, solved exactly (simplex with Bland's rule).  Nothing here is trusted:
the kernel multiplies out what is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

from verify.kernel.numbers import Number, order
from verify.kernel.terms import Monomial, Polynomial

Row = list[int]  # of a table: an equation, of which only the proportions count


def multipliers(
    goal: Polynomial, premises: Sequence[Polynomial], free: Sequence[bool]
) -> list[Fraction] | None:
    """Multipliers with goal = Σ m premise + c, c >= 0, and m >= 0 where not free; None if there are none."""
    monomials: list[Monomial] = sorted({m for p in (goal, *premises) for m in p} | {()}, key=order)
    columns: list[list[Number]] = []
    owner: list[tuple[int, int]] = []
    for j, p in enumerate(premises):
        column = [p.get(m, 0) for m in monomials]
        columns.append(column)
        owner.append((j, 1))
        if free[j]:
            columns.append([-c for c in column])
            owner.append((j, -1))
    columns.append([int(not m) for m in monomials])  # the number that is left over
    solution = _feasible(columns, [goal.get(m, 0) for m in monomials])
    if solution is None:
        return None
    found = [Fraction(0)] * len(premises)
    for (j, sign), value in zip(owner, solution, strict=False):
        found[j] += sign * value
    return found


def _feasible(columns: list[list[Number]], right: list[Number]) -> list[Fraction] | None:
    """Some x >= 0 with Σ x column = right."""
    n = len(columns)
    below = lcm(*(c.denominator for c in right), *(c.denominator for column in columns for c in column))
    table: list[Row] = []
    for *row, end in zip(*columns, right, strict=True):
        unit = -below if end < 0 else below
        table.append([int(unit * c) for c in (*row, end)])
    basis = [n + i for i in range(len(table))]  # one slack for each row: what has left never comes back
    cost = [sum(column) for column in zip(*table, strict=True)]
    while (entering := next((j for j in range(n) if cost[j] > 0), None)) is not None:
        ratios = [
            (Fraction(row[-1], row[entering]), basis[i], i)
            for i, row in enumerate(table)
            if row[entering] > 0
        ]
        if not ratios:
            return None
        _, _, leaving = min(ratios)
        pivot = table[leaving]
        table = [row if row is pivot else _without(row, entering, pivot) for row in table]
        cost = _without(cost, entering, pivot)
        basis[leaving] = entering
    if cost[-1] != 0:
        return None
    solution = [Fraction(0)] * n
    for row, j in zip(table, basis, strict=True):
        if j < n:
            solution[j] = Fraction(row[-1], row[j])
    return solution


def _without(row: Row, j: int, pivot: Row) -> Row:
    """A positive multiple of the row, and of the pivot so much that place j becomes 0."""
    here, there = row[j], pivot[j]
    if not here:
        return row
    new = [there * a - here * b for a, b in zip(row, pivot, strict=True)]
    unit = gcd(*new)
    return [a // unit for a in new] if unit > 1 else new
