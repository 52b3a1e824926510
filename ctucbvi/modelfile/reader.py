"""Reading: from the characters of a file to a document, and from the document to a model.

The document is what the parsers of the standard library make of the file, except that no
bare decimal becomes a double and no repeated key is lost.  Every function that reads a part
of it takes ``where``, the place of that part, and opens its message with it.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable
from difflib import get_close_matches
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

from ctucbvi.errors import InputError, ModelError
from ctucbvi.model import CTMDP, Initial, Numbers, Objective, Transition, by_target, choices, discounted
from ctucbvi.model.reaching import reaching_parts
from ctucbvi.model.rows import all_differ, total_of
from ctucbvi.modelfile.writer import LONGEST, is_short, is_unicode, literal
from ctucbvi.numbers import exact

if TYPE_CHECKING:
    from ctucbvi.model.sparse import Sparse

_REQUIRED = ("name", "horizon", "initial", "states", "actions", "transition")
_OPTIONAL = ("terminal", "source", "shows", "objective", "discount", "goal", "avoid")
_ROW_REQUIRED = ("state", "action", "rate", "reward")
_USUAL_KEYS = {*_ROW_REQUIRED, "to"}
_ROW_OPTIONAL = ("to", "lump", "choice", "terminal")
_AT_ONCE = (
    "what takes no time is part of a Markov automaton: write one (.drn, .prism, .jani), and let "
    "'ctucbvi models FILE' make such a file of it"
)
_MEANT = {  # what others have, and how it is written here
    "immediate": _AT_ONCE,
    "until": 'write goal = ["..."], the states to be reached, avoid = ["..."], those not to be met before',
    "property": 'write goal = ["..."], the states to be reached within the horizon',
    "labels": 'write goal = ["..."], the names of states',
}
_DEEP = "nested too deeply; a model file has three levels at most"
_NUMBER_HINT = 'write for example "17/20" or "0.85"'


Names = dict[str, None]  # in order, and quickly looked up
InBulk = Callable[[Names, Names], "Sparse"]  # of states and actions
_ZERO = Fraction(0)


class Bare(str):
    """The characters of a number that stands without quotes in the file."""

    __slots__ = ()


class _Object(dict[str, Any]):
    """A JSON object that remembers the first key given twice, to be reported with its place."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated: str | None = None
        if len(self) < len(pairs):
            left = Counter(key for key, _ in pairs)
            self.repeated = next(key for key in left if left[key] > 1)


def one_line(text: str) -> str:
    """Return ``text`` as it may stand in a one-line message."""
    return "".join(c if c.isprintable() else "?" for c in text)


