"""The fast learner: against rlberry-scool's UCBVI on a problem of its size, and what a full study takes.

The paper's example has two states and two actions; the peer solves a finite MDP with two states, two
actions and ten steps.  Both learn from scratch, planning included, and both run on one core: processor time
is compared, which other work on the machine disturbs least.  The peer's best time of three short runs stands
against ours over a long one, in which later episodes take more iterations; the ratios are rather too small.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from time import process_time

from ctucbvi import CTMDP, bundled_model
from ctucbvi.learning import Settings, rescaling
from ctucbvi.learning.fast import episodes as at
from ctucbvi.learning.fast.learner import FastLearner
from ctucbvi.learning.fast.optimistic import compiled_learner
from ctucbvi.library import machine_repair
from ctucbvi.study import RunState, Study, contestant
from ctucbvi.study.blocks import Block, work
from ctucbvi.study.evaluation import UNITS
from ctucbvi.study.optimum import optimal_value
from tests.benchmarks import rlberry_peer
from verify.tables import table

_STUDY = 10**7  # episodes of a run of the paper's figure
_RUNS, _CORES = 30, 2
_LEARNERS = {
    "paper": {},
    "sharp": {"bonus": "sharp"},
    "optimistic": {"bonus": "optimistic"},
    "optimistic-poisson": {"bonus": "optimistic", "rates": "poisson"},
}
_LAZY = (
    "ct-ucbvi",
    "sharp",
    "optimistic",
    "optimistic-poisson",
    "optimistic-kl",
    "optimistic-poisson-kl",
)


def seconds_per_episode(
    skip: bool, episodes: int, of: int = _STUDY, model: CTMDP | None = None, **told: str
) -> tuple[float, float]:
    """Seconds per episode of the first ``episodes`` of a run of ``of``, and the share that was planned."""
    model = machine_repair() if model is None else model
    settings = Settings.for_model(model, episodes=of, **told)
    compiled_learner(model, settings, seed=0, skip=skip).advance(10)  # compiles
    learner, planned = compiled_learner(model, settings, seed=1, skip=skip), 0
    began = process_time()
    for _ in range(10):
        planned += learner.advance(episodes // 10).planned
    return (process_time() - began) / episodes, planned / episodes


def against_rlberry(episodes: int = 1_000_000) -> None:
    """Episodes per second on machine repair, eager and with proofs, and the peer's."""
    rows, ours = [], {}
    for name, skip in (("every episode planned", False), ("planning left out with a proof", True)):
        seconds, planned = seconds_per_episode(skip, episodes)
        ours[name] = seconds
        rows.append([f"ctucbvi, {name}", f"{seconds * 1e6:.2f} us", f"{planned:.1%}", ""])
    print(f"machine repair, 100 cells, the first {episodes:,} of {_STUDY:,} episodes")
    try:
        theirs = rlberry_peer.seconds_per_episode(
            states=2, actions=2, horizon=10, episodes=1000, interpreter=rlberry_peer.python()
        )
    except rlberry_peer.PeerMissingError as missing:
        print(f"rlberry-scool left out: {missing}")
    else:
        for row, seconds in zip(rows, ours.values(), strict=True):
            row[3] = f"{theirs / seconds:.0f}"
        rows.append(["rlberry-scool UCBVI, S = 2, A = 2, H = 10", f"{theirs * 1e6:.0f} us", "100.0%", "1"])
    print(table(("", "per episode", "planned", "times as fast"), rows), end="\n\n")


def whole_run() -> None:
    """One run of the paper's figure, and what thirty of them would take."""
    seconds, planned = seconds_per_episode(True, _STUDY)
    minutes = seconds * _STUDY * _RUNS / _CORES / 60
    print(f"one run of {_STUDY:,} episodes: {seconds * _STUDY:.1f} s, {planned:.1%} planned")
    print(f"{_RUNS} runs on {_CORES} cores, evaluation of the policies not counted: {minutes:.1f} min\n")


