"""How a model shows itself: in one line, and as a table in a notebook.

The line of a small model is all of it, since examples and counterexamples are read there; that of a larger
one has its sizes, and a digest of all of it, so that models that differ are told apart.
"""

from __future__ import annotations

from dataclasses import fields
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctucbvi.model.ctmdp import CTMDP

_MOST_PAIRS = 12  # written out in a line
_MOST_ROWS = 30  # of a table
_DIGEST = 12


def whole(model: CTMDP) -> str:
    """All of it."""
    return ", ".join(f"{field.name}={getattr(model, field.name)!r}" for field in fields(model))


def digest(model: CTMDP) -> str:
    """Of all of it."""
    return sha256(whole(model).encode()).hexdigest()


def line(model: CTMDP) -> str:
    """The ``repr``."""
    if len(model.transitions) <= _MOST_PAIRS:
        return f"CTMDP({whole(model)})"
    sizes = f"{len(model.states)} states, {len(model.transitions)} pairs, horizon {model.horizon}"
    costs = "" if model.objective == "max" else ", costs minimised"
    return f"CTMDP({model.name!r}, {sizes}{costs}, digest {digest(model)[:_DIGEST]})"


def html(model: CTMDP) -> str:
    """A table of its transitions; what few models have gets a column where there is any."""
    lumps, paid = any(row.lump for row in model.transitions), model.pays_choices
    own = any(row.terminal is not None for row in model.transitions)
    earned = "reward" if model.objective == "max" else "cost"
    head = ["state", "action", "rate", earned, "jumps to", *(["lump"] if lumps else [])]
    head += (["for choosing"] if paid else []) + (["at the end"] if own else [])
    cells = [
        [row.state, row.action, str(row.rate), str(row.reward), _weights(row.to)]
        + ([_weights(row.lump)] if lumps else [])
        + ([str(row.choice)] if paid else [])
        + (["" if row.terminal is None else str(row.terminal)] if own else [])
        for row in model.transitions[:_MOST_ROWS]
    ]
    rows = "".join(f"<tr><td>{'</td><td>'.join(map(escape, row))}</td></tr>" for row in cells)
    more = len(model.transitions) - len(cells)
    ends = {x: g for x, g in zip(model.states, model.terminal, strict=True) if g}
    said = [f"terminal {earned}: {_weights(tuple(ends.items()))}"] if ends else []
    said += [f"and {more} more rows"] if more else []
    begins = model.initial if isinstance(model.initial, str) else _weights(model.initial)
    title = f"{model.name}: horizon {model.horizon}, from {begins}"
    return (
        f"<table><caption>{escape(title)}</caption><tr><th>{'</th><th>'.join(head)}</th></tr>{rows}</table>"
        + "".join(f"<p>{escape(text)}</p>" for text in said)
    )


def _weights(found: tuple[tuple[str, object], ...]) -> str:
    return ", ".join(f"{name}: {number}" for name, number in found)
