"""``ctucbvi losses``: the proof of the bound, measured on the learner's own episodes."""

from __future__ import annotations

import argparse
import json
import sys
from time import monotonic
from typing import Any

from ctucbvi.commands.studies import carried_out, study_of
from ctucbvi.figures import check_target
from ctucbvi.losses import OptimisticSizes, Sizes, chain, draw, optimistic_chain, tally_of, tally_runs
from verify.tables import table


def run(options: argparse.Namespace) -> int:
    """Play, add up and print; status 1 if an inequality that holds on every path did not."""
    study = study_of(options, own_delta=True)
    optimistic = study.settings.bonus == "optimistic"
    sizes: type[OptimisticSizes] | type[Sizes] = OptimisticSizes if optimistic else Sizes
    sizes.of(study)  # refuses what the theorem has no number for, before the work is done
    if options.figure is not None:
        check_target("--figure", options.figure)
    began = monotonic()
    runs = carried_out(options, study, "losses", tally_of(study)[0], tally_runs)
    if runs is None:
        return 1
    found = optimistic_chain(study, runs) if optimistic else chain(study, runs)
    document = found.to_json()
    if options.figure is not None:
        draw(document, options.figure)
    seconds = round(monotonic() - began, 3)
    print(json.dumps({**document, "seconds": seconds}) if options.json else _report(document))
    for link in found.broken():
        print(f"ctucbvi: {link.name}: {link.label} did not hold on every path", file=sys.stderr)
    return 1 if found.broken() else 0


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
        f"terms apart: {_apart(document['apart'])}",
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


def _apart(apart: dict[str, float]) -> str:
    names = {"stopping": "stopping early", "outside": "estimates outside their radii"}
    return ", ".join(f"{names[name]} {value:.6g}" for name, value in apart.items())


def _parts(parts: dict[str, float]) -> str:
    return ", ".join(f"{name} = {value:.6g}" for name, value in parts.items())
