"""A second process that compiles meanwhile: what it is for, and whatever may become of it."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from ctucbvi import kernels

HALVES = """
from ctucbvi import kernels


@kernels.compiled()
def half(x):
    return x / 2


@kernels.compiled()
def twice(x):
    return 2 * x
"""
PROGRAM = """
import sys

from ctucbvi import kernels

import halves

kernels._cores = lambda: 2
with kernels.beside(halves.half, sys.argv[1]):
    here = halves.twice(3.0), halves.half.kept
print(here[0], halves.half(3.0), sum(halves.half.stats.cache_misses.values()))
"""


@pytest.mark.parametrize(
    ("program", "compiled_here"),
    [
        ("import halves; halves.half(3.0)", 0),
        ("import halves; halves.half(3)", 1),  # of something else
        ("import os; os.kill(os.getpid(), 9)", 1),
        ("import nobody", 1),
        ("this is no program", 1),
    ],
)
def test_what_the_other_has_kept_is_not_compiled_here(tmp_path, program, compiled_here):
    (tmp_path / "halves.py").write_text(HALVES)
    (tmp_path / "program.py").write_text(PROGRAM)
    told = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    for misses in (compiled_here, 0):
        command = [sys.executable, tmp_path / "program.py", program]
        found = subprocess.run(command, env=told, cwd="/", capture_output=True, text=True, check=True)
        assert (found.stdout, found.stderr) == (f"6.0 1.5 {misses}\n", "")


@pytest.fixture
def begun(monkeypatch):
    """The processes that were started, on a machine with two cores."""
    found, begin = [], subprocess.Popen

    def noted(*args, **options):
        found.append(begin(*args, **options))
        return found[-1]

    monkeypatch.setattr(subprocess, "Popen", noted)
    monkeypatch.setattr(kernels, "_cores", lambda: 2)
    return found


NEVER = SimpleNamespace(kept=False)
SLEEP = "import time; time.sleep(600)"


def test_who_does_not_end_is_ended(begun, monkeypatch):
    monkeypatch.setattr(kernels, "_PATIENCE", 0.1)
    with kernels.beside(NEVER, SLEEP):
        pass
    assert [one.poll() for one in begun] == [-9]


def interrupted(error, begun):
    with kernels.beside(NEVER, SLEEP):
        assert [one.poll() for one in begun] == [None]
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, SystemExit])
def test_who_is_interrupted_does_not_leave_the_other_behind(begun, error):
    with pytest.raises(error):
        interrupted(error, begun)
    assert [one.poll() for one in begun] == [-9]


def test_there_is_no_other_where_none_is_of_use(begun, monkeypatch):
    with kernels.beside(SimpleNamespace(kept=True), SLEEP):
        pass
    monkeypatch.setattr(sys, "executable", "")
    with kernels.beside(NEVER, SLEEP):
        pass
    monkeypatch.undo()
    monkeypatch.setattr(kernels, "_cores", lambda: 1)
    with kernels.beside(NEVER, SLEEP):
        pass
    assert begun == []


def test_where_no_process_can_be_started_none_is_missed(begun, monkeypatch):
    monkeypatch.setattr(sys, "executable", os.devnull)  # nothing that can be run
    with kernels.beside(NEVER, SLEEP):
        pass
    assert begun == []


def test_a_kernel_knows_whether_it_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))

    @kernels.compiled()
    def third(x):
        return x / 3

    assert not third.kept
    assert third(3.0) == 1.0
    assert third.kept
