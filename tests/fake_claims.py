"""Claims files with checks that find what they are told to find, for tests of what runs them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

HEAD = """\
import os
import time
from dataclasses import dataclass, field
from verify.claims import Domain, Finding, Kind, Verdict, claim

LOG = None

def log(text):
    if LOG:
        with open(LOG, "a") as file:
            file.write(text + "\\n")

@dataclass(frozen=True)
class Fake:
    verdict: str
    random: bool = False
    of_formula: bool = False
    name: str = "fake"
    sleep: float = 0.0
    evidence: dict = field(default_factory=dict)
    witness: dict = field(default_factory=lambda: {"line": "print(True)"})

    def run(self, claim, effort):
        log(f"{claim.label} {self.name} {os.getpid()}")
        time.sleep(self.sleep)
        if self.verdict == "crash":
            raise ZeroDivisionError("no such\\nnumber")
        if self.verdict == "die":
            os._exit(7)
        witness = self.witness if self.verdict == "refuted" else None
        told = {"seed": effort.seed, **self.evidence}
        if self.verdict == "proved":
            told = {"complete": True, "cases": 1, **told}
        if self.verdict == "proved-on-box":
            told = {"box": "a part", "cases": 1, **told}
        return Finding(self.name, Verdict(self.verdict), told, witness)

def fake(label, verdict, uses=(), **more):
    return claim(label, f"{label} in words", uses=uses, checks=[Fake(verdict)], **more)

"""


def write(folder: Path, body: str, name: str = "mine.py") -> Path:
    """A claims file with this body."""
    file = folder / name
    head = HEAD.replace("LOG = None", f"LOG = {os.environ.get('FAKE_LOG')!r}")
    file.write_text(head + body, encoding="utf-8")
    return file


def without_seconds(data: Any) -> Any:
    """The same document without its timings."""
    if isinstance(data, dict):
        return {key: without_seconds(value) for key, value in data.items() if key != "seconds"}
    return [without_seconds(item) for item in data] if isinstance(data, list) else data
