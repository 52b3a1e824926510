"""A second process that compiles meanwhile: what it is for, and whatever may become of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
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
    here = halves.twice(3.0), not halves.half.waits
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


NEVER = SimpleNamespace(waits=True)
SLEEP = "import time; time.sleep(600)"


def test_who_does_not_end_is_ended(begun, monkeypatch):
    monkeypatch.setattr(kernels, "_PATIENCE", 0.1)
    with kernels.beside(NEVER, SLEEP):
        pass
    assert [one.poll() for one in begun] == [-9]


ALONE = """
import sys, types

from ctucbvi import kernels

kernels._cores = lambda: 2
with kernels.beside(types.SimpleNamespace(waits=True), sys.argv[1]):
    print("begun", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_who_is_killed_does_not_leave_the_other_behind(tmp_path, ending):
    running = tmp_path / "running"
    other = f"import os; os.mkfifo({str(running)!r}); kept = open({str(running)!r}, 'w'); {SLEEP}"
    parent = subprocess.Popen(
        [sys.executable, "-c", ALONE, other], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdout.readline() == b"begun\n"
    while not running.exists():
        time.sleep(0.01)
    with running.open() as until_the_end:  # of whoever has it open for writing
        parent.send_signal(ending)
        assert parent.wait() == -ending
        assert until_the_end.read() == ""
    parent.communicate()


def test_who_is_done_ends_in_order(begun):
    with kernels.beside(NEVER, "pass"):
        pass
    assert [one.poll() for one in begun] == [0]


def test_the_other_runs_nothing_but_what_it_is_told(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'a').write('run')")
    told = os.environ | {"PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", ALONE, "pass"], env=told, stdin=subprocess.DEVNULL, check=True)
    assert (tmp_path / "mark").read_text() == "run"  # by the first alone


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
    with kernels.beside(SimpleNamespace(waits=False), SLEEP):
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

    assert third.waits
    assert third(3.0) == 1.0
    assert not third.waits
