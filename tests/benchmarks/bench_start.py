"""What a first call waits for: compiling, once per installation, and loading, once per process.

Both are measured in processes of their own, which keep compiled code in an empty folder: a plan by the
numeric engine, and its certificate, through the command.  Beside it stands the same command with every
kernel compiled by ``numba.njit(cache=True)``, as most packages have it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from verify.tables import table

_COMMAND = ["plan", "machine-repair", "--engine", "numeric"]
_OURS = f"from ctucbvi.cli import main; main({_COMMAND})"
_PLAIN = f"""
import numba, ctucbvi.kernels as kernels
kernels.compiled = lambda **options: numba.njit(cache=options.get("inline") != "always", **options)
{_OURS}
"""


def call(program: str, kept: str) -> tuple[float, float]:
    """Seconds by the clock and of the processor that a new process takes for it; code is kept there."""
    before, began = getrusage(RUSAGE_CHILDREN), perf_counter()
    told = os.environ | {"NUMBA_CACHE_DIR": kept}
    subprocess.run([sys.executable, "-c", program], env=told, check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return perf_counter() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(turns: int = 3, calls: int = 5) -> None:
    """Print both, in turns."""
    print(f"first calls of an installation and of a process: medians of {turns} turns, {calls} calls each")
    found: dict[str, list[list[tuple[float, float]]]] = {"numba alone": [], "as it is": []}
    for _ in range(turns):
        for name, program in zip(found, (_PLAIN, _OURS), strict=True):
            with TemporaryDirectory() as kept:
                found[name].append([call(program, kept) for _ in range(1 + calls)])
    rows = []
    for name, tries in found.items():
        compiled, by_clock = (median(turn[0][k] for turn in tries) for k in (1, 0))
        later = sorted(clock for turn in tries for clock, _ in turn[1:])
        rows.append(
            (
                name,
                f"{compiled:.1f}",
                f"{by_clock:.1f}",
                f"{median(later):.2f} ({later[0]:.2f}-{later[-1]:.2f})",
            )
        )
    print(table(("kernels", "compiling, s of CPU", "by the clock", "first call of a process, s"), rows))
    times = sorted(
        slow[0][1] / fast[0][1] for slow, fast in zip(found["numba alone"], found["as it is"], strict=True)
    )
    print(f"numba alone / as it is: {median(times):.1f} ({times[0]:.1f}-{times[-1]:.1f})\n")


if __name__ == "__main__":
    main()
