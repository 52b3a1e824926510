"""Writing: from a model to the document of a file, and from the document to TOML.

The names of a model are printable and its numbers are rational, so that strings are the
only scalars of the document.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ctucbvi.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from ctucbvi.model import CTMDP, Transition

LONGEST = 2000  # characters of a number written as a reduced fraction
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def literal(number: Fraction) -> str | None:
    """Write ``number`` as a reduced fraction; ``None`` where that takes too many characters."""
    # A digit is more than three bits.  Checked first, as Python refuses to print very long integers.
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > 4 * LONGEST:
        return None
    text = str(number)
    return text if len(text) <= LONGEST else None


def is_short(number: Fraction) -> bool:
    """Whether ``number`` can be written; mostly seen without writing it, as a digit has three bits."""
    bits = number.numerator.bit_length() + number.denominator.bit_length()
    return bits < 3 * (LONGEST - 4) or literal(number) is not None


def _written(number: Fraction, where: str) -> str:
    text = literal(number)
    if text is None:
        raise InputError(f"{where}: too long to be written in {LONGEST} characters; round it first")
    return text


def is_unicode(text: str) -> bool:
    """Whether ``text`` can be encoded, which half of a surrogate pair cannot."""
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


def document_of(model: CTMDP) -> dict[str, Any]:
    """Return the keys and values of the file in the order of writing, numbers as text."""
    return head_of(model) | {"transition": [_row_document(row) for row in model.transitions]}


def head_of(model: CTMDP) -> dict[str, Any]:
    """The same without the transitions."""
    texts = {"name": model.name, "source": model.source, "shows": model.shows}
    for key, text in texts.items():
        if not is_unicode(text):
            raise InputError(f"{key}: half of a surrogate pair cannot be written; use the character itself")
    document: dict[str, Any] = {key: text for key, text in texts.items() if text or key == "name"}
    document |= {
        "horizon": _written(model.horizon, "horizon"),
        "initial": model.initial
        if isinstance(model.initial, str)
        else {x: _written(p, f"initial probability of {x!r}") for x, p in model.initial},
        "states": list(model.states),
        "actions": list(model.actions),
    }
    if model.objective != "max":
        document["objective"] = str(model.objective)
    pairs = zip(model.states, model.terminal, strict=True)
    terminal = {x: _written(g, f"terminal reward of {x!r}") for x, g in pairs if g}
    if terminal:
        document["terminal"] = terminal
    return document


def _row_document(row: Transition) -> dict[str, Any]:
    where = f"transition of state {row.state!r}, action {row.action!r}"
    document: dict[str, Any] = {
        "state": row.state,
        "action": row.action,
        "rate": _written(row.rate, f"{where}: rate"),
        "reward": _written(row.reward, f"{where}: reward"),
    }
    if row.to:
        document["to"] = {y: _written(p, f"{where}: probability of {y!r}") for y, p in row.to}
    if row.lump:
        paid = {y: _written(c, f"{where}: lump of {y!r}") for y, c in row.lump}
        alike = len(paid) == len(row.to) and len(set(paid.values())) == 1
        document["lump"] = next(iter(paid.values())) if alike else paid
    if row.choice:
        document["choice"] = _written(row.choice, f"{where}: choice")
    if row.terminal is not None:
        document["terminal"] = _written(row.terminal, f"{where}: terminal")
    return document


def toml_text(document: dict[str, Any]) -> str:
    """Write a document as TOML."""
    return "".join(_toml_lines(document))


def _toml_lines(table: dict[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if key != "transition":
            yield f"{key} = {_toml_value(value)}\n"
    for row in table.get("transition", ()):
        yield "\n[[transition]]\n"
        yield from _toml_lines(row)


def _toml_value(value: object) -> str:
    if isinstance(value, dict):
        keys = {key: key if _BARE_KEY.fullmatch(key) else _toml_value(key) for key in value}
        return "{ " + ", ".join(f"{keys[key]} = {_toml_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    # JSON and TOML escape alike, but for one control character that TOML does not allow bare.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
