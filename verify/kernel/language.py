"""Settings, and terms as texts: Python's syntax, nothing is run.

A setting names sorts, variables, symbols, and the facts that define what is spoken of.  ``read`` makes terms
of texts, ``show`` texts of terms; what was shown is read back as the same term.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from keyword import iskeyword
from typing import Any

from verify.kernel import terms as T  # noqa: N812 - the letter of every term
from verify.kernel.levels import level_of
from verify.kernel.operators import binder, expectation
from verify.kernel.reading import tree_of
from verify.kernel.terms import NAT, NUMBERS, REAL, KernelError, Symbol, Term
from verify.reading import lazily, now_or_later
from verify.recheck.letters import normal

KINDS = ("law", "existence", "definition", "model")
EXISTENCE = "existence"
_FUNCTIONS = ("log", "sqrt", "Abs")
_JUNCTIONS = ("And", "Or")
_RELATIONS: Mapping[type[ast.cmpop], tuple[str, bool]] = {
    ast.LtE: ("<=", False),
    ast.Lt: ("<", False),
    ast.GtE: ("<=", True),
    ast.Gt: ("<", True),
    ast.Eq: ("==", False),
}
_DEEPEST = 200
_TAKEN = {
    *(*NUMBERS, T.TRUTH, *T.BINDERS, *_FUNCTIONS, *_JUNCTIONS),
    *("E", "Ind", "Not", "Imp", "Sure", "Max", "Min", "exp"),
}


@lazily("formula")
@dataclass(frozen=True)
class Fact:
    """A statement of a setting, of one of four kinds.

    A *law* is what is assumed of the world, *existence* that there is something (a solution, a maximiser, a
    tree), *model* what the model and the learner are, and a *definition* assumes nothing: the checker of
    derivations makes sure that it is one.  ``claim`` is the claim that proves an existence, and ``means`` the
    one that proves that what is defined is what it is called.
    """

    says: str
    why: str
    kind: str = "definition"
    claim: str = ""
    means: str = ""
    formula: Term = field(init=False, compare=False)


@dataclass(frozen=True)
class Setting:
    """What a derivation speaks of."""

    name: str
    sorts: tuple[str, ...]
    variables: Mapping[str, str]
    symbols: Mapping[str, Symbol]
    facts: Mapping[str, Fact]
    _texts: dict[str, Term] = field(default_factory=dict, init=False, compare=False, repr=False)

    @staticmethod
    def of(
        name: str, sorts: str, variables: Mapping[str, str], symbols: list[Symbol], facts: Mapping[str, Fact]
    ) -> Setting:
        """A setting from what an author writes; ``variables`` maps sorts to names with spaces between."""
        return Setting._made(name, sorts, variables, symbols, facts, {})

    @staticmethod
    def _made(
        name: str,
        sorts: str,
        variables: Mapping[str, str],
        symbols: list[Symbol],
        facts: Mapping[str, Fact],
        inherited: Mapping[str, Fact],
    ) -> Setting:
        table: dict[str, str] = {}
        for word, sort in ((word, sort) for sort, words in variables.items() for word in words.split()):
            if table.setdefault(word, sort) != sort:
                raise KernelError(f"setting {name}: the variable {word} has two sorts")
        own = {name: replace(fact) for name, fact in facts.items()}  # read here, whoever else has them
        every = {**inherited, **own}
        setting = Setting(name, tuple(sorts.split()), table, {s.name: s for s in symbols}, every)
        setting._check(symbols)
        for label, fact in own.items():
            if fact.kind not in KINDS:
                raise KernelError(f"fact {label}: kind {fact.kind!r}: write {', '.join(KINDS)}")
            if fact.claim and fact.kind != EXISTENCE:
                raise KernelError(f"fact {label}: a claim proves that something exists, not a {fact.kind}")
            object.__setattr__(fact, "formula", now_or_later(setting._fact, label, fact.says))
        return setting

    def extended(
        self,
        name: str,
        symbols: list[Symbol],
        facts: Mapping[str, Fact],
        *,
        sorts: str = "",
        variables: Mapping[str, str] | None = None,
    ) -> Setting:
        """A setting with all of this one and more: what is derived here holds there.

        Its facts are not read again: names of this setting mean there what they mean here, since none can
        be given twice, and a name like State_3 cannot be given at all where State is a sort.
        """
        if again := facts.keys() & self.facts.keys():
            raise KernelError(f"setting {name}: {self.name} has a fact {min(again)} already")
        table: dict[str, str] = {}
        for word, sort in self.variables.items():
            table[sort] = f"{table.get(sort, '')} {word}"
        for sort, words in (variables or {}).items():
            table[sort] = f"{table.get(sort, '')} {words}"
        every = [*self.symbols.values(), *symbols]
        return Setting._made(name, f"{' '.join(self.sorts)} {sorts}", table, every, facts, self.facts)

    def extends(self, other: Setting) -> bool:
        """Whether all of the other setting is here, unchanged: what is derived there then holds here."""
        return (
            set(other.sorts) <= set(self.sorts)
            and other.variables.items() <= self.variables.items()
            and other.symbols.items() <= self.symbols.items()
            and all(self.facts.get(name) == fact for name, fact in other.facts.items())
        )

    def _check(self, symbols: list[Symbol]) -> None:
        allowed = {*NUMBERS, *self.sorts}
        for name in (*self.sorts, *self.variables, *self.symbols):
            taken = name in _TAKEN or (name not in self.sorts and self._numbered(name) is not None)
            if taken or not name.isidentifier() or iskeyword(name) or not normal(name):
                raise KernelError(f"setting {self.name}: {name!r} cannot be a name here")
        for s in symbols:
            if wrong := {*s.args, s.value} - allowed:
                raise KernelError(f"symbol {s.name}: no sort {sorted(wrong)[0]}")
            if s.name in self.variables or len(self.symbols) != len(symbols):
                raise KernelError(f"symbol {s.name}: the name is used twice")
            level_of(T.app(s, *(T.fresh(sort) for sort in s.args))) if s.random else None
        if wrong := set(self.variables.values()) - allowed:
            raise KernelError(f"variables: no sort {sorted(wrong)[0]}")

    def _fact(self, name: str, text: str) -> Term:
        try:
            return self.formula(text)
        except KernelError as error:
            raise KernelError(f"setting {self.name}: fact {name}: {error}") from None

    def read(self) -> None:
        """All facts, also those that nobody uses: one that cannot be read is an error."""
        for fact in self.facts.values():
            _ = fact.formula

    def term(self, text: str) -> Term:
        """A term of that text."""
        t = self._any(text)
        if t.sort == T.TRUTH:
            raise KernelError(f"{text!r} is a formula, not a term")
        return t

    def formula(self, text: str) -> Term:
        """A formula of that text."""
        t = self._any(text)
        T.require_sort(t, T.TRUTH, f"{text!r}")
        return t

    def _any(self, text: str) -> Term:
        """A term or a formula; authors repeat their texts."""
        if text not in self._texts:
            self._texts[text] = _Reader(self, text).read()
        return self._texts[text]

    def variable(self, name: str) -> Term:
        """The variable of that name."""
        sort = self.variables.get(name) or self._numbered(name)
        if sort is None:
            raise KernelError(f"{name} is no variable of {self.name}")
        return T.var(name, sort)

    def _numbered(self, name: str) -> str | None:
        """The sort of a name like Nat_3."""
        sort, _, digits = name.rpartition("_")
        return sort if digits.isdecimal() and sort in (*NUMBERS, *self.sorts) else None

    def data(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "name": self.name,
            "sorts": list(self.sorts),
            "variables": dict(self.variables),
            "symbols": [_symbol_data(s) for s in self.symbols.values()],
            "facts": {name: _fact_data(fact) for name, fact in self.facts.items()},
        }


def _fact_data(fact: Fact) -> dict[str, str]:
    links = {key: text for key in ("claim", "means") if (text := getattr(fact, key))}
    return {"kind": fact.kind, "says": fact.says, "why": fact.why, **links}


def _symbol_data(s: Symbol) -> dict[str, Any]:
    data: dict[str, Any] = {"name": s.name, "args": list(s.args), "value": s.value}
    return {**data, **({"known": s.known} if s.random else {}), **({"generic": True} if s.generic else {})}


class _Reader:
    """One text."""

    def __init__(self, setting: Setting, text: str) -> None:
        self.setting, self.text = setting, text

    def read(self) -> Term:
        return self._of(tree_of(self.text), 0)

    def _of(self, node: ast.expr, depth: int) -> Term:
        if depth > _DEEPEST:
            raise KernelError("a formula that is nested too deeply")

        def go(inner: ast.expr) -> Term:
            return self._of(inner, depth + 1)

        match node:
            case ast.Constant(value=int() as n) if not isinstance(n, bool):
                return T.num(n)
            case ast.Constant(value=float()):
                digits = ast.get_source_segment(self.text.strip(), node) or ""
                if "e" in digits.lower():
                    raise KernelError(f"{self.text!r}: {digits} has an exponent; write a fraction")
                return T.num(Fraction(digits))
            case ast.Name(id=name):
                return self._name(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return T.scale(go(operand), -1)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(op, go(left), go(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _RELATIONS:
                name, swapped = _RELATIONS[type(op)]
                a, b = go(left), go(right)
                return T.relation(name, b, a) if swapped else T.relation(name, a, b)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self._call(name, args, go)
        raise KernelError(f"{self.text!r}: {ast.unparse(node)!r} is no term")

    def _name(self, name: str) -> Term:
        symbol = self.setting.symbols.get(name)
        return T.app(symbol) if symbol is not None else self.setting.variable(name)

    def _operation(self, op: ast.operator, a: Term, b: Term) -> Term:
        match op:
            case ast.Add():
                return T.add(a, b)
            case ast.Sub():
                return T.sub(a, b)
            case ast.Mult():
                return T.mul(a, b)
            case ast.Div():
                return T.mul(a, T.inverse(b))
            case ast.Pow():
                if b.tag == "num" and b.parts[0].denominator == 1:
                    return T.power(a, int(b.parts[0]))
                return T.exp(T.mul(b, T.function("log", a)))
        raise KernelError(f"{self.text!r}: there is no {type(op).__name__} here")

    def _call(self, name: str, args: list[ast.expr], go: Callable[[ast.expr], Term]) -> Term:
        if name in self.setting.symbols:
            return T.app(self.setting.symbols[name], *map(go, args))
        wanted = {
            "Sum": 3,
            "SumOver": 2,
            "MaxOver": 2,
            "Int": 3,
            "Sup": 2,
            "All": 2,
            "Not": 1,
            "Imp": 2,
            "Sure": 1,
        }
        wanted |= {"Ind": 1, "exp": 1, **dict.fromkeys(_FUNCTIONS, 1)}
        if name in wanted and len(args) != wanted[name]:
            raise KernelError(f"{self.text!r}: {name} takes {wanted[name]} arguments")
        if name in T.BINDERS:
            if not isinstance(args[0], ast.Name):
                raise KernelError(f"{self.text!r}: {name} begins with its variable")
            x = self.setting.variable(args[0].id)
            return binder(name, x, [go(r) for r in args[1:-1]], go(args[-1]))
        values = [go(a) for a in args]
        if name == "E" and len(values) in (1, 2):
            return expectation(values[0], values[1] if len(values) == 2 else None)
        if name in _FUNCTIONS or (name in ("Max", "Min") and len(values) >= 2):
            return T.function(name, *values)
        made: dict[str, Callable[..., Term]] = {
            "exp": T.exp,
            "Ind": T.indicator,
            "Not": T.negation,
            "Sure": T.sure,
            "Imp": T.implication,
        }
        if name in made:
            return made[name](*values)
        if name in _JUNCTIONS and values:
            return T.junction(name, *values)
        raise KernelError(f"{self.text!r}: there is no {name} in {self.setting.name}")


# --- texts --------------------------------------------------------------------------------------


@cache
def show(t: Term) -> str:
    """A text that is read as this term; bound variables are called Nat_0, State_1, ..."""
    taken = [int(d) for x in t.free for _, u, d in [x.parts[0].rpartition("_")] if u and d.isdecimal()]
    return _Writer(1 + max(taken) if taken else 0).of(t)


class _Writer:
    def __init__(self, first: int) -> None:
        self.first = first

    def of(self, t: Term) -> str:
        parts = t.parts
        match t.tag:
            case "num":
                return str(parts[0]) if parts[0] >= 0 and parts[0].denominator == 1 else f"({parts[0]})"
            case "var":
                hidden = parts[0].startswith("#")
                return f"{parts[1]}_{self.first + int(parts[0][1:])}" if hidden else str(parts[0])
            case "app":
                return str(parts[0].name) + (f"({self._list(parts[1:])})" if len(parts) > 1 else "")
            case "poly":
                texts = sorted((c < 0, self._product(m, c)) for m, c in parts)
                return " + ".join(text for _, text in texts)
            case "inv":
                return f"1/({self.of(parts[0])})"
            case "<=" | "<" | "==":
                return f"{self.of(parts[0])} {t.tag} {self.of(parts[1])}"
            case "E":
                return f"E({self._list(p for p in parts if p is not None)})"
        return f"{t.tag}({self._list(parts)})"

    def _list(self, parts: Any) -> str:
        return ", ".join(map(self.of, parts))

    def _product(self, monomial: T.Monomial, c: Fraction) -> str:
        factors = [self._power(f, e) for f, e in monomial]
        if c != 1 or not factors:
            factors.insert(0, self.of(T.num(c)))
        return "*".join(factors)

    def _power(self, f: Term, e: int) -> str:
        text = f"({self.of(f)})" if f.tag == "inv" else self.of(f)
        return text if e == 1 else f"{text}**{e}"


__all__ = ["EXISTENCE", "KINDS", "NAT", "REAL", "Fact", "Setting", "show"]
