"""Learners from files: on CT-UCBVI's draws, whoever does the work, and one line where they are wrong."""

from __future__ import annotations

import os
import pickle
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from ctucbvi import InputError, bundled_model
from ctucbvi.learning import Environment, LearningTask, Settings, WholeEpisodes
from ctucbvi.learning.exact.learner import ExactLearner
from ctucbvi.learning.fast.discrete import DiscreteLearner
from ctucbvi.learning.fast.discrete_protocol import StepLearner, StepWorld
from ctucbvi.learning.fast.grid_protocol import CTUCBVI
from ctucbvi.learning.fast.guest import GuestLearner
from ctucbvi.learning.fast.learner import FastLearner
from ctucbvi.learning.fast.located import LocatedLearner
from ctucbvi.learning.fast.optimistic import compiled_learner
from ctucbvi.learning.protocol import chooser
from ctucbvi.learning.settings import rescaling
from ctucbvi.study import LostWorkerError, Study, StudyResult, blocks, contestant, guest, run_study
from ctucbvi.study.blocks import Block, work
from ctucbvi.study.guests import LearnerFile
from ctucbvi.study.shards import RunState
from tests.histories import policies_of

MACHINE = bundled_model("machine-repair")
SETTINGS = Settings.for_model(MACHINE, episodes=40)
STEPS = 10
OPENING = {"operating": Fraction(1, 3), "repair": Fraction(2, 3)}

LEARNS = """\
from collections import Counter

import numpy as np


class Learner:
    def __init__(self, task):
        self.task, self.tried, self.random = task, Counter(), np.random.default_rng(task.seed)

    def begin(self, episode):
        self.late = self.random.random() / 2
        return self.policy

    def policy(self, state, remaining):
        names = self.task.actions[state]
        return min(names, key=lambda a: self.tried[state, a]) if remaining < self.late else names[0]

    def observe(self, visit):
        self.tried[visit.state, visit.action] += float(visit.holding)
"""
ASKED = LEARNS.replace("return self.policy", "return None").replace("def policy", "def act")


def written(folder: Path, text: str, name: str = "mine.py") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def study(path: str, *others: str) -> Study:
    contestants = (*(contestant(name, STEPS) for name in others), guest(path, STEPS))
    return Study(MACHINE, SETTINGS, 3, contestants)


def hosted(learner, **given) -> GuestLearner:
    unused = {"keep": lambda guest: b"", "fetch": lambda kept: learner, "guard": nullcontext}
    return GuestLearner(MACHINE, SETTINGS, make=lambda task: learner, seed=3, steps=STEPS, **unused, **given)


class Follows:
    """Plays given policies on the grid, and writes down what it sees."""

    def __init__(self, tables: list[np.ndarray]) -> None:
        self.tables, self.seen = tables, []

    def begin(self, episode):
        table = self.tables[episode - 1]
        names = MACHINE.transitions
        return lambda state, t: names[table[MACHINE.state_index(state), round(t * STEPS)]].action

    def observe(self, visit):
        self.seen.append(visit)


class FollowsWhenAsked(Follows):
    """The same by nearest grid points, half-way the larger one; at 0 as at the first."""

    def begin(self, episode):
        self.policy = super().begin(episode)

    def act(self, state, remaining):
        i = int(remaining / MACHINE.horizon * STEPS + Fraction(1, 2))
        return self.policy(state, Fraction(max(i, 1), STEPS))


@pytest.mark.parametrize("kind", [Follows, FollowsWhenAsked])
@pytest.mark.parametrize("initial", [None, OPENING])
def test_the_draws_are_those_of_ct_ucbvi_bit_for_bit(kind, initial):
    fast = FastLearner(MACHINE, SETTINGS, seed=3, steps=STEPS, record=True, initial=initial)
    played = [fast.advance(1) for _ in range(40)]
    learner = kind([policies_of(one)[0] for one in played])
    host = hosted(learner, initial=initial)
    found = host.advance(40)
    assert learner.seen == [visit for one in played for visit in one.history[0].visits]
    assert (host.time, list(host.n_plus)) == (fast.time, list(fast.n_plus))
    if kind is Follows:
        table = [policies_of(found)[np.searchsorted(found.starts, k, side="right") - 1] for k in range(1, 41)]
        assert np.array_equal(table, learner.tables)
    else:
        rewards = {(row.state, row.action): row.reward for row in MACHINE.transitions}
        earned = sum(rewards[v.state, v.action] * v.holding for v in learner.seen)
        assert sum(found.earned) == earned


