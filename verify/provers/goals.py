"""What the provers prove: an expression is not negative (or is positive) on a box.

A goal is reached by a proof tree in the language of ``docs/proofs.md``, as plain JSON data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from verify.claims import Domain, Hypothesis, Range, Relation, text_of
from verify.provers.expressions import put, variables_of

Node = dict[str, Any]  # one node of a proof tree; while a proof is looked for, with its goal

FORMAT = "ctucbvi-proof-1"


@dataclass(frozen=True)
class Goal:
    """``expression >= 0`` (``> 0`` if strict) on the box ``ranges``, where the hypotheses hold."""

    expression: Any  # SymPy, over the domain's symbols
    strict: bool
    ranges: Mapping[str, Range]
    given: tuple[Hypothesis | None, ...]  # as the domain numbers them; None: not known any more
    symbols: Mapping[str, Any]  # the domain's symbol of each name

    @staticmethod
    def of(relation: Relation, domain: Domain) -> Goal:
        """The goal of an inequality."""
        return Goal(relation.gap, relation.strict, domain.ranges, domain.given, domain.symbols)

    @property
    def variables(self) -> list[str]:
        """The variables that occur, in alphabetical order."""
        return list(variables_of(self.expression))

    @property
    def key(self) -> Any:
        """What tells two goals apart."""
        return self.expression, self.strict, tuple(sorted(self.ranges.items())), self.given

    def about(self, expression: Any, *, strict: bool | None = None) -> Goal:
        """The same box with another expression."""
        return replace(self, expression=expression, strict=self.strict if strict is None else strict)

    def on(self, name: str, part: Range) -> Goal:
        """The same goal with another range for one variable."""
        return replace(self, ranges={**self.ranges, name: part})

    @property
    def known(self) -> tuple[Hypothesis, ...]:
        """The hypotheses that are still known."""
        return tuple(h for h in self.given if h is not None)

    @property
    def bounded(self) -> bool:
        """Whether the ranges of all variables that occur are."""
        return all(self.ranges[name].bounded for name in self.variables)

    def leaving(self, name: str) -> Goal:
        """Without the hypotheses that mention a variable: they need not hold along a line in it."""
        if not self.known:
            return self
        return replace(self, given=tuple(h and (None if mentions(h, name) else h) for h in self.given))

    def dropping(self, index: int) -> Goal:
        """Without one hypothesis."""
        return replace(self, given=tuple(None if k == index else h for k, h in enumerate(self.given)))

    def trimmed(self) -> Goal:
        """Without the variables that neither the expression nor a hypothesis mentions."""
        used = set(self.variables)
        for h in self.known:
            used |= {*variables_of(h.left), *variables_of(h.right)}
        return replace(self, ranges={n: r for n, r in self.ranges.items() if n in used})

    def put(self, name: str, value: Any) -> Goal | None:
        """With a number in the place of a variable; None if that gives no goal."""
        at = {self.symbols[name]: value}
        expression = put(self.expression, at)
        given = tuple(h and Hypothesis(put(h.left, at), h.relation, put(h.right, at)) for h in self.given)
        if expression is None or any(h and (h.left is None or h.right is None) for h in given):
            return None
        rest = {n: r for n, r in self.ranges.items() if n != name}
        return replace(self, expression=expression, ranges=rest, given=given)


def mentions(h: Hypothesis, name: str) -> bool:
    """Whether a hypothesis is about the variable."""
    return name in variables_of(h.left) or name in variables_of(h.right)


def halved(r: Range, at: Fraction) -> tuple[Range, Range]:
    """Both halves contain the point ``at``."""
    return replace(r, upper=at, upper_open=False), replace(r, lower=at, lower_open=False)


def certificate(
    label: str, relation: Relation, domain: Domain, box: Mapping[str, Range], proof: Node
) -> dict[str, Any]:
    """What is written to a file, for ``verify.recheck``.

    SymPy decides kinks as it reads (that ``Abs(x)`` is x, where x >= 0): what it makes of them is said first.
    """
    kinks = (sympy.Abs, sympy.Max, sympy.Min)
    read = sum(relation.gap.count(kink) for kink in kinks)
    if read != sum(relation.text().count(f"{kink.__name__}(") for kink in kinks):
        proof = {"by": "rewrite", "expression": text_of(relation.gap), "proof": proof}
    return {
        "format": FORMAT,
        "label": label,
        "relation": relation.text(),
        "domain": domain.texts(),
        "integers": domain.integers,
        "box": [r.text(name) for name, r in box.items()],
        "proof": _plain(proof),
    }


def _plain(data: Any) -> Any:
    """A proof without the goals of its nodes, which the checker finds itself."""
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items() if key != "goal"}
    return [_plain(part) for part in data] if isinstance(data, list) else data
