"""The exact planner: against mpmath.odefun, against Storm, and how its time grows.

Two things that are compared run in turns (:mod:`tests.benchmarks.turns`).  The answers are compared as
well, so that nothing is fast by being wrong.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from time import process_time

from ctucbvi import CTMDP, Budget, Semantics, Transition, second_opinion, solve
from ctucbvi.library import machine_repair
from tests.benchmarks import odefun_peer, storm_peer
from tests.benchmarks.memory import most_memory
from tests.benchmarks.random_models import random_reachability, speed_queue
from tests.benchmarks.turns import best_times, ratios, spread, times_in_turns
from verify.tables import table

_REACHABILITY_SEEDS = range(20)


def against_odefun(digits: int = 40) -> None:
    """Machine repair to 40 certified digits, and odefun's time when it is told the switches."""
    model = machine_repair()
    regimes = odefun_peer.regimes_of(second_opinion.solve(model, digits=digits + 5))
    ours, tuned, plain = times_in_turns(
        lambda: solve(model, digits=digits),
        lambda: odefun_peer.solve(model, digits, regimes),
        lambda: odefun_peer.solve(model, digits, regimes, degree=odefun_peer.OWN_CHOICE),
    )
    values, _ = odefun_peer.solve(model, digits, regimes)
    solution = solve(model, digits=digits)
    error = max(abs(second_opinion.as_fraction(values[x]) - solution.value(x).mid) for x in model.states)
    print(f"machine repair, {digits} digits (odefun differs by {float(error):.0e})")
    rows = [
        ("ctucbvi, certified, finds the switches", f"{min(ours) * 1e3:.2f} ms", "1"),
        ("mpmath.odefun, given the switches", f"{min(plain) * 1e3:.1f} ms", ratios(plain, ours)),
        ("the same, degree tuned for this model", f"{min(tuned) * 1e3:.1f} ms", ratios(tuned, ours)),
    ]
    print(table(("", "time", "ratio"), rows), end="\n\n")


def against_storm(epsilon: float = 1e-8) -> None:
    """Random reachability, S = 4, A = 3: certified 1e-8 against Unif+ at 1e-8.

    Both sides have read the model before; what solving it for the first time takes stands beside.
    """
    print(f"random reachability, S = 4, A = 3, T = 1, {epsilon:g}, {len(_REACHABILITY_SEEDS)} models")
    try:
        storm_peer.require()
    except storm_peer.PeerMissingError as missing:
        print(f"left out: {missing}\n")
        return
    groups: dict[bool, list[tuple[float, float, float]]] = {True: [], False: []}
    for seed in _REACHABILITY_SEEDS:
        model = random_reachability(4, 3, seed)
        solution = solve(model, digits=8)
        value = solution.value(model.initial)
        assert value.radius <= Fraction(1, 10**8)
        ours, first = best_times(
            lambda model=model: solve(model, digits=8),
            lambda model=model: solve(model.with_horizon(model.horizon), digits=8),
            rounds=5,
        )
        theirs, time = storm_peer.solve(model, epsilon, limit=120)
        assert abs(Fraction(theirs) - value.mid) <= 2 * Fraction(epsilon), seed
        groups[bool(solution.switches)].append((ours, first, time))
    rows = []
    for name, times in [
        ("all", groups[True] + groups[False]),
        ("policy switches", groups[True]),
        ("policy does not switch", groups[False]),
    ]:
        ours, first, theirs = (sum(column) for column in zip(*times, strict=True)) if times else (0.0,) * 3
        whole = [f"{theirs / time:.2g}" if time else "-" for time in (ours, first)]
        whole.append(spread(b / a for a, _, b in times) if times else "-")
        taken = [f"{seconds * 1e3:.2f} ms" for seconds in (ours, first, theirs)]
        rows.append((name, str(len(times)), *taken, *whole))
    head = (
        "models",
        "number",
        "ctucbvi",
        "the first time",
        "Storm Unif+",
        "of all",
        "the first time",
        "ratios",
    )
    print(table(head, rows), end="\n\n")


def queues(sizes: Sequence[int] = (100,)) -> None:
    """A sparse queue in which almost every state switches twice, each size in a process of its own."""
    print("queue with five speeds, sparse, 15 digits; seconds of the processor")
    rows = []
    for states in sizes:
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            seconds, memory, switches = pool.submit(queue, states).result()
        rows.append((str(states), f"{seconds:.2f} s", f"{memory:.0f} MiB", str(switches)))
    print(table(("S", "time", "memory", "switches"), rows), end="\n\n")


def queue(states: int) -> tuple[float, float, int]:
    """Seconds to solve the queue, by how much the process grew meanwhile in MiB, and how many switches."""
    model = speed_queue(states - 1)
    before, began = most_memory(), process_time()
    solution = solve(model, budget=Budget(seconds=3000))
    ended, after = process_time(), most_memory()
    assert solution.undecided == ()
    return ended - began, after - before, len(solution.switches)


def growth() -> None:
    """Time against the numbers of states, actions and digits."""
    print("exact planner, random dense models with rewards, load 8, both semantics")
    rows = []
    for states, actions in [(5, 2), (10, 2), (10, 4), (20, 4), (40, 4)]:
        model = dense_model(states, actions, seed=1)
        for digits in (10, 30, 100):
            times = best_times(
                *(lambda s=s, m=model, d=digits: solve(m, s, digits=d) for s in Semantics), rounds=2
            )
            switches = [str(len(solve(model, s, digits=digits).switches)) for s in Semantics]
            rows.append((str(states), str(actions), str(digits), *(f"{t:.3f} s" for t in times), *switches))
    head = ("S", "A", "digits", "committed", "adjustable", "switches", "switches")
    print(table(head, rows))


def dense_model(states: int, actions: int, seed: int) -> CTMDP:
    """Rates up to 8, rewards in [0, 1], all jumps possible."""
    draw = random.Random(seed)
    names = [f"s{i}" for i in range(states)]
    rows = []
    for x in names:
        for a in range(actions):
            counts = [draw.randint(1, 9) for _ in names]
            rows.append(
                Transition.of(
                    x,
                    f"a{a}",
                    rate=Fraction(draw.randint(4, 32), 4),
                    reward=Fraction(draw.randint(0, 20), 20),
                    to={y: Fraction(c, sum(counts)) for y, c in zip(names, counts, strict=True)},
                )
            )
    return CTMDP.of(f"dense-{states}-{actions}", horizon=1, transitions=rows)


def main() -> None:
    """Print all tables."""
    against_odefun()
    against_storm()
    queues((100, 200, 400) if "--large" in sys.argv else (100,))
    growth()
