"""``ctucbvi losses``: the proof of the bound, measured on the learner's own episodes."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from time import monotonic
from typing import TYPE_CHECKING, Any

from verify.commands import fast
from verify.commands.learners import add_settings, initial_of, model_of, told
from verify.progress import ProgressLine
from verify.tables import table

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from ctucbvi.study import Study

_COMPILING = "ctucbvi: compiling the learner; this is done once"

_DESCRIPTION = """\
Where is the bound of the paper's theorem lost?  Play CT-UCBVI on MODEL and compute every
sum of the proof along the episodes played: each inequality from the measured regret to the
final bound then has a factor, and their product is the bound over the regret.

The theorem speaks about the learner with delta = 1/(2KH): that is the default here.
"""

_EPILOG = """examples:
  ctucbvi losses machine-repair --episodes 1000000 --runs 4 --figure losses.svg
  ctucbvi losses my-model.toml --episodes 100000 --runs 10 --json
"""


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "losses",
        help="where the bound of the theorem is lost, inequality by inequality",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help="bundled name or TOML/JSON file")
    parser.add_argument("--episodes", type=int, required=True, metavar="K", help="of every run")
    parser.add_argument("--runs", type=int, default=4, metavar="R", help="independent runs (default 4)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of all random numbers (default 0)")
    parser.add_argument("--steps", type=int, default=100, metavar="N",
                        help="cells of the grid of remaining times (default 100)")  # fmt: skip
    add_settings(parser, delta="1/(2KH)")
    parser.add_argument("--workers", type=int, metavar="W", help="processes (default: one per core)")
    parser.add_argument("--figure", metavar="FILE", help="draw the waterfall there (.svg, .png or .pdf)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play, add up and print; status 1 if an inequality that holds on every path did not."""
    from ctucbvi.losses import Sizes, chain, check_target, draw, tally_runs

    study = _study(options)
    Sizes.of(study)  # refuses what the theorem has no number for, before the work is done
    if options.figure is not None:
        check_target(options.figure)
    began = monotonic()
    _compile(study)
    with ProgressLine("losses") as progress:
        runs = tally_runs(
            study,
            options.runs,
            workers=options.workers or os.cpu_count() or 1,
            progress=lambda done, wanted: progress(done / wanted),
        )
    found = chain(study, runs)
    document = found.to_json()
    if options.figure is not None:
        draw(document, options.figure)
    seconds = round(monotonic() - began, 3)
    print(json.dumps({**document, "seconds": seconds}) if options.json else _report(document))
    for link in found.broken():
        print(f"ctucbvi: {link.name}: {link.label} did not hold on every path", file=sys.stderr)
    return 1 if found.broken() else 0


def _study(options: argparse.Namespace) -> Study:
    from ctucbvi import InputError
    from ctucbvi.learning import Settings, initial_distribution
    from ctucbvi.study import Study, contestant

    if options.workers is not None and options.workers < 1:
        raise InputError(f"--workers {options.workers}: write a number of at least 1")
    if options.episodes < 1:
        raise InputError(f"--episodes {options.episodes}: write a number of at least 1")
    model = model_of(options)
    given = told(options)
    if options.delta is None:
        given["delta"] = 1 / (2 * options.episodes * model.horizon)
    settings = Settings.for_model(model, episodes=options.episodes, **given)
    initial = initial_distribution(model, initial_of(model, options))
    return Study(
        model, settings, options.seed, (contestant("ct-ucbvi", options.steps),), tuple(initial.items())
    )


def _compile(study: Study) -> None:
    """Play one episode here, so that workers find compiled code and need not all make it."""
    from ctucbvi.losses import Run
    from ctucbvi.losses.runs import advance

    patience = threading.Timer(fast.PATIENCE, print, [_COMPILING], {"file": sys.stderr})
    patience.start()
    try:
        advance(study, Run(0), 1)
    finally:
        patience.cancel()


def _report(document: dict[str, Any]) -> str:
    rows, runs = document["links"], document["runs"]
    head = ["", "paper", "value", "standard error", "factor", "held in", "holds"]
    lines = [
        f"{document['model']}: {runs} run{'s' if runs != 1 else ''} of {document['settings']['episodes']} "
        f"episodes, δ = {document['settings']['delta']}",
        "",
        table(head, [_cells(row, runs) for row in rows]),
        "",
        *(f"{row['name']}: {row['says']}." for row in rows),
        "",
        "parts:",
        *(f"  {row['name']}: {_parts(row['parts'])}" for row in rows if row["parts"]),
        "",
        f"all factors together: {rows[-1]['value'] / rows[0]['value']:.4g}; the trivial bound KH is "
        f"{document['trivial']:.6g}",
        f"terms apart: stopping early {document['apart']['stopping']:.6g}, estimates outside their radii "
        f"{document['apart']['outside']:.6g}",
        f"episodes that began with an estimate outside its radii: {sum(document['episodes_outside_radii'])}",
    ]
    return "\n".join(lines)


def _cells(row: dict[str, Any], runs: int) -> list[str]:
    error = "-" if row["standard_error"] is None else f"{row['standard_error']:.3g}"
    first = row["factor"] is None
    return [
        row["name"],
        row["label"],
        f"{row['value']:.6g}",
        error,
        "" if first else f"{row['factor']:.4g}",
        "" if first else f"{row['held_in_runs']} of {runs}",
        "" if first else row["kind"],
    ]


def _parts(parts: dict[str, float]) -> str:
    return ", ".join(f"{name} = {value:.6g}" for name, value in parts.items())
