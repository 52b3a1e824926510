"""Mutated certificate files: whatever is accepted is true, and checkers that are wrong are caught."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from itertools import zip_longest
from math import comb

import numpy as np
import pytest

import ctucbvi
from ctucbvi import CTMDP, InputError, Semantics, Transition
from ctucbvi.library import machine_repair
from ctucbvi.numeric import (
    bending,
    bent_residuals,
    certificate,
    certify,
    residuals,
    rooms,
    solve_numeric,
    weighing,
)
from ctucbvi.numeric.arrays import Arrays
from ctucbvi.numeric.files import read_certificate
from ctucbvi.numeric.kinks import POWERS, Into, into
from ctucbvi.numeric.rooms import Care
from tests.certificate_files import PROBLEMS, Case, attack, cases, genuine, suboptimal
from tests.short_certificates import of_a_policy, short, short_cases
from tests.unit.test_numeric_kinks import switching
from tests.unit.test_weighing import changed

_FILES, _CHUNKS = 1_600, 2
_SHORT = 2_000
_GAPS, _SLOPES, _BENT = residuals.committed_gaps, residuals.adjustable_bounds, bent_residuals.bent_bounds


@pytest.mark.parametrize("chunk", range(_CHUNKS))
def test_no_mutated_file_gets_a_bound_that_is_not_true(chunk):
    tally, wrong = attack(chunk, _FILES // _CHUNKS)
    assert not wrong, wrong[:5]
    assert min(tally["accepted"], tally["refused"]) > _FILES // _CHUNKS // 4
    assert tally["close"] > _FILES // _CHUNKS // 20  # bounds that say something


@pytest.mark.thorough
@pytest.mark.parametrize("chunk", range(20))
def test_no_mutated_file_of_a_hundred_thousand_gets_a_bound_that_is_not_true(chunk):
    _, wrong = attack(1000 + chunk, 5_000)
    assert not wrong, wrong[:5]


def test_no_short_file_gets_a_bound_that_is_not_true():
    tally, wrong = attack(1, _SHORT, only=short_cases(), make=short)
    assert not wrong, wrong[:5]
    assert tally["accepted"] > _SHORT // 2
    assert tally["close"] > _SHORT // 10
    tally, wrong = attack(2, _SHORT // 2, only=short_cases(), make=short, prove=of_a_policy)
    assert not wrong, wrong[:5]
    assert tally["accepted"] > _SHORT // 8


@pytest.mark.thorough
@pytest.mark.parametrize("prove", [certify, of_a_policy])
@pytest.mark.parametrize("chunk", range(10))
def test_no_short_file_of_a_hundred_thousand_gets_a_bound_that_is_not_true(prove, chunk):
    _, wrong = attack(1000 + chunk, 10_000, only=short_cases(), make=short, prove=prove)
    assert not wrong, wrong[:5]


def test_what_short_files_are_held_against_is_true():
    seen = 0
    for case in short_cases():
        model = case.models[0]
        plain = all(row.terminal is None and not (row.rate or row.choice) for row in model.transitions)
        for semantics, truncate in PROBLEMS if plain and model.objective == "max" else ():
            for k in (0, 3, 16):
                t, ends = model.horizon * Fraction(k, 16), zip(model.states, model.terminal, strict=True)
                best = [
                    g + t * max(row.reward for row in model.transitions if row.state == x) for x, g in ends
                ]
                if truncate and semantics is Semantics.COMMITTED:
                    best = [min(t, v) for v in best]
                elif truncate:  # a slope above 1 is of no use once the value is t
                    slopes = [max(r.reward for r in model.transitions if r.state == x) for x in model.states]
                    best = [min(t, min(g, 0) + t * c) for g, c in zip(model.terminal, slopes, strict=True)]
                found = case.truth(0, semantics, truncate, k)
                assert all(v.contains(b) for v, b in zip(found, best, strict=True)), model.name
                seen += 1
    assert seen > 100


@pytest.mark.parametrize("times", [[0.0, 1.0], [0.0, 0.25, 1.0]])
@pytest.mark.parametrize(("value", "capped"), [(0.0, 1), (0.25, 1), (0.0, 0)])
def test_a_constant_that_is_said_to_be_the_remaining_time_is_not_proved(times, value, capped):
    # min{t, 1} is t and 1 at the horizon.
    model = CTMDP.of(
        "still", horizon=1, transitions=[Transition.of("x", "a", rate=0, reward=0)], terminal={"x": 1}
    )
    pieces = len(times) - 1
    for orders in (1, 2, 3):
        document = genuine(model, Semantics.COMMITTED, True) | {
            "times": times,
            "values": [[[value], *[[0.0]] * (orders - 1)]] * pieces,
            "scores": [[[1.0], *[[0.0]] * (orders - 1)]] * pieces,
            "best": [[0]] * pieces,
            "capped": [[capped]] * pieces,
        }
        assert certify(read_certificate(json.dumps(document), model)[0]).bound >= 1 - value


def believes_the_caps(solution):
    """Takes a cap for a fact about the problem: with none there is no truncation."""
    return certify(replace(solution, truncate=solution.truncate and bool(solution.capped.any())))


def takes_any_action(solution):
    """Believes that the hinted actions are the best."""
    certify(solution)  # which refuses actions that are not on offer
    policy = ctucbvi.Policy.of(
        solution.model,
        {
            x: solution.model.transitions[int(solution.best[0, i])].action
            for i, x in enumerate(solution.model.states)
        },
    )
    if solution.truncate or (solution.best != solution.best[0]).any():
        raise InputError("not this one")
    return replace(certify(replace(solution, policy=policy)), solution=solution)


@pytest.mark.parametrize("wrong_checker", [believes_the_caps, takes_any_action])
def test_a_checker_that_believes_a_hint_is_caught(wrong_checker):
    _, wrong = attack(7, 800, prove=wrong_checker)
    assert wrong


@pytest.fixture
def interpreted(monkeypatch):
    """The kernels as plain Python, so that a part of them can be replaced."""
    for module in (weighing, residuals, bent_residuals):
        for name, kernel in list(vars(module).items()):
            if hasattr(kernel, "py_func"):
                monkeypatch.setattr(module, name, kernel.py_func)
    for name in ("committed_bounds", "adjustable_bounds", "bent_bounds"):
        monkeypatch.setattr(certificate, name, getattr(certificate, name).py_func)
    with np.errstate(all="ignore"):
        yield monkeypatch


def few() -> list[Case]:
    """Cases that plain Python is quick enough for: short files, and one with actions to choose from."""
    return [case for case in cases() if len(case.texts[0]) < 6000] + [cases()[1]]


@pytest.mark.usefixtures("interpreted")
def test_the_interpreted_checker_passes():
    tally, wrong = attack(3, 150, only=few())
    assert not wrong
    assert tally["accepted"] > 50


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TINY", 0.0),
        ("jump", lambda before, after, bends: 0.0),
        ("excess", lambda d, n, blur, work: 0.0),
        ("committed_gaps", lambda *rest: 0.0),
        ("ROUNDING", 0.0),
    ],
)
def test_a_checker_with_a_part_left_out_is_caught(interpreted, name, value):
    for module in (weighing, residuals):
        interpreted.setattr(module, name, value, raising=module is residuals)
    _, wrong = attack(3, 400, only=[cases()[1]] if name == "jump" else few())
    assert wrong


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        (_GAPS, "here, apart = 0.0, h if is_capped and orders == 1 else 0.0", "here, apart = 0.0, 0.0"),
        (_GAPS, "d[j] = line - q[b, j] if is_capped else q[b, j] - line", "d[j] = 0.0"),
        (_GAPS, "line - q[b, j] if is_capped", "0.0 if is_capped"),
        (_GAPS, "if not (is_capped or fixed):", "if False:"),
        (_SLOPES, "d[j] = (1.0 if j == 0 else 0.0) - slopes[b - first[x], j]", "d[j] = 0.0"),
        (_SLOPES, "lasting = worst(lasting, excess(d, n, blur, room))", "pass"),
        (_SLOPES, "(1.0 if j == 0 else 0.0) if is_capped else", "rise / h if is_capped else"),
        (_SLOPES, "elif not claimed.fixed:", "elif False:"),
        (_BENT, "error += jump(score[k - 1], q, sheet.tail)", "pass"),
        (_BENT, "_residuals(model, to, kinks, k, h, q, v, claimed.best[k], sheet)", "sheet.turned[:] = 2"),
        (
            _BENT,
            "missed = weigh(model, h, q, v, gap, room, sheet.extra",
            "missed = weigh(model, h, q, v, gap, room, 0 * sheet.extra",
        ),
        (_BENT, "apart = _bent_gaps(model, kinks, k, q, v, claimed.best[k], sheet, gap)", "apart = 0.0"),
    ],
)
def test_a_checker_that_believes_short_files_is_caught(interpreted, part, old, new):
    interpreted.setattr(
        certificate if part is not _GAPS else residuals, part.py_func.__name__, changed(part, old, new)
    )
    assert any(attack(seed, 100, only=short_cases(), make=short)[1] for seed in range(12))


def bent() -> list[Case]:
    """Cases whose only genuine files have kinks."""
    found = []
    for model in [cases()[1].models[0], *(case.models[0] for case in cases()[3:9])]:
        case = Case(model)
        case.texts = [text for text in case.texts if '"kinks"' in text]
        found += [case] * bool(case.texts)
    return found


def too_small(solution) -> bool:
    """Whether the bound that is proved is below the error."""
    truth, proof = ctucbvi.solve(solution.model, digits=12), certify(solution)
    return any(not proof.value(x).overlaps(truth.value(x)) for x in solution.model.states)


@pytest.mark.usefixtures("interpreted")
def test_the_interpreted_checker_of_kinks_passes():
    _, wrong = attack(5, 60, only=bent())
    assert not wrong


def test_a_checker_that_believes_bends_is_caught(interpreted):
    # An honest solution whose last piece gets a bend out of nothing: no jump follows that would show it.
    model = cases()[1].models[0]
    document = genuine(model, Semantics.COMMITTED, False, bends=True)
    b = document["best"][-1][0]
    document["kinks"][-1] = [[0.5, b, [[b, 1.0, *[0.0] * (POWERS - 1)]]]]
    solution, _ = read_certificate(json.dumps(document), model)
    assert not too_small(solution)
    assert certify(solution).bound > 0.2
    weigh = bent_residuals.weigh
    with interpreted.context() as later:  # as if it began later than it does
        later.setattr(bent_residuals, "weigh", lambda *parts: weigh(*parts[:-2], parts[-2] / 2, parts[-1]))
        assert too_small(solution)
    residuals_of = bent_residuals._residuals

    def forgets(*parts):
        residuals_of(*parts)
        parts[-1].extra[:] = 0.0

    interpreted.setattr(bent_residuals, "_residuals", forgets)
    assert too_small(solution)


def in_rationals(arrays, kinks, k, h, q, v, best):
    """What kinks add to the residuals of one piece: the sums of |g| (1 − s)^m, without rounding."""
    pairs, orders = q.shape
    q, v = ([[Fraction(c) for c in row] for row in each.tolist()] for each in (q, v))
    lead, began, rate = best.tolist(), set(), [Fraction(r) for r in arrays.rate.tolist()]
    bends = [[] for _ in range(pairs)]
    total = [[Fraction(0)] * orders for _ in range(pairs)]

    def at(polynomial, i, s):
        parts = [(polynomial, s), *((bend, s - place) for place, bend in bends[i])]
        return [
            sum(comb(n, m) * p[n] * by ** (n - m) for p, by in parts for n in range(m, len(p)))
            for m in range(orders)
        ]

    for kink in range(kinks.row[k], kinks.row[k + 1]):
        s, a = Fraction(kinks.place[kink]), int(kinks.pair[kink])
        x = int(arrays.owner[a])
        gains = {x: zip(at(q[a], a, s), at(q[lead[x]] if x in began else v[x], lead[x], s), strict=True)}
        gains = {x: [ours - theirs for ours, theirs in gains[x]]}
        lead[x], here = a, [[Fraction(0)] * (orders + 1) for _ in range(pairs)]
        began.add(x)
        for e in range(kinks.bent_row[kink], kinks.bent_row[kink + 1]):
            i = int(kinks.bent[e])
            bend = [Fraction(0), Fraction(0), *map(Fraction, kinks.bend[e].tolist())]
            bends[i].append((s, bend))
            here[i] = [c + d for c, d in zip_longest(here[i], bend, fillvalue=0)]
        for y, i in enumerate(lead):
            gains[y] = [w + c for w, c in zip(gains.get(y, [0] * orders), here[i], strict=False)]
        for i, b in enumerate(here):
            row = range(arrays.row[i], arrays.row[i + 1])
            jumps = [(Fraction(arrays.probability[e]), gains[int(arrays.target[e])]) for e in row]
            for m in range(orders):
                flow = b[m] - sum(p * w[m] for p, w in jumps)
                total[i][m] += abs((m + 1) * b[m + 1] + Fraction(h) * rate[i] * flow) * (1 - s) ** m
    return total


@pytest.mark.parametrize("mistake", [None, "one kink less", "no turn", "no rate", "no rounding"])
def test_what_kinks_add_to_residuals_is_that_in_rationals(interpreted, mistake):
    draw, wrong = random.Random(1), 0
    if mistake == "no rate":
        spread = bent_residuals._spread
        interpreted.setattr(bent_residuals, "_spread", lambda to, r, *parts: spread(to, 0 * r, *parts))
    if mistake == "no rounding":  # shows where the planner's own bends cancel
        interpreted.setattr(bent_residuals, "ROUNDING", 0.0)
    if mistake == "no turn":
        interpreted.setattr(bent_residuals, "_move", lambda *parts: None)
    for seed in range(24):
        model = switching(seed)
        solution, arrays = solve_numeric(model, tolerance=1e-6, care=Care(bends=True)), Arrays.in_order(model)
        kinks, pairs = solution.kinks, len(arrays.rate)
        for k in range(len(solution.best)):
            only = kinks.only(k)
            drawn = np.array([draw.randrange(pairs) for _ in only.bent], np.int64)  # some of them twice
            sizes = np.array([10.0 ** draw.randint(-3, 3) for _ in only.bent])
            if seed % 2:
                only = only._replace(bent=drawn, bend=only.bend * sizes[:, None])
            h = float(solution.times[k + 1] - solution.times[k])
            q, v = (np.ascontiguousarray(each[k].T) for each in (solution.scores, solution.coefficients))
            orders = q.shape[1]
            to = Into(*into.py_func(arrays.row, arrays.target, arrays.probability, arrays.states))
            sheet = bent_residuals._sheet(arrays.first, arrays.states, pairs, orders, only)
            bent_residuals._tails(only, 0, sheet)
            used = only._replace(row=np.array([0, max(only.row[1] - (mistake == "one kink less"), 0)]))
            bent_residuals._residuals(arrays, to, used, 0, h, q, v, solution.best[k], sheet)
            exact = in_rationals(arrays, only, 0, h, q, v, solution.best[k])
            for found, truth in zip(sheet.extra.tolist(), exact, strict=True):
                wrong += any(f < t for f, t in zip(found, truth, strict=True))
                if not mistake:
                    near = 1e-11 * (1 + np.abs(only.bend).max(initial=0.0))
                    assert all(f <= t * (1 + 1e-10) + near for f, t in zip(found, truth, strict=True))
    assert bool(wrong) == bool(mistake)


def test_a_checker_that_believes_a_turn_is_caught(interpreted):
    # The values of another policy, with a kink in each piece that changes nothing.
    case = cases()[1]
    document = suboptimal(case.models[0], Semantics.COMMITTED)
    document["kinks"] = [[[0.5, row[0], []]] for row in document["best"]]
    solution, _ = read_certificate(json.dumps(document), case.models[0])
    assert not too_small(solution)

    def turns(model, to, kinks, piece, h, q, v, best, sheet):
        sheet.turned[:] = 2

    interpreted.setattr(bent_residuals, "_residuals", turns)
    assert not too_small(solution)
    interpreted.setattr(bent_residuals, "_between", lambda *parts: 0.0)
    assert too_small(solution)


def test_a_checker_that_forgets_bends_at_the_end_of_a_piece_is_caught(interpreted):
    # A march that goes on from where it would be without its bends.
    finish = bending._finish
    interpreted.setattr(bending, "_finish", lambda bends, k, h, carried: finish(bends, k, h, carried.copy()))
    interpreted.setattr(rooms, "march_over", bending.march_over.py_func)
    solution = solve_numeric(machine_repair(), tolerance=1e-10, care=Care(bends=True, reach=0.5))
    assert not too_small(solution)
    assert certify(solution).bound > 1e-9
    interpreted.setattr(bent_residuals, "_tails", lambda *parts: None)
    assert too_small(solution)


def test_a_checker_that_does_not_look_at_the_start_is_caught(monkeypatch):
    monkeypatch.setattr(certificate.ProofInParts, "_start", lambda proof, part: 0.0)
    _, wrong = attack(3, 300)
    assert wrong


def test_caps_are_not_believed():
    # Two states with reward 2: the value is 2t, and min{t, .} of it is t.
    case = cases()[0]
    model = case.models[0]
    for text in case.texts[:4]:
        document = json.loads(text)
        if not document["truncate"]:
            continue
        honest, _ = read_certificate(text, model)
        assert certify(honest).bound < 1e-7
        assert honest.capped.all()
        with pytest.raises(InputError, match="'capped' has an entry that is not 0"):
            read_certificate(json.dumps(document | {"truncate": False}), model)
        # In Python the flags can still contradict each other: then the cap is a hint that says nothing.
        assert certify(replace(honest, truncate=False)).bound >= 1
        denied = document | {"truncate": False, "capped": [[0, 0] for _ in document["capped"]]}
        assert certify(read_certificate(json.dumps(denied), model)[0]).bound >= 1


def test_truncation_of_a_genuine_file_cannot_be_denied():
    # Truncated at t the values are far below those of the same model without truncation.
    case = cases()[1]
    model = case.models[1]
    for semantics in Semantics:
        text = next(
            t
            for t in case.texts[4:8]
            if json.loads(t)["truncate"] and json.loads(t)["semantics"] == str(semantics)
        )
        document = json.loads(text) | {"truncate": False}
        with pytest.raises(InputError, match="'capped'"):
            read_certificate(json.dumps(document), model)
        document["capped"] = [[0] * len(row) for row in document["capped"]]
        proof = certify(read_certificate(json.dumps(document), model)[0])
        truth = ctucbvi.solve(model, semantics, digits=15)
        error = max(abs(truth.value(x).mid - proof.value(x).mid) for x in model.states)
        assert Fraction(1, 10) < error <= Fraction(proof.bound)
