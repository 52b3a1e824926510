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
from ctucbvi.figures import COLOURS, picture, symbols

# In grey and for the colour-blind: a marker for each kind of line beside its colour; lower bounds are thin.
_DELTA = {"linestyle": "--", "linewidth": 1}
_STYLES: dict[str, dict[str, Any]] = {
    "printed": {"color": "black", "marker": "o"},
    "delta": {"color": "black", "marker": "o", **_DELTA},
    "sharp": {"color": COLOURS[0], "marker": "s"},
    "sharp-delta": {"color": COLOURS[0], "marker": "s", **_DELTA},
    "lump-sum": {"color": COLOURS[2], "marker": "D"},
    "optimistic": {"color": COLOURS[5], "marker": "^", "linewidth": 2},
    "optimistic-delta": {"color": COLOURS[5], "marker": "^", **_DELTA},
    "poisson": {"color": COLOURS[4], "marker": "v", "linewidth": 2},
    TRIVIAL: {"color": COLOURS[3], "linewidth": 1, "linestyle": (0, (1, 1))},
    "lower-every-K": {"color": COLOURS[1], "marker": "x"},
    "lower-every-size": {"color": COLOURS[1], "marker": "x", "linestyle": "--"},
    "lower-turns": {"color": COLOURS[1], "marker": "x", "linestyle": ":"},
}
_MEASURED = ("0.35", "0.5", "0.2", "0.65")  # of studies: greys, each with a dash of its own
_DASHES = ("-.", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (3, 1, 1, 1)))
_MARKERS = 9  # along a line
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
    "lower-every-K": "lower bound, for some model of this size",
    "lower-every-size": "the same, for every S and A",
    "lower-turns": "the same, without self-jumps",
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
    every = max(1, len(places) // _MARKERS)
    for i, (name, style) in enumerate(_STYLES.items()):
        values = found.bounds.get(name, ())
        if any(value is not None for value in values):
            heights = [math.nan if value is None else value for value in values]
            marks = {"markevery": (i * every // len(_STYLES), every), "markersize": 4}
            label = _label(name, found)
            axis.plot(places, heights, label=label, gid=name, **marks, **style)  # gid: a name in the SVG


def _draw_study(axis: Any, study: dict[str, Any]) -> None:
    for i, learner in enumerate(study["learners"]):
        colour, dash = _MEASURED[i % len(_MEASURED)], _DASHES[i % len(_DASHES)]
        mean = [m if m > 0 else math.nan for m in learner["mean"]]
        label = f"measured regret: {learner['name']}"
        axis.plot(study["checkpoints"], mean, color=colour, linestyle=dash, linewidth=2, label=label)
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
            axis.plot(
                [threshold.episodes],
                [height],
                "o",
                color=colour,
                markerfacecolor="white",
                markersize=7,
                zorder=5,
            )
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
