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

Nothing in a file is unpickled, which would run what it says, nor unpacked, where a few bytes say gigabytes.
A part is looked at once its name, its kind and its size are right, so that the file's size bounds what it
costs to read; then all of it is checked as arrays are that somebody gives.
"""

from __future__ import annotations

import json
import math
import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy

from ctucbvi.errors import InputError, ModelError
from ctucbvi.model.columns import Column
from ctucbvi.model.rationals import Reader
from ctucbvi.model.sparse import SparseReader
from ctucbvi.modelfile.reader import Names, one_line, parse_json, read_model
from ctucbvi.modelfile.writer import head_of
from ctucbvi.numbers import shown

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP
    from ctucbvi.model.columns import Indices
    from ctucbvi.model.sparse import Sparse

_NEEDED = ("head", "pairs", "rate", "reward", "jumps", "probability")
_MORE = ("lump", "choice", "terminal")
_OF_JUMPS = ("probability", "lump")
_HEADS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}  # by version
_INSTEAD = "write one with save_model, or a .toml or .json file"


def binary_of(model: CTMDP) -> bytes:
    """The bytes of a file; reading them gives back an equal model."""
    found = model.sparse
    start = np.repeat(np.arange(len(found.state)), np.diff(found.row))
    parts: dict[str, Any] = {
        "pairs": np.stack([found.state, found.action]),
        "jumps": np.stack([start, found.target]),
    }
    for name in ("rate", "reward", "probability", *_MORE):
        if getattr(found, name) is not None:
            parts[name] = _rows(model, name, start)
    head = json.dumps(head_of(model), ensure_ascii=False).encode()
    file = BytesIO()
    np.savez(file, **parts, head=np.frombuffer(head, np.uint8))
    return file.getvalue()


def _rows(model: CTMDP, name: str, start: Indices) -> Any:
    """A column as one row or two; what has no room to be added up may have 64 bits all the same."""
    column: Column = getattr(model.sparse, name)
    rows = column.top if column.bottom is None else np.stack([column.top, column.bottom])
    if rows.dtype != object:
        return rows
    kind = np.int64 if rows.min(initial=0) < 0 else np.uint64
    low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    long = np.flatnonzero(((rows < low) | (rows > high)).any(axis=0))
    if not long.size:
        return rows.astype(kind)
    if (doubles := _as_doubles(column)) is not None:
        return doubles
    number, pair = column[long[:1]].fractions()[0], start[long[0]] if name in _OF_JUMPS else long[0]
    x, a = model.states[model.sparse.state[pair]], model.actions[model.sparse.action[pair]]
    what = f"{name} of state {x!r}, action {a!r}: {shown(number)} is neither a ratio of 64 bits nor a double"
    raise InputError(f"{what}; write a .toml or .json file")


def _as_doubles(column: Column) -> Any:
    """The doubles that mean these numbers; None if there are none."""
    try:
        doubles = Column(column.doubles, None)
    except OverflowError:
        return None
    return doubles.top if doubles.fractions() == column.fractions() else None


def model_of_binary(data: bytes, where: str) -> CTMDP:
    """The model that the bytes say."""
    parts = _arrays(data, where)

    def sparse(states: Names, actions: Names) -> Sparse:
        try:
            given = {name: _given(parts[name]) if name in parts else None for name in (*_NEEDED, *_MORE)}
            reader = SparseReader(given["pairs"], given["jumps"], tuple(states), tuple(actions))
            numbers = ("rate", "reward", "probability", "lump")
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
    """The arrays in the bytes: all that are needed, and none that are unknown."""
    try:
        with warnings.catch_warnings(), ZipFile(BytesIO(data)) as file:
            warnings.simplefilter("error")  # of NumPy's and Python's, about a head that is odd
            members = file.infolist()
            _check_members(members, len(data))
            parts = {member.filename.removesuffix(".npy"): file.read(member) for member in members}
            return {name: _array(name, part) for name, part in parts.items()}
    except Exception as error:  # whatever a broken file makes the libraries say, it is none of ours
        reason = one_line(str(error))[:100] or type(error).__name__
        raise InputError(f"{where}: not a model in NumPy's form ({reason}); {_INSTEAD}") from None


def _check_members(members: list[ZipInfo], size: int) -> None:
    """Refuse a file of so many bytes for what its directory says."""
    names = {member.filename for member in members}
    needed, known = ({f"{name}.npy" for name in some} for some in (_NEEDED, (*_NEEDED, *_MORE)))
    if names - known:
        raise ValueError(f"the part {one_line(min(names - known))[:40]!r} is unknown")
    if needed - names:
        raise ValueError(f"the part {min(needed - names)!r} is missing")
    if len(names) < len(members):
        raise ValueError("a part is there twice")
    if any(member.compress_type != ZIP_STORED for member in members):
        raise ValueError("a part is compressed")
    if sum(member.file_size for member in members) > size:
        raise ValueError("the parts are larger than the file")


def _array(name: str, part: bytes) -> Any:
    """The array that a part says, if it is of a kind that is wanted and as large as the part."""
    stream = BytesIO(part)
    shape, in_columns, kind = _HEADS[npy.read_magic(stream)](stream)
    begin = stream.tell()
    if kind != np.uint8 if name == "head" else kind.kind not in "iu" and kind.newbyteorder("=") != np.float64:
        wanted = "bytes" if name == "head" else "whole numbers or doubles"
        raise ValueError(f"the array {name!r} is of {kind}, not of {wanted}")
    if len(shape) != 1 and (len(shape) != 2 or shape[0] != 2 or name == "head"):
        raise ValueError(f"the array {name!r} has shape {shape}, not that of a row or two")
    if math.prod(shape) * kind.itemsize != len(part) - begin:
        raise ValueError(f"the array {name!r} is not as long as it says")
    return np.ndarray(shape, kind, part, begin, order="F" if in_columns else "C")
