"""What is printed arrives, or it is said why not: by every command, whatever becomes of its output."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest

import ctucbvi
from ctucbvi.cli import build_parser
from ctucbvi.cli import main as command
from tests.benchmarks.corpus.__main__ import main as corpus
from verify import streams
from verify.__main__ import main as claims
from verify.coq.__main__ import main as coq
from verify.recheck.__main__ import main as recheck

ROOT = Path(__file__).parents[2]
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no disk that is always full")


class Program(NamedTuple):
    """One way to run one program, as cheap as its output is complete."""

    module: str
    main: Callable[[list[str]], int]
    words: str
    good: tuple[int, ...] = (0,)


RUNS = {
    "plan": "plan {model} --digits 5",
    "plan both": "plan {model} --semantics both --json --digits 5",
    "plan symbolic": "plan {model} --symbolic 1",
    "crosscheck": "crosscheck {model} --digits 5",
    "certify": "certify {model} {certificate}",
    "learn": "learn {model} --episodes 2",
    "learn json": "learn {model} --episodes 2 --json",
    "regret": "regret {model} --episodes 4 --runs 2 --workers 1",
    "study": "study {study} --workers 1",
    "losses": "losses {model} --episodes 4 --runs 2 --workers 1",
    "constants": "constants {model} --K 1e6",
    "constants json": "constants {model} --K 1e6 --json",
    "models": "models",
    "models out": "models machine-repair",
    "claims": "claims lem:poisson*",
    "verify": "verify --claims {claims} --workers 1",
    "completion": "completion fish",
    "help": "plan --help",
}
PROGRAMS = {name: Program("ctucbvi", command, words) for name, words in RUNS.items()} | {
    "report": Program("ctucbvi", command, "report --help"),  # a run takes minutes; what it prints is a line
    "of claims": Program("verify", claims, "verify --claims {claims} --workers 1 --json"),
    "coq": Program("verify.coq", coq, "{empty}", good=(0, 2)),  # 2 where there is no coqc
    "recheck": Program("verify.recheck", recheck, "{run}", good=(0, 1)),
    "corpus": Program("tests.benchmarks.corpus", corpus, "--help"),
}
CLAIMS = """
from verify import Section

section = Section(source="λ", symbols={"l": "λ"})
section.claim("lem:λ", "λ <= λ + 1", says="l <= l + 1", domain="l > 0", expected="proved")
"""
STUDY = """
runs = 2
episodes = 4

