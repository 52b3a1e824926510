"""The bounds over a parameter on one picture, both axes logarithmic.

The upper bound as printed, the sharpest one for CT-UCBVI and the best one for another bonus (those for a δ of
one's own dashed), the lower bound, the trivial bound K H and, if there is a study, the measured regret.
Where an upper bound beats the trivial one from some number of episodes on, that number is marked.
"""

from __future__ import annotations

import math
from typing import Any

from flint import arb

from ctucbvi.bounds.sweep import TRIVIAL, Sweep
from ctucbvi.exact.precision import precision
from ctucbvi.figures import picture, symbols

_STYLES: dict[str, dict[str, Any]] = {
    "printed": {"color": "black"},
    "delta": {"color": "black", "linestyle": "--", "linewidth": 1},
    "sharp": {"color": "C0"},
    "sharp-delta": {"color": "C0", "linestyle": "--", "linewidth": 1},
    "lump-sum": {"color": "C2"},
    "optimistic": {"color": "C4", "linewidth": 2},
    "optimistic-delta": {"color": "C4", "linestyle": "--", "linewidth": 1},
    "poisson": {"color": "C6", "linewidth": 2},
    TRIVIAL: {"color": "C3", "linewidth": 1},
    "lower-every-K": {"color": "C1"},
    "lower-every-size": {"color": "C1", "linestyle": "--"},
    "lower-turns": {"color": "C1", "linestyle": ":"},
}
_LABELS = {
    "printed": "as printed, proved for 2SAKH ≥ 1",
    "delta": "the same for the δ given",
    "sharp": "sharpest proved for CT-UCBVI",
    "sharp-delta": "the same for the δ given",
    "lump-sum": "sharpest for the lump-sum bonus",
    "optimistic": "optimistic learner, every model",
    "optimistic-delta": "the same for the δ given",
    "poisson": "the same, rates by Poisson tails",
    TRIVIAL: "trivial bound K H",
    "lower-every-K": "lower bound, every K",
    "lower-every-size": "lower bound, every S, A and K",
    "lower-turns": "lower bound without self-jumps",
}
_AXES = {"lambda_max": "λmax", "lambda_min": "λmin", "delta": "δ", "K": "episodes K"}


def draw(found: Sweep, target: str, *, title: str = "", study: dict[str, Any] | None = None) -> None:
    """Draw the curves into ``target``; ``study`` is the document of a regret study over K."""
    with picture("--plot", target, figsize=(9.5, 6.5)) as (figure, axis):
        axis.set_xscale("log")
        axis.set_yscale("log")
        _draw_bounds(axis, found)
        if study is not None:
            _draw_study(axis, study)
        _draw_marks(axis, found)
        axis.set_xlabel(_AXES.get(found.range.parameter, found.range.parameter))
        axis.set_ylabel("expected regret")
        axis.grid(visible=True, which="major", color="0.9", linewidth=0.6)
        figure.legend(loc="outside lower left", ncols=2, fontsize="small", edgecolor="none")
        axis.set_title(symbols(title), fontsize="small", loc="left", wrap=True)


def _draw_bounds(axis: Any, found: Sweep) -> None:
    places = [float(value) for value in found.range.values]
    for name, style in _STYLES.items():
        values = found.bounds.get(name, ())
        if any(value is not None for value in values):
            heights = [math.nan if value is None else value for value in values]
            axis.plot(places, heights, label=_label(name, found), gid=name, **style)  # gid: a name in the SVG


def _draw_study(axis: Any, study: dict[str, Any]) -> None:
    for i, learner in enumerate(study["learners"]):
        colour = f"C{5 + i}"
        mean = [m if m > 0 else math.nan for m in learner["mean"]]
        axis.plot(study["checkpoints"], mean, color=colour, label=f"measured regret: {learner['name']}")
        if learner["band"] is not None:
            floor = min(m for m in learner["mean"] if m > 0) / 3
            ends = [[max(v, floor) for v in learner["band"][side]] for side in ("lower", "upper")]
            axis.fill_between(study["checkpoints"], *ends, color=colour, alpha=0.25, linewidth=0)


def _draw_marks(axis: Any, found: Sweep) -> None:
    """A dot where a bound meets the trivial one, and a line down to the number of episodes."""
    low, high = found.range.values[0], found.range.values[-1]
    for name, threshold in reversed(found.thresholds.items()):  # the printed one on top
        if name in _STYLES and threshold.episodes is not None and low <= threshold.episodes <= high:
            height, colour = float(threshold.episodes * found.parameters.horizon), _STYLES[name]["color"]
            axis.plot([threshold.episodes], [height], "o", color=colour, markersize=5, zorder=5)
            axis.axvline(threshold.episodes, color=colour, linestyle=":", linewidth=0.8, zorder=0)


def _label(name: str, found: Sweep) -> str:
    """What the line is, and from which number of episodes on it is below the trivial bound."""
    threshold = found.thresholds.get(name)
    if threshold is None or threshold.episodes is None:
        return _LABELS[name]
    return f"{_LABELS[name]}; < K H from {_rounded(threshold.episodes)}"


def _rounded(number: int) -> str:
    if number < 10**15:
        return str(number)
    with precision(64):
        text: str = arb(number).str(4, radius=False)
    return text
