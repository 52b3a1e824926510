"""What a budget ends in: true answers of lower quality, in time, and doubt only where it belongs."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from fractions import Fraction
from time import process_time

import pytest
from flint import arb, fmpq

import ctucbvi
from ctucbvi import CTMDP, Budget, Semantics, Transition, UndecidedError
from ctucbvi.exact import regimes, solution, trajectory
from ctucbvi.exact.lumping import lump
from ctucbvi.exact.poisson import Basis, Growth, PoissonSeries
from ctucbvi.exact.precision import precision
from ctucbvi.exact.ties import TieEffort
from ctucbvi.library import machine_repair
from ctucbvi.solutions import About
from tests.hostile import hostile

T = Transition.of
both = pytest.mark.parametrize("semantics", list(Semantics))


@pytest.fixture(autouse=True, scope="module")
def garbage_of_others_is_not_timed() -> Iterator[None]:
    """A collection in the middle would go through all that other tests left behind."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def copied(size: int, seed: int = 0) -> CTMDP:
    """State u jumps to s0 or to w, which is s0 but for a bad action: a tie that is long to prove."""
    rng, rows = random.Random(seed), []
    for i in range(size):
        for a in "ab":
            counts = [rng.randrange(1, 10) for _ in range(size)]
            to = {f"s{j}": Fraction(c, sum(counts)) for j, c in enumerate(counts)}
            reward = Fraction(rng.randrange(1, 20), 20)
            rows.append(T(f"s{i}", a, rate=Fraction(rng.randrange(1, 24), 4), reward=reward, to=to))
    rows += [T("w", r.action, rate=r.rate, reward=r.reward, to=dict(r.to)) for r in rows if r.state == "s0"]
    rows += [T("w", "c", rate=1, reward=-5, to={"s0": 1})]
    rows += [T("u", a, rate=2, reward="1/3", to={y: 1}) for a, y in (("a", "s0"), ("b", "w"))]
    return CTMDP.of("copied", horizon=1, transitions=rows)


@both
def test_a_tie_that_is_not_proved_leaves_the_rest_in_peace(semantics, monkeypatch):
    model = copied(4)
    proved = ctucbvi.solve(model, semantics, digits=15)
    assert proved.undecided == ()
    assert proved.segments("u")[0].actions == ("a", "b")
    monkeypatch.setattr(trajectory, "TieEffort", lambda hurried: TieEffort(0, hurried))
    short = ctucbvi.solve(model, semantics, digits=15)
    assert [(d.what, d.state, d.actions) for d in short.undecided] == [(About.ACTIONS, "u", ("a", "b"))]
    for state in model.states:
        assert short.value(state).has_digits(15)
        assert short.value(state).overlaps(proved.value(state))
        if state != "u":
            ours, theirs = ([s.actions for s in one.segments(state)] for one in (short, proved))
            assert ours == theirs


@both
def test_ties_that_take_long_keep_the_budget(semantics):
    began = process_time()
    try:
        found = ctucbvi.solve(copied(30), semantics, digits=15, budget=Budget(seconds=0.5))
    except UndecidedError as error:
        found = error.known
    assert process_time() - began < 2.5
    assert found.value("u").lower <= found.value("u").upper


@both
@pytest.mark.parametrize("budget", [Budget(steps=1), Budget(memory=700), Budget(memory=1)])
def test_what_is_known_when_the_budget_is_out_is_true(semantics, budget):
    model = machine_repair()
    full = ctucbvi.solve(model, semantics, digits=15)
    with pytest.raises(UndecidedError, match="not enough") as caught:
        ctucbvi.solve(model, semantics, digits=15, budget=budget)
    known = caught.value.known
    assert known.undecided[0].what is About.BUDGET
    for state in model.states:
        for k in range(11):
            t = Fraction(k, 10)
            assert known.value(state, t).overlaps(full.value(state, t))
            if t <= known.reached:
                assert known.value(state, t).width < Fraction(1, 10**15)
        last = known.segments(state)[-1]
        assert (last.actions, last.proved, last.end.mid) == (("slow", "fast"), False, 1)
        for segment in known.segments(state)[:-1]:
            assert segment.actions in [s.actions for s in full.segments(state)]


