"""What a rule works with: the texts of its step, the language, and the theorems of the steps before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verify.recheck.derivations.canon import Canon
from verify.recheck.derivations.languages import Language
from verify.recheck.derivations.polynomials import natural
from verify.recheck.derivations.reading import TextReader, read_setting, require_sort
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
    """One derivation: its language and facts, and the claims that its steps refer to."""

    language: Language  # of the setting
    facts: Mapping[str, Any]
    certify: Callable[[Mapping[str, Any]], list[str]]  # the complaints about a certificate
    canon: Canon = field(init=False)
    reader: TextReader = field(init=False)
    references: list[tuple[int, str, str, Any]] = field(default_factory=list)  # step, rule, label, what
    now: int = 0  # the step

    def __post_init__(self) -> None:
        self.canon = Canon(self.language)
        self.reader = TextReader(self.language)

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
    document: Mapping[str, Any], certify: Callable[[Mapping[str, Any]], list[str]]
) -> Workbench:
    """The bench of a derivation, its setting read."""
    forget()
    language = read_setting(document.get("setting"))
    facts = document["setting"].get("facts", {})
    if not isinstance(facts, Mapping):
        raise UnknownError("'facts' is not an object")
    return Workbench(language, facts, certify)
