"""Everything that is wrong with a model file gets one line: the file, the place and the remedy."""

from __future__ import annotations

import json
from time import process_time

import pytest

from ctucbvi.errors import InputError
from ctucbvi.modelfile import load_model, parse_model
from tests.unit.test_modelfile import JSON, TOML

SLOW = "transition 1 (state 'operating', action 'slow')"
FAST = "transition 2 (state 'repair', action 'fast')"

# (what is replaced in the valid TOML file, by what, the place that is named, the remedy)
BAD_TOML = {
    "negative-rate": ('rate = "3"', 'rate = "-1"', f"{SLOW}: rate -1", "write 0 or more"),
    "infinite-rate": ("rate = 7", "rate = inf", f"{FAST}: rate: inf", "write a finite number"),
    "minus-infinite-reward": ("reward = 0.85", "reward = -inf", f"{SLOW}: reward: -inf", "write a finite"),
    "nan-rate": ("rate = 7", "rate = nan", f"{FAST}: rate: nan", "write a finite number"),
    "quoted-infinity": ("rate = 7", 'rate = "Infinity"', f"{FAST}: rate: Infinity", "write a finite number"),
    "sum-below-1": ('"1/4"', '"1/5"', f"{SLOW}: probabilities sum to 19/20", "write fractions"),
    "sum-almost-1": (
        '"1/4"',
        "0.2499999999999999999",
        f"{SLOW}: probabilities sum to",
        "not exactly 1; write",
    ),
    "sum-with-many-digits": ('"1/4"', f'"1/{3**900}"', f"{SLOW}: probabilities sum to 1 - about", "write fr"),
    "negative-probability": ('"1/4"', '"-1/4"', f"{SLOW}: probability of 'repair' is -1/4", "from 0 to 1"),
    "no-probabilities": ('to = { operating = "1" }', "", f"{FAST}: probabilities sum to 0", 'under "to"'),
    "unknown-target": ("operating = 0.75", "oprating = 0.75", f"{SLOW}: to: 'oprating'", "mean 'operating'?"),
    "unknown-target-zero": (
        "operating = 0.75",
        "operating = 0.75, q = 0",
        f"{SLOW}: to: 'q'",
        "choose from: op",
    ),
    "unknown-state": (
        'state = "repair"',
        'state = "broken"',
        "transition 2: 'broken'",
        "choose from: operating",
    ),
    "unknown-action": (
        'action = "fast"',
        'action = "fasst"',
        "transition 2: 'fasst'",
        "did you mean 'fast'?",
    ),
    "unknown-initial": (
        'initial = "operating"',
        'initial = "idle"',
        "initial: 'idle'",
        "choose from: operating",
    ),
    "unknown-terminal": ('{ repair = "-', '{ repairs = "-', "terminal: 'repairs'", "did you mean 'repair'?"),
    "duplicate-state": ('["operating", "repair"]', '["repair", "repair"]', "states: 'repair'", "must differ"),
    "duplicate-action": ('["slow", "fast"]', '["slow", "slow"]', "actions: 'slow'", "names must differ"),
    "duplicate-transition": (
        'state = "repair"\naction = "fast"',
        'state = "operating"\naction = "slow"',
        "transition 2 (state 'operating', action 'slow'): given already as transition 1",
        "keep one",
    ),
    "state-without-actions": (
        '"repair"]',
        '"repair", "scrap"]',
        "state 'scrap' has no actions",
        "add a trans",
    ),
    "zero-horizon": ('horizon = "1"', "horizon = 0", "horizon: 0 is not positive", "write a number above 0"),
    "negative-horizon": ('horizon = "1"', "horizon = -0.5", "horizon: -1/2", "write a number above 0"),
    "not-toml": (
        'rate = "3"',
        "rate 3",
        "line 11, column 6: not TOML",
        "write lines of the form key = value",
    ),
    "cut-off": ('["slow", "fast"]', '["slow",', "line 6, column 1: not TOML", "key = value"),
    "key-twice": ("rate = 7", "rate = 7\nrate = 8", "line 19, column 9: not TOML", "key = value"),
    "word-for-number": ('rate = "3"', 'rate = "abc"', f"{SLOW}: rate: 'abc'", 'write for example "17/20"'),
    "code-for-number": ('rate = "3"', 'rate = "2+1"', f"{SLOW}: rate: '2+1'", 'write for example "17/20"'),
    "division-by-zero": (
        'rate = "3"',
        'rate = "1/0"',
        f"{SLOW}: rate: '1/0' divides by zero",
        "write for example",
    ),
    "truth-for-number": (
        "rate = 7",
        "rate = true",
        f"{FAST}: rate: a number is needed, not true",
        "write for",
    ),
    "list-for-number": (
        "rate = 7",
        "rate = [7]",
        f"{FAST}: rate: a number is needed, not a list",
        "write for",
    ),
    "date-for-number": (
        "rate = 7",
        "rate = 2020-01-01",
        f"{FAST}: rate: a number is needed, not a date",
        "write",
    ),
    "table-for-number": (
        "rate = 7",
        "rate = {}",
        f"{FAST}: rate: a number is needed, not a table",
        "write for",
    ),
    "empty-number": ("rate = 7", 'rate = ""', f"{FAST}: rate: '' is not a number", "write for example"),
    "other-digits": ("rate = 7", 'rate = "٣"', f"{FAST}: rate: '٣' is not a number", "write for example"),
    "missing-rate": ("rate = 7\n", "", "transition 2: the key 'rate' is missing", "add it"),
    "missing-horizon": ('horizon = "1"\n', "", "the key 'horizon' is missing", "add it"),
    "missing-name": ('name = "machine-repair"\n', "", "the key 'name' is missing", "add it"),
    "unknown-key": (
        "reward = 0.85",
        "rewards = 0.85",
        "transition 1: unknown key 'rewards'",
        "mean 'reward'?",
    ),
    "unknown-top-key": (
        "horizon =",
        "gamma = 1\nhorizon =",
        "unknown key 'gamma'",
        "the known keys are name",
    ),
    "misplaced-key": (
        "rate = 7",
        "rate = 7\nhorizon = 1",
        "transition 2: unknown key 'horizon'",
        "to the top",
    ),
    "states-a-text": (
        '["operating", "repair"]',
        '"operating"',
        "states: a list of names",
        'write for example ["',
    ),
    "states-empty": ('["operating", "repair"]', "[]", "states: the list is empty", "write at least one name"),
    "states-numbers": ('["operating", "repair"]', "[1, 2]", "states: entry 1: a text is needed", "in quotes"),
    "state-blank": ('"repair"]', '" "]', "states: entry 2 is ' '", "write a non-empty printable name"),
    "state-two-lines": (
        '"repair"]',
        r'"a\nb"]',
        r"states: entry 2 is 'a\nb'",
        "write a non-empty printable name",
    ),
    "name-a-number": (
        'name = "machine-repair"',
        "name = 5",
        "name: a text is needed, not a number",
        "in quotes",
    ),
    "to-a-list": ('to = { operating = "1" }', 'to = ["x"]', f"{FAST}: to: a table of keys", "in braces"),
    "terminal-a-number": ('{ repair = "-1/3" }', "0", "terminal: a table of keys", "in braces"),
    "transition-a-text": (
        TOML[TOML.index("[[") :],
        'transition = "x"',
        "transition: a list is needed",
        "write a",
    ),
    "huge-exponent": (
        "rate = 7",
        'rate = "1e999999999"',
        f"{FAST}: rate: '1e999999999'",
        "choose another unit of time",
    ),
    "huge-bare-exponent": (
        "rate = 7",
        "rate = 1e-999999999",
        f"{FAST}: rate: '1e-999999999'",
        "another unit",
    ),
    "huge-integer": ("rate = 7", f"rate = {'9' * 5000}", "line 18: an integer is too long", "at most 2000"),
    "large-integer": (
        "rate = 7",
        f"rate = {'9' * 3000}",
        f"{FAST}: rate: as a fraction",
        "write fewer digits",
    ),
    "large-hexadecimal": (
        "rate = 7",
        f"rate = 0x{'f' * 9000}",
        f"{FAST}: rate: as a fraction",
        "write fewer",
    ),
    "long-text-number": ("rate = 7", f'rate = "{"9" * 5000}"', f"{FAST}: rate: '999", "write for example"),
    "deep-lists": ("rate = 7", f"rate = {'[' * 5000}{']' * 5000}", "nested too deeply", "three levels"),
    "empty": (TOML, "", "the key 'name' is missing", "add it"),
}

