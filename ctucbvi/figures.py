"""Pictures: one frame for all of them, and one check of where they go.

The same numbers give the same bytes: no date, and names of elements that do not depend on chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ctucbvi.errors import InputError

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


@contextmanager
def picture(option: str, target: str, *shape: int, **told: Any) -> Iterator[tuple[Any, Any]]:
    """A figure and its axes to draw on, written to ``target`` afterwards; ``option`` named it."""
    import matplotlib  # takes half a second to load, and most runs draw nothing

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt  # likewise, and after the choice of where it draws

    with matplotlib.rc_context(_STYLE):
        figure, axes = plt.subplots(*shape, layout="constrained", **told)
        try:
            yield figure, axes
            figure.savefig(target, metadata=dict.fromkeys(_DATED[Path(target).suffix.lower()]))
        except OSError as error:
            raise InputError(f"{option} {target!r}: cannot be written: {error.strerror}") from None
        finally:
            plt.close(figure)


def swatch(colour: Any) -> Any:
    """A patch of a colour, for a legend."""
    from matplotlib.patches import Patch  # loaded already where one draws, and slow where not

    return Patch(color=colour)
