"""Model files: exact, and lossless in both directions."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctucbvi.errors import InputError
from ctucbvi.library import bundled_models, machine_repair
from ctucbvi.model import CTMDP, Transition
from ctucbvi.modelfile import dump_model, load_model, parse_model, save_model
from ctucbvi.strategies import corner_models, models

FORMATS = ("toml", "json")

TOML = """\
name = "machine-repair"
horizon = "1"
initial = "operating"
states = ["operating", "repair"]
actions = ["slow", "fast"]
terminal = { repair = "-1/3" }

[[transition]]
state = "operating"
action = "slow"
rate = "3"
reward = 0.85
to = { repair = "1/4", operating = 0.75 }

[[transition]]
state = "repair"
action = "fast"
rate = 7
reward = "1e-6"
to = { operating = "1" }
"""

JSON = """\
{
  "name": "machine-repair",
  "horizon": 1,
  "initial": "operating",
  "states": ["operating", "repair"],
  "actions": ["slow", "fast"],
  "terminal": {"repair": "-1/3"},
  "transition": [
    {"state": "operating", "action": "slow", "rate": "3", "reward": 0.85,
     "to": {"repair": 0.25, "operating": "3/4"}},
    {"state": "repair", "action": "fast", "rate": 7.0, "reward": 1e-6, "to": {"operating": 1}}
  ]
}
"""

MODEL = CTMDP.of(
    "machine-repair",
    horizon=1,
    states=("operating", "repair"),
    actions=("slow", "fast"),
    terminal={"repair": Fraction(-1, 3)},
    transitions=[
        Transition.of("operating", "slow", rate=3, reward="17/20", to={"repair": "1/4", "operating": "3/4"}),
        Transition.of("repair", "fast", rate=7, reward="1/1000000", to={"operating": 1}),
    ],
)


@pytest.mark.parametrize(("form", "text"), [("toml", TOML), ("json", JSON)])
def test_the_valid_file_is_the_model(form: str, text: str) -> None:
    assert parse_model(text, format=form) == MODEL


# --- bare decimals -------------------------------------------------------------------------


def doubles(text: str) -> Fraction:
    """What the rate would be if bare decimals were read as doubles: the mutant."""
    return Fraction(tomllib.loads(text)["rate"])


@pytest.mark.parametrize(
    ("literal", "number"),
    [
        ("0.1", Fraction(1, 10)),
        ("0.85", Fraction(17, 20)),
        ("1e-6", Fraction(1, 10**6)),
        ("0.12345678901234567890123", Fraction(12345678901234567890123, 10**23)),
        ("1e400", Fraction(10**400)),
        ("1_0.2_5", Fraction(41, 4)),
    ],
)
def test_a_bare_decimal_is_its_decimal_value(literal: str, number: Fraction) -> None:
    read = parse_model(TOML.replace('rate = "3"', f"rate = {literal}"))
    assert read.transitions[0].rate == number
    if "e400" not in literal and "_" not in literal:
        plain = parse_model(JSON.replace('"rate": "3"', f'"rate": {literal}'), format="json")
        assert plain.transitions[0].rate == number
        assert doubles(f"rate = {literal}") != number


# --- lossless ------------------------------------------------------------------------------


def through_floats(model: CTMDP) -> CTMDP:
    """The mutant: a round trip that writes numbers as doubles."""
    data = json.loads(dump_model(model, format="json"))
    for row in data["transition"]:
        row["rate"] = float(Fraction(row["rate"]))
    return parse_model(json.dumps(data), format="json")


@given(model=models(), form=st.sampled_from(FORMATS))
def test_round_trip_of_drawn_models(model: CTMDP, form: str) -> None:
    assert parse_model(dump_model(model, format=form), format=form) == model


def test_the_round_trip_check_catches_doubles() -> None:
    third = replace(MODEL, transitions=tuple(replace(t, rate=Fraction(1, 3)) for t in MODEL.transitions))
    assert through_floats(MODEL) == MODEL  # 3 and 7 are doubles
    assert through_floats(third) != third


names = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=5)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)


@given(
    states=st.lists(names, min_size=1, max_size=3, unique=True),
    action=names,
    title=texts,
    source=texts,
    shows=texts,
    form=st.sampled_from(FORMATS),
)
def test_round_trip_of_any_names(
    states: list[str], action: str, title: str, source: str, shows: str, form: str
) -> None:
    rows = [Transition.of(x, action, rate=1, reward=0, to={states[-1]: 1}) for x in states]
    model = CTMDP.of(title, horizon=1, transitions=rows, source=source, shows=shows)
    back = parse_model(dump_model(model, format=form), format=form)
    assert back == model
    assert (back.source, back.shows) == (source, shows)  # equality does not look at these


def test_a_naive_key_is_caught() -> None:
    """The mutant: TOML keys without quotes."""
    model = CTMDP.of("m", horizon=1, transitions=[Transition.of("a.b", "x", rate=1, reward=0, to={"a.b": 1})])
    text = dump_model(model)
    assert '"a.b" =' in text
    with pytest.raises(InputError, match="to: 'a' is not one of the states"):
        parse_model(text.replace('"a.b" =', "a.b ="))


@pytest.mark.parametrize("form", FORMATS)
def test_round_trip_of_bundled_and_corner_models(form: str, tmp_path) -> None:
    for name, model in (bundled_models() | corner_models()).items():
        path = tmp_path / f"{name}.{form}"
        save_model(model, path)
        back = load_model(path)
        assert back == model
        assert (back.source, back.shows) == (model.source, model.shows)


def test_longest_numbers_survive_and_longer_ones_are_refused() -> None:
    row = replace(MODEL.transitions[0], reward=Fraction(10**1996 + 1, 7))
    model = replace(MODEL, transitions=(row, MODEL.transitions[1]))
    assert parse_model(dump_model(model)) == model
    for reward in (Fraction(10**2000), Fraction(1, 10**20000)):
        longer = replace(MODEL, transitions=(replace(row, reward=reward), MODEL.transitions[1]))
        with pytest.raises(InputError, match=r"^transition of .* reward: too long .*; round it first$"):
            dump_model(longer)


# --- fuzz ----------------------------------------------------------------------------------


def model_or_complaint(text: str, form: str) -> None:
    try:
        model = parse_model(text, format=form, where="fuzz")
    except InputError as error:
        message = str(error)
        assert message.startswith("fuzz: ")
        assert message.isprintable()
    else:
        assert parse_model(dump_model(model, format=form), format=form) == model


@given(text=st.text(), form=st.sampled_from(FORMATS))
def test_any_text_is_a_model_or_a_complaint(text: str, form: str) -> None:
    model_or_complaint(text, form)


pieces = st.sampled_from(
    (
        *("", "0", "-1", "1e999999", "nan", "inf", "[", "]", "{", "}", '"', "'", "=", ",", ".", "\n", "\x00"),
        *(
            "\\",
            "\ud800",
            "é",
            "true",
            "null",
            "[[transition]]",
            "rate",
            "to",
            "2020-01-01",
            "0x10",
            "1/0",
            ":",
        ),
    )
)


@settings(max_examples=400)
@given(st.data())
def test_any_mutation_of_a_valid_file_is_a_model_or_a_complaint(data: st.DataObject) -> None:
    form, text = data.draw(st.sampled_from([("toml", TOML), ("json", JSON)]))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        text = text[:start] + data.draw(pieces) + text[end:]
    model_or_complaint(text, form)


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.sampled_from(["slow", "repair"]),
)
values = st.recursive(
    scalars, lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=3), part, max_size=3)
)


document = json.loads(JSON)
places = st.sampled_from([(table, key) for table in (document, document["transition"][0]) for key in table])


@settings(max_examples=150)
@given(place=places, value=values)
def test_any_value_under_any_key_is_a_model_or_a_complaint(place: tuple[dict, str], value: object) -> None:
    table, key = place
    kept = table[key]
    table[key] = value
    text = json.dumps(document)
    table[key] = kept
    model_or_complaint(text, "json")


def test_the_fuzz_check_catches_a_raw_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: a reader that lets the parser's own error through."""
    monkeypatch.setattr("ctucbvi.modelfile.parse_toml", lambda text, _where: tomllib.loads(text))
    with pytest.raises(tomllib.TOMLDecodeError):
        model_or_complaint("=", "toml")


