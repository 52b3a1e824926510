r"""The results so far, on disk: what a study has when it is interrupted.

A run is cut into blocks of episodes.  At the end of each block the run's file is replaced by one
that holds everything up to there: the sums at the checkpoints that were passed and the learner's
snapshot.  The new file is written under another name, flushed to the disk and renamed, so that
at every moment a run has a whole file or none: a crash, a kill or a power cut loses the block
under way and no more.

Sums are whole numbers of 2^-60 (:mod:`ctucbvi.study.evaluation`), so that cutting them up differently
gives the same sums.

A folder belongs to one study: ``DIR/<learner>/study.json`` says which, and a folder of another
study is refused.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ctucbvi.errors import InputError
from ctucbvi.study.plan import Study, described


@dataclass(frozen=True)
class RunState:
    """A run after ``episode`` episodes."""

    episode: int = 0
    earned: int = 0  # Σ V^π_j over these episodes, in units of 2^-60
    curve: tuple[int, ...] = ()  # the same sum at the checkpoints passed
    planned: int = 0  # how many episodes were planned; not part of the result
    seconds: float = 0.0  # of computing; likewise
    snapshot: bytes | None = None  # None: the run has not begun

    def to_json(self) -> dict[str, Any]:
        """The state as a JSON object."""
        snapshot = None if self.snapshot is None else base64.b64encode(self.snapshot).decode()
        # Sums may exceed what other readers of JSON can represent as numbers.
        return {
            "episode": self.episode,
            "earned": str(self.earned),
            "curve": [str(earned) for earned in self.curve],
            "planned": self.planned,
            "seconds": self.seconds,
            "snapshot": snapshot,
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> RunState:
        """Read what :meth:`to_json` wrote."""
        snapshot = document["snapshot"]
        return cls(
            int(document["episode"]),
            int(document["earned"]),
            tuple(int(earned) for earned in document["curve"]),
            int(document["planned"]),
            float(document["seconds"]),
            None if snapshot is None else base64.b64decode(snapshot, validate=True),
        )


class Folder:
    """The files of a study, or nothing at all if no folder is wanted."""

    def __init__(self, study: Study, root: Path | None) -> None:
        self._study, self._root = study, root
        if root is None:
            return
        for contestant in study.contestants:
            folder = self._folder(contestant.name)
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"--out {str(root)!r}: cannot be made: {error.strerror}") from None
            identity = study.identity(contestant)
            label = folder / "study.json"
            if label.exists():
                _compare(_read(label), identity, folder)
            else:
                write_whole(label, described(identity))

    def load(self, name: str, run: int) -> RunState:
        """The state of a run; that of a run not begun where there is no file."""
        if self._root is None or not (path := self._path(name, run)).exists():
            return RunState()
        try:
            state = RunState.from_json(_read(path))
        except (KeyError, TypeError, ValueError, binascii.Error) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path}: is damaged ({error}); delete it to compute its run again") from None
        passed = sum(k <= state.episode for k in self._study.checkpoints)
        if len(state.curve) != passed or state.episode > self._study.settings.episodes:
            raise InputError(f"{path}: does not fit the study; delete it to compute its run again")
        return state

    def save(self, name: str, run: int, state: RunState) -> None:
        """Replace the file of a run."""
        if self._root is not None:
            write_whole(self._path(name, run), json.dumps(state.to_json()) + "\n")

    def tidy(self) -> None:
        """Remove what interrupted writers left."""
        for path in self._leftovers():
            path.unlink(missing_ok=True)

    def _leftovers(self) -> Iterator[Path]:
        if self._root is not None:
            for contestant in self._study.contestants:
                yield from self._folder(contestant.name).glob("*.part-*")

    def _folder(self, name: str) -> Path:
        assert self._root is not None
        return self._root / name.replace("/", "_over_").replace("@", "_")

    def _path(self, name: str, run: int) -> Path:
        return self._folder(name) / f"run-{run:05d}.json"


def write_whole(path: Path, text: str) -> None:
    """Write a file so that there is, at every moment, the old one or the new one."""
    part = path.with_name(f"{path.name}.part-{os.getpid()}")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise InputError(f"{str(path)!r}: cannot be written: {error.strerror}") from None


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise InputError(f"{path}: is not JSON; delete it, and what it held is computed again") from None
    if not isinstance(document, dict):
        raise InputError(f"{path}: is not a JSON object; delete it, and what it held is computed again")
    return document


def _compare(there: dict[str, Any], here: dict[str, Any], folder: Path) -> None:
    """Refuse a folder that belongs to another study, saying what differs."""
    flat_there, flat_here = _flat(there), _flat(here)
    for key in sorted(flat_there.keys() | flat_here.keys()):
        old, new = flat_there.get(key), flat_here.get(key)
        if old != new:
            raise InputError(
                f"{folder}: holds another study ({key} is {old!r} there and {new!r} here); "
                "choose another folder or delete this one"
            )


def _flat(document: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in document.items():
        if isinstance(value, dict):
            found.update(_flat(value, f"{prefix}{key}."))
        else:
            found[prefix + key] = value
    return found
