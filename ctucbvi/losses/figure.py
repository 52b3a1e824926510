"""The chain as a waterfall: one bar per link, from the row before to its own, on a logarithmic axis.

Drawn from the document alone.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ctucbvi.figures import picture, swatch
from ctucbvi.losses.chain import LinkKind

_COLOURS = {
    LinkKind.PATH.value: "C0",
    LinkKind.EVENT.value: "C4",
    LinkKind.MEAN.value: "C1",
    LinkKind.NUMBER.value: "C2",
}
_HATCHES = dict(zip(_COLOURS, ("", "///", "...", "xxx"), strict=True))  # for those who see no colours
_PLAIN = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # a line behind a number is not seen


def draw(document: dict[str, Any], target: str) -> None:
    """Draw the chain of ``document`` into ``target``."""
    rows = document["links"]
    with picture("--figure", target, figsize=(10, 1.2 + 0.36 * len(rows))) as (figure, axis):
        _draw_bars(axis, rows)
        _draw_lines(axis, document)
        axis.set_xscale("log")
        axis.set_yticks(range(len(rows)), [f"{row['name']}  [{row['label']}]" for row in rows])
        axis.invert_yaxis()
        axis.set_xlabel("sum over all episodes, mean over runs")
        axis.grid(visible=True, axis="x", which="major", color="0.9", linewidth=0.6)
        axis.set_axisbelow(True)
        figure.suptitle(_title(document), fontsize="medium", x=0.01, ha="left")


def _draw_bars(axis: Any, rows: list[dict[str, Any]]) -> None:
    first = rows[0]["value"]
    axis.plot([first], [0], "o", color="black")
    axis.annotate(f"  {first:.4g}", (first, 0), va="center", fontsize="small")
    for y, (before, row) in enumerate(pairwise(rows), 1):
        ends = sorted((before["value"], row["value"]))
        axis.barh(y, ends[1] - ends[0], left=ends[0], height=0.6, **_look(row["kind"]))
        axis.plot([before["value"]] * 2, [y - 1, y + 0.3], color="0.5", linewidth=0.8)
        axis.annotate(
            f"× {row['factor']:.4g}", (ends[1], y), xytext=(6, 0), textcoords="offset points", va="center",
            fontsize="small", bbox=_PLAIN,
        )  # fmt: skip
    kinds = [kind for kind in _COLOURS if any(row["kind"] == kind for row in rows)]
    patches = [swatch(**_look(kind)) for kind in kinds]
    axis.legend(patches, kinds, loc="lower left", fontsize="small", frameon=False)
    least, largest = min(row["value"] for row in rows), max(row["value"] for row in rows)
    axis.annotate(
        f"{largest:.4g}", (largest, len(rows) - 0.55), ha="center", va="top", fontsize="small", bbox=_PLAIN
    )
    axis.set_xlim(least / 2, largest * 8)
    axis.set_ylim(-0.7, len(rows) + 0.1)


def _look(kind: str) -> dict[str, Any]:
    return {"facecolor": _COLOURS[kind], "hatch": _HATCHES[kind], "edgecolor": "0.25", "linewidth": 0.4}


def _draw_lines(axis: Any, document: dict[str, Any]) -> None:
    marks = {"KH, the trivial bound": document["trivial"]}
    if "stopping" in document["apart"]:
        marks["Σ ε_k exp(λmax H)"] = document["apart"]["stopping"]
    sides = zip(sorted(marks, key=lambda text: marks[text]), (("right", -3), ("left", 3)), strict=False)
    for text, (side, away) in sides:
        axis.axvline(marks[text], color="0.3", linestyle="--", linewidth=0.9, zorder=0.8)
        axis.annotate(
            text, (marks[text], 1.0), xycoords=("data", "axes fraction"), xytext=(away, -10),
            textcoords="offset points", ha=side, fontsize="small", color="0.3",
        )  # fmt: skip


def _title(document: dict[str, Any]) -> str:
    settings, runs = document["settings"], document["runs"]
    told = f"ε = {settings['epsilon']}" if "rates" not in settings else f"rates {settings['rates']}"
    return (
        f"{document['model']}, K = {settings['episodes']:,}: from the regret to the bound, "
        f"mean of {runs} run{'s' if runs != 1 else ''}, δ = {settings['delta']}, {told}"
    )
