"""A proof tree as lines for a reader: one per rule, indented, with the goal it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from verify.claims import ClaimError, Range, expression, text_of
from verify.provers.goals import Goal, Node, halved
from verify.provers.proof.rules import first_integer

_MOST = 4  # boxes that are written out


def derivation_lines(node: Node, goal: Goal, indent: int = 0) -> list[str]:
    """The lines of a proof of ``goal``."""
    sign = ">" if goal.strict else ">="
    pieces = list(_pieces(node))
    many = len(pieces) > _MOST
    reason = f"on {len(pieces)} boxes, {_counted(pieces)}" if many else _reason(node, goal)
    lines = [f"{'  ' * indent}{text_of(goal.expression)} {sign} 0: {reason}"]
    try:
        children = [] if many else _children(node, goal)
    except ClaimError:  # expm1r and log1pr are not in the language of claims
        return [f"{lines[0]} {node['expression']}, by {', '.join(dict.fromkeys(rules_of(node['proof'])))}"]
    for child, child_goal in children:
        lines += derivation_lines(child, child_goal, indent + 1)
    return lines


def _pieces(node: Node) -> Iterator[Node]:
    """The parts into which a box is halved again and again."""
    if node["by"] != "split":
        yield node
    else:
        for part in node["parts"]:
            yield from _pieces(part)


def _counted(pieces: list[Node]) -> str:
    rules = Counter(next(rules_of(piece)) for piece in pieces)
    return ", ".join(f"{count} by {rule}" for rule, count in sorted(rules.items()))


def rules_of(node: Node) -> Iterator[str]:
    """The rules of a proof tree, with the order of each Taylor form."""
    yield f"{node['by']} {node['order']}" if node["by"] == "taylor" else node["by"]
    for child in node.values():
        for part in child if isinstance(child, list) else [child]:
            if isinstance(part, dict) and "by" in part:
                yield from rules_of(part)
            elif isinstance(part, dict) and "proof" in part:  # a term of a sum
                yield from rules_of(part["proof"])


def _reason(node: Node, goal: Goal) -> str:
    ranges = ", ".join(r.text(n) for n, r in sorted(goal.ranges.items()) if n in goal.variables)
    match node["by"]:
        case "range":
            return f"its range for {ranges}" if ranges else "its value"
        case "sturm":
            return f"no change of sign (Sturm) for {ranges}"
        case "multiply":
            return f"the factor {node['factor']} is not negative; what remains is"
        case "monotone":
            return f"the {node['from']} end of {node['variable']} ({ranges}), then the slope"
        case "contact":
            return f"touches 0 at {node['variable']} = {node['at']}; its derivative of order {node['order']}"
        case "given":
            return f"hypothesis {node['hypothesis']} times {node['multiplier']}, and the rest"
        case "logarithm":
            return f"compare the logarithms of {node['larger']} and {node['smaller']}"
        case "cases":
            return f"the first {len(node['parts'])} values of {node['variable']}, then the rest"
        case "split":
            return f"on both sides of {node['variable']} = {node['at']}"
        case "sum":
            return "a sum of"
        case "rewrite":
            return "the same as"
        case "reciprocal":
            return (
                f"with 1/{node['variable']} for {node['variable']}, times {node['variable']}**{node['power']}"
            )
        case "taylor":
            return f"its Taylor form of order {node['order']} for {ranges}"
        case "hessian":
            at = ", ".join(f"{name} = {value}" for name, value in node["at"].items())
            return f"touches 0 at {at}, and its second derivatives are positive definite for {ranges}"
        case "empty":
            return f"hypothesis {node['hypothesis']} fails for {ranges}"
    return str(node["by"])


def _children(node: Node, goal: Goal) -> list[tuple[Node, Goal]]:
    def read(text: str) -> Any:
        return expression(text, goal.symbols)

    match node["by"]:
        case "multiply":
            return [
                (node["positive"], goal.about(read(node["factor"]))),
                (node["proof"], goal.about(read(node["quotient"]))),
            ]
        case "monotone" | "contact":
            return _along(node, goal)
        case "given":
            parts = [(node["proof"], goal.about(read(node["rest"])))]
            if "positive" in node:  # of an equation any multiple may be used
                parts.insert(0, (node["positive"], goal.about(read(node["multiplier"]), strict=False)))
            return parts
        case "logarithm" | "rewrite":
            return [(node["proof"], goal.about(read(node["expression"])))]
        case "reciprocal":
            name, r = node["variable"], goal.ranges[node["variable"]]
            turned = Range(Fraction(0), None if not r.lower else 1 / r.lower, True, r.lower_open)
            return [(node["proof"], goal.on(name, turned).about(read(node["expression"])))]
        case "sum":
            strict = node.get("strict_term")
            return [
                (t["proof"], goal.about(read(t["expression"]), strict=k == strict))
                for k, t in enumerate(node["terms"])
            ]
        case "split":
            return _halves(node, goal)
        case "cases":
            return _values(node, goal)
    return []


def _along(node: Node, goal: Goal) -> list[tuple[Node, Goal]]:
    name = node["variable"]
    symbol = goal.symbols[name]
    if node["by"] == "contact":
        return [(node["proof"], goal.about(sympy.diff(goal.expression, symbol, node["order"])))]
    by = node.get("strict_by")
    rest = {n: r for n, r in goal.ranges.items() if n != name}
    end = replace(goal, expression=expression(node["value"], goal.symbols), strict=by == "end", ranges=rest)
    slope = sympy.diff(goal.expression, symbol)
    way = goal.about(slope if node["from"] == "lower" else -slope, strict=by == "slope")
    return [(node["end"], end), (node["slope"], way)]


def _halves(node: Node, goal: Goal) -> list[tuple[Node, Goal]]:
    name = node["variable"]
    r, at = goal.ranges[name], Fraction(node["at"])
    return [(part, goal.on(name, half)) for part, half in zip(node["parts"], halved(r, at), strict=True)]


def _values(node: Node, goal: Goal) -> list[tuple[Node, Goal]]:
    name = node["variable"]
    r = goal.ranges[name]
    first = first_integer(r)
    rest = {n: other for n, other in goal.ranges.items() if n != name}
    found = [
        (part, replace(goal, expression=goal.expression.subs(goal.symbols[name], first + k), ranges=rest))
        for k, part in enumerate(node["parts"])
    ]
    if node["tail"] is not None:
        start = Fraction(first + len(node["parts"]))
        found.append((node["tail"], goal.on(name, replace(r, lower=start, lower_open=False))))
    return found
