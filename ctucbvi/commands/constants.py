"""``ctucbvi constants``: every constant of the paper for given parameters, and its bounds over a range."""

from __future__ import annotations

import argparse
import json
import re
import textwrap
from itertools import zip_longest
from pathlib import Path
from typing import Any

import sympy

from ctucbvi import InputError, find_model
from ctucbvi.bounds import CATALOGUE, Constant, Parameters, Sweep, SweepRange, document, sweep
from ctucbvi.bounds.catalogue import KEPT_PLANS, LOWER_EVERY_SIZE, catalogue_of
from ctucbvi.bounds.conditions import SIZES
from ctucbvi.bounds.figure import draw
from ctucbvi.bounds.versions import LAZY, OPTIMISTIC, versions_of
from ctucbvi.commands.constants_model import about, refuse_unknown, unknown, withhold
from ctucbvi.commands.constants_model import lines as lines_about
from ctucbvi.figures import check_target
from ctucbvi.usage import RANGE
from verify.console import refuse
from verify.tables import table, width

_LATEX_HEAD = r"""\begin{longtable}{p{0.2\textwidth}p{0.45\textwidth}p{0.15\textwidth}p{0.2\textwidth}}
constant & expression & value & if \\ \hline"""
_SIGNS = {
    "lambda_max": r"$\lambda_{\max}$",
    "lambda_min": r"$\lambda_{\min}$",
    "epsilon_k": r"$\epsilon_k$",
    "eta": r"$\eta$",
    "gamma_d": r"$\gamma_d$",
    "delta": r"$\delta$",
    ">=": r"$\ge$",
    "<=": r"$\le$",
    "<": "$<$",
    ">": "$>$",
}
_WIDTH = 100
_NAMES = max(len(constant.name) for constant in CATALOGUE)
_LONG_NAMES = max(len(constant.name) for constant in KEPT_PLANS)
_COLUMNS = (
    "printed", "sharp", "halved", "lump-sum", "sharp-bonus", "known-rate", "optimistic", "poisson", "kl",
    "kl-poisson", "tilts", "tilts-poisson", "delta", "sharp-delta", "optimistic-delta", "poisson-delta",
    "kl-delta", "kl-poisson-delta", "tilts-delta", "tilts-poisson-delta", "lower-every-K",
    "lower-every-size", "lower-turns", *(version.name for version in LAZY),
)  # fmt: skip
_NEEDED = ("S", "A", "H", "K", "lambda_max")  # without a model
_PHI = "where phi(z) = (1 - exp(-z))/z, phi(0) = 1"


def run(options: argparse.Namespace) -> int:
    """Print the constants, or the sweep."""
    if any(value is not None for value in (options.sweep, options.plot, options.study)):
        return _sweep(options)
    p, name = _parameters(options)
    found = document(p, 10 if options.digits is None else options.digits)
    found["parameters"] = {"model": name, **found["parameters"]}
    if options.model is not None:
        found["about_the_model"] = about(find_model(options.model), p)
        withhold(found, found["about_the_model"])
    if options.latex:
        print(_latex(p, found))
    else:
        print(json.dumps(found) if options.json else _report(p, found))
    return 0


# --- what was asked for -----------------------------------------------------------------------


def _parameters(options: argparse.Namespace) -> tuple[Parameters, str | None]:
    """The parameters, and the name of the model if there is one."""
    episodes = options.K
    told: dict[str, Any] = {
        "lambda_max": options.lambda_max,
        "lambda_min": options.lambda_min,
        "delta": options.delta,
        "epsilon": options.epsilon,
        "time": "0" if options.time is None else options.time,
        "n_plus": "0" if options.jumps is None else options.jumps,
        "replan": options.replan,
    }
    sizes = {"states": options.S, "actions": options.A, "horizon": options.H}
    if options.model is not None:
        _refuse_sizes(options)
        if episodes is None:
            raise InputError("--K is missing; write the number of episodes, for example --K 1e7")
        return _of_model(options, episodes, told)
    missing = [f"--{name.replace('_', '-')}" for name in _NEEDED if getattr(options, name) is None]
    if missing:
        raise InputError(f"{', '.join(missing)}: missing; write them, or name a MODEL")
    return Parameters.of(**sizes, episodes=episodes, **told), None


