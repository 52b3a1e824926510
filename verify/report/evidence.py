"""Evidence cut to what a reader can use: per check what it did, the witness in numbers, the first steps.

A number such as 1763804957/10000000000000 or a ball of thirty digits is shown with ten; the command beside it
uses all of them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from verify.claims import Claim
from verify.running.derivations import reason
from verify.running.report import slack_text
from verify.running.results import Result

STEPS = 24  # of a derivation that are shown
_LONGEST = 320  # letters of a text
_CERTIFICATES = ("certificate", "certificates")
_APART = (
    *_CERTIFICATES, "derivation", "check", "others", "rests", "chain", "rules", "traceback",
    "formula",
)  # fmt: skip
_WORDS = {"rechecked": "accepted by the second checker"}
_DATA = ("relation", "domain", "integers", "certificate", "line", "left", "right", "comparison", "gap")


def checks_of(claim: Claim, result: Result) -> list[dict[str, Any]]:
    """What each check of the claim found, the deciding one first; those that did not run are named."""
    evidence = dict(result.evidence)
    others = evidence.get("others", ())
    found = [_check(str(evidence.get("check", "none")), str(result.verdict), evidence, decides=True)]
    others = [one for one in others if one["check"] != evidence.get("check")]
    found += [_check(str(one["check"]), str(one["verdict"]), one["evidence"]) for one in others]
    run = {one["name"] for one in found}
    rest = [{"name": c.name, "verdict": "", "facts": []} for c in claim.checks if c.name not in run]
    return [*found, *rest]


def _check(name: str, verdict: str, evidence: Mapping[str, Any], *, decides: bool = False) -> dict[str, Any]:
    rows = [[_WORDS.get(key, key), plain(value)] for key, value in evidence.items() if key not in _APART]
    if "formula" in evidence and not decides:  # it looked at a part of the claim, and decides no more
        verdict, rows = str(evidence["formula"]), [["of", "the formula, a part of the claim"], *rows]
    return {"name": name, "verdict": verdict, "decides": decides, "facts": rows, **_proof(evidence)}


def _proof(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The certificate by its size and its rules, and the lines of a proof."""
    trees = [evidence[key] for key in _CERTIFICATES if key in evidence]
    told = evidence.get("derivation")
    lines = told if isinstance(told, list) else []
    rules = evidence.get("rules") or Counter(_rules(trees))
    if not trees and not lines:
        return {}
    return {
        "proof": {
            "bytes": len(json.dumps(trees)) if trees else 0,
            "rules": [[name, count] for name, count in rules.items()],
            "lines": [short(str(line)) for line in lines[:STEPS]],
            "count": len(lines),
        }
    }


def _rules(tree: Any) -> Iterator[str]:
    if isinstance(tree, Mapping):
        if "by" in tree:
            yield str(tree["by"])
        for part in tree.values():
            yield from _rules(part)
    elif isinstance(tree, list):
        for part in tree:
            yield from _rules(part)


def derivation_of(result: Result) -> dict[str, Any] | None:
    """The first steps of a derivation, how many there are, and by which rules."""
    kept = result.evidence.get("derivation")
    if not isinstance(kept, Mapping):
        return None
    steps: Sequence[Mapping[str, Any]] = kept["steps"]
    return {
        "count": len(steps),
        "rules": Counter(str(step["rule"]) for step in steps).most_common(),
        "steps": [_step(step) for step in steps[:STEPS]],
        "rests": dict(result.evidence.get("rests", {})),
    }


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    """What a step shows, where it says so itself, and by which rule."""
    shows = next((str(step[key]) for key in ("goal", "formula", "relation") if key in step), "")
    named = f"{step['rule']}: {step['name']}" if step["rule"] == "fact" else ""
    by = named or ("" if step["rule"] == "assume" and shows else reason(str(step["rule"]), step))
    return {"shows": short(shows), "by": short(by or "assumed"), "from": list(step.get("from", ()))}


# --- witnesses and slack -------------------------------------------------------------------------


def witness_of(witness: Mapping[str, Any]) -> list[list[str]]:
    """The witness in numbers: what was put in, and what the claim would then say."""
    rows: list[list[str]] = []
    for key, value in witness.items():
        if key == "point" and isinstance(value, Mapping):
            rows.append(["at", ", ".join(f"{name} = {plain(number)}" for name, number in value.items())])
        elif key not in _DATA:
            rows.append([str(key), plain(value)])
    if "left" in witness and "right" in witness:
        sides = f"{plain(witness['left'])} {_sign(witness)} {plain(witness['right'])}"
        rows.append(["would say", f"{sides}, which is false"])
    return rows


def _sign(witness: Mapping[str, Any]) -> str:
    """How the two sides compare in the claim; a relation is read as ``left <= right``, ``<`` or ``==``."""
    text = str(witness.get("comparison") or witness.get("relation", "<="))
    if "comparison" in witness:
        return {"<=": "≤", ">=": "≥", "==": "="}.get(text, text)
    return "=" if "==" in text else "≤" if "=" in text else "<"


def slack_of(result: Result) -> dict[str, Any] | None:
    """How close the two sides come, and where."""
    text = slack_text(result.slack)
    if result.slack is None or text == "-":
        return None
    where = result.slack.get("at")
    try:
        size: float | None = float(result.slack.get("ratio", ""))
    except (TypeError, ValueError):
        size = None
    return {"text": text, "ratio": size, "at": "" if where is None else plain(where)}


# --- texts -----------------------------------------------------------------------------------------


def plain(value: Any) -> str:
    """A value in a line: long fractions and balls as decimals."""
    if isinstance(value, Mapping):
        return short(", ".join(f"{k} = {plain(v)}" for k, v in value.items()) or "none")
    if isinstance(value, list | tuple):
        return short(", ".join(map(plain, value)) or "none")
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = re.sub(r"\d{12,}/\d+", lambda match: f"{float(Fraction(match[0])):.10g}", str(value))
    text = re.sub(r"\[(-?[\d.]+(?:e[+-]?\d+)?) \+/- [^\]]*\]", lambda match: _ten(match[1]), text)
    return short(re.sub(r"-?\d+\.\d{11,}(?:e[+-]?\d+)?", lambda match: _ten(match[0]), text))


def _ten(number: str) -> str:
    return f"{float(number):.10g}"


def short(text: str) -> str:
    """The text, or its beginning."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
