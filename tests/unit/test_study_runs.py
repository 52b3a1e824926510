from __future__ import annotations

import itertools
import json
import os
import signal
import time
import tracemalloc
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from ctucbvi import InputError
from ctucbvi.learning import Settings
from ctucbvi.library import machine_repair
from ctucbvi.study import (
    Contestant,
    LostWorkerError,
    RunPlace,
    RunState,
    Study,
    StudyResult,
    blocks,
    checkpoints,
    document_text,
    driver,
    run_study,
)
from ctucbvi.study.blocks import Account, Block, work
from ctucbvi.study.evaluation import Evaluator, exact_units


@dataclass
class Played:
    first: int
    last: int
    starts: np.ndarray
    which: np.ndarray
    distinct: np.ndarray
    planned: int
    earned: tuple[Fraction, ...] = ()


class StandIn:
    """A learner that learns nothing: another policy whenever a counter says so, from (seed, run)."""

    def __init__(self, place: RunPlace, steps: int, snapshot: bytes | None) -> None:
        self.steps = steps
        begin = {"episode": 0, "word": place.seed * 1000 + place.run + 1}
        self.state = begin if snapshot is None else json.loads(snapshot)

    def advance(self, episodes: int) -> Played:
        first = self.state["episode"] + 1
        starts, which, distinct = [], [], []
        for episode in range(first, first + episodes):
            if self.state["word"] % 3 == 0 or episode == first:
                starts.append(episode)
                which.append(len(distinct))
                distinct.append(self._policy())
            # A small congruential generator: all of its state is in the snapshot.
            self.state["word"] = (1103515245 * self.state["word"] + 12345) % 2**31
            if self.state["word"] % 3 == 0:
                self.state["turn"] = self.state["word"]
        self.state["episode"] = first + episodes - 1
        found = np.array(distinct, np.int32)
        return Played(first, self.state["episode"], np.array(starts), np.array(which), found, len(starts))

    def _policy(self) -> np.ndarray:
        policy = np.zeros((2, self.steps + 1), np.int32)
        policy[1] = 2
        turn = self.state.get("turn", 0)
        policy[0, turn % (self.steps + 1) :] += 1
        policy[1, turn // 7 % (self.steps + 1) :] += 1
        return policy

    def snapshot(self) -> bytes:
        return json.dumps(self.state).encode()


def make_stand_in(place: RunPlace, steps: int, snapshot: bytes | None) -> StandIn:
    return StandIn(place, steps, snapshot)


def stand_in_study(episodes: int = 3000, seed: int = 5, steps: int = 12) -> Study:
    model = machine_repair()
    learner = Contestant("stand-in", make_stand_in, steps)
    return Study(model, Settings.for_model(model, episodes=episodes), seed, (learner,))


def text(outcome) -> str:
    return document_text(StudyResult.of(outcome).to_json())


@pytest.fixture(scope="module")
def uninterrupted() -> str:
    return text(run_study(stand_in_study(), 3, block=10**9))


@pytest.mark.parametrize("block", [1, 7, 1000, 2999])
def test_the_blocks_do_not_matter(uninterrupted, block):
    study = stand_in_study() if block > 1 else stand_in_study(100)
    expected = uninterrupted if block > 1 else text(run_study(study, 3))
    assert text(run_study(study, 3, block=block)) == expected


def test_neither_do_worker_processes(uninterrupted, tmp_path):
    outcome = run_study(stand_in_study(), 3, workers=2, block=1100, folder=tmp_path)
    assert text(outcome) == uninterrupted
    again = run_study(stand_in_study(), 3, folder=tmp_path)
    assert again.resumed == 9000
    assert text(again) == uninterrupted


def test_the_sums_are_those_of_adding_one_episode_after_the_other():
    study = stand_in_study(500)
    outcome = run_study(study, 1, block=137)
    learner = make_stand_in(RunPlace(study.model, study.settings, 5, 0, study.initial), 12, None)
    evaluator, total, sums = Evaluator(study.model, 12), 0, []
    for episode in range(1, 501):
        (unit,) = exact_units(evaluator.values(learner.advance(1).distinct)[:, 0])
        total += unit
        if episode in study.checkpoints:
            sums.append(total)
    assert outcome.runs["stand-in"][0].curve == tuple(sums)


def test_an_interrupted_study_goes_on_where_it_was(uninterrupted, tmp_path, monkeypatch):
    blocks = 0

    def failing(task: Block):
        nonlocal blocks
        blocks += 1
        if blocks in (3, 7):
            raise KeyboardInterrupt
        return work(task)

    monkeypatch.setattr(driver, "work", failing)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run_study(stand_in_study(), 3, block=700, folder=tmp_path)
    before = sum(json.loads(p.read_text())["state"]["episode"] for p in tmp_path.rglob("run-*.json"))
    assert before == 5 * 700  # all but the two blocks under way; the runs go on side by side
    assert text(run_study(stand_in_study(), 3, block=700, folder=tmp_path)) == uninterrupted


def test_more_runs_can_be_added_and_the_old_ones_are_kept(tmp_path):
    run_study(stand_in_study(300), 1, folder=tmp_path)
    outcome = run_study(stand_in_study(300), 2, folder=tmp_path)
    assert outcome.resumed == 300
    assert text(outcome) == text(run_study(stand_in_study(300), 2))


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (stand_in_study(301), "settings.episodes is 300 there and 301 here"),
        (stand_in_study(300, seed=6), "seed is 5 there and 6 here"),
        (stand_in_study(300, steps=13), "steps is 12 there and 13 here"),
        (
            replace(stand_in_study(300), model=machine_repair().with_horizon(2)),
            "model_sha256 is",
        ),
    ],
)
def test_a_folder_of_another_study_is_refused(tmp_path, other, what):
    run_study(stand_in_study(300), 1, folder=tmp_path)
    with pytest.raises(InputError, match="holds another study") as refusal:
        run_study(other, 1, folder=tmp_path)
    assert what in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"episode": 3}', "[" * 100_000])
