"""Third opinions.  What needs a peer is skipped, with the reason, where the peer is missing."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import ctucbvi
from ctucbvi import peers
from ctucbvi.errors import InputError, UndecidedError
from ctucbvi.model import CTMDP, Semantics, Transition
from tests.benchmarks.random_models import random_reachability

COMMITTED, ADJUSTABLE = Semantics.COMMITTED, Semantics.ADJUSTABLE
REACHABILITY = ctucbvi.bundled_model("reachability")
REPAIR = ctucbvi.bundled_model("machine-repair")
RANDOM = [random_reachability(4, 3, seed) for seed in (1, 3, 5)]


@cache
def reasons() -> dict[str, str | None]:
    return peers.available()


def needs(peer: str) -> None:
    reason = reasons()[peer]
    if reason is not None:
        pytest.skip(reason)


def truth(model: CTMDP, semantics: Semantics) -> np.ndarray:
    solution = ctucbvi.solve(model, semantics, digits=12)
    return np.array([float(solution.value(x).mid) for x in model.states])


def off(opinion: peers.Opinion, model: CTMDP, semantics: Semantics) -> float:
    """How far the opinion is from the exact values, at the worst state."""
    assert list(opinion.values) == list(model.states)
    return float(abs(np.array(list(opinion.values.values())) - truth(model, semantics)).max())


# An automaton is read back from its text and solved by Runge and Kutta's method, so that the text is
# tested where Storm is missing.


def read(drn: str) -> tuple[list[float], list[set[str]], list[list[dict[int, float]]]]:
    """Rates, labels, and the choices' rows, by state."""
    head, body = drn.split("@model\n")
    rates: list[float] = []
    labels: list[set[str]] = []
    choices: list[list[dict[int, float]]] = []
    for line in body.splitlines():
        word = line.split()
        if word[0] == "state":
            assert int(word[1]) == len(rates)
            rates.append(float(word[2].removeprefix("!")))
            labels.append(set(word[3:]))
            choices.append([])
        elif word[0] == "action":
            assert int(word[1]) == len(choices[-1])
            choices[-1].append({})
        else:
            choices[-1][-1][int(word[0])] = float(word[2])
    counts = [int(line) for line in head.splitlines() if line.isdigit()]
    assert counts == [len(rates), sum(map(len, choices))]
    return rates, labels, choices


def run(drn: str, horizon: float, steps: int = 400) -> np.ndarray:
    """The maximal probability of reaching a goal, at every state of the automaton."""
    rates, labels, choices = read(drn)
    for rows in choices:
        assert all(abs(sum(row.values()) - 1) < 1e-12 for row in rows)

    def settled(w: np.ndarray) -> np.ndarray:
        return np.array(
            [
                w[i] if rates[i] else max(sum(q * w[y] for y, q in row.items()) for row in choices[i])
                for i in range(len(w))
            ]
        )

    def slope(w: np.ndarray) -> np.ndarray:
        u = settled(w)
        after = [sum(q * u[y] for y, q in choices[i][0].items()) for i in range(len(w))]
        return np.array(rates) * (np.array(after) - w)

    w, h = np.array([float("goal" in names) for names in labels]), horizon / steps
    for _ in range(steps):
        k1 = slope(w)
        k2 = slope(w + h / 2 * k1)
        k3 = slope(w + h / 2 * k2)
        w = w + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(w + h * k3))
    return settled(w)


@pytest.mark.parametrize("semantics", Semantics)
@pytest.mark.parametrize("model", [REACHABILITY, RANDOM[0]], ids=lambda m: m.name)
def test_the_text_of_the_automaton_says_what_the_model_says(model, semantics):
    got = run(peers.automaton(model, semantics), float(model.horizon))[: len(model.states)]
    assert abs(got - truth(model, semantics)).max() < 1e-5


def test_the_automaton_of_the_other_problem_is_told_apart():
    for semantics, other in ((COMMITTED, ADJUSTABLE), (ADJUSTABLE, COMMITTED)):
        got = run(peers.automaton(REACHABILITY, other), float(REACHABILITY.horizon))
        assert abs(got[:4] - truth(REACHABILITY, semantics)).max() > 1e-3