@pytest.mark.parametrize("kind", [ExactLearner, LocatedLearner])
@pytest.mark.parametrize("bonus", ["paper", "none"])
def test_ct_ucbvi_and_the_greedy_one_by_the_protocol_are_what_they_are(kind, bonus):
    given, learner = SETTINGS.with_bonus(bonus), kind(MACHINE, SETTINGS.with_bonus(bonus))
    world, again = Environment(MACHINE, seed=5), Environment(MACHINE, seed=5)
    plain, wrapped = [], WholeEpisodes(kind(MACHINE, given))
    for k in range(1, 5):
        plain.append(world.episode(learner.choose))
        learner.observe(plain[-1])
        choose = chooser(MACHINE, wrapped, wrapped.begin(k))
        assert again.episode(choose, wrapped.observe) == plain[-1]


LEARNERS = [
    ("machine-repair", {"bonus": "paper"}),
    ("machine-repair", {"bonus": "none"}),
    ("machine-repair", {"bonus": "sharp"}),
    ("sis", {"bonus": "paper"}),
    ("queue", {"bonus": "none"}),
    ("queue", {"bonus": "none", "epsilon": "0"}),
    *(
        (name, {"bonus": "optimistic", "rates": rates, "jumps": jumps})
        for name, rates, jumps in (("machine-repair", "paper", "l1"), ("queue", "poisson", "kl"))
    ),
]


@pytest.mark.parametrize(("name", "kind"), LEARNERS)
def test_the_learners_of_the_studies_by_the_protocol_are_what_they_are(name, kind):
    """Policies, draws and counts, episode by episode; half-way they are kept and fetched."""
    model = bundled_model(name)
    model = model if name == "machine-repair" else model.with_rewards(*rescaling(model))
    told = Settings.for_model(model, episodes=30, **kind)
    given = {"seed": 3, "run": 1, "steps": STEPS}
    plain = compiled_learner(model, told, **given)
    kept = {"keep": pickle.dumps, "fetch": pickle.loads, "guard": nullcontext}
    host = GuestLearner(model, told, make=CTUCBVI, **kept, **given)
    for number in range(30):
        if number == 15:
            host.restore(host.snapshot())
        one, other = plain.advance(1), host.advance(1)
        assert np.array_equal(policies_of(one), policies_of(other))
        assert (host.time, list(host.n_plus)) == (plain.time, list(plain.n_plus))
    counted, memory = host.guest, plain._memory
    assert np.array_equal(counted.counts[:3], memory.counts[:3])
    assert counted.jumps.sum() == memory.jumps.sum() > 0


@pytest.mark.parametrize("bonus", ["paper", "none"])
def test_the_baseline_in_discrete_time_by_the_protocol_is_what_it_is(bonus):
    given, told = {"seed": 3, "run": 1, "steps": 5, "initial": OPENING}, SETTINGS.with_bonus(bonus)
    whole, learner = DiscreteLearner(MACHINE, told, **given), DiscreteLearner(MACHINE, told, **given)
    wrapped, world = StepLearner(learner), StepWorld(MACHINE, told, **given)
    for k in range(1, 31):
        policy = policies_of(whole.advance(1))[0]
        episode = world.episode(chooser(MACHINE, wrapped, wrapped.begin(k)), wrapped.observe)
        assert np.array_equal(learner.tables.policy, policy)
        assert sum(visit.holding for visit in episode.visits) == MACHINE.horizon
        assert np.array_equal(learner.tables.visits, whole.tables.visits)
        assert np.array_equal(learner.tables.moves, whole.tables.moves)


def test_what_a_learner_is_told_has_no_rates():
    task = LearningTask.of(MACHINE, SETTINGS, seed=1)
    assert task.actions == {"operating": ("slow", "fast"), "repair": ("slow", "fast")}
    assert task.rewards["repair", "fast"] == MACHINE.transitions[3].reward
    assert not any(isinstance(value, type(MACHINE)) for value in vars(task).values())


@pytest.mark.parametrize("text", [LEARNS, ASKED])
def test_the_result_does_not_depend_on_blocks_stops_or_workers(tmp_path, text):
    path = written(tmp_path, text)
    whole = run_study(study(path), 2)
    curves = [state.curve for state in whole.runs["mine.py"]]
    assert curves[0] != curves[1]
    part, full = work(Block(study(path), "mine.py", 1, RunState(), 7)).state, SETTINGS.episodes
    assert work(Block(study(path), "mine.py", 1, part, full)).state.curve == curves[1]
    folder = tmp_path / "out"
    run_study(study(path), 1, folder=folder, block=11)
    again = run_study(study(path), 2, folder=folder, block=9, workers=2)
    assert again.resumed == full
    assert [state.curve for state in again.runs["mine.py"]] == curves


