"""Lemmas of other settings: a forged pair of settings is refused, whatever is changed in one of the two."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from tests.derivation_files import SETTING, derivation, step
from tests.unit.test_recheck_derivations_documents import mutated, run
from tests.written_documents import derived
from verify.kernel.language import Fact, Setting
from verify.kernel.terms import KernelError, Symbol
from verify.recheck.derivations import references
from verify.recheck.derivations.references import _is_part

Data = dict[str, Any]

SAYS = ("0 <= p(x)", "p(x) == 7", "Y(n) == 7", "N(n) == 7", "F(t) == 7", "E(Y(n + 1), n) == Y(n)", "0 == 1")
"""What the fact of the lemma's setting may be; with another meaning of its symbols each could be true."""


def part(says: str) -> Data:
    """The lemma's setting: some of the symbols, and one fact, from which the lemma follows at once."""
    symbols = [row for row in SETTING["symbols"] if row["name"] in "XYNpFc"]
    return {**SETTING, "name": "part", "symbols": symbols, "facts": {"fact": _fact(says)}}


def _fact(says: str) -> Data:
    return {"kind": "model", "says": says, "why": "given"}


def forged(small: Any, large: Any, says: str) -> list[str]:
    """The complaints about a lemma that is a fact of the one setting, and its use in the other."""
    lemma = derivation(says, step("fact", name="fact"), label="lem:y", setting=small)
    uses = derivation(says, step("lemma", label="lem:y", formula=says), setting=large)
    return run(derived(lemma), derived(uses))


# --- what a setting means, read once more, without the checker ---------------------------------------


def _symbol(row: Data) -> tuple[Any, ...]:
    generic = row.get("generic", False)
    assert type(generic) is bool  # 1 is no truth value
    return tuple(row["args"]), row["value"], row.get("known"), generic


def honest(small: Data, large: Data) -> bool:
    """Whether all that the first setting speaks of is in the second, and means the same there."""

    def inside(read: Callable[[Data], dict[Any, Any]]) -> bool:
        return read(small).items() <= read(large).items()

    for one in (small, large):
        names = [*one["sorts"], *one["variables"], *(row["name"] for row in one["symbols"])]
        if len(names) != len(set(names)):
            return False
    return (
        inside(lambda one: dict.fromkeys(one["sorts"]))
        and inside(lambda one: one["variables"])
        and inside(lambda one: {row["name"]: _symbol(row) for row in one["symbols"]})
        and inside(lambda one: {name: fact["says"] for name, fact in one["facts"].items()})
        and (small.get("name") != large.get("name") or small == large)
    )


# --- forgeries -----------------------------------------------------------------------------------------


def _other_symbol(one: Data, chance: random.Random) -> None:
    row = chance.choice(one["symbols"])
    key = chance.choice(("args", "value", "known", "generic", "why"))
    worth = {
        "args": [[], ["Nat"], ["Real"], ["State"], ["Nat", "Nat"]],
        "value": ["Nat", "Real", "State"],
        "known": [None, "any", "_1", "_1 + 1", "0"],
        "generic": [True, False, 1, 0, None],
        "why": ["another reason"],
    }
    row[key] = chance.choice(worth[key])


def _twice(one: Data, chance: random.Random) -> None:
    row = copy.deepcopy(chance.choice(one["symbols"]))
    one["symbols"].insert(chance.randrange(len(one["symbols"]) + 1), row)
    if chance.random() < 0.7:
        row["value"] = chance.choice(("Nat", "Real", "State"))


def _other_variable(one: Data, chance: random.Random) -> None:
    name = chance.choice((*one["variables"], "Y", "p", "Nat_1", "State", "Odd_1", "Real_2"))
    one["variables"][name] = chance.choice(("Nat", "Real", "State", "Odd"))


def _other_sort(one: Data, chance: random.Random) -> None:
    one["sorts"] = chance.choice(
        ([], ["State", "Odd"], ["Odd", "State"], ["State"] * 2, "State", {"State": 1})
    )


def _other_fact(one: Data, chance: random.Random) -> None:
    one["facts"][chance.choice(("fact", "positive", "more"))] = _fact(chance.choice(SAYS))


def _another_kind(one: Data, chance: random.Random) -> None:
    key = chance.choice(("sorts", "variables", "symbols", "facts"))
    rows = one[key]
    one[key] = chance.choice((list(rows), None, {}, [], tuple(rows), [[name, rows] for name in rows]))


