"""``ctucbvi learn``: run the certified learner, alone, in lockstep with the fast one, or behind yours."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ctucbvi import CTMDP, Enclosure, InputError, solve
from ctucbvi.commands.learn_check import check, difference_document, difference_line
from ctucbvi.commands.learner_options import (
    initial_of,
    model_of,
    note_never_left,
    refuse_another,
    refuse_settings,
    told,
)
from ctucbvi.errors import UndecidedError
from ctucbvi.learning import Environment, Episode, History, HistoryWriter, Settings, load_history, never_left
from ctucbvi.learning.exact.learner import ExactLearner
from ctucbvi.learning.exact.plan import CertifiedPlan
from ctucbvi.learning.exact.verdicts import confident, optimistic
from ctucbvi.solutions import Switch, doubts_document, switch_document
from verify.progress import ProgressLine

if TYPE_CHECKING:
    from ctucbvi.exact.iteration import Breakpoint
    from ctucbvi.learning.lockstep import Lockstep, LockstepEpisode

_TIME_DIGITS = 15


def run(options: argparse.Namespace) -> int:
    """Learn and print; status 1 if a comparison finds a difference that nothing explains."""
    try:
        return _learn(options) if options.check is None else check(options)
    except UndecidedError as error:
        print(f"ctucbvi: undecided: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        if options.save is not None:
            print(f"ctucbvi: the finished episodes are in {options.save}, for --replay", file=sys.stderr)
        raise


def _learn(options: argparse.Namespace) -> int:
    started = perf_counter()
    if options.tolerance is not None:
        raise InputError("--tolerance: with --check only; leave it out")
    _check_compiled(options)
    history = _replayed(options)
    options.seed = 1 if options.seed is None else options.seed
    model, settings = (history.model, history.settings) if history else _task(options)
    count = settings.episodes if history is None else len(history.episodes)
    rows: list[dict[str, Any]] = []
    with ProgressLine("learning") as progress, _writer(options, model, settings) as out:
        for row, episode in _rows(model, settings, history, options):
            rows.append(row)
            if out is not None:
                out.write(episode)
            progress(len(rows) / max(count, 1))
    document = {
        "model": model.name,
        "settings": settings.to_json(),
        "seed": None if history else options.seed,
        "lockstep": options.lockstep,
        "summary": _summary(rows, options.lockstep),
        "never_left": [pair.to_json() for pair in never_left(model, settings, _starts(model, options))],
        "episodes": rows,
        "seconds": round(perf_counter() - started, 3),
    }
    if options.json:
        print(json.dumps(document, indent=2))
    else:
        _print(document)
    return 1 if document["summary"]["unexplained"] else 0


def _starts(model: CTMDP, options: argparse.Namespace) -> list[str]:
    return list(initial_of(model, options) or [x for x, _ in model.start])


def _task(options: argparse.Namespace) -> tuple[CTMDP, Settings]:
    """The model and the settings that the options describe."""
    if options.model is None:
        raise InputError("MODEL is missing; name one, or a history with --replay")
    model = model_of(options)
    settings = Settings.for_model(
        model,
        episodes=100 if options.episodes is None else options.episodes,
        **told(options),
    )
    return model, settings


def _check_compiled(options: argparse.Namespace) -> None:
    if options.compiled is not None and (not options.lockstep or options.replay is not None):
        raise InputError("--compiled: the compiled learner is compared with --lockstep, without --replay")


def _replayed(options: argparse.Namespace) -> History | None:
    """The history to replay, if there is one."""
    if options.replay is None:
        return None
    refuse_settings(options, "--replay")
    history = load_history(options.replay)
    refuse_another(options, options.replay, history.model)
    return history


def _writer(options: argparse.Namespace, model: CTMDP, settings: Settings) -> Any:
    if options.save is None:
        return nullcontext()
    drawn = {"seed": options.seed, "initial": initial_of(model, options)}
    return HistoryWriter(options.save, model, settings, drawn)


def _rows(
    model: CTMDP, settings: Settings, history: History | None, options: argparse.Namespace
) -> Iterator[tuple[dict[str, Any], Episode]]:
    """What is reported of one episode after the other, and the episode."""
    world = Environment(model, seed=options.seed, initial=initial_of(model, options))
    if options.lockstep:
        from ctucbvi.learning.lockstep import Lockstep  # compiled, slow to load

        both = Lockstep(model, settings)
        if history is not None:
            steps = both.replay(history.episodes)
        elif options.compiled is not None:
            steps = both.follow(_leader(model, settings, options), settings.episodes)
        else:
            steps = both.run(world, settings.episodes)
        for step in steps:
            yield _step_row(step, both), step.drawn
    else:
        yield from _exact_rows(model, settings, history, world)


def _leader(model: CTMDP, settings: Settings, options: argparse.Namespace) -> Any:
    from ctucbvi.learning.fast.optimistic import compiled_learner  # compiled, slow to load

    initial = initial_of(model, options)
    return compiled_learner(
        model, settings, seed=options.seed, steps=options.compiled, initial=initial, record=True
    )


def _exact_rows(
    model: CTMDP, settings: Settings, history: History | None, world: Any
) -> Iterator[tuple[dict[str, Any], Episode]]:
    learner, optimum = ExactLearner(model, settings), solve(model, digits=12)
    pairs = learner.run(world) if history is None else learner.replay(history.episodes)
    for number, (plan, episode) in enumerate(pairs, learner.episode):
        row = _row(number, plan, episode, confident(plan), optimistic(plan, optimum))
        yield row | _doubts(learner, number), episode


def _row(
    number: int, plan: CertifiedPlan, episode: Episode, event: bool | None, optimism: bool | None
) -> dict[str, Any]:
    state = episode.visits[0].state
    return {
        "episode": number,
        **({"planned": plan.episode} if plan.settings.replan else {}),
        "visits": len(episode.visits),
        "iterations": plan.iterations,
        "initial": state,
        "value": _enclosed(plan.value(state)),
        "switches": [_switch(change) for change in plan.switches],
        "event": event,
        "optimism": optimism,
    }


def _step_row(step: LockstepEpisode, both: Lockstep) -> dict[str, Any]:
    row = _row(step.episode, step.plan, step.drawn, step.confident, step.optimistic)
    return row | {
        **_doubts(both.exact, step.episode),
        "error": step.error,
        "departures": step.departures,
        "differences": [difference_document(d, _other(d.kind)) for d in step.differences],
    }


def _other(kind: str) -> str:
    """Who is compared with the exact learner."""
    return "history" if kind == "departure" else "fast"


def _enclosed(value: Any) -> dict[str, str]:
    return dict(zip(("value", "lower", "upper"), value.decimals(12), strict=True))


def _switch(change: Breakpoint) -> dict[str, Any]:
    time = Enclosure(change.lower, change.upper)
    switch = Switch(change.state, time, (change.before,), (change.after,))
    return {**switch_document(switch, _TIME_DIGITS), "certified": change.certified}


def _doubts(learner: ExactLearner, episode: int) -> dict[str, list[Any]]:
    return doubts_document(learner.undecided.get(episode, ()), _TIME_DIGITS)


def _summary(rows: list[dict[str, Any]], lockstep: bool) -> dict[str, Any]:
    """Counts over all episodes; ``None`` among the verdicts means undecided."""

    def verdicts(name: str) -> dict[str, int]:
        found = [row[name] for row in rows]
        return {"held": found.count(True), "failed": found.count(False), "undecided": found.count(None)}

    differences = [d for row in rows for d in row.get("differences", ())]
    return {
        "episodes": len(rows),
        "visits": sum(row["visits"] for row in rows),
        "plans": len({row.get("planned", row["episode"]) for row in rows}),
        "event": verdicts("event"),
        "optimism": verdicts("optimism"),
        "undecided_actions": sum(len(row["undecided"]) for row in rows),
        "departures": sum(row["departures"] for row in rows) if lockstep else None,
        "differences": len(differences) if lockstep else None,
        "unexplained": sum(not d["explained"] for d in differences) if lockstep else None,
        "largest_error": max((row["error"] for row in rows), default=0.0) if lockstep else None,
    }


def _print(document: dict[str, Any]) -> None:
    rows, summary = document["episodes"], document["summary"]
    print(f"{document['model']}: {summary['episodes']} episodes, {summary['visits']} visits")
    shown = [row for row in rows if _is_round(row["episode"]) or row is rows[-1]]
    print(f"{'episode':>9} {'n_k':>4} {'value of the initial state':>28}  event  optimism  switches")
    for row in shown:
        switches = ", ".join(
            f"{s['state']} {s['before']}→{s['after']} {s['lower'][:8]}" for s in row["switches"]
        )
        flags = [{True: "yes", False: "NO", None: "?"}[row[name]] for name in ("event", "optimism")]
        print(
            f"{row['episode']:>9} {row['iterations'] or '-':>4} {row['value']['value']:>28}  {flags[0]:<5}  "
            f"{flags[1]:<8}  {switches}"
        )
    if "replan" in document["settings"]:
        print(f"plans: {summary['plans']} (replan {document['settings']['replan']})")
    for name, label in (("event", "confidence sets (eq:G)"), ("optimism", "optimism (eq:optimism)")):
        found = summary[name]
        print(
            f"{label}: held in {found['held']}, failed in {found['failed']}, undecided {found['undecided']}"
        )
    if document["lockstep"]:
        _print_lockstep(rows, summary)
    for line in note_never_left(document["never_left"]):
        print(line)


def _print_lockstep(rows: list[dict[str, Any]], summary: dict[str, Any]) -> None:
    for row in rows:
        for d in row["differences"]:
            print(f"episode {row['episode']}: {difference_line(d, _other(d['kind']))}")
    print(
        f"lockstep: {summary['differences']} differences, {summary['unexplained']} unexplained; "
        f"proved error of the fast values at most {summary['largest_error']:.3g}"
    )
    wrong = [d["kind"] for row in rows for d in row["differences"] if not d["explained"]]
    if "departure" in wrong:
        print("ctucbvi: the history departs from the exact learner", file=sys.stderr)
    if any(kind != "departure" for kind in wrong):
        print("ctucbvi: the two learners disagree", file=sys.stderr)


def _is_round(number: int) -> bool:
    """1, 2, 5, 10, 20, 50, ..."""
    return str(number).rstrip("0") in ("1", "2", "5")