def _refuse_sizes(options: argparse.Namespace) -> None:
    given = [f"--{name}" for name in ("S", "A", "H") if getattr(options, name) is not None]
    if given:
        raise InputError(f"{', '.join(given)}: the model has its own; leave this out, or leave out MODEL")


def _of_model(
    options: argparse.Namespace, episodes: Any, told: dict[str, Any]
) -> tuple[Parameters, str | None]:
    model = find_model(options.model)
    p = Parameters.of_model(model, episodes=episodes, **told)
    rates = [row.rate for row in model.transitions]
    if p.lambda_max < max(rates):
        raise InputError(f"--lambda-max {options.lambda_max}: model {model.name!r} has the rate {max(rates)}")
    if p.lambda_min is not None and p.lambda_min > min(rates):
        raise InputError(f"--lambda-min {options.lambda_min}: model {model.name!r} has the rate {min(rates)}")
    return p, model.name


# --- the constants ----------------------------------------------------------------------------


def _report(p: Parameters, found: dict[str, Any]) -> str:
    told = "  ".join(f"{key} = {value}" for key, value in found["parameters"].items() if value is not None)
    lines = [*textwrap.wrap(told, width(_WIDTH)), ""]
    for constant, entry in zip(catalogue_of(p), found["constants"], strict=True):
        lines += _lines_of(constant, constant.expression(p), entry)
    if not unknown(found.get("about_the_model")):
        lines += _upper_lines(p, found["upper_bound"])
    lines.append("")
    lines += [part for line in _lower_lines(found) for part in textwrap.wrap(line, width(len(line)))]
    lower = found["lower_bound"]["every_size"]["value"] is not None
    return "\n".join([*lines, *_about(found, p, lower=lower)])


def _upper_lines(p: Parameters, upper: dict[str, Any]) -> list[str]:
    versions = [upper, *upper["versions"]]
    (best,) = (version for version in versions if version["name"] == OPTIMISTIC.name)
    return [
        *("", f"the bound of {upper['label']} as printed, in its factors", _factors(upper)),
        *("", f"the bound of {best['label']}, in its factors", _factors(best)),
        *("", "from which K on the bound is below K H", _thresholds(p, versions)),
    ]


def _about(found: dict[str, Any], p: Parameters, *, lower: bool) -> list[str]:
    """What there is to say about the model, if there is one, after an empty line."""
    if "about_the_model" not in found:
        return []
    texts = lines_about(found["about_the_model"], p, lower=lower, width=width(_WIDTH))
    return ["", *texts] if texts else []


def _lines_of(constant: Constant, expression: sympy.Expr, entry: dict[str, Any]) -> list[str]:
    """Name, value and label; the conditions beyond S, A, K >= 1 and H, lambda_max > 0; the expression."""
    failing = _failing(entry)
    value = entry["value"] or "no value: " + ", ".join(failing) + (" fails" if len(failing) == 1 else " fail")
    needs = _needs(constant, entry)
    names = _LONG_NAMES if constant in KEPT_PLANS else _NAMES
    head = f"{constant.name:<{names}}  {value:<26}  {constant.label}"
    fits = len(head) <= width(len(head))
    lines = [head] if fits else [f"{constant.name:<{names}}  {constant.label}", *_folded(value)]
    where = _PHI if expression.has(sympy.Function("phi")) else ""
    for text in ("if " + ", ".join(needs) if needs else "", str(expression), where):
        lines += _folded(text)
    return lines


