"""Learners that do not play the same again are refused, and no others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ctucbvi import bundled_model
from ctucbvi.learning import Settings
from ctucbvi.study import Study, guest, reproducible
from ctucbvi.study.reproducible import Elsewhere, difference_of
from tests.made_learners import DISHONEST, dishonest, honest

MACHINE = bundled_model("machine-repair")
EPISODES, STEPS = 40, 4

CTUCBVI = """\
from dataclasses import replace

from ctucbvi.learning.fast.grid_protocol import CTUCBVI


class Learner(CTUCBVI):
    def __init__(self, task):
        super().__init__(replace(task, settings=task.settings.with_bonus({})))
"""
WHOLE = """\
from ctucbvi.learning import WholeEpisodes, known_parts
from ctucbvi.learning.{} import {} as Inner


class Learner:
    def __init__(self, task):
        self.task, self.episodes, self.visits = task, [], []
        self.made()

    def made(self):
        known = known_parts("known", self.task.rewards, self.task.horizon)
        self.inner = WholeEpisodes(Inner(known, self.task.settings))

    def begin(self, episode):
        return self.inner.begin(episode)

    def observe(self, visit):
        self.visits.append(visit)
        self.inner.observe(visit)

    def __getstate__(self):
        return {{"task": self.task, "episodes": self.episodes, "visits": self.visits}}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.made()
        for i, visit in enumerate(self.visits):
            if i == 0 or self.visits[i - 1].to is None:
                self.inner.begin(0)
            self.inner.observe(visit)
"""
OURS = {
    **{
        f"ct-ucbvi {bonus}".replace('"', "").replace(", ", "-"): CTUCBVI.format(bonus)
        for bonus in ('"paper"', '"sharp"', '"none"', '"optimistic"', '"optimistic", "poisson", "kl"')
    },
    "exact": WHOLE.format("exact.learner", "ExactLearner"),
    "located": WHOLE.format("fast.located", "LocatedLearner"),
}


def found(folder: Path, texts: dict[str, str], episodes: int = EPISODES) -> Iterator[tuple[str, str | None]]:
    """What is not the same about each of these learners; one process plays all of them again."""
    contestants = []
    for i, text in enumerate(texts.values()):
        path = folder / f"learner{i}.py"
        path.write_text(text, encoding="utf-8")
        contestants.append(guest(str(path), STEPS))
    study = Study(MACHINE, Settings.for_model(MACHINE, episodes=episodes), 3, tuple(contestants))
    with Elsewhere(study) as other:
        for name, contestant in zip(texts, contestants, strict=True):
            yield name, difference_of(study, contestant, other)


def test_learners_that_are_reproducible_are_never_refused(tmp_path):
    differences = dict(found(tmp_path, {str(seed): honest(seed) for seed in range(100)}))
    assert {name: difference for name, difference in differences.items() if difference} == {}


@pytest.mark.thorough
def test_two_thousand_learners_that_are_reproducible_are_never_refused(tmp_path):
    differences = dict(found(tmp_path, {str(seed): honest(seed) for seed in range(100, 2100)}))
    assert {name: difference for name, difference in differences.items() if difference} == {}


def test_the_learners_of_the_package_are_never_refused(tmp_path):
    assert set(dict(found(tmp_path, OURS, 12)).values()) == {None}


def test_learners_that_are_not_reproducible_are_refused(tmp_path):
    texts = {f"{name} {seed}": dishonest(name, seed) for name in DISHONEST for seed in range(3)}
    differences = dict(found(tmp_path, texts))
    assert [name for name, difference in differences.items() if difference is None] == []
    assert all("\n" not in str(difference) for difference in differences.values())


@pytest.mark.thorough
def test_a_thousand_learners_that_are_not_reproducible_are_refused(tmp_path):
    texts = {f"{name} {seed}": dishonest(name, seed) for name in DISHONEST for seed in range(3, 40)}
    differences = dict(found(tmp_path, texts))
    assert [name for name, difference in differences.items() if difference is None] == []


# --- every part of the check is needed -------------------------------------------------------------


def missed(folder: Path, *names: str) -> set[str]:
    """Which of these are not refused, and are if nothing is planted (above: all of them are)."""
    differences = found(folder, {name: dishonest(name, 1) + "\n# here\n" for name in names})
    return {name for name, difference in differences if difference is None}


class Here:
    """Plays again in this process; the file's own globals are as they were left."""

    def __init__(self, study):
        self.study = study

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def play(self, name, passage):
        learner = reproducible._made(self.study, self.study.contestant(name), passage.run, passage.snapshot)
        return reproducible._outcomes(learner, len(passage.found))


@pytest.mark.parametrize(
    ("kept", "name"),
    [
        ([0, 2], "what is not kept"),
        ([0, 2], "numpy's global draws, seeded"),
        ([1], "a clock in the beginning"),
        ([1], "random numbers without a seed"),
    ],
)
def test_without_a_passage_some_are_missed(tmp_path, monkeypatch, kept, name):
    played = reproducible._played
    monkeypatch.setattr(reproducible, "_played", lambda *given: [played(*given)[i] for i in kept])
    assert missed(tmp_path, name) == {name}


def test_in_the_same_order_some_are_missed(tmp_path, monkeypatch):
    """One passage leaves behind there what it left behind here."""
    names = ("counts of the class", "a default that is changed", "draws of the module's")
    played = reproducible._played
    monkeypatch.setattr(reproducible, "_played", lambda *given: played(*given)[::-1])
    assert missed(tmp_path, *names) == set(names)


def test_in_this_process_some_are_missed(tmp_path, monkeypatch):
    names = ("the number of the process", "the hash of a word", "the order of a set")
    monkeypatch.setitem(globals(), "Elsewhere", Here)
    assert missed(tmp_path, *names) == set(names)


def test_who_compares_attributes_accuses_the_innocent(tmp_path, monkeypatch):
    """What the learner is kept as is no outcome: there are clocks in it."""
    told = "self.episode = episode\n"
    text = honest(1).replace(told, f"{told}        self.now = time.time_ns()\n")
    assert dict(found(tmp_path, {"clock": text}))["clock"] is None
    outcomes = reproducible._outcomes

    def whole(learner, most, *seconds):
        return (*outcomes(learner, most, *seconds)[:-1], learner.snapshot().hex())

    monkeypatch.setattr(reproducible, "_outcomes", whole)
    assert dict(found(tmp_path, {"clock": text}))["clock"] is not None
