"""A certificate: the proof tree of one relation on one box, walked from its root."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from verify.recheck.goals import Obligation
from verify.recheck.identities import require_same
from verify.recheck.intervals import UnknownError
from verify.recheck.reading import domain_of, names_in, read, relation_of, tree_of
from verify.recheck.rules import RULES
from verify.recheck.series import Box, require_no_jump
from verify.recheck.terms import ZERO, Term
from verify.recheck.witnesses import FAILURES, Say, reason, texts_of

FORMAT = "ctucbvi-proof-1"


def check_certificate(
    data: Mapping[str, Any], path: str, say: Say, whole: bool = False, along: str = ""
) -> list[str]:
    """The complaints about one; ``along`` names a variable whose hypotheses may not be used."""
    say(f"{path}: certificate for {data.get('relation')} on {data.get('box')}")
    try:
        if data.get("format") != FORMAT:
            raise UnknownError(f"format {data.get('format')!r} is not {FORMAT!r}")
        goal = _first_goal(data, whole, along)
    except FAILURES as error:
        return [f"{path}: {reason(error)}"]
    if isinstance(goal, list):
        return [f"{path}: {one}" for one in goal]
    return list(_walk(data.get("proof"), goal, f"{path}.proof"))


def _first_goal(data: Mapping[str, Any], whole: bool, along: str) -> Obligation | list[str]:
    """What the proof has to show, or (for an identity) the complaints at once."""
    texts, box_texts, integers = (texts_of(data, key) for key in ("domain", "box", "integers"))
    names = set(integers).union(*map(names_in, map(tree_of, [*texts, *box_texts, data.get("relation")])))
    ranges, given = domain_of(texts, names)
    box, more = domain_of(box_texts, names)
    if more:
        raise UnknownError("the box holds more than ranges")
    for name, x in box.items():
        if not x.within(ranges[name]):
            raise UnknownError(f"the box is not inside the domain: {name}")
        if whole and not ranges[name].within(x):
            raise UnknownError(f"proved, but the box is smaller than the domain: {name}")
    left, relation, right = relation_of(data.get("relation"), names)
    f = right - left
    require_no_jump([f, *(h[0] for h in given)], box)
    if relation == "==":
        return _identity(data, -f, box)
    kept = tuple(None if along and along in h[0].names else h for h in given)
    return Obligation(f, relation == "<", box, kept, frozenset(integers))


def _identity(data: Mapping[str, Any], f: Term, box: Box) -> list[str]:
    """The chain of expressions from left - right to 0."""
    proof = data.get("proof") or {}
    steps = [f, *(read(text, box) for text in proof.get("chain", ())), ZERO]
    for k, (a, b) in enumerate(pairwise(steps)):
        require_same(a, b, box, f"step {k} of the identity")
    return []


def _kinds(node: Any, known: dict[int, frozenset[str]]) -> frozenset[str]:
    """The rules used in a proof, for each of its nodes."""
    if id(node) not in known:
        parts = list(node.values()) if isinstance(node, Mapping) else node if isinstance(node, list) else []
        own = {node["by"]} if isinstance(node, Mapping) and isinstance(node.get("by"), str) else set()
        known[id(node)] = frozenset(own).union(*(_kinds(part, known) for part in parts))
    return known[id(node)]


def _walk(proof: Any, goal: Obligation, path: str) -> Iterator[str]:
    """The complaints about a proof tree, in its order."""
    known: dict[int, frozenset[str]] = {}
    stack: list[tuple[str, Any, Obligation]] = [(path, proof, goal)]
    while stack:
        where, node, goal = stack.pop()
        try:
            if not isinstance(node, Mapping) or node.get("by") not in RULES:
                raise UnknownError("no rule of the language")
            goal = _relaxed(goal, _kinds(node, known))
            children = RULES[node["by"]](node, goal)
        except FAILURES as error:
            by = node.get("by") if isinstance(node, Mapping) else node
            yield f"{where}: {by}: {reason(error)}"
            continue
        stack += [(f"{where}.{field}", child, sub) for field, child, sub in reversed(children)]


def _relaxed(goal: Obligation, kinds: frozenset[str]) -> Obligation:
    """Without the hypotheses and integers that the rest of the proof does not use: a stronger goal."""
    given = goal.given if kinds & {"given", "empty", "combine", "bernstein"} else ()
    return replace(goal, given=given, integers=goal.integers if "cases" in kinds else frozenset())
