"""``ctucbvi study``: many regret studies, described in one file, with one queue and one table."""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import json
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from ctucbvi import InputError
from ctucbvi.commands.studies import COMPILING, said_where
from ctucbvi.commands.study_file import Configuration, read_study
from ctucbvi.study import (
    Assignment,
    LostWorkerError,
    RunState,
    Standing,
    Study,
    StudyResult,
    document_text,
    name_of,
    run_studies,
)
from ctucbvi.study.blocks import Block, work
from ctucbvi.study.shards import write_whole
from verify.console import refuse
from verify.progress import ProgressLine, note_if_slow, rest
from verify.tables import table

FORMAT = "ctucbvi study 1"
_FOUND = ("regret", "standard_error", "lower", "upper", "bound")
_HEADS = ("regret", "standard error", "band from", "to", "bound")


def run(options: argparse.Namespace) -> int:
    """Run what the file describes, or what is left of it, and print the table."""
    if options.cluster is not None:
        refuse(options, "the work is done by the cluster", "--workers")
    if options.csv is not None and not Path(options.csv).parent.is_dir():
        raise InputError(f"--csv {options.csv!r}: name a file in an existing folder")
    configurations = read_study(options.file)
    began = monotonic()
    asked = _prepared(configurations, None if options.out is None else Path(options.out))
    try:
        with said_where(options), ProgressLine("study") as line:
            outcomes = run_studies(
                asked,
                workers=options.workers or os.cpu_count() or 1,
                cluster=options.cluster,
                folder=None if options.out is None else Path(options.out),
                block=options.block,
                watch=partial(_tell, line, len(asked)),
            )
    except LostWorkerError as error:
        print(f"ctucbvi: {error}", file=sys.stderr)
        return 1
    rows = []
    with ProgressLine("study") as line:
        for number, (one, ask, outcome) in enumerate(zip(configurations, asked, outcomes, strict=True)):
            line.tell(f"results of {number} of {_counted(len(asked))}")
            rows.append(_row(one, ask, StudyResult.of(outcome).to_json()))
    states = [state for outcome in outcomes for runs in outcome.runs.values() for state in runs]
    cost = {
        "seconds": round(monotonic() - began, 3),
        "seconds_of_work": round(sum(state.seconds for state in states), 3),
        "episodes": sum(state.episode for state in states),
        "episodes_found": sum(outcome.resumed for outcome in outcomes),
    }
    _print(rows, cost, options)
    return 0


def _prepared(configurations: Sequence[Configuration], root: Path | None) -> list[Assignment]:
    """All studies, each with its folder.

    One episode of each learner is played here first, so that workers find compiled code.
    """
    asked: dict[str, Assignment] = {}
    played = set()
    with ProgressLine("study") as line, note_if_slow(COMPILING):
        for number, one in enumerate(configurations):
            line.tell(f"prepared {number} of {_counted(len(configurations))}")
            with one.placed():
                study = one.study()
                (player,) = study.contestants
                if (code := (player.name, study.settings.replan > 0)) not in played:
                    work(Block(study, player.name, 0, RunState(), 1))
                    played.add(code)
            if (name := _name(study)) in asked:
                first = configurations[list(asked).index(name)].place
                raise InputError(f"{one.place}: a configuration of {first} once more; leave one out")
            asked[name] = Assignment(study, one.runs, None if root is None else root / name)
    return list(asked.values())


def _name(study: Study) -> str:
    """Of the folder of a configuration: what the study is, whatever the file that names it looks like."""
    (player,) = study.contestants
    facts = study.identity(player)
    for key in ("versions", "code"):  # others are refused, not put elsewhere
        del facts[key]
    return f"{study.model.name}-{hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]}"


def _counted(configurations: int) -> str:
    return f"{configurations} configuration{'' if configurations == 1 else 's'}"


def _tell(line: ProgressLine, studies: int, now: Standing) -> None:
    share = now.done / now.wanted
    line.tell(f"{share:4.0%} of the episodes of {_counted(studies)}", left=rest(now.part, line.seconds))


def _row(one: Configuration, ask: Assignment, document: dict[str, Any]) -> dict[str, Any]:
    """What a configuration came to; its curve goes to its folder."""
    if ask.folder is not None:
        write_whole(ask.folder / "result.json", document_text(document))
    (learner,) = document["learners"]
    band, theirs = learner["band"], learner["name"] == name_of(ask.study.settings)
    error = learner["standard_error"]
    found = (
        learner["mean"][-1],
        None if error is None else error[-1],
        None if band is None else band["lower"][-1],
        None if band is None else band["upper"][-1],
        document["bound"][-1] if theirs else None,  # there is none of others
    )
    folder = None if ask.folder is None else ask.folder.name
    return {
        "configuration": {**one.told, "learner": learner["name"]},
        **dict(zip(_FOUND, found, strict=True)),
        "steps": learner["steps"],
        "folder": folder,
        "result": document,
    }


def _print(rows: Sequence[dict[str, Any]], cost: dict[str, Any], options: argparse.Namespace) -> None:
    told = [row["configuration"] for row in rows]
    keys = list(dict.fromkeys(key for one in told for key in one))
    if options.csv is not None:
        _write_csv(Path(options.csv), keys, rows)
    if options.json:
        print(json.dumps({"format": FORMAT, "configurations": rows, "cost": cost}))
        return
    differ = [key for key in keys if len({str(one.get(key)) for one in told}) > 1] or ["model", "learner"]
    shown = []
    for one, row in zip(told, rows, strict=True):
        found = ("-" if row[what] is None else f"{row[what]:.6g}" for what in _FOUND)
        shown.append([*(str(one.get(key, "-")) for key in differ), *found])
    print(table([*differ, *_HEADS], shown))
    same = [f"{key} {told[0][key]}" for key in keys if key not in differ and key in told[0]]
    played = cost["episodes"] - cost["episodes_found"]
    print(f"\n{_counted(len(rows))}; {', '.join(same)}\n{played} episodes in {cost['seconds']:.1f} s")


def _write_csv(path: Path, keys: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*keys, *_FOUND])
    for row in rows:
        writer.writerow([*(row["configuration"].get(key, "") for key in keys), *(row[x] for x in _FOUND)])
    write_whole(path, text.getvalue())
