"""Models as arrays in a file: lossless, exact, and safe to read whatever the file says."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given

from ctucbvi.errors import InputError
from ctucbvi.library import bundled_models, find_model, machine_repair
from ctucbvi.model import CTMDP, Transition
from ctucbvi.modelfile import load_model, save_model
from ctucbvi.modelfile.binary import binary_of, model_of_binary
from ctucbvi.strategies import corner_models, models

HEAD = {"name": "m", "horizon": "1", "initial": "x", "states": ["x", "y"], "actions": ["a"]}
PARTS = {
    "pairs": np.array([[0, 1], [0, 0]]),
    "rate": np.array([[3, 1], [2, 1]]),
    "reward": np.array([0.1, 2.0]),
    "jumps": np.array([[0, 0, 1], [0, 1, 0]]),
    "probability": np.array([[1, 2, 1], [3, 3, 1]]),
}


def packed(save=np.savez, head: object = HEAD, **changes: object) -> bytes:
    """A file of these arrays, right unless something is changed; None leaves one out."""
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    parts = {"head": np.frombuffer(text, np.uint8), **PARTS, **changes}
    file = BytesIO()
    save(file, **{name: part for name, part in parts.items() if part is not None})
    return file.getvalue()


def test_the_arrays_are_the_model() -> None:
    rows = [
        Transition.of("x", "a", rate="3/2", reward="0.1", to={"x": "1/3", "y": "2/3"}),
        Transition.of("y", "a", rate=1, reward=2, to={"x": 1}),
    ]
    assert model_of_binary(packed(), "m.npz") == CTMDP.of("m", horizon=1, transitions=rows)


@given(model=models())
def test_round_trip_of_drawn_models(model: CTMDP) -> None:
    read = model_of_binary(binary_of(model), "m.npz")
    assert (read, read.digest, read.source) == (model, model.digest, model.source)


def in_doubles(model: CTMDP) -> CTMDP:
    """The mutant: rates are written as doubles."""
    with np.load(BytesIO(binary_of(model))) as found:
        parts = dict(found)
    file = BytesIO()
    np.savez(file, **{**parts, "rate": model.sparse.rate.doubles})
    return model_of_binary(file.getvalue(), "m.npz")


def test_round_trip_of_bundled_models_and_files(tmp_path: Path) -> None:
    for model in [*bundled_models().values(), *corner_models().values()]:
        if is_long(model):
            continue
        save_model(model, tmp_path / "m.npz")
        assert load_model(tmp_path / "m.npz") == find_model(str(tmp_path / "m.npz")) == model
    third = CTMDP.of("t", horizon=1, transitions=[Transition.of("x", "a", rate="1/3", reward=1, to={"x": 1})])
    assert in_doubles(machine_repair()) == machine_repair()  # whose rates are doubles
    assert in_doubles(third) != third


def is_long(model: CTMDP) -> bool:
    found = model.sparse
    columns = (found.rate, found.reward, found.probability)
    return object in [part.dtype for column in columns for part in (column.top, column.bottom)]


def test_numbers_that_do_not_fit_are_refused() -> None:
    row = Transition.of("x", "a", rate=Fraction(1, 10**30), reward=1, to={"x": 1})
    with pytest.raises(InputError, match="rate: a number of more than 64 bits; write a"):
        binary_of(CTMDP.of("long", horizon=1, transitions=[row]))


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"", "not a model in NumPy's form"),
        (packed()[:-30], "not a model in NumPy's form"),
        (packed(np.savez_compressed), "a part is compressed"),
        (packed(rate=np.array([3, None], object)), "Object arrays cannot be loaded"),
        (packed(rate=None), "the array 'rate' is missing"),
        (packed(odd=np.zeros(1)), "the array 'odd' is unknown"),
        (packed(rate=np.zeros((1, 1, 1))), "the array 'rate' has 3 dimensions"),
        (packed(rate=np.float64(1)), "the array 'rate' has 0 dimensions"),
        (packed(head=b"\xff"), "the head is not UTF-8 text"),
        (packed(head=b"{"), "head: line 1, column 2: not JSON"),
        (packed(head=[]), "is no object"),
        (packed(head=HEAD | {"goal": ["x"]}), "the head has transitions or a goal"),
        (packed(head=HEAD | {"initial": "z"}), "initial: 'z' is not one of the states"),
        (packed(pairs=np.array([[0, 2], [0, 0]])), "pairs: 2 is not the index of a state"),
        (packed(pairs=np.array([[0, 2**64 - 1], [0, 0]], np.uint64)), "pairs: -1 is not the index"),
        (packed(pairs=np.array([0, 1])), "pairs: the states are int64 of shape"),
        (packed(pairs=np.array([[0, 0], [0, 0]])), "given twice"),
        (packed(jumps=np.array([[0, 0, 1], [0, 0, 0]])), "jumps to 'x' twice"),
        (packed(rate=np.array([3.0, np.nan])), "is not finite"),
        (packed(rate=np.array([[3, 1], [2, 0]])), "denominator 0"),
        (packed(rate=np.array([[-3, 1], [2, 1]])), "rate -3/2 is negative"),
        (packed(rate=np.ones(3)), "rate: 3 numbers for 2 pairs"),
        (packed(reward=np.array([True, False])), "is not a number"),
        (packed(probability=np.array([[1, 1, 1], [3, 3, 1]])), "sum to 2/3, not exactly 1"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_in_one_line(file: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        model_of_binary(file, "m.npz")
    assert str(caught.value).startswith("m.npz: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_damaged_bytes_are_refused_or_say_a_model() -> None:
    whole, counted = packed(), Counter[str]()
    for seed in range(3000):
        random, data = Random(seed), bytearray(whole)
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
        try:
            model_of_binary(bytes(data), "m.npz")
            counted["read"] += 1
        except InputError as error:
            counted["refused" if "\n" not in str(error) else "told in several lines"] += 1
    assert counted["refused"] > 2000
    assert not counted["told in several lines"]
