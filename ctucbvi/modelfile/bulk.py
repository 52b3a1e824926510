r"""Long files of the usual shape, read column by column.

In a *usual* file every transition has a state, an action, a rate, a reward and where it jumps to, and nothing
else; numbers are texts, probabilities above 0.  Such a file is read in bulk: a look-up for each name, each
different number once, and all that could be wrong with a model is looked for in arrays
(:mod:`ctucbvi.model.sparse`).  Transitions are formed when somebody asks for them.

A file that is not of this kind, right or wrong, is nobody's here: the answer is ``None``, and it is read with
care (:mod:`ctucbvi.modelfile.reader`), where alone there are messages.  So both have to agree only on the
files that are answered here.

**JSON.**  Objects forget that a key was given twice.  The text has a colon for each key, and perhaps more in
names: if it has no more than the objects have keys, none was.

**TOML.**  A regular expression knows a table as :mod:`ctucbvi.modelfile.writer` writes it.  Tables begin with
a line's end, and one must follow, so that what is found is all of the text if it has all of its lines.
The head before the first table is left to the parser; it is a document by itself, or there is no answer.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain, count, repeat
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from ctucbvi.errors import InputError
from ctucbvi.model import CTMDP
from ctucbvi.model.columns import Indices, whole
from ctucbvi.model.rationals import Reader
from ctucbvi.model.sparse import Sparse, SparseReader
from ctucbvi.modelfile.reader import Bare, Names, parse_toml, read_model, usual

_TEXT = r'[^"\\\x00-\x1f\x7f]*'  # between quotes, without escapes
_ENTRY = rf'(?:[A-Za-z0-9_-]+|"{_TEXT}") = "{_TEXT}"'
_TABLE = re.compile(
    rf'\n\[\[transition\]\]\nstate = "({_TEXT})"\naction = "({_TEXT})"\nrate = "({_TEXT})"\n'
    rf'reward = "({_TEXT})"\n(?:to = \{{ ({_ENTRY}(?:, {_ENTRY})*) \}}\n)?(?=\n|\Z)'
)
_BEGIN, _LINES = "\n[[transition]]\n", 6  # of a table, and one more with jumps
_JUMP = re.compile(rf'([A-Za-z0-9_-]+|"{_TEXT}") = "({_TEXT})"(?:, |\n)')
_NAMES = re.compile(rf'^states = (\["{_TEXT}"(?:, "{_TEXT}")*\])$', re.MULTILINE)
_EQUALS = ' = "'  # stands in every jump once, and may stand in names
_NUMBER = re.compile(r"^(-?[0-9]{1,18})(?:/([1-9][0-9]{0,17})|\.([0-9]{1,15}))?$", re.ASCII | re.MULTILINE)

flat = chain.from_iterable


class BulkRows(NamedTuple):
    """The transitions, column by column."""

    pairs: Sequence[Sequence[str]]  # state, action, rate, reward
    jumps: Sequence[int]  # how many
    target: Sequence[str]  # of all jumps
    probability: Sequence[str]

    def sparse(self, states: Names, actions: Names) -> Sparse:
        """The same as arrays; an error of any kind if there is something about them."""
        state, action, *numbers = self.pairs
        pairs = _places(state, states), _places(action, actions)
        start = np.repeat(np.arange(len(state)), np.array(self.jumps, np.int64))
        jumps = start, _places(self.target, states)
        rate, reward, chance = map(_numbers, (*numbers, self.probability))
        if not (chance[0] > 0).all():
            raise ValueError("a jump that does not happen")
        given = SparseReader(pairs, jumps, tuple(states), tuple(actions))
        return given.read((rate, reward, chance, None), (None, None), Reader())


def model_in_bulk(text: str, kind: str) -> CTMDP | None:
    """The model that a usual file says; None if it is to be read with care."""
    try:
        document = _PARSERS[kind](text)
        if document is None or not document.keys().isdisjoint(("goal", "avoid")):
            return None  # what a goal makes of transitions depends on their order
        rows: BulkRows = document["transition"]
        return read_model(document, "", lambda states, actions: rows.sparse(states, actions))
    except (InputError, AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return None


def _json(text: str) -> dict[str, Any] | None:
    """The document, with its transitions as columns."""
    bare = list[None]()  # one for each number without quotes

    def number(literal: str) -> Bare:
        bare.append(None)
        return Bare(literal)

    document: dict[str, Any] = json.loads(text, parse_float=number, parse_int=number, parse_constant=number)
    rows, none = document["transition"], dict[str, Any]()
    jumps = [row.get("to", none) for row in rows]
    pairs = list(zip(*map(itemgetter("state", "action", "rate", "reward"), rows), strict=True))
    target, probability = list(flat(jumps)), list(flat(map(dict.values, jumps)))
    keys, tables = sum(map(len, rows)), [document, *(v for v in document.values() if type(v) is dict)]
    if keys != 5 * len(rows) - jumps.count(none):
        return None
    if text.count(":") != keys + len(target) + sum(map(len, tables)):
        return None
    if bare and not set(map(type, flat(pairs[:2]))) <= {str}:
        return None
    return document | {"transition": BulkRows(pairs, list(map(len, jumps)), target, probability)}


def _toml(text: str) -> dict[str, Any] | None:
    """The document, with its transitions as columns."""
    text = text.replace("\r\n", "\n")
    end = text.index(_BEGIN)
    document = _head(text[:end])
    tables = _TABLE.findall(text, end)
    *pairs, inner = zip(*tables, strict=True)
    lines = _LINES * len(tables) + len(tables) - inner.count("")
    found = _JUMP.findall("\n".join([*filter(None, inner), ""]))
    target, probability = zip(*found, strict=True) if found else ((), ())
    jumps = list(map(str.count, inner, repeat(_EQUALS)))
    if "transition" in document or lines != text.count("\n", end) or sum(jumps) != len(found):
        return None
    rows = BulkRows(pairs, jumps, list(map(str.strip, target, repeat('"'))), probability)
    return document | {"transition": rows}


def _head(text: str) -> dict[str, Any]:
    """What stands before the transitions; a line of names says the same in JSON, which is read faster."""
    line = _NAMES.search(text)
    name = str(hash(text))
    document: dict[str, Any] = parse_toml(_NAMES.sub(f'states = ["{name}"]', text, count=1), "")
    if line is None:
        return document
    if name in text or document["states"] != [name]:
        raise ValueError("such a line is part of something else")
    return document | {"states": json.loads(line[1])}


_PARSERS: dict[str, Callable[[str], dict[str, Any] | None]] = {"json": _json, "toml": _toml}


def _places(names: Sequence[str], known: Names) -> Indices:
    """The place of each name."""
    place = dict(zip(known, count(), strict=False))
    return np.fromiter(map(place.__getitem__, names), np.int64, len(names))


def _numbers(texts: Sequence[str]) -> tuple[Any, Any]:
    """Numerators and denominators; each different text is read once."""
    place = defaultdict[str, int](count().__next__)
    which = np.fromiter(map(place.__getitem__, texts), np.int64, len(texts))
    lines = "\n".join(place)
    found = _NUMBER.findall(lines)
    if len(found) == len(place) == lines.count("\n") + 1:
        top = whole([int(a + decimals) for a, _, decimals in found])
        bottom = whole([int(b) if b else 10 ** len(decimals) for _, b, decimals in found])
    else:
        read = [usual(text) for text in place]
        top, bottom = (whole([getattr(n, part) for n in read]) for part in ("numerator", "denominator"))
    return top[which], bottom[which]
