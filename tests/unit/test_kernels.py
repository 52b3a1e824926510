"""Compiled kernels: parts of others, machine code for the interpreter, and both kept on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ctucbvi import kernels, sources

# What comes out of kernels and of their parts: numbers, arrays, tuples, exceptions.
PROGRAM = """
import sys
from typing import NamedTuple

import numpy as np

from ctucbvi import kernels


class Both(NamedTuple):
    one: np.ndarray
    other: float


@kernels.compiled()
def inverse(n):
    if n < 0:
        raise ValueError("negative", n)
    return 1 / n


@kernels.compiled(fastmath=True)
def both(n, more=2.0):
    return Both(np.full(2, inverse(n)), more * inverse(n))


@kernels.compiled(forceinline=True)
def rows(n):
    return both(n).one, both(n, 3.0).one.copy()


def told(kernel, *given):
    try:
        return repr(kernel(*given))
    except (ValueError, ZeroDivisionError) as error:
        return repr(error)


asked = [inverse, both, rows][:: int(sys.argv[1])]
found = {kernel: [told(kernel, n) for n in (2, 0, -1)] for kernel in asked}
misses = sum(sum(kernel.stats.cache_misses.values()) for kernel in asked)
print([*found[inverse], *found[both], *found[rows]], misses)
print("scipy.linalg" in sys.modules)
"""
ERRORS = ["ZeroDivisionError('division by zero')", "ValueError('negative', -1)"]
ARRAY = "array([0.5, 0.5])"
ANSWERS = ["0.5", *ERRORS, f"Both(one={ARRAY}, other=1.0)", *ERRORS, f"({ARRAY}, {ARRAY})", *ERRORS]


def ran(folder: Path, text: str, given: str = "") -> list[str]:
    """What a program prints that keeps its kernels in the folder."""
    program = folder / "program.py"
    if not program.exists():  # else kernels of an older file would not count
        program.write_text(text)
    told, command = os.environ | {"NUMBA_CACHE_DIR": str(folder / "kept")}, [sys.executable, program, given]
    found = subprocess.run(command, env=told, capture_output=True, text=True, check=True)
    return found.stdout.splitlines()


@pytest.mark.parametrize("order", ["1", "-1"])  # parts first, or what they are parts of
def test_kernels_answer_alike_whether_compiled_or_loaded(tmp_path, order):
    compiled, _ = ran(tmp_path, PROGRAM, order)
    loaded, slowly = ran(tmp_path, PROGRAM, order)
    assert compiled == f"{ANSWERS} 3"
    assert loaded == f"{ANSWERS} 0"
    assert slowly == "False"  # nothing that only compiling needs was imported


# Two parts with functions of one name in them, which numba tells apart by counting them.
TWO_PARTS = """
import sys

import numpy as np

from ctucbvi.abreast import load, store
from ctucbvi import kernels


@kernels.compiled()
def sums(words):
    store(words, 2, load(words, 0) + load(words, 1))


@kernels.compiled()
def differences(words):
    store(words, 2, load(words, 0) - load(words, 1))


@kernels.compiled()
def both(words):
    sums(words)
    found = words[2, 0]
    differences(words)
    return found, words[2, 0]


words = np.array([[5.0] * 8, [3.0] * 8, [0.0] * 8])
print({"sums": sums, "differences": differences, "both": both}[sys.argv[1]](words))
"""


def test_parts_that_were_written_by_several_processes_are_not_taken_for_each_other(tmp_path):
    for name in ("sums", "differences"):
        ran(tmp_path, TWO_PARTS, name)
    assert ran(tmp_path, TWO_PARTS, "both") == ["(8.0, 2.0)"]


HALVES = """
from ctucbvi import kernels


@kernels.compiled()
def half(x):
    return x / 2


@kernels.compiled()
def quarter(x):
    return half(half(x))


print(quarter(5), quarter(5j), half(5), half(5j))
"""


def test_files_that_are_mixed_up_are_not_believed(tmp_path):
    for _ in range(3):
        assert ran(tmp_path, HALVES) == ["1.25 1.25j 2.5 2.5j"]
        files = list((tmp_path / "kept").rglob("*.1.nbc"))
        assert len(files) == 4  # parts and machine code of two kernels
        for one in files:
            other = one.with_name(one.name.replace(".1.nbc", ".2.nbc"))
            ours, theirs = one.read_bytes(), other.read_bytes()
            one.write_bytes(theirs)
            other.write_bytes(ours)


def test_a_part_alone_is_not_made_machine_code():
    @kernels.compiled()
    def half(x):
        return x / 2

    @kernels.compiled()
    def quarter(x):
        return half(half(x))

    assert quarter(3.0) == 0.75
    assert list(half.overloads) == []
    assert half(3.0) == 1.5
    assert len(half.overloads) == len(half.parts) == 1


def test_a_part_has_what_it_says_of_itself_whoever_comes_first():
    @kernels.compiled()
    def lost(big, small):
        return (small + big) - big

    @kernels.compiled(fastmath=True)
    def careless(big, small):
        return lost(big, small)

    @kernels.compiled()
    def careful(big, small):
        return lost(big, small)

    careless(1e16, 1.0)
    assert careful(1e16, 1.0) == lost(1e16, 1.0) == 0.0


def test_stale_kernels_are_dropped(tmp_path, monkeypatch):
    drop_stale, kernel = kernels._drop_stale.__wrapped__, tmp_path / "evaluation.old.nbi"
    drop_stale(tmp_path)
    kernel.write_bytes(b"compiled")
    drop_stale(tmp_path)
    assert kernel.exists()  # nothing has changed
    monkeypatch.setattr(kernels, "digest", lambda: "another")
    drop_stale(tmp_path)
    assert not kernel.exists()


def test_a_kernel_is_compiled_once_whatever_numbers_are_written_out():
    @kernels.compiled()
    def shifted(x, by):
        return x + by

    @kernels.compiled()
    def calls(x):
        return shifted(x, 1) + shifted(x, by=2)

    assert calls(0) == 3
    assert [str(kind) for kinds in shifted.parts for kind in kinds] == ["int64", "int64"]


def test_kernels_that_are_kept_elsewhere_are_looked_after_too(tmp_path):
    line = "from ctucbvi.numeric.polynomials import bernstein as b; print(b.stats.cache_path)"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    found = subprocess.run(
        [sys.executable, "-c", line], env=environment, capture_output=True, text=True, check=True
    )
    folder = Path(found.stdout.strip())
    assert folder.is_relative_to(tmp_path)
    assert (folder / kernels._STAMP).read_text() == sources.digest()