# --- files ----------------------------------------------------------------------------------


def test_files_that_cannot_be_written(tmp_path) -> None:
    with pytest.raises(InputError, match=r"none.m\.toml: cannot be written \(No such file.*; name a file"):
        save_model(MODEL, tmp_path / "none" / "m.toml")
    with pytest.raises(InputError, match=r"m\.yaml: its name does not tell the format; end it in"):
        save_model(MODEL, tmp_path / "m.yaml")
    with pytest.raises(InputError, match="half of a surrogate pair cannot be written"):
        dump_model(replace(MODEL, name="\ud800"))


def test_byte_order_mark_and_windows_lines_are_read(tmp_path) -> None:
    path = tmp_path / "m.TOML"
    path.write_bytes(b"\xef\xbb\xbf" + TOML.replace("\n", "\r\n").encode())
    assert load_model(str(path)) == MODEL


def test_unknown_format() -> None:
    with pytest.raises(InputError, match="format 'yaml' is unknown; write 'toml' or 'json'"):
        dump_model(MODEL, format="yaml")


def test_the_written_file_reads_well() -> None:
    assert dump_model(machine_repair()).split("\n\n")[1] == (
        '[[transition]]\nstate = "operating"\naction = "slow"\nrate = "3"\nreward = "17/20"\n'
        'to = { repair = "1" }'
    )
