"""A cluster on this machine: a scheduler and workers, each a process of its own; what a study has saved."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import ctucbvi

_DASK = [sys.executable, "-m", "dask"]
_QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Cluster(NamedTuple):
    address: str
    workers: list[subprocess.Popen[bytes]]
    scheduler: subprocess.Popen[bytes]


@contextmanager
def local_cluster(folder: Path, places: Sequence[Path], threads: int = 1) -> Iterator[Cluster]:
    """A scheduler, and a worker in each of these directories; ``folder`` is for its own files."""
    file = folder / "scheduler.json"
    where = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    started = [subprocess.Popen([*_DASK, "scheduler", *where], **_QUIET)]
    # Workers find the package wherever they are started.
    path = os.pathsep.join([str(Path(ctucbvi.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    try:
        deadline = time.monotonic() + 60
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        plain = ["--no-nanny", "--no-dashboard", "--local-directory"]
        one = ["worker", address, "--nthreads", str(threads), *plain]
        for place in places:
            given = {**_QUIET, "cwd": place, "env": {**os.environ, "PYTHONPATH": path}}
            started.append(subprocess.Popen([*_DASK, *one, str(folder)], **given))
        client = import_module("distributed").Client(address, set_as_default=False)
        with client:
            client.wait_for_workers(len(places), timeout=60)
        yield Cluster(address, started[1:], started[0])
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def saved(folder: Path) -> int:
    """Episodes on disk."""
    return sum(json.loads(file.read_text())["state"]["episode"] for file in folder.rglob("run-*.json"))


def wait_for(process: subprocess.Popen[bytes], folder: Path, episodes: int) -> None:
    """Until so many episodes are on disk."""
    deadline = time.monotonic() + 200
    while saved(folder) < episodes and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
