"""The paper's figure: regret and its bound over the number of episodes, both axes logarithmic.

Drawn from the document of a result alone, so that a picture can be drawn again from the file.  A band is
filled where its lower end is above 0; elsewhere (few runs) the data say nothing from below, and only its
upper end is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ctucbvi.figures import COLOURS, Picture, shortened, symbols

_STYLES = ("-", "--", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 1, 1, 1)))

_MARKERS = "osD^vP<X"  # for those who see no colours
_MARKED = 6  # times along a curve


def draw(document: dict[str, Any], target: str) -> None:
    """Draw the curves of a result's document into ``target``."""
    picture_of(document).save(target, "--figure")


def picture_of(document: dict[str, Any]) -> Picture:
    """The curves of a result's document."""
    picture = Picture.of(figsize=(8, 5.5))
    axis, checkpoints = picture.axes, document["checkpoints"]
    axis.set_xscale("log")
    axis.set_yscale("log")
    every = max(1, len(checkpoints) // _MARKED)
    for i, learner in enumerate(document["learners"]):
        look = {
            "color": COLOURS[i % len(COLOURS)], "linestyle": _STYLES[i % len(_STYLES)],
            "marker": _MARKERS[i % len(_MARKERS)], "markersize": 4,
            "markevery": (every * i // len(document["learners"]), every),
        }  # fmt: skip
        _draw_learner(axis, checkpoints, learner, look)
    _draw_bound(axis, checkpoints, document["bound"])
    if "horizon" in document:  # older documents do not have it
        ends = [checkpoints[0], checkpoints[-1]]
        heights = [k * float(Fraction(document["horizon"])) for k in ends]
        axis.plot(ends, heights, ":", color="0.4", label="K H, the trivial bound")
    axis.set_ylim(bottom=_floor(document["learners"]))
    axis.set_xlabel("episodes K")
    axis.set_ylabel("expected regret")
    axis.grid(visible=True, which="major", color="0.9", linewidth=0.6)
    picture.figure.legend(loc="outside lower center", ncols=3, fontsize="small", frameon=False)
    axis.set_title(_title(document), fontsize="medium", loc="left", wrap=True)
    return picture


def _floor(learners: Sequence[dict[str, Any]]) -> float:
    """The lower end of the axis: a logarithmic axis has no place for bands that reach down to 0."""
    positive = [mean for learner in learners for mean in learner["mean"] if mean > 0]
    return min(positive, default=1.0) / 3


def _draw_learner(
    axis: Any, checkpoints: Sequence[int], learner: dict[str, Any], look: dict[str, Any]
) -> None:
    ends = learner["band"]
    if ends is not None:
        known = [low > 0 for low in ends["lower"]]
        axis.fill_between(
            checkpoints, [max(v, 1e-300) for v in ends["lower"]], ends["upper"], where=known,
            color=look["color"], alpha=0.2, linewidth=0,
        )  # fmt: skip
        if not all(known):
            above = [math.nan if there else v for there, v in zip(known, ends["upper"], strict=True)]
            axis.plot(checkpoints, above, color=look["color"], linewidth=0.7, alpha=0.7)
    mean = [m if m > 0 else math.nan for m in learner["mean"]]
    axis.plot(checkpoints, mean, label=learner["name"], **look)


def _draw_bound(axis: Any, checkpoints: Sequence[int], bound: Sequence[float | None]) -> None:
    points = [(k, b) for k, b in zip(checkpoints, bound, strict=True) if b is not None and math.isfinite(b)]
    if points:
        ks, values = zip(*points, strict=True)
        axis.plot(ks, values, color="black", linewidth=1, label="bound of the theorem")


def _title(document: dict[str, Any]) -> str:
    runs, settings = document["runs"], document["settings"]
    lazy = f", planned again at growth by {settings['replan']}" if "replan" in settings else ""
    return (
        f"{shortened(document['model'], 50)}: mean of {runs} run{'s' if runs != 1 else ''}, "
        f"δ = {settings['delta']}, ε = {symbols(settings['epsilon'])}{lazy}"
    )
