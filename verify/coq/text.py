"""Formulas as Coq writes them.

Two printers.  *As written*: the syntax of a claim, sign by sign, for the statement of a theorem.  *Folded*:
the terms of the checker (``recheck.terms``) with one order for everything, for the goals inside a proof, so
that equal parts look equal to Coq; the arguments of exponentials are multiplied out for the same reason.

A formula of the language may be undefined at some points, one of Coq never is: ``1/0``, ``ln (-1)`` and
``sqrt (-1)`` are 0 there.  So the printer as written also lists what has to hold for both to mean the same.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from fractions import Fraction

from verify.recheck.algebra import Algebra
from verify.recheck.intervals import UnknownError
from verify.recheck.reading import read
from verify.recheck.series import Box
from verify.recheck.terms import Term, call, mapped, number, split_coefficient

_SUM, _PRODUCT, _POWER, _ATOM = range(4)  # how tightly a text holds together

_NAMES = {
    "exp": "exp",
    "log": "ln",
    "sqrt": "sqrt",
    "Abs": "Rabs",
    "sin": "sin",
    "cos": "cos",
    "atan": "atan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
}
_ALIASES = {"ln": "log", "abs": "Abs", "max": "Max", "min": "Min"}
_EXTREMA = {"Max": "Rmax", "Min": "Rmin"}
_RESERVED = {
    *("R", "Z", "E", "PI", "exp", "ln", "sqrt", "sin", "cos", "tan", "atan", "id", "fun", "forall", "exists"),
    *("at", "as", "in", "let", "if", "then", "else", "match", "end", "with", "return", "where", "using"),
    *("Set", "Prop", "Type", "IZR", "INR", "Rmax", "Rmin", "Rabs", "Rpower", "fix", "cofix", "for"),
    *("derive", "range", "same", "given", "multiply", "contact", "root", "power", "signs", "pos", "less"),
    *("Within", "Above", "Below", "Here", "Cut", "true", "false"),
}


# of hypotheses in proofs
_STEP_NAME = re.compile(
    r"([HGDT]|At|Inv)[0-9]+|Sign|Inverse|Composed|Apart|Time|No|Form|Here|Q[0-9]+|Point|Place|Way[0-9]*|Limit|Proper|Holds|Says"
)


class NotExportedError(Exception):
    """There is no honest counterpart in Coq; the message says of what."""


@dataclass(frozen=True)
class Text:
    """A formula in Coq, and how tightly it holds together."""

    text: str
    level: int = _ATOM

    def within(self, level: int) -> str:
        """In parentheses where something that binds at this level stands around it."""
        return self.text if self.level >= level else f"({self.text})"


def variable_name(name: str) -> str:
    """A name that Coq allows for a variable."""
    if not name.isascii():
        raise NotExportedError(f"the name {name!r}")
    taken = name in _RESERVED or name.startswith("_") or _STEP_NAME.fullmatch(name)
    return f"{name}_" if taken else name


# ---------------------------------------------------------------- folded


def folded(t: Term) -> str:
    """A term of the checker."""
    return _folded(t).text


def expanded(t: Term, box: Box) -> Term:
    """With the arguments of exponentials multiplied out."""

    def change(e: Term) -> Term:
        if e.op != "exp":
            return e
        algebra = Algebra(box)
        try:
            return call("exp", algebra.term_of(algebra.of(e.args[0])))
        except UnknownError:
            return e

    return mapped(t, change) if any(e.op == "exp" for e in t.walk()) else t


def rational_text(value: Fraction) -> Text:
    """A rational number."""
    if value.denominator == 1:
        return Text(str(value), _ATOM) if value >= 0 else Text(str(value), _SUM)
    return Text(f"{value.numerator} / {value.denominator}", _PRODUCT if value > 0 else _SUM)


def _folded(t: Term) -> Text:
    if t.value is not None:
        return rational_text(t.value)
    if t.name:
        return Text(variable_name(t.name))
    if t.op == "pi":
        return Text("PI")
    if t.is_sum:
        return _sum(t.args)
    if t.is_product:
        return _product(t)
    if t.is_power:
        return _power(*t.args)
    if t.op == "exp":
        return Text(f"exp {_exponent(t.args[0])}", _POWER)
    return _called(t.op, [_folded(a) for a in t.args])


def _called(name: str, arguments: list[Text]) -> Text:
    if name in _NAMES and len(arguments) == 1:
        return Text(f"{_NAMES[name]} {arguments[0].within(_ATOM)}", _POWER)
    if name in _EXTREMA:
        *first, last = arguments
        for one in reversed(first):
            last = Text(f"{_EXTREMA[name]} {one.within(_ATOM)} {last.within(_ATOM)}", _POWER)
        return last
    raise NotExportedError(f"the function {name}")


def _sum(args: tuple[Term, ...]) -> Text:
    """Positive terms first."""
    ordered = sorted(args, key=lambda a: split_coefficient(a)[0] < 0)
    text = _folded(ordered[0]).within(_SUM)
    for a in ordered[1:]:
        negative = split_coefficient(a)[0] < 0
        part = _folded(-a if negative else a)
        text += f" - {part.within(_PRODUCT)}" if negative else f" + {part.within(_PRODUCT)}"
    return Text(text, _SUM)


def _product(t: Term) -> Text:
    c, rest = split_coefficient(t)
    above, below = list[Text](), list[Text]()
    for part in rest.args if rest.is_product else (rest,):
        e = part.args[1].value if part.is_power else None
        if e is not None and e < 0:
            below.append(_power(part.args[0], number(-e)))
        else:
            above.append(_folded(part))
    if abs(c.numerator) != 1:
        above.insert(0, Text(str(abs(c.numerator))))
    if c.denominator != 1:
        below.insert(0, Text(str(c.denominator)))
    text = " * ".join(a.within(_POWER) for a in above) or "1"
    if below:
        divisor = " * ".join(b.within(_POWER) for b in below)
        text += f" / ({divisor})" if len(below) > 1 else f" / {below[0].within(_POWER)}"
    if c < 0:
        return Text(f"- ({text})" if len(above) + len(below) > 1 else f"- {text}", _SUM)
    return Text(text, _PRODUCT)


def _power(b: Term, e: Term) -> Text:
    if e.value is None:
        return Text(f"Rpower {_folded(b).within(_ATOM)} {_folded(e).within(_ATOM)}", _POWER)
    return raised(_folded(b), e.value)


def raised(base: Text, e: Fraction) -> Text:
    """A power with a rational exponent."""
    if e < 0:
        return Text(f"/ {raised(base, -e).within(_POWER)}", _PRODUCT)
    inner = base.within(_ATOM)
    if e.denominator == 1:
        return base if e == 1 else Text(f"{inner} ^ {e}", _POWER)
    if e.denominator == 2:
        whole = e.numerator // 2
        root = f"sqrt {inner}"
        return (
            Text(f"{raised(base, Fraction(whole)).within(_POWER)} * {root}", _PRODUCT)
            if whole
            else Text(root, _POWER)
        )
    return Text(f"Rpower {inner} {rational_text(e).within(_ATOM)}", _POWER)


def _exponent(u: Term) -> str:
    """An argument of exp, as ``exps`` of the library takes it apart: signs and numbers in front."""
    parts = sorted(u.args if u.is_sum else (u,), key=lambda a: split_coefficient(a)[0] < 0)
    text = ""
    for k, part in enumerate(parts):
        c, rest = split_coefficient(part)
        size = abs(c)
        if rest == 1:
            one = rational_text(size).within(_PRODUCT)
        elif size == 1:
            one = _folded(rest).within(_PRODUCT)
        else:
            one = f"{rational_text(size).within(_PRODUCT)} * {_folded(rest).within(_POWER)}"
        sign = "-" if c < 0 else "+"
        if rest == 1 and not k:
            text = rational_text(c).text
        elif k:
            text += f" {sign} {one if sign == '+' or '*' not in one else f'({one})'}"
        else:
            text = (f"- ({one})" if " " in one else f"- {one}") if c < 0 else one
    return text if text.isalnum() else f"({text})"


# ---------------------------------------------------------------- as written


@dataclass
class AsWritten:
    """The syntax of formulas; what they need to be defined, and what is printed otherwise when folded."""

    names: set[str]
    box: Box
    whole: frozenset[str] = frozenset()  # integers, which the statement writes as IZR n
    needs: dict[str, Term] = field(default_factory=dict)  # the condition in Coq, and what has the sign
    changes: list[tuple[str, str]] = field(default_factory=list)  # a part, and the same folded

    def formula(self, text: str, node: ast.expr) -> tuple[Text, Text]:
        """As written, and the same with its functions folded."""
        return self._formula(node, text)

    def _term(self, node: ast.expr, text: str) -> Term:
        segment = ast.get_source_segment(text, node)
        return read(segment if segment is not None else ast.unparse(node), self.names)

    def _formula(self, node: ast.expr, text: str) -> tuple[Text, Text]:
        match node:
            case ast.Constant():
                value = self._term(node, text).value
                assert value is not None
                return rational_text(value), rational_text(value)
            case ast.Name(id=name) if name in self.names:
                shown = variable_name(name)
                return Text(f"IZR {shown}", _POWER) if name in self.whole else Text(shown), Text(shown)
            case ast.Name(id="pi"):
                return Text("PI"), Text("PI")
            case ast.Name(id="E"):
                return Text("exp 1", _POWER), Text("exp 1", _POWER)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self._formula(operand, text)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
                value = self._term(node, text).value
                assert value is not None
                return rational_text(value), rational_text(value)
            case ast.UnaryOp(operand=operand):
                written, mixed = self._formula(operand, text)
                return _negated(written), _negated(mixed)
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return self._raised(node, left, right, text)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(op, left, right, text)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._function(node, _ALIASES.get(name, name), arguments, text)
        raise NotExportedError(f"{ast.unparse(node)!r}")

    def _operation(self, op: ast.operator, left: ast.expr, right: ast.expr, text: str) -> tuple[Text, Text]:
        a, b = self._formula(left, text), self._formula(right, text)
        sign, level = {ast.Add: ("+", _SUM), ast.Sub: ("-", _SUM), ast.Mult: ("*", _PRODUCT)}.get(
            type(op), ("/", _PRODUCT)
        )
        if sign == "/":
            self._need(f"{b[0].text} <> 0", self._term(right, text))
        after = level + (sign != "+" and sign != "*")
        first, second = (
            Text(f"{x.within(level)} {sign} {y.within(after)}", level) for x, y in zip(a, b, strict=True)
        )
        return first, second

    def _raised(self, node: ast.expr, left: ast.expr, right: ast.expr, text: str) -> tuple[Text, Text]:
        base, exponent = self._term(left, text), self._term(right, text)
        written, mixed = self._formula(left, text)
        e = exponent.value
        if e is not None and e.denominator <= 2:
            if e.denominator == 2:
                self._need(f"0 <= {written.text}", base)
            if e < 0:
                self._need(f"{written.text} <> 0", base)
            if e == 0:
                return Text(f"{written.within(_ATOM)} ^ 0", _POWER), Text(
                    f"{mixed.within(_ATOM)} ^ 0", _POWER
                )
            return self._changed(node, raised(written, e), raised(mixed, e), text, e.denominator == 2)
        self._need(f"0 < {written.text}", base)
        exponents = self._formula(right, text)
        first, second = (
            Text(f"Rpower {a.within(_ATOM)} {b.within(_ATOM)}", _POWER)
            for a, b in zip((written, mixed), exponents, strict=True)
        )
        return self._changed(node, first, second, text)

    def _function(self, node: ast.expr, name: str, arguments: list[ast.expr], text: str) -> tuple[Text, Text]:
        given = [self._formula(a, text) for a in arguments]
        if name in ("log", "sqrt"):
            self._need(
                f"0 {'<' if name == 'log' else '<='} {given[0][0].text}", self._term(arguments[0], text)
            )
        written, mixed = (_called(name, [pair[k] for pair in given]) for k in (0, 1))
        return self._changed(node, written, mixed, text)

    def _changed(
        self, node: ast.expr, written: Text, mixed: Text, text: str, change: bool = True
    ) -> tuple[Text, Text]:
        """A function whose text is another when it is folded."""
        if not change:
            return written, mixed
        try:
            canonical = _folded(expanded(self._term(node, text), self.box))
        except UnknownError:
            return written, mixed
        if canonical.text == mixed.text:
            return written, mixed
        before = mixed.text
        if isinstance(node, ast.Call) and canonical.text != mixed.text and mixed.text.startswith("exp "):
            argument = f"exp {_exponent(self._term(node.args[0], text))}"  # tidied first, then taken apart
            self._change(before, argument)
            before = argument
        self._change(before, canonical.text)
        return written, canonical

    def _change(self, before: str, after: str) -> None:
        if before != after and (before, after) not in self.changes:
            self.changes.append((before, after))

    def _need(self, condition: str, t: Term) -> None:
        if t.value is None or t.value <= 0:
            self.needs.setdefault(condition, t)


def _negated(a: Text) -> Text:
    """In Coq as in Python, ``- a * b`` is ``(- a) * b``."""
    return Text(f"- {a.within(_POWER)}", _PRODUCT if a.level >= _POWER else _SUM)
