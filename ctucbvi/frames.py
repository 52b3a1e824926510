"""Rows as a pandas table, for those who have pandas: it is loaded when a table is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ctucbvi.errors import InputError


def frame(rows: Iterable[Mapping[str, Any]], **shape: Any) -> Any:
    """A ``pandas.DataFrame`` of the rows; ``shape`` is what else pandas is to know, like its columns."""
    try:
        import pandas  # not needed for anything else
    except ImportError:
        raise InputError("to_frame: pandas is not installed; write pip install pandas") from None
    return pandas.DataFrame(list(rows), **shape)
