"""What a command prints must not depend on whether compiled code was cached already."""

from __future__ import annotations

import pytest

from verify import progress


@pytest.fixture(autouse=True)
def no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiling takes seconds the first time; a progress line about it would be noise here."""
    monkeypatch.setattr(progress, "_SILENT", 1e9)
