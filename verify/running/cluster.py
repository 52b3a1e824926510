"""Claims on the workers of a cluster, with the results, the cache and the progress of this machine.

Whoever asks sends labels and keeps what comes back, at once: workers need no folder in common, and an
interrupted run has lost nothing that was finished.  What happens at a worker is
:mod:`verify.running.deputies`.

A worker that dies is nobody's fault: its claim is checked by another one.  A claim at which several die is
a failed check.  A worker with other versions or sources ends the run, and the message says what to do.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from verify.claims import ClaimError, ClaimSet
from verify.clusters import connected
from verify.running.deputies import Answer, Errand, Reply, Stranger, check
from verify.running.fingerprints import Fingerprints, versions
from verify.running.parallel import TICK, Job, Stream, Task, Underway, Watch
from verify.running.results import Result


def in_cluster(job: Job, tasks: Sequence[Task], claims: ClaimSet, address: str, watch: Watch) -> Stream:
    """By the workers of the scheduler at ``address``, in whatever order they finish."""
    errand = _errand(job, tasks, claims)
    under_way: dict[str, Underway] = {}

    def heard(event: tuple[float, tuple[str, float]]) -> None:
        label, part = event[1]
        under_way.setdefault(label, Underway(label)).part = part

    with connected(address) as client:
        client.subscribe_topic(errand.run, heard)
        executor = client.get_executor(pure=False)
        running: dict[Future[Any], Task] = {executor.submit(check, errand, task): task for task in tasks}
        while running:
            watch([one for one in list(under_way.values()) if one.label in _labels(running)])
            for future in wait(running, timeout=TICK, return_when=FIRST_COMPLETED).done:
                task = running.pop(future)
                result = _result(job, task, claims, _answered(future, task, address))
                under_way.pop(task.label, None)
                yield result


def _labels(running: Mapping[Future[Any], Task]) -> set[str]:
    return {task.label for task in running.values()}


def _errand(job: Job, tasks: Sequence[Task], claims: ClaimSet) -> Errand:
    """What workers are sent with every claim; they keep nothing themselves."""
    source = job.source
    files = Fingerprints(source).beside(*(claims[task.label] for task in tasks))
    if source.subject is not None and Path(source.subject).is_file():
        files[Path(source.subject).name] = Path(source.subject).read_bytes()
    return Errand(uuid.uuid4().hex, replace(job, cache=None), versions(), files)


def _answered(future: Future[Any], task: Task, address: str) -> tuple[str, Answer]:
    """Who answered, and what."""
    try:
        who, answer = future.result()
    except CancelledError:  # the scheduler is gone
        raise
    except import_module("distributed").KilledWorker as error:
        how = f"{error.allowed_failures + 1} workers died at it"
        return address, Reply(Result.failed(task.label, "worker", how).to_json(), False)
    except Exception as error:  # dask could not begin the work: nothing of ours raises
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ClaimError(
            f"--cluster {address}: a worker cannot begin ({reason}); install the same packages there"
        ) from None
    return who, answer


def _result(job: Job, task: Task, claims: ClaimSet, answered: tuple[str, Answer]) -> Result:
    """What was found, kept; a worker that is not like this machine is refused."""
    who, answer = answered
    if isinstance(answer, Reply):
        result = Result.from_json(answer.result)
        if job.cache is not None and answer.same:
            job.cache.put(task.key, result)
        return result
    if isinstance(answer, Stranger):
        raise ClaimError(f"--cluster: worker {who}: {_difference(job, task, claims, answer)}")
    raise ClaimError(f"--cluster: worker {who}: {answer.why}; install the same packages there")


def _difference(job: Job, task: Task, claims: ClaimSet, there: Stranger) -> str:
    """What is not the same, and what to do."""
    here = versions()
    for name in sorted(here.keys() | there.versions.keys()):
        mine, other = here.get(name, "absent"), there.versions.get(name, "absent")
        if mine != other:
            return f"{name} is {other} there and {mine} here; install the same version there"
    sources = Fingerprints(job.source).sources_of(claims[task.label])
    for name in sorted(sources.keys() | there.sources.keys()):
        if sources.get(name) != there.sources.get(name):
            how = "differs from the one here" if name in there.sources else "is missing"
            return f"the module {name or job.source} {how}; install the same sources there"
    return f"claim {task.label} says something else there than here; install the same sources there"
