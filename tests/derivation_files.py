"""Small derivations, written by hand: a setting, and steps."""

from __future__ import annotations

from typing import Any

SETTING: dict[str, Any] = {
    "name": "example",
    "sorts": ["State"],
    "variables": {
        **dict.fromkeys(("x", "y", "z"), "State"),
        **dict.fromkeys(("n", "m", "i", "k"), "Nat"),
        **dict.fromkeys(("s", "t", "r", "u", "v", "w"), "Real"),
    },
    "symbols": [
        {"name": "X", "args": ["Nat"], "value": "State", "known": "_1"},
        {"name": "Y", "args": ["Nat"], "value": "Real", "known": "_1"},
        {"name": "Z", "args": ["Nat", "State"], "value": "Real", "known": "_1 + 1"},
        {"name": "N", "args": ["Nat"], "value": "Nat", "known": "_1"},
        {"name": "M", "args": ["Nat", "Real"], "value": "Nat", "known": "_1"},
        {"name": "W", "args": [], "value": "Real", "known": "any"},
        {"name": "p", "args": ["State"], "value": "Real"},
        {"name": "f", "args": ["Real"], "value": "Real"},
        {"name": "a", "args": ["Nat"], "value": "Real"},
        {"name": "h", "args": ["Nat"], "value": "Nat"},
        {"name": "c", "args": [], "value": "Real"},
        {"name": "g", "args": ["State"], "value": "Real", "generic": True},
        {"name": "F", "args": ["Real"], "value": "Real", "generic": True},
        {"name": "G", "args": ["Nat"], "value": "Real", "known": "_1", "generic": True},
        {"name": "C", "args": ["Nat"], "value": "Nat", "generic": True},
        {"name": "R", "args": [], "value": "Real", "known": "any", "generic": True},
    ],
    "facts": {
        "positive": {"kind": "model", "says": "0 <= p(x)", "why": "a probability"},
        "steps": {"kind": "model", "says": "a(n + 1) <= a(n) + c", "why": "slope"},
        "start": {"kind": "model", "says": "a(0) <= 0", "why": "start"},
        "fair": {"kind": "model", "says": "E(Y(n + 1), n) <= Y(n)", "why": "supermartingale"},
        "contracts": {"kind": "model", "says": "n*(c - p(x)) <= 1", "why": "archimedes"},
    },
}


def step(rule: str, *premises: int, **fields: Any) -> dict[str, Any]:
    """One step."""
    return {"rule": rule, **fields, **({"from": list(premises)} if premises else {})}


def derivation(theorem: str, *steps: dict[str, Any], label: str = "lem:x", **more: Any) -> dict[str, Any]:
    """A whole derivation."""
    whole = {"format": "ctucbvi-derivation-1", "label": label, "setting": SETTING}
    return {**whole, "theorem": theorem, "steps": list(steps), **more}


def same(goal: str) -> dict[str, Any]:
    """Something true by normal form alone."""
    return step("combine", goal=goal, multipliers=[])


CERTIFICATE = {
    "format": "ctucbvi-proof-1",
    "label": "inverse",
    "relation": "1/b <= 1",
    "domain": ["b >= 1"],
    "integers": [],
    "box": ["b >= 1"],
    "proof": {"by": "range"},
}
