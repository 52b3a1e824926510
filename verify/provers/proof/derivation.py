"""A proof tree as lines for a reader: one per rule, indented, with the goal it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from verify.claims import text_of
from verify.provers.goals import Goal, Node


def derivation_lines(node: Node, goal: Goal, indent: int = 0) -> list[str]:
    """The lines of a proof of ``goal``; what is closed as it stands is said by the rule above it."""
    sign = ">" if goal.strict else ">="
    lines = [f"{'  ' * indent}{text_of(goal.expression)} {sign} 0: {_reason(node, goal)}"]
    for child in _children(node):
        if "goal" in child:
            lines += derivation_lines(child, child["goal"], indent + 1)
    return lines


def rules_of(node: Node) -> Iterator[str]:
    """The rules of a proof tree, with the order of each Taylor form."""
    yield f"{node['by']} {node['order']}" if node["by"] == "taylor" else node["by"]
    for child in _children(node):
        yield from rules_of(child)


def _children(node: Node) -> Iterator[Node]:
    for value in node.values():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                part = part.get("proof", part) if "by" not in part else part  # a term of a sum
                yield from [part] if "by" in part else []


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
        case "concave":
            return (
                f"it bends downward in {node['variable']} ({ranges}); both ends, then the second derivative"
            )
        case "contact":
            return f"touches 0 at {node['variable']} = {node['at']}; its derivative of order {node['order']}"
        case "given":
            return f"hypothesis {node['hypothesis']} times {node['multiplier']}, and the rest"
        case "logarithm":
            return f"compare the logarithms of {node['larger']} and {node['smaller']}"
        case "cases":
            return f"the first {len(node['parts'])} values of {node['variable']}, then the rest"
        case "split" if all("goal" in part for part in node["parts"]):
            return f"on both sides of {node['variable']} = {node['at']}"
        case "split":
            pieces = Counter(next(rules_of(piece)) for piece in _pieces(node))
            counts = ", ".join(f"{count} by {rule}" for rule, count in sorted(pieces.items()))
            return f"on {pieces.total()} boxes, {counts}"
        case "sum":
            return f"the sum of {' and '.join(term['expression'] for term in node['terms'])}"
        case "rewrite":
            return f"the same as {node['expression']}"
        case "reciprocal":
            name = node["variable"]
            return f"with 1/{name} for {name}, times {name}**{node['power']}"
        case "signs":
            return f"where {node['expression']} is not negative, and where it is not positive"
        case "compose":
            parts = node.get("variables", [node])
            return "with " + ", ".join(f"{part['variable']} for {part['inner']}" for part in parts)
        case "taylor":
            return f"its Taylor form of order {node['order']} for {ranges}"
        case "hessian":
            at = ", ".join(f"{name} = {value}" for name, value in node["at"].items())
            return f"touches 0 at {at}, and its second derivatives are positive definite for {ranges}"
        case "bernstein":
            boxes = sum(entry not in goal.ranges for entry in node["halves"])
            return f"its coefficients in the basis of Bernstein on {boxes} boxes for {ranges}"
        case "combine":
            return f"a sum of {len(node['blocks'])} products of what is known"
        case "increasing":
            return f"{node['function']} increases; between the arguments"
        case "known":
            return f"a fact about {node['of']}"
    return f"hypothesis {node['hypothesis']} fails for {ranges}"


def _pieces(node: Node) -> Iterator[Node]:
    """The parts into which a box is halved again and again."""
    for part in node["parts"]:
        yield from _pieces(part) if part["by"] == "split" else [part]
