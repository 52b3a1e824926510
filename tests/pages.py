"""Pages that show commands and code, read as a person would: from top to bottom, in an empty folder.

=========== ====================================================================================
block       what happens to it
=========== ====================================================================================
``console`` each command after ``$`` is run; what is shown must be what it prints
``python``  is run, all of a page in one namespace; ``# name.py`` as its first line: kept as a file
``text``    is what the ``python`` before it printed
``toml``    ``# name.toml`` as its first line: kept as a file
``sh``      takes long or needs more than the page: its commands are only parsed
=========== ====================================================================================

In what is printed, ``...`` stands for anything that is left out.  Not compared are times, sizes of errors
(``1.2e-10``: those of doubles depend on the machine) and the slack that a search over random examples met.
``$ echo $?`` shows the status of the command before; without it that is 0.

``python -m tests.pages FILE ...`` writes into pages what their commands print now.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from argparse import ArgumentParser, _SubParsersAction
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
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

    def _run(self, command: str) -> str:
        """What a terminal shows of it; if it goes into a file, what is said beside."""
        words, _, file = command.partition(" > ")
        program, *arguments = shlex.split(words.replace("\\\n", " "))
        written = StringIO()
        said = StringIO() if file else written
        if program == "ctucbvi":
            with redirect_stdout(written), redirect_stderr(said):
                self.status = main(arguments)
        else:
            assert program == "python", f"{command!r}: a page runs ctucbvi and python"
            stderr = subprocess.PIPE if file else subprocess.STDOUT
            found = subprocess.run(
                [sys.executable, *arguments], stdout=subprocess.PIPE, stderr=stderr, text=True, check=False
            )
            self.status = found.returncode
            written.write(found.stdout)
            said.write(found.stderr or "")
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


def long_commands(text: str) -> list[str]:
    """The commands of the ``sh`` blocks of a page."""
    body = "".join(body for language, body in _BLOCK.findall(text) if language == "sh")
    return [line for line in body.replace("\\\n", " ").splitlines() if line.startswith("ctucbvi ")]


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
