"""Somebody's learner on a cluster: workers without its file, one that is killed, a client that is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ctucbvi.cli import main
from tests.cli.test_plan import refused
from tests.clusters import local_cluster, saved, wait_for
from tests.unit.test_study_guests import ASKED, LEARNS

STUDY = ["regret", "machine-repair", "--episodes", "300", "--runs", "2", "--seed", "4", "--steps", "10"]
TOTAL = 300 * 2 * 3  # of ct-ucbvi and two guests


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """Where the files are, and what one process finds there."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "mine.py").write_text(LEARNS)
    (folder / "asked.py").write_text(ASKED)
    files = [word for name in ("mine.py", "asked.py") for word in ("--learner", str(folder / name))]
    assert main([*STUDY, *files, "--workers", "1", "--json", "--result", str(folder / "plain.json")]) == 0
    return folder


@pytest.fixture(scope="module")
def cluster(home, tmp_path_factory):
    """Two workers, in directories that do not have the file."""
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    places = [tmp_path_factory.mktemp(name) for name in ("elsewhere", "nowhere")]
    with local_cluster(tmp_path_factory.mktemp("cluster"), places) as found:
        yield found


def begun(home: Path, cluster, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "ctucbvi", *STUDY, "--cluster", cluster.address, *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    given = {**pipes, "cwd": home, "start_new_session": True, "env": {**os.environ, "PYTHONPATH": path}}
    return subprocess.Popen(command, **given)


def test_what_goes_wrong_in_the_file_is_one_line_from_a_worker_too(home, cluster, capsys):
    file = home / "broken.py"
    file.write_text(LEARNS.replace("self.late =", "assert episode < 250, 'too far'; self.late ="))
    options = ["--cluster", cluster.address, "--learner", str(file), "--block", "100"]
    assert refused(capsys, *STUDY, *options) == f"ctucbvi: {file}: line 11: AssertionError: too far\n"


def test_stopped_and_robbed_of_a_worker_the_result_is_the_same(home, cluster, tmp_path):
    """The last test of this cluster: one worker is left."""
    folder, result = tmp_path / "study", tmp_path / "result.json"
    files = ["--learner", "mine.py", "--learner", "asked.py"]
    options = [*files, "--block", "20", "--out", str(folder), "--result", str(result)]

    process = begun(home, cluster, *options)
    wait_for(process, folder, 200)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert b"the same command goes on" in err
    before = saved(folder)
    assert 200 <= before < TOTAL

    process = begun(home, cluster, *options)
    wait_for(process, folder, before + 200)
    assert process.poll() is None
    cluster.workers[0].kill()
    cluster.workers[0].wait()
    assert saved(folder) < TOTAL
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err.decode()
    assert result.read_text() == (home / "plain.json").read_text()
