"""Sorts, symbols and variables of a derivation: what its ``setting`` says."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verify.recheck.derivations.trees import BINDERS, CONNECTIVES, FORMULA, Nameless, var
from verify.recheck.intervals import UnknownError

NUMBERS = ("Nat", "Real")
FUNCTIONS = ("exp", "log", "sqrt", "Abs")
RESERVED = frozenset((*NUMBERS, *FUNCTIONS, FORMULA, *BINDERS, *CONNECTIVES, "E", "Max", "Min", "Ind"))
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NUMBERED = re.compile(r"([A-Za-z][A-Za-z0-9]*)_([0-9]+)")
_FIELDS = frozenset({"name", "args", "value", "known", "generic", "why"})


@dataclass(frozen=True)
class Sign:
    """A symbol; ``level`` is a term in ``_1``, ..., or None where nothing is promised."""

    name: str
    args: tuple[str, ...]
    value: str
    random: bool
    level: Nameless | None
    generic: bool


@dataclass
class Language:
    """What names mean."""

    sorts: tuple[str, ...]  # the finite ones
    variables: dict[str, str] = field(default_factory=dict)
    signs: dict[str, Sign] = field(default_factory=dict)

    def sort(self, name: Any) -> str:
        """A sort of this name."""
        if name in NUMBERS or name in self.sorts:
            return str(name)
        raise UnknownError(f"{name!r} is not a sort")

    def variable(self, name: Any) -> Nameless | None:
        """The variable of this name, listed or numbered (``State_7``)."""
        if not isinstance(name, str) or name in self.signs:
            return None
        if name in self.variables:
            return var(name, self.variables[name])
        found = _NUMBERED.fullmatch(name)
        if found and (found[1] in NUMBERS or found[1] in self.sorts):
            return var(name, found[1])
        return None

    def finite(self, sort: str) -> bool:
        """Whether it is a finite sort."""
        return sort in self.sorts

    def sign(self, node: Nameless) -> Sign:
        """The symbol at this node."""
        return self.signs[str(node.value)]

    def numeric(self, t: Nameless) -> bool:
        """Whether it is a number."""
        return t.sort in NUMBERS


def new_name(name: Any, taken: Iterable[str]) -> str:
    """A name that may still be given a meaning."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise UnknownError(f"{name!r} is not a name")
    if name in RESERVED or name in taken:
        raise UnknownError(f"the name {name} is used for something else")
    return name


def language_of(setting: Any) -> Language:
    """The names of a setting, without what its symbols promise (``level`` has to be read first)."""
    if not isinstance(setting, Mapping):
        raise UnknownError("the setting is not an object")
    sorts: list[str] = []
    for name in _list(setting, "sorts"):
        sorts.append(new_name(name, sorts))
    found = Language(tuple(sorts))
    variables = setting.get("variables", {})
    if not isinstance(variables, Mapping):
        raise UnknownError("the variables of the setting are not an object")
    for name, sort in variables.items():
        numbered = found.variable(name)  # Nat_3 is a natural number, whatever is listed
        if numbered is not None and numbered.sort != sort:
            raise UnknownError(f"the variable {name} is of sort {numbered.sort} by its name")
        found.variables[new_name(name, sorts)] = found.sort(sort)
    return found


def _list(data: Mapping[str, Any], key: str) -> list[Any]:
    value = data.get(key, [])
    if not isinstance(value, list):
        raise UnknownError(f"{key!r} is not a list")
    return value


def sign_of(data: Any, language: Language, level: Any) -> Sign:
    """A symbol from its data; ``level`` reads the text of ``known`` in given variables."""
    if not isinstance(data, Mapping) or not _FIELDS.issuperset(data):
        raise UnknownError(f"{data!r} is not a symbol")
    name = new_name(data.get("name"), (*language.sorts, *language.variables, *language.signs))
    if language.variable(name) is not None:
        raise UnknownError(f"the name {name} is that of a variable")
    args = tuple(language.sort(a) for a in _list(data, "args"))
    value, known, generic = language.sort(data.get("value")), data.get("known"), data.get("generic", False)
    if not isinstance(generic, bool) or not (known is None or isinstance(known, str)):
        raise UnknownError(f"the symbol {name} is not as the language asks")
    when = None
    if known is not None and known != "any":
        places = {f"_{k}": var(f"_{k}", "Nat") for k, sort in enumerate(args, 1) if sort == "Nat"}
        when = level(known, places)
    return Sign(name, args, value, known is not None, when, generic)
