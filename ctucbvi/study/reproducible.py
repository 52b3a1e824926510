"""Whether a learner from a file plays the same again: its first episodes, once more, in another process.

Figures that depend on who computed them are no figures.  A learner that draws without its seed, or remembers
in global variables, plays otherwise for another number of workers, other blocks or another day, and nothing
that it computes shows that.  So before its first run begins, three passages of episodes are played here and
then, in the opposite order, in a process of their own, which has other globals and another hash seed:

* the start of run 0,
* its next episodes, there from what is kept after the first ones (the snapshot, as between two blocks),
* the start of run 1.

What one passage leaves behind in globals is therefore not what it was here.  A passage is as many episodes as
take a second, at most 64, and at most half of all.  What is played (the policy, or what was earned, and the
times at all pairs) has to be the same after each episode.  What the learner has as attributes is not looked
at, so that clocks, files and caches are its own business as long as nothing comes of them.

One line says what was not the same.  What nobody sees here: what shows later than in these episodes, in other
runs, or on another machine, and what happened to come out the same twice.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import inf
from time import perf_counter
from typing import Any, cast

from ctucbvi.errors import InputError
from ctucbvi.learning.fast.learner import GridLearner
from ctucbvi.study.plan import Contestant, RunPlace, Study
from verify.clusters import GoneError

_SECONDS, _MOST = 1.0, 64  # of a passage of episodes, whatever ends it first
_INSTEAD = "draw with task.seed, and keep what it remembers in attributes"
_CHILD = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from ctucbvi.study.reproducible import answer; answer()"
)


@dataclass(frozen=True)
class Passage:
    """Consecutive episodes of a run, and what each of them came to."""

    run: int
    snapshot: bytes | None  # of the learner before them; None: the start
    after: int  # episodes before them
    found: tuple[str, ...]

    def __str__(self) -> str:
        return "from the start" if self.snapshot is None else f"from what is kept after episode {self.after}"


def check_reproducible(study: Study, contestant: Contestant) -> None:
    """Refuse a learner that does not play the same again; see the module's text."""
    with Elsewhere(replace(study, contestants=(contestant,))) as other:
        difference = difference_of(study, contestant, other)
    if difference is not None:
        raise InputError(f"{contestant.name}: not reproducible: {difference}")


def difference_of(study: Study, contestant: Contestant, other: Elsewhere) -> str | None:
    """What is not the same when ``contestant`` plays again in the ``other`` process; None if nothing is."""
    for passage in reversed(_played(study, contestant)):
        again = other.play(contestant.name, passage)
        if isinstance(again, str):
            return f"run {passage.run} played again in another process {passage}: {again}"
        for i, (one, two) in enumerate(zip(passage.found, again, strict=True)):
            if one != two:
                return (
                    f"episode {passage.after + i + 1} of run {passage.run} is another one when it is played "
                    f"again in another process {passage}; {_INSTEAD}"
                )
    return None


def _played(study: Study, contestant: Contestant) -> Sequence[Passage]:
    """The passages as they are here."""
    last = study.settings.episodes
    most = min(_MOST, max(1, last // 2))

    def passage(run: int, learner: GridLearner, snapshot: bytes | None = None) -> Passage:
        return Passage(run, snapshot, learner.episodes, _outcomes(learner, most, _SECONDS))

    learner = _made(study, contestant, 0, None)
    found = [passage(0, learner)]
    if learner.episodes < last:
        found.append(passage(0, learner, learner.snapshot()))
    return [*found, passage(1, _made(study, contestant, 1, None))]


def _made(study: Study, contestant: Contestant, run: int, snapshot: bytes | None) -> GridLearner:
    place = RunPlace(study.model, study.settings, study.seed, run, study.initial)
    return cast(GridLearner, contestant.make(place, contestant.steps, snapshot))


def _outcomes(learner: GridLearner, most: int, seconds: float = inf) -> tuple[str, ...]:
    """What comes of up to ``most`` further episodes, one by one; at least one is played."""
    found, end = list[str](), inf
    while len(found) < most and perf_counter() < end:
        played = learner.advance(1)
        text = repr((played.distinct.tolist(), played.earned, learner.time, learner.n_plus.tolist()))
        found.append(sha256(text.encode()).hexdigest())
        end = min(end, perf_counter() + seconds)  # after the first one, which may have to compile something
    return tuple(found)


class Elsewhere:
    """A process that plays passages of a study again, one after the other; it ends with this one."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def __enter__(self) -> Elsewhere:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # the learner has had its say here
            start_new_session=True,  # Ctrl-C is for who asked
        )
        try:
            self._send([os.path.abspath(path) for path in sys.path])
            self._send(pickle.dumps(self._study))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def play(self, name: str, passage: Passage) -> Sequence[str] | str:
        """What each of its episodes comes to there; or what went wrong, in one line."""
        self._send((name, passage.run, passage.snapshot, len(passage.found)))
        assert self._process.stdout is not None
        try:
            found: Sequence[str] | str = pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError):
            raise GoneError("the process that plays learners again died") from None
        return found

    def _send(self, what: object) -> None:
        assert self._process.stdin is not None
        try:
            pickle.dump(what, self._process.stdin)
            self._process.stdin.flush()
        except BrokenPipeError:
            raise GoneError("the process that plays learners again died") from None


def answer() -> None:
    """In the other process: play what is asked for, until nothing is."""
    asked, told = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the learner prints is no answer
    study: Study = pickle.loads(pickle.load(asked))
    requests: list[Any] = []
    ready = threading.Semaphore(0)

    def listen() -> None:
        while True:
            try:
                requests.append(pickle.load(asked))
            except (EOFError, pickle.UnpicklingError):
                os._exit(0)  # who asked is gone
            ready.release()

    threading.Thread(target=listen, daemon=True).start()
    while True:
        ready.acquire()
        name, run, snapshot, count = requests.pop()
        found: Sequence[str] | str
        try:
            found = _outcomes(_made(study, study.contestant(name), run, snapshot), count)
        except InputError as error:
            found = str(error)
        pickle.dump(found, told)
        told.flush()
