"""Proof trees of false claims, grown with the checker's own rules, or altered: what is accepted is a hole.

*Grown*: a claim that fails is taken, and a proof of it is looked for: a node is drawn for the goal at hand
(``trees``, ``traps``), the rule says which goals are left, and each of these is looked at in the same way.

*Altered*: statements next to true ones, which are seen to fail at a point, keep the proofs of the true ones,
in which indices, ends, strictness, words and subtrees are changed.

``python -m tests.quality.hostile.growing SEED CLAIMS TREES`` prints those that are found, and counts.
"""

from __future__ import annotations

import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from tests.quality.hostile import traps
from tests.quality.hostile.forging import MUTATIONS, failure, places
from tests.quality.hostile.running import PatienceError, patience
from tests.quality.hostile.trees import MAKERS, Node, false_claim
from verify.recheck import goals, recheck
from verify.recheck.certificates import _first_goal
from verify.recheck.goals import Obligation
from verify.recheck.intervals import precision
from verify.recheck.rules import RULES
from verify.recheck.witnesses import FAILURES
from verify.streams import writing

_SECONDS = 1.0  # of the processor, for the proof of one claim
_WIDE = 4  # kinds of nodes that are tried for one goal
_LONG = 400  # characters of a goal that is still followed
_TRAPS = 0.25  # of the claims are traps


def _placed(node: Node, path: str, proof: Node) -> None:
    """A child where the rule looks for it: ``parts[1]``, ``terms[0]``, ``variables[0].lower``, ``proof``."""
    first, _, last = path.partition(".")
    key, _, index = first.rstrip("]").partition("[")
    if not index:
        node[key] = proof
    elif last:
        node[key][int(index)][last] = proof
    elif key == "parts":
        node[key][int(index)] = proof
    else:
        node[key][int(index)]["proof"] = proof


def grown(
    rng: random.Random, goal: Obligation, depth: int, tried: Counter[str], kinds: Sequence[str] = ()
) -> Node | None:
    """A proof of the goal, if the rules allow one among those that are drawn; of these kinds, or of all."""
    if len(str(goal.f)) > _LONG:
        return None
    if rng.random() < 0.4:
        goal = _forgetful(goal)
    drawn = list(kinds) or rng.sample(list(MAKERS), _WIDE)
    for kind in ["leaf", "leaf", "leaf", *(drawn if depth and goal.box else [])]:
        if (kind in ("given", "empty") and not any(goal.given)) or (kind == "cases" and not goal.integers):
            continue
        if (found := _followed(rng, MAKERS[kind](rng, goal), goal, depth, tried, kinds)) is not None:
            return found
    return None


def _forgetful(goal: Obligation) -> Obligation:
    """The checker forgets what the rest of a proof does not use."""
    return replace(goal, given=(), integers=frozenset())


def _followed(
    rng: random.Random, node: Node, goal: Obligation, depth: int, tried: Counter[str], kinds: Sequence[str]
) -> Node | None:
    """The node with proofs for its children: those that it has, or grown ones."""
    try:
        children = RULES[node["by"]](node, goal)
    except FAILURES:
        return None
    tried[node["by"]] += 1
    for path, begun, left in children:
        proof = None
        if isinstance(begun, dict) and "by" in begun:
            for way in (left, _forgetful(left)):
                proof = proof or _followed(rng, copy.deepcopy(begun), way, depth, tried, kinds)
        elif depth:
            proof = grown(rng, left, depth - 1, tried, kinds)
        if proof is None:
            return None
        _placed(node, path, proof)
    return node


@contextmanager
def hasty() -> Iterator[None]:
    """With short numbers, and boxes halved once: what is false is refused sooner; no more is shown."""
    before = goals.shown.__defaults__
    goals.shown.__defaults__ = (1,)
    try:
        with precision(48):
            yield
    finally:
        goals.shown.__defaults__ = before


def forgeries(
    seed: int, count: int, tried: Counter[str], depth: int = 3, kinds: Sequence[str] = (), trap: str = ""
) -> Iterator[Node]:
    """The certificates of false claims that the checker accepts, among proofs for so many of them."""
    rng = random.Random(seed)
    for _ in range(count):
        if trap or (not kinds and rng.random() < _TRAPS):
            data: Node | None = traps.FALSE[trap or rng.choice(list(traps.FALSE))](rng)
        else:
            data = false_claim(rng)
        try:
            if data is not None and _forged(rng, data, depth, tried, kinds):
                yield data
        except (PatienceError, *FAILURES):
            continue