[[grid]]
model = "model.toml"
"""
FILES = {"claims": "mine.py", "study": "study.toml", "model": "model.toml"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """What the programs read, with letters that few encodings have."""
    folder = tmp_path_factory.mktemp("streams")
    text = ctucbvi.dump_model(ctucbvi.bundled_model("machine-repair"))
    texts = {"claims": CLAIMS, "study": STUDY, "model": text.replace("machine-repair", "réparation λ")}
    found = {name: folder / FILES[name] for name in FILES} | {
        name: folder / name for name in ("certificate.json", "run.json", "out", "empty")
    }
    for name, text in texts.items():
        found[name].write_text(text, encoding="utf-8")
    found["empty"].mkdir()
    words = [
        "plan",
        str(found["model"]),
        "--engine",
        "numeric",
        "--certificate",
        str(found["certificate.json"]),
    ]
    assert command(words) == 0
    found["run.json"].write_text(json.dumps({"claims": [{"label": "lem:λ", "evidence": {"certificate": 1}}]}))
    return {name.partition(".")[0]: str(file) for name, file in found.items()}


@contextmanager
def strictly(file: Path) -> Iterator[None]:
    """Let standard output go there, as ASCII alone."""
    stream = file.open("w", encoding="ascii", errors="strict")
    try:
        with patch("sys.stdout", stream):
            yield
    finally:
        with suppress(OSError):  # a mutant's, which has told nobody that the disk is full
            stream.close()


def status(name: str, files: dict[str, str]) -> int:
    """How a program ends."""
    program = PROGRAMS[name]
    try:
        return program.main([word.format(**files) for word in program.words.split()])
    except SystemExit as left:
        return left.code


def printed(name: str, files: dict[str, str], file: Path) -> str:
    """What a program prints into a file that takes ASCII alone."""
    with strictly(file):
        assert status(name, files) in PROGRAMS[name].good
    return file.read_text(encoding="ascii")


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_prints_where_there_are_few_letters(name, files, tmp_path):
    text = printed(name, files, tmp_path / "out.txt")
    assert text or name == "coq"
    if "json" in PROGRAMS[name].words:
        assert json.loads(text)


@needs_full
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_says_that_the_disk_is_full(name, files, capsys):
    with strictly(FULL):
        assert status(name, files) == 2
    *_, line = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"[\w. -]+: (standard output cannot be written: No space left .*|.*coqc.*)", line)


def test_every_command_is_among_them():
    parser = build_parser()
    (commands,) = (set(a.choices) for a in parser._actions if a.dest == "command")
    assert commands == {program.words.split()[0] for program in PROGRAMS.values() if program.main is command}


# --- mutants ---------------------------------------------------------------------------------


def test_letters_that_are_not_replaced_are_noticed(files, tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "_ESCAPED", "strict")
    with pytest.raises(UnicodeEncodeError):
        printed("plan", files, tmp_path / "out.txt")


def test_escapes_that_no_program_reads_are_noticed(files, tmp_path, monkeypatch):
    assert "r\\u00e9paration \\u03bb" in printed("plan", files, tmp_path / "out.txt")
    monkeypatch.setattr(streams, "_ESCAPED", "backslashreplace")
    assert "r\\xe9paration \\u03bb" in printed("plan", files, tmp_path / "out.txt")


@needs_full
def test_what_is_lost_in_silence_is_noticed(files, monkeypatch):
    monkeypatch.setattr(streams._Stream, "failed", streams._Messages.failed)
    with strictly(FULL):
        assert status("plan", files) == 0


# --- in a process of its own -------------------------------------------------------------------

COERCED = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
WAYS: dict[str, tuple[dict[str, str], str]] = {
    "ascii": ({"PYTHONIOENCODING": "ascii"}, ""),
    "cp1252": ({"PYTHONIOENCODING": "cp1252:strict"}, ""),
    "C locale": (COERCED, ""),
    "nobody reads": ({}, "| true"),
    "full": ({}, "> /dev/full"),
    "full, unbuffered": ({"PYTHONUNBUFFERED": "1"}, "> /dev/full"),
    "closed": ({}, ">&-"),
    "messages on a full disk": ({}, "2> /dev/full"),
    "messages closed": ({}, "2>&-"),
}
LOST = {"full", "full, unbuffered", "closed"}


def alone(name: str, way: str, files: dict[str, str]) -> tuple[int, str, str]:
    """Status, output and messages of a program, in a process and with streams of its own."""
    program, (environment, into) = PROGRAMS[name], WAYS[way]
    words = " ".join(f"'{word}'" for word in program.words.format(**files).split())
    line = f"'{sys.executable}' -m {program.module} {words} {into}"
    line = f"set -o pipefail; {line}" if into.startswith("|") else line
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, cwd=ROOT, env={**os.environ, **environment}, check=False
    )
    return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")


def check(name: str, way: str, files: dict[str, str]) -> None:
    left, out, err = alone(name, way, files)
    assert "Traceback" not in err, err
    assert "Exception ignored" not in err, err
    if way in LOST:
        assert (left, out) == (2, "")
        assert "standard output" in err or "coqc" in err
    else:
        assert left in PROGRAMS[name].good
        assert out or way == "nobody reads" or name == "coq"


@needs_full
@pytest.mark.parametrize("way", WAYS)
def test_a_process_ends_in_order_whatever_its_streams_are(way, files):
    check("recheck", way, files)


@needs_full
@pytest.mark.thorough
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_ends_in_order_whatever_its_streams_are(name, way, files):
    check(name, way, files)


def test_every_program_writes_in_the_same_way():
    """A mutant needs no words: a file that is run and does not say so would be listed."""
    ours = [
        path for top in ("ctucbvi", "verify", "proofs_checks", "tests") for path in (ROOT / top).rglob("*.py")
    ]
    texts = {path: path.read_text(encoding="utf-8") for path in ours}
    run = [
        path for path, text in texts.items() if re.search(r'^if __name__ == "__main__":$', text, re.MULTILINE)
    ]
    way = re.compile(
        r"^@writing\(|^    with writing\(|\bdispatch\(parser|ctucbvi.cli import main", re.MULTILINE
    )
    assert len(run) > 12
    assert [path for path in run if not way.search(texts[path])] == []
