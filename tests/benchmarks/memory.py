"""How much memory a process has had."""

from __future__ import annotations

from pathlib import Path
from resource import RUSAGE_SELF, getrusage


def most_memory() -> float:
    """The most that this process has had so far, in MiB; Linux counts that of its parent in `ru_maxrss`."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return getrusage(RUSAGE_SELF).ru_maxrss / 1024
