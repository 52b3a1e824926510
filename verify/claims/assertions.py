"""What a claim says, formally: a relation, a monotonicity or a limit over a domain.

An implication is a relation over a domain with hypotheses; a probability bound has no formula and
is the business of its checks.

SymPy evaluates an expression as soon as it is made, so the words of the author are kept beside it: they are
what is printed, and what the independent checker reads.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import sympy

from verify.claims.domains import Domain
from verify.claims.formulas import RELATIONS, ClaimError, text_of, tree_of

Letters = Mapping[str, str]  # what variables stand for
_SYMPY = {"<=": sympy.Le, "<": sympy.Lt, "==": sympy.Eq}

# What a variable stands for, if it can be written in its place.
_HAT, _GREEK = "\u0302", "α-ωΑ-Ω"
_MARKS = f"{_HAT}?(?:max|min|⁺)?"
_LETTER = f"[A-Za-z{_GREEK}]{_MARKS}"
_ONE = re.compile(rf"{_LETTER}(?:\({_LETTER}(?:[,|]{_LETTER})*\))?")  # one letter, or a function of such
# A root, or a product; in it a small letter only after a Greek one: words are no products.
_SEVERAL = re.compile(rf"√{_LETTER}|(?:[A-Z{_GREEK}]{_MARKS} ?)+(?:(?<=[{_GREEK}])[a-z])?")
_ENDS = {"": "", "⁺": "^{+}", "max": r"_{\max}", "min": r"_{\min}"}


@dataclass(frozen=True)
class Relation:
    """``left relation right`` at every point of the domain; relation is <=, < or ==."""

    left: Any  # SymPy expressions over the domain's symbols
    relation: str
    right: Any
    written: str = field(default="", compare=False)  # by the author of the claim

    @staticmethod
    def of(text: str, domain: Domain) -> Relation:
        """Read ``"left <= right"``; >= and > are turned around."""
        tree = tree_of(text)
        if not isinstance(tree, ast.Compare) or len(tree.ops) != 1 or type(tree.ops[0]) not in RELATIONS:
            raise ClaimError(f"formula {text!r}: write one comparison (<=, <, >=, > or ==)")
        relation = RELATIONS[type(tree.ops[0])]
        left = domain.read(tree.left, text)
        right = domain.read(tree.comparators[0], text)
        if relation in (">=", ">"):
            left, right, relation = right, left, relation.replace(">", "<")
        return Relation(left, relation, right, " ".join(text.split()))

    @property
    def symbols(self) -> set[Any]:
        """The symbols that occur."""
        return _symbols(self.left, self.right)

    @property
    def gap(self) -> Any:
        """``right - left``: what must not be negative (or must be positive, or zero)."""
        return self.right - self.left

    @property
    def strict(self) -> bool:
        """Whether equality is excluded."""
        return self.relation == "<"

    def text(self) -> str:
        """As it is written in a claim."""
        return self.written or f"{text_of(self.left)} {self.relation} {text_of(self.right)}"

    def data(self) -> dict[str, Any]:
        """For the checker."""
        return {"relation": self.text()}

    def latex(self, letters: Letters = MappingProxyType({})) -> str:
        """For a reader."""
        return _latex(_SYMPY[self.relation](self.left, self.right, evaluate=False), letters)


@dataclass(frozen=True)
class Monotone:
    """``function`` does not decrease (or increase) in ``variable``, the others being fixed."""

    function: Any
    variable: str
    increasing: bool
    written: str = field(default="", compare=False)  # the function, by the author of the claim

    @staticmethod
    def of(text: str, variable: str, domain: Domain, *, increasing: bool) -> Monotone:
        """Read the function; the variable must be a real one of the domain."""
        if variable not in domain.reals:
            raise ClaimError(f"monotone in {variable!r}: not a real variable of the domain")
        return Monotone(domain.read(text, text), variable, increasing, " ".join(text.split()))

    @property
    def symbols(self) -> set[Any]:
        """The symbols that occur."""
        return _symbols(self.function)

    def text(self) -> str:
        """For a reader."""
        direction = "non-decreasing" if self.increasing else "non-increasing"
        return f"{self.written or text_of(self.function)} is {direction} in {self.variable}"

    def data(self) -> dict[str, Any]:
        """For the checker."""
        function = self.written or text_of(self.function)
        return {"monotone": function, "in": self.variable, "increasing": self.increasing}

    def latex(self, letters: Letters = MappingProxyType({})) -> str:
        """For a reader."""
        direction = "non-decreasing" if self.increasing else "non-increasing"
        variable = _latex(sympy.Symbol(self.variable), letters)
        return rf"{_latex(self.function, letters)} \text{{ is {direction} in }} {variable}"


@dataclass(frozen=True)
class LimitOf:
    """``function`` tends to ``value`` as ``variable`` goes to an end of its range."""

    function: Any
    variable: str
    towards: Any  # a rational, oo or -oo; from inside the range
    value: Any
    written: tuple[str, str] = field(default=("", ""), compare=False)  # function and value, by the author

    @staticmethod
    def of(text: str, variable: str, towards: str, value: str, domain: Domain) -> LimitOf:
        """Read it; ``towards`` is an end of the variable's range, ``"oo"`` or ``"-oo"`` if infinite."""
        r = domain.ranges.get(variable)
        ends = {} if r is None else {"oo" if r.upper is None else str(r.upper): r.upper,
                                     "-oo" if r.lower is None else str(r.lower): r.lower}  # fmt: skip
        if towards not in ends:
            raise ClaimError(f"limit: {variable} -> {towards} is not an end of its range ({', '.join(ends)})")
        end = {"oo": sympy.oo, "-oo": -sympy.oo}.get(towards) or sympy.Rational(towards)
        written = " ".join(text.split()), " ".join(value.split())
        return LimitOf(domain.read(text, text), variable, end, domain.read(value, value), written)

    @property
    def symbols(self) -> set[Any]:
        """The symbols that occur."""
        return _symbols(self.function, self.value)

    def text(self) -> str:
        """For a reader."""
        facts = self.data()
        return f"{facts['limit']} -> {facts['to']} as {self.variable} -> {self.towards}"

    def data(self) -> dict[str, Any]:
        """For the checker."""
        function, value = self.written
        function, value = function or text_of(self.function), value or text_of(self.value)
        return {"limit": function, "to": value, "in": self.variable, "towards": str(self.towards)}

    def latex(self, letters: Letters = MappingProxyType({})) -> str:
        """For a reader."""
        under = rf"{_latex(sympy.Symbol(self.variable), letters)} \to {_latex(self.towards)}"
        return rf"\lim_{{{under}}} {_latex(self.function, letters)} = {_latex(self.value, letters)}"