BAD_JSON = {
    "not-json": ('"horizon": 1,', '"horizon": 1', "line 4, column 3: not JSON", "write one object"),
    "trailing-comma": ('"to": {"operating": 1}}', '"to": {"operating": 1},}', "line 11, column", "not JSON"),
    "duplicate-key": ('"rate": "3"', '"rate": "3", "rate": 4', "transition 1: the key 'rate'", "keep one"),
    "duplicate-target": (
        '"repair": 0.25,',
        '"repair": 0.25, "repair": 0.25,',
        f"{SLOW}: to: the key",
        "keep one",
    ),
    "duplicate-top-key": ('"horizon": 1', '"horizon": 1, "horizon": 1', "the key 'horizon'", "keep one"),
    "nan": ('"rate": "3"', '"rate": NaN', f"{SLOW}: rate: NaN is not finite", "write a finite number"),
    "infinity": ('"rate": "3"', '"rate": -Infinity', f"{SLOW}: rate: -Infinity", "write a finite number"),
    "null": (
        '"rate": "3"',
        '"rate": null',
        f"{SLOW}: rate: a number is needed, not null",
        "write for example",
    ),
    "true": (
        '"rate": "3"',
        '"rate": true',
        f"{SLOW}: rate: a number is needed, not true",
        "write for example",
    ),
    "negative-rate": ('"rate": "3"', '"rate": -3', f"{SLOW}: rate -3 is negative", "write 0 or more"),
    "huge-exponent": ('"rate": "3"', '"rate": 1e999999999', f"{SLOW}: rate: '1e999999999'", "another unit"),
    "huge-integer": ('"rate": "3"', f'"rate": {"9" * 5000}', f"{SLOW}: rate: '999", "write for example"),
    "sum": ("0.25", "0.24", f"{SLOW}: probabilities sum to 99/100", "write fractions"),
    "states-numbers": (
        '["operating", "repair"]',
        "[1, 2]",
        "states: entry 1: a text is needed, not the num",
        "q",
    ),
    "name-a-number": ('"machine-repair"', "1e5", "name: a text is needed, not the number 1e5", "in quotes"),
    "half-a-surrogate": (
        '"machine-repair"',
        r'"\ud800"',
        "name: half of a surrogate pair",
        "write the character",
    ),
    "a-list": (JSON, "[]", "a table of keys and values is needed, not a list", "in braces"),
    "a-number": (JSON, "5", "a table of keys and values is needed, not the number 5", "in braces"),
    "nested": (JSON, "[" * 200_000, "nested too deeply", "three levels"),
    "transition-an-object": (
        JSON[JSON.index('"transition"') :],
        '"transition": {}}',
        "transition: a list",
        "write",
    ),
    "transition-a-text": (
        JSON[JSON.index('"transition"') :],
        '"transition": ["x"]}',
        "transition 1: a table",
        "in",
    ),
    "empty": (JSON, "", "line 1, column 1: not JSON", "write one object"),
}

