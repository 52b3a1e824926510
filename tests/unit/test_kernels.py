"""Compiled kernels: parts of others, machine code for the interpreter, and both kept on disk."""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numba.core.errors import TypingError
from numba.extending import overload

from ctucbvi import kernels, sources
from ctucbvi.abreast import (
    added,
    every,
    first_number,
    load,
    load_from,
    magnitude,
    moved_up,
    some,
    spread,
    store,
    where,
)

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


def ran(folder: Path, text: str, given: str = "", kept: str | None = "kept") -> list[str]:
    """What a program prints that keeps its kernels in the folder, there or where numba likes."""
    program = folder / "program.py"
    if not program.exists():  # else kernels of an older file would not count
        program.write_text(text)
    told = os.environ | {"NUMBA_CACHE_DIR": str(folder / kept) if kept else ""}
    command = [sys.executable, program, given]
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

from numba.extending import overload

from ctucbvi import kernels


def add(one, other): ...
def subtract(one, other): ...


overload(add)(lambda one, other: lambda one, other: one + other)
overload(subtract)(lambda one, other: lambda one, other: one - other)


@kernels.compiled()
def sums(one, other):
    return add(one, other)


@kernels.compiled()
def differences(one, other):
    return subtract(one, other)


@kernels.compiled()
def both(one, other):
    return sums(one, other), differences(one, other)


print({"sums": sums, "differences": differences, "both": both}[sys.argv[1]](5.0, 3.0))
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


def test_what_kernels_call_of_numba_is_a_part_once_for_all_that_sum_up_alike():
    made, again = [], kernels._Linked._made

    def noted(self, kinds):
        made.append(type(self))
        return again(self, kinds)

    def larger(x, y): ...

    overload(larger)(lambda x, y: lambda x, y: x if x > y else y)

    @kernels.compiled(forceinline=True)
    def inner(x, y):
        return larger(x, y)

    @kernels.compiled()
    def outer(x, y):
        return larger(inner(x, y), larger(x, y))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels._Linked, "_made", noted)
        patch.setattr(kernels._PartCache, "load_overload", lambda *_: None)
        assert outer(1.0, 2.0) == 2.0
    assert made == [kernels.Kernel, kernels.Kernel, kernels._Linked]  # one larger for both


def test_garbage_is_collected_again_even_if_something_cannot_be_compiled():
    @kernels.compiled()
    def wrong(x):
        return x + "1"

    assert gc.isenabled()
    with pytest.raises(TypingError):
        wrong(1)
    assert gc.isenabled()
    gc.disable()
    try:
        with pytest.raises(TypingError):
            wrong(1.0)
        assert not gc.isenabled()
    finally:
        gc.enable()


def operations(numbers):
    """Everything that can be done with words, in as many rows."""
    one, other, rows = load(numbers, 0), load_from(numbers, 8), numbers.shape[0]
    found = (
        one + other,
        one - other,
        one * other,
        one / other,
        where(one > other, one, other),
        where(one <= other, one, other),
        where(one == other, one, other),
        where((one > other) & (one <= other), one, other),
        where((one > other) | (one <= other), one, other),
        where(where(one > other, one > one, one == one), one, other),
        magnitude(one),
        moved_up(one, other),
        every(first_number(one)),
        every(3),
        spread(numbers, 5),
        every(added(one)),
    )
    for n, word in enumerate(found):
        store(numbers, rows - len(found) + n, word)
    return some(one > other), some(one == every(12345.0))


def test_words_are_the_same_whether_compiled_or_not():
    draw = np.random.default_rng(1)
    for _ in range(100):
        numbers = np.zeros((18, 8))
        numbers[:2] = draw.integers(-4, 5, (2, 8)) + 0.5 * draw.integers(0, 2, (2, 8)) + 0.25
        plain, compiled = numbers.copy(), numbers.copy()
        assert operations(plain) == WORDS(compiled)
        assert plain.tobytes() == compiled.tobytes()


