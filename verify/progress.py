"""What is said on stderr while somebody waits: a line of progress, or a note about something slow."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import TracebackType

_SILENT = 2.0  # seconds before anything is shown
_EVERY = 0.5  # seconds between two updates of the line; without a terminal ten times as long


class ProgressLine:
    """Call it with the part that is done, or tell it in words; most calls write nothing."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._started = self._last = monotonic()
        self._shown = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown and sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return monotonic() - self._started

    def __call__(self, part: float) -> None:
        """Report that ``part`` (0 to 1) of the work is done."""
        self.tell(f"{part:4.0%}")

    def tell(self, done: str, more: str = "") -> None:
        """Report what is done, and what else there is to say."""
        now, terminal = monotonic(), sys.stderr.isatty()
        if now - self._started < _SILENT or now - self._last < (_EVERY if terminal else 10 * _EVERY):
            return
        self._last, self._shown = now, True
        text = f"{self._label}: {done} after {now - self._started:.0f} s{more}"
        if terminal:
            width = shutil.get_terminal_size().columns - 1
            print(f"\r{text[:width]}\x1b[K", end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)


@contextmanager
def note_if_slow(text: str) -> Iterator[None]:
    """Say ``text`` if what is done inside takes a while."""
    patience = threading.Timer(_SILENT, print, [text], {"file": sys.stderr})
    patience.start()
    try:
        yield
    finally:
        patience.cancel()
