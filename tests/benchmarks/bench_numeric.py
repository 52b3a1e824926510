"""The fast planner: against scipy's solvers, the plain iteration, and Storm; and how it grows.

As in ``bench_exact``, what is compared runs in turns in one process, and errors are true errors, measured
against the exact planner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import cache
from gc import collect
from math import log
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
from numba import njit
from scipy.integrate import solve_ivp

from ctucbvi import CTMDP, bundled_models, solve
from ctucbvi.library import machine_repair
from ctucbvi.modelfile import dump_model, parse_model
from ctucbvi.modelfile.binary import binary_of, model_of_binary
from ctucbvi.numeric import certify, solve_certified, solve_numeric
from ctucbvi.numeric.arrays import Arrays
from tests.benchmarks import storm_peer
from tests.benchmarks.memory import most_memory
from tests.benchmarks.random_models import random_reachability, random_switching, speed_queue
from tests.benchmarks.turns import best_times, ratios, spread, times_in_turns
from verify.tables import table

_SOLVERS = ("RK45", "DOP853", "LSODA", "Radau", "BDF")


def against_scipy(target: float = 1e-10) -> None:
    """Machine repair at a true error of at most 1e-10: the best scipy can do, solver by solver."""
    model = machine_repair()
    truth = [float(solve(model, digits=20).value(x).mid) for x in model.states]
    ours = solve_numeric(model, tolerance=target)
    error = max(abs(ours.value(x) - v) for x, v in zip(model.states, truth, strict=True))
    assert error <= target
    rows = [["ctucbvi", f"{error:.0e}", "", ""]]
    runs = [lambda: solve_numeric(model, tolerance=target)]
    for method in _SOLVERS:
        found = _tuned(model, method, truth, target)
        if found is None:
            rows.append([f"scipy {method}", "never below", "", "-"])
            continue
        tolerance, error = found
        rows.append([f"scipy {method}, rtol = atol = {tolerance:.0e}", f"{error:.0e}", "", ""])
        runs.append(lambda method=method, tolerance=tolerance: _scipy(model, method, tolerance))
    times = times_in_turns(*runs, rounds=9)
    timed = [row for row in rows if row[3] != "-"]
    for row, taken in zip(timed, times, strict=True):
        row[2], row[3] = f"{min(taken) * 1e6:.0f} us", ratios(taken, times[0])
    print(f"machine repair, true error at most {target:g}")
    print(table(("", "true error", "time", "ratio"), rows), end="\n\n")


def _tuned(model: CTMDP, method: str, truth: list[float], target: float) -> tuple[float, float] | None:
    """The loosest tolerance with which the solver's true error is small enough."""
    for k in range(16, 28):
        tolerance = 10.0 ** (-k / 2)
        error = float(np.abs(_scipy(model, method, tolerance) - truth).max())
        if error <= target:
            return tolerance, error
    return None


@cache
def _dense(model: CTMDP) -> _Dense:
    return _Dense(model)


def _scipy(model: CTMDP, method: str, tolerance: float) -> np.ndarray:
    """The committed system as somebody would write it for solve_ivp, arrays prepared beforehand."""
    a = _dense(model)

    def slope(_: float, q: np.ndarray) -> np.ndarray:
        return a.reward - a.rate * q + a.rate * (a.jump @ np.maximum.reduceat(q, a.first))

    run = solve_ivp(slope, (0, a.horizon), a.start, method=method, rtol=tolerance, atol=tolerance)
    return np.maximum.reduceat(run.y[:, -1], a.first)


class _Dense:
    """The model as dense arrays."""

    def __init__(self, model: CTMDP) -> None:
        arrays = Arrays.of(model)
        self.rate, self.reward, self.horizon = arrays.rate, arrays.reward, arrays.horizon
        self.first, self.start = arrays.first[:-1], arrays.terminal
        self.jump = np.zeros((len(self.rate), arrays.states))
        for i in range(len(self.rate)):
            for k in range(arrays.row[i], arrays.row[i + 1]):
                self.jump[i, arrays.target[k]] += arrays.probability[k]


