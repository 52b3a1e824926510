from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ctucbvi
from ctucbvi.study.pools import pool
from ctucbvi.study.shards import locked
from tests.cli.test_plan import refused, run
from tests.clusters import local_cluster, saved, wait_for

SMALL = ["regret", "machine-repair", "--episodes", "3000", "--runs", "3", "--seed", "4", "--workers", "1"]
COMMAND = [sys.executable, "-m", "ctucbvi", *SMALL[:-2]]


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> str:
    """The result of the small study, never interrupted, by one process."""
    from ctucbvi.cli import main

    file = tmp_path_factory.mktemp("plain") / "result.json"
    assert main([*SMALL, "--result", str(file), "--json"]) == 0
    return file.read_text()


def test_json_is_the_result_and_what_it_cost(capsys, plain):
    status, out, err = run(capsys, *SMALL, "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    cost = document.pop("cost")
    assert document == json.loads(plain)
    assert cost["episodes"] == 9000
    assert (cost["episodes_found"], cost["workers"], cost["cores"]) == (0, 1, os.cpu_count())
    (learner,) = document["learners"]
    count = len(document["checkpoints"])
    assert document["checkpoints"][-1] == 3000
    for column in (learner["mean"], learner["standard_error"], *learner["band"].values(), document["bound"]):
        assert len(column) == count
    assert document["bound"][0] is None
    assert "K = 1" in document["bound_missing"]
    assert all(mean < bound for mean, bound in zip(learner["mean"][1:], document["bound"][1:], strict=True))
    # Regret cannot decrease, and the first policy is the same in every run: nothing is known yet.
    assert sorted(learner["mean"]) == learner["mean"]
    assert learner["standard_error"][0] == 0


def test_the_first_episode_has_the_regret_of_its_policy(capsys, plain):
    # Nothing is known in the first episode: all pairs have the same large bonus, V = t, and the
    # rewards decide; with rate 0 they are r + b per unit of time, so the largest reward is best.
    model = ctucbvi.bundled_model("machine-repair")
    policy = ctucbvi.Policy.of(model, {"operating": "fast", "repair": "slow"})
    loss = ctucbvi.solve(model).value("operating") - ctucbvi.evaluate(policy).value("operating")
    assert json.loads(plain)["learners"][0]["mean"][0] == pytest.approx(float(loss.mid), abs=1e-9)


def test_text_shows_the_decades(capsys):
    status, out, _ = run(capsys, *SMALL, "--baselines", "greedy", "ucbvi@4")
    assert status == 0
    assert "ucbvi@4: expected regret" in out
    assert "V* = 0.641055569839922" in out
    assert [line.split()[0] for line in out.splitlines() if line[:1].isdigit()][:5] == [
        "1", "10", "100", "1000", "3000",
    ]  # fmt: skip
    assert "greedy: expected regret" in out
    assert "0/0 at K = 1" in out


def test_the_figure_has_the_same_bytes_every_time(capsys, tmp_path):
    files = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for file in files:
        run(capsys, *SMALL, "--figure", str(file))
    first, second = (file.read_bytes() for file in files)
    assert first == second
    assert b"<svg" in first
    assert b"<dc:date>" not in first
    for kind in ("png", "pdf"):
        run(capsys, *SMALL, "--figure", str(tmp_path / f"three.{kind}"))
        assert (tmp_path / f"three.{kind}").stat().st_size > 2000


def test_a_model_file_of_ones_own(capsys, tmp_path):
    file = tmp_path / "mine.toml"
    ctucbvi.save_model(ctucbvi.bundled_model("queue"), file)
    message = refused(capsys, "regret", str(file), "--episodes", "50", "--runs", "1", "--workers", "1")
    assert "--rescale=" in message
    rescale = message.split("rescale them with ")[1].split(" ")[0]
    arguments = [str(file), "--episodes", "50", "--runs", "1", "--workers", "1", rescale, "--json"]
    status, out, _ = run(capsys, "regret", *arguments)
    assert status == 0
    assert json.loads(out)["learners"][0]["standard_error"] is None


def test_a_distribution_of_initial_states(capsys):
    options = ["--initial", "operating=1/2", "--initial", "repair=1/2", "--json"]
    status, out, _ = run(capsys, *SMALL, *options)
    assert status == 0
    solution = ctucbvi.solve(ctucbvi.bundled_model("machine-repair"))
    mixed = sum(float(solution.value(x).mid) for x in ("operating", "repair")) / 2
    assert float(json.loads(out)["optimal"]["value"]) == pytest.approx(mixed, abs=1e-12)
    assert json.loads(out)["initial"] == {"operating": "1/2", "repair": "1/2"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--episodes", "0"], "episodes: 0"),
        (["--runs", "0"], "runs: 0"),
        (["--seed", "-1"], "seed: -1"),
        (["--steps", "0"], "steps: 0"),
        (["--workers", "0"], "--workers 0"),
        (["--block", "0"], "block: 0"),
        (["--delta", "2"], "delta: 2"),
        (["--epsilon", "2"], "epsilon: '2' is unknown"),
        (["--lambda-max", "1"], "lambda-max: 1 is below"),
        (["--lambda-min", "5"], "lambda-min: 5 is above"),
        (["--confidence", "1"], "--confidence 1"),
        (["--initial", "operating"], "--initial: 'operating' is not STATE=P"),
        (["--initial", "operating=1/2"], "add up to 1/2"),
        (["--rescale", "1"], "--rescale 1: write two numbers"),
        (["--rescale=-1,1"], "must be positive"),
        (["--baselines", "perfect"], "learner 'perfect' is unknown"),
        (["--baselines", "greedy", "greedy"], "listed twice"),
        (["--baselines", "ucbvi@0"], "write ucbvi@N"),
        (["--figure", "x.txt"], "--figure 'x.txt'"),
        (["--figure", "no/such/x.svg"], "--figure 'no/such/x.svg'"),
        (["--result", "no/such/x.json"], "--result 'no/such/x.json'"),
        (["--cluster", "tcp://127.0.0.1:9"], "no scheduler answers"),
    ],
)
def test_bad_input_is_one_line(capsys, monkeypatch, options, message):
    monkeypatch.setattr("verify.clusters._PATIENCE", 1)
    if "--cluster" in options:
        pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    study = SMALL[:-2] if "--cluster" in options else SMALL  # a cluster has its own workers
    assert message in refused(capsys, *study, *options)


