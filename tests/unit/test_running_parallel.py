"""Many processes find what one finds, and a killed run loses nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.fake_claims import without_seconds, write
from verify.running.cache import Cache
from verify.running.loading import Source
from verify.running.runs import run_claims
from verify.running.written import document

MIXED = """
import random
@dataclass(frozen=True)
class Draws(Fake):
    def run(self, claim, effort):
        return Finding(self.name, Verdict.SUPPORTED, {"drawn": random.random(), "share": str(effort.error)})

CLAIMS = [
    fake("a", "proved"),
    fake("b", "tested", ["a"]),
    claim("c", "words", uses=["b"], checks=[Draws("supported", random=True)]),
    claim("d", "words", checks=[Fake("tested"), Draws("supported", random=True)]),
    fake("e", "refuted", ["c", "d"]),
    fake("f", "crash"),
]
"""

# What a mutant would do: find something else in every process.
DEPENDS = """
@dataclass(frozen=True)
class Depends(Fake):
    def run(self, claim, effort):
        return Finding(self.name, Verdict.TESTED, {"process": os.getpid()})

CLAIMS = [claim("a", "words", checks=[Depends("tested")])]
"""


def found(file, folder, workers):
    run = run_claims(Source(file=str(file)), workers=workers, cache=Cache(folder / f"cache{workers}"))
    return json.dumps(without_seconds(document(run)))


def test_parallel_is_serial_bit_for_bit(tmp_path):
    file = write(tmp_path, MIXED)
    serial = found(file, tmp_path, 0)
    assert found(file, tmp_path, 2) == serial
    assert [c["verdict"] for c in json.loads(serial)["claims"]] == [
        "proved", "tested", "supported", "supported", "refuted", "undecided"
    ]  # fmt: skip


def test_a_check_that_depends_on_its_process_is_caught_by_this_comparison(tmp_path):
    file = write(tmp_path, DEPENDS)
    assert found(file, tmp_path, 1) != found(file, tmp_path, 0)


def test_a_worker_that_dies_is_a_failed_check_and_the_others_go_on(tmp_path, monkeypatch):
    log = tmp_path / "log"
    monkeypatch.setenv("FAKE_LOG", str(log))
    file = write(tmp_path, "CLAIMS = [fake('a', 'die'), fake('b', 'proved'), fake('c', 'tested', ['a'])]")
    run = run_claims(Source(file=str(file)), workers=1, cache=Cache(tmp_path / "cache"))
    assert run.results["a"].error == "check worker failed: its process died (exit status 7)"
    assert [str(r.verdict) for r in run.results.values()] == ["undecided", "proved", "tested"]
    pids = [line.split()[2] for line in log.read_text().splitlines()]
    assert pids[0] != pids[1] == pids[2] != str(os.getpid())


WORKS = """
from verify import progress
progress._EVERY = 0.0

@dataclass(frozen=True)
class Works(Fake):
    def run(self, claim, effort):
        for i in range(4):
            progress.working(i / 4)
            time.sleep(0.05)
        return super().run(claim, effort)

CLAIMS = [claim(label, "words", checks=[Works("tested")]) for label in "ab"]
"""


@pytest.mark.parametrize("workers", [0, 1])
def test_progress_is_told(tmp_path, workers):
    file = write(tmp_path, WORKS)
    told: list[tuple[int, int, list[tuple[str, float]]]] = []
    run_claims(
        Source(file=str(file)),
        workers=workers,
        cache=Cache(tmp_path / "cache"),
        progress=lambda done, total, now: told.append((done, total, [(one.label, one.part) for one in now])),
    )
    assert told[0] == (0, 2, [("a", 0.0)])
    assert (1, 2, [("b", 0.5)]) in told
    assert {done for done, _, _ in told} <= {0, 1, 2}


# --- a run that is ended in the middle -----------------------------------------------------

SLOW = """
CLAIMS = [claim(f"c{i}", "words", checks=[Fake("tested", sleep=0.1)]) for i in range(10)]
CLAIMS.append(fake("top", "proved", [one.label for one in CLAIMS]))
"""


def start(file, cache) -> subprocess.Popen[str]:
    environment = {**os.environ, "VERIFY_CACHE": str(cache)}
    command = [sys.executable, "-m", "verify", "verify", "--claims", str(file), "--workers", "2", "--json"]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, env=environment, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    )


def until(condition) -> None:
    """Wait for something that takes a moment; the test's own time limit is far away."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def runs(pid: int) -> bool:
    """Whether the process is there and has not ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks processes up in /proc")
@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_an_ended_run_resumes_and_ends_like_one_that_was_not(tmp_path, how, monkeypatch):
    cache, log = tmp_path / "cache", tmp_path / "log"
    monkeypatch.setenv("FAKE_LOG", str(log))
    file = write(tmp_path, SLOW)
    first = start(file, cache)
    until(lambda: len(list(cache.glob("results/*.json"))) >= 3)
    if how == "SIGKILL":
        first.kill()
    else:
        os.killpg(first.pid, signal.SIGINT)  # Ctrl-C reaches the workers too
    out, err = first.communicate()
    assert (first.returncode, out) == ((-9, "") if how == "SIGKILL" else (130, ""))
    if how == "SIGINT":
        assert err.endswith(
            "python -m verify: what is finished is kept; the same command goes on from there\n"
            "python -m verify: interrupted\n"
        )
    workers = {int(line.split()[2]) for line in log.read_text().splitlines()}
    until(lambda: not any(map(runs, workers)))
    kept = {json.loads(f.read_text())["result"]["label"] for f in cache.glob("results/*.json")}
    assert 3 <= len(kept) < 11
    log.unlink()
    resumed = start(file, cache).communicate()[0]
    again = {line.split()[0] for line in log.read_text().splitlines()}
    assert again == {"top", *(f"c{i}" for i in range(10))} - kept
    whole = document(run_claims(Source(file=str(file)), workers=0, cache=Cache(tmp_path / "other")))
    assert without_seconds(json.loads(resumed)) == without_seconds(whole)
