"""``ctucbvi plan``: solve one model."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from verify.progress import ProgressLine

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from ctucbvi import CTMDP, Solution

_EPILOG = """examples:
  ctucbvi plan machine-repair --digits 40
  ctucbvi plan my-model.toml --semantics both --at operating@1/2 --plot values.svg
  ctucbvi plan machine-repair --symbolic 2
"""

_MOST_REASONS = 40  # lines of what is undecided on the screen


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "plan",
        help="optimal value, time-dependent policy and switching times, with guaranteed digits",
        description="Solve a model: optimal value, time-dependent policy and switching times. "
        "Times are remaining times.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help="a TOML or JSON file, or the name of a bundled model")
    parser.add_argument(
        "--semantics",
        choices=("committed", "adjustable", "both"),
        default="committed",
        help="committed: the action is held until the next jump (default); adjustable: it may change at "
        "any time; both: side by side, with the gap",
    )
    parser.add_argument(
        "--engine",
        choices=("exact", "certified", "numeric"),
        default="exact",
        help="exact: values and policy, precision raised until actions are told apart or proved tied "
        "(default); certified: stop as soon as the values have their digits; numeric: fast, in double "
        "precision, with enclosures from a certificate",
    )
    parser.add_argument(
        "--digits", type=int, metavar="D", help="guaranteed digits (default 15; with --engine numeric 9)"
    )
    parser.add_argument("--truncate", action="store_true", help="cap values at the remaining time: min{t, .}")
    parser.add_argument(
        "--at", action="append", default=[], metavar="STATE@T", help="value at this state and remaining time"
    )
    parser.add_argument(
        "--seconds", type=float, default=600.0, metavar="S", help="time to spend at most (default 600)"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw values and policy (.svg, .png or .pdf)")
    parser.add_argument(
        "--symbolic", type=int, metavar="N", help="print the N-th iterate of value iteration in closed form"
    )
    parser.add_argument(
        "--certificate", metavar="FILE", help="with --engine numeric: write what proves the enclosures"
    )
    parser.add_argument(
        "--no-certificate", action="store_true", help="with --engine numeric: print values without enclosures"
    )
    parser.add_argument("--latex", action="store_true", help="with --symbolic: print LaTeX")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Solve and print."""
    from ctucbvi import find_model
    from ctucbvi.solutions import document

    model = find_model(options.model)
    if options.digits is None:
        options.digits = 9 if options.engine == "numeric" else 15
    _check_combination(options)
    if options.symbolic is not None:
        from verify.commands.symbolic import print_iterate

        return print_iterate(model, options)
    if options.plot:
        from verify.plots import check_target

        check_target(options.plot)
    points = [_point(text, model) for text in options.at]
    names = ("committed", "adjustable") if options.semantics == "both" else (options.semantics,)
    if options.engine == "numeric":
        return _run_numeric(model, names, points, options)
    plans: dict[str, tuple[Solution, float]] = {}
    left = options.seconds
    for i, name in enumerate(names):
        plans[name] = _solve(model, name, points, options, left / (len(names) - i))
        left -= plans[name][1]
    if options.plot:
        from verify.plots import plot_solutions

        plot_solutions([solution for solution, _ in plans.values()], options.plot)
    asked = points or [(state, model.horizon) for state in model.states]
    documents = {
        name: document(solution, asked, engine=options.engine, digits=options.digits, seconds=seconds)
        for name, (solution, seconds) in plans.items()
    }
    _print(documents, {name: solution for name, (solution, _) in plans.items()}, points, options)
    for solution, _ in plans.values():
        _print_undecided(solution)
    return 1 if any(_lacks_digits(solution, asked, options) for solution, _ in plans.values()) else 0


def _print_undecided(solution: Solution) -> None:
    for reason in solution.undecided[:_MOST_REASONS]:
        print(f"ctucbvi: undecided: {reason}", file=sys.stderr)
    if len(solution.undecided) > _MOST_REASONS:
        more = len(solution.undecided) - _MOST_REASONS
        print(f"ctucbvi: undecided: and {more} more, all of them with --json", file=sys.stderr)


def _lacks_digits(solution: Solution, asked: list[tuple[str, Any]], options: argparse.Namespace) -> bool:
    """Whether a value, or a switch where the policy is asked for, has fewer digits than it should."""
    from ctucbvi.solutions import About

    return any(
        (d.state, d.between and d.between.lower) in asked
        if d.what is About.VALUE
        else d.what is About.SWITCH and options.engine == "exact"
        for d in solution.undecided
    )


def _check_combination(options: argparse.Namespace) -> None:
    from ctucbvi import InputError

    if options.engine == "numeric":
        if options.plot or options.symbolic is not None:
            raise InputError("--plot and --symbolic belong to the exact engine; leave out --engine numeric")
        if options.certificate and options.semantics == "both":
            raise InputError(
                "--certificate: one certificate is for one semantics; choose it with --semantics"
            )
    elif options.certificate or options.no_certificate:
        raise InputError("--certificate and --no-certificate belong to --engine numeric")


