"""``ctucbvi plan``: solve one model."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Iterable, Iterator
from fractions import Fraction
from time import monotonic
from typing import TYPE_CHECKING, Any

from ctucbvi import CTMDP, InputError, UndecidedError
from ctucbvi.drawing import draw_answers
from ctucbvi.enclosure import exact_string
from ctucbvi.figures import check_target
from ctucbvi.library import find_model
from ctucbvi.numbers import exact
from ctucbvi.solutions import About, Answer, Doubt, document, values_at
from ctucbvi.usage import NUMERIC_DIGITS
from verify.console import OutOfTimeError, refuse, within
from verify.progress import ProgressLine, note_if_slow
from verify.tables import table, width

if TYPE_CHECKING:
    from ctucbvi import Solution

_SECONDS = 600.0
_MOST_REASONS = 40  # lines of what is undecided on the screen


def run(options: argparse.Namespace) -> int:
    """Solve and print, or say that there was no time to."""
    began = monotonic()
    if options.digits is None:
        options.digits = 9 if options.engine == "numeric" else 15
    _check_combination(options)
    try:
        return _plan(_read(options), began, options)
    except OutOfTimeError:
        print(f"ctucbvi: {options.seconds:g} seconds are not enough to read {options.model}", file=sys.stderr)
    except UndecidedError as error:  # with nothing to print
        print(f"ctucbvi: {error}", file=sys.stderr)
    return 1


def _read(options: argparse.Namespace) -> CTMDP:
    """The model, and for the exact planner its pairs: all that is not the planner's own work."""
    with note_if_slow(f"ctucbvi: reading {options.model}"):
        if options.symbolic is not None:
            return find_model(options.model)
        with within(options.seconds):
            model = find_model(options.model)
            if options.engine != "numeric":
                _ = model.plain(truncate=options.truncate).pairs
            return model


def _plan(model: CTMDP, began: float, options: argparse.Namespace) -> int:
    """Solve and print; time counts since it ``began``."""
    if options.symbolic is not None:
        from ctucbvi.commands.plan_symbolic import print_iterate  # SymPy is slow to load

        return print_iterate(model, options)
    if options.plot:
        check_target("--plot", options.plot)
    points = [_point(text, model) for text in options.at]
    names = ("committed", "adjustable") if options.semantics == "both" else (options.semantics,)
    if options.engine == "numeric":
        return _run_numeric(model, names, points, began, options)
    plans = {
        name: _solve(model, name, points, (began, allowed(began, i, len(names), options)), options)
        for i, name in enumerate(names)
    }
    if options.plot:
        draw_answers([solution for solution, _ in plans.values()]).save(options.plot, "--plot")
    asked = points or [(state, model.horizon) for state in model.states]
    documents = {
        name: document(
            solution,
            values_at(solution, asked),
            engine=options.engine,
            digits=options.digits,
            seconds=seconds,
            states=[state for state, _ in points] or None,
        )
        for name, (solution, seconds) in plans.items()
    }
    _print(documents, {name: solution for name, (solution, _) in plans.items()}, points, options)
    for solution, _ in plans.values():
        _print_undecided(solution)
    _print_other_engine([solution for solution, _ in plans.values()])
    return 1 if any(_lacks_digits(solution, asked, options) for solution, _ in plans.values()) else 0


def allowed(began: float, number: int, plans: int, options: argparse.Namespace) -> float:
    """When a plan has to be done, in seconds since all ``began``: the time is shared with those to come."""
    if plans == 1:
        return float(options.seconds)
    spent = monotonic() - began
    return spent + float(max(0.0, options.seconds - spent)) / (plans - number)


def _print_undecided(answer: Answer) -> None:
    for reason in answer.undecided[:_MOST_REASONS]:
        print(f"ctucbvi: undecided: {reason}", file=sys.stderr)
    if len(answer.undecided) > _MOST_REASONS:
        more = len(answer.undecided) - _MOST_REASONS
        print(f"ctucbvi: undecided: and {more} more, all of them with --json", file=sys.stderr)