def test_a_damaged_file_is_one_line_that_says_what_to_do(tmp_path, damage):
    run_study(stand_in_study(300), 1, folder=tmp_path)
    (file,) = tmp_path.rglob("run-*.json")
    file.write_text(damage)
    with pytest.raises(InputError, match="delete it") as refusal:
        run_study(stand_in_study(300), 1, folder=tmp_path)
    assert str(file) in str(refusal.value)


def test_a_half_written_file_is_ignored_and_removed(tmp_path):
    run_study(stand_in_study(300), 1, folder=tmp_path)
    (file,) = tmp_path.rglob("run-*.json")
    half = file.with_name(file.name + ".part-1")
    half.write_text("{")
    file.unlink()
    assert text(run_study(stand_in_study(300), 1, folder=tmp_path)) == text(run_study(stand_in_study(300), 1))
    assert not half.exists()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made"):
        run_study(stand_in_study(300), 1, folder=Path(tmp_path / "file"))


@pytest.mark.parametrize("wrong", [{"runs": 0}, {"workers": 0}, {"block": True}])
def test_bad_numbers_are_refused(wrong):
    options = {"runs": 1, **wrong}
    with pytest.raises(InputError, match="at least 1"):
        run_study(stand_in_study(300), options.pop("runs"), **options)


def test_a_stretch_that_does_not_follow_is_refused():
    study = stand_in_study(300)
    account = Account(study, study.contestants[0], RunState(episode=4))
    learner = make_stand_in(RunPlace(study.model, study.settings, 5, 0, study.initial), 12, None)
    with pytest.raises(ValueError, match="does not follow"):
        account.add(learner.advance(2))


