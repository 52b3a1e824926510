"""What a rule works with: the texts of its step, the language, and the theorems of the steps before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verify.recheck.derivations.canon import Canon
from verify.recheck.derivations.languages import Language
from verify.recheck.derivations.polynomials import natural
from verify.recheck.derivations.reading import TextReader, add_symbols, read_setting, require_sort
from verify.recheck.derivations.sight import Sight
from verify.recheck.derivations.trees import RELATIONS, Nameless, forget
from verify.recheck.intervals import UnknownError


@dataclass(frozen=True)
class Judgement:
    """``given ⊢ formula``, all in normal form."""

    given: frozenset[Nameless]
    formula: Nameless


@dataclass
class Workbench:
    """One derivation: its languages, facts and axioms, and the claims that its steps refer to."""

    own: Language  # of the setting
    language: Language  # with the symbols of axioms
    facts: Mapping[str, Any]
    axioms: Mapping[str, Nameless]
    certify: Callable[[Mapping[str, Any]], list[str]]  # the complaints about a certificate
    canon: Canon = field(init=False)
    reader: TextReader = field(init=False)
    own_reader: TextReader = field(init=False)
    references: list[tuple[int, str, str, Any]] = field(default_factory=list)  # step, rule, label, what
    now: int = 0  # the step

    def __post_init__(self) -> None:
        self.canon = Canon(self.language)
        self.reader, self.own_reader = TextReader(self.language), TextReader(self.own)

    def judge(self, formula: Nameless, *given: Nameless | frozenset[Nameless]) -> Judgement:
        """A theorem in normal form; single givens and sets of them."""
        every: set[Nameless] = set()
        for g in given:
            every.update({self.canon.normal(g)} if isinstance(g, Nameless) else map(self.canon.normal, g))
        return Judgement(frozenset(every), self.canon.normal(formula))

    def variable(self, name: Any, sort: str = "") -> Nameless:
        """The variable of this name and sort (``finite``: of a finite one)."""
        found = self.language.variable(name)
        if found is None:
            raise UnknownError(f"{name!r} is not a variable")
        fits = self.language.finite(found.sort) if sort == "finite" else sort in ("", found.sort)
        if not fits:
            raise UnknownError(f"{found} is of sort {found.sort}, not {sort}")
        return found

    def fits(self, t: Nameless, sort: str) -> bool:
        """Whether a term in normal form is seen to be of this sort."""
        if sort == "Nat":
            return self.language.numeric(t) and natural(self.canon.poly(t))
        return self.language.numeric(t) if sort == "Real" else t.sort == sort

    def relation(self, formula: Nameless, *orders: str) -> tuple[Nameless, Nameless]:
        """The two sides of a relation between numbers."""
        if formula.op not in (orders or RELATIONS) or not self.language.numeric(formula.args[0]):
            raise UnknownError(f"{formula} is not a relation {' or '.join(orders or ('<=', '<', '=='))}")
        return formula.args[0], formula.args[1]


@dataclass(frozen=True)
class RuleStep:
    """One step: its fields, and the theorems that it starts from."""

    data: Mapping[str, Any]
    premises: list[Judgement]
    bench: Workbench

    def judge(self, formula: Nameless, *given: Nameless | frozenset[Nameless]) -> Judgement:
        """A theorem in normal form."""
        return self.bench.judge(formula, *given)

    def normal(self, t: Nameless) -> Nameless:
        """The normal form."""
        return self.bench.canon.normal(t)

    @property
    def sight(self) -> Sight:
        """What is seen of terms."""
        return self.bench.canon.sight

    def text(self, key: str) -> str:
        """A text that has to be there."""
        value = self.data.get(key)
        if not isinstance(value, str):
            raise UnknownError(f"the field {key!r} is missing or no text")
        return value

    def items(self, key: str) -> list[Any]:
        """A list; nothing is an empty one."""
        value = self.data.get(key, [])
        if not isinstance(value, list):
            raise UnknownError(f"{key!r} is not a list")
        return value

    def formula(self, key: str = "formula") -> Nameless:
        """A formula, as it stands."""
        return self.bench.reader.formula(self.text(key))

    def term(self, key: str = "term") -> Nameless:
        """A term, as it stands."""
        return self.bench.reader.term(self.text(key))

    def number(self, key: str) -> Nameless:
        """A term that is a number."""
        found = self.term(key)
        require_sort(found, "Real", repr(key))
        return found

    def whole(self, key: str) -> Nameless:
        """A term that is a natural number."""
        found = self.term(key)
        require_sort(found, "Nat", repr(key))
        return found

    def variable(self, sort: str = "", key: str = "variable") -> Nameless:
        """A variable of this sort (``finite``: of a finite one)."""
        return self.bench.variable(self.text(key), sort)


def not_free(variable: Nameless, *places: Nameless | frozenset[Nameless]) -> None:
    """Complain where the variable is free: what is shown for one value is not shown for all."""
    for place in places:
        for t in [place] if isinstance(place, Nameless) else sorted(place, key=lambda g: g.text):
            if variable in t.free:
                where = "in" if isinstance(place, Nameless) else "in the given"
                raise UnknownError(f"{variable} is free {where} '{t}'")


def open_workbench(
    document: Mapping[str, Any],
    table: Mapping[str, Mapping[str, Any]],
    certify: Callable[[Mapping[str, Any]], list[str]],
) -> Workbench:
    """The bench of a derivation, its setting and axioms read."""
    forget()
    own = read_setting(document.get("setting"))
    language = Language(own.sorts, dict(own.variables), dict(own.signs))
    facts = document["setting"].get("facts", {})
    axioms = document.get("axioms", {})
    if not isinstance(facts, Mapping) or not isinstance(axioms, Mapping):
        raise UnknownError("'facts' or 'axioms' is not an object")
    read = {str(name): _axiom(str(name), data, table, language) for name, data in axioms.items()}
    return Workbench(own, language, facts, read, certify)


def _axiom(name: str, data: Any, table: Mapping[str, Mapping[str, Any]], language: Language) -> Nameless:
    """The statement of an axiom, in the words of the table; its symbols are added to the language."""
    known = table.get(name)
    if known is None:
        raise UnknownError(f"the axiom {name!r} is not one of the permitted ones")
    if not isinstance(data, Mapping) or any(data.get(key) != known.get(key) for key in ("says", "symbols")):
        raise UnknownError(f"the axiom {name!r} does not say what the permitted one says")
    # Read with numbered variables only: a listed one could be of any sort.
    alone = Language(language.sorts)
    add_symbols(alone, list(known.get("symbols", ())))
    for sign in alone.signs.values():
        if not sign.generic or language.signs.get(sign.name, sign) != sign or language.variable(sign.name):
            raise UnknownError(
                f"the axiom {name!r}: the symbol {sign.name} is not generic, or means something else"
            )
    language.signs.update(alone.signs)
    return TextReader(alone).formula(known.get("says"))
