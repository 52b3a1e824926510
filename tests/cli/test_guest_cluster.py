"""On a cluster: a learner whose file no worker has, a grid of studies, a lost worker, a client that stops."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ctucbvi import bundled_model, save_model
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


GRID = """\
runs = 2
seed = 3
steps = 10

[[grid]]
model = "machine-repair"
learner = ["sharp", "mine.py"]
episodes = [40, 60]

[[grid]]
model = "mine.toml"
episodes = 50
"""


def test_a_grid_of_studies_is_on_a_cluster_what_it_is_in_one_process(home, cluster, capsys):
    """Workers have neither the learner's file nor the model's; each configuration has the same bytes."""
    (home / "grid.toml").write_text(GRID)
    save_model(bundled_model("queue").with_rewards("1/14", "4/7"), home / "mine.toml")
    found, shown = [], []
    for name, who in (
        ("here", ["--workers", "1"]),
        ("there", ["--cluster", cluster.address, "--block", "25"]),
    ):
        assert main(["study", str(home / "grid.toml"), *who, "--out", str(home / name)]) == 0
        shown.append(capsys.readouterr().out.partition("\n\n")[0])
        results = (home / name).glob("*/result.json")
        found.append({file.parent.name: file.read_bytes() for file in results})
    assert found[0] == found[1]
    assert len(found[0]) == 5
    assert shown[0] == shown[1]


def test_on_a_cluster_a_grid_goes_on_from_what_is_there(home, cluster, capsys, tmp_path):
    """A run that another process has finished is not played again, whoever would do it."""
    (tmp_path / "grid.toml").write_text(GRID.replace("mine.py", "greedy").replace("mine.toml", "maintenance"))
    command = ["study", str(tmp_path / "grid.toml"), "--out", str(tmp_path / "out")]
    text = (tmp_path / "grid.toml").read_text()
    (tmp_path / "grid.toml").write_text(text.partition('[[grid]]\nmodel = "maintenance"')[0])
    assert main([*command, "--workers", "1"]) == 0
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "out").rglob("run-*.json")}
    (tmp_path / "grid.toml").write_text(text.replace("episodes = 50", 'episodes = 50\nrescale = "auto"'))
    assert main([*command, "--cluster", cluster.address]) == 0
    assert len(before) == 8
    assert all(file.stat().st_mtime_ns == then for file, then in before.items())
    assert saved(tmp_path / "out") == 2 * (2 * (40 + 60) + 50)
    assert "5 configurations" in capsys.readouterr().out


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
