"""What a check reads besides its code: files, variables of the environment, other processes, the network.

A kept result promises that the check would find the same again.  Its code is in the key of the result; what
else it reads is not, so it is noticed here, and such a result is not kept.  Python tells of every file that
is opened and of every process that is started (audit events); variables are noticed as they are asked for, by
code that is neither Python's own nor installed.  Not noticed: the clock, and what compiled code reads itself.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib.util import find_spec, source_from_cache
from pathlib import Path
from types import FrameType
from typing import Any

from verify.running.cache import cache_folder
from verify.source import Source

# Of the machine, where its libraries look.
_SYSTEM = (
    "/etc/",
    "/lib/",
    "/lib64/",
    "/proc/",
    "/sys/",
    "/usr/",
    "/dev/null",
    "/dev/random",
    "/dev/urandom",
)
_CODE = (".py", ".pyc", ".so", ".pyd", ".nbi", ".nbc")  # the last two are what numba has compiled
_STARTED = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty")
_NETWORK = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind")
_LIBRARIES = ("sqlite3.connect", "ctypes.dlopen")
_FOLDERS = ("os.listdir", "os.scandir")
_UNNAMED = getattr(os, "O_TMPFILE", -1)  # a file that only who opened it can read


class Seen:
    """What was read since somebody began to look."""

    def __init__(self, source: Source) -> None:
        self.files: set[str] = set()
        self.others: set[str] = set()  # in words
        self._made: set[str] = set()
        self._code = _folders(("verify", *source.code))  # what a check runs
        self._ours = (*self._code, *_folders((source.package,) if source.package else ()))
        kept = os.path.realpath(cache_folder(source.name)) + os.sep
        self._allowed = (*_python(), *_SYSTEM, kept)
        self._thread = threading.get_ident()

    def names(self, known: Iterable[Path] = ()) -> list[str]:
        """In words, without the files whose text is in the key."""
        texts = {os.path.realpath(path) for path in known}
        return sorted([*(Path(file).name for file in self.files - texts), *self.others])

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """One audit event."""
        if event == "open":
            self._opened(*arguments)
        elif event in _LIBRARIES:
            self._opened(arguments[0], "r", 0)
        elif event == "os.mkdir":
            self._made.add(_place(arguments[0]))
        elif event in _FOLDERS:
            place = _place(os.getcwd() if arguments[0] is None else arguments[0])
            own = place in self._made or self._belongs(f"{place}{os.sep}")
            if place and not own and self.asked():
                self.others.add(f"the folder {Path(place).name}")
        elif (event in _STARTED or event in _NETWORK) and self.asked():
            self.others.add("another process" if event in _STARTED else "the network")

    def asked(self) -> bool:
        """Whether code of a check asks, by itself or through Python's library."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith("<frozen importlib"):
                return False  # somebody imports a module: its file is heard of when it is opened
            if file != __file__ and not file.startswith(("<frozen", *_library())):
                return not file.startswith((*_python(), *self._code))
            frame = frame.f_back
        return threading.get_ident() != self._thread  # a thread of somebody's: Python's own begins it

    def _opened(self, path: Any, mode: Any, flags: Any) -> None:
        place, flags = _place(path), flags if isinstance(flags, int) else 0
        if not place or Path(place).name.startswith("<") or flags & _UNNAMED == _UNNAMED:
            return  # an open file, code that is in no file, or a file that has no name
        if isinstance(mode, str):
            reads, anew = "r" in mode or "a+" in mode.replace("b", ""), "w" in mode or "x" in mode
        else:
            reads, anew = not flags & os.O_WRONLY, bool(flags & (os.O_TRUNC | os.O_EXCL))
        if anew:
            self._made.add(place)  # what the check has written itself it may read
        elif not reads:
            return
        elif place not in self._made and not self._belongs(place) and not _of_python():
            if place.endswith(".pyc"):
                with suppress(ValueError, NotImplementedError):  # another Python's: named as it is
                    place = source_from_cache(place)
            self.files.add(place)

    def _belongs(self, place: str) -> bool:
        """To Python, to what is installed, to our code, or to what we have kept ourselves."""
        inside = place.startswith(self._ours) and (place.endswith(_CODE) or place.endswith(os.sep))
        return inside or place.startswith(self._allowed)


_looking: list[Seen] = []
_hooked: list[bool] = []


@contextmanager
def watching(source: Source) -> Iterator[Seen]:
    """What is read inside by the checks of these claims."""
    if not _hooked:
        _hooked.append(True)
        sys.addaudithook(_heard)  # for good: it cannot be taken away
    tempfile.gettempdir()  # looks at variables, the first time
    seen, before = Seen(source), os._Environ.__getitem__

    def getitem(environ: Any, name: Any) -> Any:
        if seen.asked():
            seen.others.add(f"${os.fsdecode(name)}" if isinstance(name, str | bytes) else "$")
        return before(environ, name)

    _looking.append(seen)
    os._Environ.__getitem__ = getitem  # type: ignore[method-assign] # no event tells of variables
    try:
        yield seen
    finally:
        os._Environ.__getitem__ = before  # type: ignore[method-assign] # as it was
        _looking.remove(seen)


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    for seen in _looking:
        seen.hear(event, arguments)


def _of_python() -> bool:
    """Whether Python looks for what is installed, or for the lines of code in a message."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(_library()):
            if Path(file).parts[-2:-1] == ("metadata",) or file.endswith(("linecache.py", "inspect.py")):
                return True
        elif file != __file__ and not file.startswith("<frozen"):
            return False
        frame = frame.f_back
    return False


def _place(path: Any) -> str:
    """Where a path leads; nothing if it is an open file."""
    found = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
    return os.path.realpath(found) if found else ""


def _folders(packages: Iterable[str]) -> tuple[str, ...]:
    specs = (find_spec(name) for name in packages)
    places = (place for spec in specs for place in (spec and spec.submodule_search_locations) or ())
    return _prefixes(places)


def _prefixes(places: Iterable[str]) -> tuple[str, ...]:
    """As they are called, and as they really are."""
    return tuple({f"{path}{os.sep}" for place in places for path in (place, os.path.realpath(place))})


@lru_cache(maxsize=1)
def _library() -> tuple[str, ...]:
    return _prefixes([sysconfig.get_paths()["stdlib"]])


@lru_cache(maxsize=1)
def _python() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    places = [paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")]
    return _prefixes(places)
