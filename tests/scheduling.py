"""Which tests one process runs: those of a file, and of files that share what takes long to make.

A file is given to one of the processes of pytest-xdist, so that its fixtures and what it keeps in memory are
made once; so are the derivations of ``claims/proofs.py``, and the kernels of the learners, which the first
tests that need them compile.  Where tests share nothing and take long, each is given out alone.

The groups of pytest-xdist itself are marks that it writes into the ids of tests, which pytest since 9.2 does
not notice (pytest-dev/pytest-xdist#1386): everything was made by every process.
"""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

TOGETHER = {
    "derivations": ["claims/test_any_learner", "claims/test_optimistic_theorem"],
    "compiled learners": ["cli/test_bonus", "cli/test_learn", "cli/test_losses", "cli/test_regret"],
    "browser": ["page/test_bounds_panel", "page/test_broken", "page/test_hostile", "page/test_page"],
}
APART = ["quality/test_forged_certificates", "quality/test_hostile_claims", "unit/test_running_parallel"]

_GROUP_OF = {f"tests/{file}.py": group for group, files in TOGETHER.items() for file in files}
_APART = {f"tests/{file}.py" for file in APART}


def scope(nodeid: str) -> str:
    """Tests with the same scope are run by one process, one after the other."""
    file = nodeid.partition("::")[0]
    return nodeid if file in _APART else _GROUP_OF.get(file, file)


class Scheduling(LoadScopeScheduling):
    """Gives out scopes."""

    def _split_scope(self, nodeid: str) -> str:
        return scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    """Whatever ``--dist`` says, and in the order of the files: many short ones of ``unit/`` end the run."""
    config.option.loadscopereorder = False
    return Scheduling(config, log)