def optimistic_against_paper(planned: int = 10_000, skipping: int = 1_000_000) -> None:
    """The optimistic learner beside the one of the paper: a plan, and an episode with proofs."""
    print(f"microseconds per episode: every one planned ({planned:,}), and planning left out ({skipping:,})")
    rows = []
    for name in ("machine-repair", "maintenance", "queue"):
        model = bundled_model(name).with_rewards(*rescaling(bundled_model(name)))
        for label, told in _LEARNERS.items():
            episodes = skipping if name != "queue" else skipping // 10
            eager, _ = seconds_per_episode(False, planned, model=model, **told)
            lazy, share = seconds_per_episode(True, episodes, model=model, **told)
            rows.append([name, label, f"{eager * 1e6:.1f}", f"{lazy * 1e6:.2f}", f"{share:.1%}"])
    print(table(("", "learner", "planned", "with proofs", "planned of these"), rows), end="\n\n")


def lazy_against_eager(episodes: int = 100_000, runs: int = 2, cells: int = 100) -> None:
    """Learners that plan lazily beside those that plan every episode: plans, time and regret of a run."""
    print(f"{episodes:,} episodes, {cells} cells, mean of {runs} runs; time with the evaluation of policies")
    rows = []
    for name in ("queue", "maintenance", "machine-repair"):
        model = bundled_model(name).with_rewards(*rescaling(bundled_model(name)))
        for label in _LAZY:
            for replan in (0, "1/100", "1/50", "1/10"):
                settings = Settings.for_model(model, episodes=episodes, replan=replan)
                study = Study(model, settings, 1, (contestant(label, cells),))
                work(Block(study, label, runs, RunState(), 10))  # compiles
                began = process_time()
                states = [work(Block(study, label, run, RunState(), episodes)).state for run in range(runs)]
                seconds = (process_time() - began) / (runs * episodes)
                earned = sum(state.earned for state in states) * UNITS
                regret = float(episodes * optimal_value(study).mid - earned / runs)
                planned = sum(state.planned for state in states) / runs
                how = "every episode, or proved" if replan == 0 else f"replan {replan}"
                rows.append([name, label, how, f"{planned:.0f}", f"{seconds * 1e6:.2f} us", f"{regret:.5g}"])
    print(table(("", "learner", "", "plans", "per episode", "regret"), rows), end="\n\n")


def at_work(model: CTMDP, after: int, skip: bool, **told: str) -> FastLearner:
    """The sharp learner with the data of ``after`` episodes, which one that plans lazily has played."""
    settings = Settings.for_model(model, episodes=_STUDY, bonus="sharp", **told)
    scout = FastLearner(model, replace(settings, replan=Fraction(1, 20)), seed=1)
    scout.advance(after)
    learner = FastLearner(model, settings, seed=1, skip=skip)
    memory, seen = learner._memory, scout._memory
    for mine, found in (
        (memory.counts, seen.counts),
        (memory.jumps, seen.jumps),
        (memory.random, seen.random),
    ):
        mine[:] = found
    memory.clock[at.EPISODE] = after  # all pairs count as visited, as before the first episode
    return learner


def limit_against_iteration(after: int = 300_000, episodes: int = 2000) -> None:
    """The sharp learner late in a run: iterated, with proofs, and with the limit (epsilon 0)."""
    print(f"microseconds per episode of the sharp learner after {after:,} episodes, {episodes:,} measured")
    rows = []
    for name in ("machine-repair", "lower-bound-tree", "sis", "queue"):
        model, taken = bundled_model(name).with_rewards(*rescaling(bundled_model(name))), {}
        kinds: list[tuple[str, bool, dict[str, str]]] = [
            ("iterated", False, {}), ("with proofs", True, {}), ("limit", False, {"epsilon": "0"}),
        ]  # fmt: skip
        for label, skip, told in kinds:
            learner, times = at_work(model, after, skip, **told), []
            learner.advance(10)  # compiles
            for _ in range(5):
                began = process_time()
                learner.advance(episodes // 5)
                times.append((process_time() - began) / (episodes // 5))
            taken[label] = sorted(times)[2], int(learner._clock[at.ROUNDS])
        micros = [f"{seconds * 1e6:.1f}" for seconds, _ in taken.values()]
        ratio = taken["iterated"][0] / taken["limit"][0]
        rows.append([name, str(taken["iterated"][1]), *micros, f"{ratio:.1f}"])
    print(table(("", "sweeps", "iterated", "with proofs", "limit", "times as fast"), rows), end="\n\n")


def main() -> None:
    """Print everything."""
    limit_against_iteration()
    against_rlberry()
    optimistic_against_paper()
    lazy_against_eager()
    whole_run()
