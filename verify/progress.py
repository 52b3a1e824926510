"""A progress line on stderr for work that takes longer than two seconds."""

from __future__ import annotations

import sys
from time import monotonic
from types import TracebackType

_SILENT = 2.0  # seconds before anything is shown
_EVERY = 0.5  # seconds between two updates


class ProgressLine:
    """Call it with the part that is done; it writes only when there is somebody to wait."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._started = monotonic()
        self._last = self._started
        self._shown = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown and sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def __call__(self, part: float) -> None:
        """Report that ``part`` (0 to 1) of the work is done."""
        now = monotonic()
        every = _EVERY if sys.stderr.isatty() else 10 * _EVERY
        if now - self._started < _SILENT or now - self._last < every:
            return
        self._last, self._shown = now, True
        text = f"{self._label}: {part:4.0%} after {now - self._started:.0f} s"
        if sys.stderr.isatty():
            print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)
