"""What the commands about studies share: which study the options describe, and how it is carried out."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TypeVar

from ctucbvi.commands.learner_options import initial_of, model_of, told
from ctucbvi.learning import Settings, initial_distribution
from ctucbvi.study import LostWorkerError, RunState, Study, contestant, enough_cells, guest, name_of
from ctucbvi.study.blocks import Block, Observer, work
from verify.console import ending_in_order, refuse
from verify.progress import ProgressLine, note_if_slow

T = TypeVar("T")
COMPILING = "ctucbvi: compiling the learner; this is done once"


def study_of(
    options: argparse.Namespace,
    others: Sequence[str] = (),
    guests: Sequence[str] = (),
    *,
    own_delta: bool = False,
) -> Study:
    """The study that the options describe, of the learner they describe, ``others`` and those in files.

    ``own_delta``: without ``--delta`` it is that of the theorem.  Guests have the first learner's grid.
    """
    if options.cluster is not None:
        refuse(options, "the work is done by the cluster", "--workers")
    model, given = model_of(options), told(options)
    if own_delta and options.delta is None and options.episodes > 0:  # else the settings refuse it
        unit = Fraction(1) if options.bonus == "optimistic" else model.horizon
        given["delta"] = 1 / (2 * options.episodes * unit)
    settings = Settings.for_model(model, episodes=options.episodes, **given)
    initial = initial_distribution(model, initial_of(model, options))
    names, cells = (name_of(settings), *others), options.steps
    contestants = tuple(contestant(*((name,) if cells is None else (name, cells))) for name in names)
    study = Study(model, settings, options.seed, contestants, tuple(initial.items()))
    if cells is None:
        with note_if_slow(COMPILING):
            contestants = tuple(replace(c, steps=enough_cells(study, c)) for c in contestants)
    files = tuple(guest(path, contestants[0].steps) for path in guests)
    return replace(study, contestants=(*contestants, *files))


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
    if options.cluster is None:
        with note_if_slow(COMPILING):
            for each in study.contestants:
                work(Block(study, each.name, 0, RunState(), 1, observer))
    try:
        with said_where(options), ProgressLine(label) as line:
            return run(
                study,
                options.runs,
                workers=options.workers or os.cpu_count() or 1,
                cluster=options.cluster,
                folder=None if options.out is None else Path(options.out),
                block=options.block,
                progress=partial(_tell, line),
            )
    except LostWorkerError as error:
        print(f"ctucbvi: {error}", file=sys.stderr)
        return None


@contextmanager
def said_where(options: argparse.Namespace) -> Iterator[None]:
    """Around work that may be interrupted: where to find what was finished."""
    try:
        with ending_in_order():
            yield
    except KeyboardInterrupt:
        if options.out is not None:
            print(
                f"ctucbvi: what was finished is in {options.out}; the same command goes on", file=sys.stderr
            )
        raise


def _tell(line: ProgressLine, found: int, done: int, wanted: int) -> None:
    """``found`` episodes were there at the start, ``done`` are now, of ``wanted``."""
    line(done / wanted, found / wanted)
