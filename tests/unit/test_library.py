"""The bundled models: what they are, what they promise, and what they refuse."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp, factorial, isfinite
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ctucbvi.errors import InputError
from ctucbvi.library import (
    BUNDLED,
    bundled_model,
    bundled_models,
    find_model,
    lower_bound_tree,
    machine_repair,
    machine_repair_raw,
    maintenance,
    queue,
    reachability,
    sis_epidemic,
)
from ctucbvi.modelfile import save_model

if TYPE_CHECKING:
    from ctucbvi.model import CTMDP

CHANGING = ("machine-repair", "machine-repair-raw", "queue", "maintenance", "sis", "reachability")


def committed(model: CTMDP, steps: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """The times and the values of committing to each pair, by Runge–Kutta in doubles.

    Q' = r - λQ + λ P max Q: written here from the definition, apart from the planners.
    """
    pairs = model.pairs
    rate, reward = (np.array([float(getattr(p, key)) for p in pairs]) for key in ("rate", "reward"))
    own = np.array([p.state for p in pairs])
    jump = np.zeros((len(pairs), len(model.states)))
    for k, pair in enumerate(pairs):
        for y, p in pair.to:
            jump[k, y] = float(p)

    def best(q: np.ndarray) -> np.ndarray:
        v = np.full(len(model.states), -np.inf)
        np.maximum.at(v, own, q)
        return v

    def slope(q: np.ndarray) -> np.ndarray:
        return reward - rate * q + rate * (jump @ best(q))

    h = float(model.horizon) / steps
    q = np.array([float(g) for g in model.terminal])[own]
    path = [q]
    for _ in range(steps):
        k1 = slope(q)
        k2 = slope(q + h / 2 * k1)
        k3 = slope(q + h / 2 * k2)
        k4 = slope(q + h * k3)
        q = q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        path.append(q)
    return np.linspace(0, float(model.horizon), steps + 1), np.array(path)


def root_value(model: CTMDP) -> float:
    _, path = committed(model)
    start = model.states.index(model.initial)
    return max(q for q, pair in zip(path[-1], model.pairs, strict=True) if pair.state == start)


def changes_with_time(model: CTMDP, margin: float = 1e-4) -> bool:
    """Whether in some state one action is clearly best at one time and another at another time."""
    _, path = committed(model)
    for x in range(len(model.states)):
        mine = path[:, [k for k, pair in enumerate(model.pairs) if pair.state == x]]
        if mine.shape[1] > 1:
            ordered = np.sort(mine, axis=1)
            clear = ordered[:, -1] - ordered[:, -2] > margin
            if len(set(mine[clear].argmax(axis=1))) > 1:
                return True
    return False


# --- the registry --------------------------------------------------------------------------


def test_every_model_says_where_it_comes_from_and_what_it_shows() -> None:
    found = bundled_models()
    assert tuple(found) == BUNDLED
    for name, model in found.items():
        assert model.name == name
        assert bundled_model(name) is model
        assert model.source
        assert model.shows.endswith(".")


def test_unknown_names_get_the_nearest_ones() -> None:
    with pytest.raises(InputError, match=r"^model 'machine-repar' is not bundled; did you mean 'machine-re"):
        bundled_model("machine-repar")
    with pytest.raises(InputError, match=r"^model 'zzz' is not bundled; choose from: machine-repair, "):
        bundled_model("zzz")


def test_a_model_is_found_by_name_or_by_file(tmp_path) -> None:
    assert find_model("queue") is bundled_model("queue")
    save_model(maintenance(3), tmp_path / "mine.toml")
    assert find_model(str(tmp_path / "mine.toml")) == maintenance(3)
    with pytest.raises(
        InputError, match=r"^model 'queu' is neither bundled nor a .* did you mean 'queue'\?$"
    ):
        find_model("queu")
    for missing in ("missing.toml", "models/queue", "MISSING.JSON"):
        with pytest.raises(InputError, match=f"^{missing}: no such file; check the path$"):
            find_model(missing)
    for odd in ("", "x" * 5000, "a\0b"):
        with pytest.raises(InputError, match=r"neither bundled|cannot be read|directory"):
            find_model(odd)


@pytest.mark.parametrize("name", CHANGING)
def test_the_best_action_changes_with_the_remaining_time(name: str) -> None:
    assert changes_with_time(bundled_model(name))


def test_the_change_check_can_say_no() -> None:
    assert not changes_with_time(bundled_model("lower-bound-tree"))
    slow_only = replace(
        machine_repair(),
        transitions=tuple(
            replace(t, rate=Fraction(3), reward=Fraction(len(t.action))) for t in machine_repair().transitions
        ),
    )
    assert not changes_with_time(slow_only)


# --- the families --------------------------------------------------------------------------


def test_machine_repair_is_the_affine_image_of_the_raw_rewards() -> None:
    raw, unit = machine_repair_raw(), machine_repair()
    assert replace(raw.with_rewards("1/20", "12/20"), name=unit.name) == unit
    assert replace(raw.with_rewards("1/20", "11/20"), name=unit.name) != unit
    assert root_value(unit) == pytest.approx((root_value(raw) + 12) / 20, abs=1e-9)
    assert root_value(unit) == pytest.approx(0.64106, abs=1e-5)


def erlang_excess(shape: int, rate: float, horizon: float) -> float:
    """E[(H - γ)⁺] for γ ~ Erlang(shape, rate): H P(γ_d <= H) - (d/λ) P(γ_{d+1} <= H)."""

    def by(n: int) -> float:
        load = rate * horizon
        return 1 - exp(-load) * sum(load**k / factorial(k) for k in range(n))

    return horizon * by(shape) - shape / rate * by(shape + 1)


@pytest.mark.parametrize(
    ("actions", "depth", "gap", "pair", "rate", "horizon"),
    [(2, 3, "1/8", 3, 2, 2), (2, 1, "1/2", 2, 1, 3), (3, 2, "1/10", 9, "3/2", 1), (2, 4, "1/8", 0, 2, 4)],
)
def test_trees_have_the_value_of_the_closed_form(actions, depth, gap, pair, rate, horizon) -> None:
    model = lower_bound_tree(actions, depth, gap, pair, rate=rate, horizon=horizon)
    assert len(model.states) == 2 + (actions**depth - 1) // (actions - 1)
    speed, advantage = float(Fraction(rate)), float(Fraction(gap))
    excess, bonus = erlang_excess(depth, speed, horizon), advantage if pair else 0
    value = root_value(model)
    assert value == pytest.approx(excess * (0.5 + bonus), abs=1e-7)
    # Mutants: one jump more, and the gap where there is none or none where there is one.
    assert value != pytest.approx(erlang_excess(depth + 1, speed, horizon) * (0.5 + bonus), abs=1e-4)
    assert value != pytest.approx(excess * (0.5 + advantage - bonus), abs=1e-4)


def test_every_pair_of_a_tree_can_be_the_better_one() -> None:
    plain = lower_bound_tree(3, 2, "1/8", 0)
    seen = set()
    for j in range(1, 10):
        changed = set(lower_bound_tree(3, 2, "1/8", j).transitions) - set(plain.transitions)
        (row,) = changed
        assert dict(row.to) == {"good": Fraction(5, 8), "bad": Fraction(3, 8)}
        seen.add((row.state, row.action))
    assert seen == {(f"n{leaf}", f"a{a}") for leaf in (2, 3, 4) for a in (1, 2, 3)}


def test_the_default_tree() -> None:
    assert bundled_model("lower-bound-tree") == lower_bound_tree(2, 3, "1/8", 3, rate=2, horizon=2)


def test_queue() -> None:
    model = queue(2, arrival=2, slow=1, fast=3, reward=5, holding=1, speed_cost="1/2")
    assert model.actions_of("0") == ("admit", "reject")
    assert model.actions_of("1") == ("admit-slow", "admit-fast", "reject-slow", "reject-fast")
    assert model.actions_of("2") == ("reject-slow", "reject-fast")
    row = next(t for t in model.transitions if (t.state, t.action) == ("1", "admit-fast"))
    assert (row.rate, row.reward) == (5, 5 * 2 - 1 - Fraction(1, 2))
    assert dict(row.to) == {"2": Fraction(2, 5), "0": Fraction(3, 5)}
    closed = next(t for t in model.transitions if (t.state, t.action) == ("0", "reject"))
    assert (closed.rate, closed.reward, closed.to) == (0, 0, ())


def test_maintenance() -> None:
    model = maintenance(3, wear=2)
    assert model.states == ("new", "worn-1", "worn-2", "failed")
    assert model.actions_of("new") == ("run",)
    assert model.actions_of("worn-2") == ("run", "repair")
    assert model.actions_of("failed") == ("replace", "leave")
    row = next(t for t in model.transitions if (t.state, t.action) == ("worn-2", "run"))
    assert (row.rate, row.reward, row.to) == (6, Fraction(10, 3), (("failed", 1),))


def test_sis_epidemic() -> None:
    model = sis_epidemic(4, infection=2, recovery=1, treatment=3, cost="1/2")
    assert model.initial == "2"
    assert model.actions_of("0") == ("wait",)
    row = next(t for t in model.transitions if (t.state, t.action) == ("3", "treat"))
    up, down = Fraction(2 * 3 * 1, 4), Fraction(3 * 3)
    assert (row.rate, row.reward) == (up + down, Fraction(-9, 2))
    assert dict(row.to) == {"4": up / (up + down), "2": down / (up + down)}
    top = next(t for t in model.transitions if (t.state, t.action) == ("4", "wait"))
    assert dict(top.to) == {"3": 1}


def test_reachability_is_a_probability() -> None:
    model = reachability()
    assert not any(t.reward for t in model.transitions)
    assert dict(zip(model.states, model.terminal, strict=True))["goal"] == 1
    _, path = committed(model)
    assert path.min() >= 0
    assert path.max() <= 1


def test_small_members_of_each_family_exist() -> None:
    small = (queue(1), maintenance(1), sis_epidemic(1), lower_bound_tree(2, 1, 0, 0), reachability(risk=0))
    assert all(isfinite(root_value(model)) for model in small)
    assert [len(model.states) for model in small] == [2, 2, 2, 3, 4]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: lower_bound_tree(1), "actions: 1 is not a whole number of at least 2"),
        (lambda: lower_bound_tree(2, 0), "depth: 0 is not a whole number of at least 1"),
        (lambda: lower_bound_tree(2, True), "depth: True is not a whole number"),
        (lambda: lower_bound_tree(2, 2.0), "depth: 2.0 is not a whole number"),
        (lambda: lower_bound_tree(2, 3, "3/4"), r"gap: 3/4 is outside \[0, 1/2\]; write a number in it"),
        (lambda: lower_bound_tree(2, 3, -1), r"gap: -1 is outside \[0, 1/2\]"),
        (lambda: lower_bound_tree(2, 3, 0, 9), "pair: 9 is beyond the 8 leaf-action pairs; write 0 to 8"),
        (lambda: lower_bound_tree(2, 3, 0, -1), "pair: -1 is not a whole number of at least 0"),
        (lambda: lower_bound_tree(2, 3, rate=0), "rate: 0 is not positive; write a number above 0"),
        (lambda: lower_bound_tree(10, 10**9), r"depth: 10\*\*1000000000 .* too many; stay below 10000"),
        (lambda: lower_bound_tree(2, 3, horizon=0), "horizon: 0 is not positive"),
        (lambda: queue(0), "capacity: 0 is not a whole number of at least 1"),
        (lambda: queue(2, arrival=0), "arrival: 0 is not positive"),
        (lambda: queue(2, holding=-1), "holding: -1 is negative; write 0 or more"),
        (lambda: queue(2, speed_cost="x"), "speed_cost: 'x' is not a number"),
        (lambda: maintenance(0), "levels: 0 is not a whole number of at least 1"),
        (lambda: maintenance(2, repair_cost=-1), "repair_cost: -1 is negative"),
        (lambda: sis_epidemic(0), "population: 0 is not a whole number of at least 1"),
        (lambda: sis_epidemic(3, cost=-2), "cost: -2 is negative"),
        (lambda: reachability(risk=2), r"risk: 2 is outside \[0, 1\]; write a probability"),
        (lambda: reachability(rush=-1), "rush: -1 is not positive"),
    ],
)
def test_bad_parameters_get_one_line(build, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}") as caught:
        build()
    assert str(caught.value).isprintable()