def _print_other_engine(solutions: list[Solution]) -> None:
    """Where time was out, say that the fast planner may be what is wanted."""
    out = any(doubt.what is About.BUDGET for solution in solutions for doubt in solution.undecided)
    if out:
        text = (
            f"try --engine numeric: up to {NUMERIC_DIGITS} digits with enclosures, and at large rates faster"
        )
        print(f"ctucbvi: {text}", file=sys.stderr)


def _lacks_digits(solution: Solution, asked: list[tuple[str, Any]], options: argparse.Namespace) -> bool:
    """Whether a value, or a switch where the policy is asked for, has fewer digits than it should."""
    return any(
        (d.state, d.between and d.between.lower) in asked
        if d.what is About.VALUE
        else d.what is About.SWITCH and options.engine == "exact"
        for d in solution.undecided
    )


def _check_combination(options: argparse.Namespace) -> None:
    if options.symbolic is None:
        refuse(options, "belongs to --symbolic", "--latex")
    elif options.engine != "numeric":
        why = "changes nothing with --symbolic, which prints an iterate in closed form"
        refuse(options, why, "--plot", "--at", "--seconds")
        if options.engine == "certified":
            raise InputError(f"--engine certified: {why}; leave it out")
    if options.seconds is None:
        options.seconds = _SECONDS
    if not options.seconds > 0:
        raise InputError(f"--seconds {options.seconds}: write a number above 0")
    if options.engine == "numeric":
        if options.symbolic is not None:
            raise InputError("--symbolic belongs to the exact engine; leave out --engine numeric")
        if options.certificate and options.semantics == "both":
            raise InputError(
                "--certificate: one certificate is for one semantics; choose it with --semantics"
            )
        if not 1 <= options.digits <= NUMERIC_DIGITS:
            raise InputError(
                f"--digits {options.digits}: the numeric engine has 1 to {NUMERIC_DIGITS}; "
                "use --engine exact for more"
            )
    elif options.certificate or options.no_certificate:
        raise InputError("--certificate and --no-certificate belong to --engine numeric")


def _run_numeric(
    model: CTMDP,
    names: tuple[str, ...],
    points: list[tuple[str, Any]],
    began: float,
    options: argparse.Namespace,
) -> int:
    from ctucbvi.commands.plan_numeric import compiled, plan, save_certificate  # compiled, slow to load

    began += sum(compiled(model, name, truncate=options.truncate) for name in names)
    plans = {
        name: plan(model, name, points, (began, allowed(began, i, len(names), options)), options)
        for i, name in enumerate(names)
    }
    certificates = [certificate for _, certificate in plans.values()]
    if not all(certificate.model.horizon == model.horizon for certificate in certificates):
        for file in filter(None, (options.certificate, options.plot)):
            print(f"ctucbvi: {file} is not written: the plan is not finished", file=sys.stderr)
    else:
        if options.certificate:
            save_certificate(certificates[0], options.certificate)
        if options.plot:
            with note_if_slow("ctucbvi: drawing"):
                draw_answers(certificates).save(options.plot, "--plot")
    _print({n: p[0] for n, p in plans.items()}, {n: p[1] for n, p in plans.items()}, points, options)
    if not options.json:
        said = "The times at which an action changes are computed in double precision and not certified."
        print("\n" + textwrap.fill(said, width(100)))
    for certificate in certificates:
        _print_undecided(certificate)
    return 1 if any(certificate.undecided for certificate in certificates) else 0


def _point(text: str, model: CTMDP) -> tuple[str, Any]:
    state, at, time = text.rpartition("@")
    if not at:
        raise InputError(f"--at {text!r}: write STATE@T, for example {model.states[0]}@1/2")
    model.state_index(state)
    return state, model.remaining(exact(time, f"--at {text!r}: time"), f"--at {text!r}: ")