def _latex(expression: Any, letters: Letters = MappingProxyType({})) -> str:
    """In LaTeX; a variable that stands for λmax, λmax H, √K or r(x,a) is written as that."""
    names: dict[Any, str] = {}
    powers = {p.base for p in expression.atoms(sympy.Pow) if p.exp not in (-1, sympy.S.Half, -sympy.S.Half)}
    for s in expression.free_symbols:
        meaning = unicodedata.normalize("NFD", letters.get(s.name, ""))  # an accent is a character of its own
        if _ONE.fullmatch(meaning):
            names[s] = _letters(meaning)
        elif _SEVERAL.fullmatch(meaning):
            names[s] = rf"\left({_letters(meaning)}\right)" if s in powers else _letters(meaning)
    return str(sympy.latex(expression, symbol_names=names))


def _letters(meaning: str) -> str:
    """Letters, with or without a hat, max, min or ⁺, in LaTeX."""

    def written(found: re.Match[str]) -> str:
        letter, hat, end = found.groups()
        if not letter.isascii():  # GREEK SMALL LETTER LAMDA is \lambda
            word = unicodedata.name(letter).split()[-1].lower().replace("lamda", "lambda")
            letter = "\\" + (word.capitalize() if letter.isupper() else word)
        return (rf"\hat{{{letter}}}" if hat else letter) + _ENDS[end] + " "

    text = re.sub(f"([A-Za-z{_GREEK}])({_HAT}?)(max|min|⁺|)", written, meaning.removeprefix("√")).strip()
    text = re.sub(r" +", " ", re.sub(r" ?([(),|]) ?", r"\1", text)).replace("|", r"\mid ")
    return rf"\sqrt{{{text}}}" if meaning[0] == "√" else text


def _symbols(*expressions: Any) -> set[Any]:
    return set().union(*(sympy.sympify(e).free_symbols for e in expressions))


Assertion = Relation | Monotone | LimitOf
