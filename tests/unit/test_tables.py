"""Tables: as they are in a file, folded and coloured on a terminal."""

from __future__ import annotations

import pytest

from verify import tables
from verify.tables import coloured, table

HEAD = ("label", "statement", "verdict")
ROWS = [("a", "a statement of several words", "proved"), ("b", "short", "refuted")]


@pytest.fixture
def terminal(monkeypatch):
    """A terminal of a width that can be set, without colour."""
    monkeypatch.setattr(tables.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")

    def of_width(columns: int) -> None:
        monkeypatch.setenv("COLUMNS", str(columns))

    return of_width


def test_a_file_gets_the_table_as_it_is():
    assert table(HEAD, ROWS).splitlines() == [
        "label  statement                     verdict",
        "a      a statement of several words  proved",
        "b      short                         refuted",
    ]


def test_cells_of_several_words_are_folded(terminal):
    terminal(30)
    assert table(HEAD, ROWS).splitlines() == [
        "label  statement       verdict",
        "a      a statement of  proved",
        "       several words",
        "b      short           refuted",
    ]
    terminal(100)
    assert len(table(HEAD, ROWS).splitlines()) == 3


def test_where_folding_is_not_enough_a_row_is_a_list_and_no_number_is_cut(terminal):
    terminal(20)
    text = table(("value", "from"), [("0.64105556983992198682", "0.25")])
    assert text == "value  0.64105556983992198682\nfrom   0.25"
    terminal(20)
    assert all(
        len(line) <= 20 for line in table(("a", "b"), [("one two three four", "five six")]).splitlines()
    )


def test_colour_is_for_terminals_whose_owner_wants_it(terminal, monkeypatch):
    terminal(100)
    assert coloured("proved", "32") == "proved"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "xterm")
    assert coloured("proved", "32") == "\x1b[32mproved\x1b[0m"
    plain = [line.replace("\x1b[0m", "") for line in table(HEAD, ROWS).splitlines()]
    assert plain[1] == "a      a statement of several words  \x1b[32mproved"
    assert "\x1b[31mrefuted" in plain[2]
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in table(HEAD, ROWS)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(tables.sys.stdout, "isatty", lambda: False)
    assert "\x1b" not in table(HEAD, ROWS)
