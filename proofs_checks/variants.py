"""What several modules need: claims changed on purpose (mutants), identities, examples left open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from ctucbvi import UndecidedError
from verify.claims import Check, Claim, Domain, Effort, Relation
from verify.provers.balls import evaluate
from verify.provers.computed import Case, Computed, Outcome

_BITS = 128


def changed(original: Claim, says: str = "", *, domain: Domain | None = None, **others: Any) -> Claim:
    """A variant of a claim: another formula or domain, or other fields.

    The formula is read again over the new domain: what its symbols are known to be belongs to the old one.
    """
    area = original.domain if domain is None else domain
    text = says or (original.says.text() if isinstance(original.says, Relation) else "")
    formal = Relation.of(text, area) if text else original.says
    return replace(original, says=formal, domain=area, **others)


def rechecked(original: Claim, check: Check) -> Claim:
    """The claim with another check in place of its own."""
    return replace(original, checks=(check,))


def or_undecided(sides: Callable[[Any], tuple[Any, Any]]) -> Callable[[Any], tuple[Any, Any] | None]:
    """The two sides of an example, or nothing where certified values need more precision than allowed."""

    def found(example: Any) -> tuple[Any, Any] | None:
        try:
            return sides(example)
        except UndecidedError:
            return None

    return found


def vanishes(title: str, *differences: tuple[str, Callable[[], Any]]) -> Computed:
    """Expressions in symbols that must be 0 for all their values: SymPy simplifies them.

    Only what simplifies to 0 counts for all values; anything else is evaluated at one point, in balls,
    so that a wrong identity is refuted and an unsettled one is not proved.
    """

    def compute(effort: Effort) -> Outcome:
        del effort
        rests = [(text, sympy.simplify(difference())) for text, difference in differences]
        settled = all(rest == 0 for _, rest in rests)
        cases = [_case(text, rest) for text, rest in rests]
        return Outcome(cases, complete=settled, method="simplified by SymPy")

    return Computed(compute, title)


def _case(text: str, rest: Any) -> Case:
    names = sorted(symbol.name for symbol in rest.free_symbols)
    point = {name: Fraction(i + 2, i + 1) for i, name in enumerate(names)}
    plain = rest.subs({symbol: sympy.Symbol(symbol.name, real=True) for symbol in rest.free_symbols})
    where = "".join(f", {name} = {value}" for name, value in point.items())
    return Case(f"{text}{where}", evaluate(plain, point, _BITS), 0, "==")
