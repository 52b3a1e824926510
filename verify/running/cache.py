"""Results on disk, one small file each, named by what they depend on.

A file is written under another name and then renamed, so a reader sees all of it or nothing; a file
that was damaged afterwards does not match its digest and counts as absent.  Losing the cache loses
time, never a result: an unwritable folder is a warning.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path

from verify.running.results import Result

_FORMAT = "verify-result-1"


def cache_folder(name: str) -> Path:
    """``$NAME_CACHE``, or ``name`` in the user's cache folder."""
    if own := os.environ.get(f"{name.upper()}_CACHE"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG rules: a path that is not absolute counts as not set.
    return (Path(base) if os.path.isabs(base) else Path(os.path.expanduser("~")) / ".cache") / name


class Cache:
    """The results kept in a folder."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.folder = folder / "results"

    def fault(self) -> str | None:
        """Why nothing can be kept there, if so."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                return None
        except OSError as error:
            return f"results cannot be kept in {self.folder}: {error.strerror}"

    def get(self, key: str) -> Result | None:
        """The result kept under this key, if it is there and undamaged."""
        try:
            kept = json.loads(self._file(key).read_bytes())
            if (kept["format"], kept["sha256"]) != (_FORMAT, _digest(key, kept["result"])):
                return None
            return Result.from_json(kept["result"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def put(self, key: str, result: Result) -> None:
        """Keep a result, at once and as a whole; a failed check is not a result."""
        if result.error is not None:
            return
        data = result.to_json()
        text = json.dumps({"format": _FORMAT, "sha256": _digest(key, data), "result": data})
        temporary = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=self.folder, suffix=".tmp", delete=False) as file:
                temporary = file.name
                file.write(text)
            os.replace(temporary, self._file(key))
        except OSError:  # a full disk, say: the run goes on and this result is computed again next time
            if temporary is not None and os.path.exists(temporary):
                os.unlink(temporary)

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.json"


def _digest(key: str, data: object) -> str:
    return hashlib.sha256(f"{key} {json.dumps(data, sort_keys=True)}".encode()).hexdigest()