def test_the_two_automata_of_a_small_model():
    model = CTMDP.of(
        "small",
        horizon=1,
        transitions=[
            Transition.of("x", "a", rate=4, reward=0, to={"goal": "1/2", "x": "1/2"}),
            Transition.of("x", "b", rate=1, reward=0, to={"goal": 1}),
            Transition.of("x", "wait", rate=0, reward=0),
            Transition.of("goal", "a", rate=9, reward=0, to={"goal": 1}),
        ],
        terminal={"goal": 1},
    )
    rates, labels, choices = read(peers.automaton(model, "committed"))
    assert rates == [0, 1, 4, 1, 1]
    assert labels == [{"init"}, {"goal"}, set(), set(), set()]
    assert choices == [[{2: 1}, {3: 1}, {4: 1}], [{1: 1}], [{0: 0.5, 1: 0.5}], [{1: 1}], [{4: 1}]]
    rates, labels, choices = read(peers.automaton(model, "adjustable"))
    assert rates == [4, 1, 0]  # the goal's own rate does not count
    assert labels == [{"init"}, {"goal"}, set()]
    assert choices == [[{2: 1}], [{1: 1}], [{0: 0.5, 1: 0.5}, {0: 0.75, 1: 0.25}, {0: 1}]]


def test_a_model_in_which_nothing_moves_has_automata():
    still = CTMDP.of(
        "still",
        horizon=1,
        transitions=[Transition.of(x, "stay", rate=0, reward=0) for x in ("x", "goal")],
        terminal={"goal": 1},
    )
    for semantics in Semantics:
        assert list(run(peers.automaton(still, semantics), 1.0, steps=4)[:2]) == [0, 1]


def reach(*, reward: int = 0, leave: int = 0, rate: object = 1, terminal: object = 1) -> CTMDP:
    return CTMDP.of(
        "nearly",
        horizon=1,
        transitions=[
            Transition.of("x", "go", rate=rate, reward=reward, to={"goal": 1}),
            Transition.of("goal", "stay", rate=leave, reward=0, to={"x": 1} if leave else {}),
        ],
        terminal={"goal": terminal},
    )


@pytest.mark.parametrize("semantics", Semantics)
@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (reach(reward=1), "state 'x', action 'go': reward 1"),
        (reach(leave=1), "state 'goal', action 'stay': leaves a goal"),
        (reach(terminal="1/2"), "terminal: 1/2 at 'goal'"),
        (reach(terminal=0), "terminal: no state has 1"),
        (reach(rate="1e-400"), "outside the range of doubles"),
        (reach(rate="1e400"), "outside the range of doubles"),
    ],
)
def test_what_storm_cannot_be_asked(model, reason, semantics):
    # The reason comes first: it does not depend on what is installed.
    with pytest.raises(peers.PeerUnsuitableError, match=reason):
        peers.third_opinion(model, semantics, peer="stormpy")


def test_what_storm_can_be_asked():
    assert peers.goals(reach()) == {"goal"}
    assert peers.goals(REACHABILITY) == {"goal"}


def test_quantecon_cannot_commit():
    with pytest.raises(peers.PeerUnsuitableError, match="cannot commit; ask for 'adjustable'"):
        peers.third_opinion(REPAIR, COMMITTED, peer="quantecon")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"peer": "prism"}, "'prism' is unknown; choose from: stormpy, quantecon"),
        ({"peer": "stormpy", "epsilon": 0}, "epsilon: 0 is not positive"),
        ({"peer": "stormpy", "epsilon": "small"}, "epsilon: 'small' is not a number"),
        ({"peer": "stormpy", "epsilon": float("nan")}, "epsilon: nan is not finite"),
        ({"peer": "stormpy", "semantics": "late"}, "semantics 'late' is unknown"),
    ],
)
def test_wrong_arguments(given, message):
    with pytest.raises(InputError, match=message):
        peers.third_opinion(REACHABILITY, given.pop("semantics", ADJUSTABLE), **given)


