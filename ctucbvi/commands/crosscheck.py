"""``ctucbvi crosscheck``: the planners against each other, or a table of values against the exact one."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from fractions import Fraction
from time import perf_counter
from typing import Any

from ctucbvi import CTMDP, InputError, UndecidedError, bundled_models, find_model, save_model, solve
from ctucbvi.commands.crosscheck_peers import report, third_opinions
from ctucbvi.crosscheck import (
    Comparison,
    Complaint,
    PlannerCheck,
    Routes,
    RowCheck,
    check_values,
    compare,
    random_models,
    read_values,
    smallest_failure,
)
from ctucbvi.enclosure import exact_string
from ctucbvi.numbers import exact, shown
from ctucbvi.solutions import doubts_document, switch_document
from ctucbvi.strategies import corner_models
from ctucbvi.usage import RANDOM
from verify.console import refuse
from verify.progress import ProgressLine
from verify.tables import table

_FAILING = "crosscheck-failure.toml"
_TRIES = 60  # simplifications of a failing model to try
_WORST = 10  # rows of a table of values to show


def run(options: argparse.Namespace) -> int:
    """Compare and print; status 1 if anything disagrees."""
    tolerance = exact(options.tolerance, "--tolerance")
    if not 0 < tolerance <= 10**100:
        raise InputError(f"--tolerance {options.tolerance}: write a number above 0, for example 1e-9")
    if options.values is not None:
        return _run_values(options, tolerance)
    return _run_models(options, tolerance)


# --- planners against each other -----------------------------------------------------------


def _run_models(options: argparse.Namespace, tolerance: Fraction) -> int:
    options.failing = options.failing or _FAILING
    if not options.failing.lower().endswith((".toml", ".json")):
        raise InputError(f"--failing {options.failing}: end it in .toml or .json")
    if not (options.random or (options.random is None and not options.models)):
        refuse(options, "no random models are asked for (--random N)", "--seed")
    named, others = _models(options)
    names = ("committed", "adjustable") if options.semantics in (None, "both") else (options.semantics,)
    routes = Routes(exact=solve)
    found: list[tuple[Comparison, float]] = []
    jobs = [
        (model, semantics)
        for model in named + others
        for semantics in names
        if not (len(names) > 1 and semantics == "adjustable" and model.pays_choices)  # which has no value
    ]
    with ProgressLine("crosscheck") as progress:
        for i, (model, semantics) in enumerate(jobs):
            began = perf_counter()
            try:
                result = compare(model, semantics, tolerance=tolerance, digits=options.digits, routes=routes)
            except UndecidedError as error:
                print(f"ctucbvi: {model.name}, {semantics}: {error}", file=sys.stderr)
                continue
            found.append((result, perf_counter() - began))
            progress((i + 1) / len(jobs))
    results = [result for result, _ in found]
    thirds = third_opinions(named, names) if options.peers else []
    good = len(results) == len(jobs) and all(result.agrees for result in results)
    good &= all(entry.get("agree", True) for entry in thirds)
    if options.json:
        rows = [_document(result, options.digits, seconds) for result, seconds in found]
        document = {"digits": options.digits, "results": rows, "agree": good}
        print(json.dumps({**document, "peers": thirds} if options.peers else document, indent=2))
    else:
        print(_report(results, named, options.digits, len(jobs)))
        if options.peers:
            print("\n" + report(thirds))
    for result in results:
        if result.complaints:
            _write_failure(result, options, routes)
            break
    return 0 if good else 1


def _models(options: argparse.Namespace) -> tuple[list[CTMDP], list[CTMDP]]:
    """The models that have names, whose switching times are shown, and the others."""
    seed, paid = options.seed or 0, options.semantics != "adjustable"
    if options.models:
        drawn = random_models(options.random or 0, seed, ends=True, choices=paid)
        return [find_model(name) for name in options.models], drawn
    count = RANDOM if options.random is None else options.random
    corners = list(corner_models().values()) if count else []
    return list(bundled_models().values()), corners + random_models(count, seed, ends=True, choices=paid)


def _write_failure(result: Comparison, options: argparse.Namespace, routes: Routes) -> None:
    """Make the first failing model small and write it, with what is wrong, for ``ctucbvi plan``."""
    tried = 0

    def complaints(model: CTMDP) -> list[Complaint]:
        """What the same planner is blamed for: another failure is not the one that is looked for."""
        found = compare(
            model, result.semantics, tolerance=result.claimed, digits=options.digits, routes=routes
        )
        return [c for c in found.complaints if c.who is result.complaints[0].who]

    with ProgressLine("looking for a smaller failing model") as progress:

        def fails(model: CTMDP) -> bool:
            nonlocal tried
            tried += 1
            progress(tried / _TRIES)
            try:
                return bool(complaints(model))
            except (InputError, UndecidedError):
                return False

        smallest = smallest_failure(fails, result.model, tries=_TRIES)
    source = f"found by ctucbvi crosscheck, starting from {result.model.name}"
    shows = f"{result.semantics}: {complaints(smallest)[0]}"
    save_model(replace(smallest, source=source, shows=shows), options.failing)
    print(
        f"ctucbvi: {result.model.name}, {result.semantics}: {result.complaints[0]}; "
        f"smallest failing model in {options.failing}",
        file=sys.stderr,
    )


def _document(result: Comparison, digits: int, seconds: float) -> dict[str, Any]:
    def number(size: Fraction | None) -> float | None:
        return None if size is None else float(size)

    state, t = result.at
    return {
        "model": result.model.name,
        "semantics": str(result.semantics),
        "value": result.value.decimals(digits)[0],
        "difference": float(result.error),
        "at": {"state": state, "t": str(t)},
        "claimed": float(result.claimed),
        "proved": float(result.proved),
        "second_difference": number(result.second_error),
        "stated": number(result.stated),
        "radius": float(result.radius),
        "switches": [switch_document(switch, digits) for switch in result.switches],
        "switch_difference": number(result.switch_difference),
        "second_switch_difference": number(result.second_switch_difference),
        "verdict": result.verdict,
        "agree": result.agrees,
        "complaints": [str(complaint) for complaint in result.complaints],
        **doubts_document(result.undecided, digits),
        "seconds": round(seconds, 4),
    }


def _report(results: list[Comparison], named: list[CTMDP], digits: int, jobs: int) -> str:
    """The table of all results, the switching times of the models ``named``, and what is wrong."""

    def size(number: Fraction | None) -> str:
        return "-" if number is None else f"{float(number):.1e}"

    rows = [
        (
            r.model.name, str(r.semantics), r.value.decimals(digits)[0], size(r.error), size(r.claimed),
            size(r.proved), size(r.second_error), size(r.stated), size(r.switch_difference), r.verdict,
        )
        for r in results
    ]  # fmt: skip
    head = ("model", "semantics", "V*(initial, H)", "|dV| fast", "claimed", "proved", "|dV| second",
            "stated", "|dt| fast", "verdict")  # fmt: skip
    switches = [
        (r.model.name, str(r.semantics), s.state, s.time.decimals(digits)[0], " = ".join(s.before),
         " = ".join(s.after))
        for r in results
        if r.model in named
        for s in r.switches
    ]  # fmt: skip
    lines = ["exact planner, fast planner, second opinion: largest differences", ""]
    lines += [table(head, rows), "", "switching times", ""]
    lines.append(table(("model", "semantics", "state", "remaining time", "before", "after"), switches))
    wrong = [(r, why) for r in results for why in (*r.complaints, *r.undecided)]
    reasons = [f"{r.model.name}, {r.semantics}: {why}" for r, why in wrong]
    lines += ["", *reasons] if reasons else []
    count = sum(r.agrees for r in results)
    lines += ["", f"{count} of {jobs} agree" + ("" if count == jobs else ": NOT ALL")]
    return "\n".join(lines)


# --- a table of values ---------------------------------------------------------------------


def _run_values(options: argparse.Namespace, tolerance: Fraction) -> int:
    if len(options.models) != 1 or options.random:
        raise InputError(f"--values {options.values}: name exactly one MODEL that the values belong to")
    refuse(
        options, "belongs to the comparison of planners, not to --values", "--seed", "--failing", "--peers"
    )
    if options.semantics == "both":
        raise InputError("--values: the values belong to one problem; write committed or adjustable")
    model = find_model(options.models[0])
    rows = read_values(options.values, model)
    try:
        check = check_values(model, rows, semantics=options.semantics or "committed", tolerance=tolerance)
    except UndecidedError as error:
        print(f"ctucbvi: {error}", file=sys.stderr)
        return 1
    worst = sorted(check.rows, key=lambda row: (row.within, -row.error))[:_WORST]
    if options.json:
        print(json.dumps(_values_document(check, worst, options), indent=2))
    else:
        print(_values_report(check, worst, options))
    return 0 if check.within else 1


def _values_document(
    check: PlannerCheck, worst: list[RowCheck], options: argparse.Namespace
) -> dict[str, Any]:
    return {
        "model": check.model.name,
        "semantics": str(check.semantics),
        "values": options.values,
        "tolerance": float(check.tolerance),
        "rows": len(check.rows),
        "outside": sum(not row.within for row in check.rows),
        "largest_error": max(row.error for row in check.rows),
        "worst": [
            {
                "state": row.state,
                "t": exact_string(row.t),
                "value": None if row.value is None else exact_string(row.value),
                "expected": row.expected.decimals(options.digits)[0],
                "error": row.error,
                "action": row.action,
                "loss": row.loss,
                "within": row.within,
            }
            for row in worst
        ],
        "agree": check.within,
    }


def _number(number: Fraction) -> str:
    """As it was written, unless it would fill the line."""
    text = exact_string(number)
    return text if len(text) <= 60 else shown(number)


def _values_report(check: PlannerCheck, worst: list[RowCheck], options: argparse.Namespace) -> str:
    rows = [
        (
            row.state,
            exact_string(row.t),
            "-" if row.value is None else _number(row.value),
            row.expected.decimals(options.digits)[0],
            f"{row.error:.1e}",
            row.action or "-",
            "-" if row.loss is None else f"{row.loss:.1e}",
            "within" if row.within else "OUTSIDE",
        )
        for row in worst
    ]
    head = ("state", "t", "value", "exact", "error", "action", "its loss", "verdict")
    good = sum(row.within for row in check.rows)
    return "\n".join(
        [
            f"{options.values} against {check.model.name}, {check.semantics}: the worst rows",
            "",
            table(head, rows),
            "",
            f"{good} of {len(check.rows)} rows within {options.tolerance}"
            + ("" if check.within else ": NOT ALL"),
        ]
    )
