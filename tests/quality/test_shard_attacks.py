"""A study whose files were tampered with is right or refused; and files that are not checked are caught."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from ctucbvi import InputError
from ctucbvi.study import run_study, shards
from tests.shard_attacks import Grounds, attack, made, study
from tests.unit.test_study_runs import stand_in_study, text


@pytest.fixture(scope="module")
def grounds(tmp_path_factory) -> Grounds:
    with pytest.MonkeyPatch.context() as patch:
        return made(tmp_path_factory.mktemp("grounds"), patch)


def answers(grounds: Grounds, folder: Path, seeds: range) -> Counter[str]:
    return Counter(attack(seed, grounds, folder / "spoilt") for seed in seeds)


def test_no_wrong_result(grounds, tmp_path):
    found = answers(grounds, tmp_path, range(300))
    assert set(found) == {"same", "refused"}
    assert min(found.values()) > 20


@pytest.mark.thorough
def test_no_wrong_result_in_thousands(grounds, tmp_path):
    assert set(answers(grounds, tmp_path, range(300, 5000))) == {"same", "refused"}


@pytest.mark.parametrize("forgotten", ["checksum", "identity", "run"])
def test_files_that_are_believed_are_caught(grounds, tmp_path, monkeypatch, forgotten):
    if forgotten == "checksum":
        monkeypatch.setattr(shards, "_checksum", lambda document: document.get("sha256"))
    elif forgotten == "identity":
        monkeypatch.setattr(shards, "_compare", lambda there, here, where: None)
    else:
        real = shards._read

        def renumbered(path: Path):
            document = real(path)
            if "run" in document and document.get("sha256") == shards._checksum(document):
                document["run"] = int(path.stem.removeprefix("run-"))
                document["sha256"] = shards._checksum(document)
            return document

        monkeypatch.setattr(shards, "_read", renumbered)
    assert any("another result" in answer for answer in answers(grounds, tmp_path, range(150)))


# --- several processes ------------------------------------------------------------------------


def test_two_processes_do_not_work_in_one_folder(tmp_path):
    with shards.locked(tmp_path), pytest.raises(InputError, match="another process is at work"):
        run_study(study(), 1, folder=tmp_path)
    assert text(run_study(study(), 1, folder=tmp_path)) == text(run_study(study(), 1))


def crowd(folder: str, seed: int, refused) -> None:
    """One of several processes that all want to run the same study in one folder."""
    try:
        run_study(stand_in_study(250), 3, folder=Path(folder), block=5 + seed)
    except InputError as error:
        if "another process is at work" in str(error):
            refused.value += 1
            os._exit(2)
        os._exit(3)
    os._exit(0)


def killed(folder: Path, draw: Random, longest: float) -> bool:
    """Start a process at the study, kill it at a random moment; whether it was still at work."""
    fork = multiprocessing.get_context("fork")
    process = fork.Process(target=crowd, args=(str(folder), draw.randrange(20), fork.Value("i", 0)))
    process.start()
    time.sleep(draw.uniform(0, longest))
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    return process.exitcode == -signal.SIGKILL


@pytest.mark.parametrize("trials", [30, pytest.param(500, marks=pytest.mark.thorough)])
def test_killed_at_random_moments_again_and_again(tmp_path, trials):
    draw, truth = Random(trials), text(run_study(study(), 3))
    hits, longest = 0, 0.12
    while hits < trials:  # five kills in the same folder, then another one
        folder = tmp_path / str(hits)
        for _ in range(5):
            if not killed(folder, draw, longest):
                longest *= 0.8  # the study was over: this machine is faster
                break
            hits, longest = hits + 1, longest * 1.1
        assert text(run_study(study(), 3, folder=folder)) == truth
        assert not list(folder.rglob("*.part-*"))


def test_of_several_processes_one_works_and_the_others_are_told(tmp_path):
    fork = multiprocessing.get_context("fork")
    refused = fork.Value("i", 0)
    crew = [fork.Process(target=crowd, args=(str(tmp_path), seed, refused)) for seed in range(4)]
    for process in crew:
        process.start()
    for process in crew:
        process.join()
    assert {process.exitcode for process in crew} <= {0, 2}
    assert 0 in {process.exitcode for process in crew}
    assert text(run_study(study(), 3, folder=tmp_path)) == text(run_study(study(), 3))
