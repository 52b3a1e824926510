"""Claims on a cluster: what one process finds, whoever dies, and no answer of anybody who is not the same."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys

import pytest

from tests.clusters import local_cluster
from tests.fake_claims import without_seconds, write
from tests.unit.test_running_parallel import MIXED, until
from verify.claims import ClaimError
from verify.running import cluster as asking
from verify.running.cache import Cache
from verify.running.fingerprints import Fingerprints
from verify.running.loading import Source
from verify.running.runs import run_claims
from verify.running.written import document

# Crashes, dies, draws, hashes, and needs a helper; what is found depends on no process but for its mistakes.
EVERYTHING = (
    "from pack.helper_q import VERDICT\n"
    + MIXED
    + """
@dataclass(frozen=True)
class Hashed(Fake):
    def run(self, claim, effort):
        order, threads = list({"ab", "cd", "ef", "gh"}), os.environ.get("OMP_NUM_THREADS")
        return Finding(self.name, Verdict.TESTED, {"order": order, "threads": threads})

CLAIMS += [fake("h", VERDICT), fake("dies", "die"), claim("order", "words", checks=[Hashed("tested")])]
"""
)
SLOW = 'CLAIMS = [claim(f"c{i}", "words", checks=[Fake("tested", sleep=0.3)]) for i in range(12)]'


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Where checks say, on whatever worker, that they were run."""
    return tmp_path_factory.mktemp("log") / "log"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, log):
    """Two workers, in folders that have nothing."""
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    places = [tmp_path_factory.mktemp(name) for name in ("elsewhere", "nowhere")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAKE_LOG", str(log))
        patch.delenv("PYTHONHASHSEED", raising=False)
        with local_cluster(tmp_path_factory.mktemp("cluster"), places) as found:
            yield found


def mine(folder, body=EVERYTHING):
    (folder / "pack").mkdir(exist_ok=True)
    (folder / "pack" / "helper_q.py").write_text('VERDICT = "tested"\n')
    return write(folder, body)


def found(file, cache, **who) -> dict:
    return without_seconds(document(run_claims(Source(file=str(file)), cache=Cache(cache), **who)))


def test_a_cluster_finds_what_processes_here_find(tmp_path, cluster, log):
    file = mine(tmp_path)
    here = found(file, tmp_path / "here", workers=1)
    there = found(file, tmp_path / "there", cluster=cluster.address)
    assert json.dumps(there) == json.dumps(here)  # the trace of what crashed, too
    verdicts = {claim["label"]: claim for claim in there["claims"]}
    assert verdicts["dies"]["evidence"]["error"] == "its process died (exit status 7)"
    assert verdicts["order"]["evidence"]["threads"] == "1"
    names = [sorted(path.name for path in (tmp_path / x / "results").iterdir()) for x in ("here", "there")]
    assert names[0] == names[1]  # the same keys
    assert len(names[0]) == len(verdicts) - 3  # without what crashed, what died, and what reads a variable

    before = log.read_text()
    assert found(file, tmp_path / "here", cluster=cluster.address) == here
    assert {line.split()[0] for line in log.read_text().removeprefix(before).splitlines()} == {"f", "dies"}


def test_a_worker_with_other_versions_is_refused(tmp_path, cluster, monkeypatch):
    other = {**asking.versions(), "sympy": "0.0"}
    monkeypatch.setattr(asking, "versions", lambda: other)
    with pytest.raises(ClaimError, match=r"worker tcp://\S+: sympy is 1\.\S+ there and 0\.0 here; install"):
        found(mine(tmp_path), tmp_path / "cache", cluster=cluster.address)
    assert list((tmp_path / "cache" / "results").iterdir()) == []


@pytest.mark.parametrize("seed", range(2))
def test_a_worker_with_other_sources_is_refused(tmp_path, cluster, monkeypatch, seed):
    """Whatever byte of whatever file is another one, or a file is missing."""
    file, draw, real = mine(tmp_path), random.Random(seed), Fingerprints.beside

    def other(self, *claims):
        files = real(self, *claims)
        name = draw.choice(sorted(files))
        at = draw.randrange(len(files[name]))
        return {**files, name: files[name][:at] + b"#" + files[name][at:]}

    monkeypatch.setattr(Fingerprints, "beside", other)
    with pytest.raises(ClaimError, match=r"^--cluster: worker tcp://\S+: .*; install the same") as refused:
        found(file, tmp_path / "cache", cluster=cluster.address)
    assert "\n" not in str(refused.value)
    assert list((tmp_path / "cache" / "results").iterdir()) == []


def test_work_that_a_worker_cannot_read_is_one_line(tmp_path, cluster, monkeypatch):
    def unknown(errand, task):
        raise ModuleNotFoundError("No module named 'verify'")

    monkeypatch.setattr(asking, "check", unknown)
    with pytest.raises(ClaimError, match=r"a worker cannot begin .*No module named 'verify'.*; install"):
        found(mine(tmp_path), tmp_path / "cache", cluster=cluster.address)


def begun(file, cache, cluster) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "verify", "verify", "--claims", str(file), "--json"]
    environment, pipe = {**os.environ, "VERIFY_CACHE": str(cache)}, subprocess.PIPE
    return subprocess.Popen(
        [*command, "--cluster", cluster.address],
        env=environment,
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
    )


def kept(cache) -> int:
    return len(list(cache.glob("results/*.json")))


@pytest.mark.thorough
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks processes up in /proc")
def test_stopped_and_robbed_of_a_worker_the_result_is_the_same(tmp_path, cluster, log):
    """The last but one of this cluster: one worker is left."""
    file, cache = write(tmp_path, SLOW), tmp_path / "cache"
    log.write_text("")
    first = begun(file, cache, cluster)
    until(lambda: kept(cache) >= 3)
    os.killpg(first.pid, signal.SIGINT)
    out, err = first.communicate()
    assert (first.returncode, out) == (130, "")
    assert err.endswith("the same command goes on from there\npython -m verify: interrupted\n")
    assert 3 <= kept(cache) < 12

    begun_then = len(log.read_text().splitlines())
    second = begun(file, cache, cluster)
    until(lambda: len(log.read_text().splitlines()) >= begun_then + 2 or second.poll() is not None)
    cluster.workers[0].kill()
    cluster.workers[0].wait()
    assert kept(cache) < 12
    out, err = second.communicate()
    assert second.returncode == 0, err
    here = found(file, tmp_path / "here", workers=0)
    assert without_seconds(json.loads(out))["claims"] == here["claims"]


def test_a_scheduler_that_goes_is_one_line_and_what_is_finished_is_kept(tmp_path, cluster):
    """The last of this cluster."""
    file, cache = write(tmp_path, SLOW), tmp_path / "cache"
    process = begun(file, cache, cluster)
    until(lambda: kept(cache) >= 1 or process.poll() is not None)
    cluster.scheduler.kill()
    out, err = process.communicate(timeout=100)
    assert (process.returncode, out) == (1, "")
    assert err.splitlines()[-1] == (
        f"python -m verify: the scheduler at {cluster.address} is gone; "
        "what is finished is kept; the same command goes on from there"
    )
    assert 1 <= kept(cache) < 12