def _solve(
    model: CTMDP,
    semantics: str,
    points: list[tuple[str, Any]],
    time: tuple[float, float],
    options: argparse.Namespace,
) -> tuple[Solution, float]:
    """Solve in the ``time``, since when and how long, or say what is known then of what is asked for."""
    from ctucbvi import Budget, solve  # the exact planner takes as long to load as numpy

    clock, seconds = time
    began = monotonic()
    with ProgressLine(f"{model.name}, {semantics}") as progress:
        try:
            solution = solve(
                model,
                semantics,
                digits=options.digits,
                truncate=options.truncate,
                at=points,
                resolve_policy=options.engine == "exact",
                budget=Budget(seconds=seconds, started=clock),
                progress=progress,
            )
        except UndecidedError as error:
            if error.known is None or error.known.reached <= 0:
                raise
            asked = points or [(state, model.horizon) for state in model.states]
            known: Solution = error.known  # what is proved all the same
            doubts = (*known.missing_digits(asked).values(), *known.doubts_about(x for x, _ in asked))
            solution = known.with_doubts((known.undecided[0], *doubts))  # the first is why
    if points:
        solution = solution.with_doubts(_about(points, solution.undecided))
    return solution, monotonic() - began


def _about(points: list[tuple[str, Any]], doubts: Iterable[Doubt]) -> Iterator[Doubt]:
    """The doubts that concern what is asked for."""
    states = {state for state, _ in points}
    for doubt in doubts:
        if doubt.what is About.VALUE and doubt.between is not None:
            if (doubt.state, doubt.between.lower) in points:
                yield doubt
        elif doubt.state is None or doubt.state in states:
            yield doubt


def _print(
    documents: dict[str, dict[str, Any]],
    plans: dict[str, Any],
    points: list[tuple[str, Any]],
    options: argparse.Namespace,
) -> None:
    if len(documents) == 1:
        (found,) = documents.values()
        print(json.dumps(found, indent=2) if options.json else text_report(found))
        return
    committed, adjustable = (plans[name] for name in ("committed", "adjustable"))
    name = documents["committed"]["model"]
    asked = points or [(v["state"], Fraction(v["t"])) for v in documents["committed"]["values"]]
    reached = min(plan.model.horizon for plan in (committed, adjustable))  # less where time was out
    gaps = []
    for state, t in (point for point in asked if point[1] <= reached):
        gap = adjustable.value(state, t) - committed.value(state, t)
        value, lower, upper = gap.decimals(min(options.digits, 10))
        gaps.append({"state": state, "t": exact_string(t), "gap": value, "lower": lower, "upper": upper})
    if options.json:
        print(json.dumps({"model": name, "semantics": "both", **documents, "gap": gaps}, indent=2))
        return
    for found in documents.values():
        print(text_report(found), end="\n\n")
    print("gap: adjustable value minus committed value")
    print(table(("state", "t", "gap"), [(g["state"], g["t"], g["gap"]) for g in gaps]))


def text_report(found: dict[str, Any]) -> str:
    """The same facts for a reader."""

    def names(actions: str | list[str], proved: bool) -> str:
        if isinstance(actions, str):
            return actions
        return " = ".join(actions) + "  (tied)" if proved else " or ".join(actions) + "  (not told apart)"

    policy = [
        (state if i == 0 else "", s["from"], s["to"], names(s["action"], s["proved"]))
        for state, segments in found["policy"].items()
        for i, s in enumerate(segments)
    ]
    begin = []
    if "mean" in found:
        law = ", ".join(f"{x}: {p}" for x, p in found["initial"].items())
        mean = [(law, found["mean"]["t"], found["mean"]["value"])]
        begin = [table(("initial state", "remaining time", "mean value"), mean), ""]
    minimised = ", costs minimised" if found["objective"] == "min" else ""
    return "\n".join(
        [
            f"{found['model']}: {found['semantics']}{minimised}, {found['digits']} digits, "
            f"{found['seconds']:.3f} s",
            "",
            table(
                ("state", "remaining time", "optimal value"),
                [(v["state"], v["t"], v["value"]) for v in found["values"]],
            ),
            "",
            *begin,
            table(("state", "from", "to", "optimal action"), policy),
        ]
    )
