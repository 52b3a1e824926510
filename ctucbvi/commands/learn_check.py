"""``ctucbvi learn --check``: somebody's learner against the exact one."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import isfinite
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ctucbvi import CTMDP, InputError
from ctucbvi.commands.learner_options import initial_of, model_of, refuse_another, refuse_settings, told
from ctucbvi.learning import Environment, History, LearningTask, Settings, has_head, load_history
from ctucbvi.numbers import at_least_zero
from verify.console import refuse
from verify.progress import ProgressLine

if TYPE_CHECKING:
    from ctucbvi.learning.lockstep import CheckedEpisode, Difference

_SHOWN = 10  # differences in the text; the JSON document has all
_PLURAL = {
    "plan": "decisions to plan",
    "set": "ends and radii of sets",
    "bonus": "bonuses",
    "iterations": "numbers of iterations",
}


def check(options: argparse.Namespace) -> int:
    """Compare and print; status 1 if something is not explained."""
    for name in ("replay", "lockstep", "compiled", "save"):
        if getattr(options, name) not in (None, False):
            raise InputError(f"--{name}: not with --check, which asks the exact learner; leave it out")
    started, tolerance = perf_counter(), _tolerance(options)
    if options.check.endswith(".py"):
        model, settings, steps = _played(options, tolerance)
        episodes = settings.episodes
    else:
        history = _history(options)
        model, settings, episodes = history.model, history.settings, len(history.episodes)
        steps = _followed(history, tolerance)
    compared, differences, visits = _compared(steps, episodes)
    wrong = [d for d in differences if not d["explained"]]
    document = {
        "model": model.name,
        "settings": settings.to_json(),
        "file": options.check,
        "tolerance": str(tolerance),
        "summary": {
            "episodes": episodes,
            "visits": visits,
            "compared": dict(compared),
            "differences": len(differences),
            "unexplained": len(wrong),
        },
        "first": wrong[0] if wrong else None,
        "differences": differences,
        "seconds": round(perf_counter() - started, 3),
    }
    print(json.dumps(document, indent=2) if options.json else _text(document))
    if wrong:
        print(f"ctucbvi: {options.check}: not what the exact learner does", file=sys.stderr)
    return 1 if wrong else 0


def _tolerance(options: argparse.Namespace) -> Fraction:
    return at_least_zero("1e-9" if options.tolerance is None else options.tolerance, "--tolerance")


def _history(options: argparse.Namespace) -> History:
    """The history to check: its first line or the options say what it is of."""
    if has_head(options.check):
        refuse_settings(options, "--check with a history that says its settings")
        history = load_history(options.check, whole=True)
        refuse_another(options, options.check, history.model)
    else:
        refuse(options, "nothing is drawn: the history is yours", "--seed", "--initial")
        history = load_history(options.check, _task(options), whole=True)
    if not history.episodes:
        raise InputError(f"{options.check}: no episodes; write one JSON object per line")
    return history


def _task(options: argparse.Namespace) -> tuple[CTMDP, Settings]:
    if options.model is None:
        raise InputError(f"{options.check}: does not say what it is of; name the MODEL")
    if options.episodes is None:
        raise InputError("--episodes: missing; write the K that your learner was told: radii depend on it")
    model = model_of(options)
    return model, Settings.for_model(model, episodes=options.episodes, **told(options))


def _followed(history: History, tolerance: Fraction) -> Iterator[CheckedEpisode]:
    from ctucbvi.learning.lockstep import Checker  # compiled, slow to load

    checker = Checker(history.model, history.settings, tolerance=tolerance)
    return checker.follow(zip(history.episodes, history.reports, strict=True))


def _played(
    options: argparse.Namespace, tolerance: Fraction
) -> tuple[CTMDP, Settings, Iterator[CheckedEpisode]]:
    """Let the learner of a Python file play; the options say where."""
    from ctucbvi.learning.lockstep import Checker  # compiled, slow to load
    from ctucbvi.study.guests import LearnerFile  # likewise

    (model, settings), file = _task(options), LearnerFile.read(options.check)
    seed = 1 if options.seed is None else options.seed
    world = Environment(model, seed=seed, initial=initial_of(model, options))

    def steps() -> Iterator[CheckedEpisode]:
        with file.guard():
            learner = file.load()(LearningTask.of(model, settings, seed))
            yield from Checker(model, settings, tolerance=tolerance).play(learner, world, settings.episodes)

    return model, settings, steps()


def _compared(
    steps: Iterator[CheckedEpisode], episodes: int
) -> tuple[Counter[str], list[dict[str, Any]], int]:
    compared: Counter[str] = Counter()
    differences, visits = [], 0
    with ProgressLine("checking") as progress:
        for found in steps:
            compared += found.compared
            visits += len(found.drawn.visits)
            documents = (difference_document(d, "yours") for d in found.differences)
            differences += [{"episode": found.episode, **document} for document in documents]
            progress(found.episode / episodes)
    return compared, differences, visits


def difference_document(d: Difference, other: str) -> dict[str, Any]:
    """A difference as a JSON object; ``other`` is who is compared with the exact learner."""
    return {
        "kind": d.kind,
        "where": d.where,
        other: d.fast,
        "exact": d.exact,
        "gap": d.gap if isfinite(d.gap) else None,  # counts are equal or not
        "allowed": d.allowed,
        "explained": d.explained,
        **({"why": d.why} if d.why else {}),
    }


def difference_line(d: dict[str, Any], other: str) -> str:
    """A difference for people."""
    gap = "" if d["gap"] is None else f"gap {d['gap']:.3g}, "
    reason = f"allowed ({d['why']})" if "why" in d else "allowed"
    verdict = reason if d["explained"] else "UNEXPLAINED"
    return (
        f"{d['kind']} {d['where']}: {other} {d[other]}, exact {d['exact']}, {gap}"
        f"allowed {d['allowed']:.3g}: {verdict}"
    )


def _text(document: dict[str, Any]) -> str:
    summary, first = document["summary"], document["first"]
    counts = [f"{n} {_PLURAL.get(kind, kind + 's')}" for kind, n in summary["compared"].items()]
    what = f"{document['file']} on {document['model']}: {summary['episodes']} episodes"
    lines = [f"{what}; compared: {', '.join(counts)}"]
    if first is not None:
        lines.append(f"first difference: episode {first['episode']}: {difference_line(first, 'yours')}")
    rest = [d for d in document["differences"] if d is not first]
    for d in rest[:_SHOWN]:
        lines.append(f"episode {d['episode']}: {difference_line(d, 'yours')}")
    if len(rest) > _SHOWN:
        lines.append(f"... and {len(rest) - _SHOWN} more; --json lists all")
    lines.append(f"{summary['differences']} differences, {summary['unexplained']} unexplained")
    return "\n".join(lines)
