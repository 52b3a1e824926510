"""Hostile models: no printed digit is false, no proved policy wrong, no budget exceeded."""

from __future__ import annotations

import random
from fractions import Fraction
from time import process_time

import pytest

import ctucbvi
from ctucbvi import CTMDP, Budget, Semantics, Solution, UndecidedError
from ctucbvi.enclosure import Enclosure
from ctucbvi.exact import problem, signs, solution
from ctucbvi.exact.outlook import Doubles, Outline
from ctucbvi.solutions import About
from tests.hostile import contact, crowd, hostile, in_other_units
from tests.opinions import second_opinion
from tests.unit.test_enclosure import unit

SECONDS, GRACE = 4.0, 2.0


def solved(model: CTMDP, semantics: Semantics, digits: int, *, truncate: bool = False) -> Solution:
    """What is known within the budget, which is kept."""
    began = process_time()
    try:
        found = ctucbvi.solve(
            model, semantics, digits=digits, truncate=truncate, budget=Budget(seconds=SECONDS)
        )
    except UndecidedError as error:
        found = error.known
    assert process_time() - began < SECONDS + GRACE
    return found


def printed_truly(rough: Enclosure, sharp: Enclosure, digits: int) -> bool:
    """Whether the printed digits of ``rough`` are those of the number, as far as ``sharp`` knows it."""
    value, lower, upper = rough.decimals(digits)
    return (
        abs(Fraction(value) - sharp.mid) <= unit(value) + sharp.radius
        and Fraction(lower) <= sharp.upper
        and sharp.lower <= Fraction(upper)
    )


def contradictions(rough: Solution, sharp: Solution) -> list[str]:
    """Everything that ``rough`` says and ``sharp`` knows to be false."""
    model, found = rough.model, []
    for state in model.states:
        for t in (Fraction(0), model.horizon / 3, model.horizon):
            if not printed_truly(rough.value(state, t), sharp.value(state, t), rough.digits):
                found.append(f"V({state}, {t})")
        times = {s.time.mid + d for s in sharp.switches for d in (-s.time.width * 4, s.time.width * 4)}
        times |= {model.horizon * k / 13 for k in range(1, 13)}
        times |= {Fraction(1, 10**k) for k in (3, 9, 20)}
        for t in times:
            claims = [
                set(s.actions)
                for one in (rough, sharp)
                for s in one.segments(state)
                if s.proved and s.start.upper < t < s.end.lower
            ]
            if any(claim != claims[0] for claim in claims):
                found.append(f"policy of {state} at {float(t)}: {claims}")
    if not sharp.undecided and len(sharp.switches) != len(rough.switches) and not rough.undecided:
        found.append(f"{len(rough.switches)} switches instead of {len(sharp.switches)}")
    for switch in rough.switches:
        theirs = [s.time for s in sharp.switches if s.state == switch.state]
        if not sharp.undecided and not any(printed_truly(switch.time, t, rough.digits) for t in theirs):
            found.append(f"switch of {switch.state} near {float(switch.time.mid)}")
    return found


def withstands(seed: int, *, opinion: bool) -> list[str]:
    """The contradictions in what is said of the model of this seed."""
    model, rng = hostile(seed), random.Random(f"question/{seed}")
    semantics, truncate = rng.choice(list(Semantics)), rng.random() < 0.15
    rough = solved(model, semantics, rng.choice([3, 9, 15]), truncate=truncate)
    sharp = solved(model, semantics, rng.choice([25, 40, 60]), truncate=truncate)
    found = contradictions(rough, sharp)
    if opinion:
        found += disagreements(sharp, truncate=truncate)
    return found


def disagreements(found: Solution, *, truncate: bool) -> list[str]:
    """The states whose value the second opinion has otherwise."""
    try:
        theirs = second_opinion(found.model, found.semantics, digits=25, truncate=truncate)
    except UndecidedError:  # it has none: two actions are too close for it
        return []
    horizon, states = found.model.horizon, found.model.states
    return [f"second opinion on {x}" for x in states if not found.value(x).overlaps(theirs(x, horizon))]


@pytest.mark.parametrize("block", [0, 1, *(pytest.param(k, marks=pytest.mark.thorough) for k in (2, 3))])
def test_hostile_models_get_true_answers(block: int) -> None:
    for seed in range(25 * block, 25 * block + 25):
        assert withstands(seed, opinion=seed % 5 == 0) == [], seed


@pytest.mark.thorough
@pytest.mark.parametrize("block", range(40))
def test_many_hostile_models_get_true_answers(block: int) -> None:
    for seed in range(1000 + 50 * block, 1050 + 50 * block):
        assert withstands(seed, opinion=seed % 5 == 0) == [], seed


