"""Long files are read in bulk: what is answered there is what reading with care says."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction

import pytest

from ctucbvi import modelfile
from ctucbvi.errors import InputError
from ctucbvi.library import machine_repair
from ctucbvi.model import CTMDP, Transition
from ctucbvi.modelfile import bulk, dump_model, parse_model
from ctucbvi.modelfile.bulk import model_in_bulk
from tests.model_files import a_file

FORMATS = ("toml", "json")


def with_care(text: str, kind: str) -> CTMDP | None:
    """What a short file is; None if it is none."""
    try:
        return parse_model(text, format=kind)
    except InputError:
        return None


def whole(model: CTMDP | None) -> tuple[object, ...] | None:
    return None if model is None else (model, model.digest, model.source, model.shows)


def disagreements(seeds: range) -> tuple[list[int], Counter[str]]:
    """The files that are answered in bulk and not so with care; and how many were answered."""
    wrong, counted = [], Counter[str]()
    for seed in seeds:
        text, kind = a_file(seed)
        found = model_in_bulk(text, kind)
        counted[kind] += found is not None
        if found is not None and whole(found) != whole(with_care(text, kind)):
            wrong.append(seed)
    return wrong, counted


def test_files_at_random_are_read_alike() -> None:
    wrong, counted = disagreements(range(2500))
    assert not wrong
    assert min(counted[kind] for kind in FORMATS) > 150  # many are right, and of the usual shape


class NoColons(str):
    """A text that does not tell how many colons it has: the mutant that does not see a key given twice."""

    def count(self, *_: object) -> int:  # type: ignore[override]
        return EqualsAll()


class EqualsAll(int):
    """A number that seems right, whatever is expected."""

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = int.__hash__


TWICE = (
    '{"state": "repair", "action": "slow", "rate": "7", "rate": "5", "reward": "0", "to": {"operating": "1"}}'
)


def test_a_key_that_is_given_twice_is_seen() -> None:
    text = dump_model(machine_repair(), format="json")
    cut = re.sub(r'\{\s*"state": "repair",\s*"action": "slow".*?\}\s*\}', TWICE, text, flags=re.DOTALL)
    assert cut != text
    assert model_in_bulk(text, "json") == machine_repair()
    assert model_in_bulk(cut, "json") is None
    assert with_care(cut, "json") is None
    assert model_in_bulk(NoColons(cut), "json") is not None  # the mutant


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("_TABLE", bulk._TABLE.pattern.replace(r"(?=\n|\Z)", "")),  # a line may stand between tables
        ("_TABLE", bulk._TABLE.pattern.replace(r"\x00-\x1f\x7f", r"\n")),  # a tab may stand in a number
        ("_NUMBER", bulk._NUMBER.pattern.replace("0-9]{1,18}", "0-9_]{1,18}")),  # as in Python
    ],
)
def test_mutants_of_the_patterns_are_caught(monkeypatch: pytest.MonkeyPatch, name: str, pattern: str) -> None:
    monkeypatch.setattr(bulk, name, re.compile(pattern, getattr(bulk, name).flags))
    text = dump_model(machine_repair())
    between = '\nodd = "1"\n[[transition]]'.join(text.rsplit("\n\n[[transition]]", 1))
    numbers = [re.sub(r'rate = "[^"]*"', f'rate = "{odd}"', text, count=1) for odd in ("3\x0b", "3_0")]

    def answered() -> list[bool]:
        return [model_in_bulk(attack, "toml") is not None for attack in (between, *numbers)]

    assert any(answered())
    monkeypatch.undo()
    assert not any(answered())
    assert not any(with_care(attack, "toml") for attack in (between, *numbers))


@pytest.mark.parametrize("kind", FORMATS)
def test_jumps_that_do_not_happen_are_left_to_care(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of zeros beside a rate of 0 is refused; arrays would leave it out."""
    rows = [Transition("x", "a", Fraction(0), Fraction(1), ()), Transition.of("y", "a", rate=0, reward=1)]
    model = CTMDP.of("still", horizon=1, transitions=rows)
    text = dump_model(model, format=kind)
    assert model_in_bulk(text, kind) == model
    zero = text.replace('reward = "1"', 'reward = "1"\nto = { x = "0" }')
    zero = zero.replace('"reward": "1"', '"reward": "1", "to": {"x": "0"}')
    assert model_in_bulk(zero, kind) is None
    assert with_care(zero, kind) is None


@pytest.mark.parametrize("kind", FORMATS)
def test_a_long_file_is_read_in_bulk_and_says_the_same_if_it_is_wrong(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 2000
    rows = [
        Transition.of(f"s{i}", a, rate=i + 1, reward=Fraction(i, 7), to={f"s{(i + 1) % count}": 1})
        for i in range(count)
        for a in ("go", "run")
    ]
    model = CTMDP.of("long", horizon=2, transitions=rows)
    text = dump_model(model, format=kind)
    read = parse_model(text, format=kind)
    assert "transitions" not in vars(read)  # nobody has asked for them
    assert read == model
    wrong = text.replace("s1999", "s1998", 3)
    monkeypatch.setattr(modelfile, "_LONG", len(text) + 100)
    with pytest.raises(InputError) as short:
        parse_model(wrong, format=kind)
    monkeypatch.undo()
    with pytest.raises(InputError, match=re.escape(str(short.value))):
        parse_model(wrong, format=kind)
