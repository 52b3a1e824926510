"""Pages that show commands and code, read as a person would: from top to bottom, in an empty folder.

=========== ====================================================================================
block       what happens to it
=========== ====================================================================================
``console`` each command after ``$`` is run; what is shown must be what it prints
``python``  is run, all of a page in one namespace; ``# name.py`` as its first line: kept as a file
``text``    is what the ``python`` before it printed
``toml``    ``# name.toml`` as its first line: kept as a file
``sh``      takes long: each command is run with less of what makes it so (``LESS``) and must end with
            status 0; ``make`` only says what it would do, ``ELSEWHERE`` is not run, nor Coq without it
=========== ====================================================================================

In what is printed, ``...`` stands for anything that is left out.  Not compared are times, sizes of errors
(``1.2e-10``: those of doubles depend on the machine) and the slack that a search over random examples met.
``$ echo $?`` shows the status of the command before; without it that is 0.

``python -m tests.pages FILE ...`` writes into pages what their commands print now.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from argparse import ArgumentParser, _SubParsersAction
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from shutil import copytree, which
from tempfile import TemporaryDirectory
from unittest.mock import patch

from ctucbvi.cli import build_parser, main
from verify import progress
from verify.streams import writing

ROOT = Path(__file__).parents[1]
# Pages that a reader follows; what else is there says how things are.
_NAMES = "start property-suites crosscheck constants own-model own-planner own-learner claims add-a-claim"
FOLLOWED = (
    "README.md",
    *(f"docs/{name}.md" for name in f"{_NAMES} learners cluster semantics report".split()),
)

# What a command of an ``sh`` block is run with less of.
LESS = (
    (r"--episodes \d+", "--episodes 300"),
    (r"--runs \d+", "--runs 2"),
    (r" --cluster \S+", ""),  # tests/cli runs clusters
    (r"^(python -m tests\.benchmarks\S*) .*", r"\1 --help"),  # make bench
    (r"^ctucbvi (verify|report)(?= --json| --coq|$| [A-Za-z]+$)", r"ctucbvi \1 --claims few.py"),
)
ELSEWHERE = {
    "sudo": "changes the machine",
    "pip": "needs a network",
    "dask": "stays until it is stopped",
}
_FEW = """
from verify import Section
section = Section(source="notes", expected="proved", symbols={"l": "λ"})
section.claim("survival", "1 - λt", says="exp(-l*t) >= 1 - l*t", domain=("l > 0", "t >= 0"))
CLAIMS = section.claims
"""
_BLOCK = re.compile(r"^```(console|python|text|toml|sh)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"# ([\w-]+\.(?:py|toml))\n")
_INLINE = re.compile(r"(?<!`)`(ctucbvi [^`]+)`(?!`)")
_STATUS = "echo $?"
_TIME = re.compile(r" +(\d+\.\d+|seconds)$|\b\d+(\.\d+)? s\b")
_SIZE = re.compile(r"\b\d(\.\d+)?e[+-]\d+\b")
_SLACK = re.compile(r"(?:(?<=tested)|(?<=supported)) +(gap )?([\d.]+|size)(?=  |$)")


class Reader:
    """Somebody who does what a page says, and writes down what happens."""

    def __init__(self) -> None:
        self.names: dict[str, object] = {}
        self.status = 0
        self.printed = ""  # by Python, and not shown yet

    def block(self, language: str, body: str) -> str:
        """The block as it should be."""
        if language == "text":
            printed, self.printed = self.printed, ""
            return body if same(body, printed) else printed
        assert not self.printed, f"what Python printed is not shown:\n{self.printed}"
        if language == "console":
            return self._console(body)
        if language == "sh":
            self._shell(body)
            return body
        if named := _NAMED.match(body):
            Path(named[1]).write_text(body, encoding="utf-8")
        elif language == "python":
            with redirect_stdout(StringIO()) as written:
                exec(compile(body, "<page>", "exec"), self.names)
            self.printed = written.getvalue()
        return body

    def _console(self, body: str) -> str:
        parts = re.split(r"^\$ ", body, flags=re.MULTILINE)
        assert parts[0] == "", f"a console block begins with a command, not with {parts[0]!r}"
        found = ""
        for part in parts[1:]:
            *lines, shown = re.split(r"(?<!\\)\n", part, maxsplit=1)
            (command,) = lines
            if command == _STATUS:
                printed, self.status = f"{self.status}\n", 0
            else:
                assert self.status == 0, f"the status {self.status} before {command!r} is not shown"
                printed = self._run(command)
            found += f"$ {command}\n{shown if same(shown, printed) else printed}"
        assert self.status == 0, f"the status {self.status} of {command!r} is not shown:\n{printed}"
        return found

    def _shell(self, body: str) -> None:
        for command in commands(body):
            program = command.split()[0]
            if program == "make":
                words = shlex.split(command, comments=True)[1:]
                target = ["make", "--dry-run", "--always-make", *words]
                done = subprocess.run(target, cwd=ROOT, capture_output=True, text=True, check=False)
                assert done.returncode == 0, f"{command!r}: {done.stderr}"
            elif program not in ELSEWHERE and (which("coqc") or "-m verify.coq" not in command):
                for name in ("few.py", "mine.py"):  # a page may have its own
                    if not Path(name).exists():
                        Path(name).write_text(_FEW, encoding="utf-8")
                if " docs/study/" in command and not Path("docs").exists():  # run where the sources are
                    copytree(ROOT / "docs" / "study", "docs/study")
                said = self._run(shortened(command))
                assert self.status == 0, f"{shortened(command)!r} ends with status {self.status}:\n{said}"

    def _run(self, command: str) -> str:
        """What a terminal shows of it; if it goes into a file, what is said beside."""
        if command.split()[0] in ("python", "echo"):
            path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
            found = subprocess.run(
                ["sh", "-c", command],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
            )  # fmt: skip
            self.status = found.returncode
            return found.stdout
        words, _, file = command.partition(" > ")
        program, *arguments = shlex.split(words.replace("\\\n", " "), comments=True)
        assert program == "ctucbvi", f"{command!r}: a page runs ctucbvi and python"
        written = StringIO()
        said = StringIO() if file else written
        with redirect_stdout(written), redirect_stderr(said):
            self.status = main(arguments)
        if file:
            Path(file).write_text(written.getvalue(), encoding="utf-8")
        return said.getvalue()


def same(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed, but for what need not be the same."""
    pattern = "\n".join(
        "(?s:.*)" if line.strip() == "..." else ".*".join(map(re.escape, line.split("...")))
        for line in _compared(shown)
    )
    return re.fullmatch(pattern, "\n".join(_compared(printed))) is not None