def test_checkpoints_are_evenly_spaced_in_the_logarithm_and_end_at_the_end():
    assert checkpoints(7) == (1, 2, 3, 4, 5, 6, 7)
    many = checkpoints(10**7)
    assert many[0] == 1
    assert many[-1] == 10**7
    assert 150 < len(many) <= 208
    assert {10**i for i in range(8)} <= set(many)
    ratios = np.diff(np.log(many[-24:]))
    assert ratios.max() / ratios.min() < 1.001


def test_progress_counts_episodes(tmp_path):
    seen: list[tuple[int, int, int]] = []
    run_study(stand_in_study(300), 2, block=100, folder=tmp_path, progress=lambda *parts: seen.append(parts))
    assert seen == [(0, 100 * i, 600) for i in range(7)]


def test_a_worker_with_other_versions_is_refused(monkeypatch):
    def elsewhere(task: Block):
        return replace(work(task), made_by=(("python", "2.7"),))

    monkeypatch.setattr(driver, "work", elsewhere)
    with pytest.raises(InputError, match="a worker has other versions"):
        run_study(stand_in_study(300), 1)


def dying(task: Block):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_dies_is_reported_and_what_was_finished_is_kept(monkeypatch, tmp_path):
    run_study(stand_in_study(300), 1, folder=tmp_path)
    monkeypatch.setattr(driver, "work", dying)
    with pytest.raises(
        LostWorkerError, match=r"worker process died; what was finished is in .*command goes on"
    ):
        run_study(stand_in_study(300), 3, workers=2, folder=tmp_path)
    with pytest.raises(LostWorkerError, match="worker process died, and nothing is kept without --out"):
        run_study(stand_in_study(300), 3, workers=2)
    monkeypatch.undo()
    assert run_study(stand_in_study(300), 3, folder=tmp_path).resumed == 300


def test_studies_are_checked():
    study = stand_in_study(300)
    with pytest.raises(InputError, match="seed"):
        replace(study, seed=-1)
    with pytest.raises(InputError, match="twice"):
        replace(study, contestants=study.contestants * 2)
    with pytest.raises(InputError, match="none given"):
        replace(study, contestants=())


def test_a_distribution_of_initial_states_mixes_the_values():
    study = stand_in_study(300)
    mixed = replace(study, initial=(("operating", Fraction(1, 4)), ("repair", Fraction(3, 4))))
    single = [replace(study, initial=((x, Fraction(1)),)) for x in study.model.states]
    curves = [StudyResult.of(run_study(s, 1)).curves[0].mean[-1] for s in (mixed, *single)]
    assert curves[0] == pytest.approx(curves[1] / 4 + 3 * curves[2] / 4, abs=1e-9)


def peak(episodes: int) -> int:
    """The most memory that a block of so many episodes takes, in bytes."""
    tracemalloc.start()
    try:
        work(Block(stand_in_study(10**4), "stand-in", 0, RunState(), episodes))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_episodes(monkeypatch):
    monkeypatch.setattr(blocks, "_LONGEST", 200)
    peak(300)  # what is loaded once is not counted
    assert peak(4000) < 1.2 * peak(1000)
    monkeypatch.setattr(blocks, "_LONGEST", 10**9)
    assert peak(4000) > 2 * peak(1000)


# --- which block is next -----------------------------------------------------------------------


class KnownLater:
    """Chains of which nothing is known until one block has come back."""

    def __init__(self, lengths: list[float]) -> None:
        self.lengths, self.known = dict(enumerate(lengths)), False

    def ahead(self, key: int) -> float:
        return self.lengths[key] if self.known else float("inf")

    def next(self, key: int) -> tuple[KnownLater, int]:
        return self, key


