"""Models as arrays in a file: lossless, exact, and safe to read whatever the file says."""

from __future__ import annotations

from collections import Counter
from copy import copy
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from random import Random
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from hypothesis import given

from ctucbvi.errors import InputError
from ctucbvi.library import bundled_models, find_model, machine_repair
from ctucbvi.model import CTMDP, Transition
from ctucbvi.modelfile import load_model, save_model
from ctucbvi.modelfile.binary import binary_of, model_of_binary
from ctucbvi.strategies import corner_models, models
from tests.array_files import (
    HEAD,
    PARTS,
    claimed,
    drawn,
    meant,
    members,
    packed,
    parts_of,
    scratched,
)


def compressed() -> bytes:
    file = BytesIO()
    np.savez_compressed(file, **PARTS)
    with ZipFile(file, "a", ZIP_DEFLATED) as zipped:
        for name, data in parts_of()[:1]:
            zipped.writestr(name, data)
    return file.getvalue()


def listed_again(name: str) -> bytes:
    """A file whose directory has a long part, the rates, a second time, by this name."""
    file = BytesIO()
    with ZipFile(file, "w") as zipped:
        for part, data in parts_of(rate=np.zeros(1000)):
            zipped.writestr(part, data)
        again = copy(zipped.getinfo("rate.npy"))
        again.filename = name
        zipped.filelist.append(again)
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


def one_pair(**numbers: object) -> CTMDP:
    told = {"rate": 1, "reward": 1, "to": {"x": 1}, **numbers}
    return CTMDP.of("long", horizon=1, transitions=[Transition.of("x", "a", **told)])


