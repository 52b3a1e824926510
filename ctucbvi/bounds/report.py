"""Everything about one set of parameters in one document: constants, bounds in their parts, thresholds."""

from __future__ import annotations

from typing import Any

from flint import arb

from ctucbvi.bounds import catalogue
from ctucbvi.bounds.arithmetics import BALLS, EXPRESSIONS
from ctucbvi.bounds.catalogue import Value, catalogue_of, value
from ctucbvi.bounds.conditions import Checked
from ctucbvi.bounds.evaluation import as_json, certified
from ctucbvi.bounds.parameters import Parameters, symbolic
from ctucbvi.bounds.parts import BoundParts
from ctucbvi.bounds.thresholds import excess, threshold
from ctucbvi.bounds.versions import POISSON, PRINTED, SHARP, Version, versions_of

_TERMS = ("root of the jumps", "root of the rates")


def document(p: Parameters, digits: int = 15) -> dict[str, Any]:
    """The document that ``ctucbvi constants --json`` prints."""
    values = {constant.name: value(constant, p, digits) for constant in catalogue_of(p)}
    versions = [_upper(version, p, values[version.name], digits) for version in versions_of(p)]
    full, any_size = (values[lower.name] for lower in (catalogue.LOWER_EVERY, catalogue.LOWER_EVERY_SIZE))
    best = any_size if full.ball is None else full
    return {
        "parameters": p.to_json(),
        "digits": digits,
        "constants": [_constant(found, p, digits) for found in values.values()],
        "upper_bound": {**versions[0], "versions": versions[1:]},
        "lower_bound": _lower(p, values, digits),
        "ratio": _ratio(values[PRINTED.name], values[catalogue.LOWER.name], digits),
        "ratio_sharp": _ratio(values[SHARP.name], best, digits),
        "ratio_optimistic": _ratio(values[POISSON.name], best, digits),
    }


def _constant(found: Value, p: Parameters, digits: int) -> dict[str, Any]:
    constant = found.constant
    return {
        "name": constant.name,
        "label": constant.label,
        "title": constant.title,
        "expression": str(constant.expression(p)),
        **as_json(found.ball, digits),
        "conditions": _conditions(found.checked),
    }


def _conditions(checked: Checked) -> list[dict[str, Any]]:
    return [{"condition": text, "holds": holds} for text, holds in checked.found]


def _upper(version: Version, p: Parameters, found: Value, digits: int) -> dict[str, Any]:
    from_on = threshold(version, p)
    trivial = None
    if p.episodes >= 1 and p.horizon > 0:
        trivial = certified(lambda: BALLS.number(p.episodes * p.horizon), digits)
    return {
        "name": version.name,
        "label": version.label,
        "title": version.title,
        "learner": version.learner,
        "delta": version.delta,
        **as_json(found.ball, digits),
        "conditions": _conditions(found.checked),
        **_parts(version, p, found, digits),
        "trivial": as_json(trivial, digits)["value"],
        "vacuous": None if found.ball is None else _vacuous(version, p, found.ball),
        "vacuous_until": None if from_on.episodes is None else str(from_on.episodes),
        "vacuous_until_missing": from_on.reason or None,
    }


def _vacuous(version: Version, p: Parameters, ball: arb) -> bool:
    """Whether the bound is at least K H."""
    trivial = BALLS.number(p.episodes * p.horizon)
    if ball < trivial or ball > trivial:
        return bool(ball > trivial)
    return bool(excess(version, p, p.episodes) >= 0)


def _parts(version: Version, p: Parameters, found: Value, digits: int) -> dict[str, Any]:
    if found.ball is None:
        return dict.fromkeys(
            ("factors", "terms", "largest_factor", "epsilon_term", "rest", "lower_order_term")
        )
    written: BoundParts[Any] = version.parts(symbolic(p.epsilon, own_delta=version.own_delta), EXPRESSIONS)
    names = [name for name, _ in written.factors]

    def part(pick: Any) -> dict[str, Any]:
        ball = certified(lambda: pick(version.parts(p, BALLS)), digits)
        return {"expression": str(pick(written)), **as_json(ball, digits)}

    factors = [{"name": name, **part(lambda x, i=i: x.factors[i][1])} for i, name in enumerate(names)]
    factors.append({"name": "sum of the two roots", **part(lambda x: x.jump_root + x.rate_root)})
    roots = (lambda x: x.jump_root, lambda x: x.rate_root)
    sizes = [float(factor["value"]) for factor in factors]
    return {
        "factors": factors,
        "terms": [{"name": name, **part(pick)} for name, pick in zip(_TERMS, roots, strict=True)],
        "largest_factor": factors[sizes.index(max(sizes))]["name"],
        "epsilon_term": part(lambda x: x.accuracy),
        "rest": part(lambda x: x.off_event),
        "lower_order_term": None if written.lower_order is None else part(lambda x: x.lower_order),
    }


def _lower(p: Parameters, values: dict[str, Value], digits: int) -> dict[str, Any]:
    printed = values[catalogue.LOWER.name]
    others = {
        "repaired": catalogue.LOWER_REPAIRED,
        "every_K": catalogue.LOWER_EVERY,
        "every_size": catalogue.LOWER_EVERY_SIZE,
        "no_self_jumps": catalogue.LOWER_TURNS,
        "simple": catalogue.LOWER_SIMPLE,
    }
    return {
        "label": catalogue.LOWER.label,
        **as_json(printed.ball, digits),
        "conditions": _conditions(printed.checked),
        "d": p.depth,
        "erlang": as_json(values[catalogue.ERLANG.name].ball, digits),
        **{
            key: {
                "label": constant.label,
                **as_json(values[constant.name].ball, digits),
                "conditions": _conditions(values[constant.name].checked),
            }
            for key, constant in others.items()
        },
    }


def _ratio(upper: Value, lower: Value, digits: int) -> dict[str, Any] | None:
    """Upper over lower bound, where both are defined."""
    if upper.ball is None or lower.ball is None:
        return None
    above, below = upper.ball, lower.ball
    return as_json(certified(lambda: above / below, digits - 2), digits - 2)
