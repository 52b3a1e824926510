"""Worker processes leave Ctrl-C to their parent, which ends them, and end when it is gone."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker


@contextmanager
def no_interrupt() -> Iterator[None]:
    """Processes started inside never see Ctrl-C: not even while they import what they need to ignore it."""
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover - on Windows
        yield
        return
    resource_tracker.ensure_running()  # starting it would unblock the signal again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_parent() -> None:
    """From now on this process ends when its parent does."""
    threading.Thread(target=_wait_for_the_end, daemon=True).start()


def _wait_for_the_end() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
