"""Plain text tables that fit the terminal, with colour where it has some.

In a file or a pipe a table is as wide as it is, without colour.  On a terminal that is too narrow, cells of
several words are folded; where that is not enough, each row becomes a list of its own: no number is cut.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from verify.errors import UserError

_GAP = "  "
_TONES = {  # by the whole text of a cell
    **dict.fromkeys(("proved", "proved-on-box", "supported", "tested", "agree", "within", "yes"), "32"),
    **dict.fromkeys(("undecided", "assumed"), "33"),
    **dict.fromkeys(("refuted", "DISAGREE", "OUTSIDE", "NO"), "31"),
}
_BOLD, ALARM = "1", "1;31"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Left-aligned columns, two spaces apart, under their heads."""
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    if sys.stdout.isatty():
        least = [
            max(len(word) for line in lines for word in (line[i].split() or [""])) for i in range(len(head))
        ]
        room = shutil.get_terminal_size().columns - len(_GAP) * (len(head) - 1)
        if sum(least) > room:
            return _records(head, rows)
        while sum(widths) > room:
            widest = max((i for i in range(len(head)) if widths[i] > least[i]), key=lambda i: widths[i])
            widths[widest] -= 1
    return "\n".join(
        text for number, line in enumerate(lines) for text in _folded(line, widths, "" if number else _BOLD)
    )


def width(most: int) -> int:
    """How wide lines of text may be: ``most``, or what the terminal has."""
    return min(most, max(20, shutil.get_terminal_size().columns)) if sys.stdout.isatty() else most


def frame(rows: Iterable[Mapping[str, Any]]) -> Any:
    """A ``pandas.DataFrame`` of the rows, for those who have pandas."""
    try:
        import pandas  # not needed for anything else
    except ImportError:
        raise UserError("to_frame: pandas is not installed; write pip install pandas") from None
    return pandas.DataFrame(list(rows))


def coloured(text: str, tone: str) -> str:
    """The text in a colour, on a terminal that has some and whose owner wants it (https://no-color.org)."""
    if not tone or not text:
        return text
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    return text if plain else f"\x1b[{tone}m{text}\x1b[0m"


def _folded(cells: Sequence[str], widths: Sequence[int], tone: str) -> list[str]:
    """A row, over as many lines as its cells need in columns of these widths."""
    parts = [
        [cell]
        if len(cell) <= width
        else textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False)
        for cell, width in zip(cells, widths, strict=True)
    ]
    tones = [tone or _TONES.get(cell, "") for cell in cells]
    found = []
    for line in zip_longest(*parts, fillvalue=""):
        last = max((i for i, text in enumerate(line) if text), default=-1)
        shown = [
            coloured(text, tones[i]) + (" " * (widths[i] - len(text)) if i < last else "")
            for i, text in enumerate(line[: last + 1])
        ]
        found.append(_GAP.join(shown))
    return found


def _records(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Each row on lines of its own, with the head of every cell before it; cells of several words folded."""
    names = max(map(len, head))
    room = max(1, shutil.get_terminal_size().columns - names - len(_GAP))
    blocks = []
    for row in rows:
        lines = []
        for name, cell in zip(head, row, strict=True):
            parts = textwrap.wrap(cell, room, break_long_words=False, break_on_hyphens=False) or [""]
            first = coloured(name, _BOLD) + " " * (names - len(name))
            starts = [first, *[" " * names] * (len(parts) - 1)]
            tone = _TONES.get(cell, "")
            lines += [start + _GAP + coloured(part, tone) for start, part in zip(starts, parts, strict=True)]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