def test_a_changed_file_is_refused_on_resume(tmp_path):
    folder, path = tmp_path / "out", written(tmp_path, LEARNS)
    run_study(study(path), 1, folder=folder)
    written(tmp_path, LEARNS + "\n# changed\n")
    with pytest.raises(InputError, match="another study \\(learner_sha256"):
        run_study(study(path), 1, folder=folder)


def test_a_policy_is_evaluated_and_a_learner_that_is_asked_judged_by_what_it_earns(tmp_path):
    both = [
        study(written(tmp_path, text, name), "greedy") for text, name in ((LEARNS, "a.py"), (ASKED, "b.py"))
    ]
    certified, sampled = (StudyResult.of(run_study(one, 2)).curves[1] for one in both)
    assert certified.losses[0] == 0 < certified.error < Fraction(1, 10**9)
    assert sampled.losses[0] < 0
    assert sampled.losses[1] - sampled.losses[0] >= MACHINE.horizon * Fraction(1, 2)
    assert certified.mean[-1] > 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "mine.py: no learner in it; define a class Learner"),
        ("Learner = 7\n", "no learner in it"),
        ("class Learner: pass\n", "has no method begin"),
        ("class Learner\n", "line 1: SyntaxError: expected ':'"),
        ("import nothing_of_the_kind\n", "line 1: ModuleNotFoundError"),
        ("raise SystemExit(3)\n", "line 1: SystemExit: 3"),
        ("a = '\0'\n", "null bytes"),
        (LEARNS.replace("names[0]", "'fly'"), "line 14: learner: 'fly' is no action of state 'operating'"),
        (LEARNS.replace("names[0]", "7"), "line 14: learner: 7 is no action"),
        (LEARNS.replace("names[0]", "names[9]"), "line 16: IndexError: tuple index out of range"),
        (LEARNS.replace("return self.policy", "return 'slow'"), "line 10: learner: begin answered 'slow'"),
        (LEARNS.replace("return self.policy", "return None"), "line 10: learner: begin answered None"),
        (LEARNS.replace("(self, visit)", "(self)"), "TypeError: Learner.observe\\(\\) takes 1"),
        (LEARNS.replace("(self, task)", "(self)"), "TypeError: Learner.__init__\\(\\) takes 1"),
        (LEARNS.replace("self.late =", "self.odd = lambda: 0; self.late ="), "its learner cannot be kept"),
        (
            LEARNS.replace("self.late =", "import pathlib; self.odd = pathlib.Path(); self.late ="),
            "no plain data",
        ),
    ],
)
def test_a_bad_learner_is_one_line(tmp_path, text, message):
    with pytest.raises(InputError, match=message) as found:
        work(Block(study(written(tmp_path, text)), "mine.py", 0, RunState(), 3))
    assert "mine.py" in str(found.value)
    assert "\n" not in str(found.value)


GREEDY = """\
from dataclasses import replace

from ctucbvi.learning.fast.grid_protocol import CTUCBVI


class Learner(CTUCBVI):
    def __init__(self, task):
        super().__init__(replace(task, settings=task.settings.with_bonus("none")))
"""


def test_a_class_derived_from_ct_ucbvi_is_the_built_in_one_in_a_study(tmp_path):
    path = written(tmp_path, GREEDY)
    run_study(study(path, "greedy"), 1, folder=tmp_path / "out", block=7)
    both = run_study(study(path, "greedy"), 2, folder=tmp_path / "out", block=11).runs
    assert [run.curve for run in both["mine.py"]] == [run.curve for run in both["greedy"]]
    assert both["greedy"][0].curve != both["greedy"][1].curve
    again = run_study(study(written(tmp_path, GREEDY.replace("none", "paper")), "greedy"), 1).runs
    assert again["mine.py"][0].curve != again["greedy"][0].curve


def by_name(module: str, name: str, argument: str) -> bytes:
    """A pickle that calls what is found under a name, dotted or not."""
    texts = (b"\x8c" + bytes([len(text)]) + text.encode() for text in (module, name, argument))
    return b"\x80\x04" + next(texts) + next(texts) + b"\x93" + next(texts) + b"\x85R."


@pytest.mark.parametrize("name", [None, "system", "os.system"])
def test_a_planted_snapshot_is_not_obeyed(tmp_path, name):
    """Bytes that would run a command when unpickled are refused, also by way of what the file imports."""
    path = written(tmp_path, "import os\nfrom os import system\n" + LEARNS)
    state = work(Block(study(path), "mine.py", 0, RunState(), 3)).state
    snapshot = state.snapshot
    end = 8 + int.from_bytes(snapshot[:8], "big")
    own = f"_learner_{LearnerFile.read(path).digest}"
    where = ("os", "system") if name is None else (own, name)
    evil = by_name(*where, f"touch {tmp_path / 'evil'}")
    planted = RunState(3, state.earned, state.curve, 3, 0.0, snapshot[:end] + evil)
    with pytest.raises(InputError, match="no plain data"):
        work(Block(study(path), "mine.py", 0, planted, 5))
    assert not (tmp_path / "evil").exists()


