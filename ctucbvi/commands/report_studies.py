"""The panels of what was measured: the regret of the learners, and where the bound is lost.

Both show studies that are kept in the package, with the numbers that their documents have.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ctucbvi.study
from ctucbvi.commands.report_bounds import asset
from verify.report import Panel

KEPT = Path(ctucbvi.study.__file__).parent / "kept"
_WORDS = {
    "ct-ucbvi": ("the paper’s bonus", "tone-1"),
    "sharp": ("sharp bonus", "tone-2"),
    "optimistic": ("optimistic learner", "tone-4"),
    "optimistic-kl": ("optimistic, Kullback–Leibler rows", "tone-3"),
    "optimistic-poisson": ("optimistic, rates by Poisson tails", "tone-5"),
    "optimistic-poisson-kl": ("optimistic, both", "tone-6"),
}
_DIGITS = 6


def losses_panel() -> Panel:
    """The proof of the bound, measured: each inequality with the factor that it costs."""
    kept = _kept("losses")
    shown = ("name", "label", "kind", "says", "value", "factor")
    data = {
        "model": kept["model"],
        "runs": kept["runs"],
        "episodes": kept["settings"]["episodes"],
        "trivial": kept["trivial"],
        "links": [{key: link[key] for key in shown} for link in kept["links"]],
    }
    return Panel("losses", "Where the bound is lost", "Losses", data, asset("losses.js"))


def studies_panel() -> Panel:
    """The regret that was measured."""
    data = {"studies": [_study(f"learners-{model}") for model in ("machine-repair", "maintenance", "queue")]}
    return Panel("studies", "The regret that was measured", "Regret", data, asset("studies.js"))


def _study(name: str) -> dict[str, Any]:
    kept = _kept(name)
    return {
        "model": kept["model"],
        "runs": kept["runs"],
        "episodes": kept["settings"]["episodes"],
        "delta": kept["settings"]["delta"],
        "replan": kept["settings"]["replan"],
        "confidence": kept["confidence"],
        "checkpoints": kept["checkpoints"],
        "bound": [None if value is None else _short(value) for value in kept["bound"]],
        "learners": [_learner(one) for one in reversed(kept["learners"])],
    }


def _learner(one: dict[str, Any]) -> dict[str, Any]:
    words, tone = _WORDS[one["name"]]
    return {
        "words": words,
        "tone": tone,
        "mean": list(map(_short, one["mean"])),
        "error": _short(one["standard_error"][-1]),
        "lower": list(map(_short, one["band"]["lower"])),
        "upper": list(map(_short, one["band"]["upper"])),
    }


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _kept(name: str) -> Any:
    return json.loads((KEPT / f"{name}.json").read_text(encoding="utf-8"))
