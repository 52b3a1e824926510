"""Models as arrays in a file at random: right ones in many shapes, wrong ones, and what each of them says."""

from __future__ import annotations

import json
import struct
from fractions import Fraction
from io import BytesIO
from random import Random
from typing import Any
from zipfile import ZipFile

import numpy as np

from ctucbvi import CTMDP, InputError, Transition
from ctucbvi.numbers import exact

HEAD = {"name": "m", "horizon": "1", "initial": "x", "states": ["x", "y"], "actions": ["a"]}
PARTS = {
    "pairs": np.array([[0, 1], [0, 0]]),
    "rate": np.array([[3, 1], [2, 1]]),
    "reward": np.array([0.1, 2.0]),
    "jumps": np.array([[0, 0, 1], [0, 1, 0]]),
    "probability": np.array([[1, 2, 1], [3, 3, 1]]),
}
Parts = dict[str, Any]


# --- bytes -------------------------------------------------------------------------------------


def array(cells: Any) -> bytes:
    """The bytes of an array."""
    file = BytesIO()
    np.lib.format.write_array(file, np.asanyarray(cells), allow_pickle=True)
    return file.getvalue()


def claimed(kind: str, shape: str, data: bytes = b"") -> bytes:
    """The bytes of an array that says so of itself."""
    head = f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}\n".encode("latin1")
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + data


def members(*parts: tuple[str, bytes]) -> bytes:
    """A file of these parts."""
    file = BytesIO()
    with ZipFile(file, "w") as zipped:
        for name, data in parts:
            zipped.writestr(name, data)
    return file.getvalue()


def parts_of(head: object = HEAD, **changes: Any) -> list[tuple[str, bytes]]:
    """The parts of a file, right unless something is changed; None leaves one out."""
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    parts = {"head": np.frombuffer(text, np.uint8), **PARTS, **changes}
    return [
        (f"{name}.npy", part if isinstance(part, bytes) else array(part))
        for name, part in parts.items()
        if part is not None
    ]


def packed(head: object = HEAD, **changes: Any) -> bytes:
    """A file of these arrays, or bytes of arrays."""
    return members(*parts_of(head, **changes))


# --- models ------------------------------------------------------------------------------------


def _numbers(random: Random, size: int) -> Any:
    """A column of numbers, near the limits of 64 bits, too."""
    few = [random.choice([0, 1, 2, 3, 5, 10]) for _ in range(size)]
    match random.randrange(7):
        case 0:
            return np.array(few)
        case 1:
            return np.array(few, float) * random.choice([1, 0.1, 1e-5, 1e300, 5e-324])
        case 2:
            below = [random.choice([1, 2, 3, 7, 10**15, 2**62, 2**63 - 1]) for _ in few]
            return np.array([few, below], np.int64)
        case 3:
            large = [0, -1, 2**63 - 1, -(2**63), 1 - 2**63, 2**53 + 1, 2**62]
            tops, bottoms = ([random.choice(cells) for _ in few] for cells in (large, [1, 2, 3, 2**62]))
            return np.array([tops, bottoms], np.int64)
        case 4:
            return np.array([random.choice([0, 1, 2**64 - 1, 2**63]) for _ in few], np.uint64)
        case 5:
            return np.array(few, random.choice(["i1", "u1", "f4", ">i4", ">f8", "f2", "g", "?"]))
        case _:
            below = [random.choice([0, -1, 1, 2]) if random.random() < 0.2 else 1 for _ in few]
            return np.array([few, below], np.int64)


def _chances(random: Random, pairs: int, states: int) -> tuple[Any, Any]:
    """Jumps, and whole numbers that say their probabilities."""
    jumps, cells = [], []
    for i in range(pairs):
        targets = random.sample(range(states), random.randint(0 if random.random() < 0.2 else 1, states))
        weights = [random.randint(0, 4) for _ in targets]
        if weights and not any(weights):
            weights[0] = 1
        for y, weight in zip(targets, weights, strict=True):
            times = random.choice([1, 1, 2, 10**14])
            jumps.append((i, y))
            cells.append((weight * times, sum(weights) * times))
    order = random.sample(range(len(jumps)), len(jumps)) if random.random() < 0.5 else range(len(jumps))
    ends, chances = ([cells[k] for k in order] for cells in (jumps, cells))
    return np.array(ends, np.int64).reshape(-1, 2).T, np.array(chances, np.int64).reshape(-1, 2).T


def drawn(random: Random) -> tuple[dict[str, Any], Parts]:
    """A head and arrays; mostly right."""
    states, actions = (
        [f"{x}{i}" for i in range(random.randint(1, most))] for x, most in (("s", 4), ("a", 3))
    )
    offered = [
        (x, a) for x in range(len(states)) for a in range(len(actions)) if not a or random.random() < 0.5
    ]
    random.shuffle(offered)
    jumps, chance = _chances(random, len(offered), len(states))
    if random.random() < 0.2:
        chance = _numbers(random, jumps.shape[1])
    elif random.random() < 0.2:
        chance = np.array([round(a / b, 15) for a, b in chance.T.tolist()])
    parts = {"pairs": np.array(offered).T, "jumps": jumps, "probability": chance}
    optional = [name for name in ("lump", "choice", "terminal") if random.random() < 0.3]
    for name in ("rate", "reward", *optional):
        parts[name] = _numbers(random, jumps.shape[1] if name == "lump" else len(offered))
    if random.random() < 0.7 and parts["rate"].dtype != bool:
        parts["rate"] = abs(parts["rate"])
    alike = {x: f"1/{len(states)}" for x in states}
    head = {"name": "m", "horizon": random.choice(["1", "3/2", 2]), "states": states, "actions": actions}
    head["initial"] = random.choice([states[0], alike])
    for key, value in {"objective": "min", "discount": "1/10", "terminal": {states[0]: "1/3"}}.items():
        if random.random() < 0.25:
            head[key] = value
    if random.random() < 0.3:
        _damaged(random, parts)
    return head, parts