@pytest.mark.parametrize(
    "number",
    [
        2**62,
        2**63 - 1,
        2**63,
        2**64 - 1,
        -(2**63),
        Fraction(-(2**63), 2**63 - 1),
        Fraction("1e300"),
        "5e-324",
    ],
)
def test_whatever_the_arrays_can_say_is_written(number: object) -> None:
    model = one_pair(reward=number)
    read = model_of_binary(binary_of(model), "m.npz")
    assert read == model
    assert binary_of(read) == binary_of(model)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"rate": Fraction(2**64, 3)}, "rate of state 'x', action 'a': 18446744073709551616/3 is neither"),
        ({"reward": -(2**63) - 1}, "reward of state 'x', action 'a': -9223372036854775809 is neither"),
        ({"lump": {"x": Fraction(1, 3**50)}}, "lump of state 'x', action 'a': about 1.39296e-24 is neither"),
        ({"choice": Fraction(10**400, 3)}, "choice of state 'x', action 'a': a number of extreme size"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(numbers: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}.*a ratio of 64 bits nor a double; write a .toml"):
        binary_of(one_pair(**numbers))


@pytest.mark.parametrize("cells", [np.array([[-(2**63)], [1]]), np.array([[-(2**63)], [2**62]])])
def test_the_smallest_number_of_64_bits_has_a_negative(cells: np.ndarray) -> None:
    worth = Fraction(int(cells[0, 0]), int(cells[1, 0]))
    head = HEAD | {"states": ["x"], "objective": "min"}
    data = packed(
        head, pairs=np.zeros((2, 1), int), jumps=np.zeros((2, 1), int), rate=np.ones(1),
        reward=cells, terminal=cells, probability=np.ones(1),
    )  # fmt: skip
    told = {"reward": worth, "terminal": worth, "rate": 1, "to": {"x": 1}}
    plain = CTMDP.of("m", horizon=1, transitions=[Transition.of("x", "a", **told)], objective="min").plain()
    asked, unasked = (model_of_binary(data, "m.npz") for _ in range(2))
    assert asked.transitions[0].reward == worth
    assert asked.plain() == unasked.plain() == plain
    assert unasked.plain().sparse.reward.doubles == [-float(worth)]
    assert unasked.max_reward == unasked.max_start == -worth


LOCAL = dict(parts_of())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"", "not a model in NumPy's form"),
        (packed()[:-30], "not a model in NumPy's form"),
        (compressed(), "a part is compressed"),
        (packed(rate=np.array([3, None], object)), "the array 'rate' is of object, not of whole numbers or"),
        (packed(rate=None), "the part 'rate.npy' is missing"),
        (packed(odd=np.zeros(1)), "the part 'odd.npy' is unknown"),
        (members(*parts_of(), ("rate", b"")), "the part 'rate' is unknown"),
        (listed_again("rate.npy"), "a part is there twice"),
        (members(*((f"{i}.npy", b"") for i in range(60_000))), "the part '0.npy' is unknown"),
        (listed_again("lump.npy"), "the parts are larger than the file"),
        (packed(rate=b"hello"), "EOF"),
        (packed(rate=b"hello, you all"), "the magic string is not correct"),
        (packed(rate=np.zeros((1, 1, 1))), "the array 'rate' has shape (1, 1, 1)"),
        (packed(rate=np.float64(1)), "the array 'rate' has shape ()"),
        (packed(rate=np.array([1 + 1j, 1])), "is of complex128, not of"),
        (packed(rate=np.array([3, 1], "M8[ns]")), "is of datetime64[ns], not of"),
        (packed(rate=np.array([3, 1], np.longdouble)), "the array 'rate' is of"),
        (packed(rate=np.array([3, 1], np.float32)), "is of float32, not of"),
        (packed(rate=np.array(["3/2", "1"])), "is of <U3, not of"),
        (packed(jumps=np.zeros((2, 0), [("a", "<i8"), ("b", "<i8")])), "the array 'jumps' is of"),
        (packed(pairs=claimed("'<i8'", "(1000000000000, 0)")), "the array 'pairs' has shape (1000000000000"),
        (packed(rate=claimed("'|S0'", "(1000000000000,)")), "the array 'rate' is of |S0"),
        (packed(rate=claimed("'<i8'", "(1000000000000,)")), "the array 'rate' is not as long as it says"),
        (packed(rate=claimed("'<i8'", "(2, 9223372036854775808)")), "is not as long as it says"),
        (packed(rate=claimed("'<i8'", "(-2,)", b"12345678")), "is not as long as it says"),
        (packed(rate=LOCAL["rate.npy"] + b"more"), "the array 'rate' is not as long as it says"),
        (packed(rate=claimed("'<i8'", "(2L,)", bytes(16))), "required additional header parsing"),
        (packed(rate=claimed("'<i8'", "(2or 3,)", bytes(16))), "Cannot parse header"),
        (packed(rate=claimed("'<i8\\d'", "(2,)", bytes(16))), "not a model in NumPy's form"),
        (packed(head=b"\xff"), "the head is not UTF-8 text"),
        (packed(head=b"{"), "head: line 1, column 2: not JSON"),
        (packed(head=b"[" * 100_000), "head: nested too deeply"),
        (packed(head=[]), "is no object"),
        (packed(head=HEAD | {"goal": ["x"]}), "the head has transitions or a goal"),
        (packed(head=HEAD | {"initial": "z"}), "initial: 'z' is not one of the states"),
        (packed(pairs=np.array([[0, 2], [0, 0]])), "pairs: 2 is not the index of a state"),
        (packed(pairs=np.array([[0, 2**64 - 1], [0, 0]], np.uint64)), "pairs: -1 is not the index"),
        (packed(pairs=np.array([0, 1])), "pairs: give two lists of indices"),
        (packed(pairs=np.array([[False, True], [False, False]])), "the array 'pairs' is of bool"),
        (packed(pairs=np.array([[0, 0], [0, 0]])), "given twice"),
        (packed(jumps=np.array([[0, 0, 1], [0, 0, 0]])), "jumps to 'x' twice"),
        (packed(rate=np.array([3.0, np.nan])), "is not finite"),
        (packed(rate=np.array([[3, 1], [2, 0]])), "denominator 0"),
        (packed(rate=np.array([[-3, 1], [2, 1]])), "rate -3/2 is negative"),
        (packed(rate=np.ones(3)), "rate: 3 numbers for 2 pairs"),
        (packed(reward=np.array([True, False])), "the array 'reward' is of bool"),
        (packed(probability=np.array([[1, 1, 1], [3, 3, 1]])), "sum to 2/3, not exactly 1"),
        (packed(probability=np.array([1e300, 1, 1])), "sum to a number of extreme size, not exactly 1"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_in_one_line(file: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        model_of_binary(file, "m.npz")
    assert str(caught.value).startswith("m.npz: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


FACTS = ("max_rate", "max_reward", "max_start", "ends", "pays_at_end", "is_plain", "pays_choices")


def read(data: bytes) -> CTMDP | None:
    """The model, all of it; None if it is refused as it should be."""
    try:
        found = model_of_binary(data, "m.npz")
        return model_of_binary(data, "m.npz") if found.digest else None  # one that is not unfolded yet
    except InputError as error:
        line = str(error)
    if not line.startswith("m.npz: ") or not line.isprintable():
        raise AssertionError(line)
    return None


def attack_structure(seeds: range) -> Counter[str]:
    """Arrays at random against what each number of them says."""
    counted = Counter[str]()
    for seed in seeds:
        head, parts = drawn(Random(seed))
        data, expected = packed(head, **parts), meant(head, parts)
        if (found := read(data)) is None:
            assert expected is None, seed
            counted["refused"] += 1
            continue
        assert expected is not None, seed
        known = [getattr(found, fact) for fact in FACTS]  # before transitions are asked for
        assert known == [getattr(expected, fact) for fact in FACTS], seed
        assert model_of_binary(data, "m.npz").plain() == expected.plain(), seed
        assert (found, found.digest) == (expected, expected.digest), seed
        counted["read"] += 1
        if "discount" not in head:  # which makes other numbers
            assert model_of_binary(binary_of(found), "m.npz") == expected, seed
            assert model_of_binary(binary_of(expected), "m.npz") == expected, seed
    return counted


@pytest.mark.filterwarnings("error")
def test_arrays_at_random_are_what_they_say() -> None:
    assert min(attack_structure(range(400)).values()) > 100


@pytest.mark.thorough
@pytest.mark.filterwarnings("error")
def test_thousands_of_arrays_are_what_they_say() -> None:
    attack_structure(range(1000, 11_000))


def attack_bytes(seeds: range) -> Counter[str]:
    counted = Counter[str]()
    for seed in seeds:
        random = Random(seed)
        counted["refused" if read(scratched(random, *drawn(random))) is None else "read"] += 1
    return counted


@pytest.mark.filterwarnings("error")
def test_damaged_bytes_are_refused_or_say_a_model() -> None:
    assert attack_bytes(range(1000))["refused"] > 800


@pytest.mark.thorough
@pytest.mark.filterwarnings("error")
def test_many_damaged_bytes_are_refused_or_say_a_model() -> None:
    attack_bytes(range(1000, 21_000))
