"""The paper's figure: regret and its bound over the number of episodes, both axes logarithmic.

Drawn from the document of a result alone, so that a picture can be drawn again from the file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ctucbvi.figures import picture


def draw(document: dict[str, Any], target: str) -> None:
    """Draw the curves of a result's document into ``target``."""
    with picture("--figure", target, figsize=(8, 5)) as (_, axis):
        floor = _floor(document["learners"])
        for colour, learner in enumerate(document["learners"]):
            _draw_learner(axis, document["checkpoints"], learner, f"C{colour}", floor)
        _draw_bound(axis, document["checkpoints"], document["bound"])
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_ylim(bottom=floor)
        axis.set_xlabel("episodes")
        axis.set_ylabel("expected regret")
        axis.grid(visible=True, which="major", color="0.9", linewidth=0.6)
        axis.legend(loc="best", fontsize="small", frameon=False)
        axis.set_title(_title(document), fontsize="medium", loc="left")


def _floor(learners: Sequence[dict[str, Any]]) -> float:
    """The lower end of the axis: a logarithmic axis has no place for bands that reach down to 0."""
    positive = [mean for learner in learners for mean in learner["mean"] if mean > 0]
    return min(positive, default=1.0) / 3


def _draw_learner(
    axis: Any, checkpoints: Sequence[int], learner: dict[str, Any], colour: str, floor: float
) -> None:
    ends = learner["band"]
    if ends is not None:
        lower, upper = ([max(v, floor) for v in ends[side]] for side in ("lower", "upper"))
        axis.fill_between(checkpoints, lower, upper, color=colour, alpha=0.2, linewidth=0)
    mean = [m if m > 0 else math.nan for m in learner["mean"]]
    axis.plot(checkpoints, mean, color=colour, label=learner["name"])


def _draw_bound(axis: Any, checkpoints: Sequence[int], bound: Sequence[float | None]) -> None:
    points = [(k, b) for k, b in zip(checkpoints, bound, strict=True) if b is not None and math.isfinite(b)]
    if points:
        ks, values = zip(*points, strict=True)
        axis.plot(ks, values, "--", color="black", label="bound of the theorem")


def _title(document: dict[str, Any]) -> str:
    runs, settings = document["runs"], document["settings"]
    return (
        f"{document['model']}: mean of {runs} run{'s' if runs != 1 else ''}, "
        f"δ = {settings['delta']}, ε = {settings['epsilon']}"
    )
