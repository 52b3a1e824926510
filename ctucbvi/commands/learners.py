"""What the commands about learning share: their options, and how a study is carried out."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from ctucbvi import CTMDP, InputError, find_model
from ctucbvi.commands import fast
from ctucbvi.learning import Settings, initial_distribution
from ctucbvi.numbers import exact
from ctucbvi.study import BY_BONUS, LostWorkerError, RunState, Study, contestant, enough_cells
from ctucbvi.study.driver import Work
from ctucbvi.study.work import Task
from verify.progress import ProgressLine

T = TypeVar("T")




def study_of(options: argparse.Namespace, others: Sequence[str] = (), *, own_delta: bool = False) -> Study:
    """The study that the options describe, of the learner they describe and ``others``.

    ``own_delta``: without ``--delta`` it is that of the theorem.
    """
    if options.workers is not None and options.workers < 1:
        raise InputError(f"--workers {options.workers}: write a number of at least 1")
    model, given = model_of(options), told(options)
    if own_delta and options.delta is None and options.episodes > 0:  # else the settings refuse it
        given["delta"] = 1 / (2 * options.episodes * model.horizon)
    settings = Settings.for_model(model, episodes=options.episodes, **given)
    initial = initial_distribution(model, initial_of(model, options))
    names, cells = (BY_BONUS[str(settings.bonus)], *others), options.steps
    contestants = tuple(contestant(*((name,) if cells is None else (name, cells))) for name in names)
    study = Study(model, settings, options.seed, contestants, tuple(initial.items()))
    if cells is not None:
        return study
    with fast.compiling("the learner"):
        enough = tuple(replace(c, steps=enough_cells(study, c)) for c in contestants)
    return replace(study, contestants=enough)


def carried_out(
    options: argparse.Namespace, study: Study, label: str, play: Work, run: Callable[..., T]
) -> T | None:
    """What ``run`` returns when told who does the work; None, and one line, if these are gone.

    ``play`` is called once here, so that workers find compiled code and need not all make it.
    """
    if options.cluster is None:
        with fast.compiling("the learner"):
            for each in study.contestants:
                play(Task(study, each.name, 0, RunState(), 1))
    try:
        progress = TimeLeft(label)
        with progress:
            return run(
                study,
                options.runs,
                workers=options.workers or os.cpu_count() or 1,
                cluster=options.cluster,
                folder=None if options.out is None else Path(options.out),
                block=options.block,
                progress=progress.episodes,
            )
    except LostWorkerError as error:
        print(f"ctucbvi: {error}", file=sys.stderr)
        return None
    except KeyboardInterrupt:
        if options.out is not None:
            print(
                f"ctucbvi: what was finished is in {options.out}; the same command goes on", file=sys.stderr
            )
        raise


class TimeLeft(ProgressLine):
    """Progress in episodes, with the time that is left at the present pace."""

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self._name = label

    def episodes(self, found: int, done: int, wanted: int) -> None:
        """``found`` episodes were there at the start, ``done`` are now, of ``wanted``."""
        if done > found:
            left = (monotonic() - self._started) * (wanted - done) / (done - found)
            self._label = f"{self._name}: {_clock(left)} left"
        self(done / wanted)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"




def note_never_left(pairs: Sequence[dict[str, Any]]) -> list[str]:
    """What is to be said about pairs of rate 0 that keep the paper's bonus; nothing without any."""
    if not pairs:
        return []
    names = ", ".join(f"{pair['state']}/{pair['action']}" for pair in pairs)
    least = min(pair["bonus_at_least"] for pair in pairs)
    return [
        "",
        f"never left (rate 0): {names}. No jump is ever seen there, so alpha of eq:alpha-k stays what it is "
        f"at first, the paper's bonus above {least:.4g}, and the state counts as worth all there is: unless "
        "that is optimal, the learner goes there for ever and the regret is linear (try --bonus sharp)",
    ]


def told(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of ``Settings.for_model`` that the options give."""
    return {
        "delta": options.delta or "1/20",
        "epsilon": options.epsilon or "1/sqrt(k)",
        "fastest": options.lambda_max,
        "slowest": options.lambda_min,
        "bonus": options.bonus or "paper",
    }


def model_of(options: argparse.Namespace) -> CTMDP:
    """The model, with its rewards rescaled if that was asked for."""
    model = find_model(options.model)
    if options.rescale is None:
        return model
    parts = options.rescale.split(",")
    if len(parts) != 2:
        raise InputError(f"--rescale {options.rescale}: write two numbers, for example --rescale=1/20,3/5")
    scale, shift = (exact(part, "--rescale") for part in parts)
    if scale <= 0:
        raise InputError(f"--rescale {options.rescale}: the factor must be positive, or what is best changes")
    return model.with_rewards(scale, shift)


def initial_of(model: CTMDP, options: argparse.Namespace) -> dict[str, str] | None:
    """The weights of the initial states, as they were written; ``None`` without any."""
    found: dict[str, str] = {}
    for text in options.initial:
        state, equals, weight = text.rpartition("=")
        if not equals:
            raise InputError(f"--initial: {text!r} is not STATE=P; write for example {model.initial}=1/2")
        found[state] = weight
    return found or None