def _compared(text: str) -> list[str]:
    lines = (re.sub(" {2,}", "  ", _SIZE.sub("size", line.rstrip())) for line in text.strip().splitlines())
    return [_SLACK.sub("", _TIME.sub("", line)) for line in lines]


def renewed(text: str) -> str:
    """The page with what its commands print now, here, in place of what they do not."""
    reader = Reader()
    with patch.object(progress, "_SILENT", 1e6):  # how long something takes is not what a page shows
        found = _BLOCK.sub(lambda block: f"```{block[1]}\n{reader.block(block[1], block[2])}```", text)
    assert not reader.printed, f"what Python printed is not shown:\n{reader.printed}"
    return found


def commands(body: str) -> list[str]:
    """The commands of an ``sh`` block."""
    return [line for line in body.replace("\\\n", " ").splitlines() if line.strip()]


def shortened(command: str) -> str:
    """A command with less of what makes it take long."""
    for long, short in LESS:
        command = re.sub(long, short, command)
    return command


def long_commands(text: str) -> list[str]:
    """The commands of the ``sh`` blocks of a page."""
    return [line for language, body in _BLOCK.findall(text) if language == "sh" for line in commands(body)]


def run_long_commands(text: str) -> None:
    """Run those of a page that is not followed otherwise."""
    reader = Reader()
    for language, body in _BLOCK.findall(text):
        if language == "sh":
            reader.block(language, body)


def mentions(text: str) -> list[str]:
    """The commands that a page names in its text, perhaps without all that they need."""
    return _INLINE.findall(_BLOCK.sub("", text))


def parse(command: str) -> None:
    """Leave with a message if the command does not exist, or not with these arguments."""
    words = shlex.split(command.partition(" > ")[0], comments=True)
    build_parser().parse_args(words[1:])


def _known() -> dict[str, ArgumentParser]:
    (found,) = (action for action in build_parser()._actions if isinstance(action, _SubParsersAction))
    return found.choices


def unknown(command: str) -> list[str]:
    """What is named and does not exist: the command, or options of it."""
    _, name, *words = shlex.split(command)
    known = _known()
    if name not in known:
        return [] if name.startswith("--") else [name]
    options = known[name]._option_string_actions
    return [word for word in words if word.startswith("--") and word.partition("=")[0] not in options]


def _main(files: list[str]) -> None:
    for path in map(Path, files):
        text = path.read_text(encoding="utf-8")
        with TemporaryDirectory() as folder, chdir(folder):
            new = renewed(text)
        if new != text:
            path.write_text(new, encoding="utf-8")
            print(f"{path}: written")


if __name__ == "__main__":
    with writing("python -m tests.pages"):
        _main(sys.argv[1:])