def test_a_bound_that_forgets_the_rewards_is_caught(monkeypatch):
    """The mutant: beyond what was reached values are taken to stay in the range they had."""
    model = machine_repair()
    full = ctucbvi.solve(model, digits=15)
    with pytest.raises(UndecidedError) as caught:
        ctucbvi.solve(model, digits=15, budget=Budget(memory=1))
    known = caught.value.known
    assert known.value("operating").overlaps(full.value("operating"))
    monkeypatch.setattr(solution.Values, "_ahead", lambda self, time: self._frontier)
    assert not known.value("operating").overlaps(full.value("operating"))


@both
@pytest.mark.parametrize("truncate", [False, True])
def test_lists_give_what_matrices_give(semantics, truncate, monkeypatch):
    models = [copied(5), *map(hostile, range(20, 40))]
    dense = [ctucbvi.solve(m, semantics, digits=12, truncate=truncate) for m in models]
    monkeypatch.setattr(regimes.Problem, "sparse", True)
    for model, found in zip(models, dense, strict=True):
        lists = ctucbvi.solve(model, semantics, digits=12, truncate=truncate)
        for state in model.states:
            assert lists.value(state).overlaps(found.value(state))
            ours, theirs = ([s.actions for s in one.segments(state)] for one in (lists, found))
            assert ours == theirs


def test_thousands_of_digits():
    found = ctucbvi.solve(machine_repair(), digits=2600)
    assert found.undecided == ()
    assert all(found.value(state).has_digits(2600) for state in found.model.states)
    assert all(s.time.has_digits(2599) for s in found.switches)
    assert len(found.switches) == 2
    assert len(found.value("repair").decimals(2600)[0]) == 2602


def naive(model: CTMDP) -> list[int]:
    """The classes by plain refinement of everything, again and again."""
    class_of: list[object] = list(model.terminal)
    while True:
        keys = []
        for x in range(len(model.states)):
            acts = set()
            for p in (p for p in model.pairs if p.state == x):
                into: dict[object, Fraction] = {}
                for y, q in p.to if p.rate else ():
                    into[class_of[y]] = into.get(class_of[y], Fraction(0)) + q
                acts.add((p.rate, p.reward, frozenset(into.items())))
            keys.append((class_of[x], frozenset(acts)))
        numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        if len(numbers) == len(set(class_of)):
            return [numbers[key] for key in keys]
        class_of = [numbers[key] for key in keys]


def test_lumping_is_the_coarsest_and_quick():
    for seed in range(150):
        assert list(lump(hostile(seed)).class_of) == naive(hostile(seed))
    size = 2000  # a chain splits off one state per round
    rows = [T(f"s{i}", "a", rate=1, reward=0, to={f"s{i + 1}": 1}) for i in range(size)]
    rows.append(T(f"s{size}", "a", rate=0, reward=1))
    chain = CTMDP.of("chain", horizon=1, transitions=rows)
    began = process_time()
    assert lump(chain).size == size + 1
    assert process_time() - began < 2


def test_values_from_which_no_reward_is_in_reach_are_exactly_zero():
    rows = [
        T("x", "a", rate=1, reward=1, to={"o": 1}),
        T("o", "a", rate=2, reward=0, to={"p": 1}),
        T("p", "a", rate=3, reward=0, to={"o": "1/2", "p": "1/2"}),
        T("q", "a", rate=3, reward=0, to={"x": 1}),
    ]
    model = CTMDP.of("idle", horizon=1, transitions=rows)
    found = ctucbvi.solve(model, digits=30)
    assert found.undecided == ()
    assert [found.value(s).upper == 0 for s in "xopq"] == [False, True, True, False]


def test_the_derivative_of_a_series_is_its_slope():
    with precision(128):
        basis = Basis(fmpq(8), 128)
        rng = random.Random(4)
        sequence = [arb(rng.randrange(-50, 50)) for _ in range(basis.terms + 1)]
        series = PoissonSeries(sequence, Growth(arb(50), arb(0)), basis)
        for x in (arb(0), arb(1), arb("7.5")):
            assert series.derivative()(x).overlaps(series.slope(x))
            assert series.derivative().derivative()(x).overlaps(series.curvature(x))
            assert series.derivative().derivative()(x).rad() < arb(2) ** -90
            assert not series.derivative()(x).overlaps(series(x))
