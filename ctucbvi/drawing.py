"""A picture of an answer: values and policy over remaining time.

It is read in grey and by the colour-blind: an action has a hatch and, where there is room, its name beside
its colour; a state has a marker beside its own.  More states than lines can show become rows of a map.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from ctucbvi.figures import COLOURS, Picture, shortened, swatch, told_apart
from ctucbvi.model import Objective
from ctucbvi.solutions import Answer

_HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "+++", "ooo")
_MARKERS = "osD^vP<X>*hp"
_POINTS = 241
_MOST_LINES = len(_MARKERS)
_MOST_NAMES = 40  # rows that are named
_WIDTH = 9.0  # inches
_BAR, _LETTER = 5.6, 0.085  # inches: roughly the length of the time axis, and of a letter of a label


def draw_answers(answers: Sequence[Answer]) -> Picture:
    """Draw the values above the policy, a row per state, of one model under one semantics or both."""
    model = answers[0].model
    count = len(model.states)
    few = count <= _MOST_LINES
    rows = 0.5 + count * (0.32 if few else min(0.2, 12 / count))
    heights = [3.2] if few else [rows] * len(answers)
    heights += [rows] * len(answers)
    picture = Picture.of(
        len(heights), 1, figsize=(_WIDTH, sum(heights) + 1.2), sharex=True, squeeze=False,
        gridspec_kw={"height_ratios": heights},
    )  # fmt: skip
    axes = [axis for (axis,) in picture.axes]
    if few:
        _draw_lines(axes[0], answers)
    else:
        for axis, answer in zip(axes, answers, strict=False):
            _draw_map(picture.figure, axis, answer)
    used = _used(answers)
    looks = {a: _look(model.actions.index(a)) for a in used}
    for axis, answer in zip(axes[-len(answers) :], answers, strict=True):
        _draw_policy(axis, answer, looks)
    axes[-1].set_xlabel("remaining time t")
    axes[-1].set_xlim(0, float(model.horizon))
    names = told_apart(used, 40)
    columns = max(1, min(6, len(names), int(90 / (6 + max(map(len, names))))))
    handles = [swatch(**looks[a]) for a in used]
    picture.figure.legend(handles, names, loc="outside lower center", ncols=columns, frameon=False)
    picture.figure.suptitle(shortened(model.name, 80))
    return picture


def _used(answers: Sequence[Answer]) -> list[str]:
    """The actions that are best somewhere, in the model's order."""
    model = answers[0].model
    best = {a for answer in answers for x in model.states for s in answer.segments(x) for a in s.actions}
    return [a for a in model.actions if a in best]


def _look(i: int) -> dict[str, Any]:
    """Colour and hatch of action ``i``: 64 of them differ."""
    hatch = _HATCHES[(i + i // len(COLOURS)) % len(_HATCHES)]
    return {"facecolor": COLOURS[i % len(COLOURS)], "hatch": hatch, "edgecolor": "0.25", "linewidth": 0.4}


def _times(answer: Answer) -> list[Any]:
    return [answer.model.horizon * i / (_POINTS - 1) for i in range(_POINTS)]


def _draw_lines(axis: Any, answers: Sequence[Answer]) -> None:
    model, times = answers[0].model, _times(answers[0])
    for answer, style in zip(answers, ("-", "--"), strict=False):
        for i, (state, name) in enumerate(zip(model.states, told_apart(model.states, 28), strict=True)):
            label = name if len(answers) == 1 else f"{name}, {answer.semantics}"
            values = [float(answer.value(state, t).mid) for t in times]
            axis.plot(
                [float(t) for t in times], values, style, color=COLOURS[i % len(COLOURS)], label=label,
                marker=_MARKERS[i], markevery=(10 + 3 * i, 48), markersize=4, linewidth=1.2,
            )  # fmt: skip
    for switch in answers[0].switches:
        axis.axvline(float(switch.time.mid), color="0.85", linewidth=0.8, zorder=0)
    axis.set_ylabel(_what(answers[0]))
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)


def _what(answer: Answer) -> str:
    name = "value" if answer.model.objective is Objective.MAX else "cost"
    return f"optimal {name} V*(x, t)" if answer.optimal else f"{name} of the policy V(x, t)"


def _draw_map(figure: Any, axis: Any, answer: Answer) -> None:
    """The values as shades, a row per state."""
    model, times = answer.model, _times(answer)
    values = [[float(answer.value(state, t).mid) for t in times] for state in model.states]
    ends = (0, float(model.horizon), len(values) - 0.5, -0.5)
    image = axis.imshow(values, aspect="auto", extent=ends, cmap="viridis", interpolation="nearest")
    figure.colorbar(image, ax=axis, pad=0.01, fraction=0.03)
    _name_rows(axis, model.states)
    axis.set_title(f"{answer.semantics}: {_what(answer)}", fontsize="medium", loc="left")


def _draw_policy(axis: Any, answer: Answer, looks: dict[str, dict[str, Any]]) -> None:
    model, labelled = answer.model, len(answer.model.states) <= _MOST_LINES
    for row, state in enumerate(model.states):
        for segment in answer.segments(state):
            start, end = float(segment.start.mid), float(segment.end.mid)
            share = 0.8 / len(segment.actions)
            for part, action in enumerate(segment.actions):
                bottom = row - 0.4 + part * share
                axis.barh(bottom, end - start, left=start, height=share, align="edge", **looks[action])
            text = shortened(" = ".join(segment.actions), 30)
            if labelled and (end - start) / float(model.horizon) * _BAR > _LETTER * (len(text) + 2):
                box = {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.9}
                place = {"ha": "center", "va": "center", "fontsize": 7, "bbox": box}
                axis.text((start + end) / 2, row, text, **place)
    _name_rows(axis, model.states)
    axis.set_ylim(len(model.states) - 0.5, -0.5)
    axis.set_title(f"{answer.semantics}: optimal action", fontsize="medium", loc="left")


def _name_rows(axis: Any, states: Sequence[str]) -> None:
    """The names of the rows, of some of them where there are many."""
    every = ceil(len(states) / _MOST_NAMES)
    size = "medium" if len(states) <= _MOST_LINES else "x-small"
    axis.set_yticks(range(0, len(states), every), told_apart(states, 28)[::every], fontsize=size)