def _forged(rng: random.Random, data: Node, depth: int, tried: Counter[str], kinds: Sequence[str]) -> bool:
    """Whether there is a proof that is accepted; it is put into the certificate."""
    with patience(_SECONDS), hasty():
        goal = _first_goal(data, False, "")
        if isinstance(goal, list):
            return False
        tried["claims"] += 1
        data["proof"] = grown(rng, goal, depth, tried, kinds)
        return data["proof"] is not None and recheck(data) == []


# ---------------------------------------------------------------- proofs of something else

_WORDS: dict[str, tuple[Any, ...]] = {
    "from": ("lower", "upper"),
    "strict_by": ("end", "slope", "curve", None),
    "hypothesis": (0, 1, 2),
    "side": ("+", "-"),
    "order": (1, 2, 3, 4),
    "strict_term": (0, 1, 2),
    "strict": (True, False),
    "relation": ("<", "<=", "=="),
    "function": ("exp", "log", "power", "atan", "tanh"),
    "at": ("0", "1", "1/2", "x", "y"),
    "value": ("0", "1", "1/10"),
    "power": (0, 1, -1, 2),
    "variable": ("x", "y", "n", "w"),
}


def false_variants(rng: random.Random, pool: Sequence[Node], count: int) -> list[Node]:
    """Certificates whose statement is next to a true one and is seen to fail; the proof is the true one's."""
    said = [way for way in MUTATIONS if way.__name__ in ("_statement", "_area", "_number")]
    found: list[Node] = []
    while len(found) < count:
        data = copy.deepcopy(rng.choice(pool))
        rng.choice(said)(rng, data, list(pool))
        try:
            with patience(_SECONDS):
                if "==" not in str(data.get("relation")) and failure(data, rng, 20) is not None:
                    found.append(data)
        except PatienceError:
            continue
    return found


def altered(rng: random.Random, data: Node, pool: Sequence[Node]) -> Node:
    """With one to three things in the proof changed: a word, an index, an end, a subtree, or all of it."""
    data = copy.deepcopy(data)
    other = [way for way in MUTATIONS if way.__name__ not in ("_statement", "_area", "_number")]
    for _ in range(rng.choice((1, 1, 2, 3))):
        nodes = [(b, k) for b, k in places({"proof": data.get("proof")}) if isinstance(b[k], dict)]
        words = [(b, k) for b, k in places(data.get("proof")) if isinstance(b, dict) and k in _WORDS]
        way = rng.random()
        if way < 0.4 and words:
            box, key = rng.choice(words)
            box[key] = rng.choice(_WORDS[key])
        elif way < 0.6 and nodes:
            one, two = rng.choice(nodes), rng.choice(nodes)
            if one[0] is not two[0] or one[1] != two[1]:
                one[0][one[1]] = copy.deepcopy(two[0][two[1]])
        elif way < 0.7:
            data["proof"] = {"by": rng.choice(("range", "sturm", "bernstein")), "halves": [""]}
        else:
            inside = {"proof": data.get("proof")}
            with suppress(IndexError):  # nothing of that kind in this proof
                rng.choice(other)(rng, inside, [{"proof": one.get("proof")} for one in pool])
            data["proof"] = inside.get("proof")
    return data


def altered_forgeries(seed: int, count: int, pool: Sequence[Node], tried: Counter[str]) -> Iterator[Node]:
    """Those of so many altered proofs of false statements that the checker accepts."""
    rng = random.Random(seed)
    false = false_variants(rng, pool, min(100, max(10, count // 40)))
    for _ in range(count):
        data = altered(rng, rng.choice(false), pool)
        tried["altered"] += 1
        try:
            with patience(_SECONDS), hasty():
                accepted = recheck(data) == []
        except PatienceError:
            tried["slow"] += 1
            continue
        if accepted:
            yield data


if __name__ == "__main__":
    from tests.quality.coq_certificates import TRUE
    from tests.unit.test_recheck import ACCEPTED

    with writing("python -m tests.quality.hostile.growing"):
        counts: Counter[str] = Counter()
        for forged in forgeries(int(sys.argv[1]), int(sys.argv[2]), counts):
            print(json.dumps(forged), flush=True)
        every = [*ACCEPTED.values(), *TRUE.values()]
        for forged in altered_forgeries(int(sys.argv[1]), int(sys.argv[3]), every, counts):
            print(json.dumps(forged), flush=True)
        print(json.dumps(counts))
