"""Recorded histories: one JSON object per line, written as the episodes come.

The first line says what the history is of: the model (its whole file, so that a replay needs
nothing else and notices another model), the settings, and how it was drawn.  Every further line
is an episode, ``{"episode": k, "visits": [[state, action, holding, next], ..., [state, action]]}``.

A holding time is exact: a double in hexadecimal (``"0x1.8p-1"``), any other rational as ``"1/3"``; a number
of JSON is the double it is.  The last visit, cut off by the horizon, has none; it lasted for what was left.

Other programs may write histories, too: their episodes may say what the learner had computed
(:mod:`ctucbvi.learning.reports`), and the first line may be missing where it is known what they are of.

Every line ends in a newline and is flushed: after a crash the file holds all episodes but perhaps
the last, and a line that breaks off is left out on reading, or refused where the file is to be ``whole``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ctucbvi.errors import InputError
from ctucbvi.learning.reports import Report, real
from ctucbvi.learning.settings import Settings
from ctucbvi.learning.statistics import Episode, Visit
from ctucbvi.modelfile import dump_model, parse_model

if TYPE_CHECKING:
    from os import PathLike

    from ctucbvi.model import CTMDP

FORMAT = "ctucbvi-history-1"


@dataclass(frozen=True)
class History:
    """What a file of a history holds."""

    model: CTMDP
    settings: Settings
    drawn: dict[str, Any]  # how the episodes were drawn: the seed, the generator, ...
    episodes: tuple[Episode, ...]
    reports: tuple[Report, ...] = ()  # what the learner said of itself, one per episode


class HistoryWriter:
    """Writes a history as it comes; use it in a ``with`` block."""

    def __init__(
        self, path: str | PathLike[str], model: CTMDP, settings: Settings, drawn: dict[str, Any] | None = None
    ) -> None:
        self._model, self._count = model, 0
        try:
            self._file: IO[str] = open(path, "w", encoding="utf-8", newline="\n")  # noqa: SIM115 -- closed on exit
        except OSError as error:
            raise InputError(f"{path}: cannot be written ({error.strerror}); name a file that can") from None
        self._line(
            {
                "format": FORMAT,
                "model": json.loads(dump_model(model, format="json")),
                "settings": settings.to_json(),
                "drawn": drawn or {},
            }
        )

    def write(self, episode: Episode) -> None:
        """Add one episode."""
        self._count += 1
        self._line({"episode": self._count, "visits": [_plain(visit) for visit in episode.visits]})

    def _line(self, document: dict[str, Any]) -> None:
        self._file.write(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n")
        self._file.flush()

    def __enter__(self) -> HistoryWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def has_head(path: str | PathLike[str]) -> bool:
    """Whether the first line says what the history is of."""
    head = next(_lines(path), None)
    return isinstance(head, dict) and "format" in head


def load_history(
    path: str | PathLike[str], told: tuple[CTMDP, Settings] | None = None, *, whole: bool = False
) -> History:
    """Read a history, and check that its episodes are episodes of its model.

    ``told``: model and settings of a history without a first line that says them.
    """
    lines: list[Any] = list(_lines(path, whole=whole))
    drawn: Any = {}
    if told is None:
        head = lines.pop(0) if lines else None
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise InputError(f"{path}: line 1 does not say {FORMAT!r}; name a file that learn --save wrote")
        model = parse_model(json.dumps(head.get("model")), format="json", where=f"{path}: line 1: model")
        settings = Settings.from_json(head.get("settings"), f"{path}: line 1: settings")
        drawn = head.get("drawn") or {}
        if not isinstance(drawn, dict):
            raise InputError(f"{path}: line 1: drawn: not an object; write one, or leave it out")
    else:
        model, settings = told
    settings.check(model)
    first = 1 if told else 2
    found = [_episode(model, row, k, f"{path}: line {k - 1 + first}") for k, row in enumerate(lines, 1)]
    return History(model, settings, dict(drawn), tuple(e for e, _ in found), tuple(r for _, r in found))


def _lines(path: str | PathLike[str], *, whole: bool = False) -> Iterator[Any]:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(f"{path}: cannot be read ({reason}); name a history file") from None
    lines = text.split("\n")
    for i, line in enumerate(lines, 1):
        try:
            yield json.loads(line)
        except (ValueError, RecursionError):
            if i == len(lines) and not (whole and line.strip()):
                return  # nothing follows the last newline, or what does broke off
            raise InputError(f"{path}: line {i} is not JSON; write one object per line") from None


def _episode(model: CTMDP, document: Any, number: int, where: str) -> tuple[Episode, Report]:
    try:
        said = dict(document)
        if type(given := said.pop("episode")) is not int or given != number:
            raise InputError(f"episode {given!r} where {number} was due; lines are missing")
        visits = [tuple(visit) for visit in said.pop("visits")]
        last = visits.pop() if len(visits[-1]) == 2 else None  # None: a jump exactly at the horizon
        jumps = [(x, a, real(tau, "holding time"), y) for x, a, tau, y in visits]
        return Episode.of(model, jumps, last), Report.of(model, said)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        raise InputError(f"{where}: not an episode; write [state, action, holding, next] per visit") from None


def _plain(visit: Visit) -> list[str]:
    if visit.to is None:
        return [visit.state, visit.action]
    nearest = float(visit.holding)
    text = nearest.hex() if Fraction(nearest) == visit.holding else str(visit.holding)
    return [visit.state, visit.action, text, visit.to]