CASES = [
    pytest.param(form, valid, *case, id=f"{form}-{name}")
    for form, valid, table in (("toml", TOML, BAD_TOML), ("json", JSON, BAD_JSON))
    for name, case in table.items()
]


def complaint(text: str, form: str, where: str = "some/model.file") -> str:
    with pytest.raises(InputError) as caught:
        parse_model(text, format=form, where=where)
    return str(caught.value)


@pytest.mark.parametrize(("form", "valid", "old", "new", "place", "remedy"), CASES)
def test_bad_file_gets_one_line(form: str, valid: str, old: str, new: str, place: str, remedy: str) -> None:
    assert valid.count(old) == 1  # the case really changes the valid file, in one place
    message = complaint(valid.replace(old, new), form)
    assert len(message.splitlines()) == 1
    assert message.isprintable()
    assert message.startswith(f"some/model.file: {place}")
    assert remedy in message


def test_there_are_enough_bad_files() -> None:
    assert len(BAD_TOML) >= 35
    assert len(BAD_JSON) >= 20


def test_unknown_format() -> None:
    assert complaint(TOML, "yaml") == "some/model.file: format 'yaml' is unknown; write 'toml' or 'json'"


# --- files ---------------------------------------------------------------------------------


def test_files_that_cannot_be_read(tmp_path) -> None:
    (tmp_path / "dir.toml").mkdir()
    (tmp_path / "latin.toml").write_bytes(b'name = "x"\nsource = "caf\xe9"\n')
    (tmp_path / "model.txt").write_text(TOML)
    (tmp_path / "two\nlines.toml").write_text("=")
    for name, expected in {
        "none.toml": "no such file; check the path",
        "dir.toml": "this is a directory; name a .toml, .json or .npz file in it",
        "latin.toml": "line 2: not UTF-8 text; save the file as UTF-8",
        "model.txt": "its name does not tell the format; end it in .toml, .json or .npz",
        "nul\0.toml": "cannot be read (embedded null byte); name a readable file",
        "x" * 500 + ".toml": "cannot be read (File name too long); name a readable file",
        "two\nlines.toml": "line 1, column 1: not TOML (Invalid statement); write lines of the form "
        "key = value",
    }.items():
        with pytest.raises(InputError) as caught:
            load_model(tmp_path / name)
        shown = str(tmp_path / name).replace("\0", "?").replace("\n", "?")
        assert str(caught.value) == f"{shown}: {expected}"


def test_errors_of_large_files_take_as_long_as_the_files() -> None:
    """Not the square of it: 40,000 states, the last one idle; 40,000 keys, the last one twice."""
    states = [f"s{i}" for i in range(40_000)]
    rows = [{"state": x, "action": "a", "rate": "0", "reward": "0"} for x in states[:-1]]
    head = {"name": "m", "horizon": "1", "initial": "s0", "states": states, "actions": ["a"]}
    idle = json.dumps({**head, "transition": rows})
    again = "{" + ", ".join(f'"{x}": 1' for x in [*states, states[-1]]) + "}"
    began = process_time()
    with pytest.raises(InputError, match="state 's39999' has no actions"):
        parse_model(idle, format="json")
    with pytest.raises(InputError, match="the key 's39999' is given twice"):
        parse_model(again, format="json")
    assert process_time() - began < 4