def test_the_file_is_not_needed_where_the_work_is_done(tmp_path):
    path = written(tmp_path, LEARNS + "\n# sent elsewhere\n")
    file = pickle.loads(pickle.dumps(LearnerFile.read(path)))
    Path(path).unlink()
    assert file.load().__name__ == "Learner"


# --- learners that are not reproducible -----------------------------------------------------------

UNSEEDED = LEARNS.replace("np.random.default_rng(task.seed)", "np.random.default_rng()")
REMEMBERS = LEARNS.replace("class Learner:\n", "class Learner:\n    tried = Counter()\n\n").replace(
    "self.task, self.tried, self.random = task, Counter(),", "self.task, self.random = task,"
)


@pytest.mark.parametrize(
    ("text", "workers", "block"), [(UNSEEDED, 1, None), (REMEMBERS, 2, None), (REMEMBERS, 1, 1)]
)
def test_a_learner_that_is_not_reproducible_is_one_line(tmp_path, text, workers, block):
    path, folder = written(tmp_path, text), tmp_path / "out"
    said = r"mine.py: not reproducible: episode \d+ of run \d is another one when .* again .* task.seed"
    for _ in range(2):  # what was kept of other runs does not make it better
        with pytest.raises(InputError, match=said) as found:
            run_study(study(path, "greedy"), 2, folder=folder, workers=workers, block=block)
        assert "\n" not in str(found.value)
    assert list(folder.glob("mine.py/run-00000.json")) == []


def test_what_was_believed_before_gave_other_figures(tmp_path):
    """Why it is refused: two workers, or none beside, or other blocks."""
    one = replace(study(written(tmp_path, REMEMBERS)), seed=5)
    each = replace(one.contestants[0], foreign=False)
    curves = [
        tuple(state.curve for state in run_study(replace(one, contestants=(each,)), 2, **how).runs["mine.py"])
        for how in ({"workers": 1}, {"workers": 1, "block": 11}, {"workers": 2})
    ]
    assert len(set(curves)) > 1


def test_a_learner_is_played_again_once(tmp_path, monkeypatch):
    """In its first run alone, before that begins; what is complete is not looked at again."""
    checked = []
    monkeypatch.setattr(blocks, "check_reproducible", lambda study, each: checked.append(each.name))
    path, folder = written(tmp_path, LEARNS), tmp_path / "out"
    run_study(study(path, "greedy"), 3, folder=folder, block=7)
    assert checked == ["mine.py"]
    run_study(study(path, "greedy"), 4, folder=folder, block=7)
    assert checked == ["mine.py"]


def test_what_fails_when_it_is_played_again_is_one_line_with_its_place(tmp_path):
    text = LEARNS.replace("self.late =", "assert not hasattr(np, 'spoilt'); self.late =")
    path = written(
        tmp_path, text.replace("        self.tried[visit", "        np.spoilt = 1\n        self.tried[visit")
    )
    with pytest.raises(InputError, match=r"mine\.py: line 11: AssertionError"):
        work(Block(study(path), "mine.py", 0, RunState(), 3))
    del np.spoilt
    text = LEARNS.replace("self.late =", "assert os.getpid() == int(os.environ['WHERE']); self.late =")
    path = written(tmp_path, "import os\n" + text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WHERE", str(os.getpid()))
        with pytest.raises(
            InputError, match=r"not reproducible: run 1 played again .* the start: .*py: line 12: Ass"
        ):
            work(Block(study(path), "mine.py", 0, RunState(), 3, check=True))


def test_a_process_that_dies_is_said_and_kept_apart(tmp_path):
    text = LEARNS.replace(
        "self.late =", "os.getpid() == int(os.environ['WHERE']) or os._exit(3); self.late ="
    )
    path = written(tmp_path, "import os\n" + text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WHERE", str(os.getpid()))
        with pytest.raises(LostWorkerError, match="the process that plays learners again died"):
            run_study(study(path), 1)


def test_what_it_prints_there_is_no_answer(tmp_path, capfd):
    text = LEARNS.replace("self.late =", "print('begun', flush=True); self.late =")
    work(Block(study(written(tmp_path, text)), "mine.py", 0, RunState(), 3, check=True))
    assert 6 <= capfd.readouterr().out.count("begun") <= 63  # in three passages and the block, here
