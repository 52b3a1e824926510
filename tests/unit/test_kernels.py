"""Compiled kernels: parts of others, machine code for the interpreter, and both kept on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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


found = [told(kernel, n) for kernel in (inverse, both, rows) for n in (2, 0, -1)]
print(found, sum(sum(kernel.stats.cache_misses.values()) for kernel in (inverse, both, rows)))
print("scipy.linalg" in sys.modules)
"""
ERRORS = ["ZeroDivisionError('division by zero')", "ValueError('negative', -1)"]
ARRAY = "array([0.5, 0.5])"
ANSWERS = ["0.5", *ERRORS, f"Both(one={ARRAY}, other=1.0)", *ERRORS, f"({ARRAY}, {ARRAY})", *ERRORS]


def ran(program: Path, kept: Path) -> list[str]:
    told = os.environ | {"NUMBA_CACHE_DIR": str(kept)}
    found = subprocess.run([sys.executable, program], env=told, capture_output=True, text=True, check=True)
    return found.stdout.splitlines()


def test_kernels_answer_alike_whether_compiled_or_loaded(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    compiled, _ = ran(program, tmp_path / "kept")
    loaded, slowly = ran(program, tmp_path / "kept")
    assert compiled == f"{ANSWERS} 3"
    assert loaded == f"{ANSWERS} 0"
    assert slowly == "False"  # nothing that only compiling needs was imported


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
