"""Which code it is: a digest of the sources that results on disk and compiled kernels were made from.

Results are kept on disk, and so is compiled code (:mod:`ctucbvi.kernels`).  Both outlive the sources they
were made from, and therefore carry their :func:`digest`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent
_PARTS = (
    "learning",
    "learning/fast",
    "losses",
    "model",
    "numeric",
    "study",
)  # what plays, evaluates and adds up
_MODULES = ("kernels.py", "numbers.py")  # what these rest on


@cache
def digest() -> str:
    """SHA-256 of the sources that the numbers of a study come from."""
    return _digest(_PACKAGE)


def _digest(package: Path) -> str:
    found = hashlib.sha256()
    for path in _sources(package):
        text = path.read_bytes()
        found.update(f"{path.relative_to(package).as_posix()} {len(text)}\n".encode() + text)
    return found.hexdigest()


def _sources(package: Path) -> Iterator[Path]:
    yield from (package / name for name in _MODULES)
    for part in _PARTS:
        yield from sorted((package / part).glob("*.py"))
