"""Model files at random: right ones in many shapes, and what becomes of them when they are damaged."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from random import Random
from typing import Any

from ctucbvi.modelfile.writer import toml_text

_NAMES = (
    *("a", "b", "c", "0", "17", "x=3&y=2", "n:1", "ü", "a b", 'q"q', "back\\slash", "#h", "a = ", "{", "}"),
    *("[[transition]]", "a,b", "'", '"""', "a.b", "-", "∞", "state", "to"),
)
_ODD = (
    *(
        "0",
        "-3",
        "1e-3",
        "007",
        "+4",
        " 5",
        "5 ",
        "2/4",
        "1.50",
        ".5",
        "3.",
        "123456789012345678/7",
        "9" * 30,
    ),
    *("1e400", "1/0", "x", "", "inf", "-0", "0/5", "0." + "3" * 20, "- 1", "1_000", "１", "5\n"),
    *("1\x0b", "123456789012345678/7"),
)
_PIECES = (
    *"\"=\n\r\t #{}[],:\\'xé1/.0-+\x00\x0b\x1f\x7f\x85\u2028",
    *("\r\n", "\n\n", "# c\n", '"""', "'''", "\n[[transition]]\n", 'states = ["a"]\n', "[initial]\n"),
    *("to = {  }\n", ' = "', ", ", "\\u0041", "\\n", "\ud800", '"a": 1, ', '"a": "1", '),
)


def document(random: Random) -> dict[str, Any]:
    """What a file says; mostly right."""
    states, actions = (random.sample(_NAMES, random.randint(1, most)) for most in (5, 3))
    pairs = [(x, a) for x in states for a in actions if a == actions[0] or random.random() < 0.6]
    found: dict[str, Any] = {
        "name": random.choice(["m", "m\n2"]),
        "horizon": random.choice(["1", "3/2", 2]),
        "initial": random.choice([states[0], {x: str(Fraction(1, len(states))) for x in states}]),
        "states": states,
        "actions": actions,
    }
    for key, values in {
        "shows": ["text", 'states = ["a"]\nx', "\n[[transition]]\n"],
        "terminal": [dict.fromkeys(states, "1/3"), {states[0]: "0"}],
        "objective": ["min"],
        "discount": ["1/10"],
        "goal": [[states[0]]],
    }.items():
        if random.random() < 0.1:
            found[key] = random.choice(values)
    found["transition"] = [_row(random, pair, states) for pair in pairs]
    if random.random() < 0.3:
        random.shuffle(found["transition"])
    return found


def _row(random: Random, pair: tuple[str, str], states: list[str]) -> dict[str, Any]:
    rate, reward = (random.choice(["1", "2", "5/2", "0.5", "30"]) for _ in range(2))
    row: dict[str, Any] = {"state": pair[0], "action": pair[1], "rate": rate, "reward": reward}
    targets = random.sample(states, random.randint(1, len(states)))
    weights, common = [random.randint(1, 9) for _ in targets], random.choice([1, 1, 3])
    total = sum(weights)
    if random.random() < 0.15:
        row["rate"] = "0"
    if row["rate"] != "0" or random.random() < 0.3:
        row["to"] = {
            y: f"{common * w}/{common * total}" if common > 1 else str(Fraction(w, total))
            for y, w in zip(targets, weights, strict=True)
        }
    return row


def _damaged(random: Random, found: dict[str, Any]) -> None:
    """One thing about the document is another."""
    rows = found["transition"]
    row, number = random.choice(rows), random.choice([*_ODD, 1, 0, 0.5, 10**25, True, None])
    match random.randrange(8):
        case 0:
            row[random.choice(["state", "action"])] = random.choice(_NAMES)
        case 1 | 2:
            row[random.choice(["rate", "reward"])] = number
        case 3:
            row.setdefault("to", {})[random.choice([*found["states"], "b"])] = number
        case 4:
            row.pop(random.choice(list(row)))
        case 5:
            rows.insert(random.randrange(len(rows)), dict(row))
        case 6:
            key = random.choice(["lump", "choice", "terminal", "odd", "to"])
            row[key] = random.choice(["0", "1", {}, [], None, {"a": "1"}, {"a": "0"}])
        case 7:
            key = random.choice(["horizon", "initial", "states", "actions", "name", "transition"])
            found[key] = random.choice(["1", "0", "a", ["a"], ["a", "a"], [], {}, [{}], [None]])


def _scratched(random: Random, text: str) -> str:
    """One thing about the text is another."""
    at, lines = random.randrange(len(text) + 1), text.split("\n")
    quoted = [m.span() for m in re.finditer(r'"[^"\n]*"', text)] or [(0, 0)]
    low, high = random.choice(quoted)
    inner = text[low + 1 : high - 1]
    again = [f"'{inner}'", inner, f'"""{inner}"""', f'" {inner}"', text[low:high] * 2]
    match random.randrange(7):
        case 0:
            return text[:at] + text[at + 1 :]
        case 1 | 2:
            return text[:at] + random.choice(_PIECES) + text[at:]
        case 3:
            return text.replace("\n", "\r\n")
        case 4:
            line = lines.pop(at % len(lines)) if random.random() < 0.5 else lines[at % len(lines)]
            lines.insert(random.randrange(len(lines) + 1), line)
            return "\n".join(lines)
        case 5:
            return text.rstrip("\n") + random.choice(["", "\n\n", " "])
        case _:
            return text[:low] + random.choice(again) + text[high:]


def a_file(seed: int) -> tuple[str, str]:
    """A file and its format."""
    random = Random(seed)
    found = document(random)
    if random.random() < 0.4:
        _damaged(random, found)
    if random.random() < 0.5:
        indent, ascii_only = random.choice([None, 1, 2]), random.random() < 0.3
        kind, text = "json", json.dumps(found, indent=indent, ensure_ascii=ascii_only)
    else:
        kind = "toml"
        try:
            text = toml_text(found)
        except (AttributeError, TypeError):  # rows that are none
            text = ""
    for _ in range(random.choice([0, 0, 1, 1, 3])):
        text = _scratched(random, text) if text else text
    return text, kind
