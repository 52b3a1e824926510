"""What theorems rest on: the facts of their settings, by kind, those of the claims they use included.

A *law* is assumed of the world, *existence* that there is something, *model* is what the model and the
learner are; a *definition* assumes nothing.  An existence that a claim proves is not assumed either: it is
*proved*, and counted apart, once that claim is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from verify.claims import ClaimSet, Verdict
from verify.kernel.language import KINDS

_WORDS = {
    "law": ("law", "laws"),
    "existence": ("existence", "existences"),
    "definition": ("definition", "definitions"),
    "model": ("property of the model", "properties of the model"),
}
_ASSUMED = ("law", "existence", "model")  # in this order in a sentence
_MOST = 16  # names in a sentence
_NAMED = ("law", "existence")  # what one may dispute


class Rest(NamedTuple):
    """A fact of a setting; where several settings have the same one, it is one."""

    name: str
    kind: str
    says: str
    claim: str = ""  # that proves it


@dataclass(frozen=True)
class Rests:
    """What is assumed or defined, and what a claim proves."""

    taken: tuple[Rest, ...] = ()
    proved: tuple[Rest, ...] = ()

    @staticmethod
    def of(facts: Iterable[Rest], verdicts: Mapping[str, Verdict | None]) -> Rests:
        """Of the facts; a claim proves something if it is proved, with all it rests on."""
        every = sorted(set(facts))
        proved = [one for one in every if one.claim and verdicts.get(one.claim) is Verdict.PROVED]
        return Rests(tuple(one for one in every if one not in proved), tuple(proved))

    def __bool__(self) -> bool:
        return bool(self.taken or self.proved)

    def names(self, kind: str) -> list[str]:
        """Of one kind."""
        return [one.name for one in self.taken if one.kind == kind]

    def short(self) -> str:
        """``2 laws, 1 existence, 30 definitions; 2 existences proved``; empty if there is nothing."""
        counts = [(len(self.names(kind)), kind) for kind in KINDS]
        taken = ", ".join(_counted(n, kind) for n, kind in counts if n)
        proved = f"{_counted(len(self.proved), 'existence')} proved" if self.proved else ""
        return "; ".join(filter(None, (taken, proved)))

    def sentence(self) -> str:
        """What is assumed, and what is not."""
        assumed = [self._listed(kind) for kind in _ASSUMED if self.names(kind)]
        parts = [_joined(assumed) or "nothing that is assumed"]
        if n := len(self.names("definition")):
            parts.append(f"on {_counted(n, 'definition')}, which {'assumes' if n == 1 else 'assume'} nothing")
        proved = ", ".join(dict.fromkeys(f"{one.name} by {one.claim}" for one in self.proved))
        apart = f"; proved, and not assumed: {proved}" if proved else ""
        return f"rests on {', and '.join(parts)}{apart}"

    def _listed(self, kind: str) -> str:
        names = self.names(kind)
        some = list(dict.fromkeys(names))  # two settings may call different facts the same
        more = f" and {len(some) - _MOST} more" if len(some) > _MOST else ""
        words = f" ({', '.join(some[:_MOST])}{more})" if kind in _NAMED else ""
        return f"{_counted(len(names), kind)}{words}"

    def data(self) -> dict[str, Any]:
        """As JSON: names by kind, and what is proved by which claim."""
        return {
            **{kind: self.names(kind) for kind in KINDS},
            "proved": {r.name: r.claim for r in self.proved},
        }


def _counted(number: int, kind: str) -> str:
    return f"{number} {_WORDS[kind][number != 1]}"


def _joined(texts: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def transitive_rests(
    claims: ClaimSet, own: Mapping[str, Mapping[str, Iterable[str]]], verdicts: Mapping[str, Verdict | None]
) -> dict[str, Rests]:
    """What the claims and all that they use rest on; ``own`` has the names by kind of their derivations."""
    found: dict[str, frozenset[Rest]] = {}
    for label in claims.order:
        below = (found[used] for used in claims[label].uses)
        found[label] = frozenset(_facts(claims, label, own.get(label, {}))).union(*below)
    return {label: Rests.of(facts, verdicts) for label, facts in found.items()}


def _facts(claims: ClaimSet, label: str, own: Mapping[str, Iterable[str]]) -> Iterator[Rest]:
    setting = claims[label].setting
    for name in (name for names in own.values() for name in names):
        if setting is not None and (fact := setting.facts.get(name)) is not None:
            yield Rest(name, fact.kind, fact.says, fact.claim)
