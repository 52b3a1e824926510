"""rlberry-scool's UCBVI as a peer: microseconds per episode on a finite MDP of a given size.

It is asked in an interpreter of its own, since what it needs may not fit beside what is needed here: the one
named by ``CTUCBVI_RLBERRY_PYTHON``, or that of an environment which is made in ``build`` on the first call.
Only what UCBVI needs is installed, so none of rlberry's optional environments.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

_VARIABLE = "CTUCBVI_RLBERRY_PYTHON"
_BARE = (
    "rlberry==0.7.3",
    "rlberry-scool==0.7.3",
    "gymnasium==0.29.1",
    "adastop",
)  # without their dependencies
_WHOLE = (
    *("numpy", "numba", "scipy", "pandas", "matplotlib", "dill", "cloudpickle", "tqdm", "docopt", "pyyaml"),
    *("farama-notifications", "typing-extensions", "colorlog"),
)

# Reads {states, actions, horizon, episodes} from stdin and writes the seconds per episode of each repetition.
_WORKER = """
import json, logging, sys, time, warnings
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import numpy as np
from rlberry.envs.finite_mdp import FiniteMDP
from rlberry_scool.agents import UCBVIAgent
task = json.load(sys.stdin)
S, A, H = task["states"], task["actions"], task["horizon"]
random = np.random.default_rng(1)
P, R = random.dirichlet(np.ones(S), size=(S, A)), random.random((S, A))
seconds = []
for repetition in range(4):
    agent = UCBVIAgent(FiniteMDP(R, P, initial_state_distribution=0), horizon=H)
    began = time.process_time()
    agent.fit(task["episodes"])
    seconds.append((time.process_time() - began) / task["episodes"])
print(json.dumps(min(seconds[1:])))  # the first one compiles
"""


class PeerMissingError(RuntimeError):
    """The peer is not installed and cannot be."""


def python(folder: Path = Path("build/rlberry")) -> str:
    """An interpreter that has the peer; made if need be."""
    named = os.environ.get(_VARIABLE)
    if named:
        return named
    found = folder / "bin" / "python"
    if not (folder / "ready").exists():
        steps = [
            [sys.executable, "-m", "venv", str(folder)],
            [str(found), "-m", "pip", "install", "--quiet", "--no-deps", *_BARE],
            [str(found), "-m", "pip", "install", "--quiet", *_WHOLE],
        ]
        for step in steps:
            run = subprocess.run(step, capture_output=True, text=True, check=False)
            if run.returncode != 0:
                reason = (run.stderr.strip().splitlines() or ["no message"])[-1]
                raise PeerMissingError(f"{' '.join(step[:4])} failed ({reason}); or set {_VARIABLE}")
        (folder / "ready").touch()
    return str(found)


def seconds_per_episode(*, states: int, actions: int, horizon: int, episodes: int, interpreter: str) -> float:
    """The best of three runs."""
    task = {"states": states, "actions": actions, "horizon": horizon, "episodes": episodes}
    run = subprocess.run(
        [interpreter, "-c", _WORKER], input=json.dumps(task), capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        reason = (run.stderr.strip().splitlines() or ["no message"])[-1]
        raise PeerMissingError(
            f"rlberry-scool cannot be used ({reason}); set {_VARIABLE} to a Python that has it"
        )
    return float(json.loads(run.stdout.strip().splitlines()[-1]))
