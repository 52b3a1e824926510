"""Sums as bytes: named tuples of arrays, as they are kept between the blocks of a run."""

from __future__ import annotations

import io
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def packed(sums: Any) -> bytes:
    """The arrays of a named tuple."""
    file = io.BytesIO()
    np.savez_compressed(file, **sums._asdict())
    return file.getvalue()


def unpacked(kind: type[T], data: bytes) -> T:
    """The named tuple that :func:`packed` was given."""
    stored = np.load(io.BytesIO(data), allow_pickle=False)
    return kind(*(stored[name] for name in kind._fields))  # type: ignore[attr-defined]  # a named tuple has them