def _missing(one: Data, chance: random.Random) -> None:
    del one[chance.choice(sorted(one))]


def _renamed(one: Data, chance: random.Random) -> None:
    one["name"] = chance.choice(("part", "example", None, True))


FORGERIES = (
    _other_symbol,
    _twice,
    _other_variable,
    _other_sort,
    _other_fact,
    _another_kind,
    _missing,
    _renamed,
)


def _forge(one: Data, chance: random.Random) -> Any:
    if chance.random() < 0.25:
        return mutated(one, chance)
    with suppress(AttributeError, IndexError, KeyError, TypeError):  # what is damaged already stays so
        chance.choice(FORGERIES)(one, chance)
    return one


def accepted(chance: random.Random) -> tuple[bool, bool]:
    """Whether a forged pair is accepted, and whether it is honest all the same."""
    says = chance.choice(SAYS)
    small, large = copy.deepcopy(part(says)), copy.deepcopy(SETTING)
    if chance.random() < 0.9:
        large["facts"]["fact"] = _fact(says)
    for _ in range(chance.choice((1, 1, 1, 2))):
        if chance.random() < 0.5:
            small = _forge(small, chance)
        else:
            large = _forge(large, chance)
    try:
        right = honest(small, large)
    except (AssertionError, AttributeError, KeyError, TypeError):
        right = False
    return not forged(small, large, says), right


def test_no_pair_of_forged_settings_passes():
    """Where all is accepted, the lemma's setting is a part of the other one, as it is read here."""
    chance = random.Random(15)
    found = [accepted(chance) for _ in range(600)]
    assert (True, False) not in found
    assert found.count((True, True)) > 50
    assert found.count((False, False)) > 300


@pytest.mark.parametrize("what", ["sorts", "variables", "symbols", "facts", "names"])
def test_a_laxer_comparison_is_found_out(what, monkeypatch):
    """A checker that does not look at one of the four, or at names only, accepts a forged pair."""

    def lax(small: Data, large: Data) -> bool:
        if what == "names":
            rows = small.get("symbols", ()), large.get("symbols", ())
            return {row["name"] for row in rows[0]} <= {row["name"] for row in rows[1]}
        return _is_part(*(one | {what: SETTING[what]} for one in (small, large)))

    monkeypatch.setattr(references, "_is_part", lax)
    chance = random.Random(16)
    assert any(accepted(chance) == (True, False) for _ in range(3000))


# --- the kernel and the checker mean the same ----------------------------------------------------------

_SYMBOLS = [
    Symbol(name, ("Nat",), "Real", known, name == "g")
    for name, known in zip("fXg", (None, "_1", "any"), strict=True)
]
_FACTS = {"one": Fact("f(n) <= 1", "small"), "two": Fact("0 <= X(n)", "positive", "model")}


def _random_setting(chance: random.Random) -> Setting:
    symbols = [
        one if chance.random() < 0.9 else Symbol(one.name, one.args, one.value, "_1", not one.generic)
        for one in _SYMBOLS
        if one.name != "g" or chance.random() < 0.7
    ]
    facts = {
        name: fact if chance.random() < 0.9 else Fact(fact.says, "otherwise", fact.kind)
        for name, fact in _FACTS.items()
        if chance.random() < 0.7
    }
    variables = {"Nat": "n m" if chance.random() < 0.7 else "n"}
    return Setting.of("some", "State" if chance.random() < 0.7 else "State Odd", variables, symbols, facts)


def test_the_kernel_and_the_checker_agree_on_what_extends_what():
    chance, found = random.Random(3), {True: 0, False: 0}
    for _ in range(600):
        one, other = _random_setting(chance), _random_setting(chance)
        found[one.extends(other)] += 1
        assert one.extends(other) == _is_part(other.data(), one.data())
    assert min(found.values()) > 50


@pytest.mark.parametrize("listed", [{"Real": "n"}, {"State": "k"}])
def test_a_variable_keeps_its_sort_in_a_larger_setting(listed):
    """Else a fact about all n in Nat would be read as one about all real numbers."""
    small = Setting.of(
        "small", "State", {"Nat": "n", "Real": "k"}, _SYMBOLS, {"n": Fact("f(1) <= n + 9", "")}
    )
    with pytest.raises(KernelError, match="two sorts"):
        small.extended("large", [], {}, variables=listed)
