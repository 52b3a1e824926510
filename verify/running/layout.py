"""Where the boxes of a drawn graph go: columns from left to right, arrows only to the right.

A claim stands one column to the right of the last claim that uses it.  An arrow that crosses a
column gets a thin slot there, so that no arrow passes behind a box.  The order inside a column
comes from sweeps that move everything towards the mean of its neighbours (Sugiyama), keeping the
order with the fewest crossings; the heights are then the ones nearest to the means of the
neighbours among those that keep the order and the distances (isotonic regression).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from verify.claims import Claim

Slot = tuple[str, str, int]  # (label, "", column) is a claim; (user, used, column) an arrow on its way
_SWEEPS = 12


@dataclass(frozen=True)
class Layout:
    """The columns from left to right, top to bottom, the height of each slot, and the arrows."""

    columns: Sequence[Sequence[Slot]]
    heights: Mapping[Slot, float]  # of the middle of the slot
    arrows: Sequence[Sequence[Slot]]  # each from the user through its slots to the used


def layout(claims: Sequence[Claim], *, size: float, thin: float) -> Layout:
    """Place claims that are closed under use; a claim takes ``size`` of height, an arrow ``thin``."""
    depth = _depths(claims)
    columns: list[list[Slot]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    boxes = {label: (label, "", column) for label, column in depth.items()}
    arrows: list[list[Slot]] = []
    for claim in claims:
        columns[depth[claim.label]].append(boxes[claim.label])
        for used in dict.fromkeys(claim.uses):
            between = [(claim.label, used, i) for i in range(depth[claim.label] + 1, depth[used])]
            arrows.append([boxes[claim.label], *between, boxes[used]])
            for slot in between:
                columns[slot[2]].append(slot)
    links: list[list[tuple[Slot, Slot]]] = [[] for _ in columns[1:]]
    for arrow in arrows:
        for pair in pairwise(arrow):
            links[pair[0][2]].append(pair)
    columns = _ordered(columns, links)
    return Layout(columns, _heights(columns, links, size, thin), arrows)


def _depths(claims: Sequence[Claim]) -> dict[str, int]:
    depth = dict.fromkeys((claim.label for claim in claims), 0)
    for _ in claims:  # no path is longer
        for claim in claims:
            for used in claim.uses:
                depth[used] = max(depth[used], depth[claim.label] + 1)
    return depth


def _neighbours(pairs: Sequence[tuple[Slot, Slot]], *, left: bool) -> dict[Slot, list[Slot]]:
    """The slots in the next (or, to the left, the previous) column that each slot is joined to."""
    found: dict[Slot, list[Slot]] = {}
    for a, b in pairs:
        here, there = (b, a) if left else (a, b)
        found.setdefault(here, []).append(there)
    return found


def _ordered(columns: list[list[Slot]], links: Sequence[Sequence[tuple[Slot, Slot]]]) -> list[list[Slot]]:
    best, fewest = columns, _crossings(columns, links)
    for sweep in range(_SWEEPS):
        left = sweep % 2 == 0  # to the right, by the neighbours on the left; and back
        columns = [list(column) for column in columns]
        for i in range(1, len(columns)) if left else range(len(columns) - 2, -1, -1):
            joined = _neighbours(links[i - 1] if left else links[i], left=left)
            place = {slot: p for p, slot in enumerate(columns[i - 1 if left else i + 1])}
            mean = {s: sum(place[n] for n in near) / len(near) for s, near in joined.items()}
            now = {slot: p for p, slot in enumerate(columns[i])}
            columns[i].sort(key=lambda slot: mean.get(slot, now[slot]))
        crossings = _crossings(columns, links)
        if crossings < fewest:
            best, fewest = columns, crossings
    return best


def _crossings(columns: Sequence[Sequence[Slot]], links: Sequence[Sequence[tuple[Slot, Slot]]]) -> int:
    total = 0
    for i, pairs in enumerate(links):
        left = {slot: p for p, slot in enumerate(columns[i])}
        right = {slot: p for p, slot in enumerate(columns[i + 1])}
        ends = sorted((left[a], right[b]) for a, b in pairs)
        total += sum(b > d for k, (_, b) in enumerate(ends) for _, d in ends[k + 1 :])
    return total


def _heights(
    columns: Sequence[Sequence[Slot]],
    links: Sequence[Sequence[tuple[Slot, Slot]]],
    size: float,
    thin: float,
) -> dict[Slot, float]:
    heights: dict[Slot, float] = {}
    offsets = []
    for column in columns:
        spans = [thin if slot[1] else size for slot in column]
        middles = [sum(spans[:i]) + spans[i] / 2 for i in range(len(spans))]
        offsets.append(middles)
        heights.update(zip(column, (m - sum(spans) / 2 for m in middles), strict=True))
    for sweep in range(_SWEEPS):
        left = sweep % 2 == 0
        for i in range(1, len(columns)) if left else range(len(columns) - 2, -1, -1):
            joined = _neighbours(links[i - 1] if left else links[i], left=left)
            wish = [
                sum(heights[n] for n in near) / len(near) if (near := joined.get(slot)) else heights[slot]
                for slot in columns[i]
            ]
            free = _increasing([w - o for w, o in zip(wish, offsets[i], strict=True)])
            heights.update(
                zip(columns[i], (f + o for f, o in zip(free, offsets[i], strict=True)), strict=True)
            )
    lowest = min((heights[slot] - (thin if slot[1] else size) / 2 for slot in heights), default=0.0)
    return {slot: height - lowest for slot, height in heights.items()}


def _increasing(wishes: Sequence[float]) -> list[float]:
    """The non-decreasing sequence nearest to the wishes (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []  # mean, length
    for wish in wishes:
        pools.append((wish, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, m), (b, n) = pools[-2:]
            pools[-2:] = [((a * m + b * n) / (m + n), m + n)]
    return [mean for mean, length in pools for _ in range(length)]