def units(rng: random.Random) -> tuple[Fraction, Fraction]:
    """Of money and of time: of any size, or so that only their product is too small for doubles."""
    money, time = (rng.choice([-330, -190, -140, 0, 131, 199, 320]) for _ in range(2))
    if rng.random() < 0.7:
        time = rng.randrange(130, 199)
        money = -rng.randrange(325 - time, 199)
    return Fraction(10) ** money, Fraction(10) ** time


def depends_on_units(seed: int) -> list[str]:
    """What is said otherwise of a model that is told in other units, of money and of time."""
    rng = random.Random(f"units/{seed}")
    model, semantics = rng.choice([crowd, hostile])(seed), rng.choice(list(Semantics))
    money, time = units(rng)
    told = solved(in_other_units(model, money, time), semantics, 6)
    plain, found = solved(model, semantics, 6), list[str]()
    for x in model.states:
        for t in (model.horizon / 7, model.horizon):
            one, other = plain.value(x, t), told.value(x, t * time)
            if not Enclosure(one.lower * money, one.upper * money).overlaps(other):
                found.append(f"V({x}, {t}) of {model.name}, {semantics}, {money} and {time}")
    if not plain.undecided and not told.undecided and len(plain.switches) != len(told.switches):
        found.append(f"{len(told.switches)} switches instead of {len(plain.switches)}")
    return found


@pytest.mark.parametrize(
    "block", [0, 1, *(pytest.param(k, marks=pytest.mark.thorough) for k in range(2, 40))]
)
def test_units_of_money_and_of_time_do_not_matter(block: int) -> None:
    for seed in range(40 * block, 40 * block + 40):
        assert depends_on_units(seed) == [], seed


def multiplied_first(self: Outline, values: Doubles, own: Doubles) -> Doubles:
    """The mutant: what jumps bring, per unit of time and not of the clock, which is divided by afterwards."""
    return real_slopes(self, values * self.clock, own * self.clock) / self.clock


real_slopes = Outline.slopes


@pytest.mark.parametrize(
    ("place", "name", "mutant", "seed"),
    [(problem, "_LEAST", 0.0, 101), (Outline, "slopes", multiplied_first, 75)],
    ids=["few pairs", "many pairs"],
)
def test_what_underflows_is_missed(monkeypatch, place: object, name: str, mutant: object, seed: int) -> None:
    assert depends_on_units(seed) == []
    monkeypatch.setattr(place, name, mutant)
    assert depends_on_units(seed) != []


@pytest.mark.parametrize("order", range(1, 7))
@pytest.mark.parametrize("digits", [15, 60])
def test_a_contact_costs_digits_nowhere_else(order: int, digits: int) -> None:
    model = contact(order)
    found = ctucbvi.solve(model, digits=digits)
    assert all(found.value(state).has_digits(digits) for state in model.states)
    doubts = found.undecided
    assert len(doubts) == (0 if order == 1 else 1)
    for doubt in doubts:
        assert doubt.what is About.ACTIONS
        assert abs(float(doubt.between.lower) - 0.6931471805599453) < 1e-9
        assert doubt.between.width < Fraction(1, 10**15)
    first, *_, last = found.segments("x")
    assert (first.actions, last.actions) == ((("a",), ("a",)) if order % 2 == 0 else (("b",), ("a",)))


def test_crossings_close_together_are_counted_or_left_open() -> None:
    model = contact(3, split=Fraction(1, 10**20))
    sharp = ctucbvi.solve(model, digits=15)
    assert len(sharp.switches) == 3
    assert sharp.undecided == ()
    blurred = ctucbvi.solve(model, digits=15, budget=Budget(max_bits=128))
    assert [d.actions for d in blurred.undecided if d.what is About.ACTIONS] == [("a", "b")]


def test_a_count_that_is_assumed_is_caught(monkeypatch) -> None:
    """The mutant: every bracket between two policies passes for one switch."""
    monkeypatch.setattr(solution.Solution, "_once", staticmethod(lambda runs, index: True))
    blurred = ctucbvi.solve(contact(3, split=Fraction(1, 10**20)), digits=5, budget=Budget(max_bits=128))
    assert len(blurred.switches) == 1
    assert blurred.undecided == ()


def test_without_the_ladder_a_contact_costs_everything(monkeypatch) -> None:
    """The mutant: halving only, with its budget of pieces."""
    monkeypatch.setattr(signs, "_ladder", lambda f, a, b, limits: [])
    found = ctucbvi.solve(contact(4), digits=60, budget=Budget(max_bits=300))
    assert not found.value("x").has_digits(60)


def test_false_digits_are_caught() -> None:
    """The mutant: the centre of a wide enclosure, printed in full."""
    sharp = Enclosure(Fraction(1, 3), Fraction(1, 3))
    wide = Enclosure(Fraction(3, 10), Fraction(4, 10))
    assert printed_truly(wide, sharp, 9)
    assert not printed_truly(Enclosure(wide.mid, wide.mid), sharp, 9)