@njit
def _slope(a, q, v, out):
    """The committed system, compiled: what a user would hand to solve_ivp for a large model."""
    rate, reward, first, row, target, probability = a
    for x in range(first.size - 1):
        v[x] = q[first[x]]
        for i in range(first[x] + 1, first[x + 1]):
            v[x] = max(v[x], q[i])
    for i in range(rate.size):
        inflow = 0.0
        for k in range(row[i], row[i + 1]):
            inflow += probability[k] * v[target[k]]
        out[i] = reward[i] + rate[i] * (inflow - q[i])


def _compiled_scipy(model: CTMDP, method: str, tolerance: float) -> np.ndarray:
    """scipy with the compiled right-hand side."""
    a = Arrays.of(model)
    data, v = (a.rate, a.reward, a.first, a.row, a.target, a.probability), np.empty(a.states)

    def slope(_: float, q: np.ndarray) -> np.ndarray:
        out = np.empty(len(q))
        _slope(data, q, v, out)
        return out

    run = solve_ivp(slope, (0, a.horizon), a.terminal, method=method, rtol=tolerance, atol=tolerance)
    return np.maximum.reduceat(run.y[:, -1], a.first[:-1])


def against_compiled_scipy(target: float = 1e-8) -> None:
    """Models in which every state switches at its own time, at a true error of at most 1e-8."""
    print(f"random models of 3 actions, true error at most {target:g}; scipy with a compiled right-hand side")
    rows = []
    for states, targets, method in (
        (500, 500, "LSODA"),
        (500, 500, "RK45"),
        (2000, 5, "RK45"),
        (4000, 5, "RK45"),
    ):
        model = random_switching(states, targets)
        truth = certify(solve_numeric(model, tolerance=1e-3 * target))
        values = np.array([truth.solution.value(x) for x in model.states])
        solution = solve_numeric(model, tolerance=target)
        proof = certify(solution)
        ours = max(abs(solution.value(x) - v) for x, v in zip(model.states, values, strict=True))
        assert max(ours + truth.bound, proof.bound) <= target
        for k in range(32, 52):
            tolerance = 10.0 ** (-k / 4)
            theirs = float(np.abs(_compiled_scipy(model, method, tolerance) - values).max())
            if theirs <= target:
                break
        solving, proving, scipy = times_in_turns(
            lambda m=model: solve_numeric(m, tolerance=target),
            lambda s=solution: certify(s),
            lambda m=model, n=method, t=tolerance: _compiled_scipy(m, n, t),
            rounds=3,
        )
        both = list(map(sum, zip(solving, proving, strict=True)))
        rows.append(
            (
                f"S = {states}, {targets} targets",
                f"{len(solution.switches)} in {len(solution.best)} pieces",
                f"{proof.bound:.0e}",
                f"{min(solving) * 1e3:.0f} + {min(proving) * 1e3:.0f} ms",
                f"{method} {tolerance:.0e}: {theirs:.0e}, {min(scipy) * 1e3:.0f} ms",
                f"{ratios(scipy, solving)} / {ratios(scipy, both)}",
            )
        )
    head = (
        "model",
        "switches",
        "proved",
        "solve + certify",
        "scipy: true error, time",
        "ratio without / with proof",
    )
    print(table(head, rows), end="\n\n")


def against_compiled_scipy_small(target: float = 1e-10) -> None:
    """Machine repair: the value of a state, computed and proved, against LSODA with a compiled slope."""
    model = machine_repair()
    x = model.initial_state
    truth = [float(solve(model, digits=20).value(x).mid) for x in model.states]
    assert certify(solve_numeric(model, tolerance=target)).bound <= target
    tolerances = (10.0 ** (-k / 4) for k in range(32, 52))
    for tolerance in tolerances:
        error = float(np.abs(_compiled_scipy(model, "LSODA", tolerance) - truth).max())
        if error <= target:
            break
    times = times_in_turns(
        lambda: solve_numeric(model, tolerance=target).value(x),
        lambda: certify(solve_numeric(model, tolerance=target)).value(x),
        lambda: _compiled_scipy(model, "LSODA", tolerance),
        rounds=15,
    )
    names = ("ctucbvi, a value", "ctucbvi, a certified value", f"LSODA {tolerance:.0e}: {error:.0e}")
    rows = [(n, f"{min(t) * 1e6:.1f} us", ratios(times[2], t)) for n, t in zip(names, times, strict=True)]
    print(f"machine repair, true error at most {target:g}; LSODA with a compiled right-hand side")
    print(table(("", "time", "ratio"), rows), end="\n\n")


