"""Certificates, witnesses and whole documents: from JSON data to complaints.

A complaint is one line: where, and what is wrong.  No complaint means that everything was re-checked.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import sympy

from verify.recheck.goals import Goal
from verify.recheck.identities import require_same
from verify.recheck.intervals import Interval, UnknownError, point, precision
from verify.recheck.reading import Hypothesis, domain_of, names_in, rational, read, relation_of, tree_of
from verify.recheck.rules import RULES
from verify.recheck.series import Box, range_of, symbol_of

FORMAT = "ctucbvi-proof-1"
SECONDS = 120  # for the code of a witness
_DIGITS = Fraction(1, 10**6)  # to which the decimals beside a witness have to be right

# What SymPy and malformed data may raise; each is a complaint.
_FAILURES = (
    UnknownError,
    ArithmeticError,
    AttributeError,
    IndexError,
    KeyError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
    sympy.PolynomialError,
    sympy.SympifyError,
    sympy.PoleError,
)

Say = Callable[[str], None]


def recheck(document: Any, labels: Iterable[str] = (), say: Say = lambda _: None) -> list[str]:
    """The complaints about a certificate, a witness or a document of claims; ``say`` is told what is done."""
    wanted = set(labels)
    if not isinstance(document, Mapping):
        return ["the document is not an object"]
    if isinstance(document.get("claims"), list):
        claims = [c for c in document["claims"] if isinstance(c, Mapping)]
        missing = sorted(wanted - {str(c.get("label")) for c in claims})
        found = [f"{label}: there is no such claim" for label in missing]
        for claim in claims:
            if not wanted or claim.get("label") in wanted:
                found += _claim(claim, say)
        return found
    if "format" in document or "proof" in document:
        return _certificate(document, str(document.get("label", "certificate")), say)
    if "relation" in document or "line" in document:
        return _witness(document, str(document.get("label", "witness")), say)
    return ["neither a certificate nor a witness nor a document of claims"]


def _claim(claim: Mapping[str, Any], say: Say) -> list[str]:
    """Every witness and every certificate of a claim."""
    label, found = str(claim.get("label")), []
    if claim.get("verdict") == "refuted" and not claim.get("witness"):
        found.append(f"{label}: refuted without a witness")
    for path, key, data, verdict in _evidence(claim, label, str(claim.get("verdict"))):
        if not isinstance(data, Mapping):
            found.append(f"{path}: not an object")
        elif key == "witness":
            found += _witness(data, path, say)
        else:
            try:
                data = _whole_text(data)
                _require_match(data, claim)
            except (UnknownError, OSError, ValueError) as error:
                found.append(f"{path}: {_reason(error)}")
                continue
            found += _certificate(data, path, say, whole=verdict == "proved")
    return found


def _whole_text(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The certificate itself, where the document holds only its digest and the name of its file."""
    if "sha256" not in data or "format" in data:
        return data
    if not data.get("file"):
        raise UnknownError("too long for the document; write it to a file with --certificates FOLDER")
    content = Path(data["file"]).read_bytes()
    if hashlib.sha256(content).hexdigest() != data["sha256"]:
        raise UnknownError(f"{data['file']} is not the file that the document names")
    loaded = json.loads(content)
    return loaded if isinstance(loaded, Mapping) else {}


def _require_match(data: Mapping[str, Any], claim: Mapping[str, Any]) -> None:
    """Complain about a certificate for something else than the claim, as far as the document tells."""
    if data.get("label") != claim.get("label"):
        raise UnknownError(f"the certificate is for {data.get('label')!r}")
    says = claim.get("says")
    if isinstance(says, str) and any(sign in says for sign in ("<", "==")) and says != data.get("relation"):
        raise UnknownError(f"the certificate is for {data.get('relation')!r}, the claim says {says!r}")
    if isinstance(claim.get("domain"), list):
        words = {f"{name} integer" for name in data.get("integers", ())}
        ranges = {text for text in claim["domain"] if not str(text).endswith((" real", " integer"))}
        whole = {text for text in claim["domain"] if str(text).endswith(" integer")}
        if set(data.get("domain", ())) != ranges or words != whole:
            raise UnknownError("the certificate is for another domain than the claim")


