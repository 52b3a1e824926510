"""What the provers prove: an expression is not negative (or is positive) on a box.

A goal is reached by a proof tree in the language of ``docs/proofs.md``, as plain JSON data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import sympy

from verify.claims import Domain, Hypothesis, Range, Relation

Node = dict[str, Any]  # one node of a proof tree

FORMAT = "ctucbvi-proof-1"


@dataclass(frozen=True)
class Goal:
    """``expression >= 0`` (``> 0`` if strict) on the box ``ranges``, where the hypotheses hold."""

    expression: Any  # SymPy, over the domain's symbols
    strict: bool
    ranges: Mapping[str, Range]
    given: tuple[Hypothesis, ...]
    symbols: Mapping[str, Any]  # the domain's symbol of each name

    @staticmethod
    def of(relation: Relation, domain: Domain) -> Goal:
        """The goal of an inequality."""
        return Goal(relation.gap, relation.strict, domain.ranges, domain.given, domain.symbols)

    @property
    def variables(self) -> list[str]:
        """The variables that occur, in alphabetical order."""
        free = {symbol.name for symbol in sympy.sympify(self.expression).free_symbols}
        return sorted(free)

    def about(self, expression: Any, *, strict: bool | None = None) -> Goal:
        """The same box with another expression."""
        return replace(self, expression=expression, strict=self.strict if strict is None else strict)

    def on(self, name: str, part: Range) -> Goal:
        """The same goal with another range for one variable."""
        return replace(self, ranges={**self.ranges, name: part})


def certificate(label: str, relation: Relation, domain: Domain, box: Domain, proof: Node) -> dict[str, Any]:
    """What is written to a file, for ``verify/recheck.py``."""
    return {
        "format": FORMAT,
        "label": label,
        "relation": relation.text(),
        "domain": domain.texts(),
        "integers": domain.integers,
        "box": [r.text(name) for name, r in box.ranges.items()],
        "proof": proof,
    }