def against_storm_small(epsilon: float = 1e-8) -> None:
    """Random reachability, S = 4, A = 3, where the policy does not switch: certified against Unif+."""
    try:
        storm_peer.require()
    except storm_peer.PeerMissingError as missing:
        print(f"Storm left out: {missing}\n")
        return
    found, sums = [], np.zeros(2)
    for seed in range(20):
        model = random_reachability(4, 3, seed)
        proof = certify(solve_numeric(model, tolerance=epsilon))
        if proof.switches:
            continue
        (ours,) = best_times(lambda m=model: certify(solve_numeric(m, tolerance=epsilon)), rounds=9)
        value, theirs = storm_peer.solve(model, epsilon)
        assert proof.bound <= epsilon
        assert abs(Fraction(value) - proof.value(model.initial).mid) <= 2 * Fraction(epsilon), seed
        found.append(theirs / ours)
        sums += theirs, ours
    print(f"random reachability, S = 4, A = 3, not switching, {epsilon:g}, {len(found)} models, certified")
    print(f"ratio: {spread(found)}, of all together {sums[0] / sums[1]:.1f}\n")


def against_plain_iteration(steps: int = 400) -> None:
    """The plain O(steps²) value iteration on a grid, at the accuracy that its grid gives."""
    model = machine_repair()
    truth = float(solve(model, digits=20).value("operating").mid)
    error = abs(_plain(model, steps) - truth)
    ours, theirs = best_times(
        lambda: solve_numeric(model, tolerance=1e-10), lambda: _plain(model, steps), rounds=3
    )
    print(f"plain iteration with {steps} steps, quadratic in the steps: error {error:.0e}")
    rows = [
        ("ctucbvi, 1e-10", f"{ours * 1e6:.0f} us", "1"),
        ("plain iteration", f"{theirs * 1e3:.1f} ms", f"{theirs / ours:.0f}"),
    ]
    print(table(("", "time", "ratio"), rows), end="\n\n")


def _plain(model: CTMDP, steps: int) -> float:
    """V by iterating the integral operator, trapezoidal rule, all sums written out (NumPy)."""
    a = _dense(model)
    h = a.horizon / steps
    t = np.linspace(0, a.horizon, steps + 1)
    lag = t[:, None] - t[None, :]
    kernels = [np.where(lag >= 0, lam * np.exp(-lam * np.maximum(lag, 0)), 0.0) for lam in a.rate]
    for kernel in kernels:
        kernel *= h
        kernel[:, 0] /= 2
        np.fill_diagonal(kernel, kernel.diagonal() / 2)
    gain = [r * (-np.expm1(-lam * t) / lam) for r, lam in zip(a.reward, a.rate, strict=True)]
    v = np.zeros((a.jump.shape[1], steps + 1))
    for _ in range(60):
        q = np.array([g + k @ (row @ v) for g, k, row in zip(gain, kernels, a.jump, strict=True)])
        new = np.maximum.reduceat(q, a.first, axis=0)
        change, v = np.abs(new - v).max(), new
        if change < 1e-12:
            break
    return float(v[0, -1])


