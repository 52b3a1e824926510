"""The fast learner: against rlberry-scool's UCBVI on a problem of its size, and what a full study takes.

The paper's example has two states and two actions; the peer solves a finite MDP with two states, two
actions and ten steps.  Both learn from scratch, planning included, and both run on one core: processor time
is compared, which other work on the machine disturbs least.  The peer's best time of three short runs stands
against ours over a long one, in which later episodes take more iterations; the ratios are rather too small.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from statistics import median
from time import process_time

from ctucbvi import CTMDP, bundled_model
from ctucbvi.learning import Settings, rescaling
from ctucbvi.learning.fast import episodes as at
from ctucbvi.learning.fast.learner import FastLearner, GridLearner
from ctucbvi.learning.fast.optimistic import OptimisticLearner, compiled_learner
from ctucbvi.library import machine_repair
from ctucbvi.study import RunState, Study, contestant
from ctucbvi.study.blocks import Block, work
from ctucbvi.study.evaluation import UNITS
from ctucbvi.study.optimum import optimal_value
from tests.benchmarks import rlberry_peer
from tests.benchmarks.turns import ratios
from tests.straight_march import StraightLearner
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


def at_work(kind: type[GridLearner], model: CTMDP, after: int, **told: str) -> tuple[GridLearner, float]:
    """An eager learner with the data of ``after`` episodes; and seconds per episode without planning.

    They were played by one that plans lazily: that hardly costs more than its draws.
    """
    settings = Settings.for_model(model, episodes=_STUDY, **told)
    scout = compiled_learner(model, replace(settings, replan=Fraction(1, 20)), seed=1)
    scout.advance(after // 2)
    began = process_time()
    scout.advance(after - after // 2)
    alone = (process_time() - began) / (after - after // 2)
    learner = kind(model, settings, seed=1, skip=False)
    for mine, found in zip(learner._memory, scout._memory, strict=True):
        mine[:] = found
    pairs, clock = len(model.transitions), learner._clock
    learner._memory.visited[:] = range(pairs)  # all sets and estimates are to be found
    learner._memory.counts[at.NEW] = 0
    clock[:], clock[at.VISITED], clock[at.EPISODE] = 0, pairs, after
    return learner, alone


def in_turns(learners: list[GridLearner], turns: int, episodes: int) -> list[list[float]]:
    """Seconds per episode of each learner, turn by turn."""
    for learner in learners:
        learner.advance(10)  # compiles
    taken: list[list[float]] = [[] for _ in learners]
    for _ in range(turns):
        for learner, times in zip(learners, taken, strict=True):
            began = process_time()
            learner.advance(episodes)
            times.append((process_time() - began) / episodes)
    return taken


def one_march(after: int = 300_000, turns: int = 7, episodes: int = 2000) -> None:
    """The sharp learner late in a run, iterated and in one march; the optimistic one, searched and frozen."""
    print(
        f"microseconds per episode after {after:,} episodes, every one planned; {turns} turns of {episodes:,}"
    )
    sharp, sets = {"bonus": "sharp"}, {"bonus": "optimistic"}
    contests = {
        "sharp: iterated, limit": ((FastLearner, sharp), (FastLearner, sharp | {"epsilon": "0"})),
        "optimistic: searched, frozen": ((StraightLearner, sets), (OptimisticLearner, sets)),
    }
    rows = []
    for label, kinds in contests.items():
        for name in ("machine-repair", "lower-bound-tree", "sis", "queue"):
            model = bundled_model(name).with_rewards(*rescaling(bundled_model(name)))
            both = [at_work(kind, model, after, **told) for kind, told in kinds]
            slow, fast = in_turns([learner for learner, _ in both], turns, episodes)
            alone, rounds = both[1][1], int(both[0][0]._clock[at.ROUNDS])
            micros = [f"{seconds * 1e6:.1f}" for seconds in (alone, median(slow), median(fast))]
            rows.append(
                [label, name, str(rounds or "-"), *micros, ratios(slow, fast), ratios(slow, fast, alone)]
            )
    heads = ("", "", "sweeps", "no plan", "before", "after", "times as fast", "its plans")
    print(table(heads, rows), end="\n\n")


def main() -> None:
    """Print everything."""
    one_march()
    against_rlberry()
    optimistic_against_paper()
    lazy_against_eager()
    whole_run()
