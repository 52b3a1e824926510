"""Reading tables of values: CSV with the header ``state,t,value`` (and ``action``), or JSON.

JSON is a list of objects with the same names.  Numbers are read from their characters
(``0.1`` is a tenth, ``1/3`` a third), and no double is formed.  Rows are counted from 1,
without the header.
"""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP, choices
from ctucbvi.modelfile.reader import one_line
from ctucbvi.numbers import exact

ValueRow = tuple[str, Fraction, Fraction, str | None]

_NEEDED = ("state", "t", "value")


def read_values(path: str | PathLike[str], model: CTMDP) -> list[ValueRow]:
    """The rows ``(state, t, value, action or None)`` in ``path``; every state must have one."""
    where = one_line(str(path))
    text = _text(path, where)
    if not text.strip():
        raise InputError(f"{where}: empty; write the header state,t,value and one row per value")
    documents = _from_json(text, where) if Path(path).suffix.lower() == ".json" else _from_csv(text, where)
    rows = [_row(fields, f"{where}: row {i}", model) for i, fields in enumerate(documents, 1)]
    if not rows:
        raise InputError(f"{where}: no rows; write one row per value")
    given = {state for state, *_ in rows}
    missing = [state for state in model.states if state not in given]
    if missing:
        names = ", ".join(missing[:8]) + (", ..." if len(missing) > 8 else "")
        raise InputError(f"{where}: no row for {names}; give every state of {model.name!r} a row at least")
    return rows


def _text(path: str | PathLike[str], where: str) -> str:
    if Path(path).suffix.lower() not in (".csv", ".json"):
        raise InputError(f"{where}: its name does not tell the format; end it in .csv or .json")
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{where}: not UTF-8 text; write CSV or JSON") from None
    except (OSError, ValueError) as error:
        reason = one_line(str(getattr(error, "strerror", None) or error))
        raise InputError(f"{where}: cannot be read ({reason}); name a readable file") from None


def _from_json(text: str, where: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{where}: line {error.lineno}: not JSON ({error.msg}); write a list of objects"
        ) from None
    except RecursionError:
        raise InputError(f"{where}: nested too deeply; write a list of objects") from None
    if not isinstance(found, list):
        raise InputError(f"{where}: not a list; write a list of objects with state, t and value")
    for i, fields in enumerate(found, 1):
        if not isinstance(fields, dict):
            raise InputError(f"{where}: row {i} is not an object; write state, t and value in each")
    return found


def _from_csv(text: str, where: str) -> list[dict[str, Any]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, skipinitialspace=True)
    try:
        head = [(name or "").strip() for name in reader.fieldnames or ()]
        reader.fieldnames = head
        rows = list(reader)
    except csv.Error as error:
        raise InputError(
            f"{where}: line {reader.reader.line_num}: not CSV ({one_line(str(error))}); write state,t,value"
        ) from None
    missing = [name for name in _NEEDED if name not in head]
    if missing:
        raise InputError(
            f"{where}: column {missing[0]!r} is missing; write the header state,t,value[,action]"
        )
    if len(set(head)) < len(head):
        raise InputError(f"{where}: a column is given twice; write each once")
    for i, fields in enumerate(rows, 1):
        if None in fields or None in fields.values():
            raise InputError(f"{where}: row {i} does not have {len(head)} columns as the header has")
    return rows


def _row(fields: dict[str, Any], where: str, model: CTMDP) -> ValueRow:
    for name in _NEEDED:
        if name not in fields:
            raise InputError(f"{where}: {name!r} is missing; write state, t and value")
    state, action = fields["state"], fields.get("action")
    state = state.strip() if isinstance(state, str) and state not in model.states else state
    if state not in model.states:
        raise InputError(
            f"{where}: state {_show(state)} is not in model {model.name!r}; {choices(model.states, state)}"
        )
    t, value = (exact(fields[name], f"{where}: {name}") for name in ("t", "value"))
    t = model.remaining(t, f"{where}: ")
    action = action.strip() if isinstance(action, str) and action not in model.actions else action
    if action in (None, ""):
        return state, t, value, None
    offered = model.actions_of(state)
    if action not in offered:
        raise InputError(f"{where}: state {state!r} does not offer {_show(action)}; {choices(offered)}")
    return state, t, value, action


def _show(name: object) -> str:
    text = one_line(repr(name))
    return text if len(text) <= 60 else text[:57] + "..."