def _folded(text: str) -> list[str]:
    return textwrap.wrap(text, width(_WIDTH), initial_indent=" " * 6, subsequent_indent=" " * 8)


def _factors(upper: dict[str, Any]) -> str:
    if upper["factors"] is None:
        return "no value: needs " + " and ".join(_failing(upper))
    rows = [[factor["name"], factor["value"]] for factor in upper["factors"]]
    rows += [[f"  of it {term['name']}", term["value"]] for term in upper["terms"]]
    if upper["lower_order_term"] is None:
        rows.append(["+ exp(lambda_max H) sum of epsilon_k", upper["epsilon_term"]["value"]])
    else:
        rows.append(["+ lower order in K", upper["lower_order_term"]["value"]])
    rows.append(["+ off the event G", upper["rest"]["value"]])
    rows.append(["bound", upper["value"]])
    rows.append(["trivial bound K H", upper["trivial"]])
    return table(["factor", "value"], rows)


def _thresholds(p: Parameters, versions: list[dict[str, Any]]) -> str:
    rows = []
    for kind, version in zip(versions_of(p), versions, strict=True):
        if kind.own_delta and p.delta is None:
            continue
        value = version["value"] or "needs " + " and ".join(_failing(version))
        until = version["vacuous_until"] or version["vacuous_until_missing"]
        rows.append([version["name"], value, until, version["delta"], version["learner"]])
    return table(["version", "bound", "below K H from", "delta", "learner"], rows)


def _failing(entry: dict[str, Any]) -> list[str]:
    return [condition["condition"] for condition in entry["conditions"] if not condition["holds"]]


def _needs(constant: Constant, entry: dict[str, Any]) -> list[str]:
    """The conditions that are worth a word: the sizes are not; what comes after the constant's own is."""
    told = zip_longest(entry["conditions"], constant.conditions)
    return [shown["condition"] for shown, condition in told if condition not in SIZES]


def _lower_lines(found: dict[str, Any]) -> list[str]:
    lower = found["lower_bound"]
    entries = [(lower, "as printed"), (lower["every_K"], "with the constant proved")]
    if lower["every_K"]["value"] is None:
        entries.append((lower["every_size"], "with the constant proved for every S and A"))
    entries.append((lower["no_self_jumps"], "for models without self-jumps"))
    lines = [f"lower bound: {entry['value']} {text}" for entry, text in entries if entry["value"] is not None]
    if not lines:
        return [f"no lower bound: {lower['label']} needs " + " and ".join(_failing(lower["every_size"]))]
    for key, text in (
        ("ratio", "as printed"),
        ("ratio_sharp", "with the sharpest constants of both"),
        ("ratio_optimistic", "for the optimistic learner with rates by Poisson tails"),
    ):
        if found[key] is not None:
            lines.append(f"upper over lower bound: {found[key]['value']} {text}")
    return lines


def _latex(p: Parameters, found: dict[str, Any]) -> str:
    """A longtable: what it is, expression, value, conditions; C and D are written out in their own rows."""
    names = {sympy.Symbol("lambda_max"): r"\lambda_{\max}", sympy.Symbol("lambda_min"): r"\lambda_{\min}"}
    expressions = {constant.name: constant.expression(p) for constant in catalogue_of(p)}
    lines = [_LATEX_HEAD]
    for constant, entry in zip(catalogue_of(p), found["constants"], strict=True):
        short = {expressions[name]: sympy.Symbol(name) for name in ("C", "D") if name != constant.name}
        formula = expressions[constant.name].subs(short)
        text = sympy.latex(formula, symbol_names=names, ln_notation=True)
        value = f"${entry['value']}$" if entry["value"] else _escaped("fails: " + ", ".join(_failing(entry)))
        needs = _escaped(", ".join(_needs(constant, entry)))
        title = rf"{_escaped(constant.title)} \texttt{{{_escaped(constant.label)}}}"
        lines.append(f"{title} & ${text}$ & {value} & {needs} \\\\")
    return "\n".join([*lines, r"\end{longtable}"])


