"""Tests that share what takes long to make are run by one process."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.scheduling import APART, TOGETHER, scope

ROOT = Path(__file__).parents[2]


def test_the_files_are_there_and_in_one_place():
    named = [file for files in (*TOGETHER.values(), APART) for file in files]
    assert [file for file in named if not (ROOT / "tests" / f"{file}.py").is_file()] == []
    assert len(set(named)) == len(named)


def test_scopes():
    shared = {scope(f"tests/{file}.py::test[{k}]") for file in TOGETHER["derivations"] for k in "ab"}
    assert shared == {"derivations"}
    assert scope("tests/unit/test_signs.py::test_a") == scope("tests/unit/test_signs.py::test_b[1]")
    assert scope("tests/unit/test_signs.py::test_a") != scope("tests/unit/test_model.py::test_a")
    assert scope(f"tests/{APART[0]}.py::test[a]") != scope(f"tests/{APART[0]}.py::test[b]")


def test_a_file_is_run_by_one_process_whatever_pytest_makes_of_ids(tmp_path):
    body = "import pytest\n@pytest.mark.parametrize('k', range(6))\ndef test(k): pass\n"
    files = [f"test_{name}.py" for name in "abcd"]
    for file in files:
        (tmp_path / file).write_text(body, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-v", "-n", "2", "-p", "tests.scheduling", "-c", "/dev/null"]
    options = ["--rootdir", str(tmp_path), "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False, cwd=ROOT)
    ran = re.findall(r"\[(gw\d)\].* PASSED (?:\S*/)?(test_.\.py)", done.stdout)
    assert len(ran) == 24, done.stdout + done.stderr
    assert {file: len({who for who, one in ran if one == file}) for file in files} == dict.fromkeys(files, 1)
    assert len({who for who, _ in ran}) == 2
