"""Certificates made by mutation of true ones.

A certificate is plain data, so it is mutated as such, whatever the rules of the language are called: a
number, an operation, a function or a relation inside a formula; the same edit in every place where the
text occurs; a word replaced by another one of the same field; a subtree dropped, doubled, swapped with
another or replaced by one of another certificate; a small number added to what is claimed. What the
checker still accepts must be true: :func:`failure` looks for a point of the certificate's own box and
domain where the claim fails.
"""

from __future__ import annotations

import ast
import copy
import json
import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from tests.quality.hostile.claims import candidates, middle
from tests.quality.hostile.truth import (
    BlurredError,
    UndefinedError,
    comparisons,
    holds,
    inside,
    names_in,
    tree_of,
)

Data = Any  # JSON
Place = tuple[Any, Any]  # a container and a key of it

_FUNCTIONS = ("exp", "log", "sqrt", "Abs", "sin", "cos", "atan", "sinh", "cosh", "tanh", "expm1r", "log1pr")
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
_RELATIONS = (ast.LtE, ast.Lt, ast.GtE, ast.Gt, ast.Eq)
_SIZES = (1, 3, 6, 9, 15, 30)


def places(data: Data) -> Iterator[Place]:
    """Every entry, the deepest last."""
    for key in list(data) if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
        yield data, key
        yield from places(data[key])


def texts(data: Data) -> list[Place]:
    """The entries that are formulas or words."""
    return [
        (box, key)
        for box, key in places(data)
        if isinstance(box[key], str) and key not in ("format", "label")
    ]


class _Edit(ast.NodeTransformer):
    """One edit at the node with a given number."""

    def __init__(self, rng: random.Random, target: int, names: list[str]) -> None:
        self.rng, self.left, self.names = rng, target, names

    def visit(self, node: ast.AST) -> Any:
        self.left -= 1
        return self._edited(node) if self.left == -1 else self.generic_visit(node)

    def _edited(self, node: ast.AST) -> ast.AST:
        rng = self.rng
        match node:
            case ast.Constant(value=int() as n):
                new = rng.choice((n + 1, n - 1, -n, 0, 1, 2 * n, 10 * n, n * 10 ** rng.choice(_SIZES)))
                return ast.Constant(new) if new >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-new))
            case ast.Name() if self.names:
                return (
                    ast.Name(rng.choice(self.names))
                    if rng.random() < 0.6
                    else ast.Constant(rng.randint(0, 3))
                )
            case ast.Compare(ops=ops):
                node.ops = [rng.choice(_RELATIONS)() if rng.random() < 0.7 else op for op in ops]
                return node
            case ast.BinOp(left=left, right=right):
                way = rng.random()
                if way < 0.35:
                    node.op = rng.choice(_OPERATORS)()
                    return node
                if way < 0.6:
                    return rng.choice((left, right))
                if way < 0.75:
                    node.left, node.right = right, left
                    return node
            case ast.Call(func=ast.Name(id=name), args=arguments) if rng.random() < 0.7:
                if name in ("Max", "Min"):
                    node.func = ast.Name("Min" if name == "Max" else "Max")
                    return node
                return (
                    ast.Call(ast.Name(rng.choice(_FUNCTIONS)), arguments, [])
                    if rng.random() < 0.6
                    else arguments[0]
                )
            case ast.UnaryOp(operand=operand):
                return operand
        if isinstance(node, ast.expr) and not isinstance(node, ast.Compare):
            small = ast.parse(f"1/10**{rng.choice(_SIZES)}", mode="eval").body
            return ast.BinOp(node, rng.choice((ast.Add(), ast.Sub(), ast.Mult())), small)
        return node


def edited(rng: random.Random, text: str) -> str:
    """A formula with one thing in it changed; the text itself if it is none."""
    try:
        tree = copy.deepcopy(tree_of(text))
        names = sorted(names_in(text))
    except UndefinedError:
        return text
    nodes = sum(isinstance(n, ast.expr) for n in ast.walk(tree))
    if isinstance(tree, ast.Name):
        return text
    new = _Edit(rng, rng.randrange(nodes), names).visit(tree)
    try:
        return ast.unparse(ast.fix_missing_locations(new)).replace("--", "")
    except (ValueError, RecursionError):
        return text


def _one_text(rng: random.Random, data: Data, pool: list[Data]) -> None:
    """A formula is edited, in one place or wherever it stands."""
    found = texts(data)
    box, key = rng.choice(found)
    old, new = box[key], edited(rng, box[key])
    everywhere = rng.random() < 0.5
    for other, name in found if everywhere else [(box, key)]:
        if other[name] == old:
            other[name] = new