def _escaped(text: str) -> str:
    """Plain text for LaTeX, its relations and Greek letters as formulas."""
    text = re.sub("|".join(map(re.escape, _SIGNS)), lambda match: _SIGNS[match[0]], text)
    return text.replace("^", r"\^{}")


# --- the sweep --------------------------------------------------------------------------------


def _sweep(options: argparse.Namespace) -> int:
    if options.latex:
        raise InputError("--latex prints the table of constants; leave out --sweep")
    refuse(options, "changes nothing in a sweep of bounds", "--time", "--jumps", "--digits")
    over = SweepRange.parse(options.sweep or RANGE)
    if options.study is not None and (over.parameter != "K" or options.plot is None):
        raise InputError("--study is drawn over K; write --plot FILE, and leave out --sweep or sweep K")
    refuse(options, "the sweep is over it", f"--{over.parameter.replace('_', '-')}")
    if options.plot is not None:
        check_target("--plot", options.plot)
    if over.parameter == "K" or (options.model is None and over.parameter in _NEEDED):
        setattr(options, over.parameter, over.values[-1])
    p, name = _parameters(options)
    document = {}
    if options.model is not None:
        model = find_model(options.model)
        refuse_unknown(model, p)
        document["about_the_model"] = about(model, p)
    study = _study(options, name)
    found = sweep(p, over)
    if options.plot is not None:
        draw(found, options.plot, title=_title(found, name), study=study)
    if options.json:
        document = {**found.to_json(), **document}
        document["parameters"] = {"model": name, **document["parameters"]}
        print(json.dumps(document))
    else:
        lower = any(value is not None for value in found.bounds[LOWER_EVERY_SIZE.name])
        print("\n".join([_sweep_report(found), *_about(document, p, lower=lower)]))
    return 0


def _study(options: argparse.Namespace, name: str | None) -> dict[str, Any] | None:
    """The document of the study, if one was named."""
    if options.study is None:
        return None
    from ctucbvi.study.result import READ  # compiled, slow to load

    try:
        document: dict[str, Any] = json.loads(Path(options.study).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError):
        raise InputError(
            f"--study {options.study!r}: cannot be read; name a file that ctucbvi regret --result wrote"
        ) from None
    if not isinstance(document, dict) or document.get("format") not in READ:
        raise InputError(
            f"--study {options.study!r}: is no regret study; name a file that ctucbvi regret --result wrote"
        )
    if name is not None and document["model"] != name:
        raise InputError(f"--study {options.study!r}: is about {document['model']!r}, not {name!r}")
    return document


def _title(found: Sweep, name: str | None) -> str:
    told = {key: value for key, value in found.parameters.to_json().items() if key not in ("T", "N")}
    told.pop(found.range.parameter)
    text = ", ".join(f"{key} = {value}" for key, value in told.items() if value is not None)
    return f"{name}: {text}" if name else text


def _sweep_report(found: Sweep) -> str:
    """At most about twenty values, and the thresholds."""
    values, step = found.range.values, max(1, len(found.range.values) // 20)
    shown = sorted({*range(0, len(values), step), len(values) - 1})
    drawn = [name for name in _COLUMNS if any(x is not None for x in found.bounds.get(name, ()))]
    columns = {name: found.bounds[name] for name in (*drawn, "trivial")}
    head = [found.range.parameter, *(name.removesuffix("-every-K") for name in columns)]
    rows = [[_short(values[i]), *(_short(column[i]) for column in columns.values())] for i in shown]
    lines = [table(head, rows)]
    for name, threshold in found.thresholds.items():
        lines.append(f"{name}: below K H from K = {threshold.episodes or 'none: ' + threshold.reason}")
    return "\n".join(lines)


def _short(number: Any) -> str:
    return "-" if number is None else f"{float(number):.6g}"
