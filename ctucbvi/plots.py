"""Pictures of a solution: values and policy over remaining time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from ctucbvi import InputError
from ctucbvi import Solution
from matplotlib.patches import Rectangle
import matplotlib
import matplotlib.pyplot as plt

_FORMATS = (".svg", ".png", ".pdf")
_POINTS = 241
_MOST_STATES = 12  # more lines than this cannot be told apart


def check_target(target: str) -> None:
    """Refuse a file that could not be written, before the work is done."""
    path = Path(target)
    if path.suffix.lower() not in _FORMATS:
        raise InputError(f"--plot {target!r}: unknown kind of picture; end the name in {', '.join(_FORMATS)}")
    if not path.parent.is_dir():
        raise InputError(f"--plot {target!r}: folder {str(path.parent)!r} does not exist")
    if path.is_dir():
        raise InputError(f"--plot {target!r}: is a folder; name a file")


def plot_solutions(solutions: list[Solution], target: str) -> None:
    """Draw the values (one line per state) above the policy (one bar per state)."""
    matplotlib.use("Agg")
    model = solutions[0].model
    states = model.states[:_MOST_STATES]
    heights = [3.2] + [0.5 + 0.32 * len(states)] * len(solutions)
    figure, axes = plt.subplots(
        len(heights),
        1,
        figsize=(8, sum(heights) + 1.2),
        sharex=True,
        gridspec_kw={"height_ratios": heights},
        layout="constrained",
    )
    _draw_values(axes[0], solutions, states)
    colours = {a: plt.get_cmap("Set2")(i % 8) for i, a in enumerate(model.actions)}
    for axis, solution in zip(axes[1:], solutions, strict=True):
        _draw_policy(axis, solution, states, colours)
    axes[-1].set_xlabel("remaining time t")
    axes[-1].set_xlim(0, float(model.horizon))
    handles = [Rectangle((0, 0), 1, 1, color=colours[a]) for a in model.actions]
    figure.legend(
        handles, model.actions, loc="outside lower center", ncols=min(6, len(handles)), frameon=False
    )
    title = model.name if len(states) == len(model.states) else f"{model.name} (first {len(states)} states)"
    figure.suptitle(title)
    try:
        figure.savefig(target)
    except OSError as error:
        raise InputError(f"--plot {target!r}: cannot be written: {error.strerror}") from None
    finally:
        plt.close(figure)


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
    axis.set_ylabel("optimal value V*(x, t)")
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