@pytest.mark.parametrize("peer", ["stormpy", "quantecon"])
def test_a_missing_peer_is_named_with_the_remedy(peer, monkeypatch):
    monkeypatch.setattr(peers.importlib.util, "find_spec", lambda name: None)
    assert (
        peers.available()[peer] == f"{peer} is not installed; install the extra: pip install 'ctucbvi[peers]'"
    )
    with pytest.raises(peers.PeerMissingError, match=f"{peer} is not installed"):
        peers.third_opinion(REACHABILITY, ADJUSTABLE, peer=peer)


def test_a_broken_peer_is_not_available(monkeypatch):
    monkeypatch.setattr(peers.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(
        peers, "_IMPORTS", {"stormpy": "raise ImportError('no libstorm')", "quantecon": "pass"}
    )
    assert peers.available() == {
        "stormpy": "stormpy cannot be used (ImportError: no libstorm); reinstall it",
        "quantecon": None,
    }


def test_a_peer_that_breaks_down_and_one_that_takes_too_long(monkeypatch):
    monkeypatch.setattr(peers.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(peers, "_WORKER", "raise SystemError('out of memory')")
    with pytest.raises(peers.PeerFailedError, match="stormpy failed: SystemError: out of memory"):
        peers.third_opinion(REACHABILITY, COMMITTED, peer="stormpy")
    monkeypatch.setattr(peers, "_WORKER", "import time; time.sleep(60)")
    with pytest.raises(UndecidedError, match=r"no result at 1e-06 within 0.1 s"):
        peers.third_opinion(REACHABILITY, COMMITTED, peer="stormpy", timeout=0.1)


# Backward induction, written out: what quantecon does with the same arrays.


def induction(model: CTMDP, steps: int) -> np.ndarray:
    rewards, rows, states, _ = peers.discretised(model, steps)
    v = np.array([float(g) for g in model.terminal])
    for _ in range(steps):
        q = rewards + rows @ v
        v = np.maximum.reduceat(q, np.searchsorted(states, range(len(v))))
    return v


def test_the_arrays_of_machine_repair():
    rewards, rows, states, actions = peers.discretised(REPAIR, 10)
    pairs = REPAIR.pairs
    h = Fraction(REPAIR.horizon, 10)
    assert list(states) == [p.state for p in pairs]
    assert list(actions) == [p.action for p in pairs]
    assert list(rewards) == [float(h * p.reward) for p in pairs]
    leaving = [float(h * p.rate) for p in pairs]
    assert [rows[i, 1 - p.state] for i, p in enumerate(pairs)] == leaving
    assert rows.sum(axis=1) == pytest.approx(1, abs=1e-15)
    with pytest.raises(InputError, match="steps: 3 is not a whole number of at least 7"):
        peers.discretised(REPAIR, 3)


@pytest.mark.parametrize("model", [REPAIR, REACHABILITY, *RANDOM], ids=lambda m: m.name)
def test_the_extrapolation_keeps_its_stated_error(model):
    values, error = peers.extrapolated(model, 1e-5, induction)
    exact = truth(model, ADJUSTABLE)
    assert error <= 1e-5
    assert abs(values - exact).max() <= error
    # Mutant: a horizon that is one per cent too short.
    wrong, stated = peers.extrapolated(
        model, 1e-5, lambda m, n: induction(m.with_horizon(m.horizon * 99 / 100), n)
    )
    assert abs(wrong - exact).max() > stated


def test_without_extrapolation_the_stated_error_would_be_broken():
    results: list[np.ndarray] = []

    def recorded(model: CTMDP, steps: int) -> np.ndarray:
        results.append(induction(model, steps))
        return results[-1]

    values, error = peers.extrapolated(REPAIR, 1e-5, recorded)
    assert list(values) == list(2 * results[-1] - results[-2])
    assert abs(results[-1] - truth(REPAIR, ADJUSTABLE)).max() > error


def test_a_difference_that_is_small_by_chance_does_not_make_the_stated_error_small():
    # A solver whose results all agree: h²ΛM is left, with Λ = M = H = 1.
    rows = [
        Transition.of("x", "stay", rate=1, reward=1, to={"y": 1}),
        Transition.of("y", "stay", rate=0, reward=0),
    ]
    model = CTMDP.of("chance", horizon=1, transitions=rows)
    values, error = peers.extrapolated(model, 1e-3, lambda m, n: np.ones(2))
    assert list(values) == [1, 1]
    assert 1 / 256**2 <= error < 1.001 / 256**2


def test_an_epsilon_out_of_reach_is_undecided(monkeypatch):
    monkeypatch.setattr(peers, "_MOST_STEPS", 600)
    with pytest.raises(UndecidedError, match="at most 600 steps reached 1e-12; ask for a larger epsilon"):
        peers.extrapolated(REPAIR, 1e-12, induction)


# With the peers themselves.


@pytest.mark.parametrize("semantics", Semantics)
@pytest.mark.parametrize("model", [REACHABILITY, *RANDOM], ids=lambda m: m.name)
def test_storm_agrees(model, semantics):
    needs("stormpy")
    opinion = peers.third_opinion(model, semantics, peer="stormpy", epsilon=1e-6)
    assert (opinion.peer, opinion.stated_error) == ("stormpy", 1e-6)
    assert off(opinion, model, semantics) <= opinion.stated_error


def test_storm_reads_a_short_horizon():
    needs("stormpy")
    model = REACHABILITY.with_horizon("1/100000")
    assert off(peers.third_opinion(model, COMMITTED, peer="stormpy"), model, COMMITTED) <= 1e-6


@pytest.mark.parametrize("semantics", Semantics)
def test_storm_with_the_automaton_of_the_other_problem_is_caught(semantics, monkeypatch):
    needs("stormpy")
    swapped = {"_committed": peers._adjustable, "_adjustable": peers._committed}
    for name, other in swapped.items():
        monkeypatch.setattr(peers, name, other)
    opinion = peers.third_opinion(REACHABILITY, semantics, peer="stormpy")
    assert off(opinion, REACHABILITY, semantics) > 100 * opinion.stated_error


@pytest.mark.parametrize("model", [REPAIR, REACHABILITY], ids=lambda m: m.name)
def test_quantecon_agrees(model):
    needs("quantecon")
    opinion = peers.third_opinion(model, ADJUSTABLE, peer="quantecon", epsilon=1e-6)
    assert opinion.peer == "quantecon"
    assert opinion.stated_error <= 1e-6
    assert off(opinion, model, ADJUSTABLE) <= opinion.stated_error
    # The other problem's values are told apart.
    assert off(opinion, model, COMMITTED) > opinion.stated_error


def test_quantecon_does_with_the_arrays_what_they_mean():
    needs("quantecon")
    assert peers._quantecon(REPAIR, 500) == pytest.approx(induction(REPAIR, 500), abs=1e-13)


# --- costs and lumps -----------------------------------------------------------------------


def test_storm_is_asked_for_the_least_probability():
    needs("stormpy")
    for model in (REACHABILITY, *RANDOM):
        least = replace(model, objective="min")
        for semantics in Semantics:
            assert off(peers.third_opinion(least, semantics, peer="stormpy"), least, semantics) <= 2e-6
    gap = truth(RANDOM[0], COMMITTED) - truth(replace(RANDOM[0], objective="min"), COMMITTED)
    assert gap.max() > 1e-2  # the mutant, Pmax for both, is caught


def test_quantecon_is_asked_about_costs_and_lumps():
    needs("quantecon")
    rows = tuple(replace(r, lump=((r.to[0][0], Fraction(1, 5)),)) for r in REPAIR.transitions)
    for objective in ("max", "min"):
        model = replace(REPAIR, transitions=rows, objective=objective)
        opinion = peers.third_opinion(model, ADJUSTABLE, peer="quantecon", epsilon=1e-4)
        assert off(opinion, model, ADJUSTABLE) <= opinion.stated_error
        assert off(opinion, replace(model, transitions=REPAIR.transitions), ADJUSTABLE) > 0.1


def test_storm_is_not_asked_about_lumps():
    rows = tuple(
        replace(r, lump=((r.to[0][0], Fraction(1)),)) if r.to else r for r in REACHABILITY.transitions
    )
    with pytest.raises(peers.PeerUnsuitableError, match="reward 12/5; a reachability problem has none"):
        peers.automaton(replace(REACHABILITY, transitions=rows), COMMITTED)
