"""Compiled kernels, kept on disk until the sources change, wherever numba keeps them.

Numba looks only at the file of the function that it compiled, not at those of the functions that were
compiled into it, so that a user who upgrades would go on with old ones.  Here each folder of compiled code
carries the :func:`~ctucbvi.sources.digest` it was made from, and is emptied when that is another one.

A kernel that others call with a number written out, ``stage(0, ...)``, would be compiled for that very
number, and again for each other one.  Here the type alone counts: LLVM sees the number where it inlines.

Kernels copy arrays into others by loops: for ``one[:] = other`` numba compiles strings, too, those of the
message that shapes differ, which takes longer than most kernels.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit, types

from ctucbvi.sources import digest

_STAMP = "kernels.sha256"


def compiled(**options: Any) -> Callable[[Any], Any]:
    """:func:`numba.njit` with its results kept on disk."""

    def decorated(function: Any) -> Any:
        kept = options.get("inline") != "always"  # else it is compiled within others only
        kernel = njit(cache=kept, **options)(function)
        kernel.get_call_template = _whatever_number(kernel.get_call_template)
        if kept:  # before any is loaded: that happens when one is called
            _drop_stale(Path(kernel.stats.cache_path))
        return kernel

    return decorated


def _whatever_number(template: Callable[..., Any]) -> Callable[..., Any]:
    """How other kernels find the version for the types of their arguments, without the values of these."""

    def found(args: Any, kws: Any) -> Any:
        named = {name: types.unliteral(kind) for name, kind in dict(kws).items()}
        return template(tuple(types.unliteral(kind) for kind in args), named)

    return found


@cache
def _drop_stale(folder: Path) -> None:
    """Remove the kernels of other sources; where that cannot be done, nothing is."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        stamp = folder / _STAMP
        if not stamp.exists() or stamp.read_text(encoding="ascii", errors="replace") != digest():
            for kernel in folder.glob("*.nb[ci]"):
                kernel.unlink(missing_ok=True)
            stamp.write_text(digest(), encoding="ascii")