def _evidence(data: Any, path: str, verdict: str) -> Iterator[tuple[str, str, Any, str]]:
    """Where, which of the two, the data, and the nearest verdict around it."""
    if isinstance(data, Mapping):
        verdict = str(data.get("verdict", verdict))
        for key, value in data.items():
            if key in ("certificate", "witness"):
                if value is not None:
                    yield f"{path}.{key}", key, value, verdict
            else:
                yield from _evidence(value, f"{path}.{key}", verdict)
    elif isinstance(data, list):
        for k, value in enumerate(data):
            yield from _evidence(value, f"{path}[{k}]", verdict)


# ---------------------------------------------------------------- certificates


def _certificate(data: Mapping[str, Any], path: str, say: Say, whole: bool = False) -> list[str]:
    say(f"{path}: certificate for {data.get('relation')} on {data.get('box')}")
    try:
        if data.get("format") != FORMAT:
            raise UnknownError(f"format {data.get('format')!r} is not {FORMAT!r}")
        goal = _first_goal(data, whole)
    except _FAILURES as error:
        return [f"{path}: {_reason(error)}"]
    if isinstance(goal, list):
        return [f"{path}: {one}" for one in goal]
    return list(_walk(data.get("proof"), goal, f"{path}.proof"))


def _first_goal(data: Mapping[str, Any], whole: bool) -> Goal | list[str]:
    """What the proof has to show, or (for an identity) the complaints at once."""
    texts, box_texts, integers = (list(data.get(key, ())) for key in ("domain", "box", "integers"))
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
    if relation == "==":
        return _identity(data, left - right, box)
    f = right - left
    for power in f.atoms(sympy.Pow):
        if not power.exp.is_Rational and not _clear(power.base, box) and not _clear(power.exp, box):
            raise UnknownError(f"{power} may be 0**0 in the box, where it jumps")
    return Goal(f, relation == "<", box, given, frozenset(integers))


def _clear(f: Any, box: Box) -> bool:
    try:
        return range_of(f, box).positive(True)
    except UnknownError:
        return False


def _identity(data: Mapping[str, Any], f: Any, box: Box) -> list[str]:
    """The chain of expressions from left - right to 0."""
    proof = data.get("proof") or {}
    steps = [f, *(read(text, box) for text in proof.get("chain", ())), sympy.Integer(0)]
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


def _walk(proof: Any, goal: Goal, path: str) -> Iterator[str]:
    """The complaints about a proof tree, in its order."""
    known: dict[int, frozenset[str]] = {}
    stack: list[tuple[str, Any, Goal]] = [(path, proof, goal)]
    while stack:
        where, node, goal = stack.pop()
        try:
            if not isinstance(node, Mapping) or node.get("by") not in RULES:
                raise UnknownError("no rule of the language")
            goal = _relaxed(goal, _kinds(node, known))
            children = RULES[node["by"]](node, goal)
        except _FAILURES as error:
            by = node.get("by") if isinstance(node, Mapping) else node
            yield f"{where}: {by}: {_reason(error)}"
            continue
        stack += [(f"{where}.{field}", child, sub) for field, child, sub in reversed(children)]


def _relaxed(goal: Goal, kinds: frozenset[str]) -> Goal:
    """Without the hypotheses and integers that the rest of the proof does not use: a stronger goal."""
    if goal.held:
        return goal
    given = goal.given if kinds & {"given", "empty"} else ()
    return replace(goal, given=given, integers=goal.integers if "cases" in kinds else frozenset())


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, UnknownError) else f"cannot be checked ({type(error).__name__}: {text})"


# ---------------------------------------------------------------- witnesses


def _witness(data: Mapping[str, Any], path: str, say: Say) -> list[str]:
    if "relation" not in data:
        return _code(data.get("line"), path, say)
    say(f"{path}: witness against {data.get('relation')} at {data.get('point')}")
    try:
        _require_witness(data)
    except _FAILURES as error:
        return [f"{path}: {_reason(error)}"]
    return []


