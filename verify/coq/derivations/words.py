"""Terms and formulas of derivations as Coq writes them.

A natural number in the place of a real one is ``INR n``; relations between numbers are relations between
real numbers.  A finite sort is a ``Finite`` of the library.  Bound variables are ``b1``, ``b2``, ….

A tree may hold *casts*: a natural number put in for a variable, which Coq has as ``INR`` of the whole term.
The language does not tell the two apart; that they are equal has to be shown (``same``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from verify.coq.text import NotExportedError, Text
from verify.recheck.derivations.languages import Language
from verify.recheck.derivations.trees import FORMULA, Nameless, changed, fresh, opened

CAST = "cast"
_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_FUNCTIONS = {"exp": "exp", "log": "ln", "sqrt": "sqrt", "Abs": "Rabs"}
_EXTREMA = {"Max": ("Rmax", "Nat.max"), "Min": ("Rmin", "Nat.min")}
_RELATIONS = {"<=": "<=", "<": "<", "==": "="}
_TYPES = {"Real": "R", "Nat": "nat"}
_TAKEN = {
    *("R", "nat", "Z", "Prop", "Set", "Type", "SProp", "S", "O", "I", "INR", "IZR", "True", "False", "Nat"),
    *(
        "exp",
        "ln",
        "sqrt",
        "inv",
        "Rabs",
        "Rmax",
        "Rmin",
        "Ind",
        "Sum",
        "SumOver",
        "MaxOver",
        "SumN",
        "SumOverN",
        "Finite",
    ),
    *("fun", "forall", "exists", "at", "as", "in", "let", "if", "then", "else", "match", "end", "with", "by"),
    *("return", "where", "using", "fix", "cofix", "for", "every", "someone", "element", "either_way", "conj"),
}
_OURS = re.compile(
    r"[bGPLEIlpKAX][0-9]+|(step|fact|claim|known|pointwise|ind|gap|not|multiple|combined)_.*|.*_same"
)


def cast(t: Nameless) -> Nameless:
    """A natural number that was put in."""
    return t if t.op in ("var", "sym", CAST) else casted(t)


def casted(t: Nameless) -> Nameless:
    """``INR`` of the whole term, whatever it is."""
    return Nameless(CAST, (t,), None, "Nat")


def plain(t: Nameless) -> Nameless:
    """The tree as the language has it."""

    def leaf(node: Nameless, _: int) -> Nameless | None:
        return plain(node.args[0]) if node.op == CAST else None

    return changed(t, leaf)


class Words:
    """One language in Coq; ``stated`` as people write it, else with the names that the tactics want."""

    def __init__(self, language: Language, stated: bool = False):
        self.language, self.stated = language, stated

    # ------------------------------------------------------------ names and types

    def name(self, raw: str) -> str:
        """A name of the setting."""
        if raw.startswith("#"):
            return f"b{raw[1:]}"
        if raw.startswith("~"):
            return raw[1:]
        raw = raw.lstrip("@")
        return f"{raw}_" if raw in _TAKEN or _OURS.fullmatch(raw) or raw.endswith("_") else raw

    def sort(self, sort: str) -> str:
        """The type of a sort."""
        return _TYPES.get(sort) or self.name(sort)

    def kind(self, symbol: str) -> str:
        """The type of a symbol."""
        sign = self.language.signs[symbol]
        return " -> ".join(map(self.sort, (*sign.args, sign.value)))

    def binders(self, names: Mapping[str, str]) -> str:
        """``forall`` of names with their types."""
        return "".join(f" ({name} : {kind})" for name, kind in names.items())

    # ------------------------------------------------------------ terms

    def real(self, t: Nameless) -> str:
        """A number as a real one."""
        return self._real(t).text

    def nat(self, t: Nameless) -> str:
        """A natural number."""
        found = self._nat(t).text
        return found if found.isidentifier() else f"({found})%nat"

    def term(self, t: Nameless, sort: str) -> str:
        """A term where this sort is asked for, ready to stand as an argument."""
        if sort == "Nat":
            return self.nat(t)
        found = (self._real(t) if sort == "Real" else self._element(t)).text
        return found if found.isidentifier() else f"({found})%R"

    def _real(self, t: Nameless) -> Text:
        match t.op:
            case "num":
                return _number(t.number or Fraction(0))
            case "var" if t.sort == "Real":
                return Text(self.name(str(t.value)))
            case "var" | "cast" | "Ind":
                return Text(f"INR {self._nat(t).within(_ATOM) if t.op == 'var' else self.nat(t)}", _POWER)
            case "sym":
                found = self._symbol(t)
                whole = self.language.sign(t).value == "Nat"
                return Text(f"INR {found.within(_ATOM)}", _POWER) if whole else found
            case "+":
                return self._total(t)
            case "*":
                if self.stated and t.args[0].number == -1 and len(t.args) == 2:
                    return Text(f"- {self._real(t.args[1]).within(_POWER)}", _SUM)
                if self.stated and t.args[-1].op == "inv" and len(t.args) == 2:
                    above, below = t.args[0], t.args[1].args[0]
                    text = f"{self._real(above).within(_PRODUCT)} / {self._real(below).within(_POWER)}"
                    return Text(text, _PRODUCT)
                first, *rest = (self._real(a) for a in t.args)
                parts = [first.within(_PRODUCT), *(r.within(_POWER) for r in rest)]
                return Text(" * ".join(parts), _PRODUCT)
            case "^":
                return Text(f"{self._real(t.args[0]).within(_ATOM)} ^ {t.value}", _POWER)
            case "inv":
                inner = self._real(t.args[0]).within(_ATOM)
                return Text(f"/ {inner}" if self.stated else f"inv {inner}", _POWER)
            case "exp" | "log" | "sqrt" | "Abs":
                return Text(f"{_FUNCTIONS[t.op]} {self._real(t.args[0]).within(_ATOM)}", _POWER)
            case "Max" | "Min":
                return self._extremum(_EXTREMA[t.op][0], [self._real(a) for a in t.args])
            case "Sum":
                return Text(f"Sum {self.nat(t.args[0])} {self.function(t)}", _POWER)
            case "SumOver" | "MaxOver":
                return Text(f"{t.op} {self.sort(str(t.value))} {self.function(t)}", _POWER)
        raise NotExportedError(f"with {t.op.replace('En', 'E')}")

    def _total(self, t: Nameless) -> Text:
        first, *rest = t.args
        text = self._real(first).within(_SUM)
        for a in rest:
            if self.stated and a.op == "*" and a.args[0].number == -1 and len(a.args) == 2:
                text += f" - {self._real(a.args[1]).within(_PRODUCT)}"
            else:
                text += f" + {self._real(a).within(_PRODUCT)}"
        return Text(text, _SUM)

    def function(self, t: Nameless, printed: Callable[[Nameless], str] | None = None) -> str:
        """The function that a binder binds, of real numbers if nothing else is said."""
        x = fresh(str(t.value), t)
        body = (printed or self.real)(opened(t.args[-1], x))
        return f"(fun {self.name(str(x.value))} : {self.sort(x.sort)} => {body})"

    def _extremum(self, name: str, parts: list[Text]) -> Text:
        *first, last = parts
        for one in reversed(first):
            last = Text(f"{name} {one.within(_ATOM)} {last.within(_ATOM)}", _POWER)
        return last

    def _symbol(self, t: Nameless) -> Text:
        sign = self.language.sign(t)
        parts = [self.term(a, sort) for a, sort in zip(t.args, sign.args, strict=True)]
        return Text(" ".join((self.name(sign.name), *parts)), _POWER if parts else _ATOM)

    def _element(self, t: Nameless) -> Text:
        return Text(self.name(str(t.value))) if t.op == "var" else self._symbol(t)

    def _nat(self, t: Nameless) -> Text:
        match t.op:
            case "num" if t.sort == "Nat":
                return Text(str(t.value))
            case "var" if t.sort == "Nat":
                return Text(self.name(str(t.value)))
            case "cast":
                return self._nat(t.args[0])
            case "sym" if t.sort == "Nat":
                return self._symbol(t)
            case "Ind":
                return Text(f"Ind ({self.formula(t.args[0])})%R", _POWER)
            case "+" | "*":
                level = _SUM if t.op == "+" else _PRODUCT
                first, *rest = (self._nat(a) for a in t.args)
                parts = [first.within(level), *(r.within(level + 1) for r in rest)]
                return Text(f" {t.op} ".join(parts), level)
            case "^":
                return Text(f"{self._nat(t.args[0]).within(_ATOM)} ^ {t.value}", _POWER)
            case "Max" | "Min":
                return self._extremum(_EXTREMA[t.op][1], [self._nat(a) for a in t.args])
            case "Sum":
                return Text(f"SumN {self.nat(t.args[0])} {self.function(t, self.nat)}", _POWER)
            case "SumOver":
                return Text(f"SumOverN {self.sort(str(t.value))} {self.function(t, self.nat)}", _POWER)
        raise NotExportedError(f"the natural number {t}")

    # ------------------------------------------------------------ formulas

    def formula(self, t: Nameless) -> str:
        """A formula."""
        match t.op:
            case "<=" | "<" | "==":
                if self.language.numeric(t.args[0]):
                    a, b = (self.real(x) for x in t.args)
                else:
                    a, b = (self._element(x).text for x in t.args)
                return f"{a} {_RELATIONS[t.op]} {b}"
            case "And" | "Or":
                *first, last = (self._inner(a) for a in t.args)
                sign = "/\\" if t.op == "And" else "\\/"
                for one in reversed(first):
                    last = f"{one} {sign} {last}"
                return last
            case "Not":
                return f"~ {self._inner(t.args[0])}"
            case "Imp":
                return f"{self._inner(t.args[0])} -> {self._inner(t.args[1])}"
            case "All":
                x = fresh(str(t.value), t)
                body = self.formula(opened(t.args[0], x))
                return f"forall {self.name(str(x.value))} : {self.sort(x.sort)}, {body}"
        raise NotExportedError(f"with {t.op}")

    def _inner(self, t: Nameless) -> str:
        return f"({self.formula(t)})"

    def text(self, t: Nameless, sort: str) -> str:
        """A term of this sort, or a formula."""
        if sort == FORMULA:
            return self.formula(t)
        return self.real(t) if sort == "Real" else self.nat(t) if sort == "Nat" else self._element(t).text


def _number(value: Fraction) -> Text:
    if value.denominator == 1:
        return Text(str(value)) if value >= 0 else Text(f"({value})")
    top = str(value.numerator) if value > 0 else f"({value.numerator})"
    return Text(f"{top} / {value.denominator}", _PRODUCT)
