"""Documents that are none: any entry of a certificate, a witness, a run or a derivation is anything else.

The checker promises complaints of one line, whatever it is given: ``python -m tests.quality.hostile.malformed
SEED COUNT`` prints what raises something, or takes more than its time.
"""

from __future__ import annotations

import copy
import json
import random
import reprlib
import sys
from collections.abc import Iterator
from typing import Any

from tests.quality.hostile.forging import places
from tests.quality.hostile.running import PatienceError, patience
from tests.quality.test_changes_mutants import ACCEPTED as CHANGES
from tests.unit.test_recheck import ACCEPTED, WITNESS, pair
from tests.unit.test_recheck_claims import GROWS
from tests.unit.test_recheck_derivations import RIGHT
from tests.unit.test_recheck_derivations_documents import POSITIVE, RELATION, USES
from tests.written_documents import derived, document, rises, row, tends
from verify.recheck import recheck
from verify.streams import writing

SECONDS = 4.0  # of the processor, for one document
_RUN = document(derived(POSITIVE), derived(USES), RELATION)
_LIMIT = row(
    tends("sin(x)/x", "1", "x", "0"), ["0 < x <= 1"], point={"x": "1"}, proof={"formula": {"by": "limit"}}
)
_POINTS = row(
    rises("-x"), ["0 <= x <= 1"], label="points", verdict="refuted",
    witness={"relation": "-x <= -z", "domain": ["0 <= x <= 1", "0 <= z <= 1", "x < z"],
             "point": {"x": "0", "z": "1"}},
)  # fmt: skip
_WITNESS = {key: value for key, value in WITNESS.items() if key != "line"}

BEFORE: list[Any] = [
    *ACCEPTED.values(), *CHANGES.values(), _WITNESS, pair(),
    document(GROWS | {"label": "grows"}, _LIMIT, _POINTS),
    _RUN, *RIGHT.values(),
]  # fmt: skip


def _deep(n: int) -> Any:
    data: Any = []
    for _ in range(n):
        data = [data]
    return data


DEEP = (_deep(600), _deep(30_000), {"by": "split", "variable": "x", "at": "1/2", "parts": _deep(400)})
ANYTHING: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 10**30, -(10**400), 1.5, float("inf"), float("-inf"), float("nan"),
    1e-320, "", " ", "\n", "x", "y", "w", "1/0", "0**0", "0**(-1)", "x**(10**9)", "10**(10**9)", "1e99999",
    "1e-99999", "(-1)**(1/2)", "factorial(10**6)", "gamma(10**9)", "loggamma(-1)", "exp(10**400)",
    "exp(exp(exp(exp(9))))", "sin(10**5000)", "x <= ", "<= x", "x <= y <= z", "x == x == x", "x < 0 < x",
    "not x", "x if x else y", "lambda: 1", "__import__('os')", "f'{x}'", "x.y", "x[0]", "[x]", "{x}",
    "x and y", "x | y", "x // 2", "x % 2", "~x", "x @ y", "(yield)", "Max()", "Max(x)", "Min(x, x, x)",
    "Abs()", "exp(x, y)", "polygamma(0, x)", "log(0)", "0x10", "1_000", "1j", "'x'", "b'x'", "...", "None",
    "True", "ｘ", "x²", "π", "\ud800", "\x00", "\u202e", "x" * 5000, "(" * 300 + "x" + ")" * 300,
    "-" * 3000 + "x", "+".join(["x"] * 3000), "**".join(["x"] * 200), "x" + "**2" * 40,
    "sqrt(" * 50 + "x" + ")" * 50, "1" * 5000, "1." + "0" * 5000, "nan", "inf", "oo", "-oo", "pi", "E",
    "lower x", "upper x", "hypothesis 0", "hypothesis 99999", "hypothesis ²", "fact 0", "-0", "+0", "-²",
    "range", "cases", "combine", [], [[]], [None], ["x"], ["1"] * 50, {}, {"": None}, {"by": None},
    {"by": []}, {"by": "range"}, {"by": "authority"}, {"x": "1"}, _deep(50), [{}] * 50,
)  # fmt: skip


def damaged(rng: random.Random) -> Any:
    """A document with some entries replaced, dropped, doubled or moved."""
    data = copy.deepcopy(rng.choice(BEFORE))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        found = list(places(data))
        if not found:
            break
        box, key = rng.choice(found)
        way = rng.random()
        if way < 0.02:
            box[key] = rng.choice(DEEP)
            break
        if way < 0.65:
            box[key] = copy.deepcopy(rng.choice(ANYTHING))
        elif way < 0.8:
            del box[key]
        else:
            other, name = rng.choice(found)
            box[key] = copy.deepcopy(other[name]) if name in other or isinstance(other, list) else None
    return data


_PIECES = (
    *(
        '"',
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\\",
        "NaN",
        "-Infinity",
        "1e999",
        "9" * 5000,
        "\x00",
        "\ud800",
        "null",
    ),
    *('"by": "range", ', '"proof": {}, '),
)


def written(rng: random.Random) -> str:
    """The text of a document with some characters changed, names that stand twice, or an end too soon."""
    text = json.dumps(rng.choice(BEFORE))
    for _ in range(rng.choice((1, 1, 2, 4))):
        k = rng.randrange(len(text))
        piece = rng.choice((*_PIECES, text[k : k + 40]))
        text = text[:k] + piece + text[k + rng.choice((0, 0, 1, 5)) :]
    return text[: rng.randrange(len(text))] if rng.random() < 0.1 else text


def answer(data: Any, labels: tuple[str, ...] = ()) -> str | None:
    """What is wrong with the checker's answer: ``None`` if it is complaints of one line each."""
    try:
        with patience(SECONDS):
            complaints = recheck(data, labels)
    except PatienceError:
        return "does not end"
    except Exception as error:  # whatever it is, it is a finding
        return f"{type(error).__name__}: {str(error)[:200]}"
    lines = all(isinstance(one, str) and "\n" not in one for one in complaints)
    return None if isinstance(complaints, list) and lines else "no complaints of one line"


def found(seed: int, count: int) -> Iterator[tuple[str, Any]]:
    """What the checker does not answer as it should, among so many documents."""
    rng = random.Random(seed)
    for _ in range(count):
        if rng.random() < 0.15:
            try:
                data = json.loads(written(rng))
            except (ValueError, RecursionError):
                continue
        else:
            data = damaged(rng)
        wrong = answer(data, rng.choice(((), (), ("a",), ("lem:y", "b"))))
        if wrong is not None:
            yield wrong, data


if __name__ == "__main__":
    with writing("python -m tests.quality.hostile.malformed"):
        for wrong, data in found(int(sys.argv[1]), int(sys.argv[2])):
            print(wrong, reprlib.repr(data), flush=True)
