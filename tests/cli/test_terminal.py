"""What is printed fits the terminal, and has colour there only."""

from __future__ import annotations

import re
import sys

import pytest

from ctucbvi.cli import main
from ctucbvi.library import bundled_models
from verify.tables import width


@pytest.fixture(params=[60, 80, 120])
def columns(request, monkeypatch, capsys):  # capsys first: its stdout is the terminal
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True)
    monkeypatch.setenv("COLUMNS", str(request.param))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return request.param


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "maintenance", "--digits", "12"],
        ["plan", "queue", "--engine", "numeric"],
        ["constants", "sis", "--K", "1e6", "--delta", "1/20"],
        ["constants", "reachability", "--K", "1e6"],
        ["constants", "machine-repair", "--sweep", "K=1..1e5:3"],
        ["models"],
    ],
    ids=" ".join,
)
def test_lines_fit(columns, capsys, arguments):
    assert main(arguments) == 0
    text = capsys.readouterr().out
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    whole = [line for line in plain.splitlines() if len(line) > columns]
    assert [line for line in whole if " " in line.strip()] == []  # one long word is not cut


def test_without_a_terminal_there_is_neither_colour_nor_a_limit(capsys):
    assert width(100) == 100
    assert main(["plan", "machine-repair"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_no_colour_is_respected(columns, capsys, monkeypatch):
    assert main(["plan", "machine-repair"]) == 0
    assert "\x1b" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["plan", "machine-repair"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_the_list_of_models_keeps_its_words(columns, capsys):
    """Folding loses nothing."""
    assert main(["models"]) == 0
    words = capsys.readouterr().out.split()
    for model in bundled_models().values():
        assert " ".join(model.source.split()) in " ".join(words)
