"""``ctucbvi regret``: the expected regret of CT-UCBVI against its bound, the paper's figure."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from verify.commands.learners import add_study, carried_out, note_never_left, study_of
from verify.tables import table

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from ctucbvi.study import StudyRuns

_DESCRIPTION = """\
Play CT-UCBVI on MODEL, in independent runs, and report its expected regret after k
episodes: the mean over runs, its standard error, a band that holds at all k together, and
the bound of the paper's theorem.  The values of the optimal policy and of every policy
played are computed with a proved error, not averaged from rewards.

Finished parts are kept in --out DIR: the same command goes on from them after Ctrl-C, a
crash or a kill.  The result depends on the settings only, bit for bit.
"""

_EPILOG = """examples:
  ctucbvi regret machine-repair --episodes 100000 --runs 10 --figure regret.svg
  ctucbvi regret machine-repair --episodes 10000000 --runs 30 --out study \\
      --result regret.json --figure regret.svg
  ctucbvi regret machine-repair --episodes 20000 --runs 10 --baselines sharp greedy ucbvi@5 ucbvi@20
  ctucbvi regret my-model.toml --episodes 1000000 --runs 30 --out study --cluster tcp://host:8786
"""


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "regret",
        help="the expected regret of CT-UCBVI, with its bound",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_study(parser, runs=30, block=250_000)
    parser.add_argument(
        "--baselines",
        nargs="+",
        default=[],
        metavar="NAME",
        help="to compare with: sharp (the smallest bonus that is proved), greedy (no bonus), ucbvi@N "
        "(discrete time, N steps)",
    )
    parser.add_argument("--confidence", default="0.95", metavar="P", help="of the bands (default 0.95)")
    parser.add_argument("--result", metavar="FILE", help="write the result there (JSON)")
    parser.add_argument("--figure", metavar="FILE", help="draw the curves there (.svg, .png or .pdf)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the study, or what is left of it, and print what it found."""
    from ctucbvi.study import StudyResult, run_study

    study = study_of(options, options.baselines)
    confidence = _confidence(options.confidence)
    _check_targets(options)
    began = monotonic()
    outcome = carried_out(options, study, "regret", None, run_study)
    if outcome is None:
        return 1
    document = StudyResult.of(outcome, confidence).to_json()
    cost = _cost(outcome, options, monotonic() - began)
    _write(document, options)
    print(json.dumps({**document, "cost": cost}) if options.json else _report(document, cost))
    return 0


def _confidence(text: str) -> Any:
    from ctucbvi import InputError
    from ctucbvi.numbers import exact

    number = exact(text, "--confidence")
    if not 0 < number < 1:
        raise InputError(f"--confidence {text}: is outside (0, 1); write for example 0.95")
    return number


def _check_targets(options: argparse.Namespace) -> None:
    """Refuse files that could not be written, before the work is done."""
    from ctucbvi import InputError
    from ctucbvi.study.figure import check_target

    if options.figure is not None:
        check_target(options.figure)
    if options.result is not None:
        path = Path(options.result)
        if path.is_dir() or not path.parent.is_dir():
            raise InputError(f"--result {options.result!r}: name a file in an existing folder")


def _write(document: dict[str, Any], options: argparse.Namespace) -> None:
    from ctucbvi.study import document_text, draw
    from ctucbvi.study.shards import write_whole

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


def _report(document: dict[str, Any], cost: dict[str, Any]) -> str:
    lines = [
        f"{document['model']}: {document['runs']} runs of {document['settings']['episodes']} episodes, "
        f"V* = {document['optimal']['value']}",
    ]
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
