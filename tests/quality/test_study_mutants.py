"""Studies that are wrong on purpose: the checks that pass for the real one must fail for them."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest

from ctucbvi.library import machine_repair
from ctucbvi.study import RunState, blocks, run_study, shards
from ctucbvi.study.plan import Contestant, Study
from tests.unit.test_study_runs import StandIn, stand_in_study, text


def blocks_do_not_matter(study: Study) -> bool:
    """The comparison that the tests of the study make."""
    return len({text(run_study(study, 2, block=block)) for block in (10**6, 41, 97)}) == 1


def survives(writer, folder) -> bool:
    """Whether a run's file is whole after a writer was stopped half-way."""
    path = folder / "run.json"
    path.write_text(json.dumps(RunState(episode=1).to_json()))

    class Stopped(BaseException):
        pass

    def stop(descriptor: int) -> None:
        raise Stopped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", stop)
        with pytest.raises(Stopped):
            writer(path, json.dumps(RunState(episode=2).to_json()))
    return RunState.from_json(json.loads(path.read_text())).episode == 1


def with_learner(maker) -> Study:
    return replace(stand_in_study(400), contestants=(Contestant("stand-in", maker, 12),))


def test_the_real_one_passes(tmp_path):
    assert blocks_do_not_matter(stand_in_study(400))
    assert survives(shards.write_whole, tmp_path)


def test_a_file_written_in_place_is_caught(tmp_path):
    def in_place(path, content):
        with path.open("w") as file:
            file.write(content)
            os.fsync(file.fileno())

    assert not survives(in_place, tmp_path)


class Forgetful(StandIn):
    """Loses its random numbers when it is stopped."""

    def snapshot(self) -> bytes:
        return json.dumps({**self.state, "word": 1}).encode()


def test_a_learner_that_forgets_part_of_its_state_is_caught():
    assert not blocks_do_not_matter(
        with_learner(lambda place, steps, snapshot: Forgetful(place, steps, snapshot))
    )


def test_sums_that_start_again_with_every_block_are_caught(monkeypatch):
    begin = blocks.Account.__init__

    def forgetful(self, study, contestant, state):
        begin(self, study, contestant, replace(state, earned=0))

    monkeypatch.setattr(blocks.Account, "__init__", forgetful)
    assert not blocks_do_not_matter(stand_in_study(400))


def test_a_policy_counted_once_and_not_for_each_episode_is_caught(monkeypatch):
    def once(self, start, end, unit):
        while (at := len(self.curve)) < len(self._checkpoints) and self._checkpoints[at] < end:
            self.curve.append(self.earned + unit)

    monkeypatch.setattr(blocks.Account, "_pass_checkpoints", once)
    assert not blocks_do_not_matter(stand_in_study(400))


def test_checkpoints_that_are_missed_at_the_end_of_a_block_are_caught(monkeypatch):
    real = blocks.Account._pass_checkpoints

    def late(self, start, end, unit):
        real(self, start, end - 1, unit)

    monkeypatch.setattr(blocks.Account, "_pass_checkpoints", late)
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        blocks_do_not_matter(stand_in_study(400))


def refuses_another_seed(folder) -> bool:
    run_study(stand_in_study(100), 1, folder=folder)
    try:
        run_study(stand_in_study(100, seed=6), 1, folder=folder)
    except ValueError:
        return True
    return False


def test_a_folder_that_does_not_know_its_seed_is_caught(monkeypatch, tmp_path):
    assert refuses_another_seed(tmp_path / "real")
    identity = Study.identity
    monkeypatch.setattr(
        Study, "identity", lambda self, contestant: {**identity(self, contestant), "seed": "forgotten"}
    )
    assert not refuses_another_seed(tmp_path / "mutant")


def test_the_optimum_of_the_other_problem_gives_regret_for_ever(monkeypatch):
    # Against the adjustable optimum even the committed optimal policy has linear regret.
    from ctucbvi.model import Semantics
    from ctucbvi.study import Evaluator, optimum
    from tests.simulated_policies import grid_policy

    model, study = machine_repair(), stand_in_study(100)
    evaluator = Evaluator(model, 1000)
    best = grid_policy(
        model, 1000, {"operating": {0: "fast", 625: "slow"}, "repair": {0: "slow", 592: "fast"}}
    )
    (played,) = evaluator.values(best[None])[:, 0]

    def loss() -> float:
        return float(optimum.optimal_value(study).mid) - played

    assert 0 <= loss() < 1e-6
    solve = optimum.solve
    monkeypatch.setattr(optimum, "solve", lambda m, s, **options: solve(m, Semantics.ADJUSTABLE, **options))
    optimum._values.cache_clear()
    try:
        assert loss() > 0.003
    finally:
        optimum._values.cache_clear()
