"""``--seconds`` holds from the first second; in the end what was asked for is printed, and nothing else."""

from __future__ import annotations

import json
import signal
import threading
from itertools import count
from time import monotonic, process_time, sleep

import numpy as np
import pytest

import ctucbvi
from ctucbvi import CTMDP, Budget, UndecidedError, save_model
from ctucbvi.cli import main
from ctucbvi.commands import plan as plan_command
from ctucbvi.commands import plan_numeric
from ctucbvi.exact import lumping, start
from ctucbvi.exact.problem import Problem
from ctucbvi.model import Semantics
from tests.cli.test_plan import run
from verify import console
from verify.console import OutOfTimeError, within

MANY = 20_000
T = ctucbvi.Transition.of
ENGINES = ("exact", "numeric")


def ring(states: int, actions: int = 2) -> CTMDP:
    """A round of states, with rates and rewards that tell few of them apart at first."""
    state = np.repeat(np.arange(states), actions)
    action = np.tile(np.arange(actions), states)
    pair = np.arange(states * actions)
    jumps = (np.repeat(pair, 2), np.stack([(state + action + 1) % states, (state - 1) % states], 1).ravel())
    return CTMDP.from_sparse(
        (state, action), 1 + state % 7 + action, (state * 37 + action * 11) % 101 / 4.0, jumps,
        np.full(2 * len(pair), 0.5), horizon=1,
    )  # fmt: skip


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    save_model(ring(MANY), folder / "ring.npz")
    save_model(ring(3000), folder / "small.npz")
    for engine in ENGINES:  # loads what is compiled for many states
        main(["plan", str(folder / "small.npz"), "--engine", engine, "--digits", "9", "--at", "s0@1"])
    return str(folder / "ring.npz")


# A file that was being read when time was over is closed when it is forgotten.
left_open = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@left_open
@pytest.mark.parametrize("seconds", ["0.01", "0.3", "1"])
@pytest.mark.parametrize("engine", ENGINES)
def test_time_is_kept_and_one_state_is_one_state(large, engine, seconds, capsys):
    options = ("--engine", engine, "--digits", "9", "--at", "s0@1")
    run(capsys, "plan", "machine-repair", "--engine", engine)  # loads what is compiled
    began, clock = process_time(), monotonic()
    status, out, err = run(capsys, "plan", large, *options, "--seconds", seconds)
    # Of the processor: how busy the machine is decides nothing.
    assert process_time() - began < float(seconds) + 1.5, monotonic() - clock
    assert status == 1 or float(seconds) == 1  # in which a machine may be done
    assert "s1" not in out.split()
    assert len(out.splitlines()) < 30
    assert "s1:" not in err
    assert "s1," not in err
    if not out:
        assert err.count("\n") == 1
        assert "not enough" in err or "not finished" in err


@left_open
@pytest.mark.thorough
@pytest.mark.parametrize("states", [1000, 10_000, 60_000, 100_000])
@pytest.mark.parametrize("seconds", ["0.5", "1", "3"])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ending", ["json", "npz"])
def test_time_is_kept_at_every_size(states, seconds, engine, ending, tmp_path, capsys):
    file = tmp_path / f"ring.{ending}"
    save_model(ring(states), file)
    run(capsys, "plan", "machine-repair", "--engine", engine)
    began = process_time()
    _, out, _ = run(capsys, "plan", str(file), "--engine", engine, "--at", "s0@1", "--seconds", seconds)
    assert process_time() - began < 1.25 * float(seconds) + 2.0
    assert "s1" not in out.split()


@pytest.mark.parametrize("engine", ENGINES)
def test_reading_is_stopped_when_time_is_over(engine, monkeypatch, capsys):
    def for_ever(_):
        for _ in count():
            pass

    monkeypatch.setattr(plan_command, "find_model", for_ever)
    status, out, err = run(capsys, "plan", "some.toml", "--engine", engine, "--seconds", "0.2")
    assert (status, out) == (1, "")
    assert err == "ctucbvi: 0.2 seconds are not enough to read some.toml\n"


