"""What the commands about learning share: their options, and how a study is carried out."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from verify.commands import fast
from verify.progress import ProgressLine

if TYPE_CHECKING:
    from ctucbvi import CTMDP
    from ctucbvi.study import Study
    from ctucbvi.study.work import Observer

T = TypeVar("T")


def add_study(parser: argparse.ArgumentParser, *, runs: int, block: int, delta: str = "1/20") -> None:
    """Describe the options of a study: what is played, how often, and what the learner is told."""
    parser.add_argument("model", metavar="MODEL", help="bundled name or TOML/JSON file")
    parser.add_argument("--episodes", type=int, required=True, metavar="K", help="of every run")
    parser.add_argument(
        "--runs", type=int, default=runs, metavar="R", help=f"independent runs (default {runs})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of all random numbers (default 0)")
    parser.add_argument("--steps", type=int, metavar="N",
                        help="cells of the grid of remaining times (default: 100, or as many as it takes "
                        "for the grid to cost less than 1 %% of the regret)")  # fmt: skip
    parser.add_argument("--workers", type=int, metavar="W", help="processes (default: one per core)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="a dask scheduler that does the work instead")
    parser.add_argument("--out", metavar="DIR", help="folder for finished parts; needed to resume")
    parser.add_argument("--block", type=int, default=block, metavar="B",
                        help=f"episodes between two saves of a run (default {block})")  # fmt: skip
    add_settings(parser, delta=delta)


def study_of(options: argparse.Namespace, others: Sequence[str] = (), *, own_delta: bool = False) -> Study:
    """The study that the options describe, of the learner they describe and ``others``.

    ``own_delta``: without ``--delta`` it is that of the theorem.
    """
    from ctucbvi import InputError
    from ctucbvi.learning import Settings, initial_distribution
    from ctucbvi.study import BY_BONUS, Study, contestant, enough_cells

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
    options: argparse.Namespace,
    study: Study,
    label: str,
    observer: type[Observer] | None,
    run: Callable[..., T],
) -> T | None:
    """What ``run`` returns when told who does the work; None, and one line, if these are gone.

    One episode is played here first, so that workers find compiled code and need not all make it.
    """
    from ctucbvi.study import LostWorkerError, RunState
    from ctucbvi.study.work import Block, work

    if options.cluster is None:
        with fast.compiling("the learner"):
            for each in study.contestants:
                work(Block(study, each.name, 0, RunState(), 1, observer))
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


def add_settings(parser: argparse.ArgumentParser, *, delta: str = "1/20") -> None:
    """Describe the options; those that are not given stay ``None``."""
    group = parser.add_argument_group("what the learner is told")
    group.add_argument("--delta", metavar="D", help=f"confidence parameter (default {delta})")
    group.add_argument(
        "--epsilon",
        metavar="E",
        help="accuracies: 1/sqrt(k) (default), k^-A or 'k^-A*exp(-lambda_max*H)'",
    )
    group.add_argument("--lambda-max", metavar="L", help="bound on all rates (default: the largest)")
    group.add_argument(
        "--lambda-min", metavar="L", help="known lower bound: the variant of the paper's remark"
    )
    group.add_argument(
        "--bonus",
        choices=("paper", "sharp", "none"),
        help="paper (default), sharp: the smallest that is proved, with its stopping rule, or none: greedy",
    )
    group.add_argument("--rescale", metavar="SCALE,SHIFT", help="rewards become SCALE * r + SHIFT")
    group.add_argument(
        "--initial", action="append", default=[], metavar="STATE=P", help="a distribution of initial states"
    )


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
    from ctucbvi import InputError, find_model
    from ctucbvi.numbers import exact

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
    from ctucbvi import InputError

    found: dict[str, str] = {}
    for text in options.initial:
        state, equals, weight = text.rpartition("=")
        if not equals:
            raise InputError(f"--initial: {text!r} is not STATE=P; write for example {model.initial}=1/2")
        found[state] = weight
    return found or None