# --- from characters to a document: dict, list, str, bool, int and Bare -------------------


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Parse TOML, keeping the characters of bare decimals."""
    try:
        return tomllib.loads(text, parse_float=lambda literal: Bare(literal.replace("_", "")))
    except tomllib.TOMLDecodeError as error:
        place, reason = _place_and_reason(error, text)
        raise InputError(
            f"{where}: {place}: not TOML ({one_line(reason)}); write lines of the form key = value"
        ) from None
    except RecursionError:
        raise InputError(f"{where}: {_DEEP}") from None
    except ValueError:  # the only other one: Python refuses to convert a very long integer
        line = _line_of_long_integer(text)
        raise InputError(
            f"{where}: {line}an integer is too long; write at most {LONGEST} characters"
        ) from None


def _place_and_reason(error: tomllib.TOMLDecodeError, text: str) -> tuple[str, str]:
    """Where the text is not TOML, and why; a text that has ended too early has no column."""
    if sys.version_info >= (3, 14):
        end = error.pos >= len(text)
        return f"line {error.lineno}" + ("" if end else f", column {error.colno}"), error.msg
    # Before Python 3.14 the position stands nowhere but in the message.
    reason = str(error)
    at = re.search(r" \(at line (\d+), column (\d+)\)$", reason)
    place = f"line {at[1]}, column {at[2]}" if at else f"line {text.count(chr(10)) + 1}"
    return place, re.sub(r" \(at [^()]*\)$", "", reason)


def _line_of_long_integer(text: str) -> str:
    at = re.search(rf"[0-9_]{{{LONGEST},}}", text)
    return f"line {text.count(chr(10), 0, at.start()) + 1}: " if at else ""


def parse_json(text: str, where: str) -> object:
    """Parse JSON, keeping the characters of bare numbers and the fact of a repeated key."""
    try:
        return json.loads(
            text, object_pairs_hook=_Object, parse_float=Bare, parse_int=Bare, parse_constant=Bare
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(
            f"{where}: {place}: not JSON ({one_line(error.msg)}); write one object with quoted keys"
        ) from None
    except RecursionError:
        raise InputError(f"{where}: {_DEEP}") from None


# --- from a document to a model ------------------------------------------------------------


def read_model(document: object, where: str, in_bulk: InBulk | None = None) -> CTMDP:
    """Build the model that a parsed document describes; transitions are read one by one, or in bulk."""
    table = _table(document, where, _REQUIRED, _OPTIONAL)
    states = dict.fromkeys(_names(table["states"], f"{where}: states"))
    actions = dict.fromkeys(_names(table["actions"], f"{where}: actions"))
    terminal = _numbers_by_state(table.get("terminal", {}), f"{where}: terminal", states)
    horizon = _number(table["horizon"], f"{where}: horizon")
    initial = _initial(table["initial"], f"{where}: initial", states)
    rows: tuple[Transition, ...] | Sparse
    if in_bulk is not None:
        rows = in_bulk(states, actions)
    else:
        rows = _read_transitions(table["transition"], where, states, actions)
    texts = {key: _text(table.get(key, ""), f"{where}: {key}") for key in ("name", "source", "shows")}
    objective = _text(table.get("objective", "max"), f"{where}: objective")
    discount = _number(table.get("discount", 0), f"{where}: discount")
    goal, avoid = (_some_states(table.get(key, []), f"{where}: {key}") for key in ("goal", "avoid"))
    told: dict[str, Any] = {**texts, "states": tuple(states), "actions": tuple(actions)}
    told |= {"horizon": horizon, "initial": initial}
    try:
        if isinstance(rows, tuple) and ("goal" in table or avoid):
            named = tuple(states), tuple(actions)
            rows, terminal = reaching_parts(*named, rows, terminal, goal, avoid, discount)
        told |= {"objective": Objective(objective), "terminal": tuple(terminal.get(x, _ZERO) for x in states)}
        model = CTMDP(transitions=rows, **told) if isinstance(rows, tuple) else CTMDP.lazily(rows, **told)
        return discounted(model, discount)
    except ModelError as error:  # what is left to the model names the place, but not the file
        raise ModelError(f"{where}: {error}") from None


def _read_transitions(value: object, where: str, states: Names, actions: Names) -> tuple[Transition, ...]:
    if not isinstance(value, list):
        _fail(f"{where}: transition", f"a list is needed, not {_kind(value)}; write a list of tables")
    rows: list[Transition] = []
    numbers: dict[tuple[str, str], int] = {}
    for number, item in enumerate(value, start=1):
        row = _usual_transition(item, states, actions)
        row = row or _read_transition(item, f"{where}: transition {number}", states, actions)
        first = numbers.setdefault((row.state, row.action), number)
        if first != number:
            place = f"{where}: transition {number} (state {row.state!r}, action {row.action!r})"
            _fail(place, f"given already as transition {first}; keep one of them")
        rows.append(row)
    return tuple(rows)


def _usual_transition(item: object, states: Names, actions: Names) -> Transition | None:
    """A transition in which nothing can be wrong; None where it is to be read with more care.

    Most are of this kind, and messages that nobody sees take most of the time.
    """
    if not isinstance(item, dict) or item.keys() != _USUAL_KEYS or getattr(item, "repeated", None):
        return None
    state, action, to = item["state"], item["action"], item["to"]
    rate, reward = usual(item["rate"]), usual(item["reward"])
    if not (type(state) is type(action) is str and state in states and action in actions):
        return None
    if rate is None or reward is None or rate.numerator <= 0 or not isinstance(to, dict):
        return None
    if getattr(to, "repeated", None) or not all(y in states for y in to):
        return None
    texts = tuple(to.values())
    law = _law_before(texts) if all(isinstance(p, str) and len(p) < 40 for p in texts) else None
    return None if law is None else Transition(state, action, rate, reward, tuple(zip(to, law, strict=True)))


@lru_cache(maxsize=1 << 14)
def _law_before(texts: tuple[str, ...]) -> tuple[Fraction, ...] | None:
    """The probabilities that these texts say, if they are positive and sum to 1."""
    found = [p for p in map(_read_before, texts) if p is not None and p.numerator > 0]
    return tuple(found) if len(found) == len(texts) and total_of(found) == 1 else None


def _read_transition(item: object, where: str, states: Names, actions: Names) -> Transition:
    table = _table(item, where, _ROW_REQUIRED, _ROW_OPTIONAL)
    state = _one_of(_text(table["state"], f"{where}: state"), "state", states, where)
    action = _one_of(_text(table["action"], f"{where}: action"), "action", actions, where)
    where = f"{where} (state {state!r}, action {action!r})"
    rate = usual(table["rate"]) or _rate(table["rate"], f"{where}: rate")
    reward = usual(table["reward"]) or _number(table["reward"], f"{where}: reward")
    if rate.numerator < 0:
        _fail(where, f"rate {_shown(rate)} is negative; write 0 or more")
    row = _numbers_by_state(table.get("to", {}), f"{where}: to", states)
    for target, probability in row.items():
        if probability.numerator < 0:
            shown = _shown(probability)
            _fail(where, f"probability of {target!r} is {shown}, negative; write a number from 0 to 1")
    total = total_of(list(row.values()))
    if total != 1 and (rate.numerator or row):
        hint = 'write fractions, "1/3" for a third' if row else 'add them under "to"'
        _fail(where, f"probabilities sum to {_shown_sum(total)}, not exactly 1; {hint}")
    to = tuple([(y, p) for y, p in row.items() if p.numerator])
    paid = _lumps(table.get("lump", "0"), to, where, states)
    if "choice" not in table and "terminal" not in table:
        return Transition(state, action, rate, reward, to, paid)
    choice = _number(table.get("choice", 0), f"{where}: choice")
    ends = _number(table["terminal"], f"{where}: terminal") if "terminal" in table else None
    return Transition(state, action, rate, reward, to, paid, choice, ends)


def _initial(value: object, where: str, states: Names) -> Initial:
    """The state in which an episode begins, or the probabilities of several."""
    if isinstance(value, dict):
        return tuple(_numbers_by_state(value, where, states).items())
    return _one_of(_text(value, where), "state", states, where)


def _some_states(value: object, where: str) -> list[str]:
    """One state, or a list of them; whether they are states is seen later."""
    listed = value if isinstance(value, list) else [value]
    return [_text(entry, where) for entry in listed]


def _lumps(value: object, to: Numbers, where: str, states: Names) -> Numbers:
    """What is earned at the jump: one number, or one for each target."""
    if value == "0":
        return ()
    place = f"{where}: lump"
    if isinstance(value, dict):
        return by_target(_numbers_by_state(value, place, states), to, where)
    return by_target(_number(value, place), to, where)


def _table(value: object, where: str, required: tuple[str, ...], optional: tuple[str, ...]) -> dict[str, Any]:
    """Return ``value`` as a table that has the ``required`` keys and no others than the ``optional`` ones."""
    table = _object(value, where)
    known = required + optional
    for key in table:
        if key not in known:
            hint = f"the known keys are {', '.join(known)}"
            if key in _MEANT:
                hint = _MEANT[key]
            elif near := get_close_matches(key, known, n=1):
                hint = f"did you mean {near[0]!r}?"
            elif key in _REQUIRED + _OPTIONAL:
                hint = "move it out of the transition, to the top of the file"
            _fail(where, f"unknown key {_quoted(key)}; {hint}")
    for key in required:
        if key not in table:
            _fail(where, f"the key {key!r} is missing; add it")
    return table


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        _fail(
            where,
            f"a table of keys and values is needed, not {_kind(value)}; write keys and values in braces",
        )
    if isinstance(value, _Object) and value.repeated is not None:
        _fail(where, f"the key {_quoted(value.repeated)} is given twice; keep one of them")
    return value


def _numbers_by_state(value: object, where: str, states: Names) -> dict[str, Fraction]:
    table = _object(value, where)
    return {
        x if x in states else _one_of(x, "state", states, where): (
            usual(number) or _number(number, f"{where}: number of {x!r}")
        )
        for x, number in table.items()
    }


def _names(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        _fail(where, f'a list of names is needed, not {_kind(value)}; write for example ["one", "two"]')
    if not value:
        _fail(where, "the list is empty; write at least one name")
    if all_differ(value):
        return tuple(value)
    seen: set[str] = set()
    for i, entry in enumerate(value, start=1):
        name = _text(entry, f"{where}: entry {i}")
        if not name.strip() or not name.isprintable():
            _fail(where, f"entry {i} is {_quoted(name)}; write a non-empty printable name")
        if name in seen:
            _fail(where, f"{_quoted(name)} is listed twice; names must differ")
        seen.add(name)
    return tuple(value)


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or isinstance(value, Bare):
        _fail(where, f'a text is needed, not {_kind(value)}; write it in quotes, "like this"')
    if not is_unicode(value):
        _fail(where, "half of a surrogate pair is not a character; write the character itself")
    return value


def _one_of(name: str, kind: str, names: Names, where: str) -> str:
    if name not in names:
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else choices(names)
        _fail(where, f"{_quoted(name)} is not one of the {kind}s; {hint}")
    return name


def usual(value: object) -> Fraction | None:
    """What a text says that has been read before, or may be; None where there may be something to be said."""
    return _read_before(value) if isinstance(value, str) and len(value) < 40 else None


@lru_cache(maxsize=1 << 14)
def _read_before(text: str) -> Fraction | None:
    try:
        return exact(text, "")
    except ModelError:
        return None


def _number(value: object, where: str) -> Fraction:
    """Read ``value`` exactly."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        _fail(where, f"a number is needed, not {_kind(value)}; {_NUMBER_HINT}")
    number = exact(value, where)
    if not is_short(number):
        _fail(where, f"as a fraction the number is longer than {LONGEST} characters; write fewer digits")
    return number


