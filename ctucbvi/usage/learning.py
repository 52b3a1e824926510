"""The arguments that the commands about learning share."""

from __future__ import annotations

import argparse


def add_study(parser: argparse.ArgumentParser, *, runs: int, block: int, delta: str = "1/20") -> None:
    """Describe the options of a study: what is played, how often, and what the learner is told."""
    parser.add_argument("model", metavar="MODEL", help="bundled name or TOML/JSON file")
    parser.add_argument("--episodes", type=int, required=True, metavar="K", help="of every run")
    parser.add_argument(
        "--runs", type=int, default=runs, metavar="R", help=f"independent runs (default {runs})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of all random numbers (default 0)")
    parser.add_argument("--steps", type=int, metavar="N",
                        help="cells of the grid of remaining times (default: 100, or as many as it takes "
                        "for the grid to cost less than 1 %% of the regret)")  # fmt: skip
    parser.add_argument("--workers", type=int, metavar="W", help="processes (default: one per core)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="a dask scheduler that does the work instead")
    parser.add_argument("--out", metavar="DIR", help="folder for finished parts; needed to resume")
    parser.add_argument("--block", type=int, default=block, metavar="B",
                        help=f"episodes between two saves of a run (default {block})")  # fmt: skip
    add_settings(parser, delta=delta)


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