WORDS = kernels.compiled()(operations)


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
    drop_stale, kept = kernels._drop_stale.__wrapped__, tmp_path / "kept"
    ran(tmp_path, HALVES)
    (folder,) = {file.parent for file in kept.rglob("*.nb[ci]")}
    ours = sorted(folder.iterdir())
    old, torn = folder / "evaluation.old.nbi", folder / "evaluation.old.1.nbc.tmp.5f"
    for file in (old, torn):
        file.write_bytes(b"compiled")
    drop_stale(folder)
    assert sorted(folder.iterdir()) == ours
    monkeypatch.setattr(kernels, "_MADE_OF", "another")
    drop_stale(folder)
    assert list(folder.iterdir()) == []
    drop_stale(tmp_path / "nowhere")


WORDS_OF_A_PACKAGE = """
import sys

from ctucbvi import kernels
from ctucbvi.abreast import every, first_number


@kernels.compiled()
def sums(x):
    return first_number(every(x) + every(1.0))


found = sums(2.0)
print(found, sum(sums.stats.cache_misses.values()), kernels.__file__.startswith(sys.argv[1]))
"""


def test_a_kernel_is_compiled_again_if_what_is_compiled_in_has_changed(tmp_path, monkeypatch):
    package = copied(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for expected in ("3.0 1 True", "3.0 0 True"):
        assert ran(tmp_path, WORDS_OF_A_PACKAGE, str(tmp_path)) == [expected]
    edit(package / "abreast.py", "_WORD, ir.IRBuilder.fadd", "_WORD, ir.IRBuilder.fsub")
    for expected in ("1.0 1 True", "1.0 0 True"):
        assert ran(tmp_path, WORDS_OF_A_PACKAGE, str(tmp_path)) == [expected]


def test_what_an_older_process_keeps_later_is_not_taken_for_new(tmp_path, monkeypatch):
    # It has begun before the change, and compiles, and keeps what it has compiled, after the others.
    package = copied(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "program.py").write_text(WORDS_OF_A_PACKAGE)
    late = "import sys, runpy, ctucbvi.kernels, ctucbvi.abreast; print(flush=True); input(); "
    late += f"sys.argv[1:] = [{str(tmp_path)!r}]; runpy.run_path({str(tmp_path / 'program.py')!r})"
    told = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", late], env=told, cwd=tmp_path, text=True, **pipes) as older:
        older.stdout.readline()
        edit(package / "abreast.py", "_WORD, ir.IRBuilder.fadd", "_WORD, ir.IRBuilder.fsub")
        assert ran(tmp_path, WORDS_OF_A_PACKAGE, str(tmp_path)) == ["1.0 1 True"]
        assert older.communicate("\n")[0] == "3.0 1 True\n"
    assert ran(tmp_path, WORDS_OF_A_PACKAGE, str(tmp_path))[0].startswith("1.0")


def copied(folder: Path) -> Path:
    """A copy of the package, to be changed."""
    package = folder / "ctucbvi"
    shutil.copytree(Path(kernels.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    return package


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_digest_is_of_every_source(tmp_path):
    package = copied(tmp_path)
    assert sources.digest_of(package) == sources.digest()
    files, seen = sorted(package.rglob("*.py")), {sources.digest()}
    for n, file in enumerate(files):
        text = file.read_bytes()
        for other in (text + b"#", b"", None)[: 3 if n % 20 == 0 else 1]:
            file.unlink() if other is None else file.write_bytes(other)
            found = sources.digest_of(package)
            assert (found in seen) == (other == text), (file, other)
            seen.add(found)
        file.write_bytes(text)
    assert len(files) > 200
    for one, other in list(pairwise(files))[::20]:  # exchanged, or moved from the end of one to the next
        ours, theirs = one.read_bytes(), other.read_bytes()
        for first, second in ((theirs, ours), (ours[:-1], ours[-1:] + theirs)):
            one.write_bytes(first)
            other.write_bytes(second)
            assert (sources.digest_of(package) == sources.digest()) == (first == ours), (one, other)
        one.write_bytes(ours)
        other.write_bytes(theirs)
    (package / "__pycache__").mkdir(exist_ok=True)
    assert sources.digest_of(package) == sources.digest()


def test_a_kernel_is_compiled_once_whatever_numbers_are_written_out():
    @kernels.compiled()
    def shifted(x, by):
        return x + by

    @kernels.compiled()
    def calls(x):
        return shifted(x, 1) + shifted(x, by=2)

    assert calls(0) == 3
    assert [str(kind) for kinds in shifted.parts for kind in kinds] == ["int64", "int64"]


@pytest.mark.parametrize("order", ["1", "-1"])
def test_kernels_are_kept_beside_their_source_if_nothing_else_is_said(tmp_path, order):
    assert ran(tmp_path, PROGRAM, order, kept=None)[0] == f"{ANSWERS} 3"
    assert ran(tmp_path, PROGRAM, order, kept=None)[0] == f"{ANSWERS} 0"
    assert list((tmp_path / "__pycache__").glob("*.nbc"))


def test_what_cannot_be_kept_is_compiled_all_the_same(tmp_path):
    full = PROGRAM.replace(
        "asked = ",
        """
import errno
from numba.core.caching import IndexDataCacheFile


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


IndexDataCacheFile.save = full
asked = """,
    )
    for _ in range(2):
        assert ran(tmp_path, full, "1")[0] == f"{ANSWERS} 3"


def started(folder: Path, text: str) -> subprocess.Popen[str]:
    """A process that runs a program as :func:`ran` does."""
    (folder / "program.py").write_text(text)
    told = os.environ | {"NUMBA_CACHE_DIR": str(folder / "kept")}
    return subprocess.Popen(
        [sys.executable, folder / "program.py"], env=told, stdout=subprocess.PIPE, text=True
    )


def damaged(path, how):
    whole = path.read_bytes()
    path.unlink()
    if how == "a folder":
        path.mkdir()
    elif how == "a bit":
        middle = len(whole) // 2
        path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    else:
        path.write_bytes(
            whole[: len(whole) // 2] if how == "half" else b"" if how == "empty" else whole[::-1]
        )


@pytest.mark.parametrize(
    ("ending", "how"),
    [("nbi", "empty"), ("nbi", "a folder"), ("nbc", "half"), ("nbc", "backwards"), ("nbc", "a bit")],
)
def test_files_that_are_damaged_are_as_good_as_none(tmp_path, ending, how):
    ran(tmp_path, PROGRAM, "1")
    for path in list((tmp_path / "kept").rglob(f"*.{ending}")):
        damaged(path, how)
    assert ran(tmp_path, PROGRAM, "1")[0] == f"{ANSWERS} 3"
    again = "3" if how == "a folder" else "0"  # in the place of which no file can be written
    assert ran(tmp_path, PROGRAM, "1")[0] == f"{ANSWERS} {again}"


def test_where_nothing_can_be_kept_a_kernel_is_compiled_all_the_same(monkeypatch):
    monkeypatch.setattr(kernels._MachineCodeCache._impl_class, "_locator_classes", [])
    monkeypatch.setattr(kernels._PartCache._impl_class, "_locator_classes", [])

    @kernels.compiled()
    def third(x):
        return x / 3

    assert not third.waits
    assert third(3.0) == 1.0


def test_several_who_compile_the_same_at_once_do_not_disturb_each_other(tmp_path):
    together = [started(tmp_path, HALVES) for _ in range(4)]
    assert [one.communicate()[0] for one in together] == ["1.25 1.25j 2.5 2.5j\n"] * 4
    for _ in range(2):
        assert ran(tmp_path, HALVES) == ["1.25 1.25j 2.5 2.5j"]


def test_who_is_killed_while_compiling_leaves_nothing_wrong_behind(tmp_path):
    for moment in range(8):
        one = started(tmp_path, HALVES)
        with contextlib.suppress(subprocess.TimeoutExpired):
            one.wait(0.6 + 0.1 * moment)
        one.kill()
        one.communicate()
    assert ran(tmp_path, HALVES) == ["1.25 1.25j 2.5 2.5j"]
