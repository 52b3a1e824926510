"""What the commands about learning are told: the options that ``learn``, ``regret`` and ``losses`` share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctucbvi import CTMDP
    from ctucbvi.study import Study


def add_study(parser: argparse.ArgumentParser, *, runs: int, delta: str = "1/20") -> None:
    """Describe the options of a study: what is played, how often, and what the learner is told."""
    parser.add_argument("model", metavar="MODEL", help="bundled name or TOML/JSON file")
    parser.add_argument("--episodes", type=int, required=True, metavar="K", help="of every run")
    parser.add_argument(
        "--runs", type=int, default=runs, metavar="R", help=f"independent runs (default {runs})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of all random numbers (default 0)")
    parser.add_argument("--steps", type=int, default=100, metavar="N",
                        help="cells of the grid of remaining times (default 100)")  # fmt: skip
    parser.add_argument("--workers", type=int, metavar="W", help="processes (default: one per core)")
    add_settings(parser, delta=delta)


def study_of(options: argparse.Namespace, names: Sequence[str], *, own_delta: bool = False) -> Study:
    """The study that the options describe; ``own_delta``: without ``--delta`` it is that of the theorem."""
    from ctucbvi import InputError
    from ctucbvi.learning import Settings, initial_distribution
    from ctucbvi.study import Study, contestant

    if options.workers is not None and options.workers < 1:
        raise InputError(f"--workers {options.workers}: write a number of at least 1")
    model, given = model_of(options), told(options)
    if own_delta and options.delta is None and options.episodes > 0:  # else the settings refuse it
        given["delta"] = 1 / (2 * options.episodes * model.horizon)
    settings = Settings.for_model(model, episodes=options.episodes, **given)
    initial = initial_distribution(model, initial_of(model, options))
    contestants = tuple(contestant(name, options.steps) for name in names)
    return Study(model, settings, options.seed, contestants, tuple(initial.items()))


def add_settings(parser: argparse.ArgumentParser, *, delta: str = "1/20") -> None:
    """Describe the options; those that are not given stay ``None``."""
    group = parser.add_argument_group("what the learner is told")
    group.add_argument("--delta", metavar="D", help=f"confidence parameter (default {delta})")
    group.add_argument(
        "--epsilon",
        metavar="E",
        help="accuracies: 1/sqrt(k) (default), k^-A or 'k^-A*exp(-lambda_max*H)'",
    )
    group.add_argument("--lambda-max", metavar="L", help="bound on all rates (default: the largest)")
    group.add_argument(
        "--lambda-min", metavar="L", help="known lower bound: the variant of the paper's remark"
    )
    group.add_argument(
        "--bonus",
        choices=("paper", "sharp", "none"),
        help="paper (default), sharp: the smallest that is proved, with its stopping rule, or none: greedy",
    )
    group.add_argument("--rescale", metavar="SCALE,SHIFT", help="rewards become SCALE * r + SHIFT")
    group.add_argument(
        "--initial", action="append", default=[], metavar="STATE=P", help="a distribution of initial states"
    )


def told(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of ``Settings.for_model`` that the options give."""
    return {
        "delta": options.delta or "1/20",
        "epsilon": options.epsilon or "1/sqrt(k)",
        "fastest": options.lambda_max,
        "slowest": options.lambda_min,
        "bonus": options.bonus or "paper",
    }


def model_of(options: argparse.Namespace) -> CTMDP:
    """The model, with its rewards rescaled if that was asked for."""
    from ctucbvi import InputError, find_model
    from ctucbvi.numbers import exact

    model = find_model(options.model)
    if options.rescale is None:
        return model
    parts = options.rescale.split(",")
    if len(parts) != 2:
        raise InputError(f"--rescale {options.rescale}: write two numbers, for example --rescale=1/20,3/5")
    scale, shift = (exact(part, "--rescale") for part in parts)
    if scale <= 0:
        raise InputError(f"--rescale {options.rescale}: the factor must be positive, or what is best changes")
    return model.with_rewards(scale, shift)


def initial_of(model: CTMDP, options: argparse.Namespace) -> dict[str, str] | None:
    """The weights of the initial states, as they were written; ``None`` without any."""
    from ctucbvi import InputError

    found: dict[str, str] = {}
    for text in options.initial:
        state, equals, weight = text.rpartition("=")
        if not equals:
            raise InputError(f"--initial: {text!r} is not STATE=P; write for example {model.initial}=1/2")
        found[state] = weight
    return found or None