def _damaged(random: Random, parts: Parts) -> None:
    """One thing about the arrays is another."""
    name = random.choice(list(parts))
    cells = parts[name].copy()
    low, high = (
        (-1, 4) if cells.dtype.kind in "fb" else (np.iinfo(cells.dtype).min, np.iinfo(cells.dtype).max)
    )
    if cells.size:
        wrong = [n for n in (-1, 0, 1, 2, 3, 4, -(2**31), 2**62) if low <= n <= high]
        cells.flat[random.randrange(cells.size)] = random.choice(wrong)
    if random.random() < 0.4:
        cells = random.choice([cells[..., :-1], cells[:1], cells.T])
    parts[name] = cells


def meant(head: dict[str, Any], parts: Parts) -> CTMDP | None:
    """The model that is said, number by number; None if something is wrong."""
    try:
        return _model(head, parts)
    except (InputError, IndexError, TypeError, ValueError, ZeroDivisionError):
        return None


def _model(head: dict[str, Any], parts: Parts) -> CTMDP | None:
    (state, action), (start, target) = (parts[name].tolist() for name in ("pairs", "jumps"))
    sizes = dict.fromkeys(("probability", "lump"), len(start))
    columns = {
        name: _fractions(cells, sizes.get(name, len(state)))
        for name, cells in parts.items()
        if name not in ("pairs", "jumps")
    }
    jumps: list[dict[str, tuple[Fraction, Fraction]]] = [{} for _ in state]
    lumps = columns.get("lump", [Fraction(0)] * len(start))
    for i, y, p, c in zip(start, target, columns["probability"], lumps, strict=True):
        name, row = head["states"][y], jumps[i]  # which have to be there even if there is no such jump
        if min(i, y, p) < 0 or (p and name in row):
            return None
        if p:
            row[name] = p, c
    rows = [
        Transition(
            head["states"][x], head["actions"][a], columns["rate"][i], columns["reward"][i],
            tuple((y, p) for y, (p, _) in jumps[i].items()),
            tuple((y, c) for y, (_, c) in jumps[i].items() if c),
            columns["choice"][i] if "choice" in columns else Fraction(0),
            columns["terminal"][i] if "terminal" in columns else None,
        )
        for i, (x, a) in enumerate(zip(state, action, strict=True))
    ]  # fmt: skip
    if min(*state, *action) < 0:
        return None
    told = {key: head[key] for key in ("objective", "discount", "initial", "terminal") if key in head}
    named = {"states": head["states"], "actions": head["actions"]}
    return CTMDP.of("m", horizon=Fraction(head["horizon"]), transitions=rows, **named, **told)


def _fractions(cells: Any, size: int) -> list[Fraction]:
    if cells.shape[-1] != size or cells.dtype.kind not in "iuf" or cells.dtype in ("f2", "f4", "g"):
        raise ValueError
    if cells.ndim == 1:
        return [exact(n, "") for n in cells.tolist()]
    tops, bottoms = cells.tolist()
    if cells.dtype.kind == "f" or min(bottoms, default=1) <= 0:
        raise ValueError
    return [Fraction(a, b) for a, b in zip(tops, bottoms, strict=True)]


def scratched(random: Random, head: dict[str, Any], parts: Parts) -> bytes:
    """A file some bytes of which are others: anywhere, or in a part before its checksum is made."""
    if random.random() < 0.5:
        name = random.choice(list(parts))
        data = bytearray(array(parts[name]))
        for _ in range(random.choice([1, 1, 2])):
            at = (
                random.randrange(len(data))
                if random.random() < 0.3
                else random.randrange(8, min(128, len(data)))
            )
            case = random.randrange(3)
            if case == 0:
                data[at] = random.choice(b"0123456789<>|=fiucbSUVOmM()[]{},'LTrue \n\\")
            elif case == 1:
                del data[at]
            else:
                data[at:at] = bytes([random.choice(b"0123456789,()L'-")])
        return packed(head, **{**parts, name: bytes(data)})
    data = bytearray(packed(head, **parts))
    for _ in range(random.choice([1, 1, 2, 5])):
        at = random.randrange(len(data))
        match random.randrange(4):
            case 0:
                data[at] = random.randrange(256)
            case 1:
                data[at] ^= 1 << random.randrange(8)
            case 2:
                del data[at : at + random.choice([1, 2, 64])]
            case _:
                data[at:at] = random.randbytes(random.choice([1, 8]))
    return bytes(data)
