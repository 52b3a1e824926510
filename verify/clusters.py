"""A dask scheduler that somebody has started: connecting to it, and what is said when it goes."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from verify.errors import UserError
from verify.progress import note_if_slow

_PATIENCE = 10  # seconds to wait for a scheduler


class GoneError(Exception):
    """Who did the work is gone; the text says who."""


@contextmanager
def connected(address: str, install: str = "distributed") -> Iterator[Any]:
    """A client of the scheduler at ``address``; ``install`` is what pip is told where dask is missing."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise UserError(f"--cluster needs dask.distributed; install it with: pip install {install}") from None
    try:
        with note_if_slow(f"waiting for the scheduler at {address}, for up to {_PATIENCE} s"):
            client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"--cluster {address!r}: no scheduler answers there ({reason})") from None
    # These would write tracebacks when a scheduler goes; what is raised is enough.
    for name in ("distributed", "distributed.client", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    if not client.nthreads():
        more = f"start some with: dask worker {address}"
        print(f"the scheduler at {address} has no workers yet; {more}", file=sys.stderr)
    try:
        with client:
            yield client
    except distributed.KilledWorker:
        raise GoneError(f"workers of {address} died, several at the same block") from None
    except CancelledError:
        raise GoneError(f"the scheduler at {address} is gone") from None