def against_storm(epsilon: float = 1e-8, limit: float = 300.0) -> None:
    """Random dense reachability, S = 100, A = 4: a certified 1e-8 against Unif+ at 1e-8."""
    model = random_reachability(100, 4, seed=1)
    solution = solve_numeric(model, tolerance=epsilon / 4)
    proof = certify(solution)
    (ours,) = best_times(lambda: certify(solve_numeric(model, tolerance=epsilon / 4)), rounds=3)
    print(f"random reachability, S = 100, A = 4: proved bound {proof.bound:.1e}, {ours * 1e3:.0f} ms")
    assert proof.bound <= epsilon
    try:
        storm_peer.require()
        value, theirs = storm_peer.solve(model, epsilon, limit=limit)
    except storm_peer.PeerMissingError as missing:
        print(f"Storm left out: {missing}\n")
        return
    except TimeoutError as error:  # taking too long is a result; anything else is a defect of the benchmark
        print(f"{error}\n")
        return
    ratio = theirs / ours
    print(f"Storm Unif+ at {epsilon:g}: {theirs:.1f} s, ratio {ratio:.0f}, values differ by "
          f"{abs(value - solution.value(model.initial)):.1e}\n")  # fmt: skip


def sparse_queue(states: int, speeds: int = 5) -> CTMDP:
    """The same queue from arrays."""
    n, k = np.repeat(np.arange(states), speeds), np.tile(np.arange(speeds), states)
    n, k = n[(n > 0) | (k == 0)], k[(n > 0) | (k == 0)]
    up, down = np.flatnonzero(n < states - 1), np.flatnonzero(n > 0)
    rates = 2 * (n < states - 1) + (k + 1) * (n > 0)
    return CTMDP.from_sparse(
        (n, k),
        rates,
        (-(4 * n + 5 * k * k), np.full(len(n), 40)),
        (np.append(up, down), np.append(n[up] + 1, n[down] - 1)),
        (np.append(np.full(len(up), 2), k[down] + 1), np.append(rates[up], rates[down])),
        horizon=4,
        states=[str(i) for i in range(states)],
        actions=[f"speed-{i + 1}" for i in range(speeds)],
        name=f"queue-{states - 1}",
    )


def reach(states: int, kept: str) -> tuple[float, float, float, float]:
    """Seconds to make the model and to solve it, the most memory of the process in MiB, and the bound."""
    certify(solve_numeric(sparse_queue(100)))
    solve_certified(sparse_queue(100), at=[])
    began = process_time()
    model = sparse_queue(states)
    Arrays.in_order(model)
    made = process_time()
    solved = solve_numeric(model, tolerance=1e-8, at=None if kept == "all" else [])
    ended = process_time()
    proof = certify(solved) if kept == "all" else solve_certified(model, tolerance=1e-8, at=[])
    return made - began, ended - made, most_memory(), proof.bound


def reaches() -> None:
    """Making a model against solving it, and keeping everything against keeping what is asked for."""
    print(
        "the same queue from arrays, tolerance 1e-8; each in a process of its own, seconds of the processor"
    )
    rows = []
    for states, kept in (
        (10_000, "all"),
        (10_000, "horizon"),
        (30_000, "horizon"),
        (100_000, "horizon"),
    ):
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            made, solved, memory, bound = pool.submit(reach, states, kept).result()
        rows.append(
            (
                str(states),
                kept,
                f"{made:.3f} s",
                f"{solved:.2f} s",
                f"{made / solved:.3f}",
                f"{memory:.0f} MiB",
                f"{bound:.1e}",
            )
        )
    print(table(("S", "kept", "model", "solve", "ratio", "process", "proved bound"), rows), end="\n\n")


def reading(rounds: int = 5) -> None:
    """Making a model, from arrays and from files, against solving it; what planners need included."""
    print("the same queue from arrays and from files, against solving it to 1e-8; medians of ratios, and all")
    rows = []
    for states in (10_000, 30_000):
        model = sparse_queue(states)
        texts = {kind: dump_model(model, format=kind) for kind in ("json", "toml")}
        data = binary_of(model)
        works: dict[str, Callable[[], CTMDP]] = {
            "arrays": lambda n=states: sparse_queue(n),
            ".npz": lambda d=data: model_of_binary(d, "queue.npz"),
            "JSON": lambda t=texts["json"]: parse_model(t, format="json"),
            "TOML": lambda t=texts["toml"]: parse_model(t),
        }
        assert all(work() == model for work in works.values())
        times = [_read_and_solved(works.values()) for _ in range(rounds + 1)][1:]  # the first one warms up
        for name, taken in zip(works, zip(*times, strict=True), strict=True):
            ratios = sorted(read / solved for read, solved in taken)
            shown = f"{median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})"
            rows.append((str(states), name, f"{median(read for read, _ in taken):.3f} s", shown))
    print(table(("S", "from", "time", "of the solve"), rows), end="\n\n")