def _number(rng: random.Random, data: Data, pool: list[Data]) -> None:
    """A number is another one, in every formula."""
    found = texts(data)
    numbers = sorted({n for box, key in found for n in re.findall(r"(?<![\w.])\d+(?![\w.])", box[key])})
    if not numbers:
        return
    old = rng.choice(numbers)
    small = f"1/10**{rng.choice(_SIZES)}"
    near = f"{int(old) + 1}", f"{max(0, int(old) - 1)}", f"({old} + {small})", f"({old} - {small})"
    new = rng.choice((*near, f"(-{old})", "0", "10**300"))
    for box, key in found:
        box[key] = re.sub(rf"(?<![\w.]){old}(?![\w.])", new, box[key])


def _function(rng: random.Random, data: Data, pool: list[Data]) -> None:
    """A function or a variable has another name, in every formula."""
    found = texts(data)
    used = sorted({n for box, key in found for n in re.findall(r"[A-Za-z_]\w*", box[key])})
    if used:
        old, new = rng.choice(used), rng.choice((*_FUNCTIONS, "Max", "Min", *used))
        for box, key in found:
            box[key] = re.sub(rf"\b{old}\b", new, box[key])


def _word(rng: random.Random, data: Data, pool: list[Data]) -> None:
    """An entry becomes what another certificate has in the same field."""
    box, key = rng.choice(list(places(data)))
    same = [b[k] for b, k in places(rng.choice(pool)) if k == key and type(b) is type(box)]
    if same:
        box[key] = copy.deepcopy(rng.choice(same))


def _scalar(rng: random.Random, data: Data, pool: list[Data]) -> None:
    """A number, a flag or nothing changes."""
    found = [(b, k) for b, k in places(data) if isinstance(b[k], (int, float, bool, type(None)))]
    if found:
        box, key = rng.choice(found)
        old = box[key]
        box[key] = rng.choice((0, 1, 2, -1, 10**6, None, True, (old or 0) + 1, (old or 0) - 1))


def _drop(rng: random.Random, data: Data, pool: list[Data]) -> None:
    box, key = rng.choice(list(places(data)))
    del box[key]


def _swap(rng: random.Random, data: Data, pool: list[Data]) -> None:
    """Two subtrees change places, or a list is turned around, or an item doubled."""
    nodes = [(b, k) for b, k in places(data) if isinstance(b[k], (dict, list))]
    if not nodes:
        return
    box, key = rng.choice(nodes)
    if isinstance(box[key], list) and rng.random() < 0.6:
        box[key] = box[key][::-1] if rng.random() < 0.5 else [*box[key], *box[key][:1]]
        return
    other, name = rng.choice(nodes)
    first, second = copy.deepcopy(box[key]), copy.deepcopy(other[name])
    box[key] = second
    if rng.random() < 0.5:
        other[name] = first


def _graft(rng: random.Random, data: Data, pool: list[Data]) -> None:
    """A node of a proof is replaced by one of any certificate (a leaf, often)."""
    nodes = [(b, k) for b, k in places(data) if isinstance(b[k], dict) and "by" in b[k]]
    donor = rng.choice([data, rng.choice(pool)])
    others = [b[k] for b, k in places(donor) if isinstance(b[k], dict) and "by" in b[k]]
    if nodes:
        box, key = rng.choice(nodes)
        box[key] = copy.deepcopy(rng.choice([*others, {"by": "range"}, {"by": "sturm"}]))


def _statement(rng: random.Random, data: Data, pool: list[Data]) -> None:
    """What is claimed is a little more; its proof stays, or follows where it quotes the statement."""
    found = [(b, k) for b, k in places(data) if k in ("relation", "says") and isinstance(b[k], str)]
    if not found:
        return
    box, key = rng.choice(found)
    old = box[key]
    match = re.fullmatch(r"(.*?) (<=|<|>=|>|==) (.*)", old)
    if match is None:
        return
    left, relation, right = match.groups()
    small = f"1/10**{rng.choice(_SIZES)}"
    less = relation[0] in "<="
    new = rng.choice((
        f"{left} {relation.replace('=', '') or '<'} {right}", f"{left} == {right}",
        f"{right} {relation} {left}",
        f"{left} + {small} {relation} {right}" if less else f"{left} - {small} {relation} {right}",
        f"({left})*(1 + {small}) {relation} {right}", f"{left} {relation} ({right})*(1 - {small})",
        f"{left} {relation} {right} - {small}",
    ))  # fmt: skip
    for other, name in texts(data):
        if other[name] == old:
            other[name] = new


