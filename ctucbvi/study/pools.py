"""Who does the work: this process, others on this machine, or a cluster.

All three take a function, its argument and how urgent it is, and give a future.  Nothing else is known about
them, so the results cannot depend on the choice.

Worker processes leave Ctrl-C to their parent and end with it (:mod:`verify.workers`).
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from verify.clusters import GoneError, connected
from verify.workers import end_with_parent, no_interrupt

Submit = Callable[[Callable[[Any], Any], Any, float], "Future[Any]"]  # (function, argument, urgency)


@contextmanager
def pool(workers: int, cluster: str | None) -> Iterator[tuple[Submit, int | None]]:
    """Who takes tasks, and how many to give at a time (None: all; the most urgent is done first)."""
    if cluster is not None:
        with connected(cluster, "'ctucbvi[cluster]'") as client:
            # Not pure: equal arguments need not be remembered, and no result is kept longer than needed.
            executor = client.get_executor(pure=False)
            yield lambda work, task, urgency: executor.submit(work, task, priority=urgency), None
    elif workers == 1:
        yield _here, 1
    else:
        with _processes(workers) as executor:

            def submit(work: Callable[[Any], Any], task: Any, _: float) -> Future[Any]:
                with no_interrupt():  # a task may start a process
                    return executor.submit(work, task)

            yield submit, workers


def _here(work: Callable[[Any], Any], task: Any, _: float) -> Future[Any]:
    """At once, in this process."""
    future: Future[Any] = Future()
    future.set_result(work(task))
    return future


@contextmanager
def _processes(workers: int) -> Iterator[Executor]:
    before = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(
        workers, mp_context=multiprocessing.get_context("spawn"), initializer=_begin_worker
    )
    try:
        yield executor
    except BaseException as error:
        # What is under way is lost anyway; waiting for it would keep the user waiting.
        executor.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        if isinstance(error, BrokenProcessPool):
            raise GoneError("a worker process died") from None
        raise
    executor.shutdown()


def _begin_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # also where it cannot be blocked beforehand
    end_with_parent()
