"""What many claims are checked with: the standard checks, identities, and examples that are left open."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache, wraps
from typing import Any, Concatenate, ParamSpec

import sympy

from ctucbvi import UndecidedError
from verify.claims import Effort
from verify.provers.balls import evaluate
from verify.provers.computed import Case, Computed, Outcome
from verify.provers.proof import Proof
from verify.provers.search import Search

PROVER, SEARCH = Proof(), Search(examples=(60, 2000))
PROOF = (PROVER, SEARCH)
REFUTATION = (SEARCH, PROVER)  # the search finds the simplest counterexample
WAIT = "(1 - exp(-l*t))/l"  # w, the expected time before a jump or the end
_BITS = 128
_P = ParamSpec("_P")

# For the sides of examples that can be compared.  A search that climbs comes back, and where a pattern
# decides it does not matter what else is drawn: a third of the examples on models are met again.
remembered = lru_cache(maxsize=128)


def scaled(
    title: str, method: str = "", *, complete: bool = False
) -> Callable[[Callable[Concatenate[Effort, _P], Iterable[Case]]], Callable[_P, Computed]]:
    """A check from a function that computes its cases with some effort; it has the function's parameters."""

    def decorated(function: Callable[Concatenate[Effort, _P], Iterable[Case]]) -> Callable[_P, Computed]:
        @wraps(function)
        def check(*values: _P.args, **named: _P.kwargs) -> Computed:
            def compute(effort: Effort) -> Outcome:
                return Outcome(function(effort, *values, **named), complete, method=method)

            return Computed(compute, title)

        return check

    return decorated


def cases(
    title: str, method: str = "", *, complete: bool = False
) -> Callable[[Callable[_P, Iterable[Case]]], Callable[_P, Computed]]:
    """The same from a function that computes the same cases whatever the effort."""

    def decorated(function: Callable[_P, Iterable[Case]]) -> Callable[_P, Computed]:
        @wraps(function)
        def whatever(_: Effort, /, *values: _P.args, **named: _P.kwargs) -> Iterable[Case]:
            return function(*values, **named)

        return scaled(title, method, complete=complete)(whatever)

    return decorated


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