@pytest.mark.parametrize("seed", range(200))
def test_the_run_with_the_most_work_ahead_goes_on_first(seed):
    draw = np.random.default_rng(seed)
    every = [KnownLater(list(draw.integers(1, 9, draw.integers(1, 6)))) for _ in range(draw.integers(1, 5))]
    queue = driver._Queue((chains, key) for chains in every for key in chains.lengths)
    waiting = {(id(chains), key) for chains in every for key in chains.lengths}
    while queue:
        (chains, key), owner = queue.submit(lambda _, task, urgency: task)
        assert owner is chains
        others = [one.ahead(k) for one in every for k in one.lengths if (id(one), k) in waiting]
        assert chains.ahead(key) == max(others)
        waiting.remove((id(chains), key))
        chains.known = True
        chains.lengths[key] -= 1
        if chains.lengths[key] > 0:
            queue.add(chains, key)
            waiting.add((id(chains), key))
    assert not waiting


def test_what_is_ahead_is_told_by_the_pace_of_each_study(tmp_path):
    told = []
    slow, fast = stand_in_study(400), stand_in_study(300, seed=6)
    asked = [driver.Assignment(slow, 2, tmp_path / "slow"), driver.Assignment(fast, 1, tmp_path / "fast")]
    driver.run_studies(asked, block=100, folder=tmp_path, watch=told.append)
    assert (told[0].found, told[0].done, told[0].wanted, told[0].part) == (0, 0, 1100, 0.0)
    assert [now.done for now in told] == list(range(0, 1200, 100))
    assert told[-1].ahead == 0
    assert told[-1].part == 1.0
    again = []
    driver.run_studies(asked, block=100, folder=tmp_path, watch=again.append)
    assert [(now.found, now.done, now.spent) for now in again] == [(1100, 1100, 0.0)]


def test_blocks_are_seconds_long_unless_told_otherwise(monkeypatch):
    """Who plays looks at the clock after each piece; the result does not depend on it."""
    cut, now = [], itertools.count(0.0, 6.0)

    def cutting(task: Block):
        done = work(task)
        cut.append(done.state.episode - task.state.episode)
        return done

    monkeypatch.setattr(driver, "work", cutting)
    monkeypatch.setattr(blocks, "_LONGEST", 130)
    monkeypatch.setattr(blocks, "perf_counter", lambda: next(now))
    whole = text(run_study(stand_in_study(700), 1))
    assert cut == [260, 260, 180]  # pieces of 6 seconds, blocks of at least 10
    cut.clear()
    assert text(run_study(stand_in_study(700), 1, block=400)) == whole
    assert cut == [400, 300]


def test_a_disk_that_is_full_is_noticed_at_once_and_everything_before_it_is_kept(tmp_path, monkeypatch):
    real, saved, played = driver.Folder.save, [], []

    def slowly(task: Block):
        played.append(task)
        time.sleep(0.02)
        return work(task)

    monkeypatch.setattr(driver, "work", slowly)

    def failing(self, name, run, state):
        if len(saved) == 3:
            raise InputError("no space left")
        saved.append((run, state.episode))
        real(self, name, run, state)

    monkeypatch.setattr(driver.Folder, "save", failing)
    with pytest.raises(InputError, match="no space left"):
        run_study(stand_in_study(600), 2, block=100, folder=tmp_path)
    monkeypatch.undo()
    assert len(saved) == 3
    assert len(played) < 12
    kept = [json.loads(file.read_text())["state"]["episode"] for file in sorted(tmp_path.rglob("run-*.json"))]
    assert kept == [max(at for run, at in saved if run == which) for which in range(2)]


def test_saves_of_one_run_keep_their_order(tmp_path, monkeypatch):
    """However slow the disk is at a time; without the order an old state would replace a new one."""
    real, draw = driver.Folder.save, np.random.default_rng(3)
    pauses = iter(draw.choice([0.0, 0.03], 100))

    def slow(self, name, run, state):
        time.sleep(next(pauses))
        real(self, name, run, state)

    monkeypatch.setattr(driver.Folder, "save", slow)
    outcome = run_study(stand_in_study(600), 2, block=30, folder=tmp_path)
    monkeypatch.undo()
    assert {json.loads(f.read_text())["state"]["episode"] for f in tmp_path.rglob("run-*.json")} == {600}
    assert text(run_study(stand_in_study(600), 2, folder=tmp_path)) == text(outcome)
