"""The formulas of Coq that the exporter writes, read back by their own grammar and evaluated in doubles.

As Coq has it: application binds first, then ``^`` (to the right), then the prefixes ``-`` and ``/``, then
``*`` and ``/``, then ``+`` and ``-`` (to the left).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

_TOKEN = re.compile(r"\s*(\d+|[A-Za-z_][A-Za-z_0-9]*|[-+*/^()])")
_ONE: Mapping[str, Callable[[float], float]] = {
    "exp": math.exp,
    "ln": math.log,
    "sqrt": math.sqrt,
    "Rabs": abs,
    "sin": math.sin,
    "cos": math.cos,
    "atan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "IZR": float,
}
_TWO: Mapping[str, Callable[[float, float], float]] = {"Rmax": max, "Rmin": min, "Rpower": math.pow}


def value(text: str, at: Mapping[str, float]) -> float:
    """The value of a formula of Coq at a point."""
    reader = _Reader(_TOKEN.findall(text), at)
    found = reader.sum()
    assert reader.left == [], f"{text}: {reader.left} is left"
    return found


class _Reader:
    def __init__(self, tokens: list[str], at: Mapping[str, float]) -> None:
        self.left, self.at = tokens, at

    def _next(self, *wanted: str) -> str:
        return self.left.pop(0) if self.left and self.left[0] in wanted else ""

    def sum(self) -> float:
        found = self._product()
        while sign := self._next("+", "-"):
            other = self._product()
            found = found + other if sign == "+" else found - other
        return found

    def _product(self) -> float:
        found = self._prefixed()
        while sign := self._next("*", "/"):
            other = self._prefixed()
            found = found * other if sign == "*" else found / other
        return found

    def _prefixed(self) -> float:
        sign = self._next("-", "/")
        if not sign:
            return self._power()
        inner = self._prefixed()
        return -inner if sign == "-" else 1 / inner

    def _power(self) -> float:
        base = self._application()
        return base ** int(self._power()) if self._next("^") else base

    def _application(self) -> float:
        if self.left[0] in _ONE:
            return _ONE[self.left.pop(0)](self._atom())
        if self.left[0] in _TWO:
            return _TWO[self.left.pop(0)](self._atom(), self._atom())
        return self._atom()

    def _atom(self) -> float:
        token = self.left.pop(0)
        if token == "(":
            found = self.sum()
            assert self._next(")")
            return found
        return float(token) if token.isdigit() else math.pi if token == "PI" else self.at[token]
