"""The browser, and the pages that several tests look at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.page.browser import FLAGS, chromium
from tests.page.pages import large, small_page, written


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium()
    if path is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    with api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield found
        found.close()


@pytest.fixture(scope="session")
def paper(tmp_path_factory):
    return small_page(tmp_path_factory.mktemp("paper"))


@pytest.fixture(scope="session")
def many(tmp_path_factory):
    return written(tmp_path_factory.mktemp("many"), large())
