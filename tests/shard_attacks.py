"""Hostile hands in the folder of a study: what they do to its files, one random deed at a time."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from ctucbvi import InputError
from ctucbvi.library import machine_repair
from ctucbvi.study import Study, plan, run_study, shards
from tests.unit.test_study_runs import stand_in_study, text

EPISODES, RUNS = 250, 3
HALF = 100  # episodes of a study that was interrupted


@dataclass
class Grounds:
    """Folders to spoil: of the study whole and interrupted, and of its relatives."""

    whole: Path
    half: Path
    others: list[Path]
    truth: str


def study() -> Study:
    return stand_in_study(EPISODES)


def made(folder: Path, patch) -> Grounds:
    """All folders; ``patch`` is a monkeypatch, for those that other code has made."""
    truth = text(run_study(study(), RUNS, folder=folder / "whole", block=HALF))
    _interrupted(folder / "half")
    relatives = {
        "seed": stand_in_study(EPISODES, seed=6),
        "episodes": stand_in_study(EPISODES + 1),
        "steps": stand_in_study(EPISODES, steps=13),
        "model": replace(study(), model=machine_repair().with_horizon(2)),
    }
    for name, other in relatives.items():
        run_study(other, RUNS, folder=folder / name)
    with patch.context() as within:
        within.setattr(plan, "digest", lambda: "0" * 64)
        run_study(study(), RUNS, folder=folder / "code")
    others = [folder / name for name in (*relatives, "code")]
    return Grounds(folder / "whole", folder / "half", others, truth)


def _interrupted(folder: Path) -> None:
    def stop(found: int, done: int, wanted: int) -> None:
        if done >= EPISODES + HALF:  # in the middle of the second run
            raise KeyboardInterrupt

    try:
        run_study(study(), RUNS, folder=folder, block=HALF, progress=stop)
    except KeyboardInterrupt:
        return
    raise AssertionError("the study was to be interrupted")


def shards_of(folder: Path) -> list[Path]:
    return sorted(folder.rglob("run-*.json"))


def flip(folder: Path, draw: Random, _: Grounds) -> None:
    file = draw.choice(shards_of(folder))
    data = bytearray(file.read_bytes())
    for _ in range(draw.choice((1, 1, 1, 5))):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    file.write_bytes(data)


def cut(folder: Path, draw: Random, _: Grounds) -> None:
    file = draw.choice(shards_of(folder))
    data = file.read_bytes()
    at = draw.randrange(len(data))
    file.write_bytes(draw.choice((data[:at], data[at:], data + data[:at], data[:at] + data[at + 9 :])))


def swap(folder: Path, draw: Random, _: Grounds) -> None:
    one, other = draw.sample(shards_of(folder), 2)
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(draw.choice((first, second)))


def number(folder: Path, draw: Random, _: Grounds) -> None:
    """Another number, in what is otherwise a shard; its checksum may be taken along from elsewhere."""
    file = draw.choice(shards_of(folder))
    document = json.loads(file.read_text())
    state, kind = document["state"], draw.randrange(5)
    if kind == 0:
        name = draw.choice(("episode", "earned", "planned"))
        state[name] = type(state[name])(int(state[name]) + draw.choice((-1, 1, 2**60)))
    elif kind == 1:
        at = draw.randrange(len(state["curve"]))
        state["curve"][at] = str(int(state["curve"][at]) + draw.choice((-1, 1, 2**59)))
    elif kind == 2:
        document["run"] = draw.choice((0, 1, 2, 3, "0", None, 0.5))
    elif kind == 3:
        document["identity"]["seed"] = draw.choice((5, 6, "5", None, [5]))
    else:
        document.pop(draw.choice(list(document)))
    file.write_text(json.dumps(document))


def foreign(folder: Path, draw: Random, grounds: Grounds) -> None:
    """Shards of a relative, with or without the file that says whose they are."""
    there = draw.choice(grounds.others)
    files = shards_of(folder)
    for file in draw.sample(files, draw.randint(1, len(files))):
        shutil.copy(there / file.relative_to(folder), file)
    label = next(folder.rglob("study.json"))
    if draw.random() < 0.7:
        label.unlink()
    elif draw.random() < 0.5:
        shutil.copy(next(there.rglob("study.json")), label)


def label(folder: Path, draw: Random, _: Grounds) -> None:
    file = next(folder.rglob("study.json"))
    nested = '{"a":' * 900 + "1" + "}" * 900
    file.write_text(draw.choice(("", "{}", "[1]", nested, file.read_text()[:-9], '{"seed": 5}')))


def litter(folder: Path, draw: Random, _: Grounds) -> None:
    """What interrupted writers leave, files that are gone, a folder where a file should be."""
    file = draw.choice(shards_of(folder))
    file.with_name(f"{file.name}.part-{draw.randrange(9**6)}").write_bytes(file.read_bytes()[:50])
    kind = draw.randrange(3)
    if kind:
        file.unlink()
    if kind == 2:
        file.mkdir()


DEEDS: tuple[Callable[[Path, Random, Grounds], None], ...] = (
    flip, cut, swap, number, foreign, label, litter,
)  # fmt: skip


def attack(seed: int, grounds: Grounds, folder: Path) -> str:
    """Spoil a copy of a folder and run the study there: "same", "refused", or what is wrong."""
    draw = Random(seed)
    shutil.copytree(draw.choice((grounds.whole, grounds.half)), folder)
    deed = draw.choice(DEEDS)
    deed(folder, draw, grounds)
    try:
        found = text(run_study(study(), RUNS, folder=folder, block=HALF))
    except InputError as error:
        return "refused" if "\n" not in str(error) else f"{deed.__name__}: {error}"
    except Exception as error:  # whatever it is: spoilt shards are refused in one line, never a traceback
        return f"{deed.__name__}: {error!r}"
    finally:
        shutil.rmtree(folder)
    return "same" if found == grounds.truth else f"{deed.__name__}: another result"


__all__ = ["DEEDS", "attack", "made", "shards"]
