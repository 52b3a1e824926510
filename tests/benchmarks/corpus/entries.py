"""The entries of the corpus, read from ``data/*.toml``.

A file is a family.  Its head has ``title``, ``source`` and, optionally, ``where``: abbreviations that
formulas use as ``{name}``.  Every other table is an entry: ``says``, ``domain`` (comparisons), ``reals``
(variables without a bound), ``source``; and for a false one ``truth = false`` with a ``witness``, a point
where it fails.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from verify.claims import Claim, Domain, claim
from verify.errors import UserError

DATA = Path(__file__).parent / "data"
_HEAD = ("title", "source", "where")
_FIELDS = {"says", "domain", "reals", "truth", "witness", "source"}


@dataclass(frozen=True)
class Entry:
    """One inequality."""

    family: str  # the name of the file
    name: str
    says: str
    domain: tuple[str, ...]
    reals: str
    truth: bool
    source: str
    witness: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Unique in the corpus."""
        return f"{self.family}/{self.name}"

    def area(self) -> Domain:
        """The domain, read."""
        return Domain.of(*self.domain, reals=self.reals)

    def claim(self) -> Claim:
        """The entry as a claim, with the standard checks."""
        return claim(self.label, self.source, says=self.says, domain=self.area())


def _entry(family: str, name: str, data: Mapping[str, Any], where: Mapping[str, str]) -> Entry:
    label = f"{family}/{name}"
    if not isinstance(data, Mapping) or (unknown := set(data) - _FIELDS):
        raise UserError(f"corpus {label}: no field {sorted(unknown)[0] if data else name!r}")
    if missing := {"says", "source"} - set(data):
        raise UserError(f"corpus {label}: {sorted(missing)[0]} is missing")
    truth, witness = data.get("truth", True), data.get("witness", {})
    if truth is bool(witness):
        raise UserError(f"corpus {label}: what is false has a witness, and what is true has none")
    return Entry(
        family,
        name,
        _written_out(data["says"], where),
        tuple(data.get("domain", ())),
        data.get("reals", ""),
        truth,
        data["source"],
        {name: Fraction(value) for name, value in witness.items()},
    )


def _written_out(text: str, where: Mapping[str, str]) -> str:
    """The text without abbreviations; one may use others that stand above it."""
    known: dict[str, str] = {}
    for name, meaning in where.items():
        known[name] = meaning.format_map(known)
    return text.format_map(known)


@cache
def families() -> Mapping[str, Mapping[str, Any]]:
    """The files, by name."""
    found = {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in DATA.glob("*.toml")}
    return dict(sorted(found.items()))


@cache
def corpus() -> tuple[Entry, ...]:
    """All entries, family by family."""
    return tuple(
        _entry(family, name, data, content.get("where", {}))
        for family, content in families().items()
        for name, data in content.items()
        if name not in _HEAD
    )


def chosen(family: str | None = None, label: str | None = None) -> list[Entry]:
    """The entries of a family, or those with ``label`` in their label; an error if there are none."""
    found = [e for e in corpus() if family in (None, e.family) and (label is None or label in e.label)]
    if not found:
        what = f"family {family!r}" if family not in (None, *families()) else f"label {label!r}"
        raise UserError(f"corpus: no entry for {what}; families are {', '.join(families())}")
    return found
