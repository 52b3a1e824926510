"""Pieces that run over switches: values, policies and proofs against the exact planner."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import ctucbvi
from ctucbvi import CTMDP, InputError, Transition
from ctucbvi.library import machine_repair
from ctucbvi.numeric import certify, files, solve_numeric
from ctucbvi.numeric.files import load_certificate, save_certificate
from ctucbvi.numeric.planner import smallest_tolerance
from ctucbvi.numeric.rooms import Care

BENT = Care(bends=True)


def switching(seed: int) -> CTMDP:
    """A model with many actions, small rows, and a terminal reward that the values have to leave."""
    draw = random.Random(seed)
    states, rows = [f"s{i}" for i in range(draw.randint(2, 7))], []
    actions = draw.randint(2, 4)
    for x in states:
        for a in range(actions):
            targets = draw.sample(states, draw.randint(1, min(3, len(states))))
            counts = [draw.randint(1, 9) for _ in targets]
            to = {y: Fraction(k, sum(counts)) for y, k in zip(targets, counts, strict=True)}
            rate, reward = Fraction(draw.randint(0, 20), 4), Fraction(draw.randint(-100, 100), 100)
            rows.append(Transition.of(x, f"a{a}", rate=rate, reward=reward, to=to))
    ends = {x: Fraction(draw.randint(-20, 20), 20) for x in states}
    horizon = Fraction(draw.randint(1, 16), 4)
    return CTMDP.of(f"switching-{seed}", horizon=horizon, transitions=rows, states=states, terminal=ends)


def attack(seeds: range) -> int:
    """Hold what is proved against the truth; returns how many kinks there were."""
    kinks = 0
    for seed in seeds:
        model, tolerance = switching(seed), 10.0 ** -(4 + 2 * (seed % 5))
        tolerance = max(tolerance, 10 * smallest_tolerance(model))
        solution = solve_numeric(model, tolerance=tolerance, care=BENT)
        if solution.kinks is None:
            continue
        kinks += len(solution.kinks.place)
        proof, exact = certify(solution), ctucbvi.solve(model, digits=15, resolve_policy=False)
        if proof.bound > 8 * tolerance + 1e-11:  # actions that nearly touch cost as much without kinks
            plain = solve_numeric(model, tolerance=tolerance, care=Care(bends=False))
            assert proof.bound <= 2 * certify(plain).bound, seed
        times = [model.horizon * Fraction(k, 12) for k in range(13)]
        times += [t for s in solution.switches[:4] for t in (s.time.mid, s.time.mid + Fraction(1, 1000))]
        for x in model.states:
            for t in (t for t in times if t <= model.horizon):
                proved = proof.value(x, t)
                assert proved.overlaps(exact.value(x, t)), (seed, x, t)
                scale = max(1.0, float(model.value_scale))
                assert abs(solution.value(x, t) - float(proved.mid)) < 1e-12 * scale
    return kinks


def test_the_proved_bound_holds_with_kinks():
    assert attack(range(60)) > 60


@pytest.mark.thorough
@pytest.mark.parametrize("chunk", range(20))
def test_the_proved_bound_holds_with_kinks_of_thousands_of_models(chunk):
    assert attack(range(1000 + 150 * chunk, 1150 + 150 * chunk)) > 150


def test_policies_are_those_without_kinks():
    for seed in range(40):
        model = switching(seed)
        bent, plain = (solve_numeric(model, tolerance=1e-10, care=Care(bends=b)) for b in (True, False))
        pairs = list(zip(bent.switches, plain.switches, strict=True))
        for a, b in pairs:
            assert (a.state, a.before, a.after) == (b.state, b.before, b.after)
            assert abs(a.time.mid - b.time.mid) < 1e-5
        for x in model.states:
            for s in plain.segments(x):
                assert bent.action(x, (s.start.mid + s.end.mid) / 2) in s.actions


def test_kinks_survive_a_file(tmp_path):
    solution = solve_numeric(machine_repair(), tolerance=1e-8, care=BENT)
    assert solution.kinks is not None
    file = str(tmp_path / "certificate.json")
    save_certificate(certify(solution), file)
    again, claimed = load_certificate(file, machine_repair())
    assert certify(again).bound == claimed == certify(solution).bound
    for ours, theirs in zip(solution.kinks, again.kinks, strict=True):
        assert (ours == theirs).all()


def test_what_cannot_be_kinks_is_refused():
    solution = solve_numeric(machine_repair(), tolerance=1e-8, care=BENT)
    kinks = solution.kinks
    wrong = {
        "do not fit the pieces": kinks._replace(pair=kinks.pair[:-1]),
        "in order": kinks._replace(row=kinks.row[::-1].copy()),
        "must increase": kinks._replace(place=kinks.place + 1),
        "does not have": kinks._replace(bent=kinks.bent + 4),
        "not a finite number": kinks._replace(bend=kinks.bend * np.nan),
    }
    for message, changed in wrong.items():
        with pytest.raises(InputError, match=message):
            certify(replace(solution, kinks=changed))
    with pytest.raises(InputError, match="belong to the committed problem without truncation"):
        certify(replace(solution, truncate=True))
    with pytest.raises(InputError, match="belong to the committed problem without truncation"):
        certify(replace(solution, semantics=ctucbvi.Semantics.ADJUSTABLE))


@pytest.mark.parametrize(
    "kinks",
    [
        [[[0.5, 0, [{"0": 0, "1": 1, "2": 2}]]]],
        [[[0.5, 0, [[0, 1.0, 2.0], {}]]]],
        [[[0.5, 0, {"0": [0, 1.0]}]]],
        [[{"0": 1, "1": 2, "2": 3}]],
        [{}],
        {"0": []},
        [["abc"]],
        [[[0.5, 0, ["ab"]]]],
    ],
)
def test_kinks_of_a_file_are_lists_all_the_way_down(kinks):
    """An object where a list has to be was a traceback."""
    with pytest.raises(InputError, match="'kinks'"):
        files._kinks(kinks, 1, machine_repair())


def test_a_large_sparse_model_has_fewer_pieces_than_switches():
    draw = random.Random(1)
    states, rows = [f"s{i}" for i in range(300)], []
    for x in states:
        for a in range(3):
            to = {y: Fraction(1, 3) for y in draw.sample(states, 3)}
            rate, reward = Fraction(draw.randint(4, 20), 4), Fraction(draw.randint(0, 100), 100)
            rows.append(Transition.of(x, f"a{a}", rate=rate, reward=reward, to=to))
    model = CTMDP.of("sparse", horizon=1, transitions=rows, states=states)
    solution = solve_numeric(model, tolerance=1e-7)
    plain = solve_numeric(model, tolerance=1e-7, care=Care(bends=False))
    assert len(solution.switches) > 1.2 * len(solution.best)
    proofs = certify(solution), certify(plain)
    assert proofs[0].bound < 1e-7
    for x in states[::10]:
        for t in (Fraction(1, 3), Fraction(1)):
            assert proofs[0].value(x, t).overlaps(proofs[1].value(x, t))
