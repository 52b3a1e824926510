"""The graph as a picture (SVG): boxes filled by their own verdict, framed by the transitive one.

Text is set in a fixed-width face of known width, so boxes fit their text without measuring it, and
the same claims give the same file everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from verify.claims import Claim, Verdict
from verify.running.graph import COLOURS, UNCHECKED, Graph, edge_colour
from verify.running.layout import layout

_LETTER = {13: 8.3, 11: 7.2}  # the width of a letter by font size, with something to spare
_BOX, _GAP, _THIN = 42.0, 16.0, 16.0  # heights: of a box, between boxes, of an arrow's slot
_MARGIN, _BETWEEN = 24.0, 64.0  # around everything; between two columns
_PER_ROW = 5  # of the claims that stand alone
_FACE = 'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace"'


def svg(graph: Graph) -> str:
    """The picture."""
    used = {label for claim in graph.claims for label in claim.uses}
    joined = [claim for claim in graph.claims if claim.uses or claim.label in used]
    alone = [claim for claim in graph.claims if not claim.uses and claim.label not in used]
    parts, right, bottom = _legend(graph)
    for draw, claims in ((_columns, joined), (_rows, alone)):
        if claims:
            more, width, bottom = draw(graph, claims, bottom + 2 * _GAP)
            parts, right = parts + more, max(right, width)
    width, height = right + _MARGIN, bottom + _MARGIN
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="What rests on what">'
    )
    arrow = (
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#777777"/></marker></defs>'
    )
    paper = f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>'
    return "\n".join([head, arrow, paper, *parts, "</svg>"]) + "\n"


def _legend(graph: Graph) -> tuple[list[str], float, float]:
    """The colours that occur, in a line on top: the drawing, its right end and its bottom."""
    occurring = {*graph.own.values(), *graph.transitive.values()}
    if len(graph.own) < len(graph.claims):
        occurring.add(None)
    x, parts = _MARGIN, []
    for verdict in [*Verdict, None]:
        if verdict in occurring:
            word = verdict or UNCHECKED
            parts.append(_rectangle(x, _MARGIN, 18, 14, verdict, verdict))
            parts.append(_text(x + 24, _MARGIN + 11, word, 11))
            x += 24 + len(word) * _LETTER[11] + 20
    note = "fill: own verdict; frame: the weakest it rests on; an arrow points at what is used"
    parts.append(_text(_MARGIN, _MARGIN + 34, note, 11))
    return parts, max(x, _MARGIN + len(note) * _LETTER[11]), _MARGIN + 38


def _columns(graph: Graph, claims: Sequence[Claim], top: float) -> tuple[list[str], float, float]:
    """The claims that are joined to others."""
    table = {claim.label: claim for claim in claims}
    place = layout(claims, size=_BOX + _GAP, thin=_THIN)
    x, lefts, widths = _MARGIN, [], []
    for column in place.columns:
        lefts.append(x)
        widths.append(max((_width(graph, slot[0]) for slot in column if not slot[1]), default=0.0))
        x += widths[-1] + _BETWEEN
    ends = {
        slot: (left, left + width, top + place.heights[slot])
        for column, left, width in zip(place.columns, lefts, widths, strict=True)
        for slot in column
    }
    boxes = [
        line
        for slot, (left, right, middle) in ends.items()
        if not slot[1]
        for line in _box(graph, table[slot[0]], left, middle - _BOX / 2, right - left)
    ]
    spans = [place.heights[slot] + (_THIN if slot[1] else _BOX) / 2 for slot in place.heights]
    arrows = [_arrow([ends[slot] for slot in arrow]) for arrow in place.arrows]
    return arrows + boxes, x - _BETWEEN, top + max(spans)


def _arrow(ends: Sequence[tuple[float, float, float]]) -> str:
    """A curve between columns, and straight through each slot (left, right, height) on the way."""
    (_, x, y), *rest = ends
    path = f"M{x:.1f},{y:.1f}"
    for i, (left, right, height) in enumerate(rest):
        bend = (left - x) / 2
        path += f" C{x + bend:.1f},{y:.1f} {left - bend:.1f},{height:.1f} {left:.1f},{height:.1f}"
        path += f" H{right:.1f}" if i + 1 < len(rest) else ""
        x, y = right, height
    return f'<path d="{path}" fill="none" stroke="#777777" stroke-width="1.3" marker-end="url(#arrow)"/>'


def _rows(graph: Graph, claims: Sequence[Claim], top: float) -> tuple[list[str], float, float]:
    """The claims that stand alone, in rows."""
    parts, right, y = [_text(_MARGIN, top + 10, "standing alone", 11)], 0.0, top + 20
    for i in range(0, len(claims), _PER_ROW):
        x = _MARGIN
        for claim in claims[i : i + _PER_ROW]:
            width = _width(graph, claim.label)
            parts.extend(_box(graph, claim, x, y, width))
            x += width + _GAP
        right, y = max(right, x - _GAP), y + _BOX + _GAP
    return parts, right, y - _GAP


def _width(graph: Graph, label: str) -> float:
    name, verdict = graph.paper.named(label), graph.verdict_text(label)
    return 20 + max(len(name) * _LETTER[13], len(verdict) * _LETTER[11])


def _box(graph: Graph, claim: Claim, x: float, y: float, width: float) -> list[str]:
    own, below = graph.own.get(claim.label), graph.transitive[claim.label]
    return [
        f"<g><title>{escape(f'{claim.label}: {claim.statement}')}</title>",
        _rectangle(x, y, width, _BOX, own, below),
        _text(x + 10, y + 18, graph.paper.named(claim.label), 13),
        _text(x + 10, y + 34, graph.verdict_text(claim.label), 11),
        "</g>",
    ]


def _rectangle(
    x: float, y: float, width: float, height: float, own: Verdict | None, below: Verdict | None
) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="5" '
        f'fill="{COLOURS[own]}" stroke="{edge_colour(below)}" stroke-width="2.5"/>'
    )


def _text(x: float, y: float, text: str, size: int) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {_FACE} font-size="{size}" fill="#222222">{escape(text)}</text>'
