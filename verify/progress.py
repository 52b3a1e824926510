"""What is said on stderr while somebody waits: a line of progress, or a note about something slow.

The time left is what the rest takes at the speed so far; it is said where the whole takes more than a few
seconds.  Code that does not know who waits (a check, in whatever process) says with :func:`working` which
part of its work is done; who waits listens with :func:`listening`.
"""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from types import TracebackType

Listener = Callable[[float], None]  # is told the part that is done, 0 to 1

_SILENT = 2.0  # seconds before anything is shown
_EVERY = 0.5  # seconds between two updates of the line; without a terminal ten times as long
_LONG = 10.0  # seconds of work from which on the time left is worth a word
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def working(part: float) -> None:
    """Report from inside some work that ``part`` (0 to 1) of it is done."""
    if (listener := _listener.get()) is not None:
        listener(float(part))


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """What is done inside reports to ``listener``, at most every half second."""
    last = monotonic()

    def tell(part: float) -> None:
        nonlocal last
        if monotonic() - last >= _EVERY:
            last = monotonic()
            listener(part)

    token = _listener.set(tell)
    try:
        yield
    finally:
        _listener.reset(token)


def rest(part: float, seconds: float) -> float:
    """The seconds that the rest takes, if ``part`` took ``seconds``; 0 where nothing is known."""
    return seconds * (1 - part) / part if 0 < part < 1 else 0.0


def clock(seconds: float) -> str:
    """A time in words."""
    minutes, over = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {over} s" if minutes else f"{over} s"


class ProgressLine:
    """Call it with the part that is done, or tell it in words; most calls write nothing."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._started = self._last = self._begun = monotonic()
        self._part = 0.0
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

    def __call__(self, part: float, begun: float = 0.0) -> None:
        """Report that ``part`` (0 to 1) of the work is done, of which ``begun`` was there at the start.

        Where the part falls the work has begun anew, and its speed is that from then on.
        """
        if part < self._part:
            self._begun = monotonic()
        self._part = part
        here = (part - begun) / (1 - begun) if begun < 1 else 1.0
        self.tell(f"{part:4.0%}", left=rest(here, monotonic() - self._begun))

    def tell(self, done: str, more: str = "", left: float = 0.0) -> None:
        """Report what is done, what else there is to say, and the seconds that are left, if known."""
        now, terminal = monotonic(), sys.stderr.isatty()
        if now - self._started < _SILENT or now - self._last < (_EVERY if terminal else 10 * _EVERY):
            return
        self._last, self._shown = now, True
        spent = now - self._started
        ahead = f", about {clock(left)} left" if left and spent + left > _LONG else ""
        text = f"{self._label}: {done} after {clock(spent)}{ahead}{more}"
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