def _rate(value: object, where: str) -> Fraction:
    """A number; what takes no time is not written as a rate."""
    if isinstance(value, str) and value.strip().lower() in ("inf", "+inf", "infinity", "+infinity"):
        _fail(where, f"{value} is not finite; write a finite number ({_AT_ONCE})")
    return _number(value, where)


def _fail(where: str, what: str) -> NoReturn:
    raise ModelError(f"{where}: {what}")


def _kind(value: object) -> str:
    """Say what ``value`` is in the words of the file's author."""
    if isinstance(value, Bare):
        return f"the number {value if len(value) <= 40 else value[:37] + '...'}"
    names = {bool: "true or false", int: "a number", str: "a text", list: "a list", type(None): "null"}
    return names.get(type(value), "a table" if isinstance(value, dict) else f"a {type(value).__name__}")


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _shown(number: Fraction) -> str:
    text = str(number)
    return text if len(text) <= 60 else f"{text[:28]}...{text[-28:]}"


def _shown_sum(total: Fraction) -> str:
    """Print a sum that should be 1; where it has too many digits, how far off it is."""
    text = literal(total)
    if text is not None and len(text) <= 60:
        return text
    excess = abs(total - 1)
    exponent = round((excess.numerator.bit_length() - excess.denominator.bit_length()) * 0.30103)
    return f"1 {'+' if total > 1 else '-'} about 1e{exponent}"