def _require_witness(data: Mapping[str, Any]) -> None:
    """Complain unless the point is in the domain and the relation certainly fails there."""
    texts, integers = list(data.get("domain", ())), list(data.get("integers", ()))
    names = set(integers).union(*map(names_in, map(tree_of, [*texts, data.get("relation")])))
    at = {str(name): point(rational(text)) for name, text in data["point"].items()}
    if missing := sorted(names - set(at)):
        raise UnknownError(f"the point has no {missing[0]}")
    ranges, _ = domain_of(texts, names)
    for name, x in ranges.items():
        if at[name].low not in x or (name in integers and at[name].low.denominator != 1):
            raise UnknownError(f"{name} = {at[name].low} is not in the domain")
    with sympy.evaluate(False):  # nothing may cancel before it is seen to be defined
        _, given = domain_of(texts, names)
        left, relation, right = relation_of(data["relation"], names)
    for bits in (256, 1024, 4096, 16384):
        with precision(bits):
            doubt = _doubt(left, relation, right, given, at, data)
        if doubt is None:
            return
    raise UnknownError(doubt)


_Gap = Callable[[Interval], bool]
_HOLDS: Mapping[str, _Gap] = {
    "<=": lambda gap: gap.positive(False),
    "<": lambda gap: gap.positive(True),
    "==": lambda gap: gap.single and gap.low == 0,
}
_FAILS: Mapping[str, _Gap] = {
    "<=": lambda gap: (-gap).positive(True),
    "<": lambda gap: (-gap).positive(False),
    "==": lambda gap: gap.positive(True) or (-gap).positive(True),
}


def _doubt(
    left: Any, relation: str, right: Any, given: Iterable[Hypothesis], at: Box, data: Any
) -> str | None:
    """Why the point does not refute the relation; ``None`` if it does."""
    for k, (h, kind) in enumerate(given):
        if not _HOLDS[kind](_value(h, at)):
            return f"hypothesis {k} is not seen to hold at the point"
    gap = _value(right - left, at)
    if not _FAILS[relation](gap):
        return f"the relation is not seen to fail: right - left is about {_decimal(gap)}"
    for key, side in (("left", left), ("right", right)):
        value = range_of(side, at)
        if key in data and not _agrees(str(data[key]), value):
            return f"{key} is about {_decimal(value)}, not {data[key]}"
    return None


def _value(f: Any, at: Box) -> Interval:
    """Its value at a point: in intervals, and exactly where SymPy sees that it is a rational number."""
    x = range_of(f, at)  # raises where it is not defined
    if x.single or f.count_ops() > 200:
        return x
    exact = sympy.expand(
        f.subs({symbol_of(name): sympy.Rational(value.low) for name, value in at.items()}).doit()
    )
    number = point(Fraction(int(exact.p), int(exact.q))) if exact.is_Rational else x
    return number if number.low in x else x


def _agrees(decimal: str, x: Interval) -> bool:
    number = Fraction(decimal)
    near = _DIGITS * max(abs(x.low), abs(x.high))
    return bool(x.low - near <= number <= x.high + near)


def _decimal(x: Interval) -> str:
    return sympy.sstr(sympy.Rational(x.low + x.high).n(10) / 2) if x.bounded else "unknown"


def _code(line: Any, path: str, say: Say) -> list[str]:
    """Run the one line of Python that prints True when the violation is confirmed."""
    if not isinstance(line, str):
        return [f"{path}: neither a relation nor a line of code"]
    say(f"{path}: running {line!r} in a fresh Python, for at most {SECONDS} s")
    try:
        done = subprocess.run(
            [sys.executable, "-c", line], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return [f"{path}: {line!r} does not end within {SECONDS} s"]
    if done.returncode != 0 or done.stdout.split()[-1:] != ["True"]:
        last = (done.stdout + done.stderr).strip().splitlines()[-1:] or ["nothing"]
        return [f"{path}: {line!r} does not print True but {last[0]!r}"]
    return []
