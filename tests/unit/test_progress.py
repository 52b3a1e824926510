"""The line of progress: what is left, and who is told."""

from __future__ import annotations

import pytest

from verify import progress
from verify.progress import ProgressLine, clock, listening, rest, working


@pytest.fixture
def clockwork(monkeypatch):
    """A clock that stands still until it is set, and a line that is shown at once."""
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress, "_SILENT", 0.0)
    return now


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3600, "1 h 0 min")]
)
def test_times_are_told_in_words(seconds, text):
    assert clock(seconds) == text


def test_the_rest_is_at_the_speed_so_far():
    assert rest(0.25, 10) == 30
    assert rest(0.0, 10) == rest(1.0, 10) == 0  # nothing known, nothing left


def test_the_time_left_is_said_where_the_whole_takes_long(clockwork, capsys):
    with ProgressLine("work") as line:
        clockwork[0] = 6
        line(0.9)  # seven seconds altogether
        clockwork[0] = 20
        line(0.1)
    assert capsys.readouterr().err.splitlines() == [
        "work:  90% after 6 s",
        "work:  10% after 20 s",  # it has begun anew: no speed is known
    ]
    with ProgressLine("work") as line:
        clockwork[0] += 20
        line(0.25)
    assert capsys.readouterr().err == "work:  25% after 20 s, about 1 min 0 s left\n"


def test_what_was_there_at_the_start_took_no_time(clockwork, capsys):
    with ProgressLine("work") as line:
        clockwork[0] = 10
        line(0.75, 0.5)
    assert capsys.readouterr().err == "work:  75% after 10 s, about 10 s left\n"


def test_who_listens_is_told_now_and_then(clockwork):
    told: list[float] = []
    working(0.1)  # nobody listens
    with listening(told.append):
        working(0.2)  # too early
        clockwork[0] = 1
        working(0.3)
        working(0.4)
    clockwork[0] = 2
    working(0.5)
    assert told == [0.3]
