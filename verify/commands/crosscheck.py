"""``ctucbvi crosscheck``: the exact planner against an independent second opinion."""

from __future__ import annotations

import argparse
import json
from time import perf_counter
from typing import TYPE_CHECKING, Any

from verify.progress import ProgressLine

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from ctucbvi import CTMDP, Solution

_TIMES = 8  # remaining times at which the values are compared, besides the horizon


def add(subparsers: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the arguments."""
    parser = subparsers.add_parser(
        "crosscheck",
        help="solve models by two independent routes and compare",
        description="Solve models with the exact planner (ball arithmetic) and with the second opinion "
        "(Taylor series in mpmath), and compare values and switching times.  Without MODEL: all bundled "
        "models.",
        epilog="example: ctucbvi crosscheck machine-repair my-model.toml --digits 30",
    )
    parser.add_argument("models", nargs="*", metavar="MODEL", help="bundled name or TOML/JSON file")
    parser.add_argument("--digits", type=int, default=20, metavar="D", help="digits to compare (default 20)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare and print; status 1 if anything disagrees."""
    from ctucbvi import InputError, bundled_models, find_model

    if not 5 <= options.digits <= 200:
        raise InputError(f"--digits {options.digits}: write a number from 5 to 200")
    models = [find_model(name) for name in options.models] or list(bundled_models().values())
    results: list[dict[str, Any]] = []
    with ProgressLine("crosscheck") as progress:
        for i, model in enumerate(models):
            for j, semantics in enumerate(("committed", "adjustable")):
                results.append(compare(model, semantics, options.digits))
                progress((2 * i + j + 1) / (2 * len(models)))
    good = all(result["agree"] for result in results)
    if options.json:
        print(json.dumps({"digits": options.digits, "results": results, "agree": good}, indent=2))
    else:
        print(_report(results, good, options.digits))
    return 0 if good else 1


def compare(model: CTMDP, semantics: str, digits: int) -> dict[str, Any]:
    """Solve ``model`` twice and measure the differences exactly."""
    from fractions import Fraction

    from ctucbvi import Semantics, second_opinion, solve

    began = perf_counter()
    solution = solve(model, semantics, digits=digits)
    between = perf_counter()
    opinion = second_opinion.solve(model, Semantics(semantics), digits=digits)
    ended = perf_counter()
    stated = second_opinion.as_fraction(opinion.stated_error)
    worst = allowed = Fraction(0)
    agree = not solution.undecided
    for state in model.states:
        for k in range(_TIMES + 1):
            t = model.horizon * (k + 1) / (_TIMES + 1)
            value = solution.value(state, t)
            difference = abs(value.mid - second_opinion.as_fraction(opinion.value(state, t)))
            agree &= difference <= value.radius + stated
            worst, allowed = max(worst, difference), max(allowed, value.radius + stated)
    switches, shift = _match_switches(solution, opinion)
    return {
        "model": model.name,
        "semantics": semantics,
        "value": solution.value(model.initial).decimals(digits)[0],
        "difference": float(worst),
        "allowed": float(allowed),
        "switches": [
            {"state": s.state, "t": s.time.decimals(digits)[0], "before": s.before, "after": s.after}
            for s in solution.switches
        ],
        "switch_difference": shift,
        "agree": agree and switches,
        "seconds": {"exact": round(between - began, 4), "second opinion": round(ended - between, 4)},
    }


def _match_switches(solution: Solution, opinion: Any) -> tuple[bool, float | None]:
    """Whether every switch between single actions is seen by both, and how far apart at most.

    Where actions are tied the second opinion names one of them, so switches out of or into a
    tie have no counterpart.
    """
    from ctucbvi import second_opinion

    theirs = [(state, second_opinion.as_fraction(t), b, a) for state, t, b, a in opinion.switches]
    worst = None
    for switch in solution.switches:
        if len(switch.before) > 1 or len(switch.after) > 1:
            continue
        same = [
            abs(t - switch.time.mid)
            for state, t, before, after in theirs
            if (state, before, after) == (switch.state, *switch.before, *switch.after)
        ]
        if not same or min(same) * 10**6 > solution.model.horizon:
            return False, None
        worst = max(worst or 0.0, float(min(same)))
    return True, worst


def _report(results: list[dict[str, Any]], good: bool, digits: int) -> str:
    from verify.tables import table

    rows = [
        (
            r["model"],
            r["semantics"],
            r["value"],
            f"{r['difference']:.1e}",
            f"{r['allowed']:.1e}",
            "-" if r["switch_difference"] is None else f"{r['switch_difference']:.1e}",
            "agree" if r["agree"] else "DISAGREE",
        )
        for r in results
    ]
    head = ("model", "semantics", "V*(initial, H)", "largest |dV|", "allowed", "largest |dt|", "verdict")
    lines = ["exact planner against second opinion", "", table(head, rows), "", "switching times", ""]
    switches = [
        (r["model"], r["semantics"], s["state"], s["t"], " = ".join(s["before"]), " = ".join(s["after"]))
        for r in results
        for s in r["switches"]
    ]
    lines.append(table(("model", "semantics", "state", "remaining time", "before", "after"), switches))
    count = sum(r["agree"] for r in results)
    lines += ["", f"{count} of {len(results)} agree to {digits} digits" + ("" if good else ": NOT ALL")]
    return "\n".join(lines)
