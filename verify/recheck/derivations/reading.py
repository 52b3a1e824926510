"""From text to trees: Python's syntax, a list of what is allowed, nothing is run, nothing is folded."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from verify.recheck.derivations.languages import FUNCTIONS, Language, language_of, sign_of
from verify.recheck.derivations.trees import FORMULA, Nameless, bound, make, minus, node, num
from verify.recheck.intervals import UnknownError
from verify.recheck.reading import tree_of

_LENGTH = 20_000  # characters
_EXPONENT = 100
_ALIASES = {"ln": "log", "abs": "Abs", "max": "Max", "min": "Min"}  # of the language of claims
_ORDER = {ast.LtE: "<=", ast.Lt: "<", ast.GtE: ">=", ast.Gt: ">", ast.Eq: "=="}


class TextReader:
    """Reads texts of a language; with ``names``, of the arithmetic of claims in these names only."""

    def __init__(self, language: Language, names: Mapping[str, Nameless] | None = None):
        self.language, self.names = language, names
        self._text = ""
        self._around: list[Nameless] = []  # the variables that are bound here, the outermost first
        self._known: dict[str, Nameless] = {}  # texts that were read, by this reader

    def term(self, text: Any) -> Nameless:
        """A term of any sort."""
        found = self.any(text)
        if found.sort == FORMULA:
            raise UnknownError(f"{text!r} is a formula, not a term")
        return found

    def formula(self, text: Any) -> Nameless:
        """A formula."""
        found = self.any(text)
        if found.sort != FORMULA:
            raise UnknownError(f"{text!r} is a term, not a formula")
        return found

    def any(self, text: Any) -> Nameless:
        """A term or a formula."""
        found = self._known.get(text) if isinstance(text, str) else None
        if found is None:
            self._around = []
            found = self._known[text] = self._read(self._syntax(text))
        return found

    def chain(self, text: Any) -> list[Nameless]:
        """The relations of a chain of comparisons, as claims have them."""
        found, self._around = self._syntax(text), []
        if not isinstance(found, ast.Compare) or any(type(op) not in _ORDER for op in found.ops):
            raise UnknownError(f"{text!r} is not a comparison")
        sides = pairwise([found.left, *found.comparators])
        return [self._relation(a, _ORDER[type(op)], b) for op, (a, b) in zip(found.ops, sides, strict=True)]

    def _syntax(self, text: Any) -> ast.expr:
        if isinstance(text, str) and len(text) > _LENGTH:
            raise UnknownError("a text is too long")
        found = tree_of(text)
        self._text = text.strip()
        return found

    def _read(self, tree: ast.expr) -> Nameless:
        match tree:
            case ast.Constant(value=int() as n) if not isinstance(n, bool):
                return num(n)
            case ast.Constant(value=float()):
                return num(_decimal(ast.get_source_segment(self._text, tree) or ""))
            case ast.Name(id=name):
                return self._name(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return make("*", num(-1), self._number(operand))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self._number(operand)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(op, self._number(left), self._number(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _ORDER:
                return self._relation(left, _ORDER[type(op)], right)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self._call(name, args)
        raise UnknownError(f"{ast.unparse(tree)!r} is not in the language")

    def _name(self, name: str) -> Nameless:
        if self.names is not None:
            if name in self.names:
                return self.names[name]
        elif (found := self.language.variable(name)) is not None:
            for between, variable in enumerate(reversed(self._around)):
                if variable == found:
                    return bound(between, found.sort)
            return found
        elif name in self.language.signs:
            return self._symbol(name, [])
        raise UnknownError(f"the name {name} has no meaning")

    def _number(self, tree: ast.expr) -> Nameless:
        found = self._read(tree)
        if not self.language.numeric(found):
            raise UnknownError(f"{ast.unparse(tree)!r} is not a number")
        return found

    def _formula(self, tree: ast.expr) -> Nameless:
        found = self._read(tree)
        if found.sort != FORMULA:
            raise UnknownError(f"{ast.unparse(tree)!r} is not a formula")
        return found

    def _relation(self, left: ast.expr, order: str, right: ast.expr) -> Nameless:
        """Read from the smaller to the larger side."""
        a, b = self._read(left), self._read(right)
        if order in (">=", ">"):
            a, b, order = b, a, {">=": "<=", ">": "<"}[order]
        numbers = self.language.numeric(a) and self.language.numeric(b)
        if not numbers and not (order == "==" and a.sort == b.sort and self.language.finite(a.sort)):
            raise UnknownError(f"{a} and {b} cannot be compared by {order}")
        return make(order, a, b)

    def _operation(self, op: ast.operator, a: Nameless, b: Nameless) -> Nameless:
        match op:
            case ast.Add():
                return make("+", a, b)
            case ast.Sub():
                return minus(a, b)
            case ast.Mult():
                return make("*", a, b)
            case ast.Div():
                return make("*", a, make("inv", b))
            case ast.Pow():
                return _power(a, b)
        raise UnknownError(f"the operation {type(op).__name__} is not in the language")

    def _call(self, name: str, args: list[ast.expr]) -> Nameless:
        if self.names is not None:
            name = _ALIASES.get(name, name)
        if name in FUNCTIONS and len(args) == 1:
            return make(name, self._number(args[0]))
        if name in ("Max", "Min") and len(args) >= (2 if self.names is None else 1):
            parts = [self._number(a) for a in args]
            return make(name, *parts) if len(parts) > 1 else parts[0]
        if self.names is not None:
            raise UnknownError(f"{name} is not in the arithmetic of claims and derivations")
        match name, args:
            case "Ind", [a]:
                return indicator(self._formula(a))
            case (("And" | "Or"), [_, _, *_]):
                return make(name, *(self._formula(a) for a in args))
            case (("Not" | "Sure"), [a]):
                return make(name, self._formula(a))
            case "Imp", [a, b]:
                return make(name, self._formula(a), self._formula(b))
            case "E", [u]:
                return make("E", self._number(u))
            case "E", [u, n]:
                return make("En", self._level(n), self._number(u))
            case (("Sum" | "Int"), [x, bound, u]):
                return self._ranged(name, x, bound, u)
            case (("SumOver" | "MaxOver" | "Sup" | "All"), [x, u]):
                return self._bound(name, x, u)
        return self._symbol(name, args)

    def _variable(self, tree: ast.expr) -> Nameless:
        found = self.language.variable(tree.id) if isinstance(tree, ast.Name) else None
        if found is None:
            raise UnknownError(f"{ast.unparse(tree)!r} is not a variable")
        return found

    def _ranged(self, name: str, x: ast.expr, range_: ast.expr, u: ast.expr) -> Nameless:
        variable, end = self._variable(x), self._number(range_)
        sort = "Nat" if name == "Sum" else "Real"
        if variable.sort != sort or (sort == "Nat" and end.sort != "Nat"):
            raise UnknownError(f"{name} runs through numbers of sort {sort}: {variable}, {end}")
        return make(name, end, self._under(variable, u, self._number))

    def _bound(self, name: str, x: ast.expr, u: ast.expr) -> Nameless:
        variable = self._variable(x)
        if name == "All":
            return make(name, self._under(variable, u, self._formula), value=variable.sort)
        if variable.sort != "Nat" if name == "Sup" else not self.language.finite(variable.sort):
            raise UnknownError(f"{name} cannot run through {variable} of sort {variable.sort}")
        return make(name, self._under(variable, u, self._number), value=variable.sort)

    def _under(self, x: Nameless, body: ast.expr, read: Callable[[ast.expr], Nameless]) -> Nameless:
        """The body of a binder of this variable."""
        self._around.append(x)
        found = read(body)
        self._around.pop()
        return found

    def _level(self, tree: ast.expr) -> Nameless:
        found = self._number(tree)
        require_level(found, self.language)
        return found

    def _symbol(self, name: str, args: list[ast.expr]) -> Nameless:
        sign = self.language.signs.get(name)
        if sign is None or len(args) != len(sign.args):
            raise UnknownError(f"{name} with {len(args)} arguments is not in the language")
        parts = tuple(self._read(a) for a in args)
        for part, sort in zip(parts, sign.args, strict=True):
            require_sort(part, sort, f"an argument of {name}")
        return node("sym", parts, name, sign.value)


def fits(t: Nameless, sort: str) -> bool:
    """Whether the term may stand where this sort is asked: a natural number is a real one."""
    return t.sort == sort or (sort == "Real" and t.sort == "Nat")


def require_sort(t: Nameless, sort: str, what: str) -> None:
    """Complain about another sort."""
    if not fits(t, sort):
        raise UnknownError(f"{what}, {t}, is of sort {t.sort}, not {sort}")


def require_level(t: Nameless, language: Language) -> None:
    """Complain unless it is a natural number in which nothing is random: P_n is given for fixed n."""
    if t.sort != "Nat":
        raise UnknownError(f"the level {t} is not of sort Nat")
    if any(tree.op == "sym" and language.sign(tree).random for tree in t.walk()):
        raise UnknownError(f"the level {t} is random")


def indicator(formula: Nameless) -> Nameless:
    """Ind(A); of uncountably many cases (real numbers, outcomes) it need not be measurable."""
    for tree in formula.walk():
        if tree.op == "Sure" or (tree.op == "All" and tree.value == "Real"):
            raise UnknownError(
                f"Ind of a formula with {'Sure' if tree.op == 'Sure' else 'All over a real variable'}"
            )
    return make("Ind", formula)


def constant(t: Nameless) -> Fraction | None:
    """The number that a term without names, functions and powers is."""
    if t.number is not None:
        return t.number
    parts = [constant(a) for a in t.args] if t.op in ("+", "*", "inv") else [None]
    numbers = [x for x in parts if x is not None]
    if len(numbers) < len(parts):
        return None
    if t.op == "+":
        return sum(numbers, Fraction(0))
    if t.op == "inv":
        return 1 / numbers[0] if numbers[0] else Fraction(0)
    product = Fraction(1)
    for x in numbers:
        product *= x
    return product


def _power(u: Nameless, exponent: Nameless) -> Nameless:
    k = constant(exponent)
    if k is None or k.denominator != 1:
        return make("exp", make("*", exponent if k is None else num(k), make("log", u)))
    if abs(k) > _EXPONENT:
        raise UnknownError(f"the exponent {k} is too large")
    return make("^", u, value=int(k)) if k >= 0 else make("inv", make("^", u, value=-int(k)))


def _decimal(text: str) -> Fraction:
    _, _, exponent = text.lower().partition("e")
    if len(exponent) > 4:
        raise UnknownError(f"{text!r} is too long a number")
    return Fraction(text)


def read_setting(setting: Any) -> Language:
    """The language of a setting, with its symbols."""
    language = language_of(setting)
    symbols = setting.get("symbols", [])
    if not isinstance(symbols, list):
        raise UnknownError("the symbols of the setting are not a list")
    add_symbols(language, symbols)
    return language


def add_symbols(language: Language, symbols: list[Any]) -> None:
    """More symbols, each of a new name."""

    def level(text: str, places: dict[str, Nameless]) -> Nameless:
        found = TextReader(language, places).term(text)
        require_sort(found, "Nat", "'known'")
        return found

    for data in symbols:
        sign = sign_of(data, language, level)
        language.signs[sign.name] = sign