def _run_numeric(
    model: CTMDP, names: tuple[str, ...], points: list[tuple[str, Any]], options: argparse.Namespace
) -> int:
    from ctucbvi import UndecidedError
    from verify.commands.fast import plan, report

    try:
        plans = {name: plan(model, name, points, options) for name in names}
    except UndecidedError as error:
        print(f"ctucbvi: {error}", file=sys.stderr)
        return 1
    if options.certificate and plans[names[0]][1].model == model:
        from ctucbvi.numeric.files import save_certificate

        save_certificate(plans[names[0]][1], options.certificate)
    elif options.certificate:
        print(f"ctucbvi: {options.certificate} is not written: the plan is not finished", file=sys.stderr)
    _print({n: p[0] for n, p in plans.items()}, {n: p[1] for n, p in plans.items()}, points, options)
    return report([document for document, _ in plans.values()], options)


def _fraction(text: str) -> Any:
    from fractions import Fraction

    return Fraction(text)


def _point(text: str, model: CTMDP) -> tuple[str, Any]:
    from ctucbvi import InputError
    from ctucbvi.numbers import exact

    state, at, time = text.rpartition("@")
    if not at:
        raise InputError(f"--at {text!r}: write STATE@T, for example {model.states[0]}@1/2")
    model.state_index(state)
    t = exact(time, f"--at {text!r}: time")
    if not 0 <= t <= model.horizon:
        raise InputError(f"--at {text!r}: remaining time {t} is outside [0, {model.horizon}]")
    return state, t


def _solve(
    model: CTMDP, semantics: str, points: list[tuple[str, Any]], options: argparse.Namespace, seconds: float
) -> tuple[Solution, float]:
    from time import perf_counter

    from ctucbvi import Budget, InputError, UndecidedError, solve

    if not options.seconds > 0:
        raise InputError(f"--seconds {options.seconds}: write a number above 0")
    began = perf_counter()
    with ProgressLine(f"{model.name}, {semantics}") as progress:
        try:
            solution = solve(
                model,
                semantics,
                digits=options.digits,
                truncate=options.truncate,
                at=points,
                resolve_policy=options.engine == "exact",
                budget=Budget(seconds=seconds),
                progress=progress,
            )
        except UndecidedError as error:
            solution = error.known  # what is proved all the same
    return solution, perf_counter() - began


def _print(
    documents: dict[str, dict[str, Any]],
    plans: dict[str, Any],
    points: list[tuple[str, Any]],
    options: argparse.Namespace,
) -> None:
    from ctucbvi.solutions import time_string

    if len(documents) == 1:
        (document,) = documents.values()
        print(json.dumps(document, indent=2) if options.json else text_report(document))
        return
    committed, adjustable = (plans[name] for name in ("committed", "adjustable"))
    name = documents["committed"]["model"]
    asked = points or [(v["state"], _fraction(v["t"])) for v in documents["committed"]["values"]]
    reached = min(plan.model.horizon for plan in (committed, adjustable))  # less where time was out
    gaps = []
    for state, t in (point for point in asked if point[1] <= reached):
        gap = adjustable.value(state, t) - committed.value(state, t)
        value, lower, upper = gap.decimals(min(options.digits, 10))
        gaps.append({"state": state, "t": time_string(t), "gap": value, "lower": lower, "upper": upper})
    if options.json:
        print(json.dumps({"model": name, "semantics": "both", **documents, "gap": gaps}, indent=2))
        return
    from verify.tables import table

    for document in documents.values():
        print(text_report(document), end="\n\n")
    print("gap: adjustable value minus committed value")
    print(table(("state", "t", "gap"), [(g["state"], g["t"], g["gap"]) for g in gaps]))


def text_report(document: dict[str, Any]) -> str:
    """The same facts for a reader."""
    from verify.tables import table

    def names(actions: str | list[str], proved: bool) -> str:
        if isinstance(actions, str):
            return actions
        return " = ".join(actions) + "  (tied)" if proved else " or ".join(actions) + "  (not told apart)"

    policy = [
        (state if i == 0 else "", s["from"], s["to"], names(s["action"], s.get("proved", True)))
        for state, segments in document["policy"].items()
        for i, s in enumerate(segments)
    ]
    return "\n".join(
        [
            f"{document['model']}: {document['semantics']}, {document['digits']} digits, "
            f"{document['seconds']:.3f} s",
            "",
            table(
                ("state", "remaining time", "optimal value"),
                [(v["state"], v["t"], v["value"]) for v in document["values"]],
            ),
            "",
            table(("state", "from", "to", "optimal action"), policy),
        ]
    )