def _area(rng: random.Random, data: Data, pool: list[Data]) -> None:
    """A range or hypothesis is wider, closed, or gone, in the domain and the box alike."""
    found = [(b, k) for b, k in texts(data) if isinstance(b, list)]
    if not found:
        return
    box, key = rng.choice(found)
    old = box[key]
    way = rng.random()
    if way < 0.35:
        new = old.replace("<=", "§").replace("<", "<=").replace("§", "<=" if rng.random() < 0.5 else "<")
    elif way < 0.7:
        number = rng.choice(re.findall(r"-?\d+(?:/\d+)?", old) or ["0"])
        new = old.replace(
            number,
            rng.choice(
                (
                    "0",
                    "-1",
                    "1",
                    "2",
                    "10",
                    "-1/10**9",
                    f"({number} - 1/10**9)",
                    f"({number} + 1/10**9)",
                    "10**300",
                )
            ),
            1,
        )
    else:
        new = rng.choice(sorted(names_in(old) or {"x"}) if _readable(old) else ["x"])
    for other, name in texts(data):
        if other[name] == old and isinstance(other, list):
            other[name] = new


def _readable(text: str) -> bool:
    try:
        tree_of(text)
    except UndefinedError:
        return False
    return True


MUTATIONS: tuple[Callable[[random.Random, Data, list[Data]], None], ...] = (
    _one_text, _one_text, _one_text, _number, _number, _function, _word, _scalar, _drop, _swap, _graft,
    _statement, _statement, _area, _area,
)  # fmt: skip


def mutated(rng: random.Random, pool: list[Data]) -> tuple[str, Data]:
    """How, and a mutation of one of the certificates."""
    data = copy.deepcopy(rng.choice(pool))
    ways = rng.choices(MUTATIONS, k=rng.choice((1, 1, 1, 2, 2, 3)))
    for way in ways:
        if data:
            way(rng, data, pool)
    return " ".join(way.__name__ for way in ways), data


# ---------------------------------------------------------------- what is claimed, and whether it fails


def failure(data: Data, rng: random.Random, count: int = 50) -> dict[str, Fraction] | None:
    """A point of the box and the domain where the relation of the certificate fails for certain."""
    relation, area = data.get("relation"), [*data.get("domain", ()), *data.get("box", ())]
    whole = [name for name in data.get("integers", ()) if isinstance(name, str)]
    try:
        if not isinstance(relation, str) or len(comparisons(relation)) != 1:
            return None
        area += [
            name for name in sorted(names_in(relation)) if not any(name in names_in(text) for text in area)
        ]
        for at in _points(rng, data, area, whole, count):
            if holds(relation, at) is False:
                return at
        return _descended(rng, relation, area, whole)
    except (UndefinedError, TypeError):
        return None  # the statement cannot be read here: nothing to hold against it


def _points(
    rng: random.Random, data: Data, area: list[str], whole: list[str], count: int
) -> Iterator[dict[str, Fraction]]:
    """Special points of the domain, and the numbers that the certificate itself names."""
    yield from candidates(rng, area, whole, count)
    named = sorted({Fraction(n) for n in re.findall(r"-?\d{1,20}(?:/[1-9]\d{0,20})?", json.dumps(data))})[
        :200
    ]
    names = sorted(set().union(*(names_in(text) for text in area)))
    for x in (Fraction(0), Fraction(1), *named[:20]) if names else ():
        if inside(area, whole, same := dict.fromkeys(names, x)):
            yield same
    for _ in range(count // 2 if named and names else 0):
        at = {
            name: rng.choice(named) + rng.choice((0, 0, 0, Fraction(1, 10**9), Fraction(-1, 10**9)))
            for name in names
        }
        if inside(area, whole, at):
            yield at


def _descended(
    rng: random.Random, relation: str, area: list[str], whole: list[str]
) -> dict[str, Fraction] | None:
    """From the best of some points downhill, one variable after the other, with steps that shrink."""
    left, sign, right = comparisons(relation)[0]
    gap = f"({right}) - ({left})" if sign[0] == "<" else f"({left}) - ({right})"
    known: list[tuple[Fraction, dict[str, Fraction]]] = []

    def depth(at: dict[str, Fraction]) -> Fraction | None:
        try:
            return middle(gap, at, 60) if inside(area, whole, at) else None
        except (UndefinedError, BlurredError):
            return None

    for at in candidates(rng, area, whole, 12):
        if (low := depth(at)) is not None:
            known.append((low, at))
    if not known or sign == "==":
        return None
    low, at = min(known, key=lambda pair: pair[0])
    step = {name: Fraction(1, 2) for name in at}
    for _ in range(12):
        for name in at:
            if name in whole:
                continue
            for way in (step[name], -step[name]):
                other = {**at, name: (at[name] + way).limit_denominator(10**30)}
                found = depth(other)
                if found is not None and found < low:
                    low, at = found, other
                    step[name] *= 2
                    break
            else:
                step[name] /= 4
        if low < 0:
            break
    return at if holds(relation, at) is False else None
