"""``ctucbvi regret``: the expected regret of CT-UCBVI against its bound, the paper's figure."""

from __future__ import annotations

import argparse
import json
import os
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import Any

from ctucbvi import InputError
from ctucbvi.commands.learner_options import note_never_left, scale_of
from ctucbvi.commands.studies import carried_out, study_of
from ctucbvi.figures import check_target
from ctucbvi.numbers import exact
from ctucbvi.study import StudyResult, StudyRuns, document_text, draw, run_study
from ctucbvi.study.shards import write_whole
from verify.console import refuse
from verify.tables import table


def run(options: argparse.Namespace) -> int:
    """Run the study, or what is left of it, and print what it found."""
    if options.runs == 1:
        refuse(options, "a single run has no band", "--confidence")
    confidence = _confidence("0.95" if options.confidence is None else options.confidence)
    study = study_of(options, options.baselines, options.learner)
    _check_targets(options)
    began = monotonic()
    outcome = carried_out(options, study, "regret", None, run_study)
    if outcome is None:
        return 1
    document = StudyResult.of(outcome, confidence).to_json()
    cost = _cost(outcome, options, monotonic() - began)
    _write(document, options)
    print(
        json.dumps({**document, "cost": cost}) if options.json else _report(document, cost, scale_of(options))
    )
    return 0


def _confidence(text: str) -> Any:
    number = exact(text, "--confidence")
    if not 0 < number < 1:
        raise InputError(f"--confidence {text}: is outside (0, 1); write for example 0.95")
    return number


def _check_targets(options: argparse.Namespace) -> None:
    """Refuse files that could not be written, before the work is done."""
    if options.figure is not None:
        check_target("--figure", options.figure)
    if options.result is not None:
        path = Path(options.result)
        if path.is_dir() or not path.parent.is_dir():
            raise InputError(f"--result {options.result!r}: name a file in an existing folder")


def _write(document: dict[str, Any], options: argparse.Namespace) -> None:
    if options.result is not None:
        write_whole(Path(options.result), document_text(document))
    if options.figure is not None:
        draw(document, options.figure)


def _cost(outcome: StudyRuns, options: argparse.Namespace, seconds: float) -> dict[str, Any]:
    """What it took: not part of the result, as it differs from one time to the next."""
    states = [state for runs in outcome.runs.values() for state in runs]
    episodes = sum(state.episode for state in states)
    return {
        "seconds": round(seconds, 3),
        "seconds_of_work": round(sum(state.seconds for state in states), 3),
        "episodes": episodes,
        "episodes_found": outcome.resumed,
        "episodes_planned": sum(state.planned for state in states),
        "cores": os.cpu_count(),
        "workers": None if options.cluster is not None else options.workers or os.cpu_count() or 1,
    }


def _report(document: dict[str, Any], cost: dict[str, Any], scale: Fraction | None) -> str:
    lines = [
        f"{document['model']}: {document['runs']} runs of {document['settings']['episodes']} episodes, "
        f"V* = {document['optimal']['value']}",
    ]
    if scale is not None:
        lines.append(
            f"in rescaled rewards (--rescale): a regret of 1 is one of {1 / scale} in the model's own"
        )
    for learner in document["learners"]:
        lines += ["", f"{learner['name']}: expected regret", _rows(document, learner), *_grid(learner)]
    if document["bound_missing"]:
        lines += ["", f"bound of the theorem: not everywhere defined: {document['bound_missing']}"]
    lines += note_never_left(document["never_left"])
    lines += [
        "",
        f"{cost['episodes'] - cost['episodes_found']} episodes in {cost['seconds']:.1f} s; "
        f"{cost['episodes_planned']} of {cost['episodes']} were planned",
    ]
    return "\n".join(lines)


def _grid(learner: dict[str, Any]) -> list[str]:
    """What the grid costs; learners in discrete time have none."""
    loss, share = learner["grid_loss_per_episode"], learner["grid_share"]
    if learner.get("judged_by") == "earnings":
        return ["by what it earned, asked for its actions: right in the mean, with the noise of the draws"]
    if loss is None:
        return []
    line = f"on its grid of {learner['steps']} cells the best policy loses at most {loss:.3g} per episode"
    if share is None:
        return [line]
    more = "; more cells with --steps" if share > 0.01 else ""
    return [f"{line}, {100 * share:.2g} % of the regret{more}"]


def _rows(document: dict[str, Any], learner: dict[str, Any]) -> str:
    head = ["episodes", "mean", "standard error", "band from", "to"]
    main = learner is document["learners"][0]
    ks = document["checkpoints"]
    rows = []
    for i in _decades(ks):
        band = learner["band"]
        error = "-" if learner["standard_error"] is None else f"{learner['standard_error'][i]:.4g}"
        ends = ["-", "-"] if band is None else [f"{band[side][i]:.6g}" for side in ("lower", "upper")]
        bound = document["bound"][i]
        rows.append([str(ks[i]), f"{learner['mean'][i]:.6g}", error, *ends])
        if main:
            rows[-1].append("-" if bound is None else f"{bound:.6g}")
    return table([*head, "bound"] if main else head, rows)


def _decades(checkpoints: list[int]) -> list[int]:
    """The places of the checkpoints nearest below the powers of ten, and of the last one."""
    found = []
    power = 1
    while power <= checkpoints[-1]:
        found.append(max(i for i, k in enumerate(checkpoints) if k <= power))
        power *= 10
    return sorted({*found, len(checkpoints) - 1})
