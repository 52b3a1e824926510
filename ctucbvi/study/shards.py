r"""The results so far, on disk: what a study has when it is interrupted.

A run is cut into blocks of episodes.  At the end of each block the run's file, its *shard*, is replaced by
one that holds everything up to there: the sums at the checkpoints that were passed and the learner's
snapshot.  The new file is written under another name, flushed to the disk and renamed, so that at every
moment a run has a whole file or none: a crash, a kill or a power cut loses the block under way and no more.

Sums are whole numbers of 2^-60 (:mod:`ctucbvi.study.evaluation`), so that cutting them up differently
gives the same sums.

**What a shard is of** stands in it: the identity of the study (model, settings, seed, learner, grid,
versions, digest of the sources), the number of the run, and a checksum of all of it.  A shard is believed
only if all of these are what they should be; otherwise it is refused with what differs, and nothing is
computed from it. ``DIR/<learner>/study.json`` says the same once more, for people.

**One process at a time** works in a folder: the file ``DIR/lock`` is locked while one does, and the operating
system unlocks it when the process ends, however that comes about.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ctucbvi.disk import replace_file
from ctucbvi.errors import InputError
from ctucbvi.study.plan import Contestant, Study, described

FORMAT = "ctucbvi shard 2"
_AGAIN = "delete it to compute its run again"


@dataclass(frozen=True)
class RunState:
    """A run after ``episode`` episodes."""

    episode: int = 0
    earned: int = 0  # Σ V^π_j over these episodes, in units of 2^-60
    curve: tuple[int, ...] = ()  # the same sum at the checkpoints passed
    planned: int = 0  # how many episodes were planned; not part of the result
    seconds: float = 0.0  # of computing; likewise
    snapshot: bytes | None = None  # None: the run has not begun
    extra: bytes | None = None  # what else was added up, in the words of who did

    def to_json(self) -> dict[str, Any]:
        """The state as a JSON object."""
        # Sums may exceed what other readers of JSON can represent as numbers.
        return {
            "episode": self.episode,
            "earned": str(self.earned),
            "curve": [str(earned) for earned in self.curve],
            "planned": self.planned,
            "seconds": self.seconds,
            "snapshot": _text(self.snapshot),
            "extra": _text(self.extra),
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> RunState:
        """Read what :meth:`to_json` wrote."""
        return cls(
            int(document["episode"]),
            int(document["earned"]),
            tuple(int(earned) for earned in document["curve"]),
            int(document["planned"]),
            float(document["seconds"]),
            _bytes(document["snapshot"]),
            _bytes(document["extra"]),
        )


class Folder:
    """The files of a study, or nothing at all if no folder is wanted; who opens it has it :func:`locked`.

    ``kind`` says what was added up: shards of another kind are kept apart.
    """

    def __init__(self, study: Study, root: Path | None, kind: str = "regret") -> None:
        self._study, self._root, self._kind = study, root, kind

    def open(self) -> Folder:
        """Make what is missing, refuse what is another study's, remove what interrupted writers left."""
        for contestant in self._study.contestants if self._root is not None else ():
            folder = self._folder(contestant.name)
            _make(folder)
            label, identity = folder / "study.json", self._identity(contestant)
            if label.exists():
                _compare(_read(label), identity, folder)
            else:
                write_whole(label, described(identity))
            for path in folder.glob("*.part-*"):
                path.unlink(missing_ok=True)
        return self

    def load(self, name: str, run: int) -> RunState:
        """The state of a run; that of a run not begun where there is no file."""
        if self._root is None or not (path := self._path(name, run)).exists():
            return RunState()
        document = _read(path)
        if document.get("format") != FORMAT or document.get("sha256") != _checksum(document):
            raise InputError(f"{path}: is damaged, or not a shard of this version; {_AGAIN}")
        _compare(document["identity"], self._identity(self._study.contestant(name)), path)
        if document["run"] != run:
            raise InputError(f"{path}: holds run {document['run']}, not {run}; {_AGAIN}")
        try:
            state = RunState.from_json(document["state"])
        except (KeyError, TypeError, ValueError, binascii.Error) as error:
            raise InputError(f"{path}: is damaged ({error}); {_AGAIN}") from None
        passed = sum(k <= state.episode for k in self._study.checkpoints)
        if len(state.curve) != passed or state.episode > self._study.settings.episodes:
            raise InputError(f"{path}: does not fit the study; {_AGAIN}")
        return state

    def save(self, name: str, run: int, state: RunState) -> None:
        """Replace the file of a run."""
        if self._root is not None:
            document = {
                "format": FORMAT,
                "identity": self._identity(self._study.contestant(name)),
                "run": run,
                "state": state.to_json(),
            }
            text = json.dumps({**document, "sha256": _checksum(document)}, ensure_ascii=False)
            write_whole(self._path(name, run), text + "\n")

    def _identity(self, contestant: Contestant) -> dict[str, Any]:
        return {**self._study.identity(contestant), "kind": self._kind}

    def _folder(self, name: str) -> Path:
        assert self._root is not None
        plain = name.replace("/", "_over_").replace("@", "_")
        return self._root / (plain if self._kind == "regret" else f"{plain}.{self._kind}")

    def _path(self, name: str, run: int) -> Path:
        return self._folder(name) / f"run-{run:05d}.json"


def write_whole(path: Path, text: str) -> None:
    """Write a file so that there is, at every moment, the old one or the new one."""
    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise InputError(f"{str(path)!r}: cannot be written: {error.strerror}") from None


def locked(root: Path) -> IO[bytes]:
    """The lock of a folder, held until it is closed; one line if somebody else holds it."""
    _make(root)
    try:
        file = (root / "lock").open("ab")
    except OSError as error:
        raise InputError(f"--out {str(root)!r}: cannot be written: {error.strerror}") from None
    try:
        _lock(file)
    except (BlockingIOError, PermissionError):
        file.close()
        raise InputError(
            f"--out {str(root)!r}: another process is at work there; wait for it, or choose another folder"
        ) from None
    except OSError as error:
        file.close()
        raise InputError(
            f"--out {str(root)!r}: cannot be locked: {error.strerror}; choose a folder on another disk"
        ) from None
    return file


def _lock(file: IO[bytes]) -> None:
    try:
        import fcntl  # POSIX only
    except ImportError:  # not a POSIX system
        import msvcrt  # elsewhere

        locking: Any = msvcrt
        locking.locking(file.fileno(), locking.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--out {str(folder)!r}: cannot be made: {error.strerror}") from None


def _checksum(document: dict[str, Any]) -> str:
    """Of everything but the checksum itself."""
    rest = {key: value for key, value in document.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text, validate=True)


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: is not JSON; delete it, and what it held is computed again") from None
    if not isinstance(document, dict):
        raise InputError(f"{path}: is not a JSON object; delete it, and what it held is computed again")
    return document


def _compare(there: dict[str, Any], here: dict[str, Any], where: Path) -> None:
    """Refuse what belongs to another study, saying what differs."""
    try:
        flat_there, flat_here = dict(_flat(there)), dict(_flat(here))
    except RecursionError:
        raise InputError(f"{where}: is damaged; delete it, and what it held is computed again") from None
    for key in sorted(flat_there.keys() | flat_here.keys()):
        old, new = flat_there.get(key), flat_here.get(key)
        if old != new:
            raise InputError(
                f"{where}: holds another study ({key} is {old!r} there and {new!r} here); "
                "choose another folder or delete this one"
            )


def _flat(document: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in document.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