def test_a_folder_of_another_study_is_refused(capsys, tmp_path):
    short = ["regret", "machine-repair", "--runs", "1", "--workers", "1", "--out", str(tmp_path)]
    assert run(capsys, *short, "--episodes", "100")[0] == 0
    assert "episodes is 100 there and 101 here" in refused(capsys, *short, "--episodes", "101")


def test_without_the_cluster_extra_the_message_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "pip install 'ctucbvi[cluster]'" in refused(capsys, *SMALL[:-2], "--cluster", "tcp://127.0.0.1:9")


# --- processes that are killed --------------------------------------------------------------


def kill_after(process: subprocess.Popen[bytes], folder: Path, episodes: int, number: int) -> None:
    """Send a signal once so many episodes are on disk."""
    wait_for(process, folder, episodes)
    process.send_signal(number)


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.thorough), "2"])
def test_killed_twice_at_random_points_the_result_is_the_same(plain, tmp_path, workers):
    folder, result = tmp_path / "study", tmp_path / "result.json"
    command = [
        *COMMAND,
        "--workers",
        workers,
        "--block",
        "100",
        "--out",
        str(folder),
        "--result",
        str(result),
    ]
    where = random.Random(int(workers))
    reached = []
    for _ in range(2):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        kill_after(
            process, folder, where.randrange(saved(folder) + 100, saved(folder) + 3000), signal.SIGKILL
        )
        assert process.wait() == -signal.SIGKILL
        assert not result.exists()
        reached.append(saved(folder))
    assert 0 < reached[0] < reached[1] < 9000
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert result.read_text() == plain


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_process_that_is_asked_to_end_says_how_to_go_on(tmp_path, workers):
    folder = tmp_path / "study"
    command = [*COMMAND, "--workers", workers, "--block", "100", "--out", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    kill_after(process, folder, 500, signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 143
    assert out == b""
    assert err.decode().splitlines()[-2:] == [
        f"ctucbvi: what was finished is in {folder}; the same command goes on",
        "ctucbvi: terminated",
    ]
    assert not any(word in err for word in (b"Traceback", b"resource_tracker", b"Warning"))
    assert 0 < saved(folder) < 9000


def test_ctrl_c_says_how_to_go_on(tmp_path):
    folder = tmp_path / "study"
    command = [*COMMAND, "--workers", "2", "--block", "100", "--out", str(folder)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    kill_after(process, folder, 500, 0)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == b""
    assert b"Traceback" not in err
    assert b"the same command goes on" in err
    assert 0 < saved(folder) < 9000


def test_ctrl_c_does_not_meet_workers_that_are_just_starting():
    with pool(2, None) as (submit, _):
        futures = [submit(abs, -each, 0.0) for each in (1, 2)]
        for child in multiprocessing.active_children():
            os.kill(child.pid, signal.SIGINT)  # before they have imported anything
        assert [future.result(60) for future in futures] == [1, 2]


# --- a cluster -------------------------------------------------------------------------------


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two worker processes."""
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    with local_cluster(tmp_path, [Path.cwd()] * 2) as found:
        yield found


def test_a_cluster_that_loses_a_worker_finds_the_same(plain, tmp_path, cluster):
    address, workers, _ = cluster
    folder, result = tmp_path / "study", tmp_path / "result.json"
    options = ["--cluster", address, "--block", "100", "--out", str(folder), "--result", str(result)]
    process = subprocess.Popen([*COMMAND, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_for(process, folder, 1500)
    assert process.poll() is None
    workers[0].kill()
    workers[0].wait()
    at_the_kill = saved(folder)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err.decode()
    assert 1500 <= at_the_kill < 9000
    assert result.read_text() == plain


def test_a_cluster_whose_scheduler_dies_says_so(tmp_path, cluster):
    address, _, scheduler = cluster
    folder = tmp_path / "study"
    command = [*COMMAND, "--cluster", address, "--block", "20", "--out", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_for(process, folder, 100)
    scheduler.kill()
    _, err = process.communicate(timeout=100)
    assert process.returncode == 1
    assert b"Traceback" not in err
    told = (
        f"the scheduler at {address} is gone; what was finished is in {folder}, and the same command goes on"
    )
    assert told in err.decode()


# --- what is said ----------------------------------------------------------------------------


@pytest.mark.parametrize(("bonus", "name"), [("paper", "ct-ucbvi"), ("sharp", "sharp"), ("none", "greedy")])
def test_a_curve_has_the_name_of_what_was_played(capsys, bonus, name):
    status, out, _ = run(capsys, *SMALL, "--bonus", bonus, "--episodes", "200", "--json")
    assert status == 0
    assert [learner["name"] for learner in json.loads(out)["learners"]] == [name]


def test_what_the_grid_costs_is_said(capsys):
    _, out, _ = run(capsys, *SMALL, "--baselines", "ucbvi@4")
    assert "on its grid of 100 cells the best policy loses at most 1.76e-07 per episode, 0.0012 %" in out
    assert out.count("on its grid") == 1
    _, out, _ = run(capsys, *SMALL, "--steps", "1")
    assert "on its grid of 1 cells" in out
    assert "% of the regret; more cells with --steps" in out


def test_pairs_that_keep_their_bonus_are_named(capsys):
    queue = ["regret", "queue", "--episodes", "50", "--runs", "1", "--workers", "1", "--rescale=1/14,4/7"]
    assert "never left (rate 0): 0/reject" in run(capsys, *queue)[1]
    assert "never left" not in run(capsys, *queue, "--bonus", "sharp")[1]
    assert json.loads(run(capsys, *queue, "--json")[1])["never_left"][0]["action"] == "reject"


def test_an_accuracy_that_underflows_is_no_endless_loop(capsys):
    small = ["--lambda-max", "800", "--epsilon", "k^-1/2*exp(-lambda_max*H)"]
    assert run(capsys, *SMALL, *small, "--episodes", "100", "--runs", "1")[0] == 0
    assert run(capsys, "learn", "machine-repair", "--episodes", "3", *small)[0] == 0


def test_a_folder_in_use_is_one_line(capsys, tmp_path):
    with locked(tmp_path):
        assert "another process is at work there" in refused(capsys, *SMALL, "--out", str(tmp_path))


OWN = """\
class Learner:
    def __init__(self, task):
        self.task = task

    def begin(self, episode):
        return lambda state, remaining: self.task.actions[state][0]

    def observe(self, visit):
        self.last = visit
"""


def test_a_learner_of_ones_own_takes_part(capsys, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(OWN)
    arguments = ["machine-repair", "--episodes", "5", "--runs", "2", "--steps", "4", "--workers", "1"]
    status, out, _ = run(capsys, "regret", *arguments, "--learner", str(mine), "--json")
    first, own = json.loads(out)["learners"]
    assert status == 0
    assert (first["name"], own["name"], own["steps"]) == ("ct-ucbvi", "mine.py", 4)
    assert len(own["learner_sha256"]) == 64
    assert own["standard_error"][-1] == 0  # one policy, whatever happens
    assert own["mean"][-1] == pytest.approx(5 * own["mean"][0])
    mine.write_text(OWN.replace("[0]", "[7]"))
    message = refused(capsys, "regret", *arguments, "--learner", str(mine))
    assert "mine.py: line 6: IndexError" in message


COUNTS = (
    OWN.replace("self.last = visit", "self.seen += 1")
    .replace("[0]", "[self.seen % 2]")
    .replace("self.task = task", "self.task, self.seen = task, 0")
)


def test_killed_the_result_of_a_learner_of_ones_own_is_the_same(tmp_path):
    mine, folder = tmp_path / "mine.py", tmp_path / "study"
    mine.write_text(COUNTS)
    study = [*COMMAND[:4], "machine-repair", "--episodes", "600", "--runs", "2", "--steps", "4"]
    command = [*study, "--learner", str(mine), "--result"]
    plain, result = tmp_path / "plain.json", tmp_path / "result.json"
    subprocess.run([*command, str(plain), "--workers", "1"], check=True, stdout=subprocess.DEVNULL)
    kept = [*command, str(result), "--workers", "2", "--block", "20", "--out", str(folder)]
    process = subprocess.Popen(kept, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    kill_after(process, folder, 1300, signal.SIGKILL)  # the first 1200 are CT-UCBVI's
    assert process.wait() == -signal.SIGKILL
    assert 0 < sum(saved(part) for part in folder.glob("mine*")) < 1200
    subprocess.run(kept, check=True, stdout=subprocess.DEVNULL)
    assert result.read_text() == plain.read_text()
