r"""Models of very many states as arrays in a file: NumPy's ``.npz``.

A text takes a good part of the time to read that the model takes to solve.  Here the numbers are those of
:mod:`ctucbvi.model.sparse`: whole numerators and denominators of 64 bits (two rows), or doubles that mean
their shortest decimals (one row).  The head is that of a model file, as JSON.

======================================= ================================================
``head``                                the bytes of the JSON, all but the transitions
``pairs``                               states and actions, by index: two rows
``rate``, ``reward``                    of each pair
``choice``, ``terminal``                of each pair, if there are such
``jumps``                               pairs and targets, by index: two rows
``probability``, and perhaps ``lump``   of each jump
======================================= ================================================

Nothing in a file is unpickled, which would run what it says, nor unpacked, where a few bytes say gigabytes;
all of it is checked as arrays are that somebody gives.
"""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np

from ctucbvi.errors import InputError, ModelError
from ctucbvi.model.rationals import Reader
from ctucbvi.model.sparse import SparseReader
from ctucbvi.modelfile.reader import Names, one_line, parse_json, read_model
from ctucbvi.modelfile.writer import head_of

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP
    from ctucbvi.model.columns import Column
    from ctucbvi.model.sparse import Sparse

_NEEDED = ("head", "pairs", "rate", "reward", "jumps", "probability")
_MORE = ("lump", "choice", "terminal")
_INSTEAD = "write one with save_model, or a .toml or .json file"


def binary_of(model: CTMDP) -> bytes:
    """The bytes of a file; reading them gives back an equal model."""
    found = model.sparse
    start = np.repeat(np.arange(len(found.state)), np.diff(found.row))
    parts: dict[str, Any] = {
        "pairs": np.stack([found.state, found.action]),
        "jumps": np.stack([start, found.target]),
    }
    columns = {name: getattr(found, name) for name in ("rate", "reward", "probability", *_MORE)}
    parts |= {name: _rows(column, name) for name, column in columns.items() if column is not None}
    head = json.dumps(head_of(model), ensure_ascii=False).encode()
    file = BytesIO()
    np.savez(file, **parts, head=np.frombuffer(head, np.uint8))
    return file.getvalue()


def _rows(column: Column, name: str) -> Any:
    rows = column.top if column.bottom is None else np.stack([column.top, column.bottom])
    if rows.dtype == object:
        raise InputError(f"{name}: a number of more than 64 bits; write a .toml or .json file")
    return rows


def model_of_binary(data: bytes, where: str) -> CTMDP:
    """The model that the bytes say."""
    parts = _arrays(data, where)

    def sparse(states: Names, actions: Names) -> Sparse:
        try:
            reader = SparseReader(tuple(parts["pairs"]), tuple(parts["jumps"]), tuple(states), tuple(actions))
            numbers, ends = ("rate", "reward", "probability", "lump"), ("choice", "terminal")
            given = {name: _given(parts[name]) if name in parts else None for name in (*numbers, *ends)}
            rate, reward, chance, lump = (given[name] for name in numbers)
            return reader.read((rate, reward, chance, lump), (given["choice"], given["terminal"]), Reader())
        except ModelError as error:
            raise ModelError(f"{where}: {error}") from None

    try:
        head = bytes(parts["head"]).decode()
    except UnicodeDecodeError:
        raise InputError(f"{where}: the head is not UTF-8 text; {_INSTEAD}") from None
    document = parse_json(head, f"{where}: head")
    if not isinstance(document, dict) or document.keys() & {"transition", "goal", "avoid"}:
        raise InputError(f"{where}: the head has transitions or a goal, or is no object; {_INSTEAD}")
    document["transition"] = []
    return read_model(document, where, sparse)


def _given(cells: Any) -> Any:
    return tuple(cells) if cells.ndim == 2 else cells


def _arrays(data: bytes, where: str) -> dict[str, Any]:
    """The arrays in the bytes, all that are known and no others."""
    try:
        with ZipFile(BytesIO(data)) as file:
            if any(member.compress_type != ZIP_STORED for member in file.infolist()):
                raise ValueError("a part is compressed")
        with np.load(BytesIO(data), allow_pickle=False) as loaded:
            found = {name: loaded[name] for name in loaded.files}
    except Exception as error:  # whatever a broken file makes NumPy say, it is none of ours
        reason = one_line(str(error))[:100] or type(error).__name__
        raise InputError(f"{where}: not a model in NumPy's form ({reason}); {_INSTEAD}") from None
    missing, odd = set(_NEEDED) - found.keys(), found.keys() - {*_NEEDED, *_MORE}
    if missing or odd:
        what = f"{min(missing)!r} is missing" if missing else f"{one_line(min(odd))[:40]!r} is unknown"
        raise InputError(f"{where}: the array {what}; {_INSTEAD}")
    if found["head"].dtype != np.uint8 or found["head"].ndim != 1:
        raise InputError(f"{where}: the head is not a row of bytes; {_INSTEAD}")
    for name, cells in found.items():
        if cells.ndim not in (1, 2):
            raise InputError(f"{where}: the array {name!r} has {cells.ndim} dimensions; {_INSTEAD}")
    return found
