"""One Chromium for all tests of pages, and what a page did wrong while it was open."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def chromium() -> str | None:
    """Where the system has one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@dataclass
class Opened:
    """A page in the browser, and its misdeeds."""

    page: Any
    errors: list[str] = field(default_factory=list)  # of the console, and thrown
    requests: list[str] = field(default_factory=list)

    def state(self) -> dict[str, str]:
        """What the address says."""
        text = self.page.evaluate("location.hash.slice(1)")
        return dict(part.split("=", 1) for part in text.split("&") if part)

    def shown(self, selector: str) -> list[str]:
        """The texts of the elements that can be seen."""
        script = "els => els.filter(e => e.checkVisibility()).map(e => e.textContent)"
        found: list[str] = self.page.locator(selector).evaluate_all(script)
        return found


@contextmanager
def opened(browser: Any, file: Path, *, hash: str = "", width: int = 1280, **more: Any) -> Iterator[Opened]:  # noqa: A002 -- the URL's own word
    """The file in a context of its own; at the end it must not have complained nor asked for anything."""
    context = browser.new_context(viewport={"width": width, "height": 900}, **more)
    one = Opened(context.new_page())
    one.page.on("console", lambda m: one.errors.append(m.text) if m.type in ("error", "warning") else None)
    one.page.on("pageerror", lambda error: one.errors.append(str(error)))
    one.page.on("request", lambda request: one.requests.append(request.url))
    try:
        one.page.goto(file.as_uri() + hash)
        yield one
        assert one.errors == []
        asked = [url for url in one.requests if not url.startswith((file.as_uri(), "data:"))]
        assert asked == []
    finally:
        context.close()
