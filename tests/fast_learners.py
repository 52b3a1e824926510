"""For tests of the fast learner: models, and a direct check of the bound that lets planning be left out."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

import ctucbvi.learning.fast
from ctucbvi.learning import Settings
from ctucbvi.learning.fast import estimate_box, skipping, sweeps
from ctucbvi.learning.fast.episodes import Desk, Scene, cell_weights
from ctucbvi.learning.fast.estimate_box import (
    CHANCE,
    GAIN,
    LAST,
    LEAD,
    LEAST,
    NOISE,
    POINT,
    REST,
    SECOND,
    STATE,
)
from ctucbvi.learning.fast.learner import FastLearner
from ctucbvi.learning.fast.sweeps import accumulate, gather, improve
from ctucbvi.model import CTMDP, Transition

row = Transition.of
# Three states, one absorbing; action sets that differ; a self-loop; a horizon that no double has.
ODD = CTMDP.of(
    "odd",
    horizon="4/3",
    transitions=[
        row("x", "a", rate=3, reward="1/2", to={"y": "9/10", "z": "1/10"}),
        row("x", "b", rate="1/2", reward="1/4", to={"x": "1/3", "y": "1/3", "z": "1/3"}),
        row("x", "c", rate=2, reward="1/3", to={"y": 1}),
        row("y", "b", rate=5, reward="4/5", to={"x": 1}),
        row("z", "a", rate=0, reward="9/10"),
        row("z", "c", rate=1, reward=1, to={"x": "1/2", "z": "1/2"}),
    ],
)
# Equal rewards: actions are tied until they are tried.
QUIET = CTMDP.of(
    "quiet",
    horizon=1,
    transitions=[
        row("x", "a", rate=2, reward="1/2", to={"y": "1/2", "x": "1/2"}),
        row("x", "b", rate=1, reward="1/4", to={"y": 1}),
        row("x", "c", rate=3, reward="1/2", to={"y": 1}),
        row("y", "a", rate=1, reward="3/4", to={"x": 1}),
        row("y", "b", rate=4, reward="3/4", to={"x": "3/4", "y": "1/4"}),
    ],
)
# Two actions that nothing tells apart but how long they were taken.
TWINS = CTMDP.of("twins", horizon=1, transitions=[row("z", a, rate=0, reward="1/2") for a in "ab"])
COMPILED = SimpleNamespace(estimate_box=estimate_box, skipping=skipping)


@dataclass
class Laid:
    """A plan, and what was measured of it."""

    scene: Scene
    desk: Desk
    trust: Any
    margins: Any
    rounds: int


def laid_out(
    model: CTMDP, episodes: int, aim: int, kernels: Any = COMPILED, steps: int = 12, bonus: str | bool = True
) -> Laid | None:
    """The estimates after so many episodes, and a box for ``aim`` further ones; None if that says nothing."""
    given = Settings.for_model(model, episodes=10**6, bonus=bonus)
    learner = FastLearner(model, given, seed=21, steps=steps)
    learner.advance(episodes)
    scene, desk, trust, margins = learner.scene, learner.desk, learner._trust, learner._margins
    rounds = sweeps.iterate(scene, desk, 1e-2)
    for x in range(len(model.states)):
        of_state = desk.action_values[rounds + 1][scene.first[x] : scene.first[x + 1]]
        desk.policy[x] = scene.first[x] + of_state.argmax(axis=0)
    kernels.estimate_box.remember(desk, trust)
    kernels.estimate_box.mark_twins(scene, desk, trust)
    trust.seen[:] = 0
    kernels.estimate_box.enclose(aim, episodes, scene, learner._memory, trust)
    trust.limits[NOISE] = kernels.estimate_box.noise(rounds, scene, desk)
    valid = kernels.skipping.measure(scene, desk, rounds, trust, margins)
    return Laid(scene, desk, trust, margins, rounds) if valid else None


def box_violations(laid: Laid, samples: int) -> list[str]:
    """Plans with estimates from the box: where is something other than the bounds say?"""
    generator = np.random.default_rng(1)
    lanes = laid.trust.used[estimate_box.LANES_USED]
    found: list[str] = []
    for n in range(samples):
        # Corners first, then the inside.
        share = generator.choice([-1.0, 1.0], lanes) if n < samples // 2 else generator.uniform(-1, 1, lanes)
        found += _violations(laid, share * laid.trust.width[:lanes])
    return found


def _violations(laid: Laid, delta: np.ndarray) -> list[str]:
    scene, trust, lanes = laid.scene, laid.trust, len(delta)
    chance, weights, delta = _moved(laid, delta)
    values = np.zeros(laid.desk.values[0].shape)
    q, inflow, distances = np.zeros_like(laid.desk.action_values[0]), np.zeros(len(scene.times)), []
    for _ in range(laid.rounds + 1):
        gather(scene.row, scene.target, chance, weights, values, inflow, q)
        accumulate(weights, q)
        new = np.zeros_like(values)
        distances.append(improve(scene.first, scene.times, q, values, new))
        values = new
    found = []
    pairs = len(scene.reward)
    old, limits = laid.desk.action_values[laid.rounds + 1], trust.limits
    off = np.abs(q - old - np.tensordot(delta, laid.margins.tangents[:lanes], 1))[:pairs]
    if (off > laid.margins.remainder[:pairs] + limits[NOISE]).any():
        found.append("remainder")
    if any(d < limits[LEAST] for d in distances[: laid.rounds - 1]):
        found.append("least")
    if distances[laid.rounds - 1] > limits[LAST]:
        found.append("last")
    return found + _wrong_actions(laid, q, delta)


def _moved(laid: Laid, delta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """p̂ and the weights after a change; rates and probabilities do not become negative."""
    scene, trust, desk = laid.scene, laid.trust, laid.desk
    rate, gain, chance, delta = desk.rate.copy(), desk.gain.copy(), desk.chance.copy(), delta.copy()
    for lane, change in enumerate(delta):
        kind, pair, place, *_ = trust.lanes[lane]
        array, at = (gain, pair) if kind == GAIN else (chance, place) if kind == CHANCE else (rate, pair)
        delta[lane] = max(change, -array[at])
        array[at] += delta[lane]
    weights, cell = desk.weights.copy(), scene.numbers.cell
    for k in range(len(rate)):
        decay, phi, alpha, beta = cell_weights(rate[k] * cell)
        weights[:, k] = decay, gain[k] * cell * phi, alpha, beta
    return chance, weights, delta


def _wrong_actions(laid: Laid, q: np.ndarray, delta: np.ndarray) -> list[str]:
    scene, trust = laid.scene, laid.trust
    policy, unsure = laid.desk.policy.copy(), np.zeros(laid.desk.policy.shape, bool)
    overtaken = set()
    for j in range(trust.used[estimate_box.SPOTS_USED]):
        lead = trust.leads[j, LEAD] + trust.slopes[j, : len(delta)] @ delta
        x, i = trust.spots[j, STATE], trust.spots[j, POINT]
        unsure[x, i] |= abs(lead) <= trust.leads[j, REST] or (lead < 0 and (x, i) in overtaken)
        if lead < 0:
            policy[x, i] = trust.spots[j, SECOND]
            overtaken.add((x, i))
    for x in range(len(policy)):
        best = scene.first[x] + q[scene.first[x] : scene.first[x + 1]].argmax(axis=0)
        if ((best != policy[x]) & ~unsure[x])[1:].any():
            return ["action"]
    return []


# --- kernels as plain Python, with lines changed ----------------------------------------------

_MODULES = ("episodes", "sweeps", "estimate_box", "tracking", "skipping", "episode_loop")
LAZY = ("episodes", "sweeps", "optimistic_march", "replanning", "lazy_loops")


@contextmanager
def plain_kernels(
    modules: tuple[str, ...] = _MODULES, **mutations: tuple[str, str]
) -> Iterator[SimpleNamespace]:
    """The compiled modules without compilation; ``name=(line, other line)`` changes one of them."""
    folder, made = Path(ctucbvi.learning.fast.__path__[0]), {}
    try:
        for name in modules:
            source = (folder / f"{name}.py").read_text(encoding="utf-8")
            if name in mutations:
                old, new = mutations[name]
                assert source.count(old) == 1, f"{old!r} is there {source.count(old)} times"
                source = source.replace(old, new)
            source = source.replace(
                "from ctucbvi.kernels import compiled", "compiled = lambda **_: lambda f: f"
            )
            source = re.sub(r"ctucbvi\.learning\.fast\.(" + "|".join(modules) + r")\b", r"plain_\1", source)
            made[name] = sys.modules[f"plain_{name}"] = ModuleType(f"plain_{name}")
            exec(compile(source, f"plain_{name}", "exec"), made[name].__dict__)
        yield SimpleNamespace(**made)
    finally:
        for name in made:
            del sys.modules[f"plain_{name}"]
