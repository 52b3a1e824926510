"""Pictures of a solution: values and policy over remaining time."""

from __future__ import annotations

from typing import Any

from ctucbvi import Solution
from ctucbvi.figures import picture, swatch
from ctucbvi.model import Objective

_SHADES = (
    "#66c2a5",
    "#fc8d62",
    "#8da0cb",
    "#e78ac3",
    "#a6d854",
    "#ffd92f",
    "#e5c494",
    "#b3b3b3",
)  # of actions
_POINTS = 241
_MOST_STATES = 12  # more lines than this cannot be told apart


def plot_solutions(solutions: list[Solution], target: str) -> None:
    """Draw the values (one line per state) above the policy (one bar per state)."""
    model = solutions[0].model
    states = model.states[:_MOST_STATES]
    heights = [3.2] + [0.5 + 0.32 * len(states)] * len(solutions)
    shape = {
        "figsize": (8, sum(heights) + 1.2),
        "sharex": True,
        "gridspec_kw": {"height_ratios": heights},
    }
    with picture("--plot", target, len(heights), 1, **shape) as (figure, axes):
        _draw_values(axes[0], solutions, states)
        colours = {a: _SHADES[i % len(_SHADES)] for i, a in enumerate(model.actions)}
        for axis, solution in zip(axes[1:], solutions, strict=True):
            _draw_policy(axis, solution, states, colours)
        axes[-1].set_xlabel("remaining time t")
        axes[-1].set_xlim(0, float(model.horizon))
        handles = [swatch(colours[a]) for a in model.actions]
        figure.legend(
            handles, model.actions, loc="outside lower center", ncols=min(6, len(handles)), frameon=False
        )
        part = "" if len(states) == len(model.states) else f" (first {len(states)} states)"
        figure.suptitle(model.name + part)


def _draw_values(axis: Any, solutions: list[Solution], states: tuple[str, ...]) -> None:
    horizon = solutions[0].model.horizon
    times = [horizon * i / (_POINTS - 1) for i in range(_POINTS)]
    for solution, style in zip(solutions, ("-", "--"), strict=False):
        for i, state in enumerate(states):
            label = state if len(solutions) == 1 else f"{state}, {solution.semantics}"
            values = [float(solution.value(state, t).mid) for t in times]
            axis.plot([float(t) for t in times], values, style, color=f"C{i % 10}", label=label)
    for switch in solutions[0].switches:
        if switch.state in states:
            axis.axvline(float(switch.time.mid), color="0.85", linewidth=0.8, zorder=0)
    kind = "value" if solutions[0].model.objective is Objective.MAX else "cost"
    axis.set_ylabel(f"optimal {kind} V*(x, t)")
    axis.legend(loc="best", fontsize="small", frameon=False, ncols=1 + len(states) // 5)


def _draw_policy(axis: Any, solution: Solution, states: tuple[str, ...], colours: dict[str, Any]) -> None:
    for row, state in enumerate(states):
        for segment in solution.segments(state):
            start, end = float(segment.start.mid), float(segment.end.mid)
            share = 0.8 / len(segment.actions)
            for part, action in enumerate(segment.actions):
                bottom = row - 0.4 + part * share
                axis.barh(bottom, end - start, left=start, height=share, align="edge", color=colours[action])
    axis.set_yticks(range(len(states)), states)
    axis.invert_yaxis()
    axis.set_title(f"{solution.semantics}: optimal action", fontsize="medium", loc="left")
