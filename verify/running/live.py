"""A line on stderr that says how far a run is, while somebody waits."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from time import monotonic
from types import TracebackType

_SILENT = 2.0  # seconds before anything is shown
_EVERY = 0.5  # seconds between two updates of the line; without a terminal ten times as long


class RunProgress:
    """Shows claims finished, claims in all, the time, and what is being checked."""

    def __init__(self) -> None:
        self._started = self._last = monotonic()
        self._shown = False

    def __enter__(self) -> RunProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown and sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def __call__(self, finished: int, total: int, current: Sequence[str]) -> None:
        """Report; most calls write nothing."""
        now = monotonic()
        terminal = sys.stderr.isatty()
        if now - self._started < _SILENT or now - self._last < (_EVERY if terminal else 10 * _EVERY):
            return
        self._last, self._shown = now, True
        text = f"verify: {finished} of {total} claims after {now - self._started:.0f} s"
        text += f"; now {', '.join(current)}" if current else ""
        if terminal:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r{text[:width]}\x1b[K", end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)
