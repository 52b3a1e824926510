"""Pieces that are read, proved and forgotten: the answer is the one of keeping all of them, bit by bit."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from ctucbvi import CTMDP, InputError, Semantics, UndecidedError
from ctucbvi.library import machine_repair
from ctucbvi.numeric import NumericBudget, certify, rooms, solve_certified, solve_numeric
from ctucbvi.numeric.arrays import Arrays
from ctucbvi.numeric.certificate import ProofInParts
from ctucbvi.numeric.files import save_certificate
from ctucbvi.numeric.planner import smallest_tolerance
from ctucbvi.numeric.refinement import _side_by_side
from ctucbvi.numeric.rooms import Care, March, expected_pieces
from ctucbvi.numeric.solution import Wanted
from ctucbvi.numeric.turns import TurnList
from tests.benchmarks.random_models import random_switching
from tests.unit.test_numeric_kinks import switching

PROBLEMS = [(semantics, truncate) for semantics in Semantics for truncate in (False, True)]

SPARSE = random_switching(300, 2), Wanted(Semantics.COMMITTED, False, 1e-6), Care()


def differences(model: CTMDP, problem: Wanted, care: Care, length: int) -> list[str]:
    """What differs if only ``length`` pieces are there at a time; the pieces are short."""
    semantics, truncate, tolerance = problem
    whole = certify(solve_numeric(model, semantics, tolerance=tolerance, truncate=truncate, care=care))
    times = [model.horizon * Fraction(k, 5) for k in range(6)]
    times += [Fraction(t) for t in whole.solution.times[1:3].tolist() if t <= model.horizon]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rooms, "_AT_ONCE", 0)
        patch.setattr(rooms, "_LEAST", length)
        part = _side_by_side(model, problem, care, NumericBudget(), tuple(times))
    found = ["times"] if not np.array_equal(part.solution.times, whole.solution.times) else []
    found += ["bounds"] if not np.array_equal(part.bounds, whole.bounds) else []
    if found:
        return found
    points = [(x, t) for x in model.states for t in times]
    found += ["values"] if whole.values(points) != [(x, t, part.value(x, t)) for x, t in points] else []
    for x in model.states:
        found += ["segments"] if part.segments(x) != whole.segments(x) else []
        for t in times:
            same = (
                part.value(x, t) == whole.value(x, t),
                part.solution.value(x, t) == whole.solution.value(x, t),
            )
            found += ["value"] if not all(same) else []
            found += ["action"] if part.solution.action(x, t) != whole.solution.action(x, t) else []
    return found + ([] if part.switches == whole.switches else ["switches"])


def drawn(seed: int) -> tuple[CTMDP, Wanted, Care, int]:
    """A problem with many short pieces, or with kinks, and the pieces in its room."""
    model, (semantics, truncate) = switching(seed), PROBLEMS[seed % 4]
    tolerance = max(10.0 ** -(4 + 2 * (seed % 5)), 10 * smallest_tolerance(model))
    bends = semantics is Semantics.COMMITTED and not truncate and seed % 8 == 0
    care = Care(reach=0.7) if not bends else Care(reach=0.7, bends=True)
    return model, Wanted(semantics, truncate, tolerance), care, 2 + seed // 4 % 4


def attack(seeds: range) -> None:
    for seed in seeds:
        assert differences(*drawn(seed)) == [], seed


def test_the_same_bit_by_bit():
    attack(range(80))


@pytest.mark.thorough
@pytest.mark.parametrize("chunk", range(10))
def test_the_same_bit_by_bit_thousands_of_times(chunk):
    attack(range(1000 + 300 * chunk, 1300 + 300 * chunk))


def test_the_same_in_another_unit_of_time():
    model = machine_repair()
    rows = tuple(replace(row, rate=row.rate * 10**15) for row in model.transitions)
    fast = replace(model, transitions=rows, horizon=model.horizon / 10**15)
    problem = Wanted(Semantics.COMMITTED, False, 100 * smallest_tolerance(fast))
    assert differences(fast, problem, Care(reach=0.5), 2) == []


class Forgetful(March):
    """Does not count the pieces that it has handed over."""

    def _hand_over(self, *, last=False) -> None:
        super()._hand_over(last=last)
        self.gone = 0


class NoJump(ProofInParts):
    """Forgets the piece before, and with it the jump where a part begins."""

    def take(self, part):
        begin = part.begin
        kinks = part.kinks and part.kinks._replace(row=part.kinks.row[begin:])
        cut = [array[begin:] for array in (part.times, part.value, part.score, part.best, part.capped)]
        super().take(type(part)(*cut, kinks, 0, part.last))


class LateTurns(TurnList):
    """Does not look at what changes where a part begins."""

    def add(self, times, best, kinks, begin):
        blind = best.copy()
        blind[:begin] = best[begin : 2 * begin]
        super().add(times, blind, kinks, begin)


@pytest.mark.parametrize(
    ("where", "mutant", "noticed"),
    [
        ("ctucbvi.numeric.planner.March", Forgetful, {"times", "bounds"}),
        ("ctucbvi.numeric.refinement.ProofInParts", NoJump, {"bounds"}),
        ("ctucbvi.numeric.solution.TurnList", LateTurns, {"segments", "action", "switches"}),
    ],
)
def test_a_boundary_that_is_dropped_is_noticed(where, mutant, noticed, monkeypatch):
    monkeypatch.setattr(where, mutant)
    found = {what for seed in range(40) for what in differences(*drawn(seed))}
    found.update(differences(*SPARSE, 3))
    assert found & noticed, found


def test_kinks_of_a_sparse_model():
    """Where bends pay by themselves, and the degree is thought over after some pieces."""
    assert len(solve_numeric(SPARSE[0], tolerance=1e-6).kinks.place) > 50
    for length in (2, 3, 5, 24):
        assert differences(*SPARSE, length) == []


def test_what_was_not_kept_is_said():
    model = machine_repair()
    found = solve_certified(model, tolerance=1e-12, at=["1/2"])
    whole = certify(solve_numeric(model, tolerance=1e-12, care=Care()))  # the same march, all of it
    assert found.value("operating", "1/2") == whole.value("operating", "1/2")
    assert found.value("operating") == whole.value("operating")
    assert repr(found) == repr(whole)
    assert (found.bound, len(found.solution.held)) == (whole.bound, 2)
    with pytest.raises(InputError, match=r"from 0 to .* were not kept; name one in at="):
        found.value("operating", 0)
    with pytest.raises(InputError, match="outside"):
        solve_certified(model, at=[2])


def test_an_excerpt_is_no_file_and_cannot_be_proved_afterwards(tmp_path):
    found = solve_certified(machine_repair(), at=[])
    with pytest.raises(InputError, match="solve without at="):
        save_certificate(found, str(tmp_path / "certificate.json"))
    with pytest.raises(InputError, match="solve_certified"):
        certify(found.solution)


def test_when_time_is_out_what_was_reached_is_known():
    model = machine_repair().with_horizon(10**6)
    with pytest.raises(UndecidedError, match="not finished in") as stopped:
        solve_certified(model, tolerance=1e-3, at=[], budget=NumericBudget(seconds=0.2))
    part = stopped.value.known
    assert 0 < part.model.horizon < model.horizon
    assert part.value("operating").overlaps(
        solve_certified(model.with_horizon(part.model.horizon), tolerance=1e-3).value("operating")
    )
    assert part.bound < 1e-3


def test_what_does_not_fit_is_said_beforehand_with_what_to_ask_instead():
    model = machine_repair().with_horizon(1000)
    with pytest.raises(
        UndecidedError, match=r"needs about .* GB, and 0.0001 are allowed; ask for the values at"
    ):
        solve_certified(model, tolerance=1e-6, budget=NumericBudget(gigabytes=1e-4))
    found = solve_certified(model, tolerance=1e-6, at=[], budget=NumericBudget(gigabytes=1e-4))
    assert found.bound <= 1e-6
    times = [Fraction(k, 10) for k in range(1000)]
    with pytest.raises(UndecidedError, match=r"1000 remaining times needs about .* ask for fewer"):
        solve_certified(model, tolerance=1e-6, at=times, budget=NumericBudget(gigabytes=1e-4))


def test_memory_is_told_before_the_march():
    model, said = machine_repair().with_horizon(100), list[str]()
    pieces = len(solve_numeric(model, tolerance=1e-6).times) - 1
    guess = expected_pieces(Arrays.in_order(model), 0.5e-8, 18)
    assert pieces / 3 < guess < 3 * pieces
    room = 8 * 19 * 6 * guess / 2**30  # what all takes, about, in gigabytes
    solve_numeric(model, tolerance=1e-6, budget=NumericBudget(gigabytes=4 * room, tell=said.append))
    assert not said
    with pytest.raises(UndecidedError, match="is reached, and the rest needs about"):
        solve_numeric(model, tolerance=1e-6, budget=NumericBudget(gigabytes=room / 4, tell=said.append))
    assert "to keep all of the march of 4 pairs needs about" in said[0]
    assert "ask for the values at some remaining times only (at=)" in said[0]
    with pytest.raises(UndecidedError, match="is reached, and the rest needs about") as caught:
        solve_numeric(model, tolerance=1e-6, budget=NumericBudget(gigabytes=room / 20, tell=said.append))
    assert caught.value.known is not None  # however little it is
    solve_numeric(model, tolerance=1e-6, at=[1], budget=NumericBudget(gigabytes=room / 4))  # says nothing


def test_memory_does_not_grow_with_the_pieces():
    arrays, sizes = Arrays.in_order(machine_repair().with_horizon(400)), []

    class Watcher:
        def begin(self):
            sizes.clear()

        def take(self, part):
            sizes.append(len(part.best))

    run = March(arrays, True, False, 1e-6, takers=(Watcher(),))
    run.go(run.whole, rooms.NOBODY)
    run.finish()
    assert len(sizes) > 10
    assert max(sizes) <= rooms._FIRST_ROOM