def _read_and_solved(works: Iterable[Callable[[], CTMDP]]) -> list[tuple[float, float]]:
    """Seconds that each way to a model takes, and solving it just after."""
    times = []
    for work in works:
        collect()
        began = process_time()
        model = work()
        Arrays.in_order(model)
        read = process_time()
        solve_numeric(model, tolerance=1e-8, at=[])
        times.append((read - began, process_time() - read))
    return times


def growth(picture: Path | None = None) -> None:
    """Time and memory against the number of states of a sparse queue."""
    print("queue with five speeds, sparse, tolerance 1e-8")
    rows, sizes, times = [], [], []
    for states in (100, 300, 1000, 3000, 10_000):
        model = speed_queue(states - 1)
        began = process_time()
        solution = solve_numeric(model, tolerance=1e-8)
        solved = process_time()
        proof = certify(solution)
        ended = process_time()
        sizes.append(states)
        times.append(solved - began)
        memory = (solution.coefficients.nbytes + solution.scores.nbytes) / 2**20
        rows.append(
            (
                str(states),
                f"{solved - began:.2f} s",
                f"{ended - solved:.2f} s",
                f"{memory:.0f} MiB",
                str(len(solution.best)),
                f"{proof.bound:.1e}",
            )
        )
    print(table(("S", "solve", "certify", "stored", "pieces", "proved bound"), rows))
    slope = float(np.polyfit([log(s) for s in sizes], [log(t) for t in times], 1)[0])
    print(f"log-log slope of the time from S = 100 to S = 10,000: {slope:.2f}\n")
    if picture:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        figure, axis = plt.subplots(figsize=(5, 3.6), layout="constrained")
        axis.loglog(sizes, times, "o-", label="time to solve")
        axis.loglog(sizes, [times[-1] * s / sizes[-1] for s in sizes], ":", color="0.5", label="linear")
        axis.set_xlabel("states")
        axis.set_ylabel("seconds")
        axis.legend(frameon=False)
        figure.savefig(picture)
        plt.close(figure)


def tightness() -> None:
    """How much larger the proved bound is than the true error, and what proving costs."""
    print("certificates on the bundled models, tolerance 1e-9")
    rows = []
    for name, model in bundled_models().items():
        for semantics in ("committed", "adjustable"):
            solution = solve_numeric(model, semantics, tolerance=1e-9)
            proof = certify(solution)
            exact = solve(model, semantics, digits=18)
            grid = [model.horizon * Fraction(k, 64) for k in range(65)]
            error = max(
                abs(float(proof.value(x, t).mid - exact.value(x, t).mid)) for x in model.states for t in grid
            )
            solving, proving = best_times(
                lambda m=model, s=semantics: solve_numeric(m, s, tolerance=1e-9),
                lambda s=solution: certify(s),
                rounds=5,
            )
            rows.append(
                (
                    name,
                    semantics,
                    f"{error:.1e}",
                    f"{proof.bound:.1e}",
                    f"{proof.bound / error:.0f}",
                    f"{proving / solving:.1f}",
                )
            )
    head = ("model", "semantics", "true error", "proved bound", "ratio", "proof time / solve time")
    print(table(head, rows))


def main() -> None:
    """Print all tables."""
    against_scipy()
    against_compiled_scipy_small()
    against_compiled_scipy()
    against_plain_iteration()
    against_storm_small()
    against_storm()
    pictures = Path("build")
    pictures.mkdir(exist_ok=True)
    growth(pictures / "growth.svg")
    reading()
    reaches()
    tightness()
