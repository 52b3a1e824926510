"""Which code it is: a digest of the sources that results on disk and compiled kernels were made from.

Results are kept on disk (:mod:`ctucbvi.study.shards`), and so is compiled code (:mod:`ctucbvi.kernels`).
Both outlive the sources they were made from, and therefore carry their :func:`digest`.  It is of all files of
the package: which of them a number comes from need not be known, and no list of them has to be kept right.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path


@cache
def digest() -> str:
    """SHA-256 of the sources of this package."""
    return digest_of(Path(__file__).parent)


def digest_of(package: Path) -> str:
    """The same of the sources in a folder: their places in it, and what they say."""
    found = hashlib.sha256()
    for name, path in sorted((path.relative_to(package).as_posix(), path) for path in package.rglob("*.py")):
        text = path.read_bytes()
        found.update(f"{name} {len(text)}\n".encode() + text)
    return found.hexdigest()