@pytest.mark.parametrize("engine", ENGINES)
def test_reading_counts(engine, monkeypatch, capsys):
    """What was read late is planned in what is left of the time, and not in all of it again."""
    seen: list[float] = []
    begin, numeric = Budget.begin, plan_numeric.NumericBudget

    def watched(*given, began, **more):
        seen.append(began)
        return numeric(*given, began=began, **more)

    monkeypatch.setattr(Budget, "begin", lambda budget: seen.append(budget.started) or begin(budget))
    monkeypatch.setattr(plan_numeric, "NumericBudget", watched)
    monkeypatch.setattr(plan_command, "find_model", lambda name: sleep(0.2) or ctucbvi.find_model(name))
    before = monotonic()
    assert main(["plan", "machine-repair", "--engine", engine]) == 0
    capsys.readouterr()
    assert seen
    assert all(before <= started < before + 0.2 for started in seen)


def test_a_budget_that_was_started_goes_on():
    assert Budget(seconds=5).begin().started > 0
    assert Budget(seconds=5, started=1.5).begin().started == 1.5
    with pytest.raises(UndecidedError, match="5 seconds are not enough") as caught:
        ctucbvi.solve(ring(50), budget=Budget(seconds=5, started=monotonic() - 6))
    assert caught.value.known is None


@pytest.mark.parametrize("semantics", Semantics)
def test_every_part_of_the_preparation_looks_at_the_clock(semantics):
    def stop():
        raise TimeoutError

    model = ring(30)
    quotient = lumping.lump(model)
    alike = CTMDP.from_sparse(([0, 0], [0, 1]), [1, 1], [1, 1], ([0, 1], [0, 0]), [1.0, 1.0], horizon=1)
    for problem in (
        Problem.of(quotient, semantics, False),
        Problem.of(lumping.unlumped(alike), semantics, False),
    ):
        with pytest.raises(TimeoutError):
            start.opening(problem, check=stop)
    same = CTMDP.of("same", horizon=1, transitions=[T(x, "a", rate=1, reward=1, to={x: 1}) for x in "xyz"])
    for call in count():  # to be read, to be told apart, to be put together
        calls = count()
        try:
            lumping.lump(same, lambda calls=calls, call=call: stop() if next(calls) == call else None)
        except TimeoutError:
            continue
        break
    assert call >= 4


@pytest.mark.parametrize("engine", ENGINES)
def test_a_plan_of_one_state_is_about_that_state(engine, capsys):
    options = ["plan", "machine-repair", "--engine", engine, "--digits", "9", "--json"]
    assert main(options) == 0
    whole = json.loads(capsys.readouterr().out)
    assert main([*options, "--at", "repair@1/2", "--at", "repair@1"]) == 0
    part = json.loads(capsys.readouterr().out)
    assert [(v["state"], v["t"]) for v in part["values"]] == [("repair", "0.5"), ("repair", "1")]
    assert part["policy"] == {"repair": whole["policy"]["repair"]}
    assert part["switches"] == [s for s in whole["switches"] if s["state"] == "repair"]
    assert len(whole["switches"]) == 2


# --- within ------------------------------------------------------------------------------------


def test_work_ends_with_its_time():
    began = monotonic()
    with pytest.raises(OutOfTimeError), within(0.1):
        for _ in count():
            pass
    assert monotonic() - began < 5
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_work_in_time_is_left_alone():
    before = signal.getsignal(signal.SIGALRM)
    for seconds in (60, 1e300, float("inf")):
        with within(seconds):
            pass
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_where_no_signal_comes_time_is_over_afterwards(monkeypatch):
    found = []

    def work():
        try:
            with within(1e-9):
                found.append("done")
        except OutOfTimeError:
            found.append("late")

    other = threading.Thread(target=work)
    other.start()
    other.join()
    assert found == ["done", "late"]
    monkeypatch.delattr(console.signal, "setitimer")
    work()
    assert found == ["done", "late"] * 2
