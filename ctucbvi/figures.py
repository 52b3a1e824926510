"""Pictures: one frame for all of them, and one check of where they go.

The same numbers give the same bytes: no date, and names of elements that do not depend on chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from ctucbvi.errors import InputError

# Okabe and Ito's colours, which the colour-blind can tell apart; yellow, which is lost on white, comes last.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#999999", "#F0E442")
_FORMATS = (".svg", ".png", ".pdf")
_STYLE: dict[Any, Any] = {"svg.hashsalt": "ctucbvi", "svg.fonttype": "path"}
_DATED = {  # what would differ from one drawing to the next is left out
    ".svg": ("Date", "Creator"),
    ".png": ("Software",),
    ".pdf": ("CreationDate", "Creator", "Producer"),
}


def check_target(option: str, target: str) -> None:
    """Refuse a file that could not be written, before the work is done."""
    path = Path(target)
    if path.suffix.lower() not in _FORMATS:
        raise InputError(
            f"{option} {target!r}: unknown kind of picture; end the name in {', '.join(_FORMATS)}"
        )
    if not path.parent.is_dir():
        raise InputError(f"{option} {target!r}: folder {str(path.parent)!r} does not exist")
    if path.is_dir():
        raise InputError(f"{option} {target!r}: is a folder; name a file")


@dataclass(frozen=True)
class Picture:
    """A drawing: shown by a notebook, saved to a file; ``figure`` and ``axes`` are matplotlib's."""

    figure: Any
    axes: Any

    @classmethod
    def of(cls, *shape: int, **told: Any) -> Picture:
        """An empty one: rows and columns of axes, as ``Figure.subplots`` takes them, and ``figsize``."""
        from matplotlib.figure import Figure  # takes a third of a second to load, and most runs draw nothing

        figure = Figure(figsize=told.pop("figsize", None), layout="constrained")
        return cls(figure, figure.subplots(*shape, **told))

    def save(self, target: str, option: str = "file") -> None:
        """Write it to a .svg, .png or .pdf file; ``option`` named the file."""
        check_target(option, target)
        try:
            self._write(target, Path(target).suffix.lower())
        except OSError as error:
            raise InputError(f"{option} {target!r}: cannot be written: {error.strerror}") from None

    def _write(self, target: Any, ending: str) -> None:
        from matplotlib import rc_context  # loaded already

        with rc_context(_STYLE):
            self.figure.savefig(target, format=ending[1:], metadata=dict.fromkeys(_DATED[ending]))

    def _repr_svg_(self) -> str:
        text = StringIO()
        self._write(text, ".svg")
        return text.getvalue()

    def __repr__(self) -> str:
        return "Picture(...): .save('picture.svg') writes it"


@contextmanager
def picture(option: str, target: str, *shape: int, **told: Any) -> Iterator[tuple[Any, Any]]:
    """A figure and its axes to draw on, written to ``target`` afterwards; ``option`` named it."""
    empty = Picture.of(*shape, **told)
    yield empty.figure, empty.axes
    empty.save(target, option)


def swatch(**look: Any) -> Any:
    """A patch that looks so, for a legend."""
    from matplotlib.patches import Patch  # loaded already where one draws, and slow where not

    return Patch(**look)


def shortened(text: str, most: int) -> str:
    """A long name without its middle."""
    return text if len(text) <= most else f"{text[: most // 2 - 1]}…{text[len(text) - (most - most // 2) :]}"


def told_apart(names: Sequence[str], most: int) -> list[str]:
    """Names without their middles, numbered where that makes them equal."""
    short = [shortened(name, most) for name in names]
    twice = {name for name in short if short.count(name) > 1}
    return [f"{i + 1}: {name}" if name in twice else name for i, name in enumerate(short)]


def symbols(text: str) -> str:
    """Names of parameters as the paper writes them."""
    signs = {"lambda_max": "λmax", "lambda_min": "λmin", "epsilon": "ε", "delta": "δ"}
    for name, sign in signs.items():
        text = text.replace(name, sign)
    return text
