"""Which code it is: a digest of the sources that results on disk and compiled kernels were made from.

Results are kept on disk, and so is compiled code.  Both outlive the sources they were made from, and
numba looks only at the file of the function that it compiled, not at those of the functions that were
compiled into it.  Results therefore carry the :func:`digest`, and :func:`drop_stale_kernels` removes what
was compiled from other sources.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent
_PARTS = ("learning", "learning/fast", "losses", "numeric", "study")  # what plays, evaluates and adds up
_MODULES = ("model.py", "numbers.py")  # what these rest on
_STAMP = "kernels.sha256"


@cache
def digest() -> str:
    """SHA-256 of the sources that the numbers of a study come from."""
    return _digest(_PACKAGE)


def drop_stale_kernels(package: Path = _PACKAGE) -> None:
    """Remove the compiled kernels of other sources; where that cannot be done, nothing is."""
    with contextlib.suppress(OSError):
        now, cached = _digest(package), package / "numeric" / "__pycache__"
        cached.mkdir(exist_ok=True)
        stamp = cached / _STAMP
        if not stamp.exists() or stamp.read_text(encoding="ascii", errors="replace") != now:
            for part in _PARTS:
                for kernel in (package / part / "__pycache__").glob("*.nb[ci]"):
                    kernel.unlink(missing_ok=True)
            stamp.write_text(now, encoding="ascii")


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
