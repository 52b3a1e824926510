"""What a first call waits for: compiling, once per installation, and loading, once per process.

Both are measured in processes of their own, which keep compiled code in an empty folder: a plan by the
numeric engine, and its certificate, through the command; the same in Python, where a small model is marched
in kernels of its own, and for a larger model; and one short run of each learner.  Beside the first stands the
same command with every kernel compiled by ``numba.njit(cache=True)``, as most packages have it, and in one
process alone.  By the clock two cores are of use only where nobody else needs them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from verify.streams import writing
from verify.tables import table

_PLAN = "from ctucbvi.cli import main; main(['plan', 'machine-repair', '--engine', 'numeric'])"
_OURS = "plan machine-repair"
_PLANS = {
    f"{_OURS}, numba alone": f"""
import numba, ctucbvi.kernels as kernels
kernels.compiled = lambda **options: numba.njit(cache=options.get("inline") != "always", **options)
numba.core.registry.CPUDispatcher.waits = False  # nobody beside it
{_PLAN}
""",
    f"{_OURS}, one process": f"import ctucbvi.kernels as kernels; kernels._cores = lambda: 1; {_PLAN}",
    _OURS: _PLAN,
}
_SOLVE = "from ctucbvi.numeric import solve_certified; solve_certified({})"
_REGRET = "from ctucbvi.cli import main; main(['regret', 'machine-repair', '--episodes', '20', '--runs', '1'"
_OTHERS = {
    "in Python, 4 pairs": f"from ctucbvi.library import machine_repair; {_SOLVE.format('machine_repair()')}",
    "in Python, 1001 pairs": "from tests.benchmarks.random_models import speed_queue; "
    + _SOLVE.format("speed_queue(200)"),
    **{
        f"regret, {bonus}": f"{_REGRET}, '--bonus', '{bonus}'])" for bonus in ("paper", "sharp", "optimistic")
    },
}


def call(program: str, kept: str) -> tuple[float, float]:
    """Seconds by the clock and of the processor that a new process takes for it; code is kept there."""
    before, began = getrusage(RUSAGE_CHILDREN), perf_counter()
    told = os.environ | {"NUMBA_CACHE_DIR": kept}
    subprocess.run([sys.executable, "-c", program], env=told, check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return perf_counter() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def calls(program: str, later: int) -> list[tuple[float, float]]:
    """The first call of an installation, and then of so many processes."""
    with TemporaryDirectory() as kept:
        return [call(program, kept) for _ in range(1 + later)]


def _row(name: str, tries: list[list[tuple[float, float]]]) -> tuple[str, ...]:
    compiled, by_clock = (median(turn[0][k] for turn in tries) for k in (1, 0))
    later = sorted(clock for turn in tries for clock, _ in turn[1:])
    shown = f"{median(later):.2f} ({later[0]:.2f}-{later[-1]:.2f})"
    return name, f"{compiled:.1f}", f"{by_clock:.1f}", shown


@writing("python -m tests.benchmarks.bench_start")
def main(turns: int = 3, later: int = 5) -> None:
    """Print all, in turns."""
    print(f"first calls of an installation and of a process: medians of {turns} turns, {later} calls each")
    found: dict[str, list[list[tuple[float, float]]]] = {name: [] for name in (*_PLANS, *_OTHERS)}
    for turn in range(turns):
        for name, program in (_PLANS | _OTHERS if turn == 0 else _PLANS).items():
            found[name].append(calls(program, later))
    rows = [_row(name, tries) for name, tries in found.items()]
    print(table(("kernels", "compiling, s of CPU", "by the clock", "first call of a process, s"), rows))
    plain, alone, ours = (found[name] for name in _PLANS)
    for what, k, fast in (("CPU, one process", 1, alone), ("clock", 0, ours)):
        times = sorted(a[0][k] / b[0][k] for a, b in zip(plain, fast, strict=True))
        print(f"numba alone / as it is, {what}: {median(times):.1f} ({times[0]:.1f}-{times[-1]:.1f})")
    print()


if __name__ == "__main__":
    main()
